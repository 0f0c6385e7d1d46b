//! Call paths across threads and below the program: `--thread-tree`, `--program-root`. By hand, and
//! broken in every way that was thought of; `measured_profile` compares real runs.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;

use proptest::prelude::*;
use serde_json::Value;
use streamfold::collective::Solo;
use streamfold::drive::select::Plan;
use streamfold::drive::{self, Progress, Scanning, TraceForkStreams};
use streamfold::formats::otf2::ReadOptions;
use streamfold::kernels::profile::{Profile, ProfileKernel, ThreadTreeKernel};

use super::run::report;
use super::windows::check_sum_of;
use crate::common::program::{said, streamfold, text};
use crate::common::small::{Bytes, Definitions, Files, Order, Small, Written};

const LITTLE: Order = Order::Little;

#[derive(Clone, Copy, Debug)]
enum Event {
    Enter(u64),
    Leave(u64),
    Fork,
    Join,
    Begin(u64),
    End(u64),
    /// With one argument, by its string.
    Program(u64),
    ProgramEnd,
    Send,
    /// Of team 0.
    Switch(u64),
    /// The counter has this value, at the time of the event before.
    Counter(u64),
}

use Event::*;

/// 10 ticks after each other.
fn events(all: &[Event]) -> Vec<u8> {
    let mut bytes = Bytes::new(LITTLE).header();
    for (event, time) in all.iter().zip((100..).step_by(10)) {
        let payload = Bytes::new(LITTLE);
        bytes = match *event {
            Counter(_) => bytes,
            _ => bytes.time(time),
        };
        bytes = match *event {
            Enter(region) => bytes.enter(region),
            Leave(region) => bytes.leave(region),
            Fork => bytes.record(53, payload.raw(&[OPENMP]).c(3)),
            Join => bytes.record(54, payload.raw(&[OPENMP])),
            Begin(team) => bytes.record(55, payload.c(team)),
            End(team) => bytes.record(56, payload.c(team)),
            Switch(generation) => bytes.record(60, payload.c(0).c(0).c(generation)),
            Program(argument) => bytes.record(83, payload.c(10).c(1).c(argument)),
            ProgramEnd => bytes.record(84, payload.c(0)),
            Send => bytes.record(14, payload.c(0).c(0).c(0).c(8)),
            Counter(value) => bytes.record(31, payload.c(0).raw(&[1, UINT64]).c(value)),
        };
    }
    bytes.end().bytes
}

const OPENMP: u8 = 3;
const COMM_LOCATIONS: u8 = 4;
const COMM_GROUP: u8 = 5;
const ARTIFICIAL: u8 = 31;
const MEASUREMENT_SYSTEM: u8 = 6;
const ACCUMULATED_START: u8 = 0;
const UINT64: u8 = 4;
const SYNCHRONOUS: u8 = 1;

fn group(id: u64, kind: u8, members: &[u64]) -> Bytes {
    let start = Bytes::new(LITTLE).c(id).c(0).raw(&[0]).c(members.len() as u64);
    members.iter().fold(start, |bytes, member| bytes.c(*member)).raw(&[kind, OPENMP]).c(0)
}

fn team(id: u64, group: u64) -> Bytes {
    Bytes::new(LITTLE).c(id).c(0).c(group).c(u64::from(u32::MAX)).c(0)
}

/// The regions 0 main, 1 par, 2 inner, 3 other, 5 the program; the locations 0 to 2; the teams 0, 1
/// and 2, which the location of that number forks, 3, of no defined group, and 4, which location 0 forks;
/// a counter.
fn definitions() -> Definitions {
    let names = ["main", "par", "inner", "other", "", "short", "prog", "-x"];
    let all = Definitions::new(LITTLE);
    let all = (4..).zip(names).fold(all, |all, (id, name)| all.string(id, name));
    let all = all.string(12, "prog -x").string(13, "counter");
    let member = Bytes::new(LITTLE).c(0).c(13).c(0).raw(&[0, ACCUMULATED_START, UINT64, 1]);
    let all = all.record(19, member.c(0).c(0));
    let all = all.record(20, Bytes::new(LITTLE).c(0).raw(&[1]).c(0).raw(&[SYNCHRONOUS, 2]));
    let region = |id: u64, name: u64, canonical: u64, role: u8, paradigm: u8| {
        let start = Bytes::new(LITTLE).c(id).c(name).c(0).raw(&[1]).c(0).c(0).c(0);
        start.c(canonical).raw(&[role, paradigm]).c(0)
    };
    let all = (0..4).fold(all, |all, id| all.record(15, region(id, id + 4, id + 4, 1, 1)));
    let all = all.record(15, region(5, 9, 12, ARTIFICIAL, MEASUREMENT_SYSTEM));
    let all = (0..3).fold(all, |all, id| all.location(id, 0));
    let all = all.record(18, group(0, COMM_LOCATIONS, &[0, 1, 2]));
    let all = (0..3).fold(all, |all, id| {
        all.record(18, group(id + 1, COMM_GROUP, &[id, (id + 1) % 3, (id + 2) % 3]))
            .record(22, team(id, id + 1))
    });
    all.record(22, team(3, 77)).record(22, team(4, 1))
}

fn archive(locations: [&[Event]; 3]) -> Written {
    let files = locations.map(|all| Files { events: Some(events(all)), definitions: None });
    Small::with(LITTLE, definitions(), files.into()).write()
}

