//! Events, with their attributes and calling contexts.

mod columns;
mod io;
mod messages;
mod program;
mod rma;
mod threads;

use std::io::Write;

use streamfold_model::events::{Enter, Event, EventVisitor, Leave};
use streamfold_model::ids::*;
use streamfold_model::stream::EventHead;
use streamfold_model::values::{AttributeEntry, Ticks};

use self::columns::Columns;
use self::io::{io_handle, io_operation};
use self::messages::{collective, message};
use self::program::{metric, program};
use self::rma::{rma_operation, rma_synchronization};
use self::threads::{openmp, thread};
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

/// A region that is entered or left.
#[inline(always)]
fn region<'a>(line: Line<'a>, kind: &str, time: Ticks, region: RegionRef) -> Line<'a> {
    let regions = &line.names().regions;
    line.event(kind, time).name("Region: ", regions, region)
}

impl<W: Write> Printer<W> {
    #[inline(always)]
    fn region_event(&mut self, kind: &str, head: &EventHead<'_>, left_or_entered: RegionRef) {
        if !self.options.time.contains(&head.time.0) {
            return;
        }
        let (text, timestamps) = (&mut self.output.text, self.options.timestamps);
        let line = Line::new(text, &self.names, timestamps, head.location);
        region(line, kind, head.time, left_or_entered).end();
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
        let (names, timestamps) = (&self.names, self.options.timestamps);
        let text = &mut self.output.text;
        let mut context = None;
        let columns = Columns { line: Line::new(text, names, timestamps, location), time };
        let line = match event {
            Event::BufferFlush(e) => columns.of("BUFFER_FLUSH").time("Stop Time: ", e.stop_time),
            Event::MeasurementOnOff(e) => {
                columns.of("MEASUREMENT_ON_OFF").value("Mode: ", e.measurement_mode)
            }
            Event::Enter(e) => region(columns.line, "ENTER", time, e.region),
            Event::Leave(e) => region(columns.line, "LEAVE", time, e.region),
            Event::Metric(e) => metric(columns.of("METRIC"), names, e),
            Event::CallingContextEnter(e) => {
                context = Some((e.calling_context, e.unwind_distance));
                columns
                    .of("CALLING_CONTEXT_ENTER")
                    .name("Calling Context: ", &names.calling_contexts, e.calling_context)
                    .optional_number(", Unwind Distance: ", e.unwind_distance)
            }
            Event::CallingContextLeave(e) => {
                // The region that is left has made progress, its callers have not.
                context = Some((e.calling_context, 1));
                columns.of("CALLING_CONTEXT_LEAVE").name(
                    "Calling Context: ",
                    &names.calling_contexts,
                    e.calling_context,
                )
            }
            Event::CallingContextSample(e) => {
                context = Some((e.calling_context, e.unwind_distance));
                columns
                    .of("CALLING_CONTEXT_SAMPLE")
                    .name("Calling Context: ", &names.calling_contexts, e.calling_context)
                    .optional_number(", Unwind Distance: ", e.unwind_distance)
                    .name(
                        ", Interrupt Generator: ",
                        &names.interrupt_generators,
                        e.interrupt_generator,
                    )
            }
            Event::MpiSend(_)
            | Event::MpiIsend(_)
            | Event::MpiIsendComplete(_)
            | Event::MpiIrecvRequest(_)
            | Event::MpiRecv(_)
            | Event::MpiIrecv(_)
            | Event::MpiProbe(_)
            | Event::MpiMrecv(_)
            | Event::MpiImrecvRequest(_)
            | Event::MpiImrecv(_)
            | Event::MpiRequestTest(_)
            | Event::MpiRequestCancelled(_) => message(columns, names, event),
            Event::MpiCollectiveBegin(_)
            | Event::MpiCollectiveEnd(_)
            | Event::NonBlockingCollectiveRequest(_)
            | Event::NonBlockingCollectiveComplete(_)
            | Event::CommCreate(_)
            | Event::CommDestroy(_) => collective(columns, names, event),
            Event::OmpFork(_)
            | Event::OmpJoin(_)
            | Event::OmpAcquireLock(_)
            | Event::OmpReleaseLock(_)
            | Event::OmpTaskCreate(_)
            | Event::OmpTaskSwitch(_)
            | Event::OmpTaskComplete(_) => openmp(columns, event),
            Event::ThreadFork(_)
            | Event::ThreadJoin(_)
            | Event::ThreadTeamBegin(_)
            | Event::ThreadTeamEnd(_)
            | Event::ThreadAcquireLock(_)
            | Event::ThreadReleaseLock(_)
            | Event::ThreadTaskCreate(_)
            | Event::ThreadTaskSwitch(_)
            | Event::ThreadTaskComplete(_)
            | Event::ThreadCreate(_)
            | Event::ThreadBegin(_)
            | Event::ThreadWait(_)
            | Event::ThreadEnd(_) => thread(columns, names, event),
            Event::RmaGroupSync(_)
            | Event::RmaRequestLock(_)
            | Event::RmaAcquireLock(_)
            | Event::RmaTryLock(_)
            | Event::RmaReleaseLock(_)
            | Event::RmaSync(_)
            | Event::RmaWaitChange(_) => rma_synchronization(columns, names, event),
            Event::RmaWinCreate(_)
            | Event::RmaWinDestroy(_)
            | Event::RmaCollectiveBegin(_)
            | Event::RmaCollectiveEnd(_)
            | Event::RmaPut(_)
            | Event::RmaGet(_)
            | Event::RmaAtomic(_)
            | Event::RmaOpCompleteBlocking(_)
            | Event::RmaOpCompleteNonBlocking(_)
            | Event::RmaOpTest(_)
            | Event::RmaOpCompleteRemote(_) => rma_operation(columns, names, event),
            Event::IoCreateHandle(_)
            | Event::IoDestroyHandle(_)
            | Event::IoDuplicateHandle(_)
            | Event::IoSeek(_)
            | Event::IoChangeStatusFlags(_)
            | Event::IoDeleteFile(_) => io_handle(columns, names, event),
            Event::IoOperationBegin(_)
            | Event::IoOperationTest(_)
            | Event::IoOperationIssued(_)
            | Event::IoOperationComplete(_)
            | Event::IoOperationCancelled(_)
            | Event::IoAcquireLock(_)
            | Event::IoReleaseLock(_)
            | Event::IoTryLock(_) => io_operation(columns, names, event),
            Event::ParameterString(_)
            | Event::ParameterInt(_)
            | Event::ParameterUnsignedInt(_)
            | Event::ProgramBegin(_)
            | Event::ProgramEnd(_) => program(columns, names, event),
        };
        line.end();
        if let Some((context, distance)) = context {
            if self.options.unwind_calling_context {
                self.unwind(context, distance);
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
