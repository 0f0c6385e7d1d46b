//! The call paths of one location, while its events go by.

use streamfold_model::ids::RegionRef;

use crate::profile::result::tally::{Traffic, Visits};
use crate::profile::tree::cached::{CachedPath, Way};
use crate::profile::tree::step::Step;
use crate::profile::tree::{CallTree, Finder, Kept, PathIndex, DEEP};

/// Tallies on the call paths of one location.
///
/// The tree has the paths of other locations, too.
#[derive(Debug)]
pub(crate) struct Tallies {
    pub tree: CallTree,
    /// None, or as many as there are paths.
    cached: Vec<CachedPath>,
    /// Visits that runs of enters and leaves discard.
    scrap: CachedPath,
    visited: Visited,
    traffic: Vec<(PathIndex, Traffic)>,
    /// Index of the traffic of each path, plus one; 0: it has none.
    traffic_of: Vec<u32>,
    /// The paths that are kept. The depth falls while there are too many.
    kept: Kept,
    /// With more paths than these the depth is looked at again.
    room: usize,
    /// Bases of the paths that were there when the depth fell last: see [`CallTree::bases`].
    bases: Vec<PathIndex>,
}

/// Paths with visits, in the order of their first end. With few paths and no window of time the list is built at the
/// end of the location. A test for each visit would mispredict in short locations, in which many visits are the first
/// of their path.
#[derive(Debug, Default)]
pub(crate) struct Visited {
    paths: Vec<PathIndex>,
    /// A path that has fewer visits that ended is to be noted: 1, or 0 where none is.
    below: u64,
    /// How many visits of a path did not end; less those of the ended ones that had begun before a
    /// window of time. Those of paths behind the last one are 0.
    unended: Vec<i64>,
}

/// Largest number of paths that counts as few.
const FEW: usize = 1024;

impl Visited {
    fn are_noted(&self) -> bool {
        self.below > 0
    }

    /// Tells whether a path with so many ended visits is to be noted when one more ends.
    #[inline(always)]
    pub(crate) fn notes(&self, closed: u64) -> bool {
        closed < self.below
    }

    /// The first visit of a path ends, unless one was there that did not.
    #[cold]
    #[inline(never)]
    pub(crate) fn add_first(&mut self, path: PathIndex) {
        if self.unended(path) == 0 {
            self.paths.push(path);
        }
    }

    fn unended(&self, path: PathIndex) -> i64 {
        self.unended.get(path.index()).copied().unwrap_or(0)
    }

    fn unended_mut(&mut self, path: PathIndex) -> &mut i64 {
        if path.index() >= self.unended.len() {
            self.unended.resize(path.index() + 1, 0);
        }
        &mut self.unended[path.index()]
    }
}

impl Default for Tallies {
    fn default() -> Self {
        Tallies {
            tree: CallTree::default(),
            cached: Vec::new(),
            scrap: CachedPath::SCRAP,
            visited: Visited::default(),
            traffic: Vec::new(),
            traffic_of: Vec::new(),
            kept: Kept::ALL,
            room: usize::MAX,
            bases: Vec::new(),
        }
    }
}

impl Tallies {
    /// The path of one more step.
    pub(crate) fn path(&mut self, from: PathIndex, step: Step) -> PathIndex {
        let path = self.tree.child(from, step);
        self.make_room(path);
        if self.tree.len() > self.room {
            self.lower();
        }
        path
    }

    /// Keeps these paths.
    pub(crate) fn keep(&mut self, kept: Kept) {
        self.kept = kept;
        self.room = kept.most;
    }

    /// The paths that are kept so far.
    pub(crate) fn kept(&self) -> Kept {
        self.kept
    }

    /// Tells whether paths are kept up to a depth only.
    #[inline(always)]
    pub(crate) fn is_cut(&self) -> bool {
        self.kept.depth < DEEP
    }

    /// There are too many paths: from now on fewer are made. Deeper ones that are there remain until the end of the
    /// location, since open visits are on them.
    ///
    /// A quarter more are made before that is tried again, since it takes as long as to make them all.
    #[cold]
    #[inline(never)]
    fn lower(&mut self) {
        let Kept { most, depth } = self.kept;
        let lower = self.tree.depth_for(most, depth);
        if lower < depth {
            self.kept.depth = lower;
            self.bases = self.tree.bases(lower);
        }
        self.room = self.tree.len().saturating_add((most / 4).max(FEW));
    }

