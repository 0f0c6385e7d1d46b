//! `/metrics`: what was counted and measured besides time.

use hdf5_metno::{Group, Result};
use streamfold_kernels::profile::metrics::{
    Aggregate, Column, Measured, MemberRow, MetricOddities, Metrics, Number, RowValues, SeriesRow,
};
use streamfold_model::store::Definitions;

use super::columns::{Columns, Unit};
use super::table::Tables;
use crate::profile::metrics::{kind, scope_kind, scope_name, Described};
use streamfold_text::names;

/// Writes the group, if there are any metrics.
pub fn write(
    tables: &mut Tables,
    file: &Group,
    metrics: &Metrics,
    definitions: &Definitions,
) -> Result<()> {
    if metrics.is_empty() {
        return Ok(());
    }
    let group = file.create_group("metrics")?;
    let mut rows = Rows { tables, group: &group, columns: &metrics.columns };
    rows.measured("paths", "path", &metrics.paths)?;
    rows.measured("regions", "region_row", &metrics.regions)?;
    rows.aggregates("locations", Some("location_row"), &metrics.locations)?;
    rows.aggregates("groups", Some("group_row"), &metrics.groups)?;
    rows.aggregates("total", None, std::slice::from_ref(&metrics.total))?;
    rows.aggregates("outside", None, std::slice::from_ref(&metrics.outside))?;
    if !metrics.members.is_empty() {
        tables.write(&group, "members", members(definitions), &metrics.members)?;
    }
    if !metrics.series.is_empty() {
        tables.write(&group, "series", series(definitions), &metrics.series)?;
    }
    let mut oddities = Columns::<MetricOddities>::new();
    for (i, name) in MetricOddities::NAMES.into_iter().enumerate() {
        oddities = oddities.u64(name, Unit::None, move |row| row.numbers()[i]);
    }
    tables.write(&group, "oddities", oddities, &[metrics.oddities])
}

fn members(definitions: &Definitions) -> Columns<'_, MemberRow> {
    let text = move |get: fn(Described) -> String| {
        move |row: &MemberRow| get(Described::new(definitions, row.member))
    };
    let columns = Columns::<MemberRow>::new()
        .u32("member", Unit::None, |r| r.member.0)
        .text("name", text(|d| d.name))
        .text("description", text(|d| d.description))
        .text("type", text(|d| d.kind))
        .text("mode", text(|d| d.mode))
        .text("value_type", text(|d| d.value_type))
        .text("unit", text(|d| d.unit))
        .u32("base", Unit::None, move |r| {
            Described::new(definitions, r.member).base.map_or(0, u32::from)
        })
        .i64("exponent", Unit::None, move |r| {
            Described::new(definitions, r.member).exponent.unwrap_or(0)
        })
        .u64("records", Unit::None, |r| r.records.count);
    range(columns, "", |r| &r.records)
}

fn series(definitions: &Definitions) -> Columns<'_, SeriesRow> {
    let columns = Columns::<SeriesRow>::new()
        .u32("member", Unit::None, |r| r.key.member.0)
        .text("name", |r| names::metric(definitions, r.key.member))
        .u32("metric", Unit::None, |r| r.key.metric.0)
        .u32("position", Unit::None, |r| r.key.position.into())
        .u64("recorder", Unit::None, |r| r.key.recorder.0)
        .text("recorder_name", |r| names::place(definitions, r.key.recorder))
        .text("scope_kind", |r| scope_kind(r.scope))
        .u64("scope", Unit::None, |r| r.scope.reference)
        .text("scope_name", |r| scope_name(definitions, r.scope))
        .u64("count", Unit::None, |r| r.count)
        .u64("first_time", Unit::Ticks, |r| r.first_time.0)
        .u64("last_time", Unit::Ticks, |r| r.last_time.0);
    let columns = number(columns, "first", |r| Some(r.first));
    let columns = number(columns, "last", |r| Some(r.last));
    let columns = number(columns, "min", |r| Some(r.least));
    let columns = number(columns, "max", |r| Some(r.most));
    columns.f64("mean", Unit::None, |r| r.mean().unwrap_or(f64::NAN)).f64(
        "integral",
        Unit::None,
        |r| r.integral.number(),
    )
}

