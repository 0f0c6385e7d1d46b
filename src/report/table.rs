//! Tables for people: aligned columns, times in readable units, the call tree as a tree.

use std::borrow::Cow;
use std::io::{self, Write};

use streamfold_kernels::profile::{
    Oddities, Row, SampleRow, Samples, Spread, TakenBack, ThreadCounts, Traffic,
};
use streamfold_model::enums::LocationType;
use streamfold_model::ids::LocationRef;

use super::fit::{self, GAP};
use super::listed::{branches, Listed};
use super::provenance::Provenance;
use super::sort::{self, SortKey};
use super::{human, names, samples, table_metrics, threads, By, ProfileReport};

/// Writes a table of one kind of rows, with a heading above and what is odd below. On a terminal of
/// `width` columns what has no room is left out.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(
    out: &mut dyn Write,
    report: &ProfileReport<'_>,
    by: By,
    key: SortKey,
    top: Option<usize>,
    width: Option<usize>,
) -> io::Result<()> {
    heading(out, report)?;
    let (grid, left_out, metrics) = match by {
        By::Region => regions(report, key, top),
        By::Callpath => paths(report, key, top),
        By::Location => locations(report, key, top),
        By::Group => groups(report, key, top),
        By::Context => without_metrics(contexts(report, key, top)),
        By::Line => without_metrics(lines(report, key, top)),
        By::Generator => without_metrics(generators(report, key, top)),
        By::Metric => without_metrics(table_metrics::rows(report, key, top)),
    };
    grid.write(out, width)?;
    tell_left_out(out, left_out)?;
    if by == By::Callpath && report.profile.samples.is_some() {
        writeln!(out, "\nBy calling context, which samples and enters tell (--by context):\n")?;
        let (grid, left_out) = contexts(report, SortKey::Estimated, top);
        grid.write(out, width)?;
        tell_left_out(out, left_out)?;
    }
    if let Some(grid) = metrics {
        writeln!(out)?;
        grid.write(out, width)?;
    }
    oddities(out, &report.profile.oddities, &report.profile.threads)?;
    taken_back(out, report)?;
    match &report.profile.samples {
        Some(samples) => sample_notes(out, report, samples)?,
        None if matches!(by, By::Context | By::Line | By::Generator) => {
            writeln!(out, "\nThe trace has no events with calling contexts: nothing was sampled.")?;
        }
        None => {}
    }
    table_metrics::notes(out, report, by)?;
    losses(out, report.provenance)
}

/// A table, how many rows are left out of it, and the table of the metrics of its rows.
type Tables = (Grid, usize, Option<Grid>);

fn without_metrics((grid, left_out): (Grid, usize)) -> Tables {
    (grid, left_out, None)
}

fn tell_left_out(out: &mut dyn Write, left_out: usize) -> io::Result<()> {
    if left_out == 0 {
        return Ok(());
    }
    writeln!(out, "{} left out (--top)", human::plural(left_out as u64, "more row"))
}

fn heading(out: &mut dyn Write, report: &ProfileReport<'_>) -> io::Result<()> {
    let (profile, provenance) = (report.profile, report.provenance);
    let resolution = provenance.timer_resolution;
    let first = profile.locations.iter().filter_map(|row| row.first).min();
    let last = profile.locations.iter().filter_map(|row| row.last).max();
    let span = first.zip(last).map_or(0, |(first, last)| last.0.saturating_sub(first.0));
    writeln!(out, "{}", human::visible(&provenance.input))?;
    writeln!(
        out,
        "recorded by {}: {} of {} in {}, {}",
        if provenance.creator.is_empty() {
            "?".into()
        } else {
            human::visible(&provenance.creator)
        },
        human::time(span.into(), resolution),
        human::plural(profile.locations.len() as u64, "location"),
        human::plural(profile.groups.len() as u64, "group"),
        human::plural(profile.events, "event"),
    )?;
    let asked: Vec<_> = provenance.options.iter().filter_map(asked).collect();
    if !asked.is_empty() {
        writeln!(out, "with {}", asked.join(", "))?;
    }
    writeln!(out)
}

