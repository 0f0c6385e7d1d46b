//! The events of some processors, in one pass over the file.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use streamfold_model::ids::LocationRef;

use super::meaning::{Lane, Meaning};
use super::records::{Next, Record, Shape, Wanted};
use super::text::Tokens;
use crate::text::{Extent, Parting};
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
    /// Of a log whose records begin at an offset and line.
    pub(super) fn open(
        path: &Path,
        extent: Extent,
        begin: (u64, u64),
        meaning: Meaning,
        shape: Shape,
        locations: &[LocationRef],
        parting: Parting,
    ) -> Result<Self, Loss> {
        let tokens = Tokens::open(path, extent, begin, parting)?;
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

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::super::scan::scan_in_blocks;
    use super::super::Readings;
    use super::*;

    /// Everything that is known of a log: definitions, losses, and the events of each processor.
    fn read(path: &Path, size: usize) -> String {
        let parting = Parting { size, is_alone: true };
        let (log, definitions) = match scan_in_blocks(path, Readings::default(), parting) {
            Ok(read) => read,
            Err(error) => return error.to_string(),
        };
        let locations: Vec<LocationRef> = definitions.locations.keys().copied().collect();
        let mut reader = log.reader(&locations, parting).expect("a file");
        let (mut events, mut batch) = (BTreeMap::<_, Vec<String>>::new(), Batch::default());
        while reader.next(&mut batch).expect("a file") {
            for run in batch.runs() {
                events.entry(run.location()).or_default().extend(run.shown());
            }
            batch.clear();
        }
        let facts = (log.begin, log.extent, log.records, log.width, &log.losses, &log.notes);
        format!("{:?}\n{facts:?}\n{events:#?}", definitions.records())
    }

    fn word() -> impl Strategy<Value = String> {
        let record = |(processor, event, time, counter): (u32, u32, u64, u64)| {
            format!("{processor:02x}:{event}:{time:08x}:{counter:x}\n")
        };
        prop_oneof![
            20 => (0u32..4, 1u32..5, 0u64..0xffff, any::<u64>()).prop_map(record),
            1 => prop::sample::select(vec![
                "1:2:AF:0F\n", "0:1:2 ", "0:1:2:3\t0:2:3:4", "{", "}", "\"a b\"", "\"", "foot", "1:1:1:1", "\n\n",
                "1:99999999999:1:1\n", "1:1:11111111111111111:1\n", "1:1:00000000000000011:1\r\n", "x\u{b}",
            ]).prop_map(str::to_owned),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// Blocks of any length, on any number of threads, bring the same.
        #[test]
        fn blocks_of_any_length_are_the_same(
            words in prop::collection::vec(word(), 0..80),
            foot in prop::sample::select(vec!["", "foot { nproc 4 }\n", "foot { counters { a b } }", "foot { events {"]),
        ) {
            let head = "GISTLOG-01\nhead { timeunitspersec 1000 nproc 4 counters { a }\n\
                        events { 1 \"one: { }\" 2 \"two\" } states { 1 2 \"busy\" 2 1 \"idle\" } }\n";
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("t.gist");
            fs::write(&path, format!("{head}{}{foot}", words.concat())).expect("written");
            let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            let whole = pool(1).install(|| read(&path, 1 << 20));
            let threads = pool(3);
            for size in [1, 20, 300] {
                prop_assert_eq!(&threads.install(|| read(&path, size)), &whole, "{}", size);
            }
            prop_assert_eq!(&read(&path, 50), &whole);
        }
    }
}
