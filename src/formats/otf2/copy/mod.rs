//! Files written anew from other files: every record is decoded and encoded again, with the fields
//! that it has there. Parts of a record that this version does not know are kept as they stand.

mod plain;
mod timed;

pub use plain::Instead;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::path::Path;

use streamfold_model::enums::MappingType;
use streamfold_model::ids::LocationRef;
use streamfold_model::values::Ticks;

use super::archive::{Archive, FileKind};
use super::error::Error;
use super::mapping::Mappings;
use super::window::open_file;
use super::writer::{ArchiveWriter, DefinitionWriter, WriteError, WriteErrorKind};
use plain::PlainCopy;
use timed::{Events, Snapshots, TimedCopy};

use crate::input;

/// Counts of a copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Records, those of unknown kinds included.
    pub records: u64,
    /// Records of unknown kinds, which were copied as they stand.
    pub unknown: u64,
    /// Bytes of the copy.
    pub bytes: u64,
}

/// A file that was copied up to its end, or to where it cannot be read.
#[derive(Debug)]
pub struct Copy {
    /// Counts of the copied records.
    pub copied: Copied,
    /// Why the rest was not.
    pub damage: Option<Error>,
    /// Bytes behind the end of its data, which mean nothing; they are copied as they stand.
    trailing: u64,
}

impl Copy {
    /// Of a file that was written anew.
    pub fn anew(copied: Copied, damage: Option<Error>) -> Copy {
        Copy { copied, damage, trailing: 0 }
    }
}

/// A file of which the copy should be a second name.
#[derive(Debug)]
pub struct Linked {
    /// The copy.
    pub copy: Copy,
    /// Why it is a file of its own, if it is one.
    pub name: Result<(), String>,
}

/// Returns the new time of a record.
pub type Retime<'a> = dyn Fn(Ticks) -> Ticks + 'a;

/// Changes of the records of a file that is written anew.
#[derive(Clone, Copy)]
pub struct Changes<'a> {
    /// New identifiers.
    pub maps: &'a Mappings,
    /// New times of the recorded ones; `None`: they stay.
    pub times: Option<&'a Retime<'a>>,
    /// New numbers of the I/O paradigms, for which there are no mapping tables.
    pub io_paradigms: Option<&'a BTreeMap<u64, u64>>,
}

impl<'a> Changes<'a> {
    /// Nothing but identifiers.
    pub fn of(maps: &'a Mappings) -> Self {
        Changes { maps, times: None, io_paradigms: None }
    }
}

impl Archive {
    /// Writes a file anew, as `named` in the copy, with the identifiers and times of events and snapshots
    /// changed. `None`: there is no such file.
    ///
    /// Chunks begin where the reference library begins them; where it flushed its memory, and so
    /// began one early, that is kept.
    ///
    /// # Errors
    ///
    /// When the copy cannot be written. Damage of the file ends the copy, which is whole up to there.
    pub fn reencode(
        &self,
        kind: FileKind,
        to: &ArchiveWriter,
        named: FileKind,
        changes: Changes<'_>,
    ) -> Result<Option<Copy>, WriteError> {
        let target = to.path(named);
        let (from_size, to_size) = (self.chunk_size(kind), to.chunk_size(kind));
        let copied = self.window(kind).and_then(|window| match kind {
            FileKind::Events(_) => TimedCopy::<Events>::open(window, from_size, target, to_size)
                .map(|copy| copy.run(changes)),
            FileKind::Snapshots(_) => {
                TimedCopy::<Snapshots>::open(window, from_size, target, to_size)
                    .map(|copy| copy.run(changes))
            }
            _ => PlainCopy::open(kind, window, from_size, target, to_size).map(PlainCopy::run),
        });
        match copied {
            Ok(copied) => copy_trailing(copied?, &self.path(kind), &to.path(named)).map(Some),
            Err(error) if error.is_io() => Ok(unreadable(error)),
            // So that the others can be read without it.
            Err(error) => {
                let bytes = to.empty(named)?;
                let copied = Copied { bytes, ..Copied::default() };
                Ok(Some(Copy { copied, damage: Some(error), trailing: 0 }))
            }
        }
    }

