//! A call, and the operation that it is.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::numbers::Room;

/// The other end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(in crate::dftracer) struct Peer {
    /// Its rank; [`Peer::ANY`]: any of them.
    pub rank: u32,
    /// The tag; [`Peer::ANY`]: any tag.
    pub tag: u32,
}

impl Peer {
    pub(in crate::dftracer) const ANY: u32 = u32::MAX;

    pub(in crate::dftracer) fn is_any(self) -> bool {
        self.rank == Peer::ANY || self.tag == Peer::ANY
    }
}

/// The operation of a call on its file, or with other processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dftracer) enum Op {
    /// Nothing of which more is known.
    Other,
    /// Reads so many bytes.
    Read(u64),
    Write(u64),
    /// It failed.
    Failed,
    Send(Peer),
    Isend(Peer),
    Recv(Peer),
    Irecv(Peer),
    Sendrecv(Peer, Peer),
    /// Waits for one operation, or for all of them.
    Wait,
    Waitall,
    /// One of all processes, by its number, and the root.
    Collective(u8, u32),
    /// The epoch and the step of a training that it belongs to.
    Phase([Option<u64>; 2]),
    /// No call, but a value of the series that is its region.
    Value(u64),
    /// No call, but the end of one, before it is known of which.
    End,
    /// A copy of so many bytes, on a stream, and its correlation.
    Copy(Way, u64, Option<u64>),
    /// A call that starts something on a stream, or what it starts: both have this correlation.
    Linked(u64),
    /// A copy on a stream, of as many bytes as the call with this correlation says, before it is known of how many.
    UnsizedCopy(Way, u64),
    /// An operation of this number, or what it starts on a stream, where that has no correlation.
    External(u64),
    /// A span, by the hash of its identifier. Only those of one identifier nest.
    Span(u64),
}

/// From which memory to which a stream copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dftracer) enum Way {
    HostToDevice,
    DeviceToHost,
    DeviceToDevice,
}

impl Way {
    const ALL: [Way; 3] = [Way::HostToDevice, Way::DeviceToHost, Way::DeviceToDevice];

    /// That of a number.
    fn of(number: u64) -> Way {
        Way::ALL.get(number as usize).copied().unwrap_or(Way::DeviceToDevice)
    }
}

impl Op {
    /// Tells whether bytes are moved.
    pub(in crate::dftracer) fn moves(self) -> bool {
        matches!(self, Op::Read(_) | Op::Write(_))
    }

    /// The identifier of a span.
    pub(in crate::dftracer) fn span(self) -> Option<u64> {
        match self {
            Op::Span(id) => Some(id),
            _ => None,
        }
    }

    /// Events of messages and collective operations.
    pub(super) fn messages(self) -> u64 {
        match self {
            Op::Send(_) | Op::Recv(_) => 1,
            Op::Isend(_) | Op::Irecv(_) | Op::Sendrecv(..) | Op::Collective(..) => 2,
            _ => 0,
        }
    }

    /// Events of values, parameters and copies.
    pub(super) fn values(self) -> u64 {
        match self {
            Op::Value(_) => 1,
            Op::Copy(..) => 2,
            Op::Phase(numbers) => numbers.into_iter().flatten().count() as u64,
            _ => 0,
        }
    }

    pub(super) fn code(self) -> u64 {
        match self {
            Op::Other => 0,
            Op::Read(_) => 1,
            Op::Write(_) => 2,
            Op::Failed => 3,
            Op::Send(_) => 4,
            Op::Isend(_) => 5,
            Op::Recv(_) => 6,
            Op::Irecv(_) => 7,
            Op::Sendrecv(..) => 8,
            Op::Wait => 9,
            Op::Waitall => 10,
            Op::Collective(..) => 11,
            Op::Phase(_) => 12,
            Op::Value(_) => 13,
            Op::End => 14,
            Op::Copy(..) => 15,
            Op::Linked(_) => 16,
            Op::Span(_) => 17,
            Op::UnsizedCopy(..) => 18,
            Op::External(_) => 19,
        }
    }

