//! Meetings of processes and threads besides messages and collective operations. They start and end, fork and join,
//! meet at barriers, and take locks from each other.

use streamfold_model::ids::LocationRef;

use super::call::Call;
use super::charges::{Charges, Wait};
use super::culprit::Culprit;
use super::edges::{EdgeKind, Edges};
use super::epochs::Opener;
use super::metric::Metric;
use super::severity::{InTeams, Kind, LeftOut, Place, Severities};
use super::threads::Threads;
use crate::account::Group;
use crate::delays::Together;
use crate::matching::coding::{put, put_change, take, take_change};
use crate::matching::{Item, Items, Key, Order, Process, Source};
use crate::replay::{Link, LinkId, Links, Point, Taker, What};

/// The part of a location in a meeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attendance {
    /// Number of the meeting among those with one key, and the location.
    pub order: Order,
    /// The event.
    pub action: MeetingEvent,
    /// The call in which it was; `None`: no call is known.
    pub call: Option<Call>,
}

/// The event of a location at a meeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeetingEvent {
    /// It was in the call.
    Was,
    /// It was at a barrier, where waiting has this metric.
    Barrier(Metric),
    /// It was in the parallel region of the call. Times in ticks.
    Parallel {
        /// When it forked the team; `None`: it did not.
        fork: Option<u64>,
        /// From when on it may have waited for the region: it was created then, or it forked and did something else
        /// until then.
        from: u64,
        /// When it joined it; `None`: it did not.
        join: Option<u64>,
        /// If it forked the team: the leave of the region, plus the time of joining.
        until: Option<u64>,
        /// Set if threads that take no part count as idle. The location is the first thread of its process, and its
        /// team is not nested.
        leads: bool,
        /// Set if threads met at an implicit barrier there: then nobody waits for others to join.
        meets: bool,
        /// The number of the event with which the region was left, if it was.
        left: u64,
    },
    /// It created a thread at this time.
    Created(u64),
    /// It was a thread that was created, and began.
    Begun {
        /// When, in ticks.
        time: u64,
        /// The end of the thread that was before it at its location.
        since: u64,
    },
    /// It was a thread that was created, and ended at this time.
    Ended(u64),
    /// It acquired a lock at this time, where waiting for it has this metric.
    Acquired(u64, Metric),
    /// It released a lock at this time.
    Released(u64),
}

impl Item for Attendance {
    fn order(&self) -> Order {
        self.order
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        put_change(self.order.time, before.map_or(0, |before| before.order.time), bytes);
        put_change(self.order.number, before.map_or(0, |before| before.order.number), bytes);
        match self.action {
            MeetingEvent::Was => put(0, bytes),
            MeetingEvent::Barrier(metric) => {
                put(1, bytes);
                put(metric.number().into(), bytes);
            }
            MeetingEvent::Parallel { fork, from, join, until, leads, meets, left } => {
                put(2, bytes);
                put(from, bytes);
                for time in [fork, join, until] {
                    put(time.is_some().into(), bytes);
                    put(time.unwrap_or(0), bytes);
                }
                put(u64::from(leads) | u64::from(meets) << 1, bytes);
                put_change(left, self.order.number, bytes);
            }
            MeetingEvent::Ended(time) => {
                put(3, bytes);
                put(time, bytes);
            }
            MeetingEvent::Acquired(time, metric) => {
                put(4, bytes);
                put(time, bytes);
                put(metric.number().into(), bytes);
            }
            MeetingEvent::Released(time) => {
                put(5, bytes);
                put(time, bytes);
            }
            MeetingEvent::Created(time) => {
                put(6, bytes);
                put(time, bytes);
            }
            MeetingEvent::Begun { time, since } => {
                put(7, bytes);
                put(time, bytes);
                put(since, bytes);
            }
        }
        let last = before.and_then(|before| before.call);
        let time = last.map_or(0, |call| call.leave);
        Call::put_any(self.call, time, last.as_ref(), bytes);
    }

    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let time = take_change(before.map_or(0, |before| before.order.time), bytes)?;
        let number = take_change(before.map_or(0, |before| before.order.number), bytes)?;
        let action = match take(bytes)? {
            0 => MeetingEvent::Was,
            1 => MeetingEvent::Barrier(Metric::of_number(take(bytes)?)?),
            2 => {
                let from = take(bytes)?;
                let mut time = || -> Option<Option<u64>> {
                    let is_known = take(bytes)? == 1;
                    let time = take(bytes)?;
                    Some(is_known.then_some(time))
                };
                let (fork, join, until) = (time()?, time()?, time()?);
                let flags = take(bytes)?;
                let (leads, meets) = (flags & 1 == 1, flags & 2 == 2);
                let left = take_change(number, bytes)?;
                MeetingEvent::Parallel { fork, from, join, until, leads, meets, left }
            }
            3 => MeetingEvent::Ended(take(bytes)?),
            4 => MeetingEvent::Acquired(take(bytes)?, Metric::of_number(take(bytes)?)?),
            5 => MeetingEvent::Released(take(bytes)?),
            6 => MeetingEvent::Created(take(bytes)?),
            7 => MeetingEvent::Begun { time: take(bytes)?, since: take(bytes)? },
            _ => return None,
        };
        let last = before.and_then(|before| before.call);
        let call = Call::take_any(last.map_or(0, |call| call.leave), last.as_ref(), bytes)?;
        Some(Attendance { order: Order { time, location, number }, action, call })
    }
}

