//! `streamfold print --json`: what the lines say, against the text and against the reference's logs.

use std::collections::{BTreeMap, HashMap};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::archives::{large_folders, one, own, traces, Archive};
use crate::common::small::{Bytes, Definitions, Files, Order, Small, Written};
use crate::common::{copy_folder, gunzip, skipped};
use serde_json::{json, Map, Value};

type Line = Map<String, Value>;

fn run(anchor: &Path, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_streamfold"));
    command.args(["print", "--mpi", "off"]).args(options).arg(anchor).env("TZ", "UTC");
    command.output().expect("the program runs")
}

fn text(anchor: &Path, options: &[&str]) -> String {
    String::from_utf8(run(anchor, options).stdout).expect("JSON is UTF-8")
}

fn parse(line: &str) -> Line {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

fn lines(anchor: &Path, options: &[&str]) -> Vec<Line> {
    text(anchor, &[options, &["--json"]].concat()).lines().map(parse).collect()
}

/// Location and time of each event and snapshot record.
fn moments(lines: &[Line]) -> Vec<(u64, i128)> {
    let moment = |line: &Line| {
        line.get("number")?; // clock offsets have a location and a time, too
        let time = line["time"].to_string().parse().expect("a time is an integer");
        Some((line["location"].as_u64()?, time))
    };
    lines.iter().filter_map(moment).collect()
}

/// The same from the columns of the text. Those of snapshot records are the time of the event.
fn moments_of_text(text: &str) -> Vec<(u64, i128)> {
    let moment = |line: &str| {
        let column = |range: std::ops::Range<usize>| line.get(range).map(str::trim);
        Some((column(33..48)?.parse().ok()?, column(49..69)?.parse().ok()?))
    };
    text.lines().filter_map(moment).collect()
}

#[test]
fn filters_leave_the_same_events_as_in_the_text() {
    for archive in own() {
        let all = moments_of_text(&text(&archive.anchor, &["--no-snapshots"]));
        let middle = [all[all.len() / 3].1, all[all.len() / 2].1].map(|time| time.to_string());
        let time = format!("--time={},{}", middle[0], middle[1]);
        let location = all[all.len() / 2].0.to_string();
        let filters: [&[&str]; 7] = [
            &[],
            &["-L", &location],
            &[&time],
            &["--timestamps=offset"],
            &["--no-local-defs"],
            &["-L", &location, &time, "--timestamps=offset"],
            &["--silent"],
        ];
        for filter in filters {
            let filter = [filter, &["--no-snapshots"]].concat();
            let expected = moments_of_text(&text(&archive.anchor, &filter));
            let found = moments(&lines(&archive.anchor, &filter));
            assert_eq!(found, expected, "{} {filter:?}", archive.name);
        }
    }
}

/// How many of these lines are of each location.
fn by_location(lines: &[Line]) -> BTreeMap<u64, usize> {
    let mut counts = BTreeMap::new();
    for line in lines {
        *counts.entry(line["location"].as_u64().unwrap()).or_default() += 1;
    }
    counts
}

#[test]
fn several_locations_and_groups_may_be_chosen() {
    let anchor = one("intercomm").anchor;
    let all = by_location(&lines(&anchor, &[]));
    let definitions = lines(&anchor, &["-G"]);
    let of = |record: &str| -> Vec<Line> {
        definitions.iter().filter(|line| line["record"] == record).cloned().collect()
    };
    let group = of("LocationGroup")[1].clone();
    let group_name = group["name_text"].as_str().unwrap();
    let in_group: Vec<u64> = of("Location")
        .iter()
        .filter(|line| line["location_group_name"] == group_name)
        .map(|line| line["id"].as_u64().unwrap())
        .collect();
    let first = *all.keys().next().unwrap();
    let last = *all.keys().next_back().unwrap();
    let [a, b] = [first, last].map(|location| location.to_string());
    let expect = |options: &[&str], wanted: &[u64]| {
        let expected: BTreeMap<_, _> =
            all.iter().filter(|(l, _)| wanted.contains(l)).map(|(l, n)| (*l, *n)).collect();
        for options in [options.to_vec(), [options, &["--unordered"]].concat()] {
            assert_eq!(by_location(&lines(&anchor, &options)), expected, "{options:?}");
        }
        let in_text = moments_of_text(&text(&anchor, options));
        assert_eq!(in_text.len(), expected.values().sum::<usize>(), "{options:?}");
    };
    expect(&["-L", &a, "-L", &b], &[first, last]);
    expect(&["--group", group_name], &in_group);
    expect(&["--group", group_name, "-L", &a], &[in_group, vec![first]].concat());
    let output = run(&anchor, &["-L", &a, "-L", "777777"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(run(&anchor, &["--group", "no such group"]).status.code(), Some(1));
}

/// Seconds mean the same as for a profile; ticks as for otf2-print, with the last one.
#[test]
fn intervals_may_be_given_in_ticks_seconds_and_words() {
    let anchor = one("hybrid").anchor;
    let all = lines(&anchor, &[]);
    let clock = lines(&anchor, &["-G"])
        .into_iter()
        .find(|line| line["record"] == "ClockProperties")
        .unwrap();
    let [offset, resolution] =
        ["global_offset", "timer_resolution"].map(|key| clock[key].as_u64().unwrap());
    assert!(1_000_000_000 % resolution == 0, "whole ticks are whole nanoseconds");
    let time = |line: &Line| line["time"].as_u64().unwrap();
    let [min, max] = [all.len() / 4, all.len() / 2].map(|at| time(&all[at]));
    let since = |time: u64| format!("{}ns", (time - offset) * (1_000_000_000 / resolution));
    let expect = |options: [String; 2], wanted: &dyn Fn(u64) -> bool| {
        let expected: Vec<_> = all.iter().filter(|line| wanted(time(line))).cloned().collect();
        assert!(!expected.is_empty() && expected.len() < all.len());
        let option = ["--time", &options[0], &options[1]];
        assert_eq!(lines(&anchor, &option), expected, "{option:?}");
        let joined = format!("--time={},{}", options[0], options[1]);
        assert_eq!(moments_of_text(&text(&anchor, &[&joined])), moments(&expected));
    };
    expect([min.to_string(), max.to_string()], &|time| (min..=max).contains(&time));
    expect([since(min), since(max)], &|time| (min..max).contains(&time));
    expect([since(min), max.to_string()], &|time| (min..=max).contains(&time));
    expect(["begin".to_owned(), since(max)], &|time| time < max);
    expect([min.to_string(), "end".to_owned()], &|time| time >= min);
    let turned = [max.to_string(), min.to_string()];
    assert!(lines(&anchor, &["--time", &turned[0], &turned[1]]).is_empty());
    assert_eq!(run(&anchor, &["--time", "2s", "1s"]).status.code(), Some(1));
}

/// Enters and leaves of other regions are left out, and nothing else.
#[test]
fn regions_may_be_chosen() {
    let anchor = one("hybrid").anchor;
    let paradigms: HashMap<String, String> = lines(&anchor, &["-G"])
        .iter()
        .filter(|line| line["record"] == "Region")
        .map(|line| (line["id"].to_string(), line["paradigm_name"].as_str().unwrap().to_owned()))
        .collect();
    let all = lines(&anchor, &[]);
    let expect = |options: &[&str], wanted: &dyn Fn(&str, &str) -> bool| {
        let is_wanted = |line: &&Line| match line.get("region") {
            Some(region) => {
                wanted(line["region_name"].as_str().unwrap(), &paradigms[&region.to_string()])
            }
            None => true,
        };
        let expected: Vec<_> = all.iter().filter(is_wanted).cloned().collect();
        assert!(
            expected.len() < all.len() && expected.iter().any(|line| line.contains_key("region"))
        );
        assert_eq!(lines(&anchor, options), expected, "{options:?}");
        let in_text = moments_of_text(&text(&anchor, options));
        assert_eq!(in_text, moments(&expected), "{options:?}");
        let unordered = lines(&anchor, &[options, &["--unordered"]].concat());
        assert_eq!(by_location(&unordered), by_location(&expected));
    };
    expect(&["--region", "^MPI_Send", "--region", "solve"], &|name, _| {
        name.starts_with("MPI_Send") || name.contains("solve")
    });
    expect(&["--exclude", "MPI_", "--exclude", "main"], &|name, _| {
        !name.contains("MPI_") && !name.contains("main")
    });
    expect(&["--paradigm", "mpi"], &|_, paradigm| paradigm == "MPI");
    expect(&["--paradigm", "mpi", "--exclude", "Recv"], &|name, paradigm| {
        paradigm == "MPI" && !name.contains("Recv")
    });
    assert_eq!(run(&anchor, &["--paradigm", "no such"]).status.code(), Some(1));
    // By what the location defines, too.
    let written = defined_by_locations(false);
    let found = lines(&written.anchor(), &["--region", "solve"]);
    assert_eq!(by_location(&found), [(0, 2)].into());
}

/// Calling contexts are of their region.
#[test]
fn samples_of_regions_may_be_chosen() {
    let anchor = one("sampling").anchor;
    let all = lines(&anchor, &[]);
    let named = |line: &&Line| line.contains_key("calling_context");
    let name = all.iter().find(named).expect("calling contexts")["calling_context_name"].clone();
    let name = name.as_str().unwrap();
    let is_wanted = |line: &&Line| {
        let of = line.get("calling_context_name").or(line.get("region_name"));
        of.is_none_or(|of| of == name)
    };
    let expected: Vec<_> = all.iter().filter(is_wanted).cloned().collect();
    let found = lines(&anchor, &["--region", &format!("^{}$", regex::escape(name))]);
    assert_eq!(found, expected);
    assert!(found.len() < all.len() && found.iter().any(|line| named(&line)));
}

#[test]
fn sections_are_those_that_are_asked_for() {
    let anchor = one("every-kind").anchor;
    let count = |options: &[&str]| lines(&anchor, options).len();
    let all = count(&["-A"]);
    let [info, definitions, events] = [&["-I"][..], &["-G"], &[]].map(count);
    assert_eq!(info, 1);
    // The anchor counts the definitions that the reference's tool prints.
    assert_eq!(definitions as u64, lines(&anchor, &["-I"])[0]["number_of_global_definitions"]);
    assert_eq!(all, info + definitions + events);
    assert!(count(&["--no-snapshots"]) < events);
    assert!(lines(&anchor, &["-M"]).iter().all(|line| line["record"] == "MappingTable"));
    assert!(lines(&anchor, &["-C"]).iter().all(|line| line["record"] == "ClockOffset"));
    assert_eq!(count(&["-M", "-C"]), count(&["-M"]) + count(&["-C"]));
}

#[test]
fn names_stand_beside_references() {
    let anchor = one("pingpong").anchor;
    let lines = lines(&anchor, &["-G"]);
    let regions: HashMap<u64, &str> = lines
        .iter()
        .filter(|line| line["record"] == "Region")
        .map(|line| (line["id"].as_u64().unwrap(), line["name_text"].as_str().unwrap()))
        .collect();
    let enters: Vec<_> = self::lines(&anchor, &[]).into_iter().collect();
    let mut compared = 0;
    for line in enters.iter().filter(|line| line["record"] == "Enter") {
        assert_eq!(line["region_name"], regions[&line["region"].as_u64().unwrap()]);
        assert!(line["location_name"].is_string());
        compared += 1;
    }
    assert!(compared > 20);
}

#[test]
fn callers_of_calling_contexts() {
    let anchor = one("sampling").anchor;
    let lines = lines(&anchor, &["--unwind-calling-context"]);
    let text = text(&anchor, &["--unwind-calling-context"]);
    let callers = |line: &Line| line.get("callers").map(|list| list.as_array().unwrap().len() + 1);
    let found: usize = lines.iter().filter_map(callers).sum();
    // In the text each context has a line of its own, with a mark in front.
    let marked = |line: &&str| line.starts_with(&" ".repeat(71)) && !line.contains("ADDITIONAL");
    assert_eq!(found, text.lines().filter(marked).count());
    assert!(found > 0);
}

/// Context 2 of the location lies in its context 5. The trace's numbers of both are 5 and 9; it defines neither.
#[test]
fn callers_that_only_a_location_defines_have_the_numbers_of_the_trace() {
    let order = Order::Little;
    let bytes = Bytes::new(order).header();
    let context = |id, parent| (34, bytes.payload().c(id).c(0).c(0xffff_ffff).c(parent));
    let table = (5, bytes.payload().raw(&[10]).c(2).raw(&[1]).c(2).c(5).c(5).c(9));
    let own = [context(2, 5), context(5, 0xffff_ffff), table].into_iter();
    let own = own.fold(bytes.clone(), |file, (id, payload)| file.record(id, payload));
    let events = bytes.time(100).record(66, Bytes::new(order).c(2).c(2));
    let files = Files { events: Some(events.end().bytes), definitions: Some(own.end().bytes) };
    let definitions = Definitions::new(order).region(0).location(0, 0);
    let written = Small::with(order, definitions, vec![files]).write();
    let lines = lines(&written.anchor(), &["--unwind-calling-context"]);
    assert_eq!(lines.len(), 1);
    assert_eq!((&lines[0]["calling_context"], &lines[0]["callers"]), (&json!(5), &json!([9])));
    assert_eq!(lines[0]["callers_names"], json!(["work"]));
}

/// Regions of snapshots are chosen as those of events.
#[test]
fn regions_of_snapshots_may_be_chosen() {
    let anchor = one("every-kind").anchor;
    let snaps = |options: &[&str]| {
        let lines = lines(&anchor, options).into_iter();
        let mut snaps: Vec<_> = lines.filter(|line| line["record"] == "EnterSnap").collect();
        snaps.sort_by_key(|line| line["region_name"].to_string());
        snaps
    };
    let all = snaps(&[]);
    let name = all.first().expect("a region is open")["region_name"].as_str().expect("a name");
    let pattern = format!("^{}$", regex::escape(name));
    for more in [&[][..], &["--unordered"]] {
        let (others, these): (Vec<_>, Vec<_>) =
            all.iter().cloned().partition(|line| line["region_name"] != name);
        assert_eq!(snaps(&[&["--exclude", &pattern], more].concat()), others);
        assert_eq!(snaps(&[&["--region", &pattern], more].concat()), these);
    }
}

#[test]
fn a_group_may_have_no_locations() {
    let definitions = Definitions::new(Order::Little).region(0).location(0, 0).string(7, "empty");
    let group = definitions.bytes.payload().c(3).c(7).raw(&[1]).c(0xffff_ffff);
    let files = vec![Files { events: None, definitions: None }];
    let written = Small::with(Order::Little, definitions.record(13, group), files).write();
    let run = run(&written.anchor(), &["--group", "empty"]);
    let said = String::from_utf8(run.stderr).expect("text");
    assert_eq!(run.status.code(), Some(1), "{said}");
    assert!(said.contains("no location is in the groups asked for"), "{said}");
}

/// Every line of the ordered output, and those of each location in the same order.
#[test]
fn unordered_lines_are_the_same_lines() {
    for archive in own().iter().chain([&one("every-kind")]) {
        let ordered = text(&archive.anchor, &["-A", "--json"]);
        let unordered = text(&archive.anchor, &["-A", "--json", "--unordered", "--threads", "4"]);
        let sorted = |text: &str| {
            let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(sorted(&ordered), sorted(&unordered), "{}", archive.name);
        let of_locations = |text: &str| {
            let mut locations: BTreeMap<u64, Vec<String>> = BTreeMap::new();
            for line in text.lines().filter(|line| line.contains("\"number\":")) {
                let location = parse(line)["location"].as_u64().unwrap();
                locations.entry(location).or_default().push(line.to_owned());
            }
            locations
        };
        assert_eq!(of_locations(&ordered), of_locations(&unordered), "{}", archive.name);
    }
}

/// Locations whose definitions are damaged have snapshots all the same, which need none.
#[test]
fn unordered_lines_are_the_same_where_local_definitions_are_damaged() {
    let folder = tempfile::tempdir().unwrap();
    copy_folder(&one("every-kind").folder, folder.path());
    let files = std::fs::read_dir(folder.path().join("t")).unwrap();
    let files = files.map(|entry| entry.unwrap().path());
    for file in files.filter(|path| path.extension().is_some_and(|suffix| suffix == "def")) {
        let bytes = std::fs::read(&file).unwrap();
        std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    }
    let anchor = folder.path().join("t.otf2");
    let sorted = |options: &[&str]| {
        let output = run(&anchor, options);
        assert_eq!(output.status.code(), Some(3), "{options:?}");
        let mut lines: Vec<_> = output.stdout.lines().map(Result::unwrap).collect();
        lines.sort();
        lines
    };
    let ordered = sorted(&["--json"]);
    assert!(ordered.iter().any(|line| line.contains("EnterSnap")));
    assert_eq!(ordered, sorted(&["--json", "--unordered"]));
}

/// Two locations that define a region and its name, each for itself; the trace defines others. With
/// a mapping table, too, which leads to a number that the trace does not define.
fn defined_by_locations(mapped: bool) -> Written {
    let order = Order::Little;
    let files = |name: &str, region: u64| {
        let bytes = Bytes::new(order).header();
        let [text, payload] = [bytes.payload().c(1).string(name), bytes.payload().c(region).c(1)];
        let payload = payload.c(0).raw(&[1]).c(0).c(3).c(4).c(1).raw(&[1, 1]).c(0);
        let context = bytes.payload().c(5).c(region).c(0xffff_ffff).c(0xffff_ffff);
        let table = bytes.payload().raw(&[3, 1]).c(1).c(region).c(40 + region);
        let definitions = bytes.record(10, text).record(15, payload).record(34, context);
        let definitions = match mapped {
            true => definitions.record(5, table),
            false => definitions,
        };
        let events = Bytes::new(order).header().time(100).enter(region).time(110).leave(region);
        Files { events: Some(events.end().bytes), definitions: Some(definitions.end().bytes) }
    };
    let definitions = Definitions::new(order).region(0).location(0, 0).location(1, 0);
    Small::with(order, definitions, vec![files("solve", 7), files("wait", 8)]).write()
}

#[test]
fn names_are_those_that_the_location_defines() {
    for mapped in [false, true] {
        let written = defined_by_locations(mapped);
        for options in [&[][..], &["--unordered"]] {
            let lines = lines(&written.anchor(), options);
            let enters = lines.iter().filter(|line| line["record"] == "Enter");
            let mut names: Vec<_> = enters.map(|line| line["region_name"].clone()).collect();
            names.sort_by_key(Value::to_string);
            assert_eq!(names, ["solve", "wait"], "{mapped} {options:?}");
            assert_eq!(lines.len(), 4, "events, and nothing that was not asked for");
        }
        let own = lines(&written.anchor(), &["--show-local-defs", "-L", "1"]);
        let records: Vec<_> = own.iter().map(|line| line["record"].clone()).collect();
        let expected = ["String", "Region", "CallingContext", "MappingTable"];
        assert_eq!(records, expected[..3 + usize::from(mapped)]);
        assert_eq!(own[1]["name_text"], "wait");
        assert_eq!(own[2]["region_name"], "wait");
        assert!(own.iter().all(|line| line["location"] == 1 && line["location_name"] == "work"));
    }
}

/// One run, with and without mapping tables: what its events are called is the same.
#[test]
fn names_are_the_same_with_mapping_tables_and_without() {
    let [mapped, alone] = ["synthetic-local-defs-6", "synthetic-ununified-6"];
    let [Some(mapped), Some(alone)] = [mapped, alone]
        .map(|name| large_folders(&[name]).first().and_then(|folder| Archive::find(folder)))
    else {
        return;
    };
    let names = |anchor: &Path, options: &[&str]| -> Vec<Value> {
        let named = |mut line: Line| {
            let number = line.get("number").cloned()?;
            line.retain(|key, _| key.ends_with("_name") || key.ends_with("_text"));
            line.insert("number".to_owned(), number);
            Some(Value::Object(line))
        };
        lines(anchor, options).into_iter().filter_map(named).collect()
    };
    for location in ["0", "3"] {
        let expected = names(&mapped.anchor, &["-L", location]);
        let without = [&["-L", location][..], &["-L", location, "--unordered"]];
        for options in without {
            assert_eq!(names(&alone.anchor, options), expected);
        }
        let named = expected.iter().filter(|line| line["region_name"].is_string()).count();
        assert!(named > 100, "{named}");
    }
    for archive in [mapped, alone] {
        let own = lines(&archive.anchor, &["--show-local-defs", "-L", "3"]);
        let strings: HashMap<_, _> = own
            .iter()
            .filter(|line| line["record"] == "String")
            .map(|line| (line["id"].to_string(), &line["string"]))
            .collect();
        for region in own.iter().filter(|line| line["record"] == "Region") {
            assert_eq!(&region["name_text"], strings[&region["name"].to_string()]);
        }
    }
}

#[test]
fn what_makes_no_sense_with_it_is_refused() {
    let anchor = one("pingpong").anchor;
    for options in [&["--json", "-s", "5"][..], &["--json", "--system-tree"], &["--unordered"]] {
        assert_eq!(run(&anchor, options).status.code(), Some(1), "{options:?}");
    }
}

#[test]
fn a_location_that_cannot_be_read_does_not_hide_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let from = one("pingpong").folder;
    std::fs::create_dir(folder.path().join("traces")).unwrap();
    for file in ["traces.otf2", "traces.def", "traces/1.def", "traces/1.evt", "traces/0.def"] {
        std::fs::copy(from.join(file), folder.path().join(file)).unwrap();
    }
    let alone = moments(&lines(&from.join("traces.otf2"), &["-L", "1"]));
    for options in [&["--json"][..], &["--json", "--unordered"]] {
        let output = run(&folder.path().join("traces.otf2"), options);
        assert_eq!(output.status.code(), Some(3));
        assert!(String::from_utf8_lossy(&output.stderr).contains("0.evt"));
        let found: Vec<_> = String::from_utf8_lossy(&output.stdout).lines().map(parse).collect();
        assert_eq!(moments(&found), alone);
    }
}

/// The fields of a line as the reference's logs have them: every number as its bits.
fn logged(line: &Line, field: &str, expected: &str) -> String {
    let key = match field {
        "self" => "id".to_owned(),
        "loc" => "location".to_owned(),
        other => snake(other),
    };
    let value = line.get(&key).unwrap_or_else(|| panic!("no {key} in {line:?}"));
    let types: Vec<u64> = match ["type", "types", "type_ids"].iter().find_map(|key| line.get(*key))
    {
        Some(Value::Array(types)) => types.iter().map(|t| t.as_u64().unwrap()).collect(),
        Some(one) => vec![one.as_u64().unwrap()],
        None => Vec::new(),
    };
    let is_value = ["value", "values", "metric_values"].contains(&key.as_str());
    let bits = |index: usize, value: &Value, expected: &str| match value {
        // The number that stands for none is the largest of its width.
        Value::Null => {
            let largest = ["255", "4294967295", "18446744073709551615"];
            assert!(largest.contains(&expected), "{key} of {line:?} is {expected}");
            expected.to_owned()
        }
        value if is_value && index < types.len() => bits_of(types[index], value),
        value if key == "standard_deviation" => bits_of(10, value),
        Value::String(text) => text.clone(),
        value => match value.as_i64() {
            Some(number) if number < 0 => (number as u64).to_string(),
            _ => value.to_string(),
        },
    };
    let Value::Array(list) = value else { return bits(0, value, expected) };
    if field == "idMap" {
        let pair = |pair: &Value| format!("{}>{};", pair[0], pair[1]);
        // Whether the table is dense is no part of the lines.
        return format!("{}{}", &expected[..2], list.iter().map(pair).collect::<String>());
    }
    let expected: Vec<_> = expected.split(',').collect();
    let item = |(i, item)| format!("{},", bits(i, item, expected.get(i).unwrap_or(&"")));
    list.iter().enumerate().map(item).collect()
}

/// The bits of a value of a type of the format, by its number.
fn bits_of(value_type: u64, value: &Value) -> String {
    let float = || match value.as_str() {
        Some("NaN") => f64::NAN,
        Some("Infinity") => f64::INFINITY,
        Some("-Infinity") => f64::NEG_INFINITY,
        _ => value.to_string().parse().expect("a number"),
    };
    let signed = || value.as_i64().expect("a signed number");
    match value_type {
        5 => (signed() as u8).to_string(),
        6 => (signed() as u16).to_string(),
        7 => (signed() as u32).to_string(),
        8 => (signed() as u64).to_string(),
        9 => (value.to_string().parse::<f32>().unwrap_or(float() as f32)).to_bits().to_string(),
        10 => float().to_bits().to_string(),
        _ => value.to_string(),
    }
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.replace("IDs", "Ids").replace("ID", "Id").chars() {
        if c.is_uppercase() {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// The fields of a line of a log. Texts hold blanks, but no equals signs.
fn fields(rest: &str) -> Vec<(String, String)> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for word in rest.split(' ').filter(|word| !word.is_empty()) {
        match (word.split_once('='), fields.last_mut()) {
            (Some((name, value)), _) => fields.push((name.to_owned(), value.to_owned())),
            (None, Some((_, value))) => *value = format!("{value} {word}"),
            (None, None) => panic!("{rest}"),
        }
    }
    fields
}

/// NaNs differ in bits that JSON has no words for.
fn is_nan(bits: &str) -> bool {
    let bits: u64 = bits.parse().unwrap_or(0);
    f64::from_bits(bits).is_nan() || u32::try_from(bits).is_ok_and(|b| f32::from_bits(b).is_nan())
}

fn assert_attributes(line: &Line, expected: &str) {
    let none = Vec::new();
    let list = line.get("attributes").map_or(&none, |list| list.as_array().unwrap());
    let expected: Vec<_> = expected.split(';').filter(|entry| !entry.is_empty()).collect();
    assert_eq!(list.len(), expected.len(), "{line:?}");
    for (entry, expected) in list.iter().zip(expected) {
        let [id, value_type, bits] = expected.split(':').collect::<Vec<_>>()[..] else {
            panic!("{expected}")
        };
        assert_eq!(entry["attribute"].to_string(), id);
        assert_eq!(entry["type"].to_string(), value_type);
        match &entry["value"] {
            Value::Null => assert!(["255", "4294967295", "18446744073709551615"].contains(&bits)),
            value => {
                let found = bits_of(value_type.parse().unwrap(), value);
                assert!(found == bits || is_nan(bits), "{line:?}: {expected}");
            }
        }
    }
}

/// All numbers and texts of every kind of record, as the reference's reader delivered them.
#[test]
fn numbers_are_those_of_the_reference() {
    let Some(folder) = traces() else { return };
    let folder = folder.join("otf2-records");
    for (case, log) in
        [("mapped", "mapped"), ("mapped-big-endian", "mapped"), ("older-records", "older-records")]
    {
        let anchor = folder.join(case).join("t.otf2");
        let local = lines(&anchor, &["-M", "-C"]);
        let rest = lines(&anchor, &["-G", "-A"]);
        // The logs have the local definitions ahead of the events.
        let is_event = |line: &Line| line.contains_key("number");
        let begin = rest.iter().position(is_event).unwrap_or(rest.len());
        let definitions = rest[1..begin].iter();
        let mut found = definitions.chain(&local).chain(&rest[begin..]);
        let mut compared = 0;
        for expected in gunzip(&folder.join(log).join("callbacks.log.gz")).lines() {
            let mut words = expected.splitn(3, ' ');
            let (kind, name) = (words.next().unwrap(), words.next().unwrap_or(""));
            if !["gdef", "ldef", "evt", "snap"].contains(&kind) {
                continue;
            }
            let line = found.next().unwrap_or_else(|| panic!("nothing for {expected}"));
            assert_eq!(line["record"], name, "{case}: {expected}");
            for (field, value) in fields(words.next().unwrap_or("")) {
                if field == "attrs" {
                    assert_attributes(line, &value);
                    continue;
                }
                let logged = logged(line, &field, &value);
                let same =
                    logged == value || is_nan(&value) && field.to_lowercase().contains("value");
                assert!(same, "{case}: {field}={value}, not {logged} in {line:?}");
            }
            compared += 1;
        }
        assert!(found.next().is_none(), "{case}: more than the reference has");
        assert!(compared > 150, "{case}: {compared} lines");
    }
}

#[test]
fn pandas_opens_it() {
    let python = std::env::var_os("STREAMFOLD_PYTHON").map_or("python3".into(), PathBuf::from);
    let has = Command::new(&python).args(["-c", "import pandas"]).output();
    if !has.is_ok_and(|run| run.status.success()) {
        skipped("no python with pandas (STREAMFOLD_PYTHON)");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("events.jsonl");
    let anchor = one("pingpong").anchor;
    std::fs::write(&file, text(&anchor, &["--json"])).unwrap();
    let script = "import pandas, sys\n\
        events = pandas.read_json(sys.argv[1], lines=True)\n\
        print((events.record == 'Enter').sum(), events.time.dtype)";
    let output = Command::new(&python).args(["-c", script]).arg(&file).output().unwrap();
    let enters = lines(&anchor, &[]).iter().filter(|line| line["record"] == "Enter").count();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), format!("{enters} int64"));
}
