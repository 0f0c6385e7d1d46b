//! Definitions of single locations: regions, metrics, and texts that are values of parameters there.

use std::collections::{BTreeSet, HashSet};
use std::hash::Hash;

use bstr::{BStr, BString};
use serde::{Deserialize, Serialize};
use streamfold_model::definitions::{MetricMember, Region};
use streamfold_model::enums::MetricOccurrence;
use streamfold_model::ids::{MetricMemberRef, MetricRef, Reference, RegionRef, StringRef};
use streamfold_model::store::Definitions;

use super::content::RegionContent;
use super::own::{free_numbers, Map, Own};
use super::step::{ParameterValue, Step};
use crate::profile::metrics::own_metrics::{MemberContent, MetricContent, OwnMember};

/// Numbers of definitions of single locations.
pub(crate) trait Numbers {
    /// The number of a region.
    fn region(&mut self, content: RegionContent) -> RegionRef;

    /// The number of a text that is a value of parameters.
    fn text(&mut self, text: &BStr) -> StringRef;

    /// The number of a metric class or instance.
    fn metric(&mut self, content: MetricContent) -> MetricRef;
}

/// Definitions of single locations, by what they say, while they are collected.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct OwnContents {
    regions: BTreeSet<RegionContent>,
    /// Values of parameters.
    texts: BTreeSet<BString>,
    members: BTreeSet<MemberContent>,
    /// Metric classes and instances.
    metrics: BTreeSet<MetricContent>,
}

impl OwnContents {
    /// Both together.
    #[must_use]
    pub fn merge(mut self, mut other: OwnContents) -> OwnContents {
        self.regions.append(&mut other.regions);
        self.texts.append(&mut other.texts);
        self.members.append(&mut other.members);
        self.metrics.append(&mut other.metrics);
        self
    }
}

/// Nothing has a number yet.
impl Numbers for OwnContents {
    fn region(&mut self, content: RegionContent) -> RegionRef {
        self.regions.insert(content);
        RegionRef::UNDEFINED
    }

    fn text(&mut self, text: &BStr) -> StringRef {
        self.texts.insert(text.to_owned());
        StringRef::UNDEFINED
    }

    fn metric(&mut self, content: MetricContent) -> MetricRef {
        self.members.extend(content.own_members().cloned());
        self.metrics.insert(content);
        MetricRef::UNDEFINED
    }
}

/// Definitions of single locations, by numbers of our own. [`Profile`](crate::profile::Profile) gives them numbers that
/// depend on the events.
#[derive(Clone, Debug, Default)]
pub struct OwnNumbers {
    regions: Own<RegionContent>,
    texts: Own<BString>,
    members: Own<MemberContent>,
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
    /// Final references in place of those of the scan.
    pub renumbering: Renumbering,
}

impl OwnNumbers {
    /// Numbers definitions that all locations of a trace have.
    pub(crate) fn new(all: OwnContents, trace: &Definitions) -> Self {
        let OwnContents { regions, texts, members, metrics } = all;
        OwnNumbers {
            regions: Own::new(regions, trace.regions.keys().map(|region| region.0)),
            texts: Own::new(texts, trace.strings.keys().map(|text| text.0)),
            members: Own::new(members, trace.metric_members.keys().map(|member| member.0)),
            metrics: Own::new(metrics, trace.metrics.keys().map(|metric| metric.0)),
        }
    }

    /// Returns the content of the region with this number.
    fn content(&self, region: RegionRef) -> Option<&RegionContent> {
        self.regions.content(region.0)
    }

    /// All regions, with their numbers.
    pub(crate) fn regions(&self) -> impl Iterator<Item = (RegionRef, &RegionContent)> {
        self.regions.all().map(|(number, content)| (RegionRef(number), content))
    }

    /// Returns the content of the metric with this number.
    pub(crate) fn metric_content(&self, metric: MetricRef) -> Option<&MetricContent> {
        self.metrics.content(metric.0)
    }

    /// The number of a member.
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

