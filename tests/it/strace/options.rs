//! Logs with other names and of other options of strace: files, bytes and times of each.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::program::{mpirun, said, streamfold, text};

fn run(arguments: &[&str]) -> (i32, String, String) {
    let arguments = [&["--mpi", "off"][..], arguments].concat();
    let output = streamfold(&arguments).output().expect("a run");
    (output.status.code().unwrap_or(-1), text(&output.stdout), said(&output))
}

/// A folder with logs of these names.
fn folder(logs: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    for (name, lines) in logs {
        fs::write(folder.path().join(name), lines).expect("written");
    }
    folder
}

fn path(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

/// The result of `io` as JSON, and what it said.
fn io(paths: &[&str]) -> (Value, String) {
    let (code, out, err) = run(&[&["io", "-q", "--format", "json"][..], paths].concat());
    assert_eq!(code, 0, "{paths:?}: {err}");
    (serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}")), err)
}

/// The result of `io` for a log, and what it said.
fn io_of(lines: &str) -> (Value, String) {
    let folder = folder(&[("run.log", lines)]);
    io(&[&path(&folder, "run.log")])
}

/// Bytes that were read from and written to each file.
fn files(of: &Value) -> BTreeMap<String, (u64, u64)> {
    let rows = of["files"].as_array().expect("files").iter();
    rows.map(|row| {
        let bytes = |name: &str| row[name].as_u64().unwrap_or(0);
        let name = row["file"].as_str().expect("a name").to_owned();
        (name, (bytes("bytes_read"), bytes("bytes_written")))
    })
    .collect()
}

fn check_files(lines: &str, expected: &[(&str, u64, u64)]) -> String {
    let (found, err) = io_of(lines);
    let expected: BTreeMap<String, (u64, u64)> = expected
        .iter()
        .map(|(name, read, written)| ((*name).to_owned(), (*read, *written)))
        .collect();
    assert_eq!(files(&found), expected, "{lines}");
    err
}

/// Visits and nanoseconds of each region.
fn visits(trace: &str) -> BTreeMap<String, (u64, u64)> {
    let (code, out, err) = run(&["profile", "-q", "--format", "json", trace]);
    assert_eq!(code, 0, "{err}");
    let found: Value = serde_json::from_str(&out).expect("JSON");
    let regions = found["regions"].as_array().expect("regions").iter();
    regions
        .map(|of| {
            let name = of["name"].as_str().expect("a name").to_owned();
            let number = |name: &str| of[name].as_u64().expect("a number");
            (name, (number("visits"), number("exclusive")))
        })
        .collect()
}

const READS: &str = "1700000000.000000 read(3</data/a>, \"\"..., 4096) = 4096 <0.000100>\n\
                     1700000000.010000 +++ exited with 0 +++\n";
const WRITES: &str = "1700000000.001000 write(4</data/b>, \"\"..., 8192) = 8192 <0.000300>\n";

/// Names do not matter: lines do. The number behind the last dot is the process of `-ff`.
#[test]
fn logs_have_any_names() {
    let logs = folder(&[("trace.100", READS), ("trace.101", WRITES), ("notes.txt", "f(x) is 1\n")]);
    let (whole, one, other) =
        (logs.path().display().to_string(), path(&logs, "trace.100"), path(&logs, "trace.101"));
    let both =
        BTreeMap::from([("/data/a".to_owned(), (4096, 0)), ("/data/b".to_owned(), (0, 8192))]);
    let given: [&[&str]; 3] = [&[&whole], &[&one, &other], &["--input-format", "strace", &whole]];
    for given in given {
        let (found, _) = io(given);
        assert_eq!(files(&found), both, "{given:?}");
        assert_eq!(found["processes"][0]["threads"], 2, "{given:?}: {}", found["processes"]);
    }
    let to = TempDir::new().expect("a folder");
    let archive = path(&to, "o.otf2");
    for command in [
        "info",
        "profile",
        "io",
        "efficiency",
        "timeline",
        "match",
        "waitstates",
        "validate",
        "print",
        "overview",
        "dfg",
    ] {
        for given in [&[&*whole][..], &[&*one, &*other]] {
            let is_of_runs = command == "efficiency" && given.len() > 1;
            let (code, out, err) = run(&[&[command][..], given].concat());
            assert_eq!(code, 0, "{command} {given:?}: {err}");
            assert!(is_of_runs || !out.is_empty(), "{command} {given:?}");
        }
    }
    let (code, _, err) = run(&["convert", "-q", &one, &other, "-o", &archive]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(files(&io(&[&archive]).0), both);
    let Some(output) = mpirun(3, ["io", "-q", "--format", "json", &one, &other]) else { return };
    let (_, alone, _) = run(&["io", "-q", "--format", "json", &one, &other]);
    assert_eq!(text(&output.stdout), alone);
}

/// Files and folders without a log are refused: no result is empty.
#[test]
fn what_is_no_log_is_refused() {
    let patch = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-read(1) = 2 files\n+more\n";
    let logs = folder(&[
        ("x.patch", patch),
        ("x.c", "int main(void)\n{\n  f(x);\n  y = g(x) = 3;\n}\n"),
        ("empty.log", ""),
        ("a_h_1.st", ""),
        ("b_h_1.st", "1 1700000000.0 +++ exited with 0 +++\n"),
        ("c_h_1.st", "nothing of strace\n"),
        ("trace.1", READS),
    ]);
    let none = folder(&[("notes.txt", "nothing of strace\n")]);
    let none = none.path().display().to_string();
    for command in ["io", "profile", "info", "validate", "overview"] {
        for name in ["x.patch", "x.c", "empty.log", "a_h_1.st", "b_h_1.st", "c_h_1.st"] {
            let (code, _, err) = run(&[command, &path(&logs, name)]);
            assert_eq!(code, 2, "{command} {name}: {err}");
        }
        for given in [&[&*none][..], &["--input-format", "strace", &none]] {
            let (code, _, err) = run(&[&[command][..], given].concat());
            assert_eq!(code, 2, "{command} {given:?}: {err}");
        }
    }
    let (_, _, err) = run(&["io", "--input-format", "strace", &none]);
    assert!(err.contains("no log of strace"), "{err}");
    // Several files of other formats are no trace.
    let (code, _, err) = run(&["io", &path(&logs, "trace.1"), &path(&logs, "x.c")]);
    assert!(code == 1 && err.contains("several files"), "{err}");
    let (code, _, _) = run(&["convert", &path(&logs, "a_h_1.st"), "-o", &path(&logs, "o.otf2")]);
    assert!(code == 2 && !Path::new(&path(&logs, "o.otf2")).exists());
    // A log with another name is never replaced.
    let (code, ..) =
        run(&["io", &path(&logs, "trace.1"), "-o", &path(&logs, "trace.1"), "--format", "json"]);
    assert_eq!(code, 1);
    assert_eq!(fs::read_to_string(path(&logs, "trace.1")).expect("it is there"), READS);
}

/// Calls with one stamp do not share one duration.
#[test]
fn coarse_times_keep_durations() {
    for stamp in ["10:00:0S ", "10:00:0S.123 ", "170000000S ", ""] {
        let lines: String = (0..30)
            .map(|call| {
                let stamp = stamp.replace('S', &(call / 10).to_string());
                format!("77 {stamp}write(3</data/a>, \"\"..., 1048576) = 1048576 <0.090000>\n")
            })
            .collect();
        let logs = folder(&[("run.log", &lines)]);
        let trace = path(&logs, "run.log");
        assert_eq!(visits(&trace)["write"], (30, 2_700_000_000), "{stamp}");
        let (code, out, err) = run(&["validate", &trace]);
        assert_eq!(code, 0, "{out}");
        assert!(out.contains("-ttt") || err.contains("-ttt"), "{stamp}: {out} {err}");
        let (_, out, _) = run(&["dfg", "-q", "--format", "json", &trace]);
        let graph: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(graph["total_duration"], 2_700_000_000u64);
    }
}

/// Durations are of another clock than times: those of all calls stay.
#[test]
fn clocks_that_are_set_back_lose_nothing() {
    let line = |process: u64, second: i64| {
        format!(
            "{process} {}.0 read(3</data/a>, \"\"..., 4096) = 4096 <0.5>\n",
            1_700_000_000 + second
        )
    };
    let steady: String = (0..10).map(|second| line(77, second)).collect();
    let back: String = (0..10).map(|second| line(77, second - 50)).collect();
    let logs = folder(&[("run.log", &(steady.clone() + &back))]);
    let trace = path(&logs, "run.log");
    assert_eq!(visits(&trace)["read"], (20, 10_000_000_000));
    for command in ["io", "validate", "dfg"] {
        let (code, out, err) = run(&[command, &trace]);
        assert_eq!(code, 0, "{err}");
        assert!((out + &err).contains("line 11: times go back by 59.500 s"), "{command}: {err}");
    }
    // The processes of two logs one after another have their own times.
    let other: String = (0..10).map(|second| line(78, second)).collect();
    let logs = folder(&[("run.log", &(steady + &other))]);
    let trace = path(&logs, "run.log");
    assert_eq!(visits(&trace)["read"], (20, 10_000_000_000));
    let (_, out, err) = run(&["info", &trace]);
    assert!(!(out + &err).contains("go back"));
}

/// Paths are those of `open` where none is behind descriptors.
#[test]
fn descriptors_are_followed() {
    let err = check_files(
        "77 1.0 openat(AT_FDCWD, \"/in\", O_RDONLY) = 3 <0.1>\n\
         77 2.0 open(\"/out\", O_WRONLY|O_CREAT|O_CLOEXEC, 0644) = 4 <0.1>\n\
         77 3.0 dup2(3, 9) = 9 <0.1>\n\
         77 3.5 fcntl(4, F_DUPFD_CLOEXEC, 10) = 10 <0.1>\n\
         77 4.0 close(3) = 0 <0.1>\n\
         77 5.0 openat(AT_FDCWD, \"/other\", O_RDONLY) = 3 <0.1>\n\
         77 6.0 read(9, \"\"..., 100) = 7 <0.1>\n\
         77 7.0 read(3, \"\"..., 100) = 20 <0.1>\n\
         77 8.0 write(10, \"\"..., 100) = 300 <0.1>\n\
         77 9.0 write(1, \"\"..., 100) = 5 <0.1>\n\
         77 9.1 openat(3, \"x\", O_RDONLY) = 11 <0.1>\n\
         77 9.2 read(11, \"\", 1) = 1 <0.1>\n\
         77 9.3 fstat(6, {st_size=1}) = 0 <0.1>\n",
        &[
            ("/in", 7, 0),
            ("/out", 0, 300),
            ("/other", 20, 0),
            ("/other/x", 1, 0),
            ("(unknown file)", 0, 5),
        ],
    );
    assert!(err.contains("those of 2 calls are not known") && err.contains("-y"), "{err}");
}

/// Threads share descriptors, children have copies, a new program closes some.
#[test]
fn descriptors_are_passed_on() {
    check_files(
        "77 1.0 open(\"/a\", O_RDWR|O_CLOEXEC) = 3 <0.1>\n\
         77 1.1 open(\"/b\", O_RDWR) = 4 <0.1>\n\
         77 2.0 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = 78 <0.1>\n\
         78 3.0 open(\"/c\", O_RDWR) = 5 <0.1>\n\
         77 4.0 write(5, \"\", 1) = 1 <0.1>\n\
         77 5.0 vfork( <unfinished ...>\n\
         79 5.1 write(3, \"\", 1) = 10 <0.1>\n\
         79 5.2 close(4) = 0 <0.1>\n\
         79 5.3 execve(\"/x\", [\"x\"], 0x7f /* 1 var */) = 0 <0.1>\n\
         77 5.4 <... vfork resumed>) = 79 <0.4>\n\
         79 6.0 write(3, \"\", 1) = 100 <0.1>\n\
         79 6.1 write(5, \"\", 1) = 1000 <0.1>\n\
         77 7.0 write(4, \"\", 1) = 10000 <0.1>\n\
         77 8.0 pipe2([6, 7], O_CLOEXEC) = 0 <0.1>\n\
         77 8.1 write(7, \"\", 1) = 100000 <0.1>\n\
         77 9.0 recvmsg(8, {msg_control=[{cmsg_len=20, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, \
         cmsg_data=[4]}]}, 0) = 1 <0.1>\n\
         77 9.1 write(4, \"\", 1) = 1000000 <0.1>\n\
         77 9.2 close_range(5, 4294967295, 0) = 0 <0.1>\n\
         77 9.3 write(5, \"\", 1) = 2000000 <0.1>\n\
         79 9.4 write(5, \"\", 1) = 2 <0.1>\n",
        &[
            ("/a", 0, 10),
            ("/b", 0, 10_000),
            ("/c", 0, 1_003),
            ("pipe:[line 14]", 0, 100_000),
            ("(unknown file)", 0, 3_000_100),
        ],
    );
}

/// The file that is read and the one that is written, in any of these calls.
#[test]
fn copies_have_two_files() {
    for call in [
        "copy_file_range(3</from>, NULL, 4</to>, NULL, 999, 0)",
        "sendfile(4</to>, 3</from>, [0] => [300], 999)",
        "splice(3</from>, NULL, 4</to>, NULL, 999, 0)",
        "tee(3</from>, 4</to>, 999, 0)",
    ] {
        let lines = format!("77 1.0 {call} = 300 <0.1>\n");
        check_files(&lines, &[("/from", 300, 0), ("/to", 0, 300)]);
    }
    check_files(
        "77 1.0 open(\"/to\", O_WRONLY) = 4 <0.1>\n77 2.0 sendfile(4, 3, NULL, 999) = 300 <0.1>\n",
        &[("/to", 0, 300), ("(unknown file)", 300, 0)],
    );
    check_files("77 1.0 vmsplice(4<pipe:[9]>, [], 1, 0) = 300 <0.1>\n", &[("pipe:[9]", 0, 300)]);
}

/// `-xx`, and `-x` with names beyond ASCII.
#[test]
fn paths_in_hexadecimal_are_paths() {
    check_files(
        r#"77 1.0 openat(AT_FDCWD<\x2f\x68>, "\x2f\x61\x2f\x69", O_RDONLY) = 3<\x2f\x61\x2f\x69> <0.1>
77 2.0 read(3<\x2f\x61\x2f\x69>, "\x41"..., 65536) = 65536 <0.1>
77 3.0 write(4<\x2f\x61\xc3\xa4>, "\x41"..., 1000) = 1000 <0.1>
77 4.0 write(5<\x70\x69\x70\x65\x3a\x5b\x37\x5d>, "\x41", 1) = 1 <0.1>
77 5.0 unlinkat(AT_FDCWD<\x2f\x68>, "\x2f\x61\x2f\x6a", 0) = 0 <0.1>
"#,
        &[("/a/i", 65536, 0), ("/aä", 0, 1000), ("pipe:[7]", 0, 1), ("/a/j", 0, 0)],
    );
}

/// Names of calls are whole: `getcwd` is no `getc`.
#[test]
fn kinds_of_calls_are_those_of_the_kernel() {
    let (found, _) = io_of(
        "7 1.0 getcwd(\"/s\", 4096) = 9 <0.1>\n\
         7 2.0 read(3</s/in>, \"x\"..., 4096) = 100 <0.1>\n\
         7 3.0 close_range(5, 7, 0) = 0 <0.1>\n\
         7 4.0 readahead(3</s/in>, 0, 4096) = 0 <0.1>\n",
    );
    let calls = found["calls"].as_array().expect("calls").iter();
    let text = |of: &Value, name: &str| of[name].as_str().expect("text").to_owned();
    let calls: BTreeMap<String, String> =
        calls.map(|of| (text(of, "call"), text(of, "level") + " " + &text(of, "kind"))).collect();
    for (call, expected) in [
        ("getcwd", "POSIX other"),
        ("read", "POSIX read"),
        ("close_range", "POSIX close"),
        ("readahead", "POSIX other"),
    ] {
        assert_eq!(calls[call], expected, "{calls:?}");
    }
}

/// Messages of strace before 4.11 do not name it, and cut calls behind their parenthesis.
#[test]
fn old_messages_are_no_calls() {
    let lines = "10:00:00.001000 execve(\"/usr/bin/make\", [\"make\"], [/* 20 vars */]) = 0 <0.000300>\n\
        10:00:00.002000 open(\"/data/in\", O_RDONLY)              = 3 <0.000100>\n\
        10:00:00.003000 clone(Process 2002 attached (waiting for parent)\n\
        Process 2002 resumed (parent 2001 ready)\n\
        child_stack=0, flags=CLONE_CHILD_CLEARTID|SIGCHLD, child_tidptr=0x7f12) = 2002 <0.000200>\n\
        [pid  2001] 10:00:00.005000 wait4(-1,  <unfinished ...>\n\
        [pid  2002] 10:00:00.006000 read(3, \"x\"..., 4096)       = 4096 <0.500000>\n\
        [pid  2002] 10:00:00.507000 exit_group(0)               = ?\n\
        Process 2002 detached\n\
        10:00:00.606000 <... wait4 resumed> [{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 2002 <0.601000>\n\
        10:00:00.610000 --- SIGCHLD (Child exited) @ 0 (0) ---\n\
        10:00:00.611000 write(1, \"done\\n\", 5)                   = 5 <0.000010>\n\
        10:00:00.612000 exit_group(0)                           = ?\n";
    let logs = folder(&[("run.err", lines)]);
    let trace = path(&logs, "run.err");
    let found = visits(&trace);
    let sum: (u64, u64) =
        found.values().fold((0, 0), |sum, (visits, time)| (sum.0 + visits, sum.1 + time));
    assert_eq!(sum, (6, 1_101_610_000), "{found:?}");
    assert_eq!(found["wait4"], (1, 601_000_000));
    let (code, out, err) = run(&["info", "--json", &trace]);
    assert!(code == 0 && !out.contains("unparsed") && !out.contains("lost"), "{out} {err}");
    check_files(lines, &[("/data/in", 4096, 0), ("(unknown file)", 0, 5)]);
}

/// `-i` and `-n` stand alone, too.
#[test]
fn addresses_stand_without_times() {
    let lines = "77 [00007f59f8d8aad7] read(3</data/a>, \"\"..., 4096) = 4096 <0.000100>\n\
                 77 [   0] [00007f59f8d8aad7] read(3</data/a>, \"\", 4096) = 0 <0.000010>\n\
                 77 [????????????????] +++ exited with 0 +++\n";
    let err = check_files(lines, &[("/data/a", 4096, 0)]);
    assert!(err.contains("there are no times"), "{err}");
    let logs = folder(&[("run.log", lines)]);
    assert_eq!(visits(&path(&logs, "run.log"))["read"], (2, 110_000));
}
