//! Files of several streams as one, by time.
//!
//! At equal times the order is that of the reference: it keeps streams in a heap, and sifts the one whose line was
//! taken. A line of a key-value counts as a line, so that others may come between it and its record.

use std::collections::HashSet;
use std::io;
use std::path::Path;

use foldhash::fast::RandomState;

use super::file::{Item, RecordFile};
use super::keyvalues::KeyValue;
use super::record::{begin_of, Record, Section, Value};
use crate::formats::Loss;

/// A file that is read with others.
pub struct MergedFile {
    file: RecordFile,
    /// The number that the caller knows it by.
    number: usize,
    /// Whose lines are taken; `None`: those of all.
    processes: Option<HashSet<u32, RandomState>>,
    /// All that the file should have lines of, where others are counted.
    listed: Option<HashSet<u32, RandomState>>,
    /// Lines of others that were passed.
    unlisted: u64,
    /// The last time and process of those that are taken.
    last: Option<(u64, u32)>,
}

/// A record, and where it is from.
#[derive(Debug)]
pub struct Entry<'l> {
    /// The number of its file.
    pub file: usize,
    /// Its time, 0 where records have none.
    pub time: u64,
    /// Its process, 0 where records have none.
    pub process: u32,
    /// Its kind.
    pub record: Record,
    /// A value for each of its fields.
    pub values: Vec<Value<'l>>,
    /// The key-values before it.
    pub keyvalues: &'l [KeyValue],
}

/// What is known of a file once it was read.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileRead {
    /// The number that the caller knows it by.
    pub file: usize,
    /// The time at its end; `None`: it has no state.
    pub end: Option<u64>,
    /// The last time and process of those that are wanted.
    pub last: Option<(u64, u32)>,
    /// Lines of processes that should not be there.
    pub unlisted: u64,
}

impl MergedFile {
    /// Opens a file. `many` of them are open at the same time.
    ///
    /// # Errors
    ///
    /// When it cannot be opened.
    pub fn open(
        (number, path): (usize, &Path),
        section: Section,
        processes: Option<&[u32]>,
        many: bool,
    ) -> io::Result<MergedFile> {
        let file = match many {
            true => RecordFile::open_one_of_many(path, section)?,
            false => RecordFile::open(path, section)?,
        };
        let processes = processes.map(|processes| processes.iter().copied().collect());
        Ok(MergedFile { file, number, processes, listed: None, unlisted: 0, last: None })
    }

    /// Counts lines of processes that are not among these.
    #[must_use]
    pub fn listed(mut self, processes: Option<&[u32]>) -> MergedFile {
        self.listed = processes.map(|processes| processes.iter().copied().collect());
        self
    }

    /// Goes to the next line. `false`: there is none.
    fn advance(&mut self, losses: &mut impl FnMut(Loss)) -> bool {
        let more = self.file.advance();
        self.file.losses.drain(..).for_each(&mut *losses);
        match more {
            Ok(true) => return true,
            Ok(false) => {}
            Err(loss) => losses(loss),
        }
        if self.file.has_state() && self.is_wanted() {
            self.last = Some((self.file.time(), self.file.process()));
        }
        false
    }

    /// Whether the process of the line is wanted.
    fn is_wanted(&self) -> bool {
        let process = self.file.process();
        self.processes.as_ref().is_none_or(|wanted| wanted.contains(&process))
    }

    /// Hands the record of the line on, if it is one.
    fn take<E>(
        &mut self,
        losses: &mut impl FnMut(Loss),
        take: &mut impl FnMut(Entry<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (file, time, process) = (self.number, self.file.time(), self.file.process());
        // A line of another process counts as a line.
        if !self.is_wanted() {
            let is_other = self.listed.as_ref().is_some_and(|listed| !listed.contains(&process));
            self.unlisted += u64::from(is_other);
            self.file.forget_keyvalues();
            return Ok(());
        }
        self.last = Some((time, process));
        let line = self.file.line();
        let loss = match self.file.item_with_keyvalues() {
            (Item::Record(record, values), keyvalues) => {
                take(Entry { file, time, process, record, values, keyvalues })?;
                None
            }
            (Item::KeyValue, _) => return Ok(()),
            (Item::Blank, _) => None,
            (Item::Unknown(text), _) => {
                Some((None, format!("no record begins with \"{}\"", begin_of(text))))
            }
            (Item::Malformed(malformed), _) => {
                Some((Some(malformed.record.to_owned()), malformed.to_string()))
            }
        };
        if let Some((record, what)) = loss {
            losses(Loss { record, ..Loss::of_line(self.file.path(), line, what) });
        }
        self.file.forget_keyvalues();
        Ok(())
    }
}

/// Hands on the records of all files by time. Returns what is known of each file, in their order; losses are handed on
/// where they are met.
///
/// # Errors
///
/// The first one of `take`.
pub fn merge<E>(
    mut files: Vec<MergedFile>,
    mut losses: impl FnMut(Loss),
    mut take: impl FnMut(Entry<'_>) -> Result<(), E>,
) -> Result<Vec<FileRead>, E> {
    let mut heap: Vec<usize> = Vec::with_capacity(files.len());
    for (place, file) in files.iter_mut().enumerate() {
        if file.advance(&mut losses) {
            heap.push(place);
        }
    }
    for place in (0..heap.len() / 2).rev() {
        sift(&mut heap, place, &files);
    }
    while let Some(first) = heap.first().copied() {
        files[first].take(&mut losses, &mut take)?;
        if !files[first].advance(&mut losses) {
            heap.swap_remove(0);
        }
        sift(&mut heap, 0, &files);
    }
    let read = files.iter().map(|file| FileRead {
        file: file.number,
        end: file.file.has_state().then(|| file.file.time()),
        last: file.last,
        unlisted: file.unlisted,
    });
    Ok(read.collect())
}

/// Moves a stream down unless its time is before that of the earlier of its two children; of equal children the left
/// one is taken.
fn sift(heap: &mut [usize], mut place: usize, files: &[MergedFile]) {
    let time = |heap: &[usize], place: usize| files[heap[place]].file.time();
    loop {
        let (left, right) = (2 * place + 1, 2 * place + 2);
        if left >= heap.len() {
            return;
        }
        let is_right = right < heap.len() && time(heap, right) < time(heap, left);
        let child = if is_right { right } else { left };
        if time(heap, place) < time(heap, child) {
            return;
        }
        heap.swap(place, child);
        place = child;
    }
}
