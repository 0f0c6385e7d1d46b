//! Rows of calling contexts, lines and interrupt generators.

use std::io::{self, Write};

use streamfold_kernels::profile::{SampleRow, Samples};
use streamfold_model::enums::InterruptGeneratorMode;

use super::grid::{grid, Grid};
use super::whole::word;
use crate::profile::listed::branches;
use crate::profile::sort::{self, SortKey};
use crate::profile::{samples, ProfileReport};
use streamfold_text::{human, names};

pub(super) fn contexts(
    report: &ProfileReport<'_>,
    key: SortKey,
    top: Option<usize>,
) -> (Grid, usize) {
    let none = Samples::default();
    let samples = report.profile.samples.as_deref().unwrap_or(&none);
    let resolution = report.provenance.timer_resolution;
    let all = &samples.contexts;
    let name = |i: usize| human::short(names::region(report.definitions, all[i].region));
    let order = sort::contexts(samples, key, top, name);
    let branches = branches(&order.iter().map(|&i| all[i].depth).collect::<Vec<_>>());
    let row = |(&i, branch): (&usize, &String)| {
        let row = &all[i].row;
        let mut cells = estimated_cells(row, samples.total.estimated, resolution).to_vec();
        cells.push(human::time(row.certain, resolution));
        cells.push(human::count(row.entered));
        cells.push(format!("{branch}{}", name(i)));
        cells
    };
    let rows: Vec<_> = order.iter().zip(&branches).map(row).collect();
    let left_out = all.len() - rows.len();
    let mut total = estimated_total(samples, resolution).to_vec();
    total.extend([String::new(), String::new(), "total".to_owned()]);
    let heading = ESTIMATED.into_iter().chain(OF_CONTEXTS).chain(["calling context"]);
    (grid(heading, rows, total), left_out)
}

/// The columns that rows of contexts and of lines have.
pub(super) const ESTIMATED: [&str; 6] =
    ["incl. estimated", "%", "estimated", "%", "incl. samples", "samples"];

/// The columns that only rows of contexts have.
pub(super) const OF_CONTEXTS: [&str; 2] = ["certain", "entered"];

fn estimated_cells(row: &SampleRow, whole: u128, resolution: u64) -> [String; 6] {
    [
        human::time(row.estimated_inclusive, resolution),
        human::percent(row.estimated_inclusive, whole),
        human::time(row.estimated, resolution),
        human::percent(row.estimated, whole),
        human::count(row.samples_inclusive),
        human::count(row.samples),
    ]
}

fn estimated_total(samples: &Samples, resolution: u64) -> [String; 6] {
    let mut cells = estimated_cells(&samples.total, samples.total.estimated, resolution);
    for meaningless in [0, 1, 4] {
        cells[meaningless].clear();
    }
    cells
}

pub(super) fn lines(report: &ProfileReport<'_>, key: SortKey, top: Option<usize>) -> (Grid, usize) {
    let none = Samples::default();
    let samples = report.profile.samples.as_deref().unwrap_or(&none);
    let resolution = report.provenance.timer_resolution;
    let name = |i: usize| human::short(names::line(report.definitions, samples.lines[i].line));
    let order = sort::lines(samples, key, top, name);
    let row = |&i: &usize| {
        let row = &samples.lines[i].row;
        let mut cells = estimated_cells(row, samples.total.estimated, resolution).to_vec();
        cells.push(name(i));
        cells
    };
    let rows: Vec<_> = order.iter().map(row).collect();
    let left_out = samples.lines.len() - rows.len();
    let mut total = estimated_total(samples, resolution).to_vec();
    total.push("total".to_owned());
    (grid(ESTIMATED.into_iter().chain(["line"]), rows, total), left_out)
}

pub(super) fn generators(
    report: &ProfileReport<'_>,
    key: SortKey,
    top: Option<usize>,
) -> (Grid, usize) {
    let none = Samples::default();
    let samples = report.profile.samples.as_deref().unwrap_or(&none);
    let definitions = report.definitions;
    let name =
        |i: usize| human::short(names::generator(definitions, samples.generators[i].generator));
    let order = sort::generators(samples, key, top, name);
    let row = |&i: &usize| {
        let row = &samples.generators[i];
        let definition = samples::definition(definitions, row.generator);
        let of =
            |samples| definition.map_or_else(String::new, |d| samples::stands_for_text(d, samples));
        let mode = definition.and_then(|d| d.interrupt_generator_mode.name());
        vec![
            human::count(row.samples),
            human::count(row.locations),
            mode.map(word).unwrap_or_default(),
            of(1),
            of(row.samples),
            name(i),
        ]
    };
    let rows: Vec<_> = order.iter().map(row).collect();
    let left_out = samples.generators.len() - rows.len();
    let mut total = vec![String::new(); 6];
    total[0] = human::count(samples.total.samples);
    total[5] = "total".to_owned();
    let heading = ["samples", "locs", "mode", "period", "stands for", "interrupt generator"];
    (grid(heading, rows, total), left_out)
}

/// Writes the generators of the samples, and their oddities.
pub(super) fn notes(
    out: &mut dyn Write,
    report: &ProfileReport<'_>,
    samples: &Samples,
) -> io::Result<()> {
    writeln!(out)?;
    let shown = &samples.generators[..samples.generators.len().min(Samples::MOST_SPLIT)];
    for row in shown {
        let name = names::generator(report.definitions, row.generator);
        let definition = samples::definition(report.definitions, row.generator);
        let period = definition.map_or_else(String::new, |definition| {
            let unit = match definition.interrupt_generator_mode {
                InterruptGeneratorMode::Count => " counts of it",
                _ => "",
            };
            format!(", one for each {}{unit}", samples::stands_for_text(definition, 1))
        });
        let taken = human::plural(row.samples, "sample");
        writeln!(out, "{taken} taken by {}{period}", human::visible(&human::short(name)))?;
    }
    let more = samples.generators.len() - shown.len();
    if more > 0 {
        writeln!(out, "… and by {}", human::plural(more as u64, "other interrupt generator"))?;
    }
    // Samples in contexts that are not defined are among the losses.
    if samples.odd_unwinds > 0 {
        let odd = human::plural(samples.odd_unwinds, "unwind distance");
        writeln!(out, "{odd} against the calling context before: passed over")?;
    }
    Ok(())
}
