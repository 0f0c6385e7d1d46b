//! `streamfold otf write` and `streamfold otf merge`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::{LayoutArgs, Place, ShapeArgs};
use crate::session::{tell_warnings, Session};
use streamfold_rewrite::otf::{self, Layout, Report, Wanted};
use streamfold_rewrite::Replacing;
use streamfold_system::exit::{ExitCode, Stop};
use streamfold_text::human;

const WRITE_EXAMPLES: &str = "\
Examples:
  streamfold otf write run.otf -o copy.otf            the same text, record by record
  streamfold otf write run.otf -o small.otf -z=9      compressed
  streamfold otf write run.otf -o long.otf --long     keywords spelled out
  streamfold otf write run.otf -o eight.otf -n 8      eight streams
  srun -n 16 streamfold otf write run.otf -o /scratch/copy.otf -n 64";

const MERGE_EXAMPLES: &str = "\
Examples:
  streamfold otf merge run.otf -o one.otf                one stream
  streamfold otf merge run.otf -o four.otf -n 4          four streams
  streamfold otf merge a.otf b.otf -o both.otf           parts of a run: processes have other numbers
  streamfold otf merge a.otf b.otf -o both.otf --apart   two runs: the later one gets other numbers
  streamfold otf merge run.otf -o mapped.otf --mapping streams.txt

A file with a mapping looks like a master file: \"1:64,65\" puts processes 64 and 65 (hexadecimal)
into stream 1. docs/use/otf-tools.md says how tokens are kept apart.";

/// Writes a trace anew, record by record
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = WRITE_EXAMPLES)]
pub(super) struct WriteArgs {
    /// The master file of the trace (.otf), or its name without ending
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    layout: LayoutArgs,
    #[command(flatten)]
    shape: ShapeArgs,
    /// End with exit code 2 and without output where anything cannot be read
    #[arg(long)]
    strict: bool,
}

/// Makes one trace of one or more, in one stream or as many as are wanted
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = MERGE_EXAMPLES)]
pub(super) struct MergeArgs {
    /// The master files of the traces (.otf), or their names without ending
    #[arg(value_name = "TRACE", required = true)]
    traces: Vec<PathBuf>,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    layout: LayoutArgs,
    #[command(flatten)]
    shape: ShapeArgs,
    /// Processes of two traces with the same number are different ones: those of the later trace get
    /// other numbers
    #[arg(long)]
    apart: bool,
    /// Leave snapshots out
    #[arg(long)]
    no_snaps: bool,
    /// Leave statistics out
    #[arg(long)]
    no_stats: bool,
    /// End with exit code 2 and without output where anything cannot be read
    #[arg(long)]
    strict: bool,
}

/// Runs `write` on all ranks.
pub(super) fn write(args: &WriteArgs, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let wanted = Wanted {
        layout: args.layout.get(Layout::AsIs).map_err(Stop::Together)?,
        shape: args.shape.get(),
        snapshots: true,
        statistics: true,
        keeps_identifier: true,
        apart: false,
    };
    let traces = std::slice::from_ref(&args.trace);
    work(session, traces, args.place.get(), &wanted, args.strict)
}

/// Runs `merge` on all ranks.
pub(super) fn merge(args: &MergeArgs, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let wanted = Wanted {
        layout: args.layout.get(Layout::Streams(1)).map_err(Stop::Together)?,
        shape: args.shape.get(),
        snapshots: !args.no_snaps,
        statistics: !args.no_stats,
        keeps_identifier: false,
        apart: args.apart,
    };
    work(session, &args.traces, args.place.get(), &wanted, args.strict)
}

/// Writes a trace of some traces, and says how it went.
pub(super) fn work(
    session: &Session<'_>,
    traces: &[PathBuf],
    place: (&Path, Replacing),
    wanted: &Wanted,
    strict: bool,
) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    session.say_who_works();
    let limits = (session.threads.count, session.common.max_open_files, strict);
    let report = otf::write(session.ranks, traces, place, wanted, limits)?;
    if let Some(report) = &report {
        tell_warnings(&report.warnings);
    }
    session.end(report, |report| summary(report, begin), |report| &report.outcome.losses)
}

/// Summarises the files that were written.
pub(super) fn summary(report: &Report, begin: Instant) -> Vec<String> {
    let mut lines = report.remarks.clone();
    let written = &report.outcome.written;
    lines.push(format!(
        "wrote {} of {} in {}, {}, {} in {:.3} s",
        human::counted(report.counts.1, ["process", "processes"]),
        human::plural(report.counts.0, "stream"),
        human::plural(written.files, "file"),
        human::plural(written.events, "event"),
        human::bytes(written.bytes.into()),
        begin.elapsed().as_secs_f64(),
    ));
    lines
}
