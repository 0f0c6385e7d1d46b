//! Modules that fuzz targets share. README.md describes the targets, and how to run them.
//!
//! * [`Input`]: the files of an archive from the bytes that the fuzzer makes up
//! * [`memory`]: memory that is allocated at a time
//! * [`streams`]: the events of a location, read in several ways
//! * [`whole`]: a profile and a print of an archive
//! * [`matching`]: matched messages and waits of an archive
//! * [`rewrite`]: archives from an archive
//! * [`targets`]: checks of each input
//!
//! Each of them panics where a promise is broken, which is what the fuzzer looks for.

mod input;
pub mod matching;
pub mod memory;
pub mod rewrite;
pub mod streams;
pub mod targets;
pub mod whole;

pub use input::Input;

use std::path::Path;

use streamfold::formats::otf2::{Error, ReadOptions};

/// The usual window, the smallest, and one in between: what is read must not depend on them.
pub const WINDOWS: [ReadOptions; 3] = [
    ReadOptions { window: 256 << 10, keep_open: true },
    ReadOptions { window: 64, keep_open: true },
    ReadOptions { window: 1000, keep_open: false },
];

/// Returns the text of an error, whose place has to be inside of a file of the input.
pub fn told(error: &Error, folder: &Path) -> String {
    let text = error.to_string();
    assert!(error.path.starts_with(folder), "an error of another file: {text}");
    let length = std::fs::metadata(&error.path).map_or(0, |file| file.len());
    let offset = error.offset.unwrap_or(0);
    assert!(offset <= length, "the file has {length} bytes: {text}");
    text
}
