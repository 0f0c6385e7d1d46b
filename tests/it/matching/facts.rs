//! Against counts that an independent script made with the reference library (`facts.json`).

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::archives::{large, own, Archive};
use crate::matching::{number, report, rows};

fn archives() -> Vec<Archive> {
    let all = own().into_iter().chain(large());
    all.filter(|archive| archive.folder.join("facts.json").is_file()).collect()
}

/// A row by the number of its communicator.
fn by_comm(report: &Value) -> BTreeMap<String, &Value> {
    let named = |row| (number(row, "communicator").to_string(), row);
    rows(report, "communicators").iter().map(named).collect()
}

const UNDEFINED: &str = "4294967295";

#[test]
fn messages_are_those_of_the_facts() {
    let mut compared = 0;
    for archive in archives() {
        let facts = archive.facts();
        let Some(expected) = facts["p2p"].as_object() else { continue };
        let (report, _) = report(&archive.anchor, &[]);
        let found = by_comm(&report);
        for (comm, facts) in expected {
            let what = format!("{}, communicator {comm}", archive.name);
            if facts["name"].is_null() {
                // Nobody defines it: those of all such communicators are one row.
                assert!(found.contains_key(UNDEFINED), "{what}");
                continue;
            }
            let row = found.get(comm).unwrap_or_else(|| panic!("{what} is missing"));
            let posted = &facts["posted"];
            let pairs = [
                ("sends", &facts["sends"]),
                ("send_bytes", &facts["send_bytes"]),
                ("receives", &facts["recvs"]),
                ("receive_bytes", &facts["recv_bytes"]),
                ("messages", &posted["matched"]),
                ("bytes", &posted["matched_bytes"]),
                ("unmatched_sends", &posted["unmatched_sends"]),
                ("unmatched_receives", &posted["unmatched_recvs"]),
                ("unequal_lengths", &posted["length_mismatches"]),
                ("late", &posted["late"]),
            ];
            for (column, expected) in pairs {
                assert_eq!(&row[column], expected, "{what}: {column}");
            }
            compared += 1;
        }
        // What is over undefined communicators is told as lost there.
        let sum = |column: &str| {
            rows(&report, "communicators").iter().map(|r| number(r, column)).sum::<u64>()
        };
        let facts_of =
            |fact: &str| expected.values().map(|f| f[fact].as_u64().unwrap()).sum::<u64>();
        assert_eq!(facts_of("sends"), sum("sends"), "{}", archive.name);
        assert_eq!(facts_of("recvs"), sum("receives"), "{}", archive.name);
    }
    assert!(compared > 5, "{compared}");
}

#[test]
fn the_matrix_is_that_of_the_facts() {
    let mut compared = 0;
    for archive in archives() {
        let facts = archive.facts();
        let Some(comms) = facts["p2p"].as_object() else { continue };
        let all_match = comms.values().all(|comm| {
            comm["posted"]["unmatched_sends"] == 0 && comm["posted"]["matched"] == comm["sends"]
        });
        if !all_match {
            continue;
        }
        let mut expected: BTreeMap<(u64, u64), (u64, u64)> = BTreeMap::new();
        for pair in facts["p2p_pairs"].as_array().expect("pairs") {
            let at = |i: usize| pair[i].as_u64().expect("a number");
            let sum = expected.entry((at(1), at(2))).or_default();
            (sum.0, sum.1) = (sum.0 + at(3), sum.1 + at(4));
        }
        let (report, _) = report(&archive.anchor, &[]);
        let found: BTreeMap<_, _> = rows(&report, "matrix")
            .iter()
            .map(|row| {
                let of = |column| number(row, column);
                ((of("sender"), of("receiver")), (of("messages"), of("bytes")))
            })
            .collect();
        assert_eq!(found, expected, "{}", archive.name);
        compared += 1;
    }
    assert!(compared > 3, "{compared}");
}

