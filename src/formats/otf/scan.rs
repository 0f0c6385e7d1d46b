//! Reads the definitions of a trace on one rank: its master file and definition files.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use bstr::ByteSlice;
use flate2::{Decompress, FlushDecompress};
use streamfold_model::store::Definitions;

use super::definitions::{build, join};
use super::known::StreamFiles;
use super::lines;
use super::master::{behind, files_apart, master_file, stream_file, streams_in, stub, Master};
use super::record::{Cursor, Section};
use super::source::{Facts, Otf};
use super::tables::{Remarks, Tables};
use crate::input;
use crate::text::Extent;
use crate::{Loss, Note};

/// The last time is looked for in so much of the end of a file, in bytes, and then in more.
const TAIL: u64 = 64 << 10;
/// The bytes that end a flush of a compressed file.
const MARK: [u8; 4] = [0, 0, 0xff, 0xff];
/// The type of counters with 32 bits of floating point.
const FLOAT: u32 = 8;

/// Tells whether a path leads to a trace: its master file, or its name without ending.
pub fn is_trace(path: &Path) -> bool {
    let is_named = path.extension().is_some_and(|ending| ending == "otf");
    if !is_named {
        return !path.is_file() && master_file(path).is_file();
    }
    let mut head = [0; 4];
    match input::open(path).and_then(|mut file| file.read(&mut head)) {
        // Fonts have this ending, too.
        Ok(read) => !matches!(&head[..read], b"OTTO" | [0, 1, 0, 0]),
        Err(_) => !streams_in(&stub(path)).is_empty() || files_apart(&stub(path)) > 0,
    }
}

/// Reads what a trace defines, given its master file or its name without ending.
///
/// # Errors
///
/// When no process is known.
pub fn scan(path: &Path) -> Result<(Otf, Definitions), Loss> {
    let stub = stub(path);
    let path = &master_file(&stub);
    let mut remarks = Remarks::default();
    let master = master(path, &stub, &mut remarks)?;
    let definitions_file = stream_file(&stub, 0, Section::Definitions);
    let mut tables = Tables::default();
    match &definitions_file {
        Some(file) => tables.read(file, &mut remarks),
        None => {
            let name = behind(&stub, ".0.def");
            let what = "there is no file with global definitions: names are missing";
            remarks.losses.push(Loss::of_file(&name, what));
        }
    }
    let mut streams: Vec<StreamFiles> = Vec::new();
    for (id, processes) in master.streams {
        streams.push(files_of(&stub, id, processes, &mut tables, &mut remarks));
    }
    remark_events(path, &streams, &mut remarks);
    let listed: BTreeSet<u32> =
        streams.iter().flat_map(|stream| stream.processes.iter().copied()).collect();
    let absent = tables.processes.keys().filter(|process| !listed.contains(process)).count();
    if absent > 0 {
        let what = format!("{absent} of the processes that are defined are in no stream");
        remarks.notes.push(Note::of_file(path, what));
    }
    if tables.ticks_per_second.is_none_or(|ticks| ticks == 0) {
        let what = "the ticks per second are not defined: times are shown in ticks";
        remarks.notes.push(Note::of_file(path, what));
    }
    if let Some(([1, minor, sub], _)) = tables.version.as_ref().filter(|_| !tables.files.is_empty())
    {
        if (*minor, *sub) < (6, 2) {
            let what = format!(
                "OTF 1.{minor}.{sub} wrote it: before 1.6.2 the numbers in ends of file operations may stand in \
                 each other's places, and nobody can tell"
            );
            remarks.notes.push(Note::of_file(path, what));
        }
    }
    let span = tables.time_range.unwrap_or_else(|| span_of(&streams));
    let floats =
        tables.counters.iter().filter(|(_, counter)| counter.properties >> 5 & 15 == FLOAT);
    let floats = floats.map(|(token, _)| *token).collect();
    let (definitions, tokens) = build(&tables, &listed, span);
    let creator = tables
        .creator
        .as_ref()
        .map_or_else(|| "OTF".to_owned(), |it| it.to_str_lossy().into_owned());
    let identifier = tables.unique_id.map(|id| format!("{id:x}")).unwrap_or_default();
    let version = tables.version.as_ref().map(|([major, minor, sub], suffix)| {
        format!("{major}.{minor}.{sub} {suffix}").trim_end().to_owned()
    });
    let samples = |kinds: &[u32]| kinds.iter().filter_map(|kind| tables.samples.get(kind)).sum();
    let otf = Otf {
        path: path.clone(),
        stub: stub.clone(),
        identity: (identifier, creator),
        definitions_file: definitions_file.unwrap_or_else(|| behind(&stub, ".0.def")),
        streams,
        tokens,
        floats,
        facts: Facts {
            version,
            snapshots: samples(&[0, 2]),
            statistics: samples(&[1]),
            definitions: tables
                .counts
                .iter()
                .map(|(record, count)| (record.kind().name.to_owned(), *count))
                .collect(),
            comments: tables.comments.iter().map(|it| it.to_str_lossy().into_owned()).collect(),
        },
        losses: (remarks.losses.count, remarks.losses.first),
        notes: (remarks.notes.count, remarks.notes.first),
        known: Default::default(),
    };
    Ok((otf, definitions))
}

