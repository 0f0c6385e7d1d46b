//! Items of blocks, in the order of their keys and of what comes first.

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

    /// The next item of a key; `None` when there is no more. Where items can be
    /// [taken back](Item::REVOCABLE), those that were, and what took them back, are passed over: both
    /// have the same order.
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
        if (I::REVOCABLE && item.order() == order) || self.bound.is_none_or(|bound| bound <= order)
        {
            return None;
        }
        front.at += 1;
        Some(*item)
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
