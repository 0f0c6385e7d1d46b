//! Snapshots, statistics and a thumbnail of a trace, which tools use to begin to read anywhere.
//!
//! A first pass over the events counts receives, so that snapshots know which messages are under way; a second one
//! follows each process. Streams are shared among ranks and their threads.

mod put;
mod receives;
mod state;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;

use super::definitions::{self, Kept, Line};
use super::plan::write_lines;
use super::{plan, write_file, Input, Layout, Report, Wanted};
use crate::collective::Communicator;
use crate::drive::{self, Losses};
use crate::formats::otf::encode::hex;
use crate::formats::otf::merged::{merge, Entry, FileRead, MergedFile};
use crate::formats::otf::writer::{as_written, Shape, StreamWriter};
use crate::formats::otf::{stream_file, KeyValue, KeyValueType, Record, Section, Value};
use crate::formats::Loss;
use crate::rewrite::{Outcome, Replacing, Written};
use crate::system::exit::{ExitCode, Failure, Stop};
use put::Destination;
use receives::{Key, Receives};
use state::{Classes, State};

/// What is to be made, and when.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Samples {
    /// Snapshots.
    pub snapshots: bool,
    /// Statistics.
    pub statistics: bool,
    /// Snapshots stand among the events, in a copy.
    pub inline: bool,
    /// Sends know when their messages were received, in a copy.
    pub matches: bool,
    /// A thumbnail.
    pub thumbnail: bool,
    /// So many samples.
    pub count: Option<u64>,
    /// At most so many ticks from one to the next.
    pub period: Option<u64>,
    /// More samples, at these times.
    pub times: Vec<u64>,
    /// Statistics of groups of functions in place of functions.
    pub function_groups: bool,
    /// Statistics of groups of files in place of files.
    pub file_groups: bool,
    /// Points of time in the thumbnail.
    pub thumbnail_samples: u64,
    /// Processes in the thumbnail.
    pub thumbnail_processes: usize,
}

/// Without a wish there are so many samples.
const COUNT: u64 = 200;
/// More samples than this are refused.
const MOST: usize = 1 << 20;

/// What all ranks have to know.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Work {
    wanted: Samples,
    /// The trace, and the new one, without ending.
    from: PathBuf,
    to: PathBuf,
    /// Streams, their files with events, and their processes.
    streams: Vec<(u32, PathBuf, Vec<u32>)>,
    times: Vec<u64>,
    /// Keys for the time, the length and the place of receives.
    keys: [u32; 3],
    /// The points of the thumbnail, and the processes in it.
    points: Vec<u64>,
    pictured: Vec<u32>,
    /// Of all streams: collective operations, groups of functions, groups of files.
    classes: [BTreeMap<u32, u32>; 3],
}

/// What came of some streams.
#[derive(Default, Serialize, Deserialize)]
struct Done {
    outcome: Outcome,
    receives: Receives,
    span: Option<(u64, u64)>,
    thumbnail: BTreeMap<u32, Vec<u32>>,
}

