// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Encoders of the definition records, section 13 of the format.

mod code;
mod encode;
mod io;
mod messages;
mod metrics;
mod system;
mod trace;

pub(crate) use encode::put;
