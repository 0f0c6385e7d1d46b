//! Time lines: slices, flows and counters are what profile and match count, in both formats, on any number
//! of ranks.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use serde_json::Value;

use crate::common::archives::{large, one, own};
use crate::common::program::{on_ranks, said, streamfold};

fn convert(from: &Path, to: &Path, options: &[&str]) -> String {
    let run = streamfold(["convert".as_ref(), from.as_os_str(), "-o".as_ref(), to.as_os_str()])
        .args(options)
        .output()
        .expect("the program runs");
    assert!(matches!(run.status.code(), Some(0 | 3)), "{}: {}", from.display(), said(&run));
    said(&run)
}

fn events(path: &Path) -> Vec<Value> {
    let bytes = fs::read(path).expect("a file");
    let mut text = String::new();
    match path.extension().is_some_and(|ending| ending == "gz") {
        true => flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).map(drop),
        false => (&bytes[..]).read_to_string(&mut text).map(drop),
    }
    .expect("text");
    let json: Value = serde_json::from_str(&text).expect("JSON");
    json["traceEvents"].as_array().expect("events").clone()
}

/// Visits and nanoseconds of each name.
type Sums = BTreeMap<String, (u64, u64)>;

fn nanoseconds(value: &Value) -> u64 {
    let text = value.to_string();
    let (whole, rest) = text.split_once('.').unwrap_or((&text, "0"));
    assert!(rest.len() <= 3, "{text}");
    let rest: u64 = format!("{rest:0<3}").parse().expect("digits");
    whole.parse::<u64>().expect("a number") * 1000 + rest
}

fn slices(events: &[Value]) -> Sums {
    let mut sums = Sums::new();
    for event in events.iter().filter(|event| event["ph"] == "X") {
        let sum = sums.entry(event["name"].as_str().expect("a name").to_owned()).or_default();
        *sum = (sum.0 + 1, sum.1 + nanoseconds(&event["dur"]));
    }
    sums
}

/// Visits and inclusive time, in nanoseconds, of regions in the profile.
fn profile(anchor: &Path) -> Sums {
    let run = streamfold(["profile", "-q", "--format", "json"]).arg(anchor).output();
    let json: Value = serde_json::from_slice(&run.expect("a run").stdout).expect("JSON");
    let resolution = json["units"]["ticks_per_second"].as_u64().expect("a number");
    let mut sums = Sums::new();
    let rows = json["regions"].as_array().expect("rows").iter();
    for row in rows.filter(|row| row["kind"] == "region") {
        let ticks = u128::from(row["inclusive"].as_u64().expect("a number"));
        let time = (ticks * 1_000_000_000 / u128::from(resolution)) as u64;
        let sum = sums.entry(row["name"].as_str().expect("a name").to_owned()).or_default();
        *sum = (sum.0 + row["visits"].as_u64().expect("a number"), sum.1 + time);
    }
    sums
}

#[test]
fn slices_are_the_visits_of_the_profile() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["pingpong", "metrics", "hybrid"] {
        let anchor = one(name).anchor;
        let to = folder.path().join(format!("{name}.json.gz"));
        convert(&anchor, &to, &[]);
        let (mut found, expected) = (slices(&events(&to)), profile(&anchor));
        // No region of the profile.
        found.remove("<recording off>");
        for (name, (visits, time)) in &found {
            let (all, inclusive) = *expected.get(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(*visits, all, "{name}");
            // Begins and ends are rounded to a nanosecond each.
            assert!(time.abs_diff(inclusive) <= 2 * visits, "{name}: {time}, {inclusive}");
        }
        assert_eq!(found.len(), expected.len(), "{name}");
    }
}

#[test]
fn flows_are_the_messages_that_match() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["pingpong", "hybrid"] {
        let anchor = one(name).anchor;
        let to = folder.path().join(format!("{name}.json"));
        convert(&anchor, &to, &[]);
        let events = events(&to);
        let ids = |phase: &str| {
            let ends = events.iter().filter(|event| event["ph"] == phase);
            let mut ids: Vec<u64> = ends.map(|event| event["id"].as_u64().expect("one")).collect();
            ids.sort_unstable();
            ids
        };
        assert_eq!(ids("s"), ids("f"));
        let run = streamfold(["match", "-q", "--list", "-"]).arg(&anchor).output().expect("a run");
        let list = String::from_utf8(run.stdout).expect("text");
        assert_eq!(ids("s").len(), list.lines().count() - 1, "{name}");
    }
}

