//! Choices of parts of a trace: names that it lacks.

use std::path::Path;

use crate::common::archives::{data, one};
use crate::common::program::{said, streamfold};

/// The exit code, and what is said.
fn run(args: &[&str], trace: &Path) -> (i32, String) {
    let output = streamfold(args).arg("-q").arg(trace).output().expect("a run");
    (output.status.code().expect("a code"), said(&output))
}

#[test]
fn names_that_there_are_are_told_instead_of_one_that_there_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("part.otf2");
    let to = to.to_str().expect("text");
    let trace = data().join("by-hand/rare-kinds/t.otf2");
    let regions = "MPI_Put, MPI_Wait, parallel, pthread_create, read, work";
    let paradigms = "mpi, openmp, pthread, user";
    for (args, code, told) in [
        (&["profile", "--region", "NOSUCH"][..], 0, regions),
        (&["print", "--region", "NOSUCH"], 0, regions),
        (&["cut", "--force", "-o", to, "--region", "NOSUCH"], 0, regions),
        (&["efficiency", "--region", "NOSUCH"], 1, regions),
        (&["timeline", "--value", "NOSUCH"], 1, regions),
        (&["waitstates", "--iterations", "NOSUCH", "1"], 1, regions),
        (&["profile", "--exclude", "."], 0, regions),
        (&["profile", "--paradigm", "NOSUCH"], 1, paradigms),
        (&["print", "--paradigm", "NOSUCH"], 1, paradigms),
        (&["cut", "--force", "-o", to, "--paradigm", "NOSUCH"], 1, paradigms),
        (&["profile", "--paradigm", "cuda"], 0, paradigms),
        (&["print", "--paradigm", "cuda"], 0, paradigms),
        (&["cut", "--force", "-o", to, "--paradigm", "cuda"], 0, paradigms),
    ] {
        let (found, said) = run(args, &trace);
        assert_eq!(found, code, "{args:?}: {said}");
        assert!(said.lines().any(|line| line.ends_with(&format!(" {told}"))), "{args:?}: {said}");
    }
    let (code, said) = run(&["print", "--region", "work"], &trace);
    assert_eq!((code, said.as_str()), (0, ""));
}

#[test]
fn of_many_names_those_that_are_most_alike_are_told() {
    let trace = one("pingpong").anchor;
    let (_, said) = run(&["timeline", "--value", "mpi_sen"], &trace);
    assert!(said.contains("it has MPI_Send, "), "{said}");
    let (_, said) = run(&["efficiency", "--region", "MPI_Sned$"], &trace);
    assert!(said.contains("it has MPI_Send, "), "{said}");
    let names = said.split("it has ").nth(1).and_then(|names| names.split(" and ").next());
    assert_eq!(names.map(|names| names.split(", ").count()), Some(20), "{said}");
    assert!(said.trim_end().ends_with(" more"), "{said}");
}
