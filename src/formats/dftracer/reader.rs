//! The events of some locations, thread by thread.

use std::collections::VecDeque;
use std::sync::Arc;

use streamfold_model::enums::{IoOperationFlag, IoOperationMode};
use streamfold_model::events::{Enter, Event, IoOperationBegin, IoOperationComplete, Leave};
use streamfold_model::ids::{IoFileRef, IoHandleRef, LocationRef, RegionRef};
use streamfold_model::values::Ticks;

use super::slices::{Decoder, Op, Slice, Slices};
use super::source::{Dftracer, TracePart};
use crate::formats::defining::Known;
use crate::formats::{Batch, Batches, Loss, OwnRun, Run};

/// A batch ends behind so many calls.
const CALLS: u64 = 2048;

/// Reads the calls of some locations.
pub(super) struct Reader {
    trace: Dftracer,
    /// The threads that are left: the number of the file, and the wanted lanes of the thread.
    left: VecDeque<(usize, Vec<u32>)>,
    /// The calls of the file before: threads of one file follow each other.
    slices: Option<(usize, Arc<Slices>)>,
    open: Option<Thread>,
    turn: u64,
    /// Bytes of the threads before.
    before: u64,
}

/// The thread that is read.
struct Thread {
    part: usize,
    calls: Decoder,
    /// The first lane, and all of them; those that are not wanted are `None`.
    first: u32,
    lanes: Vec<Option<Lane>>,
    bytes: u64,
}

/// A lane that is read.
struct Lane {
    location: LocationRef,
    events: u64,
    operations: u64,
    /// Open calls, with what their operation on a file transferred.
    open: Vec<(Slice, Option<Operation>)>,
    run: OwnRun,
}

#[derive(Clone, Copy)]
struct Operation {
    handle: IoHandleRef,
    bytes: u64,
    id: u64,
}

impl Reader {
    /// Of these locations.
    pub fn new(trace: &Dftracer, locations: &[LocationRef]) -> Self {
        let mut wanted = locations.to_vec();
        wanted.sort_unstable();
        let mut left: VecDeque<(usize, Vec<u32>)> = VecDeque::new();
        for location in wanted {
            let Some(part) = trace.part_of(location) else { continue };
            let lane = (location.0 - trace.parts[part].first_location) as u32;
            match left.back_mut() {
                Some((last, lanes)) if *last == part => lanes.push(lane),
                _ => left.push_back((part, vec![lane])),
            }
        }
        Reader { trace: trace.clone(), left, slices: None, open: None, turn: 0, before: 0 }
    }

    /// Opens the next thread. `false`: there is none.
    fn open_next(&mut self) -> Result<bool, Loss> {
        let Some((part, mut lanes)) = self.left.pop_front() else { return Ok(false) };
        let slices = match &self.slices {
            Some((of, slices)) if *of == part => slices.clone(),
            _ => self.trace.slices(part)?,
        };
        self.slices = Some((part, slices.clone()));
        let (first, calls) = slices.of_thread_with(lanes[0]);
        let count = slices.lanes_from(first);
        let others: Vec<u32> =
            lanes.iter().copied().filter(|lane| *lane >= first + count).collect();
        lanes.retain(|lane| *lane < first + count);
        if !others.is_empty() {
            self.left.push_front((part, others));
        }
        let of = &self.trace.parts[part];
        let lane = |number: u32| {
            lanes.contains(&(first + number)).then(|| Lane {
                location: LocationRef(of.first_location + u64::from(first + number)),
                events: 0,
                operations: 0,
                open: Vec::new(),
                run: OwnRun::default(),
            })
        };
        let bytes = lanes.iter().map(|lane| {
            use crate::formats::Source;
            self.trace.cost(LocationRef(of.first_location + u64::from(*lane)))
        });
        let bytes = bytes.sum();
        let lanes = (0..count).map(lane).collect();
        self.open = Some(Thread { part, calls, first, lanes, bytes });
        Ok(true)
    }
}

