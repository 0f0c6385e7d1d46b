//! Messages between two processes: the ends of each, in the order in which they match.

mod posted;

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::calls::Envelope;
use streamfold_model::events::{
    MpiIrecv, MpiIrecvRequest, MpiIsend, MpiIsendComplete, MpiRecv, MpiSend,
};
use streamfold_model::ids::{CommRef, LocationRef};
use streamfold_model::stream::EventHead;

use super::block::{put_change, take_change, Item, Key, Order};
use super::chosen::Counting;
use super::join::Side;
use super::lanes::Outgoing;
use super::partners::{PartnerCache, Partners, Process};
use super::requests::{Ended, Follower, Orphan, RequestEvent, RequestRoom};
use posted::{Ends, What};

pub use posted::{adopt, Completed, Posted};

/// One end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Place where it was posted: the send, the receive, or the request of the receive. Matching goes by that.
    pub posted: Order,
    /// The time of its record, in ticks: that of the send, or of the receive when it is complete.
    pub time: u64,
    /// The location of that record: another one of the process than that which posted it, at times.
    pub location: LocationRef,
    /// The number of that record there.
    pub number: u64,
    /// Its length as recorded, in bytes.
    pub bytes: u64,
}

impl Item for End {
    const REVOCABLE: bool = true;

    fn order(&self) -> Order {
        self.posted
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        let Order { time, number, location } = self.posted;
        let of = |field: fn(&End) -> u64| before.map_or(0, field);
        let is_here = (self.time, self.number) == (time, number);
        let is_as_long = self.bytes == of(|end| end.bytes);
        let is_elsewhere = self.location != location;
        bytes.push(u8::from(is_here) | u8::from(is_as_long) << 1 | u8::from(is_elsewhere) << 2);
        put_change(time, of(|end| end.posted.time), bytes);
        put_change(number, of(|end| end.posted.number), bytes);
        if !is_here {
            put_change(self.time, time, bytes);
            put_change(self.number, number, bytes);
        }
        if !is_as_long {
            put_change(self.bytes, of(|end| end.bytes), bytes);
        }
        if is_elsewhere {
            put_change(self.location.0, location.0, bytes);
        }
    }

    #[inline]
    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let of = |field: fn(&End) -> u64| before.map_or(0, field);
        let (first, rest) = bytes.split_first()?;
        let (is_here, is_as_long, is_elsewhere) = (first & 1 == 1, first & 2 == 2, first & 4 == 4);
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
        let location = match is_elsewhere {
            true => LocationRef(take_change(location.0, bytes)?),
            false => location,
        };
        Some(End { posted, time, location, number, bytes: length })
    }
}

/// An end of a message as it travels: alone, or with what else is remembered of it.
pub trait MessageEnd: Item {
    /// Of an end; `path` says on which call path its record stands, for those who remember that.
    fn new(end: End, path: u64) -> Self;

    /// The same, posted elsewhere.
    #[must_use]
    fn posted_at(self, posted: Order) -> Self;
}

impl MessageEnd for End {
    #[inline(always)]
    fn new(end: End, _: u64) -> Self {
        end
    }

    #[inline(always)]
    fn posted_at(self, posted: Order) -> Self {
        End { posted, ..self }
    }
}

/// The key of a message: its communicator, sender, receiver, and tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The communicator, global.
    pub comm: CommRef,
    /// Process that sends.
    pub sender: Process,
    /// Process that receives.
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

/// Sums of one side of a communicator, as recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// Messages that were sent, or received, the cancelled ones not included.
    pub messages: u64,
    /// Their length in bytes.
    pub bytes: u128,
    /// Those of them over an undefined communicator, or with an undefined rank.
    pub undefined: u64,
}

impl Recorded {
    /// Adds those of others.
    pub fn add(&mut self, other: &Recorded) {
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.undefined += other.undefined;
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

/// Sums of messages, as recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedMessages {
    /// Sent and received, by communicator.
    pub by_comm: BTreeMap<CommRef, [Recorded; 2]>,
    /// Sends that were cancelled, by communicator.
    pub cancelled: BTreeMap<CommRef, Recorded>,
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
        for (comm, sent) in &other.cancelled {
            self.cancelled.entry(*comm).or_default().add(sent);
        }
        self.requests.add(&other.requests);
    }

