//! The lines of all streams by time, in the order of the reference.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::file::{Line, RecordFile};
use super::handles::Handles;
use super::lines::Lines;
use super::master::stream_file;
use super::record::Section;
use super::source::Otf;
use crate::formats::Loss;

/// The buffers of all streams take so much, in bytes, unless there are very many streams.
const BUFFERS: usize = 64 << 20;
/// Buffers of single streams, in bytes.
const SMALLEST: usize = 4 << 10;
const LARGEST: usize = 256 << 10;

/// What is read of a trace.
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

/// Streams with files of one kind, which are read at the same time.
pub struct Merged {
    /// The stream with the earliest time is the first one.
    heap: Vec<Stream>,
    /// What was lost, until somebody takes it.
    pub losses: Vec<Loss>,
}

struct Stream {
    id: u32,
    file: RecordFile,
    choice: Arc<Choice>,
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
        let window = (BUFFERS / files.len().max(1)).clamp(SMALLEST, LARGEST);
        let handles = Handles::new(max_open_files);
        let mut merged = Merged { heap: Vec::with_capacity(files.len()), losses: Vec::new() };
        for (id, path) in files {
            match Lines::open_beside(&path, window, Some(&handles)) {
                Ok(lines) => {
                    let file = RecordFile::of(lines, section);
                    let mut stream = Stream { id, file, choice: choice.clone() };
                    if stream.advance(&mut merged.losses) {
                        merged.heap.push(stream);
                    }
                }
                Err(error) => merged.losses.push(Loss::of_system(&path, &error)),
            }
        }
        for place in (0..merged.heap.len() / 2).rev() {
            merged.sift(place);
        }
        merged
    }
}

impl Merged {
    /// The next line. `false`: there is none.
    pub fn next(&mut self, visit: &mut dyn FnMut(Line<'_>)) -> bool {
        let Some(first) = self.heap.first_mut() else { return false };
        // Lines of other processes are passed, but count for the order, as in the reference.
        if first.choice.processes.contains(&first.file.process()) {
            first.file.visit(first.id, visit);
        }
        if !first.advance(&mut self.losses) {
            // As the reference does: the order of equal times shows it.
            self.heap.swap_remove(0);
        }
        self.sift(0);
        true
    }

    /// Moves a stream down until it is before both of those below it.
    fn sift(&mut self, mut place: usize) {
        loop {
            let left = 2 * place + 1;
            let Some(first) = self.heap.get(left) else { return };
            let right = self.heap.get(left + 1).filter(|right| right.time() < first.time());
            let least = if right.is_some() { left + 1 } else { left };
            if self.heap[place].time() < self.heap[least].time() {
                return;
            }
            self.heap.swap(place, least);
            place = least;
        }
    }
}

impl Stream {
    fn time(&self) -> u64 {
        self.file.time()
    }

    /// Goes to the next line in the time that is wanted. `false`: there is none.
    fn advance(&mut self, losses: &mut Vec<Loss>) -> bool {
        let Choice { begin, end, .. } = &*self.choice;
        loop {
            let more = self.file.advance();
            losses.append(&mut self.file.losses);
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
