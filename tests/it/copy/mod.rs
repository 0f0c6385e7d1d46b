//! `streamfold copy` as a user runs it: what is in the new archive, what becomes of one that is there
//! already, and what is left where no new one comes of it.

mod chunk_sizes;
mod damage;
#[cfg(feature = "ranks")]
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

use crate::common::archives::{data, Archive};
use crate::common::files::{names, Files};
use crate::common::place::{expect, expect_message};
use crate::common::program::streamfold;

/// Bytes as they are, or every record decoded and encoded again.
const WAYS: [&[&str]; 2] = [&[], &["--reencode"]];

/// The command whose runs a place is for.
struct Copying;
type Place = crate::common::place::Place<Copying>;

impl Place {
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
}

fn copy(from: &Path, to: &Path, options: &[&str]) -> Output {
    let args = [OsStr::new("copy"), from.as_ref(), OsStr::new("-o"), to.as_ref()];
    streamfold(args).args(options).output().expect("the program runs")
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
