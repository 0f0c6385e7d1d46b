//! What happens to files, compared with a slow count of printed records, and with what others counted in traces.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use streamfold::model::definitions::{Definition, IoHandle, IoRegularFile, StringDef};
use streamfold::model::enums::{
    IoHandleFlag, IoOperationFlag, IoOperationMode, Paradigm, RegionRole,
};
use streamfold::model::events::{Enter, Event, IoOperationBegin, IoOperationComplete, Leave};
use streamfold::model::ids::{
    CommRef, IoFileRef, IoHandleRef, IoParadigmRef, RegionRef, StringRef, SystemTreeNodeRef,
};
use tempfile::TempDir;

use crate::common::archives::{data, facts, folders_with_facts, large, one};
use crate::common::program::{mpirun, said, streamfold, team, text};
use crate::matching::made::Made;

/// The report on a trace, with more arguments.
fn report(path: &Path, more: &[&str]) -> Value {
    let mut program = streamfold(["io", "-q", "--mpi", "off", "--format", "json"]);
    let output = program.args(more).arg(path).output().expect("a run");
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}: {}", path.display(), said(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Printed records: definitions, or events.
fn printed(path: &Path, definitions: bool) -> Vec<Value> {
    let mut program = streamfold(["print", "-q", "--json"]);
    if definitions {
        program.arg("-G");
    }
    let output = program.arg(path).output().expect("a run");
    let lines = text(&output.stdout);
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// What a slow count finds.
#[derive(Debug, Default, PartialEq, Eq)]
struct Slow {
    /// Calls and ticks by region.
    calls: BTreeMap<String, (u64, u64)>,
    /// Bytes read and written by file or handle.
    bytes: BTreeMap<String, [u64; 2]>,
    /// Ticks in which any thread of a process is in a call, by process.
    processes: BTreeMap<String, u64>,
    /// The same of all processes.
    whole: u64,
}

fn number(record: &Value, name: &str) -> u64 {
    record[name].as_u64().unwrap_or(u64::MAX)
}

/// Counts printed records, for traces whose regions say by their roles that they access files.
fn slow(path: &Path) -> Slow {
    let definitions = printed(path, true);
    let of = |kind: &'static str| definitions.iter().filter(move |d| d["record"] == kind);
    let accesses: BTreeSet<u64> = of("Region")
        .filter(|region| {
            let role = region["region_role_name"].as_str().unwrap_or_default();
            let name = region["name_text"].as_str().unwrap_or_default();
            role.starts_with("FILE_IO") || name.starts_with("MPI_File_")
        })
        .map(|region| number(region, "id"))
        .collect();
    let name_of = |handle: &Value| match handle["file_name"].as_str() {
        Some(file) => file.to_owned(),
        None => handle["name_text"].as_str().unwrap_or_default().to_owned(),
    };
    let handles: BTreeMap<u64, String> =
        of("IoHandle").map(|handle| (number(handle, "id"), name_of(handle))).collect();
    let processes: BTreeMap<u64, String> = of("Location")
        .map(|of| (number(of, "id"), of["location_group_name"].as_str().unwrap_or("").to_owned()))
        .collect();
    let mut found = Slow::default();
    let mut open: BTreeMap<u64, Vec<(u64, String, u64)>> = BTreeMap::new();
    let mut modes: BTreeMap<(u64, u64, u64), bool> = BTreeMap::new();
    let mut intervals: Vec<(String, u64, u64)> = Vec::new();
    for event in printed(path, false) {
        let (location, time) = (number(&event, "location"), number(&event, "time"));
        let operation = (location, number(&event, "handle"), number(&event, "matching_id"));
        match event["record"].as_str().expect("a record") {
            "Enter" => {
                let region = event["region_name"].as_str().unwrap_or_default().to_owned();
                let entered = (number(&event, "region"), region, time);
                open.entry(location).or_default().push(entered);
            }
            "Leave" => {
                let entered = open.get_mut(&location).and_then(Vec::pop);
                let (region, name, begin) = entered.expect("calls nest");
                if accesses.contains(&region) {
                    let calls = found.calls.entry(name).or_default();
                    *calls = (calls.0 + 1, calls.1 + time - begin);
                    intervals.push((processes[&location].clone(), begin, time));
                }
            }
            "IoOperationBegin" if event["mode_name"] == "FLUSH" => {}
            "IoOperationBegin" => {
                modes.insert(operation, event["mode_name"] == "WRITE");
            }
            "IoOperationComplete" => {
                let bytes = number(&event, "bytes_result");
                let Some(is_write) = modes.remove(&operation).filter(|_| bytes != u64::MAX) else {
                    continue;
                };
                let name = handles.get(&operation.1).cloned();
                let name = name.unwrap_or_else(|| "(unknown file)".to_owned());
                found.bytes.entry(name).or_default()[usize::from(is_write)] += bytes;
            }
            _ => {}
        }
    }
    for process in processes.values() {
        let own = intervals.iter().filter(|(of, ..)| of == process);
        let union = union(own.map(|(_, begin, end)| (*begin, *end)).collect());
        if union > 0 {
            found.processes.insert(process.clone(), union);
        }
    }
    found.whole = union(intervals.iter().map(|(_, begin, end)| (*begin, *end)).collect());
    found.bytes.retain(|_, bytes| *bytes != [0, 0]);
    found
}

/// Ticks that are in any of the intervals.
fn union(mut intervals: Vec<(u64, u64)>) -> u64 {
    intervals.sort_unstable();
    let (mut sum, mut covered) = (0, 0);
    for (begin, end) in intervals {
        sum += end.saturating_sub(begin.max(covered));
        covered = covered.max(end);
    }
    sum
}

fn rows<'r>(report: &'r Value, table: &str) -> impl Iterator<Item = &'r Value> {
    report[table].as_array().expect("a table").iter()
}