/// An option that changes what tables show, as it was given.
fn asked((name, value): &(String, String)) -> Option<String> {
    let value = human::visible(value);
    match (&name[..], &value[..]) {
        ("per-location" | "strict", _) => None,
        (name, "true") => Some(format!("--{name}")),
        (name, value) => Some(format!("--{name} {value}")),
    }
}

/// Columns of text; the last one is aligned to the left.
pub(super) struct Grid {
    pub heading: Vec<Cow<'static, str>>,
    pub rows: Vec<Vec<String>>,
    /// Below all rows; where it is empty there is none.
    pub total: Vec<String>,
    /// From this column on they may be left out for want of room.
    pub spare: usize,
}

impl Grid {
    fn write(&self, out: &mut dyn Write, width: Option<usize>) -> io::Result<()> {
        let total = Some(&self.total).filter(|total| !total.is_empty());
        let cells = |i: usize| self.rows.iter().chain(total).map(move |row| &row[i]);
        let heading: Vec<&str> = self.heading.iter().map(|name| &**name).collect();
        let last = self.heading.len() - 1;
        let mut widths: Vec<usize> = (0..last)
            .map(|i| {
                let widest = cells(i).map(|cell| cell.chars().count()).max().unwrap_or(0);
                // A column in which there is nothing is left out.
                if widest == 0 {
                    0
                } else {
                    widest.max(heading[i].chars().count())
                }
            })
            .collect();
        let longest = cells(last).map(|name| name.chars().count()).max().unwrap_or(0);
        let spared = &fit::OF_PROFILES;
        let fitted =
            width.map(|width| fit::fit(spared, &heading, &mut widths, self.spare, longest, width));
        let (room, left_out) = fitted.unwrap_or((usize::MAX, 0));
        let line = |out: &mut dyn Write, row: &[&str]| -> io::Result<()> {
            for (cell, width) in row.iter().zip(&widths).filter(|(_, width)| **width > 0) {
                write!(out, "{cell:>width$}{:GAP$}", "")?;
            }
            writeln!(out, "{}", fit::cut(&human::visible(row[last]), room))
        };
        line(out, &heading)?;
        for row in &self.rows {
            line(out, &row.iter().map(String::as_str).collect::<Vec<_>>())?;
        }
        if let Some(total) = total {
            line(out, &total.iter().map(String::as_str).collect::<Vec<_>>())?;
        }
        if left_out > 0 {
            let columns = human::plural(left_out as u64, "column");
            writeln!(out, "{columns} left out for want of room: | less -S shows all")?;
        }
        Ok(())
    }
}

/// The columns that rows of regions and of call paths have before their names.
pub(super) const ROW_HEADING: [&str; 19] = [
    "exclusive",
    "%",
    "inclusive",
    "%",
    "visits",
    "mean visit",
    "shortest",
    "longest",
    "locs",
    "least",
    "mean",
    "most",
    "at",
    "operations",
    "bytes",
    "estimated",
    "incl. estimated",
    "samples",
    "incl. samples",
];

fn row_cells(
    row: &Row,
    inclusive: u128,
    sampled: Option<&SampleRow>,
    total: u128,
    resolution: u64,
) -> Vec<String> {
    let time = |ticks: u128| human::time(ticks, resolution);
    let if_closed = |text: String| if row.closed > 0 { text } else { "-".to_owned() };
    let (shortest, longest) = row.extremes().unzip();
    let if_any = |ticks: Option<u64>| ticks.map_or("-".to_owned(), |ticks| time(ticks.into()));
    let mean = row.inclusive.checked_div(row.closed.into()).unwrap_or(0);
    let mut cells = vec![
        time(row.exclusive),
        human::percent(row.exclusive, total),
        time(inclusive),
        human::percent(inclusive, total),
        human::count(row.visits),
        if_closed(time(mean)),
        if_any(shortest),
        if_any(longest),
    ];
    if (row.visits, row.closed, row.inclusive) == (0, 0, 0) && sampled.is_some() {
        // Only samples have found it.
        cells.iter_mut().for_each(String::clear);
    }
    cells.extend(spread_cells(&row.spread, row.exclusive, resolution));
    cells.extend(traffic_cells(&row.traffic));
    cells.extend(sampled.map_or_else(Default::default, |row| sample_cells(row, resolution)));
    cells
}

