//! However many ranks and threads salvage an archive, it has the same bytes.

#[cfg(feature = "ranks")]
use std::ffi::OsStr;
use std::path::Path;

use streamfold::formats::otf2::Order;

use crate::common::files::Files;
use crate::salvage::dropped::drop_record;
use crate::salvage::made::Made;
use crate::salvage::{expect, Place};

/// Archives of which something is lost, and how they are salvaged.
fn cases() -> Vec<(Made, Vec<String>)> {
    let bare = Made::new(Order::Little, 300);
    for file in [".otf2", ".def"] {
        bare.remove(file);
    }
    bare.cut("/0.evt", 3001);
    bare.cut("/4294967297.evt", 50);
    let cut = Made::new(Order::Big, 300);
    cut.cut(".def", 700);
    cut.cut("/1.evt", 2000);
    cut.remove("/0.evt");
    // The list of the locations of ranks, and mapping tables.
    let lost = Made::new(Order::Little, 300);
    drop_record(&lost.file(".def"), 18, 0);
    lost.remove("/0.def");
    lost.remove("/4294967296.def");
    vec![(bare, vec!["--close-visits".to_owned()]), (cut, Vec::new()), (lost, Vec::new())]
}

fn alone(from: &Path, options: &[String]) -> Files {
    let place = Place::new();
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    expect(&place.salvage(from, &options), 3);
    Files::read(&place.anchor())
}

#[test]
fn any_number_of_threads_writes_the_same() {
    for (made, options) in cases() {
        let expected = alone(&made.file(""), &options);
        for threads in ["1", "2", "5"] {
            let more = ["--threads".to_owned(), threads.to_owned()];
            let found = alone(&made.file(""), &[&options[..], &more].concat());
            found.assert_same(&expected, &format!("{threads} threads"));
        }
    }
}

#[cfg(feature = "ranks")]
#[test]
fn any_number_of_ranks_writes_the_same() {
    use crate::common::program::{on_ranks, said};
    for (made, options) in cases() {
        let expected = alone(&made.file(""), &options);
        for ranks in [1, 2, 3] {
            let place = Place::new();
            let (from, to) = (made.file(""), place.anchor());
            let args = [OsStr::new("salvage"), from.as_ref(), OsStr::new("-o"), to.as_ref()];
            let options = options.iter().map(OsStr::new);
            let Some(ended) = on_ranks(ranks, args.into_iter().chain(options)) else { return };
            assert_eq!(ended.status.code(), Some(3), "{ranks} ranks: {}", said(&ended));
            Files::read(&to).assert_same(&expected, &format!("{ranks} ranks"));
        }
    }
}

/// A rank that fails takes the job down, in every phase, and nothing is left.
#[cfg(feature = "ranks")]
#[test]
fn a_rank_that_fails_leaves_nothing() {
    use crate::common::program::{mpirun_with, said};
    let made = Made::new(Order::Little, 2);
    made.remove(".def");
    for what in ["open:0", "plan:1", "scan:2:panic", "reduce:1", "put:0"] {
        let place = Place::new();
        let (from, to) = (made.anchor(), place.anchor());
        let args = [OsStr::new("salvage"), from.as_ref(), OsStr::new("-o"), to.as_ref()];
        let Some(ended) = mpirun_with(&[("STREAMFOLD_TEST_FAIL", what)], 3, args) else { return };
        assert_eq!(ended.status.code(), Some(5), "{what}: {}", said(&ended));
        assert!(!place.file("new").exists(), "{what}");
    }
}
