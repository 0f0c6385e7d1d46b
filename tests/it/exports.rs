//! Tables and events for other tools: what they hold is what CSV and `print` say.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value;

use crate::common::archives::{one, own};
use crate::common::csv::fields;
use crate::common::program::{on_ranks, said, streamfold, text};
use crate::common::skipped;

fn run<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> String {
    let run = streamfold(args).output().expect("the program runs");
    assert!(matches!(run.status.code(), Some(0 | 3)), "{}", said(&run));
    text(&run.stdout)
}

/// The rows of a file: names and values of columns.
fn rows(path: &Path) -> Vec<Vec<(String, Field)>> {
    let reader = SerializedFileReader::new(File::open(path).expect("a file")).expect("Parquet");
    let rows = reader.get_row_iter(None).expect("rows").map(|row| {
        let row = row.expect("a row");
        row.get_column_iter().map(|(name, field)| (name.clone(), field.clone())).collect()
    });
    rows.collect()
}

/// A value as CSV has it.
fn as_text(field: &Field) -> String {
    match field {
        Field::Null => String::new(),
        Field::Long(number) => number.to_string(),
        Field::ULong(number) => number.to_string(),
        Field::Double(number) => number.to_string(),
        Field::Str(text) => text.clone(),
        other => panic!("{other:?}"),
    }
}

/// Compares a file with the table of CSV, which has no seconds.
fn assert_same_as_csv(path: &Path, csv: &str, what: &str) {
    let mut lines = csv.lines();
    let heading = fields(lines.next().expect("a heading"));
    let found = rows(path);
    let lines: Vec<_> = lines.collect();
    assert_eq!(found.len(), lines.len(), "{what}");
    for (row, line) in found.iter().zip(lines) {
        let fields = fields(line);
        let expected: BTreeMap<_, _> = heading.iter().cloned().zip(fields).collect();
        let resolution: f64 = expected["ticks_per_second"].parse().expect("a number");
        let row: BTreeMap<_, _> = row.iter().cloned().collect();
        for (name, value) in &expected {
            let Some(field) = row.get(name) else {
                // Of the tables of all commands but profile it is in the metadata.
                assert_eq!(name, "ticks_per_second", "{what}");
                continue;
            };
            let same = as_text(field) == *value
                || matches!((field, value.parse::<f64>()), (Field::Double(a), Ok(b)) if *a == b);
            assert!(same, "{what}: {name}: {field:?} is not {value}");
            if let (Some(begin), Field::Long(ticks)) = (name.strip_suffix("ticks"), field) {
                let seconds = &row[&format!("{begin}seconds")];
                assert_eq!(*seconds, Field::Double(*ticks as f64 / resolution), "{what}: {name}");
            }
        }
    }
}

#[test]
fn lists_of_messages_are_those_of_csv() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.parquet");
    for archive in own() {
        let anchor = archive.anchor.as_os_str();
        let list = ["match", "-q", "--list"].map(OsStr::new);
        run(list.into_iter().chain([path.as_os_str(), anchor]));
        let csv = run(list.into_iter().chain(["-".as_ref(), anchor]));
        assert_same_as_csv(&path, &csv, &archive.name);
    }
}

#[test]
fn profiles_are_those_of_csv() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("p.parquet");
    for archive in own() {
        for by in
            ["region", "callpath", "group", "location", "metric", "context", "line", "generator"]
        {
            let args = ["profile", "-q", "--by", by].map(OsStr::new);
            let anchor = archive.anchor.as_os_str();
            run(args.into_iter().chain(["-o".as_ref(), path.as_os_str(), anchor]));
            let csv = run(args.into_iter().chain(["--format".as_ref(), "csv".as_ref(), anchor]));
            assert_same_as_csv(&path, &csv, &format!("{} by {by}", archive.name));
        }
    }
}

#[test]
fn tables_of_all_commands_are_those_of_csv() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.parquet");
    let tables: [(&str, &[&str]); 3] = [
        (
            "match",
            &["communicators", "matrix", "sizes", "collectives", "locks", "files", "unmatched"],
        ),
        (
            "waitstates",
            &["metrics", "call_paths", "severities", "worst", "by_location", "left_out"],
        ),
        ("io", &["levels", "calls", "files", "bins", "findings"]),
    ];
    for archive in own() {
        for (command, tables) in tables {
            for table in tables {
                let args = [command, "-q", "--table", table].map(OsStr::new);
                let anchor = archive.anchor.as_os_str();
                run(args.into_iter().chain(["-o".as_ref(), path.as_os_str(), anchor]));
                let csv =
                    run(args.into_iter().chain(["--format".as_ref(), "csv".as_ref(), anchor]));
                assert_same_as_csv(&path, &csv, &format!("{}: {command} {table}", archive.name));
            }
        }
    }
}

