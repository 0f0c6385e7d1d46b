//! `streamfold otf aux`: snapshots, statistics, thumbnails.

use std::path::PathBuf;
use std::time::Instant;

use super::write::summary;
use crate::numbers;
use crate::outputs::OutputPath;
use crate::session::{tell_warnings, Session};
use streamfold_rewrite::otf::samples::{sample, Samples};
use streamfold_rewrite::Replacing;
use streamfold_system::exit::{ExitCode, Stop};

const EXAMPLES: &str = "\
Examples:
  streamfold otf aux run.otf -o with.otf --all         a copy with all of them
  streamfold otf aux run.otf --statistics -n 50        50 points of time, beside the trace
  streamfold otf aux run.otf --snapshots -p 1000000    a snapshot every million ticks
  streamfold otf aux run.otf --statistics --funcgroups --filegroups

Without --snapshots, --statistics, --thumbnail and --all there are snapshots and a thumbnail.
Without -o files are added beside the trace, and its definitions say so.";

/// Adds snapshots, statistics and a thumbnail, with which tools begin to read anywhere
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The master file of the trace (.otf), or its name without ending
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Write a copy of the trace with them in place of adding them to it
    #[arg(short, long, value_name = "OUT")]
    output: Option<OutputPath>,
    /// Replace what is there already, once the new files are whole
    #[arg(long)]
    force: bool,
    /// Snapshots: open functions, messages under way, open files, values of counters
    #[arg(long)]
    snapshots: bool,
    /// Statistics: sums from the begin of the trace up to each point of time
    #[arg(long)]
    statistics: bool,
    /// A thumbnail: the function of each process at points of time
    #[arg(long)]
    thumbnail: bool,
    /// Snapshots, statistics and a thumbnail
    #[arg(long)]
    all: bool,
    /// Write snapshots among the events, in a copy
    #[arg(long, requires = "output")]
    inline_snapshots: bool,
    /// Give sends the time, length and place of their receives as key-values, in a copy
    #[arg(long, requires = "output")]
    match_messages: bool,
    /// Number of points of time [default: 200, where nothing else says when]
    #[arg(short = 'n', long, value_name = "N", value_parser = numbers::whole::<u64>)]
    count: Option<u64>,
    /// At most so many ticks from one point of time to the next
    #[arg(short, long, value_name = "TICKS", value_parser = numbers::whole::<u64>)]
    period: Option<u64>,
    /// One more point of time, in ticks
    #[arg(short = 't', long = "at", value_name = "TICKS", value_parser = numbers::whole::<u64>)]
    times: Vec<u64>,
    /// Statistics of groups of functions in place of functions
    #[arg(long)]
    funcgroups: bool,
    /// Statistics of groups of files in place of files
    #[arg(long)]
    filegroups: bool,
    /// Points of time in the thumbnail
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = numbers::whole::<u64>)]
    thumbnail_samples: u64,
    /// Processes in the thumbnail, at most
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = numbers::whole::<usize>)]
    thumbnail_procs: usize,
}

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let asked = [args.snapshots, args.statistics, args.thumbnail, args.all];
    let nothing = !asked.contains(&true);
    let wanted = Samples {
        snapshots: args.snapshots || args.inline_snapshots || args.all || nothing,
        statistics: args.statistics || args.all,
        inline: args.inline_snapshots,
        matches: args.match_messages,
        thumbnail: args.thumbnail || args.all || nothing,
        count: args.count,
        period: args.period,
        times: args.times.clone(),
        function_groups: args.funcgroups,
        file_groups: args.filegroups,
        thumbnail_samples: args.thumbnail_samples,
        thumbnail_processes: args.thumbnail_procs,
    };
    let replacing = if args.force { Replacing::Forced } else { Replacing::Refused };
    let open_files = session.common.max_open_files;
    let limits = (session.threads.count.min(open_files), open_files);
    session.say_who_works();
    let to = (args.output.as_deref(), replacing);
    let report = sample(session.ranks, &args.trace, to, &wanted, limits)?;
    if let Some(report) = &report {
        tell_warnings(&report.warnings);
    }
    session.end(report, |report| summary(report, begin), |report| &report.outcome.losses)
}
