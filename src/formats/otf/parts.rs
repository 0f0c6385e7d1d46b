//! Blocks of a stream, read ahead of their order on all threads.
//!
//! A part is read from the first line on behind which the time and the process are known, whatever was before. The events
//! of a process there depend on those before only by what was left open: the part says where, and the pass settles it in
//! the order of the file. A part with anything odd is left to the pass. So the same comes out for blocks of any length and
//! any number of threads.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::events::Turn;
use super::known::Known;
use super::lines::{Lines, Next};
use super::losses::Losses;
use super::pass::Pass;
use super::state::first_whole;
use crate::text::Ahead;
use crate::Batch;

/// The blocks of a stream.
pub(super) struct Parts {
    lines: Lines,
    /// `None`: other threads have other streams.
    ahead: Option<Ahead<Work, Part>>,
    /// The item behind all blocks that are read ahead.
    last: Option<io::Result<Next>>,
}

/// Next item of a stream.
pub(super) enum Found {
    /// Whole lines.
    Block(Vec<u8>),
    /// Whole lines that were read ahead.
    Part(Box<Part>),
    /// The last line, which has no end.
    Unfinished(Vec<u8>),
    /// A part is lost, for this reason.
    Lost(String),
    /// Nothing.
    End,
}

/// A block that is to be read.
struct Work {
    text: Vec<u8>,
    stream: usize,
    known: Arc<Known>,
    of_process: Arc<HashMap<u32, usize, RandomState>>,
    room: Batch,
}

/// A block that was read.
pub(super) struct Part {
    pub text: Vec<u8>,
    /// The place from which on it was read.
    pub begin: usize,
    /// Its result. `None`: nothing, or something is odd.
    pub read: Option<(Pass, Batch)>,
}

impl Parts {
    /// `is_alone`: there are threads without a stream.
    pub(super) fn new(lines: Lines, is_alone: bool) -> Self {
        let ahead = is_alone.then(|| Ahead::of_threads(read, true));
        Parts { lines, ahead, last: None }
    }

    /// Bytes of text that were read so far.
    pub(super) fn bytes(&self) -> u64 {
        self.lines.bytes()
    }

    /// Holds no file open until the next call.
    pub(super) fn rest(&self) {
        self.lines.rest();
    }

    /// The next item of a pass.
    ///
    /// # Errors
    ///
    /// When the file cannot be read on.
    pub(super) fn next(&mut self, pass: &mut Pass) -> io::Result<Found> {
        let next = match &mut self.ahead {
            None => self.lines.next(),
            Some(ahead) => {
                while self.last.is_none() && !ahead.is_full() {
                    match self.lines.next() {
                        Ok(Next::Lines(text)) => ahead.push(Work {
                            text,
                            stream: pass.stream,
                            known: pass.known.clone(),
                            of_process: pass.of_process.clone(),
                            room: pass.room.pop().unwrap_or_default(),
                        }),
                        last => self.last = Some(last),
                    }
                }
                if let Some(part) = ahead.next() {
                    return Ok(Found::Part(Box::new(part)));
                }
                self.last.take().unwrap_or(Ok(Next::End))
            }
        };
        Ok(match next? {
            Next::Lines(text) => Found::Block(text),
            Next::Unfinished(text) => Found::Unfinished(text),
            Next::Lost(what) => Found::Lost(what),
            Next::End => Found::End,
        })
    }
}

/// Reads a block, whatever was before.
fn read(work: Work) -> Part {
    let Work { text, stream, known, of_process, mut room } = work;
    let Some(begin) = first_whole(&text) else {
        let begin = text.len();
        return Part { text, begin, read: None };
    };
    let mut pass = Pass::new(stream, &known, &of_process, Known::part);
    room.clear();
    let mut turn = Turn { is_part: true, ..Turn::new(&known, 1, &mut room) };
    pass.take(&text[begin..], &mut turn, &mut Losses::default());
    let is_odd = turn.is_odd;
    Part { text, begin, read: (!is_odd).then_some((pass, room)) }
}
