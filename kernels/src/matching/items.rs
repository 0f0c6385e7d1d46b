//! Items of blocks, in the order of their keys and of what comes first.

use std::cmp::Reverse;
use std::collections::binary_heap::{BinaryHeap, PeekMut};

use streamfold_model::ids::LocationRef;

use super::block::{BlockHead, Item, Key, Order, Source};
use super::opened::{Opened, Passed, PuttingAside};

/// Number of blocks that are open at a time whatever room there is: fewer would be put aside again and again.
const LEAST_OPEN: usize = 16;
/// Nothing comes behind this.
const LAST: Order = Order { time: u64::MAX, location: LocationRef(u64::MAX), number: u64::MAX };

/// K-way merge of the items of all keys, one key after another. It holds the blocks of one key whose ranges overlap: as
/// a rule one for each location of a process. If these exceed the memory, their items are merged into a run, which is
/// put aside and read back in small pieces.
pub struct Items<S, I> {
    source: S,
    next: Option<(BlockHead, Vec<u8>)>,
    key: Key,
    /// The one whose first item is first of all.
    front: Option<Opened<I>>,
    others: BinaryHeap<Reverse<Opened<I>>>,
    /// Items of the front that come before this come before all others. `None`: that is to be found out.
    bound: Option<Order>,
    /// The memory that all open ones take, in bytes.
    size: usize,
    /// Set if items were put aside.
    has_aside: bool,
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
        Ok(Items { source, next, key, front, others, bound, size: 0, has_aside: false })
    }

    /// The key of the next item; `None` at the end.
    pub fn key(&self) -> Option<Key> {
        match &self.front {
            Some(_) => Some(self.key),
            None => self.next.as_ref().map(|(head, _)| head.key),
        }
    }

    /// The next item of a key; `None` when there is no more. If items can be [taken back](Item::REVOCABLE), revoked
    /// items and those that revoke them are passed over: both have the same order.
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
        let [item, following] = front.two()?;
        let order = following.order();
        if (I::REVOCABLE && item.order() == order) || self.bound.is_none_or(|bound| bound <= order)
        {
            return None;
        }
        let item = *item;
        front.pass_in_batch();
        Some(item)
    }

    #[inline(never)]
    fn next_of_any(&mut self, key: Key) -> Result<Option<I>, S::Error> {
        if !I::REVOCABLE {
            return self.next_of_all(key);
        }
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
        if front.pass(&mut self.source)? == Passed::Last {
            self.size -= front.size();
            self.front = self.others.pop().map(|Reverse(opened)| opened);
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
            let first = self.front.as_ref().map(Opened::order);
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
        if self.front.is_none() && self.has_aside {
            self.source.forget_aside()?;
            self.has_aside = false;
        }
        let opened = Opened::block(&head, bytes, &mut self.source)?;
        self.size += opened.size();
        match &mut self.front {
            // Of equal ones the first that came comes first.
            Some(front) if front.order() <= opened.order() => self.others.push(Reverse(opened)),
            Some(front) => self.others.push(Reverse(std::mem::replace(front, opened))),
            none => *none = Some(opened),
        }
        (self.key, self.bound) = (key, None);
        self.next = self.source.next()?;
        if self.size > self.source.room() && self.others.len() >= LEAST_OPEN {
            self.put_aside()?;
        }
        Ok(())
    }

    /// Makes one run of many that are open: of those that were put aside equally often, so that no item is
    /// again and again.
    fn put_aside(&mut self) -> Result<(), S::Error> {
        let mut open: Vec<_> = self.others.drain().map(|Reverse(opened)| opened).collect();
        open.extend(self.front.take());
        let level = most_frequent(open.iter().map(Opened::level));
        let (taken, others): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|opened| level.is_none_or(|level| opened.level() == level));
        self.others = others.into_iter().map(Reverse).collect();
        if let Some(run) = self.merged(taken)? {
            self.others.push(Reverse(run));
        }
        self.size = self.others.iter().map(|Reverse(opened)| opened.size()).sum();
        self.front = self.others.pop().map(|Reverse(opened)| opened);
        self.has_aside = true;
        Ok(())
    }

    /// One run of several.
    fn merged(&mut self, open: Vec<Opened<I>>) -> Result<Option<Opened<I>>, S::Error> {
        let level = open.iter().map(Opened::level).max().unwrap_or(0) + 1;
        let mut open: BinaryHeap<_> = open.into_iter().map(Reverse).collect();
        let mut run: Option<PuttingAside<I>> = None;
        while let Some(mut first) = open.peek_mut() {
            let item = *first.0.item();
            if first.0.pass(&mut self.source)? == Passed::Last {
                PeekMut::pop(first);
            }
            match &mut run {
                Some(run) => run.push(item, &mut self.source)?,
                none => *none = Some(PuttingAside::new(item)),
            }
        }
        run.map(|run| run.end(level, &mut self.source)).transpose()
    }
}