const BOTH: [&str; 2] = ["--thread-tree", "--program-root"];

/// Each call path with its row.
fn named_paths(report: &Value) -> impl Iterator<Item = (String, &Value)> {
    let rows = report["paths"].as_array().expect("rows");
    let mut names: Vec<String> = Vec::new();
    for row in rows {
        let name = row["name"].as_str().expect("a name");
        names.push(match row["parent"].as_u64() {
            Some(parent) => format!("{} > {name}", names[parent as usize]),
            None => name.to_owned(),
        });
    }
    names.into_iter().zip(rows)
}

/// Each call path with its visits, inclusive and exclusive time; sorted.
fn paths(report: &Value) -> Vec<String> {
    let line = |(name, row): (String, &Value)| {
        format!("{name}: {} {} {}", row["visits"], row["inclusive"], row["exclusive"])
    };
    let mut lines: Vec<_> = named_paths(report).map(line).collect();
    lines.sort();
    lines
}

/// Each call path with differences of the counter, inclusive and exclusive; sorted.
fn counters(report: &Value) -> Vec<String> {
    let line = |(name, row): (String, &Value)| {
        let sum = |part: &str| row["metrics"][0][part]["sum"].as_i64();
        Some(format!("{name}: {} {}", sum("inclusive")?, sum("exclusive")?))
    };
    let mut lines: Vec<_> = named_paths(report).filter_map(line).collect();
    lines.sort();
    lines
}

/// The counters that are not zero.
fn counts(report: &Value) -> Vec<String> {
    let counts = report["threads"].as_object().into_iter().flatten();
    counts.filter(|(_, n)| **n != 0).map(|(name, n)| format!("{name} {n}")).collect()
}

fn sorted<const N: usize>(names: [&str; N]) -> Vec<String> {
    let mut names = names.map(str::to_owned).to_vec();
    names.sort();
    names
}

/// A team within a team.
fn nested() -> Written {
    archive([
        &[
            Program(11),
            Enter(0),
            Fork,
            Begin(0),
            Enter(1),
            Leave(1),
            End(0),
            Join,
            Leave(0),
            ProgramEnd,
        ],
        &[
            Begin(0),
            Enter(1),
            Fork,
            Begin(1),
            Enter(2),
            Leave(2),
            End(1),
            Join,
            Leave(1),
            End(0),
            Send,
        ],
        &[Begin(1), Enter(2), Leave(2), End(1)],
    ])
}

#[test]
fn teams_hang_below_forks() {
    let written = nested();
    let (found, code) = report(&written.anchor(), &BOTH);
    assert_eq!(
        paths(&found),
        [
            "short > main > par > inner: 2 20 20",
            "short > main > par: 2 80 70",
            "short > main: 1 70 60",
            "short: 1 90 20",
        ]
    );
    assert_eq!(counts(&found), ["forks 2", "teams 2", "programs 1"].map(str::to_owned));
    assert_eq!(code, 0);
    // Nothing is open after the team has ended.
    assert_eq!(found["total"]["outside_regions"]["sent"], 1);

    let (found, _) = report(&written.anchor(), &["--thread-tree"]);
    assert_eq!(
        paths(&found),
        ["main > par > inner: 2 20 20", "main > par: 2 80 70", "main: 1 70 60",]
    );
    let (found, _) = report(&written.anchor(), &["--program-root"]);
    assert_eq!(
        paths(&found),
        [
            "inner: 1 10 10",
            "par > inner: 1 10 10",
            "par: 1 70 60",
            "short > main > par: 1 10 10",
            "short > main: 1 70 60",
            "short: 1 90 20",
        ]
    );
    let (found, _) = report(&written.anchor(), &[]);
    assert_eq!(
        paths(&found),
        [
            "inner: 1 10 10",
            "main > par: 1 10 10",
            "main: 1 70 60",
            "par > inner: 1 10 10",
            "par: 1 70 60",
        ]
    );
    assert!(found["threads"].is_null(), "nobody asked");
}

/// Teams hang below the nearest chosen region around their fork, also where that is in a team itself.
#[test]
fn chosen_regions_are_those_of_the_joined_tree() {
    let written = nested();
    let found = |more: &[&str]| paths(&report(&written.anchor(), &[&BOTH, more].concat()).0);
    let without_par = ["short > main > inner: 2 20 20", "short > main: 1 70 70", "short: 1 90 20"];
    assert_eq!(found(&["--exclude", "^par$"]), without_par);
    assert_eq!(found(&["--region", "par|inner"]), ["par > inner: 2 20 20", "par: 2 80 70"]);
    assert_eq!(found(&["--paradigm", "user", "--region", "inner"]), ["inner: 2 20 20"]);
    // One that reads those who fork alone.
    let (alone, _) = report(&written.anchor(), &["--thread-tree", "-L", "2", "--exclude", "par"]);
    assert_eq!(paths(&alone), ["main > inner: 1 10 10", "main: 0 0 0"]);
}

/// Those who fork are read for it, though they do not count.
#[test]
fn a_single_member_of_a_team_hangs_where_it_would() {
    let written = nested();
    let (found, code) = report(&written.anchor(), &["-L", "2", "--thread-tree", "--program-root"]);
    assert_eq!(
        paths(&found),
        [
            "short > main > par > inner: 1 10 10",
            "short > main > par: 0 0 0",
            "short > main: 0 0 0",
            "short: 0 0 0",
        ]
    );
    assert_eq!((code, counts(&found)), (0, vec!["teams 1".to_owned()]));
}

