//! Event logs: all cases in one HDF5 file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{expected, folders, logs};
use crate::common::program::{mpirun, said, streamfold, text};
use crate::common::skipped;
use crate::common::usage::usage;

fn convert(logs: &[PathBuf], to: &Path) {
    let mut program = streamfold(["convert", "-q", "--mpi", "off"]);
    let output = program.args(logs).arg("-o").arg(to).output().expect("a run");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

/// The graph, without what says where it comes from.
fn graph(logs: &[PathBuf], options: &[&str]) -> Value {
    let mut program = streamfold(["dfg", "-q", "--mpi", "off", "--format", "json"]);
    let output = program.args(logs).args(options).output().expect("a run");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let mut report: Value = serde_json::from_str(&text(&output.stdout)).expect("JSON");
    let fields = report.as_object_mut().expect("an object");
    fields.remove("provenance");
    fields.remove("files");
    report
}

#[test]
fn graphs_are_those_of_the_logs() {
    let to = tempfile::TempDir::new().expect("a folder");
    for (number, folder) in folders().iter().enumerate() {
        // Some have names of another form.
        let logs: Vec<PathBuf> =
            logs(folder).into_iter().filter(|log| log.to_string_lossy().contains(".st")).collect();
        if logs.is_empty() || expected(folder)["dfg"].is_null() {
            continue;
        }
        let log = to.path().join(format!("{number}.h5"));
        convert(&logs, &log);
        let log = std::slice::from_ref(&log);
        for options in [&[][..], &["--per-process"], &["--depth", "0", "--variants", "--sockets"]] {
            let what = folder.display();
            assert_eq!(graph(log, options), graph(&logs, options), "{what} {options:?}");
        }
    }
}

#[test]
fn any_number_of_ranks_writes_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/strace/paper_ls");
    let to = tempfile::TempDir::new().expect("a folder");
    let alone = to.path().join("1.h5");
    convert(&logs(&folder), &alone);
    for ranks in [2, 3, 5] {
        let together = to.path().join(format!("{ranks}.h5"));
        let path = |path: &Path| path.display().to_string();
        let arguments =
            ["convert".into(), "-q".into(), path(&folder), "-o".into(), path(&together)];
        let Some(output) = mpirun(ranks, arguments) else { return };
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(fs::read(&alone).ok() == fs::read(&together).ok(), "{ranks} ranks");
    }
}

/// pandas opens a case in one line, and a file that pandas wrote itself is read.
#[test]
fn pandas_reads_and_writes_them() {
    const SCRIPT: &str = "
import sys, h5py, numpy, pandas
file = h5py.File(sys.argv[1])
assert file.attrs['cases'] == 6
case = file['b_host1_9157']
assert (case.attrs['cid'], case.attrs['host'], case.attrs['rid']) == ('b', 'host1', 9157)
table = pandas.DataFrame(case['table'][:])
assert list(table.columns[:6]) == ['pid', 'call', 'start', 'dur', 'fp', 'size']
assert len(table) == 17 == case.attrs['lines.events']
assert list(table['call'].str.decode('utf8').value_counts().items()) == [('read', 13), ('write', 4)]
assert table['start'].is_monotonic_increasing
assert (numpy.rint(table['dur'] * 1e9) == table['dur_ns']).all()
# What another program writes has the columns of the paper only, and numbers of other widths.
kind = [('index', 'i8'), ('pid', 'i4'), ('call', 'S8'), ('start', 'f8'), ('dur', 'f4'), ('fp', 'S40'), ('size', 'f8')]
rows = numpy.zeros(len(table), kind)
for name, *_ in kind[1:]:
    rows[name] = table[name]
with h5py.File(sys.argv[2], 'w') as to:
    to.create_dataset('b_host1_9157/table', data=rows)
";
    let Some(python) = std::env::var_os("STREAMFOLD_PYTHON") else {
        skipped("event logs as pandas sees them (STREAMFOLD_PYTHON)");
        return;
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/strace/paper_ls");
    let to = tempfile::TempDir::new().expect("a folder");
    let [log, other, script] = ["log.h5", "other.h5", "s.py"].map(|name| to.path().join(name));
    convert(&logs(&folder), &log);
    fs::write(&script, SCRIPT).expect("a script");
    let ended = Command::new(python).args([&script, &log, &other]).output().expect("python");
    assert!(ended.status.success(), "{}", said(&ended));
    let of = |report: &Value| -> Vec<(String, String, String)> {
        let edges = report["edges"].as_array().expect("edges").iter();
        edges
            .map(|e| (e["from"].to_string(), e["to"].to_string(), e["count"].to_string()))
            .collect()
    };
    let cases = ["--cases", "rid=9157"];
    assert_eq!(of(&graph(&[other], &[])), of(&graph(&[log], &cases)));
}

#[test]
fn what_is_refused() {
    let to = tempfile::TempDir::new().expect("a folder");
    let at = |name: &str, bytes: &[u8]| {
        let path = to.path().join(name);
        fs::write(&path, bytes).expect("written");
        path.display().to_string()
    };
    let log = at("a_h_1.st", b"1 1700000000.1 brk(0) = 1 <0.1>\n");
    let odd = at("odd.h5", b"nothing of HDF5");
    let text = at("a.txt", b"");
    let out = to.path().join("out.h5").display().to_string();
    let check = |arguments: &[&str], code: i32, words: &str| {
        let output = streamfold(arguments).output().expect("a run");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains(words), "{arguments:?}: {}", said(&output));
        assert!(!Path::new(&out).exists());
    };
    check(&["dfg", &odd], 2, "no event log");
    check(&["convert", &text, "-o", &out], 1, "logs of strace");
    check(&["convert", &log, &log, "-o", &out], 1, "are both of a_h_1");
    check(&["convert", &log, "-o", &out, "--time", "1", "2"], 1, "--time");
    let archive = to.path().join("o.otf2").display().to_string();
    check(&["convert", &log, &text, "-o", &archive], 1, "several files");
}

