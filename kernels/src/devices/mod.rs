//! Activity of accelerators: kernels that run on their streams, and copies between memories.
//!
//! # Rules
//!
//! * A stream is a location of the type `ACCELERATOR_STREAM`, or any other but `METRIC` in a location group of the type
//!   `ACCELERATOR`.
//! * A kernel is a visit of a region on a stream. It counts when it ends. Visits follow the rules of [`CallStack`].
//! * A stream is busy while any visit on it is open; visits that never end do not count.
//! * A device is a location group with streams. It is busy while any of its streams is.
//! * The host of a device is the location group that created it; if the streams are in the group of a process, that. It
//!   computes while the innermost region of any of its CPU threads is [computation](crate::time_map::WorkClass).
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

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;
use streamfold_model::definitions::Location;
use streamfold_model::enums::{LocationGroupType, LocationType};
use streamfold_model::ids::{GroupRef, LocationGroupRef, LocationRef, RmaWinRef};
use streamfold_model::store::Definitions;
use streamfold_model::stream::StreamSummary;

use crate::matching::{GroupSide, Outgoing, Partners, Process, Processes, Sink};
use crate::time_map::WorkClasses;
use crate::Kernel;

/// Finds kernels and copies of accelerators.
pub struct DeviceKernel<'k> {
    /// Streams, each with its device.
    streams: HashMap<LocationRef, u32, RandomState>,
    /// The CPU threads of hosts, with the devices of these.
    hosts: HashMap<LocationRef, Arc<[u32]>, RandomState>,
    classes: WorkClasses,
    sink: Option<&'k dyn Sink>,
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

/// Returns the type of a location. Streams of accelerators have that type themselves, or their group has it. `None`: it
/// is not defined.
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

/// Returns whether a location is a stream of an accelerator.
pub fn is_stream(definitions: &Definitions, location: LocationRef) -> bool {
    kind_of(definitions, location) == Some(LocationType::AcceleratorStream)
}

impl<'k> DeviceKernel<'k> {
    /// Sends busy times of devices and computing times of hosts to a sink, for [`unite`](crate::io::unite). Each device
    /// has the number of its group, and its busy time stands as that of I/O.
    pub fn with_sink(self, sink: &'k dyn Sink) -> Self {
        DeviceKernel { sink: Some(sink), ..self }
    }

    /// Given the definitions that references lead to.
    pub fn new(definitions: &Definitions) -> Self {
        let all = definitions.locations.values();
        let all = all.filter(|location| is_stream(definitions, location.id));
        let streams: HashMap<LocationRef, u32, RandomState> =
            all.map(|location| (location.id, location.location_group.0)).collect();
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
                    location.is_some_and(|location| streams.contains_key(&location))
                };
                let ranks = 0..u32::try_from(count).unwrap_or(u32::MAX);
                let streams = ranks.filter(is_stream).collect();
                remotes.insert(group, Remotes { count, streams });
            }
        }
        let hosts = hosts(definitions, &streams);
        let classes = WorkClasses::new(definitions, false);
        DeviceKernel { streams, hosts, classes, sink: None, groups, remotes }
    }

    /// Returns whether the trace has any stream of an accelerator.
    pub fn has_streams(&self) -> bool {
        !self.streams.is_empty()
    }

    /// Returns whether a rank of a window is a stream; `None` if the rank is unknown.
    fn is_remote_stream(&self, win: RmaWinRef, rank: u32) -> Option<bool> {
        let remotes = self.remotes.get(self.groups.get(&win)?)?;
        (u64::from(rank) < remotes.count).then(|| remotes.streams.contains(&rank))
    }
}

/// The CPU threads of hosts, with the devices of these.
fn hosts(
    definitions: &Definitions,
    streams: &HashMap<LocationRef, u32, RandomState>,
) -> HashMap<LocationRef, Arc<[u32]>, RandomState> {
    let mut devices: BTreeMap<LocationGroupRef, BTreeSet<u32>> = BTreeMap::new();
    for device in streams.values() {
        let group = definitions.location_groups.get(&LocationGroupRef(*device));
        let host = match group {
            Some(group) if group.location_group_type == LocationGroupType::Accelerator => {
                group.creating_location_group
            }
            _ => LocationGroupRef(*device),
        };
        devices.entry(host).or_default().insert(*device);
    }
    let devices: HashMap<LocationGroupRef, Arc<[u32]>, RandomState> =
        devices.into_iter().map(|(host, of)| (host, of.into_iter().collect())).collect();
    let is_thread =
        |location: &&Location| kind_of(definitions, location.id) == Some(LocationType::CpuThread);
    let threads = definitions.locations.values().filter(is_thread);
    threads.filter_map(|of| Some((of.id, devices.get(&of.location_group)?.clone()))).collect()
}

impl<'k> Kernel for DeviceKernel<'k> {
    type Worker = DeviceWorker<'k>;
    type Scan<'w>
        = DeviceScan<'w, 'k>
    where
        Self: 'w;
    type Partial = Sums;

    fn worker(&self) -> DeviceWorker<'k> {
        let (found, lanes) = Default::default();
        DeviceWorker { found, lanes, outgoing: self.sink.map(Outgoing::new) }
    }

    fn scan<'w>(
        &'w self,
        worker: &'w mut DeviceWorker<'k>,
        location: LocationRef,
    ) -> DeviceScan<'w, 'k> {
        DeviceScan::new(self, worker, location)
    }

    fn end<'w>(&'w self, scan: DeviceScan<'w, 'k>, summary: &StreamSummary) {
        scan.end(summary);
    }

    fn partial(&self, worker: DeviceWorker<'k>) -> Sums {
        let DeviceWorker { found, outgoing, .. } = worker;
        outgoing.into_iter().for_each(|mut outgoing| outgoing.hand_over());
        found
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
