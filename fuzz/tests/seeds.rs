//! Every target with its seeds, and with mutations of them: the same ones in every run. Searches that
//! are guided by coverage are for `ci/fuzz`.
//!
//! An input that breaks a promise is kept in the folder that the failure names.

use std::fs;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex};

use streamfold_fuzz::targets;
use tempfile::TempDir;

/// Mutations for each target, spread over its seeds.
const MUTATIONS: usize = 200;
/// The same with `STREAMFOLD_TESTS=full`.
const ALL_MUTATIONS: usize = 2000;
/// Longer inputs are slow and find little.
const LONGEST: usize = 48 << 10;

/// The inputs from which mutations begin, a folder for each target.
static SEEDS: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder for seeds");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    let made = Command::new(script)
        .arg(folder.path())
        .env("STREAMFOLD_TRACES", "/nowhere")
        .status()
        .expect("fuzz/seeds needs Python 3");
    assert!(made.success(), "fuzz/seeds failed");
    folder
});

/// Targets count all memory of the process: one runs at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Numbers that follow from their seed (xorshift64*).
struct Dice(u64);

impl Dice {
    fn of(target: &str, round: usize) -> Dice {
        let start = 0xcbf2_9ce4_8422_2325 ^ round as u64;
        let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        Dice(target.as_bytes().iter().fold(start, mix) | 1)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % end.max(1)
    }
}

/// One to eight changes: bytes replaced, taken out, doubled, or cut off.
fn mutate(bytes: &mut Vec<u8>, dice: &mut Dice) {
    for _ in 0..=dice.below(8) {
        let place = dice.below(bytes.len());
        let length = 1 + dice.below(16);
        let range = place..(place + length).min(bytes.len());
        match dice.below(8) {
            0..=2 => {
                if let Some(byte) = bytes.get_mut(place) {
                    *byte = dice.below(256) as u8;
                }
            }
            3 => range.for_each(|place| bytes[place] = 0xff),
            4 => range.for_each(|place| bytes[place] = 0),
            5 => drop(bytes.drain(range)),
            6 => {
                let doubled = bytes[range.clone()].to_vec();
                bytes.splice(range.start..range.start, doubled);
            }
            _ => bytes.truncate(place),
        }
    }
}

fn seeds(target: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(SEEDS.path().join(target)).expect("a folder for each target");
    let mut files: Vec<_> = files.map(|file| file.expect("a seed").path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{target} has no seeds");
    files
}

/// Tries an input; a panic names the target and the input, and keeps it.
fn attempt(target: &str, run: fn(&[u8]), bytes: &[u8], name: &str) {
    if catch_unwind(AssertUnwindSafe(|| run(bytes))).is_err() {
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{target}"));
        fs::write(&kept, bytes).expect("a file for the input");
        panic!("{target}: {name} breaks a promise; kept as {}", kept.display());
    }
}

fn try_all(target: &str, run: fn(&[u8])) {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let seeds: Vec<(String, Vec<u8>)> = seeds(target)
        .into_iter()
        .map(|path| (path.display().to_string(), fs::read(&path).expect("a seed")))
        .filter(|(_, bytes)| bytes.len() <= LONGEST)
        .collect();
    for (name, bytes) in &seeds {
        attempt(target, run, bytes, name);
    }
    let full = std::env::var_os("STREAMFOLD_TESTS").is_some_and(|tests| tests == "full");
    for round in 0..if full { ALL_MUTATIONS } else { MUTATIONS } {
        let (name, bytes) = &seeds[round % seeds.len()];
        let mut bytes = bytes.clone();
        mutate(&mut bytes, &mut Dice::of(target, round));
        attempt(target, run, &bytes, &format!("mutation {round} of {name}"));
    }
}

#[test]
fn anchor() {
    try_all("anchor", targets::anchor::run);
}

#[test]
fn definitions() {
    try_all("definitions", targets::definitions::run);
}

#[test]
fn events() {
    try_all("events", targets::events::run);
}

#[test]
fn archive() {
    try_all("archive", targets::archive::run);
}

#[test]
fn matching() {
    try_all("matching", targets::matching::run);
}

#[test]
fn strace() {
    try_all("strace", targets::strace::run);
}

#[test]
fn dftracer() {
    try_all("dftracer", targets::dftracer::run);
}

#[test]
fn gistlog() {
    try_all("gistlog", targets::gistlog::run);
}

#[test]
fn rewrite() {
    try_all("rewrite", targets::rewrite::run);
}

#[test]
fn otf() {
    try_all("otf", targets::otf::run);
}
