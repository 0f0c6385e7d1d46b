//! Cutting: locations that are much longer than the rest, and the ranks that read their parts.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroUsize;
use std::ops::Range;

use streamfold_model::ids::{LocationGroupRef, LocationRef};

use super::Candidate;

/// How locations may be cut. All sizes in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cutting {
    chunk: u64,
    least: u64,
    forced: bool,
}

/// A part of a location, which one rank reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Of which location.
    pub location: LocationRef,
    /// The group that it belongs to.
    pub group: LocationGroupRef,
    /// Byte range in its event file, in which its chunks begin. The last part ends with the file.
    pub range: Range<u64>,
    /// How much work it is, in bytes.
    pub weight: u64,
    /// The index of the part in its location, from 0.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

/// A location that several ranks read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parted {
    /// The location.
    pub location: LocationRef,
    /// The ranks that read its parts, in the order of these. The first one joins them.
    pub ranks: Vec<usize>,
}

/// Shorter pieces than this are not worth their files being opened once more.
const LEAST: u64 = 4 << 20;
/// And they have so many chunks at least.
const LEAST_CHUNKS: u64 = 2;
/// A location is cut where it is longer than a fair share by this part.
const LONGER: f64 = 0.25;
/// Pieces of a fair share, so that no worker waits long for the last one.
const OF_A_SHARE: u64 = 8;

impl Cutting {
    /// For files with chunks of this size in bytes.
    pub fn new(chunk: u64) -> Self {
        let chunk = chunk.max(1);
        let least = LEAST.max(chunk.saturating_mul(LEAST_CHUNKS));
        Cutting { chunk, least, forced: false }
    }

    /// All locations that are longer than this are cut, by threads and ranks alike, whether it is
    /// needed or not. Each piece is read for itself. It shows that nothing depends on the places of
    /// the cuts.
    pub fn forced(chunk: u64, bytes: u64) -> Self {
        Cutting { chunk: chunk.max(1), least: bytes.max(1), forced: true }
    }

    /// Tells whether each piece is read for itself, also where all before it was read.
    pub fn is_forced(self) -> bool {
        self.forced
    }

    /// Tells whether a location is much longer than a share.
    fn is_long(self, weight: u64, share: u64) -> bool {
        let much = (share as f64 * (1.0 + LONGER)) as u64;
        weight > self.least && (self.forced || weight > much.max(2 * self.least))
    }

    /// At least so much, and whole chunks.
    fn rounded(self, size: u64) -> u64 {
        size.max(self.least).max(self.chunk).div_ceil(self.chunk).saturating_mul(self.chunk)
    }

    /// The pieces in which workers of one rank read something of this weight, and about how heavy
    /// each of them is; a single one where it is not cut. `share` is what each worker has to do.
    pub fn pieces(
        self,
        range: &Range<u64>,
        weight: u64,
        share: u64,
        workers: NonZeroUsize,
    ) -> (Vec<Range<u64>>, u64) {
        let alone = workers.get() == 1 && !self.forced;
        if alone || !self.is_long(weight, share) {
            return (vec![range.clone()], weight);
        }
        let size = match self.forced {
            true => self.rounded(0),
            false => self.rounded(share / OF_A_SHARE),
        };
        let begins = (0..weight.div_ceil(size)).map(|i| range.start + i * size);
        let mut pieces: Vec<_> = begins.map(|begin| begin..begin + size).collect();
        if let Some(last) = pieces.last_mut() {
            last.end = range.end;
        }
        (pieces, size)
    }

