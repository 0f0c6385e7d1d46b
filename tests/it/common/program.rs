//! Running the program to its end, which must come: alone, and as ranks under mpirun.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::skipped;

/// No run takes longer, even on a busy machine; one that does has hung.
pub const LONGEST: Duration = Duration::from_secs(120);

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

/// The mpirun of this machine.
pub struct Launcher {
    open_mpi: bool,
}

impl Launcher {
    /// `None` where there is none that works.
    pub fn find() -> Option<Launcher> {
        let output = Command::new("mpirun").arg("--version").output().ok()?;
        let version = String::from_utf8_lossy(&output.stdout).into_owned();
        let open_mpi = version.contains("Open MPI") || version.contains("Open RTE");
        output.status.success().then_some(Launcher { open_mpi })
    }

    /// A command that runs a program as this many ranks.
    pub fn command(&self, ranks: usize, program: &Path) -> Command {
        let mut command = Command::new("mpirun");
        if self.open_mpi {
            // More ranks than cores, and in containers the user is often root.
            command.args(["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]);
            command.env("OMPI_ALLOW_RUN_AS_ROOT", "1");
            command.env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        }
        command.args(["-n", &ranks.to_string()]).arg(program);
        command
    }
}

/// Runs a command to its end.
///
/// # Errors
///
/// When it does not come within the limit: what the command said up to there.
pub fn finish(command: &mut Command, limit: Duration) -> Result<Output, String> {
    // Files, not pipes: nobody has to empty them while the job runs, and what a killed job leaves
    // behind cannot hold them open.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [out, err] = ["out", "err"].map(|name| folder.path().join(name));
    command.stdin(Stdio::null());
    // Jobs of Open MPI share a folder for their sockets: when one removes it while another makes it, the
    // other one ends.
    command.env("OMPI_MCA_orte_tmpdir_base", folder.path());
    command.stdout(File::create(&out).expect("a file")).stderr(File::create(&err).expect("a file"));
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let read = |path| fs::read(path).expect("what the job wrote");
    let deadline = Instant::now() + limit;
    loop {
        match child.try_wait().expect("the job can be waited for") {
            Some(status) => return Ok(Output { status, stdout: read(&out), stderr: read(&err) }),
            None if Instant::now() > deadline => {
                let _ = child.kill();
                let _ = child.wait();
                let [out, err] = [text(read(&out)), text(read(&err))];
                return Err(format!("hung for {limit:?}; said:\n{out}\n{err}"));
            }
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}

/// What the program says on standard error.
pub fn said(output: &Output) -> String {
    text(&output.stderr)
}

/// Bytes as text; those that are no UTF-8 are replaced.
pub fn text(bytes: impl AsRef<[u8]>) -> String {
    String::from_utf8_lossy(bytes.as_ref()).into_owned()
}
