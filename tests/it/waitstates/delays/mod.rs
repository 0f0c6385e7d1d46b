//! Costs of delays: by hand, against a slow implementation, and sums on every archive.

mod program;
mod slow;

use std::collections::BTreeMap;

use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::Value;
use streamfold::model::enums::CollectiveOp as Op;

use self::program::{program, run, Step};
use self::slow::Costs;
use crate::common::archives::own;
use crate::common::cases::cases;
use crate::common::program::{on_ranks, said, streamfold};
use crate::waitstates::events::{begin, end, fork, join, recv, send, team_begin, team_end, NONE};
use crate::waitstates::found::{number, report_with, rows, text};
use crate::waitstates::trace::Trace;
use crate::waitstates::written::Written;

/// The costs of a report.
fn costs(report: &Value) -> Costs {
    let cost = |row: &Value| {
        let place = (number(row, "location"), text(row, "call_path").to_owned());
        (place, ["delay_direct_ticks", "delay_long_term_ticks"].map(|column| number(row, column)))
    };
    let of = rows(report, "delays").iter().map(cost).collect();
    Costs { of, not_explained: number(report, "delay_not_explained_ticks") }
}

/// Fails where costs and waits do not have the same sum.
fn nothing_is_lost(report: &Value, name: &str) {
    let costs = costs(report);
    let parts = rows(report, "metrics").iter().filter(|row| !row["parent"].is_null());
    let parts: Vec<&str> = parts.map(|row| text(row, "metric")).collect();
    let causes = rows(report, "causes").iter();
    let causes = causes.filter(|row| !parts.contains(&text(row, "metric")));
    let waits: u64 = causes.map(|row| number(row, "ticks")).sum();
    let costs = costs.of.values().flatten().sum::<u64>() + costs.not_explained;
    assert_eq!(costs, waits, "{name}");
}

/// The costs of a trace.
fn of_trace(trace: &Trace) -> Costs {
    let (report, code) = report_with(&Written::new(trace).anchor, &["--delays"]);
    assert_eq!(code, 0);
    nothing_is_lost(&report, "a trace");
    costs(&report)
}

/// Costs by location, call path, and whether they are direct.
fn expected(of: &[(u64, &str, u64, u64)], not_explained: u64) -> Costs {
    let cost = |of: &(u64, &str, u64, u64)| ((of.0, of.1.to_owned()), [of.2, of.3]);
    Costs { of: of.iter().map(cost).collect(), not_explained }
}

/// The receiver waits from 20 to 60; both have been in foo for 10 ticks, and the sender in bar for 40.
fn late_sender() -> Trace {
    let mut t = Trace::of(2);
    let on = t.on(0).enter(0, "main").call("foo", 5, 15, &[]);
    on.call("MPI_Recv", 20, 62, &[(61, recv(1))]).leave(100);
    let on = t.on(10).enter(0, "main").call("foo", 5, 15, &[]).call("bar", 20, 60, &[]);
    on.call("MPI_Send", 60, 61, &[(60, send(0))]).leave(100);
    t
}

#[test]
fn the_code_is_named_that_others_did_not_run() {
    assert_eq!(of_trace(&late_sender()), expected(&[(10, "main > bar", 40, 0)], 0));
}

/// A process computes for 50 ticks, and sends on late; the next one waits and sends on; the last one waits.
fn chain() -> Trace {
    let mut t = Trace::of(3);
    let on = t.on(0).enter(0, "main").call("bar", 0, 50, &[]);
    on.call("MPI_Send", 50, 52, &[(50, send(1))]).leave(100);
    let on = t.on(10).enter(0, "main").call("MPI_Recv", 10, 52, &[(52, recv(0))]);
    let on = on.call("foo", 52, 62, &[]);
    on.call("MPI_Send", 62, 63, &[(62, send(2))]).leave(100);
    t.on(20).enter(0, "main").call("MPI_Recv", 10, 63, &[(63, recv(1))]).leave(100);
    t
}

/// The last wait has 52 ticks: 12 for foo and MPI_Recv of process 1, and 40 for its wait. That passes on 40 to process 0,
/// which made process 1 wait for 40: 50 ticks of bar against 10 of main.
#[test]
fn waits_pass_on_what_they_caused() {
    let costs = of_trace(&chain());
    let of = [(0, "main > bar", 40, 40), (10, "main > foo", 10, 0), (10, "main > MPI_Recv", 2, 0)];
    assert_eq!(costs, expected(&of, 0));
}

/// A worker comes to the barrier late in the second of two loops; the first one counts for nothing.
#[test]
fn a_barrier_of_a_team_ends_what_counts() {
    let mut t = Trace::new(&[2]);
    let team = t.team(&[0, 1]);
    let on = t.on(0).enter(0, "main").at(10, fork()).enter(10, "omp parallel");
    let on = on.at(10, team_begin(team)).call("foo", 10, 30, &[]);
    let on = on.call("omp barrier", 30, 32, &[]).call("bar", 32, 40, &[]);
    let on = on.call("omp implicit barrier", 40, 71, &[]).at(71, team_end(team));
    on.leave(71).at(71, join()).leave(100);
    let on = t.on(1).at(10, team_begin(team)).enter(10, "omp parallel").call("bar", 10, 15, &[]);
    let on = on.call("omp barrier", 15, 32, &[]).call("foo", 32, 70, &[]);
    on.call("omp implicit barrier", 70, 71, &[]).leave(71).at(71, team_end(team));
    let costs = of_trace(&t);
    let sums: BTreeMap<u64, u64> = costs.of.iter().fold(BTreeMap::new(), |mut sums, (of, cost)| {
        *sums.entry(of.0).or_default() += cost[0];
        sums
    });
    assert_eq!(sums, BTreeMap::from([(0, 15), (1, 30)]), "{costs:?}");
    let most = costs.of.iter().max_by_key(|(_, cost)| cost[0]).map(|(of, _)| of.1.clone());
    assert!(most.is_some_and(|most| most.ends_with("foo")), "{costs:?}");
}

