//! The events of a location: read once, and written as far as they could be read.

use streamfold_kernels::salvage::{Activity, Defined, Facts, LocationFacts, OpenVisits, Scan};
use streamfold_model::events::{Event, EventVisitor};
use streamfold_model::ids::LocationRef;
use streamfold_model::stream::{EventHead, EventSet};
use streamfold_model::values::Ticks;

use super::local::{Local, Source};
use streamfold_drive::{Progress, Reached};
use streamfold_otf2::{
    Archive, ArchiveWriter, BeforeEvent, ChunkScan, Copied, Copy, Error, EventReader, FileKind,
    FramingFault, LocalDefinitions, NoLimit, Part, WriteError,
};
use streamfold_text::human;

/// Result of reading the events of a location.
#[derive(Debug, Default)]
pub(super) struct Scanned {
    /// Facts that they show.
    pub facts: Facts,
    /// Events that can be kept.
    pub events: u64,
    /// Why reading ended before the end of the data.
    pub loss: Option<String>,
    /// True if the file can be copied as it is.
    pub whole: bool,
    /// The last time that was kept, as it stands in the file.
    last: Ticks,
}

/// Inputs for reading.
pub(super) struct Reading<'a> {
    /// Definitions that exist.
    pub known: &'a Defined,
    /// Is told about what was read.
    pub progress: &'a Progress,
}

/// Reads the events of a location up to the damage, if there is one.
pub(super) fn scan(
    archive: &Archive,
    location: LocationRef,
    local: &Local,
    reading: &Reading<'_>,
) -> Scanned {
    let mut way = scan_up_to(archive, location, local, reading, None);
    if way.suspected {
        // Corrected times may go back where those in the file do not.
        if let Some((number, from, to)) = first_backward(archive, location) {
            let unwatched = Progress::default();
            let again = Reading { progress: &unwatched, ..*reading };
            way = scan_up_to(archive, location, local, &again, Some(number));
            let path = archive.path(FileKind::Events(location));
            let kept = human::plural(number - 1, "event");
            way.found.loss = Some(format!(
                "{}: at event {number} time goes back, from {from} to {to} (the {kept} before \
                 that are kept)",
                path.display()
            ));
            way.found.whole = false;
        }
    }
    way.found
}

/// Result of one pass over a file.
struct Way {
    found: Scanned,
    /// True if corrected times go back.
    suspected: bool,
}

fn scan_up_to(
    archive: &Archive,
    location: LocationRef,
    local: &Local,
    reading: &Reading<'_>,
    limit: Option<u64>,
) -> Way {
    let mut found = Scanned::default();
    let of_file = LocalDefinitions {
        mappings: local.mappings.clone(),
        clock: if local.source == Source::Own { local.clock.clone() } else { Default::default() },
        ..LocalDefinitions::default()
    };
    let mut facts = LocationFacts::default();
    let opened = archive.events_with(location, of_file);
    let suspected = match opened {
        Ok(mut reader) => {
            let scan = Scan::new(reading.known, &local.own, &mut found.facts);
            let read = read(&mut reader, scan, reading.progress, limit);
            facts.activity = read.activity;
            found.whole = read.whole;
            found.loss = read.damage.as_ref().map(|damage| told(damage, &reader)).or_else(|| {
                let path = archive.path(FileKind::Events(location));
                read.lacks.map(|text| format!("{}: {text}", path.display()))
            });
            let summary = reader.summary();
            facts.events = summary.events;
            facts.span = summary.first.zip(summary.last);
            found.last = reader.found().1;
            summary.backward > 0
        }
        Err(error) => {
            found.loss = Some(format!("{error} (no event of this location can be read)"));
            false
        }
    };
    facts.donor_span = match local.source {
        Source::Donor => facts.span.map(|(first, last)| {
            (local.clock.correct_first(first), local.clock.correct_first(last))
        }),
        _ => facts.span,
    };
    found.events = facts.events;
    found.facts.locations.insert(location, facts);
    Way { found, suspected }
}

/// Result of reading up to an end.
struct Ended {
    damage: Option<Error>,
    /// Mismatch between the records of a chunk and its header.
    lacks: Option<String>,
    whole: bool,
    activity: Activity,
}

