//! `streamfold mcp`: answers for assistants, in the Model Context Protocol over standard input and output.
//!
//! Each tool is a command, called from inside this process; its text is cut to what a model has room for. Nothing outside
//! of the folders that the user names is read, and nothing is written but the protocol.

#[cfg(feature = "mcp")]
mod answer;
#[cfg(feature = "mcp")]
mod folders;
#[cfg(feature = "mcp")]
mod found;
#[cfg(feature = "mcp")]
mod next;
#[cfg(feature = "mcp")]
mod server;
#[cfg(feature = "mcp")]
mod tools;
#[cfg(feature = "mcp")]
mod wire;
#[cfg(feature = "mcp")]
mod worker;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser};

use super::memory_limit::bytes_of;
use super::numbers;
use crate::session::own_input;
use streamfold_system::exit::{ExitCode, Failure};

/// How the command is called.
pub(super) const NAME: &str = "mcp";

const EXAMPLES: &str = "\
Examples:
  streamfold mcp traces/               answers about the traces below this folder
  streamfold mcp --memory 4GiB runs/ /scratch/traces";

/// Answers an assistant about traces: the Model Context Protocol over standard input and output
///
/// A client of that protocol starts it, asks which traces there are and where their time goes, and ends it by closing
/// standard input. Traces below the folders are read, and nothing else; no file is written.
#[derive(Clone, Debug, Parser)]
#[command(name = NAME, after_help = EXAMPLES)]
struct Args {
    /// Folders below which traces may be read [default: the current one]
    #[arg(value_name = "FOLDER")]
    folders: Vec<PathBuf>,
    /// Memory for an answer, as 500MB or 4GiB; what is more goes to temporary files (in the folder that TMPDIR names)
    /// [default: half of what the job has]
    #[arg(long, value_name = "SIZE", value_parser = bytes_of)]
    memory: Option<u64>,
    /// Threads that read [default: all cores]
    #[arg(long, value_name = "N", value_parser = numbers::threads)]
    threads: Option<NonZeroUsize>,
}

/// The command, to be added to the others.
pub(super) fn command() -> clap::Command {
    Args::command()
}

/// Runs the command until standard input ends, in one process.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let args = Args::from_arg_matches(matches)
        .map_err(|error| Failure::new(ExitCode::Usage, error.to_string()))?;
    // A caller within this process has its own.
    own_input()?;
    serve(args)
}

#[cfg(feature = "mcp")]
fn serve(args: Args) -> Result<ExitCode, Failure> {
    let Args { mut folders, memory, threads } = args;
    if folders.is_empty() {
        folders.push(PathBuf::from("."));
    }
    let memory = memory.map(|bytes| format!("--memory={bytes}"));
    let threads = threads.map(|count| format!("--threads={count}"));
    let options = memory.into_iter().chain(threads).collect();
    streamfold_collective::memory_can_be_limited(true);
    server::serve(folders::Folders::new(&folders)?, options)
}

#[cfg(not(feature = "mcp"))]
fn serve(Args { folders, memory, threads }: Args) -> Result<ExitCode, Failure> {
    drop((folders, memory, threads));
    let text = "this program was built without answers for assistants (feature `mcp`)";
    Err(Failure::new(ExitCode::Usage, text))
}
