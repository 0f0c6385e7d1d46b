//! Tables for people: aligned columns, times in readable units, the call tree as a tree.

use std::borrow::Cow;
use std::io::{self, Write};

use streamfold_kernels::profile::{Oddities, Row, Spread, ThreadCounts, Traffic};

use super::fit::{self, GAP};
use super::sort::{self, SortKey};
use super::{csv, human, names, table_metrics, threads, By, ProfileReport};

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
    let (grid, left_out) = match by {
        By::Region => regions(report, key, top),
        By::Callpath => paths(report, key, top),
        By::Location => locations(report, key, top),
        By::Group => groups(report, key, top),
        By::Metric => table_metrics::rows(report, key, top),
    };
    grid.write(out, width)?;
    if left_out > 0 {
        writeln!(out, "{} left out (--top)", human::plural(left_out as u64, "more row"))?;
    }
    if let Some(grid) = table_metrics::by_row(report, by, key, top) {
        writeln!(out)?;
        grid.write(out, width)?;
    }
    oddities(out, &report.profile.oddities, &report.profile.threads)?;
    table_metrics::notes(out, report, by)?;
    losses(out, &report.provenance.losses)
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
        "recorded by {}: {} of {} in {}, {}\n",
        if provenance.creator.is_empty() {
            "?".into()
        } else {
            human::visible(&provenance.creator)
        },
        human::time(span.into(), resolution),
        human::plural(profile.locations.len() as u64, "location"),
        human::plural(profile.groups.len() as u64, "group"),
        human::plural(profile.events, "event"),
    )
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
        let fitted = width.map(|width| fit::fit(&heading, &mut widths, self.spare, longest, width));
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
const ROW_HEADING: [&str; 15] = [
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
];

