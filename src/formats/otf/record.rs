//! Lines of records, taken apart: keywords and fields.

use std::fmt;

use smallvec::SmallVec;

pub use super::generated::Record;
pub(super) use super::kind::field;
pub use super::kind::{Field, FieldType, Presence, RecordKind, Section};
use crate::text::{hex_at, hex_digit};

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'l> {
    /// A number; 0 where it is left out.
    Number(u64),
    /// A text; `None` where there is none.
    Text(Option<&'l [u8]>),
    /// A list of numbers.
    List(Vec<u32>),
    /// Major, minor, sub.
    Version([u8; 3]),
}

/// No record has more fields.
const MOST_FIELDS: usize = 8;

/// The values of a record, one for each field.
pub type Values<'l> = SmallVec<[Value<'l>; MOST_FIELDS]>;

impl Value<'_> {
    /// The number; 0 for anything else.
    pub fn number(&self) -> u64 {
        match self {
            Value::Number(number) => *number,
            _ => 0,
        }
    }

    /// The lowest 32 bits of the number.
    pub fn token(&self) -> u32 {
        self.number() as u32
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&[u8]> {
        match self {
            Value::Text(text) => *text,
            _ => None,
        }
    }

    /// The numbers; none for anything else.
    pub fn list(&self) -> &[u32] {
        match self {
            Value::List(list) => list,
            _ => &[],
        }
    }
}

/// A fault of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The name of the record.
    pub record: &'static str,
    /// The expected item.
    pub expected: String,
    /// The start of the text that stands there instead.
    pub found: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Malformed { expected, found, .. } = self;
        match found.is_empty() {
            true => write!(f, "{expected} is missing"),
            false => write!(f, "{expected} is expected, not \"{found}\""),
        }
    }
}

/// A place in a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'l> {
    line: &'l [u8],
    at: usize,
}

impl<'l> Cursor<'l> {
    /// The begin of a line, which has no end of line.
    pub(super) fn new(line: &'l [u8]) -> Self {
        Cursor { line, at: 0 }
    }

    /// The rest of the line.
    pub(super) fn rest(&self) -> &'l [u8] {
        &self.line[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    /// Passes blanks.
    pub(super) fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    /// Passes a byte, if it is there.
    pub(super) fn byte(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    /// The capitals that follow.
    pub(super) fn capitals(&self) -> &'l [u8] {
        let rest = self.rest();
        let end = rest.iter().position(|byte| !byte.is_ascii_uppercase());
        &rest[..end.unwrap_or(rest.len())]
    }

    /// Goes on by so many bytes.
    pub(super) fn advance(&mut self, count: usize) {
        self.at += count;
    }

    /// Tells whether a digit follows.
    pub(super) fn is_digit(&self) -> bool {
        self.peek().is_some_and(|byte| hex_digit(byte).is_some())
    }

    /// A number after blanks; 0 where there is none. Of too many digits the last ones count.
    pub(super) fn number(&mut self) -> u64 {
        self.blanks();
        let number;
        (number, self.at) = hex_at(self.line, self.at);
        number
    }

    /// A text between quotes after blanks.
    pub(super) fn text(&mut self) -> Option<&'l [u8]> {
        self.blanks();
        let rest = self.rest().strip_prefix(b"\"")?;
        let end = memchr::memchr(b'"', rest)?;
        self.at += end + 2;
        Some(&rest[..end])
    }

    /// Numbers with commas behind them: as many as commas in the run of digits, blanks and commas.
    fn list(&mut self) -> Vec<u32> {
        let rest = self.rest();
        let is_part = |byte: &u8| matches!(byte, b' ' | b'\t' | b',') || hex_digit(*byte).is_some();
        let end = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        let count = memchr::memchr_iter(b',', &rest[..end]).count();
        let mut numbers = Vec::with_capacity(count);
        for _ in 0..count {
            numbers.push(self.number() as u32);
            self.blanks();
            // Digits after a blank belong to no number.
            while self.peek().is_some_and(|byte| byte != b',') && self.at < self.line.len() {
                self.at += 1;
            }
            self.byte(b',');
        }
        numbers
    }

