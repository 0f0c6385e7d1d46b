//! Threads.

use streamfold::model::enums::Paradigm::{self, Openmp, Pthread};
use streamfold::model::ids::CommRef;

use super::Example;
use crate::waitstates::events::{
    acquire, fork, join, release, task_complete, task_create, task_switch, team_begin, team_end,
    thread_begin, thread_create, thread_end, thread_wait,
};
use crate::waitstates::trace::Trace;

pub fn examples() -> Vec<Example> {
    let mut all = barriers();
    all.extend(locks());
    all.extend(idle());
    all.extend(forks());
    all.extend(never_left());
    all.push(pthread_join());
    all.push(created_for_teams());
    all.push(synchronization());
    all.push(functions_called_alike());
    all
}

const PARALLEL: &str = "omp parallel";
const EXPLICIT: &str = "omp barrier";
const IMPLICIT: &str = "omp implicit barrier";

/// A process with a team of three threads in a parallel region from 0 to 200: each has a barrier. The
/// first one executes a task in it from one time to another.
fn barrier(name: &str, calls: [(u64, u64); 3], task: Option<(u64, u64)>) -> Trace {
    let mut t = Trace::new(&[3]);
    let team = t.team(&[0, 1, 2]);
    for (thread, (from, to)) in (0u64..).zip(calls) {
        let on = t.on(thread).at(0, team_begin(team)).enter(0, PARALLEL).enter(from, name);
        let on = match task {
            Some((from, to)) if thread == 0 => {
                let on = on.at(from, task_create(team, 0, 1)).at(from, task_switch(team, 0, 1));
                let on = on.call("omp task", from, to, &[]).at(to, task_complete(team, 0, 1));
                on.at(to, task_switch(team, 0, 0))
            }
            _ => on,
        };
        on.leave(to).leave(200).at(200, team_end(team));
    }
    t
}

fn barriers() -> Vec<Example> {
    const EXPLICIT_WAIT: &str = "omp_ebarrier_wait";
    const IMPLICIT_WAIT: &str = "omp_ibarrier_wait";
    let w18 = [(10, 42), (25, 42), (40, 42)];
    let example = |name, trace, metric: &str, region: &str, ticks: [u64; 2]| {
        Example::new(name, trace)
            .waits(metric, region, 0, ticks[0])
            .waits(metric, region, 1, ticks[1])
    };
    // The first leaves before the last enters: 20 of its 30 ticks, and 10 too early.
    let clock = barrier(EXPLICIT, [(10, 30), (25, 42), (40, 42)], None);

    // Two parallel regions of one team, the second with two barriers; L is 20, then 70, then 85.
    let mut several = Trace::new(&[2]);
    let team = several.team(&[0, 1]);
    for (thread, enters) in [(0, [10, 60, 80]), (1, [20, 70, 85])] {
        let on = several.on(thread).at(0, team_begin(team)).enter(0, PARALLEL);
        let on = on.call(IMPLICIT, enters[0], 25, &[]).leave(30).at(30, team_end(team));
        let on = on.at(50, team_begin(team)).enter(50, PARALLEL);
        let on = on.call(EXPLICIT, enters[1], 75, &[]).call(IMPLICIT, enters[2], 90, &[]);
        on.leave(100).at(100, team_end(team));
    }

    // Outside of a parallel region, and in a team of one.
    let mut alone = Trace::new(&[2]);
    let team = alone.team(&[0]);
    let on = alone.on(0).at(0, team_begin(team)).enter(0, PARALLEL).call(EXPLICIT, 10, 20, &[]);
    on.leave(30).at(30, team_end(team)).enter(40, "main").call(EXPLICIT, 50, 60, &[]).leave(70);

    vec![
        example("W18", barrier(EXPLICIT, w18, None), EXPLICIT_WAIT, EXPLICIT, [30, 15]),
        example("W18, implicit", barrier(IMPLICIT, w18, None), IMPLICIT_WAIT, IMPLICIT, [30, 15]),
        example(
            "W18 with a task",
            barrier(EXPLICIT, w18, Some((12, 17))),
            EXPLICIT_WAIT,
            EXPLICIT,
            [25, 15],
        ),
        example("barrier with clock error", clock, EXPLICIT_WAIT, EXPLICIT, [20, 15])
            .violates("omp", 1, 10),
        Example::new("several barriers", several).waits(IMPLICIT_WAIT, IMPLICIT, 0, 10 + 5).waits(
            EXPLICIT_WAIT,
            EXPLICIT,
            0,
            10,
        ),
        Example::new("barriers of one thread", alone),
    ]
}

