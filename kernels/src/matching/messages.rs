//! Messages between two processes: the ends of each, in the order in which they match.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::calls::Envelope;
use streamfold_model::events::{
    MpiIrecv, MpiIrecvRequest, MpiIsend, MpiIsendComplete, MpiRecv, MpiRequestCancelled, MpiSend,
};
use streamfold_model::ids::{CommRef, LocationRef};
use streamfold_model::stream::EventHead;

use super::block::{put_change, take_change, Item, Key, Order};
use super::chosen::Counting;
use super::join::Side;
use super::lanes::{Lanes, Outgoing};
use super::partners::{PartnerCache, Partners, Process};

/// Requests that a location has open at a time, of which more is remembered than that they were
/// there. No program has so many; whoever writes a trace may.
const MOST_OPEN: usize = 1 << 20;

/// One end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Where it was posted: the send, the receive, or the request of the receive. Matching goes by
    /// that.
    pub posted: Order,
    /// The time of its record, in ticks: that of the send, or of the receive when it is complete.
    pub time: u64,
    /// The number of that record in its location.
    pub number: u64,
    /// Its length as recorded, in bytes.
    pub bytes: u64,
}

impl Item for End {
    fn order(&self) -> Order {
        self.posted
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        let Order { time, number, .. } = self.posted;
        let of = |field: fn(&End) -> u64| before.map_or(0, field);
        let is_here = (self.time, self.number) == (time, number);
        let is_as_long = self.bytes == of(|end| end.bytes);
        bytes.push(u8::from(is_here) | u8::from(is_as_long) << 1);
        put_change(time, of(|end| end.posted.time), bytes);
        put_change(number, of(|end| end.posted.number), bytes);
        if !is_here {
            put_change(self.time, time, bytes);
            put_change(self.number, number, bytes);
        }
        if !is_as_long {
            put_change(self.bytes, of(|end| end.bytes), bytes);
        }
    }

    #[inline]
    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let of = |field: fn(&End) -> u64| before.map_or(0, field);
        let (first, rest) = bytes.split_first()?;
        let (is_here, is_as_long) = (first & 1 == 1, first & 2 == 2);
        *bytes = rest;
        let posted = Order {
            time: take_change(of(|end| end.posted.time), bytes)?,
            location,
            number: take_change(of(|end| end.posted.number), bytes)?,
        };
        let (time, number) = match is_here {
            true => (posted.time, posted.number),
            false => (take_change(posted.time, bytes)?, take_change(posted.number, bytes)?),
        };
        let length = match is_as_long {
            true => of(|end| end.bytes),
            false => take_change(of(|end| end.bytes), bytes)?,
        };
        Some(End { posted, time, number, bytes: length })
    }
}

/// An end of a message as it travels: alone, or with what else is remembered of it.
pub trait MessageEnd: Item {
    /// Of an end; `path` says on which call path its record stands, for those who remember that.
    fn new(end: End, path: u64) -> Self;
}

impl MessageEnd for End {
    #[inline(always)]
    fn new(end: End, _: u64) -> Self {
        end
    }
}

/// The key of a message: its communicator, who sends it, who receives it, and its tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The communicator, global.
    pub comm: CommRef,
    /// Who sends.
    pub sender: Process,
    /// Who receives.
    pub receiver: Process,
    /// The tag.
    pub tag: u32,
}

impl Channel {
    /// Both are the same.
    pub fn key(self) -> Key {
        Key([self.comm.0, self.sender.0, self.receiver.0, self.tag])
    }
}

impl From<Key> for Channel {
    fn from(Key([comm, sender, receiver, tag]): Key) -> Self {
        let (sender, receiver) = (Process(sender), Process(receiver));
        Channel { comm: CommRef(comm), sender, receiver, tag }
    }
}

/// What one side of a communicator was recorded to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// Messages that were sent, or received, the cancelled ones not included.
    pub messages: u64,
    /// Their length in bytes.
    pub bytes: u128,
    /// Those of them over a communicator, or with a rank, that nobody defines.
    pub nowhere: u64,
}

