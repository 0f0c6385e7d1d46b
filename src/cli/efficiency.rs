//! `streamfold efficiency`: how well a run uses its processors.

use std::path::Path;
use std::time::Instant;

use bstr::ByteSlice;
use clap::ValueHint;
use regex::bytes::Regex;
use streamfold_model::ids::RegionRef;
use streamfold_model::store::Definitions;

use super::formats::{Format, Standard, ONE_TABLE};
use super::input::InputArgs;
use super::iterations::IterationArgs;
use super::memory_limit::MemoryLimit;
use super::outputs::{OutputPath, Reports};
use super::references::{lose_of_account, provenance};
use super::regions::names_of;
use super::slices::Extent;
use super::tables::{refuse_losses, Target};
use super::what_if::{question, replays, Question};
use super::{numbers, summary};
use crate::session::Session;
use streamfold_analyses::account::{self, AccountQuery, CountedTime, Outcome, BOXES};
use streamfold_drive::Losses;
use streamfold_formats::{Input, ReadOptions};
use streamfold_kernels::account::{Group, Role};
use streamfold_report::efficiency::{write_talp, write_text, EfficiencyReport, Growth, Run};
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_system::memory;

const TRACES: &str = "\
The trace, as a file or a folder; further ones are runs of the program, to see how it scales";

const EXAMPLES: &str = "\
Examples:
  streamfold efficiency traces.otf2                     the factors of POP, and who computes most
  streamfold efficiency p8.otf2 p16.otf2 p32.otf2       how the program scales
  streamfold efficiency traces.otf2 --iterations step 5..10
  streamfold efficiency traces.otf2 --bins 20           over time
  streamfold efficiency traces.otf2 --what-if 'solve=0.5' --what-if latency=+5us
  streamfold efficiency traces.otf2 --what-if top       which region is worth the work
  streamfold efficiency traces.otf2 -o e.json --talp talp.json
  streamfold efficiency traces.otf2 -o e.csv --table processes
  mpirun -n 4 streamfold efficiency traces.otf2";

/// Shows how well the processors are used: the factors of POP, and who computes most and least
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("trace", |trace| trace.help(TRACES)))]
pub(super) struct Args {
    #[command(flatten)]
    extent: Extent,
    /// The time only in which a region with a name that matches is open, of each process
    #[arg(long, value_name = "REGEX", value_hint = ValueHint::Other, help_heading = "What is counted")]
    #[arg(conflicts_with = "iterations")]
    region: Option<Regex>,
    #[command(flatten)]
    iterations: IterationArgs,
    /// Number of parts of the time besides, all of the same length
    #[arg(long, value_name = "N", value_parser = numbers::bins)]
    bins: Option<u32>,
    /// The problem grows with the number of processors (weak scaling) [default: assumed from the computation]
    #[arg(long)]
    weak: bool,
    /// The problem is the same for any number of processors (strong scaling)
    #[arg(long, conflicts_with = "weak")]
    strong: bool,
    /// Replays the run: if a region, with what it calls, took a part of its time (solve=0.5); if each of the
    /// largest regions took half of its own time (top); if all threads computed as long as the mean (balance); if
    /// messages took longer (latency=+5us); how much slower the
    /// network may be (latency). As often as wanted
    #[arg(long, value_name = "WHAT", value_parser = question, help_heading = "What is asked")]
    #[arg(conflicts_with_all = ["iterations", "without_startup", "region", "time"])]
    what_if: Vec<Question>,
    /// Leave out serialisation and transfer, for which messages have to be matched
    #[arg(long, help_heading = "What is asked", conflicts_with = "what_if")]
    quick: bool,
    /// Number of rows of each table, in text
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = numbers::whole::<usize>)]
    top: usize,
    /// Where to write, by suffix: .txt, .json and .h5 (everything), .csv and .parquet (the table of
    /// --table); - is standard output. As often as wanted [default: -]
    #[arg(short, long, value_name = "FILE")]
    output: Vec<OutputPath>,
    /// Write the factors of the first run in the shape that TALP-Pages reads
    #[arg(long, value_name = "FILE")]
    talp: Option<OutputPath>,
    /// What standard output gets [default: table]
    #[arg(long, value_enum)]
    format: Option<Standard>,
    /// Table that CSV and Parquet hold [default: factors]
    #[arg(long, value_name = "TABLE", value_parser = TABLES)]
    table: Option<String>,
    /// End with exit code 2 at the first thing that cannot be read
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    limit: MemoryLimit,
}

