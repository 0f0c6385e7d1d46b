//! Collective operations.

use streamfold::model::enums::CollectiveOp as Op;

use super::Example;
use crate::waitstates::events::{
    begin, complete, end, got, over, post, request, send, NONE, SELF, THIS_GROUP,
};
use crate::waitstates::trace::{Trace, BETWEEN};

const REDUCE: &str = "mpi_earlyreduce";
const BCAST: &str = "mpi_latebroadcast";
const SCAN: &str = "mpi_earlyscan";

pub fn examples() -> Vec<Example> {
    let mut all = barriers();
    all.extend(all_to_all());
    all.extend(with_root());
    all.extend(prefixes());
    all.extend(nothing());
    all.extend(non_blocking());
    all
}

/// A member: when it begins and ends, and what it sends and receives.
type Member = (u64, u64, u64, u64);

/// An operation over the world.
fn operation(call: &str, op: Op, root: u32, members: &[Member]) -> Trace {
    let mut t = Trace::of(members.len());
    for (process, &(from, to, sent, received)) in (0u64..).zip(members) {
        let records = [(from, begin()), (to, end(op, root, sent, received))];
        t.on(process * 10).call(call, from, to, &records);
    }
    t
}

fn barriers() -> Vec<Example> {
    const WAIT: &str = "mpi_barrier_wait";
    const COMPLETION: &str = "mpi_barrier_completion";
    let barrier = |times: &[(u64, u64)]| {
        let members: Vec<_> = times.iter().map(|(from, to)| (*from, *to, 0, 0)).collect();
        operation("MPI_Barrier", Op::Barrier, NONE, &members)
    };

    // Processes 0 and 2 wait for the later of 1 and 3, and these for the later of 0 and 2: 50 and 30. The
    // first one ends at 60.
    let mut inter = Trace::of(4);
    for (process, (from, to)) in [(10, 60), (20, 61), (30, 62), (50, 63)].into_iter().enumerate() {
        let records = [(from, begin()), (to, over(BETWEEN, end(Op::Barrier, NONE, 0, 0)))];
        inter.on(process as u64 * 10).call("MPI_Barrier", from, to, &records);
    }

    // Process 2 begins when 0, for which 1 was enough, is over since long: that is no time of its own.
    let mut late = Trace::of(3);
    for (process, (from, to)) in [(0, 6), (5, 101), (100, 101)].into_iter().enumerate() {
        let records = [(from, begin()), (to, over(BETWEEN, end(Op::Barrier, NONE, 0, 0)))];
        late.on(process as u64 * 10).call("MPI_Barrier", from, to, &records);
    }

    // Without records of the begin that of the region counts: L = 50, F = 60.
    let mut no_begin = Trace::of(2);
    no_begin.on(0).call("MPI_Barrier", 10, 60, &[(60, end(Op::Barrier, NONE, 0, 0))]);
    no_begin.on(10).call("MPI_Barrier", 50, 62, &[(61, end(Op::Barrier, NONE, 0, 0))]);

    // What the records say counts, not the region: L = 41, F = 55.
    let mut inside = Trace::of(2);
    let records = |from, to| [(from, begin()), (to, end(Op::Barrier, NONE, 0, 0))];
    inside.on(0).call("MPI_Barrier", 10, 60, &records(12, 58));
    inside.on(10).call("MPI_Barrier", 40, 60, &records(41, 55));

    vec![
        Example::new("W9", barrier(&[(10, 56), (30, 55), (50, 60)]))
            .waits(WAIT, "MPI_Barrier", 0, 40)
            .waits(WAIT, "MPI_Barrier", 10, 20)
            .waits(COMPLETION, "MPI_Barrier", 0, 1)
            .waits(COMPLETION, "MPI_Barrier", 20, 5),
        Example::new("W14", barrier(&[(10, 40), (50, 60)]))
            .waits(WAIT, "MPI_Barrier", 0, 30)
            .waits(COMPLETION, "MPI_Barrier", 10, 10)
            .violates("collective", 1, 10),
        Example::new("barrier between groups", inter)
            .waits(WAIT, "MPI_Barrier", 0, 40)
            .waits(WAIT, "MPI_Barrier", 10, 10)
            .waits(WAIT, "MPI_Barrier", 20, 20)
            .waits(COMPLETION, "MPI_Barrier", 10, 1)
            .waits(COMPLETION, "MPI_Barrier", 20, 2)
            .waits(COMPLETION, "MPI_Barrier", 30, 3),
        Example::new("barrier between groups, one late", late)
            .waits(WAIT, "MPI_Barrier", 0, 5)
            .waits(COMPLETION, "MPI_Barrier", 20, 1)
            .waits(WAIT, "MPI_Barrier", 10, 95)
            .waits(COMPLETION, "MPI_Barrier", 10, 1),
        Example::new("barrier without begin", no_begin).waits(WAIT, "MPI_Barrier", 0, 40).waits(
            COMPLETION,
            "MPI_Barrier",
            10,
            1,
        ),
        Example::new("barrier inside its region", inside).waits(WAIT, "MPI_Barrier", 0, 29).waits(
            COMPLETION,
            "MPI_Barrier",
            0,
            3,
        ),
    ]
}

