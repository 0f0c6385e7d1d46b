//! Efficiency of a parallel program: the factors of POP, from the times of all threads.
//!
//! A factor is a share of the time of all processors. Factors of MPI take all time of a process outside of MPI for
//! useful. Factors of threads are the rest: those of all threads divided by those of MPI. Factors of devices are those of
//! DLB's TALP: a device is useful while any kernel runs on it, and active while any kernel or copy does. Serialisation and
//! transfer need the time on an ideal network, which a [replay](crate::replay) finds.

use std::collections::BTreeMap;

use streamfold_model::ids::{LocationGroupRef, LocationRef, RegionRef};
use streamfold_model::store::Definitions;

use crate::account::{Account, Group, Role, Sum, Work};
use crate::matching::{Process, Processes};
use crate::waitstates::Threads;

/// A process: what its threads did, and its accelerators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessWork {
    /// The group of its locations, else its only location, which is a process of its own.
    pub process: Result<LocationGroupRef, LocationRef>,
    /// Its threads, the first one first.
    pub threads: Vec<LocationRef>,
    /// Times of its first thread.
    pub first: Work,
    /// Times of all of its threads.
    pub all: Work,
    /// The regions in which its threads computed most, in ticks.
    pub regions: Vec<(RegionRef, u64)>,
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
    /// The useful time of the busiest thread, of the time on an ideal network.
    Serialisation,
    /// The time on an ideal network, of the time.
    Transfer,
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
    /// The time in which devices run kernels, of all of their time.
    Device,
    /// How evenly that is spread over devices.
    DeviceLoadBalance,
    /// The most kernel time of a device, of the most time of a device in which kernels or copies run.
    DeviceCommunication,
    /// How much of the time the busiest device runs kernels or copies.
    DeviceOrchestration,
}

impl Factor {
    /// For scripts.
    pub fn id(self) -> &'static str {
        match self {
            Factor::Parallel => "parallel_efficiency",
            Factor::LoadBalance => "load_balance",
            Factor::Communication => "communication_efficiency",
            Factor::Serialisation => "serialisation_efficiency",
            Factor::Transfer => "transfer_efficiency",
            Factor::Mpi => "mpi_parallel_efficiency",
            Factor::MpiLoadBalance => "mpi_load_balance",
            Factor::MpiCommunication => "mpi_communication_efficiency",
            Factor::OpenMp => "omp_parallel_efficiency",
            Factor::OpenMpLoadBalance => "omp_load_balance",
            Factor::OpenMpCommunication => "omp_communication_efficiency",
            Factor::Offload => "device_offload_efficiency",
            Factor::Device => "device_parallel_efficiency",
            Factor::DeviceLoadBalance => "device_load_balance",
            Factor::DeviceCommunication => "device_communication_efficiency",
            Factor::DeviceOrchestration => "device_orchestration_efficiency",
        }
    }

    /// For people.
    pub fn title(self) -> &'static str {
        match self {
            Factor::Parallel => "Parallel efficiency",
            Factor::LoadBalance => "Load balance",
            Factor::Communication => "Communication efficiency",
            Factor::Serialisation => "Serialisation efficiency",
            Factor::Transfer => "Transfer efficiency",
            Factor::Mpi => "MPI parallel efficiency",
            Factor::MpiLoadBalance => "MPI load balance",
            Factor::MpiCommunication => "MPI communication efficiency",
            Factor::OpenMp => "OpenMP parallel efficiency",
            Factor::OpenMpLoadBalance => "OpenMP load balance",
            Factor::OpenMpCommunication => "OpenMP communication efficiency",
            Factor::Offload => "Device offload efficiency",
            Factor::Device => "Device parallel efficiency",
            Factor::DeviceLoadBalance => "Device load balance",
            Factor::DeviceCommunication => "Device communication efficiency",
            Factor::DeviceOrchestration => "Device orchestration efficiency",
        }
    }

    /// The factor of which it is a part.
    pub fn parent(self) -> Option<Factor> {
        match self {
            Factor::Parallel | Factor::Device => None,
            Factor::LoadBalance | Factor::Communication => Some(Factor::Parallel),
            Factor::Serialisation | Factor::Transfer => Some(Factor::Communication),
            Factor::Mpi | Factor::OpenMp | Factor::Offload => Some(Factor::Parallel),
            Factor::MpiLoadBalance | Factor::MpiCommunication => Some(Factor::Mpi),
            Factor::OpenMpLoadBalance | Factor::OpenMpCommunication => Some(Factor::OpenMp),
            Factor::DeviceLoadBalance
            | Factor::DeviceCommunication
            | Factor::DeviceOrchestration => Some(Factor::Device),
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
    /// As a number; a share of nothing is none at all, and no factor.
    pub fn value(self) -> f64 {
        match self.whole {
            0 => 0.0,
            whole => self.part as f64 / whole as f64,
        }
    }
}

/// When a device is busy, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceTime {
    /// Any kernel runs.
    pub useful: u64,
    /// Any kernel or copy runs.
    pub active: u64,
}

