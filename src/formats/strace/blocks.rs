//! Blocks of a log: as much of each line as it says without the lines before it.

use super::call::{About, TargetAt};
use super::kinds::KindTable;
use super::lines::{is_old_message, name_end, scan, Parts, Scanned};
use super::prefix::{prefix, Prefix};
use crate::text::{Block, LONGEST};

/// Bytes of a block, as a rule: what is read of them stays in the caches of a core.
pub(super) const BLOCK: usize = 256 << 10;

/// A block whose lines were read.
#[derive(Default)]
pub(super) struct LineBlock {
    bytes: Vec<u8>,
    lines: Vec<LineAt>,
    calls: Vec<CallLine>,
    kinds: KindTable,
    /// Set if the last line has its end.
    is_whole: bool,
}

struct LineAt {
    begin: u32,
    end: u32,
    kind: Kind,
}

/// Kind of a line.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Blank,
    TooLong,
    /// A message of strace that does not name itself.
    OldMessage,
    /// A stack or a dump behind a call.
    Stack,
    Message,
    /// A call behind what stands in front of it, and the length of its name.
    Call(Prefix, u32),
    /// Anything else behind that, or a line that is none of strace.
    Other(Prefix),
}

/// A call in one line.
#[derive(Default)]
pub(super) struct CallLine {
    pub scanned: Scanned,
    pub parts: Parts,
    pub about: About,
    /// The number of the kind of a whole call in the table of the block, if it is there.
    pub kind: Option<u32>,
}

impl LineBlock {
    /// Reads the lines of a block, in the room of another one.
    pub(super) fn new((Block { bytes, is_whole, .. }, mut block): (Block, LineBlock)) -> Self {
        block.lines.clear();
        block.calls.clear();
        block.kinds.make_room();
        block.is_whole = is_whole;
        let mut begin = 0;
        while begin < bytes.len() {
            let line_end = memchr::memchr(b'\n', &bytes[begin..]);
            let line = &bytes[begin..line_end.map_or(bytes.len(), |at| begin + at)];
            let next = begin + line.len() + usize::from(line_end.is_some());
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let kind = Kind::of(line);
            if let Kind::Call(front, name) = kind {
                block.calls.push(CallLine::default());
                if let Some(call) = block.calls.last_mut() {
                    let text = &line[front.rest..];
                    call.read(text, name as usize);
                    if matches!(call.scanned, Scanned::Whole) {
                        let name = &text[..name as usize];
                        let target = call.about.target;
                        // The name alone is found as soon.
                        let has_target = target != TargetAt::None;
                        call.kind = has_target.then(|| block.kinds.of(name, target.of(text)));
                    }
                }
            }
            let end = begin + line.len();
            block.lines.push(LineAt { begin: begin as u32, end: end as u32, kind });
            begin = next;
        }
        block.bytes = bytes;
        block
    }

    /// The number of the table with the kinds of its calls.
    pub(super) fn table(&self) -> u64 {
        self.kinds.id
    }

    pub(super) fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// Each line, the call in it, and whether its end is there.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&[u8], Kind, Option<&CallLine>, bool)> {
        let last = self.lines.len().saturating_sub(1);
        let mut calls = self.calls.iter();
        self.lines.iter().enumerate().map(move |(number, LineAt { begin, end, kind })| {
            let line = &self.bytes[*begin as usize..*end as usize];
            let call = if matches!(kind, Kind::Call(..)) { calls.next() } else { None };
            (line, *kind, call, self.is_whole || number < last)
        })
    }
}

impl CallLine {
    /// Of a call, given its text and the length of its name.
    pub(super) fn new(text: &[u8], name: usize) -> Self {
        let mut call = CallLine::default();
        call.read(text, name);
        call
    }

    fn read(&mut self, text: &[u8], name: usize) {
        self.scanned = scan(text, name, &mut self.parts);
        if matches!(self.scanned, Scanned::Whole) {
            self.about = About::new(text, &text[..name], &self.parts);
        }
    }
}

impl Kind {
    pub(super) fn of(line: &[u8]) -> Kind {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Kind::Blank;
        }
        if line.len() >= LONGEST {
            return Kind::TooLong;
        }
        match line[0] {
            b'P' if is_old_message(line) => return Kind::OldMessage,
            b' ' if line.starts_with(b" > ") || line.starts_with(b" | ") => return Kind::Stack,
            b's' if line.starts_with(b"strace: ") => return Kind::Message,
            _ => {}
        }
        let front = prefix(line);
        match name_end(&line[front.rest..], 0) {
            Some(name) => Kind::Call(front, name as u32),
            None => Kind::Other(front),
        }
    }
}

/// Tells whether a line without its front is the end of a process, a signal, or the rest of a call.
pub(super) fn is_no_call(rest: &[u8]) -> bool {
    let begins: [&[u8]; 3] = [b"+++ ", b"--- ", b"<... "];
    begins.iter().any(|begin| rest.starts_with(begin))
}
