//! The profile of real archives against counts and sums that an independent script made with the
//! reference library (`facts.json`).

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::run::report;
use crate::common::archives::{
    facts, large, large_folders, one, own, traces_folder, Archive, LARGE,
};
use crate::common::program::streamfold;
use crate::common::sums::operations;
use serde_json::Value;

/// The report by the numbers of regions, as facts are.
fn report_by_id(anchor: &Path) -> (Value, i32) {
    report(anchor, &["--by-id"])
}

/// The elements of a list, by their reference.
fn by_reference<'a>(list: &'a Value, reference: &str) -> BTreeMap<u64, &'a Value> {
    let elements = list.as_array().expect("a list").iter();
    let entry = |element: &'a Value| (element[reference].as_u64().expect("a reference"), element);
    let all: BTreeMap<_, _> = elements.map(entry).collect();
    assert_eq!(all.len(), list.as_array().unwrap().len(), "a {reference} stands there twice");
    all
}

/// Collects what differs, so that one run shows all of it.
#[derive(Default)]
struct Differences(Vec<String>);

impl Differences {
    fn expect(&mut self, what: &str, found: &Value, expected: &Value) {
        if found != expected {
            self.0.push(format!("{what}: found {found}, expected {expected}"));
        }
    }

    fn assert_none(self, archive: &str) {
        assert!(self.0.is_empty(), "{archive}: {} differ:\n{}", self.0.len(), self.0.join("\n"));
    }
}

/// The sum of one number of all rows.
fn sum(rows: &Value, field: &str) -> u64 {
    let rows = rows.as_array().expect("rows").iter();
    rows.map(|row| row[field].as_u64().expect("a count")).sum()
}

fn number(number: u64) -> Value {
    Value::from(number)
}

/// Compares everything that both know.
fn compare(report: &Value, facts: &Value) -> Differences {
    let mut differences = compare_but_metrics(report, facts);
    compare_metrics(&mut differences, report, facts);
    differences
}

fn compare_but_metrics(report: &Value, facts: &Value) -> Differences {
    let mut differences = Differences::default();
    let d = &mut differences;
    d.expect("ticks", &report["units"]["ticks_per_second"], &facts["clock"]["timer_resolution"]);
    d.expect("events", &report["total"]["events"], &facts["events_total"]);
    let anchor = &facts["anchor"];
    d.expect("trace", &report["provenance"]["trace_identifier"], &anchor["trace_id"]);
    d.expect("creator", &report["provenance"]["creator"], &anchor["creator"]);
    compare_regions(d, report, facts);
    compare_locations(d, report, facts);
    compare_traffic(d, &report["total"], facts);
    compare_accesses(d, &report["total"], facts);
    // `leaves` are events: all that end a visit, and those of regions that are not open.
    let unmatched = report["oddities"]["unmatched"].as_u64().expect("a count");
    let ended = report["total"]["closed"].as_u64().expect("a count") + unmatched;
    d.expect("leaves", &number(ended), &number(sum(&facts["regions"], "leaves")));
    differences
}