/// How well the processors of a run were used in one part of the time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Efficiencies {
    /// How long it took, in ticks.
    pub elapsed: u64,
    /// Processes, threads of all of them, streams of accelerators, and devices.
    pub counts: [u64; 4],
    /// The factors, each below the one of which it is a part.
    pub factors: Vec<(Factor, Ratio)>,
    /// The time of all threads.
    pub threads: Sum,
    /// The time of all streams.
    pub streams: Sum,
    /// The processes, by their definitions.
    pub processes: Vec<ProcessWork>,
    /// Useful ticks of all threads.
    pub useful: u128,
    /// Instructions and cycles that were counted in useful time.
    pub counted: [u128; 2],
}

/// Returns the work of each process in a part of the time, in the order of their definitions.
pub fn processes(account: &Account, definitions: &Definitions, part: usize) -> Vec<ProcessWork> {
    let all = Processes::new(definitions);
    let threads = Threads::new(definitions, &all);
    let mut of: BTreeMap<Process, ProcessWork> = BTreeMap::new();
    for location in definitions.locations.keys() {
        let Some(found) = account.locations.get(location) else { continue };
        let Some(process) = all.of(*location).filter(|_| found.role == Role::Thread) else {
            continue;
        };
        let Some(done) = found.parts.get(part) else { continue };
        let process = of.entry(process).or_insert_with(|| ProcessWork {
            process: all.identity(process, definitions),
            threads: Vec::new(),
            first: Work::default(),
            all: Work::default(),
            regions: Vec::new(),
        });
        let is_first = process.threads.is_empty() || threads.master_of(*location).is_some();
        match is_first {
            true => {
                process.first = done.clone();
                process.threads.insert(0, *location);
            }
            false => process.threads.push(*location),
        }
        process.all.add(done);
        let mut regions: BTreeMap<RegionRef, u64> = process.regions.drain(..).collect();
        for (region, ticks) in &found.regions {
            *regions.entry(*region).or_default() += ticks;
        }
        process.regions = regions.into_iter().collect();
        process.regions.sort_by_key(|(region, ticks)| (std::cmp::Reverse(*ticks), *region));
    }
    of.into_values().collect()
}

impl Efficiencies {
    /// Those of a part of the time. `elapsed` is how long that is, in ticks; `None`: the longest time of a thread that
    /// counts. `devices`: those that are known.
    pub fn new(
        account: &Account,
        definitions: &Definitions,
        part: usize,
        elapsed: Option<u64>,
        devices: &[DeviceTime],
    ) -> Efficiencies {
        let processes = processes(account, definitions, part);
        let of_role = |wanted| {
            let all = account.locations.values().filter(move |of| of.role == wanted);
            all.filter_map(move |of| of.parts.get(part))
        };
        let threads: Vec<&Work> = of_role(Role::Thread).collect();
        let longest = || of_role(Role::Thread).map(Work::all).max().unwrap_or(0);
        let counts = [
            processes.len() as u64,
            threads.len() as u64,
            of_role(Role::Stream).count() as u64,
            devices.len() as u64,
        ];
        let mut all = Efficiencies {
            elapsed: elapsed.unwrap_or_else(longest),
            counts,
            factors: Vec::new(),
            threads: account.sum(Role::Thread, part),
            streams: account.sum(Role::Stream, part),
            processes,
            useful: threads.iter().map(|work| u128::from(work.useful())).sum(),
            counted: [0, 1].map(|of| threads.iter().map(|work| u128::from(work.counted[of])).sum()),
        };
        all.find_factors(&threads, devices);
        all
    }

