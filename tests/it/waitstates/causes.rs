//! Who made others wait, and in which call.

use streamfold::model::enums::CollectiveOp as Op;

use crate::waitstates::events::{begin, complete, end, request, NONE};
use crate::waitstates::found::{number, report, rows, text};
use crate::waitstates::trace::Trace;
use crate::waitstates::written::Written;

/// The late location and its call path, of the only wait of a metric.
fn cause(trace: &Trace, metric: &str) -> (u64, String) {
    let (report, code) = report(&Written::new(trace).anchor);
    assert_eq!(code, 0);
    let of_metric = |table| {
        let mut rows = rows(&report, table).iter().filter(|row| text(row, "metric") == metric);
        let row = rows.next().expect("a row");
        assert!(rows.next().is_none(), "{report}");
        row
    };
    let (worst, cause) = (of_metric("worst"), of_metric("causes"));
    let found = (number(cause, "location"), text(cause, "call_path").to_owned());
    let of_worst = (number(worst, "cause_location"), text(worst, "cause_call_path").to_owned());
    assert_eq!(of_worst, found);
    found
}

/// The second process posts late, in `foo`, and completes later, in `bar`: by this thread of it.
fn posted_late(completer: u64) -> Trace {
    let mut t = Trace::new(&[1, 2]);
    let (post, complete) = ([request(1)], [complete(Op::Allreduce, NONE, 8, 8, 1)]);
    let on = t.on(0).enter(0, "main").enter(5, "foo");
    let on = on.call("MPI_Iallreduce", 10, 12, &[(11, post[0])]).leave(15).enter(20, "bar");
    on.call("MPI_Wait", 21, 55, &[(54, complete[0])]).leave(60).leave(100);
    t.on(11).enter(0, "worker");
    let on = t.on(10).enter(0, "main").enter(48, "foo");
    on.call("MPI_Iallreduce", 50, 53, &[(51, post[0])]).leave(56);
    let on = t.on(completer).enter(80, "bar");
    on.call("MPI_Wait", 81, 90, &[(89, complete[0])]).leave(95);
    t
}

#[test]
fn who_posts_late_is_late_where_it_posts() {
    for completer in [10, 11] {
        let found = cause(&posted_late(completer), "mpi_wait_nxn");
        assert_eq!(found, (10, "main > foo > MPI_Iallreduce".to_owned()), "{completer}");
    }
}

#[test]
fn who_blocks_late_is_late_there() {
    let mut t = Trace::of(2);
    for (location, from) in [(0, 10), (10, 50)] {
        let inside = [(from, begin()), (60, end(Op::Allreduce, NONE, 8, 8))];
        let on = t.on(location).enter(0, "main");
        on.call("MPI_Allreduce", from, 60, &inside).leave(100);
    }
    assert_eq!(cause(&t, "mpi_wait_nxn"), (10, "main > MPI_Allreduce".to_owned()));
}
