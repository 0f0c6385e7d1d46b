//! Compares the times that readers find by clock offsets with exact arithmetic.

use proptest::prelude::*;
use streamfold_model::definitions::ClockProperties;

use super::super::nearest;
use super::*;

fn clock(timer_resolution: u64, global_offset: u64) -> ClockProperties {
    let (trace_length, realtime_timestamp) = (1_000, u64::MAX);
    ClockProperties { timer_resolution, global_offset, trace_length, realtime_timestamp }
}

fn offset(time: u64, offset: i64) -> ClockOffset {
    ClockOffset { time, offset, standard_deviation: 0.25 }
}

fn pairs(breaks: &Breaks) -> Vec<(u64, i64)> {
    breaks.offsets.iter().map(|offset| (offset.time, offset.offset)).collect()
}

/// Returns the reference library's corrections of ascending times: in its steps, in its types.
fn read(offsets: &[ClockOffset], times: &[u64]) -> Vec<u64> {
    let mut interval = 0;
    let mut correct = |time: u64| {
        while interval + 2 < offsets.len() && time > offsets[interval + 1].time {
            interval += 1;
        }
        let (from, to) = (&offsets[interval], &offsets[interval + 1]);
        let slope = (to.offset - from.offset) as f64 / (to.time - from.time) as f64;
        let distance = match time >= from.time {
            true => (time - from.time) as f64,
            false => -((from.time - time) as f64),
        };
        let moved = (slope * distance).round_ties_even();
        // An overflow gives another number there.
        assert!(moved.abs() < 9.3e18, "{moved}");
        time.wrapping_add(from.offset.checked_add(moved as i64).expect("it fits") as u64)
    };
    times.iter().map(|time| correct(*time)).collect()
}

/// Fails unless readers find what exact arithmetic says, to two ticks, in order, and to the tick at
/// each clock offset.
#[track_caller]
fn check(times: &Times, old: &[ClockOffset], events: &[u64]) -> Breaks {
    let (first, last) = (events[0], events[events.len() - 1]);
    let breaks = times.breaks(old, Some(first..=last));
    assert!(breaks.offsets.windows(2).all(|pair| pair[0].time < pair[1].time));
    if breaks.coarse {
        return breaks;
    }
    let at = breaks.offsets.iter().map(|offset| offset.time);
    let near = at.clone().flat_map(|time| [time.saturating_sub(1), time.saturating_add(1)]);
    let mut all: Vec<u64> = events.iter().copied().chain(at.clone()).chain(near).collect();
    all.retain(|time| (first..=last).contains(time));
    all.sort_unstable();
    all.dedup();
    let known: std::collections::BTreeSet<u64> = at.collect();
    let mut before = 0;
    for (time, read) in all.iter().zip(read(&breaks.offsets, &all)) {
        let exact = nearest(times.recorded(old, *time));
        let found = || format!("{times:?} {old:?} {breaks:?}: {time} is {read}, not {exact}");
        match known.contains(time) && !breaks.early && !breaks.late {
            true => assert_eq!(read, exact, "{}", found()),
            false if breaks.early || breaks.late => {}
            false => assert!(read.abs_diff(exact) <= 2, "{}", found()),
        }
        assert!(before <= read, "{}: after {before}", found());
        before = read;
    }
    breaks
}

#[test]
fn two_are_enough_for_most() {
    let times = Times::new(&clock(1_000_000, 1_000), 2_000_000, 2_600_000_013);
    let breaks = check(&times, &[], &[900, 1_500, 70_000, 86_400_000_000]);
    assert_eq!(breaks.offsets.len(), 2);
    assert_eq!((breaks.offsets[0].time, breaks.offsets[1].time), (900, 86_400_000_000));
    // One would be none.
    assert_eq!(pairs(&check(&times, &[], &[1_000])), [(1_000, 1_999_000), (1_001, 2_001_599)]);
    assert_eq!(times.breaks(&[], None), Breaks::default());
}

/// A month, of which a picosecond is a tick now. One line would be off by hundreds of ticks.
#[test]
fn long_ones_of_fine_clocks_need_more() {
    let month = 30 * 86_400 * 999_999_937;
    let times = Times::new(&clock(999_999_937, 0), 0, 1_000_000_000_000);
    let events: Vec<u64> = (0..10_000).map(|part| month / 10_000 * part + part).collect();
    let breaks = check(&times, &[], &events);
    // They add 2.6e18 ticks.
    assert_eq!(breaks.offsets.len(), 1_151);
    assert!(!breaks.coarse && !breaks.late);
    let ends = [breaks.offsets[0].clone(), breaks.offsets[breaks.offsets.len() - 1].clone()];
    let found = read(&ends, &events);
    let off = events.iter().zip(found);
    let off = off.map(|(time, read)| times.recorded(&[], *time).unwrap().abs_diff(read)).max();
    assert!(off > Some(100), "{off:?}");
}