/// A meeting of locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// MPI_Init of all processes.
    Init,
    /// MPI_Finalize of all processes.
    Finalize,
    /// Barriers of a team of a process; the team, and how often it began before.
    Barriers(Process, u32, u32),
    /// The parallel region of a team; the same.
    Team(Process, u32, u32),
    /// A thread of a process that is created: the contingent, and its number there.
    Thread(Process, u32, u64),
    /// A lock of a process: the number of its paradigm, and its own.
    Lock(Process, u8, u32),
}

impl Meeting {
    /// The key: equal meetings have equal keys.
    pub fn key(self) -> Key {
        match self {
            Meeting::Init => Key([0, 0, 0, 0]),
            Meeting::Finalize => Key([1, 0, 0, 0]),
            Meeting::Barriers(process, team, begin) => Key([2, process.0, team, begin]),
            Meeting::Team(process, team, begin) => Key([3, process.0, team, begin]),
            Meeting::Thread(process, contingent, number) => {
                Key([5, process.0, contingent, number as u32])
            }
            Meeting::Lock(process, paradigm, lock) => Key([4, process.0, paradigm.into(), lock]),
        }
    }
}

/// Number that attend the same, or as many as there are processes; more are not compared.
const MOST_PRESENT: u64 = 1 << 20;

/// Compares all that attended the same. `processes`: how many there are of MPI.
///
/// # Errors
///
/// When a block cannot be read.
pub fn meet<S: Source>(
    source: S,
    threads: &Threads,
    processes: u64,
    charges: &mut Charges<'_, '_>,
) -> Result<(), S::Error> {
    let mut items = Items::<S, Attendance>::new(source)?;
    while let Some(key) = items.key() {
        let Key([kind, process, ..]) = key;
        if kind == 4 {
            let mut lock = Lock::default();
            while let Some(item) = items.next_of_all(key)? {
                lock.take(&item, Process(process), charges);
            }
            continue;
        }
        let mut present: Vec<Attendance> = Vec::new();
        while let Some(item) = items.next_of_all(key)? {
            if present.first().is_some_and(|first| first.order.time != item.order.time) {
                compare(key, &present, threads, processes, charges);
                present.clear();
            }
            match (present.len() as u64) < processes.max(MOST_PRESENT) {
                true => present.push(item),
                false => charges.severities.leave_out(LeftOut::Absent, 1),
            }
        }
        compare(key, &present, threads, processes, charges);
    }
    Ok(())
}

