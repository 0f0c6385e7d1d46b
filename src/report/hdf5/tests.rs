//! Files of one process, read back.

use std::path::PathBuf;

use hdf5_metno::types::VarLenUnicode;
use hdf5_metno::{Dataset, File, H5Type};
use streamfold_kernels::profile::metrics::{
    Aggregate, LocationMetric, Measured, MetricKind, Number, Sum,
};
use streamfold_kernels::profile::{
    CallTree, LocationPath, LocationRow, Oddities, Partial, PathIndex, Profile, Row, Spread, Step,
    Traffic, Visits,
};
use streamfold_model::definitions::{Definition, Region, StringDef};
use streamfold_model::enums::{Paradigm, RegionFlag, RegionRole};
use streamfold_model::ids::{LocationRef, MetricMemberRef, RegionRef, StringRef};
use streamfold_model::store::Definitions;

use super::table::LONGEST_TEXT;
use super::*;
use streamfold_collective::Solo;
use streamfold_system::exit::ExitCode;

fn provenance() -> Provenance {
    Provenance {
        program: "streamfold 9.9".to_owned(),
        input: "in/traces.otf2".to_owned(),
        trace_identifier: "00000000000000ff".to_owned(),
        creator: "a\0b".to_owned(),
        options: vec![("strict".to_owned(), "true".to_owned())],
        timer_resolution: 1_000_000,
        loss_count: 0,
        losses: Vec::new(),
    }
}

/// A region for each name, numbered from 0.
fn regions(names: &[&[u8]]) -> Definitions {
    let mut definitions = Definitions::default();
    for (i, name) in (0..).zip(names) {
        let string = StringDef { id: StringRef(i), string: (*name).into() };
        definitions.insert(Definition::StringDef(string));
        definitions.insert(Definition::Region(Region {
            id: RegionRef(i),
            name: StringRef(i),
            description: StringRef::UNDEFINED,
            source_file: StringRef(1000),
            begin_line_number: 7,
            end_line_number: 8,
            canonical_name: StringRef(i),
            region_role: RegionRole::Unnamed(200),
            paradigm: Paradigm::Mpi,
            region_flags: RegionFlag::NONE,
        }));
    }
    definitions
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("x.h5")
    }

    fn files(&self) -> usize {
        std::fs::read_dir(self.0.path()).unwrap().count()
    }

    fn write(
        &self,
        profile: &Profile,
        definitions: &Definitions,
        provenance: &Provenance,
        spools: Option<&Spools>,
    ) -> Result<(), Stop> {
        let path = self.path();
        let output = Output::prepare(&path).unwrap();
        let report = ProfileReport { profile, definitions, provenance, derived: &[] };
        write(&path, &Solo, Some((&output, &report)), spools)
    }
}

fn text(file: &File, name: &str) -> String {
    file.attr(name).unwrap().read_scalar::<VarLenUnicode>().unwrap().to_string()
}

/// The texts of a column, without the bytes that fill them up.
fn texts(table: &Dataset, column: &str) -> Vec<String> {
    let kind = table.dtype().unwrap().to_descriptor().unwrap();
    let hdf5_metno::types::TypeDescriptor::Compound(row) = kind else { panic!("no table") };
    let field = row.fields.iter().find(|field| field.name == column).unwrap();
    let mut bytes = vec![0u8; table.size() * row.size];
    let kind = table.dtype().unwrap();
    hdf5_metno::sync::sync(|| {
        use hdf5_metno_sys::{h5d::H5Dread, h5p::H5P_DEFAULT, h5s::H5S_ALL};
        // SAFETY: `bytes` has room for all rows.
        let read = unsafe {
            let to = bytes.as_mut_ptr().cast();
            H5Dread(table.id(), kind.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, to)
        };
        assert!(read >= 0);
    });
    let cell = |row: &[u8]| row[field.offset..field.offset + field.ty.size()].to_vec();
    let cells = bytes.chunks(row.size).map(cell);
    cells.map(|cell| String::from_utf8(cell).unwrap().trim_end_matches('\0').to_owned()).collect()
}