/// The same numbers out of a report.
fn reported(report: &Value) -> Slow {
    let mut found = Slow { whole: number(&report["time"], "io"), ..Slow::default() };
    for row in rows(report, "calls").filter(|row| row["level"] != "application") {
        let count = (number(row, "count"), number(row, "ticks"));
        let calls =
            found.calls.entry(row["call"].as_str().expect("a name").to_owned()).or_default();
        *calls = (calls.0 + count.0, calls.1 + count.1);
    }
    found.calls.remove("(no region)");
    for row in rows(report, "files") {
        let bytes =
            found.bytes.entry(row["file"].as_str().expect("a name").to_owned()).or_default();
        // Sizes that are not recorded count as none.
        bytes[0] += row["bytes_read"].as_u64().unwrap_or(0);
        bytes[1] += row["bytes_written"].as_u64().unwrap_or(0);
    }
    found.bytes.retain(|_, bytes| *bytes != [0, 0]);
    for row in rows(report, "processes").filter(|row| number(row, "io") > 0) {
        let name = row["process"].as_str().expect("a name").to_owned();
        found.processes.insert(name, number(row, "io"));
    }
    found
}

/// Traces of several formats, some of them of the large set.
fn traces() -> Vec<PathBuf> {
    let mut traces: Vec<PathBuf> =
        large().into_iter().filter(|of| of.name.contains("ior")).map(|of| of.anchor).collect();
    let odd = ["2.2-odd-names", "chrome-compat"];
    let is_plain = |folder: &PathBuf| {
        !odd.iter().any(|name| folder.ends_with(name))
            && facts(&folder.join("expected.json"))["complete_events"].as_u64() > Some(0)
    };
    traces.extend(folders_with_facts("dftracer", 3).into_iter().filter(is_plain));
    traces.extend(["ls_vs_lsl", "paper_ls"].map(|name| data().join("strace").join(name)));
    traces
}

#[test]
fn a_slow_count_of_printed_records_agrees() {
    let mut with_bytes = 0;
    for path in traces() {
        let expected = slow(&path);
        assert_eq!(reported(&report(&path, &[])), expected, "{}", path.display());
        with_bytes += u32::from(!expected.bytes.is_empty());
    }
    assert!(with_bytes >= 3, "{with_bytes}");
}

/// Calls and times that another program counted, by category and name.
#[test]
fn calls_are_those_that_are_expected() {
    for folder in folders_with_facts("dftracer", 3) {
        let facts = facts(&folder.join("expected.json"));
        if facts["complete_events"].as_u64().is_none_or(|count| count == 0)
            || folder.ends_with("chrome-compat")
        {
            continue;
        }
        let is_nanoseconds = facts["files"].as_object().expect("files").values();
        let unit =
            if is_nanoseconds.into_iter().any(|file| file["time_unit"] == "NS") { 1 } else { 1000 };
        let mut expected: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for (name, count) in facts["count_by_cat_name"].as_object().expect("counts") {
            let Some(("POSIX" | "STDIO", call)) = name.split_once('/') else { continue };
            // The recorder has calls on processes among them, which are about no file.
            if ["fork", "waitpid", "wait", "execve"].contains(&call) {
                assert!(!report(&folder, &[])["calls"]
                    .to_string()
                    .contains(&format!("\"{call}\"")));
                continue;
            }
            let of = expected.entry(call.to_owned()).or_default();
            of.0 += count.as_u64().expect("a number");
            of.1 += unit * number(&facts["dur_by_cat_name"], name);
        }
        let report = report(&folder, &[]);
        let mut found = reported(&report).calls;
        found.retain(|call, _| expected.contains_key(call));
        assert_eq!(found, expected, "{}", folder.display());
    }
}

