//! Sequences of encoded calls, in memory or in temporary files.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use super::call::{Op, Slice};
use super::numbers::{unzigzag, zigzag, Room};

/// A reader holds so much of a store, in bytes.
const WINDOW: usize = 32 << 10;
/// Larger stores are files, in bytes, unless there is room in [`SHARED`].
const MEMORY: usize = 8 << 20;
/// Bytes of large stores that are in memory, of all files together.
const SHARED: u64 = 128 << 20;
/// Room that is left of them.
static LEFT: AtomicU64 = AtomicU64::new(SHARED);
/// Room for so many encoded bytes, at first.
const PIECE: usize = 64 << 10;
/// A store is copied in pieces of so many bytes.
const COPIED: usize = 1 << 20;
/// Bytes of a call, at most.
const LONGEST: usize = 128;

/// Sequences of encoded calls.
#[derive(Debug)]
pub(super) enum Store {
    Memory(Vec<u8>, Reserved),
    File(File, u64),
}

impl Store {
    pub(super) fn len(&self) -> u64 {
        match self {
            Store::Memory(bytes, _) => bytes.len() as u64,
            Store::File(_, length) => *length,
        }
    }
}

/// Memory that a store takes of what all of them share, in bytes. It goes back with the store.
#[derive(Debug, Default)]
pub(super) struct Reserved(u64);

impl Reserved {
    /// Takes more until there are so many bytes. `false`: there is no more.
    fn grow(&mut self, to: usize) -> bool {
        let more = (to.saturating_sub(MEMORY) as u64).saturating_sub(self.0);
        let take = |left: u64| left.checked_sub(more);
        let has_more =
            more == 0 || LEFT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok();
        self.0 += if has_more { more } else { 0 };
        has_more
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        LEFT.fetch_add(self.0, Ordering::Relaxed);
    }
}

/// Encodes calls one after another.
#[derive(Default)]
pub(super) struct Encoder {
    /// Behind the encoded calls is room for more.
    bytes: Vec<u8>,
    length: usize,
    before: (u64, u64, u64),
}

impl Encoder {
    /// Bytes so far.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// Takes the encoded calls out.
    pub(super) fn take(&mut self) -> Vec<u8> {
        self.bytes.truncate(self.length);
        self.length = 0;
        std::mem::take(&mut self.bytes)
    }

    pub(super) fn push(&mut self, slice: &Slice) {
        if self.bytes.len() < self.length + LONGEST {
            self.bytes.resize((2 * self.bytes.len()).max(PIECE), 0);
        }
        let (start, line, number) = self.before;
        let mut to = Room::new(&mut self.bytes[self.length..][..LONGEST]);
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
        self.length += to.len();
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
    reserved: Reserved,
    file: Option<(File, u64)>,
}

impl Writer {
    pub(super) fn len(&self) -> u64 {
        self.file.as_ref().map_or(0, |(_, length)| *length) + self.bytes.len() as u64
    }

    /// Appends bytes.
    pub(super) fn take(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.extend_from_slice(bytes);
        let is_full = match self.file {
            Some(_) => self.bytes.len() >= COPIED,
            None => !self.reserved.grow(self.bytes.len()),
        };
        match is_full {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Appends another store.
    pub(super) fn append(&mut self, store: Store) -> io::Result<()> {
        match store {
            Store::Memory(bytes, reserved) if self.len() == 0 => {
                (self.bytes, self.reserved) = (bytes, reserved);
                Ok(())
            }
            Store::Memory(bytes, _) => self.take(&bytes),
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
            self.bytes.shrink_to(COPIED);
            self.reserved = Reserved::default();
        }
        Ok(())
    }

    pub(super) fn end(mut self) -> io::Result<Store> {
        if self.file.is_some() {
            self.flush()?;
        }
        Ok(match self.file {
            Some((file, length)) => Store::File(file, length),
            None => Store::Memory(self.bytes, self.reserved),
        })
    }
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
        Stored(Store::Memory(Vec::new(), Reserved::default()))
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
            Store::Memory(bytes, _) => {
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
