//! Threads that are idle.

use std::collections::BTreeMap;

use streamfold::model::enums::{Paradigm, RegionRole};
use streamfold::model::events::Event;

use super::threads::{forks_of, parallel, stays, Stay};
use super::{Call, Found, Visit};

/// Parallel regions of a thread that forks: the region, and the times of its fork and its join.
struct Region {
    call: Call,
    fork: Option<u64>,
    join: Option<u64>,
    /// Whether it was left.
    is_left: bool,
    team: (u32, usize),
}

/// The outermost ones of a location.
fn regions_of(found: &Found<'_>, stays: &[Stay], location: u64) -> Vec<Region> {
    let events = &found.trace.streams[&location];
    let own: Vec<&Stay> = stays.iter().filter(|stay| stay.location == location).collect();
    let outermost =
        |stay: &Stay| !own.iter().any(|outer| outer.begin < stay.begin && stay.begin < outer.end);
    let mut regions = Vec::new();
    for stay in own.iter().filter(|stay| outermost(stay)) {
        let Some(call) = parallel(found, stays, stay) else { continue };
        // The last fork before it, unless another team is between them.
        let fork = forks_of(events).into_iter().rfind(|(fork, join)| {
            *fork < stay.begin
                && join.is_none_or(|join| stay.begin < join)
                && !own.iter().any(|other| *fork < other.begin && other.begin < stay.begin)
        });
        let time = |at: usize| found.visits.of(location).now(at);
        let team = (stay.team, stay.number);
        let join = fork.and_then(|(_, join)| join).map(time);
        let is_left = found.visits.leave(call).is_some();
        regions.push(Region { call, fork: fork.map(|(fork, _)| time(fork)), join, is_left, team });
    }
    regions
}

/// Idle ticks of threads: while the first one is in no parallel region, and while it is in one in which
/// they do not take part, or not as long.
pub fn idle(found: &Found<'_>) -> BTreeMap<u64, [i128; 2]> {
    let is_parallel =
        |visit: &Visit| (visit.paradigm, visit.role) == (Paradigm::Openmp, RegionRole::Parallel);
    let mut idle = BTreeMap::new();
    if !found.visits.0.values().any(|location| location.visits.iter().any(is_parallel)) {
        return idle;
    }
    let stays = stays(found.trace);
    for (process, threads) in (0u64..).zip(&found.trace.threads) {
        let master = process * 10;
        let events = &found.trace.streams[&master];
        let Some((first, _)) = events.first() else { continue };
        let last = events.iter().map(|(time, _)| *time).max().expect("there is a first");
        let regions = regions_of(found, &stays, master);
        let length = |region: &Region| {
            let enter = found.visits.enter(region.call);
            let leave = found.visits.leave(region.call).unwrap_or(last);
            let from = region.fork.map_or(enter, |fork| fork.min(enter));
            let to = region.join.map_or(leave, |join| join.max(leave));
            i128::from(to - from)
        };
        let parallel_time: i128 = regions.iter().map(length).sum();
        let forking =
            forked_last(found, master).map_or(0, |fork| i128::from(last - fork.min(last)));
        // Clocks that go back let regions overlap.
        let outside = (i128::from(last - first) - parallel_time - forking).max(0);
        for thread in 1..*threads {
            let location = master + thread;
            let events = &found.trace.streams[&location];
            if events.iter().any(|(_, event)| matches!(event, Event::ThreadBegin(_))) {
                continue;
            }
            // Threads that are in teams of others than the first one only are not idle elsewhere.
            let mut teams = stays
                .iter()
                .filter(|stay| stay.location == location && parallel(found, &stays, stay).is_some())
                .peekable();
            let is_led =
                |stay: &Stay| regions.iter().any(|region| region.team == (stay.team, stay.number));
            if teams.peek().is_some() && !teams.any(is_led) {
                continue;
            }
            let mut limited = 0;
            for region in regions.iter().filter(|region| region.is_left) {
                let own = stays.iter().find(|stay| {
                    stay.location == location && (stay.team, stay.number) == region.team
                });
                let inside = own.and_then(|stay| parallel(found, &stays, stay));
                let inside = inside.map_or(0, |call| within(found, call, region));
                limited += length(region).saturating_sub(inside).max(0);
            }
            idle.insert(location, [outside, limited]);
        }
    }
    idle
}

/// When a location forked the last team, in no parallel region, if its events end before it enters that of the team.
fn forked_last(found: &Found<'_>, location: u64) -> Option<u64> {
    let of = found.visits.of(location);
    let (fork, _) = forks_of(&found.trace.streams[&location]).into_iter().next_back()?;
    let parallel = || of.visits.iter().filter(|visit| visit.role == RegionRole::Parallel);
    let is_entered = parallel().any(|visit| visit.enter.1 > fork);
    let is_inside = parallel().any(|visit| visit.leave.is_none_or(|leave| leave.1 > fork));
    (!is_entered && !is_inside).then(|| of.now(fork))
}

/// The time of a thread in a parallel region, with fork and join.
fn within(found: &Found<'_>, call: Call, region: &Region) -> i128 {
    assert_eq!(found.visits.visit(call).role, RegionRole::Parallel);
    let enter = i128::from(found.visits.enter(call));
    // One that never left was there to the end.
    let Some(leave) = found.visits.leave(call) else { return i128::MAX };
    let leave = i128::from(leave);
    let forked = region.fork.map_or(0, |fork| (enter - i128::from(fork)).max(0));
    let joined = region.join.map_or(0, |join| (i128::from(join) - leave).max(0));
    leave - enter + forked + joined
}
