//! The numbers of all that is defined, which depend on nothing but what was read, in the order of
//! locations.

use std::collections::{BTreeMap, BTreeSet};

use streamfold_kernels::unify::incomplete::Appearance;
use streamfold_kernels::unify::numbers::Taken;
use streamfold_kernels::unify::{Key, Ref};
use streamfold_model::references::ReferenceKind;

use super::undefined::Ends;
use crate::unify::read::global_file::GlobalFile;
use crate::unify::read::levels::Levels;
use crate::unify::same::pool::{Map, Pool};
use crate::unify::same::shared::Shared;
use streamfold_collective::{self as collective, Communicator};
use streamfold_system::exit::{ExitCode, Failure, Stop};

/// The first numbers behind all that are given, by kind. Collective.
///
/// # Errors
///
/// When ranks cannot communicate.
pub(crate) fn ends(
    ranks: &dyn Communicator,
    pool: &Pool,
    numbers: &Map<Key, u64>,
) -> Result<Ends, collective::Error> {
    let mut own = Ends::new();
    for (key, pooled) in &pool.contents {
        if let Some((kind, number)) = pooled.kind.zip(numbers.get(key)) {
            let end = own.entry(kind).or_default();
            *end = number.saturating_add(1).max(*end);
        }
    }
    ranks.all_reduce(own, |mut one, other| {
        for (kind, end) in other {
            let known = one.entry(kind).or_default();
            *known = end.max(*known);
        }
        one
    })
}

/// Numbers that global definitions have, by kind.
type AllTaken = BTreeMap<ReferenceKind, Taken>;

/// Gives numbers to what this rank has read first. Returns them, and of which kinds any rank has given others
/// than they had. Collective.
///
/// # Errors
///
/// On all ranks when there are not enough numbers; and when ranks cannot communicate.
pub(crate) fn number(
    ranks: &dyn Communicator,
    pool: &Pool,
    shared: &Shared,
    levels: &Levels,
    global: Option<&GlobalFile>,
    name: impl Fn() -> String,
) -> Result<(Map<Key, u64>, BTreeSet<ReferenceKind>), Stop> {
    let (mut own, taken) = match global {
        Some(global) => {
            let (kept, taken) = kept(global, pool);
            (kept, Some(taken))
        }
        None => (Map::default(), None),
    };
    let written = global.map(|global| global.order(pool)).unwrap_or_default();
    let written: Map<usize, u64> = written.into_values().flatten().zip(0..).collect();
    let mut new: Vec<(Of, Appearance, Key)> = Vec::new();
    for key in &shared.firsts {
        let pooled = &pool.contents[key];
        // Locations have theirs, by which their files are named.
        let kind = pooled.kind.filter(|kind| *kind != ReferenceKind::Location);
        if let (Some(kind), false) = (kind, own.contains_key(key)) {
            // Global ones in the order in which they are written.
            let first = match pooled.first {
                (0, place) => (0, written.get(&(place as usize)).copied().unwrap_or(place)),
                first => first,
            };
            let level = if pooled.is_nobody() { NOBODY } else { levels.level(key) };
            new.push(((kind, level), first, *key));
        }
    }
    let taken: AllTaken = ranks.broadcast(0, taken)?;
    // Definitions that earlier ranks have read first come before those of this rank, all of a level before the next
    // one. Undefined references come behind all definitions, so that these have no gaps.
    let all = ranks.all_gather(counts(&new))?;
    let numbered = all.iter().flat_map(BTreeMap::keys).filter(|(_, level)| *level < NOBODY);
    let numbered = numbered.map(|(kind, _)| *kind).collect();
    let mut next = begins(&all, ranks.rank());
    let none = Taken::default();
    let mut missing = None;
    new.sort_unstable();
    for (of, _, key) in new {
        let (kind, before) = (of.0, next.entry(of).or_default());
        let most = kind.undefined().saturating_sub(1);
        match taken.get(&kind).unwrap_or(&none).free(*before, most) {
            Some(number) => drop(own.insert(key, number)),
            None => missing = Some(kind),
        }
        *before += 1;
    }
    match ranks.all_reduce(missing, Option::max)? {
        Some(kind) => {
            let (name, kind) = (name(), kind.name());
            let text = format!("{name}: there are more definitions of kind {kind} than numbers");
            Err(Stop::Together(Failure::new(ExitCode::Trace, text)))
        }
        None => Ok((own, numbered)),
    }
}

/// Key of a sequence of numbers: the definitions of a kind that are on one level.
type Of = (ReferenceKind, u32);

/// In place of the level of what nobody defines.
const NOBODY: u32 = u32::MAX;

/// How many there are.
type Counts = BTreeMap<Of, u64>;

fn counts(new: &[(Of, Appearance, Key)]) -> Counts {
    let mut counts = Counts::new();
    new.iter().for_each(|(of, ..)| *counts.entry(*of).or_default() += 1);
    counts
}

/// How many of the same kind come before those of a rank: all on levels below, and on the same one those of ranks
/// before it. `all`: how many each rank has.
fn begins(all: &[Counts], rank: usize) -> Counts {
    let mut begins = Counts::new();
    let mut total = Counts::new();
    for (counts, other) in all.iter().zip(0..) {
        for (of, count) in counts {
            *total.entry(*of).or_default() += count;
            *begins.entry(*of).or_default() += if other < rank { *count } else { 0 };
        }
    }
    let mut below: BTreeMap<ReferenceKind, u64> = BTreeMap::new();
    for (of, count) in total {
        let below = below.entry(of.0).or_default();
        *begins.entry(of).or_default() += *below;
        *below += count;
    }
    begins
}

/// The numbers that global definitions keep, and those that nothing else gets.
///
/// Kinds of which several say the same, or have the same number, are numbered anew, from 0 on without
/// gaps, as readers like it.
fn kept(global: &GlobalFile, pool: &Pool) -> (Map<Key, u64>, AllTaken) {
    let mut last: Map<(ReferenceKind, u64), usize> = Map::default();
    for (place, record) in global.records.iter().enumerate() {
        last.extend(record.own.map(|own| (own, place)));
    }
    let owned = || {
        let all = global.records.iter().zip(&global.keys).enumerate();
        all.filter_map(|(place, (record, key))| Some((place, record.own?, *key)))
    };
    let stays = |place: usize, own: (ReferenceKind, u64), key: Key| {
        pool.contents[&key].first == (0, place as u64) && last[&own] == place
    };
    let anew: BTreeSet<ReferenceKind> = owned()
        .filter(|(place, own, key)| !stays(*place, *own, *key))
        .map(|(_, (kind, _), _)| kind)
        .collect();
    let keeps = |kind: ReferenceKind| kind == ReferenceKind::Location || !anew.contains(&kind);
    let kept = owned().filter(|(_, (kind, _), _)| keeps(*kind));
    let mut numbers: BTreeMap<ReferenceKind, Vec<u64>> = BTreeMap::new();
    kept.clone().for_each(|(_, (kind, number), _)| numbers.entry(kind).or_default().push(number));
    // Undefined references stay undefined.
    for reference in global.records.iter().flat_map(|record| &record.refs) {
        if let Ref::Number(kind, number) = *reference {
            if !last.contains_key(&(kind, number)) {
                numbers.entry(kind).or_default().push(number);
            }
        }
    }
    let taken = numbers.into_iter().map(|(kind, numbers)| (kind, Taken::new(numbers)));
    let kept = kept.map(|(_, (_, number), key)| (key, number));
    let nobody = global.nobody.iter().map(|((_, number), key)| (*key, *number));
    (kept.chain(nobody).collect(), taken.collect())
}
