//! The sums.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use streamfold_model::enums::{CollectiveOp, Type};
use streamfold_model::ids::{CommRef, LocationRef, MetricMemberRef, RegionRef};
use streamfold_model::values::TypedValue;

/// The sums of some threads. Times are in ticks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProcessSums {
    /// Visits that ended.
    pub regions: BTreeMap<(LocationRef, RegionRef), RegionSums>,
    /// Growth of counters in these visits: the exclusive and the inclusive part.
    pub counters: BTreeMap<(LocationRef, RegionRef, MetricMemberRef), (Growth, Growth)>,
    /// Messages.
    pub messages: BTreeMap<LocationRef, MessageSums>,
    /// Messages sent to a rank of a communicator, and their bytes.
    pub sent: BTreeMap<(LocationRef, CommRef, u32), (u64, u128)>,
    /// Messages sent, by their length.
    pub sizes: BTreeMap<u64, SizeSums>,
    /// Collective operations.
    pub collectives: BTreeMap<(LocationRef, CollectiveClass), MemberSums>,
    /// Leaves of what was not open.
    pub unmatched: u64,
}

/// Visits of a region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionSums {
    /// How many.
    pub calls: u64,
    /// Their time without that of visits inside.
    pub exclusive: u128,
    /// Their time.
    pub inclusive: u128,
}

/// The growth of a counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// Of whole numbers.
    pub whole: i128,
    /// Of others. A thread has its own, so that the order of additions is always the same.
    pub real: f64,
}

/// Messages of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageSums {
    /// Messages sent.
    pub sent: u64,
    /// Messages received.
    pub received: u64,
    /// Bytes sent.
    pub bytes_sent: u128,
    /// Bytes received.
    pub bytes_received: u128,
    /// The times from sending to receiving, of messages sent.
    pub time: u128,
}

/// Messages of one length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeSums {
    /// How many.
    pub count: u64,
    /// Those of which it is known how long they took: how many, and the sum of that.
    pub timed: u64,
    /// See above.
    pub time: u128,
    /// The shortest and the longest time.
    pub extremes: Option<(u64, u64)>,
}

/// Operations of a thread in a class of collective operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberSums {
    /// Operations in which it sends.
    pub sent: u64,
    /// Operations in which it receives.
    pub received: u64,
    /// Bytes sent.
    pub bytes_sent: u128,
    /// Bytes received.
    pub bytes_received: u128,
    /// The time of those in which it sends.
    pub time: u128,
}

/// Senders and receivers of a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum CollectiveClass {
    /// No member sends anything.
    Barrier,
    /// One to all.
    OneToAll,
    /// All to one.
    AllToOne,
    /// All to all.
    AllToAll,
}

impl CollectiveClass {
    /// That of an operation; `None`: it only makes or frees something.
    pub fn of(operation: CollectiveOp) -> Option<CollectiveClass> {
        Some(match operation {
            CollectiveOp::Barrier => CollectiveClass::Barrier,
            CollectiveOp::Bcast | CollectiveOp::Scatter | CollectiveOp::Scatterv => {
                CollectiveClass::OneToAll
            }
            CollectiveOp::Gather | CollectiveOp::Gatherv | CollectiveOp::Reduce => {
                CollectiveClass::AllToOne
            }
            CollectiveOp::Allgather
            | CollectiveOp::Allgatherv
            | CollectiveOp::Alltoall
            | CollectiveOp::Alltoallv
            | CollectiveOp::Alltoallw
            | CollectiveOp::Allreduce
            | CollectiveOp::ReduceScatter
            | CollectiveOp::ReduceScatterBlock
            | CollectiveOp::Scan
            | CollectiveOp::Exscan => CollectiveClass::AllToAll,
            _ => return None,
        })
    }
}

impl Growth {
    /// From one value to another.
    pub fn between(from: TypedValue, to: TypedValue) -> Growth {
        match to.value_type {
            Type::Float => {
                let value = |of: TypedValue| f64::from(f32::from_bits(of.bits as u32));
                Growth { whole: 0, real: value(to) - value(from) }
            }
            Type::Double => {
                let value = |of: TypedValue| f64::from_bits(of.bits);
                Growth { whole: 0, real: value(to) - value(from) }
            }
            Type::Int8 | Type::Int16 | Type::Int32 | Type::Int64 => {
                let value = |of: TypedValue| i128::from(of.bits as i64);
                Growth { whole: value(to) - value(from), real: 0.0 }
            }
            _ => Growth { whole: i128::from(to.bits) - i128::from(from.bits), real: 0.0 },
        }
    }

    /// Both together.
    pub fn plus(self, other: Growth) -> Growth {
        Growth { whole: self.whole.saturating_add(other.whole), real: self.real + other.real }
    }

    /// This one without the other.
    pub fn minus(self, other: Growth) -> Growth {
        Growth { whole: self.whole.saturating_sub(other.whole), real: self.real - other.real }
    }

    /// As a number.
    pub fn value(self) -> f64 {
        self.whole as f64 + self.real
    }
}

impl SizeSums {
    /// Adds a message, and how long it took, where that is known.
    pub fn add(&mut self, time: Option<u64>) {
        self.count += 1;
        let Some(time) = time else { return };
        self.timed += 1;
        self.time += u128::from(time);
        let (least, most) = self.extremes.unwrap_or((time, time));
        self.extremes = Some((least.min(time), most.max(time)));
    }

    fn fold(&mut self, other: SizeSums) {
        self.count += other.count;
        self.timed += other.timed;
        self.time += other.time;
        self.extremes = match (self.extremes, other.extremes) {
            (Some((least, most)), Some((less, more))) => Some((least.min(less), most.max(more))),
            (one, another) => one.or(another),
        };
    }
}

impl ProcessSums {
    /// Both together: each thread is in one of them.
    pub fn fold(mut self, mut other: ProcessSums) -> ProcessSums {
        self.regions.append(&mut other.regions);
        self.counters.append(&mut other.counters);
        self.messages.append(&mut other.messages);
        self.sent.append(&mut other.sent);
        self.collectives.append(&mut other.collectives);
        for (size, sums) in other.sizes {
            self.sizes.entry(size).or_default().fold(sums);
        }
        self.unmatched += other.unmatched;
        self
    }
}
