//! The first scan of a location: decides if it has any defect.
//!
//! Enters and leaves are most of any trace, and which of them comes next cannot be guessed, so what
//! is done for each must not depend on it. They are gathered, and then settled with the same few
//! instructions for both.

use streamfold_model::calls::Calls;
use streamfold_model::events::*;
use streamfold_model::references::ReferenceKind;
use streamfold_model::stream::{EventHead, EventSet};
use streamfold_model::values::Ticks;

use super::order::Flush;
use super::rules::Rules;
use super::scan::Scan;
use super::sink::{Sink, Suspicion};
use super::tasks::Stacks;
use crate::task::TaskEvent;

/// Enters and leaves that are gathered; a power of two.
const PENDING: usize = 1024;
/// Stands below the outermost visit: no region's number.
const GUARD: u64 = u64::MAX;

/// Receives the events of one location.
pub struct FirstLook<'a> {
    scan: Scan<'a, Suspicion>,
    /// Regions, doubled; one more for a leave.
    pending: [u64; PENDING],
    count: usize,
    /// Open regions, above a floor of as many guards as one gathering may leave.
    stack: Vec<u64>,
    depth: usize,
    /// From the first task on: the open regions, instead of those above.
    tasks: Option<Tasks>,
    /// The last flush, until something later follows it.
    flush: Option<Flush>,
    /// All regions below this one are defined.
    regions: u64,
    wrong: bool,
}

/// Open regions, once tasks run.
struct Tasks {
    present: Vec<u64>,
    stacks: Stacks<Vec<u64>>,
}

impl<'a> FirstLook<'a> {
    /// Begins with a location.
    pub fn new(rules: &'a Rules<'a>) -> Self {
        FirstLook {
            scan: Scan::new(rules, Suspicion::default()),
            pending: [0; PENDING],
            count: 0,
            stack: vec![GUARD; PENDING],
            depth: PENDING,
            tasks: None,
            flush: None,
            regions: rules.known.full(ReferenceKind::Region),
            wrong: false,
        }
    }

    /// Returns whether there was any defect up to here.
    pub fn is_suspicious(&mut self) -> bool {
        self.settle();
        self.wrong || self.scan.sink.any()
    }

    /// Returns whether a location has any defect, after all of its events were delivered.
    pub fn end(mut self) -> bool {
        self.scan.pairs.end(self.scan.rules, &mut self.scan.sink);
        self.is_suspicious() || self.leaves_open()
    }

    /// Returns whether any region is open.
    fn leaves_open(self) -> bool {
        let Some(Tasks { present, stacks }) = self.tasks else { return self.depth != PENDING };
        !present.is_empty() || stacks.into_rest().any(|stack| !stack.is_empty())
    }

    /// An event has this time.
    #[inline(always)]
    fn at(&mut self, time: Ticks) {
        if let Some(flush) = self.flush.filter(|flush| flush.is_before(time)) {
            self.wrong |= flush.overlaps(time);
            self.flush = None;
        }
    }

    /// Something happens to a task.
    fn task(&mut self, action: TaskEvent) {
        self.settle();
        match (action, &mut self.tasks) {
            (TaskEvent::Create(_), _) => {}
            (TaskEvent::Switch(task), Some(Tasks { present, stacks })) => {
                stacks.switch(present, task);
            }
            (TaskEvent::Complete(task), Some(Tasks { present, stacks })) => {
                let complete = stacks.complete(present, task);
                self.wrong |= complete.is_some_and(|stack| !stack.is_empty());
            }
            // Up to the first explicit task there is but one stack.
            (TaskEvent::Switch(task), None) if !task.is_implicit() => {
                let depth = self.depth.max(PENDING);
                let mut tasks = Tasks {
                    present: self.stack[PENDING..depth].to_vec(),
                    stacks: Stacks::default(),
                };
                tasks.stacks.switch(&mut tasks.present, task);
                self.tasks = Some(tasks);
            }
            (TaskEvent::Switch(_) | TaskEvent::Complete(_), None) => {}
        }
    }

    #[inline(always)]
    fn gather(&mut self, region: u64, leave: u64) {
        self.pending[self.count % PENDING] = region << 1 | leave;
        self.count += 1;
        if self.count == PENDING {
            self.settle();
        }
    }

    /// Opens and closes what was gathered. A leave compares the innermost open region with its own;
    /// an enter does the same and ignores the answer.
    #[inline(never)]
    fn settle(&mut self) {
        let count = std::mem::take(&mut self.count);
        if self.wrong {
            return;
        }
        let pending = &self.pending[..count.min(PENDING)];
        let rules = self.scan.rules;
        let known = |item: &u64| rules.known.has(ReferenceKind::Region, item >> 1);
        if let Some(tasks) = &mut self.tasks {
            self.wrong = !tasks.settle(pending) || !pending.iter().all(known);
            return;
        }
        if self.stack.len() < self.depth + count {
            self.stack.resize((self.depth + count).next_power_of_two(), GUARD);
        }
        let stack = &mut self.stack[..];
        let (mut depth, mut crossed, mut largest) = (self.depth, 0, 0);
        for item in pending {
            let (region, leave) = (item >> 1, item & 1);
            depth -= leave as usize;
            let innermost = &mut stack[depth];
            crossed |= (*innermost ^ region) & leave.wrapping_neg();
            *innermost = region;
            depth += 1 - leave as usize;
            largest = largest.max(region);
        }
        self.depth = depth;
        self.wrong = crossed != 0 || (largest >= self.regions && !pending.iter().all(known));
    }
}

impl Tasks {
    /// Does the same for the running task. Returns whether each leave is of the innermost open region.
    fn settle(&mut self, pending: &[u64]) -> bool {
        pending.iter().all(|item| match (item >> 1, item & 1) {
            (region, 0) => {
                self.present.push(region);
                true
            }
            (region, _) => self.present.pop() == Some(region),
        })
    }
}

