//! What of a trace counts: some locations, a window of time.
//!
//! The order in which messages match depends on all that a process has sent and received from its
//! begin on. So all of each process is read of which a location is chosen, and whatever is not chosen is
//! matched, and then not counted.

use std::collections::HashSet;

use foldhash::fast::RandomState;
use streamfold_model::ids::LocationRef;

use super::partners::{Process, Processes};
use crate::Window;

/// What of a trace counts. By default all.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// `None`: all of them.
    locations: Option<Locations>,
    window: Option<Window>,
}

#[derive(Clone, Debug)]
struct Locations {
    chosen: HashSet<LocationRef, RandomState>,
    /// Those that have any of them.
    processes: HashSet<Process, RandomState>,
}

impl Chosen {
    /// Only what these locations recorded, and what begins in this window.
    pub fn new(
        locations: Option<impl IntoIterator<Item = LocationRef>>,
        window: Option<Window>,
        processes: &Processes,
    ) -> Self {
        let locations = locations.map(|locations| {
            let chosen: HashSet<_, _> = locations.into_iter().collect();
            let processes = chosen.iter().filter_map(|location| processes.of(*location)).collect();
            Locations { chosen, processes }
        });
        Chosen { locations, window }
    }

    /// Whether what this location recorded counts.
    pub fn has(&self, location: LocationRef) -> bool {
        self.locations.as_ref().is_none_or(|of| of.chosen.contains(&location))
    }

    /// Whether all locations of this process are read.
    pub fn reads(&self, process: Process) -> bool {
        self.locations.as_ref().is_none_or(|of| of.processes.contains(&process))
    }

    /// Whether that is not so of all processes.
    pub fn leaves_some(&self) -> bool {
        self.locations.is_some()
    }

    /// Whether what happens at this time, in ticks, counts.
    pub fn is_in_time(&self, time: u64) -> bool {
        self.window.is_none_or(|window| {
            let Window { begin, end } = window;
            begin.0 <= time && end.is_none_or(|end| time < end.0)
        })
    }

    /// What counts of a location.
    pub(super) fn of(&self, location: LocationRef) -> Counting {
        Counting { any: self.has(location), window: self.window }
    }
}

/// What counts of a location.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counting {
    any: bool,
    window: Option<Window>,
}

impl Default for Counting {
    /// All.
    fn default() -> Self {
        Counting { any: true, window: None }
    }
}

impl Counting {
    /// Whether what happens at a time, in ticks, does.
    #[inline(always)]
    pub fn counts(&self, time: u64) -> bool {
        self.any
            && self.window.is_none_or(|Window { begin, end }| {
                begin.0 <= time && end.is_none_or(|end| time < end.0)
            })
    }
}
