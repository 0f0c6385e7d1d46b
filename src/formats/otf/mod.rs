//! OTF, version 1: text files, one set of them for each stream. Section numbers are those of this project's notes on
//! the format.
//!
//! The master file says which processes are in which stream. Files of a stream hold events, snapshots, statistics and
//! definitions, plain or compressed. The table of records is `records.toml`; [`Record`] and its spellings are generated
//! from it. [`RecordFile`] reads the records of any file, one after another; [`encode`] spells them,
//! and [`writer`] writes whole files.
//!
//! [`scan`] reads the master file and all definitions, on one rank. [`Otf`] brings events: a pass over a stream for those
//! of some of its processes.
//!
//! In the model:
//!
//! * A process is a location; one without parent is a process of the model, too.
//! * Tokens stay the numbers of what they stand for, but for those of streams with definitions of their own.
//! * Each group of processes is a communicator.
//! * A counter is a metric of one member.
//! * A file is a handle of itself.
//!
//! Comments, begins and ends of processes, and records that carry key-values only have no place in the model. Dumps show
//! them.

mod counts;
mod definitions;
pub mod encode;
mod events;
mod file;
mod files;
mod flushed;
mod generated;
mod keyvalues;
mod kind;
mod known;
mod lines;
mod losses;
mod master;
mod merged;
pub mod names;
mod parts;
mod pass;
mod reader;
mod record;
mod scan;
mod source;
mod state;
mod statistics;
mod tables;
pub mod writer;

pub use counts::{CounterTrack, StreamCounts};
pub use file::{Item, Line, RecordFile};
pub use files::file_order;
pub use keyvalues::{KeyValue, KeyValueType};
pub use master::{master_file, stream_file, streams_of, stub};
pub use merged::{Ended, Merged, MergedFile, Selection};
pub use record::{
    begin_of, Field, FieldType, Malformed, Presence, Record, RecordKind, Section, Value, Values,
};
pub use scan::{is_trace, scan};
pub use source::Otf;
pub use statistics::Statistics;
