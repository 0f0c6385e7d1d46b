//! `--sort` and `--top`

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::Path;

use crate::common::archives::one;
use crate::common::program::{said, streamfold};

/// A row of a CSV output, by the names of its columns.
type CsvRow = BTreeMap<String, String>;

fn csv_rows(anchor: &Path, more: &[&str]) -> Vec<CsvRow> {
    let args = ["profile", "-q", "--format", "csv"].iter().chain(more).map(OsStr::new);
    let output = streamfold(args.chain([anchor.as_os_str()])).output().expect("a run");
    assert!(output.status.success(), "{}", said(&output));
    let mut reader = csv::Reader::from_reader(&output.stdout[..]);
    reader.deserialize().map(|row| row.expect("a row")).collect()
}

/// What a row is sorted by, the largest first: a number, exact where it is whole.
fn key_of(row: &CsvRow, key: &str) -> f64 {
    let number = |column: &str| -> f64 {
        match row.get(column).map(String::as_str) {
            None | Some("") => 0.0,
            Some(text) => text.parse().expect("a number"),
        }
    };
    let inside = row.contains_key("inside_ticks");
    match key {
        "exclusive" if inside => number("inside_ticks"),
        "exclusive" => number("exclusive_ticks"),
        "inclusive" if row.contains_key("outer_ticks") => number("outer_ticks"),
        "inclusive" => number("inclusive_ticks"),
        "visits" => number("visits"),
        "mean" => number("mean_ticks"),
        "longest" => number("longest_ticks"),
        "bytes" => {
            let columns = ["bytes_sent", "bytes_received"];
            let messages: f64 =
                columns.iter().map(|c| number(c) + number(&format!("collective_{c}"))).sum();
            let accesses = ["bytes_put", "bytes_got", "bytes_read", "bytes_written"];
            messages + accesses.iter().map(|column| number(column)).sum::<f64>()
        }
        "imbalance" => number("most_exclusive_ticks") - number("mean_exclusive_ticks"),
        other => unreachable!("{other}"),
    }
}

const NUMERIC_KEYS: [&str; 7] =
    ["exclusive", "inclusive", "visits", "mean", "longest", "bytes", "imbalance"];

/// By what rows with equal keys stand in order: those without a reference last, by their kind.
fn order_of(row: &CsvRow, by: &str) -> (u64, String) {
    (id_of(row, by).unwrap_or(u64::MAX), row.get("kind").cloned().unwrap_or_default())
}

fn id_of(row: &CsvRow, by: &str) -> Option<u64> {
    row[by].parse().ok()
}

#[test]
fn rows_stand_in_the_order_of_every_key() {
    for (archive, by) in [("hybrid", "region"), ("eztrace", "location"), ("hybrid", "group")] {
        let anchor = one(archive).anchor;
        let mut all = csv_rows(&anchor, &["--by", by]);
        all.sort();
        assert!(all.len() > 3);
        // Single locations and groups have no imbalance.
        for key in NUMERIC_KEYS.into_iter().filter(|key| by == "region" || *key != "imbalance") {
            let rows = csv_rows(&anchor, &["--by", by, "--sort", key]);
            // Rows without a time of their own kind stay in the order of their numbers.
            let keys = |row: &CsvRow| (key_of(row, key), order_of(row, by));
            for pair in rows.windows(2) {
                let (before, after) = (keys(&pair[0]), keys(&pair[1]));
                let close = (before.0 - after.0).abs() <= 1e-9 * before.0.abs();
                assert!(before.0 > after.0 || close, "{by}, {key}: {before:?}, {after:?}");
                if before.0 == after.0 && !["mean", "imbalance"].contains(&key) {
                    assert!(before.1 < after.1, "{by}, {key}: {before:?}, {after:?}");
                }
            }
            let mut sorted = rows;
            sorted.sort();
            assert_eq!(sorted, all, "{by}, {key}: all rows, each once");
        }
        let names = csv_rows(&anchor, &["--by", by, "--sort", "name"]);
        assert!(names.is_sorted_by_key(|row| (row["name"].clone(), order_of(row, by))));
        let ids = csv_rows(&anchor, &["--by", by, "--sort", "id"]);
        assert!(ids.is_sorted_by_key(|row| order_of(row, by)));
    }
}

#[test]
fn call_paths_stand_behind_their_parents_and_siblings_in_the_order_of_every_key() {
    let anchor = one("local-defs").anchor;
    let mut all = csv_rows(&anchor, &["--by", "callpath"]);
    assert!(all.iter().enumerate().all(|(i, row)| row["path"] == i.to_string()));
    assert!(all.iter().any(|row| id_of(row, "depth") > Some(10)), "a deep tree");
    all.sort();
    for key in NUMERIC_KEYS.into_iter().chain(["name", "id"]) {
        let rows = csv_rows(&anchor, &["--by", "callpath", "--sort", key]);
        let mut last_child: BTreeMap<&str, &CsvRow> = BTreeMap::new();
        let mut above: Vec<&str> = Vec::new();
        for row in &rows {
            above.truncate(row["depth"].parse().expect("a depth"));
            assert_eq!(above.last().copied().unwrap_or_default(), row["parent"], "{key}");
            above.push(&row["path"]);
            if let Some(before) = last_child.insert(&row["parent"], row) {
                match key {
                    "name" => assert!(before["name"] <= row["name"]),
                    "id" => assert!(id_of(before, "path") < id_of(row, "path")),
                    _ => {
                        let (before, after) = (key_of(before, key), key_of(row, key));
                        let close = (before - after).abs() <= 1e-9 * before.abs();
                        assert!(before > after || close, "{key}: {before}, {after}");
                    }
                }
            }
        }
        let mut sorted = rows;
        sorted.sort();
        assert_eq!(sorted, all, "{key}: all rows, each once");
    }
}

