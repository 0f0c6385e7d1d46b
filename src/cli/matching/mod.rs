//! `streamfold match`: which messages, collective operations and accesses belong together.

mod by_callpath;
mod losses;
mod outputs;

use std::time::Instant;

use streamfold_kernels::matching::pairs::Pairs;
use streamfold_kernels::matching::{Chosen, Processes};
use streamfold_kernels::Window;
use streamfold_model::ids::LocationRef;

use super::formats::Standard;
use super::input::{ClockArgs, InputArgs};
use super::iterations::{IterationArgs, IterationWindows};
use super::memory_limit::MemoryLimit;
use super::numbers;
use super::outputs::OutputPath;
use super::references::provenance;
use super::slices::Extent;
use super::summary;
use super::tables::refuse_losses;
use super::times::nothing_recorded;
use crate::session::{tell, Session};
use losses::lose_undefined;
use outputs::{Targets, Wanted};
use streamfold_analyses::matching;
use streamfold_analyses::matching::list::Listed;
use streamfold_analyses::matching::Outcome;
use streamfold_drive::select::{Candidate, Plan};
use streamfold_drive::{Losses, Trace};
use streamfold_formats::ReadOptions;
use streamfold_report::matching::heat::ValueOf;
use streamfold_report::matching::{MatchReport, MatrixOf};
use streamfold_report::provenance::Provenance;
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_system::memory;
use streamfold_text::human;

const EXAMPLES: &str = "\
Examples:
  streamfold match traces.otf2                       who sent what to whom, and what has no partner
  streamfold match traces.otf2 --by process --top 50
  streamfold match traces.otf2 --by callpath         which calls send how much, and to how many
  streamfold match traces.otf2 -o match.json         everything, for scripts
  streamfold match traces.otf2 -o matrix.csv         the communication matrix
  streamfold match traces.otf2 -o matrix.svg         the same as a picture: --value messages, time
  streamfold match traces.otf2 -o c.csv --table collectives
  streamfold match traces.otf2 --time 1.5s 2s        what was sent in half a second
  streamfold match traces.otf2 --iterations step 5..10
  streamfold match traces.otf2 --list messages.csv   every message, with the call paths of both ends
  srun -n 64 streamfold match traces.otf2 --memory 4GiB -o match.json";

/// Matches messages, collective operations, remote memory and file accesses
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// What sends and receives in the communication matrix; or call paths, in tables of their own
    #[arg(long, value_enum, value_name = "WHAT", default_value = "location")]
    by: By,
    /// What colours show in a picture of it [default: bytes]
    #[arg(long, value_enum, value_name = "WHAT")]
    value: Option<ValueOf>,
    /// Number of rows of each table, in text
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = numbers::whole::<usize>)]
    top: usize,
    /// Where to write, by suffix: .txt, .json and .h5 (everything), .csv and .parquet (the table of
    /// --table), .svg and .png (a picture of the matrix); - is standard output. As often as wanted
    /// [default: -, unless --list is given without --format]
    #[arg(short, long, value_name = "FILE")]
    output: Vec<OutputPath>,
    /// What standard output gets [default: table; csv for --list -]
    #[arg(long, value_enum)]
    format: Option<Standard>,
    /// Writes every matched message, with times, places, and the call paths of both ends: a .csv,
    /// .jsonl, .parquet or .h5 file, or - for standard output, as CSV or (--format json) as lines of JSON
    #[arg(long, value_name = "FILE")]
    list: Option<OutputPath>,
    /// Table that CSV and Parquet hold [default: matrix]
    #[arg(long, value_name = "TABLE", value_parser = TABLES)]
    table: Option<String>,
    /// End with exit code 2 at the first thing that cannot be read
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    extent: Extent,
    #[command(flatten)]
    iterations: IterationArgs,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    clock: ClockArgs,
    #[command(flatten)]
    limit: MemoryLimit,
}

/// Subject of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum By {
    /// Threads, streams.
    Location,
    /// Processes: location groups, and locations without one.
    Process,
    /// Nodes of the system: machines.
    Node,
    /// Call paths of sends: how many messages, of which sizes, to how many processes.
    Callpath,
}