#[test]
fn an_empty_profile_is_a_whole_file() {
    let (profile, _) = Profile::new(Partial::default(), &Definitions::default());
    let folder = Folder::new();
    let spools = Spools::new();
    folder.write(&profile, &Definitions::default(), &provenance(), Some(&spools)).unwrap();
    assert_eq!(folder.files(), 1);
    let file = File::open(folder.path()).unwrap();
    assert_eq!(text(&file, "schema_version"), SCHEMA_VERSION);
    assert_eq!(text(&file, "option.strict"), "true");
    assert_eq!(text(&file, "creator"), "a\u{2400}b");
    assert_eq!(file.attr("timer_resolution").unwrap().read_scalar::<u64>().unwrap(), 1_000_000);
    for (table, rows) in [("paths", 0), ("regions", 0), ("locations", 0), ("total", 1)] {
        assert_eq!(file.dataset(&format!("profile/{table}")).unwrap().size(), rows);
    }
    assert_eq!(file.dataset("per_location/offsets").unwrap().read_raw::<u64>().unwrap(), [0]);
    assert_eq!(file.dataset("per_location/path").unwrap().size(), 0);
    assert!(!file.link_exists("per_location_metrics"));
    assert!(!file.link_exists("losses") && !file.link_exists("long_texts"));
}

#[test]
fn names_are_readable_whatever_they_are() {
    let long = "ä".repeat(LONGEST_TEXT);
    let definitions = regions(&[b"ma\xffin", b"nul\0inside", long.as_bytes(), b"fits"]);
    let mut partial = Partial::default();
    partial.tree.child(PathIndex::ROOT, Step::Region(RegionRef(77)));
    let spread = Spread::of(LocationRef(0), 0);
    partial.regions.insert(Step::Region(RegionRef(77)), spread);
    let (profile, _) = Profile::new(partial, &definitions);
    let folder = Folder::new();
    let mut provenance = provenance();
    provenance.loss_count = 7;
    provenance.losses = vec!["1.evt: cut".to_owned(), "2.evt: gone".to_owned()];
    folder.write(&profile, &definitions, &provenance, None).unwrap();

    let file = File::open(folder.path()).unwrap();
    let table = file.dataset("definitions/regions").unwrap();
    let names = texts(&table, "name");
    assert_eq!(names[..2], ["ma\u{fffd}in", "nul\u{2400}inside"]);
    assert_eq!(names[2], format!("{}…", "ä".repeat((LONGEST_TEXT - 3) / 2)));
    assert_eq!(names[3], "fits");
    let all = file.dataset("long_texts").unwrap().read_raw::<VarLenUnicode>().unwrap();
    assert_eq!(all.iter().map(|text| text.as_str()).collect::<Vec<_>>(), [long.as_str()]);
    assert_eq!(texts(&table, "description"), ["", "", "", ""]);
    assert_eq!(texts(&table, "file")[0], "<undefined>");
    assert_eq!(texts(&table, "role")[0], "200");
    assert_eq!(texts(&table, "paradigm")[0], "MPI");
    let rows = file.dataset("profile/regions").unwrap();
    assert_eq!(texts(&rows, "name"), ["<undefined region 77>"]);
    assert_eq!(file.attr("loss_count").unwrap().read_scalar::<u64>().unwrap(), 7);
    let losses = file.dataset("losses").unwrap();
    assert_eq!(texts(&losses, "loss"), ["1.evt: cut", "2.evt: gone"]);
}

#[derive(H5Type, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Sums {
    inclusive: u64,
    bytes_sent: u64,
    parent: i64,
}

/// A profile of one location with `outer > inner`, and what the location has, as a sink gets it.
fn two_paths(location: LocationRow) -> (Profile, CallTree, Vec<LocationPath>) {
    let mut tree = CallTree::default();
    let outer = tree.child(PathIndex::ROOT, Step::Region(RegionRef(1)));
    let inner = tree.child(outer, Step::Region(RegionRef(0)));
    let visits = |visits, time| Visits {
        visits,
        closed: visits,
        inclusive: time,
        exclusive: time,
        shortest: time,
        longest: time,
    };
    let traffic = Traffic { sent: 1, bytes_sent: 6, ..Traffic::default() };
    let outside = Traffic { received: 3, ..Traffic::default() };
    let paths = vec![
        LocationPath { path: PathIndex::ROOT, visits: Visits::NONE, traffic: outside },
        LocationPath { path: outer, visits: visits(1, 50), traffic: Traffic::default() },
        LocationPath { path: inner, visits: visits(2, 9), traffic },
    ];
    let row = |p: &LocationPath| {
        let Visits { visits, closed, inclusive, exclusive, shortest, longest } = p.visits;
        let [inclusive, exclusive] = [inclusive, exclusive].map(u128::from);
        let spread = Spread::of(location.location, exclusive);
        let traffic = p.traffic;
        Row { visits, closed, inclusive, exclusive, shortest, longest, traffic, spread }
    };
    let rows: Vec<Row> = paths.iter().map(row).collect();
    let spread = Spread::of(location.location, 0);
    let regions = [0, 1].map(|region| (Step::Region(RegionRef(region)), spread));
    let regions = regions.into_iter().collect();
    let (tree_of, locations) = (tree.clone(), vec![location]);
    let partial = Partial { tree: tree_of, paths: rows, regions, locations, ..Partial::default() };
    (Profile::new(partial, &Definitions::default()).0, tree, paths)
}

