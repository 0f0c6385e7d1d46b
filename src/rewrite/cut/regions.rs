//! Which regions stay, and which region a calling context or a program is.

use std::collections::HashMap;

use bstr::BString;
use foldhash::fast::RandomState;
use streamfold_kernels::profile::Rule;
use streamfold_model::enums::{MappingType, Paradigm, RegionRole};
use streamfold_model::events::ProgramBegin;
use streamfold_model::ids::{CallingContextRef, RegionRef, StringRef};
use streamfold_model::references::ReferenceKind;
use streamfold_model::store::Definitions;

use super::used::Tables;

/// Whether regions stay, by their numbers.
type Choices = HashMap<u32, bool, RandomState>;

/// Which regions of a trace stay.
pub(super) struct Chosen<'a> {
    rule: &'a dyn Rule,
    defined: Choices,
}

impl<'a> Chosen<'a> {
    pub fn new(definitions: &Definitions, rule: &'a dyn Rule) -> Self {
        Chosen { rule, defined: choices(definitions, rule) }
    }
}

/// What a rule says of the regions of these definitions.
fn choices(definitions: &Definitions, rule: &dyn Rule) -> Choices {
    let regions = definitions.regions.values().map(|region| {
        let name = definitions.string(region.name).unwrap_or_default();
        (region.id.0, rule.chooses(name, region.paradigm))
    });
    regions.collect()
}

/// The regions of a location.
pub(super) struct Regions<'a> {
    definitions: &'a Definitions,
    /// What only the location defines.
    own: Definitions,
    pub tables: Tables,
    chosen: Option<&'a Chosen<'a>>,
    /// Of the regions that it defines itself.
    own_choices: Choices,
}

impl<'a> Regions<'a> {
    /// Those of a location with these definitions and tables. Where it has a table nobody reads its own
    /// definitions of that kind.
    pub fn new(
        definitions: &'a Definitions,
        mut own: Definitions,
        tables: Tables,
        chosen: Option<&'a Chosen<'a>>,
    ) -> Self {
        let mut own_choices = Choices::default();
        if tables.has(MappingType::CallingContext) {
            own.calling_contexts.clear();
        }
        if let Some(chosen) = chosen.filter(|_| !tables.has(MappingType::Region)) {
            own_choices = choices(&own, chosen.rule);
        }
        Regions { definitions, own, tables, chosen, own_choices }
    }

    /// The number that the trace has for a region.
    #[inline]
    pub fn global(&self, region: RegionRef) -> u32 {
        self.tables.global(ReferenceKind::Region, region.0.into()) as u32
    }

    /// Whether a region stays, which has this number in the trace.
    #[inline]
    pub fn stays(&self, region: u32) -> bool {
        let Some(chosen) = self.chosen else { return true };
        let own = || self.own_choices.get(&region);
        let choice = chosen.defined.get(&region).or_else(own);
        choice.copied().unwrap_or_else(|| chosen.rule.chooses_undefined())
    }

    /// The number that the trace has for the region of a calling context.
    pub fn of_context(&self, context: CallingContextRef) -> u32 {
        if let Some(own) = self.own.calling_contexts.get(&context) {
            return self.global(own.region);
        }
        let context = self.global_context(context);
        let found = self.definitions.calling_contexts.get(&context);
        found.map_or(RegionRef::UNDEFINED.0, |context| context.region.0)
    }

    fn global_context(&self, context: CallingContextRef) -> CallingContextRef {
        let number = self.tables.global(ReferenceKind::CallingContext, context.0.into());
        CallingContextRef(number as u32)
    }

    /// How many regions a context has on its stack above those of another one below it or, without one,
    /// in all; and one more, as the format counts. `None` where the trace does not say.
    pub fn distance(
        &self,
        context: CallingContextRef,
        below: Option<CallingContextRef>,
    ) -> Option<u32> {
        /// Whoever has deeper stacks does not say; so there is no way too long.
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
    pub fn new(definitions: &Definitions) -> Self {
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
    pub fn regions(
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
