//! States of locations: everything of the past that a reader needs who begins in the middle of a trace.
//!
//! # Rules
//!
//! [`States`] takes the events of all locations in one order, by time and then by location. It holds records of:
//!
//! * each open region: its enter;
//! * each message that was not yet received, or not yet sent: its events at both sides. A non-blocking send needs its
//!   completion before it can be received;
//! * each collective operation that not all members of its communicator have ended: its begins and ends;
//! * each open fork, lock that is held, task that was created and is not complete, and switch to such a task;
//! * the last change of the recording;
//! * each metric: its last values, of relative members the sums so far. The record keeps the time of the first event and
//!   comes behind all others whenever there are new values;
//! * the parameters of each open region. Those outside of any region stay.
//!
//! Records are in the order of their events. Enters and leaves by calling context count as those of the region, forks,
//! joins and locks of the model OpenMP as those of OpenMP.
//!
//! * A message or an end that names nobody whom the trace knows can never be matched: it leaves no record.
//! * A leave of a region that is open, but not the innermost, ends all visits inside. One of a region that is not open
//!   ends nothing.
//! * Requests have the numbers of their process, and so have tasks.

mod collectives;
mod messages;
mod tasks;
#[cfg(test)]
mod tests;
mod when;

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use streamfold_model::definitions::CallingContext;
use streamfold_model::enums::Type;
use streamfold_model::events::{
    CallingContextEnter, CallingContextLeave, Enter, Event, EventKind, Leave, Metric,
};
use streamfold_model::ids::{CallingContextRef, MetricRef, RegionRef};
use streamfold_model::snapshots::{
    EnterSnap, MeasurementOnOffSnap, MetricSnap, ParameterIntSnap, ParameterStringSnap,
    ParameterUnsignedIntSnap, Snapshot,
};
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, EventSet};
use streamfold_model::values::{AttributeEntry, Ticks, TypedValue};

use crate::matching::{Partners, Processes};
use collectives::Collectives;
use messages::Messages;
use tasks::Tasks;
pub use when::{Interval, Samples, Times};

/// Place of an event in the common order. It is the number of its record, too.
type Place = u64;

/// A record of a location, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct At {
    /// The location, by its index among the definitions.
    location: usize,
    place: Place,
}

/// An event of the past that counts.
#[derive(Debug)]
struct Kept {
    attributes: Box<[AttributeEntry]>,
    record: Record,
}

#[derive(Debug)]
enum Record {
    Plain(Snapshot<'static>),
    Metric { time: Ticks, metric: MetricRef, values: Vec<TypedValue> },
}

/// A region that is open.
#[derive(Debug)]
struct Visit {
    region: RegionRef,
    place: Place,
    /// Parameters of it.
    parameters: Vec<Place>,
}

/// State of a location.
#[derive(Debug, Default)]
struct Of {
    records: BTreeMap<Place, Kept>,
    visits: Vec<Visit>,
    metrics: HashMap<MetricRef, Place, RandomState>,
    recording: Option<Place>,
}

/// Events that say what cannot be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Oddities {
    /// Visits that never end: a visit around them ended.
    pub open: u64,
    /// Leaves of regions that are not open.
    pub unmatched: u64,
}

/// The states of all locations.
#[derive(Debug)]
pub struct States<'d> {
    definitions: &'d Definitions,
    processes: &'d Processes,
    next: Place,
    of: Vec<Of>,
    messages: Messages<'d>,
    collectives: Collectives<'d>,
    tasks: Tasks,
    /// Locations in which a region is the innermost, by its index among the definitions.
    active: Vec<u64>,
    oddities: Oddities,
}

impl<'d> States<'d> {
    /// The kinds of events that it has to be handed.
    pub const WANTS: EventSet = EventSet::VISITS.and(EventSet::of(&[
        EventKind::MeasurementOnOff,
        EventKind::MpiSend,
        EventKind::MpiIsend,
        EventKind::MpiIsendComplete,
        EventKind::MpiIrecvRequest,
        EventKind::MpiRecv,
        EventKind::MpiIrecv,
        EventKind::MpiRequestCancelled,
        EventKind::MpiCollectiveBegin,
        EventKind::MpiCollectiveEnd,
        EventKind::OmpFork,
        EventKind::OmpJoin,
        EventKind::OmpAcquireLock,
        EventKind::OmpReleaseLock,
        EventKind::OmpTaskCreate,
        EventKind::OmpTaskSwitch,
        EventKind::OmpTaskComplete,
        EventKind::ThreadFork,
        EventKind::ThreadJoin,
        EventKind::ThreadAcquireLock,
        EventKind::ThreadReleaseLock,
        EventKind::Metric,
        EventKind::ParameterString,
        EventKind::ParameterInt,
        EventKind::ParameterUnsignedInt,
    ]));

