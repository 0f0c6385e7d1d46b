//! Processes and accelerators of a file, and the kinds of their tracks.
//!
//! A track with kernels, copies or fills is a stream; so is each track of a process with the label of an accelerator.
//! Streams of one number are an accelerator, all other tracks of that number a process.

use std::collections::BTreeSet;

use foldhash::fast::RandomState;
use indexmap::IndexSet;
use streamfold_model::enums::{LocationGroupType, LocationType};

use super::file::{Process, Scanned, Track};

/// The groups of a file's locations, in the order of their first ones.
pub(super) struct Groups<'s> {
    scanned: &'s Scanned,
    /// Processes by their number in the file, those with streams apart from those with threads.
    all: IndexSet<(u32, LocationGroupType), RandomState>,
    /// Processes that have threads.
    hosts: BTreeSet<u32>,
}

impl<'s> Groups<'s> {
    pub(super) fn new(scanned: &'s Scanned) -> Self {
        let mut groups = Groups { scanned, all: IndexSet::default(), hosts: BTreeSet::new() };
        let threads = || scanned.lanes.iter().map(|lane| lane.thread);
        for thread in threads() {
            if groups.kind(thread) == LocationType::CpuThread {
                groups.hosts.insert(scanned.threads[thread as usize].process);
            }
        }
        for thread in threads() {
            groups.all.insert(groups.of(thread));
        }
        groups
    }

    /// The kind of a thread.
    pub(super) fn kind(&self, thread: u32) -> LocationType {
        let of = &self.scanned.threads[thread as usize];
        match () {
            () if matches!(of.track, Track::Counters | Track::Spans) => LocationType::Metric,
            () if of.track == Track::Stream || self.process(of.process).is_device() => {
                LocationType::AcceleratorStream
            }
            () => LocationType::CpuThread,
        }
    }

    /// The process of a thread, and the kind of the group. Counters belong to the host where that has threads.
    fn of(&self, thread: u32) -> (u32, LocationGroupType) {
        let process = self.scanned.threads[thread as usize].process;
        let is_device = match self.kind(thread) {
            LocationType::AcceleratorStream => true,
            LocationType::Metric => {
                self.process(process).is_device() && !self.hosts.contains(&process)
            }
            _ => false,
        };
        let kind =
            if is_device { LocationGroupType::Accelerator } else { LocationGroupType::Process };
        (process, kind)
    }

    /// The number of the group of a thread in the file, its process, and its kind.
    pub(super) fn group(&self, thread: u32) -> (u32, &'s Process, LocationGroupType) {
        let (process, kind) = self.of(thread);
        let number = self.all.get_index_of(&(process, kind)).unwrap_or(0);
        (number as u32, self.process(process), kind)
    }

    /// The number of the group of the process that uses an accelerator: its own one, else the only one that calls a
    /// library of accelerators and is named as it is. `None`: it is not known.
    pub(super) fn host(&self, thread: u32) -> Option<u32> {
        let process = self.scanned.threads[thread as usize].process;
        let label = &self.process(process).label;
        let own = self.all.get_index_of(&(process, LocationGroupType::Process));
        if own.is_some() {
            return own.map(|number| number as u32);
        }
        let mut left: Vec<u32> = self.hosts.iter().copied().collect();
        // A rule that none fulfils says nothing.
        let mut narrow = |rule: &dyn Fn(&Process) -> bool| {
            if left.iter().any(|host| rule(self.process(*host))) {
                left.retain(|host| rule(self.process(*host)));
            }
        };
        narrow(&|host| host.uses_devices);
        narrow(&|host| host.label == *label);
        let only = match left.as_slice() {
            [only] => self.all.get_index_of(&(*only, LocationGroupType::Process)),
            _ => None,
        };
        only.map(|number| number as u32)
    }

    /// The process of a group, by the number of the group in the file.
    pub(super) fn process_of(&self, group: u32) -> &'s Process {
        let process = self.all.get_index(group as usize).map_or(0, |(process, _)| *process);
        self.process(process)
    }

    fn process(&self, number: u32) -> &'s Process {
        &self.scanned.processes[number as usize]
    }
}
