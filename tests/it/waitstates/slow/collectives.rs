//! Collective operations.

use streamfold::model::enums::CollectiveOp as Op;
use streamfold::model::events::Event;

use super::messages::{order, post_of, TESTS};
use super::{comms, minus, Cause, Found, Place};
use crate::waitstates::events::SELF;
use crate::waitstates::trace::{Trace, BETWEEN};

/// What a member recorded of an operation.
#[derive(Clone, Copy, Debug)]
struct Part {
    process: u64,
    comm: u32,
    op: Op,
    root: u32,
    sent: bool,
    received: bool,
    /// The event that counts for the order, and when the member began or posted it.
    start: Place,
    began: u64,
    end: Place,
    ended: u64,
    blocking: bool,
}

/// What is waited for in an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Class {
    Barrier,
    OneToAll,
    AllToOne,
    AllToAll,
    Prefix,
}

impl Class {
    fn of(op: Op) -> Option<Class> {
        Some(match op {
            Op::Barrier => Class::Barrier,
            Op::Bcast | Op::Scatter | Op::Scatterv => Class::OneToAll,
            Op::Gather | Op::Gatherv | Op::Reduce => Class::AllToOne,
            Op::Allgather | Op::Allgatherv | Op::Alltoall => Class::AllToAll,
            Op::Allreduce | Op::ReduceScatter | Op::ReduceScatterBlock => Class::AllToAll,
            Op::Scan | Op::Exscan => Class::Prefix,
            _ => return None,
        })
    }

    fn metric(self) -> &'static str {
        match self {
            Class::Barrier => "mpi_barrier_wait",
            Class::OneToAll => "mpi_latebroadcast",
            Class::AllToOne => "mpi_earlyreduce",
            Class::AllToAll => "mpi_wait_nxn",
            Class::Prefix => "mpi_earlyscan",
        }
    }
}

fn parts(found: &Found<'_>) -> Vec<Part> {
    let trace = found.trace;
    let mut parts = Vec::new();
    for (location, events) in &trace.streams {
        for (number, (time, event)) in events.iter().enumerate() {
            let end = (*location, number);
            let entered =
                |end| found.visits.mpi(end).map_or(*time, |call| found.visits.enter(call));
            let part = |comm, op, root, (sent, received), start: usize, began, blocking| Part {
                process: location / 10,
                comm,
                op,
                root,
                sent: sent != 0,
                received: received != 0,
                start: (*location, start),
                began,
                end,
                ended: *time,
                blocking,
            };
            match event {
                Event::MpiCollectiveEnd(it) => {
                    let before =
                        events[..number].iter().enumerate().rev().find(|(_, (_, event))| {
                            matches!(
                                event,
                                Event::MpiCollectiveBegin(_) | Event::MpiCollectiveEnd(_)
                            )
                        });
                    let begin = before
                        .filter(|(_, (_, event))| matches!(event, Event::MpiCollectiveBegin(_)));
                    let (start, began) = match begin {
                        Some((start, (began, _))) => (start, *began),
                        None => (number, entered(end)),
                    };
                    let sizes = (it.size_sent, it.size_received);
                    let comm = it.communicator.0;
                    parts.push(part(comm, it.collective_op, it.root, sizes, start, began, true));
                }
                Event::NonBlockingCollectiveComplete(it) => {
                    // Where clocks went back another thread may complete it before it was posted.
                    let (start, began) = match post_of(trace, end) {
                        Some(post) => (post, trace.streams[&post.0][post.1].0),
                        None => (end, entered(end)),
                    };
                    let sizes = (it.size_sent, it.size_received);
                    let comm = it.communicator.0;
                    let part = part(comm, it.collective_op, it.root, sizes, 0, began, false);
                    parts.push(Part { start, ..part });
                }
                _ => {}
            }
        }
    }
    if parts.iter().all(|part| !part.sent && !part.received) {
        parts.iter_mut().for_each(|part| (part.sent, part.received) = (true, true));
    }
    parts
}

/// The operations in which all members took part and agree, in the order of processes.
fn operations(found: &Found<'_>) -> Vec<Vec<Part>> {
    let processes = found.trace.processes();
    let all = parts(found);
    let nth = |part: &Part, trace: &Trace| {
        let before = all.iter().filter(|other| {
            other.process == part.process
                && other.comm == part.comm
                && order(trace, other.start) < order(trace, part.start)
        });
        before.count()
    };
    let mut operations = Vec::new();
    for first in &all {
        let members = comms::members(first.comm, first.process, processes);
        if members.first() != Some(&first.process) || members.len() < 2 {
            continue;
        }
        let number = nth(first, found.trace);
        let member = |process: &u64| {
            let mut of =
                all.iter().filter(|part| part.process == *process && part.comm == first.comm);
            of.find(|part| nth(part, found.trace) == number).copied()
        };
        let Some(parts) = members.iter().map(member).collect::<Option<Vec<Part>>>() else {
            continue;
        };
        // MPI does not let operations that block and those that do not be the same.
        let agree = |part: &Part| {
            part.op == first.op
                && part.blocking == first.blocking
                && (part.comm == BETWEEN || part.root == first.root)
        };
        if parts.iter().all(agree) {
            operations.push(parts);
        }
    }
    operations
}

