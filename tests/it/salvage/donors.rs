//! Whole archives of the same program, and others that are none.

use std::fs;

use streamfold::formats::otf2::Order;

use crate::common::archives::one;
use crate::common::program::said;
use crate::salvage::made::{Made, LOCATIONS};
use crate::salvage::{definitions, events, expect_message, expect_valid, Place};

fn donor(made: &Made) -> Vec<String> {
    vec!["--donor".to_owned(), made.anchor().display().to_string()]
}

#[track_caller]
fn salvaged(made: &Made, donor: &Made, code: i32, part: &str) -> Place {
    let place = Place::new();
    let options = self::donor(donor);
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    expect_message(&place.salvage(&made.file(""), &options), code, part);
    expect_valid(&place.anchor());
    place
}

/// All that the archive has lost is the donor's: definitions, mapping tables, clock offsets.
#[test]
fn a_donor_gives_what_is_lost() {
    let (made, donor) = (Made::new(Order::Little, 2), Made::new(Order::Big, 1));
    for file in [".otf2", ".def", "/1.def"] {
        made.remove(file);
    }
    let place = salvaged(&made, &donor, 0, "of the donor, 1 made up");
    for location in LOCATIONS {
        let path = made.place.file("in/t.otf2");
        fs::copy(donor.anchor(), &path).expect("an anchor to read with");
        assert_eq!(events(&place.anchor(), location), events(&path, location));
    }
    let new = fs::read(place.file("new/salvaged/1.def")).expect("definitions");
    assert!(new == fs::read(donor.file("/1.def")).expect("definitions"));
    let skipped = |line: &&String| !line.contains("ClockProperties") && !line.contains("Location(");
    let (new, old) = (definitions(&place.anchor()), definitions(&donor.anchor()));
    let (new, old): (Vec<_>, Vec<_>) =
        (new.iter().filter(skipped).collect(), old.iter().filter(skipped).collect());
    assert!(old.iter().all(|definition| new.contains(definition)), "{new:#?}");
}

/// What can still be read of the archive counts, the rest is the donor's.
#[test]
fn a_donor_completes_what_is_cut() {
    let (made, donor) = (Made::new(Order::Little, 1), Made::new(Order::Little, 1));
    let length = fs::metadata(made.file(".def")).expect("a file").len();
    made.cut(".def", length / 2);
    let place = salvaged(&made, &donor, 3, "t.def");
    let (mut new, mut old) = (definitions(&place.anchor()), definitions(&donor.anchor()));
    new.sort();
    old.sort();
    assert_eq!(new, old);
}

#[test]
fn a_donor_that_says_something_else_is_told() {
    let (made, donor) = (Made::new(Order::Little, 1), Made::new(Order::Little, 1));
    let length = fs::metadata(made.file(".def")).expect("a file").len();
    made.cut(".def", length - 200);
    let definitions_of_donor = fs::read(donor.file(".def")).expect("definitions");
    // The string "region" with another letter.
    let at =
        definitions_of_donor.windows(6).position(|part| part == b"region").expect("it is there");
    let mut changed = definitions_of_donor.clone();
    changed[at] = b'R';
    fs::write(donor.file(".def"), changed).expect("written");
    let place = Place::new();
    let options = self::donor(&donor);
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let ended = place.salvage(&made.file(""), &options);
    expect_message(&ended, 3, "Region 3 is something else in");
    // The string, all regions, and where the definitions are cut.
    assert!(said(&ended).contains("22 losses"), "{}", said(&ended));
    expect_valid(&place.anchor());
    assert!(crate::salvage::strings(&place.anchor()).contains(&"region".to_owned()));
}

/// Locations of another run: those that the donor has and the archive has not, and the other way
/// round.
#[test]
fn a_donor_with_other_locations_is_told() {
    let (made, donor) = (Made::new(Order::Little, 1), Made::new(Order::Little, 1));
    for file in [".otf2", ".def", "/1.def"] {
        made.remove(file);
    }
    fs::rename(made.file("/1.evt"), made.file("/5.evt")).expect("another number");
    let place = salvaged(&made, &donor, 3, "there is no location 5 in it");
    let again = place.salvage(&made.file(""), &[]);
    expect_message(&again, 4, "--force");
    let options = self::donor(&donor);
    let options: Vec<&str> = options.iter().map(String::as_str).chain(["--force"]).collect();
    expect_message(&place.salvage(&made.file(""), &options), 3, "t/1.evt: there is no event file");
}

#[test]
fn a_donor_that_cannot_be_read_is_refused() {
    let made = Made::new(Order::Little, 1);
    made.remove(".def");
    let place = Place::new();
    for (donor, code) in [("there-is-none.otf2", 4), ("/dev/null", 2)] {
        let ended = place.salvage(&made.anchor(), &["--donor", donor]);
        assert!(
            matches!(ended.status.code(), Some(found) if found == code || found == 4),
            "{}",
            said(&ended)
        );
        assert!(!place.file("new").exists());
    }
    let other = Made::new(Order::Little, 1);
    other.cut(".def", 100);
    let anchor = other.anchor().display().to_string();
    expect_message(&place.salvage(&made.anchor(), &["--donor", &anchor]), 2, "t.def");
    assert!(!place.file("new").exists());
}

/// Where nothing is lost nobody is asked.
#[test]
fn a_whole_archive_needs_none() {
    let made = Made::new(Order::Little, 1);
    let donor = one("pingpong").anchor.display().to_string();
    let place = Place::new();
    let ended = place.salvage(&made.anchor(), &["--donor", &donor]);
    expect_message(&ended, 0, "the donor is not asked");
    expect_valid(&place.anchor());
}
