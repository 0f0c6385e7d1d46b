//! The records of one file, one after another.

use std::io;
use std::ops::Range;
use std::path::Path;

use super::keyvalues::{self, KeyValue};
use super::lines::{Lines, Next};
use super::numbers::number_at;
use super::record::{self, Cursor, Malformed, Record, Section, Value, Values};
use crate::Loss;

/// Reads a file record by record. It stands at a line, whose time and process are known.
pub struct RecordFile {
    lines: Lines,
    section: Section,
    state: State,
    line: Range<usize>,
    /// Set if the line has no end.
    is_unfinished: bool,
    keyvalues: Vec<KeyValue>,
    /// Losses so far.
    pub losses: Vec<Loss>,
}

/// The current time and process, if they are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Neither.
    Nothing,
    /// The time.
    Time(u64),
    /// Both.
    Whole(u64, u32),
}

impl State {
    fn begin_time(&mut self, time: u64) {
        *self = match *self {
            State::Nothing => State::Time(time),
            // A second time before the first process has no effect.
            State::Time(before) => State::Time(before),
            State::Whole(_, process) => State::Whole(time, process),
        };
    }

    fn begin_process(&mut self, process: u32) {
        *self = match *self {
            State::Nothing => State::Nothing,
            State::Time(time) | State::Whole(time, _) => State::Whole(time, process),
        };
    }
}

/// Content of a line.
#[derive(Debug)]
pub enum Item<'l> {
    /// A record with its values and the key-values before it.
    Record(Record, &'l [Value<'l>]),
    /// A part of the key-values of the next record.
    KeyValue,
    /// A line whose keyword is in no table, from where parsing stopped.
    Unknown(&'l [u8]),
    /// Nothing but blanks.
    Blank,
    /// A known record that is damaged.
    Malformed(Malformed),
}

/// A line that is neither a time nor a process, with what holds there.
#[derive(Debug)]
pub struct Line<'l> {
    /// The number of the stream.
    pub stream: u32,
    /// The file.
    pub path: &'l Path,
    /// The number of the line, from 1.
    pub number: u64,
    /// Set if it has no end.
    pub is_unfinished: bool,
    /// The time.
    pub time: u64,
    /// The process.
    pub process: u32,
    /// Content of the line.
    pub item: Item<'l>,
    /// The key-values before it.
    pub keyvalues: &'l [KeyValue],
}

impl RecordFile {
    /// Opens a file, and goes to its first line.
    ///
    /// # Errors
    ///
    /// When it cannot be opened.
    pub fn open(path: &Path, section: Section) -> io::Result<RecordFile> {
        Ok(RecordFile::of(Lines::open(path)?, section))
    }

    /// The records of lines.
    pub(super) fn of(lines: Lines, section: Section) -> RecordFile {
        let state = if section.is_stateful() { State::Nothing } else { State::Whole(0, 0) };
        RecordFile {
            lines,
            section,
            state,
            line: 0..0,
            is_unfinished: false,
            keyvalues: Vec::new(),
            losses: Vec::new(),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.lines.path()
    }

    /// The number of the line, from 1.
    pub fn line(&self) -> u64 {
        self.lines.lines
    }

    /// The time that holds.
    pub fn time(&self) -> u64 {
        match self.state {
            State::Nothing => 0,
            State::Time(time) | State::Whole(time, _) => time,
        }
    }

    /// The process that holds.
    pub fn process(&self) -> u32 {
        match self.state {
            State::Whole(_, process) => process,
            _ => 0,
        }
    }

    /// Tells whether a time and a process line were found.
    pub fn has_state(&self) -> bool {
        matches!(self.state, State::Whole(..))
    }

    /// The key-values before the record.
    pub fn keyvalues(&self) -> &[KeyValue] {
        &self.keyvalues
    }

    /// Forgets the key-values, as after every line that is none.
    pub fn forget_keyvalues(&mut self) {
        self.keyvalues.clear();
    }

    /// Goes to the next line that is neither a time nor a process line. `false`: there is none.
    ///
    /// # Errors
    ///
    /// When the file cannot be read on.
    pub fn advance(&mut self) -> Result<bool, Loss> {
        loop {
            self.states();
            (self.line, self.is_unfinished) = match self.lines.line()? {
                Next::Lines(line) => (line, false),
                Next::Unfinished(line) => (line, true),
                Next::Lost(loss) => {
                    self.losses.push(loss);
                    if self.section.is_stateful() {
                        self.state = State::Nothing;
                    }
                    self.keyvalues.clear();
                    continue;
                }
                Next::End => return Ok(false),
            };
            if self.is_unfinished {
                return Ok(self.has_state());
            }
            let mut cursor = Cursor::new(self.lines.text(self.line.clone()));
            cursor.blanks();
            if cursor.is_digit() {
                self.state.begin_time(cursor.number());
                continue;
            }
            if cursor.byte(b'*') {
                cursor.blanks();
                if cursor.is_digit() {
                    self.state.begin_process(cursor.number() as u32);
                    continue;
                }
            }
            if self.has_state() {
                return Ok(true);
            }
        }
    }

    /// Passes time and process lines that hold nothing else, as nearly all do.
    fn states(&mut self) {
        let held = self.lines.held();
        let (mut at, mut count) = (0, 0);
        loop {
            let is_process = held.get(at) == Some(&b'*');
            let begin = at + usize::from(is_process);
            let (number, end) = number_at(held, begin);
            if end == begin || held.get(end) != Some(&b'\n') {
                break;
            }
            match is_process {
                true => self.state.begin_process(number as u32),
                false => self.state.begin_time(number),
            }
            (at, count) = (end + 1, count + 1);
        }
        self.lines.took(at, count);
    }

    /// Hands the line to a visitor, and forgets the key-values that belong to it.
    pub fn visit(&mut self, stream: u32, visit: &mut dyn FnMut(Line<'_>)) {
        let (time, process) = (self.time(), self.process());
        let RecordFile { lines, section, line, is_unfinished, keyvalues, .. } = self;
        let (path, number, is_unfinished) = (lines.path(), lines.lines, *is_unfinished);
        let mut values = Values::new();
        let text = lines.text(line.clone());
        let item = item(text, *section, is_unfinished, keyvalues, &mut values);
        let is_key_value = matches!(item, Item::KeyValue);
        visit(Line { stream, path, number, is_unfinished, time, process, item, keyvalues });
        if !is_key_value {
            keyvalues.clear();
        }
    }
}

/// Takes a line apart.
fn item<'v, 'l: 'v>(
    text: &'l [u8],
    section: Section,
    is_unfinished: bool,
    keyvalues: &mut Vec<KeyValue>,
    values: &'v mut Values<'l>,
) -> Item<'v> {
    let mut cursor = Cursor::new(text);
    cursor.blanks();
    if is_unfinished {
        return Item::Unknown(text);
    }
    if cursor.rest().iter().all(|byte| byte.is_ascii_whitespace()) {
        return Item::Blank;
    }
    if keyvalues::is_key_value(&mut cursor) {
        return match keyvalues::add(keyvalues, &mut cursor) {
            Ok(()) => Item::KeyValue,
            Err(malformed) => Item::Malformed(malformed),
        };
    }
    let Some(record) = record::keyword(section, &mut cursor) else {
        return Item::Unknown(cursor.rest());
    };
    match record::fields(record, &mut cursor, values) {
        Ok(()) => Item::Record(record, values),
        Err(malformed) => Item::Malformed(malformed),
    }
}
