//! The same bytes for any layout: any number of ranks, any number of threads, with MPI and without.
//! And what decides about layout and order: `--mpi`, `--plan`, `--sort`, `--top`.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use std::process::Output;

use common::{large_folders, one, own, said, streamfold, Archive};

const BY: [&str; 4] = ["region", "callpath", "location", "group"];

/// Numbers of ranks under mpirun.
const RANKS: [usize; 5] = [1, 2, 3, 5, 8];

/// Everything that the program can say of a trace in one run.
#[derive(Debug, PartialEq)]
struct Reports {
    table: Vec<u8>,
    csv: Vec<u8>,
    json: Vec<u8>,
    code: Option<i32>,
}

impl Reports {
    /// Those that `run` makes with the arguments that ask for them.
    fn made_by(
        anchor: &Path,
        by: &str,
        more: &[&str],
        run: impl FnOnce(Vec<OsString>) -> Option<Output>,
    ) -> Option<Reports> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = |name: &str| folder.path().join(name);
        let mut args: Vec<OsString> =
            ["profile", "-q", "--by", by, "-o", "-"].map(Into::into).into();
        args.push(anchor.into());
        for name in ["table.txt", "rows.csv", "all.json"] {
            args.extend(["-o".into(), file(name).into_os_string()]);
        }
        args.extend(more.iter().map(Into::into));
        let output = run(args)?;
        let read = |name: &str| {
            fs::read(file(name)).unwrap_or_else(|e| panic!("{name}: {e}; {}", said(&output)))
        };
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&read("table.txt")),
            "standard output gets what a file gets"
        );
        Some(Reports {
            table: read("table.txt"),
            csv: read("rows.csv"),
            json: read("all.json"),
            code: output.status.code(),
        })
    }

    fn alone(anchor: &Path, by: &str, more: &[&str]) -> Reports {
        let run = |args| Some(streamfold(args).output().expect("a run"));
        Reports::made_by(anchor, by, more, run).expect("reports")
    }

    #[cfg(feature = "mpi")]
    fn of_ranks(ranks: usize, anchor: &Path, by: &str, more: &[&str]) -> Option<Reports> {
        Reports::made_by(anchor, by, more, |args| common::mpirun(ranks, args))
    }

    fn expect_equal(&self, found: &Reports, layout: &str) {
        for (what, expected, found) in [
            ("table", &self.table, &found.table),
            ("CSV", &self.csv, &found.csv),
            ("JSON", &self.json, &found.json),
        ] {
            let [expected, found] = [expected, found].map(|text| String::from_utf8_lossy(text));
            assert_eq!(expected, found, "{what} of {layout}");
        }
        assert_eq!(self.code, found.code, "{layout}");
    }
}

/// The same bytes from one thread, several threads, one rank and several ranks, each of them with
/// one to three threads.
fn expect_same_bytes_for_any_layout(anchor: &Path, by: &str) {
    let expected = Reports::alone(anchor, by, &["--threads", "1"]);
    expected.expect_equal(&Reports::alone(anchor, by, &["--threads", "4"]), "4 threads");
    expected.expect_equal(&Reports::alone(anchor, by, &["--max-open-files", "1"]), "1 open file");
    #[cfg(feature = "mpi")]
    for ranks in RANKS {
        let threads = (1 + ranks % 3).to_string();
        let Some(found) = Reports::of_ranks(ranks, anchor, by, &["--threads", &threads]) else {
            continue;
        };
        expected.expect_equal(&found, &format!("{ranks} ranks, {threads} threads, by {by}"));
    }
}

/// One test for each archive, so that they run side by side.
macro_rules! same_bytes_for_any_layout {
    ($($test:ident: $archive:literal,)*) => {$(
        #[test]
        fn $test() {
            BY.iter().for_each(|by| expect_same_bytes_for_any_layout(&one($archive).anchor, by));
        }
    )*

        #[test]
        fn every_archive_of_this_repository_has_its_test() {
            let names: Vec<_> = own().into_iter().map(|archive| archive.name).collect();
            assert_eq!(names, [$($archive),*]);
        }
    };
}

same_bytes_for_any_layout! {
    eztrace_gives_the_same_bytes_for_any_layout: "eztrace",
    hybrid_gives_the_same_bytes_for_any_layout: "hybrid",
    intercomm_gives_the_same_bytes_for_any_layout: "intercomm",
    local_defs_gives_the_same_bytes_for_any_layout: "local-defs",
    pingpong_gives_the_same_bytes_for_any_layout: "pingpong",
    sampling_gives_the_same_bytes_for_any_layout: "sampling",
}

