//! However many ranks and threads write an archive, it has the same bytes.

use crate::common::archives::one;
use crate::common::files::Files;
use crate::copy::{Place, WAYS};

#[cfg(feature = "ranks")]
#[test]
fn any_number_of_ranks_writes_the_same() {
    for name in ["hybrid", "every-kind"] {
        for ranks in [1, 2, 3, 5] {
            by_ranks(name, ranks, WAYS[1]);
        }
    }
    by_ranks("hybrid", 3, WAYS[0]);
}

#[cfg(feature = "ranks")]
fn by_ranks(name: &str, ranks: usize, way: &[&str]) {
    use crate::common::program::{on_ranks, said};
    use std::ffi::OsStr;

    let archive = one(name);
    let place = Place::new();
    let (from, to) = (&archive.anchor, place.anchor());
    let args = [OsStr::new("copy"), from.as_ref(), OsStr::new("-o"), to.as_ref()];
    let way = way.iter().map(OsStr::new);
    let Some(ended) = on_ranks(ranks, args.into_iter().chain(way)) else { return };
    assert_eq!(ended.status.code(), Some(0), "{name}, {ranks} ranks: {}", said(&ended));
    let what = format!("{name}, {ranks} ranks");
    Files::read(&to).assert_same(&Files::read(from), &what);
    let told = said(&ended).lines().filter(|line| line.contains("streamfold: wrote")).count();
    assert_eq!(told, 1, "{what}: one of them speaks");
    assert!(place.left().iter().all(|name| !name.starts_with('.')), "{what}: {:?}", place.left());
}

#[test]
fn any_number_of_threads_writes_the_same() {
    let archive = one("hybrid");
    let original = Files::read(&archive.anchor);
    for threads in ["1", "4"] {
        for way in WAYS {
            let options = [way, &["--threads", threads]].concat();
            let copied = Place::new().copied(&archive.anchor, &options);
            copied.assert_same(&original, &format!("{options:?}"));
        }
    }
}
