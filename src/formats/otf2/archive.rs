//! An archive: its files, and the readers of each, section 1.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use streamfold_model::definitions::Definition;
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;

use super::anchor::Anchor;
use super::chunk::{ChunkHead, CHUNK_HEADER_SIZE};
use super::definitions::{DefinitionReader, LocalDefinitions, Scope};
use super::error::{Error, ErrorKind};
use super::events::EventReader;
use super::index::ChunkIndex;
use super::markers::MarkerReader;
use super::snapshots::SnapshotReader;
use super::thumbnails::ThumbnailReader;
use super::window::{open_file, Window};
use crate::input;

/// Chunks of thumbnail files are of this size, section 17.2.
const THUMBNAIL_CHUNK_SIZE: u64 = 1 << 20;

/// How files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// Bytes that one stream holds at a time; more only where a record is longer.
    pub window: usize,
    /// Set if a file stays open between reads. Not with more streams at a time than files may be
    /// open.
    pub keep_open: bool,
}

impl Default for ReadOptions {
    /// Windows of 256 KiB, which stay in a core's cache from where they are copied to where they are
    /// decoded. docs/performance.md shows what other sizes cost.
    fn default() -> Self {
        ReadOptions { window: 256 << 10, keep_open: true }
    }
}

/// The files of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileKind {
    /// Global definitions.
    GlobalDefinitions,
    /// Definitions of a location.
    LocalDefinitions(LocationRef),
    /// Events of a location.
    Events(LocationRef),
    /// Snapshots of a location.
    Snapshots(LocationRef),
    /// The thumbnail of this number.
    Thumbnail(u32),
    /// Markers.
    Markers,
}

/// Folder and name of an archive, which its files lie by.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    folder: PathBuf,
    name: OsString,
}

impl Layout {
    /// Of the archive with its anchor at this path; `None` where that is no name of an anchor.
    pub(crate) fn new(path: &Path) -> Option<Layout> {
        let is_anchor = |suffix: &OsStr| suffix == "otf2" || suffix == "OTF2";
        let name = path.file_stem().filter(|_| path.extension().is_some_and(is_anchor))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Some(Layout { folder, name: name.to_owned() })
    }

    /// The anchor.
    pub(crate) fn anchor(&self) -> PathBuf {
        self.beside("otf2")
    }

    /// The folder with the files of locations.
    pub(crate) fn folder_of_locations(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// A file of the archive.
    pub(crate) fn path(&self, kind: FileKind) -> PathBuf {
        match kind {
            FileKind::GlobalDefinitions => self.beside("def"),
            FileKind::Markers => self.beside("marker"),
            FileKind::Thumbnail(number) => self.beside(&format!("{number}.thumb")),
            FileKind::LocalDefinitions(location) => self.local(location, "def"),
            FileKind::Events(location) => self.local(location, "evt"),
            FileKind::Snapshots(location) => self.local(location, "snap"),
        }
    }

    /// Tells whether there are definitions or files of locations, which a measurement writes before the anchor.
    fn has_other_files(&self) -> bool {
        let files =
            || std::fs::read_dir(self.folder_of_locations()).into_iter().flatten().flatten();
        self.path(FileKind::GlobalDefinitions).is_file()
            || files().any(|file| location_of(&file.file_name()).is_some())
    }

    /// The name of the only archive beside the anchor that has definitions and a folder of locations, where
    /// this one has neither.
    fn other_name(&self) -> Option<String> {
        if self.path(FileKind::GlobalDefinitions).exists() || self.folder_of_locations().exists() {
            return None;
        }
        let entries = std::fs::read_dir(&self.folder).ok()?;
        let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let is_archive = |path: &PathBuf| {
            let is_definitions = path.extension().is_some_and(|ending| ending == "def");
            is_definitions && path.is_file() && path.with_extension("").is_dir()
        };
        let mut found = files.filter(is_archive);
        let only = found.next()?;
        let name = only.file_stem()?.to_string_lossy().into_owned();
        found.next().is_none().then_some(name)
    }

    fn beside(&self, suffix: &str) -> PathBuf {
        let mut name = self.name.clone();
        name.push(".");
        name.push(suffix);
        self.folder.join(name)
    }

    fn local(&self, location: LocationRef, suffix: &str) -> PathBuf {
        // Made of its parts at once: there are many.
        let mut path = PathBuf::with_capacity(
            self.folder.as_os_str().len() + self.name.len() + suffix.len() + 24,
        );
        path.push(&self.folder);
        path.push(&self.name);
        path.push(itoa::Buffer::new().format(location.0));
        path.as_mut_os_string().push(".");
        path.as_mut_os_string().push(suffix);
        path
    }
}

impl FileKind {
    /// The chunk size of such a file in an archive where those of events and of definitions are these.
    pub(super) fn chunk_size(self, events: u64, definitions: u64) -> u64 {
        match self {
            FileKind::Events(_) | FileKind::Snapshots(_) => events,
            FileKind::Thumbnail(_) => THUMBNAIL_CHUNK_SIZE,
            _ => definitions,
        }
    }

