//! Any number of ranks writes the same, and says the same.

use std::ffi::OsStr;

use crate::common::files::Files;
use crate::common::program::{on_ranks, said};
use crate::unify::made::Made;
use crate::unify::{expect, Place};

/// Unifies an archive in one process, which ends with this code, and on several ranks. Returns what is told of its files.
#[track_caller]
pub fn expect_same(made: &Made, code: i32) -> Vec<String> {
    let path = made.folder.path().display().to_string();
    let told = |said: String| -> Vec<String> {
        said.lines().filter(|line| line.contains(&path)).map(str::to_owned).collect()
    };
    let place = Place::new();
    let ended = place.unify(&made.anchor, &["--mpi", "off"]);
    expect(&ended, code);
    let expected = (told(said(&ended)), Files::read(&place.anchor()));
    for ranks in [1, 2, 3] {
        let place = Place::new();
        let to = place.anchor();
        let args = [OsStr::new("unify"), made.anchor.as_ref(), OsStr::new("-o"), to.as_ref()];
        let Some(ended) = on_ranks(ranks, args) else { break };
        assert_eq!(ended.status.code(), Some(code), "{}", said(&ended));
        assert_eq!(told(said(&ended)), expected.0, "{ranks} ranks");
        Files::read(&to).assert_same(&expected.1, &format!("{ranks} ranks"));
    }
    expected.0
}
