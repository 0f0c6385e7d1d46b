//! A real run that was killed: event files cut in a chunk, and an earlier run as donor.

use std::path::PathBuf;

use crate::common::archives::{facts, large_folders};
use crate::common::gunzip;
use crate::common::program::{said, text};
use crate::common::reference::{is_installed, otf2_print};
use crate::salvage::{events, expect_message, expect_valid, strings, Place};

fn folder() -> Option<PathBuf> {
    large_folders(&["crashed-scorep8-comd"]).pop()
}

/// What the reference reader yields up to its error, which comes with the first stream that ends
/// early; the rest of the other stream follows on that.
#[test]
fn with_a_donor_it_says_what_the_reference_reader_says() {
    let Some(folder) = folder() else { return };
    let place = Place::new();
    let donor = folder.join("donor/traces.otf2").display().to_string();
    let ended = place.salvage(&folder.join("traces"), &["--donor", &donor]);
    expect_message(&ended, 3, "2 of 2 locations cut short: 116 654 events kept");
    assert!(said(&ended).contains("mapping tables and clock offsets are the donor's"));
    expect_valid(&place.anchor());
    let facts = facts(&folder.join("facts-with-donor-definitions.json"));
    let names = strings(&place.anchor());
    for region in facts["regions"].as_array().expect("regions") {
        let name = region["name"].as_str().expect("a name");
        assert!(names.iter().any(|other| other == name), "{name}");
    }
    for location in facts["locations"].as_array().expect("locations") {
        let id = location["ref"].as_u64().expect("a number");
        let expected = location["events"].as_u64().expect("a count");
        assert!(events(&place.anchor(), id).len() as u64 >= expected);
    }
    if !is_installed("otf2-print") {
        return;
    }
    let printed = text(&otf2_print(&[], &place.anchor()).stdout);
    let expected = gunzip(&folder.join("expected-with-donor-definitions.txt.gz"));
    // Its complaints stand in the middle of lines.
    let complaint = regex::Regex::new(r"\[OTF2\][^\n]*\n").expect("an expression");
    let expected = complaint.replace_all(&expected, "");
    let lines = |text: &str| -> Vec<String> {
        let head = |line: &&str| !line.is_empty() && !line.starts_with('=');
        text.lines().filter(head).map(str::to_owned).collect()
    };
    let (printed, expected) = (lines(&printed), lines(&expected));
    assert!(expected.len() > 100_000 && printed.len() >= expected.len());
    let differs = printed.iter().zip(&expected).find(|(printed, expected)| printed != expected);
    assert_eq!(differs, None);
}

#[test]
fn without_one_everything_has_a_name() {
    let Some(folder) = folder() else { return };
    for from in [folder.join("traces"), folder.clone(), folder.join("traces.otf2")] {
        let place = Place::new();
        let ended = place.salvage(&from, &[]);
        expect_message(&ended, 3, "2 of 2 locations cut short: 116 654 events kept");
        expect_valid(&place.anchor());
        for location in [0, 1] {
            assert_eq!(events(&place.anchor(), location).len(), 58_327);
        }
        let names = strings(&place.anchor());
        for name in ["region 3", "location 1", "process 0", "communicator 1"] {
            assert!(names.iter().any(|other| other == name), "{name} is not in {names:?}");
        }
    }
}

/// Offsets that another run had may be those of other clocks.
#[test]
fn clock_offsets_of_the_donor_can_be_left_out() {
    let Some(folder) = folder() else { return };
    let donor = folder.join("donor/traces.otf2").display().to_string();
    let place = Place::new();
    let options = ["--donor", &donor, "--donor-clocks", "never"];
    let ended = place.salvage(&folder.join("traces"), &options);
    expect_message(&ended, 3, "its clock offsets");
    expect_valid(&place.anchor());
    // As recorded, 1000 seconds apart.
    let span = crate::salvage::definitions(&place.anchor()).remove(0);
    assert!(span.contains("global_offset: 3927148381060"), "{span}");
}
