//! The open visits of a location: a walker for kernels that need the call path of an event.

use streamfold_model::calls::{Call, Calls, Message};
use streamfold_model::enums::MeasurementMode;
use streamfold_model::events::{Event, EventKind};
use streamfold_model::ids::RegionRef;
use streamfold_model::stream::{EventHead, EventSet};
use streamfold_model::values::Ticks;

use crate::task::{Task, TaskEvent};
use crate::validate::{Stack, Stacks};

/// The subject of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// A region.
    Region(RegionRef),
    /// Time in which nothing was recorded, `profile` R27.
    Off,
}

/// An open visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// Its subject.
    pub place: Place,
    /// When it began.
    pub begin: Ticks,
    /// When it began in the time of its task, which stands still while the task is suspended.
    own_begin: u64,
    /// The inclusive times of the visits directly inside that ended, in ticks.
    inside: u64,
}

/// A change of the open visits. The path is that of the visit, the outermost visit first and the visit itself last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<'p> {
    /// A visit begins.
    Begin {
        /// Its path.
        path: &'p [Visit],
    },
    /// A visit ends.
    End {
        /// Its path.
        path: &'p [Visit],
        /// Ticks from its begin to its end, without those in which its task was suspended.
        inclusive: u64,
        /// The same without the inclusive times of the visits directly inside.
        exclusive: u64,
    },
    /// A visit will never end: a visit around it ended, or the stream did, `profile` R11 and R13.
    Drop {
        /// Its path.
        path: &'p [Visit],
    },
    /// A leave of a region that is not open, `profile` R15.
    Unmatched {
        /// The region.
        region: RegionRef,
    },
}

/// Own time of the innermost open visit, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OwnTime<'p> {
    /// Its path, the visit itself last. Empty: it is the time outside of all visits.
    pub path: &'p [Visit],
    /// The time, without that of the visits inside.
    pub ticks: u64,
    /// Set if the visit ends.
    pub ended: bool,
}

/// Takes what [`CallStack::follow`] finds.
pub(crate) trait Following {
    /// Returns whether a call is like most. Otherwise the run ends before it.
    fn takes(&mut self, call: Call) -> bool;

    /// Own time of a visit is over. The sum of all is the time that passes; the time of one visit may come in parts.
    fn own(&mut self, own: OwnTime<'_>);

    /// A message.
    fn message(&mut self, message: Message);
}

/// Follows the open visits of one location by the rules R1 to R17, R27 to R30 and R37 to R42 of
/// `profile`: crossed and unmatched leaves, tasks with stacks of their own, recording that is off, and
/// clocks that go back. A dropped visit is not known any more: its own leave is unmatched.
///
/// A kernel hands every event of [`CallStack::WANTS`] to [`CallStack::take`], and asks
/// [`CallStack::open`] at others.
///
/// ```
/// use streamfold_kernels::call_stack::{CallStack, Change};
/// # use streamfold_model::events::{Enter, Event, Leave};
/// # use streamfold_model::ids::{LocationRef, RegionRef};
/// # use streamfold_model::stream::EventHead;
/// # use streamfold_model::values::Ticks;
/// # let head = |time| EventHead { location: LocationRef(0), number: 1, time: Ticks(time), attributes: &[] };
/// # let enter = |region| Event::Enter(Enter { region: RegionRef(region) });
/// # let leave = |region| Event::Leave(Leave { region: RegionRef(region) });
/// let mut stack = CallStack::default();
/// let mut times = Vec::new();
/// for (time, event) in [(0, enter(1)), (2, enter(2)), (5, leave(2)), (9, leave(1))] {
///     stack.take(&head(time), &event, |change| {
///         if let Change::End { path, inclusive, exclusive } = change {
///             times.push((path.len(), inclusive, exclusive));
///         }
///     });
/// }
/// assert_eq!(times, [(2, 3, 3), (1, 9, 6)]);
/// ```
#[derive(Debug, Default)]
pub struct CallStack {
    present: TaskVisits,
    others: Stacks<TaskVisits>,
    /// The time of the latest event so far.
    now: u64,
}

/// The open visits of a task, or of the thread itself.
#[derive(Debug, Default)]
struct TaskVisits {
    visits: Vec<Visit>,
    /// Ticks in which the task was suspended.
    suspended: u64,
    /// When it was suspended.
    since: u64,
}

impl Stack for TaskVisits {
    fn is_blank(&self) -> bool {
        self.visits.is_empty()
    }
}

impl CallStack {
    /// The kinds of events that it has to be handed. Enters and leaves by calling context are for those
    /// who drive kernels: they hand out enters and leaves by region.
    pub const WANTS: EventSet = EventSet::TASKS.and(EventSet::of(&[
        EventKind::Enter,
        EventKind::Leave,
        EventKind::MeasurementOnOff,
    ]));

