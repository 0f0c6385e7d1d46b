//! Blocks of which some items were taken, and runs of items that were put aside.

use std::ops::Range;

use streamfold_model::ids::LocationRef;

use super::block::{put, take, BlockHead, Item, Order, Source};

/// Number of items that are read at a time.
const BATCH: usize = 32;
/// Items that are put aside come back in pieces of about so many bytes.
const PIECE: usize = 4096;
/// A piece begins with the number of its bytes.
const LENGTH: usize = size_of::<u32>();

/// A block, or a run of items that several of them had, of which some were not taken yet.
pub(super) struct Opened<I> {
    /// Those that were read; never empty.
    batch: Vec<I>,
    /// Index of the first of them that was not taken.
    at: usize,
    bytes: Vec<u8>,
    /// Number of the bytes that were read.
    read: usize,
    /// Of a run: what was put aside of it, and not brought back yet. Its items tell their locations.
    aside: Option<Range<u64>>,
    /// How often its items were put aside.
    level: u32,
}

impl<I: Item> Opened<I> {
    /// A block.
    ///
    /// # Errors
    ///
    /// When it does not hold what its head says.
    pub(super) fn block<S: Source>(
        head: &BlockHead,
        bytes: Vec<u8>,
        source: &mut S,
    ) -> Result<Self, S::Error> {
        let mut rest = &bytes[..];
        let first = I::take(None, head.first.location, &mut rest);
        let first = first.ok_or_else(|| source.broken())?;
        let read = bytes.len() - rest.len();
        let mut batch = Vec::with_capacity(BATCH.min(1 + rest.len()));
        batch.push(first);
        let mut opened = Opened { batch, at: 0, bytes, read, aside: None, level: 0 };
        opened.fill().ok_or_else(|| source.broken())?;
        Ok(opened)
    }

    /// The first item that was not taken.
    pub(super) fn item(&self) -> &I {
        &self.batch[self.at]
    }

    /// Returns the place of that item in the order.
    pub(super) fn order(&self) -> Order {
        self.item().order()
    }

    /// That item, and the one behind it, where it was read already.
    #[inline(always)]
    pub(super) fn two(&self) -> Option<&[I; 2]> {
        self.batch.get(self.at..)?.first_chunk()
    }

    /// The first item was taken, and another one was read already.
    #[inline(always)]
    pub(super) fn pass_in_batch(&mut self) {
        self.at += 1;
    }

    /// Goes to the next item, which need not be there: then this one stays.
    ///
    /// # Errors
    ///
    /// When what is read is broken, or cannot be read.
    pub(super) fn pass<S: Source>(&mut self, source: &mut S) -> Result<Passed, S::Error> {
        if self.at + 1 == self.batch.len() {
            if self.read == self.bytes.len() && !self.bring_back(source)? {
                return Ok(Passed::Last);
            }
            let last = *self.item();
            self.batch.clear();
            self.batch.push(last);
            self.at = 0;
            self.fill().ok_or_else(|| source.broken())?;
        }
        self.at += 1;
        Ok(Passed::More)
    }

    /// How often its items were put aside.
    pub(super) fn level(&self) -> u32 {
        self.level
    }

    /// The memory that it takes, in bytes; that does not change.
    pub(super) fn size(&self) -> usize {
        let bytes = if self.aside.is_some() { PIECE } else { self.bytes.len() };
        size_of::<Self>() + bytes + self.batch.capacity() * size_of::<I>()
    }

    /// Reads what follows the last one, up to a whole batch; `None` where it is broken.
    fn fill(&mut self) -> Option<()> {
        let mut last = *self.batch.last()?;
        let mut rest = &self.bytes[self.read..];
        while !rest.is_empty() && self.batch.len() < BATCH {
            last = match self.aside {
                Some(_) => take_any(&last, &mut rest)?,
                None => I::take(Some(&last), last.order().location, &mut rest)?,
            };
            self.batch.push(last);
        }
        self.read = self.bytes.len() - rest.len();
        Some(())
    }

