//! Sequences of encoded calls, in memory or in temporary files.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use super::call::{Op, Slice};

/// A reader holds so much of a store, in bytes.
const WINDOW: usize = 32 << 10;
/// Larger stores are files, in bytes.
const MEMORY: usize = 8 << 20;
/// A store is copied in pieces of so many bytes.
const COPIED: usize = 1 << 20;
/// Bytes of a call, at most.
const LONGEST: usize = 128;

/// Sequences of encoded calls.
#[derive(Debug)]
pub(super) enum Store {
    Memory(Vec<u8>),
    File(File, u64),
}

impl Store {
    pub(super) fn len(&self) -> u64 {
        match self {
            Store::Memory(bytes) => bytes.len() as u64,
            Store::File(_, length) => *length,
        }
    }
}

/// Room for a call.
pub(super) struct Room {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Room {
    pub(super) fn put(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes[self.length] = number as u8 | 0x80;
            self.length += 1;
            number >>= 7;
        }
        self.bytes[self.length] = number as u8;
        self.length += 1;
    }
}

/// Encodes calls one after another.
#[derive(Default)]
pub(super) struct Encoder {
    pub bytes: Vec<u8>,
    before: (u64, u64, u64),
}

impl Encoder {
    pub(super) fn push(&mut self, slice: &Slice) {
        let (start, line, number) = self.before;
        let mut to = Room { bytes: [0; LONGEST], length: 0 };
        to.put(slice.lane.into());
        to.put(zigzag(slice.start.wrapping_sub(start)));
        to.put(slice.end.saturating_sub(slice.start));
        to.put(zigzag(slice.line.wrapping_sub(line)));
        to.put(zigzag(slice.number.wrapping_sub(number)));
        to.put(slice.region.into());
        let has_offset = u64::from(slice.offset.is_some());
        let file = u64::from(slice.file.wrapping_add(1));
        to.put(file << 6 | has_offset << 5 | slice.op.code());
        slice.op.put(&mut to);
        slice.offset.into_iter().for_each(|offset| to.put(offset));
        self.bytes.extend_from_slice(&to.bytes[..to.length]);
        self.before = (slice.start, slice.line, slice.number);
    }

    /// The next call is encoded by itself.
    pub(super) fn part(&mut self) {
        self.before = (0, 0, 0);
    }
}

/// Writes a store: a file, when it is large.
#[derive(Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
    file: Option<(File, u64)>,
}

impl Writer {
    pub(super) fn len(&self) -> u64 {
        self.file.as_ref().map_or(0, |(_, length)| *length) + self.bytes.len() as u64
    }

    /// Appends bytes, which are taken out.
    pub(super) fn take(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        self.bytes.append(bytes);
        if self.bytes.len() >= MEMORY {
            self.flush()?;
        }
        Ok(())
    }

    /// Appends another store.
    pub(super) fn append(&mut self, store: Store) -> io::Result<()> {
        match store {
            Store::Memory(mut bytes) => self.take(&mut bytes),
            Store::File(file, length) => {
                let mut piece = vec![0; COPIED];
                let mut at = 0;
                while at < length {
                    let count = (length - at).min(COPIED as u64) as usize;
                    file.read_exact_at(&mut piece[..count], at)?;
                    self.bytes.extend_from_slice(&piece[..count]);
                    self.flush()?;
                    at += count as u64;
                }
                Ok(())
            }
        }
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

    pub(super) fn end(mut self) -> io::Result<Store> {
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

/// Reads a part of a store.
#[derive(Debug)]
pub(in crate::dftracer) struct Decoder {
    store: Arc<Stored>,
    /// The ends of the window and of the part, as offsets in the store.
    next: u64,
    end: u64,
    window: Vec<u8>,
    at: usize,
    before: (u64, u64, u64),
    /// Lanes and times count from there.
    pub(super) first: u32,
    pub(super) base: u64,
}

#[derive(Debug)]
pub(super) struct Stored(pub Store);

impl Default for Stored {
    fn default() -> Self {
        Stored(Store::Memory(Vec::new()))
    }
}

impl Decoder {
    pub(super) fn new(store: Arc<Stored>, begin: u64, end: u64) -> Self {
        let before = (0, 0, 0);
        Decoder { store, next: begin, end, window: Vec::new(), at: 0, before, first: 0, base: 0 }
    }

    /// The next call.
    pub(in crate::dftracer) fn next(&mut self) -> io::Result<Option<Slice>> {
        if self.window.len() - self.at < LONGEST && self.next < self.end {
            self.fill()?;
        }
        if self.at == self.window.len() {
            return Ok(None);
        }
        let lane = (self.take() as u32).saturating_add(self.first);
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
