//! `streamfold snapshots`: points at which readers can begin, and a thumbnail, for an archive.

use std::path::PathBuf;
use std::time::Instant;

use super::numbers;
use crate::session::{warn, Session};
use streamfold_drive::in_order::read_options;
use streamfold_kernels::snapshots::{Interval, Oddities};
use streamfold_otf2::ReadOptions;
use streamfold_rewrite as rewrite;
use streamfold_rewrite::snapshots::{self, Report, Writing};
use streamfold_system::exit::{ExitCode, Stop};
use streamfold_text::human;

const EXAMPLES: &str = "\
Examples:
  streamfold snapshots traces.otf2                    10 of them
  streamfold snapshots -n 100 traces.otf2
  streamfold snapshots --period 1000000 traces.otf2   one every 1000000 ticks
  streamfold print traces.otf2                        shows them behind the events

A snapshot is the state of each location at a point of time: open regions, messages under way,
values of metrics. Readers of a part of the trace begin there. Snapshots that the archive has are
replaced. The thumbnail shows in how many locations each region is the innermost one, over time; it
comes behind those that there are.";

/// Adds snapshots and a thumbnail to an OTF2 archive
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The trace: the anchor of an OTF2 archive (.otf2), or a folder with one
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Number of snapshots at most, at the same distance [default: 10, without --period]
    #[arg(short = 'n', long, alias = "number", value_name = "N", value_parser = from_one)]
    count: Option<u64>,
    /// A snapshot every so many ticks; with --count what gives more of them counts
    #[arg(short, long, value_name = "TICKS", value_parser = from_one)]
    period: Option<u64>,
    /// End with exit code 2, and change nothing, where anything of the events cannot be read
    #[arg(long)]
    strict: bool,
}

fn from_one(text: &str) -> Result<u64, String> {
    let number = numbers::whole(text).ok().filter(|number| *number > 0);
    number.ok_or_else(|| "a whole number from 1 is expected".to_owned())
}

/// Runs the command: rank 0 reads and writes, the others wait for it.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let mut trace = rewrite::open(session.ranks, &args.trace, ReadOptions::default())?;
    let locations = trace.definitions.locations.len();
    let options = read_options(locations, session.common.max_open_files);
    trace.source = trace.source.with_options(options);
    let interval = Interval { count: args.count, period: args.period };
    let Args { strict, .. } = *args;
    let written = session.watch(0, |progress| {
        let writing = Writing { interval, keep_open: options.keep_open, strict, progress };
        session.on_root(|| snapshots::write(&trace, writing))
    })?;
    if let Some(report) = &written {
        warn_of_oddities(report.oddities);
    }
    let summary = |report: &Report| summary(report, begin.elapsed().as_secs_f64());
    session.end(written, summary, |report| &report.losses)
}

fn warn_of_oddities(Oddities { open, unmatched }: Oddities) {
    if open > 0 {
        let visits = human::counted(open, ["visit of a region", "visits of regions"]);
        warn(&format!("{visits} never left: the region around was left first"));
    }
    if unmatched > 0 {
        let leaves = human::counted(unmatched, ["leave of a region", "leaves of regions"]);
        warn(&format!("{leaves} not entered, which changed nothing"));
    }
}

fn summary(report: &Report, seconds: f64) -> Vec<String> {
    let mut lines = Vec::new();
    let span = match report.span {
        Some((first, last)) if first == last => format!(", at {first}"),
        Some((first, last)) => format!(", from {first} to {last}"),
        None => String::new(),
    };
    let replaced = match report.replaced {
        0 => String::new(),
        number => format!(", in place of {}", human::count(number.into())),
    };
    lines.push(format!(
        "{} of {}{span}{replaced}",
        human::plural(report.snapshots.into(), "snapshot"),
        human::plural(report.locations, "location"),
    ));
    lines.push(match report.thumbnail {
        Some(number) => format!("thumbnail {number}: region activity"),
        None => "no thumbnail: no regions are defined for the whole trace, or too many".to_owned(),
    });
    lines.push(format!("{} read in {seconds:.3} s", human::plural(report.events, "event")));
    lines
}
