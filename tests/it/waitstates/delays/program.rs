//! Programs that run step by step: the trace of a run, and what happened in it.

use proptest::collection::vec;
use proptest::prelude::*;
use streamfold::model::enums::CollectiveOp as Op;
use streamfold::model::events::{Event, Leave};

use super::slow::{Run, Stretch, Sync, Wait};
use crate::waitstates::events::{begin, end, over, recv, send, NONE};
use crate::waitstates::trace::{Trace, EVEN, WORLD};

/// A step of a program, and the ticks that its parts take.
#[derive(Clone, Debug)]
pub struct Step {
    pub what: What,
    pub ticks: [u64; 4],
}

#[derive(Clone, Copy, Debug)]
pub enum What {
    /// A process computes, in this region.
    Compute(u64, &'static str),
    /// A message from one process to another; set if the sender waits for the receiver.
    Message(u64, u64, bool),
    /// An operation of a communicator.
    Collective(u32, Op, u64),
}

/// A random program of so many processes.
pub fn program(processes: u64, steps: usize) -> impl Strategy<Value = Vec<Step>> {
    let process = || 0..processes;
    let comm = prop_oneof![Just(WORLD), Just(EVEN)];
    let op = prop_oneof![
        Just(Op::Barrier),
        Just(Op::Allreduce),
        Just(Op::Bcast),
        Just(Op::Reduce),
        Just(Op::Scan),
    ];
    let what = prop_oneof![
        3 => (process(), prop_oneof![Just("foo"), Just("bar")]).prop_map(|(of, name)| What::Compute(of, name)),
        4 => (process(), process(), any::<bool>()).prop_map(|(from, to, waits)| What::Message(from, to, waits)),
        2 => (comm, op, process()).prop_map(|(comm, op, root)| What::Collective(comm, op, root)),
    ];
    let ticks = 1u64..200_000;
    let ticks = [ticks.clone(), ticks.clone(), 1..3000, 1..3000];
    vec((what, ticks).prop_map(|(what, ticks)| Step { what, ticks }), 0..steps)
}

/// A run of a program.
struct Machine {
    trace: Trace,
    run: Run,
    clocks: Vec<u64>,
}

/// Runs a program.
pub fn run(processes: u64, steps: &[Step]) -> (Trace, Run) {
    let clocks = (0..processes).map(|process| 1000 + process * 77).collect();
    let trace = Trace::of(processes as usize);
    let mut machine = Machine { trace, run: Run::default(), clocks };
    for process in 0..processes {
        let now = machine.clocks[process as usize];
        machine.trace.on(process * 10).enter(now, "main");
    }
    for step in steps {
        machine.step(step);
    }
    let region = machine.trace.region("main");
    for process in 0..processes {
        machine.pass(process, 5, "main");
        let now = machine.clocks[process as usize];
        machine.trace.on(process * 10).at(now, Event::Leave(Leave { region }));
    }
    (machine.trace, machine.run)
}

impl Machine {
    /// Time of a process goes on; returns when that was.
    fn pass(&mut self, process: u64, ticks: u64, path: &str) -> [u64; 2] {
        let now = &mut self.clocks[process as usize];
        let (begin, end) = (*now, *now + ticks);
        *now = end;
        let path = path.to_owned();
        self.run.stretches.entry(process * 10).or_default().push(Stretch { begin, end, path });
        [begin, end]
    }

