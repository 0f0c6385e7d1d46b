//! The records of one file, one after another.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::keyvalues::{self, KeyValue};
use super::lines::{behind_line, Lines, Next};
use super::record::{self, Cursor, Malformed, Record, Section, Value, Values};
use super::state::State;
use crate::Loss;

/// Reads a file record by record. It stands at a line, whose time and process are known.
pub struct RecordFile {
    path: PathBuf,
    lines: Lines,
    section: Section,
    state: State,
    block: Vec<u8>,
    /// The next line of the block, and that at which it stands.
    next: usize,
    line: Range<usize>,
    /// The record of the line with its function, if it is an event as most are.
    plain: Option<(Record, u32)>,
    /// Lines so far.
    number: u64,
    /// Set if the line has no end.
    is_unfinished: bool,
    keyvalues: Vec<KeyValue>,
    /// Losses so far.
    pub losses: Vec<Loss>,
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
        Ok(RecordFile::of(path, Lines::open(path)?, section))
    }

    /// The records of lines.
    pub(super) fn of(path: &Path, lines: Lines, section: Section) -> RecordFile {
        RecordFile {
            path: path.to_owned(),
            lines,
            section,
            state: first_state(section),
            block: Vec::new(),
            next: 0,
            line: 0..0,
            plain: None,
            number: 0,
            is_unfinished: false,
            keyvalues: Vec::new(),
            losses: Vec::new(),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number of the line, from 1.
    pub fn line(&self) -> u64 {
        self.number
    }

    /// The time that holds.
    pub fn time(&self) -> u64 {
        self.state.time()
    }

    /// The process that holds.
    pub fn process(&self) -> u32 {
        self.state.process()
    }

    /// Tells whether a time and a process line were found.
    pub fn has_state(&self) -> bool {
        self.state.is_whole()
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
            self.next = self.state.pass(&self.block, self.next, &mut self.number);
            if self.next < self.block.len() {
                let plain = match self.section {
                    Section::Events => record::plain_event(&self.block, self.next),
                    _ => None,
                };
                self.plain = plain.map(|(record, function, _)| (record, function));
                let end =
                    plain.map_or_else(|| behind_line(&self.block, self.next) - 1, |(.., end)| end);
                self.line = self.next..end;
                self.next = end + 1;
                self.number += 1;
                if self.has_state() {
                    return Ok(true);
                }
                continue;
            }
            (self.block, self.next) = (Vec::new(), 0);
            match self.lines.next().map_err(|error| Loss::of_system(&self.path, &error))? {
                Next::Lines(block) => (self.block, self.is_unfinished) = (block, false),
                Next::Unfinished(rest) => {
                    (self.line, self.next) = (0..rest.len(), rest.len());
                    (self.block, self.is_unfinished, self.plain) = (rest, true, None);
                    self.number += 1;
                    return Ok(self.has_state());
                }
                Next::Lost(what) => {
                    self.losses.push(Loss::of_line(&self.path, self.number + 1, what));
                    self.number += 1;
                    self.state = first_state(self.section);
                    self.keyvalues.clear();
                }
                Next::End => return Ok(false),
            }
        }
    }

    /// Hands the line to a visitor, and forgets the key-values that belong to it.
    pub fn visit(&mut self, stream: u32, visit: &mut dyn FnMut(Line<'_>)) {
        let (time, process) = (self.time(), self.process());
        let RecordFile { path, block, section, line, plain, is_unfinished, keyvalues, .. } = self;
        let (path, number, is_unfinished) = (path.as_path(), self.number, *is_unfinished);
        if let Some((record, function)) = *plain {
            let values = [function.into(), 0].map(Value::Number);
            let item = Item::Record(record, &values);
            visit(Line { stream, path, number, is_unfinished, time, process, item, keyvalues });
            return keyvalues.clear();
        }
        let mut values = Values::new();
        let text = &block[line.clone()];
        let item = item(text, *section, is_unfinished, keyvalues, &mut values);
        let is_key_value = matches!(item, Item::KeyValue);
        visit(Line { stream, path, number, is_unfinished, time, process, item, keyvalues });
        if !is_key_value {
            keyvalues.clear();
        }
    }
}

/// The state before the first line.
fn first_state(section: Section) -> State {
    if section.is_stateful() {
        State::default()
    } else {
        State::NONE_NEEDED
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
