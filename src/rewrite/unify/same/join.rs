//! Facts about global definitions that only events show.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use streamfold_kernels::unify::Record;
use streamfold_model::ids::LocationRef;

use super::keys::Share;
use crate::is_unified;
use crate::unify::comms::sides::{joined, may_be, Changed, Joined};
use crate::unify::comms::traffic::AllMessages;
use crate::unify::number::attributes::{Pairs, Same};
use crate::unify::ranks::joined::JoinedLists;
use crate::unify::read::global_file::GlobalFile;
use crate::unify::read::inputs::{Input, Numbered};
use crate::unify::read::local::{Before, LocalFile};
use crate::unify::read::recent::Recent;
use streamfold_collective::Communicator;
use streamfold_system::exit::Stop;

/// Search for facts that only events show: pairs of communicators that are the sides of one intercommunicator, and
/// equal attributes that are two.
pub(crate) trait Join {
    /// For a single archive of which all ranks have read their share. Rank 0 has the result. Collective.
    /// Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    fn together(
        &mut self,
        locations: &[Numbered],
        share: &Share,
        global: Option<&mut GlobalFile>,
    ) -> Result<Joined, Stop>;

    /// Of a single archive: which two of these global attributes, which say the same, are in the list of one
    /// event, known on rank 0. `has_tables`: locations have mapping tables, or definitions of their own.
    /// Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    fn pairs(
        &mut self,
        locations: &[Numbered],
        same: &Same,
        has_tables: bool,
    ) -> Result<Pairs, Stop>;

    /// Of one of several, whose global definitions this rank has read alone.
    fn alone(
        &mut self,
        input: usize,
        locations: &[LocationRef],
        records: &[Record],
    ) -> (Joined, Changed);
}

/// Leaves all as it is.
pub(crate) struct Nobody;

impl Join for Nobody {
    fn together(
        &mut self,
        _: &[Numbered],
        _: &Share,
        _: Option<&mut GlobalFile>,
    ) -> Result<Joined, Stop> {
        Ok(Joined::default())
    }

    fn pairs(&mut self, _: &[Numbered], _: &Same, _: bool) -> Result<Pairs, Stop> {
        // There are no events.
        Ok(Pairs::any())
    }

    fn alone(&mut self, _: usize, _: &[LocationRef], _: &[Record]) -> (Joined, Changed) {
        (Joined::default(), Changed::new())
    }
}

/// Looks at messages, which takes reading the events of traces whose global definitions nobody has unified.
pub(crate) struct ByMessages<'a> {
    pub ranks: &'a dyn Communicator,
    pub inputs: &'a [Input],
    pub workers: NonZeroUsize,
}

impl Join for ByMessages<'_> {
    fn together(
        &mut self,
        locations: &[Numbered],
        share: &Share,
        global: Option<&mut GlobalFile>,
    ) -> Result<Joined, Stop> {
        // Those of several are joined before, one archive after another.
        let [input] = self.inputs else { return Ok(Joined::default()) };
        let ranks = self.ranks;
        let unified = share.mapped + share.ununified > 0 || is_unified(input.archive.anchor());
        let unified = ranks.all_reduce(unified, |a, b| a || b)?;
        let may_be = global.as_ref().filter(|_| !unified).map(|global| may_be(&global.records));
        let may_be: BTreeSet<u32> =
            ranks.broadcast(0, (ranks.rank() == 0).then(|| may_be.unwrap_or_default()))?;
        if may_be.is_empty() {
            return Ok(Joined::default());
        }
        let locations: Vec<LocationRef> = locations.iter().map(|it| it.location).collect();
        let messages = AllMessages::read(input, &locations, self.workers, &may_be);
        let messages = ranks.reduce(0, messages, AllMessages::fold)?;
        let both = messages.zip(global);
        Ok(both.map_or_else(Joined::default, |(messages, global)| {
            let (joined, changed) = joined(&messages, &may_be, &global.records);
            global.rewrite(changed);
            joined
        }))
    }

    fn pairs(
        &mut self,
        locations: &[Numbered],
        same: &Same,
        has_tables: bool,
    ) -> Result<Pairs, Stop> {
        // An archive that is unified keeps its attributes apart. Events have numbers of locations there, too.
        let [input] = self.inputs else { return Ok(Pairs::any()) };
        if has_tables || is_unified(input.archive.anchor()) {
            return Ok(Pairs::any());
        }
        let locations: Vec<LocationRef> = locations.iter().map(|it| it.location).collect();
        let pairs = Pairs::read(input, &locations, self.workers, same);
        Ok(self.ranks.reduce(0, pairs, Pairs::fold)?.unwrap_or_default())
    }

    fn alone(
        &mut self,
        input: usize,
        locations: &[LocationRef],
        records: &[Record],
    ) -> (Joined, Changed) {
        let (number, input, may_be) = (input as u32, &self.inputs[input], may_be(records));
        if may_be.is_empty() || is_unified(input.archive.anchor()) {
            return (Joined::default(), Changed::new());
        }
        let mut recent = Recent::default();
        let mut says = |location: &LocationRef| {
            let of = Numbered { ordinal: 0, input: number, location: *location, now: *location };
            // A file that cannot be read is reported when it is read for all.
            let before = Before { joined: &JoinedLists::default(), defined: &BTreeMap::new() };
            let file = LocalFile::read(input, of, before, &mut recent).unwrap_or_default();
            // Tables of a part may be those that were written when it was cut.
            let has_tables = !file.tables.is_empty() && !input.placed.is_cut();
            has_tables || !file.records.is_empty()
        };
        if locations.iter().any(&mut says) {
            return (Joined::default(), Changed::new());
        }
        if input.placed.is_cut() {
            // Other parts have the other ends of messages, and have to decide the same.
            return (Joined { in_parts: true, ..Joined::default() }, Changed::new());
        }
        let messages = AllMessages::read(input, locations, self.workers, &may_be);
        joined(&messages, &may_be, records)
    }
}
