//! Small files that could take all time or memory.

use std::process::Command;
use std::time::{Duration, Instant};

use streamfold::formats::otf2::{Archive, ReadOptions};
use streamfold::model::enums::GroupType;
use streamfold::model::ids::{CommRef, GroupRef};

use crate::common::program::{said, streamfold};
use crate::unify::made::{
    defects, make, make_with, of_kind, records, send, system, visit, Defs, Local,
};
use crate::unify::{expect, expect_message, Place};

/// Far more than an unoptimised program takes on a busy machine, and far less than it took once.
const LONG: Duration = Duration::from_secs(100);

/// Each communicator is made from the one before, and nobody says who is in any of them.
#[test]
fn communicators_below_very_many_others() {
    const DEPTH: u32 = 10_000;
    let local = |first: u32, backwards: bool| {
        let mut defs = Defs::new(first);
        let mut parent = CommRef::UNDEFINED;
        for _ in 0..DEPTH {
            parent = defs.comm("duplicate", GroupRef::UNDEFINED, parent);
        }
        if backwards {
            defs.all.reverse();
        }
        Local::new(defs, [send(parent, 1)])
    };
    let begin = Instant::now();
    let place = Place::new();
    let ended = place.unify(&make(&[local(0, false), local(7, true)]).anchor, &[]);
    expect_message(&ended, 3, "too many communicators are above it: nobody looked who is in it");
    assert!(begin.elapsed() < LONG, "{:?}", begin.elapsed());
    assert_eq!(of_kind(&place, "Comm").len(), DEPTH as usize);
}

/// Very many communicators of very large groups, which are not expanded for each.
#[test]
fn communicators_that_share_a_group() {
    const MEMBERS: u64 = 100_000;
    let locals = [Local::default(), Local::default()];
    let mut global = system(&locals);
    let all: Vec<u64> = (0..2 * MEMBERS).collect();
    global.group(GroupType::CommLocations, &all);
    let halves = [&all[..MEMBERS as usize], &all[MEMBERS as usize..]];
    let halves = halves.map(|half| global.group(GroupType::CommGroup, half));
    for i in 0..20_000 {
        global.comm("half", halves[i % 2], CommRef::UNDEFINED);
    }
    let made = make_with(global, &locals, |_| (0, 0));
    let place = Place::new();
    let run = format!(
        "ulimit -v 4000000 && exec '{}' unify '{}' -o '{}' --mpi off --threads 2",
        env!("CARGO_BIN_EXE_streamfold"),
        made.anchor.display(),
        place.anchor().display()
    );
    let begin = Instant::now();
    let ended = Command::new("sh").args(["-c", &run]).output().expect("a shell");
    expect(&ended, 0);
    assert!(begin.elapsed() < LONG, "{:?}: {}", begin.elapsed(), said(&ended));
}

/// Numbers with as many gaps as there are definitions to fill them.
#[test]
fn very_many_gaps_between_numbers() {
    const COUNT: u32 = 100_000;
    let string = |id: u32, text: String| {
        let id = streamfold::model::ids::StringRef(id);
        streamfold::model::definitions::Definition::StringDef(
            streamfold::model::definitions::StringDef { id, string: text.as_str().into() },
        )
    };
    let mut defs = Defs::new(0);
    (0..COUNT).for_each(|i| defs.add(string(i, format!("local {i}"))));
    let locals = [Local::new(defs, [])];
    let mut global = system(&locals);
    (50..COUNT).for_each(|i| global.add(string(2 * i, format!("global {i}"))));
    let made = make_with(global, &locals, |_| (0, 0));
    let begin = Instant::now();
    let place = Place::new();
    expect(&place.unify(&made.anchor, &[]), 0);
    assert!(begin.elapsed() < LONG, "{:?}", begin.elapsed());
    assert_eq!(of_kind(&place, "String").len(), 2 * COUNT as usize - 50 + 4);
}

/// Mapping tables that do not go into chunks of the size that the trace has: the new one has larger ones, in all
/// of its files.
#[test]
fn tables_that_are_longer_than_a_chunk() {
    let string = |id: u32, text: String| {
        let id = streamfold::model::ids::StringRef(id);
        streamfold::model::definitions::Definition::StringDef(
            streamfold::model::definitions::StringDef { id, string: text.as_str().into() },
        )
    };
    let local = |first: u32, count: u32| {
        let mut defs = Defs::new(0);
        (0..count).for_each(|_| assert!(defs.number() < count));
        (0..count).for_each(|i| defs.add(string(i, format!("string {}", first + i))));
        let region = defs.region("a");
        Local::new(defs, visit(region))
    };
    let locals = [local(7, 3), local(0, 150_000)];
    let made = make(&locals);
    let small = Place::new();
    let from = small.anchor();
    let copied = streamfold(["copy", "--reencode", "--definition-chunk-size", "256K", "-q"])
        .arg(&made.anchor)
        .arg("-o")
        .arg(&from)
        .output();
    expect(&copied.expect("a run"), 0);
    let place = Place::new();
    expect(&place.unify(&from, &[]), 0);
    let options = ReadOptions::default();
    let archive = Archive::open(&place.anchor(), options).expect("an anchor");
    assert!(archive.anchor().definition_chunk_size > 256 << 10, "{:?}", archive.anchor());
    assert_eq!(defects(&place), Vec::<String>::new());
    let whole = Place::new();
    expect(&whole.unify(&made.anchor, &[]), 0);
    assert_eq!(records(&place, &["-G"]), records(&whole, &["-G"]));
}
