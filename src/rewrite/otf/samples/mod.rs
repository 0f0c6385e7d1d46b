//! Snapshots, statistics and a thumbnail of a trace, which tools use to begin to read anywhere.
//!
//! A first pass over the events counts receives, so that snapshots know which messages are under way; a second one
//! follows each process. Streams are shared among ranks and their threads.

mod put;
mod receives;
mod sampler;
mod state;
mod work;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;

use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;

use super::definitions::{self, Kept, Line};
use super::plan::write_lines;
use super::records::{merge, Entry, FileRead};
use super::{plan, write_file, Input, Layout, Report, Wanted};
use crate::{Outcome, Replacing, Written};
use put::Destination;
use receives::Receives;
use sampler::Sampler;
use state::Classes;
use streamfold_collective::Communicator;
use streamfold_drive::{self as drive, Losses};
use streamfold_formats::otf::encode::hex;
use streamfold_formats::otf::writer::Shape;
use streamfold_formats::otf::{stream_file, MergedFile, Record, Section};
use streamfold_formats::Loss;
use streamfold_system::exit::{Failure, Stop};
pub use work::Samples;
use work::{begin, Work, KEYS};

/// Result of some streams.
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
        prepared = Some((begin(&input, to.stub(), wanted)?, input, to));
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
    let lose = |loss: Loss| outcome.losses.push(LocationRef::UNDEFINED, loss.to_string());
    let file = MergedFile { id: 0, path, processes, listed: None };
    match merge(&[file], Section::Events, NonZeroUsize::MIN, lose, &mut take) {
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
    let mut sampler = Sampler::new(work, (*id, processes), classes, receives);
    let mut outcome = Outcome::default();
    let read = read(work, stream, &mut outcome, |entry| sampler.take(entry));
    sampler.end_events(read.and_then(|read| read.last));
    let faults = sampler.faults();
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
