//! Traces of DFTracer, and Chrome trace events at large: objects of JSON, plain or compressed. Section numbers are
//! those of this project's notes on the format.
//!
//! A trace is a file, or all such files of a folder. In the model, a process of a file is a process, and its threads
//! are locations; an accelerator is a group of locations of its own, its streams. A call is a region that is entered and left, by category and name. A call that moves bytes of a file
//! is an operation on it. Calls of one thread that overlap without nesting go to several locations. Hashes are resolved
//! over all files.
//!
//! Each file is read once, by one rank. Its calls stay there, sorted, in memory or in temporary files; what definitions
//! depend on goes to the rank that settles them.

mod file;
mod files;
mod groups;
mod json;
mod messages;
mod objects;
mod reader;
mod record;
mod scan;
mod series;
mod slices;
mod source;
mod trace;
mod world;

pub(super) use files::has_name;
pub use files::{is_trace, scan, scan_in_blocks, Files};
pub use trace::Dftracer;
