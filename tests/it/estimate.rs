//! Estimated sizes are those of the reference's tool.

use std::process::{Command, Stdio};

use crate::common::program::{said, streamfold, text};
use crate::common::skipped;

/// What a program answers to these commands.
fn answers(program: &mut Command, commands: &str) -> String {
    use std::io::Write;
    let mut child = program
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("an input");
    let commands = commands.as_bytes().to_vec();
    // It answers while commands are written: neither waits for the other. What follows on `exit` nobody reads.
    let writing = std::thread::spawn(move || drop(input.write_all(&commands)));
    let output = child.wait_with_output().expect("it ends");
    writing.join().expect("commands");
    text(&output.stdout)
}

fn ours(commands: &str) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_streamfold"));
    answers(program.args(["estimate", "--mpi", "off"]), commands)
}

/// The numbers of the manual, and those that were found out.
const KNOWN: [(&str, &str); 16] = [
    ("get Timestamp", "Timestamp 9\n"),
    ("get Enter", "Enter 6\n"),
    ("get Metric 4", "Metric 4 48\n"),
    ("set Region 4\nget Enter\nget Leave", "Enter 3\nLeave 3\n"),
    ("set Metric 1\nget Metric  4", "Metric  4 44\n"),
    ("get MpiSend", "MpiSend 26\n"),
    ("get MpiCollectiveBegin", "MpiCollectiveBegin 2\n"),
    ("get BufferFlush", "BufferFlush 10\n"),
    ("get Metric 30", "Metric 30 316\n"),
    ("get Metric 200", "Metric 200 2016\n"),
    ("get AttributeList", "AttributeList 0\n"),
    ("get AttributeList UINT8 UINT64 STRING", "AttributeList UINT8 UINT64 STRING 37\n"),
    ("set Location 29123\nget DefChunkSize", "DefChunkSize 262144\n"),
    ("set Location 29124\nget DefChunkSize", "DefChunkSize 524288\n"),
    ("set Region 65537\nget DefChunkSize", "DefChunkSize 524288\n"),
    ("set Location 1864132\nget DefChunkSize", "DefChunkSize 0\n"),
];

#[test]
fn known_sizes() {
    for (commands, expected) in KNOWN {
        assert_eq!(ours(&format!("{commands}\nexit\nget Enter\n")), expected, "{commands}");
    }
    let arguments = ["estimate", "--set", "Region=4", "Enter", "Metric 4"];
    let output = streamfold(["--mpi", "off"]).args(arguments).output().expect("a run");
    assert_eq!(text(&output.stdout), "Enter 3\nMetric 4 48\n");
}

#[test]
fn what_is_not_known_is_told() {
    for (commands, expected) in [
        ("get Foo\n", "unknown event 'Foo'"),
        ("set Foo 3\n", "unknown definition 'Foo'"),
        ("get Metric\n", "missing numberOfMetrics parameter for Metric event"),
        ("get AttributeList FOO\n", "unknown attribute type: 'FOO'"),
        ("list\n", "can not list: ''"),
        ("bla\n", "unknown command: 'bla'"),
    ] {
        let mut run = streamfold(["estimate", "--mpi", "off"]);
        let output = run.write_stdin(commands).output().expect("a run");
        assert_eq!(output.status.code(), Some(1), "{commands}");
        assert!(said(&output).contains(expected), "{}", said(&output));
    }
}

#[test]
fn sizes_are_those_of_the_tool() {
    let tool = || Command::new("otf2-estimator");
    if !tool().arg("--version").output().is_ok_and(|run| run.status.success()) {
        return skipped("no otf2-estimator");
    }
    let names = |commands: &str| -> Vec<String> {
        let listed = answers(&mut tool(), commands);
        listed.lines().map(|line| line.split(' ').next().expect("a name").to_owned()).collect()
    };
    let events = names("list events\nexit\n");
    let definitions = names("list definitions\nexit\n");
    let types = names("list types\nexit\n");
    for what in ["definitions", "types"] {
        let commands = format!("list {what}\nexit\n");
        assert_eq!(ours(&commands), answers(&mut tool(), &commands));
    }
    // A dialogue for each number: the tool does not forget that there were once no locations.
    for number in
        ["", "0", "1", "2", "255", "256", "257", "65536", "65537", "16777217", "4294967296"]
    {
        let mut commands = String::new();
        if !number.is_empty() {
            definitions.iter().for_each(|name| commands += &format!("set {name} {number}\n"));
            commands += "get DefChunkSize\n";
        }
        for event in &events {
            let values = if event == "AttributeList" { "" } else { " 7" };
            commands += &format!("get {event}{values}\n");
        }
        for name in &types {
            commands += &format!(
                "get AttributeList {name}\nget AttributeList {}\n",
                [name.as_str(); 40].join(" ")
            );
        }
        for count in [0, 1, 24, 25, 48, 49, 50, 255, 300] {
            commands += &format!("get Metric {count}\nget ProgramBegin {count}\n");
        }
        commands += "exit\n";
        let (ours, theirs) = (ours(&commands), answers(&mut tool(), &commands));
        for (ours, theirs) in ours.lines().zip(theirs.lines()) {
            assert_eq!(ours, theirs, "{number} definitions");
        }
        assert_eq!(ours.lines().count(), theirs.lines().count());
    }
}

/// Called by the name of the reference's tool, the program prints as that does.
#[test]
fn by_the_name_of_the_tool_it_prints() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let name = folder.path().join("otf2-print");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_streamfold"), &name).expect("a link");
    let anchor = crate::common::archives::one("pingpong").anchor;
    let by_name = Command::new(&name).arg("-G").arg(&anchor).output().expect("a run");
    let by_command =
        streamfold(["print", "-q", "--mpi", "off", "-G"]).arg(&anchor).output().expect("a run");
    assert_eq!(text(&by_name.stdout), text(&by_command.stdout));
    assert_eq!((by_name.status.code(), said(&by_name).as_str()), (Some(0), ""));
}

#[test]
fn the_version_tells_what_the_program_was_built_with() {
    let output = streamfold(["--version", "--verbose"]).output().expect("a run");
    let told = text(&output.stdout);
    for line in ["streamfold  ", "MPI         ", "HDF5        ", "reads       "] {
        assert!(told.contains(line), "{told}");
    }
    let all = ["OTF2 (up to 3.2)", "OTF 1", "DFTracer", "Chrome trace events", "strace", "GISTLOG"];
    let line = format!("reads       {}\n", all.join(", "));
    assert!(told.contains(&line), "{told}");
    let output = streamfold(["--version"]).output().expect("a run");
    assert_eq!(text(&output.stdout), format!("streamfold {}\n", env!("CARGO_PKG_VERSION")));
}
