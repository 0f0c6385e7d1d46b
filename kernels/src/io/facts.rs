//! Counts of calls that access files.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use super::busy::{Busy, State};
use super::kind::Kind;

/// Calls, and how long they took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calls {
    /// How many.
    pub count: u64,
    /// How many of them failed.
    pub failed: u64,
    /// Ticks in all of them.
    pub ticks: u128,
}

impl Calls {
    /// Adds other calls.
    pub fn add(&mut self, other: &Calls) {
        self.count += other.count;
        self.failed += other.failed;
        self.ticks += other.ticks;
    }
}

/// Bytes that calls moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// Bytes that came from files.
    pub read: u128,
    /// Bytes that went to files.
    pub written: u128,
    /// Reads and writes that moved them: of known sizes, then of unknown ones.
    pub reads: [u64; 2],
    /// The same of writes.
    pub writes: [u64; 2],
}

impl Moved {
    /// A call of a kind moved bytes. `None`: how many is not recorded.
    pub(super) fn count(&mut self, kind: Kind, bytes: Option<u64>) {
        let (sum, transfers) = match kind {
            Kind::Write => (&mut self.written, &mut self.writes),
            _ => (&mut self.read, &mut self.reads),
        };
        *sum += u128::from(bytes.unwrap_or(0));
        transfers[usize::from(bytes.is_none())] += 1;
    }

    /// Adds those of other calls.
    pub fn add(&mut self, other: &Moved) {
        self.read += other.read;
        self.written += other.written;
        self.reads.iter_mut().zip(other.reads).for_each(|(sum, count)| *sum += count);
        self.writes.iter_mut().zip(other.writes).for_each(|(sum, count)| *sum += count);
    }

    /// Bytes of reads and of writes.
    pub fn bytes(&self) -> u128 {
        self.read + self.written
    }

    /// Returns how many transfers have known and unknown sizes.
    pub fn transfers(&self) -> [u64; 2] {
        [self.reads[0] + self.writes[0], self.reads[1] + self.writes[1]]
    }

    /// Bytes that came from files. `None`: no size of the reads is recorded.
    pub fn known_read(&self) -> Option<u128> {
        (self.reads[0] > 0 || self.reads[1] == 0).then_some(self.read)
    }

    /// Bytes that went to files. `None`: no size of the writes is recorded.
    pub fn known_written(&self) -> Option<u128> {
        (self.writes[0] > 0 || self.writes[1] == 0).then_some(self.written)
    }
}

/// Calls of all kinds, and bytes that they moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// By kind, in the order of [`Kind::ALL`].
    pub kinds: [Calls; 8],
    /// Bytes.
    pub moved: Moved,
}

impl Facts {
    /// Those of a kind.
    pub fn of(&self, kind: Kind) -> &Calls {
        &self.kinds[kind as usize]
    }

    /// All calls.
    pub fn all(&self) -> Calls {
        self.sum(|_| true)
    }

    /// Calls on metadata.
    pub fn metadata(&self) -> Calls {
        self.sum(Kind::is_metadata)
    }

    /// Calls that move data.
    pub fn moves(&self) -> Calls {
        self.sum(|kind| matches!(kind, Kind::Read | Kind::Write))
    }

    fn sum(&self, wanted: impl Fn(Kind) -> bool) -> Calls {
        let mut sum = Calls::default();
        let wanted = Kind::ALL.into_iter().filter(|kind| wanted(*kind));
        wanted.for_each(|kind| sum.add(self.of(kind)));
        sum
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all().count == 0 && self.moved.bytes() == 0
    }

    /// Adds other calls.
    pub fn add(&mut self, other: &Facts) {
        self.kinds.iter_mut().zip(&other.kinds).for_each(|(calls, other)| calls.add(other));
        self.moved.add(&other.moved);
    }

    pub(super) fn call(&mut self, kind: Kind, ticks: u64, failed: bool) {
        let calls = &mut self.kinds[kind as usize];
        calls.count += 1;
        calls.failed += u64::from(failed);
        calls.ticks += u128::from(ticks);
    }
}

/// How many transfers had which size in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes(HashMap<u64, u64, RandomState>);

impl Sizes {
    pub(super) fn count(&mut self, bytes: u64) {
        *self.0.entry(bytes).or_default() += 1;
    }

    /// Adds others.
    pub fn add(&mut self, other: &Sizes) {
        other.0.iter().for_each(|(bytes, count)| *self.0.entry(*bytes).or_default() += count);
    }

    /// Sizes and how many transfers had each, the smallest first.
    pub fn sorted(&self) -> Vec<(u64, u64)> {
        let mut sizes: Vec<(u64, u64)> =
            self.0.iter().map(|(size, count)| (*size, *count)).collect();
        sizes.sort_unstable();
        sizes
    }
}

