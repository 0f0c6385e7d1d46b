//! `streamfold info`: what a trace says of itself, without reading events.

use std::path::{Path, PathBuf};

use super::outputs::STANDARD;
use super::Session;
use crate::analyses::info::TraceInfo;
use crate::report::human;
use crate::report::info::{json, page};
use crate::report::output::Output;
use crate::system::exit::{ExitCode, Failure, Stop};

const EXAMPLES: &str = "\
Examples:
  streamfold info traces.otf2
  streamfold info traces.otf2 --json | jq .locations.events
  streamfold info traces.otf2 --threads 8       the memory that a profile needs with 8 threads";

/// Shows what a trace says of itself, its events unread: locations, definitions, files
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The anchor file of the trace (.otf2)
    #[arg(value_name = "ANCHOR")]
    anchor: PathBuf,
    /// Write one JSON document
    #[arg(long)]
    json: bool,
}

/// Runs the command: rank 0 looks, the others wait for it.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    session.on_root(|| {
        let info = TraceInfo::read(&args.anchor, session.threads.count)?;
        let input = args.anchor.to_string_lossy();
        Output::prepare(Path::new(STANDARD))?.write(|out| match args.json {
            true => json::write(out, &input, &info),
            false => page::write(out, &input, &info),
        })?;
        info.refused.as_ref().map_or(Ok(()), |first| {
            let more = human::and_more(info.files.total().unseen - 1, " that cannot be looked at");
            Err(Failure::new(ExitCode::Io, format!("{first}{more}")))
        })
    })?;
    Ok(ExitCode::Done)
}
