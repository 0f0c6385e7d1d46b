//! `--by process`, `thread` and `node`: what each is busy with, and how long it waits.

use std::time::Instant;

use super::apart::{usage, Apart};
use super::Args;
use crate::formats::Format;
use crate::references::lose_of_account;
use crate::session::Session;
use streamfold_analyses::account::{self, AccountQuery};
use streamfold_analyses::processes::waits_of;
use streamfold_analyses::waitstates::{self, WaitQuery};
use streamfold_drive::rounds::Room;
use streamfold_drive::select::Plan;
use streamfold_report::processes::{write_text, Order, ProcessReport, Subject};
use streamfold_report::profile::sort::SortKey;
use streamfold_report::profile::By;
use streamfold_system::exit::{ExitCode, Stop};

/// Reports are written so.
const REPORTS: [Format; 4] = [Format::Csv, Format::Json, Format::Hdf5, Format::Text];

/// Rows of the table for people, where nobody says how many.
const TOP: usize = 64;

/// Bytes of each kind that ranks exchange at a time.
const ROOM: usize = 64 << 20;

/// Returns the subject of the rows; `None` if they are rows of the profile.
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
    let counts = "--by process, thread and node count all regions";
    let apart = Apart::open(args, session, &REPORTS, counts)?;
    let (job, window) = (&apart.job, apart.window);
    let wants_waits = window.is_none() && apart.is_whole;
    let query = AccountQuery { window, ..AccountQuery::default() };
    let mut outcome = session.watch(0, |progress| account::run(job, &query, progress))?;
    let mut waits = None;
    if wants_waits {
        let trace = job.trace();
        let plan = Plan::new(&session.candidates(trace, false)?, session.ranks.size());
        let found = session.scan(&plan, args.strict, |scanning| {
            let room = Room { bytes: ROOM, folder: std::env::temp_dir() };
            waitstates::run(session.ranks, trace, &plan, scanning, &WaitQuery::new(&room))
        })?;
        waits = found.map(|found| waits_of(&found.states));
    }
    if let Some(outcome) = &mut outcome {
        lose_of_account(job.trace(), &outcome.account, &mut outcome.losses);
    }
    let found = outcome.as_ref().map(|outcome| (&outcome.losses, outcome.amount));
    apart.conclude((args, session, begin), found, &[], |targets, provenance| {
        let Some(outcome) = &outcome else { return Ok(()) };
        let definitions = job.definitions();
        let (account, waits) = (&outcome.account, waits.as_ref());
        let report = ProcessReport { account, waits, definitions, provenance, subject, order };
        let (tables, top) = (report.tables(), args.top.unwrap_or(TOP));
        targets.iter().try_for_each(|target| {
            target.write(&tables, "processes", |out, width| {
                write_text(out, &report, &tables, top, width)
            })
        })
    })
}
