//! `streamfold dfg`: which call follows on which, as a graph.

use std::collections::BTreeSet;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ValueEnum;
use regex::Regex;
use streamfold_kernels::dfg::{DfgKernel, Graph, Keeping, Log, Over};
use streamfold_model::store::Definitions;

use super::formats::{Format, Standard};
use super::numbers;
use super::outputs::{Reports, STANDARD};
use super::summary;
use super::tables::Target;
use super::{tell, tell_loss_count, warn, Session, LOSSES_TOLD};
use crate::analyses::dfg::{
    find_cases, log_of_cases, Cases, Chosen, Found, Logs, Mapping, Options, Site, Subset,
};
use crate::drive::{Folded, Job, Losses, Trace};
use crate::formats::strace::{is_log, CaseName, CasePattern, TimeForm};
use crate::formats::{self, find_format, ReadOptions};
use crate::report::dfg::{self, ColourBy, Comparison, DfgReport, Drawing, FileRow};
use crate::report::human;
use crate::report::output::Output;
use crate::report::provenance::Provenance;
use crate::system::exit::{ExitCode, Failure, Stop};

const EXAMPLES: &str = "\
An activity is a call and the first components of its path: read:/usr/lib. Cases are files that
strace wrote: CID_HOST_RID.st, with .PID behind it for each process of -ff, and .gz or .zst.
  strace -f -ttt -T -y -o run_$(hostname)_$$.st ./program

Examples:
  streamfold dfg *.st                                       what follows on what, in tables
  streamfold dfg *.st -o g.svg -o g.json                    a picture, and everything for scripts
  streamfold dfg *.st --site SCRATCH=/p/scratch --filter /p/scratch -o g.svg
  streamfold dfg *.st --compare cid=a cid=b -o g.svg        green: only in a, red: only in b
  streamfold dfg *.st --calls read,write --depth 3 --variants
  streamfold dfg traces.otf2 -o g.svg                       what any trace does to its files
  streamfold dfg traces.otf2 --over regions --filter MPI_   which region follows on which
  streamfold dfg before.otf2 after.otf2 -o g.svg            two runs: what is only in one of them
  streamfold dfg *.st --timeline read:/usr/lib -o t.svg     when that happens, by case
  mpirun -n 4 streamfold dfg logs/ -o g.csv --table edges";

