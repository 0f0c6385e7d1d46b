//! `streamfold profile`: where time goes, by region, call path, process and thread.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ValueEnum;
use streamfold_kernels::profile::{
    Partial, Profile, ProfileKernel, Splitting, Step, ThreadTreeKernel,
};
use streamfold_kernels::{Pieces, Window, WindowKernel};

use super::hdf5_files::Hdf5Files;
use super::references::{lose_undefined, provenance};
use super::regions::{RegionRule, NONE_VISITED};
use super::slices::Slices;
use super::trees::Trees;
use super::{summary, tell, tell_loss_count, terminal_width, Session, LOSSES_TOLD};
use crate::collective::inject::fail_point;
use crate::collective::Communicator;
use crate::drive::{self, Amount, Folded, Losses, Scanning, Trace, TraceMasters};
use crate::exit::{ExitCode, Failure, Stop};
use crate::memory;
use crate::report::human;
use crate::report::output::Output;
use crate::report::profile::sort::{self, default_key, SortKey};
use crate::report::profile::{csv, json, plan, table, By, ProfileReport};
use crate::report::provenance::Provenance;
use crate::selection::{Candidate, Cutting, Plan};

const EXAMPLES: &str = "\
Examples:
  streamfold profile traces.otf2                     the regions that take the most time
  streamfold profile traces.otf2 --by callpath       the call tree
  streamfold profile traces.otf2 --by location --sort exclusive --top 10
  streamfold profile traces.otf2 --by line           source lines, of sampled traces
  streamfold profile traces.otf2 --by metric         counters and series
  streamfold profile traces.otf2 -L 0 -L 1           two locations only
  streamfold profile traces.otf2 --time 1.5s 2s      half a second
  streamfold profile traces.otf2 --paradigm mpi --exclude ^MPI_Wtime
  streamfold profile traces.otf2 -o profile.csv -o profile.json
  streamfold profile traces.otf2 -o profile.h5 --per-location
  srun -n 64 streamfold profile traces.otf2 -o profile.h5
  streamfold profile traces.otf2 --plan=64           who would read what";

/// Shows where time goes: visits, times and messages by region, call path, process or thread
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The anchor file of the trace (.otf2)
    #[arg(value_name = "ANCHOR")]
    anchor: PathBuf,
    /// What the rows are
    #[arg(long, value_enum, default_value = "region")]
    by: By,
    /// What rows are sorted by [default: exclusive for regions (estimated where there are samples),
    /// inclusive for call paths, estimated for contexts, samples for lines, else id]
    #[arg(long, value_enum, value_name = "KEY")]
    sort: Option<SortKey>,
    /// The first N rows only, in tables and CSV
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Where to write, by suffix: .csv and .txt (the rows of --by), .json and .h5 (everything);
    /// - is standard output. As often as wanted
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// What standard output gets
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Every call path and its metrics at every location, too, in HDF5 files
    #[arg(long)]
    per_location: bool,
    /// Show which rank would read what, of this many ranks or of those there are; read no events
    #[arg(long, value_name = "RANKS", num_args = 0..=1, require_equals = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=MOST_RANKS))]
    #[arg(conflicts_with_all = ["output", "top", "sort", "per_location"])]
    plan: Option<Option<u32>>,
    /// A row for each reference of a region, also where definitions say the same. Those that only
    /// single locations define have no names then
    #[arg(long)]
    by_id: bool,
    /// End at the first thing that cannot be read
    #[arg(long)]
    strict: bool,
    /// Read all locations whose files are longer than this in pieces of this length. For tests:
    /// whoever reads a piece, and how long it is, never shows
    #[arg(long, value_name = "BYTES", hide = true)]
    piece_bytes: Option<u64>,
    #[command(flatten)]
    slices: Slices,
    #[command(flatten)]
    trees: Trees,
}

/// More ranks than any machine has need no plan.
const MOST_RANKS: i64 = 1 << 22;

/// What a text output holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Table,
    Csv,
    Json,
}

