//! Requests that one thread posts and another one of its process completes.

use std::collections::BTreeMap;

use streamfold_model::ids::LocationRef;

use super::messages::MessageEnd;
use super::severity::LeftOut;
use crate::matching::coding::{put, take};
use crate::matching::{Item, Items, Key, Lanes, Order, Outgoing, Process, Sink, Source};

/// Something that a location did with a request of which it knows only one end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orphan {
    /// Where it stands among those of its process.
    pub order: Order,
    /// What it did.
    pub deed: Deed,
    /// What it knows of the message.
    pub end: MessageEnd,
    /// The key of the message, as far as it knows that.
    pub message: Key,
}

/// What was done with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// A send was posted, and not completed.
    PostedSend,
    /// A receive was posted, and not completed.
    PostedReceive,
    /// A send was completed that was not posted here.
    CompletedSend,
    /// A receive was completed that was not posted here.
    CompletedReceive,
    /// It was cancelled, and not posted here.
    Cancelled,
    /// Its number was given again: whatever it was is over.
    Over,
}

impl Item for Orphan {
    fn order(&self) -> Order {
        self.order
    }

    // There are few of them.
    fn put(&self, _: Option<&Self>, bytes: &mut Vec<u8>) {
        put(self.order.time, bytes);
        put(self.order.number, bytes);
        put(self.deed as u64, bytes);
        self.message.0.iter().for_each(|part| put((*part).into(), bytes));
        self.end.put(None, bytes);
    }

    fn take(_: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let (time, number) = (take(bytes)?, take(bytes)?);
        let deed = match take(bytes)? {
            0 => Deed::PostedSend,
            1 => Deed::PostedReceive,
            2 => Deed::CompletedSend,
            3 => Deed::CompletedReceive,
            4 => Deed::Cancelled,
            5 => Deed::Over,
            _ => return None,
        };
        let mut part = || take(bytes)?.try_into().ok();
        let message = Key([part()?, part()?, part()?, part()?]);
        let end = MessageEnd::take(None, location, bytes)?;
        Some(Orphan { order: Order { time, location, number }, deed, end, message })
    }
}

/// The key of a request of a process.
pub fn key_of_request(process: Process, request: u64) -> Key {
    Key([process.0, request as u32, (request >> 32) as u32, 0])
}

/// Puts the ends of requests together that different threads of a process know, in the order of time, and
/// hands on the ends of messages that they are. Returns what took no part.
///
/// # Errors
///
/// When a block cannot be read.
pub fn adopt<S: Source>(
    source: S,
    sends: &dyn Sink,
    receives: &dyn Sink,
) -> Result<BTreeMap<LeftOut, u64>, S::Error> {
    let mut items = Items::<S, Orphan>::new(source)?;
    let mut ends = Ends {
        sends: Lanes::default(),
        receives: Lanes::default(),
        to_sends: Outgoing::new(sends),
        to_receives: Outgoing::new(receives),
        left_out: BTreeMap::new(),
    };
    while let Some(key) = items.key() {
        let mut open: Option<Orphan> = None;
        while let Some(item) = items.next_of_all(key)? {
            match item.deed {
                Deed::PostedSend | Deed::PostedReceive => {
                    open.replace(item).into_iter().for_each(|before| ends.alone(&before));
                }
                _ => match open.take() {
                    Some(posted) => ends.complete(&posted, &item),
                    None => ends.alone(&item),
                },
            }
        }
        open.iter().for_each(|posted| ends.alone(posted));
    }
    Ok(ends.end())
}

/// The ends of messages that come out.
struct Ends<'s> {
    sends: Lanes<MessageEnd>,
    receives: Lanes<MessageEnd>,
    to_sends: Outgoing<'s>,
    to_receives: Outgoing<'s>,
    left_out: BTreeMap<LeftOut, u64>,
}

impl Ends<'_> {
    fn complete(&mut self, posted: &Orphan, completed: &Orphan) {
        let MessageEnd { completed: time, completer, number, call, .. } = completed.end;
        let end = MessageEnd { completed: time, completer, number, call, ..posted.end };
        match (posted.deed, completed.deed) {
            (Deed::PostedSend, Deed::CompletedSend) => {
                self.sends.push(posted.message, end, &mut self.to_sends);
            }
            (Deed::PostedReceive, Deed::CompletedReceive) => {
                self.receives.push(completed.message, end, &mut self.to_receives);
            }
            (_, Deed::Cancelled) => self.count(LeftOut::Cancelled),
            (_, Deed::Over) => self.alone(posted),
            _ => {
                self.alone(posted);
                self.alone(completed);
            }
        }
    }

    /// Nobody knows the other end of the request.
    fn alone(&mut self, one: &Orphan) {
        match one.deed {
            Deed::PostedSend => self.sends.push(one.message, one.end, &mut self.to_sends),
            Deed::PostedReceive => self.count(LeftOut::OpenReceives),
            Deed::CompletedReceive => {
                self.count(LeftOut::UnpostedReceives);
                self.receives.push(one.message, one.end, &mut self.to_receives);
            }
            Deed::CompletedSend | Deed::Cancelled | Deed::Over => {}
        }
    }

    fn count(&mut self, what: LeftOut) {
        *self.left_out.entry(what).or_default() += 1;
    }

    fn end(mut self) -> BTreeMap<LeftOut, u64> {
        self.sends.empty(&mut self.to_sends);
        self.receives.empty(&mut self.to_receives);
        self.to_sends.hand_over();
        self.to_receives.hand_over();
        self.left_out
    }
}