    pub(super) fn put(self, to: &mut Room) {
        let mut peer = |peer: Peer| {
            to.put(u64::from(peer.rank) + 1);
            to.put(u64::from(peer.tag) + 1);
        };
        match self {
            Op::Read(number)
            | Op::Write(number)
            | Op::Value(number)
            | Op::Linked(number)
            | Op::External(number)
            | Op::Span(number) => to.put(number),
            Op::Phase(numbers) => {
                let number = |of: &Option<u64>| of.map_or(0, |number| number.saturating_add(1));
                numbers.iter().for_each(|of| to.put(number(of)));
            }
            Op::Send(of) | Op::Isend(of) | Op::Recv(of) | Op::Irecv(of) => peer(of),
            Op::Sendrecv(one, other) => {
                peer(one);
                peer(other);
            }
            Op::Collective(number, root) => {
                to.put(number.into());
                to.put(root.into());
            }
            Op::Copy(way, bytes, correlation) => {
                to.put(way as u64);
                to.put(bytes);
                to.put(correlation.map_or(0, |number| number.saturating_add(1)));
            }
            Op::UnsizedCopy(way, correlation) => {
                to.put(way as u64);
                to.put(correlation);
            }
            Op::Other | Op::Failed | Op::Wait | Op::Waitall | Op::End => {}
        }
    }

    /// Reads what was put, given the code.
    pub(super) fn take(code: u64, mut next: impl FnMut() -> u64) -> Op {
        let mut peer = || {
            let rank = next().wrapping_sub(1) as u32;
            Peer { rank, tag: next().wrapping_sub(1) as u32 }
        };
        match code {
            1 => Op::Read(next()),
            2 => Op::Write(next()),
            3 => Op::Failed,
            4 => Op::Send(peer()),
            5 => Op::Isend(peer()),
            6 => Op::Recv(peer()),
            7 => Op::Irecv(peer()),
            8 => Op::Sendrecv(peer(), peer()),
            9 => Op::Wait,
            10 => Op::Waitall,
            11 => {
                let number = next() as u8;
                Op::Collective(number, next() as u32)
            }
            12 => {
                let mut number = || next().checked_sub(1);
                Op::Phase([number(), number()])
            }
            13 => Op::Value(next()),
            14 => Op::End,
            15 => {
                let way = Way::of(next());
                let bytes = next();
                Op::Copy(way, bytes, next().checked_sub(1))
            }
            16 => Op::Linked(next()),
            17 => Op::Span(next()),
            18 => {
                let way = Way::of(next());
                Op::UnsizedCopy(way, next())
            }
            19 => Op::External(next()),
            _ => Op::Other,
        }
    }
}

/// The record that is around the others with the same begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dftracer) enum Outer {
    /// The first one of the file: calls are written when they begin.
    First,
    /// The last one: calls are written when they end.
    Last,
}

/// A call. The order is that of beginning: by thread, then by time, the longest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dftracer) struct Slice {
    /// The thread, or the lane, by its number in the file.
    pub lane: u32,
    /// In nanoseconds.
    pub start: u64,
    /// [`Slice::OPEN`]: it does not end.
    pub end: u64,
    pub line: u64,
    /// The number of its record in the file.
    pub number: u64,
    pub region: u32,
    /// The file that the call is about; [`Slice::NONE`]: none.
    pub file: u32,
    pub op: Op,
    /// Its offset in the file.
    pub offset: Option<u64>,
}

impl Slice {
    pub(in crate::dftracer) const NONE: u32 = u32::MAX;
    /// Behind all times.
    pub(in crate::dftracer) const OPEN: u64 = u64::MAX;

    pub(super) fn key(&self, outer: Outer) -> (u32, u64, Reverse<u64>, u64) {
        let place = match outer {
            Outer::First => self.number,
            Outer::Last => !self.number,
        };
        (self.lane, self.start, Reverse(self.end), place)
    }
}
