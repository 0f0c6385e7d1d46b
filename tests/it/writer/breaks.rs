//! Where chunks and files end, to the byte.

use streamfold::formats::otf2::{ArchiveWriter, FileKind, Order};
use streamfold::model::definitions::{Definition, StringDef};
use streamfold::model::enums::{MarkerSeverity, MeasurementMode, ThumbnailType};
use streamfold::model::events::{BufferFlush, Enter, Event, MeasurementOnOff};
use streamfold::model::ids::{MarkerRef, RegionRef, StringRef};
use streamfold::model::markers::{DefMarker, MarkerRecord};
use streamfold::model::snapshots::{EnterSnap, Snapshot};
use streamfold::model::thumbnails::{Thumbnail, ThumbnailHeader, ThumbnailSample};
use streamfold::model::values::Ticks;

use crate::common::parsed::Parser;
use crate::writer::written::{Owned, Place, Timed, CHUNK, LOCATION, ORDERS};

const SIZE: usize = CHUNK as usize;

/// Two bytes, and nine for the first time.
pub fn enter(time: u64) -> Timed {
    Timed::new(time, Owned::Plain(Event::Enter(Enter { region: RegionRef(0) })))
}

/// Three bytes.
fn recording(time: u64) -> Timed {
    let event = MeasurementOnOff { measurement_mode: MeasurementMode::On };
    Timed::new(time, Owned::Plain(Event::MeasurementOnOff(event)))
}

/// Ten bytes, and what is reserved for it as well.
pub fn flush(time: u64) -> Timed {
    Timed::new(time, Owned::Plain(Event::BufferFlush(BufferFlush { stop_time: Ticks(time) })))
}

/// Events of one time that leave so many bytes of the first chunk free, which there have to be at
/// least 15 of.
pub fn fill(free: usize) -> Vec<Timed> {
    // The header, and the first event with its time.
    let left = SIZE - 18 - 11 - free;
    let mut events = vec![enter(100)];
    if left % 2 == 1 {
        events.push(recording(100));
    }
    let enters = (left - 3 * (left % 2)) / 2;
    events.extend(std::iter::repeat_n(enter(100), enters));
    events
}

#[test]
fn a_file_without_events() {
    let numbers = [
        [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0],
    ];
    for (order, numbers) in ORDERS.into_iter().zip(numbers) {
        let place = Place::new(order);
        let expected = [&[3, order.number()][..], &numbers, &[2, 1]].concat();
        assert_eq!(place.write(&[]), expected);
        assert!(place.read().is_empty());
    }
}

/// The mark that ends the data takes the last byte, and no room is left for the other one, which nobody
/// reads. The reference library crashes here.
#[test]
fn a_file_that_ends_where_its_chunk_ends() {
    for order in ORDERS {
        let place = Place::new(order);
        let mut events = fill(20);
        events.push(flush(101));
        let bytes = place.write(&events);
        assert_eq!((bytes.len(), bytes[SIZE - 1]), (SIZE, 2));
        assert_eq!(Parser::events(&bytes, CHUNK).strictly().len(), events.len());
        assert_eq!(place.read(), events);
    }
}

/// One byte before, both marks have room.
#[test]
fn a_file_that_ends_with_its_chunk_and_both_marks() {
    let place = Place::new(Order::NATIVE);
    let mut events = fill(21);
    events.push(flush(101));
    let bytes = place.write(&events);
    assert_eq!((bytes.len(), &bytes[SIZE - 2..]), (SIZE, &[2, 1][..]));
    assert_eq!(place.read(), events);
}

/// One byte less than that a record needs, and the one that is always left, and it goes to the next
/// chunk, which begins with its time whether it is a new one or not.
#[test]
fn a_record_without_room_begins_a_chunk() {
    for (free, time) in [(19, 101), (19, 100), (15, 100)] {
        let place = Place::new(Order::NATIVE);
        let mut events = fill(free);
        events.push(flush(time));
        let bytes = place.write(&events);
        assert_eq!(bytes.len(), SIZE + 18 + 9 + 10 + 2);
        let records = Parser::events(&bytes, CHUNK).strictly();
        let last = records.last().expect("records");
        assert_eq!((last.chunk, &last.stamps), (1, &vec![time]));
        assert_eq!(place.read(), events);
    }
}

/// The last byte of a chunk is padding, even where a record would have had room for all of its bytes:
/// nine are reserved for a time that is not stored.
#[test]
fn room_for_a_time_is_reserved_whether_one_is_stored_or_not() {
    let place = Place::new(Order::NATIVE);
    let mut events = fill(16);
    // Reserved are 6 and 9, which is less than 16, and not less than 14.
    events.extend([enter(100), enter(100)]);
    let records = Parser::events(&place.write(&events), CHUNK).strictly();
    let chunks: Vec<_> = records[records.len() - 2..].iter().map(|r| r.chunk).collect();
    assert_eq!(chunks, [0, 1]);
}

