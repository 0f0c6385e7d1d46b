//! HDF5 files: the same content for any number of ranks and threads, and a layout that h5py and
//! pandas open as docs/use/hdf5.md says.
//!
//! `STREAMFOLD_PYTHON` names a Python with h5py, pandas and numpy; `h5diff` comes with HDF5's tools.

#![cfg(feature = "hdf5")]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::archives::{large_folders, own, Archive};
use crate::common::cases::third;
use crate::common::program::{streamfold, team};
use crate::common::skipped;

/// A profile of every call path at every location, by one process.
fn alone(archive: &Archive, folder: &Path, threads: &str) -> PathBuf {
    let file = folder.join(format!("alone-{threads}.h5"));
    alone_with(archive, &file, threads, &[]);
    file
}

fn alone_with(archive: &Archive, file: &Path, threads: &str, more: &[&str]) {
    let anchor = archive.anchor.as_os_str();
    let run = streamfold([
        "profile".as_ref(),
        anchor,
        "-q".as_ref(),
        "--per-location".as_ref(),
        "--threads".as_ref(),
        threads.as_ref(),
        "-o".as_ref(),
        file.as_os_str(),
    ])
    .args(more)
    .output()
    .expect("the program runs");
    assert_complete(archive, &run, "alone");
}

fn assert_complete(archive: &Archive, run: &Output, how: &str) {
    let said = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(0), "{}, {how}: {said}", archive.name);
}

/// Whether a program can be started at all.
fn is_there(program: &str, argument: &str) -> bool {
    Command::new(program).arg(argument).output().is_ok_and(|run| run.status.success())
}

fn assert_same(one: &Path, other: &Path, name: &str) {
    let run = Command::new("h5diff").arg("-c").args([one, other]).output().expect("h5diff runs");
    let said = String::from_utf8_lossy(&run.stdout).into_owned();
    // It counts what it cannot compare as equal, and says so with -c only.
    assert!(run.status.success() && said.is_empty(), "{name}: {said}");
}

#[test]
fn python_opens_what_the_documentation_describes() {
    let python = std::env::var("STREAMFOLD_PYTHON").unwrap_or("python3".to_owned());
    let modules = Command::new(&python).args(["-c", "import h5py, pandas, numpy"]).output();
    if !modules.is_ok_and(|run| run.status.success()) {
        skipped("no Python with h5py, pandas and numpy (STREAMFOLD_PYTHON)");
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/hdf5_layout.py");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut files = Vec::new();
    for archive in own() {
        for more in [
            &[][..],
            &["--thread-tree", "--program-root"],
            &["--exclude", "^main$"],
            &["--time", "100ms", "300ms"],
            &["--time", "300ms", "end"],
        ] {
            let name = format!("{} {}.h5", archive.name, more.join(" "));
            let file = folder.path().join(name);
            alone_with(&archive, &file, "2", more);
            files.push(file);
        }
    }
    // At once: to start Python with pandas takes longer than to check a file.
    let run = Command::new(&python).arg(&script).args(&files).output().expect("Python runs");
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success(), "{said}");
    let checked = String::from_utf8_lossy(&run.stdout).lines().count();
    assert_eq!(checked, files.len());
}

#[test]
fn threads_do_not_show() {
    if !is_there("h5diff", "--version") {
        skipped("no h5diff");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    for archive in own() {
        let files = ["1", "4"].map(|threads| alone(&archive, folder.path(), threads));
        assert_same(&files[0], &files[1], &archive.name);
    }
}

/// Ranks without an MPI that the library knows: the first one writes what all have.
#[test]
fn ranks_that_cannot_write_together_do_not_show() {
    if !is_there("h5diff", "--version") {
        skipped("no h5diff");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (number, archive) in own().into_iter().enumerate() {
        let expected = alone(&archive, folder.path(), "2");
        let file = folder.path().join("ranks.h5");
        let arguments: [&OsStr; 6] = [
            "profile".as_ref(),
            archive.anchor.as_os_str(),
            "-q".as_ref(),
            "--per-location".as_ref(),
            "-o".as_ref(),
            file.as_os_str(),
        ];
        let run = team(2 + number % 3, arguments);
        assert_complete(&archive, &run, "a team");
        assert_same(&expected, &file, &format!("{}, a team", archive.name));
    }
}

#[cfg(feature = "ranks")]
#[test]
fn ranks_do_not_show() {
    if !is_there("h5diff", "--version") {
        skipped("no h5diff");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let large = large_folders(&["scorep8-lulesh-hybrid-rusage", "synthetic-ununified-6"]);
    let archives = own().into_iter().chain(large.iter().filter_map(|folder| Archive::find(folder)));
    for (number, archive) in archives.enumerate() {
        let expected = alone(&archive, folder.path(), "2");
        // Two of five in ci/test, other ones for each archive.
        for ranks in third([1, 2, 3, 5, 8], number) {
            let file = folder.path().join("ranks.h5");
            let (anchor, file) = (archive.anchor.as_os_str(), file.as_os_str());
            let (profile, quiet, out) = ("profile".as_ref(), "-q".as_ref(), "-o".as_ref());
            let arguments = [profile, anchor, quiet, "--per-location".as_ref(), out, file];
            let Some(run) = crate::common::program::mpirun(ranks, arguments) else { return };
            assert_complete(&archive, &run, &format!("{ranks} ranks"));
            assert_same(&expected, Path::new(file), &format!("{}, {ranks} ranks", archive.name));
        }
    }
}
