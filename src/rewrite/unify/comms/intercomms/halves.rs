//! Communicators between two groups each side of which knows its own group alone.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::incomplete::Appearance;
use streamfold_kernels::unify::members::Places;
use streamfold_kernels::unify::Key;

use super::{with_groups, Groups};
use crate::unify::comms::whole::{members_of, Classes};
use crate::unify::read::records::CommMembers;
use crate::unify::read::source::Source;
use crate::unify::same::keys::Share;
use crate::unify::same::settle::Settling;
use crate::unify::same::shared::owner;
use crate::unify::same::waiting::{Around, Incomplete};
use streamfold_collective::Error;

/// One side of some communicators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Which {
    /// Key of all that they have in common with the other side.
    common: Key,
    /// The run that they are of.
    run: Option<u32>,
    /// Key of all that they have in common with others of the same side.
    side: Key,
}

/// Facts about a side from a rank whose locations have it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Said {
    which: Which,
    group: Key,
    members: Option<CommMembers>,
    /// How many such communicators each location has that has any.
    counts: BTreeSet<usize>,
    first: Appearance,
    /// True if the group is the second one at its first appearance.
    is_second: bool,
    ranks: BTreeSet<usize>,
}

impl Said {
    /// With what others say of the same side.
    fn fold(self, other: Said) -> Said {
        let (mut first, second) =
            if self.first <= other.first { (self, other) } else { (other, self) };
        first.counts.extend(second.counts);
        first.ranks.extend(second.ranks);
        first.members = first.members.or(second.members);
        first
    }

    /// Returns whether both may be sides of the same communicators: they have no member in common, and as many
    /// communicators were made of each.
    fn may_be_of(&self, other: &Said) -> bool {
        let (Some((own, members)), Some((paradigm, others))) = (&self.members, &other.members)
        else {
            return false;
        };
        let others = Places::new(others.clone());
        let mut members = members.iter().flat_map(|stretch| stretch.members());
        own == paradigm
            && self.counts.len() == 1
            && self.counts == other.counts
            && members.all(|member| others.of(member).is_none())
    }
}

/// All sides that a rank knows of, or that it looks after.
#[derive(Debug, Default)]
struct Sides(BTreeMap<Which, Said>);

impl Sides {
    fn take(&mut self, said: Said) {
        let said = match self.0.remove(&said.which) {
            Some(known) => known.fold(said),
            None => said,
        };
        self.0.insert(said.which, said);
    }

    /// Those that are sides of the same communicators, and the ranks that know them.
    fn joined(self) -> Vec<(usize, Joined)> {
        let mut by_common: BTreeMap<(Key, Option<u32>), Vec<Said>> = BTreeMap::new();
        for said in self.0.into_values() {
            by_common.entry((said.which.common, said.which.run)).or_default().push(said);
        }
        let mut joined = Vec::new();
        for mut sides in by_common.into_values() {
            sides.sort_unstable_by_key(|side| (side.is_second, side.first));
            let [one, other] = &sides[..] else { continue };
            if !one.may_be_of(other) {
                continue;
            }
            let groups = [one.group, other.group];
            for (side, other) in [(one, other), (other, one)] {
                let Some(members) = other.members.clone() else { continue };
                let told = Joined { which: side.which, groups, other: (other.group, members) };
                joined.extend(side.ranks.iter().map(|rank| (*rank, told.clone())));
            }
        }
        joined
    }
}

/// Joined communicators of which a rank knows one side.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Joined {
    which: Which,
    groups: Groups,
    /// The group of the other side, and who is in it.
    other: (Key, CommMembers),
}

impl Share {
    /// Joins two groups that are sides of the same communicators: the first communicator of one is that of the other.
    /// There must be exactly two such groups with all else in common. No rank may know any such communicator of either
    /// whole. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(super) fn join_halves(
        &mut self,
        settling: &Settling<'_, impl Source>,
        depth: usize,
    ) -> Result<(), Error> {
        let ranks = settling.ranks;
        let all = self.halves(settling, depth)?;
        let mut sides = Sides::default();
        for (waiting, halves) in self.waiting.iter().zip(&all) {
            let run = settling.placed(waiting.numbered).run;
            for incomplete in halves {
                let first = (waiting.numbered.ordinal, incomplete.places[0] as u64);
                self.said(incomplete, run, first, ranks.rank())
                    .into_iter()
                    .for_each(|it| sides.take(it));
            }
        }
        let said = sides.0.into_values();
        let said = said.map(|said| (owner(said.which.common, ranks.size()), said));
        let mut sides = Sides::default();
        ranks.exchange(said.collect())?.into_iter().for_each(|said| sides.take(said));
        let joined: Vec<Joined> = ranks.exchange(sides.joined())?;
        let mut groups = BTreeMap::new();
        for Joined { which, groups: both, other: (key, members) } in joined {
            self.groups.insert(key, members);
            groups.insert(which, both);
        }
        self.give_halves(settling, all, &groups);
        Ok(())
    }

    /// Those of each location of which one group is known, and which nobody knows whole. Collective.
    fn halves(
        &self,
        settling: &Settling<'_, impl Source>,
        depth: usize,
    ) -> Result<Vec<Vec<Incomplete>>, Error> {
        let all = self.waiting.iter();
        let all = all.map(|it| it.incomplete(self.seed, settling.globals(it), depth));
        let mut all: Vec<Vec<Incomplete>> = all.collect();
        all.iter_mut().for_each(|all| all.retain(|incomplete| incomplete.side.is_some()));
        let asked: BTreeSet<Key> = all.iter().flatten().map(|it| it.class).collect();
        let asked: Vec<Key> = asked.into_iter().collect();
        // Mostly there is none, and nobody has to look for what is known whole.
        if settling.ranks.all_reduce(asked.is_empty(), |a, b| a && b)? {
            return Ok(all);
        }
        let mut classes = Classes::gather(settling.ranks, self)?;
        let whole = classes.candidates(settling.ranks, self, &asked)?;
        let is_whole = |side: &Key| whole.get(side).is_some_and(|all| !all.is_empty());
        all.iter_mut().for_each(|all| all.retain(|incomplete| !is_whole(&incomplete.class)));
        Ok(all)
    }

    /// Returns the facts about a side from a location of this rank.
    fn said(
        &self,
        Incomplete { class, common, side, places }: &Incomplete,
        run: Option<u32>,
        first: Appearance,
        rank: usize,
    ) -> Option<Said> {
        let side = (*side)?;
        Some(Said {
            which: Which { common: *common, run, side: *class },
            group: side.group,
            members: members_of(self, &side.group),
            counts: [places.len()].into(),
            first,
            is_second: side.is_second,
            ranks: [rank].into(),
        })
    }

    /// Gives keys to those whose other group is known by now.
    fn give_halves(
        &mut self,
        settling: &Settling<'_, impl Source>,
        all: Vec<Vec<Incomplete>>,
        groups: &BTreeMap<Which, Groups>,
    ) {
        for (waiting, halves) in self.waiting.iter_mut().zip(all) {
            let globals = settling.globals(waiting);
            let run = settling.placed(waiting.numbered).run;
            for Incomplete { class, common, places, .. } in halves {
                let which = Which { common, run, side: class };
                let Some(groups) = groups.get(&which) else { continue };
                self.means_others = true;
                for place in places {
                    let Some(content) = waiting.content(place, globals) else { continue };
                    let content = with_groups(&content, waiting.refs(place), *groups);
                    let mut around = Around { seed: self.seed, globals, pool: &mut self.pool };
                    waiting.give(place, content, &mut around);
                }
            }
        }
    }
}