fn sample_cells(row: &SampleRow, resolution: u64) -> [String; 4] {
    [
        human::time(row.estimated, resolution),
        human::time(row.estimated_inclusive, resolution),
        human::count(row.samples),
        human::count(row.samples_inclusive),
    ]
}

fn spread_cells(spread: &Spread, exclusive: u128, resolution: u64) -> Vec<String> {
    if spread.locations == 0 {
        return vec![String::new(); 5];
    }
    vec![
        human::count(spread.locations),
        human::time(spread.least, resolution),
        human::time(exclusive / u128::from(spread.locations), resolution),
        human::time(spread.most, resolution),
        spread.most_at.to_string(),
    ]
}

/// Messages and other operations together, and their bytes in both directions.
fn traffic_cells(traffic: &Traffic) -> Vec<String> {
    if traffic.is_empty() {
        return vec![String::new(); 2];
    }
    vec![human::count(traffic.operations()), human::bytes(traffic.bytes())]
}

fn regions(report: &ProfileReport<'_>, key: SortKey, top: Option<usize>) -> Tables {
    let (profile, resolution) = (report.profile, report.provenance.timer_resolution);
    let whole = profile.total.exclusive;
    let all = samples::region_rows(profile);
    let samples = profile.samples.as_deref();
    let listed = Listed::regions(report, &all, key, top);
    let row = |(i, name): (usize, &str)| {
        let row = &all[i];
        let sampled = samples::of_region(samples, row.step);
        let mut cells = row_cells(&row.row, row.outer, sampled, whole, resolution);
        cells.push(name.to_owned());
        cells
    };
    let rows: Vec<_> = listed.rows().map(row).collect();
    let total = samples.map(|samples| &samples.total);
    let metrics = |i| profile.metrics.of_region(i);
    let metrics = table_metrics::of_steps(report, "region", &listed, metrics);
    (row_grid(report, rows, total, "region"), listed.left_out, metrics)
}

fn paths(report: &ProfileReport<'_>, key: SortKey, top: Option<usize>) -> Tables {
    let (profile, resolution) = (report.profile, report.provenance.timer_resolution);
    let whole = profile.total.exclusive;
    let listed = Listed::paths(report, key, top);
    let row = |(i, name): (usize, &str)| {
        let row = &profile.paths[i].row;
        let mut cells = row_cells(row, row.inclusive, None, whole, resolution);
        cells.push(name.to_owned());
        cells
    };
    let rows: Vec<_> = listed.rows().map(row).collect();
    let metrics = |i| profile.metrics.of_path(i);
    let metrics = table_metrics::of_steps(report, "call path", &listed, metrics);
    (row_grid(report, rows, None, "call path"), listed.left_out, metrics)
}

fn row_grid(
    report: &ProfileReport<'_>,
    rows: Vec<Vec<String>>,
    sampled: Option<&SampleRow>,
    what: &'static str,
) -> Grid {
    let total = &report.profile.total;
    let resolution = report.provenance.timer_resolution;
    let mut cells = row_cells(total, total.exclusive, sampled, total.exclusive, resolution);
    for meaningless in [2, 3, 5, 6, 7, 16, 18] {
        cells[meaningless].clear();
    }
    cells.push(format!("total, {} below any region", outside(&report.profile.outside)));
    if report.profile.outside.is_empty() {
        *cells.last_mut().expect("the name") = "total".to_owned();
    }
    let heading = ROW_HEADING.into_iter().chain([what]).map(Cow::Borrowed).collect();
    Grid { heading, rows, total: cells, spare: usize::MAX }
}

fn outside(traffic: &Traffic) -> String {
    human::plural(traffic.operations(), "operation")
}

