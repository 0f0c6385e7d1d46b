//! The process and its surroundings: exit codes, memory and its allocator, paths, terminals, unfinished files.

pub mod allocator;
pub mod exit;
pub mod memory;
pub mod paths;
pub mod terminal;
pub mod unfinished;
