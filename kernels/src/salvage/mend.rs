//! Fields that must not be undefined, and are.

use std::collections::{BTreeMap, BTreeSet};

use streamfold_model::definitions::Definition;
use streamfold_model::references::{ReferenceKind, References};

use super::book::Book;
use super::complaints::Complaints;
use super::facts::Facts;
use super::invent::CommGroups;
use super::named;
use crate::validate::may_be_undefined;

/// Gives every field a target, or leaves it undefined if it may be.
pub(super) fn close(
    book: &mut Book,
    facts: &Facts,
    groups: CommGroups,
    complaints: &mut Complaints,
) {
    // A reference to a definition that is left out may come before it; such a chain has three links.
    loop {
        let mut gone = BTreeSet::new();
        let mut place = 0;
        while place < book.definitions.len() {
            if !mend(book, place, (facts, groups), complaints) {
                gone.insert(place);
            }
            place += 1;
        }
        if gone.is_empty() {
            return;
        }
        book.leave_out(&gone);
    }
}

/// An undefined field: its name, if it has one, and its kind and number.
type Broken = (Option<&'static str>, ReferenceKind, u64);

/// Mends undefined fields of one definition. `false`: it has no content without them.
fn mend(
    book: &mut Book,
    place: usize,
    (facts, groups): (&Facts, CommGroups),
    complaints: &mut Complaints,
) -> bool {
    let mut definition = book.definitions[place].clone();
    let broken = broken(book, &mut definition);
    let Some((field, kind, number)) = broken.first().copied() else { return true };
    let whose = match definition.defines() {
        Some((kind, number)) => named(kind, number),
        None => definition.name().to_owned(),
    };
    let what = field.unwrap_or("what it lists");
    let more = match broken.len() {
        1 => String::new(),
        all => format!(" (and {} more)", all - 1),
    };
    let number = cut(kind, number);
    let led = match number == kind.undefined() {
        true => format!("{whose}: {what} leads nowhere{more}"),
        false => {
            format!("{whose}: {what} leads to {}, which nobody defines{more}", named(kind, number))
        }
    };
    let mut instead = BTreeMap::new();
    for broken in broken {
        let Some(target) = target(book, &definition, broken, (facts, groups)) else {
            complaints.push(format!("{led}; it is left out"));
            return false;
        };
        instead.entry((broken.1, broken.2)).or_insert(target);
    }
    complaints.push(led);
    definition
        .renumber(&mut |kind, number| instead.get(&(kind, number)).copied().unwrap_or(number));
    book.definitions[place] = definition;
    true
}

/// A number as readers cut it to the width of the field.
fn cut(kind: ReferenceKind, number: u64) -> u64 {
    number & kind.undefined()
}

/// Returns undefined fields that must be defined.
fn broken(book: &Book, definition: &mut Definition) -> Vec<Broken> {
    let record = definition.name();
    let mut fields: Vec<&'static str> = Vec::new();
    definition.each_reference(|field, _, _| fields.push(field));
    let (mut next, mut broken) = (0, Vec::new());
    definition.renumber(&mut |kind, number| {
        // Behind the fields come members and values, which have no names.
        let field = fields.get(next).copied();
        next += 1;
        let may_lack = field.is_none_or(|field| may_be_undefined(record, field, kind));
        let leads_nowhere = cut(kind, number) == kind.undefined();
        let stays = book.has(kind, cut(kind, number)) || (leads_nowhere && may_lack);
        if !stays {
            broken.push((field, kind, number));
        }
        number
    });
    broken
}

/// Returns the new target of an undefined field.
fn target(
    book: &mut Book,
    definition: &Definition,
    (field, kind, number): Broken,
    (facts, groups): (&Facts, CommGroups),
) -> Option<u64> {
    let number = cut(kind, number);
    // Another field of the same definition may have led there.
    if book.has(kind, number) {
        return Some(number);
    }
    let leads_nowhere = number == kind.undefined();
    match (definition, kind, field) {
        (_, ReferenceKind::String, Some("name" | "canonicalName")) => {
            let name = definition.defines();
            let name = name.map(|(of, id)| named(of, id));
            Some(name.map_or(kind.undefined(), |name| book.string(&name).0.into()))
        }
        (_, ReferenceKind::String, Some(field)) => {
            Some(match may_be_undefined(definition.name(), field, kind) {
                true => kind.undefined(),
                // Readers look at it in any case.
                false => book.string("").0.into(),
            })
        }
        (_, ReferenceKind::String, None) => Some(kind.undefined()),
        (_, ReferenceKind::IoParadigm, _) if leads_nowhere => Some(book.any_io_paradigm().0.into()),
        (Definition::Location(location), ReferenceKind::LocationGroup, _) if leads_nowhere => {
            Some(book.group_of(location.id).0.into())
        }
        (_, _, Some(field)) if may_be_undefined(definition.name(), field, kind) => {
            Some(kind.undefined())
        }
        _ => {
            if !book.take_room(kind) {
                return None;
            }
            let new = if leads_nowhere { book.free(kind) } else { number };
            book.invent(kind, new, facts, groups).then_some(new)
        }
    }
}
