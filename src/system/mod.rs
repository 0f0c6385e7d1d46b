//! The process and its surroundings: exit codes, memory, paths, unfinished files.

pub mod exit;
pub(crate) mod memory;
pub(crate) mod paths;
pub mod unfinished;
