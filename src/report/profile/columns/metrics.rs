//! Metrics: rows of their own, and the columns that other rows have of them.

use streamfold_kernels::profile::metrics::{
    Aggregate, Column, Measured, MetricKind, Number, SeriesRow,
};

use super::{
    Columns, Outputs, COUNT, CSV, FLOAT, HDF5, ID, JSON, LONG_ID, NUMBER, SIGNED, SMALL, TEXT,
    TICKS,
};
use crate::profile::derived::Derived;
use crate::profile::metric_rows::{MetricLine, MetricRow};
use crate::profile::metrics::{self, Described, Shape};
use crate::profile::ProfileReport;
use crate::tables::{Cell, Kind, Unit};
use streamfold_text::names;

/// Metrics of CSV: all that call paths have, series, and metrics that follow from others.
pub(crate) fn aggregates<'a>(report: ProfileReport<'a>, rows: &'a [MetricRow<'a>]) -> Columns<'a> {
    let definitions = report.definitions;
    let recorded =
        move |i: usize| Some(&rows[i]).filter(|row| !matches!(row.told, MetricLine::Derived(_)));
    let total = move |i: usize| match rows[i].told {
        MetricLine::Total(_, total) => Some(total),
        _ => None,
    };
    let series = move |i: usize| match rows[i].told {
        MetricLine::Series(series) => Some(series),
        _ => None,
    };
    let value =
        move |i, of_total: fn(&Aggregate) -> Option<Number>, of: fn(&SeriesRow) -> Number| {
            total(i).and_then(of_total).or(series(i).map(of))
        };
    let counter =
        move |i| series(i).filter(|series| rows[i].described.shape(series) == Shape::Counter);
    let columns = Columns::of(rows.len())
        .put(CSV, "member", ID, move |i| recorded(i).map(|row| Cell::Id(row.member.0.into())));
    described(columns, CSV, move |i| rows[i].described.clone())
        .put(CSV, "base", TEXT, |i| rows[i].described.base.map(|base| base.to_string()))
        .put(CSV, "exponent", SIGNED, |i| rows[i].described.exponent.map(i128::from))
        .put(CSV, "kind", TEXT, |i| match rows[i].told {
            MetricLine::Total(kind, _) => metrics::kind(kind),
            MetricLine::Derived(_) => "derived",
            MetricLine::Series(_) => "series",
        })
        .put(CSV, "metric", ID, move |i| series(i).map(|of| Cell::Id(of.key.metric.0.into())))
        .put(CSV, "recorder", LONG_ID, move |i| series(i).map(|of| Cell::Id(of.key.recorder.0)))
        .put(CSV, "recorder_name", TEXT, move |i| {
            series(i).map(|of| names::place(definitions, of.key.recorder))
        })
        .put(CSV, "scope_kind", TEXT, move |i| series(i).map(|of| metrics::scope_kind(of.scope)))
        .put(CSV, "scope", LONG_ID, move |i| series(i).map(|of| Cell::Id(of.scope.reference)))
        .put(CSV, "scope_name", TEXT, move |i| {
            series(i).map(|of| metrics::scope_name(definitions, of.scope))
        })
        .put(CSV, "count", COUNT, move |i| {
            total(i).map(|of| of.count).or(series(i).map(|of| of.count))
        })
        .put(CSV, "sum", NUMBER, move |i| total(i).and_then(sum))
        .put(CSV, "min", NUMBER, move |i| value(i, |of| Some(of.range?.0), |of| of.least))
        .put(CSV, "max", NUMBER, move |i| value(i, |of| Some(of.range?.1), |of| of.most))
        .put(CSV, "first", NUMBER, move |i| series(i).map(|of| of.first))
        .put(CSV, "last", NUMBER, move |i| series(i).map(|of| of.last))
        .put(CSV, "mean", NUMBER, move |i| match rows[i].told {
            MetricLine::Derived(of) => of.total(&report).map(Number::Float),
            _ => series(i).and_then(SeriesRow::mean).map(Number::Float),
        })
        .put(CSV, "first", TICKS, move |i| series(i).map(|of| of.first_time.0))
        .put(CSV, "last", TICKS, move |i| series(i).map(|of| of.last_time.0))
        .put(CSV, "integral", (Kind::Number, Unit::Ticks), move |i| {
            series(i).map(|of| Number::Float(of.integral.number()))
        })
        .put(CSV, "records", COUNT, move |i| recorded(i).map(|row| row.records))
        .put(CSV, "shape", TEXT, move |i| series(i).map(|of| rows[i].described.shape(of).name()))
        .put(CSV, "growth", NUMBER, move |i| counter(i).map(metrics::growth))
        .put(CSV, "per_second", NUMBER, move |i| {
            let resolution = report.provenance.timer_resolution;
            let rate = counter(i).and_then(|of| metrics::growth_per_second(of, resolution));
            rate.map(Number::Float)
        })
        .put(CSV, "si_unit", TEXT, move |i| recorded(i).map(|row| row.described.si_unit()))
        .put(CSV, "si_scale", NUMBER, move |i| {
            recorded(i).and_then(|row| row.described.scale()).map(Number::Float)
        })
}

