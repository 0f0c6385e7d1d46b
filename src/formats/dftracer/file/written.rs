//! The order in which calls of a file are written: when they begin, or when they end.

use std::cmp::Ordering;

use crate::dftracer::slices::{Outer, Slice};

/// How the times of calls follow each other in the file, thread by thread.
#[derive(Default)]
pub(super) struct Written {
    /// The begin and the end of the last call of each thread.
    last: Vec<(u64, u64)>,
    /// How many calls begin before the one that is written before them, and how many end before it.
    begins_back: u64,
    ends_back: u64,
    /// Set if DFTracer is the writer.
    pub is_own: bool,
}

impl Written {
    pub(super) fn new(is_own: bool) -> Self {
        Written { is_own, ..Written::default() }
    }

    pub(super) fn take(&mut self, slice: &Slice) {
        let thread = slice.lane as usize;
        if self.last.len() <= thread {
            self.last.resize(thread + 1, (0, 0));
        }
        let (start, end) = self.last[thread];
        self.begins_back += u64::from(slice.start < start);
        self.ends_back += u64::from(slice.end < end);
        self.last[thread] = (slice.start, slice.end);
    }

    /// The call that is around others with the same times. Begins do not go back where calls are written when they
    /// begin, ends do not where they are written when they end. DFTracer does the latter.
    pub(super) fn outer(&self) -> Outer {
        match self.begins_back.cmp(&self.ends_back) {
            Ordering::Greater => Outer::Last,
            Ordering::Equal if self.is_own => Outer::Last,
            _ => Outer::First,
        }
    }
}
