//! Init and finalize.

use streamfold::model::enums::CollectiveOp as Op;

use super::Example;
use crate::waitstates::events::{begin, end, NONE};
use crate::waitstates::trace::Trace;

const INIT: &str = "mpi_init_completion";
const FINALIZE: &str = "mpi_finalize_wait";

pub fn examples() -> Vec<Example> {
    let init = [(0, 50), (20, 60), (30, 45)];
    let finalize = [(100, 160), (120, 165), (150, 170)];
    // L = 30, F = 45; L = 150.
    let expected = |name, call: &str, bracketed| {
        Example::new(name, with_calls(call, init, finalize, bracketed))
            .waits(INIT, call, 0, 5)
            .waits(INIT, call, 10, 15)
            .waits(FINALIZE, "MPI_Finalize", 0, 50)
            .waits(FINALIZE, "MPI_Finalize", 10, 30)
    };
    vec![
        expected("init and finalize", "MPI_Init", false),
        expected("init and finalize as Score-P has them", "MPI_Init", true),
        expected("init of threads", "MPI_Init_thread", true),
        wrapped(),
        never_left(),
    ]
}

/// One process never leaves these calls: nobody knows when it would have.
fn never_left() -> Example {
    let mut t = Trace::of(3);
    t.on(0).enter(5, "MPI_Init");
    t.on(10).call("MPI_Init", 0, 50, &[]).call("MPI_Finalize", 60, 90, &[]);
    t.on(20).call("MPI_Init", 2, 48, &[]).enter(80, "MPI_Finalize");
    Example::new("init and finalize that are never left", t)
}

/// Functions of the program that are called like those of MPI, around these and alone, where recorders know MPI.
fn wrapped() -> Example {
    let mut t = Trace::of(2);
    let on = t.on(0).enter(0, "wrapper MPI_Init");
    on.call("MPI_Init", 10, 40, &[]).leave(60).call("MPI_Finalize", 100, 120, &[]);
    let on = t.on(10).call("wrapper MPI_Init", 20, 25, &[]);
    on.call("MPI_Init", 30, 50, &[]).call("MPI_Finalize", 110, 120, &[]);
    // L = 30, F = 40; L = 110.
    Example::new("functions that are called like those of MPI", t)
        .waits(INIT, "MPI_Init", 10, 10)
        .waits(FINALIZE, "MPI_Finalize", 0, 10)
}

/// Three processes; `bracketed`: there are collective operations in these calls.
fn with_calls(
    call: &str,
    init: [(u64, u64); 3],
    finalize: [(u64, u64); 3],
    bracketed: bool,
) -> Trace {
    let mut t = Trace::of(3);
    for process in 0..3 {
        let records = |(from, to): (u64, u64), op| match bracketed {
            true => vec![(from, begin()), (to, end(op, NONE, 0, 0))],
            false => Vec::new(),
        };
        let (from, to) = init[process];
        let on = t.on(process as u64 * 10).enter(0, "main");
        let on = on.call(call, from, to, &records(init[process], Op::CreateHandle));
        let inside = records(finalize[process], Op::DestroyHandle);
        let (from, to) = finalize[process];
        on.call("MPI_Finalize", from, to, &inside).leave(200);
    }
    t
}
