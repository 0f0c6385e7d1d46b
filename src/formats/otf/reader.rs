//! The events of some processes: one pass over each of their streams.

use std::collections::{BTreeMap, HashMap};
use std::mem;
use std::sync::Arc;

use foldhash::fast::RandomState;
use streamfold_model::ids::LocationRef;

use super::events::{Lane, Turn};
use super::keyvalues;
use super::known::Known;
use super::lines::{Lines, Next};
use super::numbers::{digit, number_at};
use super::record::{self, begin_of, Cursor, Malformed, Section, Values};
use crate::{Batch, Batches, Loss};

/// A batch ends behind so many events or bytes of text.
const EVENTS: usize = 4096;
const BYTES: usize = 256 << 10;
/// A batch with an unfinished file operation goes on, up to so many events.
const MOST: usize = 64 << 10;
/// Number of losses of a location that are kept; the others are counted.
const KEPT: usize = 20;

/// Reads streams, one after another.
pub(super) struct Reader {
    known: Arc<Known>,
    /// Streams that are still to be read, the last one first, with the processes that are wanted of each.
    streams: Vec<(usize, Vec<u32>)>,
    open: Option<Open>,
    turn: u64,
    /// Bytes of text of the streams that were read.
    before: u64,
    losses: Losses,
}

/// Losses by location.
#[derive(Default)]
struct Losses {
    kept: BTreeMap<LocationRef, Vec<Loss>>,
    /// How many were not kept, of each location, and the first of them.
    more: BTreeMap<LocationRef, (u64, Loss)>,
    /// Lines whose keyword is in no table, by stream and keyword: how many, and the first of them.
    unknown: BTreeMap<(LocationRef, usize, String), (u64, Loss)>,
}

/// A stream that is read.
struct Open {
    stream: usize,
    lines: Lines,
    lanes: Vec<Lane>,
    /// The lane of each process that is wanted.
    of_process: HashMap<u32, usize, RandomState>,
    state: State,
    /// The lane of the process of the state, if that is wanted.
    lane: Option<usize>,
    /// The location that reports losses without a process.
    first: Option<LocationRef>,
    keyvalues: Vec<keyvalues::KeyValue>,
}

/// The current time and process, as time and process lines gave them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Nothing,
    Time(u64),
    Whole(u64),
}

impl Reader {
    pub(super) fn new(known: Arc<Known>, locations: &[LocationRef]) -> Self {
        let mut wanted: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for location in locations {
            let Ok(process) = u32::try_from(location.0) else { continue };
            if let Some(stream) = known.stream_of(process) {
                wanted.entry(stream).or_default().push(process);
            }
        }
        let streams = wanted.into_iter().rev().collect();
        let losses = Losses::default();
        Reader { known, streams, open: None, turn: 0, before: 0, losses }
    }

