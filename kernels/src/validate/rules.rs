//! Rules of the global definitions for events, in a form for fast lookup.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::enums::{GroupFlag, GroupType, Paradigm, Type};
use streamfold_model::ids::{
    CallingContextRef, CommRef, GroupRef, LocationRef, MetricRef, RegionRef,
};
use streamfold_model::store::{CommLocations, Communicator, Definitions};

use super::known::Known;
use crate::matching::{Process, Processes};

/// The global definitions of a trace, prepared.
#[derive(Debug)]
pub struct Rules<'a> {
    /// The definitions.
    pub definitions: &'a Definitions,
    /// Defined identifiers.
    pub known: Known,
    /// The processes.
    pub processes: Processes,
    comm_locations: CommLocations,
    sizes: HashMap<CommRef, u64, RandomState>,
    members: HashMap<MetricRef, Box<[Type]>, RandomState>,
}

impl<'a> Rules<'a> {
    /// Those of these definitions.
    pub fn new(definitions: &'a Definitions) -> Self {
        let comms = definitions.comms.iter();
        let comm_locations = definitions.comm_locations();
        let size = |comm| size(definitions, &comm_locations, comm);
        let sizes = comms.filter_map(|(id, comm)| Some((*id, size(comm)?))).collect();
        let metrics = definitions.metrics.keys();
        let members = metrics.filter_map(|id| Some((*id, types(definitions, *id)?)));
        let members = members.collect();
        Rules {
            definitions,
            known: Known::new(definitions.numbers()),
            processes: Processes::new(definitions),
            comm_locations,
            sizes,
            members,
        }
    }

    /// The process of a location, if it has other locations.
    pub(super) fn shared(&self, location: LocationRef) -> Option<Process> {
        self.processes.of(location).filter(|process| self.processes.is_shared(*process))
    }

    /// How many locations may communicate by a paradigm.
    pub fn comm_locations(&self, paradigm: Paradigm) -> Option<u64> {
        comm_locations(self.definitions, &self.comm_locations, paradigm)
    }

    /// How many ranks a communicator has; `None` where definitions do not say.
    #[inline]
    pub fn ranks(&self, comm: CommRef) -> Option<u64> {
        self.sizes.get(&comm).copied()
    }

    /// How many ranks the communicator of a window has.
    pub fn window_ranks(&self, window: streamfold_model::ids::RmaWinRef) -> Option<u64> {
        self.ranks(self.definitions.rma_wins.get(&window)?.comm)
    }

    /// The types of the values of a metric; `None` where definitions do not say.
    #[inline]
    pub fn metric_types(&self, metric: MetricRef) -> Option<&[Type]> {
        self.members.get(&metric).map(|types| &**types)
    }

    /// The region of a calling context.
    pub fn region_of(&self, context: CallingContextRef) -> Option<RegionRef> {
        Some(self.definitions.calling_contexts.get(&context)?.region)
    }

    /// A region, for messages.
    pub fn region(&self, region: u64) -> String {
        let name = u32::try_from(region).ok();
        let name = name.and_then(|region| self.definitions.region_name(RegionRef(region)));
        match name {
            Some(name) => format!("region {region} \"{name}\""),
            None => format!("region {region}"),
        }
    }
}

/// Of an inter-communicator the larger side: which one an event means depends on where it is.
fn size(
    definitions: &Definitions,
    of_paradigm: &CommLocations,
    comm: &Communicator,
) -> Option<u64> {
    let of = |group| group_size(definitions, of_paradigm, group);
    match comm {
        Communicator::Comm(comm) => of(comm.group),
        Communicator::InterComm(comm) => Some(of(comm.group_a)?.max(of(comm.group_b)?)),
    }
}

/// How many ranks there are to speak of in a communicator of this group.
fn group_size(
    definitions: &Definitions,
    of_paradigm: &CommLocations,
    group: GroupRef,
) -> Option<u64> {
    let group = definitions.groups.get(&group)?;
    if group.group_type == GroupType::CommSelf {
        return Some(1);
    }
    // The ranks of events are then those of all locations of the paradigm.
    if group.group_flags.contains(GroupFlag::GLOBAL_MEMBERS) {
        return comm_locations(definitions, of_paradigm, group.paradigm);
    }
    Some(group.members.len() as u64)
}

fn comm_locations(
    definitions: &Definitions,
    of_paradigm: &CommLocations,
    paradigm: Paradigm,
) -> Option<u64> {
    Some(definitions.location_list(of_paradigm, paradigm)?.members.len() as u64)
}

fn types(definitions: &Definitions, metric: MetricRef) -> Option<Box<[Type]>> {
    let class = definitions.metric_class(metric)?;
    let of = |member| Some(definitions.metric_members.get(member)?.value_type);
    class.metric_members.iter().map(of).collect()
}
