// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Decoders of the event records, section 14 of the format.

mod deliver;
mod io;
mod messages;
mod numbers;
mod program;
mod rma;
mod threads;

pub(crate) use deliver::{decode, deliver};
pub use numbers::{bare_width, EVENT_IDS};
