//! Definitions, markers, snapshots and thumbnails.

use streamfold::formats::otf2::FileKind;
use streamfold::model::definitions::{Definition, MetricInstance};
use streamfold::model::enums::{MarkerScope, MarkerSeverity, MetricScope, ThumbnailType, Type};
use streamfold::model::events::{Event, Metric};
use streamfold::model::ids::{LocationRef, MarkerRef, MetricRef};
use streamfold::model::markers::{DefMarker, Marker, MarkerRecord};
use streamfold::model::thumbnails::{Thumbnail, ThumbnailHeader};
use streamfold::model::values::{IdMap, TypedValue};

use crate::common::archives::one;
use crate::common::program::{streamfold, text};
use crate::cut::made::{Made, REGIONS};
use crate::cut::{expect_valid, open, part, printed, profile};

/// Two locations, the second of which has a table of regions.
fn made() -> Made {
    let mut made = Made::new(2);
    made.events(0, |w| {
        w.enter(1000, 3);
        w.leave(1100, 3);
        w.enter(1500, 8);
        w.leave(1600, 8);
    });
    made.local(1, Some(IdMap::Dense(vec![8, 5, 2])), &[]);
    made.events(1, |w| {
        w.enter(1000, 0);
        w.leave(1100, 0);
        w.enter(1200, 9);
        w.leave(1300, 9);
        w.enter(1500, 1);
        w.leave(1600, 1);
    });
    made
}

#[test]
fn definitions_that_nothing_leads_to_go() {
    let made = made();
    let anchor = made.finish();
    let (place, said) = part(&anchor, &["--time", "1000", "1400"]);
    expect_valid(&place.anchor(), "half");
    let (_, left) = open(&place.anchor());
    let names: Vec<String> =
        left.regions.keys().map(|id| left.region_name(*id).unwrap().to_string()).collect();
    assert_eq!(names, ["r3", "r8", "r9"]);
    assert_eq!(left.regions.keys().map(|id| id.0).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(said.contains("new numbers without gaps"), "{said}");
    let same = ["--time", "1000", "1400"];
    assert_eq!(profile(&place.anchor(), &[]), profile(&anchor, &same));
    assert!(left.comms.is_empty() && left.metrics.is_empty());
    // Only strings that something is called by, and the empty one.
    assert!(
        left.strings.len() < 12 && left.strings.contains_key(&streamfold::model::ids::StringRef(0))
    );
}

#[test]
fn definitions_and_their_numbers_stay_where_that_is_asked_for() {
    let made = made();
    let anchor = made.finish();
    let window = ["--time", "1000", "1400"];
    let (place, _) = part(&anchor, &[&window[..], &["--keep-definitions"]].concat());
    expect_valid(&place.anchor(), "all");
    let (_, left) = open(&place.anchor());
    assert_eq!(left.regions.len(), REGIONS as usize);
    assert_eq!((left.comms.len(), left.metrics.len()), (1, 1));
    let (place, _) = part(&anchor, &[&window[..], &["--keep-numbers"]].concat());
    let (_, left) = open(&place.anchor());
    assert_eq!(left.regions.keys().map(|id| id.0).collect::<Vec<_>>(), [3, 8, 9]);
    assert_eq!(profile(&place.anchor(), &[]), profile(&anchor, &window));
    let checked = streamfold(["validate"]).arg(place.anchor()).output().expect("a run");
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stdout));
}

/// Events are as they were, whatever their numbers lead to.
#[test]
fn what_stays_says_what_it_said() {
    let number = regex::Regex::new("<[0-9]+>").expect("an expression");
    for name in ["intercomm", "hybrid", "local-defs", "metrics"] {
        let archive = one(name);
        // All of the time, but not as a copy.
        let (place, _) = part(&archive.anchor, &["--time", "0", "99999999999999999"]);
        for location in open(&archive.anchor).1.locations.keys() {
            let [was, now] =
                [&archive.anchor, &place.anchor()].map(|anchor| printed(anchor, location.0));
            let plain = |lines: Vec<String>| -> Vec<String> {
                // Without the numbers of definitions.
                lines.iter().map(|line| number.replace_all(line, "").into_owned()).collect()
            };
            assert_eq!(plain(now), plain(was), "{name}, {location}");
        }
        let kind = FileKind::Events(LocationRef(0));
        let [was, now] = [&archive.anchor, &place.anchor()]
            .map(|anchor| std::fs::read(open(anchor).0.path(kind)).expect("events"));
        assert!(was == now, "{name}: not one byte of the events is another one");
    }
}

