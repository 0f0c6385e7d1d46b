//! Paths over streams of accelerators, threads that are created, epochs of windows, and teams without barriers.

use streamfold::model::enums::{LockType, Paradigm};

use super::path::{holds, report, sections, Section};
use crate::common::program::{said, team};
use crate::waitstates::events::{
    closed, fork, get, join, lock_acquire, lock_release, lock_request, opened, put, rma_done,
    team_begin, team_end, thread_begin, thread_create, thread_end, thread_wait,
};
use crate::waitstates::found::number;
use crate::waitstates::trace::Trace;
use crate::waitstates::written::Written;

/// The path of a trace, and the number of impossible edges; the same on any number of ranks.
fn path(trace: &Trace) -> (Vec<Section>, u64) {
    let written = Written::new(trace);
    let (report, code) = report(&written.anchor, &[]);
    assert_eq!(code, 0);
    holds(&report, "a trace made by hand");
    let args = super::path::args(&written.anchor, &[]);
    let alone = team(1, &args);
    for ranks in [2, 3, 5, 8] {
        assert!(team(ranks, &args).stdout == alone.stdout, "{ranks} ranks: {}", said(&alone));
    }
    // A replay without a change takes as long.
    let anchor = written.anchor.to_str().expect("a path");
    let args = ["efficiency", "-q", "--format", "json", "--what-if", "latency=0", anchor];
    let replayed = team(1, args);
    let replayed: serde_json::Value =
        serde_json::from_slice(&replayed.stdout).unwrap_or_else(|_| panic!("{}", said(&replayed)));
    let rows = replayed["what_if"].as_array().expect("a table");
    let recorded = rows.iter().find(|row| row["latency_ticks"] == 0 && row["factor"] == 1.0);
    let is_ideal = |row: &&serde_json::Value| row["what"].to_string().contains("ideal");
    let as_recorded = rows.iter().rfind(|row| !is_ideal(row)).or(recorded).expect("a row");
    assert_eq!(number(as_recorded, "ticks"), number(&report, "run_ticks"));
    (sections(&report), number(&report, "impossible_edges"))
}

fn section(location: u64, begin: u64, end: u64, after: &str) -> Section {
    (location, begin, end, after.to_owned())
}

/// A thread with one stream, location 1.
fn with_stream() -> Trace {
    let mut trace = Trace::new(&[2]);
    trace.devices.push(1);
    trace
}

/// The host launches two kernels, and waits for both: the second one was launched while the first one ran.
#[test]
fn a_host_that_waits_leads_to_the_launch() {
    let mut trace = with_stream();
    let on = trace.on(0).enter(0, "main").naming(1).call("cuLaunchKernel", 10, 14, &[]);
    let on = on.naming(1).call("cuLaunchKernel", 20, 24, &[]);
    on.naming(1).call("cuStreamSynchronize", 30, 82, &[]).leave(100);
    trace.on(1).call("kernel a", 16, 50, &[]).call("kernel b", 51, 80, &[]);
    let expected = vec![
        section(0, 0, 10, "begin"),
        section(1, 10, 80, "launch"),
        section(0, 80, 100, "device_wait"),
    ];
    assert_eq!(path(&trace), (expected, 0));
}

/// The stream was idle between both kernels: the host had more to do before it launched the second one.
#[test]
fn an_idle_stream_leads_to_the_host() {
    let mut trace = with_stream();
    let on = trace.on(0).enter(0, "main").call("cuLaunchKernel", 10, 14, &[]);
    let on = on.call("cudaDeviceSynchronize", 20, 52, &[]).call("cuLaunchKernel", 60, 64, &[]);
    on.call("cudaDeviceSynchronize", 70, 91, &[]).leave(100);
    trace.on(1).call("kernel a", 16, 50, &[]).call("kernel b", 66, 90, &[]);
    let expected = vec![
        section(0, 0, 10, "begin"),
        section(1, 10, 50, "launch"),
        section(0, 50, 60, "device_wait"),
        section(1, 60, 90, "launch"),
        section(0, 90, 100, "device_wait"),
    ];
    assert_eq!(path(&trace), (expected, 0));
}

/// A copy that blocks waits for itself; one that does not goes on. Transfers are copies, too.
#[test]
fn copies_are_activities() {
    let mut trace = with_stream();
    let on = trace.on(0).enter(0, "main").call("cudaMemcpyAsync", 10, 14, &[]);
    on.call("cudaMemcpy", 20, 62, &[]).leave(70);
    let on = trace.on(1).at(15, get(0)).at(40, rma_done());
    on.call("Memcpy DtoH", 41, 60, &[(41, put(0)), (60, rma_done())]);
    let expected = vec![
        section(0, 0, 10, "begin"),
        section(1, 10, 60, "launch"),
        section(0, 60, 70, "device_wait"),
    ];
    assert_eq!(path(&trace), (expected, 0));
}

