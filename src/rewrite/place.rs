//! The place of a new archive, where it appears whole or not at all.

mod files;

use crate::write_failure;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use files::{check_free, existing};
use streamfold_collective::inject::fail_point;
use streamfold_collective::Communicator;
use streamfold_formats::TraceFiles;
use streamfold_otf2::{ArchiveWriter, WriteOptions};
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_system::paths::{self, real};
use streamfold_system::unfinished::UnfinishedFolder;

/// Treatment of an archive that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacing {
    /// It stays, and the new one is refused.
    Refused,
    /// It is replaced, once the new one is whole.
    Forced,
}

/// Why nothing is written to a file of an input.
pub fn belongs_to_trace(path: &Path) -> Failure {
    let message = format!("cannot write {}: it belongs to the trace", path.display());
    Failure::new(ExitCode::Usage, message)
}

/// A new archive that is being written beside its place; gone when it is dropped before it is put
/// there.
#[derive(Debug)]
pub struct NewArchive {
    unfinished: UnfinishedFolder,
    /// The folder that it comes into, as it was given.
    folder: PathBuf,
    /// The same, not over anything that may be moved.
    place: PathBuf,
    /// Its name, without a suffix.
    name: OsString,
    /// The anchor, as it was given.
    given: PathBuf,
    replacing: Replacing,
}

impl NewArchive {
    /// Makes room for an archive with its anchor at this path, so that nobody waits for what cannot be
    /// written.
    ///
    /// # Errors
    ///
    /// When the name is not that of an anchor, when the archive is one of `inputs`, when there is one
    /// already that must not be replaced, or when nothing can be written there.
    pub fn prepare(
        anchor: &Path,
        inputs: &[PathBuf],
        replacing: Replacing,
    ) -> Result<NewArchive, Failure> {
        let name = anchor.file_stem().filter(|_| anchor.extension() == Some(OsStr::new("otf2")));
        let Some(name) = name else {
            let text = format!("{}: the name of an anchor ends in .otf2", anchor.display());
            return Err(Failure::new(ExitCode::Usage, text));
        };
        let folder = match anchor.parent() {
            Some(folder) if folder != Path::new("") => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        let of_locations = folder.join(name);
        let is_of = |input: &PathBuf| {
            let files = TraceFiles::of(&input.into(), None);
            files.have(anchor) || files.have(&of_locations)
        };
        if inputs.iter().any(is_of) {
            return Err(belongs_to_trace(anchor));
        }
        // A replaced archive is moved away. Its folder may be part of the path (`t/../t.otf2`), and so may one that
        // does not exist yet.
        let leads_back = folder.components().any(|part| part == Component::ParentDir);
        let place = Some(&folder).filter(|_| replacing == Replacing::Forced || leads_back);
        let place = place.and_then(|folder| real(folder)).unwrap_or_else(|| folder.clone());
        check_free(anchor, &place, name, replacing)?;
        let unfinished = UnfinishedFolder::beside(&place.join(name));
        let unfinished = unfinished.map_err(|error| Failure::output(anchor, &error))?;
        let (name, given) = (name.to_owned(), anchor.to_owned());
        Ok(NewArchive { unfinished, folder, place, name, given, replacing })
    }

    /// Returns the path of the anchor until then.
    pub fn anchor(&self) -> PathBuf {
        let mut file = self.name.clone();
        file.push(".otf2");
        self.unfinished.path().join(file)
    }

    /// Puts the archive in its place, and what was there away.
    ///
    /// # Errors
    ///
    /// When it cannot be put there; what was there before stays, or it is told where it is now.
    pub fn put(self) -> Result<(), Failure> {
        // Only rank 0 puts outputs in their places.
        fail_point("put", 0).map_err(|error| Failure::new(ExitCode::Rank, error.to_string()))?;
        let NewArchive { unfinished, place, name, given, replacing, .. } = self;
        let put = |from: &Path| {
            // Somebody else may have put something there meanwhile.
            check_free(&given, &place, &name, replacing).map_err(Unmoved::Refused)?;
            exchange(from, &place, &name)
        };
        let put = unfinished.put(put, |unmoved| matches!(unmoved, Unmoved::Apart(..)));
        put.map_err(|unmoved| match unmoved {
            Unmoved::Refused(failure) => failure,
            Unmoved::Back(error) => Failure::output(&given, &error),
            Unmoved::Apart(error, aside) => {
                let text = format!("{error}; what was there is in {} now", aside.display());
                Failure::output(&given, &text)
            }
        })
    }
}

/// Paths of a new archive until it is put in its place, as all ranks know them.
#[derive(Clone, Debug)]
pub struct Staged {
    /// The anchor there.
    anchor: PathBuf,
    /// The folder there, and the one that it comes into.
    folders: (PathBuf, PathBuf),
}

impl Staged {
    /// Tells all ranks what rank 0 has prepared. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub fn share(ranks: &dyn Communicator, new: Option<&NewArchive>) -> Result<Staged, Stop> {
        let known = |new: &NewArchive| {
            [&new.anchor(), new.unfinished.path(), &new.folder].map(paths::to_bytes)
        };
        let [anchor, from, to] = ranks.broadcast(0, new.map(known))?.map(paths::from_bytes);
        Ok(Staged { anchor, folders: (from, to) })
    }

