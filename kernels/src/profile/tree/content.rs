//! Regions by what their definitions say, not by their numbers.
//!
//! Some programs define a region once for each process, or only in the files of single locations,
//! where a number means something else in each. To a person that is one region: two definitions
//! are of the same one where everything in them is the same, texts compared as texts.

use std::hash::Hash;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use serde::{Deserialize, Serialize};
use streamfold_model::definitions::Region;
use streamfold_model::enums::{Paradigm, ParameterType, RegionFlag, RegionRole};
use streamfold_model::ids::{
    CallingContextRef, MetricMemberRef, ParameterRef, Reference, RegionRef, StringRef,
};
use streamfold_model::store::Definitions;

use super::contexts::Contexts;
use super::own::Map;
use super::own_numbers::{Numbers, OwnNumbers};
use super::step::{ParameterValue, Step};
use crate::adapt::{LocalReferences, RegionSet};
use crate::profile::metrics::own_metrics::{MemberContent, OwnWorld};
use crate::{Mapping, Renaming};

/// Fields of a region's definition, except its number. `None` is an undefined text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RegionContent<T = BString> {
    /// Its name.
    pub name: Option<T>,
    /// The file that it stands in.
    pub source_file: Option<T>,
    /// Its first line; 0 where the definition does not say.
    pub begin_line_number: u32,
    /// Its last line; 0 where the definition does not say.
    pub end_line_number: u32,
    /// Its name for the linker.
    pub canonical_name: Option<T>,
    /// More about it.
    pub description: Option<T>,
    /// Its role.
    pub region_role: RegionRole,
    /// Its paradigm.
    pub paradigm: Paradigm,
    /// More properties.
    pub region_flags: RegionFlag,
}

impl<'t> RegionContent<&'t BStr> {
    /// Reads the content of a definition; `string` resolves its strings.
    pub(crate) fn of(region: &Region, string: impl Fn(StringRef) -> Option<&'t BStr>) -> Self {
        let text = |reference: StringRef| match string(reference) {
            None if reference.is_undefined() => Some(BStr::new("")),
            text => text,
        };
        // Both say that there is none.
        let line = |line: u32| if line == u32::MAX { 0 } else { line };
        RegionContent {
            name: string(region.name),
            source_file: text(region.source_file),
            begin_line_number: line(region.begin_line_number),
            end_line_number: line(region.end_line_number),
            canonical_name: text(region.canonical_name),
            description: text(region.description),
            region_role: region.region_role,
            paradigm: region.paradigm,
            region_flags: region.region_flags,
        }
    }

    pub(crate) fn to_owned(&self) -> RegionContent {
        let text = |text: Option<&BStr>| text.map(|text| text.to_owned());
        RegionContent {
            name: text(self.name),
            source_file: text(self.source_file),
            begin_line_number: self.begin_line_number,
            end_line_number: self.end_line_number,
            canonical_name: text(self.canonical_name),
            description: text(self.description),
            region_role: self.region_role,
            paradigm: self.paradigm,
            region_flags: self.region_flags,
        }
    }
}

/// Meaning of references in events.
#[derive(Clone, Copy)]
pub(crate) struct Meanings<'w> {
    pub definitions: &'w Definitions,
    /// `None`: numbers count, not what they stand for.
    pub contents: Option<&'w Contents<'w>>,
    pub contexts: &'w Contexts,
    /// Definitions of single locations.
    pub own: &'w OwnNumbers,
    /// The regions that are steps of call paths; `None`: all of them.
    pub chosen: Option<&'w RegionSet>,
}

impl Meanings<'_> {
    /// A parameter with a value.
    pub(crate) fn parameter(self, parameter: ParameterRef, value: ParameterValue) -> Step {
        match self.contents {
            Some(contents) => contents.parameter(parameter, value),
            None => Step::Parameter(parameter, value),
        }
    }
}

