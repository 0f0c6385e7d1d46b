//! Adapters between events and kernels: global references, enters and leaves by calling context, chosen regions, and
//! windows of time. The author of a kernel need not think of them.

mod references;
pub mod repair;
mod scan;

use std::collections::HashSet;

use foldhash::fast::RandomState;
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::stream::StreamSummary;

pub use references::{ContextRegions, LocalReferences, OwnContents, References};
use scan::Clip;
pub use scan::{AdaptedScan, BeforeWindow};

use crate::{Kernel, Window, WindowKernel};

/// Some regions of a trace.
#[derive(Clone, Debug)]
pub struct RegionSet {
    regions: HashSet<RegionRef, RandomState>,
    /// Set if it has all regions but these.
    inverted: bool,
}

impl RegionSet {
    /// A set of these regions.
    pub fn only(regions: impl IntoIterator<Item = RegionRef>) -> Self {
        RegionSet { regions: regions.into_iter().collect(), inverted: false }
    }

    /// All regions but these, undefined ones too.
    pub fn all_but(regions: impl IntoIterator<Item = RegionRef>) -> Self {
        RegionSet { inverted: true, ..RegionSet::only(regions) }
    }

    /// Tells whether it has a region.
    pub fn contains(&self, region: RegionRef) -> bool {
        self.regions.contains(&region) != self.inverted
    }
}

/// A kernel behind what makes traces simple.
///
/// * A kernel that wants enters and leaves, and none by calling context, gets an enter or leave of
///   the region of the context.
/// * Of enters and leaves it gets those of chosen regions only.
/// * In a window of time, visits that are open when the window begins are entered there, and those
///   that are open when it ends are left there.
#[derive(Debug)]
pub struct Adapted<'k, K> {
    pub(crate) kernel: &'k K,
    contexts: ContextRegions,
    chosen: Option<&'k RegionSet>,
}

/// A worker of an adapted kernel.
#[derive(Debug)]
pub struct AdaptedWorker<W> {
    pub(crate) worker: W,
    /// Those that only the next location defines.
    contexts: ContextRegions,
}

impl<'k, K: Kernel> Adapted<'k, K> {
    /// Puts all of it in front of a kernel. `contexts`: those of the trace. `chosen`: the regions whose enters and
    /// leaves it gets; `None`: all.
    pub fn new(kernel: &'k K, contexts: ContextRegions, chosen: Option<&'k RegionSet>) -> Self {
        Adapted { kernel, contexts, chosen }
    }

    fn scan_of<'w>(
        &'w self,
        worker: &'w mut AdaptedWorker<K::Worker>,
        location: LocationRef,
        clip: Option<Box<Clip>>,
    ) -> AdaptedScan<'w, K::Scan<'w>> {
        AdaptedScan {
            scan: self.kernel.scan(&mut worker.worker, location),
            contexts: [&self.contexts, &worker.contexts],
            chosen: self.chosen,
            clip,
            location,
        }
    }
}

impl<K: Kernel> Kernel for Adapted<'_, K> {
    type Worker = AdaptedWorker<K::Worker>;
    type Scan<'w>
        = AdaptedScan<'w, K::Scan<'w>>
    where
        Self: 'w;
    type Partial = K::Partial;

    fn worker(&self) -> Self::Worker {
        AdaptedWorker { worker: self.kernel.worker(), contexts: ContextRegions::default() }
    }

    fn meet(&self, worker: &mut Self::Worker, local: LocalReferences) {
        worker.contexts = local.contexts.clone();
        self.kernel.meet(&mut worker.worker, local);
    }

    fn scan<'w>(&'w self, worker: &'w mut Self::Worker, location: LocationRef) -> Self::Scan<'w> {
        self.scan_of(worker, location, None)
    }

    fn end<'w>(&'w self, scan: Self::Scan<'w>, summary: &StreamSummary) {
        self.kernel.end(scan.scan, summary);
    }

    fn partial(&self, worker: Self::Worker) -> K::Partial {
        self.kernel.partial(worker.worker)
    }

    fn fold(&self, into: K::Partial, other: K::Partial) -> K::Partial {
        self.kernel.fold(into, other)
    }
}

impl<K: Kernel> WindowKernel for Adapted<'_, K> {
    type Before<'w>
        = BeforeWindow<'w, K::Scan<'w>>
    where
        Self: 'w;

    fn before<'w>(
        &'w self,
        worker: &'w mut Self::Worker,
        location: LocationRef,
        window: Window,
    ) -> Self::Before<'w> {
        BeforeWindow(self.scan_of(worker, location, Some(Box::new(Clip::new(window)))))
    }

    fn begin_window<'w>(&'w self, before: Self::Before<'w>) -> Self::Scan<'w> {
        before.0.begin_window()
    }

    fn end_before_window<'w>(&'w self, before: Self::Before<'w>) {
        self.kernel.end(before.0.scan, &StreamSummary::default());
    }

    fn takes_snapshots(&self) -> bool {
        false
    }

    fn is_sure<'w>(&'w self, _: &Self::Scan<'w>, _: bool) -> bool {
        true
    }

    fn discard<'w>(&'w self, _: Self::Scan<'w>) {}

    fn end_window<'w>(&'w self, scan: Self::Scan<'w>, summary: &StreamSummary) {
        self.kernel.end(scan.end_window(), summary);
    }
}
