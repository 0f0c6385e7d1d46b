//! The numbers follow from what the archive says alone: any number of ranks and threads writes the same
//! bytes.

use std::fs;
use std::os::unix::fs::MetadataExt;

use streamfold::model::definitions::Definition;

use crate::common::archives::{one, Archive};
use crate::common::files::{names, Files};
use crate::unify::made::{everything, everything_with};
use crate::unify::{ununified, Place};

/// One of each kind.
fn archives() -> (Vec<Archive>, tempfile::TempDir) {
    let (folder, anchor) = everything();
    let made = Archive { name: "made".into(), folder: folder.path().into(), anchor };
    let all = [one("eztrace"), one("local-defs"), made].into_iter().chain(ununified());
    (all.collect(), folder)
}

#[cfg(feature = "ranks")]
#[test]
fn any_number_of_ranks_writes_the_same() {
    let (archives, _folder) = archives();
    for archive in &archives {
        let expected = Place::new().unified(&archive.anchor, &["--mpi", "off"]);
        for (ranks, options) in
            [(1, &[][..]), (2, &[]), (3, &[]), (5, &[]), (3, &["--rewrite-events"])]
        {
            let what = format!("{}, {ranks} ranks {options:?}", archive.name);
            match options {
                [] => by_ranks(archive, ranks, options, &expected, &what),
                _ => {
                    let expected = Place::new().unified(&archive.anchor, options);
                    by_ranks(archive, ranks, options, &expected, &what);
                }
            }
        }
    }
}

#[cfg(feature = "ranks")]
fn by_ranks(archive: &Archive, ranks: usize, options: &[&str], expected: &Files, what: &str) {
    use crate::common::program::{on_ranks, said};
    use std::ffi::OsStr;

    let place = Place::new();
    let (from, to) = (&archive.anchor, place.anchor());
    let args = [OsStr::new("unify"), from.as_ref(), OsStr::new("-o"), to.as_ref()];
    let options = options.iter().map(OsStr::new);
    let Some(ended) = on_ranks(ranks, args.into_iter().chain(options)) else { return };
    assert_eq!(ended.status.code(), Some(0), "{what}: {}", said(&ended));
    Files::read(&to).assert_same(expected, what);
    let told = said(&ended).lines().filter(|line| line.contains("streamfold: wrote")).count();
    assert_eq!(told, 1, "{what}: one of them speaks");
    assert!(place.left().iter().all(|name| !name.starts_with('.')), "{what}: {:?}", place.left());
}

#[test]
fn any_number_of_threads_writes_the_same() {
    let (archives, _folder) = archives();
    for archive in &archives {
        for way in [&[][..], &["--rewrite-events"]] {
            let [one, four] = ["1", "4"].map(|threads| {
                let options = [way, &["--threads", threads]].concat();
                Place::new().unified(&archive.anchor, &options)
            });
            four.assert_same(&one, &format!("{} {way:?}", archive.name));
        }
    }
}

/// A file that says one thing twice is read a second time, as are those for which there is no room: the same
/// comes of it.
#[test]
fn what_is_read_once_and_what_is_read_again_become_the_same() {
    let once = everything();
    let again = everything_with(|all| {
        let is_string = |it: &&Definition| matches!(it, Definition::StringDef(_));
        let string = all.iter().find(is_string).expect("there are names").clone();
        all.push(string);
    });
    for way in [&[][..], &["--rewrite-events"], &["--threads", "3"]] {
        let [once, again] =
            [&once, &again].map(|(_folder, anchor)| Place::new().unified(anchor, way));
        again.assert_same(&once, &format!("{way:?}"));
    }
}

/// Event files are the same files, not only the same bytes; definitions are not.
#[test]
fn linked_files_are_the_files_of_the_input() {
    for archive in [one("eztrace"), one("pingpong")].into_iter().chain(ununified()) {
        // On the same file system as what is written.
        let (place, anchor) = Place::with(&archive);
        let to = place.file("linked.otf2");
        let before = Files::read(&anchor);
        crate::unify::expect(&crate::unify::unify(&anchor, &to, &["--link"]), 0);
        let copied = Place::new().unified(&anchor, &[]);
        Files::read(&to).assert_same(&copied, "linked and copied");
        let (old, new) = (anchor.with_extension(""), to.with_extension(""));
        let node = |path: std::path::PathBuf| fs::metadata(path).expect("a file").ino();
        for name in names(&new) {
            let same_file = node(old.join(&name)) == node(new.join(&name));
            let is_events = name.ends_with(".evt");
            let same_bytes = before.get(&format!("/{name}")) == copied.get(&format!("/{name}"));
            assert_eq!(same_file, is_events || same_bytes, "{}: {name}", archive.name);
        }
        assert_ne!(node(anchor.clone()), node(to));
        Files::read(&anchor).assert_same(&before, "the input");
    }
}

/// Nothing is linked that is written anew, which would change the input.
#[test]
fn rewritten_events_are_no_links() {
    let (place, anchor) = Place::with(&one("eztrace"));
    let to = place.file("linked.otf2");
    let before = Files::read(&anchor);
    crate::unify::expect(&crate::unify::unify(&anchor, &to, &["--link", "--rewrite-events"]), 0);
    Files::read(&anchor).assert_same(&before, "the input");
    let copied = Place::new().unified(&anchor, &["--rewrite-events"]);
    Files::read(&to).assert_same(&copied, "linked and copied");
}

/// On another file system, where there can be no links, files are copied; both is told.
#[test]
fn how_many_files_are_links_is_told() {
    let (place, anchor) = Place::with(&one("pingpong"));
    let ended = crate::unify::unify(&anchor, &place.file("linked.otf2"), &["--link"]);
    crate::unify::expect_message(&ended, 0, " files have a second name\n");
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else { return };
    let device = |path: &std::path::Path| fs::metadata(path).expect("a folder").dev();
    if device(folder.path()) != device(place.folder.path()) {
        let ended = crate::unify::unify(&anchor, &folder.path().join("copied.otf2"), &["--link"]);
        crate::unify::expect_message(&ended, 0, "0 files have a second name, ");
        crate::unify::expect_message(&ended, 0, " were copied: Invalid cross-device link");
    }
}
