//! The events of a thread.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::events::{Event, EventKind, EventVisitor};
use streamfold_model::ids::{CommRef, LocationRef, MetricMemberRef, RegionRef};
use streamfold_model::stream::{EventHead, EventSet};
use streamfold_model::values::{Ticks, TypedValue};

use super::sums::{CollectiveClass, Growth, ProcessSums, RegionSums};
use super::ProcessKernel;
use crate::call_stack::{CallStack, Change, Place};
use crate::task::Task;

/// The state of a worker.
#[derive(Debug, Default)]
pub struct ProcessWorker {
    pub(super) found: ProcessSums,
}

/// Receives the events of a thread.
#[derive(Debug)]
pub struct ProcessScan<'w> {
    kernel: &'w ProcessKernel,
    found: &'w mut ProcessSums,
    location: LocationRef,
    stack: CallStack,
    regions: HashMap<RegionRef, RegionSums, RandomState>,
    /// Of each task and of the thread itself what counters said in its open visits.
    counters: HashMap<Option<Task>, Vec<Counters>, RandomState>,
    /// The last value of each counter, and when that was.
    last: HashMap<MetricMemberRef, (Ticks, TypedValue), RandomState>,
    /// The values at the time of the last one.
    latest: (Ticks, Vec<(MetricMemberRef, TypedValue)>),
    growth: HashMap<(RegionRef, MetricMemberRef), (Growth, Growth), RandomState>,
    /// When the collective operations began that have not ended.
    collectives: Vec<Ticks>,
}

/// Values of counters in an open visit.
#[derive(Debug)]
struct Counters {
    begin: Ticks,
    of: Vec<(MetricMemberRef, Counter)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counter {
    /// The value when the visit began. One that was recorded behind the enter takes the place of one before it.
    first: Option<TypedValue>,
    is_behind: bool,
    /// Growth in visits directly inside.
    inside: Growth,
}

impl Counters {
    fn of(&mut self, counter: MetricMemberRef) -> &mut Counter {
        let place = self.of.iter().position(|(of, _)| *of == counter);
        let place = place.unwrap_or_else(|| {
            self.of.push((counter, Counter::default()));
            self.of.len() - 1
        });
        &mut self.of[place].1
    }
}

impl<'w> ProcessScan<'w> {
    pub(super) fn new(
        kernel: &'w ProcessKernel,
        worker: &'w mut ProcessWorker,
        location: LocationRef,
    ) -> Self {
        ProcessScan {
            kernel,
            found: &mut worker.found,
            location,
            stack: CallStack::default(),
            regions: HashMap::default(),
            counters: HashMap::default(),
            last: HashMap::default(),
            latest: (Ticks(0), Vec::new()),
            growth: HashMap::default(),
            collectives: Vec::new(),
        }
    }

    pub(super) fn end(self) {
        let ProcessScan { found, location, regions, growth, .. } = self;
        found.regions.extend(regions.into_iter().map(|(region, sums)| ((location, region), sums)));
        found.counters.extend(
            growth.into_iter().map(|((region, counter), of)| ((location, region, counter), of)),
        );
    }

    fn visit(&mut self, head: &EventHead<'_>, event: &Event<'_>) {
        let task = self.stack.task();
        let ProcessScan { stack, counters, regions, growth, last, latest, found, .. } = self;
        let open = counters.entry(task).or_default();
        stack.take(head, event, |change| match change {
            Change::Begin { path } => {
                open.truncate(path.len() - 1);
                let values = latest.1.iter().filter(|_| latest.0 == head.time);
                let known = |(counter, value): &(MetricMemberRef, TypedValue)| {
                    (*counter, Counter { first: Some(*value), ..Counter::default() })
                };
                open.push(Counters { begin: head.time, of: values.map(known).collect() });
            }
            Change::End { path, inclusive, exclusive } => {
                open.truncate(path.len());
                let counters = open.pop();
                let Some(Place::Region(region)) = path.last().map(|visit| visit.place) else {
                    return;
                };
                let sums = regions.entry(region).or_default();
                sums.calls += 1;
                sums.inclusive += u128::from(inclusive);
                sums.exclusive += u128::from(exclusive);
                for (counter, of) in counters.into_iter().flat_map(|counters| counters.of) {
                    let last = last.get(&counter).filter(|(time, _)| *time == head.time);
                    let (Some(first), Some((_, last))) = (of.first, last) else { continue };
                    let grown = Growth::between(first, *last);
                    let sums = growth.entry((region, counter)).or_default();
                    sums.0 = sums.0.plus(grown.minus(of.inside));
                    sums.1 = sums.1.plus(grown);
                    if let Some(around) = open.last_mut() {
                        let around = around.of(counter);
                        around.inside = around.inside.plus(grown);
                    }
                }
            }
            Change::Drop { path } => open.truncate(path.len() - 1),
            Change::Unmatched { .. } => found.unmatched += 1,
        });
        if open.is_empty() {
            counters.remove(&task);
        }
    }

