//! Process and rank of a location, by its number.

use std::collections::BTreeMap;

use streamfold_model::ids::LocationRef;

/// The process of a location: tracers number processes in the lower half of a location's number,
/// and the threads of each in the upper half.
pub(super) fn process_of(location: LocationRef) -> u32 {
    location.0 as u32
}

/// Returns the most locations that are synthesised without an event file, if so many have one. Numbers that would need
/// more are something else.
pub(super) fn most_fileless(files: usize) -> u64 {
    16 * files as u64 + 1024
}

/// The first location of each process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Processes {
    first: BTreeMap<u32, LocationRef>,
}

impl Processes {
    /// Those of these locations.
    pub(super) fn new(locations: impl Iterator<Item = LocationRef>) -> Self {
        let mut first: BTreeMap<u32, LocationRef> = BTreeMap::new();
        for location in locations {
            let least = first.entry(process_of(location)).or_insert(location);
            *least = location.min(*least);
        }
        Processes { first }
    }

    /// Returns the locations of the ranks of a communicator with all processes, of which others name at least `needed`
    /// ranks. Some tracers know the ranks and number locations by them: then ranks without a location get one. Else
    /// ranks are in the order of numbers.
    pub(super) fn ranks(&self, needed: u64) -> Vec<LocationRef> {
        let last = self.first.keys().next_back().map_or(0, |last| u64::from(*last) + 1);
        let most = most_fileless(self.first.len());
        if last > most {
            return self.first.values().copied().collect();
        }
        let count = if needed > most { last } else { needed.max(last) };
        let of = |rank: u64| {
            let known = u32::try_from(rank).ok().and_then(|rank| self.first.get(&rank));
            known.copied().unwrap_or(LocationRef(rank))
        };
        (0..count).map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranks(locations: &[u64], needed: u64) -> Vec<u64> {
        let processes = Processes::new(locations.iter().copied().map(LocationRef));
        processes.ranks(needed).into_iter().map(|location| location.0).collect()
    }

    #[test]
    fn ranks_are_processes() {
        let second = 1 << 32;
        assert_eq!(ranks(&[second, 0, 1, second | 1], 0), [0, 1]);
        assert_eq!(process_of(LocationRef(second | 7)), 7);
        assert_eq!(ranks(&[], 0), [0; 0]);
    }

    #[test]
    fn ranks_that_others_name_have_a_location() {
        assert_eq!(ranks(&[0, 3], 2), [0, 1, 2, 3]);
        assert_eq!(ranks(&[1], 3), [0, 1, 2]);
        assert_eq!(ranks(&[0, 1], 1 << 31), [0, 1]);
    }

    #[test]
    fn numbers_that_are_spread_are_no_ranks() {
        assert_eq!(ranks(&[0, 536_870_911, 1_073_741_822], 3), [0, 536_870_911, 1_073_741_822]);
    }
}
