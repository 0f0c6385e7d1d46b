//! Events of several locations, some thousand at a time, as readers of text formats bring them.

use std::ops::Range;

use streamfold_model::events::{Event, EventVisitor, Metric};
use streamfold_model::ids::{LocationRef, MetricRef};
use streamfold_model::stream::EventHead;
use streamfold_model::values::{AttributeEntry, Ticks, TypedValue};

use super::Loss;

/// A reader of a file that holds the events of several locations. It is compiled once, for all visitors.
pub trait Batches: Send {
    /// Fills a batch, which is empty, with what comes next: the events of each location in their order.
    /// `false`: there is no more.
    ///
    /// # Errors
    ///
    /// When the file cannot be read on. The batch holds the events that were read before.
    fn next(&mut self, batch: &mut Batch) -> Result<bool, Loss>;

    /// Bytes of the file so far.
    fn bytes(&self) -> u64;

    /// Holds no file open until the next call.
    fn rest(&mut self);

    /// Losses so far, by location. For the end of reading; losses that were returned are forgotten.
    fn losses(&mut self) -> Vec<(LocationRef, Loss)> {
        Vec::new()
    }
}

/// Events by location. Room is used again from one batch to the next.
#[derive(Debug, Default)]
pub struct Batch {
    runs: Vec<Run>,
    used: usize,
}

/// Events of one location that follow each other.
#[derive(Debug)]
pub struct Run {
    location: LocationRef,
    /// The number of the first event in its location, from 1.
    first: u64,
    events: Vec<(Ticks, Held)>,
    /// Values of metric events, those of one event after those of another.
    values: Vec<TypedValue>,
    /// The lines of the file that events come from.
    lines: Vec<u64>,
    /// The attributes of events, and behind which of them those of an event end, by its place. Most events have none.
    attributes: Vec<AttributeEntry>,
    ends: Vec<(usize, usize)>,
}

/// The run of a location in a batch: its events go to one run of each batch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OwnRun {
    /// The batch, by its number, and the place of the run in it.
    at: (u64, usize),
}

impl OwnRun {
    /// Tells whether there is a run in this batch.
    pub(crate) fn is_of(&self, turn: u64) -> bool {
        self.at.0 == turn
    }

    /// The run in this batch, given the location and how many events it had before.
    #[inline]
    pub(crate) fn of<'b>(
        &mut self,
        turn: u64,
        (location, events): (LocationRef, u64),
        batch: &'b mut Batch,
    ) -> &'b mut Run {
        if self.at.0 != turn {
            self.at = (turn, batch.begin(location, events + 1));
        }
        batch.run(self.at.1)
    }
}

/// An event whose values lie beside it.
#[derive(Clone, Debug)]
enum Held {
    Event(Event<'static>),
    Metric(MetricRef, Range<usize>),
    /// It is taken out before the batch goes out, see [`Run::remove_replaced`].
    Nothing,
}

impl Batch {
    /// Forgets all events.
    pub fn clear(&mut self) {
        self.used = 0;
    }

    /// Tells whether it holds no event.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// The events of each location; a location may have several runs, in the order of its events.
    pub fn runs(&self) -> &[Run] {
        &self.runs[..self.used]
    }

    /// A new run, which is empty, of the location whose next event has this number. Returns its place, for
    /// [`Batch::run`].
    pub fn begin(&mut self, location: LocationRef, first: u64) -> usize {
        match self.runs.get_mut(self.used) {
            Some(run) => {
                (run.location, run.first) = (location, first);
                run.events.clear();
                run.values.clear();
                run.lines.clear();
                run.attributes.clear();
                run.ends.clear();
            }
            None => {
                let (events, values, lines, attributes, ends) = Default::default();
                self.runs.push(Run { location, first, events, values, lines, attributes, ends });
            }
        }
        self.used += 1;
        self.used - 1
    }

    /// Adds the events of another batch, whose room is used again, behind these.
    pub(super) fn append(&mut self, other: &mut Batch) {
        for run in &mut other.runs[..other.used] {
            let place = self.begin(run.location, run.first);
            std::mem::swap(&mut self.runs[place], run);
        }
        other.clear();
    }

    /// All runs, as [`Batch::runs`] has them.
    pub(super) fn runs_mut(&mut self) -> &mut [Run] {
        &mut self.runs[..self.used]
    }

