//! Messages whose partner is not in the result.
//!
//! A message that stays is looked at by who sends it to whom, over which communicator, with which tag.
//! Where a process was cut away, all messages with it are alone. Of others, those that were sent more
//! often than received, or the other way round, are alone; more may be, where a window of time has cut
//! as many at its begin as at its end.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::definitions::Group;
use streamfold_model::enums::{GroupFlag, GroupType};
use streamfold_model::events::Event;
use streamfold_model::ids::{CommRef, GroupRef, LocationGroupRef, LocationRef};
use streamfold_model::store::{CommLocations, Communicator, Definitions};

use super::ledger::Ledger;

/// A process: the group of its locations or, where that is not defined, a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Process {
    Group(LocationGroupRef),
    Location(LocationRef),
}

/// Over which communicator, from whom, to whom, with which tag.
pub(super) type Channel = (u32, Process, Process, u32);

/// Of so many of one location.
const MOST_OF_LOCATION: usize = 1 << 14;
/// Messages that are alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alone {
    /// Sent to processes that were cut away.
    pub sent_away: u64,
    /// Received from processes that were cut away.
    pub received_away: u64,
    /// Sent, and not received in the result.
    pub sent: u64,
    /// Received, and not sent in the result.
    pub received: u64,
    /// Sent or received over what nobody defines, or with a rank that nobody has.
    pub unknown: u64,
    /// Whether there may be more.
    pub at_least: bool,
}

impl Alone {
    /// All of both.
    #[must_use]
    pub fn fold(self, other: Alone) -> Alone {
        Alone {
            sent_away: self.sent_away + other.sent_away,
            received_away: self.received_away + other.received_away,
            sent: self.sent + other.sent,
            received: self.received + other.received,
            unknown: self.unknown + other.unknown,
            at_least: self.at_least || other.at_least,
        }
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.sent_away + self.received_away + self.sent + self.received + self.unknown
    }
}

/// Who belongs to which communicator.
#[derive(Debug)]
pub(super) struct Partners<'a> {
    definitions: &'a Definitions,
    comm_locations: CommLocations,
    /// The processes of which something stays.
    stay: HashSet<Process, RandomState>,
    /// The processes in the first groups of communicators between two, once somebody asks.
    sides: HashMap<GroupRef, OnceLock<HashSet<Process, RandomState>>, RandomState>,
}

/// Where partners are looked for.
#[derive(Clone, Copy, Debug)]
enum Side {
    Own,
    Group(GroupRef),
}

impl<'a> Partners<'a> {
    pub fn new(definitions: &'a Definitions, chosen: impl Iterator<Item = LocationRef>) -> Self {
        let comm_locations = definitions.comm_locations();
        let first = |comm: &Communicator| match comm {
            Communicator::Comm(_) => None,
            Communicator::InterComm(comm) => Some((comm.group_a, OnceLock::new())),
        };
        let sides = definitions.comms.values().filter_map(first).collect();
        let stay = HashSet::default();
        let mut partners = Partners { definitions, comm_locations, stay, sides };
        partners.stay = chosen.map(|location| partners.process(location)).collect();
        partners
    }

    fn process(&self, location: LocationRef) -> Process {
        let group = self.definitions.locations.get(&location).map(|found| found.location_group);
        match group.filter(|group| self.definitions.location_groups.contains_key(group)) {
            Some(group) => Process::Group(group),
            None => Process::Location(location),
        }
    }

