//! Reads what is to be unified: global definitions, and those of locations.

pub mod all_read;
pub mod beside;
pub mod global_file;
pub mod global_read;
pub mod inputs;
pub mod kept;
pub mod levels;
pub mod local;
pub mod order;
pub mod recent;
pub mod records;
pub mod shells;
pub mod source;
pub mod tally;
