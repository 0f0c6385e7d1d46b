//! Lines by kind, and what calls say.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

use flate2::write::GzEncoder;
use serde_json::{json, Value};
use streamfold::formats::strace::{read, Call, CaseName, FileReport, Reading, TimeForm};

use super::{expected, folders, logs};

/// What a file holds, in the words of what is expected.
fn summary(path: &Path) -> (Value, FileReport) {
    let case = CaseName::of(path, None).expect("a case");
    let reading = Reading { pid: case.pid, ..Reading::default() };
    let mut calls: BTreeMap<String, u64> = BTreeMap::new();
    let mut errors: BTreeMap<String, u64> = BTreeMap::new();
    let mut pids = BTreeSet::new();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut receive = |call: &Call<'_>| {
        *calls.entry(text(call.name)).or_default() += 1;
        if let Some(error) = call.error {
            *errors.entry(text(error)).or_default() += 1;
        }
        pids.insert(call.pid);
    };
    let report = read(path, reading, &mut receive).expect("a log");
    if pids.remove(&FileReport::SOLE) {
        pids.insert(report.sole);
    }
    let lines = report.lines.each().filter(|(_, count)| *count > 0);
    let lines: serde_json::Map<String, Value> =
        lines.map(|(name, count)| (name.to_owned(), json!(count))).collect();
    let forms = report.forms.iter().map(|form| match form {
        TimeForm::Relative => "rel",
        form => form.name(),
    });
    let forms: Vec<&str> = forms.collect();
    let summary = json!({
        "cid": case.cid, "host": case.host, "rid": case.rid, "time_forms": forms, "lines": lines,
        "calls": calls, "errnos": errors, "pids": pids.len(),
    });
    (summary, report)
}

#[test]
fn lines_are_of_the_kinds_that_are_expected() {
    for folder in folders() {
        let expected = expected(&folder);
        let mut names = BTreeSet::new();
        for log in logs(&folder) {
            let name = CaseName::of(&log, None).expect("a case").to_string();
            let (found, report) = summary(&log);
            assert_eq!(found, expected["cases"][&name], "{}", log.display());
            assert!(report.lines.add_up(), "{}: {:?}", log.display(), report.lines);
            assert_eq!(report.unparsed.len() as u64, report.lines.unparsed);
            names.insert(name);
        }
        let cases = expected["cases"].as_object().expect("cases");
        assert_eq!(names, cases.keys().cloned().collect(), "{}", folder.display());
    }
}

/// A file with these bytes, read.
fn of(bytes: &[u8]) -> (Vec<String>, FileReport) {
    let folder = tempfile::TempDir::new().expect("a folder");
    let path = folder.path().join("a_h_1.st");
    std::fs::write(&path, bytes).expect("written");
    let mut calls = Vec::new();
    let mut receive = |call: &Call<'_>| {
        let path = call.target.to_path().map(|path| String::from_utf8_lossy(&path).into_owned());
        let name = String::from_utf8_lossy(call.name).into_owned();
        let Call { line, pid, start, duration, size, .. } = call;
        calls.push(format!("{line} {pid} {name} {start} {duration:?} {path:?} {size:?}"));
    };
    let report = read(&path, Reading::default(), &mut receive).expect("a log");
    assert!(report.lines.add_up(), "{:?}", report.lines);
    (calls, report)
}

/// Every begin of a log is read, and no line of it is left out.
#[test]
fn a_log_may_end_anywhere() {
    for folder in folders().into_iter().filter(|folder| !folder.ends_with("mpi_mix")) {
        let log = logs(&folder).into_iter().next().expect("a log");
        let all = std::fs::read(&log).expect("a log");
        let all = &all[..all.len().min(6000)];
        let (calls, _) = of(all);
        // Odd steps meet every place of a line, in one log or another.
        let step = match (crate::common::cases::is_full(), all.len()) {
            (true, _) => 1,
            (false, ..1500) => 3,
            (false, _) => 29,
        };
        for length in (0..all.len()).step_by(step) {
            let (found, report) = of(&all[..length]);
            let ended = all[..length].iter().filter(|byte| **byte == b'\n').count() as u64;
            let is_between = length == 0 || all[length - 1] == b'\n';
            assert_eq!(report.lines.lines, ended + u64::from(!is_between), "{length}");
            // The last line may be the only one that differs.
            let same = found.iter().zip(&calls).take_while(|(one, other)| one == other).count();
            assert!(same + 1 >= found.len(), "{length}: {found:?}");
        }
    }
}

#[test]
fn what_is_compressed_is_read_alike() {
    let folder = folders().into_iter().find(|folder| folder.ends_with("edge_hand"));
    let log = logs(&folder.expect("the folder")).into_iter().next().expect("a log");
    let plain = std::fs::read(log).expect("a log");
    let (calls, report) = of(&plain);
    assert_eq!(calls.len(), 25);
    // Two members, as of a file that was written on.
    let mut packed = Vec::new();
    for part in [&plain[..700], &plain[700..]] {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(part).expect("packed");
        packed.extend(encoder.finish().expect("packed"));
    }
    let (unpacked, of_packed) = of(&packed);
    assert_eq!((unpacked, of_packed.lines), (calls.clone(), report.lines));
    let (cut, of_cut) = of(&packed[..packed.len() - 40]);
    assert!(of_cut.damage.is_some() && cut.len() <= calls.len());
    assert!(calls.starts_with(&cut));
}

