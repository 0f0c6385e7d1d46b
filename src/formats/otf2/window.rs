//! A file through a window of bounded size.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::error::{Error, ErrorKind};
use crate::input;

/// Bytes that are kept behind those that were read, so that a load of eight bytes at the last of
/// them stays inside.
const PADDING: usize = 16;

/// Modulus by which a byte's offset in the file and its address in memory are equal: a line of the cache. The system
/// copies large reads in one instruction. Some processors (AMD Zen 3) take three times as long if the target lies a few
/// bytes further in its page than the source.
const ALIGNMENT: usize = 64;

/// Opens a regular file and returns its length, too.
pub(super) fn open_file(path: &Path) -> Result<(File, u64), ErrorKind> {
    let file = input::open(path).map_err(|error| match input::is_irregular(&error) {
        true => ErrorKind::NotAFile,
        false => ErrorKind::Io(error),
    })?;
    let length = file.metadata().map_err(ErrorKind::Io)?.len();
    Ok((file, length))
}

/// A part of a file, read with large positional reads into a buffer that is used again and again.
///
/// Positions are indexes into [`Window::bytes`]; they change when the window moves on. The file is
/// opened at the first read and closed as soon as its end was read, or after each read where many
/// files are open at once.
#[derive(Debug)]
pub(crate) struct Window {
    path: PathBuf,
    file: Option<File>,
    keep_open: bool,
    length: u64,
    start: u64,
    filled: usize,
    size: usize,
    buffer: Vec<u8>,
    /// Unused bytes at its start, for the sake of [`ALIGNMENT`].
    lead: usize,
}

impl Window {
    /// A window of about `size` bytes at the begin of a file. `keep_open`: whether the file stays
    /// open between reads.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or is not a regular one (so that a pipe can never block).
    pub(crate) fn open(path: PathBuf, size: usize, keep_open: bool) -> Result<Window, Error> {
        Window::open_at(path, size, keep_open, 0)
    }

    /// The same at an offset of the file; nothing before it is read.
    ///
    /// # Errors
    ///
    /// As those of [`Window::open`].
    pub(crate) fn open_at(
        path: PathBuf,
        size: usize,
        keep_open: bool,
        start: u64,
    ) -> Result<Window, Error> {
        let (file, length) = open_file(&path).map_err(|kind| Error::new(&path, None, kind))?;
        let mut window = Window {
            path,
            file: Some(file),
            keep_open,
            length,
            start,
            filled: 0,
            size: size.max(64),
            buffer: buffers::take(),
            lead: 0,
        };
        window.load(start, 0)?;
        Ok(window)
    }

    /// Nothing is cached, and the file is not open, until more is read.
    pub(crate) fn rest(&mut self) {
        self.file = None;
        (self.filled, self.lead) = (0, 0);
        buffers::give_back(std::mem::take(&mut self.buffer));
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The length of the file in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// The cached bytes. Bytes behind [`Window::filled`] are no part of the file.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.lead..]
    }

    /// Number of cached bytes.
    #[inline(always)]
    pub(crate) fn filled(&self) -> usize {
        self.filled
    }

    /// The offset in the file of a position.
    pub(crate) fn offset(&self, position: usize) -> u64 {
        self.start + position as u64
    }

    /// The position of an offset in the file, at most at the end of the cached bytes.
    #[inline(always)]
    pub(crate) fn position(&self, offset: u64) -> usize {
        (offset.saturating_sub(self.start) as usize).min(self.filled)
    }

    /// Tells whether the last byte of the file is cached.
    pub(crate) fn at_end(&self) -> bool {
        self.start + self.filled as u64 >= self.length
    }

