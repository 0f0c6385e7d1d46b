//! Graphs: what others found with another program, pictures, layouts, and options.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use streamfold::model::enums::Paradigm;
use streamfold::model::events::{Enter, Event, Leave};
use streamfold::model::ids::RegionRef;

use super::{expected, folders, logs};
use crate::common::program::{mpirun, said, streamfold, text};
use crate::matching::made::Made;

/// Runs `streamfold dfg` on logs: exit code and both outputs.
fn run(logs: &[PathBuf], options: &[&str]) -> (i32, String, String) {
    let mut program = streamfold(["dfg", "-q", "--mpi", "off"]);
    let output = program.args(logs).args(options).output().expect("a run");
    (output.status.code().unwrap_or(-1), text(&output.stdout), said(&output))
}

fn json(logs: &[PathBuf], options: &[&str]) -> Value {
    let (code, out, err) = run(logs, &[&["--format", "json"], options].concat());
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
}

/// The options of a mapping that is expected.
fn options(expected: &Value, mapping: &str) -> Vec<String> {
    let mut options = Vec::new();
    if mapping.starts_with("fbar") {
        for site in expected["site"].as_array().expect("sites") {
            options.extend(["--site".to_owned(), site.as_str().expect("a site").to_owned()]);
        }
    }
    if mapping.ends_with("+filter") {
        let filter = expected["filter"].as_str().expect("a filter");
        options.extend(["--filter".to_owned(), filter.to_owned()]);
    }
    options
}

fn near(found: &Value, expected: &Value, most: f64) -> bool {
    match (found.as_f64(), expected.as_f64()) {
        (Some(found), Some(expected)) => (found - expected).abs() <= most,
        (found, expected) => found == expected,
    }
}

fn check_graph(found: &Value, expected: &Value, what: &str) {
    assert_eq!(found["total_duration"], expected["total_dur_ns"], "{what}");
    assert_eq!(found["empty_cases"], expected["empty_cases"], "{what}");
    let nodes = found["nodes"].as_array().expect("nodes");
    let wanted = expected["nodes"].as_object().expect("nodes");
    assert_eq!(nodes.len(), wanted.len(), "{what}");
    for node in nodes {
        let name = node["activity"].as_str().expect("a name");
        let wanted = &wanted[name];
        let what = format!("{what}: {name}: {node} {wanted}");
        for (own, theirs) in [
            ("count", "count"),
            ("duration", "dur_ns"),
            ("bytes", "bytes"),
            ("sized", "sized"),
            ("failed", "failed"),
            ("concurrency_window", "mc_window"),
            ("concurrency_overlap", "mc_overlap"),
        ] {
            assert_eq!(node[own], wanted[theirs], "{own}: {what}");
        }
        let share = node["share_percent"].as_f64().expect("a share") / 100.0;
        assert!((share - wanted["rel_dur"].as_f64().expect("a share")).abs() < 1e-9, "{what}");
        // The mean is rounded down to thousandths of a byte a second.
        assert!(near(&node["rate"], &wanted["rate_Bps"], 0.0021), "{what}");
    }
    let edges = found["edges"].as_array().expect("edges").iter();
    let edges = edges
        .map(|edge| (edge["from"].to_string(), edge["to"].to_string(), edge["count"].as_u64()));
    let mut edges: Vec<_> = edges.collect();
    let wanted = expected["edges"].as_array().expect("edges").iter();
    let wanted = wanted.map(|edge| (edge[0].to_string(), edge[1].to_string(), edge[2].as_u64()));
    let mut wanted: Vec<_> = wanted.collect();
    edges.sort();
    wanted.sort();
    assert_eq!(edges, wanted, "{what}");
}

#[test]
fn graphs_are_those_that_are_expected() {
    for folder in folders() {
        let expected = expected(&folder);
        let logs = logs(&folder);
        for (mapping, graphs) in expected["dfg"].as_object().expect("graphs") {
            let options = options(&expected, mapping);
            let options: Vec<&str> = options.iter().map(String::as_str).collect();
            for (part, graph) in graphs.as_object().expect("graphs") {
                let what = format!("{} {mapping} {part}", folder.display());
                match part.as_str() {
                    "all" => check_graph(&json(&logs, &options), graph, &what),
                    "partition" => check_partition(&logs, &options, graph, &what),
                    cid => {
                        let chosen = format!("cid={cid}");
                        let options = [&options[..], &["--cases", &chosen]].concat();
                        check_graph(&json(&logs, &options), graph, &what);
                    }
                }
            }
        }
    }
}

