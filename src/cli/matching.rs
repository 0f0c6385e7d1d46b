//! `streamfold match`: which messages, collective operations and accesses belong together.

use std::path::PathBuf;
use std::time::Instant;

use streamfold_kernels::matching::collectives::Kind;
use streamfold_kernels::matching::{Chosen, Processes};
use streamfold_kernels::Window;
use streamfold_model::ids::{IoHandleRef, LocationRef, Reference, RmaWinRef};

use super::formats::Format;
use super::memory_limit::MemoryLimit;
use super::progress::Watcher;
use super::references::{provenance, resolution};
use super::slices::Extent;
use super::{tell_losses, terminal_width, Session};
use crate::drive::{self, Losses, Progress, Scanning, Trace};
use crate::exit::{ExitCode, Failure, Stop};
use crate::formats::otf2::{FileKind, ReadOptions};
use crate::matching::list::{Listed, Messages, Paths};
use crate::matching::{self, Outcome};
use crate::memory;
use crate::report::human;
use crate::report::matching::heat::ValueOf;
use crate::report::matching::{
    csv, json, list, png, svg, tables, text, MatchReport, MatrixOf, Table,
};
use crate::report::output::Output;
use crate::report::provenance::Provenance;
use crate::selection::{Candidate, Plan};

const EXAMPLES: &str = "\
Examples:
  streamfold match traces.otf2                       who sent what to whom, and what has no partner
  streamfold match traces.otf2 --by process --top 50
  streamfold match traces.otf2 -o match.json         everything, for scripts
  streamfold match traces.otf2 -o matrix.csv         the communication matrix
  streamfold match traces.otf2 -o matrix.svg         the same as a picture: --value messages, time
  streamfold match traces.otf2 -o c.csv --table collectives
  streamfold match traces.otf2 --time 1.5s 2s        what was sent in half a second
  streamfold match traces.otf2 --list messages.csv   every message, with the call paths of both ends
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
    /// Writes every matched message, with times, places, and the call paths of both ends: a .csv,
    /// .jsonl or .h5 file
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// Which table CSV files hold
    #[arg(long, value_name = "TABLE", default_value = "matrix", value_parser = TABLES)]
    table: String,
    #[command(flatten)]
    limit: MemoryLimit,
    /// End at the first thing that cannot be read
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    extent: Extent,
}

/// Sends, receives, collective operations, requests of both, and both sides of epochs, each with what orders
/// them.
const BOXES: u64 = 14;
/// And messages that are listed.
const LISTED: u64 = 2;

/// The names of the tables.
const TABLES: [&str; 15] = [
    "communicators",
    "requests",
    "sizes",
    "tags",
    "nodes",
    "matrix",
    "unmatched",
    "collectives",
    "windows",
    "epochs",
    "accesses",
    "files",
    "forks",
    "teams",
    "locks",
];

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let ranks = session.ranks;
    let mut trace = drive::open(ranks, &args.anchor, ReadOptions::default())?;
    trace.clocks = args.extent.clocks();
    let part = Part::new(args, &trace, session.candidates(&trace, false)?);
    let part = part.map_err(Stop::Together)?;
    // Where nothing can be written nobody should wait for the end to learn it.
    let targets = session.on_root(|| args.targets())?;
    let plan = Plan::new(&part.read, ranks.size());
    session.say(&format!(
        "streamfold: {}, {}",
        human::plural(ranks.size() as u64, "rank"),
        session.threads
    ));
    let (mut outcome, listed) = scan(args, session, &trace, &plan, &part.chosen)?;
    let memory = ranks.reduce(0, memory::peak(), u64::max)?.unwrap_or(0);
    session.on_root(|| {
        let Some(outcome) = &mut outcome else { return Ok(()) };
        if let Some(paths) = listed.as_ref().and_then(Listed::paths) {
            paths.profile.define_own_regions(&mut trace.definitions);
        }
        lose_undefined(&trace, outcome, listed.as_ref().and_then(Listed::paths));
        match outcome.folded.losses.first.first() {
            Some(loss) if args.strict => Err(Failure::new(ExitCode::Trace, loss.message.clone())),
            _ => Ok(()),
        }
    })?;
    let provenance =
        outcome.as_ref().map(|outcome| args.provenance(&trace, &part, &outcome.folded.losses));
    let report = outcome.as_ref().zip(provenance.as_ref()).map(|(outcome, provenance)| {
        let definitions = &trace.definitions;
        MatchReport { outcome, definitions, provenance, matrix: args.by }
    });
    if let Some(listed) = listed {
        listed.bring(ranks, |paths, count, messages| {
            match (&report, targets.as_ref().and_then(|targets| targets.list.as_ref())) {
                (Some(report), Some(target)) => target.list(report, paths, count, messages),
                _ => Ok(()),
            }
        })?;
    }
    let finished = session.on_root(|| {
        let (Some(report), Some(targets)) = (&report, &targets) else {
            return Ok(ExitCode::Done);
        };
        args.write(report, &targets.outputs)?;
        let losses = &report.outcome.folded.losses;
        if !losses.is_empty() {
            tell_losses(losses);
        }
        let (seconds, memory) = (begin.elapsed().as_secs_f64(), memory.max(memory::peak()));
        session.say(&summary(report.outcome, seconds, memory));
        Ok(if losses.is_empty() { ExitCode::Done } else { ExitCode::Losses })
    })?;
    Ok(ranks.broadcast(0, finished)?)
}