/// Compares all that were there one time.
fn compare(
    Key([kind, process, ..]): Key,
    present: &[Attendance],
    threads: &Threads,
    processes: u64,
    charges: &mut Charges<'_, '_>,
) {
    let of = Process(process);
    match kind {
        0 => init(present, processes, charges),
        1 => finalize(present, processes, charges),
        2 => barrier(present, of, charges),
        5 => thread(present, of, charges),
        _ => team(present, of, threads, charges),
    }
}

fn calls(present: &[Attendance]) -> impl Iterator<Item = (LocationRef, Call)> + Clone + '_ {
    present.iter().filter_map(|one| Some((one.order.location, one.call?)))
}

/// The latest enter and the earliest leave of all processes; `None`: not all are there, or one never left.
fn span(present: &[Attendance], processes: u64, severities: &mut Severities) -> Option<(u64, u64)> {
    let left = calls(present).filter_map(|(_, call)| call.left());
    if (left.clone().count() as u64) < processes {
        severities.leave_out(LeftOut::IncompleteCollectives, 1);
        return None;
    }
    let latest = calls(present).map(|(_, call)| call.enter).max()?;
    Some((latest, left.min()?))
}

fn init(present: &[Attendance], processes: u64, charges: &mut Charges<'_, '_>) {
    let Some((latest, earliest)) = span(present, processes, charges.severities) else { return };
    let (metric, from) = (Metric::MPI_INIT_COMPLETION, earliest.max(latest));
    charges.edges.syncs.all(calls(present).map(|(location, _)| location), Together::All, latest);
    for (location, call) in calls(present) {
        let ticks = call.leave.saturating_sub(from).min(call.exclusive);
        charges.wait(Wait { metric, location, call, from, ticks, part: None, culprit: None });
    }
}

/// The call that was entered last; of several the first, whichever comes first.
fn last(present: &[Attendance]) -> Option<Culprit> {
    let last =
        calls(present).max_by_key(|(location, call)| (call.enter, std::cmp::Reverse(*location)));
    last.map(|(location, call)| Culprit::new(location, Some(call), call.enter))
}

/// A location does not wait for itself.
fn other(culprit: Option<Culprit>, location: LocationRef) -> Option<Culprit> {
    culprit.filter(|culprit| culprit.location != location)
}

fn finalize(present: &[Attendance], processes: u64, charges: &mut Charges<'_, '_>) {
    let Some((latest, _)) = span(present, processes, charges.severities) else { return };
    let culprit = last(present);
    charges.edges.syncs.all(calls(present).map(|(location, _)| location), Together::All, latest);
    link_all(calls(present), latest, (2, true), charges.links);
    for (location, call) in calls(present) {
        let wait = Wait::until(latest, Metric::MPI_FINALIZE_WAIT, location, call);
        charges.wait(wait.for_whom(other(culprit, location)));
    }
}

/// All depend on each other. `kind`: of which kind the dependency is, and whether they wait in MPI.
fn link_all(
    all: impl Iterator<Item = (LocationRef, Call)> + Clone,
    latest: u64,
    (kind, in_mpi): (u8, bool),
    links: &mut Links<'_>,
) {
    let Some((location, first)) = all.clone().next().filter(|_| links.are_wanted()) else { return };
    let id = LinkId { location, number: first.number, kind };
    let members = all.clone().count() as u32;
    let (ordered, parts) = (false, false);
    let link = Link { id, givers: members, takers: members, ordered, parts };
    for (place, (location, Call { enter: time, number, .. })) in (0..).zip(all.clone()) {
        let what = What::Gives { link, place, message: in_mpi, bytes: 0 };
        links.push(Point { location, time, number, what });
    }
    for (location, call) in all {
        let waited = call.time_to(latest);
        let taker = Taker {
            location,
            time: call.enter,
            number: call.number,
            until: call.leave,
            waited,
            in_mpi,
            before: false,
            message: in_mpi,
            recorded_only: false,
            bytes: 0,
        };
        links.push(taker.point(link, members, latest));
    }
}

