//! `streamfold report`: one page that answers.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ValueHint;
use streamfold_kernels::account::{RowsBy, TimeRows};
use streamfold_kernels::io::{IoOptions, APPLICATION};
use streamfold_kernels::matching::{Chosen, Processes};
use streamfold_model::ids::LocationRef;

use super::formats::Format;
use super::input::{ClockArgs, InputArgs};
use super::memory_limit::MemoryLimit;
use super::references::{lose_undefined, provenance};
use super::summary;
use super::tables::{refuse_losses, Target};
use super::time_line::{self, TimeLinePasses};
use crate::outputs::{OutputPath, STANDARD};
use crate::session::Session;
use streamfold_analyses::account::{self, AccountQuery, RowsQuery};
use streamfold_analyses::critical::{CriticalPath, PathQuery};
use streamfold_analyses::waitstates::{OverTime, WaitQuery};
use streamfold_analyses::{io, matching, waitstates};
use streamfold_drive::select::Plan;
use streamfold_drive::{self as drive, Job, Losses, Trace};
use streamfold_formats::{Input, ReadOptions};
use streamfold_report::efficiency::Run;
use streamfold_report::matching::MatrixOf;
use streamfold_report::page::{ComparisonPage, PageReport};
use streamfold_report::redact::Redaction;
use streamfold_report::time_line::{Visits, MARKS, MESSAGES};
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_system::memory;
use streamfold_text::human;

const TRACES: &str = "\
The trace, as a file or a folder; a second one is a later run of the program: the page says what changed since the first";

const EXAMPLES: &str = "\
Examples:
  streamfold report traces.otf2                         writes traces.html
  streamfold report traces.otf2 -o run-17.html
  streamfold report dftracer-logs/ -o report.html
  streamfold report traces.otf2 --title run-17 --redact  without names of folders, hosts, users
  streamfold report before.otf2 after.otf2 -o diff.html  what changed
  srun -n 64 streamfold report traces.otf2 -o report.html";

/// Writes one page that answers: verdict, efficiencies, processes, time, regions, waits, messages, files; given two
/// traces, what changed
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("trace", |trace| trace.num_args(1..=2).help(TRACES)))]
pub(super) struct Args {
    /// The page: an HTML file that needs no network [default: the name of the trace with .html, here]. - is
    /// standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<OutputPath>,
    /// The title of the page [default: the name of the program]
    #[arg(long, value_name = "TEXT", value_hint = ValueHint::Other)]
    title: Option<String>,
    /// Leave folders, and names of hosts and users, out of the page, to share it
    #[arg(long)]
    redact: bool,
    /// A time line that one can zoom, of up to 16 MB, on the page of one trace
    #[arg(long, value_name = "WHETHER", value_enum, default_value = "yes")]
    time_line: Whether,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Whether {
    Yes,
    No,
}

/// Parts of the time.
const BINS: u32 = 200;
/// Rows of a heat map at most, and squares on a side of the matrix: of one run, and of each of two. Some 20 bytes of
/// SVG for each box, were all different, are less than 2 MB.
const ROWS: [u32; 2] = [256, 112];
const SQUARES: [usize; 2] = [160, 96];

/// Waits that are shown one by one, of each kind.
const WORST: usize = 10;

/// Sections of the critical path that are shown one by one.
const LONGEST: usize = 10;

/// Kinds of what travels between ranks at a time, at most.
const BOXES: u64 = 16;

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let page = args.page();
    let is_standard = page == Path::new(STANDARD);
    let known = Format::of(&page, &[Format::Html]).map_err(Stop::Together)?;
    if known.is_none() && !is_standard {
        let message = "a page is HTML: name it with -o FILE.html, or - for standard output";
        return Err(Stop::Together(Failure::new(ExitCode::Usage, message)));
    }
    let mut target = None;
    let mut runs = Vec::new();
    let mut names = Vec::new();
    for input in args.inputs() {
        let is_alone = args.input.paths().len() == 1;
        let (input, options) = (args.clock.of(input), ReadOptions::default());
        let trace = match is_alone {
            true => session.open(input, options)?,
            false => session.open_side(input, options)?,
        };
        // Prepares the outputs first: an output that cannot be written is reported before the trace is read.
        let prepared = session.on_root(|| {
            if !is_standard {
                session.paths.refuse(&[&page])?;
            }
            Target::prepare(&page, Format::Html)
        })?;
        if target.is_none() {
            session.say_who_works();
            target = prepared;
        }
        let of_folder = if is_alone { trace.source.runs() } else { &[] };
        names = of_folder.iter().map(|(name, _)| name.clone()).collect();
        let [first, .., last] = of_folder else {
            runs.push(args.find(session, trace, input.path, (is_alone, None))?);
            continue;
        };
        for (name, locations) in [first, last] {
            let part = trace.only(ReadOptions::default(), locations);
            runs.push(args.find(session, part, input.path, (false, Some(name)))?);
        }
    }
    let memory = session.peak_memory()?;
    let finished = session.on_root(|| {
        let runs: Option<Vec<Findings>> = runs.into_iter().collect();
        let (Some(runs), Some(target)) = (runs, target) else { return Ok(ExitCode::Done) };
        let of = usize::from(runs.len() > 1);
        let title = args.title.as_deref();
        let of_run = |run| Findings::report(run, title, SQUARES[of], ROWS[of]);
        let reports: Vec<PageReport<'_>> = runs.iter().map(of_run).collect();
        target.output.write(|out| match &reports[..] {
            [before, after] => ComparisonPage { before, after, runs: &names }.write(out),
            reports => reports.iter().try_for_each(|report| report.write(out)),
        })?;
        if !is_standard {
            session.say(&format!("streamfold: wrote {}", page.display()));
        }
        let mut losses = Losses::default();
        runs.iter().for_each(|run| losses.fold(run.waits.losses.clone()));
        let sum = |of: fn(&Findings) -> u64| runs.iter().map(of).sum::<u64>();
        let (events, bytes) =
            (sum(|run| run.waits.amount.events), sum(|run| run.waits.amount.bytes));
        let pace = summary::pace(events, "", bytes, begin);
        let memory = summary::memory(memory.max(memory::peak()), sum(|run| run.waits.spilled));
        Ok(session.conclude(&losses, &format!("streamfold: {pace}, {memory}")))
    })?;
    Ok(session.ranks.broadcast(0, finished)?)
}

