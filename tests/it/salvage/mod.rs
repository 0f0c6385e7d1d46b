//! `streamfold salvage` as a user runs it: what becomes of archives without anchor, without
//! definitions, and with files cut anywhere; what is refused; and what is left where no archive
//! comes of it.

mod backward;
mod bounds;
mod crashed;
mod cut;
mod definitions;
mod donors;
mod dropped;
mod full_disk;
mod gaps;
mod layouts;
mod local_files;
mod made;
mod metrics;
mod others;
mod ranks;
mod refusals;
mod truncated;
mod visits;
mod whole;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Output;

use streamfold::formats::otf2::{Archive, LocalDefinitions, ReadOptions};
use streamfold::model::events::{Event, EventVisitor};
use streamfold::model::ids::LocationRef;
use streamfold::model::stream::{EventHead, EventSet};

use crate::common::place::{expect, expect_message};
use crate::common::program::{said, streamfold, text};
use crate::common::reference::{is_installed, otf2_print};

/// The command whose runs a place is for.
struct Salvaging;
type Place = crate::common::place::Place<Salvaging>;

impl Place {
    /// The anchor of what is salvaged.
    fn anchor(&self) -> PathBuf {
        self.file("new/salvaged.otf2")
    }

    /// Salvages into here.
    fn salvage(&self, from: &Path, options: &[&str]) -> Output {
        salvage(from, &self.anchor(), options)
    }

    /// The same, which has to end with this code and an archive that is valid.
    #[track_caller]
    fn salvaged(&self, from: &Path, options: &[&str], code: i32) -> PathBuf {
        expect(&self.salvage(from, options), code);
        expect_valid(&self.anchor());
        self.anchor()
    }
}

fn salvage(from: &Path, to: &Path, options: &[&str]) -> Output {
    let args = [OsStr::new("salvage"), from.as_ref(), OsStr::new("-o"), to.as_ref()];
    streamfold(args).args(options).output().expect("the program runs")
}

/// Fails where an archive has errors, or the tools of the reference library have something to say
/// of it.
#[track_caller]
fn expect_valid(anchor: &Path) {
    expect_no_errors(anchor);
    expect_print_is_silent(anchor);
}

#[track_caller]
fn expect_no_errors(anchor: &Path) {
    let args = [OsStr::new("validate"), anchor.as_ref()];
    let validated = streamfold(args).output().expect("the program runs");
    assert_eq!(validated.status.code(), Some(0), "{}", text(&validated.stdout));
}

#[track_caller]
fn expect_print_is_silent(anchor: &Path) {
    if is_installed("otf2-print") {
        let printed = otf2_print(&["-A"], anchor);
        assert_eq!((printed.status.code(), said(&printed)), (Some(0), String::new()));
    }
}

/// Each event as text.
#[derive(Default)]
struct Lines(Vec<String>);

impl EventVisitor for Lines {
    const WANTS: EventSet = EventSet::ALL;
    const ATTRIBUTES: bool = true;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        self.0.push(format!("{} {event:?} {:?}", head.time, head.attributes));
    }

    fn unknown(&mut self, head: &EventHead<'_>, id: u8) {
        self.0.push(format!("{} {id} {:?}", head.time, head.attributes));
    }
}

/// The events of a location as they stand in its file, up to where they can be read.
fn events(anchor: &Path, location: u64) -> Vec<String> {
    let archive = Archive::open(anchor, ReadOptions::default()).expect("an anchor");
    let mut lines = Lines::default();
    if let Ok(mut reader) = archive.events_with(LocationRef(location), LocalDefinitions::default())
    {
        let _ = reader.read_all(&mut lines);
    }
    lines.0
}

/// The global definitions as text, one in a line.
fn definitions(anchor: &Path) -> Vec<String> {
    let archive = Archive::open(anchor, ReadOptions::default()).expect("an anchor");
    let mut lines = Vec::new();
    archive
        .read_all_global_definitions(|definition| lines.push(format!("{definition:?}")))
        .expect("definitions");
    lines
}

/// The names of things, by what they are.
fn strings(anchor: &Path) -> Vec<String> {
    let archive = Archive::open(anchor, ReadOptions::default()).expect("an anchor");
    let definitions = archive.read_global_definitions().expect("definitions");
    definitions.strings.values().map(|string| string.to_string()).collect()
}
