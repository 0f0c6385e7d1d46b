//! Sorting, in runs that are merged thread by thread.

use std::cmp::Reverse;
use std::collections::binary_heap::{BinaryHeap, PeekMut};
use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use rayon::prelude::*;

use super::call::{Outer, Slice};
use super::nesting::{Nested, Nesting};
use super::store::{Decoder, Encoder, Stored, Writer};
use super::whole::Whole;
use super::{Lanes, Slices};
use crate::text::Ahead;

/// Calls of a run: 13 MiB.
pub(super) const RUN: usize = 1 << 17;
/// Runs that are sorted at once: each takes memory.
const AT_ONCE: usize = 2;

/// Takes calls in any order.
pub(in crate::dftracer) struct Sorter {
    current: Vec<Slice>,
    sorting: Ahead<Run, Sorted>,
    runs: Writer,
    /// The threads of each run, with the begin and the end of their calls.
    threads: Vec<Vec<(u32, u64, u64)>>,
    /// The order of the runs.
    outer: Option<Outer>,
    is_alone: bool,
}

/// Calls that are to be sorted.
struct Run {
    slices: Vec<Slice>,
    outer: Outer,
}

/// Calls that were sorted and encoded, with the end of those of each thread.
struct Sorted {
    bytes: Vec<u8>,
    threads: Vec<(u32, u64)>,
}

fn sorted(Run { slices, outer }: Run) -> Sorted {
    // Calls of one thread are nearly in order: each thread by itself takes little time.
    let most = slices.iter().map(|slice| slice.lane as usize + 1).max().unwrap_or(0);
    let mut ends = vec![0; most];
    slices.iter().for_each(|slice| ends[slice.lane as usize] += 1);
    let mut begin = 0;
    for end in &mut ends {
        (*end, begin) = (begin, begin + *end);
    }
    let mut places = vec![0; slices.len()];
    for (slice, place) in slices.iter().zip(0u32..) {
        let end = &mut ends[slice.lane as usize];
        places[*end] = place;
        *end += 1;
    }
    let mut encoder = Encoder::default();
    let (mut threads, mut begin) = (Vec::new(), 0);
    for (thread, end) in (0..).zip(ends) {
        if begin == end {
            continue;
        }
        let of_thread = &mut places[begin..end];
        of_thread.sort_by_key(|place| slices[*place as usize].key(outer));
        encoder.part();
        of_thread.iter().for_each(|place| encoder.push(&slices[*place as usize]));
        threads.push((thread, encoder.len() as u64));
        begin = end;
    }
    Sorted { bytes: encoder.take(), threads }
}

impl Sorter {
    /// `is_alone`: no other file is read at the same time, so that all threads are free.
    pub(in crate::dftracer) fn new(is_alone: bool) -> Self {
        Sorter {
            current: Vec::new(),
            sorting: Ahead::new(sorted, if is_alone { AT_ONCE } else { 1 }),
            runs: Writer::default(),
            threads: Vec::new(),
            outer: None,
            is_alone,
        }
    }

    /// Takes a call, and how calls with the same times are sorted as far as that is known: the first run decides.
    pub(in crate::dftracer) fn push(&mut self, slice: Slice, outer: Outer) -> io::Result<()> {
        if self.current.len() >= RUN {
            self.spill(outer)?;
        }
        self.current.push(slice);
        Ok(())
    }

    fn spill(&mut self, outer: Outer) -> io::Result<()> {
        let outer = *self.outer.get_or_insert(outer);
        while self.sorting.is_full() {
            self.take_run()?;
        }
        let next = Vec::with_capacity(RUN);
        self.sorting.push(Run { slices: std::mem::replace(&mut self.current, next), outer });
        Ok(())
    }

    /// Keeps the oldest run that is sorted. `false`: there is none.
    fn take_run(&mut self) -> io::Result<bool> {
        let Some(Sorted { bytes, threads }) = self.sorting.next() else { return Ok(false) };
        let offset = self.runs.len();
        let mut begin = offset;
        let place = |(thread, end): (u32, u64)| {
            let end = offset + end;
            (thread, std::mem::replace(&mut begin, end), end)
        };
        self.threads.push(threads.into_iter().map(place).collect());
        self.runs.take(&bytes)?;
        Ok(true)
    }

