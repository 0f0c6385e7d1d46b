//! A definition for every reference.

use std::collections::{BTreeMap, BTreeSet};

use streamfold_model::definitions::{ClockProperties, Definition};
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;

use super::book::Book;
use super::comms::comm_groups;
use super::facts::Facts;
use super::groups::{larger_than_lists, location_lists, members};
use super::invent::CommGroups;
use super::mend::close;
use super::ranks::place_ranks;
use super::{named, Complaints};

/// Ticks of a second, if they are not recorded.
const ASSUMED_RESOLUTION: u64 = 1_000_000_000;

/// Input for the missing definitions.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// Facts from events.
    pub facts: &'a Facts,
    /// Ticks of a second, if a donor records them.
    pub resolution: Option<u64>,
    /// Set if times are corrected by the donor's clock offsets.
    pub donor_clocks: bool,
    /// Set if some definitions are lost, of unknown kinds.
    pub lost: bool,
}

/// Definitions that reference nothing but each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Completed {
    /// The definitions; those that were added come last.
    pub definitions: Vec<Definition>,
    /// How many were added of each kind, by the names of records.
    pub invented: BTreeMap<String, u64>,
    /// Kinds in which there may be gaps between numbers, as something was added, left out or lost.
    pub gaps: BTreeSet<ReferenceKind>,
    /// Locations without an event file.
    pub fileless: BTreeSet<LocationRef>,
    /// Those of them that are undefined references.
    pub placeholders: Vec<LocationRef>,
    /// Undefined references and contradictions, in words.
    pub complaints: Complaints,
    /// Locations whose recorded number of events was wrong.
    pub recounted: u64,
    /// Set if the ticks of a second are assumed.
    pub assumed_resolution: bool,
}

/// Adds definitions for all references of events and of other definitions.
pub fn complete(definitions: Vec<Definition>, wanted: Wanted<'_>) -> Completed {
    let Wanted { facts, .. } = wanted;
    let mut completed = Completed::default();
    let mut book = Book::new(definitions, facts);
    differing(&book, facts).for_each(|text| completed.complaints.push(text));
    let missing = facts.missing.of(ReferenceKind::Location).iter();
    for location in facts.locations.keys().map(|location| location.0).chain(missing) {
        if !book.has(ReferenceKind::Location, location) {
            book.invent(ReferenceKind::Location, location, facts, CommGroups::default());
        }
    }
    location_lists(&mut book, facts, &mut completed.complaints);
    place_ranks(&mut book, facts, &mut completed.complaints);
    let groups = comm_groups(&mut book, facts, &mut completed.complaints);
    for (kind, number) in facts.missing.iter() {
        if !book.has(kind, number) {
            book.invent(kind, number, facts, groups);
        }
    }
    members(&mut book, &mut completed.complaints);
    close(&mut book, facts, groups, &mut completed.complaints);
    larger_than_lists(&book.definitions, &mut completed.complaints);
    if wanted.lost {
        book.changed
            .extend(ReferenceKind::ALL.iter().filter(|kind| **kind != ReferenceKind::String));
    }
    fill(&mut book, facts, groups);
    completed.assumed_resolution = clock(&mut book, wanted);
    count_events(&mut book, facts, &mut completed);
    completed.placeholders = std::mem::take(&mut book.placeholders);
    completed.invented = book.invented;
    completed.gaps = book.changed;
    completed.definitions = book.definitions;
    completed
}

/// Reports numbers to which events give values of several types.
fn differing<'a>(book: &'a Book, facts: &'a Facts) -> impl Iterator<Item = String> + 'a {
    let name = |kind, number: &u32| named(kind, u64::from(*number));
    let attributes = facts.attributes.iter().filter(|(_, seen)| seen.differs);
    let parameters = facts.parameters.iter().filter(|(_, seen)| seen.differs);
    let attributes = attributes.map(move |(number, _)| name(ReferenceKind::Attribute, number));
    let parameters = parameters.map(move |(number, _)| name(ReferenceKind::Parameter, number));
    let all = attributes.chain(book.metrics.differing()).chain(parameters);
    all.map(|what| format!("{what}: events give it values that are not all of one type"))
}

