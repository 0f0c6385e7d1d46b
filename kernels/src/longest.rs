//! The longest visits of a region: how long each took, at which location and on which call path, and how many bytes
//! were moved in it.
//!
//! Visits follow the rules of [`CallStack`]. Each visit counts, those inside of another one of the same region too. A
//! visit that never ends has no time. The longest come first; of equal ones, those with the smallest location, then
//! event. Messages, collective operations, accesses to memory and operations on files belong to all visits in which
//! they are recorded, of the task that records them.

use std::cmp::Reverse;
use std::collections::HashSet;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::events::{Event, EventKind, EventVisitor};
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};

use crate::call_stack::{CallStack, Change, Place, Visit};
use crate::matching::Amount;
use crate::task::TaskEvent;
use crate::validate::{Stack, Stacks};
use crate::Kernel;

/// Regions of a call path that are kept, the innermost ones.
pub const MOST_REGIONS: usize = 64;

/// A visit that ended. Times are in ticks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LongVisit {
    /// Its time, without that in which its task was suspended.
    pub ticks: u64,
    /// Its location.
    pub location: LocationRef,
    /// The number of its enter there; 0: it began before the window of time.
    pub number: u64,
    /// The time of its enter.
    pub begin: u64,
    /// The time of its leave.
    pub end: u64,
    /// The regions of its call path, the outermost first and itself last.
    pub path: Vec<RegionRef>,
    /// Set if there are further regions around these.
    pub is_deeper: bool,
    /// Bytes that were moved in it.
    pub moved: Moved,
}

impl LongVisit {
    /// Its place among others: no two have the same.
    fn place(&self) -> impl Ord + '_ {
        let at = (Reverse(self.ticks), self.location, self.number, self.begin, self.end);
        (at, &self.path, self.is_deeper)
    }
}

/// Recorded operations that move bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// Messages that were sent.
    pub sent: Amount,
    /// Messages that were received.
    pub received: Amount,
    /// Collective operations that ended; bytes that were sent and received.
    pub collective: Amount,
    /// Accesses to the memory of others.
    pub accessed: Amount,
    /// Operations on files that ended.
    pub files: Amount,
}

impl Moved {
    /// All kinds.
    pub fn each(&self) -> [Amount; 5] {
        [self.sent, self.received, self.collective, self.accessed, self.files]
    }

    /// Operations and bytes of all kinds.
    pub fn all(&self) -> Amount {
        self.each().iter().fold(Amount::default(), |mut all, of| {
            all.add(of);
            all
        })
    }

    /// Operations after those of another state of the same sums.
    fn since(&self, before: &Moved) -> Moved {
        let less = |of: fn(&Moved) -> Amount| {
            let (now, before) = (of(self), of(before));
            Amount { count: now.count - before.count, bytes: now.bytes - before.bytes }
        };
        Moved {
            sent: less(|of| of.sent),
            received: less(|of| of.received),
            collective: less(|of| of.collective),
            accessed: less(|of| of.accessed),
            files: less(|of| of.files),
        }
    }

    /// Adds an operation of an event.
    fn take(&mut self, event: &Event<'_>) {
        let both = |sent: u64, received: u64| sent.saturating_add(received);
        match event {
            Event::MpiSend(of) => self.sent.count(of.msg_length),
            Event::MpiIsend(of) => self.sent.count(of.msg_length),
            Event::MpiRecv(of) => self.received.count(of.msg_length),
            Event::MpiIrecv(of) => self.received.count(of.msg_length),
            Event::MpiMrecv(of) => self.received.count(of.msg_length),
            Event::MpiImrecv(of) => self.received.count(of.msg_length),
            Event::MpiCollectiveEnd(of) => {
                self.collective.count(both(of.size_sent, of.size_received));
            }
            Event::NonBlockingCollectiveComplete(of) => {
                self.collective.count(both(of.size_sent, of.size_received));
            }
            Event::RmaPut(of) => self.accessed.count(of.bytes),
            Event::RmaGet(of) => self.accessed.count(of.bytes),
            Event::RmaAtomic(of) => self.accessed.count(both(of.bytes_sent, of.bytes_received)),
            Event::RmaCollectiveEnd(of) => {
                self.accessed.count(both(of.bytes_sent, of.bytes_received));
            }
            Event::IoOperationComplete(of) => self.files.count(of.bytes_result),
            _ => {}
        }
    }
}