    /// Passes the keyword of a field, in any spelling. `next` is the field after it, whose keyword may touch that
    /// of an empty list.
    fn keyword(&mut self, field: &Field, next: Option<&Field>) -> bool {
        if field.short.is_empty() {
            return true;
        }
        let before = self.at;
        self.blanks();
        let run = self.capitals();
        // Nearly always the short one, of one letter.
        if let ([letter], [short]) = (run, field.short.as_bytes()) {
            if letter == short {
                self.at += 1;
                return true;
            }
        }
        let spellings = || [field.short, field.long].into_iter().chain(field.older.iter().copied());
        if let Some(word) = spellings().find(|word| word.as_bytes() == run) {
            self.advance(word.len());
            return true;
        }
        if field.field_type == FieldType::List {
            let touches = |word: &str| {
                let behind = run.strip_prefix(word.as_bytes());
                let next = next.into_iter().flat_map(|next| {
                    [next.short, next.long].into_iter().chain(next.older.iter().copied())
                });
                behind.is_some_and(|behind| next.into_iter().any(|it| it.as_bytes() == behind))
            };
            if let Some(word) = spellings().find(|word| touches(word)) {
                self.advance(word.len());
                return true;
            }
        }
        self.at = before;
        false
    }
}

/// The keyword of a record after blanks, with the prefix of its section. `None`: it is in no table. The place is
/// then behind what was recognised.
pub(super) fn keyword(section: Section, cursor: &mut Cursor<'_>) -> Option<Record> {
    cursor.blanks();
    if section == Section::Events && cursor.peek() == Some(b'#') {
        cursor.advance(1);
        let run = cursor.capitals();
        let is_known = run.is_empty() || run == b"EVTCOMMENT";
        cursor.advance(if is_known { run.len() } else { 0 });
        return is_known.then_some(Record::EventComment);
    }
    let run = cursor.capitals();
    let begin = *cursor;
    for prefix in section.prefixes() {
        // To compare with an empty text costs as much as all else of a line: some processors are slow to read nothing.
        let word = if prefix.is_empty() { Some(run) } else { run.strip_prefix(prefix.as_bytes()) };
        let Some(word) = word else { continue };
        if let Some(record) = Record::of_keyword(section, word) {
            cursor.advance(run.len());
            return Some(record);
        }
    }
    // A snapshot may stand among events.
    if section == Section::Events {
        if let Some(record) =
            run.strip_prefix(b"T").and_then(|word| Record::of_keyword(Section::Snapshots, word))
        {
            cursor.advance(run.len());
            return Some(record);
        }
        cursor.advance(usize::from(run.starts_with(b"T")));
        return None;
    }
    let prefix =
        section.prefixes().into_iter().find(|prefix| begin.rest().starts_with(prefix.as_bytes()));
    cursor.advance(prefix.map_or(0, str::len));
    None
}

/// Takes an event as most are: the enter or leave of a function, and nothing else in its line. Returns the function, and
/// the end of the line, of a text that ends with the end of a line.
#[inline]
pub(super) fn plain_event(text: &[u8], at: usize) -> Option<(Record, u32, usize)> {
    let record = match text[at] {
        b'E' => Record::Enter,
        b'L' => Record::Leave,
        _ => return None,
    };
    let (function, end) = hex_at(text, at + 1);
    let is_there = end > at + 1 || record == Record::Leave;
    (text[end] == b'\n' && is_there).then_some((record, function as u32, end))
}