fn compare_regions(d: &mut Differences, report: &Value, facts: &Value) {
    let rows = report["regions"].as_array().expect("rows").iter();
    let regions = rows.filter(|row| row["kind"] == "region").cloned().collect();
    let found = by_reference(&regions, "region");
    let expected = by_reference(&facts["regions"], "ref");
    let away = time_away(report);
    let names = |regions: &BTreeMap<u64, _>| regions.keys().copied().collect::<Vec<_>>();
    d.expect("regions", &names(&found).into(), &names(&expected).into());
    for (reference, expected) in expected {
        let Some(found) = found.get(&reference) else { continue };
        let exclusive = found["exclusive"].as_u64().expect("ticks");
        let exclusive = exclusive + away.get(&reference).copied().unwrap_or(0);
        // Visits that outlive the one around them have no end to the facts: `definitions_that_say_the_same_add_up`.
        let is_late = ["Working", "EZTrace finalize", "TRACER_Loop", "TRACER_WallTime_Loop"]
            .contains(&expected["name"].as_str().unwrap_or(""));
        if is_late && report["oddities"]["late"] != 0 {
            continue;
        }
        let what = format!("region {reference}, exclusive");
        d.expect(&what, &number(exclusive), &expected["excl"]);
        let mut expect = |ours: &str, theirs: &str| {
            let what = format!("region {reference}, {ours}");
            d.expect(&what, &found[ours], &expected[theirs]);
        };
        expect("visits", "visits");
        expect("inclusive", "incl");
        expect("outer", "incl_outer");
        if expected["name"].is_null() {
            let name = format!("<undefined region {reference}>");
            d.expect("name of no region", &found["name"], &name.into());
        } else {
            ["name", "paradigm"].into_iter().for_each(|field| expect(field, field));
            let role = match &found["role"] {
                Value::Number(unknown) => Value::from(format!("UNKNOWN({unknown})")),
                known => known.clone(),
            };
            d.expect(&format!("region {reference}, role"), &role, &expected["role"]);
        }
    }
}

/// The time in each region in which recording was off or the buffer was written out. To the facts
/// that is time of the region, since they know enters and leaves only; the profile shows it apart.
fn time_away(report: &Value) -> BTreeMap<u64, u64> {
    let paths = report["paths"].as_array().expect("paths");
    let mut away = BTreeMap::new();
    for path in paths.iter().filter(|path| path["kind"] == "off" || path["kind"] == "flush") {
        let Some(above) = path["parent"].as_u64() else { continue };
        let region = paths[above as usize]["region"].as_u64().expect("no parameters are asked for");
        *away.entry(region).or_default() += path["exclusive"].as_u64().expect("ticks");
    }
    away
}

fn compare_locations(d: &mut Differences, report: &Value, facts: &Value) {
    let found = by_reference(&report["locations"], "location");
    let expected = by_reference(&facts["locations"], "ref");
    let names = |locations: &BTreeMap<u64, _>| locations.keys().copied().collect::<Vec<_>>();
    d.expect("locations", &names(&found).into(), &names(&expected).into());
    for (reference, expected) in expected {
        let Some(found) = found.get(&reference) else { continue };
        let mut expect = |field: &str, found: &Value, expected: &Value| {
            d.expect(&format!("location {reference}, {field}"), found, expected);
        };
        for field in ["name", "type", "group", "group_name", "events", "first", "last", "max_depth"]
        {
            expect(field, &found[field], &expected[field]);
        }
        let oddity = |name: &str| found["oddities"][name].as_u64().expect("a count");
        let stack_errors = oddity("crossed") + oddity("unmatched") + oddity("late");
        expect("open", &number(oddity("open")), &expected["open_at_end"]);
        expect("stack errors", &number(stack_errors), &expected["stack_errors"]);
        expect("dropped", &number(oddity("dropped")), &expected["dropped"]);
        expect("backward", &number(oddity("backward")), &expected["backward_steps"]);
    }
}

/// Point-to-point messages and collective operations of all communicators together. A collective
/// operation is an `MpiCollectiveEnd` or a `NonBlockingCollectiveComplete`; creating and destroying
/// a handle (of a communicator, a window, a file) is one like any other.
fn compare_traffic(d: &mut Differences, total: &Value, facts: &Value) {
    let communicators = |kind: &str| -> Vec<&Value> {
        facts[kind].as_object().map(|all| all.values().collect()).unwrap_or_default()
    };
    for (ours, theirs) in [
        ("sent", "sends"),
        ("bytes_sent", "send_bytes"),
        ("received", "recvs"),
        ("bytes_received", "recv_bytes"),
    ] {
        let sum = communicators("p2p").iter().map(|c| c[theirs].as_u64().expect("a count")).sum();
        d.expect(ours, &total[ours], &number(sum));
    }
    let operations: Vec<&Vec<Value>> = communicators("collectives")
        .iter()
        .flat_map(|comm| comm.as_object().expect("operations").values())
        .filter_map(Value::as_array) // the name of the communicator is none
        .collect();
    for (i, ours) in
        ["collectives", "collective_bytes_sent", "collective_bytes_received"].iter().enumerate()
    {
        let sum = operations.iter().map(|operation| operation[i].as_u64().expect("a count")).sum();
        d.expect(ours, &total[ours], &number(sum));
    }
}

