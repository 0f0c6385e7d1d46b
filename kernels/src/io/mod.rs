//! Accesses of a program to its files: numbers, bytes, times, positions, and computation meanwhile.
//!
//! A *call* is a visit of a region that accesses files: by its role, or by its name in traces whose recorder knows
//! nothing else. Operations on handles say what it does and with how many bytes; where a trace has none, names say it.
//! Calls inside of other ones (a system call in a function of MPI) count for their own library and file; totals of
//! processes and of times count the outer ones only, so that nothing counts twice.

mod busy;
mod facts;
mod kernel;
mod kind;
mod regions;
mod scan;
mod walk;

pub(crate) use busy::{key_of_process, Interval};
pub use busy::{unite, Busy, State};
pub use facts::{
    bin_of, percentile, wider, Access, Bin, CallFacts, Calls, Facts, FileFacts, Moved, Numbers,
    Pattern, ProcessFacts, Sizes, BOUNDS,
};
pub use kernel::{FileKey, IoFound, IoKernel, IoOptions, IoWorker, Subject};
pub use kind::{Kind, Level};
pub use regions::APPLICATION;
pub use scan::IoScan;
