//! Metrics in reports: an archive that the reference library wrote, of which every number is worked
//! out by hand, and records of which nothing can be made.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{json, Value};

use crate::common::archives::one;
use crate::common::program::{said, streamfold};
use crate::common::small::{Bytes, Definitions, Files, Order, Small};

fn output(anchor: &Path, args: &[&str], code: i32) -> String {
    let args = ["profile", "--quiet"].iter().chain(args).map(AsRef::as_ref);
    let output = streamfold(args.chain([anchor.as_os_str()])).output().expect("a run");
    assert_eq!(output.status.code(), Some(code), "{}", said(&output));
    String::from_utf8(output.stdout).expect("text")
}

fn report(anchor: &Path, code: i32) -> Value {
    serde_json::from_str(&output(anchor, &["--format", "json"], code)).expect("JSON")
}

/// Rows of CSV, each field by the name of its column.
fn rows(anchor: &Path, by: &str, code: i32) -> Vec<BTreeMap<String, String>> {
    let text = output(anchor, &["--by", by, "--format", "csv"], code);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().collect::<Result<_, _>>().expect("rows")
}

/// The metrics of the row of this name.
fn of<'a>(report: &'a Value, list: &str, name: &str) -> BTreeMap<&'a str, &'a Value> {
    let rows = report[list].as_array().expect("rows");
    let row = rows.iter().find(|row| row["name"] == name).expect("the row");
    let metrics = row["metrics"].as_array().into_iter().flatten();
    metrics.map(|metric| (metric["name"].as_str().expect("a name"), metric)).collect()
}

fn several(count: u64, sum: Value, least: Value, most: Value) -> Value {
    json!({ "count": count, "sum": sum, "min": least, "max": most })
}

/// Differences: the exclusive ones have no range.
fn difference(inclusive: [Value; 3], exclusive: Value) -> (Value, Value) {
    let [sum, least, most] = inclusive;
    (several(1, sum, least, most), several(1, exclusive, Value::Null, Value::Null))
}

fn parts(metric: &Value) -> (Value, Value) {
    (metric["inclusive"].clone(), metric["exclusive"].clone())
}

/// A from 0 to 100, in it B from 10 to 50, in that C from 20 to 30. `events` is 100, 110, 115, 145,
/// 150 and 200 at the enters and leaves in their order.
#[test]
fn counters_are_differences_of_visits() {
    let report = report(&one("metrics").anchor, 0);
    for list in ["paths", "regions"] {
        for (name, inclusive, exclusive) in [("A", 100, 60), ("B", 40, 10), ("C", 30, 30)] {
            let found = parts(of(&report, list, name)["events"]);
            let inclusive = [inclusive; 3].map(|sum| json!(sum));
            assert_eq!(found, difference(inclusive, json!(exclusive)), "{list}, {name}");
        }
    }
    for (list, name) in [("locations", "main"), ("groups", "process")] {
        assert_eq!(of(&report, list, name)["events"]["sum"], 100);
    }
}

/// `energy` is 1e100, 1, 2.5, 1e100, 3 and 1e100: whoever rounds on the way does not come out at 2
/// for B, at -2 for A without B, nor at 0 for all exclusive values together.
#[test]
fn floating_point_values_are_summed_exactly() {
    let report = report(&one("metrics").anchor, 0);
    let found = |name| parts(of(&report, "paths", name)["energy"]);
    assert_eq!(found("A"), difference([json!(0.0), json!(0.0), json!(0.0)], json!(-2.0)));
    assert_eq!(found("B"), difference([json!(2.0), json!(2.0), json!(2.0)], json!(-1e100)));
    let c = difference([json!(1e100), json!(1e100), json!(1e100)], json!(1e100));
    assert_eq!(found("C"), c);
    assert_eq!(of(&report, "locations", "main")["energy"]["sum"], 0.0);
}

