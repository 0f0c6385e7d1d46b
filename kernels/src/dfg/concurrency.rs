//! How many events of an activity were under way at a time: the two definitions of the method.

use serde::{Deserialize, Serialize};

/// Begin and end of an event, in ticks.
pub type Interval = (i64, i64);

/// The most events of an activity that were under way at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Concurrency {
    /// As the method's paper words it: the most events that follow on each other, the first of which ends behind the
    /// begin of the last. One long event followed by many short ones counts all of them.
    pub window: u64,
    /// At any time. Events without duration count at their own time, as one.
    pub overlap: u64,
}

/// Of these events, which are put in order.
pub fn concurrency(intervals: &mut [Interval]) -> Concurrency {
    // Those of one case are in order already.
    intervals.sort();
    let mut window = 0;
    for (number, (_, end)) in intervals.iter().enumerate() {
        let behind = &intervals[number..];
        window = window.max(begun_before(behind, *end).max(1));
    }
    let mut ends: Vec<i64> =
        intervals.iter().filter(|(start, end)| start < end).map(|(_, end)| *end).collect();
    ends.sort_unstable();
    let (mut overlap, mut under_way, mut ended) = (0, 0, 0);
    for at_one_time in intervals.chunk_by(|one, other| one.0 == other.0) {
        let now = at_one_time[0].0;
        let lasting = at_one_time.iter().filter(|(start, end)| start < end).count();
        under_way += lasting;
        while ends.get(ended).is_some_and(|end| *end <= now) {
            ended += 1;
        }
        let is_any_without = lasting < at_one_time.len();
        overlap = overlap.max(under_way - ended + usize::from(is_any_without));
    }
    Concurrency { window: window as u64, overlap: overlap as u64 }
}

/// How many of these, by their begins, begin before a time. Mostly few do: the search begins at the first.
fn begun_before(intervals: &[Interval], time: i64) -> usize {
    let mut reach = 1;
    while reach < intervals.len() && intervals[reach].0 < time {
        reach *= 2;
    }
    let from = reach / 2;
    let to = reach.min(intervals.len());
    from + intervals[from..to].partition_point(|(start, _)| *start < time)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the notes on the method, and each of them against counting.
    #[test]
    fn definitions() {
        let cases: &[(&[Interval], u64, u64)] = &[
            (&[(0, 10), (1, 2), (3, 4), (9, 12), (12, 15)], 4, 2),
            (&[(0, 5), (5, 9)], 1, 1),
            (&[(5, 6), (5, 7)], 2, 2),
            (&[(5, 5), (5, 7)], 1, 2),
            (&[(5, 5), (5, 5)], 1, 1),
            (&[(0, 10), (4, 4)], 2, 2),
            (&[], 0, 0),
        ];
        for (intervals, window, overlap) in cases {
            let found = concurrency(&mut intervals.to_vec());
            assert_eq!((found.window, found.overlap), (*window, *overlap), "{intervals:?}");
        }
        let mut state = 7u64;
        for _ in 0..500 {
            let mut random = |most: u64| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) % most
            };
            let count = random(12);
            let mut intervals: Vec<Interval> = (0..count)
                .map(|_| {
                    let start = random(20) as i64;
                    (start, start + random(9) as i64)
                })
                .collect();
            assert_eq!(concurrency(&mut intervals), counted(&intervals), "{intervals:?}");
        }
    }

    fn counted(sorted: &[Interval]) -> Concurrency {
        let mut found = Concurrency::default();
        for (number, (now, end)) in sorted.iter().enumerate() {
            let later = sorted[number + 1..].iter().filter(|(start, _)| start < end).count();
            found.window = found.window.max(1 + later as u64);
            let under_way = sorted.iter().filter(|(start, end)| start <= now && now < end).count();
            let without = sorted.iter().any(|(start, end)| start == now && end == now);
            found.overlap = found.overlap.max(under_way as u64 + u64::from(without));
        }
        found
    }
}
