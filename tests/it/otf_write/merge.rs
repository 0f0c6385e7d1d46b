//! Processes in other streams, and several traces as one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{assert_same, case, files, path, profile, regions, run, text};
use crate::common::program::on_ranks;

/// The files of the reference's merge tool, on any number of ranks.
#[test]
fn files_are_those_of_the_reference() {
    let Some(from) = case("ring") else { return };
    let master = from.join("trace.otf");
    let cases: [(&str, &[&str]); 2] =
        [("ring-merged-1", &["-n", "1"]), ("ring-merged-mpi", &["-n", "3", "--long", "-z"])];
    for (name, options) in cases {
        let expected = files(&case(name).expect("a case beside the other"));
        for tool in ["merge", "write"] {
            for ranks in [1, 2, 3] {
                let folder = TempDir::new().expect("a folder");
                let to = folder.path().join("trace.otf");
                let mut arguments = vec!["otf", tool, "-q", path(&master), "-o", path(&to)];
                arguments.extend(options);
                let Some(output) = on_ranks(ranks, arguments) else { continue };
                assert!(output.status.success(), "{output:?}");
                assert_same(&files(folder.path()), &expected, &format!("{name} by {ranks} ranks"));
            }
        }
    }
}

/// More files than may be open: they are closed between reads.
#[test]
fn few_files_may_be_open() {
    let Some(from) = case("hex-streams") else { return };
    let master = from.join("trace.otf");
    let of = |limit: &str| {
        let folder = TempDir::new().expect("a folder");
        let to = folder.path().join("trace.otf");
        let options = ["--max-open-files", limit, "-n", "2"];
        let mut arguments = vec!["otf", "merge", "-q", path(&master), "-o", path(&to)];
        arguments.extend(options);
        let (code, said) = run(&arguments);
        assert_eq!(code, Some(0), "{said}");
        files(folder.path())
    };
    assert_same(&of("1"), &of("500"), "open files");
}

#[test]
fn a_mapping_says_where_processes_go() {
    let Some(from) = case("ring") else { return };
    let master = from.join("trace.otf");
    let folder = TempDir::new().expect("a folder");
    let (mapping, to) = (folder.path().join("streams"), folder.path().join("trace.otf"));
    fs::write(&mapping, "# mine\n1f: 2,1\n3:5,3,4\n").expect("a file");
    let arguments = ["otf", "merge", "-q", path(&master), "-o", path(&to), "--mapping"];
    let (code, said) = run(&[&arguments[..], &[path(&mapping)]].concat());
    assert_eq!(code, Some(0), "{said}");
    let found = files(folder.path());
    assert_eq!(found["trace.otf"], "3:5,3,4\n1f:2,1\n");
    assert!(found.contains_key("trace.1f.events") && !found.contains_key("trace.1.events"));
    assert_eq!(regions(&profile(&to)), regions(&profile(&master)));
    fs::write(&mapping, "1:1,2,3,4\n").expect("a file");
    let (code, said) = run(&[&arguments[..], &[path(&mapping), "--force"]].concat());
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("process 5 (5) of the trace: not in the mapping"), "{said}");
    assert_eq!(files(folder.path()), found);
}

/// Local definitions of all streams come into one file; where they clash, one of them gets another token.
#[test]
fn streams_with_definitions_of_their_own() {
    let folder = TempDir::new().expect("a folder");
    let master = write(
        &folder,
        "t",
        &[
            ("otf", "1:64\n2:65\n"),
            ("0.def", "DTR3e8\nDP64NM\"a\"\nDP65NM\"b\"\nDF1G1NM\"f\"\nDFG1NM\"g\"\n"),
            ("1.def", "DF2G1NM\"one\"\nDK1Y6NM\"k\"T\"\"\n"),
            ("2.def", "DF2G1NM\"two\"\nDF1G1NM\"f\"\nDK1Y6NM\"l\"T\"\"\n"),
            ("1.events", "1\n*64\nK1Y6V7\nE2\n5\n*64\nL2\n"),
            ("2.events", "1\n*65\nK1Y6V8\nE2\n2\n*65\nE1\n4\n*65\nL1\n7\n*65\nL0\n"),
        ],
    );
    let to = folder.path().join("trace.otf");
    let (code, said) = run(&["otf", "merge", path(&master), "-o", path(&to)]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("2 tokens meant something else elsewhere"), "{said}");
    let definitions = text(&folder.path().join("trace.0.def"));
    for line in ["DF2G1NM\"one\"", "DF3G1NM\"two\"", "DK1Y6NM\"k\"T\"\"", "DK2Y6NM\"l\"T\"\""] {
        assert_eq!(definitions.matches(line).count(), 1, "{line}: {definitions}");
    }
    assert_eq!(definitions.matches("NM\"f\"").count(), 1, "{definitions}");
    assert!(definitions.starts_with("DV1.c.5\"streamfold\"\nDUI"), "{definitions}");
    let events = text(&folder.path().join("trace.1.events"));
    let expected = "1\n*65\nK2Y6V8\nE3\n*64\nK1Y6V7\nE2\n2\n*65\nE1\n4\n*65\nL1\n5\n*64\nL2\n7\n*65\nL\n7\n*65\n";
    let by_process = |text: &str| {
        let mut lines: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut process = String::new();
        for line in text.lines() {
            match line.strip_prefix('*') {
                Some(other) => process = other.to_owned(),
                None => lines.entry(process.clone()).or_default().push(line.to_owned()),
            }
        }
        lines
    };
    let records = |text: &str, process: &str| -> Vec<String> {
        let lines = by_process(text).remove(process).unwrap_or_default();
        lines.into_iter().filter(|line| line.starts_with(|c: char| c.is_uppercase())).collect()
    };
    for process in ["64", "65"] {
        assert_eq!(records(&events, process), records(expected, process));
    }
    assert_eq!(regions(&profile(&to)), regions(&profile(&master)));
}

