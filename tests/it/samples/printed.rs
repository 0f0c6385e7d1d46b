//! Real traces, as the reference's print program shows them, and as its facts count them.

use std::collections::BTreeMap;

use super::found::without_nothing;
use super::reports::{count, list, profile, report};
use super::slow::{Context, Contexts, Profile, What};
use crate::common::archives::{large_folders, one, Archive};

/// What the print program says of calling contexts.
#[derive(Default)]
struct Printed {
    files: BTreeMap<String, u32>,
    lines: BTreeMap<u32, (u32, u32)>,
    contexts: Contexts,
    events: BTreeMap<u64, Vec<(u64, What)>>,
}

/// The number in angle brackets behind a label, up to the next label; `None`: undefined.
fn reference(line: &str, label: &str, end: &str) -> Option<u32> {
    let field = line.split_once(label).expect(label).1;
    let field = if end.is_empty() { field } else { field.split_once(end).expect(end).0 };
    let number = field.rsplit_once('<')?.1.strip_suffix('>')?;
    Some(number.parse().expect("a number"))
}

fn number(line: &str, label: &str) -> u32 {
    let field = line.split_once(label).expect(label).1;
    field.split(',').next().expect("a number").trim().parse().expect("a number")
}

impl Printed {
    fn new(text: &str) -> Printed {
        let mut printed = Printed::default();
        for line in text.lines() {
            let mut words = line.split_whitespace();
            let (kind, id) = (words.next().unwrap_or(""), words.next());
            let id = || id.expect("a number").parse::<u32>().expect("a number");
            match kind {
                "SOURCE_CODE_LOCATION" => {
                    let file = reference(line, "File: ", ", Line Number").expect("a file");
                    let name = line.split('"').nth(1).expect("a name").to_owned();
                    printed.files.insert(name, file);
                    printed.lines.insert(id(), (file, number(line, "Line Number: ")));
                }
                "CALLING_CONTEXT" => {
                    let location = reference(line, "Source code location: ", ", Parent: ");
                    let context = Context {
                        region: reference(line, "Region: ", ", Source code").expect("a region"),
                        line: location.map(|location| printed.lines[&location]),
                        caller: reference(line, ", Parent: ", ""),
                    };
                    printed.contexts.insert(id(), context);
                }
                "CALLING_CONTEXT_ENTER" => {
                    let context = reference(line, "Calling Context: ", ", Unwind").expect("one");
                    let distance = number(line, "Unwind Distance: ");
                    printed.event(line, What::Enter { context, distance });
                }
                "CALLING_CONTEXT_LEAVE" => {
                    let context = reference(line, "Calling Context: ", "").expect("one");
                    printed.event(line, What::Leave { context });
                }
                "CALLING_CONTEXT_SAMPLE" => {
                    let context = reference(line, "Calling Context: ", ", Unwind").expect("one");
                    let distance = number(line, "Unwind Distance: ");
                    let generator = reference(line, "Interrupt Generator: ", "").expect("one");
                    printed.event(line, What::Sample { context, distance, generator });
                }
                _ => {}
            }
        }
        printed
    }

    fn event(&mut self, line: &str, what: What) {
        let mut words = line.split_whitespace().skip(1);
        let mut number = || words.next().expect("a number").parse::<u64>().expect("a number");
        let (location, time) = (number(), number());
        self.events.entry(location).or_default().push((time, what));
    }
}

fn sampled() -> Vec<Archive> {
    let large = large_folders(&["scorep8-comd-sampling"]);
    let large = large.iter().map(|folder| Archive::find(folder).expect("an anchor"));
    [one("sampling")].into_iter().chain(large).collect()
}

/// Every context, region, line and generator: samples, entries, and both times.
#[test]
fn what_is_printed_gives_the_same_profile() {
    for archive in sampled() {
        let printed = Printed::new(&archive.print());
        let mut slow = Profile::default();
        for events in printed.events.values() {
            slow.location(&printed.contexts, events);
        }
        let (report, code) = report(&archive.anchor, &[]);
        assert_eq!(code, 0);
        let found = without_nothing(profile(&report, &printed.files));
        let slow = without_nothing(slow);
        assert!(slow.generators.values().sum::<u64>() > 100, "samples were printed");
        for (regions, row) in &slow.contexts {
            assert_eq!(found.contexts.get(regions), Some(row), "{}: {regions:?}", archive.name);
        }
        assert_eq!(found, slow, "{}", archive.name);
        assert_eq!(slow.odd_unwinds, 0, "the measurement knows its unwind distances");
    }
}

/// The facts count samples by region. And a region that enters and leaves tell of was open for
/// certain in all of its visits, and in nothing else.
#[test]
fn facts_count_the_same_samples() {
    for archive in sampled() {
        let facts = archive.facts();
        let (report, _) = report(&archive.anchor, &[]);
        let samples = &report["samples"];
        assert_eq!(samples["total"]["samples"], facts["samples_total"], "{}", archive.name);
        let regions = list(samples, "regions").iter();
        let regions: BTreeMap<String, _> = regions.map(|r| (r["region"].to_string(), r)).collect();
        let by_region = facts["samples_by_region"].as_object().expect("samples by region");
        for (region, row) in &regions {
            let expected = by_region.get(region).map_or(0, |row| row[1].as_u64().unwrap());
            assert_eq!(count(row, "samples"), expected, "{}: region {region}", archive.name);
        }
        assert!(by_region.keys().all(|region| regions.contains_key(region)));
        for expected in list(&facts, "regions") {
            let row = regions[&expected["ref"].to_string()];
            assert_eq!(row["enters"], expected["visits"], "{}: {expected}", archive.name);
            assert_eq!(row["certain"], expected["incl"], "{}: {expected}", archive.name);
        }
        let locations = list(samples, "locations");
        let sum: u64 = locations.iter().map(|row| count(row, "samples")).sum();
        assert_eq!(facts["samples_total"], sum);
    }
}
