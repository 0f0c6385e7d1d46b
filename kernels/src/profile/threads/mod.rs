//! Call paths that go on across threads: forks, teams, tasks.

pub(super) mod forks;
pub(super) mod passed;
pub(super) mod tasks;
pub(super) mod thread_tree;
pub(super) mod trees;
