//! Access to the memory of others: epochs of start and post, fences, locks.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use streamfold::model::enums::{CollectiveOp as Op, LockType};
use streamfold::model::events::Event;
use streamfold::model::ids::{GroupRef, RmaWinRef};

use super::messages::order;
use super::{minus, Call, Found, Place};
use crate::waitstates::trace::{Trace, GROUP};

pub fn find(found: &mut Found<'_>) {
    late_posts(found);
    early_waits(found);
    fences(found);
    locks(found);
}

/// All events in the order of locations.
fn events(trace: &Trace) -> Vec<(Place, u64, &Event<'static>)> {
    let of = |(location, events): (&u64, &'_ crate::waitstates::trace::Stream)| {
        let location = *location;
        (0..events.len()).map(move |at| (location, at)).collect::<Vec<_>>()
    };
    let places = trace.streams.iter().flat_map(of);
    let event = |place: Place| {
        let (time, event) = &trace.streams[&place.0][place.1];
        (place, *time, event)
    };
    places.map(event).collect()
}

/// An operation on the memory of a process.
struct Operation {
    place: Place,
    time: u64,
    win: RmaWinRef,
    target: u64,
}

fn operations(trace: &Trace) -> Vec<Operation> {
    let of = |(place, time, event): (Place, u64, &Event<'_>)| {
        let (win, target) = match event {
            Event::RmaPut(it) => (it.win, it.remote),
            Event::RmaGet(it) => (it.win, it.remote),
            Event::RmaAtomic(it) => (it.win, it.remote),
            _ => return None,
        };
        Some(Operation { place, time, win, target: u64::from(target) })
    };
    events(trace).into_iter().filter_map(of).collect()
}

/// An epoch of access or of exposure: the calls that begin and end it, and where in the stream.
#[derive(Clone, Debug)]
struct Epoch {
    process: u64,
    win: RmaWinRef,
    group: GroupRef,
    begins: Call,
    ends: Call,
    from: Place,
    to: Place,
}

impl Epoch {
    fn partners<'a>(&self, trace: &'a Trace) -> &'a [u64] {
        &trace.groups[(self.group.0 - GROUP) as usize]
    }
}

/// The epochs that begin in one call and end in one of others, in order.
fn epochs(found: &Found<'_>, begins: &str, ends: &[&str]) -> Vec<Epoch> {
    let mut all = Vec::new();
    let mut open: BTreeMap<(u64, RmaWinRef), (Call, Place)> = BTreeMap::new();
    for (place, _, event) in events(found.trace) {
        let Event::RmaGroupSync(it) = event else { continue };
        let Some(call) = found.visits.mpi(place) else { continue };
        let key = (place.0, it.win);
        if found.visits.visit(call).is(&[begins]) {
            open.insert(key, (call, place));
        } else if found.visits.visit(call).is(ends) && it.sync_level.0 != 0 {
            let Some((begins, from)) = open.remove(&key) else { continue };
            let (process, win, group) = (place.0 / 10, it.win, it.group);
            all.push(Epoch { process, win, group, begins, ends: call, from, to: place });
        }
    }
    all.sort_by_key(|epoch| order(found.trace, epoch.from));
    all
}

fn access(found: &Found<'_>) -> Vec<Epoch> {
    epochs(found, "mpi_win_start", &["mpi_win_complete"])
}

fn exposure(found: &Found<'_>) -> Vec<Epoch> {
    epochs(found, "mpi_win_post", &["mpi_win_wait", "mpi_win_test"])
}

/// The epoch of a partner that belongs to this one: of those with each other, the one of the same number.
fn partner_of<'a>(
    trace: &Trace,
    epoch: &Epoch,
    own: &[Epoch],
    others: &'a [Epoch],
    partner: u64,
) -> Option<&'a Epoch> {
    let with = |epochs: &'a [Epoch], of: u64, with: u64| {
        epochs.iter().filter(move |it| {
            it.process == of && it.win == epoch.win && it.partners(trace).contains(&with)
        })
    };
    let before = own
        .iter()
        .filter(|it| {
            it.process == epoch.process
                && it.win == epoch.win
                && it.partners(trace).contains(&partner)
                && order(trace, it.from) < order(trace, epoch.from)
        })
        .count();
    with(others, partner, epoch.process).nth(before)
}

