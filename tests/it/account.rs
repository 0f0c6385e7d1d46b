//! One account of time: all commands have the same, of every trace, and it is what a slow count finds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{json, Value};

use crate::common::archives::{data, large, own};
use crate::common::program::{said, streamfold, team, text};
use crate::common::small::{Bytes, Definitions, Files, Order, Small};

/// Commands that speak of time, with what they need for JSON.
const COMMANDS: [&[&str]; 8] = [
    &["overview"],
    &["efficiency"],
    &["profile", "--by", "process"],
    &["profile", "--by", "thread"],
    &["profile", "--by", "kernel"],
    &["timeline", "--bins", "7"],
    &["waitstates"],
    &["io"],
];

fn report(command: &[&str], trace: &Path) -> Value {
    let mut program = streamfold(command);
    let program = program.args(["-q", "--mpi", "off", "--format", "json"]).arg(trace);
    let run = program.output().expect("a run");
    let name = trace.display();
    assert!(matches!(run.status.code(), Some(0 | 3)), "{command:?} {name}: {}", said(&run));
    serde_json::from_slice(&run.stdout).expect("JSON")
}

fn account(command: &[&str], trace: &Path) -> Value {
    report(command, trace)["account"].clone()
}

/// Inputs of faults that were found in the field.
fn fault(name: &str) -> PathBuf {
    data().join("account").join(name).join("traces.otf2")
}

/// Traces of all formats.
fn traces() -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        own().into_iter().chain(large()).map(|archive| archive.anchor).collect();
    let faults = [
        "nested-fork-time",
        "part-without-computation",
        "ranks-in-one-group-efficiency",
        "gpu-idle-regions",
        "gpu-percentages",
        "talp-devices/mpi-gpu",
        "talp-devices/no-mpi",
        "time-drops-ended-processes",
        "copies-as-kernels",
        "efficiency-counters/p1",
    ];
    all.extend(faults.map(fault));
    for folder in ["strace", "dftracer"] {
        let entries = std::fs::read_dir(data().join(folder)).expect("a folder");
        all.extend(entries.map(|entry| entry.expect("an entry").path()));
    }
    all.push(data().join("gistlog/page-example.gist"));
    for folder in ["vtgpu", "vtcopy", "vtflush", "ompc"] {
        let entries = std::fs::read_dir(data().join("otf").join(folder)).expect("a folder");
        let files = entries.map(|entry| entry.expect("an entry").path());
        all.extend(files.filter(|file| file.extension().is_some_and(|ending| ending == "otf")));
    }
    all.sort();
    all
}

fn number(of: &Value) -> u64 {
    of.as_u64().unwrap_or_else(|| panic!("{of}"))
}

/// Classes add up to the total, and that is the number of threads times the run.
fn adds_up(account: &Value, what: &str) {
    let run = number(&account["run"][1]) - number(&account["run"][0]);
    for of in ["threads", "streams"] {
        let sum = &account[of];
        let classes = sum["classes"].as_object().expect("classes").values();
        let ticks = |class: &Value| class["ticks"].as_u64().or(class.as_u64()).expect("ticks");
        for class in classes.clone().filter_map(Value::as_object) {
            let leaves = class.iter().filter(|(name, _)| *name != "ticks");
            let leaves: u64 = leaves.map(|(_, ticks)| number(ticks)).sum();
            assert_eq!(number(&class["ticks"]), leaves, "{what}");
        }
        let all: u64 = classes.map(ticks).sum();
        assert_eq!(all, number(&sum["total"]), "{what}: {of}");
        assert_eq!(all, number(&sum["count"]) * run, "{what}: {of}");
    }
}

#[test]
fn all_commands_have_the_same_account() {
    let mut compared = 0;
    for trace in traces() {
        let first = account(COMMANDS[0], &trace);
        adds_up(&first, &trace.display().to_string());
        for command in &COMMANDS[1..] {
            // Several runs in one folder are several runs of this command.
            let of_runs = command[0] == "efficiency";
            let found = account(command, &trace);
            if of_runs && found.is_array() {
                continue;
            }
            assert_eq!(found, first, "{command:?} {}", trace.display());
            compared += 1;
        }
    }
    assert!(compared > 150, "{compared}");
}

#[test]
fn ranks_do_not_show_in_the_account() {
    for trace in
        [fault("gpu-percentages"), fault("nested-fork-time"), data().join("strace/paper_ls")]
    {
        for command in COMMANDS {
            let args = command.iter().copied().chain(["-q", "--format", "json"]);
            let args: Vec<&str> = args.chain([trace.to_str().expect("a path")]).collect();
            let alone = streamfold(&args).args(["--mpi", "off"]).output().expect("a run");
            for ranks in [2, 3] {
                let run = team(ranks, &args);
                assert_eq!(text(&run.stdout), text(&alone.stdout), "{args:?} on {ranks}");
            }
        }
    }
}

