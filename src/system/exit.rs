//! How the program ends.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The exit codes of every command. Signals have codes of their own: see `end_on_signals` of the collective layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum ExitCode {
    /// Done. Faults of the traced program are part of the result.
    Done = 0,
    /// The command line is wrong.
    Usage = 1,
    /// Not a valid trace; with `--strict`, the first loss of any kind.
    Trace = 2,
    /// Done, with losses in reading.
    Losses = 3,
    /// Input or output failed.
    Io = 4,
    /// MPI, or another rank, failed.
    Rank = 5,
    /// A comparison found something that takes more time than it may.
    Slower = 6,
}

/// Why a command could not do its work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// How the program ends.
    pub code: ExitCode,
    /// The message.
    pub message: String,
    /// Chunks of definitions, in bytes, with which it could be done, where those of an archive that is
    /// written are too small.
    pub larger_chunks: Option<u64>,
    /// The place in the input, where that is known. The message has it, too.
    pub at: Option<Box<At>>,
}

/// A place in a file that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct At {
    /// The file.
    pub file: PathBuf,
    /// Offset in bytes, from 0.
    pub offset: Option<u64>,
    /// Line, from 1, in files of text.
    pub line: Option<u64>,
    /// The record, as the format names it.
    pub record: Option<String>,
}

impl Failure {
    /// With this code.
    pub fn new(code: ExitCode, message: impl Into<String>) -> Self {
        Failure { code, message: message.into(), larger_chunks: None, at: None }
    }

    /// Output that cannot be written.
    pub fn output(path: &Path, error: &dyn std::fmt::Display) -> Self {
        Failure::new(ExitCode::Io, format!("cannot write {}: {error}", path.display()))
    }
}

/// A failure, by the ranks that know of it: this decides how the ranks end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All ranks know: they end together.
    Together(Failure),
    /// Only this rank knows: it has to take the others down.
    Alone(Failure),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl Stop {
    /// Why, whichever ranks know.
    pub fn failure(&self) -> &Failure {
        let (Stop::Together(failure) | Stop::Alone(failure)) = self;
        failure
    }
}

impl std::fmt::Display for Stop {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.failure().fmt(to)
    }
}

impl std::error::Error for Stop {}
