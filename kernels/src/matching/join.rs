//! Both sides of each key, in their order.

use std::cmp::Reverse;
use std::collections::binary_heap::{BinaryHeap, PeekMut};

use streamfold_model::ids::LocationRef;

use super::block::{BlockHead, Item, Key, Order};

/// Blocks in the order of their places, see [`BlockHead::place`].
pub trait Source {
    /// What can go wrong with it.
    type Error;

    /// The next block. It is taken by whoever asks.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    fn next(&mut self) -> Result<Option<(BlockHead, Vec<u8>)>, Self::Error>;

    /// What to say of a block that does not hold what its head says.
    fn broken(&self) -> Self::Error;
}

/// So many items of a block are read at a time.
const BATCH: usize = 32;
/// Nothing comes behind this.
const LAST: Order = Order { time: u64::MAX, location: LocationRef(u64::MAX), number: u64::MAX };

/// A block of which some items were not taken yet.
struct Open<I> {
    /// Those that were read; never empty.
    batch: Vec<I>,
    /// Which of them is the first that was not taken.
    at: usize,
    bytes: Vec<u8>,
    /// So many of the bytes were read.
    read: usize,
}

impl<I: Item> Open<I> {
    /// `None`: it does not hold what its head says.
    fn new(head: &BlockHead, bytes: Vec<u8>) -> Option<Self> {
        let mut rest = &bytes[..];
        let first = I::take(None, head.first.location, &mut rest)?;
        let read = bytes.len() - rest.len();
        let mut batch = Vec::with_capacity(BATCH.min(1 + rest.len()));
        batch.push(first);
        let mut open = Open { batch, at: 0, bytes, read };
        open.read_on()?;
        Some(open)
    }

    fn item(&self) -> &I {
        &self.batch[self.at]
    }

    fn order(&self) -> Order {
        self.item().order()
    }

    /// Reads what follows the last one, up to a whole batch.
    fn read_on(&mut self) -> Option<()> {
        let mut last = *self.batch.last()?;
        let mut rest = &self.bytes[self.read..];
        while !rest.is_empty() && self.batch.len() < BATCH {
            last = I::take(Some(&last), last.order().location, &mut rest)?;
            self.batch.push(last);
        }
        self.read = self.bytes.len() - rest.len();
        Some(())
    }

    /// Goes to the next item, which need not be there: then this one stays. `None`: it is broken.
    fn pass(&mut self) -> Option<Passed> {
        if self.at + 1 == self.batch.len() {
            if self.read == self.bytes.len() {
                return Some(Passed::Last);
            }
            let last = *self.item();
            self.batch.clear();
            self.batch.push(last);
            self.at = 0;
            self.read_on()?;
        }
        self.at += 1;
        Some(Passed::More)
    }
}

/// Whether there was a next item.
#[derive(PartialEq, Eq)]
enum Passed {
    More,
    Last,
}

impl<I: Item> PartialEq for Open<I> {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl<I: Item> Eq for Open<I> {}

impl<I: Item> PartialOrd for Open<I> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<I: Item> Ord for Open<I> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.order().cmp(&other.order())
    }
}

/// The items of all keys, one key after another. What it holds at a time are the blocks of one key
/// whose items lie between each other: one for each location of a process, as a rule.
pub struct Items<S, I> {
    source: S,
    next: Option<(BlockHead, Vec<u8>)>,
    key: Key,
    /// The one whose first item is first of all.
    front: Option<Open<I>>,
    others: BinaryHeap<Reverse<Open<I>>>,
    /// Items of the front that come before this come before all others. `None`: that is to be found out.
    bound: Option<Order>,
}

impl<S: Source, I: Item> Items<S, I> {
    /// Of these blocks.
    ///
    /// # Errors
    ///
    /// When the first cannot be read.
    pub fn new(mut source: S) -> Result<Self, S::Error> {
        let next = source.next()?;
        let (key, front, others, bound) = (Key::default(), None, BinaryHeap::new(), None);
        Ok(Items { source, next, key, front, others, bound })
    }

    /// The key of the next item; `None` at the end.
    pub fn key(&self) -> Option<Key> {
        match &self.front {
            Some(_) => Some(self.key),
            None => self.next.as_ref().map(|(head, _)| head.key),
        }
    }

    /// The next item of a key; `None` when there is no more. Items that were revoked, and what
    /// revokes them, are passed over: both have the same order.
    ///
    /// # Errors
    ///
    /// When a block cannot be read.
    #[inline]
    pub fn next(&mut self, key: Key) -> Result<Option<I>, S::Error> {
        match self.next_of_front(key) {
            Some(item) => Ok(Some(item)),
            None => self.next_of_any(key),
        }
    }

    /// The same where two items of the block in front come before those of all others, which is so for
    /// most.
    #[inline(always)]
    fn next_of_front(&mut self, key: Key) -> Option<I> {
        let front = self.front.as_mut().filter(|_| self.key == key)?;
        let [item, following] = front.batch.get(front.at..)?.first_chunk()?;
        let order = following.order();
        if item.order() == order || self.bound.is_none_or(|bound| bound <= order) {
            return None;
        }
        front.at += 1;
        Some(*item)
    }