/// The level that most have, the lowest of several; `None` where no two have one.
fn most_frequent(levels: impl Iterator<Item = u32>) -> Option<u32> {
    let mut levels: Vec<u32> = levels.collect();
    levels.sort_unstable();
    let runs = levels.chunk_by(|a, b| a == b);
    let most = runs.rev().max_by_key(|run| run.len()).filter(|run| run.len() > 1)?;
    most.first().copied()
}

#[cfg(test)]
mod tests {
    use super::super::block::Blocks;
    use super::super::lanes::{Lanes, Outgoing};
    use super::super::messages::End;
    use super::super::sorted::{Kept, Sorted};
    use super::*;
    use crate::matching::Sink;

    /// Items of one key, few in each block, in an order that is not theirs.
    fn scattered(key: Key, locations: u64, count: u64, kept: &Kept) -> Vec<End> {
        let end = |number: u64| {
            let location = LocationRef(number % locations);
            let posted = Order { time: number / 3, location, number };
            End { posted, time: number, location, number, bytes: number * number }
        };
        let mut all: Vec<End> = (0..count).map(|i| end(i * 7919 % count)).collect();
        let (mut lanes, mut outgoing) = (Lanes::default(), Outgoing::new(kept));
        // Two or so to a block: of all times.
        for (place, item) in (1..).zip(&all) {
            lanes.push(key, *item, &mut outgoing);
            if place % (2 * locations) == 0 {
                lanes.empty(&mut outgoing);
            }
        }
        lanes.empty(&mut outgoing);
        outgoing.hand_over();
        all.sort_by_key(Item::order);
        all
    }

    /// All items of all keys, and the most memory that was taken.
    fn read(sorted: Sorted) -> (Vec<(Key, End)>, usize) {
        let mut items = Items::<_, End>::new(sorted).unwrap();
        let (mut found, mut most) = (Vec::new(), 0);
        while let Some(key) = items.key() {
            while let Some(item) = items.next(key).unwrap() {
                found.push((key, item));
                most = most.max(items.size);
            }
        }
        (found, most)
    }

    #[test]
    fn blocks_that_lie_between_each_other_take_little_memory() {
        let keys = [Key([1, 2, 3, 4]), Key([4, 3, 2, 1])];
        for locations in [1, 5] {
            let kept = Kept::default();
            let mut expected: Vec<(Key, End)> = Vec::new();
            let mut in_order = keys;
            in_order.sort_by_key(|key| key.hash());
            for key in in_order {
                let all = scattered(key, locations, 20_011, &kept);
                expected.extend(all.into_iter().map(|item| (key, item)));
            }
            let blocks = kept.sorted().blocks;
            let (found, whole) = read(Sorted::new(blocks.clone(), usize::MAX));
            assert_eq!(found, expected);
            for room in [0, 20_000, 100_000] {
                let (found, most) = read(Sorted::new(blocks.clone(), room));
                assert_eq!(found, expected, "{locations} locations, {room} bytes");
                let least = LEAST_OPEN * (10_000 + size_of::<End>() * 64);
                assert!(most <= room.max(least) + 5000, "{most} of {whole} bytes, {room} of room");
                assert!(2 * most < whole, "{most} of {whole} bytes");
            }
        }
    }

    #[test]
    fn what_is_revoked_is_so_wherever_it_was_put_meanwhile() {
        let (kept, key) = (Kept::default(), Key([1, 2, 3, 4]));
        let mut expected = scattered(key, 1, 5003, &kept);
        let mut blocks = Blocks::default();
        expected.retain(|item| {
            let is_revoked = item.number % 3 == 0;
            if is_revoked {
                let mut bytes = Vec::new();
                End { bytes: 0, ..*item }.put(None, &mut bytes);
                blocks.push(key, item.order(), &bytes);
            }
            !is_revoked
        });
        kept.take(&blocks);
        let (found, _) = read(Sorted::new(kept.sorted().blocks, 0));
        assert_eq!(found.into_iter().map(|(_, item)| item).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_cannot_be_put_aside_is_an_error() {
        struct Full(Sorted);

        impl Source for Full {
            type Error = &'static str;

            fn next(&mut self) -> Result<Option<(BlockHead, Vec<u8>)>, &'static str> {
                Ok(self.0.blocks.pop())
            }

            fn broken(&self) -> &'static str {
                "broken"
            }

            fn room(&self) -> usize {
                0
            }

            fn put_aside(&mut self, _: &[u8]) -> Result<u64, &'static str> {
                Err("full")
            }

            fn bring_back(&mut self, _: u64, _: &mut [u8]) -> Result<(), &'static str> {
                Err("not there")
            }

            fn forget_aside(&mut self) -> Result<(), &'static str> {
                Ok(())
            }
        }

        let (kept, key) = (Kept::default(), Key([1, 2, 3, 4]));
        scattered(key, 1, 5003, &kept);
        let mut items = Items::<_, End>::new(Full(kept.sorted())).unwrap();
        let failed = std::iter::from_fn(|| items.next(key).transpose()).find_map(Result::err);
        assert_eq!(failed, Some("full"));
    }
}