/// Visits of the regions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Longest {
    /// The longest ones, in their order.
    pub visits: Vec<LongVisit>,
    /// All visits that ended.
    pub count: u64,
    /// Their time.
    pub ticks: u128,
    /// Visits that never ended.
    pub open: u64,
}

impl Longest {
    /// Leaves those that are among the longest.
    fn settle(&mut self, most: usize) {
        self.visits.sort_by(|a, b| a.place().cmp(&b.place()));
        self.visits.truncate(most);
    }
}

/// Finds the longest visits of some regions, as if these were one.
#[derive(Debug)]
pub struct LongestKernel {
    regions: HashSet<RegionRef, RandomState>,
    most: usize,
}

impl LongestKernel {
    /// Of these regions: so many visits at most.
    pub fn new(regions: impl IntoIterator<Item = RegionRef>, most: usize) -> Self {
        LongestKernel { regions: regions.into_iter().collect(), most }
    }

    fn has(&self, path: &[Visit]) -> bool {
        let region = path.last().map(|visit| visit.place);
        matches!(region, Some(Place::Region(region)) if self.regions.contains(&region))
    }
}

/// The state of a worker.
#[derive(Debug, Default)]
pub struct LongestWorker {
    found: Longest,
    /// Shorter visits are not among the longest.
    least: u64,
}

impl LongestWorker {
    /// Adds a visit that ended.
    fn add(&mut self, most: usize, ticks: u64, visit: impl FnOnce() -> LongVisit) {
        self.found.count += 1;
        self.found.ticks += u128::from(ticks);
        if ticks < self.least || most == 0 {
            return;
        }
        self.found.visits.push(visit());
        if self.found.visits.len() >= most.saturating_mul(2) {
            self.found.settle(most);
            self.least = self.found.visits.last().map_or(0, |visit| visit.ticks);
        }
    }
}

/// Open visits of the regions, of one task.
#[derive(Debug, Default)]
struct TaskVisits {
    /// The number of the enter, its time, and what was moved before.
    open: Vec<(u64, u64, Moved)>,
    /// Bytes that were moved since the first of the visits began, or before that.
    moved: Moved,
}

impl Stack for TaskVisits {
    fn is_blank(&self) -> bool {
        self.open.is_empty()
    }
}

/// Receives the events of a location.
#[derive(Debug)]
pub struct LongestScan<'w> {
    kernel: &'w LongestKernel,
    worker: &'w mut LongestWorker,
    location: LocationRef,
    stack: CallStack,
    present: TaskVisits,
    others: Stacks<TaskVisits>,
    now: u64,
}

impl EventVisitor for LongestScan<'_> {
    const WANTS: EventSet = CallStack::WANTS.and(EventSet::of(&[
        EventKind::MpiSend,
        EventKind::MpiIsend,
        EventKind::MpiRecv,
        EventKind::MpiIrecv,
        EventKind::MpiMrecv,
        EventKind::MpiImrecv,
        EventKind::MpiCollectiveEnd,
        EventKind::NonBlockingCollectiveComplete,
        EventKind::RmaPut,
        EventKind::RmaGet,
        EventKind::RmaAtomic,
        EventKind::RmaCollectiveEnd,
        EventKind::IoOperationComplete,
    ]));

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        let LongestScan { kernel, worker, location, stack, present, others, now } = self;
        *now = head.time.0.max(*now);
        let task = TaskEvent::of(&event);
        stack.take(head, &event, |change| match change {
            Change::Begin { path } if kernel.has(path) => {
                present.open.push((head.number, *now, present.moved));
            }
            Change::End { path, inclusive, .. } if kernel.has(path) => {
                let Some((number, begin, before)) = present.open.pop() else { return };
                worker.add(kernel.most, inclusive, || {
                    let regions = path.iter().rev().filter_map(|visit| match visit.place {
                        Place::Region(region) => Some(region),
                        Place::Off => None,
                    });
                    let mut path: Vec<RegionRef> = regions.take(MOST_REGIONS + 1).collect();
                    let is_deeper = path.len() > MOST_REGIONS;
                    path.truncate(MOST_REGIONS);
                    path.reverse();
                    let moved = present.moved.since(&before);
                    let (ticks, location, end) = (inclusive, *location, *now);
                    LongVisit { ticks, location, number, begin, end, path, is_deeper, moved }
                });
            }
            Change::Drop { path } if kernel.has(path) => {
                // Visits of a task that is over end with it.
                if task.is_none() {
                    present.open.pop();
                }
                worker.found.open += 1;
            }
            _ => {}
        });
        match task {
            Some(TaskEvent::Switch(task)) => others.switch(present, task),
            Some(TaskEvent::Complete(task)) => drop(others.complete(present, task)),
            Some(TaskEvent::Create(_)) => {}
            None => present.moved.take(&event),
        }
    }
}

