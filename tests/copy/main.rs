//! `streamfold copy` as a user runs it: what is in the new archive, what becomes of one that is there
//! already, and what is left where no new one comes of it.

#[path = "../common/mod.rs"]
mod common;

mod chunk_sizes;
mod damage;
#[cfg(feature = "mpi")]
mod failing_ranks;
mod full_disk;
mod interrupted;
mod mixed_orders;
mod ranks;
mod refusals;
mod replacing;
mod same_bytes;
mod same_text;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Output;

use tempfile::TempDir;

use common::archives::{data, Archive};
use common::files::{names, Files};
use common::program::{said, streamfold};

/// Bytes as they are, or every record decoded and encoded again.
const WAYS: [&[&str]; 2] = [&[], &["--reencode"]];

/// A folder with room for a copy.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Place {
        Place { folder: TempDir::new().expect("a folder") }
    }

    /// A folder with an archive in it that may be changed, and its anchor.
    fn with(archive: &Archive) -> (Place, PathBuf) {
        let place = Place::new();
        common::copy_folder(&archive.folder, place.folder.path());
        let anchor = place.file(archive.anchor.file_name().expect("a name"));
        (place, anchor)
    }

    fn file(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The anchor of the copy.
    fn anchor(&self) -> PathBuf {
        self.file("copy.otf2")
    }

    /// Copies an archive to here.
    fn copy(&self, from: &Path, options: &[&str]) -> Output {
        copy(from, &self.anchor(), options)
    }

    /// The files of a copy that has to come out whole.
    #[track_caller]
    fn copied(&self, from: &Path, options: &[&str]) -> Files {
        expect(&self.copy(from, options), 0);
        Files::read(&self.anchor())
    }

    /// What is in the folder.
    fn left(&self) -> Vec<String> {
        names(self.folder.path())
    }
}

fn copy(from: &Path, to: &Path, options: &[&str]) -> Output {
    let args = [OsStr::new("copy"), from.as_ref(), OsStr::new("-o"), to.as_ref()];
    streamfold(args).args(options).output().expect("the program runs")
}

/// Fails where the program did not end with this code.
#[track_caller]
fn expect(ended: &Output, code: i32) {
    assert_eq!(ended.status.code(), Some(code), "{}", said(ended));
    assert!(ended.stdout.is_empty(), "a copy has nothing to say on standard output");
}

/// Fails where the program did not end with this code and a message with this in it.
#[track_caller]
fn expect_message(ended: &Output, code: i32, part: &str) {
    expect(ended, code);
    assert!(said(ended).contains(part), "{part} is not in: {}", said(ended));
}

/// All archives that belong to this repository, those too that are for reading only.
fn all_own() -> Vec<Archive> {
    let in_folder = |folder: PathBuf| {
        let folders = names(&folder).into_iter().map(move |name| folder.join(name));
        folders.filter_map(|folder| Archive::find(&folder))
    };
    let all: Vec<_> = in_folder(data()).chain(in_folder(data().join("by-hand"))).collect();
    assert!(all.len() >= 10, "{all:?}");
    all
}
