//! Windows of time of whole archives: they add up, read nothing behind their end, and decode nothing
//! before their begin but what says what is open.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{json, Value};

use crate::common::archives::{large, one, own, Archive};
#[cfg(feature = "ranks")]
use crate::common::program::on_ranks;
use crate::common::program::{said, streamfold, text};
use crate::common::small::{Bytes, Definitions, Files, Order, Small, Written, CHUNK};
use crate::common::sums::SUMMED;

/// What the program gives: its exit code, and what it says.
fn run(anchor: &Path, options: &[&str]) -> (i32, Vec<u8>, String) {
    let mut run = streamfold(["profile", "-q", "--mpi", "off", "--format", "json"]);
    let output = run.arg(anchor).args(options).output().expect("a run");
    (output.status.code().expect("an exit code"), output.stdout.clone(), said(&output))
}

fn profile(anchor: &Path, options: &[&str], code: i32) -> Value {
    let (found, json, said) = run(anchor, options);
    assert_eq!(found, code, "{} {options:?}: {said}", anchor.display());
    serde_json::from_slice(&json).expect("JSON")
}

fn signed(value: &Value) -> i128 {
    match value {
        Value::Null => 0,
        value => value.to_string().parse().unwrap_or_else(|_| panic!("a number: {value}")),
    }
}

/// Visits, inclusive and exclusive time of each call path.
fn times(profile: &Value) -> Vec<[i128; 3]> {
    let paths = profile["paths"].as_array().expect("paths").iter();
    paths.map(|row| ["visits", "inclusive", "exclusive"].map(|name| signed(&row[name]))).collect()
}

type Sums = BTreeMap<String, Vec<i128>>;

/// Adds what a profile has of each path, region, location and of all, without what it takes back.
fn add(sums: &mut Sums, profile: &Value) {
    let mut put = |key: String, row: &Value, sign: i128| {
        let sum = sums.entry(key).or_insert(vec![0; SUMMED.len() + 1]);
        for (sum, name) in sum.iter_mut().zip(SUMMED.into_iter().chain(["outer"])) {
            let name =
                if name == "exclusive" && row.get("inside").is_some() { "inside" } else { name };
            *sum += sign * signed(&row[name]);
        }
    };
    let rows = |of: &Value, list: &str| of[list].as_array().cloned().unwrap_or_default();
    let mut paths: Vec<String> = Vec::new();
    for row in rows(profile, "paths") {
        let above = row["parent"].as_u64().map(|parent| paths[parent as usize].clone());
        let above = above.unwrap_or_default();
        let path = format!("{above} > {} {} {}", row["kind"], row["region"], row["name"]);
        put(path.clone(), &row, 1);
        paths.push(path);
    }
    let region = |row: &Value| format!("{} {} {}", row["kind"], row["region"], row["name"]);
    rows(profile, "regions").iter().for_each(|row| put(region(row), row, 1));
    let location = |row: &Value| format!("location {}", row["location"]);
    rows(profile, "locations").iter().for_each(|row| put(location(row), row, 1));
    let group = |row: &Value| format!("group {}", row["group"]);
    rows(profile, "groups").iter().for_each(|row| put(group(row), row, 1));
    put("total".to_owned(), &profile["total"], 1);
    put("outside".to_owned(), &profile["total"]["outside_regions"], 1);
    for (name, count) in profile["threads"].as_object().into_iter().flatten() {
        put(format!("threads: {name}"), &json!({ "visits": count }), 1);
    }
    let back = &profile["taken_back"];
    if back.is_null() {
        return;
    }
    for row in rows(back, "paths") {
        put(paths[row["path"].as_u64().expect("an index") as usize].clone(), &row, -1);
    }
    rows(back, "regions").iter().for_each(|row| put(region(row), row, -1));
    rows(back, "locations").iter().for_each(|row| put(location(row), row, -1));
    rows(back, "groups").iter().for_each(|row| put(group(row), row, -1));
    put("total".to_owned(), &back["total"], -1);
}

/// Rows of nothing need not be in both.
fn some(mut sums: Sums) -> Sums {
    sums.retain(|_, sum| sum.iter().any(|number| *number != 0));
    sums
}

