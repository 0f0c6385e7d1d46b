//! Output files and folders that are not yet in their place: gone when the program ends before they
//! are.
//!
//! In a normal run, dropping one removes it. A program that is ended by a signal, by a panic or by another rank drops
//! nothing: [`remove_all`] is for that. A program that is killed leaves them; their names say of which output and
//! process they are, so that the next run for the same output removes them.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::Duration;

use tempfile::NamedTempFile;

/// Their paths. A thread that makes, moves or removes one holds the lock meanwhile, so that the
/// list is never behind.
static LISTED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn listed() -> MutexGuard<'static, Vec<PathBuf>> {
    // A thread that panicked while it held the lock can have left nothing half done.
    LISTED.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// The prefix of all their names.
const PREFIX: &str = ".streamfold-";

/// The end of the name of a folder that is being removed.
const GONE: &str = "-gone";

/// Number of bytes of the name of an output that are in the name of what is beside it: file systems take 255.
const LONGEST: usize = 100;

/// Characters behind the number of the process, which no other file of that process has.
const RANDOM: usize = 6;

/// How the names of unfinished outputs for a place begin: `.streamfold-NAME-HOST-`, where this host and its numbers
/// of processes are known. In a container the number of its own process table follows the host.
fn owned_by_host(place: &Path) -> Option<OsString> {
    /// The process table of a machine itself.
    const OF_MACHINE: &str = "pid:[4026531836]";
    let host = fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    let table = fs::read_link("/proc/self/ns/pid").ok()?;
    let mut name = named_after(place);
    name.push("-");
    name.push(host.trim());
    if table != Path::new(OF_MACHINE) {
        let table = table.to_string_lossy();
        name.push(".");
        name.push(table.trim_start_matches("pid:[").trim_end_matches(']'));
    }
    name.push("-");
    Some(name)
}

/// The begin of the names of unfinished outputs for a place, whatever process writes them.
fn named_after(place: &Path) -> OsString {
    let name = place.file_name().unwrap_or_default().as_encoded_bytes();
    // Whole characters, since some file systems take nothing else.
    let is_begin = |at: &usize| name.get(*at).is_none_or(|byte| byte & 0xc0 != 0x80);
    let end = (0..=name.len().min(LONGEST)).rev().find(is_begin).unwrap_or(0);
    [OsStr::new(PREFIX), OsStr::from_bytes(&name[..end])].into_iter().collect()
}

/// How the name of what this process writes for a place begins; random characters follow.
fn prefix(place: &Path) -> OsString {
    let mut prefix = owned_by_host(place).unwrap_or_else(|| {
        let mut name = named_after(place);
        name.push("-");
        name
    });
    prefix.push(format!("{}-", std::process::id()));
    prefix
}

/// Removes what processes of this host that have been killed left of the same output. One that cannot be removed is
/// no reason not to write.
fn remove_left(place: &Path) {
    let Some(owned) = owned_by_host(place) else { return };
    let Ok(entries) = fs::read_dir(folder_of(place)) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let process = name.as_bytes().strip_prefix(owned.as_bytes()).and_then(process_of);
        if process.is_some_and(|process| !lives(process)) {
            remove(&entry.path());
        }
    }
}

/// The process in the rest of a name: `PROCESS-RANDOM`, and whether its removal had begun.
fn process_of(rest: &[u8]) -> Option<i32> {
    let rest = rest.strip_suffix(GONE.as_bytes()).unwrap_or(rest);
    let (process, random) = rest.split_at(rest.iter().position(|byte| *byte == b'-')?);
    let is_random = random.len() == RANDOM + 1 && random[1..].iter().all(u8::is_ascii_alphanumeric);
    let is_number = process.iter().all(u8::is_ascii_digit);
    let process = std::str::from_utf8(process).ok().filter(|_| is_random && is_number)?;
    process.parse().ok().filter(|process| *process > 0)
}