#[test]
fn the_nth_begin_of_a_team_belongs_to_its_nth_fork() {
    let forked = |region| [Enter(region), Fork, Begin(0), End(0), Join, Leave(region)];
    let master = [forked(0), forked(3), forked(0)].concat();
    let team = [Begin(0), Enter(1), Leave(1), End(0)];
    let short = [Begin(0), Enter(1), Enter(2), Leave(2), Leave(1), End(0)];
    let written = archive([&master, &[&team[..], &short, &team].concat(), &team]);
    let (found, _) = report(&written.anchor(), &BOTH);
    assert_eq!(
        paths(&found),
        [
            "main > par: 3 30 30",
            "main: 2 100 100",
            "other > par > inner: 1 10 10",
            "other > par: 1 30 20",
            "other: 1 50 50",
        ]
    );
}

/// A fork that is missing is looked for up to the end of the stream. Those of other teams on the way are found.
#[test]
fn a_begin_without_a_fork_takes_none_from_others() {
    let forked = |team| [Enter(0), Fork, Begin(team), End(team), Join, Leave(0)];
    let other = [Begin(4), End(4)];
    let master = [forked(0), forked(4), forked(0), forked(0)].concat();
    let worker = [&other[..], &other, &TEAM, &TEAM, &other, &TEAM].concat();
    let written = archive([&master, &worker, &TEAM]);
    let (found, _) = report(&written.anchor(), &["--thread-tree"]);
    assert_eq!(paths(&found), ["main > par: 4 40 40", "main: 4 200 200"]);
    assert_eq!(counts(&found), ["forks 4", "teams 7", "teams_without_fork 2"].map(str::to_owned));
    assert_eq!(by_library(&written.anchor(), true), by_library(&written.anchor(), false));
}

/// As the time there does. Those of tasks with nothing open are the location's, as everywhere.
#[test]
fn operations_with_nothing_open_in_a_team_are_those_of_what_is_open_around_it() {
    let before = [Enter(3), Begin(0), Send, Begin(1), Send, End(1), Enter(1), Send, Leave(1)];
    let after = [Switch(1), Send, Send, Switch(0), Send, End(0), Send, Leave(3), Send];
    let worker = [&before[..], &after].concat();
    let master = [Enter(0), Fork, Begin(0), End(0), Join, Leave(0)];
    let other = [Fork, Begin(1), End(1), Join];
    let sent = |worker: &[Event], in_third: &[Event]| {
        let (found, _) = report(&archive([&master, worker, in_third]).anchor(), &["--thread-tree"]);
        let rows = named_paths(&found).map(|(name, row)| format!("{name}: {}", row["sent"]));
        let rows = rows.filter(|row| !row.ends_with(": 0")).collect::<BTreeSet<_>>();
        (rows, found["total"]["outside_regions"]["sent"].as_u64())
    };
    let expected = ["main > par: 1", "other: 4"].map(str::to_owned).into();
    assert_eq!(sent(&worker, &[]), (expected, Some(3)));
    // In a team within a team, whose forks others have.
    let third = [Enter(3), Begin(0), Begin(1), Send, Enter(2), Leave(2), End(1), End(0), Leave(3)];
    assert_eq!(sent(&other, &third), (["other: 1".to_owned()].into(), Some(0)));
}

/// What is open around a team keeps its time, and none of that in the team is its own.
#[test]
fn time_in_a_team_is_none_of_what_is_open_around_it() {
    let worker = [Enter(3), Begin(0), Enter(1), Leave(1), Enter(1), Leave(1), End(0), Leave(3)];
    let written = archive([&[Enter(0), Fork, Begin(0), End(0), Join, Leave(0)], &worker, &[]]);
    let (found, _) = report(&written.anchor(), &BOTH);
    assert_eq!(paths(&found), ["main > par: 2 20 20", "main: 1 50 50", "other: 1 70 50"]);
    assert_eq!(found["oddities"]["open"], 0);
}

/// A team goes on whatever its tasks do.
#[test]
fn tasks_of_a_member_interrupt_what_it_does_in_the_team() {
    let worker = [Begin(0), Enter(1), Switch(1), Enter(2), Leave(2), Switch(0), Leave(1), End(0)];
    let written = archive([&[Enter(0), Fork, Begin(0), End(0), Join, Leave(0)], &worker, &[]]);
    let (found, _) = report(&written.anchor(), &BOTH);
    assert_eq!(
        paths(&found),
        sorted([
            "main > par > (task: inner): 1 30 20",
            "main > par: 1 50 20",
            "main: 1 50 50",
            "(tasks): 0 0 0",
            "(tasks) > inner: 1 10 10",
        ])
    );
}

/// As it is with time.
#[test]
fn counters_in_a_team_count_for_what_is_open_around_it() {
    let before = [Counter(100), Enter(3), Begin(0), Counter(103), Enter(1), Counter(105), Enter(2)];
    let after = [Counter(108), Leave(2), Counter(110), Leave(1), Counter(112), Enter(1)];
    let end = [Counter(117), Leave(1), End(0), Counter(118), Leave(3)];
    let worker = [&before[..], &after, &end].concat();
    let written = archive([&[Enter(0), Fork, Begin(0), End(0), Join, Leave(0)], &worker, &[]]);
    let (found, code) = report(&written.anchor(), &BOTH);
    assert_eq!(counters(&found), ["main > par > inner: 3 3", "main > par: 12 9", "other: 18 6"]);
    assert_eq!(code, 0);
    let (found, _) = report(&written.anchor(), &[]);
    assert_eq!(counters(&found), ["other > par > inner: 3 3", "other > par: 12 9", "other: 18 6"]);
}

