//! One location: its stack, and the events that move it.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::events::*;
use streamfold_model::ids::{CallingContextRef, LocationRef, RegionRef};
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};

use super::partial::Worker;
use super::tally::{LocationRow, Oddities, Traffic};
use super::tree::PathIndex;

/// Receives the events of one location.
pub struct Scan<'w> {
    definitions: &'w Definitions,
    worker: &'w mut Worker,
    stack: Vec<Frame>,
    current: PathIndex,
    now: u64,
    row: LocationRow,
    /// How often each region is open, once a stream has shown that somebody has to know: else a leave
    /// of a region that is not open would look through the whole stack each time.
    open: Option<HashMap<RegionRef, usize, RandomState>>,
}

/// Stacks up to this depth are looked through.
const SHALLOW: usize = 64;

/// An open visit.
#[derive(Clone, Copy, Debug)]
struct Frame {
    path: PathIndex,
    region: RegionRef,
    begin: u64,
    /// Inclusive time of the visits directly inside.
    inside: u64,
}

impl<'w> Scan<'w> {
    pub(super) fn new(
        definitions: &'w Definitions,
        worker: &'w mut Worker,
        location: LocationRef,
    ) -> Self {
        let row = LocationRow {
            location,
            events: 0,
            unknown: 0,
            first: None,
            last: None,
            visits: 0,
            closed: 0,
            inclusive: 0,
            inside: 0,
            shortest: u64::MAX,
            longest: 0,
            depth: 0,
            traffic: Traffic::default(),
            oddities: Oddities::default(),
        };
        Scan {
            definitions,
            worker,
            stack: Vec::new(),
            current: PathIndex::ROOT,
            now: 0,
            row,
            open: None,
        }
    }

    #[inline(always)]
    fn begin(&mut self, head: &EventHead<'_>, region: RegionRef) {
        self.now = self.now.max(head.time.0);
        let path = self.worker.enter(self.current, region);
        self.stack.push(Frame { path, region, begin: self.now, inside: 0 });
        self.row.depth = self.row.depth.max(self.stack.len() as u64);
        self.current = path;
        if let Some(open) = &mut self.open {
            *open.entry(region).or_default() += 1;
        }
    }

    #[inline(always)]
    fn finish(&mut self, head: &EventHead<'_>, region: RegionRef) {
        self.now = self.now.max(head.time.0);
        match self.stack.last() {
            Some(frame) if frame.region == region => {}
            _ => {
                if !self.drop_to(region) {
                    return;
                }
            }
        }
        let Some(frame) = self.stack.pop() else { return };
        if self.open.is_some() {
            self.close(&[frame]);
        }
        let inclusive = self.now - frame.begin;
        self.worker.leave(frame.path, inclusive, inclusive - frame.inside);
        self.current = PathIndex::ROOT;
        if let Some(outer) = self.stack.last_mut() {
            outer.inside += inclusive;
            self.current = outer.path;
        }
    }

    /// Drops the visits inside of the nearest open one of a region; `false`: it is not open.
    #[cold]
    fn drop_to(&mut self, region: RegionRef) -> bool {
        let may_be_open = match &self.open {
            Some(open) => open.get(&region).is_some_and(|count| *count > 0),
            None => true,
        };
        let nearest = match may_be_open {
            true => self.stack.iter().rposition(|frame| frame.region == region),
            false => None,
        };
        let Some(nearest) = nearest else {
            self.row.oddities.unmatched += 1;
            if self.open.is_none() && self.stack.len() > SHALLOW {
                self.count_open();
            }
            return false;
        };
        let dropped = self.stack.split_off(nearest + 1);
        self.row.oddities.crossed += 1;
        self.row.oddities.dropped += dropped.len() as u64;
        self.close(&dropped);
        true
    }

    fn count_open(&mut self) {
        let mut open: HashMap<_, _, RandomState> = HashMap::default();
        for frame in &self.stack {
            *open.entry(frame.region).or_default() += 1;
        }
        self.open = Some(open);
    }

    /// Takes visits that are no longer open from the counts, where there are any.
    #[cold]
    fn close(&mut self, frames: &[Frame]) {
        let Some(open) = &mut self.open else { return };
        for frame in frames {
            if let Some(count) = open.get_mut(&frame.region) {
                *count -= 1;
            }
        }
    }

    fn region_of(&mut self, context: CallingContextRef) -> RegionRef {
        match self.definitions.calling_contexts.get(&context) {
            Some(context) => context.region,
            None => {
                self.row.oddities.undefined_contexts += 1;
                RegionRef::UNDEFINED
            }
        }
    }

    fn sent(&mut self, bytes: u64) {
        let traffic = self.worker.traffic(self.current);
        traffic.sent += 1;
        traffic.bytes_sent += u128::from(bytes);
    }

    fn received(&mut self, bytes: u64) {
        let traffic = self.worker.traffic(self.current);
        traffic.received += 1;
        traffic.bytes_received += u128::from(bytes);
    }

