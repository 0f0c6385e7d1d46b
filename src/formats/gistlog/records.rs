//! The records of a log, one after another, and what is wrong with some.

use std::collections::HashSet;
use std::sync::Arc;

use bstr::ByteSlice;
use foldhash::fast::RandomState;

use super::head::Processors;
use super::text::{ends_word, is_space, At, Token, Tokens, LONGEST};
use crate::text::{any_hex_at, decimal, decimal_at, hexadecimal};
use crate::Loss;

/// Processors whose records are wanted.
pub(super) type Wanted = HashSet<u32, RandomState>;

/// A record. Its counters, one value for each, lie beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub processor: u32,
    pub event: u32,
    /// In time units.
    pub time: u64,
    /// The line, from 1.
    pub line: u64,
    /// Its length in bytes.
    pub length: usize,
}

/// A block that is to be read.
pub(super) struct Work {
    pub text: Vec<u8>,
    pub shape: Shape,
    /// `None`: records of all processors are wanted.
    pub wanted: Option<Arc<Wanted>>,
}

/// The records that a block begins with, up to the first word that is none.
pub(super) struct Records {
    pub text: Vec<u8>,
    /// Lines count from 0 there.
    records: Vec<Record>,
    counters: Vec<u64>,
    /// Counters of each record.
    count: usize,
    /// Bytes that were read, and line ends in them.
    pub end: usize,
    pub lines: u64,
    /// The line with which the block begins.
    pub first_line: u64,
}

impl Records {
    /// The records with their counters.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Record, &[u64])> {
        self.records.iter().enumerate().map(|(at, record)| {
            let line = self.first_line + record.line;
            let counters = &self.counters[at * self.count..(at + 1) * self.count];
            (Record { line, ..*record }, counters)
        })
    }
}

impl Work {
    /// Reads the records.
    pub(super) fn read(self) -> Records {
        let Work { text, shape, wanted } = self;
        let is_wanted =
            |processor: u32| wanted.as_ref().is_none_or(|wanted| wanted.contains(&processor));
        let (mut records, mut counters) = (Vec::new(), Vec::new());
        let (mut end, mut lines) = (0, 0);
        loop {
            while let Some(byte) = text.get(end).filter(|byte| is_space(**byte)) {
                lines += u64::from(*byte == b'\n');
                end += 1;
            }
            let taken = shape.take(&text, end, &mut counters, is_wanted);
            let Some((record, behind)) = taken else { break };
            if let Some(record) = record {
                records.push(Record { line: lines, length: behind - end, ..record });
            }
            end = behind;
        }
        let count = shape.counters;
        Records { text, records, counters, count, end, lines, first_line: 0 }
    }
}

/// Next item of a log.
pub(super) enum Next {
    /// A record.
    Record(Record),
    /// A record of a processor that is not wanted.
    Passed,
    /// Something that is no record.
    Rejected(At, Rejected),
    /// `foot`
    Foot(At),
    /// The file ends without a footer.
    End,
}

/// Why something is no record.
pub(super) struct Rejected {
    pub code: &'static str,
    pub what: String,
    /// The processor, where that can be read: records before and after it are not adjacent.
    pub processor: Option<u32>,
}

/// Form of the records.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub counters: usize,
    pub processors: Processors,
    /// The length of the first record in bytes, as soon as that is known.
    pub width: Option<usize>,
}

impl Shape {
    /// Takes a record at a place of a text, with its counters, and returns the place behind it. No record: its
    /// processor is not wanted. `None`: it may be none, or go on behind the text.
    fn take(
        self,
        text: &[u8],
        begin: usize,
        counters: &mut Vec<u64>,
        wanted: impl Fn(u32) -> bool + Copy,
    ) -> Option<(Option<Record>, usize)> {
        let before = counters.len();
        let plain = |counters: &mut Vec<u64>| {
            let field = |at: usize| {
                let (number, end) = any_hex_at(text, at);
                ((1..=16).contains(&(end - at))).then_some((number, end))
            };
            let (processor, at) = match self.processors {
                Processors::Hexadecimal => field(begin)?,
                Processors::Decimal => decimal_at(text, begin)?,
            };
            let processor = u32::try_from(processor).ok()?;
            if text.get(at) != Some(&b':') {
                return None;
            }
            if !wanted(processor) {
                let end = text[at..].iter().position(|byte| ends_word(*byte))?;
                return Some((None, at + end));
            }
            let (event, at) = decimal_at(text, at + 1)?;
            let event = u32::try_from(event).ok()?;
            if text.get(at) != Some(&b':') {
                return None;
            }
            let (time, mut at) = field(at + 1)?;
            for _ in 0..self.counters {
                if text.get(at) != Some(&b':') {
                    return None;
                }
                let counter;
                (counter, at) = field(at + 1)?;
                counters.push(counter);
            }
            let record = Record { processor, event, time, line: 0, length: 0 };
            text.get(at).is_some_and(|byte| is_space(*byte)).then_some((Some(record), at))
        };
        if let Some(found) = plain(counters).filter(|(_, end)| end - begin <= LONGEST) {
            return Some(found);
        }
        counters.truncate(before);
        let length = text[begin..].iter().position(|byte| ends_word(*byte))?;
        let word = &text[begin..begin + length];
        let parsed = self.parse(word, counters, wanted).ok().filter(|_| length <= LONGEST);
        if parsed.is_none() {
            counters.truncate(before);
        }
        parsed.map(|record| (record, begin + length))
    }

