//! A file that all ranks work on, and how they hear of failures.

use std::fmt::Display;
use std::io;
use std::path::Path;

use streamfold_collective::Communicator;
use streamfold_system::exit::{Failure, Stop};

/// Job that all ranks work on: the path of a file, and the ranks.
pub(crate) struct Job<'a> {
    pub path: &'a Path,
    pub ranks: &'a dyn Communicator,
}

impl Job<'_> {
    /// Returns the result of this rank if all ranks have succeeded. Collective.
    pub(crate) fn agree<T>(&self, outcome: Result<T, impl Display>) -> Result<T, Stop> {
        let ranks = self.ranks;
        self.agree_failure(outcome.map_err(|reason| match ranks.size() {
            1 => Failure::output(self.path, &self::reason(&reason)),
            _ => {
                let (reason, rank) = (self::reason(&reason), ranks.rank());
                Failure::output(self.path, &format!("{reason} (rank {rank})"))
            }
        }))
    }

    /// How it went on rank 0, on all ranks. Collective.
    pub(crate) fn agree_on_root(&self, work: impl FnOnce() -> io::Result<()>) -> Result<(), Stop> {
        let outcome = (self.ranks.rank() == 0)
            .then(|| work().map_err(|error| Failure::output(self.path, &error)));
        self.ranks.broadcast_result(0, outcome)?.map_err(Stop::Together)
    }

    /// The same where a rank knows its whole failure.
    pub(crate) fn agree_failure<T>(&self, outcome: Result<T, Failure>) -> Result<T, Stop> {
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

/// Says why a library failed, for people: the message of the system if the text of the library contains the error number, else that text. The text of
/// the library is long, and names the unfinished file.
pub(crate) fn reason(error: &impl Display) -> String {
    let text = error.to_string();
    let number = text.split_once("errno = ").and_then(|(_, number)| {
        let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        number[..end].parse().ok()
    });
    number.map_or(text, |number| io::Error::from_raw_os_error(number).to_string())
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn the_system_is_heard() {
        let said =
            "H5FD__sec2_truncate(): unable to extend file properly, errno = 27, error message = \
                    'File too large': filename = '/a/.streamfold-A6jlur', errno = 27";
        assert_eq!(reason(&said), std::io::Error::from_raw_os_error(27).to_string());
        assert_eq!(reason(&"this rank does not see it"), "this rank does not see it");
        assert_eq!(reason(&"errno = none"), "errno = none");
    }
}
