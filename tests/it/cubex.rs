//! Profiles for Cube, read back by a reader that knows the format's description only.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Map, Value};

use crate::common::archives::{data, facts, large, one, own, traces, Archive};
use crate::common::csv::fields;
use crate::common::full_disk::within;
use crate::common::program::{mpirun, on_ranks, said, streamfold, text};
use crate::common::{gunzip, skipped};

const READER: &str = include_str!("cube_reader.py");

/// What the reader finds in a file. `lax`: others may have written it.
fn read(path: &Path, lax: bool) -> Option<Value> {
    let python = std::env::var_os("STREAMFOLD_PYTHON").unwrap_or("python3".into());
    let mut command = Command::new(python);
    command.args(["-c", READER]).arg(path).args(lax.then_some("lax"));
    let Ok(read) = command.output() else {
        skipped("reading files of Cube, there is no Python (STREAMFOLD_PYTHON)");
        return None;
    };
    assert!(read.status.success(), "{}: {}", path.display(), text(&read.stderr));
    Some(serde_json::from_slice(&read.stdout).expect("JSON"))
}

fn run<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> String {
    let run = streamfold(args).output().expect("the program runs");
    assert!(matches!(run.status.code(), Some(0 | 3)), "{}", said(&run));
    text(&run.stdout)
}

/// A profile of Cube and the one in JSON, of the same options.
fn both(archive: &Archive, options: &[&str]) -> Option<(Value, Value)> {
    let folder = tempfile::tempdir().expect("a folder");
    let [cubex, json] = ["p.cubex", "p.json"].map(|name| folder.path().join(name));
    let args = ["profile", "-q"].iter().chain(options).map(OsStr::new);
    let outputs = ["-o".as_ref(), cubex.as_os_str(), "-o".as_ref(), json.as_os_str()];
    run(args.chain(outputs).chain([archive.anchor.as_os_str()]));
    let json = serde_json::from_slice(&fs::read(json).expect("a file")).expect("JSON");
    Some((read(&cubex, false)?, json))
}

/// What a call path has of a metric at each location; nothing where there is no row.
fn row<'c>(cube: &'c Value, metric: &str, cnode: usize) -> Vec<&'c Value> {
    let row = &cube["values"][metric][cnode.to_string()];
    row.as_array().map_or(Vec::new(), |row| row.iter().collect())
}

fn sum(cube: &Value, metric: &str, cnode: usize) -> u64 {
    row(cube, metric, cnode).iter().map(|value| value.as_u64().expect("a count")).sum()
}

/// Times are written in seconds and have to be whole ticks all the same.
fn ticks(value: &Value, resolution: f64) -> i128 {
    (value.as_f64().expect("seconds") * resolution).round() as i128
}

fn resolution(json: &Value) -> f64 {
    json["units"]["ticks_per_second"].as_f64().expect("a number")
}

/// The time of a call path at each location without what it calls.
fn exclusive(cube: &Value, cnode: usize, resolution: f64) -> Vec<i128> {
    let ticks_of = |cnode| -> Vec<i128> {
        row(cube, "time", cnode).into_iter().map(|value| ticks(value, resolution)).collect()
    };
    let mut own = ticks_of(cnode);
    for child in cube["cnodes"][cnode]["children"].as_array().expect("children") {
        let below = ticks_of(child.as_u64().expect("a number") as usize);
        own.iter_mut().zip(below).for_each(|(own, below)| *own -= below);
    }
    own
}

fn assert_traffic(cube: &Value, cnode: usize, json: &Value, what: &str) {
    for (metric, names) in [
        ("bytes_sent", &["bytes_sent", "collective_bytes_sent"][..]),
        ("bytes_received", &["bytes_received", "collective_bytes_received"]),
        ("bytes_put", &["bytes_put"]),
        ("bytes_get", &["bytes_got"]),
        ("io_bytes_read", &["bytes_read"]),
        ("io_bytes_written", &["bytes_written"]),
    ] {
        let count = |name: &&str| json[*name].as_u64().expect("bytes");
        let expected: u64 = names.iter().map(count).sum();
        assert_eq!(sum(cube, metric, cnode), expected, "{what}: {metric}");
    }
}

