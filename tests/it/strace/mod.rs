//! Logs of strace, compared with what others counted in them.

mod blocks;
mod dfg;
#[cfg(feature = "hdf5")]
mod event_log;
mod lines;
mod options;
mod source;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::archives::{facts, folders_with_facts};

/// The folders with logs.
pub fn folders() -> Vec<PathBuf> {
    folders_with_facts("strace", 4)
}

/// The logs of a folder, in the order of their names.
pub fn logs(folder: &Path) -> Vec<PathBuf> {
    let mut logs = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            logs.extend(self::logs(&path));
        } else if path.extension().is_none_or(|suffix| suffix != "json") {
            logs.push(path);
        }
    }
    logs.sort();
    logs
}

pub fn expected(folder: &Path) -> Value {
    facts(&folder.join("expected.json"))
}
