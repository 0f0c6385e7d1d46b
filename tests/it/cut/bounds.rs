//! What is open where an interval begins is begun there, and what is open where it ends is ended there.

use streamfold::model::enums::MeasurementMode;
use streamfold::model::enums::Paradigm;
use streamfold::model::events::{
    BufferFlush, Event, MeasurementOnOff, OmpTaskSwitch, ProgramBegin, ThreadFork, ThreadTeamBegin,
    ThreadTeamEnd,
};
use streamfold::model::ids::{CommRef, StringRef};
use streamfold::model::values::Ticks;

use crate::cut::made::{Made, Writer};
use crate::cut::{expect_valid, part, printed, profile};

fn task(w: &mut Writer, time: u64, task_id: u64) {
    w.at(time, Event::OmpTaskSwitch(OmpTaskSwitch { task_id }));
}

/// What is left of a location between two times, by name, time and what follows.
fn left(made: &Made, [begin, end]: [&str; 2], options: &[&str]) -> Vec<String> {
    let options = [&["--time", begin, end], options].concat();
    let anchor = made.to.anchor_path();
    let (place, _) = part(&anchor, &options);
    expect_valid(&place.anchor(), &format!("{options:?}"));
    let window = profile(&anchor, &["--time", begin, end]);
    if options.len() == 3 {
        assert_eq!(profile(&place.anchor(), &[]), window, "{options:?}");
    }
    let short = |line: String| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let name = words[0].trim_start_matches("THREAD_").trim_start_matches("OMP_");
        let what = line.split_once('"').and_then(|(_, rest)| rest.split('"').next());
        let number = line.rsplit(' ').next().filter(|_| what.is_none());
        format!("{} {} {}", words[1], name, what.or(number).unwrap_or_default())
    };
    printed(&place.anchor(), 0).into_iter().map(short).collect()
}

#[test]
fn visits_are_entered_and_left() {
    let mut made = Made::new(1);
    made.events(0, |w| {
        w.enter(1000, 1);
        w.enter(1100, 2);
        w.enter(1200, 3);
        w.leave(1300, 3);
        w.enter(1400, 4);
        w.leave(1500, 4);
        w.leave(1600, 2);
        w.leave(1700, 1);
    });
    made.finish();
    let expected = ["1250 ENTER r1", "1250 ENTER r2", "1250 ENTER r3", "1300 LEAVE r3"];
    let ends = ["1400 ENTER r4", "1450 LEAVE r4", "1450 LEAVE r2", "1450 LEAVE r1"];
    assert_eq!(left(&made, ["1250", "1450"], &[]), [expected, ends].concat());
    // At the bounds: what happens at the begin is inside, what happens at the end is not.
    let at = ["1200 ENTER r1", "1200 ENTER r2", "1200 ENTER r3", "1300 LEAVE r3"];
    let ends = ["1400 LEAVE r2", "1400 LEAVE r1"];
    assert_eq!(left(&made, ["1200", "1400"], &[]), [&at[..], &ends].concat());
    // Between two events.
    let both = ["1310 ENTER r1", "1310 ENTER r2", "1390 LEAVE r2", "1390 LEAVE r1"];
    assert_eq!(left(&made, ["1310", "1390"], &[]), both);
    // At the end of the trace nothing is cut.
    assert_eq!(left(&made, ["1650", "end"], &[]), ["1650 ENTER r1", "1700 LEAVE r1"]);
    assert!(left(&made, ["1750", "1800"], &[]).is_empty());
}

#[test]
fn visits_that_have_no_end_are_not_given_one() {
    let mut made = Made::new(1);
    made.events(0, |w| {
        w.enter(1000, 1);
        w.enter(1100, 2);
        w.enter(1150, 3);
        w.leave(1200, 9); // open is no such region
        w.leave(1300, 1); // 2 and 3 are dropped
        w.enter(1400, 4);
        w.enter(1500, 5);
    });
    made.finish();
    let expected =
        ["1160 ENTER r1", "1160 ENTER r2", "1160 ENTER r3", "1200 LEAVE r9", "1300 LEAVE r1"];
    assert_eq!(left(&made, ["1160", "1350"], &["--keep-definitions"]), expected);
    // The stream ends before the interval does.
    assert_eq!(left(&made, ["1450", "1900"], &[]), ["1450 ENTER r4", "1500 ENTER r5"]);
}

