//! Resolves definitions that depend on other locations: asks the owner rank, and applies its answers.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::incomplete::{meant, Candidates, Sure};
use streamfold_kernels::unify::{Global, Key};
use streamfold_model::references::ReferenceKind;

use super::keys::Share;
use super::known::{AllGlobals, Globals};
use super::waiting::{Around, Chosen, Incomplete, WaitingLocation};
use crate::unify::called::{called, of_location};
use crate::unify::comms::whole::{all_of, comm_members, Classes};
use crate::unify::findings::{File, Findings};
use crate::unify::ranks::lists::all_lists;
use crate::unify::ranks::processes::Processes;
use crate::unify::read::global_file::Files;
use crate::unify::read::inputs::{Numbered, Placed};
use crate::unify::read::records::CommMembers;
use crate::unify::read::source::Source;
use streamfold_collective::{Communicator, Error};
use streamfold_text::human;

/// Number of communicators that may be above one whose group nobody says: each needs that those above it are known.
const DEEPEST: usize = 256;

/// Number of rounds in which locations learn the order of communicators from each other, before it is guessed.
const ROUNDS: usize = 32;

/// By what definitions are settled that wait.
pub(crate) struct Settling<'a, S> {
    pub ranks: &'a dyn Communicator,
    pub sources: &'a [S],
    globals: &'a AllGlobals,
}

impl<S: Source> Settling<'_, S> {
    /// The file of definitions of a location.
    fn file(&self, of: Numbered) -> File<impl Fn() -> String + '_> {
        of_location(&self.sources[of.input as usize], of)
    }

    /// Returns the changes to the archive of a location.
    pub(crate) fn placed(&self, of: Numbered) -> &Placed {
        self.sources[of.input as usize].placed()
    }

    /// Returns the facts about global definitions that a location references.
    pub(crate) fn globals(&self, of: &WaitingLocation) -> &Globals {
        self.globals.of(of.numbered.input)
    }
}

/// Treatment of communicators that are not certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guesses {
    No,
    Yes,
}

/// Result of the search for communicators of a location.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Came {
    /// True if any was found.
    some: bool,
    /// True if any is left.
    left: bool,
}