fn row_cells(row: &Row, inclusive: u128, total: u128, resolution: u64) -> Vec<String> {
    let time = |ticks: u128| human::time(ticks, resolution);
    let if_closed = |text: String| if row.closed > 0 { text } else { "-".to_owned() };
    let mean = row.inclusive.checked_div(row.closed.into()).unwrap_or(0);
    let mut cells = vec![
        time(row.exclusive),
        human::percent(row.exclusive, total),
        time(inclusive),
        human::percent(inclusive, total),
        human::count(row.visits),
        if_closed(time(mean)),
        if_closed(time(row.shortest.into())),
        if_closed(time(row.longest.into())),
    ];
    cells.extend(spread_cells(&row.spread, row.exclusive, resolution));
    cells.extend(traffic_cells(&row.traffic));
    cells
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

fn regions(report: &ProfileReport<'_>, key: SortKey, top: Option<usize>) -> (Grid, usize) {
    let (profile, resolution) = (report.profile, report.provenance.timer_resolution);
    let whole = profile.total.exclusive;
    let name = |i: usize| human::short(names::step(report.definitions, profile.regions[i].step));
    let order = sort::regions(profile, key, top, name);
    let row = |&i: &usize| {
        let row = &profile.regions[i];
        let mut cells = row_cells(&row.row, row.outer, whole, resolution);
        cells.push(name(i));
        cells
    };
    let rows: Vec<_> = order.iter().map(row).collect();
    let left_out = profile.regions.len() - rows.len();
    (row_grid(report, rows, "region"), left_out)
}

fn paths(report: &ProfileReport<'_>, key: SortKey, top: Option<usize>) -> (Grid, usize) {
    let (profile, resolution) = (report.profile, report.provenance.timer_resolution);
    let whole = profile.total.exclusive;
    let name = |i: usize| human::short(names::step(report.definitions, profile.paths[i].step));
    let order = sort::paths(profile, key, top, name);
    let branches = branches(&order.iter().map(|&i| profile.paths[i].depth).collect::<Vec<_>>());
    let row = |(&i, branch): (&usize, &String)| {
        let row = &profile.paths[i].row;
        let mut cells = row_cells(row, row.inclusive, whole, resolution);
        cells.push(format!("{branch}{}", name(i)));
        cells
    };
    let rows: Vec<_> = order.iter().zip(&branches).map(row).collect();
    let left_out = profile.paths.len() - rows.len();
    (row_grid(report, rows, "call path"), left_out)
}

/// Regions above which no branches are drawn; deeper ones say how deep they are.
const DEEPEST_BRANCH: u32 = 40;

/// What stands before the names in a tree, from the depths in the order of the lines.
pub(super) fn branches(depths: &[u32]) -> Vec<String> {
    // Whether another line of this depth follows below the same parent, seen from the end.
    let mut follows: Vec<bool> = Vec::new();
    let mut branches: Vec<String> = depths
        .iter()
        .rev()
        .map(|&depth| {
            if depth > DEEPEST_BRANCH {
                return format!("… {depth} deep: ");
            }
            let depth = depth as usize;
            follows.truncate(depth + 1);
            follows.resize(depth + 1, false);
            let mut branch = String::new();
            for (level, follows) in follows.iter().enumerate().skip(1) {
                branch.push_str(match (level == depth, follows) {
                    (true, true) => "├─ ",
                    (true, false) => "└─ ",
                    (false, true) => "│  ",
                    (false, false) => "   ",
                });
            }
            follows[depth] = true;
            branch
        })
        .collect();
    branches.reverse();
    branches
}

fn row_grid(report: &ProfileReport<'_>, rows: Vec<Vec<String>>, what: &'static str) -> Grid {
    let total = &report.profile.total;
    let resolution = report.provenance.timer_resolution;
    let mut cells = row_cells(total, total.exclusive, total.exclusive, resolution);
    for meaningless in [2, 3, 5, 6, 7] {
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

fn locations(report: &ProfileReport<'_>, key: SortKey, top: Option<usize>) -> (Grid, usize) {
    let (profile, definitions) = (report.profile, report.definitions);
    let name = |i: usize| human::short(names::location(definitions, profile.locations[i].location));
    let order = sort::whole(&profile.locations, key, top, csv::location_row, name);
    let row = |&i: &usize| {
        let row = &profile.locations[i];
        let mut cells = whole_cells(report, row.inside, row.events, row.visits);
        cells.extend(traffic_cells(&row.traffic));
        cells.push(odd(&row.oddities));
        cells.push(row.location.to_string());
        let group = human::short(names::group_of(definitions, row.location));
        cells.push(format!("{group} · {}", name(i)));
        cells
    };
    let rows: Vec<_> = order.iter().map(row).collect();
    let left_out = profile.locations.len() - rows.len();
    (whole_grid(report, rows, "number", "location"), left_out)
}

fn groups(report: &ProfileReport<'_>, key: SortKey, top: Option<usize>) -> (Grid, usize) {
    let profile = report.profile;
    let name = |i: usize| human::short(names::group(report.definitions, profile.groups[i].group));
    let order = sort::whole(&profile.groups, key, top, csv::group_row, name);
    let row = |&i: &usize| {
        let row = &profile.groups[i];
        let mut cells = whole_cells(report, row.inside, row.events, row.visits);
        cells.extend(traffic_cells(&row.traffic));
        cells.push(odd(&row.oddities));
        cells.push(human::count(row.locations));
        cells.push(name(i));
        cells
    };
    let rows: Vec<_> = order.iter().map(row).collect();
    let left_out = profile.groups.len() - rows.len();
    (whole_grid(report, rows, "locs", "group"), left_out)
}

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
    total.push(String::new());
    total.push("total".to_owned());
    let heading =
        vec!["in regions", "%", "events", "visits", "operations", "bytes", "odd", before, what];
    let heading = heading.into_iter().map(Cow::Borrowed).collect();
    Grid { heading, rows, total, spare: usize::MAX }
}

fn oddities(out: &mut dyn Write, oddities: &Oddities, threads: &ThreadCounts) -> io::Result<()> {
    let Oddities { open, crossed, unmatched, dropped, backward, .. } = *oddities;
    let lines = [
        (open, "visit", "open at the end: counted, without time"),
        (crossed, "leave", "of a region further out than the innermost"),
        (dropped, "visit", "dropped by such a leave: counted, without time"),
        (unmatched, "leave", "of a region that is not open: passed over"),
        (backward, "event", "with a time before that of the one before"),
        (oddities.undefined_contexts, "enter or leave", "of a calling context that is not defined"),
        (oddities.unbegun_io, "file operation", "without a begin: its bytes do not count"),
    ];
    let mut any = false;
    let lines = lines.into_iter().chain(threads::oddities(threads));
    for (number, noun, text) in lines.filter(|(number, ..)| *number > 0) {
        if !std::mem::replace(&mut any, true) {
            writeln!(out)?;
        }
        writeln!(out, "{} {text}", human::plural(number, noun))?;
    }
    Ok(())
}

/// So many losses stand below a table; files hold more.
const LOSSES_SHOWN: usize = 10;

fn losses(out: &mut dyn Write, losses: &[String]) -> io::Result<()> {
    if losses.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nNot all of the trace could be read:")?;
    for loss in losses.iter().take(LOSSES_SHOWN) {
        writeln!(out, "  {}", human::visible(loss))?;
    }
    match losses.len().saturating_sub(LOSSES_SHOWN) {
        0 => Ok(()),
        more => writeln!(out, "  … and {}", human::plural(more as u64, "other loss")),
    }
}

#[cfg(test)]
mod tests {
    use super::branches;

    #[test]
    fn branches_lead_to_siblings_below() {
        let drawn = branches(&[0, 1, 2, 1, 0, 1]);
        assert_eq!(drawn, ["", "├─ ", "│  └─ ", "└─ ", "", "└─ "]);
    }
}
