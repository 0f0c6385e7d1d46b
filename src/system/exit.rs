//! How the program ends.

use serde::{Deserialize, Serialize};

use crate::collective::{self, Communicator};
use crate::formats::otf2;

/// The exit codes of every command. Signals have codes of their own:
/// [`end_on_signals`](crate::collective::end_on_signals).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum ExitCode {
    /// Done. What was found about the traced program is part of the result.
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
}

/// Why a command could not do its work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// How the program ends.
    pub code: ExitCode,
    /// What to tell.
    pub message: String,
    /// Chunks of definitions, in bytes, with which it could be done, where those of an archive that is
    /// written are too small.
    pub larger_chunks: Option<u64>,
}

impl Failure {
    /// With this code.
    pub fn new(code: ExitCode, message: impl Into<String>) -> Self {
        Failure { code, message: message.into(), larger_chunks: None }
    }

    /// Output that cannot be written.
    pub fn output(path: &std::path::Path, error: &dyn std::fmt::Display) -> Self {
        Failure::new(ExitCode::Io, format!("cannot write {}: {error}", path.display()))
    }
}

impl From<otf2::Error> for Failure {
    fn from(error: otf2::Error) -> Self {
        let code = if error.is_io() { ExitCode::Io } else { ExitCode::Trace };
        Failure::new(code, error.to_string())
    }
}

/// Who knows of a failure decides how the ranks end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All ranks know: they end together.
    Together(Failure),
    /// Only this rank knows: it has to take the others down.
    Alone(Failure),
}

impl From<collective::Error> for Stop {
    fn from(error: collective::Error) -> Self {
        Stop::Alone(Failure::new(ExitCode::Rank, error.to_string()))
    }
}

impl From<collective::inject::Injected> for Stop {
    fn from(injected: collective::inject::Injected) -> Self {
        Stop::Alone(Failure::new(ExitCode::Rank, injected.to_string()))
    }
}

/// Ends all ranks where one of them has failed. Collective.
pub(crate) fn agree<T>(ranks: &dyn Communicator, outcome: Result<T, Failure>) -> Result<T, Stop> {
    #[derive(Serialize, Deserialize)]
    struct Failed(Option<Failure>);
    let (value, failure) = match outcome {
        Ok(value) => (Some(value), None),
        Err(failure) => (None, Some(failure)),
    };
    let least = |Failed(a): Failed, Failed(b): Failed| match (a, b) {
        (Some(a), Some(b)) if b.message < a.message => Failed(Some(b)),
        (a, b) => Failed(a.or(b)),
    };
    match (ranks.all_reduce(Failed(failure), least)?, value) {
        (Failed(None), Some(value)) => Ok(value),
        (Failed(failure), _) => Err(Stop::Together(failure.expect("who has no value has failed"))),
    }
}
