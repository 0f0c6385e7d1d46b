//! How well processors are used, for people: the answer, the factors as a tree with bars, then tables.

use std::io::{self, Write};

use streamfold_kernels::efficiency::{Efficiencies, Factor, ProcessWork, Spent};

use super::{value, EfficiencyReport, Run};
use crate::tables::text::{Look, Shown};
use crate::tables::{Cell, Row, TableReport};
use crate::work::{SELDOM, SPARED};
use streamfold_text::{human, names};

/// Squares of a bar.
const SQUARES: usize = 20;

/// A share as a bar: ■ for what there is of it.
pub fn bar(share: f64) -> String {
    let full = (share.clamp(0.0, 1.0) * SQUARES as f64).round() as usize;
    format!("{}{}", "■".repeat(full), "·".repeat(SQUARES - full))
}

/// Writes all of it, `top` rows of each table at most.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(
    out: &mut dyn Write,
    report: &EfficiencyReport<'_>,
    tables: &TableReport<'_>,
    top: usize,
    width: Option<usize>,
) -> io::Result<()> {
    for (at, run) in report.runs.iter().enumerate() {
        let look =
            Look { resolution: run.resolution(), top, width, spared: &SPARED, seldom: &SELDOM };
        heading(out, run)?;
        if run.outcome.whole.factors.is_empty() {
            writeln!(out, "No thread of the program has any time there.")?;
            continue;
        }
        for sentence in sentences(run) {
            for line in human::wrapped(&human::visible(&sentence), width) {
                writeln!(out, "{line}")?;
            }
        }
        writeln!(out)?;
        tree(out, &run.outcome.whole)?;
        let is_of_run = |row: &Row| row[0] == Cell::Id(at as u64);
        let time = |column: usize| {
            move |row: &Row| if let Cell::Ticks(ticks) = row[column] { ticks } else { 0 }
        };
        for (name, key) in [("spent", 2), ("processes", 3)] {
            let Some(table) = tables.table(name) else { continue };
            let has_time = |row: &Row| is_of_run(row) && time(key)(row) > 0;
            let shown = Shown::first(table, top, has_time, time(key));
            if !shown.is_empty() {
                writeln!(out)?;
                shown.write(out, table, &look)?;
            }
        }
        if let Some(table) = tables.table("bins").filter(|table| !table.is_empty()) {
            let begin = time(1);
            let shown = Shown::first(table, usize::MAX, is_of_run, |row| -begin(row));
            writeln!(out)?;
            shown.write(out, table, &look)?;
        }
        writeln!(out)?;
    }
    if report.runs.len() > 1 {
        let resolution = report.runs[0].resolution();
        let look = Look { resolution, top, width, spared: &SPARED, seldom: &SELDOM };
        scaling(out, report, tables, &look)?;
    }
    Ok(())
}

fn heading(out: &mut dyn Write, run: &Run) -> io::Result<()> {
    let [processes, threads, streams] = run.outcome.whole.counts;
    let mut what =
        vec![human::counted(processes, ["process", "processes"]), human::plural(threads, "thread")];
    if streams > 0 {
        what.push(human::plural(streams, "accelerator stream"));
    }
    let time = human::time(run.outcome.whole.elapsed.into(), run.resolution());
    let text = format!("{}, {time}", what.join(", "));
    crate::heading::write(out, &run.provenance, &text)
}

