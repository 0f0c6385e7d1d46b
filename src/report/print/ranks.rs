//! Ranks of communicators, and the locations behind them.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use streamfold_model::definitions::Group;
use streamfold_model::enums::{GroupFlag, GroupType, Paradigm};
use streamfold_model::ids::*;

use super::layout::{tell, Text, Warn};

/// A group in [`Ranks::groups`].
type GroupIndex = usize;

#[derive(Debug)]
struct CommunicationGroup {
    group_type: GroupType,
    members_are_global: bool,
    members: Vec<u64>,
    /// The paradigm's group of locations, when this group was defined.
    locations: Option<GroupIndex>,
    /// The locations of its members, once it is group A of an inter-communicator.
    reached: Option<HashSet<u64, RandomState>>,
    /// Of a group of locations: whether its paradigm has a COMM_SELF group.
    has_self: bool,
}

#[derive(Debug, Default)]
struct Communicator {
    group_a: Option<GroupIndex>,
    group_b: Option<GroupIndex>,
}

/// Groups and communicators, as far as ranks need them.
///
/// Later definitions of a group do not change communicators that were defined before, so groups
/// are kept in the order of their definition.
#[derive(Debug, Default)]
pub(super) struct Ranks {
    groups: Vec<CommunicationGroup>,
    newest_group: HashMap<GroupRef, GroupIndex, RandomState>,
    locations_of: HashMap<Paradigm, GroupIndex, RandomState>,
    comms: HashMap<CommRef, Communicator, RandomState>,
    /// The communicators of windows and topologies, as far as they were defined in time.
    rma_wins: HashMap<RmaWinRef, Option<CommRef>, RandomState>,
    cart_topologies: HashMap<CartTopologyRef, Option<CommRef>, RandomState>,
}

/// Whom a rank stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RankOf {
    /// Nobody is known to have it.
    Unknown,
    /// This location.
    Location(LocationRef),
    /// All of this process.
    Process(LocationGroupRef),
}

impl Ranks {
    /// `shown` and `paradigm` are what warnings call the group and its paradigm.
    pub(super) fn define_group(
        &mut self,
        group: &Group,
        shown: &Text,
        paradigm: &Text,
        warn: &mut Warn<'_>,
    ) {
        let index = self.groups.len();
        let locations = self.locations_of.get(&group.paradigm).copied();
        self.newest_group.insert(group.id, index);
        self.groups.push(CommunicationGroup {
            group_type: group.group_type,
            members_are_global: group.group_flags.contains(GroupFlag::GLOBAL_MEMBERS),
            members: group.members.clone(),
            locations: None,
            reached: None,
            has_self: false,
        });
        let mut about_paradigm = |what: &str, between: &str, about: &Text| {
            tell(warn, |text| {
                text.push(what);
                text.push(" for paradigm ");
                text.push_text(paradigm);
                text.push(between);
                text.push_text(about);
            });
        };
        match group.group_type {
            GroupType::CommLocations | GroupType::CommLocationGroups => {
                if locations.is_some() {
                    let what = "duplicate Group(COMM_LOCATIONS)";
                    about_paradigm(what, ": ", &Text::default());
                }
                self.locations_of.insert(group.paradigm, index);
            }
            GroupType::CommGroup => {
                let Some(locations) = locations else {
                    let what = "undefined Group(COMM_LOCATIONS)";
                    about_paradigm(what, " for Group(COMM_GROUP): ", shown);
                    return;
                };
                self.groups[index].locations = Some(locations);
                let size = self.groups[locations].members.len() as u64;
                for &rank in group.members.iter().filter(|&&rank| rank >= size) {
                    tell(warn, |text| {
                        text.push("invalid rank in Group(COMM_GROUP) ");
                        text.push_text(shown);
                        text.push(": ");
                        text.id(rank);
                    });
                }
            }
            GroupType::CommSelf => {
                let Some(locations) = locations else {
                    let what = "undefined Group(COMM_LOCATIONS)";
                    about_paradigm(what, " for Group(COMM_SELF): ", shown);
                    return;
                };
                if self.groups[locations].has_self {
                    let what = "duplicate Group(COMM_SELF)";
                    about_paradigm(what, ": ", shown);
                }
                self.groups[index].locations = Some(locations);
                self.groups[locations].has_self = true;
            }
            _ => {}
        }
    }

    /// The groups among `groups` that cannot be those of a communicator.
    pub(super) fn define_comm(
        &mut self,
        id: CommRef,
        groups: (GroupRef, GroupRef),
    ) -> Vec<GroupRef> {
        let mut invalid = Vec::new();
        let mut usable = |id: GroupRef| {
            let index = self.newest_group.get(&id).copied().filter(|&index| {
                let group_type = self.groups[index].group_type;
                matches!(group_type, GroupType::CommGroup | GroupType::CommSelf)
            });
            if index.is_none() {
                invalid.push(id);
            }
            index
        };
        let group_a = usable(groups.0);
        let group_b = if groups.1.is_undefined() { None } else { usable(groups.1) };
        if let (Some(group_a), Some(_)) = (group_a, group_b) {
            if self.groups[group_a].reached.is_none() {
                self.groups[group_a].reached = Some(self.locations_in(group_a));
            }
        }
        self.comms.insert(id, Communicator { group_a, group_b });
        invalid
    }

