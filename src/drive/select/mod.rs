//! The plan of reading: locations of each rank.
//!
//! Every rank computes the same plan from the same weights, so nothing has to be agreed upon.

pub mod cutting;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use streamfold_collective::Communicator;
use streamfold_model::ids::{LocationGroupRef, LocationRef};

pub use cutting::{Cutting, Part, Parted};

/// A location that is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The location.
    pub location: LocationRef,
    /// The group that it belongs to.
    pub group: LocationGroupRef,
    /// How much work it is: the bytes of its event file.
    pub weight: u64,
    /// The rank that holds its events, see [`readers`]. `None`: any rank can read them.
    pub rank: Option<usize>,
}

/// The plan of reading: the shares of the ranks are disjoint and complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    ranks: Vec<Share>,
    parted: Vec<Parted>,
    cutting: Option<Cutting>,
}

/// The share of one rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// The locations that it reads as a whole, those with the most work first.
    pub locations: Vec<LocationRef>,
    /// The work that each of them is.
    pub weights: Vec<u64>,
    /// Parts of other locations, one of each.
    pub parts: Vec<Part>,
    /// The sum of all weights.
    pub weight: u64,
    /// How many location groups they belong to.
    pub groups: usize,
    /// How many of these other ranks read, too.
    pub shared_groups: usize,
}

impl Share {
    /// All locations of which it reads anything, once each.
    pub fn all(&self) -> Vec<LocationRef> {
        let parts = self.parts.iter().map(|part| part.location);
        let all: BTreeSet<_> = self.locations.iter().copied().chain(parts).collect();
        all.into_iter().collect()
    }
}

/// Groups stay together where the largest share stays below this part more than it has to be.
const TOLERANCE: f64 = 0.05;
/// The largest share has to become smaller by this part for more groups to be taken apart.
const GAIN: f64 = 0.01;

impl Plan {
    /// Distributes locations over ranks, at least 1.
    ///
    /// The heaviest units go first, each to the rank with the least work so far. A unit is a whole
    /// location group, as long as that keeps the balance; else the heaviest groups are taken
    /// apart, as few as needed. Locations that a rank holds stay there.
    pub fn new(candidates: &[Candidate], ranks: usize) -> Plan {
        let ranks = ranks.max(1);
        Plan::around(vec![Vec::new(); ranks], candidates, ranks)
    }

    /// The same, where locations that are much longer than the rest are read by several ranks and
    /// threads.
    pub fn in_pieces(candidates: &[Candidate], ranks: usize, cutting: Cutting) -> Plan {
        let ranks = ranks.max(1);
        let (parts, parted, rest) = cutting.spread(candidates, ranks);
        Plan { parted, cutting: Some(cutting), ..Plan::around(parts, &rest, ranks) }
    }

