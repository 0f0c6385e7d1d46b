//! The cases of strace logs.

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use bstr::ByteSlice;
use foldhash::fast::RandomState;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use streamfold_kernels::dfg::{Facts, Happening, Keeping, Log};

use super::cases::{bytes_of, CaseFiles, Cases, LogFile};
use super::{Chosen, Mapping};
use streamfold_collective::inject::fail_point;
use streamfold_collective::Communicator;
use streamfold_drive::Progress;
use streamfold_formats::strace::event_log::{CaseReader, EventLog, Stored};
use streamfold_formats::strace::{read, Call, CaseName, FileReport, Reading, Target, TimeForm};
use streamfold_formats::Loss;
use streamfold_system::exit::Stop;

/// Times are nanoseconds.
const TICKS_PER_SECOND: NonZeroU64 = NonZeroU64::new(1_000_000_000).expect("more than none");

/// Events that begin at one time are in the order of their files, then of their lines: the number of the file is from
/// this bit on.
const FILE: u32 = 40;

/// The number of a process in the number of its case; the largest one is not known, see [`FileReport::SOLE`].
const PROCESS: u64 = 0xffff_ffff;

/// How cases are read.
#[derive(Clone, Debug)]
pub struct Options {
    /// The mapping from events to activities.
    pub mapping: Mapping,
    /// The choice of cases, and of their parts.
    pub chosen: Chosen,
    /// Each process is a case of its own.
    pub by_process: bool,
    /// Calls on sockets transfer bytes.
    pub sockets: bool,
    /// Sequences of whole cases are kept.
    pub variants: bool,
    /// The activity whose events are kept.
    pub timeline: Option<String>,
}

/// Result of reading a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Found {
    /// Its case.
    pub case: CaseName,
    /// The file.
    pub path: PathBuf,
    /// Its lines; what was wrong.
    pub report: FileReport,
    /// Why it was not read at all.
    pub refused: Option<Loss>,
    /// Set if any call named a file.
    pub has_paths: bool,
}

/// The logs of all cases.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Logs {
    /// Those of the two subsets that are compared, and of all others.
    pub parts: [Log; 3],
    /// Results of reading, by case and file.
    pub files: Vec<Found>,
}

impl Logs {
    fn fold(mut self, other: Logs) -> Logs {
        let [a, b, rest] = self.parts;
        let [other_a, other_b, other_rest] = other.parts;
        self.parts = [a.fold(other_a), b.fold(other_b), rest.fold(other_rest)];
        self.files.extend(other.files);
        self
    }

    /// Tells whether times of different cases can be compared: all are of one form, and not
    /// relative.
    pub fn is_comparable(&self) -> bool {
        let forms: Vec<TimeForm> =
            self.files.iter().flat_map(|file| file.report.forms.iter().copied()).collect();
        let is_one = forms.iter().all(|form| Some(form) == forms.first());
        is_one && forms.first() != Some(&TimeForm::Relative)
    }
}

/// Reads the cases, each rank its own. Rank 0 gets the logs of all.
///
/// # Errors
///
/// When ranks cannot communicate.
pub fn log_of_cases(
    ranks: &dyn Communicator,
    cases: &Cases,
    options: &Options,
    progress: &Progress,
) -> Result<Option<Logs>, Stop> {
    fail_point("scan", ranks.rank())?;
    let shares = cases.shares(ranks.size());
    let share = &shares[ranks.rank()];
    let event_logs = event_logs(share);
    let own = share.par_iter().map(|cases| {
        let mut neighbours = Neighbours::new(&event_logs, cases);
        let of_cases = cases.iter().map(|case| {
            let logs = log_of_case(case, options, &mut neighbours);
            let events = logs.files.iter().map(|file| file.report.lines.events).sum();
            progress.events.fetch_add(events, Ordering::Relaxed);
            progress.bytes.fetch_add(bytes_of(case), Ordering::Relaxed);
            logs
        });
        of_cases.fold(Logs::default(), Logs::fold)
    });
    let own = own.reduce(Logs::default, Logs::fold);
    fail_point("reduce", ranks.rank())?;
    let all = ranks.reduce(0, own, Logs::fold)?;
    Ok(all.map(|mut all| {
        all.files.sort_by(|one, other| (&one.case, &one.path).cmp(&(&other.case, &other.path)));
        all
    }))
}

