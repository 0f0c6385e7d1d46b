//! The reference library reads an archive that was written record by record with the typed writers, in
//! either order of bytes, and finds nothing to complain of.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use streamfold::formats::otf2::{Anchor, ArchiveWriter, Order, WriteOptions};
use streamfold::model::definitions::{
    Attribute, ClockOffset, ClockProperties, Comm, Definition, Group, Location, LocationGroup,
    MappingTable, MetricClass, MetricMember, Parameter, Region, StringDef, SystemTreeNode,
};
use streamfold::model::enums::{
    Base, CollectiveOp, CommFlag, GroupFlag, GroupType, LocationGroupType, LocationType,
    MappingType, MarkerScope, MarkerSeverity, MeasurementMode, MetricMode, MetricOccurrence,
    MetricType, Paradigm, ParameterType, RecorderKind, RegionFlag, RegionRole, ThumbnailType, Type,
};
use streamfold::model::events::{
    BufferFlush, Enter, Event, Leave, MeasurementOnOff, Metric, MpiCollectiveBegin,
    MpiCollectiveEnd, MpiRecv, MpiSend, ParameterInt,
};
use streamfold::model::ids::{
    AttributeRef, CommRef, GroupRef, LocationGroupRef, LocationRef, MarkerRef, MetricMemberRef,
    MetricRef, ParameterRef, RegionRef, StringRef, SystemTreeNodeRef,
};
use streamfold::model::markers::{DefMarker, Marker, MarkerRecord};
use streamfold::model::snapshots::{EnterSnap, Snapshot, SnapshotEnd, SnapshotStart};
use streamfold::model::thumbnails::{Thumbnail, ThumbnailHeader, ThumbnailSample};
use streamfold::model::values::{AttributeEntry, IdMap, Ticks, TypedValue};
use tempfile::TempDir;

use crate::common::program::{said, streamfold, text};
use crate::common::reference::{is_installed, otf2_print};
use crate::writer::breaks::{enter, fill, flush};
use crate::writer::written::{anchor, Place, Timed, LOCATION, ORDERS};

/// Locations, the second with its own numbers for regions and with a clock that is 10 ticks behind.
const LOCATIONS: [LocationRef; 2] = [LocationRef(0), LocationRef(1 << 33)];
const VISITS: u64 = 20_000;

/// The names of everything, by number.
const STRINGS: [&str; 8] = ["", "machine", "process", "location", "main", "solve", "size", "grün"];

fn write(path: &Path, order: Order, thumbnails: u32) {
    let options = WriteOptions { order, event_chunk_size: 256 << 10, ..WriteOptions::default() };
    let archive = ArchiveWriter::create(path, options).expect("folders");
    let events = LOCATIONS.map(|location| (location, write_location(&archive, location)));
    let definitions = write_definitions(&archive, events);
    write_markers(&archive);
    (0..thumbnails).for_each(|number| write_thumbnail(&archive, number));
    let written = Anchor {
        number_of_locations: LOCATIONS.len() as u64,
        number_of_global_definitions: definitions,
        number_of_snapshots: 1,
        number_of_thumbnails: thumbnails,
        properties: vec![("TEST::ORDER".into(), "any".into())],
        ..anchor(options)
    };
    archive.finish(&written).expect("an anchor");
}

/// With so many events of each location.
fn write_definitions<const N: usize>(
    archive: &ArchiveWriter,
    events: [(LocationRef, u64); N],
) -> u64 {
    let mut definitions = archive.global_definitions();
    let all = [clock(), strings(), system(events), program(), messages()];
    for definition in all.into_iter().flatten() {
        definitions.write(&definition).expect("a definition");
    }
    definitions.finish().expect("a file")
}

fn clock() -> Vec<Definition> {
    vec![Definition::ClockProperties(ClockProperties {
        timer_resolution: 1_000_000_000,
        global_offset: 0,
        trace_length: 1 << 40,
        realtime_timestamp: u64::MAX,
    })]
}

fn strings() -> Vec<Definition> {
    let string = |(id, string): (usize, &str)| {
        let string = string.into();
        Definition::StringDef(StringDef { id: StringRef(id as u32), string })
    };
    STRINGS.into_iter().enumerate().map(string).collect()
}

