//! The targets: each tries one input. Programs in `../targets` hand them to libFuzzer, and
//! `../tests/seeds.rs` to the ordinary tests.

pub mod anchor;
pub mod archive;
pub mod definitions;
pub mod dftracer;
pub mod events;
pub mod gistlog;
pub mod matching;
pub mod otf;
pub mod rewrite;
pub mod strace;

use std::collections::HashMap;

use streamfold::formats::{Batch, Source};
use streamfold_model::store::Definitions;

/// Reads a file once more: its events are as many as were counted. `in_order`: the format puts them in the order of time.
fn read_as_counted(trace: &dyn Source, definitions: &Definitions, in_order: bool) {
    let locations: Vec<_> = definitions.locations.keys().copied().collect();
    let mut found = HashMap::new();
    let mut batch = Batch::default();
    let mut batches = trace.together(&locations).expect("the file is there");
    while batches.next(&mut batch).expect("what was read once is read again") {
        for run in batch.runs() {
            let (events, before) = found.entry(run.location()).or_insert((0, None));
            for event in 0..run.len() {
                let time = Some(run.time(event));
                assert!(!in_order || *before <= time, "events are in the order of time");
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
