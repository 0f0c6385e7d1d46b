//! The critical path for people: sentences, then tables.

use std::io::{self, Write};

use streamfold_kernels::account::{Group, Role};
use streamfold_model::ids::LocationRef;

use super::{CriticalReport, OnPath};
use crate::tables::text::{self, Look, Shown};
use crate::tables::{Cell, TableReport};
use streamfold_text::{human, names};

/// Columns that a table can do without, the least missed first.
const SPARED: [&str; 5] = ["from", "sections", "after", "costs all", "source"];

/// Writes the answer, then the tables, each with `top` rows at most.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(
    out: &mut dyn Write,
    report: &CriticalReport<'_>,
    tables: &TableReport<'_>,
    top: usize,
    width: Option<usize>,
) -> io::Result<()> {
    let resolution = report.waits.provenance.timer_resolution;
    let look = Look { resolution, top, width, spared: &SPARED, seldom: &["after"] };
    text::begin(out, tables, width)?;
    for sentence in sentences(report) {
        crate::say::answer(out, &sentence, width)?;
    }
    for name in ["by_call_path", "by_class", "by_location", "longest"] {
        let Some(table) = tables.table(name).filter(|table| !table.is_empty()) else { continue };
        writeln!(out)?;
        // The rows with most time come first.
        Shown::first(table, top, |_| true, |_| ()).write(out, table, &look)?;
    }
    Ok(())
}

/// The answer: how the path spends its time, where most of it is, and how much of that is imbalance.
pub fn sentences(report: &CriticalReport<'_>) -> Vec<String> {
    let total = u128::from(report.path.total());
    if total == 0 {
        return vec!["Nothing was recorded: there is no path.".to_owned()];
    }
    let resolution = report.waits.provenance.timer_resolution;
    let time = |ticks: u64| human::time(ticks.into(), resolution);
    let share = |ticks: u64| human::percent(ticks.into(), total);
    let classes = report.classes();
    let of_group = |group: Group| {
        let all = classes.iter().flat_map(|(_, of)| of);
        all.filter(|(class, _)| class.group() == group).map(|(_, ticks)| *ticks).sum::<u128>()
    };
    let mut groups: Vec<_> = Group::ALL.iter().map(|group| (of_group(*group), *group)).collect();
    groups.retain(|(ticks, _)| *ticks > 0);
    groups.sort_by_key(|(ticks, group)| (std::cmp::Reverse(*ticks), *group));
    let parts = groups
        .iter()
        .take(3)
        .map(|(ticks, group)| format!("{} {} %", group.title(), human::percent(*ticks, total)));
    let parts: Vec<String> = parts.collect();
    let changes = report.path.sections.len().saturating_sub(1) as u64;
    let mut locations: Vec<_> = report.path.sections.iter().map(|of| of.location).collect();
    locations.sort_unstable();
    locations.dedup();
    let (whole, parts) = (time(report.path.total()), parts.join(", "));
    let is_stream = |of: &&LocationRef| Role::is_stream(report.waits.definitions, **of);
    let streams = locations.iter().filter(is_stream).count() as u64;
    let threads = locations.len() as u64 - streams;
    let [threads, of_streams] =
        [(threads, ["thread", "threads"]), (streams, ["stream", "streams"])]
            .map(|(count, words)| (count > 0).then(|| human::counted(count, words)));
    let kind = if streams > 0 { "location" } else { "thread" };
    let on: Vec<String> = threads.into_iter().chain(of_streams).collect();
    let on = on.join(" and ");
    let times = match changes {
        1 => "once".to_owned(),
        _ => format!("{} times", human::count(changes)),
    };
    let mut sentences = vec![match &locations[..] {
        [one] if changes == 0 => {
            let name = names::place(report.waits.definitions, *one);
            format!("The critical path, {whole}, stays on {name}: {parts}.")
        }
        _ => format!(
            "The critical path, {whole}, is on {on} and changes the {kind} {times}: {parts}."
        ),
    }];
    if changes == 0 && report.locations() > 1 {
        sentences.push(
            "No wait that is recorded leads from there to another location: it is the time of the one that ended last."
                .to_owned(),
        );
    }
    sentences.extend(most(report, "It"));
    let paths = report.paths();
    let imbalance: u64 = paths.iter().map(|of| of.imbalance).sum();
    let worst = paths.iter().max_by_key(|of| (of.imbalance, std::cmp::Reverse(of.place)));
    if let Some(worst) = worst.filter(|of| of.imbalance > 0) {
        sentences.push(format!(
            "{} % of it, {}, is imbalance: time beyond the mean of all; most of that, {}, is {}.",
            share(imbalance),
            time(imbalance),
            time(worst.imbalance),
            place(report, worst),
        ));
    }
    if report.impossible() > 0 {
        sentences.push(format!(
            "{} no part: what ended them was recorded after the call was left: clocks disagree.",
            match report.impossible() {
                1 => "1 wait takes".to_owned(),
                several => format!("{} waits take", human::count(several)),
            },
        ));
    }
    sentences
}

/// The call path on which the path spends most. `None`: there is no path.
pub fn most(report: &CriticalReport<'_>, subject: &str) -> Option<String> {
    let resolution = report.waits.provenance.timer_resolution;
    let most = report.paths().into_iter().next()?;
    let has_mean = most.place.path.is_some() && report.locations() > 1;
    let mean = match human::time(most.mean, resolution) {
        mean if has_mean => format!("; the mean of all locations there is {mean}"),
        _ => String::new(),
    };
    let ticks = human::time(most.ticks.into(), resolution);
    let share = human::percent(most.ticks.into(), report.path.total().into());
    let place = place(report, &most);
    Some(format!("{subject} spends most, {ticks} ({share} %), {place}{mean}."))
}

/// The call path in words.
fn place(report: &CriticalReport<'_>, of: &OnPath) -> String {
    let region = report.waits.end_of(of.place.path);
    let source = report.waits.source(of.place.path);
    let place = match (region.is_empty(), source) {
        (true, _) => "outside of all regions".to_owned(),
        (false, Cell::Text(source)) => format!("in `{region}` ({source})"),
        _ => format!("in `{region}`"),
    };
    match of.place.forking {
        true => format!("{place}, where teams of threads are forked and joined"),
        false => place,
    }
}
