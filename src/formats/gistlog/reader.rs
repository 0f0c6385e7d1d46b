//! The events of some processors, in one pass over the file.

use std::collections::BTreeMap;

use streamfold_model::ids::LocationRef;

use super::meaning::{Lane, Meaning};
use super::records::{Next, Record, Shape};
use super::source::Log;
use super::text::Tokens;
use crate::formats::{Batch, Batches, Loss};

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

/// The stream of a processor, and its run in the present batch.
#[derive(Default)]
struct Reading {
    lane: Lane,
    /// The batch, and the place of the run in it.
    run: (u64, usize),
}

impl Reading {
    /// The place of its run in this batch.
    fn place(&mut self, processor: u32, turn: u64, batch: &mut Batch) -> usize {
        if self.run.0 != turn {
            let place = batch.begin(LocationRef(processor.into()), self.lane.events + 1);
            self.run = (turn, place);
        }
        self.run.1
    }
}

impl Reader {
    pub fn open(log: &Log, locations: &[LocationRef]) -> Result<Self, Loss> {
        let tokens = Tokens::open(&log.path, log.begin.0, log.begin.1)?;
        let processors = locations.iter().filter_map(|location| u32::try_from(location.0).ok());
        Ok(Reader {
            tokens,
            meaning: log.meaning.clone(),
            shape: Shape {
                counters: log.meaning.counters,
                processors: log.readings.processors,
                width: log.width,
            },
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
                    let place = reading.place(processor, *turn, batch);
                    let before = reading.lane.events;
                    reading.lane.take(meaning, at.line, record, batch.run(place));
                    events += reading.lane.events - before;
                }
                Next::Rejected(_, rejected) => {
                    let Some(processor) = rejected.processor else { continue };
                    let Some(reading) = lanes.get_mut(&processor) else { continue };
                    let place = reading.place(processor, *turn, batch);
                    reading.lane.separate(meaning, batch.run(place));
                }
                Next::Foot(_) | Next::End => {
                    self.done = true;
                    for (processor, reading) in lanes {
                        let place = reading.place(*processor, *turn, batch);
                        reading.lane.separate(meaning, batch.run(place));
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
