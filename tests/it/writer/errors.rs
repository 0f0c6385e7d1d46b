//! What cannot be written is told, with the file, and what was written before stays.

use std::io;

use streamfold::formats::otf2::{ArchiveWriter, Order, WriteError, WriteErrorKind, WriteOptions};
use streamfold::model::definitions::{CartTopology, Definition, MetricClass};
use streamfold::model::enums::{MetricOccurrence, RecorderKind, Type};
use streamfold::model::events::{Enter, Event};
use streamfold::model::ids::{
    CartDimensionRef, CartTopologyRef, CommRef, MetricMemberRef, MetricRef, RegionRef, StringRef,
};
use streamfold::model::values::{Ticks, TypedValue};

use crate::common::parsed::Parser;
use crate::writer::written::{anchor, Owned, Place, Timed, CHUNK, LOCATION, ORDERS};

fn enter(time: u64) -> Timed {
    Timed::new(time, Owned::Plain(Event::Enter(Enter { region: RegionRef(1) })))
}

/// More arguments than a chunk has room for.
fn too_large(time: u64) -> Timed {
    Timed::new(time, Owned::ProgramBegin(StringRef(0), vec![StringRef(0); 60_000]))
}

/// Writes those that can be written; the errors of the others.
fn write_what_can_be(place: &Place, events: &[Timed]) -> Vec<WriteError> {
    let mut writer = place.writer.events(LOCATION);
    let write = |event: &Timed| {
        writer.write(Ticks(event.time), &event.attributes, &event.event.event()).err()
    };
    let errors: Vec<_> = events.iter().filter_map(write).collect();
    assert!(errors.iter().all(|error| error.path == place.events_path()));
    assert_eq!(writer.finish().expect("a file"), (events.len() - errors.len()) as u64);
    errors
}

#[test]
fn time_does_not_go_back() {
    let place = Place::new(Order::NATIVE);
    let errors = write_what_can_be(&place, &[enter(10), enter(9), enter(10), enter(11)]);
    assert!(
        matches!(
            errors[..],
            [WriteError { kind: WriteErrorKind::TimeGoesBack { from: 10, to: 9 }, .. }]
        ),
        "{errors:?}"
    );
    let message = errors[0].to_string();
    assert!(message.contains("3.evt") && message.contains("from 10 to 9"), "{message}");
    assert_eq!(place.read(), [enter(10), enter(10), enter(11)]);
}

#[test]
fn a_record_is_in_one_chunk() {
    for order in ORDERS {
        let place = Place::new(order);
        let events = [enter(10), too_large(11), too_large(11), enter(11), enter(12)];
        let errors = write_what_can_be(&place, &events);
        let is_size = |error: &WriteError| {
            matches!(error.kind, WriteErrorKind::RecordSize { id: 83, chunk: CHUNK, .. })
        };
        assert!(errors.len() == 2 && errors.iter().all(is_size), "{errors:?}");
        assert!(errors[0].to_string().contains("give larger chunks"), "{}", errors[0]);
        assert_eq!(place.read(), [enter(10), enter(11), enter(12)]);
        // The chunks that were begun for it stay.
        let bytes = std::fs::read(place.events_path()).expect("the file");
        assert_eq!(Parser::events(&bytes, CHUNK).strictly().len(), 3);
    }
}

#[test]
fn an_array_is_not_longer_than_its_count_can_say() {
    let place = Place::new(Order::NATIVE);
    let metric = |count| {
        let value = TypedValue { value_type: Type::Uint64, bits: 7 };
        Timed::new(10, Owned::Metric(MetricRef(0), vec![value; count]))
    };
    let errors = write_what_can_be(&place, &[metric(255), metric(256), metric(1000), metric(0)]);
    let counts: Vec<_> = errors
        .iter()
        .map(|error| match error.kind {
            WriteErrorKind::ArrayLength { id: 31, count } => count,
            ref other => panic!("{other}"),
        })
        .collect();
    assert_eq!(counts, [256, 1000]);
    assert_eq!(place.read(), [metric(255), metric(0)]);
}

