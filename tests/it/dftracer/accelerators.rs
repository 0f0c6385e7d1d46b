//! Accelerators in traces of PyTorch's profiler: streams, devices, and what is nobody's work.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use streamfold::formats::dftracer::scan;
use streamfold::model::enums::{LocationGroupType, LocationType, Paradigm, RegionRole};
use streamfold::model::store::Definitions;
use tempfile::TempDir;

use super::own;
use crate::common::archives::traces_folder;
use crate::common::program::{said, streamfold, text};
use crate::common::skipped;

fn definitions(path: &Path) -> Definitions {
    scan(path).expect("a trace").1
}

/// Each location with its kind, the name and kind of its group, and the group that uses that.
fn locations(of: &Definitions) -> Vec<(String, LocationType, String, LocationGroupType, String)> {
    let string = |id| of.strings[&id].to_string();
    let one = |location: &streamfold::model::definitions::Location| {
        let group = &of.location_groups[&location.location_group];
        let host = of.location_groups.get(&group.creating_location_group);
        (
            string(location.name),
            location.location_type,
            string(group.name),
            group.location_group_type,
            host.map(|host| string(host.name)).unwrap_or_default(),
        )
    };
    of.locations.values().map(one).collect()
}

fn count(of: &Definitions, kind: LocationType) -> usize {
    of.locations.values().filter(|location| location.location_type == kind).count()
}

/// What a region is, by its name.
fn meaning(of: &Definitions, name: &str) -> (RegionRole, Paradigm) {
    let is = |id| of.strings[&id] == name;
    let region = of.regions.values().find(|region| is(region.name)).expect("a region");
    (region.region_role, region.paradigm)
}

#[test]
fn tracks_of_an_accelerator_are_streams() {
    let of = definitions(&own("pytorch").join("pytorch.json"));
    let stream = |name: &str| {
        let (kind, group) = (LocationType::AcceleratorStream, LocationGroupType::Accelerator);
        (name.to_owned(), kind, "GPU 0".to_owned(), group, "python3".to_owned())
    };
    let thread = (
        "thread 100 (python3)".to_owned(),
        LocationType::CpuThread,
        "python3".to_owned(),
        LocationGroupType::Process,
        String::new(),
    );
    assert_eq!(locations(&of), [thread, stream("stream 7"), stream("stream 20")]);
    for (name, expected) in [
        ("cudaLaunchKernel", (RegionRole::Function, Paradigm::Cuda)),
        ("gemm", (RegionRole::Function, Paradigm::Cuda)),
        ("Memcpy HtoD (Pinned -> Device)", (RegionRole::DataTransfer, Paradigm::Cuda)),
    ] {
        assert_eq!(meaning(&of, name), expected, "{name}");
    }
    // The annotation of the stream has the name of that of the host.
    let path = own("pytorch").join("pytorch.json");
    let output = streamfold(["profile", "--format", "json"]).arg(path).output().expect("a run");
    let profile: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let steps = profile["regions"].as_array().expect("regions").iter();
    let steps: Vec<&Value> = steps.filter(|region| region["name"] == "ProfilerStep#1").collect();
    assert_eq!(steps.len(), 1);
    assert_eq!(steps[0]["visits"], 1);
    let told = "1 annotations of streams and of the profiler are passed over";
    assert!(said(&output).contains(told), "{}", said(&output));
}

