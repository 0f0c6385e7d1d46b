//! An archive from a trace in another format.
//!
//! Each rank writes the events of its locations while it reads them. Rank 0 then writes the global
//! definitions, with the numbers of events that were written, and the anchor.
//!
//! Readers want numbers of definitions without gaps. Definitions with others, such as tokens of OTF, get
//! new ones, and each location has mapping tables from those that its events have.

use crate::write_failure;
use std::collections::btree_map::Entry;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};
use streamfold_kernels::salvage::{ordered, without_gaps, Renumbered};
use streamfold_kernels::unify::tables::table;
use streamfold_kernels::Kernel;
use streamfold_model::definitions::{ClockProperties, Definition, MappingTable};
use streamfold_model::enums::MappingType;
use streamfold_model::events::{Event, EventVisitor};
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, StreamSummary};
use streamfold_model::values::Ticks;

use super::{identifier, Outcome, Written};
use crate::cut::each_number;
use streamfold_collective::Communicator;
use streamfold_drive::select::Plan;
use streamfold_drive::{self as drive, Scanning, Trace};
use streamfold_otf2::{Anchor, ArchiveWriter, EventWriter, WriteError};
use streamfold_system::exit::{Failure, Stop};

/// An archive that is whole but for its anchor.
#[derive(Debug)]
pub struct Converted {
    /// How writing went.
    pub outcome: Outcome,
    /// Locations, and records in the global definitions.
    counts: (u64, u64),
    /// Follows from definitions and numbers of events alone.
    identifier: u64,
}

/// Writes all of a trace as an archive, but for the anchor. How it went is on rank 0.
///
/// # Errors
///
/// On all ranks when one of them cannot write its files, or with the first loss where none may be;
/// and when ranks cannot communicate.
pub fn convert(
    ranks: &dyn Communicator,
    trace: &Trace,
    plan: &Plan,
    to: &ArchiveWriter,
    scanning: Scanning<'_>,
) -> Result<Option<Converted>, Stop> {
    let (records, renumbered) = numbered(&trace.definitions);
    let kernel = Conversion { to, renumbered, failed: AtomicBool::new(false) };
    let folded = drive::scan_uncut(ranks, trace, plan, &kernel, scanning)?;
    let folded = drive::reduce(ranks, &kernel, folded)?;
    let mut failure = folded.as_ref().and_then(|folded| folded.partial.failure.clone());
    let mut converted = None;
    if let Some(folded) = folded.filter(|_| failure.is_none()) {
        let mut outcome = Outcome {
            written: folded.partial.written,
            losses: folded.losses,
            ..Outcome::default()
        };
        match definitions(records, &folded.partial, to, &mut outcome.written) {
            Ok((counts, identifier)) => converted = Some(Converted { outcome, counts, identifier }),
            Err(error) => failure = Some(write_failure(error)),
        }
    }
    match ranks.broadcast(0, (ranks.rank() == 0).then_some(failure))? {
        Some(failure) => Err(Stop::Together(failure)),
        None => Ok(converted),
    }
}

/// Writes the anchor, which makes the files an archive. For rank 0, when all others are done.
///
/// # Errors
///
/// When it cannot be written.
pub fn finish(trace: &Trace, to: &ArchiveWriter, converted: &Converted) -> Result<(), Failure> {
    let creator = concat!("streamfold ", env!("CARGO_PKG_VERSION"));
    let (locations, definitions) = converted.counts;
    let mut anchor = Anchor::new(&to.options(), locations, definitions, creator);
    anchor.trace_identifier = converted.identifier;
    let converted_from = trace.source.format().name();
    anchor.description = format!("converted from {converted_from}").into();
    to.finish(&anchor).map_err(write_failure)
}

/// The definitions in their order, with numbers without gaps, and the numbers that are others now.
fn numbered(definitions: &Definitions) -> (Vec<Definition>, Renumbered) {
    let mut records = ordered(definitions.records(), |_| {});
    let kinds = records.iter().filter_map(|record| Some(record.defines()?.0)).collect();
    let renumbered = without_gaps(&mut records, &kinds);
    (records, renumbered)
}

/// Writes the global definitions. Returns how many locations and records there are, and an identifier.
fn definitions(
    mut records: Vec<Definition>,
    partial: &Partial,
    to: &ArchiveWriter,
    written: &mut Written,
) -> Result<((u64, u64), u64), WriteError> {
    let clock = records.iter_mut().find_map(|record| match record {
        Definition::ClockProperties(clock) => Some(clock),
        _ => None,
    });
    match clock {
        // Ticks that nobody defines count as seconds.
        Some(clock) => clock.timer_resolution = clock.timer_resolution.max(1),
        // An archive has one always.
        None => records.insert(0, Definition::ClockProperties(clock_of(partial))),
    }
    let mut identified: Vec<u8> = Vec::new();
    let mut writer = to.global_definitions();
    let mut locations = 0;
    for mut record in records {
        if let Definition::Location(location) = &mut record {
            locations += 1;
            let stream = partial.streams.get(&location.id);
            location.number_of_events = stream.map_or(0, |stream| stream.events);
        }
        identified.extend(format!("{record:?}").bytes());
        writer.write(&record)?;
    }
    let (definitions, bytes) = writer.finish_with_length()?;
    written.add(&Written::file(bytes));
    Ok(((locations, definitions), identifier(identified)))
}

