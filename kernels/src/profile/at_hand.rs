//! What a call path has at hand while events go by.

use streamfold_model::ids::RegionRef;

use super::tallies::Visited;
use super::tally::Visits;
use super::tree::{Finder, PathIndex};

/// The visits of a call path that ended, times in ticks, and where some regions lead to from there.
///
/// All of it lies in one line of the cache. The enter of a region looks at that of the path around it,
/// which the event before has most often looked at, too.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct AtHand {
    closed: u64,
    inclusive: u64,
    exclusive: u64,
    shortest: u64,
    longest: u64,
    /// Children that were found before, each in the place of its region.
    near: [Near; NEAR],
}

/// As many as there is room for.
const NEAR: usize = 3;

const _: () = assert!(size_of::<AtHand>() == 64);

/// Where a region leads to.
#[derive(Clone, Copy, Debug)]
struct Near {
    region: RegionRef,
    path: PathIndex,
}

impl Near {
    const fn nowhere(region: u32) -> Near {
        Near { region: RegionRef(region), path: PathIndex::ROOT }
    }

    /// The place of a region. Neighbours have different ones.
    #[inline(always)]
    const fn place(region: RegionRef) -> usize {
        const GOLDEN: u32 = 0x9E37_79B9;
        let hash = region.0.wrapping_mul(GOLDEN) as u64;
        ((hash * NEAR as u64) >> u32::BITS) as usize
    }
}

impl AtHand {
    /// No visits; and in no place is a region of that place.
    pub const NEW: AtHand = AtHand {
        closed: 0,
        inclusive: 0,
        exclusive: 0,
        shortest: u64::MAX,
        longest: 0,
        near: [Near::nowhere(1), Near::nowhere(0), Near::nowhere(0)],
    };

    /// The child of a region at this path, which the finder looks for where it is not at hand.
    #[inline(always)]
    pub fn child(
        &mut self,
        path: PathIndex,
        region: RegionRef,
        finder: &Finder<'_>,
    ) -> Option<PathIndex> {
        let near = &mut self.near[Near::place(region)];
        if near.region != region {
            *near = Near { region, path: find(finder, path, region)? };
        }
        Some(near.path)
    }

    /// A visit of this path ends.
    #[inline(always)]
    pub fn close(
        &mut self,
        path: PathIndex,
        inclusive: u64,
        exclusive: u64,
        visited: &mut Visited,
    ) {
        self.add_time(inclusive, exclusive);
        if self.is_new() {
            visited.add_first(path);
        }
        self.shortest = self.shortest.min(inclusive);
        self.longest = self.longest.max(inclusive);
        self.closed += 1;
    }

    /// A visit ends that is neither the shortest nor the longest: it began before the window of time.
    pub fn close_carried(&mut self, inclusive: u64, exclusive: u64) {
        self.add_time(inclusive, exclusive);
        self.closed += 1;
    }

    /// Whether none has ended so far.
    #[inline(always)]
    pub fn is_new(&self) -> bool {
        self.closed == 0
    }

    /// Visits take this time, too.
    #[inline(always)]
    pub fn add_time(&mut self, inclusive: u64, exclusive: u64) {
        self.inclusive += inclusive;
        self.exclusive += exclusive;
    }

    /// There are these visits, too.
    pub fn add(&mut self, visits: &Visits) {
        self.add_time(visits.inclusive, visits.exclusive);
        self.closed += visits.closed;
        self.shortest = self.shortest.min(visits.shortest);
        self.longest = self.longest.max(visits.longest);
    }

    /// The visits, and there are none then. Besides those that ended so many did not.
    pub fn take_visits(&mut self, unended: i64) -> Visits {
        let AtHand { closed, inclusive, exclusive, shortest, longest, near } = *self;
        *self = AtHand { near, ..AtHand::NEW };
        let visits = closed.wrapping_add_signed(unended);
        Visits { visits, closed, inclusive, exclusive, shortest, longest }
    }
}

/// Out of line, or what it needs would be taken from what is at hand.
#[cold]
#[inline(never)]
fn find(finder: &Finder<'_>, path: PathIndex, region: RegionRef) -> Option<PathIndex> {
    finder.find(path, region)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_no_place_of_a_new_path_is_a_region_of_that_place() {
        for (place, near) in AtHand::NEW.near.iter().enumerate() {
            assert_ne!(Near::place(near.region), place);
        }
    }

    #[test]
    fn every_region_has_a_place_and_neighbours_have_different_ones() {
        for region in (0..100_000).chain(u32::MAX - 100_000..u32::MAX) {
            let [here, next] = [region, region + 1].map(|region| Near::place(RegionRef(region)));
            assert!(here < NEAR && next < NEAR && here != next, "{region}");
        }
    }
}
