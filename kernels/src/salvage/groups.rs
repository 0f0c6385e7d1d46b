//! Undefined members of groups. A group may name any number of them: no definition is synthesised for each.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use streamfold_model::definitions::{Definition, Group};
use streamfold_model::enums::{GroupType, Paradigm};
use streamfold_model::ids::GroupRef;
use streamfold_model::references::ReferenceKind;

use super::book::Book;
use super::complaints::Complaints;
use super::facts::Facts;
use super::invent::CommGroups;
use super::named;

/// Gives each list of the locations that communicate existing locations. Ranks are places in it, so that none can be
/// removed: locations are synthesised, unless there are too many. Then the list means something else and is left out.
pub(super) fn location_lists(book: &mut Book, facts: &Facts, complaints: &mut Complaints) {
    let mut gone = BTreeSet::new();
    // Definitions that are added meanwhile are no groups.
    for place in 0..book.definitions.len() {
        let Definition::Group(group) = &book.definitions[place] else { continue };
        if group.group_type != GroupType::CommLocations {
            continue;
        }
        let (lacking, id) = (lacking(book, group), group.id);
        let Some(first) = lacking.first() else { continue };
        let fits = book.has_room_for_fileless(lacking.len());
        let left_out = if fits { "" } else { "; it is left out" };
        complaints.push(format!(
            "{}: {} of the locations that it lists are defined by nobody, {} first{left_out}",
            named(ReferenceKind::Group, id.0.into()),
            lacking.len(),
            named(ReferenceKind::Location, *first),
        ));
        match fits {
            true => lacking.into_iter().for_each(|location| {
                book.invent(ReferenceKind::Location, location, facts, CommGroups::default());
            }),
            false => drop(gone.insert(place)),
        }
    }
    book.leave_out(&gone);
}

/// Undefined locations of a group.
fn lacking(book: &Book, group: &Group) -> BTreeSet<u64> {
    let kind = ReferenceKind::Location;
    let lacks = |number: &u64| *number != kind.undefined() && !book.has(kind, *number);
    group.members.iter().copied().filter(lacks).collect()
}

/// Removes undefined members from all other groups.
pub(super) fn members(book: &mut Book, complaints: &mut Complaints) {
    let Book { definitions, defined, .. } = book;
    for definition in definitions {
        let Definition::Group(group) = definition else { continue };
        let kind = match group.group_type {
            GroupType::CommLocations => None,
            other => other.leads_to(),
        };
        let Some(kind) = kind else { continue };
        let is_lost = |member: &u64| !defined.has(kind, *member);
        let Some(first) = group.members.iter().copied().find(is_lost) else { continue };
        let before = group.members.len();
        group.members.retain(|member| !is_lost(member));
        complaints.push(format!(
            "{}: {} of {before} members are defined by nobody, {} first; they are left out",
            named(ReferenceKind::Group, group.id.0.into()),
            before - group.members.len(),
            named(kind, first),
        ));
    }
}

/// The lists of the locations that communicate by a paradigm, by whose places groups name ranks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankLists(BTreeMap<Paradigm, (GroupRef, u64)>);

/// A group of ranks, without its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankGroup {
    id: GroupRef,
    paradigm: Paradigm,
    count: u64,
    last: u64,
}

impl RankLists {
    /// Those of these definitions.
    pub fn of(definitions: &[Definition]) -> RankLists {
        let mut lists = RankLists::default();
        for definition in definitions {
            if let Definition::Group(group) = definition {
                lists.take(group);
            }
        }
        lists
    }

    /// Takes in a group, if it is such a list.
    pub fn take(&mut self, group: &Group) {
        if group.group_type == GroupType::CommLocations {
            let list = (group.id, group.members.len() as u64);
            // Of several lists the least number counts, as for readers.
            let known = self.0.entry(group.paradigm).or_insert(list);
            *known = list.min(*known);
        }
    }

    /// With these for paradigms that have none here.
    pub fn or(mut self, others: RankLists) -> RankLists {
        for (paradigm, list) in others.0 {
            self.0.entry(paradigm).or_insert(list);
        }
        self
    }

    /// Describes a group that names ranks beyond its list. It stays: others in the group are ranks of their
    /// communicators by their places in it.
    pub fn larger(&self, group: RankGroup) -> Option<String> {
        let RankGroup { id, paradigm, count, last } = group;
        let (list, locations) = *self.0.get(&paradigm)?;
        (last >= locations).then(|| {
            format!(
                "{}: one of its {count} members is rank {last}, and {} lists {locations} locations \
                 that communicate by {}; it stays",
                named(ReferenceKind::Group, id.0.into()),
                named(ReferenceKind::Group, list.0.into()),
                paradigm.name().unwrap_or("an unknown paradigm"),
            )
        })
    }
}

impl RankGroup {
    /// A group, if it has ranks that are any.
    pub fn of(group: &Group) -> Option<RankGroup> {
        let is_any = |rank: &u64| *rank != u64::MAX;
        let last = group.members.iter().copied().filter(is_any).max();
        let last = last.filter(|_| group.group_type == GroupType::CommGroup)?;
        let (id, paradigm, count) = (group.id, group.paradigm, group.members.len() as u64);
        Some(RankGroup { id, paradigm, count, last })
    }
}

/// Reports groups with ranks that no list has.
pub(super) fn larger_than_lists(definitions: &[Definition], complaints: &mut Complaints) {
    let lists = RankLists::of(definitions);
    for definition in definitions {
        let Definition::Group(group) = definition else { continue };
        let larger = RankGroup::of(group).and_then(|group| lists.larger(group));
        larger.into_iter().for_each(|text| complaints.push(text));
    }
}