    /// Gives parts of the locations that are too long for one rank to several, one rank after the
    /// other. Returns what each rank has to read of them, and the other locations.
    pub fn spread(
        self,
        candidates: &[Candidate],
        ranks: usize,
    ) -> (Vec<Vec<Part>>, Vec<Parted>, Vec<Candidate>) {
        let total: u128 = candidates.iter().map(|c| u128::from(c.weight)).sum();
        let share = u64::try_from(total.div_ceil(ranks as u128)).unwrap_or(u64::MAX);
        let is_long = |c: &Candidate| ranks > 1 && self.is_long(c.weight, share);
        let (mut long, rest): (Vec<Candidate>, Vec<_>) =
            candidates.iter().partition(|c| is_long(c));
        long.sort_by_key(|c| (Reverse(c.weight), c.location));
        let mut spread = Spread::new(self, ranks, share);
        let mut of_ranks = vec![Vec::new(); ranks];
        let mut parted = Vec::new();
        for candidate in &long {
            let parts = spread.parts(candidate);
            parted.push(Parted {
                location: candidate.location,
                ranks: parts.iter().map(|(rank, _)| *rank).collect(),
            });
            parts.into_iter().for_each(|(rank, part)| of_ranks[rank].push(part));
        }
        (of_ranks, parted, rest)
    }
}

/// How much each rank can still take.
struct Spread {
    cutting: Cutting,
    ranks: usize,
    /// The rank with the most room first, the lower one where several have it.
    room: BinaryHeap<(u64, Reverse<usize>)>,
    /// The rank at which the next location begins that is cut for no need.
    turn: usize,
}

impl Spread {
    fn new(cutting: Cutting, ranks: usize, share: u64) -> Self {
        let room = (0..ranks).map(|rank| (share, Reverse(rank))).collect();
        Spread { cutting, ranks, room, turn: 0 }
    }

    /// Returns the parts of a location, with the ranks that read them. They lie on different ranks.
    fn parts(&mut self, candidate: &Candidate) -> Vec<(usize, Part)> {
        match self.cutting.forced {
            true => self.equal_parts(candidate),
            false => self.parts_with_room(candidate),
        }
    }

    /// The same for all ranks, which take turns at beginning.
    fn equal_parts(&mut self, candidate: &Candidate) -> Vec<(usize, Part)> {
        let ranks = self.ranks;
        let equal = candidate.weight.div_ceil(ranks as u64);
        let order = (0..ranks).map(|i| (self.turn + i) % ranks);
        let parts = self.cut(candidate, order.map(|rank| (rank, equal)));
        self.turn = (self.turn + 1) % ranks;
        parts
    }

    /// As much as each has room for, those with the most room first.
    fn parts_with_room(&mut self, candidate: &Candidate) -> Vec<(usize, Part)> {
        // No rank gets a second part, so a rank that has one is out of the way until the end.
        let mut room = std::mem::take(&mut self.room);
        let mut taken = Vec::new();
        let order = std::iter::from_fn(|| {
            let (room, Reverse(rank)) = room.pop()?;
            taken.push((room, rank));
            Some((rank, room))
        });
        let parts = self.cut(candidate, order);
        let left = taken
            .into_iter()
            .zip(&parts)
            .map(|((room, rank), (_, part))| (room.saturating_sub(part.weight), Reverse(rank)));
        room.extend(left);
        self.room = room;
        parts
    }

    /// Cuts a location for these ranks, of about these sizes. The last one of all ranks gets what is
    /// left.
    fn cut(
        &self,
        candidate: &Candidate,
        order: impl Iterator<Item = (usize, u64)>,
    ) -> Vec<(usize, Part)> {
        let mut parts = Vec::new();
        let mut begin = 0;
        for (rank, size) in order {
            let left = candidate.weight - begin;
            let is_last = parts.len() + 1 == self.ranks;
            let size = self.cutting.rounded(size);
            let size = match left.checked_sub(size) {
                Some(more) if more >= self.cutting.least && !is_last => size,
                _ => left,
            };
            parts.push((rank, begin..begin + size));
            begin += size;
            if begin == candidate.weight {
                break;
            }
        }
        if let Some((_, last)) = parts.last_mut() {
            last.end = u64::MAX;
        }
        named(candidate, parts)
    }
}

