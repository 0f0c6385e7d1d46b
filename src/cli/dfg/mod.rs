//! `streamfold dfg`: which call follows on which, as a graph.

mod logs;
mod traces;

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use regex::Regex;
use streamfold_model::store::Definitions;

use super::formats::{Format, Standard, ONE_TABLE};
use super::numbers;
use super::outputs::{OutputPath, Reports};
use super::tables::Target;
use crate::session::{warn, Session};
use streamfold_analyses::dfg::{Chosen, Mapping, Options, Site, Subset};
use streamfold_formats::strace::{CaseName, CasePattern};
use streamfold_formats::{self as formats, find_format};
use streamfold_report::dfg::{self, ColourBy, DfgReport, Drawing};
use streamfold_report::provenance::Provenance;
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_text::human;

const EXAMPLES: &str = "\
An activity is a call and the first components of its path: read:/usr/lib. Cases are files that
strace wrote, with any names; CID_HOST_RID.st says what ran and where, with .PID behind it for each
process of -ff, and .gz or .zst.
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
    /// Number of rows of each table, in text
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = numbers::whole::<usize>)]
    top: usize,
    /// Where to write, by suffix: .svg and .png (the picture), .html (the same with sliders and a search), .dot, .txt,
    /// .json and .h5 (everything), .csv and .parquet (the table of --table); - is standard output. As often as wanted [default: -]
    #[arg(short, long, value_name = "FILE")]
    output: Vec<OutputPath>,
    /// What standard output gets [default: table]
    #[arg(long, value_enum)]
    format: Option<Standard>,
    /// Table that CSV and Parquet hold [default: nodes]
    #[arg(long, value_name = "TABLE", value_parser = ["nodes", "edges", "variants", "timeline", "files"])]
    table: Option<String>,
    /// By what the picture is coloured, where nothing is compared [default: time]
    #[arg(long, value_enum, value_name = "WHAT")]
    colour: Option<Colour>,
    /// An activity that the picture leaves out; what leads to it ends in a dot. As often as wanted
    #[arg(long, value_name = "ACTIVITY")]
    hide: Vec<String>,
    /// The picture leaves out edges that are rarer, and says how many. By itself it leaves out those that it has no room
    /// for
    #[arg(long, value_name = "N", value_parser = numbers::whole::<u64>)]
    least: Option<u64>,
    /// The picture has so many activities at most: those with the most time. A page has a slider for more of them
    #[arg(long, value_name = "N", value_parser = numbers::files)]
    most: Option<NonZeroUsize>,
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

/// Activities of a picture where nobody says how many: as many as people can follow.
const MOST: usize = 40;

/// Outputs that show the graph.
const PICTURES: [Format; 4] = [Format::Svg, Format::Png, Format::Html, Format::Dot];

/// Reports are written so.
const REPORTS: [Format; 9] = [
    Format::Svg,
    Format::Png,
    Format::Html,
    Format::Dot,
    Format::Csv,
    Format::Parquet,
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
        CaseName::of(path, args.case_pattern.as_ref()).is_some()
            || find_format(&path.into()) == formats::Format::Strace
    };
    // A file that no format claims is a log with a name of its own.
    let is_trace = |path: &PathBuf| {
        let has_name = has_ending_of_trace(path);
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
    args.run_logs(session)
}

/// Returns whether a file has the name of a trace, packed or not. Its contents do not count.
fn has_ending_of_trace(path: &Path) -> bool {
    let is_one_of = |path: &Path, endings: &[&str]| {
        path.extension().is_some_and(|it| endings.iter().any(|one| it.eq_ignore_ascii_case(one)))
    };
    let is_packed = is_one_of(path, &["gz", "zst"]);
    let name = if is_packed { path.file_stem().map(Path::new) } else { Some(path) };
    let endings = ["otf2", "def", "otf", "gist", "pfw", "json"];
    name.is_some_and(|name| is_one_of(name, &endings))
}

impl Args {
    fn reports(&self) -> Result<Reports<'_>, Failure> {
        let reports = Reports::or_standard(&self.output, &REPORTS, self.format)?;
        reports.refuse_unused(("--table", self.table.is_some()), &ONE_TABLE, "a .csv file")?;
        let pictures = "a picture: name one with -o graph.svg";
        for (option, given) in [
            ("--colour", self.colour.is_some()),
            ("--hide", !self.hide.is_empty()),
            ("--least", self.least.is_some()),
            ("--most", self.most.is_some()),
        ] {
            reports.refuse_unused((option, given), &PICTURES, pictures)?;
        }
        Ok(reports)
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
        let most = self.most.map_or(MOST, NonZeroUsize::get);
        let drawing = Drawing { colour, hidden, least, most, timeline };
        if let Some(unknown) = self.hide.iter().find(|name| report.graph.find(name).is_none()) {
            warn(&format!("--hide {unknown}: there is no such activity"));
        }
        if let Some(unknown) = self.timeline.iter().find(|name| report.graph.find(name).is_none()) {
            warn(&format!("--timeline {unknown}: there is no such activity"));
        }
        // A page has the graph beside any time line.
        let shows_graph = |target: &Target| match target.format {
            Format::Svg | Format::Png => self.timeline.is_none(),
            format => format == Format::Html,
        };
        if targets.iter().any(shows_graph) {
            dfg::left_out(report, &drawing).iter().for_each(|what| warn(what));
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
