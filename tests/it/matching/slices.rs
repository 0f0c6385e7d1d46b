//! Some locations, and a window of time.

use std::ffi::OsStr;

use crate::common::archives::one;
use crate::common::program::{said, streamfold};
use crate::matching::{number, report, rows};

fn sums(anchor: &std::path::Path, more: &[&str]) -> [u64; 4] {
    let (report, code) = report(anchor, more);
    assert_eq!(code, 0, "{more:?}");
    let columns = ["messages", "bytes", "sends", "unmatched_sends_not_selected"];
    columns.map(|column| {
        rows(&report, "communicators").iter().map(|row| number(row, column)).sum::<u64>()
    })
}

#[test]
fn windows_that_follow_each_other_have_all_messages() {
    for name in ["intercomm", "hybrid"] {
        let anchor = one(name).anchor;
        let whole = sums(&anchor, &[]);
        assert_eq!(whole[0], whole[2], "{name}: every send has a receive");
        for middle in ["0.1ms", "1ms", "50ms"] {
            let first = sums(&anchor, &["--time", "begin", middle]);
            let second = sums(&anchor, &["--time", middle, "end"]);
            let both = [0, 1, 2, 3].map(|i| first[i] + second[i]);
            // Nothing is at the very end but what ends the program.
            assert_eq!(both, whole, "{name}, {middle}");
        }
        assert_eq!(sums(&anchor, &["--time", "1000s", "end"]), [0; 4], "{name}");
    }
}

#[test]
fn partners_that_are_not_selected_are_a_reason() {
    let anchor = one("intercomm").anchor;
    let (whole, _) = report(&anchor, &[]);
    let matrix = rows(&whole, "matrix");
    let sent = |sender: u64, receivers: &[u64]| -> u64 {
        let of = |row: &&serde_json::Value| {
            number(row, "sender") == sender && receivers.contains(&number(row, "receiver"))
        };
        matrix.iter().filter(of).map(|row| number(row, "messages")).sum()
    };
    let all: Vec<u64> = matrix.iter().map(|row| number(row, "receiver")).collect();
    let others: Vec<u64> = all.iter().copied().filter(|l| ![0, 1].contains(l)).collect();
    let [messages, _, sends, not_selected] = sums(&anchor, &["-L", "0", "-L", "1"]);
    assert_eq!(messages, sent(0, &[0, 1]) + sent(1, &[0, 1]));
    assert_eq!(sends, sent(0, &all) + sent(1, &all));
    assert_eq!(not_selected, sent(0, &others) + sent(1, &others));
    assert!(messages > 0 && not_selected > 0);
    let (part, _) = report(&anchor, &["-L", "0", "-L", "1"]);
    assert!(part["provenance"]["options"].to_string().contains("location"));
    // Members that are not selected are not missed.
    for row in rows(&part, "collectives") {
        assert_eq!(number(row, "incomplete") + number(row, "disagreeing"), 0, "{row}");
    }
    // Groups are what locations belong to.
    let by_group = sums(&anchor, &["--group", "MPI Rank 0", "--group", "MPI Rank 1"]);
    assert_eq!(
        by_group,
        [messages, sums(&anchor, &["-L", "0", "-L", "1"])[1], sends, not_selected]
    );
}

#[test]
fn locations_that_are_not_there_are_refused() {
    let anchor = one("intercomm").anchor;
    for more in [["-L", "4711"], ["--group", "nobody"]] {
        let args = [OsStr::new("match"), anchor.as_os_str()];
        let run = streamfold(args.into_iter().chain(more.map(OsStr::new))).output().expect("a run");
        assert_eq!(run.status.code(), Some(1), "{}", said(&run));
    }
}

/// A window of operations on files is split by when they began.
#[test]
fn collectives_and_files_of_windows_add_up() {
    let anchor = one("hybrid").anchor;
    let of = |more: &[&str]| {
        let (report, _) = report(&anchor, more);
        let sum = |table: &str, column: &str| -> u64 {
            rows(&report, table).iter().map(|row| number(row, column)).sum()
        };
        [
            sum("collectives", "parts"),
            sum("collectives", "complete"),
            sum("files", "begun"),
            sum("files", "complete"),
            sum("forks", "begun"),
            sum("teams", "complete"),
            sum("teams", "ended"),
            sum("locks", "begun"),
        ]
    };
    let whole = of(&[]);
    let [first, second] = [of(&["--time", "begin", "2ms"]), of(&["--time", "2ms", "end"])];
    assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(|i| first[i] + second[i]), whole);
    assert!(whole[0] > 0 && whole[4] > 0 && whole[6] > 0, "{whole:?}");
}
