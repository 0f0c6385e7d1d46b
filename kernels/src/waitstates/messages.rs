//! Messages between two processes: waits for the other end.

use std::cmp::Reverse;

use streamfold_model::ids::LocationRef;

use super::call::Call;
use super::culprit::Culprit;
use super::flights::Flight;
use super::path::PathId;
use super::severity::{Kind, Severities};
use super::verdict::{Sought, Verdict, Verdicts};
use crate::delays::Syncs;
use crate::matching::coding::{put, put_change, take, take_change};
use crate::matching::{Item, Key, Order, Process, Receiver, Side};
use crate::replay::{Link, LinkId, Links, Point, Taker, What};

/// One end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageEnd {
    /// Order of its post.
    pub posted: Order,
    /// The time of the record with which it was posted, in ticks: not that which the location had
    /// known, but what stands there.
    pub time: u64,
    /// When the call was entered that posted it; `None`: it was posted in none.
    pub entered: Option<u64>,
    /// The call path of that call; [`PathId::ROOT`]: of none.
    pub path: PathId,
    /// Bytes that it sends; of a receive 0.
    pub bytes: u64,
    /// When it was complete, by its record; when it was posted, where that is not known.
    pub completed: u64,
    /// The location that completed it: another thread of the process may do that.
    pub completer: LocationRef,
    /// The number of the event there.
    pub number: u64,
    /// The call that completed it, where that may wait for the other end.
    pub call: Option<Call>,
}

impl Item for MessageEnd {
    const REVOCABLE: bool = true;

    fn order(&self) -> Order {
        self.posted
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        let Order { time, number, .. } = self.posted;
        let of = |field: fn(&MessageEnd) -> u64| before.map_or(0, field);
        put_change(time, of(|end| end.posted.time), bytes);
        put_change(number, of(|end| end.posted.number), bytes);
        put_change(self.time, time, bytes);
        put(self.entered.is_some().into(), bytes);
        put_change(self.entered.unwrap_or(time), time, bytes);
        self.path.put(before.map(|end| end.path), bytes);
        put_change(self.bytes, of(|end| end.bytes), bytes);
        put_change(self.completed, time, bytes);
        put_change(self.completer.0, self.posted.location.0, bytes);
        put_change(self.number, number, bytes);
        let last = before.and_then(|before| before.call);
        Call::put_any(self.call, self.completed, last.as_ref(), bytes);
    }

    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let of = |field: fn(&MessageEnd) -> u64| before.map_or(0, field);
        let posted_time = take_change(of(|end| end.posted.time), bytes)?;
        let number = take_change(of(|end| end.posted.number), bytes)?;
        let time = take_change(posted_time, bytes)?;
        let is_in_call = take(bytes)? == 1;
        let entered = take_change(posted_time, bytes)?;
        let path = PathId::take(before.map(|end| end.path), bytes)?;
        let length = take_change(of(|end| end.bytes), bytes)?;
        let completed = take_change(posted_time, bytes)?;
        let completer = LocationRef(take_change(location.0, bytes)?);
        let completed_by = take_change(number, bytes)?;
        let last = before.and_then(|before| before.call);
        Some(MessageEnd {
            posted: Order { time: posted_time, location, number },
            time,
            entered: is_in_call.then_some(entered),
            path,
            bytes: length,
            completed,
            completer,
            number: completed_by,
            call: Call::take_any(completed, last.as_ref(), bytes)?,
        })
    }
}

impl MessageEnd {
    /// Returns the location that posted it, the call, and when that was entered.
    fn culprit(&self) -> Culprit {
        let time = self.entered.unwrap_or(self.time);
        Culprit { location: self.posted.location, path: self.path, time }
    }
}

/// Compares both ends of messages.
pub struct Waiting<'a, 's> {
    /// Verdicts for the locations of both ends.
    pub verdicts: &'a mut Verdicts<'s>,
    /// Counts of clocks that disagree, and messages to draw.
    pub severities: &'a mut Severities,
    /// Dependencies, for replays.
    pub links: &'a mut Links<'s>,
    /// Times at which both ends are there, for costs of delays.
    pub syncs: &'a mut Syncs<'s>,
    /// Sends and receives without another end.
    pub alone: [u64; 2],
}

