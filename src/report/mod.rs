//! Results as people and programs read them: one file for each kind of output.
//!
//! Times stay integer ticks up to here; [`human`](streamfold_text::human) makes them readable at the very end.

mod account;
#[cfg(feature = "arrow")]
pub mod arrow;
pub mod aside;
mod colours;
pub mod critical;
pub mod cubex;
pub mod definitions;
pub mod dfg;
pub mod diff;
mod draw;
pub mod efficiency;
mod fit;
pub mod flame;
pub mod goal;
#[cfg(feature = "hdf5")]
pub mod hdf5;
mod heading;
mod heat_map;
pub mod info;
pub mod io;
pub mod iterations;
pub mod json;
pub mod kernels;
pub mod longest;
pub mod matching;
pub mod otfprofile;
pub mod overview;
pub mod page;
pub mod parquet;
pub mod print;
pub mod processes;
pub mod profile;
pub mod provenance;
mod raster;
pub mod redact;
pub mod requests;
mod say;
mod sheet;
pub mod tables;
pub mod time_line;
pub mod time_map;
pub mod timeline;
pub mod validation;
pub mod verdict;
pub mod waitstates;
mod work;
