//! Plan of the new trace: streams, tokens, definitions, markers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use streamfold_model::ids::LocationRef;

use super::definitions::{self, unused, File, Joined, Kept, Line};
use super::streams::{Part, Task, Work};
use super::{write_file, Input, Layout, Report, Wanted};
use crate::{identifier, Outcome, Written};
use streamfold_drive::Losses;
use streamfold_formats::otf::encode::Form;
use streamfold_formats::otf::names::{Names, Renaming};
use streamfold_formats::otf::writer::{master_text, Shape, StreamWriter};
use streamfold_formats::otf::{master_file, stream_file, Record, Section};
use streamfold_formats::Source;
use streamfold_system::exit::{ExitCode, Failure};
use streamfold_text::human;

/// Plans a new trace, and writes what is there once.
pub(super) fn plan(
    inputs: &[Input],
    wanted: &Wanted,
    stub: &Path,
    open_files: usize,
) -> Result<(Work, Report), Failure> {
    let mut report = Report {
        outcome: Outcome::default(),
        counts: (0, 0),
        warnings: Losses::default(),
        remarks: Vec::new(),
    };
    for input in inputs {
        let (count, first) = input.otf.losses();
        let losses = &mut report.outcome.losses;
        first.iter().for_each(|loss| losses.push(LocationRef::UNDEFINED, loss.to_string()));
        losses.count += count - first.len() as u64;
        let (count, first) = input.otf.notes();
        let notes = &mut report.warnings;
        first.iter().for_each(|note| notes.push(LocationRef::UNDEFINED, note.about.to_string()));
        notes.count += count - first.len() as u64;
    }
    let processes = processes(inputs, wanted.apart)?;
    let mut present = BTreeMap::new();
    let mut order = Vec::new();
    for (input, renaming) in inputs.iter().zip(&processes) {
        for (id, list) in &input.streams {
            let list: Vec<u32> = list.iter().map(|process| renaming.process(*process)).collect();
            order.extend_from_slice(&list);
            present.insert(*id, list);
        }
    }
    let streams = match wanted.layout {
        Layout::AsIs => inputs[0].in_order.clone(),
        _ => wanted.layout.streams(&present, &order)?,
    };
    report.counts = (streams.len() as u64, order.len() as u64);
    let (renamings, number_of) = match wanted.layout {
        Layout::AsIs => {
            copy_definitions(&inputs[0], wanted, stub, &mut report)?;
            (vec![Renaming::default()], BTreeMap::new())
        }
        _ => join_definitions(inputs, wanted, (stub, &streams), processes, &mut report)?,
    };
    let tasks = tasks(inputs, wanted, &streams, (&renamings, &number_of));
    let master = master_text(&streams);
    write_file(&master_file(stub), &master)?;
    report.outcome.written.add(&Written::file(master.len() as u64));
    if let [input] = inputs {
        thumbnail(input, stub, &mut report)?;
    }
    let shape = wanted.shape;
    let work = Work {
        stub: stub.to_owned(),
        form_is_long: shape.form == Form::Long,
        level: shape.level,
        tasks,
        renamings,
        open_files,
    };
    Ok((work, report))
}

/// Returns the renaming of each trace's processes, for tokens that two traces share.
fn processes(inputs: &[Input], apart: bool) -> Result<Vec<Renaming>, Failure> {
    let mut used: BTreeSet<u32> = inputs[0].streams.values().flatten().copied().collect();
    let all = inputs.iter().flat_map(|input| input.streams.values().flatten());
    let mut taken: BTreeSet<u32> = all.copied().collect();
    let mut renamings = vec![Renaming::default()];
    for input in &inputs[1..] {
        let mut renaming = Renaming::default();
        for process in input.streams.values().flatten() {
            if used.insert(*process) {
                continue;
            }
            if !apart || *process == 0 {
                let text = format!(
                    "{}: process {process} is in another trace, too: say --apart if it is another process, \
                     which gets another number then",
                    input.path().display()
                );
                return Err(Failure::new(ExitCode::Trace, text));
            }
            let other = unused(&taken);
            taken.insert(other);
            used.insert(other);
            renaming.insert(Names::Process, *process, other);
        }
        renamings.push(renaming);
    }
    Ok(renamings)
}

/// Copies the definitions and markers of all streams, each into a file of its own.
fn copy_definitions(
    input: &Input,
    wanted: &Wanted,
    stub: &Path,
    report: &mut Report,
) -> Result<(), Failure> {
    for stream in [0].into_iter().chain(input.streams.keys().copied()) {
        for section in [Section::Definitions, Section::Markers] {
            let Some(path) = stream_file(&input.stub, stream, section) else { continue };
            // Damage in definitions was reported when the trace was opened.
            let mut losses = Losses::default();
            let lines = definitions::read(&path, section, &mut losses);
            if section == Section::Markers {
                report.outcome.losses.fold(losses);
            }
            write_lines(&lines, stub, (stream, section), wanted.shape, report)?;
        }
    }
    Ok(())
}

