//! `streamfold waitstates`: who waited for whom, and where all time went.

use std::path::Path;
use std::time::Instant;

use streamfold_kernels::account::Account;
use streamfold_kernels::profile::SinkMaker;
use streamfold_kernels::waitstates::LeftOut;
use streamfold_kernels::Window;
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;

use super::formats::{Format, Standard, ONE_TABLE};
use super::input::{ClockArgs, InputArgs};
use super::iterations::{IterationArgs, IterationWindows};
use super::memory_limit::MemoryLimit;
use super::numbers;
use super::outputs::{OutputPath, Reports};
use super::references::{
    lose_undefined, lose_undefined_references, provenance, resolution, UndefinedReferences,
};
use super::slices::TimeArgs;
use super::summary;
use super::tables::{refuse_losses, Target};
use super::times::nothing_recorded;
use crate::session::{tell, Session};
use streamfold_analyses::account::{self, AccountQuery};
use streamfold_analyses::waitstates;
use streamfold_analyses::waitstates::{Outcome, WaitQuery};
use streamfold_collective::Communicator;
use streamfold_drive::select::Plan;
use streamfold_drive::{Clocks, Trace};
use streamfold_formats::ReadOptions;
use streamfold_report::aside::Spools;
use streamfold_report::cubex::{self, More};
use streamfold_report::profile::ProfileReport;
use streamfold_report::provenance::Provenance;
use streamfold_report::waitstates::{text, WaitReport};
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_system::memory;
use streamfold_text::human;

const EXAMPLES: &str = "\
Examples:
  streamfold waitstates traces.otf2                     the tree of all time, and the longest waits
  streamfold waitstates traces.otf2 --top 50 --worst 20
  streamfold waitstates traces.otf2 --iterations step 5..10     waits in these iterations
  streamfold waitstates traces.otf2 -o waits.json       everything, for scripts
  streamfold waitstates traces.otf2 -o waits.csv        waits by call path and location
  streamfold waitstates traces.otf2 -o c.csv --table causes     who made others wait
  streamfold waitstates traces.otf2 --delays            what code made others wait, too
  streamfold waitstates traces.otf2 -o waits.cubex      waits beside visits and times, for Cube
  srun -n 64 streamfold waitstates traces.otf2 --memory 4GiB -o waits.h5";

/// Finds who waited for whom, and where all time went
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Number of rows of each table, in text
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = numbers::whole::<usize>)]
    top: usize,
    /// Tell so many of the longest waits of each kind one by one, with time and place
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = worst_of)]
    worst: usize,
    /// Where to write, by suffix: .txt, .json and .h5 (everything), .csv and .parquet (the table of
    /// --table), .cubex (visits, times and waits of every location, for Cube); - is standard output. As often
    /// as wanted [default: -]
    #[arg(short, long, value_name = "FILE")]
    output: Vec<OutputPath>,
    /// What standard output gets [default: table]
    #[arg(long, value_enum)]
    format: Option<Standard>,
    /// Table that CSV and Parquet hold [default: severities]
    #[arg(long, value_name = "TABLE", value_parser = TABLES)]
    table: Option<String>,
    /// Find what code made others wait, too: the trace is read once more
    #[arg(long)]
    delays: bool,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    iterations: IterationArgs,
    /// End with exit code 2 at the first thing that cannot be read
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    clock: ClockArgs,
    #[command(flatten)]
    limit: MemoryLimit,
}

/// The names of the tables.
const TABLES: [&str; 10] = [
    "metrics",
    "call_paths",
    "by_path",
    "by_location",
    "severities",
    "worst",
    "causes",
    "delays",
    "violations",
    "left_out",
];

/// Kinds of blocks that ranks exchange: messages, members of operations, meeting threads, epochs, and their findings,
/// each with its order.
pub(super) const BOXES: u64 = 20;

/// How many of the longest waits are kept.
fn worst_of(text: &str) -> Result<usize, String> {
    const MOST: usize = 1_000_000;
    let number = text.parse().ok().filter(|number| *number <= MOST);
    number.ok_or_else(|| format!("0 to {MOST} are possible"))
}

