//! Several waits in one call: each tick counts once.

use streamfold::model::enums::CollectiveOp as Op;
use streamfold::model::enums::LockType::Exclusive;
use streamfold::model::enums::Paradigm::Openmp;
use streamfold::model::events::Event;

use super::Example;
use crate::waitstates::events::{
    acquire, begin, closed, end, lock_release, lock_request, on_window, opened, release, rma_begin,
    rma_end, NONE,
};
use crate::waitstates::trace::Trace;

pub fn examples() -> Vec<Example> {
    vec![locks(), later_lock(), windows(), epochs(), finalize(), free()]
}

const CRITICAL: &str = "omp critical";
const CONTENTION: &str = "omp_lock_contention_critical";

/// The first thread has two locks from 1 on, the second waits for both in one call from 0 to 22.
fn two_locks(released: [u64; 2]) -> Trace {
    let mut t = Trace::new(&[2]);
    let on = t.on(0).enter(0, "main").enter(0, CRITICAL);
    let on = on.at(1, acquire(Openmp, 0, 1)).at(1, acquire(Openmp, 1, 1)).leave(1);
    let on = on.at(released[0], release(Openmp, 0, 1)).at(released[1], release(Openmp, 1, 1));
    on.leave(30);
    let on = t.on(1).enter(0, "main").enter(0, CRITICAL);
    let on = on.at(20, acquire(Openmp, 0, 2)).at(20, acquire(Openmp, 1, 2));
    on.at(21, release(Openmp, 0, 2)).at(21, release(Openmp, 1, 2)).leave(22).leave(30);
    t
}

fn locks() -> Example {
    Example::new("two locks in one call", two_locks([18, 18]))
        .waits(CONTENTION, CRITICAL, 1, 18)
        .takes("threads", 1, 22)
        .takes("computation", 1, 8)
}

fn later_lock() -> Example {
    Example::new("two locks in one call, one after the other", two_locks([12, 18]))
        .waits(CONTENTION, CRITICAL, 1, 18)
}

/// Both windows of a process are locked in one call.
fn windows() -> Example {
    let mut t = Trace::of(2);
    let both = |time: u64, event: Event<'static>| [(time, event), (time, on_window(1, event))];
    let request = |time: u64| both(time, lock_request(1, Exclusive));
    let give = |time: u64| both(time, lock_release(1));
    let on = t.on(0).enter(0, "main").call("MPI_Win_lock", 0, 1, &request(0));
    on.call("MPI_Win_unlock", 17, 19, &give(18)).leave(30);
    let on = t.on(10).enter(0, "main").call("MPI_Win_lock", 1, 20, &request(2));
    on.call("MPI_Win_unlock", 21, 23, &give(22)).leave(30);
    Example::new("two windows locked in one call", t)
        .waits("mpi_rma_sync_lock_competition", "MPI_Win_lock", 10, 17)
        .takes("mpi", 10, 19 + 2)
}

/// Access to two windows begins in one call, and ends in two, of which the second waits for the other process.
fn epochs() -> Example {
    let mut t = Trace::of(2);
    let (origin, target) = (t.group(&[0]), t.group(&[1]));
    let both = |time: u64, event: Event<'static>| [(time, event), (time, on_window(1, event))];
    let on = t.on(0).call("MPI_Win_start", 0, 2, &both(1, opened(target)));
    let on = on.call("MPI_Win_complete", 3, 6, &[(5, closed(target))]);
    on.call("MPI_Win_complete", 10, 40, &[(39, on_window(1, closed(target)))]);
    let on = t.on(10).call("MPI_Win_post", 0, 2, &[(1, opened(origin))]);
    let on = on.call("MPI_Win_post", 30, 32, &[(31, on_window(1, opened(origin)))]);
    on.call("MPI_Win_wait", 50, 60, &both(55, closed(origin)));
    Example::new("two epochs begun in one call", t).waits(
        "mpi_rma_sync_late_post",
        "MPI_Win_complete",
        0,
        20,
    )
}

/// Of the barrier the last tick only is not that of the wait at finalize.
fn finalize() -> Example {
    let mut t = Trace::of(2);
    let barrier = |time: u64| [(time, begin()), (38, end(Op::Barrier, NONE, 0, 0))];
    t.on(0).call("MPI_Finalize", 0, 40, &barrier(1));
    t.on(10).enter(0, "main").call("MPI_Finalize", 35, 40, &barrier(36)).leave(41);
    Example::new("a barrier in finalize", t)
        .waits("mpi_finalize_wait", "MPI_Finalize", 0, 35)
        .waits("mpi_barrier_wait", "MPI_Finalize", 0, 1)
        .takes("mpi", 0, 40)
}

fn free() -> Example {
    let mut t = Trace::of(2);
    let inside = |free: u64, barrier: u64| {
        let barrier = [(barrier, begin()), (38, end(Op::Barrier, NONE, 0, 0))];
        let free = [(free, rma_begin()), (39, rma_end(Op::DestroyHandle))];
        [free[0], barrier[0], barrier[1], free[1]]
    };
    t.on(0).call("MPI_Win_free", 0, 40, &inside(1, 2));
    t.on(10).enter(0, "main").call("MPI_Win_free", 35, 40, &inside(35, 36)).leave(41);
    Example::new("a barrier in the end of a window", t)
        .waits("mpi_rma_wait_at_free", "MPI_Win_free", 0, 34)
        .waits("mpi_barrier_wait", "MPI_Win_free", 0, 1)
}
