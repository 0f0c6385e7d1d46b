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

pub use super::memory_limit::bytes_of;
use super::outputs::Given;
use super::sink::{Said, Taken};
pub use super::sink::{Sink, Watch};
use super::{definitions, generate, mcp, print, version, with_command, Cli};
use streamfold_collective::stop::agree;
pub use streamfold_collective::Host;
use streamfold_collective::{self as collective, forward, threads, Communicator, PieceLimit, Solo};
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
    /// Set by another thread to end the call early. Readers look at it many times a second. Ranks of a communicator do
    /// not: one that ends alone would leave the others waiting.
    pub stop: Option<Arc<AtomicBool>>,
    /// The ranks that make this call together, all with the same arguments. Rank 0 has tables and text, the others
    /// have none. The thread of the call communicates, and no other does.
    pub ranks: Option<Host>,
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
///
/// With [ranks](Call::ranks), a failure is that of all. One of which a single rank knows, such as a panic or an error of
/// MPI, ends the whole job, as in the program.
pub fn call<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>, call: Call) -> Answer {
    let program = OsString::from("streamfold");
    let arguments = std::iter::once(program).chain(arguments.into_iter().map(Into::into));
    let arguments: Vec<OsString> = print::spelled_out(arguments);
    let ranks = call.ranks;
    let stop = call.stop.clone().filter(|_| ranks.is_none());
    let taken = Arc::new(Taken::new(Call { stop: stop.clone(), ..call }));
    let ended = match ranks {
        None => parse(arguments).and_then(|parsed| run(parsed, &Solo, &taken, stop.clone())),
        Some(host) => run_together(arguments, host, &taken),
    };
    let Said { mut text, is_cut, notes, warnings, losses } = taken.take();
    let (code, failure) = match ended {
        Ok(code) => (code, None),
        Err(Ended::Help(help)) => {
            text = help.into_bytes();
            (ExitCode::Done, None)
        }
        Err(Ended::Failed(failure) | Ended::Alone(failure)) => (failure.code, Some(failure)),
    };
    let is_stopped = failure.is_some() && stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    Answer { code, failure, text, is_cut, notes, warnings, losses, is_stopped }
}

/// The end of a call without a result.
enum Ended {
    /// Help was asked for.
    Help(String),
    Failed(Failure),
    /// Other ranks do not know of it.
    Alone(Failure),
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Ended::Failed(failure)
    }
}

impl From<Stop> for Ended {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Together(failure) => Ended::Failed(failure),
            Stop::Alone(failure) => Ended::Alone(failure),
        }
    }
}

/// Makes a call with the ranks of a communicator, once all of them have the same arguments and understand them. If only
/// this rank knows of a failure, the job ends.
fn run_together(
    arguments: Vec<OsString>,
    host: Host,
    taken: &Arc<Taken>,
) -> Result<ExitCode, Ended> {
    let ranks = host.ranks(PieceLimit::DEFAULT).map_err(|error| {
        let code = match error {
            collective::Error::Mpi { .. } => ExitCode::Rank,
            _ => ExitCode::Usage,
        };
        Failure::new(code, error.to_string())
    })?;
    let ranks = &*ranks;
    let work = || run(parse_together(arguments, ranks)?, ranks, taken, None);
    match catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(&*panic))) {
        Err(Ended::Alone(failure)) if ranks.size() > 1 => {
            ranks.abort(failure.code as i32, &failure.message)
        }
        ended => ended,
    }
}

/// Parses arguments that are the same on all ranks.
fn parse_together(arguments: Vec<OsString>, ranks: &dyn Communicator) -> Result<Parsed, Ended> {
    let own: Vec<Vec<u8>> = arguments.iter().map(|it| it.as_encoded_bytes().to_vec()).collect();
    let first = (ranks.rank() == 0).then(|| own.clone());
    let outcome = match ranks.broadcast(0, first).map_err(Stop::from)? == own {
        true => parse(arguments),
        false => Err(Ended::Failed(differs(ranks.rank(), &arguments))),
    };
    // Help is no failure.
    let outcome = match outcome {
        Err(Ended::Failed(failure)) => Err(failure),
        outcome => Ok(outcome),
    };
    agree(ranks, outcome)?
}

fn differs(rank: usize, arguments: &[OsString]) -> Failure {
    let words: Vec<_> = arguments.iter().skip(1).map(|it| it.to_string_lossy()).collect();
    let text = format!(
        "all ranks of a communicator make the same call; that of rank {rank} differs from that of rank 0: {}",
        words.join(" ")
    );
    Failure::new(ExitCode::Usage, text)
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

/// Runs a command in a pool of its own, all of whose threads have this taker. This thread communicates for them.
fn run(
    parsed: Parsed,
    ranks: &dyn Communicator,
    taken: &Arc<Taken>,
    stop: Option<Arc<AtomicBool>>,
) -> Result<ExitCode, Ended> {
    let wanted = match &parsed {
        Parsed::Command(cli, _) => cli.common.threads,
        _ => None,
    };
    let threads = threads::choose(ranks, wanted).map_err(Stop::from)?;
    let taker = taken.clone();
    let pool = threads::pool(threads.count).start_handler(move |_| taken::give_all(taker.clone()));
    let pool = pool.build().map_err(|error| Failure::new(ExitCode::Rank, error.to_string()));
    let pool = agree(ranks, pool)?;
    let work = |ranks: &dyn Communicator| match parsed {
        Parsed::Version | Parsed::Generate(_) | Parsed::Mcp(_) if ranks.rank() > 0 => {
            Ok(agree(ranks, Ok(ExitCode::Done))?)
        }
        Parsed::Version => Ok(agree(ranks, Ok(version::tell()))?),
        Parsed::Generate(matches) => Ok(agree(ranks, generate::run(&matches))?),
        Parsed::Mcp(matches) => Ok(agree(ranks, mcp::run(&matches))?),
        Parsed::Command(cli, paths) => Ok(cli.run_on(ranks, &threads, &paths, stop)?),
    };
    let work = || match ranks.uses_mpi() {
        true => forward::run(ranks, |ranks| pool.install(move || work(&*ranks))),
        false => pool.install(|| work(&Solo)),
    };
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(&*panic)))
}

/// The failure of a panic, of which no other rank knows.
fn panicked(panic: &(dyn std::any::Any + Send)) -> Ended {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("panic without a message");
    Ended::Alone(Failure::new(ExitCode::Rank, format!("internal error: {text}")))
}
