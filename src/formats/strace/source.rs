//! Logs as a source of events.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use bstr::BString;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::{IoHandleRef, LocationRef, RegionRef};
use streamfold_model::store::Definitions;

use super::reader::{part_of, LogPart, Reader, Shared};
use super::report::Lines;
use crate::{
    Batches, Brings, Clocks, Format, Identity, InBatches, Loss, Note, Prepared, ReadOptions,
    Rename, Source,
};

/// Logs that were read once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StraceLog {
    pub(super) path: PathBuf,
    pub(super) parts: Vec<LogPart>,
    /// The names of calls, in the order of the regions.
    pub(super) calls: Vec<BString>,
    /// The paths of files, in the order of files and handles.
    pub(super) paths: Vec<BString>,
    pub(super) cases: u64,
    /// Runs of several commands, by their identifiers.
    pub(super) runs: Vec<(String, Vec<LocationRef>)>,
    pub(super) lines: Lines,
    pub(super) losses: (u64, Vec<Loss>),
    pub(super) notes: (u64, Vec<Note>),
    #[serde(skip)]
    pub(super) known: OnceLock<Arc<Shared>>,
}

impl StraceLog {
    fn part(&self, location: LocationRef) -> Option<&LogPart> {
        part_of(&self.parts, location).map(|number| &self.parts[number])
    }

    /// Returns what all readers share.
    fn known(&self) -> &Arc<Shared> {
        self.known.get_or_init(|| {
            let calls = (0..).zip(&self.calls).map(|(id, name)| (name.to_vec(), RegionRef(id)));
            let paths = (0..).zip(&self.paths).map(|(id, path)| (path.to_vec(), IoHandleRef(id)));
            let (calls, paths) = (calls.collect(), paths.collect());
            Arc::new(Shared { parts: self.parts.clone(), calls, paths })
        })
    }
}

impl Source for StraceLog {
    fn format(&self) -> Format {
        Format::Strace
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn files(&self) -> Vec<PathBuf> {
        self.parts.iter().map(|part| part.path.clone()).collect()
    }

    fn identity(&self) -> Identity {
        Identity { identifier: String::new(), creator: "strace".to_owned() }
    }

    fn definitions_file(&self) -> PathBuf {
        self.path.clone()
    }

    fn events_file(&self, location: LocationRef) -> PathBuf {
        self.part(location).map_or_else(|| self.path.clone(), |part| part.path.clone())
    }

    fn cost(&self, location: LocationRef) -> u64 {
        let Some(part) = self.part(location) else { return 0 };
        let events = part.events_of(location).unwrap_or(0);
        (u128::from(part.bytes) * u128::from(events) / u128::from(part.events.max(1))) as u64
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
        Ok(Box::new(Reader::new(self.known().clone(), locations)))
    }

    fn with_options(&self, _: ReadOptions) -> Box<dyn Source> {
        Box::new(self.clone())
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = vec![
            ("cases", self.cases.to_string()),
            ("files", self.parts.len().to_string()),
            ("kinds of calls", self.calls.len().to_string()),
        ];
        let lines = self.lines.each().filter(|(_, count)| *count > 0);
        facts.extend(lines.map(|(name, count)| (name, count.to_string())));
        facts
    }

    fn regions_are_system_calls(&self) -> bool {
        true
    }

    fn runs(&self) -> &[(String, Vec<LocationRef>)] {
        &self.runs
    }

    fn losses(&self) -> (u64, &[Loss]) {
        (self.losses.0, &self.losses.1)
    }

    fn notes(&self) -> (u64, &[Note]) {
        (self.notes.0, &self.notes.1)
    }
}
