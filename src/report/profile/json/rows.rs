//! Regions, call paths, location groups and locations.

use std::io;

use streamfold_kernels::profile::{
    extremes, GroupRow, LocationRow, PathRow, RegionRow, Row, Step, Traffic,
};
use streamfold_model::ids::Reference;

use super::super::ProfileReport;
use super::members::Fields;
use streamfold_analyses::steps;
use streamfold_text::names;

fn traffic(fields: &mut Fields<'_>, traffic: &Traffic) -> io::Result<()> {
    let mut numbers = Traffic::COLUMNS.iter().zip(traffic.numbers());
    numbers.try_for_each(|((name, _), number)| fields.put(name, number))
}

pub(super) fn row(fields: &mut Fields<'_>, row: &Row) -> io::Result<()> {
    let (shortest, longest) = row.extremes().unzip();
    fields.put("visits", row.visits)?;
    fields.put("closed", row.closed)?;
    fields.put("inclusive", row.inclusive)?;
    fields.put("exclusive", row.exclusive)?;
    fields.put("shortest", shortest)?;
    fields.put("longest", longest)?;
    fields.put("mean", row.mean())?;
    fields.put("locations", row.spread.locations)?;
    exclusive_by_location(fields, row)?;
    traffic(fields, &row.traffic)
}

fn exclusive_by_location(fields: &mut Fields<'_>, row: &Row) -> io::Result<()> {
    const NAME: &str = "exclusive_by_location";
    let spread = &row.spread;
    if spread.locations == 0 {
        return fields.put(NAME, None::<()>);
    }
    fields.object(NAME, |fields| {
        fields.put("least", spread.least)?;
        fields.put("mean", row.exclusive as f64 / spread.locations as f64)?;
        fields.put("most", spread.most)?;
        fields.put("most_at", spread.most_at)
    })
}

pub(super) fn step(
    fields: &mut Fields<'_>,
    report: &ProfileReport<'_>,
    step: Step,
) -> io::Result<()> {
    fields.put("region", steps::reference(step))?;
    fields.put("name", steps::step(report.definitions, step))?;
    fields.put("kind", steps::kind(step))
}

pub(super) fn region(
    fields: &mut Fields<'_>,
    report: &ProfileReport<'_>,
    of: &RegionRow,
) -> io::Result<()> {
    step(fields, report, of.step)?;
    let definitions = report.definitions;
    if let Some(region) = of.step.region().and_then(|region| definitions.regions.get(&region)) {
        let text = |string| definitions.string(string).map(|text| text.to_string());
        let (role, paradigm) = (region.region_role, region.paradigm);
        fields.put("canonical_name", text(region.canonical_name))?;
        fields.put("file", text(region.source_file))?;
        fields.put("begin_line", region.begin_line_number)?;
        fields.put("end_line", region.end_line_number)?;
        fields.put("role", names::json_value(role.name(), role))?;
        fields.put("paradigm", names::json_value(paradigm.name(), paradigm))?;
    }
    fields.put("outer", of.outer)?;
    row(fields, &of.row)
}

pub(super) fn path(
    fields: &mut Fields<'_>,
    report: &ProfileReport<'_>,
    of: &PathRow,
) -> io::Result<()> {
    fields.put("parent", of.parent)?;
    fields.put("depth", of.depth)?;
    step(fields, report, of.step)?;
    row(fields, &of.row)
}

pub(super) fn group(
    fields: &mut Fields<'_>,
    report: &ProfileReport<'_>,
    of: &GroupRow,
) -> io::Result<()> {
    fields.put("group", (!of.group.is_undefined()).then_some(of.group))?;
    fields.put("name", names::group(report.definitions, of.group))?;
    fields.put("locations", of.locations)?;
    fields.put("events", of.events)?;
    visits(fields, [of.visits, of.closed], [of.inclusive, of.inside], [of.shortest, of.longest])?;
    fields.put("oddities", of.oddities)?;
    traffic(fields, &of.traffic)
}

pub(super) fn location(
    fields: &mut Fields<'_>,
    report: &ProfileReport<'_>,
    of: &LocationRow,
) -> io::Result<()> {
    let definitions = report.definitions;
    let definition = definitions.locations.get(&of.location);
    let kind = definition.map(|d| names::json_value(d.location_type.name(), d.location_type));
    fields.put("location", of.location)?;
    fields.put("name", names::location(definitions, of.location))?;
    fields.put("type", kind)?;
    fields.put("group", definition.map(|d| d.location_group))?;
    fields.put("group_name", names::group_of(definitions, of.location))?;
    fields.put("events", of.events)?;
    fields.put("unknown_events", of.unknown)?;
    fields.put("first", of.first)?;
    fields.put("last", of.last)?;
    visits(fields, [of.visits, of.closed], [of.inclusive, of.inside], [of.shortest, of.longest])?;
    fields.put("max_depth", of.depth)?;
    fields.put("oddities", of.oddities)?;
    traffic(fields, &of.traffic)
}

/// The visits of locations: how many began and ended, inclusive time and that inside of any region, and the shortest
/// and longest of one. Times in ticks.
fn visits(
    fields: &mut Fields<'_>,
    [visits, closed]: [u64; 2],
    [inclusive, inside]: [u128; 2],
    [shortest, longest]: [u64; 2],
) -> io::Result<()> {
    let (shortest, longest) = extremes(shortest, longest).unzip();
    fields.put("visits", visits)?;
    fields.put("closed", closed)?;
    fields.put("inclusive", inclusive)?;
    fields.put("inside", inside)?;
    fields.put("shortest", shortest)?;
    fields.put("longest", longest)?;
    fields.put("mean", (closed > 0).then(|| inclusive as f64 / closed as f64))
}
