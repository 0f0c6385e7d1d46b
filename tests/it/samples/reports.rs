//! Reports of the program.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::slow::{Profile, Regions, Row};
use crate::common::program::{said, streamfold};

/// The JSON report of an archive, and the exit code.
pub fn report(anchor: &Path, options: &[&str]) -> (Value, i32) {
    let mut command = streamfold(["profile", "--quiet", "--format", "json"]);
    let output = command.args(options).arg(anchor).output().expect("a run");
    let code = output.status.code().expect("an exit code");
    let report = serde_json::from_slice(&output.stdout);
    (report.unwrap_or_else(|error| panic!("{error}: {}", said(&output))), code)
}

/// A table in CSV: the headings and the rows.
pub fn csv(anchor: &Path, by: &str) -> Vec<BTreeMap<String, String>> {
    let mut command = streamfold(["profile", "--quiet", "--format", "csv", "--by", by]);
    let output = command.arg(anchor).output().expect("a run");
    let mut reader = csv::Reader::from_reader(&output.stdout[..]);
    let headings = reader.headers().expect("headings").clone();
    let rows = reader.records().map(|row| row.expect("a row"));
    let named = |row: csv::StringRecord| {
        headings.iter().map(str::to_owned).zip(row.iter().map(str::to_owned)).collect()
    };
    rows.map(named).collect()
}

pub fn list<'a>(of: &'a Value, name: &str) -> &'a Vec<Value> {
    of[name].as_array().unwrap_or_else(|| panic!("no list {name}"))
}

pub fn count(of: &Value, name: &str) -> u64 {
    // Of lines some of them are not known.
    of[name].as_u64().unwrap_or(0)
}

/// What `samples` says, in the words of the slow profile; files by the numbers of their names.
pub fn profile(report: &Value, files: &BTreeMap<String, u32>) -> Profile {
    let samples = &report["samples"];
    let generators: Vec<u32> =
        list(samples, "generators").iter().map(|row| count(row, "generator") as u32).collect();
    let region = |row: &Value| row["region"].as_u64().map(|region| region as u32);
    let mut names: Vec<Regions> = Vec::new();
    for row in list(samples, "contexts") {
        let above = row["parent"].as_u64().map(|parent| names[parent as usize].clone());
        let mut regions = above.unwrap_or_default();
        assert_eq!(count(row, "depth"), regions.len() as u64);
        regions.push(region(row));
        names.push(regions);
    }
    let contexts = names.into_iter().zip(list(samples, "contexts"));
    let line = |row: &Value| {
        let file = files[row["file"].as_str()?];
        Some((file, row["line"].as_u64().expect("a line") as u32))
    };
    let regions = list(samples, "regions").iter();
    let lines = list(samples, "lines").iter();
    let counts = list(samples, "generators").iter().map(|row| count(row, "samples"));
    Profile {
        contexts: contexts.map(|(regions, found)| (regions, row(found, &generators))).collect(),
        regions: regions.map(|found| (region(found), row(found, &generators))).collect(),
        lines: lines.map(|found| (line(found), row(found, &generators))).collect(),
        generators: generators.iter().copied().zip(counts).collect(),
        estimated: count(&samples["total"], "estimated").into(),
        odd_unwinds: count(samples, "odd_unwinds"),
        undefined: count(samples, "undefined_contexts"),
    }
}

fn row(found: &Value, generators: &[u32]) -> Row {
    let own = list(found, "samples_by_generator").iter();
    let inclusive = list(found, "samples_inclusive_by_generator").iter();
    let split = own.zip(inclusive).map(|(own, all)| (own.as_u64(), all.as_u64()));
    let split = split.map(|(own, all)| (own.expect("a count"), all.expect("a count")));
    Row {
        samples: count(found, "samples"),
        samples_inclusive: count(found, "samples_inclusive"),
        enters: count(found, "enters"),
        entered: count(found, "entered"),
        estimated: count(found, "estimated").into(),
        estimated_inclusive: count(found, "estimated_inclusive").into(),
        certain: count(found, "certain").into(),
        by_generator: generators
            .iter()
            .copied()
            .zip(split)
            .filter(|(_, counts)| *counts != (0, 0))
            .collect(),
    }
}