/// A location depends on what another one did, if it waited for that.
pub(super) fn link_one(giver: Opener, wait: &Wait, kind: u8, links: &mut Links<'_>) {
    if wait.ticks > 0 {
        link_always(giver, wait, kind, links);
    }
}

/// A location depends on what another one did, whether it waited or not.
fn link_always(
    Opener { culprit, number: event }: Opener,
    wait: &Wait,
    kind: u8,
    links: &mut Links<'_>,
) {
    if culprit.location == wait.location {
        return;
    }
    let (location, call) = (wait.location, wait.call);
    let in_mpi = wait.metric.class().group() == Group::Mpi;
    let id = LinkId { location, number: call.number, kind };
    let taker = Taker {
        location,
        time: wait.from,
        number: call.number,
        until: call.leave,
        waited: culprit.time.min(call.leave).saturating_sub(wait.from),
        in_mpi,
        before: false,
        message: in_mpi,
        recorded_only: false,
        bytes: 0,
    };
    links.pair(id, (culprit.location, culprit.time, event), taker);
}

/// Time of threads elsewhere, above all in tasks, is not waiting: it is not their own time there.
fn barrier(present: &[Attendance], of: Process, charges: &mut Charges<'_, '_>) {
    if present.len() < 2 {
        return;
    }
    let latest = calls(present).map(|(_, call)| call.enter).max().unwrap_or(0);
    let culprit = last(present);
    let locations = calls(present).map(|(location, _)| location);
    charges.edges.syncs.all(locations, Together::Threads(of), latest);
    link_all(calls(present), latest, (3, false), charges.links);
    for one in present {
        let (MeetingEvent::Barrier(metric), Some(call)) = (one.action, one.call) else { continue };
        let elsewhere = call.time() - call.exclusive.min(call.time());
        let waited = latest.min(call.leave).saturating_sub(call.enter);
        let ticks = waited.saturating_sub(elsewhere);
        let location = one.order.location;
        let wait = Wait { ticks, ..Wait::until(latest, metric, location, call) };
        charges.wait(wait.for_whom(other(culprit, location)));
        let left = call.left().unwrap_or(u64::MAX);
        charges.severities.check(Kind::OpenMp, [of; 2], latest, left);
    }
}

/// A thread that was created depends on the one that did so.
fn creation(present: &[Attendance], charges: &mut Charges<'_, '_>) {
    let created = present.iter().find_map(|one| match one.action {
        MeetingEvent::Created(time) => Some((Culprit::new(one.order.location, None, time), one)),
        _ => None,
    });
    let Some((culprit, creator)) = created else { return };
    for one in present {
        let (MeetingEvent::Begun { time: begun, since }, location) =
            (one.action, one.order.location)
        else {
            continue;
        };
        if location == culprit.location {
            continue;
        }
        let (created, number) = (culprit.time, one.order.number);
        charges.edges.push((location, EdgeKind::Create), (since.min(created), begun), culprit);
        let taker = Taker {
            location,
            time: created.min(begun),
            number,
            until: begun,
            waited: created.min(begun).saturating_sub(since),
            in_mpi: false,
            before: true,
            bytes: 0,
            message: false,
            recorded_only: false,
        };
        let id = LinkId { location, number, kind: 7 };
        charges.links.pair(id, (culprit.location, created, creator.order.number), taker);
    }
}

