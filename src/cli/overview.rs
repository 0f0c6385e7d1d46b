//! `streamfold TRACE`: a trace at a glance.

use std::path::Path;
use std::time::Instant;

use streamfold_kernels::overview::OverviewKernel;

use super::input::{ClockArgs, InputArgs};
use super::summary;
use crate::session::Session;
use streamfold_drive::Job;
use streamfold_formats::ReadOptions;
use streamfold_output::Output;
use streamfold_report::overview::OverviewPage;
use streamfold_system::exit::{ExitCode, Stop};

/// The name of the command, which nobody has to say.
pub(super) const NAME: &str = "overview";

const EXAMPLES: &str = "\
Examples:
  streamfold traces.otf2              the same as streamfold overview traces.otf2
  streamfold run.gist
  srun -n 64 streamfold traces.otf2";

/// Shows a trace at a glance: what ran, where time goes, what was lost, which commands come next
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    clock: ClockArgs,
}

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let trace = session.open(args.clock.of(args.input.input()), ReadOptions::default())?;
    let identity = trace.source.identity();
    session.say_who_works();
    let workers = session.threads.count.min(session.common.max_open_files);
    let job = Job::over(session.ranks, trace)?.workers(workers);
    let kernel = OverviewKernel::new(job.definitions());
    let done = session.watch(0, |progress| job.run_watched(&kernel, progress))?;
    let code = session.on_root(|| {
        let Some(done) = &done else { return Ok(ExitCode::Done) };
        let page = OverviewPage {
            input: &args.input.path().to_string_lossy(),
            creator: &identity.creator,
            definitions: job.definitions(),
            overview: &done.partial,
            losses: done.losses.count,
        };
        Output::prepare(Path::new("-"))?.write(|out| page.write(out))?;
        let pace = summary::pace(done.amount.events, "", done.amount.bytes, begin);
        Ok(session.conclude(&done.losses, &format!("streamfold: {pace}")))
    })?;
    Ok(session.ranks.broadcast(0, code)?)
}