/// The clock of the stream is late: the kernel ends after the host has waited for it.
#[test]
fn streams_with_other_clocks_are_told() {
    let mut trace = with_stream();
    let on = trace.on(0).enter(0, "main").call("cuLaunchKernel", 10, 14, &[]);
    on.call("cudaDeviceSynchronize", 20, 40, &[]).leave(100);
    trace.on(1).call("kernel a", 16, 50, &[]);
    assert_eq!(path(&trace), (vec![section(0, 0, 100, "begin")], 1));
}

/// A thread is created, works, and is waited for.
#[test]
fn threads_that_are_created_lead_to_their_creator() {
    let mut trace = Trace::new(&[2]);
    let threads = trace.threads_of(Paradigm::Pthread, &[0, 1]);
    let on = trace.on(0).enter(0, "main");
    let on = on.call("pthread_create", 10, 14, &[(11, thread_create(threads, 1))]);
    let on = on.call("pthread_join", 20, 62, &[(61, thread_wait(threads, 1))]);
    on.leave(90);
    let on = trace.on(1).at(13, thread_begin(threads, 1)).call("worker", 15, 59, &[]);
    on.at(60, thread_end(threads, 1));
    let expected = vec![
        section(0, 0, 11, "begin"),
        section(1, 11, 60, "create"),
        section(0, 60, 90, "pthread_join_wait"),
    ];
    assert_eq!(path(&trace), (expected, 0));
}

/// A team that meets at no barrier: the thread that forked it goes on behind the last one.
#[test]
fn a_team_without_a_barrier_is_joined() {
    let mut trace = Trace::new(&[2]);
    let team = trace.team(&[0, 1]);
    let on = trace.on(0).enter(0, "main").at(10, fork()).at(10, team_begin(team));
    let on = on.call("omp parallel", 10, 30, &[]).at(30, team_end(team)).at(54, join());
    on.leave(80);
    let on = trace.on(1).at(12, team_begin(team));
    on.call("omp parallel", 12, 50, &[]).at(50, team_end(team));
    let expected =
        vec![section(0, 0, 10, "begin"), section(1, 10, 50, "fork"), section(0, 50, 80, "join")];
    assert_eq!(path(&trace), (expected, 0));
}

/// The origin waits until the target posts, and the target until the origin completes.
#[test]
fn epochs_lead_to_the_other_side() {
    let mut trace = Trace::of(2);
    let (origin, target) = (trace.group(&[0]), trace.group(&[1]));
    let on = trace.on(0).enter(0, "main");
    let on = on.call("MPI_Win_start", 10, 42, &[(42, opened(target))]);
    let on = on.call("MPI_Put", 45, 47, &[(45, put(1))]);
    on.call("MPI_Win_complete", 60, 64, &[(63, closed(target))]).leave(70);
    let on = trace.on(10).enter(0, "main");
    let on = on.call("MPI_Win_post", 40, 41, &[(41, opened(origin))]);
    on.call("MPI_Win_wait", 50, 66, &[(65, closed(origin))]).leave(90);
    let expected = vec![
        section(10, 0, 40, "begin"),
        section(0, 40, 60, "mpi_rma_sync_late_post"),
        section(10, 60, 90, "mpi_rma_early_wait"),
    ];
    assert_eq!(path(&trace), (expected, 0));
}

/// Two processes lock the memory of a third one.
#[test]
fn locks_of_windows_lead_to_the_one_that_held_them() {
    let mut trace = Trace::of(3);
    let mut hold = |location: u64, lock: [u64; 2], unlock: [u64; 2], end: u64| {
        let on = trace.on(location).enter(0, "main");
        let exclusive = LockType::Exclusive;
        let inside = [(lock[0], lock_request(2, exclusive)), (lock[1], lock_acquire(2, exclusive))];
        let on = on.call("MPI_Win_lock", lock[0], lock[1], &inside);
        let released = [(unlock[0] + 1, lock_release(2))];
        on.call("MPI_Win_unlock", unlock[0], unlock[1], &released).leave(end);
    };
    hold(0, [10, 12], [50, 53], 60);
    hold(10, [20, 55], [70, 73], 90);
    trace.on(20).enter(0, "main").leave(80);
    let expected =
        vec![section(0, 0, 51, "begin"), section(10, 51, 90, "mpi_rma_sync_lock_competition")];
    assert_eq!(path(&trace), (expected, 0));
}
