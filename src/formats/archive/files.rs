//! Files of an archive: which names are its own, and where they lie.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use streamfold_system::paths::real;

/// The places of the files of an archive, whether they are there or not.
#[derive(Debug)]
pub struct ArchiveFiles {
    /// The folder of its anchor.
    folder: PathBuf,
    /// Its name, without a suffix.
    name: OsString,
    /// The folder of the files of its locations, and where that leads.
    of_locations: Vec<PathBuf>,
}

impl ArchiveFiles {
    /// Those of the archive with this anchor; `None` where its folder is not there.
    pub fn of(anchor: &Path) -> Option<ArchiveFiles> {
        let folder = real(anchor.parent().unwrap_or(Path::new("")))?;
        let name = anchor.file_stem()?.to_owned();
        let of_locations = folder.join(&name);
        // It may be a link to another one.
        let of_locations = real(&of_locations).into_iter().chain([of_locations]).collect();
        Some(ArchiveFiles { folder, name, of_locations })
    }

    /// Tells whether a path is that of a file beside the anchor, or lies in the folder of the files of locations. The
    /// path has no links in it.
    pub fn have(&self, path: &Path) -> bool {
        let is_beside = path.parent() == Some(&self.folder)
            && path.file_name().is_some_and(|file| file_order(&self.name, file).is_some());
        is_beside || self.of_locations.iter().any(|of_locations| path.starts_with(of_locations))
    }

    /// Files that are links to elsewhere.
    pub fn links(&self) -> impl Iterator<Item = PathBuf> + '_ {
        let folders = [&self.folder, &self.of_locations[0]];
        let entries =
            folders.into_iter().flat_map(|folder| folder.read_dir().into_iter().flatten());
        let links =
            entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
        links.map(|entry| entry.path()).filter(|path| self.have(path))
    }
}

/// Order of a file among those beside the anchor of an archive: 0 for the anchor, 1 for others; `None`: the name is none of
/// the archive's.
pub fn file_order(archive: &OsStr, file: &OsStr) -> Option<u8> {
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