/// First and last time of a profile's events.
fn span(profile: &Value) -> (u64, u64) {
    let rows = profile["locations"].as_array().expect("rows");
    let first = rows.iter().filter_map(|row| row["first"].as_u64()).min().expect("an event");
    (first, rows.iter().filter_map(|row| row["last"].as_u64()).max().expect("an event"))
}

fn check_sum(archive: &Archive, options: &[&str], parts: &[u64]) {
    check_sum_of(&archive.anchor, &archive.name, options, parts);
}

/// Windows of an archive that begin at these thousandths of its time have what the whole has.
pub fn check_sum_of(anchor: &Path, name: &str, options: &[&str], parts: &[u64]) {
    let (code, json, _) = run(anchor, options);
    let whole: Value = serde_json::from_slice(&json).expect("JSON");
    let (first, last) = span(&whole);
    let mut bounds = vec!["begin".to_owned()];
    bounds.extend(parts.iter().map(|part| (first + part_of(last - first, *part)).to_string()));
    bounds.push("end".to_owned());
    let mut sums = Sums::new();
    let (mut events, mut codes) = (0, 0);
    for window in bounds.windows(2) {
        let options = [options, &["--time", &window[0], &window[1]]].concat();
        let (found, json, said) = run(anchor, &options);
        assert!(found == 0 || found == code, "{} {options:?}: {found} {said}", name);
        codes = codes.max(found);
        let part: Value = serde_json::from_slice(&json).expect("JSON");
        events += signed(&part["total"]["events"]);
        add(&mut sums, &part);
    }
    assert_eq!(codes, code, "{}", name);
    let mut expected = Sums::new();
    add(&mut expected, &whole);
    let (sums, expected) = (some(sums), some(expected));
    for key in sums.keys().chain(expected.keys()) {
        let (found, expected) = (sums.get(key), expected.get(key));
        assert_eq!(found, expected, "{} {options:?} {bounds:?}: {key}", name);
    }
    assert_eq!(events, signed(&whole["total"]["events"]));
}

/// So many thousandths of it.
fn part_of(ticks: u64, part: u64) -> u64 {
    (u128::from(ticks) * u128::from(part) / 1000) as u64
}

#[test]
fn windows_of_the_archives_of_this_repository_add_up() {
    for archive in own() {
        check_sum(&archive, &[], &[0, 1, 333, 334, 900]);
        check_sum(&archive, &["--raw-clocks"], &[500]);
        check_sum(&archive, &["--exclude", "^(main|MPI_.*)$"], &[271, 600]);
        check_sum(&archive, &["--thread-tree", "--program-root"], &[1, 271, 600]);
        check_sum(&archive, &["--thread-tree", "--exclude", "^(main|MPI_.*)$"], &[271, 600]);
    }
    check_sum(&one("hybrid"), &["-L", "0", "--paradigm", "openmp"], &[271, 600]);
}

#[test]
fn windows_of_the_large_set_add_up() {
    for archive in large() {
        check_sum(&archive, &[], &[100, 617]);
        check_sum(&archive, &["--thread-tree"], &[400]);
    }
}

#[test]
fn parameters_are_where_they_are_in_the_whole() {
    let archive = one("hybrid");
    let (code, _, error) = run(&archive.anchor, &["--by-parameter", "no such"]);
    assert_eq!(code, 1);
    let (_, known) =
        error.trim_end().rsplit_once("(--by-parameter); it has ").expect("what is known");
    let options: Vec<&str> = known.split(", ").flat_map(|name| ["--by-parameter", name]).collect();
    check_sum(&archive, &options, &[200, 400, 401, 402, 600, 800]);
}

#[cfg(feature = "ranks")]
#[test]
fn a_window_is_the_same_bytes_on_several_ranks() {
    let archive = one("hybrid");
    let (first, last) = span(&profile(&archive.anchor, &[], 0));
    let (begin, end) = ((first + (last - first) / 3).to_string(), (last - 1000).to_string());
    let options = ["--time", &begin, &end, "--exclude", "MPI_Init", "--by-parameter", "step"];
    for options in [&options[..5], &options[..3]] {
        for format in ["json", "csv", "table"] {
            let anchor = archive.anchor.to_str().expect("a path");
            let arguments =
                [&["profile", "-q", anchor, "--format", format, "--by", "callpath"], options];
            let alone =
                streamfold(arguments.concat()).args(["--mpi", "off"]).output().expect("a run");
            assert!(alone.status.success(), "{}", said(&alone));
            for ranks in [2, 3] {
                let Some(output) = on_ranks(ranks, arguments.concat()) else { return };
                assert_eq!(text(&output.stdout), text(&alone.stdout), "{ranks} ranks, {format}");
            }
        }
    }
}