/// Adds definitions between synthesised numbers. Readers want numbers without gaps, and the program most likely had
/// them. Numbers that are spread stay so.
fn fill(book: &mut Book, facts: &Facts, groups: CommGroups) {
    for kind in ReferenceKind::ALL {
        let numbers = book.defined.of(*kind);
        let last = numbers.stretches().last().map_or(0, |(_, last)| last);
        let close = last <= 4 * numbers.count() + 1024;
        if *kind == ReferenceKind::Location || !close || !book.changed.contains(kind) {
            continue;
        }
        for number in 0..last {
            if !book.has(*kind, number) && book.take_room(*kind) {
                book.invent(*kind, number, facts, groups);
            }
        }
    }
}

/// Adds a clock if there is none. Returns whether the ticks of a second are assumed.
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

#[cfg(test)]
mod tests {
    use super::super::order::tests::{group, region, string};
    use super::*;
    use streamfold_model::definitions::{CartCoordinate, CartTopology, MetricInstance};
    use streamfold_model::enums::{GroupType, MetricScope};
    use streamfold_model::ids::{CartDimensionRef, CartTopologyRef, CommRef, MetricRef, StringRef};

    fn completed(definitions: Vec<Definition>, facts: &Facts) -> Completed {
        complete(definitions, Wanted { facts, resolution: None, donor_clocks: false, lost: false })
    }

    /// Definitions without valid content are left out, and all that reference them.
    #[test]
    fn topologies_without_dimensions_are_left_out() {
        let coordinate = Definition::CartCoordinate(CartCoordinate {
            cart_topology: CartTopologyRef(0),
            rank: 0,
            coordinates: vec![0],
        });
        let topology = Definition::CartTopology(CartTopology {
            id: CartTopologyRef(0),
            name: StringRef(1),
            communicator: CommRef(0),
            cart_dimensions: vec![CartDimensionRef(7)],
        });
        let all = vec![coordinate, topology, string(1, "a")];
        let completed = completed(all, &Facts::default());
        assert_eq!(completed.complaints.count, 2, "{:?}", completed.complaints);
        let is_cart = |definition: &&Definition| definition.name().starts_with("Cart");
        assert_eq!(completed.definitions.iter().filter(is_cart).count(), 0);
    }

    /// Numbers of the archive stay, and no name takes one that something leads to.
    #[test]
    fn names_that_are_lost_say_the_number() {
        let all = vec![string(1, "a"), region(4, 3), group(0, 1, GroupType::Unknown)];
        let completed = completed(all, &Facts::default());
        let region = completed.definitions.iter().find_map(|definition| match definition {
            Definition::Region(region) => Some(region.name),
            _ => None,
        });
        assert_ne!(region, Some(StringRef(3)));
        let text = completed.definitions.iter().find_map(|definition| match definition {
            Definition::StringDef(string) if Some(string.id) == region => {
                Some(string.string.clone())
            }
            _ => None,
        });
        assert_eq!(text, Some("Region 4".into()));
    }

    #[test]
    fn gaps_between_numbers_that_were_made_up_are_filled() {
        let mut facts = Facts::default();
        facts.missing.insert(ReferenceKind::Region, 3);
        facts.missing.insert(ReferenceKind::Parameter, 1 << 30);
        let completed = completed(Vec::new(), &facts);
        let count = |name: &str| completed.invented.get(name).copied();
        assert_eq!((count("Region"), count("Parameter")), (Some(4), Some(1)));
        assert!(completed.assumed_resolution);
    }

    /// Readers cut numbers to the width of the field; what is longer in a file means the same.
    #[test]
    fn numbers_that_are_too_long_are_cut() {
        let scope = |id: u32, scope: u64| {
            Definition::MetricInstance(MetricInstance {
                id: MetricRef(id),
                metric_class: MetricRef(0),
                recorder: LocationRef::UNDEFINED,
                metric_scope: MetricScope::LocationGroup,
                scope,
            })
        };
        let all = vec![scope(1, u64::MAX), scope(2, 7), scope(3, (9 << 32) | 7)];
        let completed = completed(all, &Facts::default());
        let groups = completed.definitions.iter().filter_map(|definition| match definition {
            Definition::LocationGroup(group) => Some(group.id.0),
            _ => None,
        });
        let groups: BTreeSet<u32> = groups.collect();
        assert!(groups.contains(&7) && !groups.contains(&u32::MAX), "{groups:?}");
        assert_eq!(completed.invented.get("LocationGroup"), Some(&(groups.len() as u64)));
    }
}
