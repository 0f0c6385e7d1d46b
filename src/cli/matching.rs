//! `streamfold match`: which messages, collective operations and accesses belong together.

use std::path::{Path, PathBuf};
use std::time::Instant;

use streamfold_kernels::matching::collectives::Kind;
use streamfold_model::ids::{IoHandleRef, LocationRef, Reference, RmaWinRef};

use super::memory_limit::MemoryLimit;
use super::progress::Watcher;
use super::references::{provenance, resolution};
use super::{tell_losses, Session};
use crate::drive::{self, Losses, Progress, Scanning, Trace};
use crate::exit::{ExitCode, Failure, Stop};
use crate::formats::otf2::{FileKind, ReadOptions};
use crate::matching::{self, Outcome};
use crate::memory;
use crate::report::human;
use crate::report::matching::heat::ValueOf;
use crate::report::matching::{csv, json, svg, tables, text, MatchReport, MatrixOf, Table};
use crate::report::output::Output;
use crate::report::provenance::Provenance;
use crate::selection::Plan;

const EXAMPLES: &str = "\
Examples:
  streamfold match traces.otf2                       who sent what to whom, and what has no partner
  streamfold match traces.otf2 --by process --top 50
  streamfold match traces.otf2 -o match.json         everything, for scripts
  streamfold match traces.otf2 -o matrix.csv         the communication matrix
  streamfold match traces.otf2 -o matrix.svg         the same as a picture: --value messages, time
  streamfold match traces.otf2 -o c.csv --table collectives
  srun -n 64 streamfold match traces.otf2 --memory 4GiB -o match.json";

/// Matches messages, collective operations, remote memory and file accesses
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The anchor file of the trace (.otf2)
    #[arg(value_name = "ANCHOR")]
    anchor: PathBuf,
    /// What sends and receives in the communication matrix
    #[arg(long, value_enum, value_name = "WHAT", default_value = "location")]
    by: MatrixOf,
    /// What colours show in a picture of it
    #[arg(long, value_enum, value_name = "WHAT", default_value = "bytes")]
    value: ValueOf,
    /// So many rows of each table, in text
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// Where to write, by suffix: .txt, .json and .h5 (everything), .csv (the table of --table), .svg
    /// (a picture of the matrix); - is standard output. As often as wanted
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: Vec<PathBuf>,
    /// Which table CSV files hold
    #[arg(long, value_name = "TABLE", default_value = "matrix", value_parser = TABLES)]
    table: String,
    #[command(flatten)]
    limit: MemoryLimit,
    /// End at the first thing that cannot be read
    #[arg(long)]
    strict: bool,
}

/// Sends, receives, and collective operations, each with what orders them.
const BOXES: u64 = 8;

/// The names of the tables.
const TABLES: [&str; 10] = [
    "communicators",
    "requests",
    "sizes",
    "tags",
    "nodes",
    "matrix",
    "unmatched",
    "collectives",
    "windows",
    "files",
];

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let ranks = session.ranks;
    let trace = drive::open(ranks, &args.anchor, ReadOptions::default())?;
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
        lose_undefined(&trace, outcome);
        if let (true, Some(loss)) = (args.strict, outcome.folded.losses.first.first()) {
            return Err(Failure::new(ExitCode::Trace, loss.message.clone()));
        }
        args.report(&trace, outcome, targets)?;
        let losses = &outcome.folded.losses;
        if !losses.is_empty() {
            tell_losses(losses);
        }
        session.say(&summary(outcome, begin.elapsed().as_secs_f64(), memory.max(memory::peak())));
        Ok(if losses.is_empty() { ExitCode::Done } else { ExitCode::Losses })
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
    let outcome = matching::run(ranks, trace, plan, scanning, &room);
    drop(watcher);
    outcome
}

/// An output and what goes into it.
struct Target {
    output: Output,
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Text,
    Json,
    Csv,
    Svg,
    /// Where the program was built with it.
    Hdf5,
}

impl Args {
    fn targets(&self) -> Result<Vec<Target>, Failure> {
        let target = |path: &PathBuf| {
            let format = format_of(path)?;
            Ok(Target { output: Output::prepare(path)?, format })
        };
        self.output.iter().map(target).collect()
    }

    fn report(&self, trace: &Trace, outcome: &Outcome, targets: &[Target]) -> Result<(), Failure> {
        let provenance = self.provenance(trace, &outcome.folded.losses);
        let report = MatchReport {
            outcome,
            definitions: &trace.definitions,
            provenance: &provenance,
            matrix: self.by,
        };
        let tables = tables(&report);
        for Target { output, format } in targets {
            match format {
                Format::Text => output.write(|out| text::write(out, &report, &tables, self.top))?,
                Format::Json => output.write(|out| json::write(out, &report, &tables))?,
                Format::Csv => output.write(|out| {
                    let table = tables.iter().find(|table| table.name == self.table);
                    csv::write(out, &provenance, table.expect("clap knows all tables"))
                })?,
                Format::Svg => output.write(|out| svg::write(out, &report, self.value))?,
                Format::Hdf5 => hdf5(output, &report, &tables)?,
            }
        }
        Ok(())
    }
}

