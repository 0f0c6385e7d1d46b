//! Definitions of locations that wait for what others say: asked for, and found out.

use std::collections::{BTreeMap, BTreeSet};

use streamfold_kernels::unify::incomplete::{meant, Candidates, Sure};
use streamfold_kernels::unify::{Global, Key, Record, Seed};
use streamfold_model::references::ReferenceKind;

use super::findings::{called, File, Findings};
use super::keys::{of_location, Share};
use super::known::{AllGlobals, Files};
use super::lists::all_lists;
use super::pool::Map;
use super::processes::Processes;
use super::source::Source;
use super::waiting::{Chosen, Incomplete};
use super::whole::{candidates, comm_members, CommMembers};
use crate::collective::{Communicator, Error};
use crate::report::human;

/// So many communicators may be above one whose group nobody says: each needs that those above it are known.
const DEEPEST: usize = 256;

/// So many times locations learn from each other in which order communicators were made, before it is guessed.
const ROUNDS: usize = 32;

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
        for waiting in &mut self.waiting {
            let numbered = waiting.numbered;
            let file = of_location(&sources[numbered.input as usize], numbered);
            for (place, group) in waiting.forget_groups(globals.of(numbered.input)) {
                let called = called(waiting.record(place));
                let text = "which is not defined: it is one whose group others say, if any does";
                self.findings.lose(&file, format_args!("{called} leads to Group {group}, {text}"));
            }
            let nowhere = waiting.nowhere(globals.of(numbered.input));
            self.findings.broken(&file, &nowhere, |place| waiting.record(place));
        }
        self.lists = all_lists(ranks, &self.pool)?;
        self.processes = Processes::find(ranks, self, files)?;
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
            self.choose_all(ranks, sources, &globals, depth, seed)?;
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
    /// them: first where that is certain, which tells more of the order in which they were made.
    fn choose_all(
        &mut self,
        ranks: &dyn Communicator,
        sources: &[impl Source],
        globals: &AllGlobals,
        depth: usize,
        seed: Seed,
    ) -> Result<(), Error> {
        for _ in 0..ROUNDS {
            let came = self.choose(ranks, sources, globals, depth, seed, false)?;
            let came = ranks.all_reduce(came, |a, b| (a.0 || b.0, a.1 || b.1))?;
            match came {
                (_, false) => return Ok(()),
                (false, true) => break,
                (true, true) => {}
            }
        }
        self.choose(ranks, sources, globals, depth, seed, true)?;
        Ok(())
    }

    /// Says which they are where it is certain, or wherever it can be guessed. Returns whether any was found, and
    /// whether any is left.
    fn choose(
        &mut self,
        ranks: &dyn Communicator,
        sources: &[impl Source],
        globals: &AllGlobals,
        depth: usize,
        seed: Seed,
        guesses: bool,
    ) -> Result<(bool, bool), Error> {
        let incomplete = self
            .waiting
            .iter()
            .map(|waiting| waiting.incomplete(seed, globals.of(waiting.numbered.input), depth));
        let incomplete: Vec<Vec<Incomplete>> = incomplete.collect();
        let mut classes: Vec<Key> = incomplete.iter().flatten().map(|other| other.class).collect();
        classes.sort_unstable();
        classes.dedup();
        let candidates = candidates(ranks, self, &classes)?;
        let (none, mut some, mut left) = (Candidates::default(), false, false);
        for (waiting, incomplete) in self.waiting.iter_mut().zip(incomplete) {
            if incomplete.is_empty() {
                continue;
            }
            let numbered = waiting.numbered;
            let file = of_location(&sources[numbered.input as usize], numbered);
            let own_ranks = self.processes.ranks(&self.lists, numbered.now);
            let of = |paradigm: u8| own_ranks.get(&paradigm).cloned().unwrap_or_default();
            let globals = globals.of(numbered.input);
            for incomplete in incomplete {
                let possible = candidates.get(&incomplete.class).unwrap_or(&none);
                let (keys, sure) = meant(possible, &waiting.list(&incomplete), of);
                // Where nobody knows any, nobody will know more.
                if sure > Sure::Certain && !guesses && !possible.is_empty() {
                    left = true;
                    continue;
                }
                let pool = &mut self.pool;
                let chosen = waiting.choose(&incomplete, keys, sure, seed, globals, pool);
                some = true;
                tell(&mut self.findings, &file, &chosen, |place| waiting.record(place));
            }
        }
        Ok((some, left))
    }
}

/// Tells what was guessed, and what nobody knows.
fn tell<'r>(
    findings: &mut Findings,
    file: &File<impl Fn() -> String>,
    chosen: &Chosen,
    record: impl Fn(usize) -> &'r Record,
) {
    let more = |count: u64| match count {
        1 => String::new(),
        count => format!(" and {} more of its name and parent", human::count(count - 1)),
    };
    if chosen.guessed > 0 {
        let first = called(record(chosen.first));
        let text = format!("{first}{}: others know who is in it", more(chosen.guessed));
        match chosen.sure {
            Sure::Guess => {
                let why = "which of several it is nobody can tell: it is a guess";
                findings.lose(file, format_args!("{text}; {why}"));
            }
            _ => {
                let why = "which of several it is, only its place tells";
                findings.warn(file, format_args!("{text}; {why}"));
            }
        }
    }
    let Some(first) = chosen.unknown.first() else { return };
    let first = called(record(*first));
    let text = format!("{first}{}: nobody knows who is in it", more(chosen.unknown.len() as u64));
    match chosen.is_one_of_several {
        false => findings.warn(file, text),
        true => findings.lose(file, format_args!("{text}, if it is none that others know")),
    }
}

/// Who asks, about which archive, for what.
type Asked = (usize, u32, Vec<(ReferenceKind, u64)>);

/// What is known of a number: its key, and who is in it if it is a group.
type Answer = ((ReferenceKind, u64), Option<Key>, Option<CommMembers>);
