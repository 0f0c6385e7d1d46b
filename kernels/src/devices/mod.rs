//! Visits of accelerators: kernels that run on their streams, and copies between memories.
//!
//! # Rules
//!
//! * A kernel is a visit of a region on a stream that is neither a copy, nor sets memory, nor stands for idleness. It
//!   counts when it ends. Visits follow the rules of [`CallStack`].
//! * A copy is an `RmaPut` or `RmaGet` that a stream records, or whose remote rank is a stream. A put goes from who
//!   records it to the remote rank, a get comes from there. It ends with the next `RmaOpCompleteBlocking` or
//!   `RmaOpCompleteNonBlocking` of its window and matching id at the same location; of several the oldest ends first.
//!   Bytes count at once, time when it ends.
//! * A region of a stream that [is a copy](crate::account::Class) is one, too, of unknown length; unless a transfer
//!   begins in it.
//! * A call and the kernel that it launches are sent to where they meet, see [`Launches`].
//!
//! [`CallStack`]: crate::call_stack::CallStack

mod dependencies;
mod launches;
mod scan;
mod sums;
#[cfg(test)]
mod tests;

pub use dependencies::{connect, DependencyKernel, DependencyScan, DependencyWorker};
pub(crate) use launches::hosts;
pub use launches::{delays, LaunchDelay, Launches};
pub use scan::DeviceScan;
pub use sums::{CopySums, KernelSums, Sums};

use std::collections::BTreeMap;

use launches::Start;
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;
use streamfold_model::stream::StreamSummary;

use crate::account::{CopyEnds, RegionClasses, Role};
use crate::matching::{Lanes, Outgoing};
use crate::Kernel;

/// Finds kernels and copies of accelerators.
#[derive(Debug)]
pub struct DeviceKernel<'k> {
    definitions: &'k Definitions,
    classes: RegionClasses,
    ends: CopyEnds,
    launches: Option<Launches<'k>>,
}

impl<'k> DeviceKernel<'k> {
    /// Given the definitions that references lead to, and where calls and the kernels that they launch meet.
    pub fn new(definitions: &'k Definitions, launches: Option<Launches<'k>>) -> Self {
        let classes = RegionClasses::new(definitions, false);
        DeviceKernel { definitions, classes, ends: CopyEnds::new(definitions), launches }
    }
}

/// The state of a worker.
pub struct DeviceWorker<'k> {
    found: Sums,
    starts: Lanes<Start>,
    outgoing: Option<Outgoing<'k>>,
}

impl<'k> Kernel for DeviceKernel<'k> {
    type Worker = DeviceWorker<'k>;
    type Scan<'w>
        = DeviceScan<'w, 'k>
    where
        Self: 'w;
    type Partial = Sums;

    fn worker(&self) -> DeviceWorker<'k> {
        let outgoing = self.launches.as_ref().map(|launches| Outgoing::new(launches.sink));
        DeviceWorker { found: Sums::default(), starts: Lanes::default(), outgoing }
    }

    fn scan<'w>(
        &'w self,
        worker: &'w mut DeviceWorker<'k>,
        location: LocationRef,
    ) -> DeviceScan<'w, 'k> {
        let is_stream = Role::is_stream(self.definitions, location);
        DeviceScan::new(self, worker, location, is_stream)
    }

    fn end(&self, scan: DeviceScan<'_, 'k>, _: &StreamSummary) {
        scan.end();
    }

    fn partial(&self, worker: DeviceWorker<'k>) -> Sums {
        worker.outgoing.into_iter().for_each(|mut outgoing| outgoing.hand_over());
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
