//! Any scripts.

use proptest::collection::vec;
use proptest::prelude::*;
use streamfold::model::enums::CollectiveOp as Op;

use super::{Around, Envelope, Operation, Pair, Process, Script, Step, What};
use crate::waitstates::random::made::{gap, gaps};
use crate::waitstates::trace::{BETWEEN, EVEN, OWN, WORLD};

fn envelope() -> impl Strategy<Value = Envelope> + Clone {
    let comm = prop_oneof![6 => Just(WORLD), 1 => Just(OWN), 2 => Just(EVEN), 2 => Just(BETWEEN)];
    (comm, 0u32..3, prop_oneof![4 => Just(0u32), 1 => Just(1)])
}

fn what() -> impl Strategy<Value = What> + Clone {
    let sends = proptest::sample::select(vec![
        "MPI_Send",
        "MPI_Send",
        "MPI_Ssend",
        "MPI_Bsend",
        "MPI_Rsend",
        "MPI_My_exchange",
        "mpi_send_",
    ]);
    let recvs =
        proptest::sample::select(vec!["MPI_Recv", "MPI_Recv", "mpi_recv", "MPI_My_exchange"]);
    let single = proptest::sample::select(vec![
        "MPI_Wait",
        "MPI_Wait",
        "MPI_Waitany",
        "MPI_Test",
        "MPI_Testany",
        "MPI_Request_free",
    ]);
    let multi = proptest::sample::select(vec![
        "MPI_Waitall",
        "MPI_Waitall",
        "MPI_Waitsome",
        "MPI_Testall",
        "MPI_Testsome",
        "MPI_My_exchange",
        "mpi_waitall_",
    ]);
    let pick = (0usize..4, prop_oneof![5 => Just(false), 1 => Just(true)]);
    let comm = prop_oneof![4 => Just(WORLD), 1 => Just(OWN), 2 => Just(EVEN), 2 => Just(BETWEEN)];
    let posting = prop_oneof![3 => Just("MPI_Isend"), 1 => Just("MPI_Start")];
    prop_oneof![
        4 => (sends, envelope()).prop_map(|(call, envelope)| What::Send(call, envelope)),
        4 => (recvs, envelope()).prop_map(|(call, envelope)| What::Recv(call, envelope)),
        1 => (envelope(), envelope()).prop_map(|(to, from)| What::Sendrecv(to, from)),
        3 => (posting, envelope()).prop_map(|(call, envelope)| What::Isend(call, envelope)),
        3 => envelope().prop_map(What::Irecv),
        3 => (single, pick.clone()).prop_map(|(call, pick)| What::Complete(call, vec![pick])),
        3 => (multi, vec(pick, 0..4)).prop_map(|(call, picks)| What::Complete(call, picks)),
        4 => (comm, prop_oneof![6 => Just(false), 1 => Just(true)])
            .prop_map(|(comm, bare)| What::Collective(comm, bare)),
    ]
}

fn step() -> impl Strategy<Value = Step> + Clone {
    let around = prop_oneof![
        8 => Just(Around::Call),
        2 => Just(Around::Outer),
        1 => Just(Around::Inner),
        1 => Just(Around::Nothing),
    ];
    let thread = prop_oneof![2 => Just(0u64), 1 => Just(1)];
    (thread, gaps(), around, what()).prop_map(|(thread, gaps, around, what)| Step {
        thread,
        gaps,
        around,
        what,
    })
}

const OPERATIONS: [(&str, Op); 18] = [
    ("MPI_Barrier", Op::Barrier),
    ("MPI_Barrier", Op::Barrier),
    ("MPI_Bcast", Op::Bcast),
    ("MPI_Reduce", Op::Reduce),
    ("MPI_Allreduce", Op::Allreduce),
    ("MPI_Allreduce", Op::Allreduce),
    // Those above may be between groups.
    ("MPI_Scatter", Op::Scatter),
    ("MPI_Scatterv", Op::Scatterv),
    ("MPI_Gather", Op::Gather),
    ("MPI_Gatherv", Op::Gatherv),
    ("MPI_Allgatherv", Op::Allgatherv),
    ("MPI_Alltoall", Op::Alltoall),
    ("MPI_Reduce_scatter", Op::ReduceScatter),
    ("MPI_Scan", Op::Scan),
    ("MPI_Exscan", Op::Exscan),
    ("MPI_Alltoallv", Op::Alltoallv),
    ("MPI_Comm_dup", Op::CreateHandle),
    ("MPI_Reduce_scatter_block", Op::ReduceScatterBlock),
];

fn operation(count: usize) -> impl Strategy<Value = Operation> + Clone {
    let empty = prop_oneof![3 => Just(0u8), 1 => 0u8..16];
    let blocking = prop_oneof![3 => Just(true), 1 => Just(false)];
    (0..count, 0usize..3, blocking, [empty.clone(), empty]).prop_map(
        |(number, root, blocking, empty)| {
            let (call, op) = OPERATIONS[number];
            let blocking = blocking || matches!(op, Op::Alltoallv | Op::CreateHandle);
            Operation { call, op, root, blocking, empty }
        },
    )
}

fn process(count: usize) -> impl Strategy<Value = Process> + Clone {
    let threads = prop_oneof![5 => Just(1u64), 1 => Just(2)];
    let open = proptest::option::weighted(
        0.1,
        (prop_oneof![Just("MPI_Recv"), Just("MPI_Send")], envelope()),
    );
    let finishes = prop_oneof![4 => Just(true), 1 => Just(false)];
    let setup = [gap(), gap(), gap(), gap()];
    (threads, gap(), vec(step(), 0..count), finishes, open, setup).prop_map(
        |(threads, begin, steps, finishes, open, setup)| Process {
            threads,
            begin,
            steps,
            finishes,
            open,
            setup,
        },
    )
}

pub fn script(count: usize, shared: bool) -> impl Strategy<Value = Script> + Clone {
    let of = |count: usize| vec(operation(count), 0..5);
    let operations = [of(18), of(18), of(18), of(6)];
    let no_sizes = prop_oneof![8 => Just(false), 1 => Just(true)];
    let gaps = [[gaps(), gaps()], [gaps(), gaps()]];
    let pair = ([0u64..4, 0u64..4], any::<[bool; 2]>(), gaps)
        .prop_map(|(ends, waits, gaps)| Pair { ends, waits, gaps });
    let pairs = vec(pair, 0..4);
    (vec(process(count), 1..5), pairs, operations, no_sizes, any::<bool>()).prop_map(
        move |(processes, pairs, operations, no_sizes, setup)| Script {
            processes,
            pairs,
            operations,
            no_sizes,
            setup,
            shared,
        },
    )
}
