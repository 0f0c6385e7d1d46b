//! In which order all is read, and by which rank: a stretch of the order each, so that numbers that
//! follow it depend on nothing but the trace.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::Serialize;
use streamfold_kernels::unify::{Key, Seed};
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;

use super::all_read::{replace, AllRead, First};
use super::global_file::{GlobalFile, OtherFile};
use super::global_read::{changed, changed_of_other, read, Changed, Read};
use super::inputs::{ordinal, Numbered};
use super::source::Source;
use crate::unify::comms::sides;
use crate::unify::findings::File;
use crate::unify::same::alike::Alike;
use crate::unify::same::defined::Defined;
use crate::unify::same::join::Join;
use crate::unify::same::places::counted;
use crate::unify::same::pool::{Map, Pool};
use crate::unknown_go;
use streamfold_collective::stop::agree;
use streamfold_collective::{self as collective, Communicator};
use streamfold_system::exit::{Failure, Stop};

/// Distribution among ranks: of each archive first the global definitions, then its locations.
#[derive(Debug)]
pub(crate) struct Order {
    /// How many locations the archives have.
    counts: Vec<u64>,
    /// First place of each archive.
    begins: Vec<u64>,
    /// All together.
    total: u64,
    /// How many ranks share them.
    size: usize,
    /// The rank that reads each archive's global definitions.
    pub keepers: Vec<usize>,
}

/// How many events locations of archives have.
pub(crate) type EventCounts = BTreeMap<(u32, LocationRef), u64>;

impl Order {
    /// The order of archives.
    pub(crate) fn new(ranks: usize, sources: &[impl Source]) -> Order {
        let counts: Vec<u64> = sources.iter().map(Source::locations).collect();
        let mut total: u64 = 0;
        let begin = |count: &u64| {
            let begin = total;
            total = total.saturating_add(count.saturating_add(1));
            begin
        };
        let begins = counts.iter().map(begin).collect();
        let mut order = Order { counts, begins, total, size: ranks, keepers: Vec::new() };
        order.keepers = (0..sources.len()).map(|input| order.rank(input, 0)).collect();
        order
    }

    /// Returns the rank that reads the global definitions of an archive (`index` 0), or one of its locations, from 1.
    fn rank(&self, input: usize, index: u64) -> usize {
        let place = self.begins[input].saturating_add(index.min(self.counts[input]));
        let rank = u128::from(place) * self.size as u128 / u128::from(self.total.max(1));
        (rank as usize).min(self.size - 1)
    }

