//! Archives of real runs: what holds for each path, for any number of ranks, in any output; and what SCOUT found.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::path::{args, by_call_path, holds, report, sections, sum, ByPath};
use crate::common::archives::{data, facts, one, own, Archive};
use crate::common::copy_folder;
use crate::common::csv::fields;
use crate::common::program::{on_ranks, said, streamfold, text};
use crate::waitstates::found::{number, rows};

/// Those of this repository, with those of which another program knows the path.
fn archives() -> Vec<Archive> {
    let known = ["mpi_ls_barr", "scorep_mpi_tags", "cuda_simple"];
    let known = known.map(|name| Archive::find(&data().join("critical").join(name)));
    own().into_iter().chain(known.into_iter().flatten()).collect()
}

#[test]
fn the_path_is_the_run() {
    let mut long = 0;
    for archive in archives() {
        let (report, code) = report(&archive.anchor, &[]);
        assert!(code == 0 || code == 3, "{}: exit code {code}", archive.name);
        assert_eq!(report["schema"], "streamfold-critical");
        holds(&report, &archive.name);
        long += usize::from(rows(&report, "sections").len() > 10);
    }
    assert!(long > 3, "{long} paths have sections");
}

#[test]
fn so_it_is_in_other_formats() {
    let traces =
        ["dftracer/2.2-plain", "dftracer/pytorch", "strace/edge_exec", "gistlog/page-example.gist"];
    for trace in traces.into_iter().chain(["otf/ompc", "otf/vtgpu", "dftracer/chrome-compat"]) {
        let (report, code) = report(&data().join(trace), &[]);
        assert!(code == 0 || code == 3, "{trace}: exit code {code}");
        holds(&report, trace);
        if trace == "otf/vtgpu" {
            let after: Vec<_> = sections(&report).into_iter().map(|(.., after)| after).collect();
            assert_eq!(after, ["begin", "launch", "device_wait"]);
            continue;
        }
        assert_eq!(rows(&report, "sections").len(), 1, "{trace}");
        let output =
            streamfold(["critical", "-q"]).arg(data().join(trace)).output().expect("a run");
        assert!(text(&output.stdout).contains(", stays on "), "{trace}: {}", text(&output.stdout));
    }
}

/// Windows that follow each other have the whole path together.
#[test]
fn parts_of_the_time_add_up() {
    for name in ["hybrid", "intercomm", "sampling"] {
        let archive = one(name);
        let (whole, _) = report(&archive.anchor, &[]);
        let expected = by_call_path(&whole, "ticks");
        let (mut found, mut ticks) = (ByPath::new(), 0);
        for (from, to) in [("begin", "30%"), ("30%", "99%"), ("99%", "end")] {
            let (part, _) = report(&archive.anchor, &["--time", from, to]);
            for (path, ticks) in by_call_path(&part, "ticks") {
                *found.entry(path).or_default() += ticks;
            }
            ticks += number(&part, "total_ticks");
            assert_eq!(number(&part, "run_ticks"), number(&part, "total_ticks"), "{name}");
        }
        // The last tick of the run is not before its end.
        assert_eq!((found, ticks), (expected, number(&whole, "total_ticks")), "{name}");
    }
}

/// The path has no time that does not count.
#[test]
fn start_up_and_iterations_are_parts_of_the_path() {
    let archive = one("hybrid");
    let (whole, _) = report(&archive.anchor, &[]);
    for more in [&["--without-startup"][..], &["--iterations", "exchange", "2..3"]] {
        let (part, code) = report(&archive.anchor, more);
        assert_eq!(code, 0, "{more:?}");
        holds(&part, "a part");
        let (all, total) = (number(&whole, "total_ticks"), number(&part, "total_ticks"));
        assert!(0 < total && total < all, "{more:?}: {total} of {all}");
        let all = by_call_path(&whole, "ticks");
        for (path, ticks) in by_call_path(&part, "ticks") {
            assert!(ticks <= all[&path], "{more:?}: {path:?}");
            assert!(!path.0.contains("MPI_Init"), "{more:?}: {path:?}");
        }
    }
}

