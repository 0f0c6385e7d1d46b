//! What can go wrong with writing.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What went wrong, with which file.
#[derive(Debug)]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// What went wrong.
    pub kind: WriteErrorKind,
}

/// What went wrong: a variant for each thing, with the value found.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum WriteErrorKind {
    #[error("{0}")]
    Io(io::Error),
    #[error(
        "a record of kind {id} for which {reserved} bytes are reserved does not go into a chunk of \
         {chunk}; give larger chunks"
    )]
    RecordSize { id: u8, reserved: u64, chunk: u64 },
    #[error("a record of kind {id} has an array of {count} elements, more than it can hold")]
    ArrayLength { id: u8, count: usize },
    #[error("time goes back, from {from} to {to}")]
    TimeGoesBack { from: u64, to: u64 },
    #[error("chunks of {0} bytes are not valid: 256 KiB to 16 MiB are")]
    ChunkSize(u64),
    #[error("an anchor of {0} bytes is not valid: 256 KiB at most are")]
    AnchorSize(usize),
    #[error("the name of an anchor ends in .otf2")]
    AnchorName,
}

impl WriteError {
    pub(crate) fn new(path: &Path, kind: WriteErrorKind) -> Self {
        WriteError { path: path.to_owned(), kind }
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write {}: {}", self.path.display(), self.kind)
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            WriteErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}
