//! What events say of definitions that nobody has.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use streamfold_model::enums::{ParameterType, Type};
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;
use streamfold_model::values::Ticks;

use super::numbers::NumbersByKind;

/// More stretches of numbers of one kind that nobody defines are not held: no program has so many.
pub const MOST_STRETCHES: usize = 1 << 20;

/// More numbers of one kind are not made up.
const MOST_MISSING: u64 = 1 << 24;

/// What the events of some locations say. Folding is associative and commutative.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// What they lead to and nobody defines.
    pub missing: NumbersByKind,
    /// The types of the values of such attributes.
    pub attributes: BTreeMap<u32, Seen<Type>>,
    /// The types of the values of such metrics.
    pub metrics: BTreeMap<u32, Seen<Vec<Type>>>,
    /// The types of such parameters.
    pub parameters: BTreeMap<u32, Seen<ParameterType>>,
    /// How such communicators are used.
    pub comms: BTreeMap<u32, CommUse>,
    /// How many ranks such windows have at least.
    pub windows: BTreeMap<u32, u64>,
    /// The locations.
    pub locations: BTreeMap<LocationRef, LocationFacts>,
    /// A kind of which more is missing than can be held.
    too_many: Option<ReferenceKind>,
}

/// What is the same for all events, or should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen<T> {
    /// The least of what was seen.
    pub least: T,
    /// Whether there was anything else.
    pub differs: bool,
}

impl<T: Ord> Seen<T> {
    fn fold(&mut self, other: Seen<T>) {
        self.differs |= other.differs || other.least != self.least;
        if other.least < self.least {
            self.least = other.least;
        }
    }

    /// Adds what was seen of a number.
    pub(super) fn add(seen: &mut BTreeMap<u32, Seen<T>>, number: u32, value: T) {
        Seen::put(seen, number, Seen { least: value, differs: false });
    }

    fn put(seen: &mut BTreeMap<u32, Seen<T>>, number: u32, value: Seen<T>) {
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
    /// Whether messages and collective operations name it, and not only threads.
    pub messages: bool,
}

impl CommUse {
    fn fold(&mut self, other: CommUse) {
        self.ranks = self.ranks.max(other.ranks);
        self.messages |= other.messages;
    }
}

/// What is known of a location from its events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocationFacts {
    /// Events that were kept.
    pub events: u64,
    /// First and last time by its own clock offsets, in ticks.
    pub span: Option<(Ticks, Ticks)>,
    /// The same by those of the donor; as by its own where the donor has none for it.
    pub donor_span: Option<(Ticks, Ticks)>,
    /// Whether the program runs there: regions, messages, I/O.
    pub program: bool,
    /// Whether there are metrics.
    pub metrics: bool,
}

impl Facts {
    /// What is missing of a kind.
    pub(super) fn miss(&mut self, kind: ReferenceKind, number: u64) {
        if self.missing.of(kind).pieces() < MOST_STRETCHES {
            self.missing.insert(kind, number);
        } else if !self.missing.has(kind, number) {
            self.too_many = self.too_many.max(Some(kind));
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
        self.too_many = self.too_many.max(other.too_many);
        let too_many = |kind: &&ReferenceKind| self.missing.of(**kind).pieces() > MOST_STRETCHES;
        let kind = ReferenceKind::ALL.iter().find(too_many).copied();
        self.too_many = self.too_many.max(kind);
        self
    }

    /// Whether more is missing than can be held.
    pub fn is_full(&self) -> bool {
        self.too_many.is_some()
    }

    /// A kind of which more is missing than can be made up.
    pub fn too_many(&self) -> Option<ReferenceKind> {
        let many = |kind: &&ReferenceKind| self.missing.of(**kind).count() > MOST_MISSING;
        self.too_many.or_else(|| ReferenceKind::ALL.iter().find(many).copied())
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
