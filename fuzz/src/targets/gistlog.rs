//! The input is a GISTLOG, compressed or not.

use std::fs;

use streamfold::formats::gistlog::{scan, Readings};

use super::read_as_counted;
use crate::memory::Bound;

/// A record of some bytes is a state with counters.
const BOUND: Bound = Bound { each: 4096, always: 32 << 20 };

/// Tries one input.
///
/// # Panics
///
/// When a promise is broken.
pub fn run(bytes: &[u8]) {
    let folder = tempfile::TempDir::new().expect("a folder");
    let path = folder.path().join("a.gist");
    fs::write(&path, bytes).expect("written");
    match BOUND.hold(bytes.len(), || scan(&path, Readings::default())) {
        Ok((log, definitions)) => read_as_counted(&log, &definitions, false),
        Err(error) => assert!(error.to_string().contains("a.gist"), "{error}"),
    }
}
