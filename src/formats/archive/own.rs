//! Local definitions of a location: its definitions, mapping tables and clock offsets.

use std::sync::LazyLock;

use streamfold_model::definitions::Definition;
use streamfold_model::enums::{MappingType, MetricScope};
use streamfold_model::ids::{
    CallingContextRef, LocationRef, MetricRef, ParameterRef, RegionRef, StringRef,
};
use streamfold_model::renaming::{Mapping, Renaming};
use streamfold_model::store::Definitions;

use crate::Clocks;
use streamfold_otf2::{Archive, Error, LocalDefinitions, Mappings};

/// Local definitions of a location. If its mapping tables are damaged, its numbers would mean something else: the
/// location is lost then. If no file was written, it has none.
pub struct OwnDefinitions {
    /// Those that the trace does not have; most locations have none.
    own: Option<Box<Definitions>>,
    local: LocalDefinitions,
}

/// Those of a location that has none.
static NONE: LazyLock<Definitions> = LazyLock::new(Definitions::default);

impl OwnDefinitions {
    /// Reads them; times are corrected, or stay as recorded. `definitions` are those of the trace.
    pub fn read(
        archive: &Archive,
        location: LocationRef,
        definitions: &Definitions,
        clocks: Clocks,
    ) -> Result<Self, Error> {
        let mut own: Option<Box<Definitions>> = None;
        let keep = |definition: &Definition| {
            // No other definition is used.
            if let Definition::StringDef(_)
            | Definition::Region(_)
            | Definition::Parameter(_)
            | Definition::CallingContext(_)
            | Definition::MetricMember(_)
            | Definition::MetricClass(_)
            | Definition::MetricInstance(_) = definition
            {
                own.get_or_insert_default().insert(definition.clone());
            }
        };
        let (mut local, none) = archive.read_local_definitions_or_none(location, keep)?;
        local.complaints.extend(none.map(|error| {
            format!("{error} (events were read as if it were not there: numbers and times in them are not mapped)")
        }));
        if local.is_missing {
            let is_defined = |location| definitions.locations.contains_key(&location);
            let missing = archive.missing_local_definitions(location, is_defined);
            local.complaints.extend(missing.map(|error| error.to_string()));
        }
        if clocks == Clocks::Raw {
            local.keep_raw_times();
        }
        Ok(OwnDefinitions { own, local })
    }

    /// The definitions that only the location has.
    pub fn definitions(&self) -> &Definitions {
        self.own.as_deref().unwrap_or_else(|| &*NONE)
    }

    /// Takes the complaints about its definitions.
    pub fn take_complaints(&mut self) -> Vec<String> {
        std::mem::take(&mut self.local.complaints)
    }

    /// Returns the renaming that a kernel makes of them.
    pub fn renaming<R>(&self, rename: impl FnOnce(&Definitions, &dyn Mapping) -> R) -> R {
        rename(self.definitions(), &Maps(&self.local.mappings))
    }

    /// Mapping tables and clock offsets, with other references.
    pub fn renamed(mut self, renaming: Renaming) -> LocalDefinitions {
        let Renaming { own_regions, own_metrics, regions } = renaming;
        self.local.mappings.rename_regions(&own_regions, regions);
        self.local.mappings.rename_metrics(&own_metrics);
        self.local
    }
}

/// Mapping tables, as kernels know them.
struct Maps<'a>(&'a Mappings);

impl Mapping for Maps<'_> {
    fn is_there(&self) -> bool {
        self.0.kinds().next().is_some()
    }

    fn region(&self, region: RegionRef) -> RegionRef {
        RegionRef(self.0.map32(MappingType::Region, region.0))
    }

    fn string(&self, string: StringRef) -> StringRef {
        StringRef(self.0.map32(MappingType::String, string.0))
    }

    fn calling_context(&self, context: CallingContextRef) -> CallingContextRef {
        CallingContextRef(self.0.map32(MappingType::CallingContext, context.0))
    }

    fn parameter(&self, parameter: ParameterRef) -> ParameterRef {
        ParameterRef(self.0.map32(MappingType::Parameter, parameter.0))
    }

    fn metric(&self, metric: MetricRef) -> MetricRef {
        MetricRef(self.0.map32(MappingType::Metric, metric.0))
    }

    fn scope(&self, kind: MetricScope, scope: u64) -> u64 {
        match kind {
            MetricScope::Location => self.0.map64(MappingType::Location, scope),
            MetricScope::LocationGroup => self.0.map64(MappingType::LocationGroup, scope),
            MetricScope::Group => self.0.map64(MappingType::Group, scope),
            // No mapping table is for nodes of the system tree.
            _ => scope,
        }
    }
}
