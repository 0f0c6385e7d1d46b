//! References of the events of one location.

use streamfold_model::calls::Calls;
use streamfold_model::enums::ParameterType;
use streamfold_model::events::*;
use streamfold_model::ids::{CommRef, RmaWinRef};
use streamfold_model::references::{ReferenceKind, References};
use streamfold_model::snapshots::Snapshot;
use streamfold_model::stream::{EventHead, EventSet};
use streamfold_model::values::TypedValue;

use super::facts::{Activity, CommUse, Facts, Seen, ValueTypes};
use super::unclear::Defined;
use crate::validate::Known;

/// From here on the root of a collective operation is not a rank but says who it is.
const FIRST_SPECIAL_ROOT: u32 = 0xffff_fffd;

/// Receives the events of a location, with global numbers, and notes undefined references.
pub struct Scan<'a> {
    defined: &'a Defined,
    /// Definitions of this location only, under numbers that no table changes.
    own: &'a Known,
    facts: &'a mut Facts,
    /// All regions below this one are defined.
    regions: u64,
    activity: Activity,
}

impl<'a> Scan<'a> {
    /// Begins with a location.
    pub fn new(defined: &'a Defined, own: &'a Known, facts: &'a mut Facts) -> Self {
        let regions = defined.known.full(ReferenceKind::Region);
        Scan { defined, own, facts, regions, activity: Activity::default() }
    }

    /// Returns the kinds of events of the location.
    pub fn end(self) -> Activity {
        self.activity
    }

    /// Notes the references of a snapshot; its numbers are global.
    pub fn snapshot(&mut self, snapshot: &Snapshot<'_>) {
        snapshot.each_reference(|_, kind, number| {
            self.reference(kind, number);
        });
    }

    /// Notes a reference. Returns whether it is undefined.
    pub fn reference(&mut self, kind: ReferenceKind, number: u64) -> bool {
        // As readers cut it to the width of the field.
        let number = number & kind.undefined();
        let undefined = number == kind.undefined();
        if undefined || self.defined.known.has(kind, number) || self.own.has(kind, number) {
            return false;
        }
        self.facts.miss(kind, number)
    }

    /// Notes a reference. Returns whether its definition is missing or incomplete.
    fn unclear(&mut self, kind: ReferenceKind, number: u64) -> bool {
        self.reference(kind, number) || self.defined.unclear.has(kind, number)
    }

    fn value(&mut self, value: TypedValue) {
        if let Some(kind) = value.value_type.leads_to() {
            self.reference(kind, value.bits);
        }
    }

    #[inline(never)]
    fn attributes(&mut self, head: &EventHead<'_>) {
        for entry in head.attributes {
            let number = entry.attribute.0;
            if self.reference(ReferenceKind::Attribute, number.into()) {
                Seen::add(&mut self.facts.attributes, number, entry.value.value_type);
            }
            self.value(entry.value);
        }
    }

    fn comm(&mut self, comm: CommRef, rank: Option<u32>, messages: bool) {
        if self.unclear(ReferenceKind::Comm, comm.0.into()) {
            let ranks = rank.map_or(0, |rank| u64::from(rank) + 1);
            self.facts.use_comm(comm.0, CommUse { ranks, messages });
        }
    }

    fn collective(&mut self, comm: CommRef, root: u32) {
        self.comm(comm, Some(root).filter(|root| *root < FIRST_SPECIAL_ROOT), true);
    }

    /// The undefined rank stands for all of a window.
    fn window(&mut self, window: RmaWinRef, rank: Option<u32>) {
        if self.unclear(ReferenceKind::RmaWin, window.0.into()) {
            let rank = rank.filter(|rank| *rank < FIRST_SPECIAL_ROOT);
            self.facts.use_window(window.0, rank.map_or(0, |rank| u64::from(rank) + 1));
        }
    }

    fn parameter(&mut self, number: u32, of: ParameterType) {
        if self.reference(ReferenceKind::Parameter, number.into()) {
            Seen::add(&mut self.facts.parameters, number, of);
        }
    }

    fn metric(&mut self, metric: &Metric<'_>) {
        let number = metric.metric.0;
        if self.unclear(ReferenceKind::Metric, number.into()) {
            let types = metric.values.iter().map(|value| value.value_type).collect();
            self.facts.see_metric(number, ValueTypes(types));
        }
    }

