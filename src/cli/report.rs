//! `streamfold report`: one page that answers.

use std::path::PathBuf;
use std::time::Instant;

use clap::ValueHint;
use streamfold_kernels::io::{IoOptions, APPLICATION};
use streamfold_kernels::matching::{Chosen, Processes};
use streamfold_kernels::time_map::{RowsBy, TimeMapOptions};
use streamfold_model::ids::LocationRef;

use super::formats::Format;
use super::input::{ClockArgs, InputArgs};
use super::memory_limit::MemoryLimit;
use super::references::{lose_undefined, provenance};
use super::tables::{refuse_losses, Target};
use super::{summary, Session};
use crate::analyses::efficiency::{self, Counted};
use crate::analyses::time_map::{self, TimeMapQuery};
use crate::analyses::{io, matching, waitstates};
use crate::drive::select::Plan;
use crate::drive::{self, Job};
use crate::formats::ReadOptions;
use crate::report::efficiency::Run;
use crate::report::matching::MatrixOf;
use crate::report::page::PageReport;
use crate::system::exit::{ExitCode, Failure, Stop};
use crate::system::memory;

const EXAMPLES: &str = "\
Examples:
  streamfold report traces.otf2                         writes traces.html
  streamfold report traces.otf2 -o run-17.html
  streamfold report dftracer-logs/ -o report.html
  srun -n 64 streamfold report traces.otf2 -o report.html";

/// Writes one page that answers: verdict, efficiencies, processes, time, regions, waits, messages, files
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    clock: ClockArgs,
    /// The page: an HTML file that needs no network [default: the name of the trace with .html, here]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    #[command(flatten)]
    limit: MemoryLimit,
    /// End with exit code 2 at the first thing that cannot be read
    #[arg(long)]
    strict: bool,
}

/// Parts of the time, and rows of a heat map.
const BINS: u32 = 200;
const ROWS: u32 = 256;

/// Waits that are shown one by one, of each kind.
const WORST: usize = 10;

/// Kinds of what travels between ranks at a time, at most.
const BOXES: u64 = 16;

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let ranks = session.ranks;
    let page = args.page();
    let known = Format::of(&page, &[Format::Html]).map_err(Stop::Together)?;
    if known.is_none() {
        let message = "a page goes to a file: name it with -o FILE.html";
        return Err(Stop::Together(Failure::new(ExitCode::Usage, message)));
    }
    let trace = session.open(args.clock.of(args.input.input()), ReadOptions::default())?;
    // Where nothing can be written nobody should wait for the end to learn it.
    let target = session.on_root(|| Target::prepare(&page, Format::Html, trace.source.path()))?;
    session.say_who_works();
    let workers = session.threads.count.min(session.common.max_open_files);
    let outside_computes = trace.source.regions_are_system_calls();
    let plan = Plan::new(&drive::weigh(ranks, &trace)?, ranks.size());
    let waits = session.scan(&plan, args.strict, |scanning| {
        let room = args.limit.room(session, BOXES, 0);
        waitstates::run(ranks, &trace, &plan, scanning, &room, WORST)
    })?;
    let matched = session.scan(&plan, args.strict, |scanning| {
        let room = args.limit.room(session, BOXES, 0);
        let processes = Processes::new(&trace.definitions);
        let chosen = Chosen::new(None::<std::iter::Empty<LocationRef>>, None, &processes);
        matching::run(ranks, &trace, &plan, scanning, &chosen, MatrixOf::Process.pairs(), &room)
    })?;
    let job = Job::over(ranks, trace)?.workers(workers).strict(args.strict);
    let counted = Counted::default();
    let efficiencies = session.watch(0, |progress| efficiency::run(&job, &counted, progress))?;
    let query = TimeMapQuery {
        by: RowsBy::Process,
        rows: ROWS,
        bins: BINS,
        only: None,
        window: None,
        options: TimeMapOptions { outside_computes, marked: None },
    };
    let times = session.watch(0, |progress| time_map::run(&job, &query, progress))?;
    let files = session.watch(0, |progress| {
        let options = IoOptions {
            outside_computes,
            application: APPLICATION.map(str::to_owned).to_vec(),
            bins: BINS,
            rows: ROWS,
            leaves_out: &|_| false,
        };
        let room = args.limit.room(session, io::BOXES, 0);
        io::run(&job, &options, &room, workers.get(), progress)
    })?;
    let memory = session.peak_memory()?;
    let finished = session.on_root(|| {
        let (Some(mut waits), Some(outcome), Some(times), Some(target)) =
            (waits, efficiencies, times, target)
        else {
            return Ok(ExitCode::Done);
        };
        let mut definitions = job.definitions().clone();
        waits.states.profile.define_own(&mut definitions);
        lose_undefined(job.trace(), &waits.states.profile, &mut waits.losses);
        refuse_losses(args.strict, &waits.losses)?;
        let told: Vec<(String, String)> = args.input.told().chain(args.clock.told()).collect();
        let provenance = provenance(job.trace(), args.input.path(), told, &waits.losses);
        let run = Run { outcome, definitions: definitions.clone(), provenance: provenance.clone() };
        let report = PageReport {
            run: &run,
            waits: &waits,
            matched: matched.as_ref(),
            io: files.as_ref(),
            times: &times,
            definitions: &definitions,
            provenance: &provenance,
        };
        target.output.write(|out| report.write(out))?;
        session.say(&format!("streamfold: wrote {}", page.display()));
        let pace = summary::pace(waits.amount.events, "", waits.amount.bytes, begin);
        let memory = summary::memory(memory.max(memory::peak()), waits.spilled);
        Ok(session.conclude(&waits.losses, &format!("streamfold: {pace}, {memory}")))
    })?;
    Ok(ranks.broadcast(0, finished)?)
}

impl Args {
    /// Where the page goes.
    fn page(&self) -> PathBuf {
        let named = || {
            let name = self.input.path().file_stem().map(|name| name.to_os_string());
            PathBuf::from(name.unwrap_or_else(|| "report".into())).with_extension("html")
        };
        self.output.clone().unwrap_or_else(named)
    }
}