/// The smallest size that at least `percent` of so many sorted sizes do not exceed: the nearest rank. `None`: there are
/// none.
pub fn percentile(sorted: &[(u64, u64)], percent: u64) -> Option<u64> {
    let all: u64 = sorted.iter().map(|(_, count)| count).sum();
    let rank = (u128::from(all) * u128::from(percent)).div_ceil(100).max(1);
    let mut so_far = 0;
    sorted.iter().find_map(|(size, count)| {
        so_far += u128::from(*count);
        (so_far >= rank).then_some(*size)
    })
}

/// Below which sizes, in bytes, the transfers of a bin of a histogram are; the last bin has no bound.
pub const BOUNDS: [u64; 9] =
    [512, 4 << 10, 32 << 10, 128 << 10, 1 << 20, 4 << 20, 16 << 20, 128 << 20, 1 << 30];

/// The bin of a size.
pub fn bin_of(bytes: u64) -> usize {
    BOUNDS.partition_point(|bound| *bound <= bytes)
}

/// Begins of transfers of a thread in a file, compared with the one before on the same handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    /// The end of that one.
    pub consecutive: u64,
    /// Not there, and as far from its begin as that was from the one before it.
    pub strided: u64,
    /// Farther behind.
    pub forward: u64,
    /// Before its end.
    pub backward: u64,
    /// The first ones, of each thread and opened file.
    pub first: u64,
    /// Begins that are not known.
    pub unknown: u64,
}

/// The access pattern of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Each begins where the one before ended, but for a few.
    Sequential,
    /// They are at equal distances.
    Strided,
    /// Neither of both.
    Random,
}

impl Access {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Access::Sequential => "sequential",
            Access::Strided => "strided",
            Access::Random => "random",
        }
    }
}

impl Pattern {
    /// Adds others.
    pub fn add(&mut self, other: &Pattern) {
        self.consecutive += other.consecutive;
        self.strided += other.strided;
        self.forward += other.forward;
        self.backward += other.backward;
        self.first += other.first;
        self.unknown += other.unknown;
    }

    /// Returns the pattern of nine in ten transfers. `None`: places of fewer than half of them are known, or each is a
    /// first one.
    pub fn access(&self) -> Option<Access> {
        let Pattern { consecutive, strided, forward, backward, unknown, .. } = *self;
        let known = consecutive + strided + forward + backward;
        if known == 0 || unknown > known {
            return None;
        }
        let is_most = |count: u64| u128::from(count) * 10 >= u128::from(known) * 9;
        Some(match () {
            () if is_most(consecutive) => Access::Sequential,
            () if is_most(consecutive + strided) && strided > 0 => Access::Strided,
            () => Access::Random,
        })
    }
}

/// Numbers, as runs of neighbours: first and last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbers(Vec<(u32, u32)>);

impl Numbers {
    pub(super) fn insert(&mut self, number: u32) {
        let place = self.0.partition_point(|(first, _)| *first <= number);
        if place > 0 && number <= self.0[place - 1].1 {
            return;
        }
        let touches_next =
            self.0.get(place).is_some_and(|(first, _)| Some(*first) == number.checked_add(1));
        let before =
            place.checked_sub(1).filter(|before| self.0[*before].1.checked_add(1) == Some(number));
        match (before, touches_next) {
            (Some(before), true) => {
                self.0[before].1 = self.0[place].1;
                self.0.remove(place);
            }
            (Some(before), false) => self.0[before].1 = number,
            (None, true) => self.0[place].0 = number,
            (None, false) => self.0.insert(place, (number, number)),
        }
    }

    /// Adds others.
    pub fn add(&mut self, other: &Numbers) {
        let mut all: Vec<(u32, u32)> = self.0.drain(..).chain(other.0.iter().copied()).collect();
        all.sort_unstable();
        for (first, last) in all {
            match self.0.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = (*end).max(last),
                _ => self.0.push((first, last)),
            }
        }
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|(first, last)| u64::from(last - first) + 1).sum()
    }

    /// Runs, first and last of each.
    pub fn runs(&self) -> &[(u32, u32)] {
        &self.0
    }
}

/// Facts about a file, as it is accessed by one library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFacts {
    /// Calls, those inside of others included.
    pub facts: Facts,
    /// Transfers by size: reads, then writes, by the bins of [`BOUNDS`].
    pub sizes: [[u64; 10]; 2],
    /// When the first call began, in ticks.
    pub first: u64,
    /// When the last one ended.
    pub last: u64,
    /// Processes that use it, by their places in the definitions.
    pub processes: Numbers,
    /// Begins of reads and writes.
    pub pattern: Pattern,
}

impl Default for FileFacts {
    fn default() -> Self {
        let (facts, sizes, processes, pattern) = Default::default();
        FileFacts { facts, sizes, first: u64::MAX, last: 0, processes, pattern }
    }
}

impl FileFacts {
    /// Adds what others know of the same file, or of another one in its folder.
    pub fn add(&mut self, other: &FileFacts) {
        self.facts.add(&other.facts);
        for (sizes, others) in self.sizes.iter_mut().zip(&other.sizes) {
            sizes.iter_mut().zip(others).for_each(|(count, other)| *count += other);
        }
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
        self.processes.add(&other.processes);
        self.pattern.add(&other.pattern);
    }
}