/// Shows which call follows on which: the directly-follows graph of strace logs, or of any trace
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Logs of strace, folders with some, or event logs (.h5); or one trace of any format, or two that are compared
    #[arg(value_name = "LOG", required = true)]
    logs: Vec<PathBuf>,
    /// What events are: visits of regions that do something to a file, or of all regions; locations are cases
    /// [default: io where the trace has files, else regions; for logs of strace: calls]
    #[arg(long, value_enum, value_name = "WHAT")]
    over: Option<EventsAre>,
    /// How many components of paths tell files apart; 0: activities are calls
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = numbers::whole::<usize>)]
    depth: usize,
    /// A name for a part of the file system: $NAME stands for PREFIX. The first that fits counts
    #[arg(long, value_name = "NAME=PREFIX")]
    site: Vec<Site>,
    /// Only the last component of paths tells files apart
    #[arg(long, conflicts_with_all = ["site", "suffix"])]
    basename: bool,
    /// Only the suffix of paths tells files apart
    #[arg(long, conflicts_with = "site")]
    suffix: bool,
    /// Paths in which EXPRESSION is found become TEMPLATE ($1 is the first group); nothing leaves the call out
    #[arg(long, value_name = "EXPRESSION=TEMPLATE", value_parser = rewrite)]
    path_map: Vec<(String, String)>,
    /// Only files with TEXT in their paths
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Only these calls, parted by commas
    #[arg(long, value_name = "CALLS", value_delimiter = ',')]
    calls: Vec<String>,
    /// Leave out calls that failed
    #[arg(long)]
    drop_failed: bool,
    /// Bytes of send and recv count, too
    #[arg(long)]
    sockets: bool,
    /// Only these cases: cid=NAME, host=NAME, rid=N, or several of them with commas. As often as wanted
    #[arg(long, value_name = "CASES", value_parser = Subset::new)]
    cases: Vec<Subset>,
    /// Compare two sets of cases: what is only in the first, only in the second, in both
    #[arg(long, value_names = ["A", "B"], num_args = 2, value_parser = Subset::new)]
    compare: Vec<Subset>,
    /// Each process is a case of its own, rather than all of a file
    #[arg(long)]
    per_process: bool,
    /// A regular expression for names of other files, with the groups cid, host, rid, and perhaps pid
    #[arg(long, value_name = "EXPRESSION", value_parser = CasePattern::new)]
    case_pattern: Option<CasePattern>,
    /// Show the sequences of whole cases, too
    #[arg(long)]
    variants: bool,
    /// Show when an activity happens, too, by case. Pictures (.svg, .png) show that in place of the graph
    #[arg(long, value_name = "ACTIVITY")]
    timeline: Option<String>,
    /// So many rows of each table, in text
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = numbers::whole::<usize>)]
    top: usize,
    /// Where to write, by suffix: .svg and .png (the picture), .html (the same with sliders and a search), .dot, .txt, .json and .h5 (everything), .csv (the table of
    /// --table); - is standard output. As often as wanted [default: -]
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// What standard output gets [default: table]
    #[arg(long, value_enum)]
    format: Option<Standard>,
    /// Which table CSV holds [default: nodes]
    #[arg(long, value_name = "TABLE", value_parser = ["nodes", "edges", "variants", "timeline", "files"])]
    table: Option<String>,
    /// By what the picture is coloured, where nothing is compared [default: time]
    #[arg(long, value_enum, value_name = "WHAT")]
    colour: Option<Colour>,
    /// An activity that the picture leaves out; what leads to it ends in a dot. As often as wanted
    #[arg(long, value_name = "ACTIVITY")]
    hide: Vec<String>,
    /// The picture leaves out edges that are rarer, and says how many
    #[arg(long, value_name = "N", value_parser = numbers::whole::<u64>)]
    least: Option<u64>,
    /// End with exit code 2 where a line cannot be read
    #[arg(long)]
    strict: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EventsAre {
    Io,
    Regions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Colour {
    Time,
    Count,
    Bytes,
    Rate,
}

/// Outputs that show the graph.
const PICTURES: [Format; 4] = [Format::Svg, Format::Png, Format::Html, Format::Dot];

/// Reports are written so.
const REPORTS: [Format; 8] = [
    Format::Svg,
    Format::Png,
    Format::Html,
    Format::Dot,
    Format::Csv,
    Format::Json,
    Format::Hdf5,
    Format::Text,
];

fn rewrite(text: &str) -> Result<(String, String), String> {
    let (expression, template) = text.split_once('=').ok_or("expected EXPRESSION=TEMPLATE")?;
    Regex::new(expression).map_err(|error| error.to_string())?;
    Ok((expression.to_owned(), template.to_owned()))
}

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let is_log = |path: &PathBuf| {
        path.is_dir() && is_log(path) || CaseName::of(path, args.case_pattern.as_ref()).is_some()
    };
    // A file that no format claims is a log with a name of its own.
    let is_trace = |path: &PathBuf| {
        let has_name = path.extension().is_some_and(|ending| {
            ["otf2", "def"].iter().any(|known| ending.eq_ignore_ascii_case(known))
        });
        !is_log(path)
            && (path.is_dir() || has_name || find_format(&path.into()) != formats::Format::Otf2)
    };
    let are_traces = match args.logs.as_slice() {
        [trace] => is_trace(trace),
        [one, other] => is_trace(one) && is_trace(other),
        _ => false,
    };
    if args.over.is_some() || are_traces {
        return args.run_over(session);
    }
    let begin = Instant::now();
    let ranks = session.ranks;
    let reports = args.reports().map_err(Stop::Together)?;
    let options = args.options().map_err(Stop::Together)?;
    let found = session
        .is_root()
        .then(|| find_cases(&args.logs, args.case_pattern.as_ref(), &options.chosen));
    let cases = ranks.broadcast_result(0, found)?.map_err(Stop::Together)?;
    // Where nothing can be written nobody should wait for the end to learn it.
    let targets = session.on_root(|| args.targets(&reports, &cases))?;
    session.say_who_works();
    let logs = session.watch(cases.bytes() / ranks.size() as u64, |progress| {
        log_of_cases(ranks, &cases, &options, progress)
    })?;
    let memory = session.peak_memory()?;
    let finished = session.on_root(|| {
        let (Some(logs), Some(targets)) = (logs, &targets) else { return Ok(ExitCode::Done) };
        let code = args.judge(&logs)?;
        let report = args.report(logs);
        args.write(&report, targets)?;
        let lines: u64 = report.files.iter().map(|file| file.lines[0].1).sum();
        session.say(&format!(
            "streamfold: {} of {} in {:.2} s, at most {} on a rank",
            human::plural(lines, "line"),
            human::plural(report.files.len() as u64, "file"),
            begin.elapsed().as_secs_f64(),
            human::bytes(memory.into()),
        ));
        Ok(code)
    })?;
    Ok(ranks.broadcast(0, finished)?)
}

