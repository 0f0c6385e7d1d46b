//! What is met in the field: at most the line with the fault is lost. Names of faults are those of the notes.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use flate2::write::GzEncoder;
use flate2::Compression;
use serde_json::Value;
use tempfile::TempDir;

use super::{own, report};
use crate::common::program::{said, streamfold, text};

pub(super) fn file(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).expect("written");
    path
}

/// A member of gzip.
pub(super) fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("compressed");
    encoder.finish().expect("compressed")
}

pub(super) fn call(id: u64, name: &str) -> String {
    let time = 1_700_000_000_000_000 + 10 * id;
    format!(
        "{{\"id\":{id},\"name\":\"{name}\",\"cat\":\"POSIX\",\"pid\":7,\"tid\":7,\"ts\":{time},\"dur\":5,\"ph\":\"X\"}}"
    )
}

/// Visits of all regions, the losses, and the exit code.
pub(super) fn visits(path: &std::path::Path) -> (u64, u64, i32) {
    let (code, profile) = report("profile", path);
    let regions = profile["regions"].as_array().expect("regions").iter();
    let visits = regions.map(|region| region["visits"].as_u64().expect("visits")).sum();
    (visits, profile["provenance"]["loss_count"].as_u64().expect("losses"), code)
}

/// Truncated files in the program: nothing whole is an error, a part of a line a loss.
#[test]
fn exit_codes_of_truncated_files() {
    let folder = TempDir::new().expect("a folder");
    let text = format!("{}\n{}\n", call(1, "open"), call(2, "read"));
    let line = call(1, "open").len();
    let bytes = gz(text.repeat(20).as_bytes());
    let (plain, compressed) = (text.as_bytes(), &bytes[..bytes.len() - 5]);
    for (name, bytes, expected) in [
        ("a.pfw", &plain[..line - 1], 2),
        ("b.pfw", &plain[..line], 0),
        ("c.pfw", &plain[..line + 9], 3),
        ("d.pfw", &plain[..text.len() - 1], 0),
        ("e.pfw.gz", &bytes[..15], 2),
        ("f.pfw.gz", compressed, 3),
    ] {
        let path = file(&folder, name, bytes);
        let output = streamfold(["profile", "-q", "--mpi", "off"]).arg(&path).output();
        let output = output.expect("a run");
        assert_eq!(output.status.code(), Some(expected), "{name}: {}", said(&output));
    }
}

#[test]
fn d10_d12_d14_d20_odd_lines() {
    let folder = TempDir::new().expect("a folder");
    let check = |lines: &[&str], expected: (u64, u64, i32)| {
        let path = file(&folder, "x-app.pfw", (lines.join("\n") + "\n").as_bytes());
        assert_eq!(visits(&path), expected, "{lines:?}");
    };
    let [one, two] = [call(1, "open"), call(2, "read")];
    // D12: quotes that are not escaped.
    check(&[&one, "{\"id\":3,\"name\":\"odd \"name\"\"}", &two], (2, 1, 3));
    // D10: metadata is no event.
    check(
        &[&one, "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":7,\"args\":{\"name\":\"7\"}}"],
        (1, 0, 0),
    );
    // D14: torn lines, the rest of which is whole.
    check(&[&format!("{}{two}", &one[..40])], (1, 1, 3));
    check(&[&format!("{one}{two}")], (2, 0, 0));
    // D20: brackets, blank lines and commas in the middle.
    check(&["[", &format!("{one},"), "]", "", ",", "[", &two, "]"], (2, 0, 0));
    // Times that are none, and odd ones.
    let timed = |time: &str| one.replace("1700000000000010", time);
    check(&[&two, &timed("null")], (1, 1, 3));
    check(&[&two, &timed("NaN")], (1, 1, 3));
    // A call whose duration is none is kept.
    check(&[&two, &one.replace("\"dur\":5", "\"dur\":null")], (2, 1, 3));
    check(&[&two, &timed("\"1700000000000010\""), &timed("1.7e+15")], (3, 0, 0));
    // A slip of 2.0.0, raw control characters; zeros after a crash are a loss.
    check(&[&one.replace("\"pid\":7", "\"pid\":7q"), &two.replace("read", "re\tad")], (2, 0, 0));
    check(&[&one, &"\0".repeat(50)], (1, 1, 3));
    // An unknown kind is counted, and no fault.
    check(&[&one, "{\"name\":\"x\",\"ph\":9,\"ts\":1}"], (1, 0, 0));
}

/// D11: the last line counts with and without its end. D12: odd bytes in names stay.
#[test]
fn d11_d12_last_lines_and_odd_bytes() {
    let folder = TempDir::new().expect("a folder");
    for end in ["", "\n", "\n]", "]", "\n]\n"] {
        let text = format!("[\n{}\n{}{end}", call(1, "open"), call(2, "read"));
        assert_eq!(visits(&file(&folder, "x-app.pfw", text.as_bytes())), (2, 0, 0), "{end:?}");
    }
    let mut bytes = call(1, "op?n").into_bytes();
    let at = bytes.iter().position(|byte| *byte == b'?').expect("a mark");
    bytes[at] = 0xff;
    assert_eq!(visits(&file(&folder, "x-app.pfw", &bytes)), (1, 0, 0));
}