    fn collective(&mut self, sent: u64, received: u64) {
        let traffic = self.worker.traffic(self.current);
        traffic.collectives += 1;
        traffic.collective_bytes_sent += u128::from(sent);
        traffic.collective_bytes_received += u128::from(received);
    }

    pub(super) fn end(mut self, summary: &StreamSummary) {
        self.row.events = summary.events;
        self.row.unknown = summary.unknown;
        self.row.first = summary.first;
        self.row.last = summary.last;
        self.row.oddities.backward = summary.backward;
        self.row.oddities.open = self.stack.len() as u64;
        self.worker.end_location(self.row);
    }
}

impl EventVisitor for Scan<'_> {
    const WANTS: EventSet = EventSet::of(&[
        EventKind::Enter,
        EventKind::Leave,
        EventKind::CallingContextEnter,
        EventKind::CallingContextLeave,
        EventKind::MpiSend,
        EventKind::MpiIsend,
        EventKind::MpiRecv,
        EventKind::MpiIrecv,
        EventKind::MpiCollectiveEnd,
        EventKind::NonBlockingCollectiveComplete,
    ]);

    #[inline(always)]
    fn enter(&mut self, head: &EventHead<'_>, event: Enter) {
        self.begin(head, event.region);
    }

    #[inline(always)]
    fn leave(&mut self, head: &EventHead<'_>, event: Leave) {
        self.finish(head, event.region);
    }

    fn calling_context_enter(&mut self, head: &EventHead<'_>, event: CallingContextEnter) {
        let region = self.region_of(event.calling_context);
        self.begin(head, region);
    }

    fn calling_context_leave(&mut self, head: &EventHead<'_>, event: CallingContextLeave) {
        let region = self.region_of(event.calling_context);
        self.finish(head, region);
    }

    #[inline]
    fn mpi_send(&mut self, _: &EventHead<'_>, event: MpiSend) {
        self.sent(event.msg_length);
    }

    #[inline]
    fn mpi_isend(&mut self, _: &EventHead<'_>, event: MpiIsend) {
        self.sent(event.msg_length);
    }

    #[inline]
    fn mpi_recv(&mut self, _: &EventHead<'_>, event: MpiRecv) {
        self.received(event.msg_length);
    }

    #[inline]
    fn mpi_irecv(&mut self, _: &EventHead<'_>, event: MpiIrecv) {
        self.received(event.msg_length);
    }

    #[inline]
    fn mpi_collective_end(&mut self, _: &EventHead<'_>, event: MpiCollectiveEnd) {
        self.collective(event.size_sent, event.size_received);
    }

    #[inline]
    fn non_blocking_collective_complete(
        &mut self,
        _: &EventHead<'_>,
        event: NonBlockingCollectiveComplete,
    ) {
        self.collective(event.size_sent, event.size_received);
    }
}

#[cfg(test)]
mod tests {
    use streamfold_model::values::Ticks;

    use super::*;
    use crate::profile::{Partial, Profile, ProfileKernel};
    use crate::Kernel;

    fn profile(events: impl Fn(&mut dyn FnMut(u64, u32, bool))) -> Profile {
        let definitions = Definitions::default();
        let kernel = ProfileKernel::new(&definitions);
        let mut worker = kernel.worker();
        let mut scan = kernel.scan(&mut worker, LocationRef(0));
        events(&mut |time, region, enter| {
            let location = LocationRef(0);
            let head = EventHead { location, number: 1, time: Ticks(time), attributes: &[] };
            match enter {
                true => scan.enter(&head, Enter { region: RegionRef(region) }),
                false => scan.leave(&head, Leave { region: RegionRef(region) }),
            }
        });
        kernel.end(scan, &StreamSummary::default());
        let partial: Partial = kernel.partial(worker);
        Profile::new(partial, &definitions).0
    }

    /// Each of these leaves once looked through the whole stack: days, for a file of some megabytes.
    #[test]
    fn many_unmatched_leaves_below_a_deep_stack_take_no_time() {
        const DEEP: u32 = 200_000;
        let profile = profile(|event| {
            (0..DEEP).for_each(|_| event(1, 1, true));
            (0..DEEP).for_each(|_| event(2, 2, false));
            (0..DEEP).for_each(|_| event(3, 1, false));
            event(4, 1, false);
        });
        let odd = profile.oddities;
        assert_eq!((odd.unmatched, odd.crossed, odd.open), (u64::from(DEEP) + 1, 0, 0));
        assert_eq!(profile.total.closed, u64::from(DEEP));
    }

    #[test]
    fn counts_of_open_regions_follow_the_stack() {
        let profile = profile(|event| {
            (0..100).for_each(|region| event(u64::from(region), region, true));
            event(100, 1000, false); // unmatched: from here on regions are counted
            event(101, 50, false); // crossed: drops 51 to 99
            event(102, 60, false); // no longer open
            event(103, 49, false);
            event(104, 60, true);
            event(105, 60, false);
        });
        let odd = profile.oddities;
        assert_eq!((odd.unmatched, odd.crossed, odd.dropped), (2, 1, 49));
        assert_eq!((odd.open, profile.total.closed), (49, 3));
    }
}
