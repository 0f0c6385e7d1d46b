//! The input is a log of strace, compressed or not.

use std::fs;

use streamfold::formats::strace::{read, scan, scan_in_blocks, Reading};

use crate::memory::Bound;

/// Compressed text may become a thousand times longer, and a line of it stays in memory.
const BOUND: Bound = Bound { each: 4096, always: 4 << 20 };

/// Tries one input.
///
/// # Panics
///
/// When a promise is broken.
pub fn run(bytes: &[u8]) {
    let folder = tempfile::TempDir::new().expect("a folder");
    let path = folder.path().join("a_host_1.st");
    fs::write(&path, bytes).expect("written");
    let mut calls = 0;
    let report = BOUND.hold(bytes.len(), || {
        read(&path, Reading::default(), &mut |call| {
            calls += 1;
            assert!(!call.name.is_empty());
            call.target.to_path();
        })
    });
    match report {
        Ok(report) => {
            assert!(report.lines.add_up(), "{:?}", report.lines);
            assert_eq!(report.lines.events, calls);
            let lines = bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
            let is_plain = report.bytes == bytes.len() as u64;
            assert!(!is_plain || report.lines.lines - lines <= 1);
        }
        Err(error) => assert!(error.to_string().contains("a_host_1.st"), "{error}"),
    }
    let scanned = scan(&path, &[]);
    let parts = scan_in_blocks(&path, &[], 100);
    assert_eq!(format!("{parts:?}"), format!("{scanned:?}"), "in blocks");
    if let Ok((_, definitions)) = scanned {
        let events: u64 =
            definitions.locations.values().map(|location| location.number_of_events).sum();
        assert!(events >= 2 * calls);
    }
}
