//! The sums.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use streamfold_model::ids::{LocationRef, RegionRef};

use super::join;

/// Sums of accelerators. Times are in ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    /// Kernels, by stream.
    pub kernels: BTreeMap<(LocationRef, RegionRef), KernelSums>,
    /// Copies, by the recording location.
    pub copies: BTreeMap<(LocationRef, Direction), CopySums>,
    /// Streams that have any event.
    pub streams: BTreeMap<LocationRef, StreamSums>,
    /// The times of the first and of the last event, of all locations.
    pub span: Option<(u64, u64)>,
    /// Visits on streams that never ended.
    pub open: u64,
    /// Leaves on streams of what was not open.
    pub unmatched: u64,
}

/// Visits of a region on a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelSums {
    /// How many ended.
    pub calls: u64,
    /// Their time.
    pub inclusive: u128,
    /// Their time without that of visits inside.
    pub exclusive: u128,
    /// The shortest.
    pub shortest: u64,
    /// The longest.
    pub longest: u64,
}

impl Default for KernelSums {
    fn default() -> Self {
        KernelSums { calls: 0, inclusive: 0, exclusive: 0, shortest: u64::MAX, longest: 0 }
    }
}

impl KernelSums {
    /// Adds a visit.
    pub(super) fn visit(&mut self, inclusive: u64, exclusive: u64) {
        self.add(KernelSums {
            calls: 1,
            inclusive: inclusive.into(),
            exclusive: exclusive.into(),
            shortest: inclusive,
            longest: inclusive,
        });
    }

    /// Adds others.
    pub fn add(&mut self, other: KernelSums) {
        self.calls += other.calls;
        self.inclusive += other.inclusive;
        self.exclusive += other.exclusive;
        self.shortest = self.shortest.min(other.shortest);
        self.longest = self.longest.max(other.longest);
    }
}

/// From which memory to which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Direction {
    /// From the host to an accelerator.
    HostToDevice,
    /// From an accelerator to the host.
    DeviceToHost,
    /// Between accelerators, or on one.
    DeviceToDevice,
    /// To an accelerator, from an unknown place.
    ToDevice,
    /// From an accelerator, to an unknown place.
    FromDevice,
}

impl Direction {
    /// From and to: whether that is an accelerator, where it is known. `None` where neither is one.
    pub(super) fn of(from: Option<bool>, to: Option<bool>) -> Option<Direction> {
        match (from, to) {
            (Some(true), Some(true)) => Some(Direction::DeviceToDevice),
            (Some(true), Some(false)) => Some(Direction::DeviceToHost),
            (Some(true), None) => Some(Direction::FromDevice),
            (Some(false), Some(true)) => Some(Direction::HostToDevice),
            (None, Some(true)) => Some(Direction::ToDevice),
            _ => None,
        }
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Direction::HostToDevice => "host to device",
            Direction::DeviceToHost => "device to host",
            Direction::DeviceToDevice => "device to device",
            Direction::ToDevice => "to device",
            Direction::FromDevice => "from device",
        }
    }
}

/// Copies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopySums {
    /// How many began.
    pub count: u64,
    /// Their bytes.
    pub bytes: u128,
    /// How many ended.
    pub completed: u64,
    /// The bytes of these,
    pub completed_bytes: u128,
    /// and their time from begin to end.
    pub ticks: u128,
}

impl CopySums {
    /// Adds others.
    pub fn add(&mut self, other: CopySums) {
        self.count += other.count;
        self.bytes += other.bytes;
        self.completed += other.completed;
        self.completed_bytes += other.completed_bytes;
        self.ticks += other.ticks;
    }
}

/// Activity of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamSums {
    /// Ticks in which any visit was open that ended.
    pub busy: u128,
}

impl Sums {
    /// Both together.
    pub(super) fn fold(mut self, other: Sums) -> Sums {
        join(&mut self.kernels, other.kernels, KernelSums::add);
        join(&mut self.copies, other.copies, CopySums::add);
        join(&mut self.streams, other.streams, |into, other| into.busy += other.busy);
        self.span = match (self.span, other.span) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
        self.open += other.open;
        self.unmatched += other.unmatched;
        self
    }

    /// Ticks from the first to the last event.
    pub fn ticks(&self) -> u64 {
        self.span.map_or(0, |(first, last)| last.saturating_sub(first))
    }
}