impl Done {
    fn fold(self, other: Done) -> Done {
        let mut thumbnail = self.thumbnail;
        thumbnail.extend(other.thumbnail);
        let span = match (self.span, other.span) {
            (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
            (one, other) => one.or(other),
        };
        let outcome = self.outcome.fold(other.outcome);
        Done { outcome, receives: self.receives.fold(other.receives), span, thumbnail }
    }
}

/// Makes samples of a trace, beside it or in a copy. The report is on rank 0.
///
/// # Errors
///
/// On all ranks when the trace cannot be read, when there are samples already that must not be replaced, or when files
/// cannot be written; nothing has changed then.
pub fn sample(
    ranks: &dyn Communicator,
    trace: &Path,
    (output, replacing): (Option<&Path>, Replacing),
    wanted: &Samples,
    (workers, open_files): (NonZeroUsize, NonZeroUsize),
) -> Result<Option<Report>, Stop> {
    let mut prepared = None;
    let outcome = (ranks.rank() == 0).then(|| -> Result<(), Failure> {
        let input = Input::open(trace)?;
        let to = Destination::prepare(&input, output, replacing, wanted)?;
        prepared = Some((begin(&input, &to, wanted)?, input, to));
        Ok(())
    });
    ranks.broadcast_result(0, outcome)?.map_err(Stop::Together)?;
    let mut work = ranks.broadcast(0, prepared.as_ref().map(|(work, ..)| work.0.clone()))?;
    // The span of times, where no definition says it.
    if work.times.is_empty() {
        let done = on_streams(ranks, &work, workers, &span)?;
        let (span, outcome) = (done.span.unwrap_or((0, 0)), done.outcome);
        fail_together(outcome)?;
        work.set_times(span).map_err(Stop::Together)?;
    }
    let receives = match wanted.snapshots || wanted.matches {
        true => on_streams(ranks, &work, workers, &receives_of)?.receives,
        false => Receives::default(),
    };
    let done = on_streams(ranks, &work, workers, &|work, at| samples_of(work, at, &receives))?;
    let mut report = None;
    let outcome = prepared.map(|((_, mut lines), input, to)| -> Result<(), Failure> {
        let mut new = Report {
            outcome: done.outcome,
            counts: (0, 0),
            warnings: Losses::default(),
            remarks: Vec::new(),
        };
        if let Some(failure) = new.outcome.failure.take() {
            return Err(to.told(failure));
        }
        let end = end(&mut lines, &input, &work, &to, (done.thumbnail, open_files), &mut new);
        end.map_err(|failure| to.told(failure))?;
        to.put(&input, wanted)?;
        new.counts = (
            input.streams.len() as u64,
            input.streams.values().map(|list| list.len() as u64).sum(),
        );
        report = Some(new);
        Ok(())
    });
    ranks.broadcast_result(0, outcome)?.map_err(Stop::Together)?;
    Ok(report)
}

fn fail_together(outcome: Outcome) -> Result<(), Stop> {
    outcome.failure.map_or(Ok(()), |failure| Err(Stop::Together(failure)))
}

/// What all ranks have to know, and the definitions of the trace.
fn begin(input: &Input, to: &Destination, wanted: &Samples) -> Result<(Work, Vec<Line>), Failure> {
    let lines = match stream_file(&input.stub, 0, Section::Definitions) {
        Some(path) => definitions::read(&path, Section::Definitions, &mut Losses::default()),
        None => Vec::new(),
    };
    let streams = input.streams.iter().filter_map(|(id, processes)| {
        let path = stream_file(&input.stub, *id, Section::Events)?;
        Some((*id, path, processes.clone()))
    });
    let mut pictured: Vec<u32> = input.streams.values().flatten().copied().collect();
    pictured.sort_unstable();
    let (all, most) = (pictured.len(), wanted.thumbnail_processes.max(1));
    if all > most {
        pictured = (0..most).map(|place| pictured[place * all / most]).collect();
    }
    let mut classes = Classes::default();
    classes.take(&lines);
    let mut work = Work {
        wanted: wanted.clone(),
        from: input.stub.clone(),
        to: to.stub(),
        streams: streams.collect(),
        times: Vec::new(),
        keys: keys(&lines),
        points: Vec::new(),
        pictured,
        classes: [classes.collectives, classes.function_groups, classes.file_groups],
    };
    if let Some(range) = lines.iter().rfind(|line| line.record == Record::DefTimeRange) {
        work.set_times((range.number(0), range.number(1)))?;
    }
    Ok((work, lines))
}

/// What the keys of receives are called, and their types.
const KEYS: [(&str, KeyValueType); 3] = [
    ("TUD::p2p-received-time", KeyValueType::Uint64),
    ("TUD::p2p-received-size", KeyValueType::Uint32),
    ("TUD::p2p-received-scl", KeyValueType::Uint32),
];

/// Those keys, as they are defined, or new ones.
fn keys(lines: &[Line]) -> [u32; 3] {
    let defined = || lines.iter().filter(|line| line.record == Record::DefKeyValue);
    let mut used: BTreeSet<u32> = defined().map(|line| line.token(0)).collect();
    KEYS.map(|(name, _)| {
        let is_one = |line: &&Line| line.text_at(2) == Some(name.as_bytes());
        defined().find(is_one).map_or_else(
            || {
                let key = definitions::unused(&used);
                used.insert(key);
                key
            },
            |line| line.token(0),
        )
    })
}

impl Work {
    /// Whether events are written anew.
    fn writes_events(&self) -> bool {
        self.wanted.inline || self.wanted.matches
    }