macro_rules! of_tasks {
    ($($method:ident: $event:ident => $action:ident,)*) => {$(
        fn $method(&mut self, head: &EventHead<'_>, event: $event) {
            self.at(head.time);
            self.scan.event(head, Event::$event(event));
            self.task(TaskEvent::$action(event.into()));
        }
    )*};
}

impl EventVisitor for FirstLook<'_> {
    const WANTS: EventSet = EventSet::ALL;
    const ATTRIBUTES: bool = true;

    #[inline(always)]
    fn calls<C: Calls>(&mut self, calls: &mut C) {
        // Then each is delivered for itself, until something later follows the flush.
        if self.flush.is_some() {
            return;
        }
        // Nothing here may depend on which of both it is.
        while let Some(call) = calls.next() {
            self.gather(call.region().0.into(), call.is_leave().into());
        }
    }

    #[inline(always)]
    fn enter(&mut self, head: &EventHead<'_>, event: Enter) {
        self.at(head.time);
        self.scan.attributes(head, EventKind::Enter);
        self.gather(event.region.0.into(), 0);
    }

    #[inline(always)]
    fn leave(&mut self, head: &EventHead<'_>, event: Leave) {
        self.at(head.time);
        self.scan.attributes(head, EventKind::Leave);
        self.gather(event.region.0.into(), 1);
    }

    fn calling_context_enter(&mut self, head: &EventHead<'_>, event: CallingContextEnter) {
        self.at(head.time);
        self.scan.event(head, Event::CallingContextEnter(event));
        self.gather(self.scan.region_of(event.calling_context), 0);
    }

    fn calling_context_leave(&mut self, head: &EventHead<'_>, event: CallingContextLeave) {
        self.at(head.time);
        self.scan.event(head, Event::CallingContextLeave(event));
        self.gather(self.scan.region_of(event.calling_context), 1);
    }

    fn buffer_flush(&mut self, head: &EventHead<'_>, event: BufferFlush) {
        self.at(head.time);
        self.scan.event(head, Event::BufferFlush(event));
        let flush = Flush::new(head.time, event);
        self.wrong |= flush.is_wrong(self.scan.rules.definitions.clock.as_ref());
        if self.flush.is_none_or(|before| flush.outlasts(before)) {
            self.flush = Some(flush);
        }
    }

    of_tasks! {
        thread_task_create: ThreadTaskCreate => Create,
        thread_task_switch: ThreadTaskSwitch => Switch,
        thread_task_complete: ThreadTaskComplete => Complete,
        omp_task_create: OmpTaskCreate => Create,
        omp_task_switch: OmpTaskSwitch => Switch,
        omp_task_complete: OmpTaskComplete => Complete,
    }

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        self.at(head.time);
        self.scan.event(head, event);
    }

    fn unknown(&mut self, head: &EventHead<'_>, id: u8) {
        self.at(head.time);
        self.scan.unknown(head, id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use streamfold_model::definitions::{Definition, Region};
    use streamfold_model::enums::{Paradigm, RegionFlag, RegionRole};
    use streamfold_model::ids::{LocationRef, RegionRef, StringRef};
    use streamfold_model::store::Definitions;

    fn definitions(regions: &[u32]) -> Definitions {
        let mut definitions = Definitions::default();
        for id in regions {
            let name = StringRef::UNDEFINED;
            definitions.insert(Definition::Region(Region {
                id: RegionRef(*id),
                name,
                description: name,
                source_file: name,
                begin_line_number: 0,
                end_line_number: 0,
                canonical_name: name,
                region_role: RegionRole::Function,
                paradigm: Paradigm::User,
                region_flags: RegionFlag::NONE,
            }));
        }
        definitions
    }

    /// Positive numbers enter a region, negative ones leave it.
    fn suspicious(regions: &[u32], visits: impl IntoIterator<Item = i64>) -> bool {
        let definitions = definitions(regions);
        let rules = Rules::new(&definitions);
        let mut look = FirstLook::new(&rules);
        let location = LocationRef(0);
        let head = EventHead { location, number: 1, time: Ticks(0), attributes: &[] };
        for visit in visits {
            let region = RegionRef(visit.unsigned_abs() as u32);
            match visit > 0 {
                true => look.enter(&head, Enter { region }),
                false => look.leave(&head, Leave { region }),
            }
        }
        look.end()
    }

    #[test]
    fn what_is_nested_is_not_suspicious() {
        assert!(!suspicious(&[0, 1, 2], []));
        assert!(!suspicious(&[0, 1, 2], [1, 2, -2, 2, -2, -1]));
        let deep = (0..5000).map(|_| 1).chain((0..5000).map(|_| -1));
        assert!(!suspicious(&[0, 1], deep.clone().chain(deep)));
    }

    #[test]
    fn what_is_not_nested_is_suspicious() {
        for visits in [&[1, -2][..], &[1], &[-1], &[1, 2, -1, -2], &[1, -1, -1, 1]] {
            assert!(suspicious(&[0, 1, 2], visits.iter().copied()), "{visits:?}");
        }
        assert!(suspicious(&[0, 1], (0..3000).map(|_| -1)));
        assert!(suspicious(&[0, 1], (0..3000).map(|_| 1)));
    }

    #[test]
    fn regions_are_known_wherever_they_are() {
        let spread = [1, 536_870_911];
        assert!(!suspicious(&spread, [536_870_911, 1, -1, -536_870_911]));
        assert!(suspicious(&spread, [536_870_910, -536_870_910]));
        assert!(suspicious(&spread, [2, -2]));
    }
}
