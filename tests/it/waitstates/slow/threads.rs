//! Threads: barriers of teams, fork and join, locks, threads that are waited for.

use std::collections::BTreeMap;
use std::ops::Range;

use streamfold::model::enums::{Paradigm, RegionRole};
use streamfold::model::events::{Event, ThreadBegin};

use super::{minus, Call, Edge, Found, Location, Place};
use crate::waitstates::trace::{Stream, Trace};

/// A stretch of a thread in a team.
#[derive(Clone, Debug)]
pub struct Stay {
    pub location: u64,
    pub team: u32,
    /// Which stretch of the location in this team it is.
    pub number: usize,
    /// Numbers of the events that begin and end it.
    pub begin: usize,
    pub end: usize,
}

/// The stretches of all threads; one that does not end lasts to the end.
pub fn stays(trace: &Trace) -> Vec<Stay> {
    let mut all: Vec<Stay> = Vec::new();
    for (location, events) in &trace.streams {
        let mut open: Vec<usize> = Vec::new();
        for (at, (_, event)) in events.iter().enumerate() {
            match event {
                Event::ThreadTeamBegin(it) => {
                    let team = it.thread_team.0;
                    let of = |stay: &&Stay| stay.location == *location && stay.team == team;
                    let number = all.iter().filter(of).count();
                    open.push(all.len());
                    let (begin, end) = (at, events.len());
                    all.push(Stay { location: *location, team, number, begin, end });
                }
                Event::ThreadTeamEnd(it) => {
                    if let Some(stay) = open.pop() {
                        assert_eq!(all[stay].team, it.thread_team.0, "teams end as they begin");
                        all[stay].end = at;
                    }
                }
                _ => {}
            }
        }
    }
    all
}

/// The innermost stretch that is open at an event.
fn around(stays: &[Stay], (location, event): Place) -> Option<&Stay> {
    let open = stays
        .iter()
        .filter(|stay| stay.location == location && stay.begin < event && event < stay.end);
    open.max_by_key(|stay| stay.begin)
}

pub fn find(found: &mut Found<'_>) {
    let stays = stays(found.trace);
    barriers(found, &stays);
    forks(found, &stays);
    locks(found);
    creations(found);
    joins(found);
}

/// Process, team, number of the parallel region, number of the barrier in it.
type BarrierKey = (u64, u32, usize, usize);

fn barriers(found: &mut Found<'_>, stays: &[Stay]) {
    let mut members: BTreeMap<BarrierKey, Vec<Call>> = BTreeMap::new();
    for location in found.visits.0.values() {
        let mut counts: BTreeMap<(u32, usize), usize> = BTreeMap::new();
        for (number, visit) in location.visits.iter().enumerate() {
            let is_barrier =
                matches!(visit.role, RegionRole::Barrier | RegionRole::ImplicitBarrier);
            if visit.paradigm != Paradigm::Openmp || !is_barrier {
                continue;
            }
            let Some(stay) = around(stays, (location.id, visit.enter.1)) else { continue };
            let count = counts.entry((stay.team, stay.number)).or_default();
            let key = (location.id / 10, stay.team, stay.number, *count);
            *count += 1;
            members.entry(key).or_default().push((location.id, number));
        }
    }
    for calls in members.values() {
        let latest = calls.iter().map(|call| found.visits.enter(*call)).max().expect("a member");
        let of_last = calls.iter().filter(|call| found.visits.enter(**call) == latest);
        let cause = of_last.map(|(location, _)| (*location, latest)).min();
        for call in calls {
            let Some(leave) = found.visits.leave(*call) else { continue };
            let process = call.0 / 10;
            found.check("omp", (latest, process), (leave, process));
            let visit = found.visits.visit(*call).clone();
            let tasks = in_tasks(found, *call);
            let wait = minus(latest.min(leave), visit.enter.0) - i128::from(tasks);
            let metric = match visit.role {
                RegionRole::Barrier => "omp_ebarrier_wait",
                _ => "omp_ibarrier_wait",
            };
            found.charge(metric, *call, visit.enter.0, wait, cause);
        }
    }
}

