//! `streamfold validate`: reads everything and says what is wrong.

use std::io;
use std::path::Path;
use std::time::Instant;

use streamfold_kernels::validate::{Code, Severity};

use super::formats::Format;
use super::input::InputArgs;
use super::memory_limit::MemoryLimit;
use super::numbers;
use super::outputs::{OutputPath, STANDARD};
use super::summary;
use crate::session::Session;
use streamfold_analyses::validate;
use streamfold_analyses::validate::{Defect, Opened, Outcome, Reading, Receiver};
use streamfold_drive::select::Plan;
use streamfold_drive::Trace;
use streamfold_formats::{ReadOptions, Source};
use streamfold_output::Output;
use streamfold_report::validation::{json, text, ValidationReport};
use streamfold_system::exit::{ExitCode, Failure, Stop};

const EXAMPLES: &str = "\
Examples:
  streamfold validate traces.otf2               what is wrong, and how much of it
  streamfold validate traces.otf2 --limit 0     every single defect
  streamfold validate traces.otf2 --json -o defects.json
  streamfold validate -q traces.otf2 || echo 'something is wrong'
  srun -n 64 streamfold validate traces.otf2

Exit codes of this command:
  0  nothing is wrong but what may be odd about the traced program (findings)
  2  the trace is unusable: no reader can open it; with --strict, any error
  3  errors: something cannot be read, or does not mean what it should";

/// Reads all of a trace and says what is wrong with it, and where
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Show so many defects of each kind; all are counted. 0 shows all, and reads the files that
    /// have any once more
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = numbers::whole::<u32>)]
    limit: u32,
    /// One JSON document instead of text, whatever the suffix of the file is
    #[arg(long)]
    json: bool,
    /// Where to write, by suffix: .json (JSON), others are text; - is standard output [default: -]
    #[arg(short, long, value_name = "FILE")]
    output: Option<OutputPath>,
    /// Exit with 2 where there is any error
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    memory: MemoryLimit,
}

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let ranks = session.ranks;
    let limit = args.limit as usize;
    let opened = validate::open(ranks, &args.input.input(), ReadOptions::default(), limit.max(1))?;
    // Prepares the output first: an output that cannot be written is reported before the trace is read.
    let output = session.on_root(|| args.prepare())?;
    let (trace, archive, outcome) = match opened {
        Opened::Unusable(archive, outcome) => (None, Some(archive), outcome),
        Opened::Usable(trace) => {
            let outcome = check(args, session, &trace)?;
            (Some(trace), None, outcome)
        }
    };
    let source = trace.as_ref().map(|trace| &*trace.source);
    let source = source.or(archive.as_deref().map(|archive| archive as &dyn Source));
    let finished = session.on_root(|| {
        let (Some(outcome), Some(output), Some(source)) = (&outcome, &output, source) else {
            return Ok(ExitCode::Done);
        };
        args.report(session, output, source, trace.as_deref(), outcome)?;
        let pace = summary::pace(outcome.read.events, "", outcome.read.bytes, begin);
        session.say(&format!("streamfold: {pace}"));
        Ok(args.exit_code(outcome))
    })?;
    Ok(ranks.broadcast(0, finished)?)
}

fn check(args: &Args, session: &Session<'_>, trace: &Trace) -> Result<Option<Outcome>, Stop> {
    let ranks = session.ranks;
    let plan = Plan::new(&session.candidates(trace, false)?, ranks.size());
    session.say_who_works();
    session.watch(plan.share(ranks.rank()).weight, |progress| {
        let workers = session.threads.count.min(session.common.max_open_files);
        let room = &args.memory.room(session, 1, 0);
        let reading = Reading { workers, limit: args.limit as usize, room, progress };
        validate::check(ranks, trace, &plan, reading)
    })
}

impl Args {
    /// Returns the path of the report.
    fn path(&self) -> &Path {
        self.output.as_deref().unwrap_or(Path::new(STANDARD))
    }

    fn prepare(&self) -> Result<Output, Failure> {
        Output::prepare(self.path())
    }

    fn is_json(&self) -> bool {
        self.json || Format::Json.is_of(self.path())
    }

    fn report(
        &self,
        session: &Session<'_>,
        output: &Output,
        source: &dyn Source,
        trace: Option<&Trace>,
        outcome: &Outcome,
    ) -> Result<(), Failure> {
        // With --quiet, the exit code is the answer.
        if session.common.quiet && !self.json && self.output.is_none() {
            return Ok(());
        }
        let all = self.limit == 0;
        let each = |write: &mut dyn FnMut(&Defect) -> io::Result<()>| match trace {
            Some(trace) if all => tell_all(trace, outcome, write),
            _ => outcome.found.kept().into_iter().try_for_each(write),
        };
        let report = ValidationReport {
            input: self.input.path().display().to_string(),
            source,
            outcome,
            limit: (!all).then_some(self.limit.into()),
            each: &each,
        };
        output.write(|out| match self.is_json() {
            true => json::write(out, &report),
            false => text::write(out, &report),
        })
    }

    fn exit_code(&self, outcome: &Outcome) -> ExitCode {
        let found = &outcome.found;
        match (found.of(Severity::Unusable), found.of(Severity::Error)) {
            (0, 0) => ExitCode::Done,
            (0, _) if !self.strict => ExitCode::Losses,
            _ => ExitCode::Trace,
        }
    }
}

/// Writes every defect as it is found.
fn tell_all(
    trace: &Trace,
    outcome: &Outcome,
    write: &mut dyn FnMut(&Defect) -> io::Result<()>,
) -> io::Result<()> {
    let mut writer = Writer { write, written: Ok(()) };
    let told = validate::tell_all(trace, outcome, &mut writer);
    writer.written?;
    told.map_err(|failure| io::Error::other(failure.message))
}

/// Passes defects on until they cannot be written.
struct Writer<'a> {
    write: &'a mut dyn FnMut(&Defect) -> io::Result<()>,
    written: io::Result<()>,
}

impl Receiver for Writer<'_> {
    fn count(&mut self, _: Code, _: u64) -> bool {
        self.written.is_ok()
    }

    fn keep(&mut self, defect: Defect) {
        self.written = (self.write)(&defect);
    }
}
