//! Times in which devices are busy and their hosts compute, for [`unite`](crate::io::unite).
//!
//! A device is a location group with streams. Its host is the location group that created it; if the streams are in the
//! group of a process, that. Three pairs are compared of each device: that any of its streams is busy, and that a
//! thread of its host computes; that kernels run, and that memory is copied; where any kernel communicates, that such
//! kernels run, and that others do. The first of a pair stands as I/O.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use foldhash::fast::RandomState;
use streamfold_model::enums::LocationGroupType;
use streamfold_model::ids::{LocationGroupRef, LocationRef};
use streamfold_model::store::Definitions;

use super::{Class, Group, Role};
use crate::io::{key_of_process, Interval, State};
use crate::matching::{Lanes, Outgoing, Sink};

/// Comparison of two states of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// Busy streams and a computing host.
    WithHost,
    /// Kernels and copies.
    OfCopies,
    /// Kernels that communicate, and others.
    OfCommunication,
}

impl Overlap {
    const ALL: [Overlap; 3] = [Overlap::WithHost, Overlap::OfCopies, Overlap::OfCommunication];

    /// The device of a key of [`unite`](crate::io::unite), and what is compared of it.
    pub fn of_key(key: u32) -> (LocationGroupRef, Overlap) {
        let of = match key % 4 {
            0 => Overlap::WithHost,
            1 => Overlap::OfCopies,
            _ => Overlap::OfCommunication,
        };
        (LocationGroupRef(key / 4), of)
    }

    fn key(self, device: u32) -> u32 {
        device.wrapping_mul(4) | self as u32
    }
}

/// Devices, their hosts, and the destination of intervals.
pub struct Overlaps<'k> {
    sink: &'k dyn Sink,
    /// The devices of streams, and of threads of hosts.
    devices: HashMap<LocationRef, Arc<[u32]>, RandomState>,
}

impl std::fmt::Debug for Overlaps<'_> {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Overlaps").field("devices", &self.devices).finish_non_exhaustive()
    }
}

impl<'k> Overlaps<'k> {
    /// Those of a trace, for a sink.
    pub fn new(definitions: &Definitions, sink: &'k dyn Sink) -> Self {
        let mut devices: HashMap<LocationRef, Arc<[u32]>, RandomState> = HashMap::default();
        let mut of_hosts: BTreeMap<LocationGroupRef, BTreeSet<u32>> = BTreeMap::new();
        let with = |role| {
            let all = definitions.locations.values();
            all.filter(move |of| Role::of(definitions, of.id) == Some(role))
        };
        for stream in with(Role::Stream) {
            let device = stream.location_group;
            let group = definitions.location_groups.get(&device);
            let host = match group {
                Some(group) if group.location_group_type == LocationGroupType::Accelerator => {
                    group.creating_location_group
                }
                _ => device,
            };
            of_hosts.entry(host).or_default().insert(device.0);
            devices.insert(stream.id, Arc::from([device.0]));
        }
        let of_hosts: BTreeMap<LocationGroupRef, Arc<[u32]>> =
            of_hosts.into_iter().map(|(host, of)| (host, of.into_iter().collect())).collect();
        for thread in with(Role::Thread) {
            if let Some(of) = of_hosts.get(&thread.location_group) {
                devices.insert(thread.id, of.clone());
            }
        }
        Overlaps { sink, devices }
    }
}

/// Intervals of a worker on their way.
#[derive(Default)]
pub(super) struct Intervals<'k> {
    lanes: Lanes<Interval>,
    outgoing: Option<Outgoing<'k>>,
}

impl std::fmt::Debug for Intervals<'_> {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Intervals").finish_non_exhaustive()
    }
}

impl<'k> Intervals<'k> {
    /// None yet.
    pub(super) fn new(overlaps: Option<&Overlaps<'k>>) -> Self {
        let outgoing = overlaps.map(|overlaps| Outgoing::new(overlaps.sink));
        Intervals { lanes: Lanes::default(), outgoing }
    }

    /// No more are to come of the present location.
    pub(super) fn empty(&mut self) {
        if let Some(outgoing) = &mut self.outgoing {
            self.lanes.empty(outgoing);
        }
    }

    /// No more are to come.
    pub(super) fn hand_over(self) {
        self.outgoing.into_iter().for_each(|mut outgoing| outgoing.hand_over());
    }

    fn push(&mut self, key: u32, interval: Interval) {
        if let (Some(outgoing), true) = (&mut self.outgoing, interval.begin < interval.end) {
            self.lanes.push(key_of_process(key), interval, outgoing);
        }
    }
}

/// The intervals of a location: neighbours with the same state are one.
#[derive(Debug)]
pub(super) struct Follow {
    location: LocationRef,
    role: Role,
    devices: Arc<[u32]>,
    /// The time that counts, in ticks.
    counted: (u64, u64),
    /// For each pair the present state, and since when.
    since: [Option<(State, u64)>; 3],
    /// Set if any kernel of the trace communicates.
    has_communication: bool,
}

impl Follow {
    /// Of a location, if it belongs to a device; `counted`: the time that counts.
    pub(super) fn new(
        overlaps: &Overlaps<'_>,
        location: LocationRef,
        role: Role,
        counted: (u64, u64),
        has_communication: bool,
    ) -> Option<Self> {
        let devices = overlaps.devices.get(&location)?.clone();
        Some(Follow { location, role, devices, counted, since: [None; 3], has_communication })
    }

    /// The location is busy with this from a time on; `None`: with nothing.
    pub(super) fn go_on(&mut self, class: Option<Class>, time: u64, to: &mut Intervals<'_>) {
        let group = class.map(Class::group);
        let states = match self.role {
            Role::Stream => {
                let busy = [Group::Kernels, Group::Copies, Group::Memset];
                let is_busy = group.is_some_and(|group| busy.contains(&group));
                let of_copies = match group {
                    Some(Group::Kernels) => Some(State::Io),
                    Some(Group::Copies | Group::Memset) => Some(State::Computing),
                    _ => None,
                };
                let of_communication = match class.filter(|_| self.has_communication) {
                    Some(Class::CommunicationKernel) => Some(State::Io),
                    Some(Class::AnyKernel) => Some(State::Computing),
                    _ => None,
                };
                [is_busy.then_some(State::Io), of_copies, of_communication]
            }
            _ => [(group == Some(Group::Computation)).then_some(State::Computing), None, None],
        };
        for ((state, overlap), since) in states.into_iter().zip(Overlap::ALL).zip(&mut self.since) {
            if since.map(|(state, _)| state) == state {
                continue;
            }
            if let Some((state, begin)) = *since {
                let (begin, end) = (begin.max(self.counted.0), time.min(self.counted.1));
                for device in self.devices.iter() {
                    let interval = Interval { location: self.location, begin, end, state };
                    to.push(overlap.key(*device), interval);
                }
            }
            *since = state.map(|state| (state, time));
        }
    }
}
