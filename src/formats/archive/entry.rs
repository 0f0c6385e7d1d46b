//! The start of reading for a window of time: a snapshot before it.
//!
//! A snapshot says which regions are open, not what else a profile's stack depends on. So it is used only in traces
//! without calling contexts, tasks and file operations, and where recording is on. A reader that goes on from it has to
//! find everything in order, or else reads all from the start.

use streamfold_model::enums::{MeasurementMode, RegionRole};
use streamfold_model::events::{BufferFlush, EventKind, EventVisitor};
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::snapshots::Snapshot;
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, EventSet};
use streamfold_model::values::Ticks;

use crate::{Clocks, Entry, Part, Stream};
use streamfold_otf2::{Archive, BeforeEvent, Clock, Error, LocalDefinitions, SnapshotReader};

/// An archive, its global definitions, and which times its events have.
type Trace<'t> = (&'t Archive, &'t Definitions, Clocks);

/// The last snapshot at or before a time, if there is one that can be used. Damage in snapshots, and
/// whatever does not fit, is no loss: all that they say stands in the events, too.
///
/// Mapping tables are not for snapshots, section 8, whose regions are global; but others may stand
/// for these, as they do behind the tables.
pub(super) fn entry(
    trace: Trace<'_>,
    location: LocationRef,
    local: &LocalDefinitions,
    time: Ticks,
) -> Option<Entry> {
    if !has_usable(trace) {
        return None;
    }
    let mut found = find(trace, location, time).ok()??;
    for (_, region) in &mut found.open {
        *region = meant(trace, local, *region)?;
    }
    open(trace, location, local, found).ok()?
}

/// The region that stands for one of a snapshot. `None` where there is no global definition: events
/// may mean another one by any number, one that only their location defines.
fn meant(trace: Trace<'_>, local: &LocalDefinitions, region: RegionRef) -> Option<RegionRef> {
    let known = trace.1.regions.contains_key(&region);
    known.then(|| local.mappings.standing_for(region))
}

fn has_usable(trace: Trace<'_>) -> bool {
    let (archive, definitions, clocks) = trace;
    archive.anchor().number_of_snapshots > 0
        // Times in snapshots are corrected as they stand.
        && clocks == Clocks::Corrected
        && definitions.calling_contexts.is_empty()
        && definitions.io_handles.is_empty()
        && !has_tasks(definitions)
}

/// Tells whether any region is that of a task.
pub(super) fn has_tasks(definitions: &Definitions) -> bool {
    let of_task = |role| matches!(role, RegionRole::Task | RegionRole::TaskUntied);
    definitions.regions.values().any(|region| of_task(region.region_role))
}

/// A snapshot.
struct Found {
    time: Ticks,
    open: Vec<(Ticks, RegionRef)>,
    /// The number of the first event that is not before it.
    next: u64,
}

/// The last snapshot at or before a time that can be used.
fn find(trace: Trace<'_>, location: LocationRef, time: Ticks) -> Result<Option<Found>, Error> {
    let after = Ticks(time.0.saturating_add(1));
    let index = trace.0.snapshot_chunks(location)?;
    let mut chunk = index.before_time(after, &Clock::default())?.chunk;
    drop(index);
    // Chunks further back each time: all of it together is about what the last look reads.
    let mut back = 1;
    loop {
        // A snapshot that began in a chunk before is not complete here.
        match last_of(trace.0.snapshots_from(location, chunk)?, time)? {
            Some(found) => return Ok(found),
            None if chunk == 0 => return Ok(None),
            None => chunk = chunk.saturating_sub(back),
        }
        back *= 2;
    }
}

/// The last complete snapshot at or before a time that a reader comes to; `None`: none.
fn last_of(mut reader: SnapshotReader, time: Ticks) -> Result<Option<Option<Found>>, Error> {
    let mut last = None;
    let mut present: Option<Gathered> = None;
    while reader.peek()?.is_some_and(|next| next <= time) {
        reader.deliver(&mut |head, snapshot| match snapshot {
            Ok(Snapshot::SnapshotStart(start)) => {
                present = Some(Gathered { left: start.number_of_records, open: Some(Vec::new()) });
            }
            Ok(Snapshot::SnapshotEnd(end)) => {
                if let Some(gathered) = present.take() {
                    last = Some(gathered.found(head.time, end.cont_read_pos));
                }
            }
            other => {
                if let Some(gathered) = &mut present {
                    gathered.take(head.time, other);
                }
            }
        })?;
    }
    Ok(last)
}

/// The records of a snapshot so far.
struct Gathered {
    /// Records that are to come.
    left: u64,
    /// `None`: there is something that cannot be used.
    open: Option<Vec<(Ticks, RegionRef)>>,
}

impl Gathered {
    fn take(&mut self, now: Ticks, record: Result<Snapshot<'_>, u8>) {
        let Some(left) = self.left.checked_sub(1) else {
            self.open = None;
            return;
        };
        self.left = left;
        let Some(open) = &mut self.open else { return };
        let usable = match record {
            Ok(Snapshot::EnterSnap(enter)) => {
                let since = enter.orig_event_time;
                let in_order = open.last().is_none_or(|(outer, _)| *outer <= since);
                open.push((since, enter.region));
                in_order && since <= now
            }
            Ok(Snapshot::MeasurementOnOffSnap(switch)) => {
                switch.measurement_mode == MeasurementMode::On
            }
            Ok(Snapshot::OmpTaskCreateSnap(_) | Snapshot::OmpTaskSwitchSnap(_)) | Err(_) => false,
            Ok(_) => true,
        };
        if !usable {
            self.open = None;
        }
    }

    fn found(self, time: Ticks, next: u64) -> Option<Found> {
        let open = self.open.filter(|_| self.left == 0)?;
        (next > 0).then_some(Found { time, open, next })
    }
}

/// Number of events before the one with which a snapshot says to go on that are looked at: a flush among them
/// may go on, where all behind it have its time. It stands before the one event that had no room.
const LOOKED_AT: u64 = 8;

/// Hears of flushes: the latest time at which one stops.
#[derive(Default)]
struct Flushes(Option<Ticks>);

impl EventVisitor for Flushes {
    const WANTS: EventSet = EventSet::of(&[EventKind::BufferFlush]);

    fn buffer_flush(&mut self, _: &EventHead<'_>, event: BufferFlush) {
        self.0 = self.0.max(Some(event.stop_time));
    }
}

/// Goes to the event with which a snapshot says to go on; `None` where that does not fit.
fn open(
    trace: Trace<'_>,
    location: LocationRef,
    local: &LocalDefinitions,
    found: Found,
) -> Result<Option<Entry>, Error> {
    let Found { time, open, next } = found;
    let before = next.saturating_sub(LOOKED_AT).max(1);
    let reader = trace.0.events_from_number(location, local.clone(), before)?;
    let Some(mut reader) = reader else { return Ok(None) };
    let mut flushes = Flushes::default();
    while reader.read_part_to(BeforeEvent(next), &mut flushes)? == Part::More {}
    let goes_on = flushes.0.is_some_and(|stop| stop > time);
    if next > before && reader.summary().last.is_none_or(|last| last >= time) {
        return Ok(None);
    }
    let fits = reader.peek()?.is_some_and(|first| first >= time) && reader.next_number() == next;
    reader.count_from_here();
    let stream = Stream::InPlace(Box::new(reader));
    Ok((fits && !goes_on).then_some(Entry { stream, open }))
}
