//! Archives from archives.
//!
//! The files of locations are written by all ranks and their threads, each on its own; global
//! definitions, markers, thumbnails and the anchor by rank 0. All of it happens in a folder beside
//! the place of the new archive, which appears there once it is whole.

pub mod copy;
mod place;
pub mod unify;

use serde::{Deserialize, Serialize};

use crate::drive::Losses;
use crate::exit::{ExitCode, Failure};
use crate::formats::otf2::WriteError;

pub use place::{NewArchive, Replacing, Staged};

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Files.
    pub files: u64,
    /// Events; 0 where files were copied as they are.
    pub events: u64,
    /// Records of unknown kinds, which were copied as they stand.
    pub unknown: u64,
    /// Bytes of all files.
    pub bytes: u64,
}

impl Written {
    fn add(&mut self, other: &Written) {
        self.files += other.files;
        self.events += other.events;
        self.unknown += other.unknown;
        self.bytes += other.bytes;
    }
}

/// How writing went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// What was written.
    pub written: Written,
    /// What could not be read.
    pub losses: Losses,
    /// Why nothing can come of it.
    pub failure: Option<Failure>,
}

impl Outcome {
    /// With that of others; the least of all failures, whoever had it.
    fn fold(mut self, other: Outcome) -> Outcome {
        self.written.add(&other.written);
        self.losses.fold(other.losses);
        self.failure = match (self.failure, other.failure) {
            (Some(one), Some(other)) if other.message < one.message => Some(other),
            (one, other) => one.or(other),
        };
        self
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Failure::new(ExitCode::Io, error.to_string())
    }
}
