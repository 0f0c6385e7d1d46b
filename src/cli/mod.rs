//! The command line: one file for each subcommand, arguments in, one call into the library,
//! report out.

pub mod call;
mod convert;
mod copy;
mod critical;
mod cut;
mod dfg;
mod diff;
mod efficiency;
mod estimate;
mod formats;
mod generate;
mod info;
mod input;
mod io;
mod iterations;
mod marker;
mod matching;
mod mcp;
mod memory_limit;
mod merge;
mod new_archive;
mod numbers;
mod otf;
mod outputs;
mod overview;
mod print;
mod profile;
mod progress;
mod references;
mod regions;
mod report;
mod salvage;
mod session;
mod shared_files;
mod sink;
mod slices;
mod snapshots;
mod summary;
mod tables;
mod time_line;
mod timeline;
mod times;
mod trees;
mod unify;
mod validate;
mod version;
mod waitstates;
mod what_if;

use std::ffi::OsString;
use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;
use std::time::Duration;

use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use outputs::Given;
use session::{tell, told, Common, Session};

use streamfold_collective::threads::{self, ThreadChoice};
use streamfold_collective::{self as collective, Communicator, Launched, PieceLimit};
use streamfold_output as output;
use streamfold_system::exit::{ExitCode, Stop};

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  the command line is wrong
  2  not a valid trace, or --strict and something was lost
  3  done, but not all of the trace could be read
  4  input or output failed
  5  MPI, or another rank, failed
  6  diff: something takes more time than --fail-over allows
  128 + N  ended by signal N: 130 SIGINT, 138 SIGUSR1, 143 SIGTERM, ...";

/// Reads event traces of parallel programs: where time goes, who waits for whom, what is wrong.
///
/// With a trace alone it shows that at a glance. Alone it uses all cores of this machine; under mpirun or srun, those of all ranks.
#[derive(Debug, Parser)]
#[command(name = "streamfold", version, after_help = EXIT_CODES, max_term_width = 100)]
#[command(override_usage = "streamfold [OPTIONS] TRACE\n       streamfold [OPTIONS] <COMMAND> …")]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Subcommand)]
enum Command {
    Overview(overview::Args),
    Report(report::Args),
    Profile(profile::Args),
    Match(matching::Args),
    Dfg(dfg::Args),
    Io(io::Args),
    Timeline(timeline::Args),
    Waitstates(waitstates::Args),
    Critical(critical::Args),
    Diff(diff::Args),
    Efficiency(efficiency::Args),
    Print(print::Args),
    Info(info::Args),
    Validate(validate::Args),
    Convert(convert::Args),
    Copy(copy::Args),
    Cut(cut::Args),
    Unify(unify::Args),
    Merge(merge::Args),
    Salvage(salvage::Args),
    Marker(marker::Args),
    Snapshots(snapshots::Args),
    Otf(otf::Args),
    Estimate(estimate::Args),
}

/// Runs the program with these arguments, the first of which is its name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    collective::end_out_of_memory();
    let mut definitions = definitions();
    let arguments = by_name(print::spelled_out(arguments));
    choose_colors(&arguments);
    if version::is_asked_for(&arguments) {
        return version::tell();
    }
    let arguments = with_command(arguments, &definitions);
    let matches = match definitions.try_get_matches_from_mut(arguments) {
        Ok(matches) => matches,
        Err(error) => return usage(&error),
    };
    if let Some((generate::NAME, matches)) = matches.subcommand() {
        return generate::run(matches).unwrap_or_else(|failure| told(&failure));
    }
    if let Some((mcp::NAME, matches)) = matches.subcommand() {
        return mcp::run(matches).unwrap_or_else(|failure| told(&failure));
    }
    let command = matches.subcommand_name().and_then(|name| definitions.find_subcommand(name));
    let is_memory = |argument: &clap::Arg| argument.get_long() == Some("memory");
    collective::memory_can_be_limited(command.is_some_and(|it| it.get_arguments().any(is_memory)));
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => return usage(&error.format(&mut definitions)),
    };
    let paths = Given::of(&matches);
    if let Some(size) = collective::team::size_asked_for() {
        return cli.run_team(size, &paths);
    }
    let ranks = match collective::start(cli.common.mpi, PieceLimit::DEFAULT) {
        Ok(ranks) => ranks,
        Err(error) => {
            let code = ExitCode::Rank;
            first_says(code, || tell(&format!("streamfold: {error}")));
            return code;
        }
    };
    collective::install_panic_hook(&*ranks);
    cli.run_to_end(&*ranks, &paths)
}

