//! The time line that one can zoom: its tiles are unpacked, and added up.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use flate2::read::DeflateDecoder;
use serde_json::{json, Value};

use crate::common::archives::{data, one, own};
use crate::common::program::{on_ranks, said, streamfold, text};

/// The parts of a page: facts, and tiles.
struct Page {
    text: String,
    facts: Value,
    tiles: Vec<u8>,
}

fn between<'t>(text: &'t str, begin: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(begin).unwrap_or_else(|| panic!("no {begin}"));
    rest.split_once(end).unwrap_or_else(|| panic!("no {end}")).0
}

impl Page {
    fn new(text: String) -> Self {
        let facts = between(&text, "id=\"time-line-meta\">", "</script>");
        let facts = serde_json::from_str(facts).expect("JSON");
        let tiles = between(&text, "id=\"time-line-data\">", "</script>");
        let tiles = STANDARD.decode(tiles.trim()).expect("base64");
        Page { text, facts, tiles }
    }

    fn of(trace: &Path, options: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("page.html");
        let mut run = streamfold(["timeline", "-q", "-o"]);
        let output = run.arg(&file).args(options).arg(trace).output().expect("a run");
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 3)), "{}: {}", trace.display(), said(&output));
        Page::new(fs::read_to_string(&file).expect("a page"))
    }

    fn list(&self, name: &str) -> &[Value] {
        self.facts[name].as_array().map_or(&[], Vec::as_slice)
    }

    fn number(&self, name: &str) -> u64 {
        self.facts[name].as_u64().expect("a number")
    }

    fn planes(&self) -> usize {
        self.list("classes").len() + usize::from(self.facts["waits"] == true)
    }

    /// Sums of the values of a level, by row and plane.
    fn sums(&self, level: &Value) -> Vec<Vec<u64>> {
        let number = |name: &str| level[name].as_u64().expect("a number") as usize;
        let (columns, high, wide) =
            (number("columns"), number("tile_rows"), number("tile_columns"));
        let (rows, planes) = (self.list("rows").len(), self.planes());
        let across = columns.div_ceil(wide);
        let mut sums = vec![vec![0; planes]; rows];
        let tiles = level["tiles"].as_array().expect("tiles");
        assert_eq!(tiles.len(), across * rows.div_ceil(high));
        for (number, tile) in tiles.iter().enumerate() {
            let [begin, length] = [0, 1].map(|at| tile[at].as_u64().expect("a place") as usize);
            if length == 0 {
                continue;
            }
            let mut bytes = Vec::new();
            let packed = &self.tiles[begin..begin + length];
            DeflateDecoder::new(packed).read_to_end(&mut bytes).expect("a tile");
            let top = number / across * high;
            let (high, left) = (high.min(rows - top), number % across * wide);
            let wide = wide.min(columns - left);
            assert_eq!(bytes.len(), planes * high * wide);
            for (at, values) in bytes.chunks(wide).enumerate() {
                let sum = &mut sums[top + at % high][at / high];
                *sum += values.iter().map(|value| u64::from(*value)).sum::<u64>();
            }
        }
        sums
    }
}

/// At each level a row has its time by class, to half a step of a byte.
fn adds_up(page: &Page, name: &str) {
    let (length, whole) = (page.number("length"), page.number("whole"));
    assert!(!page.list("levels").is_empty(), "{name}");
    for level in page.list("levels") {
        let columns = level["columns"].as_u64().expect("columns");
        let sums = page.sums(level);
        for (row, sums) in page.list("rows").iter().zip(sums) {
            let threads = row["threads"].as_u64().expect("threads");
            let step = (threads * length) as f64 / (whole * columns) as f64;
            let ticks = row["ticks"].as_array().expect("ticks").iter();
            let waited = (page.facts["waits"] == true).then_some(&row["waited"]);
            for (ticks, sum) in ticks.chain(waited).zip(sums) {
                let ticks = ticks.as_f64().expect("ticks");
                let found = sum as f64 * step;
                assert!((found - ticks).abs() <= step, "{name}: {found} of {ticks}: {row}");
            }
        }
    }
}

#[test]
fn tiles_add_up_to_the_account() {
    for archive in own() {
        let page = Page::of(&archive.anchor, &[]);
        adds_up(&page, &archive.name);
        // The account of each process, as another command has it.
        let output = streamfold(["efficiency", "--quick", "-q", "--format", "json"])
            .arg(&archive.anchor)
            .output()
            .expect("a run");
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let processes = report["processes"].as_array().expect("processes");
        let classes: Vec<&str> =
            page.list("classes").iter().map(|of| of["id"].as_str().expect("a name")).collect();
        let named: BTreeMap<&str, &Value> = processes
            .iter()
            .map(|row| (row["process_name"].as_str().expect("a name"), row))
            .collect();
        for row in page.list("rows") {
            let Some(process) = row["name"].as_str().and_then(|name| named.get(name)) else {
                continue;
            };
            for (at, class) in classes.iter().enumerate() {
                // `threads` is their number there.
                let ticks = process[*class].as_u64().filter(|_| *class != "threads");
                let Some(ticks) = ticks else { continue };
                assert_eq!(row["ticks"][at].as_u64(), Some(ticks), "{}: {row}", archive.name);
            }
        }
    }
}

