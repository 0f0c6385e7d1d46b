//! GISTLOG: what the program says of a log is what a slow reader of the same text finds, for any number of
//! ranks; faults are told by line and code.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::Value;

use crate::common::archives::data;
use crate::common::cases::cases;
use crate::common::program::{on_ranks, said, streamfold, team};

/// Visits and ticks of each region.
type Regions = BTreeMap<String, (u64, u64)>;

/// Runs the profile of a log, which has to end with a code, and say something.
fn ends(log: &Path, options: &[&str], code: i32, part: &str) {
    let run = streamfold(["profile".as_ref(), log.as_os_str()]).args(options).output();
    let run = run.expect("the program runs");
    let said = said(&run);
    assert_eq!(run.status.code(), Some(code), "{said}");
    assert!(said.contains(part), "{part} is not in: {said}");
}

/// What the profile of a log says.
fn profile(log: &Path, options: &[&str]) -> Value {
    let log = log.to_str().expect("a path of text");
    let run = streamfold(["profile", "-q", "--format", "json", log]).args(options).output();
    serde_json::from_slice(&run.expect("the program runs").stdout).expect("JSON")
}

fn regions(profile: &Value) -> Regions {
    let mut regions = Regions::new();
    for row in profile["regions"].as_array().expect("rows") {
        let name = row["name"].as_str().expect("a name").to_owned();
        let number = |key: &str| row[key].as_u64().expect("a number");
        let sums = regions.entry(name).or_default();
        *sums = (sums.0 + number("visits"), sums.1 + number("inclusive"));
    }
    regions
}

/// The samples, and what a script that is not ours found in them.
#[test]
fn samples_are_as_a_separate_script_found_them() {
    let folder = data().join("gistlog");
    let facts = fs::read_to_string(folder.join("expected.json")).expect("facts");
    let facts: BTreeMap<String, Value> = serde_json::from_str(&facts).expect("JSON");
    for (name, facts) in &facts {
        let log = folder.join(name);
        let profile = profile(&log, &[]);
        let found = regions(&profile);
        // Without a whole number of time units in a second a tick is a nanosecond.
        let units = facts["timeunitspersec"].as_f64().expect("a number");
        let ticks = if units.fract() == 0.0 { 1.0 } else { 1e9 / units };
        for (state, sums) in facts["states"].as_object().expect("states") {
            let number = |key: &str| sums[key].as_u64().expect("a number");
            let duration = (number("duration_units") as f64 * ticks) as u64;
            assert_eq!(found[state], (number("count"), duration), "{name}: {state}");
        }
        let lost = facts["records_rejected"].as_array().expect("records").len() as u64;
        let cut = u64::from(!facts["footer"].as_bool().expect("yes or no"));
        assert_eq!(profile["provenance"]["loss_count"], lost + cut, "{name}");
        let code = if lost + cut > 0 { 3 } else { 0 };
        ends(&log, &[], code, "");
        let records = facts["records_per_processor"].as_object().expect("processors");
        assert_eq!(profile["total"]["locations"], records.len(), "{name}");
    }
}

/// A record as a log has it.
#[derive(Clone, Debug)]
struct Record {
    processor: u32,
    event: u32,
    time: u64,
    counters: [u64; 2],
    /// One field is missing.
    broken: bool,
}

const EVENTS: [(u32, &str); 4] = [(1, "A:first"), (2, "plain text"), (3, "C"), (4, "Phase 4: go")];
const STATES: [(u32, u32, &str); 5] =
    [(1, 2, "one"), (2, 3, "two"), (3, 3, "same"), (1, 2, "again"), (3, 1, "back")];

/// The name of an event's region, by the notes on the format.
fn event_name(event: u32) -> String {
    let names = [(1, "A"), (2, "plain text"), (3, "C"), (4, "Phase 4: go")];
    let name = names.iter().find(|(of, _)| *of == event).map(|(_, name)| (*name).to_owned());
    name.unwrap_or_else(|| format!("event {event}"))
}

