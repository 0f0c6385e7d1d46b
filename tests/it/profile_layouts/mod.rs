//! The same bytes for any layout: any number of ranks, any number of threads, with MPI and without.
//! And what decides about layout and order: `--mpi`, `--plan`, `--sort`, `--top`.

mod mpi;
mod plan;
mod rows;

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Output;

use crate::common::archives::{large_folders, one, own, Archive};
use crate::common::copy_folder;
use crate::common::program::{said, streamfold};

const BY: [&str; 4] = ["region", "callpath", "location", "group"];

/// Numbers of ranks under mpirun.
const RANKS: [usize; 5] = [1, 2, 3, 5, 8];

/// Everything that the program can say of a trace in one run.
#[derive(Debug, PartialEq)]
struct Reports {
    table: Vec<u8>,
    csv: Vec<u8>,
    json: Vec<u8>,
    code: Option<i32>,
}

impl Reports {
    /// Those that `run` makes with the arguments that ask for them.
    fn made_by(
        anchor: &Path,
        by: &str,
        more: &[&str],
        run: impl FnOnce(Vec<OsString>) -> Option<Output>,
    ) -> Option<Reports> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = |name: &str| folder.path().join(name);
        let mut args: Vec<OsString> =
            ["profile", "-q", "--by", by, "-o", "-"].map(Into::into).into();
        args.push(anchor.into());
        for name in ["table.txt", "rows.csv", "all.json"] {
            args.extend(["-o".into(), file(name).into_os_string()]);
        }
        args.extend(more.iter().map(Into::into));
        let output = run(args)?;
        let read = |name: &str| {
            fs::read(file(name)).unwrap_or_else(|e| panic!("{name}: {e}; {}", said(&output)))
        };
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&read("table.txt")),
            "standard output gets what a file gets"
        );
        Some(Reports {
            table: read("table.txt"),
            csv: read("rows.csv"),
            json: read("all.json"),
            code: output.status.code(),
        })
    }

    fn alone(anchor: &Path, by: &str, more: &[&str]) -> Reports {
        let run = |args| Some(streamfold(args).output().expect("a run"));
        Reports::made_by(anchor, by, more, run).expect("reports")
    }

    #[cfg(feature = "ranks")]
    fn of_ranks(ranks: usize, anchor: &Path, by: &str, more: &[&str]) -> Option<Reports> {
        Reports::made_by(anchor, by, more, |args| crate::common::program::on_ranks(ranks, args))
    }

    fn expect_equal(&self, found: &Reports, layout: &str) {
        for (what, expected, found) in [
            ("table", &self.table, &found.table),
            ("CSV", &self.csv, &found.csv),
            ("JSON", &self.json, &found.json),
        ] {
            let [expected, found] = [expected, found].map(|text| String::from_utf8_lossy(text));
            assert_eq!(expected, found, "{what} of {layout}");
        }
        assert_eq!(self.code, found.code, "{layout}");
    }
}

/// The same bytes from one thread, several threads, one rank and several ranks, each of them with
/// one to three threads.
fn expect_same_bytes_for_any_layout(anchor: &Path, by: &str) {
    let expected = Reports::alone(anchor, by, &["--threads", "1"]);
    expected.expect_equal(&Reports::alone(anchor, by, &["--threads", "4"]), "4 threads");
    expected.expect_equal(&Reports::alone(anchor, by, &["--max-open-files", "1"]), "1 open file");
    #[cfg(feature = "ranks")]
    for ranks in RANKS {
        let threads = (1 + ranks % 3).to_string();
        let Some(found) = Reports::of_ranks(ranks, anchor, by, &["--threads", &threads]) else {
            continue;
        };
        expected.expect_equal(&found, &format!("{ranks} ranks, {threads} threads, by {by}"));
    }
}

