//! The events of some processors, in one pass over the file.

use std::collections::BTreeMap;
use std::path::Path;

use streamfold_model::ids::LocationRef;

use super::meaning::{Lane, Meaning};
use super::records::{Next, Record, Shape};
use super::text::Tokens;
use crate::text::Extent;
use crate::{Batch, Batches, Loss, OwnRun, Run};

/// A batch ends behind so many events or bytes.
const EVENTS: u64 = 4096;
const BYTES: u64 = 256 << 10;

/// Reads the records of some processors, and forms states.
pub(super) struct Reader {
    tokens: Tokens,
    meaning: Meaning,
    shape: Shape,
    lanes: BTreeMap<u32, Reading>,
    record: Record,
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

impl Reader {
    /// Of a log whose records begin at an offset and line.
    pub(super) fn open(
        path: &Path,
        extent: Extent,
        begin: (u64, u64),
        meaning: Meaning,
        shape: Shape,
        locations: &[LocationRef],
    ) -> Result<Self, Loss> {
        let tokens = Tokens::open(path, extent, begin)?;
        let processors = locations.iter().filter_map(|location| u32::try_from(location.0).ok());
        Ok(Reader {
            tokens,
            meaning,
            shape,
            lanes: processors.map(|processor| (processor, Reading::default())).collect(),
            record: Record::default(),
            turn: 0,
            done: false,
        })
    }
}

impl Batches for Reader {
    fn next(&mut self, batch: &mut Batch) -> Result<bool, Loss> {
        if self.done {
            return Ok(false);
        }
        self.turn += 1;
        let Reader { tokens, meaning, shape, lanes, record, turn, .. } = self;
        let end = tokens.offset() + BYTES;
        let mut events = 0;
        while events < EVENTS && tokens.offset() < end {
            match shape.next(tokens, record, |processor| lanes.contains_key(&processor))? {
                Next::Passed => {}
                Next::Record(at, _) => {
                    let processor = record.processor;
                    let Some(reading) = lanes.get_mut(&processor) else { continue };
                    let (lane, run) = reading.at(processor, *turn, batch);
                    let before = lane.events;
                    lane.take(meaning, at.line, record, run);
                    events += lane.events - before;
                }
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
                    break;
                }
            }
        }
        Ok(true)
    }

    fn bytes(&self) -> u64 {
        self.tokens.offset()
    }

    fn rest(&mut self) {
        self.tokens.rest();
    }
}