/// A value right behind the end of the team is that which the task had in it.
#[test]
fn counters_of_a_task_that_runs_at_the_end_of_a_team() {
    let task = [Switch(1), Counter(1), Enter(2), Counter(5), Leave(2)];
    let before = [Counter(0), Enter(3), Begin(0)];
    let after = [End(0), Counter(8), Leave(3)];
    let worker = [&before[..], &task, &after].concat();
    let written = archive([&[Enter(0), Fork, Begin(0), End(0), Join, Leave(0)], &worker, &[]]);
    let (found, _) = report(&written.anchor(), &BOTH);
    assert_eq!(
        counters(&found),
        sorted(["(tasks) > inner: 4 4", "main > (task: inner): 7 3", "other: 8 1"])
    );
}

/// Nobody knows what the counter was at the switch.
#[test]
fn a_counter_whose_first_record_is_in_a_task_says_nothing_of_the_stretch() {
    let task = [Switch(1), Send, Counter(5), Enter(1), Counter(9), Leave(1)];
    let end = [Counter(12), Enter(2), Counter(15), Leave(2), Switch(0), Leave(0)];
    let written = archive([&[&[Enter(0)], &task[..], &end].concat(), &[], &[]]);
    for options in [&[][..], &["--time", "begin", "end"]] {
        let (found, _) = report(&written.anchor(), options);
        assert_eq!(counters(&found), sorted(["(tasks) > par: 4 4", "(tasks) > inner: 3 3"]));
    }
    // At the time of the switch, and before it.
    let known = [Switch(1), Counter(5), Enter(1), Counter(9), Leave(1), Switch(0), Leave(0)];
    let early = [Send, Counter(5), Enter(0), Switch(1), Send, Counter(9), Enter(1), Switch(0)];
    for (events, own) in [([&[Enter(0)], &known[..]].concat(), 0), (early.to_vec(), 4)] {
        let (found, _) = report(&archive([&events, &[], &[]]).anchor(), &[]);
        let stretch = format!("main > (task: par): 4 {own}");
        assert!(counters(&found).contains(&stretch), "{:?}", counters(&found));
    }
}

/// A task is there that entered no region.
#[test]
fn tasks_have_a_row_in_windows_in_which_one_ran() {
    let written = archive([&[Enter(0), Switch(1), Switch(0), Leave(0)], &[], &[]]);
    let found = |options: &[&str]| paths(&report(&written.anchor(), options).0);
    let whole = found(&[]);
    assert!(whole.contains(&"(tasks): 0 0 0".to_owned()), "{whole:?}");
    assert_eq!(found(&["--time", "begin", "end"]), whole);
    assert_eq!(found(&["--time", "115", "116"])[0], "(tasks): 0 0 0");
    for window in [["begin", "105"], ["125", "end"]] {
        assert_eq!(found(&["--time", window[0], window[1]]).len(), 1, "{window:?}");
    }
}

/// Any of them, most often such as those of a program.
fn any_events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        6 => (0u64..4).prop_map(Enter),
        5 => (0u64..4).prop_map(Leave),
        2 => Just(Fork),
        1 => Just(Join),
        3 => (0u64..4).prop_map(Begin),
        3 => (0u64..4).prop_map(End),
        2 => (0u64..3).prop_map(Switch),
        1 => Just(Send),
        1 => Just(ProgramEnd),
        1 => Just(Program(11)),
    ];
    prop::collection::vec(event, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::common::cases::cases(300), failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever runs around teams, in them and in tasks where a window begins or ends.
    #[test]
    fn windows_of_teams_add_up(
        locations in [any_events(), any_events(), any_events()],
        parts in prop::collection::btree_set(0u64..1000, 1..4),
    ) {
        let written = archive([&locations[0], &locations[1], &locations[2]]);
        let parts: Vec<u64> = parts.into_iter().collect();
        check_sum_of(&written.anchor(), "teams", &BOTH, &parts);
    }
}

/// Times of the region that is numbered 0 that are not inside of others of it, and what is taken back of these.
fn outer(written: &Written, window: [&str; 2]) -> [Option<u64>; 2] {
    let options = [&BOTH[..], &["--time"], &window].concat();
    let (found, _) = report(&written.anchor(), &options);
    [&found["regions"], &found["taken_back"]["regions"]].map(|rows| {
        let mut rows = rows.as_array()?.iter();
        rows.find(|row| row["region"] == 0)?["outer"].as_u64()
    })
}

/// Begins of many windows, in thousandths of the time.
fn everywhere() -> Vec<u64> {
    (0..1000).step_by(40).collect()
}

