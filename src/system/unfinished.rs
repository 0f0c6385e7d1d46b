//! Output files and folders that are not yet in their place: gone when the program ends before they
//! are.
//!
//! Where the program goes its usual way, dropping one removes it. A program that is ended by
//! a signal, by a panic or by another rank drops nothing: [`remove_all`] is for that.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use tempfile::NamedTempFile;

/// Where they are. Whoever makes, moves or removes one holds the lock meanwhile, so that the list
/// is never behind.
static LISTED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn listed() -> MutexGuard<'static, Vec<PathBuf>> {
    // Who panicked while it held the lock can have left nothing half done.
    LISTED.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// What the names of all of them begin with.
const PREFIX: &str = ".streamfold-";

/// The folder that a path is in.
fn folder_of(place: &Path) -> &Path {
    match place.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// A file beside the place where it will be, removed when it is dropped before.
#[derive(Debug)]
pub struct UnfinishedFile {
    /// There until it is moved or dropped.
    file: Option<NamedTempFile>,
    path: PathBuf,
}

impl UnfinishedFile {
    /// An empty file in the folder of `place`, under a name that nobody else uses.
    ///
    /// # Errors
    ///
    /// When no file can be made there.
    pub fn beside(place: &Path) -> io::Result<UnfinishedFile> {
        let mut listed = listed();
        // Made here, so that errors are those of the system: they do not name a file that nobody knows.
        let file = tempfile::Builder::new().prefix(PREFIX).make_in(folder_of(place), |path| {
            File::options().read(true).write(true).create_new(true).mode(0o666).open(path)
        })?;
        let path = file.path().to_owned();
        listed.push(path.clone());
        Ok(UnfinishedFile { file: Some(file), path })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// To write to it.
    pub fn as_file_mut(&mut self) -> &mut File {
        self.file.as_mut().expect("only moving and dropping take it").as_file_mut()
    }

    /// Moves it to `place`, over what is there.
    ///
    /// # Errors
    ///
    /// When it cannot be put there; it is gone then.
    pub fn persist(mut self, place: &Path) -> io::Result<()> {
        let mut listed = listed();
        let file = self.file.take().expect("only moving and dropping take it");
        let persisted = file.persist(place);
        listed.retain(|path| *path != self.path);
        // The error has the file with it, which is dropped here.
        persisted.map(drop).map_err(|error| error.error)
    }
}

impl Drop for UnfinishedFile {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            let mut listed = listed();
            drop(file);
            listed.retain(|path| *path != self.path);
        }
    }
}

/// A folder beside the place where what is in it will be, removed with all that is in it when it is
/// dropped, and so are the folders that had to be made on the way to it, unless others use them.
#[derive(Debug)]
pub struct UnfinishedFolder {
    path: PathBuf,
    /// The outermost first.
    made: Vec<PathBuf>,
}