    /// Takes out what is cancelled: all of it was sent by somebody.
    pub fn settle(&mut self) {
        for (comm, cancelled) in std::mem::take(&mut self.cancelled) {
            if let Some([sent, _]) = self.by_comm.get_mut(&comm) {
                sent.messages -= cancelled.messages;
                sent.bytes -= cancelled.bytes;
                sent.undefined -= cancelled.undefined;
            }
        }
    }
}

/// State of a worker for the messages of one location after another.
pub(super) struct MessageRoom<'s, E> {
    ends: Ends<'s, E>,
    requests: RequestRoom<'s, Posted, Completed<E>>,
    partners: PartnerCache,
    by_comm: ByComm,
}

/// Sums by communicator, as recorded.
#[derive(Default)]
struct ByComm {
    of: HashMap<CommRef, usize, RandomState>,
    recorded: Vec<(CommRef, [Recorded; 2])>,
    /// The communicator of the last message, as recorded: that of the next one is often the same.
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
    pub(super) fn new(sends: Outgoing<'s>, receives: Outgoing<'s>, requests: Outgoing<'s>) -> Self {
        MessageRoom {
            ends: Ends::new(sends, receives),
            requests: RequestRoom::new(requests),
            partners: PartnerCache::default(),
            by_comm: ByComm::default(),
        }
    }

