//! Problems that were reported of readers of this format, one test each. docs/use/otf.md has the list.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use flate2::{Compress, Compression, FlushCompress};
use serde_json::Value;
use tempfile::TempDir;

use super::{functions, profile, trace, DEFINITIONS};
use crate::common::program::streamfold;

/// What a command writes, says, and its exit code.
fn run(arguments: &[&str], trace: &Path) -> (String, String, Option<i32>) {
    let arguments = arguments.iter().map(OsStr::new).chain([trace.as_os_str()]);
    let run = streamfold(arguments).output().expect("the program runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&run.stdout), text(&run.stderr), run.status.code())
}

/// The trace of the definitions above, with these events in stream 1, and perhaps other files.
fn events(folder: &TempDir, events: &str, others: &[(&str, &str)]) -> PathBuf {
    let files = [("otf", "1:64,65\n"), ("0.def", DEFINITIONS), ("1.events", events)];
    trace(folder, &[&files, others].concat())
}

/// Text as a compressed file: each part is flushed, and the end is left out. `level` 0: parts are stored.
fn compressed(parts: &[&[u8]], level: u32) -> Vec<u8> {
    let mut deflate = Compress::new(Compression::new(level), true);
    let mut bytes = Vec::with_capacity(1 << 20);
    for part in parts {
        let taken = deflate.total_in();
        while (deflate.total_in() - taken) < part.len() as u64 {
            let rest = &part[(deflate.total_in() - taken) as usize..];
            deflate.compress_vec(rest, &mut bytes, FlushCompress::None).expect("room");
        }
        deflate.compress_vec(&[], &mut bytes, FlushCompress::Full).expect("room");
    }
    bytes
}

/// What looks like the mark of a flush may be anywhere.
#[test]
fn o1_flush_marks_are_verified() {
    let folder = TempDir::new().expect("a folder");
    let calls = |from: u64, to: u64| -> Vec<u8> {
        let call = |time: u64| {
            let (enter, leave) = (8 * time, 8 * time + 3);
            let mark = "\0\0\u{ff}\u{ff}";
            let text = format!("{enter:x}\n*64\nE1\n#\"{mark}\"\n{leave:x}\n*64\nL1\n");
            text.chars().map(|letter| letter as u8).collect::<Vec<u8>>()
        };
        (from..to).flat_map(call).collect()
    };
    let master = events(&folder, "", &[]);
    fs::remove_file(folder.path().join("t.1.events")).expect("a file");
    let parts = [calls(0, 100), calls(100, 200), calls(200, 300)];
    let parts = parts.each_ref().map(Vec::as_slice);
    for level in [0, 6] {
        let bytes = compressed(&parts, level);
        let file = folder.path().join("t.1.events.z");
        fs::write(&file, &bytes).expect("a file");
        let (found, said, code) = profile(&master, &[]);
        assert_eq!(code, Some(0), "level {level}: {said}");
        assert_eq!(functions(&found)["f"], [300, 900, 900], "level {level}");
        // Damage in the first part: reading goes on at a mark that holds, and no event is made up.
        let mut damaged = bytes;
        damaged[2] = 0xff;
        fs::write(&file, &damaged).expect("a file");
        let (found, said, code) = profile(&master, &[]);
        assert_eq!(code, Some(3), "level {level}: {said}");
        assert!(said.contains("what is compressed is damaged"), "level {level}: {said}");
        let [calls, _, inclusive] = functions(&found)["f"];
        assert!(
            (100..=300).contains(&calls) && inclusive <= 3 * calls + 3,
            "level {level}: {found}"
        );
    }
}

/// Times that go back lose nothing; they are counted, and the first place is told.
#[test]
fn o2_times_that_go_back() {
    let folder = TempDir::new().expect("a folder");
    let text = "5\n*64\nE1\n9\n*64\nL1\n3\n*64\nE1\n4\n*64\nL1\n";
    let master = events(&folder, text, &[]);
    let (found, said, code) = profile(&master, &[]);
    assert_eq!((code, functions(&found)["f"][0]), (Some(0), 2), "{said}");
    assert_eq!(found["oddities"]["backward"], 1, "{found}");
    let (page, said, code) = run(&["info"], &master);
    assert_eq!(code, Some(0), "{said}");
    assert!(page.contains("times that go back    1"), "{page}");
    assert!(said.contains("t.1.events: line 9: times go back, 1 times in all"), "{said}");
}

/// Snapshots among events are no events, and their times order nothing.
#[test]
fn o3_snapshots_among_events() {
    let folder = TempDir::new().expect("a folder");
    let text = "5\n*64\nE1\n9\n*64\nTE1O5\nTS65O2G1T0L4\nL1\n";
    let (found, said, code) = profile(&events(&folder, text, &[]), &[]);
    assert_eq!((code, functions(&found)["f"]), (Some(0), [1, 4, 4]), "{said}");
    assert_eq!(found["total"]["events"], 2);
    assert_eq!(found["oddities"]["backward"], 0);
}

/// The largest number is a number like others.
#[test]
fn o4_the_largest_number() {
    let folder = TempDir::new().expect("a folder");
    let text = "5\n*64\nE1\nCNT1Vffffffffffffffff\nffffffffffffffff\n*64\nL1\n";
    let master = events(&folder, text, &[]);
    let (text, said, code) = run(&["print"], &master);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        text.contains("Counter: process 100, counter 1, value 18446744073709551615\n"),
        "{text}"
    );
    assert!(text.contains("18446744073709551615 Leave: function 1, process 100"), "{text}");
    let (found, said, _) = profile(&master, &[]);
    assert_eq!(found["total"]["closed"], 1, "{said}");
}