impl Recorded {
    /// Adds those of others.
    pub fn add(&mut self, other: &Recorded) {
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.nowhere += other.nowhere;
    }
}

/// Requests of which nothing came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requests {
    /// Sends that were cancelled.
    pub cancelled_sends: u64,
    /// Receives that were cancelled before they had a message.
    pub cancelled_receives: u64,
    /// Receives that were posted, and neither completed nor cancelled: from whom is not known.
    pub open_receives: u64,
    /// Receives that were completed, and whose request nobody recorded: where they were posted is not
    /// known, and they are taken as posted there.
    pub unposted_receives: u64,
}

impl Requests {
    /// Adds those of others.
    pub fn add(&mut self, other: &Requests) {
        self.cancelled_sends += other.cancelled_sends;
        self.cancelled_receives += other.cancelled_receives;
        self.open_receives += other.open_receives;
        self.unposted_receives += other.unposted_receives;
    }
}

/// What was recorded of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedMessages {
    /// Sent and received, by communicator.
    pub by_comm: BTreeMap<CommRef, [Recorded; 2]>,
    /// Requests without messages.
    pub requests: Requests,
}

impl RecordedMessages {
    /// Adds those of others.
    pub fn add(&mut self, other: &RecordedMessages) {
        for (comm, sides) in &other.by_comm {
            let own = self.by_comm.entry(*comm).or_default();
            own.iter_mut().zip(sides).for_each(|(own, other)| own.add(other));
        }
        self.requests.add(&other.requests);
    }
}

/// What is open under the number of a request.
#[derive(Clone, Copy, Debug)]
enum Open {
    /// A send, what it was, and whether it was counted.
    Send { key: Option<Key>, comm: CommRef, posted: Order, bytes: u64, counted: bool },
    /// A receive: where it was posted, and whether that counts.
    Receive(Order, bool),
}

impl Open {
    fn is_counted_receive(&self) -> bool {
        matches!(self, Open::Receive(_, true))
    }
}

/// What a worker holds for the messages of one location after another.
pub(super) struct MessageRoom<'s, E> {
    pub sends: Outgoing<'s>,
    pub receives: Outgoing<'s>,
    send_lanes: Lanes<E>,
    receive_lanes: Lanes<E>,
    open: HashMap<u64, Open, RandomState>,
    partners: PartnerCache,
    by_comm: ByComm,
    requests: Requests,
}

/// What was recorded, by communicator.
#[derive(Default)]
struct ByComm {
    of: HashMap<CommRef, usize, RandomState>,
    recorded: Vec<(CommRef, [Recorded; 2])>,
    /// The communicator of the last message, as it was told: that of the next one is often the same.
    last: Option<(CommRef, usize)>,
}

impl ByComm {
    #[inline]
    fn of(&mut self, comm: CommRef, partners: &Partners<'_>) -> &mut [Recorded; 2] {
        let place = match self.last {
            Some((last, place)) if last == comm => place,
            _ => self.place(comm, partners.known(comm)),
        };
        &mut self.recorded[place].1
    }

    fn place(&mut self, comm: CommRef, known: CommRef) -> usize {
        let fresh = self.recorded.len();
        let place = *self.of.entry(known).or_insert(fresh);
        if place == fresh {
            self.recorded.push((known, Default::default()));
        }
        self.last = Some((comm, place));
        place
    }
}

impl<'s, E: MessageEnd> MessageRoom<'s, E> {
    pub fn new(sends: Outgoing<'s>, receives: Outgoing<'s>) -> Self {
        MessageRoom {
            sends,
            receives,
            send_lanes: Lanes::default(),
            receive_lanes: Lanes::default(),
            open: HashMap::default(),
            partners: PartnerCache::default(),
            by_comm: ByComm::default(),
            requests: Requests::default(),
        }
    }

    /// What was recorded so far.
    pub fn recorded(self) -> RecordedMessages {
        let by_comm = self.by_comm.recorded.into_iter().collect();
        RecordedMessages { by_comm, requests: self.requests }
    }
}

