//! A signal ends the job in order: soon, with one message and one exit code, on all ranks, without
//! an unfinished output, and with the outputs of earlier runs as they were.
//!
//! Where a run is when the signal comes is no matter of time: it stalls there, says so, and goes on
//! only to end.

use std::fs;
use std::io::{BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command};
use std::time::{Duration, Instant};

use crate::common::archives::one;
use crate::common::stalled::stall;
use tempfile::TempDir;

/// For machines with much else to do; it takes a tenth of a second, under mpirun up to two.
const SOON: Duration = Duration::from_secs(20);

/// How a job has ended.
#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    /// The signal that it died of, where it did.
    died_of: Option<i32>,
    /// What the program said; launchers add what they think of it.
    said: Vec<String>,
}

/// A job that stalls.
struct Stalled {
    child: Child,
    stderr: BufReader<ChildStderr>,
    /// The process that stalls.
    process: String,
    folder: TempDir,
}

/// A folder of outputs in which `a.csv` is from an earlier run.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.csv"), "older").expect("a file");
    folder
}

/// A profile with these outputs in the folder.
fn profile(folder: &Path, outputs: &[&str]) -> Vec<PathBuf> {
    let anchor = one("hybrid").anchor;
    let mut arguments = vec!["profile".into(), "-q".into(), anchor];
    if outputs.iter().any(|output| output.ends_with(".h5")) {
        arguments.push("--per-location".into());
    }
    for output in outputs {
        arguments.extend(["-o".into(), folder.join(output)]);
    }
    arguments
}

/// One process that stalls in this phase.
fn alone(phase: &str, outputs: &[&str]) -> Stalled {
    let folder = folder();
    let mut command = Command::new(env!("CARGO_BIN_EXE_streamfold"));
    command.args(profile(folder.path(), outputs)).args(["--mpi", "off"]);
    Stalled::start(command, &format!("{phase}:0"), folder)
}

impl Stalled {
    /// Starts a command and waits until it stalls at `place` (`PHASE:RANK`).
    fn start(command: Command, place: &str, folder: TempDir) -> Stalled {
        let (child, stderr, process) = stall(&command, place);
        Stalled { child, stderr, process, folder }
    }

    /// The files in the folder of outputs.
    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).expect("a folder");
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut names: Vec<_> = entries.map(|entry| name(entry.expect("an entry"))).collect();
        names.sort();
        names
    }

    /// Sends a signal to a process of the job and waits until all of it has ended.
    fn end(&mut self, signal: &str, process: &str) -> Ended {
        let sent = Command::new("kill").args(["-s", signal, process]).status().expect("kill");
        assert!(sent.success(), "{signal} to {process}");
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                break status;
            }
            if begin.elapsed() > SOON {
                let _ = self.child.kill();
                panic!("{signal} to {process} did not end the job");
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        // To the end, which comes when no process has it open any more.
        let mut stderr = String::new();
        self.stderr.read_to_string(&mut stderr).expect("text");
        let ours = stderr.lines().filter(|line| line.contains("streamfold: "));
        let said = ours.map(str::to_owned).collect();
        Ended { code: status.code(), died_of: status.signal(), said }
    }

    /// The signal, sent to the process that stalls.
    fn end_here(&mut self, signal: &str) -> Ended {
        let process = self.process.clone();
        self.end(signal, &process)
    }

    /// That nothing is there but what was there before the signal.
    fn assert_untouched(&self, what: &str) {
        assert_eq!(self.files(), ["a.csv"], "{what}");
        let older = fs::read_to_string(self.folder.path().join("a.csv")).expect("a file");
        assert_eq!(older, "older", "{what}");
    }
}

fn message(who: &str, signal: &str) -> String {
    format!(
        "streamfold: {who}ended by SIG{signal} before the work was done; outputs that were not \
         finished are removed"
    )
}

#[test]
fn each_signal_has_its_code() {
    for (signal, code) in [("HUP", 129), ("USR1", 138), ("USR2", 140), ("TERM", 143), ("XCPU", 152)]
    {
        let mut job = alone("scan", &["a.csv"]);
        let ended = job.end_here(signal);
        assert_eq!(ended.code, Some(code), "{signal}: {ended:?}");
        assert_eq!(ended.said, [message("", signal)]);
        job.assert_untouched(signal);
    }
}

/// Shells end their own loops only when a program has died of the signal; they say 130 then.
#[test]
fn one_process_dies_of_an_interrupt() {
    let mut job = alone("scan", &["a.csv"]);
    let ended = job.end_here("INT");
    assert_eq!((ended.code, ended.died_of), (None, Some(2)), "{ended:?}");
    assert_eq!(ended.said, [message("", "INT")]);
    job.assert_untouched("INT");
}

#[test]
fn an_output_that_is_being_written_is_removed() {
    for (phase, output) in
        [("put", "a.csv"), ("put", "p.h5"), ("matrix", "p.h5"), ("rows", "p.cubex")]
    {
        if output == "p.h5" && !cfg!(feature = "hdf5") {
            continue;
        }
        for signal in ["TERM", "USR1"] {
            let mut job = alone(phase, &[output]);
            let files = job.files();
            let unfinished = files.iter().filter(|name| name.starts_with(".streamfold-")).count();
            assert_eq!(unfinished, 1, "{phase} {output}: {files:?}");
            let ended = job.end_here(signal);
            assert_eq!(ended.said, [message("", signal)], "{phase} {output}: {ended:?}");
            job.assert_untouched(output);
        }
    }
}