    /// Moves on so that more bytes follow those from `position`, which moves to 0. `false`: there
    /// are no more.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub(crate) fn advance(&mut self, position: usize) -> Result<bool, Error> {
        if self.at_end() {
            return Ok(false);
        }
        self.load(self.offset(position), self.filled - position)?;
        Ok(true)
    }

    /// Moves to an offset in the file, which gets position 0; keeps the cached bytes from there on.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub(crate) fn seek(&mut self, offset: u64) -> Result<(), Error> {
        let end = self.start + self.filled as u64;
        let is_at_hand = (self.start..end).contains(&offset);
        self.load(offset, if is_at_hand { (end - offset) as usize } else { 0 })
    }

    /// Moves to an offset in the file, at which the last `kept` cached bytes lie, and fills the buffer behind them. If
    /// they fill the buffer, it grows: by as much as it holds, and never beyond the file.
    fn load(&mut self, start: u64, kept: usize) -> Result<(), Error> {
        let offset = start + kept as u64;
        let left = self.length.saturating_sub(offset);
        let room = if kept < self.size / 2 { self.size - kept } else { self.size.max(kept) };
        let wanted = left.min(room as u64) as usize;
        self.make_room(start, kept, wanted);
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

    /// Moves what is kept to where the buffer begins then, with room for what is wanted behind it.
    fn make_room(&mut self, start: u64, kept: usize, wanted: usize) {
        if self.buffer.is_empty() {
            self.buffer = buffers::take();
        }
        let longest = ALIGNMENT + kept + wanted + PADDING;
        if self.buffer.len() < longest {
            self.buffer.resize(longest, 0);
        }
        let end = self.lead + self.filled;
        self.lead = (start as usize).wrapping_sub(self.buffer.as_ptr().addr()) % ALIGNMENT;
        self.buffer.copy_within(end - kept..end, self.lead);
        (self.start, self.filled) = (start, kept);
    }

    fn read(&mut self, mut offset: u64, kept: usize, wanted: usize) -> io::Result<usize> {
        if wanted == 0 {
            return Ok(0);
        }
        let file = match self.file.take() {
            Some(file) => file,
            None => match open_file(&self.path) {
                Ok((file, _)) => file,
                Err(ErrorKind::Io(error)) => return Err(error),
                Err(other) => return Err(io::Error::other(other.to_string())),
            },
        };
        let target = &mut self.buffer[self.lead + kept..][..wanted];
        let mut read = 0;
        while read < wanted {
            match file.read_at(&mut target[read..], offset) {
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
    pub(crate) fn error(&self, position: usize, kind: impl Into<ErrorKind>) -> Error {
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
            let wanted = buffer.capacity() > 0 && buffer.len() <= LONGEST;
            if wanted && free.len() < MOST {
                free.push(buffer);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Copy, Debug)]
    enum Move {
        /// Advances to this part of the cached bytes.
        Advance(f64),
        /// Seeks this part of the file.
        Seek(f64),
        Rest,
    }

    fn moves() -> impl Strategy<Value = Move> {
        prop_oneof![
            6 => (0.0..=1.0).prop_map(Move::Advance),
            3 => (0.0..=1.0).prop_map(Move::Seek),
            1 => Just(Move::Rest),
        ]
    }

    proptest! {
        /// The cached bytes are those of the file, wherever the window has come from, and lie where the system copies
        /// them fast.
        #[test]
        fn what_is_at_hand_is_what_the_file_has_there(
            content in proptest::collection::vec(any::<u8>(), 0..2000),
            size in 0_usize..500,
            keep_open: bool,
            start in 0.0..=1.0,
            moves in proptest::collection::vec(moves(), 0..20),
        ) {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(&file, &content).unwrap();
            let place = |part: f64| (part * content.len() as f64) as usize;
            let start = place(start) as u64;
            let mut window =
                Window::open_at(file.path().to_owned(), size, keep_open, start).unwrap();
            let mut offset = start;
            for next in moves {
                let cached = &window.bytes()[..window.filled()];
                prop_assert_eq!(cached, &content[offset as usize..][..cached.len()]);
                prop_assert!(window.bytes().len() >= window.filled() + 8, "a load at the last byte");
                let address = window.bytes().as_ptr().addr();
                prop_assert_eq!(address % ALIGNMENT, offset as usize % ALIGNMENT);
                match next {
                    Move::Advance(part) => {
                        let (position, filled) = ((part * window.filled() as f64) as usize, window.filled());
                        let end = window.offset(filled);
                        let more = window.advance(position).unwrap();
                        prop_assert_eq!(more, end < content.len() as u64);
                        if more {
                            offset += position as u64;
                            prop_assert!(window.offset(window.filled()) > end);
                        }
                    }
                    Move::Seek(part) => {
                        offset = place(part) as u64;
                        window.seek(offset).unwrap();
                    }
                    Move::Rest => {
                        window.rest();
                        window.seek(offset).unwrap();
                    }
                }
                prop_assert_eq!(window.offset(0), offset);
            }
        }
    }
}