/// A lock that two threads take one after the other: the first from 11 to 30, the second enters at 15.
fn lock((model, id): (Paradigm, u32), calls: [&str; 2], orders: [u32; 2]) -> Trace {
    let mut t = Trace::new(&[2]);
    let [take, give] = calls;
    let on = t.on(0).call(take, 10, 12, &[(11, acquire(model, id, orders[0]))]);
    on.call(give, 29, 31, &[(30, release(model, id, orders[0]))]);
    let on = t.on(1).call(take, 15, 33, &[(32, acquire(model, id, orders[1]))]);
    on.call(give, 44, 46, &[(45, release(model, id, orders[1]))]);
    t
}

fn locks() -> Vec<Example> {
    const CRITICAL: &str = "omp_lock_contention_critical";
    let mut w19 = Trace::new(&[3]);
    for (thread, enter, acquired, released) in [(0, 10, 11, 30), (1, 15, 31, 45), (2, 20, 46, 60)] {
        let order = thread as u32 + 1;
        let on =
            w19.on(thread).enter(enter, "omp critical").at(acquired, acquire(Openmp, 0, order));
        let on = on.call("omp critical sblock", acquired, released, &[]);
        on.at(released, release(Openmp, 0, order)).leave(released);
    }
    let api = ["omp_set_lock", "omp_unset_lock"];
    let mutex = ["pthread_mutex_lock", "pthread_mutex_unlock"];
    let cond = ["pthread_cond_wait", "pthread_mutex_unlock"];
    // The second has taken it by 32, before it was released at 30 + 10.
    let mut clock = lock((Openmp, 1), api, [1, 2]);
    clock.streams.get_mut(&0).expect("a stream").iter_mut().skip(3).for_each(|(t, _)| *t += 10);
    // Locks of the same number, one of each paradigm.
    let mut two = Trace::new(&[2]);
    let on = two.on(0).call(api[0], 10, 12, &[(11, acquire(Openmp, 1, 1))]);
    on.call(api[1], 29, 31, &[(30, release(Openmp, 1, 1))]);
    let on = two.on(1).call(mutex[0], 15, 33, &[(32, acquire(Pthread, 1, 2))]);
    on.call(mutex[1], 44, 46, &[(45, release(Pthread, 1, 2))]);

    vec![
        Example::new("W19", w19).waits(CRITICAL, "omp critical", 1, 15).waits(
            CRITICAL,
            "omp critical",
            2,
            25,
        ),
        Example::new("lock of the API", lock((Openmp, 1), api, [1, 2])).waits(
            "omp_lock_contention_api",
            api[0],
            1,
            15,
        ),
        Example::new("mutex", lock((Pthread, 1), mutex, [1, 2])).waits(
            "pthread_lock_contention_mutex_lock",
            mutex[0],
            1,
            15,
        ),
        Example::new("condition", lock((Pthread, 1), cond, [1, 2])).waits(
            "pthread_lock_contention_conditional",
            cond[0],
            1,
            15,
        ),
        Example::new("an order is missing", lock((Openmp, 1), api, [1, 3])),
        // To min(40, 32), which is 8 too early.
        Example::new("lock with clock error", clock)
            .waits("omp_lock_contention_api", api[0], 1, 17)
            .violates("omp", 1, 8),
        Example::new("two paradigms", two),
    ]
}