    fn find_factors(&mut self, threads: &[&Work], devices: &[DeviceTime]) {
        let (elapsed, processes) = (u128::from(self.elapsed), self.processes.len() as u128);
        let most = |of: &dyn Fn(&Work) -> u64| threads.iter().map(|work| of(work)).max();
        let (useful, busiest) = (self.useful, u128::from(most(&Work::useful).unwrap_or(0)));
        let n = threads.len() as u128;
        // A share of nothing has no value.
        let mut add = |factor, part, whole| {
            if whole > 0 {
                self.factors.push((factor, Ratio { part, whole }));
            }
        };
        add(Factor::Parallel, useful, n * elapsed);
        add(Factor::LoadBalance, useful, n * busiest);
        add(Factor::Communication, busiest, if n > 0 { elapsed } else { 0 });
        let uses_mpi = self.threads.of_group(Group::Mpi) > 0;
        let is_hybrid = n > processes;
        let calls = self.threads.of_group(Group::Accelerator);
        if uses_mpi && (is_hybrid || calls > 0) {
            // The time of a process outside of MPI is that of its first thread.
            let outside = |of: &ProcessWork| {
                let none = [Group::Mpi, Group::NotRecorded, Group::Absent, Group::Idle];
                none.iter()
                    .fold(of.first.all(), |all, group| all.saturating_sub(of.first.of(*group)))
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
        let of_devices = |of: fn(&DeviceTime) -> u64| devices.iter().map(of);
        let sum: u128 = of_devices(|of| of.useful).map(u128::from).sum();
        let useful: u128 = of_devices(|of| of.useful).max().unwrap_or(0).into();
        let active: u128 = of_devices(|of| of.active).max().unwrap_or(0).into();
        let devices = devices.len() as u128;
        add(Factor::Device, sum, devices * elapsed);
        add(Factor::DeviceLoadBalance, sum, devices * useful);
        add(Factor::DeviceCommunication, useful, active);
        add(Factor::DeviceOrchestration, active, if devices > 0 { elapsed } else { 0 });
    }

    /// Adds serialisation and transfer, given how long the run takes on an ideal network, in ticks. Their product is
    /// the efficiency of communication.
    pub fn add_ideal(&mut self, ideal: u64) {
        let at = self.factors.iter().position(|(factor, _)| *factor == Factor::Communication);
        let Some(at) = at.filter(|_| ideal > 0) else { return };
        let Ratio { part: busiest, whole: elapsed } = self.factors[at].1;
        let ideal = u128::from(ideal);
        let parts = [
            (Factor::Serialisation, Ratio { part: busiest, whole: ideal }),
            (Factor::Transfer, Ratio { part: ideal, whole: elapsed }),
        ];
        self.factors.splice(at + 1..at + 1, parts);
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
    use streamfold_model::definitions::{Definition, Location, LocationGroup};
    use streamfold_model::enums::{LocationGroupType, LocationType};
    use streamfold_model::ids::{StringRef, SystemTreeNodeRef};

    use super::*;
    use crate::account::{Class, LocationAccount};

    fn efficiencies(elapsed: u64, processes: &[&[[u64; 4]]]) -> Efficiencies {
        // Serial, parallel, MPI, fork of each thread.
        let work = |of: &[u64; 4]| {
            let mut work = Work::default();
            let kinds = [Class::Serial, Class::Team, Class::PointToPoint, Class::ForkJoin];
            kinds.into_iter().zip(of).for_each(|(kind, ticks)| work.ticks.add(kind, *ticks));
            work.ticks.add(Class::AnyIdle, elapsed - of.iter().sum::<u64>());
            work
        };
        let mut account = Account::default();
        let mut definitions = Definitions::default();
        let (mut threads, mut number) = (Vec::new(), 0);
        for (process, of) in processes.iter().enumerate() {
            let group = LocationGroupRef(process as u32);
            definitions.insert(Definition::LocationGroup(LocationGroup {
                id: group,
                name: StringRef(0),
                location_group_type: LocationGroupType::Process,
                system_tree_parent: SystemTreeNodeRef(0),
                creating_location_group: LocationGroupRef::UNDEFINED,
            }));
            for thread in *of {
                definitions.insert(Definition::Location(Location {
                    id: LocationRef(number),
                    name: StringRef(0),
                    location_type: LocationType::CpuThread,
                    number_of_events: 0,
                    location_group: group,
                }));
                threads.push((LocationRef(number), work(thread)));
                number += 1;
            }
        }
        for (location, work) in threads {
            let mut of = LocationAccount::default();
            of.parts.push(work);
            account.locations.insert(location, of);
        }
        Efficiencies::new(&account, &definitions, 0, Some(elapsed), &[])
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
    fn no_computation_has_no_load_balance() {
        let of = efficiencies(10, &[&[[0, 0, 10, 0]], &[[0, 0, 4, 0]]]);
        assert_eq!(of.factor(Factor::Parallel).map(Ratio::value), Some(0.0));
        assert_eq!(of.factor(Factor::LoadBalance), None);
        assert_eq!(of.threads.total(), 20);
    }

    /// One device is useful for 3 of 10 ticks and active for 7.
    #[test]
    fn devices_have_the_factors_of_talp() {
        let mut of = efficiencies(10, &[&[[2, 0, 0, 0]]]);
        of.find_factors(&[], &[DeviceTime { useful: 3, active: 7 }]);
        let value = |factor| of.factor(factor).unwrap().value();
        assert_eq!(value(Factor::Device), 0.3);
        assert_eq!(value(Factor::DeviceLoadBalance), 1.0);
        assert_eq!(value(Factor::DeviceCommunication), 3.0 / 7.0);
        assert_eq!(value(Factor::DeviceOrchestration), 0.7);
    }
}
