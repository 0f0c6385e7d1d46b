//! Chunks of other sizes: what is read stays the same, and the first sizes bring back the first files.

use std::path::Path;

use streamfold::formats::otf2::{
    Anchor, Archive as Otf2, ArchiveWriter, ReadOptions, WriteOptions,
};
use streamfold::model::definitions::{Definition, Location, LocationGroup, StringDef};
use streamfold::model::enums::{LocationGroupType, LocationType, Type};
use streamfold::model::events::{Enter, Event, Leave, Metric};
use streamfold::model::ids::{
    AttributeRef, LocationGroupRef, LocationRef, MetricRef, RegionRef, StringRef, SystemTreeNodeRef,
};
use streamfold::model::values::{AttributeEntry, Ticks, TypedValue};

use crate::common::archives::{one, traces, Archive};
use crate::common::files::Files;
use crate::common::program::text;
use crate::common::reference::{is_installed, otf2_print};
use crate::copy::{expect, Place};

const OTHERS: [&str; 5] =
    ["--reencode", "--event-chunk-size", "300000", "--definition-chunk-size", "256K"];

const LOCATIONS: u64 = 2;
const EVENTS: u64 = 60_000;
const STRINGS: u32 = 30_000;

/// An archive of several chunks of definitions and of events.
fn write(anchor: &Path) {
    let (event_chunk_size, definition_chunk_size) = (512 << 10, 400_000);
    let sizes = WriteOptions::default();
    let options = WriteOptions { event_chunk_size, definition_chunk_size, ..sizes };
    let archive = ArchiveWriter::create(anchor, options).expect("folders");
    for location in 0..LOCATIONS {
        write_events(&archive, LocationRef(location));
    }
    let definitions = write_definitions(&archive);
    let like = one("hybrid").anchor;
    let like = Otf2::open(&like, ReadOptions::default()).expect("an archive").anchor().clone();
    let counted = Anchor {
        number_of_locations: LOCATIONS,
        number_of_global_definitions: definitions,
        event_chunk_size,
        definition_chunk_size,
        ..like
    };
    archive.finish(&counted).expect("an anchor");
}

fn write_definitions(archive: &ArchiveWriter) -> u64 {
    let mut definitions = archive.global_definitions();
    let mut write = |definition| definitions.write(&definition).expect("a definition");
    for id in 0..STRINGS {
        let string = format!("the string of number {id}").into();
        write(Definition::StringDef(StringDef { id: StringRef(id), string }));
    }
    let (id, name, none) = (LocationGroupRef(0), StringRef(0), LocationGroupRef::UNDEFINED);
    write(Definition::LocationGroup(LocationGroup {
        id,
        name,
        location_group_type: LocationGroupType::Process,
        system_tree_parent: SystemTreeNodeRef::UNDEFINED,
        creating_location_group: none,
    }));
    for location in 0..LOCATIONS {
        write(Definition::Location(Location {
            id: LocationRef(location),
            name,
            location_type: LocationType::CpuThread,
            number_of_events: EVENTS,
            location_group: id,
        }));
    }
    definitions.finish().expect("definitions")
}

fn write_events(archive: &ArchiveWriter, location: LocationRef) {
    let mut events = archive.events(location);
    for number in 0..EVENTS {
        let bits = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let value = TypedValue { value_type: Type::Uint64, bits };
        let region = RegionRef(number as u32 % 300);
        let values = vec![value; bits as usize % 6];
        let event = match number % 3 {
            0 => Event::Enter(Enter { region }),
            1 => Event::Metric(Metric { metric: MetricRef(7), values: &values }),
            _ => Event::Leave(Leave { region }),
        };
        let attributes = [AttributeEntry { attribute: AttributeRef(1), value }];
        let attributes = &attributes[..usize::from(number % 5 == 0)];
        events.write(Ticks(number / 4 + 1), attributes, &event).expect("an event");
    }
    assert_eq!(events.finish().expect("events"), EVENTS);
}

/// What otf2-print says but for the sizes.
fn printed(anchor: &Path) -> Vec<String> {
    let text = text(otf2_print(&["-A"], anchor).stdout);
    let lines = text.lines().filter(|line| !line.starts_with("Chunk size"));
    lines.map(str::to_owned).collect()
}

#[test]
fn the_reference_reads_what_it_read_before() {
    let (from, to) = (Place::new(), Place::new());
    let anchor = from.file("from.otf2");
    write(&anchor);
    let first = Files::read(&anchor);
    assert!(first.get("/0.evt").len() > 2 << 19 && first.get(".def").len() > 2 * 400_000);
    let other = to.copied(&anchor, &OTHERS);
    assert_ne!(first.get("/0.evt"), other.get("/0.evt"));
    assert_ne!(first.get(".def"), other.get(".def"));
    if !is_installed("otf2-print") {
        return;
    }
    let (copy, original) = (printed(&to.anchor()), printed(&anchor));
    assert!(original.len() as u64 > LOCATIONS * EVENTS + u64::from(STRINGS));
    let different = copy.iter().zip(&original).find(|(copy, original)| copy != original);
    assert_eq!(different, None);
    assert_eq!(copy.len(), original.len());
}

#[test]
fn the_first_sizes_bring_back_the_first_files() {
    let from = Place::new();
    let anchor = from.file("from.otf2");
    write(&anchor);
    let back = ["--reencode", "--event-chunk-size", "512K", "--definition-chunk-size", "400000"];
    for others in [&OTHERS[..], &["--reencode", "--event-chunk-size", "16M"]] {
        there_and_back(&anchor, others, &back, 0);
    }
    let back = ["--reencode", "--event-chunk-size", "256K", "--definition-chunk-size", "256K"];
    there_and_back(&one("every-kind").anchor, &OTHERS, &back, 0);
    // Some locations of this one have no files, which both copies tell.
    let all_kinds = traces().map(|traces| traces.join("otf2-records/all-kinds"));
    if let Some(archive) = all_kinds.and_then(|folder| Archive::find(&folder)) {
        there_and_back(&archive.anchor, &OTHERS, &back, 3);
    }
}

fn there_and_back(anchor: &Path, others: &[&str], back: &[&str], code: i32) {
    let (there, again) = (Place::new(), Place::new());
    expect(&there.copy(anchor, others), code);
    expect(&again.copy(&there.anchor(), back), code);
    let what = format!("{} with {others:?}", anchor.display());
    Files::read(&again.anchor()).assert_same(&Files::read(anchor), &what);
}

/// Only what was asked for changes.
#[test]
fn one_size_leaves_the_other() {
    let archive = one("every-kind");
    let sizes = |options: &[&str]| {
        let place = Place::new();
        place.copied(&archive.anchor, options);
        let read = Otf2::open(&place.anchor(), ReadOptions::default()).expect("an archive");
        (read.anchor().event_chunk_size, read.anchor().definition_chunk_size)
    };
    assert_eq!(sizes(&["--reencode"]), (256 << 10, 256 << 10));
    assert_eq!(sizes(&["--reencode", "--event-chunk-size", "1m"]), (1 << 20, 256 << 10));
    assert_eq!(sizes(&["--reencode", "--definition-chunk-size", "999999"]), (256 << 10, 999_999));
}