#[test]
fn those_that_there_were_stay() {
    let times = Times::new(&clock(1_000, 100), 7, 1_000);
    let old = [offset(80, 5), offset(120, 6), offset(150, 6), offset(160, 9)];
    let moved = [(80, -88), (120, -87), (150, -87), (160, -84)];
    // A time before the first possible one is allowed if no event has it.
    let breaks = check(&times, &old, &[100, 125, 155]);
    assert_eq!((pairs(&breaks), breaks.early), (moved.to_vec(), false));
    assert_eq!(breaks.offsets[1].standard_deviation, 0.25);
    let breaks = check(&times, &old, &[110, 200]);
    assert_eq!(pairs(&breaks), [&moved[..], &[(200, -72)]].concat());
    assert_eq!(pairs(&times.breaks(&old, None)), moved);
}

#[test]
fn what_cannot_be_said_is_the_nearest_that_can() {
    for old in [vec![], vec![offset(1_000, -70), offset(90_000, 15)]] {
        let times = Times::new(&clock(1_000, 1_000), 300, 1_700);
        let events: Vec<u64> = (3..95_000).step_by(7).collect();
        let breaks = check(&times, &old, &events);
        assert!(breaks.early && !breaks.late);
        for (time, read) in events.iter().zip(read(&breaks.offsets, &events)) {
            assert!(nearest(times.recorded(&old, *time)).abs_diff(read) <= 2, "{time}");
        }
    }
    let late = u64::MAX - 5_000;
    let times = Times::new(&clock(1_000, 1_000), late, 1_700);
    let events: Vec<u64> = (1_000..9_000).collect();
    let breaks = check(&times, &[], &events);
    assert!(breaks.late && !breaks.early);
    // An offset cannot say that much.
    assert_eq!(breaks.offsets[0].offset, i64::MAX);
    let times = Times::new(&clock(1_000, 0), 1 << 60, 1_700);
    let events = [0, 1 << 50, 1 << 62, 1 << 63, (1 << 63) + 1, u64::MAX - 1, u64::MAX];
    let breaks = check(&times, &[], &events);
    assert!(breaks.late && !breaks.early && breaks.offsets.len() < 20_000);
    assert_eq!(read(&breaks.offsets, &events)[5..], [u64::MAX, u64::MAX]);
}

/// There are more ticks in one than there may be.
#[test]
fn too_steep_ones_are_told() {
    let times = Times::new(&clock(1, 0), 0, 1 << 53);
    assert!(check(&times, &[], &[0, 100]).coarse);
    let times = Times::new(&clock(1, 0), 0, 1 << 51);
    assert!(!check(&times, &[], &[0, 100]).coarse);
    // Up and down.
    let times = Times::new(&clock(1_000, 0), 1, 1_000);
    let far = |time: u64| if time.is_multiple_of(2) { 0 } else { i64::MAX / 4 };
    let old: Vec<_> = (0..100).map(|time| offset(time << 50, far(time))).collect();
    let breaks = times.breaks(&old, Some(0..=99 << 50));
    assert!(breaks.coarse && breaks.offsets.len() as u128 <= MOST + 100);
}

/// From small to large, each magnitude as often as others.
fn magnitude(most: u32) -> impl Strategy<Value = u64> {
    (0..most, any::<u64>()).prop_map(|(bits, number)| number >> (63 - bits))
}

fn clock_offsets() -> impl Strategy<Value = Vec<(u64, i64)>> {
    let offset = (magnitude(60), magnitude(45), any::<bool>());
    let offset = offset.prop_map(|(step, by, up)| {
        // A tick stays at least half of one.
        let step = step + 1;
        let by = by.min(step / 2) as i64;
        (step, if up { by } else { -by })
    });
    proptest::collection::vec(offset, 0..6)
}

/// All cases in ci/soak, a tenth of them in ci/test.
fn cases() -> u32 {
    match std::env::var("STREAMFOLD_TESTS") {
        Ok(value) if value == "full" => 3000,
        _ => 300,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn readers_find_what_exact_arithmetic_says(
        (old_resolution, finer) in (magnitude(40), magnitude(40)),
        (begin, to) in (magnitude(62), magnitude(62)),
        (first, steps) in (magnitude(61), proptest::collection::vec(magnitude(60), 1..40)),
        (from, old) in (magnitude(61), clock_offsets()),
    ) {
        let old_resolution = old_resolution.max(1);
        let times = Times::new(&clock(old_resolution, begin), to, old_resolution + finer);
        let mut at = (from, 0);
        let mut corrections = Vec::new();
        for (step, by) in old {
            at = (u64::saturating_add(at.0, step), at.1 + by);
            corrections.push(offset(at.0, at.1));
        }
        prop_assume!(corrections.windows(2).all(|pair| pair[0].time < pair[1].time));
        let mut events = vec![first];
        events.extend(steps.iter().scan(first, |time, step| {
            *time = u64::saturating_add(*time, *step);
            Some(*time)
        }));
        check(&times, &corrections, &events);
    }
}
