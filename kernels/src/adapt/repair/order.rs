//! Enters and leaves of a location that are in the wrong order at one time.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::calls::Call;
use streamfold_model::events::{Event, EventKind, EventVisitor};
use streamfold_model::ids::RegionRef;
use streamfold_model::stream::{EventHead, EventSet};
use streamfold_model::values::Ticks;

use super::Counts;
use crate::task::{Task, TaskEvent};

/// The replacement of an enter or leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repair {
    /// An enter or leave of another region.
    Call(Call),
    /// A visit without duration.
    Instant(RegionRef),
    /// Nothing: the visit stands elsewhere.
    Nothing,
}

/// Those of a location by the number of the enter or leave, from 0, in order.
pub(super) type Repairs = Vec<(u64, Repair)>;

/// Number of repairs at a location; further ones are not made.
const MOST: usize = 1 << 22;

/// Number of leaves at one time that wait for their enters.
const MOST_WAITING: usize = 4096;

/// Reads the enters and leaves of a location, and finds those that stand in the wrong order at one time,
/// `profile` R15b to R15e.
///
/// Enters and leaves by calling context say in which context they are: they are left as they are.
#[derive(Debug, Default)]
pub struct Finder {
    /// How many enters and leaves there were.
    number: u64,
    tick: Ticks,
    present: Vec<Open>,
    others: HashMap<Option<Task>, Vec<Open>, RandomState>,
    running: Option<Task>,
    /// Leaves at this time without an enter between them.
    left: Vec<Left>,
    /// Visits that they dropped.
    dropped: Vec<(usize, RegionRef)>,
    is_disordered: bool,
    /// Leaves at this time of what is not open.
    waiting: Vec<(u64, RegionRef)>,
    has_contexts: bool,
    repairs: Repairs,
    counts: Counts,
}

/// An open visit.
#[derive(Clone, Copy, Debug)]
struct Open {
    region: RegionRef,
    begin: Ticks,
    /// The number of its enter, and the region that that names.
    enter: (u64, RegionRef),
}

/// A leave.
#[derive(Clone, Copy, Debug)]
struct Left {
    number: u64,
    /// Of the visit that ended.
    depth: usize,
    region: RegionRef,
}

impl Finder {
    /// Ends the location. Returns the repairs, and their numbers.
    pub(super) fn end(mut self) -> (Repairs, Counts) {
        self.end_tick();
        for open in std::mem::take(&mut self.present) {
            self.settle(open);
        }
        for open in std::mem::take(&mut self.others).into_values().flatten() {
            self.settle(open);
        }
        if self.has_contexts || self.repairs.len() > MOST {
            return Default::default();
        }
        self.repairs.sort_unstable_by_key(|(number, _)| *number);
        (self.repairs, self.counts)
    }

    /// Returns whether anything is to be repaired.
    pub fn found_any(self) -> bool {
        !self.end().0.is_empty()
    }

    fn go_to(&mut self, time: Ticks) {
        if time != self.tick {
            self.end_tick();
            self.tick = time;
        }
    }

    fn end_tick(&mut self) {
        self.end_leaves();
        self.waiting.clear();
    }

    /// An enter follows, or a later time: the leaves so far are put in order.
    fn end_leaves(&mut self) {
        if std::mem::take(&mut self.is_disordered) {
            let mut ordered = self.left.clone();
            ordered.sort_by_key(|left| std::cmp::Reverse(left.depth));
            for (place, left) in std::mem::take(&mut self.left).into_iter().zip(ordered) {
                if place.region != left.region {
                    self.reorder(place.number, Call::Leave(left.region));
                }
            }
        }
        self.left.clear();
        self.dropped.clear();
    }

    fn repair(&mut self, number: u64, repair: Repair) {
        if self.repairs.len() <= MOST {
            self.repairs.push((number, repair));
        }
    }

    fn reorder(&mut self, number: u64, call: Call) {
        self.counts.reordered += 1;
        self.repair(number, Repair::Call(call));
    }

    /// The region of a visit is known for good.
    fn settle(&mut self, open: Open) {
        let (number, region) = open.enter;
        if open.region != region {
            self.reorder(number, Call::Enter(open.region));
        }
    }

    fn enter(&mut self, time: Ticks, region: RegionRef) {
        self.go_to(time);
        self.end_leaves();
        let number = self.number;
        self.number += 1;
        if let Some(at) = self.waiting.iter().position(|(_, waiting)| *waiting == region) {
            let (leave, _) = self.waiting.remove(at);
            self.counts.instants += 1;
            self.repair(leave, Repair::Nothing);
            self.repair(number, Repair::Instant(region));
            return;
        }
        self.present.push(Open { region, begin: time, enter: (number, region) });
    }

    fn leave(&mut self, time: Ticks, region: RegionRef) {
        self.go_to(time);
        let number = self.number;
        self.number += 1;
        let depth = self.present.len();
        let Some(at) = self.present.iter().rposition(|open| open.region == region) else {
            let dropped = self.dropped.iter().rposition(|(_, dropped)| *dropped == region);
            match dropped.map(|at| self.dropped.remove(at)) {
                Some((depth, region)) => {
                    self.is_disordered = true;
                    self.left.push(Left { number, depth, region });
                }
                None if self.waiting.len() < MOST_WAITING => self.waiting.push((number, region)),
                None => {}
            }
            return;
        };
        let inside = &mut self.present[at..];
        let began = inside[0].begin;
        let depth = match inside.iter().all(|open| open.begin == began) {
            // All of these began at one time: in what order, their leaves say.
            true => {
                for inner in 1..inside.len() {
                    inside[inner - 1].region = inside[inner].region;
                }
                inside.last_mut().expect("the one that ends").region = region;
                depth
            }
            false => {
                for inner in (at + 1..depth).rev() {
                    let open = self.present.pop().expect("it is open");
                    self.dropped.push((inner + 1, open.region));
                    self.settle(open);
                }
                at + 1
            }
        };
        if let Some(open) = self.present.pop() {
            self.settle(open);
        }
        self.left.push(Left { number, depth, region });
    }

    fn switch(&mut self, task: Task) {
        let task = (!task.is_implicit()).then_some(task);
        if task == self.running {
            return;
        }
        self.end_tick();
        let next = self.others.remove(&task).unwrap_or_default();
        let before = std::mem::replace(&mut self.present, next);
        let before = (std::mem::replace(&mut self.running, task), before);
        self.others.insert(before.0, before.1);
    }

    fn complete(&mut self, task: Task) {
        self.end_tick();
        let over = match self.running == Some(task) {
            true => {
                self.running = None;
                let next = self.others.remove(&None).unwrap_or_default();
                std::mem::replace(&mut self.present, next)
            }
            false => self.others.remove(&Some(task)).unwrap_or_default(),
        };
        over.into_iter().for_each(|open| self.settle(open));
    }
}

impl EventVisitor for Finder {
    const WANTS: EventSet = EventSet::VISITS.and(EventSet::TASKS);

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        match &event {
            Event::Enter(event) => self.enter(head.time, event.region),
            Event::Leave(event) => self.leave(head.time, event.region),
            _ if matches!(
                event.kind(),
                EventKind::CallingContextEnter | EventKind::CallingContextLeave
            ) =>
            {
                self.has_contexts = true;
            }
            event => match TaskEvent::of(event) {
                Some(TaskEvent::Switch(task)) => self.switch(task),
                Some(TaskEvent::Complete(task)) => self.complete(task),
                _ => {}
            },
        }
    }
}
