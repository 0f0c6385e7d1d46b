//! What is written, how much of it, and how the program ends.

use crate::common::program::{said, streamfold, text};
use crate::common::small::Small;
use crate::validate::{archive, at_100, sound, validate};

/// Ten enters and leaves of a region that is not defined, and one leave too many.
fn broken() -> Small {
    let events = (0..10).fold(at_100(), |events, _| events.enter(7).leave(7));
    archive(sound(), events.leave(0), 21)
}

fn run(small: &Small, args: &[&str]) -> (Option<i32>, String, String) {
    let written = small.write();
    let mut command = streamfold(["validate"]);
    let output = command.arg(written.anchor()).args(args).output().expect("it runs");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn all_are_counted_and_as_many_shown_as_wanted() {
    let lines = |args: &[&str]| {
        let (code, out, _) = run(&broken(), args);
        assert_eq!(code, Some(3), "{out}");
        assert!(out.contains("error        20  undefined-reference"), "{out}");
        assert!(out.contains("20 errors, 1 finding in 3 files with 21 events\n"), "{out}");
        out.lines().filter(|line| line.contains("record ")).count()
    };
    assert_eq!(lines(&[]), 21);
    assert_eq!(lines(&["--limit", "3"]), 4);
    assert_eq!(lines(&["--limit", "0"]), 21);
    let (_, out, _) = run(&broken(), &["--limit", "3"]);
    assert!(out.contains("a reference leads to no definition (3 shown)\n"), "{out}");
    assert!(
        out.lines()
            .find(|line| line.starts_with("error  ") && line.contains(": "))
            .unwrap()
            .ends_with(
            "t/0.evt: at byte 27: Enter record 1: region leads to Region 7, which is not defined"
        ),
        "{out}"
    );
}

#[test]
fn what_is_limited_are_the_first_of_what_is_not() {
    let (_, all) = validate(&broken().write().anchor());
    let all = all["defects"].as_array().unwrap().clone();
    let written = broken().write();
    let output = streamfold(["validate", "--json", "--limit", "5"]).arg(written.anchor()).output();
    let some: serde_json::Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    let numbers = |list: &[serde_json::Value]| -> Vec<_> {
        list.iter().map(|defect| (defect["code"].clone(), defect["number"].clone())).collect()
    };
    let some = numbers(some["defects"].as_array().unwrap());
    let mut expected = numbers(&all[..5]);
    expected.push(numbers(&all).pop().unwrap());
    assert_eq!(some, expected);
}

#[test]
fn json_has_a_version_and_what_was_read() {
    let (_, report) = validate(&broken().write().anchor());
    assert_eq!(report["schema"], "streamfold-validation");
    assert_eq!(report["schema_version"], "1.1");
    assert_eq!(report["read"]["events"], 21);
    assert_eq!(report["read"]["files"], 3);
    assert_eq!(report["counts"]["errors"], 20);
    assert_eq!(report["counts"]["findings"], 1);
    assert_eq!(report["limit"], serde_json::Value::Null);
    assert_eq!(report["defects"].as_array().unwrap().len(), 21);
}

#[test]
fn quiet_says_nothing_but_the_exit_code() {
    assert_eq!(run(&broken(), &["-q"]), (Some(3), String::new(), String::new()));
    let finding = archive(sound(), at_100().enter(0), 1);
    assert_eq!(run(&finding, &["-q"]), (Some(0), String::new(), String::new()));
    let (_, json, _) = run(&broken(), &["-q", "--json"]);
    assert!(json.starts_with('{'), "{json}");
}

#[test]
fn strict_ends_with_2_where_there_are_errors() {
    assert_eq!(run(&broken(), &["-q", "--strict"]).0, Some(2));
    let finding = archive(sound(), at_100().enter(0), 1);
    assert_eq!(run(&finding, &["-q", "--strict"]).0, Some(0));
}

#[test]
fn an_anchor_that_is_none() {
    let mut small = broken();
    small.anchor = b"something else".to_vec();
    let (code, out, error) = run(&small, &[]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(error.contains("t.otf2: at byte 0"), "{error}");
    let output = streamfold(["validate", "nowhere.otf2"]).output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
}

#[test]
fn every_kind_is_documented_with_its_severity() {
    use streamfold::kernels::validate::Code;
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/use/validate.md");
    let text = std::fs::read_to_string(path).expect("the document");
    for code in Code::ALL {
        let row = format!("| `{}` | {} |", code.name(), code.severity().name());
        assert!(text.contains(&row), "docs/use/validate.md: {row}");
    }
    let rows =
        text.lines().filter(|line| line.starts_with("| `") && line.matches(" | ").count() == 2);
    let kinds = rows.filter(|row| {
        ["unusable", "error", "finding"].iter().any(|s| row.contains(&format!("| {s} |")))
    });
    assert_eq!(kinds.count(), Code::ALL.len());
}

/// The suffix says what is written, as for all commands; `--json` is JSON whatever the name is.
#[test]
fn the_suffix_of_a_file_is_its_format() {
    let written = broken().write();
    let folder = tempfile::tempdir().expect("a folder");
    for (name, more, is_json) in [
        ("a.json", &[][..], true),
        ("a.txt", &[], false),
        ("a.txt", &["--json"], true),
        ("a", &[], false),
    ] {
        let path = folder.path().join(name);
        let mut command = streamfold(["validate", "-q", "-o"]);
        let ended = command.arg(&path).arg(written.anchor()).args(more).output().expect("it runs");
        assert_eq!((ended.status.code(), text(&ended.stdout)), (Some(3), String::new()), "{name}");
        let report = std::fs::read_to_string(&path).expect("a report");
        assert_eq!(report.starts_with('{'), is_json, "{name} {more:?}: {report}");
    }
}

#[test]
fn quiet_writes_where_it_is_told_to() {
    let (code, out, error) = run(&broken(), &["-q", "-o", "-"]);
    assert_eq!((code, error.as_str()), (Some(3), ""));
    assert!(out.contains("20 errors, 1 finding"), "{out}");
}
