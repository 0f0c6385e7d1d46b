//! Some of the processes of a trace.

use std::fs;

use tempfile::TempDir;

use super::{assert_same, case, files, path, run, text};

#[test]
fn files_are_those_of_the_reference() {
    let (Some(from), Some(shrunk)) = (case("ring"), case("ring-shrunk")) else { return };
    for copies in [true, false] {
        let folder = TempDir::new().expect("a folder");
        let (master, to) = (from.join("trace.otf"), folder.path().join("trace.otf"));
        let mut arguments = vec!["otf", "shrink", "-q", path(&master), "-o", path(&to)];
        arguments.extend(["-m", "1,2,5"]);
        arguments.extend(copies.then_some("--copy"));
        let (code, said) = run(&arguments);
        assert_eq!(code, Some(0), "{said}");
        let mut found = files(folder.path());
        // The reference forgets the markers.
        found.remove("trace.0.marker").expect("markers");
        assert_same(&found, &files(&shrunk), "ring-shrunk");
        let events = folder.path().join("trace.1.events");
        let is_link = fs::symlink_metadata(events).expect("a file").is_symlink();
        assert_eq!(is_link, !copies);
    }
}

#[test]
fn lists_say_who_stays() {
    let Some(from) = case("ring") else { return };
    let master = from.join("trace.otf");
    let of = |options: &[&str]| {
        let folder = TempDir::new().expect("a folder");
        let to = folder.path().join("trace.otf");
        let arguments = ["otf", "shrink", "-q", path(&master), "-o", path(&to)];
        let (code, said) = run(&[&arguments[..], options].concat());
        assert_eq!(code, Some(0), "{said}");
        assert!(!folder.path().join("trace.2.events").exists());
        text(&to) + &text(&folder.path().join("trace.0.def"))
    };
    for found in [of(&["-l", "3 5"]), of(&["-l", "1,2 4-4", "-v"])] {
        assert!(found.starts_with("1:3,5\n"), "{found}");
        assert!(found.contains("DPG1f4M3,NM"), "{found}");
        // Its parent is gone.
        assert!(found.contains("DP5NM\"Thread 0:1\"\n"), "{found}");
        assert!(!found.contains("DP1NM"), "{found}");
    }
}

#[test]
fn wrong_lists_are_refused() {
    let Some(from) = case("ring") else { return };
    let folder = TempDir::new().expect("a folder");
    let (master, to) = (from.join("trace.otf"), folder.path().join("trace.otf"));
    let cases: [(&[&str], &str); 5] = [
        (&["-l", "9"], "has no process 9"),
        (&["-l", "x"], "neither a process (12) nor a range"),
        (&["-l", "1-5", "-v"], "no process stays"),
        (&["-m", "1,2", "-m", "2,3"], "process 2 is in two lists"),
        (&[], "--list"),
    ];
    for (options, part) in cases {
        let arguments = ["otf", "shrink", path(&master), "-o", path(&to)];
        let (code, said) = run(&[&arguments[..], options].concat());
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains(part), "{said}");
        assert!(!to.exists());
    }
}
