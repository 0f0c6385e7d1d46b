//! `streamfold info`: against what the reference library's bindings say, and the files that are there.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::archives::{large, one, own, Archive};
use crate::common::copy_folder;
use crate::common::small::{Definitions, Files, Order, Small};
use serde_json::{json, Map, Value};

fn run(anchor: &Path, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_streamfold"));
    command.args(["info", "--mpi", "off"]).args(options).arg(anchor).env("TZ", "UTC");
    command.output().expect("the program runs")
}

fn json_of(anchor: &Path) -> Value {
    let output = run(anchor, &["--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON document")
}

fn page_of(anchor: &Path) -> String {
    let output = run(anchor, &["--quiet"]);
    assert!(output.stderr.is_empty());
    String::from_utf8(output.stdout).expect("a page is UTF-8")
}

fn assert_facts(archive: &Archive) {
    let (info, facts) = (json_of(&archive.anchor), archive.facts());
    let name = &archive.name;
    assert_eq!(info["schema"], "streamfold-info");
    assert_eq!(info["definitions"]["by_kind"], sorted(&facts["definitions"]), "{name}");
    assert_eq!(info["definitions"]["count"], facts["definitions_total"], "{name}");
    let (anchor, expected) = (&info["anchor"], &facts["anchor"]);
    for (ours, theirs) in [
        ("creator", "creator"),
        ("description", "description"),
        ("compression", "compression"),
        ("locations", "locations"),
        ("global_definitions", "global_definitions"),
    ] {
        assert_eq!(anchor[ours], expected[theirs], "{name} {ours}");
    }
    let sizes = json!([anchor["event_chunk_size"], anchor["definition_chunk_size"]]);
    assert_eq!(sizes, expected["chunk_sizes"], "{name}");
    let clock = &facts["clock"];
    assert_eq!(info["clock"]["ticks_per_second"], clock["timer_resolution"], "{name}");
    assert_eq!(info["clock"]["global_offset"], clock["global_offset"], "{name}");
    assert_eq!(info["clock"]["trace_length"], clock["trace_length"], "{name}");

    let locations = facts["locations"].as_array().unwrap();
    let events = |l: &Value| l["declared_events"].as_u64().unwrap();
    let found = &info["locations"];
    assert_eq!(found["count"], locations.len(), "{name}");
    assert_eq!(found["events"], locations.iter().map(events).sum::<u64>(), "{name}");
    let most = locations.iter().map(events).max().unwrap_or(0);
    assert_eq!(found["most_events"], most, "{name}");
    assert_eq!(found["longest"][0]["events"], most, "{name}");
    assert_eq!(found["fewest_events"], locations.iter().map(events).min().unwrap_or(0), "{name}");
    for (kind, counted) in found["by_type"].as_object().unwrap() {
        let of_type: Vec<_> = locations.iter().filter(|l| l["type"] == **kind).collect();
        assert_eq!(counted["count"], of_type.len(), "{name} {kind}");
        let sum: u64 = of_type.iter().map(|l| events(l)).sum();
        assert_eq!(counted["events"], sum, "{name} {kind}");
    }
}

/// Kinds stand in the order of their names.
fn sorted(counts: &Value) -> Value {
    let mut pairs: Vec<_> = counts.as_object().unwrap().iter().collect();
    pairs.sort_by_key(|(name, _)| *name);
    pairs.into_iter().map(|(k, v)| (k.clone(), v.clone())).collect::<Map<_, _>>().into()
}

#[test]
fn facts_are_those_of_the_reference() {
    own().iter().for_each(assert_facts);
    large().iter().for_each(assert_facts);
}

#[test]
fn the_page_says_the_same() {
    let page = page_of(&one("intercomm").anchor);
    for line in [
        "creator               Score-P 8.4",
        "ticks a second        1 000 000 000",
        "length                509.5 ms",
        "CPU_THREAD                  4           2 916             726             732",
        "among the longest     732 events: MPI Rank 0 · Master thread <0>",
        "Region                            235",
        "property              OTF2::MPI_COMMUNICATION_COMPLETE = true",
    ] {
        assert!(page.contains(&format!("  {line}\n")), "{line}\n{page}");
    }
}

/// Archives of newer writers tell when a trace was recorded.
#[test]
fn a_date_is_one_where_it_is_known() {
    let page = page_of(&one("every-kind").anchor);
    let known = json_of(&one("every-kind").anchor)["clock"]["realtime_timestamp"].clone();
    let begin = page.lines().find_map(|line| line.strip_prefix("  begin"));
    assert_eq!(begin.is_some(), !known.is_null(), "{page}");
    assert!(!page_of(&one("pingpong").anchor).contains("  begin"), "it has none");
}

fn bytes_below(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let bytes = |path: std::path::PathBuf| match path.is_dir() {
        true => bytes_below(&path),
        false => path.metadata().unwrap().len(),
    };
    entries.map(bytes).sum()
}

#[test]
fn files_are_counted_and_missing_ones_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    copy_folder(&one("intercomm").folder, folder.path());
    let gone = ["expected.txt.gz", "expected-local.txt.gz", "facts.json"];
    gone.iter().for_each(|name| std::fs::remove_file(path(name)).unwrap());
    let total = bytes_below(folder.path());
    let files = json_of(&path("traces.otf2"))["files"].clone();
    assert_eq!(files["total"]["bytes"], total);
    assert_eq!(files["events"]["files"], 4);
    assert_eq!(files["local_definitions"]["missing"], 0);

    std::fs::remove_file(path("traces/3.evt")).unwrap();
    std::fs::write(path("traces/1.evt"), "").unwrap();
    let files = json_of(&path("traces.otf2"))["files"].clone();
    let events = &files["events"];
    assert_eq!([&events["files"], &events["missing"], &events["empty"]], [&3, &1, &1]);
}

