//! Processor time and memory of runs.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Processor time and memory of a run, and how it ended.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// The exit code; -1: it was ended.
    pub code: i32,
    /// Processor time.
    pub time: Duration,
    /// The most memory, in bytes.
    pub memory: u64,
}

/// Runs the program in one process, and forgets what it prints. It is ended when it takes more processor time than
/// the limit, in seconds.
pub fn usage(arguments: &[&str], paths: &[&Path], limit: u64) -> Usage {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new(env!("CARGO_BIN_EXE_streamfold"));
    command.args(arguments).args(["--quiet", "--mpi", "off", "--threads", "2"]).args(paths);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let bounded = move || {
        let limit = libc::rlimit { rlim_cur: limit, rlim_max: limit };
        // SAFETY: the structure lives as long as the call.
        match unsafe { libc::setrlimit(libc::RLIMIT_CPU, &limit) } {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        }
    };
    // SAFETY: only calls `setrlimit`, which is allowed between fork and exec.
    unsafe { command.pre_exec(bounded) };
    let started = command.spawn().expect("the program starts").id();
    let pid = libc::pid_t::try_from(started).expect("a process number");
    let mut status = 0;
    // SAFETY: all zeros are a valid `rusage`, plain numbers that `wait4` fills in.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let mut memory = 0;
    loop {
        // A child begins as a copy of this process, whose memory `wait4` counts as the child's.
        memory = peak(pid).unwrap_or(0).max(memory);
        // SAFETY: both places outlive the call; the child is ours, and nobody else waits for it.
        match unsafe { libc::wait4(pid, &mut status, libc::WNOHANG, &mut usage) } {
            0 => std::thread::sleep(Duration::from_millis(2)),
            ended => break assert_eq!(ended, pid, "the child is ours"),
        }
    }
    let code = if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { -1 };
    let time = |of: libc::timeval| {
        Duration::from_micros(of.tv_sec.unsigned_abs() * 1_000_000 + of.tv_usec.unsigned_abs())
    };
    Usage { code, time: time(usage.ru_utime) + time(usage.ru_stime), memory }
}

/// The most memory of a process up to now, in bytes.
fn peak(pid: libc::pid_t) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}
