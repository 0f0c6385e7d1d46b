//! Parts of the time of real traces: profiles of them are those of the window, they are valid, and those
//! that adjoin add up.

use std::path::Path;

use crate::common::archives::{large, one, own, Archive};
use crate::common::small::{Bytes, Definitions, Files, Order, Small};
use crate::cut::made::Made;
use crate::cut::{add, events, expect_valid, open, part, profile, Place, Sums, SUMMED};

/// Windows of an archive, each a begin and an end in ticks.
fn windows(archive: &Archive) -> Vec<(u64, u64)> {
    let clock = open(&archive.anchor).1.clock.expect("a clock");
    let at = |part: f64| clock.global_offset + (clock.trace_length as f64 * part) as u64;
    vec![(at(0.25), at(0.75)), (at(0.6), at(1.5))]
}

fn cut_window(archive: &Archive, begin: u64, end: u64) -> Place {
    let [begin, end] = [begin, end].map(|bound| bound.to_string());
    part(&archive.anchor, &["--time", &begin, &end]).0
}

fn expect_profile(archive: &Archive, begin: u64, end: u64) -> Place {
    let what = format!("{}, {begin} to {end}", archive.name);
    let place = cut_window(archive, begin, end);
    let [from, to] = [begin, end].map(|bound| bound.to_string());
    let window = profile(&archive.anchor, &["--time", &from, &to]);
    assert_eq!(profile(&place.anchor(), &[]), window, "{what}");
    place
}

#[test]
fn profiles_of_a_part_are_those_of_the_window() {
    for archive in own() {
        for (begin, end) in windows(&archive) {
            let place = expect_profile(&archive, begin, end);
            // EZTrace defines numbers twice, and leads to what it does not define.
            if archive.name != "eztrace" {
                expect_valid(&place.anchor(), &format!("{}, {begin} to {end}", archive.name));
            }
        }
    }
}

#[test]
fn profiles_of_a_part_of_other_traces_are_those_of_the_window() {
    for archive in large() {
        let (begin, end) = windows(&archive)[0];
        let place = expect_profile(&archive, begin, end);
        // What nobody has unified, or nobody has checked, may be wrong before.
        if archive.name.starts_with("scorep") {
            expect_valid(&place.anchor(), &archive.name);
        }
    }
}

/// Teams hang where they were forked, and all of it below the program, although both began before.
#[test]
fn thread_trees_of_a_part_are_in_that_of_the_whole() {
    let archive = one("hybrid");
    let trees = ["--thread-tree", "--program-root"];
    let whole = profile(&archive.anchor, &trees);
    let clock = open(&archive.anchor).1.clock.expect("a clock");
    let at = |percent: u64| clock.global_offset + clock.trace_length * percent / 100;
    for (begin, end) in [(at(33), at(66)), (at(95), at(98))] {
        let place = cut_window(&archive, begin, end);
        let own = profile(&place.anchor(), &trees);
        assert!(!own.is_empty());
        for path in own.keys() {
            assert!(whole.contains_key(path), "{path}");
        }
    }
}

#[test]
fn parts_that_adjoin_add_up() {
    for archive in [one("hybrid"), one("local-defs"), one("intercomm")] {
        let clock = open(&archive.anchor).1.clock.expect("a clock");
        let (mut sums, mut begin) = (Sums::new(), 0);
        for step in 1..=4 {
            let end = clock.global_offset + clock.trace_length * step / 4 + u64::from(step == 4);
            add(&mut sums, &cut_window(&archive, begin, end).anchor(), &[]);
            begin = end;
        }
        sums.retain(|_, sums| sums.iter().any(|sum| *sum != 0));
        assert_eq!(sums, profile(&archive.anchor, &[]), "{}", archive.name);
    }
}