/// Without parameters the call paths of both are the same ones, in the same order.
fn assert_same(cube: &Value, json: &Value, what: &str) {
    let resolution = resolution(json);
    let paths = json["paths"].as_array().expect("paths");
    let outside = &json["total"]["outside_regions"];
    let metrics = json["metrics"].as_array().into_iter().flatten();
    let has_outside = outside.as_object().is_some_and(|of| of.values().any(|n| *n != 0))
        || metrics.into_iter().any(|of| of["outside_regions"] != Value::Object(Map::new()));
    let cnodes = cube["cnodes"].as_array().map(Vec::len);
    assert_eq!(cnodes, Some(paths.len() + usize::from(has_outside)), "{what}");
    if has_outside {
        let callee = cube["cnodes"][paths.len()]["callee"].to_string();
        assert_eq!(cube["regions"][callee]["name"], "OUTSIDE OF ALL REGIONS", "{what}");
        assert_traffic(cube, paths.len(), outside, what);
        assert_eq!(sum(cube, "visits", paths.len()), 0, "{what}");
    }
    let mut of_locations = vec![(0, 0); json["locations"].as_array().expect("locations").len()];
    for (cnode, path) in paths.iter().enumerate() {
        let what = format!("{what}: path {cnode}");
        let of = &cube["cnodes"][cnode];
        assert_eq!(of["parent"], path["parent"], "{what}");
        let region = &cube["regions"][of["callee"].to_string()];
        if path["kind"] == "region" {
            assert_eq!(region["name"], path["name"], "{what}");
        }
        let count = |name: &str| path[name].as_u64().expect("a count");
        assert_eq!(sum(cube, "visits", cnode), count("visits"), "{what}");
        let exclusive = exclusive(cube, cnode, resolution);
        let all: i128 = exclusive.iter().sum();
        // All of the time of a task counts where it ran, and once more below the tasks.
        let name = if path["kind"] == "task" { "inclusive" } else { "exclusive" };
        assert_eq!(all, i128::from(count(name)), "{what}");
        let is_task = path["kind"] == "task";
        let visits = row(cube, "visits", cnode);
        for (at, (visits, time)) in visits.iter().zip(&exclusive).enumerate() {
            // What is no region has no visits of locations.
            let is_visit = matches!(path["kind"].as_str(), Some("region" | "task"));
            of_locations[at].0 += visits.as_u64().filter(|_| is_visit).unwrap_or(0);
            of_locations[at].1 += if is_task { 0 } else { *time };
        }
        let seconds = |metric| row(cube, metric, cnode).into_iter().filter_map(Value::as_f64);
        let (least, most) = (seconds("min_time"), seconds("max_time"));
        let (least, most) = (least.fold(f64::MAX, f64::min), most.fold(f64::MIN, f64::max));
        if count("closed") > 0 {
            assert_eq!(least, path["shortest"].as_f64().expect("ticks") / resolution, "{what}");
            assert_eq!(most, path["longest"].as_f64().expect("ticks") / resolution, "{what}");
        } else {
            assert_eq!((least, most), (f64::MAX, f64::MIN), "{what}");
        }
        assert_traffic(cube, cnode, path, &what);
    }
    let is_task = |path: &Value| path["kind"] == "task";
    let rows = json["locations"].as_array().expect("locations");
    let mut found = BTreeSet::new();
    let mut expected = BTreeSet::new();
    for ((at, row), of) in rows.iter().enumerate().zip(&of_locations) {
        let name = &cube["locations"][at]["name"];
        found.insert((name.to_string(), of.0, of.1));
        let count = |name: &str| row[name].as_u64().expect("a count");
        expected.insert((row["name"].to_string(), count("visits"), count("inside").into()));
    }
    // Visits of tasks are counted where they ran only by call path.
    if !paths.iter().any(is_task) {
        assert_eq!(found, expected, "{what}");
    }
}

#[test]
fn values_are_those_of_json() {
    for archive in own().into_iter().chain(large()) {
        let Some((cube, json)) = both(&archive, &[]) else { return };
        assert_same(&cube, &json, &archive.name);
    }
}

#[test]
fn parts_of_a_trace_are_those_of_json() {
    for (name, options) in [
        ("hybrid", &["--thread-tree", "--program-root"][..]),
        ("hybrid", &["--time", "100ms", "300ms"]),
        ("pingpong", &["--paradigm", "mpi"]),
        ("pingpong", &["-L", "1"]),
    ] {
        let Some((cube, json)) = both(&one(name), options) else { return };
        assert_same(&cube, &json, &format!("{name} {options:?}"));
    }
}

