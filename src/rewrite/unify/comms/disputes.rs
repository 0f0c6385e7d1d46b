//! Communicators whose members disagree: one location says that another one is a member, and that one has
//! communicators of the same name and parent, but not this one. All stay, each as somebody says it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::incomplete::{Appearance, Candidate};
use streamfold_kernels::unify::Key;
use streamfold_model::ids::LocationRef;

use super::whole::{whole, Whole};
use crate::unify::called::CommOf;
use crate::unify::findings::{File, Findings};
use crate::unify::read::inputs::{in_archive, Numbered};
use crate::unify::read::source::Source;
use crate::unify::same::keys::Share;
use crate::unify::same::pool::Map;
use crate::unify::same::shared::owner;
use streamfold_collective::{Communicator, Error};

/// A communicator, and how it is called where it was defined first.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Said {
    comm: Candidate,
    by: CommOf,
}

/// How something is called that was read first there, with this number. `locations`: those of this rank, in the order of
/// all.
pub(crate) fn comm_of(locations: &[Numbered], first: Appearance, number: u64) -> CommOf {
    let place = locations.binary_search_by_key(&first.0, |numbered| numbered.ordinal);
    let location = place.map_or(LocationRef::UNDEFINED, |place| locations[place].location);
    CommOf { input: in_archive(first.0).0, location, number }
}

/// Entry that a rank sends about a communicator to the owner of its class.
#[derive(Debug, Serialize, Deserialize)]
enum Entry {
    /// Its members.
    Defined(Key, Said),
    /// Number of locations of this rank that have it.
    Held { class: Key, key: Key, rank: usize, count: u64 },
}

/// State of a class on its owner rank.
#[derive(Default)]
struct Class {
    comms: BTreeMap<Key, Said>,
    holders: BTreeMap<Key, u64>,
    ranks: BTreeSet<usize>,
}

impl Class {
    fn take(&mut self, entry: Entry) {
        match entry {
            Entry::Defined(_, said) => {
                let known = self.comms.entry(said.comm.key).or_insert_with(|| said.clone());
                if said.comm.first < known.comm.first {
                    known.by = said.by;
                    known.comm.first = said.comm.first;
                }
                if known.comm.members.is_none() {
                    (known.comm.paradigm, known.comm.members) =
                        (said.comm.paradigm, said.comm.members);
                }
            }
            Entry::Held { key, rank, count, .. } => {
                *self.holders.entry(key).or_default() += count;
                self.ranks.insert(rank);
            }
        }
    }

    /// The communicators that locations define, and not the archive for all of them.
    fn local(&self) -> impl Iterator<Item = &Said> {
        self.comms.values().filter(|said| in_archive(said.comm.first.0).1 > 0)
    }

    /// Returns whether the locations that have one of its communicators differ in number from its members.
    fn is_disputed(&self) -> bool {
        self.local().any(|Said { comm, .. }| {
            let Some(members) = &comm.members else { return false };
            let members: u64 = members.iter().map(|stretch| stretch.count).sum();
            self.holders.get(&comm.key) != Some(&members)
        })
    }
}

/// Communicators about which their members may disagree.
#[derive(Debug, Default)]
pub(crate) struct Disputes {
    /// The classes of communicators.
    classes: Map<Key, Key>,
    /// All communicators of a class that locations define, and how they are called where they are defined.
    comms: Map<Key, Vec<(Candidate, String)>>,
}

impl Disputes {
    /// Finds out of what locations of this rank may have to disagree. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(crate) fn find(
        ranks: &dyn Communicator,
        sources: &[impl Source],
        share: &Share,
        locations: &[Numbered],
    ) -> Result<Disputes, Error> {
        let (size, rank) = (ranks.size(), ranks.rank());
        let contents = share.pool.contents.iter();
        let defined = contents.filter_map(|(key, pooled)| {
            let Whole { class, candidate: comm } = whole(*key, pooled, share)?;
            let by = comm_of(locations, comm.first, pooled.number);
            Some((owner(class, size), Entry::Defined(class, Said { comm, by })))
        });
        let held = share.holders.iter().map(|(&(class, key), &count)| {
            (owner(class, size), Entry::Held { class, key, rank, count })
        });
        let mut classes: Map<Key, Class> = Map::default();
        for entry in ranks.exchange(defined.chain(held).collect())? {
            let (Entry::Defined(class, _) | Entry::Held { class, .. }) = entry;
            classes.entry(class).or_default().take(entry);
        }
        let disputed = classes.into_iter().filter(|(_, class)| class.is_disputed());
        let answers = disputed.flat_map(|(key, class)| {
            let comms: Vec<Said> = class.local().cloned().collect();
            class.ranks.into_iter().map(move |rank| (rank, (key, comms.clone())))
        });
        let answers: Vec<(Key, Vec<Said>)> = ranks.exchange(answers.collect())?;
        let mut disputes = Disputes::default();
        for (class, comms) in answers {
            disputes.classes.extend(comms.iter().map(|said| (said.comm.key, class)));
            let called = comms.into_iter().map(|Said { comm, by }| (comm, by.called(sources)));
            disputes.comms.insert(class, called.collect());
        }
        Ok(disputes)
    }

    /// Tells of communicators that a location should have and has not. `own`: the numbers and keys of those
    /// that it has; `ranks`: its ranks, by paradigm.
    pub(crate) fn tell(
        &self,
        file: &File<impl Fn() -> String>,
        own: impl Iterator<Item = (u64, Key)>,
        ranks: impl FnOnce() -> BTreeMap<u8, u64>,
        findings: &mut Findings,
    ) {
        let own = own.filter_map(|(number, key)| Some((key, (number, *self.classes.get(&key)?))));
        let own: BTreeMap<Key, (u64, Key)> = own.collect();
        if own.is_empty() {
            return;
        }
        let ranks = ranks();
        // Of each class the first one.
        let mut classes: BTreeMap<Key, u64> = BTreeMap::new();
        for (number, class) in own.values() {
            let first = classes.entry(*class).or_insert(*number);
            *first = (*first).min(*number);
        }
        for (class, number) in classes {
            for (comm, by) in &self.comms[&class] {
                let rank = ranks.get(&comm.paradigm).copied();
                let is_in = comm.has(rank.as_slice()) == Some(true);
                if is_in && !own.contains_key(&comm.key) {
                    findings.warn(
                        file,
                        format_args!(
                            "Comm {number}: {by} says that this location is a member, has the same name \
                             and parent, and is not defined here: both stay"
                        ),
                    );
                }
            }
        }
    }
}
