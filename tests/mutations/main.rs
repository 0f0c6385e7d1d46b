//! Every archive of this repository, changed at random, through the program: it
//! ends in time, with a documented exit code, with a message that names a file where that is not 0,
//! and with memory that the sizes of the files justify.
//!
//! What is changed follows from [`SEED`], the archive and the round, so what fails once fails again,
//! and alone: `STREAMFOLD_MUTATION=ARCHIVE:ROUND cargo test --test mutations` keeps the archive, too.

#[path = "../it/common/mod.rs"]
mod common;

mod changes;
mod child;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::time::Duration;

use changes::{Dice, Files};
use child::Ended;
use common::archives::{data, Archive};
use tempfile::TempDir;

const SEED: u64 = 2026;
/// Changes of each archive with `STREAMFOLD_TESTS=full`, as ci/soak sets it.
const ROUNDS: usize = 1000;
/// Otherwise the first of this many parts of them is tried.
const PART: usize = 10;
/// What is run on every mutated archive, or on every so-manieth. They may write to the folder OUT.
const COMMANDS: [(usize, Answer, &[&str]); 13] = [
    // To start the program takes longest, then to print thousands of rows: once in a while is enough.
    (1, Answer::Told, &["profile", "--by", "callpath", "--top", "50"]),
    (10, Answer::Told, &TREES),
    (10, Answer::Code, &["validate"]),
    (10, Answer::Told, &["info"]),
    (10, Answer::Told, &["print", "-A", "-M", "-C"]),
    (20, Answer::Told, &["print", "--json", "-A"]),
    (10, Answer::Told, &["match", "-o", "-", "-o", "OUT/m.json", "-o", MATCHED]),
    (20, Answer::Told, &["waitstates", "-o", "-", "-o", "OUT/w.json"]),
    (10, Answer::Archive, &["copy", "--reencode", "-o", "OUT/new/t.otf2"]),
    (20, Answer::Archive, &["unify", "-o", "OUT/new/t.otf2"]),
    (50, Answer::Archive, &["merge", "tests/data/pingpong/traces.otf2", "-o", "OUT/new/t.otf2"]),
    (50, Answer::Archive, &["cut", "--depth", "4", "--without", "metrics", "-o", "OUT/new/t.otf2"]),
    (50, Answer::Archive, &["salvage", "-o", "OUT/new/t.otf2"]),
];

/// All of the call tree, with threads below what started them, in all formats.
const TREES: [&str; 11] = [
    "profile",
    "--by",
    "callpath",
    "--thread-tree",
    "--program-root",
    "-o",
    "-",
    "-o",
    "OUT/p.json",
    "-o",
    MORE,
];

/// What a quiet command lets us know.
#[derive(Clone, Copy, PartialEq)]
enum Answer {
    /// Its output, and what is wrong with the archive on standard error.
    Told,
    /// What is wrong is the output, and quiet leaves only the exit code.
    Code,
    /// What is wrong with the archive on standard error; its output is another archive.
    Archive,
}

const MORE: &str = if cfg!(feature = "hdf5") { "OUT/p.h5" } else { "OUT/p.csv" };
const MATCHED: &str = if cfg!(feature = "hdf5") { "OUT/m.h5" } else { "OUT/m.svg" };
/// How lines begin of what is wrong and changes nothing.
const WARNINGS: [&str; 2] = ["streamfold print: warning: ", "streamfold: warning: "];
const LIMIT: Duration = Duration::from_secs(20);
/// What any run may need: the program and its libraries, windows, and buffers of the reports. `merge` of
/// two small archives takes 66 MiB in a debug build, 48 of them before it reads anything.
const MEMORY: u64 = 80 << 20;
/// What it may need for each byte of the files: very deep call trees need most.
const MEMORY_EACH: u64 = 300;

/// An archive and which of its mutations.
#[derive(Clone, Copy)]
struct Task<'a> {
    archive: &'a Archive,
    files: &'a Files,
    round: usize,
}

impl Task<'_> {
    fn name(&self) -> String {
        format!("{}:{}", self.archive.name, self.round)
    }

    /// Writes the mutated archive to a folder that is empty; says what was changed.
    fn write(&self, folder: &Path) -> (PathBuf, u64, String) {
        let seed = self.archive.name.bytes().fold(SEED, |seed, b| seed * 31 + u64::from(b));
        let mut dice = Dice::new(seed, self.round);
        let mut files = self.files.clone();
        let changes = files.change(&mut dice);
        let bytes = files.write(folder);
        (folder.join(self.archive.anchor.file_name().expect("a name")), bytes, changes)
    }

    /// What is wrong, if anything, and with which codes the commands ended. What they say goes to a folder
    /// for that.
    fn run(&self, folder: &Path, scratch: &Path) -> Result<Vec<i32>, String> {
        let (anchor, bytes, changes) = self.write(folder);
        let commands = COMMANDS.iter().filter(|(every, ..)| self.round.is_multiple_of(*every));
        let run = |(_, answer, args): &(usize, Answer, &[&str])| {
            let ended = child::run(args, &anchor, LIMIT, scratch);
            check(&ended, *answer, folder, bytes).map_err(|wrong| {
                let (name, command) = (self.name(), args.join(" "));
                // As above, errors that were kept whole would count as memory of later runs.
                let said: String = ended.stderr.chars().take(1000).collect();
                format!("{name}: {command}: {wrong}; changed: {changes}; said:\n{said}")
            })
        };
        commands.map(run).collect()
    }
}