impl Share {
    /// Finds the keys of all that waits. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(crate) fn settle(
        &mut self,
        ranks: &dyn Communicator,
        sources: &[impl Source],
        files: &Files<'_>,
    ) -> Result<AllGlobals, Error> {
        let globals = self.ask(ranks, files)?;
        let settling = Settling { ranks, sources, globals: &globals };
        self.tell_nowhere(&settling);
        self.lists = all_lists(ranks, &self.pool)?;
        self.processes = Processes::find(ranks, &self.waiting, &self.lists, &self.pool, files)?;
        for _ in 0..DEEPEST {
            let Some(depth) = self.settle_known(&settling)? else { break };
            self.settle_between(&settling, depth)?;
            // Those that become known at this depth are known whole at the next one.
            let mut classes = Classes::gather(ranks, self)?;
            self.choose_all(&settling, &mut classes, depth)?;
        }
        self.give_up(&settling);
        Ok(globals)
    }

    /// Tells of what leads to numbers that nobody defines.
    fn tell_nowhere(&mut self, settling: &Settling<'_, impl Source>) {
        for waiting in &mut self.waiting {
            let (file, globals) = (settling.file(waiting.numbered), settling.globals(waiting));
            let placed = settling.placed(waiting.numbered);
            for (place, group) in waiting.forget_groups(globals) {
                let called = called(waiting.record(place), placed);
                let text = "which is not defined: it is one whose group others say, if any does";
                self.findings.lose(&file, format_args!("{called} leads to Group {group}, {text}"));
            }
            let undefined_references = waiting.undefined_references(globals);
            self.findings
                .broken(&file, &undefined_references, placed, |place| waiting.record(place));
        }
    }

    /// Finds the keys of what can be known by now. Returns how many communicators are above the one without a group
    /// that has the fewest, at any location; `None`: there is none. Collective.
    fn settle_known(
        &mut self,
        settling: &Settling<'_, impl Source>,
    ) -> Result<Option<usize>, Error> {
        let mut own: Option<usize> = None;
        for waiting in &mut self.waiting {
            let globals = settling.globals(waiting);
            waiting.settle(&mut Around { seed: self.seed, globals, pool: &mut self.pool });
            own = own.into_iter().chain(waiting.least_depth(globals)).min();
        }
        settling.ranks.all_reduce(own, |a, b| a.into_iter().chain(b).min())
    }

    /// Gives up what nobody looked for, and ends all that waited.
    fn give_up(&mut self, settling: &Settling<'_, impl Source>) {
        let mut all = std::mem::take(&mut self.waiting);
        for waiting in &mut all {
            let (file, globals) = (settling.file(waiting.numbered), settling.globals(waiting));
            let mut around = Around { seed: self.seed, globals, pool: &mut self.pool };
            for place in waiting.give_up(&mut around) {
                let called = called(waiting.record(place), settling.placed(waiting.numbered));
                let text = "too many communicators are above it: nobody looked who is in it";
                self.findings.lose(&file, format_args!("{called}: {text}"));
            }
            self.hold(waiting.comms());
            waiting.end();
        }
        self.waiting = all;
    }

    /// Asks for the global definitions to which those of locations lead: whoever has read them.
    fn ask(&mut self, ranks: &dyn Communicator, files: &Files<'_>) -> Result<AllGlobals, Error> {
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
                let all = group.and_then(|key| all_of(&self.pool, &key));
                let group = group.and_then(|key| comm_members(&self.pool, &key));
                ((kind, number), key, group, all)
            };
            (rank, (input, asks.into_iter().map(answer).collect::<Vec<_>>()))
        });
        let answers: Vec<(u32, Vec<Answer>)> = ranks.exchange(answers.collect())?;
        let mut globals = AllGlobals::default();
        for (input, answers) in answers {
            let known = globals.by_input.entry(input).or_default();
            for (of, key, group, all) in answers {
                known.insert(of, key.map_or(Global::Undefined, Global::Key));
                self.groups.extend(key.zip(group));
                self.everybody.extend(key.zip(all));
            }
        }
        Ok(globals)
    }

    /// Finds out which communicators are meant by those without a group that have so many others above
    /// them: first where that is certain, which tells more of the order in which they were made.
    fn choose_all(
        &mut self,
        settling: &Settling<'_, impl Source>,
        classes: &mut Classes,
        depth: usize,
    ) -> Result<(), Error> {
        for _ in 0..ROUNDS {
            let came = self.choose(settling, classes, depth, Guesses::No)?;
            let both = |a: Came, b: Came| Came { some: a.some || b.some, left: a.left || b.left };
            let came = settling.ranks.all_reduce(came, both)?;
            if !came.left {
                return Ok(());
            }
            if !came.some {
                break;
            }
        }
        self.choose(settling, classes, depth, Guesses::Yes)?;
        Ok(())
    }

    /// Says which they are where it is certain, or wherever it can be guessed.
    fn choose(
        &mut self,
        settling: &Settling<'_, impl Source>,
        classes: &mut Classes,
        depth: usize,
        guesses: Guesses,
    ) -> Result<Came, Error> {
        let incomplete = self
            .waiting
            .iter()
            .map(|waiting| waiting.incomplete(self.seed, settling.globals(waiting), depth));
        let incomplete: Vec<Vec<Incomplete>> = incomplete.collect();
        let mut asked: Vec<Key> = incomplete.iter().flatten().map(|other| other.class).collect();
        asked.sort_unstable();
        asked.dedup();
        let candidates = classes.candidates(settling.ranks, self, &asked)?;
        let (none, mut came) = (Candidates::default(), Came::default());
        let open = self.waiting.iter_mut().zip(incomplete).filter(|(_, all)| !all.is_empty());
        for (waiting, incomplete) in open {
            let (file, globals) = (settling.file(waiting.numbered), settling.globals(waiting));
            let own_ranks = self.processes.ranks(&self.lists, waiting.numbered.now);
            let of = |paradigm: u8| own_ranks.get(&paradigm).cloned().unwrap_or_default();
            for incomplete in incomplete {
                let possible = candidates.get(&incomplete.class).unwrap_or(&none);
                let (keys, sure) = meant(possible, &waiting.list(&incomplete), of);
                self.means_others |= keys.iter().any(Option::is_some);
                // Without candidates now there will be none later.
                let may_know_more = sure > Sure::Certain && !possible.is_empty();
                if may_know_more && guesses == Guesses::No {
                    came.left = true;
                    continue;
                }
                let mut around = Around { seed: self.seed, globals, pool: &mut self.pool };
                let chosen = waiting.choose(&incomplete, keys, sure, &mut around);
                came.some = true;
                let placed = settling.placed(waiting.numbered);
                tell(&mut self.findings, &file, &chosen, |place| {
                    called(waiting.record(place), placed)
                });
            }
        }
        Ok(came)
    }
}

/// Tells what was guessed, and what nobody knows.
fn tell(
    findings: &mut Findings,
    file: &File<impl Fn() -> String>,
    chosen: &Chosen,
    called: impl Fn(usize) -> String,
) {
    let more = |count: u64| human::and_more(count - 1, " of its name and parent");
    if chosen.guessed > 0 {
        let first = called(chosen.first);
        let text = format!("{first}{}: others know who is in it", more(chosen.guessed));
        match chosen.sure {
            Sure::Guess => {
                let why = "which one is meant, if any, nobody can tell: it is a guess";
                findings.lose(file, format_args!("{text}; {why}"));
            }
            _ => {
                let why = "which of several it is, only its place tells";
                findings.warn(file, format_args!("{text}; {why}"));
            }
        }
    }
    // Of those between two groups it is told once, by whoever has read one first.
    let unknown = chosen.unknown.first().filter(|_| !chosen.is_between);
    let Some(first) = unknown else { return };
    let first = called(*first);
    let text = format!("{first}{}: nobody knows who is in it", more(chosen.unknown.len() as u64));
    match chosen.is_one_of_several {
        false => findings.warn(file, text),
        true => findings.lose(file, format_args!("{text}, if it is none that others know")),
    }
}

/// Asking rank, archive, and numbers that it needs.
type Asked = (usize, u32, Vec<(ReferenceKind, u64)>);

/// Answer about a number: its key, the members of a group, and those of a group of all or of one process each.
type Answer = ((ReferenceKind, u64), Option<Key>, Option<CommMembers>, Option<CommMembers>);