    /// Reads the next record, if its processor is wanted, and its counters.
    pub(super) fn next(
        self,
        tokens: &mut Tokens,
        counters: &mut Vec<u64>,
        wanted: impl Fn(u32) -> bool,
    ) -> Result<Next, Loss> {
        let Some((at, token)) = tokens.next()? else { return Ok(Next::End) };
        let word = match token {
            Token::Word(b"foot") => return Ok(Next::Foot(at)),
            Token::Word(word) => word,
            Token::TooLong => {
                let what = "the record has more than 64 KiB".to_owned();
                return Ok(Next::Rejected(at, Rejected { code: "E05", what, processor: None }));
            }
            _ => {
                let what = "expected a record, found a brace or a text".to_owned();
                return Ok(Next::Rejected(at, Rejected { code: "E05", what, processor: None }));
            }
        };
        let length = word.len();
        counters.clear();
        let parsed = match self.width {
            // Digits may be missing.
            Some(width) if at.ends_file && width != length => {
                Err(("E09", "the file ends in this record".to_owned()))
            }
            _ => self.parse(word, counters, wanted),
        };
        match parsed {
            Ok(Some(record)) => Ok(Next::Record(Record { line: at.line, length, ..record })),
            Ok(None) => Ok(Next::Passed),
            Err((code, what)) => {
                let first = word.split(|byte| *byte == b':').next().unwrap_or_default();
                let has_more = first.len() < word.len();
                let processor = has_more.then(|| self.processor(first).ok()).flatten();
                Ok(Next::Rejected(at, Rejected { code, what, processor }))
            }
        }
    }

    fn processor(self, field: &[u8]) -> Result<u32, (&'static str, String)> {
        let base = match self.processors {
            Processors::Hexadecimal => 16,
            Processors::Decimal => 10,
        };
        let value = value(field, base, "the processor")?;
        u32::try_from(value).map_err(|_| too_large(field, "the processor", 32))
    }

    fn parse(
        self,
        word: &[u8],
        counters: &mut Vec<u64>,
        wanted: impl Fn(u32) -> bool,
    ) -> Result<Option<Record>, (&'static str, String)> {
        let mut fields = word.split(|byte| *byte == b':');
        let first = fields.next().unwrap_or_default();
        if let Ok(processor) = self.processor(first) {
            if !wanted(processor) {
                return Ok(None);
            }
        }
        let (count, expected) =
            (1 + word.iter().filter(|byte| **byte == b':').count(), 3 + self.counters);
        if count != expected {
            let fields = if count == 1 { "field" } else { "fields" };
            return Err(("E05", format!("expected {expected} fields, found {count} {fields}")));
        }
        let processor = self.processor(first)?;
        let event = fields.next().unwrap_or_default();
        let event = u32::try_from(value(event, 10, "the event")?)
            .map_err(|_| too_large(event, "the event", 32))?;
        let time = value(fields.next().unwrap_or_default(), 16, "the time")?;
        for field in fields {
            counters.push(value(field, 16, "a counter")?);
        }
        Ok(Some(Record { processor, event, time, ..Record::default() }))
    }
}

fn value(field: &[u8], base: u32, of: &str) -> Result<u64, (&'static str, String)> {
    let number = if base == 16 { hexadecimal(field) } else { decimal(field) };
    number.ok_or_else(|| {
        let is_number = !field.is_empty() && field.iter().all(|b| char::from(*b).is_digit(base));
        if is_number {
            return too_large(field, of, 64);
        }
        let base = if base == 16 { "hexadecimal" } else { "decimal" };
        ("E06", format!("expected a {base} number for {of}, found {:?}", field.as_bstr()))
    })
}

fn too_large(field: &[u8], of: &str, bits: u32) -> (&'static str, String) {
    ("E08", format!("{of} is {}: it has to be below 2^{bits}", field.as_bstr()))
}