/// A dropped visit ends late, in a window behind the end of the visit around it.
#[test]
fn late_visits_are_inside_of_what_ended_in_an_earlier_window() {
    let crossed = [Enter(0), Program(11), Enter(0), ProgramEnd, Leave(0)];
    let late = [Enter(1), Enter(1), Leave(0), Enter(0), Enter(1), Enter(1), Enter(1), Leave(0)];
    let written = archive([&[&crossed[..], &late].concat(), &[Enter(1)], &[Enter(1)]]);
    assert_eq!(outer(&written, ["begin", "end"]), [Some(80), None]);
    assert_eq!(outer(&written, ["begin", "141"])[0], Some(40));
    assert_eq!(outer(&written, ["141", "end"])[0], Some(40));
    check_sum_of(&written.anchor(), "late", &BOTH, &everywhere());
}

/// The member of a team goes on after the visit that forked it, or begins before that, or both are never left.
#[test]
fn windows_of_a_region_in_a_team_below_itself_add_up() {
    let forks = [Enter(0), Fork, Begin(0), End(0), Join, Leave(0)];
    let long = [Begin(0), Enter(0), Enter(1), Leave(1), Enter(2), Leave(2), Enter(0), Leave(0)];
    let ended = [&long[..], &[Leave(0), End(0)]].concat();
    let written = archive([&forks, &ended, &[]]);
    assert_eq!(outer(&written, ["begin", "end"]), [Some(50), None]);
    assert_eq!(outer(&written, ["155", "end"]), [Some(0), None]);
    let late = [&[Send; 9][..], &forks].concat();
    let early = archive([&late, &ended, &[]]);
    assert_eq!(outer(&early, ["begin", "end"]), [Some(50), None]);
    // Nobody knows before the visit around the fork begins.
    assert_eq!(outer(&early, ["begin", "150"]), [Some(40), None]);
    assert_eq!(outer(&early, ["150", "end"]), [Some(50), Some(40)]);
    let open = archive([&late[..13], &long, &[]]);
    for (written, name) in [(&written, "long"), (&early, "early"), (&open, "open")] {
        check_sum_of(&written.anchor(), name, &BOTH, &everywhere());
    }
}

/// Inside of a visit that never ends another one of the region is the outermost with a time. The window that shows it
/// has the time of both.
#[test]
fn a_visit_in_one_without_an_end_is_the_outermost() {
    let written = archive([&[Enter(0), Enter(1), Enter(0), Send, Send, Leave(0)], &[], &[]]);
    assert_eq!(outer(&written, ["begin", "end"]), [Some(30), None]);
    assert_eq!(outer(&written, ["begin", "130"]), [Some(30), None]);
    assert_eq!(outer(&written, ["130", "end"]), [Some(30), Some(30)]);
    check_sum_of(&written.anchor(), "without an end", &[], &everywhere());
}

#[test]
fn programs_without_a_region_are_passed_over() {
    let written = archive([&[Program(10), Enter(0), Leave(0), ProgramEnd], &[ProgramEnd], &[]]);
    let (found, code) = report(&written.anchor(), &BOTH);
    assert_eq!(paths(&found), ["main: 1 10 10"]);
    assert_eq!(counts(&found), ["programs 1", "programs_without_region 1"].map(str::to_owned));
    assert_eq!(code, 0);
}

/// What stands for itself stays in what is open at its location, as by default.
fn expect_broken<const P: usize, const C: usize>(
    locations: [&[Event]; 3],
    expected: [&str; P],
    odd: [&str; C],
) {
    let written = archive(locations);
    let (found, code) = report(&written.anchor(), &["--thread-tree"]);
    assert_eq!(paths(&found), sorted(expected));
    assert_eq!(counts(&found), odd.map(str::to_owned));
    assert_eq!(code, 0, "findings about the program");
    let args = ["profile", "-q", "--thread-tree"].map(AsRef::as_ref);
    let anchor = written.anchor();
    let run = streamfold(args.into_iter().chain([anchor.as_os_str()])).output().expect("a run");
    let table = String::from_utf8_lossy(&run.stdout).into_owned();
    for (counter, says) in [
        ("forks_without_team 1", "1 fork after which no team begins"),
        ("forks_without_join 1", "1 fork that no join follows"),
        ("joins_without_fork 1", "1 join without a fork"),
        ("teams_without_fork 1", "1 begin of a team whose fork was not found"),
        ("undefined_teams 1", "1 begin of a team without a definition"),
        ("teams_without_end 1", "1 begin of a team without an end"),
        ("ends_without_team 1", "1 end of a team without a begin"),
    ] {
        assert_eq!(table.contains(says), odd.contains(&counter), "{counter} in\n{table}");
    }
}

const TEAM: [Event; 4] = [Begin(0), Enter(1), Leave(1), End(0)];

