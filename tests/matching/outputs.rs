//! What is written: every output says the same, and opens as docs/match.md says.

use std::fs;

use crate::common::archives::one;
use crate::common::program::{said, streamfold};
use crate::common::tables;
use crate::{number, report, rows};

#[test]
fn csv_has_every_table_of_json() {
    let anchor = one("intercomm").anchor;
    let (report, _) = report(&anchor, &[]);
    for table in ["communicators", "sizes", "tags", "nodes", "matrix", "collectives"] {
        tables::csv_says_what_json_says("match", table, &anchor, &report);
    }
}

#[test]
fn matrices_of_processes_and_nodes_add_up_to_that_of_locations() {
    for archive in ["intercomm", "hybrid"].map(one) {
        let sums = ["location", "process", "node"].map(|by| {
            let (report, _) = report(&archive.anchor, &["--by", by]);
            assert_eq!(report["matrix_of"], by);
            let sum = |column: &str| -> u64 {
                rows(&report, "matrix").iter().map(|row| number(row, column)).sum()
            };
            ["messages", "bytes"].map(sum)
        });
        assert_eq!(sums[0], sums[1], "{}", archive.name);
        assert_eq!(sums[0], sums[2], "{}", archive.name);
        assert!(sums[0][0] > 0);
    }
}

#[test]
fn a_suffix_that_nobody_knows_is_refused_before_the_work() {
    let anchor = one("intercomm").anchor;
    let args = ["match".as_ref(), anchor.as_os_str(), "-o".as_ref(), "x.doc".as_ref()];
    let output = streamfold(args).output().expect("a run");
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("x.doc: .csv, .json"), "{}", said(&output));
}

/// As many squares as pairs, colours from one end of the scale to the other, and XML that a parser
/// takes whatever the names are.
#[test]
fn the_picture_has_a_square_for_each_pair() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("matrix.svg");
    for (name, value) in [("intercomm", "bytes"), ("hybrid", "messages"), ("pingpong", "time")] {
        let anchor = one(name).anchor;
        let (report, _) = report(&anchor, &[]);
        let args = ["match", "-q", "--value", value, "-o"].map(std::ffi::OsStr::new);
        let args = args.into_iter().chain([file.as_os_str(), anchor.as_os_str()]);
        let run = streamfold(args).output().expect("a run");
        assert_eq!(run.status.code(), Some(0), "{}", said(&run));
        let picture = fs::read_to_string(&file).expect("a picture");
        let squares = picture.matches("<title>").count();
        assert_eq!(squares, rows(&report, "matrix").len(), "{name}");
        assert!(picture.contains("#fde725\"><title>"), "{name}: the largest is yellow");
        assert!(picture.ends_with("</svg>\n") && !picture.contains("NaN"), "{name}");
        // Whatever stands between brackets is a tag that ends.
        assert_eq!(picture.matches('<').count(), picture.matches('>').count());
    }
}

#[cfg(feature = "hdf5")]
#[test]
fn hdf5_says_what_json_says() {
    for archive in ["intercomm", "eztrace", "hybrid"].map(one) {
        tables::hdf5_says_what_json_says("match", &archive);
    }
}
