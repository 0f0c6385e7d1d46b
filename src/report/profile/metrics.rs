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

use crate::report::{human, names};

/// What is counted, in a word.
pub fn kind(kind: MetricKind) -> &'static str {
    match kind {
        MetricKind::Difference => "difference",
        MetricKind::Values => "values",
    }
}

/// What columns are called: the metric's name, with its number where several have that or would have columns of one
/// name, and with what is counted where that are two things.
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

/// What parts of columns begin with that are about inclusive or exclusive values alone.
const INCLUSIVE: &str = "_incl";
const EXCLUSIVE: &str = "_excl";

/// What columns are called, with the number of those metrics that are `numbered`.
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

/// A number in full: integers exact, floating point as short as it is exact.
pub fn text(number: Number) -> String {
    match number {
        Number::Integer(integer) => integer.to_string(),
        Number::Float(float) => format!("{float:?}"),
    }
}

/// A definition's texts and names; empty where it is not defined.
#[derive(Clone, Debug, Default)]
pub struct Described {
    /// What it is called.
    pub name: String,
    /// What it says.
    pub description: String,
    /// Who measured it.
    pub kind: String,
    /// What its values mean.
    pub mode: String,
    /// The type of its values.
    pub value_type: String,
    /// What one of it is.
    pub unit: String,
    /// Values are to be multiplied by this number,
    pub base: Option<u8>,
    /// which is raised to this power.
    pub exponent: Option<i64>,
}

impl Described {
    /// What the definitions say of a metric.
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

    /// A number in the metric's unit, as people read it.
    pub fn shown(&self, number: Number) -> String {
        self.shown_in(number.as_f64(), &self.unit)
    }

    /// The value times seconds, from the value times ticks.
    pub fn integral(&self, integral: f64, ticks_per_second: u64) -> String {
        let seconds = integral / ticks_per_second.max(1) as f64;
        match self.unit.as_str() {
            "" | "#" => self.shown_in(seconds, "s"),
            unit => self.shown_in(seconds, &format!("{} s", human::symbol(unit))),
        }
    }

    fn shown_in(&self, number: f64, unit: &str) -> String {
        let power = self.exponent.unwrap_or(0).clamp(-9999, 9999) as i32;
        let scaled = match self.base {
            // Divided, so that what is a round number stays one.
            Some(10) if power < 0 => number / 10f64.powi(-power),
            Some(base) => number * f64::from(base).powi(power),
            None => number,
        };
        if scaled.is_finite() && (scaled != 0.0 || number == 0.0) {
            return human::quantity(scaled, unit);
        }
        let base = self.base.unwrap_or(1);
        format!("{number:?}·{base}^{} {unit}", self.exponent.unwrap_or(0))
    }
}

/// The number that is raised to a power; `None` where the trace says nothing that means one.
fn base(of: &MetricMember) -> Option<u8> {
    match of.base {
        Base::Binary => Some(2),
        Base::Decimal => Some(10),
        Base::Unnamed(_) => None,
    }
}

/// What kind of thing a series is about, in the words of the format.
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
        MetricScope::Unnamed(_) => String::new(),
    }
}

/// The mean of a series over time, as a number of its own kind.
pub fn mean(series: &SeriesRow) -> Option<Number> {
    series.mean().map(Number::Float)
}
