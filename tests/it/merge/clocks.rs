//! What becomes of the clocks: which archive begins when, and what says so.

use serde_json::{json, Value};
use streamfold::model::definitions::Definition;

use crate::common::archives::{data, one};
use crate::common::program::said;
use crate::merge::made::{clock, Made, Trace, UNKNOWN};
use crate::merge::meaning::{of_kind, records};
use crate::merge::{expect, expect_message, merged, Place};

const REAL: u64 = 1_700_000_000_000_000_000;

/// A job whose clock is this; its events are 1000 ticks after the begin and before the end.
fn made(identifier: u64, resolution: u64, begin: u64, length: u64, realtime: u64) -> Made {
    let mut trace = Trace::job(identifier, &[0], "a");
    trace.clock = Some(clock(resolution, begin, length, realtime));
    trace.processes[0].events.drain(1..3);
    trace.processes[0].events[0].0 = begin + 1_000;
    trace.processes[0].events[1].0 = begin + length - 1_000;
    trace.write()
}

fn clock_of(place: &Place) -> Value {
    let clocks = of_kind(&place.anchor(), "ClockProperties");
    let [clock] = &clocks[..] else { panic!("{clocks:?}") };
    let mut clock = clock.clone();
    clock.as_object_mut().expect("an object").remove("record");
    clock
}

fn properties(resolution: u64, begin: u64, length: u64, realtime: u64) -> Value {
    json!({
        "timer_resolution": resolution,
        "global_offset": begin,
        "trace_length": length,
        "realtime_timestamp": realtime,
    })
}

/// The times of the events of each location.
fn times(place: &Place) -> Vec<[u64; 2]> {
    let mut all = std::collections::BTreeMap::<u64, Vec<u64>>::new();
    for event in records(&place.anchor(), &[]) {
        let number = |field: &str| event[field].as_u64().expect("a number");
        all.entry(number("location")).or_default().push(number("time"));
    }
    all.into_values().map(|times| times.try_into().expect("an enter and a leave")).collect()
}

const WAYS: [&[&str]; 2] = [&[], &["--rewrite-events"]];

/// Merges with these options, in both ways, and compares clocks, times and what is told.
#[track_caller]
fn check(traces: &[&Made], align: &[&str], expected: &Value, at: &[[u64; 2]], told: &str) {
    for way in WAYS {
        let place = Place::new();
        let ended = place.merge(traces, &[align, way].concat());
        expect_message(&ended, 0, &[told]);
        assert_eq!(clock_of(&place), *expected, "{align:?} {way:?}");
        assert_eq!(times(&place), at, "{align:?} {way:?}");
    }
}

#[test]
fn real_time_says_which_began_when() {
    // A second after the begin of its clock; half a second later; a quarter of a second before.
    let a = made(1, 1_000_000, 1_000_000, 2_000_000, REAL);
    let b = made(2, 1_000_000_000, 77, 3_000_000_000, REAL + 500_000_000);
    let c = made(3, 1_000, 500_000, 10_000, REAL - 250_000_000);
    let expected = properties(1_000_000_000, 750_000_000, 10_000_000_000, REAL - 250_000_000);
    let at = [
        [1_001_000_000, 2_999_000_000],
        [1_500_001_000, 4_499_999_000],
        [1_750_000_000, 9_750_000_000],
    ];
    for align in [&[][..], &["--align", "realtime"]] {
        check(&[&a, &b, &c], align, &expected, &at, "real time");
    }
    // Another one is the first, and keeps its times.
    let expected = properties(1_000_000_000, 77, 3_000_000_000, REAL + 500_000_000);
    check(&[&b], &[], &expected, &[[1_077, 2_999_999_077]], "real time");
}

/// The first one would have to begin so early that others began before 0.
#[test]
fn no_time_is_negative() {
    let a = made(1, 1_000_000_000, 77, 3_000_000, REAL + 500_000_000);
    let b = made(2, 1_000_000_000, 5, 3_000_000, REAL);
    let expected = properties(1_000_000_000, 0, 503_000_000, REAL);
    let at = [[500_001_000, 502_999_000], [1_000, 2_999_000]];
    check(&[&a, &b], &[], &expected, &at, "real time");
}

#[test]
fn by_their_starts_all_begin_with_the_first() {
    let a = made(1, 1_000_000, 1_000, 2_000_000, REAL);
    let b = made(2, 2_000_000, 7_000_000, 3_000_000, UNKNOWN);
    let expected = properties(2_000_000, 2_000, 4_000_000, REAL);
    let at = [[4_000, 4_000_000], [3_000, 3_001_000]];
    check(&[&a, &b], &[], &expected, &at, "not all have real time stamps");
    check(&[&a, &b], &["--align", "start"], &expected, &at, "by their starts");
}

