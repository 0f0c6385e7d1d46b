//! Traces of few events whose path is worked out by hand.

use streamfold::model::enums::CollectiveOp as Op;

use super::path::{by_call_path, holds, report, sections};
use crate::common::program::{said, streamfold, text};
use crate::waitstates::events::{
    begin, end, fork, got, join, over, post, recv, send, task_complete, task_create, task_switch,
    team_begin, team_end, NONE,
};
use crate::waitstates::found::number;
use crate::waitstates::trace::Trace;
use crate::waitstates::written::Written;

/// Ten events: the second process waits for a message of the first one.
fn ten_events() -> Trace {
    let mut trace = Trace::of(2);
    let on = trace.on(0).enter(0, "main");
    on.call("MPI_Send", 60, 62, &[(60, send(1))]).leave(80);
    let on = trace.on(10).enter(0, "main");
    on.call("MPI_Recv", 20, 65, &[(64, recv(0))]).leave(100);
    trace
}

fn path(trace: &Trace) -> (Vec<(u64, u64, u64)>, u64) {
    let (report, code) = report(&Written::new(trace).anchor, &[]);
    assert_eq!(code, 0);
    holds(&report, "a trace made by hand");
    let sections = sections(&report).into_iter();
    let sections = sections.map(|(location, begin, end, _)| (location, begin, end));
    (sections.collect(), number(&report, "impossible_edges"))
}

#[test]
fn ten_events_have_the_path_that_the_page_shows() {
    let written = Written::new(&ten_events());
    let (report, _) = report(&written.anchor, &[]);
    let after = |of: &str| of.to_owned();
    let expected = [(0, 0, 60, after("begin")), (10, 60, 100, after("mpi_latesender"))];
    assert_eq!(sections(&report), expected);
    let of = |column| by_call_path(&report, column).into_iter().collect::<Vec<_>>();
    let (main, receive) = (("main".to_owned(), false), ("main > MPI_Recv".to_owned(), false));
    assert_eq!(of("ticks"), [(main.clone(), 95), (receive.clone(), 5)]);
    // The first process is 78 ticks in `main`, the second one 55; it is 45 in MPI_Recv, and waits for 40 of them.
    assert_eq!(of("mean_ticks"), [(main.clone(), 66), (receive.clone(), 2)]);
    assert_eq!(of("imbalance_ticks"), [(main.clone(), 28), (receive.clone(), 2)]);
    // Of the first process 95 - 78 and 5 ticks of the path lack 20, of the second one 95 - 55 ticks lack 40.
    assert_eq!(of("imbalance_impact_ticks"), [(main.clone(), 55), (receive.clone(), 5)]);
    assert_eq!(of("inter_partition_ticks"), [(receive.clone(), 5)]);
    assert_eq!(of("activities_ticks"), [(main, 78 + 55), (receive, 5)]);
    assert_eq!(number(&report, "off_path_ticks"), 2);
    let output = streamfold(["critical", "-q"]).arg(&written.anchor).output().expect("a run");
    let page = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/use/critical.md"));
    let output = text(&output.stdout);
    let answer = output.split_once("\n\n").expect("a heading and an answer").1;
    let answer = answer.split_once("\nThe path by class").expect("a table").0;
    for line in answer.lines().filter(|line| !line.trim().is_empty()) {
        assert!(page.contains(line), "docs/use/critical.md lacks {line:?}\n{answer}");
    }
}

/// The second process has its message before the first one sends it.
#[test]
fn clocks_that_disagree_lead_nowhere_and_are_told() {
    let mut trace = Trace::of(2);
    let on = trace.on(0).enter(0, "main");
    on.call("MPI_Send", 30, 35, &[(31, send(1))]).leave(40);
    let on = trace.on(10).enter(0, "main");
    on.call("MPI_Recv", 10, 20, &[(19, recv(0))]).leave(100);
    assert_eq!(path(&trace), (vec![(10, 0, 100)], 1));
    let written = Written::new(&trace);
    let output = streamfold(["critical", "-q"]).arg(&written.anchor).output().expect("a run");
    assert!(text(&output.stdout).contains("\n1 wait takes no part"), "{}", text(&output.stdout));
}

/// Two processes say that each waited for the other one at the same time.
#[test]
fn a_path_is_no_circle() {
    let mut trace = Trace::of(2);
    for (location, other) in [(0, 1), (10, 0)] {
        let on = trace.on(location).enter(0, "main");
        let on = on.call("MPI_Irecv", 5, 6, &[(5, post(1))]);
        let on = on.call("MPI_Wait", 10, 30, &[(29, got(other, 1))]);
        // The clock of both is wrong: the message that was received is sent later.
        on.call("MPI_Send", 20 + location, 40, &[(20 + location, send(other))]).leave(50);
    }
    let (sections, _) = path(&trace);
    assert!(sections.len() <= 3, "{sections:?}");
}