/// Metrics that were recorded.
pub(crate) fn members(report: ProfileReport<'_>) -> Columns<'_> {
    const TO: Outputs = JSON | HDF5;
    let found = &report.profile.metrics;
    let rows = &found.members;
    let of = move |i: usize| Described::new(report.definitions, rows[i].member);
    let kinds = move |i: usize, all: &[(u32, Aggregate)]| {
        let columns = all.iter().map(|(at, of)| (found.columns[*at as usize], of));
        let own = columns.filter(|(column, _)| column.member == rows[i].member);
        Cell::Object(own.map(|(column, of)| (metrics::kind(column.kind), object(of))).collect())
    };
    let columns = Columns::of(rows.len());
    let columns = columns.put(TO, "member", ID, |i| Cell::Id(rows[i].member.0.into()));
    let columns = described(columns, TO, of)
        .put(TO, "base", SMALL, move |i| of(i).base.map(u32::from))
        .or_zero()
        .put(TO, "exponent", SIGNED, move |i| of(i).exponent.map(i128::from))
        .or_zero()
        .put(JSON, "si_unit", TEXT, move |i| of(i).si_unit())
        .put(JSON, "si_scale", FLOAT, move |i| of(i).scale())
        .put(JSON, "records", TEXT, |i| {
            let [count, _, least, most] = parts(&rows[i].records);
            Cell::Object(vec![count, least, most])
        })
        .put(JSON, "total", TEXT, move |i| kinds(i, &found.total))
        .put(JSON, "outside_regions", TEXT, move |i| kinds(i, &found.outside))
        .put(HDF5, "records", COUNT, |i| rows[i].records.count);
    range(columns, HDF5, "", |i| Some(&rows[i].records))
}

/// With the texts of the definition of a metric.
fn described<'a>(
    columns: Columns<'a>,
    outputs: Outputs,
    of: impl Fn(usize) -> Described + Copy + 'a,
) -> Columns<'a> {
    columns
        .put(outputs, "name", TEXT, move |i| of(i).name)
        .put(outputs, "description", TEXT, move |i| of(i).description)
        .put(outputs, "type", TEXT, move |i| of(i).kind)
        .put(outputs, "mode", TEXT, move |i| of(i).mode)
        .put(outputs, "value_type", TEXT, move |i| of(i).value_type)
        .put(outputs, "unit", TEXT, move |i| of(i).unit)
}

