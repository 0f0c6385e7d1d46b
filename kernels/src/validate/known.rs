//! Which identifiers are defined, by kind.

use streamfold_model::enums::{MappingType, Type};
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

    /// Whether this is defined.
    #[inline(always)]
    pub fn has(&self, kind: ReferenceKind, number: u64) -> bool {
        self.sets[kind as usize].has(number)
    }

    /// All below this number are defined.
    pub fn full(&self, kind: ReferenceKind) -> u64 {
        self.sets[kind as usize].full
    }
}

impl Numbers {
    fn new(mut numbers: Vec<u64>) -> Self {
        numbers.sort_unstable();
        numbers.dedup();
        // Identifiers are dense as a rule; what is spread costs a search, not memory.
        let limit = 4 * numbers.len() as u64 + 64;
        let small = numbers.partition_point(|number| *number < limit);
        let sparse = numbers.split_off(small);
        let mut dense = vec![false; numbers.last().map_or(0, |last| *last as usize + 1)];
        numbers.iter().for_each(|number| dense[*number as usize] = true);
        let full = dense.iter().take_while(|known| **known).count() as u64;
        Numbers { full, dense, sparse }
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

/// What values of a type lead to, section 12.
pub fn reference_of(value_type: Type) -> Option<ReferenceKind> {
    u8::from(value_type)
        .checked_sub(u8::from(Type::String))
        .and_then(|number| target_of(MappingType::from(number)))
}

/// What the entries of a mapping table lead to.
pub fn target_of(mapping: MappingType) -> Option<ReferenceKind> {
    Some(match mapping {
        MappingType::String => ReferenceKind::String,
        MappingType::Attribute => ReferenceKind::Attribute,
        MappingType::Location => ReferenceKind::Location,
        MappingType::Region => ReferenceKind::Region,
        MappingType::Group => ReferenceKind::Group,
        MappingType::Metric => ReferenceKind::Metric,
        MappingType::Comm => ReferenceKind::Comm,
        MappingType::Parameter => ReferenceKind::Parameter,
        MappingType::RmaWin => ReferenceKind::RmaWin,
        MappingType::SourceCodeLocation => ReferenceKind::SourceCodeLocation,
        MappingType::CallingContext => ReferenceKind::CallingContext,
        MappingType::InterruptGenerator => ReferenceKind::InterruptGenerator,
        MappingType::IoFile => ReferenceKind::IoFile,
        MappingType::IoHandle => ReferenceKind::IoHandle,
        MappingType::LocationGroup => ReferenceKind::LocationGroup,
        MappingType::Unnamed(_) => return None,
    })
}

/// Whether a field may say that it leads nowhere. Strings may: names are not always known. Of the
/// others the format's description says so.
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
    }

    #[test]
    fn every_reference_type_leads_to_its_kind() {
        assert_eq!(reference_of(Type::Uint64), None);
        assert_eq!(reference_of(Type::Region), Some(ReferenceKind::Region));
        assert_eq!(reference_of(Type::LocationGroup), Some(ReferenceKind::LocationGroup));
        assert_eq!(reference_of(Type::Unnamed(99)), None);
    }
}
