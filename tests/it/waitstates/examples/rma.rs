//! Access to the memory of others.

use streamfold::model::enums::CollectiveOp as Op;
use streamfold::model::enums::LockType::{self, Exclusive, Shared};

use super::Example;
use crate::waitstates::events::{
    closed, get, lock_acquire, lock_release, lock_request, not_yet, opened, put, rma_begin, rma_end,
};
use crate::waitstates::trace::Trace;

pub fn examples() -> Vec<Example> {
    let mut all = late_posts();
    all.extend(early_waits());
    all.extend(fences());
    all.extend(windows());
    all.extend(locks());
    all
}

const LATE_POST: &str = "mpi_rma_sync_late_post";
const LATE_POST_COMM: &str = "mpi_rma_comm_late_post";

type Call = (u64, u64);

/// Process 0 puts something into the memory of 1: its calls, and those of 1.
fn epoch(start: Call, putting: Call, complete: Call, post: Call, wait: Call) -> Trace {
    let mut t = Trace::of(2);
    let (origin, target) = (t.group(&[0]), t.group(&[1]));
    let on = t.on(0).call("MPI_Win_start", start.0, start.1, &[(start.1, opened(target))]);
    let on = on.call("MPI_Put", putting.0, putting.1, &[(putting.0, put(1))]);
    on.call("MPI_Win_complete", complete.0, complete.1, &[(complete.1, closed(target))]);
    let on = t.on(10).call("MPI_Win_post", post.0, post.1, &[(post.1, opened(origin))]);
    on.call("MPI_Win_wait", wait.0, wait.1, &[(wait.1, closed(origin))]);
    t
}

/// Process 0 puts into 1 and 2, which post at two times.
fn two_targets(puts: [Call; 2], complete: Call, posts: [u64; 2]) -> Trace {
    let mut t = Trace::of(3);
    let (origin, targets) = (t.group(&[0]), t.group(&[1, 2]));
    let on = t.on(0).call("MPI_Win_start", 10, 11, &[(11, opened(targets))]);
    let on = on.call("MPI_Put", puts[0].0, puts[0].1, &[(puts[0].0, put(1))]);
    let on = on.call("MPI_Put", puts[1].0, puts[1].1, &[(puts[1].0, put(2))]);
    on.call("MPI_Win_complete", complete.0, complete.1, &[(complete.1, closed(targets))]);
    for (location, post) in [(10, posts[0]), (20, posts[1])] {
        let on = t.on(location).call("MPI_Win_post", post, post + 2, &[(post + 2, opened(origin))]);
        on.call("MPI_Win_wait", 90, 95, &[(95, closed(origin))]);
    }
    t
}

fn late_posts() -> Vec<Example> {
    let post = (40, 42);
    let in_complete = epoch((10, 11), (12, 14), (15, 60), post, (70, 75));
    let in_start = epoch((10, 42), (43, 44), (45, 46), post, (70, 75));
    let in_put = epoch((10, 11), (12, 44), (45, 46), post, (70, 75));
    let both = two_targets([(12, 13), (14, 15)], (16, 60), [40, 50]);
    let each = two_targets([(12, 44), (45, 70)], (71, 72), [40, 60]);
    vec![
        Example::new("W15", in_complete).waits(LATE_POST, "MPI_Win_complete", 0, 25),
        Example::new("W15, start", in_start).waits(LATE_POST, "MPI_Win_start", 0, 30),
        Example::new("W15, put", in_put).waits(LATE_POST_COMM, "MPI_Put", 0, 28),
        Example::new("late posts of two targets", both).waits(
            LATE_POST,
            "MPI_Win_complete",
            0,
            50 - 16,
        ),
        Example::new("late posts of two targets, put", each).waits(
            LATE_POST_COMM,
            "MPI_Put",
            0,
            28 + 15,
        ),
    ]
}

