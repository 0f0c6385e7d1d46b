//! Blocks of a text, cut where a line or a record begins.

use std::io;

use super::{Text, LONGEST};

/// Bytes of a block, as a rule.
pub(crate) const BLOCK: usize = 512 << 10;

/// The next part of a text.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pub bytes: Vec<u8>,
    /// Set if it ends where lines or records end. Otherwise the text ends in one, or it is too long.
    pub is_whole: bool,
    /// Set if it is the begin of a line or record that is too long.
    pub is_too_long: bool,
}

/// A text in blocks.
pub(crate) struct Blocks {
    text: Text,
    size: usize,
    /// Bytes behind the last cut.
    rest: Vec<u8>,
    /// Room of a block that is no longer needed.
    spare: Vec<u8>,
    cut: Cut,
    has_ended: bool,
    /// The error with which reading ended, until it is reported.
    error: Option<io::Error>,
    /// Set while the rest of a line that is too long is passed.
    is_passing: bool,
}

/// Places where a text may be cut.
pub(crate) enum Cut {
    /// Behind line ends.
    Lines,
    /// Behind white space.
    Words,
    /// In front of these bytes, with which records begin.
    Before(Vec<u8>),
}

impl Blocks {
    pub(crate) fn of_lines(text: Text, size: usize) -> Self {
        Blocks::new(text, size, Cut::Lines)
    }

    /// Cut behind white space: between words.
    pub(crate) fn of_words(text: Text, size: usize) -> Self {
        Blocks::new(text, size, Cut::Words)
    }

    /// Cut in front of records that begin with these bytes. Others may be cut, too.
    pub(crate) fn of_records(text: Text, size: usize, begin: Vec<u8>) -> Self {
        Blocks::new(text, size, Cut::Before(begin))
    }

    fn new(text: Text, size: usize, cut: Cut) -> Self {
        Blocks {
            text,
            size,
            rest: Vec::new(),
            spare: Vec::new(),
            cut,
            has_ended: false,
            error: None,
            is_passing: false,
        }
    }