fn named(candidate: &Candidate, parts: Vec<(usize, Range<u64>)>) -> Vec<(usize, Part)> {
    let of = parts.len();
    let part = |(number, (rank, range)): (usize, (usize, Range<u64>))| {
        let Candidate { location, group, weight, .. } = *candidate;
        let weight = weight.min(range.end) - range.start;
        (rank, Part { location, group, range, weight, number, of })
    };
    parts.into_iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn candidate(location: u64, weight: u64) -> Candidate {
        Candidate {
            location: LocationRef(location),
            group: LocationGroupRef(0),
            weight,
            rank: None,
        }
    }

    const MIB: u64 = 1 << 20;

    #[test]
    fn a_location_of_nine_tenths_is_read_by_both_ranks() {
        let candidates = [candidate(0, 900 * MIB), candidate(1, 50 * MIB), candidate(2, 50 * MIB)];
        let (parts, parted, rest) = Cutting::new(MIB).spread(&candidates, 2);
        assert_eq!(parted, [Parted { location: LocationRef(0), ranks: vec![0, 1] }]);
        assert_eq!(rest, candidates[1..]);
        assert_eq!((parts[0][0].range.clone(), parts[0][0].weight), (0..500 * MIB, 500 * MIB));
        assert_eq!(parts[1][0].range, 500 * MIB..u64::MAX);
        assert_eq!((parts[1][0].weight, parts[1][0].number, parts[1][0].of), (400 * MIB, 1, 2));
    }

    #[test]
    fn locations_of_a_fair_share_stay_whole() {
        let candidates = [candidate(0, 500 * MIB), candidate(1, 600 * MIB)];
        let (parts, parted, rest) = Cutting::new(MIB).spread(&candidates, 2);
        assert_eq!((parts, parted, rest.len()), (vec![vec![], vec![]], vec![], 2));
        let two = NonZeroUsize::new(2).unwrap();
        let whole = 0..u64::MAX;
        let (pieces, weight) = Cutting::new(MIB).pieces(&whole, 600 * MIB, 550 * MIB, two);
        assert_eq!((pieces, weight), (vec![whole], 600 * MIB));
    }

    #[test]
    fn short_locations_stay_whole_however_many_workers_there_are() {
        let many = NonZeroUsize::new(64).unwrap();
        let (pieces, _) = Cutting::new(MIB).pieces(&(0..u64::MAX), 8 * MIB, MIB / 8, many);
        assert_eq!(pieces.len(), 1);
        let (pieces, _) = Cutting::new(MIB).pieces(&(0..u64::MAX), 9 * MIB, MIB / 8, many);
        assert_eq!(pieces, [0..4 * MIB, 4 * MIB..8 * MIB, 8 * MIB..u64::MAX]);
    }

    /// They follow each other from the begin to the end, at chunks.
    fn expect_complete(ranges: &[Range<u64>], whole: &Range<u64>, chunk: u64) {
        assert_eq!(ranges.first().map(|range| range.start), Some(whole.start));
        assert_eq!(ranges.last().map(|range| range.end), Some(whole.end));
        for pair in ranges.windows(2) {
            assert_eq!((pair[0].end, pair[1].start % chunk), (pair[1].start, 0));
            assert!(pair[0].start < pair[0].end);
        }
    }

    /// Returns the parts of each long location by rank, with all ranks sorted by their room each
    /// time.
    fn sorted_each_time(
        cutting: Cutting,
        long: &[Candidate],
        share: u64,
        ranks: usize,
    ) -> Vec<Vec<(usize, Range<u64>)>> {
        let mut room = vec![share; ranks];
        let mut parts_of = |(turn, candidate): (usize, &Candidate)| {
            let mut order: Vec<usize> = (0..ranks).collect();
            match cutting.forced {
                true => order.rotate_left(turn % ranks),
                false => order.sort_by_key(|rank| Reverse(room[*rank])),
            }
            let equal = candidate.weight.div_ceil(ranks as u64);
            let (mut parts, mut begin) = (Vec::new(), 0);
            for (i, &rank) in order.iter().enumerate() {
                let left = candidate.weight - begin;
                let size = cutting.rounded(if cutting.forced { equal } else { room[rank] });
                let goes_on = left >= size && left - size >= cutting.least && i + 1 < ranks;
                let size = if goes_on { size } else { left };
                room[rank] = room[rank].saturating_sub(size);
                parts.push((rank, begin..if goes_on { begin + size } else { u64::MAX }));
                begin += size;
                if !goes_on {
                    break;
                }
            }
            parts
        };
        long.iter().enumerate().map(|(turn, candidate)| parts_of((turn, candidate))).collect()
    }

    proptest! {
        #[test]
        fn ranks_with_the_most_room_come_first(
            weights in prop::collection::vec(1u64..4000, 1..30),
            share in 0u64..2000,
            unit in prop_oneof![Just(1u64), Just(MIB)],
            ranks in 1usize..40,
            forced in prop::option::of(1u64..100),
        ) {
            let cutting = match forced {
                Some(bytes) => Cutting::forced(16.min(unit), bytes * unit),
                None => Cutting::new(16.min(unit)),
            };
            let long: Vec<_> =
                weights.iter().zip(0..).map(|(w, i)| candidate(i, w * unit)).collect();
            let mut spread = Spread::new(cutting, ranks, share * unit);
            let ranges = |candidate| {
                let parts = spread.parts(candidate).into_iter();
                parts.map(|(rank, part)| (rank, part.range)).collect::<Vec<_>>()
            };
            let found: Vec<_> = long.iter().map(ranges).collect();
            prop_assert_eq!(found, sorted_each_time(cutting, &long, share * unit, ranks));
        }

        #[test]
        fn parts_and_pieces_are_disjoint_and_complete(
            weights in prop::collection::vec(0u64..200, 0..20),
            unit in prop_oneof![Just(1u64), Just(MIB)],
            ranks in 1usize..7,
            workers in 1usize..7,
            forced in prop::option::of(1u64..100),
        ) {
            let candidates: Vec<_> =
                weights.iter().zip(0..).map(|(w, i)| candidate(i, w * w * unit)).collect();
            let chunk = 16.min(unit);
            let cutting = match forced {
                Some(bytes) => Cutting::forced(chunk, bytes * unit),
                None => Cutting::new(chunk),
            };
            let (parts, parted, rest) = cutting.spread(&candidates, ranks);
            prop_assert_eq!(parts.len(), ranks);
            let count: usize = parted.iter().map(|parted| parted.ranks.len()).sum();
            prop_assert_eq!(parts.iter().flatten().count(), count);
            let mut all: Vec<_> = rest.iter().map(|c| (c.location, c.weight)).collect();
            for Parted { location, ranks } in &parted {
                let own = |rank: &usize| parts[*rank].iter().find(|p| p.location == *location);
                let own: Vec<&Part> = ranks.iter().filter_map(own).collect();
                prop_assert!(own.iter().enumerate().all(|(i, p)| (p.number, p.of) == (i, ranks.len())));
                let ranges: Vec<_> = own.iter().map(|part| part.range.clone()).collect();
                expect_complete(&ranges, &(0..u64::MAX), chunk);
                all.push((*location, own.iter().map(|part| part.weight).sum()));
                for part in own {
                    let workers = NonZeroUsize::new(workers).unwrap();
                    let (pieces, _) = cutting.pieces(&part.range, part.weight, part.weight / 9, workers);
                    expect_complete(&pieces, &part.range, chunk);
                }
            }
            all.sort();
            prop_assert_eq!(all, candidates.iter().map(|c| (c.location, c.weight)).collect::<Vec<_>>());
        }

        #[test]
        fn one_long_location_leaves_no_rank_much_more_than_its_share(
            long in 200u64..4000,
            short in prop::collection::vec(1u64..20, 0..40),
            ranks in 2usize..20,
        ) {
            let mut candidates = vec![candidate(0, long * MIB)];
            candidates.extend(short.iter().zip(1..).map(|(w, i)| candidate(i, w * MIB)));
            let plan = super::super::Plan::in_pieces(&candidates, ranks, Cutting::new(MIB));
            let total: u64 = candidates.iter().map(|c| c.weight).sum();
            let share = total.div_ceil(ranks as u64);
            let largest = plan.shares().iter().map(|s| s.weight).max().unwrap();
            prop_assert!(largest <= (share as f64 * 1.25) as u64 + 20 * MIB, "{largest} of {share}");
        }
    }
}
