//! Every matched message, one by one.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::archives::{large, one, own};
use crate::common::program::{said, streamfold};
use crate::matching::{number, report, rows};

/// The lines of a list as JSON objects, and the exit code.
fn list(anchor: &Path, more: &[&str]) -> (Vec<Value>, i32) {
    let folder = tempfile::tempdir().expect("a folder");
    let [file, rest] = ["list.jsonl", "rest.json"].map(|name| folder.path().join(name));
    let mut args: Vec<OsString> = vec!["match".into(), "-q".into(), anchor.into()];
    args.extend(["--list".into(), file.clone().into(), "-o".into(), rest.into()]);
    args.extend(more.iter().map(Into::into));
    let run = streamfold(args).output().expect("a run");
    let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{e}: {}", said(&run)));
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("an object"));
    (lines.collect(), run.status.code().expect("an exit code"))
}

/// What the messages of a list add up to is what facts.json and the tables say.
#[test]
fn the_messages_of_every_archive_are_all_there() {
    let mut compared = 0;
    for archive in own().into_iter().chain(large()) {
        let (report, code) = report(&archive.anchor, &[]);
        let (list, of_list) = list(&archive.anchor, &[]);
        // Call paths may have regions that nobody defines.
        assert!(of_list == code || (code, of_list) == (0, 3), "{}: {code} {of_list}", archive.name);
        let mut by_comm: BTreeMap<u64, [u64; 4]> = BTreeMap::new();
        let mut by_pair: BTreeMap<(u64, u64), [u64; 2]> = BTreeMap::new();
        for line in &list {
            let of = |column: &str| number(line, column);
            let late = u64::from(of("receive_ticks") < of("send_ticks"));
            let received = of("received_bytes");
            let unequal = u64::from(received > 0 && of("bytes") != received);
            let sums = by_comm.entry(of("communicator")).or_default();
            for (sum, more) in sums.iter_mut().zip([1, of("bytes"), late, unequal]) {
                *sum += more;
            }
            let pair = by_pair.entry((of("sender"), of("receiver"))).or_default();
            *pair = [pair[0] + 1, pair[1] + of("bytes")];
            assert!(of("post_ticks") <= of("receive_ticks"), "{}: {line}", archive.name);
        }
        let mut expected: BTreeMap<u64, [u64; 4]> = BTreeMap::new();
        for row in rows(&report, "communicators") {
            let sums = ["messages", "bytes", "late", "unequal_lengths"].map(|c| number(row, c));
            expected.insert(number(row, "communicator"), sums);
        }
        expected.retain(|_, sums| sums[0] > 0);
        assert_eq!(by_comm, expected, "{}", archive.name);
        let pairs = rows(&report, "matrix").iter().map(|row| {
            let pair = (number(row, "sender"), number(row, "receiver"));
            (pair, ["messages", "bytes"].map(|column| number(row, column)))
        });
        assert_eq!(by_pair, pairs.collect(), "{}", archive.name);
        let place = |line: &Value| ["send_ticks", "sender", "send_event"].map(|c| number(line, c));
        assert!(list.is_sorted_by(|a, b| place(a) < place(b)), "{}", archive.name);
        compared += list.len();
    }
    assert!(compared > 400, "{compared}");
}

