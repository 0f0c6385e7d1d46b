//! `streamfold print` writes what otf2-print writes, byte for byte: as recorded beside each archive,
//! and as the tool says now, where it is installed.
//!
//! Left out are: `all-kinds`, on which otf2-print crashes and beside which no text lies;
//! `crashed-scorep8-comd`, whose recorded text has four lines of standard error in its middle; the
//! live comparison of archives that otf2-print ends with an error, since ours goes to standard error.

use std::path::PathBuf;
use std::process::Command;

use crate::common::archives::{data, traces_folder, Archive};
use crate::common::cases::third;
use crate::common::{gunzip, skipped};

/// All archives at hand: of this repository, and of the large set.
fn archives() -> Vec<Archive> {
    let own = data();
    let sets = ["otf2", "otf2-records", "otf2-with-profile"].map(|set| traces_folder().join(set));
    let missing = sets.iter().filter(|set| !set.is_dir()).count();
    if missing > 0 {
        skipped(&format!(
            "{missing} folders of the large set (STREAMFOLD_TRACES names its folder)"
        ));
    }
    let folders = |set: &PathBuf| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(set).map(|entries| entries.flatten().collect::<Vec<_>>());
        entries.unwrap_or_default().into_iter().map(|entry| entry.path()).collect()
    };
    let mut all: Vec<_> = std::iter::once(&own).chain(&sets).flat_map(folders).collect();
    all.sort();
    all.iter().filter_map(|folder| Archive::find(folder)).collect()
}

fn ours(archive: &Archive, options: &[&str]) -> Vec<u8> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_streamfold"));
    command.args(["print", "--mpi", "off"]).args(options).arg(&archive.anchor).env("TZ", "UTC");
    command.output().expect("the program runs").stdout
}

fn assert_same(ours: &[u8], theirs: &[u8], what: &str) {
    let lines = |text: &[u8]| text.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
    if ours == theirs {
        return;
    }
    let (ours, theirs) = (lines(ours), lines(theirs));
    let differs = ours.iter().zip(&theirs).position(|(a, b)| a != b);
    let at = differs.unwrap_or(ours.len().min(theirs.len()));
    let line = |lines: &[Vec<u8>]| lines.get(at).map(|l| String::from_utf8_lossy(l).into_owned());
    panic!("{what}, line {}:\n{:?}\n{:?}", at + 1, line(&ours), line(&theirs));
}

#[test]
fn texts_are_those_recorded_beside_the_archives() {
    let mut compared = 0;
    for archive in archives() {
        let texts = [("expected.txt.gz", &["-A"][..]), ("expected-local.txt.gz", &["-M", "-C"])];
        for (file, options) in texts {
            let file = archive.folder.join(file);
            if file.is_file() {
                let what = format!("{} {options:?}", archive.name);
                assert_same(&ours(&archive, options), gunzip(&file).as_bytes(), &what);
                compared += 1;
            }
        }
    }
    // The six archives of runs in this repository have both texts, and one has the first.
    assert!(compared >= 13, "{compared} texts were compared");
}

#[test]
fn texts_are_those_of_the_tool() {
    if !Command::new("otf2-print").arg("--version").output().is_ok_and(|run| run.status.success()) {
        skipped("no otf2-print");
        return;
    }
    let options: [&[&str]; 8] = [
        &["-A"],
        &["-I"],
        &["-G"],
        &["-M", "-C"],
        &["--timestamps=offset"],
        &["--silent"],
        &["--unwind-calling-context"],
        &["-L", "0", "--no-local-defs"],
    ];
    let mut compared = 0;
    // The tool does not know the records of OTF2 3.2.
    let known = archives().into_iter().filter(|archive| archive.name != "probes");
    for (number, archive) in known.enumerate() {
        // A third of them in ci/test, other ones for each archive.
        for options in third(options, number) {
            let mut command = Command::new("otf2-print");
            command.args(options).arg(&archive.anchor).env("TZ", "UTC");
            let theirs = command.output().expect("otf2-print runs");
            if theirs.status.success() {
                let what = format!("{} {options:?}", archive.name);
                assert_same(&ours(&archive, options), &theirs.stdout, &what);
                compared += 1;
            }
        }
    }
    assert!(compared >= 2 * 6, "{compared} texts were compared");
}
