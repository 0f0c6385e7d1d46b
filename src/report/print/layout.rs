//! Bytes in columns.

use std::io::{self, Write};
use std::rc::Rc;

use bstr::{BStr, ByteSlice};

/// Width of the column with the names of definitions.
pub(super) const DEFINITION_WIDTH: usize = 27;
/// Width of the column with the identifiers of definitions.
pub(super) const ID_WIDTH: usize = 12;
/// Width of the column with the names of events and snapshots.
pub(super) const EVENT_WIDTH: usize = 32;
/// Width of the column with the location of events.
pub(super) const LOCATION_WIDTH: usize = 15;
/// Width of the column with the times of events.
pub(super) const TIME_WIDTH: usize = 20;
/// Column in which the fields of an event begin.
pub(super) const EVENT_FIELDS: usize = EVENT_WIDTH + 1 + LOCATION_WIDTH + 1 + TIME_WIDTH + 2;
/// The line under the headings of columns.
pub(super) const RULE: &str =
    "--------------------------------------------------------------------------------\n";

const SPACES: &[u8] = &[b' '; 128];

/// Bytes that are appended to, without the formatting machinery of the standard library.
///
/// Long names may stand in it by reference: a string of the trace can be the name of any number of
/// definitions, and a line can show any number of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    bytes: Vec<u8>,
    /// Shared byte strings between the bytes, each with the number of bytes ahead of it.
    shared: Vec<(usize, Slice)>,
}

/// The end of a byte string that others have, too.
#[derive(Clone, Debug)]
struct Slice {
    bytes: Rc<[u8]>,
    from: usize,
}

impl Slice {
    fn bytes(&self) -> &[u8] {
        &self.bytes[self.from..]
    }
}

/// Longest text that is copied rather than shared.
const SHORT: usize = 256;

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Text { bytes: text.into(), shared: Vec::new() }
    }
}

impl Text {
    /// These bytes, which clones and what they are put into share if they are long.
    pub(super) fn shared(bytes: &[u8]) -> Self {
        let mut text = Text::default();
        if bytes.len() <= SHORT {
            text.push(bytes);
        } else {
            text.shared.push((0, Slice { bytes: bytes.into(), from: 0 }));
        }
        text
    }

    #[inline]
    pub(super) fn push_text(&mut self, text: &Text) {
        let before = self.bytes.len();
        self.push(&text.bytes);
        if !text.shared.is_empty() {
            let shared = text.shared.iter().cloned();
            self.shared.extend(shared.map(|(at, slice)| (before + at, slice)));
        }
    }

    /// Without so many of the bytes at its start and at its end, which have to be its own.
    pub(super) fn without_ends(&self, start: usize, end: usize) -> Text {
        let shared = self.shared.iter().map(|(at, slice)| (at - start, slice.clone()));
        Text { bytes: self.bytes[start..self.bytes.len() - end].to_vec(), shared: shared.collect() }
    }

    /// Returns the text after the last such byte; all of it if there is none.
    pub(super) fn after_last(&self, byte: u8) -> Text {
        let mut end = self.bytes.len();
        for (index, (at, slice)) in self.shared.iter().enumerate().rev() {
            if let Some(found) = self.bytes[*at..end].rfind_byte(byte) {
                return self.after(at + found + 1, index + 1);
            }
            if let Some(found) = slice.bytes().rfind_byte(byte) {
                let from = slice.from + found + 1;
                let mut text = Text::default();
                if slice.bytes.len() - from <= SHORT {
                    text.push(&slice.bytes[from..]);
                } else {
                    text.shared.push((0, Slice { from, ..slice.clone() }));
                }
                text.push_text(&self.after(*at, index + 1));
                return text;
            }
            end = *at;
        }
        let found = self.bytes[..end].rfind_byte(byte);
        found.map_or_else(|| self.clone(), |found| self.after(found + 1, 0))
    }

    /// From this byte and this shared piece on.
    fn after(&self, start: usize, shared: usize) -> Text {
        let shared = self.shared[shared..].iter().map(|(at, slice)| (at - start, slice.clone()));
        Text { bytes: self.bytes[start..].to_vec(), shared: shared.collect() }
    }

