//! Definitions of single locations: regions, metrics, and texts that are values of parameters there.

use bstr::{BStr, BString};
use serde::{Deserialize, Serialize};
use streamfold_model::definitions::{MetricMember, Region};
use streamfold_model::enums::MetricOccurrence;
use streamfold_model::ids::{MetricMemberRef, MetricRef, Reference, RegionRef, StringRef};
use streamfold_model::store::Definitions;

use super::content::RegionContent;
use super::own::{Map, Own};
use super::step::{ParameterValue, Step};
use crate::profile::metrics::own_metrics::{MemberContent, MetricContent, OwnMember};

/// Definitions of single locations, by numbers of our own. [`Profile`](crate::profile::Profile) gives them numbers that
/// depend on their contents.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct OwnNumbers {
    regions: Own<RegionContent>,
    /// Values of parameters.
    texts: Own<BString>,
    members: Own<MemberContent>,
    /// Metric classes and instances.
    metrics: Own<MetricContent>,
}

/// Definitions of single locations in a profile, each kind in the order of its contents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnDefinitions {
    /// Regions that the trace does not define, with the references that were given to them.
    pub regions: Vec<(RegionRef, RegionContent)>,
    /// Values of parameters that are no strings of the trace, likewise.
    pub texts: Vec<(StringRef, BString)>,
    /// Metric members, likewise.
    pub members: Vec<(MetricMemberRef, MemberContent)>,
}

/// The references that [`OwnDefinitions`] have got, by what they say.
#[derive(Clone, Debug, Default)]
pub struct OwnReferences {
    regions: Map<RegionContent, RegionRef>,
    texts: Map<BString, StringRef>,
    members: Map<MemberContent, MetricMemberRef>,
}

impl From<OwnDefinitions> for OwnReferences {
    fn from(own: OwnDefinitions) -> Self {
        let OwnDefinitions { regions, texts, members } = own;
        OwnReferences {
            regions: regions.into_iter().map(|(reference, content)| (content, reference)).collect(),
            texts: texts.into_iter().map(|(reference, text)| (text, reference)).collect(),
            members: members.into_iter().map(|(reference, content)| (content, reference)).collect(),
        }
    }
}

