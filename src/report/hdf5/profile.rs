//! `/profile`, `/metrics` and `/derived`: tables over all locations.

use hdf5_metno::{Group, Result};
use streamfold_kernels::profile::metrics::MetricOddities;
use streamfold_kernels::profile::{Profile, ThreadCounts};

use super::columns::{Columns, Unit};
use super::table::{number_attribute, Tables};
use crate::profile::columns::{self, TakenBackTables, HDF5};
use crate::profile::derived::Derived;
use crate::profile::ProfileReport;

/// Writes all groups.
pub(super) fn write(tables: &mut Tables, file: &Group, report: ProfileReport<'_>) -> Result<()> {
    let profile = report.profile;
    let mut to = Writing { tables, group: file.create_group("profile")? };
    to.put("regions", columns::regions(report, &profile.regions))?;
    to.put("paths", columns::paths(report))?;
    to.put("locations", columns::locations(report))?;
    to.put("groups", columns::groups(report))?;
    to.put("total", columns::total(report))?;
    if !profile.threads.is_empty() {
        let counts = profile.threads.numbers();
        to.put("threads", columns::numbers(ThreadCounts::NAMES, Unit::Events, counts))?;
    }
    to.put("outside", columns::Columns::of(1).traffic(|_| profile.outside))?;
    if !profile.taken_back.is_empty() {
        let back = TakenBackTables::new(report);
        let total = back.total();
        to.put("taken_back_paths", back.paths)?;
        to.put("taken_back_regions", back.regions)?;
        to.put("taken_back_locations", back.locations)?;
        to.put("taken_back_groups", back.groups)?;
        to.put("taken_back_total", total)?;
    }
    if let Some(found) = &profile.samples {
        to.group = to.group.create_group("samples")?;
        number_attribute(&to.group, "odd_unwinds", found.odd_unwinds)?;
        number_attribute(&to.group, "undefined_contexts", found.undefined)?;
        to.put_any("generators", columns::generators(report, found))?;
        to.put("contexts", columns::contexts(report, found))?;
        to.put("regions", columns::sampled_regions(report, found))?;
        to.put("lines", columns::lines(report, found))?;
        to.put("locations", columns::sampled_locations(report, found))?;
        to.put("groups", columns::sampled_groups(report, found))?;
        to.put("total", columns::sampled_total(found))?;
    }
    if !profile.metrics.is_empty() {
        to.group = file.create_group("metrics")?;
        to.metrics(report)?;
    }
    if !report.derived.is_empty() {
        to.group = file.create_group("derived")?;
        to.derived(report)?;
    }
    Ok(())
}

struct Writing<'a> {
    tables: &'a mut Tables,
    group: Group,
}

impl Writing<'_> {
    /// Writes a table.
    fn put(&mut self, name: &str, columns: columns::Columns<'_>) -> Result<()> {
        let typed = columns.iter(HDF5).fold(Columns::<usize>::new(), |typed, column| {
            let kind = (column.kind, column.unit);
            typed.cells(&column.name, kind, column.or_zero, |row| (column.get)(*row))
        });
        self.tables.write_each(&self.group, name, &typed, columns.rows, || 0..columns.rows)
    }

    /// Writes a table that has any rows: h5diff takes empty tables for ones that it cannot compare.
    fn put_any(&mut self, name: &str, columns: columns::Columns<'_>) -> Result<()> {
        match columns.rows {
            0 => Ok(()),
            _ => self.put(name, columns),
        }
    }

    /// Writes the metrics of all rows that have any, and the series.
    fn metrics(&mut self, report: ProfileReport<'_>) -> Result<()> {
        let found = &report.profile.metrics;
        for (name, of, rows) in
            [("paths", "path", &found.paths), ("regions", "region_row", &found.regions)]
        {
            let places = columns::places(rows);
            self.put_any(name, columns::measured(report, of, rows, &places, columns::PARTS))?;
        }
        for (name, of, rows) in [
            ("locations", "location_row", &found.locations[..]),
            ("groups", "group_row", &found.groups),
            ("total", "", std::slice::from_ref(&found.total)),
            ("outside", "", std::slice::from_ref(&found.outside)),
        ] {
            let places = columns::places(rows);
            self.put_any(name, columns::measured(report, of, rows, &places, &[("", |of| of)]))?;
        }
        self.put_any("members", columns::members(report))?;
        self.put_any("series", columns::series(report))?;
        let oddities = found.oddities.numbers();
        self.put("oddities", columns::numbers(MetricOddities::NAMES, Unit::None, oddities))
    }

    /// Writes the metrics that follow from others, of all rows that have any.
    fn derived(&mut self, report: ProfileReport<'_>) -> Result<()> {
        let ProfileReport {
            profile: Profile { paths, regions, locations, groups, metrics, .. },
            ..
        } = report;
        self.put("names", columns::derived(report))?;
        let path = |i: usize| (paths[i].row.exclusive, paths[i].row.inclusive);
        let region = |i: usize| (regions[i].row.exclusive, regions[i].outer);
        for (name, of, rows, times) in [
            ("paths", "path", &metrics.paths, &path as &dyn Fn(usize) -> (u128, u128)),
            ("regions", "region_row", &metrics.regions, &region),
        ] {
            let values = |of: &Derived, i: usize| of.of_step(&report, times(i), &rows[i]);
            let names = ["exclusive", "inclusive"];
            self.put_any(name, columns::derived_cells(report, of, names, rows, values))?;
        }
        let location = |i: usize| locations[i].inside;
        let group = |i: usize| groups[i].inside;
        for (name, of, rows, inside) in [
            ("locations", "location_row", &metrics.locations, &location as &dyn Fn(usize) -> u128),
            ("groups", "group_row", &metrics.groups, &group),
        ] {
            let value = |of: &Derived, i: usize| [of.of_whole(&report, inside(i), &rows[i])];
            self.put_any(name, columns::derived_cells(report, of, ["value"], rows, value))?;
        }
        Ok(())
    }
}