fn check_partition(logs: &[PathBuf], options: &[&str], expected: &Value, what: &str) {
    let name = |side: &str| format!("cid={}", expected[side].as_str().expect("a part"));
    let (green, red) = (name("green"), name("red"));
    let options = [options, &["--compare", &green, &red]].concat();
    let found = json(logs, &options);
    let is_outer = |edge: &Value| edge["from"] == "START" || edge["to"] == "END";
    for (side, color) in [("a", "green"), ("b", "red")] {
        let nodes = found["nodes"].as_array().expect("nodes").iter();
        let nodes = nodes.filter(|node| node["in"] == side).map(|node| node["activity"].clone());
        let mut nodes: Vec<String> = nodes.map(|name| name.to_string()).collect();
        nodes.sort();
        let wanted = expected[format!("{color}_nodes")].as_array().expect("nodes").iter();
        let mut wanted: Vec<String> = wanted.map(Value::to_string).collect();
        wanted.sort();
        assert_eq!(nodes, wanted, "{what}: {color}");
        let wanted = expected[format!("{color}_edges")].as_array().expect("edges");
        let counts_outer = wanted.iter().any(|edge| edge[0] == "START" || edge[1] == "END");
        let edges = found["edges"].as_array().expect("edges").iter();
        let edges = edges.filter(|edge| edge["in"] == side && (counts_outer || !is_outer(edge)));
        let mut edges: Vec<String> =
            edges.map(|edge| format!("[{},{}]", edge["from"], edge["to"])).collect();
        edges.sort();
        let mut wanted: Vec<String> = wanted.iter().map(Value::to_string).collect();
        wanted.sort();
        assert_eq!(edges, wanted, "{what}: {color}");
    }
    let both = found["nodes"].as_array().expect("nodes").iter();
    let both = both.filter(|node| node["in"] == "both").count() as u64;
    assert_eq!(expected["common_nodes"], both, "{what}");
}

/// The example of the method's paper: 16 edges, of which one is only in the first, and 8 only in the second.
#[test]
fn the_example_of_the_paper() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/strace/paper_ls");
    let found = json(&logs(&folder), &["--compare", "cid=a", "cid=b", "--variants"]);
    let edges = found["edges"].as_array().expect("edges");
    let of = |side: &str| edges.iter().filter(|edge| edge["in"] == side).count();
    assert_eq!((edges.len(), of("a"), of("b"), of("both")), (16, 1, 8, 7));
    let variants = found["variants"].as_array().expect("variants");
    let cases: Vec<_> =
        variants.iter().map(|variant| (&variant["cases"], &variant["length"])).collect();
    assert_eq!(cases.len(), 2);
    assert_eq!(cases, [(&3.into(), &8.into()), (&3.into(), &17.into())]);
    let (_, out, _) = run(&logs(&folder), &["--compare", "cid=a", "cid=b"]);
    assert!(out.contains("Only in a (cid=a): 0 activities, 1 edge."), "{out}");
}

#[test]
fn any_number_of_ranks_writes_the_same() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/strace");
    for (name, numbers) in [("paper_ls", &[2, 3, 5, 8][..]), ("edge_hand", &[3])] {
        let folder = own.join(name);
        let logs = logs(&folder);
        let outputs = |run: &dyn Fn(&Path)| -> Vec<Vec<u8>> {
            let to = tempfile::TempDir::new().expect("a folder");
            run(to.path());
            // Where there is no mpirun nothing was written.
            let names = ["g.svg", "g.json", "g.csv", "g.dot", "g.txt"];
            names.iter().filter_map(|name| fs::read(to.path().join(name)).ok()).collect()
        };
        let arguments = |to: &Path| -> Vec<String> {
            let mut arguments: Vec<String> = vec!["--variants".into()];
            for name in ["g.svg", "g.json", "g.csv", "g.dot", "g.txt"] {
                arguments.extend(["-o".into(), to.join(name).display().to_string()]);
            }
            arguments
        };
        let alone = outputs(&|to| {
            let mut program = streamfold(["dfg", "-q", "--mpi", "off", "--threads", "1"]);
            let output = program.args(&logs).args(arguments(to)).output().expect("a run");
            assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        });
        for &ranks in numbers {
            let together = outputs(&|to| {
                let mut arguments: Vec<String> = arguments(to);
                arguments.splice(0..0, ["dfg".to_owned(), "-q".to_owned()]);
                arguments.extend(logs.iter().map(|log| log.display().to_string()));
                let Some(output) = mpirun(ranks, arguments) else { return };
                assert_eq!(output.status.code(), Some(0), "{}", said(&output));
            });
            assert_eq!(alone.len(), 5);
            assert!(
                together.is_empty() || alone == together,
                "{} on {ranks} ranks",
                folder.display()
            );
        }
    }
}

