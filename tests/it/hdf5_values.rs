//! What HDF5 files hold: of windows of time, chosen regions and thread trees, with options that are
//! given several times, of samples and of series.

#![cfg(feature = "hdf5")]

use std::collections::BTreeMap;

use crate::common::archives::{data, one, own, Archive};
use crate::common::program::{said, streamfold};
use crate::common::small::{Bytes, Definitions, Files, Order, Small, Written};
use crate::common::sums::SUMMED;
use hdf5_metno::types::{FixedUnicode, VarLenUnicode};
use hdf5_metno::{File, H5Type};
use serde_json::Value;

/// The file of a profile with these options.
fn profile(archive: &Archive, options: &[&str]) -> File {
    profile_with_code(archive, options, 0)
}

fn profile_with_code(archive: &Archive, options: &[&str], code: i32) -> File {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("p.h5");
    let mut run = streamfold(["profile", "-q", "--mpi", "off", "-o"]);
    let run = run.arg(&file).arg(&archive.anchor).args(options).output().expect("a run");
    assert_eq!(run.status.code(), Some(code), "{} {options:?}: {}", archive.name, said(&run));
    // It stays readable when its folder is gone.
    File::open(&file).expect("an HDF5 file")
}

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
    let mut paths: Vec<String> = Vec::new();
    for Step { parent, region, name, kind } in table(file, "profile/paths") {
        let above = usize::try_from(parent).map_or("", |parent| &paths[parent]);
        paths.push(format!("{above} > {kind} {region} {name}"));
    }
    paths.push("outside".to_owned());
    paths
}