/// Every event once, as `print` has it.
#[test]
fn events_are_those_of_print() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("e.parquet");
    for archive in own() {
        let anchor = archive.anchor.as_os_str();
        run(["convert", "-q", "--force", "-o"]
            .map(OsStr::new)
            .into_iter()
            .chain([path.as_os_str(), anchor]));
        let lines = run([OsStr::new("print"), "-q".as_ref(), "--json".as_ref(), anchor]);
        let mut expected: BTreeMap<(u64, u64), Value> = BTreeMap::new();
        for line in lines.lines() {
            let record: Value = serde_json::from_str(line).expect("JSON");
            let key = record["location"]["ref"].as_u64().or(record["location"].as_u64());
            if let Some((location, number)) = key.zip(record["number"].as_u64()) {
                expected.insert((location, number), record);
            }
        }
        let mut found = BTreeMap::new();
        for row in rows(&path) {
            let row: BTreeMap<_, _> = row.into_iter().collect();
            let number = |name: &str| match row[name] {
                Field::ULong(number) => number,
                ref other => panic!("{name}: {other:?}"),
            };
            found.insert((number("location"), number("number")), row);
        }
        assert_eq!(found.len(), expected.len(), "{}", archive.name);
        for (key, row) in &found {
            let record = &expected[key];
            // Enters and leaves by calling context are those of their regions here.
            let kind = as_text(&row["kind"]);
            let named =
                record["record"].as_str().expect("a name").trim_start_matches("CallingContext");
            assert_eq!(kind.trim_start_matches("CallingContext"), named, "{record}");
            if let Some(length) = record["msg_length"].as_u64() {
                assert_eq!(row["size"], Field::Long(length as i64), "{record}");
                assert_ne!(row["partner"], Field::Null, "{record}");
            }
        }
    }
}

#[test]
fn any_number_of_ranks_writes_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let anchor = one("hybrid").anchor;
    let on = |ranks: usize, command: &str| -> Option<Vec<u8>> {
        let path: PathBuf = folder.path().join(format!("{command}-{ranks}.parquet"));
        let args =
            [command.as_ref(), "-q".as_ref(), "-o".as_ref(), path.as_os_str(), anchor.as_os_str()];
        let ended = match ranks {
            1 => streamfold(args).output().expect("a run"),
            _ => on_ranks(ranks, args)?,
        };
        assert_eq!(ended.status.code(), Some(0), "{}", said(&ended));
        Some(fs::read(path).expect("a file"))
    };
    for command in ["convert", "profile", "waitstates"] {
        let one = on(1, command);
        for ranks in [2, 3] {
            let Some(other) = on(ranks, command) else { continue };
            assert!(Some(other) == one, "{command} on {ranks} ranks");
        }
    }
}

#[test]
fn a_window_of_events_is_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("e.parquet");
    let anchor = one("pingpong").anchor;
    let args = ["convert", "-q", "--time", "begin", "end", "-o"].map(OsStr::new);
    run(args.into_iter().chain([path.as_os_str(), anchor.as_os_str()]));
    let mut open = 0i64;
    for row in rows(&path) {
        match row.iter().find(|(name, _)| name == "kind").map(|(_, kind)| as_text(kind)).as_deref()
        {
            Some("Enter") => open += 1,
            Some("Leave") => open -= 1,
            _ => {}
        }
    }
    assert_eq!(open, 0);
}

#[test]
fn a_failed_conversion_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("e.parquet");
    fs::write(&path, "older").expect("a file");
    let anchor = one("pingpong").anchor;
    let args =
        ["convert".as_ref(), "-q".as_ref(), "-o".as_ref(), path.as_os_str(), anchor.as_os_str()];
    let ended = streamfold(args).output().expect("a run");
    assert_eq!(ended.status.code(), Some(4), "{}", said(&ended));
    assert_eq!(fs::read(&path).expect("the file"), b"older");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