/// Windows that tile the run add up to the whole, and so do processes.
#[test]
fn parts_add_up_to_the_whole() {
    fn add(sums: &mut BTreeMap<String, u64>, prefix: &str, of: &Value) {
        for (name, value) in of.as_object().into_iter().flatten() {
            match value.as_u64() {
                Some(ticks) => *sums.entry(format!("{prefix}{name}")).or_default() += ticks,
                None => add(sums, &format!("{prefix}{name}."), value),
            }
        }
    }
    for trace in own().into_iter().map(|archive| archive.anchor) {
        let whole = account(&["efficiency"], &trace);
        let (first, last) = (number(&whole["run"][0]), number(&whole["run"][1]));
        let cut = first + (last - first) / 3;
        let (mut of_whole, mut of_parts) = (BTreeMap::new(), BTreeMap::new());
        add(&mut of_whole, "", &whole["threads"]["classes"]);
        for window in [["begin", &cut.to_string()], [&cut.to_string(), "end"]] {
            let command = ["efficiency", "--time", window[0], window[1]];
            let part = account(&command, &trace);
            adds_up(&part, &trace.display().to_string());
            add(&mut of_parts, "", &part["threads"]["classes"]);
        }
        assert_eq!(of_parts, of_whole, "{}", trace.display());
        let rows = report(&["profile", "--by", "process"], &trace);
        let rows = rows["processes"].as_array().expect("rows").iter();
        let all: u64 = rows.map(|row| number(&row["all_ticks"])).sum();
        assert_eq!(all, number(&whole["threads"]["total"]), "{}", trace.display());
    }
}

/// A slow count of printed records: a stack of each location, and the ticks of its top, of calls of MPI and all others.
#[test]
fn time_is_what_a_slow_count_finds() {
    for trace in own().into_iter().chain(large()).map(|archive| archive.anchor) {
        let definitions = streamfold(["print", "-q", "--json", "-G"]).arg(&trace).output();
        let definitions = text(&definitions.expect("a run").stdout);
        let definitions = definitions.lines().map(|line| serde_json::from_str(line).expect("JSON"));
        let definitions: Vec<Value> = definitions.collect();
        let records =
            |kind: &'static str| definitions.iter().filter(move |of| of["record"] == kind);
        let threads: Vec<u64> = records("Location")
            .filter(|of| of["location_type_name"] == "CPU_THREAD")
            .map(|of| number(&of["id"]))
            .collect();
        let is_mpi = |name: &str| name.to_ascii_uppercase().starts_with("MPI_");
        let events = streamfold(["print", "-q", "--json"]).arg(&trace).output().expect("a run");
        let events = text(&events.stdout);
        // Tasks have stacks of their own, and teams are forked in time of no region.
        let is_plain = |line: &str| {
            !["ThreadTask", "OmpTask", "ThreadFork", "CallingContext", "MeasurementOnOff"]
                .iter()
                .any(|kind| line.contains(kind))
        };
        if !events.lines().all(is_plain) {
            continue;
        }
        let mut open: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        let mut latest: BTreeMap<u64, u64> = BTreeMap::new();
        let mut mpi = 0;
        for line in events.lines() {
            let event: Value = serde_json::from_str(line).expect("JSON");
            let location = number(&event["location"]);
            if !threads.contains(&location) {
                continue;
            }
            let since = latest.get(&location).copied().unwrap_or(0);
            let time = number(&event["time"]).max(since);
            latest.insert(location, time);
            let regions = open.entry(location).or_default();
            if regions.last().is_some_and(|name| is_mpi(name)) {
                mpi += time - since;
            }
            let name = event["region_name"].as_str().unwrap_or("").to_owned();
            match event["record"].as_str() {
                Some("Enter") => regions.push(name),
                Some("Leave") => {
                    let at = regions.iter().rposition(|open| *open == name);
                    at.into_iter().for_each(|at| regions.truncate(at));
                }
                _ => {}
            }
        }
        let found = account(&["efficiency"], &trace);
        let of_mpi = &found["threads"]["classes"]["mpi"]["ticks"];
        assert_eq!(of_mpi.as_u64().unwrap_or(0), mpi, "{}", trace.display());
    }
}

/// The value of a factor of the first run.
fn factor(report: &Value, wanted: &str) -> Option<f64> {
    let rows = report["factors"].as_array().expect("rows");
    rows.iter().find(|row| row["factor"] == wanted)?["value"].as_f64()
}