fn early_waits() -> Vec<Example> {
    const WAIT: &str = "mpi_rma_early_wait";
    const COMPLETE: &str = "mpi_rma_late_complete";
    let w16 = epoch((5, 6), (20, 25), (50, 55), (0, 2), (10, 70));

    // The later of both completes at 50; the last operation ends at 30.
    let mut origins = Trace::of(3);
    let (both, target) = (origins.group(&[0, 1]), origins.group(&[2]));
    for (location, put_from, complete) in [(0, 20, 40), (10, 28, 50)] {
        let on = origins.on(location).call("MPI_Win_start", 5, 6, &[(6, opened(target))]);
        let on = on.call("MPI_Put", put_from, put_from + 2, &[(put_from, put(2))]);
        let end = complete + 5;
        on.call("MPI_Win_complete", complete, end, &[(end, closed(target))]);
    }
    let on = origins.on(20).call("MPI_Win_post", 0, 2, &[(2, opened(both))]);
    on.call("MPI_Win_wait", 10, 70, &[(70, closed(both))]);

    // A test does not block, and one without success ends nothing.
    let mut tested = Trace::of(2);
    let (origin, target) = (tested.group(&[0]), tested.group(&[1]));
    let on = tested.on(0).call("MPI_Win_start", 5, 6, &[(6, opened(target))]);
    on.call("MPI_Win_complete", 50, 55, &[(55, closed(target))]);
    let on = tested.on(10).call("MPI_Win_post", 0, 2, &[(2, opened(origin))]);
    let on = on.call("MPI_Win_test", 10, 30, &[(30, not_yet(origin))]);
    on.call("MPI_Win_test", 40, 60, &[(60, closed(origin))]);

    // Without operations all of the wait is for the complete.
    let mut empty = Trace::of(2);
    let (origin, target) = (empty.group(&[0]), empty.group(&[1]));
    let on = empty.on(0).call("MPI_Win_start", 5, 6, &[(6, opened(target))]);
    on.call("MPI_Win_complete", 50, 55, &[(55, closed(target))]);
    let on = empty.on(10).call("MPI_Win_post", 0, 2, &[(2, opened(origin))]);
    on.call("MPI_Win_wait", 10, 70, &[(70, closed(origin))]);

    // The wait ends 15 before the origin completes: all of it, and a violation.
    let clock = epoch((5, 6), (20, 25), (50, 55), (0, 2), (10, 35));

    vec![
        Example::new("early wait with clock error", clock)
            .waits(WAIT, "MPI_Win_wait", 10, 25)
            .waits(COMPLETE, "MPI_Win_wait", 10, 10)
            .violates("rma", 1, 15),
        Example::new("W16", w16).waits(WAIT, "MPI_Win_wait", 10, 40).waits(
            COMPLETE,
            "MPI_Win_wait",
            10,
            25,
        ),
        Example::new("early wait for two", origins).waits(WAIT, "MPI_Win_wait", 20, 40).waits(
            COMPLETE,
            "MPI_Win_wait",
            20,
            20,
        ),
        Example::new("early wait in a test", tested),
        Example::new("early wait without operations", empty)
            .waits(WAIT, "MPI_Win_wait", 10, 40)
            .waits(COMPLETE, "MPI_Win_wait", 10, 40),
    ]
}

const FENCE: &str = "MPI_Win_fence";

/// Calls of two processes with records at their ends; process 1 puts something into 0 before.
fn collective(call: &str, op: Op, times: [Call; 2], putting: Option<Call>) -> Trace {
    let mut t = Trace::of(2);
    if let Some((from, to)) = putting {
        t.on(10).call("MPI_Put", from, to, &[(from, put(0))]);
    }
    for (location, (from, to)) in [(0, times[0]), (10, times[1])] {
        t.on(location).call(call, from, to, &[(from, rma_begin()), (to, rma_end(op))]);
    }
    t
}

fn fences() -> Vec<Example> {
    const WAIT: &str = "mpi_rma_wait_at_fence";
    const EARLY: &str = "mpi_rma_early_fence";
    let fence = |times, putting| collective(FENCE, Op::Barrier, times, putting);
    let w17 = fence([(10, 62), (50, 60)], Some((20, 40)));
    let apart = fence([(10, 30), (50, 60)], Some((20, 40)));
    let without = fence([(10, 62), (50, 60)], None);
    let before = fence([(10, 62), (50, 60)], Some((5, 8)));
    // Only operations since the fence before count.
    let mut second = fence([(10, 62), (50, 60)], Some((20, 40)));
    for (location, from) in [(0, 70), (10, 80)] {
        let records = [(from, rma_begin()), (90, rma_end(Op::Barrier))];
        second.on(location).call(FENCE, from, 90, &records);
    }
    vec![
        Example::new("W17", w17).waits(WAIT, FENCE, 0, 40).waits(EARLY, FENCE, 0, 30),
        Example::new("W17, apart", apart),
        Example::new("a fence without operations", without).waits(WAIT, FENCE, 0, 40),
        Example::new("a fence after operations", before).waits(WAIT, FENCE, 0, 40),
        Example::new("two fences", second)
            .waits(WAIT, FENCE, 0, 40 + 10)
            .waits(EARLY, FENCE, 0, 30),
    ]
}

fn windows() -> Vec<Example> {
    const CREATE: &str = "mpi_rma_wait_at_create";
    const FREE: &str = "mpi_rma_wait_at_free";
    let times = [(10, 62), (50, 60)];
    let of = |call, op| collective(call, op, times, None);
    let mut all = Vec::new();
    for (call, op) in [
        ("MPI_Win_create", Op::CreateHandle),
        ("MPI_Win_allocate", Op::CreateHandleAndAllocate),
        ("MPI_Win_create_dynamic", Op::CreateHandle),
    ] {
        all.push(Example::new("create", of(call, op)).waits(CREATE, call, 0, 40));
    }
    for op in [Op::DestroyHandle, Op::DestroyHandleAndDeallocate] {
        let free = of("MPI_Win_free", op);
        all.push(Example::new("free", free).waits(FREE, "MPI_Win_free", 0, 40));
    }
    let apart = collective("MPI_Win_create", Op::CreateHandle, [(10, 30), (50, 60)], None);
    all.push(Example::new("create, apart", apart));
    all
}

