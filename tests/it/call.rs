//! Commands called within a process: the same results as the program's, as values.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use streamfold::cli::call::{call, Answer, Call, Sink};
use streamfold::report::tables::{csv, TableReport};
use streamfold::system::exit::{ExitCode, Failure};

use crate::common::program::streamfold;

/// Keeps a table as CSV, and the names of all tables.
#[derive(Default)]
struct Kept(Mutex<(String, Vec<&'static str>)>);

impl Sink for Kept {
    fn tables(&self, report: &TableReport<'_>, table: &str) -> Result<(), Failure> {
        let mut kept = self.0.lock().unwrap();
        let mut bytes = Vec::new();
        csv::write(&mut bytes, report.provenance, report.table(table).unwrap()).unwrap();
        *kept = (
            String::from_utf8(bytes).unwrap(),
            report.tables.iter().map(|table| table.name).collect(),
        );
        Ok(())
    }
}

fn called(arguments: &[&str]) -> (Answer, String, Vec<&'static str>) {
    let kept = Arc::new(Kept::default());
    let with = Call { sink: Some(kept.clone()), most_text: 1 << 24, ..Call::default() };
    let answer = call(arguments, with);
    let (table, names) = std::mem::take(&mut *kept.0.lock().unwrap());
    (answer, table, names)
}

/// Standard output of the program.
fn printed(arguments: &[&str]) -> String {
    let done = streamfold(arguments).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

const PINGPONG: &str = "tests/data/pingpong/traces.otf2";

/// Commands with tables.
const COMMANDS: [&[&str]; 9] = [
    &["overview", PINGPONG],
    &["profile", PINGPONG],
    &["profile", PINGPONG, "--by", "callpath"],
    &["profile", PINGPONG, "--by", "process"],
    &["match", PINGPONG],
    &["waitstates", PINGPONG],
    &["critical", PINGPONG],
    &["efficiency", PINGPONG],
    &["timeline", PINGPONG],
];

#[test]
fn texts_and_tables_are_those_of_the_program() {
    for arguments in COMMANDS {
        let (answer, table, names) = called(arguments);
        assert_eq!((answer.code, &answer.failure), (ExitCode::Done, &None), "{arguments:?}");
        assert_eq!(String::from_utf8(answer.text).unwrap(), printed(arguments), "{arguments:?}");
        assert!(!names.is_empty(), "{arguments:?}");
        let as_csv = printed(&[arguments, &["--format", "csv"]].concat());
        match names[..] {
            // CSV of a profile is without the resolution of the clock, which columns with types have.
            [_] => assert_eq!(table.lines().count(), as_csv.lines().count(), "{arguments:?}"),
            _ => assert_eq!(table, as_csv, "{arguments:?}"),
        }
    }
}

#[test]
fn failures_have_a_code_and_a_place() {
    let folder = tempfile::tempdir().unwrap();
    let anchor = folder.path().join("traces.otf2");
    std::fs::write(&anchor, b"OTF2 it is not").unwrap();
    let (answer, ..) = called(&["profile", anchor.to_str().unwrap()]);
    let failure = answer.failure.unwrap();
    assert_eq!((answer.code, failure.code), (ExitCode::Trace, ExitCode::Trace));
    assert_eq!(failure.at.expect("a place").file, anchor);
    let (answer, ..) = called(&["profile", PINGPONG, "--no-such-option"]);
    assert_eq!(answer.code, ExitCode::Usage);
    assert!(answer.failure.unwrap().message.contains("--no-such-option"));
    let (answer, ..) = called(&["estimate"]);
    assert!(answer.failure.unwrap().message.contains("standard input"));
}

#[test]
fn help_is_text() {
    let (answer, ..) = called(&["profile", "--help"]);
    assert_eq!(answer.failure, None);
    assert!(String::from_utf8(answer.text).unwrap().contains("--by"));
}

#[test]
fn no_more_text_is_kept_than_is_wanted() {
    let all = call(["print", PINGPONG], Call { most_text: usize::MAX, ..Call::default() });
    let some = call(["print", PINGPONG], Call { most_text: 100, ..Call::default() });
    assert!(some.is_cut && !all.is_cut);
    assert_eq!(some.text, all.text[..100]);
    assert_eq!(call(["print", PINGPONG], Call::default()).text, b"");
}

#[test]
fn calls_run_at_the_same_time() {
    let alone = COMMANDS.map(|arguments| called(arguments).1);
    std::thread::scope(|scope| {
        let threads = COMMANDS.map(|arguments| scope.spawn(move || called(arguments).1));
        for (thread, alone) in threads.into_iter().zip(&alone) {
            assert_eq!(thread.join().unwrap(), *alone);
        }
    });
}

#[test]
fn a_call_that_is_stopped_says_so() {
    let stop = Arc::new(AtomicBool::new(true));
    for command in ["profile", "match", "waitstates", "validate", "timeline", "print"] {
        let call = call([command, PINGPONG], Call { stop: Some(stop.clone()), ..Call::default() });
        assert!(call.is_stopped, "{command}");
        assert!(call.failure.unwrap().message.contains("stopped"), "{command}");
    }
}

/// The flag ends a call while it reads, long before it would be done.
#[test]
fn a_call_ends_soon_after_it_was_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.pfw");
    let call_of = |n: u64| {
        format!(
            "{{\"name\":\"read\",\"cat\":\"POSIX\",\"pid\":1,\"tid\":1,\"ts\":{},\"dur\":5,\"ph\":1}}\n",
            10 * n
        )
    };
    std::fs::write(&path, (0..300_000).map(call_of).collect::<String>()).unwrap();
    let run = |after: Option<Duration>| {
        let stop = Arc::new(AtomicBool::new(false));
        let (flag, begin) = (stop.clone(), Instant::now());
        std::thread::scope(|scope| {
            if let Some(after) = after {
                scope.spawn(move || {
                    std::thread::sleep(after);
                    flag.store(true, Ordering::Relaxed);
                });
            }
            let arguments = ["profile", path.to_str().unwrap(), "--threads", "1"];
            let answer = call(arguments, Call { stop: Some(stop), ..Call::default() });
            (answer, begin.elapsed())
        })
    };
    let (whole, all) = run(None);
    assert_eq!(whole.failure, None);
    let (part, _) = run(Some(all / 8));
    assert!(part.is_stopped, "{:?} after {:?}", part.failure, all);
}
