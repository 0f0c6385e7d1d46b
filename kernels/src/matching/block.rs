//! Blocks that are sent to the rank that owns a key: items of one location with one key, in their order.

use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;

/// Key of items that have to come together. The meaning of the numbers depends on the kind of item.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct Key(pub [u32; 4]);

impl Key {
    /// Returns a hash that is spread evenly for all keys, and the same on every rank of every job. It decides which
    /// rank owns the key, and the order of keys.
    pub fn hash(self) -> u64 {
        let [a, b, c, d] = self.0.map(u64::from);
        // SplitMix64, of both halves in turn.
        let mix = |mut x: u64| {
            x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            x ^ (x >> 31)
        };
        let high = mix((a << 32 | b).wrapping_add(0x9e37_79b9_7f4a_7c15));
        mix(high ^ (c << 32 | d).wrapping_add(0x9e37_79b9_7f4a_7c15))
    }

    /// Makes so many keys in their order: of each part of the hashes the first that falls into it.
    pub(crate) fn in_order(count: usize) -> Vec<Key> {
        let mut keys = vec![None; count];
        let mut missing = count;
        for number in 0u64.. {
            if missing == 0 {
                break;
            }
            let key = Key([number as u32, (number >> 32) as u32, 0, 0]);
            let place = &mut keys[key.owner(count)];
            missing -= usize::from(place.is_none());
            *place = place.or(Some(key));
        }
        keys.into_iter().flatten().collect()
    }

    /// Returns the rank that owns the key, of `ranks`: smaller hashes belong to smaller ranks.
    pub fn owner(self, ranks: usize) -> usize {
        ((u128::from(self.hash()) * ranks as u128) >> 64) as usize
    }
}

/// Place of an item among those of its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Order {
    /// The latest time of the location's events up to this one, in ticks. An event that goes back in time thus stays
    /// behind those before it.
    pub time: u64,
    /// The location of the event.
    pub location: LocationRef,
    /// The number of the event there.
    pub number: u64,
}

/// An item of a key, with its place in the order there.
pub trait Item: Copy {
    /// Set if an item may be taken back, by another one with the same order, which is no item itself. Of all other
    /// kinds any number of items may have one order.
    const REVOCABLE: bool = false;

    /// Returns its place among the items of its key.
    fn order(&self) -> Order;

    /// Writes it as what is different from the item before it in its block.
    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>);

    /// Reads what [`Item::put`] has written; `None` where that was not written so.
    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self>;
}

/// Head of a block, before its items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BlockHead {
    /// Key of the items.
    pub key: Key,
    /// Place of the first item. All are of its location.
    pub first: Order,
    /// Number of bytes that hold them.
    pub bytes: u32,
}

impl BlockHead {
    /// Blocks are in this order where they are joined.
    pub fn place(&self) -> (u64, Key, Order) {
        (self.key.hash(), self.key, self.first)
    }
}

/// Blocks, one behind the other, as they are held, sent, and spilled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    heads: Vec<BlockHead>,
    bytes: Vec<u8>,
}

impl Blocks {
    /// Adds a block.
    pub fn push(&mut self, key: Key, first: Order, items: &[u8]) {
        let bytes = u32::try_from(items.len()).expect("blocks are small");
        self.heads.push(BlockHead { key, first, bytes });
        self.bytes.extend_from_slice(items);
    }

    /// The memory that they take, in bytes.
    pub fn size(&self) -> usize {
        self.heads.len() * size_of::<BlockHead>() + self.bytes.len()
    }

    /// Tells whether there are no blocks.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// All of them, as they were added.
    pub fn iter(&self) -> impl Iterator<Item = (&BlockHead, &[u8])> {
        let mut rest = &self.bytes[..];
        self.heads.iter().map(move |head| {
            let (items, others) = rest.split_at(head.bytes as usize);
            rest = others;
            (head, items)
        })
    }

    /// The items of a block that begin at this byte of all items.
    pub fn items(&self, begin: usize, head: &BlockHead) -> &[u8] {
        &self.bytes[begin..begin + head.bytes as usize]
    }

