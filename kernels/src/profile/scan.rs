//! One location: its stack, and the events that move it.

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
}

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
            inside: 0,
            depth: 0,
            traffic: Traffic::default(),
            oddities: Oddities::default(),
        };
        Scan { definitions, worker, stack: Vec::new(), current: PathIndex::ROOT, now: 0, row }
    }

    #[inline(always)]
    fn begin(&mut self, head: &EventHead<'_>, region: RegionRef) {
        self.now = self.now.max(head.time.0);
        let path = self.worker.enter(self.current, region);
        self.stack.push(Frame { path, region, begin: self.now, inside: 0 });
        self.row.depth = self.row.depth.max(self.stack.len() as u64);
        self.current = path;
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
        match self.stack.iter().rposition(|frame| frame.region == region) {
            Some(nearest) => {
                self.row.oddities.crossed += 1;
                self.row.oddities.dropped += (self.stack.len() - nearest - 1) as u64;
                self.stack.truncate(nearest + 1);
                true
            }
            None => {
                self.row.oddities.unmatched += 1;
                false
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
