//! All that locations have but their events.

use crate::write_failure;
use std::borrow::Cow;
use std::collections::BTreeSet;
use streamfold_formats::Loss;

use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;

use super::here::{self, Here, OfLocations};
use super::local::{self, Globally};
use super::used::Used;
use super::{fail, Cutting, Report};
use crate::Written;
use streamfold_drive::{on_workers, Queue, Trace};
use streamfold_otf2::{ArchiveWriter, WriteError};
use streamfold_system::exit::Failure;

/// The definitions of locations, and the files of those without events.
pub(super) struct Locals<'a> {
    pub trace: &'a Trace,
    pub cutting: Cutting<'a>,
    pub globally: Globally<'a>,
    /// The numbers of global definitions that stay.
    pub numbers: &'a Used,
    pub unreadable: BTreeSet<LocationRef>,
    /// The numbers that events have, as far as they are remembered.
    pub here: OfLocations,
}

impl Locals<'_> {
    /// Writes them, those of the locations of this rank.
    pub(super) fn write(&self, share: &[LocationRef], keeps_all: bool) -> Report {
        let stays = |location: &LocationRef| {
            let named = keeps_all || self.numbers.has(ReferenceKind::Location, location.0);
            named || self.cutting.locations.contains(location)
        };
        let share: Vec<LocationRef> = share.iter().copied().filter(stays).collect();
        let work = |queue: &Queue<'_>| {
            let mut report = Report::default();
            while let Some(location) = queue.take() {
                if let Err(failure) = self.location(location, &mut report) {
                    fail(&mut report, failure);
                    queue.stop();
                }
            }
            report
        };
        on_workers(&share, self.cutting.workers, work, Report::fold)
    }

    fn location(&self, location: LocationRef, report: &mut Report) -> Result<(), Failure> {
        let (archive, to) = (self.trace.source.otf2(), self.cutting.to);
        let written = match self.cutting.locations.contains(&location) {
            true if self.unreadable.contains(&location) => {
                local::empty(to, location).map_err(write_failure)?
            }
            true => local::write(archive, to, location, &*self.here(location)?, &self.globally)?,
            false => {
                report.emptied += 1;
                without_events(to, location).map_err(write_failure)?
            }
        };
        report.outcome.written.add(&written);
        Ok(())
    }

    /// The numbers that the events of a location have, where some become others.
    fn here(&self, location: LocationRef) -> Result<Cow<'_, Here>, Failure> {
        let Locals { trace, cutting, globally, here, .. } = self;
        if globally.numbering.is_same() {
            return Ok(Cow::Owned(Here::default()));
        }
        match here.get(&location) {
            Some(here) => Ok(Cow::Borrowed(here)),
            None => Ok(Cow::Owned(
                here::read(trace, cutting.to, location, globally.known).map_err(Loss::from)?,
            )),
        }
    }
}

/// Writes the files of a location that others name and whose events were cut away.
fn without_events(to: &ArchiveWriter, location: LocationRef) -> Result<Written, WriteError> {
    let mut written = local::empty(to, location)?;
    let (_, bytes) = to.events(location).finish_with_length()?;
    written.add(&Written::file(bytes));
    Ok(written)
}
