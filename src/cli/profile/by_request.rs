//! `--by request`: operations of MPI that do not block, and how much of their time computation covers.

use std::time::Instant;

use streamfold_kernels::account::{Partition, TimeBins};
use streamfold_kernels::in_flight::InFlightKernel;

use super::apart::{usage, Apart};
use super::Args;
use crate::formats::Format;
use crate::references::lose_of_account;
use crate::session::Session;
use streamfold_report::requests::RequestReport;
use streamfold_system::exit::{ExitCode, Stop};

/// Reports are written so.
const REPORTS: [Format; 5] =
    [Format::Csv, Format::Json, Format::Hdf5, Format::Parquet, Format::Text];

/// Rows of a table for people, where nobody says how many.
const TOP: usize = 20;

/// Runs it on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>, begin: Instant) -> Result<ExitCode, Stop> {
    if args.sort.is_some() {
        return Err(usage("--by request has the most exposed time first: --sort does not fit"));
    }
    let counts = "--by request counts all operations of MPI that do not block";
    let apart = Apart::open(args, session, &REPORTS, counts)?;
    let job = &apart.job;
    let window = apart
        .window
        .map(|window| TimeBins::new(window.begin.0, window.end.map_or(u64::MAX, |end| end.0), 1));
    let partition = window.map_or_else(Partition::default, Partition::bins);
    let kernel = InFlightKernel::new(job.definitions(), &partition);
    let mut folded = session.watch(0, |progress| job.run_watched(&kernel, progress))?;
    if let Some(folded) = &mut folded {
        let account = folded.partial.settle(&partition);
        lose_of_account(job.trace(), &account, &mut folded.losses);
    }
    let found = folded.as_ref().map(|folded| (&folded.losses, folded.amount));
    apart.conclude((args, session, begin), found, &[], |targets, provenance| {
        let Some(folded) = &folded else { return Ok(()) };
        let (found, definitions) = (&folded.partial, job.definitions());
        let report = RequestReport { found, definitions, provenance };
        let (tables, top) = (report.tables(), args.top.unwrap_or(TOP));
        targets.iter().try_for_each(|target| {
            target.write(&tables, "requests", |out, width| {
                report.write_text(out, &tables, top, width)
            })
        })
    })
}
