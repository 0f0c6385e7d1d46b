//! The calls of a file, by thread and begin, in bounded memory.
//!
//! Calls come in any order. They are sorted in runs; large runs go to a temporary file. A k-way merge makes one sequence
//! of them, which readers go through.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

/// Calls of a run: 24 MiB.
const RUN: usize = 1 << 18;
/// Larger stores are files, in bytes.
const MEMORY: usize = 8 << 20;
/// A reader holds so much of a store, in bytes.
const WINDOW: usize = 32 << 10;
/// Bytes of a call, at most.
const LONGEST: usize = 100;
/// Overlapping calls of a thread go to so many lanes; more are cut.
pub(super) const LANES: usize = 1 << 12;

/// The other end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) struct Peer {
    /// Its rank; [`Peer::ANY`]: any of them.
    pub rank: u32,
    /// The tag; [`Peer::ANY`]: any tag.
    pub tag: u32,
}

impl Peer {
    pub(super) const ANY: u32 = u32::MAX;

    pub(super) fn is_any(self) -> bool {
        self.rank == Peer::ANY || self.tag == Peer::ANY
    }
}

/// The operation of a call on its file, or with other processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
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
}

/// From which memory to which a stream copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
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
    pub(super) fn moves(self) -> bool {
        matches!(self, Op::Read(_) | Op::Write(_))
    }

    /// Events of messages and collective operations.
    fn messages(self) -> u64 {
        match self {
            Op::Send(_) | Op::Recv(_) => 1,
            Op::Isend(_) | Op::Irecv(_) | Op::Sendrecv(..) | Op::Collective(..) => 2,
            _ => 0,
        }
    }

    /// Events of values, parameters and copies.
    fn values(self) -> u64 {
        match self {
            Op::Value(_) => 1,
            Op::Copy(..) => 2,
            Op::Phase(numbers) => numbers.into_iter().flatten().count() as u64,
            _ => 0,
        }
    }

    fn code(self) -> u64 {
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
            Op::UnsizedCopy(..) => 17,
            Op::External(_) => 18,
        }
    }

    fn put(self, to: &mut Vec<u8>) {
        let mut peer = |peer: Peer| {
            put(to, u64::from(peer.rank) + 1);
            put(to, u64::from(peer.tag) + 1);
        };
        match self {
            Op::Read(number)
            | Op::Write(number)
            | Op::Value(number)
            | Op::Linked(number)
            | Op::External(number) => {
                put(to, number);
            }
            Op::Phase(numbers) => {
                let number = |of: &Option<u64>| of.map_or(0, |number| number.saturating_add(1));
                numbers.iter().for_each(|of| put(to, number(of)));
            }
            Op::Send(of) | Op::Isend(of) | Op::Recv(of) | Op::Irecv(of) => peer(of),
            Op::Sendrecv(one, other) => {
                peer(one);
                peer(other);
            }
            Op::Collective(number, root) => {
                put(to, number.into());
                put(to, root.into());
            }
            Op::Copy(way, bytes, correlation) => {
                put(to, way as u64);
                put(to, bytes);
                put(to, correlation.map_or(0, |number| number.saturating_add(1)));
            }
            Op::UnsizedCopy(way, correlation) => {
                put(to, way as u64);
                put(to, correlation);
            }
            Op::Other | Op::Failed | Op::Wait | Op::Waitall | Op::End => {}
        }
    }

    /// Reads what was put, given the code.
    fn take(code: u64, mut next: impl FnMut() -> u64) -> Op {
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
            17 => {
                let way = Way::of(next());
                Op::UnsizedCopy(way, next())
            }
            18 => Op::External(next()),
            _ => Op::Other,
        }
    }
}

/// The record that is around the others with the same begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outer {
    /// The first one of the file: calls are written when they begin.
    First,
    /// The last one: calls are written when they end.
    Last,
}

/// A call. The order is that of beginning: by thread, then by time, the longest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slice {
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
    pub(super) const NONE: u32 = u32::MAX;
    /// Behind all times.
    pub(super) const OPEN: u64 = u64::MAX;

    fn key(&self, outer: Outer) -> (u32, u64, Reverse<u64>, u64) {
        let place = match outer {
            Outer::First => self.number,
            Outer::Last => !self.number,
        };
        (self.lane, self.start, Reverse(self.end), place)
    }
}

/// Sequences of encoded calls.
#[derive(Debug)]
enum Store {
    Memory(Vec<u8>),
    File(File, u64),
}

