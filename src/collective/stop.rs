//! How ranks end together: what a failure of one of them means for all.

use serde::{Deserialize, Serialize};

use super::inject::Injected;
use super::{Communicator, Error};
use streamfold_system::exit::{ExitCode, Failure, Stop};

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Alone(Failure::new(ExitCode::Rank, error.to_string()))
    }
}

impl From<Injected> for Stop {
    fn from(injected: Injected) -> Self {
        Stop::Alone(Failure::new(ExitCode::Rank, injected.to_string()))
    }
}

/// Ends all ranks where one of them has failed. Collective.
pub fn agree<T>(ranks: &dyn Communicator, outcome: Result<T, Failure>) -> Result<T, Stop> {
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
