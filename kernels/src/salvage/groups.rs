//! Members of groups that nobody defines. A group may name any number of them: no definition is made
//! up for each.

use std::collections::BTreeSet;

use streamfold_model::definitions::{Definition, Group};
use streamfold_model::enums::GroupType;
use streamfold_model::references::ReferenceKind;

use super::book::Book;
use super::complaints::Complaints;
use super::facts::Facts;
use super::invent::CommGroups;
use super::named;

/// Lets each list of the locations that communicate lead to locations. Ranks are places in it, so
/// that none can be taken out: locations are made up, unless there are too many of them; then the
/// list means something else and is left out.
pub(super) fn location_lists(book: &mut Book, facts: &Facts, complaints: &mut Complaints) {
    let mut gone = BTreeSet::new();
    // What is added on the way is no group.
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

/// Locations that a group names, and nobody defines.
fn lacking(book: &Book, group: &Group) -> BTreeSet<u64> {
    let kind = ReferenceKind::Location;
    let lacks = |number: &u64| *number != kind.undefined() && !book.has(kind, *number);
    group.members.iter().copied().filter(lacks).collect()
}

/// Takes members out of all other groups that nobody defines.
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
