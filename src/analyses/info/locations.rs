//! Locations by type and group, and the events that the definitions announce.

use std::collections::BTreeMap;

use bstr::BString;
use streamfold_model::definitions::Location;
use streamfold_model::enums::{LocationGroupType, LocationType};
use streamfold_model::ids::{LocationGroupRef, LocationRef};
use streamfold_model::store::Definitions;

use streamfold_text::names;

/// Locations and their declared events.
#[derive(Clone, Debug)]
pub struct Locations {
    /// All of them.
    pub all: OfType,
    /// By type.
    pub by_type: BTreeMap<LocationType, OfType>,
    /// Location groups by type.
    pub groups: BTreeMap<LocationGroupType, u64>,
    /// Locations of the smallest and of the largest group that has any.
    pub in_a_group: Option<(u64, u64)>,
    /// Locations whose group is not defined.
    pub without_group: u64,
    /// Those with the most events, the first one first; a few.
    pub longest: Vec<Longest>,
}

/// Locations of a type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OfType {
    /// Locations.
    pub locations: u64,
    /// The events of all.
    pub events: u64,
    /// The events of the location that has the fewest.
    pub fewest: u64,
    /// The events of the location that has the most.
    pub most: u64,
}

impl OfType {
    fn add(&mut self, events: u64) {
        self.fewest = if self.locations == 0 { events } else { self.fewest.min(events) };
        self.most = self.most.max(events);
        self.locations += 1;
        self.events = self.events.saturating_add(events);
    }
}

/// A location with many events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Longest {
    /// The location.
    pub location: LocationRef,
    /// Its name, where it is defined.
    pub name: Option<BString>,
    /// Its group's name, where it is defined.
    pub group: Option<BString>,
    /// Both, or what stands for them, as reports name locations.
    pub place: String,
    /// Its declared events.
    pub events: u64,
}

impl Locations {
    /// Number of the longest that are reported.
    const LONGEST: usize = 3;

    pub(super) fn of(definitions: &Definitions) -> Locations {
        let mut all = OfType::default();
        let mut by_type: BTreeMap<LocationType, OfType> = BTreeMap::new();
        let mut members: BTreeMap<LocationGroupRef, u64> = BTreeMap::new();
        let mut without_group = 0;
        for location in definitions.locations.values() {
            all.add(location.number_of_events);
            by_type.entry(location.location_type).or_default().add(location.number_of_events);
            match definitions.location_groups.contains_key(&location.location_group) {
                true => *members.entry(location.location_group).or_default() += 1,
                false => without_group += 1,
            }
        }
        let mut groups: BTreeMap<LocationGroupType, u64> = BTreeMap::new();
        for group in definitions.location_groups.values() {
            *groups.entry(group.location_group_type).or_default() += 1;
        }
        let in_a_group = members.values().min().copied().zip(members.values().max().copied());
        let longest = longest(definitions);
        Locations { all, by_type, groups, in_a_group, without_group, longest }
    }
}

fn longest(definitions: &Definitions) -> Vec<Longest> {
    let mut longest: Vec<&Location> = Vec::new();
    for location in definitions.locations.values() {
        // Of equal ones the first that is defined.
        let at =
            longest.partition_point(|other| other.number_of_events >= location.number_of_events);
        if at < Locations::LONGEST {
            longest.insert(at, location);
            longest.truncate(Locations::LONGEST);
        }
    }
    let told = |location: &Location| Longest {
        location: location.id,
        name: definitions.location_name(location.id).map(ToOwned::to_owned),
        group: definitions.location_group_name(location.location_group).map(ToOwned::to_owned),
        place: names::place(definitions, location.id),
        events: location.number_of_events,
    };
    longest.into_iter().map(told).collect()
}
