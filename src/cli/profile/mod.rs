//! `streamfold profile`: where time goes, by region, call path, process and thread.

mod apart;
mod by_iteration;
mod by_kernel;
mod by_process;
mod by_request;
mod calls;
mod finish;
mod otfprofile;
mod outputs;
mod scan;
mod statistics;

use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use clap::ValueHint;
use streamfold_kernels::profile::{Kept, Profile};
use streamfold_model::store::Definitions;

use super::formats::Format;
use super::input::{ClockArgs, InputArgs};
use super::iterations::IterationArgs;
use super::memory_limit::bytes_of;
use super::numbers;
use super::outputs::{OutputPath, Reports};
use super::references::{lose_undefined, provenance};
use super::shared_files::SharedFiles;
use super::slices::Slices;
use super::tables::{refuse_losses, Target};
use super::trees::Trees;
use crate::session::Session;
use finish::finish;
use otfprofile::OtfprofileArgs;
use outputs::ProfileFormat;
use scan::scan;
use statistics::{profile_of, read_statistics, selection};
use streamfold_analyses::profile::Profiled;
use streamfold_drive::select::{self, Plan};
use streamfold_drive::{Folded, Losses, Trace};
use streamfold_output::Output;
use streamfold_report::profile::derived::{self, Wanted};
use streamfold_report::profile::sort::SortKey;
use streamfold_report::profile::{plan, By};
use streamfold_report::provenance::Provenance;
use streamfold_system::exit::{ExitCode, Failure, Stop};

const EXAMPLES: &str = "\
Examples:
  streamfold profile traces.otf2                     the regions that take the most time
  streamfold profile traces.otf2 --by callpath       the call tree
  streamfold profile traces.otf2 --by callpath --depth 4
  streamfold profile traces.otf2 --by process        what each process is busy with
  streamfold profile traces.otf2 --by location --sort exclusive --top 10
  streamfold profile traces.otf2 --by line           source lines, of sampled traces
  streamfold profile traces.otf2 --tolerant          leaves end the innermost visit
  streamfold profile traces.otf2 --by kernel         kernels and copies of accelerators
  streamfold profile traces.otf2 --by request        does computation cover messages in flight?
  streamfold profile traces.otf2 --by metric         counters and series
  streamfold profile run.otf2 --metric ipc=PAPI_TOT_INS/PAPI_TOT_CYC
  streamfold profile traces.otf2 -L 0 -L 1           two locations only
  streamfold profile traces.otf2 --time 1.5s 2s      half a second
  streamfold profile traces.otf2 --iterations step 5..10
  streamfold profile traces.otf2 --by iteration --of step
  streamfold profile traces.otf2 --calls MPI_Wait --top 20
  streamfold profile traces.otf2 --paradigm mpi --exclude ^MPI_Wtime
  streamfold profile traces.otf2 -o profile.csv -o profile.json
  streamfold profile traces.otf2 -o flame.svg        a flame graph: click enlarges
  streamfold profile traces.otf2 -o profile.parquet  regions, for pandas and DuckDB
  streamfold profile traces.otf2 -o profile.h5 --per-location
  streamfold profile traces.otf2 -o profile.cubex --thread-tree --program-root
  srun -n 64 streamfold profile traces.otf2 -o profile.h5
  streamfold profile traces.otf2 --plan=64           who would read what
  streamfold profile run.otf -o p.csv --format otfprofile";

