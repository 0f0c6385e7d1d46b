//! What the reference library has written is written again with the same bytes.

use tempfile::TempDir;

use super::{assert_same, case, files, identifier, path, run};

#[test]
fn text_stays_the_same() {
    let cases = [
        ("ring", ""),
        ("all-short", ""),
        ("all-compressed", ""),
        ("all-long", "--long"),
        ("all-long-compressed", "--long"),
        ("ring-inline", ""),
        ("ring-merged-1", ""),
        ("ring-shrunk", ""),
        ("ring-merged-mpi", "--long"),
        ("hex-streams", ""),
        ("blocks", ""),
        ("groups", ""),
    ];
    for (name, form) in cases {
        let Some(from) = case(name) else { return };
        let expected = files(&from);
        for packed in ["", "--compress", "-z=9"] {
            let folder = TempDir::new().expect("a folder");
            let (master, to) = (from.join("trace.otf"), folder.path().join("trace.otf"));
            let mut arguments = vec!["otf", "write", "-q", path(&master), "-o", path(&to)];
            arguments.extend([form, packed].into_iter().filter(|option| !option.is_empty()));
            let (code, said) = run(&arguments);
            assert_eq!(code, Some(if name == "ring-shrunk" { 3 } else { 0 }), "{name}: {said}");
            let found = files(folder.path());
            if name == "ring-shrunk" {
                // Records of processes that are in no stream are left out.
                assert!(said.contains("processes that are in no stream"), "{said}");
                assert_eq!(found["trace.otf"], expected["trace.otf"]);
                continue;
            }
            assert_same(&found, &expected, name);
            assert_eq!(identifier(folder.path()), identifier(&from), "{name}");
        }
    }
}

/// Both forms are read alike, and turn into each other.
#[test]
fn forms_turn_into_each_other() {
    let (Some(short), Some(long)) = (case("all-short"), case("all-long")) else { return };
    for (from, other, form) in [(&short, &long, Some("--long")), (&long, &short, None)] {
        let folder = TempDir::new().expect("a folder");
        let (master, to) = (from.join("trace.otf"), folder.path().join("trace.otf"));
        let mut arguments = vec!["otf", "write", "-q", path(&master), "-o", path(&to)];
        arguments.extend(form);
        let (code, said) = run(&arguments);
        assert_eq!(code, Some(0), "{said}");
        assert_same(&files(folder.path()), &files(other), "forms");
    }
}

/// Odd traces: what can be read is written, and can be read again without a loss.
#[test]
fn odd_traces_become_regular_ones() {
    let Some(folder) = case("edge") else { return };
    for entry in std::fs::read_dir(&folder).expect("a folder") {
        let master = entry.expect("an entry").path();
        if master.extension().is_none_or(|ending| ending != "otf") {
            continue;
        }
        let to = TempDir::new().expect("a folder");
        let new = to.path().join("trace.otf");
        let (code, said) = run(&["otf", "write", "-q", path(&master), "-o", path(&new)]);
        assert!(matches!(code, Some(0 | 3)), "{}: {said}", master.display());
        let again = to.path().join("again.otf");
        let (second, said_again) = run(&["otf", "write", "-q", path(&new), "-o", path(&again)]);
        assert!(matches!(second, Some(0 | 3)), "{}: {said_again}", master.display());
        if code == Some(0) {
            assert_eq!(second, Some(0), "{}: {said_again}", master.display());
        }
    }
}
