//! How the program ends, what it says on its way, and what it leaves behind.

mod common;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use common::{one, said, skipped, streamfold};
use tempfile::TempDir;

/// A folder to work in: a trace that can be read and damaged, and a place for outputs.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().expect("a temporary folder") };
        common::copy_folder(&one("intercomm").folder, &place.trace());
        fs::create_dir(place.outputs()).expect("a folder");
        place
    }

    fn trace(&self) -> PathBuf {
        self.folder.path().join("trace")
    }

    fn anchor(&self) -> PathBuf {
        self.trace().join("traces.otf2")
    }

    fn outputs(&self) -> PathBuf {
        self.folder.path().join("outputs")
    }

    /// Cuts the events of a location in the middle of a record.
    fn damage(&self, location: u64) {
        let path = self.trace().join(format!("traces/{location}.evt"));
        let events = fs::read(&path).expect("events");
        fs::write(path, &events[..500]).expect("cut");
    }

    /// Everything in the folder of outputs, hidden files as well.
    fn left(&self) -> Vec<String> {
        let entries = fs::read_dir(self.outputs()).expect("the folder of outputs");
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut names: Vec<_> = entries.map(|entry| name(entry.expect("an entry"))).collect();
        names.sort();
        names
    }

    /// Runs `streamfold profile ANCHOR` in the folder of outputs, with more arguments.
    fn profile(&self, more: &[&str]) -> Output {
        let mut command = streamfold(["profile"]);
        command.arg(self.anchor()).args(more).current_dir(self.outputs());
        command.output().expect("a run")
    }
}

/// Ended with this code, and said why on standard error, in lines of the program's own.
#[track_caller]
fn expect_failure(output: &Output, code: i32, message: &str) {
    let said = said(output);
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(said.contains(message), "`{message}` in: {said}");
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

// ------------------------------------------------------------ help

/// The long options that a help text lists.
fn options(help: &str) -> BTreeSet<String> {
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let option = |line: &str| {
        let (_, rest) = line.split_once("--")?;
        let end = rest.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(rest.len());
        Some(rest[..end].to_owned())
    };
    lines.filter_map(option).collect()
}

#[test]
fn help_lists_commands_options_and_exit_codes() {
    let output = streamfold(["--help"]).output().expect("a run");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(said(&output), "");
    let help = text(&output.stdout);
    let expected = ["help", "max-open-files", "mpi", "quiet", "threads", "version"];
    assert_eq!(options(&help), expected.map(str::to_owned).into());
    assert!(help.lines().any(|line| line.trim_start().starts_with("profile  ")));
    let (_, codes) = help.split_once("Exit codes:").expect("exit codes");
    for code in 0..=5 {
        assert!(codes.contains(&format!("\n  {code}  ")), "{code} in {codes}");
    }
}

#[test]
fn help_of_profile_lists_all_options_and_examples() {
    for args in [["profile", "--help"], ["help", "profile"]] {
        let output = streamfold(args).output().expect("a run");
        assert_eq!(output.status.code(), Some(0));
        let help = text(&output.stdout);
        let expected = [
            "by",
            "format",
            "help",
            "max-open-files",
            "mpi",
            "output",
            "per-location",
            "plan",
            "quiet",
            "sort",
            "strict",
            "threads",
            "top",
        ];
        assert_eq!(options(&help), expected.map(str::to_owned).into());
        assert!(help.contains("\nExamples:\n"));
    }
}

/// Every example of the help is a command that works.
#[test]
fn the_examples_work() {
    let help = text(&streamfold(["profile", "--help"]).output().expect("a run").stdout);
    let (_, examples) = help.split_once("\nExamples:\n").expect("examples");
    let place = Place::new();
    let mut done = 0;
    for example in examples.lines() {
        let example = example.trim();
        // Jobs of a launcher, and outputs that a build need not be able to write, are not for here.
        if !example.starts_with("streamfold ") || example.contains(".h5") {
            continue;
        }
        // A comment stands behind two spaces.
        let command = example.split("  ").next().unwrap_or_default();
        let mut run = streamfold(command.split(' ').skip(1));
        let output = run.current_dir(place.trace()).output().expect("a run");
        assert_eq!(output.status.code(), Some(0), "{command}: {}", said(&output));
        done += 1;
    }
    assert!(done >= 4, "{done} examples");
}

#[test]
fn version_is_that_of_the_package() {
    let output = streamfold(["--version"]).output().expect("a run");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), concat!("streamfold ", env!("CARGO_PKG_VERSION"), "\n"));
}