/// While time is 0 each event has its own, of which a chunk that begins there has one and not two, on
/// which the reference's reader would go astray.
#[test]
fn a_chunk_that_begins_at_time_0() {
    for order in ORDERS {
        let place = Place::new(order);
        let events: Vec<_> = std::iter::repeat_n(enter(0), 40_000).collect();
        let bytes = place.write(&events);
        let records = Parser::events(&bytes, CHUNK).strictly();
        assert!(records.last().expect("records").chunk > 0);
        assert!(records.iter().all(|record| record.stamps == [0]));
        assert_eq!(place.read(), events);
    }
}

#[test]
fn snapshots_break_as_events_do() {
    for order in ORDERS {
        let place = Place::new(order);
        let mut writer = place.writer.snapshots(LOCATION);
        let snapshot = |number| {
            let orig_event_time = Ticks(u64::from(number));
            Snapshot::EnterSnap(EnterSnap { orig_event_time, region: RegionRef(number) })
        };
        for number in 0..40_000 {
            writer.write(Ticks(7), &[], &snapshot(number)).expect("a snapshot");
        }
        writer.finish().expect("a file");
        let bytes = std::fs::read(place.writer.path(FileKind::Snapshots(LOCATION)));
        let bytes = bytes.expect("the file");
        let records = Parser::snapshots(&bytes, CHUNK).strictly();
        assert_eq!(records.len(), 40_000);
        assert!(records.last().expect("records").chunk > 0);
        assert!(records.iter().all(|record| record.time == 7 && record.id == 13));
    }
}

/// Chunks of records without times: their headers count nothing, and what they hold begins at once.
fn check_plain(bytes: &[u8], size: usize, order: Order) {
    let chunks = bytes.chunks(size);
    let count = chunks.len();
    assert!(count > 1, "several chunks");
    for (i, chunk) in chunks.enumerate() {
        let header = [&[3, order.number()][..], &order.bytes_u64(1), &[0; 8]].concat();
        assert_eq!(chunk[..18], header);
        let mut at = 18;
        while !matches!(chunk[at], 0 | 2) {
            at += match chunk[at + 1] {
                255 => 10 + order.u64(chunk[at + 2..at + 10].try_into().expect("8 bytes")) as usize,
                length => 2 + usize::from(length),
            };
        }
        match i + 1 == count {
            true => assert_eq!(chunk[at..], [2, 1]),
            false => assert!(chunk[at..].iter().all(|byte| *byte == 0), "padding of chunk {i}"),
        }
    }
}

fn write_definitions(to: &ArchiveWriter) {
    let mut definitions = to.global_definitions();
    for id in 0..3000 {
        let string = "x".repeat(id % 300).into();
        let definition = StringDef { id: StringRef(id as u32), string };
        definitions.write(&Definition::StringDef(definition)).expect("a definition");
    }
    assert_eq!(definitions.finish().expect("a file"), 3000);
}

fn write_markers(to: &ArchiveWriter) {
    let mut markers = to.markers();
    for id in 0..3000 {
        let marker = DefMarker {
            id: MarkerRef(id as u32),
            marker_group: "group".into(),
            marker_category: "y".repeat(id % 300).into(),
            severity: MarkerSeverity::High,
        };
        markers.write(&MarkerRecord::DefMarker(marker)).expect("a marker");
    }
    markers.finish().expect("a file");
}

fn write_thumbnail(to: &ArchiveWriter) {
    let mut thumbnail = to.thumbnail(0);
    let header = ThumbnailHeader {
        name: "thumbnail".into(),
        description: "".into(),
        thumbnail_type: ThumbnailType::Region,
        number_of_samples: 3000,
        refs_to_defs: (0..50).collect(),
    };
    thumbnail.write(&Thumbnail::ThumbnailHeader(header)).expect("a header");
    for baseline in 0..3000 {
        let sample = ThumbnailSample { baseline, metric_samples: vec![u64::MAX / 2; 50] };
        thumbnail.write(&Thumbnail::ThumbnailSample(sample)).expect("a sample");
    }
    thumbnail.finish().expect("a file");
}

#[test]
fn definitions_markers_and_thumbnails_break_without_times() {
    for order in ORDERS {
        let place = Place::new(order);
        write_definitions(&place.writer);
        write_markers(&place.writer);
        write_thumbnail(&place.writer);
        let thumbnails = 1 << 20;
        let sizes = [
            (FileKind::GlobalDefinitions, SIZE),
            (FileKind::Markers, SIZE),
            (FileKind::Thumbnail(0), thumbnails),
        ];
        for (kind, size) in sizes {
            let bytes = std::fs::read(place.writer.path(kind)).expect("the file");
            check_plain(&bytes, size, order);
        }
    }
}
