//! OTF, version 1: profiles are those of the reference, whatever the streams and their files look like; what is damaged
//! is reported, and the rest is read.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use streamfold::formats::otf::scan;
use streamfold::formats::{Batch, Source};
use tempfile::TempDir;

use crate::common::archives::traces_folder;
use crate::common::program::{on_ranks, said, streamfold};
use crate::common::skipped;

mod counters;
mod info;
mod meaning;
mod print;
mod problems;
mod profile_tables;

/// The folder of a case. `None`: there are no samples here.
pub(super) fn case(name: &str) -> Option<PathBuf> {
    let folder = traces_folder().join("otf1").join(name);
    if !folder.is_dir() {
        skipped("no samples of OTF");
        return None;
    }
    Some(folder)
}

/// What the profile says, but for where it comes from; all the program said; its exit code.
pub(super) fn profile(trace: &Path, options: &[&str]) -> (Value, String, Option<i32>) {
    let trace = trace.to_str().expect("a path of text");
    let run = streamfold(["profile", "--format", "json", trace]).args(options).output();
    let run = run.expect("the program runs");
    let mut profile: Value = serde_json::from_slice(&run.stdout).unwrap_or_default();
    if let Some(profile) = profile.as_object_mut() {
        profile.remove("provenance");
    }
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    (profile, said, run.status.code())
}

/// Calls, exclusive and inclusive ticks by function, of one location or all.
pub(super) fn functions(profile: &Value) -> BTreeMap<String, [u64; 3]> {
    let rows = profile["regions"].as_array().expect("rows").iter();
    let number = |row: &Value, key: &str| row[key].as_u64().expect("a number");
    rows.map(|row| {
        let numbers = ["visits", "exclusive", "inclusive"].map(|key| number(row, key));
        (row["name"].as_str().expect("a name").to_owned(), numbers)
    })
    .filter(|(_, numbers)| numbers[0] > 0)
    .collect()
}

/// What otfprofile says, summed up over processes, in ticks.
fn of_reference(csv: &str, ticks_per_second: f64) -> BTreeMap<String, [u64; 3]> {
    let mut functions: BTreeMap<String, [u64; 3]> = BTreeMap::new();
    for row in csv.lines().filter_map(|line| line.strip_prefix("FUNCTION;")).skip(1) {
        let cells: Vec<&str> = row.split(';').collect();
        let number = |at: usize| cells[at].parse::<f64>().expect("a number");
        let ticks = |at| (number(at) * ticks_per_second).round() as u64;
        let sums = functions.entry(cells[1].to_owned()).or_default();
        for (sum, add) in sums.iter_mut().zip([number(2) as u64, ticks(3), ticks(4)]) {
            *sum += add;
        }
    }
    functions
}

#[test]
fn profiles_are_those_of_the_reference() {
    for name in ["ring", "blocks", "groups", "hex-streams"] {
        let Some(folder) = case(name) else { return };
        let csv = fs::read_to_string(folder.join("profile.csv")).expect("what otfprofile says");
        let (profile, said, code) = profile(&folder.join("trace.otf"), &[]);
        assert_eq!(code, Some(0), "{name}: {said}");
        let ticks = profile["trace"]["ticks_per_second"].as_f64();
        let expected = of_reference(&csv, ticks.unwrap_or(1e6));
        let found = functions(&profile);
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{name}");
        for (function, [calls, exclusive, inclusive]) in expected {
            let of = found[&function];
            assert_eq!(of[0], calls, "{name}: calls of {function}");
            assert_eq!([of[1], of[2]], [exclusive, inclusive], "{name}: ticks of {function}");
        }
    }
}

/// Streams, forms and compression do not show: the same events give the same profile.
#[test]
fn layouts_of_streams_do_not_show() {
    let groups: [&[&str]; 2] = [
        &["all-short", "all-long", "all-compressed", "all-long-compressed"],
        &["ring", "ring-merged-1", "ring-merged-mpi"],
    ];
    for group in groups {
        let mut first: Option<BTreeMap<String, [u64; 3]>> = None;
        for name in group {
            let Some(folder) = case(name) else { return };
            let (profile, said, code) = profile(&folder.join("trace.otf"), &[]);
            assert!(matches!(code, Some(0 | 3)), "{name}: {said}");
            let found = functions(&profile);
            assert!(!found.is_empty(), "{name}");
            let expected = first.get_or_insert_with(|| found.clone());
            assert_eq!(*expected, found, "{name}");
        }
    }
}