    /// Bytes of text that were read so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.text.bytes
    }

    /// The next block. An error comes behind all that was read whole; what is not whole follows it.
    pub(crate) fn next(&mut self) -> io::Result<Option<Block>> {
        loop {
            let found = self.find();
            if let Some(at) = found.filter(|_| self.rest.len() >= self.size || self.has_ended) {
                return Ok(Some(self.take(at, true)));
            }
            if let Some(error) = self.error.take() {
                return Err(error);
            }
            let is_long = self.rest.len() >= LONGEST;
            if self.has_ended || is_long {
                let end = self.rest.len();
                self.is_passing = is_long && matches!(self.cut, Cut::Lines);
                let block = (end > 0).then(|| self.take(end, false));
                return Ok(block.map(|block| Block { is_too_long: is_long, ..block }));
            }
            self.fill();
        }
    }

    /// Goes on behind an error, where the source can: at the next line, which the text begins anew with.
    pub(crate) fn go_on(&mut self) {
        self.rest.clear();
        self.text.go_on();
        (self.has_ended, self.is_passing) = (false, true);
    }

    /// Nothing more comes.
    pub(crate) fn end(&mut self) {
        self.rest.clear();
        self.has_ended = true;
    }

    /// The last place in a block where the rest may be cut, or else the first one behind it.
    fn find(&self) -> Option<usize> {
        let size = self.size.min(self.rest.len());
        match &self.cut {
            Cut::Lines => {
                let last = memchr::memrchr(b'\n', &self.rest[..size]);
                let first = || memchr::memchr(b'\n', &self.rest[size..]).map(|at| size + at);
                last.or_else(first).map(|at| at + 1)
            }
            Cut::Words => {
                let last = self.rest[..size].iter().rposition(u8::is_ascii_whitespace);
                let of_rest = || self.rest[size..].iter().position(u8::is_ascii_whitespace);
                last.or_else(|| of_rest().map(|at| size + at)).map(|at| at + 1)
            }
            Cut::Before(begin) => {
                let last = memchr::memmem::rfind(&self.rest[..size], begin).filter(|at| *at > 0);
                // One of them may reach over the end of the block.
                let from = (size + 1).saturating_sub(begin.len()).max(1).min(self.rest.len());
                let first = || memchr::memmem::find(&self.rest[from..], begin).map(|at| from + at);
                last.or_else(first)
            }
        }
    }

    /// Takes the bytes of a block back, whose room is used again.
    pub(crate) fn reuse(&mut self, bytes: Vec<u8>) {
        self.spare = bytes;
    }

    fn take(&mut self, at: usize, is_whole: bool) -> Block {
        let mut rest = std::mem::take(&mut self.spare);
        rest.clear();
        let to_come = if self.has_ended { 0 } else { 2 * self.size };
        rest.reserve(self.rest.len() - at + to_come);
        rest.extend_from_slice(&self.rest[at..]);
        self.rest.truncate(at);
        let bytes = std::mem::replace(&mut self.rest, rest);
        Block { bytes, is_whole, is_too_long: false }
    }

    /// Reads on, by a block or by as much as there is of a long record.
    fn fill(&mut self) {
        let end = (2 * self.rest.len()).min(LONGEST).max(self.rest.len() + self.size);
        // A small text needs no room for a block.
        if self.text.bytes > 0 {
            self.rest.reserve(end + self.size - self.rest.len());
        }
        while self.rest.len() < end && !self.has_ended {
            let begin = self.rest.len();
            match self.text.append_to(&mut self.rest) {
                Ok(0) => self.has_ended = true,
                Ok(_) => self.pass(begin),
                Err(error) => {
                    self.pass(begin);
                    (self.has_ended, self.error) = (true, Some(error));
                }
            }
        }
    }

    /// Passes the rest of a line that is too long.
    fn pass(&mut self, begin: usize) {
        if !self.is_passing {
            return;
        }
        let end = memchr::memchr(b'\n', &self.rest[begin..]);
        self.is_passing = end.is_none();
        let end = end.map_or(self.rest.len(), |at| begin + at + 1);
        self.rest.drain(begin..end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that fails behind these bytes, as a damaged file does.
    struct Damaged(io::Cursor<Vec<u8>>);

    impl io::Read for Damaged {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            match self.0.read(to)? {
                0 => Err(io::Error::other("damaged")),
                read => Ok(read),
            }
        }
    }

    fn all(mut blocks: Blocks) -> (Vec<u8>, Vec<(usize, bool)>) {
        let (mut bytes, mut found) = (Vec::new(), Vec::new());
        loop {
            match blocks.next() {
                Ok(Some(block)) => {
                    found.push((block.bytes.len(), block.is_whole));
                    bytes.extend(block.bytes);
                }
                Ok(None) => return (bytes, found),
                Err(_) => found.push((0, false)),
            }
        }
    }

    #[test]
    fn blocks_end_where_lines_end() {
        let lines: String = (0..300_000).map(|number| format!("line {number}\n")).collect();
        let text = format!("{lines}no end").into_bytes();
        let open = || Text::of(Box::new(io::Cursor::new(text.clone())));
        let (bytes, found) = all(Blocks::of_lines(open(), BLOCK));
        assert_eq!(bytes, text);
        assert_eq!(found.last(), Some(&(6, false)));
        assert!(found.len() > 3 && found[..found.len() - 1].iter().all(|(_, is_whole)| *is_whole));
        let (bytes, found) = all(Blocks::of_records(open(), BLOCK, b"line 1".to_vec()));
        assert!(bytes == text && found.len() > 3, "{found:?}");
        let (bytes, found) = all(Blocks::of_lines(open(), 100));
        assert!(bytes == text && found.len() > 30_000);
        let (bytes, found) = all(Blocks::of_records(open(), 100, b"line 1".to_vec()));
        assert!(bytes == text && found.len() > 10_000, "{}", found.len());
        let damaged = Text::of(Box::new(Damaged(io::Cursor::new(b"one\ntwo\nthr".to_vec()))));
        assert_eq!(all(Blocks::of_lines(damaged, BLOCK)).1, [(8, true), (0, false), (3, false)]);
    }

    #[test]
    fn lines_that_are_too_long_are_cut() {
        let long = "x".repeat(LONGEST + 3 * BLOCK);
        let text = Text::of(Box::new(io::Cursor::new(format!("a\n{long}\nb\n").into_bytes())));
        let (bytes, found) = all(Blocks::of_lines(text, BLOCK));
        assert_eq!(found.iter().filter(|(_, is_whole)| !is_whole).count(), 1);
        assert!(bytes.len() < LONGEST * 2 + 10 && bytes.ends_with(b"xb\n"));
    }
}
