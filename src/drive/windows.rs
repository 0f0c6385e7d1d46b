//! A window of time of a location: what is before it is looked at only for what is open there, and
//! what is behind it is not read.

use streamfold_kernels::{Window, WindowKernel};
use streamfold_model::events::{Enter, EventVisitor};
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::stream::{EventHead, StreamSummary};
use streamfold_model::values::Ticks;

use super::location::{lost_stream, LocationRead};
use super::{Amount, Progress, Reached, Scanning, Trace};
use streamfold_formats::{Entry, Loss, Part, Stream};
use streamfold_text::human;

/// Scans the window of a location.
pub(super) fn scan_location<K: WindowKernel>(
    trace: &Trace,
    kernel: &K,
    worker: &mut K::Worker,
    location: LocationRef,
    window: Window,
    scanning: &Scanning<'_>,
) -> LocationRead {
    let mut read = LocationRead::default();
    let (mut prepared, local) = match trace.prepare(location, scanning.references) {
        Ok(prepared) => prepared,
        Err(error) => {
            read.losses.push(lost_stream(&error));
            return read;
        }
    };
    kernel.meet(worker, local);
    read.losses = prepared.complaints();
    let mut amount = Amount::default();
    if kernel.takes_snapshots() {
        if let Some(Entry { stream, open }) = prepared.entry(window.begin) {
            let mut reading = Reading::new(stream, scanning.progress);
            if reading.begin_at_snapshot(kernel, worker, location, window, &open) {
                read.amount = reading.amount;
                return read;
            }
            amount = reading.amount;
        }
    }
    let mut reading = match prepared.open() {
        Ok(stream) => Reading::new(stream, scanning.progress),
        Err(error) => {
            read.losses.push(lost_stream(&error));
            return read;
        }
    };
    let outcome = reading.window(kernel, worker, location, window);
    read.amount = reading.amount;
    read.amount.events += amount.events;
    read.amount.bytes += amount.bytes;
    if let Err(error) = outcome {
        let events = human::plural(reading.amount.events, "event");
        read.losses.push(format!("{error} (the {events} before that were read)"));
    }
    read
}

/// A stream, and how much of it was read.
struct Reading<'a> {
    stream: Stream,
    progress: &'a Progress,
    amount: Amount,
    /// The part that was reported so far, since the reader began to count.
    told: Reached,
}

impl<'a> Reading<'a> {
    fn new(stream: Stream, progress: &'a Progress) -> Self {
        let told = Reached::by(&stream);
        Reading { stream, progress, amount: Amount::default(), told }
    }

    /// Scans the window from the event of a snapshot on, at which this is open. `false`: the kernel is
    /// not sure of what it found, or something was damaged; nothing counts then.
    fn begin_at_snapshot<K: WindowKernel>(
        &mut self,
        kernel: &K,
        worker: &mut K::Worker,
        location: LocationRef,
        window: Window,
        open: &[(Ticks, RegionRef)],
    ) -> bool {
        let mut before = kernel.before(worker, location, window);
        for (time, region) in open {
            let head = EventHead { location, number: 0, time: *time, attributes: &[] };
            before.enter(&head, Enter { region: *region });
        }
        let arrived = self.read_to(Some(window.begin), &mut before);
        let mut scan = kernel.begin_window(before);
        if matches!(arrived, Ok(Part::Limit)) {
            let (summary, left) = self.read_inside(&mut scan, window);
            let sure = left.as_ref().is_ok_and(|part| kernel.is_sure(&scan, *part == Part::End));
            if sure {
                end(kernel, scan, &summary, &left);
                return true;
            }
        }
        kernel.discard(scan);
        false
    }

    fn window<K: WindowKernel>(
        &mut self,
        kernel: &K,
        worker: &mut K::Worker,
        location: LocationRef,
        window: Window,
    ) -> Result<(), Loss> {
        let mut before = kernel.before(worker, location, window);
        let arrived = self.read_to(Some(window.begin), &mut before);
        if !matches!(arrived, Ok(Part::Limit)) {
            kernel.end_before_window(before);
            return arrived.map(|_| ());
        }
        let mut scan = kernel.begin_window(before);
        let (summary, left) = self.read_inside(&mut scan, window);
        end(kernel, scan, &summary, &left);
        left.map(|_| ())
    }

    /// Reads the window, from its begin.
    fn read_inside<V: EventVisitor>(
        &mut self,
        scan: &mut V,
        window: Window,
    ) -> (StreamSummary, Result<Part, Loss>) {
        self.stream.count_from_here();
        self.told = Reached::by(&self.stream);
        let left = self.read_to(window.limit(), scan);
        let summary = self.stream.summary();
        self.amount.unknown = summary.unknown;
        (summary, left)
    }

    /// Reads up to a limit or, without one, to the end; never comes back with [`Part::More`].
    fn read_to<V: EventVisitor>(
        &mut self,
        limit: Option<Ticks>,
        visitor: &mut V,
    ) -> Result<Part, Loss> {
        loop {
            let part = self.stream.read_part_to(limit, visitor);
            self.tell();
            match part {
                Ok(Part::More) if self.progress.is_stopped() => return Ok(Part::End),
                Ok(Part::More) => {}
                part => return part,
            }
        }
    }

    fn tell(&mut self) {
        let Reached { events, bytes } = self.told.go_on(Reached::by(&self.stream), self.progress);
        self.amount.events += events;
        self.amount.bytes += bytes;
    }
}

/// Ends with a location of which the window was read up to here.
fn end<'w, K: WindowKernel>(
    kernel: &'w K,
    scan: K::Scan<'w>,
    summary: &StreamSummary,
    left: &Result<Part, Loss>,
) {
    match left {
        Ok(Part::Limit) => kernel.end_window(scan, summary),
        _ => kernel.end(scan, summary),
    }
}