/// Any number of ranks gives the same bytes.
#[test]
fn ranks_do_not_show() {
    for name in ["ring", "hex-streams", "all-compressed"] {
        let Some(folder) = case(name) else { return };
        let trace = folder.join("trace.otf");
        for command in ["profile", "match", "waitstates"] {
            let out = |ranks: usize| {
                let folder = TempDir::new().expect("a folder");
                let to = folder.path().join("out.json");
                let arguments = [
                    command.as_ref(),
                    "-q".as_ref(),
                    trace.as_os_str(),
                    "-o".as_ref(),
                    to.as_os_str(),
                ];
                let run = on_ranks(ranks, arguments)?;
                assert!(matches!(run.status.code(), Some(0 | 3)), "{name}: {}", said(&run));
                let mut report: Value =
                    serde_json::from_slice(&fs::read(to).expect("a report")).expect("JSON");
                report.as_object_mut().expect("an object").remove("provenance");
                Some(report.to_string())
            };
            let one = out(1);
            for ranks in [2, 3] {
                let Some(several) = out(ranks) else { continue };
                assert!(one == Some(several), "{name}: {command} on {ranks} ranks");
            }
        }
    }
}

/// Each odd trace is read as far as it can be, and what is lost is reported. No process is forgotten.
#[test]
fn odd_traces_are_read() {
    // What the messages say; nothing: there is nothing to report of the events.
    let expected = [
        ("backward-time", ""),
        ("state-before-first", ""),
        ("two-times-first", ""),
        ("trailing-blank-line", ""),
        ("blanks-in-lines", ""),
        ("crlf", ""),
        ("blank-after-token", ""),
        ("word-like-hex", ""),
        ("unlisted-process", ""),
        ("inline-snapshots", ""),
        ("plain-wins-over-z", ""),
        ("equal-times", ""),
        ("old-keywords", ""),
        ("state-only", ""),
        ("empty-events", "empty-events.1.events: the file is empty"),
        ("no-process-line", "there is no time line with a process line behind it"),
        ("no-time-line", "there is no time line with a process line behind it"),
        ("malformed-event", "line 4: Enter: the end of the line is expected, not \"LX\""),
        ("wrong-field-order", "line 4: SendMsg: TAG or T (tag) is expected, not \"C6T5\""),
        ("bad-keyvalue-type", "line 4: key-value: a type from 0 to b is expected"),
        ("too-long-byte-array", "at most 100 bytes on a line"),
        ("unknown-records", "no record begins with \"%%\" (3 such lines)"),
        ("unknown-definitions", "line 3: no record begins with \"XX1\""),
        ("malformed-definition", "line 2: DefProcess: the end of the line is expected"),
        ("missing-events-file", "stream 2 has no file with events"),
        ("no-final-newline", "line 5: the last line has no end, it is cut: \"L1\""),
        ("master-oddities", "line 6: process 1 is in stream 2 already, and not in 1"),
    ];
    let Some(folder) = case("edge") else { return };
    for (name, part) in expected {
        let (_, said, code) = profile(&folder.join(format!("{name}.otf")), &[]);
        assert!(said.contains(part), "{name}: {said}");
        if part.is_empty() {
            let is_clean = !said.contains(".events: line") && !said.contains(".def: line");
            assert!(is_clean, "{name}: {said}");
        }
        assert!(matches!(code, Some(0 | 3)), "{name}: {said}");
    }
}

/// A trace and its conversion have one profile.
#[test]
fn conversions_have_the_same_profile() {
    for name in ["ring", "hex-streams", "blocks"] {
        let Some(from) = case(name) else { return };
        let folder = TempDir::new().expect("a folder");
        let to = folder.path().join("t.otf2");
        let run = streamfold(["convert".as_ref(), from.join("trace.otf").as_os_str()])
            .args(["-q".as_ref(), "-o".as_ref(), to.as_os_str()])
            .output();
        let run = run.expect("the program runs");
        assert_eq!(run.status.code(), Some(0), "{name}: {}", said(&run));
        let [before, after] = [from.join("trace.otf"), to].map(|trace| profile(&trace, &[]).0);
        assert_eq!(functions(&before), functions(&after), "{name}");
        assert_eq!(before["messages"], after["messages"], "{name}");
    }
}

const DEFINITIONS: &str =
    "DTR3e8\nDP64NM\"a\"\nDP65NM\"b\"\nDP66NM\"c\"\nDP67NM\"d\"\nDF1G1NM\"f\"\n";

/// Writes a trace of the given files, by their endings. Returns its master file.
pub(super) fn trace(folder: &TempDir, files: &[(&str, &str)]) -> PathBuf {
    for (ending, text) in files {
        fs::write(folder.path().join(format!("t.{ending}")), text).expect("a file");
    }
    folder.path().join("t.otf")
}

