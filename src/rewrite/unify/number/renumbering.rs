//! Everything that says what numbers become.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use streamfold_kernels::unify::{Key, Seed};
use streamfold_model::references::ReferenceKind;

use super::undefined::Ends;
use crate::unify::comms::disputes::Disputes;
use crate::unify::ranks::joined::JoinedLists;
use crate::unify::ranks::lists::Lists;
use crate::unify::read::global_read::Changed;
use crate::unify::read::inputs::Numbered;
use crate::unify::read::kept::{Kept, KeptLocation};
use crate::unify::read::local::Before;
use crate::unify::same::defined::Defined;
use crate::unify::same::known::AllGlobals;
use crate::unify::same::pool::Map;
use crate::unify::same::waiting::WaitingLocation;

/// Everything that says what numbers become.
pub(crate) struct Renumbering<'a> {
    pub seed: Seed,
    /// Of what locations define.
    pub numbers: &'a Map<Key, u64>,
    /// Global definitions to which those of locations lead.
    pub globals: &'a AllGlobals,
    /// Communicators about which members disagree.
    pub disputes: &'a Disputes,
    /// The locations with ranks.
    pub lists: &'a Lists,
    /// Those of an archive that is alone, where they differ from location to location.
    pub joined: &'a JoinedLists,
    /// By their order among all.
    pub waiting: Map<u64, &'a WaitingLocation>,
    /// Kept definitions of locations, and their numbers.
    pub kept: &'a Kept,
    pub kept_numbers: Vec<Vec<Option<u64>>>,
    /// Of each archive.
    pub changed: &'a BTreeMap<u32, Changed>,
    /// Of archives where nothing has changed.
    pub none: Changed,
    /// Kinds of which definitions have got numbers.
    pub numbered: &'a BTreeSet<ReferenceKind>,
    /// The global numbers that archives define, where locations say something of them.
    pub defined: &'a BTreeMap<u32, Arc<Defined>>,
    /// Behind all numbers that are given, where there are several archives.
    pub ends: &'a Ends,
    /// True if events have to be counted.
    pub counts_events: bool,
}

impl Renumbering<'_> {
    /// Global numbers of an archive that have become others.
    pub(crate) fn changed(&self, input: u32) -> &Changed {
        self.changed.get(&input).unwrap_or(&self.none)
    }

    /// Returns the inputs for reading files of locations once more.
    pub(crate) fn before(&self) -> Before<'_> {
        Before { joined: self.joined, defined: self.defined }
    }

    /// Returns the kept definitions of a location.
    pub(crate) fn kept(&self, numbered: Numbered) -> Option<KeptLocation<'_>> {
        self.kept.location(numbered.ordinal)
    }
}