/// Counts and bytes of the operations of one kind, in the facts' lists of all windows.
fn accesses(facts: &Value, kind: &str) -> [u64; 2] {
    let windows = facts["rma"].as_object().into_iter().flatten().map(|(_, window)| window);
    let all = windows.flat_map(|window| window.as_object().expect("operations"));
    let mut sums = [0; 2];
    for (_, operation) in all.filter(|(name, _)| name.split(' ').next() == Some(kind)) {
        for (sum, number) in sums.iter_mut().zip(operation.as_array().expect("two numbers")) {
            *sum += number.as_u64().expect("a number");
        }
    }
    sums
}

/// Accesses to the memory of others, and operations on files. Of atomic and collective accesses the
/// facts have the bytes of both directions together.
fn compare_accesses(d: &mut Differences, total: &Value, facts: &Value) {
    let of = |field: &str| total[field].as_u64().expect("a number");
    let [put, get, atomic, collective] =
        ["Put", "Get", "Atomic", "CollectiveEnd"].map(|kind| accesses(facts, kind));
    d.expect("rma", &number(of("rma")), &number(put[0] + get[0] + atomic[0] + collective[0]));
    let both_ways = atomic[1] + collective[1];
    let bytes = of("bytes_put") + of("bytes_got");
    d.expect("bytes of rma", &number(bytes), &number(put[1] + get[1] + both_ways));
    if both_ways == 0 {
        d.expect("bytes_put", &number(of("bytes_put")), &number(put[1]));
        d.expect("bytes_got", &number(of("bytes_got")), &number(get[1]));
    }
    let io = |i: usize| facts["io"]["Complete"][i].as_u64().unwrap_or(0);
    d.expect("io", &number(of("io")), &number(io(0)));
    // The facts have the bytes of all operations, those that neither read nor write, too.
    if facts["io"]["Begin FLUSH"].is_null() {
        let bytes = of("bytes_read") + of("bytes_written");
        d.expect("bytes of io", &number(bytes), &number(io(1)));
    }
}

/// Number, smallest and largest of the recorded values, of each metric; also the last one of a series
/// that one location recorded. The facts stand under the number of the class or instance and the
/// place in it; metrics that are not defined have no name there, and their records are counted.
fn compare_metrics(d: &mut Differences, report: &Value, facts: &Value) {
    let facts = facts["metrics"].as_object().cloned().unwrap_or_default();
    let mut expected: BTreeMap<&str, (u64, f64, f64)> = BTreeMap::new();
    let mut undefined = BTreeMap::new();
    for (key, of) in &facts {
        let count = of[2].as_u64().expect("a count");
        let value = |i: usize| of[i].as_f64().expect("a number");
        let Some(name) = of[0].as_str() else {
            let (metric, _) = key.split_once('.').expect("a metric and a place");
            undefined.insert(metric, count);
            continue;
        };
        let all = expected.entry(name).or_insert((0, f64::INFINITY, f64::NEG_INFINITY));
        *all = (all.0 + count, all.1.min(value(4)), all.2.max(value(5)));
    }
    let found = report["metrics"].as_array().into_iter().flatten().map(|metric| {
        let records = &metric["records"];
        let value = |name: &str| records[name].as_f64().expect("a number");
        let name = metric["name"].as_str().expect("a name");
        (name, (records["count"].as_u64().expect("a count"), value("min"), value("max")))
    });
    let (found, expected) = (found.collect::<BTreeMap<_, _>>(), expected);
    if found != expected {
        d.0.push(format!("metrics: found {found:?}, expected {expected:?}"));
    }
    let records = undefined.values().sum();
    let lost = report["metric_oddities"]["undefined"].as_u64().unwrap_or(0);
    d.expect("records of metrics that are not defined", &number(lost), &number(records));
    for series in report["series"].as_array().into_iter().flatten() {
        let key = format!("{}.{}", series["metric"], series["position"]);
        let of = &facts[&key];
        if series["count"] == of[2] {
            d.expect(&format!("last of series {key}"), &series["last"], &of[6]);
            d.expect(&format!("least of series {key}"), &series["min"], &of[4]);
            d.expect(&format!("most of series {key}"), &series["max"], &of[5]);
        }
    }
    compare_sums_of_values(d, report, &facts);
}

