//! Very many teams that are open at a time: no program has them, and each would be looked at with each enter.

use crate::waitstates::events::team_begin;
use crate::waitstates::found::{report, rows};
use crate::waitstates::trace::Trace;
use crate::waitstates::written::Written;

#[test]
fn those_beyond_what_is_remembered_are_told() {
    const OPEN: u64 = 1500;
    let mut t = Trace::new(&[1]);
    let team = t.team(&[0]);
    let on = (0..OPEN).fold(t.on(0).enter(0, "main"), |on, time| on.at(1 + time, team_begin(team)));
    on.leave(2000);
    let (found, code) = report(&Written::new(&t).anchor);
    let left_out = rows(&found, "left_out");
    let untracked = left_out.iter().find(|row| row["what"] == "untracked_requests");
    let untracked = untracked.unwrap_or_else(|| panic!("{left_out:?}"));
    assert_eq!((code, &untracked["count"]), (3, &(OPEN - 1024).into()));
}
