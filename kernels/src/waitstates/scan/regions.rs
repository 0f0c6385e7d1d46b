//! Time of a location in parallel regions, by the clock, also of those that it never left.

use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;

/// A location that never left a parallel region: its visit has no time, but that time was not idle for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenRegions {
    /// The location.
    pub location: LocationRef,
    /// How long it was in parallel regions that ended before its events did, in ticks.
    pub ticks: u64,
    /// From when on it was in one that was open to the end, or forked its team, in ticks; `None`: there was none.
    pub since: Option<u64>,
}

/// The parallel regions of a location as they go by; those inside of others are of these.
#[derive(Debug, Default)]
pub(super) struct InRegions {
    open: usize,
    since: u64,
    ticks: u64,
    /// Set if any was never left.
    never_left: bool,
}

impl InRegions {
    /// One is entered at a time, in ticks.
    pub(super) fn enter(&mut self, now: u64) {
        if self.open == 0 {
            self.since = now;
        }
        self.open += 1;
    }

    /// One is over.
    pub(super) fn end(&mut self, is_left: bool, now: u64) {
        self.never_left |= !is_left;
        self.open = self.open.saturating_sub(1);
        if self.open == 0 {
            self.ticks = self.ticks.saturating_add(now.saturating_sub(self.since));
        }
    }

    /// All events of the location went by: what is known where one was never left, or was not entered when the events
    /// end; `forked`: when the team of such a one was forked, in ticks.
    pub(super) fn open(&self, location: LocationRef, forked: Option<u64>) -> Option<OpenRegions> {
        let open = (self.open > 0).then_some(self.since);
        let (ticks, since) = (self.ticks, open.or(forked.filter(|time| *time >= self.since)));
        (self.never_left || since.is_some()).then_some(OpenRegions { location, ticks, since })
    }
}
