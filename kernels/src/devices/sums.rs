//! The sums.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use streamfold_model::ids::{LocationRef, RegionRef};

use super::join;
use crate::account::Direction;

/// Sums of accelerators. Times are in ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    /// Kernels, by stream.
    pub kernels: BTreeMap<(LocationRef, RegionRef), KernelSums>,
    /// Copies, by the recording location.
    pub copies: BTreeMap<(LocationRef, Direction), CopySums>,
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

/// Copies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopySums {
    /// How many began.
    pub count: u64,
    /// Those of which the bytes are known.
    pub sized: u64,
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
        self.sized += other.sized;
        self.bytes += other.bytes;
        self.completed += other.completed;
        self.completed_bytes += other.completed_bytes;
        self.ticks += other.ticks;
    }
}

impl Sums {
    /// Both together.
    pub(super) fn fold(mut self, other: Sums) -> Sums {
        join(&mut self.kernels, other.kernels, KernelSums::add);
        join(&mut self.copies, other.copies, CopySums::add);
        self.open += other.open;
        self.unmatched += other.unmatched;
        self
    }
}
