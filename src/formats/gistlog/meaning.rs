//! Meaning of a log in the model, section 4 of the notes: definitions, times, and the events that records become.

use std::collections::{BTreeMap, HashMap};

use bstr::{BStr, BString, ByteSlice};
use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::definitions::{Definition, MetricClass, MetricMember};
use streamfold_model::enums::{
    Base, MetricMode, MetricOccurrence, MetricType, Paradigm, RecorderKind, RegionRole, Type,
};
use streamfold_model::events::{Enter, Event, Leave};
use streamfold_model::ids::{MetricMemberRef, MetricRef, RegionRef, SystemTreeNodeRef};
use streamfold_model::store::Definitions;
use streamfold_model::values::{Ticks, TypedValue};

use super::head::{Counters, Head};
use super::records::Record;
use crate::defining::Defining;
use crate::Run;

/// Ticks a second where a log has no whole number of time units in a second.
const NANOSECONDS: u64 = 1_000_000_000;

/// From time units to ticks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Times {
    /// A tick is a time unit, of which there are so many in a second.
    Units(u64),
    /// A tick is a nanosecond; so many time units are in a second.
    Nanoseconds(f64),
}

impl Times {
    /// Given the time units in a second.
    pub(super) fn of(units: f64) -> Self {
        let whole = units.fract() == 0.0 && units < u64::MAX as f64;
        if whole {
            Times::Units(units as u64)
        } else {
            Times::Nanoseconds(units)
        }
    }

    fn resolution(self) -> u64 {
        match self {
            Times::Units(units) => units,
            Times::Nanoseconds(_) => NANOSECONDS,
        }
    }

    /// A time in ticks, the nearest one. Times beyond the last tick become the last tick.
    pub(super) fn ticks(self, time: u64) -> Ticks {
        Ticks(match self {
            Times::Units(_) => time,
            Times::Nanoseconds(units) => (time as f64 / units * NANOSECONDS as f64).round() as u64,
        })
    }
}

/// Regions and times by which records become events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Meaning {
    pub times: Times,
    /// The regions of states, by the events that begin and end them.
    states: HashMap<(u32, u32), Vec<u32>, RandomState>,
    /// The regions of events.
    events: HashMap<u32, u32, RandomState>,
    /// How many counters a record has.
    pub counters: usize,
}

impl Meaning {
    /// Given header, footer, and the events that records have beside those that are declared.
    pub(super) fn new(head: &Head, undeclared: impl IntoIterator<Item = u32>) -> Self {
        let mut states: HashMap<(u32, u32), Vec<u32>, RandomState> = HashMap::default();
        for (region, (begin, end, _)) in head.states.iter().enumerate() {
            states.entry((*begin, *end)).or_default().push(region as u32);
        }
        let mut meaning = Meaning {
            times: Times::of(head.units.unwrap_or(1.0)),
            states,
            events: HashMap::default(),
            counters: head.counters.len(),
        };
        let mut next = head.states.len() as u32;
        let declared = head.events.iter().map(|(event, _)| *event);
        for event in declared.chain(undeclared) {
            meaning.events.entry(event).or_insert_with(|| {
                next += 1;
                next - 1
            });
        }
        meaning
    }

    fn states(&self, begin: u32, end: u32) -> &[u32] {
        self.states.get(&(begin, end)).map_or(&[], Vec::as_slice)
    }
}

/// The stream of one processor: a record waits until the next one is there, with which it may form a state.
#[derive(Debug, Default)]
pub(super) struct Lane {
    waiting: Option<Record>,
    /// The counters of that.
    counters: Vec<u64>,
    /// The event before the one that waits, if the two are adjacent.
    before: Option<u32>,
    /// Events so far.
    pub events: u64,
}

/// Receives the events of a record.
pub(super) trait Receiver {
    /// The counters of a record.
    fn metric(&mut self, line: u64, time: Ticks, counters: &[u64]);
    /// A region is entered or left.
    fn event(&mut self, line: u64, time: Ticks, event: Event<'static>);
}

impl Receiver for &mut Run {
    fn metric(&mut self, line: u64, time: Ticks, counters: &[u64]) {
        let values = counters.iter().map(|&bits| TypedValue { value_type: Type::Uint64, bits });
        self.push_metric(line, time, COUNTERS, values);
    }

    fn event(&mut self, line: u64, time: Ticks, event: Event<'static>) {
        self.push(line, time, event);
    }
}

/// Counts only.
pub(super) struct Count;

impl Receiver for Count {
    fn metric(&mut self, _: u64, _: Ticks, _: &[u64]) {}
    fn event(&mut self, _: u64, _: Ticks, _: Event<'static>) {}
}

impl Lane {
    /// Takes the next record with its counters. Hands on what the one before became.
    pub(super) fn take(
        &mut self,
        meaning: &Meaning,
        record: Record,
        counters: &[u64],
        to: impl Receiver,
    ) {
        if let Some(waiting) = self.waiting {
            self.hand_on(meaning, Some(record.event), to);
            self.before = Some(waiting.event);
        }
        self.waiting = Some(record);
        self.counters.clear();
        self.counters.extend_from_slice(counters);
    }

