//! Traces as a source of events.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};
use streamfold_model::enums::Type;
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;

use super::file::{scan_file, Counts};
use super::messages::Peer;
use super::reader::Reader;
use super::slices::Slices;
use crate::defining::Kept;
use crate::{
    Batches, Brings, Clocks, Format, Identity, InBatches, Loss, Note, Prepared, ReadOptions,
    Rename, Source,
};

/// A trace whose files were read once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dftracer {
    path: PathBuf,
    pub(super) parts: Vec<TracePart>,
    counts: Counts,
    losses: (u64, Vec<Loss>),
    notes: (u64, Vec<Note>),
    /// The sorted calls of files, as far as this rank has read them.
    #[serde(skip)]
    slices: Arc<Mutex<HashMap<usize, Arc<Slices>>>>,
    /// The same for all readers.
    #[serde(skip)]
    shared: OnceLock<Arc<Dftracer>>,
}

/// A file of the trace.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct TracePart {
    pub path: PathBuf,
    /// Its locations follow each other.
    pub first_location: u64,
    /// The calls of each of them.
    pub lanes: Vec<u64>,
    /// The calls of all of them.
    pub calls: u64,
    /// Bytes of text.
    pub bytes: u64,
    /// The regions of the trace, by the number of a region here.
    pub regions: Vec<u32>,
    /// The handles of its files, and the files.
    pub handles: Vec<u32>,
    pub files: Vec<u32>,
    /// The metrics of its series, with the types of their values.
    pub series: Vec<(u32, Type)>,
    /// For each location, set if its messages have ends.
    pub has_messages: Vec<bool>,
    /// Guessed senders of receives from any source, by line.
    pub guesses: BTreeMap<u64, Peer>,
}

impl Dftracer {
    pub(super) fn new(
        path: &Path,
        parts: Vec<TracePart>,
        counts: Counts,
        losses: Kept<Loss>,
        notes: Kept<Note>,
        slices: HashMap<usize, Arc<Slices>>,
    ) -> Self {
        Dftracer {
            path: path.to_owned(),
            parts,
            counts,
            losses: (losses.count, losses.first),
            notes: (notes.count, notes.first),
            slices: Arc::new(Mutex::new(slices)),
            shared: OnceLock::new(),
        }
    }

    /// The trace as all readers share it.
    pub(super) fn shared(&self) -> Arc<Dftracer> {
        self.shared.get_or_init(|| Arc::new(self.clone())).clone()
    }

    /// The number of the file with the events of a location.
    pub(super) fn part_of(&self, location: LocationRef) -> Option<usize> {
        // Files without calls have no location.
        let is_before =
            |part: &TracePart| part.first_location + part.lanes.len() as u64 <= location.0;
        let number = self.parts.partition_point(is_before);
        (number < self.parts.len()).then_some(number)
    }

    /// The sorted calls of a file, which is read where this rank has not done so.
    pub(super) fn slices(&self, part: usize) -> Result<Arc<Slices>, Loss> {
        let known = || self.slices.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slices) = known().get(&part) {
            return Ok(slices.clone());
        }
        let slices = Arc::new(scan_file(&self.parts[part].path)?.slices);
        let has_changed = slices.lanes.len() != self.parts[part].lanes.len();
        if has_changed {
            let what = "the file has changed since it was read first";
            return Err(Loss::of_system(&self.parts[part].path, &what));
        }
        known().insert(part, slices.clone());
        Ok(slices)
    }
}

impl Source for Dftracer {
    fn format(&self) -> Format {
        Format::Dftracer
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn files(&self) -> Vec<PathBuf> {
        self.parts.iter().map(|part| part.path.clone()).collect()
    }

    fn identity(&self) -> Identity {
        let is_own = self.parts.iter().any(|part| super::scan::has_name(&part.path));
        let creator = if is_own { "DFTracer" } else { "a writer of Chrome trace events" };
        Identity { identifier: String::new(), creator: creator.to_owned() }
    }

    fn definitions_file(&self) -> PathBuf {
        self.path.clone()
    }

    fn events_file(&self, location: LocationRef) -> PathBuf {
        let part = self.part_of(location).map(|part| self.parts[part].path.clone());
        part.unwrap_or_else(|| self.path.clone())
    }

    fn cost(&self, location: LocationRef) -> u64 {
        let Some(part) = self.part_of(location).map(|part| &self.parts[part]) else { return 0 };
        let calls = part.lanes[(location.0 - part.first_location) as usize];
        (u128::from(part.bytes) * u128::from(calls) / u128::from(part.calls.max(1))) as u64
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
        _: &'s Definitions,
        _: Clocks,
        _: Rename<'_>,
    ) -> Result<Box<dyn Prepared + 's>, Loss> {
        Ok(Box::new(InBatches { source: self, location }))
    }

    fn together(&self, locations: &[LocationRef]) -> Result<Box<dyn Batches>, Loss> {
        Ok(Box::new(Reader::new(self, locations)))
    }

    fn with_options(&self, _: ReadOptions) -> Box<dyn Source> {
        Box::new(self.clone())
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = vec![("files", self.parts.len().to_string())];
        let counts = self.counts.each().filter(|(_, count)| *count > 0);
        facts.extend(counts.map(|(name, count)| (name, count.to_string())));
        facts
    }

    fn losses(&self) -> (u64, &[Loss]) {
        (self.losses.0, &self.losses.1)
    }

    fn notes(&self) -> (u64, &[Note]) {
        (self.notes.0, &self.notes.1)
    }
}
