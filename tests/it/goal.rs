//! Schedules for LogGOPSim: a program in Python, which knows nothing of traces, reads them as `txt2bin` does, and finds how
//! long they take on a network without latency. That is what a replay on an ideal network takes.

use std::ffi::OsStr;
use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngSeed, TestRunner};
use serde_json::Value;
use tempfile::TempDir;

use crate::common::archives::{data, large, one, own, Archive};
use crate::common::cases::cases;
use crate::common::program::{mpirun_with, said, streamfold, team, text};
use crate::common::skipped;
use crate::replay::{programs, ticks, traced};
use crate::waitstates::random::{backward, jumps, mpi, rma, threads};
use crate::waitstates::trace::Trace;
use crate::waitstates::written::Written;

/// Schedules in a folder, and what the program says that they take on an ideal network, in ticks, with ticks a second.
struct Schedules {
    folder: TempDir,
    of: Vec<(PathBuf, u64, u64)>,
    /// Words for each.
    shown: Vec<String>,
}

impl Schedules {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Schedules { folder, of: Vec::new(), shown: Vec::new() }
    }

    fn next(&self) -> PathBuf {
        self.folder.path().join(format!("{}.goal", self.of.len()))
    }

    /// Converts a trace on so many ranks. A trace in which nothing can be replayed is left out.
    fn add(&mut self, anchor: &Path, ranks: usize, shown: String) {
        let to = self.next();
        let run = team(ranks, convert(anchor, &to));
        let options = ["efficiency", "-q", "--format", "json", "--what-if", "latency=0"];
        let options = options.iter().map(OsStr::new);
        let efficiency = streamfold(options.chain([anchor.as_os_str()])).output().expect("a run");
        let report: Option<Value> = serde_json::from_slice(&efficiency.stdout).ok();
        let Some(report) = report.filter(|_| to.exists()) else {
            assert!(matches!(run.status.code(), Some(2 | 3)), "{shown}: {}", said(&run));
            return;
        };
        assert!(matches!(run.status.code(), Some(0 | 3)), "{shown}: {}", said(&run));
        let resolution = report["runs"][0]["resolution"].as_u64().expect("ticks a second");
        let ideal = ticks(&report, true, 0, 1.0).expect("an ideal network");
        self.of.push((to, ideal, resolution));
        self.shown.push(shown);
    }

    /// Compares all of them with what the other program finds. `solve`: with networkx and HiGHS.
    fn compare(&self, solve: bool) {
        let paths = self.of.iter().map(|(path, ..)| path.as_path());
        let Some(found) = read(paths, solve) else { return };
        assert_eq!(found.len(), self.of.len());
        for ((found, (_, ideal, resolution)), shown) in found.iter().zip(&self.of).zip(&self.shown)
        {
            let number = |name: &str| found[name].as_u64().expect("a number");
            let longest = number("longest");
            let ideal = u128::from(*ideal) * 1_000_000_000 / u128::from(*resolution);
            // Each computation begins and ends at a whole nanosecond: less than one is lost where the longest way goes
            // from one rank to another.
            let lost = match 1_000_000_000 % *resolution {
                0 => 0,
                _ => number("operations"),
            };
            let differs = ideal.abs_diff(longest.into());
            assert!(differs <= u128::from(lost), "{longest} is not {ideal}: {found}\n{shown}");
            if solve {
                assert_eq!([number("networkx"), number("highs")], [longest; 2], "{shown}");
            }
        }
    }
}

fn convert(from: &Path, to: &Path) -> Vec<PathBuf> {
    vec!["convert".into(), from.into(), "-o".into(), to.into(), "--force".into()]
}

/// Runs the other program over these files. Returns `None`, and says so, if there is no Python for it.
fn read<'p>(paths: impl Iterator<Item = &'p Path>, solve: bool) -> Option<Vec<Value>> {
    let python = std::env::var_os("STREAMFOLD_PYTHON").unwrap_or("python3".into());
    let needs = if solve { "networkx, highspy, numpy" } else { "json" };
    let has = Command::new(&python).args(["-c", &format!("import {needs}")]).output();
    if !has.is_ok_and(|has| has.status.success()) {
        skipped(&format!("schedules with Python, which has no {needs} (STREAMFOLD_PYTHON)"));
        return None;
    }
    let reader = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/goal_reader.py");
    let mut command = Command::new(&python);
    command.arg(reader).args(solve.then_some("--solve")).args(paths);
    let run = command.output().expect("a run");
    assert!(run.status.success(), "{}", text(&run.stderr));
    let lines = text(&run.stdout);
    // HiGHS says who it is.
    let lines = lines.lines().filter(|line| line.starts_with('{'));
    Some(lines.map(|line| serde_json::from_str(line).expect("JSON")).collect())
}

/// Random cases of a kind, the same ones each time.
fn some<T: Debug>(count: u32, seed: u64, all: impl Strategy<Value = T>) -> Vec<T> {
    let config = Config { rng_seed: RngSeed::Fixed(seed), ..Config::default() };
    let mut runner = TestRunner::new(config);
    (0..count).map(|_| all.new_tree(&mut runner).expect("a case").current()).collect()
}

/// Schedules of random traces.
fn of_all<T: Debug>(traces: &[(T, Trace)]) -> Schedules {
    let mut schedules = Schedules::new();
    for ((script, trace), ranks) in traces.iter().zip([1, 2, 3, 5].into_iter().cycle()) {
        let written = Written::new(trace);
        schedules.add(&written.anchor, ranks, format!("{script:?}"));
    }
    schedules
}

