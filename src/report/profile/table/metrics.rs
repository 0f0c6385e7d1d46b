//! Metrics in tables for people: in their units, with what is scaled to be read.

use std::borrow::Cow;
use std::io::{self, Write};

use streamfold_kernels::profile::metrics::{
    Aggregate, Measured, MetricKind, MetricOddities, Number,
};

use super::grid::{self, Grid};
use crate::profile::derived::shown;
use crate::profile::listed::Listed;
use crate::profile::metric_rows::{metric_rows, MetricLine, MetricRow};
use crate::profile::metrics::{self, Described, Shape};
use crate::profile::sort::SortKey;
use crate::profile::{By, ProfileReport};
use streamfold_text::human;

/// The columns of metrics and series.
pub(super) const HEADING: [&str; 10] =
    ["what", "number", "sum", "per second", "min", "mean", "max", "last", "of", "metric"];

/// Those that it can do without, the least missed first.
pub(super) const SPARED: [&str; 6] = ["what", "last", "number", "min", "max", "of"];

/// A row for each metric of call paths and for each series, and how many rows are left out.
pub(super) fn rows(report: &ProfileReport<'_>, key: SortKey, top: Option<usize>) -> (Grid, usize) {
    let all = metric_rows(report, key, None).len();
    let rows = metric_rows(report, key, top);
    let left_out = all - rows.len();
    let rows = rows.iter().map(|row| metric_row(report, row)).collect();
    let heading = HEADING.into_iter().map(Cow::Borrowed).collect();
    (Grid { heading, rows, total: Vec::new(), spare: usize::MAX, spared: &SPARED }, left_out)
}

fn metric_row(report: &ProfileReport<'_>, row: &MetricRow<'_>) -> Vec<String> {
    let of = &row.described;
    let none = String::new;
    let mut cells = match row.told {
        MetricLine::Total(kind, total) => {
            let range = total.range.filter(|_| kind != MetricKind::Difference);
            let mean = Number::Float(total.sum.number().as_f64() / total.count.max(1) as f64);
            vec![
                match kind {
                    MetricKind::Difference => "in visits".to_owned(),
                    MetricKind::Values => "values".to_owned(),
                    MetricKind::Growth => "growth".to_owned(),
                },
                human::count(total.count),
                // Of levels, such as percentages, the sum means nothing.
                of.sum_shown(kind, total.sum.number()),
                none(),
                range.map(|range| of.shown(range.0)).unwrap_or_default(),
                range.map(|_| of.shown(mean)).unwrap_or_default(),
                range.map(|range| of.shown(range.1)).unwrap_or_default(),
                none(),
                none(),
            ]
        }
        MetricLine::Derived(derived) => {
            let value = shown(derived.total(report));
            let text = human::short(derived.text.clone());
            let what = "derived".to_owned();
            vec![what, none(), none(), none(), none(), value, none(), none(), text]
        }
        MetricLine::Series(series) => {
            let resolution = report.provenance.timer_resolution;
            let scope = human::short(metrics::scope_name(report.definitions, series.scope));
            let shape = of.shape(series);
            let mut cells = vec![shape.name().to_owned(), human::count(series.count)];
            cells.extend(match shape {
                // The level of a counter says nothing: it may have begun to count before the trace.
                Shape::Counter => {
                    let rate = metrics::growth_per_second(series, resolution);
                    let rate = rate.map(|rate| of.shown_per_second(rate)).unwrap_or_default();
                    [of.shown(metrics::growth(series)), rate, none(), none(), none(), none()]
                }
                Shape::Gauge => [
                    of.energy(series.integral.number(), resolution).unwrap_or_default(),
                    none(),
                    of.shown(series.least),
                    metrics::mean(series).map(|mean| of.shown(mean)).unwrap_or_default(),
                    of.shown(series.most),
                    of.shown(series.last),
                ],
            });
            cells.push(scope);
            cells
        }
    };
    cells.iter_mut().for_each(|cell| *cell = human::visible(cell).into_owned());
    cells.push(human::short(of.name.clone()));
    cells
}