/// The thread that executes a task in the barrier waits for the last one, too.
#[test]
fn a_wait_with_tasks_in_it_leads_to_the_last_thread() {
    let mut trace = Trace::new(&[2]);
    let team = trace.team(&[0, 1]);
    let on = trace.on(0).enter(0, "main").at(10, fork()).at(10, team_begin(team));
    let on = on.enter(10, "omp parallel").enter(20, "omp implicit barrier");
    let on = on.at(25, task_create(team, 0, 1)).at(25, task_switch(team, 0, 1));
    let on = on.call("omp task", 25, 45, &[]).at(45, task_complete(team, 0, 1));
    let on = on.at(45, task_switch(team, 0, 0)).leave(62).leave(64).at(64, team_end(team));
    on.at(66, join()).leave(90);
    let on = trace.on(1).at(12, team_begin(team)).enter(12, "omp parallel");
    on.enter(60, "omp implicit barrier").leave(62).leave(63).at(63, team_end(team));
    let expected = vec![(0, 0, 10), (1, 10, 60), (0, 60, 90)];
    assert_eq!(path(&trace), (expected, 0));
}

/// The root of a reduce goes on when the latest sender has begun, and members of a broadcast when the root has.
#[test]
fn operations_lead_to_those_that_begin_last() {
    let mut trace = Trace::of(3);
    let times = [(0, 10, 20, 30), (1, 5, 12, 40), (2, 18, 19, 22)];
    for (process, enter, leave, last) in times {
        let root = |op| [(enter, begin()), (leave, end(op, 0, 8, 8))];
        let on = trace.on(process * 10).enter(0, "main");
        let on = on.call("MPI_Reduce", enter, leave, &root(Op::Reduce));
        let begins = [(last, begin()), (50 + process, end(Op::Bcast, 0, 8, 8))];
        on.call("MPI_Bcast", last, 50 + process, &begins).leave(60 + process);
    }
    // From the end of the third process to the begin of the root in the broadcast, and of the third one in the reduce.
    assert_eq!(path(&trace), (vec![(20, 0, 18), (0, 18, 30), (20, 30, 62)], 0));
}

#[test]
fn a_trace_without_events_has_no_path() {
    let written = Written::new(&Trace::of(2));
    let (report, code) = report(&written.anchor, &[]);
    assert_eq!((code, number(&report, "run_ticks"), number(&report, "total_ticks")), (0, 0, 0));
    let output = streamfold(["critical", "-q"]).arg(&written.anchor).output().expect("a run");
    assert!(text(&output.stdout).contains("Nothing was recorded: there is no path."));
}

#[test]
fn one_location_has_its_own_time() {
    let mut trace = Trace::of(1);
    trace.on(0).enter(5, "main").call("foo", 10, 20, &[]).leave(35);
    assert_eq!(path(&trace), (vec![(0, 5, 35)], 0));
    let written = Written::new(&trace);
    let output = streamfold(["critical", "-q"]).arg(&written.anchor).output().expect("a run");
    let said = text(&output.stdout);
    assert!(said.contains("30.00 us, stays on") && !said.contains("mean of all"), "{said}");
}

/// A location that does not wait, and others beside it.
#[test]
fn a_path_without_waits_says_so() {
    let mut trace = Trace::of(2);
    trace.on(0).enter(0, "main").leave(35);
    trace.on(10).enter(20, "main").leave(40);
    assert_eq!(path(&trace), (vec![(10, 0, 40)], 0));
    let written = Written::new(&trace);
    let output = streamfold(["critical", "-q"]).arg(&written.anchor).output().expect("a run");
    let said = text(&output.stdout);
    assert!(said.contains("No wait that is recorded leads from there"), "{said}");
}

/// Communicators that nobody defines have no part in the path.
#[test]
fn losses_are_said_and_strict_ends() {
    let mut trace = ten_events();
    let barrier = [(91, begin()), (92, over(9, end(Op::Barrier, NONE, 0, 0)))];
    trace.on(0).call("MPI_Barrier", 90, 93, &barrier);
    let written = Written::new(&trace);
    let (report, code) = report(&written.anchor, &[]);
    assert_eq!(code, 3);
    holds(&report, "a trace with a loss");
    let losses = report["provenance"]["losses"].to_string();
    assert!(losses.contains("communicators that are not defined"), "{losses}");
    let args = ["critical", "-q", "--strict"];
    let output = streamfold(args).arg(&written.anchor).output().expect("a run");
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(output.stdout.is_empty());
}

/// Windows that follow each other have the whole path together.
#[test]
fn parts_of_the_time_add_up() {
    let written = Written::new(&ten_events());
    let (whole, _) = report(&written.anchor, &[]);
    let mut sum = super::path::ByPath::new();
    for (from, to) in [("0", "61"), ("61", "70"), ("70", "101")] {
        let (part, code) = report(&written.anchor, &["--time", from, to]);
        assert_eq!(code, 0);
        holds(&part, "a part");
        for (path, ticks) in by_call_path(&part, "ticks") {
            *sum.entry(path).or_default() += ticks;
        }
    }
    assert_eq!(sum, by_call_path(&whole, "ticks"));
}
