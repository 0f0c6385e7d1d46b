//! Regions that are left before what is open inside of them: that is dropped.

use streamfold::model::ids::CommRef;

use super::Example;
use crate::waitstates::events::{fork, join, recv, send, team_begin, team_end, thread_begin};
use crate::waitstates::trace::{On, Trace};

pub fn examples() -> Vec<Example> {
    vec![receive(), idle(), idle_when_created()]
}

/// Of the receive from 0 to 100, whose wait ends at 100, another region has 70, although that was in one that is
/// dropped. The time of the account is that of the innermost region, dropped or not.
fn receive() -> Example {
    let mut t = Trace::of(2);
    let on = t.on(0).enter(0, "MPI_Recv").enter(10, "foo").call("bar", 20, 90, &[]);
    on.at(100, recv(1)).leave_around(100, "MPI_Recv");
    t.on(10).enter(0, "main").call("MPI_Send", 100, 101, &[(100, send(0))]).leave(101);
    Example::new("a receive in which a region is dropped", t)
        .waits("mpi_latesender", "MPI_Recv", 0, 30)
        .takes("mpi", 0, 10)
        .takes("computation", 0, 90)
}

/// From 10 to 100, with a region that is dropped and has another one inside.
fn crossed(on: On<'_>) -> On<'_> {
    on.enter(10, "foo").enter(20, "bar").call("MPI_Wait", 30, 40, &[]).leave_around(100, "foo")
}

fn team(on: On<'_>, team: CommRef) -> On<'_> {
    let on = on.at(200, team_begin(team)).enter(200, "omp parallel");
    on.leave(300).at(300, team_end(team))
}

/// Others are idle once while the first thread is in what is dropped.
fn idle() -> Example {
    let mut t = Trace::new(&[2]);
    let both = t.team(&[0, 1]);
    let on = crossed(t.on(0).enter(0, "main")).at(200, fork());
    team(on, both).at(300, join()).leave(400);
    team(t.on(1), both);
    Example::new("idle while something is dropped", t)
        .has("omp_idle_threads", 1, 200 + 100)
        .takes("mpi", 0, 10)
        .takes("computation", 0, 400 - 10)
        .takes("computation", 1, 100)
        .takes("absent", 1, 300)
}

/// Threads of a pool are idle in such regions of their own.
fn idle_when_created() -> Example {
    let mut t = Trace::new(&[2]);
    let both = t.team(&[0, 1]);
    team(t.on(0).enter(0, "main").at(200, fork()), both).at(300, join()).leave(400);
    let on = t.on(1).at(0, thread_begin(CommRef::UNDEFINED, 1)).call("MPI_Wait", 5, 9, &[]);
    team(crossed(on), both);
    Example::new("created, and idle in what is dropped", t)
        .has("omp_idle_threads", 1, 200)
        .takes("mpi", 1, 4 + 10)
        .takes("computation", 1, 80 + 100)
        .takes("not_recorded", 1, 5 + 1 + 100)
}