#[test]
fn one_clock_of_all_stays_as_it_is() {
    let a = made(1, 1_000_000, 8_000_000, 2_000_000, REAL);
    let b = made(2, 1_000_000, 7_000_000, 1_500_000, REAL + 99);
    let expected = properties(1_000_000, 7_000_000, 3_000_000, REAL + 99);
    let at = [[8_001_000, 9_999_000], [7_001_000, 8_499_000]];
    check(&[&a, &b], &["--align", "none"], &expected, &at, "not aligned");
    // But for the resolution.
    let c = made(3, 3_000_000, 0, 30_000_000, REAL);
    let expected = properties(3_000_000, 0, 30_000_000, REAL);
    let at = [[24_003_000, 29_997_000], [1_000, 29_999_000]];
    check(&[&a, &c], &["--align", "none"], &expected, &at, "not aligned");
}

#[test]
fn real_time_that_nobody_knows_is_1() {
    let known = made(1, 1_000, 0, 10_000, REAL);
    let unknown = made(2, 1_000, 0, 10_000, UNKNOWN);
    let place = Place::new();
    let ended = place.merge(&[&known, &unknown], &["--align", "realtime"]);
    expect_message(&ended, 1, &[unknown.anchor.to_str().expect("text"), "--align start"]);
    assert!(!crate::common::program::said(&ended).contains(known.anchor.to_str().expect("text")));
    assert!(place.left().is_empty(), "{:?}", place.left());
    let ended = place.merge(&[&known], &["--align", "never"]);
    expect_message(&ended, 1, &["--align"]);
}

/// Nodes that each wrote a part of one run, by a clock of their own.
#[test]
fn parts_of_a_run_with_clocks_of_their_own_are_aligned() {
    let part = |location, resolution, begin, realtime| {
        let mut trace = Trace::job(7, &[location], "a");
        trace.clock = Some(clock(resolution, begin, 10_000, realtime));
        trace.processes[0].events.drain(1..3);
        trace.processes[0].events[0].0 = begin + 1_000;
        trace.processes[0].events[1].0 = begin + 9_000;
        trace.write()
    };
    let first = part(0, 1_000_000_000, 5_000, REAL);
    // 1000 s ahead of the first, with a begin 2 us after it.
    let second = part(1, 1_000_000_000, 1_000_000_005_000, REAL + 2_000);
    let real = properties(1_000_000_000, 5_000, 12_000, REAL);
    let at = [[6_000, 14_000], [8_000, 16_000]];
    check(&[&first, &second], &[], &real, &at, "real time stamps");
    check(&[&first, &second], &["--align", "realtime"], &real, &at, "those of 1 trace are others");
    let start = properties(1_000_000_000, 5_000, 10_000, REAL);
    check(&[&first, &second], &["--align", "start"], &start, &[at[0], at[0]], "their starts");
    let none = properties(1_000_000_000, 5_000, 1_000_000_010_000, REAL);
    let apart = [at[0], [1_000_000_006_000, 1_000_000_014_000]];
    check(&[&first, &second], &["--align", "none"], &none, &apart, "not aligned");
    // By a clock with another resolution, too.
    let slower = part(1, 1_000_000, 77, REAL + 2_000);
    let real = properties(1_000_000_000, 5_000, 10_002_000, REAL);
    check(&[&first, &slower], &[], &real, &[at[0], [1_007_000, 9_007_000]], "real time stamps");
    // One clock.
    let other = part(1, 1_000_000_000, 5_000, REAL);
    check(&[&first, &other], &[], &start, &[at[0], at[0]], "all as they were");
}

/// Nobody knows the real time: they have read one clock as far as anybody can see, and stay as they are.
#[test]
fn parts_of_a_run_without_real_time_keep_their_distance() {
    let part = |identifier, location, resolution, begin| {
        let mut trace = Trace::job(identifier, &[location], "a");
        trace.clock = Some(clock(resolution, begin, 9_000, UNKNOWN));
        trace.processes[0].events.drain(1..3);
        trace.processes[0].events[0].0 = begin + 1_000;
        trace.processes[0].events[1].0 = begin + 8_000;
        trace.write()
    };
    let [first, second] = [part(7, 0, 1_000_000, 1_000), part(7, 1, 1_000_000, 5_000)];
    let one = properties(1_000_000, 1_000, 13_000, UNKNOWN);
    let at = [[2_000, 9_000], [6_000, 13_000]];
    check(&[&first, &second], &[], &one, &at, "those of one clock (not all have real time stamps)");
    check(&[&second, &first], &[], &one, &at, "all as they were");
    // All were asked to begin together.
    let start = properties(1_000_000, 1_000, 9_000, UNKNOWN);
    check(&[&first, &second], &["--align", "start"], &start, &[at[0], at[0]], "by their starts");
    // Another run begins with them.
    let other = part(8, 5, 1_000_000, 70_000);
    check(&[&first, &second, &other], &[], &one, &[at[0], at[1], at[0]], "by their starts");
    // Clocks that have nothing in common.
    let far = part(7, 1, 1_000_000, 500_000);
    let told = "parts of 1 run are moved against each other";
    check(&[&first, &far], &[], &start, &[at[0], at[0]], told);
}