    /// Writes the events of a location anew that are before the one of a number, from 1, as they stand.
    /// `None`: there is no such file.
    ///
    /// # Errors
    ///
    /// As for [`Archive::reencode`].
    pub fn reencode_before(
        &self,
        number: u64,
        location: LocationRef,
        to: &ArchiveWriter,
    ) -> Result<Option<Copy>, WriteError> {
        let kind = FileKind::Events(location);
        let (target, maps) = (to.path(kind), Mappings::default());
        let (from_size, to_size) = (self.chunk_size(kind), to.chunk_size(kind));
        let opened = self
            .window(kind)
            .and_then(|window| TimedCopy::<Events>::open(window, from_size, target, to_size));
        match opened {
            Ok(copy) => copy.before(number).run(Changes::of(&maps)).map(Some),
            Err(error) => Ok(unreadable(error)),
        }
    }

    /// Writes a file of definitions anew, as `named` in the copy, each as it stands or as `edit` replaces it. `edit`
    /// gets the place of the record in the file, from 0. Returns a writer for further records, and why the rest could
    /// not be read, if so. `None`: there is no such file.
    ///
    /// # Errors
    ///
    /// When the copy cannot be written.
    ///
    /// # Panics
    ///
    /// When it is no file of definitions.
    pub fn edit_definitions(
        &self,
        kind: FileKind,
        to: &ArchiveWriter,
        named: FileKind,
        edit: impl FnMut(u64) -> Instead,
    ) -> Result<Option<(DefinitionWriter, Option<Error>)>, WriteError> {
        let target = to.path(named);
        let (from_size, to_size) = (self.chunk_size(kind), to.chunk_size(kind));
        let opened = self
            .window(kind)
            .and_then(|window| PlainCopy::open(kind, window, from_size, target, to_size));
        match opened {
            Ok(copy) => copy.edit(edit).map(Some),
            Err(error) if error.is_not_found() => Ok(None),
            Err(damage) => Ok(Some((to.definitions(named), Some(damage)))),
        }
    }

    /// Copies a file byte by byte, or lets the file system share it, as `named` in the copy; where its chunks
    /// have another size there, it is written anew. `None`: there is no such file.
    ///
    /// # Errors
    ///
    /// When the copy cannot be written.
    pub fn copy(
        &self,
        kind: FileKind,
        to: &ArchiveWriter,
        named: FileKind,
    ) -> Result<Option<Copy>, WriteError> {
        if self.chunk_size(kind) != to.chunk_size(kind) {
            return self.reencode(kind, to, named, Changes::of(&Mappings::default()));
        }
        copy_file(&self.path(kind), &to.path(named))
    }

    /// The same, or a second name for the same file where the file system can give it one.
    ///
    /// # Errors
    ///
    /// When the copy cannot be written.
    pub fn link(
        &self,
        kind: FileKind,
        to: &ArchiveWriter,
        named: FileKind,
    ) -> Result<Option<Linked>, WriteError> {
        let why = match self.chunk_size(kind) == to.chunk_size(kind) {
            true => match hard_link(&self.path(kind), &to.path(named)) {
                Ok(bytes) => {
                    let copied = Copied { bytes, ..Copied::default() };
                    let copy = Copy { copied, damage: None, trailing: 0 };
                    return Ok(Some(Linked { copy, name: Ok(()) }));
                }
                Err(error) => error.to_string(),
            },
            false => "their chunks have another size in the copy".to_owned(),
        };
        let copy = self.copy(kind, to, named)?;
        Ok(copy.map(|copy| Linked { copy, name: Err(why) }))
    }

    /// The same of the anchor.
    ///
    /// # Errors
    ///
    /// When the copy cannot be written.
    pub fn copy_anchor(&self, to: &ArchiveWriter) -> Result<Option<Copy>, WriteError> {
        match copy_file(self.anchor_path(), &to.anchor_path())? {
            // Readers open the lower case name, whatever was given.
            None => copy_file(&self.anchor_path().with_extension("otf2"), &to.anchor_path()),
            copied => Ok(copied),
        }
    }
}

/// Gives a file a second name. Returns how long it is.
fn hard_link(from: &Path, to: &Path) -> io::Result<u64> {
    let mut known = std::fs::symlink_metadata(from)?;
    let mut from = Cow::Borrowed(from);
    if known.is_symlink() {
        // A link to a link would lead elsewhere from its new place.
        from = Cow::Owned(from.canonicalize()?);
        known = std::fs::metadata(&from)?;
    }
    if !known.is_file() {
        return Err(io::Error::other("this is no file"));
    }
    std::fs::hard_link(&from, to)?;
    Ok(known.len())
}