    /// Finds out when samples are, given the first and the last time.
    fn set_times(&mut self, (first, last): (u64, u64)) -> Result<(), Failure> {
        let Samples { count, period, times, .. } = &self.wanted;
        let end = last.saturating_add(1);
        let length = end.saturating_sub(first) as f64;
        let count = match (count, period, times.is_empty()) {
            (None, None, true) => Some(COUNT),
            (count, ..) => *count,
        };
        let of_count = count.map_or(f64::INFINITY, |count| length / count.max(1) as f64);
        let of_period = period.map_or(f64::INFINITY, |period| period as f64);
        let step = of_count.min(of_period).max(1.0);
        let mut all = times.clone();
        if step.is_finite() {
            if length / step > MOST as f64 {
                let text = format!("more than {MOST} samples are asked for: choose fewer");
                return Err(Failure::new(ExitCode::Usage, text));
            }
            // Added up as the reference does, roundings and all.
            let mut time = first as f64 + step;
            while time < end as f64 && all.len() <= MOST + times.len() {
                all.push(time as u64);
                time += step;
            }
        }
        if all.iter().all(|time| *time < end) {
            all.push(end);
        }
        all.sort_unstable();
        all.dedup();
        self.times = all;
        let width = self.wanted.thumbnail_samples.min(last.saturating_sub(first)).max(1);
        let point = |place: u64| {
            let part = u128::from(place) * u128::from(last.saturating_sub(first));
            first + (part / u128::from(width)) as u64
        };
        self.points = (0..width).map(point).collect();
        Ok(())
    }
}

impl Classes {
    fn take(&mut self, lines: &[Line]) {
        for line in lines {
            match line.record {
                Record::DefCollectiveOperation => {
                    self.collectives.insert(line.token(0), line.token(2));
                }
                Record::DefFunction => {
                    self.function_groups.insert(line.token(0), line.token(1));
                }
                Record::DefFile => {
                    self.file_groups.insert(line.token(0), line.token(2));
                }
                _ => {}
            }
        }
    }
}

/// Does something with all streams, shared among ranks and workers. All ranks learn what came of it.
fn on_streams(
    ranks: &dyn Communicator,
    work: &Work,
    workers: NonZeroUsize,
    of_stream: &(dyn Fn(&Work, usize) -> Done + Sync),
) -> Result<Done, Stop> {
    let own: Vec<usize> = (ranks.rank()..work.streams.len()).step_by(ranks.size()).collect();
    let done = drive::on_workers(
        &own,
        workers,
        |queue| {
            let mut done = Done::default();
            while let Some(stream) = queue.take() {
                done = done.fold(of_stream(work, stream));
            }
            done
        },
        Done::fold,
    );
    Ok(ranks.all_reduce(done, Done::fold)?)
}

/// Reads the events of a stream.
fn read(
    work: &Work,
    stream: usize,
    outcome: &mut Outcome,
    mut take: impl FnMut(Entry<'_>) -> Result<(), Failure>,
) -> Option<FileRead> {
    let (_, path, processes) = &work.streams[stream];
    let mut lose = |loss: Loss| outcome.losses.push(LocationRef::UNDEFINED, loss.to_string());
    let file = match MergedFile::open((0, path), Section::Events, Some(processes), false) {
        Ok(file) => file,
        Err(error) => {
            lose(Loss::of_system(path, &error));
            return None;
        }
    };
    match merge(vec![file], lose, &mut take) {
        Ok(read) => read.first().copied(),
        Err(failure) => {
            outcome.failure = Some(failure);
            None
        }
    }
}

/// The first and the last time of a stream.
fn span(work: &Work, stream: usize) -> Done {
    let mut span: Option<(u64, u64)> = None;
    let mut ignored = Outcome::default();
    read(work, stream, &mut ignored, |entry| {
        let (first, last) = span.unwrap_or((entry.time, entry.time));
        span = Some((first.min(entry.time), last.max(entry.time)));
        Ok(())
    });
    Done { span, ..Done::default() }
}

/// The receives of a stream.
fn receives_of(work: &Work, stream: usize) -> Done {
    let mut receives = Receives::default();
    let mut ignored = Outcome::default();
    read(work, stream, &mut ignored, |entry| {
        if entry.record == Record::RecvMsg {
            let token = |at: usize| entry.values.get(at).map_or(0, |value| value.token());
            let key = (token(0), entry.process, token(3), token(2));
            receives.add(key, entry.time, &work.times);
            if work.wanted.matches {
                let number = |at: usize| entry.values.get(at).map_or(0, |value| value.number());
                receives.keep(key, [entry.time, number(1), number(4)]);
            }
        }
        Ok(())
    });
    Done { receives, ..Done::default() }
}

/// Writes the samples of a stream.
fn samples_of(work: &Work, stream: usize, receives: &Receives) -> Done {
    let mut done = Done::default();
    let (id, path, processes) = &work.streams[stream];
    let [collectives, function_groups, file_groups] = work.classes.clone();
    let mut classes = Classes { collectives, function_groups, file_groups };
    if let Some(own) = stream_file(&work.from, *id, Section::Definitions) {
        classes.take(&definitions::read(&own, Section::Definitions, &mut Losses::default()));
    }
    let pictured = processes.iter().filter(|process| work.pictured.binary_search(process).is_ok());
    let is_pictured = work.wanted.thumbnail;
    let pictured = pictured.filter(|_| is_pictured);
    let mut sampler = Sampler {
        work,
        classes,
        receives,
        states: BTreeMap::new(),
        next: 0,
        point: 0,
        pictured: pictured.map(|process| (*process, Vec::new())).collect(),
        sent: BTreeMap::new(),
        events: StreamWriter::new(&work.to, *id, Section::Events, Shape::default()),
        snapshots: StreamWriter::new(&work.to, *id, Section::Snapshots, Shape::default()),
        statistics: StreamWriter::new(&work.to, *id, Section::Statistics, Shape::default()),
    };
    let mut outcome = Outcome::default();
    let read = read(work, stream, &mut outcome, |entry| sampler.take(entry));
    if let (Some((time, process)), true) =
        (read.and_then(|read| read.last), work.writes_events() && sampler.events.is_empty())
    {
        sampler.events.state(time, process);
    }
    let faults: u64 = sampler.states.values().map(|state| state.faults).sum();
    if faults > 0 {
        let what = format!("{faults} leaves and ends have no begin: they are not counted");
        let loss = Loss::of_file(path, what);
        outcome.losses.push(LocationRef::UNDEFINED, loss.to_string());
    }
    match sampler.end() {
        Ok((written, thumbnail)) => {
            outcome.written.add(&written);
            done.thumbnail = thumbnail;
        }
        Err(failure) => outcome.failure = outcome.failure.or(Some(failure)),
    }
    done.outcome = outcome;
    done
}

/// Follows the processes of a stream, and writes samples when their time has come.
struct Sampler<'w> {
    work: &'w Work,
    classes: Classes,
    receives: &'w Receives,
    states: BTreeMap<u32, State>,
    /// The next sample, and the next point of the thumbnail.
    next: usize,
    point: usize,
    pictured: BTreeMap<u32, Vec<u32>>,
    /// How many messages were sent.
    sent: BTreeMap<Key, u64>,
    /// Nothing is written to it unless events are written anew.
    events: StreamWriter,
    snapshots: StreamWriter,
    statistics: StreamWriter,
}

impl Sampler<'_> {
    fn take(&mut self, entry: Entry<'_>) -> Result<(), Failure> {
        while self.work.times.get(self.next).is_some_and(|sample| *sample <= entry.time) {
            self.sample()?;
        }
        // Events at the time of a point of the thumbnail are in it.
        while self.work.points.get(self.point).is_some_and(|point| *point < entry.time) {
            self.picture();
        }
        self.states.entry(entry.process).or_default().apply(&entry, &self.classes);
        if self.work.writes_events() {
            self.copy(entry)?;
        }
        Ok(())
    }