/// An output and what goes into it.
enum Target {
    Text(Output, Format),
    Hdf5(Output),
}

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let ranks = session.ranks;
    args.check().map_err(Stop::Together)?;
    let max_open_files = session.common.max_open_files;
    let mut trace = drive::open(ranks, &args.anchor, args.trees.read_options(max_open_files))?;
    trace.clocks = args.slices.extent().clocks();
    let part = Part::new(&args.slices, &trace).map_err(Stop::Together)?;
    let candidates = session.candidates(&trace, args.plan.is_some())?;
    let candidates = args.slices.extent().choose(&trace, candidates).map_err(Stop::Together)?;
    let plan = |ranks| args.plan(&trace, &part, &candidates, ranks);
    if let Some(wanted) = args.plan {
        let wanted = wanted.map_or(ranks.size(), |ranks| ranks as usize);
        let plan = plan(wanted);
        session
            .on_root(|| Output::prepare(Path::new("-"))?.write(|out| plan::write(out, &plan)))?;
        return Ok(ExitCode::Done);
    }
    // Where nothing can be written nobody should wait for the end to learn it.
    let targets = session.on_root(|| args.targets())?;
    let plan = plan(ranks.size());
    session.say_who_works();
    let files = args.hdf5_files();
    let options = args.slices.told(part.window.as_ref());
    let scanned = scan(args, session, &trace, &plan, part, &files)?;
    finish(args, session, &mut trace, targets, scanned, &files, (begin, options))
}

/// What of the trace counts, and how.
struct Part {
    splitting: Splitting,
    /// Which regions are steps of call paths; `None`: all.
    rule: Option<RegionRule>,
    window: Option<Window>,
}

impl Part {
    fn new(slices: &Slices, trace: &Trace) -> Result<Part, Failure> {
        Ok(Part {
            splitting: slices.splitting(trace)?,
            rule: slices.rule()?,
            window: slices.extent().window(trace)?,
        })
    }

    /// Whether locations may be cut: a window of time and chosen regions are read in order.
    fn is_cut(&self) -> bool {
        self.rule.is_none() && self.window.is_none()
    }
}

/// What comes out of scanning: on rank 0 all of it.
type Scanned = Option<Folded<Partial>>;

fn scan(
    args: &Args,
    session: &Session<'_>,
    trace: &Trace,
    plan: &Plan,
    part: Part,
    files: &Hdf5Files,
) -> Result<Scanned, Stop> {
    let ranks = session.ranks;
    let sinks = files.sinks();
    let workers = session.threads.count.min(args.trees.workers(session.common.max_open_files));
    session.watch(plan.share(ranks.rank()).weight, |progress| {
        let kernel = args.kernel(trace, part.splitting);
        let kernel = match &sinks {
            Some(sinks) => kernel.with_sinks(&**sinks),
            None => kernel,
        };
        let scanning = Scanning { workers, strict: args.strict, progress };
        let job = Job { ranks, trace, plan, scanning };
        if args.trees.any() {
            let masters = args.trees.masters(trace, plan);
            let kernel = args.trees.kernel(kernel, masters.as_ref());
            return job.trees(&kernel, masters.as_ref());
        }
        match (part.rule, part.window) {
            (None, None) => job.pieces(&kernel),
            (None, window) => job.in_order(&kernel, window),
            (Some(rule), window) => job.in_order(&kernel.choose(rule), window),
        }
    })
}

/// All that there is to scan.
struct Job<'a> {
    ranks: &'a dyn Communicator,
    trace: &'a Trace,
    plan: &'a Plan,
    scanning: Scanning<'a>,
}

impl Job<'_> {
    /// All of the time, in pieces where there are any.
    fn pieces<K: Pieces<Partial = Partial>>(self, kernel: &K) -> Result<Scanned, Stop> {
        let folded = drive::scan(self.ranks, self.trace, self.plan, kernel, self.scanning)?;
        drive::reduce(self.ranks, kernel, folded)
    }

    /// All of the time, each location in order and what hangs below others beside these.
    fn trees(
        self,
        kernel: &ThreadTreeKernel<'_>,
        masters: Option<&TraceMasters<'_>>,
    ) -> Result<Scanned, Stop> {
        let Job { ranks, trace, plan, scanning } = self;
        let mut folded = drive::scan_uncut(ranks, trace, plan, kernel, scanning)?;
        if let Some(masters) = masters {
            masters.lose(ranks, &mut folded.losses, scanning.strict)?;
        }
        drive::reduce(ranks, kernel, folded)
    }

    /// All of the time or a window, each location in order.
    fn in_order<K: WindowKernel<Partial = Partial>>(
        self,
        kernel: &K,
        window: Option<Window>,
    ) -> Result<Scanned, Stop> {
        let Job { ranks, trace, plan, scanning } = self;
        let folded = match window {
            Some(window) => drive::scan_window(ranks, trace, plan, kernel, scanning, window)?,
            None => drive::scan_uncut(ranks, trace, plan, kernel, scanning)?,
        };
        drive::reduce(ranks, kernel, folded)
    }
}