#[test]
fn forks_joins_teams_that_miss_the_others() {
    // A begin more than there are forks.
    expect_broken(
        [&[Enter(0), Fork, Begin(0), End(0), Join, Leave(0)], &[TEAM, TEAM].concat(), &[]],
        ["main: 1 50 50", "main > par: 1 10 10", "par: 1 10 10"],
        ["forks 1", "teams 2", "teams_without_fork 1"],
    );
    // Nobody forks, and the first member begins the team all the same.
    expect_broken([&TEAM, &TEAM, &[]], ["par: 2 20 20"], ["teams 2", "teams_without_fork 2"]);
    // Forks without teams, with and without joins; joins without forks.
    expect_broken(
        [&[Enter(0), Fork, Join, Fork, Leave(0)], &[Join, Enter(1), Leave(1)], &[]],
        ["main: 1 40 40", "par: 1 10 10"],
        ["forks 2", "forks_without_team 2", "forks_without_join 1", "joins_without_fork 1"],
    );
    // Teams that nobody knows.
    let unknown = [Begin(3), Enter(1), Leave(1), End(3), Begin(99), Enter(2), Leave(2), End(99)];
    expect_broken(
        [&[Enter(0), Leave(0)], &unknown, &[]],
        ["main: 1 10 10", "par: 1 10 10", "inner: 1 10 10"],
        ["teams 2", "undefined_teams 2"],
    );
    // Ends without begins, begins without ends.
    let twice = [Fork, Begin(0), End(0), Join, Fork, Begin(0), End(0), Join];
    expect_broken(
        [
            &[&[Enter(0)], &twice[..], &[Leave(0)]].concat(),
            &[End(0), Begin(0), Enter(1), Leave(1), Begin(0), Enter(2), Leave(2), End(0)],
            &[],
        ],
        ["main: 1 90 90", "main > par: 1 10 10", "main > inner: 1 10 10"],
        ["forks 2", "teams 2", "teams_without_end 1", "ends_without_team 1"],
    );
    // At the end of a stream all is open: visits in a team, and the team.
    expect_broken(
        [&[Enter(0), Fork, Begin(0), End(0), Join, Leave(0)], &[Begin(0), Enter(1)], &[]],
        ["main: 1 50 50", "main > par: 1 0 0"],
        ["forks 1", "teams 1", "teams_without_end 1"],
    );
}

/// A visit ends where its region is left, also in a team that began in it and has no end.
#[test]
fn a_leave_of_what_is_open_around_a_team_ends_the_team() {
    let master = [Enter(0), Fork, Begin(0), End(0), Join, Leave(0)];
    let expect = |worker: &[Event], expected: &[&str], odd: [u64; 4]| {
        let written = archive([&master, worker, &[]]);
        let (found, _) = report(&written.anchor(), &BOTH);
        assert_eq!(paths(&found), expected);
        assert_eq!(counts(&found)[..3], ["forks 1", "teams 1", "teams_without_end 1"]);
        let names = ["open", "crossed", "dropped", "unmatched"];
        assert_eq!(names.map(|name| found["oddities"][name].as_u64()), odd.map(Some));
        let (alone, _) = report(&written.anchor(), &["--program-root"]);
        assert_eq!(alone["oddities"], found["oddities"], "what is odd is so without teams, too");
    };
    expect(
        &[Enter(3), Begin(0), Enter(1), Leave(1), Leave(3), Enter(2), Leave(2)],
        &["inner: 1 10 10", "main > par: 1 10 10", "main: 1 50 50", "other: 1 40 30"],
        [0; 4],
    );
    expect(
        &[Enter(3), Enter(3), Begin(0), Enter(1), Leave(3), Enter(2), Leave(2), Leave(3)],
        &[
            "main > par: 1 0 0",
            "main: 1 50 50",
            "other > inner: 1 10 10",
            "other > other: 1 30 30",
            "other: 1 70 30",
        ],
        [0, 1, 1, 0],
    );
    // A program around a team; a leave that is crossed around it, too; one of nothing that is open.
    expect(
        &[Program(11), Enter(3), Begin(0), Enter(1), Leave(2), ProgramEnd],
        &["main > par: 1 0 0", "main: 1 50 50", "short > other: 1 0 0", "short: 1 50 50"],
        [0, 1, 2, 1],
    );
    // A task has nothing around it.
    expect(
        &[Enter(3), Begin(0), Switch(1), Leave(3), Switch(0), Leave(3)],
        &["(tasks): 0 0 0", "main > (task): 1 20 20", "main: 1 50 50", "other: 1 50 30"],
        [0, 0, 0, 1],
    );
}

/// The forks of 1 hang below those of 2, and the other way round.
#[test]
fn teams_that_wait_for_each_other_end() {
    let worker = |own, other| {
        [Begin(other), Enter(1), Fork, Begin(own), Enter(2), Leave(2), End(own), Join, Leave(1)]
    };
    let written = archive([&[], &worker(1, 2), &worker(2, 1)]);
    let (found, code) = report(&written.anchor(), &["--thread-tree"]);
    assert_eq!(code, 0);
    let visits =
        found["regions"].as_array().expect("rows").iter().map(|row| row["visits"].as_u64());
    assert_eq!(visits.collect::<Vec<_>>(), [Some(2), Some(2)]);
    assert_eq!(found["total"]["inclusive"], 160);
    assert_eq!(counts(&found)[1], "teams 2");
}

/// Without the events of those who fork, teams stand for themselves.
#[test]
fn the_stream_of_those_who_fork_is_missing() {
    let written = archive([&[], &TEAM, &TEAM]);
    std::fs::remove_file(written.file("t/0.evt")).expect("removed");
    let (found, code) = report(&written.anchor(), &["--thread-tree"]);
    assert_eq!(paths(&found), ["par: 2 20 20"]);
    assert_eq!(counts(&found), ["teams 2", "teams_without_fork 2"].map(str::to_owned));
    assert_eq!(code, 3, "a stream is lost");
}