/// Metrics of call paths, over all locations.
#[test]
fn metrics_are_those_of_json() {
    let counters = Archive::find(&data().join("metrics"));
    let mut compared = 0;
    for archive in counters.into_iter().chain(large()) {
        let Some((cube, json)) = both(&archive, &[]) else { return };
        let metrics = json["metrics"].as_array().cloned().unwrap_or_default();
        let named = |name: &Value| metrics.iter().filter(|of| of["name"] == *name).count();
        let paths = json["paths"].as_array().expect("paths").iter().enumerate();
        let of_path = |path: &Value| path["metrics"].as_array().cloned().unwrap_or_default();
        for (path, of) in
            paths.flat_map(|(at, path)| of_path(path).into_iter().map(move |m| (at, m)))
        {
            if named(&of["name"]) > 1 {
                continue;
            }
            let is_plain = |c: char| c.is_ascii_alphanumeric() || ":_=".contains(c);
            let name = of["name"].as_str().expect("a name");
            let unique: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
            let what = format!("{}: {name} of path {path}", archive.name);
            let values = |name: &str| {
                assert!(cube["values"].get(name).is_some(), "{what}");
                row(&cube, name, path).into_iter().filter_map(Value::as_f64)
            };
            if of["kind"] == "difference" {
                // Where visits have no value, those inside of them may have one.
                if of["inclusive"]["count"] != json["paths"][path]["closed"] {
                    continue;
                }
                let (found, expected) = (values(&unique).sum::<f64>(), &of["inclusive"]["sum"]);
                let expected = expected.as_f64().expect("a number");
                assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{what}: {found} {of}");
            } else if of["kind"] == "growth" {
                let (found, expected) =
                    (values(&unique).sum::<f64>(), of["inclusive"]["sum"].as_f64());
                assert_eq!(Some(found), expected, "{what}: {of}");
            } else if of["exclusive"]["count"].as_u64() > Some(0) {
                let least = values(&format!("{unique}_min")).fold(f64::MAX, f64::min);
                let most = values(&format!("{unique}_max")).fold(f64::MIN, f64::max);
                assert_eq!(Some(least), of["exclusive"]["min"].as_f64(), "{what}");
                assert_eq!(Some(most), of["exclusive"]["max"].as_f64(), "{what}");
            }
            compared += 1;
        }
    }
    assert!(compared > 5, "{compared}");
}

/// Where the system tree has the locations.
#[test]
fn locations_are_in_their_processes() {
    let Some((cube, _)) = both(&one("hybrid"), &[]) else { return };
    let locations = cube["locations"].as_array().expect("locations");
    let mut ranks = Vec::new();
    for location in locations {
        assert_eq!(location["type"], "thread");
        assert_eq!(location["group"]["type"], "process");
        let number = |value: &Value| value.as_u64().expect("a number");
        ranks.push((number(&location["group"]["rank"]), number(&location["rank"])));
        let name = format!("MPI Rank {}", ranks[ranks.len() - 1].0);
        assert_eq!(location["group"]["name"], name.as_str());
    }
    assert!(ranks.is_sorted() && ranks.len() > 2, "{ranks:?}");
    assert_eq!(cube["version"], "4.4");
    let classes: BTreeSet<_> =
        cube["nodes"].as_array().expect("nodes").iter().map(|node| node[0].to_string()).collect();
    assert!(classes.contains("\"machine\"") && classes.contains("\"node\""), "{classes:?}");
}

/// A call path by what is said of each region on it, and a location.
type Cells = BTreeMap<(Vec<String>, usize), BTreeMap<&'static str, i128>>;

const COUNTS: [&str; 7] = [
    "visits",
    "bytes_sent",
    "bytes_received",
    "bytes_put",
    "bytes_get",
    "io_bytes_read",
    "io_bytes_written",
];

/// Parameters that only the measurement has.
const INVENTED: [&str; 3] = ["synchronization level", "synchronization type", "atomic type"];

