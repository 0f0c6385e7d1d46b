//! A small trace in memory: what the slow way looks at, and what is written for the program to read.

use std::collections::BTreeMap;

use streamfold::model::enums::Paradigm;
use streamfold::model::events::{Enter, Event, Leave};
use streamfold::model::ids::{CommRef, GroupRef, RegionRef};

use crate::waitstates::regions;

/// All processes.
pub const WORLD: u32 = 0;
/// Each process for itself.
pub const OWN: u32 = 1;
/// Processes of even numbers.
pub const EVEN: u32 = 2;
/// Between those of even and those of odd numbers.
pub const BETWEEN: u32 = 3;
/// The first team of threads.
pub const TEAM: u32 = 100;
/// The first group of ranks.
pub const GROUP: u32 = 50;

/// The node on which a process is.
pub fn node_of(process: u64) -> u64 {
    process % 2
}

/// Events of a location with their times.
pub type Stream = Vec<(u64, Event<'static>)>;

/// Processes, each with its threads: location L belongs to process L / 10, and is its thread L % 10.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Of each process.
    pub threads: Vec<u64>,
    pub regions: Vec<String>,
    /// The locations of each team of threads, and their paradigm; the first has the number [`TEAM`].
    pub teams: Vec<(Paradigm, Vec<u64>)>,
    /// The ranks of each group in the world; the first has the number [`GROUP`].
    pub groups: Vec<Vec<u64>>,
    /// How many windows there are, all over [`WORLD`].
    pub windows: u32,
    /// Locations of type METRIC.
    pub metrics: Vec<u64>,
    /// Locations that are streams of accelerators.
    pub devices: Vec<u64>,
    /// The stream that an event of a location names, by the number of the event there.
    pub names: BTreeMap<(u64, usize), u64>,
    pub streams: BTreeMap<u64, Stream>,
}

impl Trace {
    /// Processes with so many threads each.
    pub fn new(threads: &[u64]) -> Trace {
        let locations = (0u64..)
            .zip(threads)
            .flat_map(|(process, count)| (0..*count).map(move |thread| process * 10 + thread));
        Trace {
            threads: threads.to_vec(),
            regions: Vec::new(),
            teams: Vec::new(),
            groups: Vec::new(),
            windows: 2,
            metrics: Vec::new(),
            devices: Vec::new(),
            names: BTreeMap::new(),
            streams: locations.map(|location| (location, Vec::new())).collect(),
        }
    }

    /// So many processes of one thread each.
    pub fn of(processes: usize) -> Trace {
        Trace::new(&vec![1; processes])
    }

    pub fn processes(&self) -> u64 {
        self.threads.len() as u64
    }

    /// The number of a region.
    pub fn region(&mut self, name: &str) -> RegionRef {
        assert!(regions::kind(name).is_some(), "{name} is a region");
        let known = self.regions.iter().position(|known| known == name);
        let number = known.unwrap_or_else(|| {
            self.regions.push(name.to_owned());
            self.regions.len() - 1
        });
        RegionRef(number as u32)
    }

    /// A team of these locations.
    pub fn team(&mut self, locations: &[u64]) -> CommRef {
        self.threads_of(Paradigm::Openmp, locations)
    }

    /// Threads of a paradigm.
    pub fn threads_of(&mut self, paradigm: Paradigm, locations: &[u64]) -> CommRef {
        self.teams.push((paradigm, locations.to_vec()));
        CommRef(TEAM + self.teams.len() as u32 - 1)
    }

    /// A group of these processes.
    pub fn group(&mut self, processes: &[u64]) -> GroupRef {
        self.groups.push(processes.to_vec());
        GroupRef(GROUP + self.groups.len() as u32 - 1)
    }

    /// Adds events to a location.
    pub fn on(&mut self, location: u64) -> On<'_> {
        On { trace: self, location, open: Vec::new() }
    }
}

/// A location that gets events.
pub struct On<'a> {
    trace: &'a mut Trace,
    location: u64,
    open: Vec<RegionRef>,
}

impl On<'_> {
    pub fn at(self, time: u64, event: Event<'static>) -> Self {
        let stream = self.trace.streams.get_mut(&self.location).expect("a location");
        stream.push((time, event));
        self
    }

    pub fn enter(mut self, time: u64, name: &str) -> Self {
        let region = self.trace.region(name);
        self.open.push(region);
        self.at(time, Event::Enter(Enter { region }))
    }

    /// Leaves the innermost region.
    pub fn leave(mut self, time: u64) -> Self {
        let region = self.open.pop().expect("a region is open");
        self.at(time, Event::Leave(Leave { region }))
    }

    /// Leaves a region and drops what is open inside of it.
    pub fn leave_around(mut self, time: u64, name: &str) -> Self {
        let region = self.trace.region(name);
        while self.open.pop().expect("the region is open") != region {}
        self.at(time, Event::Leave(Leave { region }))
    }

    /// The next event names a stream.
    pub fn naming(self, stream: u64) -> Self {
        let place = self.trace.streams[&self.location].len();
        self.trace.names.insert((self.location, place), stream);
        self
    }

    /// A region from one time to another with events in it.
    pub fn call(self, name: &str, begin: u64, end: u64, inside: &[(u64, Event<'static>)]) -> Self {
        let entered = self.enter(begin, name);
        inside.iter().fold(entered, |on, (time, event)| on.at(*time, *event)).leave(end)
    }
}
