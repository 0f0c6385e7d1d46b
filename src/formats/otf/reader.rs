//! The events of some processes: one pass over each of their streams.

use std::collections::{BTreeMap, HashMap};
use std::mem;
use std::sync::Arc;

use foldhash::fast::RandomState;
use streamfold_model::ids::LocationRef;

use super::events::Turn;
use super::known::Known;
use super::lines::Lines;
use super::losses::Losses;
use super::parts::{Found, Parts};
use super::pass::Pass;
use crate::{Batch, Batches, Loss};

/// A batch with an unfinished file operation goes on, up to so many events.
const MOST: usize = 64 << 10;

/// Reads streams, one after another.
pub(super) struct Reader {
    known: Arc<Known>,
    /// Streams that are still to be read, the last one first, with the processes that are wanted of each.
    streams: Vec<(usize, Vec<u32>)>,
    size: usize,
    open: Option<Open>,
    turn: u64,
    /// Bytes of text of the streams that were read.
    before: u64,
    losses: Losses,
}

/// A stream that is read.
struct Open {
    blocks: Parts,
    pass: Pass,
    /// The location that reports losses without a process.
    first: Option<LocationRef>,
}

impl Reader {
    /// Of these locations, in blocks of so many bytes as a rule.
    pub(super) fn new(known: Arc<Known>, locations: &[LocationRef], size: usize) -> Self {
        let mut wanted: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for location in locations {
            let Ok(process) = u32::try_from(location.0) else { continue };
            if let Some(stream) = known.stream_of(process) {
                wanted.entry(stream).or_default().push(process);
            }
        }
        let streams = wanted.into_iter().rev().collect();
        let losses = Losses::default();
        Reader { known, streams, size, open: None, turn: 0, before: 0, losses }
    }

    /// Opens the next stream. `false`: there is none.
    fn open_next(&mut self) -> bool {
        let Some((number, processes)) = self.streams.pop() else { return false };
        let stream = &self.known.streams[number];
        // That there is no file was reported when the trace was opened.
        let Some(path) = &stream.events else { return true };
        let first = stream.processes.first().filter(|first| processes.contains(first));
        let first = first.map(|process| LocationRef((*process).into()));
        match Lines::open_to(path, stream.extent, self.size) {
            Ok(lines) => {
                let of_process: Arc<HashMap<u32, usize, RandomState>> =
                    Arc::new(processes.iter().copied().zip(0..).collect());
                let pass = Pass::new(number, &self.known, &of_process, Known::lane);
                let blocks = Parts::new(lines, self.known.reads_ahead());
                self.open = Some(Open { blocks, pass, first });
            }
            Err(error) => {
                let loss = Loss::of_system(path, &error);
                for process in processes {
                    self.losses.push(LocationRef(process.into()), loss.clone());
                }
            }
        }
        true
    }
}

impl Batches for Reader {
    fn next(&mut self, batch: &mut Batch) -> Result<bool, Loss> {
        self.turn += 1;
        while self.open.is_none() {
            if !self.open_next() {
                return Ok(false);
            }
        }
        let Some(open) = &mut self.open else { return Ok(false) };
        let mut turn = Turn::new(&self.known, self.turn, batch);
        let has_ended = loop {
            match open.blocks.next(&mut open.pass) {
                Ok(Found::Block(block)) => open.pass.take(&block, &mut turn, &mut self.losses),
                Ok(Found::Part(part)) => open.pass.take_part(*part, &mut turn, &mut self.losses),
                Ok(Found::Unfinished(rest)) => {
                    open.pass.unfinished(&rest, open.first, &mut self.losses);
                }
                Ok(Found::Lost(what)) => {
                    let loss = Loss::of_line(open.pass.path(), open.pass.lines + 1, what);
                    open.pass.lose();
                    self.losses.of(open.first, loss);
                }
                Ok(Found::End) => break true,
                Err(error) => {
                    let loss = Loss::of_system(open.pass.path(), &error);
                    self.losses.of(open.first, loss);
                    break true;
                }
            }
            if turn.pending == 0 || turn.events >= MOST {
                break false;
            }
        };
        let Open { blocks, pass, first } = open;
        for lane in &mut pass.lanes {
            lane.end_batch(&mut turn, has_ended);
        }
        if has_ended {
            if blocks.bytes() > 0 && !pass.state.is_whole() {
                let what = "there is no time line with a process line behind it: no event is read";
                if pass.lanes.iter().all(|lane| lane.events == 0) {
                    self.losses.of(*first, Loss::of_file(pass.path(), what));
                }
            }
            let extent = self.known.streams[pass.stream].extent;
            if let Some(growth) = extent.growth(pass.path()) {
                self.losses.of(*first, growth);
            }
            self.before += blocks.bytes();
            for lane in &pass.lanes {
                for what in lane.faults() {
                    self.losses.push(lane.location, Loss::of_file(pass.path(), what));
                }
            }
            self.open = None;
        }
        Ok(true)
    }