    /// Whose file it is; undefined where it is not a location's.
    pub fn location(self) -> LocationRef {
        match self {
            FileKind::LocalDefinitions(location)
            | FileKind::Events(location)
            | FileKind::Snapshots(location) => location,
            _ => LocationRef::UNDEFINED,
        }
    }
}

/// A thumbnail that an anchor announces.
#[derive(Debug)]
pub struct AnnouncedThumbnail<T> {
    /// Its number, from 0.
    pub number: u32,
    /// The opened thumbnail, or the error.
    pub opened: Result<T, Error>,
    /// The number of further announced thumbnails that are not looked for.
    pub unseen: u32,
}

/// Tells whether event files lie in a folder, or so many levels below: a measurement that crashed leaves nothing else.
fn has_events(folder: &Path, levels: u32) -> bool {
    /// Number of entries that are looked at.
    const LOOKED: usize = 10_000;
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.take(LOOKED).flatten().any(|entry| {
        let path = entry.path();
        let is_events = path.extension().is_some_and(|ending| ending == "evt");
        is_events || levels > 0 && path.is_dir() && has_events(&path, levels - 1)
    })
}

/// An archive whose anchor has been read. No file is open.
#[derive(Clone, Debug)]
pub struct Archive {
    layout: Layout,
    anchor_path: PathBuf,
    anchor: Anchor,
    options: ReadOptions,
    /// Set if any location has local definitions; empty until the first question.
    has_local_definitions: Arc<OnceLock<bool>>,
}

impl Archive {
    /// Reads the anchor at this path.
    ///
    /// # Errors
    ///
    /// When there is no readable anchor there, see [`Anchor::read`].
    pub fn open(path: &Path, options: ReadOptions) -> Result<Archive, Error> {
        if path.is_dir() {
            let kind = match has_events(path, 1) {
                true => ErrorKind::OnlyEvents { folder: path.to_owned() },
                false => ErrorKind::Directory,
            };
            return Err(Error::new(path, None, kind));
        }
        let layout = layout_of(path)?;
        let mut anchor_path = path.to_owned();
        let anchor = match Anchor::read(path) {
            // The reference opens the lower case name, whatever was given.
            Err(error) if error.is_not_found() => {
                anchor_path.set_extension("otf2");
                Anchor::read(&anchor_path).map_err(|second| match second.is_not_found() {
                    true if layout.has_other_files() => {
                        Error::new(path, None, ErrorKind::Unfinished)
                    }
                    true => error,
                    false => second,
                })?
            }
            other => other?,
        };
        Ok(Archive::new(layout, anchor_path, anchor, options))
    }

    fn new(layout: Layout, anchor_path: PathBuf, anchor: Anchor, options: ReadOptions) -> Archive {
        let has_local_definitions = Arc::default();
        Archive { layout, anchor_path, anchor, options, has_local_definitions }
    }

    /// The archive at this path, whose anchor was read elsewhere.
    ///
    /// # Errors
    ///
    /// When the name is not that of an anchor.
    pub fn with_anchor(
        path: &Path,
        anchor: Anchor,
        options: ReadOptions,
    ) -> Result<Archive, Error> {
        Ok(Archive::new(layout_of(path)?, path.to_owned(), anchor, options))
    }

    /// The anchor.
    pub fn anchor(&self) -> &Anchor {
        &self.anchor
    }

    /// The path at which the anchor was read, or would be.
    pub fn anchor_path(&self) -> &Path {
        &self.anchor_path
    }

