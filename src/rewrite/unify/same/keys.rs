//! The keys of all that is defined: every rank reads its share, and asks the others for what its own
//! files do not say.

use std::num::NonZeroUsize;

use streamfold_kernels::unify::{Global, Key, Known, Record, Scope, Seed};
use streamfold_model::references::ReferenceKind;

use super::claims::Claim;
use super::pool::{Map, Met, Pool};
use super::waiting::WaitingLocation;
use crate::unify::called::of_location;
use crate::unify::comms::sequences::{InOrder, Sequences};
use crate::unify::findings::Findings;
use crate::unify::ranks::lists::{Lists, ListsOfFiles};
use crate::unify::ranks::processes::Processes;
use crate::unify::read::inputs::Numbered;
use crate::unify::read::kept::{Keeping, Kept, Stands};
use crate::unify::read::local::{Before, LocalFile};
use crate::unify::read::recent::Recent;
use crate::unify::read::records::CommMembers;
use crate::unify::read::source::Source;
use crate::unify::read::tally::Tally;
use streamfold_drive::{on_workers, Queue};
use streamfold_text::human;

/// Nothing is known from outside so far.
pub(crate) struct Nothing;

impl Known for Nothing {
    fn global(&self, _: ReferenceKind, _: u64) -> Global {
        Global::Unasked
    }
}

/// How many locations of a rank have which communicator of which class (that is what it has in common with
/// others, all but the group).
pub(crate) type Holders = Map<(Key, Key), u64>;

/// Definitions of locations that a rank has read.
#[derive(Debug, Default)]
pub(crate) struct Share {
    /// By which keys are made.
    pub seed: Seed,
    pub pool: Pool,
    pub waiting: Vec<WaitingLocation>,
    /// Definitions that are kept until the files of locations are written.
    pub kept: Kept,
    pub counts: Tally,
    /// Findings about definitions of locations.
    pub findings: Findings,
    /// Locations with mapping tables, and with definitions that nobody has unified.
    pub mapped: u64,
    pub ununified: u64,
    /// True if any location may have definitions beside mapping tables that count.
    pub may_count: bool,
    /// How many locations have definitions that do not say what and when their events are.
    pub unknown: u64,
    /// Definitions in files of locations that the global definitions have, too.
    pub claims: Vec<Claim>,
    /// How many of its locations have which communicator.
    pub holders: Holders,
    /// Order of communicators in its files.
    pub sequences: Sequences,
    /// The locations with ranks.
    pub lists: Lists,
    /// The ranks of the processes of other locations, as far as they are needed.
    pub processes: Processes,
    /// The lists of them by which the ranks of single files count.
    pub lists_of_files: ListsOfFiles,
    /// True if any location uses a communicator, or a group of one, that only others know.
    pub means_others: bool,
    /// Members of the global groups that definitions of locations reference.
    pub groups: Map<Key, CommMembers>,
    /// Those of them that are of each process alone, or lists of all.
    pub everybody: Map<Key, CommMembers>,
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
        self.claims.extend(other.claims);
        self.sequences.fold(other.sequences);
        self.mapped += other.mapped;
        self.ununified += other.ununified;
        self.unknown += other.unknown;
        self.may_count |= other.may_count;
        self
    }

    /// Reads the definitions of locations, with all threads. `joined`: the lists of locations with ranks, where
    /// those of an archive that is alone were joined.
    pub(crate) fn read(
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
        if !file.more_tables.is_empty() {
            let count = human::plural(file.more_tables.len() as u64, "mapping table");
            let text = "of kinds that have one: of each kind the first one counts";
            self.findings.warn(&called, format_args!("{count} more {text}"));
        }
        self.mapped += u64::from(!file.tables.is_empty());
        let findings = std::mem::take(&mut file.findings);
        let all = std::mem::take(&mut file.records);
        let records: &[Record] = &all;
        // Of a file with tables its definitions do not count, nor what is wrong with them.
        if !records.is_empty() || !file.exists {
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
            // Referenced definitions come first, and so are numbered and written first.
            let first = (numbered.ordinal, sequence);
            let (at, key) = met.take(&mut self.pool, record, content, first);
            if let Some(comm) = record.comm {
                whole.extend(InOrder::all(content, comm, seed, (place, key)));
            }
            stands[place] = Stands::Content(at as u32);
            sequence += 1;
            key
        });
        // A file with mapping tables is unified: its own definitions do not count.
        let claimed = std::mem::take(&mut file.locations).into_iter();
        let claimed = claimed.filter(|_| file.tables.is_empty());
        self.claims.extend(claimed.map(|location| {
            let now = source.placed().location(location.id);
            Claim::new(numbered, &location, now, &scope, &resolved.keys)
        }));
        keeping.keep(numbered.ordinal, file, &scope, &stands, self.pool.contents.len());
        let placed = source.placed();
        self.findings.broken(&called, &resolved.broken, placed, |place| &records[place]);
        match resolved.waiting.is_empty() {
            true => {
                self.hold(&whole);
                self.sequences.take(&mut whole);
            }
            false => {
                self.waiting.push(WaitingLocation::new(numbered, &scope, resolved, whole));
            }
        }
    }

    /// A location has these communicators, which it or others know whole.
    pub(crate) fn hold(&mut self, comms: &[InOrder]) {
        for InOrder { class, key, .. } in comms.iter().filter(|comm| !comm.is_side) {
            *self.holders.entry((*class, *key)).or_default() += 1;
        }
    }
}
