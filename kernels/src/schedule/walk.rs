//! Operations of a part become statements.

use std::cmp::Ordering;

use super::gather::GivenUp;
use super::op::{Act, Does, Holds, Kind, Name, Op};
use super::places::{Part, Places};
use crate::matching::{Item, Items, Key, Source};
use crate::replay::{OwnTime, What};

/// The label of an operation, unique in its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// The n-th computation of a thread.
    Computation(u32, u64),
    /// A send, and its number.
    Send(u64),
    /// A receive; it has the number of its send.
    Receive(u64),
    /// A mark.
    Mark(u64),
}

/// A statement of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// A rank begins.
    Begin(u32),
    /// An operation on a processor.
    Op(Label, Does, u32),
    /// The first operation comes after the end, or the start, of the second.
    Requires {
        /// The one that has to wait.
        later: Label,
        /// The one for which it waits.
        earlier: Label,
        /// Set if it waits for the start only.
        start: bool,
    },
    /// The rank ends.
    End,
}

/// The first numbers of the dependencies that each rank of this job has made operations of.
#[derive(Clone, Debug, Default)]
pub struct Ranges(Vec<u64>);

impl Ranges {
    /// Given how many each has.
    pub fn new(counts: impl IntoIterator<Item = u64>) -> Self {
        let first = |next: &mut u64, count: u64| {
            let first = *next;
            *next = first.saturating_add(count);
            Some(first)
        };
        Ranges(counts.into_iter().scan(0, first).collect())
    }

    fn first(&self, rank: u32) -> u64 {
        self.0.get(rank as usize).copied().unwrap_or(0)
    }

    fn label(&self, name: Name) -> Label {
        let number = self.first(name.from).saturating_add(name.number);
        match name.kind {
            Kind::Send => Label::Send(number),
            Kind::Receive => Label::Receive(number),
            Kind::Mark => Label::Mark(number),
        }
    }
}

/// Goes over the parts that a rank owns.
pub struct Walk<'a, S> {
    ops: Items<S, Op>,
    parts: Vec<(Part, Key)>,
    next: usize,
    ranges: &'a Ranges,
    given_up: &'a GivenUp,
    begin: u64,
    resolution: u64,
    /// The thread that is gone over.
    thread: Option<Thread>,
    /// Operations at one place.
    here: Vec<Op>,
    /// An operation at another one.
    ahead: Option<Op>,
}

impl<'a, S: Source> Walk<'a, S> {
    /// Over the parts that a rank of so many owns, of a run that begins at a time, in ticks. `resolution`: ticks a second.
    /// Dependencies that were given up hold nobody, and nobody waited for them.
    ///
    /// # Errors
    ///
    /// When a block cannot be read.
    pub fn new(
        ops: S,
        places: &Places,
        (rank, ranks): (usize, usize),
        (ranges, given_up): (&'a Ranges, &'a GivenUp),
        (begin, resolution): (u64, u64),
    ) -> Result<Self, S::Error> {
        let parts = places.owned(rank, ranks).collect();
        let (here, resolution) = (Vec::new(), resolution.max(1));
        let (ops, thread, ahead) = (Items::new(ops)?, None, None);
        Ok(Walk { ops, parts, next: 0, ranges, given_up, begin, resolution, thread, here, ahead })
    }

    /// Hands out the next few statements. Returns whether there may be more.
    ///
    /// # Errors
    ///
    /// When a block cannot be read.
    pub fn advance(&mut self, out: &mut impl FnMut(Statement)) -> Result<bool, S::Error> {
        let Some((part, key)) = self.parts.get(self.next).copied() else { return Ok(false) };
        if let (Some(cpu), None) = (part.cpu, &self.thread) {
            if cpu == 0 {
                out(Statement::Begin(part.rank));
            }
            self.thread = Some(Thread::new(cpu, self.begin, self.resolution));
        }
        self.read_here(key)?;
        let is_last = self.here.is_empty();
        let (ranges, given_up) = (self.ranges, self.given_up);
        match &mut self.thread {
            Some(thread) => {
                self.here.drain(..).for_each(|op| thread.take(op, ranges, given_up, out));
                if is_last {
                    thread.end(out);
                }
            }
            None => {
                for op in self.here.drain(..) {
                    behind(op, ranges, out);
                }
                if is_last {
                    out(Statement::End);
                }
            }
        }
        if is_last {
            self.thread = None;
            self.next += 1;
        }
        Ok(true)
    }

    /// All operations at the next place of a part, in their order; none at its end.
    fn read_here(&mut self, key: Key) -> Result<(), S::Error> {
        if self.ahead.is_none() && self.ops.key() == Some(key) {
            self.ahead = self.ops.next_of_all(key)?;
        }
        let Some(first) = self.ahead.take() else { return Ok(()) };
        let order = first.order();
        self.here.push(first);
        while self.ops.key() == Some(key) {
            let Some(next) = self.ops.next_of_all(key)? else { break };
            if next.order() != order {
                self.ahead = Some(next);
                break;
            }
            self.here.push(next);
        }
        let compare = |one: &Op, other: &Op| one.compare(other, |rank| self.ranges.first(rank));
        if !self.here.is_sorted_by(|one, other| compare(one, other) != Ordering::Greater) {
            self.here.sort_by(compare);
        }
        Ok(())
    }
}