/// Every event of the list is printed with the region in which the list has it.
#[test]
fn ends_are_the_events_that_the_list_says() {
    let anchor = one("intercomm").anchor;
    let run = streamfold(["print".as_ref(), "--json".as_ref(), anchor.as_os_str()]).output();
    let run = run.expect("a run");
    assert!(run.status.success(), "{}", said(&run));
    let text = String::from_utf8(run.stdout).expect("text");
    let mut seen: BTreeMap<(u64, u64), String> = BTreeMap::new();
    for line in text.lines() {
        let event: Value = serde_json::from_str(line).expect("an object");
        let (location, number) = (event["location"].as_u64(), event["number"].as_u64());
        let (Some(location), Some(number)) = (location, number) else { continue };
        seen.insert((location, number), event["record"].as_str().expect("a kind").to_owned());
    }
    let (list, _) = list(&anchor, &[]);
    assert!(!list.is_empty());
    for line in &list {
        let at = |location, event| &seen[&(number(line, location), number(line, event))];
        let (send, receive) = (at("sender", "send_event"), at("receiver", "receive_event"));
        assert!(["MpiSend", "MpiIsend"].contains(&send.as_str()), "{line}: {send}");
        assert!(["MpiRecv", "MpiIrecv"].contains(&receive.as_str()), "{line}: {receive}");
        let name = |column: &str| line[column].as_str().expect("a path").to_owned();
        assert!(name("send_callpath").contains("MPI_"), "{line}");
        assert!(name("receive_callpath").contains("MPI_"), "{line}");
    }
}

/// Numbers of call paths are those of the profile, whose messages on each path the list has.
#[test]
fn call_paths_are_those_of_the_profile() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("paths.csv");
    for name in ["intercomm", "hybrid", "local-defs", "pingpong"] {
        let anchor = one(name).anchor;
        let args = ["profile", "-q", "--by", "callpath", "-o"].map(OsString::from);
        let args = args.into_iter().chain([file.clone().into(), anchor.clone().into()]);
        let run = streamfold(args).output().expect("a run");
        assert!(run.status.success(), "{}", said(&run));
        let mut reader = csv::Reader::from_path(&file).expect("a table");
        let heads = reader.headers().expect("names").clone();
        let at = |name: &str| heads.iter().position(|head| head == name).expect("a column");
        let mut profile: BTreeMap<u64, (String, [u64; 2])> = BTreeMap::new();
        for row in reader.records().map(|row| row.expect("a row")) {
            let number = |name: &str| row[at(name)].parse::<u64>().expect("a number");
            let sums = (row[at("callpath")].to_owned(), [number("sent"), number("received")]);
            profile.insert(number("path"), sums);
        }
        let (list, _) = list(&anchor, &[]);
        let mut found: BTreeMap<u64, [u64; 2]> = BTreeMap::new();
        for line in &list {
            for (side, end) in ["send", "receive"].into_iter().enumerate() {
                let path = number(line, &format!("{end}_path"));
                assert_eq!(line[format!("{end}_callpath")], profile[&path].0, "{name}: {line}");
                found.entry(path).or_default()[side] += 1;
            }
        }
        // All messages of these have both ends, so the profile has as many on each path.
        let expected = profile.into_iter().map(|(path, (_, sums))| (path, sums));
        let expected = expected.filter(|(_, sums)| *sums != [0, 0]).collect::<BTreeMap<_, _>>();
        assert_eq!(found, expected, "{name}");
    }
}

/// A suffix that is not for lists is refused, and nothing is left where the list cannot be written.
#[test]
fn a_list_is_whole_or_not_there() {
    let anchor = one("intercomm").anchor;
    let folder = tempfile::tempdir().expect("a folder");
    let run = |file: &Path, more: &[&str]| {
        let args = ["match".as_ref(), "-q".as_ref(), anchor.as_os_str(), "--list".as_ref()];
        let args = args.into_iter().chain([file.as_os_str()]);
        let run = streamfold(args.chain(more.iter().map(AsRef::as_ref))).output().expect("a run");
        (run.status.code(), said(&run))
    };
    let (code, said) = run(&folder.path().join("list.svg"), &[]);
    assert_eq!(code, Some(1));
    assert!(said.contains("list.svg: .csv, .jsonl, .parquet and .h5 are known"), "{said}");
    let (code, said) = run(&folder.path().join("no/list.csv"), &[]);
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains("no/list.csv: its folder does not exist"), "{said}");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

