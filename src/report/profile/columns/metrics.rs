//! Metrics: rows of their own, and the columns that other rows have of them.

use streamfold_kernels::profile::metrics::{
    Aggregate, Column, Measured, MetricKind, Number, SeriesRow,
};

use super::{
    Columns, Of, Outputs, Type, COUNT, CSV, FLOAT, HDF5, ID, JSON, LONG_ID, NUMBER, SIGNED, SMALL,
    TEXT, TICKS,
};
use crate::profile::derived::Derived;
use crate::profile::metric_rows::{MetricLine, MetricRow};
use crate::profile::metrics::{self, Described, Shape};
use crate::profile::ProfileReport;
use crate::tables::{Cell, Kind, Unit};
use streamfold_text::names;

const INTEGRAL: Type = (Kind::Number, Unit::Ticks);

/// Metrics of CSV: all that call paths have, series, and metrics that follow from others.
pub(crate) fn aggregates<'a>(report: ProfileReport<'a>, rows: &'a [MetricRow<'a>]) -> Columns<'a> {
    let ProfileReport { definitions, provenance, .. } = report;
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
    let shape = move |i: usize| Some(rows[i].described.shape(series(i)?));
    let counter = move |i| series(i).filter(|_| shape(i) == Some(Shape::Counter));
    let per_second = move |i| {
        metrics::growth_per_second(counter(i)?, provenance.timer_resolution).map(Number::Float)
    };
    let range = move |i| match (total(i), series(i)) {
        (Some(total), _) => total.range,
        (_, series) => series.map(|of| (of.least, of.most)),
    };
    Columns::of(rows.len())
        .put(CSV, "member", ID, move |i| Some(Cell::Id(recorded(i)?.member.0.into())))
        .described(CSV, move |i| rows[i].described.clone())
        .put(CSV, "base", TEXT, |i| rows[i].described.base.map(|base| base.to_string()))
        .put(CSV, "exponent", SIGNED, |i| rows[i].described.exponent.map(i128::from))
        .put(CSV, "kind", TEXT, |i| match rows[i].told {
            MetricLine::Total(kind, _) => metrics::kind(kind),
            MetricLine::Derived(_) => "derived",
            MetricLine::Series(_) => "series",
        })
        .put(CSV, "metric", ID, move |i| Some(Cell::Id(series(i)?.key.metric.0.into())))
        .put(CSV, "recorder", LONG_ID, move |i| Some(Cell::Id(series(i)?.key.recorder.0)))
        .put(CSV, "recorder_name", TEXT, move |i| {
            Some(names::place(definitions, series(i)?.key.recorder))
        })
        .put(CSV, "scope_kind", TEXT, move |i| Some(metrics::scope_kind(series(i)?.scope)))
        .put(CSV, "scope", LONG_ID, move |i| Some(Cell::Id(series(i)?.scope.reference)))
        .put(CSV, "scope_name", TEXT, move |i| {
            Some(metrics::scope_name(definitions, series(i)?.scope))
        })
        .put(CSV, "count", COUNT, move |i| {
            total(i).map(|of| of.count).or_else(|| Some(series(i)?.count))
        })
        .put(CSV, "sum", NUMBER, move |i| sum(total(i)?))
        .put(CSV, "min", NUMBER, move |i| Some(range(i)?.0))
        .put(CSV, "max", NUMBER, move |i| Some(range(i)?.1))
        .put(CSV, "first", NUMBER, move |i| Some(series(i)?.first))
        .put(CSV, "last", NUMBER, move |i| Some(series(i)?.last))
        .put(CSV, "mean", NUMBER, move |i| match rows[i].told {
            MetricLine::Derived(of) => of.total(&report).map(Number::Float),
            _ => metrics::mean(series(i)?),
        })
        .put(CSV, "first", TICKS, move |i| Some(series(i)?.first_time.0))
        .put(CSV, "last", TICKS, move |i| Some(series(i)?.last_time.0))
        .put(CSV, "integral", INTEGRAL, move |i| Some(Number::Float(series(i)?.integral.number())))
        .put(CSV, "records", COUNT, move |i| Some(recorded(i)?.records))
        .put(CSV, "shape", TEXT, move |i| shape(i).map(Shape::name))
        .put(CSV, "growth", NUMBER, move |i| counter(i).map(metrics::growth))
        .put(CSV, "per_second", NUMBER, per_second)
        .put(CSV, "si_unit", TEXT, move |i| Some(recorded(i)?.described.si_unit()))
        .put(CSV, "si_scale", NUMBER, move |i| recorded(i)?.described.scale().map(Number::Float))
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
    Columns::of(rows.len())
        .put(TO, "member", ID, |i| Cell::Id(rows[i].member.0.into()))
        .described(TO, of)
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
        .put(HDF5, "records", COUNT, |i| rows[i].records.count)
        .range(HDF5, "", |i| Some(&rows[i].records))
}

