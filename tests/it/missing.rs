//! Files of a trace that are missing, or are no files: each is a loss that names it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::common::archives::one;
use crate::common::copy_folder;
use crate::common::program::{on_ranks, said, streamfold};

/// Expects that commands end with code 3 and name a file.
fn lost(commands: &[&[&str]], trace: &Path, file: &str) {
    for command in commands {
        let run = streamfold(*command).arg(trace).output().expect("a run");
        assert_eq!(run.status.code(), Some(3), "{command:?}: {}", said(&run));
        let told = [&run.stdout[..], &run.stderr[..]].concat();
        let told = String::from_utf8_lossy(&told).into_owned();
        assert!(told.contains(file), "{command:?}: {file} is not in {told}");
    }
}

const COMMANDS: [&[&str]; 5] =
    [&["info"], &["profile", "-q"], &["match", "-q"], &["waitstates", "-q"], &["validate", "-q"]];

/// Definitions of one location are missing, where others have theirs.
#[test]
fn local_definitions_that_one_location_lacks_are_a_loss() {
    for dangling in [false, true] {
        let room = TempDir::new().expect("a folder");
        copy_folder(&one("local-defs").folder, room.path());
        let anchor = room.path().join("traces.otf2");
        let file = room.path().join("traces/2.def");
        fs::remove_file(&file).expect("it is there");
        if dangling {
            symlink("nowhere", &file).expect("a link");
        }
        lost(&COMMANDS[..4], &anchor, "traces/2.def");
        for command in ["unify", "merge"] {
            let to = TempDir::new().expect("a folder");
            let to = to.path().join("out/t.otf2");
            let args = [command.as_ref(), "-q".as_ref(), "-o".as_ref(), to.as_os_str()];
            let args = args.into_iter().chain([anchor.as_os_str()]);
            for ranks in [1, 3] {
                let Some(run) = on_ranks(ranks, args.clone()) else { continue };
                assert_eq!(run.status.code(), Some(3), "{command}: {}", said(&run));
                let told = said(&run);
                assert_eq!(told.matches("traces/2.def: the file is missing").count(), 1, "{told}");
                let _ = fs::remove_dir_all(to.with_file_name(""));
            }
        }
        let checked =
            streamfold(["validate", "-q", "--json"]).arg(&anchor).output().expect("a run");
        assert_eq!(checked.status.code(), Some(3), "{}", said(&checked));
        assert!(String::from_utf8_lossy(&checked.stdout).contains("missing-file"));
        let one = streamfold(["match", "-q"]).arg(&anchor).output().expect("a run");
        let three = on_ranks(3, ["match".as_ref(), "-q".as_ref(), anchor.as_os_str()]);
        assert!(three.is_none_or(|three| three.stdout == one.stdout && three.status == one.status));
    }
}

/// An archive of which no location has definitions is whole.
#[test]
fn local_definitions_that_all_locations_lack_are_no_loss() {
    let room = TempDir::new().expect("a folder");
    copy_folder(&one("pingpong").folder, room.path());
    for entry in fs::read_dir(room.path().join("traces")).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "def") {
            fs::remove_file(path).expect("it is there");
        }
    }
    let anchor = fs::read_dir(room.path()).expect("a folder").find_map(|entry| {
        let path = entry.expect("an entry").path();
        path.extension().is_some_and(|ending| ending == "otf2").then_some(path)
    });
    let run = streamfold(["info"]).arg(anchor.expect("an anchor")).output().expect("a run");
    assert!(run.status.success(), "{}", said(&run));
}

/// Makes things at a path that are no regular files, one after another.
fn each_kind(path: &Path, check: impl Fn(&str)) {
    type Make = fn(&Path);
    let kinds: [(&str, Make); 5] = [
        ("a dangling link", |path| symlink("nowhere", path).expect("a link")),
        ("a link to itself", |path| {
            symlink(path.file_name().expect("a name"), path).expect("a link")
        }),
        ("a folder", |path| fs::create_dir(path).expect("a folder")),
        ("a pipe", |path| {
            let made = std::process::Command::new("mkfifo").arg(path).status();
            assert!(made.expect("mkfifo").success());
        }),
        ("a socket", |path| drop(std::os::unix::net::UnixListener::bind(path).expect("a socket"))),
    ];
    for (kind, make) in kinds {
        make(path);
        check(kind);
        match path.is_dir() {
            true => fs::remove_dir(path).expect("it is there"),
            false => fs::remove_file(path).expect("it is there"),
        }
    }
}