#[test]
fn tasks_go_on() {
    let mut made = Made::new(1);
    made.events(0, |w| {
        w.enter(1000, 1);
        task(w, 1100, 7);
        w.enter(1100, 2);
        task(w, 1200, 8);
        w.enter(1210, 3);
        w.leave(1300, 3);
        task(w, 1300, 7);
        w.leave(1400, 2);
        task(w, 1400, 0);
        w.leave(1500, 1);
    });
    made.finish();
    let begins = ["1250 ENTER r1", "1250 TASK_SWITCH 7", "1250 ENTER r2", "1250 TASK_SWITCH 8"];
    let inside = ["1250 ENTER r3", "1300 LEAVE r3", "1300 TASK_SWITCH 7"];
    let ends = ["1350 LEAVE r2", "1350 TASK_SWITCH 0", "1350 LEAVE r1"];
    assert_eq!(left(&made, ["1250", "1350"], &[]), [&begins[..], &inside, &ends].concat());
    // Without tasks only what is outside of them can be told apart.
    let without = ["1250 ENTER r1", "1350 LEAVE r1"];
    assert_eq!(left(&made, ["1250", "1350"], &["--without", "tasks"]), without);
}

#[test]
fn teams_and_programs_go_on() {
    let mut made = Made::new(1);
    made.events(0, |w| {
        let program_name = StringRef(22);
        let program = ProgramBegin { program_name, program_arguments: &[StringRef(23)] };
        w.at(1000, Event::ProgramBegin(program));
        w.enter(1000, 1);
        let (model, number_of_requested_threads) = (Paradigm::Openmp, 4);
        w.at(1100, Event::ThreadFork(ThreadFork { model, number_of_requested_threads }));
        w.at(1100, Event::ThreadTeamBegin(ThreadTeamBegin { thread_team: CommRef(0) }));
        w.enter(1200, 2);
        w.leave(1300, 2);
        w.at(1400, Event::ThreadTeamEnd(ThreadTeamEnd { thread_team: CommRef(0) }));
    });
    made.finish();
    let names = |lines: Vec<String>| -> Vec<String> {
        lines.iter().map(|line| line.split_whitespace().nth(1).unwrap().to_owned()).collect()
    };
    let begins = ["PROGRAM_BEGIN", "ENTER", "FORK", "TEAM_BEGIN", "ENTER"];
    let ends = ["LEAVE", "TEAM_END", "JOIN", "LEAVE", "PROGRAM_END"];
    let all = [begins, ends].concat();
    assert_eq!(names(left(&made, ["1250", "1260"], &[])), all);
    let some = ["ENTER", "ENTER", "LEAVE", "LEAVE"];
    let without = ["--without", "threads,program"];
    assert_eq!(names(left(&made, ["1250", "1260"], &without)), some);
}

#[test]
fn periods_off_and_flushes_go_on() {
    let mut made = Made::new(1);
    let switch = |measurement_mode| Event::MeasurementOnOff(MeasurementOnOff { measurement_mode });
    made.events(0, |w| {
        w.enter(1000, 1);
        w.at(1100, switch(MeasurementMode::Off));
        w.at(1200, switch(MeasurementMode::On));
        w.at(1300, Event::BufferFlush(BufferFlush { stop_time: Ticks(1400) }));
        w.enter(1450, 2);
        w.leave(1500, 2);
        w.leave(1600, 1);
    });
    made.finish();
    let names = |begin, end| left(&made, [begin, end], &[]).len();
    assert_eq!(names("1150", "1160"), 4, "off and on inside of a visit");
    assert_eq!(names("1150", "1250"), 4);
    assert_eq!(names("1350", "1460"), 5, "the flush goes on");
    assert_eq!(names("1250", "1350"), 3, "the flush ends with the interval");
    assert_eq!(names("1320", "1380"), 3, "the flush is longer than the interval");
}

/// Corrected times skip some ticks here and meet others twice.
#[test]
fn bounds_are_those_of_corrected_times() {
    for offsets in [[(900, 500), (1900, 900)], [(900, -300), (1900, -700)]] {
        let mut made = Made::new(1);
        made.local(0, None, &offsets);
        made.events(0, |w| {
            w.enter(1000, 1);
            w.enter(1300, 2);
            w.leave(1500, 2);
            w.leave(1900, 1);
        });
        let anchor = made.finish();
        for bounds in (0..40).map(|step| [500 + step * 53, 540 + step * 71]) {
            let [begin, end] = bounds.map(|bound: u64| bound.to_string());
            let (place, said) = part(&anchor, &["--time", &begin, &end]);
            assert!(!said.contains("corrected time"), "{said}");
            let window = profile(&anchor, &["--time", &begin, &end]);
            let own = profile(&place.anchor(), &[]);
            assert_eq!(own.len(), window.len(), "{bounds:?}");
            for (path, sums) in &window {
                // No recorded time has exactly this corrected one.
                let difference = sums[0] - own[path][0];
                assert!((0..=2).contains(&difference), "{bounds:?} {path}: {difference}");
            }
            for line in printed(&place.anchor(), 0) {
                let time: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
                assert!((bounds[0]..=bounds[1]).contains(&time), "{line}");
            }
        }
    }
}
