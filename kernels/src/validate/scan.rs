//! One location: what each event must be, besides its place in nesting and time.

use streamfold_model::events::*;
use streamfold_model::ids::CallingContextRef;
use streamfold_model::references::{ReferenceKind, References};
use streamfold_model::stream::EventHead;

use super::code::Code;
use super::elsewhere::Begin;
use super::known::may_be_undefined;
use super::look::{missing_text, type_name, undefined_text};
use super::pairs::Pairs;
use super::rules::Rules;
use super::sink::{Sink, UNKNOWN};
use crate::matching::Order;

/// Looks at the events of one location, one after another.
#[derive(Debug)]
pub(super) struct Scan<'a, S: Sink> {
    pub rules: &'a Rules<'a>,
    pub sink: S,
    pub pairs: Pairs<S::Mark>,
    /// The latest time of those that begin or end something.
    latest: u64,
}

/// Above all regions: contexts of which no region is known.
const CONTEXT: u64 = 1 << 32;

impl<'a, S: Sink> Scan<'a, S> {
    /// Begins with a location.
    pub(super) fn new(rules: &'a Rules<'a>, sink: S) -> Self {
        Scan { rules, sink, pairs: Pairs::default(), latest: 0 }
    }

    /// Reports a defect of the present event.
    pub(super) fn tell(
        &mut self,
        code: Code,
        head: &EventHead<'_>,
        record: &'static str,
        message: impl FnOnce() -> String,
    ) {
        self.sink.tell(code, self.sink.here(head.number, record), message);
    }

    /// Returns the place of the present event among those of its process.
    pub(super) fn order(&mut self, head: &EventHead<'_>) -> Order {
        self.latest = self.latest.max(head.time.0);
        Order { time: self.latest, location: head.location, number: head.number }
    }

    /// The present event as a begin.
    pub(super) fn begin(&mut self, head: &EventHead<'_>, record: &'static str) -> Begin<S::Mark> {
        let (at, mark) = (self.order(head), self.sink.here(head.number, record));
        Begin { record, at, mark }
    }

    /// The next event: everything but nesting and time.
    pub(super) fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        self.attributes(head, event.kind());
        let rules = self.rules;
        event.each_reference(|field, kind, number| {
            if !rules.known.has(kind, number) {
                self.undefined(head, (event.kind().name(), field), kind, number);
            }
        });
        self.check(head, event);
    }

    /// A record of a kind that this version does not know.
    pub(super) fn unknown(&mut self, head: &EventHead<'_>, id: u8) {
        let message = || format!("kind {id} is not known: the record was passed over");
        self.tell(Code::UnknownRecord, head, UNKNOWN, message);
    }

    /// The region of a context; where none is known, the context itself, so that nesting can be
    /// looked at all the same.
    pub(super) fn region_of(&self, context: CallingContextRef) -> u64 {
        match self.rules.region_of(context) {
            Some(region) => u64::from(region.0),
            None => CONTEXT | u64::from(context.0),
        }
    }

    /// A reference that was found not to be defined.
    #[cold]
    fn undefined(
        &mut self,
        head: &EventHead<'_>,
        (record, field): (&'static str, &'static str),
        kind: ReferenceKind,
        number: u64,
    ) {
        if number != kind.undefined() {
            let message = || undefined_text(field, kind, number);
            self.tell(Code::UndefinedReference, head, record, message);
        } else if !may_be_undefined(record, field, kind) {
            self.tell(Code::MissingReference, head, record, || missing_text(field));
        }
    }

    /// Looks at the attributes of an event.
    #[inline(always)]
    pub(super) fn attributes(&mut self, head: &EventHead<'_>, record: EventKind) {
        if !head.attributes.is_empty() {
            self.attribute_list(head, record.name());
        }
    }

    #[inline(never)]
    fn attribute_list(&mut self, head: &EventHead<'_>, record: &'static str) {
        let rules = self.rules;
        for entry in head.attributes {
            let Some(defined) = rules.definitions.attributes.get(&entry.attribute) else {
                let number = entry.attribute.0.into();
                self.undefined(head, (record, "attribute"), ReferenceKind::Attribute, number);
                continue;
            };
            let (given, wanted) = (entry.value.value_type, defined.value_type);
            if given != wanted {
                self.tell(Code::AttributeType, head, record, || {
                    let attribute = entry.attribute;
                    let (given, wanted) = (type_name(given), type_name(wanted));
                    format!("attribute {attribute} is defined as {wanted}, its value is {given}")
                });
            }
            if let Some(kind) = given.leads_to() {
                let number = entry.value.bits;
                if number != kind.undefined() && !rules.known.has(kind, number) {
                    self.undefined(head, (record, "value of an attribute"), kind, number);
                }
            }
        }
    }
}
