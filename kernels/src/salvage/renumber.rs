//! Numbers without gaps, since lost or synthesised definitions leave some: readers want none.

use std::collections::{BTreeMap, BTreeSet};

use streamfold_model::definitions::Definition;
use streamfold_model::references::ReferenceKind;

/// The numbers that have become others, by kind.
pub type Renumbered = BTreeMap<ReferenceKind, BTreeMap<u64, u64>>;

/// Gives new numbers, in the order in which definitions stand, to those of kinds that may have `gaps` and
/// do, and to groups that stand in another order than that of their numbers. Returns the numbers
/// that are others now.
pub fn without_gaps(definitions: &mut [Definition], gaps: &BTreeSet<ReferenceKind>) -> Renumbered {
    let mut places: BTreeMap<ReferenceKind, Vec<u64>> = BTreeMap::new();
    for (kind, number) in definitions.iter().filter_map(Definition::defines) {
        let is_any = may_change(kind) && number != kind.undefined();
        if is_any && (gaps.contains(&kind) || kind == ReferenceKind::Group) {
            places.entry(kind).or_default().push(number);
        }
    }
    places.retain(|kind, numbers| match gaps.contains(kind) {
        true => (0..).zip(&*numbers).any(|(place, number)| place != *number),
        false => !numbers.is_sorted(),
    });
    let renumbered: Renumbered = places
        .into_iter()
        .map(|(kind, numbers)| (kind, numbers.into_iter().zip(0..).collect()))
        .collect();
    if !renumbered.is_empty() {
        let now = |kind: ReferenceKind, number: u64| {
            // As readers cut it to the width of the field.
            let cut = number & kind.undefined();
            let now = renumbered.get(&kind).and_then(|numbers| numbers.get(&cut));
            now.copied().unwrap_or(number)
        };
        for definition in definitions {
            if let Some((kind, number)) = definition.defines() {
                definition.set_number(now(kind, number));
            }
            definition.renumber(&mut |kind, number| now(kind, number));
        }
    }
    renumbered
}

/// Returns whether numbers of a kind may change. Those that name files may not, nor those in events without a mapping
/// table. Strings may have gaps.
pub(crate) fn may_change(kind: ReferenceKind) -> bool {
    !matches!(kind, ReferenceKind::Location | ReferenceKind::IoParadigm | ReferenceKind::String)
}

#[cfg(test)]
mod tests {
    use super::super::order::tests::{group, region, string};
    use super::*;
    use streamfold_model::enums::GroupType;

    #[test]
    fn kinds_with_gaps_have_none() {
        let mut all = vec![string(0, "a"), string(9, "b"), region(3, 9), region(1 << 29, 0)];
        let gaps = BTreeSet::from([ReferenceKind::Region, ReferenceKind::String]);
        let renumbered = without_gaps(&mut all, &gaps);
        assert_eq!(all, [string(0, "a"), string(9, "b"), region(0, 9), region(1, 0)]);
        let regions = BTreeMap::from([(3, 0), (1 << 29, 1)]);
        assert_eq!(renumbered, BTreeMap::from([(ReferenceKind::Region, regions)]));
        assert!(without_gaps(&mut all, &gaps).is_empty());
    }

    /// All ones stay undefined, even if a definition has that number.
    #[test]
    fn what_leads_nowhere_stays_so() {
        let mut all = vec![string(0, "a"), group(1, u32::MAX, GroupType::Regions)];
        all.push(group(u32::MAX, 0, GroupType::Regions));
        let renumbered = without_gaps(&mut all, &BTreeSet::from([ReferenceKind::Group]));
        assert_eq!(all[1], group(0, u32::MAX, GroupType::Regions));
        assert_eq!(all[2], group(u32::MAX, 0, GroupType::Regions));
        assert_eq!(renumbered[&ReferenceKind::Group], BTreeMap::from([(1, 0)]));
    }

    #[test]
    fn what_had_gaps_keeps_them() {
        let all = vec![region(3, 0), group(1, 0, GroupType::Regions)];
        let mut same = all.clone();
        assert!(without_gaps(&mut same, &BTreeSet::new()).is_empty());
        assert_eq!(same, all);
    }

    /// References to them follow.
    #[test]
    fn groups_have_the_numbers_of_their_order() {
        let list = group(7, 0, GroupType::CommLocations);
        let mut all = vec![list, group(0, 0, GroupType::CommGroup)];
        let renumbered = without_gaps(&mut all, &BTreeSet::new());
        let numbers: Vec<_> = all.iter().filter_map(Definition::defines).collect();
        assert_eq!(numbers, [(ReferenceKind::Group, 0), (ReferenceKind::Group, 1)]);
        assert_eq!(renumbered[&ReferenceKind::Group], BTreeMap::from([(0, 1), (7, 0)]));
    }
}