/// Reports are written so.
const REPORTS: [Format; 6] =
    [Format::Csv, Format::Parquet, Format::Json, Format::Hdf5, Format::Cubex, Format::Text];

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let ranks = session.ranks;
    let reports = args.reports().map_err(Stop::Together)?;
    let input = args.clock.of(args.input.input());
    let iterations = args.iterations.windows(session, input, Clocks::Corrected)?;
    let trace = session.open(input, ReadOptions::default())?;
    let window = args.time.window(&trace).map_err(Stop::Together)?;
    let windows = window.map(|window| {
        let all = trace.definitions.locations.keys();
        all.map(|location| (*location, window)).collect()
    });
    let time = iterations.as_ref().map(IterationWindows::counted).unwrap_or_default();
    let windows = windows.or(iterations.map(|iterations| iterations.windows));
    // Prepares the outputs first: an output that cannot be written is reported before the trace is read.
    let targets = session.on_root(|| Target::reports(&reports))?;
    let plan = Plan::new(&session.candidates(&trace, false)?, ranks.size());
    session.say_who_works();
    let cubex: Vec<&Path> = reports.of(Format::Cubex).collect();
    let spools = (!cubex.is_empty()).then(Spools::new);
    let sink = spools.as_ref().map(|spools| || spools.sink());
    let besides = sink.as_ref().map(|sink| sink as &SinkMaker<'_>);
    let mut outcome = session.scan(&plan, args.strict, |scanning| {
        let room = args.limit.room(session, BOXES, 0);
        let query = WaitQuery {
            room: &room,
            worst: args.worst,
            windows: windows.as_ref(),
            besides,
            delays: args.delays,
            ..WaitQuery::new(&room)
        };
        waitstates::run(ranks, &trace, &plan, scanning, &query)
    })?;
    let job = session.job(trace, None, args.strict)?;
    let room = args.limit.room(session, account::BOXES, 0);
    let devices = (windows.is_none() || window.is_some()).then_some(&room);
    let query = AccountQuery { window, time, devices, ..AccountQuery::default() };
    let accounted = session.watch(0, |progress| account::run(&job, &query, progress))?;
    let memory = session.peak_memory()?;
    let mut provenance = None;
    let mut definitions = job.trace().definitions.clone();
    let trace = job.trace();
    session.on_root(|| {
        let (Some(outcome), Some(targets)) = (&mut outcome, &targets) else { return Ok(()) };
        let Some(accounted) = &accounted else { return Ok(()) };
        outcome.states.profile.define_own(&mut definitions);
        if let Some(window) = window.filter(|_| outcome.states.profile.events == 0) {
            let clock = trace.definitions.clock.as_ref();
            tell(&format!("streamfold: {}", nothing_recorded(&window, clock, trace.first_event())));
        }
        lose_all(trace, &definitions, outcome);
        refuse_losses(args.strict, &outcome.losses)?;
        let of = args.provenance(trace, window.as_ref(), outcome);
        let report = WaitReport { outcome, accounted, definitions: &definitions, provenance: &of };
        args.write(&report, targets)?;
        provenance = Some(of);
        Ok(())
    })?;
    let found = outcome.as_ref().zip(accounted.as_ref()).zip(provenance.as_ref());
    let found = found.map(|((outcome, accounted), provenance)| WaitReport {
        outcome,
        accounted,
        definitions: &definitions,
        provenance,
    });
    if let Some(spools) = &spools {
        let mut waits = found.as_ref().map_or_else(Vec::new, WaitReport::waits);
        waits.extend(found.as_ref().map_or_else(Vec::new, WaitReport::delay_costs));
        write_cubex(ranks, &cubex, targets.as_deref(), found.as_ref(), (spools, &waits))?;
    }
    let finished = session.on_root(|| {
        let Some(outcome) = &outcome else { return Ok(ExitCode::Done) };
        Ok(session.conclude(&outcome.losses, &summary(outcome, begin, memory)))
    })?;
    Ok(ranks.broadcast(0, finished)?)
}

/// Writes the files of Cube, collectively. Rank 0 brings what was found, the metrics besides, and where they go.
pub(super) fn write_cubex(
    ranks: &dyn Communicator,
    paths: &[&Path],
    targets: Option<&[Target]>,
    found: Option<&WaitReport<'_>>,
    (spools, more): (&Spools, &[More]),
) -> Result<(), Stop> {
    let profile = found.map(|found| ProfileReport {
        profile: &found.outcome.states.profile,
        definitions: found.definitions,
        provenance: found.provenance,
        derived: &[],
    });
    let targets = targets.unwrap_or_default().iter();
    let mut outputs = targets.filter(|target| target.format == Format::Cubex);
    for path in paths {
        let output = outputs.next().map(|target| &target.output);
        cubex::write(path, ranks, output.zip(profile.as_ref()), spools, more)?;
    }
    Ok(())
}

