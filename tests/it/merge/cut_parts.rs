//! Parts that `cut` has made of one trace: merged, they are that trace unified.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use streamfold::model::enums::MarkerScope;
use streamfold::model::ids::{CommRef, MarkerRef};
use streamfold::model::markers::{DefMarker, Marker, MarkerRecord};

use crate::common::archives::{large, one, own};
use crate::common::cases::third;
use crate::common::place::expect;
use crate::common::program::{said, streamfold};
use crate::merge::made::{clock, comm, receive, send, visit, Trace};
use crate::merge::meaning::{errors, events, locations, number, of_kind, records};
use crate::merge::pieces::{contents, unified};
use crate::merge::{expect_message, merged, Place};

/// A part of a trace with the events of these locations.
#[track_caller]
fn part(trace: &Path, locations: &[u64], options: &[&str]) -> (Place, PathBuf) {
    let place = Place::new();
    let anchor = place.anchor();
    let mut run = streamfold(["cut", "-q", "-o"]);
    run.arg(&anchor).arg(trace).args(options);
    for location in locations {
        run.args(["-L", &location.to_string()]);
    }
    expect(&run.output().expect("a run"), 0);
    (place, anchor)
}

/// Parts of a trace, which has so many of them: of its locations every so-manieth.
fn parts(trace: &Path, count: usize, options: &[&str]) -> Vec<(Place, PathBuf)> {
    let all = locations(trace);
    let of = |first: usize| all.iter().skip(first).step_by(count).copied().collect::<Vec<_>>();
    let chosen = (0..count.min(all.len())).map(of);
    chosen.map(|locations| part(trace, &locations, options)).collect()
}

fn anchors(parts: &[(Place, PathBuf)]) -> Vec<&PathBuf> {
    parts.iter().map(|(_, anchor)| anchor).collect()
}

/// Whether an anchor says that it is that of a part.
fn says_part(anchor: &Path) -> bool {
    let bytes = std::fs::read(anchor).expect("an anchor");
    let name = b"STREAMFOLD::PART_OF";
    bytes.windows(name.len()).any(|at| at == name)
}

/// Traces of which messages would have to tell more than parts know, or that take long.
const LEFT_OUT: [&str; 5] = [
    "crashed-scorep8-comd",
    "eztrace-mpi-p2p-coll-intercomm",
    "eztrace-posixio-memory-threads",
    "scorep8-lulesh-hybrid-rusage",
    "scorep9-gpu-metrics",
];

#[test]
fn parts_of_real_traces_are_these_unified() {
    let wanted = ["hybrid", "intercomm", "local-defs", "metrics", "pingpong", "sampling"];
    let own = own().into_iter().filter(|it| wanted.contains(&it.name.as_str()));
    let large = large().into_iter().filter(|it| !LEFT_OUT.contains(&it.name.as_str()));
    for (number, archive) in own.chain(large).enumerate() {
        let whole = unified(&archive.anchor);
        let (expected, none) = (contents(&whole.anchor()), BTreeMap::new());
        let happened = events(&whole.anchor(), &none, true);
        // One of three in ci/test, another one for each archive.
        for (count, keep) in third([(2, true), (64, true), (3, false)], number) {
            let options = if keep { &["--keep-definitions"][..] } else { &[] };
            let parts = parts(&archive.anchor, count, options);
            let place = merged(&anchors(&parts), &["--strict"]);
            let what = format!("{} in {count}, all: {keep}", archive.name);
            let found = contents(&place.anchor());
            match keep {
                true => assert_eq!(found, expected, "{what}"),
                // What nobody leads to is gone.
                false => assert!(found.iter().all(|(it, n)| expected.get(it) >= Some(n)), "{what}"),
            }
            if events(&place.anchor(), &none, true) != happened {
                panic!("{what}: other events");
            }
            assert_eq!(errors(&place.anchor()), errors(&whole.anchor()), "{what}");
        }
    }
}

