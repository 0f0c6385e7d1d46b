//! Facts about metrics from events: the number and the types of values of their classes.

use std::collections::BTreeMap;

use streamfold_model::definitions::Definition;
use streamfold_model::enums::Type;
use streamfold_model::ids::Reference;
use streamfold_model::references::ReferenceKind;

use super::facts::{Facts, Seen, ValueTypes};
use super::{named, NumbersByKind};

/// Descriptions of undefined metrics.
#[derive(Clone, Debug, Default)]
pub(super) struct Metrics {
    /// The values of events of each class, and of its instances.
    classes: BTreeMap<u32, Seen<ValueTypes>>,
    /// The types of members that are lost, of classes that are not.
    members: BTreeMap<u32, Type>,
}

impl Metrics {
    /// Those of these definitions.
    pub(super) fn new(
        definitions: &[Definition],
        defined: &NumbersByKind,
        facts: &Facts,
    ) -> Metrics {
        let mut metrics = Metrics { classes: facts.metrics.clone(), members: BTreeMap::new() };
        for definition in definitions {
            let Definition::MetricInstance(instance) = definition else { continue };
            if let Some(seen) = metrics.classes.remove(&instance.id.0) {
                Seen::put(&mut metrics.classes, instance.metric_class.0, seen);
            }
        }
        for definition in definitions {
            let Definition::MetricClass(class) = definition else { continue };
            let Some(seen) = metrics.classes.get(&class.id.0) else { continue };
            for (member, of) in class.metric_members.iter().zip(&seen.least.0) {
                if !defined.has(ReferenceKind::MetricMember, member.number()) {
                    metrics.members.entry(member.0).or_insert(*of);
                }
            }
        }
        metrics
    }

    /// The types of the values of a class, as far as there are events.
    pub(super) fn of_class(&self, class: u32) -> &[Type] {
        self.classes.get(&class).map_or(&[], |seen| &seen.least.0)
    }

    /// The type of a member.
    pub(super) fn of_member(&self, member: u32) -> Type {
        self.members.get(&member).copied().unwrap_or(Type::Uint64)
    }

    /// Classes whose events do not all have values of the same types.
    pub(super) fn differing(&self) -> impl Iterator<Item = String> + '_ {
        let differing = self.classes.iter().filter(|(_, seen)| seen.differs);
        differing.map(|(class, _)| named(ReferenceKind::Metric, (*class).into()))
    }
}
