//! Defined identifiers, by kind.

use streamfold_model::references::ReferenceKind;

/// Sets of identifiers, one for each kind.
#[derive(Clone, Debug, Default)]
pub struct Known {
    sets: [Numbers; ReferenceKind::ALL.len()],
}

/// A set of numbers: the small ones in an array, the others sorted.
#[derive(Clone, Debug, Default)]
struct Numbers {
    /// All below this one belong to it.
    full: u64,
    count: u64,
    dense: Vec<bool>,
    sparse: Vec<u64>,
}

impl Known {
    /// The set of what is handed over, in any order.
    pub fn new(defined: impl Iterator<Item = (ReferenceKind, u64)>) -> Self {
        let mut lists: Vec<Vec<u64>> = vec![Vec::new(); ReferenceKind::ALL.len()];
        for (kind, number) in defined {
            lists[kind as usize].push(number);
        }
        let mut known = Known::default();
        for (set, list) in known.sets.iter_mut().zip(lists) {
            *set = Numbers::new(list);
        }
        known
    }

    /// Returns whether this is defined.
    #[inline(always)]
    pub fn has(&self, kind: ReferenceKind, number: u64) -> bool {
        self.sets[kind as usize].has(number)
    }

    /// All below this number are defined.
    pub fn full(&self, kind: ReferenceKind) -> u64 {
        self.sets[kind as usize].full
    }

    /// Number of them that are defined.
    pub fn count(&self, kind: ReferenceKind) -> u64 {
        self.sets[kind as usize].count
    }
}

impl Numbers {
    fn new(mut numbers: Vec<u64>) -> Self {
        numbers.sort_unstable();
        numbers.dedup();
        let count = numbers.len() as u64;
        // Identifiers are dense as a rule; what is spread costs a search, not memory.
        let limit = 4 * numbers.len() as u64 + 64;
        let small = numbers.partition_point(|number| *number < limit);
        let sparse = numbers.split_off(small);
        let mut dense = vec![false; numbers.last().map_or(0, |last| *last as usize + 1)];
        numbers.iter().for_each(|number| dense[*number as usize] = true);
        let full = dense.iter().take_while(|known| **known).count() as u64;
        Numbers { full, count, dense, sparse }
    }

    #[inline(always)]
    fn has(&self, number: u64) -> bool {
        match self.dense.get(number as usize) {
            Some(known) => *known,
            None => self.search(number),
        }
    }

    #[inline(never)]
    fn search(&self, number: u64) -> bool {
        self.sparse.binary_search(&number).is_ok()
    }
}

/// Returns whether a field may be undefined. Strings may: names are not always known. For the others the format's
/// description decides.
pub fn may_be_undefined(record: &str, field: &str, kind: ReferenceKind) -> bool {
    kind == ReferenceKind::String
        || matches!(
            (record, field),
            ("SystemTreeNode" | "Callpath" | "Comm" | "CallingContext" | "IoHandle", "parent")
                | ("LocationGroup", "systemTreeParent" | "creatingLocationGroup")
                | ("Callsite", "enteredRegion" | "leftRegion")
                | ("CallingContext", "sourceCodeLocation")
                | ("IoRegularFile" | "IoDirectory", "scope")
                | ("IoHandle", "file" | "comm")
                | ("InterComm", "commonCommunicator")
                | ("MetricInstance", "recorder")
                | ("RmaGroupSync", "group")
                | (
                    "CallingContextEnter" | "CallingContextLeave" | "CallingContextSample",
                    "callingContext"
                )
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_spread_numbers_are_known() {
        let numbers = [0, 3, 536_870_911, u64::MAX - 1];
        let known = Known::new(numbers.iter().map(|number| (ReferenceKind::Location, *number)));
        for number in [0, 1, 3, 4, 64, 536_870_911, 536_870_912, u64::MAX - 1, u64::MAX] {
            let expected = numbers.contains(&number);
            assert_eq!(known.has(ReferenceKind::Location, number), expected, "{number}");
            assert!(!known.has(ReferenceKind::Region, number));
        }
        assert_eq!(
            (known.count(ReferenceKind::Location), known.count(ReferenceKind::Region)),
            (4, 0)
        );
    }
}
