//! Communicators between two groups, of which a tracer has written each side for itself. Only the
//! messages tell.

use std::collections::{BTreeMap, BTreeSet};

use streamfold_kernels::unify::sides::{pairs, Channel, Pairs, Side, Traffic};
use streamfold_kernels::unify::Record;
use streamfold_model::definitions::{Comm, Definition, Group, InterComm};
use streamfold_model::enums::{GroupFlag, GroupType, Paradigm};
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;

use super::traffic::{AllMessages, Messages};
use crate::unify::read::records;
use crate::unify::same::pool::Map;

/// Result of the search for sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Joined {
    /// How many communicators between two groups were found.
    pub count: u64,
    /// How many look like sides and fit to none well enough, or to several.
    pub left: u64,
    /// The first of these.
    pub first_left: Option<u32>,
    /// True if there was no search, since too many channels went over them.
    pub too_many: bool,
    /// True if there was no search, since parts of a trace each have some of the messages.
    pub in_parts: bool,
}

/// Records that become others, by their places among those of their file.
pub(crate) type Changed = Vec<(usize, Record)>;

/// Finds out which global communicators are sides of which, and what becomes of their records.
pub(crate) fn joined(
    messages: &AllMessages,
    may_be: &BTreeSet<u32>,
    records: &[Record],
) -> (Joined, Changed) {
    if messages.too_many {
        return (Joined { too_many: true, ..Joined::default() }, Changed::new());
    }
    let groups = Groups::of(records);
    let comms = groups.comms().filter(|comm| may_be.contains(&comm.comm.id.0));
    let comms: Vec<Known<'_>> = comms.collect();
    let sides: Vec<Side<'_>> = comms.iter().map(|comm| comm.side(messages)).collect();
    let Pairs { found, left } = pairs(&sides);
    let mut joined = Vec::new();
    for &(one, other) in &found {
        let (one, other) = (&comms[one], &comms[other]);
        joined.extend([one, other].map(|side| {
            let joined = Definition::InterComm(InterComm {
                id: side.comm.id,
                name: one.comm.name,
                group_a: one.comm.group,
                group_b: other.comm.group,
                common_communicator: one.comm.parent,
                flags: one.comm.flags,
            });
            (side.place, joined)
        }));
    }
    let joined = joined.into_iter().map(|(place, joined)| {
        // The same one twice, and not two that were made.
        let mut record = records::record(joined, 0);
        record.says_mut().made = false;
        (place, record)
    });
    let first_left = left.first().map(|place| comms[*place].comm.id.0);
    let (count, left) = (found.len() as u64, left.len() as u64);
    (Joined { count, left, first_left, ..Joined::default() }, joined.collect())
}

/// Members of a group.
struct Members {
    locations: BTreeSet<u64>,
    /// The first rank of each.
    ranks: Map<u64, u64>,
    /// The location of rank 0.
    first: Option<u64>,
}

impl Members {
    /// In the order of their ranks.
    fn new(locations: &[u64]) -> Members {
        let mut ranks = Map::default();
        for (location, rank) in locations.iter().zip(0..) {
            ranks.entry(*location).or_insert(rank);
        }
        let first = locations.first().copied();
        Members { locations: locations.iter().copied().collect(), ranks, first }
    }

    /// Returns whether they may have no member in common.
    fn may_be_apart(&self, other: &Members) -> bool {
        let lacks = |members: &Members, first: u64| !members.locations.contains(&first);
        let (Some(first), Some(other_first)) = (self.first, other.first) else { return false };
        lacks(other, first) && lacks(self, other_first)
    }
}

/// A communicator whose members are known.
struct Known<'a> {
    place: usize,
    comm: Comm,
    members: &'a Members,
}

