//! `--by process`, `thread` and `node`: what each is busy with, and how long it waits.

use std::time::Instant;

use super::Args;
use crate::analyses::processes;
use crate::cli::formats::Format;
use crate::cli::outputs::Reports;
use crate::cli::references::provenance;
use crate::cli::tables::{refuse_losses, Target};
use crate::cli::{summary, Session};
use crate::drive::rounds::Room;
use crate::drive::Scanning;
use crate::formats::ReadOptions;
use crate::report::processes::{write_text, Order, ProcessReport, Subject};
use crate::report::profile::sort::SortKey;
use crate::report::profile::By;
use crate::system::exit::{ExitCode, Failure, Stop};
use crate::system::memory;

/// Reports are written so.
const REPORTS: [Format; 4] = [Format::Csv, Format::Json, Format::Hdf5, Format::Text];

/// Rows of the table for people, where nobody says how many.
const TOP: usize = 64;

/// What travels between ranks at a time, of each kind, in bytes.
const ROOM: usize = 64 << 20;

/// What the rows are; `None`: they are of the profile.
pub(super) fn subject(by: By) -> Option<Subject> {
    match by {
        By::Process => Some(Subject::Process),
        By::Thread => Some(Subject::Thread),
        By::Node => Some(Subject::Node),
        _ => None,
    }
}

/// Runs it on all ranks.
pub(super) fn run(
    args: &Args,
    session: &Session<'_>,
    subject: Subject,
    begin: Instant,
) -> Result<ExitCode, Stop> {
    let usage = |text: &str| Stop::Together(Failure::new(ExitCode::Usage, text));
    if args.slices.has_rule() || args.iterations.told().is_some() || args.trees.any() {
        let text =
            "--by process, thread and node count all regions: --region, --exclude, --paradigm, \
                    --iterations and trees of threads do not fit";
        return Err(usage(text));
    }
    let order = match args.sort {
        None | Some(SortKey::Id) => Order::Id,
        Some(SortKey::Name) => Order::Name,
        Some(SortKey::Exclusive | SortKey::Inclusive) => Order::Computing,
        Some(SortKey::Bytes) => Order::Bytes,
        Some(_) => {
            let text = "--by process, thread and node take --sort id, name, exclusive (computation) or bytes";
            return Err(usage(text));
        }
    };
    let reports = Reports::or_standard(&args.output, &REPORTS, args.format.map(Format::from));
    let reports = reports.map_err(Stop::Together)?;
    let mut trace = session.open(args.clock.of(args.input.input()), ReadOptions::default())?;
    let extent = args.slices.extent();
    trace.clocks = extent.clocks();
    let targets = session.on_root(|| Target::reports(&reports, trace.source.path()))?;
    let window = extent.window(&trace).map_err(Stop::Together)?;
    let only = extent.only(&trace, session)?;
    session.say_who_works();
    let wants_waits = window.is_none() && only.is_none();
    let workers = session.threads.count.min(session.common.max_open_files);
    let job = session.job(trace, only.as_ref(), args.strict)?;
    let room = Room { bytes: ROOM, folder: std::env::temp_dir() };
    let outcome = session.watch(0, |progress| {
        let scanning = Scanning { workers, strict: args.strict, progress };
        processes::run(&job, window, scanning, &room, wants_waits)
    })?;
    let memory = session.peak_memory()?;
    let finished = session.on_root(|| {
        let (Some(outcome), Some(targets)) = (&outcome, &targets) else {
            return Ok(ExitCode::Done);
        };
        refuse_losses(args.strict, &outcome.losses)?;
        let mut told: Vec<(String, String)> = args.input.told().chain(args.clock.told()).collect();
        told.extend(extent.told(window.as_ref()));
        let provenance = provenance(job.trace(), args.input.path(), told, &outcome.losses);
        let definitions = job.definitions();
        let report =
            ProcessReport { outcome, definitions, provenance: &provenance, subject, order };
        let tables = report.tables();
        targets.iter().try_for_each(|target| {
            target.write(&tables, "processes", |out, width| {
                write_text(out, &report, &tables, args.top.unwrap_or(TOP), width)
            })
        })?;
        let pace = summary::pace(outcome.amount.events, "", outcome.amount.bytes, begin);
        let memory = summary::memory(memory.max(memory::peak()), 0);
        Ok(session.conclude(&outcome.losses, &format!("streamfold: {pace}, {memory}")))
    })?;
    Ok(session.ranks.broadcast(0, finished)?)
}
