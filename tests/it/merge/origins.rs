//! Which locations and ranks are whose: told to people, and written for programs.

use crate::common::csv::fields;
use crate::common::program::{said, text};
use crate::merge::made::{clock, Made, Trace};
use crate::merge::{expect, expect_message, Place};

/// A job at these locations, by a clock of its own.
fn job(identifier: u64, locations: &[u64], resolution: u64, begin: u64) -> Made {
    let mut trace = Trace::job(identifier, locations, "a");
    trace.clock = Some(clock(resolution, begin, 100_000, 1_700_000_000_000_000_000 + identifier));
    for process in &mut trace.processes {
        process.events.iter_mut().for_each(|(time, ..)| *time += begin);
    }
    trace.write()
}

/// The rows of the table, each with the columns from the third on.
fn rows(place: &Place, table: &str) -> Vec<Vec<String>> {
    let written = std::fs::read(place.file(table)).expect("a table");
    let written = text(written);
    let mut lines = written.lines().map(fields);
    let head = lines.next().expect("a head");
    assert_eq!(head[..4], ["trace", "path", "run", "what"]);
    lines.collect()
}

const NANOSECONDS: u64 = 1_000_000_000;

#[test]
fn a_table_says_what_became_of_numbers_and_clocks() {
    let a = job(1, &[4, 6, 8], NANOSECONDS, 1_000);
    let b = job(2, &[6, 5], 1_000, 77);
    let c = job(3, &[], NANOSECONDS, 9);
    let place = Place::new();
    let table = place.file("whose.csv");
    let table = table.to_str().expect("text");
    let options = ["--origins", table, "--align", "start"];
    let ended = place.merge(&[&a, &b, &c], &options);
    expect(&ended, 0);
    let of_a = ["1000", "1000000000", "1000", "1000000000"];
    let of_b = ["77", "1000", "1000", "1000000000"];
    let of_c = ["9", "1000000000", "1000", "1000000000"];
    let path = |made: &Made| made.anchor.display().to_string();
    let row = |trace: &str, made: &Made, rest: [&str; 7], clock: [&str; 4]| -> Vec<String> {
        let begin = [trace.to_owned(), path(made), trace.to_owned()];
        let rest = rest.iter().chain(&clock).map(|field| (*field).to_owned());
        begin.into_iter().chain(rest).collect()
    };
    let expected = [
        row("0", &a, ["locations", "", "4", "2", "4", "2", "3"], of_a),
        row("0", &a, ["ranks", "MPI", "0", "1", "0", "1", "3"], of_a),
        // Behind the highest.
        row("1", &b, ["locations", "", "6", "18446744073709551615", "9", "1", "2"], of_b),
        row("1", &b, ["ranks", "MPI", "0", "1", "3", "1", "2"], of_b),
        row("2", &c, ["locations", "", "0", "1", "0", "1", "0"], of_c),
        row("2", &c, ["ranks", "MPI", "0", "1", "5", "1", "0"], of_c),
    ];
    assert_eq!(rows(&place, "whose.csv"), expected);
    let said = said(&ended);
    let line = |made: &Made| -> Vec<String> {
        let path = path(made);
        let line = said.lines().find(|line| line.ends_with(&path)).expect("a line");
        let line = line.strip_suffix(&path).expect("its end").split("  ").map(str::trim);
        line.skip(1).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
    };
    assert_eq!(line(&a), ["3", "among 4 to 8", "same", "MPI 0 to 2", "0 s", "same"]);
    assert_eq!(line(&b)[..4], ["2", "9 to 10", "among 5 to 6", "MPI 3 to 4"]);
    assert_eq!(line(&b)[4..], ["0 s", "1 000 ticks/s before"]);
    assert_eq!(line(&c), ["0", "none", "same", "MPI none", "0 s", "+991 ticks"]);
}

#[test]
fn it_goes_to_standard_output_and_is_the_same_for_any_ranks() {
    let a = job(1, &[0, 1], NANOSECONDS, 1_000);
    let b = job(2, &[0, 1], NANOSECONDS, 5_000);
    let place = Place::new();
    let ended = place.merge(&[&a, &b], &["--origins", "-", "--quiet"]);
    assert_eq!(ended.status.code(), Some(0));
    let printed = text(ended.stdout);
    assert_eq!(printed.lines().count(), 5, "{printed}");
    let again = Place::new().merge(&[&a, &b], &["--origins", "-", "--quiet", "--threads", "1"]);
    assert_eq!(text(again.stdout), printed);
}

#[test]
fn where_no_table_can_be_nothing_is_merged() {
    let a = job(1, &[0], NANOSECONDS, 1_000);
    let place = Place::new();
    let ended = place.merge(&[&a], &["--origins", "/nowhere/at/all.csv"]);
    expect(&ended, 4);
    assert!(place.left().is_empty(), "{:?}", place.left());
}

/// Whatever is there is replaced only where somebody says so, and what is read or written never.
#[test]
fn a_table_takes_the_place_of_nothing_that_is_needed() {
    let a = job(1, &[0], NANOSECONDS, 1_000);
    let b = job(2, &[0], NANOSECONDS, 5_000);
    let place = Place::new();
    let list = place.file("list.txt");
    std::fs::write(&list, b.anchor.to_str().expect("text")).expect("a list");
    let listed = list.to_str().expect("text");
    let inputs = ["t.otf2", "t.def", "t/0.evt"].map(|name| a.folder.path().join(name));
    let before = inputs.clone().map(|file| std::fs::read(file).expect("a file of the input"));
    let outputs = ["all.otf2", "all.def", "all/0.evt", "all/x.csv"].map(|name| place.file(name));
    std::fs::create_dir(place.file("all")).expect("a folder");
    for table in inputs.iter().chain(&outputs).chain([&list]) {
        for force in [&[][..], &["--force"]] {
            let table = table.to_str().expect("text");
            let options = [&["--origins", table, "--list", listed], force].concat();
            expect_message(&place.merge(&[&a], &options), 1, &[table]);
        }
    }
    assert_eq!(inputs.map(|file| std::fs::read(file).expect("a file of the input")), before);
    assert_eq!(place.left(), ["all", "list.txt"]);

    let table = place.file("whose.csv");
    std::fs::write(&table, "mine").expect("a file");
    let options = ["--origins", table.to_str().expect("text")];
    expect_message(&place.merge(&[&a, &b], &options), 4, &["whose.csv exists"]);
    assert_eq!(std::fs::read(&table).expect("a file"), b"mine");
    assert_eq!(place.left(), ["all", "list.txt", "whose.csv"]);
    expect(&place.merge(&[&a, &b], &[&options[..], &["--force"]].concat()), 0);
    assert_eq!(rows(&place, "whose.csv").len(), 4);
}

#[test]
fn many_are_counted() {
    let all: Vec<Made> = (1..24).map(|number| job(number, &[0], NANOSECONDS, number)).collect();
    let place = Place::new();
    let ended = place.merge(&all, &[]);
    expect(&ended, 0);
    assert!(said(&ended).contains("and 3 more: --origins FILE has all"), "{}", said(&ended));
}