fn all_to_all() -> Vec<Example> {
    let w10 = [(10, 50, 8, 24), (20, 45, 8, 24), (40, 48, 8, 24), (90, 95, 0, 24)];
    let w10 = operation("MPI_Allgatherv", Op::Allgatherv, NONE, &w10);
    let plain = |call, op| operation(call, op, NONE, &[(10, 60, 8, 8), (50, 62, 8, 8)]);
    let mut all = vec![Example::new("W10", w10)
        .waits("mpi_wait_nxn", "MPI_Allgatherv", 0, 30)
        .waits("mpi_wait_nxn", "MPI_Allgatherv", 10, 20)
        .waits("mpi_nxn_completion", "MPI_Allgatherv", 0, 5)
        .waits("mpi_nxn_completion", "MPI_Allgatherv", 20, 3)];
    for (call, op) in [
        ("MPI_Allgather", Op::Allgather),
        ("MPI_Alltoall", Op::Alltoall),
        ("MPI_Allreduce", Op::Allreduce),
        ("MPI_Reduce_scatter", Op::ReduceScatter),
        ("MPI_Reduce_scatter_block", Op::ReduceScatterBlock),
    ] {
        let example = Example::new(op.name().expect("a name"), plain(call, op));
        all.push(example.waits("mpi_wait_nxn", call, 0, 40).waits(
            "mpi_nxn_completion",
            call,
            10,
            2,
        ));
    }
    // Member 1 only sends: it waits for nobody.
    let only_sends = [(10, 60, 8, 0), (50, 62, 8, 8)];
    let only_sends = operation("MPI_Allgatherv", Op::Allgatherv, NONE, &only_sends);
    all.push(Example::new("a member that only sends", only_sends));
    all
}

fn with_root() -> Vec<Example> {
    let to_one = |call, op, of_root| {
        operation(call, op, 0, &[(10, 80, of_root, 24), (30, 35, 8, 0), (70, 75, 8, 0)])
    };
    let from_one =
        |call, op| operation(call, op, 1, &[(10, 45, 0, 8), (40, 42, 24, 8), (60, 61, 0, 8)]);
    let mut all = vec![
        Example::new("W11", from_one("MPI_Bcast", Op::Bcast)).waits(BCAST, "MPI_Bcast", 0, 30),
        Example::new("W12", to_one("MPI_Reduce", Op::Reduce, 8)).waits(REDUCE, "MPI_Reduce", 0, 60),
        // In place.
        Example::new("reduce in place", to_one("MPI_Reduce", Op::Reduce, 0)).waits(
            REDUCE,
            "MPI_Reduce",
            0,
            60,
        ),
    ];
    for (call, op) in [("MPI_Scatter", Op::Scatter), ("MPI_Scatterv", Op::Scatterv)] {
        all.push(Example::new("late scatter", from_one(call, op)).waits(BCAST, call, 0, 30));
    }
    for (call, op) in [("MPI_Gather", Op::Gather), ("MPI_Gatherv", Op::Gatherv)] {
        for sent in [0, 8] {
            let gather = to_one(call, op, sent);
            all.push(Example::new("early gather", gather).waits(REDUCE, call, 0, 60));
        }
    }
    // The first member sends nothing: the root waits for the second.
    let empty = [(10, 80, 8, 24), (30, 35, 0, 0), (70, 75, 8, 0)];
    let empty = operation("MPI_Gatherv", Op::Gatherv, 0, &empty);
    all.push(Example::new("gather with an empty member", empty).waits(
        REDUCE,
        "MPI_Gatherv",
        0,
        60,
    ));
    // Over before the others begin: all of it, which are 30; the last one begins at 70, 30 ticks later.
    let early = [(10, 40, 8, 24), (50, 55, 8, 0), (70, 75, 8, 0)];
    let early = operation("MPI_Reduce", Op::Reduce, 0, &early);
    all.push(
        Example::new("reduce with clock error", early).waits(REDUCE, "MPI_Reduce", 0, 30).violates(
            "collective",
            1,
            30,
        ),
    );
    // The root begins at 50, after the first one has what it sends, by 20.
    let late = operation("MPI_Bcast", Op::Bcast, 1, &[(10, 30, 0, 8), (50, 60, 8, 8)]);
    all.push(
        Example::new("bcast with clock error", late).waits(BCAST, "MPI_Bcast", 0, 20).violates(
            "collective",
            1,
            20,
        ),
    );
    all.extend(with_root_between());
    all
}

