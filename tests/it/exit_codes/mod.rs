//! How the program ends, what it says on its way, and what it leaves behind.

mod done;
mod failures;
mod help;
mod left;
mod memory;
mod messages;
mod places;
#[cfg(feature = "ranks")]
mod ranks;

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use crate::common::archives::one;
use crate::common::copy_folder;
use crate::common::program::{said, streamfold};
use tempfile::TempDir;

/// A folder to work in: a trace that can be read and damaged, and a place for outputs.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().expect("a temporary folder") };
        copy_folder(&one("intercomm").folder, &place.trace());
        fs::create_dir(place.outputs()).expect("a folder");
        place
    }

    fn trace(&self) -> PathBuf {
        self.folder.path().join("trace")
    }

    fn anchor(&self) -> PathBuf {
        self.trace().join("traces.otf2")
    }

    fn outputs(&self) -> PathBuf {
        self.folder.path().join("outputs")
    }

    /// Cuts the events of a location in the middle of a record.
    fn damage(&self, location: u64) {
        let path = self.trace().join(format!("traces/{location}.evt"));
        let events = fs::read(&path).expect("events");
        fs::write(path, &events[..500]).expect("cut");
    }

    /// Everything in the folder of outputs, hidden files as well.
    fn left(&self) -> Vec<String> {
        let entries = fs::read_dir(self.outputs()).expect("the folder of outputs");
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut names: Vec<_> = entries.map(|entry| name(entry.expect("an entry"))).collect();
        names.sort();
        names
    }

    /// Runs `streamfold profile ANCHOR` in the folder of outputs, with more arguments.
    fn profile(&self, more: &[&str]) -> Output {
        let mut command = streamfold(["profile"]);
        command.arg(self.anchor()).args(more).current_dir(self.outputs());
        command.output().expect("a run")
    }
}

/// Ended with this code, and said why on standard error, in lines of the program's own.
#[track_caller]
fn expect_failure(output: &Output, code: i32, message: &str) {
    let said = said(output);
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(said.contains(message), "`{message}` in: {said}");
}

/// What the program writes is text.
fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}
