//! What is merged, and where it goes: lists of archives, what is refused, what replaces what is there.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::archives::one;
use crate::common::files::Files;
use crate::common::program::{said, streamfold};
use crate::merge::made::{Made, Trace};
use crate::merge::meaning::{errors, locations};
use crate::merge::{expect, expect_message, merge, merged_files, Place};

const WAYS: [&[&str]; 3] = [&[], &["--rewrite-events"], &["--link"]];

fn jobs() -> [Made; 3] {
    [1, 2, 3].map(|identifier| Trace::job(identifier, &[0, 1], "a").write())
}

/// The program with a list of archives, after those on the command line.
fn with_list(first: &[&Path], list: &str, input: &[u8], to: &Path) -> std::process::Output {
    let args = [OsStr::new("merge"), "--list".as_ref(), list.as_ref(), "-o".as_ref(), to.as_ref()];
    let args = args.into_iter().chain(first.iter().map(|path| path.as_os_str()));
    streamfold(args).write_stdin(input).output().expect("a run")
}

fn lines(paths: &[&Made], end: &str) -> Vec<u8> {
    let lines = paths.iter().map(|made| format!("{}{end}", made.anchor.display()));
    lines.collect::<String>().into_bytes()
}

#[test]
fn a_list_names_more_archives() {
    let jobs = jobs();
    let expected = merged_files(&jobs, &[]);
    let [a, b, c] = &jobs;
    // Empty lines are nothing; lines may end as on other systems.
    let texts = [lines(&[b, c], "\n"), lines(&[b, c], "\r\n"), lines(&[b, c], "\n\n")];
    for text in texts {
        let place = Place::new();
        let list = place.file("list.txt");
        fs::write(&list, &text).expect("written");
        let to = place.file("out/all.otf2");
        expect(&with_list(&[&a.anchor], list.to_str().expect("text"), b"", &to), 0);
        Files::read(&to).assert_same(&expected, "a file with a list");
        let place = Place::new();
        expect(&with_list(&[&a.anchor], "-", &text, &place.anchor()), 0);
        Files::read(&place.anchor()).assert_same(&expected, "a list on standard input");
    }
    let place = Place::new();
    let all = lines(&[a, b, c], "\n");
    expect(&with_list(&[], "-", all.strip_suffix(b"\n").expect("lines"), &place.anchor()), 0);
    Files::read(&place.anchor()).assert_same(&expected, "nothing but a list");
}

#[cfg(feature = "ranks")]
#[test]
fn rank_0_alone_reads_the_list() {
    use crate::common::program::mpirun;
    let jobs = jobs();
    let place = Place::new();
    let list = place.file("list.txt");
    fs::write(&list, lines(&jobs.each_ref(), "\n")).expect("written");
    let (list, to) = (list.into_os_string(), place.anchor().into_os_string());
    let args = ["merge".into(), "--list".into(), list, "-o".into(), to];
    let Some(ended) = mpirun(2, args) else { return };
    assert_eq!(ended.status.code(), Some(0), "{}", said(&ended));
    Files::read(&place.anchor()).assert_same(&merged_files(&jobs, &[]), "two ranks");
}

#[test]
fn no_archive_is_1() {
    let place = Place::new();
    for input in [&b""[..], b"\n\n"] {
        expect_message(&with_list(&[], "-", input, &place.anchor()), 1, &["no trace is given"]);
    }
    let none: [&Path; 0] = [];
    expect_message(&place.merge(&none, &[]), 1, &["ANCHOR"]);
    let ended = with_list(&[], "there-is-none.txt", b"", &place.anchor());
    expect_message(&ended, 4, &["there-is-none.txt"]);
    assert!(place.left().is_empty(), "{:?}", place.left());
}

#[test]
fn the_same_archive_twice_is_1() {
    let [a, b, _] = jobs();
    let place = Place::new();
    let again: PathBuf = a.folder.path().join("t/../t.otf2");
    let link = place.file("link");
    std::os::unix::fs::symlink(a.folder.path(), &link).expect("a link");
    for other in [&a.anchor, &again, &link.join("t.otf2")] {
        let ended = place.merge(&[&a.anchor, &b.anchor, other], &[]);
        let names = [&a.anchor, other].map(|path| path.to_str().expect("text"));
        expect_message(&ended, 1, &["twice"]);
        expect_message(&ended, 1, &names);
        assert_eq!(place.left(), ["link"]);
    }
}

