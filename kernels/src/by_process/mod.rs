//! Plain sums of each thread: functions, counters, messages, collective operations. These are the sums of `otfprofile`,
//! the tool of OTF, version 1.
//!
//! # Rules
//!
//! * A visit counts when it ends, with the region that was entered. Those that do not end do not count.
//! * A counter whose values add up is read when a visit begins and when it ends, at the same time: at the begin the first
//!   value behind the enter, else the last one before it. Its growth is the inclusive part of the visit; without that of
//!   the visits directly inside it is the exclusive one.
//! * Messages count at the sender and at the receiver. The duration of a message counts at the sender, if the sender
//!   knows the time of the receive.
//! * A member of a collective operation sends and receives if its record has any bytes for that; in a barrier each does
//!   both. The time of the operation counts for those that send.

mod scan;
mod sums;

pub use scan::{ProcessScan, ProcessWorker};
pub use sums::{
    CollectiveClass, Growth, MemberSums, MessageSums, ProcessSums, RegionSums, SizeSums,
};

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use streamfold_model::enums::MetricMode;
use streamfold_model::ids::{AttributeRef, LocationRef, MetricMemberRef, MetricRef};
use streamfold_model::store::Definitions;
use streamfold_model::stream::StreamSummary;

use crate::Kernel;

/// Adds up what threads do.
#[derive(Debug)]
pub struct ProcessKernel {
    /// The members of each metric, those that do not add up left out.
    metrics: HashMap<MetricRef, Vec<Option<MetricMemberRef>>, RandomState>,
    /// Attributes of sends that say when the message was received.
    received: HashSet<AttributeRef, RandomState>,
}

/// The name of the key with which the reference says when a message was received.
const RECEIVED: &[u8] = b"TUD::p2p-received-time";

impl ProcessKernel {
    /// Given the definitions that references lead to.
    pub fn new(definitions: &Definitions) -> Self {
        let adds_up = |member: &MetricMemberRef| {
            let member = definitions.metric_members.get(member)?;
            let mode = member.metric_mode;
            let adds_up = matches!(
                mode,
                MetricMode::AccumulatedStart
                    | MetricMode::AccumulatedPoint
                    | MetricMode::AccumulatedLast
                    | MetricMode::AccumulatedNext
            );
            adds_up.then_some(member.id)
        };
        let members = |metric: MetricRef| {
            let members = definitions.metric_class(metric).map(|class| &class.metric_members);
            members.into_iter().flatten().map(adds_up).collect()
        };
        let metrics = definitions.metrics.keys();
        let is_received = |name| definitions.string(name).is_some_and(|name| *name == RECEIVED);
        let attributes = definitions.attributes.values();
        ProcessKernel {
            metrics: metrics.map(|id| (*id, members(*id))).collect(),
            received: attributes.filter(|it| is_received(it.name)).map(|it| it.id).collect(),
        }
    }
}

impl Kernel for ProcessKernel {
    type Worker = ProcessWorker;
    type Scan<'w> = ProcessScan<'w>;
    type Partial = ProcessSums;

    fn worker(&self) -> ProcessWorker {
        ProcessWorker::default()
    }

    fn scan<'w>(&'w self, worker: &'w mut ProcessWorker, location: LocationRef) -> ProcessScan<'w> {
        ProcessScan::new(self, worker, location)
    }

    fn end<'w>(&'w self, scan: ProcessScan<'w>, _: &StreamSummary) {
        scan.end();
    }

    fn partial(&self, worker: ProcessWorker) -> ProcessSums {
        worker.found
    }

    fn fold(&self, into: ProcessSums, other: ProcessSums) -> ProcessSums {
        into.fold(other)
    }
}
