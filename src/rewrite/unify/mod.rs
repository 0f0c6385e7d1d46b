//! One set of definitions for a trace, by what they say.
//!
//! Rank 0 reads the global definitions, every rank those of its share of the locations, which is a
//! stretch in the order of their definition. What is the same has the same key wherever it was read;
//! each key is looked after by one rank, which finds out who has read it first. Whoever has read
//! something first gives it a number: the next ones that are free, in the order of locations and of
//! their files. So the numbers depend on nothing but the trace. What only one rank has read is told to
//! the one that looks after it by its key alone, and once more when it is written.

mod files;
mod globals;
mod inputs;
mod keys;
mod local;
mod markers;
mod numbering;
mod order;
mod others;
mod pool;
mod records;
mod sides;
mod waiting;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::{Key, Seed};
use streamfold_model::ids::LocationRef;

use super::Outcome;
use crate::collective::inject::fail_point;
use crate::collective::Communicator;
use crate::drive::{refuse, Progress};
use crate::exit::{Failure, Stop};
use crate::formats::otf2::{Archive, ArchiveWriter, ReadOptions};
use files::{Changed, Renumbering};
use inputs::Numbered;
use keys::{Files, GlobalFile, Share};
use numbering::Shared;
use order::Order;

pub use inputs::{Clock, Input, Placed, Ranks, Renamed};
pub(super) use local::leads_to_locations;
pub(super) use order::agree;

/// How to unify.
#[derive(Clone, Copy, Debug)]
pub struct Unifying<'a> {
    /// Where to.
    pub to: &'a ArchiveWriter,
    /// Whether files that stay as they are get a second name in place of a copy.
    pub link: bool,
    /// Whether global numbers go into the events, in place of mapping tables.
    pub rewrite_events: bool,
    /// Whether corrected times do, too, in place of clock offsets.
    pub rewrite_times: bool,
    /// Whether snapshots and thumbnails are copied, and markers have their numbers: only for a single
    /// archive whose times stay.
    pub keeps_others: bool,
    /// Whether nothing may be lost.
    pub strict: bool,
    /// Files that are open at a time.
    pub workers: NonZeroUsize,
    /// Is told about what was written.
    pub progress: &'a Progress,
}

/// How many records of each kind there are, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts(pub BTreeMap<String, u64>);

impl Counts {
    fn count(&mut self, name: &str) {
        match self.0.get_mut(name) {
            Some(count) => *count += 1,
            None => drop(self.0.insert(name.to_owned(), 1)),
        }
    }

    fn add(&mut self, other: &Counts) {
        for (name, count) in &other.0 {
            *self.0.entry(name.clone()).or_default() += count;
        }
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }
}

/// What was found and made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// What was written and lost.
    pub outcome: Outcome,
    /// Locations.
    pub locations: u64,
    /// Those with mapping tables.
    pub mapped: u64,
    /// Those with definitions that nobody had unified.
    pub ununified: u64,
    /// Global definitions that said once more what others say.
    pub doubled: u64,
    /// Global numbers that have become others.
    pub renumbered: u64,
    /// Global definitions as they were.
    pub global: Counts,
    /// Definitions of locations as they were.
    pub local: Counts,
    /// Global definitions as they are.
    pub after: Counts,
    /// Records in the global file.
    pub definitions: u64,
    /// Mapping tables that were written.
    pub tables: u64,
    /// Those that would have said nothing, and were not.
    pub identities: u64,
    /// References that led in a circle, and lead nowhere now.
    pub circles: u64,
    /// How many events each location of each archive has, where somebody looked.
    pub events: BTreeMap<(u32, LocationRef), u64>,
    /// Communicators between two groups, whose sides had been written one by one.
    pub joined: u64,
    /// Whether the global definitions are what they were.
    pub same: bool,
    /// Another number for other contents.
    pub digest: u64,
}