impl By {
    /// Senders and receivers of the communication matrix; `None`: there is none.
    fn matrix(self) -> Option<MatrixOf> {
        match self {
            By::Location => Some(MatrixOf::Location),
            By::Process => Some(MatrixOf::Process),
            By::Node => Some(MatrixOf::Node),
            By::Callpath => None,
        }
    }
}

/// Sends, receives, collective operations, requests of both, and both sides of epochs, each with what orders
/// them.
const BOXES: u64 = 14;
/// And messages that are listed.
const LISTED: u64 = 2;

/// The names of the tables.
const TABLES: [&str; 18] = [
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
    "handles",
    "forks",
    "teams",
    "locks",
    SITE_TABLES[0],
    SITE_TABLES[1],
];

/// Those of call paths; the first one is the one that CSV has where nobody names one.
const SITE_TABLES: [&str; 2] = ["callpaths", "callpath_sizes"];

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let ranks = session.ranks;
    let Some(matrix) = args.by.matrix() else {
        return by_callpath::run(args, session, begin);
    };
    let wanted = Wanted::new(args).map_err(Stop::Together)?;
    let mut trace = session.open(args.clock.of(args.input.input()), ReadOptions::default())?;
    trace.clocks = args.extent.clocks();
    let clocks = trace.clocks;
    let iterations = args.iterations.windows(session, args.clock.of(args.input.input()), clocks)?;
    let part = Part::new(args, &trace, session.candidates(&trace, false)?, iterations);
    let part = part.map_err(Stop::Together)?;
    // Prepares the outputs first: an output that cannot be written is reported before the trace is read.
    let targets = session.on_root(|| Targets::prepare(&wanted))?;
    let plan = Plan::new(&part.read, ranks.size());
    session.say_who_works();
    let (mut outcome, listed) = scan((args, matrix), session, &trace, &plan, &part)?;
    let memory = session.peak_memory()?;
    session.on_root(|| {
        let Some(outcome) = &mut outcome else { return Ok(()) };
        let paths = listed.as_ref().and_then(Listed::paths);
        if let Some(paths) = paths {
            paths.profile.define_own(&mut trace.definitions);
        }
        lose_undefined(&trace, outcome, paths);
        refuse_losses(args.strict, &outcome.folded.losses)
    })?;
    let provenance =
        outcome.as_ref().map(|outcome| args.provenance(&trace, &part, &outcome.folded.losses));
    let files = outcome.as_ref().map_or(Vec::new(), |outcome| files(&trace, outcome));
    let report = outcome.as_ref().zip(provenance.as_ref()).map(|(outcome, provenance)| {
        let (definitions, processes, files) = (&trace.definitions, &part.processes, &files[..]);
        MatchReport { outcome, definitions, processes, provenance, matrix, files }
    });
    if let Some(listed) = listed {
        listed.bring(ranks, |paths, count, messages| match (&report, &targets) {
            (Some(report), Some(targets)) => targets.list(report, paths, count, messages),
            _ => Ok(()),
        })?;
    }
    let finished = session.on_root(|| {
        let (Some(report), Some(targets)) = (&report, &targets) else {
            return Ok(ExitCode::Done);
        };
        part.tell_if_empty(&trace);
        targets.write(report, args)?;
        let summary = summary(report.outcome, begin, memory);
        Ok(session.conclude(&report.outcome.folded.losses, &summary))
    })?;
    Ok(ranks.broadcast(0, finished)?)
}

/// Part of the trace that counts.
struct Part {
    /// The locations that are read.
    read: Vec<Candidate>,
    /// Locations whose records count.
    wanted: Vec<LocationRef>,
    chosen: Chosen,
    window: Option<Window>,
    processes: Processes,
}

