//! Regions by what their definitions say: archives that define the same region several times, or
//! only in the files of single locations.

use serde_json::Value;

use super::run::report;
use crate::common::small::{Bytes, Definitions, Files, Order, Small, Written, CHUNK};

const LITTLE: Order = Order::Little;

/// A function of a file and line: references of its name and its file.
fn region(id: u64, name: u64, file: u64, line: u64) -> Bytes {
    let start = Bytes::new(LITTLE).c(id).c(name).c(0).raw(&[1]).c(file).c(line).c(0);
    start.c(name).raw(&[1, 1]).c(0)
}

fn string(id: u64, text: &str) -> Bytes {
    Bytes::new(LITTLE).c(id).string(text)
}

/// Regions that are entered and left, 10 ticks after each other.
fn events(calls: &[(bool, u64)]) -> Vec<u8> {
    events_with(calls, |bytes| bytes)
}

/// The same, with a chunk for each.
fn chunks(calls: &[(bool, u64)]) -> Vec<u8> {
    let header = Bytes::new(LITTLE).header();
    events_with(calls, |bytes| bytes.raw(&[0]).pad(CHUNK).raw(&header.bytes))
}

/// The same, with something between them.
fn events_with(calls: &[(bool, u64)], between: impl Fn(Bytes) -> Bytes) -> Vec<u8> {
    let event = |(bytes, time): (Bytes, u64), &(enter, region): &(bool, u64)| {
        let bytes = if time > 100 { between(bytes) } else { bytes }.time(time);
        (if enter { bytes.enter(region) } else { bytes.leave(region) }, time + 10)
    };
    calls.iter().fold((Bytes::new(LITTLE).header(), 100), event).0.end().bytes
}

const NESTED: [(bool, u64); 4] = [(true, 0), (true, 1), (false, 1), (false, 0)];

fn location(events: Vec<u8>, definitions: &[(u8, Bytes)]) -> Files {
    let records = definitions.iter().cloned();
    let file = records
        .fold(Bytes::new(LITTLE).header(), |file, (id, payload)| file.record(id, payload))
        .end();
    let definitions = (!definitions.is_empty()).then_some(file.bytes);
    Files { events: Some(events), definitions }
}

/// Some columns of all regions, in the order of references.
fn regions(report: &Value, columns: &[&str]) -> Vec<String> {
    let mut rows: Vec<_> = report["regions"].as_array().expect("rows").iter().collect();
    rows.sort_by_key(|row| row["region"].as_u64());
    let row = |row: &&Value| {
        columns.iter().map(|column| row[*column].to_string()).collect::<Vec<_>>().join(" ")
    };
    rows.iter().map(row).collect()
}

fn paths(report: &Value) -> Vec<(u64, String, u64)> {
    let rows = report["paths"].as_array().expect("rows").iter();
    let number = |value: &Value| value.as_u64().expect("a number");
    rows.map(|row| (number(&row["depth"]), row["name"].to_string(), number(&row["visits"])))
        .collect()
}

/// Three locations: the first two have the same two functions under each other's number, and the
/// third has no definitions.
fn never_unified() -> Written {
    never_unified_with(events(&NESTED))
}

fn never_unified_with(events: Vec<u8>) -> Written {
    let global = Definitions::new(LITTLE).location(0, 0).location(1, 0).location(2, 0);
    let own = |f: u64, g: u64| {
        [
            (10, string(8, "f")),
            (15, region(f, 8, 1, 3)),
            // A string may stand behind the region that it is for.
            (15, region(g, 9, 1, 5)),
            (10, string(9, "g")),
            // It is not the global string of this number.
            (10, string(1, "a.c")),
        ]
    };
    let locations = vec![
        location(events.clone(), &own(0, 1)),
        location(events.clone(), &own(1, 0)),
        location(events, &[]),
    ];
    Small::with(LITTLE, global, locations).write()
}

#[test]
fn regions_that_only_locations_define_are_known_by_what_they_are() {
    let written = never_unified();
    let (report, code) = report(&written.anchor(), &[]);
    let columns = ["region", "name", "file", "begin_line", "visits", "inclusive", "exclusive"];
    assert_eq!(
        regions(&report, &columns),
        [
            r#"0 "<undefined region 0>" null null 1 30 20"#,
            r#"1 "<undefined region 1>" null null 1 10 10"#,
            r#"2 "f" "a.c" 3 2 40 30"#,
            r#"3 "g" "a.c" 5 2 40 30"#,
        ]
    );
    let path = |depth, name: &str| (depth, format!("{name:?}"), 1);
    assert_eq!(
        paths(&report),
        [
            path(0, "<undefined region 0>"),
            path(1, "<undefined region 1>"),
            path(0, "f"),
            path(1, "g"),
            path(0, "g"),
            path(1, "f"),
        ]
    );
    assert_eq!(code, 3);
    let losses = report["provenance"]["losses"].to_string();
    assert!(losses.contains("2 regions that events refer to are not defined"), "{losses}");
}

