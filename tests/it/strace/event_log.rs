//! Event logs: all cases in one HDF5 file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hdf5_metno::types::{FixedAscii, FixedUnicode};
use hdf5_metno::{File, H5Type};
use serde_json::Value;

use super::{expected, folders, logs};
use crate::common::archives::data;
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

/// An event log of layout 1, which has a group for each case.
const GROUPS: &str = "event-log/layout-1/log.h5";

/// The graph of groups is that of their logs.
#[test]
fn groups_of_cases_are_read() {
    let logs = ["a_host1_9042.st", "b_host1_9157.st"];
    let logs = logs.map(|log| data().join("strace/paper_ls").join(log));
    let log = data().join(GROUPS);
    for options in [&[][..], &["--per-process"], &["--depth", "0", "--variants", "--sockets"]] {
        assert_eq!(graph(std::slice::from_ref(&log), options), graph(&logs, options));
    }
}

/// Logs of many cases: more rows than a chunk has, cases without calls, a long path, one of bytes that are no text.
fn many(to: &Path) -> Vec<PathBuf> {
    fs::create_dir(to).expect("a folder");
    let log = |case: u64| {
        let path = to.join(format!("c{}_host{}_{}.st", case % 3, case % 7, 1000 + case));
        let line = |number: u64| {
            let path = match number % 50 {
                0 => format!("/scratch/{}", "x".repeat(900)),
                1 => "/scratch/\\377\\300".to_owned(),
                _ => format!("/scratch/run{}/out.{case}.{}", case % 4, number % 9),
            };
            let (second, name) = (1_700_000_000 + case, ["read", "write"][number as usize % 2]);
            format!(
                "{case} {second}.{number:06} {name}(3<{path}>, \"\", 9) = 9 <0.00{number:04}>\n"
            )
        };
        let lines = if case % 10 == 3 { 0 } else { 20 + case % 50 };
        fs::write(&path, (0..lines).map(line).collect::<String>()).expect("written");
        path
    };
    (1..=400).map(log).collect()
}

#[test]
fn any_number_of_ranks_and_threads_writes_and_reads_the_same() {
    let to = tempfile::TempDir::new().expect("a folder");
    let folder = to.path().join("logs");
    let logs = many(&folder);
    let alone = to.path().join("1.h5");
    convert(&logs, &alone);
    let bytes = fs::read(&alone).expect("written");
    assert!(bytes.len() < 1 << 20, "{}", bytes.len());
    let path = |path: &Path| path.display().to_string();
    let threads = to.path().join("threads.h5");
    let mut program = streamfold(["convert", "-q", "--mpi", "off", "--threads", "3"]);
    let output = program.arg(&folder).arg("-o").arg(&threads).output().expect("a run");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(Some(&bytes) == fs::read(&threads).ok().as_ref());
    let log = std::slice::from_ref(&alone);
    let whole = graph(log, &["--variants"]);
    assert_eq!(whole, graph(&logs, &["--variants"]));
    for chosen in ["cid=c1", "host=host3", "cid=c2,host=host5"] {
        let options = ["--cases", chosen, "--variants"];
        assert_eq!(graph(log, &options), graph(&logs, &options), "{chosen}");
    }
    for ranks in [2, 3, 5] {
        let together = to.path().join(format!("{ranks}.h5"));
        let arguments =
            ["convert".into(), "-q".into(), path(&folder), "-o".into(), path(&together)];
        let Some(output) = mpirun(ranks, arguments) else { return };
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(Some(&bytes) == fs::read(&together).ok().as_ref(), "{ranks} ranks");
        let graph = to.path().join(format!("{ranks}.json"));
        let arguments = ["dfg", "-q", "--variants", &path(&alone), "-o", &path(&graph)];
        let output = mpirun(ranks, arguments.map(String::from)).expect("ranks");
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let report: Value =
            serde_json::from_slice(&fs::read(&graph).expect("written")).expect("JSON");
        for table in ["nodes", "edges", "variants"] {
            assert_eq!(report[table], whole[table], "{ranks} ranks: {table}");
        }
    }
}

/// A row of calls, as another program may have written it.
#[derive(Clone, Copy, H5Type)]
#[repr(C)]
struct Row<P: H5Type + Copy> {
    case: i32,
    pid: i32,
    call: FixedAscii<8>,
    start: f64,
    dur: f32,
    fp: P,
    size: f64,
}

