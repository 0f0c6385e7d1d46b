//! Files to which a program may still write.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Take};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{input, Loss};

/// The length of a file when reading began, in bytes. It is read to there, however often and on whichever rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Extent(pub u64);

impl Extent {
    /// Begins to read a file.
    pub(crate) fn begin(path: &Path) -> io::Result<Extent> {
        Ok(Extent(fs::metadata(path)?.len()))
    }

    /// Opens the file, behind so many bytes.
    pub(crate) fn open(self, path: &Path, offset: u64) -> io::Result<Take<File>> {
        let mut file = input::open(path)?;
        if offset > 0 {
            file.seek(SeekFrom::Start(offset))?;
        }
        Ok(file.take(self.0.saturating_sub(offset)))
    }

    /// Tells of a file that is longer now.
    pub(crate) fn growth(self, path: &Path) -> Option<Loss> {
        let now = Extent::begin(path).ok()?;
        let what =
            "a program writes to the file: what it has written since reading began is not read";
        (now.0 > self.0).then(|| Loss::of_file(path, what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_end_where_they_ended() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let path = folder.path().join("file");
        std::fs::write(&path, "0123456789").expect("written");
        let extent = Extent::begin(&path).expect("a file");
        let read = |offset| {
            let mut text = String::new();
            extent.open(&path, offset).expect("a file").read_to_string(&mut text).expect("text");
            text
        };
        assert_eq!(extent.growth(&path), None);
        std::fs::write(&path, "0123456789abc").expect("written");
        assert_eq!([read(0), read(4), read(12)], ["0123456789", "456789", ""]);
        let told = extent.growth(&path).expect("it has grown").to_string();
        assert!(told.contains("since reading began"), "{told}");
        std::fs::write(&path, "012").expect("written");
        assert_eq!((read(0), extent.growth(&path)), ("012".to_owned(), None));
    }
}
