//! `streamfold copy`: a trace once more.

use std::path::PathBuf;
use std::time::Instant;

use super::new_archive::Place;
use crate::session::{tell_location_count, Session};
use streamfold_drive::select::{Candidate, Plan};
use streamfold_drive::Trace;
use streamfold_otf2::{ArchiveWriter, ReadOptions, WriteOptions};
use streamfold_rewrite as rewrite;
use streamfold_rewrite::copy::{self, Copying};
use streamfold_rewrite::Outcome;
use streamfold_system::exit::{ExitCode, Stop};
use streamfold_text::human;

const EXAMPLES: &str = "\
Examples:
  streamfold copy traces.otf2 -o backup/traces.otf2
  streamfold copy traces.otf2 -o new.otf2 --reencode    every record decoded and encoded again
  streamfold copy traces.otf2 -o new.otf2 --reencode --event-chunk-size 4M
  srun -n 64 streamfold copy traces.otf2 -o /scratch/traces.otf2

The new archive appears when it is whole. Files are copied as they are. With --reencode all is
read; what cannot be is told, and the new archive has everything up to there, and says how many
events that is.";

/// Copies a trace, with all ranks and threads
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The anchor file of the trace (.otf2)
    #[arg(value_name = "ANCHOR")]
    anchor: PathBuf,
    #[command(flatten)]
    place: Place,
    /// Decode every record and encode it again, instead of copying bytes: with the same chunk sizes
    /// the files of the reference library come out as they were
    #[arg(long)]
    reencode: bool,
    /// Chunk size of event and snapshot files, in bytes or with K or M: 256K to 16M [default: as it
    /// was]
    #[arg(long, value_name = "SIZE", requires = "reencode", value_parser = chunk_size)]
    event_chunk_size: Option<u64>,
    /// Chunk size of definition and marker files [default: as it was]
    #[arg(long, value_name = "SIZE", requires = "reencode", value_parser = chunk_size)]
    definition_chunk_size: Option<u64>,
    /// End with exit code 2 and without output where anything that is read cannot be used; files that
    /// are copied as they are are not read: `streamfold validate` reads them
    #[arg(long)]
    strict: bool,
}

/// A chunk size that readers take.
fn chunk_size(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.trim_end_matches(['k', 'K', 'm', 'M']) {
        digits if digits.len() == text.len() => (digits, 1),
        digits if text.ends_with(['k', 'K']) => (digits, 1 << 10),
        digits => (digits, 1 << 20),
    };
    let size = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    let size = size.filter(|_| text.len() <= digits.len() + 1);
    size.filter(|size| (256 << 10..=16 << 20).contains(size))
        .ok_or_else(|| "chunks have 256K to 16M bytes".to_owned())
}

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let ranks = session.ranks;
    let trace = rewrite::open(ranks, &args.anchor, ReadOptions::default())?;
    let copied = args.place.write(
        session,
        &[trace.source.otf2().anchor_path().to_owned()],
        args.options(&trace),
        |to| {
            let candidates = session.candidates(&trace, false)?;
            write(session, &trace, &candidates, to, args.reencode, args.strict)
        },
        |to, _| copy::finish(trace.source.otf2(), to, args.reencode),
    )?;
    if copied.is_some() {
        tell_location_count(&trace);
    }
    let summary = |outcome: &Outcome| vec![summary(outcome, begin.elapsed().as_secs_f64())];
    session.end(copied, summary, |outcome| &outcome.losses)
}

/// Copies all of a trace but its anchor.
pub(super) fn write(
    session: &Session<'_>,
    trace: &Trace,
    candidates: &[Candidate],
    to: &ArchiveWriter,
    reencode: bool,
    strict: bool,
) -> Result<Option<Outcome>, Stop> {
    let ranks = session.ranks;
    let plan = Plan::new(candidates, ranks.size());
    let workers = session.copying_workers();
    session.watch(plan.share(ranks.rank()).weight, |progress| {
        copy::copy(ranks, trace, &plan, Copying { to, reencode, strict, workers, progress })
    })
}

impl Args {
    /// As it was, where nothing else was asked for.
    fn options(&self, trace: &Trace) -> WriteOptions {
        let was = WriteOptions::of(trace.source.otf2().anchor());
        WriteOptions {
            event_chunk_size: self.event_chunk_size.unwrap_or(was.event_chunk_size),
            definition_chunk_size: self.definition_chunk_size.unwrap_or(was.definition_chunk_size),
            ..was
        }
    }
}

pub(super) fn summary(outcome: &Outcome, seconds: f64) -> String {
    let written = &outcome.written;
    let files = human::plural(written.files, "file");
    let events = match (written.events, written.unknown) {
        (0, _) => String::new(),
        (events, 0) => format!(", {}", human::plural(events, "event")),
        (events, unknown) => format!(
            ", {} ({} of kinds unknown to this version)",
            human::plural(events, "event"),
            human::plural(unknown, "record"),
        ),
    };
    let bytes = human::bytes(written.bytes.into());
    format!("wrote an anchor and {files}{events}, {bytes} in {seconds:.3} s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunk_sizes_are_bytes_or_have_a_unit() {
        assert_eq!(chunk_size("256K"), Ok(256 << 10));
        assert_eq!(chunk_size("16m"), Ok(16 << 20));
        assert_eq!(chunk_size("300000"), Ok(300_000));
        for wrong in ["", "K", "255K", "17M", "1KK", "1G", "-1M", "99999999999999999999M"] {
            assert!(chunk_size(wrong).is_err(), "{wrong}");
        }
    }
}
