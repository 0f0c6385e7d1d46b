//! A trace of OTF, version 1, from a trace of any other format.
//!
//! Each location is a process in a stream of its own, which is written while the location is read. Rank 0 then writes
//! the definitions and the master file. Losses are counted by kind.

mod events;
mod lines;
mod tables;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};
use streamfold_kernels::matching::Processes;
use streamfold_kernels::Kernel;
use streamfold_model::events::{Event, EventVisitor};
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::stream::{EventHead, StreamSummary};

use super::definitions::Kept;
use super::{write_file, NewSet, Report};
use crate::{identifier, Outcome, Written};
use events::{Lane, LeftOut};
use streamfold_collective::Communicator;
use streamfold_drive::select::Plan;
use streamfold_drive::{self as drive, Losses, Scanning, Trace};
use streamfold_formats::otf::writer::{master_text, Shape, StreamWriter};
use streamfold_formats::otf::{master_file, Record, Section};
use streamfold_system::exit::{Failure, Stop};
use tables::Tables;

/// Writes all of a trace, but for putting it in its place. The report is on rank 0.
///
/// # Errors
///
/// On all ranks when one of them cannot write its files, or with the first loss where none may be; and when ranks
/// cannot communicate.
pub fn convert(
    ranks: &dyn Communicator,
    trace: &Trace,
    plan: &Plan,
    place: Option<&NewSet>,
    (shape, scanning): (Shape, Scanning<'_>),
) -> Result<Option<Report>, Stop> {
    let stub: PathBuf = ranks.broadcast(0, place.map(NewSet::stub))?;
    let processes = Processes::new(&trace.definitions);
    let tables = Tables::new(&trace.definitions, &processes);
    let begin = trace.definitions.clock.as_ref().map_or(0, |clock| clock.global_offset);
    let failed = AtomicBool::new(false);
    let kernel = Conversion { tables: &tables, stub: stub.clone(), shape, begin, failed };
    let folded = drive::scan_uncut(ranks, trace, plan, &kernel, scanning)?;
    let folded = drive::reduce(ranks, &kernel, folded)?;
    let mut report = None;
    let outcome = folded.map(|folded| -> Result<(), Failure> {
        let partial = folded.partial;
        if let Some(failure) = partial.failure {
            return Err(failure);
        }
        let outcome =
            Outcome { written: partial.written, losses: folded.losses, ..Outcome::default() };
        let mut new = Report {
            outcome,
            counts: (tables.by_token.len() as u64, tables.by_token.len() as u64),
            warnings: Losses::default(),
            remarks: partial
                .left_out
                .iter()
                .map(|(what, count)| format!("left out or changed: {count} {what}"))
                .collect(),
        };
        definitions(&tables, &partial, (&stub, shape), &mut new)?;
        report = Some(new);
        Ok(())
    });
    let outcome = outcome.map(|outcome| outcome.map_err(|failure| told(place, failure)));
    ranks.broadcast_result(0, outcome)?.map_err(Stop::Together)?;
    Ok(report)
}

fn told(place: Option<&NewSet>, failure: Failure) -> Failure {
    match place {
        Some(place) => place.told(failure),
        None => failure,
    }
}

/// Writes the definitions and the master file.
fn definitions(
    tables: &Tables<'_>,
    partial: &Partial,
    (stub, shape): (&std::path::Path, Shape),
    report: &mut Report,
) -> Result<(), Failure> {
    let creator = concat!("streamfold ", env!("CARGO_PKG_VERSION"));
    let mut lines =
        tables.lines(creator, partial.span.unwrap_or((0, 0)), (&partial.ops, partial.has_gaps));
    let streams = tables.by_token.keys().zip(1..).map(|(process, stream)| (stream, vec![*process]));
    let streams: BTreeMap<u32, Vec<u32>> = streams.collect();
    let master = master_text(&streams);
    let mut says = master.clone();
    says.extend(lines.iter().flat_map(|line| format!("{line:?}").into_bytes()));
    let number = identifier(says);
    let mut writer = StreamWriter::new(stub, 0, Section::Definitions, shape);
    let path = writer.path().to_owned();
    let failed = |error: std::io::Error| Failure::output(&path, &error);
    for line in &mut lines {
        if line.record == Record::DefUniqueId {
            line.values = vec![Kept::Number(number)];
        }
        writer.record(0, 0, line.record, &line.values(), &[]).map_err(failed)?;
    }
    let written = writer.finish().map_err(failed)?;
    report.outcome.written.add(&Written::file(written.bytes));
    write_file(&master_file(stub), &master)?;
    report.outcome.written.add(&Written::file(master.len() as u64));
    Ok(())
}

/// Writes the events of locations as they come.
struct Conversion<'a> {
    tables: &'a Tables<'a>,
    stub: PathBuf,
    shape: Shape,
    /// The time of a process without events.
    begin: u64,
    /// A file could not be written: no rank needs the others.
    failed: AtomicBool,
}

