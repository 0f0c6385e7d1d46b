//! Processes of the ranks of a communicator.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use foldhash::fast::RandomState;
use streamfold_model::definitions::{Group, Location, LocationGroup};
use streamfold_model::enums::{GroupFlag, GroupType, Paradigm, SystemTreeDomain};
use streamfold_model::ids::{
    CommRef, GroupRef, LocationGroupRef, LocationRef, RmaWinRef, SystemTreeNodeRef,
};
use streamfold_model::store::{CommLocations, Communicator, Definitions};

use super::recurring::Recurring;

/// A process by its number, from 0: those that have a location group in the order of these, then the
/// locations that are processes of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Process(pub u32);

/// The processes of a trace.
///
/// The locations of a location group are one process, unless a list of ranks names several of them: then
/// each of these is a process. A location without a group is one, too.
#[derive(Debug)]
pub struct Processes {
    of: HashMap<LocationRef, Process, RandomState>,
    groups: u32,
    alone: Vec<LocationRef>,
    /// The node of each process.
    nodes: Vec<SystemTreeNodeRef>,
    /// Those with more than one location.
    shared: HashSet<Process, RandomState>,
}

impl Processes {
    /// All that have locations or location groups.
    pub fn new(definitions: &Definitions) -> Self {
        let ranks = ranks_of_shared_groups(definitions);
        let groups = definitions.location_groups.len() as u32;
        let shared_nodes = nodes_of(definitions);
        let node =
            |group: &LocationGroup| node_of(definitions, &shared_nodes, group.system_tree_parent);
        let mut nodes: Vec<_> = definitions.location_groups.values().map(node).collect();
        let mut alone = Vec::new();
        let mut process = |location: &Location| {
            let known = definitions.location_groups.get_full(&location.location_group);
            let process = match known {
                Some((index, ..)) if !ranks.contains(&location.id) => index as u32,
                known => {
                    alone.push(location.id);
                    nodes.push(
                        known.map_or(SystemTreeNodeRef::UNDEFINED, |(.., group)| node(group)),
                    );
                    groups + (alone.len() - 1) as u32
                }
            };
            (location.id, Process(process))
        };
        let locations = definitions.locations.values();
        let of: HashMap<_, _, _> = locations.map(&mut process).collect();
        let mut seen: HashSet<Process, RandomState> = HashSet::default();
        let shared = of.values().copied().filter(|process| !seen.insert(*process)).collect();
        Processes { of, groups, alone, nodes, shared }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.groups as usize + self.alone.len()
    }

    /// Returns the process of a location; `None` if the location is undefined.
    pub fn of(&self, location: LocationRef) -> Option<Process> {
        self.of.get(&location).copied()
    }

    /// Tells whether a process has more than one location.
    pub fn is_shared(&self, process: Process) -> bool {
        self.shared.contains(&process)
    }

    /// Tells whether any process has more than one location.
    pub fn any_is_shared(&self) -> bool {
        !self.shared.is_empty()
    }

    /// The machine whose clock it has, as far as the system tree says that: the nearest node above it
    /// that shares memory, else the one right above it; undefined where there is none.
    pub fn node(&self, process: Process) -> SystemTreeNodeRef {
        self.nodes.get(process.0 as usize).copied().unwrap_or(SystemTreeNodeRef::UNDEFINED)
    }

    /// Its location group, else its only location, which is a process of its own.
    pub fn identity(
        &self,
        process: Process,
        definitions: &Definitions,
    ) -> Result<LocationGroupRef, LocationRef> {
        match definitions.location_groups.get_index(process.0 as usize) {
            Some((group, _)) => Ok(*group),
            None => Err(self.alone[(process.0 - self.groups) as usize]),
        }
    }
}

/// The locations that are ranks beside other ranks in one location group: converters write all ranks of a
/// program into one. Lists of paradigms whose members are threads say nothing of that.
pub(super) fn ranks_of_shared_groups(
    definitions: &Definitions,
) -> HashSet<LocationRef, RandomState> {
    let mut found = HashSet::default();
    let lists = definitions.comm_locations();
    let are_processes = [Paradigm::Mpi, Paradigm::Shmem, Paradigm::Gaspi, Paradigm::Upc];
    for list in are_processes.iter().filter_map(|it| definitions.location_list(&lists, *it)) {
        let mut listed: HashMap<LocationGroupRef, Vec<LocationRef>, RandomState> =
            HashMap::default();
        let members: HashSet<u64, RandomState> = list.members.iter().copied().collect();
        for location in members.into_iter().map(LocationRef) {
            if let Some(location) = definitions.locations.get(&location) {
                listed.entry(location.location_group).or_default().push(location.id);
            }
        }
        found.extend(listed.into_values().filter(|ranks| ranks.len() > 1).flatten());
    }
    found
}

