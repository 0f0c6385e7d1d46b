//! Metrics in reports: what they are called, and their values as text.

use std::collections::{BTreeSet, HashMap};

use foldhash::fast::RandomState;
use streamfold_kernels::profile::metrics::{
    Column, MetricKind, MetricScopeRef, Metrics, Number, SeriesRow,
};
use streamfold_model::definitions::MetricMember;
use streamfold_model::enums::{Base, MetricScope};
use streamfold_model::ids::{
    GroupRef, LocationGroupRef, LocationRef, MetricMemberRef, StringRef, SystemTreeNodeRef,
};
use streamfold_model::store::Definitions;

use streamfold_text::names;
use streamfold_text::units::{Sensor, Unit};

/// Returns the word for a kind of metric values.
pub fn kind(kind: MetricKind) -> &'static str {
    match kind {
        MetricKind::Difference => "difference",
        MetricKind::Values => "values",
        MetricKind::Growth => "growth",
    }
}

/// Returns the names of columns. A name is the metric's, with its number if columns of several metrics would have one
/// name. It ends with the kind of values if a metric has two.
pub fn labels(definitions: &Definitions, metrics: &Metrics) -> Vec<String> {
    let mut named: HashMap<String, BTreeSet<MetricMemberRef>, RandomState> = HashMap::default();
    let plain = labelled(definitions, metrics, |_| false);
    for (label, column) in plain.iter().zip(&metrics.columns) {
        named.entry(label.clone()).or_default().insert(column.member);
        let name = names::metric(definitions, column.member);
        named.entry(name).or_default().insert(column.member);
    }
    let mut alike: BTreeSet<MetricMemberRef> = BTreeSet::new();
    for (label, members) in &named {
        // The number of inclusive values of one may be the number of values of the other.
        let part = [INCLUSIVE, EXCLUSIVE].iter().find_map(|part| label.strip_suffix(part));
        if members.len() > 1 || part.is_some_and(|whole| named.contains_key(whole)) {
            alike.extend(members);
        }
    }
    labelled(definitions, metrics, |member| alike.contains(&member))
}

/// Starts of suffixes of columns that hold inclusive or exclusive values alone.
const INCLUSIVE: &str = "_incl";
const EXCLUSIVE: &str = "_excl";

/// Returns the names of columns, with the number of those metrics that are `numbered`.
fn labelled(
    definitions: &Definitions,
    metrics: &Metrics,
    numbered: impl Fn(MetricMemberRef) -> bool,
) -> Vec<String> {
    let label = |(i, Column { member, kind: of }): (usize, &Column)| {
        let mut label = names::metric(definitions, *member);
        if numbered(*member) {
            label = format!("{label}#{member}");
        }
        let neighbour = |j: usize| metrics.columns.get(j).is_some_and(|c| c.member == *member);
        if neighbour(i + 1) || i > 0 && neighbour(i - 1) {
            label = format!("{label}_{}", kind(*of));
        }
        label
    };
    metrics.columns.iter().enumerate().map(label).collect()
}

/// A definition's texts and names; empty where it is not defined.
#[derive(Clone, Debug, Default)]
pub struct Described {
    /// Name of the metric.
    pub name: String,
    /// Description of the metric.
    pub description: String,
    /// Source of the measurement.
    pub kind: String,
    /// Meaning of its values.
    pub mode: String,
    /// The type of its values.
    pub value_type: String,
    /// Unit of its values.
    pub unit: String,
    /// Values are to be multiplied by this number,
    pub base: Option<u8>,
    /// which is raised to this power.
    pub exponent: Option<i64>,
}

impl Described {
    /// Returns the texts and names in the definition of a metric.
    pub fn new(definitions: &Definitions, member: MetricMemberRef) -> Described {
        let name = names::metric(definitions, member);
        let Some(of) = definitions.metric_members.get(&member) else {
            return Described { name, ..Described::default() };
        };
        let text = |string: StringRef| {
            definitions.string(string).map(|text| text.to_string()).unwrap_or_default()
        };
        Described {
            name,
            description: text(of.description),
            kind: names::value(of.metric_type.name(), of.metric_type),
            mode: names::value(of.metric_mode.name(), of.metric_mode),
            value_type: names::value(of.value_type.name(), of.value_type),
            unit: text(of.unit),
            base: base(of),
            exponent: Some(of.exponent),
        }
    }

    /// The sensor that it is, where the trace says no unit and everybody knows it.
    fn sensor(&self) -> Option<Sensor> {
        Some(()).filter(|()| Unit::of(&self.unit).sign.is_empty())?;
        Sensor::known(&self.name)
    }

    /// Returns whether its unit follows from its name alone.
    pub fn is_known_by_name(&self) -> bool {
        self.sensor().is_some()
    }