impl Batches for Reader {
    fn next(&mut self, batch: &mut Batch) -> Result<bool, Loss> {
        if self.open.is_none() && !self.open_next()? {
            return Ok(false);
        }
        self.turn += 1;
        let Reader { trace, open, turn, before, .. } = self;
        let Some(thread) = open else { return Ok(false) };
        let part = &trace.parts[thread.part];
        for _ in 0..CALLS {
            let slice = thread.calls.next().map_err(|error| {
                let what = format!("a temporary file cannot be read: {error}");
                Loss::of_system(&part.path, &what)
            })?;
            let Some(slice) = slice else {
                for lane in thread.lanes.iter_mut().flatten() {
                    lane.leave_before(part, u64::MAX, *turn, batch);
                }
                *before += thread.bytes;
                *open = None;
                return Ok(true);
            };
            let lane = thread.lanes.get_mut((slice.lane - thread.first) as usize);
            if let Some(Some(lane)) = lane {
                lane.leave_before(part, slice.start, *turn, batch);
                lane.enter(part, slice, *turn, batch);
            }
        }
        Ok(true)
    }

    fn bytes(&self) -> u64 {
        self.before
    }

    fn rest(&mut self) {}
}

impl Lane {
    fn run<'b>(&mut self, turn: u64, batch: &'b mut Batch) -> &'b mut Run {
        self.run.of(turn, (self.location, self.events), batch)
    }

    /// Calls that ended up to a time are left.
    fn leave_before(&mut self, part: &TracePart, time: u64, turn: u64, batch: &mut Batch) {
        while let Some((slice, operation)) = self.open.pop_if(|(slice, _)| slice.end <= time) {
            let end = Ticks(slice.end);
            let run = self.run(turn, batch);
            if let Some(Operation { handle, bytes, id }) = operation {
                let complete = IoOperationComplete { handle, bytes_result: bytes, matching_id: id };
                run.push(slice.line, end, Event::IoOperationComplete(complete));
            }
            let region = RegionRef(part.regions[slice.region as usize]);
            run.push(slice.line, end, Event::Leave(Leave { region }));
            self.events += 1 + u64::from(operation.is_some());
        }
    }

    fn enter(&mut self, part: &TracePart, slice: Slice, turn: u64, batch: &mut Batch) {
        let region = part.regions[slice.region as usize];
        let begin = Ticks(slice.start);
        let handle = part.handles.get(slice.file as usize).copied();
        let operation = match (slice.op, handle) {
            (Op::Other | Op::Failed, _) => None,
            (_, handle) => {
                self.operations += 1;
                let handle = handle.map_or(IoHandleRef::UNDEFINED, IoHandleRef);
                Some(Operation { handle, bytes: slice.bytes, id: self.operations })
            }
        };
        let run = self.run(turn, batch);
        run.push(slice.line, begin, Event::Enter(Enter { region: RegionRef(region) }));
        let file = part.files.get(slice.file as usize).filter(|_| operation.is_none());
        let known = [
            file.map(|file| Known::File(IoFileRef(*file))),
            slice.offset.map(Known::Offset),
            (slice.op == Op::Failed).then_some(Known::Error(0)),
        ];
        known.into_iter().flatten().for_each(|known| run.note(known.entry()));
        if let Some(Operation { handle, bytes, id }) = operation {
            let is_read = slice.op == Op::Read;
            let mode = if is_read { IoOperationMode::Read } else { IoOperationMode::Write };
            let operation = IoOperationBegin {
                handle,
                mode,
                operation_flags: IoOperationFlag::NONE,
                bytes_request: bytes,
                matching_id: id,
            };
            run.push(slice.line, begin, Event::IoOperationBegin(operation));
        }
        self.events += 1 + u64::from(operation.is_some());
        self.open.push((slice, operation));
    }
}
