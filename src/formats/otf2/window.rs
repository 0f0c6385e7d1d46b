//! A file through a window of bounded size.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::error::{Error, ErrorKind};

/// Bytes that are kept behind those that were read, so that a load of eight bytes at the last of
/// them stays inside.
const PADDING: usize = 16;

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
        Window::open_at(path, size, keep_open, 0)
    }

    /// The same at an offset of the file; nothing before it is read.
    ///
    /// # Errors
    ///
    /// As those of [`Window::open`].
    pub fn open_at(
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
        };
        window.load(0)?;
        Ok(window)
    }

    /// Nothing is at hand, and the file is not open, until more is read.
    pub fn rest(&mut self) {
        self.file = None;
        self.filled = 0;
        buffers::give_back(std::mem::take(&mut self.buffer));
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
        if self.buffer.is_empty() {
            self.buffer = buffers::take();
        }
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
            None => match open_file(&self.path) {
                Ok((file, _)) => file,
                Err(ErrorKind::Io(error)) => return Err(error),
                Err(other) => return Err(io::Error::other(other.to_string())),
            },
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
            let wanted = buffer.capacity() > 0 && buffer.len() <= LONGEST;
            if wanted && free.len() < MOST {
                free.push(buffer);
            }
        });
    }
}
