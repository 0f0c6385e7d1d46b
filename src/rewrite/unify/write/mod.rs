//! Writes the files of the unified archive.

pub(super) mod composed;
pub(super) mod files;
pub(super) mod globals;
pub(super) mod links;
pub(super) mod local_definitions;
pub(super) mod markers;
pub(super) mod new;
pub(super) mod others;
pub(super) mod tables;
