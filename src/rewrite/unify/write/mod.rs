//! Writes the files of the unified archive.

pub mod composed;
pub mod files;
pub mod globals;
pub mod links;
pub mod local_definitions;
pub mod markers;
pub mod new;
pub mod others;
pub mod tables;