#[test]
fn no_clock_is_2() {
    let mut trace = Trace::job(2, &[0], "b");
    trace.clock = None;
    let without = trace.write();
    trace.clock = Some(clock(0, 0, 10, REAL));
    let still = trace.write();
    let first = made(1, 1_000, 0, 10_000, REAL);
    for bad in [&without, &still] {
        for order in [[&first, bad], [bad, &first]] {
            let place = Place::new();
            let path = bad.anchor.to_str().expect("text");
            expect_message(&place.merge(&order, &[]), 2, &[path, "ClockProperties"]);
            assert!(place.left().is_empty(), "{:?}", place.left());
        }
    }
}

/// A small one beside real ones, of which none has a real time stamp.
#[test]
fn clocks_of_real_traces() {
    let traces = ["pingpong", "intercomm", "sampling"].map(|name| one(name).anchor);
    let place = merged(&traces, &[]);
    // 1 067 470 782.6 ticks are as long as the first of the two others, 2 623 679 553 ns are more.
    let length = (2_623_679_553_u128 * 2_095_191_439 + 500_000_000) / 1_000_000_000;
    let expected =
        properties(2_095_191_439, 7_396_895_680_097_484, u64::try_from(length).unwrap(), UNKNOWN);
    assert_eq!(clock_of(&place), expected);
    let place =
        merged(&[data().join("local-defs/traces.otf2"), data().join("metrics/t.otf2")], &[]);
    let realtime = clock_of(&place)["realtime_timestamp"].clone();
    assert_eq!(realtime, 1_000_000_000_000_000_000_u64, "that of the earlier one");
}

/// Whatever clocks say, there is an end to it, and no internal error.
#[test]
fn clocks_that_make_no_sense_break_nothing() {
    let extremes = [0, 1, u64::MAX / 2, u64::MAX - 1, UNKNOWN];
    let first = made(1, 1_000_000_000, 1_000, 10_000, REAL);
    for extreme in extremes {
        let mut trace = Trace::job(2, &[0, 1], "a");
        trace.clock = Some(clock(extreme.max(1), extreme, extreme, extreme));
        let other = trace.write();
        for align in ["realtime", "start", "none"] {
            for way in WAYS {
                for order in [[&first, &other], [&other, &first]] {
                    let ended = Place::new().merge(&order, &[&["--align", align], way].concat());
                    let code = ended.status.code();
                    let said = crate::common::program::said(&ended);
                    let usage = extreme == UNKNOWN && align == "realtime";
                    match code {
                        Some(1) => assert!(usage, "{extreme} {align}: {said}"),
                        Some(2) => assert!(said.contains("do not fit into 64 bits"), "{said}"),
                        Some(3) => {
                            assert!(said.contains("64 bits") || said.contains("less than 0"))
                        }
                        code => assert_eq!((code, usage), (Some(0), false), "{extreme} {align}"),
                    }
                }
            }
        }
    }
}

/// There is one clock afterwards, whatever else a trace says.
#[test]
fn clocks_that_contradict_each_other_are_told() {
    let two = |identifier, resolution| {
        let mut trace = Trace::job(identifier, &[0, 1], "a");
        trace.global.push(Definition::ClockProperties(clock(resolution, 1_000, 1_000, UNKNOWN)));
        trace.write()
    };
    let [good, other] = [(1, 1_000_000), (2, 1_000)].map(|(id, resolution)| two(id, resolution));
    let text = "ClockProperties are defined 2 times, and not as the same";
    for order in [&[&other][..], &[&good, &other], &[&other, &good]] {
        let place = Place::new();
        expect_message(&place.merge(order, &[]), 3, &[text]);
        assert_eq!(of_kind(&place.anchor(), "ClockProperties").len(), 1);
    }
    let place = Place::new();
    let ended = place.merge(&[&good], &[]);
    expect(&ended, 0);
    assert!(!said(&ended).contains(text), "{}", said(&ended));
}
