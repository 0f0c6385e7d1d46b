//! Launches: how long a kernel waits from the call that launches it to its begin.
//!
//! A call of a thread and the kernel that it launches have the same number within their process, in an attribute of
//! their enters. The thread may be any one of the process that uses the accelerator. Of several calls with a number the
//! last one before the kernel counts.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::enums::LocationGroupType;
use streamfold_model::ids::{AttributeRef, LocationGroupRef, LocationRef, RegionRef};
use streamfold_model::store::Definitions;
use streamfold_model::stream::EventHead;

use crate::account::Role;
use crate::matching::coding::{put, put_change, take, take_change};
use crate::matching::{Item, Items, Key, Order, Sink, Source};

/// The attributes with the numbers of launches. The call of a kernel with the second one alone is the operation of a
/// framework, or a call in that.
const NUMBERED_BY: [&[u8]; 2] = [b"correlation", b"external id"];

/// Numbers of a key, which follow each other: as a rule they are used one after the other.
const NUMBERS: u64 = 1 << 10;

/// Delays of launches, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchDelay {
    /// Kernels of which the launch is known.
    pub count: u64,
    /// From the enters of these calls to the begins of kernels, added up.
    pub ticks: u128,
    /// The longest.
    pub longest: u64,
}

impl LaunchDelay {
    /// Adds others.
    pub fn add(&mut self, other: LaunchDelay) {
        self.count += other.count;
        self.ticks += other.ticks;
        self.longest = self.longest.max(other.longest);
    }
}

/// Numbers of launches in a trace, and the destination of calls and kernels with them.
pub struct Launches<'k> {
    pub(super) sink: &'k dyn Sink,
    numbers: LaunchNumbers,
    hosts: Hosts,
}

/// The attributes with the numbers of launches, as far as a trace has them.
#[derive(Clone, Debug)]
pub(super) struct LaunchNumbers(Vec<(AttributeRef, u32)>);

impl LaunchNumbers {
    /// Those of a trace.
    pub(super) fn new(definitions: &Definitions) -> Self {
        let kind = |name| {
            let name = definitions.string(name)?;
            NUMBERED_BY.into_iter().zip(0..).find(|(known, _)| name == known)
        };
        let all = definitions.attributes.values();
        LaunchNumbers(all.filter_map(|of| Some((of.id, kind(of.name)?.1))).collect())
    }

    /// The number of an enter, and of which attribute it is.
    pub(super) fn of(&self, head: &EventHead<'_>) -> Option<(u32, u64)> {
        let known = |of| self.0.iter().find(|(attribute, _)| *attribute == of);
        let mut entries = head.attributes.iter();
        entries.find_map(|of| Some((known(of.attribute)?.1, of.value.bits)))
    }
}

/// The process of each thread, and that which uses each stream.
pub(crate) type Hosts = HashMap<LocationRef, LocationGroupRef, RandomState>;

/// Those of a trace.
pub(crate) fn hosts(definitions: &Definitions) -> Hosts {
    let host = |location: LocationRef, group: LocationGroupRef| {
        let known = definitions.location_groups.get(&group);
        let is_device = |kind| kind == LocationGroupType::Accelerator;
        match known.filter(|known| is_device(known.location_group_type)) {
            Some(device) if Role::is_stream(definitions, location) => {
                device.creating_location_group
            }
            _ => group,
        }
    };
    definitions.locations.values().map(|of| (of.id, host(of.id, of.location_group))).collect()
}

impl std::fmt::Debug for Launches<'_> {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Launches").field("numbers", &self.numbers).finish_non_exhaustive()
    }
}

impl<'k> Launches<'k> {
    /// Those of a trace, for a sink; `None`: no call says what it launches.
    pub fn new(definitions: &Definitions, sink: &'k dyn Sink) -> Option<Self> {
        let numbers = LaunchNumbers::new(definitions);
        let has_numbers = !numbers.0.is_empty();
        has_numbers.then(|| Launches { sink, numbers, hosts: hosts(definitions) })
    }

    /// The number of an enter, with its key.
    pub(super) fn number(&self, head: &EventHead<'_>) -> Option<(Key, u64)> {
        let (kind, number) = self.numbers.of(head)?;
        let host = self.hosts.get(&head.location)?;
        let of = number / NUMBERS;
        Some((Key([host.0, of as u32, (of >> 32) as u32, kind]), number))
    }
}

/// The enter of a call or of a kernel, with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) order: Order,
    pub(super) number: u64,
    /// `None`: it is a call.
    pub(super) kernel: Option<RegionRef>,
}

impl Item for Start {
    fn order(&self) -> Order {
        self.order
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        let from = before.map_or((0, 0, 0), |of| (of.order.time, of.order.number, of.number));
        put_change(self.order.time, from.0, bytes);
        put_change(self.order.number, from.1, bytes);
        put_change(self.number, from.2, bytes);
        put(self.kernel.map_or(0, |region| u64::from(region.0) + 1), bytes);
    }

    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let from = before.map_or((0, 0, 0), |of| (of.order.time, of.order.number, of.number));
        let time = take_change(from.0, bytes)?;
        let order = Order { time, location, number: take_change(from.1, bytes)? };
        let number = take_change(from.2, bytes)?;
        let kernel = take(bytes)?.checked_sub(1).map(|region| RegionRef(region as u32));
        Some(Start { order, number, kernel })
    }
}

/// Delays by kernel: calls come before the kernels that they launch.
///
/// # Errors
///
/// Those of the source.
pub fn delays<S: Source>(source: S) -> Result<BTreeMap<RegionRef, LaunchDelay>, S::Error> {
    let mut items = Items::<S, Start>::new(source)?;
    let mut found: BTreeMap<RegionRef, LaunchDelay> = BTreeMap::new();
    let mut launched: HashMap<u64, u64, RandomState> = HashMap::default();
    while let Some(key) = items.key() {
        launched.clear();
        while let Some(Start { order, number, kernel }) = items.next(key)? {
            let Some(region) = kernel else {
                launched.insert(number, order.time);
                continue;
            };
            let Some(launch) = launched.get(&number) else { continue };
            let ticks = order.time.saturating_sub(*launch);
            let delay = LaunchDelay { count: 1, ticks: ticks.into(), longest: ticks };
            found.entry(region).or_default().add(delay);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn starts_are_read_as_they_were_written(
            all in proptest::collection::vec(any::<(u64, u64, u64, Option<u32>)>(), 1..20),
        ) {
            let location = LocationRef(3);
            let start = |(time, event, number, kernel): &(u64, u64, u64, Option<u32>)| Start {
                order: Order { time: *time, location, number: *event },
                number: *number,
                kernel: kernel.map(RegionRef),
            };
            let all: Vec<Start> = all.iter().map(start).collect();
            let (mut bytes, mut before) = (Vec::new(), None);
            for start in &all {
                start.put(before, &mut bytes);
                before = Some(start);
            }
            let (mut rest, mut found) = (&bytes[..], Vec::new());
            while !rest.is_empty() {
                found.push(Start::take(found.last(), location, &mut rest).expect("a start"));
            }
            prop_assert_eq!(found, all);
        }
    }
}
