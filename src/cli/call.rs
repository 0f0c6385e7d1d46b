//! Commands called from inside a process: arguments in, tables, text, warnings and failures out, as values.
//!
//! Nothing is printed and nothing ends the process: no signal is caught, no terminal gets colours. A call has threads of
//! its own, and calls may run at the same time. Commands are those of the program, and so are their options.
//!
//! ```
//! use streamfold_cli::call::{call, Call};
//!
//! let answer = call(["info", "no-such-trace.otf2"], Call { most_text: 1 << 20, ..Call::default() });
//! let failure = answer.failure.expect("there is no such trace");
//! assert!(failure.message.contains("no-such-trace.otf2"));
//! assert!(answer.text.is_empty());
//! ```

use std::ffi::OsString;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use clap::FromArgMatches;

use super::outputs::Given;
use super::sink::{Said, Taken};
pub use super::sink::{Sink, Watch};
use super::{definitions, generate, mcp, print, version, with_command, Cli};
use streamfold_collective::threads;
use streamfold_collective::Solo;
use streamfold_output::taken;
use streamfold_system::exit::{ExitCode, Failure, Stop};

/// Wishes of a caller besides the exit code.
#[derive(Clone, Default)]
pub struct Call {
    /// Takes the tables that would be a text on standard output.
    pub sink: Option<Arc<dyn Sink>>,
    /// Bytes of standard output that are kept at most. 0: text for people is not even made.
    pub most_text: usize,
    /// Characters in a line of text for people; `None`: as many as it takes.
    pub width: Option<usize>,
    /// Is told how far the work is, several times a second.
    pub watch: Option<Arc<Watch>>,
    /// Set by another thread to end the call early. Readers look at it many times a second.
    pub stop: Option<Arc<AtomicBool>>,
}

/// The result of a call.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The exit code that the program would have.
    pub code: ExitCode,
    /// Why there is no result. A comparison that found something slower is no failure, nor are losses.
    pub failure: Option<Failure>,
    /// Standard output.
    pub text: Vec<u8>,
    /// Set if there was more of it than was wanted.
    pub is_cut: bool,
    /// How the work went, a line each.
    pub notes: Vec<String>,
    /// Oddities that lose nothing.
    pub warnings: Vec<String>,
    /// Losses of reading, with file, offset and record; the first of it, and how much.
    pub losses: Vec<String>,
    /// Set if the caller has stopped it: `failure` says so, too.
    pub is_stopped: bool,
}

/// Calls a command with arguments as on the command line, without the name of the program. Returns when it is done, has
/// failed, or was stopped.
///
/// `--threads` bounds the threads that the call starts; they end with it. A panic of a program that is built to unwind is
/// a failure with [`ExitCode::Rank`].
pub fn call<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>, call: Call) -> Answer {
    let program = OsString::from("streamfold");
    let arguments = std::iter::once(program).chain(arguments.into_iter().map(Into::into));
    let arguments = print::spelled_out(arguments);
    let stop = call.stop.clone();
    let taken = Arc::new(Taken::new(call));
    let ended = parse(arguments).and_then(|parsed| run(parsed, &taken, stop.clone()));
    let Said { mut text, is_cut, notes, warnings, losses } = taken.take();
    let (code, failure) = match ended {
        Ok(code) => (code, None),
        Err(Ended::Help(help)) => {
            text = help.into_bytes();
            (ExitCode::Done, None)
        }
        Err(Ended::Failed(failure)) => (failure.code, Some(failure)),
    };
    let is_stopped = failure.is_some() && stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    Answer { code, failure, text, is_cut, notes, warnings, losses, is_stopped }
}

/// The end of a call without a result.
enum Ended {
    /// Help was asked for.
    Help(String),
    Failed(Failure),
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Ended::Failed(failure)
    }
}

impl From<Stop> for Ended {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Together(failure) | Stop::Alone(failure) => Ended::Failed(failure),
        }
    }
}

/// The work that arguments ask for.
enum Parsed {
    Version,
    /// Files of the program itself.
    Generate(clap::ArgMatches),
    /// Answers for assistants.
    Mcp(clap::ArgMatches),
    Command(Box<Cli>, Given),
}

fn parse(arguments: Vec<OsString>) -> Result<Parsed, Ended> {
    if version::is_asked_for(&arguments) {
        return Ok(Parsed::Version);
    }
    let mut definitions = definitions();
    let arguments = with_command(arguments, &definitions);
    let matches = definitions.try_get_matches_from_mut(arguments).map_err(|error| said(&error))?;
    if let Some((generate::NAME, matches)) = matches.subcommand() {
        return Ok(Parsed::Generate(matches.clone()));
    }
    if let Some((mcp::NAME, matches)) = matches.subcommand() {
        return Ok(Parsed::Mcp(matches.clone()));
    }
    let cli = Cli::from_arg_matches(&matches);
    let cli = cli.map_err(|error| said(&error.format(&mut definitions)))?;
    Ok(Parsed::Command(Box::new(cli), Given::of(&matches)))
}

/// Help, or what is wrong with arguments, without colours.
fn said(error: &clap::Error) -> Ended {
    let text = error.render().to_string();
    match error.use_stderr() {
        true => {
            let text = text.strip_prefix("error: ").unwrap_or(&text).trim_end().to_owned();
            Ended::Failed(Failure::new(ExitCode::Usage, text))
        }
        false => Ended::Help(text),
    }
}

/// Runs a command in a pool of its own, all of whose threads have this taker.
fn run(
    parsed: Parsed,
    taken: &Arc<Taken>,
    stop: Option<Arc<AtomicBool>>,
) -> Result<ExitCode, Ended> {
    let wanted = match &parsed {
        Parsed::Command(cli, _) => cli.common.threads,
        _ => None,
    };
    let threads = threads::choose(&Solo, wanted).map_err(Stop::from)?;
    let taker = taken.clone();
    let pool = threads::pool(threads.count).start_handler(move |_| taken::give_all(taker.clone()));
    let pool = pool.build().map_err(|error| Failure::new(ExitCode::Rank, error.to_string()))?;
    let work = || match parsed {
        Parsed::Version => Ok(version::tell()),
        Parsed::Generate(matches) => Ok(generate::run(&matches)?),
        Parsed::Mcp(matches) => Ok(mcp::run(&matches)?),
        Parsed::Command(cli, paths) => Ok(cli.run_on(&Solo, &threads, &paths, stop)?),
    };
    catch_unwind(AssertUnwindSafe(|| pool.install(work))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let text = text.unwrap_or("panic without a message");
        Err(Failure::new(ExitCode::Rank, format!("internal error: {text}")).into())
    })
}
