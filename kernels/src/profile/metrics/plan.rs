//! Meaning of metric records, from the definitions.

use streamfold_model::definitions::MetricInstance;
use streamfold_model::enums::{MetricMode, MetricOccurrence, MetricScope, Type};
use streamfold_model::ids::{LocationRef, MetricMemberRef, MetricRef};
use streamfold_model::store::{Definitions, Metric};

use super::number::NumberKind;
use super::own_metrics::{MetricContent, OwnMember};
use crate::profile::tree::content::Meanings;
use crate::profile::tree::own_numbers::OwnNumbers;

/// How the values of a metric are related to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Property {
    /// A value is the sum accumulated so far.
    Accumulated,
    /// A value stands for itself.
    Absolute,
    /// A value is the change since the one before.
    Relative,
}

/// Time to which a value refers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timing {
    /// The time of its record: between two records values are interpolated linearly.
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
    /// `None`: it is not defined, or its values are no numbers, or their meaning is unknown.
    fn of(definitions: &Definitions, reference: MetricMemberRef) -> Option<Member> {
        let definition = definitions.metric_members.get(&reference)?;
        Member::new(reference, definition.value_type, definition.metric_mode)
    }

    fn new(reference: MetricMemberRef, value_type: Type, mode: MetricMode) -> Option<Member> {
        let number = NumberKind::of(value_type)?;
        let (property, timing) = meaning(mode)?;
        Some(Member { reference, number, property, timing })
    }

    /// One of a class that only locations define.
    fn of_own(definitions: &Definitions, own: &OwnNumbers, member: &OwnMember) -> Option<Member> {
        match member {
            OwnMember::OfTrace(reference) => Member::of(definitions, *reference),
            OwnMember::OfLocation(content) => {
                Member::new(own.member(content)?, content.value_type, content.metric_mode)
            }
        }
    }
}

/// `None` where the mode has no name.
fn meaning(mode: MetricMode) -> Option<(Property, Timing)> {
    Some(match mode {
        // An accumulated value since the start of the measurement is known at the points where it
        // was read.
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
        _ => return None,
    })
}

/// Meaning of the records of a class or instance.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub occurrence: MetricOccurrence,
    /// Of an instance: the scope for which it is recorded.
    pub scope: Option<(MetricScope, u64)>,
    pub members: Vec<Option<Member>>,
}

impl Plan {
    /// Of a metric that the trace defines; `None`: it does not.
    pub(super) fn of(meanings: Meanings<'_>, metric: MetricRef) -> Option<Plan> {
        let definitions = meanings.definitions;
        let class = definitions.metric_class(metric)?;
        let scope = match definitions.metrics.get(&metric)? {
            Metric::Class(_) => None,
            Metric::Instance(MetricInstance { metric_scope, scope, .. }) => {
                Some((*metric_scope, *scope))
            }
        };
        let members = match meanings.contents {
            Some(contents) => contents.one_for_all(&class.metric_members),
            None => class.metric_members.clone(),
        };
        let members = members.into_iter().map(|member| Member::of(definitions, member)).collect();
        Some(Plan { occurrence: class.metric_occurrence, scope, members })
    }

    /// Of one that only locations define.
    pub(super) fn of_own(
        definitions: &Definitions,
        own: &OwnNumbers,
        content: &MetricContent,
    ) -> Plan {
        let member = |member| Member::of_own(definitions, own, member);
        Plan {
            occurrence: content.occurrence,
            scope: content.scope,
            members: content.members.iter().map(member).collect(),
        }
    }

    /// Tells whether a location that records it does so for itself.
    pub(super) fn is_own(&self, location: LocationRef) -> bool {
        match self.scope {
            None => true,
            Some((kind, scope)) => kind == MetricScope::Location && scope == location.0,
        }
    }
}
