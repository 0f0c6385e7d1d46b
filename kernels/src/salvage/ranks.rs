//! Locations of ranks that groups name, if the list of their locations is lost.

use std::collections::{BTreeMap, BTreeSet};

use streamfold_model::definitions::Definition;
use streamfold_model::enums::{GroupType, LocationType, Paradigm};
use streamfold_model::ids::{LocationGroupRef, LocationRef};
use streamfold_model::references::ReferenceKind;

use super::book::Book;
use super::comms::put_ranks;
use super::complaints::Complaints;
use super::facts::Facts;
use super::processes::{process_of, Processes};

/// Adds the list of the locations of the ranks of MPI, if groups name ranks, the list is missing, and other definitions
/// imply it. The order of threads and of ranks of other paradigms is unknown.
pub(super) fn place_ranks(book: &mut Book, facts: &Facts, complaints: &mut Complaints) {
    for (paradigm, named) in unplaced(&book.definitions) {
        let name = paradigm.name().unwrap_or("an unknown paradigm");
        let lost = format!("no group lists the locations that communicate by {name}");
        let ranks = match paradigm {
            Paradigm::Mpi => Firsts::new(book, facts).ranks(book, named),
            _ => None,
        };
        complaints.push(match ranks {
            Some(ranks) => {
                let count = put_ranks(book, facts, &ranks);
                format!("{lost}: the first threads of {count} processes are taken for its ranks")
            }
            None => format!(
                "{lost}, and nothing that is left tells them: {named} ranks that groups name lead \
                 nowhere, and messages among them cannot be matched"
            ),
        });
    }
}

/// Paradigms of which groups name ranks, and none lists locations: how many ranks there are at least.
fn unplaced(definitions: &[Definition]) -> BTreeMap<Paradigm, u64> {
    let (mut named, mut listed) = (BTreeMap::new(), BTreeSet::new());
    for definition in definitions {
        let Definition::Group(group) = definition else { continue };
        match group.group_type {
            GroupType::CommLocations | GroupType::CommLocationGroups => {
                listed.insert(group.paradigm);
            }
            GroupType::CommGroup => {
                let Some(last) = group.members.iter().max() else { continue };
                let ranks: &mut u64 = named.entry(group.paradigm).or_default();
                *ranks = last.saturating_add(1).max(*ranks);
            }
            _ => {}
        }
    }
    named.retain(|paradigm, _| !listed.contains(paradigm));
    named
}

/// The first thread of each process, in the order of processes.
struct Firsts {
    of_all: Vec<LocationRef>,
    /// Of those with messages or collective operations.
    of_mpi: Vec<LocationRef>,
}

impl Firsts {
    fn new(book: &Book, facts: &Facts) -> Firsts {
        let mut processes: BTreeMap<LocationGroupRef, (LocationRef, bool)> = BTreeMap::new();
        for definition in &book.definitions {
            let Definition::Location(location) = definition else { continue };
            if location.location_type != LocationType::CpuThread {
                continue;
            }
            let id = location.id;
            let mpi = facts.locations.get(&id).is_some_and(|of| of.activity.mpi);
            let (first, any) = processes.entry(location.location_group).or_insert((id, mpi));
            (*first, *any) = (id.min(*first), *any || mpi);
        }
        let firsts = |wanted: &dyn Fn(bool) -> bool| {
            let firsts =
                processes.values().filter(|(_, mpi)| wanted(*mpi)).map(|(first, _)| *first);
            let mut firsts: Vec<_> = firsts.collect();
            firsts.sort_by_key(|first| (process_of(*first), *first));
            firsts
        };
        Firsts { of_all: firsts(&|_| true), of_mpi: firsts(&|mpi| mpi) }
    }

    /// The locations of so many ranks or more; `None` where that is not clear.
    fn ranks(self, book: &Book, named: u64) -> Option<Vec<LocationRef>> {
        let Firsts { of_all, of_mpi } = self;
        match (fits(&of_all, named), fits(&of_mpi, named)) {
            (true, true) => of_all.starts_with(&of_mpi).then_some(of_all),
            (true, false) => Some(of_all),
            (false, true) => Some(of_mpi),
            (false, false) => {
                // Perhaps nothing at all is left of some of them.
                let ranks = Processes::new(of_all.iter().copied()).ranks(named);
                let known: BTreeSet<_> = of_all.iter().chain(&book.placeholders).collect();
                let mut others = ranks.iter().filter(|rank| !known.contains(rank));
                let are_lost = others.all(|rank| !book.has(ReferenceKind::Location, rank.0));
                let fits = ranks.len() as u64 == named && book.has_room_for_fileless(ranks.len());
                (fits && are_lost).then_some(ranks)
            }
        }
    }
}

