//! Requests of messages and of collective operations that do not block. Facts are known at two places: the post and the
//! completion. Another thread of the process may complete it.

use std::collections::BTreeMap;

use streamfold_model::ids::LocationRef;

use super::collectives::Member;
use super::messages::MessageEnd;
use super::path::PathId;
use super::severity::LeftOut;
use crate::matching::coding::{put, put_change, take, take_change};
use crate::matching::requests::{self, Follower, Luggage, Post};
use crate::matching::{Item, Key, Lanes, Order, Outgoing, Sink, Source};

/// A message that was posted, without where that stands. Of these there may be many at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Posted {
    /// A send, and its key.
    Send(Key, Begin),
    /// A receive.
    Receive(Begin),
}

/// When a message was posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begin {
    /// The time of the record, in ticks.
    pub time: u64,
    /// When the call was entered that posted it; `None`: it was posted in none.
    pub entered: Option<u64>,
    /// The call path of that call; [`PathId::ROOT`]: of none.
    pub path: PathId,
    /// Bytes that are sent; of a receive 0.
    pub bytes: u64,
}

impl Begin {
    /// The end that was posted there, as if it were complete.
    pub fn end(self, posted: Order) -> MessageEnd {
        let Begin { time, entered, path, bytes } = self;
        let Order { location: completer, number, .. } = posted;
        let (completed, call) = (time, None);
        MessageEnd { posted, time, entered, path, bytes, completed, completer, number, call }
    }

    fn put(self, bytes: &mut Vec<u8>) {
        put(self.time, bytes);
        put(self.entered.is_some().into(), bytes);
        put_change(self.entered.unwrap_or(self.time), self.time, bytes);
        self.path.put(None, bytes);
        put(self.bytes, bytes);
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let (time, is_in_call) = (take(bytes)?, take(bytes)? == 1);
        let entered = take_change(time, bytes)?;
        let (path, length) = (PathId::take(None, bytes)?, take(bytes)?);
        Some(Begin { time, entered: is_in_call.then_some(entered), path, bytes: length })
    }
}

/// A message that was completed: its end is as if it had been posted there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completed {
    /// A send.
    Send(MessageEnd),
    /// A receive, and its key, where definitions say that.
    Receive(Option<Key>, MessageEnd),
}

/// A collective operation that was requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// When, in ticks.
    pub time: u64,
    /// The call path of the call that requested it; [`PathId::ROOT`]: of none.
    pub path: PathId,
    /// Set if it is one among neighbours.
    pub irregular: bool,
}

/// A collective operation that was completed: the member is as if it had begun there. The key is that of
/// what the process does on the communicator, where definitions say that.
pub type Participated = (Option<Key>, Member);

impl Completed {
    /// The call that completed it, and all that is known there.
    fn end(&self) -> &MessageEnd {
        match self {
            Completed::Send(end) | Completed::Receive(_, end) => end,
        }
    }

    /// The same of what was posted there.
    fn of(&self, posted: MessageEnd) -> MessageEnd {
        let MessageEnd { completed, completer, number, call, .. } = *self.end();
        MessageEnd { completed, completer, number, call, ..posted }
    }
}

/// Joins the post of a message, at its order, with its completion. Returns its key, and its end.
pub fn joined(at: Order, post: Posted, completed: &Completed) -> Option<(Key, MessageEnd)> {
    let of = |begin: Begin| completed.of(begin.end(at));
    match (post, completed) {
        (Posted::Send(key, begin), _) => Some((key, of(begin))),
        (Posted::Receive(begin), Completed::Receive(key, _)) => Some(((*key)?, of(begin))),
        (Posted::Receive(_), Completed::Send(_)) => None,
    }
}

/// Returns the member of an operation that was requested and completed.
pub fn begun(at: Order, start: Start, member: Member) -> Member {
    let Start { time, path, irregular } = start;
    Member { order: at, begin: time, path, irregular, ..member }
}

fn put_key(key: Key, bytes: &mut Vec<u8>) {
    key.0.iter().for_each(|part| put((*part).into(), bytes));
}

fn take_key(bytes: &mut &[u8]) -> Option<Key> {
    let mut part = || take(bytes)?.try_into().ok();
    Some(Key([part()?, part()?, part()?, part()?]))
}

impl Luggage for Posted {
    fn put(&self, bytes: &mut Vec<u8>) {
        match self {
            Posted::Send(key, begin) => {
                put(0, bytes);
                put_key(*key, bytes);
                begin.put(bytes);
            }
            Posted::Receive(begin) => {
                put(1, bytes);
                begin.put(bytes);
            }
        }
    }

    fn take(_: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        Some(match take(bytes)? {
            0 => Posted::Send(take_key(bytes)?, Begin::take(bytes)?),
            _ => Posted::Receive(Begin::take(bytes)?),
        })
    }
}

impl Luggage for Completed {
    fn put(&self, bytes: &mut Vec<u8>) {
        match self {
            Completed::Send(_) => put(0, bytes),
            Completed::Receive(None, _) => put(1, bytes),
            Completed::Receive(Some(key), _) => {
                put(2, bytes);
                put_key(*key, bytes);
            }
        }
        self.end().put(None, bytes);
    }