/// Reads to the end, or to a limit.
fn read(
    reader: &mut EventReader,
    mut scan: Scan<'_>,
    progress: &Progress,
    limit: Option<u64>,
) -> Ended {
    let mut chunks = ChunkScan::new(reader.chunk());
    let mut reached = Reached::new(reader.count(), reader.offset());
    let (mut numbered, mut lacks) = (true, None);
    let mut tell = |offset: u64, fault: FramingFault| {
        numbered = false;
        if fault != FramingFault::Start {
            lacks.get_or_insert(format!("at byte {offset}: {fault}: what is missing is lost"));
        }
    };
    let damage = loop {
        let records = reader.count();
        chunks.at(reader.chunk(), records, &mut tell);
        let part = match limit {
            Some(number) => reader.read_part_to(BeforeEvent(number), &mut scan),
            None => reader.read_part_to(NoLimit, &mut scan),
        };
        reached.go_on(Reached::new(reader.count(), reader.offset()), progress);
        match part {
            Ok(Part::More) if !progress.is_stopped() => {}
            Ok(_) => break None,
            Err(error) => break Some(error),
        }
    };
    if damage.is_none() && limit.is_none() {
        chunks.end(reader.count(), &mut tell);
    }
    let is_regular = numbered && !reader.restamped();
    let whole = damage.is_none() && limit.is_none() && is_regular && reader.ending().closed;
    Ended { damage, lacks, whole, activity: scan.end() }
}

/// Returns the text that reports damage.
fn told(damage: &Error, reader: &EventReader) -> String {
    let (events, offset) = (reader.count(), reader.offset());
    let kept = match events {
        1 => "the event before that is kept".to_owned(),
        events => format!("the {} before that are kept", human::plural(events, "event")),
    };
    match reader.length().saturating_sub(offset) {
        0 => format!("{damage} ({kept}, and no byte is lost)"),
        1 => format!("{damage} ({kept}; of byte {offset}, the last one, nothing is)"),
        lost => format!("{damage} ({kept}; of {lost} bytes from byte {offset} on nothing is)"),
    }
}

impl Scanned {
    /// Writes what can be kept: the file as it is, or its records anew.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub(super) fn write(
        &self,
        archive: &Archive,
        to: &ArchiveWriter,
        location: LocationRef,
    ) -> Result<Copied, WriteError> {
        let kind = FileKind::Events(location);
        // Not what the next event would be if it stood alone: mapping tables and clocks may be what makes it damage.
        let copy = match self.whole {
            true => archive.copy(kind, to, kind)?,
            false => archive.reencode_before(self.events + 1, location, to)?,
        };
        match copy {
            Some(Copy { copied, .. }) if self.whole => {
                Ok(Copied { records: self.events, ..copied })
            }
            Some(Copy { copied, .. }) if to.path(kind).exists() => Ok(copied),
            _ => {
                let (records, bytes) = to.events(location).finish_with_length()?;
                Ok(Copied { records, unknown: 0, bytes })
            }
        }
    }

    /// Takes note that so many events are written.
    pub(super) fn keep(&mut self, events: u64, location: LocationRef) {
        self.events = events;
        if let Some(facts) = self.facts.locations.get_mut(&location) {
            facts.events = events;
        }
    }

    /// Leaves what is open where a stream was cut. Returns how many leaves were added, and by how
    /// many bytes the file has grown.
    ///
    /// # Errors
    ///
    /// When what was written cannot be read, or not be written.
    pub(super) fn close(
        &mut self,
        written: &Archive,
        to: &ArchiveWriter,
        location: LocationRef,
    ) -> Result<u64, WriteError> {
        if self.loss.is_none() || self.events == 0 {
            return Ok(0);
        }
        let mut open = OpenVisits::default();
        let read = written.events_with(location, LocalDefinitions::default());
        let mut reader = match read {
            Ok(reader) => reader,
            Err(_) => return Ok(0),
        };
        while reader.read_part(&mut open).unwrap_or(false) {}
        let last = reader.summary().last.unwrap_or(self.last);
        drop(reader);
        let mut leaves = open.leaves().peekable();
        if leaves.peek().is_none() {
            return Ok(0);
        }
        let mut writer = to.more_events(location, last)?;
        let mut count = 0;
        for leave in leaves {
            writer.write(last, &[], &leave)?;
            count += 1;
        }
        self.keep(writer.finish()?, location);
        Ok(count)
    }
}

/// The first event before whose predecessor it happened, by the times in the file: its number, and
/// both times.
fn first_backward(archive: &Archive, location: LocationRef) -> Option<(u64, Ticks, Ticks)> {
    let mut times = Times::default();
    let mut reader = archive.events_with(location, LocalDefinitions::default()).ok()?;
    while times.found.is_none() && reader.read_part(&mut times).unwrap_or(false) {}
    times.found
}

/// Looks for a time that goes back.
#[derive(Default)]
struct Times {
    last: Ticks,
    found: Option<(u64, Ticks, Ticks)>,
}

impl Times {
    fn look(&mut self, head: &EventHead<'_>) {
        if head.time < self.last {
            self.found.get_or_insert((head.number, self.last, head.time));
        }
        self.last = head.time;
    }
}

impl EventVisitor for Times {
    const WANTS: EventSet = EventSet::ALL;

    fn event(&mut self, head: &EventHead<'_>, _: Event<'_>) {
        self.look(head);
    }

    fn unknown(&mut self, head: &EventHead<'_>, _: u8) {
        self.look(head);
    }
}
