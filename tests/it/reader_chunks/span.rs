//! From when to when a location has events, found at the begin and the end of its file.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;

use streamfold::formats::otf2::{Archive, ArchiveWriter, FileKind, ReadOptions, WriteOptions};
use streamfold::model::events::{BufferFlush, Enter, Event};
use streamfold::model::ids::{LocationRef, RegionRef};
use streamfold::model::values::Ticks;
use tempfile::TempDir;

use crate::common::small::{anchor_with, Order, CHUNK};

const LOCATION: LocationRef = LocationRef(0);

/// An archive with enters at these times and, behind them, a flush.
fn written(times: &[u64], flush: Option<[u64; 2]>) -> (TempDir, Archive) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("t.otf2");
    let options = WriteOptions { event_chunk_size: CHUNK, ..WriteOptions::default() };
    let to = ArchiveWriter::create(&path, options).expect("folders");
    let mut events = to.events(LOCATION);
    for time in times {
        let enter = Event::Enter(Enter { region: RegionRef(1) });
        events.write(Ticks(*time), &[], &enter).expect("an event");
    }
    if let Some([time, stop]) = flush {
        let flush = Event::BufferFlush(BufferFlush { stop_time: Ticks(stop) });
        events.write(Ticks(time), &[], &flush).expect("an event");
    }
    events.finish().expect("a file");
    std::fs::write(&path, anchor_with(Order::Little, CHUNK, CHUNK, 1, 0)).expect("an anchor");
    let archive = Archive::open(&path, ReadOptions::default()).expect("an anchor");
    (folder, archive)
}

#[track_caller]
fn check(archive: &Archive, span: Option<[u64; 2]>) {
    let found = archive.recorded_span(LOCATION);
    assert_eq!(found.map(|span| [span.start().0, span.end().0]), span);
}

#[test]
fn the_first_and_the_last_event_are_found() {
    check(&written(&[], None).1, None);
    check(&written(&[7], None).1, Some([7, 7]));
    check(&written(&[7, 9, 30], None).1, Some([7, 30]));
    check(&written(&[], Some([5, 20])).1, Some([5, 20]));
    check(&written(&[3], Some([5, 20])).1, Some([3, 20]));
    // Chunks of more than 20 000 events.
    let times: Vec<u64> = (10..70_000).collect();
    check(&written(&times, None).1, Some([10, 69_999]));
    check(&written(&times, Some([70_000, 80_000])).1, Some([10, 80_000]));
}

#[test]
fn what_can_be_read_of_a_damaged_end_counts() {
    let times: Vec<u64> = (10..70_000).collect();
    let (_folder, archive) = written(&times, None);
    let path = archive.path(FileKind::Events(LOCATION));
    let file = OpenOptions::new().write(true).open(&path).expect("a file");
    let length = file.metadata().expect("a length").len();
    file.set_len(length - 500).expect("a shorter file");
    let last = archive.recorded_span(LOCATION).expect("events").end().0;
    assert!((69_900..69_999).contains(&last), "{last}");
    // No header: the chunk before it is the last one.
    file.write_all_at(&[0x77; 64], length / CHUNK * CHUNK).expect("written");
    let last = archive.recorded_span(LOCATION).expect("events").end().0;
    assert!((40_000..69_900).contains(&last), "{last}");
    file.set_len(1).expect("a shorter file");
    check(&archive, None);
    std::fs::remove_file(&path).expect("a file");
    check(&archive, None);
}
