//! Archives of real runs, cut into chunks.

use std::process::Output;

use super::{same_in_pieces, same_on_ranks};
use crate::common::archives::{large, one, own, Archive};
use crate::common::chunks::cut;
use crate::common::program::{said, streamfold};

fn rows(anchor: &std::path::Path, by: &str) -> Vec<u8> {
    let args = ["profile", "-q", "--by", by, "--format", "csv", "--threads", "1"];
    let output: Output = streamfold(args).arg(anchor).output().expect("a run");
    // Some archives refer to what they do not define.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", said(&output));
    output.stdout
}

/// Cutting changes nothing but the file: what facts say of the original holds for what is compared
/// here.
fn cut_in(archive: &Archive, chunks: usize) -> (tempfile::TempDir, std::path::PathBuf) {
    let (folder, anchor) = cut(archive, chunks);
    for by in ["callpath", "location"] {
        assert_eq!(rows(&anchor, by), rows(&archive.anchor, by), "{}, cut", archive.name);
    }
    (folder, anchor)
}

#[test]
fn the_archives_of_this_repository_give_the_same_bytes_in_pieces() {
    for archive in own() {
        for chunks in [2, 7, 40] {
            let (_folder, anchor) = cut_in(&archive, chunks);
            let whole = same_in_pieces(&anchor, &[]);
            assert_eq!(whole.code, Some(0), "{}: {}", archive.name, whole.err);
            if chunks == 7 {
                same_on_ranks(&anchor, &[], &whole, &[2, 3]);
            }
        }
    }
}

#[test]
fn options_and_every_form_of_output_are_the_same_in_pieces() {
    for archive in own() {
        let (_folder, anchor) = cut_in(&archive, 5);
        same_in_pieces(&anchor, &["--raw-clocks"]);
        same_in_pieces(&anchor, &["--strict", "--by", "group", "--format", "table"]);
    }
}

#[test]
fn the_archives_of_the_large_set_give_the_same_bytes_in_pieces() {
    // One of them has no end.
    for archive in large().into_iter().filter(|archive| !archive.name.starts_with("crashed")) {
        let (_folder, anchor) = cut_in(&archive, 6);
        let whole = same_in_pieces(&anchor, &[]);
        same_on_ranks(&anchor, &[], &whole, &[2]);
    }
}

/// What single locations have on each call path.
#[cfg(feature = "hdf5")]
#[test]
fn call_paths_of_each_location_are_the_same_in_pieces() {
    for archive in own() {
        let (folder, anchor) = cut_in(&archive, 6);
        let dump = |name: &str, more: &[&str]| {
            let file = folder.path().join(name);
            let output = streamfold(["profile", "-q", "--per-location", "-o"])
                .args([&file, &anchor])
                .args(more)
                .output()
                .expect("a run");
            assert!(output.status.success(), "{}", said(&output));
            file
        };
        let whole = dump("whole.h5", &["--threads", "1"]);
        let pieces = dump("pieces.h5", &["--threads", "3", "--piece-bytes", "1"]);
        let different = std::process::Command::new("h5diff").args([&whole, &pieces]).output();
        let Ok(different) = different else {
            return super::skipped("a comparison of HDF5 files, no h5diff found");
        };
        let told = String::from_utf8_lossy(&different.stdout).into_owned();
        assert!(different.status.success() && told.is_empty(), "{}: {told}", archive.name);
    }
}

/// Whose kernel says no reads each location as a whole.
#[test]
fn plans_cut_nothing_where_there_are_calling_contexts() {
    let archive = one("sampling");
    let (_folder, anchor) = cut_in(&archive, 6);
    let args = ["profile", "--plan=3", "--piece-bytes", "1"];
    let output = streamfold(args).arg(&anchor).output().expect("a run");
    let plan = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(plan.contains("in 4 locations on 3 ranks"), "{plan}");
    assert!(!plan.contains(" of 3)"), "{plan}");
    let whole = same_in_pieces(&anchor, &[]);
    same_on_ranks(&anchor, &[], &whole, &[3]);
}

/// Every location is read, and every part of one by another rank.
#[test]
fn plans_show_who_reads_which_part() {
    let archive = one("pingpong");
    let (_folder, anchor) = cut_in(&archive, 6);
    let args = ["profile", "--plan=3", "--piece-bytes", "1"];
    let output = streamfold(args).arg(&anchor).output().expect("a run");
    let plan = String::from_utf8_lossy(&output.stdout).into_owned();
    let locations = archive.facts()["locations"].as_array().expect("locations").len();
    assert!(plan.contains(&format!("in {locations} locations on 3 ranks")), "{plan}");
    for part in 1..=3 {
        let part = format!("0 ({part} of 3)");
        assert_eq!(plan.lines().filter(|line| line.contains(&part)).count(), 1, "{plan}");
    }
}
