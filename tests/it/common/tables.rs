//! Reports that are tables: every output says the same.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::archives::Archive;
use super::program::{said, streamfold};
use super::skipped;

/// Fails where the CSV of a table is not what the JSON report has.
pub fn csv_says_what_json_says(command: &str, table: &str, anchor: &Path, report: &Value) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("table.csv");
    let args = [command, "-q", "--table", table, "-o"].map(OsStr::new);
    let args = args.into_iter().chain([file.as_os_str(), anchor.as_os_str()]);
    let output = streamfold(args).output().expect("a run");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let mut reader = csv::Reader::from_path(&file).expect("a table");
    let names = reader.headers().expect("names").clone();
    let lines: Vec<_> = reader.records().map(|record| record.expect("a row")).collect();
    let rows = report[table].as_array().expect("a table");
    assert_eq!(lines.len(), rows.len(), "{table}");
    for (line, row) in lines.iter().zip(rows) {
        for (name, text) in names.iter().zip(line) {
            let expected = match &row[name] {
                _ if name == "ticks_per_second" => report["units"]["ticks_per_second"].to_string(),
                Value::String(text) => text.clone(),
                Value::Null => String::new(),
                other => other.to_string(),
            };
            assert_eq!(text, expected, "{table}: {name}");
        }
    }
}

/// Fails where standard output does not get what files get, in each of its formats.
pub fn standard_output_gets_what_files_get(command: &str, anchor: &Path) {
    let folder = tempfile::tempdir().expect("a folder");
    for (format, suffix) in [("table", "txt"), ("csv", "csv"), ("json", "json")] {
        let file = folder.path().join("report").with_extension(suffix);
        let args = [command, "-q", "--format", format, "-o", "-", "-o"].map(OsStr::new);
        let args = args.into_iter().chain([file.as_os_str(), anchor.as_os_str()]);
        let output = streamfold(args).output().expect("a run");
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let written = fs::read(&file).expect("a report");
        assert!(!written.is_empty() && output.stdout == written, "{command} --format {format}");
    }
}

/// Reads both with other people's libraries.
const COMPARE: &str = "
import h5py, json, pandas, sys
report, file, command = json.load(open(sys.argv[1])), h5py.File(sys.argv[2]), sys.argv[3]
assert file.attrs['schema'] == 'streamfold-' + command
tables = {name: rows for name, rows in report.items() if isinstance(rows, list)}
assert sorted(file[command]) == sorted(name for name in tables if tables[name])
for name in file[command]:
    frame = pandas.DataFrame(file[command][name][:])
    assert len(frame) == len(tables[name]), name
    for i, row in enumerate(tables[name]):
        for column, value in row.items():
            found = frame[column][i]
            if isinstance(value, str):
                found = found.decode()
            elif value is None and found == b'':
                continue
            elif value is None:
                value = 2**64 - 1
            assert found == value, (name, column, found, value)
print('compared', len(tables))
";

/// Fails where h5py and pandas do not find every row and number of the JSON document.
pub fn hdf5_says_what_json_says(command: &str, archive: &Archive) {
    let Some(python) = std::env::var_os("STREAMFOLD_PYTHON") else {
        skipped("HDF5 as h5py sees it (STREAMFOLD_PYTHON)");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let [script, json, hdf5] = ["a.py", "a.json", "a.h5"].map(|name| folder.path().join(name));
    fs::write(&script, COMPARE).expect("a script");
    let args = [command, "-q", "-o"].map(OsStr::new).into_iter();
    let args = args.chain([json.as_os_str(), "-o".as_ref(), hdf5.as_os_str()]);
    let run = streamfold(args.chain([archive.anchor.as_os_str()])).output().expect("a run");
    assert_eq!(run.status.code(), Some(0), "{}", said(&run));
    let files = [script.as_os_str(), json.as_os_str(), hdf5.as_os_str(), command.as_ref()];
    let ended = Command::new(&python).args(files).output().expect("python");
    assert!(ended.status.success(), "{}: {}", archive.name, said(&ended));
}