#[test]
fn default_order_is_by_time_for_regions_and_paths_and_by_number_for_the_rest() {
    let anchor = one("hybrid").anchor;
    for (by, key) in
        [("region", "exclusive"), ("callpath", "inclusive"), ("location", "id"), ("group", "id")]
    {
        let default = csv_rows(&anchor, &["--by", by]);
        assert_eq!(default, csv_rows(&anchor, &["--by", by, "--sort", key]), "{by}");
    }
}

#[test]
fn top_keeps_the_first_rows() {
    let anchor = one("hybrid").anchor;
    for by in ["region", "location", "group"] {
        for key in ["exclusive", "name"] {
            let all = csv_rows(&anchor, &["--by", by, "--sort", key]);
            for top in [0, 1, 3, 1000] {
                let count = top.to_string();
                let rows = csv_rows(&anchor, &["--by", by, "--sort", key, "--top", &count]);
                assert_eq!(rows, all[..top.min(all.len())], "{by}, {key}, {top}");
            }
        }
    }
}

/// Of call paths the first by the key are kept, wherever they stand in the tree, and those that
/// lead to them.
#[test]
fn top_of_call_paths_keeps_the_way_to_them() {
    let anchor = one("local-defs").anchor;
    let all = csv_rows(&anchor, &["--by", "callpath"]);
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|&a, &b| {
        let [a, b] = [a, b].map(|i| key_of(&all[i], "exclusive"));
        b.total_cmp(&a)
    });
    for top in [0, 1, 4, 1000] {
        let mut kept = BTreeSet::new();
        for &path in order.iter().take(top) {
            let mut next = Some(path as u64);
            while let Some(path) = next {
                kept.insert(path);
                next = id_of(&all[path as usize], "parent");
            }
        }
        let count = top.to_string();
        let rows = csv_rows(&anchor, &["--by", "callpath", "--sort", "exclusive", "--top", &count]);
        let found: BTreeSet<u64> = rows.iter().filter_map(|row| id_of(row, "path")).collect();
        assert_eq!(found, kept, "top {top}");
        assert_eq!(found.len(), rows.len());
    }
}

#[test]
fn a_table_says_how_many_rows_are_left_out() {
    let anchor = one("hybrid").anchor;
    let table = |more: &[&str]| {
        let args = ["profile", "-q"].iter().chain(more).map(OsStr::new);
        let output = streamfold(args.chain([anchor.as_os_str()])).output().expect("a run");
        String::from_utf8(output.stdout).expect("text")
    };
    let (rows, all) = (csv_rows(&anchor, &[]).len(), table(&[]));
    let top = table(&["--top", "5"]);
    assert!(!all.contains("left out"));
    assert!(top.contains(&format!("{} more rows left out (--top)", rows - 5)), "{top}");
    // Once in the table and once in that of metrics, but for the line that says so.
    assert_eq!(all.lines().count() - top.lines().count(), 2 * (rows - 5) - 1);
}

/// `--sort` and `--top` are about tables; JSON has everything in one order.
#[test]
fn json_has_everything_whatever_the_table_shows() {
    let anchor = one("hybrid").anchor;
    let json = |more: &[&str]| {
        let args = ["profile", "-q", "--format", "json"].iter().chain(more).map(OsStr::new);
        streamfold(args.chain([anchor.as_os_str()])).output().expect("a run").stdout
    };
    let all = json(&[]);
    assert_eq!(all, json(&["--sort", "name", "--top", "1", "--by", "location"]));
    let report: serde_json::Value = serde_json::from_slice(&all).expect("JSON");
    for (list, by, reference) in [
        ("regions", "region", "region"),
        ("paths", "callpath", "region"),
        ("locations", "location", "location"),
        ("groups", "group", "group"),
    ] {
        let listed = report[list].as_array().expect("a list");
        let rows = csv_rows(&anchor, &["--by", by]);
        assert_eq!(listed.len(), rows.len(), "{by}");
        for (listed, row) in listed.iter().zip(&rows) {
            for field in [reference, "visits", "closed", "sent", "bytes_received", "collectives"] {
                let shown = match &listed[field] {
                    serde_json::Value::Null => String::new(), // no region
                    number => number.to_string(),
                };
                assert_eq!(shown, row[field], "{by}, {field}");
            }
            assert_eq!(listed["name"], row["name"].as_str(), "{by}");
        }
    }
}
