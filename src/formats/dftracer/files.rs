//! The files of a trace: ranks read a share of them each, and one rank settles what all of them define.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use streamfold_model::store::Definitions;

use super::file::{scan_file, Scanned};
use super::messages::{guess, Guesses, Offered, Sought, WantedBy};
use super::objects::layout;
use super::scan::build;
use super::slices::Slices;
use super::trace::Dftracer;
use super::world::World;
use crate::defining::Kept;
use crate::sharing::{alone, Sharing, Step};
use crate::text::{read_all, without_copies, Extent, BLOCK};
use crate::{Loss, Note};

/// Tells whether a path leads to a trace, or to a folder with some, by the names of files or by their first bytes.
pub fn is_trace(path: &Path) -> bool {
    match path.is_dir() {
        true => !files_in(path).is_empty(),
        false => path.is_file() && (has_name(path) || has_content(path)),
    }
}

/// Tells whether the name of a file is one that the tracer gives.
pub(crate) fn has_name(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    [".pfw", ".pfw.gz"].iter().any(|ending| name.ends_with(ending))
}

/// The program that the tracer names a file after: `PROGRAM-NUMBER-KIND.pfw`, with a hash or the process as the number.
pub(super) fn program_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let name = name.strip_suffix(".gz").unwrap_or(name).strip_suffix(".pfw")?;
    let (rest, _) = name.rsplit_once('-')?;
    let (program, number) = rest.rsplit_once('-')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_number && !program.is_empty()).then(|| program.to_owned())
}

fn has_content(path: &Path) -> bool {
    let layout = Extent::begin(path).and_then(|extent| layout(path, extent));
    layout.is_ok_and(|layout| layout.is_some())
}

/// The traces in a folder, in the order of their names: those of the tracer, or else Chrome traces. Names that lead to
/// no regular file are among them, so that they are missed.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    all.sort();
    let own: Vec<PathBuf> = all.iter().filter(|path| has_name(path)).cloned().collect();
    if !own.is_empty() {
        return own;
    }
    let is_json = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        [".json", ".json.gz"].iter().any(|ending| name.ends_with(ending)) && !path.is_dir()
    };
    all.retain(is_json);
    let is_chrome = |path: &PathBuf| path.is_file() && has_content(path);
    match all.iter().any(is_chrome) {
        true => all.into_iter().filter(|path| !path.is_file() || has_content(path)).collect(),
        false => Vec::new(),
    }
}

/// Reads a file, or all traces of a folder, in one process.
///
/// # Errors
///
/// When no file can be read, or none has a record.
pub fn scan(path: &Path) -> Result<(Dftracer, Definitions), Loss> {
    scan_in_blocks(path, BLOCK)
}

/// The same, in blocks of so many bytes: the same comes out for any number.
///
/// # Errors
///
/// As those of [`scan`].
pub fn scan_in_blocks(path: &Path, size: usize) -> Result<(Dftracer, Definitions), Loss> {
    Files::list(path).scan_in_blocks(size)
}

/// The files of a trace, before any is read.
#[derive(Debug, Serialize, Deserialize)]
pub struct Files {
    path: PathBuf,
    files: Vec<PathBuf>,
    sizes: Vec<u64>,
    notes: Kept<Note>,
}

impl Files {
    /// A file, or all traces of a folder.
    pub(crate) fn list(path: &Path) -> Files {
        let mut files = if path.is_dir() { files_in(path) } else { vec![path.to_owned()] };
        let mut notes = Kept::default();
        without_copies(&mut files).into_iter().for_each(|note| notes.push(note));
        let size = |file: &PathBuf| file.metadata().map_or(0, |file| file.len());
        let sizes = files.par_iter().map(size).collect();
        Files { path: path.to_owned(), files, sizes, notes }
    }

    /// Reads all files in one process, see [`scan`].
    pub(crate) fn scan(self) -> Result<(Dftracer, Definitions), Loss> {
        self.scan_in_blocks(BLOCK)
    }

    fn scan_in_blocks(self, block: usize) -> Result<(Dftracer, Definitions), Loss> {
        let own = (0..self.files.len()).collect();
        alone(Share { block, ..self.share(own) })
    }

    /// The bytes of each file.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// The files with these numbers belong to this rank.
    pub fn share(self, own: Vec<usize>) -> Share {
        Share { files: self, own, block: BLOCK, slices: HashMap::new(), settling: None }
    }
}

/// The files that a rank reads. It keeps their calls.
#[derive(Debug)]
pub struct Share {
    files: Files,
    /// The numbers of the files.
    own: Vec<usize>,
    block: usize,
    /// The calls of files, by their numbers.
    slices: HashMap<usize, Arc<Slices>>,
    /// Content of all files, on the rank that settles it.
    settling: Option<Settling>,
}

/// A question to all files.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Question(Asked);

#[derive(Debug, Default, Serialize, Deserialize)]
enum Asked {
    #[default]
    Content,
    Messages(Sought),
}

/// The answer of some files.
#[derive(Debug, Serialize, Deserialize)]
pub struct Reply(Answer);

#[derive(Debug, Serialize, Deserialize)]
enum Answer {
    Content(Vec<OfFile<Scanned>>),
    Messages(Vec<OfFile<Offered>>),
}

/// The number of a file, and what it says.
type OfFile<T> = (usize, Result<T, Loss>);

