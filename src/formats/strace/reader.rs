//! The events of some locations, file by file.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::enums::IoOperationFlag;
use streamfold_model::events::{Enter, Event, IoOperationBegin, IoOperationComplete, Leave};
use streamfold_model::ids::{IoFileRef, IoHandleRef, LocationRef, RegionRef};
use streamfold_model::values::Ticks;

use super::blocks::BLOCK;
use super::call::Call;
use super::errno::errno;
use super::file::{FileReader, Reading};
use super::report::FileReport;
use crate::defining::Known;
use crate::text::Extent;
use crate::{Batch, Batches, Loss, OwnRun};

/// Facts that all readers share.
#[derive(Debug)]
pub(super) struct Shared {
    pub parts: Vec<LogPart>,
    pub calls: HashMap<Vec<u8>, RegionRef, RandomState>,
    pub paths: HashMap<Vec<u8>, IoHandleRef, RandomState>,
}

/// A file of the logs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct LogPart {
    pub path: PathBuf,
    /// The process of a file of `-ff`.
    pub pid: Option<u64>,
    /// The process of lines that name none.
    pub sole: u64,
    /// The length of the file.
    pub extent: Extent,
    /// Bytes of text.
    pub bytes: u64,
    /// Process, how often its number was used before, location, events. Locations follow each other, those of all
    /// files, too.
    pub processes: Vec<(u64, u32, u64, u64)>,
    /// The location that comes next.
    pub next: u64,
    /// Events of all processes.
    pub events: u64,
}

impl LogPart {
    /// Events of a location.
    pub(super) fn events_of(&self, location: LocationRef) -> Option<u64> {
        let first = self.next - self.processes.len() as u64;
        let place = usize::try_from(location.0.checked_sub(first)?).ok()?;
        self.processes.get(place).map(|(.., events)| *events)
    }
}

/// The number of the file with the events of a location.
pub(super) fn part_of(parts: &[LogPart], location: LocationRef) -> Option<usize> {
    let number = parts.partition_point(|part| part.next <= location.0);
    (number < parts.len()).then_some(number)
}

/// Reads the calls of some locations.
pub(super) struct Reader {
    log: Arc<Shared>,
    /// The parts of the log that are left.
    left: VecDeque<usize>,
    open: Option<(FileReader, u64)>,
    /// The locations of the file that is open, by process and use of its number.
    lanes: HashMap<(u64, u32), Lane, RandomState>,
    /// Bytes of the files before.
    before: u64,
    turn: u64,
    wanted: Vec<LocationRef>,
}

/// A location of the file that is open.
struct Lane {
    location: LocationRef,
    events: u64,
    /// When the last call ended.
    end: u64,
    operations: u64,
    run: OwnRun,
}

impl Reader {
    /// Of these locations.
    pub(super) fn new(log: Arc<Shared>, locations: &[LocationRef]) -> Self {
        let mut wanted = locations.to_vec();
        wanted.sort_unstable();
        let mut left: VecDeque<usize> =
            wanted.iter().filter_map(|location| part_of(&log.parts, *location)).collect();
        left.make_contiguous().sort_unstable();
        let mut before = None;
        left.retain(|part| before.replace(*part) != Some(*part));
        Reader { log, left, open: None, lanes: HashMap::default(), before: 0, turn: 0, wanted }
    }

    /// Opens the next file. `false`: there is none.
    fn open_next(&mut self) -> Result<bool, Loss> {
        let Some(number) = self.left.pop_front() else { return Ok(false) };
        let part = &self.log.parts[number];
        let reading = Reading { pid: part.pid, sockets: false, is_alone: false };
        let reader = FileReader::open(&part.path, part.extent, (reading, BLOCK))?;
        self.open = Some((reader, part.sole));
        let lane = |(pid, generation, id, _): &(u64, u32, u64, u64)| {
            let location = LocationRef(*id);
            let lane = Lane { location, events: 0, end: 0, operations: 0, run: OwnRun::default() };
            ((*pid, *generation), lane)
        };
        let wanted = |(.., id, _): &&(u64, u32, u64, u64)| {
            self.wanted.binary_search(&LocationRef(*id)).is_ok()
        };
        self.lanes = part.processes.iter().filter(wanted).map(lane).collect();
        Ok(true)
    }
}

impl Batches for Reader {
    fn next(&mut self, batch: &mut Batch) -> Result<bool, Loss> {
        if self.open.is_none() && !self.open_next()? {
            return Ok(false);
        }
        self.turn += 1;
        let Reader { log, open, lanes, turn, .. } = self;
        let Some((file, sole)) = open else { return Ok(false) };
        // A batch is a block.
        let has_more = file.next(&mut |call| {
            let pid = if call.pid == FileReport::SOLE { *sole } else { call.pid };
            let Some(lane) = lanes.get_mut(&(pid, call.generation)) else { return };
            let Some(region) = log.calls.get(call.name) else { return };
            lane.take(call, *region, &log.paths, *turn, batch);
        })?;
        if !has_more {
            self.before += file.bytes();
            self.open = None;
        }
        Ok(true)
    }

    fn bytes(&self) -> u64 {
        self.before + self.open.as_ref().map_or(0, |(file, _)| file.bytes())
    }

    fn rest(&mut self) {}
}

/// Begin and end of a call, given the end of the one before it at its location. Durations have another clock than
/// begins, and begins may be coarse: a call may seem to begin before the one before it ends. It follows that, and
/// takes as long as it took.
pub(super) fn placed(call: &Call<'_>, before: u64) -> (u64, u64) {
    let begin = u64::try_from(call.start).unwrap_or(0).max(before);
    (begin, begin.saturating_add(call.duration.unwrap_or(0).unsigned_abs()))
}

impl Lane {
    /// A call becomes two events, and two more for each file from or to which bytes went.
    fn take(
        &mut self,
        call: &Call<'_>,
        region: RegionRef,
        paths: &HashMap<Vec<u8>, IoHandleRef, RandomState>,
        turn: u64,
        batch: &mut Batch,
    ) {
        let run = self.run.of(turn, (self.location, self.events), batch);
        let (begin, end) = placed(call, self.end);
        self.end = end;
        let (begin, end) = (Ticks(begin), Ticks(end));
        run.push(call.line, begin, Event::Enter(Enter { region }));
        // A file has the number of its handle.
        let path = if call.size.is_none() { call.path() } else { None };
        let file = path.and_then(|path| paths.get(&path)).map(|handle| IoFileRef(handle.0));
        let error = call.error.map(|name| u32::try_from(errno(name)).unwrap_or(0));
        let known =
            [file.map(Known::File), call.offset.map(Known::Offset), error.map(Known::Error)];
        known.into_iter().flatten().for_each(|known| run.note(known.entry()));
        let mut count = 2;
        let mut completes = [None; 2];
        let bytes = call.size.unwrap_or(0);
        call.transfers(|mode, path| {
            let Some(handle) = paths.get(&path).copied() else { return };
            self.operations += 1;
            let matching_id = self.operations;
            let operation_flags = IoOperationFlag::NONE;
            let begun = IoOperationBegin {
                handle,
                mode,
                operation_flags,
                bytes_request: bytes,
                matching_id,
            };
            run.push(call.line, begin, Event::IoOperationBegin(begun));
            let complete = IoOperationComplete { handle, bytes_result: bytes, matching_id };
            completes[usize::from(completes[0].is_some())] = Some(complete);
            count += 2;
        });
        for complete in completes.into_iter().flatten() {
            run.push(call.line, end, Event::IoOperationComplete(complete));
        }
        run.push(call.line, end, Event::Leave(Leave { region }));
        self.events += count;
    }
}
