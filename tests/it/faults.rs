//! OTF2 as it is met in the field: faults of recorders and converters, and what is right in spite of them.

use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::Value;

use crate::common::archives::traces_folder;
use crate::common::program::{on_ranks, said, streamfold, text};
use crate::common::small::{Bytes, Definitions, Files, Order, Small, Written};

/// The trace of a fault, if it is there.
fn fault(path: &str) -> Option<PathBuf> {
    let path = traces_folder().join("otf2-faults").join(path);
    if !path.exists() {
        println!("skipped: there is no {}", path.display());
    }
    path.exists().then_some(path)
}

/// The exit code, standard output and what is said.
fn run(args: &[&str]) -> (i32, String, String) {
    let output = streamfold(["--mpi", "off"]).args(args).output().expect("a run");
    (output.status.code().expect("a code"), text(&output.stdout), said(&output))
}

fn json(command: &str, trace: &str, options: &[&str]) -> Value {
    let (code, out, err) = run(&[&[command, "-q", "--format", "json", trace], options].concat());
    assert_eq!(code, 0, "{command} {trace} {options:?}: {err}");
    serde_json::from_str(&out).expect("JSON")
}

/// Name, depth, visits that ended, inclusive and exclusive ticks of a call path.
type Path = (String, u64, u64, u64, u64);

/// The call paths with any visit.
fn paths(report: &Value) -> Vec<Path> {
    let number = |row: &Value, name: &str| row[name].as_u64().unwrap_or(0);
    let rows = report["paths"].as_array().expect("paths").iter();
    let rows = rows.filter(|row| number(row, "visits") > 0).map(|row| {
        let name = row["name"].as_str().expect("a name").to_owned();
        (
            name,
            number(row, "depth"),
            number(row, "closed"),
            number(row, "inclusive"),
            number(row, "exclusive"),
        )
    });
    rows.collect()
}

fn oddity(report: &Value, name: &str) -> u64 {
    report["oddities"][name].as_u64().unwrap_or_else(|| panic!("{name}"))
}

/// The same bytes on any number of ranks, in a window of all the time, and in pieces.
fn same_everywhere(trace: &str, options: &[&str]) {
    let args = [&["profile", "-q", "--format", "json", trace], options].concat();
    let (_, alone, _) = run(&args);
    for ranks in [2, 3] {
        let Some(output) = on_ranks(ranks, &args) else { continue };
        assert_eq!(text(&output.stdout), alone, "{ranks} ranks");
    }
    let (_, pieces, _) = run(&[&args[..], &["--piece-bytes", "1"]].concat());
    assert_eq!(pieces, alone, "pieces");
    let (_, threads, _) = run(&[&["--threads", "2"], &args[..]].concat());
    assert_eq!(threads, alone, "threads");
}

#[test]
fn several_ranks_in_one_location_group_are_ranks() {
    let Some(trace) = fault("ranks-in-one-group/two-ranks/traces.otf2") else { return };
    let trace = trace.to_str().expect("text");
    let report = json("match", trace, &[]);
    assert_eq!(report["collectives"][0]["complete"], 1, "{report}");
    let (code, out, _) = run(&["waitstates", "-q", trace]);
    assert_eq!(code, 0);
    assert!(out.contains("300.0 ns"), "{out}");
}

#[test]
fn an_inner_visit_with_a_time_is_the_outermost_one() {
    let Some(trace) = fault("exclusive-without-inclusive/trace/traces.otf2") else { return };
    let report = json("profile", trace.to_str().expect("text"), &[]);
    let solve =
        report["regions"].as_array().expect("rows").iter().find(|row| row["name"] == "solve");
    let solve = solve.expect("a row");
    assert_eq!((&solve["outer"], &solve["inclusive"]), (&5000.into(), &5000.into()), "{solve}");
}

