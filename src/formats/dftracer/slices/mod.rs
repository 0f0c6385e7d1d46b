//! The calls of a file, by thread and begin, in bounded memory.
//!
//! Calls come in any order. They are sorted in runs; large runs go to a temporary file. The calls of each thread are
//! merged into one sequence, which readers go through. Runs and threads are worked on side by side.

mod call;
mod nesting;
mod numbers;
mod sort;
mod store;
mod whole;

use std::io;
use std::sync::Arc;

pub(super) use call::{Op, Outer, Peer, Slice, Way};
use nesting::Nested;
pub(super) use nesting::{Cuts, Lane, Overlaps, Wanted, LANES};
pub(super) use sort::Sorter;
pub(super) use store::Decoder;
use store::{Stored, Writer};
pub(super) use whole::Whole;

/// The calls of a file, in order.
#[derive(Debug, Default)]
pub(super) struct Slices {
    store: Arc<Stored>,
    /// How many lanes there are. Lanes of one thread follow each other.
    pub lanes: u32,
    /// Threads, the number of the first lane of each, and where its calls begin.
    parts: Vec<(u32, u64)>,
    /// The time from which those of the store count, in nanoseconds.
    pub base: u64,
}

/// The lanes of all threads of a file, without their calls.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    pub all: Vec<Lane>,
    /// Calls that ended a little behind the call around them, and were cut.
    pub cut: Cuts,
    /// Calls beyond those for which a thread has lanes, which were cut.
    pub crowded: Cuts,
    /// Threads whose calls overlap.
    pub overlaps: Vec<Overlaps>,
    /// Set if streams copy, and say how much.
    pub has_copies: bool,
    /// Receives from any source.
    pub wanted: Vec<Wanted>,
}

impl Slices {
    /// The calls of some lanes' threads, which have all their lanes between each other.
    pub(super) fn of_thread_with(&self, lane: u32) -> (u32, Decoder) {
        let place = self.parts.partition_point(|(first, _)| *first <= lane).saturating_sub(1);
        let (first, begin) = self.parts.get(place).copied().unwrap_or((0, 0));
        let end = self.parts.get(place + 1).map_or(self.store.0.len(), |(_, begin)| *begin);
        let mut calls = Decoder::new(self.store.clone(), begin, end);
        (calls.first, calls.base) = (first, self.base);
        (first, calls)
    }

    /// Takes the calls of the next thread over.
    fn take(&mut self, thread: Nested, lanes: &mut Lanes, to: &mut Writer) -> io::Result<()> {
        let first = self.lanes;
        self.parts.push((first, to.len()));
        self.lanes += thread.lanes.len() as u32;
        lanes.all.extend(thread.lanes);
        lanes.cut.fold(thread.cut);
        lanes.crowded.fold(thread.crowded);
        lanes.overlaps.extend(thread.overlaps);
        lanes.has_copies |= thread.has_copies;
        let wanted = thread.wanted.into_iter();
        lanes.wanted.extend(wanted.map(|of| Wanted { lane: first + of.lane, ..of }));
        to.append(thread.store)
    }

    /// All calls, thread by thread.
    pub(super) fn each(&self, mut of: impl FnMut(&Slice)) -> io::Result<()> {
        for (first, _) in &self.parts {
            let (_, mut calls) = self.of_thread_with(*first);
            while let Some(slice) = calls.next()? {
                of(&slice);
            }
        }
        Ok(())
    }

    /// The lanes of the thread whose first lane this is.
    pub(super) fn lanes_from(&self, first: u32) -> u32 {
        let place = self.parts.partition_point(|(lane, _)| *lane <= first);
        self.parts.get(place).map_or(self.lanes, |(lane, _)| *lane) - first
    }
}

#[cfg(test)]
mod tests {
    use super::sort::RUN;
    use super::*;

    fn slice(lane: u32, start: u64, end: u64, line: u64) -> Slice {
        Slice {
            lane,
            start,
            end,
            line,
            number: line,
            region: 3,
            file: Slice::NONE,
            op: Op::Read(line),
            offset: None,
        }
    }

    fn sorted(slices: Vec<Slice>, tolerance: u64) -> (Vec<(u32, u64, u64)>, Slices, Lanes) {
        let mut sorter = Sorter::new(true);
        let outer = Outer::Last;
        slices.into_iter().for_each(|slice| sorter.push(slice, outer).expect("room"));
        let (slices, lanes) = sorter.end(outer, tolerance, &Whole::default()).expect("room");
        let mut found = Vec::new();
        for &(first, _) in &slices.parts {
            let (_, mut calls) = slices.of_thread_with(first);
            while let Some(slice) = calls.next().expect("a call") {
                found.push((slice.lane, slice.start, slice.end));
            }
        }
        (found, slices, lanes)
    }

    /// Children come before parents, threads between each other; what overlaps has a lane of its own.
    #[test]
    fn lanes() {
        let calls = vec![
            slice(1, 5, 6, 1),
            slice(0, 2, 4, 2),
            slice(0, 0, 10, 3),
            slice(0, 8, 11, 4),
            slice(0, 20, 30, 5),
            slice(0, 25, 40, 6),
        ];
        let (found, slices, lanes) = sorted(calls.clone(), 1);
        let expected = [(0, 0, 10), (0, 2, 4), (0, 8, 10), (0, 20, 30), (1, 25, 40), (2, 5, 6)];
        assert_eq!(found, expected);
        assert_eq!(lanes.cut, Cuts { count: 1, lost: 1, line: 4 });
        assert_eq!((slices.lanes, slices.lanes_from(0), lanes.all.len()), (3, 2, 3));
        assert_eq!(sorted(calls, 0).1.lanes, 3);
    }

    /// Many runs on disk give what one in memory gives.
    #[test]
    fn runs_are_merged() {
        let call = |number: u64| {
            let start = number.wrapping_mul(2_654_435_761) % 1_000_003;
            slice((number % 3) as u32, start, start, number)
        };
        let count = 2 * RUN as u64 + 17;
        let (found, _, lanes) = sorted((0..count).map(call).collect(), 0);
        let mut expected: Vec<Slice> = (0..count).map(call).collect();
        expected.sort_by_key(|slice| slice.key(Outer::Last));
        assert_eq!(found.len(), expected.len());
        let same = found.iter().zip(&expected);
        assert!(same.clone().all(|(found, expected)| found.1 == expected.start));
        assert_eq!(lanes.all.iter().map(|lane| lane.calls).sum::<u64>(), count);
    }
}