/// Neither the number of ranks, nor of threads, nor the room for what travels shows.
#[test]
fn any_number_of_ranks_says_the_same() {
    let mut all = traces();
    all.push(one("hybrid").anchor);
    let run = |path: &Path, ranks: usize, more: &[&str]| {
        let path = path.to_str().expect("a path");
        let mut arguments = vec!["io", "-q", "--format", "json", path];
        arguments.extend(more);
        let output = team(ranks, &arguments);
        assert!(matches!(output.status.code(), Some(0 | 3)), "{path}: {}", said(&output));
        text(output.stdout)
    };
    for path in &all {
        let one = run(path, 1, &["--threads", "1"]);
        for ranks in [2, 3, 5, 8] {
            assert!(run(path, ranks, &[]) == one, "{} on {ranks} ranks", path.display());
        }
        let spilled = run(path, 2, &["--room", "100"]);
        assert!(spilled == one, "{} with temporary files", path.display());
    }
    let path = all.last().and_then(|path| path.to_str()).expect("a path").to_owned();
    let Some(output) = mpirun(3, ["io", "-q", "--format", "json", &path]) else { return };
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(text(output.stdout), run(Path::new(&path), 1, &[]));
}

/// What attributes say of calls stays known in an archive of OTF2.
#[test]
fn an_archive_made_of_a_trace_says_the_same() {
    for path in [data().join("dftracer/2.2-plain"), data().join("strace/ls_vs_lsl")] {
        let folder = TempDir::new().expect("a folder");
        let archive = folder.path().join("made.otf2");
        let output = streamfold(["convert", "-q"]).arg(&path).arg("-o").arg(&archive).output();
        let output = output.expect("a run");
        assert!(output.status.success(), "{}", said(&output));
        let (before, after) = (report(&path, &[]), report(&archive, &[]));
        for table in ["levels", "calls", "files", "directories", "sizes", "file_sizes"] {
            assert_eq!(before[table], after[table], "{}: {table}", path.display());
        }
        assert_eq!(before["time"]["io"], after["time"]["io"], "{}", path.display());
        assert_eq!(before["total"], after["total"], "{}", path.display());
    }
}

/// A trace of one process that reads three files, by the places where it reads them.
fn with_places(folder: &Path) {
    let mut lines = String::from("{\"name\":\"start\",\"cat\":\"dftracer\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":0,\"ph\":1}\n");
    let mut time = 0;
    let mut call = |name: &str, file: &str, args: String| {
        time += 10;
        lines.push_str(&format!(
            "{{\"name\":\"{name}\",\"cat\":\"POSIX\",\"pid\":1,\"tid\":1,\"ts\":{time},\"dur\":4,\"ph\":1,\
             \"args\":{{\"fname\":\"{file}\"{args}}}}}\n"
        ));
    };
    for file in ["/d/sequential", "/d/strided", "/d/random"] {
        call("open64", file, String::new());
    }
    let mut place: u64 = 7;
    for number in 0..50u64 {
        call("read", "/d/sequential", ",\"ret\":100".to_owned());
        let offset = number * 1000;
        call("pread64", "/d/strided", format!(",\"ret\":100,\"offset\":{offset}"));
        place = place.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        call("lseek64", "/d/random", format!(",\"ret\":{}", place >> 40));
        call("read", "/d/random", ",\"ret\":8".to_owned());
    }
    for _ in 0..150 {
        call("open64", "/usr/lib/libx.so", ",\"ret\":-1".to_owned());
    }
    fs::write(folder.join("run-1-app.pfw"), lines).expect("written");
}

