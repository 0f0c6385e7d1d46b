//! Groups of communicating locations, for undefined communicators.

use streamfold_model::definitions::Definition;
use streamfold_model::enums::{GroupType, Paradigm};
use streamfold_model::ids::{GroupRef, LocationRef};
use streamfold_model::references::ReferenceKind;

use super::book::Book;
use super::complaints::Complaints;
use super::facts::Facts;
use super::invent::CommGroups;
use super::named;
use super::processes::Processes;

/// Groups of all that communicate, where something needs them.
pub(super) fn comm_groups(
    book: &mut Book,
    facts: &Facts,
    complaints: &mut Complaints,
) -> CommGroups {
    let comms = facts.missing.of(ReferenceKind::Comm);
    let windows = facts.missing.of(ReferenceKind::RmaWin);
    let is_unused = |comm: u64| !facts.comms.contains_key(&(comm as u32));
    let by_messages = comms.iter().any(is_unused) || facts.comms.values().any(|of| of.messages);
    let by_windows = windows.pieces() > 0 || !facts.windows.is_empty();
    let ranks = (by_messages || by_windows).then(|| {
        let by_comms = facts.comms.values().map(|of| of.ranks);
        let needed = by_comms.chain(facts.windows.values().copied()).max().unwrap_or(0);
        all_ranks(book, facts, needed, complaints)
    });
    let by_threads = facts.comms.values().any(|of| !of.messages);
    let threads = by_threads.then(|| all_threads(book, facts));
    let groups = CommGroups { ranks, threads };
    regroup(book, facts, groups, complaints);
    groups
}

/// Communicators that events use and whose own groups are lost have all members.
fn regroup(book: &mut Book, facts: &Facts, groups: CommGroups, complaints: &mut Complaints) {
    let Book { definitions, defined, .. } = book;
    for definition in definitions {
        let (comm, of_comm) = match definition {
            Definition::Comm(comm) => (comm.id, vec![&mut comm.group]),
            Definition::InterComm(comm) => (comm.id, vec![&mut comm.group_a, &mut comm.group_b]),
            _ => continue,
        };
        let all = groups.of(comm, facts).filter(|_| facts.comms.contains_key(&comm.0));
        let Some(all) = all else { continue };
        for group in of_comm {
            let number = u64::from(group.0);
            if !defined.has(ReferenceKind::Group, number) {
                complaints.push(format!(
                    "{}: nobody defines {}, which says who is in it; it has all members now",
                    named(ReferenceKind::Comm, comm.0.into()),
                    named(ReferenceKind::Group, number),
                ));
                *group = all;
            }
        }
    }
}

/// The group of all ranks: of those that are defined, or one for each process.
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
        put_ranks(book, facts, &processes.ranks(needed))
    });
    if needed > count {
        let last = needed - 1;
        complaints.push(format!("events name rank {last}, and there are {count} ranks"));
    }
    let members: Vec<u64> = (0..count).collect();
    put(book, "all ranks", GroupType::CommGroup, Paradigm::Mpi, &members)
}

/// Adds the list of the locations of ranks, and the undefined ones of them. Returns their number.
pub(super) fn put_ranks(book: &mut Book, facts: &Facts, ranks: &[LocationRef]) -> u64 {
    for rank in ranks {
        if !book.has(ReferenceKind::Location, rank.0) {
            book.invent(ReferenceKind::Location, rank.0, facts, CommGroups::default());
        }
    }
    let members: Vec<u64> = ranks.iter().map(|location| location.0).collect();
    put(book, "locations of ranks", GroupType::CommLocations, Paradigm::Mpi, &members);
    members.len() as u64
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