impl Store {
    fn len(&self) -> u64 {
        match self {
            Store::Memory(bytes) => bytes.len() as u64,
            Store::File(_, length) => *length,
        }
    }
}

/// Writes a store.
#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    file: Option<(File, u64)>,
    before: (u64, u64, u64),
}

impl Writer {
    fn len(&self) -> u64 {
        self.file.as_ref().map_or(0, |(_, length)| *length) + self.bytes.len() as u64
    }

    fn push(&mut self, slice: &Slice) -> io::Result<()> {
        let (start, line, number) = self.before;
        let to = &mut self.bytes;
        put(to, slice.lane.into());
        put(to, zigzag(slice.start.wrapping_sub(start)));
        put(to, slice.end.saturating_sub(slice.start));
        put(to, zigzag(slice.line.wrapping_sub(line)));
        put(to, zigzag(slice.number.wrapping_sub(number)));
        put(to, slice.region.into());
        let has_offset = u64::from(slice.offset.is_some());
        let file = u64::from(slice.file.wrapping_add(1));
        put(to, file << 6 | has_offset << 5 | slice.op.code());
        slice.op.put(to);
        slice.offset.into_iter().for_each(|offset| put(to, offset));
        self.before = (slice.start, slice.line, slice.number);
        if self.bytes.len() >= MEMORY {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.file.is_none() {
            self.file = Some((tempfile::tempfile()?, 0));
        }
        if let Some((file, length)) = &mut self.file {
            file.write_all(&self.bytes)?;
            *length += self.bytes.len() as u64;
            self.bytes.clear();
        }
        Ok(())
    }

    /// The next call is encoded by itself.
    fn part(&mut self) {
        self.before = (0, 0, 0);
    }

    fn end(mut self) -> io::Result<Store> {
        if self.file.is_some() {
            self.flush()?;
        }
        Ok(match self.file {
            Some((file, length)) => Store::File(file, length),
            None => Store::Memory(self.bytes),
        })
    }
}

fn zigzag(difference: u64) -> u64 {
    let signed = difference as i64;
    ((signed << 1) ^ (signed >> 63)) as u64
}

fn unzigzag(number: u64) -> u64 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

fn put(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// Reads a part of a store.
#[derive(Debug)]
pub(super) struct Decoder {
    store: Arc<Stored>,
    /// The ends of the window and of the part, as offsets in the store.
    next: u64,
    end: u64,
    window: Vec<u8>,
    at: usize,
    before: (u64, u64, u64),
    /// Times count from there.
    base: u64,
}

#[derive(Debug)]
pub(super) struct Stored(Store);

impl Decoder {
    fn new(store: Arc<Stored>, begin: u64, end: u64) -> Self {
        let before = (0, 0, 0);
        Decoder { store, next: begin, end, window: Vec::new(), at: 0, before, base: 0 }
    }

    /// The next call.
    pub(super) fn next(&mut self) -> io::Result<Option<Slice>> {
        if self.window.len() - self.at < LONGEST && self.next < self.end {
            self.fill()?;
        }
        if self.at == self.window.len() {
            return Ok(None);
        }
        let lane = self.take() as u32;
        let start = self.before.0.wrapping_add(unzigzag(self.take()));
        let end = start + self.take();
        let line = self.before.1.wrapping_add(unzigzag(self.take()));
        let number = self.before.2.wrapping_add(unzigzag(self.take()));
        let region = self.take() as u32;
        let about = self.take();
        let file = ((about >> 6) as u32).wrapping_sub(1);
        let op = Op::take(about & 31, || self.take());
        let offset = (about & 32 != 0).then(|| self.take());
        self.before = (start, line, number);
        let from_base = |time: u64| time.saturating_add(self.base).min(Slice::OPEN - 1);
        let end = if end == Slice::OPEN { end } else { from_base(end) };
        let start = from_base(start);
        Ok(Some(Slice { lane, start, end, line, number, region, file, op, offset }))
    }

    fn take(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            // The stored number is whole: this program wrote it.
            let byte = self.window.get(self.at).copied().unwrap_or(0);
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return number;
            }
            shift += 7;
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.window.drain(..self.at);
        self.at = 0;
        let count = (self.end - self.next).min(WINDOW as u64) as usize;
        let begin = self.window.len();
        match &self.store.0 {
            Store::Memory(bytes) => {
                let from = self.next as usize;
                self.window.extend_from_slice(&bytes[from..from + count]);
            }
            Store::File(file, _) => {
                self.window.resize(begin + count, 0);
                file.read_exact_at(&mut self.window[begin..], self.next)?;
            }
        }
        self.next += count as u64;
        Ok(())
    }
}

/// Takes calls in any order.
#[derive(Default)]
pub(super) struct Sorter {
    current: Vec<Slice>,
    runs: Writer,
    /// The end of each run.
    ends: Vec<u64>,
    /// The order of the runs.
    outer: Option<Outer>,
    whole: Whole,
}

/// Calls of which the bytes that they copy are remembered. The copies of others have unknown bytes.
const SIZES: usize = 1 << 20;

/// Facts that only the whole file tells.
#[derive(Default)]
struct Whole {
    /// The bytes that calls copy, by correlation, where the copies themselves do not say so. `None`: calls disagree.
    sizes: HashMap<u64, Option<u64>, RandomState>,
    /// Set if streams have work without correlation, but with the number of its operation.
    has_external: bool,
}

impl Whole {
    fn size(&mut self, correlation: u64, bytes: u64) {
        if self.sizes.len() >= SIZES && !self.sizes.contains_key(&correlation) {
            return;
        }
        let known = self.sizes.entry(correlation).or_insert(Some(bytes));
        *known = known.filter(|known| *known == bytes);
    }

