//! Metrics in their units, and metrics that follow from others.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::archives::{large_folders, one, Archive};
use crate::common::program::{on_ranks, said, streamfold, text};
use crate::common::small::{Bytes, Definitions, Files, Order, Small};

const MISSES: &str = "misses=1000 * PAPI_L2_TCM / PAPI_TOT_CYC";
const BOTH: &str = "both=(PAPI_L2_TCM + PAPI_BR_MSP) * 2 - \"PAPI_BR_MSP\" / 4";

fn output(anchor: &Path, args: &[&str]) -> String {
    let output = streamfold(["profile", "-q"]).args(args).arg(anchor).output().expect("a run");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    text(output.stdout)
}

fn rows(anchor: &Path, args: &[&str]) -> Vec<BTreeMap<String, String>> {
    let text = output(anchor, &[args, &["--format", "csv"]].concat());
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().collect::<Result<_, _>>().expect("rows")
}

fn float(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("no {column}: {row:?}"))
}

fn is_near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs()
}

/// The counters at the enter and at the leave of the only visit of `main` of each location, from printed records.
fn of_main(anchor: &Path) -> [u64; 4] {
    let output = streamfold(["print", "-q", "--json"]).arg(anchor).output().expect("a run");
    let mut last: BTreeMap<u64, [u64; 3]> = BTreeMap::new();
    let mut begin: BTreeMap<u64, ([u64; 3], u64)> = BTreeMap::new();
    let mut sums = [0; 4];
    for line in text(output.stdout).lines() {
        let event: Value = serde_json::from_str(line).expect("JSON");
        let number = |value: &Value| value.as_u64().expect("a number");
        let (location, time) = (number(&event["location"]), number(&event["time"]));
        if event["record"] == "Metric" {
            let values = event["metric_values"].as_array().expect("values");
            let values: Vec<u64> = values.iter().map(number).collect();
            last.insert(location, values.try_into().expect("three"));
        } else if event["region_name"] == "int main(int, char**)" {
            let values = last[&location];
            if event["record"] == "Enter" {
                begin.insert(location, (values, time));
            } else {
                let (before, entered) = begin[&location];
                (0..3).for_each(|i| sums[i] += values[i] - before[i]);
                sums[3] += time - entered;
            }
        }
    }
    sums
}

#[test]
fn what_is_asked_for_is_computed_from_printed_values() {
    let anchor = one("pingpong").anchor;
    let [cycles, l2, branches, ticks] = of_main(&anchor).map(|number| number as f64);
    let args = ["--metric", MISSES, "--metric", BOTH];
    let regions = rows(&anchor, &args);
    let main = regions.iter().find(|row| row["name"].starts_with("int main")).expect("main");
    assert!(is_near(float(main, "misses_incl"), 1000.0 * l2 / cycles));
    assert!(is_near(float(main, "both_incl"), (l2 + branches) * 2.0 - branches / 4.0));
    let rate = cycles / (ticks / float(main, "ticks_per_second"));
    assert!(is_near(float(main, "cycles_per_second_incl"), rate));
    // All rows follow from the columns beside them.
    for row in &regions {
        for part in ["incl", "excl"] {
            let of = |name: &str| float(row, &format!("{name}_{part}"));
            assert!(is_near(of("misses"), 1000.0 * of("PAPI_L2_TCM") / of("PAPI_TOT_CYC")));
        }
    }
    for by in ["location", "group"] {
        for row in rows(&anchor, &[&["--by", by][..], &args].concat()) {
            let of = |name: &str| float(&row, &format!("{name}_inside"));
            let misses = 1000.0 * of("PAPI_L2_TCM") / of("PAPI_TOT_CYC");
            assert!(is_near(float(&row, "misses"), misses));
        }
    }
    let whole = rows(&anchor, &[&["--by", "metric"][..], &args].concat());
    let derived: Vec<_> = whole.iter().filter(|row| row["kind"] == "derived").collect();
    let names: Vec<&str> = derived.iter().map(|row| row["name"].as_str()).collect();
    assert_eq!(names, ["misses", "both", "cycles_per_second"]);
    assert!(is_near(float(derived[0], "mean"), 1000.0 * l2 / cycles));
}

