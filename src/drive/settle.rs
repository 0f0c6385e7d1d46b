//! Definitions of single locations, which get their numbers before any event is read.

use std::num::NonZeroUsize;

use streamfold_kernels::adapt::{LocalReferences, OwnContents, References};
use streamfold_kernels::{Mapping, Renaming};
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;

use super::{on_workers, Queue, Trace};
use streamfold_collective::{self as collective, Communicator};
use streamfold_formats::{Brings, Loss, Prepared, Source};

/// Settles references for a profile: numbers what locations define and the trace does not. This rank asks a share of the
/// locations. Collective.
///
/// # Errors
///
/// When ranks cannot communicate.
pub fn settle<'t>(
    ranks: &dyn Communicator,
    trace: &'t Trace,
    share: &[LocationRef],
    workers: NonZeroUsize,
    mut references: References<'t>,
) -> Result<References<'t>, collective::Error> {
    let (all, _) = collect(ranks, trace, share, workers, &references)?;
    references.settle_apart(all);
    Ok(references)
}

/// Finds out what locations define, of which this rank asks its share. Returns that of all ranks, and whether any
/// references of locations stand for others. Collective.
pub(super) fn collect(
    ranks: &dyn Communicator,
    trace: &Trace,
    share: &[LocationRef],
    workers: NonZeroUsize,
    references: &References<'_>,
) -> Result<(OwnContents, bool), collective::Error> {
    if trace.source.brings() == Brings::All {
        return Ok(Default::default());
    }
    let collect = |queue: &Queue<'_>| {
        let (mut found, mut any) = (OwnContents::default(), false);
        while let Some(location) = queue.take() {
            let mut rename = |own: &Definitions, maps: &dyn Mapping| {
                any |= references.collect(&mut found, own, maps);
                Renaming::default()
            };
            // Damage here is a loss of the scan.
            let _ = trace.source.prepare(location, &trace.definitions, trace.clocks, &mut rename);
        }
        (found, any)
    };
    let merge = |one: (OwnContents, bool), other: (OwnContents, bool)| {
        (one.0.merge(other.0), one.1 || other.1)
    };
    let found = on_workers(share, workers, collect, merge);
    ranks.all_reduce(found, merge)
}

impl Trace {
    /// Reads what a location says of its times, and of its references, which become these.
    pub(super) fn prepare(
        &self,
        location: LocationRef,
        references: Option<&References<'_>>,
    ) -> Result<(Box<dyn Prepared + '_>, LocalReferences), Loss> {
        self.prepare_from(&*self.source, location, references)
    }

    /// The same from another source of this trace.
    pub(super) fn prepare_from<'s>(
        &'s self,
        source: &'s dyn Source,
        location: LocationRef,
        references: Option<&References<'_>>,
    ) -> Result<(Box<dyn Prepared + 's>, LocalReferences), Loss> {
        let mut local = LocalReferences::default();
        let mut rename = |own: &Definitions, maps: &dyn Mapping| {
            let found = references.map(|references| references.local(own, maps));
            let (renaming, found) = found.unwrap_or_default();
            local = found;
            renaming
        };
        let prepared = source.prepare(location, &self.definitions, self.clocks, &mut rename)?;
        Ok((prepared, local))
    }
}