#[test]
fn odd_lines_of_the_field() {
    let check = |text: &str, kinds: &[(&str, u64)]| {
        let (calls, report) = of(text.as_bytes());
        let found: BTreeMap<&str, u64> = report.lines.each().filter(|(_, n)| *n > 0).collect();
        let mut expected: BTreeMap<&str, u64> = kinds.iter().copied().collect();
        expected.insert("lines", text.lines().count() as u64);
        assert_eq!(found, expected, "{text}: {calls:?} {:?}", report.unparsed);
        calls
    };
    // S1: the process goes on under another number.
    let text = "1 1700000000.1 execve(\"/x\", [\"x\"], NULL <pid changed to 4711 ...>\n";
    check(text, &[("call", 1), ("no_return", 1)]);
    // S2
    let text = "1 1700000000.1 restart_syscall(<... resuming interrupted read ...>) = 0 <0.5>\n";
    let calls = check(text, &[("call", 1), ("events", 1)]);
    assert!(calls[0].contains("restart_syscall") && calls[0].contains("None None"), "{calls:?}");
    // S3: what is relative never begins before the call before has ended.
    let text = "0.000000 semop(1) = 0 <9.685337>\n0.000022 semop(1) = 0 <0.000001>\n";
    let calls = check(text, &[("call", 2), ("events", 2)]);
    assert!(calls[1].contains(" 9685337000 "), "{calls:?}");
    // S5, S6
    let text = "1 1700000000.1 syscall_0x1b7(0x1) = -1 ENOSYS (Function not implemented)\n\
                1 1700000000.2 openat(dirfd: AT_FDCWD, pathname: \"x\") = 3\n";
    let calls = check(text, &[("call", 2), ("events", 2), ("no_duration", 2)]);
    assert!(calls[1].contains("Some(\"x\")"), "{calls:?}");
    // S7, S8
    let text = "3619 1700000000.1 futex(0x1 <unfinished ...>\n\
                3619 1700000000.2 <... futex resumed> ) = ? <unavailable>\n\
                3619 1700000000.3 <... clone resumed>) = 0\n";
    check(text, &[("unfinished", 1), ("resumed", 1), ("no_return", 1), ("resumed_orphan", 1)]);
    // S9, S10
    let text = "1 1700000000.1 execve(\"/b\", [\"bin\", \"args\", ...], 0x1 /* 43 vars */) = 0 <0.1>\n\
                1 1700000000.2 wait4(-1, [{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 76 <0.1>\n";
    check(text, &[("call", 2), ("events", 2)]);
    // S13: glued to what the program said.
    let text =
        "1 1700000000.1 brk(NULL) = 0x1 <0.1>\nhello[ Process PID=21324 runs in 32 bit mode. ]\n";
    check(text, &[("call", 1), ("events", 1), ("diag", 1)]);
    // S14, S15
    let text = "1 1700000000.1 write(3</project/a,b>, \"x\", 1) = 1 <0.1>\n\
                1 1700000000.2 stat(\"/x\", {st_rdev=makedev(0xfd, 0), st_mtime=1 /* 2019-08-20T1:2 */}) = 0 <0.1>\n";
    let calls = check(text, &[("call", 2), ("events", 2)]);
    assert!(calls[0].contains("Some(\"/project/a,b\") Some(1)"), "{calls:?}");
    // S17
    let text = "1234<my prog> 1700000000.1 brk(NULL) = 0x1 <0.1>\n";
    let calls = check(text, &[("call", 1), ("events", 1)]);
    assert!(calls[0].starts_with("1 1234 brk"), "{calls:?}");
    // S19
    let text =
        "9 1700000000.1 read(3,  <unfinished ...>\n9 1700000000.2 +++ killed by SIGKILL +++\n";
    check(text, &[("unfinished", 1), ("exit", 1), ("unfinished_lost", 1)]);
}

/// S16: lines of any length.
#[test]
fn a_line_may_be_long() {
    let buffer = "x".repeat(3_000_000);
    let text = format!(
        "1 1700000000.1 write(3</f>, \"{buffer}\", 3) = 3 <0.1>\n1 1700000000.2 brk(0) = 1 <0.1>\n"
    );
    let (calls, report) = of(text.as_bytes());
    assert_eq!((calls.len(), report.lines.unparsed), (2, 0));
}

/// S4: a number that is used again after an exit is another process.
#[test]
fn numbers_of_processes_are_used_again() {
    let text = "9 1700000000.1 brk(0) = 1 <0.1>\n9 1700000000.2 +++ exited with 0 +++\n\
                9 1700000000.3 brk(0) = 1 <0.1>\n";
    let (_, report) = of(text.as_bytes());
    assert_eq!(report.reused, 1);
}

#[test]
fn other_tracers_are_refused() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let path = folder.path().join("a_h_1.st");
    let text = "I0101 12:00:00.000000       1 strace.go:567] [   1] bash E read(0x3, 0x1, 0x10)\n";
    std::fs::write(&path, text).expect("written");
    let refused = read(&path, Reading::default(), &mut |_| {}).expect_err("it is refused");
    assert!(refused.to_string().contains("gVisor"), "{refused}");
}

#[test]
fn anything_can_be_read() {
    let mut state = 1u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let folder = folders().into_iter().find(|folder| folder.ends_with("edge_hand"));
    let log = logs(&folder.expect("the folder")).into_iter().next().expect("a log");
    let whole = std::fs::read(log).expect("a log");
    for _ in 0..400 {
        let mut bytes = whole.clone();
        for _ in 0..1 + random() % 8 {
            let at = random() as usize % bytes.len();
            match random() % 3 {
                0 => bytes[at] = random() as u8,
                1 => drop(bytes.drain(at..(at + 9).min(bytes.len()))),
                _ => bytes.insert(at, b"<>\"()\\\n,"[random() as usize % 8]),
            }
        }
        of(&bytes);
    }
    let garbage: Vec<u8> = (0..100_000).map(|_| random() as u8).collect();
    of(&garbage);
    of(b"");
}