#[test]
fn json_has_what_csv_has() {
    let anchor = one("pingpong").anchor;
    let args = ["--metric", MISSES];
    let report = output(&anchor, &[&args[..], &["--format", "json"]].concat());
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let derived = report["derived"].as_array().expect("a list");
    assert_eq!(derived[0]["expression"], "1000 * PAPI_L2_TCM / PAPI_TOT_CYC");
    let regions = rows(&anchor, &args);
    for row in report["regions"].as_array().expect("rows") {
        let same = regions.iter().find(|other| row["name"] == other["name"].as_str());
        let of = &row["derived"][0];
        let same = same.expect("the region");
        assert_eq!(of["inclusive"].as_f64(), Some(float(same, "misses_incl")));
        assert_eq!(of["exclusive"].as_f64(), Some(float(same, "misses_excl")));
    }
    let said = report["provenance"]["options"].to_string();
    assert!(said.contains("misses=1000"), "{said}");
}

#[test]
fn ranks_give_the_same_bytes() {
    let anchor = one("pingpong").anchor;
    let path = anchor.to_str().expect("a path");
    for by in ["region", "callpath", "metric", "location"] {
        for format in ["table", "csv", "json"] {
            let args = ["--by", by, "--format", format, "--metric", MISSES];
            let alone = output(&anchor, &args);
            let args = [&["profile", "-q"][..], &args, &[path]].concat();
            // Three are processes, which take long to start.
            let count = if format == "csv" { 3 } else { 2 };
            let Some(ranks) = on_ranks(count, args) else { continue };
            assert_eq!(ranks.status.code(), Some(0), "{}", said(&ranks));
            assert_eq!(text(ranks.stdout), alone, "{by}, {format}");
        }
    }
}

#[test]
fn mistakes_are_told() {
    let anchor = one("pingpong").anchor;
    let failed = |args: &[&str]| {
        let output = streamfold(["profile", "-q"]).args(args).arg(&anchor).output();
        let output = output.expect("a run");
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        said(&output)
    };
    let text = failed(&["--metric", "ipc=PAPI_TOT_INS/PAPI_TOT_CYC"]);
    assert!(text.contains("no metric PAPI_TOT_INS"), "{text}");
    assert!(text.contains("it has PAPI_BR_MSP, PAPI_L2_TCM, PAPI_TOT_CYC"), "{text}");
    assert!(failed(&["--metric", "PAPI_TOT_CYC"]).contains("NAME=EXPRESSION"));
    assert!(failed(&["--metric", "x=(1"]).contains("a ) is missing"));
    assert!(failed(&["--metric", "x=1", "--metric", "x=2"]).contains("given twice"));
    assert!(failed(&["--metric", "PAPI_TOT_CYC=1"]).contains("already"));
    assert!(failed(&["--metric", "x=1", "--by", "process"]).contains("--metric is for rows"));
}

/// Three series of a location, second by second: millijoules that add up, with an exponent of 3, some that add up and
/// become fewer, and percents that only grow; all are accumulated.
#[test]
fn counters_are_what_only_grows() {
    const UINT64: u8 = 4;
    let mut definitions = Definitions::new(Order::Little).string(2, "mJ").string(3, "%");
    for (id, unit, exponent) in [(0, 2, 3), (1, 2, 0), (2, 3, 0)] {
        let payload = definitions.bytes.payload().c(id).c(1).c(0).raw(&[0, 0, UINT64, 1]);
        definitions = definitions.record(19, payload.c(exponent).c(unit));
    }
    let class = definitions.bytes.payload().c(0).raw(&[3]).c(0).c(1).c(2).raw(&[2, 2]);
    let definitions = definitions.record(20, class).location(0, 0);
    let values = [[7000, 5, 10], [7001, 9, 20], [7006, 4, 30]];
    let events = (0..).zip(values).fold(
        Bytes::new(Order::Little).header(),
        |bytes, (second, values): (u64, [u64; 3])| {
            let payload = bytes.payload().c(0).raw(&[3]);
            let one = |payload: Bytes, value: u64| payload.raw(&[UINT64]).c(value);
            let payload = values.into_iter().fold(payload, one);
            bytes.time(second * 1_000_000_000).record(31, payload)
        },
    );
    let files = vec![Files { events: Some(events.end().bytes), definitions: None }];
    let written = Small::with(Order::Little, definitions, files).write();
    let rows = rows(&written.anchor(), &["--by", "metric"]);
    let rows: Vec<_> = rows.iter().filter(|row| row["kind"] == "series").collect();
    let columns = ["shape", "growth", "per_second", "si_unit", "si_scale"];
    let found: Vec<_> = rows.iter().map(|row| columns.map(|column| row[column].as_str())).collect();
    let expected = [
        ["counter", "6", "3.0", "J", "1.0"],
        ["gauge", "", "", "J", "0.001"],
        ["gauge", "", "", "%", "1.0"],
    ];
    assert_eq!(found, expected);
    let table = output(&written.anchor(), &["--by", "metric"]);
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = table.lines().map(words).collect();
    for begin in [
        "counter 3 6.000 J 3.000 W",
        "gauge 3 4.000 mJ 6.750 mJ 9.000 mJ 4.000 mJ",
        "gauge 3 10.00 % 20.00 % 30.00 % 30.00 %",
    ] {
        assert!(lines.iter().any(|line| line.starts_with(begin)), "{begin} in {table}");
    }
}

