//! Definitions that refer to themselves, in a circle, or in very long chains; and definitions given
//! twice. Nobody can say what is meant, but every command ends.

use std::ffi::OsString;
use std::path::Path;

use super::{header, payload, run, Little};
use crate::common::program::said;
use crate::common::small::{anchor_with, Bytes, Definitions, Files, Small, Written, CHUNK};

const NOTHING: u64 = 0xffff_ffff;

/// Commands that follow references between definitions.
const COMMANDS: [&[&str]; 7] = [
    &["profile", "--by", "region"],
    &["profile", "--by", "callpath"],
    &["profile", "--by", "group"],
    &["profile", "--format", "json"],
    &["profile", "--plan=3"],
    &["print", "-A", "-M", "-C", "--unwind-calling-context"],
    &["print", "--system-tree"],
];

/// Every command ends, and with an output; what is odd may be told.
fn all_end(anchor: &Path) {
    for command in COMMANDS {
        let mut args: Vec<OsString> = command.iter().map(OsString::from).collect();
        args.extend([anchor.as_os_str().to_owned(), "-q".into()]);
        let ended = run(args);
        let says = said(&ended);
        assert!([Some(0), Some(3)].contains(&ended.status.code()), "{command:?}: {says}");
        assert!(!ended.stdout.is_empty(), "{command:?}: {says}");
        assert!(!says.contains("panic"), "{command:?}: {says}");
    }
}

/// With these definitions, and events of a calling context, a communicator and a region.
fn with(definitions: impl FnOnce(Definitions) -> Definitions) -> Written {
    let start = Definitions::new(Little).region(0);
    let definitions = definitions(start).location(0, 0).location(1, 0);
    let mut small = Small::with(Little, definitions, Small::new(Little).locations);
    let context = || payload().c(0).c(2);
    let send = payload().c(1).c(0).c(7).c(100);
    let events = header().time(100).record(66, context()).record(14, send).time(110);
    small.locations[0].events = Some(events.record(67, context()).enter(0).leave(0).end().bytes);
    small.write()
}

fn system_tree_node(id: u64, parent: u64) -> Bytes {
    payload().c(id).c(1).c(1).c(parent)
}

fn context(id: u64, parent: u64) -> Bytes {
    payload().c(id).c(0).c(NOTHING).c(parent)
}

fn comm(id: u64, group: u64, parent: u64) -> Bytes {
    payload().c(id).c(1).c(group).c(parent)
}

#[test]
fn definitions_that_are_their_own_parents() {
    let parents = [
        (12, system_tree_node(0, 0)),
        (13, payload().c(0).c(1).raw(&[1]).c(0).c(0)),
        (17, payload().c(0).c(0).c(0)),
        (21, payload().c(0).c(0).c(0).raw(&[2]).c(0)),
        (22, comm(0, 0, 0)),
        (34, context(0, 0)),
        (40, payload().c(0).c(1).c(0).raw(&[0]).c(0).c(0).c(0)),
    ];
    all_end(
        &with(|d| parents.into_iter().fold(d, |d, (id, record)| d.record(id, record))).anchor(),
    );
}

#[test]
fn definitions_whose_parents_go_in_a_circle() {
    let circle = |d: Definitions, id: u8, record: &dyn Fn(u64, u64) -> Bytes| {
        (0..5).fold(d, |d, number| d.record(id, record(number, (number + 1) % 5)))
    };
    let written = with(|d| {
        let d = circle(d, 12, &system_tree_node);
        let d = circle(d, 17, &|id, parent| payload().c(id).c(parent).c(0));
        let d = circle(d, 21, &|id, class| payload().c(id).c(class).c(0).raw(&[2]).c(0));
        let d = circle(d, 22, &|id, parent| comm(id, id, parent));
        let d = circle(d, 40, &|id, parent| {
            payload().c(id).c(1).c(0).raw(&[0]).c(0).c(parent).c(parent)
        });
        circle(d, 34, &context)
    });
    all_end(&written.anchor());
}

/// As deep as no program is: nothing here may need a stack of its own.
#[test]
fn chains_of_a_hundred_thousand_parents() {
    const LENGTH: u64 = 100_000;
    let parent = |id: u64| if id + 1 < LENGTH { id + 1 } else { NOTHING };
    let definitions = (0..LENGTH).fold(Definitions::new(Little).region(0), |d, id| {
        let d = d.record(34, context(id, parent(id))).record(12, system_tree_node(id, parent(id)));
        d.record(22, comm(id, 0, parent(id)))
    });
    let definitions = definitions.location(0, 0);
    let count = definitions.count;
    let enters = (0..LENGTH).fold(header().time(100), |events, _| events.enter(0));
    let events = enters.record(66, payload().c(0).c(1)).end().bytes;
    let files = vec![Files { events: Some(events), definitions: None }];
    let mut small = Small::with(Little, definitions, files);
    small.anchor = anchor_with(Little, 16 << 20, 16 << 20, 1, count);
    assert!(small.definitions.len() as u64 > CHUNK, "chunks of the usual size were too small");
    all_end(&small.write().anchor());
}

/// The later one counts, and nothing breaks on the way.
#[test]
fn every_definition_given_twice() {
    let twice = |d: Definitions| {
        let d = d.string(1, "again").region(0).record(12, system_tree_node(0, NOTHING));
        let d = d.record(12, system_tree_node(0, 0)).record(34, context(0, NOTHING));
        let d =
            d.record(34, context(0, 0)).record(22, comm(0, 0, NOTHING)).record(22, comm(0, 1, 0));
        let d = d.record(13, payload().c(0).c(0).raw(&[1]).c(NOTHING));
        let clock = payload().c(5).c(0).c(1000).c(u64::MAX);
        d.record(5, clock).location(0, 0).location(1, 0)
    };
    all_end(&with(twice).anchor());
}

/// One reference that is a group, a class of metrics and an instance of it.
#[test]
fn references_of_several_kinds() {
    let member = payload().c(0).c(1).c(1).raw(&[0, 0, 4, 10]).c(0).c(1);
    let written = with(|d| {
        let d = d.record(19, member).record(20, payload().c(0).c(1).c(0).raw(&[0, 0]));
        let d = d.record(21, payload().c(0).c(0).c(0).raw(&[2]).c(0));
        d.record(43, payload().c(0).c(1).c(0).c(0).c(0).raw(&[0])).record(22, comm(0, 0, 0))
    });
    all_end(&written.anchor());
}
