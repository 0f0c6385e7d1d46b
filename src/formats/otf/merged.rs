//! The lines of all streams by time, in the order of the reference.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::file::{Line, RecordFile};
use super::lines::Lines;
use super::master::stream_file;
use super::record::Section;
use super::source::Otf;
use crate::text::Handles;
use crate::Loss;

/// The blocks of all streams take so much, in bytes, unless there are very many streams. Buffers beside them take some
/// times as much.
const BLOCKS: usize = 16 << 20;
/// Blocks of single streams, in bytes.
const SMALLEST: usize = 4 << 10;
const LARGEST: usize = 256 << 10;

/// The part of a trace that is read.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Processes; `None`: all.
    pub processes: Option<HashSet<u32>>,
    /// From this time on.
    pub begin: u64,
    /// Up to, not at, this one.
    pub end: Option<u64>,
}

impl Selection {
    /// Everything.
    pub const ALL: Selection = Selection { processes: None, begin: 0, end: None };
}

/// A file that is read with others.
#[derive(Clone, Copy, Debug)]
pub struct MergedFile<'f> {
    /// The number that the caller knows it by.
    pub id: u32,
    /// Its path.
    pub path: &'f Path,
    /// Whose lines are wanted.
    pub processes: &'f [u32],
    /// All that the file should have lines of, where those of others are counted.
    pub listed: Option<&'f [u32]>,
}

/// A file that was read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The number that the caller knows it by, or that of its stream.
    pub id: u32,
    /// Its last time and process; `None`: it has none.
    pub state: Option<(u64, u32)>,
    /// Lines of processes that it should not have lines of.
    pub unlisted: u64,
}

/// Streams with files of one kind, which are read at the same time.
pub struct Merged {
    /// Streams with their times; the one with the earliest is the first.
    // Streams are large, and change places with every line.
    heap: Vec<(u64, Box<Stream>)>,
    /// Losses until the caller takes them.
    pub losses: Vec<Loss>,
    /// The files that have ended, in the order in which they did.
    pub ended: Vec<Ended>,
}

struct Stream {
    id: u32,
    file: RecordFile,
    choice: Arc<Choice>,
    /// All that the file should have lines of, where those of others are counted.
    listed: Option<HashSet<u32, RandomState>>,
    unlisted: u64,
    /// The process of the last line, and whether its lines are wanted: that of the next one is mostly the same.
    last: Option<(u32, bool)>,
}

struct Choice {
    processes: HashSet<u32, RandomState>,
    begin: u64,
    end: Option<u64>,
}

impl Otf {
    /// The files of a section with their streams: that of all first, then by the numbers of streams. Streams without
    /// a process that is wanted are left out.
    pub fn section_files(&self, section: Section, selection: &Selection) -> Vec<(u32, PathBuf)> {
        let is_wanted = |processes: &[u32]| {
            let wanted = selection.processes.as_ref();
            wanted.is_none_or(|wanted| processes.iter().any(|process| wanted.contains(process)))
        };
        let of_all = (!section.is_stateful()).then_some(0);
        let streams = self.streams.iter().filter(|stream| is_wanted(&stream.processes));
        let ids = of_all.into_iter().chain(streams.map(|stream| stream.id));
        ids.filter_map(|id| Some((id, stream_file(&self.stub, id, section)?))).collect()
    }

    /// Opens the files of a section of all streams. No more than so many are open at a time.
    pub fn merged(
        &self,
        section: Section,
        selection: &Selection,
        max_open_files: NonZeroUsize,
    ) -> Merged {
        let files = self.section_files(section, selection);
        let all = self.streams.iter().flat_map(|stream| stream.processes.iter().copied());
        let wanted = selection.processes.as_ref();
        let choice = Arc::new(Choice {
            processes: all.filter(|it| wanted.is_none_or(|wanted| wanted.contains(it))).collect(),
            begin: selection.begin,
            end: selection.end,
        });
        let files = files.iter().map(|(id, path)| (*id, path.as_path(), choice.clone(), None));
        Merged::open(files, section, max_open_files)
    }
}

