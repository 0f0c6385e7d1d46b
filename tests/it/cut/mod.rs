//! `streamfold cut` as a user runs it: what is left of a trace, that it is a trace, and that profiles
//! of it are those of the part.

mod bounded;
mod bounds;
mod chosen;
mod damage;
mod definitions;
mod flushes;
mod layouts;
mod lists;
mod made;
mod messages;
mod own;
mod refusals;
mod whole;
mod windows;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;
use streamfold::formats::otf2::{Archive as Opened, ReadOptions};
use streamfold::model::ids::LocationRef;
use streamfold::model::store::Definitions;

use crate::common::files::Files;
use crate::common::place::{expect, expect_message};
use crate::common::program::{said, streamfold, text};
use crate::common::reference::{is_installed, otf2_print};

/// The command whose runs a place is for.
struct Cutting;
type Place = crate::common::place::Place<Cutting>;

impl Place {
    /// The anchor of what is written.
    fn anchor(&self) -> PathBuf {
        self.file("part.otf2")
    }

    /// Cuts an archive into here.
    fn cut(&self, from: &Path, options: &[&str]) -> Output {
        let to = self.anchor();
        let args = [OsStr::new("cut"), from.as_ref(), OsStr::new("-o"), to.as_ref()];
        streamfold(args).args(options).output().expect("the program runs")
    }
}

/// A part of an archive, which has to come out whole, and what was said of it.
#[track_caller]
fn part(from: &Path, options: &[&str]) -> (Place, String) {
    let place = Place::new();
    let ended = place.cut(from, options);
    expect(&ended, 0);
    (place, said(&ended))
}

/// Fails where an archive is not valid, or where the reference tool has something to say of it.
#[track_caller]
fn expect_valid(anchor: &Path, what: &str) {
    let checked = streamfold(["validate", "--mpi", "off"]).arg(anchor).output().expect("a run");
    assert_eq!(checked.status.code(), Some(0), "{what}: {}", text(&checked.stdout));
    if is_installed("otf2-print") {
        let printed = otf2_print(&[], anchor);
        assert!(printed.status.success(), "{what}: {}", said(&printed));
        assert!(printed.stderr.is_empty(), "{what}: {}", said(&printed));
    }
}

/// An archive as the library reads it.
fn open(anchor: &Path) -> (Opened, Definitions) {
    let archive = Opened::open(anchor, ReadOptions::default()).expect("an archive");
    let definitions = archive.read_global_definitions().expect("definitions");
    (archive, definitions)
}

/// How many events each location has.
fn events(anchor: &Path) -> BTreeMap<u64, u64> {
    let (archive, definitions) = open(anchor);
    let count = |location: LocationRef| archive.announced_events(location).expect("events");
    let locations = definitions.locations.keys();
    locations.map(|location| (location.0, count(*location).expect("a file"))).collect()
}

/// The events of a location, as the reference tool prints them, without the location.
fn printed(anchor: &Path, location: u64) -> Vec<String> {
    let printed = streamfold(["print", "-L", &location.to_string()]).arg(anchor).output();
    let lines = text(&printed.expect("a run").stdout);
    let events = lines.lines().skip_while(|line| !line.starts_with("---")).skip(1);
    let words = |line: &str| {
        let (head, rest) = line.split_once("  ").unwrap_or((line, ""));
        let rest: Vec<&str> = rest.split_whitespace().skip(1).collect();
        format!("{head} {}", rest.join(" "))
    };
    events.filter(|line| !line.trim().is_empty()).map(words).collect()
}

/// What a profile has that adds up.
const SUMMED: [&str; 15] = [
    "inclusive",
    "exclusive",
    "sent",
    "bytes_sent",
    "received",
    "bytes_received",
    "collectives",
    "collective_bytes_sent",
    "collective_bytes_received",
    "rma",
    "bytes_put",
    "bytes_got",
    "io",
    "bytes_read",
    "bytes_written",
];

type Sums = BTreeMap<String, Vec<i128>>;

/// The ticks and operations of each call path, which is told by names.
fn profile(anchor: &Path, options: &[&str]) -> Sums {
    let mut sums = Sums::new();
    add(&mut sums, anchor, options);
    sums.retain(|_, sums| sums.iter().any(|sum| *sum != 0));
    sums
}

fn add(sums: &mut Sums, anchor: &Path, options: &[&str]) {
    let mut run = streamfold(["profile", "-q", "--mpi", "off", "--format", "json"]);
    let output = run.arg(anchor).args(options).output().expect("a run");
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", said(&output));
    let profile: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut paths: Vec<String> = Vec::new();
    for row in profile["paths"].as_array().expect("paths") {
        let above = row["parent"].as_u64().map(|parent| paths[parent as usize].clone());
        let path = format!("{} > {} {}", above.unwrap_or_default(), row["kind"], row["name"]);
        let sum = sums.entry(path.clone()).or_insert(vec![0; SUMMED.len()]);
        for (sum, name) in sum.iter_mut().zip(SUMMED) {
            *sum += row[name].to_string().parse::<i128>().unwrap_or(0);
        }
        paths.push(path);
    }
}
