//! Reads everything there is of a trace and says what is wrong with it.
//!
//! Global definitions, thumbnails and markers are read by rank 0, the files of locations by all
//! ranks and their threads. The rules that records must keep are those of
//! [`streamfold_kernels::validate`]; the readers report damage.
//!
//! Memory does not depend on the number of defects: all defects are counted, and the first of each
//! kind are kept. [`tell_all`] reports all of them, one after another, while the files that have
//! any are read once more.

mod defect;
mod global;
mod location;
mod log;

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use streamfold_formats::Loss;

use serde::{Deserialize, Serialize};
use streamfold_kernels::matching::Process;
use streamfold_kernels::validate::{confirm, Confirmed, Others, Rules, Suspect};
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;

pub use defect::{Defect, Found, LocationFile, Receiver, Stream};
use location::Checking;
use log::LogCheck;

use streamfold_collective::inject::fail_point;
use streamfold_collective::Communicator;
use streamfold_drive::rounds::{together, Exchange, Room};
use streamfold_drive::select::Plan;
use streamfold_drive::{self as drive, on_workers, Clocks, Progress, Queue, Trace};
use streamfold_formats::{self as formats, Format, Input, ReadOptions};
use streamfold_otf2::{Anchor, Archive};
use streamfold_system::exit::{Failure, Stop};

/// How much was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Read {
    /// Files, the damaged ones included.
    pub files: u64,
    /// Events.
    pub events: u64,
    /// Events of unknown kinds among them.
    pub unknown: u64,
    /// Bytes of event files.
    pub bytes: u64,
}

impl Read {
    fn add(&mut self, other: &Read) {
        self.files += other.files;
        self.events += other.events;
        self.unknown += other.unknown;
        self.bytes += other.bytes;
    }
}

/// Result of checking a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Its defects.
    pub found: Found,
    /// How much was read.
    pub read: Read,
    /// Locations with defects.
    pub locations: BTreeSet<LocationRef>,
    /// Defects that only several locations of a process show, if all are wanted.
    confirmed: Confirmed,
    /// Locations of which not all events were read.
    unread: BTreeSet<LocationRef>,
}

impl Outcome {
    fn new(limit: usize) -> Self {
        Outcome { found: Found::new(limit), ..Outcome::default() }
    }

    fn fold(mut self, other: Outcome) -> Outcome {
        self.found = self.found.fold(other.found);
        self.read.add(&other.read);
        self.locations.extend(other.locations);
        self.confirmed.fold(other.confirmed);
        self.unread.extend(other.unread);
        self
    }
}

/// A trace that was opened to be validated.
#[derive(Debug)]
pub enum Opened {
    /// Its events can be read.
    Usable(Box<Trace>),
    /// Without global definitions nothing else means anything; rank 0 has the defects to report.
    Unusable(Box<Archive>, Option<Outcome>),
}

/// Opens a trace on all ranks: rank 0 reads anchor and global definitions and broadcasts them.
///
/// # Errors
///
/// On all ranks when rank 0 cannot read the anchor, or the system refuses the global definitions.
pub fn open(
    ranks: &dyn Communicator,
    input: &Input<'_>,
    options: ReadOptions,
    limit: usize,
) -> Result<Opened, Stop> {
    let format = (ranks.rank() == 0).then(|| formats::find_format(input));
    if ranks.broadcast(0, format)? != Format::Otf2 {
        return Ok(Opened::Usable(Box::new(drive::open(ranks, *input, options)?)));
    }
    fail_point("open", ranks.rank())?;
    let mut outcome = Outcome::new(limit);
    let read = || -> Result<(PathBuf, Anchor, Option<Definitions>), Failure> {
        let archive = formats::open_archive(input.path, options)?;
        let definitions =
            global::read_definitions(&archive, &mut outcome.found).map_err(Loss::from)?;
        let path = archive.anchor_path().to_owned();
        Ok((path, archive.anchor().clone(), definitions))
    };
    let root = ranks.rank() == 0;
    let result = root.then(read);
    let (path, anchor, definitions) = ranks.broadcast_result(0, result)?.map_err(Stop::Together)?;
    let archive = Archive::with_anchor(&path, anchor, options);
    let archive = archive.map_err(|error| Stop::Together(Loss::from(error).into()))?;
    Ok(match definitions {
        Some(definitions) => {
            let (source, clocks) = (Box::new(archive), Clocks::default());
            Opened::Usable(Box::new(Trace { source, definitions, clocks }))
        }
        None => {
            outcome.read.files = 2;
            Opened::Unusable(Box::new(archive), root.then_some(outcome))
        }
    })
}

/// How to read.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// Streams that are read at a time.
    pub workers: NonZeroUsize,
    /// Number of defects of each kind that are kept; 0: all are told afterwards.
    pub limit: usize,
    /// Room for the ends of requests and operations that other locations of a process may have begun.
    pub room: &'a Room,
    /// Takes the numbers of events and bytes that were read.
    pub progress: &'a Progress,
}