/// Small archives have a clock of 1 GHz that begins at 0, and no date.
fn archive_of(events: Vec<u8>) -> Written {
    let definitions = Definitions::new(Order::Little).string(2, "main").region(0).region(1);
    let definitions = definitions.location(0, 0);
    Small::with(Order::Little, definitions, vec![Files { events: Some(events), definitions: None }])
        .write()
}

/// A Metric record whose payload is none.
fn no_metric(bytes: Bytes) -> Bytes {
    let payload = bytes.payload().raw(&[9, 9, 9]);
    bytes.record(31, payload)
}

/// Send, as an MpiSend record.
fn send(bytes: Bytes, length: u64) -> Bytes {
    let payload = bytes.payload().c(1).c(0).c(0).c(length);
    bytes.record(14, payload)
}

/// An MpiSend record whose payload is none.
fn no_send(bytes: Bytes) -> Bytes {
    let payload = bytes.payload().raw(&[9, 9, 9]);
    bytes.record(14, payload)
}

/// region 0 from 100 to 1000, in it region 1 from 200 to 300 and from 500 to 700.
fn visits(
    before: fn(Bytes) -> Bytes,
    inside: fn(Bytes) -> Bytes,
    after: fn(Bytes) -> Bytes,
) -> Bytes {
    let bytes = before(Bytes::new(Order::Little).header().time(100).enter(0));
    let bytes = before(bytes.time(200).enter(1).time(300).leave(1));
    let bytes = inside(bytes.time(500).enter(1).time(700).leave(1));
    after(bytes.time(1000).leave(0)).end()
}

#[test]
fn before_the_window_only_what_says_what_is_open_is_decoded() {
    let damaged = |bytes: Bytes| no_send(no_metric(bytes));
    let written = archive_of(visits(damaged, |bytes| send(bytes, 7), |bytes| bytes).bytes);
    let part = profile(&written.anchor(), &["--time", "400", "600"], 0);
    assert_eq!(times(&part), [[0, 200, 100], [1, 100, 100]]);
    // Of the whole it is the end.
    let whole = profile(&written.anchor(), &[], 3);
    assert_eq!(signed(&whole["total"]["events"]), 1, "reading ends at the metric");
    let part = profile(&written.anchor(), &["--time", "400", "800"], 0);
    assert_eq!(signed(&part["total"]["bytes_sent"]), 7);
}

#[test]
fn behind_the_window_nothing_is_read() {
    // A header that is none, in the next chunk.
    let good = visits(|b| b, |b| b, |b| b).bytes;
    let mut file = Bytes::new(Order::Little);
    file.bytes = good[..good.len() - 2].to_vec();
    let file = file.pad(CHUNK).raw(&[77; 100]).bytes;
    let written = archive_of(file.clone());
    assert_eq!(run(&written.anchor(), &["--time", "0", "1000"]).0, 0);
    assert_eq!(run(&written.anchor(), &["--time", "0", "1001"]).0, 3);
    assert_eq!(run(&written.anchor(), &["--time", "begin", "end"]).0, 3);
    // A record that claims more than there is, and a file that is cut.
    let written = archive_of(visits(|b| b, |b| b, |bytes| bytes.time(1100).raw(&[31, 200])).bytes);
    assert_eq!(run(&written.anchor(), &["--time", "0", "1100"]).0, 0);
    assert_eq!(run(&written.anchor(), &["--time", "0", "1101"]).0, 3);
    let written = archive_of(good[..good.len() - 3].to_vec());
    assert_eq!(run(&written.anchor(), &["--time", "0", "900"]).0, 0);
    assert_eq!(run(&written.anchor(), &[]).0, 3);
}

#[test]
fn a_stream_that_is_damaged_before_the_window_is_a_loss() {
    let written = archive_of(visits(|bytes| bytes.raw(&[12, 9]), |b| b, |b| b).bytes);
    let (code, json, said) = run(&written.anchor(), &["--time", "400", "600"]);
    assert_eq!(code, 3);
    assert!(said.contains("Enter record 2"), "{said}");
    let part: Value = serde_json::from_slice(&json).expect("JSON");
    assert_eq!(part["paths"].to_string(), "[]");
    assert_eq!(part["locations"].as_array().map(Vec::len), Some(1));
    let strict = run(&written.anchor(), &["--time", "400", "600", "--strict"]);
    assert_eq!(strict.0, 2);
}