/// The example of the specification, with hexadecimal numbers of processes and streams, in any case of letters.
#[test]
fn numbers_are_hexadecimal() {
    let folder = TempDir::new().expect("a folder");
    let events = |process: u32| format!("1\n*{process:x}\nE1\n5\n*{process:x}\nL1\n");
    let files = [
        ("otf", "1: 64,65\n1f: 66,67\n".to_owned()),
        ("0.def", DEFINITIONS.to_owned()),
        ("1.events", events(0x64) + "6\n*65\nE1\n8\n*65\nL\n"),
        ("1F.events", events(0x66)),
    ];
    let files = files.each_ref().map(|(ending, text)| (*ending, text.as_str()));
    let master = trace(&folder, &files);
    let (found, said, code) = profile(&master, &[]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(functions(&found)["f"], [3, 10, 10]);
    // The name without ending leads to the trace, too.
    let (by_stub, said, code) = profile(&folder.path().join("t"), &[]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(functions(&by_stub)["f"], [3, 10, 10]);
}

/// Without a master file the names of files and the lines in them say which streams there are.
#[test]
fn streams_without_a_master_file_are_found() {
    let folder = TempDir::new().expect("a folder");
    for master in [Some(""), Some("1"), None] {
        let mut files = vec![("0.def", DEFINITIONS), ("a.events", "1\n*64\nE1\n5\n*64\nL1\n")];
        files.extend(master.map(|text| ("otf", text)));
        let _ = fs::remove_file(folder.path().join("t.otf"));
        let (found, said, code) = profile(&trace(&folder, &files), &[]);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("1 streams were found by the names of their files"), "{said}");
        assert_eq!(functions(&found)["f"], [1, 4, 4]);
    }
}

/// One token means two things in two streams.
#[test]
fn streams_have_definitions_of_their_own() {
    let folder = TempDir::new().expect("a folder");
    let files = [
        ("otf", "1:64\n2:65\n"),
        ("0.def", DEFINITIONS),
        ("1.def", "DF2G1NM\"one\"\n"),
        ("2.def", "DF2G1NM\"two\"\nDF1G1NM\"f\"\n"),
        ("1.events", "1\n*64\nE2\n5\n*64\nL2\n"),
        ("2.events", "1\n*65\nE2\n2\n*65\nE1\n4\n*65\nL1\n7\n*65\nL0\n"),
    ];
    let (found, said, code) = profile(&trace(&folder, &files), &[]);
    assert_eq!(code, Some(0), "{said}");
    let functions = functions(&found);
    assert_eq!(functions["one"], [1, 4, 4]);
    assert_eq!(functions["two"], [1, 4, 6]);
    assert_eq!(functions["f"], [1, 2, 2]);
}

/// Events of a trace that is read in this process, and how many losses there were.
fn read(master: &Path) -> Option<(Vec<(u64, u64)>, usize)> {
    let (trace, definitions) = scan(master).ok()?;
    let locations: Vec<_> = definitions.locations.keys().copied().collect();
    let mut batches = trace.together(&locations).expect("streams are opened later");
    let (mut events, mut batch) = (Vec::new(), Batch::default());
    while batches.next(&mut batch).expect("losses end nothing") {
        for run in batch.runs() {
            events.extend((0..run.len()).map(|event| (run.location().0, run.time(event).0)));
        }
        batch.clear();
    }
    Some((events, batches.losses().len()))
}

/// A file that is cut anywhere: what is whole is read, and more of it the later the cut is.
#[test]
fn files_end_anywhere() {
    for (name, stream) in [("ring", "1.events"), ("hex-streams", "1.events.z")] {
        let Some(from) = case(name) else { return };
        let folder = TempDir::new().expect("a folder");
        for file in fs::read_dir(&from).expect("a folder") {
            let file = file.expect("a file").path();
            let to = folder.path().join(file.file_name().expect("a name"));
            fs::write(to, fs::read(&file).expect("bytes")).expect("a file");
        }
        let master = folder.path().join("trace.otf");
        let whole = read(&master).expect("a trace").0;
        let cut = folder.path().join(format!("trace.{stream}"));
        let bytes = fs::read(&cut).expect("bytes");
        let mut before = 0;
        for length in 0..bytes.len() {
            fs::write(&cut, &bytes[..length]).expect("a file");
            let (events, _) = read(&master).expect("the other files are whole");
            assert!(events.len() >= before && events.len() <= whole.len(), "{name}: {length}");
            before = events.len();
        }
        assert!(before > 0, "{name}");
    }
}

/// Bytes that are changed break nothing but what they are in.
#[test]
fn changed_bytes_break_nothing() {
    let Some(from) = case("all-short") else { return };
    let Some(compressed) = case("blocks") else { return };
    let mut state: u64 = 42;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    for from in [from, compressed] {
        let folder = TempDir::new().expect("a folder");
        let mut files = Vec::new();
        for file in fs::read_dir(&from).expect("a folder") {
            let file = file.expect("a file").path();
            let name = file.file_name().expect("a name").to_owned();
            if name.to_string_lossy().starts_with("trace.") {
                let bytes = fs::read(&file).expect("bytes");
                fs::write(folder.path().join(&name), &bytes).expect("a file");
                files.push((name, bytes));
            }
        }
        for _ in 0..400 {
            let (name, bytes) = &files[random(files.len())];
            let mut changed = bytes.clone();
            for _ in 0..1 + random(4) {
                let at = random(changed.len());
                changed[at] = [random(256) as u8, b'\n', b'"', b'*'][random(4)];
            }
            fs::write(folder.path().join(name), &changed).expect("a file");
            // It is read, or refused.
            let _ = read(&folder.path().join("trace.otf"));
            fs::write(folder.path().join(name), bytes).expect("a file");
        }
    }
}