/// Colours of all that this process writes, before the command line is understood: what is wrong with it has some, too.
fn choose_colors(arguments: &[OsString]) {
    const NAME: &str = "--color";
    let mut choice = ColorChoice::Auto;
    let mut rest = arguments.iter().skip(1).map(|argument| argument.to_string_lossy());
    while let Some(argument) = rest.next().filter(|argument| argument != "--") {
        let value = match argument.strip_prefix(NAME) {
            Some("") => rest.next().map(|value| value.into_owned()),
            Some(value) => value.strip_prefix('=').map(str::to_owned),
            None => None,
        };
        choice = value.and_then(|value| ColorChoice::from_str(&value, true).ok()).unwrap_or(choice);
    }
    output::colors::choose(match choice {
        ColorChoice::Always => Some(true),
        ColorChoice::Never => Some(false),
        // Launchers let ranks write to terminals of theirs, and pass it on to wherever.
        ColorChoice::Auto => (collective::detect() != Launched::Alone).then_some(false),
    });
}

/// All commands: those on traces, and those that need none, or no ranks.
fn definitions() -> clap::Command {
    Cli::command().subcommand(mcp::command()).subcommand(generate::command())
}

/// The options of all commands that name a place to write to, for tests: the words of a command, and the option.
pub fn outputs() -> Vec<(Vec<String>, String)> {
    let mut found = Vec::new();
    outputs::written(&Cli::command(), &[], &mut found);
    found
}

/// The arguments with `print` where the program is called by the name of the tool whose words that has.
fn by_name(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let name = arguments.first().map(std::path::PathBuf::from);
    if name.and_then(|name| Some(name.file_name()? == "otf2-print")).unwrap_or(false) {
        arguments.insert(1, "print".into());
        // The tool says nothing of its own progress.
        arguments.insert(2, "--quiet".into());
    }
    arguments
}

/// The arguments with the command that is meant where a trace stands in its place.
fn with_command(mut arguments: Vec<OsString>, definitions: &clap::Command) -> Vec<OsString> {
    let is_option = |argument: &OsString| argument.as_encoded_bytes().starts_with(b"-");
    let takes_value = |argument: &OsString| {
        let name = argument.to_str().and_then(|argument| argument.strip_prefix("--"));
        let mut options = definitions.get_arguments().filter(|it| it.get_long() == name);
        name.is_some() && options.any(|option| option.get_action().takes_values())
    };
    let first = (1..arguments.len())
        .find(|&at| !is_option(&arguments[at]) && !takes_value(&arguments[at - 1]));
    let Some(place) = first else { return arguments };
    let name = arguments[place].to_string_lossy();
    let is_command = definitions.find_subcommand(&*name).is_some() || name == "help";
    // An argument that looks like a path is a path, even if no file is there. The message is about the file then.
    let path = std::path::Path::new(&arguments[place]);
    let is_path = path.exists() || path.extension().is_some() || path.components().count() > 1;
    if !is_command && is_path {
        arguments.insert(place, overview::NAME.into());
    }
    arguments
}

impl Cli {
    /// Runs the command on several ranks that are threads of this process. For tests.
    fn run_team(&self, size: usize, paths: &Given) -> ExitCode {
        collective::install_panic_hook(&collective::Solo);
        let codes =
            collective::team::run(size, PieceLimit::DEFAULT, |rank| self.run_to_end(rank, paths));
        codes[0]
    }