fn system<const N: usize>(events: [(LocationRef, u64); N]) -> Vec<Definition> {
    let node = SystemTreeNode {
        id: SystemTreeNodeRef(0),
        name: StringRef(1),
        class_name: StringRef(1),
        parent: SystemTreeNodeRef::UNDEFINED,
    };
    let mut all = vec![Definition::SystemTreeNode(node)];
    for (i, (id, number_of_events)) in events.into_iter().enumerate() {
        all.push(Definition::LocationGroup(LocationGroup {
            id: LocationGroupRef(i as u32),
            name: StringRef(2),
            location_group_type: LocationGroupType::Process,
            system_tree_parent: SystemTreeNodeRef(0),
            creating_location_group: LocationGroupRef::UNDEFINED,
        }));
        all.push(Definition::Location(Location {
            id,
            name: StringRef(3),
            location_type: LocationType::CpuThread,
            number_of_events,
            location_group: LocationGroupRef(i as u32),
        }));
    }
    all
}

fn region(id: u32, name: u32) -> Definition {
    Definition::Region(Region {
        id: RegionRef(id),
        name: StringRef(name),
        description: StringRef(0),
        source_file: StringRef(0),
        begin_line_number: 1,
        end_line_number: 70_000,
        canonical_name: StringRef(name),
        region_role: RegionRole::Function,
        paradigm: Paradigm::User,
        region_flags: RegionFlag::NONE,
    })
}

fn program() -> Vec<Definition> {
    vec![
        region(0, 4),
        region(1, 5),
        Definition::Attribute(Attribute {
            id: AttributeRef(0),
            name: StringRef(6),
            value_type: Type::Int32,
            description: StringRef(0),
        }),
        Definition::Parameter(Parameter {
            id: ParameterRef(0),
            name: StringRef(6),
            parameter_type: ParameterType::Int64,
        }),
        Definition::MetricMember(MetricMember {
            id: MetricMemberRef(0),
            name: StringRef(7),
            description: StringRef(0),
            metric_type: MetricType::Other,
            metric_mode: MetricMode::AbsolutePoint,
            value_type: Type::Double,
            base: Base::Decimal,
            exponent: -3,
            unit: StringRef(6),
        }),
        Definition::MetricClass(MetricClass {
            id: MetricRef(0),
            metric_members: vec![MetricMemberRef(0); 2],
            metric_occurrence: MetricOccurrence::Asynchronous,
            recorder_kind: RecorderKind::Cpu,
        }),
    ]
}

fn messages() -> Vec<Definition> {
    let group = |id, group_type, members| {
        Definition::Group(Group {
            id: GroupRef(id),
            name: StringRef(0),
            members,
            group_type,
            paradigm: Paradigm::Mpi,
            group_flags: GroupFlag::NONE,
        })
    };
    vec![
        group(0, GroupType::CommLocations, LOCATIONS.map(|location| location.0).to_vec()),
        group(1, GroupType::CommGroup, vec![0, 1]),
        Definition::Comm(Comm {
            id: CommRef(0),
            name: StringRef(0),
            group: GroupRef(1),
            parent: CommRef::UNDEFINED,
            flags: CommFlag::NONE,
        }),
    ]
}

fn write_location(archive: &ArchiveWriter, location: LocationRef) -> u64 {
    let is_second = location == LOCATIONS[1];
    let mut definitions = archive.local_definitions(location);
    if is_second {
        let id_map = IdMap::Sparse(vec![(0, 1), (1, 0)]);
        let mapping_type = MappingType::Region;
        let table = Definition::MappingTable(MappingTable { mapping_type, id_map });
        definitions.write(&table).expect("a table");
        for time in [0, 1 << 40] {
            let offset = ClockOffset { time, offset: 10, standard_deviation: 0.5 };
            definitions.write(&Definition::ClockOffset(offset)).expect("an offset");
        }
    }
    definitions.finish().expect("a file");
    write_snapshot(archive, location);
    write_events(archive, location, RegionRef(u32::from(is_second)))
}

fn write_snapshot(archive: &ArchiveWriter, location: LocationRef) {
    let mut snapshots = archive.snapshots(location);
    let (orig_event_time, region) = (Ticks(20), RegionRef(0));
    for record in [
        Snapshot::SnapshotStart(SnapshotStart { number_of_records: 1 }),
        Snapshot::EnterSnap(EnterSnap { orig_event_time, region }),
        Snapshot::SnapshotEnd(SnapshotEnd { cont_read_pos: 2 }),
    ] {
        snapshots.write(Ticks(25), &[], &record).expect("a snapshot");
    }
    snapshots.finish().expect("a file");
}

