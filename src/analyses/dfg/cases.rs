//! Cases and their files.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Chosen;
use streamfold_formats::input;
use streamfold_formats::strace::event_log::{is_event_log, EventLog};
use streamfold_formats::strace::{is_log, logs_in, CaseName, CasePattern};
use streamfold_system::exit::{ExitCode, Failure};

/// A case and its files.
pub(super) type CaseFiles = (CaseName, Vec<LogFile>);

/// A file of a case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct LogFile {
    pub path: PathBuf,
    /// The process that it is of.
    pub pid: Option<u64>,
    /// Its size in bytes.
    pub bytes: u64,
    /// The place of its calls in their table of an event log. Each begins at 0 where each case has a table.
    pub rows: Option<Range<u64>>,
}

/// Neighbours in an event log are read together until they have so many calls: there is enough to share, and opening
/// the file does not count.
const TOGETHER: u64 = 1 << 14;

/// The cases that are to be read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Cases(Vec<CaseFiles>);

impl Cases {
    /// All of them, in the order of their names.
    pub(super) fn all(&self) -> &[CaseFiles] {
        &self.0
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.0.iter().map(bytes_of).sum()
    }

    /// Cases that are read together: one each, or neighbours in an event log.
    fn together(&self) -> Vec<&[CaseFiles]> {
        let mut calls = 0;
        let pieces = self.0.chunk_by(|one, other| {
            let (Some((path, before)), Some((other, rows))) = (in_log(one), in_log(other)) else {
                calls = 0;
                return false;
            };
            calls += before.end - before.start + 1;
            let is_next = path == other && before.end <= rows.start;
            let is_together = is_next && calls + (rows.end - rows.start) <= TOGETHER;
            calls = if is_together { calls } else { 0 };
            is_together
        });
        pieces.collect()
    }

    /// Those of each rank, where some are read [together](Self::together): the largest go first, each to the rank that
    /// has least.
    pub(super) fn shares(&self, ranks: usize) -> Vec<Vec<&[CaseFiles]>> {
        let size = |cases: &[CaseFiles]| {
            let of_case = |case: &CaseFiles| bytes_of(case) + case.1.len() as u64;
            cases.iter().map(of_case).sum::<u64>()
        };
        let mut order = self.together();
        order.sort_by_key(|cases| std::cmp::Reverse(size(cases)));
        let mut shares = vec![(0, Vec::new()); ranks];
        for cases in order {
            let least = shares.iter_mut().min_by_key(|(bytes, _)| *bytes);
            let Some((bytes, share)) = least else { break };
            *bytes += size(cases);
            share.push(cases);
        }
        shares.into_iter().map(|(_, share)| share).collect()
    }
}

/// Bytes of the files of a case.
pub(super) fn bytes_of((_, files): &CaseFiles) -> u64 {
    files.iter().map(|file| file.bytes).sum()
}

/// The place of a case in an event log, where it is all of the case.
fn in_log((_, files): &CaseFiles) -> Option<(&Path, &Range<u64>)> {
    match files.as_slice() {
        [LogFile { path, rows: Some(rows), .. }] => Some((path, rows)),
        _ => None,
    }
}

/// Bytes of a call of an event log, compressed or not, which is only to share the work.
const CALL: u64 = 64;

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
    let mut cases = BTreeMap::new();
    let mut all = 0;
    for path in paths {
        let failed = |error| Failure::new(ExitCode::Io, format!("{}: {error}", path.display()));
        let is_folder = fs::metadata(path).map_err(failed)?.is_dir();
        input::check(path).map_err(failed)?;
        let files = match is_folder {
            false => vec![path.clone()],
            true => {
                let entries = fs::read_dir(path).map_err(failed)?;
                match pattern {
                    None => logs_in(path),
                    Some(_) => {
                        let files = entries.map(|entry| entry.map(|entry| entry.path()));
                        let mut files = files.collect::<Result<Vec<_>, _>>().map_err(failed)?;
                        files.retain(|file| CaseName::of(file, pattern).is_some());
                        files.sort();
                        files
                    }
                }
            }
        };
        for file in files {
            if is_event_log(&file) {
                for (name, rows) in EventLog::open(&file)?.cases()? {
                    all += 1;
                    if chosen.has(&name) {
                        let bytes = CALL * (rows.end - rows.start);
                        let of_case =
                            LogFile { path: file.clone(), pid: None, bytes, rows: Some(rows) };
                        add(&mut cases, &name, of_case)?;
                    }
                }
                continue;
            }
            let of_lines = || (pattern.is_none() && is_log(&file)).then(|| CaseName::of_log(&file));
            let Some(name) = CaseName::of(&file, pattern).or_else(of_lines) else {
                let message = format!(
                    "{}: the first lines are not those of strace, and the name of a log is CID_HOST_RID.st, with \
                     .PID behind it for each process of -ff, and .gz or .zst; --case-pattern names another form",
                    file.display()
                );
                return Err(Failure::new(ExitCode::Usage, message));
            };
            all += 1;
            if !chosen.has(&name) {
                continue;
            }
            let bytes = fs::metadata(&file).map_or(0, |file| file.len());
            let pid = name.pid;
            add(&mut cases, &name, LogFile { path: file, pid, bytes, rows: None })?;
        }
    }
    if cases.is_empty() {
        let message = match all {
            0 => "there is no log: expected files CID_HOST_RID.st, or with lines of strace"
                .to_owned(),
            all => format!("none of {all} logs is of the chosen cases"),
        };
        return Err(Failure::new(ExitCode::Trace, message));
    }
    Ok(Cases(cases.into_iter().collect()))
}

/// Adds a file to its case.
fn add(
    cases: &mut BTreeMap<CaseName, Vec<LogFile>>,
    name: &CaseName,
    file: LogFile,
) -> Result<(), Failure> {
    let of_case = cases.entry(name.whole()).or_default();
    if let Some(other) = of_case.iter().find(|other| other.pid == file.pid) {
        let message =
            format!("{} and {} are both of {name}", other.path.display(), file.path.display());
        return Err(Failure::new(ExitCode::Usage, message));
    }
    of_case.push(file);
    Ok(())
}
