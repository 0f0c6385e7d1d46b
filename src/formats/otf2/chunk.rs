//! Files and their chunks, section 2, through a window of bounded size.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::error::{Error, ErrorKind};
use super::wire::{ByteOrder, Cursor, WireError};

/// Id of the end of a chunk: padding follows.
pub const END_OF_CHUNK: u8 = 0;
/// Id of the end of the data.
pub const END_OF_FILE: u8 = 2;
/// Id of a chunk header.
pub const CHUNK_HEADER: u8 = 3;
/// Bytes of a chunk header: id, byte order, first and last record.
pub const CHUNK_HEADER_SIZE: u64 = 18;
/// Sizes that a chunk may have.
pub const CHUNK_SIZES: std::ops::RangeInclusive<u64> = 256 << 10..=16 << 20;

/// Bytes that are kept behind those that were read, so that a load of eight bytes at the last of
/// them stays inside.
const PADDING: usize = 16;

/// The order of bytes in a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// 0x42
    Little,
    /// 0x23
    Big,
}

impl Order {
    /// By the number on disk.
    pub fn new(number: u8) -> Option<Order> {
        match number {
            0x42 => Some(Order::Little),
            0x23 => Some(Order::Big),
            _ => None,
        }
    }
}

/// Opens a regular file and returns its length, too. Anything else is refused; `O_NONBLOCK`, which
/// means nothing to a regular file, keeps a pipe from blocking before that.
pub(super) fn open_file(path: &Path) -> Result<(File, u64), ErrorKind> {
    let mut options = File::options();
    options.read(true).custom_flags(libc::O_NONBLOCK);
    let file = options.open(path).map_err(ErrorKind::Io)?;
    let known = file.metadata().map_err(ErrorKind::Io)?;
    match known.is_file() {
        true => Ok((file, known.len())),
        false => Err(ErrorKind::NotAFile),
    }
}

/// A part of a file, read with large positional reads into a buffer that is used again and again.
///
/// Positions are indexes into [`Window::bytes`]; they change when the window moves on. The file is
/// opened at the first read and closed as soon as its end was read, or after each read where many
/// files are open at once.
#[derive(Debug)]
pub struct Window {
    path: PathBuf,
    file: Option<File>,
    keep_open: bool,
    length: u64,
    start: u64,
    filled: usize,
    size: usize,
    buffer: Vec<u8>,
}

impl Window {
    /// A window of about `size` bytes at the begin of a file. `keep_open`: whether the file stays
    /// open between reads.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or is not a regular one (so that a pipe can never block).
    pub fn open(path: PathBuf, size: usize, keep_open: bool) -> Result<Window, Error> {
        let (file, length) = open_file(&path).map_err(|kind| Error::new(&path, None, kind))?;
        let mut window = Window {
            path,
            file: Some(file),
            keep_open,
            length,
            start: 0,
            filled: 0,
            size: size.max(64),
            buffer: buffers::take(),
        };
        window.load(0)?;
        Ok(window)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The length of the file in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The bytes at hand. What lies behind [`Window::filled`] is no part of the file.
    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// How many bytes are at hand.
    #[inline(always)]
    pub fn filled(&self) -> usize {
        self.filled
    }

    /// The offset in the file of a position.
    pub fn offset(&self, position: usize) -> u64 {
        self.start + position as u64
    }

    /// The position of an offset in the file, at most at the end of what is at hand.
    #[inline(always)]
    pub fn position(&self, offset: u64) -> usize {
        (offset.saturating_sub(self.start) as usize).min(self.filled)
    }

    /// Whether the last byte of the file is at hand.
    pub fn at_end(&self) -> bool {
        self.start + self.filled as u64 >= self.length
    }

    /// Moves on so that more bytes follow those from `position`, which moves to 0. `false`: there
    /// are no more.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn advance(&mut self, position: usize) -> Result<bool, Error> {
        if self.at_end() {
            return Ok(false);
        }
        self.buffer.copy_within(position..self.filled, 0);
        self.start += position as u64;
        self.load(self.filled - position)?;
        Ok(true)
    }

