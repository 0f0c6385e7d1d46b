//! Archives that were written by hand with the reference's library (tests/data/by-hand/generate.py),
//! and what a person makes of them.

use std::path::PathBuf;

use serde_json::{json, Value};

use super::reports::{count, csv, list, report};
use crate::common::archives::data;
use crate::common::program::{said, streamfold};

fn anchor(name: &str) -> PathBuf {
    data().join("by-hand").join(name).join("t.otf2")
}

/// The numbers of a row in the order of [`NUMBERS`].
fn numbers(row: &Value) -> [u64; 7] {
    NUMBERS.map(|name| count(row, name))
}

const NUMBERS: [&str; 7] = [
    "samples",
    "samples_inclusive",
    "enters",
    "entered",
    "estimated",
    "estimated_inclusive",
    "certain",
];

/// Location 0, a line for each event: the regions it finds; who worked since the event before, and who
/// was open all along (the others are newly entered).
///
/// |  t | event                      | worked      | open all along |
/// |---:|----------------------------|-------------|----------------|
/// |  0 | main                       |             |                |
/// |  5 | main solve                 | solve 5     | main 5         |
/// |  8 | enter main solve MPI_Send  | solve 3     | solve 3        |
/// | 10 | main solve MPI_Send        | MPI_Send 2  | MPI_Send 2     |
/// | 14 | leave main solve MPI_Send  | MPI_Send 4  | MPI_Send 4     |
/// | 15 | main solve kernel          | kernel 1    | solve 1        |
/// | 15 | the same, by `misses`      | kernel 0    | kernel 0       |
/// | 20 | main solve                 | solve 5     | solve 5        |
/// | 26 | main solve solve           | solve² 6    | solve 6        |
/// | 30 | main                       | main 4      | nothing        |
/// | 31 | main solve, distance 1     | solve 1     | contradiction  |
/// | 36 | ? log                      | log 5       | nothing        |
/// | 40 | ?                          | ? 4         | nothing        |
/// | 62 | main; off from 50 to 60    | main 12     | nothing        |
///
/// Location 1: main at 3 and 9, open all along: main 6.
#[test]
fn contexts_have_their_samples_and_times() {
    let (report, code) = report(&anchor("samples"), &[]);
    // A context, a caller and an interrupt generator that nobody defines.
    assert_eq!(code, 3);
    assert_eq!(report["provenance"]["losses"].as_array().map(Vec::len), Some(3));
    let samples = &report["samples"];
    let rows = list(samples, "contexts").iter();
    let rows: Vec<(&str, u64, [u64; 7])> = rows
        .map(|row| (row["name"].as_str().expect("a name"), count(row, "depth"), numbers(row)))
        .collect();
    let unknown = "<undefined calling context>";
    // What main has worked on its own: 4 + 12 + 6. It was open for certain in 5 + 6, and in what
    // solve and MPI_Send were: 15 + 6.
    let expected = [
        ("main", 0, [5, 12, 0, 5, 22, 49, 32]),
        ("solve", 1, [3, 7, 0, 2, 14, 27, 21]),
        // The same time and samples: in the order of the regions' numbers.
        ("solve", 2, [1, 1, 0, 1, 6, 6, 0]),
        ("MPI_Send", 2, [1, 1, 1, 1, 6, 6, 6]),
        ("kernel", 2, [2, 2, 0, 1, 1, 1, 0]),
        (unknown, 0, [1, 2, 0, 2, 4, 9, 0]),
        ("log", 1, [1, 1, 0, 1, 5, 5, 0]),
    ];
    assert_eq!(rows, expected);
    assert_eq!(count(samples, "odd_unwinds"), 1);
    assert_eq!(count(samples, "undefined_contexts"), 1);
    // 62 ticks less 10 without recording, and 6 at location 1.
    assert_eq!(count(&samples["total"], "estimated"), 58);
    assert_eq!(count(&samples["total"], "samples"), 14);
    let solve = list(samples, "regions").iter().find(|row| row["name"] == "solve").expect("solve");
    assert_eq!(numbers(solve), [4, 7, 0, 3, 20, 27, 21]);
}

/// 10 samples of 5 ms each, and 3 of 3072 events each. What has no definition stands for nothing.
#[test]
fn generators_have_their_periods() {
    let (report, _) = report(&anchor("samples"), &[]);
    let samples = &report["samples"];
    let generators = list(samples, "generators");
    assert_eq!(generators.len(), 3);
    let clock = json!({ "generator": 0, "name": "clock", "mode": "TIME", "base": "DECIMAL",
        "exponent": -3, "period": 5, "samples": 10, "locations": 1, "stands_for": 0.05 });
    assert_eq!(generators[0], clock);
    let misses = json!({ "generator": 1, "name": "misses", "mode": "COUNT", "base": "BINARY",
        "exponent": 10, "period": 3, "samples": 3, "locations": 2, "stands_for": 9216.0 });
    assert_eq!(generators[1], misses);
    assert_eq!(generators[2]["generator"], Value::Null);
    assert_eq!(generators[2]["stands_for"], Value::Null);
    assert_eq!(generators[2]["samples"], 1);
    let kernel = list(samples, "contexts").iter().find(|row| row["name"] == "kernel").unwrap();
    assert_eq!(kernel["samples_by_generator"], json!([1, 1, 0]));
    let locations = list(samples, "locations");
    assert_eq!(locations[0]["samples_by_generator"], json!([10, 1, 1]));
    assert_eq!(locations[1]["samples_by_generator"], json!([0, 2, 0]));
    let groups: Vec<_> = list(samples, "groups").iter().map(|row| count(row, "samples")).collect();
    assert_eq!(groups, [12, 2]);
}

