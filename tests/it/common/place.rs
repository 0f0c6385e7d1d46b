//! Rooms for what commands write, and how these have to end.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::process::Output;

use tempfile::TempDir;

use super::archives::Archive;
use super::files::names;
use super::program::said;

/// A folder with room for archives. Each command has a type of its own, with the methods that run it.
pub struct Place<Command = ()> {
    pub folder: TempDir,
    command: PhantomData<Command>,
}

impl<Command> Place<Command> {
    pub fn new() -> Place<Command> {
        Place { folder: TempDir::new().expect("a folder"), command: PhantomData }
    }

    /// A folder with an archive in it that may be changed, and its anchor.
    pub fn with(archive: &Archive) -> (Place<Command>, PathBuf) {
        let place = Place::new();
        super::copy_folder(&archive.folder, place.folder.path());
        let anchor = place.file(archive.anchor.file_name().expect("a name"));
        (place, anchor)
    }

    pub fn file(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What is in the folder.
    pub fn left(&self) -> Vec<String> {
        names(self.folder.path())
    }
}

/// Fails where the program did not end with this code.
#[track_caller]
pub fn expect(ended: &Output, code: i32) {
    assert_eq!(ended.status.code(), Some(code), "{}", said(ended));
    assert!(ended.stdout.is_empty(), "nothing is said on standard output");
}

/// Fails where the program did not end with this code and a message with this in it.
#[track_caller]
pub fn expect_message(ended: &Output, code: i32, part: &str) {
    expect(ended, code);
    assert!(said(ended).contains(part), "{part} is not in: {}", said(ended));
}
