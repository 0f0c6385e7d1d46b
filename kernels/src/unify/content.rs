//! What a definition says, without numbers.

use std::hash::{BuildHasher, Hasher};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// The kind of record and its fields, with 0 in place of its own number and of all numbers in
    /// `refs`.
    pub shell: Vec<u8>,
    /// What its fields lead to, in their order.
    pub refs: Vec<Ref>,
    /// How many of them, the last ones, are those of other records that say more about it.
    pub added: usize,
    /// Whether it is about something that was made: then several of the same content are different
    /// ones, told apart by their order.
    pub made: bool,
    /// Of a communicator within one group.
    pub comm: Option<CommRefs>,
}

/// Which of the references of a communicator are what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommRefs {
    /// Its group.
    pub group: usize,
    /// The communicator that it was made from.
    pub parent: usize,
}

impl Record {
    /// Whether it is a communicator without its group: only other files say who is in it.
    pub fn is_incomplete(&self) -> bool {
        self.comm.is_some_and(|comm| self.refs.get(comm.group) == Some(&Ref::Undefined))
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
    Nowhere(u64),
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

impl Content {
    /// The key.
    pub fn key(&self, seed: Seed) -> Key {
        let bytes = self.bytes();
        let half = |salt: u64| {
            let mut hasher = FixedState::with_seed(seed.0.wrapping_mul(2) ^ salt).build_hasher();
            hasher.write(&bytes);
            u128::from(hasher.finish())
        };
        Key(half(0x9e37_79b9_7f4a_7c15) << 64 | half(0x2545_f491_4f6c_dd1d))
    }

    /// All of it, one behind the other: others for other contents.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.shell.len() + 17 * self.targets.len() + 12);
        bytes.extend((self.shell.len() as u64).to_le_bytes());
        bytes.extend(&self.shell);
        bytes.extend(self.nth.to_le_bytes());
        for target in &self.targets {
            match target {
                Target::Undefined => bytes.push(0),
                Target::Key(key) => {
                    bytes.push(1);
                    bytes.extend(key.0.to_le_bytes());
                }
                Target::Nowhere(number) => {
                    bytes.push(2);
                    bytes.extend(number.to_le_bytes());
                }
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(shell: &[u8], targets: &[Target], nth: u32) -> Content {
        Content { shell: shell.into(), targets: targets.into(), nth }
    }

    #[test]
    fn a_key_depends_on_all_of_a_content_and_on_the_seed() {
        let one = content(b"ab", &[Target::Undefined], 0);
        let others = [
            content(b"a", &[Target::Undefined], 0),
            content(b"ab", &[], 0),
            content(b"ab", &[Target::Nowhere(0)], 0),
            content(b"ab", &[Target::Key(Key(0))], 0),
            content(b"ab", &[Target::Undefined], 1),
        ];
        for other in others {
            assert_ne!(one.key(Seed(0)), other.key(Seed(0)), "{other:?}");
        }
        assert_ne!(one.key(Seed(0)), one.key(Seed(1)));
        assert_eq!(one.key(Seed(1)), one.clone().key(Seed(1)));
    }
}
