//! Table of waits, for people.

use std::collections::BTreeSet;
use std::io::{self, Write};

use streamfold_kernels::waitstates::Metric;

use super::build::is_part;
use super::WaitReport;
use crate::verdict::Verdict;
use crate::tables::text::{self, Look, Shown};
use crate::tables::{Cell, Row, TableReport};
use streamfold_text::human;

/// Columns that a table can do without, the least missed first: how long a wait was, and with which event it
/// began, is what tables are for.
const SPARED: [&str; 6] = ["calls", "entered at", "longest wait of", "longest", "at", "waited for"];

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
    text::begin(out, tables)?;
    let filled = |name: &str| tables.table(name).filter(|table| !table.is_empty());
    if let Some(violations) = filled("violations") {
        text::write(out, violations, &look)?;
        writeln!(out, "  Waits that depend on these clocks may be wrong by as much.\n")?;
    }
    let verdict = Verdict { outcome: report.accounted, definitions: report.definitions, resolution };
    for sentence in verdict.sentences().into_iter().chain(sentences(report)) {
        for line in human::wrapped(&human::visible(&sentence), width) {
            writeln!(out, "{line}")?;
        }
    }
    writeln!(out)?;
    tree(out, report)?;
    let waits: BTreeSet<&str> = whole_waits().map(Metric::id).collect();
    for name in ["causes", "by_path", "by_location", "severities", "worst"] {
        let Some(table) = filled(name) else { continue };
        let id = table.columns.iter().position(|column| column.name == "metric");
        let is_wait = |cell: &Cell| matches!(cell, Cell::Text(id) if waits.contains(id.as_str()));
        let shown = Shown::first(table, top, |row| id.is_some_and(|id| is_wait(&row[id])), ticks);
        if !shown.is_empty() {
            writeln!(out)?;
            shown.write(out, table, &look)?;
        }
    }
    let Some(table) = filled("left_out") else { return Ok(()) };
    writeln!(out)?;
    text::write(out, table, &look)
}

/// The waits that are no parts of others.
fn whole_waits() -> impl Iterator<Item = Metric> {
    Metric::all().filter(|metric| metric.is_wait() && !is_part(*metric))
}

/// How long a wait was: the first of its times.
fn ticks(row: &Row) -> i128 {
    let time = |cell: &Cell| if let Cell::Ticks(ticks) = cell { Some(*ticks) } else { None };
    row.iter().find_map(time).unwrap_or(0)
}

/// Number of waits that have a sentence each.
const SENTENCES: usize = 3;

/// The answer: how much of the time is waiting, and the longest waits, each with the one it was for. MPI_Init and
/// MPI_Finalize, which nobody tunes, come last.
pub fn sentences(report: &WaitReport<'_>) -> Vec<String> {
    let states = &report.outcome.states;
    let resolution = report.provenance.timer_resolution;
    let whole = states.metrics.first().map_or(0, |all| all.ticks);
    let is_startup = |metric: Metric| metric.parent() == Some(Metric::MPI_INIT_EXIT);
    let waits = states.metrics.iter().filter(|row| row.metric.is_wait() && !is_part(row.metric));
    let mut waits: Vec<_> = waits.filter(|row| row.ticks > 0).collect();
    waits.sort_by_key(|row| (std::cmp::Reverse(row.ticks), row.metric));
    let Some(most) = waits.first() else {
        return vec!["No wait state was found.".to_owned()];
    };
    let all: u128 = waits.iter().map(|row| row.ticks).sum();
    let mut sentences = vec![format!(
        "{} % of the time of all threads is waiting; most of it, {} %, is \"{}\".",
        human::percent(all, whole),
        human::percent(most.ticks, whole),
        most.metric.title(),
    )];
    let mut worst: Vec<_> =
        states.worst.iter().filter(|of| of.cause.is_some() && !is_part(of.metric)).collect();
    worst.sort_by_key(|of| {
        (is_startup(of.metric), std::cmp::Reverse(of.ticks), of.location, of.number)
    });
    for of in worst.into_iter().take(SENTENCES) {
        let Some((location, path)) = of.cause else { continue };
        let text = |cell: Cell| if let Cell::Text(text) = cell { text } else { String::new() };
        let place = |path: Option<u32>| {
            let region = report.end_of(path);
            let source = text(report.source(path));
            match (region.is_empty(), source.is_empty()) {
                (true, _) => String::new(),
                (false, true) => format!(" in {region}"),
                (false, false) => format!(" in {region} ({source})"),
            }
        };
        sentences.push(format!(
            "{}: {} waited {}{} for {}{}.",
            of.metric.title(),
            text(report.location(of.location)),
            human::time(of.ticks.into(), resolution),
            place(of.path),
            text(report.location(location)),
            place(path),
        ));
    }
    sentences
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
