//! `--by iteration`: the visits of a region by their numbers.

use std::time::Instant;

use streamfold_kernels::iterations::IterationRange;

use super::apart::{usage, Apart};
use super::Args;
use crate::formats::Format;
use crate::iterations::visits;
use crate::session::Session;
use streamfold_report::iterations::IterationReport;
use streamfold_system::exit::{ExitCode, Stop};

/// Reports are written so.
const REPORTS: [Format; 4] = [Format::Csv, Format::Json, Format::Hdf5, Format::Text];

/// Rows of the table for people, where nobody says how many.
const TOP: usize = 100;

/// Runs it on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>, begin: Instant) -> Result<ExitCode, Stop> {
    let region = args.of.as_deref().ok_or_else(|| usage("--by iteration needs --of REGION"))?;
    let counts = "--by iteration counts all visits of one region (--of)";
    let apart = Apart::open(args, session, &REPORTS, counts)?.windowed();
    let job = &apart.job;
    let visits = visits(session, job, region, IterationRange::ALL, true)?;
    let found = visits.as_ref().map(|visits| (&visits.losses, visits.amount));
    apart.conclude((args, session, begin), found, &[("of", region)], |targets, provenance| {
        let Some(visits) = &visits else { return Ok(()) };
        let (found, definitions) = (&visits.partial, job.definitions());
        let report = IterationReport { found, region, definitions, provenance };
        let (tables, top) = (report.tables(), args.top.unwrap_or(TOP));
        targets.iter().try_for_each(|target| {
            target.write(&tables, "iterations", |out, width| {
                report.write_text(out, &tables, top, width)
            })
        })
    })
}