/// The streams that the master file names; where it names none, those whose files are there.
fn master(path: &Path, stub: &Path, remarks: &mut Remarks) -> Result<Master, Loss> {
    let read = input::read(path);
    let mut master = match &read {
        Ok(text) => Master::parse(path, text)?,
        Err(error) if input::is_irregular(error) => return Err(Loss::of_system(path, error)),
        Err(error) => {
            // One that is not there is not missed: streams have what it says.
            if path.symlink_metadata().is_ok() {
                remarks.losses.push(Loss::of_system(path, error));
            }
            Master::default()
        }
    };
    for (line, what) in master.refused.drain(..) {
        remarks.notes.push(Note { about: Loss::of_line(path, line, what), is_error: true });
    }
    master.streams.retain(|_, processes| !processes.is_empty());
    if !master.streams.is_empty() {
        return Ok(master);
    }
    let found = streams_in(stub);
    if found.is_empty() {
        let apart = files_apart(stub);
        return Err(match read {
            _ if apart > 0 => Loss::of_file(
                path,
                format!(
                    "the trace was not unified: {apart} processes left files of their own (.uctl). Unify it with \
                     vtunify, giving the number of files"
                ),
            ),
            Err(error) => Loss::of_system(path, &error),
            Ok(_) => Loss::of_file(
                path,
                "no stream with a process is named, and there are no event files",
            ),
        });
    }
    let mut known = BTreeSet::new();
    for stream in found {
        let Some(file) = stream_file(stub, stream, Section::Events) else { continue };
        let processes: Vec<u32> =
            processes_in(&file).into_iter().filter(|process| known.insert(*process)).collect();
        if !processes.is_empty() {
            master.streams.insert(stream, processes);
        }
    }
    let what = format!(
        "the master file names no process: {} streams were found by the names of their files",
        master.streams.len()
    );
    remarks.notes.push(Note { about: Loss::of_file(path, what), is_error: true });
    if master.streams.is_empty() {
        return Err(Loss::of_file(path, "no process is known: event files name none, either"));
    }
    Ok(master)
}

/// The processes that the lines of a file name.
fn processes_in(path: &Path) -> BTreeSet<u32> {
    let mut processes = BTreeSet::new();
    lines::find(path, |line| {
        let mut cursor = Cursor::new(line);
        cursor.blanks();
        if cursor.byte(b'*') {
            cursor.blanks();
            if cursor.is_digit() {
                processes.insert(cursor.number() as u32);
            }
        }
        None::<u32>
    });
    processes
}

/// The files of a stream; its own definitions join those of all.
fn files_of(
    stub: &Path,
    id: u32,
    processes: Vec<u32>,
    tables: &mut Tables,
    remarks: &mut Remarks,
) -> StreamFiles {
    let events = stream_file(stub, id, Section::Events);
    let length = events.as_ref().and_then(|path| fs::metadata(path).ok()).map(|file| file.len());
    let extent = Extent(length.unwrap_or(0));
    let own = stream_file(stub, id, Section::Definitions);
    let mut renamed = None;
    if let Some(file) = &own {
        let mut read = Tables::default();
        read.read(file, remarks);
        // A stream that says none has those of the others.
        read.ticks_per_second = read.ticks_per_second.filter(|ticks| *ticks > 0);
        match (tables.ticks_per_second.filter(|ticks| *ticks > 0), read.ticks_per_second) {
            (Some(known), Some(ticks)) if known != ticks => {
                let what = format!(
                    "{ticks} ticks per second are defined here, and {known} before: times of stream {id:x} count as \
                     those of the others"
                );
                remarks.losses.push(Loss::of_file(file, what));
            }
            (None, ticks) => tables.ticks_per_second = ticks.or(tables.ticks_per_second),
            _ => {}
        }
        renamed = Some(join(tables, read)).filter(|renamed| !renamed.is_empty());
    }
    let others = [Section::Snapshots, Section::Statistics, Section::Markers];
    let others = others.into_iter().filter_map(|section| stream_file(stub, id, section));
    StreamFiles {
        id,
        processes,
        events,
        extent,
        others: own.into_iter().chain(others).collect(),
        renamed,
    }
}