    /// The chunk size of a file, in bytes.
    pub(super) fn chunk_size(&self, kind: FileKind) -> u64 {
        kind.chunk_size(self.anchor.event_chunk_size, self.anchor.definition_chunk_size)
    }

    /// How files are read.
    pub fn options(&self) -> ReadOptions {
        self.options
    }

    /// The same archive, read in another way.
    pub fn with_options(&self, options: ReadOptions) -> Archive {
        Archive { options, ..self.clone() }
    }

    /// The path of a file of the archive, whether it exists or not.
    pub fn path(&self, kind: FileKind) -> PathBuf {
        self.layout.path(kind)
    }

    /// Tells whether there is such a file, readable or not.
    pub fn has(&self, kind: FileKind) -> bool {
        let known = std::fs::metadata(self.path(kind));
        !known.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    }

    pub(super) fn window(&self, kind: FileKind) -> Result<Window, Error> {
        Window::open(self.path(kind), self.options.window, self.options.keep_open)
    }

    /// The window at the begin of a chunk, and its offset in the file.
    pub(super) fn window_at(
        &self,
        kind: FileKind,
        chunk_size: u64,
        chunk: u64,
    ) -> Result<(Window, u64), Error> {
        let path = self.path(kind);
        let ReadOptions { window, keep_open } = self.options;
        let offset = chunk.saturating_mul(chunk_size);
        let opened = Window::open_at(path, window, keep_open, offset)?;
        let chunks = opened.length().div_ceil(chunk_size);
        if chunk > 0 && chunk >= chunks {
            let kind = ErrorKind::NoChunk { chunk, chunks };
            return Err(Error::new(opened.path(), None, kind));
        }
        Ok((opened, offset))
    }

    /// The global definitions, one after another.
    ///
    /// # Errors
    ///
    /// When the file is missing, cannot be read or does not begin with a chunk.
    pub fn global_definitions(&self) -> Result<DefinitionReader, Error> {
        let window = self.window(FileKind::GlobalDefinitions).map_err(|error| {
            match self.layout.other_name() {
                Some(name) if error.is_not_found() => {
                    Error { kind: ErrorKind::Renamed { name }, ..error }
                }
                _ => error.unfinished(),
            }
        })?;
        DefinitionReader::new(Scope::Global, window, self.anchor.definition_chunk_size)
    }

    /// All global definitions at once.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read, or holds not as many definitions as the
    /// anchor announces.
    pub fn read_global_definitions(&self) -> Result<Definitions, Error> {
        let (definitions, reader) = self.read_all_global_definitions(|_| {})?;
        self.check_definition_count(&reader)?;
        Ok(definitions)
    }

    /// The same, and hands every definition to `receive` on the way, or the number on disk of one of
    /// unknown kind; whatever the anchor announces. The reader is at the end.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read.
    pub fn read_all_global_definitions(
        &self,
        mut receive: impl FnMut(Result<&Definition, u8>),
    ) -> Result<(Definitions, DefinitionReader), Error> {
        let mut reader = self.global_definitions()?;
        let mut definitions = Definitions::default();
        while let Some(definition) = reader.next()? {
            receive(definition.as_ref().map_err(|id| *id));
            match definition {
                Ok(definition) => definitions.insert(definition),
                Err(_unknown) => definitions.unknown += 1,
            }
        }
        Ok((definitions, reader))
    }

    /// Compares the number of definitions read with that of the anchor. The writer of the anchor may not have counted
    /// kinds that are new.
    ///
    /// # Errors
    ///
    /// When they differ.
    pub fn check_definition_count(&self, reader: &DefinitionReader) -> Result<(), Error> {
        let (announced, found) = (self.anchor.number_of_global_definitions, reader.count());
        if announced == found || announced == found - reader.unknown() {
            return Ok(());
        }
        let kind = ErrorKind::DefinitionCount { announced, found };
        Err(Error::new(reader.path(), None, kind))
    }

