//! A trace with some of its processes: definitions and master file are new, files of streams are links.
//!
//! No event is rewritten. Records of processes that the master file does not name are passed by readers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};

use super::definitions::{self, Kept, Line};
use super::plan::{identify, write_lines};
use super::{write_file, Input, NewSet, Report};
use crate::{Outcome, Replacing, Written};
use streamfold_drive::Losses;
use streamfold_formats::input;
use streamfold_formats::otf::writer::{master_text, Shape};
use streamfold_formats::otf::{master_file, stream_file, Record, Section};
use streamfold_system::exit::{ExitCode, Failure};
use streamfold_text::human;

/// Selection of the processes that stay.
#[derive(Clone, Debug)]
pub enum Selection {
    /// These.
    Keep(BTreeSet<u32>),
    /// All but these.
    Remove(BTreeSet<u32>),
    /// Of each list its first process, which stands for the others; and all that are in none.
    Represent(Vec<Vec<u32>>),
}

/// Writes a trace with some of the processes of another one.
///
/// # Errors
///
/// When a list names a process that there is not, or names one twice, when no process stays, or when files cannot be
/// written; nothing is left then.
pub fn shrink(
    input: &Path,
    (output, replacing): (&Path, Replacing),
    selection: &Selection,
    copies: bool,
) -> Result<Report, Failure> {
    let place = NewSet::prepare(output, &[input.to_owned()], replacing)?;
    let input = Input::open(input)?;
    let written = write(&input, &place, selection, copies);
    let report = written.map_err(|failure| place.told(failure))?;
    place.put()?;
    Ok(report)
}

fn write(
    input: &Input,
    place: &NewSet,
    selection: &Selection,
    copies: bool,
) -> Result<Report, Failure> {
    let kept = selection.kept(input)?;
    let mut report = Report {
        outcome: Outcome::default(),
        counts: (0, kept.len() as u64),
        warnings: Losses::default(),
        remarks: Vec::new(),
    };
    let stub = place.stub();
    let mut streams = input.in_order.clone();
    streams.values_mut().for_each(|list| list.retain(|process| kept.contains(process)));
    streams.retain(|_, list| !list.is_empty());
    report.counts.0 = streams.len() as u64;
    let mut lines = match stream_file(&input.stub, 0, Section::Definitions) {
        Some(path) => definitions::read(&path, Section::Definitions, &mut report.outcome.losses),
        None => Vec::new(),
    };
    match selection {
        Selection::Represent(lists) => {
            for list in lists {
                let values = vec![Kept::Number(list[0].into()), Kept::List(list.clone())];
                lines.push(Line::new(Record::DefProcessSubstitutes, values));
            }
        }
        _ => remove(&mut lines, input, &kept),
    }
    identify(&mut lines, &streams, false);
    write_lines(&lines, &stub, (0, Section::Definitions), Shape::default(), &mut report)?;
    link_files(input, &streams, place, copies, &mut report)?;
    let master = master_text(&streams);
    write_file(&master_file(&stub), &master)?;
    report.outcome.written.add(&Written::file(master.len() as u64));
    let removed = input.streams.values().map(Vec::len).sum::<usize>() - kept.len();
    report.remarks.push(human::counted(
        removed as u64,
        ["process is not in the new trace", "processes are not in the new trace"],
    ));
    Ok(report)
}

