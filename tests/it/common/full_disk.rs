//! A limit on the size of files, which stands for a full disk.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

/// Runs a subcommand that writes an archive where no file may be longer than so many bytes.
pub fn within(limit: u64, subcommand: &str, from: &Path, to: &Path, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_streamfold"));
    command.args([OsStr::new(subcommand), from.as_ref(), OsStr::new("-o"), to.as_ref()]);
    command.args(options).env_remove("STREAMFOLD_TEST_FAIL");
    // SAFETY: only calls `signal` and `setrlimit`, which are allowed between fork and exec.
    unsafe { command.pre_exec(move || limited(limit)) };
    command.output().expect("the program runs")
}

fn limited(limit: u64) -> io::Result<()> {
    // So that writing fails instead of ending the program.
    // SAFETY: no handler is installed.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    let limit = libc::rlimit { rlim_cur: limit, rlim_max: limit };
    // SAFETY: the structure lives as long as the call.
    match unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &limit) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
