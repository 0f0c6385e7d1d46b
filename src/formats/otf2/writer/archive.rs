//! A new archive: where its files go, and the writers of each, section 1.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use streamfold_model::ids::LocationRef;
use streamfold_model::values::Ticks;

use super::chunks::ChunkWriter;
use super::error::{WriteError, WriteErrorKind};
use super::events::{EventWriter, SnapshotWriter};
use super::plain::{DefinitionWriter, MarkerWriter, ThumbnailWriter};
use crate::archive::{FileKind, Layout};
use crate::chunk::CHUNK_SIZES;
use crate::{Anchor, WriteOptions};

/// An archive that is being written, by any number of threads and processes, each of which writes
/// the files of its own locations without a word to the others. Global definitions and the anchor are
/// for one of them, and come last: without an anchor it is no archive.
///
/// ```
/// use streamfold_otf2::{Archive, ArchiveWriter, ReadOptions, WriteOptions};
/// use streamfold_model::events::{Enter, Event, Leave};
/// use streamfold_model::ids::{LocationRef, RegionRef};
/// use streamfold_model::values::Ticks;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("traces.otf2");
/// let archive = ArchiveWriter::create(&path, WriteOptions::default())?;
/// let mut events = archive.events(LocationRef(0));
/// events.write(Ticks(10), &[], &Event::Enter(Enter { region: RegionRef(0) }))?;
/// events.write(Ticks(12), &[], &Event::Leave(Leave { region: RegionRef(0) }))?;
/// assert_eq!(events.finish()?, 2);
/// # let definitions = archive.global_definitions();
/// # definitions.finish()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ArchiveWriter {
    layout: Layout,
    options: WriteOptions,
}

impl ArchiveWriter {
    /// An archive with its anchor at this path, whose folders are made where there are none. An anchor
    /// there already is refused.
    ///
    /// # Errors
    ///
    /// When the name is not that of an anchor, when chunks cannot have these sizes, or when folders
    /// cannot be made.
    pub fn create(path: &Path, options: WriteOptions) -> Result<ArchiveWriter, WriteError> {
        let writer = ArchiveWriter::open(path, options)?;
        if path.symlink_metadata().is_ok() {
            let there = io::Error::from(io::ErrorKind::AlreadyExists);
            return Err(WriteError::new(path, WriteErrorKind::Io(there)));
        }
        let folder = writer.layout.folder_of_locations();
        let made = fs::create_dir_all(&folder);
        made.map_err(|error| WriteError::new(&folder, WriteErrorKind::Io(error)))?;
        Ok(writer)
    }

    /// The same, where the caller makes the folders.
    ///
    /// # Errors
    ///
    /// When the name is not that of an anchor, or when chunks cannot have these sizes.
    pub fn open(path: &Path, options: WriteOptions) -> Result<ArchiveWriter, WriteError> {
        for size in [options.event_chunk_size, options.definition_chunk_size] {
            if !CHUNK_SIZES.contains(&size) {
                return Err(WriteError::new(path, WriteErrorKind::ChunkSize(size)));
            }
        }
        let layout = Layout::new(path);
        let layout = layout.ok_or_else(|| WriteError::new(path, WriteErrorKind::AnchorName))?;
        Ok(ArchiveWriter { layout, options })
    }

    /// How files are written.
    pub fn options(&self) -> WriteOptions {
        self.options
    }

    /// The path of a file of the archive.
    pub fn path(&self, kind: FileKind) -> PathBuf {
        self.layout.path(kind)
    }

    /// The chunk size of a file, in bytes.
    pub(crate) fn chunk_size(&self, kind: FileKind) -> u64 {
        kind.chunk_size(self.options.event_chunk_size, self.options.definition_chunk_size)
    }

    /// The path of the anchor.
    pub fn anchor_path(&self) -> PathBuf {
        self.layout.anchor()
    }

    /// Writes a file without records. Returns its length in bytes.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn empty(&self, kind: FileKind) -> Result<u64, WriteError> {
        ChunkWriter::new(self.path(kind), self.chunk_size(kind), self.options.order).finish()
    }

    /// Writes the events of a location. Every location that is defined needs such a file, even
    /// without any event.
    pub fn events(&self, location: LocationRef) -> EventWriter {
        let kind = FileKind::Events(location);
        EventWriter::new(self.path(kind), self.chunk_size(kind), self.options.order)
    }

    /// Goes on writing the events of a location, whose file was ended, behind the last of them, which has
    /// this time.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or is none that was written here.
    pub fn more_events(
        &self,
        location: LocationRef,
        time: Ticks,
    ) -> Result<EventWriter, WriteError> {
        let kind = FileKind::Events(location);
        EventWriter::reopen(self.path(kind), self.chunk_size(kind), time)
    }

    /// Writes the snapshots of a location.
    pub fn snapshots(&self, location: LocationRef) -> SnapshotWriter {
        let kind = FileKind::Snapshots(location);
        SnapshotWriter::new(self.path(kind), self.chunk_size(kind), self.options.order)
    }

    /// Writes the definitions of a location.
    pub fn local_definitions(&self, location: LocationRef) -> DefinitionWriter {
        self.definitions(FileKind::LocalDefinitions(location))
    }

    /// Writes the global definitions.
    pub fn global_definitions(&self) -> DefinitionWriter {
        self.definitions(FileKind::GlobalDefinitions)
    }

    pub(crate) fn definitions(&self, kind: FileKind) -> DefinitionWriter {
        DefinitionWriter::new(self.path(kind), self.chunk_size(kind), self.options.order)
    }

    /// Writes the markers.
    pub fn markers(&self) -> MarkerWriter {
        self.markers_at(self.path(FileKind::Markers))
    }

    /// Writes markers to a file that the caller puts in its place later.
    pub fn markers_at(&self, path: PathBuf) -> MarkerWriter {
        let chunk_size = self.chunk_size(FileKind::Markers);
        MarkerWriter::new(path, chunk_size, self.options.order)
    }

    /// Writes the thumbnail of this number.
    pub fn thumbnail(&self, number: u32) -> ThumbnailWriter {
        let kind = FileKind::Thumbnail(number);
        ThumbnailWriter::new(self.path(kind), self.chunk_size(kind), self.options.order)
    }

    /// Writes the anchor, last of all; it says what chunks the files have.
    ///
    /// # Errors
    ///
    /// When there is one already, when it would be too long, or when it cannot be written.
    pub fn finish(&self, anchor: &Anchor) -> Result<(), WriteError> {
        let WriteOptions { event_chunk_size, definition_chunk_size, .. } = self.options;
        let anchor = Anchor { event_chunk_size, definition_chunk_size, ..anchor.clone() };
        anchor.write(&self.anchor_path())
    }
}
