//! Numbers without gaps for the definitions that stay. Only what nobody defines and something leads to
//! leaves one: it would be another thing's number afterwards.

use std::collections::BTreeMap;

use streamfold_model::references::ReferenceKind;

use super::own::Kinds;
use super::used::Used;

/// Renumbering of definitions.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    /// Of kinds whose numbers do: the old ones, in their order, each with the new one.
    kinds: BTreeMap<ReferenceKind, Vec<(u64, u64)>>,
}

/// Returns whether numbers of a kind may change. Numbers that name files do not, nor those in events without a mapping
/// table. For strings gaps are harmless.
pub(super) fn may_change(kind: ReferenceKind) -> bool {
    !matches!(kind, ReferenceKind::Location | ReferenceKind::IoParadigm | ReferenceKind::String)
}

impl Numbering {
    /// One without gaps for what stays. `nobodys`: numbers that none of it gets.
    pub(super) fn without_gaps(staying: &Used, nobodys: &Used) -> Numbering {
        let mut kinds: BTreeMap<ReferenceKind, Vec<(u64, u64)>> = BTreeMap::new();
        staying.each(|kind, number| {
            if may_change(kind) {
                let numbers = kinds.entry(kind).or_default();
                let mut next = numbers.last().map_or(0, |(_, now)| now + 1);
                while nobodys.has(kind, next) {
                    next += 1;
                }
                numbers.push((number, next));
            }
        });
        kinds.retain(|_, numbers| numbers.iter().any(|(number, now)| number != now));
        Numbering { kinds }
    }

    /// The same, but that numbers of some kinds stay. Returns also whether any of them would not have.
    pub(super) fn keeping(mut self, kinds: Kinds) -> (Numbering, bool) {
        let before = self.kinds.len();
        self.kinds.retain(|kind, _| !kinds.has(*kind));
        let kept = self.kinds.len() < before;
        (self, kept)
    }

    /// Returns whether all numbers stay.
    pub(super) fn is_same(&self) -> bool {
        self.kinds.is_empty()
    }

    /// How many kinds have other numbers.
    pub(super) fn kinds(&self) -> u64 {
        self.kinds.len() as u64
    }

    /// Returns whether numbers of a kind change.
    pub(super) fn changes(&self, kind: ReferenceKind) -> bool {
        self.kinds.contains_key(&kind)
    }

    /// Returns the new number. Numbers of definitions that do not stay are unchanged.
    pub(super) fn now(&self, kind: ReferenceKind, number: u64) -> u64 {
        let numbers = self.kinds.get(&kind);
        let now = numbers.and_then(|numbers| {
            let place = numbers.binary_search_by_key(&number, |(number, _)| *number).ok()?;
            Some(numbers[place].1)
        });
        now.unwrap_or(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_gets_numbers_without_gaps_in_its_order() {
        let mut used = Used::default();
        let region = ReferenceKind::Region;
        let others = [(ReferenceKind::Comm, 0), (ReferenceKind::Comm, 1)];
        let kept = [(ReferenceKind::String, 9), (ReferenceKind::Location, 9)];
        for (kind, number) in [(region, 7), (region, 3), (region, 1 << 21)].iter().chain(&kept) {
            used.add(*kind, *number);
        }
        others.iter().for_each(|(kind, number)| assert!(used.add(*kind, *number)));
        let mut nobodys = Used::default();
        for number in [1, 2, 9] {
            nobodys.add(region, number);
        }
        let around = Numbering::without_gaps(&used, &nobodys);
        assert_eq!([3, 7, 1 << 21, 1, 2, 9].map(|it| around.now(region, it)), [0, 3, 4, 1, 2, 9]);
        let numbering = Numbering::without_gaps(&used, &Used::default());
        let now = [3, 7, 1 << 21, 5].map(|number| numbering.now(region, number));
        assert_eq!(now, [0, 1, 2, 5]);
        for (kind, number) in others.iter().chain(&kept) {
            assert!(!numbering.changes(*kind) && numbering.now(*kind, *number) == *number);
        }
        assert!(Numbering::default().is_same() && !numbering.is_same());
        assert!(numbering.changes(region));
        let (numbering, kept) = numbering.keeping(Kinds::default());
        assert!(numbering.changes(region) && !kept);
        let mut own = Kinds::default();
        own.add(region);
        let (numbering, kept) = numbering.keeping(own);
        assert!(kept && numbering.is_same());
    }
}
