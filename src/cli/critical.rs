//! `streamfold critical`: the path that determined how long the run took.

use std::path::Path;
use std::time::Instant;

use streamfold_kernels::profile::SinkMaker;
use streamfold_kernels::Window;

use super::formats::{Format, Standard, ONE_TABLE};
use super::input::{ClockArgs, InputArgs};
use super::iterations::IterationArgs;
use super::memory_limit::MemoryLimit;
use super::numbers;
use super::outputs::{OutputPath, Reports};
use super::references::provenance;
use super::slices::TimeArgs;
use super::summary;
use super::tables::{refuse_losses, Target};
use super::waitstates::{lose_all, write_cubex, BOXES};
use crate::session::Session;
use streamfold_analyses::account::{self, AccountQuery, CountedTime};
use streamfold_analyses::critical::{CellSink, CriticalPath, PathQuery};
use streamfold_analyses::waitstates::{self, Outcome, WaitQuery};
use streamfold_drive::select::Plan;
use streamfold_drive::{Clocks, Trace};
use streamfold_formats::ReadOptions;
use streamfold_report::aside::Spools;
use streamfold_report::critical::{text, CriticalReport};
use streamfold_report::provenance::Provenance;
use streamfold_report::waitstates::WaitReport;
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_system::memory;

const EXAMPLES: &str = "\
Examples:
  streamfold critical traces.otf2                       what determined how long the run took
  streamfold critical traces.otf2 --without-startup     the same between MPI_Init and MPI_Finalize
  streamfold critical traces.otf2 --iterations step 5..10
  streamfold critical traces.otf2 --list path.parquet   all sections of the path, for pandas
  streamfold critical traces.otf2 -o path.json          everything, for scripts
  streamfold critical traces.otf2 -o path.cubex         under the names of Scalasca, for Cube
  srun -n 64 streamfold critical traces.otf2 --memory 4GiB";

/// Finds the critical path: the code that determined how long the run took
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Number of rows of each table, in text
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = numbers::whole::<usize>)]
    top: usize,
    /// Outputs, by suffix: .txt, .json and .h5 (everything), .csv and .parquet (the table of
    /// --table), .cubex (the path beside visits and times of every location, for Cube); - is standard output. As
    /// often as wanted [default: -]
    #[arg(short, long, value_name = "FILE")]
    output: Vec<OutputPath>,
    /// Write all sections of the path, in the order of time: .csv, .parquet, .json
    #[arg(long, value_name = "FILE")]
    list: Option<OutputPath>,
    /// What standard output gets [default: table]
    #[arg(long, value_enum)]
    format: Option<Standard>,
    /// Table that CSV and Parquet hold [default: by_call_path]
    #[arg(long, value_name = "TABLE", value_parser = TABLES)]
    table: Option<String>,
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
const TABLES: [&str; 5] = ["by_call_path", "by_location", "by_class", "longest", "sections"];

/// Reports are written so.
const REPORTS: [Format; 6] =
    [Format::Csv, Format::Parquet, Format::Json, Format::Hdf5, Format::Cubex, Format::Text];

/// The list of sections is written so.
const LISTS: [Format; 3] = [Format::Csv, Format::Parquet, Format::Json];