/// The nodes that share memory.
fn nodes_of(definitions: &Definitions) -> HashSet<SystemTreeNodeRef, RandomState> {
    let domains = definitions.system_tree_node_domains.iter();
    let shared = domains.filter(|d| d.system_tree_domain == SystemTreeDomain::SharedMemory);
    shared.map(|domain| domain.system_tree_node).collect()
}

/// The nearest of these nodes at or above one, else that one.
fn node_of(
    definitions: &Definitions,
    shared: &HashSet<SystemTreeNodeRef, RandomState>,
    begin: SystemTreeNodeRef,
) -> SystemTreeNodeRef {
    let mut node = begin;
    // A tree that bites its tail has no more levels than nodes.
    for _ in 0..definitions.system_tree_nodes.len().min(MOST_LEVELS) {
        if shared.contains(&node) {
            return node;
        }
        let Some(found) = definitions.system_tree_nodes.get(&node) else { break };
        node = found.parent;
    }
    begin
}

/// No machine has more levels.
const MOST_LEVELS: usize = 64;

/// Members of the communicators of a trace.
#[derive(Debug)]
pub struct Partners<'d> {
    definitions: &'d Definitions,
    processes: &'d Processes,
    comm_locations: CommLocations,
    /// The processes in the first groups of communicators between two, once somebody asks.
    sides: HashMap<GroupRef, OnceLock<HashSet<Process, RandomState>>, RandomState>,
}

/// Group in which the partners of a process are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// It has no other than itself.
    Own,
    /// In this group.
    Group(GroupRef),
}

impl<'d> Partners<'d> {
    /// Of a trace.
    pub fn new(definitions: &'d Definitions, processes: &'d Processes) -> Self {
        let first = |comm: &Communicator| match comm {
            Communicator::Comm(_) => None,
            Communicator::InterComm(comm) => Some((comm.group_a, OnceLock::new())),
        };
        let sides = definitions.comms.values().filter_map(first).collect();
        let comm_locations = definitions.comm_locations();
        Partners { definitions, processes, comm_locations, sides }
    }

    /// How many processes there are.
    pub fn processes(&self) -> usize {
        self.processes.count()
    }

    /// A communicator, if anybody defines it, else none.
    pub fn known(&self, comm: CommRef) -> CommRef {
        let known = self.definitions.comms.contains_key(&comm);
        if known {
            comm
        } else {
            CommRef::UNDEFINED
        }
    }

    /// Tells whether each side of a communicator is a group of its own.
    pub fn has_two_groups(&self, comm: CommRef) -> bool {
        matches!(self.definitions.comms.get(&comm), Some(Communicator::InterComm(_)))
    }

    /// Tells whether the members of a communicator are threads, each for itself.
    pub fn is_of_threads(&self, comm: CommRef) -> bool {
        let Some(Communicator::Comm(comm)) = self.definitions.comms.get(&comm) else {
            return false;
        };
        let group = self.definitions.groups.get(&comm.group);
        group.is_some_and(|group| group.paradigm == Paradigm::Openmp)
    }

    /// The groups of a communicator: one, or two, or none where only one process is in it.
    pub(crate) fn groups(&self, comm: CommRef) -> impl Iterator<Item = GroupRef> {
        let groups = match self.definitions.comms.get(&comm) {
            Some(Communicator::Comm(comm)) => {
                let group = self.definitions.groups.get(&comm.group);
                [group.filter(|of| of.group_type != GroupType::CommSelf).map(|of| of.id), None]
            }
            Some(Communicator::InterComm(comm)) => [Some(comm.group_a), Some(comm.group_b)],
            None => [None; 2],
        };
        groups.into_iter().flatten()
    }

    /// Returns the number of processes in the collective operations of a communicator; `None` if it is undefined.
    pub fn size(&self, comm: CommRef) -> Option<u64> {
        let size = |group: GroupRef| {
            let group = self.definitions.groups.get(&group)?;
            Some(match group.group_type {
                GroupType::CommSelf => 1,
                _ => group.members.len() as u64,
            })
        };
        match self.definitions.comms.get(&comm)? {
            Communicator::Comm(comm) => size(comm.group),
            Communicator::InterComm(comm) => Some(size(comm.group_a)? + size(comm.group_b)?),
        }
    }

    /// Returns the communicator of a window; `None` if the window is undefined.
    pub fn comm_of(&self, win: RmaWinRef) -> Option<CommRef> {
        self.definitions.rma_wins.get(&win).map(|win| win.comm)
    }

