//! What is wrong only together with something else: mapping tables that make attributes one, markers without
//! definition, snapshots and thumbnails that have something else than they announce.

use streamfold::formats::otf2::{Archive, ArchiveWriter, Order, ReadOptions};
use streamfold::model::definitions::{Definition, MappingTable};
use streamfold::model::enums::*;
use streamfold::model::ids::*;
use streamfold::model::markers::{DefMarker, Marker, MarkerRecord};
use streamfold::model::snapshots::{EnterSnap, Snapshot, SnapshotEnd, SnapshotStart};
use streamfold::model::thumbnails::{Thumbnail, ThumbnailHeader, ThumbnailSample};
use streamfold::model::values::{IdMap, Ticks};

use crate::common::program::said;
use crate::salvage::made::{Made, LOCATIONS, OPTIONS};
use crate::salvage::{events, expect_message, Place};

fn made() -> (Made, ArchiveWriter) {
    let made = Made::new(Order::Little, 2);
    let to = ArchiveWriter::open(&made.anchor(), OPTIONS).expect("an archive");
    (made, to)
}

/// The events alone could be copied: what they mean cannot be read.
#[test]
fn events_before_the_one_that_a_mapping_table_damages_are_kept() {
    let (made, to) = made();
    made.remove("/0.def");
    let mut local = to.local_definitions(LocationRef(0));
    let id_map = IdMap::Sparse(vec![(3, 2)]);
    let table = MappingTable { mapping_type: MappingType::Attribute, id_map };
    local.write(&Definition::MappingTable(table)).expect("a table");
    local.finish().expect("definitions");
    let place = Place::new();
    let anchor = place.salvaged(&made.anchor(), &[], 3);
    let (all, kept) = (events(&made.anchor(), 0), events(&anchor, 0));
    assert_eq!(kept, all[..all.len() - 2]);
}

fn marker(id: u32) -> MarkerRecord {
    MarkerRecord::Marker(Marker {
        timestamp: 1010,
        duration: 0,
        marker: MarkerRef(id),
        marker_scope: MarkerScope::Global,
        scope: u64::MAX,
        text: "here".into(),
    })
}

fn definition(id: u32, group: &str) -> MarkerRecord {
    MarkerRecord::DefMarker(DefMarker {
        id: MarkerRef(id),
        marker_group: group.into(),
        marker_category: "c".into(),
        severity: MarkerSeverity::Low,
    })
}

#[test]
fn definitions_of_markers_are_made_up_or_stand_before_them() {
    let (made, to) = made();
    let records = [definition(0, "a"), marker(0), marker(3), marker(1), definition(1, "b")];
    let mut markers = to.markers();
    records.iter().for_each(|record| markers.write(record).expect("a marker"));
    markers.finish().expect("markers");
    let place = Place::new();
    let anchor = place.salvaged(&made.anchor(), &[], 3);
    let archive = Archive::open(&anchor, ReadOptions::default()).expect("an anchor");
    let mut reader = archive.markers().expect("markers").expect("a file");
    let mut found = Vec::new();
    while let Some(record) = reader.next().expect("a record") {
        found.push(record.expect("of a known kind"));
    }
    let MarkerRecord::DefMarker(made_up) = &found[1] else { panic!("{found:?}") };
    assert_eq!(
        (made_up.id, made_up.marker_group.to_string()),
        (MarkerRef(3), "marker 3".to_owned())
    );
    let rest = [definition(0, "a"), marker(0), marker(3), marker(1)];
    assert_eq!(found[0], definition(1, "b"));
    assert_eq!(found[2..], rest);
    let ended = Place::new().salvage(&made.anchor(), &[]);
    expect_message(&ended, 3, "t.marker: 1 kind of markers is not defined");
}

/// Salvages with an anchor that announces snapshots or thumbnails, and returns what is announced then.
fn announced(
    made: &Made,
    to: &ArchiveWriter,
    [snapshots, thumbnails]: [u32; 2],
    code: i32,
) -> ([u32; 2], String) {
    let archive = Archive::open(&made.anchor(), ReadOptions::default()).expect("an anchor");
    let mut anchor = archive.anchor().clone();
    (anchor.number_of_snapshots, anchor.number_of_thumbnails) = (snapshots, thumbnails);
    made.remove(".otf2");
    to.finish(&anchor).expect("an anchor");
    let place = Place::new();
    let salvaged = place.salvage(&made.anchor(), &[]);
    crate::salvage::expect(&salvaged, code);
    // Version 3.0.2 of the reference library cannot read thumbnails.
    crate::salvage::expect_no_errors(&place.anchor());
    let new = Archive::open(&place.anchor(), ReadOptions::default()).expect("an anchor");
    let numbers = [new.anchor().number_of_snapshots, new.anchor().number_of_thumbnails];
    (numbers, said(&salvaged))
}

#[test]
fn thumbnails_without_all_of_their_samples_are_left_out() {
    for (samples, values, left) in [(2, 1, 2), (1, 1, 1), (2, 2, 1)] {
        let (made, to) = made();
        for (number, [samples, values]) in [[2, 1], [samples, values]].into_iter().enumerate() {
            let mut thumbnail = to.thumbnail(number as u32);
            let header = ThumbnailHeader {
                name: "n".into(),
                description: "d".into(),
                thumbnail_type: ThumbnailType::Region,
                number_of_samples: 2,
                refs_to_defs: vec![1],
            };
            thumbnail.write(&Thumbnail::ThumbnailHeader(header)).expect("a header");
            for _ in 0..samples {
                let sample = ThumbnailSample { baseline: 9, metric_samples: vec![3; values] };
                thumbnail.write(&Thumbnail::ThumbnailSample(sample)).expect("a sample");
            }
            thumbnail.finish().expect("a thumbnail");
        }
        let (found, said) = announced(&made, &to, [0, 2], if left == 2 { 0 } else { 3 });
        assert_eq!(found, [0, left], "{said}");
    }
}

#[test]
fn snapshots_without_all_of_their_records_are_left_out() {
    for (records, has_end, left) in [(1, true, 1), (2, true, 0), (1, false, 0)] {
        let (made, to) = made();
        for location in LOCATIONS {
            let mut snapshots = to.snapshots(LocationRef(location));
            let mut put = |record| snapshots.write(Ticks(1005), &[], &record).expect("a record");
            put(Snapshot::SnapshotStart(SnapshotStart { number_of_records: records }));
            put(Snapshot::EnterSnap(EnterSnap {
                orig_event_time: Ticks(1003),
                region: RegionRef(0),
            }));
            if has_end {
                put(Snapshot::SnapshotEnd(SnapshotEnd { cont_read_pos: 2 }));
            }
            snapshots.finish().expect("snapshots");
        }
        let (found, said) = announced(&made, &to, [1, 0], if left == 1 { 0 } else { 3 });
        assert_eq!(found, [left, 0], "{said}");
    }
}
