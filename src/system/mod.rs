//! The process and its surroundings: exit codes, files of a trace, memory and its allocator, paths, unfinished files.

pub mod allocator;
pub mod exit;
pub(crate) mod input;
pub(crate) mod memory;
pub(crate) mod paths;
pub mod unfinished;
