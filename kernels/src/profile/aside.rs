//! Parts of the own time of visits that others count elsewhere.
//!
//! A visit that is never left has no time: whose such a part is, is known when the visit ends, in whatever way.

use std::collections::HashMap;
use std::ops::RangeBounds;

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

/// Parts of the time of the visits of a stack.
#[derive(Clone, Debug, Default)]
pub(super) struct Asides(Vec<Aside>);

impl Asides {
    /// Sets a part of the time of an open visit aside. Those of visits that are not open any more were left: others
    /// were [dropped](Self::move_out).
    pub fn set(&mut self, aside: Aside, frames: &[Frame], sums: &mut AsideSums) {
        self.0.retain(|aside| {
            let is_open = aside.visit.is_among(frames);
            if !is_open {
                aside.add(aside.visit.path, sums);
            }
            is_open
        });
        let same = |of: &&mut Aside| (of.visit, of.kind) == (aside.visit, aside.kind);
        match self.0.iter_mut().find(same) {
            Some(of) => of.ticks = of.ticks.saturating_add(aside.ticks),
            None => self.0.push(aside),
        }
    }

    /// How much is set aside of a visit, in ticks.
    pub fn of(&self, visit: OpenVisit) -> u64 {
        let same = self.0.iter().filter(|aside| aside.visit == visit);
        same.fold(0, |sum, aside| sum.saturating_add(aside.ticks))
    }

    /// The open visits inside of one are dropped: their time is that of that one.
    pub fn move_out(&mut self, frames: &[Frame], around: OpenVisit) {
        for aside in &mut self.0 {
            if aside.visit.depth > around.depth && aside.visit.is_among(frames) {
                aside.visit = around;
            }
        }
    }

    /// Visits of some depths are over, of which those that are open are not left: their time is that of a path.
    pub fn drop_inside(
        &mut self,
        frames: &[Frame],
        depths: &impl RangeBounds<usize>,
        path: PathIndex,
        sums: &mut AsideSums,
    ) {
        self.0.retain(|aside| {
            let is_dropped = depths.contains(&aside.visit.depth);
            if is_dropped {
                let is_open = aside.visit.is_among(frames);
                aside.add(if is_open { path } else { aside.visit.path }, sums);
            }
            !is_dropped
        });
    }
}
