//! `streamfold print` says what the reference says, byte for byte.

use std::path::{Path, PathBuf};
use std::process::Output;

use crate::common::gunzip;
use crate::common::program::{said, streamfold, text};

fn data(path: &str) -> PathBuf {
    crate::common::archives::data().join(path)
}

fn expected(path: &str) -> String {
    gunzip(&data(path))
}

fn run(anchor: &Path, arguments: &[&str]) -> Output {
    let mut command = streamfold(["print", "--mpi", "off"]);
    // Dates are those of where the program runs.
    command.env("TZ", "UTC").args(arguments).arg(anchor).output().expect("a run")
}

fn stdout(anchor: &str, arguments: &[&str]) -> String {
    let output = run(&data(anchor), arguments);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    text(&output.stdout)
}

/// Shows the first line that differs, not both texts.
fn assert_same(found: &str, expected: &str) {
    for (number, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "line {}", number + 1);
    }
    assert_eq!(found.len(), expected.len());
}

#[test]
fn everything_about_a_ping_pong() {
    let anchor = "pingpong/traces.otf2";
    assert_same(&stdout(anchor, &["-A"]), &expected("pingpong/expected.txt.gz"));
    assert_same(&stdout(anchor, &["-M", "-C"]), &expected("pingpong/expected-local.txt.gz"));
}

#[test]
fn records_of_every_kind() {
    let output = run(&data("every-kind/t.otf2"), &["--show-all"]);
    let found = text(&output.stdout);
    assert_same(&found, &expected("every-kind/expected.txt.gz"));
    let warnings = expected("every-kind/expected-stderr.txt.gz");
    let warnings = warnings.replace("otf2-print: ", "streamfold print: ");
    assert_same(&said(&output), &warnings);
}

#[test]
fn times_from_the_start_of_the_clock_and_callers() {
    let arguments = ["--timestamps=offset", "--unwind-calling-context"];
    let found = stdout("every-kind/t.otf2", &arguments);
    assert_same(&found, &expected("every-kind/expected-unwound.txt.gz"));
}

#[test]
fn the_system_tree() {
    let graph = expected("every-kind/expected-system-tree.dot.gz");
    assert_same(&stdout("every-kind/t.otf2", &["--system-tree"]), &graph);

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tree.dot");
    let arguments = ["--system-tree", "--output", file.to_str().unwrap()];
    assert_eq!(stdout("every-kind/t.otf2", &arguments), "");
    assert_same(&std::fs::read_to_string(&file).unwrap(), &graph);
}

/// A copy of the archive of the ping-pong, to spoil.
fn copy_of_pingpong(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("traces")).unwrap();
    for file in files {
        std::fs::copy(data("pingpong").join(file), folder.path().join(file)).unwrap();
    }
    folder
}

#[test]
fn the_system_tree_takes_the_place_of_no_file_of_the_trace() {
    let files = ["traces.otf2", "traces.def", "traces/0.evt"];
    let folder = copy_of_pingpong(&files);
    let path = |name: &str| folder.path().join(name);
    let link = std::os::unix::fs::symlink;
    link(path("traces.otf2"), path("link.otf2")).unwrap();
    link(path("traces"), path("linked")).unwrap();
    let anchor = path("traces.otf2");
    for output in [
        "traces.otf2",
        "traces.def",
        "traces/0.evt",
        "traces/new.dot",
        "traces/../traces/new.dot",
        "link.otf2",
        "linked/new.dot",
    ] {
        let file = path(output);
        let found = run(&anchor, &["--system-tree", "-o", file.to_str().unwrap()]);
        let errors = said(&found);
        assert_eq!(found.status.code(), Some(1), "{output}: {errors}");
        assert!(errors.contains("it belongs to the trace"), "{errors}");
    }
    for file in files {
        assert_eq!(
            std::fs::read(path(file)).unwrap(),
            std::fs::read(data("pingpong").join(file)).unwrap()
        );
    }
    assert!(!path("traces/new.dot").exists());

    let beside = path("traces.dot");
    let found = run(&anchor, &["--system-tree", "-o", beside.to_str().unwrap()]);
    assert_eq!(found.status.code(), Some(0));
    assert!(beside.exists());
}

#[test]
fn standard_output_has_a_name_when_it_fails() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_streamfold"));
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    command.args(["print", "--mpi", "off"]).arg(data("pingpong/traces.otf2")).stdout(full);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(4));
    let errors = said(&output);
    assert!(errors.contains("cannot write to standard output: "), "{errors}");
}

#[derive(Debug, PartialEq)]
struct Event {
    location: u64,
    time: u64,
    line: String,
}