#[test]
fn an_archive_that_is_there_is_replaced_by_force_only() {
    let jobs = jobs();
    let other = one("pingpong");
    for way in WAYS {
        let place = Place::new();
        crate::common::copy_folder(&other.folder, place.folder.path());
        let there = place.file("traces.otf2");
        let (before, left) = (Files::read(&there), place.left());
        expect_message(&merge(&jobs, &there, way), 4, &["--force", "traces.otf2 exists"]);
        Files::read(&there).assert_same(&before, "the archive that was there");
        assert_eq!(place.left(), left);
        expect(&merge(&jobs, &there, &[way, &["--force"]].concat()), 0);
        Files::read(&there).assert_same(&merged_files(&jobs, way), "in the place of another one");
        assert_eq!(place.left(), left);
    }
}

#[test]
fn an_input_as_output_is_1() {
    let jobs = jobs();
    for job in &jobs {
        let before = Files::read(&job.anchor);
        for options in [&[][..], &["--force"], &["--force", "--rewrite-events", "--link"]] {
            expect_message(&merge(&jobs, &job.anchor, options), 1, &["it belongs to the trace"]);
        }
        // Among the files of its locations.
        let inside = job.anchor.with_extension("").join("all.otf2");
        expect_message(&merge(&jobs, &inside, &[]), 1, &["it belongs to the trace"]);
        Files::read(&job.anchor).assert_same(&before, "the input");
    }
}

#[test]
fn options_that_there_are_not_are_1() {
    let place = Place::new();
    for options in [&["--reencode"][..], &["--align"], &["--align", "sometimes"], &["-o", "b.otf2"]]
    {
        let ended = place.merge(&jobs(), options);
        expect(&ended, 1);
        assert_ne!(said(&ended), "");
        assert!(place.left().is_empty(), "{options:?}: {:?}", place.left());
    }
    expect_message(&merge(&jobs(), &place.file("all"), &[]), 1, &["ends in .otf2"]);
}

#[test]
fn nothing_is_told_where_nobody_wants_to_hear() {
    let ended = Place::new().merge(&jobs(), &["-q"]);
    expect(&ended, 0);
    assert_eq!(said(&ended), "");
}

/// One is enough: what becomes of it is what unifying makes of it, and nothing more.
#[test]
fn a_single_archive_stays_as_it_is() {
    let [job, ..] = jobs();
    let (found, before) = (merged_files(&[&job], &[]), Files::read(&job.anchor));
    for (name, bytes) in &before.0 {
        // A new archive has an identifier of its own.
        assert!(name == ".otf2" || bytes == found.get(name), "{name}");
    }
}

/// Many archives need no more open files than one.
#[test]
fn hundreds_of_archives_need_few_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut list = String::new();
    for i in 0..300_u64 {
        let trace = Trace::job(1_000 + i, &[0], if i % 2 == 0 { "even" } else { "odd" });
        let anchor = trace.write_to(&folder.path().join(format!("{i}.otf2")));
        list.push_str(&format!("{}\n", anchor.display()));
    }
    let place = Place::new();
    let paths = place.file("list.txt");
    fs::write(&paths, list).expect("written");
    for way in ["", "--rewrite-events"] {
        let run = format!(
            "ulimit -n 64 && exec '{}' merge --list '{}' -o '{}' --force --max-open-files 8 {way}",
            env!("CARGO_BIN_EXE_streamfold"),
            paths.display(),
            place.anchor().display()
        );
        let ended = Command::new("sh").args(["-c", &run]).output().expect("a shell");
        expect_message(&ended, 0, &["300 traces of 300 runs, 300 locations"]);
        assert_eq!(locations(&place.anchor()), (0..300).collect::<Vec<_>>());
        assert_eq!(errors(&place.anchor()), [""; 0]);
    }
}