    /// Writes an event; a send with what is known of its receive.
    fn copy(&mut self, entry: Entry<'_>) -> Result<(), Failure> {
        let is_snapshot = entry.record.kind().section == Section::Snapshots;
        if self.work.wanted.inline && is_snapshot {
            return Ok(());
        }
        let (record, values) = as_written(entry.record, entry.values);
        let of = (entry.time, entry.process);
        if !self.work.wanted.matches || record != Record::SendMsg {
            return write(&mut self.events, of, record, &values, entry.keyvalues);
        }
        let token = |at: usize| values.get(at).map_or(0, Value::token);
        let key = (entry.process, token(0), token(3), token(2));
        let number = self.sent.entry(key).or_default();
        let receive = self.receives.of_send(&key, *number);
        *number += 1;
        let of_keys = |key: &u32| self.work.keys.contains(key);
        let mut keyvalues: Vec<KeyValue> = entry.keyvalues.to_vec();
        if let Some(receive) = receive {
            keyvalues.retain(|keyvalue| !of_keys(&keyvalue.key));
            let more = self.work.keys.iter().zip(KEYS).zip(receive);
            keyvalues.extend(more.map(|((key, (_, value_type)), bits)| KeyValue {
                key: *key,
                value_type,
                bits,
                bytes: Vec::new(),
            }));
        }
        write(&mut self.events, of, record, &values, &keyvalues)
    }