/// What of the trace counts.
struct Part {
    /// The locations that are read.
    read: Vec<Candidate>,
    chosen: Chosen,
    window: Option<Window>,
}

impl Part {
    fn new(args: &Args, trace: &Trace, candidates: Vec<Candidate>) -> Result<Part, Failure> {
        let window = args.extent.window(trace)?;
        let processes = Processes::new(&trace.definitions);
        let wanted = args.extent.choose(trace, candidates.clone())?;
        let locations = wanted.into_iter().map(|candidate| candidate.location);
        let locations = args.extent.chooses().then_some(locations);
        let chosen = Chosen::new(locations, window, &processes);
        let reads = |candidate: &Candidate| {
            // A location that nobody knows anything of is read where nothing is chosen.
            let process = processes.of(candidate.location);
            process.map_or(!chosen.leaves_some(), |process| chosen.reads(process))
        };
        let read = candidates.into_iter().filter(reads).collect();
        Ok(Part { read, chosen, window })
    }
}

/// What was found, on rank 0, and every message, where that is wanted.
type Scanned = (Option<Outcome>, Option<Listed>);

fn scan(
    args: &Args,
    session: &Session<'_>,
    trace: &Trace,
    plan: &Plan,
    chosen: &Chosen,
) -> Result<Scanned, Stop> {
    let ranks = session.ranks;
    // Lives as long as the program, since the thread that shows it may outlive this call.
    let progress: &'static Progress = Box::leak(Box::default());
    let share = plan.share(ranks.rank());
    let watcher = Watcher::start(progress, share.weight, ranks.size(), session.is_watched());
    let workers = session.threads.count.min(session.common.max_open_files);
    let scanning = Scanning { workers, strict: args.strict, progress };
    let boxes = if args.list.is_some() { BOXES + LISTED } else { BOXES };
    let room = args.limit.room(session, boxes);
    let scanned = match args.list {
        None => matching::run(ranks, trace, plan, scanning, chosen, &room)
            .map(|outcome| (outcome, None)),
        Some(_) => matching::run_listed(ranks, trace, plan, scanning, chosen, &room)
            .map(|(outcome, listed)| (outcome, Some(listed))),
    };
    drop(watcher);
    scanned
}

/// Reports are written so.
const REPORTS: [Format; 6] =
    [Format::Csv, Format::Json, Format::Hdf5, Format::Svg, Format::Png, Format::Text];
/// Lists of messages are written so.
const LISTS: [Format; 3] = [Format::Csv, Format::JsonLines, Format::Hdf5];

/// All outputs.
struct Targets {
    outputs: Vec<Target>,
    /// That of every message.
    list: Option<Target>,
}

/// An output and what goes into it.
struct Target {
    output: Output,
    format: Format,
}

impl Target {
    /// Writes every message.
    fn list(
        &self,
        report: &MatchReport<'_>,
        paths: &Paths,
        count: u64,
        messages: &mut Messages<'_>,
    ) -> Result<(), Failure> {
        match self.format {
            Format::Csv => self.output.write(|out| list::csv(out, report, paths, messages)),
            Format::JsonLines => {
                self.output.write(|out| list::json_lines(out, report, paths, messages))
            }
            _ => hdf5_list(&self.output, report, paths, count, messages),
        }
    }
}