/// D24: no record at all is an error, in a file and in a folder.
#[test]
fn d24_nothing_is_an_error() {
    let folder = TempDir::new().expect("a folder");
    for text in ["", "[\n", "[\n]\n"] {
        let path = file(&folder, "x-app.pfw", text.as_bytes());
        for path in [path.as_path(), folder.path()] {
            let output = streamfold(["profile", "-q"]).arg(path).output().expect("a run");
            assert_eq!(output.status.code(), Some(2), "{text:?}");
            assert!(said(&output).contains("no record"), "{}", said(&output));
        }
    }
}

/// D15, D16, D17: hashes in every form, over all files, colliding, and without a name.
#[test]
fn d15_d16_d17_hashes() {
    let folder = TempDir::new().expect("a folder");
    let hash = |hash: &str, name: &str| {
        format!("{{\"name\":\"FH\",\"cat\":\"dftracer\",\"pid\":7,\"tid\":7,\"ph\":4,\"args\":{{\"name\":\"{name}\",\"value\":{hash}}}}}\n")
    };
    let read = |id: u64, hash: &str| {
        let args = format!("\"args\":{{\"fhash\":{hash},\"ret\":{}}}}}\n", 100 * id);
        call(id, "read").replace("\"ph\":\"X\"}", &format!("\"ph\":1,{args}"))
    };
    let one = [
        hash("5", "/first"),
        hash("5", "/second"),
        hash("\"00ff00ff00ff00ff\"", "/hex"),
        hash("18446744073709551615", "/large"),
        read(1, "5"),
        read(2, "\"00ff00ff00ff00ff\""),
        read(3, "18446744073709551615"),
    ];
    let two = [read(4, "\"00ff00ff00ff00ff\""), read(5, "\"1234\"")];
    file(&folder, "a-app.pfw", one.concat().as_bytes());
    file(&folder, "b-fork.pfw", two.concat().as_bytes());
    let (_, report) = report("match", folder.path());
    let mut files: Vec<(String, u64)> = Vec::new();
    for row in report["files"].as_array().expect("files") {
        files.push((
            row["name"].as_str().expect("a name").to_owned(),
            row["bytes"].as_u64().expect("bytes"),
        ));
    }
    files.sort();
    let expected = [("#1234", 500), ("/first", 100), ("/hex", 600), ("/large", 300)];
    assert_eq!(files, expected.map(|(name, bytes)| (name.to_owned(), bytes)));
    let output =
        streamfold(["profile", "--mpi", "off"]).arg(folder.path()).output().expect("a run");
    let said = said(&output);
    assert!(said.contains("/first and for /second"), "{said}");
    assert!(said.contains("show as their hashes: 1, the first is #1234"), "{said}");
}

/// D18: processes are those of records; a number of a process may be on two hosts. D19: STDIO returns items.
#[test]
fn d18_d19_processes_and_items() {
    let folder = TempDir::new().expect("a folder");
    let on = |id: u64, host: &str| {
        let args =
            format!("\"args\":{{\"hhash\":\"{host}\",\"fhash\":\"1\",\"size\":8,\"ret\":3}}}}\n");
        let call = call(id, "fwrite").replace("POSIX", "STDIO");
        call.replace("\"ph\":\"X\"}", &format!("\"ph\":\"X\",{args}"))
    };
    let text = [on(1, "aa"), on(2, "bb"), on(3, "aa")].concat();
    let path = file(&folder, "run-spawn-24153-0-app.pfw", text.as_bytes());
    let (_, profile) = report("profile", &path);
    let groups = profile["groups"].as_array().expect("groups");
    assert_eq!(groups.len(), 2);
    assert!(groups.iter().all(|group| group["name"] == "process 7"), "{groups:?}");
    let (_, report) = report("match", &path);
    assert_eq!(report["files"][0]["bytes"], 72);
}

/// The lines of the trace are told of losses, with the file.
#[test]
fn losses_name_their_lines() {
    let output = streamfold(["profile", "--mpi", "off"]).arg(own("2.2-odd-names")).output();
    let output = output.expect("a run");
    assert_eq!(output.status.code(), Some(3));
    assert!(said(&output).contains("line 237: expected a comma"), "{}", said(&output));
    let output = streamfold(["info", "-q", "--json"]).arg(own("2.2-odd-names")).output();
    let report: Value = serde_json::from_str(&text(&output.expect("a run").stdout)).expect("JSON");
    assert!(report.to_string().contains("malformed lines"), "{report}");
}
