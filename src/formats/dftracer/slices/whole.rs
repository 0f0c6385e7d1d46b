//! Facts about calls that only the whole file tells.

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::call::Op;

/// Calls of which the bytes that they copy are remembered. The copies of others have unknown bytes.
const SIZES: usize = 1 << 20;

/// Facts that only the whole file tells.
#[derive(Default)]
pub(in crate::dftracer) struct Whole {
    /// The bytes that calls copy, by correlation, where the copies themselves do not say so. `None`: calls disagree.
    sizes: IndexMap<u64, Option<u64>, RandomState>,
    /// Set if streams have work without correlation, but with the number of its operation.
    pub has_external: bool,
}

impl Whole {
    /// Takes the bytes that a call copies.
    pub(in crate::dftracer) fn size(&mut self, correlation: u64, bytes: u64) {
        self.take(correlation, Some(bytes));
    }

    fn take(&mut self, correlation: u64, bytes: Option<u64>) {
        if self.sizes.len() >= SIZES && !self.sizes.contains_key(&correlation) {
            return;
        }
        let known = self.sizes.entry(correlation).or_insert(bytes);
        *known = known.filter(|known| bytes == Some(*known));
    }

    /// Adds the facts of the next block.
    pub(in crate::dftracer) fn fold(&mut self, block: Whole) {
        self.has_external |= block.has_external;
        block.sizes.into_iter().for_each(|(correlation, bytes)| self.take(correlation, bytes));
    }

    /// The operation as the whole file tells it.
    pub(super) fn told(&self, op: Op) -> Op {
        match op {
            Op::UnsizedCopy(way, correlation) => {
                match self.sizes.get(&correlation).copied().flatten() {
                    Some(bytes) => Op::Copy(way, bytes, Some(correlation)),
                    None => Op::Linked(correlation),
                }
            }
            Op::External(_) if !self.has_external => Op::Other,
            op => op,
        }
    }
}