impl UnfinishedFolder {
    /// An empty folder in the folder of `place`, under a name that nobody else uses.
    ///
    /// # Errors
    ///
    /// When no folder can be made there.
    pub fn beside(place: &Path) -> io::Result<UnfinishedFolder> {
        let mut listed = listed();
        let mut made = MadeFolders::on_the_way(folder_of(place))?;
        let folder = tempfile::Builder::new()
            .prefix(PREFIX)
            .make_in(folder_of(place), |path| fs::create_dir(path))?;
        let made = std::mem::take(&mut made.0);
        listed.extend(made.iter().cloned());
        let path = folder.into_temp_path().keep().map_err(io::Error::from)?;
        listed.push(path.clone());
        Ok(UnfinishedFolder { path, made })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Moves what is in it to where it belongs, as `moves` does, which no signal interrupts; what is
    /// left is removed, unless an error is one for which it `stays`.
    ///
    /// # Errors
    ///
    /// Those of `moves`.
    pub fn put<E>(
        mut self,
        moves: impl FnOnce(&Path) -> Result<(), E>,
        stays: impl FnOnce(&E) -> bool,
    ) -> Result<(), E> {
        let mut listed = listed();
        let moved = moves(&self.path);
        let stays = moved.as_ref().err().is_some_and(stays);
        if moved.is_ok() || stays {
            let made = std::mem::take(&mut self.made);
            listed.retain(|path| !made.contains(path));
        }
        if stays {
            listed.retain(|path| *path != self.path);
            std::mem::forget(self);
        }
        drop(listed);
        moved
    }
}

impl Drop for UnfinishedFolder {
    fn drop(&mut self) {
        let mut listed = listed();
        remove(&self.path);
        self.made.iter().rev().for_each(|path| remove(path));
        listed.retain(|path| *path != self.path && !self.made.contains(path));
    }
}

/// Folders that were made, the outermost first; removed when this is dropped.
#[derive(Debug, Default)]
struct MadeFolders(Vec<PathBuf>);

impl MadeFolders {
    fn on_the_way(folder: &Path) -> io::Result<MadeFolders> {
        let is_missing = |path: &&Path| **path != *Path::new("") && !path.exists();
        let missing: Vec<_> = folder.ancestors().take_while(is_missing).collect();
        let mut made = MadeFolders::default();
        for path in missing.into_iter().rev() {
            match fs::create_dir(path) {
                Ok(()) => made.0.push(path.to_owned()),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Ok(made)
    }
}

impl Drop for MadeFolders {
    fn drop(&mut self) {
        self.0.iter().rev().for_each(|path| remove(path));
    }
}

/// Removes all of them, for a program that ends now: from here on none is made or moved any more;
/// threads that try to wait forever.
pub fn remove_all() {
    let listed = listed();
    // What is in a folder was made after it.
    listed.iter().rev().for_each(|path| remove(path));
    std::mem::forget(listed);
}

/// Removes a file, a folder of ours with all that is in it, or another folder if it is empty. One that
/// cannot be removed is no reason not to end.
fn remove(path: &Path) {
    let is_ours =
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(PREFIX.as_bytes()));
    let _: io::Result<()> = match path.is_dir() {
        true if is_ours => remove_whole(path),
        true => fs::remove_dir(path),
        false => fs::remove_file(path),
    };
}

/// Removes a folder into which threads and other processes may still be writing: under another name
/// they do not find it any more, but for who is just making a file.
fn remove_whole(path: &Path) -> io::Result<()> {
    const TRIES: usize = 10;
    let mut gone = path.as_os_str().to_owned();
    gone.push("-gone");
    fs::rename(path, &gone)?;
    let mut removed = fs::remove_dir_all(&gone);
    for _ in 1..TRIES {
        match &removed {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                removed = fs::remove_dir_all(&gone);
            }
            _ => break,
        }
    }
    removed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        entries.map(|entry| name(entry.expect("an entry"))).collect()
    }

    #[test]
    fn a_file_is_listed_while_it_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("a.csv");
        let is_listed = |path: &Path| listed().iter().any(|other| other == path);

        let dropped = UnfinishedFile::beside(&place).expect("a file");
        let path = dropped.path().to_owned();
        assert!(path.is_file() && is_listed(&path));
        drop(dropped);
        assert!(names(folder.path()).is_empty() && !is_listed(&path));

        let moved = UnfinishedFile::beside(&place).expect("a file");
        let path = moved.path().to_owned();
        moved.persist(&place).expect("moved");
        assert_eq!(names(folder.path()), ["a.csv"]);
        assert!(!is_listed(&path));
    }

    #[test]
    fn a_folder_goes_with_all_that_was_not_moved() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("a.otf2");
        let unfinished = UnfinishedFolder::beside(&place).expect("a folder");
        let path = unfinished.path().to_owned();
        fs::write(path.join("a.otf2"), "moved").expect("written");
        fs::write(path.join("other"), "left").expect("written");
        let moved = unfinished.put(|from| fs::rename(from.join("a.otf2"), &place), |_| true);
        assert!(moved.is_ok() && !path.exists());
        assert_eq!(names(folder.path()), ["a.otf2"]);
        for stays in [false, true] {
            let unfinished = UnfinishedFolder::beside(&place).expect("a folder");
            let path = unfinished.path().to_owned();
            assert!(unfinished.put(|_| Err("not moved"), |_| stays).is_err());
            assert_eq!(path.exists(), stays);
            assert!(!listed().contains(&path));
            drop(fs::remove_dir(path));
        }
        drop(UnfinishedFolder::beside(&place).expect("a folder"));
        assert_eq!(names(folder.path()), ["a.otf2"]);
    }

    #[test]
    fn a_file_that_cannot_be_moved_is_gone() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("a.csv");
        fs::create_dir(&place).expect("a folder in its place");
        let file = UnfinishedFile::beside(&place).expect("a file");
        assert!(file.persist(&place).is_err());
        assert_eq!(names(folder.path()), ["a.csv"]);
    }
}
