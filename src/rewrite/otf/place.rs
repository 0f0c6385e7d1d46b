//! The place of a new trace, where all of its files appear or none.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::{belongs_to_trace, Replacing};
use streamfold_collective::inject::fail_point;
use streamfold_formats::otf::{file_order, master_file, stub};
use streamfold_formats::TraceFiles;
use streamfold_system::exit::{ExitCode, Failure};
use streamfold_system::paths::files_in_order;
use streamfold_system::unfinished::UnfinishedFolder;

/// A new trace that is written beside its place; gone when it is dropped before it is put there.
#[derive(Debug)]
pub struct NewSet {
    unfinished: UnfinishedFolder,
    folder: PathBuf,
    name: OsString,
    given: PathBuf,
    replacing: Replacing,
}

impl NewSet {
    /// Makes room for a trace with this master file, or name without ending.
    ///
    /// # Errors
    ///
    /// When it is one of `inputs`, when there is one already that must not be replaced, or when nothing can be written
    /// there.
    pub fn prepare(
        given: &Path,
        inputs: &[PathBuf],
        replacing: Replacing,
    ) -> Result<NewSet, Failure> {
        let stub = stub(given);
        let Some(name) = stub.file_name().map(OsStr::to_owned) else {
            let text = format!("{}: this is no name of a trace (NAME.otf)", given.display());
            return Err(Failure::new(ExitCode::Usage, text));
        };
        let folder = match stub.parent() {
            Some(folder) if folder != Path::new("") => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        let own = master_file(&stub);
        if inputs.iter().any(|input| TraceFiles::of(&input.into(), None).have(&own)) {
            return Err(belongs_to_trace(given));
        }
        check_free(given, &folder, &name, replacing)?;
        let unfinished = UnfinishedFolder::beside(&folder.join(&name));
        let unfinished = unfinished.map_err(|error| Failure::output(given, &error))?;
        Ok(NewSet { unfinished, folder, name, given: given.to_owned(), replacing })
    }

    /// Its name without ending, until it is put in its place.
    pub fn stub(&self) -> PathBuf {
        self.unfinished.path().join(&self.name)
    }

    /// The folder that it comes into.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The same failure with the names that people know.
    pub fn told(&self, failure: Failure) -> Failure {
        let from = self.unfinished.path().to_string_lossy();
        let message = failure.message.replace(&*from, &self.folder.to_string_lossy());
        Failure { message, ..failure }
    }

    /// Puts the trace in its place, the master file last, and what was there away.
    ///
    /// # Errors
    ///
    /// When it cannot be put there; what was there before is there again then.
    pub fn put(self) -> Result<(), Failure> {
        fail_point("put", 0).map_err(|error| Failure::new(ExitCode::Rank, error.to_string()))?;
        let NewSet { unfinished, folder, name, given, replacing } = self;
        let put = |from: &Path| {
            check_free(&given, &folder, &name, replacing)?;
            exchange(from, &folder, &name).map_err(|error| Failure::output(&given, &error))
        };
        unfinished.put(put, |_| false)
    }
}

fn check_free(
    given: &Path,
    folder: &Path,
    name: &OsStr,
    replacing: Replacing,
) -> Result<(), Failure> {
    let there = existing(folder, name).map_err(|error| Failure::output(given, &error))?;
    match there.first() {
        Some(first) if replacing == Replacing::Refused => {
            let text = format!("{} exists; say --force to replace it", first.display());
            Err(Failure::new(ExitCode::Io, text))
        }
        _ => match there.iter().find(|path| path.is_dir()) {
            Some(path) => {
                let text = format!("{} is a folder, and belongs to no trace", path.display());
                Err(Failure::new(ExitCode::Io, text))
            }
            None => Ok(()),
        },
    }
}

/// The files of a trace of this name that are there, the master file first.
fn existing(folder: &Path, name: &OsStr) -> io::Result<Vec<PathBuf>> {
    files_in_order(folder, |file| file_order(name, file))
}

/// Moves what is in place aside and the new trace there: of the old one the master file first, of the new one last.
fn exchange(from: &Path, folder: &Path, name: &OsStr) -> io::Result<()> {
    let aside = from.join(".replaced");
    fs::create_dir(&aside)?;
    let mut moves = Vec::new();
    for old in existing(folder, name)? {
        let to = aside.join(old.file_name().unwrap_or_default());
        moves.push((old, to));
    }
    for new in existing(from, name)?.into_iter().rev() {
        let to = folder.join(new.file_name().unwrap_or_default());
        moves.push((new, to));
    }
    for done in 0..moves.len() {
        let (source, target) = &moves[done];
        if let Err(error) = fs::rename(source, target) {
            for (source, target) in moves[..done].iter().rev() {
                fs::rename(target, source)?;
            }
            return Err(error);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_replaced_as_a_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        for file in ["t.otf", "t.0.def", "t.7.events", "other"] {
            fs::write(folder.path().join(file), "old").expect("a file");
        }
        let place = folder.path().join("t.otf");
        assert!(NewSet::prepare(&place, &[], Replacing::Refused).is_err());
        let input = std::slice::from_ref(&place);
        assert!(NewSet::prepare(&folder.path().join("t"), input, Replacing::Forced).is_err());
        let new = NewSet::prepare(&place, &[], Replacing::Forced).expect("room");
        fs::write(master_file(&new.stub()), "new").expect("a file");
        new.put().expect("put");
        let mut names: Vec<_> = fs::read_dir(folder.path())
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["other", "t.otf"]);
        assert_eq!(fs::read(place).expect("a file"), b"new");
    }
}