/// Takes the fields of a record out of its line, behind the keyword.
///
/// # Errors
///
/// When a keyword or a text is missing, or something stands where an optional field may follow.
pub(super) fn fields<'l>(
    record: Record,
    cursor: &mut Cursor<'l>,
    values: &mut Values<'l>,
) -> Result<(), Malformed> {
    let kind = record.kind();
    values.clear();
    let mut found = Numbers::default();
    if numbers(kind, cursor.rest(), &mut found) {
        values.extend(found[..kind.fields.len()].iter().map(|number| Value::Number(*number)));
        return Ok(());
    }
    let malformed = |expected: String, cursor: &Cursor<'_>| Malformed {
        record: kind.name,
        expected,
        found: begin_of(cursor.rest()),
    };
    // Set if the last field may follow, and does not.
    let mut is_open = false;
    for (place, field) in kind.fields.iter().enumerate() {
        let is_optional = field.presence != Presence::Always;
        let is_first = field.short.is_empty();
        let is_there = match is_first && is_optional {
            // The function of a leave.
            true => {
                cursor.blanks();
                cursor.is_digit()
            }
            false => cursor.keyword(field, kind.fields.get(place + 1)),
        };
        is_open = is_optional && !is_there;
        if !is_there {
            // For marks missing keywords are tolerated, as by the reference.
            if !is_optional && kind.section != Section::Markers {
                let Field { short, long, name, .. } = field;
                return Err(malformed(format!("{long} or {short} ({name})"), cursor));
            }
            if is_optional {
                values.push(match field.field_type {
                    FieldType::Text => Value::Text(None),
                    _ => Value::Number(0),
                });
                continue;
            }
        }
        values.push(match field.field_type {
            FieldType::U32 => Value::Number(cursor.number() & u64::from(u32::MAX)),
            FieldType::U64 => Value::Number(cursor.number()),
            FieldType::List => Value::List(cursor.list()),
            FieldType::Version => {
                let mut version = [0; 3];
                for (place, part) in version.iter_mut().enumerate() {
                    if place > 0 {
                        cursor.byte(b'.');
                    }
                    *part = cursor.number() as u8;
                }
                Value::Version(version)
            }
            FieldType::Text => match cursor.text() {
                Some(text) => Value::Text(Some(text)),
                // Free text may be missing.
                None if matches!(field.name, "comment" | "creator" | "suffix") => Value::Text(None),
                None => {
                    return Err(malformed(format!("a text in quotes ({})", field.name), cursor));
                }
            },
        });
    }
    // If an optional field may follow, nothing else may. The reference is lenient behind the name of a process.
    let is_lenient = record == Record::DefProcess && values.get(1) != Some(&Value::Text(None));
    let ends_optionally = is_open && !is_lenient;
    if ends_optionally {
        let mut behind = *cursor;
        while matches!(behind.peek(), Some(b' ' | b'\t' | b'\r')) {
            behind.advance(1);
        }
        if !behind.rest().is_empty() {
            return Err(malformed("the end of the line".to_owned(), &behind));
        }
    }
    Ok(())
}

/// The numbers of a record, one for each field, with zeros behind them.
pub(super) type Numbers = [u64; MOST_FIELDS];

/// Takes the fields as numbers, as [`fields`] does; what is none is 0.
///
/// # Errors
///
/// Those of [`fields`].
pub(super) fn fields_as_numbers(
    record: Record,
    cursor: &mut Cursor<'_>,
) -> Result<Numbers, Malformed> {
    let mut found = Numbers::default();
    if !numbers(record.kind(), cursor.rest(), &mut found) {
        let mut values = Values::new();
        fields(record, cursor, &mut values)?;
        found = Numbers::default();
        found.iter_mut().zip(&values).for_each(|(number, value)| *number = value.number());
    }
    Ok(found)
}

/// Takes the fields of a line as nearly all are: numbers, each behind its short keyword, up to the end. `false`: the
/// line is not such a one.
#[inline]
fn numbers(kind: &RecordKind, rest: &[u8], found: &mut Numbers) -> bool {
    let mut at = 0;
    for (field, found) in kind.fields.iter().zip(found) {
        let behind = match (field.short.as_bytes(), &rest[at..]) {
            ([], [_, ..]) => at,
            ([letter], [first, ..]) if letter == first => at + 1,
            ([letter, other], [first, second, ..]) if letter == first && other == second => at + 2,
            (_, []) if field.presence != Presence::Always => {
                *found = 0;
                continue;
            }
            _ => return false,
        };
        let number;
        (number, at) = hex_at(rest, behind);
        if at == behind {
            return false;
        }
        *found = match field.field_type {
            FieldType::U32 => number & u64::from(u32::MAX),
            FieldType::U64 => number,
            _ => return false,
        };
    }
    at == rest.len()
}

/// The begin of a text, for messages.
pub fn begin_of(text: &[u8]) -> String {
    const SHOWN: usize = 40;
    let shown = &text[..text.len().min(SHOWN)];
    let dots = if text.len() > SHOWN { "..." } else { "" };
    format!("{}{dots}", String::from_utf8_lossy(shown).escape_debug())
}
