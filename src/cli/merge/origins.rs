//! Origins of locations and ranks: a table for people, and one for programs.

use std::io::{self, Write};
use std::path::PathBuf;

use streamfold_kernels::unify::members::Stretch;

use streamfold_rewrite::merge::{Decisions, Moved, Origin};
use streamfold_system::paths;
use streamfold_text::{human, names};

/// Number of archives that are shown to people.
const SHOWN: usize = 20;

/// The columns of the table for programs.
const COLUMNS: [&str; 14] = [
    "trace",
    "path",
    "run",
    "what",
    "paradigm",
    "first_before",
    "step_before",
    "first",
    "step",
    "count",
    "begin_before",
    "ticks_per_second_before",
    "begin",
    "ticks_per_second",
];

/// The lines of a table, one for each archive up to some.
pub(super) fn lines(anchors: &[PathBuf], decisions: &Decisions) -> Vec<String> {
    let Decisions { origins, resolution, .. } = decisions;
    let earliest = origins.iter().map(|origin| origin.begin).min().unwrap_or(0);
    let heading = ["locations", "numbers", "before", "ranks", "begins", "clock", "trace"];
    let mut rows: Vec<[String; 7]> = vec![heading.map(str::to_owned)];
    rows.extend(anchors.iter().zip(origins).take(SHOWN).map(|(path, origin)| {
        let ranks = origin.ranks.iter().map(|(paradigm, moved)| {
            let name = names::value(paradigm.name(), *paradigm);
            format!("{name} {}", numbers([moved.now].iter()))
        });
        let since = u128::from(origin.begin.saturating_sub(earliest));
        [
            human::count(origin.count()),
            numbers(origin.locations.iter().map(|moved| &moved.now)),
            match origin.locations.iter().any(Moved::is_other) {
                true => numbers(origin.locations.iter().map(|moved| &moved.before)),
                false => "same".to_owned(),
            },
            ranks.collect::<Vec<_>>().join(", "),
            human::time(since, *resolution),
            clock(origin, *resolution),
            human::visible(&path.display().to_string()).into_owned(),
        ]
    }));
    let widths: Vec<usize> = (0..heading.len())
        .map(|i| rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0))
        .collect();
    let line = |row: &[String; 7]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("  {}", cells.collect::<Vec<_>>().join("  ")).trim_end().to_owned()
    };
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    if let Some(more @ 1..) = anchors.len().checked_sub(SHOWN) {
        lines.push(format!("  and {} more: --origins FILE has all", human::count(more as u64)));
    }
    lines
}

/// Numbers as people read them: from where to where.
fn numbers<'s>(all: impl Iterator<Item = &'s Stretch>) -> String {
    let all: Vec<Stretch> = all.copied().filter(|stretch| stretch.count > 0).collect();
    let ends = |stretch: &Stretch| {
        let last = stretch.first.wrapping_add(stretch.step.wrapping_mul(stretch.count - 1));
        [stretch.first, last]
    };
    let least = all.iter().flat_map(ends).min();
    let Some((least, most)) = least.zip(all.iter().flat_map(ends).max()) else {
        return "none".to_owned();
    };
    match (least == most, &all[..]) {
        (true, _) => least.to_string(),
        (_, [Stretch { step: 1, .. }]) => format!("{least} to {most}"),
        _ => format!("among {least} to {most}"),
    }
}

/// Describes the change of the clock.
fn clock(origin: &Origin, resolution: u64) -> String {
    let Origin { resolution_before, begin_before, begin, is_retimed, .. } = *origin;
    if !is_retimed {
        return "same".to_owned();
    }
    if resolution_before != resolution {
        return format!("{} ticks/s before", human::count(resolution_before));
    }
    let sign = if begin < begin_before { '-' } else { '+' };
    format!("{sign}{} ticks", human::count(begin.abs_diff(begin_before)))
}

/// Writes what has become of all numbers, each stretch of them in a line.
///
/// # Errors
///
/// When it cannot be written.
pub(super) fn write(
    out: &mut dyn Write,
    anchors: &[PathBuf],
    decisions: &Decisions,
) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(COLUMNS)?;
    for (trace, (path, origin)) in anchors.iter().zip(&decisions.origins).enumerate() {
        let mut row = |what: &str, paradigm: &str, moved: &Moved| {
            let Moved { before, now } = moved;
            let of_trace = [trace as u64, origin.run];
            let of_numbers = [before.first, before.step, now.first, now.step, now.count];
            let Origin { begin_before, resolution_before, begin, .. } = *origin;
            let of_clock = [begin_before, resolution_before, begin, decisions.resolution];
            let text = |number: &u64| number.to_string().into_bytes();
            let mut fields = vec![text(&of_trace[0]), paths::to_bytes(path), text(&of_trace[1])];
            fields.extend([what, paradigm].map(|name| name.as_bytes().to_vec()));
            fields.extend(of_numbers.iter().chain(&of_clock).map(text));
            csv.write_byte_record(&fields.into())
        };
        if origin.locations.is_empty() {
            row("locations", "", &Moved::NONE)?;
        }
        for moved in &origin.locations {
            row("locations", "", moved)?;
        }
        for (paradigm, moved) in &origin.ranks {
            row("ranks", &names::value(paradigm.name(), *paradigm), moved)?;
        }
    }
    csv.flush()
}