#[test]
fn any_number_of_ranks_says_the_same() {
    let archives = ["hybrid", "intercomm", "eztrace"].map(one);
    let with_streams = Archive::find(&data().join("critical/cuda_simple"));
    for archive in archives.into_iter().chain(with_streams) {
        for more in [&[][..], &["--time", "20%", "90%"]] {
            let args = args(&archive.anchor, more);
            let alone = streamfold(&args).args(["--threads", "1"]).output().expect("a run");
            for ranks in [1, 2, 3, 5] {
                let Some(found) = on_ranks(ranks, &args) else { continue };
                assert!(found.stdout == alone.stdout, "{}: {ranks} ranks", archive.name);
                assert_eq!(found.status.code(), alone.status.code());
            }
        }
    }
}

#[test]
fn little_memory_says_the_same() {
    let archive = one("intercomm");
    let args = args(&archive.anchor, &[]);
    let expected = streamfold(&args).output().expect("a run").stdout;
    let found = streamfold(&args).args(["--room", "100"]).output().expect("a run");
    assert!(found.stdout == expected, "{}", said(&found));
}

/// All outputs have the same rows.
#[test]
fn outputs_say_the_same() {
    let archive = one("hybrid");
    let (json, _) = report(&archive.anchor, &[]);
    let folder = tempfile::tempdir().expect("a folder");
    for table in ["by_call_path", "by_location", "by_class", "longest", "sections"] {
        let file = folder.path().join("table.csv");
        let args = ["critical", "-q", "--table", table, "-o"];
        let output = streamfold(args).arg(&file).arg(&archive.anchor).output().expect("a run");
        assert_eq!(output.status.code(), Some(0), "{table}: {}", said(&output));
        let csv = fs::read_to_string(&file).expect("a file");
        let mut lines = csv.lines().filter(|line| !line.starts_with('#'));
        let header = fields(lines.next().expect("a header"));
        let of_json = rows(&json, table);
        let names: Vec<_> = of_json[0].as_object().expect("a row").keys().cloned().collect();
        let is_known = |name: &String| names.contains(name) || name == "ticks_per_second";
        assert!(header.iter().all(is_known), "{table}: {header:?}");
        let ticks = header.iter().position(|name| name == "ticks").expect("ticks");
        let found: Vec<u64> =
            lines.map(|line| fields(line)[ticks].parse().expect("ticks")).collect();
        let expected: Vec<u64> = of_json.iter().map(|row| number(row, "ticks")).collect();
        assert_eq!(found, expected, "{table}");
    }
    let list = folder.path().join("list.csv");
    let args = ["critical", "-q", "--list"];
    let output = streamfold(args).arg(&list).arg(&archive.anchor).output().expect("a run");
    assert!(output.stdout.is_empty(), "who asks for a file gets no table");
    let list = fs::read_to_string(&list).expect("a file");
    let count = list.lines().filter(|line| !line.starts_with('#')).count();
    assert_eq!(count, 1 + sections(&json).len());
}

/// The archive in a folder of its own, with one of its streams changed.
fn changed(archive: &Archive, change: impl Fn(&Path)) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    copy_folder(&archive.folder, folder.path());
    let events = folder.path().join(archive.anchor.file_stem().expect("a name"));
    let entries = fs::read_dir(events).expect("a folder of events");
    let mut streams: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|suffix| suffix == "evt"))
        .collect();
    streams.sort();
    change(&streams[1]);
    folder
}

/// A run that crashed, or of which something is lost, has a path all the same.
#[test]
fn what_is_lost_is_said() {
    for archive in ["hybrid", "intercomm"].map(one) {
        let cut = |path: &Path| {
            let bytes = fs::read(path).expect("a file");
            fs::write(path, &bytes[..bytes.len() * 2 / 5]).expect("written");
        };
        let remove = |path: &Path| fs::remove_file(path).expect("a file");
        for change in [&cut as &dyn Fn(&Path), &remove] {
            let folder = changed(&archive, change);
            let anchor = Archive::find(folder.path()).expect("an archive").anchor;
            let (report, code) = report(&anchor, &[]);
            assert_eq!(code, 3, "{}", archive.name);
            holds(&report, &archive.name);
            let losses = report["provenance"]["losses"].as_array().expect("losses");
            assert!(!losses.is_empty(), "{}", archive.name);
            let strict = args(&anchor, &["--strict"]);
            let output = streamfold(strict).output().expect("a run");
            assert_eq!(output.status.code(), Some(2), "{}", archive.name);
        }
    }
}