#[test]
fn places_of_transfers_tell_how_a_file_is_accessed() {
    let folder = TempDir::new().expect("a folder");
    with_places(folder.path());
    let whole = report(folder.path(), &[]);
    for access in ["sequential", "strided", "random"] {
        let name = format!("/d/{access}");
        let row = rows(&whole, "files").find(|row| row["file"] == *name).expect("a file");
        assert_eq!(row["access"], access, "{row}");
        assert_eq!(row["shared"], "private");
        assert_eq!((number(row, "opens"), number(row, "reads")), (1, 50));
    }
    let row = |name: &str| {
        rows(&whole, "files").find(|row| row["file"] == *name).cloned().expect("a file")
    };
    assert_eq!(number(&row("/d/sequential"), "consecutive"), 49);
    let strided = row("/d/strided");
    assert_eq!((number(&strided, "forward"), number(&strided, "strided")), (1, 48));
    let failed = row("/usr/lib/libx.so");
    assert_eq!((number(&failed, "opens"), number(&failed, "failed")), (150, 150));
    let found: Vec<&str> =
        rows(&whole, "findings").filter_map(|finding| finding["finding"].as_str()).collect();
    assert_eq!(found, ["metadata", "small_reads", "opened_often", "failed"]);
    let calls =
        &rows(&whole, "calls").find(|row| row["call"] == "pread64").cloned().expect("calls");
    let sizes = ["size_min", "size_p25", "size_median", "size_p75", "size_p95", "size_max"];
    assert!(sizes.iter().all(|size| number(calls, size) == 100), "{calls}");
}

#[test]
fn files_that_are_left_out_are_told() {
    let folder = TempDir::new().expect("a folder");
    with_places(folder.path());
    let without = report(folder.path(), &["--exclude-system"]);
    let left_out = &without["left_out"];
    assert_eq!((number(left_out, "files"), number(left_out, "calls")), (1, 150));
    assert_eq!(number(left_out, "ticks"), 150 * 4000);
    assert!(rows(&without, "files").all(|row| row["file"] != "/usr/lib/libx.so"));
    let whole = report(folder.path(), &[]);
    let time = |report: &Value| number(&report["time"], "io");
    assert_eq!(time(&whole) - time(&without), 150 * 4000);
    let only = report(folder.path(), &["--only", "random", "--only", "strided"]);
    assert_eq!(rows(&only, "files").count(), 2);
    let output = streamfold(["io", "-q", "--exclude", "lib"]).arg(folder.path()).output();
    let said = text(output.expect("a run").stdout);
    assert!(said.contains("Left out (--exclude lib): 1 file with 150 calls"), "{said}");
}

/// Sums of parts of the time are those of the whole.
#[test]
fn bins_add_up() {
    let path = data().join("dftracer/2.2-plain");
    let whole = report(&path, &[]);
    for bins in ["1", "7", "120", "4096"] {
        let report = report(&path, &["--bins", bins]);
        let sum = |table: &str, column: &str| -> u64 {
            rows(&report, table).map(|row| number(row, column)).sum()
        };
        assert_eq!(rows(&report, "bins").count().to_string(), bins);
        for table in ["bins", "heat"] {
            let total = &whole["total"];
            assert_eq!(sum(table, "bytes_read"), number(total, "bytes_read"));
            assert_eq!(sum(table, "bytes_written"), number(total, "bytes_written"));
            assert_eq!(sum(table, "ticks"), number(total, "ticks"));
        }
    }
}

#[test]
fn outputs_are_written() {
    let folder = TempDir::new().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_str().expect("a path").to_owned();
    let path = data().join("strace/ls_vs_lsl");
    let mut program = streamfold(["io", "-q", "--table", "calls", "-o", "-"]);
    for name in ["heat.svg", "heat.png", "calls.csv", "io.json"] {
        program.arg("-o").arg(place(name));
    }
    let output = program.arg(&path).output().expect("a run");
    assert!(output.status.success(), "{}", said(&output));
    let said = text(&output.stdout);
    assert!(said.contains("At least one of 6 processes is in I/O for"), "{said}");
    let svg = fs::read_to_string(place("heat.svg")).expect("a picture");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("Time in calls that access files, by process"));
    assert!(svg.contains("Time since the begin of the trace"), "the axis of all pictures");
    assert!(svg.contains("font-family=\"DejaVu Sans, "), "the font of all pictures");
    assert!(svg.contains(">log scale</text>"), "{svg}");
    let png = fs::read(place("heat.png")).expect("a picture");
    assert!(png.starts_with(b"\x89PNG"));
    let csv = fs::read_to_string(place("calls.csv")).expect("a table");
    assert!(csv.lines().any(|line| line.starts_with("call,level,kind,count,failed")), "{csv}");
}

