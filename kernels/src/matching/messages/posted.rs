//! Messages that do not block: what is posted and completed by their requests.

use std::collections::BTreeMap;

use streamfold_model::ids::{CommRef, LocationRef};

use super::super::block::{put, take, Item, Key, Order, Sink, Source};
use super::super::lanes::{Lanes, Outgoing};
use super::super::requests::{self, Follower, Luggage, Post};
use super::{Channel, End, MessageEnd, Recorded, RecordedMessages, Requests};

/// A send or receive that was posted under the number of a request.
#[derive(Clone, Copy, Debug)]
pub struct Posted {
    pub(super) what: What,
    /// Set if it counts.
    pub(super) counted: bool,
}

#[cfg(test)]
impl Posted {
    /// Any receive.
    pub const RECEIVE: Posted = Posted { what: What::Receive, counted: true };
}

#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    /// A send, and what it was. Of one that is nowhere the key tells the communicator only.
    Send { key: Key, is_nowhere: bool, bytes: u64 },
    /// A receive.
    Receive,
}

/// A send or receive that was completed under the number of a request.
#[derive(Clone, Copy, Debug)]
pub enum Completed<E> {
    /// A send.
    Send,
    /// A receive: the key of its message, if definitions give that; its end, with its completion as its posting; and
    /// whether it counts.
    Receive(Option<Key>, E, bool),
}

impl Luggage for Posted {
    fn put(&self, bytes: &mut Vec<u8>) {
        put(self.counted.into(), bytes);
        match self.what {
            What::Send { key, is_nowhere, bytes: length } => {
                put(1 + u64::from(is_nowhere), bytes);
                put_key(Some(key), bytes);
                put(length, bytes);
            }
            What::Receive => put(0, bytes),
        }
    }

    fn take(_: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let counted = take(bytes)? == 1;
        let what = match take(bytes)? {
            0 => What::Receive,
            what => {
                What::Send { key: take_key(bytes)??, is_nowhere: what == 2, bytes: take(bytes)? }
            }
        };
        Some(Posted { what, counted })
    }
}

impl<E: Item> Luggage for Completed<E> {
    fn put(&self, bytes: &mut Vec<u8>) {
        match self {
            Completed::Send => put(0, bytes),
            Completed::Receive(key, end, counted) => {
                put(1 + u64::from(*counted), bytes);
                put_key(*key, bytes);
                end.put(None, bytes);
            }
        }
    }

    fn take(location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        Some(match take(bytes)? {
            0 => Completed::Send,
            what => {
                let key = take_key(bytes)?;
                Completed::Receive(key, E::take(None, location, bytes)?, what == 2)
            }
        })
    }
}

impl<E: MessageEnd> Post<Completed<E>> for Posted {
    fn is_completed_by(&self, completion: &Completed<E>) -> bool {
        let is_send = matches!(completion, Completed::Send);
        is_send == matches!(self.what, What::Send { .. })
    }
}

/// Ends of messages on their way to who joins them, and what was recorded of them.
pub(in crate::matching) struct Ends<'s, E> {
    sends: Outgoing<'s>,
    receives: Outgoing<'s>,
    send_lanes: Lanes<E>,
    receive_lanes: Lanes<E>,
    pub(super) requests: Requests,
    /// Sends that were cancelled, by communicator.
    pub(super) cancelled: BTreeMap<CommRef, Recorded>,
}

impl<'s, E: MessageEnd> Ends<'s, E> {
    pub(super) fn new(sends: Outgoing<'s>, receives: Outgoing<'s>) -> Self {
        let (send_lanes, receive_lanes, requests, cancelled) = Default::default();
        Ends { sends, receives, send_lanes, receive_lanes, requests, cancelled }
    }

    #[inline]
    pub(super) fn send(&mut self, key: Key, end: E) {
        self.send_lanes.push(key, end, &mut self.sends);
    }

    #[inline]
    pub(super) fn receive(&mut self, key: Option<Key>, end: E) {
        if let Some(key) = key {
            self.receive_lanes.push(key, end, &mut self.receives);
        }
    }

    /// No more of a location are to come.
    pub(super) fn empty(&mut self) {
        self.send_lanes.empty(&mut self.sends);
        self.receive_lanes.empty(&mut self.receives);
    }

    pub(super) fn hand_over(&mut self) {
        self.sends.hand_over();
        self.receives.hand_over();
    }
}

impl<E: MessageEnd> Follower<Posted, Completed<E>> for Ends<'_, E> {
    fn complete(&mut self, at: Order, _: Posted, completion: Completed<E>) {
        if let Completed::Receive(key, end, _) = completion {
            self.receive(key, end.posted_at(at));
        }
    }

    /// Takes a send back, by another end with the same order: the join drops both.
    fn cancelled(&mut self, at: Order, post: Posted) {
        let counts = u64::from(post.counted);
        let What::Send { key, is_nowhere, bytes } = post.what else {
            self.requests.cancelled_receives += counts;
            return;
        };
        if post.counted {
            self.requests.cancelled_sends += 1;
            let undefined = u64::from(is_nowhere);
            let sent = Recorded { messages: 1, bytes: bytes.into(), undefined };
            self.cancelled.entry(Channel::from(key).comm).or_default().add(&sent);
        }
        if !is_nowhere {
            let Order { location, .. } = at;
            let end = End { posted: at, time: 0, location, number: 0, bytes: 0 };
            self.send(key, E::new(end, 0));
        }
    }

    fn never_completed(&mut self, _: Order, post: Posted) {
        let is_receive = matches!(post.what, What::Receive);
        self.requests.open_receives += u64::from(is_receive && post.counted);
    }

    fn never_posted(&mut self, completion: Completed<E>) {
        if let Completed::Receive(key, end, counted) = completion {
            self.requests.unposted_receives += u64::from(counted);
            self.receive(key, end);
        }
    }
}

/// Puts the ends of requests together that different locations of a process know; the ends of messages
/// that they are go to `sends` and `receives`.
///
/// # Errors
///
/// When a block cannot be read.
pub fn adopt<S: Source, E: MessageEnd>(
    source: S,
    sends: &dyn Sink,
    receives: &dyn Sink,
) -> Result<RecordedMessages, S::Error> {
    let mut ends = Ends::<E>::new(Outgoing::new(sends), Outgoing::new(receives));
    requests::adopt(source, &mut ends)?;
    ends.empty();
    ends.hand_over();
    let Ends { requests, cancelled, .. } = ends;
    Ok(RecordedMessages { by_comm: BTreeMap::new(), cancelled, requests })
}

fn put_key(key: Option<Key>, bytes: &mut Vec<u8>) {
    put(key.is_some().into(), bytes);
    key.iter().flat_map(|key| key.0).for_each(|part| put(part.into(), bytes));
}

fn take_key(bytes: &mut &[u8]) -> Option<Option<Key>> {
    if take(bytes)? == 0 {
        return Some(None);
    }
    let mut part = || take(bytes)?.try_into().ok();
    Some(Some(Key([part()?, part()?, part()?, part()?])))
}
