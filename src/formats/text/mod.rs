//! Texts, compressed or not, in bounded memory: lines, and blocks that several threads read at once.

mod ahead;
mod blocks;
mod copies;
mod extent;
mod handles;
mod members;
mod numbers;

use std::io::{self, Read};
use std::path::Path;

pub use ahead::is_read_alone;
pub(crate) use ahead::{read_all, Ahead, AheadOfText, Parting};
pub(crate) use blocks::{Block, Blocks, BLOCK};
pub(crate) use copies::without_copies;
pub(crate) use extent::Extent;
pub(crate) use handles::{HandledFile, Handles, Rest};
pub(crate) use numbers::{
    any_hex_at, decimal, decimal_at, digits, hex_at, hex_digit, hexadecimal, scaled,
};

/// How much is read at a time, unless that is too much beside other texts.
pub(crate) const WINDOW: usize = 256 << 10;

/// Of a longer line only the begin is kept, and it cannot be read.
pub(crate) const LONGEST: usize = 64 << 20;

/// The mark of UTF-8 that some programs write in front of a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Lines of a file, one after another.
pub(crate) struct Text {
    source: Box<dyn Read + Send>,
    window: usize,
    buffer: Vec<u8>,
    begin: usize,
    end: usize,
    has_begun: bool,
    has_ended: bool,
    /// The lines so far.
    pub lines: u64,
    /// The bytes of text so far.
    pub bytes: u64,
}

/// A line without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub begin: usize,
    pub end: usize,
    /// Set if its end was there, and all of it was kept.
    pub is_whole: bool,
}

impl Text {
    /// Opens a file; what its first bytes show says how it is compressed.
    pub(crate) fn open(path: &Path) -> io::Result<Text> {
        Text::open_to(path, Extent::begin(path)?)
    }

    /// Opens a file that is read to where it ended when reading began.
    pub(crate) fn open_to(path: &Path, extent: Extent) -> io::Result<Text> {
        Ok(Text::of(members::open(path, extent)?))
    }

    /// Opens a file for the first bytes of its text.
    pub(crate) fn open_head(path: &Path, bytes: u64) -> io::Result<Text> {
        Ok(Text::of(Box::new(Text::open(path)?.source.take(bytes))))
    }

    pub(crate) fn of(source: Box<dyn Read + Send>) -> Text {
        Text::in_windows(source, WINDOW)
    }

    /// Reads so much at a time, in bytes.
    pub(crate) fn in_windows(source: Box<dyn Read + Send>, window: usize) -> Text {
        let (begin, end, has_begun, has_ended, lines, bytes) = (0, 0, false, false, 0, 0);
        // There is room for the mark, and more.
        let window = window.max(16);
        let buffer = vec![0; window];
        Text { source, window, buffer, begin, end, has_begun, has_ended, lines, bytes }
    }

    /// The same from the middle of a text on, where no byte order mark is.
    pub(crate) fn from_middle(source: Box<dyn Read + Send>, window: usize) -> Text {
        Text { has_begun: true, ..Text::in_windows(source, window) }
    }

    /// The next line; its bytes are [`Text::line`].
    pub(crate) fn next(&mut self) -> io::Result<Option<Line>> {
        let mut looked_at = self.begin;
        loop {
            if let Some(at) = line_end(&self.buffer[looked_at..self.end]) {
                let end = looked_at + at;
                return Ok(Some(self.take(end, end + 1, true)));
            }
            let length = self.end - self.begin;
            if self.has_ended {
                let is_there = self.end > self.begin;
                return Ok(is_there.then(|| self.take(self.end, self.end, false)));
            }
            if self.end - self.begin >= LONGEST {
                return self.pass().map(Some);
            }
            self.fill()?;
            looked_at = self.begin + length;
        }
    }

    /// Number of bytes from here on, or as many as there are.
    pub(crate) fn head(&mut self, length: usize) -> io::Result<&[u8]> {
        // An error of reading on is reported by the read after that.
        while self.end - self.begin < length && !self.has_ended && self.fill().is_ok() {}
        Ok(&self.buffer[self.begin..self.end.min(self.begin + length)])
    }

    /// Adds what comes next to other bytes, whatever lines it is of. Returns how much that is; 0: there is nothing.
    pub(crate) fn append_to(&mut self, to: &mut Vec<u8>) -> io::Result<usize> {
        if self.has_begun && self.begin == self.end && !self.has_ended {
            (self.buffer, self.begin, self.end) = (Vec::new(), 0, 0);
            return self.read_to(to);
        }
        while self.begin == self.end && !self.has_ended {
            self.fill()?;
        }
        let bytes = &self.buffer[self.begin..self.end];
        to.extend_from_slice(bytes);
        let count = bytes.len();
        self.begin = self.end;
        self.bytes += count as u64;
        Ok(count)
    }