/// The names of the tables.
const TABLES: [&str; 6] = ["factors", "classes", "processes", "runs", "bins", "what_if"];

/// Reports are written so.
const REPORTS: [Format; 5] =
    [Format::Csv, Format::Parquet, Format::Json, Format::Hdf5, Format::Text];

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let reports = args.reports().map_err(Stop::Together)?;
    let mut targets = None;
    let mut runs = Vec::new();
    let mut amount = (0, 0);
    let mut losses = Losses::default();
    for input in args.inputs() {
        let clocks = args.extent.clocks();
        let iterations = args.iterations.windows(session, input, clocks)?;
        let mut trace = session.open(input, ReadOptions::default())?;
        trace.clocks = clocks;
        if targets.is_none() {
            targets = Some(session.on_root(|| args.targets(&reports))?);
            session.say_who_works();
        }
        let window = args.extent.window(&trace).map_err(Stop::Together)?;
        let only = args.extent.only(&trace, session)?;
        let job = session.job(trace, only.as_ref(), args.strict)?;
        let regions = args.regions(job.definitions(), input.path).map_err(Stop::Together)?;
        let time = match (iterations, regions) {
            (Some(of), _) => of.counted(),
            (None, Some(regions)) => CountedTime::Regions(regions),
            (None, None) => CountedTime::All,
        };
        let is_whole = matches!(time, CountedTime::All);
        let room = args.limit.room(session, BOXES, 0);
        let query = AccountQuery {
            window,
            time,
            bins: args.bins.unwrap_or(0),
            // Of the visits of a region it is not known when devices are busy.
            devices: is_whole.then_some(&room),
            ..AccountQuery::default()
        };
        let several = if only.is_none() { job.trace().source.runs().to_vec() } else { Vec::new() };
        let parts = match several.is_empty() {
            true => vec![None],
            false => several.into_iter().map(Some).collect(),
        };
        let mut job = job;
        for part in parts {
            let name = part.as_ref().map(|(name, _)| name.clone());
            if let Some((_, locations)) = part {
                job = job.only(locations);
            }
            let outcome = session.watch(0, |progress| account::run(&job, &query, progress))?;
            let is_all = is_whole && window.is_none() && only.is_none() && name.is_none();
            let replays = match is_all && args.wants_replay(outcome.as_ref(), session)? {
                true => {
                    let limit = (&args.limit, args.strict);
                    replays(&args.what_if, &job, outcome.as_ref(), limit, session)?
                }
                false => None,
            };
            let Some(mut outcome) = outcome else { continue };
            lose_of_account(job.trace(), &outcome.account, &mut outcome.losses);
            let mut told: Vec<(String, String)> = args.input.told().collect();
            told.extend(args.extent.told(window.as_ref()));
            told.extend(args.told());
            amount = (amount.0 + outcome.amount.events, amount.1 + outcome.amount.bytes);
            losses.fold(outcome.losses.clone());
            let provenance = provenance(job.trace(), input.path, told, &outcome.losses);
            let run = Run::new(outcome, job.definitions().clone(), provenance, is_whole);
            runs.push(run.of_part(name).replayed(replays));
        }
    }
    let memory = session.peak_memory()?;
    let finished = session.on_root(|| {
        let Some(targets) = targets.flatten() else { return Ok(ExitCode::Done) };
        refuse_losses(args.strict, &losses)?;
        let growth = match (args.weak, args.strong) {
            (true, _) => Some(Growth::Weak),
            (_, true) => Some(Growth::Strong),
            _ => None,
        };
        let report = EfficiencyReport { runs: &runs, growth };
        args.write(&report, &targets)?;
        let pace = summary::pace(amount.0, "", amount.1, begin);
        let memory = summary::memory(memory.max(memory::peak()), 0);
        Ok(session.conclude(&losses, &format!("streamfold: {pace}, {memory}")))
    })?;
    Ok(session.ranks.broadcast(0, finished)?)
}

