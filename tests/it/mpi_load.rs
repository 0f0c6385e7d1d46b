//! A program that finds its MPI library when it runs: which one it takes, and how it ends without one.
//!
//! All other tests of ranks run with this program as well, where it is built so.

#![cfg(all(feature = "mpi-load", not(feature = "mpi")))]

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::common::archives::one;
use crate::common::program::{mpirun, said, streamfold, text};
use crate::common::skipped;

/// Variables of a launcher that started so many ranks.
fn launched(ranks: &str) -> [(&str, &str); 2] {
    [("PMI_RANK", "0"), ("PMI_SIZE", ranks)]
}

fn profile(environment: &[(&str, &str)], more: &[&str]) -> Output {
    let mut command = streamfold(["profile", "-q", "--format", "csv"]);
    command.arg(one("pingpong").anchor).args(more).envs(environment.iter().copied());
    command.output().expect("a run")
}

/// The last line about MPI that a program told with its version.
fn library(output: &Output) -> String {
    let told = text(&output.stdout);
    let line = told.lines().rfind(|line| line.starts_with("MPI  ")).expect("a line about MPI");
    line["MPI".len()..].trim().to_owned()
}

#[test]
fn files_that_are_no_mpi_library_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let garbage = folder.path().join("libmpi.so.12");
    fs::write(&garbage, "no library").expect("a file");
    let missing = folder.path().join("gone.so");
    let [garbage, missing] = [&garbage, &missing].map(|path| path.to_str().expect("text"));
    for named in [garbage, missing, "libc.so.6", "/"] {
        let environment = [&launched("2")[..], &[("STREAMFOLD_MPI", named)]].concat();
        let output = profile(&environment, &[]);
        assert_eq!(output.status.code(), Some(5), "{}", said(&output));
        assert!(output.stdout.is_empty(), "{named}");
        let message = format!("cannot use {named} as MPI library: ");
        assert!(said(&output).contains(&message), "{}", said(&output));
        assert!(said(&output).contains("STREAMFOLD_MPI"), "{}", said(&output));
    }
}

#[test]
fn ranks_without_a_library_never_work_as_copies() {
    let none = ("STREAMFOLD_MPI", "none");
    let alone = profile(&[], &[]);
    assert_eq!(alone.status.code(), Some(0), "{}", said(&alone));
    let two = profile(&[&launched("2")[..], &[none]].concat(), &[]);
    assert_eq!(two.status.code(), Some(5), "{}", said(&two));
    assert!(two.stdout.is_empty());
    for part in ["PMI_SIZE", "2 ranks", "STREAMFOLD_MPI=none", "--mpi off"] {
        assert!(said(&two).contains(part), "{part} in {}", said(&two));
    }
    let one = profile(&[&launched("1")[..], &[none]].concat(), &[]);
    assert_eq!((one.status.code(), &one.stdout), (Some(0), &alone.stdout), "{}", said(&one));
    let off = profile(&[&launched("2")[..], &[none]].concat(), &["--mpi", "off"]);
    assert_eq!((off.status.code(), &off.stdout), (Some(0), &alone.stdout), "{}", said(&off));
    let on = profile(&[none], &["--mpi", "on"]);
    assert_eq!(on.status.code(), Some(5), "{}", said(&on));
}

#[test]
fn the_version_names_the_library() {
    let version = ["--version", "--verbose"];
    let mut refused = streamfold(version);
    let refused = refused.env("STREAMFOLD_MPI", "none").output().expect("a run");
    assert_eq!(library(&refused), "none: STREAMFOLD_MPI=none refuses MPI");
    let Some(first) = mpirun(1, version) else { return };
    let line = library(&first);
    let (_, path) = line.split_once(", loaded from ").expect("a path");
    // The same file, when it is named.
    let mut named = streamfold(version);
    let named = named.env("STREAMFOLD_MPI", path).output().expect("a run");
    assert_eq!(library(&named), line);
}

/// Outputs of commands on one, two and three ranks of the MPI of this machine.
#[test]
fn ranks_write_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = |path: &Path| {
        let mut files: Vec<_> = walk(path)
            .into_iter()
            .map(|file| {
                let bytes = fs::read(&file).expect("a file");
                (file.strip_prefix(path).expect("below").to_owned(), bytes)
            })
            .collect();
        files.sort();
        files
    };
    for (archive, command) in [
        ("hybrid", &["profile", "-q", "--format", "csv"][..]),
        ("intercomm", &["match", "-q", "--format", "csv"]),
        ("intercomm", &["waitstates", "-q", "--format", "csv"]),
        ("intercomm", &["efficiency", "-q", "--format", "json"]),
        ("local-defs", &["unify", "-q", "-o"]),
    ] {
        let anchor = one(archive).anchor;
        let arguments = |to: &Path| {
            let mut arguments: Vec<_> =
                vec![command[0].to_owned(), anchor.to_str().expect("text").to_owned()];
            arguments.extend(command[1..].iter().map(|word| (*word).to_owned()));
            if command[0] == "unify" {
                arguments.push(to.join("t.otf2").to_str().expect("text").to_owned());
            }
            arguments
        };
        let alone = folder.path().join(format!("{}-alone", command[0]));
        let expected = streamfold(arguments(&alone)).output().expect("a run");
        assert_eq!(expected.status.code(), Some(0), "{}", said(&expected));
        for ranks in 1..=3 {
            let to = folder.path().join(format!("{}-{ranks}", command[0]));
            let Some(found) = mpirun(ranks, arguments(&to)) else {
                return skipped("ranks of a loaded library");
            };
            assert_eq!(found.status.code(), Some(0), "{command:?}: {}", said(&found));
            assert!(found.stdout == expected.stdout, "{command:?}, {ranks} ranks");
            assert!(files(&to) == files(&alone), "{command:?}, {ranks} ranks");
        }
    }
}

/// All files below a folder; none where it is not there.
fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries
        .flat_map(|entry| {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}