fn late_posts(found: &mut Found<'_>) {
    let (access, exposure, trace) = (access(found), exposure(found), found.trace);
    for epoch in &access {
        let post = |target: u64| {
            let other = partner_of(trace, epoch, &access, &exposure, target)?;
            Some((found.visits.enter(other.begins), other.begins.0))
        };
        let posts = epoch.partners(trace).iter().filter_map(|target| post(*target));
        // Of several at one time the first location.
        let last = posts.max_by_key(|(time, location)| (*time, Reverse(*location)));
        let Some((latest, target)) = last else { continue };
        let mut waits = Vec::new();
        for call in [epoch.ends, epoch.begins] {
            let enter = found.visits.enter(call);
            if enter < latest && found.visits.leave(call).is_some_and(|leave| latest < leave) {
                let cause = (target, latest);
                waits.push(("mpi_rma_sync_late_post", call, enter, minus(latest, enter), cause));
                break;
            }
        }
        if waits.is_empty() {
            for it in operations(trace) {
                let inside = it.win == epoch.win && epoch.from < it.place && it.place < epoch.to;
                let Some(call) = found.visits.mpi(it.place).filter(|_| inside) else { continue };
                let Some((post, target)) = post(it.target) else { continue };
                if it.time < post && found.visits.leave(call).is_some_and(|leave| post < leave) {
                    let ticks = minus(post, it.time);
                    let cause = (target, post);
                    waits.push(("mpi_rma_comm_late_post", call, it.time, ticks, cause));
                }
            }
        }
        for (metric, call, from, ticks, cause) in waits {
            found.charge(metric, call, from, ticks, Some(cause));
        }
    }
}

fn early_waits(found: &mut Found<'_>) {
    let (access, exposure, trace) = (access(found), exposure(found), found.trace);
    for epoch in &exposure {
        if !found.visits.visit(epoch.ends).is(&["mpi_win_wait"]) {
            continue;
        }
        let origins = epoch.partners(trace).iter();
        let others: Vec<&Epoch> = origins
            .filter_map(|origin| partner_of(trace, epoch, &exposure, &access, *origin))
            .collect();
        let completes = others.iter().map(|other| (found.visits.enter(other.ends), other.process));
        let locations = others.iter().map(|other| (other.process, other.ends.0));
        let locations: BTreeMap<u64, u64> = locations.collect();
        let last = completes.clone().map(|(enter, _)| enter).max();
        let (Some(last), Some(leave)) = (last, found.visits.leave(epoch.ends)) else {
            continue;
        };
        let of_last = completes.filter(|(enter, _)| *enter == last).map(|(_, process)| process);
        let origin = of_last.min().expect("an origin");
        let in_these = |it: &Operation| {
            it.target == epoch.process
                && others.iter().any(|other| {
                    it.win == epoch.win && other.from < it.place && it.place < other.to
                })
        };
        let operations = operations(trace).into_iter().filter(in_these);
        let ended = operations.filter_map(|it| found.visits.leave(found.visits.mpi(it.place)?));
        let enter = found.visits.enter(epoch.ends);
        let from = enter.max(ended.max().unwrap_or(0));
        found.check("rma", (last, origin), (leave, epoch.process));
        if minus(last.min(leave), enter) > 0 {
            let late = vec![("mpi_rma_late_complete", minus(last.min(leave), from))];
            let wait = minus(last.min(leave), enter);
            let cause = Some((locations[&origin], last));
            found.charge_with("mpi_rma_early_wait", epoch.ends, enter, wait, late, cause);
        }
    }
}

/// What a member recorded of a collective operation on a window.
#[derive(Clone, Copy, Debug)]
struct Part {
    op: Op,
    began: u64,
    ended: u64,
    end: Place,
}

/// What each process recorded on a window, in order.
fn parts(found: &Found<'_>, win: RmaWinRef) -> Vec<Vec<Part>> {
    let mut parts = vec![Vec::new(); found.trace.processes() as usize];
    let mut begun: BTreeMap<u64, u64> = BTreeMap::new();
    for (place, time, event) in events(found.trace) {
        match event {
            Event::RmaCollectiveBegin(_) => drop(begun.insert(place.0, time)),
            Event::RmaCollectiveEnd(it) => {
                let call = found.visits.mpi(place);
                let enter = call.map_or(time, |call| found.visits.enter(call));
                let began = begun.remove(&place.0).unwrap_or(enter);
                if it.win == win {
                    let part = Part { op: it.collective_op, began, ended: time, end: place };
                    parts[(place.0 / 10) as usize].push(part);
                }
            }
            _ => {}
        }
    }
    parts
}

fn fences(found: &mut Found<'_>) {
    for win in 0..found.trace.windows {
        let win = RmaWinRef(win);
        let parts = parts(found, win);
        let complete = parts.iter().map(Vec::len).min().unwrap_or(0);
        for number in 0..complete {
            let members: Vec<Part> = parts.iter().map(|of| of[number]).collect();
            if members.len() < 2 || members.iter().any(|part| part.op != members[0].op) {
                continue;
            }
            let latest = members.iter().map(|part| part.began).max().expect("members");
            let first = members.iter().map(|part| part.ended).min().expect("members");
            if first <= latest {
                continue;
            }
            let last = members.iter().find(|part| part.began == latest);
            let cause = last.map(|part| (part.end.0, latest));
            for (process, part) in members.iter().enumerate() {
                let Some(call) = found.visits.mpi(part.end) else { continue };
                let wait = minus(latest, part.began);
                let metric = match part.op {
                    Op::Barrier => "mpi_rma_wait_at_fence",
                    Op::CreateHandle | Op::CreateHandleAndAllocate => "mpi_rma_wait_at_create",
                    Op::DestroyHandle | Op::DestroyHandleAndDeallocate => "mpi_rma_wait_at_free",
                    _ => continue,
                };
                let ended = last_operation(found, win, &parts, number, process as u64);
                let ended = ended.filter(|ended| part.began < *ended && *ended <= part.ended);
                let ended = ended.filter(|_| part.op == Op::Barrier);
                // A part of that wait, however clocks go.
                let early = ended.map(|ended| minus(ended.min(latest), part.began));
                let early = early.map(|early| ("mpi_rma_early_fence", early));
                let early = early.into_iter().collect();
                found.charge_with(metric, call, part.began, wait, early, cause);
            }
        }
    }
}