/// A job of four processes.
fn job(identifier: u64) -> Trace {
    Trace::job(identifier, &[0, 10, 20, 30], "main")
}

#[test]
fn parts_of_different_traces_stay_apart() {
    // The same job once more, which nothing but the identifier tells apart.
    let [one, other] = [job(77), job(78)].map(|it| it.write());
    let both = [&one, &other].map(|it| parts(&it.anchor, 2, &[]));
    let mixed = [&both[0][0].1, &both[1][0].1, &both[0][1].1, &both[1][1].1];
    let place = Place::new();
    expect_message(&place.merge(&mixed, &[]), 0, &["4 traces of 2 runs, 8 locations"]);
    assert_eq!(of_kind(&place.anchor(), "Comm").len(), 2);
    assert_eq!(of_kind(&place.anchor(), "LocationGroup").len(), 8);
    // A part is no part of the trace that it is from, and twice the same is none either.
    let place = Place::new();
    let twice = [&both[0][0].1, &one.anchor];
    expect_message(&place.merge(&twice, &[]), 0, &["2 traces of 2 runs"]);
    let again = part(&one.anchor, &[20, 30], &[]);
    let place = Place::new();
    let overlap = [&both[0][0].1, &again.1];
    expect_message(
        &place.merge(&overlap, &[]),
        0,
        &["2 traces of 2 runs", "location 20 is in both parts"],
    );
}

#[test]
fn parts_of_parts_become_one_step_by_step() {
    let trace = job(77).write();
    let whole = unified(&trace.anchor);
    let halves = [[0, 10], [20, 30]].map(|half| part(&trace.anchor, &half, &[]));
    let quarters: Vec<_> =
        [0, 10, 20, 30].map(|it| part(&halves[it / 20].1, &[it as u64], &[])).into_iter().collect();
    let pairs = [[3, 0], [2, 1]].map(|[a, b]: [usize; 2]| {
        let place = Place::new();
        let two = [&quarters[a].1, &quarters[b].1];
        expect_message(&place.merge(&two, &[]), 0, &["2 traces of 1 run, 4 locations"]);
        assert_eq!(errors(&place.anchor()), [""; 0]);
        place
    });
    let place = Place::new();
    let pairs = pairs.each_ref().map(Place::anchor);
    assert!(pairs.iter().all(|pair| says_part(pair)), "two of four");
    expect_message(&place.merge(&pairs, &[]), 0, &["2 traces of 1 run, 4 locations"]);
    assert!(!says_part(&place.anchor()), "it is the whole");
    let none = BTreeMap::new();
    assert_eq!(events(&place.anchor(), &none, true), events(&whole.anchor(), &none, true));
    assert_eq!(of_kind(&place.anchor(), "LocationGroup").len(), 4);
    assert_eq!(of_kind(&place.anchor(), "Comm").len(), 1);
}

/// Two communicators of all that say the same, of which the first process uses the second one alone.
#[test]
fn the_second_of_two_that_say_the_same_stays_the_second() {
    let mut trace = Trace::job(77, &[0, 10], "main");
    trace.global.push(comm(1, 5, 1, CommRef::UNDEFINED));
    for process in &mut trace.processes {
        process.events = visit([1_000, 1_900], 0);
    }
    let [one, other] = &mut trace.processes[..] else { panic!("two") };
    one.events.insert(1, (1_100, Vec::new(), send(1, 1, 7)));
    other.events.insert(1, (1_200, Vec::new(), receive(0, 1, 7)));
    other.events.insert(2, (1_300, Vec::new(), send(1, 0, 8)));
    other.events.insert(3, (1_400, Vec::new(), receive(1, 0, 8)));
    let trace = trace.write();
    let parts = parts(&trace.anchor, 2, &[]);
    let place = merged(&anchors(&parts), &[]);
    let all = records(&place.anchor(), &["--unordered"]);
    let messages = all.iter().filter(|it| it["msg_tag"].is_u64());
    let by_tag = |tag: u64| -> BTreeSet<u64> {
        let of = messages.clone().filter(|it| number(&it["msg_tag"]) == tag);
        of.map(|it| number(&it["communicator"])).collect()
    };
    let [second, first] = [7, 8].map(by_tag);
    assert_eq!((first.len(), second.len()), (1, 1));
    assert_ne!(first, second);
    assert_eq!(of_kind(&place.anchor(), "Comm").len(), 2);
}

