//! Parts of the own time of visits that others count elsewhere.
//!
//! A visit that is never left has no time: whose such a part is, is known when the visit ends, in whatever way.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;

use crate::profile::scan::stack::Frame;
use crate::profile::scan::OpenVisit;
use crate::profile::tree::PathIndex;

/// Owner of a part of the time of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    /// Of one kind or the other.
    Kind(bool),
    /// A later event decides: it settles the owner of this number.
    Open(u64),
}

/// A part of the own time of a visit, which is open or was left just now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub visit: OpenVisit,
    /// Ticks.
    pub ticks: u64,
}

/// Time set aside of visits that are over, in ticks. The root stands for the time of no visit.
#[derive(Clone, Debug, Default)]
pub(crate) struct AsideSums {
    of_kinds: HashMap<(PathIndex, bool), u64, RandomState>,
    /// Parts whose owner is not known yet, by number.
    open: HashMap<u64, (PathIndex, u64), RandomState>,
    /// Owners of parts whose visit is not over, by number.
    known: HashMap<u64, bool, RandomState>,
}

impl AsideSums {
    fn add(&mut self, path: PathIndex, owner: Owner, ticks: u64) {
        let kind = match owner {
            Owner::Kind(kind) => Ok(kind),
            Owner::Open(number) => self.known.remove(&number).ok_or(number),
        };
        match kind {
            Ok(kind) => self.add_kind(path, kind, ticks),
            Err(number) => drop(self.open.insert(number, (path, ticks))),
        }
    }

    fn add_kind(&mut self, path: PathIndex, kind: bool, ticks: u64) {
        let sum = self.of_kinds.entry((path, kind)).or_default();
        *sum = sum.saturating_add(ticks);
    }

    /// It is known now whose a part is.
    fn tell(&mut self, number: u64, kind: bool) {
        match self.open.remove(&number) {
            Some((path, ticks)) => self.add_kind(path, kind, ticks),
            None => drop(self.known.insert(number, kind)),
        }
    }

    /// By path and kind. If the owner of a part is unknown, it is the visit itself.
    pub(crate) fn of_kinds(self) -> impl Iterator<Item = ((PathIndex, bool), u64)> {
        self.of_kinds.into_iter()
    }
}

/// A part of the time of a visit that may be open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeductedTime {
    pub part: Part,
    pub owner: Owner,
}

impl DeductedTime {
    /// Adds it to that of a path.
    fn add(self, path: PathIndex, sums: &mut AsideSums) {
        sums.add(path, self.owner, self.part.ticks);
    }
}

impl OpenVisit {
    /// Tells whether it is the visit of a frame.
    fn is(&self, frame: Option<&Frame>) -> bool {
        frame.is_some_and(|frame| (frame.path, frame.begin) == (self.path, self.begin))
    }

    /// Tells whether it is among these frames, of the location and the open visits.
    pub(crate) fn is_among(&self, frames: &[Frame]) -> bool {
        self.is(frames.get(self.depth))
    }
}

/// Parts of the time of the visits of a stack, by depth and owner.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asides(BTreeMap<(usize, Owner), DeductedTime>);

/// The first owner in the order of owners.
const FIRST: Owner = Owner::Kind(false);

impl Asides {
    /// Sets a part of the time of a visit aside, the innermost of `frames` or one around it.
    pub(crate) fn set(&mut self, aside: DeductedTime, frames: &[Frame], sums: &mut AsideSums) {
        self.end_left(frames, sums);
        self.add(aside);
    }

    /// Counts the parts of visits that were left; those of other visits were [dropped](Self::move_out). Visits inside
    /// of a visit that is over are over, too.
    fn end_left(&mut self, frames: &[Frame], sums: &mut AsideSums) {
        while let Some(innermost) = self.0.last_entry() {
            if innermost.get().part.visit.is_among(frames) {
                return;
            }
            let aside = innermost.remove();
            aside.add(aside.part.visit.path, sums);
        }
    }

    fn add(&mut self, aside: DeductedTime) {
        let key = (aside.part.visit.depth, aside.owner);
        self.0
            .entry(key)
            .and_modify(|of| of.part.ticks = of.part.ticks.saturating_add(aside.part.ticks))
            .or_insert(aside);
    }

    /// How much is set aside of a visit, in ticks.
    pub(crate) fn of(&self, visit: OpenVisit) -> u64 {
        let owners = self.0.range((visit.depth, FIRST)..(visit.depth + 1, FIRST));
        let parts = owners.map(|(_, aside)| aside.part).filter(|part| part.visit == visit);
        parts.fold(0, |sum, part| sum.saturating_add(part.ticks))
    }