fn idle() -> Vec<Example> {
    let mut w20 = Trace::new(&[3]);
    let team = w20.team(&[0, 1]);
    let on = w20.on(0).enter(0, "main").at(20, team_begin(team)).enter(20, PARALLEL);
    on.leave(80).at(80, team_end(team)).leave(100);
    let on = w20.on(1).at(20, team_begin(team)).enter(20, PARALLEL);
    on.leave(80).at(80, team_end(team));

    // A task of the first thread does not change that it is in the parallel region, from 10 to 50.
    let mut task = Trace::new(&[2]);
    let team = task.team(&[0]);
    let on = task.on(0).enter(0, "main").at(10, fork()).at(10, team_begin(team));
    let on = on.enter(10, PARALLEL).enter(20, EXPLICIT).at(25, task_create(team, 0, 1));
    let on = on.at(25, task_switch(team, 0, 1)).call("omp task", 25, 35, &[]);
    let on = on.at(35, task_complete(team, 0, 1)).at(35, task_switch(team, 0, 0));
    on.leave(40).leave(50).at(50, team_end(team)).at(50, join()).leave(100);

    // No OpenMP: a thread without events is not idle.
    let mut none = Trace::new(&[2]);
    none.on(0).enter(0, "main").leave(100);

    vec![
        Example::new("W20", w20)
            .has("omp_idle_threads", 0, 0)
            .has("omp_idle_threads", 1, 40)
            .has("omp_idle_threads", 2, 100)
            .has("omp_limited_parallelism", 1, 0)
            .has("omp_limited_parallelism", 2, 60)
            .takes("computation", 0, 100)
            .takes("computation", 1, 60)
            .takes("absent", 1, 40),
        Example::new("idle during a task", task)
            .has("omp_idle_threads", 1, 60 + 40)
            .has("omp_limited_parallelism", 1, 40)
            .takes("threads", 0, 5 + 5)
            .takes("computation", 0, 100 - 10),
        Example::new("no idle threads", none).has("omp_idle_threads", 1, 0).takes(
            "computation",
            0,
            100,
        ),
    ]
}

fn forks() -> Vec<Example> {
    const BOTH: &str = "omp_management";
    const FORK: &str = "omp_fork";
    let mut t = Trace::new(&[2]);
    let team = t.team(&[0, 1]);
    let on = t.on(0).enter(0, "main").at(10, fork()).at(12, team_begin(team)).enter(12, PARALLEL);
    on.leave(50).at(50, team_end(team)).at(60, join()).leave(100);
    let on = t.on(1).at(18, team_begin(team)).enter(18, PARALLEL);
    on.leave(40).at(40, team_end(team));

    // The first thread joins at 60, 10 before the other is ready.
    let mut clock = Trace::new(&[2]);
    let team = clock.team(&[0, 1]);
    let on = clock.on(0).enter(0, "main").at(10, fork()).at(10, team_begin(team));
    let on = on.enter(10, PARALLEL).leave(60).at(60, team_end(team)).at(60, join());
    on.leave(100);
    let on = clock.on(1).at(10, team_begin(team)).enter(10, PARALLEL);
    on.leave(70).at(70, team_end(team));

    // The region around is never left: its time is outside of any.
    let mut open = Trace::new(&[1]);
    let team = open.team(&[0]);
    let on = open.on(0).enter(0, "main").at(10, fork()).at(12, team_begin(team));
    on.enter(12, PARALLEL).leave(50).at(50, team_end(team)).at(60, join());

    // A team inside of one, by the second thread.
    let mut nested = Trace::new(&[3]);
    let (outer, inner) = (nested.team(&[0, 1]), nested.team(&[1, 2]));
    let on = nested.on(0).enter(0, "main").at(10, fork()).at(12, team_begin(outer));
    on.enter(12, PARALLEL).leave(88).at(88, team_end(outer)).at(90, join()).leave(100);
    let on = nested.on(1).at(15, team_begin(outer)).enter(15, PARALLEL).at(30, fork());
    let on = on.at(31, team_begin(inner)).enter(31, "omp parallel inner").leave(60);
    on.at(60, team_end(inner)).at(70, join()).leave(85).at(85, team_end(outer));
    let on = nested.on(2).at(35, team_begin(inner)).enter(35, "omp parallel inner");
    on.leave(50).at(50, team_end(inner));

    vec![
        Example::new("fork and join", t)
            .waits(BOTH, PARALLEL, 0, 2 + 10)
            .waits(FORK, PARALLEL, 0, 2)
            .waits(BOTH, PARALLEL, 1, 8 + 20)
            .waits(FORK, PARALLEL, 1, 8)
            .has("omp_idle_threads", 1, 50)
            .has("omp_limited_parallelism", 1, 0)
            .takes("threads", 0, 2 + 10)
            .takes("computation", 0, 100 - 12)
            .takes("computation", 1, 22)
            .takes("absent", 1, 18 + 60),
        Example::new("join with clock error", clock).violates("omp", 1, 10),
        Example::new("fork and join in what is never left", open)
            .waits(BOTH, PARALLEL, 0, 2 + 10)
            .waits(FORK, PARALLEL, 0, 2)
            .takes("threads", 0, 2 + 10)
            .takes("computation", 0, 10 + 38),
        Example::new("fork and join of nested teams", nested)
            .waits(BOTH, PARALLEL, 0, 2 + 2)
            .waits(FORK, PARALLEL, 0, 2)
            .waits(BOTH, PARALLEL, 1, 5 + 5)
            .waits(FORK, PARALLEL, 1, 5)
            .waits(BOTH, "omp parallel inner", 1, 1 + 10)
            .waits(FORK, "omp parallel inner", 1, 1)
            .waits(BOTH, "omp parallel inner", 2, 5 + 20)
            .waits(FORK, "omp parallel inner", 2, 5)
            // The third is there for the inner team only, and does not count.
            .has("omp_idle_threads", 1, 20)
            .has("omp_idle_threads", 2, 0)
            .takes("threads", 0, 2 + 2)
            .takes("computation", 0, 100 - 4)
            .takes("threads", 1, 1 + 10)
            .takes("computation", 1, 70 - 11)
            .takes("computation", 2, 15),
    ]
}

