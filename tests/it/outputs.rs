//! Options that name a place to write to never reach a file of the trace that is read.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::common::cases::third;
use crate::common::copy_folder;
use crate::common::program::{said, streamfold};

/// Small traces of every format: the file or folder that is named, and files of it besides.
const TRACES: &[(&str, &str, &[&str])] = &[
    ("local-defs", "traces.otf2", &["traces.otf2", "traces.def", "traces/0.evt", "traces/new.csv"]),
    (
        "otf/all-short",
        "trace.otf",
        &[
            "trace.otf",
            "trace.0.def",
            "trace.ab.events",
            "trace.1.snaps",
            "trace.1.stats",
            "trace.0.def.z",
            "trace.0.marker",
        ],
    ),
    ("otf/all-short", "", &["trace.0.def", "trace.2.events"]),
    ("gistlog", "page-example.gist", &["page-example.gist"]),
    ("strace/paper_ls", "", &["a_host1_9042.st", "new_host_1.st"]),
    ("strace/paper_ls", "a_host1_9042.st", &["a_host1_9042.st"]),
    ("dftracer/2.2-plain", "", &["train-1dc9eec8c7a48513-app.pfw", "new.pfw.gz"]),
    ("dftracer/chrome-compat", "", &["array-of-events.json"]),
    ("dftracer/chrome-compat", "array-of-events.json", &["array-of-events.json"]),
];

/// What each command needs besides the trace. A command that is not here fails the test.
fn others(command: &str) -> &'static [&'static str] {
    match command {
        "profile" | "match" | "dfg" | "io" | "timeline" | "waitstates" | "validate" | "convert"
        | "copy" | "unify" | "salvage" | "otf write" | "otf aux" | "report" | "efficiency"
        | "critical" => &[],
        "print" => &["--system-tree"],
        "cut" => &["--time", "0", "1"],
        "diff" => &["/nonexistent/other.otf2"],
        "merge" => &["/nonexistent/other.otf2"],
        "otf merge" => &[],
        "otf shrink" => &["-l", "1"],
        other => panic!("{other}: say what the command needs besides a trace"),
    }
}

/// What an option needs besides a place.
fn with(command: &str, option: &str) -> &'static [&'static str] {
    match (command, option) {
        ("merge", "--origins") => &["-o", "elsewhere.otf2"],
        _ => &[],
    }
}

/// All files below a folder, with what is in them.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(contents(&path)),
            false => drop(found.insert(path.clone(), fs::read(&path).unwrap_or_default())),
        }
    }
    found
}

/// A copy of a trace, and the path by which it is named.
fn copy(folder: &str, name: &str) -> (TempDir, PathBuf) {
    let room = TempDir::new().expect("a folder");
    copy_folder(&Path::new("tests/data").join(folder), room.path());
    let trace = if name.is_empty() { room.path().to_owned() } else { room.path().join(name) };
    (room, trace)
}

#[test]
fn no_option_of_any_command_overwrites_a_file_of_the_trace() {
    let options = streamfold::cli::outputs();
    assert!(options.len() > 20, "{options:?}");
    for (folder, name, files) in TRACES {
        let (room, trace) = copy(folder, name);
        let before = contents(room.path());
        let link = room.path().with_extension("link");
        for (number, (words, option)) in options.iter().enumerate() {
            let command = words.join(" ");
            // Every third file in ci/test, other ones for each option.
            for file in third(*files, number) {
                let place = room.path().join(file);
                std::os::unix::fs::symlink(&place, &link).expect("a link");
                let places = [&place, &link];
                for place in &places[..1 + usize::from(place.exists())] {
                    let mut args: Vec<&std::ffi::OsStr> = words.iter().map(AsRef::as_ref).collect();
                    args.push(trace.as_ref());
                    args.extend(others(&command).iter().map(std::ffi::OsStr::new));
                    args.extend(with(&command, option).iter().map(std::ffi::OsStr::new));
                    args.extend([option.as_ref(), place.as_os_str()]);
                    let ended = streamfold(&args).output().expect("the program runs");
                    let told = said(&ended);
                    assert_eq!(ended.status.code(), Some(1), "{args:?}: {told}");
                    assert!(told.contains("it belongs to the trace"), "{args:?}: {told}");
                }
                fs::remove_file(&link).expect("it is there");
                // `--force` replaces other archives only.
                if ["convert", "copy", "cut", "unify", "salvage", "merge"].contains(&&*command)
                    && option == "--output"
                {
                    let mut forced: Vec<&str> = words.iter().map(|word| &**word).collect();
                    let (trace, place) =
                        (trace.to_str().expect("text"), place.to_str().expect("text"));
                    forced.push(trace);
                    forced.extend(others(&command));
                    forced.extend(["--force", "-o", place]);
                    let ended = streamfold(&forced).output().expect("the program runs");
                    assert_eq!(ended.status.code(), Some(1), "{forced:?}: {}", said(&ended));
                }
            }
        }
        assert!(contents(room.path()) == before, "{folder}/{name} is as it was");
    }
}

/// A file to which a link of the trace leads belongs to the trace.
#[test]
fn no_output_replaces_what_a_link_of_the_trace_leads_to() {
    let (room, trace) = copy("otf/all-short", "trace.otf");
    let elsewhere = TempDir::new().expect("a folder");
    let stream = elsewhere.path().join("stream");
    fs::rename(room.path().join("trace.1.events"), &stream).expect("moved");
    std::os::unix::fs::symlink(&stream, room.path().join("trace.1.events")).expect("a link");
    let before = fs::read(&stream).expect("a file");
    for option in ["-o", "--talp"] {
        let args: [&std::ffi::OsStr; 4] =
            ["efficiency".as_ref(), trace.as_ref(), option.as_ref(), stream.as_ref()];
        let ended = streamfold(args).output().expect("the program runs");
        assert_eq!(ended.status.code(), Some(1), "{}", said(&ended));
    }
    assert_eq!(fs::read(&stream).expect("a file"), before);
}

/// The page of `report` has a name of its own where none is given.
#[test]
fn a_page_that_is_named_by_itself_replaces_no_trace() {
    let room = TempDir::new().expect("a folder");
    let text = fs::read("tests/data/dftracer/chrome-compat/array-of-events.json").expect("a file");
    fs::write(room.path().join("run.html"), &text).expect("written");
    let mut command = streamfold(["report", "run.html"]);
    let ended = command.current_dir(room.path()).output().expect("the program runs");
    assert_eq!(ended.status.code(), Some(1), "{}", said(&ended));
    assert_eq!(fs::read(room.path().join("run.html")).expect("a file"), text);
}
