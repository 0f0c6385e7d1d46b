//! `streamfold unify`: one set of definitions for a trace.

use std::path::PathBuf;
use std::time::Instant;

use super::new_archive::Place;
use crate::session::{tell_warnings, Session};
use streamfold_otf2::{ArchiveWriter, ReadOptions, WriteOptions};
use streamfold_rewrite::unify::{self, Counts, Input, Links, Phase, Phases, Report, Unifying};
use streamfold_system::exit::{ExitCode, Stop};
use streamfold_text::human;

const EXAMPLES: &str = "\
Examples:
  streamfold unify traces.otf2 -o unified/traces.otf2
  streamfold unify traces.otf2 -o unified/traces.otf2 --link     the event files get a second name
  streamfold unify traces.otf2 -o unified.otf2 --rewrite-events  no mapping tables
  srun -n 64 streamfold unify traces.otf2 -o unified/traces.otf2

What says the same becomes one definition, whether single locations define it or the trace defines
it more than once. docs/rules/unify.md has the rules.";

/// Makes one set of definitions of those that locations have for themselves
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The anchor file of the trace (.otf2), or a folder with one trace
    #[arg(value_name = "ANCHOR")]
    anchor: PathBuf,
    #[command(flatten)]
    place: Place,
    /// Give files that stay as they are a second name (hard link) in place of a copy, where the file
    /// system can: whoever changes one then changes both
    #[arg(long)]
    link: bool,
    /// Write the events anew, with global numbers, and leave no mapping tables
    #[arg(long)]
    rewrite_events: bool,
    /// End with exit code 2 and without output where anything that is read cannot be used; files that
    /// are copied as they are are not read: `streamfold validate` reads them
    #[arg(long)]
    strict: bool,
}

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let ranks = session.ranks;
    let archive = unify::open(ranks, &args.anchor, ReadOptions::default())?;
    let options = WriteOptions::of(archive.anchor());
    let inputs = [Input::alone(archive)];
    let [input] = &inputs;
    let Args { link, rewrite_events, strict, .. } = *args;
    let how = How { link, rewrite_events, is_merged: false, strict };
    let work = |to: &ArchiveWriter| {
        how.watched(session, to, |unifying| unify::unify(ranks, &inputs, unifying))
    };
    let finish =
        |to: &ArchiveWriter, (report, _): &(Report, Phases)| unify::finish(input, to, report);
    let paths = [input.archive.anchor_path().to_owned()];
    let written = args.place.write(session, &paths, options, work, finish)?;
    end(session, written, |report, phases| summary(report, phases, begin.elapsed().as_secs_f64()))
}

/// How definitions of one trace or of many become one set.
#[derive(Clone, Copy, Debug)]
pub(super) struct How {
    pub link: bool,
    pub rewrite_events: bool,
    pub is_merged: bool,
    pub strict: bool,
}

