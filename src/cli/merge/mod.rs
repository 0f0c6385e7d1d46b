//! `streamfold merge`: many traces become one.

mod origins;

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::new_archive::Place;
use super::unify;
use super::unify::How;
use crate::outputs::OutputPath;
use crate::session::{own_input, warn, Session};
use streamfold_formats::anchor_of;
use streamfold_otf2::{ArchiveWriter, ReadOptions, WriteOptions};
use streamfold_rewrite::merge::{self, Align, Decisions, Overlap};
use streamfold_rewrite::unify::{Phases, Report};
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_system::paths;
use streamfold_text::human;

const EXAMPLES: &str = "\
Examples:
  streamfold merge a/traces.otf2 b/traces.otf2 -o both/traces.otf2
  streamfold merge node*/traces.otf2 -o all.otf2 --link         the event files get a second name
  streamfold merge --list archives.txt -o all.otf2              one path in each line; - reads them
  streamfold merge a.otf2 b.otf2 -o both.otf2 --align start     both begin at the same time
  streamfold merge --list archives.txt -o all.otf2 --origins whose.csv
  srun -n 64 streamfold merge --list archives.txt -o /scratch/all.otf2

Locations keep their numbers where no two traces use the same one, as ranks of different programs
stay apart. docs/rules/merge.md has the rules.";

/// Makes one trace of many, with one set of definitions
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The anchor files of the traces (.otf2), or folders with one trace each
    #[arg(value_name = "ANCHOR", required_unless_present = "list")]
    anchors: Vec<PathBuf>,
    /// A file with the paths of more anchor files, one in each line; - for standard input
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
    /// What times of different traces have in common [default: realtime where all have real time stamps,
    /// else start]
    #[arg(long, value_name = "WHAT")]
    align: Option<Align>,
    /// Give files that stay as they are a second name (hard link) in place of a copy, where the file
    /// system can: whoever changes one then changes both
    #[arg(long)]
    link: bool,
    /// Write the events anew, with global numbers and aligned times, and leave neither mapping tables nor
    /// clock offsets
    #[arg(long)]
    rewrite_events: bool,
    /// Write what has become of the locations, ranks and clocks of each trace as a table (CSV); - for
    /// standard output. A file that is there is replaced with --force alone
    #[arg(long, value_name = "FILE")]
    origins: Option<OutputPath>,
    /// End with exit code 2 and without output where anything that is read cannot be used; files that
    /// are copied as they are are not read: `streamfold validate` reads them
    #[arg(long)]
    strict: bool,
}

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let ranks = session.ranks;
    let anchors = traces(args, session)?;
    let prepare = |path| args.place.table(path, &anchors);
    let table = session.on_root(|| args.origins.as_deref().map(prepare).transpose())?;
    let merging = merge::open(ranks, &anchors, args.align, ReadOptions::default())?;
    for line in warnings(&merging.decisions) {
        if session.is_root() {
            warn(&line);
        }
    }
    let options = WriteOptions::of(merging.first().archive.anchor());
    let Args { link, rewrite_events, strict, .. } = *args;
    let how = How { link, rewrite_events, is_merged: true, strict };
    let work =
        |to: &ArchiveWriter| how.watched(session, to, |unifying| merging.write(ranks, unifying));
    let finish = |to: &ArchiveWriter, (report, _): &(Report, Phases)| merging.finish(to, report);
    let written = args.place.write(session, &anchors, options, work, finish)?;
    session.on_root(|| match (&written, table.flatten()) {
        (Some(_), Some(table)) => {
            table.write(|out| origins::write(out, &anchors, &merging.decisions))
        }
        _ => Ok(()),
    })?;
    unify::end(session, written, |report, phases| {
        let seconds = begin.elapsed().as_secs_f64();
        summary(&anchors, &merging.decisions, report, phases, seconds)
    })
}

/// The anchors of all traces, as rank 0 knows them.
fn traces(args: &Args, session: &Session<'_>) -> Result<Vec<PathBuf>, Stop> {
    let read = session.on_root(|| {
        let mut paths = args.anchors.clone();
        if let Some(list) = &args.list {
            paths.extend(listed(list)?);
        }
        if paths.is_empty() {
            return Err(Failure::new(ExitCode::Usage, "no trace is given".to_owned()));
        }
        Ok(paths.iter().map(|path| anchor_of(path)).collect::<Vec<_>>())
    })?;
    let read = read.map(|all| all.iter().map(|path| paths::to_bytes(path)).collect::<Vec<_>>());
    Ok(session.ranks.broadcast(0, read)?.into_iter().map(paths::from_bytes).collect())
}

