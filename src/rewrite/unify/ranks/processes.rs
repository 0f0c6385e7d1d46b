//! Ranks of the processes of locations without a rank: threads besides the first one.

use std::collections::BTreeMap;

use streamfold_kernels::unify::incomplete::Appearance;
use streamfold_kernels::unify::members::Places;
use streamfold_kernels::unify::{Key, Target};
use streamfold_model::ids::LocationRef;

use super::lists::Lists;
use crate::unify::read::global_file::Files;
use crate::unify::same::places::location;
use crate::unify::same::pool::{Map, Pool};
use crate::unify::same::shared::owner;
use crate::unify::same::waiting::WaitingLocation;
use streamfold_collective::{Communicator, Error};

/// The ranks of a process, by paradigm.
type Ranks = BTreeMap<u8, Vec<u64>>;

/// The ranks of the processes of locations.
#[derive(Debug, Default)]
pub(crate) struct Processes(Map<LocationRef, Ranks>);

impl Processes {
    /// Asks whoever has read the global definitions, where locations lead to their processes: a process may have
    /// its ranks in other archives than a thread of it. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(crate) fn find(
        ranks: &dyn Communicator,
        waiting: &[WaitingLocation],
        lists: &Lists,
        pool: &Pool,
        files: &Files<'_>,
    ) -> Result<Processes, Error> {
        let asks = waiting.iter().filter(|waiting| waiting.is_incomplete());
        let asks = asks.map(|waiting| waiting.numbered);
        let asks = asks.filter(|it| lists.ranks(it.now).len() < lists.paradigms().count());
        let asks = asks.map(|it| (files.keepers[it.input as usize], (ranks.rank(), it.now)));
        let asks: Vec<(usize, (usize, LocationRef))> = asks.collect();
        if !ranks.all_reduce(!asks.is_empty(), |a, b| a || b)? {
            return Ok(Processes::default());
        }
        let asked: Vec<(usize, LocationRef)> = ranks.exchange(asks)?;
        let located = located(pool);
        let asked = asked.into_iter().filter_map(|(rank, location)| {
            let (_, process) = located.get(&location)?;
            Some((owner(*process, ranks.size()), (rank, location, *process)))
        });
        let asked: Vec<(usize, LocationRef, Key)> = ranks.exchange(asked.collect())?;
        let known = of_processes(ranks, lists, &located)?;
        let answers = asked.into_iter().map(|(rank, location, process)| {
            (rank, (location, known.get(&process).cloned().unwrap_or_default()))
        });
        Ok(Processes(ranks.exchange(answers.collect())?.into_iter().collect()))
    }

    /// The ranks of a location, or else of its process, by paradigm.
    pub(crate) fn ranks(&self, lists: &Lists, location: LocationRef) -> Ranks {
        let mut ranks = self.0.get(&location).cloned().unwrap_or_default();
        ranks
            .extend(lists.ranks(location).into_iter().map(|(paradigm, own)| (paradigm, vec![own])));
        ranks
    }
}

/// The processes of locations, as the global definitions say that this rank has read: the first one of each
/// location, and where that was.
fn located(pool: &Pool) -> Map<LocationRef, (Appearance, Key)> {
    let mut located: Map<LocationRef, (Appearance, Key)> = Map::default();
    // A location leads to its name and to its process, and has no number among what is unified.
    for pooled in pool.contents.values().filter(|pooled| pooled.kind.is_none()) {
        let Some(Target::Key(process)) = pooled.content.targets.get(1) else { continue };
        let Some(location) = location(&pooled.content.shell) else { continue };
        let found = (pooled.first, *process);
        let first = located.entry(location).or_insert(found);
        *first = found.min(*first);
    }
    located
}

/// The ranks of the processes after which this rank looks, by paradigm, as all ranks know them. Collective.
fn of_processes(
    ranks: &dyn Communicator,
    lists: &Lists,
    located: &Map<LocationRef, (Appearance, Key)>,
) -> Result<Map<Key, Ranks>, Error> {
    let mut told = Vec::new();
    for paradigm in lists.paradigms() {
        let list = Places::new(lists.stretches(paradigm).to_vec());
        let of_list = located.iter().filter_map(|(location, (_, process))| {
            let rank = list.of(location.0)?;
            Some((owner(*process, ranks.size()), (*process, paradigm, rank)))
        });
        told.extend(of_list);
    }
    let told: Vec<(Key, u8, u64)> = ranks.exchange(told)?;
    let mut known: Map<Key, Ranks> = Map::default();
    for (process, paradigm, rank) in told {
        known.entry(process).or_default().entry(paradigm).or_default().push(rank);
    }
    for ranks in known.values_mut().flat_map(BTreeMap::values_mut) {
        ranks.sort_unstable();
        ranks.dedup();
    }
    Ok(known)
}
