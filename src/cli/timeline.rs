//! `streamfold timeline`: what time is spent on, by process and over time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use clap::ValueHint;
use streamfold_kernels::account::{Group, MetricWatch, RowsBy, TimeRows};
use streamfold_kernels::waitstates::WaitBins;
use streamfold_kernels::Window;
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::store::Definitions;

use super::formats::{Format, Standard, ONE_TABLE};
use super::input::{ClockArgs, InputArgs};
use super::iterations::{IterationArgs, IterationWindows};
use super::memory_limit::MemoryLimit;
use super::outputs::{OutputPath, Reports};
use super::references::{lose_of_account, provenance};
use super::regions::regions_of;
use super::slices::Extent;
use super::tables::{refuse_losses, Target};
use super::times::nothing_recorded;
use super::waitstates::BOXES;
use super::{numbers, summary};
use crate::session::{tell, Session};
use streamfold_analyses::account::{self, AccountQuery, Outcome, RowsQuery};
use streamfold_analyses::critical::{CriticalPath, PathQuery};
use streamfold_analyses::waitstates::{self, WaitQuery};
use streamfold_drive::select::Plan;
use streamfold_drive::Job;
use streamfold_formats::ReadOptions;
use streamfold_report::profile::metrics::Described;
use streamfold_report::time_map::{write_text, HeatValue, TimeMapReport};
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_system::memory;
use streamfold_text::names;

const EXAMPLES: &str = "\
Examples:
  streamfold timeline traces.otf2                       shades on the terminal
  streamfold timeline traces.otf2 -o heat.svg           areas of all classes, and a heat map of MPI
  streamfold timeline traces.otf2 -o heat.png --value computation
  streamfold timeline traces.otf2 -o heat.svg --value CalcForce
  streamfold timeline traces.otf2 -o heat.svg --value waits    who waits for others, and when
  streamfold timeline traces.otf2 -o heat.svg --critical-path  and what determines how long it takes
  streamfold timeline traces.otf2 -o heat.svg --value PAPI_TOT_INS
  streamfold timeline traces.otf2 -o heat.svg --by thread --time 1.5s 2s
  streamfold timeline traces.otf2 -o heat.svg --iterations step 5..10
  streamfold timeline traces.otf2 -o cells.csv -o all.json
  srun -n 64 streamfold timeline traces.otf2 -o heat.png --value classes";

/// Shows what time is spent on, by process and over time: a heat map, and areas of all classes of work
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    clock: ClockArgs,
    #[command(flatten)]
    extent: Extent,
    #[command(flatten)]
    iterations: IterationArgs,
    /// What the heat map shows: the share of time in computation, mpi, threads, io, accelerator, kernels, copies, idle or
    /// another class of the account, in waits for others, or in a region of this name or names that match this REGEX;
    /// bytes sent; a metric by its name; or classes, the class that takes most [default: mpi, or what takes most besides computation]
    #[arg(long, value_name = "VALUE", value_hint = ValueHint::Other)]
    value: Option<String>,
    /// What rows are
    #[arg(long, value_enum, value_name = "WHAT", default_value = "process")]
    by: By,
    /// Draw the critical path over the rows of pictures, as streamfold critical finds it
    #[arg(long)]
    critical_path: bool,
    /// Parts of the time, 1 to 4096
    #[arg(long, value_name = "N", default_value_t = 240, value_parser = numbers::bins)]
    bins: u32,
    /// Where to write, by suffix: .svg and .png (pictures), .csv and .parquet (one table), .json
    /// and .h5 (all tables), .txt; - is standard output. As often as wanted [default: -]
    #[arg(short, long, value_name = "FILE")]
    output: Vec<OutputPath>,
    /// What standard output gets [default: table]
    #[arg(long, value_enum)]
    format: Option<Standard>,
    /// Table that CSV holds [default: cells]
    #[arg(long, value_name = "TABLE", value_parser = TABLES)]
    table: Option<String>,
    /// End with exit code 2 at the first thing that cannot be read
    #[arg(long)]
    strict: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum By {
    Process,
    Thread,
}

/// The names of the tables.
const TABLES: [&str; 4] = ["classes", "rows", "times", "cells"];

/// Rows of a picture at most: no person sees more.
const ROWS: u32 = 512;

