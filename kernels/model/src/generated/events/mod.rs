// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! The events of a location, and the visitor that receives them.

mod event;
mod io;
mod kind;
mod messages;
mod program;
mod rma;
mod threads;
mod visitor;

pub use event::*;
pub use io::*;
pub use kind::*;
pub use messages::*;
pub use program::*;
pub use rma::*;
pub use threads::*;
pub use visitor::*;
