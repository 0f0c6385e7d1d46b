//! Cases and their files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Chosen;
use streamfold_formats::input;
use streamfold_formats::strace::event_log::{self, is_event_log};
use streamfold_formats::strace::{is_log, logs_in, CaseName, CasePattern};
use streamfold_system::exit::{ExitCode, Failure};

/// A case and its files, with their sizes in bytes.
pub(super) type CaseFiles = (CaseName, Vec<LogFile>);

/// A file, the process that it is of, and its size in bytes.
type LogFile = (PathBuf, Option<u64>, u64);

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
        self.0.iter().flat_map(|(_, files)| files).map(|(.., bytes)| bytes).sum()
    }

    /// Those of each rank: the largest go first, each to the rank that has least.
    pub(super) fn shares(&self, ranks: usize) -> Vec<Vec<&CaseFiles>> {
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
                for (name, bytes) in cases_of(&file)? {
                    all += 1;
                    if chosen.has(&name) {
                        add(&mut cases, &file, name, bytes)?;
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
            add(&mut cases, &file, name, bytes)?;
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
    file: &Path,
    name: CaseName,
    bytes: u64,
) -> Result<(), Failure> {
    let of_case = cases.entry(name.whole()).or_default();
    if let Some((other, ..)) = of_case.iter().find(|(_, pid, _)| *pid == name.pid) {
        let message = format!("{} and {} are both of {name}", other.display(), file.display());
        return Err(Failure::new(ExitCode::Usage, message));
    }
    of_case.push((file.to_owned(), name.pid, bytes));
    Ok(())
}

/// The cases of an event log, with bytes that reading each takes.
fn cases_of(path: &Path) -> Result<Vec<(CaseName, u64)>, Failure> {
    /// Of a call, compressed or not, which is only to share the work.
    const CALL: u64 = 64;
    let cases = event_log::cases(path)?;
    Ok(cases.into_iter().map(|(name, calls)| (name, CALL * calls)).collect())
}