fn finish(
    args: &Args,
    session: &Session<'_>,
    trace: &mut Trace,
    targets: Option<Vec<Target>>,
    scanned: Scanned,
    files: &Hdf5Files,
    (begin, slices): (Instant, Vec<(String, String)>),
) -> Result<ExitCode, Stop> {
    let ranks = session.ranks;
    fail_point("report", ranks.rank())?;
    let memory = ranks.reduce(0, memory::peak(), u64::max)?.unwrap_or(0);
    let mut finished = None;
    session.on_root(|| {
        let (Some(folded), Some(targets)) = (scanned, targets) else { return Ok(()) };
        let Folded { partial, mut losses, amount } = folded;
        let (profile, _) = Profile::new(partial, &trace.definitions);
        profile.define_own_regions(&mut trace.definitions);
        lose_undefined(trace, &profile, &mut losses);
        if args.slices.has_rule()
            && !profile.regions.iter().any(|row| matches!(row.step, Step::Region(_)))
        {
            tell(&format!("streamfold: {NONE_VISITED}"));
        }
        if let (true, Some(loss)) = (args.strict, losses.first.first()) {
            return Err(Failure::new(ExitCode::Trace, loss.message.clone()));
        }
        let provenance = args.provenance(trace, slices, &losses);
        let report = ProfileReport {
            profile: &profile,
            definitions: &trace.definitions,
            provenance: &provenance,
        };
        let mut told = false;
        let mut outputs = Vec::new();
        for target in targets {
            match target {
                Target::Text(out, format) => {
                    told |= format == Format::Table && out.is_standard();
                    args.write(&out, format, &report)?;
                }
                Target::Hdf5(out) => outputs.push(out),
            }
        }
        finished = Some((profile, provenance, outputs, amount, told));
        Ok(())
    })?;
    let Some((profile, provenance, outputs, amount, told)) = finished else {
        files.write(ranks, &[], None)?;
        return Ok(ranks.broadcast(0, None)?);
    };
    let definitions = &trace.definitions;
    let report = ProfileReport { profile: &profile, definitions, provenance: &provenance };
    files.write(ranks, &outputs, Some(&report))?;
    // Reports may have needed more than scanning.
    let memory = memory.max(memory::peak());
    let mut code = ExitCode::Done;
    if provenance.loss_count > 0 {
        code = ExitCode::Losses;
        tell_losses(&provenance, told);
    }
    session.say(&summary(&amount, begin, memory));
    Ok(ranks.broadcast(0, Some(code))?)
}

impl Args {
    /// Who reads what.
    fn plan(&self, trace: &Trace, part: &Part, candidates: &[Candidate], ranks: usize) -> Plan {
        // What hangs below others is read in order, too.
        if self.trees.any() || !part.is_cut() {
            return Plan::new(candidates, ranks);
        }
        let kernel = self.kernel(trace, part.splitting.clone());
        drive::plan(&kernel, candidates, ranks, self.cutting(trace))
    }