/// Metrics over time.
pub(crate) fn series(report: ProfileReport<'_>) -> Columns<'_> {
    const TO: Outputs = JSON | HDF5;
    let (definitions, resolution) = (report.definitions, report.provenance.timer_resolution);
    let rows = &report.profile.metrics.series;
    let shape = |i: usize| Described::new(definitions, rows[i].key.member).shape(&rows[i]);
    let counter = move |get: fn(&SeriesRow, u64) -> Cell| {
        move |i: usize| match shape(i) {
            Shape::Counter => get(&rows[i], resolution),
            Shape::Gauge => Cell::Absent,
        }
    };
    let per_second = counter(|of, resolution| metrics::growth_per_second(of, resolution).into());
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
        .put(JSON, "growth", NUMBER, counter(|of, _| metrics::growth(of).into()))
        .put(JSON, "per_second", FLOAT, per_second)
}

/// Metrics that follow from others.
pub(crate) fn derived(report: ProfileReport<'_>) -> Columns<'_> {
    let rows = report.derived;
    Columns::of(rows.len())
        .put(JSON | HDF5, "name", TEXT, |i| rows[i].name.clone())
        .put(JSON | HDF5, "expression", TEXT, |i| rows[i].text.clone())
        .put(JSON | HDF5, "total", FLOAT, move |i| rows[i].total(&report))
}

/// Members of an object in JSON.
type Members = Vec<(&'static str, Cell)>;

impl<'a> Columns<'a> {
    /// Texts of the definition of a metric.
    fn described(self, outputs: Outputs, of: impl Of<'a, Described>) -> Self {
        self.put(outputs, "name", TEXT, move |i| of(i).name)
            .put(outputs, "description", TEXT, move |i| of(i).description)
            .put(outputs, "type", TEXT, move |i| of(i).kind)
            .put(outputs, "mode", TEXT, move |i| of(i).mode)
            .put(outputs, "value_type", TEXT, move |i| of(i).value_type)
            .put(outputs, "unit", TEXT, move |i| of(i).unit)
    }

    /// Metrics of regions or call paths. `times`: exclusive and inclusive ticks.
    pub(super) fn step_metrics(
        mut self,
        report: ProfileReport<'a>,
        times: impl Of<'a, (u128, u128)>,
        row: impl Of<'a, &'a [(u32, Measured)]>,
    ) -> Self {
        for (at, label, kind) in labels(report) {
            let inclusive = move |i| find(row(i), at).map(|of| &of.inclusive);
            let exclusive = move |i| find(row(i), at).map(|of| &of.exclusive);
            self = self
                .put(CSV, format!("{label}_incl"), NUMBER, move |i| inclusive(i).and_then(sum))
                .put(CSV, format!("{label}_excl"), NUMBER, move |i| exclusive(i).and_then(sum));
            self = match kind {
                MetricKind::Difference => self.counted(&format!("{label}_"), inclusive),
                MetricKind::Values | MetricKind::Growth => self
                    .counted(&format!("{label}_incl_"), inclusive)
                    .counted(&format!("{label}_excl_"), exclusive),
            };
        }
        let values = move |of: &Derived, i| of.of_step(&report, times(i), row(i));
        for of in report.derived {
            let value = move |i, at: usize| values(of, i)[at].map(Number::Float);
            self = self.put(CSV, format!("{}_incl", of.name), NUMBER, move |i| value(i, 1)).put(
                CSV,
                format!("{}_excl", of.name),
                NUMBER,
                move |i| value(i, 0),
            );
        }
        let derived = move |of: &Derived, i| {
            let [exclusive, inclusive] = values(of, i).map(Cell::from);
            vec![("inclusive", inclusive), ("exclusive", exclusive)]
        };
        self.lists(report, row, derived, |Measured { inclusive, exclusive }| {
            vec![("inclusive", object(inclusive)), ("exclusive", object(exclusive))]
        })
    }

    /// Metrics of locations or groups.
    pub(super) fn whole_metrics(
        mut self,
        report: ProfileReport<'a>,
        ticks: impl Of<'a, u128>,
        row: impl Of<'a, &'a [(u32, Aggregate)]>,
    ) -> Self {
        for (at, label, kind) in labels(report) {
            let of = move |i| find(row(i), at);
            let value = move |i| of(i).and_then(sum);
            self = match kind {
                MetricKind::Difference => self
                    .put(CSV, format!("{label}_inside"), NUMBER, value)
                    .put(CSV, format!("{label}_count"), COUNT, move |i| Some(of(i)?.count)),
                MetricKind::Values | MetricKind::Growth => self
                    .put(CSV, format!("{label}_sum"), NUMBER, value)
                    .counted(&format!("{label}_"), of),
            };
        }
        let value = move |of: &Derived, i| of.of_whole(&report, ticks(i), row(i));
        for of in report.derived {
            self = self.put(CSV, &of.name, NUMBER, move |i| value(of, i).map(Number::Float));
        }
        let derived = move |of: &Derived, i| vec![("value", value(of, i).into())];
        self.lists(report, row, derived, |of| parts(of).into())
    }

    /// Number of values in CSV, the smallest and the largest.
    fn counted(self, prefix: &str, of: impl Of<'a, Option<&'a Aggregate>>) -> Self {
        self.put(CSV, format!("{prefix}count"), COUNT, move |i| Some(of(i)?.count))
            .range(CSV, prefix, of)
    }

    pub(super) fn range(
        self,
        to: Outputs,
        prefix: &str,
        of: impl Of<'a, Option<&'a Aggregate>>,
    ) -> Self {
        self.put(to, format!("{prefix}min"), NUMBER, move |i| Some(of(i)?.range?.0)).put(
            to,
            format!("{prefix}max"),
            NUMBER,
            move |i| Some(of(i)?.range?.1),
        )
    }

    /// Lists in JSON of the metrics of a row that has any, and of those that follow from them.
    fn lists<T: 'a>(
        self,
        report: ProfileReport<'a>,
        row: impl Of<'a, &'a [(u32, T)]>,
        derived: impl Fn(&'a Derived, usize) -> Members + 'a,
        values: impl Fn(&T) -> Members + 'a,
    ) -> Self {
        let follows = move |i| {
            let metric = |of: &'a Derived| {
                let name = ("name", Cell::from(of.name.clone()));
                Cell::Object(std::iter::once(name).chain(derived(of, i)).collect())
            };
            match row(i).is_empty() || report.derived.is_empty() {
                true => Cell::Absent,
                false => Cell::List(report.derived.iter().map(metric).collect()),
            }
        };
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
        self.put(JSON, "derived", TEXT, follows).put(JSON, "metrics", TEXT, move |i| match row(i) {
            [] => Cell::Absent,
            row => Cell::List(row.iter().map(&metric).collect()),
        })
    }
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

fn parts(of: &Aggregate) -> [(&'static str, Cell); 4] {
    let (least, most) = of.range.unzip();
    let (count, sum) = (of.count.into(), of.sum.number().into());
    [("count", count), ("sum", sum), ("min", least.into()), ("max", most.into())]
}

fn object(of: &Aggregate) -> Cell {
    Cell::Object(parts(of).into())
}