    #[inline(never)]
    fn next_of_any(&mut self, key: Key) -> Result<Option<I>, S::Error> {
        while let Some(item) = self.next_of_all(key)? {
            self.settle(key)?;
            let following = self.front.as_ref().filter(|_| self.key == key);
            if following.is_none_or(|front| front.order() != item.order()) {
                return Ok(Some(item));
            }
            self.next_of_all(key)?;
        }
        Ok(None)
    }

    /// The next item of a key, revoked or not: where nothing is revoked.
    ///
    /// # Errors
    ///
    /// When a block cannot be read.
    pub fn next_of_all(&mut self, key: Key) -> Result<Option<I>, S::Error> {
        self.settle(key)?;
        let Some(front) = self.front.as_mut().filter(|_| self.key == key) else { return Ok(None) };
        let item = *front.item();
        let passed = front.pass().ok_or_else(|| self.source.broken())?;
        if passed == Passed::Last {
            self.front = self.others.pop().map(|Reverse(open)| open);
            self.bound = None;
            self.settle(key)?;
        }
        Ok(Some(item))
    }

    /// Opens blocks of a key until the first item of the one in front is the first of all.
    fn settle(&mut self, key: Key) -> Result<(), S::Error> {
        if self.front.is_some() && self.key != key {
            return Ok(());
        }
        loop {
            let first = self.front.as_ref().map(Open::order);
            if first.is_some_and(|first| self.bound.is_some_and(|bound| first < bound)) {
                return Ok(());
            }
            let next = self.next.as_ref().map(|(head, _)| head).filter(|head| head.key == key);
            let next = next.map(|head| head.first);
            let other = self.others.peek().map(|Reverse(other)| other.order());
            if next.is_some_and(|next| first.is_none_or(|first| next <= first)) {
                self.open_next(key)?;
            } else if other.is_some_and(|other| first.is_none_or(|first| other < first)) {
                self.change_front();
            } else {
                self.bound = Some(next.into_iter().chain(other).fold(LAST, Order::min));
                return Ok(());
            }
        }
    }

    /// The first of the others comes to the front.
    fn change_front(&mut self) {
        let Some(mut first) = self.others.peek_mut() else { return };
        match &mut self.front {
            Some(front) => std::mem::swap(front, &mut first.0),
            None => self.front = Some(PeekMut::pop(first).0),
        }
    }

    fn open_next(&mut self, key: Key) -> Result<(), S::Error> {
        let Some((head, bytes)) = self.next.take() else { return Ok(()) };
        let open = Open::new(&head, bytes).ok_or_else(|| self.source.broken())?;
        match &mut self.front {
            // Of equal ones the first that came comes first.
            Some(front) if front.order() <= open.order() => self.others.push(Reverse(open)),
            Some(front) => self.others.push(Reverse(std::mem::replace(front, open))),
            none => *none = Some(open),
        }
        (self.key, self.bound) = (key, None);
        self.next = self.source.next()?;
        Ok(())
    }
}

/// Receives what belongs together.
pub trait Receiver<I> {
    /// Both sides of a key, in their order: the first of one with the first of the other.
    fn pair(&mut self, key: Key, first: I, second: I);

    /// What has no other side.
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
    use std::sync::Mutex;

    use proptest::prelude::*;
    use streamfold_model::ids::LocationRef;

    use super::super::block::{Blocks, Sink};
    use super::super::lanes::{Lanes, Outgoing};
    use super::super::messages::End;
    use super::*;

    /// Keeps all blocks.
    #[derive(Default)]
    struct Kept(Mutex<Blocks>);

    impl Sink for Kept {
        fn take(&self, blocks: &Blocks) {
            self.0.lock().unwrap().append(blocks);
        }
    }

    /// Blocks from memory, in their order.
    struct Sorted(Vec<(BlockHead, Vec<u8>)>);

    impl Kept {
        fn sorted(self) -> Sorted {
            let blocks = self.0.into_inner().unwrap();
            let mut all: Vec<_> =
                blocks.iter().map(|(head, items)| (*head, items.to_vec())).collect();
            all.sort_by_key(|(head, _)| Reverse(head.place()));
            Sorted(all)
        }
    }

    impl Source for Sorted {
        type Error = ();

        fn next(&mut self) -> Result<Option<(BlockHead, Vec<u8>)>, ()> {
            Ok(self.0.pop())
        }

        fn broken(&self) {}
    }

    /// What was put into a lane: which key, in which location, when it was posted, whether it is
    /// revoked later, and whether lanes are emptied behind it.
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

    #[test]
    fn a_block_that_was_cut_is_an_error() {
        let (mut sorted, _) = put(&[(0, 0, 1, false, false), (0, 0, 2, false, false)]);
        let (mut head, mut bytes) = sorted.0.pop().unwrap();
        bytes.pop();
        head.bytes -= 1;
        let mut items = Items::<_, End>::new(Sorted(vec![(head, bytes)])).unwrap();
        let key = items.key().unwrap();
        assert_eq!(items.next(key), Err(()));
    }
}
