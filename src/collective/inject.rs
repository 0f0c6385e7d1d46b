//! Failures on demand, for tests only: they show that a job in which one rank fails ends at once.
//!
//! `STREAMFOLD_TEST_FAIL=PHASE:RANK` makes the [`fail_point`] of that phase return an error on that
//! rank, `STREAMFOLD_TEST_FAIL=PHASE:RANK:panic` makes it panic, `STREAMFOLD_TEST_FAIL=PHASE:RANK:stall`
//! makes it say so on standard error and wait to be ended from outside. Not part of the interface of the
//! program: phases may change their names.

use std::io::Write;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

/// The environment variable that orders a failure.
pub const VARIABLE: &str = "STREAMFOLD_TEST_FAIL";

/// How long a rank stalls before it fails, so that nothing stays of a test that went wrong.
const STALLED: Duration = Duration::from_secs(100);

/// A failure that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum Injected {
    /// The failure of this phase on this rank.
    #[error("{VARIABLE} asked phase {phase} to fail on rank {rank}")]
    Failure { phase: String, rank: usize },

    /// The variable cannot be read; a test with a typing error should not pass.
    #[error("{VARIABLE}={0} is not PHASE:RANK, PHASE:RANK:panic or PHASE:RANK:stall")]
    Malformed(String),
}

/// Fails if the environment asks for it: `phase` is the name of the next step, `rank` the rank that
/// asks. Reads the environment once in a process; nearly free afterwards.
///
/// # Errors
///
/// The failure that was asked for, to be handled as any real one of that phase.
///
/// # Panics
///
/// If that was asked for.
pub fn fail_point(phase: &str, rank: usize) -> Result<(), Injected> {
    static ORDER: OnceLock<Option<Result<Order, Injected>>> = OnceLock::new();
    match ORDER.get_or_init(|| std::env::var(VARIABLE).ok().map(|text| Order::parse(&text))) {
        None => Ok(()),
        Some(Ok(order)) => order.obey(phase, rank),
        Some(Err(malformed)) => Err(malformed.clone()),
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Order {
    phase: String,
    rank: usize,
    way: Way,
}

/// The fault that is injected at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Fail,
    Panic,
    Stall,
}

impl Order {
    fn parse(text: &str) -> Result<Self, Injected> {
        let malformed = || Injected::Malformed(text.to_string());
        let mut parts = text.split(':');
        let (Some(phase), Some(rank)) = (parts.next(), parts.next()) else {
            return Err(malformed());
        };
        let way = match (parts.next(), parts.next()) {
            (None, _) => Way::Fail,
            (Some("panic"), None) => Way::Panic,
            (Some("stall"), None) => Way::Stall,
            _ => return Err(malformed()),
        };
        let rank = rank.parse().map_err(|_| malformed())?;
        Ok(Order { phase: phase.to_string(), rank, way })
    }

    fn obey(&self, phase: &str, rank: usize) -> Result<(), Injected> {
        if phase != self.phase || rank != self.rank {
            return Ok(());
        }
        let failure = Injected::Failure { phase: phase.to_string(), rank };
        match self.way {
            Way::Fail => {}
            Way::Panic => panic!("{failure}"),
            Way::Stall => {
                let here = format!(
                    "{VARIABLE}: {phase} on rank {rank} is process {}\n",
                    std::process::id()
                );
                let _ = std::io::stderr().write_all(here.as_bytes());
                thread::sleep(STALLED);
            }
        }
        Err(failure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_phase_and_rank_that_were_named_fail() {
        let order = Order::parse("scan:2").unwrap();
        assert_eq!(order.obey("scan", 1), Ok(()));
        assert_eq!(order.obey("fold", 2), Ok(()));
        let failure = order.obey("scan", 2).unwrap_err();
        assert_eq!(failure.to_string(), "STREAMFOLD_TEST_FAIL asked phase scan to fail on rank 2");
    }

    #[test]
    #[should_panic(expected = "asked phase fold to fail on rank 0")]
    fn a_panic_can_be_asked_for() {
        let _ = Order::parse("fold:0:panic").unwrap().obey("fold", 0);
    }

    #[test]
    fn typing_errors_do_not_pass() {
        for text in ["", "scan", "scan:", "scan:x", "scan:1:", "scan:1:panik", "scan:1:panic:2"] {
            assert_eq!(Order::parse(text), Err(Injected::Malformed(text.to_string())));
        }
    }

    #[test]
    fn nothing_fails_unless_asked() {
        assert_eq!(fail_point("scan", 0), Ok(()));
    }
}
