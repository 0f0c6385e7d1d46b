//! A trace whose files were read once.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};
use streamfold_model::enums::Type;
use streamfold_model::ids::LocationRef;

use super::file::{scan_file, Counts};
use super::slices::{Peer, Slices};
use crate::defining::Kept;
use crate::text::{Extent, Parting, BLOCK};
use crate::{Loss, Note};

/// A trace whose files were read once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dftracer {
    pub(super) path: PathBuf,
    /// The bytes of each file, those included that cannot be read.
    pub(super) sizes: Vec<u64>,
    pub(super) parts: Vec<TracePart>,
    pub(super) counts: Counts,
    /// Runs of several programs, by their names.
    pub(super) runs: Vec<(String, Vec<LocationRef>)>,
    pub(super) losses: (u64, Vec<Loss>),
    pub(super) notes: (u64, Vec<Note>),
    /// The sorted calls of files, by number, as far as this rank has read them.
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
    /// Its number.
    pub file: usize,
    /// Its locations follow each other.
    pub first_location: u64,
    /// The calls of each of them.
    pub lanes: Vec<u64>,
    /// The calls of all of them.
    pub calls: u64,
    /// The length of the file.
    pub extent: Extent,
    /// Bytes of text.
    pub bytes: u64,
    /// The regions of the trace, by the number of a region here.
    pub regions: Vec<u32>,
    /// The handles of its files, and the files.
    pub handles: Vec<u32>,
    pub files: Vec<u32>,
    /// The metrics of its series, with the types of their values.
    pub series: Vec<(u32, Type)>,
    /// For each location of an accelerator, the location of the process that uses it.
    pub hosts: Vec<Option<u32>>,
    /// For each location, set if its messages have ends.
    pub has_messages: Vec<bool>,
    /// Guessed senders of receives from any source, by line.
    pub guesses: BTreeMap<u64, Peer>,
}

impl Dftracer {
    pub(super) fn new(
        path: &Path,
        sizes: Vec<u64>,
        parts: Vec<TracePart>,
        counts: Counts,
        losses: Kept<Loss>,
        notes: Kept<Note>,
    ) -> Self {
        Dftracer {
            path: path.to_owned(),
            sizes,
            parts,
            counts,
            runs: Vec::new(),
            losses: (losses.count, losses.first),
            notes: (notes.count, notes.first),
            slices: Arc::default(),
            shared: OnceLock::new(),
        }
    }

    /// The trace of several runs.
    pub(super) fn with_runs(self, runs: Vec<(String, Vec<LocationRef>)>) -> Self {
        Dftracer { runs, ..self }
    }

    /// The trace on a rank that has read some files.
    pub(super) fn with_calls(self, slices: HashMap<usize, Arc<Slices>>) -> Self {
        Dftracer { slices: Arc::new(Mutex::new(slices)), ..self }
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

    /// The sorted calls of a part, whose file is read where this rank has not done so.
    pub(super) fn slices(&self, part: usize) -> Result<Arc<Slices>, Loss> {
        let known = || self.slices.lock().unwrap_or_else(PoisonError::into_inner);
        let TracePart { path, extent, file, lanes, .. } = &self.parts[part];
        if let Some(slices) = known().get(file) {
            return Ok(slices.clone());
        }
        let parting = Parting { size: BLOCK, is_alone: self.parts.len() == 1 };
        let slices = Arc::new(scan_file(path, Some(*extent), parting)?.1);
        let has_changed = slices.lanes as usize != lanes.len();
        if has_changed {
            let what = "the file has changed since it was read first";
            return Err(Loss::of_system(path, &what));
        }
        known().insert(*file, slices.clone());
        Ok(slices)
    }
}