    /// Brings back the next piece of a run; returns whether there was one.
    fn bring_back<S: Source>(&mut self, source: &mut S) -> Result<bool, S::Error> {
        let Some(aside) = self.aside.as_mut().filter(|aside| !aside.is_empty()) else {
            return Ok(false);
        };
        let mut length = [0; LENGTH];
        source.bring_back(aside.start, &mut length)?;
        let begin = aside.start + LENGTH as u64;
        let length = u32::from_le_bytes(length);
        self.bytes.resize(length as usize, 0);
        source.bring_back(begin, &mut self.bytes)?;
        (aside.start, self.read) = (begin + u64::from(length), 0);
        Ok(true)
    }
}

/// Result of a step: there is a next item, or not.
#[derive(PartialEq, Eq)]
pub(super) enum Passed {
    More,
    Last,
}

impl<I: Item> PartialEq for Opened<I> {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl<I: Item> Eq for Opened<I> {}

impl<I: Item> PartialOrd for Opened<I> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<I: Item> Ord for Opened<I> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.order().cmp(&other.order())
    }
}

/// A run that is put aside, item by item.
pub(super) struct PuttingAside<I> {
    first: I,
    last: I,
    piece: Vec<u8>,
    aside: Option<Range<u64>>,
}

impl<I: Item> PuttingAside<I> {
    /// The first item of it.
    pub(super) fn new(first: I) -> Self {
        PuttingAside { first, last: first, piece: vec![0; LENGTH], aside: None }
    }

    /// Adds another one, which does not come before those that it has.
    ///
    /// # Errors
    ///
    /// When it cannot be put aside.
    pub(super) fn push<S: Source>(&mut self, item: I, source: &mut S) -> Result<(), S::Error> {
        put_any(&self.last, &item, &mut self.piece);
        self.last = item;
        if self.piece.len() < PIECE {
            return Ok(());
        }
        self.end_piece(source)
    }

    /// The run, to be taken from its begin.
    ///
    /// # Errors
    ///
    /// When it cannot be put aside.
    pub(super) fn end<S: Source>(
        mut self,
        level: u32,
        source: &mut S,
    ) -> Result<Opened<I>, S::Error> {
        if self.piece.len() > LENGTH {
            self.end_piece(source)?;
        }
        let mut batch = Vec::with_capacity(BATCH);
        batch.push(self.first);
        let aside = Some(self.aside.unwrap_or(0..0));
        Ok(Opened { batch, at: 0, bytes: Vec::new(), read: 0, aside, level })
    }

    fn end_piece<S: Source>(&mut self, source: &mut S) -> Result<(), S::Error> {
        let length = u32::try_from(self.piece.len() - LENGTH).expect("pieces are small");
        self.piece[..LENGTH].copy_from_slice(&length.to_le_bytes());
        let begin = source.put_aside(&self.piece)?;
        let end = begin + self.piece.len() as u64;
        // Pieces that are put aside lie one behind the other.
        self.aside.get_or_insert(begin..end).end = end;
        self.piece.truncate(LENGTH);
        Ok(())
    }
}

/// Writes an item of any location behind another one.
fn put_any<I: Item>(before: &I, item: &I, bytes: &mut Vec<u8>) {
    let LocationRef(location) = item.order().location;
    let same = before.order().location == item.order().location;
    put((!same).into(), bytes);
    if !same {
        put(location, bytes);
    }
    item.put(same.then_some(before), bytes);
}

/// Reads what [`put_any`] has written.
fn take_any<I: Item>(before: &I, bytes: &mut &[u8]) -> Option<I> {
    match take(bytes)? {
        0 => I::take(Some(before), before.order().location, bytes),
        _ => {
            let location = LocationRef(take(bytes)?);
            I::take(None, location, bytes)
        }
    }
}