    /// Gives back memory that is not needed.
    pub(super) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.shared.shrink_to_fit();
    }

    #[inline]
    pub(super) fn push(&mut self, bytes: impl AsRef<[u8]>) {
        self.bytes.extend_from_slice(bytes.as_ref());
    }

    #[inline]
    pub(super) fn spaces(&mut self, count: usize) {
        match SPACES.get(..count) {
            Some(spaces) => self.bytes.extend_from_slice(spaces),
            None => self.bytes.resize(self.bytes.len() + count, b' '),
        }
    }

    /// Filled up with spaces on the right.
    #[inline]
    pub(super) fn left(&mut self, bytes: impl AsRef<[u8]>, width: usize) {
        let bytes = bytes.as_ref();
        self.push(bytes);
        self.spaces(width.saturating_sub(bytes.len()));
    }

    /// Filled up with spaces on the left.
    #[inline]
    pub(super) fn right(&mut self, bytes: impl AsRef<[u8]>, width: usize) {
        let bytes = bytes.as_ref();
        self.spaces(width.saturating_sub(bytes.len()));
        self.push(bytes);
    }

    #[inline]
    pub(super) fn number(&mut self, number: impl itoa::Integer) {
        self.push(itoa::Buffer::new().format(number));
    }

    #[inline]
    pub(super) fn right_number(&mut self, number: impl itoa::Integer, width: usize) {
        self.right(itoa::Buffer::new().format(number), width);
    }

    /// The columns of an event: its kind on the left, location and time on the right of theirs.
    #[inline(always)]
    pub(super) fn event_columns(&mut self, kind: &str, location: u64, time: u64) {
        const LOCATION_END: usize = EVENT_WIDTH + 1 + LOCATION_WIDTH;
        const TIME_END: usize = LOCATION_END + 1 + TIME_WIDTH;
        const TOO_LONG: u64 = 10u64.pow(LOCATION_WIDTH as u32);
        if kind.len() <= EVENT_WIDTH && location < TOO_LONG {
            // A blank of a size that the compiler knows, and the words put into it.
            let mut columns = [b' '; EVENT_FIELDS];
            columns[..kind.len()].copy_from_slice(kind.as_bytes());
            digits_up_to(&mut columns, LOCATION_END, location);
            digits_up_to(&mut columns, TIME_END, time);
            self.push(columns);
        } else {
            self.wide_event_columns(kind, location, itoa::Buffer::new().format(time));
        }
    }

    /// As [`Text::event_columns`], where a column may have to grow, or the time is no number.
    pub(super) fn wide_event_columns(&mut self, kind: &str, location: u64, time: &str) {
        self.left(kind, EVENT_WIDTH);
        self.push(" ");
        self.right_number(location, LOCATION_WIDTH);
        self.push(" ");
        self.right(time, TIME_WIDTH);
        self.push("  ");
    }

    /// `UNDEFINED` for the largest number.
    #[inline]
    pub(super) fn id(&mut self, id: u64) {
        if id == u64::MAX {
            self.push("UNDEFINED");
        } else {
            self.number(id);
        }
    }

    /// For a number that should have meant something.
    pub(super) fn invalid(&mut self, what: &str, number: u64) {
        self.push(what);
        self.push(" <");
        self.number(number);
        self.push(">");
    }

    /// Formatting of what is rare.
    pub(super) fn format(&mut self, arguments: std::fmt::Arguments<'_>) {
        let written = self.bytes.write_fmt(arguments);
        debug_assert!(written.is_ok(), "memory takes everything");
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.shared.is_empty()
    }

    /// How many bytes of its own it has.
    #[inline]
    pub(super) fn own_len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.shared.clear();
    }

    pub(super) fn write_to(&self, sink: &mut impl Write) -> io::Result<()> {
        let mut written = 0;
        for (at, slice) in &self.shared {
            sink.write_all(&self.bytes[written..*at])?;
            sink.write_all(slice.bytes())?;
            written = *at;
        }
        sink.write_all(&self.bytes[written..])
    }

    /// The bytes in one piece.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        if self.shared.is_empty() {
            return self.bytes;
        }
        let mut bytes = Vec::new();
        let written = self.write_to(&mut bytes);
        debug_assert!(written.is_ok(), "memory takes everything");
        bytes
    }
}