/// Event logs, by their paths.
type EventLogs<'c> = HashMap<&'c Path, Result<EventLog, Loss>>;

/// Opens the event logs of cases, each once.
fn event_logs<'c>(share: &[&'c [CaseFiles]]) -> EventLogs<'c> {
    let mut logs = HashMap::new();
    let cases = share.iter().copied().flatten();
    for file in cases.flat_map(|(_, files)| files).filter(|file| file.rows.is_some()) {
        let path = file.path.as_path();
        logs.entry(path).or_insert_with(|| EventLog::open(path));
    }
    logs
}

/// Reader of the event log of cases that are read together. It is opened for the first of them.
struct Neighbours<'l> {
    logs: &'l EventLogs<'l>,
    /// The place behind the calls of the last one.
    end: u64,
    reader: Option<Result<CaseReader<'l>, Loss>>,
}

impl<'l> Neighbours<'l> {
    fn new(logs: &'l EventLogs<'l>, cases: &[CaseFiles]) -> Self {
        let rows = cases.iter().flat_map(|(_, files)| files).filter_map(|file| file.rows.as_ref());
        let end = rows.map(|rows| rows.end).max().unwrap_or(0);
        Neighbours { logs, end, reader: None }
    }

    fn reader(&mut self, path: &Path) -> Result<&mut CaseReader<'l>, Loss> {
        let Neighbours { logs, end, reader } = self;
        let begin = || match logs.get(path) {
            Some(Ok(log)) => log.reader(*end),
            Some(Err(loss)) => Err(loss.clone()),
            None => Err(Loss::of_file(path, "the event log is not open")),
        };
        reader.get_or_insert_with(begin).as_mut().map_err(|loss| loss.clone())
    }
}

/// Reads a case.
fn log_of_case(
    (name, files): &CaseFiles,
    options: &Options,
    neighbours: &mut Neighbours<'_>,
) -> Logs {
    let keeping = Keeping { ticks_per_second: TICKS_PER_SECOND, variants: options.variants };
    let mut reading =
        CaseReading { options, keeping, log: Log::default(), happenings: Vec::new(), files: 0 };
    let found: Vec<Found> = files.iter().map(|file| reading.file(file, name, neighbours)).collect();
    let CaseReading { mut log, mut happenings, files, .. } = reading;
    // The times of files that begin at 0 each cannot be merged: each file is a case.
    let is_relative = |file: &Found| file.report.forms == [TimeForm::Relative];
    let is_apart = files > 1 && found.iter().all(is_relative);
    if is_apart {
        happenings.sort_by_key(|event| event.order >> FILE);
    }
    let is_together =
        |one: &Happening, other: &Happening| !is_apart || one.order >> FILE == other.order >> FILE;
    let expected = if is_apart { files } else { 1 };
    let with_events = happenings.chunk_by(is_together).count() as u64;
    log.empty_cases(expected.saturating_sub(with_events));
    happenings.chunk_by_mut(is_together).for_each(|events| log.cases(events, keeping));
    let mut parts: [Log; 3] = Default::default();
    parts[options.chosen.part(name)] = log;
    Logs { parts, files: found }
}

/// State of reading a case.
struct CaseReading<'o> {
    options: &'o Options,
    keeping: Keeping,
    log: Log,
    happenings: Vec<Happening>,
    /// Files so far: an event log has all those of a case.
    files: u64,
}