/// The fields of a message in the wire format of protocol buffers: number, value or bytes.
fn fields(mut bytes: &[u8]) -> Vec<(u64, u64, &[u8])> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return value;
            }
        }
    }
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let (value, length) = match key & 7 {
            0 => (varint(&mut bytes), 0),
            1 => (u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")), 8),
            2 => (0, varint(&mut bytes) as usize),
            other => panic!("wire type {other}"),
        };
        let (field, rest) = bytes.split_at(length);
        found.push((key >> 3, value, field));
        bytes = rest;
    }
    found
}

/// The first field of a number.
fn field<'a>(all: &[(u64, u64, &'a [u8])], number: u64) -> Option<(u64, &'a [u8])> {
    all.iter().find(|(of, ..)| *of == number).map(|(_, value, bytes)| (*value, *bytes))
}

/// What packets say, by an independent decoder: slices by name, and tracks are consistent.
fn packets(path: &Path) -> (Sums, usize) {
    let bytes = fs::read(path).expect("a file");
    let (mut names, mut sums, mut flows) = (BTreeMap::new(), Sums::new(), 0);
    let mut open: BTreeMap<u64, Vec<(String, u64)>> = BTreeMap::new();
    for (number, _, packet) in fields(&bytes) {
        assert_eq!(number, 1, "a trace has packets only");
        let packet = fields(packet);
        assert!(field(&packet, 10).is_some(), "the sequence");
        if let Some((_, data)) = field(&packet, 12) {
            for (_, _, entry) in fields(data) {
                let entry = fields(entry);
                let name = String::from_utf8(field(&entry, 2).expect("a name").1.to_vec());
                names.insert(field(&entry, 1).expect("a number").0, name.expect("text"));
            }
        }
        if let Some((_, track)) = field(&packet, 60) {
            let track = fields(track);
            open.insert(field(&track, 1).expect("a number").0, Vec::new());
            continue;
        }
        let time = field(&packet, 8).expect("a time").0;
        let event = fields(field(&packet, 11).expect("an event").1);
        let track = field(&event, 11).expect("a track").0;
        let stack = open.get_mut(&track).expect("a track that is described");
        flows += event.iter().filter(|(number, ..)| *number == 47).count();
        match field(&event, 9).expect("a kind").0 {
            1 => stack.push((names[&field(&event, 10).expect("a name").0].clone(), time)),
            2 => {
                let (name, begin) = stack.pop().expect("a slice that is open");
                let sum = sums.entry(name).or_default();
                *sum = (sum.0 + 1, sum.1 + (time - begin));
            }
            3 | 4 => {}
            other => panic!("kind {other}"),
        }
    }
    assert!(open.values().all(Vec::is_empty), "all slices end");
    (sums, flows)
}

#[test]
fn both_formats_say_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    for archive in own().into_iter().chain(large()) {
        let [json, packed] = ["json", "pftrace"].map(|ending| {
            let to = folder.path().join(format!("{}.{ending}", archive.name));
            convert(&archive.anchor, &to, &["-q"]);
            to
        });
        let events = events(&json);
        let (sums, flows) = packets(&packed);
        assert!(slices(&events) == sums, "{}", archive.name);
        assert_eq!(events.iter().filter(|e| e["ph"] == "s").count(), flows, "{}", archive.name);
    }
}

#[test]
fn pictures_are_the_same_on_any_number_of_ranks() {
    let folder = tempfile::tempdir().expect("a folder");
    for ending in ["json", "pftrace"] {
        let written = |ranks: usize| {
            let to = folder.path().join(format!("{ranks}.{ending}"));
            let anchor = one("hybrid").anchor;
            let args = ["convert".as_ref(), anchor.as_os_str(), "-o".as_ref(), to.as_os_str()];
            let run = on_ranks(ranks, args)?;
            assert!(run.status.success(), "{}", said(&run));
            fs::read(to).ok()
        };
        let alone = written(1).expect("a picture");
        for ranks in [2, 3, 5] {
            let Some(other) = written(ranks) else { continue };
            assert!(other == alone, "{ranks} ranks, {ending}");
        }
    }
}

