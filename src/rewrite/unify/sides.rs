//! Communicators between two groups, of which a tracer has written each side for itself. Only the
//! messages tell.

use std::collections::BTreeMap;
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

use super::inputs::Numbered;
use super::keys::GlobalFile;
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
}

impl AllMessages {
    fn fold(mut self, other: AllMessages) -> AllMessages {
        for (into, from) in [(&mut self.sent, other.sent), (&mut self.received, other.received)] {
            from.into_iter().for_each(|(key, traffic)| into.entry(key).or_default().add(traffic));
        }
        self
    }
}

/// Counts the messages of a location.
struct Counting<'a>(&'a mut AllMessages);

fn count(
    messages: &mut Messages,
    head: &EventHead<'_>,
    (comm, peer, tag, bytes): (CommRef, u32, u32, u64),
) {
    let traffic = messages.entry((comm.0, head.location, peer, tag)).or_default();
    traffic.add(Traffic { messages: 1, bytes });
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
        count(&mut self.0.sent, head, message);
    }

    fn mpi_isend(&mut self, head: &EventHead<'_>, e: MpiIsend) {
        let message = (e.communicator, e.receiver, e.msg_tag, e.msg_length);
        count(&mut self.0.sent, head, message);
    }

    fn mpi_recv(&mut self, head: &EventHead<'_>, e: MpiRecv) {
        let message = (e.communicator, e.sender, e.msg_tag, e.msg_length);
        count(&mut self.0.received, head, message);
    }

    fn mpi_irecv(&mut self, head: &EventHead<'_>, e: MpiIrecv) {
        let message = (e.communicator, e.sender, e.msg_tag, e.msg_length);
        count(&mut self.0.received, head, message);
    }
}

/// Makes one communicator between two groups of each pair of global ones that are its sides. Reads the
/// messages of all locations, and is only for traces whose global definitions nobody has unified.
/// Returns how many were found, on rank 0. Collective.
///
/// # Errors
///
/// When ranks cannot communicate.
pub(super) fn join(
    ranks: &dyn Communicator,
    archive: &Archive,
    locations: &[Numbered],
    workers: NonZeroUsize,
    global: Option<&mut GlobalFile>,
) -> Result<u64, Error> {
    let work = |queue: &Queue<'_, Numbered>| {
        let mut messages = AllMessages::default();
        while let Some(Numbered { location, .. }) = queue.take() {
            if let Ok(mut events) = archive.events_with(location, LocalDefinitions::default()) {
                // What cannot be read is told when it is copied.
                let _told_later = events.read_all(&mut Counting(&mut messages));
            }
        }
        messages
    };
    let messages = on_workers(locations, workers, work, AllMessages::fold);
    let messages = ranks.reduce(0, messages, AllMessages::fold)?;
    let (Some(messages), Some(global)) = (messages, global) else { return Ok(0) };
    let groups = Groups::of(&global.records);
    let comms: Vec<Known> = (0..global.records.len()).filter_map(|at| groups.comm(at)).collect();
    let sides: Vec<Side> = comms.iter().map(|comm| comm.side(&messages)).collect();
    let found = pairs(&sides);
    for &(one, other) in &found {
        let (one, other) = (&comms[one], &comms[other]);
        for side in [one, other] {
            let joined = Definition::InterComm(InterComm {
                id: side.comm.id,
                name: one.comm.name,
                group_a: one.comm.group,
                group_b: other.comm.group,
                common_communicator: one.comm.parent,
                flags: one.comm.flags,
            });
            // The same one twice, and not two that were made.
            global.records[side.place] = Record { made: false, ..records::record(joined, 0) };
            global.rewritten.insert(side.place);
        }
    }
    Ok(found.len() as u64)
}

/// A communicator whose members are known.
struct Known {
    place: usize,
    comm: Comm,
    /// In the order of their ranks.
    members: Vec<u64>,
}

impl Known {
    fn side(&self, messages: &AllMessages) -> Side {
        let channels = |messages: &Messages, by_sender: bool| {
            let mut channels: BTreeMap<Channel, Traffic> = BTreeMap::new();
            let own = messages.range((self.comm.id.0, LocationRef(0), 0, 0)..);
            for (&(comm, location, peer, tag), traffic) in own {
                if comm != self.comm.id.0 {
                    break;
                }
                let rank = self.members.iter().position(|member| *member == location.0);
                let rank = rank.map_or(u64::MAX, |rank| rank as u64);
                let peer = u64::from(peer);
                let channel = if by_sender { (rank, peer, tag) } else { (peer, rank, tag) };
                channels.entry(channel).or_default().add(*traffic);
            }
            channels
        };
        Side {
            members: self.members.iter().copied().collect(),
            sent: channels(&messages.sent, true),
            received: channels(&messages.received, false),
        }
    }
}

/// The groups and communicators among global definitions.
struct Groups<'a> {
    records: &'a [Record],
    /// The last one of each number.
    groups: BTreeMap<u32, Group>,
    /// The locations that communicate by a paradigm, by their ranks.
    locations: BTreeMap<Paradigm, Vec<u64>>,
}

impl Groups<'_> {
    fn of(records: &[Record]) -> Groups<'_> {
        let (mut groups, mut locations) = (BTreeMap::new(), BTreeMap::new());
        for record in records {
            if let Some(Definition::Group(group)) = as_it_stands(record) {
                if group.group_type == GroupType::CommLocations {
                    locations.entry(group.paradigm).or_insert_with(|| group.members.clone());
                }
                groups.insert(group.id.0, group);
            }
        }
        Groups { records, groups, locations }
    }

    fn comm(&self, place: usize) -> Option<Known> {
        let Some(Definition::Comm(comm)) = as_it_stands(&self.records[place]) else { return None };
        let group = self.groups.get(&comm.group.0)?;
        let plain =
            group.group_type == GroupType::CommGroup && group.group_flags == GroupFlag::NONE;
        let locations = self.locations.get(&group.paradigm).filter(|_| plain)?;
        let member = |rank: &u64| locations.get(usize::try_from(*rank).ok()?).copied();
        let members = group.members.iter().map(member).collect::<Option<Vec<_>>>()?;
        Some(Known { place, comm, members })
    }
}

/// A group or a communicator with the numbers of its file.
fn as_it_stands(record: &Record) -> Option<Definition> {
    let wanted = [ReferenceKind::Group, ReferenceKind::Comm];
    let (_, number) = record.own.filter(|(kind, _)| wanted.contains(kind))?;
    Some(records::with_numbers(record, number))
}

/// Whether a trace may have communicators whose sides were written one by one: two groups without a
/// common member.
pub(super) fn may_be(global: &GlobalFile) -> bool {
    let groups = Groups::of(&global.records);
    let comms: Vec<Known> = (0..global.records.len()).filter_map(|at| groups.comm(at)).collect();
    let first = |comm: &Known| comm.members.first().copied();
    let disjoint = |a: &Known, b: &Known| first(a).is_some_and(|first| !b.members.contains(&first));
    comms.iter().any(|one| comms.iter().any(|other| disjoint(one, other) && disjoint(other, one)))
}
