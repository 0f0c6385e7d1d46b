//! Times that 64 bits cannot say where traces are on one clock: refused, where all of a trace is beyond, else
//! told. None comes out as another one without a word.

use streamfold::model::definitions::ClockOffset;
use streamfold::model::enums::{MarkerScope, MarkerSeverity};
use streamfold::model::ids::MarkerRef;
use streamfold::model::markers::{DefMarker, Marker, MarkerRecord};

use crate::common::program::said;
use crate::common::reference::{is_installed, otf2_print};
use crate::merge::made::{clock, visit, Made, Trace, UNKNOWN};
use crate::merge::meaning::{number, records};
use crate::merge::{expect, expect_message, Place};

const WAYS: [&[&str]; 3] = [&[], &["--rewrite-events"], &["--link"]];

/// A job of one process with a visit.
fn job(identifier: u64, resolution: u64, begin: u64, times: [u64; 2]) -> Trace {
    let mut trace = Trace::job(identifier, &[0], "a");
    trace.clock = Some(clock(resolution, begin, 1_000, UNKNOWN));
    trace.processes[0].events = visit(times, 0);
    trace
}

/// The times of the events of the second trace, which has location 1.
fn times(place: &Place) -> Vec<u64> {
    let events = records(&place.anchor(), &["--unordered"]).into_iter();
    let events = events.filter(|it| it["location"] == 1 && it["number"].is_u64());
    events.map(|event| number(&event["time"])).collect()
}

#[track_caller]
fn refused(made: &[Made; 2], align: &[&str]) {
    let path = made[1].anchor.display();
    let text = format!("{path}: together with the others its times do not fit into 64 bits");
    for way in WAYS {
        let place = Place::new();
        expect_message(&place.merge(made, &[way, align].concat()), 2, &[&text]);
        assert!(place.left().is_empty(), "{:?}", place.left());
    }
}

#[test]
fn traces_that_are_beyond_are_refused() {
    let first = job(1, 1_000_000, 1_000, [1_010, 1_020]).write();
    // Too many ticks for so fine a clock.
    let late = 1 << 62;
    let made = [first, job(2, 1, late, [late + 1, late + 2]).write()];
    refused(&made, &["--align", "none"]);
    // Begun with the first it is no more than minutes.
    expect(&Place::new().merge(&made, &["--align", "start"]), 0);
    // Further away than a clock offset can say.
    let [first, _] = made;
    let late = u64::MAX - 2_000;
    let made = [first, job(2, 1_000_000, late, [late + 1, late + 2]).write()];
    refused(&made, &["--align", "start"]);
    expect(&Place::new().merge(&made, &["--align", "none"]), 0);
    // Real time stamps that are centuries apart, in the ticks of a very fine clock.
    let stamped = |identifier, resolution, stamp| {
        let mut trace = job(identifier, resolution, 1_000, [1_010, 1_020]);
        trace.clock.as_mut().expect("one").realtime_timestamp = stamp;
        trace.write()
    };
    refused(&[stamped(1, 1 << 60, 0), stamped(2, 1, 1 << 62)], &["--align", "realtime"]);
}

/// The trace begins later than its clock says, as far as events tell.
#[test]
fn events_before_the_begin_are_told() {
    // They move by 4000 ticks.
    let first = job(1, 1_000_000, 1_000, [1_010, 1_020]);
    let second = job(2, 1_000_000, 5_000, [100, 5_500]);
    let made = [first, second].map(|trace| trace.write());
    let folder = made[1].folder.path().display().to_string();
    let messages = [
        "events before the begin of the trace, whose times would be less than 0: they are 0 now",
        "1 of its times does not fit into 64 bits: the nearest that do stand for them",
    ];
    for way in WAYS {
        let place = Place::new();
        let message = messages[usize::from(way == ["--rewrite-events"])];
        expect_message(&place.merge(&made, way), 3, &[format!("{folder}/t/0.evt: {message}")]);
        assert_eq!(times(&place), [0, 1_500], "{way:?}");
        if is_installed("otf2-print") {
            let printed = otf2_print(&[], &place.anchor());
            assert_eq!(
                (printed.status.success(), said(&printed).contains("warning")),
                (true, false)
            );
        }
        let strict = Place::new();
        expect(&strict.merge(&made, &[way, &["--strict"]].concat()), 2);
        assert!(strict.left().is_empty(), "{:?}", strict.left());
    }
    // There is room for what is less early.
    let second = job(2, 1_000_000, 5_000, [4_200, 5_500]).write();
    for way in WAYS {
        let place = Place::new();
        expect(&place.merge(&[&made[0], &second], way), 0);
        assert_eq!(times(&place), [200, 1_500], "{way:?}");
    }
}