fn is_near(found: Option<f64>, expected: f64) {
    assert!(found.is_some_and(|found| (found - expected).abs() < 0.002), "{found:?} {expected}");
}

#[test]
fn a_team_that_a_worker_forks_is_forked_in_no_computation() {
    let trace = fault("nested-fork-time");
    let rows = report(&["profile", "--by", "thread"], &trace);
    let row = rows["processes"]
        .as_array()
        .and_then(|rows| rows.iter().find(|row| row["id"] == 1))
        .expect("a row");
    let found = (&row["computation_ticks"], &row["threads_ticks"]);
    assert_eq!(found, (&json!(2200), &json!(4490)));
    is_near(factor(&report(&["efficiency"], &trace), "parallel_efficiency"), 0.412);
}

#[test]
fn a_part_without_computation_has_none() {
    let trace = fault("part-without-computation");
    for part in [
        &["--region", "^MPI_Wait$"][..],
        &["--time", "2000", "8000"],
        &["--iterations", "MPI_Wait", "1"],
    ] {
        let command: Vec<&str> = ["efficiency"].iter().chain(part).copied().collect();
        let found = report(&command, &trace);
        assert_eq!(factor(&found, "parallel_efficiency"), Some(0.0), "{part:?}");
        assert_eq!(factor(&found, "load_balance"), None, "{part:?}");
        let threads = &found["account"]["threads"];
        let idle = number(&threads["classes"]["idle"]);
        assert_eq!(2 * idle, number(&threads["total"]), "{part:?}");
    }
}

#[test]
fn ranks_in_one_group_are_processes() {
    let found = report(&["efficiency"], &fault("ranks-in-one-group-efficiency"));
    assert_eq!(found["runs"][0]["processes"], 3);
    is_near(factor(&found, "parallel_efficiency"), 0.64);
    is_near(factor(&found, "load_balance"), 0.681);
    is_near(factor(&found, "communication_efficiency"), 0.94);
    assert_eq!(factor(&found, "omp_parallel_efficiency"), None);
}

#[test]
fn regions_of_idleness_are_no_kernels() {
    let trace = fault("gpu-idle-regions");
    let kernels = report(&["profile", "--by", "kernel"], &trace);
    let rows = kernels["kernels"].as_array().expect("rows");
    let names: Vec<&Value> = rows.iter().map(|row| &row["name"]).collect();
    assert_eq!(names, ["gemm"]);
    assert_eq!(kernels["streams"][0]["busy_percent"], 10.0);
    is_near(factor(&report(&["efficiency"], &trace), "device_parallel_efficiency"), 0.10);
}

#[test]
fn streams_have_the_same_percentages_everywhere() {
    let trace = fault("gpu-percentages");
    for (command, table) in [("process", "accelerators"), ("kernel", "streams")] {
        let found = report(&["profile", "--by", command], &trace);
        for row in found[table].as_array().expect("rows") {
            assert_eq!(row["busy_percent"], 60.0, "{table}");
        }
    }
    let kernels = report(&["profile", "--by", "kernel"], &trace);
    assert_eq!(kernels["devices"][0]["busy_percent"], 70.0);
    let found = report(&["efficiency"], &trace);
    is_near(factor(&found, "device_parallel_efficiency"), 0.7);
    let threads = &found["account"]["threads"]["classes"]["accelerator"];
    assert_eq!(threads["synchronise"], 850_000);
}

#[test]
fn devices_have_the_factors_of_talp() {
    let talp = |name: &str| -> Value {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("talp.json");
        let run = streamfold(["efficiency", "-q", "--talp"]).arg(&file).arg(fault(name)).output();
        let run = run.expect("a run");
        assert!(run.status.success(), "{}", said(&run));
        serde_json::from_slice(&std::fs::read(&file).expect("a file")).expect("JSON")
    };
    let check = |of: &Value, devices: u64, factors: &[(&str, f64)]| {
        assert_eq!(of["resources"]["numGpus"], devices);
        for (name, value) in factors {
            is_near(of["Application"]["Global"][name].as_f64(), *value);
        }
    };
    check(
        &talp("talp-devices/mpi-gpu"),
        2,
        &[
            ("gpuParallelEfficiency", 0.2),
            ("gpuLoadBalance", 1.0),
            ("gpuCommunicationEfficiency", 0.4),
            ("gpuOrchestrationEfficiency", 0.5),
        ],
    );
    check(
        &talp("talp-devices/no-mpi"),
        1,
        &[
            ("gpuParallelEfficiency", 0.3),
            ("gpuLoadBalance", 1.0),
            ("gpuCommunicationEfficiency", 0.4286),
            ("gpuOrchestrationEfficiency", 0.7),
            ("mpiParallelEfficiency", 1.0),
            ("mpiCommunicationEfficiency", 1.0),
        ],
    );
}