/// Shows where time goes: visits, times and messages by region, call path, process or thread
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// What the rows are
    #[arg(long, value_enum, default_value = "region")]
    by: By,
    /// A metric that follows from others, such as ipc=PAPI_TOT_INS/PAPI_TOT_CYC: numbers, names of metrics (in quotes
    /// where they have other signs than letters, digits and _:.#=@), + - * / and parentheses; time is in seconds. As
    /// often as wanted
    #[arg(long, value_name = "NAME=EXPRESSION", value_hint = ValueHint::Other)]
    metric: Vec<Wanted>,
    /// The region whose visits are the rows of --by iteration: its name, or what matches it.
    /// `streamfold info --loops` proposes one
    #[arg(long, value_name = "REGION", value_hint = ValueHint::Other)]
    #[arg(required_if_eq("by", "iteration"))]
    of: Option<String>,
    /// The longest single visits of a region, 10 unless --top says how many: when, how long, where, on which call path,
    /// and how many bytes were moved in each. REGION is a name, or what matches it
    #[arg(long, value_name = "REGION", value_hint = ValueHint::Other)]
    #[arg(conflicts_with_all = ["by", "of", "sort", "metric", "per_location", "plan", "by_id", "tolerant"])]
    calls: Option<String>,
    /// What rows are sorted by [default: exclusive for regions (estimated where there are samples),
    /// inclusive for call paths, estimated for contexts, samples for lines, else id]
    #[arg(long, value_enum, value_name = "KEY")]
    sort: Option<SortKey>,
    /// The first N rows only, in tables and CSV; of --calls in all outputs
    #[arg(long, value_name = "N", value_parser = numbers::whole::<usize>)]
    top: Option<usize>,
    /// Where to write, by suffix: .csv, .parquet and .txt (the rows of --by), .json and .h5 (everything),
    /// .svg and .png (a flame graph), .folded (call paths and ticks, for other flame graphs), .cali.json
    /// (call paths, for Hatchet), .jsonl (regions or call paths, for Extra-P), .cubex (call paths of every
    /// location, for Cube); - is standard output. As often as wanted [default: -]
    #[arg(short, long, value_name = "FILE")]
    output: Vec<OutputPath>,
    /// What standard output gets; otfprofile: the tables of that tool of OTF 1, in all outputs [default: table]
    #[arg(long, value_enum)]
    format: Option<ProfileFormat>,
    /// Every call path and its metrics at every location, too, in HDF5 files
    #[arg(long)]
    per_location: bool,
    /// Show which rank would read what, of this many ranks or of those there are; read no events
    #[arg(long, value_name = "RANKS", num_args = 0..=1, require_equals = true)]
    #[arg(value_parser = numbers::ranks)]
    #[arg(conflicts_with_all = ["output", "format", "top", "sort", "per_location"])]
    plan: Option<Option<u32>>,
    /// A row for each reference of a region, also where definitions say the same. Those that only
    /// single locations define have no names then
    #[arg(long)]
    by_id: bool,
    /// A leave ends the innermost visit, whatever region it names: for traces whose tasks change their names.
    /// Without it such a leave ends the nearest visit of its region, and the visits inside of that have no time
    #[arg(long)]
    tolerant: bool,
    /// End with exit code 2 at the first thing that cannot be read
    #[arg(long)]
    strict: bool,
    /// Read all locations whose files are longer than this in pieces of this length. For tests:
    /// whoever reads a piece, and how long it is, never shows
    #[arg(long, value_name = "BYTES", hide = true)]
    piece_bytes: Option<u64>,
    /// Keep no more call paths than these. For tests: where rows need none, how many are kept never shows
    #[arg(long, value_name = "N", hide = true)]
    most_paths: Option<usize>,
    /// Keep call paths of N regions at most. Deeper visits are below (rest) of their call path, by region
    #[arg(long, value_name = "N", value_parser = numbers::whole::<u32>)]
    #[arg(conflicts_with_all = ["thread_tree", "program_root"])]
    depth: Option<u32>,
    /// Memory of a rank, as 500MB or 4GiB: the depth falls until there is a call path for 8 KiB at
    /// most, and deeper visits are below (rest)
    #[arg(long, value_name = "SIZE", value_parser = bytes_of)]
    #[arg(conflicts_with_all = ["thread_tree", "program_root"])]
    memory: Option<u64>,
    #[command(flatten)]
    slices: Slices,
    #[command(flatten)]
    iterations: IterationArgs,
    #[command(flatten)]
    trees: Trees,
    #[command(flatten)]
    otfprofile: OtfprofileArgs,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    clock: ClockArgs,
}

/// Number of call paths that are kept of a trace whose rows need none.
const MOST_PATHS: usize = 1 << 16;

