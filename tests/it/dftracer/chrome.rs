//! Chrome trace events as other writers leave them: their order, their layout, and calls at once.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use super::odd::{file, gz};
use super::report;
use crate::common::program::{mpirun, said, streamfold, text};

/// An event, with its times in microseconds.
fn event(phase: &str, name: &str, time: f64) -> String {
    format!(r#"{{"ph":"{phase}","name":"{name}","cat":"app","pid":1,"tid":1,"ts":{time}}}"#)
}

fn call(name: &str, begin: f64, duration: f64) -> String {
    event("X", name, begin).replace('}', &format!(",\"dur\":{duration}}}"))
}

fn document(folder: &TempDir, events: &[String]) -> PathBuf {
    let text = format!("{{\"traceEvents\":[\n{}\n]}}\n", events.join(",\n"));
    file(folder, "trace.json", text.as_bytes())
}

/// A region with its visits, its inclusive and its exclusive time in nanoseconds.
type Row = (String, u64, u64, u64);

fn rows(profile: &Value) -> Vec<Row> {
    let row = |region: &Value| {
        let number = |name: &str| region[name].as_u64().expect("a number");
        let name = region["name"].as_str().expect("a name").to_owned();
        (name, number("visits"), number("inclusive"), number("exclusive"))
    };
    let mut rows: Vec<Row> =
        profile["regions"].as_array().expect("regions").iter().map(row).collect();
    rows.sort();
    rows
}

fn row(name: &str, visits: u64, inclusive: u64, exclusive: u64) -> Row {
    (name.to_owned(), visits, inclusive, exclusive)
}

/// Regions, locations, losses, and the exit code.
fn all(path: &Path) -> (Vec<Row>, usize, u64, i32) {
    let (code, profile) = report("profile", path);
    let losses = profile["provenance"]["loss_count"].as_u64().expect("losses");
    let locations = profile["locations"].as_array().expect("locations").len();
    (rows(&profile), locations, losses, code)
}

/// Visits of all calls, and losses.
fn count(folder: &TempDir, name: &str, text: &[u8]) -> (u64, u64) {
    let (rows, _, losses, _) = all(&file(folder, name, text));
    (rows.iter().map(|row| row.1).sum(), losses)
}

/// Begins and ends are those of their times and names, in any order of the file.
#[test]
fn begins_and_ends_in_any_order() {
    let folder = TempDir::new().expect("a folder");
    let events = [
        event("B", "solve", 0.0),
        event("B", "write", 50.0),
        event("E", "solve", 1000.0),
        event("E", "write", 70.0),
        // Ends of others, and ends without a name.
        event("E", "inner", 2002.0),
        event("B", "outer", 2000.0),
        event("E", "", 2010.0),
        event("B", "inner", 2001.0),
    ];
    let expected = vec![
        row("inner", 1, 1000, 1000),
        row("outer", 1, 10_000, 9000),
        row("solve", 1, 1_000_000, 980_000),
        row("write", 1, 20_000, 20_000),
    ];
    let mut orders = vec![events.to_vec()];
    orders.push(events.iter().rev().cloned().collect());
    orders
        .push(events.iter().step_by(2).chain(events.iter().skip(1).step_by(2)).cloned().collect());
    for order in orders {
        let path = document(&folder, &order);
        assert_eq!(all(&path), (expected.clone(), 1, 0, 0), "{order:?}");
    }
}

/// An end with a name ends the innermost call of that name, and not another one.
#[test]
fn ends_name_their_begins() {
    let folder = TempDir::new().expect("a folder");
    let mut events = vec![
        event("B", "A", 0.0),
        event("B", "B", 1.0),
        event("E", "B", 1.0),
        // Of one time, in the other order.
        event("E", "C", 2.0),
        event("B", "C", 2.0),
        event("E", "A", 10.0),
    ];
    let expected = vec![row("A", 1, 10_000, 10_000), row("B", 1, 0, 0), row("C", 1, 0, 0)];
    assert_eq!(all(&document(&folder, &events)), (expected.clone(), 1, 0, 0));
    // An end of nothing is a loss, and ends nothing.
    events.insert(2, event("E", "D", 5.0));
    assert_eq!(all(&document(&folder, &events)), (expected, 1, 1, 3));
    // Calls that cross have two lanes. A name with escapes is the same with others.
    let crossed = [
        event("B", "a/b", 0.0),
        event("B", "other", 5.0),
        event("E", r"a\/b", 10.0),
        event("E", "other", 15.0),
    ];
    let expected = vec![row("a/b", 1, 10_000, 10_000), row("other", 1, 10_000, 10_000)];
    assert_eq!(all(&document(&folder, &crossed)), (expected, 2, 0, 0));
}

/// Calls that do not end are open, as in other formats.
#[test]
fn begins_without_ends_are_open() {
    let folder = TempDir::new().expect("a folder");
    let killed = [event("B", "main", 0.0), call("step", 10.0, 20.0), call("step", 40.0, 50.0)];
    let path = file(&folder, "killed.json", format!("[\n{}", killed.join(",\n")).as_bytes());
    let output = streamfold(["profile", "--mpi", "off"]).arg(&path).output().expect("a run");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(text(&output.stdout).contains("1 visit open at the end"), "{}", said(&output));
    let expected = vec![row("main", 1, 0, 0), row("step", 2, 70_000, 70_000)];
    assert_eq!(all(&path), (expected, 1, 0, 0));
    // The account lets them last to the last event.
    let output = streamfold(["overview", "--mpi", "off"]).arg(&path).output().expect("a run");
    let told = text(&output.stdout);
    assert!(told.contains("main                               20.00 us   22.2"), "{told}");
    let begins = ["main", "step", "write"].map(|name| event("B", name, 1.0));
    let expected = ["main", "step", "write"].map(|name| row(name, 1, 0, 0)).to_vec();
    assert_eq!(all(&document(&folder, &begins)), (expected, 1, 0, 0));
}

/// An event of a span.
fn span(phase: &str, name: &str, time: f64, id: &str) -> String {
    event(phase, name, time).replace('}', &format!(",\"id\":{id}}}"))
}

/// Spans nest by their identifiers, on tracks of their process, and take no time of a thread.
#[test]
fn spans_are_no_work_of_threads() {
    let folder = TempDir::new().expect("a folder");
    let local = r#"{"local":"0x2"}"#;
    let events = [
        call("main", 0.0, 100.0),
        span("b", "request", 10.0, "\"0x1\""),
        span("b", "connect", 12.0, "\"0x1\""),
        // Another request within the time of the first one.
        span("b", "request", 15.0, "\"0x2\""),
        span("n", "sent", 16.0, "\"0x2\""),
        span("e", "connect", 20.0, "\"0x1\""),
        span("e", "request", 25.0, "\"0x2\""),
        span("e", "request", 50.0, "\"0x1\""),
        // The older letters, an end that stands before its begin, and the other member for identifiers.
        span("F", "old", 9.0, "7"),
        span("S", "old", 5.0, "7"),
        span("b", "local", 60.0, local).replace("\"id\"", "\"id2\""),
        span("e", "local", 61.0, local).replace("\"id\"", "\"id2\""),
        span("b", "unended", 62.0, "8"),
        span("s", "flow", 1.0, "3"),
        span("f", "flow", 2.0, "3"),
    ];
    let path = document(&folder, &events);
    let expected = vec![
        row("connect", 1, 8000, 8000),
        row("local", 1, 1000, 1000),
        row("main", 1, 100_000, 100_000),
        row("old", 1, 4000, 4000),
        row("request", 2, 50_000, 42_000),
        row("unended", 1, 0, 0),
    ];
    assert_eq!(all(&path), (expected, 3, 0, 0));
    let (_, account) = report("efficiency", &path);
    let threads = &account["account"]["threads"];
    assert_eq!((&threads["count"], &threads["total"]), (&1.into(), &100_000.into()), "{account}");
    assert_eq!(threads["classes"]["computation"]["ticks"], 100_000, "{account}");
    let unmatched = [call("main", 0.0, 2.0), span("e", "late", 1.0, "1")];
    let (code, profile) = report("profile", &document(&folder, &unmatched));
    assert_eq!((code, &profile["provenance"]["loss_count"]), (3, &1.into()));
}

/// Of calls with the same times the first one of the file is around the others, the last one where calls are written
/// when they end.
#[test]
fn calls_with_the_same_times() {
    let folder = TempDir::new().expect("a folder");
    let zeros = |begin| call("zeros", begin, 4.0);
    let empty = |begin| call("empty", begin, 4.0);
    let begun = [zeros(0.0), empty(0.0), zeros(10.0), empty(10.0), call("last", 20.0, 1.0)];
    let expected =
        vec![row("empty", 2, 8000, 8000), row("last", 1, 1000, 1000), row("zeros", 2, 8000, 0)];
    let path = document(&folder, &begun);
    assert_eq!(all(&path), (expected.clone(), 1, 0, 0));
    // Lines say nothing where all events stand in one.
    let line = fs::read_to_string(&path).expect("text").replace('\n', "");
    assert_eq!(all(&file(&folder, "line.json", line.as_bytes())).0, expected);
    // The last calls show that they are written when they end.
    let ended = [call("last", 20.0, 0.5), empty(0.0), zeros(0.0), empty(10.0), zeros(10.0)];
    let mut ended = ended.to_vec();
    ended.extend([call("in", 31.0, 1.0), call("out", 30.0, 4.0), call("in", 41.0, 1.0)]);
    ended.extend([call("out", 40.0, 4.0)]);
    let found = all(&document(&folder, &ended)).0;
    assert!(found.contains(&row("zeros", 2, 8000, 0)), "{found:?}");
    // DFTracer writes so; nothing in the file needs to show it.
    let text = [empty(0.0), zeros(0.0)].join("\n");
    let found = all(&file(&folder, "x-app.pfw", text.as_bytes())).0;
    assert_eq!(found, [row("empty", 1, 4000, 4000), row("zeros", 1, 4000, 0)]);
    // Begins and ends in one line.
    let pairs = [("B", "a"), ("B", "b"), ("E", "b"), ("E", "a")].iter().zip([0.0, 0.0, 5.0, 5.0]);
    let pairs: Vec<String> = pairs.map(|((phase, name), time)| event(phase, name, time)).collect();
    let line = format!("[{}]", pairs.join(","));
    let found = all(&file(&folder, "line.json", line.as_bytes())).0;
    assert_eq!(found, [row("a", 1, 5000, 0), row("b", 1, 5000, 5000)]);
}

/// Short calls overlap, and are not cut where times have fractions.
#[test]
fn short_calls_overlap() {
    let folder = TempDir::new().expect("a folder");
    let pair = |n: u32| {
        let begin = 10.0 * f64::from(n);
        [call("A", begin, 0.9), call("B", begin + 0.5, 0.9)]
    };
    let events: Vec<String> = (0..100).flat_map(pair).collect();
    let expected = vec![row("A", 100, 90_000, 90_000), row("B", 100, 90_000, 90_000)];
    assert_eq!(all(&document(&folder, &events)), (expected, 2, 0, 0));
    // Whole units may have been cut: the message says what that takes.
    let events = [call("A", 0.0, 10.0), call("B", 9.0, 2.0)];
    let output = streamfold(["profile", "--mpi", "off"]).arg(document(&folder, &events)).output();
    let output = output.expect("a run");
    let told =
        "1 calls end a unit of time behind the call around them, and were cut by 1 us in all";
    assert!(said(&output).contains(told), "{}", said(&output));
}

/// More calls at once than a thread has lanes are a loss of so much time.
#[test]
fn more_calls_at_once_than_lanes() {
    let folder = TempDir::new().expect("a folder");
    let events: Vec<String> =
        (0..4100).map(|n| call("request", 5.0 * f64::from(n), 100_000.0)).collect();
    let (rows, lanes, losses, code) = all(&document(&folder, &events));
    assert_eq!((lanes, losses, code), (4096, 1, 3));
    // The last four end with the call of the last lane.
    let lost = 5000 * (1 + 2 + 3 + 4);
    assert_eq!(rows[0].2, 4100 * 100_000_000 - lost);
    let path = folder.path().join("trace.json");
    let output = streamfold(["profile", "--mpi", "off"]).arg(path).output().expect("a run");
    let told = "more than 4096 calls at once on a thread: 4 were cut, by 50 us in all";
    assert!(said(&output).contains(told), "{}", said(&output));
}

/// Events on lines, on several lines, in one line, and behind other members.
#[test]
fn documents_of_any_layout() {
    let folder = TempDir::new().expect("a folder");
    let events = [call("f", 0.0, 5.0), call("f", 10.0, 5.0), call("f", 20.0, 5.0)];
    let named = r#"{"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}}"#;
    let spread = |text: &str| text.replace(',', ",\n  ").replace('{', "{\n  ");
    let with_args = |text: &String| text.replace('}', ",\"args\":{\n\"a\":1,\"b\":[\n{\"c\":2}]}}");
    let lines = events.join(",\n");
    let many: String = (0..2000).map(|_| format!("{named},\n")).collect();
    let all = [
        // The object begins on a line of its own.
        format!("{{\"displayTimeUnit\":\"ns\",\"metadata\":{{\"a\":true}},\n\"traceEvents\":[\n{lines}\n]}}"),
        // One event on a line, or many of them, and others on several.
        format!("[{named},\n{}\n]\n", spread(&lines)),
        format!("[\n{many}{}\n]", spread(&lines)),
        format!("{many}{}", spread(&lines)),
        // Arguments go on in other lines.
        format!("[\n{}\n]", events.each_ref().map(with_args).join(",\n")),
        format!("[{}]", events.join(",")),
        format!("[{}]", spread(&lines)),
        // Objects without members say nothing.
        format!("[{{}},\n{lines},\n{{ }}\n]"),
        format!("{{}}\n{lines}\n{{}}"),
        format!("{{\"traceEvents\":[{{}},{},{{}}]}}", events.join(",")),
    ];
    for text in &all {
        for mark in ["", "\u{feff}"] {
            let text = format!("{mark}{text}");
            let head: String = text.chars().take(300).collect();
            assert_eq!(count(&folder, "x.json", text.as_bytes()), (3, 0), "{head}");
            assert_eq!(count(&folder, "x.json.gz", &gz(text.as_bytes())), (3, 0), "{head}");
        }
        let path = folder.path().join("x.json");
        let output = streamfold(["validate", "--mpi", "off"]).arg(path).output().expect("a run");
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(!said(&output).contains("does not end"), "{}", said(&output));
    }
}

/// Members in front of the events are passed over, however long they are.
#[test]
fn events_begin_late() {
    let folder = TempDir::new().expect("a folder");
    let events = format!("[{},\n{}]", call("f", 0.0, 5.0), call("f", 10.0, 5.0));
    let ranks: String = (0..100_000).map(|rank| format!("{rank}, ")).collect();
    let word = "x\\\"]}".repeat(100_000);
    for member in [
        format!("\"distributedInfo\": {{\"ranks\": [{ranks}0], \"traceEvents\": [{{}}]}}"),
        format!("\"distributedInfo\": \"{word}\""),
        format!("\"distributedInfo\": [{{\"a\": [\"{word}\"]}}, 5]"),
        format!("\"distributedInfo\": {}", "1".repeat(300_000)),
        format!("\"distributedInfo\": null{}", " ".repeat(300_000)),
    ] {
        let text = format!("{{\n\"schemaVersion\": 1,\n{member},\n\"traceEvents\": {events}\n}}");
        assert_eq!(count(&folder, "x.json", text.as_bytes()), (2, 0), "{}", &member[..40]);
        let text = text.replace('\n', "");
        assert_eq!(count(&folder, "x.json.gz", &gz(text.as_bytes())), (2, 0), "{}", &member[..40]);
    }
    // Arguments of an event, too.
    let text = call("f", 0.0, 5.0).replace("{\"ph\"", &format!("{{\"args\":[{ranks}0],\"ph\""));
    assert_eq!(count(&folder, "x.json", text.as_bytes()), (1, 0));
}

/// An object that is torn takes nothing else with it.
#[test]
fn torn_objects_of_documents() {
    let folder = TempDir::new().expect("a folder");
    let one = |n: u32| call("f", 10.0 * f64::from(n), 5.0).replace(',', ",\n  ");
    let whole: Vec<String> = (0..10).map(one).collect();
    let torn = format!("{}{}", &one(4)[..30], one(11));
    let mut events = whole.clone();
    events.insert(5, torn);
    let text = format!("{{\n\"traceEvents\": [\n{}\n]}}", events.join(",\n"));
    assert_eq!(count(&folder, "x.json", text.as_bytes()), (11, 1));
}

/// Documents in one file, one behind the other, are read.
#[test]
fn documents_behind_each_other() {
    let folder = TempDir::new().expect("a folder");
    let of = |pid: u32| {
        let events: Vec<String> = (0..10).map(|n| call("f", 10.0 * f64::from(n), 5.0)).collect();
        let text = events.join(", ").replace("\"pid\":1", &format!("\"pid\":{pid}"));
        (format!("{{\"traceEvents\": [{text}]}}\n"), format!("[{text}]\n"))
    };
    let ((one, array), (two, other)) = (of(1), of(2));
    for text in [format!("{one}{two}"), format!("{array}{other}"), format!("{one}{other}")] {
        let path = file(&folder, "x.json", text.as_bytes());
        let (code, profile) = report("profile", &path);
        assert_eq!((code, rows(&profile)), (0, vec![row("f", 20, 100_000, 100_000)]), "{text}");
        assert_eq!(profile["groups"].as_array().map(Vec::len), Some(2));
        let output = streamfold(["profile", "--mpi", "off"]).arg(&path).output().expect("a run");
        assert!(said(&output).contains("2 documents in the file"), "{}", said(&output));
    }
    // Something else behind them is a loss.
    for behind in ["{\"a\":1}", "nothing", &call("f", 0.0, 1.0)] {
        let text = format!("{one}{behind}\n");
        assert_eq!(count(&folder, "x.json", text.as_bytes()), (10, 1), "{behind}");
    }
}

/// Counters of one name and several ids are several counters.
#[test]
fn counters_have_ids() {
    let folder = TempDir::new().expect("a folder");
    let counter = |id: &str, time: f64, value: u32| {
        let args = format!(",\"id\":{id},\"args\":{{\"len\":{value}}}}}");
        event("C", "queue", time).replace('}', &args)
    };
    let events = [
        counter("\"rx\"", 0.0, 10),
        counter("\"tx\"", 1.0, 1000),
        counter("\"rx\"", 2.0, 20),
        counter("\"tx\"", 3.0, 3000),
        counter("null", 3.0, 7),
        counter("5", 4.0, 8),
        call("poll", 0.0, 10.0),
    ];
    let (_, profile) = report("profile", &document(&folder, &events));
    let metrics = profile["metrics"].as_array().expect("metrics").iter();
    let found = metrics.map(|metric| {
        let values = &metric["total"]["values"];
        (metric["name"].as_str().expect("a name"), values["count"].as_u64(), values["sum"].as_f64())
    });
    let found: Vec<_> = found.collect();
    let expected = [
        ("queue: len", Some(1), Some(7.0)),
        ("queue[5]: len", Some(1), Some(8.0)),
        ("queue[rx]: len", Some(2), Some(30.0)),
        ("queue[tx]: len", Some(2), Some(4000.0)),
    ];
    assert_eq!(found, expected);
}

/// Ranks and threads change nothing, with open calls and several lanes.
#[test]
fn chrome_traces_with_ranks() {
    let folder = TempDir::new().expect("a folder");
    let mut events = vec![event("B", "main", 0.0), event("E", "none", 3.0)];
    for thread in 0..4 {
        let of = [
            event("B", "open", 1.0),
            event("B", "a", 2.0),
            event("E", "a", 9.5),
            call("b", 5.0, 50.0),
            call("c", 20.0, 50.0),
        ];
        let of = of.iter().map(|one| one.replace("\"tid\":1", &format!("\"tid\":{thread}")));
        events.extend(of);
    }
    let path = document(&folder, &events);
    let run = |ranks: Option<usize>| {
        let arguments = ["profile".as_ref(), "-q".as_ref(), "--format".as_ref(), "json".as_ref()];
        let arguments: [&std::ffi::OsStr; 4] = arguments;
        let arguments = arguments.into_iter().chain([path.as_os_str()]);
        match ranks {
            Some(ranks) => mpirun(ranks, arguments),
            None => Some(streamfold(arguments).output().expect("a run")),
        }
    };
    let alone = run(None).expect("a run");
    assert_eq!(alone.status.code(), Some(3), "{}", said(&alone));
    for ranks in [2, 3] {
        let Some(together) = run(Some(ranks)) else { return };
        assert!(alone.stdout == together.stdout, "{ranks} ranks");
    }
}