    /// There are no more locations: what was recorded, and how many requests were not remembered.
    pub(super) fn end(mut self) -> (RecordedMessages, u64) {
        self.ends.hand_over();
        self.requests.hand_over();
        let untracked = self.requests.untracked();
        let by_comm = self.by_comm.recorded.into_iter().collect();
        let Ends { requests, cancelled, .. } = self.ends;
        (RecordedMessages { by_comm, cancelled, requests }, untracked)
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
    /// `shared`: the process has other locations.
    pub(super) fn new(
        room: &'w mut MessageRoom<'s, E>,
        partners: &'w Partners<'w>,
        location: LocationRef,
        (own, shared): (Option<Process>, bool),
        counting: Counting,
    ) -> Self {
        room.requests.begin(location, own.filter(|_| shared));
        Messages { room, partners, location, own, latest: 0, path: 0, counting }
    }

    pub(super) fn send(&mut self, head: &EventHead<'_>, event: &MpiSend) {
        let MpiSend { receiver: partner, communicator: comm, msg_tag: tag, msg_length: bytes } =
            *event;
        let (received, request) = (false, None);
        self.envelope(head, &Envelope { received, partner, comm, tag, bytes, request });
    }

    pub(super) fn isend(&mut self, head: &EventHead<'_>, event: &MpiIsend) {
        let MpiIsend {
            receiver: partner, communicator: comm, msg_tag: tag, msg_length: bytes, ..
        } = *event;
        let (received, request) = (false, Some(event.request_id));
        self.envelope(head, &Envelope { received, partner, comm, tag, bytes, request });
    }

    pub(super) fn isend_complete(&mut self, head: &EventHead<'_>, event: &MpiIsendComplete) {
        let at = self.order(head);
        self.complete(event.request_id, at, Completed::Send);
    }

    pub(super) fn recv(&mut self, head: &EventHead<'_>, event: &MpiRecv) {
        let MpiRecv { sender: partner, communicator: comm, msg_tag: tag, msg_length: bytes } =
            *event;
        let (received, request) = (true, None);
        self.envelope(head, &Envelope { received, partner, comm, tag, bytes, request });
    }

    pub(super) fn irecv_request(&mut self, head: &EventHead<'_>, event: &MpiIrecvRequest) {
        let posted = self.order(head);
        self.post(event.request_id, posted, What::Receive, head.time.0);
    }

    pub(super) fn irecv(&mut self, head: &EventHead<'_>, event: &MpiIrecv) {
        let MpiIrecv {
            sender: partner, communicator: comm, msg_tag: tag, msg_length: bytes, ..
        } = *event;
        let (received, request) = (true, Some(event.request_id));
        self.envelope(head, &Envelope { received, partner, comm, tag, bytes, request });
    }

    /// A message as one record tells it.
    #[inline]
    pub(super) fn envelope(&mut self, head: &EventHead<'_>, message: &Envelope) {
        let here = self.order(head);
        match (message.received, message.request) {
            (false, None) => {
                self.sent(message, here, head.time.0);
            }
            (false, Some(request)) => {
                let key = self.sent(message, here, head.time.0);
                let comm = self.partners.known(message.comm);
                let undefined = Key([comm.0, 0, 0, 0]);
                let (is_nowhere, key) = (key.is_none(), key.unwrap_or(undefined));
                let what = What::Send { key, is_nowhere, bytes: message.bytes };
                self.post(request, here, what, head.time.0);
            }
            (true, None) => {
                let (key, end) = self.received(message, here, head.time.0);
                self.room.ends.receive(key, end);
            }
            (true, Some(request)) => {
                let (key, end) = self.received(message, here, head.time.0);
                let is_receive = |post: &Posted| matches!(post.what, What::Receive);
                match self.room.requests.end_here(request, is_receive) {
                    Some((posted, _)) => self.room.ends.receive(key, end.posted_at(posted)),
                    None => {
                        let counted = self.counting.counts(head.time.0);
                        self.complete(request, here, Completed::Receive(key, end, counted));
                    }
                }
            }
        }
    }

    /// Returns whether the request is one of a message of this location.
    pub(super) fn cancelled(&mut self, request: u64) -> bool {
        let Some((at, post)) = self.room.requests.cancel(request) else { return false };
        self.room.ends.cancelled(at, post);
        true
    }

    pub(super) fn cancelled_elsewhere(&mut self, request: u64, here: Order) {
        self.room.requests.cancel_elsewhere(request, here);
    }

    /// The location is at its end.
    pub(super) fn end(self) {
        let MessageRoom { ends, requests, partners, .. } = self.room;
        requests.end(|at, post| ends.never_completed(at, post));
        ends.empty();
        partners.clear();
    }

    /// Returns the place of an event of the location.
    pub(super) fn order(&mut self, head: &EventHead<'_>) -> Order {
        self.latest = self.latest.max(head.time.0);
        Order { time: self.latest, location: self.location, number: head.number }
    }

    fn post(&mut self, request: u64, at: Order, what: What, time: u64) {
        let MessageRoom { ends, requests, .. } = &mut *self.room;
        let counted = self.counting.counts(time);
        if let Some((at, lost)) = requests.post(request, at, Posted { what, counted }) {
            ends.never_completed(at, lost);
        }
    }

    fn complete(&mut self, request: u64, here: Order, completion: Completed<E>) {
        let MessageRoom { ends, requests, .. } = &mut *self.room;
        let (ended, lost) = requests.complete(request, &completion);
        if let Some((at, lost)) = lost {
            ends.never_completed(at, lost);
        }
        match ended {
            Ended::Here(at, post) => ends.complete(at, post, completion),
            Ended::Elsewhere(key) => {
                requests
                    .push(key, Orphan { order: here, action: RequestEvent::Completed(completion) });
            }
            Ended::Undefined => ends.never_posted(completion),
        }
    }

    /// Returns the key, where there is one.
    fn sent(&mut self, message: &Envelope, posted: Order, time: u64) -> Option<Key> {
        let key = self.channel(message, Side::First, time)?.key();
        let Order { location, number, .. } = posted;
        let end = End { posted, time, location, number, bytes: message.bytes };
        self.room.ends.send(key, E::new(end, self.path));
        Some(key)
    }

    /// A receive, as if it had been posted where it was complete.
    fn received(&mut self, message: &Envelope, posted: Order, time: u64) -> (Option<Key>, E) {
        let key = self.channel(message, Side::Second, time).map(Channel::key);
        let Order { location, number, .. } = posted;
        let end = End { posted, time, location, number, bytes: message.bytes };
        (key, E::new(end, self.path))
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
            recorded.undefined += u64::from(key.is_none());
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
