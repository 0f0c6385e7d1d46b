//! The trace of a script.

use streamfold::model::enums::CollectiveOp as Op;
use streamfold::model::events::Event;

use super::{Around, Envelope, Operation, Pair, Script, Step, What};
use crate::waitstates::events::{
    begin, cancelled, complete, end, got, isend, over, post, recv, request, send, sent, tag,
    tested, NONE, SELF, THIS_GROUP,
};
use crate::waitstates::random::made::{Clock, Gaps};
use crate::waitstates::slow::members;
use crate::waitstates::trace::{Trace, BETWEEN, EVEN, OWN, WORLD};

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
