//! Traces of DFTracer, and Chrome trace events at large: objects of JSON, plain or compressed. Section numbers are
//! those of this project's notes on the format.
//!
//! A trace is a file, or all such files of a folder. In the model, a process of a file is a process, and its threads
//! are locations; an accelerator is a group of locations of its own, its streams. A call is a region that is entered and left, by category and name. A call that moves bytes of a file
//! is an operation on it. Calls of one thread that overlap without nesting go to several locations. Hashes are resolved
//! over all files.
//!
//! [`scan`] reads all files once. The calls stay sorted, in memory or in temporary files, for the rank that read them;
//! other ranks read the files of their locations again.

mod file;
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

pub(super) use scan::has_name;
pub use scan::{is_trace, scan, scan_in_blocks};
pub use trace::Dftracer;