/// solve.c:20 is found twice in itself and once more in its recursion; those, and the one in
/// MPI_Send, have it among their callers or in the last place: four.
#[test]
fn lines_have_their_samples_and_times() {
    let rows = csv(&anchor("samples"), "line");
    let columns = ["file", "line", "samples", "samples_inclusive", "estimated_ticks"];
    let columns = columns.map(str::to_owned).into_iter();
    let columns: Vec<_> = columns.chain(["estimated_inclusive_ticks".to_owned()]).collect();
    let rows: Vec<Vec<&str>> =
        rows.iter().map(|row| columns.iter().map(|column| &*row[column]).collect()).collect();
    let expected = [
        ["main.c", "10", "4", "11", "18", "45"],
        ["solve.c", "20", "3", "4", "15", "21"],
        ["", "", "3", "3", "15", "15"],
        ["kernel.c", "5", "2", "2", "1", "1"],
        ["solve.c", "21", "1", "3", "5", "6"],
        ["main.c", "12", "1", "1", "4", "4"],
    ];
    assert_eq!(rows, expected);
    let by_location = csv(&anchor("samples"), "location");
    assert_eq!(by_location[0]["samples"], "12");
    assert_eq!(by_location[1]["estimated_ticks"], "6");
    let by_region = csv(&anchor("samples"), "region");
    let solve = by_region.iter().find(|row| row["name"] == "solve").expect("found by samples only");
    assert_eq!((&*solve["visits"], &*solve["samples_inclusive"]), ("0", "7"));
    assert_eq!((&*solve["samples_0"], &*solve["samples_inclusive_1"]), ("4", "1"));
}

/// What tables show is for people; that they show it is tested all the same.
#[test]
fn tables_show_samples() {
    let table = |by: &str| {
        let mut command = streamfold(["profile", "--quiet", "--by", by]);
        let output = command.arg(anchor("samples")).output().expect("a run");
        assert_eq!(output.status.code(), Some(3), "{}", said(&output));
        String::from_utf8(output.stdout).expect("text")
    };
    assert!(table("context").contains("└─ log"));
    assert!(table("callpath").contains("└─ log"));
    assert!(table("line").contains("solve.c:20"));
    assert!(table("generator").contains("50.00 ms"));
    assert!(table("region").contains("1 unwind distance against the calling context before"));
    // A trace without samples says so to whoever asks for them.
    for (option, is_told) in
        [(["--by", "line"], true), (["--sort", "samples"], true), (["--sort", "mean"], false)]
    {
        let mut command = streamfold(["profile", "--quiet"]);
        let output = command.args(option).arg(anchor("rare-kinds")).output().expect("a run");
        let text = String::from_utf8(output.stdout).expect("text");
        assert_eq!(text.contains("nothing was sampled"), is_told, "{text}");
    }
}

#[test]
fn rows_are_sorted_by_what_they_have() {
    let status = |by: &str, key: &str| {
        let mut command = streamfold(["profile", "--quiet", "--by", by, "--sort", key]);
        command.arg(anchor("samples")).output().expect("a run").status.code()
    };
    for (by, key) in [("line", "visits"), ("context", "longest"), ("callpath", "samples")] {
        assert_eq!(status(by, key), Some(1), "{by} {key}");
    }
    for (by, key) in [("line", "id"), ("context", "name"), ("location", "samples")] {
        assert_eq!(status(by, key), Some(3), "{by} {key}");
    }
}

/// One location of the archive of rare kinds.
fn rare(location: &str) -> Value {
    let (report, code) = report(&anchor("rare-kinds"), &["-L", location]);
    assert_eq!(code, 0, "location {location}");
    assert!(report["samples"].is_null());
    report
}

/// Kind and name of each path with those above, visits, inclusive and exclusive time.
fn paths(report: &Value) -> Vec<(String, u64, u64, u64)> {
    let paths = list(report, "paths");
    let name = |mut index: usize| {
        let mut names = vec![];
        loop {
            names.push(paths[index]["name"].as_str().expect("a name"));
            match paths[index]["parent"].as_u64() {
                Some(parent) => index = parent as usize,
                None => break,
            }
        }
        names.reverse();
        names.join(" > ")
    };
    let row = |(i, path): (usize, &Value)| {
        (name(i), count(path, "visits"), count(path, "inclusive"), count(path, "exclusive"))
    };
    paths.iter().enumerate().map(row).collect()
}

