//! What is time of the thread that forks, and of which of its visits.

use streamfold::model::ids::CommRef;

use super::Example;
use crate::waitstates::events::{
    fork, join, task_complete, task_create, task_switch, team_begin, team_end,
};
use crate::waitstates::trace::{On, Trace};

pub fn examples() -> Vec<Example> {
    let mut all = Vec::new();
    for begin_first in [true, false] {
        all.push(forked_in_a_call(begin_first));
        all.push(elsewhere(begin_first));
    }
    all.push(joined_elsewhere());
    all.push(entered_in_a_call());
    all.push(in_a_task("fork and join in a task", None));
    all.push(in_a_task("fork and join in the region of a task", Some("omp task")));
    all.push(in_a_dropped_call());
    all.push(joined_where_it_is_dropped());
    all.push(joined_in_what_is_dropped());
    all.push(never_joined());
    all.push(forked_by_another());
    all
}

const PARALLEL: &str = "omp parallel";
const BOTH: &str = "omp_management";
const FORK: &str = "omp_fork";

/// The region is entered at 50, before or behind the begin of its team, and left at 80.
fn region(on: On<'_>, team: CommRef, begin_first: bool) -> On<'_> {
    let on = match begin_first {
        true => on.at(50, team_begin(team)).enter(50, PARALLEL),
        false => on.enter(50, PARALLEL).at(50, team_begin(team)),
    };
    on.leave(80).at(80, team_end(team))
}

/// The other thread of the team.
fn worker(t: &mut Trace, team: CommRef, enter: u64) {
    let on = t.on(1).at(enter, team_begin(team)).enter(enter, PARALLEL);
    on.leave(80).at(80, team_end(team));
}

/// The call in which the team is forked ends at 22: from there on it is the time of the region around.
fn forked_in_a_call(begin_first: bool) -> Example {
    let mut t = Trace::new(&[2]);
    let team = t.team(&[0, 1]);
    let on = t.on(0).enter(0, "main").call("foo", 10, 22, &[(20, fork())]);
    region(on, team, begin_first).at(80, join()).leave(100);
    worker(&mut t, team, 50);
    Example::new("forked in a call that ends", t)
        .waits(BOTH, PARALLEL, 0, 28)
        .waits(FORK, PARALLEL, 0, 28)
        .waits(BOTH, PARALLEL, 1, 30)
        .waits(FORK, PARALLEL, 1, 30)
        .takes("threads", 0, 30)
        .takes("computation", 0, 70)
}

/// Another call between fork and region is none of it, whatever comes first.
fn elsewhere(begin_first: bool) -> Example {
    let mut t = Trace::new(&[2]);
    let team = t.team(&[0, 1]);
    let on = t.on(0).enter(0, "main").call("pthread_create", 5, 8, &[]).at(10, fork());
    let on = region(on.call("pthread_create", 20, 34, &[]), team, begin_first);
    on.at(80, join()).leave(100);
    worker(&mut t, team, 52);
    Example::new("a call between fork and region", t)
        .waits(BOTH, PARALLEL, 0, 26)
        .waits(FORK, PARALLEL, 0, 26)
        .waits(BOTH, PARALLEL, 1, 42)
        .waits(FORK, PARALLEL, 1, 42)
        .takes("threads", 0, 3 + 40)
        .takes("computation", 0, 100 - 43)
}

/// What is done between region and join is none of it, and it ends with the visit around the region.
fn joined_elsewhere() -> Example {
    let mut t = Trace::new(&[2]);
    let team = t.team(&[0, 1]);
    let on = t.on(0).enter(0, "main").enter(10, "foo").at(40, fork());
    let on = region(on, team, true).call("bar", 82, 85, &[]).leave(88);
    on.at(95, join()).leave(100);
    worker(&mut t, team, 50);
    Example::new("joined in another visit", t)
        .waits(BOTH, PARALLEL, 0, 10 + 8 - 3)
        .waits(FORK, PARALLEL, 0, 10)
        .waits(BOTH, PARALLEL, 1, 10 + 15)
        .waits(FORK, PARALLEL, 1, 10)
        .takes("threads", 0, 10 + 15)
        .takes("computation", 0, 100 - 25)
}

/// The region is entered in a call that was entered after the fork.
fn entered_in_a_call() -> Example {
    let mut t = Trace::new(&[2]);
    let team = t.team(&[0, 1]);
    let on = t.on(0).enter(0, "main").at(10, fork()).enter(30, "foo").call("bar", 35, 45, &[]);
    region(on, team, true).at(80, join()).leave(82).leave(100);
    worker(&mut t, team, 50);
    Example::new("a region in a call after the fork", t)
        .waits(BOTH, PARALLEL, 0, 10)
        .waits(FORK, PARALLEL, 0, 10)
        .waits(BOTH, PARALLEL, 1, 40)
        .waits(FORK, PARALLEL, 1, 40)
        .takes("threads", 0, 40)
        .takes("computation", 0, 100 - 40)
}

/// A team in a task that has nothing open, or a region.
fn in_a_task(name: &'static str, region: Option<&str>) -> Example {
    let mut t = Trace::new(&[2]);
    let (outer, inner) = (t.team(&[0, 1]), t.team(&[0]));
    let on = t.on(0).enter(0, "main").at(10, fork()).at(12, team_begin(outer));
    let on = on.enter(12, PARALLEL).at(20, task_create(outer, 0, 5));
    let on = on.at(20, task_switch(outer, 0, 5));
    let on = region.into_iter().fold(on, |on, region| on.enter(22, region));
    let on = on.at(30, fork()).at(34, team_begin(inner)).enter(34, "omp parallel inner").leave(40);
    let on = on.at(40, team_end(inner)).at(45, join());
    let on = region.into_iter().fold(on, |on, _| on.leave(50));
    let on = on.at(50, task_complete(outer, 0, 5)).at(50, task_switch(outer, 0, 0));
    on.leave(60).at(60, team_end(outer)).at(62, join()).leave(100);
    // The task has no region open.
    let outside = if region.is_some() { 2 } else { 10 + 5 };
    Example::new(name, t)
        .waits(BOTH, PARALLEL, 0, 2 + 2)
        .waits(FORK, PARALLEL, 0, 2)
        .waits(BOTH, "omp parallel inner", 0, 4 + 5)
        .waits(FORK, "omp parallel inner", 0, 4)
        .takes("threads", 0, 2 + 4 + 5 + 2)
        .takes("not_recorded", 0, outside)
        .takes("computation", 0, 100 - 13 - outside)
}

/// The first thread of a process takes part in a team of another one: what it does before and behind that is recorded.
fn forked_by_another() -> Example {
    let mut t = Trace::new(&[2]);
    let team = t.team(&[0, 1]);
    let on = t.on(1).enter(0, "main").at(10, fork()).at(15, team_begin(team)).enter(15, PARALLEL);
    on.leave(80).at(80, team_end(team)).at(90, join()).leave(100);
    let on = t.on(0).enter(0, "foo").at(20, team_begin(team)).enter(20, PARALLEL);
    on.leave(70).at(70, team_end(team)).leave(100);
    Example::new("a team that is not forked by the first thread", t)
        .waits(BOTH, PARALLEL, 1, 5 + 10)
        .waits(FORK, PARALLEL, 1, 5)
        .takes("computation", 0, 100)
        .takes("threads", 1, 5 + 10)
        .takes("computation", 1, 100 - 15)
}

/// The call around the region is dropped: its time is that of the one around.
fn in_a_dropped_call() -> Example {
    let mut t = Trace::new(&[2]);
    let team = t.team(&[0, 1]);
    let on = t.on(0).enter(0, "main").enter(10, "foo").at(30, fork());
    region(on, team, true).at(90, join()).leave_around(100, "main");
    worker(&mut t, team, 50);
    Example::new("fork and join in what is dropped", t)
        .waits(BOTH, PARALLEL, 0, 20 + 10)
        .waits(FORK, PARALLEL, 0, 20)
        .waits(BOTH, PARALLEL, 1, 20 + 10)
        .waits(FORK, PARALLEL, 1, 20)
        .takes("threads", 0, 20 + 10)
        .takes("computation", 0, 70)
}

/// Behind the region the call around is left, and drops one in which another had ended: that is not to join.
fn joined_where_it_is_dropped() -> Example {
    let mut t = Trace::new(&[2]);
    let team = t.team(&[0, 1]);
    let on = region(t.on(0).enter(0, "main").at(30, fork()), team, true);
    let on = on.enter(84, "foo").call("bar", 86, 91, &[]).leave_around(100, "main");
    on.call("bar", 100, 110, &[]).at(120, join());
    joined_late("a call is dropped while a team is joined", t, team)
}

/// Of the time from 80 to 100 another call has 5, and the join is at 120.
fn joined_late(name: &'static str, mut t: Trace, team: CommRef) -> Example {
    worker(&mut t, team, 50);
    Example::new(name, t)
        .waits(BOTH, PARALLEL, 0, 20 + 20 - 5)
        .waits(FORK, PARALLEL, 0, 20)
        .waits(BOTH, PARALLEL, 1, 20 + 40)
        .waits(FORK, PARALLEL, 1, 20)
        .takes("threads", 0, 20 + 40)
        .takes("computation", 0, 30 + 30)
}

/// The same where the call around the region is dropped, too.
fn joined_in_what_is_dropped() -> Example {
    let mut t = Trace::new(&[2]);
    let team = t.team(&[0, 1]);
    let on = region(t.on(0).enter(0, "main").enter(10, "foo").at(30, fork()), team, true);
    let on = on.enter(84, "foo").enter(85, "foo").call("bar", 86, 91, &[]);
    on.leave_around(100, "main").at(120, join());
    joined_late("the call around a region is dropped with others", t, team)
}

/// What a thread does behind a region is not to join where it never joins.
fn never_joined() -> Example {
    let mut t = Trace::new(&[2]);
    let team = t.team(&[0, 1]);
    let on = region(t.on(0).enter(0, "main").at(30, fork()), team, true).at(130, fork());
    let on = on.at(150, team_begin(team)).enter(150, PARALLEL);
    on.leave(180).at(180, team_end(team)).leave(200);
    let on = t.on(1).at(50, team_begin(team)).enter(50, PARALLEL).leave(80).at(80, team_end(team));
    on.at(150, team_begin(team)).enter(150, PARALLEL).leave(180).at(180, team_end(team));
    Example::new("teams that are not joined", t)
        .waits(BOTH, PARALLEL, 0, 20 + 20)
        .waits(FORK, PARALLEL, 0, 20 + 20)
        .waits(BOTH, PARALLEL, 1, 20 + 20)
        .waits(FORK, PARALLEL, 1, 20 + 20)
}
