//! A file that all ranks work on, and how they hear of failures.

use std::fmt::Display;
use std::io;
use std::path::Path;

use super::failure;
use streamfold_collective::Communicator;
use streamfold_system::exit::{Failure, Stop};

/// Job that all ranks work on: the path of a file, and the ranks.
pub(crate) struct Job<'a> {
    pub path: &'a Path,
    pub ranks: &'a dyn Communicator,
}

impl Job<'_> {
    /// Returns the result of this rank if all ranks have succeeded. Collective.
    pub fn agree<T>(&self, outcome: Result<T, impl Display>) -> Result<T, Stop> {
        let ranks = self.ranks;
        self.agree_failure(outcome.map_err(|reason| match ranks.size() {
            1 => Failure::output(self.path, &failure::reason(&reason)),
            _ => {
                let (reason, rank) = (failure::reason(&reason), ranks.rank());
                Failure::output(self.path, &format!("{reason} (rank {rank})"))
            }
        }))
    }

    /// How it went on rank 0, on all ranks. Collective.
    pub fn agree_on_root(&self, work: impl FnOnce() -> io::Result<()>) -> Result<(), Stop> {
        let outcome = (self.ranks.rank() == 0)
            .then(|| work().map_err(|error| Failure::output(self.path, &error)));
        self.ranks.broadcast_result(0, outcome)?.map_err(Stop::Together)
    }

    /// The same where a rank knows its whole failure.
    pub fn agree_failure<T>(&self, outcome: Result<T, Failure>) -> Result<T, Stop> {
        let (value, failure) = match outcome {
            Ok(value) => (Some(value), None),
            Err(failure) => (None, Some(failure)),
        };
        // The first of the ranks where something failed speaks for all.
        match (self.ranks.all_reduce(failure, Option::or)?, value) {
            (None, Some(value)) => Ok(value),
            (failure, _) => Err(Stop::Together(
                failure.unwrap_or_else(|| Failure::output(self.path, &"another rank failed")),
            )),
        }
    }
}