#[test]
fn what_is_refused() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let at = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        path
    };
    let log = at("a_h_1.st", "1 1700000000.1 brk(0) = 1 <0.1>\n");
    let other = at("other.txt", "");
    let check = |logs: &[&PathBuf], options: &[&str], code: i32, words: &str| {
        let logs: Vec<PathBuf> = logs.iter().map(|log| (*log).clone()).collect();
        let (found, _, err) = run(&logs, options);
        assert_eq!(found, code, "{options:?}: {err}");
        assert!(err.contains(words), "{options:?}: {err}");
    };
    check(&[&other], &[], 1, "CID_HOST_RID.st");
    check(&[&folder.path().join("none.st")], &[], 4, "none.st");
    check(&[&log, &log], &[], 1, "are both of a_h_1");
    check(&[&log], &["--cases", "cid=b"], 2, "none of 1 logs");
    check(&[&log], &["--compare", "cid=a", "cid=a"], 1, "compared with itself");
    check(&[&log], &["--least", "3"], 1, "--least");
    check(&[&log], &["--table", "edges"], 1, "--table");
    check(&[&log], &["--site", "X"], 1, "NAME=PREFIX");
    check(&[&log], &["--path-map", "(=x"], 1, "path-map");
    let path = log.display().to_string();
    check(&[&log], &["-o", &path], 1, "it belongs to the trace");
    let gvisor = at("g_h_1.st", "I0101 12:00:00.000000 1 strace.go:567] [ 1] bash E read(0x3)\n");
    check(&[&gvisor], &[], 2, "gVisor");
    // Beside others it is a loss.
    check(&[&log, &gvisor], &["--depth", "0"], 3, "gVisor");
    let odd = at("o_h_1.st", "1 1700000000.1 brk(0) = 1 <0.1>\nwhat is this\n");
    check(&[&odd], &["--depth", "0"], 0, "line 2");
    check(&[&odd], &["--depth", "0", "--strict"], 2, "line 2");
    let empty = at("e_h_1.st", "");
    check(&[&empty], &[], 0, "");
    let patterned = json(&[other], &["--case-pattern", r"^(?<cid>\w+)\.txt$"]);
    assert_eq!(patterned["files"][0]["case"], "other__0");
}

#[test]
fn other_activities() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let log = folder.path().join("a_h_1.st");
    let lines = [
        "1 1700000000.1 openat(AT_FDCWD</d>, \"/out/rank7.dat\", O_RDONLY) = 3</out/rank7.dat> <0.1>",
        "2 1700000000.2 read(3</out/rank8.dat>, \"\", 4) = 4 <0.1>",
        "1 1700000000.3 read(3</out/rank7.dat>, \"\", 4) = 4 <0.1>",
        "1 1700000000.4 read(3</out/rank7.dat>, 0x1, 4) = -1 EIO (Input/output error) <0.1>",
        "1 1700000000.5 sendto(4<socket:[7]>, \"\", 9) = 9 <0.1>",
    ];
    fs::write(&log, lines.join("\n") + "\n").expect("written");
    let names = |options: &[&str]| -> Vec<String> {
        let report = json(std::slice::from_ref(&log), options);
        let nodes = report["nodes"].as_array().expect("nodes").iter();
        let mut names: Vec<String> = nodes
            .map(|node| format!("{} {}", node["activity"].as_str().expect("a name"), node["count"]))
            .collect();
        names.sort();
        names
    };
    let map = r"^(/out)/rank\d+=$1/rank*";
    assert_eq!(names(&["--path-map", map, "--calls", "read"]), ["read:/out/rank* 3"]);
    assert_eq!(names(&["--suffix", "--calls", "read,openat"]), ["openat:*.dat 1", "read:*.dat 3"]);
    assert_eq!(
        names(&["--basename", "--calls", "read", "--drop-failed"]),
        ["read:rank7.dat 1", "read:rank8.dat 1"]
    );
    assert_eq!(names(&["--depth", "0"]), ["openat 1", "read 3", "sendto 1"]);
    let report = json(std::slice::from_ref(&log), &["--sockets", "--per-process"]);
    assert_eq!(report["cases"], 2);
    let sent = report["nodes"].as_array().expect("nodes").iter();
    let sent = sent.clone().find(|node| node["activity"] == "sendto:socket").expect("a node");
    assert_eq!(sent["bytes"], 9);
}

