//! Blocks of a log: as much of each line as it says without the lines before it.

use super::lines::{is_old_message, name_end, scan, Parts, Scanned};
use super::prefix::{prefix, Prefix};
use crate::text::{Block, LONGEST};

/// A block whose lines were read.
pub(super) struct LineBlock {
    bytes: Vec<u8>,
    lines: Vec<LineAt>,
    /// Set if the last line has its end.
    is_whole: bool,
}

struct LineAt {
    begin: u32,
    end: u32,
    kind: Kind,
}

/// Kind of a line.
pub(super) enum Kind {
    Blank,
    TooLong,
    /// A message of strace that does not name itself.
    OldMessage,
    /// A stack or a dump behind a call.
    Stack,
    Message,
    /// Anything else, with what stands in front of a call.
    Fronted(Fronted),
}

/// A line that begins as a call does, or is none of strace.
pub(super) struct Fronted {
    pub front: Prefix,
    pub call: Option<CallLine>,
}

/// A call behind what stands in front of it.
pub(super) struct CallLine {
    /// The length of the name.
    pub name: usize,
    pub scanned: Scanned,
    pub parts: Parts,
}

impl LineBlock {
    pub(super) fn new(Block { bytes, is_whole }: Block) -> Self {
        let mut lines = Vec::new();
        let mut begin = 0;
        while begin < bytes.len() {
            let line_end = memchr::memchr(b'\n', &bytes[begin..]);
            let line = &bytes[begin..line_end.map_or(bytes.len(), |at| begin + at)];
            let next = begin + line.len() + usize::from(line_end.is_some());
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let end = begin + line.len();
            lines.push(LineAt { begin: begin as u32, end: end as u32, kind: Kind::of(line) });
            begin = next;
        }
        LineBlock { bytes, lines, is_whole }
    }

    /// Each line, and whether its end is there.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&[u8], bool, &Kind)> {
        let last = self.lines.len().saturating_sub(1);
        self.lines.iter().enumerate().map(move |(number, LineAt { begin, end, kind })| {
            let line = &self.bytes[*begin as usize..*end as usize];
            (line, self.is_whole || number < last, kind)
        })
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
        let rest = &line[front.rest..];
        let call = name_end(rest, 0).map(|name| {
            let mut parts = Parts::default();
            CallLine { name, scanned: scan(rest, name, &mut parts), parts }
        });
        Kind::Fronted(Fronted { front, call })
    }
}

/// Tells whether a line without its front is the end of a process, a signal, or the rest of a call.
pub(super) fn is_no_call(rest: &[u8]) -> bool {
    let begins: [&[u8]; 3] = [b"+++ ", b"--- ", b"<... "];
    begins.iter().any(|begin| rest.starts_with(begin))
}
