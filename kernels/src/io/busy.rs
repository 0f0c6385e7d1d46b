//! Times in which threads access files, and in which they compute: unions over threads and processes.

use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;

use crate::matching::coding::{put, put_change, take, take_change};
use crate::matching::{Item, Items, Key, Order, Source};

/// The state of a thread for some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum State {
    /// A call that accesses files is open.
    Io,
    /// Input and output of the program itself is open, and no such call in it.
    ApplicationIo,
    /// The thread communicates, or waits for others.
    Communication,
    /// Any other region is open.
    Computing,
    /// A call of the system that does not access files is open.
    OtherCalls,
    /// No region is open.
    Outside,
}

impl State {
    /// All of them.
    pub const ALL: [State; 6] = [
        State::Io,
        State::ApplicationIo,
        State::Communication,
        State::Computing,
        State::OtherCalls,
        State::Outside,
    ];

    /// The state in a region of a state inside of one in this state.
    pub fn inside(self, inner: State) -> State {
        match (self, inner) {
            (State::Io, _) => State::Io,
            // Computation inside of a library's or application's input is part of the input.
            (State::ApplicationIo | State::Communication, State::Computing) => self,
            (_, inner) => inner,
        }
    }

    /// Returns whether unions are computed of it.
    pub(super) fn is_united(self) -> bool {
        matches!(self, State::Io | State::ApplicationIo | State::Computing)
    }
}

/// Ticks in which any thread is in a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Busy {
    /// In calls that access files.
    pub io: u64,
    /// In anything else of the program.
    pub compute: u64,
    /// In both: of several threads.
    pub both: u64,
    /// In what the program calls its input and output, or in calls that access files.
    pub application_io: u64,
    /// In anything else of the program.
    pub application_compute: u64,
    /// In both.
    pub application_both: u64,
}

impl Busy {
    /// Adds what is known of other times.
    pub fn add(&mut self, other: &Busy) {
        self.io += other.io;
        self.compute += other.compute;
        self.both += other.both;
        self.application_io += other.application_io;
        self.application_compute += other.application_compute;
        self.application_both += other.application_both;
    }

    /// One thread alone is in a state for some ticks.
    pub(super) fn alone(&mut self, state: State, ticks: u64) {
        match state {
            State::Io => {
                self.io += ticks;
                self.application_io += ticks;
            }
            State::ApplicationIo => {
                self.compute += ticks;
                self.application_io += ticks;
            }
            State::Computing => {
                self.compute += ticks;
                self.application_compute += ticks;
            }
            _ => {}
        }
    }

    /// Ticks of calls that access files in which no thread computes.
    pub fn unoverlapped_io(&self) -> u64 {
        self.io - self.both
    }

    /// Ticks of computing in which no thread accesses files.
    pub fn unoverlapped_compute(&self) -> u64 {
        self.compute - self.both
    }
}

/// A thread is in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub location: LocationRef,
    pub begin: u64,
    pub end: u64,
    pub state: State,
}

impl Item for Interval {
    fn order(&self) -> Order {
        Order { time: self.begin, location: self.location, number: self.end }
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        // Those of one location do not overlap, but its clock may go back.
        let from = before.map_or(0, |before| before.begin);
        put_change(self.begin, from, bytes);
        let state = match self.state {
            State::Io => 0,
            State::ApplicationIo => 1,
            _ => 2,
        };
        put((self.end - self.begin) << 2 | state, bytes);
    }

    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let from = before.map_or(0, |before| before.begin);
        let begin = take_change(from, bytes)?;
        let length = take(bytes)?;
        let state = match length & 3 {
            0 => State::Io,
            1 => State::ApplicationIo,
            _ => State::Computing,
        };
        Some(Interval { location, begin, end: begin.checked_add(length >> 2)?, state })
    }
}

/// Adds up unions of intervals that come in the order of their begins.
#[derive(Clone, Copy, Debug, Default)]
struct Sweep {
    busy: Busy,
    /// Up to where each set is known to be covered: I/O, anything else, I/O of the application, anything else.
    covered: [u64; 4],
}

