//! The printer: what it knows, the headings of its sections, and its end.

use std::io::{self, Write};
use std::ops::RangeInclusive;

use streamfold_model::ids::LocationRef;

use super::layout::{DEFINITION_WIDTH, EVENT_WIDTH, ID_WIDTH, LOCATION_WIDTH, RULE, TIME_WIDTH};
use super::names::Names;
use super::options::Options;
use super::output::Output;

/// Prints an archive, record by record, in the order in which it is fed with them.
///
/// Errors of the output do not show until [`Printer::finish`]. [`Printer::failed`] tells whether it is worth while to
/// go on.
#[derive(Debug)]
pub struct Printer<W> {
    pub(super) options: Options,
    pub(super) names: Names,
    pub(super) output: Output<W>,
    pub(super) locations: Vec<LocationRef>,
}

impl<W: Write> Printer<W> {
    /// A printer that writes to `sink`, in blocks of its own.
    pub fn new(options: Options, sink: W) -> Self {
        Printer {
            options,
            names: Names::default(),
            output: Output::new(sink),
            locations: Vec::new(),
        }
    }

    /// The very first lines.
    pub fn title(&mut self) {
        self.output.text.push("\n=== OTF2-PRINT ===\n");
    }

    /// The heading of the global definitions.
    pub fn global_definitions_heading(&mut self) {
        self.section("\n=== Global Definitions ");
        self.output.text.push("\n");
        self.definition_columns("ID");
    }

    /// The heading of mapping tables and clock offsets.
    pub fn local_definitions_heading(&mut self) {
        self.section("\n=== Per Location Definitions ");
        self.output.text.push("\n");
        self.definition_columns("Location");
    }

    /// The heading of the events. The columns have one of their own, [`Printer::event_columns`].
    pub fn events_heading(&mut self) {
        self.section("=== Events ");
    }

    /// The heading of the columns of events, repeated at each step.
    pub fn event_columns(&mut self) {
        self.columns("Event");
    }

    /// The heading of the snapshots. The columns have one of their own,
    /// [`Printer::snapshot_columns`].
    pub fn snapshots_heading(&mut self) {
        self.section("=== Snapshots ");
    }

    /// The heading of the columns of snapshots, repeated at each step.
    pub fn snapshot_columns(&mut self) {
        self.columns("Snapshot");
    }

    /// Asks the reader of the output to go on after a step of `count` records, which are `what`:
    /// "events" or "snapshot records".
    pub fn prompt(&mut self, count: u64, what: &str) {
        let text = &mut self.output.text;
        text.format(format_args!("Press ENTER to print next {count} {what}."));
    }

    /// A line that says why the output ends here.
    pub fn error(&mut self, message: &str) {
        self.output.text.format(format_args!("==ERROR== {message}\n"));
    }

    /// Returns the names of the definitions so far.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The locations, in the order of their definitions; what is defined twice, twice.
    pub fn locations(&self) -> &[LocationRef] {
        &self.locations
    }

    /// From here on events and snapshots of these times only are printed, in ticks.
    pub fn keep_times(&mut self, time: RangeInclusive<u64>) {
        self.options.time = time;
    }

    /// Returns whether the output has failed. Nothing more is written then.
    pub fn failed(&self) -> bool {
        self.output.failed()
    }

    /// Writes out what is collected; whether all was well so far.
    pub fn flush(&mut self) -> bool {
        self.output.flush()
    }

    /// Writes out what is collected and gives back the sink.
    pub fn finish(self) -> io::Result<W> {
        self.output.finish()
    }

    fn section(&mut self, title: &str) {
        const SECTION_WIDTH: usize = 80;
        let text = &mut self.output.text;
        text.push(title);
        for _ in title.trim_start().len()..SECTION_WIDTH {
            text.push("=");
        }
        text.push("\n");
    }

    fn definition_columns(&mut self, id: &str) {
        let text = &mut self.output.text;
        text.left("Definition", DEFINITION_WIDTH);
        text.push(" ");
        text.right(id, ID_WIDTH);
        text.push("  Attributes\n");
        text.push(RULE);
    }

    fn columns(&mut self, kind: &str) {
        let text = &mut self.output.text;
        text.left(kind, EVENT_WIDTH);
        text.push(" ");
        text.right("Location", LOCATION_WIDTH);
        text.push(" ");
        text.right("Timestamp", TIME_WIDTH);
        text.push("  Attributes\n");
        text.push(RULE);
    }
}
