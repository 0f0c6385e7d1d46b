//! Buffer flushes that reach over the bounds of intervals: parts that adjoin add up, whatever is recorded
//! behind the flush, and when.

use streamfold::model::enums::MeasurementMode;
use streamfold::model::events::{
    BufferFlush, Event, MeasurementOnOff, OmpTaskSwitch, ParameterUnsignedInt,
};
use streamfold::model::ids::ParameterRef;
use streamfold::model::values::Ticks;

use crate::common::cases::third;
use crate::cut::made::{Made, Writer};
use crate::cut::{add, expect_valid, part, printed, profile, Sums};

fn flush(w: &mut Writer, time: u64, stop: u64) {
    w.at(time, Event::BufferFlush(BufferFlush { stop_time: Ticks(stop) }));
}

fn task(w: &mut Writer, time: u64, task_id: u64) {
    w.at(time, Event::OmpTaskSwitch(OmpTaskSwitch { task_id }));
}

fn recording(w: &mut Writer, time: u64, measurement_mode: MeasurementMode) {
    w.at(time, Event::MeasurementOnOff(MeasurementOnOff { measurement_mode }));
}

/// Enters and leaves by their times: the region, or that less 100.
fn calls(w: &mut Writer, calls: &[(u64, i32)]) {
    for &(time, region) in calls {
        match u32::try_from(region) {
            Ok(region) => w.enter(time, region),
            Err(_) => w.leave(time, (region + 100) as u32),
        }
    }
}

/// The region is left.
fn end(region: i32) -> i32 {
    region - 100
}