fn log(records: &[Record], separator: &str) -> String {
    let mut text = String::from("GISTLOG-01\nhead { events {");
    EVENTS.iter().for_each(|(event, name)| write!(text, " {event} \"{name}\"").unwrap());
    text.push_str(" } states{");
    STATES.iter().for_each(|(b, e, name)| write!(text, "{b} {e} \"{name}\" ").unwrap());
    text.push_str("} counters { X Y } timeunitspersec 1e3 starttime 0 }\n");
    for Record { processor, event, time, counters: [x, y], broken } in records {
        let y = if *broken { String::new() } else { format!(":{y:x}") };
        write!(text, "{processor:02x}:{event}:{time:x}:{x:X}{y}{separator}").unwrap();
    }
    text.push_str("foot { nproc 40 }\n");
    text
}

/// Visits and ticks of regions, sums of counters, and records that are lost, found by looking at the
/// records of one processor after another.
fn slow(records: &[Record]) -> (Regions, [u64; 2], u64) {
    let (mut regions, mut sums) = (Regions::new(), [0; 2]);
    let mut add = |name: String, ticks: u64| {
        let sums = regions.entry(name).or_default();
        *sums = (sums.0 + 1, sums.1 + ticks);
    };
    for processor in 0..=255 {
        let own: Vec<&Record> = records.iter().filter(|it| it.processor == processor).collect();
        let states_of = |first: Option<&&Record>, second: Option<&&Record>| {
            let both = first.zip(second).filter(|(a, b)| !a.broken && !b.broken);
            let both = both.map(|(a, b)| (a.event, b.event));
            let states = STATES.iter().filter(|state| both == Some((state.0, state.1)));
            states.map(|state| state.2).collect::<Vec<&str>>()
        };
        for (at, record) in own.iter().enumerate().filter(|(_, record)| !record.broken) {
            let before = at.checked_sub(1).and_then(|at| own.get(at));
            let next = own.get(at + 1);
            for name in states_of(Some(record), next) {
                add(name.to_owned(), next.map_or(0, |next| next.time) - record.time);
            }
            if states_of(before, Some(record)).len() + states_of(Some(record), next).len() == 0 {
                add(event_name(record.event), 0);
            }
            sums = [0, 1].map(|column| sums[column] + record.counters[column]);
        }
    }
    (regions, sums, records.iter().filter(|record| record.broken).count() as u64)
}

/// Records of up to `processors` processors, in the order of their times.
fn records(processors: u32) -> impl Strategy<Value = Vec<Record>> {
    let record = (0..processors, 1..6_u32, 0..50_u64, [0..1000_u64, 0..1000_u64], 0..20);
    prop::collection::vec(record, 0..200).prop_map(|records| {
        let mut time = 0;
        let record = |(processor, event, more, counters, broken)| {
            time += more;
            Record { processor, event, time, counters, broken: broken == 0 }
        };
        records.into_iter().map(record).collect()
    })
}

fn written(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("log.gist");
    fs::write(&path, text).expect("a file");
    (folder, path)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(300)))]

    #[test]
    fn any_records_give_what_a_slow_reader_finds(records in records(20), ranks in 1..9_usize) {
        let (_folder, path) = written(&log(&records, "\r\n"));
        let profile = profile(&path, &[]);
        let (expected, sums, lost) = slow(&records);
        prop_assert_eq!(regions(&profile), expected);
        prop_assert_eq!(&profile["provenance"]["loss_count"], lost);
        let mut found = [0; 2];
        for row in profile["regions"].as_array().expect("rows") {
            for metric in row["metrics"].as_array().into_iter().flatten() {
                let member = metric["member"].as_u64().expect("a number") as usize;
                found[member] += metric["exclusive"]["sum"].as_u64().expect("a sum");
            }
        }
        prop_assert_eq!(found, sums);
        let command = ["profile", "-q", "--format", "json", path.to_str().expect("text")];
        let alone = team(1, command);
        let several = team(ranks, command);
        prop_assert_eq!(several.stdout, alone.stdout);
    }
}

