//! Call paths that go on across threads: forks, teams, tasks.

pub mod forks;
pub mod passed;
pub mod tasks;
pub mod thread_tree;
pub mod trees;
