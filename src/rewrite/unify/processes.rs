//! Which ranks the processes of locations have that have none themselves: threads besides the first one.

use std::collections::{BTreeMap, BTreeSet};

use streamfold_kernels::unify::members::Places;
use streamfold_kernels::unify::{Key, Target};
use streamfold_model::ids::LocationRef;

use super::keys::Share;
use super::known::Files;
use super::lists::Lists;
use super::order::in_archive;
use super::places::location;
use super::pool::Map;
use crate::collective::{Communicator, Error};

/// The ranks of a process, by paradigm.
type Ranks = BTreeMap<u8, Vec<u64>>;

/// The ranks of the processes of locations.
#[derive(Debug, Default)]
pub(super) struct Processes(Map<LocationRef, Ranks>);

impl Processes {
    /// Asks whoever has read the global definitions, where locations lead to their processes. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub fn find(
        ranks: &dyn Communicator,
        share: &Share,
        files: &Files<'_>,
    ) -> Result<Processes, Error> {
        let lists = &share.lists;
        let asks = share.waiting.iter().filter(|waiting| waiting.is_incomplete());
        let asks = asks.map(|waiting| waiting.numbered);
        let asks = asks.filter(|it| lists.ranks(it.now).len() < lists.paradigms().count());
        let asks =
            asks.map(|it| (files.keepers[it.input as usize], (ranks.rank(), it.input, it.now)));
        let asked: Vec<(usize, u32, LocationRef)> = ranks.exchange(asks.collect())?;
        let mut by_input: BTreeMap<u32, BTreeSet<LocationRef>> = BTreeMap::new();
        for (_, input, location) in &asked {
            by_input.entry(*input).or_default().insert(*location);
        }
        let known: BTreeMap<u32, Map<LocationRef, Ranks>> = by_input
            .into_iter()
            .map(|(input, locations)| (input, of_archive(share, input, &locations)))
            .collect();
        let answers = asked.into_iter().map(|(rank, input, location)| {
            (rank, (location, known[&input].get(&location).cloned().unwrap_or_default()))
        });
        Ok(Processes(ranks.exchange(answers.collect())?.into_iter().collect()))
    }

    /// The ranks of a location, or else of its process, by paradigm.
    pub fn ranks(&self, lists: &Lists, location: LocationRef) -> Ranks {
        let mut ranks = self.0.get(&location).cloned().unwrap_or_default();
        ranks
            .extend(lists.ranks(location).into_iter().map(|(paradigm, own)| (paradigm, vec![own])));
        ranks
    }
}

/// The ranks of the processes of locations of an archive whose global definitions this rank has read.
fn of_archive(
    share: &Share,
    input: u32,
    locations: &BTreeSet<LocationRef>,
) -> Map<LocationRef, Ranks> {
    let lists: Vec<(u8, Places)> = share
        .lists
        .paradigms()
        .map(|paradigm| (paradigm, Places::new(share.lists.stretches(paradigm).to_vec())))
        .collect();
    let contents = share.pool.contents.values();
    let global = contents.filter(|pooled| in_archive(pooled.first.0) == (input, 0));
    // A location leads to its name and to its process.
    let all = || {
        let located = global.clone().filter(|pooled| pooled.kind.is_none());
        located.filter_map(|pooled| match pooled.content.targets.get(1) {
            Some(Target::Key(process)) => Some((location(&pooled.content.shell)?, *process)),
            _ => None,
        })
    };
    let wanted: Map<Key, Vec<LocationRef>> = all()
        .filter(|(location, _)| locations.contains(location))
        .fold(Map::default(), |mut wanted, (location, process)| {
            wanted.entry(process).or_default().push(location);
            wanted
        });
    let mut ranks: Map<Key, Ranks> = Map::default();
    for (location, process) in all().filter(|(_, process)| wanted.contains_key(process)) {
        for (paradigm, list) in &lists {
            if let Some(rank) = list.of(location.0) {
                ranks.entry(process).or_default().entry(*paradigm).or_default().push(rank);
            }
        }
    }
    ranks.values_mut().flat_map(BTreeMap::values_mut).for_each(|all| all.sort_unstable());
    let of = |(process, locations): (Key, Vec<LocationRef>)| {
        let ranks = ranks.get(&process).cloned().unwrap_or_default();
        locations.into_iter().map(move |location| (location, ranks.clone()))
    };
    wanted.into_iter().flat_map(of).collect()
}