#[test]
fn clock_offsets_that_lead_beyond_are_told() {
    let late = i64::MAX as u64;
    let first = job(1, 1_000_000, late, [late + 10, late + 20]);
    let mut second = job(2, 1_000_000, 1_000, [1_010, 1_020]);
    let offset = |time, offset| ClockOffset { time, offset, standard_deviation: 0.0 };
    second.processes[0].offsets = vec![offset(5, i64::MAX), offset(2_000, 0)];
    let made = [first, second].map(|trace| trace.write());
    let folder = made[1].folder.path().display().to_string();
    let ended = Place::new().merge(&made, &[]);
    expect_message(&ended, 3, &[format!("{folder}/t/0.evt: events {LATE}")]);
}

const LATE: &str =
    "whose times do not fit into 64 bits, or are more than 2^63 ticks later now: the nearest that \
                    can be said stand for them";

/// The trace ends later than its clock says, so much later that no number of 64 bits says when.
#[test]
fn events_after_the_last_time_are_told() {
    let first = job(1, 5_000_000, 1 << 60, [(1 << 60) + 10, (1 << 60) + 20]).write();
    // The last one that can be said, and the first one that cannot.
    let last = 3 << 62;
    let second = job(2, 4_000_000, 0, [500, last - 4]).write();
    let place = Place::new();
    expect(&place.merge(&[&first, &second], &["--align", "start"]), 0);
    let read = times(&place);
    assert_eq!(read, [(1 << 60) + 625, u64::MAX - 4]);
    let second = job(2, 4_000_000, 0, [500, last]).write();
    let folder = second.folder.path().display().to_string();
    let messages = [
        format!("{folder}/t/0.evt: events {LATE}"),
        format!("{folder}/t/0.evt: 1 of its times does not fit into 64 bits"),
    ];
    for way in WAYS {
        let place = Place::new();
        let message = &messages[usize::from(way == ["--rewrite-events"])];
        let options = [way, &["--align", "start"]].concat();
        expect_message(&place.merge(&[&first, &second], &options), 3, &[message]);
        assert_eq!(times(&place), [(1 << 60) + 625, u64::MAX], "{way:?}");
    }
}

#[test]
fn markers_before_the_begin_are_told() {
    let first = job(1, 1_000_000, 1_000, [1_010, 1_020]);
    let mut second = job(2, 1_000_000, 5_000, [5_010, 5_500]);
    let definition = DefMarker {
        id: MarkerRef(0),
        marker_group: "group".into(),
        marker_category: "category".into(),
        severity: MarkerSeverity::Low,
    };
    let marker = |timestamp, duration| {
        let (marker, marker_scope, text) = (MarkerRef(0), MarkerScope::Global, "".into());
        MarkerRecord::Marker(Marker { timestamp, duration, marker, marker_scope, scope: 0, text })
    };
    second.markers = vec![
        MarkerRecord::DefMarker(definition),
        marker(100, 4_000),
        marker(5_000, 20),
        marker(5_100, u64::MAX),
    ];
    let made = [first, second].map(|trace| trace.write());
    let folder = made[1].folder.path().display().to_string();
    let text = "its times do not fit into 64 bits: the nearest that do stand for them";
    let place = Place::new();
    let message = format!("{folder}/t.marker: Marker at 100: {text}");
    expect_message(&place.merge(&made, &[]), 3, &[message]);
    let all = records(&place.anchor(), &["-A"]);
    let all = all.iter().filter(|it| it["record"] == "Marker");
    let at: Vec<_> = all.map(|it| [number(&it["timestamp"]), number(&it["duration"])]).collect();
    assert_eq!(at, [[0, 100], [1_000, 20], [1_100, u64::MAX - 5_100]]);
}
