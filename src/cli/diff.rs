//! `streamfold diff`: what takes more or less time than before.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ValueEnum;

use super::formats::Format;
use super::memory_limit::MemoryLimit;
use super::outputs::{OutputPath, Reports};
use super::references::resolution;
use super::slices::Slices;
use super::tables::Target;
use super::trees::Trees;
use super::{numbers, profile, waitstates};
use crate::session::{tell, tell_losses, warn, Session};
use streamfold_analyses::compare::{compare, earlier, runs, CompareBy, Run, TimeOf};
use streamfold_analyses::profile::Profiled;
use streamfold_drive::Losses;
use streamfold_report::diff::{junit, markdown, text, DiffReport, Limits};
use streamfold_report::flame;
use streamfold_system::exit::{ExitCode, Failure, Stop};

const EXAMPLES: &str = "\
Examples:
  streamfold diff old/traces.otf2 new/traces.otf2     which regions became slower or faster
  streamfold diff old.json new.json                   reports of streamfold profile -o old.json
  streamfold diff old.otf2 new.otf2 --by callpath --inclusive
  streamfold diff old.otf2 new.otf2 --by waits        wait states
  streamfold diff --before a.otf2 b.otf2 c.otf2 --after d.otf2 e.otf2 f.otf2
                                                      repeated runs: their spread is noise
  streamfold diff old.json new.otf2 --fail-over 10%   exit code 6 where a region became slower
  streamfold diff old.otf2 new.otf2 -o diff.md -o junit.xml
  streamfold diff old.otf2 new.otf2 -o changes.svg    a flame graph: red takes more time than before";

/// Compares runs: what takes more or less time than before, by region, call path or wait state
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The run before and the run after: each a trace of any format, or a report that `streamfold profile`
    /// or `streamfold waitstates` wrote as JSON
    #[arg(value_names = ["BEFORE", "AFTER"], num_args = 2)]
    runs: Vec<PathBuf>,
    /// Runs before, where there are several
    #[arg(long, value_name = "FILE", num_args = 1..)]
    before: Vec<PathBuf>,
    /// Runs after, where there are several
    #[arg(long, value_name = "FILE", num_args = 1..)]
    after: Vec<PathBuf>,
    /// What the rows are [default: region; callpath for flame graphs, waits for reports of waitstates]
    #[arg(long, value_enum)]
    by: Option<CompareBy>,
    /// Compare times with what is called from there, rather than those of regions alone
    #[arg(long)]
    inclusive: bool,
    /// End with exit code 6 where anything takes more time than before by more than this, as 10%
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    fail_over: Option<f64>,
    /// Hide and forgive changes below this part of the time of all locations before
    #[arg(long, value_name = "PERCENT", default_value = "1%", value_parser = percent)]
    min: f64,
    /// Number of rows, in text
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = numbers::whole::<usize>)]
    top: usize,
    /// Where to write, by suffix: .txt, .md, .csv, .json, .xml (test cases of JUnit), .parquet, .h5;
    /// .svg and .png (a flame graph of what changed), .folded (folded stacks of it); - is standard output. As often as wanted [default: -]
    #[arg(short, long, value_name = "FILE")]
    output: Vec<OutputPath>,
    /// What standard output gets [default: table]
    #[arg(long, value_enum)]
    format: Option<DiffFormat>,
    /// End with exit code 2 at the first thing that cannot be read
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    slices: Slices,
    #[command(flatten)]
    trees: Trees,
    #[command(flatten)]
    limit: MemoryLimit,
}

/// What standard output gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DiffFormat {
    Table,
    Markdown,
    Csv,
    Json,
    /// Test cases
    Junit,
}

impl From<DiffFormat> for Format {
    fn from(format: DiffFormat) -> Format {
        match format {
            DiffFormat::Table => Format::Text,
            DiffFormat::Markdown => Format::Markdown,
            DiffFormat::Csv => Format::Csv,
            DiffFormat::Json => Format::Json,
            DiffFormat::Junit => Format::JUnit,
        }
    }
}

/// Reports are written so.
const REPORTS: [Format; 10] = [
    Format::Markdown,
    Format::Csv,
    Format::Json,
    Format::JUnit,
    Format::Svg,
    Format::Png,
    Format::Folded,
    Format::Parquet,
    Format::Hdf5,
    Format::Text,
];