#[test]
fn windows_without_events() {
    let written = archive_of(visits(|b| b, |b| b, |b| b).bytes);
    for (window, inclusive) in [
        (["0", "0"], 0),
        (["0", "100"], 0),
        (["350", "350"], 0),
        // Nothing happens there, but somebody is at work.
        (["350", "450"], 100),
        (["1001", "end"], 0),
        (["5s", "6s"], 0),
    ] {
        let part = profile(&written.anchor(), &["--time", window[0], window[1]], 0);
        assert_eq!(signed(&part["total"]["events"]), 0, "{window:?}");
        assert_eq!(signed(&part["total"]["inclusive"]), inclusive, "{window:?}");
        assert_eq!(part["locations"][0]["first"], Value::Null);
    }
}

/// Whether a window is asked for or not.
#[test]
fn locations_of_the_total_are_those_that_have_any_visit() {
    let header = || Bytes::new(Order::Little).header();
    let definitions = Definitions::new(Order::Little).string(2, "main").region(0);
    let files = [header().time(10).enter(0).time(30).leave(0), send(header().time(20), 7)];
    let files = files.map(|bytes| Files { events: Some(bytes.end().bytes), definitions: None });
    let definitions = definitions.location(0, 0).location(1, 0);
    let written = Small::with(Order::Little, definitions, files.into()).write();
    for window in [&[][..], &["--time", "begin", "end"]] {
        let found = profile(&written.anchor(), window, 0);
        assert_eq!(found["locations"].as_array().map(Vec::len), Some(2));
        assert_eq!(found["total"]["locations"], 1, "{window:?}");
        let least = &found["total"]["exclusive_by_location"]["least"];
        assert_eq!(signed(least), 20, "{window:?}");
    }
}

