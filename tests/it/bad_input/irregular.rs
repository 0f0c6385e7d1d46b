//! Pipes, devices, sockets and folders in the place of files: no command waits for them, and none reads for ever.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use tempfile::TempDir;

use super::fifo;
use crate::common::program::{said, streamfold};
use crate::common::usage::usage;

/// Names of the files of all formats.
const NAMES: [&str; 8] =
    ["t.otf2", "run.otf", "run.gist", "a.pfw", "a.pfw.gz", "a.json", "a_h_1.st", "a_h_1.st.zst"];

const COMMANDS: [&[&str]; 8] = [
    &["info"],
    &["profile"],
    &["match"],
    &["waitstates"],
    &["validate"],
    &["io"],
    &["print"],
    &["dfg", "--over", "regions"],
];

#[track_caller]
fn refused(arguments: &[&str], path: &Path) {
    let taken = usage(arguments, &[path], 5);
    assert_eq!(taken.code, 4, "{arguments:?} {}: {taken:?}", path.display());
    let output = streamfold(arguments).arg("-q").arg(path).output().expect("a run");
    let words = format!("{}: not a regular file", path.display());
    assert!(said(&output).contains(&words), "{arguments:?}: {}", said(&output));
}

#[test]
fn what_is_given() {
    let folder = TempDir::new().expect("a folder");
    let kinds = ["pipe", "zero", "null", "socket"].map(|kind| folder.path().join(kind));
    kinds.iter().for_each(|kind| fs::create_dir(kind).expect("a folder"));
    let mut sockets = Vec::new();
    for name in NAMES {
        let [pipe, zero, null, socket] = kinds.each_ref().map(|kind| kind.join(name));
        fifo(&pipe);
        symlink("/dev/zero", &zero).expect("a link");
        symlink("/dev/null", &null).expect("a link");
        sockets.push(std::os::unix::net::UnixListener::bind(&socket).expect("a socket"));
        for command in COMMANDS {
            refused(command, &pipe);
        }
        for path in [zero, null, socket] {
            refused(&["info"], &path);
        }
    }
    let logs = [kinds[0].join("a_h_1.st"), kinds[1].join("a_h_1.st")];
    for log in &logs {
        refused(&["dfg"], log);
    }
    let to = folder.path().join("new");
    let new = |ending: &str| to.with_extension(ending).display().to_string();
    let [archive, table] = [new("otf2"), new("h5")];
    for name in ["t.otf2", "run.otf", "run.gist"] {
        refused(&["convert", "-o", &archive], &kinds[0].join(name));
        refused(
            &["merge", "-o", &archive, &kinds[0].join(name).display().to_string()],
            &kinds[0].join(name),
        );
        refused(&["unify", "-o", &archive], &kinds[0].join(name));
    }
    if cfg!(feature = "hdf5") {
        refused(&["convert", "-o", &table], &logs[0]);
        let log = folder.path().join("log.h5");
        fifo(&log);
        refused(&["dfg"], &log);
    }
    assert!(!Path::new(&archive).exists() && !Path::new(&table).exists());
}

/// One of several logs is lost, and the others are read.
#[test]
fn one_log_of_several() {
    let folder = TempDir::new().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a_h_1.st"), "1 1700000000.1 brk(0) = 1 <0.1>\n").expect("written");
    fifo(&at("a_h_2.st"));
    symlink("/dev/zero", at("a_h_3.st")).expect("a link");
    let taken = usage(&["dfg"], &[folder.path()], 5);
    assert_eq!(taken.code, 3, "{taken:?}");
    let output = streamfold(["dfg", "-q"]).arg(folder.path()).output().expect("a run");
    for name in ["a_h_2.st", "a_h_3.st"] {
        assert!(
            said(&output).contains(&format!("{name}: not a regular file")),
            "{}",
            said(&output)
        );
    }
}

/// The files of an OTF trace that its name leads to.
#[test]
fn streams_of_otf() {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("t.otf"), "1:1\n").expect("written");
    fifo(&folder.path().join("t.0.def"));
    fifo(&folder.path().join("t.1.events"));
    let taken = usage(&["profile"], &[&folder.path().join("t.otf")], 5);
    assert!(matches!(taken.code, 2..=4), "{taken:?}");
}
