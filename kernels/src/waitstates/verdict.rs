//! Verdicts: waits that the other end found, sorted by the location that may have waited.
//!
//! A call that completes many operations waited for one of them only: the longest. A late sender may be due to messages
//! that were received in another order than they were sent. That depends on later receives of the location. So verdicts
//! are put together by location, from the last event to the first. Of later messages those count that were sent before
//! all that were received between. Without wrong orders that is one.

use streamfold_model::ids::LocationRef;

use super::call::Call;
use super::charges::{Charges, Wait};
use super::culprit::Culprit;
use super::metric::Metric;
use crate::matching::coding::{put, put_change, take, take_change};
use crate::matching::{Item, Items, Key, Lanes, Order, Outgoing, Sink, Source};

/// Most messages in wrong order that are remembered exactly.
const MOST_WITNESSES: usize = 1 << 20;

/// The other end that was sought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sought {
    /// The sender of a received message: when that was sent, in ticks, and by which process.
    Receive {
        /// The time of the record of the send.
        sent: u64,
        /// The sending process.
        sender: u32,
    },
    /// The receiver of a message.
    Send,
    /// Members of a collective operation that does not block.
    Collective(Metric),
}

/// The result of the other end for one record of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The record, counted from the last one there could be: the last comes first.
    pub order: Order,
    /// The other end that was sought.
    pub sought: Sought,
    /// The call that may have waited; `None`: no call waited.
    pub call: Option<Call>,
    /// Ticks that it would have waited for this alone.
    pub ticks: u64,
    /// The location that came late.
    pub culprit: Option<Culprit>,
}

impl Verdict {
    /// For an event of a location: no wait.
    pub fn new(location: LocationRef, number: u64, sought: Sought) -> Self {
        let order = Order { time: 0, location, number: u64::MAX - number };
        Verdict { order, sought, call: None, ticks: 0, culprit: None }
    }

    fn number(&self) -> u64 {
        u64::MAX - self.order.number
    }

    fn key(&self) -> Key {
        let LocationRef(location) = self.order.location;
        Key([location as u32, (location >> 32) as u32, 0, 0])
    }
}

impl Item for Verdict {
    fn order(&self) -> Order {
        self.order
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        put_change(self.order.number, before.map_or(0, |before| before.order.number), bytes);
        let sent = |verdict: &Verdict| match verdict.sought {
            Sought::Receive { sent, .. } => sent,
            _ => 0,
        };
        match self.sought {
            Sought::Send => put(0, bytes),
            Sought::Receive { sent: time, sender } => {
                put(1, bytes);
                put_change(time, before.map_or(0, sent), bytes);
                put(sender.into(), bytes);
            }
            Sought::Collective(metric) => {
                put(2, bytes);
                put(metric.number().into(), bytes);
            }
        }
        put(self.ticks, bytes);
        Culprit::put_any(self.culprit, bytes);
        // The call counts without a wait, too: it may share its verdicts with others.
        let last = before.and_then(|before| before.call);
        let time = last.map_or(0, |call| call.enter);
        Call::put_any(self.call, time, last.as_ref(), bytes);
    }

    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let number = take_change(before.map_or(0, |before| before.order.number), bytes)?;
        let sent = before.map_or(0, |before| match before.sought {
            Sought::Receive { sent, .. } => sent,
            _ => 0,
        });
        let sought = match take(bytes)? {
            0 => Sought::Send,
            1 => Sought::Receive {
                sent: take_change(sent, bytes)?,
                sender: take(bytes)?.try_into().ok()?,
            },
            2 => Sought::Collective(Metric::of_number(take(bytes)?)?),
            _ => return None,
        };
        let ticks = take(bytes)?;
        let culprit = Culprit::take_any(bytes)?;
        let last = before.and_then(|before| before.call);
        let time = last.map_or(0, |call| call.enter);
        let call = Call::take_any(time, last.as_ref(), bytes)?;
        Some(Verdict { order: Order { time: 0, location, number }, sought, call, ticks, culprit })
    }
}

/// Verdicts on their way to their locations.
pub struct Verdicts<'s> {
    lanes: Lanes<Verdict>,
    outgoing: Outgoing<'s>,
}

impl<'s> Verdicts<'s> {
    /// To be put into a sink.
    pub fn new(sink: &'s dyn Sink) -> Self {
        Verdicts { lanes: Lanes::default(), outgoing: Outgoing::new(sink) }
    }

    /// Adds one.
    pub fn push(&mut self, verdict: Verdict) {
        self.lanes.push(verdict.key(), verdict, &mut self.outgoing);
    }

    /// No more are to come.
    pub fn end(mut self) {
        self.lanes.empty(&mut self.outgoing);
        self.outgoing.hand_over();
    }
}

/// Puts together what was found for each location.
///
/// # Errors
///
/// When a block cannot be read.
pub fn judge<S: Source>(source: S, charges: &mut Charges<'_, '_>) -> Result<(), S::Error> {
    let mut items = Items::<S, Verdict>::new(source)?;
    while let Some(key) = items.key() {
        let mut judge = Judge::default();
        while let Some(verdict) = items.next_of_all(key)? {
            judge.take(verdict, charges);
        }
        judge.end(charges);
    }
    Ok(())
}

