//! The input is a trace of DFTracer, or Chrome trace events, compressed or not.

use std::fs;

use streamfold::formats::dftracer::{scan, scan_in_blocks};

use super::read_as_counted;
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
    let parts = scan_in_blocks(&path, 100).map(|parts| format!("{parts:?}"));
    assert_eq!(parts.ok(), Some(format!("{:?}", (&trace, &definitions))), "in blocks");
    read_as_counted(&trace, &definitions, true);
}