    /// The operation as the whole file tells it.
    fn told(&self, op: Op) -> Op {
        match op {
            Op::UnsizedCopy(way, correlation) => {
                match self.sizes.get(&correlation).copied().flatten() {
                    Some(bytes) => Op::Copy(way, bytes, Some(correlation)),
                    None => Op::Linked(correlation),
                }
            }
            Op::External(_) if !self.has_external => Op::Other,
            op => op,
        }
    }
}

impl Sorter {
    /// Takes a call, and how calls with the same times are sorted as far as that is known: the first run decides.
    pub(super) fn push(&mut self, slice: Slice, outer: Outer) -> io::Result<()> {
        if self.current.len() >= RUN {
            self.spill(outer)?;
        }
        self.current.push(slice);
        Ok(())
    }

    /// Takes the bytes that a call copies.
    pub(super) fn size(&mut self, correlation: u64, bytes: u64) {
        self.whole.size(correlation, bytes);
    }

    /// Streams have work with the number of its operation alone.
    pub(super) fn has_external(&mut self) {
        self.whole.has_external = true;
    }

    fn sort(&mut self, outer: Outer) -> Outer {
        let outer = *self.outer.get_or_insert(outer);
        self.current.sort_by_key(|slice| slice.key(outer));
        outer
    }

    fn spill(&mut self, outer: Outer) -> io::Result<()> {
        self.sort(outer);
        self.runs.part();
        self.current.iter().try_for_each(|slice| self.runs.push(slice))?;
        self.ends.push(self.runs.len());
        self.current.clear();
        Ok(())
    }

    /// Hands out all of them, in order.
    pub(super) fn each(
        mut self,
        outer: Outer,
        mut of: impl FnMut(Slice) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.ends.is_empty() {
            self.sort(outer);
            return self.current.into_iter().try_for_each(of);
        }
        self.spill(outer)?;
        let outer = self.outer.unwrap_or(outer);
        self.current = Vec::new();
        let store = Arc::new(Stored(self.runs.end()?));
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        let mut runs: Vec<Decoder> = begins
            .zip(&self.ends)
            .map(|(begin, end)| Decoder::new(store.clone(), begin, *end))
            .collect();
        let mut heap = BinaryHeap::new();
        let mut heads = Vec::new();
        for (number, run) in runs.iter_mut().enumerate() {
            let head = run.next()?;
            heap.extend(head.map(|slice| Reverse((slice.key(outer), number))));
            heads.push(head);
        }
        while let Some(Reverse((_, number))) = heap.pop() {
            if let Some(slice) = heads[number] {
                of(slice)?;
            }
            heads[number] = runs[number].next()?;
            heap.extend(heads[number].map(|slice| Reverse((slice.key(outer), number))));
        }
        Ok(())
    }

    /// All of them, in order, with the lanes of each thread. A call that ends at most so much behind the call around
    /// it ends with that one.
    pub(super) fn end(mut self, outer: Outer, tolerance: u64) -> io::Result<Slices> {
        let mut nesting = Nesting::new(tolerance, std::mem::take(&mut self.whole));
        self.each(outer, |slice| nesting.take(slice))?;
        nesting.end()
    }
}

/// A lane: calls that nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lane {
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Overlaps {
    pub thread: u32,
    /// How many there are.
    pub count: u64,
    /// The longest: in nanoseconds, and the region of the call that ends too late.
    pub longest: (u64, u32),
}

/// Calls that were cut at the end of another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cuts {
    pub count: u64,
    /// Nanoseconds that they lost together.
    pub lost: u64,
    /// The line of the first of them.
    pub line: u64,
}

