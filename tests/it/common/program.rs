//! Running the program to its end, which must come: alone, and as ranks under mpirun.

use std::ffi::OsStr;
use std::process::{Command, Output};

pub use super::launcher::{finish, text, Launcher, LONGEST};
use super::skipped;

/// The variable with which tests order a failure; what stands in it outside of them is not meant.
const FAIL: &str = "STREAMFOLD_TEST_FAIL";

/// Takes the locks away from files of HDF5: a process that another test starts inherits the lock of a file that this
/// process has written, and has it until it runs its program.
const NO_LOCKS: (&str, &str) = ("HDF5_USE_FILE_LOCKING", "FALSE");

/// The program in one process, with these arguments.
pub fn streamfold<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> assert_cmd::Command {
    let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_streamfold"));
    command.args(args).env_remove(FAIL).env(NO_LOCKS.0, NO_LOCKS.1).timeout(LONGEST);
    command
}

/// The variable that makes the program run as a team: ranks that are threads of one process.
const TEAM: &str = "STREAMFOLD_TEST_RANKS";

/// The program on this many ranks: three under mpirun, other numbers as threads of one process, which
/// start fifty times as fast. `None`, and said, where three are asked for and there is no mpirun.
pub fn on_ranks<A: AsRef<OsStr>>(n: usize, args: impl IntoIterator<Item = A>) -> Option<Output> {
    const UNDER_MPIRUN: usize = 3;
    match n {
        UNDER_MPIRUN => mpirun(n, args),
        _ => Some(team(n, args)),
    }
}

/// The program on this many ranks that are threads of one process.
pub fn team<A: AsRef<OsStr>>(n: usize, args: impl IntoIterator<Item = A>) -> Output {
    streamfold(args).env(TEAM, n.to_string()).output().expect("the program runs")
}

/// The program as this many ranks under mpirun; `None`, and said, where there is no mpirun.
pub fn mpirun<A: AsRef<OsStr>>(n: usize, args: impl IntoIterator<Item = A>) -> Option<Output> {
    mpirun_with(&[], n, args)
}

/// The same, with more variables in the environment.
pub fn mpirun_with<A: AsRef<OsStr>>(
    environment: &[(&str, &str)],
    n: usize,
    args: impl IntoIterator<Item = A>,
) -> Option<Output> {
    let mut command = ranks(n, args)?;
    let ended = finish(command.envs(environment.iter().copied()), LONGEST);
    Some(ended.unwrap_or_else(|hung| panic!("{n} ranks: {hung}")))
}

/// A command that runs the program as this many ranks; `None`, and said, where there is no mpirun.
pub fn ranks<A: AsRef<OsStr>>(n: usize, args: impl IntoIterator<Item = A>) -> Option<Command> {
    let Some(launcher) = Launcher::find() else {
        skipped(&format!("a run of {n} ranks, no mpirun found"));
        return None;
    };
    let mut command = launcher.command(n, env!("CARGO_BIN_EXE_streamfold").as_ref());
    command.args(args).env_remove(FAIL);
    Some(command)
}

/// What the program says on standard error.
pub fn said(output: &Output) -> String {
    text(&output.stderr)
}