#[test]
fn any_number_of_ranks_and_threads_says_the_same() {
    // More than are read in one pass, and more than one batch.
    let record = |n: u64| Record {
        processor: (n * 7 % 150) as u32,
        event: (n * n % 5 + 1) as u32,
        time: n,
        counters: [n, n % 10],
        broken: n.is_multiple_of(977),
    };
    let records: Vec<Record> = (0..30_000).map(record).collect();
    let (_folder, path) = written(&log(&records, " "));
    let (expected, ..) = slow(&records);
    assert_eq!(regions(&profile(&path, &[])), expected);
    let path = path.to_str().expect("text");
    for options in [&[][..], &["--by", "location"], &["--time", "1s", "20s"]] {
        let command = [&["profile", "-q", "--format", "csv", path], options].concat();
        let expected = streamfold([&command[..], &["--threads", "1"]].concat()).output();
        let expected = expected.expect("the program runs");
        assert_eq!(expected.status.code(), Some(3), "{}", said(&expected));
        for ranks in [1, 2, 3, 5, 8] {
            let Some(run) = on_ranks(ranks, &command) else { continue };
            assert_eq!(run.stdout, expected.stdout, "{ranks} ranks, {options:?}");
        }
    }
}

#[test]
fn what_is_refused_says_why() {
    let head = "head { timeunitspersec 1 nproc 1 }";
    let cases = [
        ("GISTLOG-X1\n".to_owned(), "line 1: E01: "),
        ("GISTLOG-02\nhead { }".to_owned(), "line 1: E02: version 02 is not supported"),
        ("GISTLOG-01\n0:1:2\n".to_owned(), "line 2: E03: expected the header"),
        (
            "GISTLOG-01\nhead {\n events { 1 \"a\"\n".to_owned(),
            "E03: events: expected a decimal number",
        ),
        ("GISTLOG-01\nhead {\n events { 1 \"a\n } }".to_owned(), "line 3: E04: "),
        ("GISTLOG-01\nhead {\n states { 1 \"a\" } }".to_owned(), "line 3: E04: "),
        (format!("GISTLOG-01 {head}\nfoot {{ nproc\n2 }}"), "E10: nproc is 1 before, and 2 here"),
        ("GISTLOG-01 head { timeunitspersec 0 }".to_owned(), "line 1: E13: "),
    ];
    for (text, part) in cases {
        let (_folder, path) = written(&text);
        ends(&path, &[], 2, part);
    }
}

#[test]
fn faults_of_records_are_told_and_the_rest_is_read() {
    let text = "GISTLOG-01\nhead { events { 1 \"a\" } timeunitspersec 1 nproc 2 }\n\
                0:1:2\n0:1\n...\n0:x:3\n0:1:11111111111111111\n1:1:4\n";
    let cases = [
        ("foot { }", 3, "line 4: E05: expected 3 fields, found 2"),
        ("foot { }", 3, "line 5: E05: expected 3 fields, found 1"),
        ("foot { }", 3, "line 6: E06: "),
        ("foot { }", 3, "line 7: E08: "),
        ("", 3, "E09: the file ends without a footer"),
        ("foot { } more", 3, "line 9: E12: "),
        ("foot { nproc 2", 3, "E09: the file ends in the footer"),
    ];
    for (foot, code, part) in cases {
        let (_folder, path) = written(&format!("{text}{foot}"));
        ends(&path, &[], code, part);
        ends(&path, &["--strict"], 2, "");
        let found = regions(&profile(&path, &[]));
        assert_eq!(found, [("a".to_owned(), (2, 0))].into(), "{foot}");
    }
}

/// The last record may have lost digits.
#[test]
fn a_record_at_which_a_file_was_cut_is_not_believed() {
    let text = "GISTLOG-01 head { counters { X } timeunitspersec 1 nproc 1 }\n0:1:2:1000\n0:1:3:10";
    let (_folder, path) = written(text);
    ends(&path, &[], 3, "line 3: E09: the file ends in this record");
    assert_eq!(regions(&profile(&path, &[]))["event 1"].0, 1);
}

#[test]
fn a_folder_with_one_log_is_that_log_and_outputs_never_replace_it() {
    let text = log(&[], "\n");
    let (folder, path) = written(&text);
    assert_eq!(profile(folder.path(), &[]), {
        let mut profile = profile(&path, &[]);
        profile["provenance"]["input"] = folder.path().to_str().into();
        profile
    });
    let log = path.to_str().expect("text");
    for from in [log, folder.path().to_str().expect("text")] {
        let run = streamfold(["profile", from, "-o", log, "--format", "csv"]).output();
        let run = run.expect("the program runs");
        assert_eq!(run.status.code(), Some(1), "{}", said(&run));
    }
    assert_eq!(fs::read_to_string(&path).expect("the log"), text);
    let mut cut = streamfold(["cut", log, "-L", "0", "-o", "x.otf2"]);
    let run = cut.current_dir(folder.path()).output().expect("the program runs");
    assert_eq!(run.status.code(), Some(2), "{}", said(&run));
    assert!(said(&run).contains("reads OTF2 archives only"), "{}", said(&run));
}