/// Metrics over time.
pub(crate) fn series(report: ProfileReport<'_>) -> Columns<'_> {
    const TO: Outputs = JSON | HDF5;
    let definitions = report.definitions;
    let rows = &report.profile.metrics.series;
    let shape = |i: usize| Described::new(definitions, rows[i].key.member).shape(&rows[i]);
    let growth = move |i: usize| match shape(i) {
        Shape::Counter => metrics::growth(&rows[i]).into(),
        Shape::Gauge => Cell::Absent,
    };
    let per_second = move |i: usize| match shape(i) {
        Shape::Counter => {
            metrics::growth_per_second(&rows[i], report.provenance.timer_resolution).into()
        }
        Shape::Gauge => Cell::Absent,
    };
    Columns::of(rows.len())
        .put(TO, "member", ID, |i| Cell::Id(rows[i].key.member.0.into()))
        .put(TO, "name", TEXT, |i| names::metric(definitions, rows[i].key.member))
        .put(TO, "metric", ID, |i| Cell::Id(rows[i].key.metric.0.into()))
        .put(TO, "position", SMALL, |i| u32::from(rows[i].key.position))
        .put(TO, "recorder", LONG_ID, |i| Cell::Id(rows[i].key.recorder.0))
        .put(TO, "recorder_name", TEXT, |i| names::place(definitions, rows[i].key.recorder))
        .put(TO, "scope_kind", TEXT, |i| metrics::scope_kind(rows[i].scope))
        .put(TO, "scope", LONG_ID, |i| Cell::Id(rows[i].scope.reference))
        .put(TO, "scope_name", TEXT, |i| metrics::scope_name(definitions, rows[i].scope))
        .put(TO, "count", COUNT, |i| rows[i].count)
        .put(TO, "first_time", TICKS, |i| rows[i].first_time.0)
        .put(TO, "last_time", TICKS, |i| rows[i].last_time.0)
        .put(TO, "first", NUMBER, |i| rows[i].first)
        .put(TO, "last", NUMBER, |i| rows[i].last)
        .put(TO, "min", NUMBER, |i| rows[i].least)
        .put(TO, "max", NUMBER, |i| rows[i].most)
        .put(TO, "mean", FLOAT, |i| rows[i].mean())
        .put(TO, "integral", FLOAT, |i| rows[i].integral.number())
        .put(JSON, "shape", TEXT, move |i| shape(i).name())
        .put(JSON, "growth", NUMBER, growth)
        .put(JSON, "per_second", FLOAT, per_second)
}

/// With the metrics of regions or call paths. `times`: exclusive and inclusive ticks.
pub(super) fn step_metrics<'a>(
    mut columns: Columns<'a>,
    report: ProfileReport<'a>,
    times: impl Fn(usize) -> (u128, u128) + Copy + 'a,
    row: impl Fn(usize) -> &'a [(u32, Measured)] + Copy + 'a,
) -> Columns<'a> {
    let both = |label: &str| [format!("{label}_incl"), format!("{label}_excl")];
    for (at, label, kind) in labels(report) {
        let inclusive = move |i| find(row(i), at).map(|of| &of.inclusive);
        let exclusive = move |i| find(row(i), at).map(|of| &of.exclusive);
        let [name, own] = both(&label);
        columns = columns.put(CSV, &name, NUMBER, move |i| inclusive(i).and_then(sum)).put(
            CSV,
            &own,
            NUMBER,
            move |i| exclusive(i).and_then(sum),
        );
        columns = match kind {
            MetricKind::Difference => counted(columns, CSV, &format!("{label}_"), inclusive),
            MetricKind::Values => {
                let columns = counted(columns, CSV, &format!("{name}_"), inclusive);
                counted(columns, CSV, &format!("{own}_"), exclusive)
            }
        };
    }
    for of in report.derived {
        let [name, own] = both(&of.name);
        let values = move |i| of.of_step(&report, times(i), row(i)).map(|of| of.map(Number::Float));
        columns =
            columns
                .put(CSV, name, NUMBER, move |i| values(i)[1])
                .put(CSV, own, NUMBER, move |i| values(i)[0]);
    }
    let columns = derived_list(
        columns,
        report,
        move |i| row(i).is_empty(),
        move |of, i| {
            let [exclusive, inclusive] = of.of_step(&report, times(i), row(i));
            vec![("inclusive", inclusive.into()), ("exclusive", exclusive.into())]
        },
    );
    metric_list(columns, report, row, |Measured { inclusive, exclusive }| {
        vec![("inclusive", object(inclusive)), ("exclusive", object(exclusive))]
    })
}