/// The time that a visit spent with explicit tasks other than its own.
fn in_tasks(found: &Found<'_>, (location, visit): Call) -> u64 {
    let of: &Location = found.visits.of(location);
    let visit = &of.visits[visit];
    let (from, to) = (visit.enter.1, visit.leave.expect("it is left").1);
    let (own, times) = (of.tasks[from], &of.times);
    (from..to).filter(|at| of.tasks[*at] != own).map(|at| times[at + 1] - times[at]).sum()
}

/// Forks with the joins that belong to them: numbers of their events.
pub fn forks_of(events: &Stream) -> Vec<(usize, Option<usize>)> {
    let mut all: Vec<(usize, Option<usize>)> = Vec::new();
    let mut open = Vec::new();
    for (at, (_, event)) in events.iter().enumerate() {
        match event {
            Event::ThreadFork(_) => {
                open.push(all.len());
                all.push((at, None));
            }
            Event::ThreadJoin(_) => {
                if let Some(fork) = open.pop() {
                    all[fork].1 = Some(at);
                }
            }
            _ => {}
        }
    }
    all
}

/// The parallel region of a stretch: the one in which it begins, where that is of no other, or the first one in it.
pub fn parallel(found: &Found<'_>, stays: &[Stay], stay: &Stay) -> Option<Call> {
    let visits = &found.visits.of(stay.location).visits;
    let is_parallel = |visit: &super::Visit| {
        (visit.paradigm, visit.role) == (Paradigm::Openmp, RegionRole::Parallel)
    };
    let open = found.visits.of(stay.location).behind(stay.begin);
    if let Some(open) = open.filter(|open| is_parallel(&visits[*open])) {
        let call = Some((stay.location, open));
        let mut outer = stays.iter().filter(|outer| {
            outer.location == stay.location && (outer.begin..outer.end).contains(&stay.begin)
        });
        let is_of = |outer: &Stay| parallel(found, stays, outer) == call;
        if !outer.any(|outer| outer.begin < stay.begin && is_of(outer)) {
            return call;
        }
    }
    let is_it = |visit: &super::Visit| {
        let inside = around(stays, (stay.location, visit.enter.1));
        is_parallel(visit) && inside.is_some_and(|inside| inside.begin == stay.begin)
    };
    Some((stay.location, visits.iter().position(is_it)?))
}

fn forks(found: &mut Found<'_>, stays: &[Stay]) {
    for (location, events) in &found.trace.streams {
        for (fork, join) in forks_of(events) {
            let mut own = stays.iter().filter(|stay| stay.location == *location);
            let Some(own) =
                own.find(|stay| stay.begin > fork && join.is_none_or(|j| stay.begin < j))
            else {
                continue;
            };
            // Where the region was not entered nobody knows that it was forked for it.
            if parallel(found, stays, own).is_none() {
                continue;
            }
            let same = |stay: &&Stay| {
                stay.location / 10 == location / 10
                    && (stay.team, stay.number) == (own.team, own.number)
            };
            let now = |event: usize| found.visits.of(*location).now(event);
            let (forked, joined) = (now(fork), join.map(now));
            join_of(found, stays, own, joined);
            for stay in stays.iter().filter(same) {
                let Some(call) = parallel(found, stays, stay) else { continue };
                let enter = found.visits.enter(call);
                let process = location / 10;
                found.check("omp", (forked, process), (enter, process));
                let own = stay.location == *location;
                let is_first = stay.location % 10 == 0;
                let from = forked.max(created(&found.trace.streams[&stay.location]));
                // A worker goes on from the fork.
                let worker = stay.location;
                if !own && forked >= created(&found.trace.streams[&worker]) {
                    let (kind, end, cause) = ("fork", forked, *location);
                    found.edges.push(Edge { location: worker, end, kind, cause });
                }
                let visit = found.visits.visit(call);
                let (entered, left) = (visit.enter.1, visit.leave);
                let forking = match own {
                    true => own_around(found, call, fork..entered),
                    false => minus(enter, from),
                };
                // What the first thread does meanwhile is recorded.
                let forking = if own || !is_first { forking } else { 0 };
                found.add("omp_fork", call, forking);
                found.add("omp_management", call, forking);
                let (Some(joined), Some((leave, left))) = (join.zip(joined), left) else {
                    continue;
                };
                let (join, joined) = joined;
                found.check("omp", (leave, process), (joined, process));
                let joining = match own {
                    true => own_around(found, call, left..join),
                    false if is_first => 0,
                    false => minus(joined, leave),
                };
                found.add("omp_management", call, joining);
            }
        }
    }
}

