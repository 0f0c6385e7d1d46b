//! Content of files, and what all of them define, how many events each location has, and what is wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use bstr::{BString, ByteSlice};
use foldhash::fast::RandomState;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use streamfold_model::enums::{IoParadigmClass, Paradigm, RegionRole};
use streamfold_model::ids::{LocationRef, SystemTreeNodeRef};
use streamfold_model::store::Definitions;
use streamfold_model::system_calls::Class;

use super::call::{role, Call};
use super::clock::TimeForm;
use super::file::{has_content, read_to, Reading};
use super::kinds::Kinds;
use super::names::CaseName;
use super::reader::{placed, LogPart};
use super::report::{FileReport, Lines};
use super::source::StraceLog;
use crate::defining::{Defining, Kept};
use crate::runs::Runs;
use crate::text::{Extent, Parting};
use crate::{Loss, Note};

/// Tells whether a path leads to a log, or to a folder with some, by the names of the files alone.
pub(crate) fn has_name(path: &Path) -> bool {
    match path.is_dir() {
        true => entries(path).any(|path| CaseName::of(&path, None).is_some()),
        false => path.is_file() && CaseName::of(path, None).is_some(),
    }
}

/// Tells whether a path leads to a log, or to a folder with some, by the names of the files or by their first lines.
pub fn is_log(path: &Path) -> bool {
    match path.is_dir() {
        true => has_name(path) || entries(path).any(|path| path.is_file() && has_content(&path)),
        false => path.is_file() && (has_name(path) || has_content(path)),
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// The logs in a folder, in the order of their names.
pub fn logs_in(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = entries(folder)
        // Others than regular files, too: a user who names one like a log misses it.
        .filter(|path| CaseName::of(path, None).is_some() || path.is_file() && has_content(path))
        .collect();
    files.sort();
    files
}

/// Content of a file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Scanned {
    extent: Extent,
    report: FileReport,
    calls: BTreeSet<BString>,
    paths: BTreeSet<BString>,
    /// Each process and each use of its number.
    processes: BTreeMap<(u64, u32), Process>,
    span: Option<(u64, u64)>,
    /// Calls that seem to begin long before the end of the one before them.
    moved: u64,
}

/// A process in a file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Process {
    events: u64,
    /// When its last call ended.
    end: u64,
}

/// Settles what all files define, given the content of each.
///
/// # Errors
///
/// When no file can be read, or no call is in any of them.
pub(super) fn settle(
    path: &Path,
    files: Vec<(PathBuf, CaseName)>,
    scanned: impl Iterator<Item = Result<Scanned, Loss>>,
    mut notes: Kept<Note>,
) -> Result<(StraceLog, Definitions), Loss> {
    let mut losses = Kept::default();
    let mut parts = Vec::new();
    for ((path, case), scanned) in files.into_iter().zip(scanned) {
        match scanned {
            Ok(scanned) => parts.push((path, case, scanned)),
            Err(loss) => losses.push(loss),
        }
    }
    if parts.is_empty() && !losses.first.is_empty() {
        return Err(losses.first.swap_remove(0));
    }
    if parts.iter().all(|(.., scanned)| scanned.processes.is_empty()) {
        let mut faults =
            parts.iter().flat_map(|(.., of)| of.report.damage.iter().chain(&of.report.unparsed));
        let fault =
            faults.next().map_or_else(String::new, |fault| format!(". The first fault: {fault}"));
        return Err(Loss::of_file(path, format!("there is no call that has ended{fault}")));
    }
    for (path, _, scanned) in &parts {
        remark(path, scanned, &mut losses, &mut notes);
    }
    let mut forms: Vec<TimeForm> =
        parts.iter().flat_map(|(.., scanned)| scanned.report.forms.iter().copied()).collect();
    forms.sort_unstable();
    forms.dedup();
    if forms.len() > 1 {
        let what = "times of files are of different forms and cannot be compared";
        notes.push(Note::of_file(path, what));
    }
    Ok(build(path, parts, losses, notes))
}

/// A call whose begin is moved by more, in nanoseconds, has coarse times: clocks differ by less.
const COARSE: i128 = 1_000_000;