impl Cuts {
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

/// The calls of a file, in order.
#[derive(Debug)]
pub(super) struct Slices {
    store: Arc<Stored>,
    /// Lanes of one thread follow each other.
    pub lanes: Vec<Lane>,
    /// Threads, the number of the first lane of each, and where its calls begin.
    parts: Vec<(u32, u64)>,
    /// Calls that ended a little behind the call around them, and were cut.
    pub cut: Cuts,
    /// Calls beyond those for which a thread has lanes, which were cut.
    pub crowded: Cuts,
    /// Threads whose calls overlap.
    pub overlaps: Vec<Overlaps>,
    /// Set if streams copy, and say how much.
    pub has_copies: bool,
    /// Set if streams have work with the number of its operation alone.
    pub has_external: bool,
    /// The time from which those of the store count, in nanoseconds.
    pub base: u64,
}

impl Slices {
    /// The calls of some lanes' threads, which have all their lanes between each other.
    pub(super) fn of_thread_with(&self, lane: u32) -> (u32, Decoder) {
        let place = self.parts.partition_point(|(first, _)| *first <= lane).saturating_sub(1);
        let (first, begin) = self.parts.get(place).copied().unwrap_or((0, 0));
        let end = self.parts.get(place + 1).map_or(self.store.0.len(), |(_, begin)| *begin);
        (first, Decoder { base: self.base, ..Decoder::new(self.store.clone(), begin, end) })
    }

    /// All calls, thread by thread.
    pub(super) fn each(&self, mut of: impl FnMut(&Slice)) -> io::Result<()> {
        for (first, _) in &self.parts {
            let (_, mut calls) = self.of_thread_with(*first);
            while let Some(slice) = calls.next()? {
                of(&slice);
            }
        }
        Ok(())
    }

    /// The lanes of the thread whose first lane this is.
    pub(super) fn lanes_from(&self, first: u32) -> u32 {
        let place = self.parts.partition_point(|(lane, _)| *lane <= first);
        self.parts.get(place).map_or(self.lanes.len() as u32, |(lane, _)| *lane) - first
    }
}

/// Finds lanes for calls that come in order.
struct Nesting {
    tolerance: u64,
    whole: Whole,
    has_copies: bool,
    to: Writer,
    lanes: Vec<Lane>,
    parts: Vec<(u32, u64)>,
    /// The ends of open calls, of each lane of the thread.
    open: Vec<Vec<u64>>,
    thread: Option<u32>,
    cut: Cuts,
    crowded: Cuts,
    overlaps: Vec<Overlaps>,
    /// The end and the region of the call of the thread that ends last.
    latest: Option<(u64, u32)>,
}

impl Nesting {
    fn new(tolerance: u64, whole: Whole) -> Self {
        let (to, lanes, parts, open, overlaps) = Default::default();
        let (thread, latest, cut, crowded, has_copies) = Default::default();
        Nesting {
            tolerance,
            whole,
            has_copies,
            to,
            lanes,
            parts,
            open,
            thread,
            cut,
            crowded,
            overlaps,
            latest,
        }
    }

