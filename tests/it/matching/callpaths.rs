//! Messages by the call path that sends them, compared with the list of all messages.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::archives::{one, own};
use crate::common::program::{on_ranks, said, streamfold, text};
use crate::matching::{number, rows};

/// The document, and the lines of the list of all messages.
fn both(anchor: &Path, more: &[&str]) -> (Value, Vec<Value>) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("list.jsonl");
    let run = |args: &[OsString]| {
        let output = streamfold(["match", "-q"]).args(more).arg(anchor).args(args).output();
        let output = output.expect("a run");
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}", said(&output));
        output.stdout
    };
    let report = run(&["--by", "callpath", "--format", "json"].map(OsString::from));
    run(&["--list".into(), file.clone().into()]);
    let list = fs::read_to_string(file).expect("a list");
    let list = list.lines().map(|line| serde_json::from_str(line).expect("an object"));
    (serde_json::from_slice(&report).expect("JSON"), list.collect())
}

fn name<'v>(line: &'v Value, column: &str) -> &'v str {
    line[column].as_str().expect("a name")
}

/// The process of a location.
fn process<'v>(line: &'v Value, column: &str) -> &'v str {
    let name = name(line, column);
    name.split_once(" · ").map_or(name, |(group, _)| group)
}

#[test]
fn sums_are_those_of_the_list() {
    let mut compared = 0;
    for archive in own() {
        let (report, list) = both(&archive.anchor, &[]);
        let mut paths: BTreeMap<Option<u64>, Vec<&Value>> = BTreeMap::new();
        for line in &list {
            paths.entry(line["send_path"].as_u64()).or_default().push(line);
        }
        let found = rows(&report, "callpaths");
        assert_eq!(found.len(), paths.len(), "{}", archive.name);
        for row in found {
            let lines = &paths[&row["path"].as_u64()];
            let of = |column: &str| number(row, column);
            let bytes = || lines.iter().map(|line| number(line, "bytes"));
            assert_eq!(of("messages"), lines.len() as u64, "{}", archive.name);
            assert_eq!(of("bytes"), bytes().sum::<u64>(), "{}", archive.name);
            assert_eq!(Some(of("smallest_bytes")), bytes().min(), "{}", archive.name);
            assert_eq!(Some(of("largest_bytes")), bytes().max(), "{}", archive.name);
            assert_eq!(of("mean_bytes"), of("bytes") / of("messages"), "{}", archive.name);
            let transfer = |line: &&Value| {
                number(line, "receive_ticks") as i64 - number(line, "send_ticks") as i64
            };
            let ticks = lines.iter().map(transfer).sum::<i64>();
            assert_eq!(row["transfer_ticks"].as_i64(), Some(ticks), "{}", archive.name);
            assert_eq!(name(row, "call_path"), name(lines[0], "send_callpath"));
            let pairs: BTreeSet<_> = lines
                .iter()
                .map(|line| (process(line, "sender_name"), process(line, "receiver_name")))
                .collect();
            let mut partners: BTreeMap<&str, u64> = BTreeMap::new();
            pairs.iter().for_each(|(sender, _)| *partners.entry(sender).or_default() += 1);
            let expected = [partners.len() as u64, pairs.len() as u64];
            assert_eq!([of("senders"), of("pairs")], expected, "{}", archive.name);
            assert_eq!(partners.values().copied().max(), Some(of("most_partners")));
            let sizes = rows(&report, "callpath_sizes").iter();
            let sizes = sizes.filter(|size| size["path"] == row["path"]);
            let mut messages = 0;
            for size in sizes {
                let range = number(size, "from_bytes")..=number(size, "to_bytes");
                let those: Vec<u64> = bytes().filter(|bytes| range.contains(bytes)).collect();
                assert_eq!(number(size, "messages"), those.len() as u64, "{}", archive.name);
                assert_eq!(number(size, "bytes"), those.iter().sum::<u64>(), "{}", archive.name);
                messages += those.len();
            }
            assert_eq!(messages, lines.len(), "{}", archive.name);
            compared += 1;
        }
        let order = |row: &Value| (number(row, "bytes"), number(row, "messages"));
        assert!(found.is_sorted_by(|a, b| order(a) >= order(b)), "{}", archive.name);
    }
    assert!(compared > 5, "{compared}");
}

#[test]
fn some_locations_and_times_count() {
    let anchor = one("hybrid").anchor;
    let sum = |report: &Value| -> u64 {
        rows(report, "callpaths").iter().map(|row| number(row, "messages")).sum()
    };
    let (all, _) = both(&anchor, &[]);
    for more in [
        &["--iterations", "exchange", "2..3"][..],
        &["--group", "MPI Rank 0", "--group", "MPI Rank 1"],
    ] {
        let (part, list) = both(&anchor, more);
        assert_eq!(sum(&part), list.len() as u64, "{more:?}");
        assert!(0 < sum(&part) && sum(&part) < sum(&all), "{more:?}");
    }
}

#[test]
fn the_same_bytes_come_from_any_number_of_ranks() {
    for trace in ["hybrid", "intercomm"] {
        let anchor = one(trace).anchor;
        for format in ["table", "csv", "json"] {
            let of = |ranks| {
                let command = ["match", "-q", "--by", "callpath", "--format", format];
                let arguments = command.iter().map(PathBuf::from).chain([anchor.clone()]);
                let output = on_ranks(ranks, arguments)?;
                assert!(output.status.success(), "{}", said(&output));
                Some(output.stdout)
            };
            let one = of(1);
            for ranks in [2, 3] {
                let some = of(ranks);
                assert!(some.is_none() || some == one, "{ranks} ranks: {trace} {format}");
            }
        }
    }
}

#[test]
fn tables_of_call_paths_are_their_own() {
    let anchor = one("hybrid").anchor;
    for (arguments, part) in [
        (&["--by", "callpath", "--list", "x.csv"][..], "--list and --value do not fit"),
        (&["--by", "callpath", "-o", "x.csv", "--table", "tags"], "callpaths and callpath_sizes"),
        (&["-o", "x.csv", "--table", "callpaths"], "--table callpaths is for --by callpath"),
        (&["--by", "callpath", "-o", "x.svg"], "cannot tell from its suffix"),
    ] {
        let output = streamfold(["match", "-q"]).args(arguments).arg(&anchor).output();
        let output = output.expect("a run");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(said(&output).contains(part), "{}", said(&output));
    }
    let arguments =
        ["match", "-q", "--by", "callpath", "--format", "csv", "--table", "callpath_sizes"];
    let output = streamfold(arguments).arg(&anchor).output().expect("a run");
    assert!(text(&output.stdout).starts_with("path,from_bytes,to_bytes,below_bytes,messages,"));
}