impl Report {
    fn fold(mut self, other: Report) -> Report {
        self.outcome = self.outcome.fold(other.outcome);
        self.locations += other.locations;
        self.mapped += other.mapped;
        self.ununified += other.ununified;
        self.doubled += other.doubled;
        self.renumbered += other.renumbered;
        self.global.add(&other.global);
        self.local.add(&other.local);
        self.after.add(&other.after);
        self.definitions += other.definitions;
        self.tables += other.tables;
        self.identities += other.identities;
        self.circles += other.circles;
        self.events.extend(other.events);
        self.joined += other.joined;
        self.same |= other.same;
        self.digest = self.digest.wrapping_add(other.digest);
        self
    }
}

/// What took how long on this rank, in seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Phases(pub Vec<(&'static str, f64)>);

impl Phases {
    fn end(&mut self, name: &'static str, begin: &mut Instant) {
        self.0.push((name, begin.elapsed().as_secs_f64()));
        *begin = Instant::now();
    }
}

/// Opens an archive on all ranks: rank 0 reads its anchor and broadcasts it.
///
/// # Errors
///
/// On all ranks when rank 0 cannot read it.
pub fn open(ranks: &dyn Communicator, path: &Path, options: ReadOptions) -> Result<Archive, Stop> {
    let read = || Archive::open(path, options).map(|archive| archive.anchor().clone());
    let anchor = (ranks.rank() == 0).then(|| read().map_err(Failure::from));
    let anchor = ranks.broadcast_result(0, anchor)?.map_err(Stop::Together)?;
    let archive = Archive::with_anchor(path, anchor, options);
    archive.map_err(|error| Stop::Together(error.into()))
}

/// Writes all of a unified trace but its anchor. What was found is on rank 0.
///
/// # Errors
///
/// On all ranks when global definitions cannot be read, when a rank cannot write its files, or with
/// the first loss where none may be; and when ranks cannot communicate.
pub fn unify(
    ranks: &dyn Communicator,
    inputs: &[Input],
    unifying: Unifying<'_>,
) -> Result<Option<(Report, Phases)>, Stop> {
    let (mut phases, mut begin) = (Phases::default(), Instant::now());
    fail_point("open", ranks.rank())?;
    let mut order = Order::new(ranks.size(), inputs);
    let mut read = order.read(ranks, inputs)?;
    let locations = order.stretch(ranks, inputs, &read)?;
    phases.end("global definitions", &mut begin);
    fail_point("scan", ranks.rank())?;
    let mut seed = Seed::default();
    let mut joined = None;
    let (mut share, shared, known, others) = loop {
        let mut share = Share::read(inputs, &locations, unifying.workers, seed);
        if joined.is_none() {
            let global = read.first.as_mut().map(|first| &mut first.global);
            joined = Some(join_sides(ranks, inputs, &locations, &share, global, &unifying)?);
        }
        let others = read.resolve(ranks, inputs, seed, &mut share.pool)?;
        let files = Files { first: read.global(), others: &others, keepers: &order.keepers };
        let known = share.settle(ranks, &files, seed)?;
        let wanted: Vec<Key> =
            share.waiting.iter().flat_map(|waiting| waiting.keys.values().copied()).collect();
        match Shared::new(ranks, &share.pool, wanted.into_iter())? {
            Some(shared) => break (share, shared, known, others),
            // All once more, with other keys.
            None => seed.0 += 1,
        }
    };
    phases.end("definitions of locations", &mut begin);
    let global = read.global();
    let first = &inputs[0].archive;
    let own = numbering::number(ranks, &share.pool, &shared, global, first)?;
    let numbers = shared.tell(ranks, own)?;
    let changed = order.changed(ranks, inputs, &read, &others, &numbers)?;
    phases.end("numbers", &mut begin);
    let mut report = read.report(&share);
    report.locations = locations.len() as u64;
    report.joined = joined.unwrap_or(0);
    // In any order, and each once.
    report.digest = shared.firsts.iter().fold(0, |sum, key| sum.wrapping_add(key.0 as u64));
    report.circles += others.iter().map(|other| other.circles).sum::<u64>();
    // Who has unified nothing may not have brought together how many events there are, either.
    report.doubled = global.map_or(0, |global| global.doubled(&share.pool));
    let counts_events = share.ununified > 0 || report.doubled > 0 || inputs.len() > 1;
    let counts_events = ranks.all_reduce(counts_events, |a, b| a || b)?;
    let waiting = share.waiting.iter().map(|waiting| (waiting.numbered.ordinal, waiting)).collect();
    let renumbering = Renumbering {
        seed,
        numbers: &numbers,
        globals: &known,
        waiting,
        changed: &changed,
        counts_events,
    };
    let written = files::write(inputs, &locations, &unifying, &renumbering);
    report = report.fold(written);
    phases.end("files of locations", &mut begin);
    fail_point("reduce", ranks.rank())?;
    let events = std::mem::take(&mut report.events);
    order.count_events(ranks, &mut read, &others, events, &mut share.pool)?;
    let places = read.first.as_ref().map(|first| (&first.global, first.places.as_slice()));
    let written = globals::write(ranks, first, places, &share.pool, &shared, &numbers, &unifying)?;
    report = report.fold(written);
    if let Some(first) = &read.first {
        if report.same {
            report.after = report.global.clone();
        }
        report.circles += first.global.circles;
    }
    let of_first = changed.get(&0).filter(|_| ranks.rank() == 0);
    report.renumbered =
        of_first.map_or(0, |changed| changed.values().map(|numbers| numbers.len() as u64).sum());
    if !unifying.keeps_others {
        let kept = read.kept().map(|input| (input, &inputs[input as usize]));
        report = report.fold(markers::write(ranks, kept, &changed, unifying.to)?);
    } else if ranks.rank() == 0 {
        let none = Changed::new();
        let changed = changed.get(&0).unwrap_or(&none);
        report = report.fold(others::write(first, &unifying, changed));
    }
    read.lose_undefined(inputs, &mut report);
    phases.end("new global definitions", &mut begin);
    if unifying.strict {
        refuse(ranks, report.outcome.losses.first.first())?;
    }
    let report = ranks.reduce(0, report, Report::fold)?;
    let failure = report.as_ref().map(|report| report.outcome.failure.clone());
    match ranks.broadcast(0, failure)? {
        Some(failure) => Err(Stop::Together(failure)),
        None => Ok(report.map(|report| (report, phases))),
    }
}