fn write_events(archive: &ArchiveWriter, location: LocationRef, region: RegionRef) -> u64 {
    let mut events = archive.events(location);
    let mut time = 0;
    let mut write = |attributes: &[AttributeEntry], event: Event<'_>| {
        time += 10;
        events.write(Ticks(time), attributes, &event).expect("an event");
    };
    let (peer, communicator) = (u32::from(location == LOCATIONS[0]), CommRef(0));
    for visit in 0..VISITS {
        let bits = (visit as i32 - 100) as u32;
        let value = TypedValue { value_type: Type::Int32, bits: bits.into() };
        let size = AttributeEntry { attribute: AttributeRef(0), value };
        write(&[size], Event::Enter(Enter { region }));
        let double = TypedValue { value_type: Type::Double, bits: (visit as f64).to_bits() };
        let values = [double; 2];
        write(&[], Event::Metric(Metric { metric: MetricRef(0), values: &values }));
        write(&[], Event::Leave(Leave { region }));
    }
    let (msg_tag, msg_length) = (7, 1 << 20);
    let send = MpiSend { receiver: peer, communicator, msg_tag, msg_length };
    let receive = MpiRecv { sender: peer, communicator, msg_tag, msg_length };
    let measurement_mode = MeasurementMode::Off;
    write(&[], Event::MpiSend(send));
    write(&[], Event::MpiRecv(receive));
    write(&[], Event::MpiCollectiveBegin(MpiCollectiveBegin));
    write(
        &[],
        Event::MpiCollectiveEnd(MpiCollectiveEnd {
            collective_op: CollectiveOp::Barrier,
            communicator,
            root: u32::MAX,
            size_sent: 0,
            size_received: 0,
        }),
    );
    write(&[], Event::ParameterInt(ParameterInt { parameter: ParameterRef(0), value: -7 }));
    write(&[], Event::MeasurementOnOff(MeasurementOnOff { measurement_mode }));
    // The last one: nothing may happen before it ends.
    write(&[], Event::BufferFlush(BufferFlush { stop_time: Ticks(1 << 30) }));
    events.finish().expect("a file")
}

fn write_markers(archive: &ArchiveWriter) {
    let mut markers = archive.markers();
    let definition = DefMarker {
        id: MarkerRef(0),
        marker_group: "group".into(),
        marker_category: "category".into(),
        severity: MarkerSeverity::Medium,
    };
    let marker = Marker {
        timestamp: 1000,
        duration: 500,
        marker: MarkerRef(0),
        marker_scope: MarkerScope::Location,
        scope: LOCATIONS[1].0,
        text: "a marker's text".into(),
    };
    markers.write(&MarkerRecord::DefMarker(definition)).expect("a definition");
    markers.write(&MarkerRecord::Marker(marker)).expect("a marker");
    markers.finish().expect("a file");
}

fn write_thumbnail(archive: &ArchiveWriter, number: u32) {
    let mut thumbnail = archive.thumbnail(number);
    let header = ThumbnailHeader {
        name: "region activity".into(),
        description: "what for".into(),
        thumbnail_type: ThumbnailType::Region,
        number_of_samples: 2,
        refs_to_defs: vec![0, 1],
    };
    thumbnail.write(&Thumbnail::ThumbnailHeader(header)).expect("a header");
    for baseline in [1, 2] {
        let sample = ThumbnailSample { baseline, metric_samples: vec![0, baseline] };
        thumbnail.write(&Thumbnail::ThumbnailSample(sample)).expect("a sample");
    }
    thumbnail.finish().expect("a file");
}

/// What a tool says of the archive in each order, which has to be the same and without a complaint.
fn same_of_both(thumbnails: u32, say: impl Fn(&Path) -> Output) -> String {
    let [little, big] = ORDERS.map(|order| {
        let folder = TempDir::new().expect("a folder");
        let anchor = folder.path().join("t.otf2");
        write(&anchor, order, thumbnails);
        let output = say(&anchor);
        assert!(output.status.success(), "{order:?}: {}", said(&output));
        assert_eq!(said(&output), "", "{order:?}");
        text(output.stdout)
    });
    let different = little.lines().zip(big.lines()).find(|(little, big)| little != big);
    assert_eq!(different, None);
    assert_eq!(little.len(), big.len());
    little
}