const COMMON: &str = "DV1.c.5\"salmon\"\nDUI1\nDTR3e8\nDFG1NM\"g\"\n";

fn write(folder: &TempDir, name: &str, files: &[(&str, &str)]) -> PathBuf {
    for (ending, text) in files {
        fs::write(folder.path().join(format!("{name}.{ending}")), text).expect("a file");
    }
    folder.path().join(format!("{name}.otf"))
}

/// A trace of one process.
fn part(folder: &TempDir, name: &str, process: u32, function: (u32, &str)) -> PathBuf {
    let (token, function) = function;
    let members = format!("DPG3e8M{process:x},NM\"world\"\n");
    let definitions = format!(
        "{COMMON}DCMT\"{name}\"\nDP{process:x}NM\"rank {process}\"\n{members}DF{token:x}G1NM\"{function}\"\n"
    );
    let events =
        format!("5\n*{process:x}\nE{token:x}\n9\n*{process:x}\nL{token:x}\n9\n*{process:x}\n");
    let marks = format!("MD1NM\"kind of {name}\"Y1\nMS1T5P{process:x}V\"mark\"\n");
    write(
        folder,
        name,
        &[
            ("otf", &format!("1:{process:x}\n")),
            ("0.def", &definitions),
            ("1.events", &events),
            ("0.marker", &marks),
        ],
    )
}

#[test]
fn parts_of_a_run_become_one_trace() {
    let folder = TempDir::new().expect("a folder");
    let one = part(&folder, "a", 1, (1, "f"));
    let other = part(&folder, "b", 2, (7, "f"));
    let third = part(&folder, "c", 3, (1, "h"));
    let to = folder.path().join("trace.otf");
    let arguments = ["otf", "merge", path(&one), path(&other), path(&third), "-o", path(&to)];
    let (code, said) = run(&[&arguments[..], &["-n", "0"]].concat());
    assert_eq!(code, Some(0), "{said}");
    let found = files(folder.path());
    assert_eq!(found["trace.otf"], "1:1\n2:2\n3:3\n");
    // The same content is one, other content gets other tokens; groups are kept apart.
    let definitions = &found["trace.0.def"];
    let functions: Vec<_> = definitions.lines().filter(|line| line.starts_with("DF")).collect();
    assert_eq!(functions, ["DFG1NM\"g\"", "DF1G1NM\"f\"", "DF8G1NM\"h\""], "{definitions}");
    for line in ["DPG3e8M1,NM", "DPG3e9M2,NM", "DPG3eaM3,NM", "DCMT\"a\"", "DCMT\"b\""] {
        assert_eq!(definitions.matches(line).count(), 1, "{line}: {definitions}");
    }
    assert_eq!(definitions.matches("DTR").count(), 1);
    assert_eq!(found["trace.2.events"], "5\n*2\nE1\n9\n*2\nL1\n9\n*2\n");
    assert_eq!(found["trace.3.events"], "5\n*3\nE8\n9\n*3\nL8\n9\n*3\n");
    let marks = &found["trace.0.marker"];
    for line in ["MD1NM\"kind of a\"Y1", "MD2NM\"kind of b\"Y1", "MS2T5P2V\"mark\"", "MS3T5P3V"] {
        assert!(marks.contains(line), "{line}: {marks}");
    }
}

#[test]
fn two_runs_are_kept_apart() {
    let folder = TempDir::new().expect("a folder");
    let one = part(&folder, "a", 1, (1, "f"));
    let other = part(&folder, "b", 1, (1, "f"));
    let to = folder.path().join("trace.otf");
    let arguments = ["otf", "merge", "-q", path(&one), path(&other), "-o", path(&to), "-n", "0"];
    let (code, said) = run(&arguments);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("process 1 is in another trace, too: say --apart"), "{said}");
    assert!(!to.exists());
    let (code, said) = run(&[&arguments[..], &["--apart"]].concat());
    assert_eq!(code, Some(0), "{said}");
    let found = files(folder.path());
    assert_eq!(found["trace.otf"], "1:1\n2:2\n");
    assert_eq!(found["trace.2.events"], "5\n*2\nE1\n9\n*2\nL1\n9\n*2\n");
    assert!(found["trace.0.def"].contains("DP2NM\"rank 1\"\n"), "{found:?}");
    assert!(found["trace.0.def"].contains("M2,NM\"world\"\n"), "{found:?}");
    assert!(found["trace.0.marker"].contains("P2V\"mark\""), "{found:?}");
}

#[test]
fn other_clocks_are_refused() {
    let folder = TempDir::new().expect("a folder");
    let one = part(&folder, "a", 1, (1, "f"));
    let other = part(&folder, "b", 2, (1, "f"));
    let definitions = folder.path().join("b.0.def");
    let text = fs::read_to_string(&definitions).expect("a file").replace("DTR3e8", "DTR3e7");
    fs::write(&definitions, text).expect("a file");
    let to = folder.path().join("trace.otf");
    let (code, said) = run(&["otf", "merge", path(&one), path(&other), "-o", path(&to)]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("999 ticks per second") && said.contains("has 1000"), "{said}");
    assert!(!Path::new(&to).exists());
}