    /// Notes how an event uses its references.
    fn uses(&mut self, event: &Event<'_>) {
        match event {
            Event::MpiSend(e) => self.comm(e.communicator, Some(e.receiver), true),
            Event::MpiIsend(e) => self.comm(e.communicator, Some(e.receiver), true),
            Event::MpiRecv(e) => self.comm(e.communicator, Some(e.sender), true),
            Event::MpiIrecv(e) => self.comm(e.communicator, Some(e.sender), true),
            Event::MpiProbe(e) => self.comm(e.communicator, Some(e.sender), true),
            Event::MpiCollectiveEnd(e) => self.collective(e.communicator, e.root),
            Event::NonBlockingCollectiveComplete(e) => self.collective(e.communicator, e.root),
            Event::CommCreate(e) => self.comm(e.communicator, None, true),
            Event::CommDestroy(e) => self.comm(e.communicator, None, true),
            Event::ThreadTeamBegin(e) => self.comm(e.thread_team, None, false),
            Event::ThreadTeamEnd(e) => self.comm(e.thread_team, None, false),
            Event::ThreadTaskCreate(e) => self.comm(e.thread_team, None, false),
            Event::ThreadTaskSwitch(e) => self.comm(e.thread_team, None, false),
            Event::ThreadTaskComplete(e) => self.comm(e.thread_team, None, false),
            Event::ThreadCreate(e) => self.comm(e.thread_contingent, None, false),
            Event::ThreadBegin(e) => self.comm(e.thread_contingent, None, false),
            Event::ThreadWait(e) => self.comm(e.thread_contingent, None, false),
            Event::ThreadEnd(e) => self.comm(e.thread_contingent, None, false),
            Event::RmaCollectiveEnd(e) => self.window(e.win, Some(e.root)),
            Event::RmaRequestLock(e) => self.window(e.win, Some(e.remote)),
            Event::RmaAcquireLock(e) => self.window(e.win, Some(e.remote)),
            Event::RmaTryLock(e) => self.window(e.win, Some(e.remote)),
            Event::RmaReleaseLock(e) => self.window(e.win, Some(e.remote)),
            Event::RmaSync(e) => self.window(e.win, Some(e.remote)),
            Event::RmaPut(e) => self.window(e.win, Some(e.remote)),
            Event::RmaGet(e) => self.window(e.win, Some(e.remote)),
            Event::RmaAtomic(e) => self.window(e.win, Some(e.remote)),
            Event::ParameterString(e) => self.parameter(e.parameter.0, ParameterType::String),
            Event::ParameterInt(e) => self.parameter(e.parameter.0, ParameterType::Int64),
            Event::ParameterUnsignedInt(e) => self.parameter(e.parameter.0, ParameterType::Uint64),
            Event::Metric(e) => self.metric(e),
            _ => {}
        }
    }
}

impl EventVisitor for Scan<'_> {
    const WANTS: EventSet = EventSet::ALL;
    const ATTRIBUTES: bool = true;

    #[inline(always)]
    fn calls<C: Calls>(&mut self, calls: &mut C) {
        while let Some(call) = calls.next() {
            let region = call.region().0.into();
            self.activity.program = true;
            if region >= self.regions {
                self.reference(ReferenceKind::Region, region);
            }
        }
    }

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        self.attributes(head);
        let Activity { program, metrics, mpi } = &mut self.activity;
        match event {
            Event::Metric(_) => *metrics = true,
            Event::BufferFlush(_) | Event::MeasurementOnOff(_) => {}
            _ => *program = true,
        }
        *mpi |= is_of_mpi(&event);
        event.each_reference(|_, kind, number| {
            self.reference(kind, number);
        });
        self.uses(&event);
    }

    fn unknown(&mut self, head: &EventHead<'_>, _: u8) {
        self.attributes(head);
    }
}

/// Returns whether only a rank of MPI has such events.
fn is_of_mpi(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::MpiSend(_)
            | Event::MpiIsend(_)
            | Event::MpiIsendComplete(_)
            | Event::MpiRecv(_)
            | Event::MpiIrecv(_)
            | Event::MpiIrecvRequest(_)
            | Event::MpiProbe(_)
            | Event::MpiMrecv(_)
            | Event::MpiImrecvRequest(_)
            | Event::MpiImrecv(_)
            | Event::MpiRequestTest(_)
            | Event::MpiRequestCancelled(_)
            | Event::MpiCollectiveBegin(_)
            | Event::MpiCollectiveEnd(_)
            | Event::NonBlockingCollectiveRequest(_)
            | Event::NonBlockingCollectiveComplete(_)
            | Event::CommCreate(_)
            | Event::CommDestroy(_)
    )
}
