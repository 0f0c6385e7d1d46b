//! Running a command that may be changed first, and the folders of archives.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::skipped;

/// The archives that belong to the project.
pub fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

/// The large set of traces: STREAMFOLD_TRACES, or `../shared/traces`. `None`, said and counted,
/// where there is none.
pub fn traces() -> Option<PathBuf> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces");
    let folder = std::env::var_os("STREAMFOLD_TRACES").map_or_else(default, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    skipped(&format!("no traces at {} (STREAMFOLD_TRACES)", folder.display()));
    None
}

/// How a program ended.
#[derive(Debug)]
pub struct Ended {
    /// Its exit code; `None` after a signal.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
}

/// The program itself.
pub fn streamfold<S: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_streamfold"));
    // So that the tests may themselves run under a launcher.
    command.args(args).args(["--mpi", "off"]).env_remove("STREAMFOLD_TEST_FAIL");
    command
}

/// The program on `ranks` ranks. `None`, said and counted, where there is no mpirun.
#[cfg(feature = "mpi")]
pub fn mpirun<S: AsRef<std::ffi::OsStr>>(
    ranks: usize,
    args: impl IntoIterator<Item = S>,
) -> Option<Command> {
    let found = Command::new("mpirun").arg("--version").stdout(Stdio::null()).status();
    if !found.is_ok_and(|status| status.success()) {
        skipped("no mpirun");
        return None;
    }
    let mut command = Command::new("mpirun");
    command
        .args(["--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", &ranks.to_string()])
        .arg(env!("CARGO_BIN_EXE_streamfold"))
        .args(args)
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env_remove("STREAMFOLD_TEST_FAIL");
    Some(command)
}

/// Runs a command to its end, which must come within the limit.
pub fn run(command: &mut Command, limit: Duration) -> Ended {
    let begin = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let text = |pipe: &mut dyn Read| {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe can be read");
        String::from_utf8_lossy(&bytes).into_owned()
    };
    std::thread::scope(|scope| {
        let stdout = scope.spawn(move || text(&mut out));
        let stderr = scope.spawn(move || text(&mut err));
        let mut in_time = true;
        let status = loop {
            match child.try_wait().expect("a child can be waited for") {
                Some(status) => break status,
                None if begin.elapsed() > limit => {
                    in_time = false;
                    child.kill().expect("a child can be killed");
                    break child.wait().expect("a child can be waited for");
                }
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        let took = begin.elapsed();
        let (stdout, stderr) = (stdout.join().unwrap(), stderr.join().unwrap());
        assert!(in_time, "{command:?} did not end within {limit:?}:\n{stdout}\n{stderr}");
        Ended { code: status.code(), stdout, stderr, took }
    })
}