/// What each location has on each call path. The measurement has a path for each visit of a dynamic
/// region, below one without visits, and the tasks below the program; it is brought into our form.
fn cells(cube: &Value, resolution: f64) -> Cells {
    let cnodes = cube["cnodes"].as_array().expect("cnodes");
    let region = |cnode: &Value| &cube["regions"][cnode["callee"].to_string()];
    let is_instance =
        |cnode: &Value| region(cnode)["name"].as_str().is_some_and(|n| n.starts_with("instance="));
    let mut names: Vec<Vec<String>> = Vec::new();
    let mut cells = Cells::new();
    for (number, cnode) in cnodes.iter().enumerate() {
        assert_eq!(cnode["id"], number);
        let parent = cnode["parent"].as_u64().map(|parent| names[parent as usize].clone());
        let is_tasks = region(cnode)["name"] == "TASKS";
        let mut path = parent.filter(|_| !is_tasks).unwrap_or_default();
        if !is_instance(cnode) {
            let text = |name: &str| region(cnode)[name].as_str().expect("text").to_owned();
            let parameters = cnode["parameters"].as_array().expect("parameters").iter();
            let parameters = parameters.filter(|of| !INVENTED.iter().any(|name| of[1] == *name));
            let parameters: Vec<_> = parameters.map(Value::to_string).collect();
            let words = ["name", "mangled_name", "file", "paradigm", "role"].map(text).join("|");
            let lines = format!("{}-{}", region(cnode)["begin"], region(cnode)["end"]);
            path.push(format!("{words} {lines} {parameters:?}"));
        }
        names.push(path.clone());
        let mut below = cnode["children"].as_array().expect("children").iter();
        if below.any(|child| is_instance(&cnodes[child.as_u64().expect("a number") as usize])) {
            continue;
        }
        for at in 0..cube["locations"].as_array().expect("locations").len() {
            let of = |metric: &str| row(cube, metric, number).get(at).copied();
            let count =
                |metric: &str| of(metric).map_or(0, |value| value.as_u64().expect("a count"));
            let time = |metric: &str| of(metric).map_or(0, |value| ticks(value, resolution));
            let cell = cells.entry((path.clone(), at)).or_default();
            for metric in COUNTS {
                *cell.entry(metric).or_default() += i128::from(count(metric));
            }
            *cell.entry("time").or_default() += time("time");
            if count("visits") > 0 {
                let [least, most] = ["min_time", "max_time"].map(time);
                cell.entry("min_time").and_modify(|of| *of = least.min(*of)).or_insert(least);
                cell.entry("max_time").and_modify(|of| *of = most.max(*of)).or_insert(most);
            }
        }
    }
    cells.retain(|_, cell| cell.values().any(|value| *value != 0));
    cells
}

/// What Score-P measured in the run that wrote the trace.
fn assert_as_measured(name: &str, least: usize, options: &[&str]) {
    let Some(traces) = traces() else { return };
    let case = traces.join("otf2-with-profile").join(name);
    let archive = Archive::find(&case).expect("an archive");
    let options = [&["--thread-tree", "--program-root", "--raw-clocks"][..], options].concat();
    let Some((ours, json)) = both(&archive, &options) else { return };
    let resolution = resolution(&json);
    let Some(measured) = read(&case.join("profile.cubex"), true) else { return };
    for (ours, theirs) in ours["locations"]
        .as_array()
        .expect("locations")
        .iter()
        .zip(measured["locations"].as_array().expect("locations"))
    {
        assert_eq!(ours, theirs);
    }
    let (ours, measured) = (cells(&ours, resolution), cells(&measured, resolution));
    let keys: BTreeSet<_> = ours.keys().chain(measured.keys()).collect();
    assert!(keys.len() > least, "{}", keys.len());
    let wrong: Vec<_> = keys
        .iter()
        .filter(|key| ours.get(key) != measured.get(key))
        .map(|key| format!("{key:?}:\n  {:?}\n  {:?}", ours.get(key), measured.get(key)))
        .collect();
    let few = wrong.iter().take(5).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} of {} differ:\n{few}", wrong.len(), keys.len());
}

#[test]
fn comd_is_as_measured() {
    assert_as_measured("scorep8-comd-mpi-all", 300, &[]);
}

#[test]
fn lulesh_is_as_measured() {
    assert_as_measured("scorep8-lulesh-hybrid", 1000, &[]);
}

#[test]
fn tasks_and_parameters_are_as_measured() {
    let options = ["--by-parameter", "k", "--by-parameter", "parity"];
    assert_as_measured("scorep8-regions-tasks-rma-io-rusage", 700, &options);
}

