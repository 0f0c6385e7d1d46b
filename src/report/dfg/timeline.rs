//! When an activity happens, by case: rows of bars, for people.

use std::io::{self, Write};

use streamfold_kernels::dfg::{Graph, Occurrence};

use super::DfgReport;
use crate::colours::{Colour, GRID};
use crate::draw;
use crate::draw::{Anchor, Drawing, Look, Side, MARGIN, SIZE};
use crate::heat_map::{Names, TimeAxis, NAMES};
use streamfold_text::human;

/// Columns of a row in text.
const COLUMNS: usize = 60;
/// Of a row in a picture.
const ROW: f64 = 18.0;
/// Colour of bars.
const EVENTS: Colour = [0x00, 0x72, 0xb2];
/// Bars of a row; those that are closer to each other than a pixel are one.
const GAP: f64 = 1.0;
/// Characters of the name of a case.
const NAME: usize = 40;

/// When the first event of any case begins, and when the last one ends.
fn span(graph: &Graph) -> Option<(i64, i64)> {
    let events = || graph.timeline.iter().flat_map(|(_, events)| events);
    let first = events().map(|event| event.start).min()?;
    let last = events().map(end).max()?;
    Some((first, last.max(first + 1)))
}

fn end(event: &Occurrence) -> i64 {
    event.start.saturating_add_unsigned(event.duration)
}

/// The part of the time from the first to the last event, 0 to 1.
fn part((first, last): (i64, i64), time: i64) -> f64 {
    time.abs_diff(first) as f64 / last.abs_diff(first) as f64
}

fn name(case: &str) -> String {
    let case = human::visible(case);
    match case.chars().count() > NAME {
        true => case.chars().take(NAME - 1).chain(['…']).collect(),
        false => case.into_owned(),
    }
}

/// Writes rows of letters: the higher a bar, the more of its time is inside of events.
pub(super) fn write_text(
    out: &mut dyn Write,
    report: &DfgReport,
    activity: &str,
    top: usize,
) -> io::Result<()> {
    const BAR: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let graph = &report.graph;
    let activity = human::visible(activity);
    let Some(span) = span(graph) else {
        return writeln!(out, "{activity} does not happen.");
    };
    let resolution = report.provenance.timer_resolution;
    let length = human::time(u128::from(span.1.abs_diff(span.0)), resolution);
    writeln!(out, "When {activity} happens, in {length} from its first begin to its last end:")?;
    let names: Vec<String> = graph.timeline.iter().map(|(case, _)| name(case)).collect();
    let shown = top.min(names.len());
    let width = names[..shown].iter().map(|name| name.chars().count()).max().unwrap_or(0);
    for ((_, events), name) in graph.timeline.iter().zip(&names).take(shown) {
        let mut covered = [0.0; COLUMNS];
        for event in events {
            let (from, to) = (part(span, event.start), part(span, end(event)));
            let (from, to) = (from * COLUMNS as f64, to * COLUMNS as f64);
            let mut column = (from as usize).min(COLUMNS - 1);
            // The shortest event is seen.
            covered[column] += (to.min(column as f64 + 1.0) - from).max(0.01);
            while to > column as f64 + 1.0 && column + 1 < COLUMNS {
                column += 1;
                covered[column] += (to - column as f64).min(1.0);
            }
        }
        let bar = covered.iter().map(|covered: &f64| BAR[(covered * 8.0).ceil().min(8.0) as usize]);
        let bar: String = bar.collect();
        let events = human::plural(events.len() as u64, "event");
        writeln!(out, "{name:width$} |{bar}| {events}")?;
    }
    if shown < names.len() {
        writeln!(out, "{}", human::and_more((names.len() - shown) as u64, " cases").trim_start())?;
    }
    Ok(())
}

/// Writes a picture with a row for each case.
pub(super) fn write_svg(out: &mut dyn Write, report: &DfgReport, activity: &str) -> io::Result<()> {
    let graph = &report.graph;
    let ends = graph.timeline.iter().map(|(case, _)| {
        let name = name(case);
        [name.clone(), name]
    });
    let names = Names::new(&ends.collect::<Vec<_>>());
    let span = span(graph);
    let length = span.map_or(0, |(first, last)| last.abs_diff(first));
    let seconds = length as f64 / report.provenance.timer_resolution.max(1) as f64;
    let axis = TimeAxis::new(1, (0.0, seconds), names.width()).since("the first event");
    let mut on = Drawing::default();
    let count: usize = graph.timeline.iter().map(|(_, events)| events.len()).sum();
    let title = format!("When {} happens", human::visible(activity));
    let said = format!(
        "{} in {}",
        human::plural(count as u64, "event"),
        human::plural(names.all.len() as u64, "case"),
    );
    let top = on.heading(axis.sheet() - 2.0 * MARGIN, &title, &said);
    let (left, right) = (axis.left, axis.left + axis.width);
    let end = Look::default().at(Anchor::End);
    for (number, ((_, events), name)) in graph.timeline.iter().zip(&names.all).enumerate() {
        let y = top + number as f64 * ROW;
        on.text((left - 8.0, y + 13.0), end, &draw::fitted(name, NAMES, SIZE));
        on.line((left, y + ROW - 1.0), (right, y + ROW - 1.0), GRID);
        let Some(span) = span else { continue };
        let paint = on.paint(Side::Fill, EVENTS);
        on.write(format_args!("<path{paint} d=\""));
        for (from, to) in bars(span, events, axis.width) {
            let (from, to) = (left + from, left + to);
            on.write(format_args!(
                "M{from:.1} {:.1}H{to:.1}V{:.1}H{from:.1}Z",
                y + 3.0,
                y + ROW - 3.0
            ));
        }
        on.write(format_args!("\"/>\n"));
    }
    let bottom = axis.draw(&mut on, top + names.all.len() as f64 * ROW);
    out.write_all(on.finish((axis.sheet(), bottom + MARGIN), &title, &said).as_bytes())
}

/// The bars of a row, from 0 to this width.
fn bars(span: (i64, i64), events: &[Occurrence], width: f64) -> Vec<(f64, f64)> {
    let mut bars: Vec<(f64, f64)> = Vec::new();
    for event in events {
        let from = part(span, event.start) * width;
        let to = (part(span, end(event)) * width).max(from + 1.0);
        match bars.last_mut() {
            Some(last) if from < last.1 + GAP => last.1 = last.1.max(to),
            _ => bars.push((from, to)),
        }
    }
    bars
}
