//! Activities of threads: the time of each, by kind of work, over parts of the time.
//!
//! Every tick from the first to the last event of a location counts once, for the innermost region that is open then.
//! The kernel needs nothing from other locations, so that waiting is not part of it.

mod kernel;
mod phases;
mod teams;

pub use kernel::{ActivityKernel, ActivityScan};
pub use phases::{PhaseKernel, Phases, Visits};
pub use teams::TeamState;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use streamfold_model::enums::LocationType;
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::store::Definitions;

use crate::devices::kind_of;
use crate::waitstates::Metric;

/// A kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Activity {
    /// The program computes, outside of teams of threads.
    Serial,
    /// The program computes, in a team of threads.
    Parallel,
    /// Files are accessed, not by MPI.
    FileIo,
    /// A call of MPI.
    Mpi,
    /// A team of threads is forked or joined.
    Fork,
    /// A barrier of a team.
    Barrier,
    /// Locks, tasks and the rest of OpenMP.
    OpenMp,
    /// Calls that drive accelerators.
    Accelerator,
    /// POSIX threads, SHMEM.
    Runtime,
    /// The measurement, or time in which nothing was recorded.
    Measurement,
    /// No region is open.
    Outside,
    /// An accelerator works.
    Device,
}

impl Activity {
    /// How many there are.
    pub const COUNT: usize = 12;

    /// All of them.
    pub const ALL: [Activity; Activity::COUNT] = [
        Activity::Serial,
        Activity::Parallel,
        Activity::FileIo,
        Activity::Mpi,
        Activity::Fork,
        Activity::Barrier,
        Activity::OpenMp,
        Activity::Accelerator,
        Activity::Runtime,
        Activity::Measurement,
        Activity::Outside,
        Activity::Device,
    ];

    /// The kind of work on which the own time of a region is spent.
    fn of(leaf: Metric) -> Activity {
        let is = |of: Metric| {
            std::iter::successors(Some(leaf), |metric| metric.parent()).any(|metric| metric == of)
        };
        match () {
            () if is(Metric::IO) => Activity::FileIo,
            () if is(Metric::MPI) => Activity::Mpi,
            () if is(Metric::OMP_BARRIER) => Activity::Barrier,
            () if is(Metric::OMP_MANAGEMENT) => Activity::Fork,
            () if is(Metric::OMP_TIME) => Activity::OpenMp,
            () if is(Metric::OVERHEAD) || is(Metric::MEASUREMENT_OFF) => Activity::Measurement,
            () if is(Metric::PTHREAD_TIME) || is(Metric::SHMEM_TIME) => Activity::Runtime,
            () if [
                Metric::OPENACC_TIME,
                Metric::OPENCL_TIME,
                Metric::CUDA_TIME,
                Metric::HIP_TIME,
            ]
            .into_iter()
            .any(is) =>
            {
                Activity::Accelerator
            }
            () => Activity::Serial,
        }
    }
}

/// Work of one location in one part of the time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Ticks by [`Activity`].
    pub ticks: [u64; Activity::COUNT],
    /// Bytes of messages that were sent, and received.
    pub bytes: [u64; 2],
    /// Bytes that went to files or came from them.
    pub file_bytes: u64,
}

impl Work {
    /// Ticks of one kind of work.
    pub fn of(&self, activity: Activity) -> u64 {
        self.ticks[activity as usize]
    }

    /// Ticks in which the program itself computes.
    pub fn useful(&self) -> u64 {
        self.of(Activity::Serial).saturating_add(self.of(Activity::Parallel))
    }

    /// Ticks from the first to the last event.
    pub fn all(&self) -> u64 {
        self.ticks.iter().fold(0, |sum, ticks| sum.saturating_add(*ticks))
    }

    /// Adds other work. Sums are capped at the largest number.
    pub fn add(&mut self, other: &Work) {
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        self.ticks.iter_mut().zip(other.ticks).for_each(|(sum, ticks)| add(sum, ticks));
        self.bytes.iter_mut().zip(other.bytes).for_each(|(sum, bytes)| add(sum, bytes));
        add(&mut self.file_bytes, other.file_bytes);
    }
}

/// Work of all locations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activities {
    /// By location, one for each part of the time.
    pub locations: BTreeMap<LocationRef, LocationWork>,
}

impl Activities {
    /// Counts time outside of all regions as computation, for threads of the program, if no region of the program
    /// itself was recorded. Returns whether it does.
    pub fn compute_outside(&mut self, definitions: &Definitions) -> bool {
        let is_thread = |location: &LocationRef| {
            kind_of(definitions, *location).is_none_or(|kind| kind == LocationType::CpuThread)
        };
        let mut threads: Vec<&mut LocationWork> = self
            .locations
            .iter_mut()
            .filter(|(location, _)| is_thread(location))
            .map(|(_, of)| of)
            .collect();
        let all = || Activity::ALL.into_iter().filter(|of| *of != Activity::Outside);
        let parts = || threads.iter().flat_map(|of| &of.parts);
        let computes = parts().any(|work| work.useful() > 0);
        let does_anything = parts().any(|work| all().any(|of| work.of(of) > 0));
        if computes || !does_anything {
            return false;
        }
        for work in threads.iter_mut().flat_map(|of| &mut of.parts) {
            let outside = std::mem::take(&mut work.ticks[Activity::Outside as usize]);
            work.ticks[Activity::Serial as usize] += outside;
        }
        true
    }
}

/// Work of a location.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocationWork {
    /// Its first and its last event within the time that counts, in ticks. `None`: it has none there.
    pub span: Option<(u64, u64)>,
    /// Its work, by part of the time.
    pub parts: Vec<Work>,
    /// The ticks in which it computed, by region, the largest first, as many as are wanted.
    pub regions: Vec<(Option<RegionRef>, u64)>,
}
