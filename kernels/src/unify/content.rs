//! What a definition says, without numbers.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use foldhash::fast::RandomState;
use foldhash::quality::FixedState;
use serde::{Deserialize, Serialize};
use streamfold_model::references::ReferenceKind;

/// Two definitions with the same content have the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key(pub u128);

/// By which keys are made: with another one, contents whose keys were the same by accident have
/// different ones. Nothing but the keys depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seed(pub u64);

/// What a field leads to, as the file says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ref {
    /// To no definition.
    Undefined,
    /// To the definition of this number.
    Number(ReferenceKind, u64),
}

/// A definition as one file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What it defines, and the number that the file gives to it. `None`: it says more about
    /// another one.
    pub own: Option<(ReferenceKind, u64)>,
    /// All else, which is there once for files that say the same in the same way.
    pub says: Arc<Says>,
}

/// What a definition says as one file has it, but for its own number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Says {
    /// The kind of record and its fields, with 0 in place of its own number and of all numbers in
    /// `refs`.
    pub shell: Arc<[u8]>,
    /// What its fields lead to, in their order.
    pub refs: Vec<Ref>,
    /// How many of them, the last ones, are those of other records that say more about it.
    pub added: usize,
    /// Of a set, how many of them come before its members: of members that are the same one counts.
    pub set: Option<usize>,
    /// Whether it is about something that was made: then several of the same content are different
    /// ones, told apart by their order.
    pub made: bool,
    /// Which one of these it is, where others than its file tell.
    pub nth: Option<u32>,
    /// Of a communicator.
    pub comm: Option<CommRefs>,
    /// Whether others need it that do not lead to it, as ranks do the list of all locations that have them:
    /// it comes before those.
    pub implied: bool,
}

impl Deref for Record {
    type Target = Says;

    fn deref(&self) -> &Says {
        &self.says
    }
}

/// Which of the references of a communicator are what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CommRefs {
    /// Its group.
    pub group: usize,
    /// The other one, of a communicator between two groups.
    pub other: Option<usize>,
    /// The communicator that it was made from, or that its groups have in common.
    pub parent: usize,
}

impl CommRefs {
    /// Its group or groups.
    pub fn groups(self) -> impl Iterator<Item = usize> {
        std::iter::once(self.group).chain(self.other)
    }

    /// Whether it is between two groups.
    pub fn is_between(self) -> bool {
        self.other.is_some()
    }

    /// Its group or groups, where it leads to these; `None`: one that is not known.
    pub fn keys(self, targets: &[Target]) -> impl Iterator<Item = Option<Key>> + '_ {
        self.groups().map(|group| match targets.get(group) {
            Some(Target::Key(key)) => Some(*key),
            _ => None,
        })
    }

    /// Lets it lead to other groups.
    pub fn put_groups(self, targets: &mut [Target], groups: impl IntoIterator<Item = Target>) {
        for (place, group) in self.groups().zip(groups) {
            if let Some(target) = targets.get_mut(place) {
                *target = group;
            }
        }
    }

    /// Whether all who communicate are known, where it leads to these.
    pub fn is_whole(self, targets: &[Target]) -> bool {
        self.groups().all(|group| targets.get(group).is_some_and(|it| *it != Target::Undefined))
    }
}

impl Says {
    /// Leaves one of members of a set that are the same, in the order in which they come first. `targets`:
    /// what its fields lead to.
    pub fn once(&self, targets: &mut Vec<Target>) {
        let Some(before) = self.set else { return };
        let (mut seen, mut place) = (HashSet::<Target, RandomState>::default(), 0);
        targets.retain(|target| {
            place += 1;
            place <= before || seen.insert(*target)
        });
    }
}

impl Record {
    /// What it says, to be changed for this record alone.
    pub fn says_mut(&mut self) -> &mut Says {
        Arc::make_mut(&mut self.says)
    }

    /// Whether it is a communicator without its group, or one of two: only other files say who is in it.
    pub fn is_incomplete(&self) -> bool {
        let lacks = |group: usize| self.refs.get(group) == Some(&Ref::Undefined);
        self.comm.is_some_and(|comm| comm.groups().any(lacks))
    }

