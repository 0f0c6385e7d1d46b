//! Mapping tables from a location's numbers to global ones.

use std::collections::BTreeMap;

use streamfold_model::values::IdMap;

/// The table that says so much as shortly as the reference library does; `None`: all numbers stay.
///
/// `numbers`: the numbers of one kind that mean something at the location, each once and ascending, and the
/// global ones. Those that are not among them stay as they are.
pub fn table(numbers: &[(u64, u64)]) -> Option<IdMap> {
    let others = || numbers.iter().filter(|(local, global)| local != global);
    let different = others().count();
    if different == 0 {
        return None;
    }
    // As an array, without gaps from 0 on; sparse where less than half of it says anything.
    let dense = numbers.iter().zip(0..).all(|((local, _), place)| *local == place);
    if dense && 2 * different >= numbers.len() {
        return Some(IdMap::Dense(numbers.iter().map(|(_, global)| *global).collect()));
    }
    Some(IdMap::Sparse(others().copied().collect()))
}

/// The numbers that a table gives to others, the later entry of a sparse one where a number stands
/// twice.
pub fn entries(map: &IdMap) -> BTreeMap<u64, u64> {
    match map {
        IdMap::Dense(globals) => (0..).zip(globals.iter().copied()).collect(),
        IdMap::Sparse(pairs) => pairs.iter().copied().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(u64, u64)]) -> Option<IdMap> {
        table(pairs)
    }

    #[test]
    fn tables_are_as_short_as_they_can_be() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[(0, 0), (1, 1), (9, 9)]), None);
        assert_eq!(of(&[(0, 1), (1, 0)]), Some(IdMap::Dense(vec![1, 0])));
        assert_eq!(of(&[(0, 0), (1, 1), (2, 5)]), Some(IdMap::Sparse(vec![(2, 5)])));
        assert_eq!(of(&[(0, 0), (1, 5)]), Some(IdMap::Dense(vec![0, 5])));
        assert_eq!(of(&[(4, 5), (9, 9)]), Some(IdMap::Sparse(vec![(4, 5)])));
    }

    #[test]
    fn entries_are_those_that_a_reader_would_find() {
        assert_eq!(entries(&IdMap::Dense(vec![7])), BTreeMap::from([(0, 7)]));
        let twice = IdMap::Sparse(vec![(3, 1), (3, 2)]);
        assert_eq!(entries(&twice), BTreeMap::from([(3, 2)]));
    }
}
