//! A part of a trace, as a trace: of its time, its locations, its regions, its kinds of records.
//!
//! Each rank writes the events of its share of the locations, with the numbers and times that they have
//! there, and notes which definitions they lead to. Rank 0 then finds out which definitions stay. With
//! that all ranks write the definitions of their locations, whose mapping tables may lead to others,
//! and rank 0 the global ones, with the numbers of events that all have told it.

mod anchor;
mod begin;
mod families;
mod flush;
mod full;
mod globals;
mod here;
mod ledger;
mod local;
mod locals;
mod location;
mod markers;
mod messages;
mod numbering;
mod open;
mod opened;
mod own;
mod regions;
mod report;
mod stack;
mod step;
mod stream;
mod used;
mod way;

use crate::write_failure;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use streamfold_formats::Loss;

use serde::{Deserialize, Serialize};
use streamfold_kernels::matching::Processes;
use streamfold_kernels::profile::same_regions;
use streamfold_kernels::profile::Rule;
use streamfold_kernels::validate::{Known, Rules};
use streamfold_kernels::Window;
use streamfold_model::ids::LocationRef;

use super::Written;
use globals::{Globals, New, Staying};
use here::{OfLocations, Room};
use ledger::Ledger;
use local::Globally;
use locals::Locals;
use location::{Cutter, LocationCut};
use markers::Markers;
use messages::Partners;
use numbering::Numbering;
use own::Kinds;
use regions::{Chosen, Programs};
use streamfold_collective::inject::fail_point;
use streamfold_collective::stop::agree;
use streamfold_collective::Communicator;
use streamfold_drive::select::Plan;
use streamfold_drive::{on_workers, refuse, Progress, Queue, Trace};
use streamfold_otf2::ArchiveWriter;
use streamfold_system::exit::{Failure, Stop};
use used::Used;

pub use anchor::finish;
pub use families::{Families, Family};
pub(super) use here::each_number;
pub use here::MOST_REMEMBERED;
pub use ledger::Alone;
pub use report::{Counts, Report};
pub(super) use used::Tables;

/// Choice of the part that stays, and options for its output.
#[derive(Clone, Copy)]
pub struct Cutting<'a> {
    /// Output archive.
    pub to: &'a ArchiveWriter,
    /// The part of the time; `None`: all of it.
    pub window: Option<Window>,
    /// Windows of single locations, if they have their own: other locations lose all events. The window above contains
    /// all.
    pub windows: Option<&'a BTreeMap<LocationRef, Window>>,
    /// The locations whose events stay.
    pub locations: &'a BTreeSet<LocationRef>,
    /// The regions that are entered and left; `None`: all of them.
    pub rule: Option<&'a dyn Rule>,
    /// The families of records.
    pub families: Families,
    /// Visits that are deeper do not stay.
    pub depth: usize,
    /// True if definitions without references to them stay.
    pub keep_definitions: bool,
    /// True if definitions keep their numbers, with gaps in place of removed ones.
    pub keep_numbers: bool,
    /// How many numbers of definitions that events have each rank remembers; those of further locations
    /// are read twice. [`MOST_REMEMBERED`] are enough for most traces.
    pub remembered: usize,
    /// True if the first loss is a failure.
    pub strict: bool,
    /// Files that are written at a time.
    pub workers: NonZeroUsize,
    /// Is told about what was read.
    pub progress: &'a Progress,
}

impl Cutting<'_> {
    /// The part of the time of a location.
    fn window_of(&self, location: LocationRef) -> Option<Window> {
        let Some(windows) = self.windows else { return self.window };
        Some(windows.get(&location).copied().unwrap_or(Window::NONE))
    }
}

/// Result of a worker or of a rank.
#[derive(Default)]
struct Found {
    report: Report,
    used: Used,
    /// Locations whose definitions cannot be read.
    unreadable: BTreeSet<LocationRef>,
    /// The kinds of definitions that count and only locations have.
    own: Kinds,
    /// The numbers that events have.
    here: OfLocations,
}

