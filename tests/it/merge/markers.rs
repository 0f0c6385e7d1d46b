//! Markers of all traces are in one file; snapshots and thumbnails, which are not about all, are left out.

use serde_json::{json, Value};
use streamfold::model::enums::{GroupType, MarkerScope, MarkerSeverity};
use streamfold::model::ids::MarkerRef;
use streamfold::model::markers::{DefMarker, Marker, MarkerRecord};

use crate::common::program::said;
use crate::common::reference::is_installed;
use crate::merge::made::{clock, group, Trace};
use crate::merge::meaning::{errors, records};
use crate::merge::{expect_message, merged, Place};

fn defined(id: u32, category: &str) -> MarkerRecord {
    MarkerRecord::DefMarker(DefMarker {
        id: MarkerRef(id),
        marker_group: "group".into(),
        marker_category: category.into(),
        severity: MarkerSeverity::Low,
    })
}

fn marker(id: u32, timestamp: u64, marker_scope: MarkerScope, scope: u64) -> MarkerRecord {
    let (marker, text) = (MarkerRef(id), format!("at {timestamp}").as_str().into());
    MarkerRecord::Marker(Marker { timestamp, duration: 20, marker, marker_scope, scope, text })
}

/// A trace with a marker of each scope. `first`: the number of the first definition.
fn marked(identifier: u64, first: u32, categories: [&str; 2], resolution: u64) -> Trace {
    let mut trace = Trace::job(identifier, &[0, 1], "a");
    trace.clock = Some(clock(resolution, 1_000, 1_000, u64::MAX));
    trace.global.push(group(9, GroupType::Locations, &[1]));
    let scopes = [
        (MarkerScope::Global, 0),
        (MarkerScope::Location, 1),
        (MarkerScope::LocationGroup, 1),
        (MarkerScope::SystemTreeNode, 0),
        (MarkerScope::Group, 9),
        (MarkerScope::Comm, 0),
    ];
    trace.markers = vec![defined(first, categories[0]), defined(first + 1, categories[1])];
    let markers = (0..).zip(scopes).map(|(i, (scope, number))| {
        marker(first + i % 2, 1_100 + u64::from(i) * 10, scope, number)
    });
    trace.markers.extend(markers);
    trace
}

/// Markers, and what their scopes are.
fn markers(place: &Place) -> (Vec<Value>, Vec<Value>) {
    let all = records(&place.anchor(), &["-A"]);
    let of = |kind: &str| -> Vec<Value> {
        all.iter().filter(|record| record["record"] == kind).cloned().collect()
    };
    (of("DefMarker"), of("Marker"))
}

fn fields(all: &[Value], names: &[&str]) -> Vec<Value> {
    all.iter().map(|it| names.iter().map(|name| it[*name].clone()).collect()).collect()
}

#[test]
fn all_markers_are_there_with_their_times_and_scopes() {
    let traces = [
        marked(1, 3, ["hot", "cold"], 1_000_000).write(),
        marked(2, 0, ["cold", "wet"], 500_000).write(),
    ];
    for way in [&[][..], &["--rewrite-events"], &["--link"]] {
        let place = merged(&traces, way);
        let (definitions, markers) = markers(&place);
        let said = fields(&definitions, &["id", "marker_group", "marker_category"]);
        assert_eq!(
            said,
            [json!([0, "group", "hot"]), json!([1, "group", "cold"]), json!([2, "group", "wet"])]
        );
        let at = fields(&markers, &["timestamp", "duration", "marker", "text"]);
        let old =
            (0..6).map(|i| json!([1_100 + i * 10, 20, i % 2, format!("at {}", 1_100 + i * 10)]));
        // Each tick is two now, and both begin with the first.
        let new = (0..6)
            .map(|i| json!([1_200 + i * 20, 40, 1 + i % 2, format!("at {}", 1_100 + i * 10)]));
        assert_eq!(at, old.chain(new).collect::<Vec<_>>(), "{way:?}");
        let scopes = fields(&markers, &["marker_scope_name", "scope"]);
        let of = |locations: u64, groups: u64, list: &Value, comm: &Value| {
            vec![
                json!(["GLOBAL", 0]),
                json!(["LOCATION", locations]),
                json!(["LOCATION_GROUP", groups]),
                json!(["SYSTEM_TREE_NODE", 0]),
                json!(["GROUP", list]),
                json!(["COMM", comm]),
            ]
        };
        let all = records(&place.anchor(), &["-G"]);
        let find = |kind: &str, field: &str, value: Value| {
            let found = all.iter().find(|it| it["record"] == kind && it[field] == value);
            found.unwrap_or_else(|| panic!("{kind} {value}"))["id"].clone()
        };
        let lists = [1, 3].map(|location| find("Group", "members", json!([location])));
        let worlds = [[0, 1], [2, 3]].map(|ranks| {
            let group = find("Group", "members", json!(ranks));
            // Of both groups with these members one is that of the world.
            let comms = all.iter().filter(|it| it["record"] == "Comm");
            let comm = comms.clone().find(|it| it["group"] == group);
            comm.map(|comm| comm["id"].clone())
        });
        let worlds = worlds.map(|world| world.unwrap_or_default());
        let expected = [of(1, 1, &lists[0], &worlds[0]), of(3, 3, &lists[1], &worlds[1])].concat();
        assert_eq!(scopes, expected, "{way:?}");
        assert_eq!(errors(&place.anchor()), [""; 0]);
        if is_installed("otf2-marker") {
            let run = std::process::Command::new("otf2-marker").arg(place.anchor()).output();
            let run = run.expect("otf2-marker runs");
            assert!(run.status.success(), "{}", crate::common::program::said(&run));
        }
    }
}

#[test]
fn without_markers_there_is_no_file() {
    let traces = [1, 2].map(|identifier| Trace::job(identifier, &[0], "a").write());
    let place = merged(&traces, &[]);
    assert_eq!(place.left(), ["all", "all.def", "all.otf2"]);
}

#[test]
fn snapshots_are_left_out_and_that_is_told() {
    let mut first = Trace::job(1, &[0], "a");
    first.snapshots = 1;
    let first = first.write();
    std::fs::write(first.anchor.with_extension("").join("0.snap"), "snapshots").expect("written");
    let second = Trace::job(2, &[0], "b").write();
    let place = Place::new();
    let ended = place.merge(&[&first, &second], &[]);
    expect_message(&ended, 0, &["snapshots and thumbnails of 1 trace are left out"]);
    let files = crate::common::files::names(&place.file("all"));
    assert_eq!(files, ["0.def", "0.evt", "1.def", "1.evt"]);
    let anchor = &records(&place.anchor(), &["-I"])[0];
    assert_eq!(anchor["number_of_snapshots"], 0);
    let ended = Place::new().merge(&[&second], &[]);
    assert!(!said(&ended).contains("snapshots"), "{}", said(&ended));
}
