//! HDF5 files of parts of a trace: windows of time, chosen regions, thread trees, options that are
//! given several times.

#![cfg(feature = "hdf5")]

mod common;

use std::collections::BTreeMap;

use common::archives::{one, own, Archive};
use common::program::{said, streamfold};
use common::small::{Bytes, Definitions, Files, Order, Small};
use hdf5_metno::types::{FixedUnicode, VarLenUnicode};
use hdf5_metno::{File, H5Type};

/// The file of a profile with these options.
fn profile(archive: &Archive, options: &[&str]) -> File {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("p.h5");
    let mut run = streamfold(["profile", "-q", "--mpi", "off", "-o"]);
    let run = run.arg(&file).arg(&archive.anchor).args(options).output().expect("a run");
    assert!(run.status.success(), "{} {options:?}: {}", archive.name, said(&run));
    // It stays readable when its folder is gone.
    File::open(&file).expect("an HDF5 file")
}

/// What can be added up.
const SUMMED: [&str; 17] = [
    "visits",
    "closed",
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

type Sums = [u64; SUMMED.len()];

#[derive(H5Type, Clone, Copy)]
#[repr(C)]
struct Step {
    parent: i64,
    region: u32,
    name: FixedUnicode<64>,
    kind: FixedUnicode<16>,
}

/// The paths by what they are, in the order of the file; last, where no region is open.
fn paths(file: &File) -> Vec<String> {
    let steps = file.dataset("profile/paths").and_then(|table| table.read_raw::<Step>());
    let mut paths: Vec<String> = Vec::new();
    for Step { parent, region, name, kind } in steps.expect("paths") {
        let above = usize::try_from(parent).map_or("", |parent| &paths[parent]);
        paths.push(format!("{above} > {kind} {region} {name}"));
    }
    paths.push("outside".to_owned());
    paths
}

/// What each location has on each path.
fn per_location(file: &File) -> BTreeMap<(u64, String), Sums> {
    let column = |name: &str| {
        let column = file.dataset(&format!("per_location/{name}"));
        column.and_then(|column| column.read_raw::<u64>()).expect("a column")
    };
    #[derive(H5Type, Clone, Copy)]
    #[repr(C)]
    struct Location {
        location: u64,
    }
    let locations = file.dataset("profile/locations").and_then(|t| t.read_raw::<Location>());
    let (offsets, at, paths) = (column("offsets"), column("path"), paths(file));
    let columns = SUMMED.map(column);
    let mut found = BTreeMap::new();
    for (row, ends) in locations.expect("locations").iter().zip(offsets.windows(2)) {
        for i in ends[0] as usize..ends[1] as usize {
            let key = (row.location, paths[at[i] as usize].clone());
            let before = found.insert(key, columns.each_ref().map(|column| column[i]));
            assert!(before.is_none(), "one element for each path");
        }
    }
    found
}

fn add(sums: &mut Sums, more: &Sums) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

/// What all locations have together is what the table of call paths has.
fn assert_is_the_profile(file: &File, what: &str) {
    #[derive(H5Type, Clone, Copy)]
    #[repr(C)]
    struct Row {
        visits: u64,
        closed: u64,
        inclusive: u64,
        exclusive: u64,
        bytes_sent: u64,
    }
    let mut sums: BTreeMap<String, Sums> = BTreeMap::new();
    for ((_, path), row) in per_location(file) {
        add(sums.entry(path).or_default(), &row);
    }
    let rows = file.dataset("profile/paths").and_then(|table| table.read_raw::<Row>());
    for (path, row) in paths(file).iter().zip(rows.expect("paths")) {
        let expected = [row.visits, row.closed, row.inclusive, row.exclusive, row.bytes_sent];
        let found = sums.get(path).copied().unwrap_or_default();
        assert_eq!([found[0], found[1], found[2], found[3], found[5]], expected, "{what}: {path}");
    }
}

/// First and last time of the events.
fn span(file: &File) -> (u64, u64) {
    #[derive(H5Type, Clone, Copy)]
    #[repr(C)]
    struct Times {
        events: u64,
        first: u64,
        last: u64,
    }
    let rows = file.dataset("profile/locations").and_then(|t| t.read_raw::<Times>());
    let mut rows = rows.expect("locations");
    rows.retain(|row| row.events > 0);
    let first = rows.iter().map(|row| row.first).min().expect("an event");
    (first, rows.iter().map(|row| row.last).max().expect("an event"))
}

#[test]
fn tables_of_windows_that_adjoin_add_up() {
    let mut checked = 0;
    for archive in own() {
        let whole = profile(&archive, &["--per-location"]);
        let (first, last) = span(&whole);
        let at = |part: u64| (first + (last - first) / 1000 * part).to_string();
        let bounds = ["begin".to_owned(), at(333), at(334), at(900), "end".to_owned()];
        let mut sums: BTreeMap<_, Sums> = BTreeMap::new();
        let mut is_whole = true;
        for window in bounds.windows(2) {
            let part = profile(&archive, &["--per-location", "--time", &window[0], &window[1]]);
            assert_is_the_profile(&part, &format!("{} {window:?}", archive.name));
            // What is taken back is not known by location and path.
            is_whole &= !part.link_exists("profile/taken_back_paths");
            for (key, row) in per_location(&part) {
                add(sums.entry(key).or_default(), &row);
            }
        }
        if is_whole {
            checked += 1;
            assert_eq!(sums, per_location(&whole), "{}", archive.name);
        }
    }
    assert!(checked > 3, "{checked} archives");
}

/// A visit that goes on through the window with a message in it, and a path only before it.
#[test]
fn ticks_and_messages_of_visits_that_go_on_are_in_one_element() {
    let bytes = Bytes::new(Order::Little).header().time(100).enter(0).time(200).enter(1);
    let bytes = bytes.time(300).leave(1).time(500);
    let send = bytes.payload().c(1).c(0).c(0).c(7);
    let events = Some(bytes.record(14, send).time(1000).leave(0).end().bytes);
    let definitions = Definitions::new(Order::Little).string(2, "main").region(0).region(1);
    let files = Files { events, definitions: None };
    let written = Small::with(Order::Little, definitions.location(0, 0), vec![files]).write();
    let anchor = written.anchor();
    let folder = anchor.parent().expect("a folder").to_owned();
    let archive = Archive { name: "small".to_owned(), folder, anchor };
    let part = profile(&archive, &["--per-location", "--time", "400", "600"]);
    assert_eq!(paths(&part).len(), 2, "one, and outside");
    let found: Vec<Sums> = per_location(&part).into_values().collect();
    let mut expected = Sums::default();
    (expected[2], expected[3], expected[4], expected[5]) = (200, 200, 1, 7);
    assert_eq!(found, [expected]);
}

#[test]
fn windows_without_a_tick_have_tables_too() {
    let archive = one("hybrid");
    let (first, last) = span(&profile(&archive, &[]));
    for time in [0, first, first.midpoint(last), last + 1] {
        let time = time.to_string();
        let part = profile(&archive, &["--per-location", "--time", &time, &time]);
        assert!(per_location(&part).is_empty(), "{time}");
    }
}

#[test]
fn chosen_regions_and_thread_trees_have_tables_by_location() {
    for archive in own() {
        for options in [
            &["--region", "^MPI_"][..],
            &["--exclude", "^main$"],
            &["--exclude", "^main$", "--time", "1s", "end"],
            &["--thread-tree"],
            &["--thread-tree", "--program-root"],
        ] {
            let file = profile(&archive, &[options, &["--per-location"]].concat());
            assert_is_the_profile(&file, &format!("{} {options:?}", archive.name));
        }
    }
}

fn option(file: &File, name: &str) -> Vec<String> {
    let values = file.attr(name).and_then(|attribute| match attribute.is_scalar() {
        true => Ok(vec![attribute.read_scalar::<VarLenUnicode>()?]),
        false => attribute.read_raw::<VarLenUnicode>(),
    });
    values.expect("an attribute").iter().map(|value| value.to_string()).collect()
}

#[test]
fn options_given_several_times_are_lists() {
    let archive = one("hybrid");
    let file = profile(&archive, &["-L", "0", "-L", "1", "--region", "a", "--region", "ö"]);
    assert_eq!(option(&file, "option.location"), ["0", "1"]);
    assert_eq!(option(&file, "option.region"), ["a", "ö"]);
    let file = profile(&archive, &["--exclude", "a", "-L", "1"]);
    assert_eq!(option(&file, "option.location"), ["1"]);
    assert!(file.attr("option.location").expect("an attribute").is_scalar());
    // More than an attribute holds.
    let many = ["--exclude", "x"].repeat(5000);
    let file = profile(&archive, &many);
    assert_eq!(file.dataset("option.exclude").expect("a table").size(), 5000);
    let file = profile(&archive, &["--exclude", "x"].repeat(4000));
    assert_eq!(option(&file, "option.exclude").len(), 4000);
}
