//! Messages and collective operations.

mod any;
mod made;

use streamfold::model::enums::CollectiveOp as Op;

use super::made::Gaps;
use super::{backward, check_many, compare_many, cut, cuts, jumps, time_is_within_spans};

pub use any::script;
pub use made::trace;

/// The other side of a message: communicator, rank, tag.
type Envelope = (u32, u32, u32);

#[derive(Clone, Debug)]
enum What {
    Send(&'static str, Envelope),
    Recv(&'static str, Envelope),
    Sendrecv(Envelope, Envelope),
    Isend(&'static str, Envelope),
    Irecv(Envelope),
    /// Which of the open requests, and whether they are cancelled instead.
    Complete(&'static str, Vec<(usize, bool)>),
    /// The next operation of a communicator; without a record of its begin.
    Collective(u32, bool),
}

/// What is around the records of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Around {
    Call,
    /// The call is in a region of the program.
    Outer,
    /// There is a region of the program in the call.
    Inner,
    /// No call was recorded.
    Nothing,
}

#[derive(Clone, Debug)]
struct Step {
    thread: u64,
    gaps: Gaps,
    around: Around,
    what: What,
}

/// An operation in which all members of a communicator take part: what, the rank of the root, whether it
/// is blocking, and which members have nothing to send and to receive.
#[derive(Clone, Debug)]
struct Operation {
    call: &'static str,
    op: Op,
    root: usize,
    blocking: bool,
    empty: [u8; 2],
}

#[derive(Clone, Debug)]
struct Process {
    threads: u64,
    begin: u64,
    steps: Vec<Step>,
    /// All that is open is completed, and all operations are done, at the end.
    finishes: bool,
    /// A call at the end that is never left, with its record.
    open: Option<(&'static str, Envelope)>,
    setup: [u64; 4],
}

/// A message from one process to another, whose calls begin at about the same time.
#[derive(Clone, Debug)]
struct Pair {
    ends: [u64; 2],
    /// Whether the sender and the receiver wait in calls of their own.
    waits: [bool; 2],
    gaps: [[Gaps; 2]; 2],
}

#[derive(Clone, Debug)]
pub struct Script {
    processes: Vec<Process>,
    pairs: Vec<Pair>,
    /// Of the world, each process, the even ones, and those between even and odd ones.
    operations: [Vec<Operation>; 4],
    no_sizes: bool,
    setup: bool,
    /// Requests are completed by any thread.
    shared: bool,
}

const FOUND: [&str; 14] = [
    "mpi_latesender",
    "mpi_latesender_wo",
    "mpi_lswo_same",
    "mpi_lswo_different",
    "mpi_latereceiver",
    "mpi_barrier_wait",
    "mpi_barrier_completion",
    "mpi_wait_nxn",
    "mpi_nxn_completion",
    "mpi_latebroadcast",
    "mpi_earlyreduce",
    "mpi_earlyscan",
    "mpi_init_completion",
    "mpi_finalize_wait",
];

#[test]
fn random_messages_have_every_wait_state() {
    check_many(1000, script(20, false), trace, &FOUND);
}

#[test]
fn messages_and_collective_operations_are_as_the_slow_way_says() {
    compare_many(1000, script(12, false), trace);
}

#[test]
fn so_are_long_ones() {
    compare_many(100, script(100, false), trace);
}

#[test]
fn requests_may_be_completed_by_other_threads() {
    compare_many(300, script(20, true), trace);
}

#[test]
fn clocks_may_go_back() {
    let scripts = (script(12, true), jumps());
    compare_many(300, scripts, |(script, jumps)| backward(trace(script), jumps));
}

#[test]
fn streams_may_end_too_soon() {
    let scripts = (script(12, true), cuts());
    compare_many(300, scripts, |(script, cuts)| cut(trace(script), cuts));
}

#[test]
fn there_is_no_more_time_than_passed() {
    time_is_within_spans(200, script(12, true), trace);
}