/// Those with the most locations, and one whose definitions were not unified.
#[test]
fn larger_archives_give_the_same_bytes_for_any_layout() {
    let names = [
        ("scorep3-stencil4d-32", "location"),
        ("scorep9-gpu-metrics", "group"),
        ("scorep8-lulesh-hybrid-rusage", "callpath"),
        ("synthetic-ununified-6", "region"),
    ];
    for folder in large_folders(&names.map(|(name, _)| name)) {
        let archive = Archive::find(&folder).expect("an anchor");
        let (_, by) = names.iter().find(|(name, _)| *name == archive.name).expect("its name");
        expect_same_bytes_for_any_layout(&archive.anchor, by);
    }
}

/// What was lost is part of a report, and stands there in an order of its own.
#[test]
fn damaged_archives_give_the_same_bytes_for_any_layout() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    common::copy_folder(&one("hybrid").folder, folder.path());
    let file = |name: &str| folder.path().join("traces").join(name);
    for name in ["8589934592.evt", "0.evt", "2.evt"] {
        let events = fs::read(file(name)).expect("events");
        fs::write(file(name), &events[..events.len() / 3]).expect("cut");
    }
    fs::remove_file(file("4294967298.evt")).expect("removed");
    fs::write(file("3.def"), b"no definitions").expect("damaged");
    let anchor = folder.path().join("traces.otf2");
    expect_same_bytes_for_any_layout(&anchor, "location");
    assert_eq!(Reports::alone(&anchor, "region", &[]).code, Some(3));
}

// ------------------------------------------------------------ --mpi

fn csv_args(anchor: &Path) -> Vec<&OsStr> {
    let options = ["profile", "-q", "--format", "csv", "--by", "group"];
    options.iter().map(|option| OsStr::new(*option)).chain([anchor.as_os_str()]).collect()
}

#[cfg(feature = "mpi")]
#[test]
fn mpi_on_works_without_a_launcher() {
    let archive = one("pingpong");
    let alone = streamfold(csv_args(&archive.anchor)).output().expect("a run");
    let with = streamfold(csv_args(&archive.anchor)).args(["--mpi", "on"]).output().expect("a run");
    assert!(with.status.success(), "{}", said(&with));
    assert_eq!(alone.stdout, with.stdout);
}

/// With `--mpi off` each of two processes is alone and writes all of its output.
#[cfg(feature = "mpi")]
#[test]
fn mpi_off_makes_every_process_a_job_of_its_own() {
    let archive = one("pingpong");
    let alone = streamfold(csv_args(&archive.anchor)).output().expect("a run");
    let args = csv_args(&archive.anchor).into_iter().chain(["--mpi", "off"].map(OsStr::new));
    let Some(two) = common::mpirun(2, args) else { return };
    assert!(two.status.success(), "{}", said(&two));
    let sorted = |text: &[u8]| {
        let mut lines: Vec<_> = text.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
        lines.sort();
        lines
    };
    // The launcher may mix the lines of both.
    assert_eq!(sorted(&two.stdout), sorted(&alone.stdout.repeat(2)));
}

#[cfg(not(feature = "mpi"))]
#[test]
fn mpi_on_is_refused_by_a_program_without_mpi() {
    let archive = one("pingpong");
    let with = streamfold(csv_args(&archive.anchor)).args(["--mpi", "on"]).output().expect("a run");
    assert_eq!(with.status.code(), Some(5));
    assert!(said(&with).contains("MPI"), "{}", said(&with));
}

/// What a launcher's variable promises and does not hold is no reason to work on a part of the
/// trace, or on all of it several times.
#[test]
fn ranks_that_do_not_meet_are_an_error_unless_mpi_is_off() {
    let archive = one("pingpong");
    let mut strangers = streamfold(csv_args(&archive.anchor));
    let output = strangers.env("OMPI_COMM_WORLD_SIZE", "3").output().expect("a run");
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
    assert!(output.stdout.is_empty());
    let mut alone = streamfold(csv_args(&archive.anchor));
    alone.env("OMPI_COMM_WORLD_SIZE", "3").args(["--mpi", "off"]).assert().code(0);
}

// ------------------------------------------------------------ --plan

/// A line of a plan.
#[derive(Debug)]
struct PlannedRank {
    locations: u64,
    bytes: u64,
    first: Vec<u64>,
    all_shown: bool,
}

fn plan(anchor: &Path, option: &str) -> String {
    let args = [OsStr::new("profile"), anchor.as_os_str(), OsStr::new(option)];
    let output = streamfold(args).output().expect("a run");
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(said(&output), "");
    String::from_utf8(output.stdout).expect("text")
}

