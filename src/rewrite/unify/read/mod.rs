//! Reads what is to be unified: global definitions, and those of locations.

pub(super) mod all_read;
pub(super) mod beside;
pub(super) mod global_file;
pub(super) mod global_read;
pub(super) mod inputs;
pub(super) mod kept;
pub(super) mod levels;
pub(super) mod local;
pub(super) mod order;
pub(super) mod recent;
pub(super) mod records;
pub(super) mod shells;
pub(super) mod source;
pub(super) mod tally;
