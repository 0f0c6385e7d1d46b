//! All that is defined, with one number each: what unifying finds out before anything is written.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use streamfold_kernels::unify::{Key, Seed};
use streamfold_model::references::ReferenceKind;

use super::comms::disputes::Disputes;
use super::number::numbering;
use super::number::renumbering::Renumbering;
use super::number::undefined::Ends;
use super::ranks::joined::JoinedLists;
use super::read::all_read::AllRead;
use super::read::global_file::{Files, OtherFile};
use super::read::global_read::Changed;
use super::read::inputs::Numbered;
use super::read::levels::Levels;
use super::read::local::Before;
use super::read::order::{EventCounts, Order};
use super::read::source::Source;
use super::same::checks::{Checked, Checks};
use super::same::claims;
use super::same::defined::Defined;
use super::same::join::Join;
use super::same::keys::Share;
use super::same::known::AllGlobals;
use super::same::pool::Map;
use super::same::shared::Shared;
use super::{Phases, Report};
use streamfold_collective::inject::fail_point;
use streamfold_collective::{self as collective, Communicator};
use streamfold_system::exit::{ExitCode, Failure, Stop};

/// Result of reading and comparing definitions.
pub(super) struct Found {
    pub order: Order,
    pub read: AllRead,
    /// The locations that this rank has read.
    pub locations: Vec<Numbered>,
    pub share: Share,
    pub shared: Shared,
    pub levels: Levels,
    pub others: Vec<OtherFile>,
    pub numbers: Map<Key, u64>,
    pub changed: BTreeMap<u32, Changed>,
    /// Kinds of which definitions have got numbers.
    pub numbered: BTreeSet<ReferenceKind>,
    /// The global numbers that archives define, where locations say something of them.
    defined: BTreeMap<u32, Arc<Defined>>,
    /// Behind all numbers that are given, where there are several archives.
    ends: Ends,
    seed: Seed,
    known: AllGlobals,
    pub checked: Checked,
    disputes: Disputes,
    /// The lists of locations with ranks, where they differ from location to location.
    lists: JoinedLists,
}

/// Contents have the same keys by accident at most this often; more often somebody wants it.
const SEEDS: u64 = 8;

