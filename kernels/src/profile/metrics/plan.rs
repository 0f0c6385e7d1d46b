//! What a record of metrics means, from the definitions.

use streamfold_model::definitions::MetricInstance;
use streamfold_model::enums::{MetricMode, MetricOccurrence, MetricScope};
use streamfold_model::ids::{LocationRef, MetricMemberRef, MetricRef};
use streamfold_model::store::{Definitions, Metric};

use super::number::NumberKind;

/// How the values of a metric are related to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Property {
    /// A value is what has come together so far.
    Accumulated,
    /// A value stands for itself.
    Absolute,
    /// A value is the change since the one before.
    Relative,
}

/// Which time a value is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timing {
    /// The time of its record: in between it goes straight from one to the next.
    Point,
    /// The time since the record before.
    Last,
    /// The time up to the next record.
    Next,
}

/// A member of a metric class that can be used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub reference: MetricMemberRef,
    pub number: NumberKind,
    pub property: Property,
    pub timing: Timing,
}

impl Member {
    /// `None`: it is not defined, or its values are no numbers, or nobody knows what they mean.
    fn of(definitions: &Definitions, reference: MetricMemberRef) -> Option<Member> {
        let definition = definitions.metric_members.get(&reference)?;
        let number = NumberKind::of(definition.value_type)?;
        let (property, timing) = meaning(definition.metric_mode)?;
        Some(Member { reference, number, property, timing })
    }
}

/// `None` where the mode has no name.
fn meaning(mode: MetricMode) -> Option<(Property, Timing)> {
    Some(match mode {
        // What began with the measurement is known at the points where it was read.
        MetricMode::AccumulatedStart | MetricMode::AccumulatedPoint => {
            (Property::Accumulated, Timing::Point)
        }
        MetricMode::AccumulatedLast => (Property::Accumulated, Timing::Last),
        MetricMode::AccumulatedNext => (Property::Accumulated, Timing::Next),
        MetricMode::AbsolutePoint => (Property::Absolute, Timing::Point),
        MetricMode::AbsoluteLast => (Property::Absolute, Timing::Last),
        MetricMode::AbsoluteNext => (Property::Absolute, Timing::Next),
        // A change at a point lasts.
        MetricMode::RelativePoint | MetricMode::RelativeNext => (Property::Relative, Timing::Next),
        MetricMode::RelativeLast => (Property::Relative, Timing::Last),
        MetricMode::Unnamed(_) => return None,
    })
}

/// What a record of a class or instance means.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub occurrence: MetricOccurrence,
    /// Of an instance: for whom it is recorded.
    pub scope: Option<(MetricScope, u64)>,
    pub members: Vec<Option<Member>>,
}

impl Plan {
    /// `None`: the metric is not defined.
    pub fn of(definitions: &Definitions, metric: MetricRef) -> Option<Plan> {
        let (class, scope) = match definitions.metrics.get(&metric)? {
            Metric::Class(class) => (class, None),
            Metric::Instance(MetricInstance { metric_class, metric_scope, scope, .. }) => {
                let Metric::Class(class) = definitions.metrics.get(metric_class)? else {
                    return None;
                };
                (class, Some((*metric_scope, *scope)))
            }
        };
        let members = class.metric_members.iter();
        let members = members.map(|member| Member::of(definitions, *member)).collect();
        Some(Plan { occurrence: class.metric_occurrence, scope, members })
    }

    /// Whether a location that records it does so for itself.
    pub fn is_own(&self, location: LocationRef) -> bool {
        match self.scope {
            None => true,
            Some((kind, scope)) => kind == MetricScope::Location && scope == location.0,
        }
    }
}