/// The global definitions by content: those that say the same have one reference, the smallest.
#[derive(Debug)]
pub(crate) struct Contents<'a> {
    definitions: &'a Definitions,
    regions: Map<RegionContent<&'a BStr>, RegionRef>,
    /// References of regions for which another one stands.
    region_aliases: Arc<Map<RegionRef, RegionRef>>,
    parameters: Map<(&'a BStr, ParameterType), ParameterRef>,
    parameter_aliases: Map<ParameterRef, ParameterRef>,
    /// The same of strings, where they are values of parameters.
    strings: Map<&'a BStr, StringRef>,
    string_aliases: Map<StringRef, StringRef>,
    members: Map<MemberContent, MetricMemberRef>,
    member_aliases: Map<MetricMemberRef, MetricMemberRef>,
    with_parameters: bool,
}

/// The regions of a trace that say the same as another one with a smaller reference, and the smallest of these: one
/// region for a person. Those without a name are all their own.
pub fn same_regions(definitions: &Definitions) -> Map<RegionRef, RegionRef> {
    smallest(named_regions(definitions)).1
}

/// Regions without a name have nothing by which a person could know them.
fn named_regions(
    definitions: &Definitions,
) -> impl Iterator<Item = (RegionContent<&BStr>, RegionRef)> + Clone {
    definitions.regions.iter().filter_map(|(reference, region)| {
        let content = RegionContent::of(region, |string| definitions.string(string));
        content.name.is_some().then_some((content, *reference))
    })
}

impl<'a> Contents<'a> {
    pub(crate) fn new(definitions: &'a Definitions, with_parameters: bool) -> Self {
        let string = |string| definitions.string(string);
        let (regions, region_aliases) = smallest(named_regions(definitions));
        let parameters = definitions.parameters.iter().filter(|_| with_parameters);
        let parameters = parameters.filter_map(|(reference, parameter)| {
            Some(((string(parameter.name)?, parameter.parameter_type), *reference))
        });
        let strings = definitions.strings.iter().filter(|_| with_parameters);
        let strings = strings.map(|(reference, text)| (text.as_bstr(), *reference));
        let (parameters, parameter_aliases) = smallest(parameters);
        let (strings, string_aliases) = smallest(strings);
        let members = definitions.metric_members.iter();
        let members =
            members.filter_map(|(reference, m)| Some((MemberContent::of(m, string)?, *reference)));
        let (members, member_aliases) = smallest(members);
        Contents {
            definitions,
            regions,
            region_aliases: Arc::new(region_aliases),
            parameters,
            parameter_aliases,
            strings,
            string_aliases,
            members,
            member_aliases,
            with_parameters,
        }
    }