// ------------------------------------------------------------ 0

#[test]
fn done_is_0_and_leaves_the_outputs_and_nothing_else() {
    let place = Place::new();
    let output = place.profile(&["-o", "a.csv", "-o", "b.json", "-o", "c.txt"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(output.stdout.is_empty(), "standard output was not asked for");
    assert_eq!(place.left(), ["a.csv", "b.json", "c.txt"]);
}

#[test]
fn an_output_takes_the_place_of_an_older_one() {
    let place = Place::new();
    let path = place.outputs().join("a.csv");
    fs::write(&path, "older").expect("a file");
    assert_eq!(place.profile(&["-o", "a.csv"]).status.code(), Some(0));
    assert!(fs::read_to_string(path).expect("the output").starts_with("region,"));
}

/// Others may read an output as they may read any new file, though it was a temporary one.
#[test]
fn an_output_has_the_permissions_of_a_new_file() {
    let place = Place::new();
    let script = "umask 027; exec \"$0\" profile -q \"$1\" -o a.csv";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_streamfold")]).arg(place.anchor());
    assert!(shell.current_dir(place.outputs()).status().expect("a run").success());
    let permissions = fs::metadata(place.outputs().join("a.csv")).expect("the output");
    assert_eq!(permissions.permissions().mode() & 0o777, 0o640);
}

#[test]
fn the_trace_stays_as_it_is() {
    let place = Place::new();
    let contents = || {
        let folders = [place.trace(), place.trace().join("traces")];
        let entries = folders.iter().flat_map(|f| fs::read_dir(f).expect("a folder"));
        let files = entries.map(|e| e.expect("an entry").path()).filter(|path| path.is_file());
        let mut all: Vec<_> = files.map(|p| (fs::read(&p).expect("a file"), p)).collect();
        all.sort();
        all
    };
    let before = contents();
    assert_eq!(place.profile(&["-o", "a.csv"]).status.code(), Some(0));
    assert_eq!(contents(), before);
}

#[test]
fn a_reader_who_has_seen_enough_is_no_error() {
    let place = Place::new();
    for format in ["table", "csv", "json"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_streamfold"));
        command.args(["profile", "-q", "--by", "callpath", "--format", format]).arg(place.anchor());
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stdout.take()); // before anything is written, since reading takes a while
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!(output.status.code(), Some(0), "{format}");
        assert_eq!(said(&output), "", "{format}");
    }
}

// ------------------------------------------------------------ what it says

#[test]
fn quiet_says_nothing() {
    let place = Place::new();
    let output = place.profile(&["--quiet"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(said(&output), "");
    assert!(!output.stdout.is_empty());
}

/// A line with who works, and a summary in one line; no progress, since nobody watches a file.
#[test]
fn otherwise_it_says_who_works_and_how_much_was_done() {
    let place = Place::new();
    let output = place.profile(&["--threads", "2"]);
    let said = said(&output);
    let lines: Vec<_> = said.lines().collect();
    let [who, summary] = lines[..] else { panic!("two lines: {said}") };
    assert_eq!(who, "streamfold: 1 rank, 2 threads: --threads");
    assert!(summary.starts_with("streamfold: 2 916 events, "), "{summary}");
    assert!(summary.contains(" events/s") && summary.contains("memory"), "{summary}");
    assert!(!said.contains(['\r', '\x1b']));
}

/// Losses are no chatter.
#[test]
fn quiet_keeps_no_loss_to_itself() {
    let place = Place::new();
    place.damage(1);
    let output = place.profile(&["--quiet"]);
    assert_eq!(output.status.code(), Some(3));
    let said = said(&output);
    assert!(said.contains("1.evt") && said.contains("at byte 500"), "{said}");
    assert!(said.ends_with("streamfold: not all of the trace could be read: 1 loss\n"), "{said}");
}

// ------------------------------------------------------------ 1

#[test]
fn a_wrong_command_line_is_1() {
    let place = Place::new();
    let anchor = place.anchor();
    let anchor = anchor.to_str().expect("text");
    let wrong: &[&[&str]] = &[
        &[],
        &["no-command"],
        &["profile"],
        &["profile", anchor, anchor],
        &["profile", anchor, "--no-option"],
        &["profile", anchor, "--by", "nothing"],
        &["profile", anchor, "--sort", "nothing"],
        &["profile", anchor, "--format", "nothing"],
        &["profile", anchor, "--top", "-1"],
        &["profile", anchor, "--top", "many"],
        &["profile", anchor, "--plan=0"],
        &["profile", anchor, "--threads", "0"],
        &["profile", anchor, "--max-open-files", "0"],
        &["profile", anchor, "--mpi", "perhaps"],
        &["profile", anchor, "-o"],
        &["profile", anchor, "-o", "a.pdf"],
        &["profile", anchor, "-o", "a"],
        &["profile", anchor, "-o", "a.csv", "-o", "/dev/full"],
    ];
    for args in wrong {
        let output = streamfold(*args).current_dir(place.outputs()).output().expect("a run");
        assert_eq!(output.status.code(), Some(1), "{args:?}: {}", said(&output));
        assert!(output.stdout.is_empty(), "{args:?}");
        assert_ne!(said(&output), "", "{args:?}");
    }
    assert!(place.left().is_empty(), "{:?}", place.left());
}

#[test]
fn an_unknown_suffix_is_told_before_anything_is_read() {
    let output = streamfold(["profile", "there-is-none.otf2", "-o", "a.pdf"]).output();
    expect_failure(&output.expect("a run"), 1, "a.pdf: .csv, .json, .h5 and .txt are known");
}

#[cfg(not(feature = "hdf5"))]
#[test]
fn hdf5_is_refused_by_a_program_without_it() {
    expect_failure(&Place::new().profile(&["-o", "a.h5"]), 1, "without HDF5");
}

// ------------------------------------------------------------ 2

#[test]
fn what_is_no_anchor_is_2() {
    let place = Place::new();
    let other_name = place.trace().join("traces.def");
    let output = streamfold([OsStr::new("profile"), other_name.as_os_str()]).output();
    expect_failure(&output.expect("a run"), 2, "the name of an anchor ends in .otf2");
    for (contents, message) in [("", "the file is empty"), ("no anchor", "at byte 0")] {
        fs::write(place.anchor(), contents).expect("overwritten");
        let output = place.profile(&["-o", "a.csv"]);
        expect_failure(&output, 2, message);
        assert!(said(&output).contains("traces.otf2"));
    }
    assert!(place.left().is_empty());
}

/// Definitions that end early, or are fewer than the anchor says, are no definitions: names and
/// groups could be wrong without a sign of it.
#[test]
fn global_definitions_that_cannot_be_read_are_2() {
    let place = Place::new();
    let path = place.trace().join("traces.def");
    let definitions = fs::read(&path).expect("definitions");
    for damaged in [&b""[..], b"no definitions", &definitions[..definitions.len() / 2]] {
        fs::write(&path, damaged).expect("overwritten");
        let output = place.profile(&["-o", "a.csv"]);
        expect_failure(&output, 2, "traces.def");
    }
    assert!(place.left().is_empty());
}

#[test]
fn the_first_loss_is_2_when_strict() {
    let place = Place::new();
    assert_eq!(place.profile(&["--strict"]).status.code(), Some(0));
    place.damage(1);
    let output = place.profile(&["--strict", "-o", "a.csv"]);
    expect_failure(&output, 2, "1.evt: at byte 500");
    assert!(output.stdout.is_empty());
    assert!(place.left().is_empty());
}

// ------------------------------------------------------------ 3

#[test]
fn losses_are_3_and_the_outputs_are_there() {
    let place = Place::new();
    place.damage(1);
    fs::remove_file(place.trace().join("traces/2.evt")).expect("removed");
    let output = place.profile(&["-o", "a.csv", "-o", "b.json", "-o", "-"]);
    expect_failure(&output, 3, "not all of the trace could be read: 2 losses");
    assert_eq!(place.left(), ["a.csv", "b.json"]);
    let table = text(&output.stdout);
    let (_, losses) = table.split_once("Not all of the trace could be read:").expect("losses");
    for loss in [losses, &said(&output)] {
        assert!(loss.contains("1.evt") && loss.contains("2.evt"), "{loss}");
    }
}

// ------------------------------------------------------------ 4

#[test]
fn an_anchor_that_is_not_there_is_4() {
    let place = Place::new();
    fs::remove_file(place.anchor()).expect("removed");
    expect_failure(&place.profile(&["-o", "a.csv"]), 4, "traces.otf2: No such file or directory");
    assert!(place.left().is_empty());
}

#[test]
fn a_folder_that_is_not_there_is_4() {
    let place = Place::new();
    for output in ["nowhere/a.csv", "nowhere/deeper/a.json"] {
        // The output that could be made does not appear either.
        expect_failure(&place.profile(&["-o", "b.csv", "-o", output]), 4, output);
        assert!(place.left().is_empty());
    }
}

#[test]
fn a_folder_in_place_of_the_output_is_4() {
    let place = Place::new();
    fs::create_dir(place.outputs().join("a.csv")).expect("a folder");
    expect_failure(&place.profile(&["-o", "a.csv"]), 4, "a.csv: it is a directory");
    assert_eq!(place.left(), ["a.csv"]);
}

#[test]
fn a_folder_that_cannot_be_written_to_is_4() {
    let place = Place::new();
    fs::set_permissions(place.outputs(), fs::Permissions::from_mode(0o555)).expect("permissions");
    if fs::write(place.outputs().join("probe"), "").is_ok() {
        skipped("a folder that cannot be written to: this user may write anywhere");
    } else {
        expect_failure(&place.profile(&["-o", "a.csv"]), 4, "a.csv: Permission denied");
        assert!(place.left().is_empty());
    }
    fs::set_permissions(place.outputs(), fs::Permissions::from_mode(0o755)).expect("permissions");
}

#[test]
fn a_full_disk_below_standard_output_is_4() {
    if !Path::new("/dev/full").exists() {
        return skipped("a full disk below standard output: there is no /dev/full");
    }
    let place = Place::new();
    for format in ["table", "csv", "json"] {
        let full = fs::File::options().write(true).open("/dev/full").expect("/dev/full");
        let mut command = Command::new(env!("CARGO_BIN_EXE_streamfold"));
        command.args(["profile", "--format", format]).arg(place.anchor());
        let output = command.stdout(full).output().expect("a run");
        expect_failure(&output, 4, "No space left on device");
    }
}

/// The limit on the size of files stands for a disk that fills up while an output is written.
/// Nothing of it is left, and the output of an earlier run stays.
#[test]
fn a_disk_that_fills_up_is_4_and_leaves_nothing() {
    let place = Place::new();
    let limited = || {
        let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" profile \"$1\" -o a.json";
        let mut shell = Command::new("sh");
        shell.args(["-c", script, env!("CARGO_BIN_EXE_streamfold")]).arg(place.anchor());
        shell.current_dir(place.outputs()).output().expect("a run")
    };
    expect_failure(&limited(), 4, "cannot write a.json: File too large");
    assert!(place.left().is_empty());
    fs::write(place.outputs().join("a.json"), "older").expect("a file");
    expect_failure(&limited(), 4, "cannot write a.json: File too large");
    assert_eq!(place.left(), ["a.json"]);
    assert_eq!(fs::read_to_string(place.outputs().join("a.json")).expect("a file"), "older");
}

// ------------------------------------------------------------ 5, and several ranks

/// A failure of the program itself, ordered for the test.
#[test]
fn a_failure_of_its_own_is_5_in_every_phase() {
    for phase in ["open", "plan", "scan", "reduce", "report"] {
        let place = Place::new();
        let mut command = streamfold(["profile"]);
        command.arg(place.anchor()).args(["-o", "a.csv"]).current_dir(place.outputs());
        command.env("STREAMFOLD_TEST_FAIL", format!("{phase}:0"));
        expect_failure(&command.output().expect("a run"), 5, "STREAMFOLD_TEST_FAIL");
        assert!(place.left().is_empty(), "{phase}");
    }
}

#[cfg(feature = "mpi")]
mod ranks {
    use super::*;

    /// Runs 3 ranks with these arguments; the outputs are where `more` says.
    fn three(place: &Place, more: &[&str]) -> Option<Output> {
        let anchor = place.anchor();
        let args = [OsStr::new("profile"), anchor.as_os_str()];
        common::mpirun(3, args.into_iter().chain(more.iter().map(OsStr::new)))
    }

    /// Lines of the program; a launcher may add its own.
    fn own_lines(output: &Output) -> Vec<String> {
        let said = said(output);
        said.lines().filter(|l| l.starts_with("streamfold: ")).map(str::to_owned).collect()
    }

    #[test]
    fn codes_of_several_ranks_are_those_of_one() {
        let place = Place::new();
        let file = |name: &str| place.outputs().join(name).to_string_lossy().into_owned();
        let csv = file("a.csv");
        for (more, code, message) in [
            (&["-q", "-o", &csv][..], 0, None),
            (&["-q", "-o", &file("a.pdf")], 1, Some("cannot tell from its suffix")),
            (&["-q", "-o", &file("nowhere/a.csv")], 4, Some("cannot write")),
        ] {
            let Some(output) = three(&place, more) else { return };
            assert_eq!(output.status.code(), Some(code), "{more:?}: {}", said(&output));
            let lines = own_lines(&output);
            assert_eq!(lines.len(), usize::from(message.is_some()), "one rank speaks: {lines:?}");
            assert!(lines.iter().all(|line| line.contains(message.unwrap_or_default())));
        }
        assert_eq!(place.left(), ["a.csv"]);
        place.damage(1);
        let Some(lossy) = three(&place, &["-q", "-o", &csv]) else { return };
        assert_eq!(lossy.status.code(), Some(3), "{}", said(&lossy));
        assert!(own_lines(&lossy)[0].contains("1.evt: at byte 500"), "{:?}", own_lines(&lossy));
        let Some(strict) = three(&place, &["-q", "--strict"]) else { return };
        assert_eq!(strict.status.code(), Some(2), "{}", said(&strict));
        assert!(strict.stdout.is_empty());
        fs::write(place.trace().join("traces.def"), "no definitions").expect("overwritten");
        let Some(output) = three(&place, &["-q"]) else { return };
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert_eq!(own_lines(&output).len(), 1, "{:?}", own_lines(&output));
    }

    /// Help and errors of usage come once, not once for each rank.
    #[test]
    fn one_rank_speaks_of_usage() {
        let Some(help) = common::mpirun(3, ["profile", "--help"]) else { return };
        assert_eq!(help.status.code(), Some(0));
        assert_eq!(text(&help.stdout).matches("Examples:").count(), 1);
        let Some(wrong) = common::mpirun(3, ["profile", "--no-option"]) else { return };
        assert_eq!(wrong.status.code(), Some(1));
        assert_eq!(said(&wrong).matches("--no-option").count(), 1, "{}", said(&wrong));
    }

    /// Wherever a rank fails the job ends, with one code and without a half of an output. (A job
    /// that does not end is ended by the test, which fails then.)
    #[test]
    fn a_rank_that_fails_ends_the_job_with_5() {
        for phase in ["open", "plan", "scan", "reduce", "report"] {
            for rank in [0, 2] {
                let place = Place::new();
                let path = place.outputs().join("a.csv");
                fs::write(&path, "older").expect("a file");
                let output = failing(&place, phase, rank, &path);
                let Some(output) = output else { return };
                expect_failure(&output, 5, "STREAMFOLD_TEST_FAIL");
                assert_eq!(fs::read_to_string(path).expect("a file"), "older", "{phase}, {rank}");
            }
        }
    }

    #[test]
    fn a_rank_that_fails_leaves_no_file_behind() {
        let place = Place::new();
        let Some(output) = failing(&place, "scan", 2, &place.outputs().join("a.csv")) else {
            return;
        };
        expect_failure(&output, 5, "STREAMFOLD_TEST_FAIL");
        assert!(place.left().is_empty(), "{:?}", place.left());
    }

    fn failing(place: &Place, phase: &str, rank: usize, output: &Path) -> Option<Output> {
        let order = format!("{phase}:{rank}");
        let anchor = place.anchor();
        let args =
            [OsStr::new("profile"), anchor.as_os_str(), OsStr::new("-o"), output.as_os_str()];
        common::mpirun_with(&[("STREAMFOLD_TEST_FAIL", &order)], 3, args)
    }
}

/// A panic ends the process at once, without unwinding.
#[test]
fn a_panic_leaves_no_file_behind() {
    let place = Place::new();
    let mut command = streamfold(["profile"]);
    command.arg(place.anchor()).args(["-o", "a.csv"]).current_dir(place.outputs());
    command.env("STREAMFOLD_TEST_FAIL", "scan:0:panic");
    expect_failure(&command.output().expect("a run"), 5, "internal error");
    assert!(place.left().is_empty(), "{:?}", place.left());
}
