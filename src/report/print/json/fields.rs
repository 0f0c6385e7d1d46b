//! The fields of any record, by what they mean.

use std::io::Write;

use streamfold_model::enums::Type;
use streamfold_model::fields::{Field, FieldValue, Meaning, Record};
use streamfold_model::references::ReferenceKind;
use streamfold_model::values::{IdMap, TypedValue};

use super::lines::Lines;
use super::names::{suffix, write_name};
use crate::print::scope::Scope;

/// Writes fields, and the names of what they refer to beside them.
pub(super) struct Fields<'a, W: Write> {
    pub lines: &'a mut Lines<W>,
    /// Definitions that references lead to.
    pub scope: Scope<'a>,
    /// Ticks that are subtracted from times.
    pub time_offset: u64,
}

impl<W: Write> Fields<'_, W> {
    /// All fields of a record.
    pub(super) fn record(&mut self, record: &dyn Record) {
        // The types of the values in the next field.
        let mut types: Vec<Type> = Vec::new();
        record.each_field(&mut |field, value| match value {
            FieldValue::Unsigned(number) => self.number(field, number, &mut types),
            FieldValue::Signed(number) => {
                self.lines.key(field.key);
                self.lines.number(number);
            }
            FieldValue::Double(number) => {
                self.lines.key(field.key);
                self.lines.float(number);
            }
            FieldValue::Text(text) => {
                self.lines.key(field.key);
                self.lines.text(text);
            }
            FieldValue::List(numbers) => {
                let numbers: Vec<u64> = numbers.collect();
                self.list(field, &numbers, &mut types);
            }
            FieldValue::Map(map) => {
                self.lines.key(field.key);
                self.map(map);
            }
        });
    }

    /// A field with one number.
    fn number(&mut self, field: Field, number: u64, types: &mut Vec<Type>) {
        let key = field.key;
        match field.meaning {
            Meaning::Number => {
                self.lines.key(key);
                self.lines.number(number);
            }
            Meaning::Time => {
                self.lines.key(key);
                self.time(number);
            }
            Meaning::Reference(kind) => self.reference(key, kind, number),
            Meaning::Enumeration(name) => {
                self.lines.key(key);
                self.lines.number(number);
                self.lines.key_with(key, "_name");
                self.constant(u8::try_from(number).ok().and_then(name));
            }
            Meaning::Flags(named) => {
                self.lines.key(key);
                self.lines.number(number);
                self.lines.key_with(key, "_names");
                let set = named.iter().filter(|(_, bit)| number as u32 & bit != 0);
                self.lines.array(set, |lines, (name, _)| constant(lines, Some(name)));
            }
            Meaning::Type => {
                types.clear();
                types.push(Type::from(number as u8));
                self.type_field(key, types[0]);
            }
            Meaning::Value => {
                let value_type = types.first().copied().unwrap_or(Type::None);
                self.typed_value(key, TypedValue { value_type, bits: number });
            }
        }
    }

    /// A field with several numbers.
    fn list(&mut self, field: Field, numbers: &[u64], types: &mut Vec<Type>) {
        let (key, scope) = (field.key, self.scope);
        if let Meaning::Value = field.meaning {
            self.lines.key(key);
            let typed = |(&bits, &value_type): (&u64, &Type)| TypedValue { value_type, bits };
            let values = || numbers.iter().zip(types.iter()).map(typed);
            self.lines.array(values(), plain_value);
            if values().any(|value| value.value_type.leads_to().is_some()) {
                self.lines.key_with(key, "_names");
                self.lines.array(values(), |lines, value| match value.value_type.leads_to() {
                    Some(kind) => write_name(lines, scope, kind, value.bits),
                    None => lines.raw("null"),
                });
            }
            return;
        }
        self.lines.key(key);
        match field.meaning {
            Meaning::Reference(kind) => {
                self.lines.array(numbers, |lines, number| reference(lines, kind, *number));
                if let Some(suffix) = suffix(kind) {
                    self.lines.key_with(key, if suffix == "_text" { "_texts" } else { "_names" });
                    let write = |lines: &mut _, number: &u64| {
                        write_name(lines, scope, kind, *number);
                    };
                    self.lines.array(numbers, write);
                }
            }
            Meaning::Enumeration(name) => {
                self.lines.array(numbers, |lines, number| lines.number(*number));
                self.lines.key_with(key, "_names");
                self.lines.array(numbers, |lines, number| constant(lines, name(*number as u8)));
            }
            Meaning::Type => {
                types.clear();
                types.extend(numbers.iter().map(|number| Type::from(*number as u8)));
                self.lines.array(numbers, |lines, number| lines.number(*number));
                self.lines.key_with(key, "_names");
                self.lines.array(&*types, |lines, value_type| constant(lines, value_type.name()));
            }
            Meaning::Number | Meaning::Time | Meaning::Flags(_) | Meaning::Value => {
                self.lines.array(numbers, |lines, number| lines.number(*number));
            }
        }
    }

    /// A reference and the name of what it leads to; `null` for the number that stands for none.
    pub(super) fn reference(&mut self, key: &str, kind: ReferenceKind, number: u64) {
        self.lines.key(key);
        reference(self.lines, kind, number);
        if let Some(suffix) = suffix(kind) {
            self.lines.key_with(key, suffix);
            write_name(self.lines, self.scope, kind, number);
        }
    }

    /// References of a kind that another field tells.
    pub(super) fn names_of(&mut self, key: &str, kind: ReferenceKind, numbers: &[u64]) {
        let scope = self.scope;
        self.lines.key(key);
        self.lines.array(numbers, |lines, number| write_name(lines, scope, kind, *number));
    }

    /// The name of what a field refers to whose kind another field tells.
    pub(super) fn name_of(&mut self, key: &str, kind: ReferenceKind, number: u64) {
        self.lines.key(key);
        write_name(self.lines, self.scope, kind, number);
    }

    /// A type, by number and name.
    pub(super) fn type_field(&mut self, key: &str, value_type: Type) {
        self.lines.key(key);
        self.lines.number(u8::from(value_type));
        self.lines.key_with(key, "_name");
        self.constant(value_type.name());
    }

    /// A value by its type.
    pub(super) fn typed_value(&mut self, key: &str, value: TypedValue) {
        match value.value_type.leads_to() {
            Some(kind) => self.reference(key, kind, value.bits),
            None => {
                self.lines.key(key);
                plain_value(self.lines, value);
            }
        }
    }

    /// A time, from where times begin.
    pub(super) fn time(&mut self, time: u64) {
        match self.time_offset {
            0 => self.lines.number(time),
            offset => self.lines.number(i128::from(time) - i128::from(offset)),
        }
    }

    fn constant(&mut self, name: Option<&'static str>) {
        constant(self.lines, name);
    }

    fn map(&mut self, map: &IdMap) {
        let pair = |lines: &mut Lines<W>, (local, global): (u64, u64)| {
            lines.array([local, global], |lines, number| lines.number(number));
        };
        match map {
            IdMap::Dense(globals) => self.lines.array((0..).zip(globals.iter().copied()), pair),
            IdMap::Sparse(pairs) => self.lines.array(pairs.iter().copied(), pair),
        }
    }
}

