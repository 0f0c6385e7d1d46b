//! Runs that stall before they are done, and are ended by a signal then.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

/// A run that has written files of an archive, all but the anchor, and waits to be ended.
pub struct Stalled {
    child: Child,
    stderr: BufReader<ChildStderr>,
}

/// Starts a command and waits until it stalls at `place` (`PHASE:RANK`); the process that does so.
pub fn stall(command: &Command, place: &str) -> (Child, BufReader<ChildStderr>, String) {
    let mut command = heeding_signals(command);
    command.env("STREAMFOLD_TEST_FAIL", format!("{place}:stall"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    while !line.starts_with("STREAMFOLD_TEST_FAIL: ") {
        line.clear();
        let length = stderr.read_line(&mut line).expect("a line");
        assert!(length > 0, "{place}: the program ended before it stalled");
    }
    let process = line.rsplit(' ').next().expect("a process").trim().to_owned();
    (child, stderr, process)
}

/// The same command, whatever this test's own parents have ignored (`nohup`, jobs in the background).
fn heeding_signals(command: &Command) -> Command {
    let mut heeding = Command::new("env");
    heeding.arg("--default-signal").arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => heeding.env(name, value),
            None => heeding.env_remove(name),
        };
    }
    heeding
}

impl Stalled {
    /// Starts a subcommand that writes an archive, and waits until it stalls.
    pub fn start(subcommand: &str, from: &Path, to: &Path, options: &[&str]) -> Stalled {
        let mut command = Command::new(env!("CARGO_BIN_EXE_streamfold"));
        command.arg(subcommand).arg(from).arg("-o").arg(to).args(options).args(["--mpi", "off"]);
        let (child, stderr, _) = stall(&command, "reduce:0");
        Stalled { child, stderr }
    }

    /// Sends a signal; what the program says until it has ended.
    pub fn end(mut self, signal: libc::c_int) -> String {
        let process = libc::pid_t::try_from(self.child.id()).expect("a process number");
        // SAFETY: the child has not been waited for, so the number is still its own.
        unsafe { libc::kill(process, signal) };
        let mut said = String::new();
        self.stderr.read_to_string(&mut said).expect("text");
        assert!(!self.child.wait().expect("an end").success(), "{said}");
        said
    }
}