    /// Writes it, on any rank; rank 0 makes its folders first. Collective.
    ///
    /// # Errors
    ///
    /// On all ranks when rank 0 cannot make them; and when ranks cannot communicate.
    pub fn writer(
        &self,
        ranks: &dyn Communicator,
        options: WriteOptions,
    ) -> Result<ArchiveWriter, Stop> {
        let made = (ranks.rank() == 0).then(|| {
            let made = ArchiveWriter::create(&self.anchor, options);
            made.map(drop).map_err(|error| self.told_failure(write_failure(error)))
        });
        ranks.broadcast_result(0, made)?.map_err(Stop::Together)?;
        let opened = ArchiveWriter::open(&self.anchor, options);
        opened.map_err(|error| Stop::Together(self.told_failure(write_failure(error))))
    }

    /// The same failure with the names that people know.
    pub fn told(&self, stop: Stop) -> Stop {
        match stop {
            Stop::Together(failure) => Stop::Together(self.told_failure(failure)),
            Stop::Alone(failure) => Stop::Alone(self.told_failure(failure)),
        }
    }

    /// The same failure with the names that people know.
    pub fn told_failure(&self, failure: Failure) -> Failure {
        let (from, to) = (self.folders.0.to_string_lossy(), self.folders.1.to_string_lossy());
        Failure { message: failure.message.replace(&*from, &to), ..failure }
    }
}

/// Why a new archive is not in its place.
#[derive(Debug)]
enum Unmoved {
    /// It must not be there.
    Refused(Failure),
    /// The former archive is back in its place.
    Back(io::Error),
    /// The former archive, or some of it, is in this folder, and could not be moved back.
    Apart(io::Error, PathBuf),
}

impl From<io::Error> for Unmoved {
    fn from(error: io::Error) -> Self {
        Unmoved::Back(error)
    }
}