/// Over the visits of a log of one process the graph is that of its calls, where the tracer records the same.
#[test]
fn graphs_of_any_trace() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/strace/ls_vs_lsl");
    let log = logs(&folder).into_iter().next().expect("a log");
    let log = std::slice::from_ref(&log);
    let of = |options: &[&str]| {
        let report = json(log, options);
        let nodes = report["nodes"].as_array().expect("nodes").iter();
        let nodes = nodes.map(|node| {
            let text = |name: &str| node[name].to_string();
            ["activity", "count", "duration", "bytes", "sized", "rate"].map(text)
        });
        (nodes.collect::<Vec<_>>(), report["edges"].clone())
    };
    assert_eq!(of(&["--over", "io"]), of(&[]));
    assert_eq!(of(&["--over", "regions"]).1, of(&["--depth", "0"]).1);
    // An archive: by itself over regions, since it has no files.
    let anchor = crate::common::archives::one("pingpong").anchor;
    let anchor = std::slice::from_ref(&anchor);
    let report = json(anchor, &[]);
    let visits: u64 = {
        let mut program = streamfold(["profile", "-q", "--mpi", "off", "--format", "json"]);
        let output = program.args(anchor).output().expect("a run");
        let profile: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let regions = profile["regions"].as_array().expect("regions").iter();
        regions.filter_map(|region| region["closed"].as_u64()).sum()
    };
    assert_eq!(report["events"], visits);
    assert_eq!(report["cases"], 2);
    let filtered = json(anchor, &["--over", "regions", "--filter", "MPI_"]);
    let nodes = filtered["nodes"].as_array().expect("nodes").iter();
    assert!(nodes.clone().count() > 0);
    assert!(nodes.clone().all(|node| node["activity"].as_str().expect("a name").contains("MPI_")));
    let (code, _, err) = run(anchor, &["--compare", "cid=a", "cid=b"]);
    assert_eq!(code, 1, "{err}");
    let arguments = |out: &Path| -> Vec<String> {
        let out = out.display().to_string();
        vec!["dfg".into(), "-q".into(), anchor[0].display().to_string(), "-o".into(), out]
    };
    let to = tempfile::TempDir::new().expect("a folder");
    let (one, three) = (to.path().join("1.json"), to.path().join("3.json"));
    let output = streamfold(arguments(&one)).output().expect("a run");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    if let Some(output) = mpirun(3, arguments(&three)) {
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert_eq!(fs::read(one).expect("an output"), fs::read(three).expect("an output"));
    }
}

/// A page has all that it needs, and Graphviz's language has all edges.
#[test]
fn pages_and_other_pictures() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/strace/paper_ls");
    let logs = logs(&folder);
    let to = tempfile::TempDir::new().expect("a folder");
    let at = |name: &str| to.path().join(name).display().to_string();
    let (page, dot, svg) = (at("g.html"), at("g.dot"), at("g.svg"));
    let options = ["-o", &page, "-o", &dot, "-o", &svg, "--hide", "write:/dev/pts", "--least", "4"];
    let (code, _, err) = run(&logs, &options);
    assert_eq!(code, 0, "{err}");
    let [page, dot, svg] = [page, dot, svg].map(|path| fs::read_to_string(path).expect("text"));
    assert!(page.contains("id=\"least\"") && page.contains("</html>") && page.contains(&svg));
    let others = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!others.contains("http") && !others.contains("src="), "a page asks for nothing");
    // Edges of at least 4 are drawn; the hidden activity has no name.
    let report = json(&logs, &[]);
    let edges = report["edges"].as_array().expect("edges").iter();
    let often = edges.filter(|edge| edge["count"].as_u64() >= Some(4)).count();
    assert_eq!(dot.matches(" -> ").count(), often);
    assert!(svg.contains("not drawn: ") && !svg.contains(">write:/dev/pts<"), "{svg}");
    assert!(svg.contains(">read:/usr/lib<"));
}