fn copy(folder: &str) -> (TempDir, PathBuf) {
    let room = TempDir::new().expect("a folder");
    copy_folder(&Path::new("tests/data").join(folder), room.path());
    let path = room.path().to_owned();
    (room, path)
}

#[test]
fn logs_in_a_folder_that_are_no_files_are_losses() {
    for (folder, name) in [
        ("strace/paper_ls", "a_host1_1.st"),
        ("strace/paper_ls", "a_host1_1.st.7.gz"),
        ("dftracer/2.2-plain", "b-1-fork.pfw"),
        ("dftracer/2.2-plain", "b-1-fork.pfw.gz"),
    ] {
        let (_room, folder) = copy(folder);
        let name = &folder.join(name);
        each_kind(name, |kind| {
            let commands: [&[&str]; 4] =
                [&["info"], &["profile", "-q"], &["io", "-q"], &["validate"]];
            println!("{kind}");
            lost(&commands, &folder, &name.file_name().expect("a name").to_string_lossy());
        });
    }
}

/// The streams beside a master file are read where it cannot be, and that is said.
#[test]
fn a_master_file_that_cannot_be_read_is_a_loss() {
    let (_room, folder) = copy("otf/all-short");
    let master = folder.join("trace.otf");
    fs::remove_file(&master).expect("it is there");
    each_kind(&master, |kind| {
        println!("{kind}");
        for command in ["info", "match"] {
            let run = streamfold([command]).arg(&master).output().expect("a run");
            let code = run.status.code();
            assert!(code == Some(3) || code == Some(4), "{command}: {}", said(&run));
            assert!(said(&run).contains("trace.otf"), "{command}: {}", said(&run));
        }
    });
}

/// An output of nothing would be no trace: none is written.
#[test]
fn nothing_is_converted_to_nothing() {
    let room = TempDir::new().expect("a folder");
    let file = |name: &str| room.path().join(name);
    let inputs: [(&str, &[u8]); 6] = [
        ("empty_h_1.st", b""),
        ("exits_h_1.st", b"12 10:00:00.000000 +++ exited with 0 +++\n"),
        ("damaged_h_1.st", b"no call at all\nnor is this\n"),
        ("damaged.json", b"[{\"ph\":\"X\"},{\"ph\":7}]"),
        ("empty.json", b"[]"),
        ("damaged.gist", b"GISTLOG-01\nhead { }\nzz:zz:zz\n"),
    ];
    for (name, text) in inputs {
        fs::write(file(name), text).expect("a file");
        let mut endings = vec!["otf2", "otf", "json", "parquet"];
        endings.extend(name.ends_with(".st").then_some("h5").filter(|_| cfg!(feature = "hdf5")));
        for ending in endings {
            let new = file(&format!("new.{ending}"));
            let mut command = streamfold([
                "convert".as_ref(),
                file(name).as_os_str(),
                "-o".as_ref(),
                new.as_os_str(),
            ]);
            let run = command.output().expect("a run");
            assert_eq!(run.status.code(), Some(2), "{name} to {ending}: {}", said(&run));
            assert!(!new.exists(), "{name} to {ending}");
        }
        fs::remove_file(file(name)).expect("it is there");
    }
    assert_eq!(fs::read_dir(room.path()).expect("a folder").count(), 0, "nothing is left");
}

/// Bytes behind the last record say that something is missing, or that two files were joined.
#[test]
fn bytes_behind_the_last_record_are_a_loss() {
    let room = TempDir::new().expect("a folder");
    let event = r#"{"name":"a","cat":"c","ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"args":{}}"#;
    let array = format!("[\n{event},\n{event}\n]\n");
    let document = format!("{{\"traceEvents\": [\n{event},\n{event}\n]}}\n");
    let pretty = format!("[\n{}\n]\n", event.replace(',', ",\n"));
    let lines = format!("[\n{event}\n{event}\n");
    for (name, text) in
        [("a.json", &array), ("d.json", &document), ("p.json", &pretty), ("l.pfw", &lines)]
    {
        let path = room.path().join(name);
        for behind in ["", "\n\n", "\0\0\0\0", "]]]\n", "[", "}}"] {
            fs::write(&path, format!("{text}{behind}")).expect("written");
            let run = streamfold(["profile", "-q"]).arg(&path).output().expect("a run");
            let code = if behind.trim().is_empty() { 0 } else { 3 };
            assert_eq!(run.status.code(), Some(code), "{name} {behind:?}: {}", said(&run));
        }
    }
}
