//! Global definitions as they are read, and which of their numbers become others.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use streamfold_kernels::unify::{Key, Record};
use streamfold_model::definitions::{ClockProperties, Definition};
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;

use super::global_file::{GlobalFile, OtherFile};
use super::inputs::Clock;
use super::shells::Shells;
use super::source::Source;
use super::tally::Tally;
use crate::missing_definitions::MissingDefinitions;
use crate::unify::findings::{File, Findings};
use crate::unify::ranks::by_paradigm::is_name_of_list;
use crate::unify::same::metric_members::tell_members_apart;
use crate::unify::same::places::location;
use crate::unify::same::pool::Map;
use crate::unify::same::properties::add_properties;
use streamfold_otf2::Error;
use streamfold_system::exit::Failure;

/// Global definitions as they were read.
#[derive(Debug, Default)]
pub(crate) struct Read {
    /// Records that are compared.
    pub records: Vec<Record>,
    /// The locations, in the order of their definitions, with the numbers that they have there.
    pub locations: Vec<LocationRef>,
    /// All that was read.
    pub counts: Tally,
    /// Records of kinds that are not known.
    pub unknown: u64,
    /// Findings about single definitions.
    pub findings: Findings,
    /// For each record of the file which one it is of those that are compared.
    pub places: Vec<Option<usize>>,
    pub undefined: Undefined,
    /// How many locations only their own files define.
    pub missing_definitions: u64,
    /// The last properties of the clock, and how many before it say something else.
    clock: Option<ClockProperties>,
    other_clocks: u64,
}

/// Reads the global definitions of a source.
///
/// # Errors
///
/// When they cannot be read.
pub(crate) fn read(source: &impl Source) -> Result<Read, Failure> {
    let mut read = Read::default();
    let placed = source.placed();
    read.records.extend(placed.added());
    let mut seen = HashSet::new();
    // Locations that are defined again, by the numbers that they have now.
    let mut again = BTreeMap::new();
    source.global(&mut |definition| {
        let Ok(definition) = definition else {
            read.unknown += 1;
            read.places.push(None);
            return;
        };
        if let Definition::Location(location) = &definition {
            match seen.insert(location.id) {
                true => read.locations.push(location.id),
                false => drop(again.insert(placed.location(location.id), location.id)),
            }
        }
        read.take(definition, source);
    })?;
    read.tell_again(&again, source);
    read.tell_clocks(source);
    add_properties(&mut read.records);
    tell_members_apart(&mut read.records);
    Ok(read)
}

/// Locations that have files and that nobody defines.
#[derive(Debug, Default)]
pub(crate) struct Undefined {
    pub locations: BTreeSet<LocationRef>,
    /// Why nobody knows them.
    pub error: Option<String>,
}

impl Read {
    /// Takes in the locations that only their own files define, behind all that was read.
    pub(crate) fn find_unlisted(&mut self, source: &impl Source) {
        let Some(archive) = source.archive() else { return };
        let listed: HashSet<LocationRef> = self.locations.iter().copied().collect();
        let placed = source.placed();
        let is_listed = |location| listed.contains(&location) || placed.is_elsewhere(location);
        self.adopt(MissingDefinitions::find(archive, is_listed), source);
    }

    /// Takes in these locations, behind all that was read.
    pub(crate) fn adopt(
        &mut self,
        missing_definitions: Result<MissingDefinitions, Error>,
        source: &impl Source,
    ) {
        let MissingDefinitions { adopted, left } = match missing_definitions {
            Ok(missing_definitions) => missing_definitions,
            Err(error) => {
                self.undefined.error = Some(error.to_string());
                return;
            }
        };
        self.undefined.locations = left;
        self.locations.extend(adopted.locations());
        self.missing_definitions += adopted.locations().count() as u64;
        for (location, text) in adopted.lost {
            let of = source.placed().location(location);
            let file = File { name: || source.local_name(location), location: of };
            self.findings.lose(&file, text);
        }
        let file = File { name: || source.name(), location: LocationRef::UNDEFINED };
        let shells = &mut Shells::default();
        for definition in adopted.definitions {
            let findings = &mut self.findings;
            let tell = &mut |odd| findings.take(&file, odd);
            self.records.extend(source.placed().record(definition, true, shells, tell));
        }
    }