impl OwnNumbers {
    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        let OwnNumbers { regions, texts, members, metrics } = self;
        [regions.len(), texts.len(), members.len(), metrics.len()] == [0; 4]
    }

    /// Returns the content of the region with this number.
    pub fn content(&self, region: RegionRef) -> Option<&RegionContent> {
        self.regions.content(region.0)
    }

    /// A step of another tree, with the numbers of this one.
    pub(crate) fn adopt(&mut self, other: &OwnNumbers, step: Step) -> Step {
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

    /// These references in place of our numbers, where there are any.
    pub fn renumbering(&self, to: &OwnReferences) -> Renumbering {
        let regions = self.all().filter_map(|(was, region)| Some((was, *to.regions.get(region)?)));
        let texts = self.texts.all();
        let texts = texts.filter_map(|(was, text)| Some((StringRef(was), *to.texts.get(text)?)));
        let members = self.members.all();
        let members = members
            .filter_map(|(was, member)| Some((MetricMemberRef(was), *to.members.get(member)?)));
        Renumbering {
            regions: regions.collect(),
            texts: texts.collect(),
            members: members.collect(),
            metrics: Map::default(),
        }
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
    pub(crate) fn number(&mut self, content: &RegionContent<&BStr>, last: u32) -> RegionRef {
        RegionRef(self.regions.number(content.to_owned(), last))
    }

    /// The number of a text; `last`: that of the first one.
    pub(crate) fn text(&mut self, text: &BStr, last: u32) -> StringRef {
        StringRef(self.texts.number(text.to_owned(), last))
    }

    /// The number of a metric, whose members get theirs; `last`: those of the first member and of the first
    /// metric.
    pub(crate) fn metric(
        &mut self,
        content: MetricContent,
        last: (MetricMemberRef, MetricRef),
    ) -> MetricRef {
        for member in content.own_members() {
            self.members.number(member.clone(), last.0 .0);
        }
        MetricRef(self.metrics.number(content, last.1 .0))
    }

    /// Returns the content of the metric with this number.
    pub(crate) fn metric_content(&self, metric: MetricRef) -> Option<&MetricContent> {
        self.metrics.content(metric.0)
    }

    /// The number that a member has got.
    pub(crate) fn member(&self, content: &MemberContent) -> Option<MetricMemberRef> {
        self.members.find(content).map(MetricMemberRef)
    }

    /// All metrics with the numbers that they and their members get.
    pub(crate) fn metrics<'n>(
        &'n self,
        to: &'n Renumbering,
    ) -> impl Iterator<Item = (MetricRef, Vec<MetricMemberRef>, MetricOccurrence)> + 'n {
        self.metrics.all().map(|(number, content)| {
            let member = |member: &OwnMember| match member {
                OwnMember::OfTrace(member) => *member,
                OwnMember::OfLocation(content) => {
                    let number = self.member(content).unwrap_or(MetricMemberRef::UNDEFINED);
                    to.member(number)
                }
            };
            let members = content.members.iter().map(member).collect();
            (to.metric(MetricRef(number)), members, content.occurrence)
        })
    }

    /// Makes the index by which numbers are found, which does not travel.
    pub(crate) fn index(&mut self) {
        self.regions.index();
        self.texts.index();
        self.members.index();
        self.metrics.index();
    }

    /// Takes in all of another, and says which numbers of it are others here.
    pub(crate) fn merge(&mut self, other: &OwnNumbers) -> Renumbering {
        Renumbering {
            regions: references(self.regions.merge(&other.regions), RegionRef),
            texts: references(self.texts.merge(&other.texts), StringRef),
            members: references(self.members.merge(&other.members), MetricMemberRef),
            metrics: references(self.metrics.merge(&other.metrics), MetricRef),
        }
    }

    /// Numbers that depend on nothing but what these are. `steps`: those of all paths.
    pub(crate) fn finish(
        &self,
        steps: impl Iterator<Item = Step> + Clone,
        definitions: &Definitions,
    ) -> (Renumbering, OwnDefinitions) {
        let (mut to, mut own) = (Renumbering::default(), OwnDefinitions::default());
        if self.regions.len() > 0 {
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
        let taken = definitions.metric_members.keys().map(|member| member.0).collect();
        for (before, number, content) in self.members.finish(taken) {
            to.members.insert(MetricMemberRef(before), MetricMemberRef(number));
            own.members.push((MetricMemberRef(number), content.clone()));
        }
        let taken = definitions.metrics.keys().map(|metric| metric.0).collect();
        for (before, number, _) in self.metrics.finish(taken) {
            to.metrics.insert(MetricRef(before), MetricRef(number));
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

/// As references.
fn references<R: Eq + std::hash::Hash>(numbers: Map<u32, u32>, of: impl Fn(u32) -> R) -> Map<R, R> {
    numbers.into_iter().map(|(was, is)| (of(was), of(is))).collect()
}

/// New numbers of definitions whose numbers changed.
#[derive(Clone, Debug, Default)]
pub struct Renumbering {
    regions: Map<RegionRef, RegionRef>,
    texts: Map<StringRef, StringRef>,
    members: Map<MetricMemberRef, MetricMemberRef>,
    metrics: Map<MetricRef, MetricRef>,
}

impl Renumbering {
    /// The number of a metric member.
    pub fn member(&self, member: MetricMemberRef) -> MetricMemberRef {
        self.members.get(&member).copied().unwrap_or(member)
    }

    /// The number of a metric class or instance.
    pub(crate) fn metric(&self, metric: MetricRef) -> MetricRef {
        self.metrics.get(&metric).copied().unwrap_or(metric)
    }

    /// The number of a region.
    pub(crate) fn region(&self, region: RegionRef) -> RegionRef {
        self.regions.get(&region).copied().unwrap_or(region)
    }

    /// Tells whether metrics keep their numbers.
    pub(crate) fn keeps_metrics(&self) -> bool {
        self.members.is_empty() && self.metrics.is_empty()
    }

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

/// Adds these definitions, with strings of their own.
pub(crate) fn define(own: &OwnDefinitions, definitions: &mut Definitions) {
    let OwnDefinitions { regions, texts, members } = own;
    definitions.strings.extend(texts.iter().cloned());
    let mut texts = Texts::of(definitions);
    for (reference, content) in members {
        let name = texts.reference(&content.name, definitions);
        let mut string = |text: &Option<BString>| texts.optional(text.as_ref(), definitions);
        let member = MetricMember {
            id: *reference,
            name,
            description: string(&content.description),
            metric_type: content.metric_type,
            metric_mode: content.metric_mode,
            value_type: content.value_type,
            base: content.base,
            exponent: content.exponent,
            unit: string(&content.unit),
        };
        definitions.metric_members.insert(*reference, member);
    }
    for (reference, content) in regions {
        let mut string = |text: &Option<BString>| texts.optional(text.as_ref(), definitions);
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

    fn optional(&mut self, text: Option<&BString>, definitions: &mut Definitions) -> StringRef {
        text.map_or(StringRef::UNDEFINED, |text| self.reference(text, definitions))
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
            let mut own = OwnNumbers::default();
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
        let mut own = OwnNumbers::default();
        let before = ["q", "p"].map(|text| own.text(BStr::new(text), u32::MAX - 1));
        let step = |text| Step::Parameter(ParameterRef(0), ParameterValue::String(text));
        // 7 is an undefined string.
        let used = [before[0], StringRef(7)].map(step);
        let (to, own) = own.finish(used.into_iter(), &global);
        assert_eq!(before.map(|text| to.step(step(text))), [9, 8].map(StringRef).map(step));
        assert_eq!(used.map(|used| to.step(used))[1], step(StringRef(7)));
        define(&own, &mut global);
        let texts = [8, 9].map(|text| global.string(StringRef(text)).map(ToOwned::to_owned));
        assert_eq!(texts, ["p", "q"].map(|text| Some(BString::from(text))));
    }
}