/// The reader finds in files of others what these say of them.
#[test]
fn the_reader_is_right() {
    let Some(traces) = traces() else { return };
    let samples = traces.join("cube");
    for name in ["", "-dense", "-big-endian", "-zlib", "-member-512", "-two-roots"] {
        let Some(cube) = read(&samples.join(format!("sample{name}.cubex")), true) else { return };
        let of = if name == "-two-roots" { name } else { "" };
        let put = fs::read(samples.join(format!("sample{of}.json"))).expect("a file");
        let put: Value = serde_json::from_slice(&put).expect("JSON");
        for (metric, of) in
            [("visits", "visits"), ("time", "time_inclusive"), ("bytes_sent", "bytes_sent")]
        {
            for (cnode, values) in put[of].as_object().expect("call paths") {
                let found = row(&cube, metric, cnode.parse().expect("a number"));
                let values = values.as_array().expect("values").iter();
                let same = |(a, b): (&Value, &Value)| a.as_f64() == b.as_f64();
                let is_nothing =
                    found.is_empty() && values.clone().all(|v| v.as_f64() == Some(0.0));
                let is_same =
                    found.len() == values.len() && found.into_iter().zip(values).all(same);
                assert!(is_same || is_nothing, "{name}: {metric} {cnode}");
            }
        }
    }
    let case = traces.join("otf2-with-profile/scorep8-comd-mpi-all");
    let Some(cube) = read(&case.join("profile.cubex"), true) else { return };
    let json: Value = serde_json::from_str(&gunzip(&case.join("profile.json.gz"))).expect("JSON");
    let visits = json["stored"]["visits"].as_object().expect("call paths");
    assert!(visits.iter().all(|(cnode, row)| cube["values"]["visits"][cnode] == *row));
}

#[test]
fn any_number_of_ranks_writes_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let hybrid = one("hybrid").anchor;
    for command in [&["profile", "--thread-tree"][..], &["waitstates"], &["critical"]] {
        let args = |name: &str| {
            let path = folder.path().join(name);
            let options = command.iter().chain(&["-q", "-o"]).map(OsStr::new);
            let args: Vec<_> = options.chain([path.as_os_str(), hybrid.as_os_str()]).collect();
            (args.into_iter().map(OsStr::to_owned).collect::<Vec<_>>(), path.clone())
        };
        let (alone, path) = args("1.cubex");
        run(alone);
        let alone = fs::read(path).expect("a file");
        let same = |ended: Output, path: PathBuf, what: &str| {
            assert_eq!(ended.status.code(), Some(0), "{}", said(&ended));
            assert!(fs::read(path).expect("a file") == alone, "{command:?}: {what}");
        };
        for ranks in [2, 3, 5] {
            let (args, path) = args(&format!("{ranks}.cubex"));
            let Some(ended) = on_ranks(ranks, args) else { continue };
            same(ended, path, &format!("{ranks} ranks"));
        }
        let (args, path) = args("mpi.cubex");
        if let Some(ended) = mpirun(2, args) {
            same(ended, path, "2 ranks of MPI");
        }
    }
}

