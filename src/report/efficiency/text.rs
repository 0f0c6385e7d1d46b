//! How well processors are used, for people: the answer, the factors as a tree with bars, then tables.

use std::io::{self, Write};

use streamfold_kernels::account::Group;
use streamfold_kernels::efficiency::Factor;

use super::{EfficiencyReport, Growth, Run};
use crate::tables::text::{Look, Shown};
use crate::tables::{Cell, Row, TableReport};
use crate::work::{self, SELDOM, SPARED};
use crate::{colours, say};
use streamfold_text::human;
use streamfold_text::style::Style;

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
    if report.runs.len() > 1 {
        let resolution = report.runs[0].resolution();
        let look = Look { resolution, top, width, spared: &SPARED, seldom: &SELDOM };
        scaling(out, report, tables, &look)?;
        writeln!(out)?;
    }
    for (at, run) in report.runs.iter().enumerate() {
        let look =
            Look { resolution: run.resolution(), top, width, spared: &SPARED, seldom: &SELDOM };
        heading(out, run, width)?;
        if run.whole.factors.is_empty() {
            writeln!(out, "No thread of the program has any time there.")?;
            continue;
        }
        for sentence in run.verdict().sentences() {
            say::answer(out, &sentence, width)?;
        }
        writeln!(out)?;
        tree(out, run, width)?;
        if let Some(sentence) = slower(run) {
            say::plain(out, &sentence, width)?;
        }
        let is_of_run = |row: &Row| row[0] == Cell::Id(at as u64);
        let time = |column: usize| {
            move |row: &Row| if let Cell::Ticks(ticks) = row[column] { ticks } else { 0 }
        };
        let is_asked = run.replays.as_ref().is_some_and(|of| of.scenarios.len() > 1);
        if let Some(table) = tables.table("what_if").filter(|_| is_asked) {
            Shown::first(table, usize::MAX, is_of_run, |_| ()).write(out, table, &look)?;
            writeln!(out)?;
        }
        crate::account::write(out, run.account(), &look)?;
        if let Some(table) = tables.table("processes") {
            let shown = Shown::first(table, top, is_of_run, time(3));
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
    Ok(())
}

fn heading(out: &mut dyn Write, run: &Run, width: Option<usize>) -> io::Result<()> {
    let [processes, threads, streams, devices] = run.whole.counts;
    let mut what =
        vec![human::counted(processes, ["process", "processes"]), human::plural(threads, "thread")];
    if streams > 0 {
        what.push(human::plural(streams, "accelerator stream"));
        what.push(human::plural(devices, "device"));
    }
    let time = human::time(run.whole.elapsed.into(), run.resolution());
    let text = format!("{}, {time}", what.join(", "));
    crate::heading::write(out, &run.provenance, &text, width)
}

/// The factors, each below the one of which it is a part. Bars are as long as there is room.
fn tree(out: &mut dyn Write, run: &Run, screen: Option<usize>) -> io::Result<()> {
    let of = &run.whole;
    let name = |factor: Factor| format!("{}{}", "  ".repeat(factor.depth()), factor.title());
    let width =
        of.factors.iter().map(|(factor, _)| name(*factor).chars().count()).max().unwrap_or(0);
    say::title(out, "Efficiencies", screen)?;
    // Blanks between, and the number.
    let room = screen.map_or(SQUARES, |screen| screen.saturating_sub(width + 12).min(SQUARES));
    for (factor, ratio) in &of.factors {
        let value = ratio.value();
        let shown = human::share(value);
        let bar = work::shorter(&bar(value), SQUARES, room);
        let bar = work::painted_as(style_of(*factor), &bar);
        let line = format!("  {:<width$}  {shown:>6}  {bar}", name(*factor));
        writeln!(out, "{}", line.trim_end())?;
    }
    let Some(replays) = &run.replays else { return Ok(()) };
    let ideal = replays.scenarios.first().map_or(0, |of| of.ticks);
    let ideal = human::time(ideal.into(), run.resolution());
    say::answer(out, &format!("  On an ideal network the run would take {ideal}."), screen)?;
    if replays.given_up > 0 {
        let kept = human::counted(replays.given_up, ["dependency", "dependencies"]);
        let text = format!("  {kept} could not be kept, since clocks disagree.");
        say::of_style(out, Style::Warning, &text, screen)?;
    }
    Ok(())
}

/// The colour of the class of time that a factor is about: computation, unless the loss is that of one class.
fn style_of(factor: Factor) -> Style {
    colours::style_of_group(match factor {
        Factor::Mpi | Factor::MpiLoadBalance | Factor::MpiCommunication => Group::Mpi,
        Factor::OpenMp | Factor::OpenMpLoadBalance | Factor::OpenMpCommunication => Group::Threads,
        Factor::Offload => Group::Accelerator,
        _ => Group::Computation,
    })
}

/// How much slower the network may be, if that was asked for.
fn slower(run: &Run) -> Option<String> {
    const SLOWER: f64 = 1.01;
    let replays = run.replays.as_ref()?;
    let mut curve: Vec<(f64, f64)> = replays
        .scenarios
        .iter()
        .filter(|of| of.latency_ticks > 0)
        .map(|of| (of.latency_ticks as f64, of.ticks as f64))
        .collect();
    if curve.len() < 2 {
        return None;
    }
    curve.push((0.0, replays.run_ticks as f64));
    curve.sort_by(|a, b| a.0.total_cmp(&b.0));
    let limit = replays.run_ticks as f64 * SLOWER;
    let above = curve.iter().position(|(_, ticks)| *ticks > limit);
    let time = |ticks: f64| human::time(ticks.round() as u128, run.resolution());
    Some(match above.filter(|above| *above > 0) {
        Some(above) => {
            let ((l, t), (l_above, t_above)) = (curve[above - 1], curve[above]);
            let latency = l + (limit - t) / (t_above - t) * (l_above - l);
            format!("The run is 1 % slower if each message takes {} longer.", time(latency))
        }
        None => {
            let most = curve.last().map_or(0.0, |(latency, _)| *latency);
            format!("The run is less than 1 % slower if each message takes {} longer.", time(most))
        }
    })
}

/// How the runs scale: in their order.
fn scaling(
    out: &mut dyn Write,
    report: &EfficiencyReport<'_>,
    tables: &TableReport<'_>,
    look: &Look,
) -> io::Result<()> {
    let parts: Vec<&str> = report.runs.iter().filter_map(|run| run.part.as_deref()).collect();
    if parts.len() == report.runs.len() {
        say::answer(out, &super::several(&parts), look.width)?;
    }
    let base = &report.runs[report.reference()];
    let (growth, is_assumed) = report.growth();
    let name = human::visible(&base.provenance.input).into_owned();
    let (kind, why, other) = match growth {
        Growth::Strong => ("strong", "runs compute about as long in all", "--weak"),
        Growth::Weak => ("weak", "threads of all runs compute about as long each", "--strong"),
    };
    let text = match is_assumed {
        _ if report.is_even() => format!("Runs of as many threads, against {name}."),
        true => {
            format!("Scaling against {name}, assumed to be {kind}: {why} ({other}: say the other).")
        }
        false => format!("Scaling against {name}, {kind}."),
    };
    say::plain(out, &text, look.width)?;
    if let Some(table) = tables.table("runs") {
        Shown::first(table, look.top, |_| true, |_| ()).write(out, table, look)?;
    }
    if report.runs.iter().any(|run| run.rates().is_none()) {
        let text = "  Instructions, IPC and frequency scaling need counters of instructions and cycles in all \
                    runs.";
        say::plain(out, text, look.width)?;
    }
    Ok(())
}
