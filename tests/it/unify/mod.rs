//! `streamfold unify` as a user runs it: one set of definitions, events that mean what they meant, what
//! is refused, and what is left where no archive comes of it.

mod all_archives;
mod beside;
mod between;
mod both;
mod communicators;
mod contents;
mod damage;
mod dangling;
mod expected;
mod eztrace;
#[cfg(feature = "ranks")]
mod failing_ranks;
mod full_disk;
mod interrupted;
mod kept_apart;
mod lists;
mod made;
mod markers;
mod meant;
mod members;
#[cfg(feature = "ranks")]
mod on_ranks;
mod once_more;
mod order;
mod profiles;
mod refusals;
mod rewritten_events;
mod same_bytes;
mod sizes;
mod structures;
mod told;
mod told_by_more;
mod twins;
mod unknown;
mod unlisted;
mod wrong;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::common::archives::{data, large, Archive};
use crate::common::files::{names, Files};
use crate::common::place::{expect, expect_message};
use crate::common::program::streamfold;

/// The command whose runs a place is for.
struct Unifying;
type Place = crate::common::place::Place<Unifying>;

impl Place {
    /// The anchor of what is written.
    fn anchor(&self) -> PathBuf {
        self.file("one.otf2")
    }

    /// Unifies an archive into here.
    fn unify(&self, from: &Path, options: &[&str]) -> Output {
        unify(from, &self.anchor(), options)
    }

    /// The files of an archive that has to come out whole.
    #[track_caller]
    fn unified(&self, from: &Path, options: &[&str]) -> Files {
        expect(&self.unify(from, options), 0);
        Files::read(&self.anchor())
    }
}

/// A place with what has become of an archive.
#[track_caller]
fn one_set(from: &Path, options: &[&str]) -> Place {
    let place = Place::new();
    expect(&place.unify(from, options), 0);
    place
}

fn unify(from: &Path, to: &Path, options: &[&str]) -> Output {
    let args = [OsStr::new("unify"), from.as_ref(), OsStr::new("-o"), to.as_ref()];
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

/// These archives of the large set, as far as they are there.
fn of_large(names: &[&str]) -> Vec<Archive> {
    large().into_iter().filter(|archive| names.contains(&archive.name.as_str())).collect()
}

/// The archive that nobody has unified, if it is there.
fn ununified() -> Option<Archive> {
    of_large(&["synthetic-ununified-6"]).pop()
}
