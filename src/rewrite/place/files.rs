//! Archives that are there: whether they may be replaced.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Replacing;
use streamfold_formats::file_order;
use streamfold_otf2::location_of;
use streamfold_system::exit::{ExitCode, Failure};
use streamfold_system::paths::files_in_order;

/// Checks that an archive of this name may come into a folder: it is free, or has only files that may be replaced.
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
///
/// # Errors
///
/// When the folder cannot be read.
pub(super) fn existing(folder: &Path, name: &OsStr) -> io::Result<Vec<PathBuf>> {
    files_in_order(folder, |file| file_order(name, file))
}

/// Checks that all files in the folder of an archive's locations belong there. Other files in a folder of that name are
/// never removed.
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
