//! Regions that only single locations define, and texts that are values of parameters there.

use bstr::{BStr, BString, ByteSlice};
use serde::{Deserialize, Serialize};
use streamfold_model::definitions::Region;
use streamfold_model::ids::{Reference, RegionRef, StringRef};
use streamfold_model::store::Definitions;

use super::content::RegionContent;
use super::own::{Map, Own};
use super::step::{ParameterValue, Step};

/// Regions that only single locations define, and texts that are values of parameters there, by numbers of
/// our own. [`Profile`](super::Profile) gives them numbers that depend on what they are.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct OwnRegions {
    regions: Own<RegionContent>,
    texts: Own<BString>,
}

/// Those of a profile, in the order of what they say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnDefinitions {
    /// Regions that the trace does not define, with the references that were given to them.
    pub regions: Vec<(RegionRef, RegionContent)>,
    /// Values of parameters that are no strings of the trace, likewise.
    pub texts: Vec<(StringRef, BString)>,
}

impl OwnRegions {
    /// Whether there are no regions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What a region of this number is.
    pub fn content(&self, region: RegionRef) -> Option<&RegionContent> {
        self.regions.content(region.0)
    }

    /// A step of another tree, with the numbers of this one.
    pub(super) fn adopt(&mut self, other: &OwnRegions, step: Step) -> Step {
        let mut region = |region: RegionRef| {
            self.regions.adopt(&other.regions, region.0).map_or(region, RegionRef)
        };
        match step {
            Step::Region(of) => Step::Region(region(of)),
            Step::Task(of) => Step::Task(region(of)),
            Step::Parameter(of, ParameterValue::String(text)) => {
                let here = self.texts.adopt(&other.texts, text.0).map_or(text, StringRef);
                Step::Parameter(of, ParameterValue::String(here))
            }
            other => other,
        }
    }

    /// Other numbers for these, where there are any.
    pub fn renumbering(
        &self,
        region: impl Fn(&RegionContent) -> Option<RegionRef>,
        text: impl Fn(&BStr) -> Option<StringRef>,
    ) -> Renumbering {
        let regions = self.all().filter_map(|(before, content)| Some((before, region(content)?)));
        let texts = self
            .texts
            .all()
            .filter_map(|(before, content)| Some((StringRef(before), text(content.as_bstr())?)));
        Renumbering { regions: regions.collect(), texts: texts.collect() }
    }

    /// How many regions there are.
    pub(crate) fn len(&self) -> usize {
        self.regions.len()
    }

    /// All regions, with their numbers.
    pub(crate) fn all(&self) -> impl Iterator<Item = (RegionRef, &RegionContent)> {
        self.regions.all().map(|(number, content)| (RegionRef(number), content))
    }

    /// The number of a region; `last`: that of the first one.
    pub(super) fn number(&mut self, content: &RegionContent<&BStr>, last: u32) -> RegionRef {
        RegionRef(self.regions.number(content.to_owned(), last))
    }

    /// The number of a text; `last`: that of the first one.
    pub(super) fn text(&mut self, text: &BStr, last: u32) -> StringRef {
        StringRef(self.texts.number(text.to_owned(), last))
    }

    /// Makes the index by which numbers are found, which does not travel.
    pub(super) fn index(&mut self) {
        self.regions.index();
        self.texts.index();
    }

    /// Takes in all of another, and says which numbers of it are others here.
    pub(super) fn merge(&mut self, other: &OwnRegions) -> Renumbering {
        let regions = self.regions.merge(&other.regions).into_iter();
        let texts = self.texts.merge(&other.texts).into_iter();
        Renumbering {
            regions: regions.map(|(was, is)| (RegionRef(was), RegionRef(is))).collect(),
            texts: texts.map(|(was, is)| (StringRef(was), StringRef(is))).collect(),
        }
    }

    /// Numbers that depend on nothing but what these are. `steps`: those of all paths.
    pub(super) fn finish(
        &self,
        steps: impl Iterator<Item = Step> + Clone,
        definitions: &Definitions,
    ) -> (Renumbering, OwnDefinitions) {
        let (mut to, mut own) = (Renumbering::default(), OwnDefinitions::default());
        if !self.is_empty() {
            let taken = self.taken_regions(steps.clone(), definitions);
            // All that locations define, visited or not: a region has the same number in each window.
            for (before, number, content) in self.regions.finish(taken) {
                to.regions.insert(RegionRef(before), RegionRef(number));
                own.regions.push((RegionRef(number), content.clone()));
            }
        }
        if self.texts.len() > 0 {
            let taken = self.taken_texts(steps, definitions);
            for (before, number, text) in self.texts.finish(taken) {
                to.texts.insert(StringRef(before), StringRef(number));
                own.texts.push((StringRef(number), text.clone()));
            }
        }
        (to, own)
    }

