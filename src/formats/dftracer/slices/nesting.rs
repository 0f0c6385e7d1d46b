//! Lanes of threads: calls of a lane nest.

use std::io;

use serde::{Deserialize, Serialize};

use super::call::{Op, Peer, Slice};
use super::store::{Encoder, Store, Writer};
use super::whole::Whole;

/// Overlapping calls of a thread go to so many lanes; more are cut.
pub(in crate::dftracer) const LANES: usize = 1 << 12;
/// Encoded calls go to the store in pieces of so many bytes.
const PIECE: usize = 64 << 10;

/// A lane: calls that nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::dftracer) struct Lane {
    /// The thread, and the number of its lane.
    pub thread: u32,
    pub number: u32,
    /// Calls, and those with an operation on a file.
    pub calls: u64,
    pub operations: u64,
    /// Events of messages and collective operations.
    pub messages: u64,
    /// Values, parameters of calls, and ends of copies.
    pub values: u64,
    /// Calls that do not end.
    pub open: u64,
}

/// Calls of a thread that begin before another one ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::dftracer) struct Overlaps {
    pub thread: u32,
    /// How many there are.
    pub count: u64,
    /// The longest: in nanoseconds, and the region of the call that ends too late.
    pub longest: (u64, u32),
}

/// A receive from any source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(in crate::dftracer) struct Wanted {
    pub start: u64,
    pub line: u64,
    pub lane: u32,
    /// Further events that it has if no sender is found.
    pub events: u64,
    pub peer: Peer,
}

impl Wanted {
    /// The receive that a call is, if it names no sender or no tag.
    fn of(slice: &Slice) -> Option<Wanted> {
        let (peer, events) = match slice.op {
            Op::Recv(peer) | Op::Sendrecv(_, peer) => (peer, 1),
            Op::Irecv(peer) => (peer, 2),
            _ => return None,
        };
        let Slice { start, line, lane, .. } = *slice;
        peer.is_any().then_some(Wanted { start, line, lane, events, peer })
    }
}

/// Calls that were cut at the end of another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::dftracer) struct Cuts {
    pub count: u64,
    /// Nanoseconds that they lost together.
    pub lost: u64,
    /// The line of the first of them.
    pub line: u64,
}

impl Cuts {
    /// Adds those of another thread.
    pub(super) fn fold(&mut self, other: Cuts) {
        if self.count == 0 {
            self.line = other.line;
        }
        self.count += other.count;
        self.lost = self.lost.saturating_add(other.lost);
    }

    /// Cuts a call at a time.
    fn take(&mut self, slice: &mut Slice, end: u64) {
        if self.count == 0 {
            self.line = slice.line;
        }
        self.count += 1;
        // The end of an open call is not known.
        if slice.end != Slice::OPEN {
            self.lost = self.lost.saturating_add(slice.end - end);
        }
        slice.end = end;
    }
}

/// The calls of a thread, in lanes.
pub(super) struct Nested {
    pub store: Store,
    pub lanes: Vec<Lane>,
    pub cut: Cuts,
    pub crowded: Cuts,
    pub overlaps: Option<Overlaps>,
    pub has_copies: bool,
    pub wanted: Vec<Wanted>,
}

/// Finds lanes for the calls of a thread, which come in order.
pub(super) struct Nesting<'w> {
    thread: u32,
    whole: &'w Whole,
    has_copies: bool,
    wanted: Vec<Wanted>,
    tolerance: u64,
    encoder: Encoder,
    to: Writer,
    lanes: Vec<Lane>,
    /// The ends of open calls of each lane, and the identifiers of spans.
    open: Vec<(Vec<u64>, Option<u64>)>,
    cut: Cuts,
    crowded: Cuts,
    overlaps: Option<Overlaps>,
    /// The end and the region of the call that ends last.
    latest: Option<(u64, u32)>,
}

impl<'w> Nesting<'w> {
    pub(super) fn new(thread: u32, tolerance: u64, whole: &'w Whole) -> Self {
        Nesting {
            thread,
            whole,
            has_copies: false,
            wanted: Vec::new(),
            tolerance,
            encoder: Encoder::default(),
            to: Writer::default(),
            lanes: Vec::new(),
            open: Vec::new(),
            cut: Cuts::default(),
            crowded: Cuts::default(),
            overlaps: None,
            latest: None,
        }
    }

    pub(super) fn take(&mut self, mut slice: Slice) -> io::Result<()> {
        slice.op = self.whole.told(slice.op);
        self.has_copies |= matches!(slice.op, Op::Copy(..));
        if !matches!(slice.op, Op::Value(_)) {
            self.overlap(&slice);
        }
        let lane = self.place(&mut slice);
        if lane == self.open.len() {
            self.open.push((Vec::new(), None));
            let (thread, number) = (self.thread, lane as u32);
            self.lanes.push(Lane {
                thread,
                number,
                calls: 0,
                operations: 0,
                messages: 0,
                values: 0,
                open: 0,
            });
        }
        let span = slice.op.span();
        let (ends, of) = &mut self.open[lane];
        ends.push(slice.end);
        *of = span;
        slice.lane = lane as u32;
        // All are in order.
        slice.number = 0;
        self.wanted.extend(Wanted::of(&slice));
        let of = &mut self.lanes[lane];
        of.calls += u64::from(!matches!(slice.op, Op::Value(_)));
        of.operations += u64::from(slice.op.moves());
        of.messages += slice.op.messages();
        of.values += slice.op.values();
        of.open += u64::from(slice.end == Slice::OPEN);
        self.encoder.push(&slice);
        match self.encoder.len() < PIECE {
            true => Ok(()),
            false => self.to.take(&self.encoder.take()),
        }
    }

    /// Counts a call that begins before another one ends.
    fn overlap(&mut self, slice: &Slice) {
        if let Some((end, region)) = self.latest.filter(|(end, _)| slice.start < *end) {
            let longest = (end - slice.start, region);
            let new = Overlaps { thread: self.thread, count: 0, longest };
            let of = self.overlaps.get_or_insert(new);
            of.count += 1;
            of.longest = of.longest.max(longest);
        }
        let is_later = self.latest.is_none_or(|(end, _)| slice.end > end);
        if is_later && slice.end != Slice::OPEN {
            self.latest = Some((slice.end, slice.region));
        }
    }

    /// The first lane in which the call is inside of the last open one, or alone.
    fn place(&mut self, slice: &mut Slice) -> usize {
        let span = slice.op.span();
        for (lane, (open, of)) in self.open.iter_mut().enumerate() {
            while open.last().is_some_and(|end| *end <= slice.start) {
                open.pop();
            }
            let Some(&around) = open.last() else { return lane };
            let is_same = *of == span;
            if is_same && slice.end <= around {
                return lane;
            }
            if is_same && slice.end - around <= self.tolerance {
                self.cut.take(slice, around);
                return lane;
            }
            if lane + 1 == LANES {
                if slice.end > around {
                    self.crowded.take(slice, around);
                }
                return lane;
            }
        }
        self.open.len()
    }

    pub(super) fn end(mut self) -> io::Result<Nested> {
        self.to.take(&self.encoder.take())?;
        let Nesting { to, lanes, cut, crowded, overlaps, has_copies, wanted, .. } = self;
        Ok(Nested { store: to.end()?, lanes, cut, crowded, overlaps, has_copies, wanted })
    }
}
