//! Things of which a trace has only one.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::incomplete::Appearance;
use streamfold_model::definitions::Definition;

use super::pool::Pooled;
use crate::unify::read::inputs::in_archive;
use crate::unify::read::records;

/// Thing of which a trace has only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Identity {
    Clock,
    Paradigm(u8),
    Property(u8, u8),
    /// Of a run of which several archives are parts.
    Group(u64),
}

impl Identity {
    /// The rank that looks after it.
    pub(crate) fn owner(self, ranks: usize) -> usize {
        let number = match self {
            Identity::Clock => 0,
            Identity::Paradigm(paradigm) | Identity::Property(paradigm, _) => paradigm.into(),
            Identity::Group(of) => of,
        };
        (number % ranks as u64) as usize
    }
}

/// Appearance of a definition about it on a rank.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Said {
    pub identity: Identity,
    pub first: Appearance,
    pub rank: usize,
}

/// Returns the thing that a definition is about, if a trace has only one of it. `runs`: those of which several archives
/// are parts.
pub(crate) fn identity(pooled: &Pooled, runs: &BTreeSet<u64>) -> Option<Identity> {
    let shell = &pooled.content.shell;
    let of = records::of(shell);
    match records::record_id(shell) {
        records::CLOCK_PROPERTIES => Some(Identity::Clock),
        records::PARADIGM | records::PARADIGM_PROPERTY => match records::without_members(shell) {
            Definition::ParadigmDef(it) => Some(Identity::Paradigm(it.paradigm.into())),
            Definition::ParadigmPropertyDef(it) => {
                Some(Identity::Property(it.paradigm.into(), it.property.into()))
            }
            _ => None,
        },
        // Those of locations have no number in their run.
        records::LOCATION_GROUP => {
            let is_global = in_archive(pooled.first.0).1 == 0;
            (is_global && runs.contains(&(of >> 32))).then_some(Identity::Group(of | pooled.number))
        }
        _ => None,
    }
}
