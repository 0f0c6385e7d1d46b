//! Logs of strace: one line for each system call, section numbers as in this project's notes on the format.
//!
//! A *case* is what strace wrote of one process that was launched: the file `CID_HOST_RID.st`, or the files
//! `CID_HOST_RID.st.PID` of `-ff`. [`CaseName`] reads such names, [`read`] reads a file and hands out its calls. Each
//! line is of one [kind](Lines), and nothing is left out without being counted.
//!
//! In the model, a case is a process, and each process identifier in it is a location. A call is a region that is
//! entered and left. A transfer is an operation on the file that it is about. Each file is read once, by one rank, for
//! its definitions; [`StraceLog`] brings the events.

mod blocks;
mod call;
mod clock;
mod descriptors;
mod errno;
pub mod event_log;
mod file;
mod files;
mod kinds;
mod lines;
mod names;
mod path;
mod prefix;
mod reader;
mod report;
mod scan;
mod source;

pub use call::{Call, Target};
pub use clock::TimeForm;
pub use errno::errno;
pub use file::{read, read_in_blocks, Reading};
pub use files::{scan, scan_in_blocks, Files};
pub use kinds::Kinds;
pub use names::{CaseName, CasePattern};
pub use report::{FileReport, Lines};
pub(crate) use scan::has_name;
pub use scan::{is_log, logs_in};
pub use source::StraceLog;

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// By numbers: of processes, or of descriptors.
type Map<V> = HashMap<u64, V, RandomState>;
