//! Errors of writing.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::chunk::{CHUNK_HEADER_SIZE, CHUNK_SIZES};

/// An error of writing, with its file.
#[derive(Debug)]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// The kind of error.
    pub kind: WriteErrorKind,
}

/// The kind of an error: a variant for each, with the value found.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
#[non_exhaustive]
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

    /// Chunks of definitions, in bytes, into which the record goes that did not; `None`: it is no
    /// definition, goes into none that are valid, or something else went wrong.
    pub fn larger_definition_chunks(&self) -> Option<u64> {
        let WriteErrorKind::RecordSize { reserved, chunk, .. } = self.kind else { return None };
        let is_definition = self.path.extension().is_some_and(|extension| extension == "def");
        // Beside the record there are the header and the mark at the end of a chunk.
        let needed = reserved.saturating_add(2 * CHUNK_HEADER_SIZE).checked_next_power_of_two()?;
        let needed = needed.max(2 * chunk);
        (is_definition && CHUNK_SIZES.contains(&needed)).then_some(needed)
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
