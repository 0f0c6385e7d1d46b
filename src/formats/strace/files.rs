//! The logs of a trace: ranks read a share of them each, and one rank settles what all of them define.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use streamfold_model::store::Definitions;

use super::names::CaseName;
use super::scan::{logs_in, scan_file, settle, Scanned};
use super::source::StraceLog;
use crate::defining::Kept;
use crate::sharing::{alone, Sharing, Step};
use crate::text::{read_all, without_copies, BLOCK};
use crate::{Loss, Note};

/// Reads files, and all logs of folders, in one process. The first path stands for the trace.
///
/// # Errors
///
/// When no file can be read, or no call is in any of them.
pub fn scan(path: &Path, more: &[PathBuf]) -> Result<(StraceLog, Definitions), Loss> {
    scan_in_blocks(path, more, BLOCK)
}

/// The same, in blocks of so many bytes: the same comes out for any number.
///
/// # Errors
///
/// As those of [`scan`].
pub fn scan_in_blocks(
    path: &Path,
    more: &[PathBuf],
    size: usize,
) -> Result<(StraceLog, Definitions), Loss> {
    Files::list(path, more)?.scan_in_blocks(size)
}

/// The logs of a trace, before any is read.
#[derive(Debug, Serialize, Deserialize)]
pub struct Files {
    path: PathBuf,
    files: Vec<(PathBuf, CaseName)>,
    sizes: Vec<u64>,
    notes: Kept<Note>,
}

impl Files {
    /// Files, and all logs of folders.
    ///
    /// # Errors
    ///
    /// When a folder has no log.
    pub(crate) fn list(path: &Path, more: &[PathBuf]) -> Result<Files, Loss> {
        let mut files = Vec::new();
        for path in std::iter::once(path).chain(more.iter().map(PathBuf::as_path)) {
            if !path.is_dir() {
                files.push(path.to_owned());
                continue;
            }
            let logs = logs_in(path);
            if logs.is_empty() {
                let what = "there is no log of strace in this folder: neither a file CID_HOST_RID.st, nor one whose \
                            first lines are calls";
                return Err(Loss::of_file(path, what));
            }
            files.extend(logs);
        }
        let mut notes = Kept::default();
        let mut known = BTreeSet::new();
        files.retain(|file| known.insert(file.clone()));
        without_copies(&mut files).into_iter().for_each(|note| notes.push(note));
        let size = |file: &PathBuf| file.metadata().map_or(0, |file| file.len());
        let sizes = files.par_iter().map(size).collect();
        let name = |file: PathBuf| {
            let name = CaseName::of_log(&file);
            (file, name)
        };
        let files = files.into_iter().map(name).collect();
        Ok(Files { path: path.to_owned(), files, sizes, notes })
    }

    /// Reads all files in one process, see [`scan`].
    pub(crate) fn scan(self) -> Result<(StraceLog, Definitions), Loss> {
        self.scan_in_blocks(BLOCK)
    }

    fn scan_in_blocks(self, block: usize) -> Result<(StraceLog, Definitions), Loss> {
        let own = (0..self.files.len()).collect();
        alone(Share { block, ..self.share(own) })
    }

    /// The bytes of each file.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// The files with these numbers belong to this rank.
    pub fn share(self, own: Vec<usize>) -> Share {
        Share { files: self, own, block: BLOCK }
    }
}

/// The logs that a rank reads for the definitions.
#[derive(Debug)]
pub struct Share {
    files: Files,
    /// The numbers of the files.
    own: Vec<usize>,
    block: usize,
}

/// Content of some files, by their numbers.
#[derive(Debug, Serialize, Deserialize)]
pub struct Reply(Vec<(usize, Result<Scanned, Loss>)>);

impl Sharing for Share {
    type Question = ();
    type Reply = Reply;
    type Trace = StraceLog;

    fn reply(&mut self, (): &()) -> Reply {
        let path = |number: &usize| self.files.files[*number].0.clone();
        let paths: Vec<PathBuf> = self.own.iter().map(path).collect();
        let read = read_all(&paths, self.block, scan_file);
        Reply(self.own.iter().copied().zip(read).collect())
    }

    fn settle(&mut self, replies: Vec<Reply>) -> Result<Step<(), StraceLog>, Loss> {
        let mut all: Vec<_> = replies.into_iter().flat_map(|Reply(of)| of).collect();
        all.sort_by_key(|(number, _)| *number);
        let files = std::mem::take(&mut self.files.files);
        let notes = std::mem::take(&mut self.files.notes);
        let scanned = all.into_iter().map(|(_, scanned)| scanned);
        Ok(Step::Settled(Box::new(settle(&self.files.path, files, scanned, notes)?)))
    }

    fn keep(self, trace: StraceLog) -> StraceLog {
        trace
    }
}
