//! Streams of locations that fork teams, read beside those of the teams' members.

use streamfold_kernels::profile::{MasterStream, Masters, Rename, ThreadScan};
use streamfold_model::ids::LocationRef;

use crate::drive::Trace;
use crate::formats::otf2::{Archive, EventReader, ReadOptions};

/// Bytes that such a stream holds at a time: one location may need several of them.
const WINDOW: usize = 128 << 10;

/// The locations of a trace. No file of theirs stays open between reads.
pub struct TraceMasters<'a> {
    trace: &'a Trace,
    archive: Archive,
}

impl<'a> TraceMasters<'a> {
    /// Of this trace.
    pub fn new(trace: &'a Trace) -> Self {
        let options = ReadOptions { window: WINDOW, keep_open: false };
        TraceMasters { trace, archive: trace.archive.with_options(options) }
    }
}

impl Masters for TraceMasters<'_> {
    /// What cannot be read is told where the location itself is read.
    fn open<'m>(
        &'m self,
        location: LocationRef,
        rename: Rename<'_>,
    ) -> Option<Box<dyn MasterStream + 'm>> {
        let (reader, _) = self.trace.open_location(&self.archive, location, rename).ok()?;
        Some(Box::new(Stream(reader)))
    }
}

struct Stream(EventReader);

impl MasterStream for Stream {
    fn read_part(&mut self, scan: &mut ThreadScan<'_>) -> bool {
        self.0.read_part(scan).unwrap_or(false)
    }
}