fn location(number: u64) -> LocationRow {
    LocationRow {
        inclusive: 70,
        shortest: 1,
        longest: 9,
        location: LocationRef(number),
        events: 6,
        unknown: 0,
        first: None,
        last: None,
        visits: 3,
        closed: 3,
        inside: 59,
        depth: 2,
        traffic: Traffic::default(),
        oddities: Oddities::default(),
    }
}

#[test]
fn rows_of_single_locations_are_those_that_were_put_aside() {
    let (profile, tree, paths) = two_paths(location(4));
    let spools = Spools::new();
    let mut sink = spools.sink();
    sink.location(LocationRef(4), &tree, &paths, &[]);
    sink.end(&tree);
    let folder = Folder::new();
    // Twice from the same rows, as when there are two outputs.
    for _ in 0..2 {
        folder.write(&profile, &Definitions::default(), &provenance(), Some(&spools)).unwrap();
    }
    let file = File::open(folder.path()).unwrap();
    let rows = file.dataset("profile/paths").unwrap().read_raw::<Sums>().unwrap();
    let row = |inclusive, bytes_sent, parent| Sums { inclusive, bytes_sent, parent };
    assert_eq!(rows, [row(50, 0, -1), row(9, 6, 0)]);
    let unit = file.dataset("profile/paths").unwrap().attr("unit.inclusive").unwrap();
    assert_eq!(unit.read_scalar::<VarLenUnicode>().unwrap().as_str(), "ticks");

    let column = |name: &str| {
        file.dataset(&format!("per_location/{name}")).unwrap().read_raw::<u64>().unwrap()
    };
    assert_eq!(column("offsets"), [0, 3]);
    // The last one is what is outside of any region.
    assert_eq!(column("path"), [0, 1, 2]);
    assert_eq!(column("inclusive"), [50, 9, 0]);
    assert_eq!(column("shortest"), [50, 9, u64::MAX]);
    assert_eq!(column("received"), [0, 0, 3]);
    assert_eq!(column("bytes_sent"), [0, 6, 0]);
}

/// Nothing is written, and what was there stays.
#[test]
fn sums_beyond_64_bits_are_refused() {
    let spools = |paths: &[LocationPath], tree: &CallTree, metrics: &[LocationMetric]| {
        let spools = Spools::new();
        let mut sink = spools.sink();
        sink.location(LocationRef(4), tree, paths, metrics);
        sink.end(tree);
        spools
    };
    let refused = |profile: &Profile, spools: Option<&Spools>| {
        let folder = Folder::new();
        std::fs::write(folder.path(), "before").unwrap();
        let failed = folder.write(profile, &Definitions::default(), &provenance(), spools);
        let Err(Stop::Together(failure)) = failed else { panic!("{failed:?}") };
        assert_eq!(failure.code, ExitCode::Io);
        assert_eq!(std::fs::read_to_string(folder.path()).unwrap(), "before");
        assert_eq!(folder.files(), 1);
        failure.message
    };
    let large = |of: &str| format!("{of}: a number needs more than 64 bits: CSV and JSON have it");
    let (mut profile, tree, mut paths) = two_paths(location(4));
    profile.paths[1].row.exclusive = 1 << 64;
    let message = refused(&profile, None);
    assert!(message.ends_with(&large("/profile/paths: column exclusive")), "{message}");

    let (profile, ..) = two_paths(location(4));
    paths[2].traffic.bytes_sent = 5 << 64 | 6;
    let message = refused(&profile, Some(&spools(&paths, &tree, &[])));
    assert!(message.ends_with(&large("per_location: column bytes_sent")), "{message}");

    let (profile, tree, paths) = two_paths(location(4));
    let most = |sum| Aggregate { count: 1, sum: Sum::Integer(sum), range: None };
    let metric = |sum| LocationMetric {
        path: paths[1].path,
        member: MetricMemberRef(9),
        kind: MetricKind::Difference,
        measured: Measured { inclusive: most(sum), exclusive: most(0) },
    };
    let message = refused(&profile, Some(&spools(&paths, &tree, &[metric(1 << 63)])));
    assert!(message.ends_with(&large("per_location_metrics: column inclusive_int")), "{message}");
    let least = spools(&paths, &tree, &[metric(-1 << 63)]);
    Folder::new().write(&profile, &Definitions::default(), &provenance(), Some(&least)).unwrap();
}