fn remark(path: &Path, scanned: &Scanned, losses: &mut Kept<Loss>, notes: &mut Kept<Note>) {
    let report = &scanned.report;
    report.damage.iter().for_each(|damage| losses.push(damage.clone()));
    for about in &report.unparsed {
        notes.push(Note { about: about.clone(), is_error: true });
    }
    notes.count += report.lines.unparsed - report.unparsed.len() as u64;
    for about in report.set_back.iter().chain(&report.growth) {
        notes.push(Note { about: about.clone(), is_error: false });
    }
    let mut odd = |what: &str| notes.push(Note::of_file(path, what));
    let Lines { events, no_duration, resumed_orphan, unfinished_lost, .. } = report.lines;
    if events > 0 && no_duration == events {
        odd("there are no durations: record with -T");
    }
    if events > 0 && report.forms.is_empty() {
        odd("there are no times: record with -ttt");
    }
    if scanned.moved > 0 && !report.forms.is_empty() {
        odd(&format!(
            "by their times, {} calls begin before the end of the call before them: they follow it; record with -ttt",
            scanned.moved
        ));
    }
    if report.is_bare {
        let unknown = match report.unknown {
            0 => String::new(),
            count => format!(", and those of {count} calls are not known"),
        };
        odd(&format!(
            "descriptors have no paths: their files are those that were opened{unknown}; record with -y"
        ));
    }
    if let Some(call) = scanned.calls.iter().find(|call| call.starts_with(b"io_uring_enter")) {
        odd(&format!("the log does not say which bytes of which files go through {call}"));
    }
    if report.is_pid_unknown {
        odd("lines do not say of which process they are: record with -o FILE");
    }
    if resumed_orphan > 0 {
        odd(&format!("{resumed_orphan} calls end that began nowhere"));
    }
    if unfinished_lost > 0 {
        odd(&format!("{unfinished_lost} calls begin that end nowhere"));
    }
    if report.reused > 0 {
        odd(&format!("{} numbers of processes were used again after an exit", report.reused));
    }
}

pub(super) fn scan_file(path: &Path, parting: Parting) -> Result<Scanned, Loss> {
    let mut contents = Contents::default();
    let (pid, is_alone) = (CaseName::of_log(path).pid, parting.is_alone);
    let reading = Reading { pid, sockets: false, is_alone };
    let mut receive = |call: &Call<'_>| contents.take(call);
    let extent = Extent::begin(path).map_err(|error| Loss::of_system(path, &error))?;
    let report = read_to(path, extent, (reading, parting.size), &mut receive)?;
    Ok(contents.end(report, extent))
}

/// Definitions of the calls of a file, as far as it was read.
#[derive(Default)]
struct Contents {
    calls: BTreeSet<BString>,
    paths: BTreeSet<BString>,
    /// Kinds of calls that were seen: without and with bytes that they transferred, of known and of unknown files.
    seen: [[Kinds<()>; 2]; 2],
    processes: IndexMap<(u64, u32), Process, RandomState>,
    /// The process of the call before.
    last: usize,
    span: Option<(u64, u64)>,
    moved: u64,
}

impl Contents {
    fn take(&mut self, call: &Call<'_>) {
        let Contents { calls, paths, seen, .. } = self;
        let seen = &mut seen[usize::from(call.size.is_some())][usize::from(call.is_unknown)];
        let mut define = || {
            if !calls.contains(call.name.as_bstr()) {
                calls.insert(BString::from(call.name));
            }
            let mut keep = |path: Vec<u8>| {
                if !paths.contains(path.as_bstr()) {
                    paths.insert(BString::from(path));
                }
            };
            match call.size {
                Some(_) => call.transfers(|_, path| keep(path)),
                None => call.path().into_iter().for_each(keep),
            }
        };
        match call.transfer {
            Some(Class::Copy { .. }) => define(),
            _ => seen.of(call, define),
        }
        let process = self.process(call);
        process.events += 2 + 2 * call.transferred();
        let (begin, end) = placed(call, process.end);
        process.end = end;
        self.moved += u64::from(i128::from(begin) - i128::from(call.start) > COARSE);
        let (first, last) = self.span.get_or_insert((begin, end));
        (*first, *last) = ((*first).min(begin), (*last).max(end));
    }

    fn process(&mut self, call: &Call<'_>) -> &mut Process {
        let key = (call.pid, call.generation);
        let is_last = self.processes.get_index(self.last).is_some_and(|(last, _)| *last == key);
        if !is_last {
            let entry = self.processes.entry(key);
            self.last = entry.index();
            entry.or_default();
        }
        &mut self.processes[self.last]
    }