type Case = (&'static str, fn(&mut Writer));

const CASES: [Case; 14] = [
    ("nothing during it", |w| {
        calls(w, &[(1000, 1)]);
        flush(w, 1100, 1300);
        calls(w, &[(1300, 2), (1400, end(2)), (1500, end(1))]);
    }),
    ("enters", |w| {
        calls(w, &[(1000, 1)]);
        flush(w, 1100, 1300);
        let rest = [(1150, 2), (1200, 3), (1250, end(3)), (1350, end(2)), (1500, end(1))];
        calls(w, &rest);
    }),
    ("leaves", |w| {
        calls(w, &[(1000, 1), (1050, 2)]);
        flush(w, 1100, 1300);
        calls(w, &[(1150, end(2)), (1160, 3), (1200, 4), (1350, end(4)), (1400, end(3))]);
        calls(w, &[(1500, end(1))]);
    }),
    ("tasks", |w| {
        calls(w, &[(1000, 1)]);
        task(w, 1100, 7);
        calls(w, &[(1100, 2)]);
        flush(w, 1120, 1300);
        task(w, 1150, 8);
        calls(w, &[(1150, 3)]);
        task(w, 1200, 7);
        calls(w, &[(1250, end(2))]);
        task(w, 1260, 0);
        task(w, 1400, 8);
        calls(w, &[(1450, end(3))]);
        task(w, 1460, 0);
        calls(w, &[(1500, end(1))]);
    }),
    ("recording", |w| {
        calls(w, &[(1000, 1)]);
        recording(w, 1050, MeasurementMode::Off);
        flush(w, 1100, 1300);
        recording(w, 1200, MeasurementMode::On);
        recording(w, 1250, MeasurementMode::Off);
        calls(w, &[(1400, 2), (1450, end(2)), (1500, end(1))]);
    }),
    ("other flushes", |w| {
        calls(w, &[(1000, 1)]);
        flush(w, 1100, 1300);
        calls(w, &[(1150, 2)]);
        flush(w, 1200, 1400);
        calls(w, &[(1250, 3)]);
        flush(w, 1260, 1350);
        calls(w, &[(1270, end(3)), (1450, end(2)), (1500, end(1))]);
    }),
    ("nothing behind it", |w| {
        calls(w, &[(1000, 1), (1050, end(1))]);
        flush(w, 1100, 1300);
    }),
    ("the last event of the location", |w| {
        calls(w, &[(1000, 1), (1050, end(1))]);
        flush(w, 1100, 1300);
        flush(w, 1200, 1400);
    }),
    ("the enter that made it necessary", |w| {
        calls(w, &[(1000, 1)]);
        flush(w, 1100, 1300);
        calls(w, &[(1100, 2), (1300, 3), (1310, end(3)), (1400, end(2)), (1500, end(1))]);
    }),
    ("the leave that made it necessary, without recording", |w| {
        calls(w, &[(1000, 1), (1010, 2)]);
        recording(w, 1050, MeasurementMode::Off);
        flush(w, 1100, 1300);
        flush(w, 1100, 1290);
        recording(w, 1100, MeasurementMode::On);
        calls(w, &[(1100, end(2))]);
        recording(w, 1100, MeasurementMode::Off);
        calls(w, &[(1400, 2), (1450, end(2)), (1500, end(1))]);
    }),
    ("a stop time from another world", |w| {
        calls(w, &[(1000, 1)]);
        flush(w, 1100, 1_000_000_000_000_000);
        calls(w, &[(1150, 2), (1250, end(2))]);
        flush(w, 1300, 7);
        calls(w, &[(1500, end(1))]);
    }),
    ("a message", |w| {
        calls(w, &[(1000, 1)]);
        flush(w, 1100, 1300);
        w.send(1150, 0, 0);
        calls(w, &[(1350, end(1))]);
    }),
    ("a message, and nothing behind it", |w| {
        calls(w, &[(1000, 1), (1050, end(1))]);
        flush(w, 1100, 1300);
        w.send(1150, 0, 0);
    }),
    ("a parameter", |w| {
        calls(w, &[(1000, 1)]);
        flush(w, 1100, 1300);
        let (parameter, value) = (ParameterRef(0), 7);
        w.at(1150, Event::ParameterUnsignedInt(ParameterUnsignedInt { parameter, value }));
        calls(w, &[(1500, end(1))]);
    }),
];

fn made(write: fn(&mut Writer)) -> Made {
    let mut made = Made::new(1);
    made.events(0, write);
    made.finish();
    made
}

#[test]
fn parts_that_adjoin_add_up() {
    let chains = [
        &[0, 1020, 1110, 1155, 1225, 1265, 1299, 1360, 1430, 9999][..],
        &[0, 1155, 9999],
        &[0, 1150, 1200, 1250, 9999],
        &[0, 1225, 1290, 9999],
        &[0, 1300, 9999],
    ];
    for (number, (name, write)) in CASES.into_iter().enumerate() {
        let made = made(write);
        let anchor = made.to.anchor_path();
        let whole = profile(&anchor, &[]);
        // Two of five in ci/test, other ones for each case.
        for chain in third(chains, number) {
            let mut sums = Sums::new();
            for bounds in chain.windows(2) {
                let [begin, end] = [bounds[0], bounds[1]].map(|bound: u64| bound.to_string());
                let (place, _) = part(&anchor, &["--time", &begin, &end]);
                add(&mut sums, &place.anchor(), &[]);
            }
            sums.retain(|_, sums| sums.iter().any(|sum| *sum != 0));
            assert_eq!(sums, whole, "{name}: {chain:?}");
        }
    }
}

#[test]
fn parts_in_which_nothing_is_recorded_during_a_flush_are_the_window() {
    for (name, write) in [CASES[0], CASES[6], CASES[8]] {
        let made = made(write);
        let anchor = made.to.anchor_path();
        for [begin, end] in [["1050", "1200"], ["1200", "1350"], ["1150", "1250"], ["1310", "end"]]
        {
            let window = ["--time", begin, end];
            let (place, _) = part(&anchor, &window);
            expect_valid(&place.anchor(), &format!("{name}: {window:?}"));
            assert_eq!(
                profile(&place.anchor(), &[]),
                profile(&anchor, &window),
                "{name} {window:?}"
            );
        }
    }
}

/// What is recorded ends a flush, whatever that says of when it stops.
#[test]
fn a_flush_behind_which_something_was_recorded_does_not_go_on() {
    let made = made(CASES[2].1);
    let (place, said) = part(&made.to.anchor_path(), &["--time", "1180", "1250"]);
    expect_valid(&place.anchor(), "in a flush");
    let short = |line: &String| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let what = line.split_once('"').and_then(|(_, rest)| rest.split('"').next());
        format!("{} {} {}", words[1], words[0], what.unwrap_or(words[words.len() - 1]))
    };
    let left: Vec<String> = printed(&place.anchor(), 0).iter().map(short).collect();
    let begins = ["1180 ENTER r1", "1180 ENTER r3", "1200 ENTER r4"];
    let ends = ["1250 LEAVE r4", "1250 LEAVE r3", "1250 LEAVE r1"];
    assert_eq!(left, [begins, ends].concat());
    assert!(!said.contains("buffer flush"), "{said}");
    assert!(said.contains("2 events where the interval begins"), "{said}");
}

