//! Locations, groups, regions, depths and kinds of records that stay.

use std::collections::BTreeSet;

use streamfold::model::events::{Event, Metric};
use streamfold::model::ids::MetricRef;
use streamfold::model::values::TypedValue;

use crate::common::archives::one;
use crate::cut::made::Made;
use crate::cut::{events, expect_valid, open, part, printed, profile};

/// One location: visits inside of others, with a metric and a message in them.
fn nested() -> Made {
    let mut made = Made::new(2);
    made.events(0, |w| {
        w.enter(1000, 1);
        w.enter(1100, 2);
        w.enter(1200, 3);
        let values = [TypedValue { value_type: streamfold::model::enums::Type::Uint64, bits: 9 }];
        w.at(1250, Event::Metric(Metric { metric: MetricRef(0), values: &values }));
        w.enter(1300, 4);
        w.send(1350, 1, 0);
        w.leave(1400, 4);
        w.leave(1500, 3);
        w.leave(1600, 2);
        w.leave(1700, 1);
    });
    made.events(1, |w| w.receive(1900, 0, 0));
    made.finish();
    made
}

fn names(made: &Made, options: &[&str]) -> String {
    let (place, _) = part(&made.to.anchor_path(), options);
    expect_valid(&place.anchor(), &format!("{options:?}"));
    let short = |line: &String| {
        let name = line.split_whitespace().next().unwrap_or_default();
        let what = line.split_once('"').and_then(|(_, rest)| rest.split('"').next());
        match (name, what) {
            ("ENTER", Some(region)) => format!("+{region}"),
            ("LEAVE", Some(region)) => format!("-{region}"),
            (name, _) => name.to_lowercase(),
        }
    };
    printed(&place.anchor(), 0).iter().map(short).collect::<Vec<_>>().join(" ")
}

#[test]
fn regions_depths_and_kinds_stay_as_asked() {
    let made = nested();
    for (options, expected) in [
        (&["--depth", "2"][..], "+r1 +r2 metric mpi_send -r2 -r1"),
        (&["--depth", "0"], "metric mpi_send"),
        (&["--paradigm", "mpi"], "+r2 metric +r4 mpi_send -r4 -r2"),
        (&["--paradigm", "mpi", "--depth", "1"], "+r2 metric mpi_send -r2"),
        (&["--region", "^r[13]$"], "+r1 +r3 metric mpi_send -r3 -r1"),
        (&["--exclude", "r2", "--exclude", "r3"], "+r1 metric +r4 mpi_send -r4 -r1"),
        (&["--without", "metrics,messages"], "+r1 +r2 +r3 +r4 -r4 -r3 -r2 -r1"),
        (&["--only", "messages"], "mpi_send"),
        (&["--only", "calls,metrics", "--without", "calls"], "metric"),
        (&["--time", "1350", "1450", "--depth", "1"], "+r1 mpi_send -r1"),
    ] {
        assert_eq!(names(&made, options), expected, "{options:?}");
    }
}

#[test]
fn profiles_of_chosen_regions_are_those_of_the_whole() {
    for archive in ["hybrid", "intercomm", "sampling"] {
        let archive = one(archive);
        let options = ["--paradigm", "mpi"];
        let (place, _) = part(&archive.anchor, &options);
        let expected = profile(&archive.anchor, &options);
        assert_eq!(profile(&place.anchor(), &[]), expected, "{}", archive.name);
        expect_valid(&place.anchor(), &archive.name);
    }
}

/// Visits that are deeper take nothing from the inclusive times of the others.
#[test]
fn inclusive_times_do_not_depend_on_depths() {
    let archive = one("local-defs");
    let (place, _) = part(&archive.anchor, &["--depth", "2"]);
    let whole = profile(&archive.anchor, &[]);
    let own = profile(&place.anchor(), &[]);
    assert!(own.len() < whole.len());
    for (path, sums) in &own {
        assert_eq!(sums[0], whole[path][0], "{path}");
    }
    expect_valid(&place.anchor(), "not deep");
}

#[test]
fn locations_that_others_name_stay_without_events() {
    let archive = one("intercomm");
    let (place, said) = part(&archive.anchor, &["-L", "1"]);
    assert!(said.contains("3 locations stay without events"), "{said}");
    let whole = events(&archive.anchor);
    let left = events(&place.anchor());
    assert_eq!(left.keys().collect::<BTreeSet<_>>(), whole.keys().collect());
    for (location, events) in left {
        assert_eq!(events, if location == 1 { whole[&1] } else { 0 }, "{location}");
    }
    expect_valid(&place.anchor(), "one of four");
    // Without communicators nobody names them.
    let kinds = ["-L", "1", "--only", "calls"];
    let (place, _) = part(&archive.anchor, &kinds);
    assert_eq!(events(&place.anchor()).keys().copied().collect::<Vec<_>>(), [1]);
    expect_valid(&place.anchor(), "one alone");
}

#[test]
fn locations_and_groups_are_chosen_by_number_and_name() {
    let archive = one("hybrid");
    let definitions = open(&archive.anchor).1;
    let (id, group) = definitions.location_groups.first().expect("a group");
    let name = definitions.string(group.name).expect("a name").to_string();
    let members = definitions.locations.values().filter(|it| it.location_group == *id);
    let members: BTreeSet<u64> = members.map(|location| location.id.0).collect();
    let (place, _) = part(&archive.anchor, &["--group", &name]);
    let whole = events(&archive.anchor);
    for (location, events) in events(&place.anchor()) {
        let expected = if members.contains(&location) { whole[&location] } else { 0 };
        assert_eq!(events, expected, "{location}");
    }
    expect_valid(&place.anchor(), "a group");
}

/// It may be a name that is misspelled, so that the part is not what was wanted.
#[test]
fn that_no_region_is_of_those_asked_for_is_told() {
    let made = nested();
    let text = "no region that was visited is of those asked for (--region, --paradigm, --exclude)";
    for (options, told) in [
        (&["--region", "R2"][..], true),
        (&["--exclude", "r"], true),
        (&["--paradigm", "cuda"], true),
        // Before it was visited, and while it was.
        (&["--region", "r4", "--time", "1000", "1300"], true),
        (&["--region", "r4", "--time", "1350", "1360"], false),
        (&["--region", "r2"], false),
        (&["--region", "R2", "--only", "metrics"], false),
        (&["--depth", "0"], false),
    ] {
        let (_, said) = part(&made.to.anchor_path(), options);
        assert_eq!(said.contains(text), told, "{options:?}: {said}");
    }
}
