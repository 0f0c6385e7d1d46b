//! Both sides of each key, in their order.

use super::block::{Item, Key, Source};
use super::items::Items;

/// Receives the matches.
pub trait Receiver<I> {
    /// Takes a match: items of both sides of a key in their order, the first of one with the first
    /// of the other.
    fn pair(&mut self, key: Key, first: I, second: I);

    /// Takes an item without another side.
    fn alone(&mut self, key: Key, side: Side, item: I);
}

/// A side of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Sends.
    First,
    /// Receives.
    Second,
}

/// Joins both sides of all keys, in the order of these.
///
/// # Errors
///
/// When a block cannot be read.
pub fn join<S: Source, I: Item>(
    first: S,
    second: S,
    receiver: &mut impl Receiver<I>,
) -> Result<(), S::Error> {
    let (mut first, mut second) = (Items::<S, I>::new(first)?, Items::<S, I>::new(second)?);
    let place = |key: Key| (key.hash(), key);
    loop {
        let key = match (first.key(), second.key()) {
            (Some(a), Some(b)) if a == b => a,
            (Some(a), Some(b)) if place(a) < place(b) => a,
            (Some(_), Some(b)) => b,
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => return Ok(()),
        };
        loop {
            match (first.next(key)?, second.next(key)?) {
                (Some(a), Some(b)) => receiver.pair(key, a, b),
                (Some(a), None) => receiver.alone(key, Side::First, a),
                (None, Some(b)) => receiver.alone(key, Side::Second, b),
                (None, None) => break,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use streamfold_model::ids::LocationRef;

    use super::super::block::Order;
    use super::super::lanes::{Lanes, Outgoing};
    use super::super::messages::End;
    use super::super::sorted::{Kept, Sorted};
    use super::*;

    /// Item put into a lane: its key, its location, its number, whether it is revoked later, and
    /// whether lanes are emptied behind it.
    type Put = (u32, u64, u64, bool, bool);

    fn end(location: u64, number: u64, bytes: u64) -> End {
        let location = LocationRef(location);
        let posted = Order { time: number / 3, location, number };
        // Some were complete at another location than that which posted them.
        let location = LocationRef(location.0 + bytes % 2);
        End { posted, time: number.wrapping_mul(977) % 64, location, number: number + 1, bytes }
    }

    /// Blocks of all that was put, location after location, and what of it stands, by key.
    fn put(all: &[Put]) -> (Sorted, BTreeMap<Key, Vec<End>>) {
        let (kept, mut expected) = (Kept::default(), BTreeMap::<Key, Vec<End>>::new());
        let mut outgoing = Outgoing::new(&kept);
        let mut lanes = Lanes::default();
        for (i, &(key, location, number, revoked, empty)) in all.iter().enumerate() {
            let (key, number) = (Key([key, 0, 0, 7]), number * 1000 + i as u64);
            let item = end(location, number, i as u64);
            lanes.push(key, item, &mut outgoing);
            if empty {
                lanes.empty(&mut outgoing);
            }
            match revoked {
                true => lanes.push(key, End { bytes: 0, ..item }, &mut outgoing),
                false => expected.entry(key).or_default().push(item),
            }
        }
        lanes.empty(&mut outgoing);
        outgoing.hand_over();
        expected.values_mut().for_each(|ends| ends.sort_by_key(|end| end.posted));
        (kept.sorted(), expected)
    }

    fn puts() -> impl Strategy<Value = Vec<Put>> {
        let one =
            (0u32..4, 0u64..3, 0u64..20, prop::bool::weighted(0.1), prop::bool::weighted(0.1));
        proptest::collection::vec(one, 0..200)
    }

    #[derive(Default)]
    struct Joined(Vec<(Key, Option<End>, Option<End>)>);

    impl Receiver<End> for Joined {
        fn pair(&mut self, key: Key, first: End, second: End) {
            self.0.push((key, Some(first), Some(second)));
        }

        fn alone(&mut self, key: Key, side: Side, end: End) {
            self.0.push(match side {
                Side::First => (key, Some(end), None),
                Side::Second => (key, None, Some(end)),
            });
        }
    }

    proptest! {
        /// However items were cut into blocks, and whatever was revoked.
        #[test]
        fn the_first_of_one_side_gets_the_first_of_the_other(first in puts(), second in puts()) {
            let ((first, mut sends), (second, mut receives)) = (put(&first), put(&second));
            let mut joined = Joined::default();
            join(first, second, &mut joined).unwrap();
            let mut keys: Vec<Key> = sends.keys().chain(receives.keys()).copied().collect();
            keys.sort_by_key(|key| (key.hash(), *key));
            keys.dedup();
            let mut expected = Vec::new();
            for key in keys {
                let sends = sends.remove(&key).unwrap_or_default();
                let receives = receives.remove(&key).unwrap_or_default();
                for i in 0..sends.len().max(receives.len()) {
                    expected.push((key, sends.get(i).copied(), receives.get(i).copied()));
                }
            }
            prop_assert_eq!(joined.0, expected);
        }

        #[test]
        fn lanes_that_are_longer_than_blocks_lose_nothing(many in 1000u64..5000, step in 1u64..4) {
            let all: Vec<Put> = (0..many).map(|i| (0, i % step, i, false, false)).collect();
            let (sorted, expected) = put(&all);
            let mut items = Items::<_, End>::new(sorted).unwrap();
            let key = items.key().unwrap();
            let mut found = Vec::new();
            while let Some(item) = items.next(key).unwrap() {
                found.push(item);
            }
            prop_assert_eq!(items.key(), None);
            prop_assert_eq!(&found, &expected[&key]);
        }
    }

    /// An end that nobody takes back.
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Lasting(End);

    impl Item for Lasting {
        fn order(&self) -> Order {
            self.0.order()
        }

        fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
            self.0.put(before.map(|before| &before.0), bytes);
        }

        fn take(before: Option<&Self>, at: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
            End::take(before.map(|before| &before.0), at, bytes).map(Lasting)
        }
    }

    /// A process that is in a group twice has two epochs with it that begin at one place.
    #[test]
    fn what_nobody_takes_back_may_be_there_twice() {
        let (kept, key) = (Kept::default(), Key([1, 2, 3, 4]));
        let (mut lanes, mut outgoing) = (Lanes::default(), Outgoing::new(&kept));
        let items = [end(0, 1, 5), end(0, 1, 5), end(0, 9, 5)].map(Lasting);
        items.iter().for_each(|item| lanes.push(key, *item, &mut outgoing));
        lanes.empty(&mut outgoing);
        outgoing.hand_over();
        let mut found = Items::<_, Lasting>::new(kept.sorted()).unwrap();
        let all = std::iter::from_fn(|| found.next(key).unwrap());
        assert_eq!(all.collect::<Vec<_>>(), items);
    }

    #[test]
    fn a_block_that_was_cut_is_an_error() {
        let (mut sorted, _) = put(&[(0, 0, 1, false, false), (0, 0, 2, false, false)]);
        let (mut head, mut bytes) = sorted.blocks.pop().unwrap();
        bytes.pop();
        head.bytes -= 1;
        let mut items = Items::<_, End>::new(Sorted::new(vec![(head, bytes)], usize::MAX)).unwrap();
        let key = items.key().unwrap();
        assert_eq!(items.next(key), Err(()));
    }
}
