//! Regions that stay, and the regions of calling contexts and programs.

use std::collections::HashMap;

use bstr::BString;
use foldhash::fast::RandomState;
use streamfold_kernels::profile::Rule;
use streamfold_model::definitions::{CallingContext, Region};
use streamfold_model::enums::{Paradigm, RegionRole};
use streamfold_model::events::ProgramBegin;
use streamfold_model::ids::{CallingContextRef, RegionRef, StringRef};
use streamfold_model::references::ReferenceKind;
use streamfold_model::store::Definitions;

use super::used::Tables;

/// Choice of each region, by number: true if it stays.
type Choices = HashMap<u32, bool, RandomState>;

/// Regions of a trace that stay.
pub(super) struct Chosen<'a> {
    rule: &'a dyn Rule,
    defined: Choices,
}

impl<'a> Chosen<'a> {
    pub(super) fn new(definitions: &Definitions, rule: &'a dyn Rule) -> Self {
        let regions = definitions.regions.values().map(|region| {
            let name = definitions.string(region.name).unwrap_or_default();
            (region.id.0, rule.chooses(name, region.paradigm))
        });
        Chosen { rule, defined: regions.collect() }
    }

    /// Returns the choices of the rule for regions that the location defines and the trace does not. Their numbers are
    /// those after the location's tables. A region without a name has no choice.
    fn own(&self, definitions: &Definitions, own: &Definitions, tables: &Tables) -> Choices {
        let name = |string: StringRef| {
            let global = tables.global(ReferenceKind::String, string.0.into()) as u32;
            own.string(string).or_else(|| definitions.string(StringRef(global)))
        };
        let choice = |region: &Region| {
            let number = tables.global(ReferenceKind::Region, region.id.0.into()) as u32;
            let is_own = !self.defined.contains_key(&number);
            let name = name(region.name).filter(|_| is_own)?;
            Some((number, self.rule.chooses(name, region.paradigm)))
        };
        own.regions.values().filter_map(choice).collect()
    }
}

/// Regions that say the same as another one with a smaller number, which stands for them.
pub(super) type Same = HashMap<RegionRef, RegionRef, RandomState>;

/// The regions of a location.
pub(super) struct Regions<'a> {
    definitions: &'a Definitions,
    same: &'a Same,
    pub tables: Tables,
    chosen: Option<&'a Chosen<'a>>,
    /// Of the regions that only the location defines.
    own_choices: Choices,
    /// The regions of calling contexts that it defines, by its numbers of them.
    own_contexts: HashMap<CallingContextRef, RegionRef, RandomState>,
}

impl<'a> Regions<'a> {
    /// Those of a location with these definitions and tables. Its own definitions count where the trace
    /// has none of the number that the tables make of theirs.
    pub(super) fn new(
        (definitions, same): (&'a Definitions, &'a Same),
        own: &Definitions,
        tables: Tables,
        chosen: Option<&'a Chosen<'a>>,
    ) -> Self {
        let own_choices = chosen.map(|chosen| chosen.own(definitions, own, &tables));
        let own_choices = own_choices.unwrap_or_default();
        let context = |context: &CallingContext| {
            let number = tables.global(ReferenceKind::CallingContext, context.id.0.into());
            (CallingContextRef(number as u32), context.region)
        };
        let own_contexts = own.calling_contexts.values().map(context).collect();
        Regions { definitions, same, own_contexts, tables, chosen, own_choices }
    }

    /// The number that the trace has for a region, or for the one that stands for it.
    #[inline]
    pub(super) fn global(&self, region: RegionRef) -> u32 {
        self.one(self.tables.global(ReferenceKind::Region, region.0.into()) as u32)
    }

    #[inline]
    fn one(&self, region: u32) -> u32 {
        match self.same.is_empty() {
            true => region,
            false => self.same.get(&RegionRef(region)).map_or(region, |same| same.0),
        }
    }

    /// Returns whether the region with this number in the trace stays.
    #[inline]
    pub(super) fn stays(&self, region: u32) -> bool {
        let Some(chosen) = self.chosen else { return true };
        let own = || self.own_choices.get(&region);
        let choice = chosen.defined.get(&region).or_else(own);
        choice.copied().unwrap_or_else(|| chosen.rule.chooses_undefined())
    }

    /// The same for the region of a calling context.
    pub(super) fn of_context(&self, context: CallingContextRef) -> u32 {
        let context = self.global_context(context);
        match self.definitions.calling_contexts.get(&context) {
            Some(found) => self.one(found.region.0),
            None => {
                let own = self.own_contexts.get(&context);
                own.map_or(RegionRef::UNDEFINED.0, |region| self.global(*region))
            }
        }
    }

    fn global_context(&self, context: CallingContextRef) -> CallingContextRef {
        let number = self.tables.global(ReferenceKind::CallingContext, context.0.into());
        CallingContextRef(number as u32)
    }

    /// How many regions a context has on its stack above those of another one below it or, without one,
    /// in all; and one more, as the format counts. `None` where the trace does not say.
    pub(super) fn distance(
        &self,
        context: CallingContextRef,
        below: Option<CallingContextRef>,
    ) -> Option<u32> {
        /// Limit of the depth of a stack: deeper ones have no distance, so no search takes too long.
        const MOST: u32 = 256;
        let end = below.map_or(CallingContextRef::UNDEFINED, |below| self.global_context(below));
        let mut here = self.global_context(context);
        for distance in 2..MOST {
            here = self.definitions.calling_contexts.get(&here)?.parent;
            if here == end {
                return Some(distance);
            }
        }
        None
    }
}

/// Regions that stand for programs: no event enters them, but readers find them by their names.
pub(super) struct Programs(HashMap<BString, Vec<RegionRef>, RandomState>);

impl Programs {
    pub(super) fn new(definitions: &Definitions) -> Self {
        let mut regions: HashMap<BString, Vec<RegionRef>, RandomState> = HashMap::default();
        for region in definitions.regions.values() {
            let artificial = region.region_role == RegionRole::Artificial;
            let name = definitions.string(region.canonical_name);
            if let (true, Paradigm::MeasurementSystem, Some(name)) =
                (artificial, region.paradigm, name)
            {
                regions.entry(name.to_owned()).or_default().push(region.id);
            }
        }
        Programs(regions)
    }

    /// Those of a program: its name, with its arguments behind it.
    pub(super) fn regions(
        &self,
        program: &ProgramBegin<'_>,
        tables: &Tables,
        definitions: &Definitions,
    ) -> &[RegionRef] {
        let text = |string: StringRef| {
            let number = tables.global(ReferenceKind::String, string.0.into());
            definitions.string(StringRef(number as u32)).unwrap_or_default()
        };
        let mut name = text(program.program_name).to_owned();
        for argument in program.program_arguments {
            name.push(b' ');
            name.extend_from_slice(text(*argument));
        }
        self.0.get(&name).map_or(&[], Vec::as_slice)
    }
}