/// The wait states of a trace and the account of its time, as this command finds them, for others; on rank 0.
pub(super) fn of_trace(
    path: &Path,
    limit: &MemoryLimit,
    strict: bool,
    session: &Session<'_>,
) -> Result<Option<(u64, Outcome, Account)>, Stop> {
    let ranks = session.ranks;
    let trace = session.open_side(path, ReadOptions::default())?;
    let plan = Plan::new(&session.candidates(&trace, false)?, ranks.size());
    let mut outcome = session.scan(&plan, strict, |scanning| {
        let room = limit.room(session, BOXES, 0);
        waitstates::run(ranks, &trace, &plan, scanning, &WaitQuery::new(&room))
    })?;
    let job = session.job(trace, None, strict)?;
    let query = AccountQuery::default();
    let accounted = session.watch(0, |progress| account::run(&job, &query, progress))?;
    let trace = job.trace();
    session.on_root(|| {
        let Some(outcome) = &mut outcome else { return Ok(()) };
        let mut definitions = trace.definitions.clone();
        outcome.states.profile.define_own(&mut definitions);
        lose_all(trace, &definitions, outcome);
        refuse_losses(strict, &outcome.losses)
    })?;
    let resolution = resolution(trace).unwrap_or(1);
    let found = outcome.zip(accounted);
    Ok(found.map(|(outcome, accounted)| (resolution, outcome, accounted.account)))
}

/// Adds what is not defined, and what cannot be told from others, to the losses.
pub(super) fn lose_all(trace: &Trace, definitions: &Definitions, outcome: &mut Outcome) {
    lose_undefined((trace, definitions), &outcome.states.profile, &mut outcome.losses);
    lose_unknown(trace, outcome);
}

/// Adds losses where what belongs together is of nobody, and where call paths cannot be told from each other.
fn lose_unknown(trace: &Trace, outcome: &mut Outcome) {
    let of = |what| outcome.states.left_out.get(&what).copied().unwrap_or(0);
    let undefined = UndefinedReferences {
        messages: of(LeftOut::NowhereMessages),
        parts: of(LeftOut::NowhereCollectives),
        windows: of(LeftOut::NowhereWindows),
        epochs: of(LeftOut::LargeEpochs),
        untracked: of(LeftOut::Untracked),
    };
    lose_undefined_references(trace, undefined, &mut outcome.losses);
    if outcome.unclear_paths > 0 {
        let path = trace.source.definitions_file().display().to_string();
        let paths = human::counted(outcome.unclear_paths, ["call path", "call paths"]);
        let text = format!("{path}: {paths} that cannot be told from others");
        outcome.losses.push(LocationRef::UNDEFINED, text);
    }
}

impl Args {
    /// Returns the outputs of reports.
    fn reports(&self) -> Result<Reports<'_>, Failure> {
        let reports = Reports::or_standard(&self.output, &REPORTS, self.format)?;
        let table = ("--table", self.table.is_some());
        reports.refuse_unused(table, &ONE_TABLE, "CSV: name a file with -o FILE.csv")?;
        if self.table.as_deref() == Some("delays") && !self.delays {
            return Err(Failure::new(ExitCode::Usage, "--table delays: needs --delays"));
        }
        Ok(reports)
    }

    fn provenance(&self, trace: &Trace, window: Option<&Window>, outcome: &Outcome) -> Provenance {
        let mut options = vec![("worst".to_owned(), self.worst.to_string())];
        options.extend(self.input.told());
        options.extend(self.clock.told());
        options.extend(self.time.told(window));
        options.extend(self.iterations.told());
        if self.delays {
            options.push(("delays".to_owned(), "true".to_owned()));
        }
        if self.strict {
            options.push(("strict".to_owned(), "true".to_owned()));
        }
        provenance(trace, self.input.path(), options, &outcome.losses)
    }

    /// Writes the reports that are of rank 0 alone.
    fn write(&self, report: &WaitReport<'_>, targets: &[Target]) -> Result<(), Failure> {
        let tables = report.table_report();
        let mut own = targets.iter().filter(|target| target.format != Format::Cubex);
        own.try_for_each(|target| {
            target.write(&tables, self.table.as_deref().unwrap_or("severities"), |out, width| {
                text::write(out, report, &tables, self.top, width)
            })
        })
    }
}

fn summary(outcome: &Outcome, begin: Instant, memory: u64) -> String {
    let Outcome { amount, spilled, .. } = outcome;
    let pace = summary::pace(amount.events, "", amount.bytes, begin);
    let memory = summary::memory(memory.max(memory::peak()), *spilled);
    format!("streamfold: {pace}, {memory}")
}
