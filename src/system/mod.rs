//! The process and its surroundings: exit codes, memory and its allocator, paths, unfinished files.

pub mod allocator;
pub mod exit;
pub(crate) mod memory;
pub(crate) mod paths;
pub mod unfinished;
