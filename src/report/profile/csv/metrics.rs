//! Metrics: rows of their own, and the columns that other rows have of them.

use streamfold_kernels::profile::metrics::{Aggregate, Measured, MetricKind, Metrics, Number};

use crate::profile::derived::Derived;
use crate::profile::metric_rows::{MetricLine, MetricRow};
use crate::profile::metrics::{self, Shape};
use crate::profile::{By, ProfileReport};
use streamfold_text::names;

pub(super) const METRIC: [&str; 32] = [
    "member",
    "name",
    "description",
    "type",
    "mode",
    "value_type",
    "unit",
    "base",
    "exponent",
    "kind",
    "metric",
    "recorder",
    "recorder_name",
    "scope_kind",
    "scope",
    "scope_name",
    "count",
    "sum",
    "min",
    "max",
    "first",
    "last",
    "mean",
    "first_ticks",
    "last_ticks",
    "integral_ticks",
    "records",
    "shape",
    "growth",
    "per_second",
    "si_unit",
    "si_scale",
];

/// The columns of metrics behind all others.
pub(super) struct MetricFields {
    kinds: Vec<MetricKind>,
    derived: Vec<Derived>,
    heading: Vec<String>,
}

impl MetricFields {
    pub(super) fn new(report: &ProfileReport<'_>, by: By) -> Self {
        let metrics: &Metrics = &report.profile.metrics;
        let labels = metrics::labels(report.definitions, metrics);
        let kinds: Vec<_> = metrics.columns.iter().map(|column| column.kind).collect();
        let columns = |(label, kind): (&String, &MetricKind)| -> Vec<String> {
            let parts: &[&str] = match (by, kind) {
                (
                    By::Metric
                    | By::Context
                    | By::Line
                    | By::Generator
                    | By::Process
                    | By::Thread
                    | By::Node
                    | By::Iteration
                    | By::Kernel,
                    _,
                ) => &[],
                (By::Region | By::Callpath, MetricKind::Difference) => &DIFFERENCE,
                (By::Region | By::Callpath, MetricKind::Values) => &VALUES,
                (By::Location | By::Group, MetricKind::Difference) => &WHOLE_DIFFERENCE,
                (By::Location | By::Group, MetricKind::Values) => &WHOLE_VALUES,
            };
            parts.iter().map(|part| format!("{label}_{part}")).collect()
        };
        let mut heading: Vec<String> = labels.iter().zip(&kinds).flat_map(columns).collect();
        let derived = report.derived;
        heading.extend(derived.iter().flat_map(|Derived { name, .. }| match by {
            By::Region | By::Callpath => vec![format!("{name}_incl"), format!("{name}_excl")],
            By::Location | By::Group => vec![name.clone()],
            _ => Vec::new(),
        }));
        MetricFields { kinds, derived: derived.to_vec(), heading }
    }

    pub(super) fn heading(&self) -> &[String] {
        &self.heading
    }

    fn fields<T>(
        &self,
        row: &[(u32, T)],
        of: impl Fn(MetricKind, Option<&T>) -> Vec<String>,
    ) -> Vec<String> {
        let mut rest = row.iter().peekable();
        let column = |(i, kind): (usize, &MetricKind)| {
            let value = rest.next_if(|(column, _)| *column as usize == i);
            of(*kind, value.map(|(_, value)| value))
        };
        self.kinds.iter().enumerate().flat_map(column).collect()
    }

    /// Of a region or call path.
    pub(super) fn row(
        &self,
        report: &ProfileReport<'_>,
        times: (u128, u128),
        row: &[(u32, Measured)],
    ) -> Vec<String> {
        let mut all = self.fields(row, |kind, measured| {
            let (inclusive, exclusive) =
                (measured.map(|m| &m.inclusive), measured.map(|m| &m.exclusive));
            let mut fields = vec![sum(inclusive), sum(exclusive)];
            fields.extend(range(inclusive));
            if kind == MetricKind::Values {
                fields.extend(range(exclusive));
            }
            fields
        });
        for derived in &self.derived {
            let [exclusive, inclusive] = derived.of_step(report, times, row);
            all.extend([inclusive, exclusive].map(float));
        }
        all
    }