    /// The location that has a rank in events, in a communicator of this group.
    fn location(&self, group: GroupRef, rank: u64) -> Option<LocationRef> {
        let group = self.definitions.groups.get(&group)?;
        let is_global = group.group_flags.contains(GroupFlag::GLOBAL_MEMBERS);
        match is_global && group.group_type == GroupType::CommGroup {
            true => self.listed(group, rank),
            false => self.member(group, rank),
        }
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

    /// The side of a communicator on which the partners of a process are.
    fn side(&self, comm: CommRef, own: Process) -> Option<Side> {
        match self.definitions.comms.get(&comm)? {
            Communicator::Comm(comm) => {
                let group = self.definitions.groups.get(&comm.group)?;
                Some(match group.group_type {
                    GroupType::CommSelf => Side::Own,
                    _ => Side::Group(comm.group),
                })
            }
            Communicator::InterComm(comm) => {
                let in_a = self.members(comm.group_a)?.contains(&own);
                Some(Side::Group(if in_a { comm.group_b } else { comm.group_a }))
            }
        }
    }

    /// The processes in the first group of a communicator between two: looked for once, not by every
    /// location.
    fn members(&self, group: GroupRef) -> Option<&HashSet<Process, RandomState>> {
        let side = self.sides.get(&group)?;
        let group = self.definitions.groups.get(&group)?;
        let members = || {
            let places = 0..group.members.len() as u64;
            let locations = places.filter_map(|place| self.member(group, place));
            locations.map(|location| self.process(location)).collect()
        };
        Some(side.get_or_init(members))
    }
}

/// The messages of one location.
pub(super) struct Messages<'a> {
    partners: &'a Partners<'a>,
    all: &'a Ledger,
    own: Process,
    sides: HashMap<CommRef, Option<Side>, RandomState>,
    balances: HashMap<Channel, i64, RandomState>,
    alone: Alone,
}

impl<'a> Messages<'a> {
    pub fn new(partners: &'a Partners<'a>, all: &'a Ledger, location: LocationRef) -> Self {
        let (own, alone) = (partners.process(location), Alone::default());
        let (sides, balances) = (HashMap::default(), HashMap::default());
        Messages { partners, all, own, sides, balances, alone }
    }

    /// An event stays. Its communicator has this number in the trace.
    #[inline]
    pub fn take(&mut self, event: &Event<'_>, global: impl Fn(CommRef) -> CommRef) {
        match event {
            Event::MpiSend(e) => self.message(global(e.communicator), e.receiver, e.msg_tag, true),
            Event::MpiIsend(e) => self.message(global(e.communicator), e.receiver, e.msg_tag, true),
            Event::MpiRecv(e) => self.message(global(e.communicator), e.sender, e.msg_tag, false),
            Event::MpiIrecv(e) => self.message(global(e.communicator), e.sender, e.msg_tag, false),
            _ => {}
        }
    }

    fn message(&mut self, comm: CommRef, rank: u32, tag: u32, sent: bool) {
        let (partners, own) = (self.partners, self.own);
        let side = match self.sides.get(&comm) {
            Some(side) => *side,
            None => {
                let side = partners.side(comm, own);
                // Numbers that nobody defines are not remembered.
                if side.is_some() {
                    self.sides.insert(comm, side);
                }
                side
            }
        };
        let partner = match side {
            Some(Side::Own) => Some(own),
            Some(Side::Group(group)) => {
                partners.location(group, rank.into()).map(|location| partners.process(location))
            }
            None => None,
        };
        let Some(partner) = partner else {
            self.alone.unknown += 1;
            return;
        };
        if !partners.stay.contains(&partner) {
            *if sent { &mut self.alone.sent_away } else { &mut self.alone.received_away } += 1;
            return;
        }
        let (from, to) = if sent { (own, partner) } else { (partner, own) };
        let balance = self.balances.entry((comm.0, from, to, tag)).or_default();
        *balance += if sent { 1 } else { -1 };
        if self.balances.len() >= MOST_OF_LOCATION {
            self.all.take(self.balances.drain());
        }
    }

    /// The location is at its end. Returns what it knows to be alone.
    pub fn end(mut self) -> Alone {
        self.all.take(self.balances.drain());
        self.alone
    }
}

#[cfg(test)]
mod tests {
    use streamfold_model::definitions::{Definition, InterComm, Location, LocationGroup};
    use streamfold_model::enums::{CommFlag, LocationGroupType, LocationType, Paradigm};
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

    /// Whoever looks for each of them among all of one side needs hours.
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
        let partners = Partners::new(&definitions, std::iter::empty());
        for number in 0..MANY {
            let own = partners.process(LocationRef(number.into()));
            let Some(Side::Group(side)) = partners.side(CommRef(0), own) else { panic!("a side") };
            assert_eq!(side, GroupRef(if number % 2 == 0 { 2 } else { 1 }));
        }
    }
}