#[test]
fn random_programs_take_as_long_as_others_find() {
    let programs = some(cases(1000), 1, programs());
    let clocks =
        |ranks: usize| (0..ranks as u64).map(|rank| rank * 7919 % 1000).collect::<Vec<_>>();
    let traces = programs.into_iter().map(|(ranks, actions)| {
        let trace = traced(&actions, ranks, &clocks(ranks));
        (actions, trace)
    });
    of_all(&traces.collect::<Vec<_>>()).compare(true);
}

#[test]
fn requests_threads_and_windows_take_as_long_as_others_find() {
    let of = |script: mpi::Script| (format!("{script:?}"), mpi::trace(&script));
    let mut traces: Vec<_> =
        some(cases(200), 2, mpi::script(12, false)).into_iter().map(of).collect();
    traces.extend(some(cases(200), 3, mpi::script(30, true)).into_iter().map(of));
    let scripts = some(cases(200), 4, threads::script(3)).into_iter();
    traces.extend(scripts.map(|script| (format!("{script:?}"), threads::trace(&script))));
    let scripts = some(cases(100), 5, rma::script(8)).into_iter();
    traces.extend(scripts.map(|script| (format!("{script:?}"), rma::trace(&script))));
    // Of those that go back some contradict each other.
    let scripts = some(cases(200), 6, (mpi::script(20, true), jumps())).into_iter();
    traces.extend(scripts.map(|(script, jumps)| {
        (format!("{script:?} {jumps:?}"), backward(mpi::trace(&script), &jumps))
    }));
    of_all(&traces).compare(true);
}

/// Every rank of a recorded program is free of circles, and each send has its receive.
#[test]
fn recorded_programs_take_as_long_as_others_find() {
    let mut schedules = Schedules::new();
    let archives: Vec<Archive> = own().into_iter().chain(large()).collect();
    for archive in &archives {
        schedules.add(&archive.anchor, 1, archive.anchor.display().to_string());
    }
    schedules.compare(false);
}

#[test]
fn text_is_the_same_on_any_number_of_ranks_and_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("t.goal");
    for archive in own().into_iter().chain(large()) {
        let name = archive.anchor.display();
        let written = |ranks: usize, options: &[&str]| {
            let args = convert(&archive.anchor, &to);
            let args = args.iter().map(|arg| arg.as_os_str());
            let run = team(ranks, args.chain(options.iter().map(OsStr::new)));
            let text = fs::read(&to).ok();
            assert!(matches!(run.status.code(), Some(0 | 2 | 3)), "{name}: {}", said(&run));
            let _ = fs::remove_file(&to);
            text
        };
        let one = written(1, &["--threads", "1"]);
        for (ranks, options) in [
            (1, &["--threads", "3", "--room", "1000"][..]),
            (2, &["--room", "1000"][..]),
            (3, &[][..]),
            (5, &["--threads", "2"][..]),
        ] {
            let other = written(ranks, options);
            assert!(one == other, "{name}: {ranks} ranks, {options:?}");
        }
    }
}

/// The text of a few calls is what anybody would write.
#[test]
fn the_text_is_readable() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("t.goal");
    let said = text(team(1, convert(&one("pingpong").anchor, &to)).stderr);
    assert!(said.contains("wrote 2 ranks, 72 operations, 18 messages"), "{said}");
    let found = fs::read_to_string(&to).expect("text");
    let begin =
        "num_ranks 2\n\nrank 0 {\nc0: calc 66468\ns0: send 16384b to 1 tag 0\ns0 requires c0\n";
    assert!(found.starts_with(begin), "{}", &found[..200]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let from = one("pingpong").anchor;
    let refused = |to: &str, options: &[&str], code: i32| {
        let to = folder.path().join(to);
        let args = ["convert".as_ref(), from.as_os_str(), "-o".as_ref(), to.as_os_str()];
        let run = streamfold(args).args(options).output().expect("a run");
        assert_eq!(run.status.code(), Some(code), "{}", said(&run));
        said(&run)
    };
    assert!(refused("t.goal", &["--time", "0", "1ms"], 1).contains("--time"));
    assert!(refused("t.json", &["--memory", "1GiB"], 1).contains("--memory"));
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    fs::write(folder.path().join("t.goal"), "mine").expect("a file");
    assert!(refused("t.goal", &[], 4).contains("--force"));
    assert_eq!(fs::read(folder.path().join("t.goal")).expect("a file"), b"mine");
    let log = data().join("every-kind/t.otf2");
    let to = folder.path().join("strict.goal");
    let args = ["convert".as_ref(), log.as_os_str(), "-o".as_ref(), to.as_os_str()];
    let run = streamfold(args).arg("--strict").output().expect("a run");
    assert!(run.status.code() == Some(2) && !to.exists(), "{}", said(&run));
}

/// A rank that fails while the text is on its way takes the others down, and nothing is left.
#[test]
fn a_failing_rank_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("t.goal");
    for rank in 0..3 {
        let failing = format!("schedule:{rank}");
        let args = convert(&one("hybrid").anchor, &to);
        let run = mpirun_with(&[("STREAMFOLD_TEST_FAIL", failing.as_str())], 3, args);
        let Some(run) = run else { return };
        assert_eq!(run.status.code(), Some(5), "{failing}: {}", said(&run));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "{failing}");
    }
}