    /// The archives of which this rank reads the global definitions.
    fn kept(&self, rank: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.keepers.len()).filter(move |&input| self.keepers[input] == rank)
    }

    /// Returns whether locations of an archive are on other ranks than its global definitions.
    fn is_spread(&self, input: usize) -> bool {
        input == 0 || self.rank(input, self.counts[input]) != self.keepers[input]
    }

    /// Reads global definitions: all of those of the first archive, locations of the others. Collective.
    ///
    /// # Errors
    ///
    /// On all ranks when one cannot read them.
    pub(crate) fn read(
        &self,
        ranks: &dyn Communicator,
        sources: &[impl Source],
        join: &mut dyn Join,
        workers: NonZeroUsize,
    ) -> Result<AllRead, Stop> {
        let mut all = AllRead::default();
        let alike = Alike::find(ranks, sources, self.kept(ranks.rank()))?;
        let mut read = |input: usize| -> Result<(), Failure> {
            let source = &sources[input];
            let mut one = read(source)?;
            if sources.len() > 1 {
                one.find_unlisted(source);
                all.keep_unlisted(input as u32, &mut one);
            }
            let file = File { name: || source.name(), location: LocationRef::UNDEFINED };
            if one.unknown > 0 && sources.len() > 1 {
                all.findings.lose(&file, unknown_go(one.unknown));
            }
            let Read { mut records, locations, counts, places, findings, .. } = one;
            all.findings.fold(findings);
            let mut changed = sides::Changed::new();
            if sources.len() > 1 {
                let (joined, sides) = join.alone(input, &locations, &records);
                all.joined(source, joined);
                changed = sides;
                changed.extend(alike.changed(input as u32, &records));
            }
            all.locations.insert(input as u32, locations);
            all.counts.fold(&counts);
            if input == 0 {
                let mut global = GlobalFile { records, ..GlobalFile::default() };
                global.rewrite(changed);
                all.first = Some(First { global, places });
            } else {
                // Its records are not kept: of thousands of archives they would be too many.
                let input = input as u32;
                let (seed, pool) = (Seed::default(), &mut all.pool);
                let ordinal = ordinal(input, 0);
                replace(&mut records, &changed);
                all.changed.insert(input, changed);
                all.others.push(OtherFile::resolve(source, input, ordinal, records, seed, pool));
            }
            Ok(())
        };
        let done = self.kept(ranks.rank()).try_for_each(&mut read);
        agree(ranks, done)?;
        all.find_unlisted(ranks, sources, workers)?;
        Ok(all)
    }

    /// The stretch of all locations that this rank reads. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(crate) fn stretch(
        &mut self,
        ranks: &dyn Communicator,
        sources: &[impl Source],
        read: &AllRead,
    ) -> Result<Vec<Numbered>, collective::Error> {
        // Only who has read a single archive knows how many locations it has.
        if let [_] = sources {
            let count = read.locations.get(&0).map(|locations| locations.len() as u64);
            self.counts = vec![ranks.broadcast(0, count)?];
            self.total = self.counts[0].saturating_add(1);
        }
        let mut items = Vec::new();
        for (&input, locations) in &read.locations {
            for (index, &location) in (1..).zip(locations) {
                let ordinal = ordinal(input, index);
                let now = sources[input as usize].placed().location(location);
                let numbered = Numbered { ordinal, input, location, now };
                items.push((self.rank(input as usize, index), numbered));
            }
        }
        ranks.exchange(items)
    }

    /// Returns the global numbers that change, of the archives of which this rank has locations. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(crate) fn changed(
        &self,
        ranks: &dyn Communicator,
        sources: &[impl Source],
        read: &AllRead,
        others: &[OtherFile],
        numbers: &Map<Key, u64>,
    ) -> Result<BTreeMap<u32, Changed>, collective::Error> {
        let mut own = BTreeMap::new();
        own.extend(read.first.as_ref().map(|first| (0, changed(&first.global, numbers))));
        let others = others.iter();
        own.extend(others.map(|other| (other.input, changed_of_other(other, numbers))));
        for (input, changed) in &mut own {
            let placed = sources[*input as usize].placed();
            if placed.has_location_values && placed.renamed_locations().is_some() {
                changed.entry(ReferenceKind::Location).or_default().extend(placed.renamed());
            }
        }
        self.share(ranks, own)
    }

    /// Returns the defined global numbers, of the archives of which this rank has locations. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(crate) fn defined(
        &self,
        ranks: &dyn Communicator,
        read: &AllRead,
        others: &[OtherFile],
    ) -> Result<BTreeMap<u32, Arc<Defined>>, collective::Error> {
        let own = read.kept().map(|input| (input, read.defined(input, others)));
        let all = self.share(ranks, own.collect())?.into_iter();
        Ok(all.map(|(input, defined)| (input, Arc::new(defined))).collect())
    }

    /// Hands what this rank knows of archives to those that have locations of them. Collective.
    fn share<T: Serialize + DeserializeOwned>(
        &self,
        ranks: &dyn Communicator,
        mut own: BTreeMap<u32, T>,
    ) -> Result<BTreeMap<u32, T>, collective::Error> {
        let mut all = BTreeMap::new();
        for (input, &keeper) in self.keepers.iter().enumerate() {
            let number = input as u32;
            let known = own.remove(&number);
            if !self.is_spread(input) {
                all.extend(known.map(|known| (number, known)));
                continue;
            }
            // A rank without locations of the archive has no use for it.
            let known: T = ranks.broadcast(keeper, known)?;
            let stretch = self.keepers[input]..=self.rank(input, self.counts[input]);
            if stretch.contains(&ranks.rank()) {
                all.insert(number, known);
            }
        }
        Ok(all)
    }

    /// Puts how many events locations have into their definitions. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(crate) fn count_events(
        &self,
        ranks: &dyn Communicator,
        read: &mut AllRead,
        others: &[OtherFile],
        events: EventCounts,
        pool: &mut Pool,
    ) -> Result<(), collective::Error> {
        let counts =
            events.into_iter().map(|(of, count)| (self.keepers[of.0 as usize], (of, count)));
        let counts: Vec<((u32, LocationRef), u64)> = ranks.exchange(counts.collect())?;
        let mut by_input: BTreeMap<u32, BTreeMap<LocationRef, u64>> = BTreeMap::new();
        for ((input, location), count) in counts {
            by_input.entry(input).or_default().insert(location, count);
        }
        if let Some(first) = &mut read.first {
            first.global.count_events(&by_input.remove(&0).unwrap_or_default(), pool);
        }
        for other in others {
            let Some(events) = by_input.get(&other.input) else { continue };
            for location in events.keys() {
                let key = other.locations.get(location);
                let Some(pooled) = key.and_then(|key| pool.contents.get_mut(key)) else { continue };
                if let Some(shell) = counted(&pooled.content.shell, events) {
                    pooled.content.shell = shell;
                }
            }
        }
        Ok(())
    }
}
