//! `streamfold validate`: every kind of defect in an archive that has just that one, real archives,
//! layouts, and what comes out.

mod conventions;
mod definitions;
mod elsewhere;
mod events;
mod files;
mod layouts;
mod pairs;
mod real;
mod reports;
mod tasks;

use std::path::Path;

use crate::common::program::{said, streamfold};
use crate::common::small::{Bytes, Definitions, Files, Order, Small};
use serde_json::Value;

/// The number of 32 bits that stands for "no definition".
const UNDEFINED: u64 = 0xffff_ffff;

/// A defect, without its words: code, record and its number, offset.
type Found = (String, Option<String>, Option<u64>, Option<u64>);

/// What the program says of an archive, and how it ends.
fn validate(anchor: &Path) -> (i32, Value) {
    let mut command = streamfold(["validate", "--json", "--limit", "0"]);
    let output = command.arg(anchor).output().expect("it runs");
    let code = output.status.code().unwrap_or_else(|| panic!("{}", said(&output)));
    let report =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
    (code, report)
}

/// The defects of a report.
fn found(report: &Value) -> Vec<Found> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let one = |defect: &Value| {
        let code = text(&defect["code"]).expect("a code");
        (code, text(&defect["record"]), defect["number"].as_u64(), defect["offset"].as_u64())
    };
    report["defects"].as_array().expect("a list").iter().map(one).collect()
}

/// The same without offsets.
fn placed(report: &Value) -> Vec<(String, Option<String>, Option<u64>)> {
    found(report).into_iter().map(|(code, record, number, _)| (code, record, number)).collect()
}

/// Asserts that these are the defects: code, record, number (0: none); and how the program ends.
fn assert_defects(small: &Small, expected: &[(&str, &str, u64)], code: i32) {
    let written = small.write();
    let (ended, report) = validate(&written.anchor());
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let one = |(code, record, number): &(&str, &str, u64)| {
        ((*code).to_owned(), some(record), (*number > 0).then_some(*number))
    };
    let expected: Vec<_> = expected.iter().map(one).collect();
    assert_eq!(placed(&report), expected, "{report:#}");
    assert_eq!(ended, code, "{report:#}");
}

/// Definitions that nothing is wrong with: two functions, 0 and 1, and what follows on them.
fn sound() -> Definitions {
    let definitions = Definitions::new(Order::Little).region(0).region(1);
    let members = payload().c(0).c(1).raw(&[0]).c(1).c(0).raw(&[4, 4]).c(0);
    let ranks = payload().c(1).c(1).raw(&[0]).c(1).c(0).raw(&[5, 4]).c(0);
    let comm = payload().c(0).c(1).c(1).c(UNDEFINED).c(0);
    definitions.record(18, members).record(18, ranks).record(22, comm)
}

fn payload() -> Bytes {
    Bytes::new(Order::Little)
}

/// Events at time 100, without an end.
fn at_100() -> Bytes {
    payload().header().time(100)
}

/// An archive of one location with these definitions and so many events.
fn archive(definitions: Definitions, events: Bytes, count: u64) -> Small {
    let location = payload().c(0).c(1).raw(&[1]).c(count).c(0);
    let files = Files { events: Some(events.end().bytes), definitions: None };
    Small::with(Order::Little, definitions.record(14, location), vec![files])
}

#[test]
fn nothing_is_wrong_with_a_sound_archive() {
    let events = at_100().enter(0).enter(1).time(200).leave(1).leave(0);
    assert_defects(&archive(sound(), events, 4), &[], 0);
}
