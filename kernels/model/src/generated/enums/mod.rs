// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Enumerations and sets of flags, with the names that the format gives them.

mod code;
mod io;
mod messages;
mod metrics;
mod system;
mod trace;

pub use code::*;
pub use io::*;
pub use messages::*;
pub use metrics::*;
pub use system::*;
pub use trace::*;