/// Groups have any number of members.
#[test]
fn o5_groups_of_any_size() {
    let folder = TempDir::new().expect("a folder");
    let processes: Vec<String> = (1..=2000).map(|process| format!("{process:x}")).collect();
    let master = format!("1:{}\n", processes.join(","));
    let members: String = processes.iter().map(|process| format!("{process},")).collect();
    let definitions = format!("DTR3e8\nDPG7d1M{members}NM\"all\"\nDPG7d2MNM\"none\"\n");
    let text = "1\n*1\nS7d0L8T0C7d1\n5\n*7d0\nR1L8T0C7d1\n";
    let files = [("otf", &*master), ("0.def", &definitions), ("1.events", text)];
    let master = trace(&folder, &files);
    let (text, said, code) = run(&["print", "-G"], &master);
    assert_eq!(code, Some(0), "{said}");
    assert!(text.contains(", 1999, 2000\n") && text.contains("name \"none\", procs \n"), "{said}");
    let (text, said, code) = run(&["match", "--format", "json"], &master);
    assert_eq!(code, Some(0), "{said}");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(report["communicators"][0]["messages"], 1, "{report}");
}

/// Arrays of bytes have any length.
#[test]
fn o6_arrays_of_any_length() {
    let folder = TempDir::new().expect("a folder");
    const BYTES: usize = 100_050;
    let mut text = "5\n*64\n".to_owned();
    for begin in (0..BYTES).step_by(100) {
        let count = (BYTES - begin).min(100);
        text += &format!("KcYbV{}L{:x}\n", "5a".repeat(count), BYTES - begin);
    }
    text += "E1\n9\n*64\nL1\n";
    let master = events(&folder, &text, &[]);
    let (text, said, code) = run(&["print"], &master);
    assert_eq!(code, Some(0), "{said}");
    assert!(text.contains(&format!("KeyValue: 12:byte-array({BYTES})\n")), "{said}");
    let (text, ..) = run(&["print", "--full-keyvalues"], &master);
    assert!(text.contains(&format!("KeyValue: 12:{}\n", "5A".repeat(BYTES))));
    assert_eq!(functions(&profile(&master, &[]).0)["f"], [1, 4, 4]);
}