/// The first thread computes before it forks late; a worker is slow to begin its region, and comes to the barrier late.
#[test]
fn forks_and_late_begins_have_costs() {
    let mut t = Trace::new(&[2, 1]);
    let team = t.team(&[0, 1]);
    let on = t.on(0).enter(0, "main").at(10, fork()).at(11, team_begin(team));
    let on = on.enter(11, "omp parallel").call("omp implicit barrier", 20, 71, &[]);
    let on = on.leave(71).at(71, team_end(team)).at(71, join());
    on.call("MPI_Recv", 72, 81, &[(81, recv(1))]).leave(100);
    let on = t.on(1).at(60, team_begin(team)).enter(60, "omp parallel");
    on.call("omp implicit barrier", 70, 71, &[]).leave(71).at(71, team_end(team));
    t.on(10).enter(75, "main").call("MPI_Send", 80, 82, &[(80, send(0))]).leave(90);
    let costs = of_trace(&t);
    // The worker: 50 ticks up to its region, of 50 of the wait of the first thread, which had 1 of them, 9 in the region.
    // Process 1: 75 ticks before it began, and 5 in main; the first thread had 11 in main, 72 at the wait.
    let of = [(1, "(fork and join)", 49, 0), (1, "omp parallel", 1, 0), (10, "(outside)", 8, 0)];
    assert_eq!(costs, expected(&of, 0));
}

/// The part of a wait that is in the time that counts.
#[test]
fn only_waits_in_the_time_that_counts_have_costs() {
    let written = Written::new(&late_sender());
    let (report, _) = report_with(&written.anchor, &["--delays", "--time", "0s", "0.00003s"]);
    nothing_is_lost(&report, "a part");
    assert_eq!(costs(&report), expected(&[(10, "main > bar", 10, 0)], 0));
}

fn compare(steps: &[Step], processes: u64) -> Result<(), TestCaseError> {
    let (trace, run) = run(processes, steps);
    let (found, slow) = (of_trace(&trace), run.costs());
    if found == slow {
        return Ok(());
    }
    Err(TestCaseError::fail(format!("\n program {found:?}\n slow    {slow:?}\n{run:?}")))
}

#[test]
fn costs_are_as_the_slow_way_says() {
    for (full, processes, steps) in [(400, 3, 12), (100, 5, 60)] {
        let config = Config { cases: cases(full), failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new(config);
        let ended = runner.run(&program(processes, steps), |steps| compare(&steps, processes));
        if let Err(error) = ended {
            panic!("{error}");
        }
    }
}

#[test]
fn costs_and_waits_have_one_sum() {
    for archive in own() {
        let (report, _) = report_with(&archive.anchor, &["--delays"]);
        nothing_is_lost(&report, &archive.name);
    }
}

/// The same bytes on any number of ranks, and with no memory.
#[test]
fn costs_do_not_depend_on_ranks() {
    let mut t = Trace::of(4);
    for round in 0..30 {
        for process in 0..4 {
            let from = round * 1000 + (process * 37 + round * 91) % 400;
            let inside = [(from, begin()), (round * 1000 + 500, end(Op::Allreduce, NONE, 8, 8))];
            let on = t.on(process * 10).call("foo", round * 1000, from, &[]);
            on.call("MPI_Allreduce", from, round * 1000 + 500, &inside);
        }
    }
    let written = Written::new(&t);
    let args = |more: &[&str]| {
        let anchor = written.anchor.display().to_string();
        let args = ["waitstates", "-q", &anchor, "--delays", "--format", "json"];
        args.iter().chain(more).map(|arg| (*arg).to_owned()).collect::<Vec<_>>()
    };
    let one = streamfold(args(&[])).output().expect("a run");
    assert_eq!(one.status.code(), Some(0), "{}", said(&one));
    let tight = streamfold(args(&["--room", "0"])).output().expect("a run");
    assert_eq!(tight.stdout, one.stdout, "{}", said(&tight));
    for ranks in [2, 3, 5] {
        let Some(several) = on_ranks(ranks, args(&[])) else { return };
        assert_eq!(several.stdout, one.stdout, "{ranks} ranks: {}", said(&several));
    }
}

#[test]
fn the_table_of_delays_has_to_be_asked_for() {
    let written = Written::new(&late_sender());
    let run = |args: &[&str]| {
        let args = ["waitstates", "-q", "--format", "csv", "--table", "delays"].iter().chain(args);
        streamfold(args).arg(&written.anchor).output().expect("a run")
    };
    assert_eq!(run(&[]).status.code(), Some(1));
    let output = run(&["--delays"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let csv = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(csv.contains("10,2,40,0,100,") || csv.contains(",40,0,"), "{csv}");
}

#[test]
fn text_says_what_made_others_wait() {
    let written = Written::new(&chain());
    let args = ["waitstates", "-q", "--delays"];
    let output = streamfold(args).arg(&written.anchor).output().expect("a run");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("What made others wait most is time in `main > bar` on "), "{text}");
    assert!(text.contains("What made others wait direct long-term"), "{text}");
}
