//! `streamfold merge` as a user runs it: events, ranks and times that mean what they meant, one set of
//! definitions, what is refused, and what is told.

mod all_archives;
mod beyond;
mod claims;
mod clocks;
mod cut_parts;
mod damage;
mod dangling;
mod definitions;
mod disagree;
mod files;
mod hosts;
mod inputs;
mod long;
mod made;
mod markers;
mod meaning;
mod origins;
mod pieces;
mod profiles;
mod ranks;
mod same_bytes;
mod sides;
mod threads;
mod times;
mod wrong;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::common::files::Files;
use crate::common::place::expect;
use crate::common::program::{said, streamfold};

/// The command whose runs a place is for.
struct Merging;
type Place = crate::common::place::Place<Merging>;

impl Place {
    /// The anchor of what is written.
    fn anchor(&self) -> PathBuf {
        self.file("all.otf2")
    }

    /// Merges archives into here.
    fn merge<A: AsRef<Path>>(&self, from: &[A], options: &[&str]) -> Output {
        merge(from, &self.anchor(), options)
    }
}

fn merge<A: AsRef<Path>>(from: &[A], to: &Path, options: &[&str]) -> Output {
    let from = from.iter().map(|anchor| anchor.as_ref().as_os_str());
    let args = [OsStr::new("merge"), OsStr::new("-o"), to.as_ref()];
    let args = args.into_iter().chain(options.iter().map(OsStr::new)).chain(from);
    streamfold(args).output().expect("the program runs")
}

/// A place with what has become of archives.
#[track_caller]
fn merged<A: AsRef<Path>>(from: &[A], options: &[&str]) -> Place {
    let place = Place::new();
    expect(&place.merge(from, options), 0);
    place
}

/// The same of traces that may lead to what nobody defines, which is told.
#[track_caller]
fn merged_real<A: AsRef<Path>>(from: &[A], options: &[&str]) -> Place {
    let place = Place::new();
    let ended = place.merge(from, options);
    match ended.status.code() {
        Some(3) => expect_message(&ended, 3, &["which is not defined: undefined now"]),
        _ => expect(&ended, 0),
    }
    place
}

/// The files of what becomes of archives.
#[track_caller]
fn merged_files<A: AsRef<Path>>(from: &[A], options: &[&str]) -> Files {
    Files::read(&merged(from, options).anchor())
}

/// Fails where the program did not end with this code and a message with these parts in it.
#[track_caller]
fn expect_message<P: AsRef<str>>(ended: &Output, code: i32, parts: &[P]) {
    expect(ended, code);
    for part in parts.iter().map(AsRef::as_ref) {
        assert!(said(ended).contains(part), "{part} is not in: {}", said(ended));
    }
}