/// Nanoseconds, and the span of all events.
fn clock_of(partial: &Partial) -> ClockProperties {
    let first = partial.streams.values().filter_map(|stream| stream.first).min().unwrap_or(0);
    let last = partial.streams.values().filter_map(|stream| stream.last).max().unwrap_or(first);
    ClockProperties {
        timer_resolution: 1_000_000_000,
        global_offset: first,
        trace_length: last - first + 1,
        realtime_timestamp: u64::MAX,
    }
}

/// Writes the events of locations as they come.
struct Conversion<'a> {
    to: &'a ArchiveWriter,
    /// Numbers of definitions that are others now.
    renumbered: Renumbered,
    /// A file could not be written: no rank needs the others.
    failed: AtomicBool,
}

/// Result of a worker or of a rank.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Partial {
    streams: BTreeMap<LocationRef, Recorded>,
    written: Written,
    failure: Option<Failure>,
}

/// The events of a location.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Recorded {
    events: u64,
    first: Option<u64>,
    last: Option<u64>,
}

/// The numbers in the events of a location that are others now, with those.
struct Tables<'r> {
    renumbered: &'r Renumbered,
    numbers: BTreeMap<ReferenceKind, BTreeMap<u64, u64>>,
}

impl Tables<'_> {
    fn take(&mut self, head: &EventHead<'_>, event: &Event<'_>) {
        let Tables { renumbered, numbers } = self;
        if renumbered.is_empty() {
            return;
        }
        each_number(event, head.attributes, |kind, number| {
            let Some(now) = renumbered.get(&kind) else { return };
            let of_kind = numbers.entry(kind).or_default();
            if let Entry::Vacant(entry) = of_kind.entry(number) {
                // An undefined number stays one of its own, though a definition may have it now.
                let is_taken = number < now.len() as u64;
                let own = if is_taken { kind.undefined() - 1 - number } else { number };
                entry.insert(now.get(&number).copied().unwrap_or(own));
            }
        });
    }

    fn definitions(&self) -> impl Iterator<Item = Definition> + '_ {
        let of_kind = |kind: ReferenceKind| {
            MappingType::NAMED.iter().find(move |of| of.leads_to() == Some(kind))
        };
        self.numbers.iter().filter_map(move |(kind, numbers)| {
            let pairs: Vec<(u64, u64)> = numbers.iter().map(|(from, to)| (*from, *to)).collect();
            let (mapping_type, id_map) = (*of_kind(*kind)?, table(&pairs)?);
            Some(Definition::MappingTable(MappingTable { mapping_type, id_map }))
        })
    }
}

/// The event file of a location.
struct Events<'w> {
    location: LocationRef,
    /// `None` once it could not be written.
    writer: Option<EventWriter>,
    tables: Tables<'w>,
    worker: &'w mut Partial,
    failed: &'w AtomicBool,
}

impl EventVisitor for Events<'_> {
    const ATTRIBUTES: bool = true;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        let Some(writer) = &mut self.writer else { return };
        self.tables.take(head, &event);
        if let Err(error) = writer.write_as_recorded(head.time, head.attributes, &event) {
            self.fail(error);
        }
    }

    /// Has no encoding that is known.
    fn unknown(&mut self, _: &EventHead<'_>, _: u8) {
        self.worker.written.unknown += 1;
    }
}

impl Events<'_> {
    fn fail(&mut self, error: WriteError) {
        self.writer = None;
        self.failed.store(true, Ordering::Relaxed);
        self.worker.failure.get_or_insert(write_failure(error));
    }
}

impl Kernel for Conversion<'_> {
    type Worker = Partial;
    type Scan<'w>
        = Events<'w>
    where
        Self: 'w;
    type Partial = Partial;

    fn worker(&self) -> Partial {
        Partial::default()
    }

    fn scan<'w>(&'w self, worker: &'w mut Partial, location: LocationRef) -> Events<'w> {
        let goes_on = !self.failed.load(Ordering::Relaxed);
        let writer = goes_on.then(|| self.to.events(location));
        let tables = Tables { renumbered: &self.renumbered, numbers: BTreeMap::new() };
        Events { location, writer, tables, worker, failed: &self.failed }
    }

    fn end(&self, mut scan: Events<'_>, summary: &StreamSummary) {
        let Some(writer) = scan.writer.take() else { return };
        let location = scan.location;
        let files = writer.finish_with_length().and_then(|events| {
            let mut definitions = self.to.local_definitions(location);
            for table in scan.tables.definitions() {
                definitions.write(&table)?;
            }
            Ok((events, definitions.finish_with_length()?.1))
        });
        match files {
            Ok(((events, bytes), definitions)) => {
                let ticks = |time: Option<Ticks>| time.map(|time| time.0);
                let (first, last) = (ticks(summary.first), ticks(summary.last));
                scan.worker.streams.insert(location, Recorded { events, first, last });
                let written = &mut scan.worker.written;
                written.add(&Written { files: 1, events, bytes, unknown: 0 });
                written.add(&Written::file(definitions));
            }
            Err(error) => scan.fail(error),
        }
    }

    fn partial(&self, worker: Partial) -> Partial {
        worker
    }

    fn fold(&self, mut into: Partial, other: Partial) -> Partial {
        into.streams.extend(other.streams);
        into.written.add(&other.written);
        into.failure = match (into.failure, other.failure) {
            (Some(one), Some(other)) if other.message < one.message => Some(other),
            (one, other) => one.or(other),
        };
        into
    }
}
