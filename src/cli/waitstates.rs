//! `streamfold waitstates`: who waited for whom, and where all time went.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::json;
use streamfold_kernels::waitstates::LeftOut;
use streamfold_model::ids::LocationRef;

use super::formats::Format;
use super::memory_limit::MemoryLimit;
use super::progress::Watcher;
use super::references::{lose_undefined, provenance};
use super::{tell_losses, terminal_width, Session};
use crate::drive::{self, Progress, Scanning, Trace};
use crate::exit::{ExitCode, Failure, Stop};
use crate::formats::otf2::{FileKind, ReadOptions};
use crate::memory;
use crate::report::human;
use crate::report::matching::json::write_tables;
use crate::report::matching::{csv, Table};
use crate::report::output::Output;
use crate::report::waitstates::{tables, text, WaitReport};
use crate::selection::Plan;
use crate::waitstates::{self, Outcome};

const EXAMPLES: &str = "\
Examples:
  streamfold waitstates traces.otf2                     the tree of all time, and the longest waits
  streamfold waitstates traces.otf2 --top 50 --worst 20
  streamfold waitstates traces.otf2 -o waits.json       everything, for scripts
  streamfold waitstates traces.otf2 -o waits.csv        waits by call path and location
  streamfold waitstates traces.otf2 -o c.csv --table by_location
  srun -n 64 streamfold waitstates traces.otf2 --memory 4GiB -o waits.h5";

/// The version of the JSON and HDF5 layouts: the first number changes when a reader has to, the second
/// when something is added.
const SCHEMA: [&str; 2] = ["streamfold-waitstates", "1.0"];

/// Finds who waited for whom, and where all time went
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The anchor file of the trace (.otf2)
    #[arg(value_name = "ANCHOR")]
    anchor: PathBuf,
    /// So many rows of each table, in text
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// Tell so many of the longest waits of each kind one by one, with time and place
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = worst_of)]
    worst: usize,
    /// Where to write, by suffix: .txt, .json and .h5 (everything), .csv (the table of --table); - is
    /// standard output. As often as wanted
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: Vec<PathBuf>,
    /// Which table CSV files hold
    #[arg(long, value_name = "TABLE", default_value = "severities", value_parser = TABLES)]
    table: String,
    #[command(flatten)]
    limit: MemoryLimit,
    /// End at the first thing that cannot be read
    #[arg(long)]
    strict: bool,
}

/// The names of the tables.
const TABLES: [&str; 8] = [
    "metrics",
    "call_paths",
    "by_path",
    "by_location",
    "severities",
    "worst",
    "violations",
    "left_out",
];

/// What travels: messages, members of operations, threads that meet, epochs, and what is found of them,
/// each with what orders it.
const BOXES: u64 = 16;

/// How many of the longest waits are kept.
fn worst_of(text: &str) -> Result<usize, String> {
    const MOST: usize = 1_000_000;
    let number = text.parse().ok().filter(|number| *number <= MOST);
    number.ok_or_else(|| format!("0 to {MOST} are possible"))
}

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let ranks = session.ranks;
    let mut trace = drive::open(ranks, &args.anchor, ReadOptions::default())?;
    // Where nothing can be written nobody should wait for the end to learn it.
    let targets = session.on_root(|| args.targets())?;
    let plan = Plan::new(&session.candidates(&trace, false)?, ranks.size());
    session.say(&format!(
        "streamfold: {}, {}",
        human::plural(ranks.size() as u64, "rank"),
        session.threads
    ));
    let mut outcome = scan(args, session, &trace, &plan)?;
    let memory = ranks.reduce(0, memory::peak(), u64::max)?.unwrap_or(0);
    let finished = session.on_root(|| {
        let (Some(outcome), Some(targets)) = (&mut outcome, &targets) else {
            return Ok(ExitCode::Done);
        };
        outcome.states.profile.define_own_regions(&mut trace.definitions);
        lose_undefined(&trace, &outcome.states.profile, &mut outcome.losses);
        lose_unknown(&trace, outcome);
        if let (true, Some(loss)) = (args.strict, outcome.losses.first.first()) {
            return Err(Failure::new(ExitCode::Trace, loss.message.clone()));
        }
        args.report(&trace, outcome, targets)?;
        if !outcome.losses.is_empty() {
            tell_losses(&outcome.losses);
        }
        session.say(&summary(outcome, begin.elapsed().as_secs_f64(), memory.max(memory::peak())));
        Ok(if outcome.losses.is_empty() { ExitCode::Done } else { ExitCode::Losses })
    })?;
    Ok(ranks.broadcast(0, finished)?)
}