impl Args {
    /// The graph of a trace of any format, or of two that are compared.
    fn run_over(&self, session: &Session<'_>) -> Result<ExitCode, Stop> {
        let begin = Instant::now();
        let usage = |message: String| Stop::Together(Failure::new(ExitCode::Usage, message));
        if self.logs.len() > 2 {
            return Err(usage("--over reads one trace, or two that are compared".to_owned()));
        }
        for (option, given) in [
            ("--compare", !self.compare.is_empty()),
            ("--cases", !self.cases.is_empty()),
            ("--case-pattern", self.case_pattern.is_some()),
            ("--per-process", self.per_process),
            ("--sockets", self.sockets),
            ("--drop-failed", self.drop_failed),
        ] {
            if given {
                return Err(usage(format!("{option} is for logs of strace (without --over)")));
            }
        }
        let reports = self.reports().map_err(Stop::Together)?;
        let options = self.options().map_err(Stop::Together)?;
        let mut traces = Vec::new();
        for path in &self.logs {
            traces.push(session.open(path, ReadOptions::default())?);
        }
        let anchors: Vec<PathBuf> =
            traces.iter().map(|trace| trace.source.path().to_owned()).collect();
        let targets = session.on_root(|| {
            // The places are looked at for each trace.
            let targets = anchors.iter().map(|anchor| Target::reports(&reports, anchor));
            Ok(targets.collect::<Result<Vec<_>, _>>()?.swap_remove(0))
        })?;
        session.say_who_works();
        let has_files = traces.iter().any(|trace| !trace.definitions.io_handles.is_empty());
        let over = match self.over {
            Some(EventsAre::Regions) => Over::Regions,
            None if !has_files => Over::Regions,
            Some(EventsAre::Io) | None => Over::Files,
        };
        let identity = traces[0].source.identity();
        let mut logs = Vec::new();
        for trace in traces {
            logs.push(self.log_of_trace(session, trace, over, &options.mapping)?);
        }
        let finished = session.on_root(|| {
            let Some(targets) = &targets else { return Ok(ExitCode::Done) };
            let mut amount = (0, 0);
            let mut losses = Losses::default();
            let mut of_traces = Vec::new();
            for (done, resolution) in logs {
                let Some(done) = done else { return Ok(ExitCode::Done) };
                amount = (amount.0 + done.amount.events, amount.1 + done.amount.bytes);
                losses.fold(done.losses);
                of_traces.push((done.partial, resolution));
            }
            let mut provenance = self.provenance(losses.count);
            provenance.trace_identifier = identity.identifier;
            provenance.creator = identity.creator;
            let name = if over == Over::Files { "io" } else { "regions" };
            provenance.options.push(("over".to_owned(), name.to_owned()));
            let (graph, comparison) = self.graphs_of_traces(of_traces, &mut provenance);
            if graph.nodes.is_empty() && over == Over::Files && !has_files {
                warn("no handle of a file is defined: --over regions has a graph of all regions");
            }
            let report = DfgReport { provenance, graph, comparison, files: Vec::new() };
            self.write(&report, targets)?;
            let pace = summary::pace(amount.0, "", amount.1, begin);
            Ok(session.conclude(&losses, &format!("streamfold: {pace}")))
        })?;
        Ok(session.ranks.broadcast(0, finished)?)
    }

