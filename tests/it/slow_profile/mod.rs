//! The profile against a slow one that does the same in the simplest way: it holds every visit of
//! every location, and sums them up at the end.

mod any_events;
mod archives;
mod by_hand;
mod deliver;
mod difference;
mod generate;
mod location;
mod metric_rows;
mod metrics;
mod pieces;
mod printed;
mod sums;
mod windows;

use std::collections::BTreeMap;

use streamfold::kernels::profile::{ParameterValue, Step, Traffic, Visits};
use streamfold::model::enums::IoOperationMode;
use streamfold::model::ids::{LocationRef, RegionRef};
use streamfold::model::values::TypedValue;

/// What an event means for a profile.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Happening {
    Enter(u32),
    Leave(u32),
    ContextEnter(u32),
    ContextLeave(u32),
    Send(u64),
    Isend(u64),
    Recv(u64),
    Irecv(u64),
    Collective(u64, u64),
    NonBlockingCollective(u64, u64),
    RecordingOff,
    RecordingOn,
    /// Until when.
    Flush(u64),
    Switch(Task),
    Complete(Task),
    Parameter(u32, ParameterValue),
    Put(u64),
    Get(u64),
    Atomic(u64, u64),
    RmaCollective(u64, u64),
    /// Handle and matching id.
    IoBegin(u32, u64, IoOperationMode),
    /// Handle and matching id, and how many bytes.
    IoComplete(u32, u64, u64),
    /// Handle and matching id.
    IoCancel(u32, u64),
    Metric(MetricRecord),
    /// Anything else.
    Other,
}

/// A metric, and its values; those behind the last are `None`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct MetricRecord {
    metric: u32,
    values: [Option<TypedValue>; 3],
}

impl MetricRecord {
    fn values(&self) -> Vec<TypedValue> {
        self.values.iter().copied().flatten().collect()
    }
}

/// By what a task is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Task {
    Thread { team: u32, creator: u32, generation: u32 },
    Omp(u64),
}

impl Task {
    /// Whether it is the thread's own task, which is there without any event.
    fn is_implicit(self) -> bool {
        matches!(self, Task::Thread { generation: 0, .. } | Task::Omp(0))
    }
}

/// The events of a location in their order: each with its time.
type Stream = Vec<(u64, Happening)>;

/// The events of all locations.
type Streams = BTreeMap<LocationRef, Stream>;

/// The regions of calling contexts.
type Contexts = BTreeMap<u32, RegionRef>;

/// Steps from the outermost to the last.
type CallPath = Vec<Step>;

/// What call paths of one location have.
type Paths = BTreeMap<CallPath, (Visits, Traffic)>;
