//! Threads: teams with barriers, tasks and locks.

use proptest::collection::vec;
use proptest::prelude::*;
use streamfold::model::enums::Paradigm;
use streamfold::model::ids::CommRef;

use super::made::{gap, gaps, Clock, Gaps};
use super::{backward, check_many, compare_many, cut, cuts, jumps, time_is_within_spans};
use crate::waitstates::events::{
    acquire, fork, join, release, task_complete, task_create, task_switch, team_begin, team_end,
};
use crate::waitstates::trace::Trace;

/// What a thread does before a barrier, and in it.
#[derive(Clone, Debug)]
struct Part {
    lock: Option<(usize, [Gaps; 2])>,
    /// Before the barrier, in it, and in it after a task.
    gaps: Gaps,
    /// How long it executes a task in the barrier.
    task: Option<u64>,
}

/// What all threads of a team do up to a barrier.
#[derive(Clone, Debug)]
struct Phase {
    barrier: &'static str,
    parts: Vec<Part>,
    /// A region of one of them, with the threads that are in no team.
    inner: Option<(usize, Region)>,
}

/// A parallel region.
#[derive(Clone, Debug)]
struct Region {
    threads: usize,
    forks: bool,
    /// Of each thread: before it begins, and after its last barrier.
    around: Vec<Gaps>,
    phases: Vec<Phase>,
    join: Gaps,
}

impl Region {
    /// It is forked, and there are no others in it.
    fn fork(&mut self) {
        self.forks = true;
        self.phases.iter_mut().for_each(|phase| phase.inner = None);
    }
}

#[derive(Clone, Debug)]
pub struct Process {
    threads: u64,
    begin: u64,
    regions: Vec<Region>,
    /// Nobody leaves a barrier before all have entered it.
    waits: bool,
    /// The region around all of it is left.
    ends: bool,
}

const MOST: usize = 4;

const LOCKS: [([&str; 2], Paradigm, u32); 4] = [
    (["omp critical", "omp critical"], Paradigm::Openmp, 0),
    (["omp_set_lock", "omp_unset_lock"], Paradigm::Openmp, 1),
    (["pthread_mutex_lock", "pthread_mutex_unlock"], Paradigm::Pthread, 0),
    (["pthread_cond_wait", "pthread_mutex_unlock"], Paradigm::Pthread, 0),
];

fn part() -> impl Strategy<Value = Part> + Clone {
    let lock = proptest::option::weighted(0.4, (0..LOCKS.len(), [gaps(), gaps()]));
    (lock, gaps(), proptest::option::weighted(0.2, gap())).prop_map(|(lock, gaps, task)| Part {
        lock,
        gaps,
        task,
    })
}

/// A region; `outer`: there may be others in it.
fn region(outer: bool) -> BoxedStrategy<Region> {
    let barrier = prop_oneof![Just("omp barrier"), Just("omp implicit barrier")];
    let inner = match outer {
        true => proptest::option::weighted(0.3, (0..MOST, region(false))).boxed(),
        false => Just(None).boxed(),
    };
    let phase = (barrier, vec(part(), MOST), inner).prop_map(|(barrier, parts, inner)| Phase {
        barrier,
        parts,
        inner,
    });
    let forks = prop_oneof![3 => Just(true), 1 => Just(false)];
    (1..=MOST, forks, vec(gaps(), MOST), vec(phase, 0..4), gaps())
        .prop_map(|(threads, forks, around, phases, join)| Region {
            threads,
            forks,
            around,
            phases,
            join,
        })
        .boxed()
}

pub fn script(count: usize) -> impl Strategy<Value = Vec<Process>> + Clone {
    let ends = prop_oneof![4 => Just(true), 1 => Just(false)];
    let process = (1..=MOST as u64, gap(), vec(region(true), 0..count), any::<bool>(), ends);
    let process = process.prop_map(|(threads, begin, regions, waits, ends)| Process {
        threads,
        begin,
        regions,
        waits,
        ends,
    });
    vec(process, 1..3)
}

struct Maker<'a> {
    trace: &'a mut Trace,
    process: u64,
    now: Vec<u64>,
    /// Of each lock, how often it was taken.
    taken: Vec<u32>,
    tasks: u32,
}

