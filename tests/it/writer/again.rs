//! Every record read with the readers and written with the writers: the files of the reference library
//! come out as they were, with every field in its place and every chunk begun where it was.

use std::path::Path;

use streamfold::formats::otf2::{
    Archive as Otf2, ArchiveWriter, EventWriter, FileKind, LocalDefinitions, ReadOptions,
    WriteOptions,
};
use streamfold::model::events::{Event, EventVisitor};
use streamfold::model::ids::LocationRef;
use streamfold::model::snapshots::Snapshot;
use streamfold::model::stream::EventHead;
use tempfile::TempDir;

use crate::common::archives::{data, large, large_folders, traces, Archive};
use crate::common::files::{assert_same_bytes, names, Files};

/// Hands events to a writer.
struct Again(EventWriter);

impl EventVisitor for Again {
    const ATTRIBUTES: bool = true;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        self.0.write(head.time, head.attributes, &event).expect("an event");
    }

    fn unknown(&mut self, head: &EventHead<'_>, id: u8) {
        panic!("{} of location {} is of kind {id}", head.number, head.location);
    }
}

/// Everything in an archive, record by record.
struct Rewriting {
    from: Otf2,
    to: ArchiveWriter,
}

impl Rewriting {
    fn new(from: &Path, to: &Path) -> Rewriting {
        let from = Otf2::open(from, ReadOptions::default()).expect("an archive");
        let anchor = from.anchor();
        let options = WriteOptions {
            event_chunk_size: anchor.event_chunk_size,
            definition_chunk_size: anchor.definition_chunk_size,
            order: anchor.order,
        };
        let to = ArchiveWriter::create(to, options).expect("folders");
        Rewriting { from, to }
    }

    fn all(&self) {
        let is_there = |kind| self.from.path(kind).exists();
        for location in self.locations() {
            if is_there(FileKind::LocalDefinitions(location)) {
                self.local_definitions(location);
            }
            if is_there(FileKind::Events(location)) {
                self.events(location);
            }
            if is_there(FileKind::Snapshots(location)) {
                self.snapshots(location);
            }
        }
        self.global_definitions();
        self.markers();
        (0..self.from.anchor().number_of_thumbnails).for_each(|number| self.thumbnail(number));
        self.to.finish(self.from.anchor()).expect("an anchor");
    }

    fn locations(&self) -> Vec<LocationRef> {
        let folder = self.from.anchor_path().with_extension("");
        let number = |name: String| name.split('.').next()?.parse().ok().map(LocationRef);
        let mut locations: Vec<_> = names(&folder).into_iter().filter_map(number).collect();
        locations.dedup();
        locations
    }

    fn local_definitions(&self, location: LocationRef) {
        let mut writer = self.to.local_definitions(location);
        let mut reader = self.from.local_definitions(location).expect("a file").expect("a file");
        while let Some(definition) = reader.next().expect("a record") {
            writer.write(&definition.expect("a known kind")).expect("a definition");
        }
        assert_eq!(writer.finish().expect("a file"), reader.count());
    }

    fn global_definitions(&self) {
        let mut writer = self.to.global_definitions();
        let mut reader = self.from.global_definitions().expect("a file");
        while let Some(definition) = reader.next().expect("a record") {
            writer.write(&definition.expect("a known kind")).expect("a definition");
        }
        assert_eq!(writer.finish().expect("a file"), reader.count());
    }

    /// As they stand there: no mapping, no correction of clocks.
    fn events(&self, location: LocationRef) {
        let mut visitor = Again(self.to.events(location));
        let reader = self.from.events_with(location, LocalDefinitions::default());
        let mut reader = reader.expect("a file");
        reader.read_all(&mut visitor).expect("events");
        assert_eq!(visitor.0.finish().expect("a file"), reader.count());
    }

    fn snapshots(&self, location: LocationRef) {
        let mut writer = self.to.snapshots(location);
        let mut reader = self.from.snapshots(location).expect("a file");
        while reader.peek().expect("a record").is_some() {
            let mut write = |head: &EventHead<'_>, snapshot: Result<Snapshot<'_>, u8>| {
                let snapshot = snapshot.expect("a known kind");
                writer.write(head.time, head.attributes, &snapshot).expect("a snapshot");
            };
            reader.deliver(&mut write).expect("a record");
        }
        writer.finish().expect("a file");
    }

    fn markers(&self) {
        let Some(mut reader) = self.from.markers().expect("a file or none") else { return };
        let mut writer = self.to.markers();
        while let Some(marker) = reader.next().expect("a record") {
            writer.write(&marker.expect("a known kind")).expect("a marker");
        }
        writer.finish().expect("a file");
    }

    fn thumbnail(&self, number: u32) {
        let mut reader = self.from.thumbnail(number).expect("a file");
        let mut writer = self.to.thumbnail(number);
        while let Some(sample) = reader.next().expect("a record") {
            writer.write(&sample.expect("a known kind")).expect("a sample");
        }
        writer.finish().expect("a file");
    }
}

/// The files of an archive, and those written anew.
fn again(archive: &Archive) -> (Files, Files) {
    let folder = TempDir::new().expect("a folder");
    let to = folder.path().join("again.otf2");
    Rewriting::new(&archive.anchor, &to).all();
    (Files::read(&archive.anchor), Files::read(&to))
}

/// Whether version 3 of the reference library wrote it, or a later one, whose records have all fields
/// that a writer of today writes.
fn is_of_today(archive: &Archive) -> bool {
    let read = Otf2::open(&archive.anchor, ReadOptions::default()).expect("an archive");
    read.anchor().version[0] >= 3
}

fn compare(archives: impl IntoIterator<Item = Archive>) -> usize {
    let of_today: Vec<_> = archives.into_iter().filter(is_of_today).collect();
    for archive in &of_today {
        let (original, written) = again(archive);
        written.assert_same(&original, &archive.name);
    }
    of_today.len()
}

fn in_folder(folder: &Path) -> Vec<Archive> {
    names(folder).into_iter().filter_map(|name| Archive::find(&folder.join(name))).collect()
}

#[test]
fn archives_of_this_repository() {
    let compared =
        compare(in_folder(&data()).into_iter().chain(in_folder(&data().join("by-hand"))));
    assert!(compared >= 9, "{compared} archives");
}

#[test]
fn archives_of_the_large_set() {
    let donor = large_folders(&["crashed-scorep8-comd"]).into_iter().map(|run| run.join("donor"));
    compare(large().into_iter().chain(donor.filter_map(|folder| Archive::find(&folder))));
}

/// Long lengths, attribute lists of any length, every field with every value.
#[test]
fn archives_of_every_kind_of_record() {
    let Some(traces) = traces() else { return };
    let folder = traces.join("otf2-records");
    let cases = ["all-kinds", "mapped"].map(|case| folder.join(case));
    assert_eq!(compare(cases.iter().filter_map(|folder| Archive::find(folder))), 2);
}

/// Of those that older versions wrote: their global definitions lack fields, but no event does.
/// (Whoever moved the files of one of them left a newline behind each.)
#[test]
fn events_of_older_versions() {
    let older = in_folder(&data()).into_iter().chain(large()).filter(|a| !is_of_today(a));
    for archive in older {
        let (original, written) = again(&archive);
        for (name, bytes) in written.0.iter().filter(|(name, _)| name.starts_with('/')) {
            let original = original.get(name);
            let end = original.len() - usize::from(original.ends_with(&[2, 1, b'\n']));
            assert_same_bytes(bytes, &original[..end], &format!("{}, {name}", archive.name));
        }
    }
}