#[test]
fn collective_operations_are_those_of_the_facts() {
    let mut compared = 0;
    for archive in archives() {
        let facts = archive.facts();
        let Some(comms) = facts["collectives"].as_object() else { continue };
        let mut expected: BTreeMap<(String, String), [u64; 3]> = BTreeMap::new();
        for (comm, kinds) in comms {
            let comm = if kinds["name"].is_null() { UNDEFINED } else { comm };
            for (kind, facts) in
                kinds.as_object().expect("kinds").iter().filter(|(k, _)| *k != "name")
            {
                let kind = kind.trim_start_matches("nonblocking ").to_owned();
                let sum = expected.entry((comm.to_owned(), kind)).or_default();
                for (sum, fact) in sum.iter_mut().zip(facts.as_array().expect("numbers")) {
                    *sum += fact.as_u64().expect("a number");
                }
            }
        }
        let (report, _) = report(&archive.anchor, &[]);
        let found: BTreeMap<_, _> = rows(&report, "collectives")
            .iter()
            .map(|row| {
                let operation = row["operation"].as_str().expect("a name").to_owned();
                let sums = ["parts", "sent_bytes", "received_bytes"].map(|c| number(row, c));
                ((number(row, "communicator").to_string(), operation), sums)
            })
            .collect();
        assert_eq!(found, expected, "{}", archive.name);
        compared += found.len();
    }
    assert!(compared > 20, "{compared}");
}

/// Every member is there in all archives whose programs ended and were recorded throughout.
#[test]
fn operations_of_whole_runs_are_complete() {
    for archive in own().into_iter().chain(large()) {
        let whole = ["intercomm", "cart-skew", "pingpong", "sampling", "nonblocking", "stencil"];
        if !whole.iter().any(|name| archive.name.contains(name)) || archive.name.contains("eztrace")
        {
            continue;
        }
        let (report, _) = report(&archive.anchor, &[]);
        for row in rows(&report, "collectives") {
            let sum = number(row, "incomplete") + number(row, "disagreeing");
            assert_eq!(sum, 0, "{}: {row}", archive.name);
            assert!(number(row, "complete") > 0, "{}: {row}", archive.name);
        }
    }
}

#[test]
fn windows_are_those_of_the_facts() {
    let mut compared = 0;
    for archive in archives() {
        let facts = archive.facts();
        let Some(windows) = facts["rma"].as_object() else { continue };
        let (report, _) = report(&archive.anchor, &[]);
        let found: BTreeMap<_, _> = rows(&report, "windows")
            .iter()
            .map(|row| {
                let operation = row["operation"].as_str().expect("a name").to_owned();
                let amount = [number(row, "count"), number(row, "bytes")];
                ((number(row, "window").to_string(), operation), amount)
            })
            .collect();
        for (window, kinds) in windows {
            for (kind, amount) in kinds.as_object().expect("kinds") {
                if kind == "name" {
                    continue;
                }
                let operation = match kind.strip_prefix("CollectiveEnd ") {
                    Some(operation) => operation.to_owned(),
                    None => kind.to_uppercase(),
                };
                let expected: Vec<u64> =
                    amount.as_array().expect("numbers").iter().filter_map(Value::as_u64).collect();
                let found = found.get(&(window.clone(), operation)).map(<[u64; 2]>::as_slice);
                assert_eq!(found, Some(&expected[..]), "{}: {window}, {kind}", archive.name);
                compared += 1;
            }
        }
    }
    assert!(compared == 0 || compared > 5, "{compared}");
}

#[test]
fn file_operations_are_those_of_the_facts() {
    for archive in archives() {
        let facts = archive.facts();
        let Some(expected) = facts["io"].as_object() else { continue };
        let (report, _) = report(&archive.anchor, &[]);
        let mut found: BTreeMap<String, [u64; 2]> = BTreeMap::new();
        for row in rows(&report, "files") {
            let mode = row["mode"].as_str().expect("a mode");
            let mut add = |kind: String, columns: [&str; 2]| {
                let sum = found.entry(kind).or_default();
                sum.iter_mut().zip(columns).for_each(|(sum, column)| *sum += number(row, column));
            };
            if number(row, "begun") > 0 {
                add(format!("Begin {mode}"), ["begun", "requested_bytes"]);
            }
            add("Complete".to_owned(), ["complete", "bytes"]);
            let resolution = number(&report["units"], "ticks_per_second");
            let moved = u128::from(number(row, "bytes")) * u128::from(resolution);
            let bandwidth = moved.checked_div(number(row, "ticks").into());
            let told = row["bytes_per_second"].as_u64().map(u128::from);
            assert_eq!(told, bandwidth.filter(|_| number(row, "complete") > 0), "{row}");
        }
        for (kind, amount) in expected {
            let amount: Vec<u64> =
                amount.as_array().expect("numbers").iter().filter_map(Value::as_u64).collect();
            let found = found.get(kind).map(<[u64; 2]>::as_slice);
            assert_eq!(found, Some(&amount[..]), "{}: {kind}", archive.name);
        }
    }
}
