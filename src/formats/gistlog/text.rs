//! The words of a log: a window of bytes goes over the file, and is cut at white space, braces and quotes.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Take};
use std::path::{Path, PathBuf};

use crate::text::Extent;
use crate::Loss;

/// Bytes that are read at a time.
const WINDOW: usize = 256 << 10;

/// Longer words are none: memory does not depend on a file without white space.
const LONGEST: usize = 64 << 10;

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
    extent: Extent,
    file: Option<Take<File>>,
    bytes: Vec<u8>,
    /// The bytes of the window that were not taken yet.
    begin: usize,
    end: usize,
    /// The offset in the file of the first byte in the window.
    offset: u64,
    line: u64,
    at_end: bool,
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c)
}

fn ends_word(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b'{' | b'}' | b'"')
}

impl Tokens {
    /// Begins at an offset of a file, which is in this line.
    pub(super) fn open(
        path: &Path,
        extent: Extent,
        (offset, line): (u64, u64),
    ) -> Result<Self, Loss> {
        let mut tokens = Tokens {
            path: path.to_owned(),
            extent,
            file: None,
            bytes: Vec::new(),
            begin: 0,
            end: 0,
            offset,
            line,
            at_end: false,
        };
        tokens.reopen()?;
        Ok(tokens)
    }

    fn refused(&self, error: &io::Error) -> Loss {
        let (place, record, code) = (None, None, None);
        Loss { file: self.path.clone(), place, record, code, what: error.to_string(), is_io: true }
    }

    fn reopen(&mut self) -> Result<(), Loss> {
        let unread = (self.end - self.begin) as u64;
        let opened = self.extent.open(&self.path, self.offset + self.begin as u64 + unread);
        self.file = Some(opened.map_err(|error| self.refused(&error))?);
        Ok(())
    }

    /// Holds no file open until more is read.
    pub(super) fn rest(&mut self) {
        self.file = None;
    }

    /// The bytes of the file before the next token.
    pub(super) fn offset(&self) -> u64 {
        self.offset + self.begin as u64
    }

    /// The line of the next byte.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Reads more behind what is in the window. `false`: there is no more.
    fn refill(&mut self) -> Result<bool, Loss> {
        if self.at_end {
            return Ok(false);
        }
        if self.file.is_none() {
            self.reopen()?;
        }
        self.bytes.copy_within(self.begin..self.end, 0);
        self.offset += self.begin as u64;
        (self.begin, self.end) = (0, self.end - self.begin);
        if self.bytes.len() < self.end + WINDOW {
            self.bytes.resize(self.end + WINDOW, 0);
        }
        let Some(file) = &mut self.file else { return Ok(false) };
        let read = loop {
            match file.read(&mut self.bytes[self.end..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        let read = read.map_err(|error| self.refused(&error))?;
        self.end += read;
        self.at_end = read == 0;
        Ok(read > 0)
    }

    /// The first so many bytes that are left, or all there are.
    pub(super) fn first(&mut self, length: usize) -> Result<&[u8], Loss> {
        while self.end - self.begin < length && self.refill()? {}
        let end = self.end.min(self.begin + length);
        Ok(&self.bytes[self.begin..end])
    }

    /// Goes on behind so many bytes that [`Tokens::first`] has shown.
    pub(super) fn pass(&mut self, length: usize) {
        self.begin += length;
    }

    fn skip_space(&mut self) -> Result<bool, Loss> {
        loop {
            while self.begin < self.end {
                match self.bytes[self.begin] {
                    b'\n' => self.line += 1,
                    byte if is_space(byte) => {}
                    _ => return Ok(true),
                }
                self.begin += 1;
            }
            if !self.refill()? {
                return Ok(false);
            }
        }
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
            let bytes = &self.bytes[self.begin..self.end];
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
                self.begin = self.end;
                length = 0;
            }
            if !self.refill()? {
                if passed + length > LONGEST {
                    self.begin = self.end;
                }
                return Ok((passed + length, None));
            }
        }
    }
}
