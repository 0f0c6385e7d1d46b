//! The keys of all that is defined: every rank reads its share, and asks the others for what its own
//! files do not say.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use streamfold_kernels::unify::incomplete::class;
use streamfold_kernels::unify::{Global, Key, Known, Record, Scope, Seed};
use streamfold_model::references::ReferenceKind;

use super::disputes::Holders;
use super::findings::{called, File, Findings};
use super::inputs::Numbered;
use super::kept::{Keeping, Kept, Stands};
use super::known::{AllGlobals, Files};
use super::lists::{all_lists, Lists, ListsOfFiles};
use super::local::{Before, LocalFile};
use super::pool::{Map, Met, Pool};
use super::recent::Recent;
use super::source::Source;
use super::tally::Tally;
use super::waiting::{Incomplete, WaitingLocation};
use super::whole::{candidates, comm_members, CommMembers};
use crate::collective::{Communicator, Error};
use crate::drive::{on_workers, Queue};

/// Nothing is known from outside so far.
pub(super) struct Nothing;

impl Known for Nothing {
    fn global(&self, _: ReferenceKind, _: u64) -> Global {
        Global::Unasked
    }

    fn waited(&self, _: usize) -> Option<Key> {
        None
    }
}

/// What a rank has read of its locations.
#[derive(Debug, Default)]
pub(super) struct Share {
    /// By which keys are made.
    pub seed: Seed,
    pub pool: Pool,
    pub waiting: Vec<WaitingLocation>,
    /// What is kept until the files of locations are written.
    pub kept: Kept,
    pub counts: Tally,
    /// What is wrong with definitions of locations.
    pub findings: Findings,
    /// Locations with mapping tables, and with definitions that nobody has unified.
    pub mapped: u64,
    pub ununified: u64,
    /// Whether any location may have definitions beside mapping tables that count.
    pub may_count: bool,
    /// How many locations have definitions that do not say what and when their events are.
    pub unknown: u64,
    /// How many of its locations have which communicator.
    pub holders: Holders,
    /// The locations with ranks.
    pub lists: Lists,
    /// The lists of them by which the ranks of single files count.
    pub lists_of_files: ListsOfFiles,
    /// Who is in the global groups to which definitions of locations lead.
    pub groups: Map<Key, CommMembers>,
}

/// So many communicators may be above one whose group nobody says: each needs that those above it are known.
const DEEPEST: usize = 256;

/// The file of definitions of a location.
fn of_location(source: &impl Source, of: Numbered) -> File<impl Fn() -> String + '_> {
    File { name: move || source.local_name(of.location), location: of.now }
}

impl Share {
    fn fold(mut self, other: Share) -> Share {
        self.pool = self.pool.fold(other.pool);
        self.waiting.extend(other.waiting);
        self.kept = self.kept.fold(other.kept);
        self.counts.fold(&other.counts);
        self.findings.fold(other.findings);
        self.lists_of_files.fold(other.lists_of_files);
        for (comm, count) in other.holders {
            *self.holders.entry(comm).or_default() += count;
        }
        self.mapped += other.mapped;
        self.ununified += other.ununified;
        self.unknown += other.unknown;
        self.may_count |= other.may_count;
        self
    }

    /// Reads the definitions of locations, with all threads. `joined`: the lists of locations with ranks, where
    /// those of an archive that is alone were joined.
    pub fn read(
        sources: &[impl Source],
        locations: &[Numbered],
        workers: NonZeroUsize,
        seed: Seed,
        before: Before<'_>,
    ) -> Share {
        let work = |queue: &Queue<'_, Numbered>| {
            let mut share = Share { seed, ..Share::default() };
            let (mut recent, mut met) = (Recent::default(), Met::new(seed));
            let mut keeping = Keeping::new(workers);
            while let Some(numbered) = queue.take() {
                let source = &sources[numbered.input as usize];
                match LocalFile::read(source, numbered, before, &mut recent) {
                    Ok(file) => share.take(source, numbered, file, &mut met, &mut keeping),
                    Err(error) => {
                        share.findings.losses.push(numbered.now, error.to_string());
                        share.unknown += 1;
                    }
                }
            }
            share.kept = keeping.end(&share.pool);
            share
        };
        on_workers(locations, workers, work, Share::fold)
    }

    fn take(
        &mut self,
        source: &impl Source,
        numbered: Numbered,
        mut file: LocalFile,
        met: &mut Met,
        keeping: &mut Keeping,
    ) {
        let seed = self.seed;
        self.counts.fold(&std::mem::take(&mut file.counts));
        let called = of_location(source, numbered);
        if let Some(disorder) = file.clock_disorder() {
            let text = "nobody can tell the times of its events";
            self.findings.lose(&called, format_args!("{disorder}; {text}"));
            self.unknown += 1;
        }
        self.mapped += u64::from(!file.tables.is_empty());
        let findings = std::mem::take(&mut file.findings);
        let all = std::mem::take(&mut file.records);
        let records: &[Record] = &all;
        if !records.is_empty() {
            self.findings.fold(findings);
        }
        self.may_count |= file.may_count;
        self.ununified += u64::from(!records.is_empty());
        self.lists_of_files.take(records, numbered.ordinal);
        let scope = Scope::new(records);
        let (mut whole, mut sequence) = (Vec::new(), 0);
        let mut stands: Vec<Stands> =
            (0..records.len()).map(|place| Stands::Waits(place as u32)).collect();
        let resolved = scope.resolve(&Nothing, |place, content| {
            let record = &records[place];
            // What is led to comes first, and so is numbered and written first.
            let first = (numbered.ordinal, sequence);
            let (at, key) = met.take(&mut self.pool, record, content, first);
            if let Some(comm) = record.comm {
                whole.push((class(content, comm.group, seed), key));
            }
            stands[place] = Stands::Content(at as u32);
            sequence += 1;
            key
        });
        keeping.keep(numbered.ordinal, file, &scope, &stands, self.pool.contents.len());
        self.findings.broken(&called, &resolved.broken, |place| &records[place]);
        match resolved.waiting.is_empty() {
            true => self.hold(&whole),
            false => {
                self.waiting.push(WaitingLocation::new(numbered, &scope, resolved, whole));
            }
        }
    }

    /// A location has these communicators, which it or others know whole.
    fn hold(&mut self, comms: &[(Key, Key)]) {
        for comm in comms {
            *self.holders.entry(*comm).or_default() += 1;
        }
    }

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