/// Between processes 0, 2 and 1, 3; the root is process 0.
fn with_root_between() -> Vec<Example> {
    let between = |call: &str, op, members: [(u32, Member); 4]| {
        let mut t = Trace::of(4);
        for (process, (root, (from, to, sent, received))) in (0u64..).zip(members) {
            let end = over(BETWEEN, end(op, root, sent, received));
            t.on(process * 10).call(call, from, to, &[(from, begin()), (to, end)]);
        }
        t
    };
    // Process 2 is of the root's group, and waits for nobody.
    let bcast = between(
        "MPI_Bcast",
        Op::Bcast,
        [
            (SELF, (40, 45, 16, 0)),
            (0, (10, 50, 0, 8)),
            (THIS_GROUP, (5, 60, 0, 0)),
            (0, (30, 55, 0, 8)),
        ],
    );
    let reduce = between(
        "MPI_Reduce",
        Op::Reduce,
        [
            (SELF, (10, 80, 0, 16)),
            (0, (40, 50, 8, 0)),
            (THIS_GROUP, (20, 60, 0, 0)),
            (0, (70, 75, 8, 0)),
        ],
    );
    vec![
        Example::new("bcast between groups", bcast).waits(BCAST, "MPI_Bcast", 10, 30).waits(
            BCAST,
            "MPI_Bcast",
            30,
            10,
        ),
        Example::new("reduce between groups", reduce).waits(REDUCE, "MPI_Reduce", 0, 60),
    ]
}

fn prefixes() -> Vec<Example> {
    let members = [(30, 32, 8, 8), (10, 35, 8, 8), (50, 55, 8, 8), (20, 60, 8, 8)];
    let scan = |call, op| operation(call, op, NONE, &members);
    vec![
        Example::new("W13", scan("MPI_Scan", Op::Scan))
            .waits(SCAN, "MPI_Scan", 10, 20)
            .waits(SCAN, "MPI_Scan", 30, 30),
        Example::new("exscan", scan("MPI_Exscan", Op::Exscan))
            .waits(SCAN, "MPI_Exscan", 10, 20)
            .waits(SCAN, "MPI_Exscan", 30, 30),
    ]
}

fn nothing() -> Vec<Example> {
    let two = [(10, 60, 8, 8), (50, 62, 8, 8)];
    let v = operation("MPI_Alltoallv", Op::Alltoallv, NONE, &two);
    let w = operation("MPI_Alltoallw", Op::Alltoallw, NONE, &two);
    let neighbours = operation("MPI_Neighbor_allgather", Op::Allgather, NONE, &two);
    let alone = operation("MPI_Allreduce", Op::Allreduce, NONE, &[(10, 60, 8, 8)]);
    let handle = operation("MPI_Comm_dup", Op::CreateHandle, NONE, &two);
    // Empty, where another one is not.
    let mut empty = operation("MPI_Bcast", Op::Bcast, 1, &[(10, 60, 0, 0), (50, 62, 0, 0)]);
    for process in [0u64, 1] {
        let at = 70 + process;
        let records = [(at, begin()), (80, end(Op::Allreduce, NONE, 8, 8))];
        empty.on(process * 10).call("MPI_Allreduce", at, 80, &records);
    }
    // The same without the other one: nobody knows sizes.
    let unknown = operation("MPI_Bcast", Op::Bcast, 1, &[(10, 60, 0, 0), (50, 62, 0, 0)]);
    // One member does not take part.
    let mut incomplete = operation("MPI_Barrier", Op::Barrier, NONE, &[(10, 60, 0, 0); 2]);
    incomplete.streams.insert(10, Vec::new());
    // They do not agree about the root.
    let mut roots = operation("MPI_Bcast", Op::Bcast, 1, &[(10, 60, 0, 8); 2]);
    roots.streams.insert(10, Vec::new());
    let records = [(50, begin()), (62, end(Op::Bcast, 0, 8, 8))];
    roots.on(10).call("MPI_Bcast", 50, 62, &records);
    vec![
        Example::new("alltoallv", v),
        Example::new("alltoallw", w),
        Example::new("neighbours", neighbours),
        Example::new("one process", alone),
        Example::new("comm_dup", handle),
        Example::new("empty bcast", empty).waits("mpi_wait_nxn", "MPI_Allreduce", 0, 1),
        Example::new("bcast of unknown sizes", unknown).waits(BCAST, "MPI_Bcast", 0, 40),
        Example::new("incomplete", incomplete),
        Example::new("disagreeing", roots),
    ]
}

