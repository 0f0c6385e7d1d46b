//! `--by iteration`: the visits of a region by their numbers.

use std::time::Instant;

use streamfold_kernels::iterations::IterationRange;

use super::Args;
use crate::cli::formats::Format;
use crate::cli::iterations::visits;
use crate::cli::outputs::Reports;
use crate::cli::references::provenance;
use crate::cli::tables::{refuse_losses, Target};
use crate::cli::{summary, Session};
use crate::formats::ReadOptions;
use crate::report::iterations::IterationReport;
use crate::system::exit::{ExitCode, Failure, Stop};
use crate::system::memory;

/// Reports are written so.
const REPORTS: [Format; 4] = [Format::Csv, Format::Json, Format::Hdf5, Format::Text];

/// Rows of the table for people, where nobody says how many.
const TOP: usize = 100;

/// Runs it on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>, begin: Instant) -> Result<ExitCode, Stop> {
    let usage = |text: &str| Stop::Together(Failure::new(ExitCode::Usage, text));
    if args.slices.has_rule() || args.iterations.told().is_some() || args.trees.any() {
        let text = "--by iteration counts all visits of one region (--of): --region, --exclude, \
                    --paradigm, --iterations and trees of threads do not fit";
        return Err(usage(text));
    }
    let reports = Reports::or_standard(&args.output, &REPORTS, args.format.map(Format::from));
    let reports = reports.map_err(Stop::Together)?;
    let region = args.of.as_deref().ok_or_else(|| usage("--by iteration needs --of REGION"))?;
    let mut trace = session.open(args.clock.of(args.input.input()), ReadOptions::default())?;
    let extent = args.slices.extent();
    trace.clocks = extent.clocks();
    let targets = session.on_root(|| Target::reports(&reports, trace.source.path()))?;
    let window = extent.window(&trace).map_err(Stop::Together)?;
    let only = extent.only(&trace, session)?;
    session.say_who_works();
    let mut job = session.job(trace, only.as_ref(), args.strict)?;
    if let Some(window) = window {
        job = job.window(window);
    }
    let found = visits(session, &job, region, IterationRange::ALL, true)?;
    let memory = session.peak_memory()?;
    let finished = session.on_root(|| {
        let (Some(found), Some(targets)) = (&found, &targets) else { return Ok(ExitCode::Done) };
        refuse_losses(args.strict, &found.losses)?;
        let mut told = vec![("of".to_owned(), region.to_owned())];
        told.extend(args.input.told().chain(args.clock.told()));
        told.extend(extent.told(window.as_ref()));
        let provenance = provenance(job.trace(), args.input.path(), told, &found.losses);
        let report = IterationReport {
            found: &found.partial,
            region,
            definitions: job.definitions(),
            provenance: &provenance,
        };
        let tables = report.tables();
        let top = args.top.unwrap_or(TOP);
        targets.iter().try_for_each(|target| {
            target.write(&tables, "iterations", |out, width| {
                report.write_text(out, &tables, top, width)
            })
        })?;
        let pace = summary::pace(found.amount.events, "", found.amount.bytes, begin);
        let memory = summary::memory(memory.max(memory::peak()), 0);
        Ok(session.conclude(&found.losses, &format!("streamfold: {pace}, {memory}")))
    })?;
    Ok(session.ranks.broadcast(0, finished)?)
}