/// pandas and h5py open all three in one line, and they say the same.
#[cfg(feature = "hdf5")]
#[test]
fn pandas_reads_every_format_in_one_line() {
    use std::process::Command;

    use crate::common::skipped;

    const COMPARE: &str = "
import h5py, pandas, sys
csv = pandas.read_csv(sys.argv[1], keep_default_na=False, na_values={'send_path': '', 'receive_path': ''})
lines = pandas.read_json(sys.argv[2], lines=True)
file = h5py.File(sys.argv[3])
hdf5 = pandas.DataFrame(file['messages'][:])
assert file.attrs['schema'] == 'streamfold-messages'
assert list(csv.columns) == list(lines.columns)
assert len(csv) == len(lines) == len(hdf5) > 0
for name in csv.columns:
    assert (csv[name] == lines[name]).all(), name
for name in hdf5.columns:
    assert (csv[name] == hdf5[name]).all(), name
paths = pandas.DataFrame(file['paths'][:])
assert (paths['callpath'][hdf5['send_path']].str.decode('utf8').values == csv['send_callpath']).all()
assert 'locations' in file['definitions']
";
    let Some(python) = std::env::var_os("STREAMFOLD_PYTHON") else {
        skipped("lists as pandas sees them (STREAMFOLD_PYTHON)");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("compare.py");
    fs::write(&script, COMPARE).expect("a script");
    for name in ["intercomm", "pingpong"] {
        let anchor = one(name).anchor;
        let files = ["a.csv", "a.jsonl", "a.h5"].map(|name| folder.path().join(name));
        for file in &files {
            let args = ["match".as_ref(), "-q".as_ref(), anchor.as_os_str(), "--list".as_ref()];
            let run = streamfold(args.into_iter().chain([file.as_os_str()])).output();
            let run = run.expect("a run");
            assert_eq!(run.status.code(), Some(0), "{}", said(&run));
        }
        let ended = Command::new(&python).arg(&script).args(&files).output().expect("python");
        assert!(ended.status.success(), "{name}: {}", said(&ended));
    }
}

/// Where nothing was sent there is a list without lines.
#[test]
fn a_list_of_nothing_is_a_heading() {
    let mut made = crate::matching::made::Made::new(&[1]);
    made.events(0, |_| {});
    let anchor = made.finish();
    let folder = tempfile::tempdir().expect("a folder");
    for file in ["a.csv", "a.jsonl", "a.parquet", "a.h5"] {
        if file.ends_with("h5") && cfg!(not(feature = "hdf5")) {
            continue;
        }
        let file = folder.path().join(file);
        let args = ["match".as_ref(), "-q".as_ref(), anchor.as_os_str(), "--list".as_ref()];
        let run = streamfold(args.into_iter().chain([file.as_os_str()])).output().expect("a run");
        assert_eq!(run.status.code(), Some(0), "{}", said(&run));
    }
    let csv = fs::read_to_string(folder.path().join("a.csv")).expect("a list");
    assert!(csv.starts_with("send_ticks,") && csv.lines().count() == 1, "{csv}");
    assert_eq!(fs::read(folder.path().join("a.jsonl")).expect("a list"), b"");
}

/// A list on standard output is alone there; a table is not one.
#[test]
fn a_list_on_standard_output_is_alone() {
    let anchor = one("intercomm").anchor;
    let run = |more: &[&str]| {
        let mut command = streamfold(["match", "-q", "--list", "-"]);
        command.args(more).arg(&anchor).output().expect("a run")
    };
    let (lines, _) = list(&anchor, &[]);
    let json = run(&["--format", "json"]);
    assert_eq!(json.status.code(), Some(0), "{}", said(&json));
    let objects = String::from_utf8_lossy(&json.stdout).into_owned();
    let objects: Vec<Value> =
        objects.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!(objects, lines);
    let csv = run(&[]);
    assert_eq!(csv.status.code(), Some(0), "{}", said(&csv));
    assert_eq!(csv.stdout, run(&["--format", "csv"]).stdout);
    assert_eq!(String::from_utf8_lossy(&csv.stdout).lines().count(), lines.len() + 1);
    for wrong in [&["--format", "table"][..], &["-o", "-"]] {
        assert_eq!(run(wrong).status.code(), Some(1), "{wrong:?}");
    }
}