impl Args {
    fn provenance(&self, trace: &Trace, losses: &Losses) -> Provenance {
        let mut options = vec![("by".to_owned(), self.by.name().to_owned())];
        if self.strict {
            options.push(("strict".to_owned(), "true".to_owned()));
        }
        provenance(trace, &self.anchor, options, losses)
    }
}

/// What to write to a file.
fn format_of(path: &Path) -> Result<Format, Failure> {
    if path == Path::new("-") {
        return Ok(Format::Text);
    }
    let suffix = path.extension().map(|s| s.to_string_lossy().to_ascii_lowercase());
    let message = match suffix.as_deref() {
        Some("txt") => return Ok(Format::Text),
        Some("json") => return Ok(Format::Json),
        Some("csv") => return Ok(Format::Csv),
        Some("svg") => return Ok(Format::Svg),
        Some("h5" | "hdf5") if cfg!(feature = "hdf5") => return Ok(Format::Hdf5),
        Some("h5" | "hdf5") => "this program was built without HDF5 (feature `hdf5`)".to_owned(),
        _ => format!(
            "cannot tell from its suffix what to write to {}: .csv, .json, .h5, .svg and .txt are \
             known, and - for standard output",
            path.display()
        ),
    };
    Err(Failure::new(ExitCode::Usage, message))
}

#[cfg(feature = "hdf5")]
fn hdf5(output: &Output, report: &MatchReport<'_>, tables: &[Table]) -> Result<(), Failure> {
    crate::report::hdf5::matching::write(output, report, tables)
}

/// Nobody gets that far, see [`format_of`].
#[cfg(not(feature = "hdf5"))]
fn hdf5(output: &Output, _: &MatchReport<'_>, _: &[Table]) -> Result<(), Failure> {
    Err(Failure::output(output.path(), &"this program was built without HDF5"))
}

/// Adds a loss for each kind of reference that matching needs and nobody defined.
fn lose_undefined(trace: &Trace, outcome: &mut Outcome) {
    let path = trace.archive.path(FileKind::GlobalDefinitions).display().to_string();
    let losses = &mut outcome.folded.losses;
    let mut lose = |text: String| losses.push(LocationRef::UNDEFINED, format!("{path}: {text}"));
    if resolution(trace).is_none() {
        lose("the clock's ticks a second are not defined: a tick is shown as a second".to_owned());
    }
    let found = &outcome.folded.partial;
    for (side, what) in [
        ["message was sent", "messages were sent"],
        ["message was received", "messages were received"],
    ]
    .into_iter()
    .enumerate()
    {
        let lost = found.messages.by_comm.values().map(|sides| sides[side].nowhere).sum::<u64>();
        if lost > 0 {
            let lost = human::counted(lost, what);
            lose(format!("{lost} over communicators or with ranks that are not defined"));
        }
    }
    let undefined = |(comm, ..): &Kind| comm.is_undefined();
    let parts = found.collectives.by_kind.iter().filter(|(kind, _)| undefined(kind));
    let parts = parts.map(|(_, parts)| parts.parts).sum::<u64>();
    if parts > 0 {
        let parts = human::plural(parts, "collective operation");
        lose(format!("{parts} on communicators that are not defined"));
    }
    if let Some(of) = found.windows.get(&RmaWinRef::UNDEFINED) {
        let collectives = of.collectives.values().map(|of| of.count).sum::<u64>();
        let events = of.puts.count + of.gets.count + of.atomics.count + collectives + of.unknown;
        let events = human::counted(events, ["event refers", "events refer"]);
        lose(format!("{events} to windows that are not defined"));
    }
    if let Some(of) = found.handles.get(&IoHandleRef::UNDEFINED) {
        let begun = of.modes.values().map(|of| of.begun.count).sum::<u64>();
        let events = begun + of.unbegun.count + of.created + of.destroyed;
        let events = human::counted(events, ["event refers", "events refer"]);
        lose(format!("{events} to handles of files that are not defined"));
    }
}

fn summary(outcome: &Outcome, seconds: f64, memory: u64) -> String {
    let amount = &outcome.folded.amount;
    let matched = outcome.messages.by_comm.values().map(|of| of.matched.messages).sum::<u64>();
    let spilled = match outcome.spilled {
        0 => String::new(),
        bytes => format!(", {} in temporary files", human::bytes(bytes.into())),
    };
    format!(
        "streamfold: {}, {} in {seconds:.3} s: {} events/s, {}, at most {} of memory on a \
         rank{spilled}",
        human::plural(amount.events, "event"),
        human::bytes(amount.bytes.into()),
        human::count((amount.events as f64 / seconds) as u64),
        human::counted(matched, ["matched message", "matched messages"]),
        human::bytes(memory.into()),
    )
}