fn table<T: H5Type>(file: &File, name: &str) -> Vec<T> {
    let rows = file.dataset(name).and_then(|table| table.read_raw::<T>());
    rows.unwrap_or_else(|error| panic!("{name}: {error}"))
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
    let locations = table::<Location>(file, "profile/locations");
    let (offsets, at, paths) = (column("offsets"), column("path"), paths(file));
    let columns = SUMMED.map(column);
    let mut found = BTreeMap::new();
    for (row, ends) in locations.iter().zip(offsets.windows(2)) {
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
    for (path, row) in paths(file).iter().zip(table::<Row>(file, "profile/paths")) {
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
    let mut rows = table::<Times>(file, "profile/locations");
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

fn small(written: &Written) -> Archive {
    let anchor = written.anchor();
    let folder = anchor.parent().expect("a folder").to_owned();
    Archive { name: "small".to_owned(), folder, anchor }
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
    let archive = small(&written);
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

/// main has no end: of its 150 ticks before the window, 50 were those of what it called.
#[test]
fn what_is_taken_back_is_in_tables() {
    let bytes = Bytes::new(Order::Little).header().time(100).enter(0).time(200).enter(1);
    let events = Some(bytes.time(300).leave(1).end().bytes);
    let definitions = Definitions::new(Order::Little).string(2, "main").region(0).region(1);
    let files = Files { events, definitions: None };
    let written = Small::with(Order::Little, definitions.location(0, 0), vec![files]).write();
    let part = profile(&small(&written), &["--time", "250", "end"]);
    #[derive(H5Type, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    struct Row {
        visits: u64,
        inclusive: u64,
        exclusive: u64,
    }
    let row = |inclusive, exclusive| Row { visits: 0, inclusive, exclusive };
    for of in ["paths", "regions", "locations", "groups", "total"] {
        assert_eq!(table::<Row>(&part, &format!("profile/taken_back_{of}")), [row(150, 100)]);
    }
    #[derive(H5Type, Clone, Copy)]
    #[repr(C)]
    struct Region {
        region: u32,
        kind: FixedUnicode<16>,
        outer: u64,
    }
    let regions = table::<Region>(&part, "profile/taken_back_regions");
    assert_eq!((regions[0].region, regions[0].kind.as_str()), (0, "region"));
    assert_eq!(regions[0].outer, 150);
    let whole = profile(&small(&written), &[]);
    assert!(!whole.link_exists("profile/taken_back_total"));
}

/// As `samples::by_hand` works them out: 10 samples of one generator, 3 of another, at two locations,
/// and one of a generator that is not defined.
#[test]
fn samples_are_told_apart_by_generator() {
    let folder = data().join("by-hand/samples");
    let archive = Archive::find(&folder).expect("an archive");
    let file = profile_with_code(&archive, &[], 3);
    #[derive(H5Type, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    struct Counts {
        samples: u64,
        samples_0: u64,
        samples_1: u64,
        samples_4294967295: u64,
    }
    let counts = |samples, of: [u64; 3]| Counts {
        samples,
        samples_0: of[0],
        samples_1: of[1],
        samples_4294967295: of[2],
    };
    let expected = [counts(12, [10, 1, 1]), counts(2, [0, 2, 0])];
    assert_eq!(table::<Counts>(&file, "profile/samples/locations"), expected);
    assert_eq!(table::<Counts>(&file, "profile/samples/groups"), expected);
    #[derive(H5Type, Clone, Copy)]
    #[repr(C)]
    struct Generator {
        stands_for: f64,
    }
    let generators = table::<Generator>(&file, "profile/samples/generators");
    let stands_for: Vec<_> = generators.iter().map(|row| row.stands_for).collect();
    assert_eq!(stands_for[..2], [0.05, 9216.0]);
    assert!(stands_for[2].is_nan() && stands_for.len() == 3);
}

/// Time outside of any context is what JSON says, and so are the recorders of series.
#[test]
fn what_json_tells_is_there_too() {
    #[derive(H5Type, Clone, Copy)]
    #[repr(C)]
    struct Total {
        outside: u64,
    }
    #[derive(H5Type, Clone, Copy)]
    #[repr(C)]
    struct Series {
        recorder_name: FixedUnicode<64>,
    }
    let (mut sampled, mut series) = (0, 0);
    for archive in own() {
        let mut run = streamfold(["profile", "-q", "--mpi", "off", "--format", "json"]);
        let json = run.arg(&archive.anchor).output().expect("a run").stdout;
        let json: Value = serde_json::from_slice(&json).expect("JSON");
        let file = profile(&archive, &[]);
        if let Some(outside) = json["samples"]["total"]["outside"].as_u64() {
            assert_eq!(table::<Total>(&file, "profile/samples/total")[0].outside, outside);
            sampled += 1;
        }
        let rows = json["series"].as_array().filter(|rows| !rows.is_empty());
        if let Some(rows) = rows {
            let names = rows.iter().map(|row| row["recorder_name"].as_str().expect("a name"));
            let found = table::<Series>(&file, "metrics/series");
            assert!(names.eq(found.iter().map(|row| row.recorder_name.as_str())));
            series += 1;
        }
    }
    assert!(sampled > 0 && series > 0, "{sampled} {series}");
}

/// Metrics that follow from others, as JSON has them: of every row of every table.
#[test]
fn derived_metrics_are_those_of_json() {
    const COMPARE: &str = "
import h5py, json, math, sys
report, file = json.load(open(sys.argv[1])), h5py.File(sys.argv[2])
group, compared = file['derived'], 0
assert [row['name'].decode() for row in group['names'][:]] == [of['name'] for of in report['derived']]
for table, column, values in [('paths', 'path', ['exclusive', 'inclusive']), ('regions', 'region_row', ['exclusive', 'inclusive']),
                              ('locations', 'location_row', ['value']), ('groups', 'group_row', ['value'])]:
    found = {(int(row[column]), row['name'].decode()): [float(row[of]) for of in values] for row in group[table][:]}
    expected = {}
    for at, row in enumerate(report[table]):
        for of in row.get('derived', []):
            expected[at, of['name']] = [math.nan if of[value] is None else of[value] for value in values]
    assert found.keys() == expected.keys() and found, table
    for key in found:
        for a, b in zip(found[key], expected[key]):
            assert a == b or math.isnan(a) and math.isnan(b), (table, key, a, b)
            compared += 1
print(compared)
";
    let Some(python) = std::env::var_os("STREAMFOLD_PYTHON") else {
        crate::common::skipped("derived metrics as h5py sees them (STREAMFOLD_PYTHON)");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let [script, json, hdf5] = ["a.py", "a.json", "a.h5"].map(|name| folder.path().join(name));
    std::fs::write(&script, COMPARE).expect("a script");
    let run = crate::common::program::streamfold([
        "profile",
        "-q",
        "--metric",
        "ratio=PAPI_BR_MSP/PAPI_TOT_CYC",
        "-o",
    ])
    .arg(&json)
    .arg("-o")
    .arg(&hdf5)
    .arg(crate::common::archives::one("pingpong").anchor)
    .output()
    .expect("a run");
    assert!(run.status.success(), "{}", crate::common::program::said(&run));
    let ended = std::process::Command::new(python).args([&script, &json, &hdf5]).output();
    let ended = ended.expect("python");
    assert!(ended.status.success(), "{}", crate::common::program::said(&ended));
}
