//! `--by kernel`: what accelerators do.

use std::time::Instant;

use super::apart::{usage, Apart};
use super::Args;
use crate::formats::Format;
use crate::memory_limit::MemoryLimit;
use crate::references::lose_of_account;
use crate::session::Session;
use streamfold_analyses::account::{self, AccountQuery, BOXES};
use streamfold_analyses::launches;
use streamfold_drive::rounds::Exchange;
use streamfold_kernels::devices::{DeviceKernel, Launches};
use streamfold_report::kernels::{KernelReport, Order};
use streamfold_report::profile::sort::SortKey;
use streamfold_system::exit::{ExitCode, Stop};

/// Reports are written so.
const REPORTS: [Format; 5] =
    [Format::Csv, Format::Json, Format::Hdf5, Format::Parquet, Format::Text];

/// Rows of a table for people, where nobody says how many.
const TOP: usize = 64;

/// Runs it on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>, begin: Instant) -> Result<ExitCode, Stop> {
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
    let counts = "--by kernel counts what runs on accelerators";
    let apart = Apart::open(args, session, &REPORTS, counts)?;
    let job = &apart.job;
    let room = MemoryLimit::of(args.memory).room(session, BOXES + launches::BOXES, 0);
    let query =
        AccountQuery { window: apart.window, devices: Some(&room), ..AccountQuery::default() };
    let mail = Exchange::new(session.ranks.size(), &room);
    let starts = Launches::new(job.definitions(), mail.sink());
    let kernel = DeviceKernel::new(job.definitions(), starts);
    // Kernels in a window are cut at its ends.
    let (mut outcome, sums) = match apart.window {
        None => {
            let found =
                session.watch(0, |progress| account::run_with(job, &query, &kernel, progress))?;
            found.map_or((None, None), |(outcome, sums)| (Some(outcome), Some(sums)))
        }
        Some(window) => {
            let outcome = session.watch(0, |progress| account::run(job, &query, progress))?;
            let sums = session.watch(0, |progress| job.run_within(window, &kernel, progress))?;
            (outcome, sums.map(|sums| sums.partial))
        }
    };
    drop(kernel);
    let delays = launches::run(session.ranks, mail)?;
    if let Some(outcome) = &mut outcome {
        lose_of_account(job.trace(), &outcome.account, &mut outcome.losses);
    }
    let found = outcome.as_ref().map(|outcome| (&outcome.losses, outcome.amount));
    apart.conclude((args, session, begin), found, &[], |targets, provenance| {
        let (Some(outcome), Some(found)) = (&outcome, &sums) else { return Ok(()) };
        let (is_whole, definitions) = (apart.is_whole, job.definitions());
        let delays = &delays;
        let report =
            KernelReport { found, delays, outcome, definitions, provenance, order, is_whole };
        let (tables, top) = (report.tables(), args.top.unwrap_or(TOP));
        targets.iter().try_for_each(|target| {
            target
                .write(&tables, "kernels", |out, width| report.write_text(out, &tables, top, width))
        })
    })
}
