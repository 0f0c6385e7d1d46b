//! `streamfold TRACE`: a trace at a glance.

use std::time::Instant;

use super::formats::{Format, Standard};
use super::input::{ClockArgs, InputArgs};
use super::outputs::Reports;
use super::references::{lose_of_account, provenance};
use super::summary;
use super::tables::Target;
use crate::session::Session;
use streamfold_analyses::account::{self, AccountQuery, BOXES};
use streamfold_drive::Job;
use streamfold_formats::ReadOptions;
use streamfold_report::overview::OverviewPage;
use streamfold_system::exit::{ExitCode, Stop};

use super::memory_limit::MemoryLimit;

/// The name of the command, which nobody has to say.
pub(super) const NAME: &str = "overview";

const EXAMPLES: &str = "\
Examples:
  streamfold traces.otf2              the same as streamfold overview traces.otf2
  streamfold run.gist
  streamfold traces.otf2 --format json
  srun -n 64 streamfold traces.otf2";

/// Shows a trace at a glance: what ran, where time goes, what was lost, which commands come next
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Format of standard output: the page, the regions as CSV, or all of it as JSON [default: table]
    #[arg(long, value_enum)]
    format: Option<Standard>,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    clock: ClockArgs,
    #[command(flatten)]
    limit: MemoryLimit,
}

/// Reports are written so.
const REPORTS: [Format; 3] = [Format::Csv, Format::Json, Format::Text];

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let reports = Reports::or_standard(&[], &REPORTS, args.format).map_err(Stop::Together)?;
    let trace = session.open(args.clock.of(args.input.input()), ReadOptions::default())?;
    session.say_who_works();
    let workers = session.threads.count.min(session.common.max_open_files);
    let job = Job::over(session.ranks, trace)?.workers(workers);
    let room = args.limit.room(session, BOXES, 0);
    let query = AccountQuery { devices: Some(&room), ..AccountQuery::default() };
    let outcome = session.watch(0, |progress| account::run(&job, &query, progress))?;
    let mut runs = Vec::new();
    let mut job = job;
    for (name, locations) in job.trace().source.runs().to_vec() {
        job = job.only(locations);
        let found = session.watch(0, |progress| account::run(&job, &query, progress))?;
        runs.extend(found.map(|found| (name, found)));
    }
    let code = session.on_root(|| {
        let Some(mut outcome) = outcome else { return Ok(ExitCode::Done) };
        lose_of_account(job.trace(), &outcome.account, &mut outcome.losses);
        let told = args.input.told().chain(args.clock.told()).collect();
        let provenance = provenance(job.trace(), args.input.path(), told, &outcome.losses);
        let page = OverviewPage {
            definitions: job.definitions(),
            outcome: &outcome,
            runs: &runs,
            provenance: &provenance,
        };
        let tables = page.tables();
        for target in Target::reports(&reports)? {
            target.write(&tables, "regions", |out, width| page.write(out, width))?;
        }
        let pace = summary::pace(outcome.amount.events, "", outcome.amount.bytes, begin);
        Ok(session.conclude(&outcome.losses, &format!("streamfold: {pace}")))
    })?;
    Ok(session.ranks.broadcast(0, code)?)
}