    fn take(&mut self, mut slice: Slice) -> io::Result<()> {
        slice.op = self.whole.told(slice.op);
        self.has_copies |= matches!(slice.op, Op::Copy(..));
        if self.thread != Some(slice.lane) {
            self.thread = Some(slice.lane);
            self.latest = None;
            self.open.clear();
            self.to.part();
            self.parts.push((self.lanes.len() as u32, self.to.len()));
        }
        if !matches!(slice.op, Op::Value(_)) {
            self.overlap(&slice);
        }
        let first = self.parts.last().map_or(0, |(first, _)| *first);
        let lane = self.place(&mut slice);
        if lane == self.open.len() {
            self.open.push(Vec::new());
            let (thread, number) = (slice.lane, lane as u32);
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
        self.open[lane].push(slice.end);
        slice.lane = first + lane as u32;
        // All are in order.
        slice.number = 0;
        let of = &mut self.lanes[slice.lane as usize];
        of.calls += u64::from(!matches!(slice.op, Op::Value(_)));
        of.operations += u64::from(slice.op.moves());
        of.messages += slice.op.messages();
        of.values += slice.op.values();
        of.open += u64::from(slice.end == Slice::OPEN);
        self.to.push(&slice)
    }

    /// Counts a call that begins before another one ends.
    fn overlap(&mut self, slice: &Slice) {
        if let Some((end, region)) = self.latest.filter(|(end, _)| slice.start < *end) {
            let longest = (end - slice.start, region);
            match self.overlaps.last_mut().filter(|of| of.thread == slice.lane) {
                Some(of) => {
                    of.count += 1;
                    of.longest = of.longest.max(longest);
                }
                None => self.overlaps.push(Overlaps { thread: slice.lane, count: 1, longest }),
            }
        }
        let is_later = self.latest.is_none_or(|(end, _)| slice.end > end);
        if is_later && slice.end != Slice::OPEN {
            self.latest = Some((slice.end, slice.region));
        }
    }

    /// The first lane in which the call is inside of the last open one, or alone.
    fn place(&mut self, slice: &mut Slice) -> usize {
        for (lane, open) in self.open.iter_mut().enumerate() {
            while open.last().is_some_and(|end| *end <= slice.start) {
                open.pop();
            }
            let Some(&around) = open.last() else { return lane };
            if slice.end <= around {
                return lane;
            }
            if slice.end - around <= self.tolerance {
                self.cut.take(slice, around);
                return lane;
            }
            if lane + 1 == LANES {
                self.crowded.take(slice, around);
                return lane;
            }
        }
        self.open.len()
    }

    fn end(self) -> io::Result<Slices> {
        let Nesting { to, lanes, parts, cut, crowded, overlaps, has_copies, whole, .. } = self;
        let has_external = whole.has_external;
        let store = Arc::new(Stored(to.end()?));
        Ok(Slices {
            store,
            lanes,
            parts,
            cut,
            crowded,
            overlaps,
            has_copies,
            has_external,
            base: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(lane: u32, start: u64, end: u64, line: u64) -> Slice {
        Slice {
            lane,
            start,
            end,
            line,
            number: line,
            region: 3,
            file: Slice::NONE,
            op: Op::Read(line),
            offset: None,
        }
    }

    fn sorted(slices: Vec<Slice>, tolerance: u64) -> (Vec<(u32, u64, u64)>, Slices) {
        let mut sorter = Sorter::default();
        let outer = Outer::Last;
        slices.into_iter().for_each(|slice| sorter.push(slice, outer).expect("room"));
        let slices = sorter.end(outer, tolerance).expect("room");
        let mut found = Vec::new();
        for &(first, _) in &slices.parts {
            let (_, mut calls) = slices.of_thread_with(first);
            while let Some(slice) = calls.next().expect("a call") {
                found.push((slice.lane, slice.start, slice.end));
            }
        }
        (found, slices)
    }

    /// Children come before parents, threads between each other; what overlaps has a lane of its own.
    #[test]
    fn lanes() {
        let calls = vec![
            slice(1, 5, 6, 1),
            slice(0, 2, 4, 2),
            slice(0, 0, 10, 3),
            slice(0, 8, 11, 4),
            slice(0, 20, 30, 5),
            slice(0, 25, 40, 6),
        ];
        let (found, slices) = sorted(calls.clone(), 1);
        let expected = [(0, 0, 10), (0, 2, 4), (0, 8, 10), (0, 20, 30), (1, 25, 40), (2, 5, 6)];
        assert_eq!(found, expected);
        assert_eq!(slices.cut, Cuts { count: 1, lost: 1, line: 4 });
        assert_eq!((slices.lanes.len(), slices.lanes_from(0)), (3, 2));
        assert_eq!(sorted(calls, 0).1.lanes.len(), 3);
    }

    /// Many runs on disk give what one in memory gives.
    #[test]
    fn runs_are_merged() {
        let call = |number: u64| {
            let start = number.wrapping_mul(2_654_435_761) % 1_000_003;
            slice((number % 3) as u32, start, start, number)
        };
        let count = 2 * RUN as u64 + 17;
        let (found, slices) = sorted((0..count).map(call).collect(), 0);
        let mut expected: Vec<Slice> = (0..count).map(call).collect();
        expected.sort_by_key(|slice| slice.key(Outer::Last));
        assert_eq!(found.len(), expected.len());
        let same = found.iter().zip(&expected);
        assert!(same.clone().all(|(found, expected)| found.1 == expected.start));
        assert_eq!(slices.lanes.iter().map(|lane| lane.calls).sum::<u64>(), count);
    }
}
