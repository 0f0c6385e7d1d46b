//! Traces of which very much is open at a time, or whose events lead to very much.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;

use streamfold::collective::Solo;
use streamfold::drive::select::Plan;
use streamfold::drive::{self, Progress};
use streamfold::formats::otf2::{ArchiveWriter, ReadOptions, WriteOptions};
use streamfold::kernels::Window;
use streamfold::model::events::{Event, ThreadTeamBegin};
use streamfold::model::ids::CommRef;
use streamfold::model::values::Ticks;
use streamfold::rewrite::cut::{self, Cutting, Families, MOST_REMEMBERED};

use crate::common::archives::one;
use crate::common::files::Files;
use crate::cut::made::Made;
use crate::cut::{events, expect_message, part, Place};

/// Teams that begin and do not end.
fn teams(teams: u64) -> Made {
    let mut made = Made::new(2);
    made.events(0, |w| {
        let begin = Event::ThreadTeamBegin(ThreadTeamBegin { thread_team: CommRef(0) });
        w.enter(1000, 1);
        (0..teams).for_each(|_| w.at(1100, begin));
        w.enter(1200, 2);
        w.leave(1300, 2);
        w.leave(1400, 1);
    });
    made.events(1, |w| w.enter(1250, 3));
    made.finish();
    made
}

#[test]
fn more_teams_than_are_looked_after_are_told() {
    let window = ["--time", "1250", "1350"];
    let made = teams(1024);
    let (place, _) = part(&made.to.anchor_path(), &window);
    assert_eq!(events(&place.anchor())[&0], 2 * (1024 + 2));
    let made = teams(1025);
    let place = Place::new();
    let ended = place.cut(&made.to.anchor_path(), &window);
    expect_message(&ended, 3, "more than 1024 teams, forks and programs are open at a time");
    assert_eq!(events(&place.anchor()), [(0, 0), (1, 1)].into());
    expect_message(
        &Place::new().cut(&made.to.anchor_path(), &[&window[..], &["--strict"]].concat()),
        2,
        "0.evt",
    );
    // In the interval, what was before stays.
    let place = Place::new();
    expect_message(&place.cut(&made.to.anchor_path(), &["--time", "900", "1350"]), 3, "event 1026");
    assert_eq!(events(&place.anchor())[&0], 1025);
    // Where nobody has to know what is open nothing is lost.
    let (place, _) = part(&made.to.anchor_path(), &["-L", "0"]);
    assert_eq!(events(&place.anchor())[&0], 1029);
}

/// Cuts half of the time out, remembering so many numbers.
fn remembering(anchor: &Path, remembered: usize) -> Files {
    let trace = drive::open(&Solo, anchor, ReadOptions::default()).expect("a trace");
    let plan = Plan::new(&drive::weigh(&Solo, &trace).expect("files"), 1);
    let place = Place::new();
    let to = ArchiveWriter::create(&place.anchor(), WriteOptions::of(trace.source.otf2().anchor()));
    let to = to.expect("an archive");
    let clock = trace.definitions.clock.as_ref().expect("a clock");
    let end = Some(Ticks(clock.global_offset + clock.trace_length / 2));
    let locations: BTreeSet<_> = trace.definitions.locations.keys().copied().collect();
    let cutting = Cutting {
        windows: None,
        to: &to,
        window: Some(Window::new(Ticks(0), end)),
        locations: &locations,
        rule: None,
        families: Families::ALL,
        depth: usize::MAX,
        keep_definitions: false,
        keep_numbers: false,
        remembered,
        strict: false,
        workers: NonZeroUsize::MIN,
        progress: &Progress::default(),
    };
    let report = cut::cut(&Solo, &trace, &plan, cutting).expect("a part").expect("a report");
    assert!(report.renumbered > 0, "numbers become others");
    cut::finish(&trace, cutting, &report).expect("an anchor");
    Files::read(&place.anchor())
}

#[test]
fn numbers_that_are_not_remembered_are_read_once_more() {
    for name in ["hybrid", "local-defs", "intercomm"] {
        let archive = one(name);
        let expected = remembering(&archive.anchor, MOST_REMEMBERED);
        for remembered in [0, 150] {
            let files = remembering(&archive.anchor, remembered);
            files.assert_same(&expected, &format!("{name}, {remembered}"));
        }
    }
}
