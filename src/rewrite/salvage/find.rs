//! Search for the remains of an archive: its anchor, or at least a folder with event files.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use streamfold_formats::Loss;

use streamfold_model::ids::LocationRef;

use streamfold_otf2::{location_of, Anchor, Archive, ErrorKind, ReadOptions};
use streamfold_system::exit::{ExitCode, Failure};

/// Remains of an archive.
#[derive(Clone, Debug)]
pub(super) struct Input {
    /// Path of the anchor, even if there is none.
    pub anchor_path: PathBuf,
    /// The anchor, where it can be read.
    pub anchor: Option<Anchor>,
    /// Why it cannot, where it is there.
    pub damage: Option<String>,
    /// Locations with any file.
    pub locations: BTreeSet<LocationRef>,
    /// True if any location has snapshots.
    pub snapshots: bool,
}

/// The files of locations in a folder.
#[derive(Default)]
struct Listed {
    locations: BTreeSet<LocationRef>,
    events: bool,
    snapshots: bool,
}

/// Looks for an archive: the anchor at this path, which need not be there; the folder of its
/// locations; or a folder with one archive in it. Looks through whole folders: nothing else tells
/// which files there are where definitions are lost.
///
/// # Errors
///
/// When there is no event file or more than one archive, when a folder cannot be read, or when the
/// archive is none of files that could be read at all.
pub(super) fn find(path: &Path) -> Result<Input, Failure> {
    let anchor_path = match path.is_dir() {
        true => anchor_of(path)?,
        false => path.to_owned(),
    };
    let is_anchor = |suffix: &OsStr| suffix == "otf2" || suffix == "OTF2";
    if !anchor_path.extension().is_some_and(is_anchor) {
        let text = match path.exists() {
            true => "this is neither a folder nor an anchor (.otf2)",
            false => "there is no such folder",
        };
        return Err(Failure::new(ExitCode::Io, format!("{}: {text}", path.display())));
    }
    let folder = anchor_path.with_extension("");
    let listed = list(&folder)?;
    if !listed.events {
        if let Err(error) = fs::metadata(&folder) {
            // Without an anchor nothing is there of what was named.
            let missing = if anchor_path.exists() { &folder } else { path };
            return Err(refused(missing, &error));
        }
        let text = "there is no event file (NUMBER.evt) in it";
        return Err(Failure::new(ExitCode::Trace, format!("{}: {text}", folder.display())));
    }
    let (anchor, damage) = read_anchor(&anchor_path)?;
    let Listed { locations, snapshots, .. } = listed;
    Ok(Input { anchor_path, anchor, damage, locations, snapshots })
}

/// The anchor of the archive of which a folder is a part, or which is in it.
fn anchor_of(folder: &Path) -> Result<PathBuf, Failure> {
    if list(folder)?.events {
        // A name such as `.` says nothing.
        let named = match folder.file_name() {
            Some(_) => folder.to_owned(),
            None => folder.canonicalize().map_err(|error| refused(folder, &error))?,
        };
        return Ok(with_suffix(&named));
    }
    let names = archives_in(folder)?;
    let mut each = names.iter();
    match (each.next(), each.next()) {
        (Some(name), None) => Ok(with_suffix(&folder.join(name))),
        (None, _) => {
            let text = "there is neither an event file (NUMBER.evt) nor an archive in it";
            Err(Failure::new(ExitCode::Trace, format!("{}: {text}", folder.display())))
        }
        (Some(one), Some(other)) => {
            let (one, other) = (one.display(), other.display());
            let text = format!("there is more than one archive in it, {one} and {other}; name one");
            Err(Failure::new(ExitCode::Usage, format!("{}: {text}", folder.display())))
        }
    }
}

/// The names of archives in a folder: those with an anchor, and those with a folder of event files.
fn archives_in(folder: &Path) -> Result<BTreeSet<OsString>, Failure> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).map_err(|error| refused(folder, &error))? {
        let path = entry.map_err(|error| refused(folder, &error))?.path();
        let is_anchor = path.extension().is_some_and(|suffix| suffix == "otf2");
        let name = match path.is_dir() {
            true if list(&path)?.events => path.file_name(),
            false if is_anchor => path.file_stem(),
            _ => None,
        };
        names.extend(name.map(OsStr::to_owned));
    }
    Ok(names)
}

/// The files of locations in a folder; none where there is no folder.
fn list(folder: &Path) -> Result<Listed, Failure> {
    let mut listed = Listed::default();
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(listed),
        Err(error) => return Err(refused(folder, &error)),
    };
    for entry in entries {
        let name = entry.map_err(|error| refused(folder, &error))?.file_name();
        // The last number stands for "no location".
        let location = location_of(&name).filter(|location| *location != LocationRef::UNDEFINED);
        let Some(location) = location else { continue };
        let suffix = Path::new(&name).extension().unwrap_or_default().to_owned();
        listed.events |= suffix == "evt";
        listed.snapshots |= suffix == "snap";
        listed.locations.insert(location);
    }
    Ok(listed)
}

/// The anchor, or why it cannot be read; nothing where there is none.
fn read_anchor(path: &Path) -> Result<(Option<Anchor>, Option<String>), Failure> {
    match Archive::open(path, ReadOptions::default()) {
        Ok(archive) => Ok((Some(archive.anchor().clone()), None)),
        Err(error) if error.is_not_found() => Ok((None, None)),
        // Its files are no files of chunks.
        Err(error) if matches!(error.kind, ErrorKind::Sion | ErrorKind::Zlib) => {
            Err(Loss::from(error).into())
        }
        Err(error) if matches!(error.kind, ErrorKind::TraceFormat(_)) => {
            Err(Loss::from(error).into())
        }
        Err(error) => Ok((None, Some(error.to_string()))),
    }
}

/// The anchor beside a folder of locations, however its name is written.
fn with_suffix(folder: &Path) -> PathBuf {
    let mut name = folder.file_name().unwrap_or_default().to_owned();
    name.push(".otf2");
    folder.with_file_name(name)
}

fn refused(folder: &Path, error: &io::Error) -> Failure {
    Failure::new(ExitCode::Io, format!("{}: {error}", folder.display()))
}