impl Maker<'_> {
    fn on(&mut self, thread: usize, add: impl FnOnce(&mut Clock<'_>)) {
        let location = self.process * 10 + thread as u64;
        let mut clock = Clock { trace: self.trace, location, now: self.now[thread] };
        add(&mut clock);
        self.now[thread] = clock.now;
    }

    /// A region of the first threads.
    fn outer(&mut self, it: &Region, waits: bool) {
        let members: Vec<usize> = (0..it.threads.min(self.now.len())).collect();
        self.region(it, &members, "omp parallel", waits);
    }

    /// A region of these threads, of which the first one forks.
    fn region(&mut self, it: &Region, members: &[usize], name: &str, waits: bool) {
        let locations: Vec<u64> = members.iter().map(|t| self.process * 10 + *t as u64).collect();
        let first = members[0];
        // The same team again, if there was one.
        let known = self.trace.teams.iter().position(|(_, team)| *team == locations);
        let team = match known {
            Some(known) => CommRef(crate::waitstates::trace::TEAM + known as u32),
            None => self.trace.team(&locations),
        };
        if it.forks {
            self.on(first, |clock| {
                clock.pass(it.join[0]);
                clock.add(fork());
            });
        }
        let forked = self.now[first];
        for &thread in members {
            let gaps = it.around[thread];
            self.now[thread] = self.now[thread].max(forked);
            self.on(thread, |clock| {
                clock.pass(gaps[0]);
                clock.add(team_begin(team));
                clock.pass(gaps[1]);
                clock.enter(name);
            });
        }
        it.phases.iter().for_each(|phase| self.phase(phase, team, members, waits));
        for &thread in members {
            self.on(thread, |clock| {
                clock.pass(it.around[thread][2]);
                clock.leave(name);
                clock.add(team_end(team));
            });
        }
        if it.forks {
            if waits {
                self.now[first] = self.latest(members);
            }
            self.on(first, |clock| {
                clock.pass(it.join[1]);
                clock.add(join());
                clock.pass(it.join[2]);
            });
        }
    }

    fn latest(&self, members: &[usize]) -> u64 {
        members.iter().map(|thread| self.now[*thread]).max().expect("a thread")
    }

    fn phase(&mut self, phase: &Phase, team: CommRef, members: &[usize], waits: bool) {
        for &thread in members {
            let part = &phase.parts[thread];
            if let Some((number, gaps)) = part.lock {
                self.lock(thread, number, gaps);
            }
            self.on(thread, |clock| clock.pass(part.gaps[0]));
        }
        if let Some((leader, inner)) = &phase.inner {
            let leader = members[leader % members.len()];
            let free = (0..self.now.len()).filter(|thread| !members.contains(thread));
            let inside: Vec<usize> = [leader].into_iter().chain(free).take(inner.threads).collect();
            self.region(inner, &inside, "omp parallel inner", waits);
        }
        let last = self.latest(members);
        for &thread in members {
            let part = &phase.parts[thread];
            self.tasks += 1;
            let number = self.tasks;
            self.on(thread, |clock| {
                clock.enter(phase.barrier);
                clock.pass(part.gaps[1]);
                if let Some(ticks) = part.task {
                    clock.add(task_create(team, thread as u32, number));
                    clock.add(task_switch(team, thread as u32, number));
                    clock.enter("omp task");
                    clock.pass(ticks);
                    clock.leave("omp task");
                    clock.add(task_complete(team, thread as u32, number));
                    clock.add(task_switch(team, thread as u32, 0));
                }
                clock.pass(part.gaps[2]);
                if waits {
                    clock.now = clock.now.max(last);
                }
                clock.leave(phase.barrier);
            });
        }
    }

    fn lock(&mut self, thread: usize, number: usize, gaps: [Gaps; 2]) {
        let ([take, give], model, id) = LOCKS[number];
        // Both kinds of a mutex are one lock.
        let of = number.min(2);
        self.taken[of] += 1;
        let order = self.taken[of];
        self.on(thread, |clock| {
            if take == give {
                clock.pass(gaps[0][0]);
                clock.enter(take);
                clock.pass(gaps[0][1]);
                clock.add(acquire(model, id, order));
                clock.call("omp critical sblock", gaps[1], &[]);
                clock.add(release(model, id, order));
                clock.pass(gaps[0][2]);
                clock.leave(take);
            } else {
                clock.call(take, gaps[0], &[acquire(model, id, order)]);
                clock.call(give, gaps[1], &[release(model, id, order)]);
            }
        });
    }
}

pub fn trace(script: &Vec<Process>) -> Trace {
    let threads: Vec<u64> = script.iter().map(|process| process.threads).collect();
    let mut trace = Trace::new(&threads);
    for (process, of) in (0u64..).zip(script) {
        let now = vec![of.begin; of.threads as usize];
        let mut maker =
            Maker { trace: &mut trace, process, now, taken: vec![0; LOCKS.len()], tasks: 0 };
        maker.on(0, |clock| clock.enter("main"));
        of.regions.iter().for_each(|region| maker.outer(region, of.waits));
        if of.ends {
            maker.on(0, |clock| {
                clock.pass(3);
                clock.leave("main");
            });
        }
    }
    trace
}

const FOUND: [&str; 8] = [
    "omp_management",
    "omp_fork",
    "omp_ebarrier_wait",
    "omp_ibarrier_wait",
    "omp_lock_contention_critical",
    "omp_lock_contention_api",
    "pthread_lock_contention_mutex_lock",
    "pthread_lock_contention_conditional",
];

#[test]
fn random_threads_have_every_wait_state() {
    check_many(1000, script(4), trace, &FOUND);
}

#[test]
fn threads_are_as_the_slow_way_says() {
    compare_many(700, script(3), trace);
}

#[test]
fn so_are_many_parallel_regions() {
    compare_many(50, script(20), trace);
}

#[test]
fn clocks_may_go_back() {
    let scripts = (script(3), jumps());
    compare_many(500, scripts, |(script, jumps)| backward(trace(script), jumps));
}

#[test]
fn streams_may_end_too_soon() {
    let scripts = (script(3), cuts());
    compare_many(500, scripts, |(script, cuts)| cut(trace(script), cuts));
}

/// Threads that begin after the fork, and end before the join.
#[test]
fn threads_have_no_more_time_than_passed() {
    let scripts = script(3).prop_map(|mut script| {
        for process in &mut script {
            process.waits = true;
            process.regions.iter_mut().for_each(Region::fork);
        }
        script
    });
    time_is_within_spans(300, scripts, trace);
}
