//! Lines of JSON, and the way out for them, which several threads may share.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use bstr::{BStr, ByteSlice};

use crate::json;

/// Blocks of this size are written at once.
const BLOCK: usize = 256 * 1024;

/// Output of lines. A writer holds it alone until its line is complete.
#[derive(Debug)]
pub(super) struct Way<W> {
    state: Mutex<State<W>>,
    free: Condvar,
    failed: AtomicBool,
}

#[derive(Debug)]
struct State<W> {
    taken: bool,
    sink: W,
    error: Option<io::Error>,
}

impl<W: Write> Way<W> {
    pub(super) fn new(sink: W) -> Self {
        let state = State { taken: false, sink, error: None };
        Way { state: Mutex::new(state), free: Condvar::new(), failed: AtomicBool::new(false) }
    }

    /// Returns whether the output has failed. Nothing more is written then.
    pub(super) fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// The sink, or the first error.
    pub(super) fn finish(self) -> io::Result<W> {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        match state.error.take() {
            Some(error) => Err(error),
            None => state.sink.flush().map(|()| state.sink),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what belongs together; `mine`: the line before was not complete.
    fn write(&self, bytes: &[u8], mine: bool, complete: bool) {
        let mut state = self.lock();
        while state.taken && !mine {
            state = self.free.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.error.is_none() {
            state.error = state.sink.write_all(bytes).err();
            self.failed.store(state.error.is_some(), Ordering::Relaxed);
        }
        state.taken = !complete;
        if complete {
            self.free.notify_one();
        }
    }
}

/// Collects lines and writes them in blocks. A line longer than that has the way for itself.
#[derive(Debug)]
pub(super) struct Lines<W: Write> {
    text: Vec<u8>,
    way: Arc<Way<W>>,
    begun: bool,
}

impl<W: Write> Lines<W> {
    pub(super) fn new(way: Arc<Way<W>>) -> Self {
        Lines { text: Vec::new(), way, begun: false }
    }

    pub(super) fn way(&self) -> &Arc<Way<W>> {
        &self.way
    }

    /// Begins the line of a record.
    #[inline]
    pub(super) fn begin(&mut self, record: &str) {
        self.raw("{\"record\":\"");
        self.raw(record);
        self.raw("\"");
    }

    #[inline]
    pub(super) fn end(&mut self) {
        self.raw("}\n");
        if self.text.len() >= BLOCK || self.begun {
            self.write_out(true);
        }
    }

    /// A comma and the name of a value, which has to follow. Names need no escapes.
    #[inline]
    pub(super) fn key(&mut self, key: &str) {
        self.raw(",\"");
        self.raw(key);
        self.raw("\":");
        self.spill();
    }

    /// As [`Lines::key`], of a name with something behind it.
    #[inline]
    pub(super) fn key_with(&mut self, key: &str, suffix: &str) {
        self.raw(",\"");
        self.raw(key);
        self.raw(suffix);
        self.raw("\":");
        self.spill();
    }

    /// Appends text that is JSON already.
    #[inline]
    pub(super) fn raw(&mut self, json: &str) {
        self.text.extend_from_slice(json.as_bytes());
    }

    #[inline]
    pub(super) fn number(&mut self, number: impl itoa::Integer) {
        self.raw(itoa::Buffer::new().format(number));
    }

    /// A floating-point number; as text where JSON has no number for it.
    pub(super) fn float(&mut self, number: impl Into<f64> + serde::Serialize + Copy) {
        let wide: f64 = number.into();
        match wide.is_finite() {
            true => self.serialize(&number),
            false if wide.is_nan() => self.raw("\"NaN\""),
            false if wide > 0.0 => self.raw("\"Infinity\""),
            false => self.raw("\"-Infinity\""),
        }
    }

    /// Text. Bytes that are not UTF-8 become U+FFFD.
    pub(super) fn text(&mut self, text: &BStr) {
        self.serialize(&text.to_str_lossy());
    }

    pub(super) fn optional_text(&mut self, text: Option<&BStr>) {
        match text {
            Some(text) => self.text(text),
            None => self.raw("null"),
        }
    }

    fn serialize(&mut self, value: &(impl serde::Serialize + ?Sized)) {
        let written = json::to_writer(&mut self.text, value);
        debug_assert!(written.is_ok(), "memory takes everything");
    }

    /// An array of values, each written by `write`.
    pub(super) fn array<T>(
        &mut self,
        values: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        let mut before = "[";
        for value in values {
            self.raw(before);
            write(self, value);
            self.spill();
            before = ",";
        }
        self.raw(if before == "[" { "[]" } else { "]" });
    }

    /// Keeps long lines from filling the memory.
    #[inline]
    fn spill(&mut self) {
        if self.text.len() >= 2 * BLOCK {
            self.write_out(false);
        }
    }

    fn write_out(&mut self, complete: bool) {
        self.way.write(&self.text, self.begun, complete);
        self.begun = !complete;
        self.text.clear();
    }
}

impl<W: Write> Drop for Lines<W> {
    fn drop(&mut self) {
        self.write_out(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Lines<Vec<u8>>)) -> String {
        let way = Arc::new(Way::new(Vec::new()));
        let mut lines = Lines::new(way.clone());
        write(&mut lines);
        drop(lines);
        String::from_utf8(Arc::into_inner(way).unwrap().finish().unwrap()).unwrap()
    }

    #[test]
    fn values_are_json() {
        let line = written(|lines| {
            lines.begin("Enter");
            lines.key("a");
            lines.number(u64::MAX);
            lines.key_with("a", "_text");
            lines.text(BStr::new(b"\"\n\xff"));
            lines.key("b");
            lines.array([0.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY], |l, f| l.float(f));
            lines.key("c");
            lines.array([0u64; 0], |l, number| l.number(number));
            lines.key("d");
            lines.float(0.1f32);
            lines.end();
        });
        let expected =
            "{\"record\":\"Enter\",\"a\":18446744073709551615,\"a_text\":\"\\\"\\n\u{fffd}\",\
            \"b\":[0.1,\"NaN\",\"Infinity\",\"-Infinity\"],\"c\":[],\"d\":0.1}\n";
        assert_eq!(line, expected);
    }

    /// Lines that are longer than any buffer, from several threads.
    #[test]
    fn lines_are_never_torn() {
        let way = Arc::new(Way::new(Vec::new()));
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let mut lines = Lines::new(way.clone());
                scope.spawn(move || {
                    for size in [10, 400_000, 3, 300_000] {
                        lines.begin("Long");
                        lines.key("numbers");
                        lines.array(0..size, |lines, _| lines.number(thread));
                        lines.end();
                    }
                });
            }
        });
        let text = Arc::into_inner(way).unwrap().finish().unwrap();
        let mut sizes: Vec<usize> = Vec::new();
        for line in text.lines() {
            let value: serde_json::Value = serde_json::from_slice(line).unwrap();
            let numbers = value["numbers"].as_array().unwrap();
            assert!(numbers.iter().all(|number| *number == numbers[0]));
            sizes.push(numbers.len());
        }
        sizes.sort();
        assert_eq!(sizes, [[3; 4], [10; 4], [300_000; 4], [400_000; 4]].concat());
    }
}