#[derive(Clone, Copy, H5Type)]
#[repr(C)]
struct Case {
    cid: FixedUnicode<4>,
    host: FixedUnicode<4>,
    rid: u32,
    first: u64,
    rows: u64,
}

#[derive(Clone, Copy, H5Type)]
#[repr(C)]
struct PathRow {
    fp: FixedUnicode<16>,
}

fn row<P: H5Type + Copy>(case: i32, fp: P) -> Row<P> {
    let call = FixedAscii::from_ascii("read").expect("a text");
    Row { case, pid: 7, call, start: f64::from(case), dur: 0.5, fp, size: 9.0 }
}

fn case(cid: &str, first: u64, rows: u64) -> Case {
    let text = |text: &str| text.parse().expect("a text");
    Case { cid: text(cid), host: text("h"), rid: 1, first, rows }
}

fn table<T: H5Type>(file: &File, name: &str, rows: &[T]) {
    file.new_dataset_builder().with_data(rows).create(name).expect("written");
}

fn paths_of(paths: &[&str]) -> Vec<PathRow> {
    paths.iter().map(|path| PathRow { fp: path.parse().expect("a text") }).collect()
}

/// An index that does not fit the calls is refused, and so are tables with other columns.
#[test]
fn false_indices_are_refused() {
    let to = tempfile::TempDir::new().expect("a folder");
    // Each has a name of its own: a process that another test starts can have the lock of a file for a moment.
    let mut files = 0;
    let mut check = |write: &dyn Fn(&File), code: i32, words: &str| {
        files += 1;
        let log = to.path().join(format!("{files}.h5"));
        let file = File::create(&log).expect("a file");
        write(&file);
        drop(file);
        let output = streamfold(["dfg", "--mpi", "off", "--depth", "1"]).arg(&log).output();
        let output = output.expect("a run");
        let said = said(&output);
        assert!(output.status.code() == Some(code) && said.contains(words), "{words}: {said}");
    };
    let calls = [row(0, 1_u16), row(0, 2), row(1, 0), row(1, 1)];
    let good = [case("x", 0, 2), case("y", 2, 2)];
    let three = paths_of(&["", "/a/1", "/b/2"]);
    let whole = |file: &File, cases: &[Case]| {
        table(file, "calls", &calls);
        table(file, "paths", &three);
        table(file, "cases", cases);
    };
    check(&|file| whole(file, &good), 0, "");
    for (cases, words) in [
        (vec![case("x", 0, 2), case("y", 1, 3)], "y_h_1 begins at call 1"),
        (vec![case("x", 0, 2), case("y", 3, 1)], "y_h_1 begins at call 3"),
        (vec![case("x", 1, 3)], "x_h_1 begins at call 1"),
        (vec![case("x", 0, 2), case("y", 2, 3)], "y_h_1 has 3 calls, and only 2 are left"),
        (vec![case("x", 0, u64::MAX)], "x_h_1 has 18446744073709551615 calls"),
        (vec![case("x", 0, 2), case("y", 2, 1)], "its cases have 3 of 4 calls"),
        (vec![case("x", 0, 2), case("x", 2, 2)], "x_h_1 is there twice"),
        (vec![], "cases: "),
    ] {
        check(&|file| whole(file, &cases), 2, words);
    }
    let with = |file: &File, calls: &[Row<u16>], paths: &[&str]| {
        table(file, "calls", calls);
        table(file, "paths", &paths_of(paths));
        table(file, "cases", &good);
    };
    let many = ["", "/a", "/b", "/c", "/d", "/e"];
    check(&|file| with(file, &calls, &many), 2, "6 paths are more than its 4 calls have");
    // Rows are read when the index is known to be right: a wrong row costs the case.
    let other = [row(0, 1), row(0, 2), row(0, 0), row(1, 1)];
    check(&|file| with(file, &other, &many[..3]), 3, "y_h_1: call 2 is of case 0");
    let other = [row(0, 1), row(0, 3), row(1, 0), row(1, 1)];
    check(&|file| with(file, &other, &many[..3]), 3, "x_h_1: there is no path 3");
    let without = |file: &File, name: &str| {
        let tables: [(&str, &dyn Fn()); 3] = [
            ("calls", &|| table(file, "calls", &calls)),
            ("paths", &|| table(file, "paths", &three)),
            ("cases", &|| table(file, "cases", &good)),
        ];
        tables.iter().filter(|(other, _)| *other != name).for_each(|(_, write)| write());
    };
    let real = calls.map(|_| row(0, 1.5));
    let write = |file: &File| {
        without(file, "calls");
        table(file, "calls", &real);
    };
    check(&write, 2, "expected texts of one width in the column fp");
    check(&|file| without(file, "calls"), 2, "expected the tables calls and cases");
    for name in ["paths", "cases"] {
        check(&|file| without(file, name), 2, &format!("{name}: "));
    }
    for name in ["calls", "paths", "cases"] {
        let write = |file: &File| {
            without(file, name);
            table(file, name, &[1_i64, 2, 3]);
        };
        check(&write, 2, &format!("{name}: the table has no columns"));
        // None of the tables has the columns of each other one.
        let write = |file: &File| {
            without(file, name);
            match name {
                "cases" => table(file, name, &three),
                _ => table(file, name, &good),
            }
        };
        check(&write, 2, &format!("{name}: the table has no"));
    }
}