/// The call paths of JSON, with their times.
#[test]
fn caliper_has_the_call_paths() {
    for archive in own() {
        let anchor = archive.anchor.as_os_str();
        let of = |format: &str| -> Value {
            let args = ["profile", "-q", "--format", format].map(OsStr::new);
            serde_json::from_str(&run(args.into_iter().chain([anchor]))).expect("JSON")
        };
        let (caliper, profile) = (of("caliper"), of("json"));
        let paths = profile["paths"].as_array().expect("paths");
        let (data, nodes) = (&caliper["data"], &caliper["nodes"]);
        assert_eq!(data.as_array().map(Vec::len), Some(paths.len()));
        assert_eq!(nodes.as_array().map(Vec::len), Some(paths.len()));
        assert_eq!(caliper["columns"].as_array().map(Vec::len), Some(8));
        let resolution = profile["units"]["ticks_per_second"].as_f64().expect("a number");
        for (number, path) in paths.iter().enumerate() {
            let seconds = |name: &str| path[name].as_f64().expect("ticks") / resolution;
            assert_eq!(data[number][1].as_u64(), Some(number as u64));
            assert_eq!(data[number][2].as_f64(), Some(seconds("exclusive")));
            assert_eq!(data[number][3].as_f64(), Some(seconds("inclusive")));
            assert_eq!(nodes[number]["label"], path["name"]);
            assert_eq!(nodes[number]["parent"], path["parent"]);
        }
    }
}

#[test]
fn extrap_has_means_of_processes() {
    let anchor = one("pingpong").anchor;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.jsonl");
    let args = ["profile", "-q", "--by", "callpath", "-o"].map(OsStr::new);
    run(args.into_iter().chain([path.as_os_str(), anchor.as_os_str()]));
    let lines = fs::read_to_string(path).expect("a file");
    let json = run([
        OsStr::new("profile"),
        "-q".as_ref(),
        "--format".as_ref(),
        "json".as_ref(),
        anchor.as_os_str(),
    ]);
    let profile: Value = serde_json::from_str(&json).expect("JSON");
    let resolution = profile["units"]["ticks_per_second"].as_f64().expect("a number");
    let lines: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let of = |metric: &str| -> f64 {
        let lines = lines.iter().filter(|line| line["metric"] == metric);
        lines.map(|line| line["value"].as_f64().expect("a number")).sum()
    };
    let processes = lines[0]["params"]["p"].as_f64().expect("a number");
    assert_eq!(processes, 2.0);
    let all = profile["total"]["exclusive"].as_f64().expect("a number") / resolution;
    assert!((of("time") * processes - all).abs() < 1e-6);
    assert!(lines
        .iter()
        .any(|line| line["callpath"].as_str().is_some_and(|path| path.contains("->"))));
}

/// The Python that tests may use.
fn python(script: &str, args: &[&Path], needs: &str) -> Option<String> {
    let python = std::env::var_os("STREAMFOLD_PYTHON").unwrap_or("python3".into());
    let has = Command::new(&python).args(["-c", &format!("import {needs}")]).output();
    if !has.is_ok_and(|has| has.status.success()) {
        skipped(&format!("reading with Python, which has no {needs} (STREAMFOLD_PYTHON)"));
        return None;
    }
    // Threads of pyarrow may abort an interpreter that ends in the usual way.
    let script = format!("{script}\nimport os; sys.stdout.flush(); os._exit(0)");
    let run = Command::new(&python).args(["-c", &script]).args(args).output().expect("a run");
    assert!(run.status.success(), "{}", text(&run.stderr));
    Some(text(&run.stdout))
}

#[test]
fn pandas_opens_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("p.parquet");
    let anchor = one("pingpong").anchor;
    run(["profile", "-q", "-o"]
        .map(OsStr::new)
        .into_iter()
        .chain([path.as_os_str(), anchor.as_os_str()]));
    let script = "import sys, pandas; t = pandas.read_parquet(sys.argv[1]); \
                  print(t.name[0], t.exclusive_ticks.sum(), t.exclusive_ticks.dtype, t.exclusive_seconds.dtype)";
    let Some(found) = python(script, &[&path], "pandas, pyarrow") else { return };
    let found: Vec<_> = found.split_whitespace().collect();
    let sum: i64 = rows(&path)
        .iter()
        .flatten()
        .filter(|(name, _)| name == "exclusive_ticks")
        .map(|(_, field)| if let Field::Long(ticks) = field { *ticks } else { 0 })
        .sum();
    assert_eq!(found[found.len() - 3..], [sum.to_string().as_str(), "int64", "float64"]);
}

#[test]
fn hatchet_opens_profiles() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("p.cali.json");
    let anchor = one("pingpong").anchor;
    run(["profile", "-q", "-o"]
        .map(OsStr::new)
        .into_iter()
        .chain([path.as_os_str(), anchor.as_os_str()]));
    let script = "import sys, hatchet; g = hatchet.GraphFrame.from_caliper(sys.argv[1]); \
                  print(len(g.dataframe), g.dataframe['time'].sum())";
    let Some(found) = python(script, &[&path], "hatchet") else { return };
    assert!(!found.trim().is_empty());
}