    /// Adds all of others.
    pub fn append(&mut self, other: &Blocks) {
        self.heads.extend_from_slice(&other.heads);
        self.bytes.extend_from_slice(&other.bytes);
    }

    /// None is left; the memory stays.
    pub fn clear(&mut self) {
        self.heads.clear();
        self.bytes.clear();
    }
}

/// Takes what scans of locations make.
pub trait Sink: Sync {
    /// Takes blocks. They may come in any order.
    fn take(&self, blocks: &Blocks);
}

/// Writes a number in as few bytes as it needs, seven bits in each.
pub(crate) fn put(mut value: u64, bytes: &mut Vec<u8>) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Reads what [`put`] has written.
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Writes a number as what is between it and another one, whichever is larger.
pub(crate) fn put_change(value: u64, before: u64, bytes: &mut Vec<u8>) {
    let change = value.wrapping_sub(before) as i64;
    put((change << 1 ^ change >> 63) as u64, bytes);
}

/// Reads what [`put_change`] has written.
pub(crate) fn take_change(before: u64, bytes: &mut &[u8]) -> Option<u64> {
    let folded = take(bytes)?;
    Some(before.wrapping_add(folded >> 1 ^ (folded & 1).wrapping_neg()))
}

/// Blocks in the order of their places, see [`BlockHead::place`], and room for items of which there are too
/// many at a time.
pub trait Source {
    /// Error of the source.
    type Error;

    /// Takes the next block out of the source.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    fn next(&mut self) -> Result<Option<(BlockHead, Vec<u8>)>, Self::Error>;

    /// Returns the error for a block that does not hold the items that its head announces.
    fn broken(&self) -> Self::Error;

    /// Number of bytes that may be held of blocks that are taken.
    fn room(&self) -> usize;

    /// Puts bytes aside, right behind those that were put aside before. Returns where they begin.
    ///
    /// # Errors
    ///
    /// When they cannot be written.
    fn put_aside(&mut self, bytes: &[u8]) -> Result<u64, Self::Error>;

    /// Brings those back that begin there.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    fn bring_back(&mut self, begin: u64, bytes: &mut [u8]) -> Result<(), Self::Error>;

    /// Nothing of what was put aside is needed any more.
    ///
    /// # Errors
    ///
    /// When its room cannot be used again.
    fn forget_aside(&mut self) -> Result<(), Self::Error>;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_and_changes_are_read_as_they_were_written(
            value in any::<u64>(), before in any::<u64>(), shift in 0u32..64,
        ) {
            let (value, mut bytes) = (value >> shift, Vec::new());
            put(value, &mut bytes);
            put_change(value, before, &mut bytes);
            put_change(before, value, &mut bytes);
            let mut rest = &bytes[..];
            prop_assert_eq!(take(&mut rest), Some(value));
            prop_assert_eq!(take_change(before, &mut rest), Some(value));
            prop_assert_eq!(take_change(value, &mut rest), Some(before));
            prop_assert!(rest.is_empty() && take(&mut rest).is_none());
        }

        #[test]
        fn keys_of_smaller_hashes_belong_to_smaller_ranks(
            keys in proptest::collection::vec(any::<[u32; 4]>(), 2..50), ranks in 1usize..9,
        ) {
            let mut keys: Vec<_> = keys.into_iter().map(Key).collect();
            keys.sort_by_key(|key| key.hash());
            let owners: Vec<_> = keys.iter().map(|key| key.owner(ranks)).collect();
            prop_assert!(owners.is_sorted() && owners.iter().all(|owner| *owner < ranks));
        }
    }

    #[test]
    fn keys_that_are_near_each_other_are_spread() {
        let mut counts = [0; 8];
        for sender in 0..64 {
            for tag in 0..4 {
                counts[Key([0, sender, sender + 1, tag]).owner(8)] += 1;
            }
        }
        assert!(counts.iter().all(|count| (16..=48).contains(count)), "{counts:?}");
    }
}
