//! Table of waits, for people.

use std::collections::BTreeSet;
use std::io::{self, Write};

use streamfold_kernels::account::{Class, Role};
use streamfold_kernels::waitstates::Metric;

use super::build::is_part;
use super::WaitReport;
use crate::tables::text::{self, Look, Shown};
use crate::tables::{Cell, Row as Cells, TableReport};
use crate::verdict::Verdict;
use crate::{account, fit, say};
use streamfold_analyses::critical::PlaceOnPath;
use streamfold_analyses::wait_tree::{of_trace, TreeRow};
use streamfold_text::human;
use streamfold_text::style::Style;

/// Columns that a table can do without, the least missed first.
const SPARED: [&str; 5] = ["calls", "entered at", "longest wait of", "longest", "at"];

/// The same of tables of single waits, and of who made others wait: whom, and at which line, is what these are for.
const SPARED_OF_WAITS: [&str; 9] = [
    "entered at",
    "event",
    "longest",
    "longest wait of",
    "waits",
    "call path",
    "location",
    "waited for",
    "at",
];

/// Writes what clocks say first, then the verdict, the tree of all time, and the waits that took the longest, each with
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
    text::begin(out, tables, width)?;
    let filled = |name: &str| tables.table(name).filter(|table| !table.is_empty());
    if let Some(violations) = filled("violations") {
        text::write(out, violations, &look)?;
        let text = "  Waits that depend on these clocks may be wrong by as much.";
        say::of_style(out, Style::Warning, text, width)?;
        writeln!(out)?;
    }
    let verdict =
        Verdict { outcome: report.accounted, definitions: report.definitions, resolution };
    for sentence in verdict.sentences().into_iter().chain(sentences(report)) {
        say::answer(out, &sentence, width)?;
    }
    writeln!(out)?;
    tree(out, report, width)?;
    let waits: BTreeSet<&str> = whole_waits().map(Metric::id).collect();
    for name in ["causes", "delays", "by_path", "by_location", "severities", "worst"] {
        let Some(table) = filled(name) else { continue };
        let id = table.columns.iter().position(|column| column.name == "metric");
        let is_wait = |cell: &Cell| matches!(cell, Cell::Text(id) if waits.contains(id.as_str()));
        let shown = Shown::first(
            table,
            top,
            |row| id.is_none_or(|id| is_wait(&row[id])),
            shown_ticks(name),
        );
        if !shown.is_empty() {
            writeln!(out)?;
            let is_of_waits = matches!(name, "worst" | "causes");
            let spared = if is_of_waits { &SPARED_OF_WAITS[..] } else { &SPARED };
            shown.write(out, table, &Look { spared, ..look })?;
        }
    }
    let Some(table) = filled("left_out") else { return Ok(()) };
    writeln!(out)?;
    text::write(out, table, &look)
}

/// The waits that are no parts of others.
fn whole_waits() -> impl Iterator<Item = Metric> {
    Metric::all().filter(|metric| !is_part(*metric))
}

/// The time by which rows of a table are shown.
fn shown_ticks(table: &str) -> fn(&Cells) -> i128 {
    match table {
        "delays" => all_ticks,
        _ => ticks,
    }
}

/// All times of a row.
fn all_ticks(row: &Cells) -> i128 {
    let time = |cell: &Cell| if let Cell::Ticks(ticks) = cell { *ticks } else { 0 };
    row.iter().map(time).sum()
}

/// How long a wait was: the first of its times.
fn ticks(row: &Cells) -> i128 {
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
    let whole = report.threads();
    let is_startup = |metric: Metric| metric.class() == Class::StartUp;
    let waits = states.metrics.iter().filter(|row| !is_part(row.metric));
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
                (false, true) => format!(" in `{region}`"),
                (false, false) => format!(" in `{region}` ({source})"),
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
    sentences.extend(delayed(report));
    sentences
}

/// The code that made others wait most.
fn delayed(report: &WaitReport<'_>) -> Option<String> {
    let delays = report.outcome.delays.as_ref()?;
    let resolution = report.provenance.timer_resolution;
    let ((location, place), cost) = delays.by_place().into_iter().next()?;
    let text = |cell: Cell| if let Cell::Text(text) = cell { text } else { String::new() };
    let source = text(report.source(place.path));
    let region = match place {
        PlaceOnPath { path: Some(_), .. } => format!("`{}`", report.end_of(place.path)),
        PlaceOnPath { path: None, forking: true } => "the fork of teams of threads".to_owned(),
        PlaceOnPath { path: None, .. } => "code outside of all regions".to_owned(),
    };
    let mut region = if source.is_empty() { region } else { format!("{region} ({source})") };
    if place.forking && place.path.is_some() {
        region += ", where teams of threads are forked and joined,";
    }
    let whole = delays.total().ticks() + delays.not_explained();
    Some(format!(
        "What made others wait most is time in {region} on {}: {} of waiting, {} % of all waits for others, {} of it \
         directly.",
        text(report.location(location)),
        human::time(cost.ticks(), resolution),
        human::percent(cost.ticks(), whole),
        human::time(cost.direct, resolution),
    ))
}

/// Writes the tree of classes and waits.
fn tree(out: &mut dyn Write, report: &WaitReport<'_>, screen: Option<usize>) -> io::Result<()> {
    let resolution = report.provenance.timer_resolution;
    let account = &report.accounted.account;
    let threads = account.sum(Role::Thread, 0);
    let rows = of_trace(account, &report.outcome.states);
    let names: Vec<String> =
        rows.iter().map(|row| format!("{}{}", "  ".repeat(row.depth), row.title)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let count = |row: &TreeRow| row.waits.map_or(String::new(), human::count);
    // Columns of times, shares and waits, and the blanks before each.
    let is_narrow = screen.is_some_and(|screen| width + 34 > screen);
    let counts = rows.iter().map(|row| count(row).chars().count()).max().unwrap_or(0);
    let [times, shares, counts] = if is_narrow { [9, 5, counts.max(5)] } else { [10, 6, 10] };
    let taken = 8 + times + shares + counts;
    let width = screen.map_or(width, |screen| width.min(screen.saturating_sub(taken)));
    let names = fit::cut(&names.iter().map(String::as_str).collect::<Vec<_>>(), width);
    let title = format!("Time of {}", account::whole(account, Role::Thread, resolution));
    say::title(out, &title, screen)?;
    writeln!(out, "  {:<width$}  {:>times$}  {:>shares$}  {:>counts$}", "", "time", "%", "waits")?;
    for (row, name) in rows.iter().zip(&names) {
        let (ticks, instances) = (row.ticks, count(row));
        let (time, share) = match ticks {
            0 => (String::new(), String::new()),
            ticks => (human::time(ticks, resolution), human::percent(ticks, threads.total())),
        };
        let line =
            format!("  {name:<width$}  {time:>times$}  {share:>shares$}  {instances:>counts$}");
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}