    /// Reads to other bytes, without the buffer between.
    fn read_to(&mut self, to: &mut Vec<u8>) -> io::Result<usize> {
        let begin = to.len();
        let read = self.source.by_ref().take(self.window as u64).read_to_end(to);
        self.has_ended = !read.as_ref().is_ok_and(|read| *read == self.window);
        self.bytes += (to.len() - begin) as u64;
        read
    }

    /// Goes on behind an error, where the source can.
    fn go_on(&mut self) {
        self.has_ended = false;
    }

    /// The bytes of a line, until the next one is asked for.
    pub(crate) fn line(&self, line: Line) -> &[u8] {
        let bytes = &self.buffer[line.begin..line.end];
        bytes.strip_suffix(b"\r").unwrap_or(bytes)
    }

    fn take(&mut self, end: usize, next: usize, is_whole: bool) -> Line {
        let line = Line { begin: self.begin, end, is_whole };
        self.lines += 1;
        self.bytes += (next - self.begin) as u64;
        self.begin = next;
        line
    }

    /// Goes to the end of a line that is too long; its begin stays.
    fn pass(&mut self) -> io::Result<Line> {
        let kept = self.end - self.begin;
        let (begin, end) = (self.begin, self.end);
        let mut rest = vec![0; WINDOW];
        self.lines += 1;
        self.bytes += kept as u64;
        loop {
            let read = self.source.read(&mut rest)?;
            if read == 0 {
                self.has_ended = true;
                self.begin = self.end;
                return Ok(Line { begin, end, is_whole: false });
            }
            if let Some(at) = line_end(&rest[..read]) {
                self.bytes += at as u64 + 1;
                self.buffer.truncate(end);
                self.buffer.extend_from_slice(&rest[at + 1..read]);
                self.begin = end;
                self.end = self.buffer.len();
                return Ok(Line { begin, end, is_whole: false });
            }
            self.bytes += read as u64;
        }
    }

    /// Reads on, behind a byte order mark.
    fn fill(&mut self) -> io::Result<()> {
        let has_begun = std::mem::replace(&mut self.has_begun, true);
        self.read_on()?;
        if has_begun {
            return Ok(());
        }
        while self.end < BYTE_ORDER_MARK.len() && !self.has_ended {
            self.read_on()?;
        }
        if self.buffer[..self.end].starts_with(BYTE_ORDER_MARK) {
            self.begin = BYTE_ORDER_MARK.len();
            self.bytes = self.begin as u64;
        }
        Ok(())
    }

    /// Reads on. The bytes that are left move to the start of the buffer, whose room grows with the line.
    fn read_on(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.begin..self.end, 0);
        (self.begin, self.end) = (0, self.end - self.begin);
        if self.end + self.window / 2 > self.buffer.len() {
            self.buffer.resize((2 * self.buffer.len()).max(self.window), 0);
        } else if self.buffer.len() > 4 * self.window && self.end < self.window {
            self.buffer.truncate(self.window + self.end);
            self.buffer.shrink_to_fit();
        }
        match self.source.read(&mut self.buffer[self.end..]) {
            Ok(0) => self.has_ended = true,
            Ok(read) => self.end += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                // The bytes that are there are handed out, the error with the call after that.
                self.has_ended = true;
                return Err(error);
            }
        }
        Ok(())
    }
}

fn line_end(bytes: &[u8]) -> Option<usize> {
    memchr::memchr(b'\n', bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Vec<(Vec<u8>, bool)> {
        let mut text = Text::of(Box::new(io::Cursor::new(text.to_vec())));
        let mut lines = Vec::new();
        while let Some(line) = text.next().expect("a line") {
            lines.push((text.line(line).to_vec(), line.is_whole));
        }
        lines
    }

    #[test]
    fn lines_of_any_length() {
        let whole = |text: &str| (text.as_bytes().to_vec(), true);
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"a\n\nb\r\n"), [whole("a"), whole(""), whole("b")]);
        assert_eq!(lines(b"a\nb"), [whole("a"), (b"b".to_vec(), false)]);
        assert_eq!(lines(b"\xef\xbb\xbfa\n\xef\xbb\xbf\n"), [whole("a"), whole("\u{feff}")]);
        assert_eq!(lines(b"\xef\xbb"), [(b"\xef\xbb".to_vec(), false)]);
        let long = "x".repeat(3 * WINDOW + 7);
        let text = format!("a\n{long}\nb\n{long}");
        let expected = [whole("a"), whole(&long), whole("b"), (long.clone().into_bytes(), false)];
        assert_eq!(lines(text.as_bytes()), expected);
    }
}