/// Sums of absolute metrics. Those of floating-point values were added one after the other there, so
/// their last digits are rounded.
fn compare_sums_of_values(
    d: &mut Differences,
    report: &Value,
    facts: &serde_json::Map<String, Value>,
) {
    for metric in report["metrics"].as_array().into_iter().flatten() {
        let total = &metric["total"]["values"];
        let absolute = metric["mode"].as_str().expect("a mode").starts_with("ABSOLUTE");
        let same_name = facts.values().filter(|of| of[0] == metric["name"]);
        let counts: u64 = same_name.clone().map(|of| of[2].as_u64().expect("a count")).sum();
        if !absolute || total["count"] != counts {
            continue;
        }
        let expected: f64 = same_name.map(|of| of[3].as_f64().expect("a sum")).sum();
        let found = total["sum"].as_f64().expect("a sum");
        if (found - expected).abs() > expected.abs() * 1e-14 {
            d.0.push(format!("sum of {}: found {found}, expected {expected}", metric["name"]));
        }
    }
}

#[test]
fn the_archives_of_this_repository_yield_the_facts() {
    for archive in own() {
        let (report, code) = report_by_id(&archive.anchor);
        compare(&report, &archive.facts()).assert_none(&archive.name);
        assert_eq!(code, 0, "{}", archive.name);
    }
}

/// `synthetic-ununified-6` is among them. Its events refer to definitions that only their locations
/// have, under numbers of their own. So regions of the same number at different locations fall
/// together, as they do in its facts: rows of numbers without names are what both can give, and
/// what is lost is told (exit code 3). Its times and counts are right all the same.
#[test]
fn the_archives_of_the_large_set_yield_the_facts() {
    for archive in large() {
        let (report, code) = report_by_id(&archive.anchor);
        compare(&report, &archive.facts()).assert_none(&archive.name);
        let ununified = archive.name == "synthetic-ununified-6";
        assert_eq!(code, if ununified { 3 } else { 0 }, "{}", archive.name);
    }
}

