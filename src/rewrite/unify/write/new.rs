//! Definitions of locations that become global, as they are written behind those that were.

use std::collections::BTreeSet;

use streamfold_kernels::unify::incomplete::Appearance;
use streamfold_kernels::unify::{Key, Target};
use streamfold_model::definitions::Definition;
use streamfold_model::references::ReferenceKind;

use crate::unify::read::levels::Levels;
use crate::unify::read::records::definition;
use crate::unify::read::tally::Tally;
use crate::unify::same::pool::{Map, Pool, Pooled};
use crate::unify::same::shared::Shared;
use streamfold_collective::{self as collective, Communicator};
use streamfold_otf2::{DefinitionWriter, WriteError};

/// Number of definitions that travel at a time.
const BATCH: usize = 4096;

/// The file that rank 0 writes.
pub(crate) struct Output {
    pub writer: Option<DefinitionWriter>,
    pub failure: Option<WriteError>,
    pub counts: Tally,
}

impl Output {
    /// Appends definitions; once one could not be written, no more.
    pub(crate) fn write(&mut self, definitions: &[Definition]) {
        let (Some(writer), None) = (&mut self.writer, &self.failure) else { return };
        for definition in definitions {
            self.counts.count(definition.name());
            if let Err(error) = writer.write(definition) {
                self.failure = Some(error);
                return;
            }
        }
    }
}

/// Contents that this rank has read first at its locations, in the order in which they are written.
pub(crate) struct New<'a> {
    pool: &'a Pool,
    numbers: &'a Map<Key, u64>,
    /// With their levels, and where they were read first.
    keys: Vec<(u32, Appearance, Key)>,
    /// The highest level on any rank.
    most: u32,
}

impl<'a> New<'a> {
    pub(crate) fn of(
        pool: &'a Pool,
        shared: &Shared,
        levels: &Levels,
        numbers: &'a Map<Key, u64>,
        dropped: &BTreeSet<Key>,
    ) -> New<'a> {
        let is_written = |key: &&Key| !dropped.contains(key) && !pool.contents[*key].is_nobody();
        let firsts = shared.firsts.iter().filter(is_written);
        let firsts = firsts.map(|key| (levels.level(key), pool.contents[key].first, *key));
        let mut keys: Vec<_> = firsts.filter(|(_, (location, _), _)| *location > 0).collect();
        keys.sort_unstable();
        New { pool, numbers, keys, most: levels.most }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Writes those that are wanted: all ranks in their order, each its own, level by level. So numbers ascend, and
    /// what is led to comes first. Collective.
    pub(crate) fn all(
        &self,
        ranks: &dyn Communicator,
        output: &mut Output,
        wanted: impl Fn(&Pooled) -> bool,
    ) -> Result<(), collective::Error> {
        (0..=self.most).try_for_each(|level| self.level(ranks, output, level, &wanted))
    }

    fn level(
        &self,
        ranks: &dyn Communicator,
        output: &mut Output,
        level: u32,
        wanted: impl Fn(&Pooled) -> bool,
    ) -> Result<(), collective::Error> {
        if ranks.rank() > 0 {
            let mut sent = Ok(());
            self.each(level, wanted, &mut |batch| {
                if sent.is_ok() {
                    sent = ranks.send(0, &batch);
                }
            });
            sent?;
            return ranks.send(0, &Vec::<Definition>::new());
        }
        self.each(level, wanted, &mut |batch| output.write(&batch));
        for rank in 1..ranks.size() {
            loop {
                let batch: Vec<Definition> = ranks.receive(rank)?;
                if batch.is_empty() {
                    break;
                }
                output.write(&batch);
            }
        }
        Ok(())
    }

    fn each(
        &self,
        level: u32,
        wanted: impl Fn(&Pooled) -> bool,
        receive: &mut impl FnMut(Vec<Definition>),
    ) {
        let begin = self.keys.partition_point(|(other, ..)| *other < level);
        let end = self.keys.partition_point(|(other, ..)| *other <= level);
        for keys in self.keys[begin..end].chunks(BATCH) {
            let pooled = keys.iter().map(|(.., key)| (*key, &self.pool.contents[key]));
            let named = pooled
                .filter(|(_, pooled)| wanted(pooled))
                .map(|(key, pooled)| named(key, pooled, self.numbers));
            let batch: Vec<Definition> = named.collect();
            if !batch.is_empty() {
                receive(batch);
            }
        }
    }
}

/// A definition with the numbers that all have in the end.
pub(crate) fn named(key: Key, pooled: &Pooled, numbers: &Map<Key, u64>) -> Definition {
    let own = pooled.kind.and_then(|_| numbers.get(&key).copied());
    definition(&pooled.content, own, |kind, target| numbered(pooled, kind, target, numbers))
}

/// The number of what a content leads to.
pub(crate) fn numbered(
    of: &Pooled,
    kind: ReferenceKind,
    target: Target,
    numbers: &Map<Key, u64>,
) -> u64 {
    let is_global = of.first.0 == 0;
    match target {
        Target::Key(key) => numbers.get(&key).copied().unwrap_or(kind.undefined()),
        // An undefined reference stays undefined: no definition gets an undefined number of the global definitions.
        Target::Dangling(number) if is_global => number,
        Target::Dangling(_) | Target::Undefined => kind.undefined(),
    }
}
