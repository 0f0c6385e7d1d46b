//! Compressed files: one zlib stream that is flushed from time to time, and never finished.
//!
//! A damaged part is passed: inflation begins anew at the next flush mark that holds.

use std::io::{self, Read};

use flate2::{Decompress, FlushDecompress, Status};

use crate::text::HandledFile;

/// So much of the file is held, unless that is too much beside others, in bytes.
pub(super) const WINDOW: usize = 64 << 10;
/// The bytes that end a flush.
const MARK: [u8; 4] = [0, 0, 0xff, 0xff];
/// A mark holds where so much behind it inflates, in bytes of text, or all that is left.
const PROOF: usize = 512;

/// The text of a compressed file. A damaged part is one error; reading on goes on behind it, in the middle of a line.
pub(super) struct Flushed {
    file: HandledFile,
    buffer: Vec<u8>,
    begin: usize,
    end: usize,
    at_end: bool,
    inflate: Decompress,
    state: State,
    /// Bytes of the file before the buffer.
    before: u64,
    /// The last bytes of the file so far.
    tail: [u8; MARK.len()],
    /// Damage that is reported with the next call.
    damage: Option<io::Error>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Inside of a stream.
    Inside,
    /// Behind a stream that was finished.
    Behind,
    /// Damage was reported; a mark is looked for.
    Damaged,
    End,
}

impl Flushed {
    /// With a buffer of so many bytes.
    pub(super) fn new(file: HandledFile, window: usize) -> Self {
        Flushed {
            file,
            buffer: vec![0; window],
            begin: 0,
            end: 0,
            at_end: false,
            inflate: Decompress::new(true),
            state: State::Inside,
            before: 0,
            tail: [0; MARK.len()],
            damage: None,
        }
    }

    /// Reads on. The bytes that are left move to the start of the buffer.
    fn fill(&mut self) -> io::Result<()> {
        self.before += self.begin as u64;
        self.buffer.copy_within(self.begin..self.end, 0);
        (self.begin, self.end) = (0, self.end - self.begin);
        let held = self.end;
        while self.end < self.buffer.len() && !self.at_end {
            match self.file.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.at_end = true,
                Ok(read) => self.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let read = &self.buffer[held..self.end];
        let tail = &read[read.len().saturating_sub(MARK.len())..];
        self.tail.rotate_left(tail.len());
        self.tail[MARK.len() - tail.len()..].copy_from_slice(tail);
        Ok(())
    }

    /// Tells whether a file that ends inside of a stream ends behind a flush, as all whole files do.
    fn is_cut(&self) -> bool {
        self.before + self.end as u64 > 0 && self.tail != MARK
    }

    /// Finds the next mark behind which text inflates. `false`: there is none.
    fn find_mark(&mut self) -> io::Result<bool> {
        loop {
            let held = &self.buffer[self.begin..self.end];
            if let Some(at) = memchr::memmem::find(held, &MARK) {
                self.begin += at + MARK.len();
                if self.end - self.begin < self.buffer.len() / 2 {
                    self.fill()?;
                }
                let held = &self.buffer[self.begin..self.end];
                let mut proof = [0; PROOF];
                let mut trial = Decompress::new(false);
                let tried = trial.decompress(held, &mut proof, FlushDecompress::None);
                if tried.is_ok() && trial.total_out() > 0 {
                    self.inflate = Decompress::new(false);
                    return Ok(true);
                }
                continue;
            }
            self.begin = self.end.saturating_sub(MARK.len() - 1).max(self.begin);
            if self.at_end {
                return Ok(false);
            }
            self.fill()?;
        }
    }
}

impl Read for Flushed {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(damage) = self.damage.take() {
                return Err(damage);
            }
            if self.begin == self.end && !self.at_end {
                self.fill()?;
            }
            match self.state {
                State::End => return Ok(0),
                State::Damaged => {
                    self.state = if self.find_mark()? { State::Inside } else { State::End };
                    continue;
                }
                State::Behind => {
                    // Another stream may follow.
                    if self.begin == self.end {
                        self.state = State::End;
                        continue;
                    }
                    self.inflate = Decompress::new(true);
                    self.state = State::Inside;
                }
                State::Inside => {}
            }
            let (in_before, out_before) = (self.inflate.total_in(), self.inflate.total_out());
            let held = &self.buffer[self.begin..self.end];
            let inflated = self.inflate.decompress(held, to, FlushDecompress::None);
            self.begin += (self.inflate.total_in() - in_before) as usize;
            let out = (self.inflate.total_out() - out_before) as usize;
            match inflated {
                Ok(Status::StreamEnd) => self.state = State::Behind,
                Ok(Status::Ok | Status::BufError) => {
                    if out == 0 && self.begin == self.end && self.at_end {
                        self.state = State::End;
                        let text = "the file is cut: it ends within compressed text";
                        let error = || io::Error::new(io::ErrorKind::InvalidData, text);
                        self.damage = self.is_cut().then(error);
                    }
                }
                Err(error) => {
                    self.state = State::Damaged;
                    let at = self.before + self.begin as u64;
                    let text = format!("what is compressed is damaged near byte {at}: {error}");
                    self.damage = Some(io::Error::new(io::ErrorKind::InvalidData, text));
                }
            }
            if out > 0 || to.is_empty() {
                return Ok(out);
            }
        }
    }
}
