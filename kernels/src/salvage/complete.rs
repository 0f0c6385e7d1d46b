//! A definition for everything that anything leads to.

use std::collections::{BTreeMap, BTreeSet};

use streamfold_model::definitions::{ClockProperties, Definition};
use streamfold_model::enums::{GroupType, Paradigm};
use streamfold_model::ids::{GroupRef, LocationRef};
use streamfold_model::references::{ReferenceKind, References};

use super::book::Book;
use super::facts::Facts;
use super::invent::CommGroups;
use super::processes::Processes;
use super::{named, Complaints};
use crate::validate::may_be_undefined;

/// Ticks of a second where nobody says it.
const ASSUMED_RESOLUTION: u64 = 1_000_000_000;

/// What definitions are wanted for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// What events say.
    pub facts: &'a Facts,
    /// Ticks of a second, where a donor says it.
    pub resolution: Option<u64>,
    /// Whether times are corrected by the donor's clock offsets.
    pub donor_clocks: bool,
}

/// Definitions that lead nowhere but to each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Completed {
    /// The definitions; those that were added come last.
    pub definitions: Vec<Definition>,
    /// How many were added of each kind, by the names of records.
    pub invented: BTreeMap<String, u64>,
    /// Locations without an event file.
    pub fileless: BTreeSet<LocationRef>,
    /// Those of them that nobody defines: others lead to them.
    pub placeholders: Vec<LocationRef>,
    /// What led to nothing, or contradicts itself, in words.
    pub complaints: Complaints,
    /// Locations whose number of events is another one than was said.
    pub recounted: u64,
    /// Whether the ticks of a second are assumed.
    pub assumed_resolution: bool,
}

/// Adds to definitions what events and they themselves lead to.
pub fn complete(definitions: Vec<Definition>, wanted: Wanted<'_>) -> Completed {
    let Wanted { facts, .. } = wanted;
    let mut completed = Completed::default();
    differing(facts).for_each(|text| completed.complaints.push(text));
    let mut book = Book::new(definitions, facts.missing.clone());
    for location in facts.locations.keys() {
        if !book.has(ReferenceKind::Location, location.0) {
            book.invent(ReferenceKind::Location, location.0, facts, CommGroups::default());
        }
    }
    let groups = comm_groups(&mut book, facts, &mut completed.complaints);
    for (kind, number) in facts.missing.iter() {
        if !book.has(kind, number) {
            book.invent(kind, number, facts, groups);
        }
    }
    close(&mut book, facts, groups, &mut completed);
    completed.assumed_resolution = clock(&mut book, wanted);
    count_events(&mut book, facts, &mut completed);
    completed.placeholders = std::mem::take(&mut book.placeholders);
    completed.invented = book.invented;
    completed.definitions = book.definitions;
    completed
}

/// What events say of one number, and not all the same.
fn differing(facts: &Facts) -> impl Iterator<Item = String> + '_ {
    let text = |kind, number: &u32| {
        let number = u64::from(*number);
        format!("{}: events give it values that are not all of one type", named(kind, number))
    };
    let attributes = facts.attributes.iter().filter(|(_, seen)| seen.differs);
    let metrics = facts.metrics.iter().filter(|(_, seen)| seen.differs);
    let parameters = facts.parameters.iter().filter(|(_, seen)| seen.differs);
    let attributes = attributes.map(move |(number, _)| text(ReferenceKind::Attribute, number));
    let metrics = metrics.map(move |(number, _)| text(ReferenceKind::Metric, number));
    let parameters = parameters.map(move |(number, _)| text(ReferenceKind::Parameter, number));
    attributes.chain(metrics).chain(parameters)
}

