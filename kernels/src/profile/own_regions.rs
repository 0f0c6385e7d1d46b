//! Regions that only single locations define, and the numbers that they get.

use std::collections::HashMap;

use bstr::{BStr, BString};
use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::definitions::Region;
use streamfold_model::ids::{Reference, RegionRef, StringRef};
use streamfold_model::store::Definitions;

use super::content::RegionContent;
use super::step::Step;

type Map<K, V> = HashMap<K, V, RandomState>;

/// The last number of the longest stretch of numbers that no region has.
pub(super) fn last_free(definitions: &Definitions) -> u32 {
    let mut taken: Vec<u32> = definitions.regions.keys().map(|region| region.0).collect();
    taken.push(RegionRef::UNDEFINED.0);
    taken.sort_unstable();
    let before = std::iter::once(None).chain(taken.iter().copied().map(Some));
    let free = before.zip(&taken).filter_map(|(before, &next)| {
        let first = before.map_or(0, |before: u32| before.saturating_add(1));
        (first < next).then(|| (next - first, next - 1))
    });
    free.max().map_or(RegionRef::UNDEFINED.0, |(_, last)| last)
}

/// Regions that only single locations define, by numbers of our own.
///
/// These go down from the end of the longest stretch that no global definition has, in the order in
/// which regions were met; [`Profile`](super::Profile) gives them numbers that depend on what they
/// are.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct OwnRegions {
    last: u32,
    contents: Vec<RegionContent>,
    #[serde(skip)]
    numbers: Map<RegionContent, RegionRef>,
}

impl OwnRegions {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.contents.is_empty()
    }

    /// What a region of this number is.
    pub fn content(&self, region: RegionRef) -> Option<&RegionContent> {
        self.contents.get(self.last.checked_sub(region.0)? as usize)
    }

    /// A step of another tree, with the numbers of this one.
    pub(super) fn adopt(&mut self, other: &OwnRegions, step: Step) -> Step {
        let (Step::Region(region) | Step::Task(region)) = step else { return step };
        let Some(content) = other.content(region) else { return step };
        let here = self.number_owned(content.clone(), other.last);
        match step {
            Step::Task(_) => Step::Task(here),
            _ => Step::Region(here),
        }
    }

    /// Other numbers for these regions, where there are any.
    pub fn renumbering(&self, number: impl Fn(&RegionContent) -> Option<RegionRef>) -> Renumbering {
        let other = |(before, content)| Some((before, number(content)?));
        Renumbering { regions: self.all().filter_map(other).collect() }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.contents.len()
    }

    /// All of them, with their numbers.
    pub(crate) fn all(&self) -> impl Iterator<Item = (RegionRef, &RegionContent)> {
        self.contents
            .iter()
            .zip(0..)
            .map(|(content, place)| (RegionRef(self.last - place), content))
    }

    pub(super) fn number(&mut self, content: &RegionContent<&BStr>, last: u32) -> RegionRef {
        self.number_owned(content.to_owned(), last)
    }

    fn number_owned(&mut self, content: RegionContent, last: u32) -> RegionRef {
        self.last = last;
        let place = self.contents.len();
        // There is more room than memory.
        let next = u32::try_from(place).ok().and_then(|place| last.checked_sub(place));
        let Some(next) = next else { return RegionRef::UNDEFINED };
        let contents = &mut self.contents;
        *self.numbers.entry(content).or_insert_with_key(|content| {
            contents.push(content.clone());
            RegionRef(next)
        })
    }

    /// Makes the index by which numbers are found, which does not travel.
    pub(super) fn index(&mut self) {
        if self.numbers.len() == self.contents.len() {
            return;
        }
        let numbers = self.all().map(|(number, content)| (content.clone(), number));
        self.numbers = numbers.collect();
    }

    /// Takes in all of another, and says which numbers of it are others here.
    pub(super) fn merge(&mut self, other: &OwnRegions) -> Renumbering {
        let mut to = Renumbering::default();
        for (number, content) in other.all() {
            let here = self.number_owned(content.clone(), other.last);
            if here != number {
                to.regions.insert(number, here);
            }
        }
        to
    }

    /// Numbers that depend on nothing but what the regions are: those after all others, in the
    /// order of their contents.
    pub(super) fn finish(
        &self,
        used: impl Iterator<Item = RegionRef>,
        definitions: &Definitions,
    ) -> (Renumbering, Vec<(RegionRef, RegionContent)>) {
        if self.is_empty() {
            return Default::default();
        }
        // All that locations define, visited or not: a region has the same number in each window.
        let mut own: Vec<_> = self.all().map(|(number, content)| (content, number)).collect();
        let is_other = |region: &RegionRef| self.content(*region).is_none();
        let others = used.filter(|region| !region.is_undefined() && is_other(region));
        let mut taken: Vec<RegionRef> = others.collect();
        taken.extend(definitions.regions.keys());
        let contexts = definitions.calling_contexts.values().map(|context| context.region);
        taken.extend(contexts.filter(|region| !region.is_undefined()));
        taken.sort_unstable();
        own.sort_unstable();
        let mut to = Renumbering::default();
        let mut defined = Vec::new();
        for ((content, before), number) in own.into_iter().zip(free_numbers(&taken)) {
            to.regions.insert(before, number);
            defined.push((number, content.clone()));
        }
        (to, defined)
    }
}