/// Result of a worker or of a rank.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Partial {
    written: Written,
    left_out: LeftOut,
    ops: BTreeSet<u8>,
    has_gaps: bool,
    span: Option<(u64, u64)>,
    failure: Option<Failure>,
}

/// The file of a location.
struct Events<'w> {
    /// `None` once some file could not be written.
    lane: Option<Lane<'w>>,
    path: PathBuf,
    worker: &'w mut Partial,
    failed: &'w AtomicBool,
}

impl EventVisitor for Events<'_> {
    const ATTRIBUTES: bool = true;

    fn context_visit(&mut self, head: &EventHead<'_>, event: Event<'_>, region: RegionRef) {
        if let Some(lane) = &mut self.lane {
            lane.context_visit(head, event, region);
        }
    }

    fn unknown(&mut self, head: &EventHead<'_>, id: u8) {
        if let Some(lane) = &mut self.lane {
            lane.unknown(head, id);
        }
    }

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        if let Some(lane) = &mut self.lane {
            lane.event(head, event);
        }
    }
}

impl Kernel for Conversion<'_> {
    type Worker = Partial;
    type Scan<'w>
        = Events<'w>
    where
        Self: 'w;
    type Partial = Partial;

    fn worker(&self) -> Partial {
        Partial::default()
    }

    fn scan<'w>(&'w self, worker: &'w mut Partial, location: LocationRef) -> Events<'w> {
        let stream = self.tables.stream(location);
        let writer = StreamWriter::new(&self.stub, stream, Section::Events, self.shape);
        let path = writer.path().to_owned();
        let goes_on = !self.failed.load(Ordering::Relaxed);
        let lane = goes_on.then(|| Lane::new(self.tables, location, writer));
        Events { lane, path, worker, failed: &self.failed }
    }

    fn end(&self, scan: Events<'_>, summary: &StreamSummary) {
        let Events { lane, path, worker, failed } = scan;
        let Some(lane) = lane else { return };
        let done = lane.finish(self.begin);
        let written = match done.written {
            Ok(written) => written,
            Err(error) => {
                failed.store(true, Ordering::Relaxed);
                worker.failure.get_or_insert(Failure::output(&path, &error));
                return;
            }
        };
        let (events, bytes) = (written.records, written.bytes);
        worker.written.add(&Written { files: 1, events, unknown: 0, bytes });
        add(&mut worker.left_out, done.left_out);
        if written.backward > 0 {
            let what = "records that go back in time, which have the time of the record before now";
            *worker.left_out.entry(what.to_owned()).or_default() += written.backward;
        }
        worker.ops.extend(done.ops);
        worker.has_gaps |= done.has_gaps;
        let span = summary.first.zip(summary.last).map(|(first, last)| (first.0, last.0));
        worker.span = join(worker.span, span);
    }

    fn partial(&self, worker: Partial) -> Partial {
        worker
    }

    fn fold(&self, mut into: Partial, other: Partial) -> Partial {
        into.written.add(&other.written);
        add(&mut into.left_out, other.left_out);
        into.ops.extend(other.ops);
        into.has_gaps |= other.has_gaps;
        into.span = join(into.span, other.span);
        into.failure = match (into.failure, other.failure) {
            (Some(one), Some(other)) if other.message < one.message => Some(other),
            (one, other) => one.or(other),
        };
        into
    }
}

fn add(into: &mut LeftOut, other: LeftOut) {
    for (what, count) in other {
        *into.entry(what).or_default() += count;
    }
}

fn join(one: Option<(u64, u64)>, other: Option<(u64, u64)>) -> Option<(u64, u64)> {
    match (one, other) {
        (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
        (one, other) => one.or(other),
    }
}