    /// It is known now whose a part is, which was that of a visit.
    pub(crate) fn tell(
        &mut self,
        (number, visit): (u64, OpenVisit),
        kind: bool,
        frames: &[Frame],
        sums: &mut AsideSums,
    ) {
        self.end_left(frames, sums);
        match self.0.remove(&(visit.depth, Owner::Open(number))) {
            Some(aside) => self.add(DeductedTime { owner: Owner::Kind(kind), ..aside }),
            None => sums.tell(number, kind),
        }
    }

    /// The open visits inside of one are dropped: their time is that of that one.
    pub(crate) fn move_out(&mut self, frames: &[Frame], around: OpenVisit, sums: &mut AsideSums) {
        self.end_left(frames, sums);
        for DeductedTime { part, owner } in
            self.0.split_off(&(around.depth + 1, FIRST)).into_values()
        {
            self.add(DeductedTime { part: Part { visit: around, ..part }, owner });
        }
    }

    /// Visits of some depths are over, of which those that are open are not left: their time is that of a path.
    pub(crate) fn drop_inside(
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

    fn aside(visit: OpenVisit, owner: Owner, ticks: u64) -> DeductedTime {
        DeductedTime { part: Part { visit, ticks }, owner }
    }

    fn sums_of(sums: &AsideSums) -> Vec<(u32, u64)> {
        let mut all: Vec<_> =
            sums.of_kinds.iter().map(|((path, _), ticks)| (path.0, *ticks)).collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn each_part_is_of_the_visit_that_was_left_or_of_that_around_a_dropped_one() {
        let (mut asides, mut sums) = (Asides::default(), AsideSums::default());
        let open = frames(&[(0, 0), (1, 5), (2, 6), (3, 7)]);
        for (depth, ticks) in [(1, 10), (3, 30), (2, 20), (2, 1)] {
            asides.set(aside(visit(&open, depth), FIRST, ticks), &open, &mut sums);
        }
        assert_eq!(asides.of(visit(&open, 2)), 21);
        // The innermost one is left, the one around it is dropped.
        asides.move_out(&open[..3], visit(&open, 1), &mut sums);
        assert_eq!((asides.of(visit(&open, 1)), sums_of(&sums)), (31, vec![(3, 30)]));
        // Another visit at the same depth begins later.
        let other = frames(&[(0, 0), (4, 9)]);
        asides.set(aside(visit(&other, 1), FIRST, 4), &other, &mut sums);
        asides.drop_inside(&other, usize::MAX, PathIndex(7), &mut sums);
        assert_eq!(sums_of(&sums), [(1, 31), (3, 30), (7, 4)]);
    }

    /// Of three that are open until what follows tells whose they are, one is told while its visit is open, one
    /// when it is over, and one never.
    #[test]
    fn what_nobody_claims_is_of_the_visit() {
        let (mut asides, mut sums) = (Asides::default(), AsideSums::default());
        let open = frames(&[(0, 0), (1, 5), (2, 6), (3, 7)]);
        for number in [1, 2, 3] {
            let aside = aside(visit(&open, number), Owner::Open(number as u64), 10 * number as u64);
            asides.set(aside, &open, &mut sums);
        }
        asides.tell((2, visit(&open, 2)), true, &open, &mut sums);
        asides.tell((3, visit(&open, 3)), false, &open[..3], &mut sums);
        assert_eq!(asides.of(visit(&open, 2)), 20);
        asides.drop_inside(&open[..1], usize::MAX, PathIndex(7), &mut sums);
        assert_eq!(sums_of(&sums), [(2, 20), (3, 30)]);
    }

    /// Each of these once looked through all that was set aside before.
    #[test]
    fn very_many_open_visits_take_no_time() {
        const DEEP: u32 = 200_000;
        let open = frames(&(0..DEEP).map(|depth| (depth, depth.into())).collect::<Vec<_>>());
        let (mut asides, mut sums) = (Asides::default(), AsideSums::default());
        for depth in (0..open.len()).chain((0..open.len()).rev()) {
            let aside = aside(visit(&open, depth), Owner::Kind(depth % 2 == 0), 1);
            asides.set(aside, &open, &mut sums);
        }
        asides.move_out(&open, visit(&open, 9), &mut sums);
        let found = (asides.of(visit(&open, 9)), sums.of_kinds.len());
        assert_eq!(found, (2 * u64::from(DEEP) - 18, 0));
    }
}
