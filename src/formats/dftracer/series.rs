//! Values at times: counters, and what records of many calls add up. Section 3 of this project's notes.
//!
//! Each key of a counter is a metric, whose values are those of the process at a time. A record that adds up the calls of
//! an interval does not say when they were: its calls, their time and their bytes are metrics, too, each value since
//! the one before.

use bstr::{BStr, BString, ByteSlice};
use serde::{Deserialize, Serialize};
use streamfold_model::definitions::{Definition, MetricClass, MetricMember, Parameter};
use streamfold_model::enums::{
    Base, MetricMode, MetricOccurrence, MetricType, ParameterType, RecorderKind, Type,
};
use streamfold_model::ids::{MetricMemberRef, MetricRef, ParameterRef};

use crate::defining::Defining;

/// The measure of the values of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Measure {
    /// Of a counter.
    Value,
    /// Calls of an interval.
    Calls,
    /// Nanoseconds in them.
    Time,
    /// Bytes that they moved.
    Bytes,
}

impl Measure {
    /// Of which type values are.
    pub(super) fn value_type(self) -> Type {
        match self {
            Measure::Value => Type::Double,
            _ => Type::Uint64,
        }
    }
}

/// A series of values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) struct Series {
    pub category: BString,
    pub name: BString,
    /// The id of a counter that has several of its name, or nothing.
    pub id: BString,
    /// The key of a counter.
    pub key: BString,
    pub measure: Measure,
}

impl Series {
    /// As people see it. Names of counters may begin with blanks.
    fn title(&self) -> BString {
        let Series { category, name, id, key, measure } = self;
        let name = name.trim_ascii().as_bstr();
        let id = if id.is_empty() { String::new() } else { format!("[{id}]") };
        BString::from(match measure {
            Measure::Value if name == key => format!("{name}{id}"),
            Measure::Value => format!("{name}{id}: {key}"),
            Measure::Calls => format!("{category}/{name}: calls"),
            Measure::Time => format!("{category}/{name}: time"),
            Measure::Bytes => format!("{category}/{name}: bytes"),
        })
    }

    fn unit(&self) -> &'static str {
        let has = |word: &str| self.key.to_ascii_lowercase().contains_str(word);
        match self.measure {
            Measure::Time => "s",
            Measure::Bytes => "B",
            Measure::Calls => "#",
            Measure::Value if has("pct") || has("percent") => "%",
            Measure::Value if has("bytes") => "B",
            Measure::Value => "",
        }
    }
}

/// Defines a metric for each series, with the same number.
pub(super) fn define<'s>(to: &mut Defining, all: impl Iterator<Item = &'s Series>) {
    for (id, series) in (0..).zip(all) {
        let (mode, exponent) = match series.measure {
            Measure::Value => (MetricMode::AbsolutePoint, 0),
            Measure::Time => (MetricMode::RelativeLast, -9),
            Measure::Calls | Measure::Bytes => (MetricMode::RelativeLast, 0),
        };
        let member = MetricMember {
            id: MetricMemberRef(id),
            name: to.text(series.title().as_bstr()),
            description: to.text(series.category.as_bstr()),
            metric_type: MetricType::Other,
            metric_mode: mode,
            value_type: series.measure.value_type(),
            base: Base::Decimal,
            exponent,
            unit: to.text(BStr::new(series.unit())),
        };
        to.definitions.insert(Definition::MetricMember(member));
        to.definitions.insert(Definition::MetricClass(MetricClass {
            id: MetricRef(id),
            metric_members: vec![MetricMemberRef(id)],
            metric_occurrence: MetricOccurrence::Asynchronous,
            recorder_kind: RecorderKind::Abstract,
        }));
    }
}

/// The parameters of calls: which epoch and which step of a training they belong to.
pub(super) const PARAMETERS: [&str; 2] = ["epoch", "step"];

/// Defines them.
pub(super) fn define_parameters(to: &mut Defining) {
    for (id, name) in (0..).zip(PARAMETERS) {
        let parameter = Parameter {
            id: ParameterRef(id),
            name: to.text(BStr::new(name)),
            parameter_type: ParameterType::Uint64,
        };
        to.definitions.insert(Definition::Parameter(parameter));
    }
}
