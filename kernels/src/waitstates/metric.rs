//! Waits: a tree in which each includes the time of its children. A wait is a part of a class of time.

use serde::{Deserialize, Serialize};

use crate::account::Class;

/// A kind of wait, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Metric(u8);

/// The description of a wait.
struct Known {
    /// Its name in the field.
    id: &'static str,
    title: &'static str,
    /// The wait of which it is a part, or the class of time.
    of: Whole,
}

/// The whole of which a wait is a part.
#[derive(Clone, Copy)]
enum Whole {
    Wait(Metric),
    Time(Class),
}

/// Lists waits, parents first: `CONSTANT "id" (parent) "title"`, or `[class]` in place of the parent.
macro_rules! metrics {
    ($($name:ident $id:literal $(($parent:ident))? $([$class:ident])? $title:literal;)*) => {
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
            $(of: Whole::Wait(Metric::$parent),)?
            $(of: Whole::Time(Class::$class),)?
        }),*];
    };
}

metrics! {
    MPI_INIT_COMPLETION "mpi_init_completion" [StartUp] "Init completion";
    MPI_FINALIZE_WAIT "mpi_finalize_wait" [StartUp] "Wait at finalize";
    MPI_RMA_WAIT_AT_CREATE "mpi_rma_wait_at_create" [Management] "Wait at window create";
    MPI_RMA_WAIT_AT_FREE "mpi_rma_wait_at_free" [Management] "Wait at window free";
    MPI_BARRIER_WAIT "mpi_barrier_wait" [Collective] "Wait at barrier";
    MPI_BARRIER_COMPLETION "mpi_barrier_completion" [Collective] "Barrier completion";
    MPI_RMA_SYNC_LATE_POST "mpi_rma_sync_late_post" [OneSided] "Late post";
    MPI_RMA_EARLY_WAIT "mpi_rma_early_wait" [OneSided] "Early wait";
    MPI_RMA_LATE_COMPLETE "mpi_rma_late_complete" (MPI_RMA_EARLY_WAIT) "Late complete";
    MPI_RMA_WAIT_AT_FENCE "mpi_rma_wait_at_fence" [OneSided] "Wait at fence";
    MPI_RMA_EARLY_FENCE "mpi_rma_early_fence" (MPI_RMA_WAIT_AT_FENCE) "Early fence";
    MPI_RMA_SYNC_LOCK_COMPETITION "mpi_rma_sync_lock_competition" [OneSided] "Lock competition (lock)";
    MPI_LATESENDER "mpi_latesender" [PointToPoint] "Late sender";
    MPI_LATESENDER_WO "mpi_latesender_wo" (MPI_LATESENDER) "Wrong order";
    MPI_LSWO_DIFFERENT "mpi_lswo_different" (MPI_LATESENDER_WO) "From another source";
    MPI_LSWO_SAME "mpi_lswo_same" (MPI_LATESENDER_WO) "From the same source";
    MPI_LATERECEIVER "mpi_latereceiver" [PointToPoint] "Late receiver";
    MPI_EARLYREDUCE "mpi_earlyreduce" [Collective] "Early reduce";
    MPI_EARLYSCAN "mpi_earlyscan" [Collective] "Early scan";
    MPI_LATEBROADCAST "mpi_latebroadcast" [Collective] "Late broadcast";
    MPI_WAIT_NXN "mpi_wait_nxn" [Collective] "Wait at N x N";
    MPI_NXN_COMPLETION "mpi_nxn_completion" [Collective] "N x N completion";
    MPI_RMA_COMM_LATE_POST "mpi_rma_comm_late_post" [OneSided] "Early transfer";
    MPI_RMA_COMM_LOCK_COMPETITION "mpi_rma_comm_lock_competition" [OneSided] "Lock competition (transfer)";
    OMP_MANAGEMENT "omp_management" [ForkJoin] "Fork and join";
    OMP_FORK "omp_fork" (OMP_MANAGEMENT) "Fork";
    OMP_EBARRIER_WAIT "omp_ebarrier_wait" [Barriers] "Wait at explicit barrier";
    OMP_IBARRIER_WAIT "omp_ibarrier_wait" [Barriers] "Wait at implicit barrier";
    OMP_LOCK_CONTENTION_CRITICAL "omp_lock_contention_critical" [Locks] "Contention (critical)";
    OMP_LOCK_CONTENTION_API "omp_lock_contention_api" [Locks] "Contention (lock)";
    PTHREAD_JOIN_WAIT "pthread_join_wait" [OtherThreads] "Wait at join";
    PTHREAD_LOCK_CONTENTION_MUTEX_LOCK "pthread_lock_contention_mutex_lock" [Locks] "Contention (mutex)";
    PTHREAD_LOCK_CONTENTION_CONDITIONAL "pthread_lock_contention_conditional" [Locks] "Contention (condition)";
    OMP_IDLE_THREADS "omp_idle_threads" [AnyIdle] "Unused threads";
    OMP_LIMITED_PARALLELISM "omp_limited_parallelism" (OMP_IDLE_THREADS) "Limited parallelism";
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

    /// The wait whose time has that of this one; `None`: it is a whole one.
    pub fn parent(self) -> Option<Metric> {
        match self.known().of {
            Whole::Wait(parent) => Some(parent),
            Whole::Time(_) => None,
        }
    }

    /// The class of time that it is a part of.
    pub fn class(self) -> Class {
        match self.known().of {
            Whole::Wait(parent) => parent.class(),
            Whole::Time(class) => class,
        }
    }

    /// Returns whether its time is not that of the call path at which it is found.
    pub fn is_of_no_timeline(self) -> bool {
        [Metric::OMP_IDLE_THREADS, Metric::OMP_MANAGEMENT].contains(&self)
    }

    /// Returns whether it is the work of the operation itself, and nobody is waited for.
    pub fn is_completion(self) -> bool {
        [Metric::MPI_INIT_COMPLETION, Metric::MPI_BARRIER_COMPLETION, Metric::MPI_NXN_COMPLETION]
            .contains(&self)
    }

    /// How many are above it.
    pub fn depth(self) -> usize {
        std::iter::successors(self.parent(), |metric| metric.parent()).count()
    }

    /// Its number, to be written.
    pub(crate) fn number(self) -> u8 {
        self.0
    }

    /// Returns the metric of a number.
    pub(crate) fn of_number(number: u64) -> Option<Metric> {
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
    }

    /// Tables of waits have titles without what is above them.
    #[test]
    fn waits_are_told_apart_by_their_titles() {
        for metric in Metric::all() {
            let same = Metric::all().filter(|other| other.title() == metric.title());
            assert_eq!(same.count(), 1, "{}", metric.title());
        }
    }
}