#[test]
fn waits_and_the_path_are_over_the_rows() {
    let page = Page::of(&one("hybrid").anchor, &[]);
    let path = page.list("path");
    assert!(path.len() > 3, "{path:?}");
    // The latest first, each behind the one that follows.
    let times = |of: &Value| [1, 2].map(|at| of[at].as_u64().expect("ticks"));
    for pair in path.windows(2) {
        assert!(times(&pair[1])[1] <= times(&pair[0])[0], "{pair:?}");
    }
    let marks = page.list("marks");
    assert!(!marks.is_empty());
    let rows = page.list("rows").len() as u64;
    for mark in marks {
        assert!(mark["row"].as_u64().is_some_and(|row| row < rows), "{mark}");
        assert!(mark["begin"].as_u64() <= mark["end"].as_u64(), "{mark}");
    }
    // A small trace has all of its visits.
    assert_eq!(page.facts["events"]["shortest"], 0);
    let visits = page.facts["events"]["rows"].as_object().expect("rows");
    assert!(visits.values().any(|row| row.as_array().is_some_and(|of| of.len() > 10)));
}

/// Messages as the list of all matched ones has them: names of processes, times from the first send on, bytes.
fn listed(trace: &Path) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("list.jsonl");
    let mut run = streamfold(["match", "-q", "--list"]);
    let output = run.arg(&file).arg(trace).output().expect("a run");
    assert!(output.status.success(), "{}", said(&output));
    let text = fs::read_to_string(&file).expect("a list");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let process = |name: &Value| {
        let name = name.as_str().expect("a name");
        name.split(" · ").next().expect("a process").to_owned()
    };
    let message = |line: Value| {
        let [sender, receiver] = ["sender_name", "receiver_name"].map(|name| process(&line[name]));
        json!([sender, receiver, line["send_ticks"], line["receive_ticks"], line["bytes"]])
    };
    let mut all: Vec<Value> = lines.map(message).filter(|of| of[0] != of[1]).collect();
    from_the_first(&mut all);
    all
}

/// Sorts messages, and makes times relative to the first send.
fn from_the_first(all: &mut [Value]) {
    let first = all.iter().filter_map(|of| of[2].as_i64()).min().expect("a message");
    for message in all.iter_mut() {
        for at in [2, 3] {
            message[at] = json!(message[at].as_i64().expect("a time") - first);
        }
    }
    all.sort_by_key(|of| (of[2].as_i64(), of[3].as_i64(), of.to_string()));
}

#[test]
fn messages_are_those_of_the_list() {
    let trace = one("hybrid").anchor;
    let page = Page::of(&trace, &[]);
    let messages = &page.facts["messages"];
    let kept = messages["kept"].as_array().expect("messages");
    let name = |row: &Value| &page.list("rows")[row.as_u64().expect("a row") as usize]["name"];
    let times = |of: &Value| [2, 3].map(|at| of[at].as_i64().expect("a time"));
    for pair in kept.windows(2) {
        let [before, after] =
            [&pair[0], &pair[1]].map(times).map(|[sent, received]| received - sent);
        assert!(before >= after, "{pair:?}");
    }
    for message in kept {
        assert!(times(message).iter().all(|time| *time >= 0), "{message}");
    }
    let named = |of: &Value| json!([name(&of[0]), name(&of[1]), of[2], of[3], of[4]]);
    let mut found: Vec<Value> = kept.iter().map(named).collect();
    from_the_first(&mut found);
    let listed = listed(&trace);
    assert!(listed.len() > 10, "{listed:?}");
    assert_eq!(found, listed);
    assert_eq!(messages["count"], listed.len());
    // Of a part: those that begin or end in it.
    let page = Page::of(&trace, &["--time", "99.5%", "100%"]);
    let length = page.number("length") as i64;
    let messages = &page.facts["messages"];
    let part = messages["kept"].as_array().expect("messages");
    let is_inside = |of: &Value| times(of).iter().any(|time| (0..=length).contains(time));
    assert!(!part.is_empty() && part.iter().all(is_inside), "{part:?}");
    assert_eq!(messages["count"], part.len());
}