/// Joins the sides of communicators between groups, where nobody has unified anything. Returns how many
/// there are, on rank 0.
fn join_sides(
    ranks: &dyn Communicator,
    inputs: &[Input],
    locations: &[Numbered],
    share: &Share,
    global: Option<&mut GlobalFile>,
    unifying: &Unifying<'_>,
) -> Result<u64, Stop> {
    // Those of many are joined before, one archive after another.
    let [input] = inputs else { return Ok(0) };
    let unified = share.mapped + share.ununified > 0;
    let unified = ranks.all_reduce(unified, |a, b| a || b)?;
    let may_be = global.as_ref().is_some_and(|global| !unified && sides::may_be(global));
    match ranks.broadcast(0, (ranks.rank() == 0).then_some(may_be))? {
        true => Ok(sides::join(ranks, &input.archive, locations, unifying.workers, global)?),
        false => Ok(0),
    }
}

/// Writes the anchor, which makes the files an archive. For rank 0, when all others are done.
///
/// # Errors
///
/// When it cannot be written.
pub fn finish(input: &Input, to: &ArchiveWriter, report: &Report) -> Result<(), Failure> {
    let archive = &input.archive;
    if report.same {
        return super::copy::finish(archive, to, false);
    }
    let mut anchor = archive.anchor().clone();
    anchor.number_of_global_definitions = report.definitions;
    anchor.number_of_locations = report.after.0.get("Location").copied().unwrap_or(0);
    anchor.trace_identifier = identifier(std::slice::from_ref(input), report);
    Ok(to.finish(&anchor)?)
}

/// A new trace has an identifier of its own, which follows from the old ones and from what has become
/// of their definitions.
pub(super) fn identifier(inputs: &[Input], report: &Report) -> u64 {
    let old: Vec<u64> =
        inputs.iter().map(|input| input.archive.anchor().trace_identifier).collect();
    let Report { digest, global, after, tables, .. } = report;
    let text = format!("{old:?} {digest} {global:?} {after:?} {tables}");
    // FNV-1a: the same number for the same text, on any machine.
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    hash.max(1)
}
