//! The archives that become one, and what becomes of each of them before definitions are compared.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::members::{Places, Stretch};
use streamfold_kernels::unify::Record;
use streamfold_model::definitions::{ClockProperties, Definition, Group};
use streamfold_model::enums::{GroupType, Paradigm};
use streamfold_model::ids::{CommRef, LocationRef};
use streamfold_model::references::ReferenceKind;

use super::records;
use super::shells::Shells;
use crate::times::Times;
use crate::unify::findings::{called_by_number, missing, numbered, Odd};
use crate::unify::ranks::by_paradigm::{name_of_list, Ranks};
use crate::unify::ranks::joined::JoinedLists;
use streamfold_otf2::Archive;

/// An archive, and its place among those with which it becomes one.
#[derive(Clone, Debug)]
pub struct Input {
    /// The archive.
    pub archive: Archive,
    /// How many locations it has; 0 where it is the only one and nobody knows yet.
    pub locations: u64,
    /// Changes to it.
    pub placed: Placed,
}

impl Input {
    /// An archive of which nothing but its definitions changes.
    pub fn alone(archive: Archive) -> Input {
        Input { archive, locations: 0, placed: Placed::default() }
    }
}

/// Changes to an archive before its definitions are compared with those of others.
#[derive(Clone, Debug, Default)]
pub struct Placed {
    /// Of which run it is a part, where there are others: what is made while a program runs is another one
    /// in each run.
    pub run: Option<u32>,
    /// The locations of its run, where there are others.
    pub locations: Option<Arc<Renamed>>,
    /// New ranks, by the paradigm whose ranks they are.
    pub ranks: BTreeMap<Paradigm, Ranks>,
    /// The same of definitions of locations, where lists differ from location to location.
    pub joined: JoinedLists,
    /// Treatment of its clock properties.
    pub clock: Clock,
    /// Conversion of its times.
    pub times: Times,
    /// True if values may be locations, according to the definitions.
    pub has_location_values: bool,
    /// Locations that other parts have, for a part that was cut out of a trace. Its own definitions of them do not
    /// count.
    pub elsewhere: Option<Arc<Places>>,
}

/// Treatment of clock properties.
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

/// The locations of a run, which may get numbers one behind the other.
#[derive(Debug)]
pub struct Renamed {
    /// Their numbers so far, in their order.
    old: Places,
    /// The new number of the first one; `None`: all keep theirs.
    first: Option<u64>,
}

impl Renamed {
    /// `old`: their numbers so far; `first`: the number that the first one gets, if they get others.
    pub fn new(old: Vec<Stretch>, first: Option<u64>) -> Renamed {
        Renamed { old: Places::new(old), first }
    }

    /// Returns whether they get other numbers.
    pub fn is_other(&self) -> bool {
        self.first.is_some()
    }

    /// The number that a location has now; `None`: it is none of them.
    pub fn now(&self, location: u64) -> Option<u64> {
        let stands = self.old.of(location);
        stands.map(|stands| self.first.map_or(location, |first| first + stands))
    }

    /// The number that stands for a location now: where others have got new numbers, one that is none of
    /// them leads nowhere.
    pub fn number(&self, location: u64) -> u64 {
        let unknown = if self.is_other() { LocationRef::UNDEFINED.0 } else { location };
        self.now(location).unwrap_or(unknown)
    }

    /// The number that a location had; `None`: it is none of them.
    fn was(&self, now: u64) -> Option<u64> {
        self.first.map_or(Some(now), |first| self.old.at(now.checked_sub(first)?))
    }

    /// All of them, with the numbers that they had and have, where they have others.
    fn each(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.first.into_iter().flat_map(|first| self.old.members().zip(first..))
    }
}

impl Placed {
    /// Returns whether definitions, events and times stay as they are, apart from numbers that unifying gives.
    pub fn is_same(&self) -> bool {
        self.renamed_locations().is_none()
            && self.times.is_identity()
            && self.clock == Clock::Same
            && self.ranks.values().all(|ranks| ranks.shift == 0 && *ranks.all == ranks.own)
    }

    /// Returns whether it was cut out of the same trace as others. Then numbers of its definitions are its own, and it
    /// has no more of them than it needs.
    pub fn is_cut(&self) -> bool {
        self.elsewhere.is_some()
    }

    /// Returns whether it defines a location that another part has.
    pub fn is_elsewhere(&self, location: LocationRef) -> bool {
        self.elsewhere.as_ref().is_some_and(|others| others.of(location.0).is_some())
    }

    /// The locations of its run, where they get other numbers.
    pub fn renamed_locations(&self) -> Option<&Renamed> {
        self.locations.as_deref().filter(|locations| locations.is_other())
    }

    /// Returns whether definitions of locations are compared as they are.
    pub(crate) fn keeps_definitions(&self) -> bool {
        self.run.is_none() && self.renamed_locations().is_none() && self.ranks.is_empty()
    }

    /// The number that a location has now. Those that nobody defines lead nowhere where others have got
    /// new numbers.
    pub fn location(&self, location: LocationRef) -> LocationRef {
        match &self.locations {
            None => location,
            Some(renamed) => LocationRef(renamed.number(location.0)),
        }
    }