/// Moves what is in place aside and the new archive there: of the old one the anchor first, of the new
/// one the anchor last, so that at no time something looks like an archive that is none.
fn exchange(from: &Path, folder: &Path, name: &OsStr) -> Result<(), Unmoved> {
    // No file or folder of the archive has this name.
    let mut aside = name.to_owned();
    aside.push(".replaced");
    let aside = from.join(aside);
    fs::create_dir(&aside)?;
    let mut moved = Vec::new();
    let all = existing(folder, name)?.into_iter().map(|old| {
        let to = aside.join(old.file_name().expect("it was found by its name"));
        (old, to)
    });
    let mut new = existing(from, name)?;
    new.reverse();
    let new = new.into_iter().map(|new| {
        let to = folder.join(new.file_name().expect("it was found by its name"));
        (new, to)
    });
    for (source, target) in all.chain(new) {
        if let Err(error) = fs::rename(&source, &target) {
            let back = moved.into_iter().rev().map(|(source, target)| fs::rename(target, source));
            // All that can be moved back is.
            return Err(match back.filter(Result::is_err).count() {
                0 => Unmoved::Back(error),
                _ => Unmoved::Apart(error, aside),
            });
        }
        moved.push((source, target));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An archive with one file of everything.
    pub(super) fn make(folder: &Path, text: &str) {
        fs::create_dir(folder.join("t")).unwrap();
        for file in ["t.otf2", "t.def", "t.0.thumb", "t.marker", "t/0.evt"] {
            fs::write(folder.join(file), text).unwrap();
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut names: Vec<_> = entries.map(|entry| name(entry.unwrap())).collect();
        names.sort();
        names
    }

    #[test]
    fn an_archive_appears_whole() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a/b/t.otf2");
        let new = NewArchive::prepare(&place, &[], Replacing::Refused).unwrap();
        make(new.anchor().parent().unwrap(), "new");
        new.put().unwrap();
        assert_eq!(
            names(place.parent().unwrap()),
            ["t", "t.0.thumb", "t.def", "t.marker", "t.otf2"]
        );
    }

    #[test]
    fn nothing_is_left_of_one_that_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let new = NewArchive::prepare(&folder.path().join("a/b/t.otf2"), &[], Replacing::Refused)
            .unwrap();
        make(new.anchor().parent().unwrap(), "new");
        drop(new);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn one_that_is_there_is_replaced_only_by_force() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("t.otf2");
        make(folder.path(), "old");
        fs::write(folder.path().join("t.other"), "kept").unwrap();
        fs::write(folder.path().join("t.1.thumb"), "old").unwrap();
        let refused = NewArchive::prepare(&place, &[], Replacing::Refused).unwrap_err();
        assert!(refused.message.contains("exists; say --force"), "{}", refused.message);
        let new = NewArchive::prepare(&place, &[], Replacing::Forced).unwrap();
        make(new.anchor().parent().unwrap(), "new");
        assert_eq!(fs::read(&place).unwrap(), b"old");
        new.put().unwrap();
        let all = ["t", "t.0.thumb", "t.def", "t.marker", "t.otf2", "t.other"];
        assert_eq!(names(folder.path()), all);
        assert_eq!(fs::read(folder.path().join("t/0.evt")).unwrap(), b"new");
    }

    #[test]
    fn a_folder_with_something_else_in_it_is_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path(), "old");
        fs::write(folder.path().join("t/thesis.tex"), "years of work").unwrap();
        let place = folder.path().join("t.otf2");
        let refused = NewArchive::prepare(&place, &[], Replacing::Forced).unwrap_err();
        assert!(refused.message.contains("thesis.tex belongs to no archive"));
    }

    #[test]
    fn what_was_there_comes_back_where_the_new_one_cannot_be_put() {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path(), "old");
        let from = tempfile::tempdir_in(folder.path()).unwrap();
        make(from.path(), "new");
        // A rename over a folder that is not empty fails.
        let blocked = folder.path().join("blocked");
        fs::create_dir_all(blocked.join("t.def/x")).unwrap();
        assert!(exchange(from.path(), &blocked, OsStr::new("t")).is_ok());
        assert_eq!(fs::read(blocked.join("t.def")).unwrap(), b"new");
        let read_only = folder.path().join("missing");
        let from = tempfile::tempdir_in(folder.path()).unwrap();
        make(from.path(), "new");
        let unmoved = exchange(from.path(), &read_only, OsStr::new("t"));
        assert!(matches!(unmoved, Err(Unmoved::Back(_))), "{unmoved:?}");
        assert!(from.path().join("t.otf2").exists());
    }

    /// The folder of the files of locations, which is moved, is on the way to the place.
    #[test]
    fn an_archive_is_replaced_by_way_of_its_own_folder() {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path(), "old");
        let place = folder.path().join("t/../t.otf2");
        let new = NewArchive::prepare(&place, &[], Replacing::Forced).unwrap();
        make(new.anchor().parent().unwrap(), "new");
        new.put().unwrap();
        assert_eq!(names(folder.path()), ["t", "t.0.thumb", "t.def", "t.marker", "t.otf2"]);
        assert_eq!(fs::read(folder.path().join("t/0.evt")).unwrap(), b"new");
    }

    /// The way leads through a folder that does not exist, and that has the name of that of the locations.
    #[test]
    fn an_archive_is_put_in_place_by_way_of_a_folder_that_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("t/../t.otf2");
        let new = NewArchive::prepare(&place, &[], Replacing::Refused).unwrap();
        make(new.anchor().parent().unwrap(), "new");
        new.put().unwrap();
        assert_eq!(names(folder.path()), ["t", "t.0.thumb", "t.def", "t.marker", "t.otf2"]);
        let again =
            NewArchive::prepare(&folder.path().join("u/../t.otf2"), &[], Replacing::Refused);
        assert_eq!(again.unwrap_err().code, ExitCode::Io);
    }

    /// Whatever the archive is called, what is moved aside is called something else.
    #[test]
    fn archives_of_any_name_are_replaced() {
        for name in ["replaced", "t.replaced", "replaced.replaced"] {
            let folder = tempfile::tempdir().unwrap();
            let from = tempfile::tempdir_in(folder.path()).unwrap();
            for (at, text) in [(folder.path(), "old"), (from.path(), "new")] {
                fs::create_dir(at.join(name)).unwrap();
                fs::write(at.join(name).join("0.evt"), text).unwrap();
                fs::write(at.join(format!("{name}.otf2")), text).unwrap();
            }
            exchange(from.path(), folder.path(), OsStr::new(name)).unwrap();
            assert_eq!(fs::read(folder.path().join(name).join("0.evt")).unwrap(), b"new");
        }
    }

    /// By a path that is no more once something was moved, nothing can be moved back: it is kept.
    #[test]
    fn what_cannot_be_moved_back_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path(), "old");
        let from = tempfile::tempdir_in(folder.path()).unwrap();
        make(from.path(), "new");
        let place = folder.path().join("t/..");
        let unmoved = exchange(from.path(), &place, OsStr::new("t"));
        let Err(Unmoved::Apart(_, aside)) = unmoved else { panic!("{unmoved:?}") };
        assert_eq!(fs::read(aside.join("t.otf2")).unwrap(), b"old");
    }

    #[test]
    fn what_appears_meanwhile_stays() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("t.otf2");
        let new = NewArchive::prepare(&place, &[], Replacing::Refused).unwrap();
        make(new.anchor().parent().unwrap(), "new");
        make(folder.path(), "other");
        assert_eq!(new.put().unwrap_err().code, ExitCode::Io);
        assert_eq!(fs::read(&place).unwrap(), b"other");
        assert_eq!(names(folder.path()), ["t", "t.0.thumb", "t.def", "t.marker", "t.otf2"]);
    }

    #[test]
    fn folders_named_like_files_of_an_archive_are_never_replaced() {
        for name in ["t.def", "t.3.thumb", "t/0.evt"] {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir_all(folder.path().join(name).join("precious")).unwrap();
            let place = folder.path().join("t.otf2");
            let refused = NewArchive::prepare(&place, &[], Replacing::Forced).unwrap_err();
            assert!(refused.message.contains("belongs to no archive"), "{}", refused.message);
        }
    }

    #[test]
    fn nothing_is_written_among_the_files_of_the_input() {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path(), "old");
        let input = [folder.path().join("t.OTF2")];
        for place in ["t.otf2", "t/0.otf2", "t/x/y.otf2"] {
            fs::create_dir_all(folder.path().join("t/x")).unwrap();
            let place = folder.path().join(place);
            let refused = NewArchive::prepare(&place, &input, Replacing::Forced).unwrap_err();
            assert_eq!(refused.code, ExitCode::Usage, "{}", refused.message);
        }
    }

    #[test]
    fn the_input_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path(), "old");
        let place = folder.path().join("t.otf2");
        let again = folder.path().join("./t.otf2");
        let refused = NewArchive::prepare(&again, std::slice::from_ref(&place), Replacing::Forced)
            .unwrap_err();
        assert_eq!(refused.code, ExitCode::Usage);
    }
}