/// When an activity happens: a row for each event, and pictures of it.
#[test]
fn timelines() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/strace/paper_ls");
    let to = tempfile::TempDir::new().expect("a folder");
    let at = |name: &str| to.path().join(name).display().to_string();
    let (svg, png, csv) = (at("t.svg"), at("t.png"), at("t.csv"));
    let options = ["--timeline", "read:/usr/lib", "--table", "timeline"];
    let outputs = ["-o", &svg, "-o", &png, "-o", &csv, "-o", "-"];
    let (code, out, err) = run(&logs(&folder), &[&options[..], &outputs].concat());
    assert_eq!(code, 0, "{err}");
    assert_eq!(out.matches("| 3 events").count(), 3, "{out}");
    assert_eq!(out.matches("| 5 events").count(), 3, "{out}");
    let csv = fs::read_to_string(csv).expect("a table");
    let rows: Vec<&str> = csv.lines().filter(|line| line.contains("_host1_")).collect();
    assert_eq!(rows.len(), 24);
    assert!(rows.is_sorted_by_key(|row| row.split(',').next()), "{csv}");
    let svg = fs::read_to_string(svg).expect("a picture");
    assert!(svg.contains("24 events in 6 cases") && svg.contains(">b_host1_9160<"), "{svg}");
    assert!(fs::read(png).expect("a picture").starts_with(b"\x89PNG\r\n"));
    let (_, _, err) = run(&logs(&folder), &["--timeline", "read:/none"]);
    assert!(err.contains("there is no such activity"), "{err}");
    // Of a trace the cases are locations.
    let anchor = crate::common::archives::one("pingpong").anchor;
    let report = json(std::slice::from_ref(&anchor), &["--timeline", "MPI_Send"]);
    let count = report["nodes"].as_array().expect("nodes").iter();
    let count = count.clone().find(|node| node["activity"] == "MPI_Send").expect("a node");
    let events = report["timeline"].as_array().expect("events");
    assert_eq!(count["count"], events.len());
}

/// Two traces are compared like two subsets of cases. A trace and itself have all in common.
#[test]
fn two_traces() {
    let [one, other] =
        ["pingpong", "intercomm"].map(|name| crate::common::archives::one(name).anchor);
    let same = json(&[one.clone(), one.clone()], &[]);
    let alone = json(std::slice::from_ref(&one), &[]);
    for node in same["nodes"].as_array().expect("nodes") {
        assert_eq!((&node["in"], &node["count_a"]), (&"both".into(), &node["count_b"]));
    }
    assert_eq!(same["events"].as_u64(), alone["events"].as_u64().map(|events| 2 * events));
    // Times are nanoseconds, whatever the clocks.
    let both = json(&[one, other.clone()], &[]);
    let alone = json(&[other], &[]);
    let ticks = alone["provenance"]["timer_resolution"].as_u64().expect("a clock");
    for node in alone["nodes"].as_array().expect("nodes") {
        let found = both["nodes"].as_array().expect("nodes").iter();
        let found =
            found.clone().find(|found| found["activity"] == node["activity"]).expect("a node");
        assert_eq!(found["count_b"], node["count"]);
        let seconds = |node: &Value, name: &str, ticks: u64| {
            node[name].as_f64().expect("a time") / ticks as f64
        };
        let resolution = both["provenance"]["timer_resolution"].as_u64().expect("a clock");
        let (here, there) =
            (seconds(found, "duration_b", resolution), seconds(node, "duration", ticks));
        assert!((here - there).abs() < 1e-8, "{node} {found}");
    }
}

/// Times are nanoseconds where the clock of the trace is another one.
#[test]
fn times_are_nanoseconds() {
    let mut made = Made::new(&[1]);
    made.region_of(Paradigm::User, 1, "main");
    made.region_of(Paradigm::User, 2, "solve");
    let (main, solve) = (RegionRef(1), RegionRef(2));
    made.events(0, |to| {
        to.at(0, Event::Enter(Enter { region: main }));
        to.at(1000, Event::Enter(Enter { region: solve }));
        to.at(3000, Event::Leave(Leave { region: solve }));
        to.at(4000, Event::Leave(Leave { region: main }));
    });
    let report = json(&[made.finish()], &["--over", "regions", "--timeline", "solve"]);
    assert_eq!(report["provenance"]["timer_resolution"], 1_000_000_000);
    assert_eq!(report["total_duration"], 6_000_000);
    let mut nodes = report["nodes"].as_array().expect("nodes").iter();
    let node = nodes.find(|node| node["activity"] == "solve").expect("a node");
    for (column, time) in [
        ("duration", 2_000_000),
        ("shortest", 2_000_000),
        ("longest", 2_000_000),
        ("first", 1_000_000),
        ("last", 3_000_000),
    ] {
        assert_eq!(node[column], time, "{column}");
    }
    let event = &report["timeline"][0];
    assert_eq!((&event["start"], &event["duration"]), (&1_000_000.into(), &2_000_000.into()));
}