fn sensors() -> Option<PathBuf> {
    let folders = large_folders(&["scorep9-gpu-metrics"]);
    Some(Archive::find(folders.first()?)?.anchor)
}

/// Score-P says of all sensors that they add up and that they are counts. Power and energy of a device agree.
#[test]
fn sensors_have_their_units() {
    let Some(anchor) = sensors() else { return };
    let rows = rows(&anchor, &["--by", "metric"]);
    let find = |name: &str| rows.iter().find(|row| row["name"] == name).expect("the metric");
    for device in 0..4 {
        let energy = find(&format!("A2rocm_smi:::energy_count:device={device}"));
        let power = find(&format!("A2rocm_smi:::current_socket_power:device={device}"));
        assert_eq!((&*energy["shape"], &*energy["si_unit"]), ("counter", "J"));
        assert_eq!((&*power["shape"], &*power["si_unit"]), ("gauge", "W"));
        let growth: u64 = energy["growth"].parse().expect("a number");
        let value = |column: &str| energy[column].parse::<u64>().expect("a number");
        assert_eq!(growth, value("last") - value("first"));
        let seconds =
            (value("last_ticks") - value("first_ticks")) as f64 / float(energy, "ticks_per_second");
        assert!(is_near(float(energy, "per_second"), growth as f64 / seconds));
        let watts = float(energy, "per_second") * float(energy, "si_scale");
        let mean = float(power, "mean") * float(power, "si_scale");
        assert!((watts / mean - 1.0).abs() < 0.05, "{watts} W, {mean} W");
    }
    let busy = find("A2rocm_smi:::busy_percent:device=1");
    assert_eq!((&*busy["shape"], &*busy["si_unit"], &*busy["growth"]), ("gauge", "%", ""));
}

#[test]
fn tables_have_units_of_sensors_and_names_of_locations() {
    let Some(anchor) = sensors() else { return };
    let table = output(&anchor, &["--by", "metric"]);
    let line = |table: &str, words: &str| {
        let line = table.lines().find(|line| line.contains(words)).expect("the line");
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let energy = line(&table, "energy_count:device=0");
    assert!(energy.starts_with("counter 1 740 2.237 kJ 311.3 W faraday"), "{energy}");
    let busy = line(&table, "smi:::busy_percent:device=0");
    assert!(busy.starts_with("gauge 1 740 0 % 49.18 % 100.0 % 1.000 % faraday"), "{busy}");
    let power = line(&table, "current_socket_power:device=0");
    assert!(table.contains("28 metrics have no unit in the trace"), "{table}");
    assert!(power.starts_with("gauge 1 740 2.232 kJ 148.0 W 310.5 W 502.0 W 157.0 W"), "{power}");
    let locations = output(&anchor, &["--by", "location"]);
    assert!(!locations.contains("without a name"), "{locations}");
    assert!(locations.contains("Process · (A2coretemp:::hwmon5:power1_input)"), "{locations}");
    let regions = output(&anchor, &[]);
    assert!(regions.contains("HIP Context 0 · HIP[0:0]"), "{regions}");
    assert!(!regions.contains("128849018880"), "{regions}");
}
