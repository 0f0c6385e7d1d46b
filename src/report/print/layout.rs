//! Bytes in columns, and the way out for them.

use std::io::{self, Write};

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
/// Where the columns of an event end and its fields begin.
pub(super) const EVENT_FIELDS: usize = EVENT_WIDTH + 1 + LOCATION_WIDTH + 1 + TIME_WIDTH + 2;
/// The line under the headings of columns.
pub(super) const RULE: &str =
    "--------------------------------------------------------------------------------\n";

const SPACES: &[u8] = &[b' '; 128];

/// Bytes that are appended to, without the formatting machinery of the standard library.
#[derive(Clone, Debug, Default)]
pub(super) struct Text(Vec<u8>);

impl Text {
    #[inline]
    pub fn push(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.extend_from_slice(bytes.as_ref());
    }

    #[inline]
    pub fn spaces(&mut self, count: usize) {
        match SPACES.get(..count) {
            Some(spaces) => self.0.extend_from_slice(spaces),
            None => self.0.resize(self.0.len() + count, b' '),
        }
    }

    /// Filled up with spaces on the right.
    #[inline]
    pub fn left(&mut self, bytes: impl AsRef<[u8]>, width: usize) {
        let bytes = bytes.as_ref();
        self.push(bytes);
        self.spaces(width.saturating_sub(bytes.len()));
    }

    /// Filled up with spaces on the left.
    #[inline]
    pub fn right(&mut self, bytes: impl AsRef<[u8]>, width: usize) {
        let bytes = bytes.as_ref();
        self.spaces(width.saturating_sub(bytes.len()));
        self.push(bytes);
    }

    #[inline]
    pub fn number(&mut self, number: impl itoa::Integer) {
        self.push(itoa::Buffer::new().format(number));
    }

    #[inline]
    pub fn right_number(&mut self, number: impl itoa::Integer, width: usize) {
        self.right(itoa::Buffer::new().format(number), width);
    }

    /// The columns of an event: its kind on the left, location and time on the right of theirs.
    #[inline]
    pub fn event_columns(&mut self, kind: &str, location: &[u8], time: &[u8]) {
        const LOCATION_END: usize = EVENT_WIDTH + 1 + LOCATION_WIDTH;
        const TIME_END: usize = LOCATION_END + 1 + TIME_WIDTH;
        let fit = kind.len() <= EVENT_WIDTH
            && location.len() <= LOCATION_WIDTH
            && time.len() <= TIME_WIDTH;
        if fit {
            // A blank of a size that the compiler knows, and the words put into it.
            let mut columns = [b' '; EVENT_FIELDS];
            columns[..kind.len()].copy_from_slice(kind.as_bytes());
            columns[LOCATION_END - location.len()..LOCATION_END].copy_from_slice(location);
            columns[TIME_END - time.len()..TIME_END].copy_from_slice(time);
            self.push(columns);
        } else {
            self.left(kind, EVENT_WIDTH);
            self.push(" ");
            self.right(location, LOCATION_WIDTH);
            self.push(" ");
            self.right(time, TIME_WIDTH);
            self.push("  ");
        }
    }

    /// `UNDEFINED` for the largest number.
    #[inline]
    pub fn id(&mut self, id: u64) {
        if id == u64::MAX {
            self.push("UNDEFINED");
        } else {
            self.number(id);
        }
    }

    /// For a number that should have meant something.
    pub fn invalid(&mut self, what: &str, number: u64) {
        self.push(what);
        self.push(" <");
        self.number(number);
        self.push(">");
    }

    /// Formatting of what is rare.
    pub fn format(&mut self, arguments: std::fmt::Arguments<'_>) {
        let written = self.0.write_fmt(arguments);
        debug_assert!(written.is_ok(), "memory takes everything");
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// Collects text and writes it in large blocks, always whole lines.
///
/// The first error is kept until [`Output::finish`]; what comes after it is dropped.
#[derive(Debug)]
pub(super) struct Output<W> {
    pub text: Text,
    sink: W,
    error: Option<io::Error>,
}

/// Blocks of this size are written at once.
const BLOCK: usize = 256 * 1024;

impl<W: Write> Output<W> {
    pub fn new(sink: W) -> Self {
        Output { text: Text::default(), sink, error: None }
    }

    /// To be called between records.
    #[inline]
    pub fn record_done(&mut self) {
        if self.text.len() >= BLOCK {
            self.write_out();
        }
    }

    fn write_out(&mut self) {
        if self.error.is_none() {
            self.error = self.sink.write_all(self.text.as_bytes()).err();
        }
        self.text.clear();
    }

    pub fn failed(&self) -> bool {
        self.error.is_some()
    }

    /// Writes what is there; whether that went well shows at the end, too.
    pub fn flush(&mut self) -> bool {
        self.write_out();
        if self.error.is_none() {
            self.error = self.sink.flush().err();
        }
        self.error.is_none()
    }

    pub fn finish(mut self) -> io::Result<W> {
        self.flush();
        self.error.map_or(Ok(self.sink), Err)
    }
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
            text(|t| t.event_columns("ENTER", b"17", b"-4")),
            format!("{:32} {:>15} {:>20}  ", "ENTER", "17", "-4")
        );
        let long = "12345678901234567890";
        assert_eq!(
            text(|t| t.event_columns("ENTER", long.as_bytes(), b"4")),
            format!("{:32} {:>15} {:>20}  ", "ENTER", long, "4")
        );
    }

    #[test]
    fn the_largest_identifier_stands_for_none() {
        assert_eq!(text(|t| t.id(u64::MAX)), "UNDEFINED");
        assert_eq!(text(|t| t.id(u64::MAX - 1)), "18446744073709551614");
    }

    #[test]
    fn text_leaves_in_blocks_and_the_rest_at_the_end() {
        let mut output = Output::new(Vec::new());
        output.text.push("first");
        output.record_done();
        assert!(output.sink.is_empty());
        output.text.spaces(BLOCK);
        output.record_done();
        assert_eq!(output.sink.len(), BLOCK + 5);
        output.text.push("last");
        assert_eq!(output.finish().unwrap().len(), BLOCK + 9);
    }

    #[test]
    fn the_first_error_is_kept() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut output = Output::new(Full);
        output.text.spaces(BLOCK);
        output.record_done();
        assert!(output.failed());
        assert_eq!(output.finish().err().unwrap().kind(), io::ErrorKind::StorageFull);
    }
}
