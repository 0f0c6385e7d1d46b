//! One location: its files are opened, and its events handed to its scan.

use std::sync::atomic::Ordering;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use streamfold_kernels::adapt::repair::Finder;
use streamfold_kernels::{Kernel, Mapping, Pieces, Renaming, Window};
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;
use streamfold_model::values::Ticks;

use super::{Amount, Progress, Reached, Trace};
use streamfold_formats::{Brings, Loss, Prepared, Rename, Stream};
use streamfold_otf2::ResumePoint;
use streamfold_text::human;

/// Result of reading one location.
#[derive(Debug, Default)]
pub(super) struct LocationRead {
    pub amount: Amount,
    /// Losses, as messages.
    pub losses: Vec<String>,
}

/// Scans all of a location.
pub(super) fn scan<K: Kernel>(
    trace: &Trace,
    kernel: &K,
    location: LocationRef,
    worker: &mut K::Worker,
    progress: &Progress,
) -> LocationRead {
    let mut scan = LocationScan::new(trace, kernel, location, worker);
    scan.read(u64::MAX, Some(progress));
    scan.end()
}

/// A piece that was read without what came before.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PieceRead<P> {
    /// The offset of the chunk behind it.
    pub end: u64,
    /// `None`: it depends on what came before, or could not be read.
    pub found: Option<(ResumePoint, P)>,
}

/// A location that is being read, from its begin.
pub(super) struct LocationScan<'s, K: Kernel + 's> {
    trace: &'s Trace,
    kernel: &'s K,
    location: LocationRef,
    state: State<'s, K>,
    losses: Vec<String>,
}

