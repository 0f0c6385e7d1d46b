//! Parts of one run whose global definitions disagree about who is in a communicator. All stay, each as somebody
//! says it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::members::{place, Stretch};
use streamfold_kernels::unify::{ContentRef, Key, Target};
use streamfold_model::definitions::Definition;
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;

use super::whole::{comm_members, whole, Whole};
use crate::unify::findings::{File, Findings};
use crate::unify::read::all_read::AllRead;
use crate::unify::read::global_file::OtherFile;
use crate::unify::read::records::{without_members, CommMembers};
use crate::unify::read::source::{several, Source};
use crate::unify::same::keys::Share;
use crate::unify::same::pool::Pooled;
use crate::unify::same::shared::owner;
use streamfold_collective::{Communicator, Error};

/// A communicator of an archive.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Said {
    input: u32,
    /// The number that it has there.
    number: u64,
    key: Key,
    paradigm: u8,
    members: Vec<Stretch>,
}

/// Communicators of a run that have all but the group in common.
type Class = (u32, Key);

/// Global definitions that this rank has read.
pub(crate) struct Parts<'a, S> {
    pub sources: &'a [S],
    pub share: &'a Share,
    pub read: &'a AllRead,
    pub others: &'a [OtherFile],
    /// The rank that has read each archive.
    pub keepers: &'a [usize],
}

