//! No more room on the way: told with the name that the file would have had, and nothing is left.
//!
//! A limit on the size of files stands for the disk.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use streamfold::formats::otf2::Order;

use crate::common::program::said;
use crate::made::Made;
use crate::{expect_message, Place};

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

#[test]
fn is_4_and_leaves_nothing() {
    let made = Made::new(Order::Little, 200);
    made.remove(".def");
    made.cut("/0.evt", 5000);
    for limit in [1, 100, 2000, 4000] {
        let place = Place::new();
        let (from, to) = (made.anchor(), place.anchor());
        let mut command = Command::new(env!("CARGO_BIN_EXE_streamfold"));
        let args = [OsStr::new("salvage"), from.as_ref(), OsStr::new("-o"), to.as_ref()];
        command.args(args).env_remove("STREAMFOLD_TEST_FAIL");
        // SAFETY: only calls `signal` and `setrlimit`, which are allowed between fork and exec.
        unsafe { command.pre_exec(move || limited(limit)) };
        let ended = command.output().expect("the program runs");
        expect_message(&ended, 4, &place.file("new/salvaged").to_string_lossy());
        assert!(said(&ended).contains("File too large"), "{limit}: {}", said(&ended));
        assert!(!place.file("new").exists(), "{limit}");
    }
}
