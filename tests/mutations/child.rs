//! A run of the program, with its peak memory.

use std::fs::{self, File};
use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

/// Addresses that a run may have: far above what it needs, and below what would harm the machine.
const ADDRESSES: u64 = 8 << 30;

/// So many bytes of standard error are looked at.
const MOST_SAID: u64 = 1 << 20;

/// How a run ended.
pub struct Ended {
    /// The exit code, or what happened instead.
    pub code: Result<i32, String>,
    pub stderr: String,
    /// Whether anything was written to standard output.
    pub any_output: bool,
    /// The most bytes that it had in memory at a time.
    pub memory: u64,
}

/// Runs the program alone on an archive, and waits for its end up to a limit; what it says goes to `scratch`.
/// OUT in arguments stands for a folder, which is removed.
pub fn run(args: &[&str], anchor: &Path, limit: Duration, scratch: &Path) -> Ended {
    let [out, err] = ["out", "err"].map(|name| scratch.join(name));
    let mut command = Command::new(env!("CARGO_BIN_EXE_streamfold"));
    // Not where there may be little room: outputs may become long.
    let writes = args.iter().any(|arg| arg.contains("OUT"));
    let folder = writes.then(|| tempfile::tempdir().expect("a folder"));
    let place = folder.as_ref().map_or(scratch, TempDir::path);
    let place = place.to_str().expect("a name that is text");
    command.args(args.iter().map(|arg| arg.replace("OUT", place))).arg(anchor).args([
        "--quiet",
        "--mpi",
        "off",
        "--threads",
        "2",
    ]);
    command.stdin(Stdio::null()).env_remove("STREAMFOLD_TEST_FAIL").env_remove("RUST_BACKTRACE");
    command.stdout(File::create(&out).expect("a file")).stderr(File::create(&err).expect("a file"));
    // SAFETY: only calls `setrlimit`, which is allowed between fork and exec.
    unsafe { command.pre_exec(bounded) };
    let (code, memory) = wait(command.spawn().expect("the program can be started").id(), limit);
    // Not all of it, whatever it is: a child begins as a copy of this process, whose memory counts as
    // the child's.
    let mut stderr = Vec::new();
    let said = File::open(err).expect("what was said").take(MOST_SAID);
    { said }.read_to_end(&mut stderr).expect("what was said");
    Ended {
        code,
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
        any_output: fs::metadata(out).expect("the output").len() > 0,
        memory,
    }
}

fn bounded() -> std::io::Result<()> {
    let limit = libc::rlimit { rlim_cur: ADDRESSES, rlim_max: ADDRESSES };
    // SAFETY: the structure lives as long as the call.
    match unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// How a child ended, and the most memory that it had.
fn wait(pid: u32, limit: Duration) -> (Result<i32, String>, u64) {
    let pid = libc::pid_t::try_from(pid).expect("a process number");
    let hung = !ends_within(pid, limit);
    if hung {
        // SAFETY: the child has not been waited for, so the number is still its own.
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }
    let mut status = 0;
    // SAFETY: all zeros are a valid `rusage`, plain numbers that `wait4` fills in.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both places outlive the call; the child is ours, and nobody else waits for it.
    assert_eq!(unsafe { libc::wait4(pid, &mut status, 0, &mut usage) }, pid, "the child is ours");
    let code = match (hung, libc::WIFEXITED(status)) {
        (true, _) => Err(format!("hung for {limit:?}")),
        (false, true) => Ok(libc::WEXITSTATUS(status)),
        (false, false) => Err(format!("ended by signal {}", libc::WTERMSIG(status))),
    };
    // Linux counts in KiB.
    (code, u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024)
}

/// Whether a child ends before a limit. Sleeps until it does: thousands of them are waited for.
fn ends_within(pid: libc::pid_t, limit: Duration) -> bool {
    // SAFETY: only numbers are passed; what comes back is a new descriptor of ours, or -1.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    let fd = i32::try_from(fd).ok().filter(|fd| *fd >= 0).expect("a descriptor of the child");
    // SAFETY: nobody else has the descriptor, which is closed when this is dropped.
    let fd = unsafe { OwnedFd::from_raw_fd(fd) };
    let limit = libc::c_int::try_from(limit.as_millis()).expect("a limit of seconds");
    let mut ended = libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: the structure lives as long as the call.
    unsafe { libc::poll(&mut ended, 1, limit) == 1 }
}