fn scan(
    args: &Args,
    session: &Session<'_>,
    trace: &Trace,
    plan: &Plan,
) -> Result<Option<Outcome>, Stop> {
    let ranks = session.ranks;
    // Lives as long as the program, since the thread that shows it may outlive this call.
    let progress: &'static Progress = Box::leak(Box::default());
    let share = plan.share(ranks.rank());
    let watcher = Watcher::start(progress, share.weight, ranks.size(), session.is_watched());
    let workers = session.threads.count.min(session.common.max_open_files);
    let scanning = Scanning { workers, strict: args.strict, progress };
    let room = args.limit.room(session, BOXES);
    let outcome = waitstates::run(ranks, trace, plan, scanning, &room, args.worst);
    drop(watcher);
    outcome
}

/// Adds losses where messages are of nobody, and where call paths cannot be told from each other.
fn lose_unknown(trace: &Trace, outcome: &mut Outcome) {
    let path = trace.archive.path(FileKind::GlobalDefinitions).display().to_string();
    let undefined = outcome.states.left_out.get(&LeftOut::NowhereMessages).copied().unwrap_or(0);
    let mut lose = |text: String| {
        outcome.losses.push(LocationRef::UNDEFINED, format!("{path}: {text}"));
    };
    if undefined > 0 {
        let ends = human::counted(undefined, ["send or receive is", "sends and receives are"]);
        lose(format!("{ends} over communicators or with ranks that are not defined"));
    }
    if outcome.unclear_paths > 0 {
        let paths = human::counted(outcome.unclear_paths, ["call path", "call paths"]);
        lose(format!("{paths} that cannot be told from others"));
    }
}

/// An output and what goes into it.
struct Target {
    output: Output,
    format: Format,
}

/// Reports are written so.
const REPORTS: [Format; 4] = [Format::Csv, Format::Json, Format::Hdf5, Format::Text];

impl Args {
    fn targets(&self) -> Result<Vec<Target>, Failure> {
        let target = |path: &PathBuf| {
            let format = Format::of(path, &REPORTS, true)?.unwrap_or(Format::Text);
            Ok(Target { output: Output::prepare(path)?, format })
        };
        self.output.iter().map(target).collect()
    }

    fn report(&self, trace: &Trace, outcome: &Outcome, targets: &[Target]) -> Result<(), Failure> {
        let mut options = vec![("worst".to_owned(), self.worst.to_string())];
        if self.strict {
            options.push(("strict".to_owned(), "true".to_owned()));
        }
        let provenance = provenance(trace, &self.anchor, options, &outcome.losses);
        let report =
            WaitReport { outcome, definitions: &trace.definitions, provenance: &provenance };
        let tables = tables(&report);
        for Target { output, format } in targets {
            match format {
                Format::Json => {
                    let resolution = provenance.timer_resolution;
                    let units = json!({ "time": "ticks", "ticks_per_second": resolution });
                    let units = [("units", units)];
                    output.write(|out| {
                        write_tables(out, SCHEMA, &provenance, units.clone(), &tables)
                    })?;
                }
                Format::Csv => output.write(|out| {
                    let table = tables.iter().find(|table| table.name == self.table);
                    csv::write(out, &provenance, table.expect("clap knows all tables"))
                })?,
                Format::Hdf5 => hdf5(output, &report, &tables)?,
                _ => {
                    let width = output.is_standard().then(terminal_width).flatten();
                    output.write(|out| text::write(out, &report, &tables, self.top, width))?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(feature = "hdf5")]
fn hdf5(output: &Output, report: &WaitReport<'_>, tables: &[Table]) -> Result<(), Failure> {
    use crate::report::hdf5::matching::{self, About};
    let WaitReport { definitions, provenance, .. } = *report;
    matching::write_tables(
        output,
        About { schema: SCHEMA, group: "waitstates", provenance, definitions },
        tables,
    )
}

/// Nobody gets that far, see [`Format::of`].
#[cfg(not(feature = "hdf5"))]
fn hdf5(output: &Output, _: &WaitReport<'_>, _: &[Table]) -> Result<(), Failure> {
    Err(Failure::output(output.path(), &"this program was built without HDF5"))
}

fn summary(outcome: &Outcome, seconds: f64, memory: u64) -> String {
    let amount = &outcome.amount;
    let spilled = match outcome.spilled {
        0 => String::new(),
        bytes => format!(", {} in temporary files", human::bytes(bytes.into())),
    };
    format!(
        "streamfold: {}, {} in {seconds:.3} s: {} events/s, at most {} of memory on a rank{spilled}",
        human::plural(amount.events, "event"),
        human::bytes(amount.bytes.into()),
        human::count((amount.events as f64 / seconds) as u64),
        human::bytes(memory.into()),
    )
}