    /// Of a location or group.
    pub(super) fn whole(
        &self,
        report: &ProfileReport<'_>,
        ticks: u128,
        row: &[(u32, Aggregate)],
    ) -> Vec<String> {
        let mut all = self.fields(row, |kind, aggregate| {
            let mut fields = vec![sum(aggregate)];
            match kind {
                MetricKind::Difference => fields.push(range(aggregate)[0].clone()),
                MetricKind::Values => fields.extend(range(aggregate)),
            }
            fields
        });
        all.extend(self.derived.iter().map(|of| float(of.of_whole(report, ticks, row))));
        all
    }
}

/// As short as it is exact; empty where there is none.
fn float(value: Option<f64>) -> String {
    value.map(|value| metrics::text(Number::Float(value))).unwrap_or_default()
}

const DIFFERENCE: [&str; 5] = ["incl", "excl", "count", "min", "max"];

const VALUES: [&str; 8] =
    ["incl", "excl", "incl_count", "incl_min", "incl_max", "excl_count", "excl_min", "excl_max"];

const WHOLE_DIFFERENCE: [&str; 2] = ["inside", "count"];

const WHOLE_VALUES: [&str; 4] = ["sum", "count", "min", "max"];

pub(super) fn sum(aggregate: Option<&Aggregate>) -> String {
    let some = aggregate.filter(|aggregate| aggregate.count > 0);
    some.map(|aggregate| metrics::text(aggregate.sum.number())).unwrap_or_default()
}

/// How many there are, the smallest and the largest.
fn range(aggregate: Option<&Aggregate>) -> [String; 3] {
    let Some(aggregate) = aggregate else { return Default::default() };
    let text = |number: Option<Number>| number.map(metrics::text).unwrap_or_default();
    let range = aggregate.range;
    [aggregate.count.to_string(), text(range.map(|r| r.0)), text(range.map(|r| r.1))]
}

pub(super) fn metric_fields(report: &ProfileReport<'_>, row: &MetricRow<'_>) -> Vec<String> {
    let of = &row.described;
    let is_derived = matches!(row.told, MetricLine::Derived(_));
    let member = if is_derived { String::new() } else { row.member.to_string() };
    let mut fields = vec![member];
    fields.extend(
        [&of.name, &of.description, &of.kind, &of.mode, &of.value_type, &of.unit].map(Clone::clone),
    );
    fields.push(of.base.map(|base| base.to_string()).unwrap_or_default());
    fields.push(of.exponent.map(|exponent| exponent.to_string()).unwrap_or_default());
    let none = String::new;
    match row.told {
        MetricLine::Total(kind, total) => {
            fields.push(metrics::kind(kind).to_owned());
            fields.extend((0..6).map(|_| none()));
            let [count, least, most] = range(Some(total));
            fields.extend([count, sum(Some(total)), least, most]);
            fields.extend((0..6).map(|_| none()));
        }
        MetricLine::Derived(derived) => {
            fields.push("derived".to_owned());
            fields.extend((0..12).map(|_| none()));
            fields.push(float(derived.total(report)));
            fields.extend((0..3).map(|_| none()));
        }
        MetricLine::Series(series) => {
            let key = series.key;
            fields.push("series".to_owned());
            fields.extend([
                key.metric.to_string(),
                key.recorder.to_string(),
                names::place(report.definitions, key.recorder),
                metrics::scope_kind(series.scope),
                series.scope.reference.to_string(),
                metrics::scope_name(report.definitions, series.scope),
                series.count.to_string(),
                none(),
            ]);
            let numbers = [series.least, series.most, series.first, series.last];
            fields.extend(numbers.map(metrics::text));
            fields.push(float(series.mean()));
            fields.extend([series.first_time.to_string(), series.last_time.to_string()]);
            fields.push(metrics::text(Number::Float(series.integral.number())));
        }
    }
    fields.push(if is_derived { none() } else { row.records.to_string() });
    if is_derived {
        fields.extend((0..5).map(|_| none()));
        return fields;
    }
    let [mut shape, mut growth, mut per_second] = [none(), none(), none()];
    if let MetricLine::Series(series) = row.told {
        let of = of.shape(series);
        shape = of.name().to_owned();
        if of == Shape::Counter {
            growth = metrics::text(metrics::growth(series));
            let rate = metrics::growth_per_second(series, report.provenance.timer_resolution);
            per_second = float(rate);
        }
    }
    fields.extend([shape, growth, per_second, of.si_unit(), float(of.scale())]);
    fields
}