/// Numbers that are not taken: first those after the largest, then those between. Sorted.
fn free_numbers(taken: &[RegionRef]) -> impl Iterator<Item = RegionRef> + '_ {
    let after = taken.last().map_or(0, |last| last.0.saturating_add(1));
    let is_free = |number: &RegionRef| taken.binary_search(number).is_err();
    (after..u32::MAX).chain(0..after).map(RegionRef).filter(is_free)
}

/// Regions that have other numbers than before.
#[derive(Clone, Debug, Default)]
pub struct Renumbering {
    regions: Map<RegionRef, RegionRef>,
}

impl Renumbering {
    /// The same step with these numbers.
    pub fn step(&self, step: Step) -> Step {
        if self.regions.is_empty() {
            return step;
        }
        let number = |region| self.regions.get(&region).copied().unwrap_or(region);
        match step {
            Step::Region(region) => Step::Region(number(region)),
            Step::Task(region) => Step::Task(number(region)),
            other => other,
        }
    }
}

/// Adds definitions of these regions, with strings of their own.
pub(super) fn define(regions: &[(RegionRef, RegionContent)], definitions: &mut Definitions) {
    let mut texts = Texts::of(definitions);
    for (reference, content) in regions {
        let mut string = |text: &Option<BString>| match text {
            Some(text) => texts.reference(text, definitions),
            None => StringRef::UNDEFINED,
        };
        let region = Region {
            id: *reference,
            name: string(&content.name),
            description: string(&content.description),
            source_file: string(&content.source_file),
            begin_line_number: content.begin_line_number,
            end_line_number: content.end_line_number,
            canonical_name: string(&content.canonical_name),
            region_role: content.region_role,
            paradigm: content.paradigm,
            region_flags: content.region_flags,
        };
        definitions.regions.insert(*reference, region);
    }
}

/// Strings that are added to definitions.
struct Texts {
    references: Map<BString, StringRef>,
    next: u32,
}

impl Texts {
    fn of(definitions: &Definitions) -> Self {
        let last = definitions.strings.keys().filter(|string| !string.is_undefined()).max();
        Texts { references: Map::default(), next: last.map_or(0, |last| last.0 + 1) }
    }

    fn reference(&mut self, text: &BString, definitions: &mut Definitions) -> StringRef {
        if let Some(reference) = self.references.get(text) {
            return *reference;
        }
        while definitions.strings.contains_key(&StringRef(self.next)) || self.next == u32::MAX {
            self.next = self.next.wrapping_add(1);
        }
        let reference = StringRef(self.next);
        definitions.strings.insert(reference, text.clone());
        self.references.insert(text.clone(), reference);
        reference
    }
}

#[cfg(test)]
mod tests {
    use super::super::content::tests::{definitions, region};
    use super::*;

    #[test]
    fn final_numbers_come_after_all_others_in_the_order_of_contents() {
        let global = definitions(&[], &[(5, 0)]);
        let number = |names: &[&str]| {
            let mut own = OwnRegions::default();
            for name in names {
                let content = RegionContent::of(&region(0, 0), |_| Some(BStr::new(name)));
                own.number(&content, last_free(&global));
            }
            let used = own.all().map(|(number, _)| number).chain([RegionRef(9)]);
            let used: Vec<_> = used.collect();
            own.finish(used.into_iter(), &global).1
        };
        let named = |name: &str, number: u32| (RegionRef(number), Some(BString::from(name)));
        let found = number(&["b", "a", "c"]);
        assert_eq!(found, number(&["c", "b", "a"]));
        let found: Vec<_> = found.into_iter().map(|(number, c)| (number, c.name)).collect();
        assert_eq!(found, [named("a", 10), named("b", 11), named("c", 12)]);
    }

    #[test]
    fn numbers_are_found_where_references_reach_to_the_end() {
        let taken = [0, 2, u32::MAX - 1].map(RegionRef);
        let free: Vec<_> = free_numbers(&taken).take(2).collect();
        assert_eq!(free, [1, 3].map(RegionRef));
        let global = definitions(&[], &[(0, 0), (100, 0), (u32::MAX - 1, 0)]);
        assert_eq!(last_free(&global), u32::MAX - 2);
    }
}
