//! The command line: one file for each subcommand, arguments in, one call into the library,
//! report out.

mod hdf5_files;
mod print;
mod profile;
mod progress;
mod references;

use std::ffi::OsString;
use std::io::Write;
use std::num::NonZeroUsize;

use clap::{Args, Parser, Subcommand};

use crate::collective::{self, threads, Communicator, MpiMode, PieceLimit};
use crate::exit::{ExitCode, Failure, Stop};
use crate::report::human;

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  the command line is wrong
  2  not a valid trace, or --strict and something was lost
  3  done, but not all of the trace could be read
  4  input or output failed
  5  MPI, or another rank, failed";

/// Folds the event streams of a parallel program's trace into profiles.
///
/// Alone it uses all cores of this machine; under mpirun or srun, those of all ranks.
#[derive(Debug, Parser)]
#[command(name = "streamfold", version, after_help = EXIT_CODES, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Subcommand)]
enum Command {
    Profile(profile::Args),
    Print(print::Args),
}

/// What all commands share.
#[derive(Args, Clone, Debug)]
struct Common {
    /// Nothing on standard error but errors: no progress, no summary
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Threads of each rank [default: what the launcher gave to this rank, else all cores]
    #[arg(long, global = true, value_name = "N", value_parser = threads_of)]
    threads: Option<NonZeroUsize>,
    /// Whether to use MPI: by itself it follows the variables that mpirun and srun set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    mpi: MpiMode,
    /// Files that a rank opens at most at a time
    #[arg(long, global = true, value_name = "N", default_value_t = max_open_files())]
    max_open_files: NonZeroUsize,
}

/// A number of threads that a machine may have.
fn threads_of(text: &str) -> Result<NonZeroUsize, String> {
    const MOST: usize = 4096;
    match text.parse::<NonZeroUsize>() {
        Ok(threads) if threads.get() <= MOST => Ok(threads),
        _ => Err(format!("1 to {MOST} threads are possible")),
    }
}

/// Half of what the system allows, so that libraries have some, and no more than helps.
fn max_open_files() -> NonZeroUsize {
    const HELPS: usize = 512;
    let limit = std::fs::read_to_string("/proc/self/limits").ok().and_then(|limits| {
        let line = limits.lines().find(|line| line.starts_with("Max open files"))?.to_owned();
        line.split_whitespace().nth(3)?.parse::<usize>().ok()
    });
    let half = limit.map_or(HELPS, |limit| (limit / 2).min(HELPS));
    NonZeroUsize::new(half).unwrap_or(NonZeroUsize::MIN)
}

/// Runs the program with these arguments, the first of which is its name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments.into_iter().map(print::long_form)) {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let ranks = match collective::start(cli.common.mpi, PieceLimit::DEFAULT) {
        Ok(ranks) => ranks,
        Err(error) => {
            if collective::speaks_first() {
                tell(&format!("streamfold: {error}"));
            }
            return ExitCode::Rank;
        }
    };
    collective::install_panic_hook(&*ranks);
    match cli.run(&*ranks) {
        Ok(code) => code,
        Err(Stop::Together(failure)) => {
            if ranks.rank() == 0 {
                tell(&format!("streamfold: {}", failure.message));
            }
            failure.code
        }
        Err(Stop::Alone(failure)) => ranks.abort(failure.code as i32, &failure.message),
    }
}

impl Cli {
    fn run(&self, ranks: &dyn Communicator) -> Result<ExitCode, Stop> {
        let threads = threads::choose(ranks, self.common.threads)?;
        threads::start_pool(threads.count)?;
        let session = Session { ranks, common: &self.common, threads: &threads };
        match &self.command {
            Command::Profile(args) => profile::run(args, &session),
            Command::Print(args) => print::run(args, &session),
        }
    }
}

/// Where a command runs.
struct Session<'a> {
    ranks: &'a dyn Communicator,
    common: &'a Common,
    threads: &'a threads::ThreadChoice,
}

impl Session<'_> {
    fn is_root(&self) -> bool {
        self.ranks.rank() == 0
    }

    /// Says something to who watches, unless that is not wanted.
    fn say(&self, text: &str) {
        if self.is_root() && !self.common.quiet {
            tell(text);
        }
    }

    /// What rank 0 does alone; all ranks learn how it ended.
    fn on_root<T>(&self, work: impl FnOnce() -> Result<T, Failure>) -> Result<Option<T>, Stop> {
        let mut result = None;
        let outcome = self.is_root().then(|| work().map(|value| result = Some(value)));
        self.ranks.broadcast_result(0, outcome)?.map_err(Stop::Together)?;
        Ok(result)
    }
}

/// One line on standard error, in one piece.
fn tell(text: &str) {
    let _ = std::io::stderr().write_all(format!("{}\n", human::visible(text)).as_bytes());
}

/// Help and version are no errors. Of many ranks one speaks.
fn usage(error: &clap::Error) -> ExitCode {
    if collective::speaks_first() {
        let _ = error.print();
    }
    match error.use_stderr() {
        true => ExitCode::Usage,
        false => ExitCode::Done,
    }
}

/// The largest memory that this process ever had, in bytes; 0 where the system does not say.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}
