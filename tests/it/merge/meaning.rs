//! What records mean, whatever the numbers of definitions are.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{json, Value};

use crate::common::program::{said, streamfold, text};

/// Records as our own print shows them.
#[track_caller]
pub fn records(anchor: &Path, options: &[&str]) -> Vec<Value> {
    let print = ["print", "--json", "-q"].iter().chain(options);
    let run = streamfold(print).arg(anchor).output().expect("a run");
    assert_eq!(run.status.code(), Some(0), "{}: {}", anchor.display(), said(&run));
    let lines = text(run.stdout);
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The global definitions of a kind.
pub fn of_kind(anchor: &Path, kind: &str) -> Vec<Value> {
    let records = records(anchor, &["-G"]).into_iter();
    records.filter(|record| record["record"] == kind).collect()
}

pub fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("no number: {value}"))
}

pub fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

/// What validation finds wrong: kinds and messages.
pub fn errors(anchor: &Path) -> Vec<String> {
    let mut command = streamfold(["validate", "--json", "-q", "--limit", "0"]);
    let run = command.arg(anchor).output().expect("a run");
    let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let all = report["defects"].as_array().expect("a list").iter();
    let errors = all.filter(|defect| defect["severity"] != "finding");
    errors.map(|defect| defect["message"].to_string()).collect()
}

/// What communicators and locations of a trace are.
pub struct World {
    /// The locations of each communicator, in the order of its ranks.
    comms: BTreeMap<u64, Vec<u64>>,
}

impl World {
    pub fn read(anchor: &Path) -> World {
        let definitions = records(anchor, &["-G"]);
        let of_kind =
            |kind: &'static str| definitions.iter().filter(move |it| it["record"] == kind);
        let mut lists: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        let mut groups = BTreeMap::new();
        for group in of_kind("Group") {
            let (paradigm, members) = (number(&group["paradigm"]), numbers(&group["members"]));
            match group["group_type_name"].as_str() {
                Some("COMM_LOCATIONS") => drop(lists.entry(paradigm).or_insert(members)),
                _ => drop(groups.insert(number(&group["id"]), (paradigm, members))),
            }
        }
        let located = |comm: &Value| -> Option<(u64, Vec<u64>)> {
            let (paradigm, members) = groups.get(&comm["group"].as_u64()?)?;
            let list = lists.get(paradigm)?;
            let members = members.iter().filter_map(|rank| list.get(*rank as usize).copied());
            let members = members.collect();
            Some((number(&comm["id"]), members))
        };
        World { comms: of_kind("Comm").filter_map(located).collect() }
    }

    /// The locations of a communicator.
    pub fn members(&self, comm: u64) -> &[u64] {
        self.comms.get(&comm).map_or(&[], Vec::as_slice)
    }
}

/// All events, of each location in their order, without the definitions that it has for itself.
fn events_of(anchor: &Path) -> Vec<Value> {
    let mut all = records(anchor, &["--unordered"]);
    all.retain(|record| record["time"].is_u64() && record["number"].is_u64());
    all
}

/// Fields that hold ranks in a communicator.
const RANKS: [&str; 3] = ["receiver", "sender", "root"];

/// The events of each location without numbers of definitions and, if not wanted, without times.
/// `renamed`: what numbers of locations stand for.
pub fn events(
    anchor: &Path,
    renamed: &BTreeMap<u64, u64>,
    timed: bool,
) -> BTreeMap<u64, Vec<Value>> {
    let world = World::read(anchor);
    let now = |location: u64| renamed.get(&location).copied().unwrap_or(location);
    let mut events: BTreeMap<u64, Vec<Value>> = BTreeMap::new();
    for record in events_of(anchor) {
        let location = now(number(&record["location"]));
        events.entry(location).or_default().push(event(record, &world, now, timed));
    }
    events
}

fn event(mut record: Value, world: &World, now: impl Fn(u64) -> u64, timed: bool) -> Value {
    if let Some(comm) = record["communicator"].as_u64() {
        let members = world.members(comm);
        for field in RANKS {
            let rank = record[field].as_u64().and_then(|rank| members.get(rank as usize));
            if let Some(location) = rank {
                record[field] = json!(now(*location));
            }
        }
        record["members"] = members.iter().map(|member| now(*member)).collect();
    }
    let fields = record.as_object_mut().expect("an object");
    fields.remove("location");
    if !timed {
        fields.remove("time");
    }
    nameless(&mut record);
    record
}

/// Leaves out numbers beside which stands what they mean.
fn nameless(value: &mut Value) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(nameless),
        Value::Object(fields) => {
            let keys: Vec<String> = fields.keys().cloned().collect();
            for key in keys {
                let beside = ["name", "names", "text", "texts", "members"];
                if beside.iter().any(|what| fields.contains_key(&format!("{key}_{what}"))) {
                    fields.remove(&key);
                }
            }
            fields.values_mut().for_each(nameless);
        }
        _ => {}
    }
}

/// The locations of a trace, in the order of their definitions.
pub fn locations(anchor: &Path) -> Vec<u64> {
    of_kind(anchor, "Location").iter().map(|location| number(&location["id"])).collect()
}

/// The numbers that the locations of traces of different runs get: their own where all are different, else
/// all but those of the first the next ones.
pub fn renamed<A: AsRef<Path>>(traces: &[A]) -> Vec<BTreeMap<u64, u64>> {
    let all: Vec<Vec<u64>> = traces.iter().map(|trace| locations(trace.as_ref())).collect();
    let count: usize = all.iter().map(Vec::len).sum();
    let different: std::collections::BTreeSet<u64> = all.iter().flatten().copied().collect();
    let mut next = all[0].iter().max().map_or(0, |last| last + 1);
    let number = |(place, locations): (usize, &Vec<u64>)| -> BTreeMap<u64, u64> {
        let mut now = |location: u64| {
            if place == 0 || different.len() == count {
                return location;
            }
            next += 1;
            next - 1
        };
        locations.iter().map(|location| (*location, now(*location))).collect()
    };
    all.iter().enumerate().map(number).collect()
}
