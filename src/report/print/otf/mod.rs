//! The text of `otfprint`, the tool of OTF, version 1: lines that are numbered through all sections.

mod definitions;
mod events;
mod states;
mod values;

use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::RangeInclusive;

use foldhash::fast::RandomState;

use streamfold_formats::otf::{Item, KeyValue, Line, Record, Section, Value};
use values::{put, KeyValues};

/// Text is written in pieces of this size, in bytes.
const BLOCK: usize = 256 << 10;

/// Options of an [`OtfPrinter`].
#[derive(Clone, Debug)]
pub struct OtfOptions {
    /// The numbers of the records that are printed. All are counted.
    pub numbers: RangeInclusive<u64>,
    /// The kinds of records that are printed and counted; none: all.
    pub records: Vec<Record>,
    /// Set if key-values are printed.
    pub keyvalues: bool,
    /// Set if arrays of bytes are printed in full. Otherwise only their lengths are.
    pub arrays: bool,
    /// Set if only titles are printed.
    pub silent: bool,
}

/// Prints a trace, section by section.
///
/// Errors of the output do not show until [`OtfPrinter::finish`]. [`OtfPrinter::failed`] tells whether it is worth
/// while to go on.
#[derive(Debug)]
pub struct OtfPrinter<W> {
    options: OtfOptions,
    sink: W,
    text: Vec<u8>,
    error: Option<io::Error>,
    /// Records so far.
    count: u64,
    /// Properties of counters, by stream and token.
    counters: HashMap<(u32, u32), u32, RandomState>,
}

impl<W: Write> OtfPrinter<W> {
    /// A printer that writes to `sink`, in blocks of its own.
    pub fn new(options: OtfOptions, sink: W) -> Self {
        OtfPrinter {
            options,
            sink,
            text: Vec::with_capacity(2 * BLOCK),
            error: None,
            count: 0,
            counters: HashMap::default(),
        }
    }

    /// The title of a section.
    pub fn title(&mut self, section: Section) {
        let title = match section {
            Section::Definitions => "definitions",
            Section::Events => "events",
            Section::Statistics => "statistics",
            Section::Snapshots => "snapshots",
            Section::Markers => "markers",
        };
        put!(&mut self.text, "\n", title, ":\n\n");
    }

    /// Takes in a definition, whether it is printed or not: values of counters are printed by it.
    pub fn know(&mut self, line: &Line<'_>) {
        if let Item::Record(Record::DefCounter, values) = &line.item {
            let [counter, properties] = [0, 3].map(|at| values.get(at).map_or(0, Value::token));
            self.counters.insert((line.stream, counter), properties);
        }
    }

    /// Prints a record or a line that is none. Nothing: it is one of neither.
    pub fn line(&mut self, section: Section, line: &Line<'_>) {
        let (record, values) = match &line.item {
            Item::Record(record, values) => (*record, *values),
            Item::Unknown(text) => return self.unknown(section, line, text),
            _ => return,
        };
        // The reference has no words for these.
        let is_silent = matches!(
            record,
            Record::FileOperationSummary
                | Record::FileGroupOperationSummary
                | Record::SummaryComment
        );
        let kinds = &self.options.records;
        if is_silent || !(kinds.is_empty() || kinds.contains(&record)) || !self.begin() {
            return;
        }
        let OtfPrinter { text, counters, .. } = self;
        let fields = Fields { stream: line.stream, process: line.process, values };
        let value_type = |counter: u32| {
            let of = |stream| counters.get(&(stream, counter));
            of(line.stream).or_else(|| of(0)).copied().unwrap_or_default()
        };
        match record.kind().section {
            Section::Definitions => {
                put!(text, "\t");
                definitions::put(text, record, &fields);
            }
            Section::Markers => match record {
                Record::MarkerSpot => {
                    put!(text, "\t", fields.number(1), " ");
                    states::put_marker(text, &fields);
                }
                _ => states::put_kind_of_marker(text, &fields),
            },
            of => {
                put!(text, "\t", line.time, " ");
                match of {
                    Section::Events => events::put(text, record, &fields, &value_type),
                    Section::Snapshots => {
                        states::put_snapshot(text, record, &fields, &value_type);
                    }
                    _ => states::put_statistics(text, record, &fields),
                }
            }
        }
        self.end(line.keyvalues);
    }

    fn unknown(&mut self, section: Section, line: &Line<'_>, record: &[u8]) {
        if !self.options.records.is_empty() || !self.begin() {
            return;
        }
        let (time, process) = match section {
            Section::Definitions => (u64::MAX, line.stream),
            Section::Markers => (0, line.stream),
            _ => (line.time, line.process),
        };
        let text = &mut self.text;
        put!(text, "\t", time, " Unknown: process ", process, ", record \"", record, "\"");
        self.end(&[]);
    }

    /// Counts a record. `false`: it is not printed.
    fn begin(&mut self) -> bool {
        self.count += 1;
        let is_printed = self.options.numbers.contains(&self.count) && !self.options.silent;
        if is_printed {
            put!(&mut self.text, "(#", self.count, ") ");
        }
        is_printed
    }

    fn end(&mut self, keyvalues: &[KeyValue]) {
        if self.options.keyvalues {
            KeyValues { of: keyvalues, arrays: self.options.arrays }.put(&mut self.text);
        }
        self.text.push(b'\n');
        if self.text.len() >= BLOCK {
            self.write_out();
        }
    }

    fn write_out(&mut self) {
        if self.error.is_none() {
            self.error = self.sink.write_all(&self.text).err();
        }
        self.text.clear();
    }

    /// Returns whether all wanted records were printed.
    pub fn is_done(&self) -> bool {
        self.count >= *self.options.numbers.end()
    }

    /// Returns whether the output has failed.
    pub fn failed(&self) -> bool {
        self.error.is_some()
    }

    /// Writes what is left.
    ///
    /// # Errors
    ///
    /// The first error of the output.
    pub fn finish(mut self, is_whole: bool) -> io::Result<W> {
        if is_whole {
            put!(&mut self.text, "\ndone\n");
        }
        self.write_out();
        if self.error.is_none() {
            self.error = self.sink.flush().err();
        }
        self.error.map_or(Ok(self.sink), Err)
    }
}

/// Values of a record, with its stream and process.
struct Fields<'r> {
    stream: u32,
    process: u32,
    values: &'r [Value<'r>],
}

impl<'r> Fields<'r> {
    fn number(&self, at: usize) -> u64 {
        self.values.get(at).map_or(0, Value::number)
    }

    fn token(&self, at: usize) -> u32 {
        self.values.get(at).map_or(0, Value::token)
    }

    /// A text, as the reference prints it where there is none.
    fn text(&self, at: usize) -> &'r [u8] {
        self.values.get(at).and_then(Value::text).unwrap_or(b"(null)")
    }

    fn list(&self, at: usize) -> &'r [u32] {
        self.values.get(at).map_or(&[], Value::list)
    }
}