    /// Returns the number of these processes that `among` accepts; `None` if the communicator is undefined.
    pub fn size_among(&self, comm: CommRef, among: impl Fn(Process) -> bool) -> Option<u64> {
        let size = |group: GroupRef| {
            let group = self.definitions.groups.get(&group)?;
            if group.group_type == GroupType::CommSelf {
                return Some(1);
            }
            let places = 0..group.members.len() as u64;
            let processes = places.filter_map(|place| self.member(group, place));
            let processes = processes.filter_map(|location| self.processes.of(location));
            Some(processes.filter(|process| among(*process)).count() as u64)
        };
        match self.definitions.comms.get(&comm)? {
            Communicator::Comm(comm) => size(comm.group),
            Communicator::InterComm(comm) => Some(size(comm.group_a)? + size(comm.group_b)?),
        }
    }

    /// The side of a communicator on which the partners of a process are; `None` where nobody
    /// defines that.
    pub fn side(&self, comm: CommRef, own: Process) -> Option<Side> {
        match self.definitions.comms.get(&comm)? {
            Communicator::Comm(comm) => {
                let group = self.definitions.groups.get(&comm.group)?;
                Some(match group.group_type {
                    GroupType::CommSelf => Side::Own,
                    _ => Side::Group(comm.group),
                })
            }
            Communicator::InterComm(comm) => {
                let in_a = self.first_side(comm.group_a)?.contains(&own);
                Some(Side::Group(if in_a { comm.group_b } else { comm.group_a }))
            }
        }
    }

    /// The process that has a rank on a side; `None` where nobody has it.
    pub fn process(&self, side: Side, own: Process, rank: u32) -> Option<Process> {
        match side {
            Side::Own => Some(own),
            Side::Group(group) => {
                let location = self.location(group, rank.into())?;
                self.processes.of(location)
            }
        }
    }

    /// The location that has a rank in events, in a communicator of this group; `None` where nobody
    /// has it.
    pub fn location(&self, group: GroupRef, rank: u64) -> Option<LocationRef> {
        let group = self.definitions.groups.get(&group)?;
        let is_global = group.group_flags.contains(GroupFlag::GLOBAL_MEMBERS);
        match is_global && group.group_type == GroupType::CommGroup {
            true => self.listed(group, rank),
            false => self.member(group, rank),
        }
    }

    /// Tells whether a group is defined.
    pub fn has_group(&self, group: GroupRef) -> bool {
        self.definitions.groups.contains_key(&group)
    }

    /// Returns the number of members of a group, also undefined ones; 0 if the group is undefined.
    pub fn members_of(&self, group: GroupRef) -> usize {
        self.definitions.groups.get(&group).map_or(0, |group| group.members.len())
    }

    /// The processes that have the ranks of a group.
    pub fn members(&self, group: GroupRef) -> impl Iterator<Item = Process> + '_ {
        let size = self.members_of(group);
        let locations = (0..size as u64).filter_map(move |rank| self.location(group, rank));
        locations.filter_map(|location| self.processes.of(location))
    }

    /// A member of a group by its place there.
    fn member(&self, group: &Group, place: u64) -> Option<LocationRef> {
        let member = *group.members.get(usize::try_from(place).ok()?)?;
        match group.group_type {
            GroupType::CommGroup => self.listed(group, member),
            _ => Some(LocationRef(member)),
        }
    }

    /// A location by its place among all that communicate by the paradigm of a group.
    fn listed(&self, group: &Group, place: u64) -> Option<LocationRef> {
        let list = self.definitions.location_list(&self.comm_locations, group.paradigm)?;
        list.members.get(usize::try_from(place).ok()?).copied().map(LocationRef)
    }

    /// The processes in the first group of a communicator between two: looked for once, not by every
    /// location.
    fn first_side(&self, group: GroupRef) -> Option<&HashSet<Process, RandomState>> {
        let side = self.sides.get(&group)?;
        let group = self.definitions.groups.get(&group)?;
        let members = || {
            let places = 0..group.members.len() as u64;
            let locations = places.filter_map(|place| self.member(group, place));
            locations.filter_map(|location| self.processes.of(location)).collect()
        };
        Some(side.get_or_init(members))
    }
}

/// The partners of one location after another, each looked up once.
#[derive(Debug, Default)]
pub(crate) struct PartnerCache {
    of: Recurring<(CommRef, u32)>,
    found: Vec<Process>,
}

