//! Markers are shown and changed as the reference's tool does it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::program::{said, streamfold, text};
use crate::common::{archives, skipped};

/// A trace in a folder of its own.
struct Case {
    folder: TempDir,
}

impl Case {
    fn new() -> Case {
        let folder = TempDir::new().expect("a folder");
        let from = archives::one("pingpong").anchor;
        for name in ["traces.otf2", "traces.def"] {
            fs::copy(from.with_file_name(name), folder.path().join(name)).expect("a copy");
        }
        Case { folder }
    }

    fn anchor(&self) -> PathBuf {
        self.folder.path().join("traces.otf2")
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("traces.marker")
    }

    fn bytes(&self) -> Option<Vec<u8>> {
        fs::read(self.file()).ok()
    }

    /// Runs `streamfold marker` with the trace behind these options: exit code and both outputs.
    fn ours(&self, options: &[&str]) -> (i32, String, String) {
        let mut program = streamfold(["marker", "--mpi", "off"]);
        let output = program.args(options).arg(self.anchor()).output().expect("a run");
        (output.status.code().unwrap_or(-1), text(&output.stdout), said(&output))
    }

    /// The same with the reference's tool.
    fn theirs(&self, options: &[&str]) -> (i32, String) {
        let output = Command::new("otf2-marker").args(options).arg(self.anchor()).output();
        let output = output.expect("a run");
        (output.status.code().unwrap_or(-1), text(&output.stdout))
    }

