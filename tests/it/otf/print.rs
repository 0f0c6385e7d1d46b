//! `print` writes what `otfprint` does, but for what that gets wrong.

use std::fs;
use std::path::Path;

use super::case;
use crate::common::program::streamfold;

/// What the program prints, says, and its exit code.
fn print(trace: &Path, options: &[&str]) -> (String, String, Option<i32>) {
    let run = streamfold(["print".as_ref(), trace.as_os_str()]).args(options).output();
    let run = run.expect("the program runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&run.stdout), text(&run.stderr), run.status.code())
}

/// Compares texts; where they differ the first line is shown.
fn assert_same(name: &str, found: &str, expected: &str) {
    let mut lines = found.lines().zip(expected.lines()).enumerate();
    if let Some((number, (found, expected))) =
        lines.find(|(_, (found, expected))| found != expected)
    {
        panic!("{name}: line {}:\n{found}\ninstead of\n{expected}", number + 1);
    }
    assert_eq!(found.lines().count(), expected.lines().count(), "{name}");
    assert!(found == expected, "{name}: the ends differ");
}

#[test]
fn texts_are_those_of_otfprint() {
    let cases = [
        "all-short",
        "all-long",
        "all-compressed",
        "all-long-compressed",
        "ring",
        "ring-inline",
        "ring-merged-1",
        "ring-merged-mpi",
        "ring-shrunk",
        "hex-streams",
        "blocks",
        "groups",
        "unsorted",
    ];
    for name in cases {
        let Some(folder) = case(name) else { return };
        let expected = fs::read(folder.join("expected.txt")).expect("what otfprint says");
        let (text, said, code) = print(&folder.join("trace.otf"), &[]);
        assert_same(name, &text, &String::from_utf8_lossy(&expected));
        assert_eq!(code, Some(0), "{name}: {said}");
    }
}

#[test]
fn options_are_those_of_otfprint() {
    let Some(ring) = case("ring") else { return };
    let Some(all) = case("all-short") else { return };
    let cases: [(_, _, &[&str]); 4] = [
        (&all, "expected-full.txt", &["--fullkeyvalue"]),
        (&ring, "expected-time-1200-1800.txt", &["--time", "1200", "1800"]),
        (&ring, "expected-procs-3-5.txt", &["-L", "3", "-L", "5"]),
        (&ring, "expected.txt", &["--max-open-files", "1"]),
    ];
    for (folder, file, options) in cases {
        let expected = fs::read_to_string(folder.join(file)).expect("what otfprint says");
        let (text, said, code) = print(&folder.join("trace.otf"), options);
        assert_same(file, &text, &expected);
        assert_eq!(code, Some(0), "{file}: {said}");
    }
}

/// Sections, kinds of records and numbers can be chosen.
#[test]
fn parts_are_printed() {
    let Some(ring) = case("ring") else { return };
    let trace = ring.join("trace.otf");
    let whole = print(&trace, &[]).0;
    let section = |text: &str, title: &str| {
        let begin = text.find(&format!("\n{title}:\n\n"))?;
        let rest = &text[begin + title.len() + 4..];
        Some(rest[..rest.find("\n\n").unwrap_or(rest.len())].to_owned())
    };
    let (text, ..) = print(&trace, &["-G"]);
    assert_eq!(section(&text, "definitions"), section(&whole, "definitions"));
    assert_eq!(section(&text, "events"), None);
    let all = ["--nodef", "--noevent", "--nostat", "--no-snapshots", "--nomarker"];
    assert_eq!(print(&trace, &all).0, "\ndone\n");
    let (text, ..) = print(&trace, &["--nodef", "--noevent", "--nosnap", "--nomarker"]);
    assert!(text.starts_with("\nstatistics:\n\n(#1) \t1261 StatFunction"), "{text}");
    let (text, ..) = print(&trace, &["--num", "44", "45"]);
    assert!(text.contains("(#44) \t1003 BeginProcess") && text.contains("(#45) "), "{text}");
    assert!(!text.contains("(#43) ") && !text.contains("(#46) "), "{text}");
    let (text, ..) = print(&trace, &["--records", "SendMsg,10"]);
    let records = text.lines().filter(|line| line.starts_with("(#"));
    let is_message =
        |line: &str| line.contains(" SendMessage: ") || line.contains(" ReceiveMessage: ");
    let (messages, others): (Vec<_>, Vec<_>) = records.partition(|line| is_message(line));
    assert_eq!((messages.len(), others.len()), (32, 0));
    let (text, ..) = print(&trace, &["--silent"]);
    assert!(text.contains("\nevents:\n\n") && !text.contains("(#"), "{text}");
    let Some(all) = case("all-short") else { return };
    assert!(!print(&all.join("trace.otf"), &["--nokeyvalue"]).0.contains(", KeyValue:"));
    for wrong in [["--records", "Nothing"], ["--step", "3"]] {
        assert_eq!(print(&trace, &wrong).2, Some(1), "{wrong:?}");
    }
}

/// Texts of the reference, and what stands there instead.
type Instead = &'static [(&'static str, &'static str)];

/// Where the reference is wrong, or gives up what it could read.
const WRONG: &[(&str, Instead)] = &[
    // A blank line at the end of a file is no record.
    ("trailing-blank-line", &[("(#8) \t5 Unknown: process 1, record \"\"\n", "")]),
    // Ends of lines of DOS are ends of lines.
    ("crlf", &[("events:\n\n", "events:\n\n(#6) \t0 Enter: function 1, process 1, source 0\n(#7) \t5 Leave: function 1, process 1, source 0\n")]),
    // So is a blank before the end.
    ("blank-after-token", &[("events:\n\n", "events:\n\n(#6) \t0 Enter: function 1, process 1, source 0\n(#7) \t5 Leave: function 1, process 1, source 0\n")]),
    // A keyword may stand behind a blank.
    ("short-keyword-after-blank", &[("source 0\n\nstatistics", "source 0\n(#7) \t0 Leave: function 1, process 1, source 3\n(#8) \t0 Enter: function 2, process 1, source 0\n\nstatistics")]),
    // What follows on a damaged line is read.
    ("malformed-event", &[("source 0\n\nstatistics", "source 0\n(#7) \t0 Enter: function 2, process 1, source 0\n\nstatistics")]),
    ("wrong-field-order", &[("source 0\n\nstatistics", "source 0\n(#7) \t0 Enter: function 2, process 1, source 0\n\nstatistics")]),
    ("bad-keyvalue-type", &[("source 0\n\nstatistics", "source 0\n(#7) \t0 Enter: function 1, process 1, source 0\n\nstatistics")]),
    ("too-long-byte-array", &[("source 0\n\nstatistics", "source 0\n(#7) \t0 Enter: function 1, process 1, source 0\n\nstatistics")]),
    ("missing-tokens", &[("source 0\n\nstatistics", "source 0\n(#9) \t0 Enter: function 3, process 1, source 0\n\nstatistics")]),
    // So are other sections.
    ("malformed-definition", &[("1000\n", "1000\n(#2) \tDefProcess: stream 0, process 2, name \"b\", parent 0\n\nevents:\n\n(#3) \t0 Enter: function 1, process 1, source 0\n(#4) \t5 Leave: function 1, process 1, source 0\n\nstatistics:\n\n\nsnapshots:\n\n\nmarkers:\n\n\ndone\n")]),
    ("member-list-without-last-comma", &[("1000\n", "1000\n\nevents:\n\n(#2) \t0 Enter: function 1, process 1, source 0\n(#3) \t5 Leave: function 1, process 1, source 0\n\nstatistics:\n\n\nsnapshots:\n\n\nmarkers:\n\n\ndone\n")]),
    // So are other streams.
    ("missing-events-file", &[("events:\n\n", "events:\n\n(#8) \t0 Enter: function 1, process 1, source 0\n(#9) \t5 Leave: function 1, process 1, source 0\n")]),
    // An array is as long as what stands there of it.
    ("keyvalues", &[("12:byte-array(2), 13", "12:byte-array(1), 13")]),
    // Handles have 64 bits.
    ("wide-handle", &[("handle ID 3,", "handle ID 4294967299,")]),
];

#[test]
fn odd_traces_are_printed() {
    let Some(folder) = case("edge") else { return };
    let mut count = 0;
    for entry in fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("a file").path();
        let file = path.file_name().expect("a name").to_string_lossy().into_owned();
        let Some(name) = file.strip_suffix(".expected.txt") else { continue };
        let mut expected = fs::read_to_string(&path).expect("what otfprint says");
        let wrong = WRONG.iter().find(|(of, _)| *of == name).map_or(&[][..], |(_, wrong)| wrong);
        for (reference, instead) in wrong {
            assert!(expected.contains(reference), "{name}: {reference}");
            expected = expected.replace(reference, instead);
        }
        let (text, said, code) = print(&folder.join(format!("{name}.otf")), &[]);
        assert_same(name, &text, &expected);
        assert!(matches!(code, Some(0 | 3)), "{name}: {said}");
        count += 1;
    }
    assert_eq!(count, 41, "all of them");
    // What is lost is said.
    for (name, part) in [
        ("malformed-event", "line 4: Enter: the end of the line is expected, not \"LX\""),
        ("unknown-records", "no record begins with \"%%\" (3 such lines)"),
        ("no-final-newline", "line 5: the last line has no end, it is cut: \"L1\""),
        ("no-time-line", "there is no time line with a process line behind it"),
        ("missing-events-file", "stream 2 has no file with events"),
        ("malformed-definition", "line 2: DefProcess: the end of the line is expected"),
        ("odd-sections", "odd-sections.2.snaps: line 4: no record begins with \"X\""),
    ] {
        let (_, said, code) = print(&folder.join(format!("{name}.otf")), &[]);
        assert!(said.contains(part), "{name}: {said}");
        assert_eq!(code, Some(3), "{name}");
    }
}