impl Args {
    fn targets(&self) -> Result<Targets, Failure> {
        let target = |path: &PathBuf, known: &[Format], standard| -> Result<Target, Failure> {
            let format = Format::of(path, known, standard)?.unwrap_or(Format::Text);
            Ok(Target { output: Output::prepare(path)?, format })
        };
        let outputs = self.output.iter().map(|path| target(path, &REPORTS, true));
        let list = self.list.as_ref().map(|path| target(path, &LISTS, false)).transpose()?;
        Ok(Targets { outputs: outputs.collect::<Result<_, _>>()?, list })
    }

    fn write(&self, report: &MatchReport<'_>, targets: &[Target]) -> Result<(), Failure> {
        let tables = tables(report);
        for Target { output, format } in targets {
            match format {
                Format::Text => {
                    let width = output.is_standard().then(terminal_width).flatten();
                    output.write(|out| text::write(out, report, &tables, self.top, width))?;
                }
                Format::Json => output.write(|out| json::write(out, report, &tables))?,
                Format::Csv => output.write(|out| {
                    let table = tables.iter().find(|table| table.name == self.table);
                    csv::write(out, report.provenance, table.expect("clap knows all tables"))
                })?,
                Format::Svg => output.write(|out| svg::write(out, report, self.value))?,
                Format::Hdf5 => hdf5(output, report, &tables)?,
                Format::Png => output.write(|out| png::write(out, report, self.value))?,
                Format::JsonLines => unreachable!("not among those that are known"),
            }
        }
        Ok(())
    }
}

impl Args {
    fn provenance(&self, trace: &Trace, part: &Part, losses: &Losses) -> Provenance {
        let mut options = vec![("by".to_owned(), self.by.name().to_owned())];
        options.extend(self.extent.told(part.window.as_ref()));
        if self.strict {
            options.push(("strict".to_owned(), "true".to_owned()));
        }
        provenance(trace, &self.anchor, options, losses)
    }
}

#[cfg(feature = "hdf5")]
fn hdf5(output: &Output, report: &MatchReport<'_>, tables: &[Table]) -> Result<(), Failure> {
    crate::report::hdf5::matching::write(output, report, tables)
}

/// Nobody gets that far, see [`Format::of`].
#[cfg(not(feature = "hdf5"))]
fn hdf5(output: &Output, _: &MatchReport<'_>, _: &[Table]) -> Result<(), Failure> {
    Err(Failure::output(output.path(), &"this program was built without HDF5"))
}

#[cfg(feature = "hdf5")]
fn hdf5_list(
    output: &Output,
    report: &MatchReport<'_>,
    paths: &Paths,
    count: u64,
    messages: &mut Messages<'_>,
) -> Result<(), Failure> {
    crate::report::hdf5::messages::write(output, report, paths, count, messages)
}

/// Nobody gets that far, see [`Format::of`].
#[cfg(not(feature = "hdf5"))]
fn hdf5_list(
    output: &Output,
    _: &MatchReport<'_>,
    _: &Paths,
    _: u64,
    _: &mut Messages<'_>,
) -> Result<(), Failure> {
    Err(Failure::output(output.path(), &"this program was built without HDF5"))
}

/// Adds a loss for each kind of reference that matching needs and nobody defined.
fn lose_undefined(trace: &Trace, outcome: &mut Outcome, paths: Option<&Paths>) {
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
    if let Some(paths) = paths {
        let (regions, unclear) =
            (paths.undefined_regions(&trace.definitions), paths.numbers.unclear());
        if regions > 0 {
            let regions = human::counted(regions, ["region", "regions"]);
            lose(format!("{regions} on call paths that are not defined"));
        }
        if unclear > 0 {
            let paths = human::counted(unclear as u64, ["call path", "call paths"]);
            lose(format!("{paths} that cannot be told from others, and are left out of the list"));
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
        let spans = [&of.locks, &of.groups].map(|of| of.begun + of.unbegun);
        let events = of.puts.count + of.gets.count + of.atomics.count + collectives + of.unknown;
        let events = events + spans.iter().sum::<u64>();
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