/// Tells whether there is such a process on this host, of whatever user.
fn lives(process: i32) -> bool {
    // SAFETY: signal 0 is sent to no process: the call looks whether the process is there, and touches no memory.
    let found = unsafe { libc::kill(process, 0) };
    found == 0 || io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH)
}

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
    /// An empty file in the folder of `place`, under a name that is not in use.
    ///
    /// # Errors
    ///
    /// When no file can be made there.
    pub fn beside(place: &Path) -> io::Result<UnfinishedFile> {
        remove_left(place);
        let mut listed = listed();
        // Made here, so that errors are those of the system: they do not name a file that the user does not know.
        let file = named(&prefix(place)).make_in(folder_of(place), |path| {
            File::options().read(true).write(true).create_new(true).mode(0o666).open(path)
        })?;
        let path = file.path().to_owned();
        listed.push(path.clone());
        Ok(UnfinishedFile { file: Some(file), path })
    }

    /// Its path.
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
    /// An empty folder in the folder of `place`, under a name that is not in use.
    ///
    /// # Errors
    ///
    /// When no folder can be made there.
    pub fn beside(place: &Path) -> io::Result<UnfinishedFolder> {
        remove_left(place);
        let mut listed = listed();
        let mut made = MadeFolders::on_the_way(folder_of(place))?;
        let folder =
            named(&prefix(place)).make_in(folder_of(place), |path| fs::create_dir(path))?;
        let made = std::mem::take(&mut made.0);
        listed.extend(made.iter().cloned());
        let path = folder.into_temp_path().keep().map_err(io::Error::from)?;
        listed.push(path.clone());
        Ok(UnfinishedFolder { path, made })
    }

    /// Its path.
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
    // Files in a folder were made after it.
    listed.iter().rev().for_each(|path| remove(path));
    std::mem::forget(listed);
}

/// The same for a program that has no memory left. If another thread makes or moves one for long, or this thread does,
/// they stay.
pub fn remove_all_without_waiting() {
    const TRIES: usize = 100;
    for _ in 0..TRIES {
        let is_taken = matches!(LISTED.try_lock(), Err(TryLockError::WouldBlock));
        if !is_taken {
            return remove_all();
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// A name that begins so, and that is not in use.
fn named(prefix: &OsStr) -> tempfile::Builder<'_, 'static> {
    let mut named = tempfile::Builder::new();
    named.prefix(prefix).rand_bytes(RANDOM);
    named
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

/// Removes a folder into which threads and other processes may still be writing. Under another name
/// they do not find it any more, but for one that is just making a file.
fn remove_whole(path: &Path) -> io::Result<()> {
    const TRIES: usize = 10;
    let mut gone = path.as_os_str().to_owned();
    if !gone.as_encoded_bytes().ends_with(GONE.as_bytes()) {
        gone.push(GONE);
        fs::rename(path, &gone)?;
    }
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
    fn only_dead_processes_of_this_host_lose_what_they_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("a.csv");
        let owned = owned_by_host(&place).expect("/proc").into_string().expect("text");
        let mut ended = std::process::Command::new("true").spawn().expect("a process");
        let (dead, own) = (ended.id(), std::process::id());
        ended.wait().expect("an end");
        let stay = [
            format!("{owned}{own}-abcdef"),
            format!("{PREFIX}a.csv-another.host-{dead}-abcdef"),
            format!("{PREFIX}b.csv{}{dead}-abcdef", &owned[PREFIX.len() + 5..]),
            format!("{owned}{dead}-notes.txt"),
            format!("{owned}{dead}"),
            "a.csv".to_owned(),
        ];
        stay.iter().for_each(|name| fs::write(folder.path().join(name), "").expect("written"));
        fs::write(folder.path().join(format!("{owned}{dead}-abcdef")), "").expect("written");
        for end in ["ghijkl", "mnopqr-gone"] {
            let left = folder.path().join(format!("{owned}{dead}-{end}"));
            fs::create_dir_all(left.join("t")).expect("a folder");
        }
        drop(UnfinishedFile::beside(&place).expect("a file"));
        let (mut left, mut stay) = (names(folder.path()), stay.to_vec());
        left.sort();
        stay.sort();
        assert_eq!(left, stay);
    }

    #[test]
    fn names_of_outputs_are_cut_between_characters() {
        let named = |name: &str| named_after(Path::new(name)).into_string().expect("text");
        assert_eq!(named("/x/a.csv"), ".streamfold-a.csv");
        assert_eq!(named(&"ä".repeat(120)), format!("{PREFIX}{}", "ä".repeat(50)));
        assert_eq!(named(&format!("a{}", "ä".repeat(120))), format!("{PREFIX}a{}", "ä".repeat(49)));
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