    /// The open visits of the task that runs, the outermost first.
    pub fn open(&self) -> &[Visit] {
        &self.present.visits
    }

    /// The open visits of suspended tasks, and of the thread itself while it runs a task.
    pub fn suspended(&self) -> impl Iterator<Item = (Option<Task>, &[Visit])> {
        self.others.iter().map(|(task, stack)| (task, &*stack.visits))
    }

    /// The explicit task that runs.
    pub fn task(&self) -> Option<Task> {
        self.others.running()
    }

    /// Takes an event. `tell` gets what it does to the open visits; events of other kinds do nothing.
    pub fn take(
        &mut self,
        head: &EventHead<'_>,
        event: &Event<'_>,
        mut tell: impl FnMut(Change<'_>),
    ) {
        match event {
            Event::Enter(enter) => {
                self.go_to(head.time);
                self.begin(Place::Region(enter.region), head.time, &mut tell);
            }
            Event::Leave(leave) => {
                self.go_to(head.time);
                self.end_off(&mut tell);
                self.leave(Place::Region(leave.region), &mut tell);
            }
            Event::MeasurementOnOff(event) => {
                self.go_to(head.time);
                self.end_off(&mut tell);
                if event.measurement_mode == MeasurementMode::Off {
                    self.begin(Place::Off, head.time, &mut tell);
                }
            }
            other => match TaskEvent::of(other) {
                Some(TaskEvent::Switch(task)) => {
                    self.go_to(head.time);
                    self.switch(task, &mut tell);
                }
                Some(TaskEvent::Complete(task)) => {
                    self.go_to(head.time);
                    self.complete(task, &mut tell);
                }
                _ => {}
            },
        }
    }

    /// Takes enters and leaves that follow each other, and messages, as long as each leave is of the innermost open
    /// visit and `to` takes the call. Returns the time of the last one, and the call behind it: it was not taken.
    ///
    /// `since`: time up to here was counted before; it is not earlier than any event before, nor later than the calls.
    #[inline(always)]
    pub(crate) fn follow<C: Calls>(
        &mut self,
        calls: &mut C,
        since: u64,
        to: &mut impl Following,
    ) -> (u64, Option<Call>) {
        let TaskVisits { visits, suspended, .. } = &mut self.present;
        if visits.last().is_some_and(|visit| visit.place == Place::Off) {
            return (since, calls.next());
        }
        let suspended = *suspended;
        let mut now = since;
        // The number of visits that were open before and still are. Own time of the innermost counts from here on.
        let mut before = visits.len();
        let mut from = since;
        let mut inside = visits.last().map_or(0, |visit| visit.inside);
        let behind = loop {
            let Some(call) = calls.next() else {
                match calls.next_message() {
                    Some(message) => to.message(message),
                    None => break None,
                }
                continue;
            };
            if !to.takes(call) {
                break Some(call);
            }
            let time = calls.time();
            match call {
                Call::Enter(region) => {
                    if visits.is_empty() {
                        to.own(OwnTime { path: visits, ticks: time.0 - now, ended: false });
                    }
                    let (place, own_begin) = (Place::Region(region), time.0 - suspended);
                    visits.push(Visit { place, begin: time, own_begin, inside: 0 });
                }
                Call::Leave(region) => {
                    let last = visits.last().filter(|of| of.place == Place::Region(region));
                    let Some(&visit) = last else { break Some(call) };
                    let depth = visits.len();
                    let inclusive = time.0 - suspended - visit.own_begin;
                    let ticks = match depth > before {
                        true => inclusive - visit.inside,
                        false => (time.0 - from) - (visit.inside - inside),
                    };
                    to.own(OwnTime { path: visits, ticks, ended: true });
                    visits.pop();
                    let around = visits.last_mut().map(|around| {
                        around.inside += inclusive;
                        around.inside
                    });
                    if depth <= before {
                        (before, from, inside) = (depth - 1, time.0, around.unwrap_or(0));
                    }
                }
            }
            now = time.0;
        };
        // The time of those that stay open.
        let own_now = now - suspended;
        let begin = |depth: usize| visits.get(depth).map_or(own_now, |visit| visit.own_begin);
        for depth in before.max(1)..=visits.len() {
            let (until, visit) = (begin(depth), visits[depth - 1]);
            let ticks = match depth > before {
                true => until - visit.own_begin - visit.inside,
                false => (until + suspended - from) - (visit.inside - inside),
            };
            to.own(OwnTime { path: &visits[..depth], ticks, ended: false });
        }
        self.now = self.now.max(now);
        (now, behind)
    }

    /// The stream is at its end: what is open will never end.
    pub fn end(self, mut tell: impl FnMut(Change<'_>)) {
        let stacks = std::iter::once(self.present).chain(self.others.into_rest());
        stacks.for_each(|mut stack| stack.drop_from(0, &mut tell));
    }

    /// Advances the clock. It stands still while times go back, R16.
    fn go_to(&mut self, time: Ticks) {
        self.now = self.now.max(time.0);
    }

    fn begin(&mut self, place: Place, begin: Ticks, tell: &mut impl FnMut(Change<'_>)) {
        self.end_off(tell);
        let own_begin = self.now - self.present.suspended;
        self.present.visits.push(Visit { place, begin, own_begin, inside: 0 });
        tell(Change::Begin { path: &self.present.visits });
    }

    /// A period without recording ends with whatever comes next, R28.
    fn end_off(&mut self, tell: &mut impl FnMut(Change<'_>)) {
        if self.present.visits.last().is_some_and(|visit| visit.place == Place::Off) {
            self.leave(Place::Off, tell);
        }
    }

    fn leave(&mut self, place: Place, tell: &mut impl FnMut(Change<'_>)) {
        let visits = &self.present.visits;
        let Some(at) = visits.iter().rposition(|visit| visit.place == place) else {
            if let Place::Region(region) = place {
                tell(Change::Unmatched { region });
            }
            return;
        };
        self.present.drop_from(at + 1, tell);
        let now = self.now - self.present.suspended;
        let visits = &mut self.present.visits;
        let visit = visits[at];
        let inclusive = now - visit.own_begin;
        let exclusive = inclusive.saturating_sub(visit.inside);
        tell(Change::End { path: visits, inclusive, exclusive });
        visits.pop();
        if let Some(around) = visits.last_mut() {
            around.inside += inclusive;
        }
    }

    fn switch(&mut self, task: Task, tell: &mut impl FnMut(Change<'_>)) {
        self.end_off(tell);
        self.present.since = self.now;
        self.others.switch(&mut self.present, task);
        self.resume();
    }

    fn complete(&mut self, task: Task, tell: &mut impl FnMut(Change<'_>)) {
        self.end_off(tell);
        self.present.since = self.now;
        let over = self.others.complete(&mut self.present, task);
        self.resume();
        if let Some(mut over) = over {
            over.drop_from(0, tell);
        }
    }

    fn resume(&mut self) {
        // A task that is new has no visit that began before.
        self.present.suspended = match self.present.visits.is_empty() {
            true => 0,
            false => self.present.suspended + (self.now - self.present.since),
        };
    }
}

impl TaskVisits {
    /// The visits from a depth on will never end, the innermost first.
    fn drop_from(&mut self, depth: usize, tell: &mut impl FnMut(Change<'_>)) {
        while self.visits.len() > depth {
            tell(Change::Drop { path: &self.visits });
            self.visits.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use streamfold_model::events::{Enter, Leave, MeasurementOnOff};
    use streamfold_model::ids::LocationRef;

    fn enter(region: u32) -> Event<'static> {
        Event::Enter(Enter { region: RegionRef(region) })
    }

    fn leave(region: u32) -> Event<'static> {
        Event::Leave(Leave { region: RegionRef(region) })
    }

    fn recording(mode: MeasurementMode) -> Event<'static> {
        Event::MeasurementOnOff(MeasurementOnOff { measurement_mode: mode })
    }

    /// Returns all changes: a letter, the place, and the times if there are any.
    fn changes(events: &[(u64, Event<'_>)]) -> Vec<String> {
        let (mut stack, mut found) = (CallStack::default(), Vec::new());
        let name = |path: &[Visit]| match path.last().map(|visit| visit.place) {
            Some(Place::Region(region)) => region.0.to_string(),
            _ => "off".to_owned(),
        };
        let mut tell = |change: Change<'_>| {
            found.push(match change {
                Change::Begin { path } => format!("+{}", name(path)),
                Change::End { path, inclusive, exclusive } => {
                    format!("-{} {inclusive} {exclusive}", name(path))
                }
                Change::Drop { path } => format!("!{}", name(path)),
                Change::Unmatched { region } => format!("?{}", region.0),
            });
        };
        for (number, (time, event)) in (1..).zip(events) {
            let (location, time) = (LocationRef(0), Ticks(*time));
            stack.take(&EventHead { location, number, time, attributes: &[] }, event, &mut tell);
        }
        stack.end(&mut tell);
        found
    }

    #[test]
    fn crossed_leaves_drop_what_is_inside() {
        let events = [(0, enter(1)), (1, enter(2)), (2, enter(3)), (4, leave(3)), (6, leave(1))];
        assert_eq!(changes(&events), ["+1", "+2", "+3", "-3 2 2", "!2", "-1 6 6"]);
    }

    #[test]
    fn a_leave_of_what_is_not_open_changes_nothing() {
        let events = [(0, enter(1)), (1, leave(2)), (5, leave(1)), (6, enter(4))];
        assert_eq!(changes(&events), ["+1", "?2", "-1 5 5", "+4", "!4"]);
    }

    #[test]
    fn time_stands_still_in_suspended_tasks() {
        let task = |number| Task::Omp(number).switch();
        let events = [
            (0, enter(1)),
            (1, task(7)),
            (1, enter(2)),
            (4, task(0)),
            (5, task(7)),
            (7, leave(2)),
            (8, task(0)),
            (9, leave(1)),
        ];
        // 2 runs from 1 to 4 and from 5 to 7, 1 runs from 0 to 1, from 4 to 5 and from 8 to 9.
        assert_eq!(changes(&events), ["+1", "+2", "-2 5 5", "-1 3 3"]);
    }

    #[test]
    fn recording_that_is_off_is_a_visit() {
        let (on, off) = (recording(MeasurementMode::On), recording(MeasurementMode::Off));
        let events = [(0, enter(1)), (2, off), (5, on), (6, off), (7, leave(1))];
        assert_eq!(changes(&events), ["+1", "+off", "-off 3 3", "+off", "-off 1 1", "-1 7 3"]);
    }

    #[test]
    fn the_clock_stands_still_where_time_goes_back() {
        let events = [(5, enter(1)), (3, enter(2)), (4, leave(2)), (9, leave(1))];
        assert_eq!(changes(&events), ["+1", "+2", "-2 0 0", "-1 4 4"]);
    }
}