    /// The unit of values, without a prefix.
    fn in_unit(&self) -> Unit<'_> {
        match self.sensor() {
            Some(Sensor { unit, exponent, .. }) => Unit { decimal: exponent, ..Unit::of(unit) },
            None => Unit::of(&self.unit),
        }
    }

    /// The sign of the unit that values have when they are multiplied by [`scale`](Self::scale).
    pub fn si_unit(&self) -> String {
        self.in_unit().sign.into_owned()
    }

    /// The factor from values to the unit without a prefix; `None` where it is beyond all numbers.
    pub fn scale(&self) -> Option<f64> {
        let scale = self.scaled(1.0) * self.in_unit().factor();
        Some(scale).filter(|scale| scale.is_normal())
    }

    /// A number in the metric's unit, as people read it.
    pub fn shown(&self, number: Number) -> String {
        self.shown_in(number.as_f64(), &self.in_unit())
    }

    /// A sum of it; nothing of recorded levels, whose sum means nothing.
    pub fn sum_shown(&self, kind: MetricKind, sum: Number) -> String {
        match kind {
            MetricKind::Values | MetricKind::Growth if self.in_unit().is_level() => String::new(),
            _ => self.shown(sum),
        }
    }

    /// A change in a second, given as one of the number.
    pub fn shown_per_second(&self, change: f64) -> String {
        self.shown_in(change, &self.in_unit().per_second())
    }

    /// The energy of power over time, from the value times ticks; `None` of all other metrics.
    pub fn energy(&self, integral: f64, ticks_per_second: u64) -> Option<String> {
        let unit = self.in_unit();
        let joules = Unit { sign: "J".into(), ..unit.clone() };
        let is_power = matches!(&*unit.sign, "W" | "J/s");
        is_power.then(|| self.shown_in(integral / ticks_per_second.max(1) as f64, &joules))
    }

    /// Returns whether its values are sums since the start, by its definition or its well-known name.
    pub fn adds_up(&self) -> bool {
        match self.sensor() {
            Some(sensor) => sensor.adds_up,
            None => self.mode.starts_with("ACCUMULATED_") && !self.in_unit().is_level(),
        }
    }

    /// Returns the shape of a series. Recorders declare gauges, too, as sums. A series that became smaller is none.
    pub fn shape(&self, series: &SeriesRow) -> Shape {
        let grows = series.least == series.first && series.most == series.last;
        if self.adds_up() && grows {
            Shape::Counter
        } else {
            Shape::Gauge
        }
    }

    /// Times the number of the definition that is raised to a power.
    fn scaled(&self, number: f64) -> f64 {
        let power = self.exponent.unwrap_or(0).clamp(-9999, 9999) as i32;
        match self.base {
            // Divided, so that what is a round number stays one.
            Some(10) if power < 0 => number / 10f64.powi(-power),
            Some(base) => number * f64::from(base).powi(power),
            None => number,
        }
    }

    fn shown_in(&self, number: f64, unit: &Unit<'_>) -> String {
        let scaled = self.scaled(number);
        if scaled.is_finite() && (scaled != 0.0 || number == 0.0) {
            return unit.shown(scaled);
        }
        let base = self.base.unwrap_or(1);
        format!("{number:?}·{base}^{} {}", self.exponent.unwrap_or(0), self.unit)
    }
}

/// Shape of a series of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A level: temperature, power, memory in use.
    Gauge,
    /// It counts on and on: energy, instructions.
    Counter,
}

impl Shape {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Gauge => "gauge",
            Shape::Counter => "counter",
        }
    }
}

/// By how much a counter grew from the first record to the last one.
pub fn growth(series: &SeriesRow) -> Number {
    match (series.first, series.last) {
        (Number::Integer(first), Number::Integer(last)) => {
            Number::Integer(last.saturating_sub(first))
        }
        (first, last) => Number::Float(last.as_f64() - first.as_f64()),
    }
}

/// The same in a second; `None` where there is no time in between.
pub fn growth_per_second(series: &SeriesRow, ticks_per_second: u64) -> Option<f64> {
    let ticks = series.ticks();
    let seconds = ticks as f64 / ticks_per_second.max(1) as f64;
    (ticks > 0).then(|| growth(series).as_f64() / seconds)
}

/// The number that is raised to a power; `None` where the trace says nothing that means one.
fn base(of: &MetricMember) -> Option<u8> {
    match of.base {
        Base::Binary => Some(2),
        Base::Decimal => Some(10),
        _ => None,
    }
}

/// Returns the kind of the scope of a series, in the words of the format.
pub fn scope_kind(scope: MetricScopeRef) -> String {
    names::value(scope.kind.name(), scope.kind)
}

/// The name of what a series is about.
pub fn scope_name(definitions: &Definitions, scope: MetricScopeRef) -> String {
    let small = u32::try_from(scope.reference).unwrap_or(u32::MAX);
    match scope.kind {
        MetricScope::Location => names::place(definitions, LocationRef(scope.reference)),
        MetricScope::LocationGroup => names::group(definitions, LocationGroupRef(small)),
        MetricScope::SystemTreeNode => {
            names::system_tree_node(definitions, SystemTreeNodeRef(small))
        }
        MetricScope::Group => names::definition_group(definitions, GroupRef(small)),
        _ => String::new(),
    }
}

/// The mean of a series over time, as a number of its own kind.
pub fn mean(series: &SeriesRow) -> Option<Number> {
    series.mean().map(Number::Float)
}
