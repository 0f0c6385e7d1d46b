//! Numbers without gaps for the definitions that stay.

use std::collections::BTreeMap;

use streamfold_model::references::ReferenceKind;

use super::own::Kinds;
use super::used::Used;

/// Which numbers of definitions become others.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    /// Of kinds whose numbers do: the old ones, in their order. The new ones are their places.
    kinds: BTreeMap<ReferenceKind, Vec<u64>>,
}

/// Whether numbers of a kind may become others: not those that name files, or that stand in events and
/// no mapping table is for. Of strings nobody expects that there are no gaps.
pub(super) fn may_change(kind: ReferenceKind) -> bool {
    !matches!(kind, ReferenceKind::Location | ReferenceKind::IoParadigm | ReferenceKind::String)
}

impl Numbering {
    /// One without gaps for what stays.
    pub fn without_gaps(staying: &Used) -> Numbering {
        let mut kinds: BTreeMap<ReferenceKind, Vec<u64>> = BTreeMap::new();
        staying.each(|kind, number| {
            if may_change(kind) {
                kinds.entry(kind).or_default().push(number);
            }
        });
        kinds.retain(|_, numbers| (0..).zip(numbers).any(|(place, number)| place != *number));
        Numbering { kinds }
    }

    /// The same, but that numbers of some kinds stay. Returns also whether any of them would not have.
    pub fn keeping(mut self, kinds: Kinds) -> (Numbering, bool) {
        let before = self.kinds.len();
        self.kinds.retain(|kind, _| !kinds.has(*kind));
        let kept = self.kinds.len() < before;
        (self, kept)
    }

    /// Whether all numbers stay.
    pub fn is_same(&self) -> bool {
        self.kinds.is_empty()
    }

    /// How many kinds have other numbers.
    pub fn kinds(&self) -> u64 {
        self.kinds.len() as u64
    }

    /// Whether numbers of a kind become others.
    pub fn changes(&self, kind: ReferenceKind) -> bool {
        self.kinds.contains_key(&kind)
    }

    /// What a number becomes. Those that do not stay are what they were.
    pub fn now(&self, kind: ReferenceKind, number: u64) -> u64 {
        let numbers = self.kinds.get(&kind);
        let place = numbers.and_then(|numbers| numbers.binary_search(&number).ok());
        place.map_or(number, |place| place as u64)
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
        let numbering = Numbering::without_gaps(&used);
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
