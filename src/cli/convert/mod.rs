//! `streamfold convert`: a trace in another format.

#[cfg(feature = "hdf5")]
mod event_log;
#[cfg(not(feature = "hdf5"))]
#[path = "no_event_log.rs"]
mod event_log;
mod event_rows;
mod goal;

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use clap::ArgAction;
use flate2::write::GzEncoder;
use flate2::Compression;
use streamfold_kernels::critical::Section;
use streamfold_kernels::timeline::{Timeline, TimelineCounts, TimelineKernel, TimelineWanted};
use streamfold_kernels::Window;
use streamfold_model::store::Definitions;

use super::critical;
use super::formats::Format;
use super::input::InputArgs;
use super::memory_limit::MemoryLimit;
use super::new_archive::Place;
use super::numbers;
use super::outputs::STANDARD;
use super::times::{self, Moment};
use crate::session::Session;
use streamfold_drive::select::Plan;
use streamfold_drive::{Folded, Job, Trace};
use streamfold_formats::strace::event_log::is_event_log;
use streamfold_formats::{Loss, ReadOptions};
use streamfold_otf2::{ArchiveWriter, WriteOptions};
use streamfold_output::taken;
use streamfold_report::timeline::{self as picture, TimelineFormat};
use streamfold_rewrite::convert;
use streamfold_rewrite::copy::finish as finish_copy;
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_text::human;

const EXAMPLES: &str = "\
Examples:
  streamfold convert run.gist -o run.otf2          an OTF2 archive
  srun -n 64 streamfold convert run.gist -o /scratch/run.otf2
  streamfold convert traces.otf2 -o t.pftrace      a picture for ui.perfetto.dev
  streamfold convert traces.otf2 -o t.json.gz --time 1.5s 1.6s
                                                   Chrome trace events, of 100 ms
  streamfold convert traces.otf2 -o e.parquet      a row for each event, for pandas and DuckDB
  streamfold convert *.st -o log.h5                an event log of strace logs, for pandas
  streamfold convert traces.otf2 -o run.otf        a trace of OTF, version 1
  streamfold convert traces.otf2 -o run.goal       the communication graph, for LogGOPSim

An archive appears when it is whole: an anchor, global definitions, and the events of each location.
Profiles of the log and of the archive are the same. An OTF2 archive is copied as it is.";

const OUTPUT: &str = "\
Where to write, by suffix: the anchor of an archive (.otf2), the master file of OTF, version 1 (.otf), a time line \
for Perfetto (.pftrace), Chrome trace events (.json, .json.gz), a row for each event (.parquet), an event log of \
strace logs (.h5), or a schedule for LogGOPSim (.goal)";

const MEMORY: &str = "\
Of schedules: what each rank may hold in memory, as 500MB or 4GiB; what is more goes to temporary files (in the folder \
that TMPDIR names) [default: half of what the job has]";

