//! The words of a log: a window of bytes goes over the file, and is cut at white space, braces and quotes.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::records::{Records, Shape, Wanted, Work};
use crate::text::{Ahead, Blocks, Extent, HandledFile, Parting, Rest, Text};
use crate::Loss;

/// Bytes of a block, as a rule: its records fit into the caches of a processor.
pub(super) const BLOCK: usize = 64 << 10;

/// Longer words are none: memory does not depend on a file without white space.
pub(super) const LONGEST: usize = 64 << 10;

/// A part of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A run of characters except white space, braces and quotes.
    Word(&'t [u8]),
    /// `{`
    Open,
    /// `}`
    Close,
    /// The bytes between two quotes.
    Text(&'t [u8]),
    /// A quote without a second one in its line.
    OpenText,
    /// A word or text that is longer than any can be.
    TooLong,
}

/// Position of a part of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct At {
    /// The line, from 1.
    pub line: u64,
    /// The bytes before it in the file.
    pub offset: u64,
    /// Set if the file ends with it, so that more of it may have been cut off.
    pub ends_file: bool,
}

/// Cuts a file into tokens.
pub(super) struct Tokens {
    path: PathBuf,
    blocks: Blocks,
    rest: Rest,
    /// Blocks whose records are read ahead.
    ahead: Ahead<Work, Records>,
    /// Bytes of the file; those from `begin` on were not taken yet.
    bytes: Vec<u8>,
    begin: usize,
    /// The offset in the file of the first of them.
    offset: u64,
    line: u64,
    at_end: bool,
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c)
}

pub(super) fn ends_word(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b'{' | b'}' | b'"')
}

impl Tokens {
    /// Begins at an offset of a file, which is in this line.
    pub(super) fn open(
        path: &Path,
        extent: Extent,
        (offset, line): (u64, u64),
        Parting { size, is_alone }: Parting,
    ) -> Result<Self, Loss> {
        let file = HandledFile::open_at(path, extent, offset);
        let file = file.map_err(|error| refused(path, &error))?;
        let rest = file.rest();
        let blocks = Blocks::of_words(Text::from_middle(Box::new(file), size), size);
        let ahead = Ahead::of_threads(Work::read, is_alone);
        let (path, bytes, begin) = (path.to_owned(), Vec::new(), 0);
        Ok(Tokens { path, blocks, rest, ahead, bytes, begin, offset, line, at_end: false })
    }

    /// Holds no file open until more is read.
    pub(super) fn rest(&mut self) {
        self.rest.close();
    }

    /// The bytes of the file before the next token.
    pub(super) fn offset(&self) -> u64 {
        self.offset + self.begin as u64
    }

    /// The line of the next byte.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Reads more behind what is at hand. `false`: there is no more.
    fn refill(&mut self) -> Result<bool, Loss> {
        let more = match self.ahead.next() {
            Some(records) => Some(records.text),
            None => self.block()?,
        };
        let Some(more) = more else { return Ok(false) };
        self.offset += self.begin as u64;
        self.bytes.drain(..self.begin);
        self.begin = 0;
        match self.bytes.is_empty() {
            true => self.bytes = more,
            false => self.bytes.extend_from_slice(&more),
        }
        Ok(true)
    }

    /// The next block of the file.
    fn block(&mut self) -> Result<Option<Vec<u8>>, Loss> {
        if self.at_end {
            return Ok(None);
        }
        let block = self.blocks.next().map_err(|error| refused(&self.path, &error))?;
        self.at_end = block.is_none();
        Ok(block.map(|block| block.bytes))
    }

    /// Tells whether nothing but white space is left at hand, which is passed.
    pub(super) fn is_between_blocks(&mut self) -> bool {
        while let Some(byte) = self.bytes.get(self.begin).filter(|byte| is_space(**byte)) {
            self.line += u64::from(*byte == b'\n');
            self.begin += 1;
        }
        self.begin == self.bytes.len()
    }

    /// The records that the next block begins with, where none is at hand. The next token follows them. `None`:
    /// something is at hand, or there is no more.
    pub(super) fn records(
        &mut self,
        shape: Shape,
        wanted: Option<&Arc<Wanted>>,
    ) -> Result<Option<Records>, Loss> {
        if !self.is_between_blocks() {
            return Ok(None);
        }
        while !self.ahead.is_full() {
            let Some(text) = self.block()? else { break };
            self.ahead.push(Work { text, shape, wanted: wanted.cloned() });
        }
        let Some(mut records) = self.ahead.next() else { return Ok(None) };
        self.offset += self.bytes.len() as u64;
        self.bytes = std::mem::take(&mut records.text);
        self.begin = records.end;
        records.first_line = self.line;
        self.line += records.lines;
        Ok(Some(records))
    }

    /// The first so many bytes that are left, or all there are.
    pub(super) fn first(&mut self, length: usize) -> Result<&[u8], Loss> {
        while self.bytes.len() - self.begin < length && self.refill()? {}
        let end = self.bytes.len().min(self.begin + length);
        Ok(&self.bytes[self.begin..end])
    }

    /// Goes on behind so many bytes that [`Tokens::first`] has shown.
    pub(super) fn pass(&mut self, length: usize) {
        self.begin += length;
    }

    fn skip_space(&mut self) -> Result<bool, Loss> {
        while self.is_between_blocks() {
            if !self.refill()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The next token and where it stands; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<(At, Token<'_>)>, Loss> {
        if !self.skip_space()? {
            return Ok(None);
        }
        let mut at = At { line: self.line, offset: self.offset(), ends_file: false };
        let token = match self.bytes[self.begin] {
            brace @ (b'{' | b'}') => {
                self.begin += 1;
                if brace == b'{' {
                    Token::Open
                } else {
                    Token::Close
                }
            }
            b'"' => {
                self.begin += 1;
                match self.length(|byte| matches!(byte, b'"' | b'\n'))? {
                    (length, _) if length > LONGEST => Token::TooLong,
                    (length, Some(b'"')) => {
                        let begin = self.begin;
                        self.begin += length + 1;
                        let text = &self.bytes[begin..begin + length];
                        Token::Text(text.strip_suffix(b"\r").unwrap_or(text))
                    }
                    (length, _) => {
                        self.begin += length;
                        Token::OpenText
                    }
                }
            }
            _ => match self.length(ends_word)? {
                (length, _) if length > LONGEST => Token::TooLong,
                (length, end) => {
                    at.ends_file = end.is_none();
                    let begin = self.begin;
                    self.begin += length;
                    Token::Word(&self.bytes[begin..begin + length])
                }
            },
        };
        Ok(Some((at, token)))
    }

    /// The number of bytes before the next byte that ends a token, and that byte; `None`: the file ends. A token that
    /// is too long is skipped.
    fn length(&mut self, ends: impl Fn(u8) -> bool) -> Result<(usize, Option<u8>), Loss> {
        let mut length = 0;
        let mut passed = 0;
        loop {
            let bytes = &self.bytes[self.begin..];
            if let Some(more) = bytes[length..].iter().position(|byte| ends(*byte)) {
                let end = bytes[length + more];
                let all = passed + length + more;
                if all > LONGEST {
                    self.begin += length + more;
                }
                return Ok((all, Some(end)));
            }
            length = bytes.len();
            if length > LONGEST {
                passed += length;
                self.begin = self.bytes.len();
                length = 0;
            }
            if !self.refill()? {
                if passed + length > LONGEST {
                    self.begin = self.bytes.len();
                }
                return Ok((passed + length, None));
            }
        }
    }
}

fn refused(path: &Path, error: &io::Error) -> Loss {
    Loss::of_system(path, error)
}
