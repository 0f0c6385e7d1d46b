//! Random small traces: the program finds the path that the slow way finds.

use std::fmt::Debug;

use proptest::prelude::*;
use proptest::strategy::Strategy;
use proptest::test_runner::TestCaseError;

use super::path::{args, by_call_path, by_location, holds, report, sections};
use super::slow;
use crate::common::program::{streamfold, team};
use crate::waitstates::found::number;
use crate::waitstates::random::{backward, check_cases, cut, cuts, jumps, mpi, rma, show, threads};
use crate::waitstates::trace::Trace;
use crate::waitstates::written::Written;

/// The figures that are compared.
#[derive(Clone, Copy, PartialEq)]
enum How {
    /// Everything.
    Exactly,
    /// All but the mean of all locations: there a team is forked until its region is entered, on the path until it begins.
    OnThePath,
    /// Sections only: clocks go back.
    Sections,
}

/// Fails where the program does not find what the slow way finds.
fn compare(trace: &Trace, how: How) -> Result<(), TestCaseError> {
    let written = Written::new(trace);
    let (report, code) = report(&written.anchor, &[]);
    prop_assert_eq!(code, 0);
    let shown = || show(trace);
    let Some(expected) = slow::analyse(trace) else {
        prop_assert_eq!(number(&report, "run_ticks"), 0);
        return Ok(());
    };
    let (begin, end) = expected.run;
    prop_assert_eq!(number(&report, "run_ticks"), end - begin, "{}", shown());
    prop_assert_eq!(sections(&report), expected.sections, "{}", shown());
    prop_assert_eq!(number(&report, "impossible_edges"), expected.impossible, "{}", shown());
    prop_assert_eq!(by_location(&report), expected.by_location, "{}", shown());
    if end > begin {
        holds(&report, "a random trace");
    }
    if how == How::Sections {
        return Ok(());
    }
    let of = |column| by_call_path(&report, column);
    prop_assert_eq!(of("ticks"), expected.by_path, "{}", shown());
    if let Some(compared) = expected.compared.filter(|_| how == How::Exactly) {
        prop_assert_eq!([of("mean_ticks"), of("imbalance_ticks")], compared, "{}", shown());
    }
    Ok(())
}

fn compare_many<T: Debug>(
    full: u32,
    scripts: impl Strategy<Value = T>,
    trace: impl Fn(&T) -> Trace,
    how: How,
) {
    check_cases(full, scripts, |script| compare(&trace(script), how));
}

#[test]
fn messages_and_collective_operations_are_as_the_slow_way_says() {
    compare_many(500, mpi::script(12, false), mpi::trace, How::Exactly);
}

#[test]
fn so_are_long_ones() {
    compare_many(100, mpi::script(100, false), mpi::trace, How::Exactly);
}

#[test]
fn requests_may_be_completed_by_other_threads() {
    compare_many(200, mpi::script(20, true), mpi::trace, How::Exactly);
}

#[test]
fn threads_are_as_the_slow_way_says() {
    compare_many(500, threads::script(3), threads::trace, How::OnThePath);
}

#[test]
fn access_to_memory_is_as_the_slow_way_says() {
    compare_many(300, rma::script(8), rma::trace, How::Exactly);
}

#[test]
fn clocks_may_go_back() {
    let scripts = (mpi::script(12, true), jumps());
    let trace = |(script, jumps): &(mpi::Script, Vec<_>)| backward(mpi::trace(script), jumps);
    compare_many(200, scripts, trace, How::Sections);
    let scripts = (threads::script(3), jumps());
    let trace = |(script, jumps): &(Vec<_>, Vec<_>)| backward(threads::trace(script), jumps);
    compare_many(200, scripts, trace, How::Sections);
}

#[test]
fn streams_may_end_too_soon() {
    let scripts = (mpi::script(12, true), cuts());
    let trace = |(script, cuts): &(mpi::Script, _)| cut(mpi::trace(script), cuts);
    compare_many(200, scripts, trace, How::OnThePath);
    let scripts = (threads::script(3), cuts());
    let trace = |(script, cuts): &(Vec<_>, _)| cut(threads::trace(script), cuts);
    compare_many(200, scripts, trace, How::OnThePath);
}

#[test]
fn ranks_find_one_path() {
    let scripts = (mpi::script(40, false), threads::script(3));
    check_cases(40, scripts, |(messages, teams)| {
        for trace in [mpi::trace(messages), threads::trace(teams)] {
            let written = Written::new(&trace);
            let args = args(&written.anchor, &[]);
            let alone = streamfold(&args).output().expect("a run").stdout;
            for ranks in [2, 3, 5] {
                let found = team(ranks, &args).stdout;
                prop_assert!(found == alone, "{} ranks\n{}", ranks, show(&trace));
            }
        }
        Ok(())
    });
}
