//! The files of a trace: which are there, and how large they are.

use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;

use streamfold_otf2::{Archive, Error, ErrorKind, FileKind};

/// Files by kind, in the order of reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    kinds: Vec<(&'static str, FileCount)>,
}

/// Files of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileCount {
    /// Files that are there.
    pub files: u64,
    /// Files that are not there.
    pub missing: u64,
    /// Files that cannot be looked at, so that it is unknown whether they are there.
    pub unseen: u64,
    /// Files that are there and hold nothing.
    pub empty: u64,
    /// The bytes of all.
    pub bytes: u64,
    /// The bytes of the largest.
    pub largest: u64,
}

impl FileCount {
    fn find(path: &Path) -> Result<FileCount, Error> {
        let refused = |kind| Error::new(path, None, kind);
        let file = std::fs::metadata(path).map_err(|error| refused(ErrorKind::Io(error)))?;
        if !file.is_file() {
            return Err(refused(ErrorKind::NotAFile));
        }
        let bytes = file.len();
        let empty = (bytes == 0).into();
        Ok(FileCount { files: 1, empty, bytes, largest: bytes, ..FileCount::default() })
    }

    fn missing(missing: u64) -> FileCount {
        FileCount { missing, ..FileCount::default() }
    }

    fn and(self, other: FileCount) -> FileCount {
        FileCount {
            files: self.files + other.files,
            missing: self.missing + other.missing,
            unseen: self.unseen + other.unseen,
            empty: self.empty + other.empty,
            bytes: self.bytes.saturating_add(other.bytes),
            largest: self.largest.max(other.largest),
        }
    }
}

/// Files that were looked for, and why the first that cannot be looked at cannot.
#[derive(Debug, Default)]
struct Looked {
    count: FileCount,
    refused: Option<Error>,
}

impl Looked {
    /// Result of looking for one.
    fn at(found: Result<FileCount, Error>) -> Looked {
        match found {
            Ok(count) => Looked { count, refused: None },
            Err(error) if is_nothing(&error) => {
                Looked { count: FileCount::missing(1), refused: None }
            }
            Err(error) => {
                let count = FileCount { unseen: 1, ..FileCount::default() };
                Looked { count, refused: Some(error) }
            }
        }
    }

    fn and(self, other: Looked) -> Looked {
        Looked { count: self.count.and(other.count), refused: self.refused.or(other.refused) }
    }
}

/// Tells whether there is no such file, rather than one that cannot be looked at.
fn is_nothing(error: &Error) -> bool {
    match &error.kind {
        ErrorKind::Io(error) => matches!(
            error.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename
        ),
        _ => true,
    }
}

impl Files {
    /// All files of an archive, and why the first that cannot be looked at cannot.
    pub(super) fn of(
        archive: &Archive,
        anchor: &Path,
        definitions: &Definitions,
    ) -> (Files, Option<Error>) {
        let mut refused = None;
        let mut count = |looked: Looked| {
            refused = refused.take().or(looked.refused);
            looked.count
        };
        let look = |kind| Looked::at(FileCount::find(&archive.path(kind)));
        // With many locations most of the time is waiting for the file system.
        let of_all = |kind: fn(LocationRef) -> FileKind| {
            let locations: Vec<LocationRef> = definitions.locations.keys().copied().collect();
            let counts = locations.par_iter().map(|location| look(kind(*location)));
            counts.reduce(Looked::default, Looked::and)
        };
        // It may have been found under its second name.
        let second = |_| FileCount::find(&anchor.with_extension("otf2"));
        let here = Looked::at(FileCount::find(anchor).or_else(second));
        let thumbnail = |number| FileCount::find(&archive.path(FileKind::Thumbnail(number)));
        let thumbnails = archive.announced_thumbnails(thumbnail).map(|announced| {
            let others = FileCount::missing(announced.unseen.into());
            Looked::at(announced.opened).and(Looked { count: others, refused: None })
        });
        let anchor = count(here);
        let global_definitions = count(look(FileKind::GlobalDefinitions));
        let local_definitions = count(of_all(FileKind::LocalDefinitions));
        let events = count(of_all(FileKind::Events));
        let snapshots = match archive.anchor().number_of_snapshots {
            0 => FileCount::default(),
            _ => count(of_all(FileKind::Snapshots)),
        };
        let markers = count(look(FileKind::Markers));
        let thumbnails = count(thumbnails.fold(Looked::default(), Looked::and));
        let kinds = vec![
            ("anchor", anchor),
            ("global_definitions", global_definitions),
            ("local_definitions", local_definitions),
            ("events", events),
            ("snapshots", snapshots),
            ("markers", markers),
            ("thumbnails", thumbnails),
        ];
        (Files { kinds }, refused)
    }

    /// The files of a trace that has no others, all of one kind.
    pub(super) fn all(kind: &'static str, paths: &[PathBuf]) -> Files {
        let looked = paths.iter().map(|path| Looked::at(FileCount::find(path)).count);
        Files { kinds: vec![(kind, looked.fold(FileCount::default(), FileCount::and))] }
    }

    /// The files of a trace that has several kinds of them, of which none is missing.
    pub(super) fn of_kinds(kinds: &[(&'static str, Vec<PathBuf>)]) -> Files {
        let all = kinds.iter().flat_map(|(kind, paths)| Files::all(kind, paths).kinds);
        Files { kinds: all.collect() }
    }

    /// All of them, by what they are called.
    pub fn by_kind(&self) -> &[(&'static str, FileCount)] {
        &self.kinds
    }

    /// Those of a kind.
    pub fn of_kind(&self, kind: &str) -> FileCount {
        let found = self.kinds.iter().find(|(name, _)| *name == kind);
        found.map_or(FileCount::default(), |(_, count)| *count)
    }

    /// All of them together. Optional files do not count as missing.
    pub fn total(&self) -> FileCount {
        let needed = |(kind, files): &(&str, FileCount)| match Files::is_optional(kind) {
            true => FileCount { missing: 0, ..*files },
            false => *files,
        };
        self.kinds.iter().map(needed).fold(FileCount::default(), FileCount::and)
    }

    /// Tells whether a trace may be whole without files of this kind.
    pub fn is_optional(kind: &str) -> bool {
        matches!(kind, "markers" | "local_definitions")
    }
}