fn planned_ranks(text: &str) -> Vec<PlannedRank> {
    let rows = text.lines().skip_while(|line| !line.trim_start().starts_with("rank")).skip(1);
    let rank = |(i, line): (usize, &str)| {
        // Thousands are apart, so columns are told by their width.
        let number = |from: usize, to: usize| -> u64 {
            line[from..to].replace(' ', "").parse().expect("a number")
        };
        assert_eq!(number(0, 6), i as u64, "ranks stand in their order");
        let (_, list) = line.split_once('%').expect("a part of the total");
        let first = list.split(',').filter_map(|text| text.trim().parse().ok());
        PlannedRank {
            locations: number(7, 17),
            bytes: number(35, 51),
            first: first.collect(),
            all_shown: !list.contains('…'),
        }
    };
    rows.take_while(|line| !line.is_empty()).enumerate().map(rank).collect()
}

/// Every location is read by one rank, whatever their number.
#[test]
fn plans_are_disjoint_and_complete() {
    for archive in own() {
        let facts = archive.facts();
        let locations: BTreeSet<u64> = facts["locations"]
            .as_array()
            .expect("locations")
            .iter()
            .map(|location| location["ref"].as_u64().expect("a reference"))
            .collect();
        let folder = archive.anchor.with_extension("");
        let bytes = |location: &u64| {
            fs::metadata(folder.join(format!("{location}.evt"))).map_or(0, |file| file.len())
        };
        let total: u64 = locations.iter().map(bytes).sum();
        for ranks in RANKS.into_iter().chain([64]) {
            let text = plan(&archive.anchor, &format!("--plan={ranks}"));
            let planned = planned_ranks(&text);
            let name = format!("{}, {ranks} ranks:\n{text}", archive.name);
            assert_eq!(planned.len(), ranks, "{name}");
            let count: u64 = planned.iter().map(|rank| rank.locations).sum();
            assert_eq!(count, locations.len() as u64, "{name}");
            assert_eq!(planned.iter().map(|rank| rank.bytes).sum::<u64>(), total, "{name}");
            let shown: Vec<u64> = planned.iter().flat_map(|rank| rank.first.clone()).collect();
            let different: BTreeSet<u64> = shown.iter().copied().collect();
            assert_eq!(different.len(), shown.len(), "disjoint: {name}");
            assert!(different.is_subset(&locations), "{name}");
            if planned.iter().all(|rank| rank.all_shown) {
                assert_eq!(different, locations, "complete: {name}");
            }
            for rank in planned.iter().filter(|rank| rank.all_shown) {
                assert_eq!(rank.first.iter().map(bytes).sum::<u64>(), rank.bytes, "{name}");
            }
        }
    }
}

#[test]
fn a_plan_without_a_number_is_for_the_ranks_that_there_are() {
    let archive = one("hybrid");
    assert_eq!(plan(&archive.anchor, "--plan"), plan(&archive.anchor, "--plan=1"));
    #[cfg(feature = "mpi")]
    {
        let args = [OsStr::new("profile"), archive.anchor.as_os_str(), OsStr::new("--plan")];
        let Some(output) = common::mpirun(3, args) else { return };
        let text = String::from_utf8(output.stdout).expect("text");
        assert_eq!(text, plan(&archive.anchor, "--plan=3"));
    }
}

#[test]
fn a_plan_reads_no_events() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archive = one("pingpong");
    common::copy_folder(&archive.folder, folder.path());
    for name in ["0.evt", "1.evt"] {
        let path = folder.path().join("traces").join(name);
        let size = fs::metadata(&path).expect("events").len();
        fs::write(&path, vec![0xff; size as usize]).expect("overwritten");
    }
    let damaged = plan(&folder.path().join("traces.otf2"), "--plan=2");
    assert_eq!(damaged, plan(&archive.anchor, "--plan=2"));
}

// ------------------------------------------------------------ --sort and --top

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
            columns.iter().map(|c| number(c) + number(&format!("collective_{c}"))).sum()
        }
        "imbalance" => number("most_exclusive_ticks") - number("mean_exclusive_ticks"),
        other => unreachable!("{other}"),
    }
}

const NUMERIC_KEYS: [&str; 7] =
    ["exclusive", "inclusive", "visits", "mean", "longest", "bytes", "imbalance"];

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
            let keys = |row: &CsvRow| (key_of(row, key), id_of(row, by));
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
        assert!(names.is_sorted_by_key(|row| (row["name"].clone(), id_of(row, by))));
        let ids = csv_rows(&anchor, &["--by", by, "--sort", "id"]);
        assert!(ids.is_sorted_by_key(|row| id_of(row, by)));
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
    assert_eq!(all.lines().count() - top.lines().count(), rows - 5 - 1);
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
                assert_eq!(listed[field].to_string(), row[field], "{by}, {field}");
            }
            assert_eq!(listed["name"], row["name"].as_str(), "{by}");
        }
    }
}