/// One test for each archive, so that they run side by side.
macro_rules! same_bytes_for_any_layout {
    ($($test:ident: $archive:literal,)*) => {$(
        #[test]
        fn $test() {
            BY.iter().for_each(|by| expect_same_bytes_for_any_layout(&one($archive).anchor, by));
        }
    )*

        #[test]
        fn every_archive_of_this_repository_has_its_test() {
            let names: Vec<_> = own().into_iter().map(|archive| archive.name).collect();
            assert_eq!(names, [$($archive),*]);
        }
    };
}

same_bytes_for_any_layout! {
    eztrace_gives_the_same_bytes_for_any_layout: "eztrace",
    hybrid_gives_the_same_bytes_for_any_layout: "hybrid",
    intercomm_gives_the_same_bytes_for_any_layout: "intercomm",
    local_defs_gives_the_same_bytes_for_any_layout: "local-defs",
    pingpong_gives_the_same_bytes_for_any_layout: "pingpong",
    sampling_gives_the_same_bytes_for_any_layout: "sampling",
}

/// Rows that only sampled traces have.
#[test]
fn samples_give_the_same_bytes_for_any_layout() {
    for by in ["context", "line", "generator"] {
        expect_same_bytes_for_any_layout(&one("sampling").anchor, by);
    }
}

/// Series by location, integrals, and sums of floating-point values that rounding would spoil.
#[test]
fn metrics_give_the_same_bytes_for_any_layout() {
    for (archive, by) in [("metrics", "callpath"), ("metrics", "metric"), ("hybrid", "metric")] {
        expect_same_bytes_for_any_layout(&one(archive).anchor, by);
    }
}

/// Those with the most locations, and one whose definitions were not unified.
#[test]
fn larger_archives_give_the_same_bytes_for_any_layout() {
    let names = [
        ("scorep3-stencil4d-32", "location"),
        ("scorep9-gpu-metrics", "group"),
        ("scorep8-lulesh-hybrid-rusage", "callpath"),
        ("synthetic-ununified-6", "region"),
        ("synthetic-ununified-6", "callpath"),
        ("eztrace-mpi-p2p-coll-intercomm", "callpath"),
    ];
    for (name, by) in names {
        let Some(folder) = large_folders(&[name]).pop() else { continue };
        let archive = Archive::find(&folder).expect("an anchor");
        expect_same_bytes_for_any_layout(&archive.anchor, by);
    }
}

/// Threads hang below forks of other locations, which other ranks may read.
#[test]
fn thread_trees_give_the_same_bytes_for_any_layout() {
    let anchor = one("hybrid").anchor;
    let tree = |threads| ["--thread-tree", "--program-root", "--threads", threads];
    let expected = Reports::alone(&anchor, "callpath", &tree("1"));
    expected.expect_equal(&Reports::alone(&anchor, "callpath", &tree("4")), "4 threads");
    #[cfg(feature = "ranks")]
    for ranks in RANKS {
        let Some(found) = Reports::of_ranks(ranks, &anchor, "callpath", &tree("2")) else {
            continue;
        };
        expected.expect_equal(&found, &format!("{ranks} ranks"));
    }
}

/// What was lost is part of a report, and stands there in an order of its own.
#[test]
fn damaged_archives_give_the_same_bytes_for_any_layout() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    copy_folder(&one("hybrid").folder, folder.path());
    let file = |name: &str| folder.path().join("traces").join(name);
    for name in ["8589934592.evt", "0.evt", "2.evt"] {
        let events = fs::read(file(name)).expect("events");
        fs::write(file(name), &events[..events.len() / 3]).expect("cut");
    }
    fs::remove_file(file("4294967298.evt")).expect("removed");
    fs::write(file("3.def"), b"no definitions").expect("damaged");
    let anchor = folder.path().join("traces.otf2");
    expect_same_bytes_for_any_layout(&anchor, "location");
    assert_eq!(Reports::alone(&anchor, "region", &[]).code, Some(3));
}
