//! The records of a log, one after another, and what is wrong with some.

use bstr::ByteSlice;

use super::head::{number, Processors};
use super::text::{At, Token, Tokens};
use crate::Loss;

/// A record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub processor: u32,
    pub event: u32,
    /// In time units.
    pub time: u64,
    /// One value for each counter.
    pub counters: Vec<u64>,
}

/// Next item of a log.
pub(super) enum Next {
    /// A record, with its length in bytes.
    Record(At, usize),
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
    /// Reads the next record into `into`, if its processor is wanted.
    pub(super) fn next(
        self,
        tokens: &mut Tokens,
        into: &mut Record,
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
        let parsed = match self.width {
            // Digits may be missing.
            Some(width) if at.ends_file && width != length => {
                Err(("E09", "the file ends in this record".to_owned()))
            }
            _ => self.parse(word, into, wanted),
        };
        match parsed {
            Ok(true) => Ok(Next::Record(at, length)),
            Ok(false) => Ok(Next::Passed),
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
        into: &mut Record,
        wanted: impl Fn(u32) -> bool,
    ) -> Result<bool, (&'static str, String)> {
        let mut fields = word.split(|byte| *byte == b':');
        let first = fields.next().unwrap_or_default();
        if let Ok(processor) = self.processor(first) {
            if !wanted(processor) {
                return Ok(false);
            }
        }
        let (count, expected) =
            (1 + word.iter().filter(|byte| **byte == b':').count(), 3 + self.counters);
        if count != expected {
            let fields = if count == 1 { "field" } else { "fields" };
            return Err(("E05", format!("expected {expected} fields, found {count} {fields}")));
        }
        into.processor = self.processor(first)?;
        let event = fields.next().unwrap_or_default();
        into.event = u32::try_from(value(event, 10, "the event")?)
            .map_err(|_| too_large(event, "the event", 32))?;
        into.time = value(fields.next().unwrap_or_default(), 16, "the time")?;
        into.counters.clear();
        for field in fields {
            into.counters.push(value(field, 16, "a counter")?);
        }
        Ok(true)
    }
}

fn value(field: &[u8], base: u32, of: &str) -> Result<u64, (&'static str, String)> {
    number(field, base).ok_or_else(|| {
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