    fn locations_in(&self, group: GroupIndex) -> HashSet<u64, RandomState> {
        let group = &self.groups[group];
        let Some(locations) = group.locations else { return HashSet::default() };
        let locations = &self.groups[locations].members;
        group.members.iter().filter_map(|&rank| at(locations, rank)).collect()
    }

    /// Takes in a window; returns whether its communicator is defined.
    pub(super) fn define_rma_win(&mut self, id: RmaWinRef, comm: CommRef) -> bool {
        let known = Some(comm).filter(|comm| self.comms.contains_key(comm));
        self.rma_wins.insert(id, known);
        known.is_some()
    }

    /// Takes in a Cartesian topology; returns whether its communicator is defined.
    pub(super) fn define_cart_topology(&mut self, id: CartTopologyRef, comm: CommRef) -> bool {
        let known = Some(comm).filter(|comm| self.comms.contains_key(comm));
        self.cart_topologies.insert(id, known);
        known.is_some()
    }

    /// The communicator of a window.
    pub(super) fn comm_of_rma_win(&self, win: RmaWinRef) -> CommRef {
        self.rma_wins.get(&win).copied().flatten().unwrap_or(CommRef::UNDEFINED)
    }

    /// The communicator of a topology.
    pub(super) fn comm_of_cart_topology(&self, topology: CartTopologyRef) -> CommRef {
        self.cart_topologies.get(&topology).copied().flatten().unwrap_or(CommRef::UNDEFINED)
    }

    /// A member of a group of this paradigm, as far as its locations are known now.
    pub(super) fn in_paradigm(&self, paradigm: Paradigm, rank: u64) -> RankOf {
        let list = self.locations_of.get(&paradigm).map(|&index| &self.groups[index]);
        list.and_then(|list| list.rank(rank)).unwrap_or(RankOf::Unknown)
    }

    /// Whom `location` means by `rank` in a communicator; in an inter-communicator that is a
    /// rank of the other group.
    #[inline]
    pub(super) fn in_comm(&self, location: LocationRef, comm: CommRef, rank: u32) -> RankOf {
        self.find(location, comm, rank).unwrap_or(RankOf::Unknown)
    }

    fn find(&self, location: LocationRef, comm: CommRef, rank: u32) -> Option<RankOf> {
        let comm = self.comms.get(&comm)?;
        let group_a = &self.groups[comm.group_a?];
        let on_side_a =
            || group_a.reached.as_ref().is_some_and(|reached| reached.contains(&location.0));
        let group = match comm.group_b {
            Some(group_b) if on_side_a() => &self.groups[group_b],
            _ => group_a,
        };
        if group.group_type == GroupType::CommSelf {
            return (rank == 0).then_some(RankOf::Location(location));
        }
        let rank = match group.members_are_global {
            true => rank.into(),
            false => at(&group.members, rank.into())?,
        };
        self.groups[group.locations?].rank(rank)
    }
}

impl CommunicationGroup {
    /// Whom a rank stands for in the list of a paradigm.
    fn rank(&self, rank: u64) -> Option<RankOf> {
        let member = at(&self.members, rank)?;
        Some(match self.group_type {
            GroupType::CommLocationGroups => {
                RankOf::Process(LocationGroupRef(u32::try_from(member).ok()?))
            }
            _ => RankOf::Location(LocationRef(member)),
        })
    }
}

