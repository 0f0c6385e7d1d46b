//! Locations that their own files define once more, where their archive is one of several.

use streamfold::model::definitions::{Definition, Location};
use streamfold::model::enums::LocationType;
use streamfold::model::ids::{LocationGroupRef, LocationRef, StringRef};

use crate::common::program::said;
use crate::merge::made::{string, Trace};
use crate::merge::{expect, expect_message, Place};

fn location(id: u64, name: u32) -> Definition {
    Definition::Location(Location {
        id: LocationRef(id),
        name: StringRef(name),
        location_type: LocationType::CpuThread,
        number_of_events: 4,
        location_group: LocationGroupRef(0),
    })
}

/// A job of one process whose own file calls its location so, and its global definitions also otherwise than a
/// thread, if they do.
fn job(own: &str, before: Option<&str>) -> Trace {
    let mut trace = Trace::job(2, &[7], "a");
    trace.processes[0].own = vec![string(80, own), location(7, 80)];
    if let Some(name) = before {
        trace.global.push(string(81, name));
        trace.global.push(location(7, 81));
    }
    trace
}

/// The first of several definitions of a location counts, wherever its archive stands. It is told with the number that it
/// has there, though it gets another one.
#[test]
fn the_first_definition_counts() {
    let other = Trace::job(1, &[7, 8], "a").write();
    for (own, before, contradicts) in [
        ("thread", None, false),
        ("another", None, true),
        ("another", Some("another"), false),
        ("thread", Some("another"), true),
    ] {
        let job = job(own, before).write();
        for order in [[&other, &job], [&job, &other]] {
            let place = Place::new();
            let ended = place.merge(&order, &[]);
            let text = "Location 7 contradicts its global definition, which counts, by its name";
            match contradicts {
                true => expect_message(&ended, 3, &[text]),
                false => {
                    expect(&ended, 0);
                    assert!(!said(&ended).contains("contradicts its"), "{}", said(&ended));
                }
            }
        }
    }
}