#[test]
fn a_window_has_the_threads_that_ended_before_it() {
    let trace = fault("time-drops-ended-processes");
    let part = report(&["efficiency", "--time", "5000", "10000"], &trace);
    assert_eq!(part["runs"][0]["threads"], 4);
    is_near(factor(&part, "parallel_efficiency"), 0.25);
    is_near(factor(&part, "load_balance"), 0.25);
}

#[test]
fn regions_that_copy_are_no_kernels() {
    let found = report(&["profile", "--by", "kernel"], &fault("copies-as-kernels"));
    let rows = found["kernels"].as_array().expect("rows");
    assert_eq!((rows.len(), &rows[0]["share_percent"]), (1, &json!(100.0)));
    let copies = &found["copies"][0];
    let expected = (&json!(1), &json!(300_000), &Value::Null);
    assert_eq!((&copies["count"], &copies["ticks"], &copies["bytes"]), expected);
    assert_eq!(found["streams"][0]["copying_ticks"], 300_000);
}

#[test]
fn counters_say_why_computation_scales() {
    let run = streamfold(["efficiency", "-q", "--format", "json"])
        .args([fault("efficiency-counters/p1"), fault("efficiency-counters/p2")])
        .output()
        .expect("a run");
    let found: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let row = &found["runs"][1];
    for (name, value) in [
        ("instruction_scaling", 0.909),
        ("ipc_scaling", 0.917),
        ("frequency_scaling", 1.2),
        ("computation_scaling", 1.0),
        ("ipc", 1.833),
        ("gigahertz", 1.2),
    ] {
        is_near(row[name].as_f64(), value);
    }
    assert_eq!(
        (&found["scaling_is"], &found["scaling_is_assumed"]),
        (&json!("strong"), &json!(true))
    );
}

#[test]
fn undefined_regions_are_reported() {
    let trace = data().join("account/und.otf");
    for command in ["efficiency", "timeline", "overview"] {
        let run = streamfold([command, "-q"]).arg(&trace).output().expect("a run");
        assert_eq!(run.status.code(), Some(3), "{command}: {}", said(&run));
        assert!(said(&run).contains("region 9"), "{command}: {}", said(&run));
    }
}

/// Start-up is set aside by the verdict, and by an option in all commands alike.
#[test]
fn start_up_is_set_aside() {
    for archive in own() {
        let trace = archive.anchor;
        let command = ["efficiency", "--without-startup"];
        let found = account(&command, &trace);
        let start_up = &found["threads"]["classes"]["mpi"]["start_up"];
        assert!(start_up.is_null(), "{}: {start_up}", archive.name);
        let threads = report(&["profile", "--without-startup"], &trace);
        let regions = threads["regions"].as_array().expect("rows").iter();
        for row in regions.filter(|row| row["name"] == "MPI_Init" || row["name"] == "MPI_Finalize")
        {
            assert_eq!(row["exclusive"], 0, "{}: {row}", archive.name);
        }
    }
}

/// A recorder that writes out its buffer: 20 ticks of a region are no time of that, and 20 outside of all regions are
/// recorded.
#[test]
fn flushes_are_measurement() {
    let order = Order::Little;
    let flush = |events: Bytes, stop: u64| {
        let payload = events.payload().u64(stop);
        events.record(10, payload)
    };
    let events = || Bytes::new(order).header().time(100).enter(0);
    let inside = flush(events().time(140), 160).time(200).leave(0);
    let outside = flush(events().time(120).leave(0).time(130), 150);
    let outside = outside.time(160).enter(0).time(200).leave(0);
    let files = [inside, outside]
        .map(|events| Files { events: Some(events.end().bytes), definitions: None });
    let definitions = Definitions::new(order).region(0).location(0, 0).location(1, 0);
    let written = Small::with(order, definitions, files.to_vec()).write();
    for command in COMMANDS {
        let account = account(command, &written.anchor());
        adds_up(&account, command[0]);
        let classes = &account["threads"]["classes"];
        let of = |group: &str, class: &str| match &classes[group][class] {
            Value::Null => number(&classes[group]),
            ticks => number(ticks),
        };
        let found = (of("measurement", "flush"), of("computation", "serial"));
        assert_eq!(found, (40, 140), "{command:?}: {classes}");
        assert_eq!(of("not_recorded", "not_recorded"), 20, "{command:?}: {classes}");
    }
}
