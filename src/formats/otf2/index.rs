//! Random access: where the chunks of a file begin, section 2.7.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use streamfold_model::values::Ticks;

use super::chunk::{ChunkHead, Chunks, Order, CHUNK_HEADER_SIZE, TIMESTAMP};
use super::clock::Clock;
use super::error::{Error, ErrorKind};
use super::timed::TIMESTAMP_SIZE;
use super::window::open_file;

/// Bytes that are read of a chunk: its header and the time behind it.
const LOOK: usize = CHUNK_HEADER_SIZE as usize + TIMESTAMP_SIZE;

/// The begins of the chunks of an event file or a snapshot file.
///
/// Nothing is held in memory: each look at a chunk is one read of 27 bytes, and each search a look
/// at some of them, about the logarithm of their number. Chunks are numbered from 0.
#[derive(Debug)]
pub struct ChunkIndex {
    path: PathBuf,
    file: File,
    /// Of the file, in bytes.
    length: u64,
    chunk_size: u64,
}

/// How a chunk of an event file or a snapshot file begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkStart {
    /// The index of the chunk, from 0.
    pub chunk: u64,
    /// Its header.
    pub head: ChunkHead,
    /// The time that stands first in it, as recorded: that of its first record. Every chunk but the
    /// first has it; otherwise a reader that begins here does not know the time.
    pub time: Option<Ticks>,
}

impl ChunkStart {
    /// Tells whether reading can begin here: the time is known. In the first chunk it is 0 until
    /// there is another.
    pub fn is_entry(&self) -> bool {
        self.chunk == 0 || self.time.is_some()
    }

    /// The number of records in the chunks before this one.
    pub fn records_before(&self) -> u64 {
        self.head.first - 1
    }
}

impl ChunkIndex {
    pub(super) fn open(path: PathBuf, chunk_size: u64) -> Result<ChunkIndex, Error> {
        let opened = open_file(&path);
        let (file, length) = opened.map_err(|kind| Error::new(&path, None, kind))?;
        match length {
            0 => Err(Error::new(&path, None, ErrorKind::Empty)),
            _ => Ok(ChunkIndex { path, file, length, chunk_size }),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many chunks the file has room for, at least one; the last of them may be shorter. Bytes
    /// behind the end of the data count, too.
    #[allow(clippy::len_without_is_empty)] // there always is one
    pub fn len(&self) -> u64 {
        self.length.div_ceil(self.chunk_size)
    }

    /// Offset in the file at which a chunk begins; `None`: the file ends before.
    pub fn offset(&self, chunk: u64) -> Option<u64> {
        (chunk < self.len()).then(|| chunk * self.chunk_size)
    }

    /// How a chunk begins; `None`: the file ends before.
    ///
    /// # Errors
    ///
    /// When there is no chunk header, or one that counts more records than the file has room for,
    /// or when the file cannot be read.
    pub fn start(&self, chunk: u64) -> Result<Option<ChunkStart>, Error> {
        self.offset(chunk).map(|offset| self.look(chunk, offset)).transpose()
    }

    /// How each chunk begins, in their order, each looked at when it is asked for.
    pub fn starts(&self) -> impl Iterator<Item = Result<ChunkStart, Error>> + '_ {
        (0..self.len()).map(|chunk| self.look(chunk, chunk * self.chunk_size))
    }

    fn look(&self, chunk: u64, offset: u64) -> Result<ChunkStart, Error> {
        let mut bytes = [0; LOOK];
        let read = read_at(&self.file, &mut bytes, offset);
        let read = read.map_err(|error| Error::new(&self.path, offset, ErrorKind::Io(error)))?;
        let bytes = &bytes[..read];
        let parsed = ChunkHead::parse(offset, bytes);
        let (order, head) = parsed.map_err(|(at, kind)| Error::new(&self.path, at, kind))?;
        check_numbers(&self.path, &head)?;
        Ok(ChunkStart { chunk, head, time: first_time(order, bytes) })
    }

    /// The last chunk that does not begin behind a record, counted from 1: the one that holds it, if
    /// any does.
    ///
    /// A chunk whose header is damaged, or in which reading cannot begin, is taken for a later one.
    /// A reader that goes on from the chunk found comes to the record, or to the damage if that is
    /// before it. The numbers in headers are believed.
    ///
    /// # Errors
    ///
    /// When the file does not begin with a chunk, or cannot be read.
    pub fn with_record(&self, number: u64) -> Result<ChunkStart, Error> {
        self.last_where(|start| start.head.first <= number)
    }

    /// The last chunk whose first record, by its corrected time, is before a time; the first one
    /// where none is. The first record at or after the time is in it, or is the first of the next
    /// chunk.
    ///
    /// That holds where the times at which chunks begin never decrease. If they do, the chunk still is the first of the
    /// file or begins before the time. But a chunk before it may hold a record that is not before the time. As for
    /// damaged headers see [`ChunkIndex::with_record`].
    ///
    /// # Errors
    ///
    /// When the file does not begin with a chunk, or cannot be read.
    pub fn before_time(&self, time: Ticks, clock: &Clock) -> Result<ChunkStart, Error> {
        // Always from the first interval, as for a reader that begins there.
        let is_before = |recorded| clock.correct_first(recorded) < time;
        self.last_where(|start| start.time.is_some_and(is_before))
    }

    /// The last chunk where reading can begin and for which something holds that holds for the first
    /// chunks only.
    fn last_where(&self, holds: impl Fn(&ChunkStart) -> bool) -> Result<ChunkStart, Error> {
        let mut last = self.look(0, 0)?;
        // It holds for the last one, and it does not at the end.
        let mut end = self.len();
        while end - last.chunk > 1 {
            let middle = last.chunk + (end - last.chunk) / 2;
            match self.look(middle, middle * self.chunk_size) {
                Ok(start) if start.is_entry() && holds(&start) => last = start,
                Err(error) if error.is_io() => return Err(error),
                _ => end = middle,
            }
        }
        Ok(last)
    }
}

/// How many records there are before the chunk in which reading begins, which is not the first.
///
/// # Errors
///
/// When its numbers cannot be, or it does not begin with a time.
pub(super) fn records_before(chunks: &Chunks) -> Result<u64, Error> {
    let head = chunks.head();
    let path = chunks.window.path();
    check_numbers(path, &head)?;
    match head.begins_with_time() {
        true => Ok(head.first - 1),
        false => Err(Error::new(path, head.offset, ErrorKind::ChunkTime)),
    }
}

/// Refuses numbers that no file can have: each record takes two bytes at least.
fn check_numbers(path: &Path, head: &ChunkHead) -> Result<(), Error> {
    let ChunkHead { offset, first, last, .. } = *head;
    match first.checked_sub(1) {
        Some(before) if before <= offset / 2 => Ok(()),
        _ => Err(Error::new(path, offset, ErrorKind::ChunkNumbers { first, last })),
    }
}

/// The time behind the header of a chunk.
fn first_time(order: Order, bytes: &[u8]) -> Option<Ticks> {
    let (id, time) = bytes.get(CHUNK_HEADER_SIZE as usize..LOOK)?.split_first()?;
    let time = <[u8; 8]>::try_from(time).ok().filter(|_| *id == TIMESTAMP)?;
    Some(Ticks(order.u64(time)))
}

/// Reads as much as there is.
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut read = 0;
    while read < bytes.len() {
        match file.read_at(&mut bytes[read..], offset + read as u64) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}
