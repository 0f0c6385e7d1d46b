//! `streamfold timeline`: what time is spent on, by process and over time.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::time::Instant;

use clap::ValueHint;
use streamfold_kernels::account::{Group, MetricWatch, RowsBy};
use streamfold_model::ids::RegionRef;
use streamfold_model::store::Definitions;

use super::formats::{Format, Standard, ONE_TABLE};
use super::input::{ClockArgs, InputArgs};
use super::iterations::{IterationArgs, IterationWindows};
use super::outputs::{OutputPath, Reports};
use super::references::{lose_of_account, provenance};
use super::regions::regions_of;
use super::slices::Extent;
use super::tables::{refuse_losses, Target};
use super::time_line::{self, TimeLinePasses};
use super::times::nothing_recorded;
use super::{numbers, summary};
use crate::session::{tell, Session};
use streamfold_analyses::account::{self, AccountQuery, CountedTime, Outcome, RowsQuery};
use streamfold_analyses::critical::CriticalPath;
use streamfold_analyses::waitstates;
use streamfold_drive::Progress;
use streamfold_formats::ReadOptions;
use streamfold_report::profile::metrics::Described;
use streamfold_report::time_line::{TimeLine, Visits, MARKS, MESSAGES};
use streamfold_report::time_map::{write_text, HeatValue, TimeMapReport};
use streamfold_report::waitstates::WaitReport;
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_system::memory;
use streamfold_text::names;

const EXAMPLES: &str = "\
Examples:
  streamfold timeline traces.otf2                       shades on the terminal
  streamfold timeline traces.otf2 -o time-line.html     a page to zoom, with waits and critical path
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
    /// Files to write, by suffix: .html (a page to zoom), .svg and .png (pictures), .csv and .parquet (one table), .json
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
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    clock: ClockArgs,
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
const REPORTS: [Format; 8] = [
    Format::Html,
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
    let windows = iterations.as_ref().map(|iterations| iterations.windows.clone());
    let mut zoomed = match args.has_page(&reports) {
        true => {
            let rows = time_line::rows(job.definitions(), args.rows(), only.as_ref());
            let passes = TimeLinePasses {
                session,
                job: &job,
                rows: &rows,
                window,
                windows: windows.clone(),
                strict: args.strict,
            };
            Some(zoomed(&passes, time.clone())?)
        }
        false => None,
    };
    let rows = RowsQuery {
        by: args.rows(),
        rows: ROWS,
        bins: args.bins,
        settled: None,
        only: only.as_ref(),
        marked: asked.as_ref().map(|(_, marked)| marked.clone()).unwrap_or_default(),
        metric: asked.as_ref().and_then(|(value, _)| watch(job.definitions(), value)),
    };
    let query = AccountQuery { window, time, rows: Some(rows.clone()), ..AccountQuery::default() };
    // A page has rows of its own: where nothing else is written, they are all that is read.
    let only_pages = reports.all().all(|(_, format)| format == Format::Html);
    let mut outcome = match zoomed.as_mut().filter(|_| only_pages) {
        Some(zoomed) => zoomed.outcome.take(),
        None => session.watch(0, |progress| account::run(&job, &query, progress))?,
    };
    let is_waits = matches!(asked, Some((HeatValue::Waits, _)));
    let critical = match (is_waits || args.critical_path) && !only_pages {
        true => {
            let rows = &rows;
            let strict = args.strict;
            let passes = TimeLinePasses { session, job: &job, rows, window, windows, strict };
            let wanted = (is_waits, args.critical_path, [0, 0]);
            passes.waits(outcome.as_mut(), wanted)?.and_then(|mut found| found.critical.take())
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
        let value = asked.map_or_else(|| HeatValue::of(&outcome.account.map), |(value, _)| value);
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
        let map = &account.map;
        let report =
            TimeMapReport { account, map, over, definitions, provenance, value, by, critical };
        if args.value.is_none() {
            let value = report.value.id(definitions);
            session.say(&format!("streamfold: shows --value {value}"));
        }
        args.write(&report, zoomed.as_ref().map(|zoomed| (zoomed, &outcome)), targets)?;
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

    /// Returns whether a page to zoom is written.
    fn has_page(&self, reports: &Reports<'_>) -> bool {
        reports.of(Format::Html).next().is_some()
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

    fn write(
        &self,
        report: &TimeMapReport<'_>,
        zoomed: Option<(&Zoomed, &Outcome)>,
        targets: &[Target],
    ) -> Result<(), Failure> {
        let table = self.table.as_deref().unwrap_or("cells");
        let tables = report.tables();
        targets.iter().try_for_each(|target| match target.format {
            Format::Html => target.output.write(|out| match zoomed {
                Some((zoomed, outcome)) => zoomed.write(report, outcome, out),
                None => Ok(()),
            }),
            Format::Svg => target.output.write(|out| report.write_svg(out)),
            Format::Png => target.output.write(|out| report.write_png(out)),
            _ => target.write(&tables, table, |out, width| write_text(out, report, width)),
        })
    }
}

/// Findings for a page to zoom, on rank 0.
struct Zoomed {
    /// `None`: that of the whole command.
    outcome: Option<Outcome>,
    waits: Option<waitstates::Outcome>,
    critical: Option<CriticalPath>,
    visits: Option<Visits>,
}

/// Reads the trace for a page to zoom. Collective.
fn zoomed(passes: &TimeLinePasses<'_, '_>, time: CountedTime) -> Result<Zoomed, Stop> {
    let query = AccountQuery {
        window: passes.window,
        time,
        rows: Some(passes.rows.clone()),
        ..AccountQuery::default()
    };
    let of_rows = |progress: &Progress| account::run(passes.job, &query, progress);
    let mut outcome = passes.session.watch(0, of_rows)?;
    let mut waits = passes.waits(outcome.as_mut(), (true, true, [MARKS, MESSAGES]))?;
    let critical = waits.as_mut().and_then(|waits| waits.critical.take());
    let visits = passes.visits(outcome.as_ref(), waits.as_ref(), critical.as_ref())?;
    Ok(Zoomed { outcome, critical, waits, visits })
}

impl Zoomed {
    /// Writes the page; `other` has what both have in common.
    fn write(
        &self,
        other: &TimeMapReport<'_>,
        outcome: &Outcome,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let accounted = self.outcome.as_ref().unwrap_or(outcome);
        let Some(over) = &accounted.rows else { return Ok(()) };
        let (definitions, provenance) = (other.definitions, other.provenance);
        let map = TimeMapReport {
            account: &accounted.account,
            map: &accounted.account.map,
            over,
            value: HeatValue::Classes,
            critical: self.critical.as_ref(),
            ..other.clone()
        };
        let of_waits = |outcome| WaitReport { outcome, accounted, definitions, provenance };
        TimeLine {
            map: &map,
            waits: self.waits.as_ref().map(of_waits),
            visits: self.visits.as_ref(),
        }
        .write(out)
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
