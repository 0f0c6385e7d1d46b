//! Faults of other readers that were reported, each with its own small trace. Numbers are those of the notes on the
//! format; docs/use/dftracer.md lists all of them.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use super::cuts::read;
use super::odd::{call, file, gz, visits};
use super::{report, with_rank};
use crate::common::program::{said, streamfold, text};
use crate::common::usage::usage;

/// A call with arguments, as version 2.2 writes it.
fn with_args(id: u64, name: &str, args: &str) -> String {
    call(id, name).replace("\"ph\":\"X\"}", &format!("\"ph\":1,\"args\":{{{args}}}}}"))
}

fn lines(folder: &TempDir, lines: &[String]) -> std::path::PathBuf {
    file(folder, "x-app.pfw", (lines.join("\n") + "\n").as_bytes())
}

/// A report on files.
fn io(path: &Path, more: &[&str]) -> Value {
    let mut program = streamfold(["io", "-q", "--mpi", "off", "--format", "json"]);
    let output = program.args(more).arg(path).output().expect("a run");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Everything that the program prints and says.
fn everything(arguments: &[&str], path: &Path) -> String {
    let output = streamfold(arguments).args(["--mpi", "off"]).arg(path).output().expect("a run");
    format!("{}{}", text(&output.stdout), said(&output))
}

/// The names of files in a report, sorted.
fn names(report: &Value) -> Vec<&str> {
    let rows = report["files"].as_array().expect("files").iter();
    let mut names: Vec<&str> = rows.map(|row| row["file"].as_str().expect("a name")).collect();
    names.sort_unstable();
    names
}

/// One bad line of many in a member: that line is lost, with its number.
#[test]
fn d3_a_bad_line_is_lost_alone() {
    let folder = TempDir::new().expect("a folder");
    let mut all: Vec<String> = (1..=5000).map(|id| call(id, "read")).collect();
    all[3210].insert(20, '"');
    let bytes = gz((all.join("\n") + "\n").as_bytes());
    let path = file(&folder, "x-app.pfw.gz", &bytes);
    assert_eq!(visits(&path), (4999, 1, 3));
    let said = everything(&["profile", "-q"], &path);
    assert!(said.contains("x-app.pfw.gz") && said.contains("line 3211"), "{said}");
}

/// Numbers are numbers in every form: of processes, of bytes, of times.
#[test]
fn d4_numbers_compare_as_numbers() {
    let folder = TempDir::new().expect("a folder");
    let all = ["7", "7.0", "\"7\"", "7.00"].iter().zip(1..).map(|(seven, id)| {
        let bytes = format!("\"fhash\":1,\"ret\":{}", seven.replace('7', "100"));
        with_args(id, "read", &bytes).replace("\"pid\":7", &format!("\"pid\":{seven}"))
    });
    let path = lines(&folder, &all.collect::<Vec<_>>());
    let (_, profile) = report("profile", &path);
    assert_eq!(profile["groups"].as_array().map(Vec::len), Some(1), "{}", profile["groups"]);
    assert_eq!(io(&path, &[])["total"]["bytes_read"], 400);
    // Calls begin 10 us apart.
    let windows = [["0us", "20us"], ["0.0us", "20.0us"], ["0.00ms", "0.02ms"]];
    for window in windows {
        let report = io(&path, &["--time", window[0], window[1]]);
        assert_eq!(report["total"]["calls"], 2, "{window:?}");
    }
}

/// The least and the most are those of numbers: 9 is less than 10.
#[test]
fn d5_least_and_most_are_of_numbers() {
    let folder = TempDir::new().expect("a folder");
    let mut all: Vec<String> = [9, 10, 100]
        .iter()
        .zip(1..)
        .map(|(size, id)| {
            let call = with_args(id * 100, "read", &format!("\"fhash\":1,\"ret\":{size}"));
            call.replace("\"dur\":5", &format!("\"dur\":{size}"))
        })
        .collect();
    for (id, value) in [(1, "9"), (2, "10"), (3, "100.5")] {
        let counter = with_args(id, "load", &format!("\"load\":{value}"));
        all.push(counter.replace("\"ph\":1", "\"ph\":2"));
    }
    let path = lines(&folder, &all);
    let calls = &io(&path, &[])["calls"][0];
    let sizes = ["size_min", "size_median", "size_max"].map(|name| calls[name].as_u64());
    assert_eq!(sizes, [Some(9), Some(10), Some(100)], "{calls}");
    let (_, profile) = report("profile", &path);
    let read = &profile["regions"][0];
    assert_eq!([&read["shortest"], &read["longest"]], [9000, 100_000], "{read}");
    let values = &profile["metrics"][0]["total"]["values"];
    let values = ["min", "max"].map(|name| values[name].as_f64());
    assert_eq!(values, [Some(9.0), Some(100.5)], "{}", profile["metrics"]);
}

/// Percentiles of more than 65 535 transfers.
#[test]
fn d6_percentiles_of_any_number() {
    let folder = TempDir::new().expect("a folder");
    let count = 70_000;
    let read = |id: u64| {
        // In no order.
        let size = id * 7919 % count + 1;
        with_args(id, "read", &format!("\"fhash\":1,\"ret\":{size}")) + "\n"
    };
    let text: String = (1..=count).map(read).collect();
    let path = file(&folder, "x-app.pfw", text.as_bytes());
    let calls = &io(&path, &[])["calls"][0];
    let sizes = ["size_min", "size_p25", "size_median", "size_p75", "size_p95", "size_max"];
    let sizes = sizes.map(|name| calls[name].as_u64());
    assert_eq!(sizes, [1, 17_500, 35_000, 52_500, 66_500, 70_000].map(Some), "{calls}");
}

/// Objects within arguments are kept, by names with dots.
#[test]
fn d7_objects_within_arguments() {
    let folder = TempDir::new().expect("a folder");
    let of_tracer = |id, name: &str, args: &str| {
        with_args(id, name, args).replace("\"cat\":\"POSIX\"", "\"cat\":\"dftracer\"")
    };
    let args =
        "\"cfg\":{\"time_metric\":\"US\",\"tids\":1,\"a\":{\"b\":\"deep\"}},\"num_events\":3";
    let all = [
        "{\"name\":\"SH\",\"ph\":4,\"pid\":7,\"args\":{\"name\":\"train.py\",\"value\":\"ab\"}}"
            .to_owned(),
        "{\"name\":\"CM\",\"ph\":4,\"pid\":7,\"args\":{\"name\":\"model\",\"value\":\"tiny\"}}"
            .to_owned(),
        of_tracer(1, "start", "\"exec_hash\":\"ab\",\"version\":\"v2.2\""),
        with_args(2, "cpu", "\"core\":{\"user\":3,\"system\":{\"irq\":0.5}}")
            .replace("\"ph\":1", "\"ph\":2"),
        call(3, "read"),
        of_tracer(4, "end", args),
    ];
    let path = lines(&folder, &all);
    let printed = everything(&["print", "-q", "-G", "--json"], &path);
    let of = |name: &str| {
        let is_it = |line: &&str| {
            line.contains("LocationGroupProperty") && line.contains(&format!("\"{name}\""))
        };
        printed.lines().find(is_it).unwrap_or_else(|| panic!("{name}: {printed}"))
    };
    for (name, value) in [
        ("cfg.time_metric", "\"US\""),
        ("cfg.a.b", "\"deep\""),
        ("cfg.tids", ":1"),
        ("exec_hash", "\"train.py\""),
        ("model", "\"tiny\""),
    ] {
        assert!(of(name).contains(value), "{name}: {}", of(name));
    }
    let (code, profile) = report("profile", &path);
    assert_eq!(code, 0);
    let metrics = profile["metrics"].to_string();
    for name in ["cpu: core.user", "cpu: core.system.irq"] {
        assert!(metrics.contains(&format!("\"{name}\"")), "{metrics}");
    }
}

/// Indexes of other programs beside a trace change nothing, whatever they are of.
#[test]
fn d8_indexes_are_not_read() {
    let folder = TempDir::new().expect("a folder");
    let text = format!("{}\n{}\n", call(1, "open"), call(2, "read"));
    let name = "x-app.pfw.gz";
    file(&folder, name, &gz(format!("{text}{text}{text}").as_bytes()));
    let path = file(&folder, name, &gz(text.as_bytes()));
    let alone = report("profile", folder.path());
    for end in ["zindex", "idx"] {
        file(&folder, &format!("{name}.{end}"), b"SQLite format 3\0 of an older file");
    }
    fs::create_dir(folder.path().join(".dftindex")).expect("a folder");
    fs::write(folder.path().join(".dftindex/old.pfw"), &text).expect("written");
    file(&folder, "dft.log", b"");
    assert_eq!(report("profile", folder.path()), alone);
    assert_eq!(visits(&path), (2, 0, 0));
}

/// Files of all libraries count, each once, and what does not count is told.
#[test]
fn d9_all_libraries_count() {
    let folder = TempDir::new().expect("a folder");
    let of = |id, library: &str, name: &str, file: &str| {
        let args = format!("\"fname\":\"{file}\",\"ret\":4,\"size\":2");
        with_args(id, name, &args).replace("POSIX", library)
    };
    let all = [
        of(1, "POSIX", "read", "/data/a"),
        of(2, "STDIO", "fread", "/data/a"),
        of(3, "STDIO", "fwrite", "/data/b"),
        of(4, "MPIIO", "MPI_File_open", "/data/c"),
        of(5, "HDF5", "H5Fopen", "/data/d"),
        of(6, "POSIX", "read", "/proc/self/maps"),
    ];
    let path = lines(&folder, &all);
    let report = io(&path, &[]);
    let mut files = names(&report);
    files.dedup();
    assert_eq!(files, ["/data/a", "/data/b", "/data/c", "/data/d", "/proc/self/maps"]);
    let levels = report["levels"].to_string();
    for level in ["POSIX", "STDIO", "MPI-IO", "HDF5"] {
        assert!(levels.contains(&format!("\"{level}\"")), "{levels}");
    }
    let said = everything(&["io", "-q"], &path);
    assert!(said.contains("6 calls in 5 files"), "{said}");
    let said = everything(&["io", "-q", "--exclude-system"], &path);
    assert!(said.contains("5 calls in 4 files") && said.contains("system"), "{said}");
}

/// Records of hashes in all forms that versions had.
#[test]
fn d13_hashes_with_any_phase() {
    let folder = TempDir::new().expect("a folder");
    let hash = |phase: &str, number: u64| {
        format!("{{\"name\":\"FH\",\"cat\":\"dftracer\",{phase}\"pid\":7,\"args\":{{\"name\":\"/f{number}\",\"value\":\"{number}\"}}}}")
    };
    let forms = ["\"ph\":4,", "\"ph\":\"M\",", "\"ph\":\"?\",", "\"ph\":\"\",", "\"ph\":null,", ""];
    let mut all: Vec<String> = forms.iter().zip(1..).map(|(of, at)| hash(of, at)).collect();
    // One state had the name outside.
    all.push(
        "{\"name\":\"/f7\",\"cat\":\"dftracer\",\"ph\":\"H\",\"args\":{\"hash\":\"7\"}}".to_owned(),
    );
    all.extend((1..=7).map(|id| with_args(id, "read", &format!("\"fhash\":\"{id}\",\"ret\":1"))));
    let path = lines(&folder, &all);
    assert_eq!(names(&io(&path, &[])), ["/f1", "/f2", "/f3", "/f4", "/f5", "/f6", "/f7"]);
    assert_eq!(visits(&path), (7, 0, 0));
}

/// A call relative to a folder that is open, or to the one of the process.
#[test]
fn d21_calls_relative_to_a_folder() {
    let folder = TempDir::new().expect("a folder");
    let of = |id, at: &str| {
        let args = format!("\"dirfd\":{at},\"fname\":\"link\",\"ret\":4");
        with_args(id, "readlinkat", &args)
    };
    let path =
        lines(&folder, &[of(1, "-100"), of(2, "\"AT_FDCWD\""), of(3, "4294967196"), of(4, "5")]);
    assert_eq!(visits(&path), (4, 0, 0));
    let report = io(&path, &[]);
    assert_eq!(names(&report), ["link"]);
    // A link is read, and no data.
    assert_eq!(report["total"]["bytes_read"], 0);
    assert_eq!([&report["total"]["calls"], &report["total"]["failed"]], [4, 0]);
}

/// Relative names stay as they are, and are other files than absolute ones.
#[test]
fn d22_relative_names_stay() {
    let folder = TempDir::new().expect("a folder");
    let all = ["data/x", "./data/x", "/scratch/data/x", "../scratch/data/x"];
    let of = |(name, id): (&&str, u64)| {
        with_args(id, "read", &format!("\"fname\":\"{name}\",\"cwd\":\"/scratch\",\"ret\":1"))
    };
    let path = lines(&folder, &all.iter().zip(1..).map(of).collect::<Vec<_>>());
    assert_eq!(
        names(&io(&path, &[])),
        ["../scratch/data/x", "./data/x", "/scratch/data/x", "data/x"]
    );
}

/// Files of the system can be left out, and the report tells how many.
#[test]
fn d23_files_of_the_system() {
    let folder = TempDir::new().expect("a folder");
    let files =
        ["/usr/lib/libm.so.6", "/proc/cpuinfo", "/etc/hosts", "/data/train.h5", "/home/a/x"];
    let of = |(name, id): (&&str, u64)| {
        with_args(id, "read", &format!("\"fname\":\"{name}\",\"ret\":10"))
    };
    let path = lines(&folder, &files.iter().zip(1..).map(of).collect::<Vec<_>>());
    assert_eq!(names(&io(&path, &[])).len(), 5);
    let report = io(&path, &["--exclude-system"]);
    assert_eq!(names(&report), ["/data/train.h5", "/home/a/x"]);
    assert_eq!(report["total"]["bytes_read"], 20);
    assert!(report["left_out"].to_string().contains('3'), "{}", report["left_out"]);
}

/// The time of a job is that of its calls in all versions: metadata has no time, and a clock that differs is told.
#[test]
fn d25_the_time_of_a_job() {
    let folder = TempDir::new().expect("a folder");
    let meta = |phase: &str| {
        format!("{{\"name\":\"thread_name\",\"cat\":\"dftracer\",\"pid\":7,\"tid\":7,\"ph\":{phase},\"args\":{{\"name\":\"7\",\"value\":\"thread_name\"}}}}")
    };
    for (complete, metadata) in [("\"X\"", "\"M\""), ("1", "4"), ("\"1\"", "\"4\"")] {
        let of = |id| {
            with_args(id, "read", "\"ret\":1").replace("\"ph\":1", &format!("\"ph\":{complete}"))
        };
        let path = lines(&folder, &[meta(metadata), of(1), of(2), of(3)]);
        assert_eq!(io(&path, &[])["time"]["length"], 25_000, "{complete}");
        assert!(read(&path).expect("a trace").told.is_empty(), "{complete}");
    }
    let odd = call(1, "read").replace("1700000000000010", "5");
    let path = lines(&folder, &[odd, call(2, "read")]);
    let said = everything(&["profile"], &path);
    assert!(said.contains("calls are 19675 days apart"), "{said}");
}

/// Ranks are those of records. Without them processes have their numbers, and it is told that messages are unknown.
#[test]
fn d26_which_rank_a_process_is() {
    let groups = |path: &Path| -> Vec<String> {
        let (_, profile) = report("profile", path);
        let groups = profile["groups"].as_array().expect("groups").iter();
        groups.map(|group| group["name"].as_str().expect("a name").to_owned()).collect()
    };
    let send = || super::call("MPI_Send", 1, "\"dest\":0,\"tag\":1");
    let folder = TempDir::new().expect("a folder");
    with_rank(folder.path(), 3, &[send()]);
    assert_eq!(groups(folder.path()), ["rank 3"]);
    // The name of a process tells it, too.
    let label = "{\"name\":\"process_name\",\"ph\":4,\"pid\":7,\"args\":{\"name\":\"Rank 5\",\"value\":\"process_name\"}}";
    let path = lines(&folder, &[label.to_owned(), call(1, "read")]);
    assert_eq!(groups(&path), ["rank 5"]);
    // Some processes have a rank, one has none.
    let unranked = format!("{{\"pid\":9,\"tid\":9,\"ph\":1,{}}}", send());
    let path = lines(&folder, &[unranked]);
    assert_eq!(groups(&path), ["process 9"]);
    let said = everything(&["match"], folder.path());
    assert!(said.contains("which rank the processes of 1 files are"), "{said}");
    let said = everything(&["match"], &path);
    assert!(said.contains("no record says which rank a process is"), "{said}");
}

/// An event of a document on several lines.
fn event(id: u64) -> String {
    format!("{{\n\"ph\": \"X\",\n\"name\": \"f\",\n\"pid\": 1,\n\"tid\": 1,\n\"ts\": {},\n\"dur\": 5\n}}", 10 * id)
}

/// An event that does not end is one loss, whatever is opened in it, takes time in proportion to the file, and all
/// others are read.
#[test]
fn events_that_do_not_end() {
    const MANY: usize = 200_000;
    let folder = TempDir::new().expect("a folder");
    let begin = "{\n\"ph\": \"X\",\n\"x\": ";
    let line = "{\"name\":\"f\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1}\n";
    let document =
        |odd: &str| format!("[\n{},\n{odd},\n{},\n{}\n]\n", event(1), event(2), event(3));
    let opened = format!("{begin}{}", "{\"a\":".repeat(MANY));
    let lists = format!("{begin}{}", "{\"a\":[".repeat(MANY));
    let siblings = vec!["{\n\"name\":{\"a\":1},\n\"b\":{"; MANY / 4].join(",\n");
    // A quote too much turns what is inside of strings to their outside.
    let escapes = format!("{{\n\"b\":{}", "{\"\":[\\\"".repeat(MANY));
    let ended = format!("{begin}{}{}", "{\"a\":".repeat(MANY), "!}".repeat(MANY));
    let of_lines = format!("{line}{}\n{line}{line}", "{\"name\":".repeat(MANY));
    let texts = [
        ("opened", document(&opened), "line 10: an event does not end"),
        ("lists", document(&lists), "line 10: an event does not end"),
        ("siblings", document(&siblings), "line 10: an event does not end"),
        ("ended", document(&ended), "line 10: expected"),
        ("lines", of_lines, "line 2: the line ends within an object"),
    ];
    for (name, text, told) in texts {
        let path = file(&folder, &format!("{name}.json"), text.as_bytes());
        for command in ["info", "profile", "io", "validate"] {
            let taken = usage(&[command], &[&path], 30);
            let expected = if command == "info" || command == "validate" { 2..4 } else { 3..4 };
            assert!(expected.contains(&taken.code), "{name} {command}: {taken:?}");
        }
        assert_eq!(visits(&path), (3, 1, 3), "{name}");
        let said = everything(&["profile"], &path);
        assert!(said.contains(&format!("{name}.json: {told}")), "{name}: {said}");
    }
    // A text with more ways to part it into strings is given up, and not tried for ever.
    let path = file(&folder, "escapes.json", document(&escapes).as_bytes());
    let taken = usage(&["profile"], &[&path], 30);
    assert_eq!(taken.code, 3, "{taken:?}");
}

/// An event that is cut within a text is lost alone, and the one that begins there is read.
#[test]
fn events_that_are_torn() {
    let folder = TempDir::new().expect("a folder");
    let whole = event(2);
    let (cut, _) = whole.split_at(whole.find("f\",").expect("the name"));
    for torn in [
        format!("{cut} {}", event(3)),
        format!("{},\n\"args\": {{\"a\": 1,\n{}", &whole[..whole.len() - 2], event(3)),
    ] {
        let text = format!("{{\"traceEvents\":[\n{},\n{torn},\n{}\n]}}\n", event(1), event(4));
        let path = file(&folder, "a.json", text.as_bytes());
        assert_eq!(visits(&path), (3, 1, 3), "{torn}");
        let said = everything(&["profile"], &path);
        assert!(said.contains("a.json: line 10: ") && !said.contains("does not end:"), "{said}");
    }
}