/// Traces without files, and with none that are wanted.
#[test]
fn no_call_is_an_answer() {
    let output = streamfold(["io", "-q"]).arg(one("pingpong").anchor).output().expect("a run");
    assert!(output.status.success(), "{}", said(&output));
    assert!(text(&output.stdout).contains("No call that accesses files is recorded."));
    let path = data().join("dftracer/2.2-plain");
    let mut program = streamfold(["io", "-q", "--exclude", "/", "--exclude", "unknown"]);
    let output = program.arg(&path).output().expect("a run");
    let said = text(&output.stdout);
    assert!(said.contains("No call that accesses files") && said.contains("Left out ("), "{said}");
}

/// A name that no file has is no answer.
#[test]
fn only_files_that_exist() {
    let folder = TempDir::new().expect("a folder");
    with_places(folder.path());
    let path = folder.path().as_os_str();
    let arguments = ["io", "-q", "--only", "/scratch"].map(OsStr::new);
    let all = || arguments.into_iter().chain([path]);
    let mut outputs = vec![streamfold(all()).output().expect("a run")];
    outputs.extend(mpirun(3, all()));
    for output in outputs {
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        let message = "the trace has no file whose name matches /scratch (--only); it has \
                       /d/random, /d/sequential, /d/strided, /usr/lib/libx.so";
        assert!(said(&output).contains(message), "{}", said(&output));
        assert!(output.stdout.is_empty());
    }
}

/// A trace of DFTracer of one process: each line is a category, a name, a begin, a length and more members.
fn dftracer(folder: &Path, calls: &[(&str, &str, u64, u64, &str)]) {
    let line = |(category, name, begin, length, args): &(&str, &str, u64, u64, &str)| {
        format!(
            "{{\"name\":\"{name}\",\"cat\":\"{category}\",\"pid\":7,\"tid\":7,\"ts\":{begin},\
             \"dur\":{length},\"ph\":1{args}}}\n"
        )
    };
    fs::write(folder.join("run-1.pfw"), calls.iter().map(line).collect::<String>())
        .expect("written");
}

/// Bytes of a call without size are those of calls inside of it, whatever their depth. None counts twice.
#[test]
fn bytes_of_calls_inside_of_others() {
    let folder = TempDir::new().expect("a folder");
    let of = |ret: &str| format!(",\"args\":{{\"fname\":\"/data/out\",\"ret\":{ret}}}");
    let (all, part, items) = (of("4096"), of("1000"), of("64,\"size\":10"));
    let success = ",\"args\":{\"ret\":0}";
    dftracer(
        folder.path(),
        &[
            ("MPIIO", "MPI_File_write_at", 1000, 60, success),
            ("POSIX", "pwrite", 1005, 40, &all),
            // Of two depths, with a read of what is written back.
            ("HDF5", "H5Dwrite", 1100, 90, success),
            ("MPIIO", "MPI_File_write_at", 1105, 80, success),
            ("POSIX", "pread", 1110, 10, &part),
            ("POSIX", "pwrite", 1130, 40, &all),
            // A size of its own: what the library reads ahead does not count.
            ("STDIO", "fread", 1200, 50, &items),
            ("POSIX", "read", 1210, 20, &all),
            // No call inside of it says anything.
            ("MPIIO", "MPI_File_write_at", 1300, 60, success),
        ],
    );
    let whole = report(folder.path(), &[]);
    let total = &whole["total"];
    assert_eq!(number(total, "calls"), 4);
    assert_eq!(number(total, "bytes_written"), 2 * 4096);
    assert_eq!(number(total, "bytes_read"), 1000 + 640);
    assert_eq!(number(total, "transfers_without_size"), 1);
    for table in ["processes", "nodes"] {
        let row = rows(&whole, table).next().expect("a row");
        assert_eq!(number(row, "bytes_written"), 2 * 4096, "{table}");
        assert_eq!(number(row, "bytes_read"), 1640, "{table}");
    }
    let sum = |table: &str, column: &str| -> u64 {
        rows(&whole, table).map(|row| row[column].as_u64().unwrap_or(0)).sum()
    };
    assert_eq!(sum("bins", "bytes_written"), 2 * 4096);
    assert_eq!(sum("calls", "outer_bytes"), 2 * 4096 + 1640);
    let level = |name: &str| {
        rows(&whole, "levels").find(|row| row["level"] == *name).cloned().expect("a library")
    };
    assert_eq!(level("MPI-IO")["bytes_written"], Value::Null);
    assert_eq!(level("MPI-IO")["bytes_read"], 0);
    assert_eq!(number(&level("POSIX"), "bytes_written"), 2 * 4096);
    let output = streamfold(["io", "-q"]).arg(folder.path()).output().expect("a run");
    let said = text(&output.stdout);
    assert!(said.contains("1.602 KiB read, 8.000 KiB written"), "{said}");
    assert!(said.contains("The trace says no size of 1 of 5 reads and writes"), "{said}");
}