    /// The log of a trace, and its ticks in a second.
    fn log_of_trace(
        &self,
        session: &Session<'_>,
        trace: Trace,
        over: Over,
        mapping: &Mapping,
    ) -> Result<(Option<Folded<Log>>, NonZeroU64), Stop> {
        let workers = session.threads.count.min(session.common.max_open_files);
        let job = Job::over(session.ranks, trace)?.workers(workers).strict(self.strict);
        let definitions = job.definitions();
        let clock = definitions.clock.as_ref().map_or(1, |clock| clock.timer_resolution);
        let resolution = NonZeroU64::new(clock).unwrap_or(NonZeroU64::MIN);
        let keeping = Keeping { ticks_per_second: resolution, variants: self.variants };
        let of_region = Mapping { depth: 0, filter: None, ..mapping.clone() };
        let naming = |region: &str, file: Option<&str>| match over {
            Over::Files => mapping.activity(region, file),
            Over::Regions => {
                let is_wanted = mapping.filter.as_ref().is_none_or(|text| region.contains(text));
                of_region.activity(region, None).filter(|_| is_wanted)
            }
        };
        let mut kernel = DfgKernel::new(definitions, over, keeping, &naming);
        if let Some(activity) = &self.timeline {
            kernel = kernel.with_timeline(activity, definitions);
        }
        let done = session.watch(0, |progress| job.run_watched(&kernel, progress))?;
        Ok((done, resolution))
    }

    /// The graph of a trace, or of two, whose times are in nanoseconds where their clocks differ.
    fn graphs_of_traces(
        &self,
        mut of_traces: Vec<(Log, NonZeroU64)>,
        provenance: &mut Provenance,
    ) -> (Graph, Option<Comparison>) {
        const NANOSECONDS: NonZeroU64 = NonZeroU64::new(1_000_000_000).expect("more than none");
        let first = of_traces[0].1;
        let is_one_clock = of_traces.iter().all(|(_, ticks)| *ticks == first);
        let common = if is_one_clock { first } else { NANOSECONDS };
        provenance.timer_resolution = common.get();
        let mut next = || of_traces.remove(0);
        let (a, ticks) = next();
        let a = a.in_units(ticks, common);
        if self.logs.len() == 1 {
            return (a.graph(true), None);
        }
        let (b, ticks) = next();
        let b = b.in_units(ticks, common);
        // Two runs happened at different times: there is no concurrency of both.
        let whole = a.clone().fold(b.clone()).graph(false);
        let names = [&self.logs[0], &self.logs[1]].map(|path| path.display().to_string());
        (whole, Some(Comparison { names, graphs: [a.graph(true), b.graph(true)] }))
    }

