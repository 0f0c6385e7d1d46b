//! Groups of those that communicate, for communicators that nobody defines.

use streamfold_model::definitions::Definition;
use streamfold_model::enums::{GroupType, Paradigm};
use streamfold_model::ids::GroupRef;
use streamfold_model::references::ReferenceKind;

use super::book::Book;
use super::complaints::Complaints;
use super::facts::Facts;
use super::invent::CommGroups;
use super::processes::Processes;

/// Groups of all that communicate, where something needs them.
pub(super) fn comm_groups(
    book: &mut Book,
    facts: &Facts,
    complaints: &mut Complaints,
) -> CommGroups {
    let comms = facts.missing.of(ReferenceKind::Comm);
    let of = |number: u64| facts.comms.get(&(number as u32)).copied().unwrap_or_default();
    let windows = facts.missing.of(ReferenceKind::RmaWin);
    let by_messages = comms.iter().any(|comm| of(comm).messages || !is_used(facts, comm));
    let ranks = (by_messages || windows.pieces() > 0).then(|| {
        let by_comms = comms.iter().map(|comm| of(comm).ranks);
        let needed = by_comms.chain(facts.windows.values().copied()).max().unwrap_or(0);
        all_ranks(book, facts, needed, complaints)
    });
    let by_threads = comms.iter().any(|comm| is_used(facts, comm) && !of(comm).messages);
    let threads = by_threads.then(|| all_threads(book, facts));
    CommGroups { ranks, threads }
}

fn is_used(facts: &Facts, comm: u64) -> bool {
    facts.comms.contains_key(&(comm as u32))
}

/// The group of all ranks: of those that somebody defines, or one for each process.
fn all_ranks(book: &mut Book, facts: &Facts, needed: u64, complaints: &mut Complaints) -> GroupRef {
    let known = book.definitions.iter().find_map(|definition| match definition {
        Definition::Group(group)
            if group.group_type == GroupType::CommLocations && group.paradigm == Paradigm::Mpi =>
        {
            Some(group.members.len() as u64)
        }
        _ => None,
    });
    let count = known.unwrap_or_else(|| {
        let processes = Processes::new(facts.locations.keys().copied());
        let ranks = processes.ranks(needed);
        for rank in &ranks {
            if !book.has(ReferenceKind::Location, rank.0) {
                book.invent(ReferenceKind::Location, rank.0, facts, CommGroups::default());
            }
        }
        let members: Vec<u64> = ranks.iter().map(|location| location.0).collect();
        put(book, "locations of ranks", GroupType::CommLocations, Paradigm::Mpi, &members);
        members.len() as u64
    });
    if needed > count {
        let last = needed - 1;
        complaints.push(format!("events name rank {last}, and there are {count} ranks"));
    }
    let members: Vec<u64> = (0..count).collect();
    put(book, "all ranks", GroupType::CommGroup, Paradigm::Mpi, &members)
}

/// The group of all threads.
fn all_threads(book: &mut Book, facts: &Facts) -> GroupRef {
    let locations: Vec<u64> = facts.locations.keys().map(|location| location.0).collect();
    let members: Vec<u64> = (0..locations.len() as u64).collect();
    put(book, "locations of threads", GroupType::CommLocations, Paradigm::Unknown, &locations);
    put(book, "all threads", GroupType::CommGroup, Paradigm::Unknown, &members)
}

fn put(
    book: &mut Book,
    name: &str,
    group_type: GroupType,
    paradigm: Paradigm,
    members: &[u64],
) -> GroupRef {
    let id = GroupRef(book.free(ReferenceKind::Group) as u32);
    book.put_group(id, name, group_type, paradigm, members.to_vec());
    id
}