fn expect(report: &Value, expected: &[(&str, u64, u64, u64)]) {
    let owned = |&(name, visits, inclusive, exclusive): &(&str, u64, u64, u64)| {
        (name.to_owned(), visits, inclusive, exclusive)
    };
    assert_eq!(paths(report), expected.iter().map(owned).collect::<Vec<_>>());
}

/// ThreadTaskCreate, ThreadTaskSwitch, ThreadTaskComplete, BufferFlush. The task runs from 10 to 30
/// and from 50 to 55, the flush takes 60 to 75: of the 80 ticks 40 are left.
#[test]
fn tasks_and_a_flush() {
    let report = rare("0");
    expect(
        &report,
        &[
            ("parallel", 1, 80, 40),
            ("parallel > (task: work)", 2, 25, 0),
            ("parallel > (buffer flush)", 1, 15, 15),
            ("(tasks)", 0, 0, 0),
            ("(tasks) > work", 1, 25, 25),
        ],
    );
    assert_eq!(count(&report["total"], "events"), 10);
}

/// OmpFork, OmpJoin, OmpTaskCreate, OmpTaskSwitch, OmpTaskComplete, OmpAcquireLock, OmpReleaseLock.
/// The task runs from 110 to 130, in work from 112 on. A fork before and a join after are events of
/// the location and no visits.
#[test]
fn older_records_of_openmp() {
    let report = rare("1");
    expect(
        &report,
        &[
            ("parallel", 1, 40, 20),
            ("parallel > (task: work)", 1, 20, 2),
            ("(tasks)", 0, 0, 0),
            ("(tasks) > work", 1, 18, 18),
        ],
    );
    let location = &list(&report, "locations")[0];
    assert_eq!((count(location, "first"), count(location, "last")), (100, 141));
}

/// IoTryLock, IoAcquireLock, IoReleaseLock, IoDuplicateHandle, IoChangeStatusFlags,
/// IoOperationIssued, IoOperationTest, IoOperationCancelled. What was cancelled is no operation, and
/// leaves its matching id to the next one. The last to complete was cancelled before: its 9 bytes
/// are nobody's.
#[test]
fn operations_on_files_are_cancelled() {
    let report = rare("2");
    expect(&report, &[("read", 1, 20, 20)]);
    let path = &list(&report, "paths")[0];
    let io = |row: &Value| ["io", "bytes_read", "bytes_written"].map(|name| count(row, name));
    assert_eq!(io(path), [2, 60, 40]);
    assert_eq!(io(&report["total"]["outside_regions"]), [1, 0, 0]);
    assert_eq!(io(&report["total"]), [3, 60, 40]);
    assert_eq!(count(&report["oddities"], "unbegun_io"), 1);
}

/// MpiRequestTest and MpiRequestCancelled: what was never received does not count.
#[test]
fn requests_are_tested_and_cancelled() {
    let report = rare("3");
    expect(&report, &[("MPI_Wait", 1, 9, 9)]);
    let messages = ["sent", "bytes_sent", "received", "bytes_received"];
    assert_eq!(messages.map(|name| count(&report["total"], name)), [1, 64, 0, 0]);
    assert_eq!(count(&report["total"], "events"), 8);
}

/// RmaTryLock, RmaAcquireLock, RmaOpTest, RmaSync, RmaWaitChange: a put of 128 bytes, and 8 there
/// and 8 back at once.
#[test]
fn memory_of_others() {
    let report = rare("4");
    expect(&report, &[("MPI_Put", 1, 10, 10)]);
    let accesses = ["rma", "bytes_put", "bytes_got"];
    assert_eq!(accesses.map(|name| count(&report["total"], name)), [2, 136, 8]);
}

/// ThreadCreate and ThreadWait at one location, and the thread itself at another.
#[test]
fn threads_are_created_and_waited_for() {
    let report = rare("5");
    expect(&report, &[("pthread_create", 1, 3, 3)]);
    assert_eq!(list(&report, "locations")[0]["last"], 9);
    expect(&rare("6"), &[("work", 1, 4, 4)]);
}

/// Everything that is not a visit is an event all the same, and nothing is odd but the operation
/// that completes after it was cancelled.
#[test]
fn rare_kinds_all_together() {
    let (report, code) = report(&anchor("rare-kinds"), &[]);
    assert_eq!(code, 0);
    assert_eq!(count(&report["total"], "events"), 10 + 11 + 18 + 8 + 11 + 4 + 4);
    let oddities = report["oddities"].as_object().expect("oddities");
    let odd: Vec<_> = oddities.iter().filter(|(_, count)| **count != json!(0)).collect();
    assert_eq!(odd, [(&"unbegun_io".to_owned(), &json!(1))]);
    let unknown = list(&report, "locations").iter().map(|row| count(row, "unknown_events"));
    assert_eq!(unknown.sum::<u64>(), 0);
}
