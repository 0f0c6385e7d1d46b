//! Points on their way into a schedule.

use super::op::{Op, Tie};
use super::places::Places;
use crate::matching::{Lanes, Outgoing, Sink};
use crate::replay::{Point, What};

/// Destinations of the points of a schedule.
#[derive(Clone, Copy)]
pub struct ScheduleSinks<'s> {
    /// Ranks and threads.
    pub places: &'s Places,
    /// Takes ends of dependencies, by what belongs together.
    pub ties: &'s dyn Sink,
    /// Takes points of threads.
    pub ops: &'s dyn Sink,
}

/// Points that were not handed over yet.
pub(crate) struct ScheduleLanes<'s> {
    places: &'s Places,
    ties: (Lanes<Tie>, Outgoing<'s>),
    ops: (Lanes<Op>, Outgoing<'s>),
}

impl<'s> ScheduleLanes<'s> {
    pub(crate) fn new(to: ScheduleSinks<'s>) -> Self {
        let ScheduleSinks { places, ties, ops } = to;
        let ties = (Lanes::default(), Outgoing::new(ties));
        ScheduleLanes { places, ties, ops: (Lanes::default(), Outgoing::new(ops)) }
    }

    pub(crate) fn push(&mut self, point: Point) {
        let Some(place) = self.places.of(point.location) else { return };
        // All points that a replay passes: its clocks go on from one to the next.
        if !matches!(point.what, What::Posts { .. } | What::Completes { .. }) {
            let (lanes, to) = &mut self.ops;
            lanes.push(self.places.key(place), Op::Point(point), to);
        }
        let tie = Tie(point);
        if let Some(link) = tie.link() {
            let (lanes, to) = &mut self.ties;
            lanes.push(Tie::key(&link), tie, to);
        }
    }

    pub(crate) fn hand_over(&mut self) {
        let (lanes, to) = &mut self.ties;
        lanes.empty(to);
        to.hand_over();
        let (lanes, to) = &mut self.ops;
        lanes.empty(to);
        to.hand_over();
    }
}