/// A thread that was created: how long others waited for its end.
fn thread(present: &[Attendance], of: Process, charges: &mut Charges<'_, '_>) {
    creation(present, charges);
    let ended = present.iter().find_map(|one| match one.action {
        MeetingEvent::Ended(time) => {
            let culprit = Culprit::new(one.order.location, one.call, time);
            Some((time, Opener { culprit, number: one.order.number }))
        }
        _ => None,
    });
    let Some((ended, giver)) = ended else { return };
    for (location, call) in calls(present) {
        let wait = Wait::until(ended, Metric::PTHREAD_JOIN_WAIT, location, call);
        link_always(giver, &wait, 4, charges.links);
        charges.wait(wait.for_whom(other(Some(giver.culprit), location)));
        let left = call.left().unwrap_or(u64::MAX);
        charges.severities.check(Kind::OpenMp, [of; 2], ended, left);
    }
}

/// When a team was forked and joined, as far as that was recorded. In ticks.
#[derive(Clone, Copy, Default)]
struct Forked {
    fork: Option<u64>,
    join: Option<u64>,
}

/// A thread in the region of a team. Times in ticks.
#[derive(Clone, Copy)]
struct Stay {
    call: Call,
    /// From when on it may have waited for the region.
    from: u64,
    /// Until when it joined, where it forked the team itself.
    until: Option<u64>,
}

impl Stay {
    fn of(one: &Attendance) -> Option<Self> {
        let MeetingEvent::Parallel { from, until, .. } = one.action else { return None };
        Some(Stay { call: one.call?, from, until })
    }

    /// How long the thread needed to get to the region.
    fn fork(&self, forked: Forked) -> u64 {
        let fork = match self.until {
            Some(_) => Some(self.from),
            None => forked.fork.map(|fork| fork.max(self.from)),
        };
        fork.map_or(0, |fork| self.call.enter.saturating_sub(fork))
    }

    /// How long it took from there until the team was joined, where the thread left.
    fn join(&self, forked: Forked) -> u64 {
        let joined = self.until.or(forked.join).zip(self.call.left());
        joined.map_or(0, |(join, left)| join.saturating_sub(left))
    }

    /// The time of a thread there, with both.
    fn whole(&self, forked: Forked) -> u64 {
        self.fork(forked) + self.call.time() + self.join(forked)
    }
}