fn locations(report: &ProfileReport<'_>, key: SortKey, top: Option<usize>) -> Tables {
    let profile = report.profile;
    let typed = any_other_type(report);
    let listed = Listed::locations(report, key, top);
    let row = |(i, name): (usize, &str)| {
        let row = &profile.locations[i];
        let mut cells = whole_cells(report, row.inside, row.events, row.visits);
        cells.extend(traffic_cells(&row.traffic));
        cells.push(odd(&row.oddities));
        let samples = samples::of_location(profile, i);
        cells.push(samples.map_or_else(String::new, |row| human::count(row.samples())));
        cells.push(row.location.to_string());
        let kind = location_type(report, row.location).filter(|_| typed);
        cells.push(kind.map(type_name).unwrap_or_default());
        cells.push(name.to_owned());
        cells
    };
    let rows: Vec<_> = listed.rows().map(row).collect();
    let metrics = |i| profile.metrics.of_location(i);
    let metrics = table_metrics::of_locations(report, "location", &listed, metrics);
    (whole_grid(report, rows, "number", "location"), listed.left_out, metrics)
}

fn groups(report: &ProfileReport<'_>, key: SortKey, top: Option<usize>) -> Tables {
    let profile = report.profile;
    let listed = Listed::groups(report, key, top);
    let row = |(i, name): (usize, &str)| {
        let row = &profile.groups[i];
        let mut cells = whole_cells(report, row.inside, row.events, row.visits);
        cells.extend(traffic_cells(&row.traffic));
        cells.push(odd(&row.oddities));
        let samples = samples::of_group(profile, i);
        cells.push(samples.map_or_else(String::new, |row| human::count(row.samples())));
        cells.push(human::count(row.locations));
        cells.push(String::new());
        cells.push(name.to_owned());
        cells
    };
    let rows: Vec<_> = listed.rows().map(row).collect();
    let metrics = |i| profile.metrics.of_group(i);
    let metrics = table_metrics::of_locations(report, "group", &listed, metrics);
    (whole_grid(report, rows, "locs", "group"), listed.left_out, metrics)
}

/// What kind of location it is.
fn location_type(report: &ProfileReport<'_>, location: LocationRef) -> Option<LocationType> {
    Some(report.definitions.locations.get(&location)?.location_type)
}

/// Whether some locations are no threads of processors.
fn any_other_type(report: &ProfileReport<'_>) -> bool {
    let mut types = report.profile.locations.iter().map(|row| location_type(report, row.location));
    types.any(|kind| kind.is_some_and(|kind| kind != LocationType::CpuThread))
}

fn type_name(kind: LocationType) -> String {
    word(&names::value(kind.name(), kind))
}

/// A name of the format in lower case: `cpu thread`.
fn word(name: &str) -> String {
    name.to_ascii_lowercase().replace('_', " ")
}

/// All columns of which are needed.
fn grid(
    heading: impl IntoIterator<Item = &'static str>,
    rows: Vec<Vec<String>>,
    total: Vec<String>,
) -> Grid {
    let heading = heading.into_iter().map(Cow::Borrowed).collect();
    Grid { heading, rows, total, spare: usize::MAX }
}

