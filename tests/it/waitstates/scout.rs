//! Waits of real runs are those that SCOUT finds: all of them, and of each location in each region.

use std::collections::BTreeMap;

use super::found::{number, regions, report, rows, text};
use crate::common::scout::Scout;

/// SCOUT's sums are of floating-point numbers, and clocks have no whole nanoseconds.
const SAME: f64 = 4e-9;

fn is_same(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= SAME + 1e-6 * expected.abs()
}

/// SCOUT reads no accesses to memory, and leaves out streams of accelerators: these are not compared.
#[test]
fn waits_are_those_of_scout() {
    let all = Scout::all();
    let (mut totals, mut cells, mut found_waits) = (0, 0, 0);
    for scout in &all {
        let (report, code) = report(&scout.archive.anchor);
        assert!(code == 0 || code == 3, "{}: exit code {code}", scout.name);
        let resolution = report["units"]["ticks_per_second"].as_f64().expect("a number");
        let seconds = |row| number(row, "ticks") as f64 / resolution;
        let regions = regions(&report);
        let found: BTreeMap<&str, f64> = rows(&report, "metrics")
            .iter()
            .map(|row| (text(row, "metric"), seconds(row)))
            .collect();
        let mut places: BTreeMap<(&str, String, &str), f64> = BTreeMap::new();
        for row in rows(&report, "severities") {
            let region = row["path"].as_u64().map_or("", |path| &*regions[&path]).to_owned();
            let key = (text(row, "metric"), region, text(row, "location_name"));
            *places.entry(key).or_default() += seconds(row);
        }
        let locations = scout.locations();
        for metric in scout.metrics() {
            let Some(found) = found.get(metric).filter(|_| !metric.starts_with("mpi_rma_")) else {
                continue;
            };
            let expected = scout.total(metric);
            totals += 1;
            found_waits += usize::from(expected > 0.0);
            assert!(
                is_same(*found, expected),
                "{}: {metric}: {found}, SCOUT {expected}",
                scout.name
            );
            let Some(by_path) = scout.by_path(metric) else { continue };
            let mut expected: BTreeMap<(String, &str), f64> = BTreeMap::new();
            for (path, values) in by_path {
                let region = path.rsplit(" > ").next().unwrap_or_default();
                for (location, value) in locations.iter().zip(values) {
                    *expected.entry((region.to_owned(), location)).or_default() += value;
                }
            }
            let of_metric = places.iter().filter(|((of, ..), _)| *of == metric);
            let of_metric: BTreeMap<(String, &str), f64> =
                of_metric.map(|((_, region, of), value)| ((region.clone(), *of), *value)).collect();
            for place in of_metric.keys().chain(expected.keys()) {
                let [found, expected] =
                    [&of_metric, &expected].map(|of| of.get(place).copied().unwrap_or(0.0));
                let said =
                    format!("{}: {metric} at {place:?}: {found}, SCOUT {expected}", scout.name);
                assert!(is_same(found, expected), "{said}");
            }
            cells += expected.len();
        }
    }
    assert!(
        all.is_empty() || totals > 100 && cells > 300 && found_waits > 30,
        "{totals}, {cells}, {found_waits}"
    );
}