/// Reads all definitions, and gives numbers to them. Collective.
///
/// # Errors
///
/// On all ranks when global definitions cannot be read, or when there are more definitions than numbers;
/// and when ranks cannot communicate.
pub(super) fn find<S: Source>(
    ranks: &dyn Communicator,
    sources: &[S],
    workers: NonZeroUsize,
    join: &mut dyn Join,
    phases: &mut Phases,
) -> Result<Found, Stop> {
    let mut begin = Instant::now();
    fail_point("open", ranks.rank())?;
    let mut order = Order::new(ranks.size(), sources);
    let mut read = order.read(ranks, sources, join, workers)?;
    let locations = order.stretch(ranks, sources, &read)?;
    phases.end("global definitions", &mut begin);
    fail_point("scan", ranks.rank())?;
    let mut seed = Seed::default();
    let (mut joined, mut lists) = (None, None);
    let (none, mut globally) = (JoinedLists::default(), BTreeMap::new());
    let (share, shared, known, others) = loop {
        let before = Before { joined: lists.as_ref().unwrap_or(&none), defined: &globally };
        let mut share = Share::read(sources, &locations, workers, seed, before);
        let asks = globally.is_empty() && share.may_count;
        if ranks.all_reduce(asks, |a, b| a || b)? {
            // All once more, now that it is known whether they count.
            globally = order.defined(ranks, &read, &read.others)?;
            continue;
        }
        if joined.is_none() {
            let global = read.first.as_mut().map(|first| &mut first.global);
            joined = Some(join.together(&locations, &share, global)?);
            if sources.len() == 1 {
                read.tell_attributes_apart(ranks, &locations, &share, join)?;
            }
        }
        let others = read.resolve(ranks, sources, seed, &mut share.pool)?;
        let files = Files { first: read.global(), others: &others, keepers: &order.keepers };
        let known = share.settle(ranks, sources, &files)?;
        let claims = std::mem::take(&mut share.claims);
        let Share { pool, findings, .. } = &mut share;
        claims::check(ranks, sources, &files, &locations, claims, pool, findings)?;
        let wanted: Vec<Key> =
            share.waiting.iter().flat_map(|waiting| waiting.keys.values().copied()).collect();
        let Some(shared) = Shared::new(ranks, &share.pool, wanted.into_iter())? else {
            // All once more, with other keys.
            seed = another(seed, &sources[0])?;
            continue;
        };
        if lists.is_none() {
            let joined = read.join_lists(ranks, sources, &mut share)?;
            // All once more, with ranks in other places.
            if !lists.insert(joined).is_empty() {
                continue;
            }
        }
        break (share, shared, known, others);
    };
    phases.end("definitions of locations", &mut begin);
    let name = || sources[0].name();
    let levels = Levels::find(ranks, &share, &shared)?;
    let (own, numbered) =
        numbering::number(ranks, &share.pool, &shared, &levels, read.global(), name)?;
    let numbers = shared.tell(ranks, own)?;
    let changed = order.changed(ranks, sources, &read, &others, &numbers)?;
    // Only what locations say themselves has to be looked at, and what may be that of others.
    let is_said = share.mapped + share.ununified > 0 || sources.len() > 1;
    let defined = match ranks.all_reduce(is_said, |a, b| a || b)? {
        true => order.defined(ranks, &read, &others)?,
        false => BTreeMap::new(),
    };
    let ends = match sources.len() {
        1 => Ends::new(),
        _ => numbering::ends(ranks, &share.pool, &numbers)?,
    };
    phases.end("numbers", &mut begin);
    let joined = joined.unwrap_or_default();
    read.joined(&sources[0], joined);
    let checks = Checks {
        sources,
        locations: &locations,
        share: &share,
        shared: &shared,
        others: &others,
        keepers: &order.keepers,
    };
    let checked = checks.run(ranks, &read)?;
    let disputes = Disputes::find(ranks, sources, &share, &locations)?;
    Ok(Found {
        order,
        read,
        locations,
        share,
        shared,
        levels,
        others,
        numbers,
        changed,
        numbered,
        defined,
        ends,
        seed,
        known,
        checked,
        disputes,
        lists: lists.unwrap_or_default(),
    })
}

/// By which keys are made after contents had the same ones by accident.
fn another(seed: Seed, source: &impl Source) -> Result<Seed, Stop> {
    if seed.0 + 1 < SEEDS {
        return Ok(Seed(seed.0 + 1));
    }
    let text = "definitions cannot be told apart: they were made to look the same";
    let text = format!("{}: {text}", source.name());
    Err(Stop::Together(Failure::new(ExitCode::Trace, text)))
}

impl Found {
    /// Returns the findings of this rank.
    pub(super) fn report(&self) -> Report {
        let mut report = self.read.report(&self.share, &self.others);
        report.locations = self.locations.len() as u64;
        report.lists = if self.read.first.is_some() { self.lists.len() as u64 } else { 0 };
        report.take(self.checked.findings.clone());
        // In any order, and each once.
        let keys = self.shared.firsts.iter();
        report.digest = keys.fold(0, |sum, key| sum.wrapping_add(key.0 as u64));
        report.doubled = self.read.global().map_or(0, |global| global.doubled(&self.share.pool));
        report
    }

    /// Puts how many events locations have into their definitions. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(super) fn count_events(
        &mut self,
        ranks: &dyn Communicator,
        events: EventCounts,
    ) -> Result<(), collective::Error> {
        let Found { order, read, others, share, .. } = self;
        order.count_events(ranks, read, others, events, &mut share.pool)
    }

    /// Returns the new numbers.
    pub(super) fn renumbering(&self, counts_events: bool) -> Renumbering<'_> {
        let waiting = self.share.waiting.iter();
        Renumbering {
            seed: self.seed,
            numbers: &self.numbers,
            globals: &self.known,
            disputes: &self.disputes,
            lists: &self.share.lists,
            joined: &self.lists,
            waiting: waiting.map(|waiting| (waiting.numbered.ordinal, waiting)).collect(),
            kept: &self.share.kept,
            kept_numbers: self.share.kept.numbers(&self.numbers),
            changed: &self.changed,
            numbered: &self.numbered,
            defined: &self.defined,
            ends: &self.ends,
            none: Changed::new(),
            counts_events,
        }
    }
}
