//! Regions that stand for programs, which no event enters.

use std::collections::HashMap;

use bstr::BString;
use foldhash::fast::RandomState;
use streamfold_model::enums::{Paradigm, RegionRole};
use streamfold_model::events::ProgramBegin;
use streamfold_model::ids::RegionRef;
use streamfold_model::store::Definitions;

/// The artificial regions of the measurement system by their canonical names: that of a program is
/// its name with its arguments behind it, with blanks between.
pub(crate) struct Programs {
    regions: HashMap<BString, RegionRef, RandomState>,
}

impl Programs {
    pub(crate) fn new(definitions: &Definitions) -> Self {
        let artificial = definitions.regions.values().filter(|region| {
            region.region_role == RegionRole::Artificial
                && region.paradigm == Paradigm::MeasurementSystem
        });
        let mut regions: HashMap<BString, RegionRef, RandomState> = HashMap::default();
        for region in artificial {
            let Some(name) = definitions.string(region.canonical_name) else { continue };
            let smallest = regions.entry(name.to_owned()).or_insert(region.id);
            *smallest = region.id.min(*smallest);
        }
        Programs { regions }
    }

    /// The region of a program; `None` where none has its name.
    pub(crate) fn region(
        &self,
        program: &ProgramBegin<'_>,
        definitions: &Definitions,
    ) -> Option<RegionRef> {
        let mut name = definitions.string(program.program_name)?.to_owned();
        for argument in program.program_arguments {
            name.push(b' ');
            name.extend_from_slice(definitions.string(*argument)?);
        }
        self.regions.get(&name).copied()
    }
}