/// The paths of another program's calls may stand in the calls themselves.
#[test]
fn paths_may_be_texts() {
    let to = tempfile::TempDir::new().expect("a folder");
    let [numbers, texts] = ["n.h5", "t.h5"].map(|name| to.path().join(name));
    let cases = [case("x", 0, 2), case("y", 2, 2)];
    let paths = ["", "/a/1", "/b/2"];
    let numbers_of: [(i32, i32); 4] = [(0, 1), (0, 2), (1, 0), (1, 1)];
    let file = File::create(&numbers).expect("a file");
    table(&file, "calls", &numbers_of.map(|(case, path)| row(case, path)));
    table(&file, "paths", &paths_of(&paths));
    table(&file, "cases", &cases);
    drop(file);
    let file = File::create(&texts).expect("a file");
    let text = |path: i32| paths[path as usize].parse::<FixedUnicode<16>>().expect("a text");
    table(&file, "calls", &numbers_of.map(|(case, path)| row(case, text(path))));
    table(&file, "cases", &cases);
    drop(file);
    assert_eq!(graph(&[numbers], &["--variants"]), graph(&[texts], &["--variants"]));
}

/// pandas opens a table in one line, and a file that pandas wrote itself is read.
#[test]
fn pandas_reads_and_writes_them() {
    const SCRIPT: &str = "
import sys, h5py, numpy, pandas
file = h5py.File(sys.argv[1])
assert file.attrs['cases'] == 6
calls, cases = (pandas.DataFrame(file[name][:]) for name in ('calls', 'cases'))
calls['fp'] = file['paths']['fp'][calls['fp']]
assert (cases['rows'].sum(), cases['cid'][3], cases['host'][3], cases['rid'][3]) == (len(calls), b'b', b'host1', 9157)
assert (numpy.repeat(cases.index, cases['rows']) == calls['case']).all()
assert list(file['files']['name'][cases.index]) == [b'%s_%s_%d.st' % case for case in zip(cases['cid'], cases['host'], cases['rid'])]
table = calls.merge(cases, left_on='case', right_index=True).query('rid == 9157').reset_index(drop=True)
assert list(table.columns[1:7]) == ['pid', 'call', 'start', 'dur', 'fp', 'size']
assert len(table) == 17 == cases['lines_events'][3]
assert set(table['fp']) >= {b'/etc/passwd', b'/dev/pts/7'}, set(table['fp'])
assert list(table['call'].str.decode('utf8').value_counts().items()) == [('read', 13), ('write', 4)]
assert table['start'].is_monotonic_increasing
assert (numpy.rint(table['dur'] * 1e9) == table['dur_ns']).all()
# What another program writes has the columns of the paper only, and numbers of other widths.
kind = [('index', 'i8'), ('pid', 'i4'), ('call', 'S8'), ('start', 'f8'), ('dur', 'f4'), ('fp', 'S40'), ('size', 'f8')]
rows = numpy.zeros(len(table), kind)
for name, *_ in kind[1:]:
    rows[name] = table[name].to_numpy()
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
    let wholes = [log, data().join(GROUPS)].map(|log| fs::read(log).expect("an event log"));
    let mut dice = 88_172_645_463_325_252_u64;
    let mut below = |end: usize| {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        dice as usize % end
    };
    for round in 0..150 {
        let whole = &wholes[round % 3 / 2];
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
            if said(&output).contains(&format!("calls: {declared} rows are declared")) {
                refused += 1;
                let words = "rows are declared, and its data has room for ";
                assert_eq!(output.status.code(), Some(2));
                assert!(said(&output).contains(words), "{}", said(&output));
            }
        }
    }
    assert!(refused >= 2, "{refused}");
}
