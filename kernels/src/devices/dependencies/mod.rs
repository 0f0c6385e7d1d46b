//! Dependencies between hosts and streams of accelerators: what is launched by whom, and which call waits for what.
//!
//! # Rules
//!
//! * An activity is a visit of a kernel, a copy or a memset on a stream, or a copy that a stream records as `RmaPut` or
//!   `RmaGet`. Of activities within each other the outermost counts.
//! * A call of an accelerator that launches kernels, copies or sets memory launches an activity of that kind; of calls
//!   within each other the innermost. An activity with a number was launched by the call with that number, see
//!   [`Launches`](super::Launches). Others were launched in the order of calls: by the first one that has launched none yet,
//!   of its kind and for its stream, where the call names one.
//! * A stream was idle before an activity if that was launched after all activities before it had ended. Then the
//!   activity depends on the enter of the launch. Otherwise it follows what was before it on the stream.
//! * A call that synchronises, a copy that blocks, and one that frees memory wait for a stream: that whose activity
//!   ended last within the call, of those that the call names. Any other copy waits for itself, if it ended in the second
//!   half of the call.
//! * A stream of which no launch is known leads nowhere, and nobody waits for it.

mod calls;
mod connect;
mod items;
mod scan;

pub use connect::connect;
pub use scan::DependencyScan;

use std::collections::HashMap;

use calls::{roles, CallRole};
use foldhash::fast::RandomState;
use items::DeviceItem;
use streamfold_model::ids::{AttributeRef, LocationGroupRef, LocationRef, RegionRef};
use streamfold_model::store::Definitions;
use streamfold_model::stream::StreamSummary;

use super::launches::{hosts, Hosts, LaunchNumbers};
use crate::account::{RegionClasses, Role};
use crate::matching::{Key, Lanes, Outgoing, Sink};
use crate::Kernel;

/// The attributes with events of accelerators.
const MARKS: [&[u8]; 2] = [b"CUDA_EVENT_REF", b"HIP_EVENT_REF"];

/// Finds launches, activities and calls that wait.
pub struct DependencyKernel<'k> {
    definitions: &'k Definitions,
    classes: RegionClasses,
    roles: HashMap<RegionRef, CallRole, RandomState>,
    numbers: LaunchNumbers,
    /// Attributes that name events of accelerators.
    marks: Vec<AttributeRef>,
    hosts: Hosts,
    /// Processes that use streams.
    used: Vec<LocationGroupRef>,
    sink: &'k dyn Sink,
}

impl<'k> DependencyKernel<'k> {
    /// Given the definitions that references lead to. Items go to a sink. `None`: the trace has no streams.
    pub fn new(definitions: &'k Definitions, sink: &'k dyn Sink) -> Option<Self> {
        let hosts = hosts(definitions);
        let streams = hosts.iter().filter(|(of, _)| Role::is_stream(definitions, **of));
        let mut used: Vec<LocationGroupRef> = streams.map(|(_, host)| *host).collect();
        used.sort_unstable();
        used.dedup();
        let classes = RegionClasses::new(definitions, false);
        let roles = roles(definitions, &classes);
        let numbers = LaunchNumbers::new(definitions);
        let is_mark =
            |name| definitions.string(name).is_some_and(|name| MARKS.contains(&name.as_ref()));
        let attributes = definitions.attributes.values();
        let marks = attributes.filter(|of| is_mark(of.name)).map(|of| of.id).collect();
        let is_used = !used.is_empty();
        is_used.then_some(DependencyKernel {
            definitions,
            classes,
            roles,
            numbers,
            marks,
            hosts,
            used,
            sink,
        })
    }

    /// The key of what belongs to the process of a location; `None`: it uses no streams.
    fn key(&self, location: LocationRef) -> Option<Key> {
        let host = *self.hosts.get(&location)?;
        self.used.binary_search(&host).ok()?;
        Some(Key([host.0, 0, 0, 0]))
    }
}

/// The state of a worker.
pub struct DependencyWorker<'k> {
    lanes: Lanes<DeviceItem>,
    outgoing: Outgoing<'k>,
}

impl<'k> Kernel for DependencyKernel<'k> {
    type Worker = DependencyWorker<'k>;
    type Scan<'w>
        = DependencyScan<'w, 'k>
    where
        Self: 'w;
    type Partial = ();

    fn worker(&self) -> Self::Worker {
        DependencyWorker { lanes: Lanes::default(), outgoing: Outgoing::new(self.sink) }
    }

    fn scan<'w>(&'w self, worker: &'w mut Self::Worker, location: LocationRef) -> Self::Scan<'w> {
        DependencyScan::new(self, worker, location)
    }

    fn end(&self, scan: DependencyScan<'_, 'k>, _: &StreamSummary) {
        scan.end();
    }

    fn partial(&self, mut worker: Self::Worker) {
        worker.outgoing.hand_over();
    }

    fn fold(&self, (): (), (): ()) {}
}