#[test]
fn clocks_and_counts_are_those_of_the_part() {
    let archive = one("intercomm");
    let (_, before) = open(&archive.anchor);
    let was = before.clock.clone().expect("a clock");
    let (begin, end) = (was.global_offset + 1_000_000, was.global_offset + was.trace_length / 2);
    let place = cut_window(&archive, begin, end);
    let (opened, now) = open(&place.anchor());
    let clock = now.clock.clone().expect("a clock");
    assert_eq!((clock.global_offset, clock.trace_length), (begin, end - begin));
    let nanoseconds = 1_000_000 * 1_000_000_000 / u128::from(was.timer_resolution);
    let real = match was.realtime_timestamp {
        u64::MAX => u64::MAX,
        real => real + u64::try_from(nanoseconds).expect("not long"),
    };
    assert_eq!(clock.realtime_timestamp, real, "begin of the part");
    let counted = events(&place.anchor());
    for (location, definition) in &now.locations {
        assert_eq!(definition.number_of_events, counted[&location.0], "{location}");
    }
    let (old, new) = (crate::cut::open(&archive.anchor).0, opened.anchor());
    assert_ne!(new.trace_identifier, old.anchor().trace_identifier);
    assert_eq!(new.number_of_locations, now.locations.len() as u64);
    assert_eq!(new.creator, old.anchor().creator);
    let complete =
        new.properties.iter().find(|(name, _)| name == "OTF2::MPI_COMMUNICATION_COMPLETE");
    assert!(complete.is_none_or(|(_, value)| value == "false"), "{complete:?}");
    // Once more, the same.
    let again = cut_window(&archive, begin, end);
    let files = crate::cut::Files::read(&place.anchor());
    crate::cut::Files::read(&again.anchor()).assert_same(&files, "once more");
}

/// Whatever tool promises it, and whatever of.
#[test]
fn nothing_is_complete_of_which_a_part_is_left() {
    let mut made = Made::new(1);
    let name = "TOOL::METRICS_COMPLETE";
    made.properties = vec![(name, "true"), ("TOOL::METRICS", "true")];
    made.events(0, |w| {
        w.enter(1100, 1);
        w.leave(1500, 1);
    });
    let anchor = made.finish();
    let says = |options: &[&str]| -> Vec<String> {
        let place = Place::new();
        crate::cut::expect(&place.cut(&anchor, options), 0);
        let properties = open(&place.anchor()).0.anchor().properties.clone();
        properties.into_iter().map(|(_, value)| value.to_string()).collect()
    };
    assert_eq!(says(&[]), ["true", "true"]);
    for options in [&["--time", "1000", "1200"][..], &["--without", "metrics"]] {
        assert_eq!(says(options), ["false", "true"], "{options:?}");
    }
}

#[test]
fn windows_before_and_behind_everything_are_archives() {
    let archive = one("pingpong");
    let clock = open(&archive.anchor).1.clock.expect("a clock");
    let last = clock.global_offset + clock.trace_length;
    for (begin, end) in [(0, 5), (last + 10, last + 20), (last / 2, last / 2)] {
        let place = cut_window(&archive, begin, end);
        expect_valid(&place.anchor(), &format!("{begin} to {end}"));
        assert!(events(&place.anchor()).values().all(|events| *events == 0));
    }
}

/// Two regions that say the same are one, as in profiles, also where a visit is entered by one number and left by the other.
#[test]
fn regions_that_say_the_same_are_one() {
    let definitions = Definitions::new(Order::Little).string(2, "f");
    let region = |id: u64| {
        let payload = Bytes::new(Order::Little).c(id).c(2).c(0).raw(&[1]).c(0).c(0).c(0);
        payload.c(2).raw(&[1, 1]).c(0)
    };
    let definitions = definitions.record(15, region(0)).record(15, region(1)).location(0, 0);
    let events = Bytes::new(Order::Little).header().time(110).enter(0).time(130).leave(1);
    let events = events.time(140).enter(1).time(160).leave(0).end().bytes;
    let files = vec![Files { events: Some(events), definitions: None }];
    let written = Small::with(Order::Little, definitions, files).write();
    let exclusive = |anchor: &Path, options: &[&str]| {
        let at = SUMMED.iter().position(|name| *name == "exclusive").expect("a column");
        profile(anchor, options).values().map(|row| row[at]).sum::<i128>()
    };
    for window in [["120", "150"], ["135", "200"], ["0", "135"]] {
        let options = [&["--time"][..], &window].concat();
        let (place, said) = part(&written.anchor(), &options);
        let expected = exclusive(&written.anchor(), &options);
        assert_eq!(exclusive(&place.anchor(), &[]), expected, "{window:?}: {said}");
    }
}
