//! The threads of each process.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use streamfold_model::enums::{GroupType, Paradigm};
use streamfold_model::ids::LocationRef;
use streamfold_model::store::{CommLocations, Definitions};

use crate::account::Role;
use crate::matching::{Process, Processes};

/// Threads of OpenMP by process, and the first thread of each.
#[derive(Debug)]
pub struct Threads {
    of: HashMap<Process, Vec<LocationRef>, RandomState>,
    masters: HashMap<LocationRef, Process, RandomState>,
    workers: HashSet<LocationRef, RandomState>,
    /// Number of MPI processes.
    processes: u64,
}

impl Threads {
    /// Of a trace. Threads are CPU threads; where there is a list of the locations of OpenMP, those on
    /// it. The first of a process is that with a rank in MPI, or else the first defined.
    pub fn new(definitions: &Definitions, processes: &Processes) -> Self {
        let lists = definitions.comm_locations();
        let listed = |paradigm| members(definitions, &lists, paradigm);
        let (ranks, threads) = (listed(Paradigm::Mpi), listed(Paradigm::Openmp));
        let mut of: HashMap<Process, Vec<LocationRef>, RandomState> = HashMap::default();
        for location in definitions.locations.values() {
            let is_thread = Role::is_thread(definitions, location.id);
            let is_listed = threads.is_empty()
                || threads.contains(&location.id)
                || ranks.contains(&location.id);
            if let (true, Some(process)) = (is_thread && is_listed, processes.of(location.id)) {
                of.entry(process).or_default().push(location.id);
            }
        }
        let mut masters = HashMap::default();
        for (process, threads) in &mut of {
            let first = threads.iter().position(|thread| ranks.contains(thread)).unwrap_or(0);
            let first = threads.remove(first);
            threads.insert(0, first);
            masters.insert(first, *process);
        }
        let workers = of.values().flat_map(|threads| &threads[1..]).copied().collect();
        let counted: HashSet<_, RandomState> =
            ranks.iter().filter_map(|rank| processes.of(*rank)).collect();
        Threads { of, masters, workers, processes: counted.len() as u64 }
    }

    /// Those that the program created one by one are no threads of OpenMP.
    pub fn exclude(&mut self, created: impl IntoIterator<Item = LocationRef>) {
        let created: HashSet<_, RandomState> = created.into_iter().collect();
        self.workers.retain(|worker| !created.contains(worker));
        for threads in self.of.values_mut() {
            let mut place = 0;
            threads.retain(|thread| {
                place += 1;
                place == 1 || !created.contains(thread)
            });
        }
    }

    /// The threads of a process but the first.
    pub fn workers(&self, process: Process) -> &[LocationRef] {
        self.of.get(&process).map_or(&[], |threads| &threads[1..])
    }

    /// Whose first thread this is; `None`: of no process.
    pub fn master_of(&self, location: LocationRef) -> Option<Process> {
        self.masters.get(&location).copied()
    }

    /// The first threads of all processes.
    pub fn masters(&self) -> impl Iterator<Item = LocationRef> + '_ {
        self.masters.keys().copied()
    }

    /// The first threads of processes that have others.
    pub fn masters_with_workers(&self) -> impl Iterator<Item = LocationRef> + '_ {
        self.of.values().filter(|threads| threads.len() > 1).map(|threads| threads[0])
    }

    /// Returns whether it is a thread of a process, and not the first.
    pub fn is_worker(&self, location: LocationRef) -> bool {
        self.workers.contains(&location)
    }

    /// Returns the number of MPI processes.
    pub fn processes(&self) -> u64 {
        self.processes
    }
}

fn members(
    definitions: &Definitions,
    lists: &CommLocations,
    paradigm: Paradigm,
) -> HashSet<LocationRef, RandomState> {
    let list = definitions.location_list(lists, paradigm);
    let list = list.filter(|list| list.group_type == GroupType::CommLocations);
    list.into_iter().flat_map(|list| list.members.iter().copied().map(LocationRef)).collect()
}