#[test]
fn times_are_ticks_or_seconds_or_dates() {
    let written = archive_of(visits(|b| b, |b| b, |b| b).bytes);
    let part = |min: &str, max: &str| {
        let part = profile(&written.anchor(), &["--time", min, max], 0);
        (part["paths"].clone(), part["provenance"]["options"].clone())
    };
    let (expected, option) = part("250", "600");
    assert_eq!(option.to_string(), r#"[["time","250 600 (ticks 250 to before 600)"]]"#);
    for (min, max) in [("250ns", "0.6us"), ("0.00000025s", "600ns")] {
        assert_eq!(part(min, max).0, expected);
    }
    let (_, option) = part("0.25us", "end");
    assert_eq!(option.to_string(), r#"[["time","0.25us end (ticks 250 to before end)"]]"#);
    for (options, message) in [
        (["600", "250"], "600 is after 250"),
        (["end", "end"], "cannot begin at the end"),
        (["2024-01-01", "end"], "does not say when it was recorded"),
        (["soon", "end"], "neither ticks"),
        (["start", "end"], "neither ticks"),
        (["1.5", "end"], "neither ticks"),
    ] {
        let (code, out, said) = run(&written.anchor(), &["--time", options[0], options[1]]);
        assert_eq!((code, out.len()), (1, 0), "{options:?}");
        assert!(said.contains(message), "{said}");
    }
}

/// A trace that says when it was recorded.
#[test]
fn dates_are_those_of_the_clock() {
    let definitions = Definitions::new(Order::Little).region(0).location(0, 0);
    // 1 MHz from tick 5000 on, which was 2023-11-14T22:13:20Z.
    let clock = definitions.bytes.payload().c(1_000_000).c(5000).c(9000);
    let definitions = definitions.record(5, clock.c(1_700_000_000_000_000_000));
    let events = Bytes::new(Order::Little).header().time(5000).enter(0).time(2_005_000).leave(0);
    let files = Files { events: Some(events.end().bytes), definitions: None };
    let written = Small::with(Order::Little, definitions, vec![files]).write();
    for (min, max, inclusive) in [
        ("2023-11-14T22:13:20.5Z", "2023-11-14T22:13:21Z", 500_000),
        ("2023-11-14", "2023-11-14 22:13:21.25", 1_250_000),
        ("0.5s", "2023-11-14T23:13:21+01:00", 500_000),
        ("begin", "2023-11-15", 2_000_000),
    ] {
        let part = profile(&written.anchor(), &["--time", min, max], 0);
        assert_eq!(signed(&part["total"]["inclusive"]), inclusive, "{min} {max}");
    }
}

#[test]
fn what_is_taken_back_stands_in_every_output() {
    let bytes = Bytes::new(Order::Little).header().time(100).enter(0).time(200).enter(1);
    let written = archive_of(bytes.time(300).leave(1).end().bytes);
    let part = profile(&written.anchor(), &["--time", "250", "end"], 0);
    let back = |inclusive: u64, exclusive: u64| serde_json::json!({ "visits": 0, "inclusive": inclusive, "exclusive": exclusive });
    assert_eq!(part["taken_back"]["total"], back(150, 100));
    assert_eq!(part["taken_back"]["paths"].as_array().map(Vec::len), Some(1));
    assert_eq!(part["taken_back"]["regions"][0]["outer"], 150);
    let whole = profile(&written.anchor(), &[], 0);
    assert!(whole.get("taken_back").is_none());
    let csv = |by: &str, options: &[&str]| {
        let mut run = streamfold(["profile", "-q", "--mpi", "off", "--format", "csv", "--by", by]);
        let output = run.arg(written.anchor()).args(options).output().expect("a run");
        text(&output.stdout)
    };
    for by in ["region", "callpath", "location", "group"] {
        let lines = csv(by, &["--time", "250", "end"]);
        let columns = ",taken_back_visits,taken_back_inclusive_ticks,taken_back_exclusive_ticks,";
        let (columns, fields) = match by {
            "region" => (format!("{columns}taken_back_outer_ticks,"), ",0,150,100,150,1000000000"),
            _ => (columns.to_owned(), ",0,150,100,1000000000"),
        };
        assert!(lines.lines().next().expect("a heading").contains(&columns), "{lines}");
        assert!(lines.contains(fields), "{lines}");
        assert!(!csv(by, &[]).contains("taken_back"));
        assert!(!csv(by, &["--time", "0", "250"]).contains("taken_back"));
    }
    let mut run = streamfold(["profile", "-q", "--mpi", "off"]);
    let output = run.arg(written.anchor()).args(["--time", "250", "end"]).output().expect("a run");
    let table = text(&output.stdout);
    let expected =
        "no end, or another place: 0 visits, 150.0 ns of inclusive and 100.0 ns of exclusive time";
    assert!(
        table.contains("\n\nWindows of time before this one have counted too much, "),
        "{table}"
    );
    assert!(table.contains(expected), "{table}");
    let file = written.file("p.h5");
    let mut run = streamfold(["profile", "-q", "--mpi", "off", "-o"]);
    let run = run.arg(&file).arg(written.anchor()).args(["--time", "250", "end"]).output();
    match cfg!(feature = "hdf5") {
        true => assert!(fs::metadata(&file).is_ok(), "{}", said(&run.expect("a run"))),
        false => assert!(!file.exists()),
    }
}

#[test]
fn only_chosen_regions_are_steps() {
    let bytes = Bytes::new(Order::Little).header().time(100).enter(0).time(200).enter(1);
    let bytes = send(bytes, 5).time(250).enter(2).time(260).leave(2).time(300).leave(1);
    let events = bytes.time(1000).leave(0).end().bytes;
    let mut definitions = Definitions::new(Order::Little).string(2, "main").string(3, "MPI_Send");
    // Name, paradigm: USER and MPI.
    for (id, name, paradigm) in [(0, 2, 1), (1, 1, 1), (2, 3, 4)] {
        let payload = definitions.bytes.payload().c(id).c(name).c(0).raw(&[1]).c(0).c(0).c(0);
        definitions = definitions.record(15, payload.c(name).raw(&[1, paradigm]).c(0));
    }
    let definitions = definitions.location(0, 0);
    let files = Files { events: Some(events), definitions: None };
    let written = Small::with(Order::Little, definitions, vec![files]).write();
    let rows = |options: &[&str]| -> Vec<(String, i128, i128, i128)> {
        let part = profile(&written.anchor(), options, 0);
        let rows = part["paths"].as_array().expect("paths").iter();
        rows.map(|row| {
            let name = row["name"].as_str().expect("a name").to_owned();
            (name, signed(&row["depth"]), signed(&row["exclusive"]), signed(&row["bytes_sent"]))
        })
        .collect()
    };
    let row = |name: &str, depth, exclusive, sent| (name.to_owned(), depth, exclusive, sent);
    let all = [row("main", 0, 800, 0), row("work", 1, 90, 5), row("MPI_Send", 2, 10, 0)];
    assert_eq!(rows(&[]), all);
    assert_eq!(
        rows(&["--region", "^(main|MPI)"]),
        [row("main", 0, 890, 5), row("MPI_Send", 1, 10, 0)]
    );
    assert_eq!(rows(&["--exclude", "ai", "--exclude", "Send$"]), [row("work", 0, 100, 5)]);
    assert_eq!(rows(&["--paradigm", "mpi"]), [row("MPI_Send", 0, 10, 0)]);
    assert_eq!(rows(&["--paradigm", "MPI", "--paradigm", "user"]), all);
    assert_eq!(rows(&["--paradigm", "user", "--region", "work"]), [row("work", 0, 100, 5)]);
    assert_eq!(rows(&["--region", "work", "--time", "220", "255"]), [row("work", 0, 35, 0)]);
    let (code, json, said) = run(&written.anchor(), &["--region", "none"]);
    assert_eq!(code, 0);
    assert!(said.contains("no region that was visited is of those asked for"), "{said}");
    let part: Value = serde_json::from_slice(&json).expect("JSON");
    assert_eq!(signed(&part["total"]["outside_regions"]["bytes_sent"]), 5);
    assert_eq!(part["provenance"]["options"].to_string(), r#"[["region","none"]]"#);
    let anchor = written.anchor();
    let anchor = anchor.to_str().expect("a path");
    let table = ["profile", "-q", anchor, "--region", "work", "--exclude", "none", "--raw-clocks"];
    let table = text(&streamfold(table).output().expect("a run").stdout);
    assert!(table.contains("\nwith --raw-clocks, --region work, --exclude none\n\n"), "{table}");
    let (code, _, said) = run(&written.anchor(), &["--paradigm", "cuda"]);
    assert_eq!(code, 0);
    assert!(said.contains("no region that was visited is of those asked for"), "{said}");
    let (code, _, said) = run(&written.anchor(), &["--paradigm", "mpl"]);
    assert_eq!(code, 1);
    assert!(
        said.contains("the trace has no paradigm mpl (--paradigm); it has mpi, user"),
        "{said}"
    );
    assert_eq!(run(&written.anchor(), &["--region", "("]).0, 1);
}

/// A snapshot of one open region, and what stands before its end: `next` is the event to go on with.
fn snapshot(bytes: Bytes, time: u64, (begin, region): (u64, u64), next: u64) -> Bytes {
    let start = bytes.payload().c(1);
    let enter = bytes.payload().u64(begin).c(region);
    let end = bytes.payload().c(next);
    bytes.time(time).record(10, start).record(13, enter).record(11, end)
}

/// With these snapshots, and an anchor that says that there are some.
fn with_snapshots(written: &Written, snapshots: Bytes) {
    fs::write(written.file("t/0.snap"), snapshots.end().bytes).expect("written");
    let mut anchor = fs::read(written.anchor()).expect("an anchor");
    let at = anchor.len() - 3 - 8;
    anchor[at..at + 4].copy_from_slice(&1u32.to_le_bytes());
    fs::write(written.anchor(), anchor).expect("written");
}

/// Events before a snapshot are not decoded at all: here some that cannot be.
#[test]
fn from_a_snapshot_on_nothing_before_it_is_needed() {
    // Events 1 to 5 are before the snapshot.
    let written = archive_of(visits(no_mode, |b| b, |b| b).bytes);
    let window = ["--time", "400", "600"];
    profile(&written.anchor(), &window, 3);
    let header = || Bytes::new(Order::Little).header();
    with_snapshots(&written, snapshot(snapshot(header(), 350, (100, 0), 6), 450, (100, 0), 6));
    let part = profile(&written.anchor(), &window, 0);
    assert_eq!(times(&part), [[0, 200, 100], [1, 100, 100]]);
    // One behind the window's begin, or none, or one that does not fit: all of the events count.
    profile(&written.anchor(), &["--time", "320", "600"], 3);
    for wrong in [
        snapshot(header(), 350, (100, 0), 5),
        snapshot(header(), 350, (100, 0), 7),
        snapshot(header(), 350, (100, 0), u64::MAX),
        snapshot(header(), 350, (100, 0), 0),
        snapshot(header(), 350, (360, 0), 6),
        snapshot(header(), 350, (100, 1), 6).raw(&[250, 0]),
        header().time(350).raw(&[10, 1]),
    ] {
        with_snapshots(&written, wrong.clone());
        let (code, ..) = run(&written.anchor(), &["--time", "400", "1100"]);
        assert_eq!(code, 3, "{:?}", wrong.bytes);
    }
}

/// A MeasurementOnOff record without a mode.
fn no_mode(bytes: Bytes) -> Bytes {
    let payload = bytes.payload();
    bytes.record(11, payload)
}

/// [`visits`] of these regions in place of 0 and 1, with something before them.
fn visits_of(outer: u64, inner: u64, before: fn(Bytes) -> Bytes) -> Vec<u8> {
    let bytes = before(Bytes::new(Order::Little).header().time(100).enter(outer));
    let bytes = bytes.time(200).enter(inner).time(300).leave(inner);
    let bytes = bytes.time(500).enter(inner).time(700).leave(inner);
    bytes.time(1000).leave(outer).end().bytes
}

/// A definition file with a table that maps region 7 to 2.
fn seven_is_two() -> Vec<u8> {
    let table = Bytes::new(Order::Little).raw(&[3]).c(1).raw(&[1]).c(7).c(2);
    Bytes::new(Order::Little).header().record(5, table).end().bytes
}

/// Regions 0, 1 and 2, of which the first and the last are the same.
fn two_of_a_kind(events: Vec<u8>, definitions: Option<Vec<u8>>) -> Written {
    let global = Definitions::new(Order::Little).region(0).region(1);
    let again = global.bytes.payload().c(2).c(1).c(0).raw(&[1]).c(0).c(0).c(0).c(1);
    let global = global.record(15, again.raw(&[1, 1]).c(0)).location(0, 0);
    let files = Files { events: Some(events), definitions };
    Small::with(Order::Little, global, vec![files]).write()
}

/// What is open in a snapshot is a region of the trace, and known by what it is as in events.
#[test]
fn regions_of_snapshots_are_those_that_stand_for_them() {
    for (outer, definitions) in [(2, None), (0, None), (7, Some(seven_is_two()))] {
        let header = || Bytes::new(Order::Little).header();
        let sound = two_of_a_kind(visits_of(outer, 1, |bytes| bytes), definitions.clone());
        let damaged = two_of_a_kind(visits_of(outer, 1, no_mode), definitions);
        let open = if outer == 0 { 0 } else { 2 };
        with_snapshots(&damaged, snapshot(header(), 350, (100, open), 5));
        for window in [["400", "600"], ["400", "end"]] {
            let options = [&["--time"], &window[..]].concat();
            let mut plain = profile(&sound.anchor(), &options, 0);
            let mut from_snapshot = profile(&damaged.anchor(), &options, 0);
            for of in [&mut plain, &mut from_snapshot] {
                of["provenance"]["input"] = Value::Null;
            }
            assert_eq!(from_snapshot, plain, "{outer} {window:?}");
            assert_eq!(signed(&plain["paths"][0]["region"]), 0);
            // By their numbers they are two.
            let options = [&options[..], &["--by-id"]].concat();
            let by_id = profile(&damaged.anchor(), &options, 0);
            assert_eq!(signed(&by_id["paths"][0]["region"]), i128::from(open));
        }
    }
}

/// The number of a region that only locations define says nothing in a snapshot.
#[test]
fn snapshots_of_regions_without_a_global_definition_are_not_used() {
    let own = Bytes::new(Order::Little).header();
    let region = own.payload().c(5).c(1).c(0).raw(&[1]).c(0).c(0).c(0).c(1).raw(&[1, 1]).c(0);
    let own = Some(own.record(15, region).end().bytes);
    let sound = two_of_a_kind(visits_of(5, 1, |bytes| bytes), own.clone());
    let options = ["--time", "400", "600"];
    let without = profile(&sound.anchor(), &options, 0);
    let of_five = |next| snapshot(Bytes::new(Order::Little).header(), 350, (100, 5), next);
    with_snapshots(&sound, of_five(4));
    assert_eq!(profile(&sound.anchor(), &options, 0), without);
    // What cannot be read before it shows that all was.
    let damaged = two_of_a_kind(visits_of(5, 1, no_mode), own);
    with_snapshots(&damaged, of_five(5));
    profile(&damaged.anchor(), &options, 3);
}

/// The last snapshot before a window may begin any number of chunks before the one that is looked
/// at first, and go on in the next.
#[test]
fn snapshots_are_found_however_many_chunks_lie_behind_them() {
    let events = visits_of(0, 1, no_mode);
    for behind in 0..12u64 {
        for before in [0, 1, 5] {
            let written = archive_of(events.clone());
            let chunk =
                |first: u64| Bytes::new(Order::Little).raw(&[3, 0x42]).u64(first).u64(0).time(350);
            let end = |bytes: Bytes| bytes.raw(&[0]).pad(CHUNK);
            let mut file = Bytes::new(Order::Little);
            for _ in 0..before {
                file = file.raw(&end(chunk(1)).bytes);
            }
            let records = |bytes: Bytes| (bytes.payload().c(1), bytes.payload().u64(100).c(0));
            let (start, enter) = records(file.payload());
            file = file.raw(&end(chunk(1).record(10, start).record(13, enter)).bytes);
            let snapshot_end = file.payload().c(5);
            file = file.raw(&chunk(3).record(11, snapshot_end).bytes);
            for _ in 0..behind {
                file = end(file).raw(&chunk(4).bytes);
            }
            with_snapshots(&written, file);
            let part = profile(&written.anchor(), &["--time", "400", "600"], 0);
            assert_eq!(signed(&part["total"]["inclusive"]), 300, "{before} {behind}");
        }
    }
}

/// What a snapshot cannot know shows in the window: then all events are read.
#[test]
fn a_snapshot_is_not_believed_where_something_is_odd() {
    for (after, window) in [
        // Never left.
        ((|bytes| bytes) as fn(Bytes) -> Bytes, "end"),
        // Crossed: the leave of another region.
        (|bytes: Bytes| bytes.time(600).leave(7), "650"),
    ] {
        let bytes = Bytes::new(Order::Little).header().time(50).enter(7).time(100).enter(0);
        let bytes = bytes.time(200).enter(1).time(300).leave(1).time(500).enter(1);
        let bytes = after(bytes.time(510).leave(1));
        let definitions = Definitions::new(Order::Little).region(0).region(1).region(7);
        let events = Some(bytes.end().bytes);
        let files = Files { events, definitions: None };
        let written = Small::with(Order::Little, definitions.location(0, 0), vec![files]).write();
        let options = ["--time", "400", window];
        let without = profile(&written.anchor(), &options, 0);
        let header = Bytes::new(Order::Little).header();
        with_snapshots(&written, snapshot(header, 350, (100, 0), 5));
        assert_eq!(profile(&written.anchor(), &options, 0), without);
        assert!(!without["taken_back"].is_null());
    }
}

/// Snapshots as the reference's tool makes them.
#[test]
fn snapshots_change_nothing() {
    for archive in own() {
        let folder = tempfile::tempdir().expect("a folder");
        crate::common::copy_folder(&archive.folder, folder.path());
        let anchor = folder.path().join(archive.anchor.file_name().expect("a name"));
        let tool =
            std::process::Command::new("otf2-snapshots").args(["-n", "7"]).arg(&anchor).output();
        let Ok(tool) = tool else {
            crate::common::skipped("snapshots, no otf2-snapshots found");
            return;
        };
        if !tool.status.success() {
            crate::common::skipped(&format!("snapshots of {}: the tool fails", archive.name));
            continue;
        }
        let (first, last) = span(&profile(&archive.anchor, &[], 0));
        for (begin, end) in
            [(0, 1000), (100, 300), (333, 334), (500, 1000), (700, 900), (990, 2000)]
        {
            let time = |part: u64| (first + (last - first) / 1000 * part).to_string();
            let options = ["--time", &time(begin), &time(end)];
            let mut plain = profile(&archive.anchor, &options, 0);
            let mut from_snapshot = profile(&anchor, &options, 0);
            for of in [&mut plain, &mut from_snapshot] {
                of["provenance"]["input"] = Value::Null;
            }
            assert_eq!(from_snapshot, plain, "{} {options:?}", archive.name);
        }
    }
}