impl Found {
    fn fold(mut self, other: Found) -> Found {
        self.report = self.report.fold(other.report);
        self.used = self.used.fold(other.used);
        self.unreadable.extend(other.unreadable);
        self.own = self.own.fold(other.own);
        self.here.extend(other.here);
        self
    }

    fn take(&mut self, location: LocationRef, cut: LocationCut) {
        let LocationCut { counts, alone, bytes, losses, readable, own, has_tables, here } = cut;
        self.own = self.own.fold(own);
        self.here.extend(here.map(|here| (location, here)));
        let Found { report, unreadable, .. } = self;
        report.counts.add(&counts);
        report.has_tables |= has_tables;
        report.alone = report.alone.fold(alone);
        report.events.insert(location, counts.events);
        let Counts { events, unknown, .. } = counts;
        report.outcome.written.add(&Written { files: 1, events, unknown, bytes });
        for message in losses {
            report.outcome.losses.push(location, message);
        }
        if !readable {
            unreadable.insert(location);
        }
    }
}

/// Writes a part of a trace except for its anchor. Rank 0 has the result.
///
/// # Errors
///
/// On all ranks when one of them cannot write its files, when the global definitions cannot be read
/// once more, or with the first loss where none may be; and when ranks cannot communicate.
pub fn cut(
    ranks: &dyn Communicator,
    trace: &Trace,
    plan: &Plan,
    cutting: Cutting<'_>,
) -> Result<Option<Report>, Stop> {
    fail_point("scan", ranks.rank())?;
    let share = &plan.share(ranks.rank()).locations;
    let known = Rules::new(&trace.definitions).known;
    let ledger = Ledger::default();
    let found = events(trace, share, cutting, &known, &ledger);
    let Found { mut report, used, unreadable, own, here } = found;
    // A location whose output failed cannot be read once more, either.
    agree(ranks, report.outcome.failure.take().map_or(Ok(()), Err))?;
    let window = cutting.window.is_some();
    let balances = ledger.settle(ranks)?;
    if ranks.rank() == 0 {
        report.alone = report.alone.fold(balances);
        report.alone.at_least |= window;
    }
    let own = ranks.all_reduce(own, Kinds::fold)?;
    let (root, left, keeps_all) = staying(ranks, trace, cutting, used, &report)?;
    let Left { numbers, nobodys } = left;
    let new = match keeps_all || cutting.keep_numbers {
        true => Numbering::default(),
        false => Numbering::without_gaps(&numbers, &nobodys),
    };
    let (numbering, gaps) = new.keeping(own);
    let staying = (!keeps_all).then_some(&numbers);
    let globally = Globally { known: &known, staying, numbering: &numbering };
    let definitions = Locals { trace, cutting, globally, numbers: &numbers, unreadable, here };
    report = report.fold(definitions.write(share, keeps_all));
    fail_point("reduce", ranks.rank())?;
    let mut report = ranks.reduce(0, report, Report::fold)?;
    if let (Some(report), Some(root)) = (&mut report, root) {
        report.gaps = gaps;
        root.write(trace, cutting, &numbering, report);
    }
    let first = report.as_ref().and_then(|report| report.outcome.losses.first.first());
    if cutting.strict {
        refuse(ranks, first)?;
    }
    let failure = report.as_ref().map(|report| report.outcome.failure.clone());
    match ranks.broadcast(0, failure)? {
        Some(failure) => Err(Stop::Together(failure)),
        None => Ok(report),
    }
}