impl Kernel for LongestKernel {
    type Worker = LongestWorker;
    type Scan<'w> = LongestScan<'w>;
    type Partial = Longest;

    fn worker(&self) -> LongestWorker {
        LongestWorker::default()
    }

    fn scan<'w>(&'w self, worker: &'w mut LongestWorker, location: LocationRef) -> LongestScan<'w> {
        let (stack, present, others, now) = Default::default();
        LongestScan { kernel: self, worker, location, stack, present, others, now }
    }

    fn end<'w>(&'w self, scan: LongestScan<'w>, _: &StreamSummary) {
        let LongestScan { kernel, worker, stack, .. } = scan;
        stack.end(|change| {
            let is_open = matches!(change, Change::Drop { path } if kernel.has(path));
            worker.found.open += u64::from(is_open);
        });
    }

    fn partial(&self, worker: LongestWorker) -> Longest {
        let mut found = worker.found;
        found.settle(self.most);
        found
    }

    fn fold(&self, mut into: Longest, other: Longest) -> Longest {
        into.visits.extend(other.visits);
        into.settle(self.most);
        into.count += other.count;
        into.ticks += other.ticks;
        into.open += other.open;
        into
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::collection;
    use proptest::prelude::*;
    use streamfold_model::events::{Enter, IoOperationComplete, Leave, MpiSend};
    use streamfold_model::ids::{CommRef, IoHandleRef};
    use streamfold_model::values::Ticks;

    use super::*;
    use crate::task::Task;

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Enter(u32),
        Leave(u32),
        Switch(u64),
        Complete(u64),
        Send(u64),
        Write(u64),
    }

    type Steps = Vec<(u64, Step)>;

    fn event(step: Step) -> Event<'static> {
        match step {
            Step::Enter(region) => Event::Enter(Enter { region: RegionRef(region) }),
            Step::Leave(region) => Event::Leave(Leave { region: RegionRef(region) }),
            Step::Switch(task) => Task::Omp(task).switch(),
            Step::Complete(task_id) => {
                Event::OmpTaskComplete(streamfold_model::events::OmpTaskComplete { task_id })
            }
            Step::Send(msg_length) => {
                let communicator = CommRef(0);
                Event::MpiSend(MpiSend { receiver: 0, communicator, msg_tag: 0, msg_length })
            }
            Step::Write(bytes_result) => {
                let handle = IoHandleRef(0);
                Event::IoOperationComplete(IoOperationComplete {
                    handle,
                    bytes_result,
                    matching_id: 0,
                })
            }
        }
    }

    fn scan(kernel: &LongestKernel, worker: &mut LongestWorker, location: u64, steps: &Steps) {
        let location = LocationRef(location);
        let mut scan = kernel.scan(worker, location);
        let mut time = 0;
        for (number, (after, step)) in (1..).zip(steps) {
            time += after;
            let head = EventHead { location, number, time: Ticks(time), attributes: &[] };
            scan.event(&head, event(*step));
        }
        kernel.end(scan, &StreamSummary::default());
    }

    /// An open visit, to which each tick and each operation of its task is added.
    #[derive(Clone)]
    struct Slow {
        region: u32,
        begin: u64,
        number: u64,
        ticks: u64,
        bytes: [u128; 2],
    }

    /// The same with a list of open visits for each task.
    fn slow(regions: &[u32], location: u64, steps: &Steps) -> (Vec<LongVisit>, u64) {
        let mut stacks: BTreeMap<u64, Vec<Slow>> = BTreeMap::new();
        let (mut running, mut time, mut open, mut found) = (0, 0, 0, Vec::new());
        let of = |slow: &Slow| u64::from(regions.contains(&slow.region));
        for (number, (after, step)) in (1..).zip(steps) {
            let stack = stacks.entry(running).or_default();
            stack.iter_mut().for_each(|visit| visit.ticks += after);
            time += after;
            match *step {
                Step::Enter(region) => {
                    let (begin, ticks, bytes) = (time, 0, [0; 2]);
                    stack.push(Slow { region, begin, number, ticks, bytes });
                }
                Step::Leave(region) => {
                    let Some(at) = stack.iter().rposition(|of| of.region == region) else {
                        continue;
                    };
                    open += stack.split_off(at + 1).iter().map(of).sum::<u64>();
                    let path = stack.iter().map(|of| RegionRef(of.region)).collect();
                    let visit = stack.pop().expect("a visit");
                    let amount = |bytes: u128| Amount { count: u64::from(bytes > 0), bytes };
                    let (sent, files) = (amount(visit.bytes[0]), amount(visit.bytes[1]));
                    let of = LongVisit {
                        ticks: visit.ticks,
                        location: LocationRef(location),
                        number: visit.number,
                        begin: visit.begin,
                        end: time,
                        path,
                        is_deeper: false,
                        moved: Moved { sent, files, ..Moved::default() },
                    };
                    found.extend(regions.contains(&region).then_some(of));
                }
                Step::Switch(task) => running = task,
                Step::Complete(task) => {
                    if task > 0 {
                        let over = stacks.remove(&task).unwrap_or_default();
                        open += over.iter().map(of).sum::<u64>();
                    }
                    running = if running == task { 0 } else { running };
                }
                Step::Send(bytes) => {
                    stack.iter_mut().for_each(|visit| visit.bytes[0] += u128::from(bytes));
                }
                Step::Write(bytes) => {
                    stack.iter_mut().for_each(|visit| visit.bytes[1] += u128::from(bytes));
                }
            }
        }
        (found, open + stacks.values().flatten().map(of).sum::<u64>())
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => (1..4u32).prop_map(Step::Enter),
            4 => (1..4u32).prop_map(Step::Leave),
            1 => (0..3u64).prop_map(Step::Switch),
            1 => (1..3u64).prop_map(Step::Complete),
            1 => (1..9u64).prop_map(Step::Send),
            1 => (1..9u64).prop_map(Step::Write),
        ]
    }

    /// The count of operations: the slow way knows bytes only.
    fn without_counts(mut visits: Vec<LongVisit>) -> Vec<LongVisit> {
        for visit in &mut visits {
            for of in [&mut visit.moved.sent, &mut visit.moved.files] {
                of.count = u64::from(of.bytes > 0);
            }
        }
        visits
    }

    proptest! {
        #[test]
        fn a_list_of_open_visits_says_the_same(
            streams in collection::vec(collection::vec((0..5u64, step()), 0..40), 1..4),
            most in 0..6usize,
            regions in collection::vec(1..4u32, 0..3),
        ) {
            let kernel = LongestKernel::new(regions.iter().copied().map(RegionRef), most);
            let mut one = kernel.worker();
            (0..).zip(&streams).for_each(|(location, steps)| scan(&kernel, &mut one, location, steps));
            let one = kernel.partial(one);
            let each = (0..).zip(&streams).map(|(location, steps)| {
                let mut worker = kernel.worker();
                scan(&kernel, &mut worker, location, steps);
                kernel.partial(worker)
            });
            let folded = each.reduce(|a, b| kernel.fold(b, a)).expect("one");
            prop_assert_eq!(&one, &folded);
            let slow = (0..).zip(&streams).map(|(location, steps)| slow(&regions, location, steps));
            let (visits, open): (Vec<_>, Vec<_>) = slow.unzip();
            let mut visits = visits.concat();
            prop_assert_eq!(one.count, visits.len() as u64);
            prop_assert_eq!(one.ticks, visits.iter().map(|of| u128::from(of.ticks)).sum::<u128>());
            prop_assert_eq!(one.open, open.iter().sum::<u64>());
            visits.sort_by_key(|of| (Reverse(of.ticks), of.location, of.number));
            visits.truncate(most);
            prop_assert_eq!(without_counts(one.visits), visits);
        }
    }

    #[test]
    fn deep_call_paths_are_cut_at_their_begin() {
        let kernel = LongestKernel::new([RegionRef(7)], 1);
        let mut steps: Steps = (100..200).map(|region| (1, Step::Enter(region))).collect();
        steps.extend([(1, Step::Enter(7)), (3, Step::Leave(7))]);
        let mut worker = kernel.worker();
        scan(&kernel, &mut worker, 0, &steps);
        let found = kernel.partial(worker);
        let visit = &found.visits[0];
        assert!(visit.is_deeper && visit.path.len() == MOST_REGIONS);
        assert_eq!(visit.path[..1], [RegionRef(200 - 63)]);
        assert_eq!((visit.path[63], visit.ticks, visit.number), (RegionRef(7), 3, 101));
    }
}
