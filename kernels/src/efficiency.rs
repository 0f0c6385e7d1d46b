//! Efficiency of a parallel program: the factors of POP, from the times of all threads.
//!
//! A factor is a share of the time of all processors. Factors of MPI take all time of a process outside of MPI for
//! useful. Factors of threads are the rest: those of all threads divided by those of MPI. A trace has no times of an
//! ideal network (serialisation and transfer), and they are not guessed.

use std::collections::BTreeMap;

use streamfold_model::enums::LocationType;
use streamfold_model::ids::{LocationGroupRef, LocationRef, RegionRef};
use streamfold_model::store::Definitions;

use crate::activity::{Activities, Activity, Work};
use crate::devices::kind_of;
use crate::matching::Processes;
use crate::waitstates::Threads;

/// A process: what its threads did, and its accelerators.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessWork {
    /// The group of its locations.
    pub process: Option<LocationGroupRef>,
    /// Its threads, the first one first.
    pub threads: Vec<LocationRef>,
    /// Times of its first thread.
    pub first: Work,
    /// Times of all of its threads.
    pub all: Work,
    /// The regions in which its threads computed most, in ticks.
    pub regions: Vec<(Option<RegionRef>, u64)>,
}

/// A factor of efficiency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Factor {
    /// The useful time of all threads, of all of their time.
    Parallel,
    /// How evenly useful time is spread over all threads.
    LoadBalance,
    /// How much of the time the busiest thread is useful.
    Communication,
    /// The time of processes outside of MPI, of all of their time.
    Mpi,
    /// How evenly that is spread over processes.
    MpiLoadBalance,
    /// How much of the time the busiest process is outside of MPI.
    MpiCommunication,
    /// The loss of threads outside of MPI.
    OpenMp,
    /// The share of it that is lost where threads are unevenly busy.
    OpenMpLoadBalance,
    /// The share of it that is lost where even the busiest thread is not.
    OpenMpCommunication,
    /// The useful time of hosts, of that and the time of their calls to accelerators.
    Offload,
    /// The time in which streams of accelerators work, of all of their time.
    Device,
    /// How evenly that is spread over streams.
    DeviceLoadBalance,
    /// How much of the time the busiest stream works.
    DeviceActivity,
}

impl Factor {
    /// For scripts.
    pub fn id(self) -> &'static str {
        match self {
            Factor::Parallel => "parallel_efficiency",
            Factor::LoadBalance => "load_balance",
            Factor::Communication => "communication_efficiency",
            Factor::Mpi => "mpi_parallel_efficiency",
            Factor::MpiLoadBalance => "mpi_load_balance",
            Factor::MpiCommunication => "mpi_communication_efficiency",
            Factor::OpenMp => "omp_parallel_efficiency",
            Factor::OpenMpLoadBalance => "omp_load_balance",
            Factor::OpenMpCommunication => "omp_communication_efficiency",
            Factor::Offload => "device_offload_efficiency",
            Factor::Device => "device_parallel_efficiency",
            Factor::DeviceLoadBalance => "device_load_balance",
            Factor::DeviceActivity => "device_activity",
        }
    }

    /// For people.
    pub fn title(self) -> &'static str {
        match self {
            Factor::Parallel => "Parallel efficiency",
            Factor::LoadBalance => "Load balance",
            Factor::Communication => "Communication efficiency",
            Factor::Mpi => "MPI parallel efficiency",
            Factor::MpiLoadBalance => "MPI load balance",
            Factor::MpiCommunication => "MPI communication efficiency",
            Factor::OpenMp => "OpenMP parallel efficiency",
            Factor::OpenMpLoadBalance => "OpenMP load balance",
            Factor::OpenMpCommunication => "OpenMP communication efficiency",
            Factor::Offload => "Device offload efficiency",
            Factor::Device => "Device parallel efficiency",
            Factor::DeviceLoadBalance => "Device load balance",
            Factor::DeviceActivity => "Device activity",
        }
    }

    /// The factor of which it is a part.
    pub fn parent(self) -> Option<Factor> {
        match self {
            Factor::Parallel | Factor::Device => None,
            Factor::LoadBalance | Factor::Communication => Some(Factor::Parallel),
            Factor::Mpi | Factor::OpenMp | Factor::Offload => Some(Factor::Parallel),
            Factor::MpiLoadBalance | Factor::MpiCommunication => Some(Factor::Mpi),
            Factor::OpenMpLoadBalance | Factor::OpenMpCommunication => Some(Factor::OpenMp),
            Factor::DeviceLoadBalance | Factor::DeviceActivity => Some(Factor::Device),
        }
    }

    /// How many factors are above it.
    pub fn depth(self) -> usize {
        std::iter::successors(self.parent(), |factor| factor.parent()).count()
    }
}

