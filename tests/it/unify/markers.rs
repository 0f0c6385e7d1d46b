//! Markers, thumbnails and snapshots have global numbers, which follow those of the definitions.

use std::path::Path;

use streamfold::formats::otf2::ArchiveWriter;
use streamfold::model::definitions::{Definition, Parameter};
use streamfold::model::enums::{
    GroupType, MarkerScope, MarkerSeverity, ParameterType, ThumbnailType,
};
use streamfold::model::ids::{GroupRef, MarkerRef, ParameterRef, RegionRef};
use streamfold::model::markers::{DefMarker, Marker, MarkerRecord};
use streamfold::model::snapshots::{
    EnterSnap, ParameterStringSnap, Snapshot, SnapshotEnd, SnapshotStart,
};
use streamfold::model::thumbnails::{Thumbnail, ThumbnailHeader, ThumbnailSample};
use streamfold::model::values::Ticks;

use crate::common::files::Files;
use crate::common::printed::printed;
use crate::common::program::{said, streamfold, text};
use crate::common::reference::is_installed;
use crate::unify::made::{defects, location, make_with, system, visit, Defs, Local, Made};
use crate::unify::{one_set, Place};

fn write_markers(archive: &ArchiveWriter, groups: &[GroupRef]) {
    let mut markers = archive.markers();
    let definition = DefMarker {
        id: MarkerRef(3),
        marker_group: "group".into(),
        marker_category: "category".into(),
        severity: MarkerSeverity::Low,
    };
    markers.write(&MarkerRecord::DefMarker(definition)).expect("a definition");
    let of_groups = groups.iter().map(|group| (MarkerScope::Group, u64::from(group.0)));
    let others = [(MarkerScope::Location, location(1).0), (MarkerScope::Global, 0)];
    for (marker_scope, scope) in of_groups.chain(others) {
        let marker = Marker {
            timestamp: 15,
            duration: 2,
            marker: MarkerRef(3),
            marker_scope,
            scope,
            text: "a marker".into(),
        };
        markers.write(&MarkerRecord::Marker(marker)).expect("a marker");
    }
    markers.finish().expect("a file");
}

fn write_thumbnail(archive: &ArchiveWriter, regions: &[RegionRef]) {
    let mut thumbnail = archive.thumbnail(0);
    let header = ThumbnailHeader {
        name: "activity".into(),
        description: "of regions".into(),
        thumbnail_type: ThumbnailType::Region,
        number_of_samples: 1,
        refs_to_defs: regions.iter().map(|region| region.0.into()).collect(),
    };
    thumbnail.write(&Thumbnail::ThumbnailHeader(header)).expect("a header");
    let sample = ThumbnailSample { baseline: 9, metric_samples: vec![4; regions.len()] };
    thumbnail.write(&Thumbnail::ThumbnailSample(sample)).expect("a sample");
    thumbnail.finish().expect("a file");
}

fn write_snapshots(archive: &ArchiveWriter, regions: [RegionRef; 2]) {
    for (which, region) in regions.into_iter().enumerate() {
        let mut snapshots = archive.snapshots(location(which));
        for record in [
            Snapshot::SnapshotStart(SnapshotStart { number_of_records: 1 }),
            Snapshot::EnterSnap(EnterSnap { orig_event_time: Ticks(10), region }),
            Snapshot::SnapshotEnd(SnapshotEnd { cont_read_pos: 2 }),
        ] {
            snapshots.write(Ticks(15), &[], &record).expect("a snapshot");
        }
        snapshots.finish().expect("a file");
    }
}

/// Regions "a", "b", "a" once more, and "c"; two groups that are the same and one that is not.
fn twice(thumbnails: u32) -> Made {
    let mut defs = Defs::new(60);
    let mut regions = ["a", "b", "a", "c"].map(|name| defs.region(name));
    let groups = [&[0][..], &[0], &[100]].map(|of| defs.group(GroupType::Locations, of));
    regions.sort();
    let local = |region| Local::new(Defs::new(0), visit(region));
    let locals = [local(regions[2]), local(regions[3])];
    let strings = system(&locals);
    let mut global = system(&locals);
    global.all.splice(strings.all.len().., defs.all);
    make_with(global, &locals, |archive| {
        write_markers(archive, &groups);
        (0..thumbnails).for_each(|_| write_thumbnail(archive, &regions));
        write_snapshots(archive, [regions[2], regions[3]]);
        (1, thumbnails)
    })
}

