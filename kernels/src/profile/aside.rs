//! Parts of the own time of visits that others count elsewhere.
//!
//! A visit that is never left has no time: whose such a part is, is known when the visit ends, in whatever way.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;

use super::scan::OpenVisit;
use super::stack::Frame;
use super::tree::PathIndex;

/// What is set aside by path and kind, in ticks. The root stands for the time of no visit.
pub(crate) type AsideSums = HashMap<(PathIndex, bool), u64, RandomState>;

/// A part of the time of a visit that may be open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aside {
    pub visit: OpenVisit,
    pub kind: bool,
    pub ticks: u64,
}

impl Aside {
    /// Adds it to that of a path.
    fn add(self, path: PathIndex, sums: &mut AsideSums) {
        let sum = sums.entry((path, self.kind)).or_default();
        *sum = sum.saturating_add(self.ticks);
    }
}

impl OpenVisit {
    /// Whether it is the visit of a frame.
    fn is(&self, frame: Option<&Frame>) -> bool {
        frame.is_some_and(|frame| (frame.path, frame.begin) == (self.path, self.begin))
    }

    /// Whether it is among these, the location and the visits that are open.
    pub(super) fn is_among(&self, frames: &[Frame]) -> bool {
        self.is(frames.get(self.depth))
    }
}

/// Parts of the time of the visits of a stack, by depth and kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Asides(BTreeMap<(usize, bool), Aside>);

impl Asides {
    /// Sets a part of the time of a visit aside, the innermost of `frames` or one around it.
    pub fn set(&mut self, aside: Aside, frames: &[Frame], sums: &mut AsideSums) {
        self.end_left(frames, sums);
        self.add(aside);
    }

    /// Counts those of visits that are not open any more, which were left: others were [dropped](Self::move_out).
    /// What was inside of a visit that is over is over, too.
    fn end_left(&mut self, frames: &[Frame], sums: &mut AsideSums) {
        while let Some(innermost) = self.0.last_entry() {
            if innermost.get().visit.is_among(frames) {
                return;
            }
            let aside = innermost.remove();
            aside.add(aside.visit.path, sums);
        }
    }

    fn add(&mut self, aside: Aside) {
        let key = (aside.visit.depth, aside.kind);
        self.0
            .entry(key)
            .and_modify(|of| of.ticks = of.ticks.saturating_add(aside.ticks))
            .or_insert(aside);
    }

    /// How much is set aside of a visit, in ticks.
    pub fn of(&self, visit: OpenVisit) -> u64 {
        let kinds = self.0.range((visit.depth, false)..=(visit.depth, true));
        let same = kinds.map(|(_, aside)| aside).filter(|aside| aside.visit == visit);
        same.fold(0, |sum, aside| sum.saturating_add(aside.ticks))
    }

    /// The open visits inside of one are dropped: their time is that of that one.
    pub fn move_out(&mut self, frames: &[Frame], around: OpenVisit, sums: &mut AsideSums) {
        self.end_left(frames, sums);
        for aside in self.0.split_off(&(around.depth + 1, false)).into_values() {
            self.add(Aside { visit: around, ..aside });
        }
    }

    /// Visits of some depths are over, of which those that are open are not left: their time is that of a path.
    pub fn drop_inside(
        &mut self,
        frames: &[Frame],
        deepest: usize,
        path: PathIndex,
        sums: &mut AsideSums,
    ) {
        self.end_left(frames, sums);
        while let Some(outermost) = self.0.first_entry().filter(|of| of.key().0 <= deepest) {
            outermost.remove().add(path, sums);
        }
    }
}

#[cfg(test)]
mod tests {
    use streamfold_model::ids::RegionRef;

    use super::*;

    fn frames(visits: &[(u32, u64)]) -> Vec<Frame> {
        let frame = |(path, begin)| Frame {
            path: PathIndex(path),
            region: RegionRef(path),
            begin,
            inside: 0,
        };
        visits.iter().copied().map(frame).collect()
    }

    fn visit(frames: &[Frame], depth: usize) -> OpenVisit {
        OpenVisit { depth, path: frames[depth].path, begin: frames[depth].begin }
    }

    fn sums_of(sums: &AsideSums) -> Vec<(u32, u64)> {
        let mut all: Vec<_> = sums.iter().map(|((path, _), ticks)| (path.0, *ticks)).collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn each_part_is_of_the_visit_that_was_left_or_of_that_around_a_dropped_one() {
        let (mut asides, mut sums) = (Asides::default(), AsideSums::default());
        let open = frames(&[(0, 0), (1, 5), (2, 6), (3, 7)]);
        for (depth, ticks) in [(1, 10), (3, 30), (2, 20), (2, 1)] {
            let aside = Aside { visit: visit(&open, depth), kind: false, ticks };
            asides.set(aside, &open, &mut sums);
        }
        assert_eq!(asides.of(visit(&open, 2)), 21);
        // The innermost one is left, the one around it is dropped.
        asides.move_out(&open[..3], visit(&open, 1), &mut sums);
        assert_eq!((asides.of(visit(&open, 1)), sums_of(&sums)), (31, vec![(3, 30)]));
        // Another visit at the same depth begins later.
        let other = frames(&[(0, 0), (4, 9)]);
        let aside = Aside { visit: visit(&other, 1), kind: false, ticks: 4 };
        asides.set(aside, &other, &mut sums);
        asides.drop_inside(&other, usize::MAX, PathIndex(7), &mut sums);
        assert_eq!(sums_of(&sums), [(1, 31), (3, 30), (7, 4)]);
    }

    /// Each of these once looked through all that was set aside before.
    #[test]
    fn very_many_open_visits_take_no_time() {
        const DEEP: u32 = 200_000;
        let open = frames(&(0..DEEP).map(|depth| (depth, depth.into())).collect::<Vec<_>>());
        let (mut asides, mut sums) = (Asides::default(), AsideSums::default());
        for depth in (0..open.len()).chain((0..open.len()).rev()) {
            let aside = Aside { visit: visit(&open, depth), kind: depth % 2 == 0, ticks: 1 };
            asides.set(aside, &open, &mut sums);
        }
        asides.move_out(&open, visit(&open, 9), &mut sums);
        assert_eq!((asides.of(visit(&open, 9)), sums.len()), (2 * u64::from(DEEP) - 18, 0));
    }
}