/// Many regions forked in turns, by a master whose events do not fit into one piece of its file.
#[test]
fn long_streams_of_forks_are_followed() {
    const FORKS: usize = 30_000;
    let master: Vec<Event> = (0..FORKS)
        .flat_map(|i| {
            let region = if i % 3 == 0 { 0 } else { 3 };
            [Enter(region), Fork, Begin(0), End(0), Join, Leave(region)]
        })
        .collect();
    let worker: Vec<Event> = (0..FORKS)
        .flat_map(|i| {
            let region = if i % 3 == 0 { 1 } else { 2 };
            [Begin(0), Enter(region), Leave(region), End(0)]
        })
        .collect();
    let definitions = definitions();
    let chunk = 8 << 20;
    let files = [&master[..], &worker, &worker[..4000]]
        .map(|all| Files { events: Some(events(all)), definitions: None });
    let mut small = Small::with(LITTLE, definitions, files.into());
    let definitions = self::definitions();
    small.anchor = crate::common::small::anchor_with(
        LITTLE,
        chunk,
        crate::common::small::CHUNK,
        definitions.locations,
        definitions.count,
    );
    let written = small.write();
    let (found, _) = report(&written.anchor(), &["--thread-tree"]);
    assert_eq!(
        paths(&found),
        [
            "main > par: 10334 103340 103340",
            "main: 10000 500000 500000",
            "other > inner: 20666 206660 206660",
            "other: 20000 1000000 1000000",
        ]
    );
    assert_eq!(by_library(&written.anchor(), true), by_library(&written.anchor(), false));
}

/// With forks that are kept or not.
fn by_library(anchor: &Path, forgetful: bool) -> Profile {
    let trace = drive::open(&Solo, anchor, ReadOptions::default()).expect("a trace");
    let plan = Plan::new(&drive::weigh(&Solo, &trace).expect("weights"), 1);
    let masters = TraceForkStreams::new(&trace, &plan, None);
    let kernel = ThreadTreeKernel::new(ProfileKernel::new(&trace.definitions));
    let kernel = kernel.with_fork_streams(&masters);
    let kernel = if forgetful { kernel.forgetful() } else { kernel };
    let progress = Progress::default();
    let workers = 2.try_into().expect("not zero");
    let scanning = Scanning { workers, strict: true, progress: &progress, references: None };
    let folded = drive::scan_uncut(&Solo, &trace, &plan, &kernel, scanning).expect("no losses");
    Profile::new(folded.partial, &trace.definitions).0
}

/// What a run tells and gives: exit code, output, messages.
fn told(anchor: &Path, more: &[&str]) -> (Option<i32>, String, String) {
    let args = ["profile", "-q", "--thread-tree", "--format", "json"].map(AsRef::as_ref);
    let args = args.into_iter().chain(more.iter().map(AsRef::as_ref)).chain([anchor.as_os_str()]);
    let run = streamfold(args).output().expect("a run");
    (run.status.code(), text(&run.stdout), said(&run))
}

/// What cannot be read of those who fork is a loss, once, also where they are not asked for.
#[test]
fn damage_of_those_who_fork_is_told_once() {
    let master = [Enter(0), Fork, Begin(0), End(0), Join, Leave(0)];
    let worker = [Begin(0), Enter(1), Leave(1), End(0)];
    let written = archive([&master, &worker, &worker]);
    let file = written.file("t/0.evt");
    let bytes = std::fs::read(&file).expect("events");
    let (code, _, says) = told(&written.anchor(), &["-L", "1", "-L", "2"]);
    assert_eq!((code, says.as_str()), (Some(0), ""));
    for (cut, lost) in [(Some(2), "ends early"), (Some(30), ""), (Some(15), ""), (None, "No such")]
    {
        match cut {
            Some(cut) => std::fs::write(&file, &bytes[..bytes.len() - cut]).expect("written"),
            None => std::fs::remove_file(&file).expect("removed"),
        }
        for chosen in [&["-L", "1"][..], &["-L", "1", "-L", "2"], &[]] {
            let (code, json, says) = told(&written.anchor(), chosen);
            assert_eq!(code, Some(3), "{says}");
            assert_eq!(says.matches("0.evt: ").count(), 1, "{says}");
            assert!(says.contains(lost) && says.contains(": 1 loss"), "{says}");
            let found: Value = serde_json::from_str(&json).expect("JSON");
            assert_eq!(found["provenance"]["losses"].as_array().map(Vec::len), Some(1), "{json}");
            let (code, json, says) = told(&written.anchor(), &[chosen, &["--strict"]].concat());
            assert_eq!((code, json.as_str()), (Some(2), ""), "{says}");
            assert!(says.contains("0.evt: "), "{says}");
        }
        #[cfg(feature = "ranks")]
        for ranks in [2, 3] {
            let anchor = written.anchor();
            let anchor = anchor.to_str().expect("a path");
            let args = ["profile", "-q", "--thread-tree", "--format", "json", "-L", "1", "-L", "2"];
            let run = |more: &[&str]| {
                crate::common::program::on_ranks(ranks, args.iter().chain(more).chain(&[anchor]))
            };
            let Some(ended) = run(&[]) else { continue };
            let (code, json, _) = told(&written.anchor(), &["-L", "1", "-L", "2"]);
            assert_eq!((ended.status.code(), text(&ended.stdout)), (code, json));
            assert_eq!(said(&ended).matches("0.evt: ").count(), 1, "{}", said(&ended));
            let strict = run(&["--strict"]).expect("on_ranks");
            assert_eq!(strict.status.code(), Some(2), "{}", said(&strict));
        }
    }
}