/// Reports are written so.
const REPORTS: [Format; 7] = [
    Format::Svg,
    Format::Png,
    Format::Csv,
    Format::Parquet,
    Format::Json,
    Format::Hdf5,
    Format::Text,
];

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let reports = args.reports().map_err(Stop::Together)?;
    let (input, clocks) = (args.clock.of(args.input.input()), args.extent.clocks());
    let iterations = args.iterations.windows(session, input, clocks)?;
    let mut trace = session.open(input, ReadOptions::default())?;
    trace.clocks = clocks;
    let targets = session.on_root(|| Target::reports(&reports))?;
    let window = args.extent.window(&trace).map_err(Stop::Together)?;
    let window = window.or(iterations.as_ref().and_then(IterationWindows::span));
    let time = iterations.as_ref().map(IterationWindows::counted).unwrap_or_default();
    let only = args.extent.only(&trace, session)?;
    session.say_who_works();
    let job = session.job(trace, only.as_ref(), args.strict)?;
    let asked = args.asked(job.definitions()).map_err(Stop::Together)?;
    let query = AccountQuery {
        window,
        time,
        rows: Some(RowsQuery {
            by: args.rows(),
            rows: ROWS,
            bins: args.bins,
            only: only.as_ref(),
            marked: asked.as_ref().map(|(_, marked)| marked.clone()).unwrap_or_default(),
            metric: asked.as_ref().and_then(|(value, _)| watch(job.definitions(), value)),
        }),
        ..AccountQuery::default()
    };
    let mut outcome = session.watch(0, |progress| account::run(&job, &query, progress))?;
    let is_waits = matches!(asked, Some((HeatValue::Waits, _)));
    let critical = match is_waits || args.critical_path {
        true => {
            let windows = iterations.map(|iterations| iterations.windows);
            args.add_waits(session, &job, (&query, windows), outcome.as_mut(), is_waits)?
        }
        false => None,
    };
    let memory = session.peak_memory()?;
    let finished = session.on_root(|| {
        let (Some(mut outcome), Some(targets)) = (outcome, &targets) else {
            return Ok(ExitCode::Done);
        };
        lose_of_account(job.trace(), &outcome.account, &mut outcome.losses);
        let Some(over) = &outcome.rows else { return Ok(ExitCode::Done) };
        refuse_losses(args.strict, &outcome.losses)?;
        if let Some(window) = window.filter(|_| outcome.account.elapsed() == 0) {
            let clock = job.definitions().clock.as_ref();
            let first = job.trace().first_event();
            tell(&format!("streamfold: {}", nothing_recorded(&window, clock, first)));
        }
        let value = asked.map_or_else(|| HeatValue::of(&outcome.account), |(value, _)| value);
        let mut told: Vec<(String, String)> = args.input.told().chain(args.clock.told()).collect();
        told.extend(args.extent.told(window.as_ref()));
        told.extend(args.iterations.told());
        if args.strict {
            told.push(("strict".to_owned(), "true".to_owned()));
        }
        let provenance = provenance(job.trace(), args.input.path(), told, &outcome.losses);
        let definitions = job.definitions();
        let by = args.rows();
        let account = &outcome.account;
        let provenance = &provenance;
        let critical = critical.as_ref();
        let report = TimeMapReport { account, over, definitions, provenance, value, by, critical };
        if args.value.is_none() {
            let value = report.value.id(definitions);
            session.say(&format!("streamfold: shows --value {value}"));
        }
        args.write(&report, targets)?;
        Ok(session.conclude(&outcome.losses, &summary(&outcome, begin, memory)))
    })?;
    Ok(session.ranks.broadcast(0, finished)?)
}

fn summary(outcome: &Outcome, begin: Instant, memory: u64) -> String {
    let pace = summary::pace(outcome.amount.events, "", outcome.amount.bytes, begin);
    format!("streamfold: {pace}, {}", summary::memory(memory.max(memory::peak()), 0))
}

