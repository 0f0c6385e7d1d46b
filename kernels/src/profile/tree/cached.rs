//! Counters of the current location on a call path, and a small cache of its children (two cache lines).

use std::hint::select_unpredictable;

use streamfold_model::calls::Call;
use streamfold_model::ids::RegionRef;

use super::{Finder, PathIndex};
use crate::profile::result::tally::Visits;

/// The visits of a call path that ended, times in ticks, and where enters and leaves lead to from there: two lines of
/// the cache.
///
/// A leave leads to the path around it in the tree, which is also the one around it on any stack.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct CachedPath {
    /// Enters that were looked for before, each in the place of its region, and the leave of the region that this path
    /// ends with. That lies in the same line of the cache as the visits that it ends: a path in which nothing is entered
    /// needs one line alone.
    ways: [Way; NEAR + 1],
    // Sums and extremes in turn: two sums side by side would be added at once, which takes more instructions.
    closed: u64,
    shortest: u64,
    inclusive: u64,
    longest: u64,
    exclusive: u64,
}

/// Number of enters that there is room for.
const NEAR: usize = 1 << NEAR_BITS;
const NEAR_BITS: u32 = 3;
/// In the place of the leave.
const BACK: usize = NEAR;

const _: () = assert!(size_of::<CachedPath>() == 128 && BACK * size_of::<Way>() == 64);

/// The path to which the enter or leave of a region leads: in one number, which is moved at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way(u64);

impl Way {
    /// By a region to a path.
    pub(crate) const fn new(region: RegionRef, path: PathIndex) -> Way {
        Way((path.0 as u64) << u32::BITS | region.0 as u64)
    }

    /// The region that is entered or left.
    #[inline(always)]
    pub(crate) const fn region(self) -> RegionRef {
        RegionRef(self.0 as u32)
    }

    /// Returns the path that the way leads to.
    #[inline(always)]
    pub(crate) const fn path(self) -> PathIndex {
        PathIndex((self.0 >> u32::BITS) as u32)
    }

    /// The place of the enter of a region among the ways. Neighbours have different ones.
    #[inline(always)]
    const fn place(region: RegionRef) -> usize {
        const GOLDEN: u32 = 0x9E37_79B9;
        (region.0.wrapping_mul(GOLDEN) >> (u32::BITS - NEAR_BITS)) as usize
    }
}

impl CachedPath {
    /// Counters of no path, for visits that are discarded. There is one visit already, so that none is the first.
    pub(crate) const SCRAP: CachedPath = CachedPath { closed: 1, ..CachedPath::WITHOUT_WAYS };

    const WITHOUT_WAYS: CachedPath = CachedPath {
        ways: [Way(0); NEAR + 1],
        closed: 0,
        inclusive: 0,
        exclusive: 0,
        shortest: u64::MAX,
        longest: 0,
    };

    /// No visits of a path whose leave leads this way.
    pub(crate) fn new(back: Way) -> CachedPath {
        // In no place is a region of that place.
        let mut ways = [Way::new(RegionRef(0), PathIndex::ROOT); NEAR + 1];
        ways[Way::place(RegionRef(0))] = Way::new(RegionRef(1), PathIndex::ROOT);
        ways[BACK] = back;
        CachedPath { ways, ..CachedPath::WITHOUT_WAYS }
    }

    /// Returns the way of this path's leave.
    pub(crate) fn back(&self) -> Way {
        self.ways[BACK]
    }

    /// Returns the way of an enter or leave, if it is cached: else this is the way of another region.
    ///
    /// Enters and leaves follow each other in any order, so nothing here is decided by a branch.
    #[inline(always)]
    pub(crate) fn way(&self, call: Call) -> Way {
        self.ways[select_unpredictable(call.is_leave(), BACK, Way::place(call.region()))]
    }

    /// Looks up the way of an enter that was not cached, and caches it.
    ///
    /// Out of line, so that it takes no registers from the hot loop.
    #[cold]
    #[inline(never)]
    pub(crate) fn look_for(
        &mut self,
        path: PathIndex,
        call: Call,
        finder: &Finder<'_>,
    ) -> Option<Way> {
        let Call::Enter(region) = call else { return None };
        let way = Way::new(region, finder.find(path, region)?);
        self.ways[Way::place(region)] = way;
        Some(way)
    }

    /// A visit of this path ends. Returns how many had ended before.
    #[inline(always)]
    pub(crate) fn close(&mut self, inclusive: u64, exclusive: u64) -> u64 {
        let before = self.closed;
        self.closed += 1;
        // Sums that are discarded may wrap around.
        self.inclusive = self.inclusive.wrapping_add(inclusive);
        self.exclusive = self.exclusive.wrapping_add(exclusive);
        self.shortest = self.shortest.min(inclusive);
        self.longest = self.longest.max(inclusive);
        before
    }

    /// A visit ends that is neither the shortest nor the longest: it began before the window of time.
    pub(crate) fn close_carried(&mut self, inclusive: u64, exclusive: u64) {
        self.add_time(inclusive, exclusive);
        self.closed += 1;
    }

    /// How many visits have ended so far.
    #[inline(always)]
    pub(crate) fn closed(&self) -> u64 {
        self.closed
    }

    /// Visits take this time, too.
    #[inline(always)]
    pub(crate) fn add_time(&mut self, inclusive: u64, exclusive: u64) {
        self.inclusive += inclusive;
        self.exclusive += exclusive;
    }

    /// The inclusive time of the visits that ended, in ticks.
    pub(crate) fn inclusive(&self) -> u64 {
        self.inclusive
    }

    /// Number of ticks of the exclusive time that are those of others.
    pub(crate) fn take_exclusive(&mut self, ticks: u64) {
        self.exclusive = self.exclusive.saturating_sub(ticks);
    }

    /// There are these visits, too.
    pub(crate) fn add(&mut self, visits: &Visits) {
        self.add_time(visits.inclusive, visits.exclusive);
        self.closed += visits.closed;
        self.shortest = self.shortest.min(visits.shortest);
        self.longest = self.longest.max(visits.longest);
    }

    /// The visits, and there are none then. Besides those that ended so many did not.
    pub(crate) fn take_visits(&mut self, unended: i64) -> Visits {
        let CachedPath { ways, closed, inclusive, exclusive, shortest, longest } = *self;
        *self = CachedPath { ways, ..CachedPath::WITHOUT_WAYS };
        let visits = closed.wrapping_add_signed(unended);
        Visits { visits, closed, inclusive, exclusive, shortest, longest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_no_place_of_a_new_path_is_a_region_of_that_place() {
        let path = CachedPath::new(Way::new(RegionRef(7), PathIndex::ROOT));
        for (place, way) in path.ways[..NEAR].iter().enumerate() {
            assert_ne!(Way::place(way.region()), place);
        }
    }

    #[test]
    fn every_region_has_a_place_and_neighbours_have_different_ones() {
        for region in (0..100_000).chain(u32::MAX - 100_000..u32::MAX) {
            let [here, next] = [region, region + 1].map(|region| Way::place(RegionRef(region)));
            assert!(here < NEAR && here != next, "{region}");
        }
    }

    #[test]
    fn a_way_is_what_it_is_made_of() {
        let way = Way::new(RegionRef(u32::MAX - 1), PathIndex(u32::MAX - 2));
        assert_eq!((way.region(), way.path()), (RegionRef(u32::MAX - 1), PathIndex(u32::MAX - 2)));
    }
}