/// The messages of one location.
pub(super) struct Messages<'w, 's, E> {
    room: &'w mut MessageRoom<'s, E>,
    partners: &'w Partners<'w>,
    location: LocationRef,
    own: Option<Process>,
    /// The largest time so far.
    latest: u64,
    /// On which call path the events stand that come now.
    pub path: u64,
    counting: Counting,
}

impl<'w, 's, E: MessageEnd> Messages<'w, 's, E> {
    pub fn new(
        room: &'w mut MessageRoom<'s, E>,
        partners: &'w Partners<'w>,
        location: LocationRef,
        own: Option<Process>,
        counting: Counting,
    ) -> Self {
        Messages { room, partners, location, own, latest: 0, path: 0, counting }
    }

    pub fn send(&mut self, head: &EventHead<'_>, event: &MpiSend) {
        let MpiSend { receiver: partner, communicator: comm, msg_tag: tag, msg_length: bytes } =
            *event;
        let (received, request) = (false, None);
        self.envelope(head, &Envelope { received, partner, comm, tag, bytes, request });
    }

    pub fn isend(&mut self, head: &EventHead<'_>, event: &MpiIsend) {
        let MpiIsend {
            receiver: partner, communicator: comm, msg_tag: tag, msg_length: bytes, ..
        } = *event;
        let (received, request) = (false, Some(event.request_id));
        self.envelope(head, &Envelope { received, partner, comm, tag, bytes, request });
    }

    pub fn isend_complete(&mut self, event: &MpiIsendComplete) {
        self.room.open.remove(&event.request_id);
    }

    pub fn recv(&mut self, head: &EventHead<'_>, event: &MpiRecv) {
        let MpiRecv { sender: partner, communicator: comm, msg_tag: tag, msg_length: bytes } =
            *event;
        let (received, request) = (true, None);
        self.envelope(head, &Envelope { received, partner, comm, tag, bytes, request });
    }

    pub fn irecv_request(&mut self, head: &EventHead<'_>, event: &MpiIrecvRequest) {
        let posted = self.order(head);
        let counted = self.counting.counts(head.time.0);
        self.open(event.request_id, Open::Receive(posted, counted));
    }

    pub fn irecv(&mut self, head: &EventHead<'_>, event: &MpiIrecv) {
        let MpiIrecv {
            sender: partner, communicator: comm, msg_tag: tag, msg_length: bytes, ..
        } = *event;
        let (received, request) = (true, Some(event.request_id));
        self.envelope(head, &Envelope { received, partner, comm, tag, bytes, request });
    }

    /// A message as one record tells it.
    #[inline]
    pub fn envelope(&mut self, head: &EventHead<'_>, message: &Envelope) {
        let here = self.order(head);
        match (message.received, message.request) {
            (false, None) => {
                self.sent(message, here, head.time.0);
            }
            (false, Some(request)) => {
                let key = self.sent(message, here, head.time.0);
                let comm = self.partners.known(message.comm);
                let counted = self.counting.counts(head.time.0);
                let bytes = message.bytes;
                self.open(request, Open::Send { key, comm, posted: here, bytes, counted });
            }
            (true, None) => self.received(message, here, head),
            (true, Some(request)) => {
                let posted = self.posted(request, head.time.0).unwrap_or(here);
                self.received(message, posted, head);
            }
        }
    }

    /// Where the receive was posted that has this request, which is over now.
    fn posted(&mut self, request: u64, time: u64) -> Option<Order> {
        match self.room.open.remove(&request) {
            Some(Open::Receive(posted, _)) => Some(posted),
            // A send of that number is over, else the number would not have been given again.
            Some(Open::Send { .. }) | None => {
                let counts = self.counting.counts(time);
                self.room.requests.unposted_receives += u64::from(counts);
                None
            }
        }
    }

