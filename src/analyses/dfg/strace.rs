//! The cases of strace logs.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use bstr::ByteSlice;
use foldhash::fast::RandomState;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use streamfold_kernels::dfg::{Facts, Happening, Keeping, Log};

use super::{Chosen, Mapping};
use crate::collective::inject::fail_point;
use crate::collective::Communicator;
use crate::drive::Progress;
use crate::formats::strace::{
    read, Call, CaseName, CasePattern, FileReport, Reading, Target, TimeForm,
};
use crate::formats::Loss;
use crate::system::exit::{ExitCode, Failure, Stop};

/// Times are nanoseconds.
const TICKS_PER_SECOND: NonZeroU64 = NonZeroU64::new(1_000_000_000).expect("more than none");

/// A case and its files, with their sizes in bytes.
type CaseFiles = (CaseName, Vec<(PathBuf, Option<u64>, u64)>);

/// The cases that are to be read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Cases(Vec<CaseFiles>);

impl Cases {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.0.iter().flat_map(|(_, files)| files).map(|(.., bytes)| bytes).sum()
    }

    /// Whether a path leads to one of the files.
    pub fn has(&self, path: &Path) -> bool {
        let Ok(path) = path.canonicalize() else { return false };
        let mut files = self.0.iter().flat_map(|(_, files)| files);
        files.any(|(file, ..)| file.canonicalize().is_ok_and(|file| file == path))
    }

    /// Those of each rank: the largest go first, each to the rank that has least.
    fn shares(&self, ranks: usize) -> Vec<Vec<&CaseFiles>> {
        let size = |(_, files): &CaseFiles| files.iter().map(|(.., bytes)| bytes + 1).sum::<u64>();
        let mut order: Vec<&CaseFiles> = self.0.iter().collect();
        order.sort_by_key(|case| std::cmp::Reverse(size(case)));
        let mut shares = vec![(0, Vec::new()); ranks];
        for case in order {
            let least = shares.iter_mut().min_by_key(|(bytes, _)| *bytes);
            let Some((bytes, share)) = least else { break };
            *bytes += size(case);
            share.push(case);
        }
        shares.into_iter().map(|(_, share)| share).collect()
    }
}

/// Finds the cases of files and folders, in the order of their names. For one rank.
///
/// # Errors
///
/// When a file is not there or its name says no case, or when two files are of one case.
pub fn find_cases(
    paths: &[PathBuf],
    pattern: Option<&CasePattern>,
    chosen: &Chosen,
) -> Result<Cases, Failure> {
    let mut cases: BTreeMap<CaseName, Vec<(PathBuf, Option<u64>, u64)>> = BTreeMap::new();
    let mut all = 0;
    for path in paths {
        let failed = |error| Failure::new(ExitCode::Io, format!("{}: {error}", path.display()));
        let is_folder = fs::metadata(path).map_err(failed)?.is_dir();
        let files = match is_folder {
            false => vec![path.clone()],
            true => {
                let entries = fs::read_dir(path).map_err(failed)?;
                let files = entries.map(|entry| entry.map(|entry| entry.path()));
                let mut files = files.collect::<Result<Vec<_>, _>>().map_err(failed)?;
                files.retain(|file| CaseName::of(file, pattern).is_some());
                files.sort();
                files
            }
        };
        for file in files {
            let Some(name) = CaseName::of(&file, pattern) else {
                let message = format!(
                    "{}: the name of a log is CID_HOST_RID.st, with .PID behind it for each process \
                     of -ff, and .gz or .zst; --case-pattern names another form",
                    file.display()
                );
                return Err(Failure::new(ExitCode::Usage, message));
            };
            all += 1;
            if !chosen.has(&name) {
                continue;
            }
            let bytes = fs::metadata(&file).map_or(0, |file| file.len());
            let of_case = cases.entry(name.whole()).or_default();
            if let Some((other, ..)) = of_case.iter().find(|(_, pid, _)| *pid == name.pid) {
                let message =
                    format!("{} and {} are both of {name}", other.display(), file.display());
                return Err(Failure::new(ExitCode::Usage, message));
            }
            of_case.push((file, name.pid, bytes));
        }
    }
    if cases.is_empty() {
        let message = match all {
            0 => "there is no log: expected files CID_HOST_RID.st".to_owned(),
            all => format!("none of {all} logs is of the chosen cases"),
        };
        return Err(Failure::new(ExitCode::Trace, message));
    }
    Ok(Cases(cases.into_iter().collect()))
}

