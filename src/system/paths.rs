//! Paths: where they lead, and as bytes, in which they travel between ranks.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A path as it is sent.
pub fn to_bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

/// A path as it was sent.
pub fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes))
}

/// The target of a path. Parts that do not exist stay as they stand.
pub fn real(path: &Path) -> Option<PathBuf> {
    if path == Path::new("") {
        return Path::new(".").canonicalize().ok();
    }
    match path.canonicalize() {
        Ok(real) => Some(real),
        Err(_) if path.ends_with("..") => Some(real(path.parent()?)?.parent()?.to_owned()),
        Err(_) => Some(real(path.parent()?)?.join(path.file_name()?)),
    }
}

/// Files in a folder whose names have an order, sorted by it and by name. A folder that is not there has none.
///
/// # Errors
///
/// When the folder cannot be read.
pub fn files_in_order(
    folder: &Path,
    order: impl Fn(&OsStr) -> Option<u8>,
) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let file = entry?.file_name();
        if let Some(order) = order(&file) {
            found.push((order, folder.join(file)));
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}