/// Whatever the trace: no region has more exclusive than inclusive time.
#[test]
fn inclusive_time_is_never_less_than_exclusive_time() {
    let Some(folder) = fault("") else { return };
    for fault in std::fs::read_dir(folder).expect("a folder") {
        let folder = fault.expect("an entry").path().join("trace");
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        let files = entries.map(|entry| entry.expect("an entry").path());
        for anchor in files.filter(|file| file.extension().is_some_and(|end| end == "otf2")) {
            let (code, out, _) =
                run(&["profile", "-q", "--format", "json", anchor.to_str().expect("text")]);
            if code == 2 {
                continue;
            }
            let report: Value = serde_json::from_str(&out).expect("JSON");
            for list in ["regions", "paths"] {
                for row in report[list].as_array().expect("rows") {
                    let ticks = |name: &str| row[name].as_u64().unwrap_or(0);
                    assert!(ticks("inclusive") >= ticks("exclusive"), "{row}");
                    if list == "regions" {
                        assert!(
                            ticks("outer") >= ticks("exclusive") || ticks("outer") > 0,
                            "{row}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn a_record_may_end_after_some_of_its_newer_fields() {
    let Some(trace) = fault("short-region-record/trace/TestTrace.otf2") else { return };
    let (code, out, err) =
        run(&["profile", "-q", "--format", "json", trace.to_str().expect("text")]);
    assert!(code != 2, "{err}");
    let report: Value = serde_json::from_str(&out).expect("JSON");
    let roles: Vec<&Value> =
        report["regions"].as_array().expect("rows").iter().map(|row| &row["name"]).collect();
    assert!(roles.iter().any(|name| *name == "MPI_Send"), "{roles:?}");
}

#[test]
fn a_whole_file_with_fewer_events_than_its_definition_says_lost_none() {
    let Some(trace) = fault("declared-more-events/trace/traces.otf2") else { return };
    let trace = trace.to_str().expect("text");
    for command in ["profile", "match", "waitstates"] {
        let (code, _, err) = run(&[command, "-q", trace]);
        assert_eq!((code, err.as_str()), (0, ""), "{command}");
    }
    let (code, out, _) = run(&["validate", trace]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("event-count"), "{out}");
}

#[test]
fn times_count_from_the_first_event_where_the_declared_begin_is_absurd() {
    let Some(trace) = fault("wrong-clock-begin/trace/traces.otf2") else { return };
    let trace = trace.to_str().expect("text");
    let all = json("profile", trace, &[])["total"]["events"].as_u64().expect("a count");
    let first = json("profile", trace, &["--time", "first+0s", "end"]);
    assert_eq!(first["total"]["events"], all);
    let (_, _, err) = run(&["profile", trace, "--time", "0s", "5ms"]);
    assert!(err.contains("first+"), "{err}");
    let begin = &["--clock-begin", "336815537440826", "--time", "0s", "end"];
    assert_eq!(json("profile", trace, begin)["total"]["events"], all);
}

#[test]
fn ticks_a_second_are_those_that_were_given() {
    let trace = crate::common::archives::one("pingpong").anchor;
    let trace = trace.to_str().expect("text");
    let as_said = json("profile", trace, &[]);
    let given = ["--ticks-per-second", "1000"];
    let other = json("profile", trace, &given);
    assert_eq!(other["units"]["ticks_per_second"], 1000);
    let options = other["provenance"]["options"].to_string();
    assert!(options.contains("ticks-per-second") && options.contains("1000"), "{options}");
    // Ticks are the same; rates a second are not.
    let ticks = |report: &Value| {
        let mut paths = report["paths"].as_array().expect("paths").clone();
        for path in &mut paths {
            path.as_object_mut().expect("a path").remove("derived");
        }
        paths
    };
    assert_eq!(ticks(&other), ticks(&as_said));
    for command in ["match", "waitstates"] {
        let report = json(command, trace, &given);
        assert_eq!(report["provenance"]["timer_resolution"], 1000, "{command}");
    }
    let (code, _, err) = run(&["profile", trace, "--ticks-per-second", "0"]);
    assert_eq!(code, 1, "{err}");
}

#[test]
fn a_renamed_anchor_is_told() {
    let Some(trace) = fault("renamed-anchor/trace/my run 1.otf2") else { return };
    let (code, _, err) = run(&["profile", trace.to_str().expect("text")]);
    assert_eq!(code, 2);
    assert!(err.contains("call it traces.otf2"), "{err}");
    assert!(!err.contains("salvage"), "{err}");
}

#[test]
fn a_tolerant_leave_ends_the_innermost_visit() {
    let Some(trace) = fault("renamed-tasks/trace/traces.otf2") else { return };
    let trace = trace.to_str().expect("text");
    let (_, _, err) = run(&["profile", "-q", trace]);
    assert!(err.contains("--tolerant"), "{err}");
    let report = json("profile", trace, &["--tolerant"]);
    let tick = report["units"]["ticks_per_second"].as_u64().expect("a number") / 10_000_000;
    let expected = [
        ("hpx_main".to_owned(), 0, 4, 34 * tick, 34 * tick),
        ("eval".to_owned(), 0, 2, 12 * tick, 12 * tick),
    ];
    assert_eq!(paths(&report), expected);
    assert!(oddity(&report, "renamed") > 0);
    assert_eq!(oddity(&report, "crossed") + oddity(&report, "unmatched"), 0);
    same_everywhere(trace, &["--tolerant"]);
    let window = json("profile", trace, &["--tolerant", "--time", "begin", "end"]);
    assert_eq!(paths(&window), paths(&report));
}

#[test]
fn a_leave_and_its_enter_behind_it_are_a_visit_without_duration() {
    let Some(trace) = fault("zero-length-leave-first/trace/traces.otf2") else { return };
    let trace = trace.to_str().expect("text");
    let report = json("profile", trace, &[]);
    let all = paths(&report);
    let mark = all.iter().find(|(name, ..)| name == "roctxMark").expect("a path");
    assert_eq!((mark.1, mark.2, mark.3), (0, 1, 0), "{all:?}");
    let launch = all.iter().find(|(name, ..)| name == "hipLaunchKernel").expect("a path");
    assert_eq!(launch.1, 0, "beside it: {all:?}");
    assert_eq!(oddity(&report, "instants"), 1);
    assert_eq!(oddity(&report, "unmatched") + oddity(&report, "open"), 0);
    same_everywhere(trace, &[]);
}

/// Time, region, and whether it is entered.
type Visits = [(u64, u32, bool)];

fn archive(visits: &Visits) -> Written {
    let definitions = (0..9).fold(Definitions::new(Order::Little), |definitions, region| {
        let name = definitions.string(10 + region, &format!("f{region}"));
        let payload =
            name.bytes.payload().c(region).c(10 + region).c(0).raw(&[1]).c(0).c(region).c(region);
        let payload = payload.c(10 + region).raw(&[1, 1]).c(0);
        name.record(15, payload)
    });
    let definitions = definitions.location(0, 0);
    let mut last = u64::MAX;
    let events = visits.iter().fold(Bytes::new(Order::Little).header(), |events, visit| {
        let (time, region, enters) = *visit;
        let events = if time == last { events } else { events.time(time) };
        last = time;
        if enters {
            events.enter(region.into())
        } else {
            events.leave(region.into())
        }
    });
    let files = Files { events: Some(events.end().bytes), definitions: None };
    Small::with(Order::Little, definitions, vec![files]).write()
}

fn paths_of(visits: &Visits) -> (Vec<Path>, Value) {
    let written = archive(visits);
    let anchor = written.anchor();
    let anchor = anchor.to_str().expect("text");
    let report = json("profile", anchor, &[]);
    same_everywhere(anchor, &[]);
    (paths(&report), report)
}

const IN: bool = true;
const OUT: bool = false;

#[test]
fn visits_that_begin_at_one_time_are_nested_as_their_leaves_say() {
    let right = [
        (100, 0, IN),
        (110, 1, IN),
        (110, 2, IN),
        (110, 3, IN),
        (112, 4, IN),
        (113, 4, OUT),
        (120, 3, OUT),
        (125, 2, OUT),
        (130, 1, OUT),
        (140, 0, OUT),
    ];
    let (expected, _) = paths_of(&right);
    for order in [[1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]] {
        let mut wrong = right;
        for (at, region) in order.iter().enumerate() {
            wrong[1 + at].1 = *region;
        }
        let (found, report) = paths_of(&wrong);
        assert_eq!(found, expected, "{order:?}");
        assert!(oddity(&report, "reordered") >= 2);
        assert_eq!(oddity(&report, "crossed") + oddity(&report, "unmatched"), 0);
    }
}

#[test]
fn visits_that_end_at_one_time_end_from_the_inside() {
    let right = [
        (100, 0, IN),
        (110, 1, IN),
        (112, 2, IN),
        (113, 3, IN),
        (120, 3, OUT),
        (120, 2, OUT),
        (120, 1, OUT),
        (140, 0, OUT),
    ];
    let (expected, _) = paths_of(&right);
    for order in [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2]] {
        let mut wrong = right;
        for (at, region) in order.iter().enumerate() {
            wrong[4 + at].1 = *region;
        }
        let (found, _) = paths_of(&wrong);
        assert_eq!(found, expected, "{order:?}");
    }
}

/// A visit that outlives the one around it ends with its own leave.
#[test]
fn a_dropped_visit_ends_with_its_own_leave() {
    let visits = [
        (100, 0, IN),
        (110, 1, IN),
        (115, 2, IN),
        (130, 1, OUT),
        (150, 2, OUT),
        (160, 3, IN),
        (165, 3, OUT),
        (170, 0, OUT),
    ];
    let (found, report) = paths_of(&visits);
    let path =
        |name: &str, depth, inclusive, exclusive| (name.to_owned(), depth, 1, inclusive, exclusive);
    let expected =
        [path("f0", 0, 70, 25), path("f1", 1, 20, 5), path("f2", 2, 35, 35), path("f3", 1, 5, 5)];
    assert_eq!(found, expected);
    assert_eq!((oddity(&report, "late"), oddity(&report, "unmatched")), (1, 0));
    assert_eq!(report["total"]["exclusive"], 70);
}

/// Visits without duration at one time, two of them, and one inside of a visit.
#[test]
fn several_visits_without_duration_at_one_time() {
    let visits = [
        (100, 0, IN),
        (110, 1, OUT),
        (110, 2, OUT),
        (110, 1, IN),
        (110, 2, IN),
        (120, 3, IN),
        (125, 3, OUT),
        (140, 0, OUT),
    ];
    let (found, report) = paths_of(&visits);
    let path =
        |name: &str, depth, inclusive, exclusive| (name.to_owned(), depth, 1, inclusive, exclusive);
    let mut expected =
        vec![path("f0", 0, 40, 35), path("f3", 1, 5, 5), path("f1", 1, 0, 0), path("f2", 1, 0, 0)];
    expected.sort();
    let mut found = found;
    found.sort();
    assert_eq!(found, expected);
    assert_eq!(oddity(&report, "instants"), 2);
}

/// A stream of visits that are nested, with few different times.
fn nested() -> impl Strategy<Value = Vec<(u64, u32, bool)>> {
    prop::collection::vec((0..9u32, 0..3u64, any::<bool>()), 1..60).prop_map(|steps| {
        let (mut time, mut open, mut visits) = (100, Vec::<u32>::new(), Vec::new());
        for (region, ticks, leaves) in steps {
            time += ticks / 2;
            if leaves && !open.is_empty() {
                visits.extend(open.pop().map(|region| (time, region, OUT)));
            } else if !open.contains(&region) {
                open.push(region);
                visits.push((time, region, IN));
            }
        }
        while let Some(region) = open.pop() {
            time += 1;
            visits.push((time, region, OUT));
        }
        visits
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Whatever the order of enters that follow each other at one time, what they are inside of shows by their leaves.
    #[test]
    fn any_order_of_enters_at_one_time_gives_the_same_profile(right in nested(), seed in any::<u64>()) {
        let mut wrong = right.clone();
        let (mut at, mut seed) = (0, seed);
        while at < wrong.len() {
            let length = wrong[at..].iter().take_while(|visit| visit.2 && visit.0 == wrong[at].0).count();
            for last in (1..length).rev() {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let other = (seed >> 33) as usize % (last + 1);
                let (a, b) = (wrong[at + last].1, wrong[at + other].1);
                (wrong[at + last].1, wrong[at + other].1) = (b, a);
            }
            at += length.max(1);
        }
        let (right, wrong) = (archive(&right), archive(&wrong));
        let of = |written: &Written| paths(&json("profile", written.anchor().to_str().expect("text"), &[]));
        prop_assert_eq!(of(&wrong), of(&right));
    }
}

/// Whether call paths are kept never shows where rows need none.
#[test]
fn rows_by_region_are_the_same_whether_call_paths_are_kept() {
    let mut seed = 1u64;
    let mut next = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % below
    };
    let (mut time, mut open, mut visits) = (100, Vec::new(), Vec::new());
    for _ in 0..4000 {
        time += next(3);
        match open.pop() {
            Some(region) if next(20) < open.len() as u64 => visits.push((time, region, OUT)),
            top => {
                open.extend(top);
                let region = next(9) as u32;
                open.push(region);
                visits.push((time, region, IN));
            }
        }
    }
    while let Some(region) = open.pop() {
        time += 1;
        visits.push((time, region, OUT));
    }
    let written = archive(&visits);
    let anchor = written.anchor();
    let anchor = anchor.to_str().expect("text");
    let paths = json("profile", anchor, &[])["paths"].as_array().expect("paths").len();
    assert!(paths > 1000, "{paths}");
    for by in ["region", "location", "group"] {
        let csv = |options: &[&str]| {
            let all = ["profile", "-q", "--format", "csv", "--by", by, anchor];
            let (code, out, err) = run(&[&all, options].concat());
            assert_eq!(code, 0, "{err}");
            out
        };
        let expected = csv(&[]);
        for kept in ["1", "2", "20", "500"] {
            assert_eq!(csv(&["--most-paths", kept]), expected, "{by} {kept}");
            assert_eq!(csv(&["--most-paths", kept, "--piece-bytes", "1"]), expected, "{by} {kept}");
            let window = ["--time", "begin", "1000"];
            let windowed = csv(&window);
            assert_eq!(
                csv(&[&window, &["--most-paths", kept][..]].concat()),
                windowed,
                "{by} {kept}"
            );
        }
    }
}