impl Part {
    fn new(
        args: &Args,
        trace: &Trace,
        candidates: Vec<Candidate>,
        iterations: Option<IterationWindows>,
    ) -> Result<Part, Failure> {
        let window = args.extent.window(trace)?;
        let processes = Processes::new(&trace.definitions);
        let wanted = args.extent.choose(trace, candidates.clone())?;
        let wanted: Vec<_> = wanted.into_iter().map(|candidate| candidate.location).collect();
        let locations = args.extent.chooses().then(|| wanted.iter().copied());
        let chosen = Chosen::new(locations, window, &processes);
        let chosen = match iterations {
            Some(iterations) => chosen.with_windows(iterations.windows),
            None => chosen,
        };
        let reads = |candidate: &Candidate| {
            // A location that nobody knows anything of is read where nothing is chosen.
            let process = processes.of(candidate.location);
            process.map_or(!chosen.leaves_some(), |process| chosen.reads(process))
        };
        let read = candidates.into_iter().filter(reads).collect();
        Ok(Part { read, wanted, chosen, window, processes })
    }

    /// Tells people where no location has events in the chosen time.
    fn tell_if_empty(&self, trace: &Trace) {
        if let Some(window) = self.window.filter(|window| !self.has_events(trace, *window)) {
            let clock = trace.definitions.clock.as_ref();
            tell(&format!("streamfold: {}", nothing_recorded(&window, clock, trace.first_event())));
        }
    }

    /// Returns whether any wanted location has events in a window of time.
    fn has_events(&self, trace: &Trace, window: Window) -> bool {
        self.wanted.iter().any(|location| trace.has_events_within(*location, window))
    }
}

/// Outcome on rank 0, and the list of all messages if it is wanted.
type Scanned = (Option<Outcome>, Option<Listed>);

fn scan(
    (args, matrix): (&Args, MatrixOf),
    session: &Session<'_>,
    trace: &Trace,
    plan: &Plan,
    part: &Part,
) -> Result<Scanned, Stop> {
    let (ranks, Part { chosen, processes, .. }) = (session.ranks, part);
    session.scan(plan, args.strict, |scanning| {
        let boxes = if args.list.is_some() { BOXES + LISTED } else { BOXES };
        let pairs = matrix.pairs();
        let count = pairs.map_or(0, |pairs| pairs.count(&trace.definitions, processes));
        let of_pairs = Pairs::most_memory(count) as u64;
        let room = args.limit.room(session, boxes, of_pairs);
        if args.list.is_none() {
            let outcome = matching::run(ranks, trace, plan, scanning, chosen, pairs, &room)?;
            return Ok((outcome, None));
        }
        let listed = matching::run_listed(ranks, trace, plan, scanning, chosen, pairs, &room);
        listed.map(|(outcome, listed)| (outcome, Some(listed)))
    })
}

/// The files of the examples of messages with one end.
fn files(trace: &Trace, outcome: &Outcome) -> Vec<String> {
    let examples = outcome.messages.examples.iter();
    let files = examples.map(|example| trace.source.events_file(example.location));
    files.map(|file| file.display().to_string()).collect()
}

impl Args {
    fn provenance(&self, trace: &Trace, part: &Part, losses: &Losses) -> Provenance {
        let by = self.by.matrix().map_or("callpath", MatrixOf::name);
        let mut options = vec![("by".to_owned(), by.to_owned())];
        options.extend(self.extent.told(part.window.as_ref()));
        options.extend(self.iterations.told());
        options.extend(self.input.told());
        options.extend(self.clock.told());
        if self.strict {
            options.push(("strict".to_owned(), "true".to_owned()));
        }
        provenance(trace, self.input.path(), options, losses)
    }
}

fn summary(outcome: &Outcome, begin: Instant, memory: u64) -> String {
    let amount = &outcome.folded.amount;
    let matched = outcome.messages.by_comm.values().map(|of| of.matched.messages).sum::<u64>();
    let matched = human::counted(matched, ["matched message", "matched messages"]);
    let pace = summary::pace(amount.events, "", amount.bytes, begin);
    let memory = summary::memory(memory.max(memory::peak()), outcome.spilled);
    format!("streamfold: {pace}, {matched}, {memory}")
}
