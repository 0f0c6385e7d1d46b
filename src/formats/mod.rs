//! Formats of traces: bytes on one side, the records of the model on the other, nothing else.
//!
//! Each format is a folder, and a [`Source`] to those above. [`probe`] finds out on one rank which format a
//! trace has and what it defines; from the [`Manifest`] any other rank makes the same source without
//! opening a file.

mod batch;
mod defining;
pub mod dftracer;
mod files;
pub mod gistlog;
mod loss;
mod mpi;
pub mod otf;
pub mod otf2;
mod probe;
mod source;
pub mod strace;
mod stream;
mod text;

use batch::OwnRun;
pub use batch::{Batch, Batches, Run};
pub use files::TraceFiles;
pub use loss::{Loss, Note, Place};
pub use probe::{
    anchor_of, find_format, only_otf2, open_archive, probe, About, Format, GivenClock, Input,
    Manifest,
};
pub use source::{Brings, Clocks, Entry, Identity, Prepared, ReadOptions, Rename, Source};
pub(crate) use stream::count;
use stream::InBatches;
pub use stream::{BatchReader, Part, Stream};