impl Merged {
    /// Opens files of a section, of any traces. No more than so many are open at a time.
    pub fn of_files(
        files: &[MergedFile<'_>],
        section: Section,
        max_open_files: NonZeroUsize,
    ) -> Merged {
        let files = files.iter().map(|file| {
            let processes = file.processes.iter().copied().collect();
            let choice = Arc::new(Choice { processes, begin: 0, end: None });
            (file.id, file.path, choice, file.listed)
        });
        Merged::open(files, section, max_open_files)
    }

    fn open<'f>(
        files: impl ExactSizeIterator<Item = (u32, &'f Path, Arc<Choice>, Option<&'f [u32]>)>,
        section: Section,
        max_open_files: NonZeroUsize,
    ) -> Merged {
        let size = (BLOCKS / files.len().max(1)).clamp(SMALLEST, LARGEST);
        let handles = Handles::new(max_open_files);
        let heap = Vec::with_capacity(files.len());
        let mut merged = Merged { heap, losses: Vec::new(), ended: Vec::new() };
        for (id, path, choice, listed) in files {
            match Lines::open_beside(path, size, &handles) {
                Ok(lines) => {
                    let file = RecordFile::of(path, lines, section);
                    let listed = listed.map(|listed| listed.iter().copied().collect());
                    let mut stream =
                        Box::new(Stream { id, file, choice, listed, unlisted: 0, last: None });
                    match stream.advance(&mut merged.losses) {
                        true => merged.heap.push((stream.file.time(), stream)),
                        false => merged.ended.push(stream.ended()),
                    }
                }
                Err(error) => merged.losses.push(Loss::of_system(path, &error)),
            }
        }
        for place in (0..merged.heap.len() / 2).rev() {
            merged.sift(place);
        }
        merged
    }

    /// The next line. `false`: there is none.
    pub fn next(&mut self, visit: &mut dyn FnMut(Line<'_>)) -> bool {
        let Some((time, first)) = self.heap.first_mut() else { return false };
        // Lines of other processes are passed, but count for the order, as in the reference.
        let process = first.file.process();
        if first.is_wanted(process) {
            first.file.visit(first.id, visit);
        } else {
            first.file.forget_keyvalues();
            let is_other = first.listed.as_ref().is_some_and(|listed| !listed.contains(&process));
            first.unlisted += u64::from(is_other);
        }
        match first.advance(&mut self.losses) {
            true => *time = first.file.time(),
            // As the reference does: the order of equal times shows it.
            false => self.ended.push(self.heap.swap_remove(0).1.ended()),
        }
        self.sift(0);
        true
    }

    /// Moves a stream down until it is before both of those below it.
    fn sift(&mut self, mut place: usize) {
        loop {
            let left = 2 * place + 1;
            let Some((first, _)) = self.heap.get(left) else { return };
            let right = self.heap.get(left + 1).filter(|(right, _)| right < first);
            let least = if right.is_some() { left + 1 } else { left };
            if self.heap[place].0 < self.heap[least].0 {
                return;
            }
            self.heap.swap(place, least);
            place = least;
        }
    }
}

impl Stream {
    fn ended(&self) -> Ended {
        let state = self.file.has_state().then(|| (self.file.time(), self.file.process()));
        Ended { id: self.id, state, unlisted: self.unlisted }
    }

    /// Tells whether lines of a process are wanted.
    fn is_wanted(&mut self, process: u32) -> bool {
        match self.last {
            Some((last, is_wanted)) if last == process => is_wanted,
            _ => {
                let is_wanted = self.choice.processes.contains(&process);
                self.last = Some((process, is_wanted));
                is_wanted
            }
        }
    }

    /// Goes to the next line in the time that is wanted. `false`: there is none.
    fn advance(&mut self, losses: &mut Vec<Loss>) -> bool {
        let Choice { begin, end, .. } = &*self.choice;
        loop {
            let more = self.file.advance();
            if !self.file.losses.is_empty() {
                losses.append(&mut self.file.losses);
            }
            match more {
                Ok(true) => {}
                Ok(false) => {
                    if !self.file.has_state() && self.file.line() > 0 {
                        let what = "there is no time line with a process line behind it: no record is read";
                        losses.push(Loss::of_file(self.file.path(), what));
                    }
                    return false;
                }
                Err(loss) => {
                    losses.push(loss);
                    return false;
                }
            }
            let time = self.file.time();
            if time >= *begin && end.is_none_or(|end| time < end) {
                return true;
            }
        }
    }
}
