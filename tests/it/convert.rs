//! Conversion: what an archive says is what the log says, the reference reads it without a warning, and it
//! is the same for any number of ranks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::common::archives::{data, one};
use crate::common::program::{on_ranks, said, streamfold};
use crate::common::skipped;

fn samples() -> Vec<PathBuf> {
    let folder = fs::read_dir(data().join("gistlog")).expect("samples of GISTLOG");
    let files = folder.map(|file| file.expect("a file").path());
    let mut logs: Vec<_> = files.filter(|file| file.extension() == Some("gist".as_ref())).collect();
    logs.sort();
    logs
}

/// Converts, and expects an exit code.
fn convert(from: &Path, to: &Path, options: &[&str], code: i32) -> String {
    let run = streamfold(["convert".as_ref(), from.as_os_str(), "-o".as_ref(), to.as_os_str()])
        .args(options)
        .output()
        .expect("the program runs");
    assert_eq!(run.status.code(), Some(code), "{}: {}", from.display(), said(&run));
    said(&run)
}

/// What the profile says, but for where it comes from.
fn profile(trace: &Path) -> Value {
    let trace = trace.to_str().expect("a path of text");
    let run = streamfold(["profile", "-q", "--format", "json", trace]).output();
    let stdout = run.expect("the program runs").stdout;
    let mut profile: Value = serde_json::from_slice(&stdout).expect("JSON");
    profile.as_object_mut().expect("an object").remove("provenance");
    profile
}

fn loses(log: &Path) -> bool {
    streamfold(["profile".as_ref(), "-q".as_ref(), log.as_os_str()]).output().unwrap().status.code()
        == Some(3)
}

/// Names and bytes of all files in a folder and in those below it.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("a file").path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push((path.clone(), fs::read(&path).expect("a file"))),
        }
    }
    found.sort();
    found
}

fn reference_says(anchor: &Path) -> Option<(String, String)> {
    let run = Command::new("otf2-print").arg("-A").arg(anchor).output();
    let Ok(run) = run else {
        skipped("no otf2-print");
        return None;
    };
    assert!(run.status.success(), "{}", anchor.display());
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    Some((text(&run.stdout), text(&run.stderr)))
}

#[test]
fn an_archive_says_what_the_log_says() {
    for log in samples() {
        let folder = tempfile::tempdir().expect("a folder");
        let to = folder.path().join("x.otf2");
        let code = if loses(&log) { 3 } else { 0 };
        convert(&log, &to, &[], code);
        assert!(profile(&log) == profile(&to), "{}: the profiles differ", log.display());
        let Some((stdout, stderr)) = reference_says(&to) else { continue };
        assert_eq!(stderr, "", "{}", log.display());
        assert!(!stdout.contains("warning"), "{}", log.display());
        let events = announced(&to);
        let run = Command::new("otf2-print").arg(&to).output().expect("the reference runs");
        let shown = String::from_utf8_lossy(&run.stdout).into_owned();
        let lines = shown.lines().filter(|line| {
            ["ENTER ", "LEAVE ", "METRIC "].iter().any(|kind| line.starts_with(kind))
        });
        assert_eq!(lines.count(), events, "{}", log.display());
    }
}

/// How many events the archive has, by its own definitions.
fn announced(anchor: &Path) -> usize {
    let run = streamfold(["info".as_ref(), "--json".as_ref(), anchor.as_os_str()]).output();
    let info: Value = serde_json::from_slice(&run.expect("the program runs").stdout).expect("JSON");
    usize::try_from(info["locations"]["events"].as_u64().expect("a number")).expect("a number")
}

#[test]
fn archives_are_the_same_on_any_number_of_ranks() {
    let Some(log) = samples().into_iter().max_by_key(|log| fs::metadata(log).unwrap().len()) else {
        return;
    };
    let written = |ranks: usize| {
        let folder = tempfile::tempdir().expect("a folder");
        let to = folder.path().join("x.otf2");
        let args = ["convert".as_ref(), log.as_os_str(), "-o".as_ref(), to.as_os_str()];
        let run = on_ranks(ranks, args)?;
        assert!(run.status.success(), "{}", said(&run));
        let files = files(folder.path());
        let names = files.into_iter().map(|(path, bytes)| {
            (path.strip_prefix(folder.path()).expect("below").to_owned(), bytes)
        });
        Some(names.collect::<Vec<_>>())
    };
    let one = written(1).expect("one rank");
    assert!(one.len() > 3);
    for ranks in [2, 3, 5, 8] {
        if let Some(other) = written(ranks) {
            assert!(one == other, "{ranks} ranks");
        }
    }
}

#[test]
fn strict_conversions_leave_nothing() {
    let Some(log) = samples().into_iter().find(|log| loses(log)) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let said = convert(&log, &folder.path().join("x.otf2"), &["--strict"], 2);
    assert!(said.contains("E0"), "{said}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn an_archive_is_copied() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("x.otf2");
    let from = one("pingpong").anchor;
    convert(&from, &to, &[], 0);
    assert!(profile(&from) == profile(&to), "the profiles differ");
}

#[test]
fn names_of_other_files_are_refused() {
    let Some(log) = samples().pop() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let said = convert(&log, &folder.path().join("x.txt"), &[], 1);
    assert!(said.contains(".otf2"), "{said}");
}
