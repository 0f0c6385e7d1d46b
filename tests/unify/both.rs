//! Numbers that a location without mapping tables defines, and the global definitions as well.

use std::path::Path;

use streamfold::model::definitions::Definition;
use streamfold::model::events::Event;
use streamfold::model::ids::{CommRef, GroupRef, RegionRef};

use crate::common::program::{said, streamfold, text};
use crate::common::reference::{is_installed, otf2_print};
use crate::made::{make, make_with, records, send, system, visit, Defs, Local, Made};
use crate::profiles::{profile_of, rows};
use crate::{expect, Place};

/// A location that visits three regions of its own, and sends in a communicator of its own.
fn local(names: [&str; 3]) -> Local {
    let mut defs = Defs::new(0);
    let regions = names.map(|name| defs.region(name));
    let (_, comm) = defs.world(&[0]);
    assert_eq!((regions, comm), ([2, 4, 6].map(RegionRef), CommRef(10)));
    let visits = regions.into_iter().flat_map(visit);
    Local::new(defs, visits.chain([send(comm, 7)]).collect::<Vec<Event<'static>>>())
}

/// Two such locations, and global definitions that say something else of two of the regions and of the
/// communicator.
fn made() -> Made {
    let locals = [local(["a", "b", "c"]), local(["b", "d", "c"])];
    let mut others = Defs::new(50);
    others.region("x");
    others.region("b");
    others.comm("other", GroupRef::UNDEFINED, CommRef::UNDEFINED);
    let mut regions = [2, 4].map(RegionRef).into_iter();
    let mut global = system(&locals);
    global.all.extend(others.all.into_iter().map(|mut definition| {
        match &mut definition {
            Definition::Region(region) => region.id = regions.next().expect("two"),
            Definition::Comm(comm) => comm.id = CommRef(10),
            _ => {}
        }
        definition
    }));
    make_with(global, &locals, |_| (0, 0))
}

#[track_caller]
fn run(args: &[&str], from: &[&Path]) -> Place {
    let place = Place::new();
    let mut run = streamfold(args);
    let ended = run.args(from).arg("-o").arg(place.anchor()).output().expect("a run");
    expect(&ended, 0);
    place
}

/// The rows of a profile of the two locations.
fn profile(anchor: &Path, by: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let all = profile_of(anchor, by, 0, &["-L", "0", "-L", "100"]);
    let head = all.0.clone();
    rows(all, &head)
}

#[test]
fn events_mean_the_global_ones_before_and_after() {
    let made = made();
    let anchor = made.anchor.as_path();
    let other = make(&[local(["e", "f", "c"])]);
    let ways: [(&[&str], &[&Path]); 7] = [
        (&["unify"], &[anchor]),
        (&["unify", "--rewrite-events"], &[anchor]),
        (&["cut", "-L", "0", "-L", "100", "--only", "calls", "--only", "messages"], &[anchor]),
        (&["merge"], &[anchor]),
        (&["merge"], &[anchor, &other.anchor]),
        (&["merge", "--rewrite-events"], &[anchor, &other.anchor]),
        (&["copy", "--reencode"], &[anchor]),
    ];
    for (args, from) in ways {
        let place = run(args, from);
        for by in ["region", "callpath", "location"] {
            let (found, expected) = (profile(&place.anchor(), by), profile(anchor, by));
            assert!(!expected.1.is_empty());
            assert_eq!(found, expected, "{args:?} by {by}");
        }
    }
    let of_regions = profile(anchor, "region");
    let column = of_regions.0.iter().position(|name| name == "name").expect("a name");
    let names: Vec<&str> = of_regions.1.iter().map(|row| row[column].as_str()).collect();
    assert_eq!(names, ["b", "c", "x"]);
}

/// As the reference does, which asks no location what its numbers mean.
#[test]
fn the_reference_sees_the_same_where_it_saw_any() {
    if !is_installed("otf2-print") {
        return;
    }
    let made = made();
    let place = run(&["unify"], &[&made.anchor]);
    let names = |anchor: &Path| -> Vec<String> {
        let printed = text(otf2_print(&[], anchor).stdout);
        let events = printed.lines().filter(|line| line.starts_with(['E', 'L', 'M']));
        let quoted = events.map(|line| line.split('"').nth(1).unwrap_or_default().to_owned());
        quoted.collect()
    };
    let (before, after) = (names(&made.anchor), names(&place.anchor()));
    let known = before.iter().zip(&after).filter(|(before, _)| !before.is_empty());
    assert!(known.clone().count() >= 10, "{before:?}");
    assert!(known.clone().all(|(before, after)| before == after), "{before:?} {after:?}");
}

#[test]
fn it_is_told() {
    let made = made();
    let place = Place::new();
    let ended = place.unify(&made.anchor, &[]);
    expect(&ended, 0);
    let text = "the global definitions have the same numbers: events mean those";
    for line in [
        format!("t/0.def: Region 2: {text}"),
        format!("t/100.def: Region 2 and 1 more: {text}"),
        format!("t/0.def: Comm 10: {text}"),
    ] {
        assert!(said(&ended).contains(&line), "{line}: {}", said(&ended));
    }
    let comms: Vec<_> =
        records(&place, &[]).iter().filter_map(|it| it["communicator"].as_u64()).collect();
    assert_eq!(comms, [10, 10]);
}
