//! One location: its files are opened, and its events handed to its scan.

use std::sync::atomic::Ordering;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use streamfold_kernels::adapt::repair::Finder;
use streamfold_kernels::adapt::{LocalReferences, References};
use streamfold_kernels::{Kernel, Pieces, Window};
use streamfold_model::ids::LocationRef;
use streamfold_model::values::Ticks;

use super::{Amount, Progress, Reached, Scanning, Trace};
use streamfold_formats::{Brings, Loss, Stream};
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
    scanning: &Scanning<'_>,
) -> LocationRead {
    let mut scan = LocationScan::new(trace, kernel, location, worker, scanning.references);
    scan.read(u64::MAX, Some(scanning.progress));
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
    references: Option<&'s References<'s>>,
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
    pub(crate) fn new(
        trace: &'s Trace,
        kernel: &'s K,
        location: LocationRef,
        worker: &'s mut K::Worker,
        references: Option<&'s References<'s>>,
    ) -> Self {
        let (state, losses) = (State::New(worker), Vec::new());
        LocationScan { trace, kernel, references, location, state, losses }
    }

    /// Reads on, up to the chunk at an offset in the file.
    pub(crate) fn read(&mut self, end: u64, progress: Option<&Progress>) {
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
        match self.trace.open_location(self.location, self.references) {
            Ok((stream, local, complaints)) => {
                self.losses = complaints;
                self.kernel.meet(worker, local);
                let scan = self.kernel.scan(worker, self.location);
                self.state = State::Open(Box::new(Open { scan, stream, ended: false }));
            }
            Err(error) => {
                self.losses.push(lost_stream(&error));
            }
        }
    }

    /// Tells whether nothing more can be read.
    pub(crate) fn has_ended(&self) -> bool {
        match &self.state {
            State::New(_) => false,
            State::Open(open) => open.ended,
            State::Lost => true,
        }
    }

    /// Tells whether nothing was lost so far.
    pub(crate) fn is_lossless(&self) -> bool {
        self.losses.is_empty()
    }

    /// Holds no file open until it reads on.
    pub(crate) fn rest(&mut self) {
        if let State::Open(open) = &mut self.state {
            open.stream.rest();
        }
    }

    /// Nothing more is wanted.
    pub(crate) fn end(self) -> LocationRead {
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
                if progress.is_stopped() {
                    self.ended = true;
                    break;
                }
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
    pub(crate) fn join(&mut self, piece: PieceRead<K::Piece>, progress: &Progress) {
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
        if !joined && !self.has_ended() && !progress.is_stopped() {
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
    /// Opens the events of a location. Also returns its references, and what is wrong with its definitions.
    fn open_location(
        &self,
        location: LocationRef,
        references: Option<&References<'_>>,
    ) -> Result<(Stream, LocalReferences, Vec<String>), Loss> {
        let (mut prepared, local) = self.prepare(location, references)?;
        let complaints = prepared.complaints();
        Ok((prepared.open()?, local, complaints))
    }

    /// Opens the events of a location, for who reads all locations in one order. Also returns what is wrong with its
    /// definitions.
    ///
    /// # Errors
    ///
    /// When no event of it can be read.
    pub fn open_stream(&self, location: LocationRef) -> Result<(Stream, Vec<String>), String> {
        let opened = self.open_location(location, None);
        let (stream, _, complaints) = opened.map_err(|error| lost_stream(&error))?;
        Ok((stream, complaints))
    }

    /// Reads a location for what of its enters and leaves is in the wrong order, with these references. `None`:
    /// the format brings all locations at once, or the location cannot be read.
    pub fn find_repairs(
        &self,
        location: LocationRef,
        references: Option<&References<'_>>,
    ) -> Option<Finder> {
        if self.source.brings() == Brings::All {
            return None;
        }
        let mut stream = self.prepare(location, references).ok()?.0.open().ok()?;
        let mut finder = Finder::default();
        // The scan reports damage.
        while let Ok(true) = stream.read_part(&mut finder) {}
        Some(finder)
    }

    /// When the first event of all locations is that can be read. Opens all of their files.
    pub fn first_event(&self) -> Option<Ticks> {
        let locations: Vec<LocationRef> = self.definitions.locations.keys().copied().collect();
        let first = |location: &LocationRef| {
            let (prepared, _) = self.prepare(*location, None).ok()?;
            prepared.open().ok()?.peek().ok()?
        };
        locations.par_iter().filter_map(first).min()
    }

    /// When the last event of all locations is that can be read. Reads the last chunk of all files of an archive; of
    /// other formats clock properties say it.
    pub fn last_event(&self) -> Option<Ticks> {
        if self.source.brings() == Brings::All {
            let clock = self.definitions.clock.as_ref()?;
            return Some(Ticks(clock.global_offset.saturating_add(clock.trace_length)));
        }
        let locations: Vec<LocationRef> = self.definitions.locations.keys().copied().collect();
        let last = |location: &LocationRef| self.prepare(*location, None).ok()?.0.last_event();
        locations.par_iter().filter_map(last).max()
    }

    /// Tells whether any readable event of a location is in a window of time.
    pub fn has_events_within(&self, location: LocationRef, window: Window) -> bool {
        let prepared = self.prepare(location, None);
        prepared.is_ok_and(|(prepared, _)| prepared.has_events_within(window.begin, window.limit()))
    }
}
