//! Regions as Score-P defines them.

use streamfold::model::enums::{Paradigm, RegionRole};

/// What a function of the program is called like a call of MPI begins with in the traces of these tests.
const WRAPPER: &str = "wrapper ";

/// The name that a region has where it is written.
pub fn written(name: &str) -> &str {
    name.strip_prefix(WRAPPER).unwrap_or(name)
}

/// The name by which a recorder that knows nothing but names defines a region; `None`: there is no such name.
pub fn plain_name(name: &str) -> Option<&str> {
    Some(match name {
        "omp parallel" | "omp parallel inner" => "OpenMP Parallel",
        "omp barrier" => "OpenMP barrier",
        "omp implicit barrier" => "OpenMP implicit barrier",
        "omp critical" => "OpenMP critical",
        // It is a function of the program.
        "omp critical sblock" => "critical part",
        "omp for" => "OpenMP For",
        "omp task" => "OpenMP Task run",
        "omp create task" => "OpenMP Task create",
        "omp taskwait" => "OpenMP Task wait",
        "omp ordered" => "OpenMP Ordered",
        "omp_set_lock" => "OpenMP Set Lock",
        "omp_unset_lock" => "OpenMP Unset Lock",
        "omp_set_nest_lock" => "OpenMP Set Nest Lock",
        "omp atomic" | "omp flush" | "omp_get_thread_num" | "MPI_My_exchange" => return None,
        _ if name.starts_with(WRAPPER) => return None,
        _ => name,
    })
}

/// Paradigm and role of a region by its name; `None` where the tests have no such region.
pub fn kind(name: &str) -> Option<(Paradigm, RegionRole)> {
    use Paradigm::{Compiler, MeasurementSystem, Mpi, Openmp, Pthread};
    use RegionRole as Role;

    if name.starts_with(WRAPPER) {
        return Some((Compiler, Role::Function));
    }
    let lower = name.to_lowercase();
    let lower = lower.trim_end_matches('_');
    if ["cu", "hip", "kernel", "Memcpy", "Memset"].iter().any(|with| name.starts_with(with)) {
        return Some((Paradigm::Cuda, Role::Function));
    }
    if let Some(call) = lower.strip_prefix("mpi") {
        return Some((Mpi, mpi(call.trim_start_matches('_'))));
    }
    Some(match name {
        "omp parallel" | "omp parallel inner" => (Openmp, Role::Parallel),
        "omp barrier" => (Openmp, Role::Barrier),
        "omp implicit barrier" => (Openmp, Role::ImplicitBarrier),
        "omp critical" => (Openmp, Role::Critical),
        "omp critical sblock" => (Openmp, Role::CriticalSblock),
        "omp for" => (Openmp, Role::Loop),
        "omp task" => (Openmp, Role::Task),
        "omp create task" => (Openmp, Role::TaskCreate),
        "omp taskwait" => (Openmp, Role::TaskWait),
        "omp atomic" => (Openmp, Role::Atomic),
        "omp ordered" => (Openmp, Role::Ordered),
        "omp flush" => (Openmp, Role::Flush),
        "omp_set_lock" | "omp_unset_lock" | "omp_set_nest_lock" | "omp_get_thread_num" => {
            (Openmp, Role::Function)
        }
        "pthread_create" => (Pthread, Role::ThreadCreate),
        "pthread_join" => (Pthread, Role::ThreadWait),
        _ if name.starts_with("pthread_") || name.starts_with("sem_") => (Pthread, Role::Function),
        "TRACE BUFFER FLUSH" => (MeasurementSystem, Role::Artificial),
        "program" => (MeasurementSystem, Role::Artificial),
        "main" | "foo" | "bar" | "worker" => (Compiler, Role::Function),
        "read" | "write" => (Paradigm::None, Role::FileIo),
        "open" | "lseek" => (Paradigm::None, Role::FileIoMetadata),
        _ => return None,
    })
}

/// The role of an MPI call.
fn mpi(call: &str) -> RegionRole {
    use RegionRole as Role;

    // The non-blocking ones have the roles of the blocking ones.
    match call.strip_prefix('i').unwrap_or(call) {
        "send" | "recv" | "bsend" | "ssend" | "rsend" | "probe" | "mprobe" | "mrecv" => {
            Role::Point2point
        }
        "sendrecv" | "sendrecv_replace" | "my_exchange" => Role::Point2point,
        "barrier" => Role::Barrier,
        "bcast" | "scatter" | "scatterv" => Role::CollOne2all,
        "gather" | "gatherv" | "reduce" => Role::CollAll2one,
        "allgather"
        | "allgatherv"
        | "alltoall"
        | "alltoallv"
        | "alltoallw"
        | "allreduce"
        | "reduce_scatter"
        | "reduce_scatter_block"
        | "neighbor_allgather" => Role::CollAll2all,
        "scan" | "exscan" => Role::CollOther,
        "put" | "get" => Role::Rma,
        "accumulate" | "fetch_and_op" => Role::Atomic,
        _ => Role::Function,
    }
}