    /// The profile, as far as threads stand for themselves.
    fn kernel<'a>(&self, trace: &'a Trace, splitting: Splitting) -> ProfileKernel<'a> {
        let kernel = ProfileKernel::new(&trace.definitions).split(splitting);
        match self.by_id {
            true => kernel.by_id(),
            false => kernel,
        }
    }

    /// How long locations may be cut.
    fn cutting(&self, trace: &Trace) -> Cutting {
        let chunk = trace.archive.anchor().event_chunk_size;
        match self.piece_bytes {
            Some(bytes) => Cutting::forced(chunk, bytes),
            None => Cutting::new(chunk),
        }
    }

    /// What clap cannot know.
    fn check(&self) -> Result<(), Failure> {
        let mut hdf5 = false;
        for path in &self.output {
            hdf5 |= self.format_of(path)?.is_none();
        }
        if let Some(key) = self.sort.filter(|key| !sort::fits(self.by, *key)) {
            return Err(Failure::new(ExitCode::Usage, unsorted(self.by, key)));
        }
        if self.per_location && !hdf5 {
            let message = "--per-location is for HDF5 files: name one with -o FILE.h5";
            return Err(Failure::new(ExitCode::Usage, message));
        }
        Ok(())
    }

    /// `None` for HDF5.
    fn format_of(&self, path: &Path) -> Result<Option<Format>, Failure> {
        use super::formats::Format as Files;
        const KNOWN: [Files; 4] = [Files::Csv, Files::Json, Files::Hdf5, Files::Text];
        Ok(match Files::of(path, &KNOWN, true)? {
            None => Some(self.format),
            Some(Files::Csv) => Some(Format::Csv),
            Some(Files::Json) => Some(Format::Json),
            Some(Files::Hdf5) => None,
            Some(_) => Some(Format::Table),
        })
    }

    fn targets(&self) -> Result<Vec<Target>, Failure> {
        let standard = [PathBuf::from("-")];
        let outputs = if self.output.is_empty() { &standard[..] } else { &self.output };
        let target = |path: &PathBuf| {
            let output = Output::prepare(path)?;
            Ok(match self.format_of(path)? {
                Some(format) => Target::Text(output, format),
                None => Target::Hdf5(output),
            })
        };
        outputs.iter().map(target).collect()
    }

    /// The HDF5 files among the outputs.
    fn hdf5_files(&self) -> Hdf5Files {
        let wanted = |path: &&PathBuf| matches!(self.format_of(path), Ok(None));
        Hdf5Files::new(self.output.iter().filter(wanted).cloned().collect(), self.per_location)
    }

    fn write(
        &self,
        out: &Output,
        format: Format,
        report: &ProfileReport<'_>,
    ) -> Result<(), Failure> {
        let key = self.sort.unwrap_or(default_key(self.by, report.profile.samples.is_some()));
        match format {
            Format::Table => {
                let width = out.is_standard().then(terminal_width).flatten();
                out.write(|out| table::write(out, report, self.by, key, self.top, width))
            }
            Format::Csv => out.write(|out| csv::write(out, report, self.by, key, self.top)),
            Format::Json => out.write(|out| json::write(out, report)),
        }
    }

    fn provenance(
        &self,
        trace: &Trace,
        slices: Vec<(String, String)>,
        losses: &Losses,
    ) -> Provenance {
        let mut options = Vec::new();
        let mut option = |name: &str, value: String| options.push((name.to_owned(), value));
        if self.per_location {
            option("per-location", "true".to_owned());
        }
        slices.into_iter().for_each(|(name, value)| option(&name, value));
        self.trees.told().for_each(|(name, value)| option(name, value));
        if self.by_id {
            option("by-id", "true".to_owned());
        }
        if self.strict {
            option("strict", "true".to_owned());
        }
        provenance(trace, &self.anchor, options, losses)
    }
}

/// Why rows of a kind cannot be sorted by a key.
fn unsorted(by: By, key: SortKey) -> String {
    if key == SortKey::Imbalance && matches!(by, By::Group | By::Location) {
        return "--sort imbalance compares locations: it is for regions and call paths".to_owned();
    }
    if by == By::Metric {
        return "--by metric takes --sort name or id: metrics have units of their own".to_owned();
    }
    let name = |value: Option<clap::builder::PossibleValue>| {
        value.map(|value| value.get_name().to_owned()).unwrap_or_default()
    };
    let (by, key) = (name(by.to_possible_value()), name(key.to_possible_value()));
    format!("rows --by {by} have nothing that --sort {key} could compare")
}

fn tell_losses(provenance: &Provenance, told: bool) {
    let Provenance { losses, loss_count, .. } = provenance;
    // A table on the same terminal has shown them just now.
    if !(told && std::io::stdout().is_terminal() && std::io::stderr().is_terminal()) {
        losses.iter().take(LOSSES_TOLD).for_each(|loss| tell(&format!("streamfold: {loss}")));
    }
    tell_loss_count(*loss_count);
}

fn summary(amount: &Amount, begin: Instant, memory: u64) -> String {
    let unknown = match amount.unknown {
        0 => String::new(),
        unknown => format!(" ({} of kinds unknown to this version)", human::count(unknown)),
    };
    let pace = summary::pace(amount.events, &unknown, amount.bytes, begin);
    format!("streamfold: {pace}, {}", summary::memory(memory, 0))
}
