//! `profile --format otfprofile` writes the tables of that tool.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::{case, trace};
use crate::common::program::{on_ranks, said, streamfold};

/// The tables, and what the program said.
fn tables(trace: &Path, options: &[&str]) -> (String, String) {
    let trace = trace.to_str().expect("a path of text");
    let run = streamfold(["profile", "-q", "--format", "otfprofile", trace]).args(options).output();
    let run = run.expect("the program runs");
    assert_eq!(run.status.code(), Some(0), "{}", said(&run));
    (
        String::from_utf8(run.stdout).expect("text"),
        String::from_utf8_lossy(&run.stderr).into_owned(),
    )
}

/// The rows of some tables.
fn rows(text: &str, tables: &[&str]) -> Vec<String> {
    let is_wanted = |line: &&str| tables.iter().any(|table| line.starts_with(&format!("{table};")));
    text.lines().filter(is_wanted).map(str::to_owned).collect()
}

fn assert_same(name: &str, found: &[String], expected: &[String]) {
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found, expected, "{name}");
    }
    assert_eq!(found.len(), expected.len(), "{name}");
}

#[test]
fn tables_are_those_of_otfprofile() {
    for name in ["ring", "ring-inline", "blocks", "groups", "hex-streams"] {
        let Some(folder) = case(name) else { return };
        let expected =
            fs::read_to_string(folder.join("profile.csv")).expect("what otfprofile says");
        let (text, _) = tables(&folder.join("trace.otf"), &["--matrices", "--sizes"]);
        for table in ["FUNCTION", "COUNTER", "P2P", "P2PCMC", "P2PCMS", "COLLOP"] {
            assert_same(name, &rows(&text, &[table]), &rows(&expected, &[table]));
        }
        // Where no message has a duration the reference leaves a separator out.
        let expected = rows(&expected, &["MSGSIZE"]);
        let expected: Vec<String> = expected
            .iter()
            .map(|row| {
                let cells: Vec<&str> = row.split(';').collect();
                match (cells.len(), cells[1].parse::<u64>(), cells.get(3)) {
                    (10, Ok(_), Some(length)) => {
                        let length = length.strip_suffix('0').expect("a 0 of the next cell");
                        let zeros = ["0"; 7].join(";");
                        format!("MSGSIZE;{};{};{length};{zeros}", cells[1], cells[2])
                    }
                    // It exchanges the lowest and the highest rate.
                    (11, Ok(_), _) => {
                        let mut cells = cells;
                        cells.swap(8, 9);
                        cells.join(";")
                    }
                    _ => row.clone(),
                }
            })
            .collect();
        assert_same(name, &rows(&text, &["MSGSIZE"]), &expected);
    }
}

/// Where a trace has them, tables of statistics are the same; the reference does not see totals of messages.
#[test]
fn statistics_make_tables() {
    let Some(folder) = case("ring") else { return };
    let expected = folder.join("profile-from-stats.csv");
    let expected = fs::read_to_string(expected).expect("what otfprofile says");
    let (text, _) = tables(&folder.join("trace.otf"), &["--statistics"]);
    let known = ["FUNCTION", "COUNTER", "COLLOP"];
    assert_same("ring", &rows(&text, &known), &rows(&expected, &known));
    let messages = rows(&text, &["P2P"]);
    assert_eq!(messages.len(), 5);
    assert_eq!(messages[1], "P2P;Process 0;4;4;145;145;0");
}

/// Ranks do not show, and files appear whole.
#[test]
fn ranks_do_not_show_in_tables() {
    for name in ["ring-inline", "hex-streams"] {
        let Some(folder) = case(name) else { return };
        let master = folder.join("trace.otf");
        let out = |ranks: usize| {
            let folder = TempDir::new().expect("a folder");
            let to = folder.path().join("p.csv");
            let options =
                ["profile", "-q", "--format", "otfprofile", "--matrices", "--sizes", "-o"];
            let arguments = options.map(std::ffi::OsStr::new);
            let arguments = arguments.into_iter().chain([to.as_os_str(), master.as_os_str()]);
            let run = on_ranks(ranks, arguments)?;
            assert_eq!(run.status.code(), Some(0), "{name}: {}", said(&run));
            Some(fs::read_to_string(to).expect("tables"))
        };
        let one = out(1);
        for ranks in [2, 3] {
            let Some(several) = out(ranks) else { continue };
            assert_eq!(one.as_ref(), Some(&several), "{name} on {ranks} ranks");
        }
    }
}

/// Only options that mean something are taken.
#[test]
fn options_of_tables() {
    let folder = TempDir::new().expect("a folder");
    let master = trace(&folder, &[("otf", "1:1\n"), ("0.def", "DTR1\n"), ("1.events", "1\n*1\n")]);
    let master = master.to_str().expect("a path of text");
    for wrong in [
        &["--matrices"][..],
        &["--format", "otfprofile", "--by", "callpath"],
        &["--format", "otfprofile", "--statistics"],
        &["--format", "otfprofile", "--region", "x"],
    ] {
        let run = streamfold(["profile", master]).args(wrong).output().expect("the program runs");
        assert_eq!(run.status.code(), Some(1), "{wrong:?}: {}", said(&run));
    }
}
