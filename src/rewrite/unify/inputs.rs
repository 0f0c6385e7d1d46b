//! The archives that become one, and what becomes of each of them before definitions are compared.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use bstr::BString;
use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::members::{place, stretches, Stretch};
use streamfold_model::definitions::{ClockProperties, Definition, Group, StringDef};
use streamfold_model::enums::{GroupFlag, GroupType, Paradigm};
use streamfold_model::ids::{CommRef, LocationRef, StringRef};
use streamfold_model::references::ReferenceKind;

use super::pool::Map;
use crate::formats::otf2::Archive;
use crate::rewrite::times::Times;

/// An archive, and its place among those with which it becomes one.
#[derive(Clone, Debug)]
pub struct Input {
    /// The archive.
    pub archive: Archive,
    /// How many locations it has; 0 where it is the only one and nobody knows yet.
    pub locations: u64,
    /// What becomes of it.
    pub placed: Placed,
}

impl Input {
    /// An archive of which nothing but its definitions changes.
    pub fn alone(archive: Archive) -> Input {
        Input { archive, locations: 0, placed: Placed::default() }
    }
}

/// What becomes of an archive before its definitions are compared with those of others.
#[derive(Clone, Debug, Default)]
pub struct Placed {
    /// Of which run it is a part, where there are others: what is made while a program runs is another one
    /// in each run.
    pub run: Option<u32>,
    /// Its locations, where they get other numbers.
    pub locations: Option<Arc<Renamed>>,
    /// What becomes of ranks, by the paradigm whose ranks they are.
    pub ranks: BTreeMap<Paradigm, Ranks>,
    /// What becomes of its clock properties.
    pub clock: Clock,
    /// What becomes of its times.
    pub times: Times,
    /// Whether definitions say that values may be locations.
    pub has_location_values: bool,
}

/// What becomes of clock properties.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Clock {
    /// They stay.
    #[default]
    Same,
    /// They are these now.
    Now(ClockProperties),
    /// Those of another archive count.
    Nothing,
}

/// Locations that get numbers one behind the other.
#[derive(Debug)]
pub struct Renamed {
    /// Their numbers so far, in their order.
    old: Vec<Stretch>,
    /// The new number of the first one.
    first: u64,
    /// Where each stands, where there are many stretches.
    places: OnceLock<Map<u64, u64>>,
}

impl Renamed {
    /// So many stretches are looked through faster than a table is made.
    const FEW: usize = 16;

    /// `old`: their numbers so far; `first`: the number that the first one gets.
    pub fn new(old: Vec<Stretch>, first: u64) -> Renamed {
        Renamed { old, first, places: OnceLock::new() }
    }

    /// The new number of a location; `None`: it is none of them.
    pub fn now(&self, location: u64) -> Option<u64> {
        let stands = match self.old.len() <= Self::FEW {
            true => place(&self.old, location),
            false => self.places.get_or_init(|| self.table()).get(&location).copied(),
        };
        stands.map(|stands| self.first + stands)
    }

    fn table(&self) -> Map<u64, u64> {
        let all = self.old.iter().flat_map(|stretch| stretch.members());
        // The first one counts, as it does where they are looked through.
        let mut places = Map::default();
        for (location, stands) in all.zip(0..) {
            places.entry(location).or_insert(stands);
        }
        places
    }

    /// All of them, with the numbers that they had and have.
    fn each(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.old.iter().flat_map(|stretch| stretch.members()).zip(self.first..)
    }
}

/// From here on strings have numbers that no archive gives, as they are not in it: names of lists, by
/// their paradigms.
const NAMES: u32 = u32::MAX - 0x100;

/// Whether an archive has no such number itself.
pub(super) fn is_name_of_list(kind: ReferenceKind, number: u64) -> bool {
    kind == ReferenceKind::String && number >= u64::from(NAMES)
}

fn name_of_list(paradigm: Paradigm) -> StringRef {
    StringRef(NAMES + u32::from(u8::from(paradigm)))
}

/// What becomes of ranks of a paradigm, which are places in a list of locations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranks {
    /// The list of this archive, with the numbers that locations had.
    pub own: Vec<Stretch>,
    /// The list of all archives, with the numbers that locations have.
    pub all: Arc<Vec<Stretch>>,
    /// Where in it that of this archive begins.
    pub shift: u64,
    /// The name of that list, if it is another one.
    pub name: Option<BString>,
}

impl Ranks {
    /// How many ranks there are in this archive.
    fn count(&self) -> u64 {
        self.own.iter().map(|stretch| stretch.count).sum()
    }
}

impl Placed {
    /// Whether ranks in events count among all locations, and would now have to be others.
    pub fn moves_global_ranks(&self, definition: &Definition) -> bool {
        let Definition::Group(group) = definition else { return false };
        group.group_type == GroupType::CommGroup
            && group.group_flags != GroupFlag::NONE
            && self.ranks.get(&group.paradigm).is_some_and(|ranks| ranks.shift > 0)
    }