/// The metrics of regions or call paths, in the order of the table above: two columns for each, and two for each metric
/// that follows from them. `times`: exclusive and inclusive ticks. `None` where there are none.
pub(super) fn of_steps<'a>(
    report: &'a ProfileReport<'a>,
    what: &'static str,
    listed: &Listed,
    of: impl Fn(usize) -> &'a [(u32, Measured)],
    times: impl Fn(usize) -> (u128, u128),
) -> Option<Grid> {
    let columns = MetricColumns::new(report)?;
    let row = |(i, name): (usize, &str)| columns.row(of(i), times(i), name.to_owned());
    let rows = listed.rows().map(row).collect();
    let total = columns.total(&report.profile.metrics.total, "total".to_owned());
    Some(Grid { heading: columns.heading(2, what), rows, total, spare: 0, spared: &grid::SPARED })
}

/// The same of locations or groups: one column for each.
pub(super) fn of_locations<'a>(
    report: &'a ProfileReport<'a>,
    what: &'static str,
    listed: &Listed,
    of: impl Fn(usize) -> &'a [(u32, Aggregate)],
    ticks: impl Fn(usize) -> u128,
) -> Option<Grid> {
    let columns = MetricColumns::new(report)?;
    let row = |(i, name): (usize, &str)| columns.whole(of(i), ticks(i), name.to_owned());
    let rows = listed.rows().map(row).collect();
    let profile = report.profile;
    let total = columns.whole(&profile.metrics.total, profile.total.exclusive, "total".to_owned());
    Some(Grid { heading: columns.heading(1, what), rows, total, spare: 0, spared: &grid::SPARED })
}

/// The columns of metrics.
struct MetricColumns<'a> {
    report: &'a ProfileReport<'a>,
    columns: Vec<MetricColumn>,
}

struct MetricColumn {
    index: u32,
    label: String,
    described: Described,
    kind: MetricKind,
}

impl<'a> MetricColumns<'a> {
    /// `None` where call paths have none.
    fn new(report: &'a ProfileReport<'a>) -> Option<Self> {
        let metrics = &report.profile.metrics;
        if metrics.columns.is_empty() {
            return None;
        }
        let labels = metrics::labels(report.definitions, metrics);
        let all = (0u32..).zip(&metrics.columns).zip(labels);
        let columns = all.map(|((index, column), label)| MetricColumn {
            index,
            label,
            described: Described::new(report.definitions, column.member),
            kind: column.kind,
        });
        Some(MetricColumns { report, columns: columns.collect() })
    }