/// Whether a file is there that cannot be looked at, nobody knows: a link that leads to itself stands for
/// a folder without permissions, which the superuser may look into.
#[test]
fn files_that_cannot_be_looked_at_are_not_missing() {
    let folder = tempfile::tempdir().unwrap();
    copy_folder(&one("intercomm").folder, folder.path());
    let locations = folder.path().join("traces");
    std::fs::remove_dir_all(&locations).unwrap();
    std::os::unix::fs::symlink(&locations, &locations).unwrap();
    let output = run(&folder.path().join("traces.otf2"), &["--json"]);
    assert_eq!(output.status.code(), Some(4));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("0.def: Too many levels of symbolic links"), "{said}");
    assert!(said.contains(" and 7 more that cannot be looked at"), "{said}");
    let info: Value = serde_json::from_slice(&output.stdout).expect("what is known is told");
    let events = &info["files"]["events"];
    assert_eq!([&events["files"], &events["missing"], &events["unseen"]], [&0, &0, &4]);
    let page = run(&folder.path().join("traces.otf2"), &[]);
    let page = String::from_utf8_lossy(&page.stdout).into_owned();
    assert!(page.contains("  cannot be looked at   8 files\n"), "{page}");
}

#[test]
fn events_are_not_read_but_for_the_first() {
    let folder = tempfile::tempdir().unwrap();
    copy_folder(&one("pingpong").folder, folder.path());
    let anchor = folder.path().join("traces.otf2");
    let mut before = json_of(&anchor);
    assert_eq!(before["origin"]["program"], "/g/g92/bhatele1/umd/traces/score-p/ping-pong.otf2");
    let file = folder.path().join("traces/0.evt");
    let length = file.metadata().unwrap().len();
    std::fs::write(&file, vec![0xff; length as usize]).unwrap();
    before["origin"]["program"] = Value::Null;
    before["origin"]["arguments"] = Value::Null;
    assert_eq!(json_of(&anchor), before);
}

/// What a trace need not have, such as markers, is not missing in all.
#[test]
fn nothing_is_missing_in_a_healthy_archive() {
    for archive in own() {
        let files = json_of(&archive.anchor)["files"].clone();
        assert_eq!(files["total"]["missing"], 0, "{}", archive.name);
    }
    assert_eq!(json_of(&one("pingpong").anchor)["files"]["markers"]["missing"], 1);
}

/// A clock that does not say how long a tick is tells ticks, not seconds.
#[test]
fn times_of_an_unknown_clock_are_ticks() {
    let definitions = Definitions::new(Order::Little);
    let clock = definitions.bytes.payload().c(0).c(7).c(1000).c(u64::MAX);
    let definitions = definitions.record(5, clock).location(0, 0);
    let files = vec![Files { events: None, definitions: None }];
    let written = Small::with(Order::Little, definitions, files).write();
    let page = page_of(&written.anchor());
    assert!(page.contains("1 000 ticks") && page.contains("not known"), "{page}");
    assert!(!page.contains("1000 s"), "{page}");
}

#[test]
fn more_threads_need_more_memory() {
    let anchor = one("hybrid").anchor;
    let total = |threads| {
        let output = run(&anchor, &["--json", "--threads", threads]);
        let info: Value = serde_json::from_slice(&output.stdout).unwrap();
        info["profile_memory"]["total"].as_u64().unwrap()
    };
    assert!(total("1") < total("2"));
    assert_eq!(total("64"), total("200"), "no more threads than locations have work");
}

#[test]
fn what_cannot_be_used_ends_with_a_code() {
    let folder = tempfile::tempdir().unwrap();
    copy_folder(&one("pingpong").folder, folder.path());
    let anchor = folder.path().join("traces.otf2");
    let code = |path: &Path| {
        let output = run(path, &["--json"]);
        assert!(output.stdout.is_empty());
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("streamfold: "));
        output.status.code()
    };
    assert_eq!(code(&folder.path().join("nothing.otf2")), Some(4));
    std::fs::write(folder.path().join("text.otf2"), "no anchor").unwrap();
    assert_eq!(code(&folder.path().join("text.otf2")), Some(2));
    std::fs::write(folder.path().join("traces.def"), "no definitions").unwrap();
    assert_eq!(code(&anchor), Some(2));
    std::fs::remove_file(folder.path().join("traces.def")).unwrap();
    assert_eq!(code(&anchor), Some(2));
    assert_eq!(run(&anchor, &["--nonsense"]).status.code(), Some(1));
}

#[cfg(feature = "ranks")]
#[test]
fn one_of_several_ranks_says_it() {
    let anchor = one("intercomm").anchor;
    let arguments = ["info".as_ref(), "--threads".as_ref(), "1".as_ref(), anchor.as_os_str()];
    let output = crate::common::program::mpirun_with(&[("TZ", "UTC")], 2, arguments);
    let Some(output) = output else { return };
    let alone = run(&anchor, &["--threads", "1"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&alone.stdout));
}

/// Files that another run left in the folder are named.
#[test]
fn locations_without_definitions_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    copy_folder(&one("pingpong").folder, folder.path());
    for name in ["7.evt", "7.def", "12884901888.evt", "notes.evt"] {
        std::fs::write(folder.path().join("traces").join(name), []).expect("written");
    }
    let output = run(&folder.path().join("traces.otf2"), &[]);
    assert_eq!(output.status.code(), Some(0));
    let said = String::from_utf8_lossy(&output.stderr);
    let names = "files are not read of 2 locations that are not defined: 7, 12884901888";
    assert!(said.contains(names), "{said}");
    let page = String::from_utf8_lossy(&output.stdout);
    assert!(page.contains("\n  events                      2 "), "{page}");
}