#[test]
fn by_id_nothing_but_the_number_counts() {
    let (report, code) = report(&never_unified().anchor(), &["--by-id"]);
    assert_eq!(
        regions(&report, &["region", "name", "visits"]),
        [r#"0 "<undefined region 0>" 3"#, r#"1 "<undefined region 1>" 3"#,]
    );
    assert_eq!(code, 3);
    assert!(report["provenance"]["options"].to_string().contains("by-id"));
}

/// f under 5, 9 and 2^30, g under 7; another f stands elsewhere.
fn duplicates() -> Definitions {
    let string = |all: Definitions, id: u64, text: &str| all.string(id, text);
    let all = string(Definitions::new(LITTLE), 2, "f");
    let all = string(string(all, 3, "f"), 4, "a.c");
    let all = string(all, 6, "g").location(0, 0);
    let regions = [(9, 3, 4, 3), (5, 2, 4, 3), (1 << 30, 3, 4, 3), (7, 6, 4, 3), (6, 2, 4, 4)];
    regions
        .into_iter()
        .fold(all, |all, (id, name, file, line)| all.record(15, region(id, name, file, line)))
}

/// Recursion, and leaves of another definition of the same region.
const RECURSION: [(bool, u64); 8] = [
    (true, 9),
    (true, 7),
    (true, 5),
    (true, 6),
    (false, 6),
    (false, 1 << 30),
    (false, 7),
    (false, 5),
];

#[test]
fn definitions_that_say_the_same_are_one_region() {
    let small = Small::with(LITTLE, duplicates(), vec![location(events(&RECURSION), &[])]);
    let written = small.write();
    let (found, code) = report(&written.anchor(), &[]);
    let columns = ["region", "name", "begin_line", "visits", "inclusive", "exclusive", "outer"];
    assert_eq!(
        regions(&found, &columns),
        [r#"5 "f" 3 2 100 40 70"#, r#"6 "f" 4 1 10 10 10"#, r#"7 "g" 3 1 50 20 50"#,]
    );
    let f = &found["regions"].as_array().expect("rows").iter().find(|r| r["region"] == 5);
    let spread = &f.expect("f")["exclusive_by_location"];
    assert_eq!((&spread["least"], &spread["most"]), (&40.into(), &40.into()), "one location");
    assert_eq!(found["oddities"]["crossed"], 0);
    assert_eq!(code, 0);

    let (found, code) = report(&written.anchor(), &["--by-id"]);
    assert_eq!(
        regions(&found, &["region", "visits", "closed"]),
        ["5 1 1", "6 1 1", "7 1 1", "9 1 0"]
    );
    assert_eq!(found["oddities"]["unmatched"], 1);
    assert_eq!(found["oddities"]["late"], 1);
    assert_eq!(code, 0);
}

/// The same behind a mapping table, which leads to some of the duplicates.
#[test]
fn mapping_tables_lead_to_the_region_that_stands_for_others() {
    let map = |pairs: &[(u64, u64)]| {
        let table = Bytes::new(LITTLE).raw(&[3]).c(pairs.len() as u64).raw(&[1]);
        pairs.iter().fold(table, |table, &(from, to)| table.c(from).c(to))
    };
    // 0 is 9, 1 is 7, and what is not in the table stays what it is.
    let table = (5, map(&[(0, 9), (1, 7)]));
    let local = (15, region(2, 6, 4, 3));
    let calls = [(true, 0), (true, 5), (true, 2), (true, 1), (false, 1), (false, 2)];
    let calls: Vec<_> = calls.into_iter().chain([(false, 9), (false, 5)]).collect();
    let files = location(events(&calls), &[table, local]);
    let written = Small::with(LITTLE, duplicates(), vec![files]).write();
    let (found, code) = report(&written.anchor(), &[]);
    // 2 is a region of the location's own, which says the same as the global 7.
    assert_eq!(regions(&found, &["region", "visits", "outer"]), ["5 2 70", "7 2 30"]);
    assert_eq!(code, 0);
}

/// Whoever reads a piece of a location knows its regions by what they are, or leaves it to who reads
/// the location.
#[test]
fn pieces_of_locations_have_the_same_regions() {
    let long = |calls: &[(bool, u64)]| chunks(&calls.repeat(4));
    // A region of the location's own that says the same as a global one.
    let local = [(15, region(2, 6, 4, 3))];
    let nested = [(true, 9), (true, 2), (false, 7), (false, 5)];
    let known = location(long(&nested), &local);
    for written in [
        never_unified_with(long(&NESTED)),
        Small::with(LITTLE, duplicates(), vec![location(long(&RECURSION), &[])]).write(),
        Small::with(LITTLE, duplicates(), vec![known]).write(),
    ] {
        for more in [&[][..], &["--by-id"], &["--thread-tree"], &["--program-root"]] {
            let whole = report(&written.anchor(), &[&["--threads", "1"], more].concat());
            for threads in ["1", "3"] {
                let pieces = [&["--threads", threads, "--piece-bytes", "1"], more].concat();
                assert_eq!(report(&written.anchor(), &pieces), whole, "{pieces:?}");
            }
        }
    }
}

/// A trace that defines each region once is shown as before.
#[test]
fn where_no_definition_says_the_same_nothing_changes() {
    for archive in crate::common::archives::own() {
        let without = |more: &[&str]| {
            let (mut report, _) = report(&archive.anchor, more);
            report["provenance"]["options"] = Value::Null;
            report
        };
        assert_eq!(without(&[]), without(&["--by-id"]), "{}", archive.name);
    }
}
