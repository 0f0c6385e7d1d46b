//! How well processors are used, compared with a slow count of printed records, and with itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::archives::{large, one, own};
use crate::common::program::{mpirun, said, streamfold, team, text};

fn report(path: &Path, more: &[&str]) -> Value {
    let mut program = streamfold(["efficiency", "-q", "--mpi", "off", "--format", "json"]);
    let output = program.args(more).arg(path).output().expect("a run");
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}: {}", path.display(), said(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn number(row: &Value, name: &str) -> u64 {
    row[name].as_u64().unwrap_or_else(|| panic!("{name} in {row}"))
}

fn rows<'v>(report: &'v Value, table: &str) -> &'v Vec<Value> {
    report[table].as_array().expect("a table")
}

fn factor(report: &Value, wanted: &str) -> Option<f64> {
    let row = rows(report, "factors").iter().find(|row| row["factor"] == wanted)?;
    row["value"].as_f64()
}

fn archives() -> Vec<PathBuf> {
    let anchors = own().into_iter().chain(large()).map(|archive| archive.anchor);
    anchors.collect()
}

/// The time of all threads goes somewhere, of every archive.
#[test]
fn what_time_is_spent_on_adds_up_to_all_time() {
    for anchor in archives() {
        let report = report(&anchor, &[]);
        let run = &rows(&report, "runs")[0];
        let whole = number(run, "elapsed_ticks") * number(run, "threads");
        let classes = rows(&report, "classes").iter().filter(|row| row["of"] == "threads");
        let spent: u64 = classes.map(|row| number(row, "ticks")).sum();
        assert_eq!(spent, whole, "{}", anchor.display());
    }
}

/// The factors of a level are those of the one above, multiplied.
#[test]
fn factors_multiply() {
    let mut multiplied = 0;
    for anchor in archives() {
        let report = report(&anchor, &[]);
        for [whole, one, other] in [
            ["parallel_efficiency", "load_balance", "communication_efficiency"],
            ["mpi_parallel_efficiency", "mpi_load_balance", "mpi_communication_efficiency"],
            ["parallel_efficiency", "mpi_parallel_efficiency", "omp_parallel_efficiency"],
            ["omp_parallel_efficiency", "omp_load_balance", "omp_communication_efficiency"],
        ] {
            let of = |name| factor(&report, name);
            let (Some(whole), Some(one), Some(other)) = (of(whole), of(one), of(other)) else {
                continue;
            };
            assert!(
                (whole - one * other).abs() < 1e-9,
                "{}: {whole} {one} {other}",
                anchor.display()
            );
            multiplied += 1;
        }
    }
    assert!(multiplied >= 9);
}