/// Number of the longest sections that are told one by one.
const LONGEST: usize = 20;

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let ranks = session.ranks;
    let reports = args.reports().map_err(Stop::Together)?;
    let list = args.list().map_err(Stop::Together)?;
    let input = args.clock.of(args.input.input());
    let iterations = args.iterations.windows(session, input, Clocks::Corrected)?;
    let trace = session.open(input, ReadOptions::default())?;
    let window = args.time.window(&trace).map_err(Stop::Together)?;
    let windows = window.map(|window| {
        let all = trace.definitions.locations.keys();
        all.map(|location| (*location, window)).collect()
    });
    let windows = windows.or(iterations.map(|iterations| iterations.windows));
    // An output that cannot be written is reported before the trace is read.
    let targets = session.on_root(|| {
        let reports = Target::reports(&reports)?;
        let list = list.map(|(path, format)| Target::prepare(path, format)).transpose()?;
        Ok((reports, list))
    })?;
    let plan = Plan::new(&session.candidates(&trace, false)?, ranks.size());
    session.say_who_works();
    let cubex: Vec<&Path> = reports.of(Format::Cubex).collect();
    let spools = (!cubex.is_empty()).then(Spools::new);
    let sink = spools.as_ref().map(|spools| || spools.sink());
    let besides = sink.as_ref().map(|sink| sink as &SinkMaker<'_>);
    let cells = spools.as_ref().map(|spools| |row, at, values| spools.cells.put(row, at, values));
    let cells = cells.as_ref().map(|cells| cells as &CellSink<'_>);
    let mut outcome = session.scan(&plan, args.strict, |scanning| {
        let room = args.limit.room(session, BOXES, 0);
        let query = WaitQuery {
            windows: windows.as_ref(),
            critical: Some(PathQuery::ByCallPath { longest: LONGEST, if_it_moves: false, cells }),
            besides,
            ..WaitQuery::new(&room)
        };
        waitstates::run(ranks, &trace, &plan, scanning, &query)
    })?;
    let path = outcome.as_mut().map(|outcome| outcome.critical.take());
    let path = ranks.broadcast(0, path)?;
    let job = session.job(trace, None, args.strict)?;
    let visits = path.as_ref().map(|path| path.visits()).unwrap_or_default();
    let query = AccountQuery { time: CountedTime::Sections(visits), ..AccountQuery::default() };
    let accounted = session.watch(0, |progress| account::run(&job, &query, progress))?;
    let memory = session.peak_memory()?;
    let mut definitions = job.trace().definitions.clone();
    let trace = job.trace();
    let mut provenance = None;
    session.on_root(|| {
        let Some(outcome) = &mut outcome else { return Ok(()) };
        outcome.states.profile.define_own(&mut definitions);
        lose_all(trace, &definitions, outcome);
        refuse_losses(args.strict, &outcome.losses)?;
        provenance = Some(args.provenance(trace, window.as_ref(), outcome));
        Ok(())
    })?;
    let path = path.unwrap_or_default();
    let run_ticks = match (&window, &windows) {
        (Some(window), _) => {
            let (first, last) = path.run;
            let end = window.end.map_or(last, |end| end.0.min(last));
            end.saturating_sub(first.max(window.begin.0))
        }
        (None, None) => path.run.1 - path.run.0,
        (None, Some(_)) => path.total(),
    };
    let found = outcome.as_ref().zip(accounted.as_ref()).zip(provenance.as_ref());
    let report = found.map(|((outcome, accounted), provenance)| {
        let waits = WaitReport { outcome, accounted, definitions: &definitions, provenance };
        CriticalReport { waits, path: &path, run_ticks }
    });
    session.on_root(|| match (&report, &targets) {
        (Some(report), Some((reports, list))) => args.write(report, reports, list.as_ref()),
        _ => Ok(()),
    })?;
    if let Some(spools) = &spools {
        let targets = targets.as_ref().map(|(reports, _)| &reports[..]);
        let metrics = report.as_ref().map_or_else(Vec::new, CriticalReport::metrics);
        let waits = report.as_ref().map(|report| &report.waits);
        write_cubex(ranks, &cubex, targets, waits, (spools, &metrics))?;
    }
    let finished = session.on_root(|| {
        let Some(outcome) = &outcome else { return Ok(ExitCode::Done) };
        let pace = summary::pace(outcome.amount.events, "", outcome.amount.bytes, begin);
        let memory = summary::memory(memory.max(memory::peak()), outcome.spilled);
        Ok(session.conclude(&outcome.losses, &format!("streamfold: {pace}, {memory}")))
    })?;
    Ok(ranks.broadcast(0, finished)?)
}

/// The critical path of a trace, or of a window of time of it, for others: its sections. On rank 0.
pub(super) fn of_trace(
    session: &Session<'_>,
    trace: &Trace,
    window: Option<Window>,
    strict: bool,
) -> Result<Option<CriticalPath>, Stop> {
    let windows = window.map(|window| {
        let all = trace.definitions.locations.keys();
        all.map(|location| (*location, window)).collect()
    });
    let plan = Plan::new(&session.candidates(trace, false)?, session.ranks.size());
    let found = session.scan(&plan, strict, |scanning| {
        let room = MemoryLimit::default().room(session, BOXES, 0);
        let critical = Some(PathQuery::Sections);
        let query = WaitQuery { windows: windows.as_ref(), critical, ..WaitQuery::new(&room) };
        waitstates::run(session.ranks, trace, &plan, scanning, &query)
    })?;
    Ok(found.and_then(|found| found.critical))
}

impl Args {
    /// Returns the outputs of reports.
    fn reports(&self) -> Result<Reports<'_>, Failure> {
        let reports = match (self.output.is_empty(), &self.list, self.format) {
            // A user who asks for a file gets no table.
            (true, Some(_), None) => Reports::named(&[], &REPORTS, None::<Standard>)?,
            _ => Reports::or_standard(&self.output, &REPORTS, self.format)?,
        };
        let table = ("--table", self.table.is_some());
        reports.refuse_unused(table, &ONE_TABLE, "CSV: name a file with -o FILE.csv")?;
        Ok(reports)
    }

    /// Returns the output of the list of sections, and its format.
    fn list(&self) -> Result<Option<(&OutputPath, Format)>, Failure> {
        let Some(path) = &self.list else { return Ok(None) };
        Ok(Some((path, Format::of(path, &LISTS)?.unwrap_or(Format::Csv))))
    }

    fn provenance(&self, trace: &Trace, window: Option<&Window>, outcome: &Outcome) -> Provenance {
        let mut options = Vec::new();
        options.extend(self.input.told());
        options.extend(self.clock.told());
        options.extend(self.time.told(window));
        options.extend(self.iterations.told());
        if self.strict {
            options.push(("strict".to_owned(), "true".to_owned()));
        }
        provenance(trace, self.input.path(), options, &outcome.losses)
    }

    fn write(
        &self,
        report: &CriticalReport<'_>,
        targets: &[Target],
        list: Option<&Target>,
    ) -> Result<(), Failure> {
        let tables = report.table_report();
        let table = self.table.as_deref().unwrap_or("by_call_path");
        for target in targets.iter().filter(|target| target.format != Format::Cubex) {
            target.write(&tables, table, |out, width| {
                text::write(out, report, &tables, self.top, width)
            })?;
        }
        list.iter().try_for_each(|target| target.write(&tables, "sections", |_, _| Ok(())))
    }
}