    fn reports(&self) -> Result<Reports<'_>, Failure> {
        let reports = Reports::or_standard(&self.output, &REPORTS, self.format)?;
        reports.refuse_unused(("--table", self.table.is_some()), &[Format::Csv], "a .csv file")?;
        let pictures = "a picture: name one with -o graph.svg";
        for (option, given) in [
            ("--colour", self.colour.is_some()),
            ("--hide", !self.hide.is_empty()),
            ("--least", self.least.is_some()),
        ] {
            reports.refuse_unused((option, given), &PICTURES, pictures)?;
        }
        Ok(reports)
    }

    fn targets(&self, reports: &Reports<'_>, cases: &Cases) -> Result<Vec<Target>, Failure> {
        let target = |(path, format): (&Path, Format)| {
            if path != Path::new(STANDARD) && cases.has(path) {
                let message = format!("cannot write {}: it is one of the logs", path.display());
                return Err(Failure::new(ExitCode::Usage, message));
            }
            Ok(Target { output: Output::prepare(path)?, format })
        };
        reports.all().map(target).collect()
    }

    fn options(&self) -> Result<Options, Failure> {
        let usage = |message: String| Failure::new(ExitCode::Usage, message);
        let rewrites = self.path_map.iter().map(|(expression, template)| {
            let expression = Regex::new(expression).map_err(|error| usage(error.to_string()))?;
            Ok::<_, Failure>((expression, template.clone()))
        });
        let mapping = Mapping {
            sites: self.site.clone(),
            rewrites: rewrites.collect::<Result<_, _>>()?,
            depth: self.depth,
            basename: self.basename,
            suffix: self.suffix,
            filter: self.filter.clone(),
            calls: self.calls.iter().cloned().collect::<BTreeSet<_>>(),
            drop_failed: self.drop_failed,
        };
        let compared = match self.compare.as_slice() {
            [a, b] if a == b => return Err(usage(format!("{} is compared with itself", a.text()))),
            [a, b] => Some([a.clone(), b.clone()]),
            _ => None,
        };
        Ok(Options {
            mapping,
            chosen: Chosen { cases: self.cases.clone(), compared },
            by_process: self.per_process,
            sockets: self.sockets,
            variants: self.variants,
            timeline: self.timeline.clone(),
        })
    }

    /// Says what is wrong with files, and how the command ends.
    fn judge(&self, logs: &Logs) -> Result<ExitCode, Failure> {
        let files = &logs.files;
        let broken =
            files.iter().filter_map(|file| file.refused.as_ref().or(file.report.damage.as_ref()));
        let mut losses: Vec<String> = broken.map(ToString::to_string).collect();
        let lost = losses.len() as u64;
        let unparsed: u64 = files.iter().map(|file| file.report.lines.unparsed).sum();
        if self.strict {
            let lines =
                files.iter().flat_map(|file| &file.report.unparsed).map(ToString::to_string);
            if let Some(first) = losses.iter().cloned().chain(lines).next() {
                return Err(Failure::new(ExitCode::Trace, first));
            }
        }
        let all_refused = files.iter().all(|file| file.refused.is_some());
        if let Some(first) = losses.first().filter(|_| all_refused) {
            return Err(Failure::new(ExitCode::Trace, first.clone()));
        }
        losses.truncate(LOSSES_TOLD);
        losses.iter().for_each(|loss| tell(&format!("streamfold: {loss}")));
        if unparsed > 0 {
            let lines = files.iter().flat_map(|file| &file.report.unparsed);
            lines.take(3).for_each(|line| warn(&line.to_string()));
            let what = human::counted(
                unparsed,
                ["line is none that strace writes", "lines are none that strace writes"],
            );
            warn(&format!("{what}; -o graph.json counts the lines of each file by kind"));
        }
        for (what, is_it) in REMARKS {
            let of: Vec<&Found> = files.iter().filter(|file| is_it(file)).collect();
            if let Some(first) = of.first() {
                let more = human::and_more(of.len() as u64 - 1, " of that kind");
                warn(&format!("{}: {what}{more}", first.path.display()));
            }
        }
        if !logs.is_comparable() && files.len() > 1 {
            warn("times of different files cannot be compared: there is no concurrency");
        }
        if let Some(file) =
            files.iter().find(|file| !file.report.lines.add_up() && file.refused.is_none())
        {
            warn(&format!("{}: the lines by kind do not add up", file.path.display()));
        }
        match lost {
            0 => Ok(ExitCode::Done),
            lost => {
                tell_loss_count(lost);
                Ok(ExitCode::Losses)
            }
        }
    }

    fn report(&self, logs: Logs) -> DfgReport {
        let is_comparable = logs.is_comparable();
        let files = logs.files.iter().map(row).collect();
        let losses =
            logs.files.iter().filter(|file| file.refused.is_some() || file.report.damage.is_some());
        let provenance = self.provenance(losses.count() as u64);
        let [a, b, rest] = logs.parts;
        let (graph, comparison) = match self.compare.as_slice() {
            [of_a, of_b] => {
                let whole = a.clone().fold(b.clone()).fold(rest);
                let names = [of_a.text().to_owned(), of_b.text().to_owned()];
                let graphs = [a.graph(is_comparable), b.graph(is_comparable)];
                (whole.graph(is_comparable), Some(Comparison { names, graphs }))
            }
            _ => (a.fold(b).fold(rest).graph(is_comparable), None),
        };
        DfgReport { provenance, graph, comparison, files }
    }

    fn provenance(&self, loss_count: u64) -> Provenance {
        let mut options = Vec::new();
        let mut option = |name: &str, value: String| options.push((name.to_owned(), value));
        option("depth", self.depth.to_string());
        self.site.iter().for_each(|site| option("site", site.to_string()));
        self.path_map.iter().for_each(|(from, to)| option("path-map", format!("{from}={to}")));
        self.filter.iter().for_each(|text| option("filter", text.clone()));
        self.calls.iter().for_each(|call| option("calls", call.clone()));
        self.cases.iter().for_each(|cases| option("cases", cases.text().to_owned()));
        self.compare.iter().for_each(|cases| option("compare", cases.text().to_owned()));
        for (name, given) in [
            ("basename", self.basename),
            ("suffix", self.suffix),
            ("drop-failed", self.drop_failed),
            ("sockets", self.sockets),
            ("per-process", self.per_process),
        ] {
            if given {
                option(name, "true".to_owned());
            }
        }
        let first = self.logs[0].display();
        Provenance {
            program: concat!("streamfold ", env!("CARGO_PKG_VERSION")).to_owned(),
            input: format!("{first}{}", human::and_more(self.logs.len() as u64 - 1, "")),
            trace_identifier: String::new(),
            creator: "strace".to_owned(),
            options,
            timer_resolution: 1_000_000_000,
            loss_count,
            losses: Vec::new(),
        }
    }

    fn write(&self, report: &DfgReport, targets: &[Target]) -> Result<(), Failure> {
        let colour = match self.colour {
            None | Some(Colour::Time) => ColourBy::Time,
            Some(Colour::Count) => ColourBy::Count,
            Some(Colour::Bytes) => ColourBy::Bytes,
            Some(Colour::Rate) => ColourBy::Rate,
        };
        let least = self.least.unwrap_or(0);
        let (hidden, timeline) = (self.hide.clone(), self.timeline.clone());
        let drawing = Drawing { colour, hidden, least, timeline };
        if let Some(unknown) = self.hide.iter().find(|name| report.graph.find(name).is_none()) {
            warn(&format!("--hide {unknown}: there is no such activity"));
        }
        if let Some(unknown) = self.timeline.iter().find(|name| report.graph.find(name).is_none()) {
            warn(&format!("--timeline {unknown}: there is no such activity"));
        }
        let definitions = Definitions::default();
        let table = self.table.as_deref().unwrap_or("nodes");
        for target in targets {
            match target.format {
                Format::Svg => {
                    target.output.write(|out| dfg::write_svg(out, report, &drawing))?;
                }
                Format::Png => {
                    target.output.write(|out| dfg::write_png(out, report, &drawing))?;
                }
                Format::Html => {
                    target.output.write(|out| dfg::write_html(out, report, &drawing))?;
                }
                Format::Dot => {
                    target.output.write(|out| dfg::write_dot(out, report, &drawing))?;
                }
                _ => {
                    let tables = dfg::report(report, &definitions);
                    target.write(&tables, table, |out, width| {
                        dfg::write_text(out, report, &drawing, self.top, width)
                    })?;
                }
            }
        }
        Ok(())
    }
}

/// What is remarked of files, once with the first of them.
type Remark = (&'static str, fn(&Found) -> bool);

const REMARKS: [Remark; 6] = [
    ("no call names a file: record with -y", |file| {
        file.report.lines.events > 0 && !file.has_paths
    }),
    ("there are no durations: record with -T", |file| {
        let lines = &file.report.lines;
        lines.events > 0 && lines.no_duration == lines.events
    }),
    ("there are no times: record with -ttt", |file| {
        file.report.lines.events > 0 && file.report.forms.is_empty()
    }),
    ("lines do not say of which process they are: record with -o FILE", |file| {
        file.report.is_pid_unknown
    }),
    ("a number of a process was used again after its exit", |file| file.report.reused > 0),
    ("times are of different forms", |file| file.report.forms.len() > 1),
];

fn row(file: &Found) -> FileRow {
    let forms: Vec<&str> = file.report.forms.iter().map(|form: &TimeForm| form.name()).collect();
    FileRow {
        case: file.case.to_string(),
        path: file.path.display().to_string(),
        times: forms.join(" "),
        lines: file.report.lines.each().collect(),
        bytes: file.report.bytes,
    }
}
