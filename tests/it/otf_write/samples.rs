//! Snapshots, statistics and thumbnails: the numbers are those of the reference.

use std::collections::BTreeMap;
use std::path::Path;

use tempfile::TempDir;

use super::{assert_same, case, files, path, run};
use crate::common::copy_folder;
use crate::common::program::on_ranks;

/// Records by time and process: the reference has processes, and some tokens, in no order.
fn records(text: &str) -> BTreeMap<(String, String), Vec<String>> {
    let mut records: BTreeMap<_, Vec<String>> = BTreeMap::new();
    let (mut time, mut process) = (String::new(), String::new());
    for line in text.lines() {
        if let Some(other) = line.strip_prefix('*') {
            other.clone_into(&mut process);
        } else if line.starts_with(|c: char| c.is_ascii_digit() || c.is_ascii_lowercase()) {
            line.clone_into(&mut time);
        } else {
            records.entry((time.clone(), process.clone())).or_default().push(line.to_owned());
        }
    }
    records.values_mut().for_each(|lines| lines.sort());
    records
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    lines
}

fn assert_same_samples(found: &BTreeMap<String, String>, expected: &BTreeMap<String, String>) {
    for (name, text) in expected {
        let of = found.get(name).unwrap_or_else(|| panic!("{name} is missing"));
        match name.rsplit('.').next() {
            Some("snaps" | "stats") => assert_eq!(records(of), records(text), "{name}"),
            Some("thumb") => assert_eq!(sorted(of), sorted(text)),
            _ => assert_eq!(of, text, "{name}"),
        }
    }
    assert_eq!(found.len(), expected.len());
}

const RING: [&str; 5] = ["--all", "-n", "4", "--thumbnail-samples", "64"];

#[test]
fn numbers_are_those_of_the_reference() {
    let Some(from) = case("ring") else { return };
    let expected = files(&from);
    let mut first: Option<BTreeMap<String, String>> = None;
    for ranks in [1, 2, 3] {
        let folder = TempDir::new().expect("a folder");
        let (master, to) = (from.join("trace.otf"), folder.path().join("trace.otf"));
        let mut arguments = vec!["otf", "aux", "-q", path(&master), "-o", path(&to)];
        arguments.extend(RING);
        let Some(output) = on_ranks(ranks, arguments) else { continue };
        assert!(output.status.success(), "{output:?}");
        let found = files(folder.path());
        assert_same_samples(&found, &expected);
        assert_same(&found, first.get_or_insert_with(|| found.clone()), "ranks");
    }
}

#[test]
fn sums_of_groups() {
    let Some(from) = case("groups") else { return };
    let folder = TempDir::new().expect("a folder");
    let (master, to) = (from.join("trace.otf"), folder.path().join("trace.otf"));
    let mut arguments = vec!["otf", "aux", "-q", path(&master), "-o", path(&to), "-n", "3"];
    arguments.extend(["--statistics", "--funcgroups", "--filegroups"]);
    let (code, said) = run(&arguments);
    assert_eq!(code, Some(0), "{said}");
    assert_same_samples(&files(folder.path()), &files(&from));
}

/// Snapshots among the events, and sends that know of their receives.
#[test]
fn events_with_snapshots_and_receives() {
    let (Some(from), Some(expected)) = (case("ring"), case("ring-inline")) else { return };
    let folder = TempDir::new().expect("a folder");
    let (master, to) = (from.join("trace.otf"), folder.path().join("trace.otf"));
    let mut arguments = vec!["otf", "aux", "-q", path(&master), "-o", path(&to), "-n", "3"];
    arguments.extend(["--inline-snapshots", "--match-messages"]);
    let (code, said) = run(&arguments);
    assert_eq!(code, Some(0), "{said}");
    let (found, expected) = (files(folder.path()), files(&expected));
    for name in ["trace.1.events", "trace.2.events"] {
        assert_eq!(records(&found[name]), records(&expected[name]), "{name}");
    }
    // The reference forgets the points of the statistics that it copies.
    let definitions = |files: &BTreeMap<String, String>| -> Vec<String> {
        let lines = files["trace.0.def"].lines().filter(|line| !line.ends_with("Y1"));
        lines.map(str::to_owned).collect()
    };
    let known = |lines: Vec<String>| {
        lines.into_iter().filter(|line| !line.ends_with("Y0")).collect::<Vec<_>>()
    };
    assert_eq!(known(definitions(&found)), known(definitions(&expected)));
}

/// Beside the trace; what is there is replaced only where that is wanted.
#[test]
fn samples_are_added_to_a_trace() {
    let Some(from) = case("ring") else { return };
    let folder = TempDir::new().expect("a folder");
    let place = folder.path().join("ring");
    copy_folder(&from, &place);
    writable(&place);
    let expected = files(&from);
    let master = place.join("trace.otf");
    let mut arguments = vec!["otf", "aux", "-q", path(&master)];
    arguments.extend(RING);
    let (code, said) = run(&arguments);
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains("exists; say --force to replace it"), "{said}");
    assert_same(&files(&place), &expected, "a refusal changes nothing");
    arguments.push("--force");
    let (code, said) = run(&arguments);
    assert_eq!(code, Some(0), "{said}");
    assert_same_samples(&files(&place), &expected);
    // Without them definitions say nothing of them either, and the new ones are there.
    for name in ["trace.1.snaps", "trace.2.snaps", "trace.1.stats", "trace.2.stats", "trace.thumb"]
    {
        std::fs::remove_file(place.join(name)).expect("a file");
    }
    arguments.pop();
    let (code, said) = run(&arguments);
    assert_eq!(code, Some(0), "{said}");
    assert_same_samples(&files(&place), &expected);
}

fn writable(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let set = |path: &Path, mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(path, permissions).expect("permissions");
    };
    set(folder, 0o755);
    for entry in std::fs::read_dir(folder).expect("a folder") {
        set(&entry.expect("an entry").path(), 0o644);
    }
}