/// Operations that are posted at some time, and waited for in another call.
fn non_blocking() -> Vec<Example> {
    let posted = |call: &str, wait: &str, complete: [_; 2], times: [(u64, u64, u64); 2]| {
        let mut t = Trace::of(2);
        for (process, (complete, (at, from, to))) in (0u64..).zip(complete.into_iter().zip(times)) {
            let on = t.on(process * 10).call(call, at - 1, at + 1, &[(at, request(1))]);
            on.call(wait, from, to, &[(to - 1, complete)]);
        }
        t
    };
    let allreduce = || [(); 2].map(|()| complete(Op::Allreduce, NONE, 8, 8, 1));
    let times = [(5, 20, 70), (60, 65, 72)];
    let w29 = posted("MPI_Iallreduce", "MPI_Wait", allreduce(), times);
    let tested = posted("MPI_Iallreduce", "MPI_Test", allreduce(), times);
    let barriers = [(); 2].map(|()| complete(Op::Barrier, NONE, 0, 0, 1));
    let barrier = posted("MPI_Ibarrier", "MPI_Wait", barriers, times);
    let bcasts = [complete(Op::Bcast, 1, 0, 8, 1), complete(Op::Bcast, 1, 8, 8, 1)];
    let bcast = posted("MPI_Ibcast", "MPI_Wait", bcasts, times);
    let reduces = [complete(Op::Reduce, 0, 8, 8, 1), complete(Op::Reduce, 0, 8, 0, 1)];
    let reduce = posted("MPI_Ireduce", "MPI_Wait", reduces, times);

    // In one call with a message whose sender enters at 50: the larger of 60 − 20 and 50 − 20.
    let mut with_message = Trace::of(2);
    let on = with_message.on(0).call("MPI_Irecv", 1, 2, &[(1, post(2))]);
    let on = on.call("MPI_Iallreduce", 4, 6, &[(5, request(1))]);
    let records = [(68, got(1, 2)), (69, complete(Op::Allreduce, NONE, 8, 8, 1))];
    on.call("MPI_Waitall", 20, 70, &records);
    let on = with_message.on(10).call("MPI_Send", 50, 55, &[(51, send(0))]);
    let on = on.call("MPI_Iallreduce", 59, 61, &[(60, request(1))]);
    on.call("MPI_Wait", 65, 72, &[(71, complete(Op::Allreduce, NONE, 8, 8, 1))]);

    // Both last longer than the call: the first one that is recorded counts.
    let mut tie = Trace::of(2);
    let on = tie.on(0).call("MPI_Irecv", 1, 2, &[(1, post(2))]);
    let on = on.call("MPI_Iallreduce", 4, 6, &[(5, request(1))]);
    let records = [(28, complete(Op::Allreduce, NONE, 8, 8, 1)), (29, got(1, 2))];
    on.call("MPI_Waitall", 20, 30, &records);
    let on = tie.on(10).call("MPI_Iallreduce", 39, 41, &[(40, request(1))]);
    let on = on.call("MPI_Send", 50, 55, &[(51, send(0))]);
    on.call("MPI_Wait", 65, 72, &[(71, complete(Op::Allreduce, NONE, 8, 8, 1))]);

    vec![
        Example::new("W29", w29).waits("mpi_wait_nxn", "MPI_Wait", 0, 40),
        Example::new("W29, tested", tested),
        Example::new("ibarrier", barrier).waits("mpi_barrier_wait", "MPI_Wait", 0, 40),
        Example::new("ibcast", bcast).waits(BCAST, "MPI_Wait", 0, 40),
        Example::new("ireduce", reduce).waits(REDUCE, "MPI_Wait", 0, 40),
        Example::new("iallreduce and a message, as long", tie)
            .waits("mpi_wait_nxn", "MPI_Waitall", 0, 10)
            .violates("p2p", 1, 22),
        Example::new("iallreduce and a message", with_message).waits(
            "mpi_wait_nxn",
            "MPI_Waitall",
            0,
            40,
        ),
    ]
}
