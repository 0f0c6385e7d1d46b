//! Definitions of locations that wait for what others say: asked for, and found out.

use std::collections::{BTreeMap, BTreeSet};

use streamfold_kernels::unify::{Global, Key, Seed};
use streamfold_model::references::ReferenceKind;

use super::findings::called;
use super::inputs::Numbered;
use super::keys::{of_location, Share};
use super::known::{AllGlobals, Files};
use super::lists::all_lists;
use super::pool::Map;
use super::source::Source;
use super::waiting::Incomplete;
use super::whole::{candidates, comm_members, CommMembers};
use crate::collective::{Communicator, Error};

/// So many communicators may be above one whose group nobody says: each needs that those above it are known.
const DEEPEST: usize = 256;

impl Share {
    /// Finds the keys of all that waits. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub fn settle(
        &mut self,
        ranks: &dyn Communicator,
        sources: &[impl Source],
        files: &Files<'_>,
        seed: Seed,
    ) -> Result<AllGlobals, Error> {
        let (globals, groups) = self.ask(ranks, files)?;
        self.groups = groups;
        for waiting in &self.waiting {
            let numbered = waiting.numbered;
            let file = of_location(&sources[numbered.input as usize], numbered);
            let nowhere = waiting.nowhere(globals.of(numbered.input));
            self.findings.broken(&file, &nowhere, |place| waiting.record(place));
        }
        self.lists = all_lists(ranks, &self.pool)?;
        for _ in 0..DEEPEST {
            for waiting in &mut self.waiting {
                waiting.settle(seed, globals.of(waiting.numbered.input), &mut self.pool);
            }
            let depths = self.waiting.iter();
            let depths =
                depths.map(|waiting| waiting.least_depth(globals.of(waiting.numbered.input)));
            let own = depths.flatten().min();
            let least = |a: Option<usize>, b: Option<usize>| match (a, b) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            let Some(depth) = ranks.all_reduce(own, least)? else { break };
            self.choose(ranks, &globals, depth, seed)?;
        }
        let mut all = std::mem::take(&mut self.waiting);
        for waiting in &mut all {
            let numbered = waiting.numbered;
            let file = of_location(&sources[numbered.input as usize], numbered);
            for place in waiting.give_up(seed, &mut self.pool) {
                let called = called(waiting.record(place));
                let text = "too many communicators are above it: nobody looked who is in it";
                self.findings.lose(&file, format_args!("{called}: {text}"));
            }
            self.hold(waiting.comms());
            waiting.end();
        }
        self.waiting = all;
        Ok(globals)
    }

    /// Asks for the global definitions to which those of locations lead: whoever has read them.
    fn ask(
        &self,
        ranks: &dyn Communicator,
        files: &Files<'_>,
    ) -> Result<(AllGlobals, Map<Key, CommMembers>), Error> {
        let mut asks: BTreeMap<u32, BTreeSet<(ReferenceKind, u64)>> = BTreeMap::new();
        for waiting in &self.waiting {
            asks.entry(waiting.numbered.input).or_default().extend(waiting.asks());
        }
        let asks = asks.into_iter().map(|(input, asks)| {
            let asks: Vec<_> = asks.into_iter().collect();
            (files.keepers[input as usize], (ranks.rank(), input, asks))
        });
        let asked: Vec<Asked> = ranks.exchange(asks.collect())?;
        let asks_first = asked.iter().any(|(_, input, _)| *input == 0);
        let keys = files.keys(asks_first);
        let answers = asked.into_iter().map(|(rank, input, asks)| {
            let answer = |(kind, number)| {
                let key = keys(input, kind, number);
                let group = key.filter(|_| kind == ReferenceKind::Group);
                let group = group.and_then(|key| comm_members(&self.pool, &key));
                ((kind, number), key, group)
            };
            (rank, (input, asks.into_iter().map(answer).collect::<Vec<_>>()))
        });
        let answers: Vec<(u32, Vec<Answer>)> = ranks.exchange(answers.collect())?;
        let (mut globals, mut groups) = (AllGlobals::default(), Map::default());
        for (input, answers) in answers {
            let known = globals.by_input.entry(input).or_default();
            for (of, key, group) in answers {
                known.insert(of, key.map_or(Global::Nowhere, Global::Key));
                groups.extend(key.zip(group));
            }
        }
        Ok((globals, groups))
    }

    /// Finds out which communicators are meant by those without a group that have so many others above
    /// them.
    fn choose(
        &mut self,
        ranks: &dyn Communicator,
        globals: &AllGlobals,
        depth: usize,
        seed: Seed,
    ) -> Result<(), Error> {
        let incomplete = self
            .waiting
            .iter()
            .map(|waiting| waiting.incomplete(seed, globals.of(waiting.numbered.input), depth));
        let incomplete: Vec<Vec<Incomplete>> = incomplete.collect();
        let mut classes: Vec<Key> = incomplete.iter().flatten().map(|other| other.class).collect();
        classes.sort_unstable();
        classes.dedup();
        let candidates = candidates(ranks, self, &classes)?;
        for (waiting, incomplete) in self.waiting.iter_mut().zip(incomplete) {
            let Numbered { input, now, .. } = waiting.numbered;
            let own_ranks = self.lists.ranks(now);
            for incomplete in incomplete {
                let possible = candidates.get(&incomplete.class).map_or(&[][..], Vec::as_slice);
                let rank = |paradigm: u8| own_ranks.get(&paradigm).copied();
                let globals = globals.of(input);
                waiting.choose(&incomplete, possible, rank, seed, globals, &mut self.pool);
            }
        }
        Ok(())
    }
}

/// Who asks, about which archive, for what.
type Asked = (usize, u32, Vec<(ReferenceKind, u64)>);

/// What is known of a number: its key, and who is in it if it is a group.
type Answer = ((ReferenceKind, u64), Option<Key>, Option<CommMembers>);