    /// Ends the last run.
    fn merging(mut self, outer: Outer) -> io::Result<Merging> {
        self.spill(outer)?;
        self.current = Vec::new();
        while self.take_run()? {}
        let outer = self.outer.unwrap_or(outer);
        let store = Arc::new(Stored(self.runs.end()?));
        Ok(Merging { store, runs: self.threads, outer })
    }

    /// Hands out all of them, in order.
    pub(in crate::dftracer) fn each(
        self,
        outer: Outer,
        mut of: impl FnMut(Slice) -> io::Result<()>,
    ) -> io::Result<()> {
        let merging = self.merging(outer)?;
        merging.threads().into_iter().try_for_each(|thread| merging.each(thread, &mut of))
    }

    /// All of them, in order, with the lanes of each thread. A call that ends at most so much behind the call around
    /// it ends with that one.
    pub(in crate::dftracer) fn end(
        self,
        outer: Outer,
        tolerance: u64,
        whole: &Whole,
    ) -> io::Result<(Slices, Lanes)> {
        let is_alone = self.is_alone;
        let merging = self.merging(outer)?;
        let nested = |thread: &u32| -> io::Result<Nested> {
            let mut nesting = Nesting::new(*thread, tolerance, whole);
            merging.each(*thread, &mut |slice| nesting.take(slice))?;
            nesting.end()
        };
        let (mut to, mut slices, mut lanes) =
            (Writer::default(), Slices::default(), Lanes::default());
        let at_once = if is_alone { rayon::current_num_threads() } else { 1 };
        for threads in merging.threads().chunks(at_once) {
            let all: Vec<io::Result<Nested>> = match threads {
                [thread] => vec![nested(thread)],
                threads => threads.par_iter().map(nested).collect(),
            };
            for nested in all {
                slices.take(nested?, &mut lanes, &mut to)?;
            }
        }
        slices.store = Arc::new(Stored(to.end()?));
        Ok((slices, lanes))
    }
}

/// Runs that are sorted.
struct Merging {
    store: Arc<Stored>,
    runs: Vec<Vec<(u32, u64, u64)>>,
    outer: Outer,
}

impl Merging {
    /// All threads of the runs.
    fn threads(&self) -> Vec<u32> {
        let all: BTreeSet<u32> = self.runs.iter().flatten().map(|(thread, ..)| *thread).collect();
        all.into_iter().collect()
    }

    /// The calls of a thread, in order: a k-way merge.
    fn each(&self, thread: u32, of: &mut dyn FnMut(Slice) -> io::Result<()>) -> io::Result<()> {
        let part = |run: &Vec<(u32, u64, u64)>| {
            let place = run.binary_search_by_key(&thread, |(thread, ..)| *thread).ok()?;
            let (_, begin, end) = run[place];
            Some(Decoder::new(self.store.clone(), begin, end))
        };
        let mut runs: Vec<Decoder> = self.runs.iter().filter_map(part).collect();
        if let [run] = runs.as_mut_slice() {
            while let Some(slice) = run.next()? {
                of(slice)?;
            }
            return Ok(());
        }
        let mut heap = BinaryHeap::new();
        let mut heads = Vec::new();
        for (number, run) in runs.iter_mut().enumerate() {
            let head = run.next()?;
            heap.extend(head.map(|slice| Reverse((slice.key(self.outer), number))));
            heads.push(head);
        }
        // The next call is, as a rule, of the same run.
        while let Some(mut top) = heap.peek_mut() {
            let number = top.0 .1;
            if let Some(slice) = heads[number] {
                of(slice)?;
            }
            heads[number] = runs[number].next()?;
            match heads[number] {
                Some(slice) => top.0 .0 = slice.key(self.outer),
                None => drop(PeekMut::pop(top)),
            }
        }
        Ok(())
    }
}