/// Renamings of tokens, and the place of each stream's renaming, by trace and stream.
type Renamings = (Vec<Renaming>, BTreeMap<(usize, u32), usize>);

/// Writes the definitions of all traces and streams into one file, and so the markers.
fn join_definitions(
    inputs: &[Input],
    wanted: &Wanted,
    (stub, streams): (&Path, &BTreeMap<u32, Vec<u32>>),
    processes: Vec<Renaming>,
    report: &mut Report,
) -> Result<Renamings, Failure> {
    let read = |section: Section, losses: &mut Losses| {
        let mut files = Vec::new();
        for (trace, input) in inputs.iter().enumerate() {
            for stream in [0].into_iter().chain(input.streams.keys().copied()) {
                let Some(path) = stream_file(&input.stub, stream, section) else { continue };
                let lines = definitions::read(&path, section, losses);
                files.push(File { trace, stream, lines });
            }
        }
        files
    };
    let mut files = read(Section::Definitions, &mut Losses::default());
    same_ticks(inputs, &files)?;
    if inputs.len() > 1 {
        one_trace(&mut files);
        let is_left_out = |input: &Input| {
            let sections = [Section::Snapshots, Section::Statistics];
            let mut ids = input.streams.keys();
            ids.any(|id| sections.iter().any(|it| stream_file(&input.stub, *id, *it).is_some()))
        };
        if inputs.iter().any(is_left_out) {
            let text =
                "snapshots and statistics are left out, since they are not about all processes: \
                        `streamfold otf aux` makes new ones";
            report.remarks.push(text.to_owned());
        }
    }
    let joined = definitions::join(files, &processes);
    let Joined { mut lines, renamings, renamed } = joined;
    if renamed > 0 {
        report.remarks.push(human::counted(
            renamed,
            [
                "token meant something else elsewhere and is another one now",
                "tokens meant something else elsewhere and are others now",
            ],
        ));
    }
    identify(&mut lines, streams, wanted.keeps_identifier);
    write_lines(&lines, stub, (0, Section::Definitions), wanted.shape, report)?;
    let markers = read(Section::Markers, &mut report.outcome.losses);
    let of_markers: Vec<Renaming> = (0..inputs.len())
        .map(|trace| renamings.get(&(trace, 0)).unwrap_or(&processes[trace]).clone())
        .collect();
    let markers = definitions::join(markers, &of_markers);
    write_lines(&markers.lines, stub, (0, Section::Markers), wanted.shape, report)?;
    // Lists that are the same are told once.
    let mut lists: Vec<Renaming> = processes;
    let mut number_of = BTreeMap::new();
    for (of, renaming) in renamings {
        let place = lists.iter().position(|list| *list == renaming);
        number_of.insert(of, place.unwrap_or(lists.len()));
        if place.is_none() {
            lists.push(renaming);
        }
    }
    Ok((lists, number_of))
}

/// Times of all traces have to mean the same.
fn same_ticks(inputs: &[Input], files: &[File]) -> Result<(), Failure> {
    let mut known: Option<(usize, u64)> = None;
    for file in files {
        let is_one = |line: &&Line| line.record == Record::DefTimerResolution;
        let Some(line) = file.lines.iter().rfind(is_one) else { continue };
        let ticks = line.number(0);
        match known {
            Some((trace, other)) if other != ticks && trace != file.trace => {
                let text = format!(
                    "{} has {ticks} ticks per second, {} has {other}: their times cannot be merged. Make OTF2 \
                     archives of them with `streamfold convert`, and merge those",
                    inputs[file.trace].path().display(),
                    inputs[trace].path().display(),
                );
                return Err(Failure::new(ExitCode::Trace, text));
            }
            Some(_) => {}
            None => known = Some((file.trace, ticks)),
        }
    }
    Ok(())
}

/// Leaves out what is said of each trace where there are several, and joins their spans.
fn one_trace(files: &mut [File]) {
    let ranges = files.iter().flat_map(|file| &file.lines);
    let ranges = ranges.filter(|line| line.record == Record::DefTimeRange);
    let span = ranges.map(|line| (line.number(0), line.number(1)));
    let span = span.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
    let mut is_told = false;
    for file in files {
        let is_first = file.trace == 0;
        file.lines.retain_mut(|line| match line.record {
            Record::DefAuxSamplePoint => false,
            Record::DefVersion
            | Record::DefUniqueId
            | Record::DefCreator
            | Record::DefTimerResolution => is_first,
            Record::DefTimeRange => {
                if let Some((first, last)) = span {
                    line.values = vec![Kept::Number(first), Kept::Number(last)];
                }
                !std::mem::replace(&mut is_told, true)
            }
            _ => true,
        });
    }
}