/// Writes an item behind all threads of a rank.
fn behind(op: Op, ranges: &Ranges, out: &mut impl FnMut(Statement)) {
    match op {
        Op::Act(_, Act::Meets(name, cpu)) => {
            out(Statement::Op(ranges.label(name), Does::Computes(0), cpu));
        }
        Op::Act(_, Act::Requires { later, earlier }) => {
            let (later, earlier) = (ranges.label(later), ranges.label(earlier));
            out(Statement::Requires { later, earlier, start: false });
        }
        _ => {}
    }
}

/// An operation that the next one of its thread waits for.
#[derive(Clone, Copy)]
struct Open {
    label: Label,
    /// It waits for the start only.
    start: bool,
    /// When it was sent, if it is a send that blocks.
    sent: Option<u64>,
}

/// A thread up to an operation.
struct Thread {
    cpu: u32,
    own: OwnTime,
    resolution: u64,
    /// Own time so far, and that up to the last computation, in ticks.
    time: u64,
    written: u64,
    /// How many computations there are.
    computations: u64,
    /// The next operation waits for all of these.
    open: Vec<Open>,
}

impl Thread {
    fn new(cpu: u32, begin: u64, resolution: u64) -> Self {
        let (own, open) = (OwnTime::new(begin), Vec::new());
        Thread { cpu, own, resolution, time: 0, written: 0, computations: 0, open }
    }

    fn take(
        &mut self,
        op: Op,
        ranges: &Ranges,
        given_up: &GivenUp,
        out: &mut impl FnMut(Statement),
    ) {
        let (order, act) = match op {
            Op::Point(point) => {
                let is_given_up = match point.what {
                    What::Takes { link, .. } => given_up.contains(&(link.id, point.location)),
                    _ => false,
                };
                self.time = self.own.pass(point, is_given_up);
                return;
            }
            Op::Act(order, act) => (order, act),
        };
        match act {
            Act::Does { name, does, after, needs, holds, .. } => {
                if after || holds == Holds::Besides {
                    self.compute(out);
                }
                let label = ranges.label(name);
                out(Statement::Op(label, does, self.cpu));
                if after {
                    // A receive of the call that sends is there while it sends.
                    let meanwhile =
                        |open: &Open| name.kind == Kind::Receive && open.sent == Some(order.time);
                    for open in &self.open {
                        let start = open.start || meanwhile(open);
                        out(Statement::Requires { later: label, earlier: open.label, start });
                    }
                    if matches!(holds, Holds::Start | Holds::End) {
                        self.open.retain(meanwhile);
                    }
                }
                if let Some(needs) = needs {
                    let earlier = ranges.label(needs);
                    out(Statement::Requires { later: label, earlier, start: false });
                }
                let blocks = matches!(holds, Holds::End) && name.kind == Kind::Send;
                let sent = blocks.then_some(order.time);
                match holds {
                    Holds::Nothing => {}
                    Holds::Start => self.open.push(Open { label, start: true, sent }),
                    Holds::End => self.open.push(Open { label, start: false, sent }),
                    Holds::Besides => self.open.push(Open { label, start: false, sent: None }),
                }
            }
            Act::Waits(name) => {
                self.compute(out);
                let label = ranges.label(name);
                // It may just have started.
                self.open.pop_if(|open| open.label == label);
                self.open.push(Open { label, start: false, sent: None });
            }
            Act::Meets(..) | Act::Requires { .. } => {}
        }
    }

    /// Writes the computation since the last one.
    fn compute(&mut self, out: &mut impl FnMut(Statement)) {
        if self.time > self.written {
            self.computation(out);
        }
    }

    fn computation(&mut self, out: &mut impl FnMut(Statement)) {
        let nanoseconds = |ticks: u64| {
            let time = u128::from(ticks) * 1_000_000_000 / u128::from(self.resolution);
            u64::try_from(time).unwrap_or(u64::MAX)
        };
        let time = nanoseconds(self.time) - nanoseconds(self.written);
        self.written = self.time;
        let label = Label::Computation(self.cpu, self.computations);
        self.computations += 1;
        out(Statement::Op(label, Does::Computes(time), self.cpu));
        for open in self.open.drain(..) {
            let Open { label: earlier, start, .. } = open;
            out(Statement::Requires { later: label, earlier, start });
        }
        self.open.push(Open { label, start: false, sent: None });
    }

    /// The last computation; the only one, of nothing, where there is no operation.
    fn end(&mut self, out: &mut impl FnMut(Statement)) {
        if self.time > self.written || self.computations == 0 {
            self.computation(out);
        }
    }
}