impl PartnerCache {
    /// The process that has a rank for a process; `None` where nobody defines that.
    pub(crate) fn find(
        &mut self,
        partners: &Partners<'_>,
        own: Option<Process>,
        comm: CommRef,
        rank: u32,
    ) -> Option<Process> {
        if let Some(place) = self.of.find(&(comm, rank)) {
            return Some(self.found[place]);
        }
        let own = own?;
        let side = partners.side(comm, own)?;
        let partner = partners.process(side, own, rank)?;
        // If a process is alone, any number is its rank.
        if side != Side::Own {
            self.of.add((comm, rank));
            self.found.push(partner);
        }
        Some(partner)
    }

    /// Another location follows.
    pub(crate) fn clear(&mut self) {
        self.of.clear();
        self.found.clear();
    }
}

#[cfg(test)]
mod tests {
    use streamfold_model::definitions::{Comm, Definition, InterComm};
    use streamfold_model::enums::{CommFlag, LocationGroupType, LocationType};
    use streamfold_model::ids::{StringRef, SystemTreeNodeRef};

    use super::*;

    fn process(number: u32) -> [Definition; 2] {
        let group = LocationGroup {
            id: LocationGroupRef(number),
            name: StringRef(0),
            location_group_type: LocationGroupType::Process,
            system_tree_parent: SystemTreeNodeRef(0),
            creating_location_group: LocationGroupRef(u32::MAX),
        };
        let location = Location {
            id: LocationRef(number.into()),
            name: StringRef(0),
            location_type: LocationType::CpuThread,
            number_of_events: 0,
            location_group: LocationGroupRef(number),
        };
        [Definition::LocationGroup(group), Definition::Location(location)]
    }

    fn group(id: u32, group_type: GroupType, members: impl Iterator<Item = u32>) -> Definition {
        Definition::Group(Group {
            id: GroupRef(id),
            name: StringRef(0),
            group_type,
            paradigm: Paradigm::Mpi,
            group_flags: GroupFlag::NONE,
            members: members.map(u64::from).collect(),
        })
    }

    /// Any number is the rank of a process that is alone: whoever remembers them all remembers as many as are written.
    #[test]
    fn ranks_of_those_who_are_alone_are_not_remembered() {
        let mut definitions = Definitions::default();
        (0..2).flat_map(process).for_each(|definition| definitions.insert(definition));
        definitions.insert(group(0, GroupType::CommLocations, 0..2));
        definitions.insert(group(1, GroupType::CommGroup, 0..2));
        definitions.insert(group(2, GroupType::CommSelf, std::iter::empty()));
        for (comm, group) in [(0, 1), (1, 2)] {
            definitions.insert(Definition::Comm(Comm {
                id: CommRef(comm),
                name: StringRef(0),
                group: GroupRef(group),
                parent: CommRef(u32::MAX),
                flags: CommFlag::NONE,
            }));
        }
        let processes = Processes::new(&definitions);
        let partners = Partners::new(&definitions, &processes);
        let (mut cache, own) = (PartnerCache::default(), Process(1));
        let mut find = |comm, rank| cache.find(&partners, Some(own), CommRef(comm), rank);
        for rank in 0..1000 {
            assert_eq!(find(1, rank), Some(own));
            let of_two = (rank < 2).then_some(Process(rank));
            assert_eq!([find(0, rank), find(0, rank)], [of_two; 2]);
            assert_eq!(find(7, rank), None);
        }
        assert_eq!(cache.found, [Process(0), Process(1)]);
    }

    /// A linear search in one side for each process would take hours.
    #[test]
    fn the_sides_of_many_processes_are_found_soon() {
        const MANY: u32 = 200_000;
        let mut definitions = Definitions::default();
        (0..MANY).flat_map(process).for_each(|definition| definitions.insert(definition));
        let (even, odd) = ((0..MANY).step_by(2), (1..MANY).step_by(2));
        definitions.insert(group(0, GroupType::CommLocations, 0..MANY));
        definitions.insert(group(1, GroupType::CommGroup, even));
        definitions.insert(group(2, GroupType::CommGroup, odd));
        definitions.insert(Definition::InterComm(InterComm {
            id: CommRef(0),
            name: StringRef(0),
            group_a: GroupRef(1),
            group_b: GroupRef(2),
            common_communicator: CommRef(u32::MAX),
            flags: CommFlag::NONE,
        }));
        let processes = Processes::new(&definitions);
        let partners = Partners::new(&definitions, &processes);
        for number in 0..MANY {
            let own = processes.of(LocationRef(number.into())).expect("a process");
            let Some(Side::Group(side)) = partners.side(CommRef(0), own) else { panic!("a side") };
            assert_eq!(side, GroupRef(if number % 2 == 0 { 2 } else { 1 }));
        }
    }
}
