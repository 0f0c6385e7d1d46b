//! Definitions that are incomplete since they reference lost ones.

use streamfold_model::definitions::Definition;
use streamfold_model::ids::{GroupRef, Reference};
use streamfold_model::references::ReferenceKind;

use super::{defined, NumbersByKind};
use crate::validate::Known;

/// Defined numbers, and those whose events are needed for more.
#[derive(Clone, Debug, Default)]
pub struct Defined {
    pub(super) known: Known,
    /// See [`unclear`].
    pub(super) unclear: Known,
}

impl Defined {
    /// These numbers, of which some are [`unclear`].
    pub fn new(defined: &NumbersByKind, unclear: &NumbersByKind) -> Self {
        Defined { known: Known::new(defined.iter()), unclear: Known::new(unclear.iter()) }
    }
}

/// Metrics of which definitions do not say what values they have, communicators of which they do
/// not say who is in them, and windows of such: the definitions that would say it are not there.
pub fn unclear(definitions: &[Definition]) -> NumbersByKind {
    let defined = defined(definitions);
    let mut unclear = NumbersByKind::default();
    for definition in definitions {
        let Some((kind, number)) = definition.defines() else { continue };
        if lacks_what_it_is(definition, &defined) {
            unclear.insert(kind, number);
        }
    }
    for definition in definitions {
        let Some((kind, number)) = definition.defines() else { continue };
        let is_unclear = leads_to(definition)
            .is_some_and(|(kind, number)| !defined.has(kind, number) || unclear.has(kind, number));
        if is_unclear {
            unclear.insert(kind, number);
        }
    }
    unclear
}

/// Returns whether the members of a metric class, or the groups of a communicator, are missing.
fn lacks_what_it_is(definition: &Definition, defined: &NumbersByKind) -> bool {
    let is_lost = |group: GroupRef| !defined.has(ReferenceKind::Group, group.number());
    match definition {
        Definition::MetricClass(class) => {
            let mut members = class.metric_members.iter().map(|member| member.number());
            members.any(|member| !defined.has(ReferenceKind::MetricMember, member))
        }
        Definition::Comm(comm) => is_lost(comm.group),
        Definition::InterComm(comm) => is_lost(comm.group_a) || is_lost(comm.group_b),
        _ => false,
    }
}

/// Returns the definition that describes a metric instance or a window.
fn leads_to(definition: &Definition) -> Option<(ReferenceKind, u64)> {
    match definition {
        Definition::MetricInstance(of) => Some((ReferenceKind::Metric, of.metric_class.number())),
        Definition::RmaWin(win) => Some((ReferenceKind::Comm, win.comm.number())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use streamfold_model::definitions::{Comm, MetricClass, MetricInstance, RmaWin};
    use streamfold_model::enums::{
        CommFlag, GroupType, MetricOccurrence, MetricScope, RecorderKind, RmaWinFlag,
    };
    use streamfold_model::ids::{
        CommRef, LocationRef, MetricMemberRef, MetricRef, RmaWinRef, StringRef,
    };

    use super::super::order::tests::group;

    fn class(id: u32, members: &[u32]) -> Definition {
        Definition::MetricClass(MetricClass {
            id: MetricRef(id),
            metric_members: members.iter().copied().map(MetricMemberRef).collect(),
            metric_occurrence: MetricOccurrence::Asynchronous,
            recorder_kind: RecorderKind::Unknown,
        })
    }

    fn instance(id: u32, class: u32) -> Definition {
        Definition::MetricInstance(MetricInstance {
            id: MetricRef(id),
            metric_class: MetricRef(class),
            recorder: LocationRef::UNDEFINED,
            metric_scope: MetricScope::Location,
            scope: 0,
        })
    }

    fn comm(id: u32, group: u32) -> Definition {
        let (name, parent, flags) = (StringRef(0), CommRef::UNDEFINED, CommFlag::NONE);
        Definition::Comm(Comm { id: CommRef(id), name, group: GroupRef(group), parent, flags })
    }

    fn window(id: u32, comm: u32) -> Definition {
        let (name, flags) = (StringRef(0), RmaWinFlag::NONE);
        Definition::RmaWin(RmaWin { id: RmaWinRef(id), name, comm: CommRef(comm), flags })
    }

    #[test]
    fn what_leads_to_something_lost_is_unclear() {
        let all = vec![
            class(0, &[]),
            class(1, &[7]),
            instance(2, 0),
            instance(3, 1),
            instance(4, 9),
            group(0, 0, GroupType::CommGroup),
            comm(0, 0),
            comm(1, 5),
            window(0, 0),
            window(1, 1),
            window(2, 8),
        ];
        let unclear = unclear(&all);
        let of = |kind| unclear.of(kind).iter().collect::<Vec<_>>();
        assert_eq!(of(ReferenceKind::Metric), [1, 3, 4]);
        assert_eq!(of(ReferenceKind::Comm), [1]);
        assert_eq!(of(ReferenceKind::RmaWin), [1, 2]);
    }
}