impl CaseReading<'_> {
    /// Reads a file of a case.
    fn file(
        &mut self,
        LogFile { path, pid, rows, .. }: &LogFile,
        name: &CaseName,
        neighbours: &mut Neighbours<'_>,
    ) -> Found {
        let pid = *pid;
        let CaseReading { options, keeping, log, happenings, files } = self;
        let begin = happenings.len();
        let case = CaseName { pid, ..name.clone() };
        let case_text = case.to_string();
        let mut names = Names {
            mapping: &options.mapping,
            timeline: options.timeline.as_deref(),
            watched: None,
            known: HashMap::default(),
        };
        let mut key = Vec::new();
        let mut has_paths = false;
        let mut receive = |call: &Call<'_>, file: u64| {
            has_paths |= call.target != Target::None;
            if options.mapping.drop_failed && call.error.is_some() {
                return;
            }
            let Some(activity) = names.of(call, &mut key, log) else { return };
            let facts = Facts {
                start: call.start,
                duration: call.duration.unwrap_or(0).unsigned_abs(),
                size: call.size,
                failed: call.error.is_some(),
            };
            log.event(activity, &facts, *keeping);
            if names.watched == Some(activity) {
                log.occurrence(&case_text, &facts);
            }
            let case = match (options.by_process, pid) {
                (true, _) => u64::from(call.generation) << 32 | call.pid & PROCESS,
                (false, Some(_)) => call.generation.into(),
                (false, None) => 0,
            };
            let order = (*files + file) << FILE | call.line;
            happenings.push(Happening { case, start: call.start, order, activity });
        };
        let stored = match rows {
            Some(_) => neighbours
                .reader(path)
                .and_then(|reader| reader.case(name, options.sockets, &mut receive)),
            None => {
                let reading = Reading { sockets: options.sockets, pid };
                let report = read(path, reading, &mut |call| receive(call, 0));
                report.map(|report| Stored { report, files: 1 })
            }
        };
        *files += stored.as_ref().map_or(1, |stored| stored.files);
        let (report, refused) = match stored {
            Ok(stored) => (stored.report, None),
            Err(loss) => (FileReport::default(), Some(loss)),
        };
        // Lines that named no process are of the one that is known at the end.
        if report.sole > 0 {
            let is_unknown = |event: &&mut Happening| event.case & PROCESS == PROCESS;
            let events = happenings[begin..].iter_mut().filter(is_unknown);
            events.for_each(|event| event.case = event.case & !PROCESS | report.sole & PROCESS);
        }
        Found { case, path: path.clone(), report, refused, has_paths }
    }
}

/// The activities of calls, each of which is found out once.
struct Names<'m> {
    mapping: &'m Mapping,
    /// The activity whose timeline is wanted, and its number.
    timeline: Option<&'m str>,
    watched: Option<u32>,
    known: HashMap<Vec<u8>, Option<u32>, RandomState>,
}

impl Names<'_> {
    fn of(&mut self, call: &Call<'_>, key: &mut Vec<u8>, log: &mut Log) -> Option<u32> {
        key.clear();
        key.extend_from_slice(call.name);
        match call.target {
            Target::None => {}
            Target::Descriptor(text) => {
                key.push(b'\n');
                key.extend_from_slice(text);
            }
            Target::Path(text) => {
                key.push(b'\r');
                key.extend_from_slice(text);
            }
            Target::Plain(text) => {
                key.push(b'\x0b');
                key.extend_from_slice(text);
            }
            Target::In(folder, text) => {
                key.push(b'\t');
                key.extend_from_slice(folder);
                key.push(b'\n');
                key.extend_from_slice(text);
            }
        }
        if let Some(known) = self.known.get(key.as_slice()) {
            return *known;
        }
        let path = call.target.to_path();
        let path = path.as_ref().map(|path| path.to_str_lossy());
        let name = self.mapping.activity(&call.name.to_str_lossy(), path.as_deref());
        let activity = name.as_ref().map(|name| log.activity(name));
        if name.is_some() && name.as_deref() == self.timeline {
            self.watched = activity;
        }
        // A program that names ever new files is not to fill the memory.
        const MOST: usize = 1 << 16;
        if self.known.len() >= MOST {
            self.known.clear();
        }
        self.known.insert(key.clone(), activity);
        activity
    }
}
