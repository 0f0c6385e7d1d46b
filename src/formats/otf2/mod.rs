//! OTF2, trace format 2, as the reference library 1.x to 3.x writes it.
//!
//! [`Archive`] is one trace: its anchor, its files, and the readers of each. Underneath,
//! files are cut into chunks through a bounded window, [`wire`] decodes the primitive
//! encodings, and `generated` (from `records.toml`) the records of each kind of file.
//! Sections named in comments are those of the description of the format on disk.
//!
//! Nothing here trusts its input: lengths and counts are compared with the bytes that are there
//! before anything is allocated, and whatever is wrong becomes an [`Error`] that names file and
//! offset.
//!
//! ```
//! use streamfold::formats::otf2::{Archive, ReadOptions};
//! use streamfold::model::events::{Event, EventVisitor};
//! use streamfold::model::ids::LocationRef;
//! use streamfold::model::stream::EventHead;
//!
//! /// Prints every event of a location.
//! struct Printer;
//!
//! impl EventVisitor for Printer {
//!     fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
//!         println!("{} {} {:?}", head.location, head.time, event);
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let anchor = "tests/data/pingpong/traces.otf2";
//! let archive = Archive::open(anchor.as_ref(), ReadOptions::default())?;
//! let mut events = archive.events(LocationRef(0))?;
//! events.read_all(&mut Printer)?;
//! assert!(events.count() > 0);
//! # Ok(())
//! # }
//! ```

mod anchor;
mod archive;
mod chunk;
mod clock;
mod copy;
mod definitions;
mod entry;
mod error;
pub mod estimate;
mod events;
mod files;
mod framing;
pub mod generated;
mod index;
mod layout;
mod mapping;
mod markers;
mod own;
mod payload;
mod plain;
pub mod recover;
mod snapshots;
mod source;
mod streams;
mod thumbnails;
mod timed;
mod window;
pub mod wire;
mod writer;

pub use crate::formats::Part;
pub use anchor::Anchor;
pub use archive::{location_of, AnnouncedThumbnail, Archive, FileKind, ReadOptions};
pub use chunk::{ChunkHead, Ending, Order};
pub use clock::{Clock, ClockError, Stamps};
pub use copy::{Changes, Copied, Copy, Instead, Linked, Retime};
pub use definitions::{
    DefinitionReader, DefinitionVisitor, LocalDefinitions, RawDefinition, Scope,
};
pub use error::{Error, ErrorKind};
pub use events::access::{BeforeEvent, BeforeTime, Limit, NoLimit};
pub use events::{EventReader, PieceReader, RawEvent, ResumePoint};
pub use files::{file_order, ArchiveFiles};
pub use framing::{ChunkScan, FramingFault};
pub use index::{ChunkIndex, ChunkStart};
pub use mapping::{Mappings, MissingDefinitions};
pub use markers::MarkerReader;
pub(crate) use own::OwnDefinitions;
pub use snapshots::SnapshotReader;
pub use thumbnails::ThumbnailReader;
pub use writer::{
    definition_into, ArchiveWriter, DefinitionWriter, EventWriter, MarkerWriter, SnapshotWriter,
    ThumbnailWriter, WriteError, WriteErrorKind, WriteOptions,
};