/// Kernels run on streams of an accelerator and nowhere else; copies between host and device are
/// accesses there to the memory of others.
#[test]
fn accelerators_have_their_kernels_and_copies() {
    let Some(folder) = large_folders(&["scorep8-opencl-streams"]).pop() else { return };
    let (facts, anchor) = (facts(&folder.join("facts.json")), folder.join("traces.otf2"));
    let command = ["profile", "--quiet", "--format", "json", "--group", "OpenCL Context 0"];
    let command = command.map(AsRef::as_ref).into_iter().chain([anchor.as_os_str()]);
    let output = streamfold(command).output().expect("a run");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    let locations = report["locations"].as_array().expect("locations");
    assert!(locations.iter().all(|row| row["type"] == "ACCELERATOR_STREAM"), "{locations:?}");
    assert_eq!(locations.len(), 2);
    let kernels = report["regions"].as_array().expect("regions");
    let expected = by_reference(&facts["regions"], "ref");
    let mut names: Vec<_> = kernels.iter().map(|row| row["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["$scale", "$vadd"]);
    for row in kernels {
        let facts = expected[&row["region"].as_u64().expect("a reference")];
        assert_eq!(row["visits"], facts["visits"], "{row}");
        assert_eq!(row["inclusive"], facts["incl"], "{row}");
    }
    let mut differences = Differences::default();
    compare_accesses(&mut differences, &report["total"], &facts);
    differences.assert_none("scorep8-opencl-streams");
}

#[test]
fn no_archive_of_the_large_set_is_forgotten() {
    let Ok(entries) = fs::read_dir(traces_folder().join("otf2")) else {
        return crate::common::skipped("looking for archives of the large set that have no test");
    };
    for path in entries.map(|entry| entry.expect("a folder's entry").path()) {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let is_case = path.join("facts.json").exists();
        assert!(!is_case || LARGE.contains(&&*name), "{name} has no test");
    }
}

/// Definitions that were never unified give the profile of those that were: what a right unification
/// yields, metrics included. Only the numbers are free.
#[test]
fn definitions_that_were_not_unified_give_the_facts_of_unified_ones() {
    let Some(folder) = large_folders(&["synthetic-ununified-6"]).pop() else { return };
    let (mut report, code) = report(&Archive::find(&folder).expect("an anchor").anchor, &[]);
    let unified = facts(&folder.join("facts-unified.json"));
    let references: BTreeMap<String, Value> = unified["regions"]
        .as_array()
        .expect("regions")
        .iter()
        .map(|region| (region["name"].to_string(), region["ref"].clone()))
        .collect();
    assert_eq!(references.len(), 82, "each name stands for one region");
    for row in report["regions"].as_array_mut().expect("rows") {
        row["region"] = references[&row["name"].to_string()].clone();
    }
    // The unified archive is another one.
    report["provenance"]["trace_identifier"] = unified["anchor"]["trace_id"].clone();
    compare(&report, &unified).assert_none("synthetic-ununified-6");
    assert_eq!(report["metrics"].as_array().map(Vec::len), Some(3));
    assert_eq!(code, 0);
}

/// Every rank of this run has its own definition of each region.
#[test]
fn definitions_that_say_the_same_add_up() {
    let Some(folder) = large_folders(&["eztrace-mpi-p2p-coll-intercomm"]).pop() else { return };
    let archive = Archive::find(&folder).expect("an anchor");
    let (report, code) = report(&archive.anchor, &[]);
    assert_eq!(code, 0);
    let mut expected: BTreeMap<String, [u64; 5]> = BTreeMap::new();
    for region in archive.facts()["regions"].as_array().expect("regions") {
        let sums = expected.entry(region["name"].to_string()).or_insert([u64::MAX, 0, 0, 0, 0]);
        let number = |field: &str| region[field].as_u64().expect("a number");
        sums[0] = sums[0].min(number("ref"));
        for (sum, field) in sums[1..].iter_mut().zip(["visits", "incl", "incl_outer", "excl"]) {
            *sum += number(field);
        }
    }
    let rows = report["regions"].as_array().expect("rows").iter();
    let found = rows.map(|row| {
        let numbers = ["region", "visits", "inclusive", "outer", "exclusive"];
        (row["name"].to_string(), numbers.map(|field| row[field].as_u64().expect("a number")))
    });
    // Three processes leave "Working" inside of "EZTrace finalize", which goes on: to the facts it has no end then.
    let finalize = expected.get_mut("\"EZTrace finalize\"").expect("a region");
    let late = (35639572 - 35638991) + (35802088 - 35801077) + (45086676 - 45085775);
    finalize[2..].iter_mut().for_each(|ticks| *ticks += late);
    let working = expected.get_mut("\"Working\"").expect("a region");
    working[4] -= (35639201 - 35638991) + (35801627 - 35801077) + (45086085 - 45085775);
    assert_eq!(found.collect::<BTreeMap<_, _>>(), expected);
    assert_eq!(expected.len(), 22);
}

/// The processes were killed: event files end within a record, and all definitions come from
/// another run. What stands before the cut counts, and the cut of each file is told.
#[test]
fn a_crashed_run_yields_all_that_was_written() {
    let Some(crashed) = Crashed::find() else { return };
    let (report, code) = report(&crashed.anchor(), &[]);
    assert_eq!(code, 3);
    let losses = report["provenance"]["losses"].as_array().expect("losses");
    assert_eq!(losses.len(), 2, "{losses:?}");
    for (loss, file) in losses.iter().zip(["0.evt", "1.evt"]) {
        assert!(loss.as_str().unwrap().contains(file), "{loss} names {file}");
    }
    // The reference merges by time and ends at the cut of location 0, so it has not seen all of
    // location 1.
    assert_eq!(crashed.events(&report, 0), crashed.events_of_reference(0));
    assert!(crashed.events(&report, 1) > crashed.events_of_reference(1));
}

/// Where location 1 ends with the last event that the reference reached, all facts are met.
#[test]
fn a_crashed_run_yields_the_facts_up_to_where_the_reference_ends() {
    let Some(crashed) = Crashed::find() else { return };
    let path = crashed.folder.path().join("traces/1.evt");
    let all = fs::read(&path).expect("events");
    let report_of_first = |bytes: usize| {
        fs::write(&path, &all[..bytes]).expect("cut");
        report(&crashed.anchor(), &[]).0
    };
    let (mut few, mut enough) = (0, all.len());
    while few + 1 < enough {
        let middle = (few + enough) / 2;
        let found = crashed.events(&report_of_first(middle), 1);
        *(if found < crashed.events_of_reference(1) { &mut few } else { &mut enough }) = middle;
    }
    compare(&report_of_first(enough), &crashed.facts).assert_none("crashed-scorep8-comd");
}

/// The archive of a crashed run, put together with definitions of a finished one.
struct Crashed {
    folder: tempfile::TempDir,
    facts: Value,
}

impl Crashed {
    fn find() -> Option<Crashed> {
        let crashed = large_folders(&["crashed-scorep8-comd"]).pop()?;
        let folder = tempfile::tempdir().expect("a temporary folder");
        crate::common::copy_folder(&crashed.join("donor"), folder.path());
        crate::common::copy_folder(&crashed.join("traces"), &folder.path().join("traces"));
        let facts = facts(&crashed.join("facts-with-donor-definitions.json"));
        Some(Crashed { folder, facts })
    }

    fn anchor(&self) -> std::path::PathBuf {
        self.folder.path().join("traces.otf2")
    }

    /// How many events of a location a report has.
    fn events(&self, report: &Value, location: u64) -> u64 {
        let found = by_reference(&report["locations"], "location");
        found.get(&location).map_or(0, |row| row["events"].as_u64().expect("a count"))
    }

    /// How many events of a location the reference has read.
    fn events_of_reference(&self, location: u64) -> u64 {
        let found = by_reference(&self.facts["locations"], "ref");
        found[&location]["events"].as_u64().expect("a count")
    }
}

/// The exclusive values of all call paths together are those of all locations.
#[test]
fn metrics_of_paths_sum_up_to_those_of_locations() {
    let mut compared = 0;
    for archive in own() {
        let (report, _) = report(&archive.anchor, &[]);
        let sums = |list: &str, part: &str| -> BTreeMap<String, u64> {
            let rows = report[list].as_array().expect("rows").iter();
            let metrics = rows.flat_map(|row| row["metrics"].as_array().into_iter().flatten());
            let mut sums = BTreeMap::new();
            for metric in metrics.filter(|metric| metric["kind"] == "difference") {
                let of = if part.is_empty() { metric } else { &metric[part] };
                // Floating-point sums are rounded at the end only, so they cannot be added.
                if let Some(sum) = of["sum"].as_u64() {
                    *sums.entry(metric["name"].to_string()).or_default() += sum;
                }
            }
            sums
        };
        let expected = sums("locations", "");
        compared += expected.len();
        assert_eq!(sums("groups", ""), expected, "{}", archive.name);
        assert_eq!(sums("paths", "exclusive"), expected, "{}", archive.name);
        assert_eq!(sums("regions", "exclusive"), expected, "{}", archive.name);
    }
    assert!(compared >= 7, "{compared} metrics");
}

/// `total` is the sum of the paths, regions sum their paths, groups their locations; `total` has
/// the traffic of the locations themselves, too.
#[test]
fn the_parts_of_a_report_sum_up_to_each_other() {
    for archive in own() {
        let (report, _) = report(&archive.anchor, &[]);
        let sum = |list: &str, field: &str| sum(&report[list], field);
        let total = |field: &str| report["total"][field].as_u64().expect("a count");
        // Visits of other kinds are none of the total; their time is time all the same.
        let visits = |list: &str, field: &str| -> u64 {
            let rows = report[list].as_array().expect("rows").iter();
            let rows = rows.filter(|row| row["kind"].is_null() || row["kind"] == "region");
            rows.map(|row| row[field].as_u64().expect("a count")).sum()
        };
        for field in ["visits", "closed", "inclusive"] {
            for list in ["regions", "paths", "groups", "locations"] {
                assert_eq!(visits(list, field), total(field), "{}: {list}, {field}", archive.name);
            }
        }
        for list in ["regions", "paths"] {
            let exclusive = sum(list, "exclusive");
            assert_eq!(exclusive, total("exclusive"), "{}: {list}", archive.name);
        }
        for list in ["groups", "locations"] {
            assert_eq!(sum(list, "inside"), total("exclusive"), "{}: {list}", archive.name);
            assert_eq!(sum(list, "events"), total("events"), "{}: {list}", archive.name);
        }
        for field in operations().iter().copied() {
            assert_eq!(sum("locations", field), total(field), "{}: {field}", archive.name);
            assert_eq!(sum("groups", field), total(field), "{}: {field}", archive.name);
            let outside = report["total"]["outside_regions"][field].as_u64().expect("a count");
            let inside = sum("paths", field);
            assert_eq!(inside + outside, total(field), "{}: {field}", archive.name);
            assert_eq!(sum("regions", field), inside, "{}: {field}", archive.name);
        }
    }
}

/// A stream that is not there, one that is cut and one whose definitions are damaged: the rest of
/// the trace comes out as it is, and each loss is told once.
#[test]
fn what_is_lost_is_told_and_the_rest_is_right() {
    let archive = one("intercomm");
    let folder = tempfile::tempdir().expect("a temporary folder");
    crate::common::copy_folder(&archive.folder, folder.path());
    let file = |name: &str| folder.path().join("traces").join(name);
    fs::remove_file(file("0.evt")).expect("removed");
    let events = fs::read(file("1.evt")).expect("events");
    fs::write(file("1.evt"), &events[..events.len() / 2]).expect("cut");
    let definitions = fs::read(file("2.def")).expect("definitions");
    fs::write(file("2.def"), &definitions[..definitions.len() / 2]).expect("damaged");
    let (report, code) = report(&folder.path().join("traces.otf2"), &[]);
    assert_eq!(code, 3);
    let losses = report["provenance"]["losses"].as_array().expect("losses");
    assert_eq!(losses.len(), 3, "{losses:?}");
    for (loss, name) in losses.iter().zip(["0.evt", "1.evt", "2.def"]) {
        assert!(loss.as_str().unwrap().contains(name), "{loss} names {name}");
    }
    let facts = archive.facts();
    let expected = by_reference(&facts["locations"], "ref");
    let found = by_reference(&report["locations"], "location");
    assert!(found[&1]["events"].as_u64() < expected[&1]["events"].as_u64());
    assert!(found[&1]["events"].as_u64() > Some(0));
    assert_eq!(found[&3]["events"], expected[&3]["events"]);
    // Nothing is said of those of which nothing could be read.
    assert_eq!(found.keys().copied().collect::<Vec<_>>(), [1, 3]);
}