/// `heap` is 50 at the enter of A, -20 at the leave of C, 70 at the leave of A.
#[test]
fn absolute_values_count_where_they_are_recorded_and_around() {
    let report = report(&one("metrics").anchor, 0);
    let found = |name| parts(of(&report, "paths", name)["heap"]);
    let of_a = several(2, json!(120), json!(50), json!(70));
    let in_a = several(3, json!(100), json!(-20), json!(70));
    let of_c = several(1, json!(-20), json!(-20), json!(-20));
    assert_eq!(found("A"), (in_a.clone(), of_a));
    let nothing = several(0, json!(0), Value::Null, Value::Null);
    assert_eq!(found("B"), (of_c.clone(), nothing));
    assert_eq!(found("C"), (of_c.clone(), of_c));
    let mut total = of(&report, "locations", "main")["heap"].clone();
    let names: Vec<_> = ["member", "name", "kind"].to_vec();
    names.iter().for_each(|name| drop(total.as_object_mut().expect("an object").remove(*name)));
    assert_eq!(total, in_a);
}

/// `moved` changes by 7 before C, by 5 in it. `load` is recorded by the location itself, twice in A
/// and once outside, and by the sensor, which runs nothing.
#[test]
fn changes_and_asynchronous_values_count_for_who_runs() {
    let report = report(&one("metrics").anchor, 0);
    let moved = parts(of(&report, "paths", "C")["moved"]);
    assert_eq!(moved, difference([json!(5), json!(5), json!(5)], json!(5)));
    assert!(!of(&report, "paths", "B").contains_key("moved"));
    let (_, load) = parts(of(&report, "paths", "A")["load"]);
    assert_eq!(load, several(2, json!(80), json!(30), json!(50)));
    let metrics = report["metrics"].as_array().expect("metrics");
    let load = metrics.iter().find(|metric| metric["name"] == "load").expect("load");
    let outside = several(1, json!(10), json!(10), json!(10));
    assert_eq!(load["outside_regions"]["values"], outside);
    assert_eq!(load["total"]["values"]["sum"], 90);
    assert_eq!(load["records"], json!({ "count": 4, "min": 10, "max": 90 }));
    assert!(of(&report, "locations", "sensor").is_empty());
    let none = report["metric_oddities"].as_object().expect("counts").values();
    assert!(none.clone().count() == 7 && none.clone().all(|count| *count == 0));
}

/// `power`: 1500 for 40 ticks, then 2500 for 60. `temperature`: 21.5 for the 40 ticks before, then
/// 30 for 60. `load`: from 30 to 50 in 20 ticks, from there to 10 in 40.
#[test]
fn series_are_what_the_modes_say() {
    let rows = rows(&one("metrics").anchor, "metric", 0);
    let series: Vec<_> = rows.iter().filter(|row| row["kind"] == "series").collect();
    let columns = ["name", "recorder_name", "scope_kind", "scope_name", "count", "first", "last"];
    let numbers = ["min", "max", "mean", "integral_ticks", "first_ticks", "last_ticks"];
    let found: Vec<Vec<&str>> = series
        .iter()
        .map(|row| columns.iter().chain(&numbers).map(|name| row[*name].as_str()).collect())
        .collect();
    let power =
        "power,process · sensor,LOCATION_GROUP,process,3,1500,500,500,2500,2100.0,210000.0,0,100";
    let temperature =
        "temperature,process · sensor,LOCATION_GROUP,process,3,20.5,30.0,20.5,30.0,26.6,2660.0,0,100";
    let load = "load,process · main,LOCATION,process · main,3,30,10,10,50,33.333333333333336,2000.0,60,120";
    let once = "load,process · sensor,LOCATION,process · main,1,90,90,90,90,,0.0,50,50";
    let expected: Vec<Vec<&str>> =
        [power, temperature, load, once].iter().map(|row| row.split(',').collect()).collect();
    assert_eq!(found, expected);
}