/// `nohup` and shells that start something in the background have signals ignored.
#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    let folder = folder();
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' INT HUP; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_streamfold")]);
    command.args(profile(folder.path(), &["a.csv"])).args(["--mpi", "off"]);
    let mut job = Stalled::start(command, "scan:0", folder);
    for ignored in ["INT", "HUP"] {
        let sent = Command::new("kill").args(["-s", ignored, &job.process]).status();
        assert!(sent.expect("kill").success());
    }
    // Signals are delivered in no order, but those that do something have ended it by then.
    std::thread::sleep(Duration::from_millis(300));
    let ended = job.end_here("TERM");
    assert_eq!((ended.code, &ended.said[..]), (Some(143), &[message("", "TERM")][..]));
}

/// `ulimit -f`, as batch systems set it: an error of the file, and not the end of the program.
#[test]
fn a_file_that_may_not_become_so_large_is_an_error() {
    let folder = folder();
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -f 1; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_streamfold")]);
    command.args(["copy", "--reencode", "-q", "--mpi", "off"]).arg(one("hybrid").anchor);
    let ended = command.arg("-o").arg(folder.path().join("b.otf2")).output().expect("a run");
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!((ended.status.code(), said.lines().count()), (Some(4), 1), "{said}");
    assert!(said.contains("File too large"), "{said}");
    let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[cfg(feature = "ranks")]
mod ranks {
    use super::*;
    use crate::common::program::ranks;
    #[cfg(feature = "hdf5")]
    use crate::common::program::{finish, said};

    const RANKS: usize = 3;

    /// Three ranks of which one stalls; `None` without mpirun.
    fn three(place: &str, outputs: &[&str]) -> Option<Stalled> {
        let folder = folder();
        let command = ranks(RANKS, profile(folder.path(), outputs))?;
        Some(Stalled::start(command, place, folder))
    }

    /// Places in a run, with an output that is not finished there: while reading, while rank 0
    /// writes, and while all ranks write to one file.
    fn places() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
        let places: [(_, &[_]); 3] =
            [("scan:1", &["a.csv"]), ("put:0", &["a.csv"]), ("matrix:2", &["p.h5"])];
        places.into_iter().filter(|(_, outputs)| cfg!(feature = "hdf5") || *outputs != ["p.h5"])
    }

    fn assert_one_message(ended: &Ended, signal: &str, what: &str) {
        let ranks = (0..RANKS).map(|rank| message(&format!("rank {rank}: "), signal));
        let [said] = &ended.said[..] else { panic!("{what}: one message: {ended:?}") };
        assert!(ranks.into_iter().any(|message| *said == message), "{what}: {said}");
    }

    /// What `kill PID` of one process does.
    #[test]
    fn a_signal_to_one_rank_ends_all() {
        for (place, outputs) in places() {
            for (signal, code) in [("TERM", 143), ("USR1", 138)] {
                let Some(mut job) = three(place, outputs) else { return };
                let ended = job.end_here(signal);
                let what = format!("{signal} at {place}");
                assert_eq!(ended.code, Some(code), "{what}: {ended:?}");
                let rank = &place[place.len() - 1..];
                assert_eq!(ended.said, [message(&format!("rank {rank}: "), signal)], "{what}");
                job.assert_untouched(&what);
            }
        }
    }

    /// What `scancel --signal`, or a batch system before the end of the time, does with a launcher:
    /// it passes the signal on to all ranks.
    #[test]
    fn a_signal_to_all_ranks_ends_them_with_one_message() {
        for (place, outputs) in places() {
            let Some(mut job) = three(place, outputs) else { return };
            let launcher = job.child.id().to_string();
            let ended = job.end("USR1", &launcher);
            assert_eq!(ended.code, Some(138), "{place}: {ended:?}");
            assert_one_message(&ended, "USR1", place);
            job.assert_untouched(place);
        }
    }

    /// Launchers end the ranks with SIGTERM then, and with a code of their own.
    #[test]
    fn a_launcher_that_is_ended_ends_all_ranks_in_order() {
        for (place, outputs) in places() {
            let Some(mut job) = three(place, outputs) else { return };
            let launcher = job.child.id().to_string();
            let ended = job.end("TERM", &launcher);
            assert_ne!(ended.code, Some(0), "{place}: {ended:?}");
            assert_one_message(&ended, "TERM", place);
            job.assert_untouched(place);
        }
    }

    /// A rank that fails while all write to one file, which rank 0 has made: the launcher ends rank 0.
    #[cfg(feature = "hdf5")]
    #[test]
    fn a_rank_that_fails_leaves_no_unfinished_output_of_another() {
        for place in ["matrix:2", "matrix:2:panic"] {
            let folder = folder();
            let outputs = profile(folder.path(), &["p.h5"]);
            let Some(mut command) = ranks(RANKS, outputs) else { return };
            let ended = finish(command.env("STREAMFOLD_TEST_FAIL", place), SOON);
            let ended = ended.unwrap_or_else(|hung| panic!("{place}: {hung}"));
            assert_eq!(ended.status.code(), Some(5), "{place}: {}", said(&ended));
            assert_eq!(
                said(&ended).matches("streamfold: ").count(),
                1,
                "{place}: {}",
                said(&ended)
            );
            let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
            assert_eq!(left.len(), 1, "{place}: {left:?}");
        }
    }
}
