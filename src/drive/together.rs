//! Locations whose events lie between each other in one file: a pass over the file brings those of many.

use std::collections::HashMap;

use streamfold_kernels::{Kernel, Window, WindowKernel};
use streamfold_model::events::EventVisitor;
use streamfold_model::ids::LocationRef;
use streamfold_model::stream::StreamSummary;

use super::location::{lost_stream, LocationRead};
use super::{Amount, Progress, Reached, Trace};
use streamfold_formats::{count, Batch, Loss, Run};
use streamfold_text::human;

/// Number of locations that are read in one pass: each needs a worker of its own, whose memory is bounded.
pub(super) const AT_A_TIME: usize = 64;

/// A location in the middle of its scan. One call takes a run of events, so that passes over files are compiled once for
/// all kernels.
pub(super) trait Scanning {
    /// Takes the next events of the location.
    fn take(&mut self, run: &Run);

    /// Nothing more comes.
    fn end(self: Box<Self>);
}

/// All events of a location.
pub(super) struct All<'s, K: Kernel + 's> {
    kernel: &'s K,
    scan: K::Scan<'s>,
    summary: StreamSummary,
}

impl<'s, K: Kernel> All<'s, K> {
    pub(crate) fn boxed(
        kernel: &'s K,
        worker: &'s mut K::Worker,
        location: LocationRef,
    ) -> Box<dyn Scanning + 's> {
        let (scan, summary) = (kernel.scan(worker, location), StreamSummary::default());
        Box::new(All { kernel, scan, summary })
    }
}

impl<K: Kernel> Scanning for All<'_, K> {
    fn take(&mut self, run: &Run) {
        deliver(run, 0..run.len(), &mut self.scan, &mut self.summary);
    }

    fn end(self: Box<Self>) {
        self.kernel.end(self.scan, &self.summary);
    }
}

/// A window of time of a location.
pub(super) struct Within<'s, K: WindowKernel + 's> {
    kernel: &'s K,
    window: Window,
    summary: StreamSummary,
    place: Place<'s, K>,
}

enum Place<'s, K: WindowKernel + 's> {
    Before(K::Before<'s>),
    Inside(K::Scan<'s>),
    Behind,
}

impl<'s, K: WindowKernel> Within<'s, K> {
    pub(crate) fn boxed(
        kernel: &'s K,
        worker: &'s mut K::Worker,
        location: LocationRef,
        window: Window,
    ) -> Box<dyn Scanning + 's> {
        let place = Place::Before(kernel.before(worker, location, window));
        Box::new(Within { kernel, window, summary: StreamSummary::default(), place })
    }
}

impl<K: WindowKernel> Scanning for Within<'_, K> {
    fn take(&mut self, run: &Run) {
        let mut begin = 0;
        if let Place::Before(before) = &mut self.place {
            begin = run.before(0, Some(self.window.begin));
            deliver(run, 0..begin, before, &mut self.summary);
            if begin == run.len() {
                return;
            }
            let Place::Before(before) = std::mem::replace(&mut self.place, Place::Behind) else {
                return;
            };
            self.summary = StreamSummary::default();
            self.place = Place::Inside(self.kernel.begin_window(before));
        }
        if let Place::Inside(scan) = &mut self.place {
            let end = run.before(begin, self.window.limit());
            deliver(run, begin..end, scan, &mut self.summary);
            if end < run.len() {
                let Place::Inside(scan) = std::mem::replace(&mut self.place, Place::Behind) else {
                    return;
                };
                self.kernel.end_window(scan, &self.summary);
            }
        }
    }

    fn end(self: Box<Self>) {
        match self.place {
            Place::Before(before) => self.kernel.end_before_window(before),
            Place::Inside(scan) => self.kernel.end(scan, &self.summary),
            Place::Behind => {}
        }
    }
}

fn deliver<V: EventVisitor>(
    run: &Run,
    which: std::ops::Range<usize>,
    visitor: &mut V,
    summary: &mut StreamSummary,
) {
    run.deliver(which.clone(), visitor);
    which.for_each(|event| count(summary, run.time(event)));
}

/// Scans these locations in one pass, given one of each; nothing in them is renamed.
pub(super) fn scan(
    trace: &Trace,
    locations: &[LocationRef],
    scans: Vec<Box<dyn Scanning + '_>>,
    progress: &Progress,
) -> Vec<(LocationRef, LocationRead)> {
    let mut open: Vec<Open<'_>> =
        locations.iter().zip(scans).map(|(location, scan)| (*location, scan, 0)).collect();
    open.sort_by_key(|(location, ..)| *location);
    let Passed { bytes, lost, losses: own } = pass(trace, locations, &mut open, progress);
    let mut bytes = Some(bytes);
    let mut losses_of: HashMap<LocationRef, Vec<String>> = HashMap::new();
    for (location, loss) in own {
        losses_of.entry(location).or_default().push(loss.to_string());
    }
    let mut read: Vec<(LocationRef, LocationRead)> = Vec::new();
    for (location, scan, events) in open {
        scan.end();
        let amount = Amount { events, bytes: bytes.take().unwrap_or(0), ..Amount::default() };
        let mut losses = losses_of.remove(&location).unwrap_or_default();
        losses.extend(match &lost {
            Some((error, false)) => vec![lost_stream(error)],
            Some((error, true)) => {
                let events = human::plural(events, "event");
                vec![format!("{error} (the {events} before that were read)")]
            }
            None => Vec::new(),
        });
        read.push((location, LocationRead { amount, losses }));
    }
    read
}

/// A location, its scan, and how many events it took.
type Open<'s> = (LocationRef, Box<dyn Scanning + 's>, u64);

/// Result of a pass over a file.
struct Passed {
    bytes: u64,
    /// The loss that ended it early, and whether reading had begun.
    lost: Option<(Loss, bool)>,
    /// Losses on the way, by location.
    losses: Vec<(LocationRef, Loss)>,
}

/// Reads the file.
fn pass(
    trace: &Trace,
    locations: &[LocationRef],
    open: &mut [Open<'_>],
    progress: &Progress,
) -> Passed {
    let mut batches = match trace.source.together(locations) {
        Ok(batches) => batches,
        Err(error) => return Passed { bytes: 0, lost: Some((error, false)), losses: Vec::new() },
    };
    let mut batch = Batch::default();
    let (mut reached, begin) = (Reached::default(), batches.bytes());
    let mut events = 0;
    loop {
        batch.clear();
        let more = batches.next(&mut batch);
        for run in batch.runs() {
            let place = open.binary_search_by_key(&run.location(), |(location, ..)| *location);
            let Ok(place) = place else { continue };
            let (_, scan, so_far) = &mut open[place];
            scan.take(run);
            *so_far += run.len() as u64;
            events += run.len() as u64;
        }
        let bytes = batches.bytes() - begin;
        reached.go_on(Reached::new(events, bytes), progress);
        match more {
            Ok(true) if !progress.is_stopped() => {}
            Ok(_) => return Passed { bytes, lost: None, losses: batches.losses() },
            Err(error) => {
                let losses = batches.losses();
                return Passed { bytes, lost: Some((error, true)), losses };
            }
        }
    }
}