#[test]
fn rows_have_a_column_for_each_number() {
    let anchor = one("metrics").anchor;
    let paths = rows(&anchor, "callpath", 0);
    let a = paths.iter().find(|row| row["name"] == "A").expect("A");
    let fields = [
        ("events_incl", "100"),
        ("events_excl", "60"),
        ("events_count", "1"),
        ("events_min", "100"),
        ("events_max", "100"),
        ("energy_excl", "-2.0"),
        ("heap_incl", "100"),
        ("heap_excl", "120"),
        ("heap_incl_count", "3"),
        ("heap_excl_count", "2"),
        ("heap_incl_min", "-20"),
        ("heap_excl_max", "70"),
        ("moved_incl", ""),
        ("load_excl", "80"),
    ];
    fields.iter().for_each(|(name, value)| assert_eq!(a[*name], *value, "{name}"));
    let locations = rows(&anchor, "location", 0);
    let main = locations.iter().find(|row| row["name"] == "main").expect("main");
    let fields =
        [("events_inside", "100"), ("events_count", "3"), ("heap_sum", "100"), ("load_max", "50")];
    fields.iter().for_each(|(name, value)| assert_eq!(main[*name], *value, "{name}"));
}

#[test]
fn tables_show_units_and_scales() {
    let anchor = one("metrics").anchor;
    let text = output(&anchor, &["--by", "metric"], 0);
    let line = |words: &str| {
        let line = text.lines().find(|line| line.contains(words));
        let line = line.unwrap_or_else(|| panic!("no {words} in {text}"));
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let power = "gauge 3 210.0 mJ 500.0 mW 2.100 W 2.500 W 500.0 mW process power";
    assert_eq!(line("power"), power);
    assert_eq!(line("   events"), "in visits 3 100 events");
    let paths = output(&anchor, &["--by", "callpath"], 0);
    assert!(paths.contains("events  incl. events"), "{paths}");
    assert!(paths.contains("4 metrics are series of their own"), "{paths}");
}

/// Traces without metrics have nothing of this.
#[test]
fn without_metrics_nothing_is_said_of_them() {
    let anchor = one("eztrace").anchor;
    let report = report(&anchor, 0);
    assert!(["metrics", "series", "metric_oddities"].iter().all(|name| report[*name].is_null()));
    assert!(rows(&anchor, "metric", 0).is_empty());
}

const ORDER: Order = Order::Little;
const STRICT: u8 = 0;
const DOUBLE: u8 = 10;
const UINT64: u8 = 4;

fn member(bytes: &Bytes, id: u64, mode: u8, kind: u8, exponent: i64) -> Bytes {
    let payload = bytes.payload().c(id).c(1).c(0).raw(&[0, mode, kind, 1]);
    payload.c(exponent as u64).c(0)
}

/// Members 0 (a u64), 1 (a double with an absurd scale), 2 (a text), 3 (an unknown mode) and 4 (changes);
/// class 0 of the first four and one that is not defined; classes 1, 2 and 5 of the members 0, 1 and 4.
fn definitions() -> Definitions {
    let mut definitions = Definitions::new(ORDER);
    for payload in [
        member(&definitions.bytes, 0, 0, UINT64, 0),
        member(&definitions.bytes, 1, 17, DOUBLE, i64::MIN),
        member(&definitions.bytes, 2, 17, 11, 0),
        member(&definitions.bytes, 3, 99, UINT64, i64::MAX),
        member(&definitions.bytes, 4, 18, UINT64, 0),
    ] {
        definitions = definitions.record(19, payload);
    }
    for (id, members) in [(0u64, &[0u64, 1, 2, 3, 9][..]), (1, &[0]), (2, &[1]), (5, &[4])] {
        let payload = definitions.bytes.payload().c(id).raw(&[members.len() as u8]);
        let payload = members.iter().fold(payload, |payload, member| payload.c(*member));
        definitions = definitions.record(20, payload.raw(&[STRICT, 2]));
    }
    // An instance of itself.
    let instance = definitions.bytes.payload().c(3).c(3).c(0).raw(&[0]).c(0);
    definitions.record(21, instance).region(0).location(0, 0)
}

fn record(bytes: Bytes, metric: u64, values: &[(u8, u64)]) -> Bytes {
    let payload = bytes.payload().c(metric).raw(&[values.len() as u8]);
    let one = |payload: Bytes, (kind, value): &(u8, u64)| payload.raw(&[*kind]).c(*value);
    let payload = values.iter().fold(payload, one);
    bytes.record(31, payload)
}

fn profile_of(events: impl Fn(Bytes) -> Bytes, code: i32) -> Value {
    let events = Some(events(Bytes::new(ORDER).header().time(100)).end().bytes);
    let files = vec![Files { events, definitions: None }];
    let written = Small::with(ORDER, definitions(), files).write();
    output(&written.anchor(), &["--by", "metric"], code);
    output(&written.anchor(), &["--by", "callpath"], code);
    report(&written.anchor(), code)
}

fn oddity(report: &Value, name: &str) -> u64 {
    report["metric_oddities"][name].as_u64().unwrap_or(0)
}

#[test]
fn what_is_not_defined_is_counted() {
    let report = profile_of(
        |bytes| {
            let bytes = record(bytes, 77, &[(UINT64, 1)]);
            let bytes = record(bytes, 3, &[(UINT64, 1)]);
            let values = [(UINT64, 5), (DOUBLE, 0), (UINT64, 0), (UINT64, 0), (UINT64, 0)];
            record(bytes, 0, &values).enter(0).leave(0)
        },
        3,
    );
    assert_eq!(oddity(&report, "undefined"), 2);
    assert_eq!(oddity(&report, "undefined_members"), 3);
    // The double is an absolute one; of the other there is no value at the leave.
    assert_eq!(oddity(&report, "incomplete"), 1);
    assert_eq!(report["metrics"].as_array().map(Vec::len), Some(2));
    let losses = report["provenance"]["losses"].to_string();
    assert!(losses.contains("2 metric records of classes or instances"), "{losses}");
    assert!(losses.contains("3 metric values of members"), "{losses}");
}

#[test]
fn values_that_cannot_be_used_are_counted() {
    let report = profile_of(
        |bytes| {
            let bytes = record(bytes, 1, &[]);
            let bytes = record(bytes, 1, &[(UINT64, 1), (UINT64, 2)]);
            let bytes = record(bytes, 1, &[(DOUBLE, 1)]);
            let bytes = record(bytes, 1, &[(200, 1)]);
            let bytes = record(bytes, 2, &[(DOUBLE, f64::NAN.to_bits())]);
            record(bytes, 2, &[(DOUBLE, f64::NEG_INFINITY.to_bits())]).enter(0).leave(0)
        },
        3,
    );
    assert_eq!((oddity(&report, "miscounted"), oddity(&report, "unusable")), (2, 4));
    assert_eq!(report["metrics"], json!([]));
}

/// The number of inclusive values of one is not that of values of the other.
#[test]
fn no_two_columns_have_one_name() {
    let mut definitions = Definitions::new(ORDER).string(20, "x").string(21, "x_incl");
    for (id, name, mode) in [(0, 20, 17), (1, 21, 0), (2, 1, 17)] {
        let payload = definitions.bytes.payload().c(id).c(name).c(0).raw(&[0, mode, UINT64, 1]);
        definitions = definitions.record(19, payload.c(0).c(0));
        let payload = definitions.bytes.payload().c(id).raw(&[1]).c(id).raw(&[STRICT, 2]);
        definitions = definitions.record(20, payload);
    }
    let definitions = definitions.region(0).location(0, 0);
    let values = |bytes: Bytes| (0..3).fold(bytes, |bytes, id| record(bytes, id, &[(UINT64, 4)]));
    let events = values(values(Bytes::new(ORDER).header().time(100)).enter(0)).leave(0).end();
    let files = vec![Files { events: Some(events.bytes), definitions: None }];
    let written = Small::with(ORDER, definitions, files).write();
    for by in ["region", "callpath", "location", "group"] {
        let csv = output(&written.anchor(), &["--by", by, "--format", "csv"], 0);
        let columns: Vec<&str> = csv.lines().next().expect("a heading").split(',').collect();
        let different: std::collections::BTreeSet<_> = columns.iter().collect();
        assert_eq!(different.len(), columns.len(), "{columns:?}");
        assert!(columns.iter().any(|column| column.starts_with("x_incl#1_")), "{columns:?}");
    }
}

/// A region in itself: each visit has a difference, and the outer one's is that of both.
#[test]
fn visits_inside_of_others_of_the_region_count() {
    let report = profile_of(
        |bytes| {
            let bytes = record(bytes, 1, &[(UINT64, 5)]).enter(0);
            let bytes = record(bytes, 1, &[(UINT64, 6)]).enter(0);
            let bytes = record(bytes, 1, &[(UINT64, 8)]).leave(0);
            record(bytes, 1, &[(UINT64, 15)]).leave(0)
        },
        0,
    );
    let metrics = &report["regions"][0]["metrics"][0];
    assert_eq!(metrics["inclusive"], json!({ "count": 2, "sum": 10, "min": 2, "max": 10 }));
    assert_eq!(metrics["exclusive"]["sum"], 10);
}

/// A counter that ran over: it is smaller at the leave. And the largest numbers there are.
#[test]
fn the_largest_numbers_are_counted_exactly() {
    let report = profile_of(
        |bytes| {
            let bytes = record(bytes, 1, &[(UINT64, u64::MAX)]).enter(0);
            let bytes = record(bytes, 1, &[(UINT64, 0)]).enter(0);
            let bytes = record(bytes, 1, &[(UINT64, u64::MAX)]).leave(0);
            record(bytes, 1, &[(UINT64, 1)]).leave(0)
        },
        0,
    );
    assert_eq!(oddity(&report, "decreased"), 1);
    // The visit inside goes from 0 to 2^64 - 1, the one around from there to 1.
    let metrics = &report["regions"][0]["metrics"][0];
    assert_eq!(metrics["inclusive"]["sum"].to_string(), "-18446744073709551614");
    assert_eq!(metrics["exclusive"]["sum"].to_string(), "-18446744073709551614");
    let path = &report["paths"][0]["metrics"][0];
    assert_eq!(path["exclusive"]["sum"].to_string(), "-36893488147419103229");
}

/// Doubles of which the sum is larger than all doubles, with a scale of 10 to the power of -2^63.
#[test]
fn sums_and_scales_beyond_all_numbers_are_shown() {
    let most = f64::MAX.to_bits();
    let report = profile_of(
        |bytes| {
            let bytes = record(bytes, 2, &[(DOUBLE, most)]).enter(0);
            record(bytes, 2, &[(DOUBLE, most)]).leave(0)
        },
        0,
    );
    assert_eq!(report["metrics"][0]["exponent"], json!(i64::MIN));
    let total = &report["metrics"][0]["total"]["values"];
    assert_eq!((&total["count"], &total["sum"]), (&json!(2), &Value::Null));
    assert_eq!(total["max"].as_f64(), Some(f64::MAX));
}

/// The visit between has no difference, since it has no value at its leave, or none at all.
#[test]
fn differences_inside_of_a_visit_without_one_are_inside_of_that_around_it() {
    let value = |bytes: Bytes, value: u64| record(bytes, 1, &[(UINT64, value)]);
    let begin = |bytes: Bytes| value(value(bytes, 0).enter(4).time(101), 1).enter(5);
    let inner = |bytes: Bytes| value(value(bytes, 1).enter(6), 5).leave(6);
    let expected = [("A", json!([10, 6])), ("B", Value::Null), ("C", json!([4, 4]))];
    let left = |bytes: Bytes| value(inner(begin(bytes)).leave(5), 10).leave(4);
    let dropped = |bytes: Bytes| value(inner(begin(bytes)), 10).leave(4);
    let reports = [of_three(left), of_three(dropped)];
    assert_eq!(reports.each_ref().map(|report| oddity(report, "incomplete")), [1, 0]);
    for report in reports {
        for (name, sums) in &expected {
            let found = of(&report, "paths", name).into_values().next();
            let found = found.map(|m| json!([m["inclusive"]["sum"], m["exclusive"]["sum"]]));
            assert_eq!(found.unwrap_or(Value::Null), *sums, "{name}");
        }
    }
}

/// Of a location that enters and leaves the regions A, B and C, which are 4, 5 and 6.
fn of_three(events: impl Fn(Bytes) -> Bytes) -> Value {
    let names = (2..).zip(["A", "B", "C"]);
    let named = names.fold(definitions(), |all, (id, name)| all.string(id, name));
    let definitions = (2..5).fold(named, |all, name| {
        let start = all.bytes.payload().c(name + 2).c(name).c(0).raw(&[1]).c(0).c(0).c(0);
        all.record(15, start.c(name).raw(&[1, 1]).c(0))
    });
    let events = Some(events(Bytes::new(ORDER).header().time(100)).end().bytes);
    let files = vec![Files { events, definitions: None }];
    report(&Small::with(ORDER, definitions, files).write().anchor(), 0)
}

/// B has changes at both ends, and so a difference, A and C at their leaves alone; what stands before an
/// enter alone says nothing.
#[test]
fn changes_at_leaves_alone_are_values_of_the_visits() {
    let change = |bytes: Bytes, by: u64| record(bytes, 5, &[(UINT64, by)]);
    let report = of_three(|bytes| {
        let bytes = change(bytes.enter(4), 100).enter(5);
        let bytes = change(change(bytes.enter(6), 3), 4).leave(6);
        let bytes = change(change(bytes, 10).leave(5), 30).leave(4);
        change(bytes, 1000).enter(6).leave(6)
    });
    let found = |name: &str| {
        let row =
            report["regions"].as_array().expect("rows").iter().find(|row| row["name"] == name);
        let metrics = row.expect("the row")["metrics"].as_array().cloned().unwrap_or_default();
        let part = |m: &Value| json!([m["kind"], m["inclusive"]["sum"], m["exclusive"]]);
        metrics.iter().map(part).collect::<Vec<_>>()
    };
    let values = |inclusive: u64, of: [u64; 4]| {
        let exclusive = several(of[0], json!(of[1]), json!(of[2]), json!(of[3]));
        json!(["values", inclusive, exclusive])
    };
    assert_eq!(found("A"), [values(37, [1, 30, 30, 30])]);
    assert_eq!(found("C"), [values(7, [2, 7, 3, 4])]);
    let difference = json!(["difference", 17, several(1, json!(17), Value::Null, Value::Null)]);
    let none = several(0, json!(0), Value::Null, Value::Null);
    assert_eq!(found("B"), [difference, json!(["values", 7, none])]);
    assert_eq!(oddity(&report, "incomplete"), 1);
}

/// A value that precedes no enter or leave of an open visit belongs to nobody.
#[test]
fn values_that_wait_in_vain_are_counted() {
    let report = profile_of(
        |bytes| {
            // Of a region that is not open, replaced before any enter, and at the end.
            let bytes = record(bytes, 1, &[(UINT64, 1)]).leave(0).time(101);
            let bytes = record(bytes, 1, &[(UINT64, 2)]);
            let bytes = record(bytes, 1, &[(UINT64, 3)]).enter(0);
            record(bytes, 1, &[(UINT64, 5)])
        },
        0,
    );
    assert_eq!(oddity(&report, "unattributed"), 3);
    assert_eq!(report["oddities"]["open"], 1);
}

/// A member with the name of a string of its file.
fn named(id: u64, name: u64) -> Bytes {
    Bytes::new(ORDER).c(id).c(name).c(0).raw(&[0, 0, UINT64, 1]).c(0).c(0)
}

fn class(id: u64, members: &[u64]) -> Bytes {
    let payload = Bytes::new(ORDER).c(id).raw(&[members.len() as u8]);
    members.iter().fold(payload, |payload, member| payload.c(*member)).raw(&[STRICT, 2])
}

/// One visit, with these values of a metric at its enter and the double of each at its leave.
fn visit(metric: u64, values: &[u64], own: &[(u8, Bytes)]) -> Files {
    let record = |bytes, times: u64| {
        let values: Vec<_> = values.iter().map(|value| (UINT64, times * value)).collect();
        record(bytes, metric, &values)
    };
    let events = record(Bytes::new(ORDER).header().time(100), 1).enter(0).time(150);
    let events = record(events, 2).leave(0).end().bytes;
    let header = Bytes::new(ORDER).header();
    let own = own.iter().cloned().fold(header, |file, (id, payload)| file.record(id, payload));
    Files { events: Some(events), definitions: Some(own.end().bytes) }
}

/// The sums of all locations, by the name of the metric.
fn sums(report: &Value) -> Vec<(u64, String, u64)> {
    let row = |metric: &Value| {
        let sum = metric["total"]["difference"]["sum"].as_u64().expect("a sum");
        (metric["member"].as_u64().expect("a reference"), metric["name"].to_string(), sum)
    };
    report["metrics"].as_array().expect("metrics").iter().map(row).collect()
}

/// Class 4 is another one at each location, and members have other numbers; one of them the trace has, too.
/// The trace itself defines that one twice.
#[test]
fn metrics_that_only_locations_define_are_known_by_what_they_are() {
    let text = |id: u64, text: &str| (10, Bytes::new(ORDER).c(id).string(text));
    let mut global = Definitions::new(ORDER).string(5, "x").region(0);
    for (id, payload) in [(19, named(2, 5)), (19, named(3, 5)), (20, class(0, &[3]))] {
        global = global.record(id, payload);
    }
    global = (0..4).fold(global, |global, id| global.location(id, 0));
    let instance = Bytes::new(ORDER).c(7).c(4).c(2).raw(&[0]).c(2);
    let strings = [text(8, "x"), text(9, "y"), text(10, "z")];
    let own = |more: &[(u8, Bytes)]| strings.iter().chain(more).cloned().collect::<Vec<_>>();
    let files = vec![
        visit(4, &[1, 10], &own(&[(19, named(5, 9)), (19, named(6, 8)), (20, class(4, &[5, 6]))])),
        // A member may stand behind the class that has it.
        visit(
            4,
            &[100, 1000],
            &own(&[(20, class(4, &[6, 2])), (19, named(6, 10)), (19, named(2, 9))]),
        ),
        visit(7, &[20], &own(&[(19, named(0, 10)), (21, instance), (20, class(4, &[0]))])),
        visit(0, &[400], &[]),
    ];
    let written = Small::with(ORDER, global, files).write();
    let report = report(&written.anchor(), 0);
    let row = |(member, name, sum): (u64, &str, u64)| (member, format!("{name:?}"), sum);
    assert_eq!(sums(&report), [(2, "x", 410), (4, "y", 1001), (5, "z", 120)].map(row));
    // By their numbers alone nobody knows them.
    let by_id = output(&written.anchor(), &["--by-id", "--format", "json"], 3);
    let by_id: Value = serde_json::from_str(&by_id).expect("JSON");
    assert_eq!(sums(&by_id), [(3, "x", 400)].map(row));
    assert_eq!(oddity(&by_id, "undefined"), 6);
}

/// The sums of one location with these definitions, where the trace has members 2 and 3 that say the same and
/// classes 0 and 1 of them.
fn sums_of(
    metric: u64,
    values: &[u64],
    own: &[(u8, Bytes)],
    code: i32,
) -> (Vec<(String, u64)>, Value) {
    let mut global = Definitions::new(ORDER).string(5, "x").region(0);
    for (id, payload) in
        [(19, named(2, 5)), (19, named(3, 5)), (20, class(0, &[2])), (20, class(1, &[3]))]
    {
        global = global.record(id, payload);
    }
    let text = |id: u64, text: &str| (10, Bytes::new(ORDER).c(id).string(text));
    let own: Vec<_> = [text(9, "y")].into_iter().chain(own.iter().cloned()).collect();
    let files = vec![visit(0, &[1000], &[]), visit(metric, values, &own)];
    let written = Small::with(ORDER, global.location(0, 0).location(1, 0), files).write();
    let report = report(&written.anchor(), code);
    let sums = sums(&report).into_iter().map(|(_, name, sum)| (name, sum)).collect();
    (sums, report["metric_oddities"].clone())
}

#[test]
fn what_members_of_own_classes_are() {
    let instance = |class: u64| (21, Bytes::new(ORDER).c(7).c(class).c(1).raw(&[0]).c(1));
    let named = |id, name| (19, named(id, name));
    let x = |sum| ("\"x\"".to_owned(), sum);
    let y = |sum| ("\"y\"".to_owned(), sum);
    // Those of a class of the trace are the trace's, whatever the location calls its own.
    let (found, _) = sums_of(7, &[20], &[named(2, 9), instance(0)], 0);
    assert_eq!(found, [x(1020)]);
    // One stands for all that say the same, also where it is the trace's.
    let (found, _) = sums_of(4, &[20], &[(20, class(4, &[3]))], 0);
    assert_eq!(found, [x(1020)]);
    // Two of one class have values of their own.
    let (found, _) = sums_of(4, &[20, 3], &[named(5, 9), named(6, 9), (20, class(4, &[5, 6]))], 0);
    assert_eq!(found, [x(1000), y(20), y(3)]);
    let (found, _) = sums_of(4, &[20, 3], &[(20, class(4, &[2, 3]))], 0);
    assert_eq!(found, [x(1020), x(3)]);
    // In whatever order, and whoever of both defines them.
    let (found, _) = sums_of(4, &[20, 3], &[(20, class(4, &[3, 2]))], 0);
    assert_eq!(found, [x(1003), x(20)]);
    let both = [(10, Bytes::new(ORDER).c(8).string("x")), named(7, 8), (20, class(4, &[7, 3]))];
    let (found, _) = sums_of(4, &[20, 3], &both, 0);
    assert_eq!(found, [x(1003), x(20)]);
    // Without a name nobody can say which one it is.
    let (found, oddities) = sums_of(4, &[20], &[named(2, 77), (20, class(4, &[2]))], 3);
    assert_eq!((found, &oddities["undefined_members"]), (vec![x(1000)], &json!(2)));
}

/// Numbers of our own are not those of what nobody defines.
#[test]
fn metrics_that_nobody_defines_are_none_of_another_location() {
    let own = [(10, Bytes::new(ORDER).c(9).string("y")), (19, named(2, 9)), (20, class(4, &[2]))];
    let locations = [visit(0xffff_fffe, &[1], &[]), visit(4, &[20], &own)];
    let [one, other] = locations;
    for files in [vec![one.clone(), other.clone()], vec![other, one]] {
        let definitions = Definitions::new(ORDER).region(0).location(0, 0).location(1, 0);
        let report = report(&Small::with(ORDER, definitions, files).write().anchor(), 3);
        assert_eq!(sums(&report), [(0, "\"y\"".to_owned(), 20)]);
        assert_eq!(oddity(&report, "undefined"), 2);
    }
}