/// Of these, flame graphs.
const FLAMES: [Format; 3] = [Format::Svg, Format::Png, Format::Folded];

/// A part of a whole: `10%`, `2.5`.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim().parse::<f64>().ok();
    let number = number.filter(|number| number.is_finite() && *number >= 0.0);
    number.map(|number| number / 100.0).ok_or_else(|| "a number of percent: 10%".to_owned())
}

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let ranks = session.ranks;
    let reports = Reports::or_standard(&args.output, &REPORTS, args.format);
    let reports = reports.map_err(Stop::Together)?;
    let sides = args.sides().map_err(Stop::Together)?;
    let earlier = session.on_root(|| earlier_reports(&sides))?;
    let earlier: Vec<Option<String>> = ranks.broadcast(0, earlier)?;
    let by = args.by(&reports, &earlier).map_err(Stop::Together)?;
    let all: Vec<&Path> = sides.iter().flatten().copied().collect();
    let targets = session.on_root(|| Target::reports(&reports))?;
    session.say_who_works();
    let mut found = Vec::new();
    let mut lossy = false;
    for (path, earlier) in all.iter().zip(&earlier) {
        let run = match earlier {
            Some(_) => session.on_root(|| earlier::run(path, by, args.time()))?,
            None => args.run_of_trace(session, path, by)?,
        };
        lossy |= ranks.broadcast(0, run.as_ref().map(|run| run.losses > 0))?;
        let name = path.display().to_string();
        found.extend(run.map(|run| Run { name, ..run }));
    }
    let code = session.on_root(|| {
        let Some(targets) = &targets else { return Ok(ExitCode::Done) };
        let (before, after) = found.split_at(sides[0].len());
        warn_of_options(&found);
        let comparison = compare(before, after);
        let limits = Limits { fail_over: args.fail_over, min: args.min };
        let report = DiffReport::new(by, [before, after], &comparison, limits, args.told(by));
        args.write(&report, targets)?;
        session.say(&format!(
            "streamfold: {} compared in {:.3} s",
            streamfold_text::human::plural(found.len() as u64, "run"),
            begin.elapsed().as_secs_f64(),
        ));
        let failures = report.failures();
        for failure in &failures {
            tell(&format!("streamfold: too much time: {failure}"));
        }
        Ok(match failures.is_empty() {
            false => ExitCode::Slower,
            true if lossy => ExitCode::Losses,
            true => ExitCode::Done,
        })
    })?;
    Ok(ranks.broadcast(0, code)?)
}

/// Whose report each run is, where it is one.
fn earlier_reports(sides: &[Vec<&Path>; 2]) -> Result<Vec<Option<String>>, Failure> {
    let of = |path: &&Path| match earlier::is_report(path) {
        true => earlier::command_of(path).map(|command| Some(command.to_owned())),
        false => Ok(None),
    };
    sides.iter().flatten().map(of).collect()
}

/// Warns where reports were made with other options than each other.
fn warn_of_options(runs: &[Run]) {
    let Some(first) = runs.first() else { return };
    let told = |run: &Run| {
        let options =
            run.options.iter().filter(|(name, _)| !["worst", "strict"].contains(&&**name));
        options.cloned().collect::<Vec<_>>()
    };
    if let Some(other) = runs.iter().find(|run| told(run) != told(first)) {
        let (one, other) = (&first.name, &other.name);
        warn(&format!(
            "{one} and {other} were made with different options: rows may differ by that"
        ));
    }
}

impl Args {
    /// The runs before and after.
    fn sides(&self) -> Result<[Vec<&Path>; 2], Failure> {
        let sides = [(self.runs.first(), &self.before), (self.runs.get(1), &self.after)];
        let sides = sides.map(|(one, more)| {
            one.into_iter().chain(more).map(PathBuf::as_path).collect::<Vec<_>>()
        });
        if sides.iter().any(Vec::is_empty) {
            let text = "name a run before and a run after: streamfold diff BEFORE AFTER, or --before FILE… --after FILE…";
            return Err(Failure::new(ExitCode::Usage, text));
        }
        Ok(sides)
    }

