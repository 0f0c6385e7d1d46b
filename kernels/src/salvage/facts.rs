//! Facts about missing definitions, found in events.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use streamfold_model::enums::{ParameterType, Type};
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;
use streamfold_model::values::Ticks;

use super::numbers::NumbersByKind;
use super::processes::most_fileless;

/// Most definitions that are synthesised for events, and the most for other definitions. A program with more needs a
/// donor. Each value of a metric counts.
pub(super) const MOST_MADE_UP: u64 = 1 << 20;

/// A limit of synthesised definitions that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooMany {
    /// Of definitions of all kinds, than this number.
    Definitions(u64),
    /// Of locations without a file, than this number.
    Locations(u64),
}

/// Facts found in the events of some locations. Folding is associative and commutative.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Undefined references, by kind.
    pub missing: NumbersByKind,
    /// The types of the values of such attributes.
    pub attributes: BTreeMap<u32, Seen<Type>>,
    /// The types of the values of such metrics, and of those that definitions leave unclear.
    pub metrics: BTreeMap<u32, Seen<ValueTypes>>,
    /// The types of such parameters.
    pub parameters: BTreeMap<u32, Seen<ParameterType>>,
    /// How such communicators are used, and those that definitions leave unclear.
    pub comms: BTreeMap<u32, CommUse>,
    /// How many ranks such windows have at least.
    pub windows: BTreeMap<u32, u64>,
    /// The locations.
    pub locations: BTreeMap<LocationRef, LocationFacts>,
    /// How many numbers are missing, and how many values metrics have.
    held: u64,
    /// Set if more definitions are missing than are held.
    is_full: bool,
}

/// Types of the values of a metric. More values come first, so that the least of all has a place for each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueTypes(pub Vec<Type>);

impl Ord for ValueTypes {
    fn cmp(&self, other: &Self) -> Ordering {
        (Reverse(self.0.len()), &self.0).cmp(&(Reverse(other.0.len()), &other.0))
    }
}

impl PartialOrd for ValueTypes {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A property that should be the same for all events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen<T> {
    /// The least of all values.
    pub least: T,
    /// Set if there were different values.
    pub differs: bool,
}

impl<T: Ord> Seen<T> {
    pub(super) fn fold(&mut self, other: Seen<T>) {
        self.differs |= other.differs || other.least != self.least;
        if other.least < self.least {
            self.least = other.least;
        }
    }

    /// Adds what was seen of a number.
    pub(super) fn add(seen: &mut BTreeMap<u32, Seen<T>>, number: u32, value: T) {
        Seen::put(seen, number, Seen { least: value, differs: false });
    }

    pub(super) fn put(seen: &mut BTreeMap<u32, Seen<T>>, number: u32, value: Seen<T>) {
        match seen.get_mut(&number) {
            Some(seen) => seen.fold(value),
            None => drop(seen.insert(number, value)),
        }
    }

    fn fold_all(into: &mut BTreeMap<u32, Seen<T>>, other: BTreeMap<u32, Seen<T>>) {
        other.into_iter().for_each(|(number, value)| Seen::put(into, number, value));
    }
}

/// How a communicator is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommUse {
    /// How many ranks it has at least.
    pub ranks: u64,
    /// Set if messages and collective operations name it, and not only threads.
    pub messages: bool,
}

impl CommUse {
    fn fold(&mut self, other: CommUse) {
        self.ranks = self.ranks.max(other.ranks);
        self.messages |= other.messages;
    }
}

/// Facts about a location, found in its events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocationFacts {
    /// Events that were kept.
    pub events: u64,
    /// First and last time by its own clock offsets, in ticks.
    pub span: Option<(Ticks, Ticks)>,
    /// The same by those of the donor; as by its own where the donor has none for it.
    pub donor_span: Option<(Ticks, Ticks)>,
    /// Kinds of its events.
    pub activity: Activity,
}

/// Kinds of events of a location.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activity {
    /// Set if the program runs there: regions, messages, I/O.
    pub program: bool,
    /// Set if there are metrics.
    pub metrics: bool,
    /// Set if it takes part in messages and collective operations of MPI.
    pub mpi: bool,
}

impl Facts {
    /// Something of a kind is missing. `false`: more is missing than is held.
    pub(super) fn miss(&mut self, kind: ReferenceKind, number: u64) -> bool {
        self.missing.has(kind, number) || {
            let has_room = self.hold(1);
            if has_room {
                self.missing.insert(kind, number);
            }
            has_room
        }
    }

    /// Makes room for so much more. `false`: there is none.
    fn hold(&mut self, more: u64) -> bool {
        let has_room = self.held + more <= MOST_MADE_UP;
        match has_room {
            true => self.held += more,
            false => self.is_full = true,
        }
        has_room
    }