fn contexts(report: &ProfileReport<'_>, key: SortKey, top: Option<usize>) -> (Grid, usize) {
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

fn lines(report: &ProfileReport<'_>, key: SortKey, top: Option<usize>) -> (Grid, usize) {
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

fn generators(report: &ProfileReport<'_>, key: SortKey, top: Option<usize>) -> (Grid, usize) {
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

/// What the numbers of samples rest on, and what is odd about them.
fn sample_notes(
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
            let unit = definition.interrupt_generator_mode.name().map(word).unwrap_or_default();
            format!(", one for each {} ({unit})", samples::stands_for_text(definition, 1))
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

/// The columns that rows of locations and of groups have first.
pub(super) const WHOLE_HEADING: [&str; 8] =
    ["in regions", "%", "events", "visits", "operations", "bytes", "odd", "samples"];

fn whole_cells(report: &ProfileReport<'_>, inside: u128, events: u64, visits: u64) -> Vec<String> {
    vec![
        human::time(inside, report.provenance.timer_resolution),
        human::percent(inside, report.profile.total.exclusive),
        human::count(events),
        human::count(visits),
    ]
}

/// What is odd, in a word; empty where nothing is.
fn odd(oddities: &Oddities) -> String {
    let Oddities { open, crossed, unmatched, dropped: _, backward, .. } = *oddities;
    match open + crossed + unmatched + backward + oddities.undefined_contexts + oddities.unbegun_io
    {
        0 => String::new(),
        sum => human::count(sum),
    }
}

fn whole_grid(
    report: &ProfileReport<'_>,
    rows: Vec<Vec<String>>,
    before: &'static str,
    what: &'static str,
) -> Grid {
    let profile = report.profile;
    let mut total =
        whole_cells(report, profile.total.exclusive, profile.events, profile.total.visits);
    total.extend(traffic_cells(&profile.total.traffic));
    total.push(odd(&profile.oddities));
    let samples = profile.samples.as_ref();
    total.push(samples.map_or_else(String::new, |samples| human::count(samples.total.samples)));
    total.push(String::new());
    total.push(String::new());
    total.push("total".to_owned());
    let heading =
        WHOLE_HEADING.into_iter().chain([before, "type", what]).map(Cow::Borrowed).collect();
    Grid { heading, rows, total, spare: usize::MAX }
}

fn oddities(out: &mut dyn Write, oddities: &Oddities, threads: &ThreadCounts) -> io::Result<()> {
    // References to calling contexts that are not defined are among the losses.
    let Oddities { open, crossed, unmatched, dropped, backward, unbegun_io, .. } = *oddities;
    let (visit, leave) = (["visit", "visits"], ["leave", "leaves"]);
    let files = ["file operation", "file operations"];
    let lines = [
        (open, visit, "open at the end: counted, without time"),
        (crossed, leave, "of a region further out than the innermost"),
        (dropped, visit, "dropped by such a leave: counted, without time"),
        (unmatched, leave, "of a region that is not open: passed over"),
        (backward, ["event", "events"], "with a time before that of the one before"),
        (unbegun_io, files, "without a begin: its bytes do not count"),
    ];
    let mut any = false;
    let lines = lines.into_iter().chain(threads::oddities(threads));
    for (number, noun, text) in lines.filter(|(number, ..)| *number > 0) {
        if !std::mem::replace(&mut any, true) {
            writeln!(out)?;
        }
        writeln!(out, "{} {text}", human::counted(number, noun))?;
    }
    Ok(())
}

/// What windows of time before have counted.
fn taken_back(out: &mut dyn Write, report: &ProfileReport<'_>) -> io::Result<()> {
    if report.profile.taken_back.is_empty() {
        return Ok(());
    }
    let TakenBack { visits, inclusive, exclusive } = report.profile.taken_back.total;
    let time = |ticks| human::time(ticks, report.provenance.timer_resolution);
    writeln!(
        out,
        "\nWindows of time before this one have counted too much, since visits turn out here to have no \
         end, or another place: {}, {} of inclusive and {} of exclusive time",
        human::plural(visits, "visit"),
        time(inclusive),
        time(exclusive)
    )
}

/// So many losses stand below a table; files hold more.
const LOSSES_SHOWN: usize = 10;

fn losses(out: &mut dyn Write, provenance: &Provenance) -> io::Result<()> {
    if provenance.loss_count == 0 {
        return Ok(());
    }
    writeln!(out, "\nNot all of the trace could be read:")?;
    let shown = &provenance.losses[..provenance.losses.len().min(LOSSES_SHOWN)];
    for loss in shown {
        writeln!(out, "  {}", human::visible(loss))?;
    }
    match provenance.loss_count.saturating_sub(shown.len() as u64) {
        0 => Ok(()),
        more => {
            let more = human::counted(more, ["other loss", "other losses"]);
            writeln!(out, "  … and {more}")
        }
    }
}
