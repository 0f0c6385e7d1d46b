//! The events of some processors, in one pass over the file.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use streamfold_model::ids::LocationRef;

use super::meaning::{Lane, Meaning};
use super::records::{Next, Record, Shape, Wanted};
use super::text::Tokens;
use crate::{Batch, Batches, Loss, OwnRun, Run};

/// Reads the records of some processors, and forms states.
pub(super) struct Reader {
    tokens: Tokens,
    meaning: Meaning,
    shape: Shape,
    wanted: Arc<Wanted>,
    lanes: BTreeMap<u32, Reading>,
    /// Batches so far.
    turn: u64,
    done: bool,
}

/// The stream of a processor.
#[derive(Default)]
struct Reading {
    lane: Lane,
    run: OwnRun,
}

impl Reading {
    /// Its stream, and its run in this batch.
    fn at<'b>(
        &mut self,
        processor: u32,
        turn: u64,
        batch: &'b mut Batch,
    ) -> (&mut Lane, &'b mut Run) {
        let location = LocationRef(processor.into());
        let run = self.run.of(turn, (location, self.lane.events), batch);
        (&mut self.lane, run)
    }
}

/// Takes a record, if its processor is wanted.
fn take(
    lanes: &mut BTreeMap<u32, Reading>,
    record: Record,
    counters: &[u64],
    meaning: &Meaning,
    (turn, batch): (u64, &mut Batch),
) {
    if let Some(reading) = lanes.get_mut(&record.processor) {
        let (lane, run) = reading.at(record.processor, turn, batch);
        lane.take(meaning, record, counters, run);
    }
}

impl Reader {
    /// Of a log whose records begin at an offset and line. `is_alone`: other threads read nothing of it.
    pub(super) fn open(
        path: &Path,
        (offset, line): (u64, u64),
        meaning: Meaning,
        shape: Shape,
        locations: &[LocationRef],
        is_alone: bool,
    ) -> Result<Self, Loss> {
        let tokens = Tokens::open(path, offset, line, is_alone)?;
        let processors = locations.iter().filter_map(|location| u32::try_from(location.0).ok());
        let wanted: Wanted = processors.collect();
        let lanes = wanted.iter().map(|processor| (*processor, Reading::default())).collect();
        let wanted = Arc::new(wanted);
        Ok(Reader { tokens, meaning, shape, wanted, lanes, turn: 0, done: false })
    }
}

impl Batches for Reader {
    fn next(&mut self, batch: &mut Batch) -> Result<bool, Loss> {
        if self.done {
            return Ok(false);
        }
        self.turn += 1;
        let Reader { tokens, meaning, shape, wanted, lanes, turn, .. } = self;
        if let Some(records) = tokens.records(*shape, Some(wanted))? {
            for (record, counters) in records.iter() {
                take(lanes, record, counters, meaning, (*turn, batch));
            }
            return Ok(true);
        }
        // Something odd, and what is at hand behind it.
        let mut counters = Vec::new();
        loop {
            match shape.next(tokens, &mut counters, |processor| wanted.contains(&processor))? {
                Next::Passed => {}
                Next::Record(record) => take(lanes, record, &counters, meaning, (*turn, batch)),
                Next::Rejected(_, rejected) => {
                    let Some(processor) = rejected.processor else { continue };
                    let Some(reading) = lanes.get_mut(&processor) else { continue };
                    let (lane, run) = reading.at(processor, *turn, batch);
                    lane.separate(meaning, run);
                }
                Next::Foot(_) | Next::End => {
                    self.done = true;
                    for (processor, reading) in lanes {
                        let (lane, run) = reading.at(*processor, *turn, batch);
                        lane.separate(meaning, run);
                    }
                    return Ok(true);
                }
            }
            if tokens.is_between_blocks() {
                return Ok(true);
            }
        }
    }

    fn bytes(&self) -> u64 {
        self.tokens.offset()
    }

    fn rest(&mut self) {
        self.tokens.rest();
    }
}
