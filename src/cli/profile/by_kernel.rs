//! `--by kernel`: what accelerators do.

use std::time::Instant;

use streamfold_kernels::devices::DeviceKernel;

use super::Args;
use crate::cli::formats::Format;
use crate::cli::outputs::Reports;
use crate::cli::references::provenance;
use crate::cli::tables::{refuse_losses, Target};
use crate::cli::{summary, Session};
use crate::formats::ReadOptions;
use crate::report::kernels::{KernelReport, Order};
use crate::report::profile::sort::SortKey;
use crate::system::exit::{ExitCode, Failure, Stop};
use crate::system::memory;

/// Reports are written so.
const REPORTS: [Format; 5] =
    [Format::Csv, Format::Json, Format::Hdf5, Format::Parquet, Format::Text];

/// Rows of a table for people, where nobody says how many.
const TOP: usize = 64;

/// Runs it on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>, begin: Instant) -> Result<ExitCode, Stop> {
    let usage = |text: &str| Stop::Together(Failure::new(ExitCode::Usage, text));
    if args.slices.has_rule() || args.iterations.told().is_some() || args.trees.any() {
        let text =
            "--by kernel counts what runs on accelerators: --region, --exclude, --paradigm, \
                    --iterations and trees of threads do not fit";
        return Err(usage(text));
    }
    let order = match args.sort {
        None | Some(SortKey::Inclusive) => Order::Total,
        Some(SortKey::Exclusive) => Order::Exclusive,
        Some(SortKey::Visits) => Order::Calls,
        Some(SortKey::Mean) => Order::Mean,
        Some(SortKey::Longest) => Order::Longest,
        Some(SortKey::Name) => Order::Name,
        Some(SortKey::Id) => Order::Id,
        Some(_) => {
            let text =
                "--by kernel takes --sort inclusive, exclusive, visits, mean, longest, name or id";
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
    let mut job = session.job(trace, only.as_ref(), args.strict)?;
    if let Some(window) = window {
        job = job.window(window);
    }
    let kernel = DeviceKernel::new(job.definitions());
    let folded = session.watch(0, |progress| job.run_watched(&kernel, progress))?;
    let memory = session.peak_memory()?;
    let finished = session.on_root(|| {
        let (Some(folded), Some(targets)) = (&folded, &targets) else { return Ok(ExitCode::Done) };
        refuse_losses(args.strict, &folded.losses)?;
        let mut told: Vec<(String, String)> = args.input.told().chain(args.clock.told()).collect();
        told.extend(extent.told(window.as_ref()));
        let provenance = provenance(job.trace(), args.input.path(), told, &folded.losses);
        let report = KernelReport {
            found: &folded.partial,
            definitions: job.definitions(),
            provenance: &provenance,
            order,
        };
        let tables = report.tables();
        let top = args.top.unwrap_or(TOP);
        targets.iter().try_for_each(|target| {
            target
                .write(&tables, "kernels", |out, width| report.write_text(out, &tables, top, width))
        })?;
        let pace = summary::pace(folded.amount.events, "", folded.amount.bytes, begin);
        let memory = summary::memory(memory.max(memory::peak()), 0);
        Ok(session.conclude(&folded.losses, &format!("streamfold: {pace}, {memory}")))
    })?;
    Ok(session.ranks.broadcast(0, finished)?)
}
