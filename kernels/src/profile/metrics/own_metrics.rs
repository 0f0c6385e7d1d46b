//! Metrics that only single locations define.

use std::collections::HashSet;

use bstr::{BStr, BString};
use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::definitions::{MetricClass, MetricInstance, MetricMember};
use streamfold_model::enums::{Base, MetricMode, MetricOccurrence, MetricScope, MetricType, Type};
use streamfold_model::ids::{MetricMemberRef, MetricRef, Reference, StringRef};
use streamfold_model::store::{Definitions, Metric};

use crate::profile::tree::content::Contents;
use crate::Mapping;

/// Fields of the definition of a metric member with a name, except its number. `None` is an undefined text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MemberContent {
    /// Its name.
    pub name: BString,
    /// More about it.
    pub description: Option<BString>,
    /// Unit of its values, together with `base` and `exponent`.
    pub unit: Option<BString>,
    /// See `unit`.
    pub base: Base,
    /// See `unit`.
    pub exponent: i64,
    /// Source of its values.
    pub metric_type: MetricType,
    /// How its values are related to each other.
    pub metric_mode: MetricMode,
    /// The type of its values.
    pub value_type: Type,
    /// Its index among the members of one class with the same content: they have values of their own.
    pub nth: u32,
}

impl MemberContent {
    /// Reads the content of a definition; `string` resolves its strings. `None`: it has no name, so it cannot be
    /// identified.
    pub(crate) fn of<'t>(
        member: &MetricMember,
        string: impl Fn(StringRef) -> Option<&'t BStr>,
    ) -> Option<Self> {
        let text = |reference: StringRef| match string(reference) {
            None if reference.is_undefined() => Some(BString::default()),
            text => text.map(ToOwned::to_owned),
        };
        Some(MemberContent {
            name: string(member.name)?.to_owned(),
            description: text(member.description),
            unit: text(member.unit),
            base: member.base,
            exponent: member.exponent,
            metric_type: member.metric_type,
            metric_mode: member.metric_mode,
            value_type: member.value_type,
            nth: 0,
        })
    }
}

/// Content of a class or instance, with all that it leads to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct MetricContent {
    pub members: Vec<OwnMember>,
    pub occurrence: MetricOccurrence,
    /// Of an instance: the scope for which it is recorded.
    pub scope: Option<(MetricScope, u64)>,
}

impl MetricContent {
    /// The members that only locations define.
    pub(crate) fn own_members(&self) -> impl Iterator<Item = &MemberContent> {
        self.members.iter().filter_map(|member| match member {
            OwnMember::OfLocation(content) => Some(content),
            OwnMember::OfTrace(_) => None,
        })
    }
}

/// A member of a class.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum OwnMember {
    /// One that the trace defines, or that is undefined.
    OfTrace(MetricMemberRef),
    /// One that only locations define.
    OfLocation(MemberContent),
}

/// Definitions of a location, and the meaning of its references.
#[derive(Clone, Copy)]
pub(crate) struct OwnWorld<'a> {
    pub trace: &'a Definitions,
    pub own: &'a Definitions,
    pub mapping: &'a dyn Mapping,
}

impl<'a> OwnWorld<'a> {
    /// Returns the text of a string of the location.
    pub(crate) fn string(self, reference: StringRef) -> Option<&'a BStr> {
        let global = || self.trace.string(self.mapping.string(reference));
        self.own.string(reference).or_else(global)
    }

    /// The classes and instances of which the trace has none of the reference that theirs is mapped to, in the
    /// order of the location's references. Those that lead to no class are left out.
    pub(crate) fn metrics(self, contents: &Contents<'_>) -> Vec<(MetricRef, MetricContent)> {
        let is_own = |metric| !self.trace.metrics.contains_key(&self.mapping.metric(metric));
        let own = self.own.metrics.iter().filter(|(reference, _)| is_own(**reference));
        let found = own.filter_map(|(reference, m)| Some((*reference, self.metric(m, contents)?)));
        let mut found: Vec<_> = found.collect();
        found.sort_unstable_by_key(|(reference, _)| *reference);
        found
    }

    fn metric(self, metric: &Metric, contents: &Contents<'_>) -> Option<MetricContent> {
        let (class, of_trace, scope) = match metric {
            Metric::Class(class) => (class, false, None),
            Metric::Instance(MetricInstance { metric_class, metric_scope, scope, .. }) => {
                let scope = self.mapping.scope(*metric_scope, *scope);
                let own = self.own.metrics.get(metric_class);
                let global = || self.trace.metrics.get(&self.mapping.metric(*metric_class));
                (class_of(own.or_else(global)?)?, own.is_none(), Some((*metric_scope, scope)))
            }
        };
        // The members of a class of the trace are the trace's, too.
        let own = |reference: MetricMemberRef| {
            self.own.metric_members.get(&reference).filter(|_| !of_trace)
        };
        let references = &class.metric_members;
        let others: Vec<_> = references.iter().copied().filter(|it| own(*it).is_none()).collect();
        let others = contents.one_for_all(&others);
        let mut used: HashSet<_, RandomState> = others.iter().copied().collect();
        let (mut others, mut found) = (others.into_iter().map(OwnMember::OfTrace), Vec::new());
        for reference in references {
            let member = match own(*reference) {
                Some(member) => Some(self.member(member, contents, &found, &mut used)),
                None => others.next(),
            };
            found.extend(member);
        }
        Some(MetricContent { members: found, occurrence: class.metric_occurrence, scope })
    }

    /// A member that the location defines, in a class that has these before it, and uses these of the trace.
    fn member(
        self,
        member: &MetricMember,
        contents: &Contents<'_>,
        before: &[OwnMember],
        used: &mut HashSet<MetricMemberRef, RandomState>,
    ) -> OwnMember {
        let Some(content) = MemberContent::of(member, |text| self.string(text)) else {
            return OwnMember::OfTrace(MetricMemberRef::UNDEFINED);
        };
        let known = contents.known_member(&content);
        if let Some(known) = known.filter(|known| used.insert(*known)) {
            return OwnMember::OfTrace(known);
        }
        let says_same = |other: &&OwnMember| match other {
            OwnMember::OfLocation(other) => MemberContent { nth: 0, ..other.clone() } == content,
            OwnMember::OfTrace(_) => false,
        };
        let count = before.iter().filter(says_same).count() + usize::from(known.is_some());
        OwnMember::OfLocation(MemberContent { nth: count as u32, ..content })
    }
}

fn class_of(metric: &Metric) -> Option<&MetricClass> {
    match metric {
        Metric::Class(class) => Some(class),
        Metric::Instance(_) => None,
    }
}
