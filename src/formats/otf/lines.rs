//! The lines of a file, plain or compressed, in bounded memory.

use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::flushed::{self, Flushed};
use super::handles::{HandledFile, Handles};
use crate::text::Extent;
use crate::Loss;

/// How much text is read at a time, in bytes.
const WINDOW: usize = 256 << 10;
/// A line is not longer, in bytes.
const LONGEST: usize = 256 << 20;

/// A file, line by line, or many lines at a time.
pub(super) struct Lines {
    path: PathBuf,
    source: Box<dyn Read + Send>,
    window: usize,
    buffer: Vec<u8>,
    begin: usize,
    end: usize,
    has_ended: bool,
    /// The rest of a line of which only the end is there has to be passed.
    inside: bool,
    /// Lines so far.
    pub lines: u64,
    /// Bytes of text so far.
    pub bytes: u64,
}

/// Next item of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Whole lines with their ends: these bytes of [`Lines::text`].
    Lines(Range<usize>),
    /// The last line, which has no end.
    Unfinished(Range<usize>),
    /// A part is lost. The next item begins at the start of a line, behind an unknown number of lines.
    Lost(Loss),
    /// Nothing.
    End,
}

impl Lines {
    /// Opens a file; names that end in `.z` are those of compressed ones.
    ///
    /// # Errors
    ///
    /// When it cannot be opened.
    pub(super) fn open(path: &Path) -> io::Result<Lines> {
        Lines::open_to(path, Extent::begin(path)?)
    }

    /// Opens a file that is read to where it ended when reading began.
    ///
    /// # Errors
    ///
    /// When it cannot be opened.
    pub(super) fn open_to(path: &Path, extent: Extent) -> io::Result<Lines> {
        Lines::with_window(path, extent, WINDOW, None)
    }

    /// Opens a file beside many others: with a buffer of so many bytes, and closed while others are read.
    ///
    /// # Errors
    ///
    /// When it cannot be opened.
    pub(super) fn open_beside(
        path: &Path,
        window: usize,
        handles: &Arc<Handles>,
    ) -> io::Result<Lines> {
        Lines::with_window(path, Extent::begin(path)?, window, Some(handles))
    }

    fn with_window(
        path: &Path,
        extent: Extent,
        window: usize,
        handles: Option<&Arc<Handles>>,
    ) -> io::Result<Lines> {
        let file = HandledFile::open(path, extent, handles)?;
        let is_compressed = path.extension().is_some_and(|ending| ending == "z");
        let source: Box<dyn Read + Send> = match is_compressed {
            true => Box::new(Flushed::new(file, window.min(flushed::WINDOW))),
            false => Box::new(file),
        };
        Ok(Lines {
            path: path.to_owned(),
            source,
            window,
            buffer: vec![0; window],
            begin: 0,
            end: 0,
            has_ended: false,
            inside: false,
            lines: 0,
            bytes: 0,
        })
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes of lines, until more is read.
    pub(super) fn text(&self, range: Range<usize>) -> &[u8] {
        &self.buffer[range]
    }

    /// Bytes that were read ahead, from the start of the next line on; nothing inside a line that
    /// is lost.
    pub(super) fn held(&self) -> &[u8] {
        match self.inside {
            true => &[],
            false => &self.buffer[self.begin..self.end],
        }
    }

    /// The next line, without its end. Damage is a loss, and reading goes on behind it.
    ///
    /// # Errors
    ///
    /// When the file cannot be read on.
    pub(super) fn line(&mut self) -> Result<Next, Loss> {
        loop {
            let held = &self.buffer[self.begin..self.end];
            match memchr::memchr(b'\n', held) {
                Some(at) if !self.inside => {
                    let line = self.begin..self.begin + at;
                    self.pass(at + 1, 1);
                    return Ok(Next::Lines(line));
                }
                Some(at) => {
                    self.inside = false;
                    self.pass(at + 1, 1);
                }
                None => {
                    if let Some(next) = self.more()? {
                        return Ok(next);
                    }
                }
            }
        }
    }

    /// All whole lines that are cached, at least one. The caller says how many it took, see [`Lines::took`].
    ///
    /// # Errors
    ///
    /// When the file cannot be read on.
    pub(super) fn block(&mut self) -> Result<Next, Loss> {
        loop {
            let held = &self.buffer[self.begin..self.end];
            if self.inside {
                if let Some(at) = memchr::memchr(b'\n', held) {
                    self.inside = false;
                    self.pass(at + 1, 1);
                    continue;
                }
            } else if let Some(at) = memchr::memrchr(b'\n', held) {
                return Ok(Next::Lines(self.begin..self.begin + at + 1));
            }
            if let Some(next) = self.more()? {
                return Ok(next);
            }
        }
    }

    /// Number of bytes of a block or of held text that were taken, and of lines.
    pub(super) fn took(&mut self, bytes: usize, lines: u64) {
        self.pass(bytes, lines);
    }

    fn pass(&mut self, bytes: usize, lines: u64) {
        self.begin += bytes;
        self.bytes += bytes as u64;
        self.lines += lines;
    }

    /// Reads on; says what else there is than lines.
    fn more(&mut self) -> Result<Option<Next>, Loss> {
        if self.has_ended {
            if self.begin == self.end || self.inside {
                self.begin = self.end;
                return Ok(Some(Next::End));
            }
            let rest = self.begin..self.end;
            self.pass(rest.len(), 1);
            return Ok(Some(Next::Unfinished(rest)));
        }
        if self.inside {
            self.begin = self.end;
        }
        if self.end - self.begin > LONGEST {
            self.begin = self.end;
            self.inside = true;
            let what = format!("a line is longer than {} MiB", LONGEST >> 20);
            return Ok(Some(Next::Lost(Loss::of_line(&self.path, self.lines + 1, what))));
        }
        self.buffer.copy_within(self.begin..self.end, 0);
        (self.begin, self.end) = (0, self.end - self.begin);
        if self.end + self.window / 2 > self.buffer.len() {
            self.buffer.resize(2 * self.buffer.len(), 0);
        } else if self.buffer.len() > 4 * self.window && self.end < self.window / 2 {
            self.buffer.truncate(self.window);
            self.buffer.shrink_to_fit();
        }
        match self.source.read(&mut self.buffer[self.end..]) {
            Ok(0) => self.has_ended = true,
            Ok(read) => self.end += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                self.begin = self.end;
                self.inside = true;
                let lines = self.lines;
                return Ok(Some(Next::Lost(Loss::of_line(
                    &self.path,
                    lines + 1,
                    error.to_string(),
                ))));
            }
            Err(error) => {
                self.has_ended = true;
                self.begin = self.end;
                return Err(Loss::of_system(&self.path, &error));
            }
        }
        Ok(None)
    }
}