    /// The definitions of the trace.
    pub(crate) fn definitions(&self) -> &'a Definitions {
        self.definitions
    }

    /// The reference that stands for a region.
    pub(crate) fn region(&self, region: RegionRef) -> RegionRef {
        self.region_aliases.get(&region).copied().unwrap_or(region)
    }

    /// The members that stand for those of a metric class. If one member stands for two of them, these stand for
    /// themselves, since they have values of their own.
    pub(crate) fn one_for_all(&self, members: &[MetricMemberRef]) -> Vec<MetricMemberRef> {
        let stands = |member| self.member_aliases.get(member).copied().unwrap_or(*member);
        let standing: Vec<_> = members.iter().map(stands).collect();
        let is_alone = |member| standing.iter().filter(|other| *other == member).count() == 1;
        let apart = standing.iter().zip(members);
        apart.map(|(standing, own)| if is_alone(standing) { *standing } else { *own }).collect()
    }

    /// The reference of a metric member that says this.
    pub(crate) fn known_member(&self, content: &MemberContent) -> Option<MetricMemberRef> {
        self.members.get(content).copied()
    }

    /// The step that stands for a parameter.
    pub(crate) fn parameter(&self, parameter: ParameterRef, value: ParameterValue) -> Step {
        let parameter = self.parameter_aliases.get(&parameter).copied().unwrap_or(parameter);
        let value = match value {
            ParameterValue::String(text) => {
                ParameterValue::String(self.string_aliases.get(&text).copied().unwrap_or(text))
            }
            number => number,
        };
        Step::Parameter(parameter, value)
    }

    /// The references that stand for a location's strings, for values of parameters, by its references after mapping.
    /// Its own strings count, as for unify, unless a mapping table leads to one of the trace.
    fn texts(
        &self,
        own: &Definitions,
        mapping: &dyn Mapping,
        numbers: &mut impl Numbers,
    ) -> Map<StringRef, StringRef> {
        let strings = own.strings.iter().filter(|_| self.with_parameters);
        let strings = strings.map(|(text, says)| (mapping.string(*text), says.as_bstr()));
        let counts =
            |text: &StringRef| !mapping.is_there() || !self.definitions.strings.contains_key(text);
        let counted = strings.filter(|(text, _)| counts(text));
        let known = |says: &BStr| self.strings.get(says).copied();
        counted
            .map(|(text, says)| (text, known(says).unwrap_or_else(|| numbers.text(says))))
            .collect()
    }

    /// The parameters of the trace for which those of a location stand, by its references after mapping. They
    /// count where the trace has none of the reference, and stand for those that say the same.
    fn parameters(
        &self,
        own: &Definitions,
        mapping: &dyn Mapping,
    ) -> Map<ParameterRef, ParameterRef> {
        let parameters = own.parameters.values().filter(|_| self.with_parameters);
        let known = parameters.filter_map(|parameter| {
            let reference = mapping.parameter(parameter.id);
            let global = || self.definitions.string(mapping.string(parameter.name));
            let name = own.string(parameter.name).or_else(global)?;
            let known = self.parameters.get(&(name, parameter.parameter_type))?;
            Some((reference, *known))
        });
        let defined = &self.definitions.parameters;
        known.filter(|(reference, _)| !defined.contains_key(reference)).collect()
    }

    /// Returns the meaning of a location's references. Its own definitions count if the trace has none of the reference
    /// that theirs is mapped to.
    pub(crate) fn local(
        &self,
        own: &Definitions,
        mapping: &dyn Mapping,
        numbers: &mut impl Numbers,
    ) -> (Renaming, LocalReferences) {
        let missing = own.regions.values().filter(|region| {
            let reference = mapping.region(region.id);
            !self.definitions.regions.contains_key(&reference)
        });
        let own_regions = missing.filter_map(|region| {
            let number = self.number(own, mapping, region, numbers)?;
            Some((region.id, number))
        });
        let own_regions = own_regions.collect();
        let regions = (!self.region_aliases.is_empty()).then(|| self.region_aliases.clone());
        let world = OwnWorld { trace: self.definitions, own, mapping };
        let metrics = world.metrics(self).into_iter();
        let own_metrics: Vec<_> =
            metrics.map(|(metric, content)| (metric, numbers.metric(content))).collect();
        let renaming = Renaming { own_regions, own_metrics, regions };
        let local = LocalReferences {
            contexts: self.contexts(own, mapping, &renaming, numbers),
            parameters: self.parameters(own, mapping),
            texts: self.texts(own, mapping, numbers),
            ..LocalReferences::default()
        };
        (renaming, local)
    }

    /// The reference of a region that a location defines: that of the trace which says the same, or one of its own.
    /// `None`: it has no name, so it cannot be identified.
    fn number(
        &self,
        own: &Definitions,
        mapping: &dyn Mapping,
        region: &Region,
        numbers: &mut impl Numbers,
    ) -> Option<RegionRef> {
        let world = OwnWorld { trace: self.definitions, own, mapping };
        let content = RegionContent::of(region, |text| world.string(text));
        content.name?;
        let known = self.regions.get(&content).copied();
        Some(known.unwrap_or_else(|| numbers.region(content.to_owned())))
    }

    /// The regions of calling contexts that only a location defines, by its references after mapping. They lead to
    /// regions of the location, if these are there. References in its events may be those of the trace all the same. If
    /// there are mapping tables, these decide.
    fn contexts(
        &self,
        own: &Definitions,
        mapping: &dyn Mapping,
        renaming: &Renaming,
        numbers: &mut impl Numbers,
    ) -> Map<CallingContextRef, RegionRef> {
        if own.calling_contexts.is_empty() {
            return Map::default();
        }
        let regions: Map<_, _> = renaming.own_regions.iter().copied().collect();
        let mut region = |region: RegionRef| {
            let defined = own.regions.get(&region).filter(|_| !mapping.is_there());
            let renamed = regions.get(&region).copied();
            let own = renamed.or_else(|| self.number(own, mapping, defined?, numbers));
            own.unwrap_or_else(|| self.region(mapping.region(region)))
        };
        let contexts = own.calling_contexts.values();
        contexts.map(|d| (mapping.calling_context(d.id), region(d.region))).collect()
    }
}