    fn sample(&mut self) -> Result<(), Failure> {
        let time = self.work.times[self.next];
        let is_last = self.next + 1 == self.work.times.len();
        let Samples { snapshots, statistics, inline, function_groups, file_groups, .. } =
            &self.work.wanted;
        for (process, state) in &mut self.states {
            if *snapshots && !is_last {
                let to = if *inline { &mut self.events } else { &mut self.snapshots };
                for (record, values, keyvalues) in state.snapshot(self.receives, self.next) {
                    write(to, (time, *process), record, &values, keyvalues)?;
                }
            }
            if *statistics {
                let groups = (*function_groups, *file_groups);
                for (record, values, _) in state.statistics(time, &self.classes, groups) {
                    write(&mut self.statistics, (time, *process), record, &values, &[])?;
                }
            }
        }
        self.next += 1;
        Ok(())
    }

    fn picture(&mut self) {
        for (process, line) in &mut self.pictured {
            line.push(self.states.get(process).map_or(0, State::top));
        }
        self.point += 1;
    }

    fn end(mut self) -> Result<(Written, BTreeMap<u32, Vec<u32>>), Failure> {
        while self.next < self.work.times.len() {
            self.sample()?;
        }
        while self.point < self.work.points.len() && !self.pictured.is_empty() {
            self.picture();
        }
        let mut written = Written::default();
        let events = self.events.path().to_owned();
        for writer in [self.events, self.snapshots, self.statistics] {
            let path = writer.path().to_owned();
            let file = writer.finish().map_err(|error| Failure::output(&path, &error))?;
            if file.is_there {
                let events = if path == events { file.records } else { 0 };
                written.add(&Written { events, ..Written::file(file.bytes) });
            }
        }
        Ok((written, self.pictured))
    }
}

