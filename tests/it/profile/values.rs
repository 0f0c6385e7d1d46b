//! What reports say where there is more than they tell, or no word for it.

use std::path::Path;

use crate::common::program::{streamfold, text};
use crate::common::small::{Bytes, Definitions, Files, Order, Small};
use serde_json::Value;

fn report(anchor: &Path, options: &[&str]) -> String {
    let mut run = streamfold(["profile", "-q", "--mpi", "off"]);
    text(&run.arg(anchor).args(options).output().expect("a run").stdout)
}

fn json(anchor: &Path) -> Value {
    serde_json::from_str(&report(anchor, &["--format", "json"])).expect("JSON")
}

#[test]
fn losses_that_are_not_told_are_counted() {
    let locations = |count| {
        let definitions = Definitions::new(Order::Little);
        let definitions = (0..count).fold(definitions, |d, id| d.location(id, 0));
        Small::with(Order::Little, definitions, Vec::new()).write()
    };
    let written = locations(1500);
    let provenance = &json(&written.anchor())["provenance"];
    assert_eq!(provenance["loss_count"], 1500);
    assert_eq!(provenance["losses"].as_array().map(Vec::len), Some(1000));
    let table = report(&written.anchor(), &[]);
    assert!(table.ends_with("\n  … and 1 490 other losses\n"), "{table}");
    let table = report(&locations(11).anchor(), &[]);
    assert!(table.ends_with("\n  … and 1 other loss\n"), "{table}");
    let table = report(&locations(10).anchor(), &[]);
    assert!(table.contains("9.evt") && !table.contains("other loss"), "{table}");
}

#[test]
fn a_type_without_a_name_is_its_number() {
    const NEWER: u8 = 200;
    let events = Bytes::new(Order::Little).header().time(1).enter(0).time(2).leave(0).end().bytes;
    let definitions = Definitions::new(Order::Little).region(0);
    let location = definitions.bytes.payload().c(0).c(1).raw(&[NEWER]).c(1).c(0);
    let definitions = definitions.record(14, location);
    let files = Files { events: Some(events), definitions: None };
    let written = Small::with(Order::Little, definitions, vec![files]).write();
    let anchor = written.anchor();
    assert_eq!(json(&anchor)["locations"][0]["type"], 200);
    let csv = report(&anchor, &["--format", "csv", "--by", "location"]);
    let row = csv.lines().nth(1).expect("a row");
    assert_eq!(row.split(',').nth(2), Some("200"), "{csv}");
    assert!(report(&anchor, &["--by", "location"]).contains("  200  "));
}

#[test]
fn metrics_are_sorted_by_what_they_have_in_common() {
    let anchor = crate::common::archives::one("pingpong").anchor;
    for (key, code) in [("name", 0), ("id", 0), ("bytes", 1), ("samples", 1), ("imbalance", 1)] {
        let mut run = streamfold(["profile", "-q", "--by", "metric", "--sort", key]);
        let output = run.arg(&anchor).output().expect("a run");
        assert_eq!(output.status.code(), Some(code), "{key}");
        let said = text(&output.stderr);
        assert_eq!(code == 1, said.contains("metrics have units of their own"), "{said}");
    }
}