    /// The number that a location had in the archive, by the one that it has now: what is told of files is told with
    /// their numbers.
    pub(crate) fn location_was(&self, now: LocationRef) -> LocationRef {
        let was = self.locations.as_ref().and_then(|renamed| renamed.was(now.0));
        was.map_or(now, LocationRef)
    }

    /// The numbers that locations had and have, where they have others.
    pub fn renamed(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.locations.iter().flat_map(|renamed| renamed.each())
    }

    /// By what a definition is told apart from others that say the same. Communicators, and what belongs to
    /// one, are told apart by who is in them.
    pub fn of(&self, definition: &Definition) -> u64 {
        let Some(run) = self.run.map(|run| (u64::from(run) + 1) << 32) else { return 0 };
        match definition {
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
    pub(crate) fn added(&self) -> impl Iterator<Item = Record> + '_ {
        let names = self.ranks.iter();
        names.filter_map(|(paradigm, ranks)| Some(name_of_list(*paradigm, ranks.name.as_ref()?)))
    }

    /// A definition as it is compared with those of other archives; `None`: it does not count. `tell`
    /// learns what is wrong with it.
    pub(crate) fn record(
        &self,
        mut definition: Definition,
        is_global: bool,
        shells: &mut Shells,
        tell: &mut dyn FnMut(Odd),
    ) -> Option<Record> {
        match (&mut definition, &self.clock) {
            (Definition::ClockProperties(_), Clock::Nothing) => return None,
            (Definition::ClockProperties(clock), Clock::Now(now)) => *clock = now.clone(),
            (Definition::Group(group), _) => match self.ranks.get(&group.paradigm) {
                // Once all of the file was read, as it may have a list of its own.
                Some(_) if !is_global && self.joined.has(group.paradigm) => {
                    self.relocate(&mut definition, tell);
                }
                Some(ranks) if ranks.is_list(group) => {
                    self.tell_unknown(group, tell);
                    return Some(ranks.joined(group));
                }
                Some(ranks) if group.group_type == GroupType::CommGroup => ranks.shift(group, tell),
                _ => self.relocate(&mut definition, tell),
            },
            _ => self.relocate(&mut definition, tell),
        }
        // Two of them may stand in the list of one event, where none may stand twice. In a trace alone there
        // may be one for each process, and nobody has seen both in one list.
        let is_other =
            matches!(definition, Definition::Attribute(_)) && (self.run.is_some() || !is_global);
        let of = self.of(&definition);
        let mut record = records::record_with(definition, of, shells);
        if is_other {
            record.says_mut().made = true;
        }
        Some(record)
    }

    /// Gives to all locations in a definition the numbers that they have now.
    fn relocate(&self, definition: &mut Definition, tell: &mut dyn FnMut(Odd)) {
        let Some(renamed) = self.renamed_locations() else { return };
        let (mut count, mut first) = (0, None);
        definition.renumber(&mut |kind, number| {
            if kind != ReferenceKind::Location || number == kind.undefined() {
                return number;
            }
            let now = renamed.number(number);
            if now == kind.undefined() {
                count += 1;
                first.get_or_insert(number);
            }
            now
        });
        if let Some(first) = first {
            let (called, first) =
                (called_by_number(definition), numbered(ReferenceKind::Location, first));
            tell(Odd::Lost(missing(&called, count, &first, "undefined now"), count));
        }
        if let Definition::Location(location) = definition {
            location.id = self.location(location.id);
        }
    }

    /// Tells of locations in a list that are none.
    fn tell_unknown(&self, group: &Group, tell: &mut dyn FnMut(Odd)) {
        let Some(locations) = &self.locations else { return };
        let is_unknown = |member: &&u64| **member != u64::MAX && locations.now(**member).is_none();
        let mut unknown = group.members.iter().filter(is_unknown);
        let Some(first) = unknown.next() else { return };
        let count = unknown.count() as u64 + 1;
        let called = numbered(ReferenceKind::Group, group.id.0.into());
        let first = numbered(ReferenceKind::Location, *first);
        tell(match locations.is_other() {
            true => Odd::Lost(missing(&called, count, &first, "undefined now"), count),
            false => Odd::Kept(missing(&called, count, &first, "it stays")),
        });
    }
}

/// A location that is read: in the order of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Numbered {
    /// Place in the order of reading, from 1. The global definitions of each archive but the first count, too, and come
    /// before its locations.
    pub ordinal: u64,
    /// Number of its archive.
    pub input: u32,
    /// The number that it has there.
    pub location: LocationRef,
    /// The number that it gets.
    pub now: LocationRef,
}

/// Locations of an archive that have an order of their own.
const LOCATIONS: u32 = 40;

/// The place of a location of an archive, from 1, among all that is read; 0: of its global definitions.
pub(crate) fn ordinal(input: u32, index: u64) -> u64 {
    (u64::from(input) << LOCATIONS).saturating_add(index)
}

/// The archive of something that is read, and its place there: 0 for the global definitions, else that of its
/// location, from 1.
pub(crate) fn in_archive(ordinal: u64) -> (u32, u64) {
    ((ordinal >> LOCATIONS) as u32, ordinal & ((1 << LOCATIONS) - 1))
}