/// A slow count of a program of MPI without threads: ticks of computation by process.
fn slow(path: &Path) -> BTreeMap<String, u64> {
    let output = streamfold(["print", "-q", "--json"]).arg(path).output().expect("a run");
    let mut computing: BTreeMap<String, u64> = BTreeMap::new();
    let mut open: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    let mut latest: BTreeMap<u64, u64> = BTreeMap::new();
    let all = streamfold(["print", "-q", "--json", "-G"]).arg(path).output().expect("a run");
    let definitions: Vec<Value> =
        text(&all.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let processes: BTreeMap<u64, String> = definitions
        .iter()
        .filter(|of| of["record"] == "Location")
        .map(|of| (number(of, "id"), of["location_group_name"].as_str().unwrap_or("").to_owned()))
        .collect();
    for line in text(&output.stdout).lines() {
        let event: Value = serde_json::from_str(line).expect("JSON");
        let (location, time) = (number(&event, "location"), number(&event, "time"));
        let since = latest.insert(location, time).unwrap_or(time);
        let regions = open.entry(location).or_default();
        if regions.last().is_some_and(|name| !name.starts_with("MPI_")) {
            *computing.entry(processes[&location].clone()).or_default() += time - since;
        }
        match event["record"].as_str() {
            Some("Enter") => regions.push(event["region_name"].as_str().unwrap_or("").to_owned()),
            Some("Leave") => drop(regions.pop()),
            _ => {}
        }
    }
    computing
}

#[test]
fn computation_is_what_a_slow_count_finds() {
    let anchor = one("pingpong").anchor;
    let report = report(&anchor, &[]);
    let found: BTreeMap<String, u64> = rows(&report, "processes")
        .iter()
        .map(|row| {
            (row["process_name"].as_str().unwrap().to_owned(), number(row, "computation_ticks"))
        })
        .collect();
    let slow = slow(&anchor);
    assert_eq!(found, slow);
    // The factors by hand.
    let elapsed = number(&rows(&report, "runs")[0], "elapsed_ticks") as f64;
    let (sum, most) = (slow.values().sum::<u64>() as f64, *slow.values().max().unwrap() as f64);
    let count = slow.len() as f64;
    let is = |name, value: f64| {
        assert!((factor(&report, name).unwrap() - value).abs() < 1e-12, "{name}")
    };
    is("parallel_efficiency", sum / count / elapsed);
    is("load_balance", sum / count / most);
    is("communication_efficiency", most / elapsed);
}

/// Bins share the time of the whole to the tick.
#[test]
fn bins_add_up() {
    let anchor = one("pingpong").anchor;
    let report = report(&anchor, &["--bins", "7"]);
    let bins = rows(&report, "bins");
    assert_eq!(bins.len(), 7);
    let elapsed: u64 = bins.iter().map(|row| number(row, "end") - number(row, "begin")).sum();
    let run = &rows(&report, "runs")[0];
    assert_eq!(elapsed, number(run, "elapsed_ticks"));
    let useful: f64 = bins
        .iter()
        .map(|row| {
            let length = (number(row, "end") - number(row, "begin")) as f64;
            row["parallel_efficiency"].as_f64().unwrap_or(0.0)
                * length
                * number(run, "threads") as f64
        })
        .sum();
    assert!((useful - number(run, "useful_ticks") as f64).abs() < 1.0);
}

/// The visits of the region around everything are all of its time; those that there are not are refused or empty.
#[test]
fn visits_of_a_region_are_a_part() {
    let anchor = one("pingpong").anchor;
    let whole = report(&anchor, &["--region", "^int main"]);
    let first = report(&anchor, &["--iterations", "int main(int, char**)", "1"]);
    assert_eq!(rows(&whole, "factors"), rows(&first, "factors"));
    let args = ["efficiency", "-q", "--iterations", "int main(int, char**)", "2.."];
    let none = streamfold(args).arg(&anchor).output().expect("a run");
    assert_eq!(none.status.code(), Some(1), "{}", said(&none));
    let output =
        streamfold(["efficiency", "-q", "--region", "^nowhere$"]).arg(&anchor).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
}

#[test]
fn a_run_does_not_scale_against_itself() {
    let anchor = one("pingpong").anchor;
    let twice = report(&anchor, &[anchor.to_str().expect("a path")]);
    for row in rows(&twice, "runs") {
        assert_eq!(row["speed_up"], 1.0);
        assert_eq!(row["computation_scaling"], 1.0);
    }
}

#[test]
fn ranks_and_threads_do_not_show() {
    for anchor in archives().into_iter().take(6) {
        let of = |program: &mut assert_cmd::Command| {
            let output = program.output().expect("a run");
            assert!(matches!(output.status.code(), Some(0 | 3)), "{}", said(&output));
            output.stdout
        };
        let args = ["efficiency", "-q", "--format", "json", "--bins", "5"];
        let alone = of(streamfold(args).args(["--threads", "1"]).arg(&anchor));
        for size in [2, 3, 5] {
            let mut with: Vec<&str> = args.to_vec();
            with.push(anchor.to_str().expect("a path"));
            assert_eq!(text(team(size, &with).stdout), text(&alone), "{} ranks", size);
        }
    }
    let anchor = one("pingpong").anchor;
    let args = ["efficiency", "-q", "--format", "json", anchor.to_str().expect("a path")];
    if let Some(output) = mpirun(2, args) {
        let alone = streamfold(args).output().expect("a run");
        assert_eq!(text(output.stdout), text(alone.stdout));
    }
}

#[test]
fn talp_has_the_factors() {
    let anchor = one("pingpong").anchor;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("talp.json");
    let output =
        streamfold(["efficiency", "-q", "--talp"]).arg(&file).arg(&anchor).output().unwrap();
    assert!(output.status.success() && output.stdout.is_empty(), "{}", said(&output));
    let talp: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).expect("JSON");
    let global = &talp["Application"]["Global"];
    let report = report(&anchor, &[]);
    assert_eq!(global["parallelEfficiency"].as_f64(), factor(&report, "parallel_efficiency"));
    assert_eq!(talp["resources"]["numMpiRanks"], 2);
}
