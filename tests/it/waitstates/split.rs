//! The account of time in the simplest way: own stacks, each time between two events by itself.

use std::collections::BTreeMap;

use streamfold::model::enums::{Paradigm, RegionRole as Role};
use streamfold::model::events::Event;

use crate::waitstates::regions;
use crate::waitstates::slow::Task;
use crate::waitstates::trace::{Stream, Trace};

/// A class of the account, and its group.
pub type Class = (&'static str, &'static str);

/// Ticks by location and class.
pub type Times = BTreeMap<(u64, Class), u64>;

const SERIAL: Class = ("computation", "serial");
const FORK_JOIN: Class = ("threads", "fork_join");
const NOT_RECORDED: Class = ("not_recorded", "not_recorded");

/// The class of a region outside of teams, for the regions of these tests.
fn class(name: &str) -> Class {
    let (paradigm, role) = regions::kind(name).expect("a region");
    let lower = regions::written(name).to_lowercase();
    match paradigm {
        _ if name == "TRACE BUFFER FLUSH" => ("measurement", "flush"),
        Paradigm::Mpi => ("mpi", mpi(lower.trim_end_matches('_').trim_start_matches("mpi_"), role)),
        Paradigm::Openmp => match role {
            Role::Barrier | Role::ImplicitBarrier => ("threads", "barriers"),
            Role::Critical | Role::Atomic | Role::Ordered => ("threads", "locks"),
            Role::TaskWait | Role::TaskCreate => ("threads", "tasks"),
            Role::Function if lower.ends_with("_lock") => ("threads", "locks"),
            Role::Flush | Role::Function => ("threads", "other"),
            _ => SERIAL,
        },
        Paradigm::Pthread => {
            let locks = ["mutex_", "cond_", "barrier_", "rwlock_", "spin_"];
            let call = lower.trim_start_matches("pthread_");
            let is_lock = lower.starts_with("sem_") || locks.iter().any(|it| call.starts_with(it));
            ("threads", if is_lock { "locks" } else { "other" })
        }
        _ if role == Role::FileIo => ("io", "data"),
        _ if role == Role::FileIoMetadata => ("io", "metadata"),
        _ => SERIAL,
    }
}

fn mpi(call: &str, role: Role) -> &'static str {
    match call {
        "init" | "init_thread" | "finalize" => return "start_up",
        "win_create" | "win_allocate" | "win_create_dynamic" | "win_free" => return "management",
        _ if call.starts_with("comm_") => return "management",
        _ if call.starts_with("win_") => return "one_sided",
        _ if call.starts_with("wait") || call.starts_with("test") => return "point_to_point",
        _ => {}
    }
    match role {
        Role::Point2point => "point_to_point",
        Role::Barrier
        | Role::CollOne2all
        | Role::CollAll2one
        | Role::CollAll2all
        | Role::CollOther => "collective",
        Role::Rma | Role::Atomic => "one_sided",
        _ => "other",
    }
}

fn is_parallel(name: &str) -> bool {
    regions::kind(name) == Some((Paradigm::Openmp, Role::Parallel))
}

/// A thread as far as its events are read.
#[derive(Default)]
struct Thread<'t> {
    /// The open regions of the thread itself, and of each task.
    open: BTreeMap<Task, Vec<&'t str>>,
    task: Task,
    /// Teams that it has forked, and (`true`) those that it is in.
    teams: Vec<bool>,
    /// Set if it is idle where no region is open.
    idles: bool,
    is_worker: bool,
}

impl<'t> Thread<'t> {
    fn class(&self) -> Class {
        let innermost = self.open.get(&self.task).and_then(|open| open.last());
        let class = innermost.map(|name| class(name));
        let is_parallel = || self.open.values().flatten().any(|name| is_parallel(name));
        match class {
            Some(("measurement", _)) => class.expect("it is there"),
            _ if self.teams.last() == Some(&false) => FORK_JOIN,
            Some(SERIAL) if self.teams.contains(&true) || is_parallel() || self.task.is_some() => {
                ("computation", "team")
            }
            Some(class) => class,
            None if self.idles => ("idle", "idle"),
            None => NOT_RECORDED,
        }
    }

    /// Closes the latest of its kind, and all behind it.
    fn close(&mut self, is_inside: bool) {
        if let Some(at) = self.teams.iter().rposition(|of| *of == is_inside) {
            self.teams.truncate(at);
        }
    }

    fn take(&mut self, trace: &'t Trace, event: &Event<'_>) {
        match event {
            Event::Enter(of) => {
                let name = trace.regions[of.region.0 as usize].as_str();
                self.open.entry(self.task).or_default().push(name);
                let of_team = is_parallel(name) || class(name) == ("threads", "barriers");
                self.idles |= self.is_worker && of_team;
            }
            Event::Leave(of) => {
                let name = trace.regions[of.region.0 as usize].as_str();
                let open = self.open.entry(self.task).or_default();
                if let Some(at) = open.iter().rposition(|other| *other == name) {
                    open.truncate(at);
                }
            }
            Event::ThreadTaskSwitch(of) => {
                let task = (of.thread_team.0, of.creating_thread, of.generation_number);
                self.task = (task.2 != 0).then_some(task);
            }
            Event::ThreadTaskComplete(of) => {
                let task = (of.thread_team.0, of.creating_thread, of.generation_number);
                self.open.remove(&Some(task));
                self.task = self.task.filter(|running| *running != task);
            }
            Event::ThreadFork(_) => self.teams.push(false),
            Event::ThreadJoin(_) => self.close(false),
            Event::ThreadTeamBegin(_) => {
                self.teams.push(true);
                self.idles |= self.is_worker;
            }
            Event::ThreadTeamEnd(_) => {
                self.close(true);
                self.idles |= self.is_worker && self.teams.contains(&true);
            }
            Event::ThreadBegin(_) => self.idles = false,
            _ => {}
        }
    }
}