    fn take(location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let what = take(bytes)?;
        let key = if what == 2 { Some(take_key(bytes)?) } else { None };
        let end = MessageEnd::take(None, location, bytes)?;
        Some(match what {
            0 => Completed::Send(end),
            _ => Completed::Receive(key, end),
        })
    }
}

impl Luggage for Start {
    fn put(&self, bytes: &mut Vec<u8>) {
        put(self.time, bytes);
        self.path.put(None, bytes);
        put(self.irregular.into(), bytes);
    }

    fn take(_: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let (time, path) = (take(bytes)?, PathId::take(None, bytes)?);
        Some(Start { time, path, irregular: take(bytes)? == 1 })
    }
}

impl Luggage for Participated {
    fn put(&self, bytes: &mut Vec<u8>) {
        let (key, member) = self;
        put(key.is_some().into(), bytes);
        key.iter().for_each(|key| put_key(*key, bytes));
        member.put(None, bytes);
    }

    fn take(location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let key = if take(bytes)? == 1 { Some(take_key(bytes)?) } else { None };
        Some((key, Member::take(None, location, bytes)?))
    }
}

impl Post<Completed> for Posted {
    fn is_completed_by(&self, completed: &Completed) -> bool {
        let is_send = matches!(completed, Completed::Send(_));
        is_send == matches!(self, Posted::Send(..))
    }
}

impl Post<Participated> for Start {
    fn is_completed_by(&self, _: &Participated) -> bool {
        true
    }
}

/// Numbers of items that were left out.
pub type LeftOuts = BTreeMap<LeftOut, u64>;

/// Joins the ends of messages that different threads of a process know, and forwards them. Returns the numbers of items
/// that were left out.
///
/// # Errors
///
/// When a block cannot be read.
pub fn adopt<S: Source>(
    source: S,
    sends: &dyn Sink,
    receives: &dyn Sink,
) -> Result<LeftOuts, S::Error> {
    let mut ends = Ends {
        sends: Lanes::default(),
        receives: Lanes::default(),
        to_sends: Outgoing::new(sends),
        to_receives: Outgoing::new(receives),
        left_out: BTreeMap::new(),
    };
    requests::adopt(source, &mut ends)?;
    ends.sends.empty(&mut ends.to_sends);
    ends.receives.empty(&mut ends.to_receives);
    ends.to_sends.hand_over();
    ends.to_receives.hand_over();
    Ok(ends.left_out)
}

/// The same of collective operations.
///
/// # Errors
///
/// When a block cannot be read.
pub fn adopt_members<S: Source>(source: S, members: &dyn Sink) -> Result<LeftOuts, S::Error> {
    let (to_members, left_out) = (Outgoing::new(members), BTreeMap::new());
    let mut members = Members { members: Lanes::default(), to_members, left_out };
    requests::adopt(source, &mut members)?;
    members.members.empty(&mut members.to_members);
    members.to_members.hand_over();
    Ok(members.left_out)
}

/// The ends of messages that come out.
struct Ends<'s> {
    sends: Lanes<MessageEnd>,
    receives: Lanes<MessageEnd>,
    to_sends: Outgoing<'s>,
    to_receives: Outgoing<'s>,
    left_out: LeftOuts,
}

impl Ends<'_> {
    fn count(&mut self, what: LeftOut) {
        *self.left_out.entry(what).or_default() += 1;
    }
}

impl Follower<Posted, Completed> for Ends<'_> {
    fn complete(&mut self, at: Order, post: Posted, completed: Completed) {
        match (joined(at, post, &completed), post) {
            (Some((key, end)), Posted::Send(..)) => self.sends.push(key, end, &mut self.to_sends),
            (Some((key, end)), _) => self.receives.push(key, end, &mut self.to_receives),
            // The communicator or the rank is undefined.
            (None, _) => {}
        }
    }

    fn cancelled(&mut self, _: Order, _: Posted) {
        self.count(LeftOut::Cancelled);
    }

    fn never_completed(&mut self, at: Order, post: Posted) {
        match post {
            Posted::Send(key, begin) => self.sends.push(key, begin.end(at), &mut self.to_sends),
            Posted::Receive(_) => self.count(LeftOut::OpenReceives),
        }
    }

    fn never_posted(&mut self, completed: Completed) {
        if let Completed::Receive(key, end) = completed {
            self.count(LeftOut::UnpostedReceives);
            if let Some(key) = key {
                self.receives.push(key, end, &mut self.to_receives);
            }
        }
    }
}

/// The members of collective operations that come out.
struct Members<'s> {
    members: Lanes<Member>,
    to_members: Outgoing<'s>,
    left_out: LeftOuts,
}

impl Follower<Start, Participated> for Members<'_> {
    fn complete(&mut self, at: Order, start: Start, (key, member): Participated) {
        self.never_posted((key, begun(at, start, member)));
    }

    fn cancelled(&mut self, _: Order, _: Start) {
        *self.left_out.entry(LeftOut::Cancelled).or_default() += 1;
    }

    fn never_completed(&mut self, _: Order, _: Start) {
        *self.left_out.entry(LeftOut::OpenCollectives).or_default() += 1;
    }

    fn never_posted(&mut self, (key, member): Participated) {
        if let Some(key) = key {
            self.members.push(key, member, &mut self.to_members);
        }
    }
}
