//! One location: what its events are read with, and what came of them.

use streamfold_kernels::validate::Known;
use streamfold_model::ids::LocationRef;

use super::full::MOST_OPERATIONS;
use super::here::{listed, Here, Room};
use super::ledger::{Alone, Ledger};
use super::messages::{Messages, Partners};
use super::own::{Kinds, Own};
use super::regions::{Chosen, Programs, Regions, Same};
use super::step::{Marks, Step};
use super::stream::{Stop, Stream};
use super::used::{Tables, Used};
use super::way::Way;
use super::{Counts, Cutting};
use streamfold_drive::Trace;
use streamfold_otf2::{
    Clock, Error, EventReader, FileKind, LocalDefinitions, Mappings, WriteError,
};
use streamfold_text::human;

/// Inputs that all locations share.
pub(super) struct Cutter<'a> {
    pub trace: &'a Trace,
    pub cutting: Cutting<'a>,
    pub known: &'a Known,
    pub chosen: Option<Chosen<'a>>,
    pub same: Same,
    pub programs: Programs,
    pub partners: &'a Partners<'a>,
    pub ledger: &'a Ledger,
    /// For the numbers that events have.
    pub room: Room,
}

/// Result of a location.
#[derive(Debug, Default)]
pub(super) struct LocationCut {
    pub counts: Counts,
    pub alone: Alone,
    pub bytes: u64,
    /// Texts about losses in reading.
    pub losses: Vec<String>,
    /// True if its mapping tables are known.
    pub readable: bool,
    /// The kinds of its own definitions that count: nobody may change the numbers of others then.
    pub own: Kinds,
    /// True if it has mapping tables: then the trace is unified.
    pub has_tables: bool,
    /// The numbers by which its events lead to definitions, where there is room for them.
    pub here: Option<Here>,
}

impl Cutter<'_> {
    /// Writes the events of a location that stay, and adds what they lead to.
    ///
    /// # Errors
    ///
    /// When they cannot be written.
    pub(super) fn location(
        &self,
        location: LocationRef,
        used: &mut Used,
    ) -> Result<LocationCut, WriteError> {
        let mut cut = LocationCut::default();
        let mut writer = self.cutting.to.events(location);
        match self.open(location, used, &mut cut) {
            Ok((reader, regions, clock)) => {
                let step = self.step(location, regions, used);
                let progress = self.cutting.progress;
                let mut stream = Stream::new(reader, clock, &mut writer, step, progress);
                let outcome = stream.run(self.cutting.window_of(location));
                let (step, more_io) = stream.finish();
                cut.counts = step.counts;
                cut.here = Some(listed(&step.marks.here)).filter(|here| self.room.take(here));
                cut.alone = step.messages.end();
                cut.losses.extend(self.losses(location, outcome, more_io, &cut.counts)?);
            }
            Err(error) => cut.losses.push(format!("{error} (no event of this location is left)")),
        }
        (cut.counts.events, cut.bytes) = writer.finish_with_length()?;
        Ok(cut)
    }

    /// Opens the events of a location, with the numbers that they have there.
    fn open(
        &self,
        location: LocationRef,
        used: &mut Used,
        cut: &mut LocationCut,
    ) -> Result<(EventReader, Regions<'_>, Clock), Error> {
        let archive = self.trace.source.otf2();
        let mut own = Own::default();
        let local = archive.read_all_local_definitions(location, |definition| own.take(definition));
        let LocalDefinitions { mappings, clock, complaints, is_missing, .. } = local?;
        cut.readable = true;
        cut.losses = complaints;
        if is_missing {
            let is_defined = |location| self.trace.definitions.locations.contains_key(&location);
            let missing = archive.missing_local_definitions(location, is_defined);
            cut.losses.extend(missing.map(|error| error.to_string()));
        }
        let tables = Tables::new(mappings);
        cut.has_tables = tables.any();
        cut.own = own.lead_to(self.known, &tables, used);
        let local = LocalDefinitions {
            mappings: Mappings::default(),
            clock: clock.clone(),
            ..LocalDefinitions::default()
        };
        let reader = archive.events_with(location, local)?;
        let trace = (&self.trace.definitions, &self.same);
        let regions = Regions::new(trace, &own.definitions, tables, self.chosen.as_ref());
        Ok((reader, regions, clock))
    }

    fn step<'s>(
        &'s self,
        location: LocationRef,
        regions: Regions<'s>,
        used: &'s mut Used,
    ) -> Step<'s> {
        let Cutting { families, depth, window, .. } = self.cutting;
        Step {
            way: Way::new(regions, families, depth, window.is_some()),
            marks: Marks {
                definitions: &self.trace.definitions,
                known: self.known,
                programs: &self.programs,
                here: Used::default(),
                used,
            },
            messages: Messages::new(self.partners, self.ledger, location),
            counts: Counts::default(),
            keep: false,
            stop: None,
            ends: false,
        }
    }

    /// Returns the losses to report of a location. `more_io`: operations on files that were not begun anew.
    fn losses(
        &self,
        location: LocationRef,
        outcome: Result<(), Stop>,
        more_io: u64,
        counts: &Counts,
    ) -> Result<Vec<String>, WriteError> {
        let (mut losses, read) = (Vec::new(), counts.read);
        let path = self.trace.source.otf2().path(FileKind::Events(location));
        let too_many = |most: usize, what| {
            format!("{}: more than {most} {what} are open at a time", path.display())
        };
        match outcome {
            Ok(()) => {}
            Err(Stop::Write(error)) => return Err(error),
            Err(Stop::Read(error)) => {
                let read = human::plural(read, "event");
                losses.push(format!("{error} (the {read} before that count)"));
            }
            Err(Stop::Full(full)) => {
                let text = too_many(full.most(), full.what());
                losses.push(format!("{text}: what follows event {read} is left out"));
            }
        }
        if more_io > 0 {
            let text = too_many(MOST_OPERATIONS, "operations on files");
            losses.push(format!("{text}: {more_io} of them do not begin with the interval"));
        }
        Ok(losses)
    }
}