/// Whatever bytes of an event log are wrong, the program ends with one of its exit codes.
#[test]
fn damage_does_not_crash() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/strace/paper_ls");
    let to = tempfile::TempDir::new().expect("a folder");
    let [log, damaged] = ["log.h5", "damaged.h5"].map(|name| to.path().join(name));
    convert(&logs(&folder), &log);
    let whole = fs::read(&log).expect("an event log");
    let mut dice = 88_172_645_463_325_252_u64;
    let mut below = |end: usize| {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        dice as usize % end
    };
    for round in 0..100 {
        let mut bytes = whole.clone();
        if round % 5 == 0 {
            bytes.truncate(below(whole.len()));
        }
        for _ in 0..=below(12) {
            // What describes the first cases stands at the begin.
            let end = if round % 2 == 0 { bytes.len() } else { bytes.len().min(6000) };
            if end > 0 {
                bytes[below(end)] = below(256) as u8;
            }
        }
        fs::write(&damaged, &bytes).expect("written");
        let arguments = ["dfg", "-q", "--mpi", "off", "--threads", "1"];
        let output = streamfold(arguments).arg(&damaged).output().expect("a run");
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 2 | 3)), "round {round}: {code:?} {}", said(&output));
    }
}

/// A number of rows that is false is refused before any of them is read. The number of rows stands in the file, and in
/// numbers of lines, too: each of them is made large in turn.
#[test]
fn false_numbers_of_rows_are_refused() {
    const ROWS: u64 = 4321;
    let to = tempfile::TempDir::new().expect("a folder");
    let at = |name: &str| to.path().join(name);
    let line = |number: u64| format!("7 1700000000.{number:06} brk(0) = 1 <0.1>\n");
    fs::write(at("a_h_1.st"), (0..ROWS).map(line).collect::<String>()).expect("written");
    convert(&[at("a_h_1.st")], &at("log.h5"));
    let whole = fs::read(at("log.h5")).expect("an event log");
    let places = whole.windows(8).enumerate().filter(|(_, bytes)| **bytes == ROWS.to_le_bytes());
    let places: Vec<usize> = places.map(|(place, _)| place).collect();
    let mut refused = 0;
    for place in places {
        for (byte, declared) in [(5, ROWS + (150 << 40)), (3, ROWS + (150 << 24))] {
            let mut bytes = whole.clone();
            bytes[place + byte] = 150;
            fs::write(at("damaged.h5"), &bytes).expect("written");
            let taken = usage(&["dfg"], &[&at("damaged.h5")], 20);
            assert!(matches!(taken.code, 0 | 2), "{place}: {taken:?}");
            assert!(taken.memory < 300 << 20, "{place}: {taken:?}");
            let output = streamfold(["dfg", "-q", "--mpi", "off"]).arg(at("damaged.h5")).output();
            let output = output.expect("a run");
            if said(&output).contains(&format!("a_h_1/table: {declared} rows are declared")) {
                refused += 1;
                let words = "rows are declared, and its data has room for ";
                assert_eq!(output.status.code(), Some(2));
                assert!(said(&output).contains(words), "{}", said(&output));
            }
        }
    }
    assert!(refused >= 2, "{refused}");
}
