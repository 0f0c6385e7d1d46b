//! Archives of OTF2 as sources: their local definitions, snapshots to begin at, and which files are theirs.

mod entry;
mod files;
mod own;

use std::path::{Path, PathBuf};

use streamfold_model::ids::LocationRef;
use streamfold_model::renaming::Renaming;
use streamfold_model::store::Definitions;
use streamfold_model::values::Ticks;

use super::otf2::{Archive, FileKind, LocalDefinitions, ReadOptions};
use super::{
    Batches, Brings, Clocks, Entry, Format, Identity, Loss, Prepared, Rename, Source, Stream,
};

use entry::{entry, has_tasks};
pub use files::{file_order, ArchiveFiles};
pub use own::OwnDefinitions;

impl Source for Archive {
    fn format(&self) -> Format {
        Format::Otf2
    }

    fn path(&self) -> &Path {
        self.anchor_path()
    }

    fn identity(&self) -> Identity {
        let anchor = self.anchor();
        Identity {
            identifier: format!("{:016x}", anchor.trace_identifier),
            creator: anchor.creator.to_string(),
        }
    }

    fn definitions_file(&self) -> PathBuf {
        Archive::path(self, FileKind::GlobalDefinitions)
    }

    fn events_file(&self, location: LocationRef) -> PathBuf {
        Archive::path(self, FileKind::Events(location))
    }

    fn cost(&self, location: LocationRef) -> u64 {
        std::fs::metadata(self.events_file(location)).map_or(0, |file| file.len())
    }

    fn grain(&self) -> Option<u64> {
        Some(self.anchor().event_chunk_size)
    }

    fn brings(&self) -> Brings {
        Brings::One
    }

    fn prepare<'s>(
        &'s self,
        location: LocationRef,
        definitions: &'s Definitions,
        clocks: Clocks,
        rename: Rename<'_>,
    ) -> Result<Box<dyn Prepared + 's>, Loss> {
        let mut own = OwnDefinitions::read(self, location, definitions, clocks)?;
        let complaints = own.take_complaints();
        let says_all = {
            let own = own.definitions();
            own.calling_contexts.is_empty() && !has_tasks(own)
        };
        let renaming: Renaming = own.renaming(rename);
        let local = own.renamed(renaming);
        let archive = self;
        Ok(Box::new(Location {
            archive,
            location,
            definitions,
            clocks,
            complaints,
            says_all,
            local,
        }))
    }

    fn together(&self, _: &[LocationRef]) -> Result<Box<dyn Batches>, Loss> {
        unreachable!("each location of an archive has a file of its own")
    }

    fn with_options(&self, options: ReadOptions) -> Box<dyn Source> {
        Box::new(Archive::with_options(self, options))
    }

    fn archive(&self) -> Option<&Archive> {
        Some(self)
    }
}

/// A location whose mapping tables and clock offsets were read.
struct Location<'s> {
    archive: &'s Archive,
    location: LocationRef,
    definitions: &'s Definitions,
    clocks: Clocks,
    complaints: Vec<String>,
    /// Set if its own definitions have nothing that a stack depends on and that snapshots lack.
    says_all: bool,
    local: LocalDefinitions,
}

impl Prepared for Location<'_> {
    fn complaints(&mut self) -> Vec<String> {
        std::mem::take(&mut self.complaints)
    }

    fn entry(&self, begin: Ticks) -> Option<Entry> {
        let Location { archive, location, definitions, clocks, says_all, ref local, .. } = *self;
        says_all.then(|| entry((archive, definitions, clocks), location, local, begin)).flatten()
    }

    fn has_events_within(self: Box<Self>, begin: Ticks, end: Option<Ticks>) -> bool {
        let Location { archive, location, local, .. } = *self;
        archive.has_events_within(location, local, (begin, end)).unwrap_or(false)
    }

    fn last_event(self: Box<Self>) -> Option<Ticks> {
        self.archive.last_event(self.location, &self.local)
    }

    fn open(self: Box<Self>) -> Result<Stream, Loss> {
        let reader = self.archive.events_with(self.location, self.local)?;
        Ok(Stream::InPlace(Box::new(reader)))
    }
}