/// Every number of 32 bits is one of a process.
#[test]
fn o7_numbers_of_processes() {
    let folder = TempDir::new().expect("a folder");
    let definitions = "DTR3e8\nDP0NM\"first\"\nDPffffffffNM\"last\"\nDF1G1NM\"f\"\n";
    let text = "5\n*0\nE1\n6\n*ffffffff\nE1\n9\n*0\nL1\na\n*ffffffff\nL1\n";
    let files = [("otf", "1:0,ffffffff\n"), ("0.def", definitions), ("1.events", text)];
    let master = trace(&folder, &files);
    let (found, said, code) = profile(&master, &[]);
    assert_eq!((code, functions(&found)["f"]), (Some(0), [2, 8, 8]), "{said}");
    let (text, ..) = run(&["print"], &master);
    assert!(text.contains("6 Enter: function 1, process 4294967295, source 0"), "{text}");
}

/// A trace that has statistics only has a profile: theirs.
#[test]
fn o8_statistics_without_events() {
    let folder = TempDir::new().expect("a folder");
    let statistics = "5\n*64\nSF1N1E2I2\n9\n*64\nSF1N3E5I6\nSM0C0T0NS2NR1S10R8\n*65\nSF1N1E4I4\n";
    let files = [("otf", "1:64,65\n"), ("0.def", DEFINITIONS), ("1.stats", statistics)];
    let master = trace(&folder, &files);
    let (found, said, code) = profile(&master, &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("there are no events: the statistics of the trace are shown"), "{said}");
    assert_eq!(functions(&found)["f"], [4, 9, 10]);
    assert_eq!(found["total"]["sent"], 2, "{found}");
    let (text, said, code) = run(&["profile", "-q", "--format", "otfprofile"], &master);
    assert_eq!(code, Some(0), "{said}");
    assert!(text.contains("FUNCTION;a;f;3;0.005;0.006\nFUNCTION;b;f;1;0.004;0.004\n"), "{text}");
    assert!(text.contains("P2P;a;2;1;16;8;0\n"), "{text}");
}

/// Blank lines and comments are no damage, in any file.
#[test]
fn o9_blank_lines_and_comments() {
    let folder = TempDir::new().expect("a folder");
    let definitions = format!("\n  \nDCMT\"a\"\n{DEFINITIONS}\n\n");
    let files = [
        ("otf", "\n# all\n1:64,65\n\n"),
        ("0.def", &*definitions),
        ("1.events", "\n5\n*64\n\nE1\n#\"b\"\n\t\n9\n*64\nL1\n\n"),
        ("1.stats", "5\n*64\n\nSC\"c\"\n\nSF1N1E2I2\n\n"),
        ("1.snaps", "5\n*64\n\nTC\"d\"\n \nTE1O5\n\n"),
        ("0.marker", "\nMD1NM\"m\"Y1\n\nMS1T5P64V\"x\"\n\n"),
    ];
    let master = trace(&folder, &files);
    let (text, said, code) = run(&["print"], &master);
    assert_eq!(code, Some(0), "{said}");
    assert!(!text.contains("Unknown"), "{text}");
    assert!(text.contains("StatFunction") && text.contains("SnapEnter"), "{text}");
    let (found, said, code) = profile(&master, &[]);
    assert_eq!((code, functions(&found)["f"]), (Some(0), [1, 4, 4]), "{said}");
    assert_eq!(run(&["info"], &master).2, Some(0));
}

/// Records of unknown kinds are passed to the end of their line, and counted by keyword.
#[test]
fn o10_records_of_unknown_kinds() {
    let folder = TempDir::new().expect("a folder");
    let text = "5\n*64\nE1\nXY1E2\nXY3\nQQ\"L1\"\n9\n*64\nL1\n";
    let (found, said, code) = profile(&events(&folder, text, &[]), &[]);
    assert_eq!((code, functions(&found)["f"]), (Some(3), [1, 4, 4]), "{said}");
    assert!(said.contains("line 4: no record begins with \"XY1E2\" (2 such lines)"), "{said}");
    assert!(said.contains("line 6: no record begins with"), "{said}");
}