    /// The definitions of a location, one after another; `None` where it has no such file.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or does not begin with a chunk.
    pub fn local_definitions(
        &self,
        location: LocationRef,
    ) -> Result<Option<DefinitionReader>, Error> {
        match self.window(FileKind::LocalDefinitions(location)) {
            Ok(window) => {
                let chunk_size = self.anchor.definition_chunk_size;
                DefinitionReader::new(Scope::Local, window, chunk_size).map(Some)
            }
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Mapping tables and clock offsets of a location; empty where it has no such file.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read.
    pub fn read_local_definitions(&self, location: LocationRef) -> Result<LocalDefinitions, Error> {
        self.read_all_local_definitions(location, |_| {})
    }

    /// The same, and hands every definition to `receive` on the way.
    ///
    /// # Errors
    ///
    /// As those of [`Archive::read_local_definitions`].
    pub fn read_all_local_definitions(
        &self,
        location: LocationRef,
        receive: impl FnMut(&Definition),
    ) -> Result<LocalDefinitions, Error> {
        match self.local_definitions(location)? {
            Some(reader) => LocalDefinitions::read(reader, receive),
            None => Ok(LocalDefinitions::missing()),
        }
    }

    /// The loss of local definitions that a location lacks where other defined locations have some; `None` where it has
    /// some, or no location has any. At most 10 000 entries of the folder are looked at.
    pub fn missing_local_definitions(
        &self,
        location: LocationRef,
        is_defined: impl Fn(LocationRef) -> bool,
    ) -> Option<Error> {
        const LOOKED: usize = 10_000;
        let kind = FileKind::LocalDefinitions(location);
        let is_usual = || {
            let entries = std::fs::read_dir(self.layout.folder_of_locations());
            entries.into_iter().flatten().take(LOOKED).flatten().any(|entry| {
                let path = entry.path();
                let is_local = path.extension().is_some_and(|ending| ending == "def");
                is_local
                    && location_of(&entry.file_name()).is_some_and(&is_defined)
                    && path.is_file()
            })
        };
        let is_missing = !self.has(kind) && *self.has_local_definitions.get_or_init(is_usual);
        is_missing.then(|| Error::new(&self.path(kind), None, ErrorKind::NoLocalDefinitions))
    }

    /// The same, where a file without any chunk, such as an empty one, is taken as missing: its writer came to write
    /// nothing. The reason comes with it: something was lost.
    ///
    /// # Errors
    ///
    /// As those of [`Archive::read_local_definitions`].
    pub fn read_local_definitions_or_none(
        &self,
        location: LocationRef,
        receive: impl FnMut(&Definition),
    ) -> Result<(LocalDefinitions, Option<Error>), Error> {
        match self.local_definitions(location) {
            Ok(Some(reader)) => Ok((LocalDefinitions::read(reader, receive)?, None)),
            Ok(None) => Ok((LocalDefinitions::missing(), None)),
            Err(error) if error.is_no_chunk() => Ok((LocalDefinitions::default(), Some(error))),
            Err(error) => Err(error),
        }
    }

    /// The events of a location, with its mapping tables and clock offsets applied.
    ///
    /// # Errors
    ///
    /// When one of the files is damaged or cannot be read.
    pub fn events(&self, location: LocationRef) -> Result<EventReader, Error> {
        self.events_with(location, self.read_local_definitions(location)?)
    }

    /// The events of a location, read with these mapping tables and clock offsets.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or does not begin with a chunk.
    pub fn events_with(
        &self,
        location: LocationRef,
        local: LocalDefinitions,
    ) -> Result<EventReader, Error> {
        let window = self.window(FileKind::Events(location))?;
        EventReader::new(location, window, self.anchor.event_chunk_size, local)
    }

    /// How many events a location has, as the header of its last chunk says; `None`: it has no such file.
    /// Nothing else is read.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or its last chunk has no header.
    pub fn announced_events(&self, location: LocationRef) -> Result<Option<u64>, Error> {
        let path = self.path(FileKind::Events(location));
        let refused = |kind| Error::new(&path, None, kind);
        let (file, length) = match open_file(&path) {
            Ok(opened) => opened,
            Err(ErrorKind::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(None);
            }
            Err(kind) => return Err(refused(kind)),
        };
        if length == 0 {
            return Err(refused(ErrorKind::Empty));
        }
        let chunk_size = self.anchor.event_chunk_size;
        let last = (length - 1) / chunk_size * chunk_size;
        let mut header = [0; CHUNK_HEADER_SIZE as usize];
        let header = &mut header[..(length - last).min(CHUNK_HEADER_SIZE) as usize];
        let read = file.read_exact_at(header, last);
        read.map_err(|error| Error::new(&path, last, ErrorKind::Io(error)))?;
        let parsed = ChunkHead::parse(last, header);
        let (_, head) = parsed.map_err(|(at, kind)| Error::new(&path, at, kind))?;
        Ok(Some(head.last))
    }

    /// The snapshots of a location.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or does not begin with a chunk.
    pub fn snapshots(&self, location: LocationRef) -> Result<SnapshotReader, Error> {
        let window = self.window(FileKind::Snapshots(location))?;
        SnapshotReader::new(location, window, self.anchor.event_chunk_size)
    }

    /// Returns the index of the chunks of a location's snapshots.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened or is empty.
    pub fn snapshot_chunks(&self, location: LocationRef) -> Result<ChunkIndex, Error> {
        let path = self.path(FileKind::Snapshots(location));
        ChunkIndex::open(path, self.anchor.event_chunk_size)
    }

    /// The snapshots of a location from the begin of a chunk, from 0. Nothing before it is read.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, has no such chunk, or one that does not begin with a header
    /// whose numbers can be, and a time.
    pub fn snapshots_from(
        &self,
        location: LocationRef,
        chunk: u64,
    ) -> Result<SnapshotReader, Error> {
        let chunk_size = self.anchor.event_chunk_size;
        let (window, offset) = self.window_at(FileKind::Snapshots(location), chunk_size, chunk)?;
        SnapshotReader::at_chunk(location, window, chunk_size, offset)
    }

    /// The thumbnail of this number.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or does not begin with a chunk.
    pub fn thumbnail(&self, number: u32) -> Result<ThumbnailReader, Error> {
        ThumbnailReader::new(self.window(FileKind::Thumbnail(number))?, THUMBNAIL_CHUNK_SIZE)
    }

    /// The thumbnails that the anchor announces, as `open` finds them, one after another. An anchor may
    /// announce any number, so after the first that the operating system refuses no further one is
    /// looked for.
    pub fn announced_thumbnails<T>(
        &self,
        mut open: impl FnMut(u32) -> Result<T, Error>,
    ) -> impl Iterator<Item = AnnouncedThumbnail<T>> {
        let count = self.anchor.number_of_thumbnails;
        let mut refused = false;
        (0..count).map_while(move |number| {
            if refused {
                return None;
            }
            let opened = open(number);
            refused = opened.as_ref().is_err_and(Error::is_io);
            let unseen = if refused { count - number - 1 } else { 0 };
            Some(AnnouncedThumbnail { number, opened, unseen })
        })
    }

    /// Locations that have files but no definition among these, so they are not read. Looks through the whole folder.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read.
    pub fn undefined_locations(
        &self,
        is_defined: impl Fn(LocationRef) -> bool,
    ) -> Result<BTreeSet<LocationRef>, Error> {
        let folder = self.layout.folder_of_locations();
        let refused = |error| Error::new(&folder, None, ErrorKind::Io(error));
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
            Err(error) => return Err(refused(error)),
        };
        let mut found = BTreeSet::new();
        for entry in entries {
            let location = location_of(&entry.map_err(refused)?.file_name());
            found.extend(location.filter(|location| !is_defined(*location)));
        }
        Ok(found)
    }

    /// The markers; `None` where there is no such file.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or does not begin with a chunk.
    pub fn markers(&self) -> Result<Option<MarkerReader>, Error> {
        match self.window(FileKind::Markers) {
            Ok(window) => MarkerReader::new(window, self.anchor.definition_chunk_size).map(Some),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The location to which a file of this name belongs; `None`: to none.
pub fn location_of(file: &OsStr) -> Option<LocationRef> {
    let (number, suffix) = file.to_str()?.rsplit_once('.')?;
    let is_plain = number.bytes().all(|digit| digit.is_ascii_digit());
    let is_known = matches!(suffix, "evt" | "def" | "snap");
    // Written in the one way in which a reader would look for it.
    let canonical = number == "0" || !number.starts_with('0');
    (is_plain && is_known && canonical).then(|| number.parse().ok().map(LocationRef)).flatten()
}

/// Returns the layout of the archive with its anchor at a path.
fn layout_of(path: &Path) -> Result<Layout, Error> {
    let kind = || match std::fs::metadata(path) {
        Err(error) => ErrorKind::Io(error),
        Ok(_) if input::check(path).is_err() => ErrorKind::NotAFile,
        Ok(_) => ErrorKind::AnchorName,
    };
    Layout::new(path).ok_or_else(|| Error::new(path, None, kind()))
}
