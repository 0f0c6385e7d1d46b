//! Which files belong to an archive, and where they lie.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Replacing;
use crate::formats::otf2::location_of;
use crate::system::exit::{ExitCode, Failure};

/// Where the files of an archive lie, whether they are there or not.
struct Files {
    /// The folder of its anchor.
    folder: PathBuf,
    /// Its name, without a suffix.
    name: OsString,
    /// The folder of the files of its locations, and where that leads.
    of_locations: Vec<PathBuf>,
}

impl Files {
    /// Those of an archive with this anchor.
    fn of(anchor: &Path) -> Option<Files> {
        let folder = real(anchor.parent().unwrap_or(Path::new("")))?;
        let name = anchor.file_stem()?.to_owned();
        let of_locations = folder.join(&name);
        // It may be a link to another one.
        let of_locations = real(&of_locations).into_iter().chain([of_locations]).collect();
        Some(Files { folder, name, of_locations })
    }

    /// Whether a path is the folder of the files of its locations, or in it.
    fn have(&self, path: &Path) -> bool {
        self.of_locations.iter().any(|of_locations| path.starts_with(of_locations))
    }
}

/// Whether an archive of this name in this folder would have files where the input has its own: the same
/// name in the same folder, or among the files of its locations.
pub(super) fn is_part_of(folder: &Path, name: &OsStr, input: &Path) -> bool {
    let (Some(folder), Some(files)) = (real(folder), Files::of(input)) else { return false };
    files.have(&folder) || files.of_locations.contains(&folder.join(name))
}

/// Whether a file is one of the archive with this anchor, or lies among the files of its locations, whether
/// they are there or not.
pub fn has_file(anchor: &Path, file: &Path) -> bool {
    let (Some(file), Some(files)) = (real(file), Files::of(anchor)) else { return false };
    let is_beside = file.parent() == Some(&files.folder)
        && file.file_name().is_some_and(|file| belongs(&files.name, file).is_some());
    is_beside || real(anchor).as_deref() == Some(&file) || files.have(&file)
}

/// Where a path leads, those parts of it that do not exist as they stand.
pub(super) fn real(path: &Path) -> Option<PathBuf> {
    if path == Path::new("") {
        return Path::new(".").canonicalize().ok();
    }
    match path.canonicalize() {
        Ok(real) => Some(real),
        Err(_) if path.ends_with("..") => Some(real(path.parent()?)?.parent()?.to_owned()),
        Err(_) => Some(real(path.parent()?)?.join(path.file_name()?)),
    }
}

/// Whether an archive of this name may come into a folder: where nothing is, or only what may be
/// replaced.
pub(super) fn check_free(
    given: &Path,
    folder: &Path,
    name: &OsStr,
    replacing: Replacing,
) -> Result<(), Failure> {
    let there = existing(folder, name).map_err(|error| Failure::output(given, &error))?;
    let Some(first) = there.first() else { return Ok(()) };
    if replacing == Replacing::Refused {
        let text = format!("{} exists; say --force to replace it", first.display());
        return Err(Failure::new(ExitCode::Io, text));
    }
    let of_locations = folder.join(name);
    for path in &there {
        // A link to a folder is no folder of ours either.
        let kind = path.symlink_metadata().map_err(|error| Failure::output(path, &error))?;
        if kind.is_dir() != (*path == of_locations) {
            let text = format!("{} belongs to no archive", path.display());
            return Err(Failure::new(ExitCode::Io, text));
        }
    }
    check_replaceable(&of_locations)
}

/// The files and the folder of an archive of this name that are there, the anchor first.
pub(super) fn existing(folder: &Path, name: &OsStr) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let file = entry?.file_name();
        if let Some(rank) = belongs(name, &file) {
            found.push((rank, folder.join(file)));
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// Whether a file of this name belongs to the archive: 0 for its anchor, without which it is none.
fn belongs(archive: &OsStr, file: &OsStr) -> Option<u8> {
    let rest = file.as_encoded_bytes().strip_prefix(archive.as_encoded_bytes())?;
    let is_thumbnail = |rest: &[u8]| {
        let number = rest.strip_prefix(b".").and_then(|rest| rest.strip_suffix(b".thumb"));
        number.is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
    };
    match rest {
        b".otf2" => Some(0),
        b"" | b".def" | b".marker" => Some(1),
        rest if is_thumbnail(rest) => Some(1),
        _ => None,
    }
}

/// Whether all that is in the folder of an archive's locations belongs there: what else people keep in
/// a folder of that name is never removed.
fn check_replaceable(folder: &Path) -> Result<(), Failure> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Failure::output(folder, &error)),
    };
    for entry in entries {
        let entry = entry.map_err(|error| Failure::output(folder, &error))?;
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder || location_of(&entry.file_name()).is_none() {
            let text = format!("{} belongs to no archive", entry.path().display());
            return Err(Failure::output(folder, &text));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::make;
    use super::*;

    #[test]
    fn files_of_an_archive_are_known_by_their_places() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let anchor = file("t.otf2");
        make(folder.path(), "old");
        for own in ["t.otf2", "t.def", "t.marker", "t.0.thumb", "t", "t/0.evt", "t/x.csv"] {
            assert!(has_file(&anchor, &file(own)), "{own}");
            assert!(has_file(&anchor, &file("t/..").join(own)), "{own} on a longer way");
        }
        for other in ["t.csv", "other.otf2", "tt/0.evt", "t0.evt"] {
            assert!(!has_file(&anchor, &file(other)), "{other}");
        }
        std::os::unix::fs::symlink(&anchor, file("other.csv")).unwrap();
        assert!(has_file(&anchor, &file("other.csv")));
        assert!(has_file(&file("new.otf2"), &file("new/0.evt")));
    }
}
