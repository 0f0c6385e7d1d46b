//! A record that is being looked at, and the texts about its fields.

use streamfold_model::enums::Type;
use streamfold_model::references::ReferenceKind;

use super::code::Code;
use super::known::may_be_undefined;
use super::rules::Rules;
use super::sink::{Sink, Teller};

/// A record that is being looked at.
pub(super) struct Look<'l, 'c> {
    pub rules: &'l Rules<'l>,
    pub teller: &'l mut Teller<'c>,
    pub number: u64,
    pub name: &'static str,
}

impl Look<'_, '_> {
    pub(super) fn tell(&mut self, code: Code, message: impl FnOnce() -> String) {
        let here = self.teller.here(self.number, self.name);
        self.teller.tell(code, here, message);
    }

    pub(super) fn reference(&mut self, field: &'static str, kind: ReferenceKind, id: u64) {
        if self.rules.known.has(kind, id) {
            return;
        }
        if id != kind.undefined() {
            self.tell(Code::UndefinedReference, || undefined_text(field, kind, id));
        } else if !may_be_undefined(self.name, field, kind) {
            self.tell(Code::MissingReference, || missing_text(field));
        }
    }
}

pub(super) fn undefined_text(field: &str, kind: ReferenceKind, number: u64) -> String {
    format!("{field} leads to {} {number}, which is not defined", kind.name())
}

pub(super) fn missing_text(field: &str) -> String {
    format!("{field} is the number that stands for \"undefined\"")
}

/// The name of a type, or its number.
pub(super) fn type_name(value_type: Type) -> String {
    match value_type.name() {
        Some(name) => name.to_owned(),
        None => format!("type {}", u8::from(value_type)),
    }
}