    /// The numbers of regions that these cannot get.
    fn taken_regions(
        &self,
        steps: impl Iterator<Item = Step>,
        definitions: &Definitions,
    ) -> Vec<u32> {
        let regions = steps.filter_map(|step| match step {
            Step::Region(region) | Step::Task(region) => Some(region),
            _ => None,
        });
        let others = regions.filter(|region| self.content(*region).is_none());
        let contexts = definitions.calling_contexts.values().map(|context| context.region);
        let used = others.chain(contexts).filter(|region| !region.is_undefined());
        used.chain(definitions.regions.keys().copied()).map(|region| region.0).collect()
    }

    /// The same of strings.
    fn taken_texts(
        &self,
        steps: impl Iterator<Item = Step>,
        definitions: &Definitions,
    ) -> Vec<u32> {
        let texts = steps.filter_map(|step| match step {
            Step::Parameter(_, ParameterValue::String(text)) => Some(text),
            _ => None,
        });
        let others = texts.filter(|text| self.texts.content(text.0).is_none());
        let used = others.filter(|text| !text.is_undefined());
        used.chain(definitions.strings.keys().copied()).map(|text| text.0).collect()
    }
}

/// Regions and texts that have other numbers than before.
#[derive(Clone, Debug, Default)]
pub struct Renumbering {
    regions: Map<RegionRef, RegionRef>,
    texts: Map<StringRef, StringRef>,
}

impl Renumbering {
    /// The same step with these numbers.
    pub fn step(&self, step: Step) -> Step {
        if self.regions.is_empty() && self.texts.is_empty() {
            return step;
        }
        let number = |region| self.regions.get(&region).copied().unwrap_or(region);
        match step {
            Step::Region(region) => Step::Region(number(region)),
            Step::Task(region) => Step::Task(number(region)),
            Step::Parameter(parameter, ParameterValue::String(text)) => {
                let text = self.texts.get(&text).copied().unwrap_or(text);
                Step::Parameter(parameter, ParameterValue::String(text))
            }
            other => other,
        }
    }
}

/// Adds definitions of these texts and regions, with strings of their own.
pub(super) fn define(own: &OwnDefinitions, definitions: &mut Definitions) {
    let OwnDefinitions { regions, texts } = own;
    definitions.strings.extend(texts.iter().cloned());
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
    use streamfold_model::ids::ParameterRef;

    #[test]
    fn final_numbers_come_after_all_others_in_the_order_of_contents() {
        let global = definitions(&[], &[(5, 0)]);
        let number = |names: &[&str]| {
            let mut own = OwnRegions::default();
            for name in names {
                let content = RegionContent::of(&region(0, 0), |_| Some(BStr::new(name)));
                own.number(&content, u32::MAX - 1);
            }
            let used = own.all().map(|(number, _)| number).chain([RegionRef(9)]);
            let used: Vec<_> = used.map(Step::Region).collect();
            own.finish(used.into_iter(), &global).1.regions
        };
        let named = |name: &str, number: u32| (RegionRef(number), Some(BString::from(name)));
        let found = number(&["b", "a", "c"]);
        assert_eq!(found, number(&["c", "b", "a"]));
        let found: Vec<_> = found.into_iter().map(|(number, c)| (number, c.name)).collect();
        assert_eq!(found, [named("a", 10), named("b", 11), named("c", 12)]);
    }

    #[test]
    fn texts_of_locations_come_after_those_of_the_trace() {
        let mut global = definitions(&[(0, "x"), (3, "y")], &[]);
        let mut own = OwnRegions::default();
        let before = ["q", "p"].map(|text| own.text(BStr::new(text), u32::MAX - 1));
        let step = |text| Step::Parameter(ParameterRef(0), ParameterValue::String(text));
        // 7 is a string that nobody has defined.
        let used = [before[0], StringRef(7)].map(step);
        let (to, own) = own.finish(used.into_iter(), &global);
        assert_eq!(before.map(|text| to.step(step(text))), [9, 8].map(StringRef).map(step));
        assert_eq!(used.map(|used| to.step(used))[1], step(StringRef(7)));
        define(&own, &mut global);
        let texts = [8, 9].map(|text| global.string(StringRef(text)).map(ToOwned::to_owned));
        assert_eq!(texts, ["p", "q"].map(|text| Some(BString::from(text))));
    }
}
