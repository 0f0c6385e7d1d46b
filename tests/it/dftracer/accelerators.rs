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
use crate::common::program::{on_ranks, said, streamfold, text};
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
    // The annotation of the stream has the name of that of the host. Steps are visits of one region.
    let path = own("pytorch").join("pytorch.json");
    let output = streamfold(["profile", "--format", "json"]).arg(path).output().expect("a run");
    let profile: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let steps = profile["regions"].as_array().expect("regions").iter();
    let steps: Vec<&Value> = steps.filter(|region| region["name"] == "ProfilerStep").collect();
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

/// The report of a profile as JSON.
fn report(path: &Path, options: &[&str]) -> Value {
    let mut program = streamfold(["profile", "-q", "--format", "json"]);
    let output = program.args(options).arg(path).output().expect("a run");
    serde_json::from_str(&text(output.stdout)).expect("JSON")
}

/// A number that is known of a process.
fn property(of: &Definitions, name: &str) -> Option<u64> {
    let mut known =
        of.location_group_properties.iter().filter(|property| of.strings[&property.name] == name);
    known.next().map(|property| property.value.bits)
}

/// A file of a rank, with the members of the outer object before and behind the events. Its step begins at that time.
fn rank_file(before: &str, behind: &str, pid: u32, time: u64) -> String {
    let mut events = Vec::new();
    for (pid, labels) in [(pid, "CPU"), (0, "GPU 0")] {
        let of = format!(r#""ph":"M","pid":{pid},"tid":0,"ts":0"#);
        events.push(format!(r#"{{"name":"process_name",{of},"args":{{"name":"python3"}}}}"#));
        events.push(format!(r#"{{"name":"process_labels",{of},"args":{{"labels":"{labels}"}}}}"#));
    }
    let mut call = |(pid, tid): (u32, u32),
                    (category, name): (&str, &str),
                    (from, length): (u64, u64),
                    args: &str| {
        events.push(format!(
            r#"{{"ph":"X","cat":"{category}","name":"{name}","pid":{pid},"tid":{tid},"ts":{},"dur":{length},"args":{{{args}}}}}"#,
            time + from
        ));
    };
    call((pid, 5), ("user_annotation", "ProfilerStep#551"), (0, 400), "");
    call((pid, 5), ("user_annotation", "ProfilerStep#552"), (400, 600), "");
    call((pid, 5), ("cuda_runtime", "cudaLaunchKernel"), (10, 5), r#""correlation":7"#);
    call((pid, 5), ("cuda_runtime", "cudaMemcpyAsync"), (20, 5), r#""correlation":8"#);
    call((0, 7), ("kernel", "gemm"), (30, 100), r#""device":0,"correlation":7"#);
    let copies = [("HtoD (Pinned -> Device)", 1000), ("DtoH (Device -> Pageable)", 20)];
    let copies = copies.into_iter().chain([("DtoD (Device -> Device)", 3), ("PtoP", 0)]);
    for (from, (name, bytes)) in (200..).step_by(100).zip(copies) {
        let args = format!(r#""device":0,"correlation":8,"bytes":{bytes}"#);
        call((0, 20), ("gpu_memcpy", &format!("Memcpy {name}")), (from, 50), &args);
    }
    let unsized_copy = r#""device":0,"kind":"HtoD""#;
    call((0, 20), ("gpu_memcpy", "Memcpy HtoD (Host -> Device)"), (900, 50), unsized_copy);
    format!("{{\n{before}\n\"traceEvents\": [\n  {}\n  ]{behind}}}\n", events.join(",\n  "))
}

/// Seconds since 1970, as the base of times.
const BASE: u64 = 1_700_000_000;

/// A folder with a file of each rank; times of one count from a base.
fn two_ranks() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let told = |rank: u32| {
        format!(
            r#""schemaVersion": 1, "distributedInfo": {{"backend": "nccl", "rank": {rank}, "world_size": 4, "pg_config": [{{"ranks": [0, 1]}}]}}"#
        )
    };
    let first = rank_file(&format!("{},", told(0)), "", 100, BASE * 1_000_000 + 50);
    let base = format!(",\n{},\n\"baseTimeNanoseconds\": {BASE}000000000\n", told(1));
    let second = rank_file("\"schemaVersion\": 1,", &base, 200, 75);
    fs::write(folder.path().join("a.json"), first).expect("written");
    fs::write(folder.path().join("b.json"), second).expect("written");
    folder
}

/// The file of each rank says which it is, how many there are, and when its times begin.
#[test]
fn files_of_ranks_are_one_trace() {
    let folder = two_ranks();
    let of = definitions(folder.path());
    let groups: Vec<_> =
        locations(&of).into_iter().map(|(.., group, _, host)| (group, host)).collect();
    let of_rank = |rank: u32| {
        let device = (format!("GPU 0 of rank {rank}"), format!("rank {rank}"));
        [(format!("rank {rank}"), String::new()), device.clone(), device]
    };
    assert_eq!(groups, [of_rank(0), of_rank(1)].concat());
    assert_eq!(property(&of, "distributedInfo.world_size"), Some(4));
    assert_eq!(property(&of, "distributedInfo.rank"), None);
    let clock = of.clock.as_ref().expect("a clock");
    assert_eq!(clock.global_offset, (BASE * 1_000_000 + 50) * 1000);
    assert_eq!(clock.trace_length, 1_025_000);
    let output = streamfold(["info"]).arg(folder.path()).output().expect("a run");
    let said = said(&output);
    assert!(said.contains("the trace has 2 of 4 ranks"), "{said}");
    assert!(!said.contains("days apart"), "{said}");
}

/// Clocks that have nothing to do with each other are told once.
#[test]
fn clocks_of_files_may_differ() {
    let folder = two_ranks();
    let lost = rank_file("\"schemaVersion\": 1,", "", 300, 75);
    fs::write(folder.path().join("c.json"), lost).expect("written");
    let output = streamfold(["info"]).arg(folder.path()).output().expect("a run");
    let said = said(&output);
    assert_eq!(said.matches("clocks or units differ").count(), 1, "{said}");
    assert!(said.contains("c.json: calls are 19675 days apart"), "{said}");
}

/// Copies have bytes and a direction, whoever reads the file; steps are numbered.
#[test]
fn copies_have_bytes_and_steps_numbers() {
    let folder = two_ranks();
    let report = report(folder.path(), &["--by", "kernel"]);
    let copies: Vec<_> = report["copies"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| {
            let number = |key: &str| row[key].as_u64().unwrap_or(0);
            let direction = row["direction"].as_str().expect("a direction").to_owned();
            (direction, number("count"), number("bytes"), number("ticks"))
        })
        .collect();
    let row = |direction: &str, count, bytes, ticks| (direction.to_owned(), count, bytes, ticks);
    let expected = [
        row("host to device", 4, 2000, 200_000),
        row("device to host", 2, 40, 100_000),
        row("device to device", 4, 6, 200_000),
    ];
    assert_eq!(copies, expected);
    let by_step = self::report(folder.path(), &["--by", "iteration", "--of", "ProfilerStep"]);
    let lengths = by_step["iterations"].as_array().expect("rows").iter();
    let lengths: Vec<_> =
        lengths.map(|row| (row["threads"].as_u64(), row["mean"].as_f64())).collect();
    assert_eq!(lengths, [(Some(2), Some(400_000.0)), (Some(2), Some(600_000.0))]);
    // The launch and the kernel have the same number.
    let output = streamfold(["print", "-q"]).arg(folder.path()).output().expect("a run");
    let (said, lines) = (said(&output), text(output.stdout));
    assert_eq!(lines.matches(r#"("correlation" <3>; UINT64; 7)"#).count(), 4, "{lines}");
    assert_eq!(lines.matches("PARAMETER_UINT64").count(), 4, "{lines}");
    assert!(!said.contains("invalid"), "{said}");
    let output = streamfold(["validate", "-q"]).arg(folder.path()).output().expect("a run");
    assert_eq!(output.status.code(), Some(0), "{}", text(output.stdout));
}

/// Labels that are no accelerators stand behind the names of processes.
#[test]
fn labels_are_a_part_of_names() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("trace.json");
    let named = |name: &str, key: &str, value: &str| {
        format!(r#"{{"ph":"M","name":"{name}","pid":1,"tid":0,"args":{{"{key}":"{value}"}}}}"#)
    };
    let events = [
        named("process_name", "name", "Renderer"),
        named("process_labels", "labels", "a page"),
        r#"{"ph":"X","cat":"c","name":"f","pid":1,"tid":1,"ts":1,"dur":1}"#.to_owned(),
        r#"{"ph":"X","cat":"c","name":"f","pid":2,"tid":1,"ts":1,"dur":1}"#.to_owned(),
    ];
    fs::write(&path, format!("[{}]", events.join(",\n"))).expect("written");
    let groups: Vec<_> =
        locations(&definitions(&path)).into_iter().map(|(.., group, _, _)| group).collect();
    assert_eq!(groups, ["Renderer (a page)", "process 2"]);
}

/// An event: process and thread, category, name, begin and length, arguments.
type Made<'a> = ((u32, u32), &'a str, &'a str, (u64, u64), &'a str);

/// A file with these events, of a host and a device.
fn small_file(folder: &Path, events: &[Made<'_>]) -> PathBuf {
    let event = |((pid, tid), category, name, (begin, length), args): &Made<'_>| {
        format!(
            r#"{{"ph":"X","cat":"{category}","name":"{name}","pid":{pid},"tid":{tid},"ts":{begin},"dur":{length},"args":{{{args}}}}}"#
        )
    };
    let events: Vec<String> = events.iter().map(event).collect();
    let path = folder.join("trace.json");
    fs::write(
        &path,
        format!(
            "[{}]",
            events.join(
                ",
"
            )
        ),
    )
    .expect("written");
    path
}

/// ROCm says at the call how much it copies, and not at the copy. Calls that disagree say nothing.
#[test]
fn copies_have_the_bytes_of_their_calls() {
    let folder = TempDir::new().expect("a folder");
    let (host, stream) = ((9, 1), (2, 0));
    let call = |name, times, args| (host, "cuda_runtime", name, times, args);
    let copy = |times, args| (stream, "gpu_memcpy", "Memcpy HtoD (Host -> Device)", times, args);
    let path = small_file(
        folder.path(),
        &[
            copy((30, 5), r#""correlation":1"#),
            call("hipMemcpyWithStream", (10, 5), r#""correlation":1,"size":"2560""#),
            call("hipMemcpyWithStream", (20, 5), r#""correlation":2,"size":256"#),
            call("hipMemcpyWithStream", (26, 3), r#""correlation":3,"size":1"#),
            call("hipMemcpyWithStream", (29, 3), r#""correlation":3,"size":2"#),
            copy((40, 5), r#""correlation":2"#),
            copy((50, 5), r#""correlation":3"#),
            copy((60, 5), r#""correlation":4"#),
            copy((70, 5), r#""correlation":1,"bytes":7"#),
        ],
    );
    let report = report(&path, &["--by", "kernel"]);
    let sum = |key: &str| -> u64 {
        let rows = report["copies"].as_array().expect("rows").iter();
        rows.map(|row| row[key].as_u64().unwrap_or(0)).sum()
    };
    assert_eq!((sum("count"), sum("bytes"), sum("ticks")), (5, 2823, 25_000), "{report}");
    let output = streamfold(["validate", "-q"]).arg(&path).output().expect("a run");
    assert_eq!(output.status.code(), Some(0), "{}", text(output.stdout));
}

/// Steps that the profiler numbers come before what comes more often within them.
#[test]
fn numbered_steps_are_proposed_as_iterations() {
    let folder = TempDir::new().expect("a folder");
    let host = (9, 1);
    let mut events = vec![
        (host, "user_annotation", "ProfilerStep#7", (0, 100), ""),
        (host, "user_annotation", "ProfilerStep#8", (100, 100), ""),
    ];
    for begin in (0..200).step_by(25) {
        events.push((host, "user_annotation", "forward", (begin, 20), r#""step":3"#));
    }
    let path = small_file(folder.path(), &events);
    let output = streamfold(["info", "-q", "--loops"]).arg(&path).output().expect("a run");
    let text = text(&output.stdout);
    assert!(text.contains("ProfilerStep looks like the body of the main loop:"), "{text}");
    assert!(text.contains("--iterations ProfilerStep 1..2"), "{text}");
    assert!(text.contains("forward"), "{text}");
}

/// Kernels of libraries that communicate are told from others, and how much of their time these cover.
#[test]
fn communication_is_covered_by_computation() {
    let folder = TempDir::new().expect("a folder");
    let kernel = |stream, name, times| ((0, stream), "kernel", name, times, "");
    let path = small_file(
        folder.path(),
        &[
            ((9, 1), "cpu_op", "train", (0, 1000), ""),
            kernel(7, "gemm", (100, 100)),
            kernel(7, "gemm", (300, 50)),
            kernel(20, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", (150, 100)),
            ((0, 20), "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", (400, 10), ""),
        ],
    );
    let found = report(&path, &["--by", "kernel"]);
    let device = &found["devices"][0];
    let ticks = |key: &str| device[key].as_u64().unwrap_or_else(|| panic!("{key}: {device}"));
    assert_eq!(ticks("busy_ticks"), 210_000);
    assert_eq!(ticks("idle_ticks"), 100_000);
    assert_eq!(ticks("communication_ticks"), 100_000);
    assert_eq!(ticks("computation_ticks"), 150_000);
    assert_eq!(ticks("communication_and_computation_ticks"), 50_000);
    assert_eq!(device["communication_overlapped_percent"], 50.0);
    let kernels = &found["account"]["streams"]["classes"]["kernels"];
    assert_eq!(kernels["ticks"], 250_000);
    assert_eq!(kernels["communication"], 100_000);
    // Parts of the time add up.
    let parts = [["0", "175000"], ["175000", "320000"], ["320000", "1000000"]];
    let of = |[min, max]: [&str; 2]| {
        let part = report(&path, &["--by", "kernel", "--time", min, max]);
        part["devices"][0]["communication_and_computation_ticks"].as_u64().unwrap_or(0)
    };
    assert_eq!(parts.map(of), [25_000, 25_000, 0]);
}

/// The delay of a kernel is that from the enter of its call, of the same process, to its begin. Kernels without
/// correlation belong to the call, or to the operation, with the same external number.
#[test]
fn kernels_wait_for_their_launches() {
    let folder = TempDir::new().expect("a folder");
    let (host, other, stream) = ((9, 1), (9, 2), (0, 7));
    let call = |thread, times, args| (thread, "cuda_runtime", "cudaLaunchKernel", times, args);
    let kernel = |name, times, args| (stream, "kernel", name, times, args);
    let path = small_file(
        folder.path(),
        &[
            call(host, (10, 5), r#""correlation":1"#),
            call(other, (20, 5), r#""correlation":5000"#),
            kernel("gemm", (100, 50), r#""correlation":1"#),
            kernel("gemm", (200, 50), r#""correlation":5000"#),
            kernel("gemm", (300, 50), r#""correlation":77"#),
            ((0, 7), "gpu_memset", "Memset (Device)", (360, 5), r#""correlation":1"#),
            (host, "cpu_op", "aten::add", (400, 50), r#""External id":1"#),
            call(host, (410, 5), r#""External id":1"#),
            (host, "cpu_op", "aten::mul", (460, 50), r#""External id":3"#),
            kernel("add", (420, 10), r#""External id":1"#),
            kernel("mul", (500, 10), r#""External id":3"#),
            kernel("mul", (520, 10), r#""External id":4"#),
        ],
    );
    let found = report(&path, &["--by", "kernel"]);
    let delays = found["kernels"].as_array().expect("rows").iter().map(|row| {
        let number = |key: &str| row[key].as_u64().unwrap_or(0);
        (
            row["name"].as_str().expect("a name"),
            number("launched"),
            number("mean_delay_ticks"),
            number("longest_delay_ticks"),
        )
    });
    let delays: Vec<_> = delays.collect();
    assert_eq!(
        delays,
        [("gemm", 2, 135_000, 180_000), ("mul", 1, 40_000, 40_000), ("add", 1, 10_000, 10_000)]
    );
    let arguments = ["profile", "-q", "--by", "kernel", "--format", "json"].map(PathBuf::from);
    for ranks in [1, 3] {
        let Some(output) = on_ranks(ranks, arguments.clone().into_iter().chain([path.clone()]))
        else {
            continue;
        };
        let again: Value = serde_json::from_str(&text(output.stdout)).expect("JSON");
        assert_eq!(again, found, "{ranks} ranks");
    }
    let output = streamfold(["validate", "-q"]).arg(&path).output().expect("a run");
    assert_eq!(output.status.code(), Some(0), "{}", text(output.stdout));
}

/// Times of Holistic Trace Analysis 0.5.0: idle, kernels that compute, the rest of the busy time, and the part of
/// communication that computation covers.
#[test]
fn idle_time_and_overlap_are_those_that_others_find() {
    let folder: PathBuf = traces_folder().join("kineto/sampled-two-ranks");
    if !folder.is_dir() {
        return skipped("no traces of PyTorch");
    }
    let found = report(&folder, &["--by", "kernel"]);
    let devices = found["devices"].as_array().expect("rows");
    let expected = [(675_191, 210_320, 337_336, 14.95), (651_136, 271_973, 308_077, 19.93)];
    assert_eq!(devices.len(), 2);
    for (device, (idle, compute, other, overlap)) in devices.iter().zip(expected) {
        let ticks = |key: &str| device[key].as_u64().expect("ticks") / 1000;
        assert_eq!(ticks("idle_ticks"), idle);
        assert_eq!(ticks("computation_ticks"), compute);
        assert_eq!(ticks("busy_ticks") - ticks("computation_ticks"), other);
        let percent = device["communication_overlapped_percent"].as_f64().expect("a share");
        assert!((percent - overlap).abs() < 0.006, "{percent} {overlap}");
    }
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
        let path = folder.join(name);
        assert_eq!(property(&of, "distributedInfo.world_size"), facts["world_size"].as_u64());
        let rank = groups
            .iter()
            .find_map(|it| of.strings[&it.name].to_string().strip_prefix("rank ")?.parse().ok());
        assert_eq!(rank, facts["rank"].as_u64(), "{name}");
        let steps = facts["profiler_steps"].as_array().expect("steps").len();
        if steps > 0 {
            let visits = report(&path, &["--of", "ProfilerStep", "--by", "iteration"]);
            assert_eq!(visits["iterations"].as_array().map(Vec::len), Some(steps), "{name}");
        }
        if streams == 0 {
            continue;
        }
        let report = report(&path, &["--by", "kernel"]);
        let sum = |table: &str, column: &str| -> u64 {
            let rows = report[table].as_array().expect("rows").iter();
            rows.map(|row| row[column].as_u64().unwrap_or(0)).sum()
        };
        assert_eq!(sum("kernels", "calls"), facts["kernels"].as_u64().expect("a number"), "{name}");
        assert_eq!(sum("copies", "count"), facts["copies"].as_u64().expect("a number"), "{name}");
        // Those facts do not look at the calls that copy.
        let bytes = if name.contains("amd") { Some(5120) } else { facts["copy_bytes"].as_u64() };
        assert_eq!(sum("copies", "bytes"), bytes.expect("a number"), "{name}");
        let close = |found: u64, expected: &Value| {
            let expected = expected.as_f64().expect("a time");
            assert!((found as f64 - 1000.0 * expected).abs() < 100.0, "{name} {found} {expected}");
        };
        close(sum("kernels", "total_ticks"), &facts["kernel_us"]);
        close(sum("copies", "ticks"), &facts["copy_us"]);
        let devices = report["devices"].as_array().expect("rows");
        let expected = facts["busy_us_by_device"].as_object().expect("times").values();
        for (device, expected) in devices.iter().zip(expected) {
            close(device["busy_ticks"].as_u64().expect("ticks"), expected);
        }
        let busy = report["streams"].as_array().expect("rows").iter();
        let busy: u64 = busy.map(|row| row["busy_ticks"].as_u64().expect("ticks")).sum();
        let expected = facts["busy_us_by_stream"].as_object().expect("times").values();
        let expected: f64 = expected.map(|time| time.as_f64().expect("a time")).sum();
        // Those sums are of times in doubles.
        assert!((busy as f64 - 1000.0 * expected).abs() < 100.0, "{name} {busy}");
    }
}