#[test]
fn metrics_of_single_locations_are_exact() {
    let (profile, tree, paths) = two_paths(location(4));
    let aggregate = |count, sum, range| Aggregate { count, sum: Sum::Integer(sum), range };
    let of = |path, kind, inclusive, exclusive| LocationMetric {
        path,
        member: MetricMemberRef(9),
        kind,
        measured: Measured { inclusive, exclusive },
    };
    let range = Some((Number::Integer(-7), Number::Integer(i64::MAX.into())));
    let large = aggregate(2, 3 << 40 | 5, range);
    let metrics = [
        of(PathIndex::ROOT, MetricKind::Values, aggregate(1, 1, None), aggregate(1, 1, None)),
        of(paths[1].path, MetricKind::Difference, aggregate(1, -2, None), aggregate(1, 0, None)),
        of(paths[1].path, MetricKind::Values, large.clone(), large),
    ];
    let spools = Spools::new();
    let mut sink = spools.sink();
    sink.location(LocationRef(4), &tree, &paths, &metrics);
    sink.end(&tree);
    let folder = Folder::new();
    // Twice from the same rows, as when there are two outputs.
    for _ in 0..2 {
        folder.write(&profile, &Definitions::default(), &provenance(), Some(&spools)).unwrap();
    }
    let file = File::open(folder.path()).unwrap();
    let column = |name: &str| file.dataset(&format!("per_location_metrics/{name}")).unwrap();
    assert_eq!(column("offsets").read_raw::<u64>().unwrap(), [0, 3]);
    assert_eq!(column("path").read_raw::<u32>().unwrap(), [0, 0, 2]);
    assert_eq!(column("kind").read_raw::<u32>().unwrap(), [0, 1, 1]);
    assert_eq!(column("member").read_raw::<u32>().unwrap(), [9, 9, 9]);
    assert_eq!(column("inclusive_int").read_raw::<i64>().unwrap(), [-2, 3 << 40 | 5, 1]);
    assert_eq!(column("exclusive_count").read_raw::<u64>().unwrap(), [1, 2, 1]);
    assert_eq!(column("exclusive_min_int").read_raw::<i64>().unwrap(), [0, -7, 0]);
    assert_eq!(column("exclusive_max_int").read_raw::<i64>().unwrap(), [0, i64::MAX, 0]);
    let least = column("exclusive_min").read_raw::<f64>().unwrap();
    assert!(least[0].is_nan() && least[1] == -7.0 && least[2].is_nan());
}

#[test]
fn what_fails_leaves_what_was_there() {
    let (profile, tree, paths) = two_paths(location(4));
    let spools = Spools::new();
    let mut sink = spools.sink();
    // Another location than the profile has.
    sink.location(LocationRef(5), &tree, &paths, &[]);
    sink.end(&tree);
    let folder = Folder::new();
    std::fs::write(folder.path(), "before").unwrap();
    let failed = folder.write(&profile, &Definitions::default(), &provenance(), Some(&spools));
    let Err(Stop::Together(failure)) = failed else { panic!("{failed:?}") };
    assert_eq!(failure.code, ExitCode::Io);
    let path = folder.path().display().to_string();
    assert!(failure.message.starts_with(&format!("cannot write {path}: ")), "{failure:?}");
    assert_eq!(std::fs::read_to_string(folder.path()).unwrap(), "before");
    assert_eq!(folder.files(), 1);
}

#[test]
fn the_same_profile_is_the_same_bytes() {
    let (profile, _, _) = two_paths(location(4));
    let contents = || {
        let folder = Folder::new();
        folder.write(&profile, &regions(&[b"a", b"b"]), &provenance(), None).unwrap();
        std::fs::read(folder.path()).unwrap()
    };
    assert_eq!(contents(), contents());
}
