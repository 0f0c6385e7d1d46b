//! Events, with their attributes and calling contexts.

mod lines;

use std::io::Write;

use streamfold_model::events::{Enter, Event, EventVisitor, Leave};
use streamfold_model::ids::*;
use streamfold_model::stream::EventHead;
use streamfold_model::values::{AttributeEntry, Ticks};

use super::callers::Step;
use super::layout::{EVENT_FIELDS, EVENT_WIDTH, LOCATION_WIDTH, TIME_WIDTH};
use super::line::Line;
use super::printer::Printer;
use super::values::widen;

impl<W: Write> EventVisitor for Printer<W> {
    const ATTRIBUTES: bool = true;

    // These two are most of any trace, and a way of their own is shorter.
    fn enter(&mut self, head: &EventHead<'_>, event: Enter) {
        self.region_event("ENTER", head, event.region);
    }

    fn leave(&mut self, head: &EventHead<'_>, event: Leave) {
        self.region_event("LEAVE", head, event.region);
    }

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        if !self.options.time.contains(&head.time.0) {
            return;
        }
        self.print_event(head.location, head.time, &event);
        self.print_attributes(head.attributes);
        self.output.record_done();
    }

    fn unknown(&mut self, head: &EventHead<'_>, _: u8) {
        if !self.options.time.contains(&head.time.0) {
            return;
        }
        let text = &mut self.output.text;
        text.left("UNKNOWN", EVENT_WIDTH);
        text.push(" ");
        text.right_number(head.location.0, LOCATION_WIDTH);
        text.push(" ");
        text.right_number(head.time.0, TIME_WIDTH);
        text.push("\n");
        self.print_attributes(head.attributes);
        self.output.record_done();
    }
}

impl<W: Write> Printer<W> {
    #[inline(always)]
    fn region_event(&mut self, kind: &str, head: &EventHead<'_>, left_or_entered: RegionRef) {
        if !self.options.time.contains(&head.time.0) {
            return;
        }
        let (text, timestamps) = (&mut self.output.text, self.options.timestamps);
        let line = Line::new(text, &self.names, timestamps, head.location);
        line.event(kind, head.time).field("Region: ", left_or_entered).end();
        self.print_attributes(head.attributes);
        self.output.record_done();
    }

    pub(super) fn print_attributes(&mut self, attributes: &[AttributeEntry]) {
        if attributes.is_empty() {
            return;
        }
        let text = &mut self.output.text;
        text.spaces(EVENT_FIELDS);
        let mut before = "ADDITIONAL ATTRIBUTES: (";
        for AttributeEntry { attribute, value } in attributes {
            text.push(before);
            self.names.attributes.append(text, widen(*attribute));
            text.push("; ");
            text.enumeration(value.value_type);
            text.push("; ");
            text.typed_value(&self.names, *value);
            text.push(")");
            before = ", (";
        }
        text.push("\n");
    }

    /// The line of an event and, where asked for, the callers of its calling context.
    pub(super) fn print_event(&mut self, location: LocationRef, time: Ticks, event: &Event<'_>) {
        let (text, timestamps) = (&mut self.output.text, self.options.timestamps);
        lines::line(Line::new(text, &self.names, timestamps, location), time, event).end();
        if self.options.unwind_calling_context {
            match event {
                Event::CallingContextEnter(e) => self.unwind(e.calling_context, e.unwind_distance),
                // The region that is left has made progress, its callers have not.
                Event::CallingContextLeave(e) => self.unwind(e.calling_context, 1),
                Event::CallingContextSample(e) => self.unwind(e.calling_context, e.unwind_distance),
                _ => {}
            }
        }
    }

    /// The calling context and its callers, one a line, marked by what they did since the last
    /// sample.
    fn unwind(&mut self, from: CallingContextRef, mut distance: u32) {
        let Printer { names, output, .. } = self;
        names.callers.begin_walk();
        let mut context = from;
        while !context.is_undefined() {
            let caller = match names.callers.step(context) {
                Step::To(caller) => caller,
                Step::Nowhere => {
                    output.text.spaces(EVENT_FIELDS);
                    output.text.invalid("INVALID", widen(context));
                    output.text.push("\n");
                    return;
                }
                // The reference goes round for ever.
                Step::Repeated => return,
            };
            output.text.spaces(EVENT_FIELDS);
            output.text.push(match distance {
                u32::MAX => "?",
                0 => " ",
                1 => "*",
                _ => "+",
            });
            names.calling_contexts.append(&mut output.text, widen(context));
            output.text.push("\n");
            output.record_done();
            context = caller;
            if distance != u32::MAX {
                distance = distance.saturating_sub(1);
            }
        }
    }
}