/// Writes the events of the locations of this rank.
fn events(
    trace: &Trace,
    share: &[LocationRef],
    cutting: Cutting<'_>,
    known: &Known,
    ledger: &Ledger,
) -> Found {
    let processes = Processes::new(&trace.definitions);
    let chosen = cutting.locations.iter().copied();
    let partners = Partners::new(&trace.definitions, &processes, chosen);
    let chosen = cutting.rule.map(|rule| Chosen::new(&trace.definitions, rule));
    let programs = Programs::new(&trace.definitions);
    let partners = &partners;
    let renumbers = !cutting.keep_definitions && !cutting.keep_numbers;
    let room = Room::new(if renumbers { cutting.remembered } else { 0 });
    let same = same_regions(&trace.definitions);
    let cutter = Cutter { trace, cutting, known, chosen, same, programs, partners, ledger, room };
    let chosen: Vec<LocationRef> =
        share.iter().copied().filter(|location| cutting.locations.contains(location)).collect();
    let work = |queue: &Queue<'_>| {
        let mut found = Found::default();
        while let Some(location) = queue.take() {
            match cutter.location(location, &mut found.used) {
                Ok(cut) => found.take(location, cut),
                Err(error) => fail(&mut found.report, write_failure(error)),
            }
            let outcome = &found.report.outcome;
            if outcome.failure.is_some() || (cutting.strict && !outcome.losses.is_empty()) {
                queue.stop();
            }
        }
        found
    };
    on_workers(&chosen, cutting.workers, work, Found::fold)
}

fn fail(report: &mut Report, failure: Failure) {
    report.outcome.failure.get_or_insert(failure);
}

/// State of rank 0 about the global definitions.
struct Root<'a> {
    globals: Globals,
    staying: Staying,
    markers: Markers<'a>,
    keeps_for_unknown: bool,
}

/// Numbers of what is left of a trace.
#[derive(Clone, Serialize, Deserialize)]
struct Left {
    /// Those of definitions that stay.
    numbers: Used,
    /// Those that nobody defines.
    nobodys: Used,
}

/// Finds out which definitions stay, and tells all ranks, and whether all of them do. Collective.
fn staying<'t>(
    ranks: &dyn Communicator,
    trace: &'t Trace,
    cutting: Cutting<'_>,
    used: Used,
    report: &Report,
) -> Result<(Option<Root<'t>>, Left, bool), Stop> {
    let unknown = ranks.all_reduce(report.counts.unknown, |a, b| a + b)?;
    let used = ranks.reduce(0, used, Used::fold)?;
    let mut root = None;
    let made = used.map(|mut used| -> Result<(Left, bool), Failure> {
        let globals = Globals::read(trace.source.otf2()).map_err(Loss::from)?;
        let locations = cutting.locations.iter().copied();
        let Cutting { window, keep_definitions, .. } = cutting;
        let mut markers = Markers::new(&trace.definitions, locations, window, keep_definitions);
        markers.look(trace.source.otf2(), &mut used);
        let keeps_for_unknown = unknown > 0 || globals.unknown > 0;
        let keeps_all = keep_definitions || keeps_for_unknown;
        let staying = globals.staying(&used, cutting.locations, keeps_all);
        let Staying { numbers, nobodys, .. } = &staying;
        let left = Left { numbers: numbers.clone(), nobodys: nobodys.clone() };
        root = Some(Root { globals, staying, markers, keeps_for_unknown });
        Ok((left, keeps_all))
    });
    let (left, keeps_all) = ranks.broadcast_result(0, made)?.map_err(Stop::Together)?;
    Ok((root, left, keeps_all))
}

impl Root<'_> {
    /// Writes what belongs to no location.
    fn write(
        &self,
        trace: &Trace,
        cutting: Cutting<'_>,
        numbering: &Numbering,
        report: &mut Report,
    ) {
        let Root { globals, staying, markers, keeps_for_unknown } = self;
        report.definitions_before = globals.len();
        report.keeps_definitions = cutting.keep_definitions;
        report.counted = globals.counted(staying, cutting.locations);
        report.keeps_for_unknown = *keeps_for_unknown && !cutting.keep_definitions;
        let Cutting { to, window, .. } = cutting;
        report.renumbered = numbering.kinds();
        let new = New { window, events: &report.events, numbering };
        match globals.write(trace.source.otf2(), to, staying, &new) {
            Ok((definitions, locations, written)) => {
                (report.definitions, report.locations) = (definitions, locations);
                report.outcome.written.add(&written);
            }
            Err(failure) => fail(report, failure),
        }
        if let Err(failure) = markers.write(trace.source.otf2(), to, numbering, report) {
            fail(report, failure);
        }
    }
}