/// The paths in a file, one in each line.
fn listed(list: &Path) -> Result<Vec<PathBuf>, Failure> {
    let lines = |reader: &mut dyn BufRead| -> std::io::Result<Vec<PathBuf>> {
        let lines = reader.split(b'\n').collect::<Result<Vec<_>, _>>()?;
        let lines = lines.iter().map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        Ok(lines
            .filter(|line| !line.is_empty())
            .map(|line| paths::from_bytes(line.to_vec()))
            .collect())
    };
    let read = match list == Path::new("-") {
        true => lines(&mut own_input()?.lock()),
        false => {
            std::fs::File::open(list).and_then(|file| lines(&mut std::io::BufReader::new(file)))
        }
    };
    read.map_err(|error| Failure::new(ExitCode::Io, format!("{}: {error}", list.display())))
}

/// Warns of decisions that the user may not want.
fn warnings(decisions: &Decisions) -> Vec<String> {
    const TOLD: usize = 10;
    let mut lines = Vec::new();
    let overlaps = &decisions.overlaps;
    lines.extend(overlaps.iter().take(TOLD).map(overlap));
    if overlaps.len() > TOLD {
        let more = human::count((overlaps.len() - TOLD) as u64);
        lines.push(format!("and {more} more such traces"));
    }
    for (all, what) in [(&decisions.lists, "lists"), (&decisions.hosts, "hosts")] {
        lines.extend(all.iter().take(TOLD).cloned());
        if all.len() > TOLD {
            lines.push(format!("and {} more such {what}", human::count((all.len() - TOLD) as u64)));
        }
    }
    if decisions.apart > 0 {
        let of = human::plural(decisions.apart, "run");
        let text = "are moved against each other, as if each had a clock of its own: --align none keeps them";
        lines.push(format!("parts of {of} {text}"));
    }
    if decisions.with_snapshots > 0 {
        let of = human::plural(decisions.with_snapshots, "trace");
        lines
            .push(format!("snapshots and thumbnails of {of} are left out: they are not about all"));
    }
    lines
}

fn overlap(Overlap { one, other, both, are_cut }: &Overlap) -> String {
    let (one, other) = (one.display(), other.display());
    let same = match are_cut {
        true => format!("cut out of the same trace as {one}, and location {both} is in both parts"),
        false => format!("the same trace identifier as {one}, and location {both} as well"),
    };
    format!("{other}: {same}: the same events may be there twice")
}

/// Summarises the decisions, their result, and the time of each phase.
fn summary(
    anchors: &[PathBuf],
    decisions: &Decisions,
    report: &Report,
    phases: &Phases,
    seconds: f64,
) -> Vec<String> {
    let locations = human::plural(report.locations, "location");
    let mut lines = vec![format!(
        "{} of {}, {locations}",
        human::plural(anchors.len() as u64, "trace"),
        human::plural(decisions.runs, "run"),
    )];
    lines.push(aligned(decisions));
    lines.extend(origins::lines(anchors, decisions));
    if decisions.renamed > 0 {
        let text = "have other numbers now, since two had the same";
        lines
            .push(format!("the locations of {} {text}", human::plural(decisions.renamed, "trace")));
    }
    if decisions.other_chunks > 0 {
        let of = human::plural(decisions.other_chunks, "trace");
        lines.push(format!(
            "the files of {of} are written anew, with chunks of the first trace's size"
        ));
    }
    lines.extend([unify::definitions(report), unify::tables(report)]);
    lines.extend(unify::ending(report, phases, seconds));
    lines
}

/// How times were aligned.
fn aligned(decisions: &Decisions) -> String {
    let how = match decisions.align {
        Align::Realtime => "aligned by real time stamps",
        Align::Start
            if decisions.lacks_real_time && decisions.runs == 1 && decisions.apart == 0 =>
        {
            "those of one clock"
        }
        Align::Start => "aligned by their starts",
        Align::None => "not aligned",
    };
    let why = match decisions.lacks_real_time {
        true => " (not all have real time stamps)",
        false => "",
    };
    let retimed = match decisions.retimed {
        0 => "all as they were".to_owned(),
        retimed => format!("those of {} are others now", human::plural(retimed, "trace")),
    };
    let resolution = human::count(decisions.resolution);
    format!("times are {how}{why}, {resolution} ticks per second: {retimed}")
}
