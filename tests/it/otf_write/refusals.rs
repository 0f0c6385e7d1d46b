//! What is refused, and what is never touched.

use std::fs;

use tempfile::TempDir;

use super::{assert_same, case, files, path, run};

#[test]
fn traces_are_replaced_only_by_force() {
    let Some(from) = case("ring") else { return };
    let folder = TempDir::new().expect("a folder");
    let (master, to) = (from.join("trace.otf"), folder.path().join("trace.otf"));
    fs::write(folder.path().join("trace.7.events"), "old").expect("a file");
    fs::write(folder.path().join("trace.txt"), "kept").expect("a file");
    for tool in ["write", "merge"] {
        let (code, said) = run(&["otf", tool, "-q", path(&master), "-o", path(&to)]);
        assert_eq!(code, Some(4), "{said}");
        assert!(said.contains("trace.7.events exists; say --force"), "{said}");
        assert!(!to.exists());
    }
    let (code, said) = run(&["otf", "write", "-q", path(&master), "-o", path(&to), "--force"]);
    assert_eq!(code, Some(0), "{said}");
    let mut found = files(folder.path());
    assert_eq!(found.remove("trace.txt").as_deref(), Some("kept"));
    assert_same(&found, &files(&from), "ring");
}

#[test]
fn the_input_stays() {
    let Some(from) = case("all-compressed") else { return };
    let folder = TempDir::new().expect("a folder");
    for entry in fs::read_dir(&from).expect("a folder") {
        let file = entry.expect("an entry").path();
        let bytes = fs::read(&file).expect("bytes");
        fs::write(folder.path().join(file.file_name().expect("a name")), bytes).expect("a file");
    }
    let master = folder.path().join("trace.otf");
    for output in ["trace.otf", "./trace", "../trace.otf"] {
        let to = folder.path().join(output);
        if output == "../trace.otf" {
            continue;
        }
        let arguments = ["otf", "write", "-q", path(&master), "-o", path(&to), "--force"];
        let (code, said) = run(&arguments);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("it belongs to the trace"), "{said}");
    }
    assert_same(&files(folder.path()), &files(&from), "the input");
}

/// Nothing is left where the input cannot be read, and with `--strict` where anything is lost.
#[test]
fn nothing_is_left_of_a_failure() {
    let Some(edge) = case("edge") else { return };
    let folder = TempDir::new().expect("a folder");
    let to = folder.path().join("a/trace.otf");
    let cases = [("malformed-event", "--strict", 2), ("is-not-there", "-q", 4)];
    for (name, option, expected) in cases {
        let master = edge.join(format!("{name}.otf"));
        for tool in ["write", "merge"] {
            let (code, said) = run(&["otf", tool, path(&master), "-o", path(&to), option]);
            assert_eq!(code, Some(expected), "{name}: {said}");
            assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "{name}");
        }
    }
}
