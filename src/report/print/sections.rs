//! Sections of a trace, in the order in which printers of all forms take them.

use std::io::Write;
use std::ops::RangeInclusive;

use bstr::BStr;
use streamfold_model::definitions::Definition;
use streamfold_model::events::EventVisitor;
use streamfold_model::ids::LocationRef;
use streamfold_model::snapshots::Snapshot;
use streamfold_model::stream::EventHead;
use streamfold_model::thumbnails::Thumbnail;

use super::{AnchorInfo, Printer};

/// Sections before the events. Not every form has headings.
pub trait Sections {
    /// The very first lines.
    fn title(&mut self) {}

    /// Takes in the facts of the anchor file.
    fn anchor(&mut self, anchor: &AnchorInfo<'_>);

    /// The heading of the thumbnails.
    fn thumbnails_heading(&mut self) {}

    /// A record of the thumbnail with this number; `sample` counts its samples.
    fn thumbnail(&mut self, number: u32, sample: u32, record: &Thumbnail);

    /// The heading of the global definitions.
    fn global_definitions_heading(&mut self) {}

    /// Takes in a global definition and prints it where that is asked for; `warn` is called with
    /// each thing that is wrong with it.
    ///
    /// # Errors
    ///
    /// Those of `warn`, at once; nothing of the definition is printed then.
    fn definition<E>(
        &mut self,
        definition: &Definition,
        warn: impl FnMut(&BStr) -> Result<(), E>,
    ) -> Result<(), E>;

    /// A global definition of a kind that this version does not know, by its number on disk.
    fn unknown_definition(&mut self, id: u8);

    /// Why the output ends here.
    fn error(&mut self, message: &str) {
        let _ = message;
    }

    /// The locations, in the order of their definitions; what is defined twice, twice.
    fn locations(&self) -> &[LocationRef];

    /// From here on events and snapshots of these times only are printed, in ticks.
    fn keep_times(&mut self, time: RangeInclusive<u64>);

    /// The heading of mapping tables and clock offsets.
    fn local_definitions_heading(&mut self) {}

    /// Takes in all that the file of a location defines. Not every form needs it.
    fn own_definitions(&mut self, location: LocationRef, all: &[Definition]) {
        let _ = (location, all);
    }

    /// A definition in the file of a location, which is asked for. Not every form has lines for all.
    fn local_definition(&mut self, location: LocationRef, definition: &Definition);
}

/// Events and snapshots. Not every form has headings.
pub trait Streams: EventVisitor {
    /// The heading of the events.
    fn events_heading(&mut self) {}

    /// The heading of the columns of events, repeated at each step.
    fn event_columns(&mut self) {}

    /// The heading of the snapshots.
    fn snapshots_heading(&mut self) {}

    /// The heading of the columns of snapshots, repeated at each step.
    fn snapshot_columns(&mut self) {}

    /// A record of a snapshot; the head tells location and time of the snapshot. Those of unknown
    /// kinds are [`EventVisitor::unknown`] ones.
    fn snapshot(&mut self, head: &EventHead<'_>, snapshot: &Snapshot<'_>);

    /// Asks the reader of the output to go on after a step of `count` records, which are `what`.
    fn prompt(&mut self, count: u64, what: &str) {
        let _ = (count, what);
    }

    /// Writes out what is collected, so that somebody can answer; whether all was well so far.
    fn flush(&mut self) -> bool {
        !self.failed()
    }

    /// Returns whether the output has failed. Nothing more is written then.
    fn failed(&self) -> bool;
}

impl<W: Write> Sections for Printer<W> {
    fn title(&mut self) {
        Printer::title(self);
    }

    fn anchor(&mut self, anchor: &AnchorInfo<'_>) {
        Printer::anchor(self, anchor);
    }

    fn thumbnails_heading(&mut self) {
        Printer::thumbnails_heading(self);
    }

    fn thumbnail(&mut self, number: u32, sample: u32, record: &Thumbnail) {
        match record {
            Thumbnail::ThumbnailHeader(header) => self.thumbnail_header(number, header),
            Thumbnail::ThumbnailSample(record) => self.thumbnail_sample(sample, record),
        }
    }

    fn global_definitions_heading(&mut self) {
        Printer::global_definitions_heading(self);
    }

    fn definition<E>(
        &mut self,
        definition: &Definition,
        warn: impl FnMut(&BStr) -> Result<(), E>,
    ) -> Result<(), E> {
        Printer::definition(self, definition, warn)
    }

    fn unknown_definition(&mut self, _: u8) {
        Printer::unknown_definition(self);
    }

    fn error(&mut self, message: &str) {
        Printer::error(self, message);
    }

    fn locations(&self) -> &[LocationRef] {
        Printer::locations(self)
    }

    fn keep_times(&mut self, time: RangeInclusive<u64>) {
        Printer::keep_times(self, time);
    }

    fn local_definitions_heading(&mut self) {
        Printer::local_definitions_heading(self);
    }

    fn local_definition(&mut self, location: LocationRef, definition: &Definition) {
        Printer::local_definition(self, location, definition);
    }
}

impl<W: Write> Streams for Printer<W> {
    fn events_heading(&mut self) {
        Printer::events_heading(self);
    }

    fn event_columns(&mut self) {
        Printer::event_columns(self);
    }

    fn snapshots_heading(&mut self) {
        Printer::snapshots_heading(self);
    }

    fn snapshot_columns(&mut self) {
        Printer::snapshot_columns(self);
    }

    fn snapshot(&mut self, head: &EventHead<'_>, snapshot: &Snapshot<'_>) {
        Printer::snapshot(self, head, snapshot);
    }

    fn prompt(&mut self, count: u64, what: &str) {
        Printer::prompt(self, count, what);
    }

    fn flush(&mut self) -> bool {
        Printer::flush(self)
    }

    fn failed(&self) -> bool {
        Printer::failed(self)
    }
}