    fn bytes(&self) -> u64 {
        self.before + self.open.as_ref().map_or(0, |open| open.blocks.bytes())
    }

    fn rest(&mut self) {
        self.open.iter().for_each(|open| open.blocks.rest());
    }

    fn losses(&mut self) -> Vec<(LocationRef, Loss)> {
        mem::take(&mut self.losses).all()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::super::scan;
    use super::*;

    /// The events of each location, with their numbers and lines, and all losses.
    fn read(known: &Arc<Known>, size: usize) -> (BTreeMap<LocationRef, Vec<String>>, Vec<String>) {
        let locations = [1, 2].map(LocationRef);
        let mut reader = Reader::new(known.clone(), &locations, size);
        let (mut events, mut batch) = (BTreeMap::<_, Vec<String>>::new(), Batch::default());
        loop {
            batch.clear();
            let more = reader.next(&mut batch).expect("a file");
            for run in batch.runs() {
                events.entry(run.location()).or_default().extend(run.shown());
            }
            if !more {
                let losses = reader.losses().into_iter().map(|(_, loss)| loss.to_string());
                return (events, losses.collect());
            }
        }
    }

    fn line() -> impl Strategy<Value = String> {
        prop_oneof![
            12 => (0u64..0xfff, 1u32..4, 1u32..4).prop_map(|(time, of, to)| format!("{time:x}\n*{of}\nE{to}")),
            12 => (0u64..0xfff, 1u32..4, 1u32..4).prop_map(|(time, of, to)| format!("{time:x}\n*{of}\nL{to}")),
            12 => (0u64..0xfff, 1u32..4).prop_map(|(time, of)| format!("{time:x}\n*{of}\nL")),
            4 => (0u64..0xfff).prop_map(|time| format!("{time:x}")),
            4 => (1u32..4).prop_map(|of| format!("*{of}")),
            4 => (1u32..4).prop_map(|to| format!("S{to}L400T7C1")),
            4 => Just("R2L400T7C1X5".to_owned()),
            4 => (0u32..9).prop_map(|value| format!("CNT1V{value}")),
            4 => (1u32..4).prop_map(|id| format!("COPB1H{id}C1RT1S40R{id}0")),
            4 => (1u32..4).prop_map(|id| format!("COPE{id}")),
            1 => Just("COP1C1RT1S1R1D20".to_owned()),
            1 => (1u32..4).prop_map(|id| format!("FB{id}")),
            1 => (1u32..4).prop_map(|id| format!("FE1H{id}OP2B40")),
            1 => Just("F1H1OP2B40D10".to_owned()),
            1 => Just("K1Y6V5".to_owned()),
            1 => prop::sample::select(vec!["", " E1 ", "\t5", "Q", "S1L", "#\"text\"", "TE1", "E1X2", "L1\r"])
                .prop_map(str::to_owned),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Blocks of any length, on any number of threads, bring the same events and losses.
        #[test]
        fn blocks_of_any_length_are_the_same(
            lines in prop::collection::vec(line(), 1..120),
            has_end in any::<bool>(),
        ) {
            let folder = tempfile::tempdir().expect("a folder");
            let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
            write("t.otf", "1:1,2,3\n");
            write("t.0.def", "DTR3e8\nDP1NM\"a\"\nDP2NM\"b\"\nDP3NM\"c\"\n");
            write("t.1.events", &(lines.join("\n") + if has_end { "\n" } else { "" }));
            let (otf, _) = scan(&folder.path().join("t.otf")).expect("a trace");
            let known = otf.known();
            let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            let whole = pool(1).install(|| read(known, 1 << 20));
            let threads = pool(3);
            for size in [1, 20, 100, 700] {
                prop_assert_eq!(&threads.install(|| read(known, size)), &whole, "{}", size);
            }
            prop_assert_eq!(&read(known, 50), &whole);
        }
    }
}