    /// Moves to an offset in the file, which gets position 0; keeps what is at hand of it.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn seek(&mut self, offset: u64) -> Result<(), Error> {
        let end = self.start + self.filled as u64;
        let keep = if (self.start..end).contains(&offset) {
            let position = (offset - self.start) as usize;
            self.buffer.copy_within(position..self.filled, 0);
            self.filled - position
        } else {
            0
        };
        self.start = offset;
        self.load(keep)
    }

    /// Fills the buffer behind the `kept` bytes at its begin. Where they fill it, it grows: by as
    /// much as it holds, and never beyond the file.
    fn load(&mut self, kept: usize) -> Result<(), Error> {
        let left = self.length.saturating_sub(self.start + kept as u64);
        let room = if kept < self.size / 2 { self.size - kept } else { self.size.max(kept) };
        let wanted = left.min(room as u64) as usize;
        if self.buffer.len() < kept + wanted + PADDING {
            self.buffer.resize(kept + wanted + PADDING, 0);
        }
        let offset = self.start + kept as u64;
        let read = self.read(offset, kept, wanted);
        let read = read.map_err(|error| Error::new(&self.path, offset, ErrorKind::Io(error)))?;
        if read < wanted {
            // The file has become shorter since it was opened.
            self.length = offset + read as u64;
        }
        self.filled = kept + read;
        if !self.keep_open || self.at_end() {
            self.file = None;
        }
        Ok(())
    }

    fn read(&mut self, mut offset: u64, kept: usize, wanted: usize) -> io::Result<usize> {
        if wanted == 0 {
            return Ok(0);
        }
        let file = match self.file.take() {
            Some(file) => file,
            None => File::open(&self.path)?,
        };
        let mut read = 0;
        while read < wanted {
            match file.read_at(&mut self.buffer[kept + read..kept + wanted], offset) {
                Ok(0) => break,
                Ok(bytes) => {
                    read += bytes;
                    offset += bytes as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.file = Some(file);
        Ok(read)
    }

    /// An error at a position.
    pub fn error(&self, position: usize, kind: impl Into<ErrorKind>) -> Error {
        Error::new(&self.path, self.offset(position), kind.into())
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        buffers::give_back(std::mem::take(&mut self.buffer));
    }
}

/// Buffers of closed files, for the next file that this thread opens: a trace has many small ones,
/// and fresh memory for each costs more than to read them.
mod buffers {
    use std::cell::RefCell;

    /// A location has its definitions open, and then its events.
    const MOST: usize = 2;
    /// Longer ones are for records that are rare.
    const LONGEST: usize = 4 << 20;

    thread_local! {
        static FREE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
    }

    pub(super) fn take() -> Vec<u8> {
        FREE.with_borrow_mut(|free| free.pop().unwrap_or_default())
    }

    pub(super) fn give_back(buffer: Vec<u8>) {
        FREE.with_borrow_mut(|free| {
            if free.len() < MOST && buffer.len() <= LONGEST {
                free.push(buffer);
            }
        });
    }
}

/// Where the chunks of a file lie and which one is being read.
#[derive(Debug)]
pub struct Chunks {
    /// The file.
    pub window: Window,
    size: u64,
    begin: u64,
    order: Order,
}

impl Chunks {
    /// Opens a file of chunks and reads the header of the first.
    ///
    /// Returns the chunks and the position of the first record.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or does not begin with a chunk header.
    pub fn open(window: Window, size: u64) -> Result<(Chunks, usize), Error> {
        let mut chunks = Chunks { window, size, begin: 0, order: Order::Little };
        if chunks.window.length() == 0 {
            return Err(Error::new(chunks.window.path(), None, ErrorKind::Empty));
        }
        let position = chunks.header(0)?;
        Ok((chunks, position))
    }

    /// The order of bytes in this chunk.
    #[inline(always)]
    pub fn order(&self) -> Order {
        self.order
    }

    /// The number of this chunk, from 1.
    pub fn number(&self) -> u64 {
        self.begin / self.size + 1
    }

    /// The position behind the last byte at hand of this chunk.
    #[inline(always)]
    pub fn end(&self) -> usize {
        self.window.position(self.begin + self.size)
    }

    /// Goes to the next chunk and returns the position of its first record.
    ///
    /// # Errors
    ///
    /// When the file ends here, cannot be read, or has no chunk header there.
    pub fn next_chunk(&mut self) -> Result<usize, Error> {
        self.header(self.begin + self.size)
    }

    fn header(&mut self, begin: u64) -> Result<usize, Error> {
        self.begin = begin;
        let mut position = self.window.position(begin);
        if self.window.offset(position) != begin
            || self.window.filled() - position < CHUNK_HEADER_SIZE as usize
        {
            self.window.seek(begin)?;
            position = 0;
        }
        let header = &self.window.bytes()[position..self.window.filled()];
        match header.first() {
            Some(&CHUNK_HEADER) => {}
            Some(&other) => {
                return Err(self.window.error(position, ErrorKind::NoChunkHeader(other)))
            }
            None => {
                let kind = ErrorKind::UnexpectedEnd("a chunk header should follow");
                return Err(self.window.error(position, kind));
            }
        }
        let Some(&order) = header.get(1) else {
            return Err(self.window.error(position, ErrorKind::UnexpectedEnd("in a chunk header")));
        };
        self.order = Order::new(order)
            .ok_or_else(|| self.window.error(position + 1, ErrorKind::ByteOrder(order)))?;
        if header.len() < CHUNK_HEADER_SIZE as usize {
            return Err(self.window.error(position, ErrorKind::UnexpectedEnd("in a chunk header")));
        }
        Ok(position + CHUNK_HEADER_SIZE as usize)
    }

    /// Gets more bytes of this chunk behind `position`, and returns its new value.
    ///
    /// # Errors
    ///
    /// When there are none: the file ends, or the chunk does.
    pub fn more(&mut self, position: usize) -> Result<usize, Error> {
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

    /// Bytes from a position to the end of the chunk or of the file, at hand or not.
    pub fn left(&self, position: usize) -> u64 {
        self.limit().min(self.window.length()).saturating_sub(self.window.offset(position))
    }
}

/// What a look at the length of a record finds, section 5.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// The payload is `bytes[begin..end]`.
    Payload {
        /// Its first byte.
        begin: usize,
        /// The byte behind it.
        end: usize,
    },
    /// Not all of the record is at hand; its payload claims this many bytes, where that is known.
    More(u64),
}

/// Reads the length at `position` of a record in `bytes[..limit]`.
#[inline(always)]
pub fn length<O: ByteOrder>(bytes: &[u8], position: usize, limit: usize) -> Length {
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

/// A record of a file whose records all have a length and no time: definitions, markers,
/// thumbnails.
#[derive(Debug)]
pub struct PlainRecords {
    chunks: Chunks,
    position: usize,
    number: u64,
    done: bool,
}

/// Where a plain record lies.
#[derive(Clone, Copy, Debug)]
pub struct PlainRecord {
    /// Its number on disk.
    pub id: u8,
    /// Which one of the file it is, from 1.
    pub number: u64,
    at: usize,
    begin: usize,
    end: usize,
}

impl PlainRecords {
    /// Reads the records of a file from its begin.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or does not begin with a chunk header.
    pub fn open(window: Window, chunk_size: u64) -> Result<Self, Error> {
        let (chunks, position) = Chunks::open(window, chunk_size)?;
        Ok(PlainRecords { chunks, position, number: 0, done: false })
    }

    /// The next record; `None` at the end of the data.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read; there is nothing to go on with then.
    pub fn next_record(&mut self) -> Result<Option<PlainRecord>, Error> {
        while !self.done {
            let (position, limit) = (self.position, self.chunks.end());
            if position >= limit {
                self.position = self.fail_unless_more(position)?;
                continue;
            }
            match self.chunks.window.bytes()[position] {
                END_OF_CHUNK => {
                    let next = self.chunks.next_chunk();
                    self.position = next.inspect_err(|_| self.done = true)?;
                }
                END_OF_FILE => self.done = true,
                id => match self.payload(position + 1, limit) {
                    Length::Payload { begin, end } => {
                        self.position = end;
                        self.number += 1;
                        let number = self.number;
                        return Ok(Some(PlainRecord { id, number, at: position, begin, end }));
                    }
                    Length::More(length) => {
                        let left = self.chunks.left(position);
                        if length >= left {
                            self.done = true;
                            let kind = ErrorKind::RecordLength { length, left };
                            return Err(self.chunks.window.error(position, kind));
                        }
                        self.position = self.fail_unless_more(position)?;
                    }
                },
            }
        }
        Ok(None)
    }

    fn payload(&self, position: usize, limit: usize) -> Length {
        let bytes = self.chunks.window.bytes();
        match self.chunks.order() {
            Order::Little => length::<super::wire::LittleEndian>(bytes, position, limit),
            Order::Big => length::<super::wire::BigEndian>(bytes, position, limit),
        }
    }

    fn fail_unless_more(&mut self, position: usize) -> Result<usize, Error> {
        let more = self.chunks.more(position);
        more.inspect_err(|_| self.done = true)
    }

    /// The order of bytes in the chunk of the last record.
    pub fn order(&self) -> Order {
        self.chunks.order()
    }

    /// The payload of the last record.
    pub fn cursor<O: ByteOrder>(&self, record: &PlainRecord) -> Cursor<'_, O> {
        Cursor::new(self.chunks.window.bytes(), record.begin, record.end)
    }

    /// An error in the last record.
    pub fn error(
        &self,
        record: &PlainRecord,
        name: Option<&'static str>,
        error: WireError,
    ) -> Error {
        let mut error = self.chunks.window.error(record.at, error);
        error.record = Some(super::error::Record { id: record.id, name, number: record.number });
        error
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.chunks.window.path()
    }
}