    /// Distributes locations over ranks that have to read these parts of others, too.
    fn around(parts: Vec<Vec<Part>>, candidates: &[Candidate], ranks: usize) -> Plan {
        let mut given: Vec<Given> =
            parts.into_iter().map(|parts| Given { parts, held: Vec::new() }).collect();
        let mut free = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            match candidate.rank.and_then(|rank| given.get_mut(rank)) {
                Some(given) => given.held.push(*candidate),
                None => free.push(*candidate),
            }
        }
        let loads: Vec<u64> = given.iter().map(Given::weight).collect();
        let all = loads.iter().copied().chain(free.iter().map(|c| c.weight));
        let share = all.map(u128::from).sum::<u128>().div_ceil(ranks as u128);
        let groups = Group::all(&free);
        let units = groups.iter().map(Group::heaviest);
        let heaviest = units.chain(loads).max().unwrap_or(0);
        // No plan has a smaller share than this.
        let bound = heaviest.max(u64::try_from(share).unwrap_or(u64::MAX));
        let mut best = Plan::with_units(&given, &groups, u64::MAX);
        let mut limit = bound;
        while best.largest() as f64 > bound as f64 * (1.0 + TOLERANCE) && limit > 0 {
            let plan = Plan::with_units(&given, &groups, limit);
            // If taking more groups apart gains nothing, they stay together.
            if (plan.largest() as f64) < best.largest() as f64 * (1.0 - GAIN) {
                best = plan;
            }
            if !groups.iter().any(|group| group.stays_together(limit)) {
                break;
            }
            limit /= 4;
        }
        best
    }

    fn largest(&self) -> u64 {
        self.ranks.iter().map(|share| share.weight).max().unwrap_or(0)
    }

    /// Takes groups apart that are heavier than a limit.
    fn with_units(given: &[Given], groups: &[Group], limit: u64) -> Plan {
        let mut units: Vec<(u64, &[Candidate])> = Vec::new();
        for group in groups {
            match group.weight > limit {
                true => units.extend(group.members.chunks(1).map(|unit| (unit[0].weight, unit))),
                false => units.push((group.weight, &group.members)),
            }
        }
        // Stable, and what it sorts is in the order of groups: the same on every rank.
        units.sort_by_key(|(weight, _)| Reverse(*weight));
        Plan { ranks: assign(given, units), parted: Vec::new(), cutting: None }
    }

    /// The shares of all ranks.
    pub fn shares(&self) -> &[Share] {
        &self.ranks
    }

    /// The locations that several ranks read, in an order that all of them know.
    pub fn parted(&self) -> &[Parted] {
        &self.parted
    }

    /// How the threads of a rank may cut what it reads; `None`: not at all.
    pub fn cutting(&self) -> Option<Cutting> {
        self.cutting
    }

    /// The share of this rank.
    pub fn share(&self, rank: usize) -> &Share {
        &self.ranks[rank]
    }
}

/// The reader of each file on so many ranks: the largest files go first, each to the rank with the fewest bytes so far.
pub fn readers(sizes: &[u64], ranks: usize) -> Vec<usize> {
    let mut largest: Vec<usize> = (0..sizes.len()).collect();
    largest.sort_by_key(|file| Reverse(sizes[*file]));
    let mut readers = vec![0; sizes.len()];
    let mut least: BinaryHeap<_> = (0..ranks.max(1)).map(|rank| Reverse((0u64, 0, rank))).collect();
    for file in largest {
        let Some(Reverse((bytes, files, rank))) = least.pop() else { break };
        least.push(Reverse((bytes.saturating_add(sizes[file]), files + 1, rank)));
        readers[file] = rank;
    }
    readers
}

/// The numbers of the files that this rank reads, in their order.
pub(super) fn own_files(sizes: &[u64], ranks: &dyn Communicator) -> Vec<usize> {
    let readers = readers(sizes, ranks.size()).into_iter().enumerate();
    readers.filter(|(_, reader)| *reader == ranks.rank()).map(|(file, _)| file).collect()
}

/// Work that a rank has before anything is distributed.
#[derive(Clone, Debug, Default)]
struct Given {
    parts: Vec<Part>,
    /// Locations that it holds.
    held: Vec<Candidate>,
}

impl Given {
    fn weight(&self) -> u64 {
        let parts = self.parts.iter().map(|part| part.weight);
        let held = self.held.iter().map(|candidate| candidate.weight);
        parts.chain(held).fold(0, u64::saturating_add)
    }
}

/// The locations of a group.
struct Group {
    members: Vec<Candidate>,
    weight: u64,
}

impl Group {
    /// In the order of their references.
    fn all(candidates: &[Candidate]) -> Vec<Group> {
        let mut groups: BTreeMap<LocationGroupRef, Vec<Candidate>> = BTreeMap::new();
        for candidate in candidates {
            groups.entry(candidate.group).or_default().push(*candidate);
        }
        let group = |members: Vec<Candidate>| {
            let weight = members.iter().fold(0u64, |sum, c| sum.saturating_add(c.weight));
            Group { members, weight }
        };
        groups.into_values().map(group).collect()
    }

    /// The weight of its heaviest member.
    fn heaviest(&self) -> u64 {
        self.members.iter().map(|c| c.weight).max().unwrap_or(0)
    }