/// Parts of different times have one clock all the same, to the tick.
#[test]
fn parts_keep_their_times() {
    for realtime in [u64::MAX, 1_700_000_000_000_000_000] {
        let mut trace = job(77);
        trace.clock = Some(clock(1_999_999_993, 1_000, 1_000, realtime));
        let trace = trace.write();
        let parts = [(0, ["1000", "1033"]), (30, ["1777", "1999"])]
            .map(|(it, [a, b])| part(&trace.anchor, &[it], &["--time", a, b]));
        let place = Place::new();
        let ended = place.merge(&anchors(&parts), &[]);
        expect(&ended, 0);
        assert!(!said(&ended).contains("warning"), "{}", said(&ended));
        let mut expected = BTreeMap::new();
        let none = BTreeMap::new();
        parts.iter().for_each(|(_, anchor)| expected.extend(events(anchor, &none, true)));
        assert_eq!(events(&place.anchor(), &none, true), expected, "{realtime}");
    }
}

#[test]
fn what_is_marked_for_all_is_so_once() {
    let mut trace = job(77);
    let marker = |timestamp, marker_scope, scope| {
        let (marker, text) = (MarkerRef(0), "here".into());
        MarkerRecord::Marker(Marker { timestamp, duration: 0, marker, marker_scope, scope, text })
    };
    trace.markers = vec![
        MarkerRecord::DefMarker(DefMarker {
            id: MarkerRef(0),
            marker_group: "group".into(),
            marker_category: "category".into(),
            severity: streamfold::model::enums::MarkerSeverity::Low,
        }),
        marker(1_100, MarkerScope::Global, 0),
        marker(1_100, MarkerScope::Global, 0),
        marker(1_200, MarkerScope::SystemTreeNode, 0),
        marker(1_300, MarkerScope::Location, 10),
    ];
    let trace = trace.write();
    let parts = parts(&trace.anchor, 4, &[]);
    let place = merged(&anchors(&parts), &[]);
    let all = records(&place.anchor(), &["-A"]);
    let found = all.iter().filter(|it| it["record"] == "Marker").map(|it| number(&it["timestamp"]));
    let mut found: Vec<u64> = found.collect();
    found.sort_unstable();
    assert_eq!(found, [1_100, 1_100, 1_200, 1_300]);
}

/// Each part has some of the messages, which tell of which communicators two are the sides of one.
#[test]
fn that_nobody_looks_for_sides_in_parts_is_told() {
    let Some(trace) = large().into_iter().find(|it| it.name == LEFT_OUT[1]) else { return };
    for options in [&[][..], &["--keep-definitions"]] {
        let parts = parts(&trace.anchor, 2, options);
        let place = Place::new();
        let told = "it was cut out of a trace that nobody has unified";
        expect_message(&place.merge(&anchors(&parts), &[]), 0, &[told]);
        let parts = self::parts(&unified(&trace.anchor).anchor(), 2, options);
        let place = Place::new();
        let ended = place.merge(&anchors(&parts), &[]);
        assert!(!said(&ended).contains(told), "{}", said(&ended));
        assert_eq!(of_kind(&place.anchor(), "InterComm").len(), 1);
    }
    let trace = one("intercomm");
    let parts = parts(&trace.anchor, 2, &[]);
    let place = Place::new();
    let ended = place.merge(&anchors(&parts), &[]);
    assert!(!said(&ended).contains("warning"), "{}", said(&ended));
}
