//! Running any program to its end, which must come, and the launcher of this machine.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// No run takes longer, even on a busy machine; one that does has hung.
pub const LONGEST: Duration = Duration::from_secs(120);

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

/// Bytes as text; those that are no UTF-8 are replaced.
pub fn text(bytes: impl AsRef<[u8]>) -> String {
    String::from_utf8_lossy(bytes.as_ref()).into_owned()
}
