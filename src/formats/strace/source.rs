//! Logs as a source of events.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use bstr::BString;
use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::{IoHandleRef, LocationRef, RegionRef};
use streamfold_model::store::Definitions;

use super::file::Lines;
use super::reader::Reader;
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
    pub(super) lines: Lines,
    pub(super) losses: (u64, Vec<Loss>),
    pub(super) notes: (u64, Vec<Note>),
    #[serde(skip)]
    pub(super) known: OnceLock<Arc<Known>>,
}

/// Facts that all readers share.
#[derive(Debug)]
pub(super) struct Known {
    pub parts: Vec<LogPart>,
    pub calls: HashMap<Vec<u8>, RegionRef, RandomState>,
    pub paths: HashMap<Vec<u8>, IoHandleRef, RandomState>,
}

/// A file of the logs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct LogPart {
    pub path: PathBuf,
    /// The process of a file of `-ff`.
    pub pid: Option<u64>,
    /// The process of lines that name none.
    pub sole: u64,
    /// Bytes of text.
    pub bytes: u64,
    /// Process, how often its number was used before, location, events. Locations follow each other, those of all
    /// files, too.
    pub processes: Vec<(u64, u32, u64, u64)>,
    /// The location that comes next.
    pub next: u64,
    /// Events of all processes.
    pub events: u64,
}

impl LogPart {
    /// Events of a location.
    fn events_of(&self, location: LocationRef) -> Option<u64> {
        let first = self.next - self.processes.len() as u64;
        let place = usize::try_from(location.0.checked_sub(first)?).ok()?;
        self.processes.get(place).map(|(.., events)| *events)
    }
}

impl StraceLog {
    /// The number of the file with the events of a location.
    pub(super) fn part_of(&self, location: LocationRef) -> Option<usize> {
        let number = self.parts.partition_point(|part| part.next <= location.0);
        (number < self.parts.len()).then_some(number)
    }

    fn part(&self, location: LocationRef) -> Option<&LogPart> {
        self.part_of(location).map(|number| &self.parts[number])
    }

    /// Returns what all readers share.
    pub(super) fn known(&self) -> &Arc<Known> {
        self.known.get_or_init(|| {
            let calls = (0..).zip(&self.calls).map(|(id, name)| (name.to_vec(), RegionRef(id)));
            let paths = (0..).zip(&self.paths).map(|(id, path)| (path.to_vec(), IoHandleRef(id)));
            let (calls, paths) = (calls.collect(), paths.collect());
            Arc::new(Known { parts: self.parts.clone(), calls, paths })
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
        Ok(Box::new(Reader::new(self, locations)))
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

    fn losses(&self) -> (u64, &[Loss]) {
        (self.losses.0, &self.losses.1)
    }

    fn notes(&self) -> (u64, &[Note]) {
        (self.notes.0, &self.notes.1)
    }
}
