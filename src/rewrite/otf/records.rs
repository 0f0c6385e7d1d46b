//! Records of files that are read together.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use streamfold_formats::otf::{
    begin_of, Item, KeyValue, Line, Merged, MergedFile, Record, Section, Value,
};
use streamfold_formats::Loss;

/// A record, and where it is from.
#[derive(Debug)]
pub(super) struct Entry<'l> {
    /// The number of its file.
    pub file: usize,
    /// Its time.
    pub time: u64,
    /// Its process.
    pub process: u32,
    /// Its kind.
    pub record: Record,
    /// A value for each of its fields.
    pub values: Vec<Value<'l>>,
    /// The key-values before it.
    pub keyvalues: &'l [KeyValue],
}

/// Facts about a file once it was read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FileRead {
    /// The number that the caller knows it by.
    pub file: usize,
    /// The time at its end; `None`: it has no state.
    pub end: Option<u64>,
    /// The last time and process of those that are wanted.
    pub last: Option<(u64, u32)>,
    /// Lines of processes that should not be there.
    pub unlisted: u64,
}

/// Hands on the records of all files by time. Returns what is known of each file that could be opened; losses are
/// handed on where they are met.
///
/// # Errors
///
/// The first one of `take`.
pub(super) fn merge<E>(
    files: &[MergedFile<'_>],
    section: Section,
    open_files: NonZeroUsize,
    mut losses: impl FnMut(Loss),
    mut take: impl FnMut(Entry<'_>) -> Result<(), E>,
) -> Result<Vec<FileRead>, E> {
    let mut merged = Merged::of_files(files, section, open_files);
    let mut last: BTreeMap<u32, (u64, u32)> = BTreeMap::new();
    let mut failed = None;
    loop {
        merged.losses.drain(..).for_each(&mut losses);
        let more = merged.next(&mut |line| {
            last.insert(line.stream, (line.time, line.process));
            match entry(line) {
                Ok(Some(entry)) => failed = take(entry).err(),
                Ok(None) => {}
                Err(loss) => losses(loss),
            }
        });
        if let Some(failed) = failed {
            return Err(failed);
        }
        if !more {
            break;
        }
    }
    merged.losses.drain(..).for_each(&mut losses);
    let mut read: Vec<FileRead> = Vec::new();
    for ended in &merged.ended {
        let wanted = files.iter().find(|file| file.id == ended.id).map(|file| file.processes);
        let state =
            ended.state.filter(|(_, process)| wanted.is_some_and(|it| it.contains(process)));
        read.push(FileRead {
            file: ended.id as usize,
            end: ended.state.map(|(time, _)| time),
            last: state.or(last.get(&ended.id).copied()),
            unlisted: ended.unlisted,
        });
    }
    read.sort_unstable_by_key(|read| read.file);
    Ok(read)
}

/// The record of a line, if it has one.
pub(super) fn entry(line: Line<'_>) -> Result<Option<Entry<'_>>, Loss> {
    let Line { stream, time, process, keyvalues, .. } = line;
    let loss = |record: Option<&str>, what: String| {
        let loss = Loss::of_line(line.path, line.number, what);
        Err(Loss { record: record.map(str::to_owned), ..loss })
    };
    match line.item {
        Item::Record(record, values) => Ok(Some(Entry {
            file: stream as usize,
            time,
            process,
            record,
            values: values.to_vec(),
            keyvalues,
        })),
        Item::KeyValue | Item::Blank => Ok(None),
        Item::Unknown(text) if line.is_unfinished && text.iter().all(u8::is_ascii_whitespace) => {
            Ok(None)
        }
        Item::Unknown(text) => loss(None, format!("no record begins with \"{}\"", begin_of(text))),
        Item::Malformed(malformed) => loss(Some(malformed.record), malformed.to_string()),
    }
}
