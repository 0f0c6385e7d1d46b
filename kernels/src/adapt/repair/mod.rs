//! Repair of enters and leaves that do not fit: `profile` R15b to R15f.

mod order;
mod scan;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;
use streamfold_model::stream::StreamSummary;

pub use order::Finder;
pub use scan::RepairedScan;

use super::LocalReferences;
use crate::{Kernel, Window, WindowKernel};

/// How many enters and leaves of a location were repaired, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Enters and leaves that stood in the wrong order at one time.
    pub reordered: u64,
    /// Visits without duration whose leave stood before their enter.
    pub instants: u64,
    /// Leaves that named another region than the innermost visit, which they ended.
    pub renamed: u64,
}

/// Reads a location for a [`Finder`]. `None`: nothing of it is to be repaired.
pub type FindRepairs<'a> = dyn Fn(LocationRef) -> Option<Finder> + Sync + 'a;

/// The treatment of leaves of another region than that of the innermost visit.
#[derive(Clone, Copy)]
pub enum Rule<'a> {
    /// Those at one time are put in order.
    Order(&'a FindRepairs<'a>),
    /// The innermost visit ends, independent of the region that they name.
    Tolerant,
}

/// A kernel that gets enters and leaves as they are to be read.
pub struct Repaired<'k, K> {
    kernel: &'k K,
    rule: Rule<'k>,
}

/// A worker of such a kernel.
#[derive(Debug)]
pub struct RepairedWorker<W> {
    worker: W,
    repaired: BTreeMap<LocationRef, Counts>,
}

/// The partial result of a kernel, and the repairs before it by location, for locations that have any.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RepairedPartial<P> {
    /// The partial result of the kernel.
    pub partial: P,
    /// Numbers of repairs.
    pub repaired: BTreeMap<LocationRef, Counts>,
}

impl<'k, K: Kernel> Repaired<'k, K> {
    /// Puts a rule in front of a kernel.
    pub fn new(kernel: &'k K, rule: Rule<'k>) -> Self {
        Repaired { kernel, rule }
    }

    /// The scan of a location, or of what is before a window.
    fn repair<'w, S>(
        &self,
        worker: &'w mut RepairedWorker<K::Worker>,
        location: LocationRef,
        scan: impl FnOnce(&'w mut K::Worker) -> S,
    ) -> RepairedScan<'w, S> {
        let RepairedWorker { worker, repaired } = worker;
        let repairs = match self.rule {
            Rule::Order(find) => find(location).map(Finder::end),
            Rule::Tolerant => None,
        };
        let (repairs, counts) = repairs.unwrap_or_default();
        if counts != Counts::default() {
            repaired.insert(location, counts);
        }
        let is_tolerant = matches!(self.rule, Rule::Tolerant);
        RepairedScan::new(scan(worker), repairs, is_tolerant, repaired)
    }
}

impl<K: Kernel> Kernel for Repaired<'_, K> {
    type Worker = RepairedWorker<K::Worker>;
    type Scan<'w>
        = RepairedScan<'w, K::Scan<'w>>
    where
        Self: 'w;
    type Partial = RepairedPartial<K::Partial>;

    fn worker(&self) -> Self::Worker {
        RepairedWorker { worker: self.kernel.worker(), repaired: BTreeMap::new() }
    }

    fn meet(&self, worker: &mut Self::Worker, local: LocalReferences) {
        self.kernel.meet(&mut worker.worker, local);
    }

    fn scan<'w>(&'w self, worker: &'w mut Self::Worker, location: LocationRef) -> Self::Scan<'w> {
        self.repair(worker, location, |worker| self.kernel.scan(worker, location))
    }

    fn end<'w>(&'w self, scan: Self::Scan<'w>, summary: &StreamSummary) {
        self.kernel.end(scan.end(), summary);
    }

    fn partial(&self, worker: Self::Worker) -> Self::Partial {
        let RepairedWorker { worker, repaired } = worker;
        RepairedPartial { partial: self.kernel.partial(worker), repaired }
    }

    fn fold(&self, into: Self::Partial, other: Self::Partial) -> Self::Partial {
        let mut repaired = into.repaired;
        repaired.extend(other.repaired);
        RepairedPartial { partial: self.kernel.fold(into.partial, other.partial), repaired }
    }
}

impl<K: WindowKernel> WindowKernel for Repaired<'_, K> {
    type Before<'w>
        = RepairedScan<'w, K::Before<'w>>
    where
        Self: 'w;

    fn before<'w>(
        &'w self,
        worker: &'w mut Self::Worker,
        location: LocationRef,
        window: Window,
    ) -> Self::Before<'w> {
        self.repair(worker, location, |worker| self.kernel.before(worker, location, window))
    }

    fn begin_window<'w>(&'w self, before: Self::Before<'w>) -> Self::Scan<'w> {
        before.map(|before| self.kernel.begin_window(before))
    }

    fn end_before_window<'w>(&'w self, before: Self::Before<'w>) {
        self.kernel.end_before_window(before.end());
    }

    /// Repairs depend on events before a snapshot.
    fn takes_snapshots(&self) -> bool {
        false
    }

    fn is_sure<'w>(&'w self, _: &Self::Scan<'w>, _ended: bool) -> bool {
        true
    }

    fn discard<'w>(&'w self, scan: Self::Scan<'w>) {
        self.kernel.discard(scan.end());
    }

    fn end_window<'w>(&'w self, scan: Self::Scan<'w>, summary: &StreamSummary) {
        self.kernel.end_window(scan.end(), summary);
    }
}