    fn by(&self, reports: &Reports<'_>, earlier: &[Option<String>]) -> Result<CompareBy, Failure> {
        let waits = earlier.iter().flatten().any(|command| command == "waitstates");
        if let Some((path, _)) = reports.all().find(|(_, format)| FLAMES.contains(format)) {
            let is_fit = self.by.is_none_or(|by| by == CompareBy::Callpath) && !self.inclusive;
            if !is_fit || waits {
                let text = format!(
                    "{} is to show call paths and their own times: --by callpath of traces or reports of profile, without --inclusive",
                    path.display()
                );
                return Err(Failure::new(ExitCode::Usage, text));
            }
            return Ok(CompareBy::Callpath);
        }
        let by = self.by.unwrap_or(if waits { CompareBy::Waits } else { CompareBy::Region });
        if by == CompareBy::Waits && self.inclusive {
            let text = "--inclusive is for regions and call paths: classes and waits have the time of their parts always";
            return Err(Failure::new(ExitCode::Usage, text));
        }
        Ok(by)
    }

    fn time(&self) -> TimeOf {
        match self.inclusive {
            true => TimeOf::Inclusive,
            false => TimeOf::Exclusive,
        }
    }

    /// Returns the options that were given, by their names.
    fn told(&self, by: CompareBy) -> Vec<(String, String)> {
        let by = by.to_possible_value().map(|by| by.get_name().to_owned()).unwrap_or_default();
        let mut told = vec![("by".to_owned(), by)];
        if self.inclusive {
            told.push(("inclusive".to_owned(), "true".to_owned()));
        }
        if let Some(part) = self.fail_over {
            told.push(("fail-over".to_owned(), format!("{}%", 100.0 * part)));
        }
        told.push(("min".to_owned(), format!("{}%", 100.0 * self.min)));
        told.extend(self.slices.told(None));
        told.extend(self.trees.told().map(|(name, value)| (name.to_owned(), value)));
        told
    }

    /// A run that is a trace; on rank 0.
    fn run_of_trace(
        &self,
        session: &Session<'_>,
        path: &Path,
        by: CompareBy,
    ) -> Result<Option<Run>, Stop> {
        if by == CompareBy::Waits {
            if self.slices.any() || self.trees.any() {
                let text = "--by waits compares whole traces: options of what is counted are for regions and call paths";
                return Err(Stop::Together(Failure::new(ExitCode::Usage, text)));
            }
            let found = waitstates::of_trace(path, &self.limit, self.strict, session)?;
            return Ok(found.map(|(resolution, outcome, account)| {
                let run = runs::of_waits(&outcome.states, &account, resolution);
                self.lose(run, &outcome.losses)
            }));
        }
        let slices = (self.slices.clone(), self.trees);
        let is_callpath = by == CompareBy::Callpath;
        let found = profile::of_trace(path, is_callpath, slices, self.strict, session)?;
        Ok(found.map(|Profiled { trace, profile, losses }| {
            let resolution = resolution(&trace).unwrap_or(1);
            let run = runs::of_profile(&profile, &trace.definitions, resolution, by, self.time());
            let options = self.slices.told(None);
            let told = self.trees.told().map(|(name, value)| (name.to_owned(), value));
            self.lose(Run { options: options.into_iter().chain(told).collect(), ..run }, &losses)
        }))
    }

    /// Says what was lost.
    fn lose(&self, run: Run, losses: &Losses) -> Run {
        if !losses.is_empty() {
            tell_losses(losses);
        }
        Run { losses: losses.count, ..run }
    }

    fn write(&self, report: &DiffReport<'_>, targets: &[Target]) -> Result<(), Failure> {
        let tables = report.table_report();
        targets.iter().try_for_each(|target| match target.format {
            Format::Markdown => target.output.write(|out| markdown::write(out, report, self.top)),
            Format::JUnit => target.output.write(|out| junit::write(out, report)),
            format @ (Format::Svg | Format::Png) => {
                let svg = report.flame_graph();
                target.output.write(|out| flame::write_picture(out, &svg, format == Format::Png))
            }
            Format::Folded => target.output.write(|out| report.write_folded(out)),
            _ => target
                .write(&tables, "rows", |out, width| text::write(out, report, self.top, width)),
        })
    }
}
