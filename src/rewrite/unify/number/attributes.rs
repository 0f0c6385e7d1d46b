//! Attributes that say the same. They become one unless an event has two of them, as no attribute may stand twice
//! in its list.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::{Key, Record, Ref, Scope, Seed};
use streamfold_model::events::{Event, EventVisitor};
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;
use streamfold_model::stream::EventHead;

use crate::unify::read::inputs::Input;
use crate::unify::same::known::ByNumber;
use streamfold_drive::{on_workers, Queue};
use streamfold_otf2::LocalDefinitions;

/// Global attributes that say the same as others, by their numbers: each with the number of the first one.
pub(crate) type Same = BTreeMap<u32, u32>;

/// The global attributes that say what others say with another number. For one number the last definition counts,
/// which events mean.
pub(crate) fn same(records: &[Record]) -> Same {
    let is_attribute = |record: &&Record| matches!(record.own, Some((ReferenceKind::Attribute, _)));
    let attributes = records.iter().filter(is_attribute);
    let led_to: BTreeSet<Ref> = attributes.flat_map(|record| record.refs.iter().copied()).collect();
    let is_needed = |record: &&Record| match record.own {
        Some((ReferenceKind::Attribute, _)) => true,
        Some((ReferenceKind::String, number)) => {
            led_to.contains(&Ref::Number(ReferenceKind::String, number))
        }
        _ => false,
    };
    // Only strings are around attributes, and nothing around those.
    let few: Vec<Record> = records.iter().filter(is_needed).cloned().collect();
    let scope = Scope::new(&few);
    let resolved = scope.resolve(&ByNumber, |_, content| content.key(Seed::default()));
    let mut by_key: BTreeMap<Option<Key>, Vec<u32>> = BTreeMap::new();
    let attributes = scope.numbers().filter(|(kind, ..)| *kind == ReferenceKind::Attribute);
    for (_, number, place) in attributes {
        by_key.entry(resolved.keys[place]).or_default().push(number as u32);
    }
    let several = by_key.into_values().filter(|numbers| numbers.len() > 1);
    several
        .flat_map(|numbers| numbers.clone().into_iter().map(move |it| (it, numbers[0])))
        .collect()
}

/// Attributes of which two that say the same are in the list of one event, the lower number first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pairs {
    found: BTreeSet<(u32, u32)>,
    /// True if there are more than are looked at: then none is kept.
    too_many: bool,
}

impl Pairs {
    /// Number that are looked at.
    const MOST: usize = 1 << 18;

    /// As if any two of them were in one list.
    pub(crate) fn any() -> Pairs {
        Pairs { found: BTreeSet::new(), too_many: true }
    }

    /// Reads those of locations of an archive whose numbers are global, with all threads. Events that cannot be read
    /// are reported when they are copied.
    pub(crate) fn read(
        input: &Input,
        locations: &[LocationRef],
        workers: NonZeroUsize,
        same: &Same,
    ) -> Pairs {
        let work = |queue: &Queue<'_, LocationRef>| {
            let mut pairs = Pairs::default();
            while let Some(location) = queue.take() {
                pairs.look(input, location, same);
            }
            pairs
        };
        on_workers(locations, workers, work, Pairs::fold)
    }

    /// Adds those of a location.
    pub(crate) fn look(&mut self, input: &Input, location: LocationRef, same: &Same) {
        if let Ok(mut events) = input.archive.events_with(location, LocalDefinitions::default()) {
            let _told_later = events.read_all(&mut Looking { pairs: self, same, now: Vec::new() });
        }
    }

    /// With those of others.
    pub(crate) fn fold(mut self, other: Pairs) -> Pairs {
        self.too_many |= other.too_many;
        self.found.extend(other.found);
        self.limited()
    }

    /// Drops all above the limit. A part of the pairs exceeds it only if all pairs do.
    fn limited(self) -> Pairs {
        match self.too_many || self.found.len() > Pairs::MOST {
            true => Pairs::any(),
            false => self,
        }
    }

    /// The first one of all that were kept.
    pub(crate) fn first(&self) -> Option<(u32, u32)> {
        self.found.first().copied()
    }

    fn has(&self, one: u32, other: u32) -> bool {
        self.too_many || self.found.contains(&(one.min(other), one.max(other)))
    }

    /// Assigns each attribute to one of several that stay of the same ones: the first with which it is in no list.
    fn apart(&self, same: &Same) -> BTreeMap<u32, u64> {
        let mut which: BTreeMap<u32, u64> = BTreeMap::new();
        let mut known: BTreeMap<u32, Vec<Vec<u32>>> = BTreeMap::new();
        for (number, first) in same {
            let known = known.entry(*first).or_default();
            let is_free = |all: &Vec<u32>| !all.iter().any(|other| self.has(*number, *other));
            let at = known.iter().position(is_free).unwrap_or(known.len());
            match known.get_mut(at) {
                Some(all) => all.push(*number),
                None => known.push(vec![*number]),
            }
            which.insert(*number, at as u64);
        }
        which
    }

    /// Tells global attributes apart that say the same.
    pub(crate) fn tell_apart(&self, same: &Same, records: &mut [Record]) {
        let which = self.apart(same);
        for record in records {
            let Some((ReferenceKind::Attribute, number)) = record.own else { continue };
            let at = u32::try_from(number).ok().and_then(|number| which.get(&number).copied());
            if let Some(of) = at.filter(|at| *at > 0) {
                crate::unify::read::records::tell_apart(record, of);
            }
        }
    }
}

/// Looks at the lists of events.
struct Looking<'a> {
    pairs: &'a mut Pairs,
    same: &'a Same,
    /// Those of the event that is looked at, each behind what says the same.
    now: Vec<(u32, u32)>,
}

impl EventVisitor for Looking<'_> {
    const ATTRIBUTES: bool = true;

    fn event(&mut self, head: &EventHead<'_>, _: Event<'_>) {
        self.look(head);
    }

    fn unknown(&mut self, head: &EventHead<'_>, _: u8) {
        self.look(head);
    }
}

impl Looking<'_> {
    fn look(&mut self, head: &EventHead<'_>) {
        if head.attributes.len() < 2 || self.pairs.too_many {
            return;
        }
        let Looking { pairs, same, now } = self;
        now.clear();
        let attributes = head.attributes.iter().map(|entry| entry.attribute.0);
        now.extend(attributes.filter_map(|number| Some((*same.get(&number)?, number))));
        now.sort_unstable();
        now.dedup();
        for same in now.chunk_by(|one, other| one.0 == other.0) {
            for (at, (_, one)) in same.iter().enumerate() {
                pairs.found.extend(same[at + 1..].iter().map(|(_, other)| (*one, *other)));
            }
        }
        if pairs.found.len() > Pairs::MOST {
            **pairs = Pairs::any();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_few_stay_as_lists_allow() {
        let same: Same = [(0, 0), (2, 0), (5, 0), (7, 0), (3, 3), (4, 3)].into();
        let found = [(0, 2), (5, 7)].into();
        let which = Pairs { found, too_many: false }.apart(&same);
        assert_eq!(which, [(0, 0), (2, 1), (5, 0), (7, 1), (3, 0), (4, 0)].into());
        let which = Pairs::any().apart(&same);
        assert_eq!(which, [(0, 0), (2, 1), (5, 2), (7, 3), (3, 0), (4, 1)].into());
    }
}