/// All answers, in the order of the files.
fn in_order<T>(replies: impl Iterator<Item = Vec<OfFile<T>>>) -> Vec<OfFile<T>> {
    let mut all: Vec<OfFile<T>> = replies.flatten().collect();
    all.sort_by_key(|(number, _)| *number);
    all
}

impl Sharing for Share {
    type Question = Question;
    type Reply = Reply;
    type Trace = Dftracer;

    fn reply(&mut self, Question(asked): &Question) -> Reply {
        Reply(match asked {
            Asked::Content => Answer::Content(self.read()),
            Asked::Messages(sought) => Answer::Messages(self.offered(sought)),
        })
    }

    fn settle(&mut self, replies: Vec<Reply>) -> Result<Step<Question, Dftracer>, Loss> {
        let (mut contents, mut messages) = (Vec::new(), Vec::new());
        for Reply(answer) in replies {
            match answer {
                Answer::Content(of) => contents.push(of),
                Answer::Messages(of) => messages.push(of),
            }
        }
        let settling = match self.settling.take() {
            Some(settling) => settling,
            None => {
                let notes = std::mem::take(&mut self.files.notes);
                let settling = Settling::new(&self.files, notes, in_order(contents.into_iter()))?;
                let Settling { wanted, numbers, parts, world, .. } = &settling;
                if let Some(sought) = world.sought(wanted, numbers, parts) {
                    self.settling = Some(settling);
                    return Ok(Step::Ask(Question(Asked::Messages(sought))));
                }
                settling
            }
        };
        let Files { path, sizes, .. } = &self.files;
        settling.end(path, sizes.clone(), in_order(messages.into_iter()))
    }

    fn keep(self, trace: Dftracer) -> Dftracer {
        trace.with_calls(self.slices)
    }
}

impl Share {
    fn read(&mut self) -> Vec<OfFile<Scanned>> {
        let paths: Vec<PathBuf> =
            self.own.iter().map(|number| self.files.files[*number].clone()).collect();
        let mut all = Vec::new();
        let read = read_all(&paths, self.block, |path, parting| scan_file(path, None, parting));
        for (number, read) in self.own.iter().zip(read) {
            let content = read.map(|(content, slices)| {
                self.slices.insert(*number, Arc::new(slices));
                content
            });
            all.push((*number, content));
        }
        all
    }

    fn offered(&self, sought: &Sought) -> Vec<OfFile<Offered>> {
        let of = |(number, slices): (&usize, &Arc<Slices>)| {
            let offered = sought.offered(*number, slices).map_err(|error| {
                let what = format!("a temporary file cannot be read: {error}");
                Loss::of_system(&self.files.files[*number], &what)
            });
            (*number, offered)
        };
        self.slices.par_iter().map(of).collect()
    }
}

/// Content of all files that can be read.
#[derive(Debug)]
pub(super) struct Settling {
    /// The number of each file.
    pub(super) numbers: Vec<usize>,
    pub(super) parts: Vec<(PathBuf, Scanned)>,
    pub(super) losses: Kept<Loss>,
    pub(super) notes: Kept<Note>,
    pub(super) world: World,
    /// Receives from any source.
    wanted: WantedBy,
}

impl Settling {
    /// # Errors
    ///
    /// When no file can be read, or none has a record.
    fn new(
        files: &Files,
        mut notes: Kept<Note>,
        contents: Vec<OfFile<Scanned>>,
    ) -> Result<Settling, Loss> {
        let (mut numbers, mut parts) = (Vec::new(), Vec::new());
        let mut losses = Kept::default();
        for (number, content) in contents {
            match content {
                Ok(content) => {
                    numbers.push(number);
                    parts.push((files.files[number].clone(), content));
                }
                Err(loss) => losses.push(loss),
            }
        }
        if parts.is_empty() && !losses.first.is_empty() {
            return Err(losses.first.swap_remove(0));
        }
        let records: u64 = parts.iter().map(|(_, scanned)| scanned.counts.records()).sum();
        if records == 0 {
            let first = parts.iter_mut().find_map(|(_, scanned)| scanned.losses.first.pop());
            let what = "there is no record: the program may have ended before it wrote any";
            return Err(first.unwrap_or_else(|| Loss::of_file(&files.path, what)));
        }
        for (path, scanned) in &mut parts {
            losses.count += scanned.losses.count - scanned.losses.first.len() as u64;
            scanned.losses.first.drain(..).for_each(|loss| losses.push(loss));
            for what in scanned.odd.drain(..) {
                notes.push(Note::of_file(path, what));
            }
            let growth = scanned.growth.take();
            growth.into_iter().for_each(|about| notes.push(Note { about, is_error: false }));
        }
        let world = World::new(&parts);
        let wanted = world.wanted(&parts);
        Ok(Settling { numbers, parts, losses, notes, world, wanted })
    }

    /// Settles definitions, given the messages that receives from any source may take.
    fn end(
        mut self,
        path: &Path,
        sizes: Vec<u64>,
        offered: Vec<OfFile<Offered>>,
    ) -> Result<Step<Question, Dftracer>, Loss> {
        let offered: Result<Vec<Offered>, Loss> =
            offered.into_iter().map(|(_, offered)| offered).collect();
        let wanted = std::mem::take(&mut self.wanted);
        let guesses: Guesses = guess(wanted, offered?.into_iter());
        Ok(Step::Settled(Box::new(build(path, sizes, self, guesses))))
    }
}
