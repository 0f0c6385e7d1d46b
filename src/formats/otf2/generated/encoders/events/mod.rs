// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Encoders of the event records, section 14 of the format.

mod encode;
mod io;
mod messages;
mod program;
mod rma;
mod threads;

pub(crate) use encode::{copy, put};
