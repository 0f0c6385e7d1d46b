//! Blocks in memory, for tests.

use std::cmp::Reverse;
use std::sync::Mutex;

use super::block::{BlockHead, Blocks, Sink, Source};

/// Keeps all blocks.
#[derive(Default)]
pub(crate) struct Kept(Mutex<Blocks>);

impl Sink for Kept {
    fn take(&self, blocks: &Blocks) {
        self.0.lock().unwrap().append(blocks);
    }
}

/// Blocks from memory, in their order.
pub(crate) struct Sorted {
    pub blocks: Vec<(BlockHead, Vec<u8>)>,
    aside: Vec<u8>,
    pub room: usize,
}

impl Sorted {
    pub(crate) fn new(blocks: Vec<(BlockHead, Vec<u8>)>, room: usize) -> Self {
        Sorted { blocks, aside: Vec::new(), room }
    }
}

impl Kept {
    pub(crate) fn sorted(self) -> Sorted {
        let blocks = self.0.into_inner().unwrap();
        let mut all: Vec<_> = blocks.iter().map(|(head, items)| (*head, items.to_vec())).collect();
        all.sort_by_key(|(head, _)| Reverse(head.place()));
        Sorted::new(all, usize::MAX)
    }
}

impl Source for Sorted {
    type Error = ();

    fn next(&mut self) -> Result<Option<(BlockHead, Vec<u8>)>, ()> {
        Ok(self.blocks.pop())
    }

    fn broken(&self) {}

    fn room(&self) -> usize {
        self.room
    }

    fn put_aside(&mut self, bytes: &[u8]) -> Result<u64, ()> {
        self.aside.extend_from_slice(bytes);
        Ok((self.aside.len() - bytes.len()) as u64)
    }

    fn bring_back(&mut self, begin: u64, bytes: &mut [u8]) -> Result<(), ()> {
        let from = self.aside.get(begin as usize..).and_then(|rest| rest.get(..bytes.len()));
        bytes.copy_from_slice(from.ok_or(())?);
        Ok(())
    }

    fn forget_aside(&mut self) -> Result<(), ()> {
        self.aside.clear();
        Ok(())
    }
}