/// Origin 0 has the memory of process 2 locked from 0 until it is released at 29; origin 1 wants it, too.
fn contention(types: [LockType; 2], lock: Call, putting: Call, unlock: Call) -> Trace {
    let mut t = Trace::of(3);
    let on = t.on(0).call("MPI_Win_lock", 0, 1, &[(0, lock_request(2, types[0]))]);
    let on = on.call("MPI_Put", 2, 3, &[(2, put(2))]);
    on.call("MPI_Win_unlock", 4, 30, &[(29, lock_release(2))]);
    let on = t.on(10).call("MPI_Win_lock", lock.0, lock.1, &[(lock.0, lock_request(2, types[1]))]);
    let on = on.call("MPI_Get", putting.0, putting.1, &[(putting.0, get(2))]);
    on.call("MPI_Win_unlock", unlock.0, unlock.1, &[(unlock.1, lock_release(2))]);
    t
}

fn locks() -> Vec<Example> {
    const SYNC: &str = "mpi_rma_sync_lock_competition";
    const COMM: &str = "mpi_rma_comm_lock_competition";
    let in_lock = |types| contention(types, (10, 31), (32, 33), (34, 40));
    let in_get = contention([Exclusive; 2], (10, 11), (12, 31), (34, 40));
    let in_unlock = contention([Exclusive; 2], (10, 11), (12, 13), (14, 40));
    // It asked after the release.
    let after = contention([Exclusive; 2], (30, 40), (41, 42), (43, 44));
    // The acquisition is recorded, too, in the call that waited.
    let mut acquired = Trace::of(2);
    let on = acquired.on(0).call("MPI_Win_lock", 0, 1, &[(0, lock_request(1, Exclusive))]);
    on.call("MPI_Win_unlock", 4, 30, &[(29, lock_release(1))]);
    let records = [(10, lock_request(1, Exclusive)), (30, lock_acquire(1, Exclusive))];
    let on = acquired.on(10).call("MPI_Win_lock", 10, 31, &records);
    on.call("MPI_Win_unlock", 34, 40, &[(40, lock_release(1))]);
    // Its acquisition is recorded in the lock call, which was over before: nobody knows what it waits for
    // in the unlock call.
    let mut before = Trace::of(2);
    let on = before.on(0).call("MPI_Win_lock", 0, 1, &[(0, lock_request(1, Exclusive))]);
    on.call("MPI_Win_unlock", 4, 30, &[(29, lock_release(1))]);
    let records = [(10, lock_request(1, Exclusive)), (11, lock_acquire(1, Exclusive))];
    let on = before.on(10).call("MPI_Win_lock", 10, 11, &records);
    on.call("MPI_Win_unlock", 14, 40, &[(40, lock_release(1))]);
    // Of two locks before, one is released at 5 and the other together with the one that waits: only the
    // first was released before.
    let mut together = Trace::of(2);
    let on = together.on(0).call("MPI_Win_lock", 1, 2, &[(1, lock_request(0, Shared))]);
    let on = on.call("MPI_Win_unlock", 3, 5, &[(5, lock_release(0))]);
    let on = on.call("MPI_Win_lock", 8, 9, &[(8, lock_request(0, Shared))]);
    on.call("MPI_Win_unlock", 15, 16, &[(16, lock_release(0))]);
    let on = together.on(10).call("MPI_Win_lock", 0, 10, &[(0, lock_request(0, Exclusive))]);
    on.call("MPI_Win_unlock", 14, 17, &[(16, lock_release(0))]);
    let exclusive_shared =
        [[Exclusive, Exclusive], [Exclusive, Shared], [Shared, Exclusive]].into_iter();
    let mut all: Vec<_> = exclusive_shared
        .map(|types| Example::new("locked", in_lock(types)).waits(SYNC, "MPI_Win_lock", 10, 19))
        .collect();
    all.extend([
        Example::new("both shared", in_lock([Shared, Shared])),
        Example::new("locked, get", in_get).waits(COMM, "MPI_Get", 10, 17),
        Example::new("locked, unlock", in_unlock).waits(SYNC, "MPI_Win_unlock", 10, 15),
        Example::new("locked before", after),
        Example::new("released together", together).waits(SYNC, "MPI_Win_lock", 10, 5),
        Example::new("locked, with its acquisition before", before),
        Example::new("locked, with its acquisition", acquired).waits(SYNC, "MPI_Win_lock", 10, 19),
    ]);
    all
}