/// A region of the page has the time without calls inside that its profile has.
#[test]
fn calls_have_the_own_time_of_their_regions() {
    for archive in own() {
        let page = Page::of(&archive.anchor, &[]);
        let mut found: BTreeMap<String, i64> = BTreeMap::new();
        let rows = page.facts["events"]["rows"].as_object().expect("rows");
        for calls in rows.values().map(|calls| calls.as_array().expect("calls")) {
            let mut open: BTreeMap<i64, Vec<(i64, String, bool)>> = BTreeMap::new();
            let mut before = 0;
            for call in calls {
                let [lane, begin, end] = [0, 1, 2].map(|at| call[at].as_i64().expect("a number"));
                let name =
                    &page.facts["events"]["names"][call[4].as_u64().expect("a name") as usize];
                let name = name.as_str().expect("a name").to_owned();
                assert!(before <= begin, "sorted by begin");
                before = begin;
                let open = open.entry(lane).or_default();
                while open.last().is_some_and(|(over, ..)| *over <= begin && begin < end) {
                    open.pop();
                }
                let mut add =
                    |name: &str, ticks| *found.entry(name.to_owned()).or_default() += ticks;
                if let Some((_, around, true)) = open.last() {
                    add(around, begin - end);
                }
                let own = call.get(5).map(|own| own.as_i64().expect("a number"));
                add(&name, own.unwrap_or(end - begin).max(0));
                open.push((end, name, own.is_none()));
            }
        }
        let output =
            streamfold(["profile", "-q", "--format", "json"]).arg(&archive.anchor).output();
        let profile: Value = serde_json::from_slice(&output.expect("a run").stdout).expect("JSON");
        let mut expected: BTreeMap<String, i64> = BTreeMap::new();
        let regions = profile["regions"].as_array().expect("regions").iter();
        for region in regions.filter(|region| region["kind"] == "region") {
            let name = region["name"].as_str().expect("a name").to_owned();
            *expected.entry(name).or_default() += region["exclusive"].as_i64().expect("ticks");
        }
        for (name, ticks) in &expected {
            let found = found.get(name).copied().unwrap_or(0);
            assert_eq!(found, *ticks, "{}: {name}", archive.name);
        }
    }
}

#[test]
fn a_part_of_the_time_has_a_page() {
    let trace = one("hybrid").anchor;
    let page = Page::of(&trace, &["--time", "10%", "20%"]);
    adds_up(&page, "a part");
    assert!(page.number("length") < Page::of(&trace, &[]).number("length") / 5);
    let page = Page::of(&trace, &["--by", "thread"]);
    adds_up(&page, "threads");
    assert_eq!(page.facts["row_is"], "thread");
}

#[test]
fn other_formats_have_pages() {
    for trace in ["strace/edge_exec", "dftracer/2.2-plain"] {
        adds_up(&Page::of(&data().join(trace), &[]), trace);
    }
}

#[test]
fn ranks_do_not_show() {
    let trace = one("hybrid").anchor;
    let page = Page::of(&trace, &[]);
    assert!(Page::of(&trace, &["--threads", "3"]).text == page.text, "3 threads");
    let folder = tempfile::tempdir().expect("a folder");
    for ranks in [2, 3, 5] {
        let file = folder.path().join(format!("{ranks}.html"));
        let args = ["timeline", "-q", "-o", file.to_str().unwrap(), trace.to_str().unwrap()];
        let Some(output) = on_ranks(ranks, args) else { return };
        assert!(output.status.success(), "{}", said(&output));
        assert!(fs::read_to_string(&file).unwrap() == page.text, "{ranks} ranks");
    }
}

#[test]
fn a_report_has_it_unless_it_is_not_wanted() {
    let trace = one("hybrid").anchor;
    let page = |more: &[&str]| {
        let output = streamfold(["report", "-q", "-o", "-"]).args(more).arg(&trace).output();
        text(output.expect("a run").stdout)
    };
    adds_up(&Page::new(page(&[])), "a report");
    let without = page(&["--time-line", "no"]);
    assert!(!without.contains("time-line-meta") && without.contains("<h2 id=\"time\">"));
}

/// Names of a trace may have what ends a script.
#[test]
fn names_end_no_script() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("odd.json");
    let event =
        |name, ts| json!({ "ph": "X", "name": name, "ts": ts, "dur": 9, "pid": 1, "tid": 1 });
    let events = json!([event("</script><b>", 0), event("<!--<script>", 20)]);
    fs::write(&file, events.to_string()).expect("a file");
    let page = Page::of(&file, &[]);
    assert_eq!(page.facts["events"]["names"][0], "</script><b>");
    assert_eq!(page.text.matches("<script").count(), page.text.matches("</script").count());
}