    fn end(self, report: FileReport, extent: Extent) -> Scanned {
        let Contents { calls, paths, span, moved, .. } = self;
        let mut processes: BTreeMap<(u64, u32), Process> = self.processes.into_iter().collect();
        if let Some(key) = processes.keys().copied().find(|(pid, _)| *pid == FileReport::SOLE) {
            let alone = processes.remove(&key).unwrap_or_default();
            let process = processes.entry((report.sole, key.1)).or_default();
            process.events += alone.events;
        }
        Scanned { extent, report, calls, paths, processes, span, moved }
    }
}

/// The categories of calls that are about files, and of all others.
const FILES: &str = "POSIX";
const OTHERS: &str = "system calls";

fn build(
    path: &Path,
    parts: Vec<(PathBuf, CaseName, Scanned)>,
    losses: Kept<Loss>,
    notes: Kept<Note>,
) -> (StraceLog, Definitions) {
    let all = |of: fn(&Scanned) -> &BTreeSet<BString>| -> Vec<BString> {
        let sets = parts.iter().map(|(.., scanned)| of(scanned));
        let all: BTreeSet<&BString> = sets.flatten().collect();
        all.into_iter().cloned().collect()
    };
    let (calls, paths) = (all(|scanned| &scanned.calls), all(|scanned| &scanned.paths));
    let mut to = Defining::default();
    to.text("".into());
    to.attributes();
    for (id, name) in (0..).zip(&calls) {
        let (name, role) = (name.as_bstr(), role(name.as_bstr()));
        let category = if role == RegionRole::Function { OTHERS } else { FILES };
        to.region(id, [name, category.into(), name], (role, Paradigm::Unknown));
    }
    to.interface(0, FILES, OTHERS, IoParadigmClass::Serial);
    // Each file has a handle of the same number.
    for (id, path) in (0..).zip(&paths) {
        to.file(id, path.as_bstr());
        to.handle(id, id, 0);
    }
    let hosts: BTreeSet<&str> = parts.iter().map(|(_, case, _)| case.host.as_str()).collect();
    let hosts: BTreeMap<&str, u32> = hosts.into_iter().zip(1..).collect();
    to.node(0, "strace", "machine", SystemTreeNodeRef::UNDEFINED);
    for (host, id) in &hosts {
        to.node(*id, host, "node", SystemTreeNodeRef(0));
    }
    let cases: BTreeSet<CaseName> = parts.iter().map(|(_, case, _)| case.whole()).collect();
    let cases: BTreeMap<CaseName, u32> = cases.into_iter().zip(0..).collect();
    for (case, id) in &cases {
        let host = hosts.get(case.host.as_str()).copied().unwrap_or(1);
        to.process(*id, &case.to_string(), host);
    }
    let mut log_parts = Vec::new();
    let mut lines = Lines::default();
    let mut next = 0;
    let mut span: Option<(u64, u64)> = None;
    let mut runs = Runs::default();
    for (path, case, scanned) in parts {
        let first_location = next;
        let group = cases.get(&case.whole()).copied().unwrap_or(0);
        let mut processes = Vec::new();
        for ((pid, generation), Process { events, .. }) in &scanned.processes {
            let again =
                if *generation > 0 { format!(" ({})", generation + 1) } else { String::new() };
            to.thread(next, &format!("process {pid}{again}"), group, *events);
            processes.push((*pid, *generation, next, *events));
            next += 1;
        }
        if let Some((first, last)) = scanned.span {
            let (all_first, all_last) = span.get_or_insert((first, last));
            (*all_first, *all_last) = ((*all_first).min(first), (*all_last).max(last));
        }
        runs.add(&case.cid, scanned.span, (first_location..next).map(LocationRef));
        lines = lines.fold(scanned.report.lines);
        log_parts.push(LogPart {
            path,
            pid: case.pid,
            sole: scanned.report.sole,
            extent: scanned.extent,
            bytes: scanned.report.bytes,
            events: scanned.processes.values().map(|process| process.events).sum(),
            processes,
            next,
        });
    }
    let (first, last) = span.unwrap_or((0, 0));
    to.clock(1_000_000_000, (first, last));
    let log = StraceLog {
        path: path.to_owned(),
        parts: log_parts,
        calls,
        paths,
        cases: cases.len() as u64,
        runs: runs.apart(),
        lines,
        losses: (losses.count, losses.first),
        notes: (notes.count, notes.first),
        known: OnceLock::new(),
    };
    (log, to.definitions)
}
