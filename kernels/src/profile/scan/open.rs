//! Position of a location in its call tree, for other kernels.

use streamfold_model::ids::{CallingContextRef, RegionRef};
use streamfold_model::values::Ticks;

use super::Scan;
use crate::profile::result::deducted::{DeductedTime, Owner, Part};
use crate::profile::tree::{CallTree, PathIndex};

/// An open visit of a location, or the location itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenVisit {
    pub(crate) depth: usize,
    pub(crate) path: PathIndex,
    pub(crate) begin: u64,
}

/// A visit at some time, and how much own time it had by then, in ticks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Here {
    pub visit: OpenVisit,
    pub own: u64,
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

    /// The innermost open visit, or the location, at a time.
    pub(crate) fn here(&self, time: Ticks) -> Here {
        self.at(self.depth(), time)
    }

    /// The visit around the innermost one, or the location, when that was entered.
    pub(crate) fn around(&self) -> Here {
        self.at(self.depth().saturating_sub(1), Ticks(self.now()))
    }

    fn at(&self, depth: usize, time: Ticks) -> Here {
        let visit = self.walk.stack.visit(depth);
        Here { visit, own: self.own_time(visit, time) }
    }

    /// Returns the own time since `then` of a visit that is open or ended just now. The time of a dropped visit belongs
    /// to the visit that was left.
    pub(crate) fn own_since(&self, then: Here, time: Ticks) -> Part {
        let stack = &self.walk.stack;
        let ticks = self.own_time(then.visit, time).saturating_sub(then.own);
        match then.visit.is_among(stack.frames()) {
            true => Part { visit: then.visit, ticks },
            false => Part { visit: stack.visit(stack.depth() + 1), ticks },
        }
    }

    /// The own time of a visit so far, in ticks; of the location from an unknown time on.
    fn own_time(&self, OpenVisit { depth, .. }: OpenVisit, time: Ticks) -> u64 {
        let (walk, stack) = (&self.walk, &self.walk.stack);
        let Some(frame) = stack.frame(depth) else { return 0 };
        let (now, away) = walk.present(time);
        let until = match stack.frame(depth + 1).filter(|_| depth < stack.depth()) {
            Some(inside) => inside.begin,
            // A pause that is not over is not that of visits.
            None if depth == stack.depth() => now.saturating_sub(stack.late() + away - walk.away),
            None => (walk.now() - stack.late()).saturating_sub(walk.twice_in_left(depth)),
        };
        until.saturating_sub(frame.begin).saturating_sub(frame.inside)
    }

    /// Tells whether a visit of the running task is still open.
    pub(crate) fn is_open(&self, visit: OpenVisit) -> bool {
        visit.is_among(self.walk.stack.frames())
    }

    /// A part of the time of a visit, which is open or ended with the last event, is that of others.
    pub(crate) fn set_aside(&mut self, part: Part, owner: Owner) {
        let walk = &mut self.walk;
        walk.stack.set_aside(DeductedTime { part, owner }, &mut walk.asides);
    }

    /// Settles the owner of a part that was set aside of a visit under a number.
    pub(crate) fn tell_aside(&mut self, of: (u64, OpenVisit), kind: bool) {
        let walk = &mut self.walk;
        walk.stack.tell_aside(of, kind, &mut walk.asides);
    }

    /// All that was set aside: nothing follows.
    pub(crate) fn asides(&mut self) -> impl Iterator<Item = ((PathIndex, bool), u64)> + use<> {
        let walk = &mut self.walk;
        walk.drop_asides(usize::MAX, PathIndex::ROOT);
        for stack in self.tasks.stacks() {
            stack.drop_asides(usize::MAX, PathIndex::ROOT, &mut walk.asides);
        }
        std::mem::take(&mut walk.asides).of_kinds()
    }

    /// The path of the open visit at this depth, where there is one.
    pub(crate) fn path_at(&self, depth: usize) -> Option<PathIndex> {
        self.walk.stack.frames().get(depth).map(|frame| frame.path)
    }

    /// The paths so far.
    pub(crate) fn call_tree(&self) -> &CallTree {
        &self.walk.tallies.tree
    }

    /// Right after a visit was left: its own time, in ticks, without that which counts in dropped visits inside of it,
    /// and without what is set aside.
    pub(crate) fn exclusive_of_left(&self) -> u64 {
        let frame = self.walk.stack.just_left();
        let inclusive = self.now() - self.walk.stack.late() - frame.begin;
        let stack = &self.walk.stack;
        let depth = stack.depth() + 1;
        let elsewhere = self.walk.twice_in_left(depth) + stack.aside_of(stack.visit(depth));
        inclusive.saturating_sub(frame.inside).saturating_sub(elsewhere)
    }

    /// Paths of visits around dropped ones, and the ticks there that count inside of them, too.
    pub(crate) fn counted_twice(&self) -> &[(PathIndex, u64)] {
        &self.walk.counted_twice
    }

    /// When the buffer was written out last, if nothing at a later time happened behind that: then it ends, in ticks.
    pub(crate) fn end_of_flush(&self) -> Option<u64> {
        self.walk.end_of_flush()
    }

    /// Tells whether the last leave was of an open region.
    pub(crate) fn has_left(&self) -> bool {
        self.walk.has_left()
    }

    /// How many visits were left that were not the innermost ones.
    pub(crate) fn crossed(&self) -> u64 {
        self.walk.oddities.crossed
    }

    /// The region of a calling context, where it is known.
    pub(crate) fn region_of(&self, context: CallingContextRef) -> Option<RegionRef> {
        let place = self.meanings.contexts.place(context);
        let of_trace = place.map(|place| self.meanings.contexts.region(place));
        of_trace.or_else(|| self.worker.local.contexts.get(&context).copied())
    }
}
