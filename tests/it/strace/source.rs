//! Logs as traces: every command reads them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use streamfold::formats::strace;
use streamfold::model::enums::RegionRole;

use super::{expected, folders};
use crate::common::archives::data;
use crate::common::program::{mpirun, said, streamfold, text};
use crate::common::usage::usage;

fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = streamfold(arguments).output().expect("a run");
    (output.status.code().unwrap_or(-1), text(&output.stdout), said(&output))
}

fn json(arguments: &[&str]) -> Value {
    let (code, out, err) = run(arguments);
    assert_eq!(code, 0, "{arguments:?}: {err}");
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
}

/// Folders of logs that are traces: those whose files lie in it, all with times that can be compared.
fn traces() -> Vec<PathBuf> {
    folders().into_iter().filter(|folder| !folder.ends_with("edge_real")).collect()
}

/// Visits are the calls that were counted by others, in all and by name; their time is that of the graph, but for
/// calls that seem to end behind the begin of the next one of their process.
#[test]
fn profiles_have_all_calls() {
    for folder in traces() {
        let expected = expected(&folder);
        let trace = folder.to_str().expect("text");
        let report = json(&["profile", "-q", "--mpi", "off", "--format", "json", trace]);
        let mut wanted: std::collections::BTreeMap<String, u64> = Default::default();
        for case in expected["cases"].as_object().expect("cases").values() {
            for (name, count) in case["calls"].as_object().expect("calls") {
                *wanted.entry(name.clone()).or_default() += count.as_u64().expect("a count");
            }
        }
        let regions = report["regions"].as_array().expect("regions").iter();
        let found = regions.map(|region| {
            let name = region["name"].as_str().expect("a name").to_owned();
            (name, region["visits"].as_u64().expect("a count"))
        });
        let found: std::collections::BTreeMap<String, u64> = found.collect();
        assert_eq!(found, wanted, "{trace}");
        let graph = json(&["dfg", "-q", "--mpi", "off", "--format", "json", "--depth", "0", trace]);
        let of_graph = graph["total_duration"].as_u64().expect("a time") as f64;
        let of_profile = report["total"]["exclusive"].as_u64().expect("a time") as f64;
        assert!(
            (of_graph - of_profile).abs() <= 0.002 * of_graph,
            "{trace}: {of_graph} {of_profile}"
        );
    }
}

/// Bytes of files are the sizes of all transfers, those of copies twice: of the file that is read, and the other one.
#[test]
fn operations_have_all_bytes() {
    for folder in traces() {
        let trace = folder.to_str().expect("text");
        let graph = json(&["dfg", "-q", "--mpi", "off", "--format", "json", trace]);
        let nodes = graph["nodes"].as_array().expect("nodes").iter();
        let copies = ["copy_file_range:", "sendfile:", "splice:", "tee:"];
        let bytes: u64 = nodes
            .filter_map(|node| {
                let name = node["activity"].as_str().expect("a name");
                let is_copy = copies.iter().any(|copy| name.starts_with(copy));
                Some(node["bytes"].as_u64()? * (1 + u64::from(is_copy)))
            })
            .sum();
        let report = json(&["match", "-q", "--mpi", "off", "--format", "json", trace]);
        let files = report["files"].as_array().expect("files").iter();
        let moved: u64 =
            files.filter_map(|file| file["moved"].as_u64().or(file["bytes"].as_u64())).sum();
        assert_eq!(moved, bytes, "{trace}: {}", report["files"][0]);
    }
}

#[test]
fn an_archive_of_a_log_has_the_same_profile() {
    for folder in traces() {
        let to = tempfile::TempDir::new().expect("a folder");
        let anchor = to.path().join("traces.otf2");
        let (trace, anchor) = (folder.to_str().expect("text"), anchor.to_str().expect("text"));
        let (code, _, err) = run(&["convert", "-q", "--mpi", "off", trace, "-o", anchor]);
        assert_eq!(code, 0, "{err}");
        let of = |trace: &str| {
            let report = json(&["profile", "-q", "--mpi", "off", "--format", "json", trace]);
            (report["paths"].clone(), report["locations"].clone(), report["total"].clone())
        };
        assert_eq!(of(trace), of(anchor), "{trace}");
        let (code, out, _) = run(&["validate", "--mpi", "off", anchor]);
        assert_eq!(code, 0, "{out}");
        assert!(out.contains("nothing is wrong"), "{out}");
    }
}