    fn take(&mut self, definition: Definition, source: &impl Source) {
        self.counts.count(definition.name());
        if let Definition::ClockProperties(clock) = &definition {
            let before = self.clock.replace(clock.clone());
            self.other_clocks += u64::from(before.is_some_and(|before| before != *clock));
        }
        let file = File { name: || source.name(), location: LocationRef::UNDEFINED };
        let findings = &mut self.findings;
        let (placed, shells) = (source.placed(), &mut Shells::default());
        let record = placed.record(definition, true, shells, &mut |odd| findings.take(&file, odd));
        self.places.push(record.is_some().then_some(self.records.len()));
        self.records.extend(record);
    }

    /// Tells of properties of the clock that others contradict, where there is to be one clock.
    fn tell_clocks(&mut self, source: &impl Source) {
        if self.other_clocks > 0 && source.placed().clock != Clock::Same {
            let file = File { name: || source.name(), location: LocationRef::UNDEFINED };
            let count = self.other_clocks + 1;
            let text = "and not as the same: the last ones count, all others are left out";
            let text = format!("ClockProperties are defined {count} times, {text}");
            self.findings.lose(&file, text);
        }
    }

    /// Tells of locations that are defined again, and not as the same.
    fn tell_again(&mut self, again: &BTreeMap<LocationRef, LocationRef>, source: &impl Source) {
        let mut said: BTreeMap<LocationRef, Vec<&Record>> = BTreeMap::new();
        for record in self.records.iter().filter(|_| !again.is_empty()) {
            let location = location(&record.shell);
            if let Some(was) = location.and_then(|location| again.get(&location)) {
                said.entry(*was).or_default().push(record);
            }
        }
        let differ = |same: &[&Record]| same.iter().any(|record| *record != same[0]);
        let file = File { name: || source.name(), location: LocationRef::UNDEFINED };
        for (location, same) in said.into_iter().filter(|(_, same)| differ(same)) {
            let (count, text) = (same.len(), "and not as the same: all stay");
            let text = format!("Location {location} is defined {count} times, {text}");
            self.findings.warn(&file, text);
        }
    }
}

/// Global numbers that have become others, by kind.
pub(crate) type Changed = BTreeMap<ReferenceKind, BTreeMap<u64, u64>>;

/// Returns the new number of a global one, if any definition of its kind has a new one.
pub(crate) fn now(changed: &Changed, kind: ReferenceKind, number: u64) -> Option<u64> {
    changed.get(&kind).and_then(|numbers| numbers.get(&number).copied())
}

/// Returns the global numbers of an archive that change. For any archive but the first.
pub(crate) fn changed_of_other(other: &OtherFile, numbers: &Map<Key, u64>) -> Changed {
    let mut changed = Changed::new();
    let mut change = |kind: ReferenceKind, number: u64, now: u64| {
        changed.entry(kind).or_default().insert(number, now);
    };
    for (&(kind, number), key) in &other.keys {
        if let Some(now) = numbers.get(key) {
            if *now != number && !is_name_of_list(kind, number) {
                change(kind, number, *now);
            }
        }
    }
    // A mapping table should not lead to what nobody defines.
    for (&(kind, number), key) in &other.nobody {
        if numbers.get(key) != Some(&number) {
            change(kind, number, kind.undefined());
        }
    }
    changed
}

/// Returns the global numbers that change. For rank 0.
pub(crate) fn changed(global: &GlobalFile, numbers: &Map<Key, u64>) -> Changed {
    let mut changed = Changed::new();
    let own = global.records.iter().map(|record| record.own);
    for (own, key) in own.zip(&global.keys) {
        let (Some((kind, number)), Some(now)) = (own, numbers.get(key)) else { continue };
        // Of several with the same number the last one is meant.
        match *now == number {
            true => drop(changed.entry(kind).or_default().remove(&number)),
            false => drop(changed.entry(kind).or_default().insert(number, *now)),
        }
    }
    changed.retain(|_, numbers| !numbers.is_empty());
    changed
}
