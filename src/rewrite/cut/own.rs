//! What a location defines itself.

use streamfold_kernels::validate::Known;
use streamfold_model::definitions::Definition;
use streamfold_model::store::Definitions;

use super::used::{each_target, Used};

/// What a location defines itself.
#[derive(Default)]
pub(super) struct Own {
    /// What its events may mean by names.
    pub definitions: Definitions,
    defined: Used,
    leads_to: Used,
    /// Whether there is anything.
    pub any: bool,
}

impl Own {
    /// Takes in a definition of the location.
    pub fn take(&mut self, definition: &Definition) {
        match definition {
            Definition::MappingTable(_) | Definition::ClockOffset(_) => return,
            Definition::StringDef(_) | Definition::Region(_) | Definition::CallingContext(_) => {
                self.definitions.insert(definition.clone())
            }
            _ => {}
        }
        self.any = true;
        if let Some((kind, number)) = definition.defines() {
            self.defined.add(kind, number);
        }
        each_target(definition, |kind, number| {
            self.leads_to.add(kind, number);
        });
    }

    /// What it leads to and does not define is the trace's.
    pub fn lead_to(&self, known: &Known, used: &mut Used) {
        self.leads_to.each(|kind, number| {
            if !self.defined.has(kind, number) && known.has(kind, number) {
                used.add(kind, number);
            }
        });
    }
}