    /// Ranks in a definition that are beyond those that there are: they lead nowhere among others.
    pub fn beyond(&self, definition: &Definition) -> u64 {
        let Definition::Group(group) = definition else { return 0 };
        let of_ranks = group.group_type == GroupType::CommGroup;
        let Some(ranks) = self.ranks.get(&group.paradigm).filter(|_| of_ranks) else { return 0 };
        let count = ranks.count();
        group.members.iter().filter(|member| **member >= count).count() as u64
    }

    /// Whether definitions, events and times are left as they are, but for numbers that unifying gives.
    pub fn is_same(&self) -> bool {
        self.locations.is_none()
            && self.times.is_identity()
            && self.clock == Clock::Same
            && self.ranks.values().all(|ranks| ranks.shift == 0 && *ranks.all == ranks.own)
    }

    /// The number that a location has now. Those that nobody defines lead nowhere where others have got
    /// new numbers.
    pub fn location(&self, location: LocationRef) -> LocationRef {
        match &self.locations {
            None => location,
            Some(renamed) => renamed.now(location.0).map_or(LocationRef::UNDEFINED, LocationRef),
        }
    }

    /// The numbers that locations had and have, where they have others.
    pub fn renamed(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.locations.iter().flat_map(|renamed| renamed.each())
    }

    /// By what a definition is told apart from others that say the same. Communicators, and what belongs to
    /// one, are told apart by who is in them.
    pub fn of(&self, definition: &Definition, is_global: bool) -> u64 {
        let Some(run) = self.run.map(|run| (u64::from(run) + 1) << 32) else { return 0 };
        match definition {
            // Parts of one run have them under the same numbers.
            Definition::LocationGroup(group) if is_global => run | u64::from(group.id.0),
            Definition::LocationGroup(_) => run,
            Definition::IoHandle(handle) if handle.comm == CommRef::UNDEFINED => run,
            // Ranks of nobody knows which list.
            Definition::Group(group)
                if group.group_type == GroupType::CommGroup
                    && !self.ranks.contains_key(&group.paradigm) =>
            {
                run
            }
            _ => 0,
        }
    }

    /// Definitions that are not in the archive, and come before all that are.
    pub fn added(&self) -> impl Iterator<Item = Definition> + '_ {
        self.ranks.iter().filter_map(|(paradigm, ranks)| {
            let (id, string) = (name_of_list(*paradigm), ranks.name.clone()?);
            Some(Definition::StringDef(StringDef { id, string }))
        })
    }

    /// A definition as it is compared with those of other archives; `None`: it does not count.
    pub fn definition(&self, mut definition: Definition) -> Option<Definition> {
        let is_done = match (&mut definition, &self.clock) {
            (Definition::ClockProperties(_), Clock::Nothing) => return None,
            (Definition::ClockProperties(clock), Clock::Now(now)) => {
                *clock = now.clone();
                true
            }
            (Definition::Group(group), _) => self.group(group),
            _ => false,
        };
        if is_done {
            return Some(definition);
        }
        if self.locations.is_some() {
            definition.renumber(&mut |kind, number| match kind {
                ReferenceKind::Location => self.location(LocationRef(number)).0,
                _ => number,
            });
            if let Definition::Location(location) = &mut definition {
                location.id = self.location(location.id);
            }
        }
        Some(definition)
    }

    /// Changes the members of a group of ranks, or of all locations that have ranks. `false`: it is
    /// neither.
    fn group(&self, group: &mut Group) -> bool {
        let ranks = self.ranks.get(&group.paradigm);
        match (group.group_type, ranks) {
            (GroupType::CommLocations, Some(ranks)) => {
                if stretches(group.members.iter().copied()) == ranks.own {
                    group.members = ranks.all.iter().flat_map(|all| all.members()).collect();
                    if ranks.name.is_some() {
                        group.name = name_of_list(group.paradigm);
                    }
                    return true;
                }
                false
            }
            (GroupType::CommGroup, Some(ranks)) => {
                let count = ranks.count();
                for member in &mut group.members {
                    // Who is in no list of its own archive is nobody in that of all.
                    *member = match *member < count {
                        true => *member + ranks.shift,
                        false => u64::MAX,
                    };
                }
                true
            }
            _ => false,
        }
    }
}

/// A location that is read: in the order of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Numbered {
    /// Which one it is among all that is read, from 1: the global definitions of each archive but the
    /// first count, too, and come before its locations.
    pub ordinal: u64,
    /// Which archive it is in.
    pub input: u32,
    /// The number that it has there.
    pub location: LocationRef,
    /// The number that it gets.
    pub now: LocationRef,
}
