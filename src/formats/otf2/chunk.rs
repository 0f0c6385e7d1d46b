//! Files and their chunks, section 2.

use serde::{Deserialize, Serialize};

use super::error::{Error, ErrorKind};
use super::window::Window;
use super::wire::{BigEndian, ByteOrder, Cursor, LittleEndian};

/// Id of the end of a chunk: padding follows.
pub(crate) const END_OF_CHUNK: u8 = 0;
/// Id of the end of a buffer, behind the end of the data.
pub(crate) const END_OF_BUFFER: u8 = 1;
/// Id of the end of the data.
pub(crate) const END_OF_FILE: u8 = 2;
/// Id of a chunk header.
pub(crate) const CHUNK_HEADER: u8 = 3;
/// Id of a time, in files of events and snapshots.
pub(crate) const TIMESTAMP: u8 = 5;
/// Bytes of a chunk header: id, byte order, first and last record.
pub(crate) const CHUNK_HEADER_SIZE: u64 = 18;
/// Sizes that a chunk may have.
pub(crate) const CHUNK_SIZES: std::ops::RangeInclusive<u64> = 256 << 10..=16 << 20;

/// The order of bytes in a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Order {
    /// 0x42
    Little,
    /// 0x23
    Big,
}

impl Order {
    /// That of this machine.
    pub const NATIVE: Order = if cfg!(target_endian = "big") { Order::Big } else { Order::Little };

    /// By the number on disk.
    pub fn new(number: u8) -> Option<Order> {
        match number {
            0x42 => Some(Order::Little),
            0x23 => Some(Order::Big),
            _ => None,
        }
    }

    /// The number on disk.
    pub fn number(self) -> u8 {
        match self {
            Order::Little => 0x42,
            Order::Big => 0x23,
        }
    }

    /// A number as eight bytes in this order.
    pub fn bytes_u64(self, number: u64) -> [u8; 8] {
        match self {
            Order::Little => LittleEndian::bytes_u64(number),
            Order::Big => BigEndian::bytes_u64(number),
        }
    }

    /// A number of eight bytes in this order.
    pub fn u64(self, bytes: [u8; 8]) -> u64 {
        match self {
            Order::Little => LittleEndian::u64(bytes),
            Order::Big => BigEndian::u64(bytes),
        }
    }
}

/// Header of a chunk, and the byte that follows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkHead {
    /// Offset of the chunk in the file, in bytes.
    pub offset: u64,
    /// Number of its first record, from 1.
    pub first: u64,
    /// Number of its last record; 0 in chunks whose records are not counted, or without any.
    pub last: u64,
    /// The byte behind the header; `None` where the file ends there.
    pub next: Option<u8>,
}

impl ChunkHead {
    /// Tells whether a time follows, as in every chunk of events or snapshots but the first,
    /// section 2.5: so reading can begin here.
    pub fn begins_with_time(&self) -> bool {
        self.next == Some(TIMESTAMP)
    }

    /// Tells whether nothing follows: the chunk, the data, or the file ends here.
    pub fn is_empty(&self) -> bool {
        matches!(self.next, None | Some(END_OF_CHUNK | END_OF_FILE))
    }

    /// The header at the begin of these bytes, which stand at this offset of the file, and the order
    /// of bytes in its chunk.
    ///
    /// # Errors
    ///
    /// With the fault and its offset.
    pub(super) fn parse(offset: u64, bytes: &[u8]) -> Result<(Order, ChunkHead), (u64, ErrorKind)> {
        let cut = || (offset, ErrorKind::UnexpectedEnd("in a chunk header"));
        match *bytes.first().ok_or_else(cut)? {
            CHUNK_HEADER => {}
            other => return Err((offset, ErrorKind::NoChunkHeader(other))),
        }
        let order = *bytes.get(1).ok_or_else(cut)?;
        let order = Order::new(order).ok_or((offset + 1, ErrorKind::ByteOrder(order)))?;
        let number = |at: usize| {
            let bytes = bytes.get(at..at + 8)?.try_into().ok()?;
            Some(order.u64(bytes))
        };
        let (first, last) = number(2).zip(number(10)).ok_or_else(cut)?;
        let next = bytes.get(CHUNK_HEADER_SIZE as usize).copied();
        Ok((order, ChunkHead { offset, first, last, next }))
    }
}

