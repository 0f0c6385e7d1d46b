//! A signal ends the work before the archive is whole: what was begun is removed, and what was there
//! stays.

use std::path::Path;

use crate::common::archives::one;
use crate::common::files::Files;
use crate::common::stalled::Stalled;
use crate::unify::Place;

fn start(to: &Path, options: &[&str]) -> Stalled {
    Stalled::start("unify", &one("eztrace").anchor, to, options)
}

#[test]
fn nothing_of_the_new_archive_is_left() {
    for (signal, options) in [(libc::SIGTERM, &[][..]), (libc::SIGINT, &["--rewrite-events"])] {
        let place = Place::new();
        let stalled = start(&place.anchor(), options);
        assert!(place.left()[0].starts_with(".streamfold-"), "{:?}", place.left());
        let said = stalled.end(signal);
        assert!(said.contains("outputs that were not finished are removed"), "{said}");
        assert!(place.left().is_empty(), "{:?}", place.left());
    }
}

#[test]
fn the_old_archive_stays() {
    let (place, there) = Place::with(&one("pingpong"));
    let (before, left) = (Files::read(&there), place.left());
    start(&there, &["--force"]).end(libc::SIGTERM);
    Files::read(&there).assert_same(&before, "the old archive");
    assert_eq!(place.left(), left);
}
