//! What of its way through the call tree a location tells other kernels.

use streamfold_model::ids::{CallingContextRef, RegionRef};

use super::Scan;
use crate::profile::tree::{CallTree, PathIndex};

/// An open visit of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenVisit {
    depth: usize,
    path: PathIndex,
    begin: u64,
}

/// For kernels that follow the way through the call tree.
impl Scan<'_> {
    /// The present, in ticks: it never goes back.
    pub(crate) fn now(&self) -> u64 {
        self.walk.now()
    }

    /// How many visits are open in what runs.
    pub(crate) fn depth(&self) -> usize {
        self.walk.stack.depth()
    }

    /// The path of the innermost open visit.
    pub(crate) fn path(&self) -> PathIndex {
        self.walk.here()
    }

    /// The innermost open visit, or the location.
    pub(crate) fn visit(&self) -> OpenVisit {
        let depth = self.depth();
        let frame = &self.walk.stack.frames()[depth];
        OpenVisit { depth, path: frame.path, begin: frame.begin }
    }

    /// The time of visits that ended directly inside of the innermost open one, or in none, in ticks.
    pub(crate) fn inside(&self) -> u64 {
        self.walk.stack.frames()[self.depth()].inside
    }

    /// Whether a visit is open still, which was.
    pub(crate) fn is_open(&self, visit: OpenVisit) -> bool {
        let frame = self.walk.stack.frames().get(visit.depth);
        frame.is_some_and(|frame| (frame.path, frame.begin) == (visit.path, visit.begin))
    }

    /// The path of the open visit at this depth, where there is one.
    pub(crate) fn path_at(&self, depth: usize) -> Option<PathIndex> {
        self.walk.stack.frames().get(depth).map(|frame| frame.path)
    }

    /// The paths so far.
    pub(crate) fn call_tree(&self) -> &CallTree {
        &self.walk.tallies.tree
    }

    /// Right after an innermost visit was left: its own time, in ticks.
    pub(crate) fn exclusive_of_left(&self) -> u64 {
        let frame = self.walk.stack.just_left();
        let inclusive = self.now() - self.walk.stack.late() - frame.begin;
        inclusive.saturating_sub(frame.inside)
    }

    /// Paths of visits around dropped ones, and the ticks there that count inside of them, too.
    pub(crate) fn counted_twice(&self) -> &[(PathIndex, u64)] {
        &self.walk.counted_twice
    }

    /// How many visits were left that were not the innermost ones.
    pub(crate) fn crossed(&self) -> u64 {
        self.walk.oddities.crossed
    }

    /// The region of a calling context, where it is known.
    pub(crate) fn region_of(&self, context: CallingContextRef) -> Option<RegionRef> {
        let place = self.meanings.contexts.place(context);
        let of_trace = place.map(|place| self.meanings.contexts.region(place));
        of_trace.or_else(|| self.worker.contexts.get(&context).copied())
    }
}