#[test]
fn markers_stay_in_the_interval_and_with_their_scope() {
    let made = made();
    let mut markers = made.to.markers();
    for id in 0..3 {
        let kind = DefMarker {
            id: MarkerRef(id),
            marker_group: "g".into(),
            marker_category: format!("c{id}").as_str().into(),
            severity: MarkerSeverity::Low,
        };
        markers.write(&MarkerRecord::DefMarker(kind)).expect("written");
    }
    for (timestamp, marker, marker_scope, scope) in [
        (1100, 0, MarkerScope::Global, u64::MAX),
        (1150, 0, MarkerScope::Location, 0),
        (1160, 0, MarkerScope::Location, 1),
        (1170, 1, MarkerScope::LocationGroup, 1),
        (1200, 2, MarkerScope::Comm, 0),
        (1300, 1, MarkerScope::Global, u64::MAX),
    ] {
        let (duration, marker, text) = (5, MarkerRef(marker), "text".into());
        let marker = Marker { timestamp, duration, marker, marker_scope, scope, text };
        markers.write(&MarkerRecord::Marker(marker)).expect("written");
    }
    markers.finish().expect("written");
    let anchor = made.finish();
    let (place, said) = part(&anchor, &["--time", "1100", "1300", "-L", "0"]);
    assert!(said.contains("3 markers left out, 3 stay"), "{said}");
    expect_valid(&place.anchor(), "markers");
    let (archive, definitions) = open(&place.anchor());
    let mut reader = archive.markers().expect("a file").expect("markers");
    let (mut kinds, mut times) = (Vec::new(), Vec::new());
    while let Some(Ok(record)) = reader.next().expect("a marker") {
        match record {
            MarkerRecord::DefMarker(kind) => kinds.push(kind.id.0),
            MarkerRecord::Marker(marker) => times.push(marker.timestamp),
        }
    }
    assert_eq!((kinds, times), (vec![0, 2], vec![1100, 1150, 1200]));
    assert_eq!(definitions.comms.len(), 1, "a marker is about it");
}

#[test]
fn snapshots_and_thumbnails_are_about_the_whole() {
    let made = made();
    let mut thumbnail = made.to.thumbnail(0);
    let header = ThumbnailHeader {
        name: "n".into(),
        description: "d".into(),
        thumbnail_type: ThumbnailType::Region,
        number_of_samples: 0,
        refs_to_defs: vec![3],
    };
    thumbnail.write(&Thumbnail::ThumbnailHeader(header)).expect("written");
    thumbnail.finish().expect("written");
    for location in 0..2 {
        made.to.snapshots(LocationRef(location)).finish().expect("written");
    }
    let anchor = made.finish_with(1, 1);
    let (place, said) = part(&anchor, &["--time", "1000", "1400"]);
    assert!(said.contains("1 snapshot left out") && said.contains("1 thumbnail left"), "{said}");
    expect_valid(&place.anchor(), "neither");
    let (archive, _) = open(&place.anchor());
    assert_eq!(archive.anchor().number_of_snapshots, 0);
    assert_eq!(archive.anchor().number_of_thumbnails, 0);
    assert_eq!(place.left(), ["part", "part.def", "part.otf2"]);
}

/// Why locations stay whose events do not.
#[test]
fn reasons_of_locations_without_events_are_true() {
    let made = made();
    let anchor = made.finish();
    let line = |options: &[&str]| {
        let (_, said) = part(&anchor, options);
        said.lines().find(|line| line.contains("without events")).map(str::to_owned)
    };
    assert_eq!(line(&["-L", "0"]), None);
    let kept = "streamfold: 1 location stays without events, since all definitions stay \
                (--keep-definitions)";
    assert_eq!(line(&["-L", "0", "--keep-definitions"]).as_deref(), Some(kept));
    let archive = one("intercomm");
    let (_, said) = part(&archive.anchor, &["-L", "0"]);
    let ranks = "3 locations stay without events, since ranks of communicators name them";
    assert!(said.contains(ranks), "{said}");
    let (_, said) = part(&archive.anchor, &["-L", "0", "--without", "mpi", "--keep-definitions"]);
    assert!(!said.contains("name them"), "{said}");
}

#[test]
fn locations_stay_that_metrics_name() {
    let mut made = Made::new(2);
    made.add(Definition::MetricInstance(MetricInstance {
        id: MetricRef(1),
        metric_class: MetricRef(0),
        recorder: LocationRef(1),
        metric_scope: MetricScope::Location,
        scope: 1,
    }));
    made.events(0, |w| {
        let values = [TypedValue { value_type: Type::Uint64, bits: 9 }];
        w.at(1250, Event::Metric(Metric { metric: MetricRef(1), values: &values }));
    });
    let anchor = made.finish();
    let (place, said) = part(&anchor, &["-L", "0"]);
    expect_valid(&place.anchor(), "an instance of a metric");
    let line = "1 location stays without events, since definitions, events or markers that stay \
                name it";
    assert!(said.contains(line), "{said}");
}
