//! Traces as a source of events.

use std::path::{Path, PathBuf};

use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;

use super::files::has_name;
use super::reader::Reader;
use super::trace::Dftracer;
use crate::{
    Batches, Brings, Clocks, Format, Identity, InBatches, Loss, Note, Prepared, ReadOptions,
    Rename, Source,
};

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
        let is_own = self.parts.iter().any(|part| has_name(&part.path));
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

    fn whole_files(&self) -> &[u64] {
        &self.sizes
    }

    fn whole_file(&self, location: LocationRef) -> Option<usize> {
        self.part_of(location).map(|part| self.parts[part].file)
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