    /// Tells whether what is entered from there has no path of its own.
    #[inline(always)]
    pub(crate) fn is_deepest(&self, from: PathIndex) -> bool {
        self.tree.depth(from) >= self.kept.depth
    }

    /// Tells whether a path stands for visits that are deeper than paths are kept.
    #[inline(always)]
    pub(crate) fn is_rest(&self, path: PathIndex) -> bool {
        self.is_cut() && self.tree.depth(path) == DEEP
    }

    /// The path for visits of a region that are deeper than paths are kept. `is_inside`: they are inside of others of
    /// the region.
    pub(crate) fn rest(
        &mut self,
        from: PathIndex,
        region: RegionRef,
        is_inside: bool,
    ) -> PathIndex {
        let mut base = from;
        while self.tree.depth(base) > self.kept.depth {
            // Few steps lead to a path that was there when the depth fell.
            base = match self.bases.get(base.index()) {
                Some(found) => *found,
                None => self.tree.parent(base),
            };
        }
        let path = self.tree.rest(base, region, is_inside);
        self.make_room(path);
        path
    }

    /// A path that no step leads to.
    pub(crate) fn detached_path(&mut self) -> PathIndex {
        let path = self.tree.detached();
        self.make_room(path);
        path
    }

    #[inline(always)]
    fn make_room(&mut self, path: PathIndex) {
        if path.index() >= self.cached.len() {
            self.make_more_room();
        }
    }

    #[cold]
    fn make_more_room(&mut self) {
        for path in (self.cached.len() as u32..self.tree.len() as u32).map(PathIndex) {
            let parent = self.tree.parent(path);
            self.cached.push(match self.tree.step(path) {
                // The location itself and detached paths, whose region is none, are the base of a stack, which is
                // never left.
                Step::Region(region) => CachedPath::new(Way::new(region, parent)),
                // A visit that has a parameter is left as the one without. (What the other steps stand for is never
                // left by a leave.)
                _ => CachedPath::new(self.cached[parent.index()].back()),
            });
        }
        if self.cached.len() > FEW {
            self.note_visited();
        }
    }

    /// Tells whether the paths that have any visit are noted.
    #[inline(always)]
    pub(crate) fn are_noted(&self) -> bool {
        self.visited.are_noted()
    }

    /// From now on the paths that have any visit are noted: there are many, or some have time without any visit.
    pub(crate) fn note_visited(&mut self) {
        if !self.visited.are_noted() {
            self.look_for_visited();
            self.visited.below = 1;
        }
    }

    /// Notes the paths that have any visit, where none is noted yet.
    fn look_for_visited(&mut self) {
        let Tallies { cached, visited, .. } = self;
        let paths = &mut visited.paths;
        paths.resize(cached.len(), PathIndex::ROOT);
        let mut found = 0;
        // Branch-free, since a test would mispredict: each path is written, and the next one over it if it has no
        // visits.
        for (path, here) in (0..).map(PathIndex).zip(cached) {
            paths[found] = path;
            let unended = visited.unended.get(path.index()).copied().unwrap_or(0);
            found += usize::from(here.closed() > 0 || unended != 0);
        }
        paths.truncate(found);
    }

    /// A path has these visits, too. They follow the others, so that their times add up.
    pub(crate) fn add_visits(&mut self, path: PathIndex, visits: &Visits) {
        self.visit(path).add(visits);
        let open = visits.visits - visits.closed;
        if open > 0 {
            let unended = self.visited.unended_mut(path);
            *unended = unended.wrapping_add_unsigned(open);
        }
    }

    /// A path has these visits, of which no event was seen.
    pub(crate) fn add_summary(&mut self, path: PathIndex, visits: &Visits) {
        let before = self.cached[path.index()].closed();
        self.add_visits(path, visits);
        if self.visited.notes(before) && visits.closed > 0 {
            self.visited.add_first(path);
        }
    }

    /// A visit of a path ends. Times in ticks.
    pub(crate) fn leave(&mut self, path: PathIndex, inclusive: u64, exclusive: u64) {
        let before = self.cached[path.index()].close(inclusive, exclusive);
        if self.visited.notes(before) {
            self.visited.add_first(path);
        }
    }

    /// A visit of a path that began has no end.
    pub(crate) fn leave_open(&mut self, path: PathIndex) {
        self.visit(path);
        *self.visited.unended_mut(path) += 1;
    }

