//! The events of a trace as rows of a Parquet file.

use std::io::Write;
use std::num::NonZeroUsize;
use std::time::Instant;

use super::Args;
use crate::session::Session;
use crate::sink;
use crate::times;
use streamfold_collective::Solo;
use streamfold_drive::{self as drive, Folded, Job};
use streamfold_formats::ReadOptions;
use streamfold_report::parquet::events::{about, columns, EventRows, RowSink};
use streamfold_report::parquet::Rows;
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_text::human;

/// Writes the rows. Rank 0 reads one location after another, so that the file is the same for any number of
/// ranks and threads.
pub(super) fn write(args: &Args, session: &Session<'_>, begin: Instant) -> Result<ExitCode, Stop> {
    let code = session.on_root(|| write_alone(args, session, begin))?;
    Ok(session.ranks.broadcast(0, code)?)
}

fn write_alone(args: &Args, session: &Session<'_>, begin: Instant) -> Result<ExitCode, Failure> {
    let failure = |stop: Stop| stop.failure().clone();
    let trace = drive::open(&Solo, args.input.input(), ReadOptions::default()).map_err(failure)?;
    session.warn_of_notes(&trace);
    super::refuse_nothing(&trace)?;
    let output = args.place.file()?;
    let window = match &args.time[..] {
        [min, max] => Some(times::window_of([min, max], &trace)?),
        _ => None,
    };
    let job = Job::over(&Solo, trace).map_err(failure)?;
    let mut job = job.workers(NonZeroUsize::MIN).strict(args.strict).by_location();
    if let Some(window) = window {
        job = job.window(window);
    }
    let of = about(&args.input.path().to_string_lossy(), job.definitions());
    let failed = |error: std::io::Error| Failure::output(output.path(), &error);
    let (done, count) = if output.is_standard() {
        let rows = sink::rows(of);
        let mut rows = rows.ok_or_else(|| failed(std::io::Error::other(NO_ROWS)))?;
        let read = read(&job, &mut rows, session, failed)?;
        rows.end().map_err(failed)?;
        read
    } else {
        let unfinished = output.begin()?;
        let file = unfinished.open().map_err(failed)?;
        let mut rows = Rows::new(file, columns(), &of).map_err(failed)?;
        let read = read(&job, &mut rows, session, failed)?;
        rows.end().and_then(|mut file| file.flush()).map_err(failed)?;
        unfinished.finish()?;
        read
    };
    let Some(Folded { losses, .. }) = done else { return Ok(ExitCode::Done) };
    let text = format!("wrote {} in {:.3} s", human::plural(count, "row"), super::seconds(begin));
    Ok(session.conclude(&losses, &format!("streamfold: {text}")))
}

/// Why standard output gets no rows.
const NO_ROWS: &str = "rows of events need a regular file: name one with -o FILE.parquet";

/// Reads all events. Returns losses, and how many rows there are.
fn read<S: RowSink>(
    job: &Job<'_>,
    rows: &mut S,
    session: &Session<'_>,
    failed: impl Fn(std::io::Error) -> Failure,
) -> Result<(Option<Folded<()>>, u64), Failure> {
    let kernel = EventRows::new(job.definitions(), rows);
    let done = session.watch(0, |progress| job.run_watched(&kernel, progress));
    let done = done.map_err(|stop| stop.failure().clone())?;
    let count = kernel.end().map_err(failed)?;
    Ok((done, count))
}