/// How a file ends, section 2.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Offset of the mark that ends the data.
    pub offset: u64,
    /// Set if the mark that ends the buffer follows, or the chunk has no room for it.
    pub closed: bool,
    /// Bytes behind these marks.
    pub trailing: u64,
}

/// The chunks of a file, and the one that is being read.
#[derive(Debug)]
pub(crate) struct Chunks {
    /// The file.
    pub window: Window,
    size: u64,
    begin: u64,
    order: Order,
    head: ChunkHead,
}

impl Chunks {
    /// Opens a file of chunks and reads the header of the first.
    ///
    /// Returns the chunks and the position of the first record.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or does not begin with a chunk header.
    pub(crate) fn open(window: Window, size: u64) -> Result<(Chunks, usize), Error> {
        Chunks::open_at(window, size, 0)
    }

    /// Opens a file of chunks at the chunk that begins at an offset.
    ///
    /// Returns the chunks and the position of the first record there.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or has no chunk header there.
    pub(crate) fn open_at(
        window: Window,
        size: u64,
        offset: u64,
    ) -> Result<(Chunks, usize), Error> {
        let mut chunks =
            Chunks { window, size, begin: 0, order: Order::Little, head: ChunkHead::default() };
        if chunks.window.length() == 0 {
            return Err(Error::new(chunks.window.path(), None, ErrorKind::Empty));
        }
        let position = chunks.header(offset)?;
        Ok((chunks, position))
    }

    /// The order of bytes in this chunk.
    #[inline(always)]
    pub(crate) fn order(&self) -> Order {
        self.order
    }

    /// The position behind the last cached byte of this chunk.
    #[inline(always)]
    pub(crate) fn end(&self) -> usize {
        self.window.position(self.begin + self.size)
    }

    /// Goes to the next chunk and returns the position of its first record.
    ///
    /// # Errors
    ///
    /// When the file ends here, cannot be read, or has no chunk header there.
    pub(crate) fn next_chunk(&mut self) -> Result<usize, Error> {
        self.header(self.limit())
    }

    /// Goes to the chunk at an offset and returns the position of its first record.
    ///
    /// # Errors
    ///
    /// Those of [`Chunks::next_chunk`].
    pub(crate) fn go_to_chunk(&mut self, offset: u64) -> Result<usize, Error> {
        self.header(offset)
    }

    fn header(&mut self, begin: u64) -> Result<usize, Error> {
        self.begin = begin;
        let mut position = self.window.position(begin);
        // With the byte behind it, unless the file ends there.
        let cached = self.window.filled() - position > CHUNK_HEADER_SIZE as usize;
        if self.window.offset(position) != begin || !(cached || self.window.at_end()) {
            self.window.seek(begin)?;
            position = 0;
        }
        let header = &self.window.bytes()[position..self.window.filled()];
        if header.is_empty() {
            // If a chunk was ended before its size, the file may end long before the next.
            let end = begin.min(self.window.length());
            let kind = ErrorKind::UnexpectedEnd("a chunk header should follow");
            return Err(Error::new(self.window.path(), end, kind));
        }
        let parsed = ChunkHead::parse(begin, header);
        let (order, head) =
            parsed.map_err(|(at, kind)| Error::new(self.window.path(), at, kind))?;
        (self.order, self.head) = (order, head);
        Ok(position + CHUNK_HEADER_SIZE as usize)
    }

    /// The offset of the chunk behind this one, whether there is one or not.
    pub(crate) fn next_offset(&self) -> u64 {
        self.limit()
    }

    /// The header of this chunk.
    pub(crate) fn head(&self) -> ChunkHead {
        self.head
    }