/// Writes a trace of any format as an OTF2 archive, as OTF 1, a time line, rows of events, an event log, or a schedule
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("output", |option| option.value_name("FILE").help(OUTPUT)))]
#[command(mut_arg("memory", |option| option.help(MEMORY)))]
#[command(mut_arg("force", |option| option.help("Replace what is there already, once the new file is whole")))]
pub(crate) struct Args {
    #[command(flatten)]
    place: Place,
    /// Of time lines and rows: from MIN up to, not at, MAX since the begin of the trace (1.5s, 20ms, 3us), in
    /// ticks (1234), parts of the run (40%), dates, begin, end
    #[arg(long, num_args = 2, value_names = ["MIN", "MAX"], action = ArgAction::Set)]
    time: Vec<Moment>,
    /// Of time lines: flows along the critical path, from section to section, as streamfold critical finds it
    #[arg(long)]
    critical_path: bool,
    /// Of time lines: keep at most so many visits, ends of messages and values. The shortest visits
    /// are left out
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    #[arg(value_parser = numbers::whole::<u64>)]
    max_events: u64,
    /// End with exit code 2 and without output where anything cannot be read
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    limit: MemoryLimit,
}

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let is_schedule = args.place.path().extension().is_some_and(|ending| ending == "goal");
    if is_schedule && args.time.is_empty() {
        return goal::write(args, session, begin);
    }
    goal::refuse_memory(args).map_err(Stop::Together)?;
    if let Some(format) = viewer(args.place.path()) {
        return timeline(args, session, format, begin);
    }
    if is_event_log(args.place.path()) {
        return event_log::write(args, session, begin);
    }
    let is_taken = args.place.path() == Path::new(STANDARD) && taken::is_taken();
    if is_taken || Format::Parquet.is_of(args.place.path()) {
        return event_rows::write(args, session, begin);
    }
    if !args.time.is_empty() {
        let text =
            "--time is for time lines and rows: `streamfold cut` writes a part of an archive";
        return Err(Stop::Together(Failure::new(ExitCode::Usage, text)));
    }
    if args.place.path().extension().is_some_and(|ending| ending == "otf") {
        return super::otf::convert(&args.input, &args.place, session, args.strict);
    }
    let trace = session.open(args.input.input(), ReadOptions::default())?;
    refuse_nothing(&trace).map_err(Stop::Together)?;
    let inputs = args.input.paths();
    let candidates = session.candidates(&trace, false)?;
    session.say_who_works();
    if let Some(archive) = trace.source.archive() {
        let copied = args.place.write(
            session,
            inputs,
            WriteOptions::of(archive.anchor()),
            |to| crate::copy::write(session, &trace, &candidates, to, false, args.strict),
            |to, _| finish_copy(archive, to, false),
        )?;
        let summary = |outcome: &_| vec![crate::copy::summary(outcome, seconds(begin))];
        return session.end(copied, summary, |outcome| &outcome.losses);
    }
    let plan = Plan::new(&candidates, session.ranks.size());
    let converted = args.place.write(
        session,
        inputs,
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

/// Refuses a trace without locations: what is made of it would be no trace.
///
/// # Errors
///
/// When there are none. The first loss is named: it may be why.
pub(super) fn refuse_nothing(trace: &Trace) -> Result<(), Failure> {
    if !trace.definitions.locations.is_empty() {
        return Ok(());
    }
    let what = format!("{}: there is no event", trace.source.path().display());
    Err(nothing(&what, trace.source.losses().1.first()))
}

/// Why nothing is converted. The first loss may be the reason.
fn nothing(what: &str, loss: Option<&Loss>) -> Failure {
    let loss = loss.map_or_else(String::new, |loss| format!(". The first loss: {loss}"));
    Failure::new(ExitCode::Trace, format!("{what}, and nothing to convert{loss}"))
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

/// The format of a viewer that a file has by its name.
fn viewer(path: &Path) -> Option<TimelineFormat> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    match () {
        () if ends(&[".pftrace", ".perfetto-trace"]) => Some(TimelineFormat::Perfetto),
        () if ends(&[".json", ".json.gz"]) => Some(TimelineFormat::Chrome),
        () => None,
    }
}

/// Writes a time line: what there is, is counted, then as much as is wanted is kept.
fn timeline(
    args: &Args,
    session: &Session<'_>,
    format: TimelineFormat,
    begin: Instant,
) -> Result<ExitCode, Stop> {
    let trace = session.open(args.input.input(), ReadOptions::default())?;
    refuse_nothing(&trace).map_err(Stop::Together)?;
    let output = session.on_root(|| args.place.file())?;
    let window = match &args.time[..] {
        [min, max] => times::window_of([min, max], &trace),
        _ => Ok(Window::ALL),
    };
    let window = window.map_err(Stop::Together)?;
    session.say_who_works();
    let workers = session.threads.count.min(session.common.max_open_files);
    let job = Job::over(session.ranks, trace)?.workers(workers).strict(args.strict);
    let run = |wanted: TimelineWanted| {
        let kernel = TimelineKernel::new(wanted);
        session.watch(0, |progress| job.run_watched(&kernel, progress))
    };
    let nothing = TimelineWanted::counted(window);
    let counted = run(nothing)?;
    let counts = counted.map(|counted| counted.partial.counts);
    let counts = session.ranks.broadcast(0, counts)?;
    let messages = counts.messages <= args.max_events / 2;
    let values = counts.values <= args.max_events / 4;
    let others =
        if messages { counts.messages } else { 0 } + if values { counts.values } else { 0 };
    let (shortest, kept) = counts.shortest(args.max_events - others);
    let shortest = Some(shortest);
    let wanted = TimelineWanted { shortest, messages, values, ..TimelineWanted::counted(window) };
    let found = run(wanted.clone())?;
    let part = (!args.time.is_empty()).then_some(window);
    let path = match args.critical_path {
        true => critical::of_trace(session, job.trace(), part, args.strict)?,
        false => None,
    };
    let code = session.on_root(|| {
        let (Some(found), Some(output)) = (&found, &output) else { return Ok(ExitCode::Done) };
        let Folded { partial, losses, .. } = found;
        let path = path.as_ref().map_or(&[][..], |path| &path.sections);
        let is_packed = args.place.path().extension().is_some_and(|ending| ending == "gz");
        output.write(|out| {
            write_picture(out, (is_packed, format), partial, path, job.definitions())
        })?;
        for line in left_out(&counts, kept, &wanted, job.definitions()) {
            session.say(&format!("streamfold: {line}"));
        }
        let all = kept + others;
        let text = format!("wrote {} in {:.3} s", human::plural(all, "event"), seconds(begin));
        Ok(session.conclude(losses, &format!("streamfold: {text}")))
    })?;
    Ok(session.ranks.broadcast(0, code)?)
}

fn write_picture(
    out: &mut dyn Write,
    (is_packed, format): (bool, TimelineFormat),
    timeline: &Timeline,
    path: &[Section],
    definitions: &Definitions,
) -> std::io::Result<()> {
    if !is_packed {
        return picture::write(out, format, timeline, path, definitions);
    }
    let mut packed = GzEncoder::new(out, Compression::default());
    picture::write(&mut packed, format, timeline, path, definitions)?;
    packed.finish().map(drop)
}

/// Reports the events that are not in the picture.
fn left_out(
    counts: &TimelineCounts,
    kept: u64,
    wanted: &TimelineWanted,
    definitions: &Definitions,
) -> Vec<String> {
    let mut lines = Vec::new();
    let visits = counts.all_visits() - kept;
    if visits > 0 {
        let resolution =
            definitions.clock.as_ref().map_or(1, |clock| clock.timer_resolution.max(1));
        let shortest = human::time(wanted.shortest.unwrap_or(0).into(), resolution);
        lines.push(format!("{} shorter than {shortest}", human::plural(visits, "visit")));
    }
    let others = [
        (wanted.messages, counts.messages, ["end of a message", "ends of messages"]),
        (wanted.values, counts.values, ["value of a metric", "values of metrics"]),
    ];
    let others = others.into_iter().filter(|(wanted, count, _)| !wanted && *count > 0);
    lines.extend(others.map(|(_, count, what)| human::counted(count, what)));
    let hint = "a shorter --time or a larger --max-events shows them";
    lines.into_iter().map(|what| format!("left out {what}: {hint}")).collect()
}
