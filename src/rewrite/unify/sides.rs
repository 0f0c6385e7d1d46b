//! Communicators between two groups, of which a tracer has written each side for itself. Only the
//! messages tell.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::sides::{pairs, Channel, Side, Traffic};
use streamfold_kernels::unify::Record;
use streamfold_model::definitions::{Comm, Definition, Group, InterComm};
use streamfold_model::enums::{GroupFlag, GroupType, Paradigm};
use streamfold_model::events::{EventKind, EventVisitor, MpiIrecv, MpiIsend, MpiRecv, MpiSend};
use streamfold_model::ids::{CommRef, LocationRef};
use streamfold_model::references::ReferenceKind;
use streamfold_model::stream::{EventHead, EventSet};

use super::global_file::GlobalFile;
use super::inputs::Numbered;
use super::pool::Map;
use super::records;
use crate::collective::{Communicator, Error};
use crate::drive::{on_workers, Queue};
use crate::formats::otf2::{Archive, LocalDefinitions};

/// Messages of a location over a communicator, with its peer and their tag.
type Messages = BTreeMap<(u32, LocationRef, u32, u32), Traffic>;

/// What locations sent and received.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct AllMessages {
    sent: Messages,
    received: Messages,
    /// Whether there are more combinations than are looked at: then none is kept.
    too_many: bool,
}

impl AllMessages {
    /// So many combinations of communicator, location, peer and tag are looked at in each direction.
    const MOST: usize = 1 << 18;

    fn fold(mut self, other: AllMessages) -> AllMessages {
        self.too_many |= other.too_many;
        for (into, from) in [(&mut self.sent, other.sent), (&mut self.received, other.received)] {
            from.into_iter().for_each(|(key, traffic)| into.entry(key).or_default().add(traffic));
        }
        self.limited()
    }

    /// Whoever has a part of all has too many only where all are.
    fn limited(mut self) -> AllMessages {
        self.too_many |= self.sent.len().max(self.received.len()) > AllMessages::MOST;
        match self.too_many {
            true => AllMessages { too_many: true, ..AllMessages::default() },
            false => self,
        }
    }
}

/// Counts the messages of a location over communicators that may be sides.
struct Counting<'a> {
    messages: &'a mut AllMessages,
    comms: &'a BTreeSet<u32>,
}

impl Counting<'_> {
    fn count(
        &mut self,
        messages: fn(&mut AllMessages) -> &mut Messages,
        head: &EventHead<'_>,
        (comm, peer, tag, bytes): (CommRef, u32, u32, u64),
    ) {
        if self.messages.too_many || !self.comms.contains(&comm.0) {
            return;
        }
        let into = messages(self.messages);
        let traffic = into.entry((comm.0, head.location, peer, tag)).or_default();
        traffic.add(Traffic { messages: 1, bytes });
        if into.len() > AllMessages::MOST {
            *self.messages = std::mem::take(self.messages).limited();
        }
    }
}

impl EventVisitor for Counting<'_> {
    const WANTS: EventSet = EventSet::of(&[
        EventKind::MpiSend,
        EventKind::MpiIsend,
        EventKind::MpiRecv,
        EventKind::MpiIrecv,
    ]);

    fn mpi_send(&mut self, head: &EventHead<'_>, e: MpiSend) {
        let message = (e.communicator, e.receiver, e.msg_tag, e.msg_length);
        self.count(|all| &mut all.sent, head, message);
    }

    fn mpi_isend(&mut self, head: &EventHead<'_>, e: MpiIsend) {
        let message = (e.communicator, e.receiver, e.msg_tag, e.msg_length);
        self.count(|all| &mut all.sent, head, message);
    }

    fn mpi_recv(&mut self, head: &EventHead<'_>, e: MpiRecv) {
        let message = (e.communicator, e.sender, e.msg_tag, e.msg_length);
        self.count(|all| &mut all.received, head, message);
    }

    fn mpi_irecv(&mut self, head: &EventHead<'_>, e: MpiIrecv) {
        let message = (e.communicator, e.sender, e.msg_tag, e.msg_length);
        self.count(|all| &mut all.received, head, message);
    }
}

/// What came of looking for sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Joined {
    /// How many communicators between two groups were found.
    pub count: u64,
    /// Whether nobody looked, since too much went over them.
    pub too_many: bool,
}

/// Makes one communicator between two groups of each pair of global ones that are its sides: of those
/// that `may_be`. Reads the messages of all locations, and is only for traces whose global definitions
/// nobody has unified. Returns how many were found, on rank 0. Collective.
///
/// # Errors
///
/// When ranks cannot communicate.
pub(super) fn join(
    ranks: &dyn Communicator,
    archive: &Archive,
    locations: &[Numbered],
    workers: NonZeroUsize,
    may_be: &BTreeSet<u32>,
    global: Option<&mut GlobalFile>,
) -> Result<Joined, Error> {
    let work = |queue: &Queue<'_, Numbered>| {
        let mut messages = AllMessages::default();
        while let Some(Numbered { location, .. }) = queue.take() {
            if let Ok(mut events) = archive.events_with(location, LocalDefinitions::default()) {
                let mut counting = Counting { messages: &mut messages, comms: may_be };
                // What cannot be read is told when it is copied.
                let _told_later = events.read_all(&mut counting);
            }
        }
        messages
    };
    let messages = on_workers(locations, workers, work, AllMessages::fold);
    let messages = ranks.reduce(0, messages, AllMessages::fold)?;
    let (Some(messages), Some(global)) = (messages, global) else { return Ok(Joined::default()) };
    if messages.too_many {
        return Ok(Joined { count: 0, too_many: true });
    }
    let groups = Groups::of(&global.records);
    let comms = groups.comms().filter(|comm| may_be.contains(&comm.comm.id.0));
    let comms: Vec<Known<'_>> = comms.collect();
    let sides: Vec<Side<'_>> = comms.iter().map(|comm| comm.side(&messages)).collect();
    let found = pairs(&sides);
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
    for (place, joined) in joined {
        // The same one twice, and not two that were made.
        let mut record = records::record(joined, 0);
        record.says_mut().made = false;
        global.records[place] = record;
        global.rewritten.insert(place);
    }
    Ok(Joined { count: found.len() as u64, too_many: false })
}

/// Who is in a group.
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

    /// Whether they may have nobody in common.
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
        groups.retain(|_, group| {
            group.group_type == GroupType::CommGroup && group.group_flags == GroupFlag::NONE
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

/// So many groups are compared with each other.
const COMPARED: usize = 4096;

/// The communicators that may be sides: those whose groups have no member in common with those of others.
pub(super) fn may_be(global: &GlobalFile) -> BTreeSet<u32> {
    let groups = Groups::of(&global.records);
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