/// Definitions with arrays that are counted in one byte.
#[test]
fn neither_is_one_of_a_definition() {
    let place = Place::new(Order::NATIVE);
    let topology = |dimensions| {
        Definition::CartTopology(CartTopology {
            id: CartTopologyRef(0),
            name: StringRef(0),
            communicator: CommRef(0),
            cart_dimensions: vec![CartDimensionRef(0); dimensions],
        })
    };
    let class = |members| {
        Definition::MetricClass(MetricClass {
            id: MetricRef(0),
            metric_members: vec![MetricMemberRef(0); members],
            metric_occurrence: MetricOccurrence::Asynchronous,
            recorder_kind: RecorderKind::Abstract,
        })
    };
    let mut writer = place.writer.global_definitions();
    for definition in [topology(255), class(255)] {
        writer.write(&definition).expect("255 are not too many");
    }
    for definition in [topology(256), class(256)] {
        let error = writer.write(&definition).expect_err("256 are");
        assert!(matches!(error.kind, WriteErrorKind::ArrayLength { count: 256, .. }), "{error}");
    }
    assert_eq!(writer.finish().expect("a file"), 2);
}

fn already_exists<T>(result: Result<T, WriteError>) -> bool {
    let Err(WriteError { kind: WriteErrorKind::Io(error), .. }) = result else { return false };
    error.kind() == io::ErrorKind::AlreadyExists
}

/// Whatever is there stays there.
#[test]
fn no_file_is_overwritten() {
    let place = Place::new(Order::NATIVE);
    let events = place.write(&[enter(1)]);
    assert!(already_exists(place.writer.events(LOCATION).finish()));
    assert_eq!(std::fs::read(place.events_path()).expect("the file"), events);
    assert!(place.writer.global_definitions().finish().is_ok());
    assert!(already_exists(place.writer.global_definitions().finish()));
    let anchor = anchor(place.writer.options());
    assert!(place.writer.finish(&anchor).is_ok());
    assert!(already_exists(place.writer.finish(&anchor)));
}

/// Who wants to write to the folder of another archive's locations is told when files meet.
#[test]
fn a_second_writer_overwrites_nothing() {
    let place = Place::new(Order::NATIVE);
    place.write(&[enter(1)]);
    let again = ArchiveWriter::create(&place.writer.anchor_path(), place.writer.options());
    assert!(already_exists(again.expect("folders may be there").events(LOCATION).finish()));
}

#[test]
fn chunks_have_bounds() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let path = folder.path().join("t.otf2");
    let sizes = [0, CHUNK - 1, (16 << 20) + 1, u64::MAX];
    for size in sizes {
        let as_is = WriteOptions::default();
        for options in [
            WriteOptions { event_chunk_size: size, ..as_is },
            WriteOptions { definition_chunk_size: size, ..as_is },
        ] {
            let error = ArchiveWriter::create(&path, options).expect_err("no such chunks");
            assert!(matches!(error.kind, WriteErrorKind::ChunkSize(found) if found == size));
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

#[test]
fn an_anchor_has_its_name() {
    for name in ["t", "t.def", "t.otf2.gz", ".otf2"] {
        let folder = tempfile::TempDir::new().expect("a folder");
        let created = ArchiveWriter::create(&folder.path().join(name), WriteOptions::default());
        let error = created.expect_err("no name of an anchor");
        assert!(matches!(error.kind, WriteErrorKind::AnchorName), "{name}: {error}");
    }
}

/// Readers look no further than 256 KiB.
#[test]
fn an_anchor_has_bounds() {
    let place = Place::new(Order::NATIVE);
    let mut anchor = anchor(place.writer.options());
    anchor.description = "x".repeat(256 << 10).into();
    let error = place.writer.finish(&anchor).expect_err("too long");
    assert!(matches!(error.kind, WriteErrorKind::AnchorSize(_)), "{error}");
    assert!(!place.writer.anchor_path().exists());
}