/// The answer: how much of the processors is used, what takes most of the rest, and who computes most and least.
pub fn sentences(run: &Run) -> Vec<String> {
    let whole = &run.outcome.whole;
    let Some(parallel) = value(whole, Factor::Parallel) else { return Vec::new() };
    let all = u128::from(whole.elapsed) * u128::from(whole.counts[1]);
    let mut first =
        format!("The program computes in {} % of the time of its threads", percent(parallel));
    let lost =
        whole.spent.iter().filter(|(spent, _)| !matches!(spent, Spent::Serial | Spent::Parallel));
    if let Some((spent, ticks)) =
        lost.max_by_key(|(_, ticks)| **ticks).filter(|(_, ticks)| **ticks > 0)
    {
        let share = human::percent(*ticks, all);
        first = format!("{first}; most of the rest, {share} %, is {}", described(*spent));
    }
    let mut sentences = vec![format!("{first}.")];
    if run.outcome.outside_computes {
        let text = "No region of the program itself is recorded: time outside of all regions counts as computation.";
        sentences.push(text.to_owned());
    }
    let (balance, rest) = (value(whole, Factor::LoadBalance), value(whole, Factor::Communication));
    if let (Some(balance), Some(rest)) = (balance, rest) {
        let text = match () {
            () if balance.min(rest) > 0.95 => {
                "Load is balanced, and little time is lost to waiting and runtimes."
            }
            () if balance < rest => "Uneven load costs more than communication and runtimes do.",
            () => "Communication and runtimes cost more than uneven load does.",
        };
        sentences.push(text.to_owned());
    }
    let useful = |of: &ProcessWork| of.all.useful();
    let of = whole.processes.iter();
    let most = of.clone().rev().max_by_key(|of| useful(of));
    let least = of.min_by_key(|of| useful(of));
    if let (Some(most), Some(least)) = (most, least) {
        if useful(most) > useful(least) {
            let count = whole.processes.len() as u128;
            let mean =
                whole.processes.iter().map(|of| u128::from(useful(of))).sum::<u128>() / count;
            let time = |ticks: u128| human::time(ticks, run.resolution());
            let place = |of: &ProcessWork| match of.regions.first() {
                Some((Some(region), ticks)) if *ticks > 0 => {
                    let share = human::percent((*ticks).into(), useful(of).into());
                    let name = human::short(names::region(&run.definitions, *region));
                    format!(", {share} % of it in `{name}`")
                }
                _ => String::new(),
            };
            sentences.push(format!(
                "{} computes most: {}{}. The mean is {}. {} computes least: {}{}.",
                run.process(most),
                time(useful(most).into()),
                place(most),
                time(mean),
                run.process(least),
                time(useful(least).into()),
                place(least),
            ));
        }
    }
    sentences
}

fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

fn described(spent: Spent) -> &'static str {
    match spent {
        Spent::Mpi => "in MPI",
        Spent::FileIo => "at files",
        Spent::Fork => "fork and join of OpenMP",
        Spent::Barrier => "in barriers of OpenMP",
        Spent::OpenMp => "in locks and tasks of OpenMP",
        Spent::Idle => "threads without work",
        Spent::Accelerator => "in calls to accelerators",
        Spent::Runtime => "in other runtimes",
        Spent::Measurement => "the measurement itself",
        Spent::Outside => "outside of all regions",
        Spent::Serial | Spent::Parallel => "computation",
    }
}

/// The factors, each below the one of which it is a part.
fn tree(out: &mut dyn Write, of: &Efficiencies) -> io::Result<()> {
    let name = |factor: Factor| format!("{}{}", "  ".repeat(factor.depth()), factor.title());
    let width =
        of.factors.iter().map(|(factor, _)| name(*factor).chars().count()).max().unwrap_or(0);
    writeln!(out, "Efficiencies")?;
    for (factor, ratio) in &of.factors {
        let value = ratio.value();
        let shown = human::share(value);
        writeln!(out, "  {:<width$}  {shown:>6}  {}", name(*factor), bar(value))?;
    }
    writeln!(out, "  Serialisation and transfer need an ideal network: no trace has them.")
}

/// How the runs scale: in their order.
fn scaling(
    out: &mut dyn Write,
    report: &EfficiencyReport<'_>,
    tables: &TableReport<'_>,
    look: &Look,
) -> io::Result<()> {
    let base = &report.runs[report.reference()];
    let kind = if report.weak { "weak" } else { "strong" };
    let name = human::visible(&base.provenance.input).into_owned();
    writeln!(out, "Scaling is {kind}, against {name}.")?;
    if let Some(table) = tables.table("runs") {
        Shown::first(table, look.top, |_| true, |_| ()).write(out, table, look)?;
    }
    writeln!(
        out,
        "  Instructions, IPC and frequency scaling need counters of instructions and cycles."
    )
}
