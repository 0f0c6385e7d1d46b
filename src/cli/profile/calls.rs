//! `--calls REGION`: the longest single visits of a region.

use std::time::Instant;

use streamfold_kernels::longest::LongestKernel;

use super::apart::Apart;
use super::Args;
use crate::formats::Format;
use crate::regions::regions_of;
use crate::session::Session;
use streamfold_report::longest::LongestReport;
use streamfold_system::exit::{ExitCode, Stop};

/// Reports are written so.
const REPORTS: [Format; 5] =
    [Format::Csv, Format::Json, Format::Hdf5, Format::Parquet, Format::Text];

/// Visits that are found, if nobody says how many.
const TOP: usize = 10;

/// Runs it on all ranks.
pub(super) fn run(
    args: &Args,
    session: &Session<'_>,
    region: &str,
    begin: Instant,
) -> Result<ExitCode, Stop> {
    let counts = "--calls lists visits of one region";
    let apart = Apart::open(args, session, &REPORTS, counts)?.windowed();
    let job = &apart.job;
    let regions = regions_of(job.definitions(), region).map_err(Stop::Together)?;
    let kernel = LongestKernel::new(regions, args.top.unwrap_or(TOP));
    let folded = session.watch(0, |progress| job.run_watched(&kernel, progress))?;
    let found = folded.as_ref().map(|folded| (&folded.losses, folded.amount));
    apart.conclude((args, session, begin), found, &[("calls", region)], |targets, provenance| {
        let Some(folded) = &folded else { return Ok(()) };
        let (found, definitions) = (&folded.partial, job.definitions());
        let report = LongestReport { found, region, definitions, provenance };
        let tables = report.tables();
        targets.iter().try_for_each(|target| {
            target.write(&tables, "calls", |out, width| report.write_text(out, &tables, width))
        })
    })
}