/// Missing event files are losses, unless a trace has statistics only.
fn remark_events(path: &Path, streams: &[StreamFiles], remarks: &mut Remarks) {
    let has_statistics = |stream: &StreamFiles| {
        let is_one = |path: &PathBuf| path.to_string_lossy().contains(".stats");
        stream.others.iter().any(is_one)
    };
    if streams.iter().all(|stream| stream.events.is_none()) && streams.iter().any(has_statistics) {
        let what = "there are no events, only statistics";
        return remarks.notes.push(Note::of_file(path, what));
    }
    for stream in streams {
        match &stream.events {
            None => {
                let what = format!(
                    "stream {:x} has no file with events (of {} processes)",
                    stream.id,
                    stream.processes.len()
                );
                remarks.losses.push(Loss::of_file(path, what));
            }
            Some(file) if stream.extent.0 == 0 => {
                let about = Loss::of_file(file, "the file is empty");
                remarks.notes.push(Note { about, is_error: true });
            }
            Some(_) => {}
        }
    }
}

/// The first and the last time in event files.
fn span_of(streams: &[StreamFiles]) -> (u64, u64) {
    let files = || streams.iter().filter_map(|stream| stream.events.as_ref());
    let first = files().filter_map(|file| first_time(file)).min().unwrap_or(0);
    let last = files().filter_map(|file| last_time(file)).max().unwrap_or(first);
    (first, last)
}

fn first_time(path: &Path) -> Option<u64> {
    lines::find(path, time_of)
}

/// The time of a time line.
fn time_of(line: &[u8]) -> Option<u64> {
    let mut cursor = Cursor::new(line);
    cursor.blanks();
    cursor.is_digit().then(|| cursor.number())
}

/// The last time in a file: writers repeat it at the end.
fn last_time(path: &Path) -> Option<u64> {
    let is_compressed = path.extension().is_some_and(|ending| ending == "z");
    let last = |text: &[u8]| {
        // The first line may be cut, and the last one, too.
        let text = &text[..memchr::memrchr(b'\n', text)?];
        text.split(|byte| *byte == b'\n').skip(1).filter_map(time_of).last()
    };
    let mut file = input::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    for size in [TAIL, 16 * TAIL] {
        let begin = length.saturating_sub(size);
        file.seek(SeekFrom::Start(begin)).ok()?;
        let mut tail = Vec::new();
        Read::by_ref(&mut file).take(size).read_to_end(&mut tail).ok()?;
        if !is_compressed && begin == 0 {
            tail.insert(0, b'\n');
        }
        let found = match is_compressed {
            true => inflated_tail(&tail).and_then(|text| last(&text)),
            false => last(&tail),
        };
        if found.is_some() {
            return found;
        }
        if begin == 0 {
            break;
        }
    }
    last_by_reading(path)
}

fn last_by_reading(path: &Path) -> Option<u64> {
    let mut last = None;
    lines::find(path, |line| {
        last = time_of(line).or(last);
        None::<u64>
    });
    last
}

/// The text behind a mark in the end of a compressed file. The mark is verified: all behind it inflates, and is text.
fn inflated_tail(tail: &[u8]) -> Option<Vec<u8>> {
    for mark in memchr::memmem::find_iter(tail, &MARK) {
        let rest = &tail[mark + MARK.len()..];
        if rest.is_empty() {
            return None;
        }
        let (mut text, mut inflate) = (Vec::new(), Decompress::new(false));
        let is_whole = loop {
            text.reserve(TAIL as usize);
            let taken = inflate.total_in() as usize;
            let inflated = inflate.decompress_vec(&rest[taken..], &mut text, FlushDecompress::None);
            match inflated {
                Err(_) => break false,
                Ok(flate2::Status::StreamEnd) => break true,
                Ok(_)
                    if inflate.total_in() as usize == rest.len()
                        && text.len() < text.capacity() =>
                {
                    break true;
                }
                Ok(_) if inflate.total_in() as usize == taken && text.len() < text.capacity() => {
                    break false
                }
                Ok(_) => {}
            }
        };
        let is_text = |byte: &u8| *byte >= b' ' || matches!(byte, b'\n' | b'\t' | b'\r');
        if is_whole && !text.is_empty() && text.iter().all(is_text) {
            return Some(text);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_lines() {
        assert_eq!(time_of(b"3eb"), Some(0x3eb));
        assert_eq!(time_of(b" \tface of"), Some(0xface));
        assert_eq!(time_of(b"E1"), None);
    }
}