/// With the metrics of locations or groups.
pub(super) fn whole_metrics<'a>(
    mut columns: Columns<'a>,
    report: ProfileReport<'a>,
    ticks: impl Fn(usize) -> u128 + Copy + 'a,
    row: impl Fn(usize) -> &'a [(u32, Aggregate)] + Copy + 'a,
) -> Columns<'a> {
    for (at, label, kind) in labels(report) {
        let of = move |i| find(row(i), at);
        let value = move |i| of(i).and_then(sum);
        columns = match kind {
            MetricKind::Difference => columns
                .put(CSV, format!("{label}_inside"), NUMBER, value)
                .put(CSV, format!("{label}_count"), COUNT, move |i| of(i).map(|of| of.count)),
            MetricKind::Values => {
                let columns = columns.put(CSV, format!("{label}_sum"), NUMBER, value);
                counted(columns, CSV, &format!("{label}_"), of)
            }
        };
    }
    for of in report.derived {
        let value = move |i| of.of_whole(&report, ticks(i), row(i)).map(Number::Float);
        columns = columns.put(CSV, &of.name, NUMBER, value);
    }
    let columns = derived_list(
        columns,
        report,
        move |i| row(i).is_empty(),
        move |of, i| vec![("value", of.of_whole(&report, ticks(i), row(i)).into())],
    );
    metric_list(columns, report, row, |of| parts(of).into())
}

/// Index, label and kind of each metric of the profile.
fn labels(report: ProfileReport<'_>) -> impl Iterator<Item = (u32, String, MetricKind)> + '_ {
    let metrics = &report.profile.metrics;
    let labels = metrics::labels(report.definitions, metrics).into_iter();
    (0..).zip(labels.zip(&metrics.columns)).map(|(at, (label, column))| (at, label, column.kind))
}

/// The values of a metric in a row.
fn find<T>(row: &[(u32, T)], index: u32) -> Option<&T> {
    let at = row.binary_search_by_key(&index, |(index, _)| *index).ok()?;
    Some(&row[at].1)
}

/// The sum, if there is anything in it.
fn sum(of: &Aggregate) -> Option<Number> {
    (of.count > 0).then(|| of.sum.number())
}

/// With how many there are, the smallest and the largest.
fn counted<'a>(
    columns: Columns<'a>,
    outputs: Outputs,
    prefix: &str,
    of: impl Fn(usize) -> Option<&'a Aggregate> + Copy + 'a,
) -> Columns<'a> {
    let count = move |i| of(i).map(|of| of.count);
    range(columns.put(outputs, format!("{prefix}count"), COUNT, count), outputs, prefix, of)
}

fn range<'a>(
    columns: Columns<'a>,
    outputs: Outputs,
    prefix: &str,
    of: impl Fn(usize) -> Option<&'a Aggregate> + Copy + 'a,
) -> Columns<'a> {
    let range = move |i| of(i).and_then(|of| of.range);
    columns
        .put(outputs, format!("{prefix}min"), NUMBER, move |i| range(i).map(|range| range.0))
        .put(outputs, format!("{prefix}max"), NUMBER, move |i| range(i).map(|range| range.1))
}

/// Members of an object in JSON.
type Members = Vec<(&'static str, Cell)>;

fn parts(of: &Aggregate) -> [(&'static str, Cell); 4] {
    let [least, most] = [of.range.map(|range| range.0), of.range.map(|range| range.1)];
    let (count, sum) = (of.count.into(), of.sum.number().into());
    [("count", count), ("sum", sum), ("min", least.into()), ("max", most.into())]
}

fn object(of: &Aggregate) -> Cell {
    Cell::Object(parts(of).into())
}

/// With a list in JSON of the metrics of a row that has any.
fn metric_list<'a, T: 'a>(
    columns: Columns<'a>,
    report: ProfileReport<'a>,
    row: impl Fn(usize) -> &'a [(u32, T)] + 'a,
    values: impl Fn(&T) -> Members + 'a,
) -> Columns<'a> {
    let metric = move |(at, of): &(u32, T)| {
        let Column { member, kind } = report.profile.metrics.columns[*at as usize];
        let mut members = vec![
            ("member", Cell::Id(member.0.into())),
            ("name", names::metric(report.definitions, member).into()),
            ("kind", metrics::kind(kind).into()),
        ];
        members.extend(values(of));
        Cell::Object(members)
    };
    columns.put(JSON, "metrics", TEXT, move |i| match row(i) {
        [] => Cell::Absent,
        row => Cell::List(row.iter().map(&metric).collect()),
    })
}

/// With a list in JSON of what follows from the metrics of a row that has any.
fn derived_list<'a>(
    columns: Columns<'a>,
    report: ProfileReport<'a>,
    is_empty: impl Fn(usize) -> bool + 'a,
    values: impl Fn(&'a Derived, usize) -> Members + 'a,
) -> Columns<'a> {
    columns.put(JSON, "derived", TEXT, move |i| {
        if report.derived.is_empty() || is_empty(i) {
            return Cell::Absent;
        }
        let metric = |of: &'a Derived| {
            Cell::Object([vec![("name", of.name.clone().into())], values(of, i)].concat())
        };
        Cell::List(report.derived.iter().map(metric).collect())
    })
}