/// Findings on a trace.
struct Findings {
    run: Run,
    waits: waitstates::Outcome,
    critical: Option<(CriticalPath, account::Outcome)>,
    matched: Option<matching::Outcome>,
    files: Option<io::Outcome>,
    visits: Option<Visits>,
    warnings: Vec<String>,
}

impl Findings {
    fn report<'a>(&'a self, title: Option<&'a str>, squares: usize, rows: u32) -> PageReport<'a> {
        PageReport {
            run: &self.run,
            waits: &self.waits,
            critical: self.critical.as_ref(),
            matched: self.matched.as_ref(),
            io: self.files.as_ref(),
            definitions: &self.run.definitions,
            provenance: &self.run.provenance,
            title,
            warnings: &self.warnings,
            squares,
            longest: None,
            rows,
            visits: self.visits.as_ref(),
        }
    }
}

impl Args {
    /// The traces, the earlier one first.
    fn inputs(&self) -> Vec<Input<'_>> {
        self.input.apart()
    }

    /// Returns the path of the page.
    fn page(&self) -> PathBuf {
        let named = || {
            let name = self.input.path().file_stem().map(|name| name.to_os_string());
            PathBuf::from(name.unwrap_or_else(|| "report".into())).with_extension("html")
        };
        self.output.as_deref().map_or_else(named, Path::to_owned)
    }

    /// All that a page says of a trace; on rank 0. `is_alone`: with the critical path. `part`: the name of the run, of
    /// several in a folder.
    fn find(
        &self,
        session: &Session<'_>,
        trace: Trace,
        path: &Path,
        (is_alone, part): (bool, Option<&str>),
    ) -> Result<Option<Findings>, Stop> {
        let ranks = session.ranks;
        let workers = session.threads.count.min(session.common.max_open_files);
        let outside_computes = trace.source.regions_are_system_calls();
        let plan = Plan::new(&drive::weigh(ranks, &trace)?, ranks.size());
        let is_zoomed = is_alone && self.time_line == Whether::Yes;
        let zoomed = is_zoomed.then(|| time_line::rows(&trace.definitions, RowsBy::Process, None));
        let over_time = zoomed.as_ref().map(|of| {
            let rows = TimeRows::new(&trace.definitions, of.by, of.only, of.rows);
            OverTime::OfRun(rows, of.bins)
        });
        let mut waits = session.scan(&plan, self.strict, |scanning| {
            let room = self.limit.room(session, BOXES, 0);
            let by_path =
                PathQuery::ByCallPath { longest: LONGEST, if_it_moves: true, cells: None };
            let critical = is_alone.then_some(by_path);
            let (worst, flights) = if is_zoomed { (MARKS, MESSAGES) } else { (WORST, 0) };
            let query = WaitQuery {
                worst,
                flights,
                critical,
                over_time: over_time.clone(),
                ..WaitQuery::new(&room)
            };
            waitstates::run(ranks, &trace, &plan, scanning, &query)
        })?;
        let matched = session.scan(&plan, self.strict, |scanning| {
            let room = self.limit.room(session, BOXES, 0);
            let processes = Processes::new(&trace.definitions);
            let chosen = Chosen::new(None::<std::iter::Empty<LocationRef>>, None, &processes);
            matching::run(ranks, &trace, &plan, scanning, &chosen, MatrixOf::Process.pairs(), &room)
        })?;
        let job = Job::over(ranks, trace)?.workers(workers).strict(self.strict);
        let room = MemoryLimit::default().room(session, account::BOXES, 0);
        let settled = waits.as_ref().and_then(|waits| waits.bins);
        let settled = ranks.broadcast(0, Some(settled).filter(|_| ranks.rank() == 0))?;
        let rows = match zoomed {
            Some(rows) => RowsQuery { settled, ..rows },
            None => RowsQuery {
                by: RowsBy::Process,
                rows: ROWS[usize::from(!is_alone)],
                bins: BINS,
                settled,
                only: None,
                marked: Vec::new(),
                metric: None,
            },
        };
        let query = AccountQuery {
            rows: Some(rows.clone()),
            devices: Some(&room),
            ..AccountQuery::default()
        };
        let critical = waits.as_mut().map(|waits| waits.critical.take());
        let critical: Option<CriticalPath> = ranks.broadcast(0, critical)?;
        // A path that stays at one location is not shown.
        let critical = critical.filter(|path| path.sections.len() > 1);
        let sections = critical.as_ref().map(CriticalPath::visits);
        let accounted = session.watch(0, |progress| match sections {
            Some(sections) => account::run_with_sections(&job, &query, sections, progress)
                .map(|found| found.map(|(all, of_path)| (all, Some(of_path)))),
            None => account::run(&job, &query, progress).map(|found| found.map(|all| (all, None))),
        })?;
        let (accounted, of_path) = accounted.unzip();
        let of_path = of_path.flatten().map(account::Outcome::from);
        let critical = critical.zip(of_path);
        let files = session.watch(0, |progress| {
            let options = IoOptions {
                outside_computes,
                application: APPLICATION.map(str::to_owned).to_vec(),
                bins: BINS,
                rows: ROWS[usize::from(!is_alone)],
                leaves_out: &|_| false,
            };
            let room = self.limit.room(session, io::BOXES, 0);
            io::run(&job, &options, &room, workers.get(), progress)
        })?;
        let visits = match is_zoomed {
            true => {
                let (rows, strict) = (&rows, self.strict);
                let (window, windows) = (None, None);
                let passes = TimeLinePasses { session, job: &job, rows, window, windows, strict };
                let critical = critical.as_ref().map(|(path, _)| path);
                passes.visits(accounted.as_ref(), waits.as_ref(), critical)?
            }
            false => None,
        };
        session
            .on_root(|| {
                let (Some(mut waits), Some(mut outcome)) = (waits, accounted) else {
                    return Ok(None);
                };
                if is_zoomed {
                    outcome.add_waits(&waits.states.over_time);
                }
                let mut definitions = job.definitions().clone();
                waits.states.profile.define_own(&mut definitions);
                lose_undefined(
                    (job.trace(), &definitions),
                    &waits.states.profile,
                    &mut waits.losses,
                );
                refuse_losses(self.strict, &waits.losses)?;
                let told: Vec<(String, String)> =
                    self.input.told().chain(self.clock.told()).collect();
                let mut provenance = provenance(job.trace(), path, told, &waits.losses);
                let (count, notes) = job.trace().source.notes();
                let mut warnings: Vec<String> =
                    notes.iter().map(|note| note.about.to_string()).collect();
                let more = count.saturating_sub(warnings.len() as u64);
                warnings.extend(
                    (more > 0).then(|| format!("and {} more of that kind", human::count(more))),
                );
                if self.redact {
                    let redaction = Redaction::new(&definitions);
                    redaction.apply(&mut definitions);
                    provenance.input = redaction.text(&provenance.input);
                    let texts = provenance.losses.iter_mut().chain(&mut warnings);
                    texts.for_each(|text| *text = redaction.text(text));
                }
                let run = Run::new(outcome, definitions, provenance, true);
                let run = run.of_part(part.map(str::to_owned));
                Ok(Some(Findings { run, waits, critical, matched, files, visits, warnings }))
            })
            .map(Option::flatten)
    }
}
