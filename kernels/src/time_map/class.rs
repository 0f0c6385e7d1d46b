//! Kinds of work, in a few classes that a picture can show.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::enums::Paradigm;
use streamfold_model::ids::RegionRef;
use streamfold_model::store::Definitions;

use crate::by_name::ByName;
use crate::waitstates::classes::class_of;
use crate::waitstates::Metric;

/// A kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum WorkClass {
    /// The program's own work: every region that is nothing else.
    Computation,
    /// Calls of MPI, SHMEM, GASPI and UPC, but for those on files.
    Mpi,
    /// Synchronisation and management of threads, and what passes until a team is forked or joined. The bodies of loops
    /// and tasks are computation.
    Openmp,
    /// Calls of CUDA, HIP, OpenCL and OpenACC, and whatever runs on an accelerator.
    Gpu,
    /// Calls that access files, those of MPI included.
    Io,
    /// Calls of the system that access no file.
    Other,
    /// The measurement writes out its buffer, or records nothing.
    Measurement,
}

impl WorkClass {
    /// How many there are.
    pub const COUNT: usize = 7;

    /// All of them.
    pub const ALL: [WorkClass; WorkClass::COUNT] = [
        WorkClass::Computation,
        WorkClass::Mpi,
        WorkClass::Openmp,
        WorkClass::Gpu,
        WorkClass::Io,
        WorkClass::Other,
        WorkClass::Measurement,
    ];

    /// For scripts and command lines.
    pub fn id(self) -> &'static str {
        match self {
            WorkClass::Computation => "computation",
            WorkClass::Mpi => "mpi",
            WorkClass::Openmp => "openmp",
            WorkClass::Gpu => "gpu",
            WorkClass::Io => "io",
            WorkClass::Other => "other",
            WorkClass::Measurement => "measurement",
        }
    }

    /// For people.
    pub fn title(self) -> &'static str {
        match self {
            WorkClass::Computation => "Computation",
            WorkClass::Mpi => "MPI",
            WorkClass::Openmp => "OpenMP, threads",
            WorkClass::Gpu => "GPU",
            WorkClass::Io => "File I/O",
            WorkClass::Other => "Other calls",
            WorkClass::Measurement => "Measurement",
        }
    }

    /// The class of what a metric of time stands for.
    fn of_metric(metric: Metric) -> WorkClass {
        let mut above = std::iter::successors(Some(metric), |metric| metric.parent());
        let class = |metric: Metric| match metric {
            Metric::MPI_MGMT_FILE | Metric::MPI_IO | Metric::IO => Some(WorkClass::Io),
            Metric::MPI | Metric::SHMEM_TIME => Some(WorkClass::Mpi),
            Metric::OMP_TIME | Metric::PTHREAD_TIME => Some(WorkClass::Openmp),
            Metric::OPENACC_TIME | Metric::OPENCL_TIME => Some(WorkClass::Gpu),
            Metric::CUDA_TIME | Metric::HIP_TIME => Some(WorkClass::Gpu),
            Metric::OVERHEAD | Metric::MEASUREMENT_OFF => Some(WorkClass::Measurement),
            _ => None,
        };
        above.find_map(class).unwrap_or(WorkClass::Computation)
    }
}

/// Regions by their classes: those that are missing are computation.
#[derive(Clone, Debug, Default)]
pub struct WorkClasses {
    of: HashMap<RegionRef, WorkClass, RandomState>,
    otherwise: Option<WorkClass>,
}

impl WorkClasses {
    /// Classifies the regions of a trace. If regions are system calls, those that access no file are
    /// [`WorkClass::Other`].
    pub fn new(definitions: &Definitions, regions_are_system_calls: bool) -> Self {
        let by_name = ByName::new(definitions);
        let otherwise = regions_are_system_calls.then_some(WorkClass::Other);
        let class = |region: RegionRef, paradigm| match paradigm {
            Paradigm::Gaspi | Paradigm::Upc => WorkClass::Mpi,
            _ => WorkClass::of_metric(class_of(region, definitions, by_name).leaf),
        };
        let all = definitions.regions.values();
        let all = all.map(|region| (region.id, class(region.id, region.paradigm)));
        let of = all.filter(|(_, class)| *class != WorkClass::Computation).collect();
        WorkClasses { of, otherwise }
    }

    /// That of a region.
    pub fn of(&self, region: RegionRef) -> WorkClass {
        let otherwise = self.otherwise.unwrap_or(WorkClass::Computation);
        self.of.get(&region).copied().unwrap_or(otherwise)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_have_the_class_that_people_expect() {
        for (metric, class) in [
            (Metric::MPI_POINT2POINT, WorkClass::Mpi),
            (Metric::MPI_INIT_EXIT, WorkClass::Mpi),
            (Metric::MPI_IO_COLLECTIVE, WorkClass::Io),
            (Metric::MPI_MGMT_FILE, WorkClass::Io),
            (Metric::IO_META, WorkClass::Io),
            (Metric::COMP, WorkClass::Computation),
            (Metric::OMP_IBARRIER, WorkClass::Openmp),
            (Metric::PTHREAD_LOCK_API, WorkClass::Openmp),
            (Metric::HIP_TIME, WorkClass::Gpu),
            (Metric::SHMEM_TIME, WorkClass::Mpi),
            (Metric::OVERHEAD, WorkClass::Measurement),
        ] {
            assert_eq!(WorkClass::of_metric(metric), class, "{}", metric.id());
        }
        assert!(WorkClass::ALL.iter().enumerate().all(|(at, class)| *class as usize == at));
    }
}
