//! Replay of a run with other times: on an ideal network, with a faster region, with a slower network.
//!
//! Each location has a clock for each [scenario](Scenario). Clocks go on by the time of the location. They are compared
//! where a location depends on another one: a receive on its send, the members of a collective operation on each other, a
//! worker on the fork of its team, a thread on its creation and on the one that held its lock, what runs on a stream on its
//! launch, a host on the stream that it waits for. Such a dependency has ends at locations: those
//! that give, and those that take. One that takes is not earlier than those that give.
//!
//! * On an ideal network the time in MPI counts for nothing, and messages take none. Clocks begin at 0 with the first
//!   event of a location, so that the result does not depend on how its clock was set.
//! * On the recorded network the time in MPI that is no waiting counts as it is. A replay without a change then takes as
//!   long as the run, to the tick.
//! * Time that threads wait for each other outside of MPI counts for nothing in either.
//!
//! Points of locations are read in the order of their times, so that memory is bounded by clocks, by messages that are on
//! their way, and by locations that wait. Those that still wait at the end wait for each other, since clocks disagree.
//! They are released in the order of time, and counted.

mod pass;
mod point;
mod steps;

pub(crate) use pass::OwnTime;
pub use pass::{Replay, Replayed, RELEASED};
pub(crate) use point::Taker;
pub use point::{Link, LinkId, LinkSinks, Links, On, Point, What};
pub use steps::{StepKernel, StepScan, StepWorker};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use streamfold_model::ids::{LocationRef, RegionRef};

/// Scenarios of one replay, at most.
pub const SCENARIOS: usize = 16;

/// Times of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scenario {
    /// Set for an ideal network, or else the network is as it was recorded.
    pub ideal: bool,
    /// Ticks that each message takes longer.
    pub latency: u64,
    /// Regions whose time outside of MPI changes.
    pub regions: Vec<RegionRef>,
    /// Set if only the own time of these regions changes, without that of regions inside.
    pub own: bool,
    /// The part of the recorded time that they take, in millionths.
    pub millionths: u64,
    /// Set if these regions take the same time on all threads instead.
    pub balance: Option<Balance>,
}

/// Regions that take the same time on all threads: the mean.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Balance {
    /// Ticks that each thread takes.
    pub mean: u64,
    /// Ticks that each thread took. Those without any take none.
    pub own: BTreeMap<LocationRef, u64>,
}

impl Balance {
    /// Of threads with these ticks; the mean is rounded down.
    pub fn new(own: BTreeMap<LocationRef, u64>) -> Self {
        let all: u128 = own.values().map(|ticks| u128::from(*ticks)).sum();
        let mean = all.checked_div(own.len() as u128).unwrap_or(0);
        Balance { mean: u64::try_from(mean).unwrap_or(u64::MAX), own }
    }
}

impl Scenario {
    /// The run as it was recorded.
    pub fn recorded() -> Self {
        Scenario { millionths: MILLION, ..Scenario::default() }
    }

    /// An ideal network.
    pub fn ideal() -> Self {
        Scenario { ideal: true, ..Scenario::recorded() }
    }

    /// The new time of the regions at a location as a share of the recorded time: numerator and denominator.
    fn factor(&self, location: LocationRef) -> (u64, u64) {
        match &self.balance {
            Some(balance) => match balance.own.get(&location) {
                Some(own) if *own > 0 => (balance.mean, *own),
                _ => (1, 1),
            },
            None => (self.millionths, MILLION),
        }
    }
}

/// Millionths of a whole.
pub const MILLION: u64 = 1_000_000;