fn copy_file(from: &Path, to: &Path) -> Result<Option<Copy>, WriteError> {
    let mut source = match open_file(from) {
        Ok((source, _)) => source,
        Err(kind) => return Ok(unreadable(Error::new(from, None, kind))),
    };
    let copied = File::create_new(to).and_then(|mut target| io::copy(&mut source, &mut target));
    let bytes = copied.map_err(|error| WriteError::new(to, WriteErrorKind::Io(error)))?;
    let copied = Copied { bytes, ..Copied::default() };
    Ok(Some(Copy { copied, damage: None, trailing: 0 }))
}

/// Appends what stands behind the end of the data, as some tools that move files leave it there.
fn copy_trailing(mut copy: Copy, from: &Path, to: &Path) -> Result<Copy, WriteError> {
    if copy.trailing == 0 {
        return Ok(copy);
    }
    let append = || -> io::Result<u64> {
        let mut source = input::open(from)?;
        source.seek(SeekFrom::End(-(copy.trailing as i64)))?;
        io::copy(&mut source, &mut OpenOptions::new().append(true).open(to)?)
    };
    let appended = append().map_err(|error| WriteError::new(to, WriteErrorKind::Io(error)))?;
    copy.copied.bytes += appended;
    Ok(copy)
}

/// Of a file that cannot be opened nothing was copied.
fn unreadable(error: Error) -> Option<Copy> {
    match error.is_not_found() {
        true => None,
        false => Some(Copy { copied: Copied::default(), damage: Some(error), trailing: 0 }),
    }
}

/// Tells whether a table leaves regions as they are.
fn keeps_regions(maps: &Mappings) -> bool {
    maps.table(MappingType::Region).is_identity()
}

/// An error that ends copying early.
enum Failure {
    Read(Error),
    Write(WriteError),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Read(error)
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Failure::Write(error)
    }
}

#[cfg(test)]
mod tests {
    use streamfold_model::events::{Enter, Event, Leave, MpiSend};
    use streamfold_model::ids::{CommRef, LocationRef, RegionRef};

    use super::*;
    use crate::{Anchor, ReadOptions, WriteOptions};

    /// A file of several chunks, dense with enters and leaves, some at the same time.
    fn write(archive: &ArchiveWriter) {
        let mut events = archive.events(LocationRef(0));
        for i in 0..120_000_u32 {
            let (time, region) = (Ticks(10 + u64::from(i / 3)), RegionRef(i % 300));
            let call = match i % 2 {
                0 => Event::Enter(Enter { region }),
                _ => Event::Leave(Leave { region }),
            };
            events.write(time, &[], &call).unwrap();
            if i % 1000 == 0 {
                let send =
                    MpiSend { receiver: i, communicator: CommRef(0), msg_tag: 1, msg_length: 1 };
                events.write(time, &[], &Event::MpiSend(send)).unwrap();
            }
        }
        events.finish().unwrap();
    }

    /// Wherever a window ends, between a time and its record too, the copy is the same.
    #[test]
    fn windows_leave_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let options = WriteOptions { event_chunk_size: 256 << 10, ..WriteOptions::default() };
        let path = folder.path().join("a.otf2");
        let written = ArchiveWriter::create(&path, options).unwrap();
        write(&written);
        written.finish(&Anchor::new(&options, 1, 0, "test")).unwrap();
        let kind = FileKind::Events(LocationRef(0));
        let original = std::fs::read(written.path(kind)).unwrap();
        assert!(original.len() > 2 * options.event_chunk_size as usize);
        let maps = Mappings::default();
        let same = Changes::of(&maps);
        for window in (64..120).chain([1000, 4096, 100_000, 262_144]) {
            let archive = Archive::open(&path, ReadOptions { window, keep_open: true }).unwrap();
            let copy = folder.path().join(format!("{window}/a.otf2"));
            let copy = ArchiveWriter::create(&copy, options).unwrap();
            let copied = archive.reencode(kind, &copy, kind, same).unwrap().unwrap();
            assert!(copied.damage.is_none(), "{window}: {:?}", copied.damage);
            assert!(std::fs::read(copy.path(kind)).unwrap() == original, "{window}");
        }
    }
}
