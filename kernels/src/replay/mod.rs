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

use serde::{Deserialize, Serialize};
use streamfold_model::ids::RegionRef;

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
}

/// Millionths of a whole.
pub const MILLION: u64 = 1_000_000;