/// What of a part is recorded between these ticks, and what was said of its flushes.
fn between(write: fn(&mut Writer), begin: &str, end: &str) -> (Vec<String>, Option<String>) {
    let (place, said) = part(&made(write).to.anchor_path(), &["--time", begin, end]);
    let flushes = said.lines().find(|line| line.contains("flush")).map(str::to_owned);
    (printed(&place.anchor(), 0), flushes)
}

/// The stop times of flushes in a part.
fn stops(printed: &[String]) -> Vec<&str> {
    let flushes = printed.iter().filter(|line| line.starts_with("BUFFER_FLUSH"));
    flushes.map(|line| line.split_whitespace().last().expect("a stop time")).collect()
}

/// It says that it goes on behind the end of the interval, and something ends it before.
#[test]
fn a_flush_that_was_over_is_not_shortened() {
    let leaves = CASES[2].1;
    let (events, said) = between(leaves, "1050", "1250");
    assert_eq!((stops(&events), said), (vec!["1300"], None), "{events:?}");
    // From before the interval.
    let (events, said) = between(leaves, "1120", "1250");
    assert_eq!((stops(&events), said), (vec!["1300"], None), "{events:?}");
    // It ends where the interval begins.
    let (events, said) = between(leaves, "1150", "1250");
    assert_eq!((stops(&events), said), (vec![], None), "{events:?}");
    // Messages end none.
    let (events, said) = between(CASES[11].1, "1050", "1250");
    assert_eq!(stops(&events), ["1250"], "{events:?}");
    assert!(said.is_some_and(|said| said.contains("1 buffer flush ends with the interval")));
}

/// Parameters of a call path do, as in profiles.
#[test]
fn a_parameter_ends_a_flush() {
    let write = CASES[13].1;
    let (events, said) = between(write, "1050", "1250");
    assert_eq!((stops(&events), said), (vec!["1300"], None), "{events:?}");
    let (events, said) = between(write, "1180", "1250");
    assert_eq!((stops(&events), said), (vec![], None), "{events:?}");
}

/// The parts of what is left add up to it: what is left out ends no flush, neither in the part nor before it.
#[test]
fn what_is_left_out_ends_no_flush() {
    let leaves: &[&str] = &["--region", "^r1$"];
    for (write, options) in [(CASES[13].1, &["--without", "parameters"][..]), (CASES[2].1, leaves)]
    {
        let made = made(write);
        let anchor = made.to.anchor_path();
        let whole = profile(&part(&anchor, options).0.anchor(), &[]);
        for chain in [["0", "1120", "end"], ["0", "1155", "end"], ["0", "1200", "end"]] {
            let mut sums = Sums::new();
            for bounds in chain.windows(2) {
                let time = ["--time", bounds[0], bounds[1]];
                let (place, _) = part(&anchor, &[options, &time].concat());
                add(&mut sums, &place.anchor(), &[]);
            }
            sums.retain(|_, sums| sums.iter().any(|sum| *sum != 0));
            assert_eq!(sums, whole, "{options:?} {chain:?}");
        }
    }
}

/// More is recorded behind it than is held back, and nothing of it ends the flush.
#[test]
fn very_much_behind_a_flush_is_written_in_order() {
    let write = |w: &mut Writer| {
        calls(w, &[(1000, 1)]);
        flush(w, 1100, 9000);
        (0..40_000).for_each(|tag| w.send(1101 + u64::from(tag) / 100, 0, tag));
        calls(w, &[(1900, end(1))]);
    };
    let (events, said) = between(write, "1050", "1800");
    assert_eq!(stops(&events), ["1800"]);
    assert!(said.is_some_and(|said| said.contains("1 buffer flush ends with the interval")));
    let sends: Vec<&String> = events.iter().filter(|line| line.starts_with("MPI_SEND")).collect();
    assert_eq!(sends.len(), 40_000);
    assert!(sends
        .iter()
        .zip(0..)
        .all(|(line, tag): (_, u32)| line.contains(&format!("Tag: {tag},"))));
}

#[test]
fn without_recording_there_are_no_flushes() {
    let made = made(CASES[1].1);
    let window = ["--time", "1180", "1400", "--without", "recording"];
    let (place, _) = part(&made.to.anchor_path(), &window);
    let left = printed(&place.anchor(), 0);
    assert!(left.iter().all(|line| !line.contains("FLUSH")), "{left:?}");
    assert_eq!(left.len(), 6, "{left:?}");
}