#[test]
fn parameters_are_said_of_call_paths() {
    let Some(traces) = traces() else { return };
    let case = traces.join("otf2-with-profile/scorep8-regions-tasks-rma-io-rusage");
    let archive = Archive::find(&case).expect("an archive");
    let options = ["--by-parameter", "k", "--by-parameter", "parity"];
    let Some((cube, json)) = both(&archive, &options) else { return };
    let cnodes = cube["cnodes"].as_array().expect("cnodes");
    let with = |cnode: &&Value| cnode["parameters"].as_array().is_some_and(|of| of.len() == 2);
    let found: BTreeSet<_> =
        cnodes.iter().filter(with).map(|cnode| cnode["parameters"].to_string()).collect();
    assert!(found.contains(r#"[["numeric","k","1"],["string","parity","odd"]]"#), "{found:?}");
    // Nothing got lost on the way.
    let visits: u64 = (0..cnodes.len()).map(|cnode| sum(&cube, "visits", cnode)).sum();
    let paths = json["paths"].as_array().expect("paths");
    let expected: u64 = paths.iter().map(|path| path["visits"].as_u64().expect("a count")).sum();
    assert_eq!(visits, expected);
    assert!(cnodes.len() < paths.len(), "{} {}", cnodes.len(), paths.len());
}

#[test]
fn what_cannot_be_written_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let anchor = one("pingpong").anchor;
    let refused = |args: &[&str], code: i32, part: &str| {
        let args = args.iter().map(OsStr::new).chain([anchor.as_os_str()]);
        let ended = streamfold(args).output().expect("a run");
        assert_eq!(ended.status.code(), Some(code), "{}", said(&ended));
        assert!(said(&ended).contains(part), "{}", said(&ended));
    };
    let path = folder.path().join("p.cubex");
    let path = path.to_str().expect("UTF-8");
    refused(&["profile", "--by", "process", "-o", path], 1, "p.cubex");
    let gone = folder.path().join("no/p.cubex");
    refused(&["profile", "-o", gone.to_str().expect("UTF-8")], 4, "p.cubex");
    let full = within(2048, "profile", &anchor, path.as_ref(), &["-q"]);
    assert_eq!(full.status.code(), Some(4), "{}", said(&full));
    assert!(said(&full).contains("p.cubex"), "{}", said(&full));
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

/// Waits stand beside visits and times, each where it was.
#[test]
fn waits_are_those_of_csv() {
    let folder = tempfile::tempdir().expect("a folder");
    let [cubex, csv] = ["w.cubex", "w.csv"].map(|name| folder.path().join(name));
    let mut compared = BTreeSet::new();
    for archive in own().into_iter().chain(large()) {
        let outputs = ["-o".as_ref(), cubex.as_os_str(), "-o".as_ref(), csv.as_os_str()];
        let args = ["waitstates", "-q"].map(OsStr::new).into_iter().chain(outputs);
        run(args.chain([archive.anchor.as_os_str()]));
        let Some(cube) = read(&cubex, false) else { return };
        let locations = cube["locations"].as_array().expect("locations");
        let name = |location: &Value| {
            let text = |value: &Value| value.as_str().expect("text").to_owned();
            format!("{} · {}", text(&location["group"]["name"]), text(&location["name"]))
        };
        let names: Vec<String> = locations.iter().map(name).collect();
        let is_clear = names.iter().collect::<BTreeSet<_>>().len() == names.len();
        let csv = fs::read_to_string(&csv).expect("a table");
        let mut lines = csv.lines();
        let heading = fields(lines.next().expect("a heading"));
        let mut left: BTreeMap<(String, usize, usize), f64> = BTreeMap::new();
        for (metric, rows) in cube["values"].as_object().expect("metrics") {
            let cells = rows.as_object().expect("rows").iter();
            let is_wait = cube["metrics"].as_array().is_some_and(|metrics| {
                let of = metrics.iter().find(|of| of["uniq_name"] == metric.as_str());
                of.is_some_and(|of| of["descr"].as_str().is_some_and(|d| d.contains(" > ")))
            });
            if !is_wait {
                continue;
            }
            for (cnode, row) in cells {
                for (at, value) in row.as_array().expect("a row").iter().enumerate() {
                    let value = value.as_f64().expect("seconds");
                    if value != 0.0 {
                        left.insert((metric.clone(), cnode.parse().expect("a number"), at), value);
                    }
                }
            }
        }
        let found = left.len();
        let mut expected = 0;
        for line in lines {
            let row: BTreeMap<String, String> = heading.iter().cloned().zip(fields(line)).collect();
            let ticks: f64 = row["ticks"].parse().expect("ticks");
            let cnodes = cube["cnodes"].as_array().expect("cnodes").len();
            // Time outside of all call paths stands behind them.
            let cnode = row["path"].parse().unwrap_or(cnodes - 1);
            let at = names.iter().position(|name| *name == row["location_name"]);
            let seconds = ticks / row["ticks_per_second"].parse::<f64>().expect("a number");
            expected += usize::from(ticks > 0.0);
            if is_clear && ticks > 0.0 {
                let key = (row["metric"].clone(), cnode, at.expect("a location"));
                assert_eq!(left.remove(&key), Some(seconds), "{}: {key:?}", archive.name);
                compared.insert(row["metric"].clone());
            }
        }
        assert_eq!(found, expected, "{}", archive.name);
        assert!(!is_clear || left.is_empty(), "{}: {left:?}", archive.name);
    }
    assert!(compared.len() > 3, "{compared:?}");
}

/// The critical path under the names of Scalasca: the same by call path as in JSON, and by location as SCOUT has it.
#[test]
fn the_critical_path_is_that_of_json_and_of_scout() {
    let folder = tempfile::tempdir().expect("a folder");
    let [cubex, json] = ["c.cubex", "c.json"].map(|name| folder.path().join(name));
    let with_scout = ["critical/mpi_ls_barr", "critical/scorep_mpi_tags"];
    for name in with_scout.into_iter().chain(["hybrid", "intercomm"]) {
        let archive = one(name);
        let outputs = ["-o".as_ref(), cubex.as_os_str(), "-o".as_ref(), json.as_os_str()];
        let args = ["critical", "-q"].map(OsStr::new).into_iter().chain(outputs);
        run(args.chain([archive.anchor.as_os_str()]));
        let Some(cube) = read(&cubex, false) else { return };
        let json: Value = serde_json::from_slice(&fs::read(&json).expect("a file")).expect("JSON");
        let resolution = json["units"]["ticks_per_second"].as_f64().expect("a number");
        let cnodes = cube["cnodes"].as_array().expect("cnodes").len();
        for (metric, column) in
            [("critical_path", "ticks"), ("critical_path_imbalance", "imbalance_ticks")]
        {
            let mut expected = vec![0_i128; cnodes];
            for row in json["by_call_path"].as_array().expect("rows") {
                // Time outside of all call paths stands behind them.
                let cnode = row["path"].as_u64().map_or(cnodes - 1, |path| path as usize);
                expected[cnode] += i128::from(row[column].as_i64().expect("ticks"));
            }
            let ticks = |cnode| {
                let values = row(&cube, metric, cnode).into_iter();
                values.map(|value| ticks(value, resolution)).sum::<i128>()
            };
            let found: Vec<i128> = (0..cnodes).map(ticks).collect();
            assert_eq!(found, expected, "{name}: {metric}");
        }
        for (metric, member) in [
            ("critical_path_activities", "activities_ticks"),
            ("critical_imbalance_impact", "imbalance_impact_ticks"),
            ("inter_partition_imbalance", "inter_partition_ticks"),
            ("non_critical_path_activities", "off_path_ticks"),
        ] {
            let ticks = |cnode| {
                let values = row(&cube, metric, cnode).into_iter();
                values.map(|value| ticks(value, resolution)).sum::<i128>()
            };
            let found: i128 = (0..cnodes).map(ticks).sum();
            assert_eq!(json[member].as_i64().map(i128::from), Some(found), "{name}: {metric}");
        }
        if with_scout.contains(&name) {
            by_location_as_scout(&cube, &archive);
        }
    }
}

/// Fails where a call path has another time at a location than SCOUT says, but in what is around MPI_Init and
/// MPI_Finalize, where SCOUT's path ends.
fn by_location_as_scout(cube: &Value, archive: &Archive) {
    let scout = facts(&archive.folder.join("scout.json"));
    let mut names: Vec<String> = Vec::new();
    let mut compared = 0;
    for cnode in cube["cnodes"].as_array().expect("cnodes") {
        let name = |key| cube["regions"][cnode["callee"].to_string()][key].as_str();
        let own = name("mangled_name").or(name("name")).expect("a name");
        let parent =
            cnode["parent"].as_u64().map(|parent| format!("{} > ", names[parent as usize]));
        names.push(format!("{}{own}", parent.unwrap_or_default()));
    }
    for metric in ["critical_path", "critical_path_imbalance"] {
        for (path, expected) in scout[metric].as_object().expect("call paths") {
            let cnode = names.iter().position(|name| name == path);
            let cnode = cnode.unwrap_or_else(|| panic!("{path} in {names:?}"));
            for (found, expected) in
                row(cube, metric, cnode).iter().zip(expected.as_array().expect("values"))
            {
                let [found, expected] = [found, expected].map(|of| of.as_f64().expect("seconds"));
                let is_end = path == "main";
                let said =
                    format!("{}: {metric} of {path}: {found}, SCOUT {expected}", archive.name);
                assert!(is_end || (found - expected).abs() < 1e-6, "{said}");
                compared += usize::from(!is_end);
            }
        }
    }
    assert!(compared > 20, "{compared}");
}