/// Streams that were cut inside of a parallel region.
fn never_left() -> Vec<Example> {
    const BOTH: &str = "omp_management";
    const FORK: &str = "omp_fork";
    let cut_at = |main: bool| {
        let mut t = Trace::new(&[3]);
        let team = t.team(&[0, 1]);
        let on = t.on(0).enter(0, "main").at(1, fork()).at(2, team_begin(team)).enter(3, PARALLEL);
        match main {
            true => on.call("foo", 10, 20, &[]).call("foo", 30, 70, &[]),
            false => on.leave(93).at(93, team_end(team)).at(94, join()).leave(100),
        };
        let on = t.on(1).at(2, team_begin(team)).enter(3, PARALLEL);
        match main {
            true => on.leave(90).at(90, team_end(team)),
            false => on.call("foo", 5, 80, &[]),
        };
        t
    };
    let barriers = barrier(EXPLICIT, [(10, 42), (25, 42), (40, 42)], None);
    let mut cut_barriers = barriers;
    // The last one enters, and nothing follows; the others waited for it.
    cut_barriers.streams.get_mut(&2).expect("a stream").truncate(3);
    vec![
        // When the worker left nobody knows: it is neither joined nor idle until then.
        Example::new("a worker that never left", cut_at(false))
            .waits(BOTH, PARALLEL, 0, 2 + 1)
            .waits(FORK, PARALLEL, 0, 2)
            .waits(BOTH, PARALLEL, 1, 2)
            .waits(FORK, PARALLEL, 1, 2)
            .has("omp_idle_threads", 1, 7)
            .has("omp_idle_threads", 2, 100)
            .takes("threads", 0, 1 + 1)
            .takes("computation", 0, 100 - 2)
            .takes("idle", 1, 1)
            .takes("computation", 1, 77)
            .takes("absent", 1, 2 + 20),
        // How long the region lasted nobody knows: nobody is idle in it.
        Example::new("a first thread that never left", cut_at(true))
            .waits(BOTH, PARALLEL, 0, 2)
            .waits(FORK, PARALLEL, 0, 2)
            .waits(BOTH, PARALLEL, 1, 2)
            .waits(FORK, PARALLEL, 1, 2)
            .has("omp_idle_threads", 1, 1)
            .has("omp_idle_threads", 2, 1)
            .takes("threads", 0, 1)
            .takes("computation", 0, 70 - 1)
            .takes("absent", 0, 20)
            .takes("idle", 1, 1)
            .takes("computation", 1, 87),
        Example::new("a barrier that was never left", cut_barriers)
            .waits("omp_ebarrier_wait", EXPLICIT, 0, 30)
            .waits("omp_ebarrier_wait", EXPLICIT, 1, 15),
    ]
}

