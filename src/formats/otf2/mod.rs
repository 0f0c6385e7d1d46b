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
//! use streamfold_model::definitions::{Definition, StringDef};
//! use streamfold_model::events::{Enter, Event, EventVisitor, Leave};
//! use streamfold_model::ids::{LocationRef, RegionRef, StringRef};
//! use streamfold_model::stream::EventHead;
//! use streamfold_model::values::Ticks;
//! use streamfold_otf2::{Anchor, Archive, ArchiveWriter, ReadOptions, WriteOptions};
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
//! # let folder = tempfile::tempdir()?;
//! # let anchor = folder.path().join("traces.otf2");
//! // Each location's events are a file of their own; global definitions and the anchor come last.
//! let archive = ArchiveWriter::create(&anchor, WriteOptions::default())?;
//! let mut events = archive.events(LocationRef(0));
//! events.write(Ticks(10), &[], &Event::Enter(Enter { region: RegionRef(0) }))?;
//! events.write(Ticks(12), &[], &Event::Leave(Leave { region: RegionRef(0) }))?;
//! events.finish()?;
//! let mut definitions = archive.global_definitions();
//! definitions.write(&Definition::StringDef(StringDef { id: StringRef(0), string: "main".into() }))?;
//! let count = definitions.finish()?;
//! archive.finish(&Anchor::new(&archive.options(), 1, count, "example"))?;
//!
//! let archive = Archive::open(&anchor, ReadOptions::default())?;
//! assert_eq!(archive.read_global_definitions()?.strings.len(), 1);
//! let mut events = archive.events(LocationRef(0))?;
//! events.read_all(&mut Printer)?;
//! assert_eq!(events.count(), 2);
//! # Ok(())
//! # }
//! ```

mod anchor;
mod archive;
mod chunk;
mod clock;
mod copy;
mod definitions;
mod error;
pub mod estimate;
mod events;
mod framing;
pub mod generated;
mod index;
pub mod input;
mod layout;
mod mapping;
mod markers;
mod payload;
mod plain;
pub mod recover;
mod snapshots;
mod streams;
mod thumbnails;
mod timed;
mod window;
pub mod wire;
mod writer;

pub use anchor::{Anchor, WriteOptions};
pub use archive::{location_of, AnnouncedThumbnail, Archive, FileKind, ReadOptions};
pub use chunk::{ChunkHead, Ending, Order};
pub use clock::{Clock, ClockError, Stamps};
pub use copy::{Changes, Copied, Copy, Instead, Linked, Retime};
pub use definitions::{DefinitionReader, DefinitionVisitor, LocalDefinitions, Scope};
pub use error::{Error, ErrorKind};
pub use events::limits::{BeforeEvent, BeforeTime, Limit, NoLimit};
pub use events::{EventReader, Part, PieceReader, RawEvent, ResumePoint};
pub use framing::{ChunkScan, FramingFault};
pub use index::{ChunkIndex, ChunkStart};
pub use mapping::{Mappings, MissingDefinitions};
pub use markers::MarkerReader;
pub use plain::RawDefinition;
pub use snapshots::SnapshotReader;
pub use thumbnails::ThumbnailReader;
pub use writer::{
    definition_into, ArchiveWriter, DefinitionWriter, EventWriter, MarkerWriter, SnapshotWriter,
    ThumbnailWriter, WriteError, WriteErrorKind,
};

/// The example of the crate's page, as a test.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct Readme;