    /// Tells whether a smaller limit could take it apart.
    fn stays_together(&self, limit: u64) -> bool {
        self.members.len() > 1 && self.weight > 0 && self.weight <= limit
    }
}

/// Gives each unit to the rank with the least work, the lower one where several have it. Work is
/// weight first; where that is equal, as for empty streams, the number of locations. `given` is
/// what ranks have to read besides.
fn assign(given: &[Given], units: Vec<(u64, &[Candidate])>) -> Vec<Share> {
    use std::collections::{HashMap, HashSet};
    let mut members: Vec<Vec<Candidate>> = given.iter().map(|given| given.held.clone()).collect();
    let mut weights: Vec<u64> = given.iter().map(Given::weight).collect();
    let work = |(rank, given): (usize, &Given)| {
        Reverse((weights[rank], given.parts.len() + given.held.len(), rank))
    };
    let mut least: BinaryHeap<_> = given.iter().enumerate().map(work).collect();
    for (weight, unit) in units {
        let Some(Reverse((load, count, rank))) = least.pop() else { break };
        least.push(Reverse((weight.saturating_add(load), count + unit.len(), rank)));
        weights[rank] = weight.saturating_add(load);
        members[rank].extend_from_slice(unit);
    }
    let mut readers: HashMap<LocationGroupRef, usize> = HashMap::new();
    let groups_of = |(members, given): (&Vec<Candidate>, &Given)| {
        members.iter().map(|c| c.group).chain(given.parts.iter().map(|part| part.group)).collect()
    };
    let groups: Vec<HashSet<LocationGroupRef>> = members.iter().zip(given).map(groups_of).collect();
    groups.iter().flatten().for_each(|group| *readers.entry(*group).or_default() += 1);
    let share = |(rank, mut members): (usize, Vec<Candidate>)| {
        members.sort_by_key(|c| (Reverse(c.weight), c.location));
        Share {
            locations: members.iter().map(|c| c.location).collect(),
            weights: members.iter().map(|c| c.weight).collect(),
            parts: given[rank].parts.clone(),
            weight: weights[rank],
            groups: groups[rank].len(),
            shared_groups: groups[rank].iter().filter(|group| readers[group] > 1).count(),
        }
    };
    members.into_iter().enumerate().map(share).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn candidates(weights: &[(u32, u64)]) -> Vec<Candidate> {
        let candidate = |(i, &(group, weight)): (usize, &(u32, u64))| Candidate {
            location: LocationRef(i as u64),
            group: LocationGroupRef(group),
            weight,
            rank: None,
        };
        weights.iter().enumerate().map(candidate).collect()
    }

    #[test]
    fn locations_stay_on_the_rank_that_holds_them() {
        let mut candidates = candidates(&[(0, 5), (0, 5), (1, 5), (2, 5), (3, 1)]);
        let ranks = [Some(1), Some(1), Some(1), None, None];
        candidates.iter_mut().zip(ranks).for_each(|(of, rank)| of.rank = rank);
        let plan = Plan::new(&candidates, 3);
        let shares: Vec<_> = plan.shares().iter().map(|share| share.all()).collect();
        let expected =
            [&[3][..], &[0, 1, 2], &[4]].map(|of| of.iter().copied().map(LocationRef).collect());
        assert_eq!(shares, expected.map(|of: Vec<_>| of));
        assert_eq!(plan.share(1).weight, 15);
    }

    #[test]
    fn large_files_are_read_first() {
        assert_eq!(readers(&[3, 9, 4, 0, 0], 3), [2, 0, 1, 2, 2]);
        assert_eq!(readers(&[3, 9], 1), [0, 0]);
        assert!(readers(&[], 2).is_empty());
    }

    #[test]
    fn groups_stay_together_where_that_keeps_the_balance() {
        let plan = Plan::new(&candidates(&[(0, 5), (1, 5), (0, 5), (1, 5)]), 2);
        assert_eq!(plan.share(0).locations, [0, 2].map(LocationRef));
        assert_eq!(plan.share(1).locations, [1, 3].map(LocationRef));
        assert_eq!(plan.share(0).shared_groups, 0);
    }

    #[test]
    fn a_group_too_heavy_for_one_rank_is_taken_apart() {
        let plan = Plan::new(&candidates(&[(0, 5), (0, 5), (0, 5), (0, 5)]), 2);
        assert_eq!(plan.share(0).weight, 10);
        assert_eq!(plan.share(1).weight, 10);
        assert_eq!(plan.share(0).shared_groups, 1);
    }

    /// Here a rank that reads much of a long location already sets the pace: no group has to be taken
    /// apart for the others.
    #[test]
    fn groups_stay_together_where_parts_are_heavier_than_any_share() {
        let part = |weight| Part {
            location: LocationRef(9),
            group: LocationGroupRef(9),
            range: 0..u64::MAX,
            weight,
            number: 0,
            of: 1,
        };
        let parts = vec![vec![part(100)], vec![], vec![]];
        let candidates = candidates(&[(0, 30), (0, 30), (1, 5), (1, 5)]);
        let plan = Plan::around(parts, &candidates, 3);
        let weights: Vec<_> = plan.shares().iter().map(|share| share.weight).collect();
        assert_eq!(weights, [100, 60, 10]);
        assert!(plan.shares().iter().all(|share| share.shared_groups == 0));
    }

    #[test]
    fn more_ranks_than_locations_leave_some_without() {
        let plan = Plan::new(&candidates(&[(0, 5), (1, 0)]), 3);
        assert_eq!(plan.shares().iter().filter(|s| s.locations.is_empty()).count(), 1);
    }

    proptest! {
        #[test]
        fn every_location_is_read_by_one_rank(
            weights in prop::collection::vec((0u32..6, 0u64..1000), 0..60),
            ranks in 1usize..12,
        ) {
            let candidates = candidates(&weights);
            let plan = Plan::new(&candidates, ranks);
            prop_assert_eq!(plan.shares().len(), ranks);
            let mut all: Vec<_> = plan.shares().iter().flat_map(|s| s.locations.clone()).collect();
            all.sort();
            prop_assert_eq!(all, candidates.iter().map(|c| c.location).collect::<Vec<_>>());
            let total: u64 = plan.shares().iter().map(|s| s.weight).sum();
            prop_assert_eq!(total, weights.iter().map(|w| w.1).sum::<u64>());
        }

        /// However far limits go down, no plan is other once all groups are taken apart.
        #[test]
        fn limits_go_down_no_further_than_there_is_something_to_take_apart(
            weights in prop::collection::vec((0u32..9, 0u64..1000), 0..60),
            ranks in 1usize..12,
        ) {
            let candidates = candidates(&weights);
            let groups = Group::all(&candidates);
            let given = vec![Given::default(); ranks];
            let heaviest = weights.iter().map(|w| w.1).max().unwrap_or(0);
            let total: u64 = weights.iter().map(|w| w.1).sum();
            let bound = heaviest.max(total.div_ceil(ranks as u64));
            let mut best = Plan::with_units(&given, &groups, u64::MAX);
            let mut limit = bound;
            while best.largest() as f64 > bound as f64 * (1.0 + TOLERANCE) && limit > 0 {
                let plan = Plan::with_units(&given, &groups, limit);
                if (plan.largest() as f64) < best.largest() as f64 * (1.0 - GAIN) {
                    best = plan;
                }
                limit /= 4;
            }
            prop_assert_eq!(Plan::new(&candidates, ranks), best);
        }

        #[test]
        fn no_share_is_larger_than_the_heaviest_unit_makes_it(
            weights in prop::collection::vec((0u32..6, 1u64..1000), 1..60),
            ranks in 1usize..12,
        ) {
            let candidates = candidates(&weights);
            let total: u64 = weights.iter().map(|w| w.1).sum();
            let heaviest = weights.iter().map(|w| w.1).max().unwrap();
            let largest = Plan::new(&candidates, ranks).shares().iter().map(|s| s.weight).max();
            // The bound of distributing the heaviest first, as a sum.
            prop_assert!(largest.unwrap() <= total.div_ceil(ranks as u64) + heaviest);
        }
    }
}
