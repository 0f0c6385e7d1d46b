//! Streams of locations that fork teams, read beside those of the teams' members.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use streamfold_kernels::adapt::{LocalReferences, References};
use streamfold_kernels::profile::{ForkStream, ForkStreams, ThreadScan};
use streamfold_model::events::EventVisitor;
use streamfold_model::ids::LocationRef;
use streamfold_model::stream::EventSet;

use super::{refuse, Loss, Losses, Trace};
use crate::select::{Plan, Share};
use streamfold_collective::Communicator;
use streamfold_formats::{ReadOptions, Source, Stream as Events};
use streamfold_system::exit::Stop;

/// Bytes that such a stream holds at a time: one location may need several of them.
const WINDOW: usize = 128 << 10;

/// The locations of a trace. No file of theirs stays open between reads. So a scan that reads
/// others beside its own has one more file open at a time.
///
/// Damage of a location is reported by the scan of the location itself. If no rank reads the
/// location for itself, [`TraceForkStreams::lose`] reports it.
pub struct TraceForkStreams<'a> {
    trace: &'a Trace,
    references: Option<&'a References<'a>>,
    source: Box<dyn Source>,
    /// Locations that some rank reads for themselves.
    planned: HashSet<LocationRef>,
    others: Mutex<Others>,
}

/// Facts about locations that no rank reads for themselves.
#[derive(Default)]
struct Others {
    lost: BTreeSet<Loss>,
    /// Those that some stream reads, or has read, to their end.
    read: HashSet<LocationRef>,
}

impl<'a> TraceForkStreams<'a> {
    /// Of this trace, whose locations are read by this plan, with these references.
    pub fn new(trace: &'a Trace, plan: &Plan, references: Option<&'a References<'a>>) -> Self {
        let options = ReadOptions { window: WINDOW, keep_open: false };
        let planned = plan.shares().iter().flat_map(Share::all);
        TraceForkStreams {
            trace,
            references,
            source: trace.source.with_options(options),
            planned: planned.collect(),
            others: Mutex::default(),
        }
    }

    /// Adds losses of locations that no rank reads for themselves, once for all ranks: on rank 0.
    /// Collective.
    ///
    /// # Errors
    ///
    /// The first loss, when `strict`; and when ranks cannot communicate.
    pub fn lose(
        &self,
        ranks: &dyn Communicator,
        losses: &mut Losses,
        strict: bool,
    ) -> Result<(), Stop> {
        let own = std::mem::take(&mut self.others().lost);
        let union = |mut all: BTreeSet<Loss>, more| {
            all.extend(more);
            all
        };
        let lost = ranks.reduce(0, own, union)?.unwrap_or_default();
        if strict {
            refuse(ranks, lost.first())?;
        }
        lost.into_iter().for_each(|loss| losses.push(loss.location, loss.message));
        Ok(())
    }

    /// Those that are not defined can only be missed.
    fn is_told_here(&self, location: LocationRef) -> bool {
        let defined = self.trace.definitions.locations.contains_key(&location);
        defined && !self.planned.contains(&location)
    }

    fn others(&self) -> MutexGuard<'_, Others> {
        // Sets are never half changed; and streams are dropped also where a worker panics.
        self.others.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lost(&self, location: LocationRef, message: String) {
        if self.is_told_here(location) {
            self.others().lost.insert(Loss { location, message });
        }
    }

    /// Tells whether the caller has to read the rest of a location: no other stream does or has done so.
    fn takes_rest(&self, location: LocationRef) -> bool {
        self.is_told_here(location) && self.others().read.insert(location)
    }
}

impl ForkStreams for TraceForkStreams<'_> {
    fn open(&self, location: LocationRef) -> Option<(Box<dyn ForkStream + '_>, LocalReferences)> {
        let opened = self.trace.prepare_from(&*self.source, location, self.references);
        let opened = opened.and_then(|(mut prepared, local)| {
            let complaints = prepared.complaints();
            Ok((prepared.open()?, local, complaints))
        });
        match opened {
            Ok((events, local, complaints)) => {
                complaints.into_iter().for_each(|complaint| self.lost(location, complaint));
                Some((Box::new(Stream { events, fork_streams: self }), local))
            }
            Err(error) => {
                self.lost(location, format!("{error} (no fork of this location was found)"));
                None
            }
        }
    }
}

struct Stream<'m> {
    events: Events,
    fork_streams: &'m TraceForkStreams<'m>,
}

impl Stream<'_> {
    /// Reads on, if there is more.
    fn read<V: EventVisitor>(&mut self, visitor: &mut V) -> bool {
        match self.events.read_part(visitor) {
            Ok(true) => true,
            Ok(false) => {
                self.fork_streams.takes_rest(self.events.location());
                false
            }
            Err(error) => {
                let location = self.events.location();
                let lost = format!("{error} (the forks of this location before that were found)");
                self.fork_streams.lost(location, lost);
                false
            }
        }
    }
}

impl ForkStream for Stream<'_> {
    fn read_part(&mut self, scan: &mut ThreadScan<'_>) -> bool {
        self.read(scan)
    }
}

impl Drop for Stream<'_> {
    /// The part of a location that was read depends on the requests for its forks, and on the
    /// number of ranks that remember them. Its reported losses must not depend on these: the rest
    /// is read here.
    fn drop(&mut self) {
        if self.fork_streams.takes_rest(self.events.location()) {
            while self.read(&mut Unheard) {}
        }
    }
}

/// Decodes what a [`ThreadScan`] wants, and forgets it.
struct Unheard;

impl EventVisitor for Unheard {
    const WANTS: EventSet = <ThreadScan<'static> as EventVisitor>::WANTS;
    const ATTRIBUTES: bool = <ThreadScan<'static> as EventVisitor>::ATTRIBUTES;
}