/// A received message: when it was sent, and by which process.
#[derive(Clone, Copy)]
struct Witness {
    sent: u64,
    sender: u32,
}

/// The other end that a call waited for.
#[derive(Clone, Copy)]
enum Cause {
    /// The sender of this message.
    Sender(Witness),
    /// The members of an operation; the metric of that.
    Members(Metric),
}

/// The verdicts of one location, the last first.
#[derive(Default)]
struct Judge {
    /// Messages received later, each sent before those above it, which were received before it.
    witnesses: Vec<Witness>,
    /// Calls of which more may come, those entered later above the others.
    open: Vec<Group>,
}

/// All verdicts of one call.
struct Group {
    call: Option<Call>,
    location: LocationRef,
    /// The longest wait for a sender, or for the members of an operation.
    longest: Option<(u64, Cause, Option<Culprit>)>,
    late_receiver: (u64, Option<Culprit>),
    /// All messages received in it, the last first.
    received: Vec<Witness>,
}

impl Judge {
    fn take(&mut self, verdict: Verdict, charges: &mut Charges<'_, '_>) {
        let number = verdict.number();
        while self.open.last().is_some_and(|group| group.is_behind(number)) {
            self.close(charges);
        }
        let same = |group: &Group| group.call.map(|c| c.number) == verdict.call.map(|c| c.number);
        match self.open.last_mut().filter(|group| same(group)) {
            Some(group) if verdict.call.is_some() => group.add(&verdict),
            _ => {
                let location = verdict.order.location;
                let mut group = Group::new(verdict.call, location);
                group.add(&verdict);
                self.open.push(group);
            }
        }
    }

    fn end(&mut self, charges: &mut Charges<'_, '_>) {
        while !self.open.is_empty() {
            self.close(charges);
        }
    }

    fn close(&mut self, charges: &mut Charges<'_, '_>) {
        let Some(group) = self.open.pop() else { return };
        group.charge(&self.witnesses, charges);
        for witness in group.received {
            self.add_witness(witness);
        }
    }

    fn add_witness(&mut self, witness: Witness) {
        while self.witnesses.last().is_some_and(|last| last.sent >= witness.sent) {
            self.witnesses.pop();
        }
        if self.witnesses.len() >= MOST_WITNESSES {
            // Every other one: the first of all decides whether there is any, and stays.
            let mut place = 0;
            self.witnesses.retain(|_| {
                place += 1;
                place % 2 == 1
            });
        }
        self.witnesses.push(witness);
    }
}

impl Group {
    fn new(call: Option<Call>, location: LocationRef) -> Self {
        Group { call, location, longest: None, late_receiver: (0, None), received: Vec::new() }
    }

    /// Returns whether an event is before all of the call.
    fn is_behind(&self, number: u64) -> bool {
        self.call.is_none_or(|call| number < call.number)
    }

    fn add(&mut self, verdict: &Verdict) {
        match verdict.sought {
            Sought::Receive { sent, sender } => {
                let witness = Witness { sent, sender };
                self.received.push(witness);
                self.compare(verdict, Cause::Sender(witness));
            }
            // Of two that are the same the first counts, which comes last.
            Sought::Send if verdict.ticks >= self.late_receiver.0 => {
                self.late_receiver = (verdict.ticks, verdict.culprit);
            }
            Sought::Send => {}
            Sought::Collective(metric) => self.compare(verdict, Cause::Members(metric)),
        }
    }

    /// Of two that are the same the first counts, which comes last.
    fn compare(&mut self, verdict: &Verdict, cause: Cause) {
        let (ticks, culprit) = (verdict.ticks, verdict.culprit);
        let longest = self.longest.map_or(0, |(ticks, ..)| ticks);
        if ticks > 0 && ticks >= longest {
            self.longest = Some((ticks, cause, culprit));
        }
    }

    /// The call waited for one of all that it completed.
    fn charge(&self, witnesses: &[Witness], charges: &mut Charges<'_, '_>) {
        let (Some(call), location) = (self.call, self.location) else { return };
        let mut wait = |metric, ticks, part, culprit| {
            charges.wait(Wait { metric, location, call, from: call.enter, ticks, part, culprit });
        };
        match self.longest {
            Some((ticks, Cause::Members(metric), culprit)) => wait(metric, ticks, None, culprit),
            Some((ticks, Cause::Sender(message), culprit)) => {
                let before = |witness: &&Witness| witness.sent < message.sent;
                let witness = witnesses.iter().rev().find(before);
                let wrong = witness.map(|witness| match witness.sender == message.sender {
                    true => (Metric::MPI_LSWO_SAME, ticks),
                    false => (Metric::MPI_LSWO_DIFFERENT, ticks),
                });
                wait(Metric::MPI_LATESENDER, ticks, wrong, culprit);
            }
            None => {
                let (ticks, culprit) = self.late_receiver;
                wait(Metric::MPI_LATERECEIVER, ticks, None, culprit);
            }
        }
    }
}