/// Ends of file operations of old libraries are in doubt, and that is said.
#[test]
fn o11_ends_of_file_operations() {
    let folder = TempDir::new().expect("a folder");
    let text = "5\n*64\nFB5\n9\n*64\nFE1H5OP2B8\n";
    for (version, is_in_doubt) in [("1.6.1", true), ("1.6.2", false), ("1.c.5", false)] {
        let definitions = format!("DV{version}\"x\"\n{DEFINITIONS}DFL1NM\"file\"G0\n");
        let files = [("otf", "1:64,65\n"), ("0.def", &*definitions), ("1.events", text)];
        let (text, said, code) = run(&["print"], &trace(&folder, &files));
        assert_eq!(code, Some(0), "{said}");
        assert!(text.contains("matching ID 5, handle ID 0, operation READ"), "{text}");
        let is_said = said.contains("before 1.6.2 the numbers in ends of file operations");
        assert_eq!(is_said, is_in_doubt, "{version}: {said}");
    }
}

/// A leave of no function leaves the one that was entered last.
#[test]
fn o12_leaves_without_a_function() {
    let folder = TempDir::new().expect("a folder");
    let definitions = format!("{DEFINITIONS}DF2G1NM\"g\"\n");
    let text = "1\n*64\nE1\n2\n*64\nE2\n4\n*64\nL0\n9\n*64\nL\n";
    let files = [("otf", "1:64\n"), ("0.def", &*definitions), ("1.events", text)];
    let (found, said, code) = profile(&trace(&folder, &files), &[]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(functions(&found)["f"], [1, 6, 8]);
    assert_eq!(functions(&found)["g"], [1, 2, 2]);
}

/// A message that was received before it was sent is matched, and counted apart.
#[test]
fn o13_messages_received_before_they_were_sent() {
    let folder = TempDir::new().expect("a folder");
    let definitions = format!("{DEFINITIONS}DPG1M64,65,NM\"comm\"\n");
    let text = "1\n*65\nR64L8T0C1\n5\n*64\nS65L8T0C1\n";
    let files = [("otf", "1:64,65\n"), ("0.def", &*definitions), ("1.events", text)];
    let (text, said, code) = run(&["match", "--format", "json"], &trace(&folder, &files));
    assert_eq!(code, Some(0), "{said}");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let of = &report["communicators"][0];
    assert_eq!(of["messages"], 1, "{report}");
    assert_eq!(of["late"], 1, "{report}");
}

/// There may be files with markers, or none.
#[test]
fn o14_markers() {
    let folder = TempDir::new().expect("a folder");
    let text = "5\n*64\nE1\n9\n*64\nL1\n";
    let (text_before, said, code) = run(&["print"], &events(&folder, text, &[]));
    assert_eq!(code, Some(0), "{said}");
    assert!(text_before.ends_with("\nmarkers:\n\n\ndone\n"));
    let markers = [("0.marker", "MD1NM\"m\"Y1\n"), ("1.marker", "MS1T5P64V\"x\"\n")];
    let (text, said, code) = run(&["print"], &events(&folder, text, &markers));
    assert_eq!(code, Some(0), "{said}");
    assert!(text.contains("DefMarker: ID 1, name \"m\", type ERROR\n"), "{text}");
    assert!(text.contains("\t5 Marker: ID 1, process 100, text \"x\"\n"), "{text}");
}

/// A master file of a few bytes: streams are found by the names of files.
#[test]
fn o15_damaged_master_files() {
    for master in ["1:6", "\n\n\n\n", "1:64,65", "garbage"] {
        let folder = TempDir::new().expect("a folder");
        let text = "5\n*64\nE1\n9\n*64\nL1\n";
        let files = [("otf", master), ("0.def", DEFINITIONS), ("1.events", text)];
        let (found, said, code) = profile(&trace(&folder, &files), &[]);
        assert_eq!((code, functions(&found)["f"]), (Some(0), [1, 4, 4]), "{master}: {said}");
        assert!(said.contains("1 streams were found by the names of their files"), "{said}");
    }
}

/// What nobody unified is said to be that.
#[test]
fn o16_traces_that_were_not_unified() {
    let folder = TempDir::new().expect("a folder");
    for number in 1..=2 {
        fs::write(folder.path().join(format!("t.{number}.uctl")), "1:1\n").expect("a file");
    }
    let master = folder.path().join("t.otf");
    let (_, said, code) = run(&["profile"], &master);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("t.otf: the trace was not unified: 2 processes left files"), "{said}");
}