/// Runs a command on a log, on so many ranks; what it writes.
fn output(ranks: usize, log: &Path, options: &[&str]) -> Option<(Option<i32>, Vec<u8>)> {
    let log = log.to_str().expect("a path of text");
    let run = on_ranks(ranks, options.iter().copied().chain([log]))?;
    Some((run.status.code(), run.stdout))
}

/// A log with a broken record, a state that is left open, and an event that is not declared.
const ODD: &str = "GISTLOG-01
head { events { 1 \"A\" 2 \"B\" } states { 1 2 \"S\" } timeunitspersec 1000 }
0:1:10
0:2:20
1:1:11
1:zz:12
1:2:30
0:7:31
foot { nproc 3 }
";

#[test]
fn info_print_and_validate_say_the_same_on_any_number_of_ranks() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("odd.gist");
    fs::write(&log, ODD).expect("the log");
    for options in [
        &["info", "--json", "-q"][..],
        &["print", "-q", "-A"],
        &["print", "-q", "--json", "-A"],
        &["validate", "--json", "-q"],
        &["validate", "--json", "-q", "--limit", "0"],
    ] {
        let (code, one) = output(1, &log, options).expect("one rank");
        assert_eq!(code, Some(3), "{options:?}");
        for ranks in [2, 3, 5] {
            // The memory that is estimated depends on threads, of which ranks have fewer.
            if options[0] == "info" {
                continue;
            }
            let Some((_, other)) = output(ranks, &log, options) else { continue };
            assert!(one == other, "{options:?} on {ranks} ranks");
        }
    }
}

#[test]
fn info_tells_records_processors_and_losses() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("odd.gist");
    fs::write(&log, ODD).expect("the log");
    let (_, json) = output(1, &log, &["info", "--json"]).expect("one rank");
    let info: Value = serde_json::from_slice(&json).expect("JSON");
    assert_eq!(info["format"], "GISTLOG");
    assert_eq!(info["facts"]["records"], "5");
    assert_eq!(info["locations"]["count"], 3);
    assert_eq!(info["loss_count"], 1);
    assert!(info["losses"][0].as_str().expect("a text").contains("line 6: E06"), "{info}");
}

#[test]
fn validate_tells_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("odd.gist");
    fs::write(&log, ODD).expect("the log");
    let (_, json) = output(1, &log, &["validate", "--json"]).expect("one rank");
    let report: Value = serde_json::from_slice(&json).expect("JSON");
    let defects: Vec<(&str, u64)> = report["defects"]
        .as_array()
        .expect("defects")
        .iter()
        .map(|defect| (defect["code"].as_str().unwrap(), defect["line"].as_u64().unwrap()))
        .collect();
    assert!(defects.contains(&("log-damage", 6)), "{defects:?}");
    assert!(defects.contains(&("log-remark", 8)), "{defects:?}");
}

/// Lines of JSON have the events of the profile: each enter and leave, by time.
#[test]
fn print_has_every_event_in_the_order_of_times() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("odd.gist");
    fs::write(&log, ODD).expect("the log");
    let (_, lines) = output(1, &log, &["print", "--json"]).expect("one rank");
    let text = String::from_utf8(lines).expect("text");
    let records: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let times: Vec<u64> = records.iter().map(|record| record["time"].as_u64().unwrap()).collect();
    assert!(times.is_sorted());
    let of = |kind: &str| records.iter().filter(|record| record["record"] == kind).count();
    // The state S, and the events A, B and 7 that form none.
    assert_eq!((of("Enter"), of("Leave")), (4, 4), "{text}");
    let (_, text) = output(1, &log, &["print"]).expect("one rank");
    let text = String::from_utf8(text).expect("text");
    let shown = text.lines().filter(|line| line.starts_with("ENTER")).count();
    assert_eq!(shown, 4, "{text}");
    let (code, _) = output(1, &log, &["print", "-M"]).expect("one rank");
    assert_eq!(code, Some(1), "what only archives have");
}