/// The thread that forked a team goes on when the last of the others has left, if they met at no implicit barrier.
fn join_of(found: &mut Found<'_>, stays: &[Stay], own: &Stay, joined: Option<u64>) {
    let same = |stay: &&Stay| {
        stay.location / 10 == own.location / 10
            && (stay.team, stay.number) == (own.team, own.number)
    };
    let meets = |stay: &Stay| {
        let visits = &found.visits.of(stay.location).visits;
        let mut barriers = visits.iter().filter(|visit| {
            (visit.paradigm, visit.role) == (Paradigm::Openmp, RegionRole::ImplicitBarrier)
        });
        barriers.any(|visit| {
            let inside = around(stays, (stay.location, visit.enter.1));
            inside.is_some_and(|inside| inside.begin == stay.begin)
        })
    };
    let with_region = |stay: &&Stay| parallel(found, stays, stay).is_some();
    if stays.iter().filter(same).filter(with_region).any(meets) {
        return;
    }
    let left = |stay: &Stay| found.visits.leave(parallel(found, stays, stay)?);
    let (Some(joined), Some(own_end)) = (joined, left(own)) else { return };
    let others = stays.iter().filter(same).filter(|stay| stay.location != own.location);
    let ends = others.filter_map(|stay| Some((left(stay)?, stay.location)));
    let last = ends.max_by_key(|(time, location)| (*time, std::cmp::Reverse(*location)));
    let Some((end, cause)) = last.filter(|(end, _)| *end > own_end) else { return };
    match end <= joined {
        true => found.edges.push(Edge { location: own.location, end, kind: "join", cause }),
        false => found.impossible += 1,
    }
}

/// The time between two events of a location that is of the visit around a call, and of no visit in that.
fn own_around(found: &Found<'_>, (location, visit): Call, between: Range<usize>) -> i128 {
    let of = found.visits.of(location);
    let (first, last) = (between.start, between.end);
    let (outer, task) = (of.visits[visit].parent, of.tasks[of.visits[visit].enter.1]);
    let around = |visit: &usize| of.visits[*visit].parent;
    let has_it = |visit: &usize| Some(*visit) == outer || !of.is_dropped(*visit, last);
    let owner = |at| std::iter::successors(of.behind(at), around).find(has_it);
    let is_there = |at: &usize| owner(*at) == outer && of.tasks[*at] == task;
    // Of an event that is no visit, what passed since the last one.
    let since = |at: usize| if is_there(&at) { minus(of.now(at), of.times[at]) } else { 0 };
    let whole: i128 =
        between.filter(is_there).map(|at| minus(of.times[at + 1], of.times[at])).sum();
    (whole + since(last) - since(first)).max(0)
}