    /// A process is in a call up to a time, in which a record has its own time.
    fn call(&mut self, process: u64, name: &str, until: u64, inside: &[(u64, Event<'static>)]) {
        let now = self.clocks[process as usize];
        self.pass(process, until - now, &format!("main > {name}"));
        self.trace.on(process * 10).call(name, now, until, inside);
    }

    fn wait(&mut self, kind: &'static str, location: u64, (begin, end): (u64, u64), cause: u64) {
        if begin < end && location != cause {
            let (location, cause) = (location * 10, cause * 10);
            self.run.waits.push(Wait { location, begin, end, cause, kind });
        }
    }

    fn sync(&mut self, processes: &[u64], time: u64) {
        let locations = processes.iter().map(|process| process * 10).collect();
        self.run.syncs.push(Sync { locations, time });
    }

    fn step(&mut self, Step { what, ticks }: &Step) {
        match *what {
            What::Compute(process, name) => {
                self.pass(process, ticks[2], "main");
                let now = self.clocks[process as usize];
                self.call(process, name, now + ticks[0], &[]);
            }
            What::Message(from, to, waits) if from != to => {
                let sent = self.pass(from, ticks[2], "main")[1];
                let posted = self.pass(to, ticks[3], "main")[1];
                let begin = if waits { sent.max(posted) } else { sent };
                let name = if waits { "MPI_Ssend" } else { "MPI_Send" };
                self.call(from, name, begin + ticks[0], &[(sent, send(to as u32))]);
                let until = sent.max(posted) + ticks[1];
                self.call(to, "MPI_Recv", until, &[(until, recv(from as u32))]);
                self.wait("late sender", to, (posted, sent), from);
                // A sender that was there so long is one that waited, whatever it did.
                if posted < begin + ticks[0] {
                    self.wait("late receiver", from, (sent, posted), to);
                }
                self.sync(&[from, to], sent.max(posted));
            }
            What::Message(..) => {}
            What::Collective(comm, op, root) => self.collective(comm, op, root, ticks),
        }
    }

    fn collective(&mut self, comm: u32, op: Op, root: u64, ticks: &[u64; 4]) {
        let processes = 0..self.clocks.len() as u64;
        let members: Vec<u64> = processes.filter(|it| comm == WORLD || it % 2 == 0).collect();
        if members.len() < 2 {
            return;
        }
        let root = root as usize % members.len();
        // Each a little later than the one before, so that nothing happens twice at a time.
        let begins = (1..)
            .zip(&members)
            .map(|(place, member)| self.clocks[*member as usize] + ticks[2] * place);
        let begins: Vec<u64> = begins.collect();
        let last = begins.iter().copied().max().expect("a member");
        let latest = begins.iter().position(|begin| *begin == last).expect("the last one");
        let place_of = |place: usize| members[place];
        let (name, has_root) = match op {
            Op::Barrier => ("MPI_Barrier", false),
            Op::Allreduce => ("MPI_Allreduce", false),
            Op::Scan => ("MPI_Scan", false),
            Op::Bcast => ("MPI_Bcast", true),
            _ => ("MPI_Reduce", true),
        };
        for (place, member) in members.iter().enumerate() {
            let began = begins[place];
            let (until, cause) = match op {
                Op::Bcast => (begins[root], root),
                Op::Reduce if place != root => (began, root),
                Op::Reduce => {
                    let others = (0..members.len()).filter(|other| *other != root);
                    let last = others.max_by_key(|other| begins[*other]).expect("a member");
                    (begins[last], last)
                }
                Op::Scan => {
                    let last = (0..=place).max_by_key(|other| begins[*other]).expect("itself");
                    (begins[last], last)
                }
                _ => (last, latest),
            };
            self.wait(name, *member, (began, until), place_of(cause));
            let leave = began.max(until) + ticks[1] + ticks[3] * (place as u64 + 1);
            let sizes = if op == Op::Barrier { 0 } else { 8 };
            let of_root = if has_root { root as u32 } else { NONE };
            let ended = over(comm, end(op, of_root, sizes, sizes));
            let enter = self.clocks[*member as usize];
            self.pass(*member, began - enter, "main");
            self.call(*member, name, leave, &[(began, begin()), (leave, ended)]);
        }
        if has_root {
            for place in (0..members.len()).filter(|place| *place != root) {
                self.sync(&[members[root], members[place]], begins[root].max(begins[place]));
            }
        } else {
            self.sync(&members, last);
        }
    }
}
