//! The lines of a file, plain or compressed, in blocks of whole lines.

use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

use super::flushed::{self, Flushed};
use crate::text::{Blocks, Extent, HandledFile, Handles, Rest, Text, LONGEST};

/// Bytes of a block, as a rule: its events fit into the caches of a processor.
pub(super) const BLOCK: usize = 64 << 10;

/// A file in blocks.
pub(super) struct Lines {
    blocks: Blocks,
    rest: Rest,
}

/// Next item of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Whole lines with their ends.
    Lines(Vec<u8>),
    /// The last line, which has no end.
    Unfinished(Vec<u8>),
    /// A part is lost, for this reason. The next item begins at the start of a line, behind an unknown number of lines.
    Lost(String),
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
        Lines::open_to(path, Extent::begin(path)?, BLOCK)
    }

    /// Opens a file that is read to where it ended when reading began, in blocks of so many bytes.
    ///
    /// # Errors
    ///
    /// When it cannot be opened.
    pub(super) fn open_to(path: &Path, extent: Extent, size: usize) -> io::Result<Lines> {
        Lines::in_blocks(path, extent, size, None)
    }

    /// Opens a file beside many others: in blocks of so many bytes, and closed while others are read.
    ///
    /// # Errors
    ///
    /// When it cannot be opened.
    pub(super) fn open_beside(
        path: &Path,
        size: usize,
        handles: &Arc<Handles>,
    ) -> io::Result<Lines> {
        Lines::in_blocks(path, Extent::begin(path)?, size, Some(handles))
    }

    fn in_blocks(
        path: &Path,
        extent: Extent,
        size: usize,
        handles: Option<&Arc<Handles>>,
    ) -> io::Result<Lines> {
        let file = HandledFile::open(path, extent, handles)?;
        let rest = file.rest();
        let is_compressed = path.extension().is_some_and(|ending| ending == "z");
        let source: Box<dyn Read + Send> = match is_compressed {
            true => Box::new(Flushed::new(file, size.min(flushed::WINDOW))),
            false => Box::new(file),
        };
        Ok(Lines { blocks: Blocks::of_lines(Text::in_windows(source, size), size), rest })
    }

    /// Bytes of text that were read so far.
    pub(super) fn bytes(&self) -> u64 {
        self.blocks.bytes()
    }

    /// Holds no file open until the next call.
    pub(super) fn rest(&self) {
        self.rest.close();
    }

    /// The next item. Damage is a loss, and reading goes on behind it.
    ///
    /// # Errors
    ///
    /// When the file cannot be read on.
    pub(super) fn next(&mut self) -> io::Result<Next> {
        match self.blocks.next() {
            Ok(None) => Ok(Next::End),
            Ok(Some(block)) if block.is_whole => Ok(Next::Lines(block.bytes)),
            Ok(Some(block)) if block.is_too_long => {
                Ok(Next::Lost(format!("a line is longer than {} MiB", LONGEST >> 20)))
            }
            Ok(Some(block)) => Ok(Next::Unfinished(block.bytes)),
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                self.blocks.go_on();
                Ok(Next::Lost(error.to_string()))
            }
            Err(error) => {
                self.blocks.end();
                Err(error)
            }
        }
    }
}

/// Looks at each line of a file, without its end, that can be read, until `look` has found something.
pub(super) fn find<T>(path: &Path, mut look: impl FnMut(&[u8]) -> Option<T>) -> Option<T> {
    let mut lines = Lines::open(path).ok()?;
    loop {
        match lines.next().ok()? {
            Next::Lines(block) => {
                let mut begin = 0;
                for end in memchr::memchr_iter(b'\n', &block) {
                    if let Some(found) = look(&block[begin..end]) {
                        return Some(found);
                    }
                    begin = end + 1;
                }
            }
            Next::Lost(_) => {}
            Next::Unfinished(_) | Next::End => return None,
        }
    }
}

/// The place behind the end of the line, of a text that ends with the end of a line.
#[inline]
pub(super) fn behind_line(text: &[u8], at: usize) -> usize {
    match text[at] {
        b'\n' => at + 1,
        _ => memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end + 1),
    }
}
