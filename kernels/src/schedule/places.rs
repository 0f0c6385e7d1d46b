//! Ranks and processors of a schedule.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::enums::Paradigm;
use streamfold_model::ids::{LocationGroupRef, LocationRef};
use streamfold_model::store::Definitions;

use crate::account::Role;
use crate::devices::hosts;
use crate::matching::{Key, Process, Processes};

/// A part of the text: operations of one thread, or, without a thread, what stands behind those of all threads of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The rank.
    pub rank: u32,
    /// The thread.
    pub cpu: Option<u32>,
}

/// A thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub rank: u32,
    pub cpu: u32,
    part: u32,
}

/// Threads of all processes, and streams behind the threads of the process that uses them. A process that has any is a
/// rank: those that MPI lists come first, in that order.
#[derive(Debug, Default)]
pub struct Places {
    of: HashMap<LocationRef, Place, RandomState>,
    ranks: u32,
    parts: Vec<Part>,
    /// Keys of the parts, in the order of these.
    keys: Vec<Key>,
    /// The part behind the threads of each rank.
    behind: Vec<u32>,
}

impl Places {
    /// Those of a trace.
    pub fn new(definitions: &Definitions) -> Self {
        let processes = Processes::new(definitions);
        let lists = definitions.comm_locations();
        let listed = definitions.location_list(&lists, Paradigm::Mpi);
        let listed = listed.map_or(&[][..], |list| &list.members).iter();
        let mut order: HashMap<Process, usize, RandomState> = HashMap::default();
        for process in listed.filter_map(|location| processes.of(LocationRef(*location))) {
            let next = order.len();
            order.entry(process).or_insert(next);
        }
        let hosts = hosts(definitions);
        // The process of each location group, as its first thread has it.
        let mut of_group: HashMap<LocationGroupRef, Process, RandomState> = HashMap::default();
        for location in definitions.locations.values() {
            if Role::of(definitions, location.id) == Some(Role::Thread) {
                if let Some(process) = processes.of(location.id) {
                    of_group.entry(location.location_group).or_insert(process);
                }
            }
        }
        let place = |location: LocationRef| {
            let is_stream = match Role::of(definitions, location)? {
                Role::Thread => false,
                Role::Stream => true,
                Role::Metrics | Role::Process => return None,
            };
            let host = hosts.get(&location).filter(|_| is_stream);
            let host = host.and_then(|group| of_group.get(group)).copied();
            let process = host.or(processes.of(location))?;
            let listed = order.get(&process).copied().unwrap_or(usize::MAX);
            Some(((listed, process), is_stream, location))
        };
        let mut threads: Vec<_> =
            definitions.locations.keys().filter_map(|of| place(*of)).collect();
        // Stable: threads of a process stay in the order of their definitions.
        threads.sort_by_key(|(process, is_stream, _)| (*process, *is_stream));
        let mut places = Places::default();
        for of in threads.chunk_by(|a, b| a.0 == b.0) {
            for (cpu, (.., location)) in (0..).zip(of) {
                let part = places.parts.len() as u32;
                places.of.insert(*location, Place { rank: places.ranks, cpu, part });
                places.parts.push(Part { rank: places.ranks, cpu: Some(cpu) });
            }
            places.behind.push(places.parts.len() as u32);
            places.parts.push(Part { rank: places.ranks, cpu: None });
            places.ranks += 1;
        }
        places.keys = Key::in_order(places.parts.len());
        places
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// How many threads the largest rank has.
    pub fn most_threads(&self) -> u32 {
        self.parts.iter().filter_map(|part| part.cpu).max().map_or(0, |cpu| cpu + 1)
    }

    /// The parts that a rank of so many ranks of this job owns, in their order, with their keys.
    pub fn owned(&self, rank: usize, ranks: usize) -> impl Iterator<Item = (Part, Key)> + '_ {
        let parts = self.parts.iter().copied().zip(self.keys.iter().copied());
        parts.filter(move |(_, key)| key.owner(ranks) == rank)
    }

    pub(super) fn of(&self, location: LocationRef) -> Option<Place> {
        self.of.get(&location).copied()
    }

    pub(super) fn key(&self, place: Place) -> Key {
        self.keys[place.part as usize]
    }

    pub(super) fn key_behind(&self, rank: u32) -> Key {
        self.keys[self.behind[rank as usize] as usize]
    }
}
