//! Finding archives, and what others say of them.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{gunzip, skipped};

/// The archives of the large set that tests ask for.
pub const LARGE: [&str; 16] = [
    "crashed-scorep8-comd",
    "eztrace-mpi-p2p-coll-intercomm",
    "eztrace-posixio-memory-threads",
    "scorep2-nonblocking-subcomms",
    "scorep3-stencil4d-32",
    "scorep7-pingpong-papi",
    "scorep8-comd-sampling",
    "scorep8-intercomm-cart-skew",
    "scorep8-ior-mpiio",
    "scorep8-lulesh-hybrid-rusage",
    "scorep8-opencl-streams",
    "scorep8-rma",
    "scorep8-user-regions-hybrid",
    "scorep9-gpu-metrics",
    "synthetic-local-defs-6",
    "synthetic-ununified-6",
];

/// An archive with what others say of it.
#[derive(Clone, Debug)]
pub struct Archive {
    pub name: String,
    pub folder: PathBuf,
    pub anchor: PathBuf,
}

impl Archive {
    /// In a folder that holds one anchor file; `None` where it holds none.
    pub fn find(folder: &Path) -> Option<Archive> {
        let files = fs::read_dir(folder).ok()?.map(|entry| entry.expect("a folder's entry").path());
        let anchor = files.into_iter().find(|path| path.extension() == Some(OsStr::new("otf2")))?;
        let name = folder.file_name()?.to_string_lossy().into_owned();
        Some(Archive { name, folder: folder.to_owned(), anchor })
    }

    /// What the reference library's bindings say.
    pub fn facts(&self) -> Value {
        facts(&self.folder.join("facts.json"))
    }

    /// What the reference's print program says.
    pub fn print(&self) -> String {
        gunzip(&self.folder.join("expected.txt.gz"))
    }
}

/// A file of facts.
pub fn facts(path: &Path) -> Value {
    let text = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).expect("facts are JSON")
}

/// The folder of the archives that belong to this repository.
pub fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

/// The archives of real runs, or made like them, that belong to this repository: those beside which
/// facts lie. (`every-kind` has references that point anywhere, and is for reading only.)
pub fn own() -> Vec<Archive> {
    let entries = fs::read_dir(data()).expect("tests/data");
    let folders = entries.map(|entry| entry.expect("a folder's entry").path());
    let mut archives: Vec<_> = folders
        .filter(|folder| folder.join("facts.json").is_file())
        .filter_map(|folder| Archive::find(&folder))
        .collect();
    archives.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(!archives.is_empty(), "tests/data holds archives");
    archives
}

/// An archive that belongs to this repository.
pub fn one(name: &str) -> Archive {
    Archive::find(&data().join(name)).expect("an archive of tests/data")
}

/// Where the large set of traces is, if it is there: where `STREAMFOLD_TRACES` says or, where that is
/// not set, in a folder `shared/traces` beside the checkout.
pub fn traces_folder() -> PathBuf {
    match std::env::var_os("STREAMFOLD_TRACES") {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces"),
    }
}

/// Folders of a format with what others found in their traces: those of this repository, and the larger ones where
/// there are any. At least so many.
pub fn folders_with_facts(format: &str, least: usize) -> Vec<PathBuf> {
    let all = [data().join(format), traces_folder().join(format)];
    let inside = all.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
    let inside = inside.map(|entry| entry.expect("an entry").path());
    let mut folders: Vec<PathBuf> =
        inside.filter(|path| path.join("expected.json").exists()).collect();
    folders.sort();
    assert!(folders.len() >= least, "{folders:?}");
    folders
}

/// The large set of traces. `None`, and said, where it is not there.
pub fn traces() -> Option<PathBuf> {
    let folder = traces_folder();
    if folder.is_dir() {
        return Some(folder);
    }
    skipped(&format!("no traces at {} (STREAMFOLD_TRACES)", folder.display()));
    None
}

/// Those of these folders of the large set that are there; says how many are not.
pub fn large_folders(names: &[&str]) -> Vec<PathBuf> {
    let folders = names.iter().map(|name| traces_folder().join("otf2").join(name));
    let (there, missing): (Vec<_>, Vec<_>) = folders.partition(|folder| folder.is_dir());
    if !missing.is_empty() {
        skipped(&format!(
            "{} archives of the large set (STREAMFOLD_TRACES names its folder; not found in {})",
            missing.len(),
            traces_folder().display()
        ));
    }
    there
}

/// The archives of the large set that are there and that the program can open.
pub fn large() -> Vec<Archive> {
    let folders = large_folders(&LARGE);
    folders.iter().filter_map(|folder| Archive::find(folder)).collect()
}