/// A team: how long its threads needed to get there and back, and what threads without work waited for.
fn team(present: &[Attendance], of: Process, threads: &Threads, charges: &mut Charges<'_, '_>) {
    let Charges { severities, edges, links, .. } = charges;
    let (mut forked, mut leader) = (Forked::default(), None);
    // The location that forked the team, and when; and the number of the enter of its region.
    let mut forker = None;
    for one in present {
        let MeetingEvent::Parallel { fork, join, leads, .. } = one.action else { continue };
        forked = Forked { fork: forked.fork.or(fork), join: forked.join.or(join) };
        if leads {
            leader = leader.or(Stay::of(one));
        }
        if let Some(stay) = Stay::of(one).filter(|stay| stay.until.is_some()) {
            let time = fork.unwrap_or(stay.from);
            let culprit = Culprit::new(one.order.location, one.call, time);
            forker = forker.or(Some((culprit, stay.call.number)));
        }
    }
    if let Some((forker, _)) = forker {
        let stays = present.iter().filter(|one| Stay::of(one).is_some());
        let locations = stays.map(|one| one.order.location);
        edges.syncs.all(locations, Together::Threads(of), forker.time);
    }
    for one in present {
        let (Some(stay), location) = (Stay::of(one), one.order.location) else { continue };
        let (call, forking) = (stay.call, stay.fork(forked));
        if let Some((forker, event)) = forker.filter(|(of, _)| of.location != location) {
            if forker.time >= stay.from {
                edges.push((location, EdgeKind::Fork), (stay.from, forker.time), forker);
            }
            let taker = Taker {
                location,
                time: if forker.time >= stay.from { forker.time } else { call.enter },
                number: call.number,
                until: call.enter,
                waited: forker.time.min(call.enter).saturating_sub(stay.from),
                in_mpi: false,
                before: forker.time >= stay.from,
                message: false,
                recorded_only: false,
                bytes: 0,
            };
            let id = LinkId { location, number: call.number, kind: 6 };
            links.pair(id, (forker.location, forker.time, event), taker);
        }
        // The first thread of a process is not there for teams that others fork: what it does meanwhile is recorded.
        if stay.until.is_some() || threads.master_of(location).is_none() {
            let (metric, join) = (Metric::OMP_MANAGEMENT, stay.join(forked));
            let begin = call.enter.saturating_sub(forking);
            let forking = severities.count(metric, location, begin, forking);
            let joining = severities.count(metric, location, call.leave, join);
            severities.wait(metric, location, &call, forking + joining, None);
            severities.wait(Metric::OMP_FORK, location, &call, forking, None);
        }
        severities.check(Kind::OpenMp, [of; 2], forked.fork.unwrap_or(0), call.enter);
        let left = call.left().unwrap_or(0);
        severities.check(Kind::OpenMp, [of; 2], left, forked.join.unwrap_or(u64::MAX));
        // A location only in teams of other leaders than the first thread is in inner teams only.
        let guest = stay.until.is_none() && forked.fork.is_some();
        severities.in_team(location, InTeams { led: leader.is_some(), guest });
    }
    if let Some((forker, _)) = forker {
        joined(present, forker.location, edges, links);
    }
    // Without a leave of the leader, the duration is unknown.
    let Some(leader) = leader.filter(|leader| leader.call.is_left) else { return };
    let whole = leader.whole(forked);
    for worker in threads.workers(of) {
        let of_worker = present.iter().filter(|one| one.order.location == *worker);
        let of_worker = of_worker.filter_map(Stay::of);
        // A worker that never left was there to the end.
        if of_worker.clone().any(|stay| !stay.call.is_left) {
            continue;
        }
        let busy = of_worker.map(|stay| stay.whole(forked));
        // Of damaged traces it may be more than there is time.
        let ticks = busy.fold(whole, u64::saturating_sub);
        for metric in [Metric::OMP_IDLE_THREADS, Metric::OMP_LIMITED_PARALLELISM] {
            let place = Place { metric, path: leader.call.path, location: *worker };
            let ticks = severities.count(metric, *worker, leader.call.enter, ticks);
            severities.add(place, ticks, 1);
        }
    }
}

/// The thread that forked a team goes on when the last of the others has ended, unless they met before.
fn joined(
    present: &[Attendance],
    forker: LocationRef,
    edges: &mut Edges<'_>,
    links: &mut Links<'_>,
) {
    let meets = |one: &Attendance| matches!(one.action, MeetingEvent::Parallel { meets: true, .. });
    if present.iter().any(meets) {
        return;
    }
    let stay = |one: &Attendance| {
        let MeetingEvent::Parallel { join, left, .. } = one.action else { return None };
        Some((one.order.location, one.call.filter(|call| call.is_left)?, join, left))
    };
    let stays = present.iter().filter_map(stay);
    let own = stays.clone().find(|(location, _, join, _)| *location == forker && join.is_some());
    let Some((_, own, Some(until), own_left)) = own else { return };
    let others = stays.filter(|(location, ..)| *location != forker);
    let ends = others
        .map(|(location, call, _, left)| (Culprit::new(location, Some(call), call.leave), left));
    let last = ends.clone().map(|(end, _)| end);
    let last = last.max_by_key(|end| (end.time, std::cmp::Reverse(end.location)));
    let Some(last) = last else { return };
    if last.time > own.leave {
        edges.push((forker, EdgeKind::Join), (own.leave, until), last);
    }
    if !links.are_wanted() {
        return;
    }
    let id = LinkId { location: forker, number: own.number, kind: 8 };
    let givers = ends.clone().count() as u32;
    let link = Link { id, givers, takers: 1, ordered: false, parts: false };
    for (place, (Culprit { location, time, .. }, number)) in (0..).zip(ends) {
        let what = What::Gives { link, place, message: false, bytes: 0 };
        links.push(Point { location, time, number, what });
    }
    let taker = Taker {
        location: forker,
        time: own.leave,
        number: own_left,
        until,
        waited: last.time.min(until).saturating_sub(own.leave),
        in_mpi: false,
        before: false,
        bytes: 0,
        message: false,
        recorded_only: false,
    };
    links.push(taker.point(link, givers, last.time));
}

