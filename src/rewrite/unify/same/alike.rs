//! Groups of locations that say the same and are several: in one archive their order tells them apart. Parts of a
//! run may have one of them each, so that only their numbers tell, which are the same in all parts.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::{ContentRef, Key, Record, Scope, Seed};
use streamfold_model::references::ReferenceKind;

use super::known::ByNumber;
use super::shared::owner;
use crate::unify::comms::sides::Changed;
use crate::unify::read::shells::Shells;
use crate::unify::read::source::{several, Source};
use streamfold_collective::stop::agree;
use streamfold_collective::Communicator;
use streamfold_system::exit::{Failure, Stop};

/// Kinds of groups of locations and of their references.
const PLACES: [ReferenceKind; 3] =
    [ReferenceKind::String, ReferenceKind::SystemTreeNode, ReferenceKind::LocationGroup];

/// Counts of equal groups in their run: which of them each group is, by the archive and by its place among the
/// archive's groups.
#[derive(Debug, Default)]
pub(crate) struct Alike(BTreeMap<u32, BTreeMap<u64, u32>>);

/// A group of an archive.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Said {
    number: u64,
    /// How many of this number in the same archive say the same before it.
    again: u64,
    input: u32,
    /// Its place among the groups of the archive.
    place: u64,
    rank: usize,
}

impl Alike {
    /// Reads the groups of the archives that this rank keeps, where others are parts of the same run, and counts
    /// those that say the same. Collective.
    ///
    /// # Errors
    ///
    /// On all ranks when one cannot read them; and when ranks cannot communicate.
    pub(crate) fn find(
        ranks: &dyn Communicator,
        sources: &[impl Source],
        kept: impl Iterator<Item = usize>,
    ) -> Result<Alike, Stop> {
        let runs = several(sources);
        if runs.is_empty() {
            return Ok(Alike::default());
        }
        let is_part =
            |input: &usize| sources[*input].placed().run.is_some_and(|run| runs.contains(&run));
        let (mut said, rank) = (Vec::new(), ranks.rank());
        let read = kept.filter(is_part).try_for_each(|input| {
            let mut before: BTreeMap<(u64, Key), u64> = BTreeMap::new();
            for (place, (number, key)) in (0..).zip(groups(&sources[input])?) {
                let before = before.entry((number, key)).or_default();
                let of = Said { number, again: *before, input: input as u32, place, rank };
                *before += 1;
                said.push((owner(key, ranks.size()), (key, of)));
            }
            Ok(())
        });
        agree(ranks, read)?;
        let mut same: BTreeMap<Key, Vec<Said>> = BTreeMap::new();
        for (key, said) in ranks.exchange(said)? {
            same.entry(key).or_default().push(said);
        }
        let answers = same.into_values().flat_map(counted).collect();
        let mut alike = Alike::default();
        let answers: Vec<(u32, u64, u32)> = ranks.exchange(answers)?;
        for (input, place, nth) in answers {
            alike.0.entry(input).or_default().insert(place, nth);
        }
        Ok(alike)
    }

    /// Returns the changed global definitions of an archive, by their places.
    pub(crate) fn changed(&self, input: u32, records: &[Record]) -> Changed {
        let Some(counted) = self.0.get(&input) else { return Changed::new() };
        let is_group =
            |record: &Record| record.own.is_some_and(|own| own.0 == ReferenceKind::LocationGroup);
        let groups = records.iter().enumerate().filter(|(_, record)| is_group(record));
        let changed = (0..).zip(groups).filter_map(|(group, (place, record))| {
            let mut record = record.clone();
            record.says_mut().nth = Some(*counted.get(&group)?);
            Some((place, record))
        });
        changed.collect()
    }
}

/// Returns for each group which of the equal ones it is, in the order of their numbers, and the rank that needs it. A
/// group without equal ones needs none.
fn counted(same: Vec<Said>) -> Vec<(usize, (u32, u64, u32))> {
    let different: BTreeSet<(u64, u64)> =
        same.iter().map(|said| (said.number, said.again)).collect();
    if different.len() < 2 {
        return Vec::new();
    }
    let nth: BTreeMap<(u64, u64), u32> = different.into_iter().zip(0..).collect();
    let told = same.into_iter().map(|Said { number, again, input, place, rank }| {
        (rank, (input, place, nth[&(number, again)]))
    });
    told.collect()
}

/// The groups of locations among the global definitions of a source, with their numbers and what they say. Groups that
/// have made them stand there with their numbers.
fn groups(source: &impl Source) -> Result<Vec<(u64, Key)>, Failure> {
    let (mut records, mut numbers) = (Vec::new(), Vec::new());
    let shells = &mut Shells::default();
    source.global(&mut |definition| {
        let Ok(definition) = definition else { return };
        if !definition.defines().is_some_and(|(kind, _)| PLACES.contains(&kind)) {
            return;
        }
        let Some(mut record) = source.placed().record(definition, true, shells, &mut |_| {}) else {
            return;
        };
        if let Some((ReferenceKind::LocationGroup, number)) = record.own {
            record.own = None;
            numbers.push((records.len(), number));
        }
        records.push(record);
    })?;
    let key = |_, content: ContentRef<'_>| ContentRef { nth: 0, ..content }.key(Seed::default());
    let keys = Scope::new(&records).resolve(&ByNumber, key).keys;
    let groups = numbers.into_iter().filter_map(|(place, number)| Some((number, keys[place]?)));
    Ok(groups.collect())
}
