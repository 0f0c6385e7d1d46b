//! Streams of accelerators, the recorder's own functions, and teams of threads in traces of VampirTrace.

use std::path::PathBuf;

use serde_json::{json, Value};
use streamfold::formats::otf::scan;
use streamfold::model::enums::{LocationType, Paradigm, RegionRole};
use streamfold::model::store::Definitions;

use crate::common::archives::data;
use crate::common::program::{said, streamfold};

fn trace(name: &str) -> PathBuf {
    let folder = data().join("otf").join(name);
    let found =
        std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("a file").path());
    let is_master = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "otf");
    found.into_iter().find(is_master).expect("a master file")
}

fn definitions(name: &str) -> Definitions {
    scan(&trace(name)).expect("a trace").1
}

fn report(command: &[&str], name: &str) -> Value {
    let run = streamfold(command).args(["--format", "json", "-q"]).arg(trace(name)).output();
    let run = run.expect("a run");
    assert_eq!(run.status.code(), Some(0), "{}", said(&run));
    serde_json::from_slice(&run.stdout).expect("JSON")
}

fn rows_of<'r>(report: &'r Value, table: &str) -> impl Iterator<Item = &'r Value> {
    report[table].as_array().expect("rows").iter()
}

/// What a function is, by its name.
fn meaning(of: &Definitions, name: &str) -> (RegionRole, Paradigm) {
    let region = of.regions.values().find(|region| of.strings[&region.name] == name);
    region.map(|region| (region.region_role, region.paradigm)).expect("a function")
}

/// An attribute of a group is one of its members.
#[test]
fn streams_are_marked_by_their_group() {
    let of = definitions("vtgpu");
    let kinds: Vec<LocationType> = of.locations.values().map(|it| it.location_type).collect();
    let (thread, stream) = (LocationType::CpuThread, LocationType::AcceleratorStream);
    assert_eq!(kinds, [thread, stream, stream]);
    let kernels = report(&["profile", "--by", "kernel"], "vtgpu");
    assert_eq!(rows_of(&kernels, "streams").count(), 2);
}

/// VampirTrace's flush is its own time; a program may have a function of that name.
#[test]
fn a_flush_is_measurement() {
    let of = definitions("vtflush");
    let own = (RegionRole::Function, Paradigm::MeasurementSystem);
    assert_eq!([meaning(&of, "flush"), meaning(&of, "sync")], [own, own]);
    let times = report(&["efficiency"], "vtflush");
    let useful: Vec<&Value> =
        rows_of(&times, "processes").map(|row| &row["computation_ticks"]).collect();
    assert_eq!(useful, [390_000, 390_000], "{times}");
    let measured = rows_of(&times, "classes").find(|row| row["group"] == "measurement");
    let measured = measured.expect("a row");
    assert_eq!((&measured["class"], &measured["ticks"]), (&json!("flush"), &json!(600_000)));
}

/// The time in which nothing runs on a stream is no kernel's.
#[test]
fn idle_streams_are_artificial() {
    let of = definitions("vtgpu");
    assert_eq!(meaning(&of, "gpu_idle"), (RegionRole::Artificial, Paradigm::Cuda));
    assert_eq!(meaning(&of, "vecAdd"), (RegionRole::Function, Paradigm::Cuda));
}

/// The other end of a copy is the stream that is in the group, though it belongs to the same process.
#[test]
fn copies_between_host_and_stream() {
    let kernels = report(&["profile", "--by", "kernel"], "vtcopy");
    let copies: Vec<_> = rows_of(&kernels, "copies")
        .map(|row| {
            let number = |column: &str| row[column].as_u64().expect("a number");
            let direction = row["direction"].as_str().expect("text").to_owned();
            (direction, number("count"), number("bytes"), number("ticks"))
        })
        .collect();
    let to_device = ("host to device".to_owned(), 1, 4_096_000, 180_000);
    let to_host = ("device to host".to_owned(), 1, 1_024_000, 80_000);
    assert_eq!(copies, [to_device, to_host]);
}

/// The barrier of a team is one of its threads, though they are of one process.
#[test]
fn barriers_of_teams() {
    let matched = report(&["match"], "ompc");
    let barriers: Vec<_> = rows_of(&matched, "collectives").collect();
    let columns = ["parts", "complete", "incomplete", "ticks_before_last"];
    assert_eq!(columns.map(|column| barriers[0][column].as_u64()), [2, 1, 0, 200_000].map(Some));
    let waits = report(&["waitstates"], "ompc");
    let worst: Vec<_> = rows_of(&waits, "worst").collect();
    assert_eq!(worst.len(), 1, "{waits}");
    let found = ["metric", "ticks", "location", "cause_location"].map(|column| &worst[0][column]);
    assert_eq!(found, [&json!("omp_ibarrier_wait"), &json!(200_000), &json!(65537), &json!(1)]);
}
