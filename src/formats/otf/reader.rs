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
        match Lines::open_beside(path, self.size, None) {
            Ok(lines) => {
                // Threads that have no stream of their own read blocks ahead.
                let is_alone = self.known.streams.len() < rayon::current_num_threads();
                let of_process: Arc<HashMap<u32, usize, RandomState>> =
                    Arc::new(processes.iter().copied().zip(0..).collect());
                let pass = Pass::new(number, &self.known, &of_process, Known::lane);
                self.open = Some(Open { blocks: Parts::new(lines, is_alone), pass, first });
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
                Ok(Found::Part(part)) => open.pass.take_part(part, &mut turn, &mut self.losses),
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
            if turn.events > 0 && (turn.pending == 0 || turn.events >= MOST) {
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

    fn rest(&mut self) {}

    fn losses(&mut self) -> Vec<(LocationRef, Loss)> {
        mem::take(&mut self.losses).all()
    }
}