/// A call path has about 700 bytes. Each of the threads of a rank has paths of its own, and deeper ones than are kept
/// until the end of its location.
const BYTES_OF_PATH: u64 = 1 << 13;

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let ranks = session.ranks;
    args.refuse_others().map_err(Stop::Together)?;
    if args.is_as_otfprofile() {
        return otfprofile::run(args, session);
    }
    args.refuse_metric().map_err(Stop::Together)?;
    args.refuse_limits_without_paths().map_err(Stop::Together)?;
    if let Some(region) = &args.calls {
        return calls::run(args, session, region, begin);
    }
    if let Some(subject) = by_process::subject(args.by) {
        return by_process::run(args, session, subject, begin);
    }
    if args.by == By::Iteration {
        return by_iteration::run(args, session, begin);
    }
    if args.by == By::Request {
        return by_request::run(args, session, begin);
    }
    if args.by == By::Kernel {
        return by_kernel::run(args, session, begin);
    }
    let reports = args.reports().map_err(Stop::Together)?;
    args.refuse_limits(&reports).map_err(Stop::Together)?;
    let max_open_files = session.common.max_open_files;
    let mut trace =
        session.open(args.clock.of(args.input.input()), args.trees.read_options(max_open_files))?;
    trace.clocks = args.slices.extent().clocks();
    let known = session.on_root(|| args.refuse_unknown_metrics(&trace.definitions, false));
    known?;
    let clocks = trace.clocks;
    let input = args.clock.of(args.input.input());
    let iterations = args.iterations.windows(session, input, clocks)?;
    let candidates = session.candidates(&trace, args.plan.is_some())?;
    let mut candidates = args.slices.extent().choose(&trace, candidates).map_err(Stop::Together)?;
    if let Some(iterations) = &iterations {
        candidates.retain(|candidate| iterations.windows.contains_key(&candidate.location));
    }
    let window = args.slices.extent().window(&trace).map_err(Stop::Together)?;
    let job = args.job(session, trace, candidates, iterations).map_err(Stop::Together)?;
    if let Some(wanted) = args.plan {
        let plan = job.plan(wanted.map_or(ranks.size(), |ranks| ranks as usize));
        session.on_root(|| Output::prepare(Path::new("-"))?.write(|out| write_plan(out, &plan)))?;
        return Ok(ExitCode::Done);
    }
    // Prepares the outputs first: an output that cannot be written is reported before the trace is read.
    let targets = session.on_root(|| Target::reports(&reports))?;
    let mut files = args.shared_files(&reports);
    let mut options = args.slices.told(window.as_ref());
    options.extend(args.iterations.told());
    let is_windowed = window.is_some() || args.iterations.told().is_some();
    let otf = session.on_root(|| match is_windowed {
        true => Ok(None),
        false => {
            let otf = args.otf_of_statistics(job.trace())?;
            let cubex = reports.of(Format::Cubex).next().filter(|_| otf.is_some());
            match cubex {
                Some(path) => Err(without_events(path)),
                None => Ok(otf),
            }
        }
    })?;
    if ranks.broadcast(0, otf.as_ref().map(Option::is_some))? {
        let scanned = otf.flatten().map(|otf| {
            let trace = job.trace();
            let chosen = job.candidates().iter().map(|candidate| candidate.location);
            let selection = selection(trace, chosen);
            let read = read_statistics(trace, &otf, &selection, session);
            let Folded { partial, losses, amount } = read;
            Folded { partial: profile_of(&partial, &trace.definitions), losses, amount }
        });
        let mut trace = job.into_trace();
        return finish(args, session, &mut trace, targets, scanned, &files, (begin, options));
    }
    session.say_who_works();
    let scanned = scan(session, &job, &mut files)?;
    let mut trace = job.into_trace();
    finish(args, session, &mut trace, targets, scanned, &files, (begin, options))
}

/// Statistics are of regions: there are no call paths of single locations.
fn without_events(path: &Path) -> Failure {
    let path = path.display();
    let message = format!(
        "cannot write {path}: the trace has statistics and no events, so no call paths: write .csv, \
         .json or .txt"
    );
    Failure::new(ExitCode::Usage, message)
}

/// The profile of a trace, as this command makes it, for others; on rank 0.
pub(super) fn of_trace(
    path: &Path,
    callpaths: bool,
    (slices, trees): (Slices, Trees),
    strict: bool,
    session: &Session<'_>,
) -> Result<Option<Profiled>, Stop> {
    let args = Args {
        input: InputArgs::of_path(path),
        clock: ClockArgs::default(),
        by: if callpaths { By::Callpath } else { By::Region },
        metric: Vec::new(),
        of: None,
        calls: None,
        sort: None,
        top: None,
        output: Vec::new(),
        format: None,
        per_location: false,
        plan: None,
        by_id: false,
        tolerant: false,
        strict,
        piece_bytes: None,
        most_paths: None,
        depth: None,
        memory: None,
        slices,
        iterations: IterationArgs::default(),
        trees,
        otfprofile: OtfprofileArgs::default(),
    };
    let options = args.trees.read_options(session.common.max_open_files);
    let mut trace = session.open_side(args.input.input(), options)?;
    trace.clocks = args.slices.extent().clocks();
    let candidates = session.candidates(&trace, false)?;
    let candidates = args.slices.extent().choose(&trace, candidates).map_err(Stop::Together)?;
    let job = args.job(session, trace, candidates, None).map_err(Stop::Together)?;
    let scanned = scan(session, &job, &mut SharedFiles::default())?;
    let mut trace = job.into_trace();
    let mut profiled = None;
    session.on_root(|| {
        let Some(Folded { partial, mut losses, .. }) = scanned else { return Ok(()) };
        let (profile, _) = Profile::new(partial, &trace.definitions);
        profile.define_own(&mut trace.definitions);
        lose_undefined((&trace, &trace.definitions), &profile, &mut losses);
        refuse_losses(strict, &losses)?;
        profiled = Some((profile, losses));
        Ok(())
    })?;
    Ok(profiled.map(|(profile, losses)| Profiled { trace, profile, losses }))
}

