//! Logs of strace, compared with what others counted in them.

mod dfg;
#[cfg(feature = "hdf5")]
mod event_log;
mod lines;
mod source;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::archives::traces_folder;

/// The folders with logs: those of this repository, and the larger ones where there are any.
pub fn folders() -> Vec<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/strace");
    let all = [own, traces_folder().join("strace")];
    let inside = all.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
    let inside = inside.map(|entry| entry.expect("an entry").path());
    let mut folders: Vec<PathBuf> =
        inside.filter(|path| path.join("expected.json").exists()).collect();
    folders.sort();
    assert!(folders.len() >= 4, "{folders:?}");
    folders
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
    let text = fs::read_to_string(folder.join("expected.json")).expect("what is expected");
    serde_json::from_str(&text).expect("JSON")
}