/// Kernels, or the label of the process, tell a stream, whichever comes first, and whatever number a process has.
#[test]
fn streams_are_known_by_label_or_category() {
    let call = |category: &str, pid: u32, tid: u32, name: &str| {
        format!(
            r#"{{"ph":"X","cat":"{category}","name":"{name}","pid":{pid},"tid":{tid},"ts":{tid},"dur":1}}"#
        )
    };
    let named = |name: &str, key: &str, pid: u32, value: &str| {
        format!(r#"{{"ph":"M","name":"{name}","pid":{pid},"tid":0,"args":{{"{key}":"{value}"}}}}"#)
    };
    let label = |pid: u32, label: &str| named("process_labels", "labels", pid, label);
    let folder = TempDir::new().expect("a folder");
    let kinds = |events: &[String]| {
        let path = folder.path().join("trace.json");
        fs::write(&path, format!("[{}]", events.join(",\n"))).expect("written");
        let of = locations(&definitions(&path)).into_iter();
        of.map(|(name, kind, group, _, host)| {
            let kind = if kind == LocationType::AcceleratorStream { "stream" } else { "other" };
            format!("{name}: {kind} of {group}, {host}")
        })
        .collect::<Vec<_>>()
    };
    let host = call("hip_runtime", 9, 1, "hipLaunchKernel");
    // No label; the first event of the track is of no known category.
    let found = kinds(&[call("other", 3, 7, "x"), call("kernel", 3, 7, "k"), host.clone()]);
    assert_eq!(
        found,
        ["thread 7: stream of process 3, process 9", "thread 1: other of process 9, "]
    );
    // The label alone, behind the events.
    let found = kinds(&[call("packet", 3, 7, "x"), host.clone(), label(3, "MTIA 3")]);
    assert_eq!(found, ["thread 7: stream of MTIA 3, process 9", "thread 1: other of process 9, "]);
    // A process with the number of an accelerator.
    let found =
        kinds(&[label(9, "CPU"), host.clone(), call("gpu_memset", 9, 7, "m"), label(9, "GPU 9")]);
    assert_eq!(found, ["thread 1: other of process 9, ", "thread 7: stream of GPU 9, process 9"]);
    // Of two processes the one that calls the library, or has the name, uses the accelerator; else nobody knows.
    let kernel = call("kernel", 0, 7, "k");
    let found = kinds(&[kernel.clone(), host.clone(), call("cpu_op", 8, 2, "add")]);
    assert_eq!(found[0], "thread 7: stream of process 0, process 9");
    let other = call("cuda_driver", 8, 2, "cuLaunchKernel");
    let two = [kernel, host, other];
    assert_eq!(kinds(&two)[0], "thread 7: stream of process 0, ");
    let names = [(0, "one"), (8, "one"), (9, "two")];
    let names = names.map(|(pid, name)| named("process_name", "name", pid, name));
    assert_eq!(kinds(&[&two[..], &names].concat())[0], "thread 7: stream of one, one");
}

/// Streams and devices of real traces are those that others counted; what the profiler notes of itself is no process.
#[test]
fn traces_of_pytorch() {
    let folder: PathBuf = traces_folder().join("kineto");
    if !folder.is_dir() {
        return skipped("no traces of PyTorch");
    }
    let facts = fs::read_to_string(folder.join("facts.json")).expect("facts");
    let facts: Value = serde_json::from_str(&facts).expect("JSON");
    for (name, facts) in facts.as_object().expect("facts by trace") {
        let of = definitions(&folder.join(name));
        let groups: Vec<_> = of.location_groups.values().collect();
        let devices =
            groups.iter().filter(|it| it.location_group_type == LocationGroupType::Accelerator);
        let hosts =
            groups.iter().filter(|it| it.location_group_type == LocationGroupType::Process).count();
        // One trace has an annotation of another process.
        assert_eq!(hosts, if name.contains("triton") { 2 } else { 1 }, "{name}");
        assert!(devices.clone().all(|it| it.creating_location_group.0 < groups.len() as u32));
        if name.contains("mtia") {
            // Its categories say nothing: labels do. What overlaps on a track has locations of its own.
            assert!(count(&of, LocationType::AcceleratorStream) >= 24);
            assert_eq!(devices.count(), 1);
            continue;
        }
        let streams = facts["streams"].as_u64().expect("a number") as usize;
        assert_eq!(count(&of, LocationType::AcceleratorStream), streams, "{name}");
        assert_eq!(facts["devices_with_streams"], devices.count(), "{name}");
        if name.contains("amd") {
            assert_eq!(meaning(&of, "hipLaunchKernel"), (RegionRole::Function, Paradigm::Hip));
        }
        let mut program = streamfold(["profile", "-q", "--by", "kernel", "--format", "json"]);
        let output = program.arg(folder.join(name)).output().expect("a run");
        let report: Value = match streams {
            0 => continue,
            _ => serde_json::from_str(&text(output.stdout)).expect("JSON"),
        };
        let busy = report["streams"].as_array().expect("rows").iter();
        let busy: u64 = busy.map(|row| row["busy_ticks"].as_u64().expect("ticks")).sum();
        let expected = facts["busy_us_by_stream"].as_object().expect("times").values();
        let expected: f64 = expected.map(|time| time.as_f64().expect("a time")).sum();
        // Those sums are of times in doubles.
        assert!((busy as f64 - 1000.0 * expected).abs() < 100.0, "{name} {busy}");
    }
}