    pub fn cancelled(&mut self, event: &MpiRequestCancelled) {
        match self.room.open.remove(&event.request_id) {
            Some(Open::Send { key, comm, posted, bytes, counted }) => {
                let counted = counted.then_some((comm, bytes));
                self.revoke(key, posted, counted);
            }
            Some(Open::Receive(_, counted)) => {
                self.room.requests.cancelled_receives += u64::from(counted);
            }
            None => {}
        }
    }

    /// The location is at its end.
    pub fn end(self) {
        let room = self.room;
        let receives = room.open.drain().filter(|(_, open)| open.is_counted_receive());
        room.requests.open_receives += receives.count() as u64;
        room.send_lanes.empty(&mut room.sends);
        room.receive_lanes.empty(&mut room.receives);
        room.partners.clear();
    }

    /// Where an event of the location stands.
    pub fn order(&mut self, head: &EventHead<'_>) -> Order {
        self.latest = self.latest.max(head.time.0);
        Order { time: self.latest, location: self.location, number: head.number }
    }

    fn open(&mut self, request: u64, open: Open) {
        if self.room.open.len() >= MOST_OPEN && !self.room.open.contains_key(&request) {
            self.room.requests.open_receives += u64::from(open.is_counted_receive());
            return;
        }
        let before = self.room.open.insert(request, open);
        // Its number was given again, so it is over, and nobody recorded how it ended.
        let lost = before.is_some_and(|before| before.is_counted_receive());
        self.room.requests.open_receives += u64::from(lost);
    }

    /// Returns the key, where there is one.
    fn sent(&mut self, message: &Envelope, posted: Order, time: u64) -> Option<Key> {
        let channel = self.channel(message, Side::First, time)?;
        let end = End { posted, time, number: posted.number, bytes: message.bytes };
        let MessageRoom { send_lanes, sends, .. } = self.room;
        send_lanes.push(channel.key(), E::new(end, self.path), sends);
        Some(channel.key())
    }

    fn received(&mut self, message: &Envelope, posted: Order, head: &EventHead<'_>) {
        let Some(channel) = self.channel(message, Side::Second, head.time.0) else { return };
        let end = End { posted, time: head.time.0, number: head.number, bytes: message.bytes };
        let MessageRoom { receive_lanes, receives, .. } = self.room;
        receive_lanes.push(channel.key(), E::new(end, self.path), receives);
    }

    /// What was sent was not: another end with the same order says so where they are joined. It was
    /// counted with this communicator and length, if it was.
    fn revoke(&mut self, key: Option<Key>, posted: Order, counted: Option<(CommRef, u64)>) {
        let room = &mut *self.room;
        if let Some((comm, bytes)) = counted {
            room.requests.cancelled_sends += 1;
            let [sent, _] = room.by_comm.of(comm, self.partners);
            sent.messages -= 1;
            sent.bytes -= u128::from(bytes);
            sent.nowhere -= u64::from(key.is_none());
        }
        if let Some(key) = key {
            let end = End { posted, time: 0, number: 0, bytes: 0 };
            room.send_lanes.push(key, E::new(end, 0), &mut room.sends);
        }
    }

    /// Counts a message, and says what its key is, where definitions say that.
    fn channel(&mut self, message: &Envelope, side: Side, time: u64) -> Option<Channel> {
        let partner = self.partner(message.comm, message.partner);
        let key = self.own.zip(partner);
        if self.counting.counts(time) {
            let sides = self.room.by_comm.of(message.comm, self.partners);
            let recorded = &mut sides[side as usize];
            recorded.messages += 1;
            recorded.bytes += u128::from(message.bytes);
            recorded.nowhere += u64::from(key.is_none());
        }
        let (own, partner) = key?;
        let (sender, receiver) = match side {
            Side::First => (own, partner),
            Side::Second => (partner, own),
        };
        Some(Channel { comm: message.comm, sender, receiver, tag: message.tag })
    }

    fn partner(&mut self, comm: CommRef, rank: u32) -> Option<Process> {
        self.room.partners.find(self.partners, self.own, comm, rank)
    }
}
