// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Decoders of the definition records, section 13 of the format.

mod code;
mod conversions;
mod decode;
mod io;
mod messages;
mod metrics;
mod system;
mod trace;

pub(crate) use decode::{global_decode, local_decode};