/// A share: a part of a whole, both in ticks, or ticks times threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// The part.
    pub part: u128,
    /// The whole.
    pub whole: u128,
}

impl Ratio {
    /// As a number; of nothing it is nothing.
    pub fn value(self) -> f64 {
        match self.whole {
            0 => 0.0,
            whole => self.part as f64 / whole as f64,
        }
    }
}

/// The use of the time of all processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Spent {
    /// The program computes, outside of teams of threads.
    Serial,
    /// The program computes in teams of threads.
    Parallel,
    /// Calls of MPI.
    Mpi,
    /// Accesses to files.
    FileIo,
    /// Teams are forked and joined.
    Fork,
    /// Barriers of teams.
    Barrier,
    /// Locks, tasks and the rest of OpenMP.
    OpenMp,
    /// Threads have nothing to do while others of their process compute alone.
    Idle,
    /// Calls that drive accelerators.
    Accelerator,
    /// POSIX threads, SHMEM.
    Runtime,
    /// The measurement.
    Measurement,
    /// No region is open, or the thread has not begun or has ended.
    Outside,
}

impl Spent {
    /// For scripts, and for people.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Spent::Serial => ("serial", "computation, one thread"),
            Spent::Parallel => ("parallel", "computation in teams"),
            Spent::Mpi => ("mpi", "MPI"),
            Spent::FileIo => ("file_io", "files"),
            Spent::Fork => ("omp_fork_join", "fork and join"),
            Spent::Barrier => ("omp_barriers", "OpenMP barriers"),
            Spent::OpenMp => ("omp_other", "other OpenMP"),
            Spent::Idle => ("idle", "idle threads"),
            Spent::Accelerator => ("accelerator_calls", "accelerator calls"),
            Spent::Runtime => ("other_runtimes", "other runtimes"),
            Spent::Measurement => ("measurement", "measurement"),
            Spent::Outside => ("outside", "outside of regions"),
        }
    }

    /// All of them.
    pub const ALL: [Spent; 12] = [
        Spent::Serial,
        Spent::Parallel,
        Spent::Mpi,
        Spent::FileIo,
        Spent::Fork,
        Spent::Barrier,
        Spent::OpenMp,
        Spent::Idle,
        Spent::Accelerator,
        Spent::Runtime,
        Spent::Measurement,
        Spent::Outside,
    ];
}

/// How well the processors of a run were used in one part of the time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Efficiencies {
    /// How long it took, in ticks.
    pub elapsed: u64,
    /// Processes, threads of all of them, and streams of accelerators.
    pub counts: [u64; 3],
    /// The factors, each below the one of which it is a part.
    pub factors: Vec<(Factor, Ratio)>,
    /// The times of all threads, in ticks: they add up to `elapsed` times threads.
    pub spent: BTreeMap<Spent, u128>,
    /// The processes, by their definitions.
    pub processes: Vec<ProcessWork>,
    /// Useful ticks of all threads.
    pub useful: u128,
}

/// Returns the work of each process in a part of the time, in the order of their definitions.
pub fn processes(
    activities: &Activities,
    definitions: &Definitions,
    part: usize,
) -> Vec<ProcessWork> {
    let threads = Threads::new(definitions, &Processes::new(definitions));
    let mut of: BTreeMap<usize, ProcessWork> = BTreeMap::new();
    for location in definitions.locations.values() {
        let Some(work) = activities.locations.get(&location.id) else { continue };
        let is_thread = kind_of(definitions, location.id) == Some(LocationType::CpuThread);
        if !is_thread || work.span.is_none() {
            continue;
        }
        let Some(done) = work.parts.get(part) else { continue };
        let group = location.location_group;
        let place = definitions.location_groups.get_index_of(&group);
        let process = of.entry(place.unwrap_or(usize::MAX)).or_default();
        process.process = place.map(|_| group);
        let is_first = process.threads.is_empty() || threads.master_of(location.id).is_some();
        match is_first {
            true => {
                process.first = done.clone();
                process.threads.insert(0, location.id);
            }
            false => process.threads.push(location.id),
        }
        process.all.add(done);
        let mut regions: BTreeMap<Option<RegionRef>, u64> = process.regions.drain(..).collect();
        for (region, ticks) in &work.regions {
            *regions.entry(*region).or_default() += ticks;
        }
        process.regions = regions.into_iter().collect();
        process.regions.sort_by_key(|(region, ticks)| (std::cmp::Reverse(*ticks), *region));
    }
    of.into_values().collect()
}