    /// Separates a lane: the next record is not adjacent to the one before.
    pub(super) fn separate(&mut self, meaning: &Meaning, to: impl Receiver) {
        self.hand_on(meaning, None, to);
        (self.waiting, self.before) = (None, None);
    }

    /// Hands on what the waiting record becomes, given the event of the next one.
    fn hand_on(&mut self, meaning: &Meaning, next: Option<u32>, mut to: impl Receiver) {
        let Some(record) = self.waiting else { return };
        let (line, time) = (record.line, meaning.times.ticks(record.time));
        let mut count = 0;
        if meaning.counters > 0 {
            to.metric(line, time, &self.counters);
            count += 1;
        }
        let mut pass = |event| {
            to.event(line, time, event);
            count += 1;
        };
        let enter = |region: u32| Event::Enter(Enter { region: RegionRef(region) });
        let leave = |region: u32| Event::Leave(Leave { region: RegionRef(region) });
        let ended = self.before.map_or(&[][..], |before| meaning.states(before, record.event));
        let begun = next.map_or(&[][..], |next| meaning.states(record.event, next));
        ended.iter().rev().for_each(|state| pass(leave(*state)));
        if ended.is_empty() && begun.is_empty() {
            // While events are counted, those that are not declared have no region yet.
            let region = meaning.events.get(&record.event).copied().unwrap_or(u32::MAX);
            pass(enter(region));
            pass(leave(region));
        }
        begun.iter().for_each(|state| pass(enter(*state)));
        self.events += count;
    }
}

/// The metric class of all counters.
const COUNTERS: MetricRef = MetricRef(0);

/// The text of an event, split at the first colon if what stands before that is an identifier.
fn tag(text: &BStr) -> (&BStr, &BStr) {
    let split = text.find_byte(b':').map(|at| (&text[..at], &text[at + 1..]));
    let is_identifier = |tag: &[u8]| {
        !tag.first().is_none_or(u8::is_ascii_digit)
            && tag.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    match split {
        Some((tag, rest)) if is_identifier(tag) => {
            (tag.as_bstr(), rest.trim_start_with(char::is_whitespace).as_bstr())
        }
        _ => (text, text),
    }
}

/// The definitions of a log, given the events of each processor and the span of all record times.
pub(super) fn definitions(
    head: &Head,
    meaning: &Meaning,
    counters: Counters,
    processors: &BTreeMap<u32, u64>,
    (first, last): (u64, u64),
) -> Definitions {
    let mut to = Defining::default();
    for (id, (_, _, text)) in head.states.iter().enumerate() {
        let text = text.as_bstr();
        to.region(id as u32, [text; 3], (RegionRole::Code, Paradigm::User));
    }
    let texts: HashMap<u32, &BString> =
        head.events.iter().map(|(event, text)| (*event, text)).collect();
    let mut events: Vec<(u32, u32)> =
        meaning.events.iter().map(|(event, id)| (*id, *event)).collect();
    events.sort_unstable();
    for (id, event) in events {
        let number = BString::from(format!("event {event}"));
        let text = texts.get(&event).map_or(number.as_bstr(), |text| text.as_bstr());
        let (name, description) = tag(text);
        let name = if name.is_empty() { number.as_bstr() } else { name };
        to.region(id, [name, description, name], (RegionRole::Unknown, Paradigm::User));
    }
    if !head.counters.is_empty() {
        let mode = match counters {
            Counters::Absolute => MetricMode::AbsolutePoint,
            Counters::Delta => MetricMode::RelativeLast,
        };
        for (id, name) in head.counters.iter().enumerate() {
            let member = MetricMember {
                id: MetricMemberRef(id as u32),
                name: to.text(name.as_bstr()),
                description: to.text(b"".as_bstr()),
                metric_type: MetricType::Other,
                metric_mode: mode,
                value_type: Type::Uint64,
                base: Base::Decimal,
                exponent: 0,
                unit: to.text(b"".as_bstr()),
            };
            to.definitions.insert(Definition::MetricMember(member));
        }
        to.definitions.insert(Definition::MetricClass(MetricClass {
            id: COUNTERS,
            metric_members: (0..head.counters.len() as u32).map(MetricMemberRef).collect(),
            metric_occurrence: MetricOccurrence::Synchronous,
            recorder_kind: RecorderKind::Cpu,
        }));
    }
    to.node(0, "GISTLOG", "machine", SystemTreeNodeRef::UNDEFINED);
    for (process, (&processor, &events)) in (0..).zip(processors) {
        // Readers of OTF2 expect the numbers of processes to have no gaps; those of locations may.
        to.process(process, &format!("processor {processor}"), 0);
        to.thread(processor.into(), &format!("P{processor:02}"), process, events);
    }
    let start = head.start.unwrap_or(first);
    let stop = head.stop.filter(|_| head.start.is_some()).unwrap_or(last);
    let [start, stop] = [start, stop].map(|time| meaning.times.ticks(time).0);
    to.clock(meaning.times.resolution(), (start, stop));
    to.definitions
}
