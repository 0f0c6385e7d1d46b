//! A log as a source of events.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;

use super::head::{Counters, Processors, Readings};
use super::meaning::Meaning;
use super::reader::Reader;
use super::records::Shape;
use super::text::BLOCK;
use crate::text::{Extent, Parting};
use crate::{
    Batches, Brings, Clocks, Format, Identity, InBatches, Loss, Note, Prepared, ReadOptions,
    Rename, Source,
};

/// A log that was read once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Log {
    pub(super) path: PathBuf,
    /// The offset in the file and the line at which records begin.
    pub(super) begin: (u64, u64),
    /// The length of the file.
    pub(super) extent: Extent,
    pub(super) readings: Readings,
    pub(super) meaning: Meaning,
    /// Records that could be read.
    pub(super) records: u64,
    pub(super) processors: u64,
    /// The length of the first record in bytes.
    pub(super) width: Option<usize>,
    pub(super) losses: (u64, Vec<Loss>),
    pub(super) notes: (u64, Vec<Note>),
}

impl Log {
    /// Records that could be read.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// A reader of the records of some processors.
    pub(super) fn reader(
        &self,
        locations: &[LocationRef],
        parting: Parting,
    ) -> Result<Reader, Loss> {
        let shape = Shape {
            counters: self.meaning.counters,
            processors: self.readings.processors,
            width: self.width,
        };
        let meaning = self.meaning.clone();
        Reader::open(&self.path, self.extent, self.begin, meaning, shape, locations, parting)
    }

    /// The length of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.extent.0
    }
}

impl Source for Log {
    fn format(&self) -> Format {
        Format::Gistlog
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn identity(&self) -> Identity {
        Identity { identifier: String::new(), creator: "GISTLOG-01".to_owned() }
    }

    fn definitions_file(&self) -> PathBuf {
        self.path.clone()
    }

    fn events_file(&self, _: LocationRef) -> PathBuf {
        self.path.clone()
    }

    fn cost(&self, _: LocationRef) -> u64 {
        self.extent.0 / self.processors.max(1)
    }

    fn grain(&self) -> Option<u64> {
        None
    }

    fn brings(&self) -> Brings {
        Brings::All
    }

    fn prepare<'s>(
        &'s self,
        location: LocationRef,
        definitions: &'s Definitions,
        _: Clocks,
        rename: Rename<'_>,
    ) -> Result<Box<dyn Prepared + 's>, Loss> {
        let _ = (definitions, rename);
        Ok(Box::new(InBatches { source: self, location }))
    }

    fn together(&self, locations: &[LocationRef]) -> Result<Box<dyn Batches>, Loss> {
        // Threads that have no processor of their own read blocks ahead.
        let is_alone = self.processors < rayon::current_num_threads() as u64;
        Ok(Box::new(self.reader(locations, Parting { size: BLOCK, is_alone })?))
    }

    fn with_options(&self, _: ReadOptions) -> Box<dyn Source> {
        Box::new(self.clone())
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let counters = match self.readings.counters {
            Counters::Absolute => "values",
            Counters::Delta => "amounts since the previous record",
        };
        let base = match self.readings.processors {
            Processors::Hexadecimal => "16",
            Processors::Decimal => "10",
        };
        let mut facts = vec![
            ("version", "01".to_owned()),
            ("records", self.records.to_string()),
            ("processors", self.processors.to_string()),
            ("base of processors", base.to_owned()),
        ];
        if self.meaning.counters > 0 {
            facts.push(("counters", self.meaning.counters.to_string()));
            facts.push(("counters are", counters.to_owned()));
        }
        facts
    }

    fn losses(&self) -> (u64, &[Loss]) {
        (self.losses.0, &self.losses.1)
    }

    fn notes(&self) -> (u64, &[Note]) {
        (self.notes.0, &self.notes.1)
    }
}