impl Receiver<MessageEnd> for Waiting<'_, '_> {
    fn pair(&mut self, key: Key, send: MessageEnd, receive: MessageEnd) {
        let Key([_, sender, receiver, _]) = key;
        let of = [sender, receiver].map(Process);
        self.severities.check(Kind::PointToPoint, of, send.time, receive.completed);
        self.severities.message(|| flight(&send, &receive));
        let late = late_sender(&send, &receive);
        let sought = Sought::Receive { sent: send.time, sender };
        let verdict = Verdict::new(receive.completer, receive.number, sought);
        let culprit = (late > 0).then(|| send.culprit());
        self.verdicts.push(Verdict { call: receive.call, ticks: late, culprit, ..verdict });
        let late = late_receiver(&send, &receive);
        if late > 0 {
            let verdict = Verdict::new(send.completer, send.number, Sought::Send);
            let culprit = Some(receive.culprit());
            self.verdicts.push(Verdict { call: send.call, ticks: late, culprit, ..verdict });
        }
        if self.links.are_wanted() {
            self.link(&send, &receive);
        }
        let sending = send.entered.unwrap_or(send.time);
        let receiving = receive.call.map_or(receive.completed, |call| call.enter);
        let (sender, receiver) = (send.posted.location, receive.completer);
        self.syncs.pair(sender, receiver, sending.max(receiving));
    }

    fn alone(&mut self, _: Key, side: Side, _: MessageEnd) {
        self.alone[side as usize] += 1;
    }
}

impl Waiting<'_, '_> {
    /// The receiver depends on the sender, and the sender on the receiver if it waited for it.
    fn link(&mut self, send: &MessageEnd, receive: &MessageEnd) {
        let id = |end: &MessageEnd, kind| {
            let Order { location, number, .. } = end.posted;
            LinkId { location, number, kind }
        };
        let giver = |end: &MessageEnd| {
            (end.posted.location, end.entered.unwrap_or(end.time), end.posted.number)
        };
        let taker = |end: &MessageEnd, waited| Taker {
            location: end.completer,
            time: end.call.map_or(end.completed, |call| call.enter),
            number: end.number,
            until: end.call.map_or(end.completed, |call| call.leave),
            waited,
            in_mpi: true,
            before: false,
            message: true,
            recorded_only: false,
            bytes: send.bytes,
        };
        let time_to = |end: &MessageEnd, time| end.call.map_or(0, |call| call.time_to(time));
        let waited = time_to(receive, giver(send).1);
        self.links.pair(id(send, 0), giver(send), taker(receive, waited));
        let link = Link::pair(id(send, 0));
        let posted = |end: &MessageEnd| (end.posted.location, end.posted.number);
        if posted(receive) != (receive.completer, receive.number) {
            let ((location, time, number), what) = (giver(receive), What::Posts { link });
            self.links.push_for_schedule(Point { location, time, number, what });
        }
        if posted(send) != (send.completer, send.number) {
            let Taker { location, time, number, .. } = taker(send, 0);
            let what = What::Completes { link };
            self.links.push_for_schedule(Point { location, time, number, what });
        }
        if late_receiver(send, receive) > 0 {
            let waited = time_to(send, giver(receive).1);
            let late = Taker { message: false, recorded_only: true, ..taker(send, waited) };
            self.links.pair(id(receive, 1), giver(receive), late);
        }
    }
}

/// The way of a message.
fn flight(send: &MessageEnd, receive: &MessageEnd) -> Flight {
    let Order { location: sender, number, .. } = send.posted;
    let (sent, received) = (send.time, receive.completed);
    let (receiver, bytes) = (receive.completer, send.bytes);
    let ticks = Reverse(received.saturating_sub(sent));
    Flight { ticks, sent, sender, number, received, receiver, bytes }
}

/// How long the receiver waited for the sender, in ticks.
fn late_sender(send: &MessageEnd, receive: &MessageEnd) -> u64 {
    match (receive.call, send.entered) {
        (Some(call), Some(entered)) => call.wait_for(entered),
        _ => 0,
    }
}

/// How long the sender waited for the receiver, in ticks: not at all where it ended before.
fn late_receiver(send: &MessageEnd, receive: &MessageEnd) -> u64 {
    match (send.call, receive.entered) {
        (Some(call), Some(entered)) if call.leave > entered => call.wait_for(entered),
        _ => 0,
    }
}