fn at(list: &[u64], index: u64) -> Option<u64> {
    list.get(usize::try_from(index).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bstr::BStr;
    use streamfold_model::ids::StringRef;

    const MPI: Paradigm = Paradigm::Mpi;

    fn group(id: u32, group_type: GroupType, flags: u32, members: &[u64]) -> Group {
        Group {
            id: GroupRef(id),
            name: StringRef::UNDEFINED,
            members: members.to_vec(),
            group_type,
            paradigm: MPI,
            group_flags: GroupFlag(flags),
        }
    }

    /// Locations 10 to 14; groups of the ranks 4, 2 and of 1, 0; the group of COMM_SELF.
    fn ranks() -> Ranks {
        let mut ranks = Ranks::default();
        for group in [
            group(0, GroupType::CommLocations, 0, &[10, 11, 12, 13, 14]),
            group(1, GroupType::CommGroup, 0, &[4, 2]),
            group(2, GroupType::CommGroup, 0, &[1, 0]),
            group(3, GroupType::CommSelf, 0, &[]),
            group(4, GroupType::CommGroup, 1, &[]),
        ] {
            ranks.define_group(&group, &"group".into(), &"MPI".into(), &mut |_| panic!());
        }
        ranks
    }

    fn location(number: u64) -> RankOf {
        RankOf::Location(LocationRef(number))
    }

    const COMM: CommRef = CommRef(0);

    #[test]
    fn a_rank_is_a_member_of_the_group_of_the_communicator() {
        let mut ranks = ranks();
        let undefined = GroupRef::UNDEFINED;
        assert!(ranks.define_comm(COMM, (GroupRef(1), undefined)).is_empty());
        let find = |rank| ranks.in_comm(LocationRef(10), COMM, rank);
        assert_eq!((find(0), find(1), find(2)), (location(14), location(12), RankOf::Unknown));
        assert_eq!(ranks.in_comm(LocationRef(10), CommRef(7), 0), RankOf::Unknown);
    }

    #[test]
    fn ranks_of_global_members_are_those_of_all_locations() {
        let mut ranks = ranks();
        ranks.define_comm(COMM, (GroupRef(4), GroupRef::UNDEFINED));
        assert_eq!(ranks.in_comm(LocationRef(10), COMM, 3), location(13));
        assert_eq!(ranks.in_comm(LocationRef(10), COMM, 5), RankOf::Unknown);
    }

    #[test]
    fn oneself_is_rank_0_of_comm_self() {
        let mut ranks = ranks();
        ranks.define_comm(COMM, (GroupRef(3), GroupRef::UNDEFINED));
        assert_eq!(ranks.in_comm(LocationRef(99), COMM, 0), location(99));
        assert_eq!(ranks.in_comm(LocationRef(99), COMM, 1), RankOf::Unknown);
    }

    #[test]
    fn a_rank_of_an_inter_communicator_is_on_the_other_side() {
        let mut ranks = ranks();
        assert!(ranks.define_comm(COMM, (GroupRef(1), GroupRef(2))).is_empty());
        assert_eq!(ranks.in_comm(LocationRef(12), COMM, 0), location(11), "from side A");
        assert_eq!(ranks.in_comm(LocationRef(10), COMM, 0), location(14), "from side B");
        assert_eq!(ranks.in_comm(LocationRef(13), COMM, 0), location(14), "from no side");
    }

    #[test]
    fn only_groups_of_ranks_make_a_communicator() {
        let mut ranks = ranks();
        let (world, absent) = (GroupRef(0), GroupRef(9));
        assert_eq!(ranks.define_comm(COMM, (world, absent)), [world, absent]);
        assert_eq!(ranks.in_comm(LocationRef(10), COMM, 0), RankOf::Unknown);
        let undefined = GroupRef::UNDEFINED;
        assert_eq!(ranks.define_comm(COMM, (undefined, undefined)), [undefined]);
    }

    #[test]
    fn a_communicator_keeps_the_group_that_it_was_defined_with() {
        let mut ranks = ranks();
        ranks.define_comm(COMM, (GroupRef(1), GroupRef::UNDEFINED));
        let later = group(1, GroupType::CommGroup, 0, &[0]);
        ranks.define_group(&later, &"group".into(), &"MPI".into(), &mut |_| {});
        assert_eq!(ranks.in_comm(LocationRef(10), COMM, 0), location(14));
    }

    #[test]
    fn what_is_wrong_with_a_group_is_said() {
        let mut ranks = Ranks::default();
        let mut warnings = Vec::new();
        for group in [
            group(0, GroupType::CommGroup, 0, &[0]),
            group(1, GroupType::CommSelf, 0, &[]),
            group(2, GroupType::CommLocations, 0, &[10]),
            group(3, GroupType::CommLocations, 0, &[10, 11]),
            group(4, GroupType::CommGroup, 0, &[1, 2, u64::MAX]),
            group(5, GroupType::CommSelf, 0, &[]),
            group(6, GroupType::CommSelf, 0, &[]),
        ] {
            let shown = Text::from(format!("<{}>", group.id).as_str());
            let mut warn = |text: &BStr| warnings.push(text.to_owned());
            ranks.define_group(&group, &shown, &"MPI".into(), &mut warn);
        }
        assert_eq!(
            warnings,
            [
                "undefined Group(COMM_LOCATIONS) for paradigm MPI for Group(COMM_GROUP): <0>",
                "undefined Group(COMM_LOCATIONS) for paradigm MPI for Group(COMM_SELF): <1>",
                "duplicate Group(COMM_LOCATIONS) for paradigm MPI: ",
                "invalid rank in Group(COMM_GROUP) <4>: 2",
                "invalid rank in Group(COMM_GROUP) <4>: UNDEFINED",
                "duplicate Group(COMM_SELF) for paradigm MPI: <6>",
            ]
        );
    }
}
