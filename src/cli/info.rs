//! `streamfold info`: what a trace says of itself, without reading its events.

use std::path::Path;

use streamfold_kernels::iterations::LoopsKernel;

use super::input::InputArgs;
use super::outputs::STANDARD;
use super::references::provenance_of;
use super::sink::{hand_over, has_sink};
use crate::session::{tell_losses, warn_of, write_text, Session};
use streamfold_analyses::info::{Level, TraceInfo};
use streamfold_drive::Job;
use streamfold_formats::ReadOptions;
use streamfold_output::Output;
use streamfold_report::definitions;
use streamfold_report::info::{json, page};
use streamfold_report::iterations::LoopReport;
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_text::human;

const EXAMPLES: &str = "\
Examples:
  streamfold info traces.otf2
  streamfold info traces.otf2 --json | jq .locations.events
  streamfold info traces.otf2 --loops           which region is the body of the main loop
  streamfold info run.gist                      a log: what it defines, and what is lost of it
  streamfold info run.otf --level 4             OTF 1: records, streams, counters, and all names
  streamfold info traces.otf2 --threads 8       the memory that a profile needs with 8 threads";

/// Shows what a trace says of itself, its events unread: locations, definitions, files
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Write one JSON document
    #[arg(long)]
    json: bool,
    /// How much is told of a trace of OTF 1. 1 and 2: what definitions say; 3: also what is in all files, which are
    /// read; 4: also all names
    #[arg(short, long, value_name = "LEVEL", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u8).range(0..=4))]
    level: u8,
    /// Propose the region that is the body of the main loop: visited again and again by all processes.
    /// Reads all events
    #[arg(long, conflicts_with = "json")]
    loops: bool,
    #[command(flatten)]
    input: InputArgs,
}

impl Args {
    fn level(&self) -> Level {
        match self.level {
            0..=2 => Level::Definitions,
            3 => Level::Records,
            _ => Level::Names,
        }
    }
}

/// Runs the command: rank 0 looks, the others wait for it.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    if args.loops {
        return loops(args, session);
    }
    let ended = session.on_root(|| {
        let info = TraceInfo::read(&args.input.input(), session.threads.count, args.level())?;
        let input = args.input.path().to_string_lossy();
        if has_sink() {
            hand_over_definitions(args, &info)?;
        }
        let output = Output::prepare(Path::new(STANDARD))?;
        match args.json {
            true => output.write(|out| json::write(out, &input, &info))?,
            false => write_text(&output, |out, width| page::write(out, &input, &info, width))?,
        }
        if let Some(first) = &info.refused {
            let more = human::and_more(info.files.total().unseen - 1, " that cannot be looked at");
            return Err(Failure::new(ExitCode::Io, format!("{first}{more}")));
        }
        warn_of(info.notes.0, info.notes.1.iter().cloned());
        if info.losses.is_empty() {
            return Ok(ExitCode::Done);
        }
        tell_losses(&info.losses);
        Ok(ExitCode::Losses)
    })?;
    Ok(session.ranks.broadcast(0, ended)?)
}

/// Hands all definitions of locations and regions to who called this command.
fn hand_over_definitions(args: &Args, info: &TraceInfo) -> Result<(), Failure> {
    let resolution = info.clock.as_ref().map(|clock| clock.timer_resolution).filter(|it| *it > 0);
    let (identity, told) = (info.identity.clone(), args.input.told().collect());
    let about = provenance_of(identity, resolution, args.input.path(), told, &info.losses);
    let tables = definitions::tables(info, &about);
    hand_over(&tables, "locations")
}

/// Looks for the body of the main loop, on all ranks.
fn loops(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let trace = session.open(args.input.input(), ReadOptions::default())?;
    session.say_who_works();
    let workers = session.threads.count.min(session.common.max_open_files);
    let job = Job::over(session.ranks, trace)?.workers(workers);
    let done = session.watch(0, |progress| job.run_watched(&LoopsKernel, progress))?;
    let code = session.on_root(|| {
        let Some(done) = &done else { return Ok(ExitCode::Done) };
        let input = &args.input.path().to_string_lossy();
        let report = LoopReport { found: &done.partial, definitions: job.definitions(), input };
        let output = Output::prepare(Path::new(STANDARD))?;
        write_text(&output, |out, width| report.write_text(out, width))?;
        if done.losses.is_empty() {
            return Ok(ExitCode::Done);
        }
        tell_losses(&done.losses);
        Ok(ExitCode::Losses)
    })?;
    Ok(session.ranks.broadcast(0, code)?)
}
