//! Selection of a part of a trace: some locations, a window of time.
//!
//! The order in which messages match depends on all messages of a process from its start on. So all locations of a
//! process are read if one of them is chosen. Events that are not chosen are matched, and then not counted.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use streamfold_model::ids::LocationRef;
use streamfold_model::values::Ticks;

use super::partners::{Process, Processes};
use crate::Window;

/// Selection of a part of a trace. By default all.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// `None`: all of them.
    locations: Option<Locations>,
    /// With windows of locations: the time from the first begin up to the last end of any.
    window: Option<Window>,
    /// `None`: all locations have the same.
    windows: Option<HashMap<LocationRef, Window, RandomState>>,
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
        Chosen { locations, window, windows: None }
    }

    /// Each location has a window of its own; of others nothing counts.
    pub fn with_windows(self, windows: impl IntoIterator<Item = (LocationRef, Window)>) -> Self {
        let windows: HashMap<_, _, RandomState> = windows.into_iter().collect();
        let window = Window::around(windows.values()).unwrap_or(Window::NONE);
        Chosen { window: Some(window), windows: Some(windows), ..self }
    }

    /// The window of a location; `None`: all of the time.
    fn window_of(&self, location: LocationRef) -> Option<Window> {
        let Some(windows) = &self.windows else { return self.window };
        Some(windows.get(&location).copied().unwrap_or(Window::NONE))
    }

    /// Tells whether events of this location count.
    pub fn has(&self, location: LocationRef) -> bool {
        self.locations.as_ref().is_none_or(|of| of.chosen.contains(&location))
    }

    /// Tells whether all locations of this process are read.
    pub fn reads(&self, process: Process) -> bool {
        self.locations.as_ref().is_none_or(|of| of.processes.contains(&process))
    }

    /// Tells whether some processes are not read.
    pub fn leaves_some(&self) -> bool {
        self.locations.is_some()
    }

    /// Tells whether an event at this time, in ticks, counts, at any location.
    pub fn is_in_time(&self, time: u64) -> bool {
        is_in(self.window, time)
    }

    /// Tells whether an event at this time, in ticks, at this location counts.
    pub fn is_in_time_of(&self, location: LocationRef, time: u64) -> bool {
        is_in(self.window_of(location), time)
    }

    /// Returns the selection of a location's events.
    pub(super) fn of(&self, location: LocationRef) -> Counting {
        Counting { any: self.has(location), window: self.window_of(location) }
    }
}

fn is_in(window: Option<Window>, time: u64) -> bool {
    window.is_none_or(|window| window.holds(Ticks(time)))
}

/// Selection of a location's events.
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
    /// Tells whether an event at a time, in ticks, counts.
    #[inline(always)]
    pub(super) fn counts(&self, time: u64) -> bool {
        self.any && is_in(self.window, time)
    }
}