    /// Final numbers. `steps`: those of all paths.
    pub(crate) fn finish(
        &self,
        steps: impl Iterator<Item = Step> + Clone,
        definitions: &Definitions,
    ) -> OwnDefinitions {
        let Definitions { strings, metric_members, metrics, .. } = definitions;
        let mut to = Renumbering::default();
        let of_steps = steps.clone().filter_map(|step| match step {
            Step::Region(region) | Step::Task(region) => Some(region),
            _ => None,
        });
        let others = of_steps.filter(|region| self.content(*region).is_none());
        let of_contexts = definitions.calling_contexts.values().map(|context| context.region);
        let taken = others.chain(of_contexts).filter(|region| !region.is_undefined());
        let taken = taken.chain(definitions.regions.keys().copied()).map(|region| region.0);
        // All that locations define, visited or not: a region has the same number in each window.
        let regions = renumbered(self.regions.all(), taken, RegionRef, &mut to.regions);
        let values = steps.filter_map(|step| match step {
            Step::Parameter(_, ParameterValue::String(text)) => Some(text.0),
            _ => None,
        });
        let used: HashSet<u32> = values.filter(|_| !self.texts.is_empty()).collect();
        let others = used.iter().copied().filter(|text| self.texts.content(*text).is_none());
        let others = others.filter(|text| !StringRef(*text).is_undefined());
        let taken = others.chain(strings.keys().map(|text| text.0));
        let own = self.texts.all().filter(|(number, _)| used.contains(number));
        let texts = renumbered(own, taken, StringRef, &mut to.texts);
        let taken = metric_members.keys().map(|member| member.0);
        let members = renumbered(self.members.all(), taken, MetricMemberRef, &mut to.members);
        let taken = metrics.keys().map(|metric| metric.0);
        renumbered(self.metrics.all(), taken, MetricRef, &mut to.metrics);
        OwnDefinitions { regions, texts, members, renumbering: to }
    }
}

/// Gives numbers behind all that are `taken`, in the order of contents, and notes which they replace.
fn renumbered<'c, C: Clone + 'c, R: Eq + Hash>(
    own: impl Iterator<Item = (u32, &'c C)>,
    taken: impl Iterator<Item = u32>,
    reference: fn(u32) -> R,
    to: &mut Map<R, R>,
) -> Vec<(R, C)> {
    let mut own = own.peekable();
    if own.peek().is_none() {
        return Vec::new();
    }
    let numbered = own.zip(free_numbers(taken.collect()));
    let numbered = numbered.map(|((before, content), number)| {
        to.insert(reference(before), reference(number));
        (reference(number), content.clone())
    });
    numbered.collect()
}

/// Finds numbers of definitions that were collected.
impl Numbers for &OwnNumbers {
    fn region(&mut self, content: RegionContent) -> RegionRef {
        self.regions.find(&content).map_or(RegionRef::UNDEFINED, RegionRef)
    }

    fn text(&mut self, text: &BStr) -> StringRef {
        self.texts.find(&text.to_owned()).map_or(StringRef::UNDEFINED, StringRef)
    }

    fn metric(&mut self, content: MetricContent) -> MetricRef {
        self.metrics.find(&content).map_or(MetricRef::UNDEFINED, MetricRef)
    }
}

/// New numbers of definitions whose numbers changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    let OwnDefinitions { regions, texts, members, .. } = own;
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
        let mut all = OwnContents::default();
        for name in ["b", "a", "c"] {
            let content = RegionContent::of(&region(0, 0), |_| Some(BStr::new(name)));
            all.region(content.to_owned());
        }
        let own = OwnNumbers::new(all, &global);
        let used = own.regions().map(|(number, _)| number).chain([RegionRef(9)]);
        let used: Vec<_> = used.map(Step::Region).collect();
        let found = own.finish(used.into_iter(), &global).regions.into_iter();
        let found: Vec<_> = found.map(|(number, content)| (number.0, content.name)).collect();
        let named = |name: &str, number: u32| (number, Some(BString::from(name)));
        assert_eq!(found, [named("a", 10), named("b", 11), named("c", 12)]);
    }

    #[test]
    fn texts_of_locations_come_after_those_of_the_trace() {
        let mut global = definitions(&[(0, "x"), (3, "y")], &[]);
        let mut all = OwnContents::default();
        for text in ["q", "r", "p"] {
            all.text(BStr::new(text));
        }
        let numbers = OwnNumbers::new(all, &global);
        let before = ["q", "p"].map(|text| (&numbers).text(BStr::new(text)));
        let step = |text| Step::Parameter(ParameterRef(0), ParameterValue::String(text));
        // 7 is an undefined string, and r is no value.
        let used = [before[0], before[1], StringRef(7)].map(step);
        let own = numbers.finish(used.into_iter(), &global);
        let to = &own.renumbering;
        assert_eq!(used.map(|used| to.step(used)), [9, 8, 7].map(StringRef).map(step));
        define(&own, &mut global);
        let texts = [8, 9].map(|text| global.string(StringRef(text)).map(ToOwned::to_owned));
        assert_eq!(texts, ["p", "q"].map(|text| Some(BString::from(text))));
        assert_eq!(own.texts.len(), 2);
    }
}