/// Groups of all that communicate, where something needs them.
fn comm_groups(book: &mut Book, facts: &Facts, complaints: &mut Complaints) -> CommGroups {
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

/// Lets every field lead to something, or nowhere where it may.
fn close(book: &mut Book, facts: &Facts, groups: CommGroups, completed: &mut Completed) {
    // What leads to something that is left out may stand before it; such a chain has three links.
    loop {
        let mut gone = BTreeSet::new();
        let mut place = 0;
        while place < book.definitions.len() {
            if !mend(book, place, (facts, groups), &mut completed.complaints) {
                gone.insert(place);
            }
            place += 1;
        }
        if gone.is_empty() {
            return;
        }
        let mut place = 0;
        let Book { definitions, defined, .. } = book;
        definitions.retain(|definition| {
            let stays = !gone.contains(&place);
            if let Some((kind, number)) = definition.defines().filter(|_| !stays) {
                defined.remove(kind, number);
            }
            place += 1;
            stays
        });
    }
}

/// A field that leads nowhere: its name, where it has one, and what it should lead to.
type Broken = (Option<&'static str>, ReferenceKind, u64);

/// Mends what leads nowhere in one definition. `false`: it says nothing without that.
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

/// What leads nowhere and should not.
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
        let leads_nowhere = number == kind.undefined();
        if !book.has(kind, number) && !(leads_nowhere && may_lack) {
            broken.push((field, kind, number));
        }
        number
    });
    broken
}

/// What a field leads to in place of nothing.
fn target(
    book: &mut Book,
    definition: &Definition,
    (field, kind, number): Broken,
    (facts, groups): (&Facts, CommGroups),
) -> Option<u64> {
    // Another field of the same definition may have led there.
    if book.has(kind, number) {
        return Some(number);
    }
    let leads_nowhere = number == kind.undefined();
    match (definition, kind, field) {
        (_, ReferenceKind::String, Some("name" | "canonicalName")) => {
            let name = definition.defines();
            let name = name.map(|(of, id)| format!("{} {id}", of.name()));
            Some(name.map_or(kind.undefined(), |name| book.string(&name).0.into()))
        }
        (_, ReferenceKind::String, _) => Some(kind.undefined()),
        (Definition::Location(location), ReferenceKind::LocationGroup, _) if leads_nowhere => {
            Some(book.group_of(location.id).0.into())
        }
        (_, _, Some(field)) if may_be_undefined(definition.name(), field, kind) => {
            Some(kind.undefined())
        }
        _ => {
            let new = if leads_nowhere { book.free(kind) } else { number };
            book.invent(kind, new, facts, groups).then_some(new)
        }
    }
}

/// Adds a clock where there is none. Whether the ticks of a second are assumed.
fn clock(book: &mut Book, wanted: Wanted<'_>) -> bool {
    let is_clock = |definition: &Definition| matches!(definition, Definition::ClockProperties(_));
    if let Some(at) = book.definitions.iter().position(is_clock) {
        let unusable = match &mut book.definitions[at] {
            Definition::ClockProperties(clock) => clock.timer_resolution == 0,
            _ => false,
        };
        if !unusable {
            return false;
        }
        book.definitions.remove(at);
    }
    let (first, last) = wanted.facts.span(wanted.donor_clocks).unwrap_or_default();
    book.add(Definition::ClockProperties(ClockProperties {
        timer_resolution: wanted.resolution.unwrap_or(ASSUMED_RESOLUTION),
        global_offset: first.0,
        trace_length: last.0.saturating_sub(first.0),
        realtime_timestamp: u64::MAX,
    }));
    wanted.resolution.is_none()
}

/// Says of each location how many events there are.
fn count_events(book: &mut Book, facts: &Facts, completed: &mut Completed) {
    for definition in &mut book.definitions {
        let Definition::Location(location) = definition else { continue };
        let known = facts.locations.get(&location.id);
        if known.is_none() {
            completed.fileless.insert(location.id);
        }
        let events = known.map_or(0, |facts| facts.events);
        completed.recounted += u64::from(location.number_of_events != events);
        location.number_of_events = events;
    }
}