impl Known<'_> {
    fn side(&self, messages: &AllMessages) -> Side<'_> {
        let channels = |messages: &Messages, by_sender: bool| {
            let mut channels: BTreeMap<Channel, Traffic> = BTreeMap::new();
            let own = messages.range((self.comm.id.0, LocationRef(0), 0, 0)..);
            for (&(comm, location, peer, tag), traffic) in own {
                if comm != self.comm.id.0 {
                    break;
                }
                let rank = self.members.ranks.get(&location.0).copied().unwrap_or(u64::MAX);
                let peer = u64::from(peer);
                let channel = if by_sender { (rank, peer, tag) } else { (peer, rank, tag) };
                channels.entry(channel).or_default().add(*traffic);
            }
            channels
        };
        Side {
            members: &self.members.locations,
            sent: channels(&messages.sent, true),
            received: channels(&messages.received, false),
        }
    }
}

/// The communicators among global definitions, and who is in their groups: once for each group, which many
/// may share.
struct Groups {
    comms: Vec<(usize, Comm)>,
    members: BTreeMap<u32, Members>,
}

impl Groups {
    fn of(records: &[Record]) -> Groups {
        let mut comms = Vec::new();
        // The last one of each number.
        let mut groups: BTreeMap<u32, Group> = BTreeMap::new();
        let mut lists: BTreeMap<Paradigm, Vec<u64>> = BTreeMap::new();
        for (place, record) in records.iter().enumerate() {
            match as_it_stands(record) {
                Some(Definition::Group(group)) => {
                    if group.group_type == GroupType::CommLocations {
                        lists.entry(group.paradigm).or_insert_with(|| group.members.clone());
                    }
                    groups.insert(group.id.0, group);
                }
                Some(Definition::Comm(comm)) => comms.push((place, comm)),
                _ => {}
            }
        }
        // Of other paradigms, as teams of threads, no messages of MPI tell anything.
        groups.retain(|_, group| {
            group.group_type == GroupType::CommGroup
                && group.group_flags == GroupFlag::NONE
                && group.paradigm == Paradigm::Mpi
        });
        let members = groups.iter().filter_map(|(id, group)| {
            let list = lists.get(&group.paradigm)?;
            let member = |rank: &u64| list.get(usize::try_from(*rank).ok()?).copied();
            let locations = group.members.iter().map(member).collect::<Option<Vec<_>>>()?;
            Some((*id, Members::new(&locations)))
        });
        let members = members.collect();
        Groups { comms, members }
    }

    /// Those whose members are known.
    fn comms(&self) -> impl Iterator<Item = Known<'_>> {
        self.comms.iter().filter_map(|(place, comm)| {
            let members = self.members.get(&comm.group.0)?;
            Some(Known { place: *place, comm: comm.clone(), members })
        })
    }
}

/// A group or a communicator with the numbers of its file.
fn as_it_stands(record: &Record) -> Option<Definition> {
    let wanted = [ReferenceKind::Group, ReferenceKind::Comm];
    let (_, number) = record.own.filter(|(kind, _)| wanted.contains(kind))?;
    Some(records::with_numbers(record, number))
}

/// Number of groups that are compared with each other.
const COMPARED: usize = 4096;

/// The communicators that may be sides: those whose groups have no member in common with those of others.
pub(crate) fn may_be(records: &[Record]) -> BTreeSet<u32> {
    let groups = Groups::of(records);
    let used: BTreeSet<u32> = groups.comms().map(|known| known.comm.group.0).collect();
    let used: Vec<(u32, &Members)> =
        used.into_iter().map(|group| (group, &groups.members[&group])).collect();
    let is_apart = |members: &Members| {
        used.len() > COMPARED || used.iter().any(|(_, other)| members.may_be_apart(other))
    };
    let apart: BTreeSet<u32> =
        used.iter().filter(|(_, members)| is_apart(members)).map(|(group, _)| *group).collect();
    let comms = groups.comms().filter(|known| apart.contains(&known.comm.group.0));
    comms.map(|known| known.comm.id.0).collect()
}