    /// Whether it has no key before it is known what others say: who is in it, or which of two groups comes first.
    pub fn waits(&self) -> bool {
        self.is_between() || self.is_incomplete()
    }

    /// Whether it is a communicator between two groups.
    pub fn is_between(&self) -> bool {
        self.comm.is_some_and(CommRefs::is_between)
    }
}

/// What a field leads to, whatever its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Target {
    /// To no definition.
    Undefined,
    /// To the definition of this key.
    Key(Key),
    /// To this number, which nobody defines, and which stays.
    Dangling(u64),
}

/// What a definition says.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Content {
    /// That of the [`Record`].
    pub shell: Box<[u8]>,
    /// What its fields lead to.
    pub targets: Box<[Target]>,
    /// How many of the same content were made before it, by whoever recorded it.
    pub nth: u32,
}

/// The same, borrowed: most of what is looked at is known already, and need not be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentRef<'a> {
    /// As in [`Content`].
    pub shell: &'a [u8],
    /// As in [`Content`].
    pub targets: &'a [Target],
    /// As in [`Content`].
    pub nth: u32,
}

impl Content {
    /// Without ownership.
    pub fn borrowed(&self) -> ContentRef<'_> {
        ContentRef { shell: &self.shell, targets: &self.targets, nth: self.nth }
    }
}

impl ContentRef<'_> {
    /// To be kept.
    pub fn owned(self) -> Content {
        Content { shell: self.shell.into(), targets: self.targets.into(), nth: self.nth }
    }

    /// The key.
    pub fn key(self, seed: Seed) -> Key {
        let half = |salt: u64| {
            let mut hasher = FixedState::with_seed(seed.0.wrapping_mul(2) ^ salt).build_hasher();
            self.write(&mut hasher);
            u128::from(hasher.finish())
        };
        Key(half(0x9e37_79b9_7f4a_7c15) << 64 | half(0x2545_f491_4f6c_dd1d))
    }

    /// Hands over all of it, one behind the other: others for other contents. How much there is comes first,
    /// since a hasher may take zeros at the end for nothing.
    fn write(self, hasher: &mut impl Hasher) {
        hasher.write_usize(self.shell.len());
        hasher.write_usize(self.targets.len());
        hasher.write(self.shell);
        hasher.write_u32(self.nth);
        for target in self.targets {
            match target {
                Target::Undefined => hasher.write_u8(1),
                Target::Key(key) => {
                    hasher.write_u8(2);
                    hasher.write_u128(key.0);
                }
                Target::Dangling(number) => {
                    hasher.write_u8(3);
                    hasher.write_u64(*number);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(shell: &[u8], targets: &[Target], nth: u32) -> Content {
        Content { shell: shell.into(), targets: targets.into(), nth }
    }

    #[test]
    fn members_of_a_set_are_there_once() {
        let key = |key| Target::Key(Key(key));
        let all = [key(7), key(5), key(7), key(5), Target::Dangling(5), Target::Undefined, key(9)];
        let once = |set| {
            let mut targets = all.to_vec();
            Says { set, ..Says::default() }.once(&mut targets);
            targets
        };
        assert_eq!(once(None), all);
        assert_eq!(once(Some(1)), [all[0], all[1], all[2], all[4], all[5], all[6]]);
    }

    #[test]
    fn a_key_depends_on_all_of_a_content_and_on_the_seed() {
        let one = content(b"ab", &[Target::Undefined], 0);
        let others = [
            content(b"a", &[Target::Undefined], 0),
            content(b"ab", &[], 0),
            content(b"ab", &[Target::Dangling(0)], 0),
            content(b"ab", &[Target::Undefined, Target::Undefined], 0),
            content(b"ab", &[Target::Key(Key(0))], 0),
            content(b"ab", &[Target::Undefined], 1),
        ];
        for other in others {
            assert_ne!(one.borrowed().key(Seed(0)), other.borrowed().key(Seed(0)), "{other:?}");
        }
        let key = |seed| one.borrowed().key(seed);
        assert_ne!(key(Seed(0)), key(Seed(1)));
        assert_eq!(key(Seed(1)), one.borrowed().owned().borrowed().key(Seed(1)));
    }
}
