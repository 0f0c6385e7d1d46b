//! Tasks: a stack for each, as profiles have it, and what may happen to them.

use serde_json::Value;

use crate::common::program::{said, streamfold};
use crate::common::small::Bytes;
use crate::validate::{archive, assert_defects, payload, sound, validate};

/// What happens to a task: id of the record of ThreadTask events, creating thread, number.
const CREATE: u8 = 59;
const SWITCH: u8 = 60;
const COMPLETE: u8 = 61;

/// Events one tick after each other; flushes have the time of the event before.
fn events(all: impl IntoIterator<Item = Step>) -> (Bytes, u64) {
    let (mut count, mut time) = (0, 100);
    let begin = payload().header();
    let bytes = all.into_iter().fold(begin, |bytes, step| {
        count += 1;
        time += u64::from(!matches!(step, Flush(_)));
        let bytes = bytes.time(time);
        match step {
            Enter(region) => bytes.enter(region),
            Leave(region) => bytes.leave(region),
            Thread(id, creator, number) => bytes.record(id, payload().c(0).c(creator).c(number)),
            Omp(id, number) => bytes.raw(&[id]).c(number),
            EndOfTeam => bytes.record(56, payload().c(0)),
            Flush(stop) => bytes.record(10, payload().u64(stop)),
        }
    });
    (bytes, count)
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Enter(u64),
    Leave(u64),
    Thread(u8, u64, u64),
    /// An OmpTask event.
    Omp(u8, u64),
    EndOfTeam,
    /// With its stop time.
    Flush(u64),
}

use Step::*;

fn case(all: &[Step], expected: &[(&str, &str, u64)]) {
    let (bytes, count) = events(all.iter().copied());
    assert_defects(&archive(sound(), bytes, count), expected, 0);
}

#[test]
fn tasks_that_take_turns_are_sound() {
    let switch = |number| Thread(SWITCH, 0, number);
    let complete = |number| Thread(COMPLETE, 0, number);
    let create = |number| Thread(CREATE, 0, number);
    let begin = [Enter(0), create(1), create(2), switch(1), Enter(1), switch(2), Enter(1)];
    let end = [switch(1), Leave(1), complete(1), switch(2), Leave(1), complete(2), Leave(0)];
    case(&[&begin[..], &end].concat(), &[]);
    // The same with the older records.
    let omp = |step| match step {
        Thread(id, _, number) => Omp(id - CREATE + 28, number),
        other => other,
    };
    let older: Vec<_> = begin.into_iter().chain(end).map(omp).collect();
    case(&older, &[]);
    // What one task has open another one cannot leave.
    let crossed = [Enter(0), switch(1), Enter(1), Leave(0), Leave(1), complete(1), Leave(0)];
    case(&crossed, &[("unmatched-leave", "Leave", 4)]);
    let open = [Enter(0), switch(1), Enter(1), switch(2), Enter(1), switch(0)];
    let expected = [1, 3, 5].map(|number| ("open-region", "Enter", number));
    case(&open, &expected);
}

#[test]
fn tasks_that_were_not_created_and_that_are_over() {
    let region = || [Enter(1), Leave(1)];
    let run = |creator, number| {
        let [enter, leave] = region();
        [Thread(SWITCH, creator, number), enter, leave, Thread(COMPLETE, creator, number)]
    };
    let create = |number| [Thread(CREATE, 0, number)];
    // Who records no creations says nothing, nor does another thread.
    case(&run(0, 1), &[]);
    case(&[&create(1)[..], &run(0, 1), &run(3, 2)].concat(), &[]);
    let unknown = [("unknown-task", "ThreadTaskSwitch", 6)];
    case(&[&create(1)[..], &run(0, 1), &run(0, 2)].concat(), &unknown);
    case(&[&run(0, 1)[..], &create(1), &run(0, 1)].concat(), &[]);
    let again = [("completed-task", "ThreadTaskSwitch", 5)];
    case(&[run(0, 1), run(0, 1)].concat(), &again);
    case(
        &[&run(0, 1)[..], &[EndOfTeam], &run(0, 1)].concat(),
        &[("unmatched-end", "ThreadTeamEnd", 5)],
    );
    let messy = [Enter(0), Thread(SWITCH, 0, 5), Enter(1), Thread(COMPLETE, 0, 5)];
    let end =
        [Thread(COMPLETE, 0, 5), Thread(SWITCH, 0, 5), Leave(1), Thread(SWITCH, 0, 0), Leave(0)];
    let expected = [
        ("open-region", "Enter", 3),
        ("completed-task", "ThreadTaskComplete", 5),
        ("completed-task", "ThreadTaskSwitch", 6),
        ("unmatched-leave", "Leave", 7),
    ];
    case(&[&messy[..], &end].concat(), &expected);
}

/// Anything, from a generator of numbers.
fn random_steps(seed: u64) -> Vec<Step> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) % below
    };
    let mut step = || match next(12) {
        0..=3 => Enter(next(2)),
        4..=6 => Leave(next(2)),
        7 => Thread(SWITCH, 0, next(3)),
        8 => Omp(29, next(3)),
        9..=10 => Flush(100 + next(40)),
        _ => Thread(COMPLETE, 0, next(3)),
    };
    (0..40).map(|_| step()).collect()
}

#[test]
fn counts_are_those_of_the_profile() {
    for seed in 1..=40 {
        let steps = random_steps(seed);
        let (bytes, count) = events(steps.iter().copied());
        let small = archive(sound(), bytes, count);
        let written = small.write();
        let (_, report) = validate(&written.anchor());
        let mut command = streamfold(["profile", "--format", "json"]);
        let output = command.arg(written.anchor()).output().expect("it runs");
        let profile: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
        let kinds = report["kinds"].as_array().expect("a list");
        for (code, oddity) in [
            ("open-region", "open"),
            ("crossed-leave", "crossed"),
            ("unmatched-leave", "unmatched"),
            ("wrong-flush", "wrong_flushes"),
        ] {
            let told = kinds.iter().find(|kind| kind["code"] == code);
            let told = told.map_or(0, |kind| kind["count"].as_u64().expect("a count"));
            let count = |oddity: &str| profile["oddities"][oddity].as_u64().expect("a count");
            if count("reordered") + count("instants") > 0 {
                // The profile is that of another order.
                continue;
            }
            // To the rules these leaves are of what is not open any more.
            let late = if oddity == "unmatched" { count("late") } else { 0 };
            assert_eq!(count(oddity) + late, told, "{code}: {steps:?}");
        }
    }
}