/// Tables with a row for each row of the profile and each metric that it has.
struct Rows<'a> {
    tables: &'a mut Tables,
    group: &'a Group,
    columns: &'a [Column],
}

/// Values of a metric in a row of the profile.
struct Cell<'a, T> {
    row: u32,
    column: Column,
    of: &'a T,
}

impl Rows<'_> {
    fn cells<'a, T>(&self, rows: &'a [RowValues<T>]) -> Vec<Cell<'a, T>> {
        let cell = |row: u32, (column, of): &'a (u32, T)| Cell {
            row,
            column: self.columns[*column as usize],
            of,
        };
        let rows = (0u32..).zip(rows);
        rows.flat_map(|(row, values)| values.iter().map(move |value| cell(row, value))).collect()
    }

    fn measured(&mut self, name: &str, of: &str, rows: &[RowValues<Measured>]) -> Result<()> {
        let cells = self.cells(rows);
        if cells.is_empty() {
            return Ok(());
        }
        let columns = head::<Measured>(Some(of));
        let columns = aggregate(columns, "inclusive", |cell| &cell.of.inclusive);
        let columns = aggregate(columns, "exclusive", |cell| &cell.of.exclusive);
        self.tables.write(self.group, name, columns, &cells)
    }

    fn aggregates(
        &mut self,
        name: &str,
        of: Option<&str>,
        rows: &[RowValues<Aggregate>],
    ) -> Result<()> {
        let cells = self.cells(rows);
        if cells.is_empty() {
            return Ok(());
        }
        let columns = aggregate(head::<Aggregate>(of), "sum", |cell| cell.of);
        self.tables.write(self.group, name, columns, &cells)
    }
}

/// The columns that say of what a cell is.
fn head<'a, T: 'a>(of: Option<&str>) -> Columns<'a, Cell<'a, T>> {
    let mut columns = Columns::new();
    if let Some(of) = of {
        columns = columns.u32(of, Unit::None, |cell: &Cell<'_, T>| cell.row);
    }
    columns
        .u32("member", Unit::None, |cell| cell.column.member.0)
        .text("kind", |cell| kind(cell.column.kind).to_owned())
}

/// With number, sum, smallest and largest.
fn aggregate<'a, T: 'a>(
    columns: Columns<'a, T>,
    name: &str,
    of: fn(&T) -> &Aggregate,
) -> Columns<'a, T> {
    let prefix = if name == "sum" { String::new() } else { format!("{name}_") };
    let columns = columns.u64(&format!("{prefix}count"), Unit::None, move |r| of(r).count);
    let columns = number(columns, name, move |r| Some(of(r).sum.number()));
    range(columns, &prefix, of)
}

fn range<'a, T: 'a>(
    columns: Columns<'a, T>,
    prefix: &str,
    of: fn(&T) -> &Aggregate,
) -> Columns<'a, T> {
    let columns =
        number(columns, &format!("{prefix}min"), move |r| of(r).range.map(|range| range.0));
    number(columns, &format!("{prefix}max"), move |r| of(r).range.map(|range| range.1))
}

/// A number as two columns: rounded, and exact where it is an integer.
pub(super) fn number<'a, T: 'a>(
    columns: Columns<'a, T>,
    name: &str,
    of: impl Fn(&T) -> Option<Number> + Copy + 'a,
) -> Columns<'a, T> {
    let integer = move |row: &T| match of(row) {
        Some(Number::Integer(integer)) => integer,
        Some(Number::Float(_)) | None => 0,
    };
    columns.f64(name, Unit::None, move |row| of(row).map_or(f64::NAN, Number::as_f64)).i128(
        &format!("{name}_int"),
        Unit::None,
        integer,
    )
}
