// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! The definitions that events refer to.

mod code;
mod definition;
mod io;
mod messages;
mod metrics;
mod system;
mod trace;

pub use code::*;
pub use definition::*;
pub use io::*;
pub use messages::*;
pub use metrics::*;
pub use system::*;
pub use trace::*;
