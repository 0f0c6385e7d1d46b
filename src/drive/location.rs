//! One location: its files are opened, and its events handed to its scan.

use std::sync::atomic::Ordering;

use streamfold_kernels::{Kernel, Pieces};
use streamfold_model::ids::LocationRef;

use super::pieces::PieceRead;
use super::{Amount, Clocks, Progress, Trace};
use crate::formats::otf2::{Error, EventReader, LocalDefinitions};

/// What came of one location.
#[derive(Debug, Default)]
pub(super) struct LocationRead {
    pub amount: Amount,
    /// What could not be read or used.
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
    reader: EventReader,
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
            let events = open.reader.count();
            self.losses.push(format!("{error} (the {events} events before that were read)"));
        }
    }

    fn open(&mut self) {
        let State::New(worker) = std::mem::replace(&mut self.state, State::Lost) else { return };
        let opened = local_definitions(self.trace, self.location).and_then(|mut local| {
            let complaints = std::mem::take(&mut local.complaints);
            Ok((self.trace.archive.events_with(self.location, local)?, complaints))
        });
        match opened {
            Ok((reader, complaints)) => {
                self.losses = complaints;
                let scan = self.kernel.scan(worker, self.location);
                self.state = State::Open(Box::new(Open { scan, reader, ended: false }));
            }
            Err(error) => {
                self.losses.push(lost_stream(&error));
            }
        }
    }

    /// Whether nothing more can be read.
    pub fn has_ended(&self) -> bool {
        match &self.state {
            State::New(_) => false,
            State::Open(open) => open.ended,
            State::Lost => true,
        }
    }

    /// Whether nothing was lost so far.
    pub fn is_lossless(&self) -> bool {
        self.losses.is_empty()
    }

    /// Holds no file open until it reads on.
    pub fn rest(&mut self) {
        if let State::Open(open) = &mut self.state {
            open.reader.rest();
        }
    }

    /// Nothing more is wanted.
    pub fn end(self) -> LocationRead {
        let mut amount = Amount::default();
        if let State::Open(open) = self.state {
            let Open { scan, reader, .. } = *open;
            let summary = reader.summary();
            self.kernel.end(scan, &summary);
            amount =
                Amount { events: reader.count(), unknown: summary.unknown, bytes: reader.offset() };
        }
        LocationRead { amount, losses: self.losses }
    }
}

impl<K: Kernel> Open<'_, K> {
    fn read(&mut self, end: u64, progress: Option<&Progress>) -> Result<(), Error> {
        let (mut events, mut bytes) = (self.reader.count(), self.reader.offset());
        while !self.ended {
            let part = self.reader.read_part_before(end, &mut self.scan);
            if let Some(progress) = progress {
                progress.add(self.reader.count() - events, self.reader.offset() - bytes);
            }
            (events, bytes) = (self.reader.count(), self.reader.offset());
            match part {
                Ok(true) => {}
                Ok(false) => {
                    self.ended = self.reader.has_ended();
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
        let joined = piece.found.is_some_and(|(passage, found)| match &mut self.state {
            State::Open(open) if open.reader.takes(&passage) => {
                let joined = self.kernel.join(&mut open.scan, found);
                if joined.is_ok() {
                    open.reader.pass(&passage);
                    open.ended = open.reader.has_ended();
                }
                joined.is_ok()
            }
            _ => false,
        });
        if !joined && !self.has_ended() {
            progress.again.fetch_add(1, Ordering::Relaxed);
            self.read(piece.end, None);
        }
    }
}

/// What is told where nothing of a location could be read.
pub(super) fn lost_stream(error: &Error) -> String {
    format!("{error} (no event of this location was read)")
}

/// The mapping tables and clock offsets of a location, as this trace is read. Without its mapping
/// tables a location's numbers would mean something else: it is lost then.
pub(super) fn local_definitions(
    trace: &Trace,
    location: LocationRef,
) -> Result<LocalDefinitions, Error> {
    let mut local = trace.archive.read_local_definitions(location)?;
    if trace.clocks == Clocks::Raw {
        local.keep_raw_times();
    }
    Ok(local)
}

impl Progress {
    /// So much more was read.
    pub(super) fn add(&self, events: u64, bytes: u64) {
        self.events.fetch_add(events, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}