impl Part {
    /// Whether ranks of the other group are those that one waits for.
    fn faces(&self, other: &Part) -> bool {
        self.comm != BETWEEN || self.process % 2 != other.process % 2
    }
}

/// The member that is the root.
fn root(parts: &[Part], processes: u64) -> Option<&Part> {
    if parts[0].comm == BETWEEN {
        return parts.iter().find(|part| part.root == SELF);
    }
    let process = comms::of_rank(parts[0].comm, parts[0].process, parts[0].root, processes)?;
    parts.iter().find(|part| part.process == process)
}

/// When a member began, and its process.
type Began = (u64, u64);

/// Until when a member has to wait, and who makes it wait the longest; `None`: it waits for nobody.
fn waits_for(parts: &[Part], class: Class, member: usize, processes: u64) -> Option<(u64, Began)> {
    let own = &parts[member];
    let faced = || parts.iter().filter(|part| own.faces(part));
    let latest = |parts: Vec<&Part>| -> Option<Began> {
        let last = parts.iter().map(|part| part.began).max()?;
        let of_last = parts.iter().filter(|part| part.began == last);
        Some((last, of_last.map(|part| part.process).min()?))
    };
    let until = |began: Began| (began.0, began);
    match class {
        Class::Barrier => latest(faced().collect()).map(until),
        Class::AllToAll if own.received => {
            latest(faced().filter(|part| part.sent).collect()).map(until)
        }
        Class::OneToAll if own.received => {
            let root = root(parts, processes)?;
            let waits = root.process != own.process && own.faces(root);
            waits.then_some(until((root.began, root.process)))
        }
        Class::AllToOne if own.received => {
            let root = root(parts, processes)?;
            if root.process != own.process {
                return None;
            }
            let senders = faced().filter(|part| part.process != own.process && part.sent);
            latest(senders.collect()).map(until)
        }
        Class::Prefix if own.sent || own.received => {
            latest(parts[..=member].iter().collect()).map(until)
        }
        _ => None,
    }
}

/// The location at which the member of a process began, unless that is the one that waited.
fn cause(parts: &[Part], (time, process): Began, own: &Part) -> Cause {
    let of = parts.iter().find(|part| part.process == process)?;
    (of.start.0 != own.start.0).then_some((of.start.0, time))
}

/// The blocking ones.
pub fn find(found: &mut Found<'_>) {
    let processes = found.trace.processes();
    for parts in operations(found) {
        let Some(class) = Class::of(parts[0].op).filter(|_| parts[0].blocking) else { continue };
        let ignored = |part: &Part| {
            found
                .visits
                .mpi(part.end)
                .is_some_and(|call| found.visits.visit(call).call().contains("neighbor_"))
        };
        if parts.iter().any(ignored) {
            continue;
        }
        let first = match class {
            Class::Barrier => parts.iter().map(|part| part.ended).min(),
            _ => {
                parts.iter().filter(|part| part.sent && part.received).map(|part| part.ended).min()
            }
        };
        for (member, part) in parts.iter().enumerate() {
            let Some((until, latest)) = waits_for(&parts, class, member, processes) else {
                continue;
            };
            found.check("collective", latest, (part.ended, part.process));
            let Some(call) = found.visits.mpi(part.end) else { continue };
            let wait = minus(until.min(part.ended), part.began);
            let cause = cause(&parts, latest, part);
            let waited = found.charge(class.metric(), call, part.began, wait, cause);
            let metric = match class {
                Class::Barrier => "mpi_barrier_completion",
                Class::AllToAll if part.sent && part.received => "mpi_nxn_completion",
                _ => continue,
            };
            let first = first.expect("there is a member that counts");
            // Between groups a member may begin after others have ended, which is no time of its own.
            let from = first.max(until).max(part.began);
            let ticks = minus(part.ended, from).min(found.own(call) - waited);
            found.charge(metric, call, from, ticks, None);
        }
    }
}

/// What non-blocking operations would have their completing calls wait: the record of completion, the
/// metric, how long, and for whom.
pub fn non_blocking(found: &Found<'_>) -> Vec<(Place, &'static str, i128, Cause)> {
    let processes = found.trace.processes();
    let mut all = Vec::new();
    for parts in operations(found) {
        let Some(class) = Class::of(parts[0].op).filter(|_| !parts[0].blocking) else { continue };
        for (member, part) in parts.iter().enumerate() {
            let Some((until, latest)) = waits_for(&parts, class, member, processes) else {
                continue;
            };
            let Some(call) = found.visits.mpi(part.end) else { continue };
            let Some(leave) = found.visits.leave(call) else { continue };
            if !found.visits.visit(call).is(&TESTS) {
                let wait = minus(until.min(leave), found.visits.enter(call));
                all.push((part.end, class.metric(), wait, cause(&parts, latest, part)));
            }
        }
    }
    all
}
