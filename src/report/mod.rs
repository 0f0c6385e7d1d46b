//! Results as people and programs read them: one file for each kind of output.

pub mod provenance;
