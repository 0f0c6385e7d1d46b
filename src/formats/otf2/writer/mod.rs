//! Writing archives as the reference library does, byte for byte.
//!
//! [`ArchiveWriter`] is one new archive, with a writer for each kind of file. Each writer holds one
//! chunk in memory and needs nothing of the others, so that threads and processes write at once.

mod archive;
mod chunks;
mod error;
mod events;
mod plain;
mod timed;

pub use archive::ArchiveWriter;
pub use error::{WriteError, WriteErrorKind};
pub use events::{EventWriter, SnapshotWriter};
pub use plain::{definition_into, DefinitionWriter, MarkerWriter, ThumbnailWriter};
pub(super) use plain::{put_definition, PlainWriter};
pub(super) use timed::{encode_list, Encoded, EncodedList, TimedWriter};