/// Calls of one region.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallFacts {
    /// All of them.
    pub calls: Calls,
    /// Those that are not inside of another call that accesses files.
    pub outer: Calls,
    /// Bytes that all of them moved.
    pub moved: Moved,
    /// Bytes of the outer ones: their own, or else those of calls inside of them.
    pub outer_moved: Moved,
    /// How many bytes each one moved.
    pub sizes: Sizes,
}

impl CallFacts {
    /// Adds others.
    pub fn add(&mut self, other: &CallFacts) {
        self.calls.add(&other.calls);
        self.outer.add(&other.outer);
        self.moved.add(&other.moved);
        self.outer_moved.add(&other.outer_moved);
        self.sizes.add(&other.sizes);
    }
}

/// Facts about a process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessFacts {
    /// Calls that are not inside of others.
    pub facts: Facts,
    /// Ticks of its threads, by the order of [`State::ALL`].
    pub states: [u128; 6],
    /// Unions over its threads.
    pub busy: Busy,
    /// Its first and its last event. `None`: it has none.
    pub span: Option<(u64, u64)>,
    /// Threads with events.
    pub threads: u64,
}

impl ProcessFacts {
    /// Adds what other threads did.
    pub fn add(&mut self, other: &ProcessFacts) {
        self.facts.add(&other.facts);
        self.states.iter_mut().zip(other.states).for_each(|(sum, ticks)| *sum += ticks);
        self.busy.add(&other.busy);
        self.span = wider(self.span, other.span);
        self.threads += other.threads;
    }

    /// Ticks of its threads in a state.
    pub fn in_state(&self, state: State) -> u128 {
        self.states[state as usize]
    }
}

/// A span of time that holds both.
pub fn wider(one: Option<(u64, u64)>, other: Option<(u64, u64)>) -> Option<(u64, u64)> {
    match (one, other) {
        (Some((first, last)), Some((begin, end))) => Some((first.min(begin), last.max(end))),
        (one, other) => one.or(other),
    }
}

/// Transfers in a part of the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bin {
    /// Bytes of reads that end in it.
    pub read: u64,
    /// Bytes of writes that end in it.
    pub written: u64,
    /// Reads and writes that end in it.
    pub moves: u64,
    /// Calls on metadata that end in it.
    pub metadata: u64,
    /// Ticks of threads in calls that access files.
    pub ticks: u64,
}

impl Bin {
    /// Calls that end in it moved bytes.
    pub(super) fn moved(&mut self, moved: &Moved) {
        let bytes = |sum: u128| u64::try_from(sum).unwrap_or(u64::MAX);
        self.read = self.read.saturating_add(bytes(moved.read));
        self.written = self.written.saturating_add(bytes(moved.written));
    }

    /// Adds another one.
    pub fn add(&mut self, other: &Bin) {
        self.read += other.read;
        self.written += other.written;
        self.moves += other.moves;
        self.metadata += other.metadata;
        self.ticks += other.ticks;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_those_of_a_set(
            one in proptest::collection::vec(0u32..40, 0..40),
            other in proptest::collection::vec(0u32..40, 0..40),
        ) {
            let of = |all: &[u32]| {
                let mut numbers = Numbers::default();
                all.iter().for_each(|number| numbers.insert(*number));
                numbers
            };
            let (mut numbers, others) = (of(&one), of(&other));
            let set: BTreeSet<u32> = one.iter().copied().collect();
            let all = |numbers: &Numbers| -> Vec<u32> {
                numbers.runs().iter().flat_map(|(first, last)| *first..=*last).collect()
            };
            prop_assert_eq!(all(&numbers), set.iter().copied().collect::<Vec<_>>());
            prop_assert!(numbers.runs().windows(2).all(|two| two[0].1 + 1 < two[1].0));
            numbers.add(&others);
            let set: BTreeSet<u32> = one.iter().chain(&other).copied().collect();
            prop_assert_eq!(all(&numbers), set.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(numbers.count(), set.len() as u64);
        }

        #[test]
        fn percentiles_are_those_of_a_sorted_list(
            mut all in proptest::collection::vec(0u64..20, 1..60), percent in 1u64..=100,
        ) {
            let mut sizes = Sizes::default();
            all.iter().for_each(|size| sizes.count(*size));
            all.sort_unstable();
            let rank = (all.len() as u64 * percent).div_ceil(100).max(1) as usize;
            prop_assert_eq!(percentile(&sizes.sorted(), percent), Some(all[rank - 1]));
        }
    }

    #[test]
    fn patterns() {
        let of = |consecutive, strided, forward, unknown| {
            let none = Pattern::default();
            Pattern { consecutive, strided, forward, unknown, first: 1, ..none }.access()
        };
        assert_eq!(of(9, 0, 1, 0), Some(Access::Sequential));
        assert_eq!(of(1, 8, 1, 0), Some(Access::Strided));
        assert_eq!(of(5, 0, 5, 0), Some(Access::Random));
        assert_eq!(of(0, 0, 0, 0), None);
        assert_eq!(of(9, 0, 0, 10), None);
    }
}