/// Numbers in names of files are hexadecimal, in any case of letters.
#[test]
fn o17_numbers_in_names_are_hexadecimal() {
    let text = "5\n*64\nE1\n9\n*64\nL1\n";
    for name in ["1f.events", "1F.events"] {
        let folder = TempDir::new().expect("a folder");
        let files = [("otf", "1f:64\n"), ("0.def", DEFINITIONS), (name, text)];
        let (found, said, code) = profile(&trace(&folder, &files), &[]);
        assert_eq!((code, functions(&found)["f"]), (Some(0), [1, 4, 4]), "{name}: {said}");
    }
}

/// Where recording stopped, functions that are open end with the stream, and are counted as open.
#[test]
fn o18_recording_that_stopped() {
    let folder = TempDir::new().expect("a folder");
    let definitions = format!("{DEFINITIONS}DF2G1NM\"g\"\n");
    let text = "1\n*64\nE1\n2\n*64\nE2\n4\n*64\nL2\n6\n*64\nE2\n6\n*64\n";
    let files = [("otf", "1:64\n"), ("0.def", &*definitions), ("1.events", text)];
    let (found, said, code) = profile(&trace(&folder, &files), &[]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(found["oddities"]["open"], 2, "{found}");
    assert_eq!(functions(&found)["g"], [2, 2, 2]);
}

/// A value directly before a leave, at its time, belongs to the function that is left.
#[test]
fn o19_counters_before_leaves() {
    let folder = TempDir::new().expect("a folder");
    let definitions = format!("{DEFINITIONS}DF2G1NM\"g\"\nDCNT1G0NM\"c\"P0U\"#\"\n");
    let value = |time: u64, event: &str, value: u64| match event.starts_with('E') {
        true => format!("{time:x}\n*64\n{event}\nCNT1V{value:x}\n"),
        false => format!("{time:x}\n*64\nCNT1V{value:x}\n{event}\n"),
    };
    let text = value(0, "E1", 10) + &value(1, "E2", 12) + &value(3, "L2", 18) + &value(3, "L1", 19);
    // Older traces have none before a leave.
    let text = text + "4\n*64\nE2\nCNT1V20\n5\n*64\nL2\n";
    let files = [("otf", "1:64\n"), ("0.def", &*definitions), ("1.events", &text)];
    let master = trace(&folder, &files);
    let (text, said, code) = run(&["profile", "-q", "--format", "otfprofile"], &master);
    assert_eq!(code, Some(0), "{said}");
    // f grows by 9 in 3 ms, of which g has 6 in 2 of 3 ms.
    assert!(text.contains("COUNTER;a;f;c;3000;3000\nCOUNTER;a;g;c;2000;2000\n"), "{text}");
}

/// Volumes of collective operations have 64 bits.
#[test]
fn o20_large_collective_operations() {
    let folder = TempDir::new().expect("a folder");
    let definitions = format!("{DEFINITIONS}DPG1M64,65,NM\"comm\"\nDCO1NM\"MPI_Bcast\"Y2\n");
    let text = "1\n*64\nCOPB1H1C1RT64S2000000000R0\n5\n*64\nCOPE1\n";
    let files = [("otf", "1:64,65\n"), ("0.def", &*definitions), ("1.events", text)];
    let master = trace(&folder, &files);
    let (text, ..) = run(&["print"], &master);
    assert!(text.contains("sent 137438953472, received 0"), "{text}");
    let (text, said, code) = run(&["profile", "-q", "--format", "otfprofile"], &master);
    assert_eq!(code, Some(0), "{said}");
    assert!(text.contains("COLLOP;a;ONE2ALL;1;0;137438953472;0;0.004\n"), "{text}");
}

/// However many streams there are, few files are open.
#[test]
fn o21_few_open_files() {
    let folder = TempDir::new().expect("a folder");
    let mut master = String::new();
    for stream in 1..=60 {
        master += &format!("{stream:x}:{stream:x}\n");
        let mut text = String::new();
        for time in 0..200 {
            let (enter, leave) = (10 * time + stream, 10 * time + stream + 5);
            text += &format!("{enter:x}\n*{stream:x}\nE1\n{leave:x}\n*{stream:x}\nL1\n");
        }
        fs::write(folder.path().join(format!("t.{stream:x}.events")), text).expect("a file");
    }
    let master = trace(&folder, &[("otf", &master), ("0.def", DEFINITIONS)]);
    let (expected, said, code) = run(&["print"], &master);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(expected.matches("Enter: ").count(), 60 * 200);
    for files in ["1", "7"] {
        let (text, said, code) = run(&["print", "--max-open-files", files], &master);
        assert_eq!(code, Some(0), "{said}");
        assert!(text == expected, "{files} files");
    }
}

/// Sets that were shrunk: links, gaps in the numbers, processes without definition, parents that are gone.
#[test]
#[cfg(unix)]
fn o22_shrunk_sets() {
    let (folder, elsewhere) =
        (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    let text = "5\n*64\nE1\n6\n*65\nE1\n7\n*68\nE1\n9\n*64\nL1\n*65\nL1\n*68\nL1\n";
    let file = elsewhere.path().join("events");
    fs::write(&file, text).expect("a file");
    let link = folder.path().join("t.7.events");
    std::os::unix::fs::symlink(&file, link).expect("a link");
    let definitions = "DTR3e8\nDP64NM\"a\"PT63\nDF1G1NM\"f\"\n";
    let master = trace(&folder, &[("otf", "7:64,68\n"), ("0.def", definitions)]);
    let (found, said, code) = profile(&master, &[]);
    assert_eq!((code, functions(&found)["f"]), (Some(0), [2, 6, 6]), "{said}");
    let (text, said, code) =
        run(&["profile", "-q", "--by", "location", "--format", "csv"], &master);
    assert_eq!(code, Some(0), "{said}");
    assert!(text.contains("104"), "the process without definition goes by its number: {text}");
}

/// Spreadsheets take what begins with `=` for a formula.
#[test]
fn o23_cells_are_no_formulas() {
    let folder = TempDir::new().expect("a folder");
    let definitions = "DTR3e8\nDP64NM\"=a\"\nDF1G1NM\"=SUM(A1)\"\nDF2G1NM\"f;g\"\n";
    let text = "5\n*64\nE1\n6\n*64\nE2\n7\n*64\nL2\n9\n*64\nL1\n";
    let files = [("otf", "1:64\n"), ("0.def", definitions), ("1.events", text)];
    let (text, said, code) =
        run(&["profile", "-q", "--format", "otfprofile", "--matrices"], &trace(&folder, &files));
    assert_eq!(code, Some(0), "{said}");
    assert!(text.contains("FUNCTION;'=a;'=SUM(A1);1;"), "{text}");
    assert!(text.contains("FUNCTION;'=a;\"f;g\";1;"), "{text}");
    let has_formula = |line: &str| line.split(';').any(|cell| cell.starts_with('='));
    assert!(!text.lines().any(has_formula), "{text}");
}

/// As many calls as the recorder keeps: there may have been more.
#[test]
fn o24_the_limit_of_calls() {
    const LIMIT: u64 = 100_000;
    let folder = TempDir::new().expect("a folder");
    for (calls, is_said) in [(LIMIT, true), (LIMIT - 1, false)] {
        let call = |time: u64| format!("{:x}\n*64\nE1\n{:x}\n*64\nL1\n", 2 * time, 2 * time + 1);
        let text: String = (0..calls).map(call).collect();
        let master = events(&folder, &text, &[]);
        let (text, said, code) = run(&["profile", "-q", "--format", "otfprofile"], &master);
        assert_eq!(code, Some(0), "{said}");
        assert!(text.contains(&format!("FUNCTION;a;f;{calls};")), "{text}");
        let limit = "f: the count reached the limit of 100000 calls on 1 process";
        assert_eq!(said.contains(limit), is_said, "{calls}: {said}");
    }
}

/// What `print --json` leaves out it says, with the exit code of that.
#[test]
fn losses_show_in_json() {
    let folder = TempDir::new().expect("a folder");
    let text = "5\n*64\nE1\nS65L\n9\n*64\nL1\n";
    let (lines, said, code) = run(&["print", "--json"], &events(&folder, text, &[]));
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("line 4: SendMsg: TAG or T (tag) is missing"), "{said}");
    assert_eq!(lines.lines().count(), 2, "{lines}");
}

/// All definitions may stand in those of a stream, ticks per second, too. Streams that disagree about them are told.
#[test]
fn definitions_of_a_stream_count_for_all() {
    let folder = TempDir::new().expect("a folder");
    let own =
        "DV1.c.5\"salmon\"\nDCR\"logger\"\nDTR3b9aca00\nDP1NM\"a\"\nDP2NM\"b\"\nDF1G1NM\"f\"\n\
               DA1M8,\nDPGA2V1\n";
    let text = |process: u32| format!("64\n*{process}\nE1\n12c\n*{process}\nL1\n12c\n*{process}\n");
    let (first, second) = (text(1), text(2));
    let files = [("otf", "1:1\n2:2\n"), ("0.def", "DV1.c.5\"salmon\"\n"), ("1.def", own)];
    let events = [("1.events", &*first), ("2.events", &*second)];
    let master = trace(&folder, &[&files[..], &events[..]].concat());
    let run = streamfold(["profile", "--format", "json"]).arg(&master).output().expect("a run");
    let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(report["provenance"]["timer_resolution"], 1_000_000_000, "{report}");
    assert_eq!(report["provenance"]["creator"], "logger");
    let kinds: Vec<&Value> =
        report["locations"].as_array().expect("rows").iter().map(|row| &row["type"]).collect();
    assert_eq!(kinds, ["CPU_THREAD", "ACCELERATOR_STREAM"], "{report}");
    // The same once more says nothing new.
    let master = trace(&folder, &[("2.def", "DTR3b9aca00\n")]);
    let (_, said, code) = profile(&master, &[]);
    assert_eq!(code, Some(0), "{said}");
    let master = trace(&folder, &[("2.def", "DTR3e8\n")]);
    let (_, said, code) = profile(&master, &[]);
    assert_eq!(code, Some(3), "{said}");
    let expected =
        "t.2.def: 1000 ticks per second are defined here, and 1000000000 before: times of stream 2";
    assert!(said.contains(expected), "{said}");
}

/// Scalasca's elg2otf gives receives no length: these are not unequal to those of the sends.
#[test]
fn receives_without_a_length() {
    let folder = TempDir::new().expect("a folder");
    let definitions = format!("{DEFINITIONS}DPG1M64,65,NM\"comm\"\n");
    let text =
        "1\n*64\nS65L3e8T7C1\nS65L3e8T7C1\nS65L0T7C1\n5\n*65\nR64L0T7C1\nR64L7T7C1\nR64L3T7C1\n";
    let files = [("otf", "1:64,65\n"), ("0.def", &*definitions), ("1.events", text)];
    let master = trace(&folder, &files);
    let (text, said, code) = run(&["match", "-q", "--format", "json"], &master);
    assert_eq!(code, Some(0), "{said}");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let of_comm = &report["communicators"][0];
    assert_eq!([&of_comm["messages"], &of_comm["unequal_lengths"]], [3, 2], "{report}");
}
