//! The merged trace follows from the traces and their order alone: any number of ranks and threads writes
//! the same bytes.

use std::path::PathBuf;

use crate::common::archives::{large_folders, one, Archive};
use crate::merge::made::Trace;
use crate::merge::merged_files;

const WAYS: [&[&str]; 2] = [&[], &["--rewrite-events"]];

/// Traces with definitions of all sorts, and with markers.
fn traces() -> (Vec<PathBuf>, Vec<crate::merge::made::Made>) {
    let own = ["eztrace", "local-defs", "pingpong", "metrics"].map(|name| one(name).anchor);
    let large = large_folders(&["synthetic-ununified-6"]);
    let large = large.iter().filter_map(|folder| Archive::find(folder)).map(|it| it.anchor);
    let made: Vec<_> = [5, 6, 5]
        .iter()
        .zip([0, 1, 2])
        .map(|(id, at)| Trace::job(*id, &[at], "a").write())
        .collect();
    let all = own.into_iter().chain(large).chain(made.iter().map(|made| made.anchor.clone()));
    (all.collect(), made)
}

#[cfg(feature = "ranks")]
#[test]
fn any_number_of_ranks_writes_the_same() {
    use crate::common::files::Files;
    use crate::common::program::{on_ranks, said};
    use crate::merge::Place;

    let (traces, _made) = traces();
    for way in WAYS {
        let expected = merged_files(&traces, &[way, &["--mpi", "off"]].concat());
        for ranks in [1, 2, 3] {
            let place = Place::new();
            let args = ["merge".into(), "-o".into(), place.anchor().into_os_string()];
            let paths = traces.iter().map(|path| path.clone().into_os_string());
            let args = args.into_iter().chain(paths).chain(way.iter().map(Into::into));
            let Some(ended) = on_ranks(ranks, args) else { return };
            assert_eq!(ended.status.code(), Some(0), "{}", said(&ended));
            let what = format!("{ranks} ranks {way:?}");
            Files::read(&place.anchor()).assert_same(&expected, &what);
            let told = said(&ended).lines().filter(|it| it.contains("streamfold: wrote")).count();
            assert_eq!(told, 1, "{what}: one of them speaks");
            assert_eq!(place.left(), ["all", "all.def", "all.otf2"]);
        }
    }
}

#[test]
fn any_number_of_threads_writes_the_same() {
    let (traces, _made) = traces();
    for way in WAYS {
        let with = |threads| merged_files(&traces, &[way, &["--threads", threads]].concat());
        with("2").assert_same(&with("1"), &format!("{way:?}"));
    }
}

/// Merging the same again writes the same.
#[test]
fn once_more_is_the_same() {
    let (traces, _made) = traces();
    merged_files(&traces, &[]).assert_same(&merged_files(&traces, &[]), "once more");
}