/// The numbers up to 99 with two digits each.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
};

/// Writes a number so that it ends ahead of the place `end`. There has to be room for it.
#[inline(always)]
fn digits_up_to(room: &mut [u8; EVENT_FIELDS], end: usize, mut number: u64) {
    let mut at = end;
    while number >= 10 {
        at -= 2;
        room[at..at + 2].copy_from_slice(&PAIRS[(number % 100) as usize]);
        number /= 100;
    }
    if number > 0 || at == end {
        room[at - 1] = b'0' + number as u8;
    }
}

/// Receiver of warnings about definitions.
pub(super) type Warn<'a> = dyn FnMut(&BStr) + 'a;

/// Tells one thing; the text does not outlive that, as there may be one for each member of a group.
pub(super) fn tell(warn: &mut Warn<'_>, write: impl FnOnce(&mut Text)) {
    let mut text = Text::default();
    write(&mut text);
    warn(BStr::new(&text.into_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut Text)) -> String {
        let mut text = Text::default();
        write(&mut text);
        String::from_utf8(text.into_bytes()).unwrap()
    }

    #[test]
    fn columns_are_filled_up_and_never_cut() {
        assert_eq!(text(|t| t.left("ENTER", 8)), "ENTER   ");
        assert_eq!(text(|t| t.left("NON_BLOCKING", 8)), "NON_BLOCKING");
        assert_eq!(text(|t| t.right_number(17u64, 5)), "   17");
        assert_eq!(text(|t| t.right_number(123456u64, 5)), "123456");
        assert_eq!(text(|t| t.spaces(300)).len(), 300);
    }

    #[test]
    fn events_stand_in_columns_that_grow_where_they_must() {
        assert_eq!(
            text(|t| t.wide_event_columns("ENTER", 17, "-4")),
            format!("{:32} {:>15} {:>20}  ", "ENTER", "17", "-4")
        );
        let of_all_lengths = |digit: u64| (0..20).map(move |n| digit * (10u64.pow(n) / 9).max(1));
        for number in [0, 10, 99, 100, 101, u64::MAX].into_iter().chain(of_all_lengths(1)) {
            for other in of_all_lengths(1).chain([0, u64::MAX]) {
                assert_eq!(
                    text(|t| t.event_columns("ENTER", number, other)),
                    format!("{:32} {number:>15} {other:>20}  ", "ENTER")
                );
            }
        }
    }

    #[test]
    fn the_largest_identifier_stands_for_none() {
        assert_eq!(text(|t| t.id(u64::MAX)), "UNDEFINED");
        assert_eq!(text(|t| t.id(u64::MAX - 1)), "18446744073709551614");
    }

    /// Names in the shape of those of source code locations.
    #[test]
    fn long_names_are_shared_and_read_as_if_they_were_not() {
        let long = |fill: &str, end: &str| fill.repeat(300) + end;
        for file in ["a.c", "/b/a.c", &long("/x", "/"), &long("x", "/a.c"), &long("y", "")] {
            for line in [":1", ":/2", ""] {
                let mut text = Text::from("<");
                text.push_text(&Text::shared(file.as_bytes()));
                text.push(line);
                text.push(">");
                let whole = format!("<{file}{line}>");
                assert_eq!(text.clone().into_bytes().as_bstr(), whole);
                let inner = text.without_ends(1, 1).into_bytes();
                assert_eq!(inner.as_bstr(), &whole[1..whole.len() - 1]);
                let last = whole.rsplit('/').next().unwrap();
                assert_eq!(text.after_last(b'/').into_bytes().as_bstr(), last);
                assert_eq!(text.shared.is_empty(), file.len() <= SHORT);
            }
        }
    }
}