/// Metrics that follow from others.
pub(crate) fn derived(report: ProfileReport<'_>) -> Columns<'_> {
    let rows = report.derived;
    Columns::of(rows.len())
        .put(JSON | HDF5, "name", TEXT, |i| rows[i].name.clone())
        .put(JSON | HDF5, "expression", TEXT, |i| rows[i].text.clone())
        .put(JSON | HDF5, "total", FLOAT, move |i| rows[i].total(&report))
}

/// A metric in a row of the profile.
pub(crate) struct MetricCell<'a, T> {
    row: usize,
    column: Column,
    of: &'a T,
}

/// The metrics of all rows, in their order.
pub(crate) fn metric_cells<'a, T>(
    report: ProfileReport<'a>,
    rows: &'a [Vec<(u32, T)>],
) -> Vec<MetricCell<'a, T>> {
    let columns = &report.profile.metrics.columns;
    let cells = rows.iter().enumerate().flat_map(|(row, cells)| {
        cells.iter().map(move |(at, of)| MetricCell { row, column: columns[*at as usize], of })
    });
    cells.collect()
}

/// Aggregates of a metric by name; the sum without one.
type Parts<T> = &'static [(&'static str, fn(&T) -> &Aggregate)];

/// The values of regions and call paths.
pub(crate) const PARTS: Parts<Measured> =
    &[("inclusive", |of| &of.inclusive), ("exclusive", |of| &of.exclusive)];

/// A row in HDF5 for each metric of each row, whose index is in the column `of`, if it has a name.
pub(crate) fn measured<'a, T>(
    of: &str,
    cells: &'a [MetricCell<'a, T>],
    parts: Parts<T>,
) -> Columns<'a> {
    let mut columns = Columns::of(cells.len());
    if !of.is_empty() {
        columns = columns.put(HDF5, of, ID, |i| Cell::Id(cells[i].row as u64));
    }
    columns = columns.put(HDF5, "member", ID, |i| Cell::Id(cells[i].column.member.0.into())).put(
        HDF5,
        "kind",
        TEXT,
        |i| metrics::kind(cells[i].column.kind),
    );
    for (name, get) in parts {
        let prefix = if name.is_empty() { String::new() } else { format!("{name}_") };
        let name = if name.is_empty() { "sum" } else { name };
        let part = move |i: usize| get(cells[i].of);
        columns = columns.put(HDF5, format!("{prefix}count"), COUNT, move |i| part(i).count).put(
            HDF5,
            name,
            NUMBER,
            move |i| part(i).sum.number(),
        );
        columns = range(columns, HDF5, &prefix, move |i| Some(part(i)));
    }
    columns
}

/// A row in HDF5 for each metric that follows from those of a row of the profile: the values `names` it has.
pub(crate) fn derived_cells<'a, const N: usize>(
    report: ProfileReport<'a>,
    of: &str,
    names: [&str; N],
    rows: Vec<usize>,
    values: impl Fn(&Derived, usize) -> [Option<f64>; N] + Copy + 'a,
) -> Columns<'a> {
    let all = report.derived;
    let rows = std::rc::Rc::<[usize]>::from(rows);
    let columns = Columns::of(rows.len() * all.len());
    let numbers = std::rc::Rc::clone(&rows);
    let columns = columns.put(HDF5, of, ID, move |i| Cell::Id(numbers[i / all.len()] as u64)).put(
        HDF5,
        "name",
        TEXT,
        |i| all[i % all.len()].name.clone(),
    );
    names.into_iter().enumerate().fold(columns, |columns, (at, name)| {
        let rows = std::rc::Rc::clone(&rows);
        let value = move |i: usize| values(&all[i % all.len()], rows[i / all.len()])[at];
        columns.put(HDF5, name, FLOAT, value)
    })
}