    /// Returns the ending behind the data that ends at a position; nothing can be read after that.
    pub(crate) fn ending(&mut self, mut position: usize) -> Ending {
        if position + 1 >= self.window.filled() && self.window.advance(position).is_ok_and(|on| on)
        {
            position = 0;
        }
        let offset = self.window.offset(position);
        let next = self.window.bytes()[..self.window.filled()].get(position + 1);
        let (marked, full) = (next == Some(&END_OF_BUFFER), offset + 1 == self.limit());
        let end = offset + 1 + u64::from(marked);
        let trailing = self.window.length().saturating_sub(end);
        Ending { offset, closed: marked || full, trailing }
    }

    /// Gets more bytes of this chunk behind `position`, and returns its new value.
    ///
    /// # Errors
    ///
    /// When there are none: the file ends, or the chunk does.
    pub(crate) fn more(&mut self, position: usize) -> Result<usize, Error> {
        if self.end() < self.window.filled() || self.window.offset(self.end()) == self.limit() {
            return Err(self.window.error(position, ErrorKind::ChunkEnd));
        }
        match self.window.advance(position)? {
            true => Ok(0),
            false => {
                let end = self.window.filled();
                let kind = ErrorKind::UnexpectedEnd("neither its last chunk nor its data is ended");
                Err(self.window.error(end, kind))
            }
        }
    }

    fn limit(&self) -> u64 {
        self.begin + self.size
    }

    /// Bytes from a position to the end of the chunk or of the file, cached or not.
    pub(crate) fn left(&self, position: usize) -> u64 {
        self.limit().min(self.window.length()).saturating_sub(self.window.offset(position))
    }
}

/// Result of decoding the length of a record, section 5.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// The payload is `bytes[begin..end]`.
    Payload {
        /// Its first byte.
        begin: usize,
        /// The byte behind it.
        end: usize,
    },
    /// Not all of the record is cached; its payload claims this many bytes, where that is known.
    More(u64),
}

/// Reads the length at `position` of a record in `bytes[..limit]`.
#[inline(always)]
pub(crate) fn length<O: ByteOrder>(bytes: &[u8], position: usize, limit: usize) -> Length {
    if position >= limit {
        return Length::More(0);
    }
    let short = bytes[position];
    if short != 0xff {
        let (begin, length) = (position + 1, usize::from(short));
        return match begin + length <= limit {
            true => Length::Payload { begin, end: begin + length },
            false => Length::More(length as u64),
        };
    }
    long_length::<O>(bytes, position, limit)
}

#[cold]
fn long_length<O: ByteOrder>(bytes: &[u8], position: usize, limit: usize) -> Length {
    let begin = position + 9;
    let Ok(length) = Cursor::<O>::new(bytes, position + 1, limit).u64() else {
        return Length::More(0);
    };
    match (begin as u64).checked_add(length) {
        Some(end) if end <= limit as u64 => Length::Payload { begin, end: end as usize },
        _ => Length::More(length),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However much of a chunk is cached at first, the byte behind its header is seen.
    #[test]
    fn the_byte_behind_a_header_is_seen_wherever_windows_end() {
        const SIZE: u64 = 256 << 10;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0.evt");
        let mut bytes = vec![0; SIZE as usize + 19];
        for begin in [0, SIZE as usize] {
            bytes[begin..begin + 2].copy_from_slice(&[CHUNK_HEADER, 0x42]);
            bytes[begin + 18] = TIMESTAMP;
        }
        for left in [19, 18] {
            std::fs::write(&path, &bytes[..SIZE as usize + left]).unwrap();
            for cached in 0..20 {
                let window = Window::open(path.clone(), SIZE as usize + cached, true).unwrap();
                let (mut chunks, _) = Chunks::open(window, SIZE).unwrap();
                assert!(chunks.head().begins_with_time());
                chunks.next_chunk().unwrap();
                let head = chunks.head();
                assert_eq!(head.offset, SIZE);
                assert_eq!((head.begins_with_time(), head.is_empty()), (left == 19, left == 18));
            }
        }
    }
}