/// The smallest reference of each content, and those that it stands for.
fn smallest<C: Eq + Hash, R: Reference>(
    all: impl Iterator<Item = (C, R)> + Clone,
) -> (Map<C, R>, Map<R, R>) {
    let mut smallest: Map<C, R> = Map::default();
    for (content, reference) in all.clone() {
        let first = smallest.entry(content).or_insert(reference);
        *first = reference.min(*first);
    }
    let alias = |(content, reference): (C, R)| {
        let first = smallest[&content];
        (first != reference).then_some((reference, first))
    };
    let aliases = all.filter_map(alias).collect();
    (smallest, aliases)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::profile::OwnContents;
    use streamfold_model::definitions::{CallingContext, Definition, Parameter, StringDef};
    use streamfold_model::enums::{MetricScope, ParameterType};
    use streamfold_model::ids::{MetricRef, SourceCodeLocationRef};

    pub(crate) fn region(id: u32, name: u32) -> Region {
        Region {
            id: RegionRef(id),
            name: StringRef(name),
            description: StringRef::UNDEFINED,
            source_file: StringRef::UNDEFINED,
            begin_line_number: 0,
            end_line_number: u32::MAX,
            canonical_name: StringRef(name),
            region_role: RegionRole::Function,
            paradigm: Paradigm::User,
            region_flags: RegionFlag::NONE,
        }
    }

    pub(crate) fn definitions(strings: &[(u32, &str)], regions: &[(u32, u32)]) -> Definitions {
        let mut definitions = Definitions::default();
        for (id, text) in strings {
            let string = StringDef { id: StringRef(*id), string: (*text).into() };
            definitions.insert(Definition::StringDef(string));
        }
        for (id, name) in regions {
            definitions.insert(Definition::Region(region(*id, *name)));
        }
        definitions
    }

    /// Maps nothing.
    struct Plain;

    impl Mapping for Plain {
        fn is_there(&self) -> bool {
            false
        }

        fn region(&self, region: RegionRef) -> RegionRef {
            region
        }

        fn string(&self, string: StringRef) -> StringRef {
            string
        }

        fn calling_context(&self, context: CallingContextRef) -> CallingContextRef {
            context
        }

        fn parameter(&self, parameter: ParameterRef) -> ParameterRef {
            parameter
        }

        fn metric(&self, metric: MetricRef) -> MetricRef {
            metric
        }

        fn scope(&self, _: MetricScope, scope: u64) -> u64 {
            scope
        }
    }

    #[test]
    fn the_smallest_reference_stands_for_all_that_say_the_same() {
        let definitions =
            definitions(&[(0, "f"), (1, "g"), (9, "f")], &[(7, 9), (5, 0), (3, 1), (6, 4), (8, 4)]);
        let contents = Contents::new(&definitions, false);
        let found = [7, 5, 3, 6, 8, 2].map(|id| contents.region(RegionRef(id)).0);
        // Nobody knows what 6 and 8 are called, so nobody can say that they are the same.
        assert_eq!(found, [5, 5, 3, 6, 8, 2]);
    }

    /// Numbers of the definitions of these locations.
    fn numbers_of(contents: &Contents<'_>, all: &[Definitions]) -> OwnNumbers {
        let mut found = OwnContents::default();
        all.iter().for_each(|own| drop(contents.local(own, &Plain, &mut found)));
        OwnNumbers::new(found, contents.definitions())
    }

    #[test]
    fn regions_of_locations_are_known_by_their_texts() {
        let global = definitions(&[(0, "f")], &[(5, 0)]);
        let contents = Contents::new(&global, false);
        let all = [
            definitions(&[(3, "g"), (4, "f")], &[(0, 3), (1, 4)]),
            // Definitions of the trace count; a text that is not the location's own is the trace's.
            definitions(&[(1, "h"), (2, "g")], &[(5, 1), (6, 2), (7, 1), (8, 0)]),
        ];
        let numbers = numbers_of(&contents, &all);
        let found = all.map(|own| {
            let mut found = contents.local(&own, &Plain, &mut &numbers).0.own_regions;
            found.sort_unstable();
            found.into_iter().map(|(from, to)| (from.0, to.0)).collect::<Vec<_>>()
        });
        let (g, h) = (u32::MAX - 2, u32::MAX - 1);
        assert_eq!(found, [vec![(0, g), (1, 5)], vec![(6, g), (7, h), (8, 5)]]);
    }

    #[test]
    fn parameters_and_their_texts_are_known_by_what_they_say() {
        let mut global = definitions(&[(0, "n"), (1, "n"), (2, "m")], &[]);
        for (id, name, parameter_type) in [
            (0, 2, ParameterType::Int64),
            (1, 1, ParameterType::Int64),
            (3, 0, ParameterType::Int64),
        ] {
            let (id, name) = (ParameterRef(id), StringRef(name));
            global.insert(Definition::Parameter(Parameter { id, name, parameter_type }));
        }
        let contents = Contents::new(&global, true);
        let text = |reference| ParameterValue::String(StringRef(reference));
        let step = |id, value| contents.parameter(ParameterRef(id), value);
        assert_eq!(step(3, text(1)), Step::Parameter(ParameterRef(1), text(0)));
        assert_eq!(step(0, text(7)), Step::Parameter(ParameterRef(0), text(7)));
        let int = ParameterValue::Int(1);
        assert_eq!(step(1, int), Step::Parameter(ParameterRef(1), int));
    }

    #[test]
    fn parameters_and_texts_of_locations_are_those_that_say_the_same() {
        let parameter = |id, name| {
            let (id, name) = (ParameterRef(id), StringRef(name));
            let parameter_type = ParameterType::String;
            Definition::Parameter(Parameter { id, name, parameter_type })
        };
        let mut global = definitions(&[(0, "n"), (1, "x")], &[]);
        global.insert(parameter(4, 0));
        // 4 is one of the trace, 5 says the same, nobody else has heard of 6.
        let mut own = definitions(&[(0, "x"), (1, "new"), (2, "n")], &[]);
        for parameter in [parameter(4, 1), parameter(5, 2), parameter(6, 1)] {
            own.insert(parameter);
        }
        let contents = Contents::new(&global, true);
        let known = contents.parameters(&own, &Plain);
        assert_eq!(known, Map::from_iter([(ParameterRef(5), ParameterRef(4))]));
        let numbers = numbers_of(&contents, std::slice::from_ref(&own));
        let texts = contents.local(&own, &Plain, &mut &numbers).1.texts;
        let number = [0, 1].map(|text| texts[&StringRef(text)]);
        assert_eq!(number, [StringRef(1), StringRef(u32::MAX - 1)]);
        let without = Contents::new(&global, false);
        assert!(without.local(&own, &Plain, &mut &numbers).1.is_empty());
    }

    #[test]
    fn calling_contexts_of_locations_stand_for_their_regions() {
        let global = definitions(&[(0, "f"), (1, "f")], &[(5, 0), (6, 1)]);
        let contents = Contents::new(&global, false);
        let mut own = definitions(&[(3, "g")], &[(0, 3)]);
        for (id, region) in [(0, 0), (1, 6), (2, 5), (3, 9)] {
            own.insert(Definition::CallingContext(CallingContext {
                id: CallingContextRef(id),
                region: RegionRef(region),
                source_code_location: SourceCodeLocationRef::UNDEFINED,
                parent: CallingContextRef::UNDEFINED,
            }));
        }
        let found = |own: &Definitions| {
            let numbers = numbers_of(&contents, std::slice::from_ref(own));
            let found = contents.local(own, &Plain, &mut &numbers).1.contexts;
            [0, 1, 2, 3].map(|id| found[&CallingContextRef(id)].0)
        };
        let top = u32::MAX - 1;
        assert_eq!(found(&own), [top, 5, 5, 9]);
        // Numbers of the location mean its own regions in its definitions, whatever the trace calls so.
        for (id, name) in [(5, 4), (6, 5)] {
            own.insert(Definition::Region(region(id, name)));
        }
        for (id, text) in [(4, "h"), (5, "f")] {
            own.insert(Definition::StringDef(StringDef { id: StringRef(id), string: text.into() }));
        }
        assert_eq!(found(&own), [top - 1, 5, top, 9]);
    }
}