    fn heading(&self, parts: usize, what: &'static str) -> Vec<Cow<'static, str>> {
        let mut heading = Vec::new();
        for column in &self.columns {
            let label = human::visible(&human::short(column.label.clone())).into_owned();
            let [own, other] = match column.kind {
                MetricKind::Difference | MetricKind::Growth => {
                    [label.clone(), format!("incl. {label}")]
                }
                MetricKind::Values => [format!("mean {label}"), "number".to_owned()],
            };
            heading.push(Cow::Owned(own));
            heading.extend((parts == 2).then_some(Cow::Owned(other)));
        }
        for of in self.report.derived {
            let name = human::visible(&human::short(of.name.clone())).into_owned();
            let other = (parts == 2).then(|| Cow::Owned(format!("incl. {name}")));
            heading.push(Cow::Owned(name));
            heading.extend(other);
        }
        heading.push(Cow::Borrowed(what));
        heading
    }

    /// Of a region or call path: exclusive and inclusive; of recorded values the mean of those in
    /// it and inside of it, and their number.
    fn row(&self, row: &[(u32, Measured)], times: (u128, u128), name: String) -> Vec<String> {
        let mut cells = Vec::new();
        for column in &self.columns {
            let found = column.of(row);
            match column.kind {
                MetricKind::Difference | MetricKind::Growth => {
                    cells.push(column.sum(found.map(|m| &m.exclusive)));
                    cells.push(column.sum(found.map(|m| &m.inclusive)));
                }
                MetricKind::Values => {
                    cells.push(column.mean(found.map(|m| &m.inclusive)));
                    cells.push(column.number(found.map(|m| &m.inclusive)));
                }
            }
        }
        let derived = self.report.derived.iter();
        cells.extend(derived.flat_map(|of| of.of_step(self.report, times, row)).map(shown));
        cells.push(name);
        cells
    }

    fn total(&self, row: &[(u32, Aggregate)], name: String) -> Vec<String> {
        let mut cells = Vec::new();
        for column in &self.columns {
            let found = column.of(row);
            match column.kind {
                MetricKind::Difference | MetricKind::Growth => {
                    cells.extend([column.sum(found), String::new()])
                }
                MetricKind::Values => cells.extend([column.mean(found), column.number(found)]),
            }
        }
        for of in self.report.derived {
            cells.extend([shown(of.total(self.report)), String::new()]);
        }
        cells.push(name);
        cells
    }

    /// Of a location or group.
    fn whole(&self, row: &[(u32, Aggregate)], ticks: u128, name: String) -> Vec<String> {
        let mut cells = Vec::new();
        for column in &self.columns {
            let found = column.of(row);
            cells.push(match column.kind {
                MetricKind::Difference | MetricKind::Growth => column.sum(found),
                MetricKind::Values => column.mean(found),
            });
        }
        let derived = self.report.derived.iter();
        cells.extend(derived.map(|of| shown(of.of_whole(self.report, ticks, row))));
        cells.push(name);
        cells
    }
}

impl MetricColumn {
    fn of<'a, T>(&self, row: &'a [(u32, T)]) -> Option<&'a T> {
        let at = row.binary_search_by_key(&self.index, |(index, _)| *index).ok()?;
        Some(&row[at].1)
    }

    /// Empty for zero, so that a column of zeros is left out.
    fn sum(&self, of: Option<&Aggregate>) -> String {
        let number = of.map(|aggregate| aggregate.sum.number());
        let number = number.filter(|number| number.as_f64() != 0.0);
        number.map(|number| self.described.shown(number)).unwrap_or_default()
    }

    fn mean(&self, of: Option<&Aggregate>) -> String {
        let of = of.filter(|aggregate| aggregate.count > 0);
        let mean = of.map(|of| of.sum.number().as_f64() / of.count as f64);
        mean.map(|mean| self.described.shown(Number::Float(mean))).unwrap_or_default()
    }

    fn number(&self, of: Option<&Aggregate>) -> String {
        of.map(|aggregate| human::count(aggregate.count)).unwrap_or_default()
    }
}

/// Writes oddities, and hints at other tables.
pub(super) fn notes(out: &mut dyn Write, report: &ProfileReport<'_>, by: By) -> io::Result<()> {
    let metrics = &report.profile.metrics;
    let series = metrics.series.len() as u64;
    if by == By::Metric && series == 0 && metrics.columns.is_empty() {
        writeln!(out, "\nThe trace has no events with metrics: nothing was counted.")?;
    }
    if by == By::Metric {
        let members = metrics.members.iter();
        let by_name = |member| Described::new(report.definitions, member).is_known_by_name();
        let known = members.filter(|row| by_name(row.member)).count() as u64;
        if known > 0 {
            let number = human::counted(known, ["metric has", "metrics have"]);
            writeln!(out, "\n{number} no unit in the trace: the names of their sensors tell it")?;
        }
    }
    if series > 0 && by != By::Metric {
        let noun = if series == 1 { "metric is a series" } else { "metrics are series" };
        let series = human::count(series);
        writeln!(out, "\n{series} {noun} of their own: --by metric shows them")?;
    }
    // Values that cannot be used at all are among the losses.
    let MetricOddities { unattributed, incomplete, decreased, .. } = metrics.oddities;
    let lines = [
        (unattributed, "metric value", "in front of no enter or leave of an open visit"),
        (incomplete, "visit", "with a value of a synchronous metric at one end only"),
        (decreased, "visit", "in which an accumulated metric became smaller"),
    ];
    let mut any = false;
    for (number, noun, text) in lines.into_iter().filter(|(number, ..)| *number > 0) {
        if !std::mem::replace(&mut any, true) {
            writeln!(out)?;
        }
        writeln!(out, "{} {text}", human::plural(number, noun))?;
    }
    Ok(())
}