/// Without `--thread-tree` nobody looks at them.
#[test]
fn damage_of_those_who_fork_is_nothing_to_those_who_do_not_ask() {
    let worker = [Begin(0), Enter(1), Leave(1), End(0)];
    let written = archive([&[], &worker, &worker]);
    std::fs::remove_file(written.file("t/0.evt")).expect("removed");
    let (_, code) = report(&written.anchor(), &["-L", "1"]);
    assert_eq!(code, 0);
}

/// What is told does not depend on how far anybody had to read.
#[test]
fn damage_far_behind_the_last_fork_is_told_however_forks_are_found() {
    let begin = [Enter(0), Fork, Begin(0), End(0), Join, Leave(0)];
    let rest = [Enter(3), Leave(3)].repeat(30_000);
    let worker = [Begin(0), Enter(1), Leave(1), End(0)];
    let files = [&[&begin[..], &rest].concat()[..], &worker, &worker]
        .map(|all| Files { events: Some(events(all)), definitions: None });
    let mut small = Small::with(LITTLE, definitions(), files.into());
    let (locations, count) = (definitions().locations, definitions().count);
    small.anchor = crate::common::small::anchor_with(
        LITTLE,
        8 << 20,
        crate::common::small::CHUNK,
        locations,
        count,
    );
    let events = small.locations[0].events.as_mut().expect("events");
    let whole = events.len();
    events.truncate(whole - 2);
    let written = small.write();
    let losses = |forgetful| {
        let trace = drive::open(&Solo, &written.anchor(), ReadOptions::default()).expect("a trace");
        let mut candidates = drive::weigh(&Solo, &trace).expect("weights");
        candidates.retain(|candidate| candidate.location.0 > 0);
        let plan = Plan::new(&candidates, 1);
        let masters = TraceForkStreams::new(&trace, &plan, None);
        let kernel = ThreadTreeKernel::new(ProfileKernel::new(&trace.definitions));
        let kernel = kernel.with_fork_streams(&masters);
        let kernel = if forgetful { kernel.forgetful() } else { kernel };
        let progress = Progress::default();
        let (workers, strict, progress) = (NonZeroUsize::MIN, true, &progress);
        let scanning = Scanning { workers, strict, progress, references: None };
        let folded = drive::scan_uncut(&Solo, &trace, &plan, &kernel, scanning);
        let mut losses = folded.expect("no losses of their own").losses;
        masters.lose(&Solo, &mut losses, false).expect("one rank");
        losses
    };
    let told = losses(false);
    assert_eq!((told.count, told.first.len()), (1, 1));
    assert!(told.first[0].message.contains("ends early"), "{told:?}");
    assert_eq!(losses(true), told);
}

/// The program with no more than so many files open, of whatever kind; the shell says so, and what
/// it gives.
fn limited(files: usize, args: &[&str], anchor: &Path) -> (Option<i32>, String) {
    let run = format!("ulimit -n {files} && exec \"$@\"");
    let program = env!("CARGO_BIN_EXE_streamfold");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &run, "sh", program, "profile", "-q", "--mpi", "off", "--format", "json"]);
    let ended = command.args(args).arg(anchor).output().expect("a shell");
    (ended.status.code(), text(&ended.stdout))
}

/// Each worker may have two files open: its own stream, and one of those who fork. The streams are
/// longer than what is at hand of them at a time.
#[test]
fn no_more_files_are_open_than_there_may_be() {
    let forked = [Enter(0), Fork, Begin(0), End(0), Join, Leave(0)];
    let worker = [Begin(0), Enter(1), Leave(1), End(0)].repeat(8000);
    let files = [&forked.repeat(8000)[..], &worker, &worker]
        .map(|all| Files { events: Some(events(all)), definitions: None });
    assert!(files.iter().all(|files| files.events.as_ref().is_some_and(|e| e.len() > 300_000)));
    let mut small = Small::with(LITTLE, definitions(), files.into());
    let (locations, count) = (definitions().locations, definitions().count);
    let definition_chunk = crate::common::small::CHUNK;
    small.anchor =
        crate::common::small::anchor_with(LITTLE, 8 << 20, definition_chunk, locations, count);
    let written = small.write();
    let anchor = written.anchor();
    let (code, expected, _) = told(&anchor, &[]);
    assert_eq!(code, Some(0));
    // What it needs besides, and one file.
    let one = ["--threads", "1", "--max-open-files", "1"];
    let enough = |files: &usize| limited(*files, &one, &anchor).0 == Some(0);
    let least = (3..64).find(enough).expect("so many are enough");
    for files in 1..=5 {
        let may = files.to_string();
        let options = ["--thread-tree", "--threads", "4", "--max-open-files", &may];
        let found = limited(least - 1 + files, &options, &anchor);
        assert_eq!(found, (Some(0), expected.clone()), "{files} open files");
    }
}

/// Nouns whose plural is not theirs with an `s`.
#[test]
fn several_of_a_kind_are_told_in_words() {
    let written = archive([&[Enter(0), Leave(0)], &[TEAM, TEAM].concat(), &[End(0), End(0)]]);
    let anchor = written.anchor();
    let mut run = streamfold(["profile", "-q", "--thread-tree"]);
    let run = run.arg(anchor).output().expect("a run");
    let table = String::from_utf8_lossy(&run.stdout).into_owned();
    for says in
        ["\n2 begins of teams whose fork was not found", "\n2 ends of teams without a begin"]
    {
        assert!(table.contains(says), "{table}");
    }
}