    /// The run at a place.
    #[inline]
    pub fn run(&mut self, place: usize) -> &mut Run {
        &mut self.runs[place]
    }
}

impl Run {
    /// The location.
    pub fn location(&self) -> LocationRef {
        self.location
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The time of an event of this run, from 0.
    pub fn time(&self, event: usize) -> Ticks {
        self.events[event].0
    }

    /// The line that an event of this run comes from.
    pub fn line(&self, event: usize) -> u64 {
        self.lines[event]
    }

    /// Adds an event.
    #[inline]
    pub fn push(&mut self, line: u64, time: Ticks, event: Event<'static>) {
        self.events.push((time, Held::Event(event)));
        self.lines.push(line);
    }

    /// Sets the number of the first event in its location, and how many lines are before those that were counted.
    pub(super) fn begin_behind(&mut self, first: u64, lines: u64) {
        self.first = first;
        self.lines.iter_mut().for_each(|line| *line += lines);
    }

    /// Puts another event in the place of one, or nothing: then [`Run::remove_replaced`] has to follow.
    pub(super) fn replace(&mut self, at: usize, event: Option<Event<'static>>) {
        self.events[at].1 = event.map_or(Held::Nothing, Held::Event);
    }

    /// Takes out what was replaced by nothing. Returns how many events that were.
    pub(super) fn remove_replaced(&mut self) -> usize {
        let is_nothing = |held: &Held| matches!(held, Held::Nothing);
        let all = self.events.len();
        let Some(first) = self.events.iter().position(|(_, held)| is_nothing(held)) else {
            return 0;
        };
        let ends = std::mem::take(&mut self.ends);
        let attributes = std::mem::take(&mut self.attributes);
        let mut of = ends.into_iter().peekable();
        let (mut begin, mut to) = (0, 0);
        for at in 0..all {
            let end = of.next_if(|(event, _)| *event == at).map_or(begin, |(_, end)| end);
            let own = &attributes[begin..end];
            begin = end;
            if at >= first && is_nothing(&self.events[at].1) {
                continue;
            }
            self.events.swap(to, at);
            self.lines.swap(to, at);
            if !own.is_empty() {
                self.attributes.extend_from_slice(own);
                self.ends.push((to, self.attributes.len()));
            }
            to += 1;
        }
        self.events.truncate(to);
        self.lines.truncate(to);
        all - to
    }

    /// Gives the event that was added last an attribute.
    pub fn note(&mut self, attribute: AttributeEntry) {
        let Some(event) = self.events.len().checked_sub(1) else { return };
        self.attributes.push(attribute);
        let end = self.attributes.len();
        match self.ends.last_mut() {
            Some((last, of_last)) if *last == event => *of_last = end,
            _ => self.ends.push((event, end)),
        }
    }

    /// The attributes of the event at a place, given how many events before it have any.
    #[inline]
    fn attributes(&self, event: usize, before: usize) -> Option<&[AttributeEntry]> {
        let &(_, end) = self.ends.get(before).filter(|(of, _)| *of == event)?;
        let begin = before.checked_sub(1).map_or(0, |before| self.ends[before].1);
        Some(&self.attributes[begin..end])
    }

    /// Adds what was measured.
    pub fn push_metric(
        &mut self,
        line: u64,
        time: Ticks,
        metric: MetricRef,
        values: impl IntoIterator<Item = TypedValue>,
    ) {
        let begin = self.values.len();
        self.values.extend(values);
        self.events.push((time, Held::Metric(metric, begin..self.values.len())));
        self.lines.push(line);
    }

    /// The events, each with its number, its line and its attributes.
    #[cfg(test)]
    pub(crate) fn shown(&self) -> Vec<String> {
        let mut before = 0;
        let events = self.events.iter().enumerate().map(|(at, (time, held))| {
            let attributes = self.attributes(at, before);
            before += usize::from(attributes.is_some());
            let held = match held {
                Held::Metric(metric, values) => {
                    format!("{metric:?} {:?}", &self.values[values.clone()])
                }
                held => format!("{held:?}"),
            };
            let (number, line) = (self.first + at as u64, self.lines[at]);
            format!("{number} in {line} at {time:?}: {held} {attributes:?}")
        });
        events.collect()
    }

    /// Hands some of the events to a visitor, those of the kinds that it wants.
    pub fn deliver<V: EventVisitor>(&self, which: Range<usize>, visitor: &mut V) {
        let mut before = self.ends.partition_point(|(event, _)| *event < which.start);
        for at in which {
            let attributes = self.attributes(at, before).unwrap_or(&[]);
            before += usize::from(!attributes.is_empty());
            let (time, held) = &self.events[at];
            let event = match held {
                Held::Event(event) => *event,
                Held::Nothing => continue,
                Held::Metric(metric, values) => {
                    Event::Metric(Metric { metric: *metric, values: &self.values[values.clone()] })
                }
            };
            if V::WANTS.contains(event.kind()) {
                let number = self.first + at as u64;
                let attributes = if V::ATTRIBUTES { attributes } else { &[] };
                let head = EventHead { location: self.location, number, time: *time, attributes };
                event.hand_to(&head, visitor);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use streamfold_model::enums::Type;
    use streamfold_model::events::{Enter, EventKind};
    use streamfold_model::ids::{AttributeRef, RegionRef};
    use streamfold_model::stream::EventSet;

    use super::*;

    struct Seen(Vec<(u64, Vec<u64>)>);

    impl EventVisitor for Seen {
        const WANTS: EventSet = EventSet::of(&[EventKind::Enter]);
        const ATTRIBUTES: bool = true;

        fn enter(&mut self, head: &EventHead<'_>, _: Enter) {
            let values = head.attributes.iter().map(|entry| entry.value.bits);
            self.0.push((head.number, values.collect()));
        }
    }

    /// Events have their own attributes, wherever delivery begins.
    #[test]
    fn attributes_stay_with_their_events() {
        let mut batch = Batch::default();
        let place = batch.begin(LocationRef(0), 1);
        let run = batch.run(place);
        let expected: [&[u64]; 5] = [&[], &[7], &[], &[8, 9], &[10]];
        for values in expected {
            run.push(1, Ticks(0), Event::Enter(Enter { region: RegionRef(0) }));
            for value in values {
                let value = TypedValue { value_type: Type::Uint64, bits: *value };
                run.note(AttributeEntry { attribute: AttributeRef(0), value });
            }
        }
        for begin in 0..5 {
            let mut seen = Seen(Vec::new());
            batch.run(place).deliver(begin..5, &mut seen);
            let all = (1..).zip(expected.map(<[u64]>::to_vec)).skip(begin);
            assert_eq!(seen.0, all.collect::<Vec<_>>());
        }
    }
}