fn write(
    writer: &mut StreamWriter,
    (time, process): (u64, u32),
    record: Record,
    values: &[Value<'_>],
    keyvalues: &[KeyValue],
) -> Result<(), Failure> {
    let written = writer.record(time, process, record, values, keyvalues);
    written.map_err(|error| Failure::output(writer.path(), &error))
}

/// Writes definitions with the times of samples, the thumbnail, and in a copy all the rest.
fn end(
    lines: &mut Vec<Line>,
    input: &Input,
    work: &Work,
    to: &Destination,
    (thumbnail, open_files): (BTreeMap<u32, Vec<u32>>, NonZeroUsize),
    report: &mut Report,
) -> Result<(), Failure> {
    let Samples { snapshots, statistics, inline, matches, .. } = work.wanted;
    if to.is_copy() {
        let wanted = Wanted {
            layout: Layout::AsIs,
            shape: Shape::default(),
            snapshots: !snapshots,
            statistics: !statistics,
            keeps_identifier: true,
            apart: false,
        };
        let inputs = std::slice::from_ref(input);
        let (mut copying, copied) = plan::plan(inputs, &wanted, &to.stub(), open_files.get())?;
        copying.tasks.retain(|task| !(work.writes_events() && task.section == Section::Events));
        report.outcome = std::mem::take(&mut report.outcome).fold(copied.outcome);
        report.warnings = copied.warnings;
        super::streams::write_here(&copying, &mut report.outcome)?;
    }
    // Samples that are made anew take the place of those that were there.
    lines.retain(|line| match (line.record, line.number(1)) {
        (Record::DefAuxSamplePoint, 1) => !statistics,
        (Record::DefAuxSamplePoint, 0) => !snapshots,
        (Record::DefAuxSamplePoint, 2) => !inline,
        _ => true,
    });
    if !lines.iter().any(|line| line.record == Record::DefTimeRange) {
        if let (Some(first), Some(last)) = (work.points.first(), work.times.last()) {
            let range = vec![Kept::Number(*first), Kept::Number(last.saturating_sub(1))];
            lines.push(Line::new(Record::DefTimeRange, range));
        }
    }
    for (key, (name, value_type)) in work.keys.into_iter().zip(KEYS).filter(|_| matches) {
        let is_one = |line: &Line| line.record == Record::DefKeyValue && line.token(0) == key;
        if !lines.iter().any(is_one) {
            let numbers = [key, value_type as u32].map(|number| Kept::Number(number.into()));
            let values = numbers.into_iter().chain([Kept::text(name), Kept::text("")]);
            lines.push(Line::new(Record::DefKeyValue, values.collect()));
        }
    }
    for (place, time) in work.times.iter().enumerate() {
        let is_last = place + 1 == work.times.len();
        let point = |kind| {
            Line::new(Record::DefAuxSamplePoint, vec![Kept::Number(*time), Kept::Number(kind)])
        };
        lines.extend(statistics.then(|| point(1)));
        lines.extend((snapshots && !is_last).then(|| point(if inline { 2 } else { 0 })));
    }
    write_lines(lines, &to.stub(), (0, Section::Definitions), Shape::default(), report)?;
    if work.wanted.thumbnail {
        let mut text = b"0:".to_vec();
        hex(&mut text, work.points.len() as u64);
        text.push(b',');
        hex(&mut text, thumbnail.len() as u64);
        text.push(b'\n');
        for (process, functions) in thumbnail {
            hex(&mut text, process.into());
            text.push(b':');
            for function in functions {
                hex(&mut text, function.into());
                text.push(b',');
            }
            text.push(b'\n');
        }
        let mut path = to.stub().into_os_string();
        path.push(".thumb");
        write_file(Path::new(&path), &text)?;
        report.outcome.written.add(&Written::file(text.len() as u64));
    }
    Ok(())
}