/// A lock, by the order of its acquisitions.
#[derive(Default)]
struct Lock {
    /// The last release: which acquisition it ended, when, and by whom.
    released: Option<(u64, u64, Opener)>,
}

impl Lock {
    /// The order of an acquisition is twice its number, that of its release one more.
    fn take(&mut self, one: &Attendance, of: Process, charges: &mut Charges<'_, '_>) {
        let number = one.order.time / 2;
        match one.action {
            MeetingEvent::Released(time) => {
                let culprit = Culprit::new(one.order.location, one.call, time);
                let giver = Opener { culprit, number: one.order.number };
                self.released = Some((number, time, giver));
            }
            MeetingEvent::Acquired(time, metric) => {
                let before = self.released.filter(|(before, ..)| before + 1 == number);
                let (Some(call), Some((_, released, giver))) = (one.call, before) else { return };
                let until = released.min(time);
                let wait = Wait::until(until, metric, one.order.location, call);
                link_one(giver, &wait, 5, charges.links);
                let culprit = other(Some(giver.culprit), one.order.location);
                charges.wait(wait.for_whom(culprit));
                charges.severities.check(Kind::OpenMp, [of; 2], released, time);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use streamfold_model::store::Definitions;

    use super::super::charges::Claims;
    use super::super::path::PathId;
    use super::*;
    use crate::matching::sorted::Kept;
    use crate::matching::{Lanes, Outgoing, Processes};

    /// A trace may have any number of threads at one barrier.
    #[test]
    fn those_beyond_what_is_compared_at_one_meeting_are_told() {
        let (kept, key) = (Kept::default(), Meeting::Barriers(Process(0), 0, 0).key());
        let (mut lanes, mut outgoing) = (Lanes::default(), Outgoing::new(&kept));
        let mut attend = |barrier: u64, number: u64, enter: u64| {
            let order = Order { time: barrier, location: LocationRef(3), number };
            let (leave, exclusive, path) = (20, 10, PathId::ROOT);
            let (is_left, has_several) = (true, false);
            let call = Call { enter, leave, is_left, exclusive, has_several, path, number };
            let call = Some(call);
            let action = MeetingEvent::Barrier(Metric::OMP_EBARRIER_WAIT);
            lanes.push(key, Attendance { order, action, call }, &mut outgoing);
        };
        (0..MOST_PRESENT + 5).for_each(|number| attend(0, number, 10 + (number == 7) as u64));
        // The next one is another one.
        [12, 15].into_iter().enumerate().for_each(|(i, enter)| attend(1, i as u64, enter));
        lanes.empty(&mut outgoing);
        outgoing.hand_over();
        let definitions = Definitions::default();
        let processes = Processes::new(&definitions);
        let threads = Threads::new(&definitions, &processes);
        let mut severities = Severities::new(1, &processes);
        let claimed = Kept::default();
        let mut claims = Claims::new(&claimed);
        let (mut edges, mut links) = (Edges::new(None), Links::new(None));
        let (severities, claims) = (&mut severities, &mut claims);
        let (edges, links) = (&mut edges, &mut links);
        let mut charges = Charges { severities, claims, edges, links };
        meet(kept.sorted(), &threads, 0, &mut charges).unwrap();
        let left_out: Vec<_> = severities.left_out.clone().into_iter().collect();
        assert_eq!(left_out, [(LeftOut::Absent, 5)]);
        let waited: u128 = severities.of.values().map(|waited| waited.ticks).sum();
        assert_eq!(waited, u128::from(MOST_PRESENT) - 1 + 3);
    }
}
