//! What accelerators do: kernels that run on their streams, and copies between memories.
//!
//! # Rules
//!
//! * A stream is a location of the type `ACCELERATOR_STREAM`, or any other but `METRIC` in a location group of the type
//!   `ACCELERATOR`.
//! * A kernel is a visit of a region on a stream. It counts when it ends. Visits follow the rules of [`CallStack`].
//! * A stream is busy while any visit on it is open; visits that never end do not count.
//! * A copy is an `RmaPut` or `RmaGet` that a stream records, or whose remote rank is a stream. A put goes from who
//!   records it to the remote rank, a get comes from there.
//! * A copy ends with the next `RmaOpCompleteBlocking` or `RmaOpCompleteNonBlocking` of its window and matching id at
//!   the same location; of several the oldest ends first. Bytes count at once, time when it ends.
//!
//! [`CallStack`]: crate::call_stack::CallStack

mod scan;
mod sums;
#[cfg(test)]
mod tests;

pub use scan::{DeviceScan, DeviceWorker};
pub use sums::{CopySums, Direction, KernelSums, StreamSums, Sums};

use std::collections::{BTreeMap, HashMap, HashSet};

use foldhash::fast::RandomState;
use streamfold_model::enums::{LocationGroupType, LocationType};
use streamfold_model::ids::{GroupRef, LocationRef, RmaWinRef};
use streamfold_model::store::Definitions;
use streamfold_model::stream::StreamSummary;

use crate::matching::{GroupSide, Partners, Process, Processes};
use crate::Kernel;

/// Finds kernels and copies of accelerators.
#[derive(Debug)]
pub struct DeviceKernel {
    streams: HashSet<LocationRef, RandomState>,
    /// The group that the ranks of a window are in.
    groups: HashMap<RmaWinRef, GroupRef, RandomState>,
    /// The ranks of each of these groups.
    remotes: HashMap<GroupRef, Remotes, RandomState>,
}

/// The ranks of a group.
#[derive(Debug, Default)]
struct Remotes {
    /// How many there are.
    count: u64,
    /// Those that are streams.
    streams: HashSet<u32, RandomState>,
}

/// What a location is: streams of accelerators are such by their type, or by that of their group. `None`: it is not
/// defined.
pub fn kind_of(definitions: &Definitions, location: LocationRef) -> Option<LocationType> {
    let of = definitions.locations.get(&location)?;
    let group = definitions.location_groups.get(&of.location_group);
    let is_device =
        group.is_some_and(|group| group.location_group_type == LocationGroupType::Accelerator);
    Some(match of.location_type {
        LocationType::Metric => LocationType::Metric,
        _ if is_device => LocationType::AcceleratorStream,
        other => other,
    })
}

/// Whether a location is a stream of an accelerator.
pub fn is_stream(definitions: &Definitions, location: LocationRef) -> bool {
    kind_of(definitions, location) == Some(LocationType::AcceleratorStream)
}

impl DeviceKernel {
    /// Given the definitions that references lead to.
    pub fn new(definitions: &Definitions) -> Self {
        let streams: HashSet<LocationRef, RandomState> = definitions
            .locations
            .keys()
            .copied()
            .filter(|location| is_stream(definitions, *location))
            .collect();
        let mut remotes: HashMap<GroupRef, Remotes, RandomState> = HashMap::default();
        let mut groups = HashMap::default();
        if !streams.is_empty() {
            let processes = Processes::new(definitions);
            let partners = Partners::new(definitions, &processes);
            let own = processes.of(LocationRef(0)).unwrap_or(Process(0));
            for win in definitions.rma_wins.keys() {
                let comm = partners.comm_of(*win);
                let Some(comm) = comm.filter(|comm| !partners.has_two_groups(*comm)) else {
                    continue;
                };
                let Some(GroupSide::Group(group)) = partners.side(comm, own) else { continue };
                groups.insert(*win, group);
                if remotes.contains_key(&group) {
                    continue;
                }
                let count = partners.size(comm).unwrap_or(0);
                let is_stream = |rank: &u32| {
                    let location = partners.location(group, (*rank).into());
                    location.is_some_and(|location| streams.contains(&location))
                };
                let ranks = 0..u32::try_from(count).unwrap_or(u32::MAX);
                let streams = ranks.filter(is_stream).collect();
                remotes.insert(group, Remotes { count, streams });
            }
        }
        DeviceKernel { streams, groups, remotes }
    }

    /// Whether the trace has any stream of an accelerator.
    pub fn has_streams(&self) -> bool {
        !self.streams.is_empty()
    }

    /// Whether a rank of a window is a stream; `None` where nobody says who it is.
    fn is_remote_stream(&self, win: RmaWinRef, rank: u32) -> Option<bool> {
        let remotes = self.remotes.get(self.groups.get(&win)?)?;
        (u64::from(rank) < remotes.count).then(|| remotes.streams.contains(&rank))
    }
}

impl Kernel for DeviceKernel {
    type Worker = DeviceWorker;
    type Scan<'w> = DeviceScan<'w>;
    type Partial = Sums;

    fn worker(&self) -> DeviceWorker {
        DeviceWorker::default()
    }

    fn scan<'w>(&'w self, worker: &'w mut DeviceWorker, location: LocationRef) -> DeviceScan<'w> {
        DeviceScan::new(self, worker, location)
    }

    fn end<'w>(&'w self, scan: DeviceScan<'w>, summary: &StreamSummary) {
        scan.end(summary);
    }

    fn partial(&self, worker: DeviceWorker) -> Sums {
        worker.found
    }

    fn fold(&self, into: Sums, other: Sums) -> Sums {
        into.fold(other)
    }
}

/// Joins maps of sums.
fn join<K: Ord, V>(into: &mut BTreeMap<K, V>, from: BTreeMap<K, V>, add: fn(&mut V, V)) {
    for (key, value) in from {
        match into.entry(key) {
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert(value);
            }
            std::collections::btree_map::Entry::Occupied(mut entry) => add(entry.get_mut(), value),
        }
    }
}