/// Numbers in snapshots are global, but for those that only the location defines.
#[test]
fn what_only_a_location_defines_is_renumbered_in_snapshots() {
    let mut defs = Defs::new(1);
    let (name, region) = (defs.string("of the location"), defs.region("a"));
    let parameter = ParameterRef(9);
    let parameter_type = ParameterType::String;
    defs.add(Definition::Parameter(Parameter { id: parameter, name, parameter_type }));
    let mut other = Defs::new(0);
    let first = other.region("of the first");
    let locals = [Local::new(other, visit(first)), Local::new(defs, visit(region))];
    let global = system(&locals);
    let made = make_with(global, &locals, |archive| {
        for which in 0..2 {
            let mut snapshots = archive.snapshots(location(which));
            let orig_event_time = Ticks(10);
            for record in [
                Snapshot::EnterSnap(EnterSnap { orig_event_time, region }),
                Snapshot::ParameterStringSnap(ParameterStringSnap {
                    orig_event_time,
                    parameter,
                    string: name,
                }),
            ] {
                snapshots.write(Ticks(15), &[], &record).expect("a snapshot");
            }
            snapshots.finish().expect("a file");
        }
        (1, 0)
    });
    for way in [&[][..], &["--rewrite-events"]] {
        let place = one_set(&made.anchor, way);
        let all = print(&place.anchor(), "-A");
        let find = |name: &str| {
            let regions = print(&place.anchor(), "-G");
            let names = numbers(&regions, "Region", "name_text");
            let at = names.iter().position(|it| it == name).expect("a region");
            numbers(&regions, "Region", "id")[at].clone()
        };
        let entered = numbers(&all, "EnterSnap", "region");
        assert!(entered.contains(&find("a")), "{entered:?}");
        // The second string of the trace, as before.
        assert_eq!(numbers(&all, "ParameterStringSnap", "string"), [name.0, name.0]);
    }
}

fn print(anchor: &Path, option: &str) -> Vec<String> {
    let run = streamfold(["print", "--json", "-q", option]).arg(anchor).output().expect("a run");
    assert_eq!(run.status.code(), Some(0), "{}", said(&run));
    text(run.stdout).lines().map(str::to_owned).collect()
}

fn numbers(lines: &[String], kind: &str, field: &str) -> Vec<serde_json::Value> {
    let records = lines.iter().map(|line| serde_json::from_str(line).expect("JSON"));
    let records = records.filter(|record: &serde_json::Value| record["record"] == kind);
    records.map(|record| record[field].clone()).collect()
}

fn check(place: &Place) {
    let all = print(&place.anchor(), "-A");
    let names = numbers(&all, "Region", "name_text");
    assert_eq!(names, ["a", "b", "c"]);
    assert_eq!(numbers(&all, "Region", "id"), [0, 1, 2]);
    assert_eq!(numbers(&all, "Group", "id"), [0, 1]);
    assert_eq!(numbers(&all, "Marker", "scope"), [0, 0, 1, location(1).0, 0]);
    let shown = numbers(&all, "ThumbnailHeader", "refs_to_defs");
    assert_eq!(shown, [serde_json::json!([0, 1, 2])]);
    // Both columns of "a" are one, with the sum.
    let samples = print(&place.anchor(), "--show-thumbnail-samples");
    let samples = numbers(&samples, "ThumbnailSample", "metric_samples");
    assert_eq!(samples, [serde_json::json!([8, 4, 4])]);
    assert_eq!(numbers(&all, "EnterSnap", "region"), [0, 2]);
    let mut entered = numbers(&all, "Enter", "region_name");
    entered.sort_by_key(ToString::to_string);
    assert_eq!(entered, ["a", "c"]);
    assert_eq!(defects(place), [""; 0]);
}

#[test]
fn numbers_follow_where_they_change() {
    let made = twice(1);
    for way in [&[][..], &["--rewrite-events"], &["--link"]] {
        let place = one_set(&made.anchor, way);
        check(&place);
        let once = Files::read(&place.anchor());
        let again = Place::new().unified(&place.anchor(), way);
        again.assert_same(&once, "once more");
    }
}

/// Thumbnails are read by us alone: versions 3.0.0 to 3.0.2 of the reference library cannot.
#[test]
fn the_reference_reads_markers_and_snapshots() {
    if !is_installed("otf2-marker") || !is_installed("otf2-print") {
        return;
    }
    let place = one_set(&twice(0).anchor, &[]);
    let run = std::process::Command::new("otf2-marker").arg(place.anchor()).output();
    let run = run.expect("otf2-marker runs");
    assert!(run.status.success(), "{}", said(&run));
    assert!(text(run.stdout).contains("a marker"));
    let lines = printed(&["-A"], &place.anchor());
    let snapshots = lines.iter().filter(|line| line.starts_with("SNAPSHOT_START")).count();
    assert_eq!(snapshots, 2, "{lines:#?}");
}

/// Where nothing changes, so do they not.
#[test]
fn they_stay_where_nothing_changes() {
    let mut defs = Defs::new(60);
    let regions = ["a", "b"].map(|name| defs.region(name));
    let group = defs.group(GroupType::Locations, &[0]);
    let locals = regions.map(|region| Local::new(Defs::new(0), visit(region)));
    let mut global = system(&locals);
    let of_system = global.all.len();
    global.all.splice(of_system.., defs.all);
    assert!(matches!(global.all.last(), Some(Definition::Group(_))));
    let made = make_with(global, &locals, |archive| {
        write_markers(archive, &[group]);
        write_thumbnail(archive, &regions);
        write_snapshots(archive, regions);
        (1, 1)
    });
    let place = one_set(&made.anchor, &[]);
    Files::read(&place.anchor()).assert_same(&Files::read(&made.anchor), "one set already");
}