    /// Opens the next stream. `false`: there is none.
    fn open_next(&mut self) -> bool {
        let Some((number, processes)) = self.streams.pop() else { return false };
        let stream = &self.known.streams[number];
        // That there is no file was reported when the trace was opened.
        let Some(path) = &stream.events else { return true };
        let first = stream.processes.first().filter(|first| processes.contains(first));
        let first = first.map(|process| LocationRef((*process).into()));
        match Lines::open_to(path, stream.extent) {
            Ok(lines) => {
                let lanes = processes.iter().map(|process| self.known.lane(*process)).collect();
                self.open = Some(Open {
                    stream: number,
                    lines,
                    lanes,
                    of_process: processes.iter().copied().zip(0..).collect(),
                    state: State::Nothing,
                    lane: None,
                    first,
                    keyvalues: Vec::new(),
                });
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
        let mut turn = Turn { known: &self.known, number: self.turn, batch, events: 0, pending: 0 };
        let begin = open.lines.bytes;
        let has_ended = loop {
            let read = open.lines.bytes - begin;
            let is_full = turn.events >= EVENTS || read >= BYTES as u64;
            if is_full && (turn.pending == 0 || turn.events >= MOST) {
                break false;
            }
            match open.lines.block() {
                Ok(Next::Lines(range)) => open.take(range, &mut turn, &mut self.losses),
                Ok(Next::Unfinished(range)) => open.unfinished(range, &mut self.losses),
                Ok(Next::Lost(loss)) => {
                    open.state = State::Nothing;
                    open.lane = None;
                    open.keyvalues.clear();
                    self.losses.of(open.first, loss);
                }
                Ok(Next::End) => break true,
                Err(loss) => {
                    self.losses.of(open.first, loss);
                    break true;
                }
            }
        };
        for lane in &mut open.lanes {
            lane.end_batch(&mut turn, has_ended);
        }
        if has_ended {
            if open.lines.bytes > 0 && !matches!(open.state, State::Whole(_)) {
                let what = "there is no time line with a process line behind it: no event is read";
                let of = Loss::of_file(open.lines.path(), what);
                if open.lanes.iter().all(|lane| lane.events == 0) {
                    self.losses.of(open.first, of);
                }
            }
            let extent = self.known.streams[open.stream].extent;
            if let Some(growth) = extent.growth(open.lines.path()) {
                self.losses.of(open.first, growth);
            }
            self.before += open.lines.bytes;
            for lane in &mut open.lanes {
                let path = &open.lines.path();
                for what in lane.faults() {
                    self.losses.push(lane.location, Loss::of_file(path, what));
                }
            }
            self.open = None;
        }
        Ok(true)
    }

    fn bytes(&self) -> u64 {
        self.before + self.open.as_ref().map_or(0, |open| open.lines.bytes)
    }

    fn rest(&mut self) {}

    fn losses(&mut self) -> Vec<(LocationRef, Loss)> {
        mem::take(&mut self.losses).all()
    }
}

impl Losses {
    /// Adds what belongs to no process, if this reader is the one that reports it.
    fn of(&mut self, location: Option<LocationRef>, loss: Loss) {
        if let Some(location) = location {
            self.push(location, loss);
        }
    }

    fn push(&mut self, location: LocationRef, loss: Loss) {
        let kept = self.kept.entry(location).or_default();
        if kept.len() < KEPT {
            kept.push(loss);
            return;
        }
        self.more.entry(location).or_insert((0, loss)).0 += 1;
    }

    fn all(self) -> Vec<(LocationRef, Loss)> {
        let mut all = Vec::new();
        for (location, kept) in self.kept {
            all.extend(kept.into_iter().map(|loss| (location, loss)));
        }
        for (location, (count, mut first)) in self.more {
            if count > 1 {
                first.what += &format!(" (and {} more lines like that)", count - 1);
            }
            all.push((location, first));
        }
        for ((location, ..), (count, mut first)) in self.unknown {
            if count > 1 {
                first.what += &format!(" ({count} such lines)");
            }
            all.push((location, first));
        }
        all
    }
}

impl Open {
    /// Takes whole lines, as many as fit into the batch.
    fn take(&mut self, range: std::ops::Range<usize>, turn: &mut Turn<'_>, losses: &mut Losses) {
        let Open { lines, lanes, of_process, state, lane, keyvalues, .. } = self;
        let stream = self.stream;
        let text = lines.text(range.clone());
        let (mut at, mut count) = (0, 0);
        // Most process lines name the process of the line before.
        let mut last = None;
        let mut time = match state {
            State::Whole(time) | State::Time(time) => *time,
            State::Nothing => 0,
        };
        while at < text.len() && (turn.events < EVENTS || turn.pending > 0 && turn.events < MOST) {
            count += 1;
            let byte = text[at];
            if digit(byte).is_some() {
                let number;
                (number, at) = number_at(text, at);
                at = behind_line(text, at);
                // A second time before the first process has no effect.
                match state {
                    State::Nothing => (*state, time) = (State::Time(number), number),
                    State::Time(_) => {}
                    State::Whole(_) => time = number,
                }
                continue;
            }
            if byte == b'*' {
                let mut cursor = at + 1;
                while matches!(text[cursor], b' ' | b'\t') {
                    cursor += 1;
                }
                let (process, end) = number_at(text, cursor);
                if end > cursor {
                    let process = process as u32;
                    at = behind_line(text, end);
                    if *state != State::Nothing {
                        *state = State::Whole(time);
                        if last != Some(process) {
                            *lane = of_process.get(&process).copied();
                            last = Some(process);
                        }
                    }
                    continue;
                }
            }
            let is_wanted = matches!(state, State::Whole(_)) && lane.is_some();
            // Most lines enter and leave functions, and say nothing else.
            if let (Some(of), b'E' | b'L', true) = (*lane, byte, is_wanted) {
                let (function, cursor) = number_at(text, at + 1);
                let function = function as u32;
                if text[cursor] == b'\n' && (cursor > at + 1 || byte == b'L') {
                    let line = lines.lines + count;
                    match byte {
                        b'E' => lanes[of].enter(line, time, function, keyvalues, turn),
                        _ => lanes[of].leave(line, time, function, keyvalues, turn),
                    }
                    at = cursor + 1;
                    continue;
                }
            }
            let end = behind_line(text, at);
            let line = &text[at..end - 1];
            at = end;
            let mut cursor = Cursor::new(line);
            cursor.blanks();
            if cursor.is_digit() {
                let number = cursor.number();
                match state {
                    State::Nothing => (*state, time) = (State::Time(number), number),
                    State::Time(_) => {}
                    State::Whole(_) => time = number,
                }
                continue;
            }
            if cursor.byte(b'*') {
                cursor.blanks();
                if cursor.is_digit() {
                    let process = cursor.number() as u32;
                    if *state != State::Nothing {
                        *state = State::Whole(time);
                        *lane = of_process.get(&process).copied();
                        last = Some(process);
                    }
                    continue;
                }
            }
            if !matches!(state, State::Whole(_)) {
                continue;
            }
            // Lines of other processes, and of those in no stream, are passed with their key-values.
            let Some(of) = *lane else { continue };
            let number = lines.lines + count;
            let location = lanes[of].location;
            match slow(&mut cursor, &mut lanes[of], (number, time), keyvalues, turn) {
                Ok(true) => {}
                Ok(false) => {
                    let word = String::from_utf8_lossy(cursor.capitals()).into_owned();
                    let path = lines.path();
                    let make = || {
                        let what = format!("no record begins with \"{}\"", begin_of(cursor.rest()));
                        (0, Loss::of_line(path, number, what))
                    };
                    losses.unknown.entry((location, stream, word)).or_insert_with(make).0 += 1;
                }
                Err(malformed) => {
                    let record = Some(malformed.record.to_owned());
                    let loss = Loss::of_line(lines.path(), number, malformed.to_string());
                    losses.push(location, Loss { record, ..loss });
                }
            }
        }
        match state {
            State::Whole(last) => *last = time,
            State::Time(last) => *last = time,
            State::Nothing => {}
        }
        lines.took(at, count);
    }

    /// The last line has no end: it may be cut.
    fn unfinished(&mut self, range: std::ops::Range<usize>, losses: &mut Losses) {
        let text = self.lines.text(range);
        if text.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let owner = self.lane.map(|lane| self.lanes[lane].location);
        let what = format!("the last line has no end, it is cut: \"{}\"", begin_of(text));
        let loss = Loss::of_line(self.lines.path(), self.lines.lines, what);
        match (self.state, owner) {
            (State::Whole(_), Some(location)) => losses.push(location, loss),
            (State::Whole(_), None) => {}
            _ => losses.of(self.first, loss),
        }
    }
}

/// The place behind the end of the line.
fn behind_line(text: &[u8], at: usize) -> usize {
    match text[at] {
        b'\n' => at + 1,
        _ => memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end + 1),
    }
}

/// Takes any line that is no state. `false`: its keyword is in no table.
fn slow(
    cursor: &mut Cursor<'_>,
    lane: &mut Lane,
    (number, time): (u64, u64),
    keyvalues: &mut Vec<keyvalues::KeyValue>,
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
    let mut values = Values::new();
    let taken = record::fields(record, cursor, &mut values);
    if taken.is_ok() {
        lane.take(number, time, record, &values, keyvalues, turn);
    }
    keyvalues.clear();
    taken.map(|()| true)
}