fn check(ended: &Ended, answer: Answer, folder: &Path, bytes: u64) -> Result<i32, String> {
    let Ended { stderr, .. } = ended;
    let code = ended.code.clone()?;
    let wrong = |what: String| Err(what);
    if ![0, 2, 3, 4].contains(&code) {
        return wrong(format!("ended with {code}"));
    }
    if stderr.contains("panic") || stderr.contains("internal error") {
        return wrong("panicked".to_owned());
    }
    let most = MEMORY + MEMORY_EACH * bytes;
    if ended.memory > most {
        return wrong(format!("took {} bytes of memory, and {most} are the bound", ended.memory));
    }
    if answer == Answer::Code {
        return Ok(code);
    }
    // What print warns of is printed all the same, and what unify warns of stays.
    let is_warning = |line: &str| WARNINGS.iter().any(|warning| line.starts_with(warning));
    let mut said = stderr.lines().filter(|line| !is_warning(line));
    if (code == 0) != said.clone().all(str::is_empty) {
        return wrong(format!("ended with {code}, and stderr does not fit"));
    }
    // HDF5 has no numbers that large, `hdf5` R8: then the output is named.
    let is_too_large = |line: &str| line.contains("a number needs more than 64 bits");
    let names = |line: &str| line.contains(&*folder.to_string_lossy()) || is_too_large(line);
    if code != 0 && !said.any(names) {
        return wrong("no file is named".to_owned());
    }
    if answer == Answer::Told && matches!(code, 0 | 3) && !ended.any_output {
        return wrong(format!("ended with {code}, and without an output"));
    }
    Ok(code)
}

/// All archives of the repository, those too that are for reading only.
fn archives() -> Vec<(Archive, Files)> {
    let folders = fs::read_dir(data()).expect("tests/data").map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = folders.filter_map(|folder| Archive::find(&folder)).collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(found.len() >= 7, "{found:?}");
    found.into_iter().map(|a| (a.clone(), Files::read(&a.folder))).collect()
}

/// Where a mutated archive stays when something is wrong with it.
fn kept(task: &Task<'_>) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutations").join(task.name());
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for what is wrong");
    folder
}

/// A folder that is removed; in memory, where there is such a place: what is made here has a short life.
fn folder() -> TempDir {
    const IN_MEMORY: &str = "/dev/shm";
    tempfile::tempdir_in(IN_MEMORY).or_else(|_| tempfile::tempdir()).expect("a folder")
}

/// Runs tasks, several at once. `keep`: the archive stays in any case.
fn run(tasks: &[Task<'_>], keep: bool) -> (BTreeMap<i32, usize>, Vec<String>) {
    let next = AtomicUsize::new(0);
    let done: Mutex<(BTreeMap<i32, usize>, Vec<String>)> = Mutex::default();
    let work = || loop {
        let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
        let [folder, scratch] = [(); 2].map(|()| folder());
        let result = task.run(folder.path(), scratch.path());
        let wrong = result.as_ref().err().map(|wrong| format!("{wrong}\nkept in: "));
        let stays = (keep || wrong.is_some()).then(|| kept(task));
        stays.iter().for_each(|folder| drop(task.write(folder)));
        let mut done = done.lock().unwrap();
        result.iter().flatten().for_each(|code| *done.0.entry(*code).or_default() += 1);
        done.1.extend(wrong.zip(stays).map(|(wrong, place)| wrong + &place.to_string_lossy()));
    };
    std::thread::scope(|scope| {
        let workers = std::thread::available_parallelism().map_or(2, usize::from);
        (0..workers).for_each(|_| drop(scope.spawn(work)));
    });
    done.into_inner().unwrap()
}

#[test]
fn mutations_of_every_archive() {
    let archives = archives();
    let wanted = std::env::var("STREAMFOLD_MUTATION").ok();
    let is_full = std::env::var("STREAMFOLD_TESTS").is_ok_and(|value| value == "full");
    let part = if is_full || wanted.is_some() { 1 } else { PART };
    let rounds = archives.iter().flat_map(|(archive, files)| {
        (0..ROUNDS / part).map(move |round| Task { archive, files, round })
    });
    let tasks: Vec<_> =
        rounds.filter(|task| wanted.as_ref().is_none_or(|name| *name == task.name())).collect();
    assert!(!tasks.is_empty(), "no archive and round is {wanted:?}");
    let (codes, wrong) = run(&tasks, wanted.is_some());
    eprintln!("seed {SEED}, {} mutated archives, runs by exit code: {codes:?}", tasks.len());
    assert!(
        wrong.is_empty(),
        "{} of {} are wrong; STREAMFOLD_MUTATION=ARCHIVE:ROUND cargo test --test mutations runs one \
         again\n{}",
        wrong.len(),
        tasks.len(),
        wrong[..wrong.len().min(10)].join("\n")
    );
    // What is changed matters: some archives are unreadable, some lose something, some neither.
    let all = wanted.is_none();
    assert!(!all || [0, 2, 3, 4].iter().all(|code| codes.contains_key(code)), "{codes:?}");
}