#[test]
fn prints_definitions_events_and_snapshots() {
    if !is_installed("otf2-print") {
        return;
    }
    let printed = same_of_both(0, |anchor| otf2_print(&["-A", "-Werror"], anchor));
    let count = |word: &str| printed.lines().filter(|line| line.starts_with(word)).count() as u64;
    assert_eq!(count("SNAPSHOT_START "), 2);
    // One is in each snapshot.
    assert_eq!(count("ENTER "), 2 * VISITS + 2);
    assert_eq!(count("METRIC "), 2 * VISITS);
    assert_eq!(count("BUFFER_FLUSH "), 2);
    // Both locations are in the same region, whatever number the second has for it; its clock is
    // behind.
    assert!(printed.contains("Region: \"main\" <0>"), "{}", &printed[..4000]);
    assert!(!printed.lines().any(|l| l.starts_with("ENTER ") && l.contains("\"solve\"")));
    let second = printed.lines().find(|l| l.starts_with("ENTER ") && l.contains("8589934592"));
    assert!(second.is_some_and(|line| line.split_whitespace().nth(2) == Some("20")), "{second:?}");
    assert!(printed.contains("TEST::ORDER") && printed.contains("grün"));
}

#[test]
fn prints_mapping_tables_and_clocks() {
    if !is_installed("otf2-print") {
        return;
    }
    let printed = same_of_both(0, |anchor| otf2_print(&["-M", "-C"], anchor));
    assert!(printed.contains("CLOCK_OFFSET") && printed.contains("REGION"), "{printed}");
}

#[test]
fn prints_markers() {
    if !is_installed("otf2-marker") {
        return;
    }
    let run = |anchor: &Path| Command::new("otf2-marker").arg(anchor).output();
    let printed = same_of_both(0, |anchor| run(anchor).expect("otf2-marker runs"));
    assert!(printed.contains("a marker's text"), "{printed}");
}

/// Files whose marks and times stand as they rarely do.
#[test]
fn reads_chunks_that_end_anywhere() {
    if !is_installed("otf2-print") {
        return;
    }
    // The last chunk has no room for the second mark.
    reads_events(fill(20).into_iter().chain([flush(101)]).collect());
    // A chunk begins while time is 0, where the reference's own writer stores it twice.
    reads_events(vec![enter(0); 40_000]);
}

fn reads_events(events: Vec<Timed>) {
    for order in ORDERS {
        let place = Place::new(order);
        let count = events.len() as u64;
        place.write(&events);
        place.writer.local_definitions(LOCATION).finish().expect("a file");
        let definitions = write_definitions(&place.writer, [(LOCATION, count)]);
        let written = Anchor {
            number_of_locations: 1,
            number_of_global_definitions: definitions,
            ..anchor(place.writer.options())
        };
        place.writer.finish(&written).expect("an anchor");
        let output = otf2_print(&["-Werror"], &place.writer.anchor_path());
        assert!(output.status.success(), "{order:?}: {}", said(&output));
        assert_eq!(said(&output), "", "{order:?}");
        let lines = text(output.stdout);
        let lines = lines.lines().skip_while(|line| !line.starts_with("---"));
        assert_eq!(lines.skip(1).filter(|line| !line.is_empty()).count() as u64, count);
    }
}

/// Thumbnails are read by us alone: versions 3.0.0 to 3.0.2 of the reference library write them and cannot
/// read them.
#[test]
fn our_own_validation_finds_nothing() {
    let said = same_of_both(2, |anchor| {
        let mut command = streamfold(["validate", "--json", "--quiet"]);
        let output = command.arg(anchor).output().expect("the program runs");
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(report["defects"], Value::Array(Vec::new()));
        Output { stdout: Vec::new(), ..output }
    });
    assert_eq!(said, "");
}

/// The reference goes on where we ended: its snapshots lie on our events.
#[test]
fn adds_snapshots() {
    if !is_installed("otf2-snapshots") {
        return;
    }
    same_of_both(0, |anchor| {
        let folder = anchor.with_extension("");
        for location in LOCATIONS {
            fs::remove_file(folder.join(format!("{location}.snap"))).expect("removed");
        }
        let added = Command::new("otf2-snapshots").args(["-n", "3"]).arg(anchor).output();
        assert!(folder.join("0.snap").exists());
        added.expect("otf2-snapshots runs")
    });
}