    /// Values of these types were seen of a metric.
    pub(super) fn see_metric(&mut self, number: u32, types: ValueTypes) {
        let more = match self.metrics.get(&number) {
            Some(seen) => types.0.len().saturating_sub(seen.least.0.len()),
            None => types.0.len(),
        };
        if self.hold(more as u64) {
            Seen::add(&mut self.metrics, number, types);
        }
    }

    pub(super) fn use_comm(&mut self, number: u32, comm: CommUse) {
        self.comms.entry(number).or_default().fold(comm);
    }

    pub(super) fn use_window(&mut self, number: u32, ranks: u64) {
        let known = self.windows.entry(number).or_default();
        *known = ranks.max(*known);
    }

    /// With those of other locations.
    pub fn fold(mut self, other: Facts) -> Facts {
        self.missing.fold(&other.missing);
        Seen::fold_all(&mut self.attributes, other.attributes);
        Seen::fold_all(&mut self.metrics, other.metrics);
        Seen::fold_all(&mut self.parameters, other.parameters);
        other.comms.into_iter().for_each(|(number, comm)| self.use_comm(number, comm));
        other.windows.into_iter().for_each(|(number, ranks)| self.use_window(number, ranks));
        self.locations.extend(other.locations);
        let values: u64 = self.metrics.values().map(|seen| seen.least.0.len() as u64).sum();
        self.held = self.missing.count() + values;
        self.is_full |= other.is_full || self.held > MOST_MADE_UP;
        self
    }

    /// Returns whether more definitions are missing than are held.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Returns the limit that the number of missing definitions exceeds.
    pub fn too_many(&self) -> Option<TooMany> {
        let missing = self.missing.of(ReferenceKind::Location);
        let has_file = |number: &u64| self.locations.contains_key(&LocationRef(*number));
        let fileless = missing.iter().filter(|number| !has_file(number)).count() as u64;
        let most = most_fileless(self.locations.len());
        match self.is_full {
            true => Some(TooMany::Definitions(MOST_MADE_UP)),
            false => (fileless > most).then_some(TooMany::Locations(most)),
        }
    }

    /// First and last time of all locations: by the clock offsets of the donor, or not.
    pub fn span(&self, donor: bool) -> Option<(Ticks, Ticks)> {
        let spans = self.spans(donor);
        spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// How far apart the first events of locations are, in ticks.
    pub fn spread(&self, donor: bool) -> u64 {
        let first = |spans: &mut dyn Iterator<Item = Ticks>| {
            spans.fold((u64::MAX, 0), |(least, most), time| (time.0.min(least), time.0.max(most)))
        };
        let (least, most) = first(&mut self.spans(donor).map(|(first, _)| first));
        most.saturating_sub(least)
    }

    fn spans(&self, donor: bool) -> impl Iterator<Item = (Ticks, Ticks)> + '_ {
        self.locations.values().filter_map(move |of| if donor { of.donor_span } else { of.span })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_a_million_numbers_are_not_held() {
        let mut facts = Facts::default();
        assert!((0..MOST_MADE_UP).all(|number| facts.miss(ReferenceKind::Region, 2 * number)));
        assert!(facts.miss(ReferenceKind::Region, 0) && !facts.is_full());
        assert!(!facts.miss(ReferenceKind::String, 0) && facts.is_full());
        assert_eq!(facts.too_many(), Some(TooMany::Definitions(MOST_MADE_UP)));
    }

    /// Shares that are not too large may be, together.
    #[test]
    fn shares_count_together_and_once() {
        let share = |from: u64| {
            let mut facts = Facts::default();
            (from..from + MOST_MADE_UP).all(|number| facts.miss(ReferenceKind::Region, number));
            facts
        };
        assert_eq!(share(0).fold(share(0)).too_many(), None);
        assert!(share(0).fold(share(1)).is_full());
    }

    #[test]
    fn values_of_metrics_count() {
        let mut facts = Facts::default();
        let types = |count: usize| ValueTypes(vec![Type::Uint64; count]);
        (0..4112).for_each(|metric| facts.see_metric(metric, types(255)));
        assert!(!facts.is_full());
        facts.see_metric(0, types(255));
        facts.see_metric(4112, types(16));
        assert!(!facts.is_full());
        facts.see_metric(4113, types(1));
        assert!(facts.is_full());
    }

    #[test]
    fn the_least_of_types_has_room_for_all() {
        let [one, two] =
            [&[Type::Uint64][..], &[Type::Double; 2]].map(|all| ValueTypes(all.into()));
        assert!(two < one);
    }

    #[test]
    fn locations_without_a_file_are_few() {
        let mut facts = Facts::default();
        let location = ReferenceKind::Location;
        facts.locations.insert(LocationRef(5), LocationFacts::default());
        assert!((0..=1040).all(|number| facts.miss(location, number)));
        // One of them has a file.
        assert_eq!(facts.too_many(), None);
        assert!(facts.miss(location, 1041));
        assert_eq!(facts.too_many(), Some(TooMany::Locations(1040)));
    }
}