/// The lines of events, by their columns.
fn events(text: &str) -> Vec<Event> {
    let event = |line: &str| {
        let column = |range: std::ops::Range<usize>| line.get(range)?.trim().parse::<u64>().ok();
        Some(Event { location: column(33..48)?, time: column(49..69)?, line: line.to_owned() })
    };
    text.lines().filter_map(event).collect()
}

#[test]
fn a_part_of_it() {
    let anchor = "pingpong/traces.otf2";
    let all = events(&stdout(anchor, &[]));
    let selected = events(&stdout(anchor, &["-L", "1"]));
    assert!(!selected.is_empty());
    assert!(selected.iter().eq(all.iter().filter(|event| event.location == 1)));

    let (min, max) = (all[10].time, all[40].time);
    let commas = ["--time=", "--time "].map(|option| format!("{option}{min},{max}"));
    for arguments in commas.into_iter().chain([format!("--time {min} {max}")]) {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let selected = events(&stdout(anchor, &arguments));
        let wanted = all.iter().filter(|event| (min..=max).contains(&event.time));
        assert!(selected.iter().eq(wanted));
    }
    assert_eq!(stdout(anchor, &["--silent"]), "\n=== OTF2-PRINT ===\n");
}

#[test]
fn steps_repeat_the_columns_and_wait_for_nobody() {
    let text = stdout("pingpong/traces.otf2", &["-s", "100"]);
    let prompts = text.matches("Press ENTER to print next 100 events.").count();
    assert_eq!(text.matches("Attributes\n").count(), prompts);
    assert!(prompts > 1);
}

#[test]
fn warnings_may_end_it() {
    for arguments in [["-G", "-Werror"], ["-G", "--warnings-as-errors"]] {
        let output = run(&data("every-kind/t.otf2"), &arguments);
        assert_eq!(output.status.code(), Some(2));
        let errors = said(&output);
        let lines: Vec<_> = errors.lines().collect();
        assert_eq!(lines.len(), 2, "{errors}");
        assert!(lines[0].starts_with("streamfold print: error: "));
        assert_eq!(lines[1], "streamfold: all warnings being treated as errors");
        // Whole lines up to the definition in question, which is not there.
        let text = text(&output.stdout);
        assert!(expected("every-kind/expected.txt.gz").contains(&text[text.len() / 2..]));
        assert!(text.ends_with('\n'));
    }
}

#[test]
fn an_interval_has_two_ends() {
    let output = run(&data("pingpong/traces.otf2"), &["--time=5"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("2 values required for '--time <MIN> <MAX>'"));
}

#[test]
fn what_is_not_there_is_said() {
    let output = run(&data("pingpong/traces.otf2"), &["-L", "77"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout), "\n=== OTF2-PRINT ===\n");
    assert!(said(&output).contains("has no location 77"), "{}", said(&output));
    // Nothing is printed where an option makes no sense.
    let output = run(&data("pingpong/traces.otf2"), &["-G", "--paradigm", "nosuch"]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), String::new()));
}

#[test]
fn a_location_that_cannot_be_read_does_not_hide_the_others() {
    let files = ["traces.otf2", "traces.def", "traces/1.def", "traces/1.evt", "traces/0.def"];
    let folder = copy_of_pingpong(&files);
    let output = run(&folder.path().join("traces.otf2"), &[]);
    assert_eq!(output.status.code(), Some(3));
    assert!(said(&output).contains("0.evt"));
    let alone = stdout("pingpong/traces.otf2", &["-L", "1"]);
    assert_same(&text(&output.stdout), &alone);
}

/// What would go to standard output goes to a file, whole or not at all.
#[test]
fn every_text_goes_to_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let anchor = crate::common::archives::one("intercomm").anchor;
    let otf = folder.path().join("a.otf");
    streamfold(["convert", "-q"]).arg(&anchor).arg("-o").arg(&otf).assert().success();
    let file = folder.path().join("text");
    for (trace, options) in [
        (&anchor, &["-A"][..]),
        (&anchor, &["-A", "--json"]),
        (&anchor, &["--system-tree"]),
        (&otf, &[]),
        (&otf, &["--json"]),
    ] {
        let expected = streamfold(["print", "-q"]).arg(trace).args(options).output().unwrap();
        let mut command = streamfold(["print", "-q", "-o"]);
        let run = command.arg(&file).arg(trace).args(options).output().unwrap();
        assert_eq!((run.status.code(), run.stdout.len()), (Some(0), 0), "{options:?}");
        assert!(std::fs::read(&file).unwrap() == expected.stdout, "{options:?}");
        std::fs::remove_file(&file).unwrap();
    }
    let run = streamfold(["print", "-q", "-L", "99", "-o"]).arg(&file).arg(&anchor).output();
    assert_eq!(run.unwrap().status.code(), Some(1));
    assert!(!file.exists());
}
