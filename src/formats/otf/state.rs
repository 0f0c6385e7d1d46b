//! Lines of times and processes, which hold for the lines behind them.

use super::lines::behind_line;
use crate::text::hex_at;

/// The current time and process, if they are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    known: Known,
    time: u64,
    process: u32,
    /// The line of the process with its end, if it is short: most are the same as the one before.
    line: ShortLine,
}

/// A line of at most eight bytes with its end: these bytes, which ones count, and how many they are. At first there is
/// none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ShortLine {
    bytes: u64,
    mask: u64,
    length: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Known {
    #[default]
    Nothing,
    Time,
    Both,
}

impl State {
    /// The state of files whose records have neither time nor process.
    pub(super) const NONE_NEEDED: State = State {
        known: Known::Both,
        time: 0,
        process: 0,
        line: ShortLine { bytes: 0, mask: 0, length: 0 },
    };

    /// The time; 0 if it is not known.
    pub(super) fn time(&self) -> u64 {
        self.time
    }

    /// The process; 0 if it is not known.
    pub(super) fn process(&self) -> u32 {
        self.process
    }

    /// Tells whether both are known.
    pub(super) fn is_whole(&self) -> bool {
        self.known == Known::Both
    }

    /// Tells whether the time is known alone: another one has no effect before the first process.
    pub(super) fn waits_for_process(&self) -> bool {
        self.known == Known::Time
    }

    /// Passes lines of times and processes, of a text that ends with the end of a line. Returns the place behind them.
    #[inline]
    pub(super) fn pass(&mut self, text: &[u8], mut at: usize, lines: &mut u64) -> usize {
        while let Some(behind) = self.line(text, at) {
            at = behind;
            *lines += 1;
        }
        at
    }

    /// Takes a line, if it is one of a time or a process. Returns the place behind it.
    #[inline]
    fn line(&mut self, text: &[u8], at: usize) -> Option<usize> {
        if *text.get(at)? == b'*' && self.line.is_at(text, at) {
            return Some(at + self.line.length);
        }
        let (is_process, number, end) = state_at(text, at)?;
        match (is_process, self.known) {
            (false, Known::Time) | (true, Known::Nothing) => {}
            (false, known) => {
                self.time = number;
                self.known = if known == Known::Nothing { Known::Time } else { known };
            }
            (true, _) => {
                self.process = number as u32;
                self.known = Known::Both;
                let behind = behind_line(text, end);
                self.line = ShortLine::of(&text[at..behind]);
                return Some(behind);
            }
        }
        Some(behind_line(text, end))
    }
}

impl ShortLine {
    fn of(line: &[u8]) -> ShortLine {
        let mut bytes = [0; 8];
        let Some(part) = bytes.get_mut(..line.len()) else { return ShortLine::default() };
        part.copy_from_slice(line);
        let mask = u64::MAX >> (64 - 8 * line.len());
        ShortLine { bytes: u64::from_le_bytes(bytes), mask, length: line.len() }
    }

    #[inline]
    fn is_at(&self, text: &[u8], at: usize) -> bool {
        let Some(bytes) = text.get(at..).and_then(<[u8]>::first_chunk) else { return false };
        self.length > 0 && u64::from_le_bytes(*bytes) & self.mask == self.bytes
    }
}

/// The first line of a time with a line of a process right behind it: from there on both are known, whatever was before.
/// `None`: there is none.
pub(super) fn first_whole(text: &[u8]) -> Option<usize> {
    let (mut at, mut time) = (0, None);
    while at < text.len() {
        let state = state_at(text, at);
        if state.is_some_and(|(is_process, ..)| is_process) && time.is_some() {
            return time;
        }
        time = state.and_then(|(is_process, ..)| (!is_process).then_some(at));
        at = behind_line(text, at);
    }
    None
}

/// Takes apart a line of a time or a process: whether it is the latter, the number, and the place behind that. `None`:
/// it is neither.
#[inline]
fn state_at(text: &[u8], at: usize) -> Option<(bool, u64, usize)> {
    // Records, as a rule.
    if text.get(at)?.is_ascii_uppercase() {
        return None;
    }
    let mut begin = behind_blanks(text, at);
    let is_process = text[begin] == b'*';
    if is_process {
        begin = behind_blanks(text, begin + 1);
    }
    let (number, end) = hex_at(text, begin);
    (end > begin).then_some((is_process, number, end))
}

#[inline]
fn behind_blanks(text: &[u8], mut at: usize) -> usize {
    while matches!(text[at], b' ' | b'\t') {
        at += 1;
    }
    at
}
