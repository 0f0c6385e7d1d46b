//! Items by key and location, until they travel.

use streamfold_model::ids::LocationRef;

use super::block::{Blocks, Item, Key, Sink};
use super::recurring::Recurring;

/// A lane becomes a block when it has so many bytes: small enough for rounds in which every rank
/// sends one to every other, large enough that heads do not matter.
const BLOCK: usize = 4096;
/// If blocks of all lanes would exceed so many bytes, they are smaller.
const ALL: usize = 1 << 22;
/// Lanes of one location are emptied when there are so many, since each takes memory.
const MOST: usize = 1 << 14;
/// Blocks are handed over when they have so many bytes.
const HAND_OVER: usize = 1 << 18;

/// Items of one key that were not handed over yet.
#[derive(Debug)]
struct Lane<I> {
    first: I,
    last: I,
    bytes: Vec<u8>,
    /// Set if all came in their order.
    ordered: bool,
}

/// Items by key and location.
#[derive(Debug)]
pub(crate) struct Lanes<I> {
    /// All items of a lane are of one location, as those of a block.
    of: Recurring<(Key, LocationRef)>,
    /// Those of which all was handed over are none.
    lanes: Vec<(Key, Option<Lane<I>>)>,
    /// When a lane becomes a block, in bytes.
    block: usize,
}

/// Blocks on their way to a sink.
pub(crate) struct Outgoing<'s> {
    sink: &'s dyn Sink,
    blocks: Blocks,
}

impl<'s> Outgoing<'s> {
    pub(crate) fn new(sink: &'s dyn Sink) -> Self {
        Outgoing { sink, blocks: Blocks::default() }
    }

    fn push<I: Item>(&mut self, key: Key, lane: Lane<I>) {
        let lane = if lane.ordered { lane } else { lane.sorted() };
        self.blocks.push(key, lane.first.order(), &lane.bytes);
        if self.blocks.size() >= HAND_OVER {
            self.hand_over();
        }
    }

    /// Nothing stays here.
    pub(crate) fn hand_over(&mut self) {
        if !self.blocks.is_empty() {
            self.sink.take(&self.blocks);
            self.blocks.clear();
        }
    }
}

impl<I: Item> Lane<I> {
    fn new(first: I) -> Self {
        let mut bytes = Vec::with_capacity(32);
        first.put(None, &mut bytes);
        Lane { first, last: first, bytes, ordered: true }
    }

    fn push(&mut self, item: I) {
        self.ordered &= self.last.order() <= item.order();
        item.put(Some(&self.last), &mut self.bytes);
        self.last = item;
    }

    /// The same items in their order.
    fn sorted(self) -> Self {
        let location = self.first.order().location;
        let (mut rest, mut items) = (&self.bytes[..], Vec::new());
        while !rest.is_empty() {
            let item = I::take(items.last(), location, &mut rest).expect("as it was written");
            items.push(item);
        }
        // Stable: what revokes an item has its order, and stays behind it.
        items.sort_by_key(Item::order);
        let mut lane = Lane::new(items[0]);
        items[1..].iter().for_each(|item| lane.push(*item));
        lane
    }
}

impl<I> Default for Lanes<I> {
    fn default() -> Self {
        Lanes { of: Recurring::default(), lanes: Vec::new(), block: BLOCK }
    }
}

impl<I: Item> Lanes<I> {
    /// Adds an item.
    #[inline]
    pub(crate) fn push(&mut self, key: Key, item: I, outgoing: &mut Outgoing<'_>) {
        let place = self.place((key, item.order().location), outgoing);
        let lane = &mut self.lanes[place].1;
        match lane {
            Some(lane) => lane.push(item),
            None => *lane = Some(Lane::new(item)),
        }
        if let Some(full) = lane.take_if(|lane| lane.bytes.len() >= self.block) {
            outgoing.push(key, full);
        }
    }

    /// Returns the index of the lane of a key and location.
    #[inline]
    fn place(&mut self, of: (Key, LocationRef), outgoing: &mut Outgoing<'_>) -> usize {
        if let Some(place) = self.of.find(&of) {
            return place;
        }
        if self.lanes.len() >= MOST {
            self.empty(outgoing);
        }
        self.lanes.push((of.0, None));
        self.block = BLOCK.min(ALL / self.lanes.len());
        self.of.add(of)
    }

    /// No more are to come, or there is no room.
    pub(crate) fn empty(&mut self, outgoing: &mut Outgoing<'_>) {
        self.of.clear();
        self.block = BLOCK;
        for (key, lane) in self.lanes.drain(..) {
            if let Some(lane) = lane {
                outgoing.push(key, lane);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use streamfold_model::ids::LocationRef;

    use super::super::block::Order;
    use super::super::messages::End;
    use super::super::sorted::Kept;
    use super::*;

    #[test]
    fn many_lanes_take_no_more_memory_than_few() {
        let kept = Kept::default();
        let (mut lanes, mut outgoing) = (Lanes::<End>::default(), Outgoing::new(&kept));
        for number in 0..(MOST as u64 * 200) {
            let location = LocationRef(0);
            let posted = Order { time: number, location, number };
            let end = End { posted, time: number, location, number, bytes: 1 << 40 };
            lanes.push(Key([0, 0, 0, number as u32 % MOST as u32]), end, &mut outgoing);
        }
        let held = lanes.lanes.iter().filter_map(|(_, lane)| lane.as_ref());
        let held: usize = held.map(|lane| lane.bytes.capacity()).sum();
        assert!(lanes.lanes.len() == MOST && held < 3 * ALL, "{held}");
    }
}