/// How cases are read.
#[derive(Clone, Debug)]
pub struct Options {
    /// What events are called.
    pub mapping: Mapping,
    /// Which cases belong to which part.
    pub chosen: Chosen,
    /// Each process is a case of its own.
    pub by_process: bool,
    /// Calls on sockets transfer bytes.
    pub sockets: bool,
    /// Sequences of whole cases are kept.
    pub variants: bool,
}

/// What was read of a file.
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
    /// Whether any call named a file.
    pub has_paths: bool,
}

/// The logs of all cases.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Logs {
    /// Those of the two subsets that are compared, and of all others.
    pub parts: [Log; 3],
    /// What was read, by case and file.
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

    /// Whether times of different cases can be compared: all are of one form, and not relative.
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
    let own = shares[ranks.rank()].par_iter().map(|case| {
        let logs = log_of_case(case, options);
        let events = logs.files.iter().map(|file| file.report.lines.events).sum();
        progress.events.fetch_add(events, Ordering::Relaxed);
        let bytes = case.1.iter().map(|(.., bytes)| bytes).sum();
        progress.bytes.fetch_add(bytes, Ordering::Relaxed);
        logs
    });
    let own = own.reduce(Logs::default, Logs::fold);
    fail_point("reduce", ranks.rank())?;
    let all = ranks.reduce(0, own, Logs::fold)?;
    Ok(all.map(|mut all| {
        all.files.sort_by(|one, other| (&one.case, &one.path).cmp(&(&other.case, &other.path)));
        all
    }))
}

/// Reads a case.
fn log_of_case((name, files): &CaseFiles, options: &Options) -> Logs {
    let keeping = Keeping { ticks_per_second: TICKS_PER_SECOND, variants: options.variants };
    let mut log = Log::default();
    let mut found = Vec::new();
    let mut happenings: Vec<Happening> = Vec::new();
    // Where the events of each file begin.
    let mut begins = Vec::new();
    for (number, (path, pid, _)) in files.iter().enumerate() {
        begins.push(happenings.len());
        let reading = Reading { sockets: options.sockets, pid: *pid };
        let mut names = Names { mapping: &options.mapping, known: HashMap::default() };
        let mut key = Vec::new();
        let mut has_paths = false;
        let read = read(path, reading, &mut |call| {
            has_paths |= call.target != Target::None;
            if options.mapping.drop_failed && call.error.is_some() {
                return;
            }
            let Some(activity) = names.of(call, &mut key, &mut log) else { return };
            let facts = Facts {
                start: call.start,
                duration: call.duration.unwrap_or(0).unsigned_abs(),
                size: call.size,
                failed: call.error.is_some(),
            };
            log.event(activity, &facts, keeping);
            let case = match (options.by_process, pid) {
                (true, _) => u64::from(call.generation) << 32 | call.pid & 0xffff_ffff,
                (false, Some(_)) => call.generation.into(),
                (false, None) => 0,
            };
            let order = (number as u64) << 40 | call.line;
            happenings.push(Happening { case, start: call.start, order, activity });
        });
        let case = CaseName { pid: *pid, ..name.clone() };
        let (report, refused) = match read {
            Ok(report) => (report, None),
            Err(loss) => (FileReport::default(), Some(loss)),
        };
        found.push(Found { case, path: path.clone(), report, refused, has_paths });
    }
    // The times of files that begin at 0 each cannot be merged.
    let is_relative = |file: &Found| file.report.forms == [TimeForm::Relative];
    let apart = found.len() > 1 && found.iter().all(is_relative);
    begins.push(happenings.len());
    let ranges: Vec<(usize, usize)> = match apart {
        true => begins.windows(2).map(|pair| (pair[0], pair[1])).collect(),
        false => vec![(0, happenings.len())],
    };
    for (begin, end) in ranges {
        match begin == end {
            true => log.empty_case(),
            false => log.cases(&mut happenings[begin..end], keeping),
        }
    }
    let mut parts: [Log; 3] = Default::default();
    parts[options.chosen.part(name)] = log;
    Logs { parts, files: found }
}

/// The activities of calls, each of which is found out once.
struct Names<'m> {
    mapping: &'m Mapping,
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
        let activity = name.map(|name| log.activity(&name));
        // A program that names ever new files is not to fill the memory.
        const MOST: usize = 1 << 16;
        if self.known.len() >= MOST {
            self.known.clear();
        }
        self.known.insert(key.clone(), activity);
        activity
    }
}