impl How {
    /// Does it, of which those who watch are told how far it is.
    pub(crate) fn watched<T>(
        self,
        session: &Session<'_>,
        to: &ArchiveWriter,
        unify: impl FnOnce(Unifying<'_>) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let How { link, rewrite_events, is_merged, strict } = self;
        let workers = session.copying_workers();
        session.watch(0, |progress| {
            unify(Unifying { to, link, rewrite_events, is_merged, strict, workers, progress })
        })
    }
}

/// Says what was found and written, and what is odd.
pub(super) fn end(
    session: &Session<'_>,
    written: Option<(Report, Phases)>,
    summary: impl FnOnce(&Report, &Phases) -> Vec<String>,
) -> Result<ExitCode, Stop> {
    if let Some((report, _)) = &written {
        tell_warnings(&report.warnings);
    }
    let summary = |(report, phases): &(Report, Phases)| summary(report, phases);
    session.end(written, summary, |(report, _)| &report.outcome.losses)
}

/// Summarises the definitions that were found and written, and the time of each phase.
fn summary(report: &Report, phases: &Phases, seconds: f64) -> Vec<String> {
    let mut lines = vec![found(report)];
    lines.push(definitions(report));
    lines.extend(by_kind(report));
    lines.push(tables(report));
    lines.extend(ending(report, phases, seconds));
    lines
}

/// How many definitions there were, and are.
pub(super) fn definitions(report: &Report) -> String {
    format!(
        "{}: {} global, {} of locations; now {} global",
        human::plural(report.global.total() + report.local.total(), "definition"),
        human::count(report.global.total()),
        human::count(report.local.total()),
        human::count(report.after.total()),
    )
}

/// How many mapping tables there are.
pub(super) fn tables(report: &Report) -> String {
    let kept = match report.kept_tables {
        0 => String::new(),
        kept => format!("; {} as they were", human::count(kept)),
    };
    format!(
        "{} written{kept}; {} not, since every number stays the same",
        human::plural(report.tables, "mapping table"),
        human::count(report.identities),
    )
}

/// Reports the undefined references that remain, and the time of each phase.
pub(super) fn ending(report: &Report, phases: &Phases, seconds: f64) -> Vec<String> {
    let mut lines = Vec::new();
    if report.joined > 0 {
        let joined = human::plural(report.joined, "communicator");
        lines.push(format!("{joined} between two groups, written as two: told by their messages"));
    }
    if report.lists > 0 {
        let paradigms = human::plural(report.lists, "paradigm");
        lines.push(format!(
            "lists of locations with ranks differed from location to location for {paradigms}: joined"
        ));
    }
    if report.references > 0 {
        let references = human::counted(report.references, ["reference", "references"]);
        lines.push(format!("{references} to what is not defined, or in a circle: undefined now"));
    }
    lines.extend(links(&report.links));
    let memory = phases.0.last().map_or(0, |phase| phase.memory);
    let phases = phases.0.iter().map(|Phase { name, seconds, memory }| {
        format!("{name} {seconds:.3} s, {}", human::bytes((*memory).into()))
    });
    lines.push(phases.collect::<Vec<_>>().join("; "));
    let written = &report.outcome.written;
    lines.push(format!(
        "wrote an anchor and {}, {} in {seconds:.3} s, at most {} of memory on a rank",
        human::plural(written.files, "file"),
        human::bytes(written.bytes.into()),
        human::bytes(memory.into()),
    ));
    lines
}

/// Reports the files that should get a second name, and the copies in place of links.
fn links(links: &Links) -> Option<String> {
    let Links { linked, copied, why } = links;
    let names = human::counted(*linked, ["file has a second name", "files have a second name"]);
    match why {
        None if *linked == 0 => None,
        None => Some(names),
        Some(why) => {
            let copied = human::counted(*copied, ["was copied", "were copied"]);
            Some(format!("{names}, {copied}: {why}"))
        }
    }
}

/// Describes the kind of the trace.
fn found(report: &Report) -> String {
    let locations = human::plural(report.locations, "location");
    let of = |count: u64| match count == report.locations {
        true => "all".to_owned(),
        false => human::count(count),
    };
    let mut found = Vec::new();
    if report.ununified > 0 {
        found.push(format!("{} with definitions of their own", of(report.ununified)));
    }
    if report.mapped > 0 {
        found.push(format!("{} with mapping tables", of(report.mapped)));
    }
    if report.missing_definitions > 0 {
        found.push(format!("{} that no global definition has", of(report.missing_definitions)));
    }
    if report.doubled > 0 {
        let doubled = human::counted(report.doubled, ["definition says", "definitions say"]);
        found.push(format!("{doubled} what other global ones say"));
    } else if report.renumbered > 0 {
        found.push("global definitions with the same number".to_owned());
    }
    match found.is_empty() {
        true => format!("{locations}: the definitions are one set already"),
        false => format!("{locations}: {}", found.join(", ")),
    }
}

/// A line for each kind whose number has changed.
fn by_kind(report: &Report) -> Vec<String> {
    let Counts(mut before) = report.global.clone();
    for (name, count) in &report.local.0 {
        *before.entry(name.clone()).or_default() += count;
    }
    let now = |name: &str| report.after.0.get(name).copied().unwrap_or(0);
    let changed = before.iter().filter(|(name, count)| now(name) != **count);
    changed
        .map(|(name, count)| {
            format!("  {name}: {} -> {}", human::count(*count), human::count(now(name)))
        })
        .collect()
}