/// Writes what each rank reads.
fn write_plan(out: &mut dyn Write, plan: &Plan) -> io::Result<()> {
    let part = |part: &select::Part| match part.of {
        1 => part.location.to_string(),
        of => format!("{} ({} of {of})", part.location, part.number + 1),
    };
    let whole = plan.shares().iter().map(|share| share.locations.len()).sum::<usize>();
    let row = |share: &select::Share| {
        let locations = share.locations.iter().map(ToString::to_string);
        plan::PlanRow {
            weight: share.weight,
            read: share.parts.iter().map(part).chain(locations).collect(),
            groups: (share.groups, share.shared_groups),
        }
    };
    let rows: Vec<_> = plan.shares().iter().map(row).collect();
    plan::write(out, &rows, whole + plan.parted().len())
}

impl Args {
    /// Returns whether any output needs call paths: JSON, HDF5, files of Caliper and Cube, and flame graphs do.
    fn needs_paths(&self) -> bool {
        const WITH: [Format; 7] = [
            Format::Json,
            Format::Caliper,
            Format::Cubex,
            Format::Hdf5,
            Format::Svg,
            Format::Png,
            Format::Folded,
        ];
        let has_everything =
            |reports: Reports<'_>| WITH.into_iter().any(|of| reports.of(of).next().is_some());
        let by_region = matches!(self.by, By::Region | By::Group | By::Location);
        !by_region || self.trees.any() || self.reports().is_ok_and(has_everything)
    }

    /// Refuses metrics where rows have none.
    fn refuse_metric(&self) -> Result<(), Failure> {
        let has_any =
            matches!(self.by, By::Region | By::Callpath | By::Group | By::Location | By::Metric);
        if has_any || self.metric.is_empty() {
            return Ok(());
        }
        let text = "--metric is for rows by region, callpath, group, location and metric (--by)";
        Err(Failure::new(ExitCode::Usage, text))
    }

    /// Refuses names in expressions that no metric of the trace has; `all`: no others will be found.
    fn refuse_unknown_metrics(&self, definitions: &Definitions, all: bool) -> Result<(), Failure> {
        match derived::unknown(&self.metric, definitions, all) {
            Some(text) => Err(Failure::new(ExitCode::Usage, text)),
            None => Ok(()),
        }
    }

    /// The call paths that are kept.
    fn kept(&self) -> Kept {
        let needed = match self.memory {
            Some(bytes) => usize::try_from(bytes / BYTES_OF_PATH).unwrap_or(usize::MAX),
            None => usize::MAX,
        };
        let most = match self.needs_paths() {
            true => self.most_paths.map_or(needed, |most| most.min(needed)),
            false => self.most_paths.unwrap_or(MOST_PATHS).min(needed),
        };
        Kept { most, depth: self.depth.unwrap_or(Kept::ALL.depth) }
    }

    /// Refuses limits of call paths where rows are no regions of call paths.
    fn refuse_limits_without_paths(&self) -> Result<(), Failure> {
        let by = [By::Process, By::Thread, By::Node, By::Iteration, By::Request];
        let is_apart = self.calls.is_some() || by.contains(&self.by);
        let given = [
            ("--depth", self.depth.is_some() && (is_apart || self.by == By::Kernel)),
            ("--memory", self.memory.is_some() && is_apart),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => {
                let text = format!("{option} is for call paths, and these rows have none");
                Err(Failure::new(ExitCode::Usage, text))
            }
            None => Ok(()),
        }
    }

    /// Refuses limits of call paths where outputs have none, and where each location needs its own.
    fn refuse_limits(&self, reports: &Reports<'_>) -> Result<(), Failure> {
        let each = reports.of(Format::Cubex).next().is_some();
        if self.memory.is_some() && (each || self.per_location) {
            let text = "--memory is for call paths of all locations together: .cubex and --per-location take --depth";
            return Err(Failure::new(ExitCode::Usage, text));
        }
        if self.depth.is_some() && !self.needs_paths() {
            let text = "--depth is for call paths: --by callpath, or a flame graph (-o flame.svg)";
            return Err(Failure::new(ExitCode::Usage, text));
        }
        Ok(())
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
        for Wanted { name, text, .. } in &self.metric {
            option("metric", format!("{name}={text}"));
        }
        slices.into_iter().for_each(|(name, value)| option(&name, value));
        let told = self.input.told().chain(self.clock.told());
        told.for_each(|(name, value)| option(&name, value));
        self.trees.told().for_each(|(name, value)| option(name, value));
        if self.by_id {
            option("by-id", "true".to_owned());
        }
        if self.tolerant {
            option("tolerant", "true".to_owned());
        }
        if let Some(depth) = self.depth {
            option("depth", depth.to_string());
        }
        if let Some(bytes) = self.memory {
            option("memory", bytes.to_string());
        }
        if self.strict {
            option("strict", "true".to_owned());
        }
        provenance(trace, self.input.path(), options, losses)
    }
}
