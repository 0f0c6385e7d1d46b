//! Where time went, for people.

use std::io::{self, Write};

use streamfold_kernels::waitstates::Metric;

use super::build::is_part;
use super::WaitReport;
use crate::report::human;
use crate::report::tables::text::{self, Look};
use crate::report::tables::{Cell, Table, TableReport};

/// Columns that a table can do without, the least missed first.
const SPARED: [&str; 2] = ["event", "time"];

/// Writes what clocks say first, then the tree of all time, and the waits that took the longest, each with
/// `top` rows at most. On a terminal of `width` characters what has no room is left out.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(
    out: &mut dyn Write,
    report: &WaitReport<'_>,
    tables: &TableReport<'_>,
    top: usize,
    width: Option<usize>,
) -> io::Result<()> {
    let resolution = report.provenance.timer_resolution;
    let look = Look { resolution, top, width, spared: &SPARED, seldom: &[] };
    let filled = |name: &str| tables.table(name).filter(|table| !table.rows.is_empty());
    if let Some(violations) = filled("violations") {
        text::write(out, violations, &look)?;
        writeln!(out, "  Waits that depend on these clocks may be wrong by as much.\n")?;
    }
    tree(out, report)?;
    for name in ["severities", "worst", "left_out"] {
        let Some(table) = filled(name) else { continue };
        writeln!(out)?;
        let mut sorted = longest_first(table);
        let more = sorted.rows.len().saturating_sub(top);
        sorted.rows.truncate(top);
        text::write(out, &sorted, &look)?;
        if more > 0 {
            writeln!(out, "  ({} more: --top N shows N)", human::count(more as u64))?;
        }
    }
    Ok(())
}

/// The waits that are no part of others, by their time.
fn longest_first(table: &Table) -> Table {
    let mut sorted = table.clone();
    let Some(ticks) = table.columns.iter().position(|column| column.name == "ticks") else {
        return sorted;
    };
    let is_part = |row: &Vec<Cell>| {
        let Cell::Text(id) = &row[0] else { return false };
        Metric::all().any(|metric| metric.id() == id && is_part(metric))
    };
    sorted.rows.retain(|row| !is_part(row));
    sorted.rows.sort_by_key(|row| match row[ticks] {
        Cell::Ticks(ticks) => std::cmp::Reverse(ticks),
        _ => std::cmp::Reverse(0),
    });
    sorted
}

/// All metrics that have time, each below the one of which it is a part.
fn tree(out: &mut dyn Write, report: &WaitReport<'_>) -> io::Result<()> {
    let resolution = report.provenance.timer_resolution;
    let rows = &report.outcome.states.metrics;
    let whole = rows.first().map_or(0, |row| row.ticks);
    let shown: Vec<_> =
        rows.iter().filter(|row| row.ticks > 0 || row.metric.depth() == 0).collect();
    let name = |metric: Metric| format!("{}{}", "  ".repeat(metric.depth()), metric.title());
    let width = shown.iter().map(|row| name(row.metric).chars().count()).max().unwrap_or(0);
    writeln!(out, "Where time went")?;
    writeln!(out, "  {:<width$}  {:>10}  {:>6}  {:>10}", "", "time", "%", "calls")?;
    for row in shown {
        let instances = row.instances.map_or(String::new(), human::count);
        let time = human::time(row.ticks, resolution);
        let line = format!(
            "  {:<width$}  {time:>10}  {:>6}  {instances:>10}",
            name(row.metric),
            human::percent(row.ticks, whole),
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}
