//! Messages and collective operations.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use streamfold::model::enums::CollectiveOp as Op;
use streamfold::model::events::Event;

use super::made::{gap, gaps, Clock, Gaps};
use super::{check_many, compare_many};
use crate::events::{
    begin, cancelled, complete, end, got, isend, over, post, recv, request, send, sent, tag,
    tested, NONE, SELF, THIS_GROUP,
};
use crate::slow::members;
use crate::trace::{Trace, BETWEEN, EVEN, OWN, WORLD};

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

/// A request that is open: on which thread and since when, its number, and what completes it.
#[derive(Clone, Copy, Debug)]
struct Open {
    thread: u64,
    since: u64,
    number: u64,
    completes: Event<'static>,
}

/// A process whose events are being made.
struct Maker<'a> {
    script: &'a Script,
    process: u64,
    now: Vec<u64>,
    open: Vec<Open>,
    /// How many requests there were.
    posted: u64,
    /// How many operations it did, by communicator.
    done: [usize; 4],
}

/// The trace that a script tells.
pub fn trace(script: &Script) -> Trace {
    let threads: Vec<u64> = script.processes.iter().map(|process| process.threads).collect();
    let mut trace = Trace::new(&threads);
    let mut makers = Vec::new();
    for (process, of) in (0u64..).zip(&script.processes) {
        let now = vec![of.begin; of.threads as usize];
        let mut maker = Maker { script, process, now, open: Vec::new(), posted: 0, done: [0; 4] };
        if script.setup {
            // All enter before the first leaves.
            let mut clock = maker.clock(&mut trace, 0);
            clock.enter("main");
            clock.pass(of.setup[0]);
            clock.enter("MPI_Init");
            clock.now = 60 + of.setup[1];
            clock.leave("MPI_Init");
            maker.now[0] = 60 + of.setup[1];
        }
        // Somebody sends something.
        if script.processes.len() > 1 && !script.no_sizes {
            let allreduce = [begin(), end(Op::Allreduce, NONE, 8, 8)];
            maker.with(&mut trace, 0, |clock| clock.call("MPI_Allreduce", [1; 3], &allreduce));
        }
        makers.push(maker);
    }
    script.pairs.iter().for_each(|pair| pair_up(&mut trace, &mut makers, pair));
    for (maker, of) in makers.iter_mut().zip(&script.processes) {
        of.steps.iter().for_each(|step| maker.step(&mut trace, step));
        maker.finish(&mut trace);
    }
    let is_over = makers.iter().flat_map(|maker| maker.now.iter()).max().copied().unwrap_or(0);
    for (maker, of) in makers.iter_mut().zip(&script.processes) {
        if script.setup && script.processes.iter().all(|process| process.open.is_none()) {
            let mut clock = maker.clock(&mut trace, 0);
            clock.pass(of.setup[2]);
            clock.enter("MPI_Finalize");
            clock.now = is_over + 30 + of.setup[3];
            clock.leave("MPI_Finalize");
            clock.leave("main");
        }
    }
    trace
}