    /// Runs the command on this rank, and reports a failure of all ranks once.
    fn run_to_end(&self, ranks: &dyn Communicator, paths: &Given) -> ExitCode {
        let (code, failure) = match self.run(ranks, paths) {
            Ok(code) => (code, None),
            Err(Stop::Together(failure)) => (failure.code, Some(failure)),
            Err(Stop::Alone(failure)) => ranks.abort(failure.code as i32, &failure.message),
        };
        collective::work_is_done(code as i32);
        if let Some(failure) = failure.filter(|_| ranks.rank() == 0) {
            told(&failure);
        }
        code
    }

    fn run(&self, ranks: &dyn Communicator, paths: &Given) -> Result<ExitCode, Stop> {
        collective::end_on_signals(ranks)?;
        let threads = threads::choose(ranks, self.common.threads)?;
        threads::start_pool(ranks, threads.count)?;
        self.run_on(ranks, &threads, paths, None)
    }

    /// Runs the command on this rank with so many threads, until it is done or `stop` is set.
    fn run_on(
        &self,
        ranks: &dyn Communicator,
        threads: &ThreadChoice,
        paths: &Given,
        stop: Option<Arc<AtomicBool>>,
    ) -> Result<ExitCode, Stop> {
        let session = Session { ranks, common: &self.common, threads, paths, stop };
        session.on_root(|| paths.refuse_inputs())?;
        match &self.command {
            Command::Overview(args) => overview::run(args, &session),
            Command::Report(args) => report::run(args, &session),
            Command::Profile(args) => profile::run(args, &session),
            Command::Match(args) => matching::run(args, &session),
            Command::Waitstates(args) => waitstates::run(args, &session),
            Command::Critical(args) => critical::run(args, &session),
            Command::Diff(args) => diff::run(args, &session),
            Command::Efficiency(args) => efficiency::run(args, &session),
            Command::Dfg(args) => dfg::run(args, &session),
            Command::Io(args) => io::run(args, &session),
            Command::Timeline(args) => timeline::run(args, &session),
            Command::Print(args) => print::run(args, &session),
            Command::Info(args) => info::run(args, &session),
            Command::Validate(args) => validate::run(args, &session),
            Command::Convert(args) => convert::run(args, &session),
            Command::Copy(args) => copy::run(args, &session),
            Command::Cut(args) => cut::run(args, &session),
            Command::Unify(args) => unify::run(args, &session),
            Command::Merge(args) => merge::run(args, &session),
            Command::Salvage(args) => salvage::run(args, &session),
            Command::Marker(args) => marker::run(args, &session),
            Command::Snapshots(args) => snapshots::run(args, &session),
            Command::Otf(args) => otf::run(args, &session),
            Command::Estimate(args) => estimate::run(args, &session),
        }
    }
}

/// Help and version are no errors, unless they cannot be written. Of many ranks one speaks.
fn usage(error: &clap::Error) -> ExitCode {
    let is_error = error.use_stderr();
    let mut code = if is_error { ExitCode::Usage } else { ExitCode::Done };
    first_says(code, || {
        // Not as other outputs, which have no colours.
        let written = error.print().and_then(|()| std::io::stdout().flush());
        if let (Err(error), false) = (written, is_error) {
            if let Err(failure) = output::written_to_standard(error) {
                code = told(&failure);
            }
        }
    });
    code
}

/// Says why the job ends where all ranks find that out, and do not know of each other: the first one speaks.
/// The others let it, since a launcher ends all when one of them has failed.
fn first_says(code: ExitCode, say: impl FnOnce()) {
    const ENOUGH: Duration = Duration::from_secs(2);
    match collective::speaks_first() {
        true => say(),
        false if code == ExitCode::Done => {}
        false => std::thread::sleep(ENOUGH),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Longer lines are broken anywhere.
    #[test]
    fn what_help_says_at_the_end_fits_into_its_width() {
        for subcommand in Cli::command().get_subcommands() {
            let text = subcommand.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in text.lines() {
                assert!(line.chars().count() <= 100, "{}: {line}", subcommand.get_name());
            }
        }
    }
}
