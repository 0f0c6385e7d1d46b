//! A pass over the lines of a stream.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use foldhash::fast::RandomState;
use streamfold_model::ids::LocationRef;

use super::events::{Lane, Turn};
use super::keyvalues::{self, KeyValue};
use super::known::Known;
use super::lines::behind_line;
use super::losses::Losses;
use super::parts::Part;
use super::record::{self, begin_of, Cursor, Malformed, Record, Section};
use super::state::State;
use crate::{Batch, Loss};

/// The state of a stream that was read up to a line: it holds for the next one.
pub(super) struct Pass {
    pub stream: usize,
    pub known: Arc<Known>,
    /// The lane of each process that is wanted.
    pub of_process: Arc<HashMap<u32, usize, RandomState>>,
    pub lanes: Vec<Lane>,
    pub state: State,
    keyvalues: Vec<KeyValue>,
    /// Lines so far.
    pub lines: u64,
    /// The process whose lane was looked for last, and that: most lines are of the process of the line before.
    last: Option<(u32, Option<usize>)>,
    /// Batches of parts that were taken: their room is used again.
    pub room: Vec<Batch>,
}

impl Pass {
    /// Of some processes, with a lane of each.
    pub(super) fn new(
        stream: usize,
        known: &Arc<Known>,
        of_process: &Arc<HashMap<u32, usize, RandomState>>,
        lane: fn(&Known, u32) -> Lane,
    ) -> Self {
        let mut processes: Vec<(usize, u32)> =
            of_process.iter().map(|(process, lane)| (*lane, *process)).collect();
        processes.sort_unstable();
        Pass {
            stream,
            known: known.clone(),
            of_process: of_process.clone(),
            lanes: processes.into_iter().map(|(_, process)| lane(known, process)).collect(),
            state: State::default(),
            keyvalues: Vec::new(),
            lines: 0,
            last: None,
            room: Vec::new(),
        }
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        self.known.streams[self.stream].events.as_deref().unwrap_or(Path::new(""))
    }

    /// The lane of the process that holds, if that is wanted.
    #[inline]
    fn lane(&mut self) -> Option<usize> {
        if !self.state.is_whole() {
            return None;
        }
        let process = self.state.process();
        match self.last {
            Some((last, lane)) if last == process => lane,
            _ => {
                let lane = self.of_process.get(&process).copied();
                self.last = Some((process, lane));
                lane
            }
        }
    }

    /// Takes whole lines, of a part up to one that is odd.
    pub(super) fn take(&mut self, text: &[u8], turn: &mut Turn<'_>, losses: &mut Losses) {
        let mut at = 0;
        while !turn.is_odd {
            at = self.state.pass(text, at, &mut self.lines);
            if at == text.len() {
                return;
            }
            self.lines += 1;
            // Lines of other processes, and of those in no stream, are passed with their key-values.
            let Some(of) = self.lane() else {
                at = behind_line(text, at);
                continue;
            };
            if let Some((record, function, end)) = record::plain_event(text, at) {
                let (time, lane) = (self.state.time(), &mut self.lanes[of]);
                match record {
                    Record::Enter => {
                        lane.enter(self.lines, time, function, &mut self.keyvalues, turn);
                    }
                    _ => lane.leave(self.lines, time, function, &mut self.keyvalues, turn),
                }
                at = end + 1;
                continue;
            }
            let end = behind_line(text, at);
            self.record(of, &text[at..end - 1], turn, losses);
            at = end;
        }
    }

    /// Takes a line of a process.
    fn record(&mut self, of: usize, line: &[u8], turn: &mut Turn<'_>, losses: &mut Losses) {
        let mut cursor = Cursor::new(line);
        cursor.blanks();
        let at = (self.lines, self.state.time());
        let lane = &mut self.lanes[of];
        let location = lane.location;
        let taken = slow(&mut cursor, lane, at, &mut self.keyvalues, turn);
        if matches!(taken, Ok(true)) {
            return;
        }
        let of_line = |what| Loss::of_line(self.path(), self.lines, what);
        match taken {
            Err(malformed) => {
                let record = Some(malformed.record.to_owned());
                losses.push(location, Loss { record, ..of_line(malformed.to_string()) });
            }
            Ok(_) => {
                let word = String::from_utf8_lossy(cursor.capitals()).into_owned();
                let what = || format!("no record begins with \"{}\"", begin_of(cursor.rest()));
                let of = (location, self.stream, word);
                losses.unknown.entry(of).or_insert_with(|| (0, of_line(what()))).0 += 1;
            }
        }
        turn.is_odd = turn.is_part;
    }

    /// Takes the lines of a part: as it was read, if what was before allows that.
    pub(super) fn take_part(&mut self, part: Part, turn: &mut Turn<'_>, losses: &mut Losses) {
        let (before, rest) = part.text.split_at(part.begin);
        self.take(before, turn, losses);
        let is_even = !self.state.waits_for_process()
            && self.keyvalues.is_empty()
            && turn.pending == 0
            && !turn.has_gaps
            && self.lanes.iter().all(Lane::is_even);
        let Some((of, mut batch)) = part.read.filter(|_| is_even) else {
            return self.take(rest, turn, losses);
        };
        let mut lanes: Vec<Option<Lane>> = of.lanes.into_iter().map(Some).collect();
        for run in batch.runs_mut() {
            let process = run.location().0 as u32;
            let Some(place) = self.of_process.get(&process).copied() else { continue };
            let Some(lane) = lanes[place].take() else { continue };
            self.lanes[place].join(lane, run, self.lines);
            turn.events += run.len();
        }
        (self.state, self.keyvalues) = (of.state, of.keyvalues);
        self.lines += of.lines;
        turn.batch.append(&mut batch);
        self.room.push(batch);
    }

    /// A part of the file is lost.
    pub(super) fn lose(&mut self) {
        self.state = State::default();
        self.keyvalues.clear();
        self.lines += 1;
    }

    /// Takes the last line, which has no end: it may be cut.
    pub(super) fn unfinished(
        &mut self,
        text: &[u8],
        first: Option<LocationRef>,
        losses: &mut Losses,
    ) {
        self.lines += 1;
        if text.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let what = format!("the last line has no end, it is cut: \"{}\"", begin_of(text));
        let loss = Loss::of_line(self.path(), self.lines, what);
        match (self.state.is_whole(), self.lane()) {
            (true, Some(lane)) => losses.push(self.lanes[lane].location, loss),
            (true, None) => {}
            _ => losses.of(first, loss),
        }
    }
}

/// Takes any line that is no state. `false`: its keyword is in no table.
fn slow(
    cursor: &mut Cursor<'_>,
    lane: &mut Lane,
    (number, time): (u64, u64),
    keyvalues: &mut Vec<KeyValue>,
    turn: &mut Turn<'_>,
) -> Result<bool, Malformed> {
    if cursor.rest().iter().all(u8::is_ascii_whitespace) {
        keyvalues.clear();
        return Ok(true);
    }
    if keyvalues::is_key_value(cursor) {
        return keyvalues::add(keyvalues, cursor).map(|()| true);
    }
    let Some(record) = record::keyword(Section::Events, cursor) else {
        keyvalues.clear();
        return Ok(false);
    };
    // A snapshot is no event.
    if record.kind().section == Section::Snapshots {
        keyvalues.clear();
        return Ok(true);
    }
    let taken = record::fields_as_numbers(record, cursor);
    let taken = taken.map(|numbers| lane.take(number, time, record, &numbers, keyvalues, turn));
    keyvalues.clear();
    taken.map(|()| true)
}