/// Events that move the clock: those of locks do not, for one.
fn is_seen(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::Enter(_)
            | Event::Leave(_)
            | Event::ThreadTaskSwitch(_)
            | Event::ThreadTaskComplete(_)
            | Event::ThreadFork(_)
            | Event::ThreadJoin(_)
            | Event::ThreadTeamBegin(_)
            | Event::ThreadTeamEnd(_)
            | Event::ThreadBegin(_)
            | Event::MpiSend(_)
            | Event::MpiRecv(_)
            | Event::MpiIsend(_)
            | Event::MpiIsendComplete(_)
            | Event::MpiIrecvRequest(_)
            | Event::MpiIrecv(_)
            | Event::MpiRequestCancelled(_)
            | Event::MpiCollectiveEnd(_)
            | Event::NonBlockingCollectiveComplete(_)
            | Event::RmaPut(_)
            | Event::RmaGet(_)
    )
}

/// The first and the last time of a thread.
fn span(events: &Stream) -> Option<(u64, u64)> {
    let times = || events.iter().map(|(time, _)| *time);
    Some((times().min()?, times().max()?))
}

/// A time of a location in which nothing changes.
#[derive(Clone, Debug)]
pub struct Moment {
    pub begin: u64,
    pub end: u64,
    /// The open regions, the outermost first: those of the task that runs.
    pub open: Vec<String>,
    /// A team is forked or joined.
    pub forking: bool,
}

/// The times of a location, one after another, from its first event to its last.
pub fn moments(trace: &Trace, location: u64) -> Vec<Moment> {
    let events = &trace.streams[&location];
    let Some((first, last)) = span(events) else { return Vec::new() };
    let (mut thread, mut now, mut moments) = (Thread::default(), first, Vec::new());
    let mut pass = |thread: &Thread<'_>, time: u64| {
        let open = thread.open.get(&thread.task).into_iter().flatten();
        let open = open.map(|name| regions::written(name).to_owned());
        let above = thread.task.is_some().then(|| "(tasks)".to_owned());
        let open = above.into_iter().chain(open).collect();
        let forking = thread.teams.last() == Some(&false);
        if time > now {
            moments.push(Moment { begin: now, end: time, open, forking });
            now = time;
        }
    };
    for (time, event) in events {
        pass(&thread, *time);
        thread.take(trace, event);
    }
    pass(&thread, last);
    moments
}

/// The time of all threads that have events.
pub fn account(trace: &Trace) -> Times {
    let is_thread = |location: &u64| !trace.metrics.contains(location);
    let threads = || trace.streams.iter().filter(|(location, _)| is_thread(location));
    let spans = || threads().filter_map(|(_, events)| span(events));
    let Some(run) = spans().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) else {
        return Times::new();
    };
    let lists_threads = trace.teams.iter().any(|(paradigm, _)| *paradigm == Paradigm::Openmp);
    let mut times = Times::new();
    for (location, events) in threads() {
        let Some((first, last)) = span(events) else { continue };
        let mut add =
            |class: Class, ticks: u64| *times.entry((*location, class)).or_default() += ticks;
        add(("absent", "not_begun"), first - run.0);
        let is_worker = location % 10 > 0;
        let idles = is_worker && lists_threads;
        let mut thread = Thread { is_worker, idles, ..Thread::default() };
        let mut now = first;
        for (time, event) in events.iter().filter(|(_, event)| is_seen(event)) {
            add(thread.class(), time.saturating_sub(now));
            now = now.max(*time);
            thread.take(trace, event);
        }
        add(thread.class(), last - now);
        add(("absent", "ended"), run.1 - last);
    }
    let names = || {
        threads().flat_map(|(_, events)| events).filter_map(|(_, event)| match event {
            Event::Enter(of) => Some(trace.regions[of.region.0 as usize].as_str()),
            _ => None,
        })
    };
    // No region of the program is recorded.
    if names().next().is_some() && !names().any(|name| class(name) == SERIAL) {
        let all = std::mem::take(&mut times).into_iter();
        times = all
            .map(|((location, class), ticks)| match class {
                NOT_RECORDED => ((location, ("computation", "assumed")), ticks),
                class => ((location, class), ticks),
            })
            .collect();
    }
    times.retain(|_, ticks| *ticks > 0);
    times
}

/// The sums of all threads.
pub fn sums(times: &Times) -> BTreeMap<(String, String), u64> {
    let mut sums = BTreeMap::new();
    for ((_, (group, class)), ticks) in times {
        *sums.entry(((*group).to_owned(), (*class).to_owned())).or_default() += ticks;
    }
    sums
}

/// The sums of all threads and classes of a group at a location.
pub fn at(times: &Times, group: &str, location: u64) -> u64 {
    let of = times.iter().filter(|((at, class), _)| *at == location && class.0 == group);
    of.map(|(_, ticks)| ticks).sum()
}