/// Returns whether these are the locations of so many ranks. There are as many, or more whose numbers are those of the
/// ranks.
fn fits(firsts: &[LocationRef], named: u64) -> bool {
    let count = firsts.len() as u64;
    let numbered = || (0..count).zip(firsts).all(|(rank, first)| first.0 == rank);
    count == named || (count > named && numbered())
}

#[cfg(test)]
mod tests {
    use super::*;
    use streamfold_model::definitions::{Group, Location};
    use streamfold_model::enums::GroupFlag;
    use streamfold_model::ids::{GroupRef, StringRef};

    use super::super::facts::{Activity, LocationFacts};

    /// Locations, each with its process and whether it has messages; and a group with these ranks.
    fn book(locations: &[(u64, u32, bool)], ranks: &[u64]) -> (Book, Facts) {
        let location = |(id, process, _): &(u64, u32, bool)| {
            Definition::Location(Location {
                id: LocationRef(*id),
                name: StringRef(0),
                location_type: LocationType::CpuThread,
                number_of_events: 0,
                location_group: LocationGroupRef(*process),
            })
        };
        let mut definitions: Vec<_> = locations.iter().map(location).collect();
        definitions.push(Definition::Group(Group {
            id: GroupRef(0),
            name: StringRef(0),
            members: ranks.to_vec(),
            group_type: GroupType::CommGroup,
            paradigm: Paradigm::Mpi,
            group_flags: GroupFlag::NONE,
        }));
        let mut facts = Facts::default();
        for (id, _, mpi) in locations {
            let activity = Activity { mpi: *mpi, ..Activity::default() };
            let of = LocationFacts { activity, ..LocationFacts::default() };
            facts.locations.insert(LocationRef(*id), of);
        }
        (Book::new(definitions, &facts), facts)
    }

    /// The list that is made of them.
    fn listed(locations: &[(u64, u32, bool)], ranks: &[u64]) -> Option<Vec<u64>> {
        let (mut book, facts) = book(locations, ranks);
        let mut complaints = Complaints::default();
        place_ranks(&mut book, &facts, &mut complaints);
        assert_eq!(complaints.count, 1);
        book.definitions.into_iter().find_map(|definition| match definition {
            Definition::Group(group) if group.group_type == GroupType::CommLocations => {
                Some(group.members)
            }
            _ => None,
        })
    }

    const THREAD: u64 = 1 << 32;

    #[test]
    fn the_first_thread_of_each_process_is_its_rank() {
        let two = [(THREAD, 0, true), (0, 0, false), (1, 1, true), (THREAD | 1, 1, false)];
        assert_eq!(listed(&two, &[1, 0]), Some(vec![0, 1]));
        // Numbers that are those of ranks tell more of them.
        let three = [(0, 0, true), (1, 1, true), (2, 2, false)];
        assert_eq!(listed(&three, &[0, 1]), Some(vec![0, 1, 2]));
        // Others have none.
        let spread = [(7, 0, true), (70, 1, true), (700, 2, false)];
        assert_eq!(listed(&spread, &[0, 1]), Some(vec![7, 70]));
        assert_eq!(listed(&spread, &[0, 1, 2]), Some(vec![7, 70, 700]));
        // One of them is lost.
        assert_eq!(listed(&[(0, 0, true), (2, 2, true)], &[2]), Some(vec![0, 1, 2]));
    }

    #[test]
    fn where_that_leaves_a_choice_there_is_no_list() {
        // The second process may be a rank without messages, or none at all.
        assert_eq!(listed(&[(0, 0, true), (1, 1, false), (2, 2, true)], &[0, 1]), None);
        let spread = [(7, 0, true), (70, 1, true), (700, 2, true)];
        assert_eq!(listed(&spread, &[0, 1]), None);
        assert_eq!(listed(&spread, &[3]), None);
        assert_eq!(listed(&[(0, 0, true)], &[u64::MAX]), None);
        // Location 1 is a thread of process 0.
        assert_eq!(listed(&[(0, 0, true), (1, 0, true)], &[0, 1]), None);
    }
}
