//! Long traces, fine clocks, and events out of what clocks say: times for which double precision is not enough
//! along one line.

use streamfold::model::definitions::ClockProperties;

use crate::merge::made::{clock, visit, Trace};
use crate::merge::meaning::records;
use crate::merge::merged;
use crate::merge::times::{check, offsets, timed, Timed};

const DAY: u64 = 86_400;
const PICOSECONDS: u64 = 1_000_000_000_000;

/// A small one, whose clock is so fine.
fn fine() -> Timed {
    timed(1, clock(PICOSECONDS, 7, 4_000_000, u64::MAX), &[&[]])
}

fn merged_with_fine(other: Timed) {
    check(&[fine(), other], &[7, 7], PICOSECONDS, &["--align", "start"]);
}

#[test]
fn a_month_in_picoseconds() {
    let month = clock(999_999_937, 1 << 50, 30 * DAY * 999_999_937, u64::MAX);
    let at = |day: u64| month.global_offset + day * DAY * 999_999_937;
    // A clock that drifts by much, of which little is known, and one that was set back by hours.
    let drifting = [(at(0), 5), (at(0) + 1_000_003, 3_007)];
    let set_back = [(1, 0), (2, -3_600), (29, -18_000)];
    let set_back = set_back.map(|(day, seconds)| (at(day), seconds * 999_999_937));
    merged_with_fine(timed(2, month.clone(), &[&[], &drifting, &set_back]));
}

/// Of a clock that counts since long ago, as the clock offsets of the location say.
#[test]
fn ticks_since_long_ago() {
    let ticks = |seconds: u64| (1 << 62) + seconds * 3_333_333_333;
    let since = clock(3_333_333_333, 12_345, 5 * DAY * 3_333_333_333, u64::MAX);
    let offset = 200_000_000 - (1_i64 << 62);
    let far = [(ticks(5), offset), (ticks(5) + 1_000_003, offset + 7)];
    let times = [ticks(0), ticks(6), ticks(DAY) + 17, ticks(5 * DAY)];
    merged_with_fine(out_of_bounds(since, times, &far));
}

/// Years of seconds, of which each is many ticks now.
#[test]
fn coarse_ticks() {
    merged_with_fine(timed(2, clock(1, 1_700_000_000, 100 * DAY, u64::MAX), &[&[], &[]]));
    merged_with_fine(timed(2, clock(60, 5, 4_000, u64::MAX), &[&[], &[(8, 1), (3_000, -2)]]));
}

/// A trace of a process whose clock says that all was over long ago, or not begun.
fn out_of_bounds(clock: ClockProperties, times: [u64; 4], all: &[(u64, i64)]) -> Timed {
    let mut trace = Trace::job(2, &[0], "b");
    trace.clock = Some(clock.clone());
    let process = &mut trace.processes[0];
    let [first, second, third, last] = times;
    process.events = visit([first, second], 0);
    process.events.extend(visit([third, last], 0));
    process.offsets = offsets(all);
    Timed { clock, processes: trace.processes.clone(), made: trace.write() }
}

#[test]
fn events_that_are_out_of_the_declared_bounds() {
    let begin = 1_000 * DAY * 3_000_000_001;
    let seconds = |seconds: u64| begin + seconds * 3_000_000_001;
    for length in [0, 1, 5_000_000, 3_000_000_001] {
        let short = clock(3_000_000_001, begin, length, u64::MAX);
        let times = [seconds(0) + 1, seconds(1), seconds(50) + 7, seconds(20 * DAY)];
        merged_with_fine(out_of_bounds(short.clone(), times, &[]));
        let drift = [(seconds(0), 40), (seconds(0) + 900, 41)];
        merged_with_fine(out_of_bounds(short, times, &drift));
    }
    // Before the begin, though not before all time.
    let early = clock(1_000, 50_000, 1_000_000, u64::MAX);
    let times = [49_999, 50_100, 80_000, 1_300_000];
    let other = timed(1, clock(1_000_000, 90_000_000, 4_000_000, u64::MAX), &[&[]]);
    let early = out_of_bounds(early, times, &[(60_000, 7), (60_100, 8), (70_000, 3)]);
    check(&[other, early], &[90_000_000; 2], 1_000_000, &["--align", "start"]);
}

/// As few as it needs.
#[test]
fn most_need_two() {
    let day = timed(2, clock(1_000_000_000, 5, DAY * 1_000_000_000, u64::MAX), &[&[], &[(9, 9)]]);
    let count = |resolution: u64| {
        let fine = timed(1, clock(resolution, 7, 4_000_000, u64::MAX), &[&[]]);
        let place = merged(&[&fine.made.anchor, &day.made.anchor], &["--align", "start"]);
        let offsets = records(&place.anchor(), &["-C"]);
        let of = |location: u64| offsets.iter().filter(|it| it["location"] == location).count();
        [of(0), of(1), of(2)]
    };
    assert_eq!(count(2_600_000_013), [0, 2, 2]);
    // 86 313 600 000 000 000 ticks more, 2^51 along each line.
    assert_eq!(count(PICOSECONDS), [0, 38, 39]);
}