/// When the last operation on a process ended, of those that their origins began between two fences.
fn last_operation(
    found: &Found<'_>,
    win: RmaWinRef,
    parts: &[Vec<Part>],
    number: usize,
    target: u64,
) -> Option<u64> {
    let since_the_fence_before = |it: &Operation| {
        let of = &parts[(it.place.0 / 10) as usize];
        let before = of[..number].iter().rfind(|part| part.op == Op::Barrier);
        it.win == win
            && it.target == target
            && it.place < of[number].end
            && before.is_none_or(|part| part.end < it.place)
    };
    let operations = operations(found.trace).into_iter().filter(since_the_fence_before);
    operations.filter_map(|it| found.visits.leave(found.visits.mpi(it.place)?)).max()
}

/// The rank of all processes, whose memory is locked at once.
const EVERYBODY: u32 = u32::MAX;

/// The memory of a process is locked.
#[derive(Clone, Copy, Debug)]
struct Locked {
    origin: u64,
    win: RmaWinRef,
    target: u32,
    lock_type: LockType,
    request: Place,
    requested: u64,
    acquire: Option<Place>,
    release: Place,
    released: u64,
}

fn locked(trace: &Trace) -> Vec<Locked> {
    let mut all = Vec::new();
    let mut open: BTreeMap<(u64, RmaWinRef, u32), Locked> = BTreeMap::new();
    for (place, time, event) in events(trace) {
        match event {
            Event::RmaRequestLock(it) => {
                let locked = Locked {
                    origin: place.0 / 10,
                    win: it.win,
                    target: it.remote,
                    lock_type: it.lock_type,
                    request: place,
                    requested: time,
                    acquire: None,
                    release: place,
                    released: time,
                };
                open.insert((place.0, it.win, it.remote), locked);
            }
            Event::RmaAcquireLock(it) => {
                if let Some(locked) = open.get_mut(&(place.0, it.win, it.remote)) {
                    locked.acquire = Some(place);
                }
            }
            Event::RmaReleaseLock(it) => {
                if let Some(locked) = open.remove(&(place.0, it.win, it.remote)) {
                    all.push(Locked { release: place, released: time, ..locked });
                }
            }
            _ => {}
        }
    }
    all
}

fn locks(found: &mut Found<'_>) {
    let all = locked(found.trace);
    for own in &all {
        let on_the_same = |other: &Locked| {
            let anybody = [other.target, own.target].contains(&EVERYBODY);
            other.win == own.win && (other.target == own.target || anybody)
        };
        let conflicts = |other: &&Locked| {
            other.origin != own.origin
                && on_the_same(other)
                && [other.lock_type, own.lock_type].contains(&LockType::Exclusive)
                && other.released < own.released
                && other.released > own.requested
        };
        // Of several at one time the last location.
        let releases = all.iter().filter(conflicts).map(|other| (other.released, other.release.0));
        let Some((until, holder)) = releases.max() else {
            continue;
        };
        const SYNC: &str = "mpi_rma_sync_lock_competition";
        const COMM: &str = "mpi_rma_comm_lock_competition";
        let mut calls = vec![(own.request, SYNC)];
        let inside = |it: &Operation| {
            it.win == own.win
                && (own.target == EVERYBODY || it.target == u64::from(own.target))
                && own.request < it.place
                && it.place < own.release
        };
        let operations = operations(found.trace).into_iter().filter(inside);
        calls.extend(operations.map(|it| (it.place, COMM)));
        calls.push((own.release, SYNC));
        let acquired = own.acquire.and_then(|place| found.visits.mpi(place));
        for (place, metric) in calls {
            let Some(call) = found.visits.mpi(place) else { continue };
            let (enter, leave) = (found.visits.enter(call), found.visits.leave(call));
            let blocked = enter < until && leave.is_some_and(|leave| until < leave);
            if blocked && (own.acquire.is_none() || acquired == Some(call)) {
                found.charge(metric, call, enter, minus(until, enter), Some((holder, until)));
                break;
            }
        }
    }
}
