//! The content of a definition, without numbers.

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

/// Seed of the keys: contents that share a key by accident have different keys with another seed. Nothing but the keys
/// depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seed(pub u64);

/// The target of a field, as the file records it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ref {
    /// No definition.
    Undefined,
    /// The definition of this number.
    Number(ReferenceKind, u64),
}

/// A definition as one file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The kind and the number of its definition. `None`: it adds to another definition.
    pub own: Option<(ReferenceKind, u64)>,
    /// Everything else. Files that record the same in the same way share it.
    pub says: Arc<Says>,
}

/// The content of a definition as one file records it, without its own number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Says {
    /// The kind of record and its fields, with 0 in place of its own number and of all numbers in
    /// `refs`.
    pub shell: Arc<[u8]>,
    /// Targets of its fields, in their order.
    pub refs: Vec<Ref>,
    /// Number of references at the end that belong to records that add to this definition.
    pub added: usize,
    /// Of a set, the number of references before its members. Equal members count once.
    pub set: Option<usize>,
    /// Set for synthesised definitions: several of the same content are different ones, in their order.
    pub made: bool,
    /// Its number among those of the same content, if other files determine it.
    pub nth: Option<u32>,
    /// References of a communicator.
    pub comm: Option<CommRefs>,
    /// Set if others need it without a reference: ranks need the list of all locations that have them. Such a record
    /// comes before the others.
    pub implied: bool,
}

impl Deref for Record {
    type Target = Says;

    fn deref(&self) -> &Says {
        &self.says
    }
}

/// Indexes of the references of a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CommRefs {
    /// Its group.
    pub group: usize,
    /// The second group, of a communicator between two groups.
    pub other: Option<usize>,
    /// The parent communicator, or the one that its groups have in common.
    pub parent: usize,
}

impl CommRefs {
    /// Its group or groups.
    pub fn groups(self) -> impl Iterator<Item = usize> {
        std::iter::once(self.group).chain(self.other)
    }

    /// Returns whether it is between two groups.
    pub fn is_between(self) -> bool {
        self.other.is_some()
    }

    /// Keys of its group or groups, given the targets of its references; `None`: the group is not known.
    pub fn keys(self, targets: &[Target]) -> impl Iterator<Item = Option<Key>> + '_ {
        self.groups().map(|group| match targets.get(group) {
            Some(Target::Key(key)) => Some(*key),
            _ => None,
        })
    }

    /// Replaces its groups.
    pub fn put_groups(self, targets: &mut [Target], groups: impl IntoIterator<Item = Target>) {
        for (place, group) in self.groups().zip(groups) {
            if let Some(target) = targets.get_mut(place) {
                *target = group;
            }
        }
    }

    /// Returns whether all its members are known, given the targets of its references.
    pub fn is_whole(self, targets: &[Target]) -> bool {
        self.groups().all(|group| targets.get(group).is_some_and(|it| *it != Target::Undefined))
    }
}

impl Says {
    /// Keeps the first of equal members of a set. `targets`: targets of its fields.
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
    /// Gives access to its content, to change this record alone.
    pub fn says_mut(&mut self) -> &mut Says {
        Arc::make_mut(&mut self.says)
    }

    /// Returns whether it is a communicator without its group, or without one of two. Only other files record its
    /// members.
    pub fn is_incomplete(&self) -> bool {
        let lacks = |group: usize| self.refs.get(group) == Some(&Ref::Undefined);
        self.comm.is_some_and(|comm| comm.groups().any(lacks))
    }

    /// Returns whether its key depends on other files: its members, or the order of its two groups.
    pub fn waits(&self) -> bool {
        self.is_between() || self.is_incomplete()
    }

    /// Returns whether it is a communicator between two groups.
    pub fn is_between(&self) -> bool {
        self.comm.is_some_and(CommRefs::is_between)
    }
}

/// The target of a field, independent of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Target {
    /// No definition.
    Undefined,
    /// The definition of this key.
    Key(Key),
    /// An undefined reference, which keeps its number.
    Dangling(u64),
}

/// The content of a definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Content {
    /// Kind and fields, as in [`Says`].
    pub shell: Box<[u8]>,
    /// Targets of its fields.
    pub targets: Box<[Target]>,
    /// Number of earlier definitions of the same content in the same file.
    pub nth: u32,
}

/// The same, borrowed: most contents are known already, and need not be kept.
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
    /// Borrows it.
    pub fn borrowed(&self) -> ContentRef<'_> {
        ContentRef { shell: &self.shell, targets: &self.targets, nth: self.nth }
    }
}

impl ContentRef<'_> {
    /// Copies it.
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

    /// Writes all of it: different contents give different bytes. The lengths come first, since a hasher may ignore
    /// zeros at the end.
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
