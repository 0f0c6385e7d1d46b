//! The files of one location.

use streamfold_kernels::validate::{
    is_suspicious, mapping_table, Code, FirstLook, Others, Rules, SecondLook, Sink, SnapshotScan,
    Teller,
};
use streamfold_model::definitions::{Definition, Location};
use streamfold_model::stream::StreamSummary;

use super::defect::{InFile, LocationFile, Receiver, SharedFile, Stream};
use super::Read;
use streamfold_drive::{Progress, Reached};
use streamfold_otf2::{Archive, ChunkScan, Ending, Error, EventReader, LocalDefinitions};
use streamfold_text::human;

/// Common inputs of checking all locations.
pub(super) struct Checking<'a> {
    /// The files.
    pub archive: &'a Archive,
    /// The rules that they must keep.
    pub rules: &'a Rules<'a>,
    /// Takes the numbers of events and bytes that were read.
    pub progress: &'a Progress,
    /// How other locations of a process are asked.
    pub others: Others<'a>,
}

/// Result of one look at the events of a location.
struct Look {
    summary: StreamSummary,
    bytes: u64,
    length: u64,
    /// How the file ends; or why it could not be read to its end.
    outcome: Result<Ending, Error>,
    suspicious: bool,
}

impl Checking<'_> {
    /// Reads all files of a location. Returns how much was read, and whether these are all of its events.
    pub(super) fn location(
        &self,
        location: &Location,
        receiver: &mut dyn Receiver,
    ) -> (Read, bool) {
        let mut read = Read::default();
        let events = match self.local_definitions(location, receiver, &mut read) {
            Ok(local) => self.events(location, local, receiver, &mut read),
            Err(()) => None,
        };
        let snapshots = self.archive.anchor().number_of_snapshots;
        if snapshots > 0 {
            self.snapshots(location, snapshots, events, receiver, &mut read);
        }
        (read, events.is_some())
    }

    /// Without these a location's numbers would mean something else: it is lost where there is an
    /// error.
    fn local_definitions(
        &self,
        location: &Location,
        receiver: &mut dyn Receiver,
        read: &mut Read,
    ) -> Result<LocalDefinitions, ()> {
        let stream = Stream::Location(location.id, LocationFile::Definitions);
        let mut file = InFile::new(stream, receiver);
        let lost =
            " (the events of this location were not read: what their numbers mean is not known)";
        let mut reader = match self.archive.local_definitions(location.id) {
            Ok(Some(reader)) => reader,
            Ok(None) => {
                let defined = &self.rules.definitions.locations;
                let is_defined = |location| defined.contains_key(&location);
                let missing = self.archive.missing_local_definitions(location.id, is_defined);
                if let Some(error) = missing {
                    file.damage(&error, "");
                }
                return Ok(LocalDefinitions::default());
            }
            Err(error) => {
                read.files += 1;
                file.damage(&error, lost);
                return Err(());
            }
        };
        read.files += 1;
        let mut kinds = Vec::new();
        let local = LocalDefinitions::read_placed(&mut reader, |(number, offset), definition| {
            let Definition::MappingTable(table) = definition else { return };
            let mut teller = Teller::new(&mut file);
            teller.offset = offset;
            if kinds.contains(&table.mapping_type) {
                let kind = table.mapping_type.name().unwrap_or("this kind");
                let here = teller.here(number, "MappingTable");
                teller.tell(Code::DuplicateMapping, here, || {
                    format!("there is a mapping table for {kind} before, which stays in force")
                });
                return;
            }
            kinds.push(table.mapping_type);
            mapping_table(self.rules, &mut teller, number, table);
        });
        match local {
            Ok(local) => {
                file.ending(reader.ending());
                Ok(local)
            }
            Err(error) => {
                file.damage(&error, lost);
                Err(())
            }
        }
    }

    /// Reads the events. Returns how many there are, where all could be read.
    fn events(
        &self,
        location: &Location,
        local: LocalDefinitions,
        receiver: &mut dyn Receiver,
        read: &mut Read,
    ) -> Option<u64> {
        let mut file = InFile::new(Stream::Location(location.id, LocationFile::Events), receiver);
        let mut reader = match self.archive.events_with(location.id, local) {
            Ok(reader) => reader,
            Err(error) => {
                read.files += u64::from(!error.is_not_found());
                let announced = location.number_of_events;
                let events = human::plural(announced, "event");
                file.damage(&error, &format!(" ({events} should be in it)"));
                return None;
            }
        };
        read.files += 1;
        let mut look = self.first_look(&mut reader);
        if look.suspicious {
            match self.archive.events_with(location.id, reader.into_local_definitions()) {
                Ok(reader) => look = self.second_look(reader, &mut file),
                Err(error) => look.outcome = Err(error),
            }
        }
        let events = look.summary.events;
        read.events += events;
        read.unknown += look.summary.unknown;
        read.bytes += look.bytes;
        match look.outcome {
            Ok(ending) => {
                file.ending(ending);
                let announced = location.number_of_events;
                if announced != events {
                    file.tell(Code::EventCount, None, || {
                        let id = location.id;
                        format!("{events} events, the definition of location {id} says {announced}")
                    });
                }
                Some(events)
            }
            Err(error) => {
                file.damage(&error, &lost(&look.summary, look.length, error.offset));
                None
            }
        }
    }

    /// Looks for any defect. Ends early if there is one.
    fn first_look(&self, reader: &mut EventReader) -> Look {
        let mut scan = FirstLook::new(self.rules);
        let mut chunks = ChunkScan::new(reader.chunk());
        let mut framing = false;
        let mut reached = Reached::new(reader.count(), reader.offset());
        let outcome = loop {
            let part = reader.read_part(&mut scan);
            reached.go_on(Reached::new(reader.count(), reader.offset()), self.progress);
            chunks.at(reader.chunk(), reader.count(), |_, _| framing = true);
            match part {
                Ok(true) if framing || scan.is_suspicious() => break Ok(reader.ending()),
                Ok(true) if self.progress.is_stopped() => break Ok(reader.ending()),
                Ok(true) => {}
                Ok(false) => break Ok(reader.ending()),
                Err(error) => break Err(error),
            }
        };
        let summary = reader.summary();
        let clock = self.rules.definitions.clock.as_ref();
        let mut suspicious = is_suspicious(clock, &summary);
        if outcome.is_ok() {
            suspicious |= scan.end();
            chunks.end(reader.count(), |_, _| framing = true);
        } else {
            suspicious |= scan.is_suspicious();
        }
        suspicious |= framing;
        Look { summary, bytes: reader.offset(), length: reader.length(), outcome, suspicious }
    }

    /// Tells everything.
    fn second_look(&self, mut reader: EventReader, file: &mut InFile<'_>) -> Look {
        let mut chunks = ChunkScan::new(reader.chunk());
        let file = SharedFile::new(file);
        let mut of_records = &file;
        let mut scan = SecondLook::new(self.rules, Teller::new(&mut of_records), self.others);
        let outcome = loop {
            let found = reader.peek();
            chunks.at(reader.chunk(), reader.count(), |at, fault| file.framing(at, fault));
            match found {
                Ok(Some(_)) => {
                    let (offset, recorded) = reader.found();
                    scan.at(offset, recorded);
                }
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
            if let Err(error) = reader.deliver(&mut scan) {
                break Err(error);
            }
        };
        if outcome.is_ok() {
            scan.end();
            chunks.end(reader.count(), |at, fault| file.framing(at, fault));
        }
        let outcome = outcome.map(|()| reader.ending());
        let bytes = match &outcome {
            Ok(ending) => ending.offset,
            Err(error) => error.offset.unwrap_or(0),
        };
        let (summary, length) = (reader.summary(), reader.length());
        Look { summary, bytes, length, outcome, suspicious: true }
    }

    fn snapshots(
        &self,
        location: &Location,
        announced: u32,
        events: Option<u64>,
        receiver: &mut dyn Receiver,
        read: &mut Read,
    ) {
        let stream = Stream::Location(location.id, LocationFile::Snapshots);
        let mut file = InFile::new(stream, receiver);
        let mut reader = match self.archive.snapshots(location.id) {
            Ok(reader) => reader,
            Err(error) => {
                read.files += u64::from(!error.is_not_found());
                return file.damage(&error, "");
            }
        };
        read.files += 1;
        let mut chunks = ChunkScan::new(reader.chunk());
        let shared = SharedFile::new(&mut file);
        let mut of_records = &shared;
        let mut scan = SnapshotScan::new(self.rules, Teller::new(&mut of_records), events);
        let mut count = 0;
        let outcome = loop {
            let found = reader.peek();
            chunks.at(reader.chunk(), count, |at, fault| shared.framing(at, fault));
            match found {
                Ok(Some(_)) => {}
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
            let offset = reader.offset();
            let delivered = reader.deliver(&mut |head, record| {
                count = head.number;
                scan.record(offset, head, &record);
            });
            if let Err(error) = delivered {
                break Err(error);
            }
        };
        match outcome {
            Ok(()) => {
                scan.end(announced);
                chunks.end(count, |at, fault| shared.framing(at, fault));
                file.ending(reader.ending());
            }
            Err(error) => {
                let records = human::plural(count, "record");
                file.damage(&error, &format!(" (the {records} before that were read)"));
            }
        }
    }
}

/// How much of a damaged file is lost.
fn lost(summary: &StreamSummary, length: u64, offset: Option<u64>) -> String {
    let events = human::plural(summary.events, "event");
    let left = length.saturating_sub(offset.unwrap_or(0));
    let bytes = human::plural(left, "byte");
    format!(" (the {events} before that were read, {bytes} are lost)")
}