    fn sent(&mut self, head: &EventHead<'_>, (comm, receiver): (CommRef, u32), length: u64) {
        let received =
            head.attributes.iter().find(|it| self.kernel.received.contains(&it.attribute));
        let time = received.and_then(|at| at.value.bits.checked_sub(head.time.0));
        let time = time.filter(|time| *time > 0);
        let sums = self.found.messages.entry(self.location).or_default();
        sums.sent += 1;
        sums.bytes_sent += u128::from(length);
        sums.time += u128::from(time.unwrap_or(0));
        let to = self.found.sent.entry((self.location, comm, receiver)).or_default();
        *to = (to.0 + 1, to.1 + u128::from(length));
        self.found.sizes.entry(length).or_default().add(time);
    }

    fn received(&mut self, length: u64) {
        let sums = self.found.messages.entry(self.location).or_default();
        sums.received += 1;
        sums.bytes_received += u128::from(length);
    }
}

impl EventVisitor for ProcessScan<'_> {
    const WANTS: EventSet = CallStack::WANTS.and(EventSet::of(&[
        EventKind::Metric,
        EventKind::MpiSend,
        EventKind::MpiIsend,
        EventKind::MpiRecv,
        EventKind::MpiIrecv,
        EventKind::MpiCollectiveBegin,
        EventKind::MpiCollectiveEnd,
    ]));
    const ATTRIBUTES: bool = true;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        match event {
            Event::Metric(metric) => {
                let Some(members) = self.kernel.metrics.get(&metric.metric) else { return };
                let open =
                    self.counters.get_mut(&self.stack.task()).and_then(|open| open.last_mut());
                let mut open = open.filter(|open| open.begin == head.time);
                let (time, latest) = &mut self.latest;
                if *time != head.time {
                    *time = head.time;
                    latest.clear();
                }
                for (member, value) in members.iter().zip(metric.values) {
                    let Some(member) = *member else { continue };
                    self.last.insert(member, (head.time, *value));
                    match latest.iter_mut().find(|(known, _)| *known == member) {
                        Some((_, known)) => *known = *value,
                        None => latest.push((member, *value)),
                    }
                    if let Some(of) = open.as_mut().map(|open| open.of(member)) {
                        if !of.is_behind {
                            (of.first, of.is_behind) = (Some(*value), true);
                        }
                    }
                }
            }
            Event::MpiSend(send) => {
                self.sent(head, (send.communicator, send.receiver), send.msg_length);
            }
            Event::MpiIsend(send) => {
                self.sent(head, (send.communicator, send.receiver), send.msg_length);
            }
            Event::MpiRecv(receive) => self.received(receive.msg_length),
            Event::MpiIrecv(receive) => self.received(receive.msg_length),
            Event::MpiCollectiveBegin(_) => self.collectives.push(head.time),
            Event::MpiCollectiveEnd(end) => {
                let begin = self.collectives.pop().unwrap_or(head.time);
                let Some(class) = CollectiveClass::of(end.collective_op) else { return };
                let sums = self.found.collectives.entry((self.location, class)).or_default();
                let is_barrier = class == CollectiveClass::Barrier;
                let sends = is_barrier || end.size_sent > 0;
                sums.sent += u64::from(sends);
                sums.received += u64::from(is_barrier || end.size_received > 0);
                sums.bytes_sent += u128::from(end.size_sent);
                sums.bytes_received += u128::from(end.size_received);
                if sends {
                    sums.time += u128::from(head.time.0.saturating_sub(begin.0));
                }
            }
            event => self.visit(head, &event),
        }
    }
}