#[test]
fn a_budget_leaves_the_shortest_visits_out_and_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let anchor = one("hybrid").anchor;
    let to = folder.path().join("t.json");
    let said = convert(&anchor, &to, &["--max-events", "300"]);
    assert!(said.contains("left out") && said.contains("--max-events"), "{said}");
    let few = events(&to);
    let kept = few.iter().filter(|event| event["ph"] != "M").count();
    assert!((100..=300).contains(&kept), "{kept}");
    let shortest = |events: &[Value]| {
        let slices = events.iter().filter(|event| event["ph"] == "X");
        slices.map(|event| nanoseconds(&event["dur"])).min().expect("a slice")
    };
    let all = folder.path().join("all.json");
    convert(&anchor, &all, &[]);
    assert!(shortest(&few) > shortest(&events(&all)));
}

#[test]
fn a_window_cuts_slices_at_its_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("t.json");
    convert(&one("pingpong").anchor, &to, &["--time", "50ms", "100ms"]);
    let events = events(&to);
    let slices: Vec<_> = events.iter().filter(|event| event["ph"] == "X").collect();
    assert!(!slices.is_empty());
    for slice in slices {
        let begin = nanoseconds(&slice["ts"]);
        let end = begin + nanoseconds(&slice["dur"]);
        assert!(end - begin <= 50_000_001, "{slice}");
    }
}

#[test]
fn what_is_there_stays_without_force_and_archives_take_no_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let anchor = one("pingpong").anchor;
    let to = folder.path().join("t.json");
    fs::write(&to, "mine").expect("a file");
    let args = ["convert".as_ref(), anchor.as_os_str(), "-o".as_ref(), to.as_os_str()];
    let run = streamfold(args).output().expect("a run");
    assert_eq!(run.status.code(), Some(4), "{}", said(&run));
    assert_eq!(fs::read_to_string(&to).expect("a file"), "mine");
    convert(&anchor, &to, &["--force"]);
    let archive = folder.path().join("t.otf2");
    let args = ["convert".as_ref(), anchor.as_os_str(), "-o".as_ref(), archive.as_os_str()];
    let run = streamfold(args).args(["--time", "begin", "end"]).output().expect("a run");
    assert_eq!(run.status.code(), Some(1), "{}", said(&run));
}

/// The critical path leads from section to section, beside the flows of messages.
#[test]
fn the_critical_path_is_shown_as_flows() {
    let folder = tempfile::tempdir().expect("a folder");
    let [json, perfetto] = ["t.json", "t.pftrace"].map(|name| folder.path().join(name));
    let anchor = one("intercomm").anchor;
    convert(&anchor, &json, &["--critical-path"]);
    let events = events(&json);
    let of = |phase: &str, name: &str| -> Vec<&Value> {
        events.iter().filter(|event| event["ph"] == phase && event["name"] == name).collect()
    };
    let critical = streamfold(["critical", "-q", "--format", "json"]).arg(&anchor).output();
    let critical: Value =
        serde_json::from_slice(&critical.expect("a run").stdout).expect("a report");
    let sections = critical["sections"].as_array().expect("sections");
    let (begins, ends) = (of("s", "critical path"), of("f", "critical path"));
    assert_eq!((begins.len(), ends.len()), (sections.len() - 1, sections.len() - 1));
    let messages = of("s", "message");
    assert!(!messages.is_empty());
    for ((begin, end), pair) in begins.iter().zip(&ends).zip(sections.windows(2)) {
        assert_eq!((&begin["id"], &begin["ts"]), (&end["id"], &end["ts"]));
        assert!(messages.iter().all(|message| message["id"] != begin["id"]));
        let is_same = pair[0]["location"] == pair[1]["location"];
        assert_eq!(begin["tid"] == end["tid"], is_same, "{begin} {end}");
    }
    convert(&anchor, &perfetto, &["--critical-path"]);
    let found = fs::read(&perfetto).expect("a file");
    let name = b"critical path";
    assert!(found.windows(name.len()).any(|part| part == name));
}