    /// A visit ends that was counted as one without end. `false`: it is longer than all of a stream can be, and has
    /// none. `carried`: it began before the window of time. Times in ticks.
    pub(crate) fn end_late(
        &mut self,
        path: PathIndex,
        inclusive: u64,
        exclusive: u64,
        carried: bool,
    ) -> bool {
        // Such visits may overlap, so that sums of hostile ones would not fit.
        let here = self.visit(path);
        if here.inclusive().checked_add(inclusive).is_none() {
            return false;
        }
        match carried {
            true => here.close_carried(inclusive, exclusive),
            false => drop(here.close(inclusive, exclusive)),
        }
        *self.visited.unended_mut(path) -= 1;
        true
    }

    /// Exclusive ticks of a path turn out to be those of others.
    pub(crate) fn take_exclusive(&mut self, path: PathIndex, ticks: u64) {
        self.visit(path).take_exclusive(ticks);
    }

    /// A visit ends that did not begin in the window of time, or, where `visits` is 1, counts as if it
    /// had. Times in ticks.
    pub(crate) fn leave_carried(
        &mut self,
        path: PathIndex,
        visits: u64,
        inclusive: u64,
        exclusive: u64,
    ) {
        self.visit(path).close_carried(inclusive, exclusive);
        *self.visited.unended_mut(path) += visits as i64 - 1;
    }

    /// Visits go on when the window of time ends. Nothing may follow for this path. Times in ticks.
    pub(crate) fn add_open(
        &mut self,
        path: PathIndex,
        visits: u64,
        inclusive: u64,
        exclusive: u64,
    ) {
        self.visit(path).add_time(inclusive, exclusive);
        let unended = self.visited.unended_mut(path);
        *unended = unended.wrapping_add_unsigned(visits);
    }

    fn visit(&mut self, path: PathIndex) -> &mut CachedPath {
        let here = &mut self.cached[path.index()];
        if self.visited.notes(here.closed()) {
            self.visited.add_first(path);
        }
        here
    }

    /// Returns the parts that a run of enters and leaves works on, while no path is added.
    #[inline(always)]
    pub(crate) fn parts(&mut self) -> Parts<'_> {
        let Tallies { tree, cached, scrap, visited, .. } = self;
        Parts { finder: tree.finder(), cached, scrap, visited }
    }

    /// The messages and operations of a path.
    #[inline]
    pub(crate) fn traffic(&mut self, path: PathIndex) -> &mut Traffic {
        let place = match self.traffic_of.get(path.index()) {
            Some(&place) if place > 0 => place,
            _ => self.place_of_first(path),
        };
        &mut self.traffic[place as usize - 1].1
    }

    /// A place for the traffic of a path, which has none so far.
    #[cold]
    #[inline(never)]
    fn place_of_first(&mut self, path: PathIndex) -> u32 {
        if path.index() >= self.traffic_of.len() {
            self.traffic_of.resize(self.tree.len(), 0);
        }
        self.traffic.push((path, Traffic::NONE));
        let place = self.traffic.len() as u32;
        self.traffic_of[path.index()] = place;
        place
    }

    /// Hands out what each visited path has, and how many regions are open there, in any order; none has any visits
    /// then. The depth of visits that are deeper than paths are kept is 0.
    pub(crate) fn take_visits(&mut self, mut receive: impl FnMut(PathIndex, u32, Visits)) {
        if !self.visited.are_noted() {
            self.look_for_visited();
        }
        let Tallies { tree, cached, visited, .. } = self;
        let Visited { paths, unended, .. } = visited;
        for path in paths.drain(..) {
            let unended = unended.get_mut(path.index()).map_or(0, std::mem::take);
            let visits = cached[path.index()].take_visits(unended);
            let depth = Some(tree.depth(path)).filter(|depth| *depth < DEEP);
            receive(path, depth.unwrap_or(0), visits);
        }
    }

    /// The same of messages and operations.
    pub(crate) fn take_traffic(&mut self, mut receive: impl FnMut(PathIndex, Traffic)) {
        for (path, traffic) in self.traffic.drain(..) {
            self.traffic_of[path.index()] = 0;
            receive(path, traffic);
        }
    }
}

/// The parts of tallies to which no path is added.
pub(crate) struct Parts<'a> {
    pub finder: Finder<'a>,
    pub cached: &'a mut [CachedPath],
    pub scrap: &'a mut CachedPath,
    pub visited: &'a mut Visited,
}