/// Reads everything; what was found is on rank 0.
///
/// # Errors
///
/// When ranks cannot communicate, temporary files cannot be written, or global definitions cannot be read again.
pub fn check(
    ranks: &dyn Communicator,
    trace: &Trace,
    plan: &Plan,
    reading: Reading<'_>,
) -> Result<Option<Outcome>, Stop> {
    fail_point("scan", ranks.rank())?;
    let rules = Rules::new(&trace.definitions);
    let mail = Exchange::new(ranks.size(), reading.room);
    let others = Others::Ask(mail.sink());
    let mut outcome = match trace.source.archive() {
        Some(_) => check_archive(ranks, trace, plan, (&rules, others), reading)?,
        None => check_log(ranks, trace, plan, (&rules, others), reading),
    };
    if rules.processes.any_is_shared() {
        ask_others(ranks, trace, &rules, mail, &mut outcome)?;
    }
    fail_point("reduce", ranks.rank())?;
    Ok(ranks.reduce(0, outcome, Outcome::fold)?)
}

/// Finds which ends of requests and operations no location of a process has begun or ended.
fn ask_others(
    ranks: &dyn Communicator,
    trace: &Trace,
    rules: &Rules<'_>,
    mail: Exchange,
    outcome: &mut Outcome,
) -> Result<(), Stop> {
    // The other end may be in what could not be read.
    let unread = outcome.unread.iter().filter_map(|location| rules.processes.of(*location));
    let unread: BTreeSet<u32> = unread.map(|Process(process)| process).collect();
    let unread: BTreeSet<u32> = ranks.all_gather(unread)?.into_iter().flatten().collect();
    let has_lines = trace.source.archive().is_none();
    let Outcome { found, locations, confirmed, .. } = outcome;
    let defect = |suspect: &Suspect| {
        let process = rules.processes.of(suspect.location);
        if process.is_some_and(|Process(process)| unread.contains(&process)) {
            return;
        }
        locations.insert(suspect.location);
        if found.count(suspect.code, 0) {
            found.keep(Defect::of_events(suspect, has_lines));
        } else {
            confirmed.add(suspect);
        }
    };
    let sorted = mail.sorted(ranks, &mut 0)?;
    together(ranks, confirm(sorted, defect))
}

/// Reads an archive, each rank the locations of its share, and rank 0 what the trace has once.
fn check_archive(
    ranks: &dyn Communicator,
    trace: &Trace,
    plan: &Plan,
    (rules, others): (&Rules<'_>, Others<'_>),
    reading: Reading<'_>,
) -> Result<Outcome, Stop> {
    let Reading { progress, .. } = reading;
    let checking = Checking { archive: trace.source.otf2(), rules, progress, others };
    let share = &plan.share(ranks.rank()).locations;
    let work = |queue: &Queue<'_>| {
        let mut outcome = Outcome::new(reading.limit);
        while let Some(id) = queue.take() {
            let Some(location) = trace.definitions.locations.get(&id) else { continue };
            let before = outcome.found.total();
            let (read, is_whole) = checking.location(location, &mut outcome.found);
            outcome.read.add(&read);
            if !is_whole {
                outcome.unread.insert(id);
            }
            if outcome.found.total() > before {
                outcome.locations.insert(id);
            }
        }
        outcome
    };
    let mut outcome = on_workers(share, reading.workers, work, Outcome::fold);
    let global = (ranks.rank() == 0).then(|| {
        let read =
            global::check(trace.source.otf2(), rules, &mut outcome.found).map_err(Loss::from)?;
        outcome.read.add(&read);
        Ok::<(), Failure>(())
    });
    ranks.broadcast_result(0, global)?.map_err(Stop::Together)?;
    Ok(outcome)
}

/// Reads a log, each rank for the locations of its share.
fn check_log(
    ranks: &dyn Communicator,
    trace: &Trace,
    plan: &Plan,
    (rules, others): (&Rules<'_>, Others<'_>),
    reading: Reading<'_>,
) -> Outcome {
    let Reading { workers, limit, progress, .. } = reading;
    let checking = LogCheck { trace, rules, progress, others, limit };
    let share = &plan.share(ranks.rank()).locations;
    let groups: Vec<_> = share.chunks(share.len().div_ceil(workers.get()).max(1)).collect();
    let work = |queue: &Queue<'_, &[LocationRef]>| {
        let mut outcome = Outcome::new(limit);
        while let Some(group) = queue.take() {
            checking.events(group, &mut outcome);
        }
        outcome
    };
    let mut outcome = on_workers(&groups, workers, work, Outcome::fold);
    if ranks.rank() == 0 {
        outcome.read.files += 1;
        // However many ranks and passes read it, it is one file.
        let file = std::fs::metadata(trace.source.path());
        outcome.read.bytes += file.map_or(0, |file| file.len());
        checking.scanned(&mut outcome.found);
    }
    outcome
}

/// Reads what has defects once more, and hands over every single one in the order of files.
///
/// # Errors
///
/// When global definitions cannot be read again.
pub fn tell_all(
    trace: &Trace,
    outcome: &Outcome,
    receiver: &mut dyn Receiver,
) -> Result<(), Failure> {
    let rules = Rules::new(&trace.definitions);
    let (progress, others) = (Progress::default(), Others::Asked(&outcome.confirmed));
    if trace.source.archive().is_none() {
        let checking =
            LogCheck { trace, rules: &rules, progress: &progress, others, limit: usize::MAX };
        checking.scanned(receiver);
        outcome.locations.iter().for_each(|location| checking.location(*location, receiver));
        return Ok(());
    }
    let archive = trace.source.otf2();
    let checking = Checking { archive, rules: &rules, progress: &progress, others };
    global::check(archive, &rules, receiver).map_err(Loss::from)?;
    for id in &outcome.locations {
        if let Some(location) = trace.definitions.locations.get(id) {
            checking.location(location, receiver);
        }
    }
    Ok(())
}