/// A thread that ends at 60 is waited for from 40 to 65.
fn pthread_join() -> Example {
    let mut t = Trace::new(&[2]);
    let threads = t.threads_of(Pthread, &[0, 1]);
    let on = t.on(0).enter(0, "main");
    let on = on.call("pthread_create", 10, 12, &[(11, thread_create(threads, 1))]);
    on.call("pthread_join", 40, 65, &[(64, thread_wait(threads, 1))]).leave(100);
    let on = t.on(1).at(15, thread_begin(threads, 1)).enter(16, "worker").leave(60);
    on.at(60, thread_end(threads, 1));
    Example::new("pthread_join", t)
        .waits("pthread_join_wait", "pthread_join", 0, 20)
        .has("omp_idle_threads", 1, 0)
        .takes("threads", 0, 2 + 25)
        .takes("computation", 0, 100 - 27)
        .takes("computation", 1, 44)
        .takes("not_recorded", 1, 1)
}

/// A thread that its recorder says to be created, and to be in a region, before its first team: it is idle there. The
/// thread that forks creates it meanwhile, from 12 to 20.
fn created_for_teams() -> Example {
    let mut t = Trace::new(&[2]);
    let team = t.team(&[0, 1]);
    let on = t.on(0).enter(0, "main").at(10, fork()).call("pthread_create", 12, 20, &[]);
    let on = on.at(23, team_begin(team)).enter(24, PARALLEL).leave(50).at(50, team_end(team));
    on.at(54, join()).leave(100);
    let on = t.on(1).at(15, thread_begin(CommRef::UNDEFINED, 1)).enter(16, "worker");
    let on = on.at(28, team_begin(team)).enter(28, PARALLEL).leave(46).at(46, team_end(team));
    on.leave(90).at(92, thread_end(CommRef::UNDEFINED, 1));
    Example::new("created for teams", t)
        .waits("omp_management", PARALLEL, 0, (24 - 10 - 8) + 4)
        .waits("omp_fork", PARALLEL, 0, 24 - 10 - 8)
        .waits("omp_management", PARALLEL, 1, (28 - 15) + 8)
        .waits("omp_fork", PARALLEL, 1, 28 - 15)
        .has("omp_idle_threads", 1, (92 - 15) - 18 - 21)
        .takes("threads", 0, 13 + 4)
        .takes("computation", 0, 100 - 17)
        .takes("computation", 1, 74)
        .takes("not_recorded", 1, 1)
        .takes("idle", 1, 2)
}

/// What synchronises threads besides mutexes and conditions.
fn synchronization() -> Example {
    let mut t = Trace::new(&[1]);
    let on = t.on(0).enter(0, "main").call("pthread_mutex_lock", 1, 11, &[]);
    let on = on.call("pthread_cond_wait", 20, 22, &[]).call("pthread_barrier_wait", 30, 35, &[]);
    let on = on.call("sem_wait", 40, 46, &[]).call("pthread_rwlock_wrlock", 50, 57, &[]);
    on.call("pthread_spin_lock", 60, 68, &[]).call("pthread_self", 70, 71, &[]).leave(100);
    Example::new("synchronization", t).takes("threads", 0, 38 + 1).takes("computation", 0, 100 - 39)
}

/// Functions of the program, where regions of OpenMP and POSIX threads are known as such.
fn functions_called_alike() -> Example {
    let mut t = Trace::new(&[1]);
    let on = t.on(0).enter(0, "main").call("omp for", 10, 20, &[]);
    let on = on.call("pthread_create", 20, 30, &[]).call("wrapper OpenMP critical", 30, 40, &[]);
    on.call("wrapper pthread_mutex_lock", 40, 50, &[]).leave(100);
    Example::new("functions called like others", t).takes("threads", 0, 10).takes(
        "computation",
        0,
        90,
    )
}
