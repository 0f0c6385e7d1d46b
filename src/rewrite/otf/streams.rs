//! Files of streams from files of streams: each new file is a task of its own.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;

use super::records::{merge, Entry};
use crate::{Outcome, Written};
use streamfold_collective::Communicator;
use streamfold_drive as drive;
use streamfold_formats::otf::names::Renaming;
use streamfold_formats::otf::writer::{as_written, Shape, StreamWriter};
use streamfold_formats::otf::{MergedFile, Section};
use streamfold_formats::Loss;
use streamfold_system::exit::{Failure, Stop};

/// A file that is to be written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Task {
    /// The new stream.
    pub stream: u32,
    pub section: Section,
    pub sources: Vec<Part>,
    /// Snapshots among events are left out: they do not hold for all processes.
    pub drops_snapshots: bool,
}

/// A file that goes into another one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Part {
    pub path: PathBuf,
    /// Whose records are taken.
    pub processes: Vec<u32>,
    /// All processes of the file, where this task reports records of others.
    pub listed: Option<Vec<u32>>,
    /// Renaming of its tokens: a place in the list of renamings.
    pub renaming: usize,
}

/// Inputs that all ranks share.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Work {
    /// The new trace, without ending.
    pub stub: PathBuf,
    pub form_is_long: bool,
    pub level: Option<u32>,
    pub tasks: Vec<Task>,
    pub renamings: Vec<Renaming>,
    /// Files that a rank may have open.
    pub open_files: usize,
}

impl Work {
    pub(super) fn shape(&self) -> Shape {
        super::shape(self.form_is_long, self.level)
    }
}

/// Results of one worker, by the numbers of the tasks.
type Done = BTreeMap<usize, Outcome>;

/// Writes all files; each rank some of them. How it went is on rank 0.
pub(super) fn write(
    ranks: &dyn Communicator,
    work: &Work,
    workers: NonZeroUsize,
) -> Result<Option<Outcome>, Stop> {
    let own: Vec<usize> = (ranks.rank()..work.tasks.len()).step_by(ranks.size()).collect();
    let workers = workers.get().min(own.len().max(1));
    let open_files = work.open_files / workers;
    let workers = NonZeroUsize::new(workers).unwrap_or(NonZeroUsize::MIN);
    let done = drive::on_workers(
        &own,
        workers,
        |queue| {
            let mut done = Done::new();
            while let Some(number) = queue.take() {
                let outcome = task(work, &work.tasks[number], open_files);
                let has_failed = outcome.failure.is_some();
                done.insert(number, outcome);
                if has_failed {
                    queue.stop();
                }
            }
            done
        },
        |mut one: Done, mut other: Done| {
            one.append(&mut other);
            one
        },
    );
    let done = done.into_values().fold(Outcome::default(), Outcome::fold);
    Ok(ranks.reduce(0, done, Outcome::fold)?)
}

/// Writes all files in this thread.
pub(super) fn write_here(work: &Work, outcome: &mut Outcome) -> Result<(), Failure> {
    work.tasks.iter().try_for_each(|task| write_file(work, task, work.open_files, outcome))
}

fn task(work: &Work, task: &Task, open_files: usize) -> Outcome {
    let mut outcome = Outcome::default();
    if let Err(failure) = write_file(work, task, open_files, &mut outcome) {
        outcome.failure = Some(failure);
    }
    outcome
}

fn write_file(
    work: &Work,
    task: &Task,
    open_files: usize,
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    // One more is written.
    let open_files = NonZeroUsize::new(open_files.saturating_sub(1)).unwrap_or(NonZeroUsize::MIN);
    let files = task.sources.iter().zip(0..).map(|(part, id)| MergedFile {
        id,
        path: &part.path,
        processes: &part.processes,
        listed: part.listed.as_deref(),
    });
    let files: Vec<MergedFile<'_>> = files.collect();
    let mut writer = StreamWriter::new(&work.stub, task.stream, task.section, work.shape());
    let path = writer.path().to_owned();
    let failed = |error: std::io::Error| Failure::output(&path, &error);
    let mut losses = Vec::new();
    let mut snapshots = 0_u64;
    let read = merge(
        &files,
        task.section,
        open_files,
        |loss| losses.push(loss),
        |entry| {
            let is_snapshot = entry.record.kind().section == Section::Snapshots;
            if task.drops_snapshots && is_snapshot {
                snapshots += 1;
                return Ok(());
            }
            let renaming = &work.renamings[task.sources[entry.file].renaming];
            copy(&mut writer, entry, renaming).map_err(failed)
        },
    )?;
    // Readers of the reference fail where a stream has no file with events.
    if task.section == Section::Events && writer.is_empty() {
        let of_part = |file: usize| &task.sources[file];
        let state = read.iter().filter_map(|file| {
            let (time, process) = match file.last {
                Some(last) => last,
                None => (file.end?, *of_part(file.file).processes.first()?),
            };
            Some((time, work.renamings[of_part(file.file).renaming].process(process)))
        });
        if let Some((time, process)) = state.max() {
            writer.state(time, process);
        }
    }
    let written = writer.finish().map_err(|error| Failure::output(&path, &error))?;
    losses.iter().for_each(|loss| lose(outcome, loss));
    for read in &read {
        let part = &task.sources[read.file];
        let is_empty = || fs::metadata(&part.path).is_ok_and(|file| file.len() == 0);
        if read.end.is_none() && part.listed.is_some() && is_empty() {
            lose(outcome, &Loss::of_file(&part.path, "the file is empty: it is left out"));
        }
        if read.unlisted > 0 {
            let what = format!(
                "{} records of processes that are in no stream by the master file: left out",
                read.unlisted
            );
            lose(outcome, &Loss::of_file(&part.path, what));
        }
    }
    if written.backward > 0 {
        let what = format!(
            "{} records go back in time, which streams cannot: they have the time of the record before now",
            written.backward
        );
        let path = task.sources.first().map_or(&path, |part| &part.path);
        lose(outcome, &Loss::of_file(path, what));
    }
    if snapshots > 0 {
        let what = format!("{snapshots} records of snapshots among the events are left out");
        let path = task.sources.first().map_or(&path, |part| &part.path);
        lose(outcome, &Loss::of_file(path, what));
    }
    if written.is_there {
        let events = if task.section == Section::Events { written.records } else { 0 };
        let of_file = Written { files: 1, events, unknown: 0, bytes: written.bytes };
        outcome.written.add(&of_file);
    }
    Ok(())
}

fn copy(writer: &mut StreamWriter, entry: Entry<'_>, renaming: &Renaming) -> std::io::Result<()> {
    let (record, mut values) = as_written(entry.record, entry.values);
    if renaming.is_empty() {
        return writer.record(entry.time, entry.process, record, &values, entry.keyvalues);
    }
    renaming.rename(record, &mut values);
    let process = renaming.process(entry.process);
    let keyvalues = renaming.rename_keys(entry.keyvalues);
    writer.record(entry.time, process, record, &values, &keyvalues)
}

fn lose(outcome: &mut Outcome, loss: &Loss) {
    outcome.losses.push(LocationRef::UNDEFINED, loss.to_string());
}