impl<S: Source> Parts<'_, S> {
    /// Tells of communicators that a part should have and has not, or has with other members. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(crate) fn check(
        &self,
        ranks: &dyn Communicator,
        findings: &mut Findings,
    ) -> Result<(), Error> {
        let runs = several(self.sources);
        if runs.is_empty() {
            return Ok(());
        }
        let size = ranks.size();
        let said = self.comms(&runs).map(|(class, said)| (owner(class.1, size), (class, said)));
        let mut classes: BTreeMap<Class, Vec<Said>> = BTreeMap::new();
        for (class, said) in ranks.exchange(said.collect())? {
            classes.entry(class).or_default().push(said);
        }
        let mut answers = Vec::new();
        for mut all in classes.into_values() {
            all.sort_unstable_by_key(|said| (said.input, said.number));
            if all.iter().any(|said| said.key != all[0].key) {
                let inputs: BTreeSet<u32> = all.iter().map(|said| said.input).collect();
                answers.extend(
                    inputs.iter().map(|it| (self.keepers[*it as usize], (*it, all.clone()))),
                );
            }
        }
        let mut told: Vec<(u32, Vec<Said>)> = ranks.exchange(answers)?;
        told.sort_unstable_by_key(|(input, all)| (*input, all[0].input, all[0].number));
        for (input, all) in told {
            self.tell(input, &all, findings);
        }
        Ok(())
    }

    /// The communicators of the archives that are parts, as far as anybody knows who is in them: of each
    /// number the last one.
    fn comms<'s>(&'s self, runs: &'s BTreeSet<u32>) -> impl Iterator<Item = (Class, Said)> + 's {
        let first = self.read.global().into_iter().flat_map(|global| {
            let all = global.records.iter().zip(&global.keys);
            let owned = all.filter_map(|(record, key)| Some((record.own?, *key)));
            owned.collect::<BTreeMap<_, _>>().into_iter().map(|comm| (0, comm))
        });
        let others = self
            .others
            .iter()
            .flat_map(|other| other.keys.iter().map(|(own, key)| (other.input, (*own, *key))));
        let comms = first.chain(others).filter(|(_, ((kind, _), _))| *kind == ReferenceKind::Comm);
        comms.filter_map(move |(input, ((_, number), key))| {
            let run = self.sources[input as usize].placed().run?;
            let pooled = self.share.pool.contents.get(&key).filter(|_| runs.contains(&run))?;
            let (class, (paradigm, members)) = match whole(key, pooled, self.share) {
                Some(Whole { class, candidate }) => {
                    (class, (candidate.paradigm, candidate.members?))
                }
                None => self.between(pooled)?,
            };
            Some(((run, class), Said { input, number, key, paradigm, members }))
        })
    }

    /// Returns the key of all that an intercommunicator has in common with others, and the members of both groups.
    /// `None`: it is no intercommunicator.
    fn between(&self, pooled: &Pooled) -> Option<(Key, CommMembers)> {
        let content = pooled.content.borrowed();
        let Definition::InterComm(_) = without_members(content.shell) else { return None };
        // It leads to its name, both groups and the communicator that they have in common.
        let [_, Target::Key(a), Target::Key(b), _] = content.targets else { return None };
        let pool = &self.share.pool;
        let ((paradigm, mut members), (_, others)) =
            (comm_members(pool, a)?, comm_members(pool, b)?);
        members.extend(others);
        let mut targets = content.targets.to_vec();
        targets[1..3].fill(Target::Undefined);
        let class = ContentRef { targets: &targets, nth: 0, ..content }.key(self.share.seed);
        Some((class, (paradigm, members)))
    }

    /// Tells what an archive that this rank has read says otherwise than the others, where `all` of a
    /// class are these.
    fn tell(&self, input: u32, all: &[Said], findings: &mut Findings) {
        let (own, others): (Vec<&Said>, Vec<&Said>) =
            all.iter().partition(|said| said.input == input);
        let keys: BTreeSet<Key> = own.iter().map(|said| said.key).collect();
        let source = &self.sources[input as usize];
        let file = File { name: || source.name(), location: LocationRef::UNDEFINED };
        let mut seen = BTreeSet::new();
        let mut ranks = BTreeMap::new();
        for other in others {
            // Of several that say the same the first one is named.
            if keys.contains(&other.key) || !seen.insert(other.key) {
                continue;
            }
            let name = self.sources[other.input as usize].name();
            let ranks =
                ranks.entry(other.paradigm).or_insert_with(|| self.ranks(input, other.paradigm));
            if let Some(location) = first_member(ranks, &other.members) {
                let number = own[0].number;
                let text = format!(
                    "Comm {number}: {name}, a part of the same run, says that location {location} is a \
                     member of its Comm {}, with the same name and parent, which is not defined here: \
                     both stay",
                    other.number
                );
                findings.warn(&file, text);
                continue;
            }
            let same = own.iter().find(|said| said.number == other.number);
            if same.is_some_and(|same| same.meets(other) && other.input < input) {
                let text = format!(
                    "Comm {} has other members than that of {name}, a part of the same run: both stay",
                    other.number
                );
                findings.warn(&file, text);
            }
        }
    }

    /// The ranks of the locations of an archive that this rank has read, with the numbers that these have there.
    fn ranks(&self, input: u32, paradigm: u8) -> BTreeMap<u64, LocationRef> {
        let placed = self.sources[input as usize].placed();
        let all = self.read.locations_of(input).unwrap_or_default();
        let all: HashMap<LocationRef, LocationRef> =
            all.iter().map(|location| (placed.location(*location), *location)).collect();
        let listed = self.share.lists.members(paradigm).map(LocationRef);
        (0..).zip(listed).filter_map(|(rank, now)| Some((rank, *all.get(&now)?))).collect()
    }
}

impl Said {
    /// Returns whether both have a member in common.
    fn meets(&self, other: &Said) -> bool {
        let mut members = self.members.iter().flat_map(|stretch| stretch.members());
        self.paradigm == other.paradigm
            && members.any(|rank| rank != u64::MAX && place(&other.members, rank).is_some())
    }
}

/// The location with the lowest of the ranks that is a member.
fn first_member(ranks: &BTreeMap<u64, LocationRef>, members: &[Stretch]) -> Option<LocationRef> {
    let mut ranks = ranks.iter();
    ranks.find(|(rank, _)| place(members, **rank).is_some()).map(|(_, location)| *location)
}
