//! The path of real runs, and its impact, are those that SCOUT finds, but for what differs by definition: docs/use/critical.md
//! says it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::path::{holds, report};
use crate::common::scout::Scout;
use crate::waitstates::found::{number, rows};

/// Seconds of a column by call path. Fork and join are in the region around them.
fn by_path(report: &Value, column: &str) -> BTreeMap<String, f64> {
    let mut sums = BTreeMap::new();
    for (path, seconds) in by_kept_path(report, column) {
        let path = path.trim_end_matches("(fork and join)").trim_end_matches(" > ");
        *sums.entry(path.to_owned()).or_default() += seconds;
    }
    sums
}

/// The same, fork and join apart.
fn by_kept_path(report: &Value, column: &str) -> BTreeMap<String, f64> {
    let resolution = report["units"]["ticks_per_second"].as_f64().expect("a number");
    let mut sums = BTreeMap::new();
    for row in rows(report, "by_call_path") {
        let is_outside = row["path"].is_null() && number(row, "fork_join") == 0;
        let path = if is_outside { "" } else { row["call_path"].as_str().expect("text") };
        *sums.entry(path.to_owned()).or_default() += number(row, column) as f64 / resolution;
    }
    sums
}

fn seconds(report: &Value, member: &str) -> f64 {
    let resolution = report["units"]["ticks_per_second"].as_f64().expect("a number");
    number(report, member) as f64 / resolution
}

fn sums(of: BTreeMap<String, Vec<f64>>) -> BTreeMap<String, f64> {
    of.into_iter().map(|(path, values)| (path, values.iter().sum())).collect()
}

/// SCOUT's path is from MPI_Init to MPI_Finalize. On call paths on which both have the same time all else is the same.
#[test]
fn impact_by_call_path_is_that_of_scout() {
    for (name, elsewhere) in [
        ("casita-10_scorep_mpi_tags", 0.03),
        ("casita-4_mpi_ls_barr", 0.05),
        ("scorep2-nonblocking-subcomms", 0.02),
        ("scorep8-comd-mpi-all", 0.000_2),
    ] {
        let Some(scout) = Scout::all().into_iter().find(|scout| scout.name == name) else {
            continue;
        };
        let (report, code) = report(&scout.archive.anchor, &[]);
        assert_eq!(code, 0, "{name}");
        let expected = |metric| sums(scout.by_path(metric).expect("values"));
        let (found, on_path) = (by_path(&report, "ticks"), expected("critical_path"));
        let is_same = |path: &&String| {
            let expected = on_path.get(*path).copied().unwrap_or(0.0);
            (found[*path] - expected).abs() < 1e-8
        };
        let same: Vec<&String> = found.keys().filter(is_same).collect();
        let rest: f64 = found.keys().filter(|path| !is_same(path)).map(|path| found[path]).sum();
        assert!(same.len() > 6, "{name}: {} of {}", same.len(), found.len());
        assert!(rest < elsewhere, "{name}: {rest} s elsewhere");
        // Of a location that is on a call path for less than some 1.2 us SCOUT says that it is not there.
        let tiny = 1.6e-6 * scout.locations().len() as f64;
        for (column, metric) in [
            ("imbalance_ticks", "critical_path_imbalance"),
            ("activities_ticks", "critical_path_activities"),
            ("off_path_ticks", "non_critical_path_activities"),
        ] {
            let (found, expected) = (by_path(&report, column), expected(metric));
            for path in &same {
                let expected = expected.get(*path).copied().unwrap_or(0.0);
                let said =
                    format!("{name}: {metric} of {path}: {}, SCOUT {expected}", found[*path]);
                assert!((found[*path] - expected).abs() < tiny, "{said}");
            }
        }
        // What the path has more costs each location at most as much.
        let longer = seconds(&report, "total_ticks") - scout.total("critical_path");
        let most = longer * scout.locations().len() as f64 + tiny;
        for (member, metric) in [
            ("activities_ticks", "critical_path_activities"),
            ("imbalance_impact_ticks", "critical_imbalance_impact"),
        ] {
            let (found, expected) = (seconds(&report, member), scout.total(metric));
            let said = format!("{name}: {metric}: {found}, SCOUT {expected}, {longer} s longer");
            assert!((found - expected).abs() < most, "{said}");
        }
    }
}

/// Of teams, and of runs with streams on the path, sums are compared; without MPI_Finalize SCOUT has no path.
#[test]
fn other_paths_are_about_those_of_scout() {
    for scout in Scout::all() {
        let name = scout.name;
        let (report, code) = report(&scout.archive.anchor, &[]);
        assert!(code == 0 || code == 3, "{name}: exit code {code}");
        holds(&report, name);
        let total = seconds(&report, "total_ticks");
        let expected = scout.total("critical_path");
        if expected == 0.0 {
            assert_eq!(name, "scorep3-stencil4d-32");
            continue;
        }
        assert!(expected < total && total < expected * 1.07, "{name}: {total}, SCOUT {expected}");
        let is_hybrid = name == "scorep8-lulesh-hybrid";
        // Streams are on the path here, and never there.
        let has_streams =
            ["casita-2_cloverleaf_oaccregions_cudafull", "casita-2_cuda_simple"].contains(&name);
        // Activities and what is off the path are all time without waits.
        let [on, off] = ["activities_ticks", "off_path_ticks"].map(|of| seconds(&report, of));
        let busy = ["critical_path_activities", "non_critical_path_activities"];
        let busy: f64 = busy.iter().map(|metric| scout.total(metric)).sum();
        let said = format!("{name}: {on} and {off} are busy, SCOUT {busy}");
        assert!(is_hybrid || has_streams || (on + off - busy).abs() < 1e-5, "{said}");
        if !is_hybrid {
            continue;
        }
        let kind = |path: &str| {
            let last = path.rsplit(" > ").next().unwrap_or_default();
            let is = |text: &str| last.contains(text);
            match () {
                () if is("MPI_Init") || is("MPI_Finalize") || path.is_empty() => "start",
                () if is("parallel @") || is("fork and join") => "teams",
                () if is("barrier @") => "barriers",
                () if is("!$omp") => "work of teams",
                () if is("MPI_") => "MPI",
                () => "others",
            }
        };
        let by_kind = |of: BTreeMap<String, f64>| {
            let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
            of.iter().for_each(|(path, value)| *sums.entry(kind(path)).or_default() += value);
            sums
        };
        let kinds = ["teams", "barriers", "work of teams", "MPI", "others"];
        // All of forks and joins is imbalance there, and only what others do not have here.
        for (column, metric, kinds) in [
            ("ticks", "critical_path", &kinds[..]),
            ("imbalance_ticks", "critical_path_imbalance", &kinds[1..]),
        ] {
            let found = by_kind(by_kept_path(&report, column));
            let expected = by_kind(sums(scout.by_path(metric).expect("values")));
            for kind in kinds {
                let [found, expected] =
                    [&found, &expected].map(|of| of.get(kind).copied().unwrap_or(0.0));
                let said = format!("{name}: {metric}, {kind}: {found}, SCOUT {expected}");
                assert!((found - expected).abs() < 0.000_4 + expected / 1000.0, "{said}");
            }
        }
    }
}