    /// States at the begin of a trace.
    pub fn new(
        definitions: &'d Definitions,
        processes: &'d Processes,
        partners: &'d Partners<'d>,
    ) -> Self {
        States {
            definitions,
            processes,
            next: 0,
            of: definitions.locations.iter().map(|_| Of::default()).collect(),
            messages: Messages::new(partners),
            collectives: Collectives::new(partners),
            tasks: Tasks::default(),
            active: vec![0; definitions.regions.len()],
            oddities: Oddities::default(),
        }
    }

    /// The event as it counts here; `None`: it does not.
    pub fn counted<'e>(&self, event: Event<'e>) -> Option<Event<'e>> {
        let region = |context: CallingContextRef| {
            let context: &CallingContext = self.definitions.calling_contexts.get(&context)?;
            Some(context.region)
        };
        match event {
            Event::CallingContextEnter(CallingContextEnter { calling_context, .. }) => {
                region(calling_context).map(|region| Event::Enter(Enter { region }))
            }
            Event::CallingContextLeave(CallingContextLeave { calling_context }) => {
                region(calling_context).map(|region| Event::Leave(Leave { region }))
            }
            event => tasks::of_openmp(event),
        }
    }

    /// Takes an event that [counts](States::counted), of a location that is defined.
    pub fn take(&mut self, head: &EventHead<'_>, event: &Event<'_>) {
        let Some(location) = self.definitions.locations.get_index_of(&head.location) else {
            return;
        };
        let Some(process) = self.processes.of(head.location) else { return };
        let at = At { location, place: self.next };
        self.next += 1;
        let time = head.time;
        match *event {
            Event::Enter(Enter { region }) => {
                let innermost = self.of[location].visits.last().map(|visit| visit.region);
                self.now_in(innermost, Some(region));
                let visit = Visit { region, place: at.place, parameters: Vec::new() };
                self.of[location].visits.push(visit);
                self.keep(
                    at,
                    head,
                    Snapshot::EnterSnap(EnterSnap { orig_event_time: time, region }),
                );
            }
            Event::Leave(Leave { region }) => self.leave(location, region),
            Event::Metric(metric) => self.measured(at, head, metric),
            Event::MeasurementOnOff(event) => {
                let of = &mut self.of[location];
                if let Some(before) = of.recording.replace(at.place) {
                    of.records.remove(&before);
                }
                let snap = MeasurementOnOffSnap {
                    orig_event_time: time,
                    measurement_mode: event.measurement_mode,
                };
                self.keep(at, head, Snapshot::MeasurementOnOffSnap(snap));
            }
            Event::ParameterString(event) => {
                let snap = ParameterStringSnap {
                    orig_event_time: time,
                    parameter: event.parameter,
                    string: event.string,
                };
                self.parameter(at, head, Snapshot::ParameterStringSnap(snap));
            }
            Event::ParameterInt(event) => {
                let snap = ParameterIntSnap {
                    orig_event_time: time,
                    parameter: event.parameter,
                    value: event.value,
                };
                self.parameter(at, head, Snapshot::ParameterIntSnap(snap));
            }
            Event::ParameterUnsignedInt(event) => {
                let snap = ParameterUnsignedIntSnap {
                    orig_event_time: time,
                    parameter: event.parameter,
                    value: event.value,
                };
                self.parameter(at, head, Snapshot::ParameterUnsignedIntSnap(snap));
            }
            _ => {
                let mut sink = Sink { of: &mut self.of, attributes: head.attributes };
                self.messages.take(at, process, time, event, &mut sink);
                self.collectives.take(at, process, time, event, &mut sink);
                self.tasks.take(at, process, time, event, &mut sink);
            }
        }
    }

    fn keep(&mut self, at: At, head: &EventHead<'_>, record: Snapshot<'static>) {
        Sink { of: &mut self.of, attributes: head.attributes }.keep(at, record);
    }

    fn parameter(&mut self, at: At, head: &EventHead<'_>, record: Snapshot<'static>) {
        if let Some(visit) = self.of[at.location].visits.last_mut() {
            visit.parameters.push(at.place);
        }
        self.keep(at, head, record);
    }

    fn leave(&mut self, location: usize, region: RegionRef) {
        let of = &mut self.of[location];
        let Some(which) = of.visits.iter().rposition(|visit| visit.region == region) else {
            self.oddities.unmatched += 1;
            return;
        };
        let innermost = of.visits.last().map(|visit| visit.region);
        self.oddities.open += (of.visits.len() - which - 1) as u64;
        for visit in of.visits.drain(which..) {
            of.records.remove(&visit.place);
            visit.parameters.iter().for_each(|place| drop(of.records.remove(place)));
        }
        let now = of.visits.last().map(|visit| visit.region);
        self.now_in(innermost, now);
    }

    /// The innermost region of a location changes.
    fn now_in(&mut self, before: Option<RegionRef>, now: Option<RegionRef>) {
        let index = |region: RegionRef| self.definitions.regions.get_index_of(&region);
        let (before, now) = (before.and_then(index), now.and_then(index));
        if let Some(before) = before {
            self.active[before] -= 1;
        }
        if let Some(now) = now {
            self.active[now] += 1;
        }
    }

    fn measured(&mut self, at: At, head: &EventHead<'_>, event: Metric<'_>) {
        let of = &mut self.of[at.location];
        let before = of.metrics.insert(event.metric, at.place);
        let mut kept = match before.and_then(|place| of.records.remove(&place)) {
            Some(kept) => kept,
            None => {
                let (time, metric) = (head.time, event.metric);
                let record = Record::Metric { time, metric, values: event.values.to_vec() };
                of.records.insert(at.place, Kept { attributes: head.attributes.into(), record });
                return;
            }
        };
        if let Record::Metric { values, .. } = &mut kept.record {
            let class = self.definitions.metric_class(event.metric);
            let members = class.map_or(&[][..], |class| &class.metric_members);
            for (index, (value, new)) in values.iter_mut().zip(event.values).enumerate() {
                let is_relative =
                    members.get(index).is_some_and(|member| self.definitions.is_relative(*member));
                *value = if is_relative { sum(*value, *new) } else { *new };
            }
        }
        of.records.insert(at.place, kept);
    }

    /// The number of records of a location, by its index among the definitions.
    pub fn count(&self, location: usize) -> u64 {
        self.of.get(location).map_or(0, |of| of.records.len() as u64)
    }

    /// The records of a location, by its index among the definitions, with their attributes.
    pub fn records(
        &self,
        location: usize,
    ) -> impl Iterator<Item = (&[AttributeEntry], Snapshot<'_>)> {
        let records = self.of.get(location).into_iter().flat_map(|of| of.records.values());
        records.map(|kept| {
            let record = match &kept.record {
                Record::Plain(record) => *record,
                Record::Metric { time, metric, values } => Snapshot::MetricSnap(MetricSnap {
                    orig_event_time: *time,
                    metric: *metric,
                    values,
                }),
            };
            (&*kept.attributes, record)
        })
    }

    /// The number of locations in which each region is the innermost open one, by its index among the definitions.
    pub fn active(&self) -> &[u64] {
        &self.active
    }

    /// Events so far that say what cannot be.
    pub fn oddities(&self) -> Oddities {
        self.oddities
    }
}

/// The sum of two values of the type of the first.
fn sum(so_far: TypedValue, more: TypedValue) -> TypedValue {
    let bits = match so_far.value_type {
        Type::Double => (f64::from_bits(so_far.bits) + f64::from_bits(more.bits)).to_bits(),
        _ => so_far.bits.wrapping_add(more.bits),
    };
    TypedValue { bits, ..so_far }
}

/// Records of all locations, for the parts of the states.
struct Sink<'s> {
    of: &'s mut [Of],
    /// Attributes of the present event.
    attributes: &'s [AttributeEntry],
}

impl Sink<'_> {
    fn keep(&mut self, at: At, record: Snapshot<'static>) {
        let kept = Kept { attributes: self.attributes.into(), record: Record::Plain(record) };
        self.of[at.location].records.insert(at.place, kept);
    }

    fn forget(&mut self, at: At) {
        self.of[at.location].records.remove(&at.place);
    }
}
