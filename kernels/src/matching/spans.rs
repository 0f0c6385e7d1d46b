//! Spans: from a start to an end at one location.

use std::collections::HashMap;
use std::hash::Hash;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

/// Numbers and times of spans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spans {
    /// Those that began.
    pub begun: u64,
    /// Those that also ended.
    pub complete: u64,
    /// The time that these took, in ticks.
    pub ticks: u128,
    /// Those without a recorded end.
    pub open: u64,
    /// Ends without a recorded start.
    pub unbegun: u64,
}

impl Spans {
    /// One ends.
    pub(super) fn end(&mut self, begin: u64, now: u64) {
        self.complete += 1;
        self.ticks += u128::from(now.saturating_sub(begin));
    }

    /// Adds those of others.
    pub fn add(&mut self, other: &Spans) {
        self.begun += other.begun;
        self.complete += other.complete;
        self.ticks += other.ticks;
        self.open += other.open;
        self.unbegun += other.unbegun;
    }
}

/// Open spans of a location, with their start times: as many as are tracked.
#[derive(Debug)]
pub(super) struct Open<K> {
    of: HashMap<K, u64, RandomState>,
}

impl<K> Default for Open<K> {
    fn default() -> Self {
        Open { of: HashMap::default() }
    }
}

impl<K: Eq + Hash> Open<K> {
    /// No program has so many; whoever writes a trace may.
    const MOST: usize = 1 << 20;

    /// Returns when something began that is lost: this where there is no room, which is counted as not tracked, or
    /// what had the same key.
    pub(super) fn begin(&mut self, key: K, now: u64, untracked: &mut u64) -> Option<u64> {
        match self.of.len() >= Self::MOST && !self.of.contains_key(&key) {
            true => {
                *untracked += 1;
                Some(now)
            }
            false => self.of.insert(key, now),
        }
    }

    /// Tells whether it is open.
    pub(super) fn has(&self, key: &K) -> bool {
        self.of.contains_key(key)
    }

    /// Returns when it began.
    pub(super) fn end(&mut self, key: K) -> Option<u64> {
        self.of.remove(&key)
    }

    /// Nothing stays open.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = (K, u64)> + '_ {
        self.of.drain()
    }
}
