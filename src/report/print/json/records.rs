//! Events and snapshots, and what they need to know.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::sync::Arc;

use foldhash::fast::RandomState;
use streamfold_model::events::{Event, EventVisitor};
use streamfold_model::fields::{FieldValue, Meaning, Record};
use streamfold_model::ids::{CallingContextRef, LocationRef, Reference};
use streamfold_model::references::ReferenceKind;
use streamfold_model::snapshots::Snapshot;
use streamfold_model::store::Definitions;
use streamfold_model::stream::EventHead;
use streamfold_model::values::AttributeEntry;

use super::fields::Fields;
use super::lines::{Lines, Way};
use super::names::write_name;
use crate::print::options::{Options, Timestamps};
use crate::print::scope::{LocalScope, Scope};
use crate::print::Streams;

type Own = HashMap<LocationRef, LocalScope, RandomState>;

/// Prints events and snapshots of any locations.
#[derive(Debug)]
pub struct JsonRecords<W: Write> {
    pub(super) lines: Lines<W>,
    pub(super) definitions: Arc<Definitions>,
    /// Definitions that only single locations have.
    pub(super) own: Arc<Own>,
    pub(super) options: Options,
}

impl<W: Write> JsonRecords<W> {
    pub(super) fn new(way: Arc<Way<W>>, options: Options) -> Self {
        let (definitions, own) = Default::default();
        JsonRecords { lines: Lines::new(way), definitions, own, options }
    }

    /// Another one that writes to the same place, for locations that are read at the same time.
    /// Lines of one stay in their order, and no line is torn.
    pub fn another(&self) -> Self {
        JsonRecords {
            lines: Lines::new(self.lines.way().clone()),
            definitions: self.definitions.clone(),
            own: self.own.clone(),
            options: self.options.clone(),
        }
    }

    /// Fields whose references mean definitions of the trace.
    pub(super) fn fields(&mut self) -> Fields<'_, W> {
        self.fields_by(|definitions, _| Scope::of_trace(definitions))
    }

    /// Fields of a record of a location: an event, or one of its own definitions.
    pub(super) fn fields_of(&mut self, location: LocationRef, inside: bool) -> Fields<'_, W> {
        self.fields_by(|definitions, own| match inside {
            true => Scope::of_own(definitions, own.get(&location)),
            false => Scope::of_events(definitions, own.get(&location)),
        })
    }

    fn fields_by<'s>(
        &'s mut self,
        scope: impl FnOnce(&'s Definitions, &'s Own) -> Scope<'s>,
    ) -> Fields<'s, W> {
        let offset = match (self.options.timestamps, &self.definitions.clock) {
            (Timestamps::Offset, Some(clock)) if clock.timer_resolution > 0 => clock.global_offset,
            _ => 0,
        };
        let scope = scope(&self.definitions, &self.own);
        Fields { lines: &mut self.lines, scope, time_offset: offset }
    }

    fn timed(
        &mut self,
        head: &EventHead<'_>,
        record: &dyn Record,
        more: impl FnOnce(&mut Fields<'_, W>),
    ) {
        if !self.options.time.contains(&head.time.0) {
            return;
        }
        self.head(record.record_name(), head);
        let mut fields = self.fields_of(head.location, false);
        fields.record(record);
        more(&mut fields);
        attributes(&mut fields, head.attributes);
        self.lines.end();
    }

    fn head(&mut self, record: &str, head: &EventHead<'_>) {
        self.lines.begin(record);
        self.location(head.location);
        self.lines.key("number");
        self.lines.number(head.number);
        self.lines.key("time");
        self.fields().time(head.time.0);
    }

    pub(super) fn location(&mut self, location: LocationRef) {
        self.fields().reference("location", ReferenceKind::Location, location.number());
    }
}

impl<W: Write> EventVisitor for JsonRecords<W> {
    const ATTRIBUTES: bool = true;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        let context = match event {
            _ if !self.options.unwind_calling_context => None,
            Event::CallingContextEnter(e) => Some(e.calling_context),
            Event::CallingContextLeave(e) => Some(e.calling_context),
            Event::CallingContextSample(e) => Some(e.calling_context),
            _ => None,
        };
        self.timed(head, &event, |fields| {
            if let Some(context) = context {
                callers(fields, context);
            }
        });
    }

    fn unknown(&mut self, head: &EventHead<'_>, id: u8) {
        if !self.options.time.contains(&head.time.0) {
            return;
        }
        self.head("Unknown", head);
        self.lines.key("id");
        self.lines.number(id);
        attributes(&mut self.fields_of(head.location, false), head.attributes);
        self.lines.end();
    }
}

impl<W: Write> Streams for JsonRecords<W> {
    fn failed(&self) -> bool {
        self.lines.way().failed()
    }

    fn snapshot(&mut self, head: &EventHead<'_>, snapshot: &Snapshot<'_>) {
        let mut original = None;
        snapshot.each_field(&mut |field, value| {
            if let (Meaning::Time, FieldValue::Unsigned(time)) = (field.meaning, value) {
                original = Some(time);
            }
        });
        // Both times have to be wanted.
        if original.is_none_or(|time| self.options.time.contains(&time)) {
            self.timed(head, snapshot, |_| {});
        }
    }
}

/// The attributes of a record; nothing where it has none.
fn attributes<W: Write>(fields: &mut Fields<'_, W>, attributes: &[AttributeEntry]) {
    if attributes.is_empty() {
        return;
    }
    fields.lines.key("attributes");
    let mut before = "[{\"attribute\":";
    for AttributeEntry { attribute, value } in attributes {
        fields.lines.raw(before);
        fields.lines.number(attribute.0);
        fields.lines.key("attribute_name");
        let (kind, number) = (ReferenceKind::Attribute, attribute.number());
        write_name(fields.lines, fields.scope, kind, number);
        fields.type_field("type", value.value_type);
        fields.typed_value("value", *value);
        fields.lines.raw("}");
        before = ",{\"attribute\":";
    }
    fields.lines.raw("]");
}

/// The callers of a calling context from the nearest to the outermost, by the trace's numbers. Each is there
/// once, even where references go round.
fn callers<W: Write>(fields: &mut Fields<'_, W>, context: CallingContextRef) {
    let kind = ReferenceKind::CallingContext;
    let (mut scope, mut number) = (fields.scope, context.number());
    let (mut seen, mut callers) = (HashSet::<_, RandomState>::default(), Vec::new());
    loop {
        let (definitions, here, inside) = scope.find(kind, number);
        if !seen.insert((std::ptr::from_ref(definitions), here)) {
            callers.pop();
            break;
        }
        let context = definitions.calling_contexts.get(&CallingContextRef(here as u32));
        let Some(parent) = context.map(|context| context.parent) else { break };
        if parent.is_undefined() {
            break;
        }
        (scope, number) = (inside, parent.number());
        callers.push((scope, number));
    }
    fields.lines.key("callers");
    fields.lines.array(&callers, |lines, (scope, number)| {
        lines.number(scope.global(kind, *number));
    });
    fields.lines.key("callers_names");
    fields.lines.array(callers, |lines, (scope, number)| write_name(lines, scope, kind, number));
}