impl Selection {
    /// The processes that stay.
    fn kept(&self, input: &Input) -> Result<BTreeSet<u32>, Failure> {
        let all: BTreeSet<u32> = input.streams.values().flatten().copied().collect();
        let refuse = |text: String| Err(Failure::new(ExitCode::Usage, text));
        let named: Vec<u32> = match self {
            Selection::Keep(list) | Selection::Remove(list) => list.iter().copied().collect(),
            Selection::Represent(lists) => lists.concat(),
        };
        if let Some(unknown) = named.iter().find(|process| !all.contains(process)) {
            let path = input.path().display();
            return refuse(format!("{path} has no process {unknown}"));
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = named.iter().find(|process| !seen.insert(**process)) {
            return refuse(format!("process {twice} is in two lists"));
        }
        let kept = match self {
            Selection::Keep(list) => list.clone(),
            Selection::Remove(list) => all.difference(list).copied().collect(),
            Selection::Represent(lists) => {
                let gone: BTreeSet<u32> =
                    lists.iter().flat_map(|list| list.iter().skip(1)).copied().collect();
                all.difference(&gone).copied().collect()
            }
        };
        if kept.is_empty() {
            return refuse("no process stays".to_owned());
        }
        Ok(kept)
    }
}

/// Removes processes from definitions: those of themselves, members of groups, and parents.
fn remove(lines: &mut Vec<Line>, input: &Input, kept: &BTreeSet<u32>) {
    let listed: BTreeSet<u32> = input.streams.values().flatten().copied().collect();
    let defined = lines.iter().filter(|line| line.record == Record::DefProcess);
    let defined: BTreeSet<u32> = defined.map(|line| line.token(0)).collect();
    let is_gone = |token: u32| {
        (listed.contains(&token) || defined.contains(&token)) && !kept.contains(&token)
    };
    lines.retain_mut(|line| match line.record {
        Record::DefProcess => {
            if is_gone(line.token(2)) {
                line.values[2] = Kept::Number(0);
            }
            !is_gone(line.token(0))
        }
        Record::DefProcessOrGroupAttributes => !is_gone(line.token(0)),
        Record::DefProcessGroup | Record::DefCounterAssignments | Record::DefProcessSubstitutes => {
            let Some(Kept::List(members)) = line.values.get_mut(1) else { return true };
            let before = members.len();
            members.retain(|member| !is_gone(*member));
            // As with the reference, a group of which nobody is left goes.
            before == 0 || !members.is_empty()
        }
        _ => true,
    });
}

/// Links the files of streams, or copies them.
fn link_files(
    input: &Input,
    streams: &BTreeMap<u32, Vec<u32>>,
    place: &NewSet,
    copies: bool,
    report: &mut Report,
) -> Result<(), Failure> {
    let stub = place.stub();
    let of_streams =
        streams.keys().flat_map(|stream| Section::ALL.map(|section| (*stream, section)));
    for (stream, section) in of_streams.chain([(0, Section::Markers)]) {
        let Some(from) = stream_file(&input.stub, stream, section) else { continue };
        let is_packed = from.extension().is_some_and(|ending| ending == "z");
        let packed = if is_packed { ".z" } else { "" };
        let mut to = stub.as_os_str().to_owned();
        to.push(format!(".{stream:x}.{}{packed}", section.ending()));
        let to = PathBuf::from(to);
        let made = match copies {
            true => input::open(&from).and_then(|_| fs::copy(&from, &to)).map(drop),
            false => target(&from, place.folder()).and_then(|target| symlink(target, &to)),
        };
        made.map_err(|error| Failure::output(&to, &error))?;
        let bytes = if copies { fs::metadata(&to).map_or(0, |file| file.len()) } else { 0 };
        report.outcome.written.add(&Written::file(bytes));
    }
    Ok(())
}

/// Returns the target of a link in a folder that reaches a file, relative to the folder.
fn target(file: &Path, folder: &Path) -> std::io::Result<PathBuf> {
    let file = file.canonicalize()?;
    // A folder that does not exist yet is made beside others that do.
    let Ok(folder) = folder.canonicalize() else { return Ok(file) };
    let (from, to): (Vec<_>, Vec<_>) = (folder.components().collect(), file.components().collect());
    let common = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let up = from[common..].iter().map(|_| Component::ParentDir);
    Ok(up.chain(to[common..].iter().copied()).collect())
}

/// Processes by number, and ranges of them: "1,2 4-8".
///
/// # Errors
///
/// Text about a part that is neither a process nor a range.
pub fn parse_list(text: &str) -> Result<Vec<u32>, String> {
    const MOST: u32 = 1 << 24;
    let mut processes = Vec::new();
    let parts = text.split(|c: char| c == ',' || c.is_whitespace()).filter(|part| !part.is_empty());
    for part in parts {
        let wrong = || format!("\"{part}\" is neither a process (12) nor a range of them (4-8)");
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let first: u32 = first.parse().map_err(|_| wrong())?;
        let last: u32 = last.parse().map_err(|_| wrong())?;
        if last < first || last - first >= MOST {
            return Err(wrong());
        }
        processes.extend(first..=last);
    }
    match processes.is_empty() {
        true => Err("a list of processes is expected, such as \"1,2 4-8\"".to_owned()),
        false => Ok(processes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_numbers_and_ranges() {
        assert_eq!(parse_list("1,2 4-6"), Ok(vec![1, 2, 4, 5, 6]));
        for wrong in ["", "a", "3-1", "1-", "1;2", "0-4294967295"] {
            assert!(parse_list(wrong).is_err(), "{wrong}");
        }
    }
}