/// Puts version and identifier first, as writers do. A new identifier follows from what the trace is.
pub(super) fn identify(lines: &mut Vec<Line>, streams: &BTreeMap<u32, Vec<u32>>, keeps: bool) {
    let has = |lines: &[Line], record| lines.iter().any(|line| line.record == record);
    if !has(lines, Record::DefVersion) {
        let version = vec![Kept::Version([1, 12, 5]), Kept::text("streamfold")];
        lines.insert(0, Line::new(Record::DefVersion, version));
    }
    if !has(lines, Record::DefUniqueId) {
        lines.insert(1, Line::new(Record::DefUniqueId, vec![Kept::Number(0)]));
    } else if keeps {
        return;
    }
    let mut says = master_text(streams);
    says.extend(lines.iter().flat_map(|line| format!("{line:?}").into_bytes()));
    let number = identifier(says);
    let ids = lines.iter_mut().filter(|line| line.record == Record::DefUniqueId);
    ids.for_each(|line| line.values = vec![Kept::Number(number)]);
}

/// Writes records without times into a file.
pub(super) fn write_lines(
    lines: &[Line],
    stub: &Path,
    (stream, section): (u32, Section),
    shape: Shape,
    report: &mut Report,
) -> Result<(), Failure> {
    let mut writer = StreamWriter::new(stub, stream, section, shape);
    let path = writer.path().to_owned();
    let failed = |error: std::io::Error| Failure::output(&path, &error);
    for line in lines {
        let written = writer.record(0, 0, line.record, &line.values(), &line.keyvalues);
        written.map_err(failed)?;
    }
    let written = writer.finish().map_err(failed)?;
    if written.is_there {
        report.outcome.written.add(&Written::file(written.bytes));
    }
    Ok(())
}

/// Share of a new stream from an old one: trace, stream, processes, and the place of the renaming of its tokens.
type Share = (usize, u32, Vec<u32>, usize);

/// The files of streams that are to be written.
fn tasks(
    inputs: &[Input],
    wanted: &Wanted,
    streams: &BTreeMap<u32, Vec<u32>>,
    (renamings, number_of): (&[Renaming], &BTreeMap<(usize, u32), usize>),
) -> Vec<Task> {
    let several = inputs.len() > 1;
    let mut sections = vec![Section::Events];
    sections.extend((wanted.snapshots && !several).then_some(Section::Snapshots));
    sections.extend((wanted.statistics && !several).then_some(Section::Statistics));
    let mut reported = BTreeSet::new();
    let mut tasks = Vec::new();
    // The stream of each process in the new trace.
    let stream_of: BTreeMap<u32, u32> =
        streams.iter().flat_map(|(id, list)| list.iter().map(|process| (*process, *id))).collect();
    let mut parts: BTreeMap<u32, Vec<Share>> = BTreeMap::new();
    for (trace, input) in inputs.iter().enumerate() {
        for (id, list) in &input.streams {
            let number = number_of.get(&(trace, *id)).or_else(|| number_of.get(&(trace, 0)));
            let number = number.copied().unwrap_or(if number_of.is_empty() { 0 } else { trace });
            let mut own: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            for process in list {
                let renamed = renamings[number].process(*process);
                if let Some(stream) = stream_of.get(&renamed) {
                    own.entry(*stream).or_default().push(*process);
                }
            }
            for (stream, processes) in own {
                parts.entry(stream).or_default().push((trace, *id, processes, number));
            }
        }
    }
    if let (Layout::AsIs, [input]) = (&wanted.layout, inputs) {
        // Tools of the reference put these there; no reader looks for them.
        let all: Vec<u32> = input.streams.values().flatten().copied().collect();
        for section in &sections[1..] {
            let Some(path) = stream_file(&input.stub, 0, *section) else { continue };
            let part = Part { path, processes: all.clone(), listed: None, renaming: 0 };
            let (section, sources) = (*section, vec![part]);
            tasks.push(Task { stream: 0, section, sources, drops_snapshots: false });
        }
    }
    for (stream, parts) in parts {
        for section in &sections {
            let mut sources = Vec::new();
            for (trace, id, processes, renaming) in &parts {
                let input = &inputs[*trace];
                let Some(path) = stream_file(&input.stub, *id, *section) else { continue };
                let is_first = reported.insert((*trace, *id, *section));
                let listed = is_first.then(|| input.streams[id].clone());
                let (processes, renaming) = (processes.clone(), *renaming);
                sources.push(Part { path, processes, listed, renaming });
            }
            if !sources.is_empty() {
                let drops_snapshots = several && *section == Section::Events;
                tasks.push(Task { stream, section: *section, sources, drops_snapshots });
            }
        }
    }
    tasks
}

/// The thumbnail of a trace is about all of its processes, wherever they are.
fn thumbnail(input: &Input, stub: &Path, report: &mut Report) -> Result<(), Failure> {
    let behind = |stub: &Path| {
        let mut path = stub.as_os_str().to_owned();
        path.push(".thumb");
        std::path::PathBuf::from(path)
    };
    let (from, to) = (behind(&input.stub), behind(stub));
    if from.is_file() {
        let bytes = fs::copy(&from, &to).map_err(|error| Failure::output(&to, &error))?;
        report.outcome.written.add(&Written::file(bytes));
    }
    Ok(())
}
