//! The input is a trace of DFTracer, or Chrome trace events, compressed or not.

use std::collections::HashMap;
use std::fs;

use streamfold::formats::dftracer::scan;
use streamfold::formats::{Batch, Source};

use crate::memory::Bound;

/// Compressed text may become a thousand times longer, and a line of it stays in memory.
const BOUND: Bound = Bound { each: 4096, always: 32 << 20 };

/// Tries one input.
///
/// # Panics
///
/// When a promise is broken.
pub fn run(bytes: &[u8]) {
    let folder = tempfile::TempDir::new().expect("a folder");
    let path = folder.path().join("a-app.pfw");
    fs::write(&path, bytes).expect("written");
    let (trace, definitions) = match BOUND.hold(bytes.len(), || scan(&path)) {
        Ok(scanned) => scanned,
        Err(error) => {
            assert!(error.to_string().contains("a-app.pfw"), "{error}");
            return;
        }
    };
    let locations: Vec<_> = definitions.locations.keys().copied().collect();
    let mut found = HashMap::new();
    let mut batch = Batch::default();
    let mut batches = trace.together(&locations).expect("the file is there");
    while batches.next(&mut batch).expect("what was read once is read again") {
        for run in batch.runs() {
            let (events, before) = found.entry(run.location()).or_insert((0, None));
            for event in 0..run.len() {
                let time = Some(run.time(event));
                assert!(*before <= time, "events are in the order of time");
                *before = time;
                *events += 1;
            }
        }
        batch.clear();
    }
    for location in definitions.locations.values() {
        let events = found.get(&location.id).map_or(0, |(events, _)| *events);
        assert_eq!(events, location.number_of_events, "events are as many as were counted");
    }
}