fn pair_up(trace: &mut Trace, makers: &mut [Maker<'_>], pair: &Pair) {
    let [from, to] = pair.ends.map(|end| end as usize % makers.len());
    if from == to {
        return;
    }
    let latest = makers[from].now[0].max(makers[to].now[0]);
    const REQUEST: u64 = 99;
    let [sends, receives] = [to as u32, from as u32];
    let records = [
        [send(sends), isend(sends, REQUEST), sent(REQUEST)],
        [recv(receives), post(REQUEST), got(receives, REQUEST)],
    ];
    let calls = [["MPI_Send", "MPI_Isend"], ["MPI_Recv", "MPI_Irecv"]];
    for (side, process) in [from, to].into_iter().enumerate() {
        let maker = &mut makers[process];
        maker.now[0] = latest;
        let ([first, second], waits) = (pair.gaps[side], pair.waits[side]);
        let [blocking, posts, completes] = records[side].map(|event| match event {
            Event::MpiIsendComplete(_) | Event::MpiIrecvRequest(_) => event,
            message => tag(7, message),
        });
        maker.with(trace, 0, |clock| match waits {
            true => {
                clock.call(calls[side][1], first, &[posts]);
                clock.call("MPI_Wait", second, &[completes]);
            }
            false => clock.call(calls[side][0], first, &[blocking]),
        });
    }
}

impl Maker<'_> {
    fn clock<'t>(&self, trace: &'t mut Trace, thread: u64) -> Clock<'t> {
        let now = self.now[thread as usize];
        Clock { trace, location: self.process * 10 + thread, now }
    }

    fn with(&mut self, trace: &mut Trace, thread: u64, add: impl FnOnce(&mut Clock<'_>)) {
        let mut clock = self.clock(trace, thread);
        add(&mut clock);
        self.now[thread as usize] = clock.now;
    }

    fn processes(&self) -> u64 {
        self.script.processes.len() as u64
    }

    /// The communicator and rank that there are, nearest to those wanted.
    fn reachable(&self, (comm, rank, of_tag): Envelope) -> Envelope {
        let others = match comm {
            OWN => 1,
            EVEN if self.process.is_multiple_of(2) => self.processes().div_ceil(2),
            BETWEEN if self.process.is_multiple_of(2) => self.processes() / 2,
            BETWEEN => self.processes().div_ceil(2),
            _ => 0,
        };
        match others {
            0 => (WORLD, rank % self.processes() as u32, of_tag),
            others => (comm, rank % others as u32, of_tag),
        }
    }

    fn message(
        &self,
        envelope: Envelope,
        event: impl FnOnce(u32) -> Event<'static>,
    ) -> Event<'static> {
        let (comm, rank, of_tag) = self.reachable(envelope);
        over(comm, tag(of_tag, event(rank)))
    }

    /// A number for a request: the smallest that is free or, as what one thread has is free for the other
    /// later only, a new one.
    fn number(&mut self) -> u64 {
        self.posted += 1;
        if self.script.shared {
            return 1000 + self.posted;
        }
        (0..).find(|number| self.open.iter().all(|open| open.number != *number)).expect("a number")
    }

    fn step(&mut self, trace: &mut Trace, step: &Step) {
        let thread = step.thread % self.now.len() as u64;
        let (call, records) = match &step.what {
            What::Send(call, envelope) => (*call, vec![self.message(*envelope, send)]),
            What::Recv(call, envelope) => (*call, vec![self.message(*envelope, recv)]),
            What::Sendrecv(to, from) => {
                ("MPI_Sendrecv", vec![self.message(*to, send), self.message(*from, recv)])
            }
            What::Isend(call, envelope) => {
                let number = self.number();
                let event = self.message(*envelope, |rank| isend(rank, number));
                let since = self.now[thread as usize] + step.gaps[0] + step.gaps[1];
                self.open.push(Open { thread, since, number, completes: sent(number) });
                (*call, vec![event])
            }
            What::Irecv(envelope) => {
                let number = self.number();
                let completes = self.message(*envelope, |rank| got(rank, number));
                let since = self.now[thread as usize] + step.gaps[0] + step.gaps[1];
                self.open.push(Open { thread, since, number, completes });
                ("MPI_Irecv", vec![post(number)])
            }
            What::Complete(call, picks) => self.completions(thread, call, picks),
            What::Collective(comm, bare) => {
                // Threads that get out of order would mix blocking ones with others.
                let all = &self.script.operations[*comm as usize];
                let thread = if all.iter().all(|it| it.blocking) { thread } else { 0 };
                return self.collective(trace, thread, step.gaps, *comm, *bare);
            }
        };
        self.with(trace, thread, |clock| match step.around {
            Around::Call => clock.call(call, step.gaps, &records),
            Around::Outer => {
                clock.enter("foo");
                clock.call(call, step.gaps, &records);
                clock.leave("foo");
            }
            Around::Inner => {
                clock.enter(call);
                clock.call("bar", step.gaps, &records);
                clock.leave(call);
            }
            Around::Nothing => {
                clock.pass(step.gaps[0]);
                records.iter().for_each(|record| clock.add(*record));
            }
        });
    }

    /// The records of requests that complete in a call on a thread.
    fn completions(
        &mut self,
        thread: u64,
        call: &'static str,
        picks: &[(usize, bool)],
    ) -> (&'static str, Vec<Event<'static>>) {
        let mut records = Vec::new();
        let mut name = call;
        for (pick, cancel) in picks {
            let can = |open: &Open| open.thread == thread || self.script.shared;
            let of_thread: Vec<usize> =
                (0..self.open.len()).filter(|number| can(&self.open[*number])).collect();
            if of_thread.is_empty() {
                break;
            }
            let at = of_thread[pick % of_thread.len()];
            let open = self.open[at];
            let is_send = matches!(open.completes, Event::MpiIsendComplete(_));
            let collective = matches!(open.completes, Event::NonBlockingCollectiveComplete(_));
            if call == "MPI_Request_free" && !is_send {
                name = "MPI_Wait";
            }
            let tests = call.starts_with("MPI_Test");
            if *cancel && tests {
                records.push(tested(open.number));
                continue;
            }
            self.open.remove(at);
            let now = &mut self.now[thread as usize];
            if open.thread != thread {
                *now = (*now).max(open.since + 1);
            }
            records.push(match cancel {
                true if !collective => cancelled(open.number),
                _ => open.completes,
            });
        }
        (name, records)
    }

    fn collective(&mut self, trace: &mut Trace, thread: u64, gaps: Gaps, comm: u32, bare: bool) {
        let members = members(comm, self.process, self.processes());
        let number = self.done[comm as usize];
        let operations = &self.script.operations[comm as usize];
        let Some(operation) = operations.get(number).cloned() else { return };
        let Some(rank) = members.iter().position(|member| *member == self.process) else { return };
        if comm == BETWEEN && self.processes() < 2 {
            return;
        }
        self.done[comm as usize] += 1;
        let (root, sizes) = self.sizes(&operation, comm, rank, members.len());
        let (op, call) = (operation.op, operation.call);
        if operation.blocking {
            let end = over(comm, end(op, root, sizes.0, sizes.1));
            let bare = bare && self.now.len() == 1;
            self.with(trace, thread, |clock| {
                clock.pass(gaps[0]);
                clock.enter(call);
                if !bare {
                    clock.add(begin());
                }
                clock.pass(gaps[1] + gaps[2]);
                clock.add(end);
                clock.leave(call);
            });
            return;
        }
        let number = self.number();
        let completes = over(comm, complete(op, root, sizes.0, sizes.1, number));
        let since = self.now[thread as usize] + gaps[0] + gaps[1];
        self.open.push(Open { thread, since, number, completes });
        let call = call.replace("MPI_", "MPI_I").to_lowercase().replace("mpi_", "MPI_");
        self.with(trace, thread, |clock| clock.call(&call, gaps, &[request(number)]));
    }

    /// The root as a member sees it, and what the member sends and receives.
    fn sizes(
        &self,
        operation: &Operation,
        comm: u32,
        rank: usize,
        members: usize,
    ) -> (u32, (u64, u64)) {
        let root = operation.root % members;
        let is_empty = |rank: usize, which: usize| operation.empty[which] >> rank & 1 == 1;
        let sent = |rank: usize| u64::from(!is_empty(rank, 0)) * 8;
        let any_other = |of: usize| (0..members).any(|rank| rank != of && sent(rank) > 0);
        // Members of both groups take turns.
        let own_group = comm != BETWEEN || rank % 2 == root % 2;
        let sizes = match operation.op {
            Op::Barrier | Op::CreateHandle => (0, 0),
            Op::Bcast | Op::Scatter | Op::Scatterv => match rank == root {
                true => (8, if comm == BETWEEN { 0 } else { 8 }),
                false if own_group && comm == BETWEEN => (0, 0),
                false => (0, u64::from(!is_empty(rank, 1)) * 8),
            },
            Op::Gather | Op::Gatherv | Op::Reduce => match rank == root {
                true => {
                    let others = (0..members)
                        .any(|rank| (comm != BETWEEN || rank % 2 != root % 2) && sent(rank) > 0);
                    (if comm == BETWEEN { 0 } else { sent(rank) }, u64::from(others) * 8)
                }
                false if own_group && comm == BETWEEN => (0, 0),
                false => (sent(rank), 0),
            },
            Op::Scan | Op::Exscan | Op::Alltoallv => (sent(0), sent(0)),
            Op::ReduceScatter => (sent(rank), u64::from(!is_empty(rank, 1)) * 8),
            _ => (sent(rank), u64::from(sent(rank) > 0 || any_other(rank)) * 8),
        };
        let sizes = if self.script.no_sizes { (0, 0) } else { sizes };
        let has_root = matches!(
            operation.op,
            Op::Bcast | Op::Scatter | Op::Scatterv | Op::Gather | Op::Gatherv | Op::Reduce
        );
        let root = match comm {
            _ if !has_root => NONE,
            BETWEEN if rank == root => SELF,
            BETWEEN if own_group => THIS_GROUP,
            // Its rank in its group.
            BETWEEN => (root / 2) as u32,
            _ => root as u32,
        };
        (root, sizes)
    }

    /// What is done at the end: only receives may stay open.
    fn finish(&mut self, trace: &mut Trace) {
        let of = &self.script.processes[self.process as usize];
        if of.finishes {
            for comm in [WORLD, OWN, EVEN, BETWEEN] {
                for _ in 0..self.script.operations[comm as usize].len() {
                    self.collective(trace, 0, [1, 2, 1], comm, false);
                }
            }
        }
        for thread in 0..self.now.len() as u64 {
            let completes = |open: &Open| {
                let receives = matches!(open.completes, Event::MpiIrecv(_));
                open.thread == thread && (of.finishes || !receives)
            };
            let (records, open): (Vec<Open>, Vec<Open>) =
                self.open.iter().partition(|open| completes(open));
            self.open = open;
            let records: Vec<_> = records.iter().map(|open| open.completes).collect();
            if !records.is_empty() {
                self.with(trace, thread, |clock| clock.call("MPI_Waitall", [2, 3, 1], &records));
            }
        }
        if let Some((call, envelope)) = of.open {
            let record = match call {
                "MPI_Recv" => self.message(envelope, recv),
                _ => self.message(envelope, send),
            };
            self.with(trace, 0, |clock| {
                clock.pass(1);
                clock.enter(call);
                clock.pass(2);
                clock.add(record);
            });
        }
    }
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

/// The same, where some records have a time before that of the record before them.
fn backward(mut trace: Trace, jumps: &[(Index, Index, u64)]) -> Trace {
    let count = trace.streams.len();
    for (stream, event, by) in jumps {
        let stream = trace.streams.values_mut().nth(stream.index(count)).expect("a stream");
        if stream.len() > 2 {
            let (first, _) = stream[0];
            let event = 1 + event.index(stream.len() - 2);
            let (time, _) = &mut stream[event];
            *time = time.saturating_sub(*by).max(first);
        }
    }
    trace
}

#[test]
fn clocks_may_go_back() {
    let jumps = vec((any::<Index>(), any::<Index>(), 1u64..30), 1..8);
    compare_many(300, (script(12, true), jumps), |(script, jumps)| backward(trace(script), jumps));
}
