//! `streamfold convert`: a trace in another format.

use std::time::Instant;

use super::input::InputArgs;
use super::new_archive::Place;
use super::Session;
use crate::drive::select::Plan;
use crate::drive::Trace;
use crate::formats::otf2::{ArchiveWriter, WriteOptions};
use crate::formats::ReadOptions;
use crate::report::human;
use crate::rewrite::convert;
use crate::rewrite::copy::finish as finish_copy;
use crate::system::exit::{ExitCode, Stop};

const EXAMPLES: &str = "\
Examples:
  streamfold convert run.gist -o run.otf2          an OTF2 archive
  srun -n 64 streamfold convert run.gist -o /scratch/run.otf2
  otf2-print run.otf2                              what other tools see of it

The archive appears when it is whole: an anchor, global definitions, and the events of each location.
Profiles of the log and of the archive are the same. An OTF2 archive is copied as it is.";

/// Writes a trace of any format as an OTF2 archive, with all ranks and threads
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    place: Place,
    /// End with exit code 2 and without output where anything cannot be read
    #[arg(long)]
    strict: bool,
}

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let trace = session.open(args.input.input(), ReadOptions::default())?;
    let inputs = [trace.source.path().to_owned()];
    let candidates = session.candidates(&trace, false)?;
    session.say_who_works();
    if let Some(archive) = trace.source.archive() {
        let copied = args.place.write(
            session,
            &inputs,
            WriteOptions::of(archive.anchor()),
            |to| super::copy::write(session, &trace, &candidates, to, false, args.strict),
            |to, _| finish_copy(archive, to, false),
        )?;
        let summary = |outcome: &_| vec![super::copy::summary(outcome, seconds(begin))];
        return session.end(copied, summary, |outcome| &outcome.losses);
    }
    let plan = Plan::new(&candidates, session.ranks.size());
    let converted = args.place.write(
        session,
        &inputs,
        WriteOptions::default(),
        |to| write(session, &trace, &plan, to, args.strict),
        |to, converted| convert::finish(&trace, to, converted),
    )?;
    let summary = |converted: &convert::Converted| {
        let written = &converted.outcome.written;
        vec![format!(
            "wrote an anchor and {}, {}, {} in {:.3} s",
            human::plural(written.files, "file"),
            human::plural(written.events, "event"),
            human::bytes(written.bytes.into()),
            seconds(begin),
        )]
    };
    session.end(converted, summary, |converted| &converted.outcome.losses)
}

fn seconds(begin: Instant) -> f64 {
    begin.elapsed().as_secs_f64()
}

fn write(
    session: &Session<'_>,
    trace: &Trace,
    plan: &Plan,
    to: &ArchiveWriter,
    strict: bool,
) -> Result<Option<convert::Converted>, Stop> {
    session
        .scan(plan, strict, |scanning| convert::convert(session.ranks, trace, plan, to, scanning))
}