    fn names_of_files(&self) -> Vec<String> {
        let files = fs::read_dir(self.folder.path()).expect("a folder");
        let names =
            files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

/// The trace begins and ends then.
const BEGIN: u64 = 7_396_895_680_097_484;
const END: u64 = 7_396_896_131_708_018;

/// One after another: what is asked, and whether it is done.
fn steps() -> Vec<(Vec<String>, bool)> {
    let (begin, end) = (BEGIN.to_string(), END.to_string());
    let past = format!("{begin}-{}", END + 1);
    let whole = format!("{begin}-{end}");
    let lasting = format!("{}+9", BEGIN + 5);
    let beyond = format!("{end}+1");
    let before = (BEGIN - 1).to_string();
    let backward = format!("{end}-{begin}");
    let steps: &[(&[&str], bool)] = &[
        (&[], true),
        (&["--add-def", "Phases", "solve", "HIGH"], true),
        (&["--add-def", "Phases", "assemble", "low"], true),
        (&["--add-def", "Phases", "solve", "LOW"], false),
        (&["--add-def", "B", "", "NONE"], true),
        (&["--add-def", "A", "q", "MEDIUM"], true),
        (&["--add-def", "A", "r", "BOGUS"], false),
        (&[], true),
        (&["--add", "Phases", "solve", &end, "GLOBAL", "the end"], true),
        (&["--add", "Phases", "solve", &begin, "LOCATION:1", "a \"quoted\"\ntext"], true),
        (&["--add", "Phases", "solve", &whole, "location:0", ""], true),
        (&["--add", "Phases", "assemble", &lasting, "COMM:1", "-x"], true),
        (&["--add", "B", "", &begin, "GROUP:0", "g"], true),
        (&["--add", "B", "", &begin, "GROUP:2", "no locations"], false),
        (&["--add", "B", "", &begin, "SYSTEM_TREE_NODE:1", "n"], true),
        (&["--add", "B", "", &begin, "LOCATION_GROUP:1", "l"], true),
        (&["--add", "B", "", &begin, "LOCATION:7", "x"], false),
        (&["--add", "B", "", &begin, "COMM:99", "x"], false),
        (&["--add", "B", "", &begin, "GROUP:18446744073709551615", "x"], false),
        (&["--add", "B", "", &begin, "SYSTEM_TREE_NODE:99", "x"], false),
        (&["--add", "B", "", &begin, "LOCATION_GROUP:99", "x"], false),
        (&["--add", "B", "", &begin, "LOCATION", "x"], false),
        (&["--add", "B", "", &begin, "LOCATION:", "x"], false),
        (&["--add", "B", "", &begin, "PLACE:1", "x"], false),
        (&["--add", "B", "", &past, "GLOBAL", "x"], false),
        (&["--add", "B", "", &beyond, "GLOBAL", "x"], false),
        (&["--add", "B", "", &before, "GLOBAL", "x"], false),
        (&["--add", "B", "", &backward, "GLOBAL", "x"], false),
        (&["--add", "B", "", "", "GLOBAL", "x"], false),
        (&["--add", "B", "", "+5", "GLOBAL", "x"], false),
        (&["--add", "B", "", "99999999999999999999999", "GLOBAL", "x"], false),
        (&["--add", "B", "c", &begin, "GLOBAL", "x"], false),
        (&["--add", "C", "c", &begin, "GLOBAL", "x"], false),
        (&[], true),
        (&["--defs-only"], true),
        (&["--def", "Phases"], true),
        (&["--def", "Phases", "solve"], true),
        (&["--def", "Phases", "solv"], false),
        (&["--def", "Phase"], false),
        (&["--defs-only", "--def", "Phases"], false),
        (&["--clear-def", "Phases", "solve"], true),
        (&[], true),
        (&["--clear-def", "B"], true),
        (&["--clear-def", "C"], false),
        (&["--remove-def", "Phases", "solv"], false),
        (&["--remove-def", "Phases", "solve"], true),
        (&["--add-def", "Phases", "again", "NONE"], true),
        (&[], true),
        (&["--reset"], true),
        (&[], true),
        (&["--add-def", "New", "kind", "NONE"], true),
    ];
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    steps.iter().map(|(words, done)| (owned(words), *done)).collect()
}

#[test]
fn markers_are_those_of_the_tool() {
    let has_tool = Command::new("otf2-marker").arg("--version").output();
    let has_tool = has_tool.is_ok_and(|run| run.status.success());
    if !has_tool {
        skipped("no otf2-marker");
    }
    let (ours, theirs) = (Case::new(), Case::new());
    for (words, done) in steps() {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let before = ours.bytes();
        let (code, out, err) = ours.ours(&words);
        assert_eq!(code, i32::from(!done), "{words:?}: {err}");
        assert_eq!(err.is_empty(), done, "{words:?}: {err}");
        if !done {
            assert_eq!(ours.bytes(), before, "{words:?}");
        }
        if has_tool {
            let (code, shown) = theirs.theirs(&words);
            assert_eq!((out, done), (shown, code == 0), "{words:?}");
            assert_eq!(ours.bytes(), theirs.bytes(), "{words:?}");
        }
    }
    assert_eq!(ours.names_of_files(), ["traces.def", "traces.marker", "traces.otf2"]);
}

/// The tool has a segmentation fault there.
#[test]
fn a_group_is_removed_whole() {
    let case = Case::new();
    for category in ["a", "b"] {
        assert_eq!(case.ours(&["--add-def", "G", category, "LOW"]).0, 0);
    }
    assert_eq!(case.ours(&["--remove-def", "G"]).0, 0);
    assert_eq!(case.ours(&[]), (0, String::new(), String::new()));
}

#[test]
fn markers_are_told_in_json() {
    let case = Case::new();
    case.ours(&["--add-def", "G", "c", "LOW"]);
    case.ours(&["--add", "G", "c", &format!("{BEGIN}+7"), "LOCATION:1", "here"]);
    case.ours(&["--add", "G", "c", &BEGIN.to_string(), "GLOBAL", "all"]);
    let (code, out, err) = case.ours(&["--json"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let told: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        told,
        serde_json::json!([{
            "group": "G", "category": "c", "severity": "LOW",
            "markers": [
                {"time": BEGIN, "duration": 7, "scope": "LOCATION", "scopeRef": 1, "text": "here"},
                {"time": BEGIN, "duration": 0, "scope": "GLOBAL", "scopeRef": null, "text": "all"},
            ],
        }])
    );
}

/// A file that is damaged is shown as far as it goes, and never replaced.
#[test]
fn damaged_markers_are_kept() {
    let case = Case::new();
    case.ours(&["--add-def", "G", "c", "LOW"]);
    case.ours(&["--add", "G", "c", &BEGIN.to_string(), "GLOBAL", "text"]);
    let whole = case.bytes().expect("markers");
    for length in 0..whole.len() {
        fs::write(case.file(), &whole[..length]).expect("written");
        let (code, ..) = case.ours(&[]);
        let (changed, _, err) = case.ours(&["--add-def", "G", "d", "LOW"]);
        if changed != 0 {
            assert!(code != 0 && !err.is_empty(), "{length}: {code} {err}");
            assert_eq!(case.bytes().as_deref(), Some(&whole[..length]), "{length}");
        } else {
            assert_eq!(code, 0, "{length}");
        }
        if length < 18 {
            assert_ne!(changed, 0, "{length}: in the head of the chunk");
        }
    }
}

#[test]
fn a_trace_of_another_kind_has_none() {
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let output = streamfold(["marker", "--mpi", "off"]).arg(log).output().expect("a run");
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
}