impl Args {
    fn reports(&self) -> Result<Reports<'_>, Failure> {
        let reports = Reports::or_standard(&self.output, &REPORTS, self.format)?;
        let csv = "CSV: name a file with -o FILE.csv";
        let is_csv = self.format == Some(Standard::Csv);
        reports.refuse_unused(("--table", self.table.is_some() && !is_csv), &ONE_TABLE, csv)?;
        Ok(reports)
    }

    fn rows(&self) -> RowsBy {
        match self.by {
            By::Process => RowsBy::Process,
            By::Thread => RowsBy::Location,
        }
    }

    /// Returns the value that was asked for, and the regions that its time belongs to.
    fn asked(
        &self,
        definitions: &Definitions,
    ) -> Result<Option<(HeatValue, Vec<RegionRef>)>, Failure> {
        let Some(value) = &self.value else { return Ok(None) };
        let class = Group::ALL.iter().copied().find(|class| class.id() == value);
        let known = match &value[..] {
            "bytes" => Some(HeatValue::Bytes),
            "classes" => Some(HeatValue::Classes),
            "waits" => Some(HeatValue::Waits),
            _ => class.map(HeatValue::Class),
        };
        if let Some(known) = known {
            return Ok(Some((known, Vec::new())));
        }
        let mut members = definitions.metric_members.keys();
        if let Some(member) = members.find(|of| names::metric(definitions, **of) == *value) {
            return Ok(Some((HeatValue::Metric(*member), Vec::new())));
        }
        let regions = regions_of(definitions, value)
            .map_err(|failure| add_metrics(failure, definitions, value))?;
        Ok(Some((HeatValue::Region(value.clone()), regions)))
    }

    /// Finds waits in the same rows and parts of the time, if they are `shown`, and the critical path, if it is asked
    /// for. Reads the trace once more: all of it, since threads that are not shown make others wait.
    fn add_waits(
        &self,
        session: &Session<'_>,
        job: &Job<'_>,
        (query, windows): (&AccountQuery<'_>, Option<BTreeMap<LocationRef, Window>>),
        outcome: Option<&mut Outcome>,
        shown: bool,
    ) -> Result<Option<CriticalPath>, Stop> {
        let ranks = session.ranks;
        let Some(of) = &query.rows else { return Ok(None) };
        let rows = TimeRows::new(job.definitions(), of.by, of.only, of.rows);
        let bins = outcome.as_ref().and_then(|outcome| Some(outcome.rows.as_ref()?.bins));
        let bins = ranks.broadcast(0, bins)?;
        let bins = Arc::new(WaitBins { rows, bins });
        let trace = job.trace();
        let of_all = |window| {
            let all = trace.definitions.locations.keys();
            all.map(|location| (*location, window)).collect()
        };
        let windows = windows.or(query.window.map(of_all));
        let plan = Plan::new(&session.candidates(trace, false)?, ranks.size());
        let mut found = session.scan(&plan, self.strict, |scanning| {
            let room = MemoryLimit::default().room(session, BOXES, 0);
            let (over_time, windows) = (shown.then(|| Arc::clone(&bins)), windows.as_ref());
            let critical = self.critical_path.then_some(PathQuery::Sections);
            let query = WaitQuery { over_time, windows, critical, ..WaitQuery::new(&room) };
            waitstates::run(ranks, trace, &plan, scanning, &query)
        })?;
        let critical = found.as_mut().and_then(|found| found.critical.take());
        if let Some((outcome, found)) = outcome.zip(found).filter(|_| shown) {
            outcome.add_waits(&found.states.over_time);
        }
        Ok(critical)
    }

    fn write(&self, report: &TimeMapReport<'_>, targets: &[Target]) -> Result<(), Failure> {
        let table = self.table.as_deref().unwrap_or("cells");
        let tables = report.tables();
        targets.iter().try_for_each(|target| match target.format {
            Format::Svg => target.output.write(|out| report.write_svg(out)),
            Format::Png => target.output.write(|out| report.write_png(out)),
            _ => target.write(&tables, table, |out, width| write_text(out, report, width)),
        })
    }
}

/// The metric that is shown, if one is.
fn watch(definitions: &Definitions, value: &HeatValue) -> Option<MetricWatch> {
    let HeatValue::Metric(member) = *value else { return None };
    let adds_up = Described::new(definitions, member).adds_up();
    Some(MetricWatch::new(definitions, member, adds_up))
}

/// Says also which metrics there are.
fn add_metrics(failure: Failure, definitions: &Definitions, value: &str) -> Failure {
    let members = definitions.metric_members.keys();
    let known: BTreeSet<_> = members.map(|member| names::metric(definitions, *member)).collect();
    if known.is_empty() {
        return failure;
    }
    let there = numbers::there_are("metric", value, known);
    Failure::new(ExitCode::Usage, format!("{}; its metrics: {there}", failure.message))
}
