//! A signal ends the work before the archive is whole: what was begun is removed, and what was there
//! stays.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use crate::common::archives::one;
use crate::common::files::Files;
use crate::Place;

/// A run that has written files of locations, and waits to be ended.
struct Stalled {
    child: Child,
    stderr: BufReader<ChildStderr>,
}

impl Stalled {
    fn start(to: &Path, options: &[&str]) -> Stalled {
        // Whatever this test's own parents have ignored.
        let mut command = Command::new("env");
        command.arg("--default-signal").arg(env!("CARGO_BIN_EXE_streamfold")).arg("unify");
        command.arg(one("eztrace").anchor).arg("-o").arg(to).args(options).args(["--mpi", "off"]);
        command.env("STREAMFOLD_TEST_FAIL", "reduce:0:stall");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        while !line.starts_with("STREAMFOLD_TEST_FAIL: ") {
            line.clear();
            let length = stderr.read_line(&mut line).expect("a line");
            assert!(length > 0, "the program ended before it stalled");
        }
        Stalled { child, stderr }
    }

    /// Sends a signal; what the program says until it has ended.
    fn end(mut self, signal: libc::c_int) -> String {
        let process = libc::pid_t::try_from(self.child.id()).expect("a process number");
        // SAFETY: the child has not been waited for, so the number is still its own.
        unsafe { libc::kill(process, signal) };
        let mut said = String::new();
        self.stderr.read_to_string(&mut said).expect("text");
        assert!(!self.child.wait().expect("an end").success(), "{said}");
        said
    }
}

#[test]
fn nothing_of_the_new_archive_is_left() {
    for (signal, options) in [(libc::SIGTERM, &[][..]), (libc::SIGINT, &["--rewrite-events"])] {
        let place = Place::new();
        let stalled = Stalled::start(&place.anchor(), options);
        assert!(place.left()[0].starts_with(".streamfold-"), "{:?}", place.left());
        let said = stalled.end(signal);
        assert!(said.contains("outputs that were not finished are removed"), "{said}");
        assert!(place.left().is_empty(), "{:?}", place.left());
    }
}

#[test]
fn the_old_archive_stays() {
    let (place, there) = Place::with(&one("pingpong"));
    let (before, left) = (Files::read(&there), place.left());
    Stalled::start(&there, &["--force"]).end(libc::SIGTERM);
    Files::read(&there).assert_same(&before, "the old archive");
    assert_eq!(place.left(), left);
}