impl Sweep {
    fn take(&mut self, interval: &Interval) {
        let Busy { io, compute, both, application_io, application_compute, application_both } =
            &mut self.busy;
        let (of_calls, of_application) = self.covered.split_at_mut(2);
        let sums = [io, compute, both];
        cover(of_calls, sums, interval.state != State::Io, interval);
        let sums = [application_io, application_compute, application_both];
        cover(of_application, sums, interval.state == State::Computing, interval);
    }
}

/// Adds an interval to one of two sets: what is new in that, and what of this is in the other one. All intervals so far
/// began no later: what they cover behind the begin of this one has no gap.
fn cover(covered: &mut [u64], sums: [&mut u64; 3], is_second: bool, interval: &Interval) {
    let [first, second, both] = sums;
    let (own, other) = (usize::from(is_second), usize::from(!is_second));
    let from = interval.begin.max(covered[own]);
    if interval.end <= from {
        return;
    }
    *(if is_second { second } else { first }) += interval.end - from;
    *both += interval.end.min(covered[other]).saturating_sub(from);
    covered[own] = interval.end;
}

/// Returns the key of the intervals of a process.
pub(crate) fn key_of_process(process: u32) -> Key {
    Key([process, 0, 0, 0])
}

/// Returns the key of the intervals of a part of all time.
pub(super) fn key_of_part(part: u32) -> Key {
    Key([part, 1, 0, 0])
}

/// Unites the intervals of each process and of each part of all time. `tell` gets the process (`None`: all of them), by
/// its place in the definitions, and what was found.
///
/// # Errors
///
/// When a block cannot be read.
pub fn unite<S: Source>(
    source: S,
    mut tell: impl FnMut(Option<u32>, &Busy),
) -> Result<(), S::Error> {
    let mut items = Items::<S, Interval>::new(source)?;
    while let Some(key) = items.key() {
        let mut sweep = Sweep::default();
        while let Some(interval) = items.next(key)? {
            sweep.take(&interval);
        }
        let Key([number, kind, ..]) = key;
        tell((kind == 0).then_some(number), &sweep.busy);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// An independent slow way: each tick by itself.
        #[test]
        fn unions_are_those_of_single_ticks(
            all in proptest::collection::vec((0u64..60, 0u64..20, 0usize..3), 0..40),
        ) {
            let states = [State::Io, State::ApplicationIo, State::Computing];
            let mut intervals: Vec<Interval> = all.iter().map(|(begin, length, state)| Interval {
                location: LocationRef(0), begin: *begin, end: begin + length, state: states[*state],
            }).collect();
            intervals.sort_by_key(Item::order);
            let mut sweep = Sweep::default();
            intervals.iter().for_each(|interval| sweep.take(interval));
            let mut expected = Busy::default();
            for tick in 0..100 {
                let is_in = |state| intervals.iter().any(|interval| {
                    interval.state == state && interval.begin <= tick && tick < interval.end
                });
                let [io, application, computing] = states.map(is_in);
                expected.io += u64::from(io);
                expected.compute += u64::from(application || computing);
                expected.both += u64::from(io && (application || computing));
                expected.application_io += u64::from(io || application);
                expected.application_compute += u64::from(computing);
                expected.application_both += u64::from((io || application) && computing);
            }
            prop_assert_eq!(sweep.busy, expected);
        }

        #[test]
        fn intervals_are_read_as_they_were_written(
            all in proptest::collection::vec((any::<u64>(), any::<u64>(), 0usize..3), 1..20),
        ) {
            let states = [State::Io, State::ApplicationIo, State::Computing];
            let (mut bytes, mut before) = (Vec::new(), None);
            let intervals: Vec<Interval> = all.iter().map(|(begin, length, state)| {
                let (begin, length) = (begin >> 1, length >> 3);
                let (location, state) = (LocationRef(3), states[*state]);
                Interval { location, begin, end: begin + length, state }
            }).collect();
            for interval in &intervals {
                interval.put(before, &mut bytes);
                before = Some(interval);
            }
            let (mut rest, mut before) = (&bytes[..], None);
            for interval in &intervals {
                let read = Interval::take(before.as_ref(), LocationRef(3), &mut rest);
                prop_assert_eq!(read, Some(*interval));
                before = read;
            }
        }
    }
}