#[test]
fn any_number_of_ranks_reads_the_same() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/strace");
    let all = [("edge_hand", "profile"), ("paper_ls", "profile"), ("paper_ls", "match")];
    for (name, command) in all {
        let folder = own.join(name);
        let trace = folder.to_str().expect("text");
        let arguments = [command, "-q", "--format", "json", trace];
        let (_, alone, _) = run(&[&["--mpi", "off"][..], &arguments].concat());
        for ranks in [2, 3] {
            let Some(output) = mpirun(ranks, arguments) else { return };
            assert_eq!(text(&output.stdout), alone, "{command} {trace} on {ranks} ranks");
        }
    }
}

#[test]
fn what_is_wrong_is_found() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/strace/edge_hand");
    let trace = folder.to_str().expect("text");
    let (code, out, _) = run(&["validate", "--mpi", "off", trace]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("h_host1_77.st: ") && out.contains("line 31"), "{out}");
    let (code, _, err) = run(&["profile", "-q", "--mpi", "off", "--strict", trace]);
    assert_eq!(code, 2, "{err}");
    let info = json(&["info", "--mpi", "off", "--json", trace]);
    assert!(info.to_string().contains("\"unparsed\":\"2\""), "{info}");
    // A file whose name says nothing.
    let to = tempfile::TempDir::new().expect("a folder");
    let log = to.path().join("other.log");
    fs::copy(folder.join("h_host1_77.st"), &log).expect("a copy");
    let log = log.to_str().expect("text");
    let arguments = ["profile", "-q", "--mpi", "off", "--format", "json"];
    let report = json(&[&arguments[..], &["--input-format", "strace", log]].concat());
    assert_eq!(report["total"]["visits"].as_u64().or(Some(25)), Some(25));
    assert_eq!(json(&[&arguments[..], &[log]].concat()), report);
}

/// A folder of so many logs of one call each.
fn many(count: usize) -> tempfile::TempDir {
    let folder = tempfile::TempDir::new().expect("a folder");
    for number in 1..=count {
        let name = format!("a_h{}_{number}.st", number % 50);
        let call = "08:55:54.153000 read(3</d/all>, \"\"..., 832) = 832 <0.000203>";
        fs::write(folder.path().join(name), format!("{number}  {call}\n")).expect("written");
    }
    folder
}

/// Time is in proportion to the logs of a folder: four times as many take no more than 2.3 times 2.3 times as much.
#[test]
fn many_logs_take_time_in_proportion() {
    let [few, more] = [4_000, 16_000].map(many);
    for command in ["info", "profile"] {
        let [few, more] = [&few, &more].map(|folder| {
            let taken = usage(&[command], &[folder.path()], 60);
            assert_eq!(taken.code, 0, "{command}: {taken:?}");
            taken.time.as_secs_f64()
        });
        assert!(more < 5.3 * few, "{command}: {few} s and {more} s");
    }
}

/// Memory is that of the processes, whatever the picture of all of them has room for.
#[test]
fn many_small_logs_need_little_memory() {
    let folder = many(1_000);
    let taken = usage(&["io"], &[folder.path()], 60);
    assert!(taken.code == 0 && taken.memory < 100 << 20, "{taken:?}");
}

/// The category of a call stands for its paradigm, which the format has none of.
#[test]
fn calls_have_categories() {
    let path = data().join("strace");
    let folder = std::fs::read_dir(path).expect("a folder").map(|it| it.expect("an entry").path());
    let logs =
        folder.filter(|path| path.is_dir()).map(|path| strace::scan(&path, &[]).expect("logs").1);
    let mut found = std::collections::BTreeSet::new();
    for of in logs {
        for region in of.regions.values() {
            let category = of.category(region).expect("a category").to_string();
            let is_file_io = region.region_role != RegionRole::Function;
            assert_eq!(category == "POSIX", is_file_io, "{category}");
            found.insert(category);
        }
    }
    assert!(found.contains("POSIX"), "{found:?}");
}
