//! Every matched message, one by one.

use serde::{Deserialize, Serialize};
use streamfold_model::ids::{CommRef, LocationRef};

use super::block::Key;
use super::join::{Receiver, Side};
use super::messages::{Channel, End};
use super::paths::PathEnd;
use super::totals::{MessageTotals, Totalling};

/// One end of a matched message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedEnd {
    /// Time at which it was sent, or received, in ticks.
    pub time: u64,
    /// The location.
    pub location: LocationRef,
    /// The number of that record there.
    pub number: u64,
    /// Its length in bytes as recorded there.
    pub bytes: u64,
    /// The call path, see [`PathHashes`](super::paths::PathHashes).
    pub path: u64,
}

/// A matched message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its send.
    pub send: ListedEnd,
    /// Its receive.
    pub receive: ListedEnd,
    /// Time at which the receive was posted, in ticks: the latest time of its location by then.
    pub posted: u64,
    /// Communicator.
    pub comm: CommRef,
    /// Tag.
    pub tag: u32,
}

impl Message {
    /// Messages are listed in this order. No two have the same place.
    pub fn place(&self) -> (u64, LocationRef, u64) {
        (self.send.time, self.send.location, self.send.number)
    }
}

impl ListedEnd {
    fn new(PathEnd { end, path }: PathEnd) -> Self {
        let End { time, location, number, bytes, .. } = end;
        ListedEnd { time, location, number, bytes, path }
    }
}

/// Adds up what is joined, and hands every message on.
pub struct Listing<'a, T> {
    totalling: Totalling<'a>,
    take: T,
}

impl<'a, T: FnMut(Message)> Listing<'a, T> {
    /// Messages go to `take`.
    pub fn new(totalling: Totalling<'a>, take: T) -> Self {
        Listing { totalling, take }
    }

    /// All is joined.
    pub fn totals(self) -> MessageTotals {
        self.totalling.totals()
    }
}

impl<T: FnMut(Message)> Receiver<PathEnd> for Listing<'_, T> {
    fn pair(&mut self, key: Key, send: PathEnd, receive: PathEnd) {
        let counts = self.totalling.counts(&send.end, &receive.end);
        self.totalling.pair(key, send.end, receive.end);
        if !counts {
            return;
        }
        let Channel { comm, tag, .. } = key.into();
        let posted = receive.end.posted.time;
        let (send, receive) = (ListedEnd::new(send), ListedEnd::new(receive));
        (self.take)(Message { send, receive, posted, comm, tag });
    }

    fn alone(&mut self, key: Key, side: Side, end: PathEnd) {
        self.totalling.alone(key, side, end.end);
    }
}