/// A name of the format, which needs no escapes.
fn constant<W: Write>(lines: &mut Lines<W>, name: Option<&'static str>) {
    match name {
        Some(name) => {
            lines.raw("\"");
            lines.raw(name);
            lines.raw("\"");
        }
        None => lines.raw("null"),
    }
}

fn reference<W: Write>(lines: &mut Lines<W>, kind: ReferenceKind, number: u64) {
    match number == kind.undefined() {
        true => lines.raw("null"),
        false => lines.number(number),
    }
}

/// A value as its type says; references as their numbers.
fn plain_value<W: Write>(lines: &mut Lines<W>, TypedValue { value_type, bits }: TypedValue) {
    match value_type {
        Type::Uint8 => lines.number(bits as u8),
        Type::Uint16 => lines.number(bits as u16),
        Type::Uint32 => lines.number(bits as u32),
        Type::Int8 => lines.number(bits as i8),
        Type::Int16 => lines.number(bits as i16),
        Type::Int32 => lines.number(bits as i32),
        Type::Int64 => lines.number(bits as i64),
        Type::Float => lines.float(f32::from_bits(bits as u32)),
        Type::Double => lines.float(f64::from_bits(bits)),
        other => match other.leads_to() {
            Some(kind) => reference(lines, kind, bits),
            None => lines.number(bits),
        },
    }
}