/// CASITA's path has hosts, kernels and streams, too. Of copies it has the calls only, where it loses time.
#[test]
fn times_by_region_are_those_of_casita() {
    const SAME: f64 = 1.2e-4;
    let folder = data().join("critical/cuda_simple");
    let archive = Archive::find(&folder).expect("an archive");
    let (report, code) = report(&archive.anchor, &[]);
    assert_eq!(code, 0);
    assert_eq!(number(&report, "impossible_edges"), 0);
    let resolution = report["units"]["ticks_per_second"].as_f64().expect("a number");
    let mut found: BTreeMap<&str, f64> = BTreeMap::new();
    for row in rows(&report, "by_call_path") {
        let is_inside = number(row, "fork_join") == 0;
        if let Some(region) = row["region"].as_str().filter(|_| is_inside) {
            *found.entry(region).or_default() += number(row, "ticks") as f64 / resolution;
        }
    }
    let facts = facts(&folder.join("casita.json"));
    let expected = facts["time_on_cp"].as_object().expect("regions");
    let is_copy = |region: &&str| region.starts_with("cuMemcpy");
    let all: BTreeSet<&str> =
        expected.keys().map(String::as_str).chain(found.keys().copied()).collect();
    for region in all.into_iter().filter(|region| !is_copy(region)) {
        let found = found.get(region).copied().unwrap_or(0.0);
        let of_casita = expected.get(region).and_then(Value::as_f64).unwrap_or(0.0);
        assert!((found - of_casita).abs() < SAME, "{region}: {found}, CASITA {of_casita}");
    }
    assert!(found["_Z11copy_kernelPfPKfii"] > 0.004, "kernels are on the path");
    let after: Vec<_> = sections(&report).into_iter().map(|(.., after)| after).collect();
    for kind in ["launch", "device_wait"] {
        assert!(after.iter().filter(|after| *after == kind).count() > 20, "{kind}: {after:?}");
    }
}

/// Seconds of a metric of SCOUT by call path.
fn of_scout(facts: &Value, metric: &str) -> BTreeMap<String, f64> {
    let paths = facts[metric].as_object().expect("call paths").iter();
    let sum = |of: &Value| {
        let values = of.as_array().expect("locations").iter();
        values.map(|value| value.as_f64().expect("seconds")).sum::<f64>()
    };
    paths.map(|(path, of)| (path.clone(), sum(of))).collect()
}

/// SCOUT's path ends where MPI_Finalize is entered last, and begins with MPI_Init.
#[test]
fn times_by_call_path_are_those_of_scout() {
    const SAME: f64 = 1e-6;
    for name in ["mpi_ls_barr", "scorep_mpi_tags"] {
        let folder = data().join("critical").join(name);
        let archive = Archive::find(&folder).expect("an archive");
        let (report, code) = report(&archive.anchor, &[]);
        assert_eq!(code, 0, "{name}");
        let resolution = report["units"]["ticks_per_second"].as_f64().expect("a number");
        let facts = facts(&folder.join("scout.json"));
        for (metric, column) in
            [("critical_path", "ticks"), ("critical_path_imbalance", "imbalance_ticks")]
        {
            let found = by_call_path(&report, column);
            let found: BTreeMap<String, f64> = found
                .into_iter()
                .map(|((path, _), ticks)| (path, ticks as f64 / resolution))
                .collect();
            let expected = of_scout(&facts, metric);
            let is_inside =
                |path: &str| path.starts_with("main > ") && !path.ends_with("_Finalize");
            for path in found.keys().chain(expected.keys()).filter(|path| is_inside(path)) {
                let [found, expected] =
                    [&found, &expected].map(|of| of.get(path).copied().unwrap_or(0.0));
                let said = format!("{name}: {metric} of {path}: {found}, SCOUT {expected}");
                assert!((found - expected).abs() < SAME, "{said}");
            }
        }
        // No more than that end is different.
        let of_scout: f64 = of_scout(&facts, "critical_path").values().sum();
        let total = sum(&report, "by_call_path", "ticks") as f64 / resolution;
        assert!(of_scout < total && total < of_scout + 0.1, "{name}: {total}, SCOUT {of_scout}");
    }
}