impl Args {
    /// All traces.
    fn inputs(&self) -> Vec<Input<'_>> {
        self.input.apart()
    }

    fn reports(&self) -> Result<Reports<'_>, Failure> {
        let reports = match (self.output.is_empty(), &self.talp, self.format) {
            // A user who asks for a file gets no table.
            (true, Some(_), None) => Reports::named(&[], &REPORTS, None::<Standard>)?,
            _ => Reports::or_standard(&self.output, &REPORTS, self.format)?,
        };
        let csv = "CSV: name a file with -o FILE.csv";
        reports.refuse_unused(("--table", self.table.is_some()), &ONE_TABLE, csv)?;
        Ok(reports)
    }

    /// Returns the outputs of reports, and the output for TALP-Pages.
    fn targets(&self, reports: &Reports<'_>) -> Result<(Vec<Target>, Option<Target>), Failure> {
        let talp = self.talp.iter().map(|path| Target::prepare(path, Format::Json)).next();
        Ok((Target::reports(reports)?, talp.transpose()?))
    }

    /// Returns whether the run is replayed: if that is asked for, or if it uses MPI. Collective.
    fn wants_replay(&self, found: Option<&Outcome>, session: &Session<'_>) -> Result<bool, Stop> {
        let uses_mpi = found.map(|of| of.account.sum(Role::Thread, 0).of_group(Group::Mpi) > 0);
        let uses_mpi =
            session.ranks.broadcast(0, uses_mpi.or(session.is_root().then_some(false)))?;
        Ok(!self.what_if.is_empty() || uses_mpi && !self.quick)
    }

    /// The regions in which time counts; `None`: it counts everywhere.
    fn regions(
        &self,
        definitions: &Definitions,
        trace: &Path,
    ) -> Result<Option<Vec<RegionRef>>, Failure> {
        let Some(wanted) = &self.region else { return Ok(None) };
        let regions = definitions.regions.values().filter(|region| {
            let name = definitions.region_name(region.id);
            name.is_some_and(|name| wanted.is_match(name.as_bytes()))
        });
        let regions: Vec<RegionRef> = regions.map(|region| region.id).collect();
        if regions.is_empty() {
            let there = numbers::there_are("region", wanted.as_str(), names_of(definitions));
            let trace = trace.display();
            let message = format!(
                "{trace} has no region whose name matches {wanted} (--region); it has {there}"
            );
            return Err(Failure::new(ExitCode::Usage, message));
        }
        Ok(Some(regions))
    }

    fn told(&self) -> Vec<(String, String)> {
        let region = self.region.iter().map(|region| ("region", region.to_string()));
        let bins = self.bins.map(|bins| ("bins", bins.to_string()));
        let told = region.chain(bins);
        let strict = self.strict.then(|| ("strict", "true".to_owned()));
        let told = told.chain(strict).map(|(name, value)| (name.to_owned(), value));
        told.chain(self.iterations.told()).collect()
    }

    fn write(
        &self,
        report: &EfficiencyReport<'_>,
        (targets, talp): &(Vec<Target>, Option<Target>),
    ) -> Result<(), Failure> {
        let tables = report.tables();
        let table = self.table.as_deref().unwrap_or("factors");
        for target in targets {
            target.write(&tables, table, |out, width| {
                write_text(out, report, &tables, self.top, width)
            })?;
        }
        talp.iter().try_for_each(|target| target.output.write(|out| write_talp(out, report)))
    }
}
