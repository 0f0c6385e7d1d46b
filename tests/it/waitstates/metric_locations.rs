//! Locations of type METRIC, which take no part.

use serde_json::Value;
use streamfold::model::enums::CollectiveOp as Op;
use streamfold::model::enums::Paradigm::Openmp;

use crate::waitstates::events::{acquire, begin, end, fork, put, send, team_begin, NONE};
use crate::waitstates::found::{number, report, rows, waits};
use crate::waitstates::trace::Trace;
use crate::waitstates::written::Written;

/// Two processes that wait for each other.
fn trace() -> Trace {
    let mut t = Trace::of(2);
    t.on(0).call("MPI_Init", 0, 50, &[]).call("MPI_Finalize", 70, 90, &[]);
    t.on(10).call("MPI_Init", 20, 30, &[]).call("MPI_Finalize", 80, 95, &[]);
    t
}

/// Whatever such a location records, everything else is as if it were not there.
#[test]
fn what_they_record_is_not_compared() {
    let without = trace();
    let mut with = trace();
    with.streams.insert(11, Vec::new());
    with.metrics.push(11);
    let team = with.team(&[10, 11]);
    let on = with.on(11).call("MPI_Init", 5, 60, &[]).call("MPI_Send", 61, 62, &[(61, send(0))]);
    let inside = [(63, begin()), (64, end(Op::Barrier, NONE, 0, 0)), (65, put(0))];
    let on = on.call("MPI_Barrier", 63, 66, &inside).at(67, fork()).at(67, team_begin(team));
    let on = on.call("omp parallel", 67, 70, &[(68, acquire(Openmp, 0, 1))]);
    on.call("MPI_Finalize", 71, 99, &[]);

    let [with, without] = [with, without].map(|trace| report(&Written::new(&trace).anchor));
    assert_eq!((with.1, without.1), (0, 0));
    let (with, without) = (with.0, without.0);
    let expected = waits(&without);
    assert!(expected.len() == 2, "{expected:?}");
    assert_eq!(waits(&with), expected);
    assert_eq!(with["left_out"], without["left_out"]);
    let of = |row: &&Value| number(row, "location") == 11;
    assert_eq!(rows(&with, "by_location").iter().find(of), None);
    for member in ["metrics", "account"] {
        assert_eq!(with[member], without[member]);
    }
}