/// When a thread was created; 0: that was not recorded.
fn created(events: &Stream) -> u64 {
    let begins = |(_, event): &&(u64, Event<'_>)| matches!(event, Event::ThreadBegin(_));
    events.iter().find(begins).map_or(0, |(time, _)| *time)
}

/// Process, paradigm, lock, order.
type LockKey = (u64, Paradigm, u32, u32);

fn locks(found: &mut Found<'_>) {
    let mut released: BTreeMap<LockKey, (u64, u64)> = BTreeMap::new();
    for (location, events) in &found.trace.streams {
        for (time, event) in events {
            if let Event::ThreadReleaseLock(it) = event {
                let key = (location / 10, it.model, it.lock_id, it.acquisition_order);
                released.insert(key, (*location, *time));
            }
        }
    }
    for (location, events) in &found.trace.streams {
        for (at, (time, event)) in events.iter().enumerate() {
            let Event::ThreadAcquireLock(it) = event else { continue };
            let Some(before) = it.acquisition_order.checked_sub(1) else { continue };
            let key = (location / 10, it.model, it.lock_id, before);
            let Some((releaser, release)) = released.get(&key).copied() else { continue };
            let process = location / 10;
            found.check("omp", (release, process), (*time, process));
            let Some(visit) = found.visits.of(*location).around(at, it.model) else { continue };
            let call = (*location, visit);
            let visit = found.visits.visit(call).clone();
            let metric = match (visit.paradigm, visit.role) {
                (Paradigm::Openmp, RegionRole::Critical | RegionRole::CriticalSblock) => {
                    "omp_lock_contention_critical"
                }
                (Paradigm::Openmp, _) => "omp_lock_contention_api",
                _ if visit.is(&["pthread_mutex_lock", "pthread_mutex_trylock"]) => {
                    "pthread_lock_contention_mutex_lock"
                }
                _ if visit.is(&["pthread_cond_wait", "pthread_cond_timedwait"]) => {
                    "pthread_lock_contention_conditional"
                }
                _ => continue,
            };
            let enter = visit.enter.0;
            let cause = Some((releaser, release));
            found.charge(metric, call, enter, minus(release.min(*time), enter), cause);
        }
    }
}

/// Threads that others create.
fn creations(found: &mut Found<'_>) {
    let trace = found.trace;
    let all = || {
        let streams = trace.streams.iter();
        streams.flat_map(|(location, events)| {
            (0..events.len()).map(move |at| (*location, at, &events[at].1))
        })
    };
    for (creator, at, event) in all() {
        let Event::ThreadCreate(create) = event else { continue };
        let same = |it: &ThreadBegin| {
            (it.thread_contingent, it.sequence_count)
                == (create.thread_contingent, create.sequence_count)
        };
        for (location, begins, event) in all() {
            let Event::ThreadBegin(begin) = event else { continue };
            if location == creator || location / 10 != creator / 10 || !same(begin) {
                continue;
            }
            let end = found.visits.of(creator).now(at);
            match end <= found.visits.of(location).now(begins) {
                true => found.edges.push(Edge { location, end, kind: "create", cause: creator }),
                false => found.impossible += 1,
            }
        }
    }
}

/// Threads that are waited for.
fn joins(found: &mut Found<'_>) {
    let all: Vec<(u64, usize, &Event<'_>, u64)> = found
        .trace
        .streams
        .iter()
        .flat_map(|(location, events)| {
            let numbered = events.iter().enumerate();
            numbered.map(|(at, (time, event))| (*location, at, event, *time))
        })
        .collect();
    for (location, at, event, _) in &all {
        let Event::ThreadWait(wait) = event else { continue };
        let ended = all.iter().find(|(other, _, event, _)| match event {
            Event::ThreadEnd(it) => {
                other / 10 == location / 10
                    && (it.thread_contingent, it.sequence_count)
                        == (wait.thread_contingent, wait.sequence_count)
            }
            _ => false,
        });
        let visit = found.visits.of(*location).around(*at, Paradigm::Pthread);
        let (Some((ends, _, _, ended)), Some(visit)) = (ended, visit) else { continue };
        let call = (*location, visit);
        let Some(leave) = found.visits.leave(call) else { continue };
        let enter = found.visits.enter(call);
        let wait = minus(leave.min(*ended), enter);
        found.charge("pthread_join_wait", call, enter, wait, Some((*ends, *ended)));
    }
}
