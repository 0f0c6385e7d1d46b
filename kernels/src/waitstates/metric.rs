//! Metrics of time: a tree in which each metric includes the time of its children.

use serde::{Deserialize, Serialize};

/// A metric of time, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Metric(u8);

/// The description of a metric.
struct Known {
    /// Its name in the field.
    id: &'static str,
    title: &'static str,
    parent: Option<Metric>,
    /// Set if it is found by comparing locations: then there are instances of it.
    is_wait: bool,
}

/// Lists metrics, parents first: `CONSTANT "id" "title" (parent)`; a `*` before the title: it is found by
/// comparing locations.
macro_rules! metrics {
    ($($name:ident $id:literal $(($parent:ident))? $title:literal $($wait:ident)?;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[repr(u8)]
        enum Number { $($name),* }

        #[allow(missing_docs)] // their titles say what they are
        impl Metric {
            $(pub const $name: Metric = Metric(Number::$name as u8);)*
        }

        const KNOWN: &[Known] = &[$(Known {
            id: $id,
            title: $title,
            parent: metrics!(@parent $($parent)?),
            is_wait: metrics!(@wait $($wait)?),
        }),*];
    };
    (@parent) => { None };
    (@parent $parent:ident) => { Some(Metric::$parent) };
    (@wait) => { false };
    (@wait wait) => { true };
}

metrics! {
    TIME "time" "Time";
    EXECUTION "execution" (TIME) "Execution";
    COMP "comp" (EXECUTION) "Computation";
    IO "io_time" (COMP) "File I/O outside of MPI";
    IO_META "io_meta_time" (IO) "File metadata";
    MPI "mpi" (EXECUTION) "MPI";
    MPI_MANAGEMENT "mpi_management" (MPI) "Management";
    MPI_INIT_EXIT "mpi_init_exit" (MPI_MANAGEMENT) "Init and finalize";
    MPI_INIT_COMPLETION "mpi_init_completion" (MPI_INIT_EXIT) "Init completion" wait;
    MPI_FINALIZE_WAIT "mpi_finalize_wait" (MPI_INIT_EXIT) "Wait at finalize" wait;
    MPI_MGMT_COMM "mpi_mgmt_comm" (MPI_MANAGEMENT) "Communicators";
    MPI_MGMT_FILE "mpi_mgmt_file" (MPI_MANAGEMENT) "Files";
    MPI_MGMT_WIN "mpi_mgmt_win" (MPI_MANAGEMENT) "Windows";
    MPI_RMA_WAIT_AT_CREATE "mpi_rma_wait_at_create" (MPI_MGMT_WIN) "Wait at window create" wait;
    MPI_RMA_WAIT_AT_FREE "mpi_rma_wait_at_free" (MPI_MGMT_WIN) "Wait at window free" wait;
    MPI_SYNCHRONIZATION "mpi_synchronization" (MPI) "Synchronization";
    MPI_SYNC_COLLECTIVE "mpi_sync_collective" (MPI_SYNCHRONIZATION) "Barriers";
    MPI_BARRIER_WAIT "mpi_barrier_wait" (MPI_SYNC_COLLECTIVE) "Wait at barrier" wait;
    MPI_BARRIER_COMPLETION "mpi_barrier_completion" (MPI_SYNC_COLLECTIVE) "Barrier completion" wait;
    MPI_RMA_SYNCHRONIZATION "mpi_rma_synchronization" (MPI_SYNCHRONIZATION) "Remote memory";
    MPI_RMA_SYNC_ACTIVE "mpi_rma_sync_active" (MPI_RMA_SYNCHRONIZATION) "Active target";
    MPI_RMA_SYNC_LATE_POST "mpi_rma_sync_late_post" (MPI_RMA_SYNC_ACTIVE) "Late post" wait;
    MPI_RMA_EARLY_WAIT "mpi_rma_early_wait" (MPI_RMA_SYNC_ACTIVE) "Early wait" wait;
    MPI_RMA_LATE_COMPLETE "mpi_rma_late_complete" (MPI_RMA_EARLY_WAIT) "Late complete" wait;
    MPI_RMA_WAIT_AT_FENCE "mpi_rma_wait_at_fence" (MPI_RMA_SYNC_ACTIVE) "Wait at fence" wait;
    MPI_RMA_EARLY_FENCE "mpi_rma_early_fence" (MPI_RMA_WAIT_AT_FENCE) "Early fence" wait;
    MPI_RMA_SYNC_PASSIVE "mpi_rma_sync_passive" (MPI_RMA_SYNCHRONIZATION) "Passive target";
    MPI_RMA_SYNC_LOCK_COMPETITION "mpi_rma_sync_lock_competition" (MPI_RMA_SYNC_PASSIVE) "Lock competition (lock)" wait;
    MPI_COMMUNICATION "mpi_communication" (MPI) "Communication";
    MPI_POINT2POINT "mpi_point2point" (MPI_COMMUNICATION) "Point to point";
    MPI_LATESENDER "mpi_latesender" (MPI_POINT2POINT) "Late sender" wait;
    MPI_LATESENDER_WO "mpi_latesender_wo" (MPI_LATESENDER) "Wrong order" wait;
    MPI_LSWO_DIFFERENT "mpi_lswo_different" (MPI_LATESENDER_WO) "From another source" wait;
    MPI_LSWO_SAME "mpi_lswo_same" (MPI_LATESENDER_WO) "From the same source" wait;
    MPI_LATERECEIVER "mpi_latereceiver" (MPI_POINT2POINT) "Late receiver" wait;
    MPI_COLLECTIVE "mpi_collective" (MPI_COMMUNICATION) "Collective";
    MPI_EARLYREDUCE "mpi_earlyreduce" (MPI_COLLECTIVE) "Early reduce" wait;
    MPI_EARLYSCAN "mpi_earlyscan" (MPI_COLLECTIVE) "Early scan" wait;
    MPI_LATEBROADCAST "mpi_latebroadcast" (MPI_COLLECTIVE) "Late broadcast" wait;
    MPI_WAIT_NXN "mpi_wait_nxn" (MPI_COLLECTIVE) "Wait at N x N" wait;
    MPI_NXN_COMPLETION "mpi_nxn_completion" (MPI_COLLECTIVE) "N x N completion" wait;
    MPI_RMA_COMMUNICATION "mpi_rma_communication" (MPI_COMMUNICATION) "Remote memory";
    MPI_RMA_COMM_LATE_POST "mpi_rma_comm_late_post" (MPI_RMA_COMMUNICATION) "Early transfer" wait;
    MPI_RMA_COMM_LOCK_COMPETITION "mpi_rma_comm_lock_competition" (MPI_RMA_COMMUNICATION) "Lock competition (transfer)" wait;
    MPI_IO "mpi_io" (MPI) "File I/O";
    MPI_IO_INDIVIDUAL "mpi_io_individual" (MPI_IO) "Individual";
    MPI_IO_COLLECTIVE "mpi_io_collective" (MPI_IO) "Collective";
    OMP_TIME "omp_time" (EXECUTION) "OpenMP";
    OMP_MANAGEMENT "omp_management" (OMP_TIME) "Fork and join" wait;
    OMP_FORK "omp_fork" (OMP_MANAGEMENT) "Fork" wait;
    OMP_SYNCHRONIZATION "omp_synchronization" (OMP_TIME) "Synchronization";
    OMP_BARRIER "omp_barrier" (OMP_SYNCHRONIZATION) "Barriers";
    OMP_EBARRIER "omp_ebarrier" (OMP_BARRIER) "Explicit barriers";
    OMP_EBARRIER_WAIT "omp_ebarrier_wait" (OMP_EBARRIER) "Wait at explicit barrier" wait;
    OMP_IBARRIER "omp_ibarrier" (OMP_BARRIER) "Implicit barriers";
    OMP_IBARRIER_WAIT "omp_ibarrier_wait" (OMP_IBARRIER) "Wait at implicit barrier" wait;
    OMP_CRITICAL "omp_critical" (OMP_SYNCHRONIZATION) "Critical and atomic";
    OMP_LOCK_CONTENTION_CRITICAL "omp_lock_contention_critical" (OMP_CRITICAL) "Contention (critical)" wait;
    OMP_LOCK_API "omp_lock_api" (OMP_SYNCHRONIZATION) "Locks";
    OMP_LOCK_CONTENTION_API "omp_lock_contention_api" (OMP_LOCK_API) "Contention (lock)" wait;
    OMP_ORDERED "omp_ordered" (OMP_SYNCHRONIZATION) "Ordered";
    OMP_TASKWAIT "omp_taskwait" (OMP_SYNCHRONIZATION) "Wait for tasks";
    OMP_FLUSH "omp_flush" (OMP_TIME) "Flush";
    PTHREAD_TIME "pthread_time" (EXECUTION) "POSIX threads";
    PTHREAD_MANAGEMENT "pthread_management" (PTHREAD_TIME) "Management";
    PTHREAD_JOIN_WAIT "pthread_join_wait" (PTHREAD_MANAGEMENT) "Wait at join" wait;
    PTHREAD_SYNCHRONIZATION "pthread_synchronization" (PTHREAD_TIME) "Synchronization";
    PTHREAD_LOCK_API "pthread_lock_api" (PTHREAD_SYNCHRONIZATION) "Mutexes";
    PTHREAD_LOCK_CONTENTION_MUTEX_LOCK "pthread_lock_contention_mutex_lock" (PTHREAD_LOCK_API) "Contention (mutex)" wait;
    PTHREAD_CONDITIONAL "pthread_conditional" (PTHREAD_SYNCHRONIZATION) "Conditions";
    PTHREAD_LOCK_CONTENTION_CONDITIONAL "pthread_lock_contention_conditional" (PTHREAD_CONDITIONAL) "Contention (condition)" wait;
    SHMEM_TIME "shmem_time" (EXECUTION) "SHMEM";
    OPENACC_TIME "openacc_time" (EXECUTION) "OpenACC";
    OPENCL_TIME "opencl_time" (EXECUTION) "OpenCL";
    CUDA_TIME "cuda_time" (EXECUTION) "CUDA";
    HIP_TIME "hip_time" (EXECUTION) "HIP";
    OVERHEAD "overhead" (TIME) "Measurement";
    OMP_IDLE_THREADS "omp_idle_threads" (TIME) "Idle threads" wait;
    OMP_LIMITED_PARALLELISM "omp_limited_parallelism" (OMP_IDLE_THREADS) "Limited parallelism" wait;
    IDLE_GPUS "idle_gpus" (TIME) "Idle accelerators";
    MEASUREMENT_OFF "measurement_off" (TIME) "Recording off";
    OUTSIDE "outside" (TIME) "Outside of all regions";
}

impl Metric {
    /// How many there are.
    pub const COUNT: usize = KNOWN.len();

    /// All of them, parents first.
    pub fn all() -> impl DoubleEndedIterator<Item = Metric> {
        (0..KNOWN.len() as u8).map(Metric)
    }

    /// As an index into what has a place for each metric.
    pub fn index(self) -> usize {
        self.0.into()
    }

    fn known(self) -> &'static Known {
        &KNOWN[self.index()]
    }

    /// By what it is known in the field.
    pub fn id(self) -> &'static str {
        self.known().id
    }

    /// For people.
    pub fn title(self) -> &'static str {
        self.known().title
    }

    /// The metric whose time has that of this one.
    pub fn parent(self) -> Option<Metric> {
        self.known().parent
    }

    /// Returns whether it is found by comparing locations.
    pub fn is_wait(self) -> bool {
        self.known().is_wait
    }

    /// Returns whether its time is not that of the call path at which it is found.
    pub(super) fn is_of_no_timeline(self) -> bool {
        [Metric::OMP_IDLE_THREADS, Metric::OMP_MANAGEMENT].contains(&self)
    }

    /// How many are above it.
    pub fn depth(self) -> usize {
        std::iter::successors(self.parent(), |metric| metric.parent()).count()
    }

    /// Its number, to be written.
    pub(super) fn number(self) -> u8 {
        self.0
    }

    /// Returns the metric of a number.
    pub(super) fn of_number(number: u64) -> Option<Metric> {
        ((number as usize) < KNOWN.len() && number < 256).then_some(Metric(number as u8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_come_first_and_names_are_given_once() {
        for metric in Metric::all() {
            assert!(metric.parent().is_none_or(|parent| parent < metric), "{}", metric.id());
            assert_eq!(Metric::all().filter(|other| other.id() == metric.id()).count(), 1);
        }
        assert_eq!(Metric::all().filter(|metric| metric.parent().is_none()).count(), 1);
    }

    /// Tables of waits have titles without what is above them.
    #[test]
    fn waits_are_told_apart_by_their_titles() {
        let waits = || Metric::all().filter(|metric| metric.is_wait());
        for metric in waits() {
            let same = waits().filter(|other| other.title() == metric.title());
            assert_eq!(same.count(), 1, "{}", metric.title());
        }
    }
}