impl Efficiencies {
    /// Those of a part of the time. `elapsed` is how long that is, in ticks; `None`: from the first to the last event of
    /// all threads.
    pub fn new(
        activities: &Activities,
        definitions: &Definitions,
        part: usize,
        elapsed: Option<u64>,
    ) -> Efficiencies {
        let processes = processes(activities, definitions, part);
        let kind = |location: &LocationRef| kind_of(definitions, *location);
        let of_kind = |wanted| {
            let locations = activities.locations.iter();
            locations
                .filter(move |(location, of)| kind(location) == Some(wanted) && of.span.is_some())
        };
        let span = of_kind(LocationType::CpuThread).filter_map(|(_, of)| of.span);
        let span = span.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        let elapsed = elapsed.unwrap_or_else(|| span.map_or(0, |(first, last)| last - first));
        let work = |(_, of): (_, &'_ crate::activity::LocationWork)| of.parts.get(part).cloned();
        let threads: Vec<Work> = of_kind(LocationType::CpuThread).filter_map(work).collect();
        let streams: Vec<Work> =
            of_kind(LocationType::AcceleratorStream).filter_map(work).collect();
        let counts = [processes.len() as u64, threads.len() as u64, streams.len() as u64];
        let useful = threads.iter().map(|work| u128::from(work.useful())).sum();
        let mut all = Efficiencies {
            elapsed,
            counts,
            factors: Vec::new(),
            spent: BTreeMap::new(),
            processes,
            useful,
        };
        all.spend(&threads);
        all.find_factors(&threads, &streams);
        all
    }

    fn spend(&mut self, threads: &[Work]) {
        let mut sum = Work::default();
        let mut idle = 0u128;
        for process in &self.processes {
            let others = u128::from(
                process
                    .all
                    .of(Activity::Outside)
                    .saturating_sub(process.first.of(Activity::Outside)),
            );
            // Threads of teams are idle where no region is open, and before they begin and after they end.
            idle += others;
        }
        threads.iter().for_each(|work| sum.add(work));
        let all = u128::from(self.elapsed) * threads.len() as u128;
        let of = |activity| u128::from(sum.of(activity));
        let outside_of_first: u128 =
            self.processes.iter().map(|of| u128::from(of.first.of(Activity::Outside))).sum();
        let first_missing: u128 = self
            .processes
            .iter()
            .map(|of| u128::from(self.elapsed.saturating_sub(of.first.all())))
            .sum();
        let counted: u128 = sum.ticks.iter().map(|ticks| u128::from(*ticks)).sum();
        let missing = all.saturating_sub(counted);
        self.spent = BTreeMap::from([
            (Spent::Serial, of(Activity::Serial)),
            (Spent::Parallel, of(Activity::Parallel)),
            (Spent::Mpi, of(Activity::Mpi)),
            (Spent::FileIo, of(Activity::FileIo)),
            (Spent::Fork, of(Activity::Fork)),
            (Spent::Barrier, of(Activity::Barrier)),
            (Spent::OpenMp, of(Activity::OpenMp)),
            (Spent::Idle, idle + missing.saturating_sub(first_missing)),
            (Spent::Accelerator, of(Activity::Accelerator)),
            (Spent::Runtime, of(Activity::Runtime)),
            (Spent::Measurement, of(Activity::Measurement)),
            (Spent::Outside, outside_of_first + missing.min(first_missing)),
        ]);
    }

    fn find_factors(&mut self, threads: &[Work], streams: &[Work]) {
        let (elapsed, processes) = (u128::from(self.elapsed), self.processes.len() as u128);
        let sum = |of: &dyn Fn(&Work) -> u64| {
            threads.iter().map(|work| u128::from(of(work))).sum::<u128>()
        };
        let most = |of: &dyn Fn(&Work) -> u64| threads.iter().map(of).max().unwrap_or(0).into();
        let (useful, busiest): (u128, u128) = (sum(&Work::useful), most(&Work::useful));
        let n = threads.len() as u128;
        let mut add = |factor, part, whole| self.factors.push((factor, Ratio { part, whole }));
        if n > 0 {
            add(Factor::Parallel, useful, n * elapsed);
            add(Factor::LoadBalance, useful, n * busiest);
            add(Factor::Communication, busiest, elapsed);
        }
        let uses_mpi = self.spent.get(&Spent::Mpi).is_some_and(|ticks| *ticks > 0);
        let is_hybrid = n > processes;
        let calls = self.spent.get(&Spent::Accelerator).copied().unwrap_or(0);
        if uses_mpi && (is_hybrid || calls > 0) {
            // The time of a process outside of MPI is that of its first thread.
            let outside = |of: &ProcessWork| {
                let work = &of.first;
                work.all()
                    .saturating_sub(work.of(Activity::Mpi))
                    .saturating_sub(work.of(Activity::Outside))
            };
            let sum: u128 = self.processes.iter().map(|of| u128::from(outside(of))).sum();
            let most: u128 = self.processes.iter().map(outside).max().unwrap_or(0).into();
            add(Factor::Mpi, sum, processes * elapsed);
            add(Factor::MpiLoadBalance, sum, processes * most);
            add(Factor::MpiCommunication, most, elapsed);
            if is_hybrid {
                // Quotients of the factors of all threads and those of MPI.
                add(Factor::OpenMp, useful * processes, sum * n);
                let (useful, sum) = fitting(useful, sum, (processes * most).max(n * busiest));
                add(Factor::OpenMpLoadBalance, useful * processes * most, n * busiest * sum);
                add(Factor::OpenMpCommunication, busiest, most);
            }
        }
        if calls > 0 {
            add(Factor::Offload, useful, useful + calls);
        }
        let busy: u128 = streams.iter().map(|work| u128::from(work.of(Activity::Device))).sum();
        let busiest: u128 =
            streams.iter().map(|work| work.of(Activity::Device)).max().unwrap_or(0).into();
        let streams = streams.len() as u128;
        if busy > 0 {
            add(Factor::Device, busy, streams * elapsed);
            add(Factor::DeviceLoadBalance, busy, streams * busiest);
            add(Factor::DeviceActivity, busiest, elapsed);
        }
    }

    /// A factor; `None`: the run has nothing that it is about.
    pub fn factor(&self, wanted: Factor) -> Option<Ratio> {
        self.factors.iter().find(|(factor, _)| *factor == wanted).map(|(_, ratio)| *ratio)
    }
}

/// Two numbers, scaled alike so that they can be multiplied by another.
fn fitting(mut one: u128, mut two: u128, by: u128) -> (u128, u128) {
    while one.max(two).checked_mul(by).is_none() {
        (one, two) = (one >> 8, two >> 8);
    }
    (one, two)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn efficiencies(elapsed: u64, processes: &[&[[u64; 4]]]) -> Efficiencies {
        // Serial, parallel, MPI, fork of each thread.
        let work = |of: &[u64; 4]| {
            let mut work = Work::default();
            let kinds = [Activity::Serial, Activity::Parallel, Activity::Mpi, Activity::Fork];
            kinds.into_iter().zip(of).for_each(|(kind, ticks)| work.ticks[kind as usize] = *ticks);
            work
        };
        let mut of = Efficiencies { elapsed, ..Efficiencies::default() };
        let mut threads = Vec::new();
        for process in processes {
            let mut all = ProcessWork { first: work(&process[0]), ..ProcessWork::default() };
            for thread in *process {
                all.all.add(&work(thread));
                threads.push(work(thread));
            }
            of.processes.push(all);
        }
        of.spend(&threads);
        of.find_factors(&threads, &[]);
        of
    }

    /// Two processes: one computes all of the time, the other half of it.
    #[test]
    fn load_balance_and_communication_give_parallel_efficiency() {
        let of = efficiencies(10, &[&[[8, 0, 2, 0]], &[[4, 0, 6, 0]]]);
        let value = |factor| of.factor(factor).unwrap().value();
        assert_eq!(value(Factor::Parallel), 0.6);
        assert_eq!(value(Factor::LoadBalance), 0.75);
        assert_eq!(value(Factor::Communication), 0.8);
        assert!(of.factor(Factor::Mpi).is_none());
    }

    #[test]
    fn threads_and_processes_multiply() {
        let of = efficiencies(10, &[&[[2, 4, 2, 2], [0, 3, 0, 0]], &[[1, 3, 4, 2], [0, 3, 0, 0]]]);
        let value = |factor| of.factor(factor).unwrap().value();
        let product = |a, b| value(a) * value(b);
        let is_equal = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        is_equal(value(Factor::Parallel), 16.0 / 40.0);
        is_equal(value(Factor::Mpi), 14.0 / 20.0);
        is_equal(value(Factor::Parallel), product(Factor::Mpi, Factor::OpenMp));
        is_equal(
            value(Factor::OpenMp),
            product(Factor::OpenMpLoadBalance, Factor::OpenMpCommunication),
        );
        is_equal(
            value(Factor::LoadBalance),
            product(Factor::MpiLoadBalance, Factor::OpenMpLoadBalance),
        );
    }

    #[test]
    fn all_time_is_spent_on_something() {
        let of = efficiencies(10, &[&[[2, 4, 2, 2], [0, 3, 0, 0]], &[[1, 3, 3, 2], [0, 3, 0, 0]]]);
        assert_eq!(of.spent.values().sum::<u128>(), 40);
        assert_eq!(of.spent[&Spent::Idle], 14);
        assert_eq!(of.spent[&Spent::Outside], 1);
    }
}