enum State<'s, K: Kernel + 's> {
    /// Nothing was read yet.
    New(&'s mut K::Worker),
    Open(Box<Open<'s, K>>),
    /// Nothing of it could be read.
    Lost,
}

struct Open<'s, K: Kernel + 's> {
    scan: K::Scan<'s>,
    stream: Stream,
    /// Nothing more can be read.
    ended: bool,
}

impl<'s, K: Kernel> LocationScan<'s, K> {
    pub fn new(
        trace: &'s Trace,
        kernel: &'s K,
        location: LocationRef,
        worker: &'s mut K::Worker,
    ) -> Self {
        let (state, losses) = (State::New(worker), Vec::new());
        LocationScan { trace, kernel, location, state, losses }
    }

    /// Reads on, up to the chunk at an offset in the file.
    pub fn read(&mut self, end: u64, progress: Option<&Progress>) {
        if matches!(self.state, State::New(_)) {
            self.open();
        }
        let State::Open(open) = &mut self.state else { return };
        if let Err(error) = open.read(end, progress) {
            let events = human::plural(open.stream.count(), "event");
            self.losses.push(format!("{error} (the {events} before that were read)"));
        }
    }

    fn open(&mut self) {
        let State::New(worker) = std::mem::replace(&mut self.state, State::Lost) else { return };
        let mut rename =
            |own: &Definitions, maps: &dyn Mapping| self.kernel.rename(worker, own, maps);
        let opened = self.trace.open_location(self.location, &mut rename);
        match opened {
            Ok((stream, complaints)) => {
                self.losses = complaints;
                let scan = self.kernel.scan(worker, self.location);
                self.state = State::Open(Box::new(Open { scan, stream, ended: false }));
            }
            Err(error) => {
                self.losses.push(lost_stream(&error));
            }
        }
    }

    /// Tells whether nothing more can be read.
    pub fn has_ended(&self) -> bool {
        match &self.state {
            State::New(_) => false,
            State::Open(open) => open.ended,
            State::Lost => true,
        }
    }

    /// Tells whether nothing was lost so far.
    pub fn is_lossless(&self) -> bool {
        self.losses.is_empty()
    }

    /// Holds no file open until it reads on.
    pub fn rest(&mut self) {
        if let State::Open(open) = &mut self.state {
            open.stream.rest();
        }
    }

    /// Nothing more is wanted.
    pub fn end(self) -> LocationRead {
        let mut amount = Amount::default();
        if let State::Open(open) = self.state {
            let Open { scan, stream, .. } = *open;
            let summary = stream.summary();
            self.kernel.end(scan, &summary);
            amount =
                Amount { events: stream.count(), unknown: summary.unknown, bytes: stream.bytes() };
        }
        LocationRead { amount, losses: self.losses }
    }
}

impl<K: Kernel> Open<'_, K> {
    fn read(&mut self, end: u64, progress: Option<&Progress>) -> Result<(), Loss> {
        let mut reached = Reached::by(&self.stream);
        while !self.ended {
            let part = self.stream.read_part_before(end, &mut self.scan);
            if let Some(progress) = progress {
                reached.go_on(Reached::by(&self.stream), progress);
            }
            match part {
                Ok(true) => {}
                Ok(false) => {
                    self.ended = self.stream.has_ended();
                    break;
                }
                Err(error) => {
                    self.ended = true;
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}

impl<K: Pieces> LocationScan<'_, K> {
    /// Goes on behind a piece that was read without what came before, or reads it.
    pub fn join(&mut self, piece: PieceRead<K::Piece>, progress: &Progress) {
        let joined = piece.found.is_some_and(|(passage, found)| {
            let State::Open(open) = &mut self.state else { return false };
            let Some(reader) = open.stream.in_place() else { return false };
            if !reader.takes(&passage) {
                return false;
            }
            let joined = self.kernel.join(&mut open.scan, found);
            if joined.is_ok() {
                reader.pass(&passage);
                open.ended = reader.has_ended();
            }
            joined.is_ok()
        });
        if !joined && !self.has_ended() {
            progress.again.fetch_add(1, Ordering::Relaxed);
            self.read(piece.end, None);
        }
    }
}

/// The message if nothing of a location could be read.
pub(super) fn lost_stream(error: &Loss) -> String {
    format!("{error} (no event of this location was read)")
}

impl Trace {
    /// Opens the events of a location, whose references are renamed given the location's own definitions
    /// and its mapping tables. Also returns what is wrong with these.
    pub(super) fn open_location(
        &self,
        location: LocationRef,
        rename: Rename<'_>,
    ) -> Result<(Stream, Vec<String>), Loss> {
        let mut prepared = self.prepare(location, rename)?;
        let complaints = prepared.complaints();
        Ok((prepared.open()?, complaints))
    }

    /// Reads what a location says of its references and times.
    pub(super) fn prepare(
        &self,
        location: LocationRef,
        rename: Rename<'_>,
    ) -> Result<Box<dyn Prepared + '_>, Loss> {
        self.source.prepare(location, &self.definitions, self.clocks, rename)
    }

    /// Reads a location for what of its enters and leaves is in the wrong order, with these references. `None`:
    /// the format brings all locations at once, or the location cannot be read.
    pub fn find_repairs(&self, location: LocationRef, renaming: &Renaming) -> Option<Finder> {
        self.find_repairs_by(location, &mut |_, _| renaming.clone())
    }

    /// Tells whether any of the enters and leaves of a location are in the wrong order. Some that are equal to a kernel
    /// may have different references in the stream.
    pub fn is_disordered<K: Kernel>(&self, kernel: &K, location: LocationRef) -> bool {
        let mut worker = kernel.worker();
        let mut rename =
            |own: &Definitions, maps: &dyn Mapping| kernel.rename(&mut worker, own, maps);
        self.find_repairs_by(location, &mut rename).is_some_and(Finder::found_any)
    }

    fn find_repairs_by(&self, location: LocationRef, rename: Rename<'_>) -> Option<Finder> {
        if self.source.brings() == Brings::All {
            return None;
        }
        let mut stream = self.prepare(location, rename).ok()?.open().ok()?;
        let mut finder = Finder::default();
        // The scan reports damage.
        while let Ok(true) = stream.read_part(&mut finder) {}
        Some(finder)
    }

    /// When the first event of all locations is that can be read. Opens all of their files.
    pub fn first_event(&self) -> Option<Ticks> {
        let locations: Vec<LocationRef> = self.definitions.locations.keys().copied().collect();
        let first = |location: &LocationRef| {
            let prepared = self.prepare(*location, &mut |_, _| Default::default()).ok()?;
            prepared.open().ok()?.peek().ok()?
        };
        locations.par_iter().filter_map(first).min()
    }

    /// Tells whether any readable event of a location is in a window of time.
    pub fn has_events_within(&self, location: LocationRef, window: Window) -> bool {
        let prepared = self.prepare(location, &mut |_, _| Default::default());
        prepared.is_ok_and(|prepared| prepared.has_events_within(window.begin, window.end))
    }
}