/// No size and no file is recorded: no number of bytes is shown.
#[test]
fn bytes_that_are_not_recorded_are_not_zero() {
    let folder = TempDir::new().expect("a folder");
    dftracer(folder.path(), &[("POSIX", "read", 10, 10, ""), ("POSIX", "write", 30, 30, "")]);
    let whole = report(folder.path(), &[]);
    assert_eq!(whole["total"]["bytes_read"], Value::Null);
    assert_eq!(whole["total"]["bytes_written"], Value::Null);
    assert_eq!(number(&whole["total"], "ticks"), 40_000);
    let output = streamfold(["io", "-q"]).arg(folder.path()).output().expect("a run");
    let said = text(&output.stdout);
    let sentence = "2 calls in files that are not recorded: bytes are not recorded, 0.0 %";
    assert!(said.contains(sentence) && !said.contains("0 B"), "{said}");
    assert!(said.contains("DFTRACER_INC_METADATA=1"), "{said}");
}

/// The record that names the file of a call may come late: the whole call belongs to what is around it.
#[test]
fn the_whole_time_of_calls_that_are_left_out() {
    let mut made = Made::new(&[1]);
    let texts = [(501, "/data/in"), (502, "/scratch/log")];
    for (id, string) in texts {
        made.add(Definition::StringDef(StringDef { id: StringRef(id), string: string.into() }));
    }
    made.region_of(Paradigm::User, 1, "main");
    made.region_as((Paradigm::User, RegionRole::FileIo), 2, "write");
    made.posix();
    for number in 0..2 {
        made.add(Definition::IoRegularFile(IoRegularFile {
            id: IoFileRef(number),
            name: StringRef(501 + number),
            scope: SystemTreeNodeRef(0),
        }));
        made.add(Definition::IoHandle(IoHandle {
            id: IoHandleRef(number),
            name: StringRef(0),
            file: IoFileRef(number),
            io_paradigm: IoParadigmRef(0),
            io_handle_flags: IoHandleFlag::NONE,
            comm: CommRef::UNDEFINED,
            parent: IoHandleRef::UNDEFINED,
        }));
    }
    made.events(0, |to| {
        to.at(0, Event::Enter(Enter { region: RegionRef(1) }));
        for (begin, late, handle) in [(1000, 10, 0), (3000, 300, 1), (5000, 200, 1)] {
            let (handle, matching_id) = (IoHandleRef(handle), begin);
            to.at(begin, Event::Enter(Enter { region: RegionRef(2) }));
            let mode = IoOperationMode::Write;
            let operation_flags = IoOperationFlag::NONE;
            let event =
                IoOperationBegin { handle, mode, operation_flags, bytes_request: 100, matching_id };
            to.at(begin + late, Event::IoOperationBegin(event));
            let event = IoOperationComplete { handle, bytes_result: 100, matching_id };
            to.at(begin + 490, Event::IoOperationComplete(event));
            to.at(begin + 500, Event::Leave(Leave { region: RegionRef(2) }));
        }
        to.at(10_000, Event::Leave(Leave { region: RegionRef(1) }));
    });
    let anchor = made.finish();
    for (arguments, io) in [
        (&[][..], 1500),
        (&["--exclude", "^/scratch"], 500),
        (&["--only", "^/scratch"], 1000),
        (&["--exclude", "/"], 0),
    ] {
        let found = report(&anchor, arguments);
        assert_eq!(number(&found["time"], "io"), io, "{arguments:?}");
        assert_eq!(number(&found["time"], "compute"), 10_000 - io, "{arguments:?}");
        let threads = &found["time"]["of_threads"];
        assert_eq!(number(threads, "io"), io, "{arguments:?}");
        assert_eq!(number(threads, "computing"), 10_000 - io, "{arguments:?}");
        assert_eq!(number(&found["total"], "ticks"), io, "{arguments:?}");
        let ticks: u64 = rows(&found, "bins").map(|row| number(row, "ticks")).sum();
        assert_eq!(ticks, io, "{arguments:?}");
    }
}
